// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compile/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fault.h"
#include "frontend/syntax/syntax.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "runtime/compile/imports.h"

// --- Faults ---

// Writes the text to a new file in the system's temporary folder. False on failure.
static bool save_tir(Str text, char *path, size_t room) {
  const char *folder = getenv("TMPDIR");
  int n = snprintf(path, room, "%s/tilec-bug-XXXXXX", folder && folder[0] ? folder : "/tmp");
  if (n < 0 || (size_t)n + sizeof ".tir" > room) return false;
  int fd = mkstemp(path);
  FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!file) {
    if (fd >= 0) close(fd);
    return false;
  }
  bool ok = fwrite(text.at, 1, text.n, file) == text.n;
  if (fclose(file) != 0) ok = false;
  char final[600];
  snprintf(final, sizeof final, "%s.tir", path);
  if (!ok || rename(path, final) != 0) {
    unlink(path);
    return false;
  }
  memcpy(path, final, (size_t)n + sizeof ".tir");
  return true;
}

static bool replay(Compilation *c, Buf *text);

// Saves the module after the last good step as .tir text.
static bool save_last_step(Compilation *c, char *path, size_t room) {
  Buf text = {0};
  bool ok = c->last_step && replay(c, &text) && save_tir(buf_view(&text), path, room);
  buf_free(&text);
  return ok;
}

// Describes how to reproduce the fault: the saved .tir and the remaining passes. If there is no .tir yet, the
// source.
static void describe_bug(Compilation *c, const char *message) {
  char path[512];
  const char *source = c->sources.files.n ? sources_name(&c->sources, c->file) : "";
  if (!save_last_step(c, path, sizeof path)) {
    snprintf(c->fault, sizeof c->fault,
             "internal error: %.600s (while compiling %.200s; please report it with that file)", message,
             source);
    return;
  }
  bool in_passes = strncmp(message, "codegen/", 8) != 0;
  snprintf(
      c->fault, sizeof c->fault,
      "internal error: %.300s\nafter the step '%s' of %.200s; this reproduces it: tilec compile %s%s -o -",
      message, c->last_step, source, path, in_passes ? "" : " --stop-after=elaborate -S");
}

static tilec_status fault_status(Compilation *c, const FaultFrame *frame) {
  if (frame->kind == FAULT_BUG) {
    describe_bug(c, frame->message);
    return TILEC_ERROR_INTERNAL;
  }
  const char *source = c->sources.files.n ? sources_name(&c->sources, c->file) : "";
  snprintf(c->fault, sizeof c->fault, "%.600s, in the %s of %.200s", frame->message,
           c->step ? c->step : "compilation", source[0] ? source : "a file");
  return TILEC_ERROR_OUT_OF_MEMORY;
}

tilec_status compile_guard(Compilation *c, tilec_status (*body)(Compilation *c, void *data), void *data) {
  FaultFrame frame;
  tilec_status status;
  fault_enter(&frame);
  if (setjmp(frame.env) == 0)
    status = body(c, data);
  else
    status = fault_status(c, &frame);
  fault_leave(&frame);
  return status;
}

static tilec_status diagnosed(const Compilation *c) {
  return c->diags.errors ? TILEC_ERROR_COMPILE : TILEC_OK;
}

// --- Lifetime ---

static tilec_status init(Compilation *c, void *data) {
  (void)data;
  c->sources.arena = &c->arena;
  c->diags.arena = &c->arena;
  c->diags.sources = &c->sources;
  ir_context_init(&c->ir, &c->arena, &c->sources, &c->diags);
  return TILEC_OK;
}

tilec_status compilation_init(Compilation *c) {
  *c = (Compilation){0};
  return compile_guard(c, init, NULL);
}

void compilation_free(Compilation *c) {
  buf_free(&c->code.llvm);
  buf_free(&c->code.ptx);
  arena_free(&c->scratch);
  arena_free(&c->arena);
  *c = (Compilation){0};
}

// --- Parsing ---

typedef struct SourceText {
  const char *name;
  Str text;
} SourceText;

static tilec_status parse(Compilation *c, void *data) {
  c->step = "parsing";
  const SourceText *source = data;
  c->file = sources_add(&c->sources, source->name, source->text);
  if (c->shown.name) sources_show(&c->sources, c->file, c->shown.name, c->shown.text);
  c->is_tir = str_ends(str_from(source->name), ".tir");
  if (c->is_tir)
    c->module = module_parse(&c->ir, c->file);
  else {
    c->syntax =
        syntax_parse(&c->arena, &c->ir.names, &c->diags, &c->sources, c->file, syntax_mode_of(source->name));
    imports_follow(c);
  }
  return diagnosed(c);
}

tilec_status compile_parse(Compilation *c, const char *name, Str text) {
  return compile_guard(c, parse, &(SourceText){name, text.at ? text : STR("")});
}

// --- Elaboration ---

static bool asks_for_a_target(const Spec *spec) {
  const Target defaults = target_default(), *given = &spec->target;
  return spec->arch_given || spec->num_warps_given || spec->num_stages_given || spec->maxnreg_given ||
         given->fp32_dot != defaults.fp32_dot || given->fp_contract != defaults.fp_contract ||
         given->opt_level != defaults.opt_level || given->debug || given->overlap || given->fast_math ||
         given->restrict_pointers || given->tma != TMA_AUTO || given->warp_roles != WARP_ROLES_AUTO ||
         given->epilogue != EPILOGUE_AUTO || given->persistent != PERSIST_AUTO;
}

static void override_target(Target *target, const Spec *spec) {
  const Target defaults = target_default(), *given = &spec->target;
  if (spec->arch_given) target->arch = given->arch;
  if (spec->num_warps_given) target->num_warps = given->num_warps;
  if (spec->num_stages_given) target->num_stages = given->num_stages;
  if (spec->maxnreg_given) target->maxnreg = given->maxnreg;
  if (given->fp32_dot != defaults.fp32_dot) target->fp32_dot = given->fp32_dot;
  if (given->fp_contract != defaults.fp_contract) target->fp_contract = given->fp_contract;
  if (given->opt_level != defaults.opt_level) target->opt_level = given->opt_level;
  if (given->debug) target->debug = true;
  if (given->overlap) target->overlap = true;
  if (given->fast_math) target->fast_math = true;
  if (given->restrict_pointers) target->restrict_pointers = true;
  if (given->tma != TMA_AUTO) target->tma = given->tma;
  if (given->warp_roles != WARP_ROLES_AUTO) target->warp_roles = given->warp_roles;
  if (given->epilogue != EPILOGUE_AUTO) target->epilogue = given->epilogue;
  if (given->persistent != PERSIST_AUTO) target->persistent = given->persistent;
}

// Removes all functions but `name` from the module.
static void keep_kernel(Compilation *c, const char *name) {
  for (uint32_t i = 0; i < c->module->funcs.n; i++)
    if (strcmp(c->module->funcs.at[i]->name, name) == 0) {
      c->module->funcs.at[0] = c->module->funcs.at[i];
      c->module->funcs.n = 1;
      return;
    }
  diag_error(&c->diags, LOC_NONE, "[T1004] %s has no function '%s'", sources_name(&c->sources, c->file),
             name);
}

static void take_tir(Compilation *c, const Spec *spec) {
  if (spec->param_count || spec->constexpr_count) {
    diag_error(&c->diags, LOC_NONE,
               "[T1006] tile IR is specialised already: a .tir file takes no signature and no constexprs");
    return;
  }
  if (spec->kernel) keep_kernel(c, spec->kernel);
  // The code of final tile IR must depend only on its text.
  if (!c->module->final)
    override_target(&c->module->target, spec);
  else if (asks_for_a_target(spec))
    diag_warning(&c->diags, LOC_NONE,
                 "[T1006] the tile IR is final: it is compiled as written, and options do not change it");
  if (!c->diags.errors) module_verify(c->module, &c->diags);
}

static void elaborate_kernel(Compilation *c, const Spec *spec) {
  if (c->is_tir) {
    take_tir(c, spec);
    return;
  }
  if (!c->module) c->module = module_new(&c->ir, &spec->target);
  frontend_elaborate(c->module, c->syntax, spec);
}

static tilec_status elaborate(Compilation *c, void *data) {
  c->step = "elaboration";
  const Spec *spec = data;
  vec_push(&c->arena, &c->specs, *spec);
  elaborate_kernel(c, spec);
  return diagnosed(c);
}

tilec_status compile_elaborate(Compilation *c, const Spec *spec) {
  Spec copy = *spec;
  return compile_guard(c, elaborate, &copy);
}

// --- Passes ---

typedef struct WatchedPasses {
  Compilation *c;
  const PassRunOptions *options;
} WatchedPasses;

static void after_pass(const char *pass, IrModule *module, bool changed, double seconds, void *data) {
  WatchedPasses *run = data;
  run->c->last_step = pass ? pass : "elaborate";
  run->c->passes_run += pass != NULL;
  if (run->options->after) run->options->after(pass, module, changed, seconds, run->options->data);
}

static tilec_status passes(Compilation *c, void *data) {
  c->step = "passes";
  WatchedPasses *run = data;
  PassRunOptions options = c->pass_options = *run->options;
  options.after = after_pass;
  options.data = run;
  options.scratch = &c->scratch;
  c->module->launched = c->launched;
  if (!passes_run(c->module, &c->diags, &options) && !c->diags.errors)
    BUG("the passes failed without a diagnostic");
  return diagnosed(c);
}

tilec_status compile_passes(Compilation *c, const PassRunOptions *options) {
  return compile_guard(c, passes, &(WatchedPasses){c, options});
}

static tilec_status restart(Compilation *c, void *data) {
  (void)data;
  buf_free(&c->code.ptx);
  buf_free(&c->code.llvm);
  c->code = (CodegenResult){0};
  c->host = NULL;
  c->specs.n = c->passes_run = 0;
  c->last_step = NULL;
  c->module = c->is_tir ? module_parse(&c->ir, c->file) : NULL;
  return TILEC_OK;
}

tilec_status compile_restart(Compilation *c) { return compile_guard(c, restart, NULL); }

// --- Replay ---

// Compiles again, up to the last good step. Nothing is kept during a good compile, because sources and
// specialisations determine everything. Afterwards c->module is the module at that step.
static void compile_again(Compilation *c) {
  c->module = c->is_tir ? module_parse(&c->ir, c->file) : NULL;
  for (uint32_t i = 0; i < c->specs.n; i++) elaborate_kernel(c, &c->specs.at[i]);
  if (!c->passes_run) return;
  PassRunOptions options = c->pass_options;
  options.after = NULL;
  options.verify_each = false;
  options.scratch = &c->scratch;
  options.most = c->passes_run;
  c->module->launched = c->launched;
  passes_run(c->module, &c->diags, &options);
}

// The text of the module after the last good step. False if it cannot be made. Use after a fault. Another
// fault ends the replay. Its diagnostics are dropped, because they were reported before.
static bool replay(Compilation *c, Buf *text) {
  FaultFrame frame;
  const Diags diags = c->diags;
  arena_free(&c->scratch);
  fault_enter(&frame);
  bool ok = setjmp(frame.env) == 0;
  if (ok) {
    compile_again(c);
    module_print(c->module, NULL, text);
  }
  fault_leave(&frame);
  c->diags = diags;
  return ok;
}

// --- Codegen ---

static tilec_status codegen(Compilation *c, void *data) {
  c->step = "code generation";
  const CodegenOptions *options = data;
  buf_free(&c->code.llvm);
  buf_free(&c->code.ptx);
  if (!codegen_module(c->module, &c->diags, options, &c->code) && !c->diags.errors)
    BUG("code generation failed without a diagnostic");
  return diagnosed(c);
}

tilec_status compile_codegen(Compilation *c, const CodegenOptions *options) {
  CodegenOptions copy = *options;
  return compile_guard(c, codegen, &copy);
}

static tilec_status launchable(Compilation *c, void *data) {
  (void)data;
  const Func *func = c->module->funcs.at[0];
  for (uint32_t i = 0; i < func->param_count; i++) {
    const FuncParam *param = &func->params[i];
    if (param->hidden == HIDDEN_SCRATCH)
      diag_error(&c->diags, param->loc,
                 "[T0000] nothing fills the hidden parameter '%s' (%s): the kernel cannot be launched",
                 param->name, hidden_name(param->hidden));
    else if (param->type->kind == TYPE_BYTES)
      diag_error(
          &c->diags, param->loc,
          "[T0000] no argument has %d bytes, as the parameter '%s' needs: the kernel cannot be launched",
          BY_VALUE_BYTES, param->name);
  }
  return diagnosed(c);
}

tilec_status compile_launchable(Compilation *c) { return compile_guard(c, launchable, NULL); }
