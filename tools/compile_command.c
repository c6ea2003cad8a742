// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec compile: source, tile IR, LLVM IR, PTX or meta data of one file.
#include "tools/tool.h"

#include <stdio.h>

#include "frontend/syntax.h"
#include "ir/print.h"
#include "runtime/cubin.h"

static const char *const suffixes[] = {".tokens", ".ast", ".tir", ".ll", ".ptx", ".json", ".cubin"};

// The file's name, without its folder, with the kind's suffix. Standard input goes to standard output, and so
// does what --run-pass and --stop-after show.
static const char *default_output(const Options *o, Arena *arena) {
  if (strcmp(o->file, "-") == 0 || ((o->run_passes_given || o->stop_after) && o->emit == EMIT_TIR))
    return "-";
  const char *slash = strrchr(o->file, '/'), *name = slash ? slash + 1 : o->file, *dot = strrchr(name, '.');
  size_t stem = dot && dot != name ? (size_t)(dot - name) : strlen(name);
  return arena_printf(arena, "%.*s%s", (int)stem, name, suffixes[o->emit]);
}

static bool spec_has(const Spec *spec, const char *name) {
  for (uint32_t i = 0; i < spec->param_count; i++) {
    const ParamSpec *param = &spec->params[i];
    if (param->name == name && (param->type || param->facts.none || param->facts.equal1)) return true;
  }
  for (uint32_t i = 0; i < spec->constexpr_count; i++)
    if (spec->constexprs[i].name == name) return true;
  return false;
}

static bool fully_specified(const KernelInfo *kernel, const Spec *spec) {
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    const KernelParam *p = &kernel->params[i];
    bool known = p->is_constexpr ? p->has_default : p->type != NULL;
    if (!known && !spec_has(spec, p->name)) return false;
  }
  return true;
}

static bool kernel_has(const KernelInfo *kernel, const char *name) {
  for (uint32_t i = 0; i < kernel->param_count; i++)
    if (kernel->params[i].name == name) return true;
  return false;
}

// `spec` for one kernel of several: only what names its parameters and the module level.
static Spec spec_for(Compilation *c, const Spec *spec, const KernelInfo *kernel) {
  Arena *arena = &c->arena;
  Spec own = *spec;
  own.kernel = kernel->path;
  own.params = ARENA_ARRAY(arena, ParamSpec, spec->param_count);
  own.constexprs = ARENA_ARRAY(arena, Constexpr, spec->constexpr_count);
  own.param_count = own.constexpr_count = 0;
  for (uint32_t i = 0; i < spec->param_count; i++)
    if (kernel_has(kernel, spec->params[i].name)) own.params[own.param_count++] = spec->params[i];
  for (uint32_t i = 0; i < spec->constexpr_count; i++)
    if (kernel_has(kernel, spec->constexprs[i].name) ||
        frontend_has_name(&c->ir, c->syntax, spec->constexprs[i].name))
      own.constexprs[own.constexpr_count++] = spec->constexprs[i];
  return own;
}

// Every name of the specialisation must belong to one of the kernels.
static tilec_status check_names(Compilation *c, const KernelInfo *kernels, uint32_t count, const Spec *spec) {
  for (uint32_t i = 0; i < spec->param_count + spec->constexpr_count; i++) {
    const char *name =
        i < spec->param_count ? spec->params[i].name : spec->constexprs[i - spec->param_count].name;
    bool found = false;
    for (uint32_t k = 0; k < count && !found; k++) found = kernel_has(&kernels[k], name);
    found = found || (i >= spec->param_count && frontend_has_name(&c->ir, c->syntax, name));
    if (!found) diag_error(&c->diags, LOC_NONE, "no kernel of the file has a parameter '%s'", name);
  }
  return c->diags.errors ? TILEC_ERROR_COMPILE : TILEC_OK;
}

// All entries that are fully specified, into one module.
static tilec_status elaborate_entries(Compilation *c, const Spec *spec) {
  KernelInfo *kernels;
  uint32_t count = frontend_entries(&c->ir, c->syntax, spec, &kernels), done = 0;
  if (count == 1 && !c->diags.errors) return compile_elaborate(c, spec);
  if (count == 0 && !c->diags.errors) frontend_no_kernel(&c->ir, c->syntax, NULL);
  if (count == 0) return TILEC_ERROR_COMPILE;
  tilec_status status = check_names(c, kernels, count, spec);
  for (uint32_t i = 0; status == TILEC_OK && i < count; i++) {
    Spec own = spec_for(c, spec, &kernels[i]);
    if (!fully_specified(&kernels[i], &own)) {
      diag_remark(&c->diags, kernels[i].loc, "compile", "kernel '%s' is left out: it is not fully specified",
                  kernels[i].name);
      continue;
    }
    status = compile_elaborate(c, &own);
    done++;
  }
  if (status != TILEC_OK || done) return status;
  Diag *error = diag_error(
      &c->diags, LOC_NONE,
      "no kernel of the file is fully specified; give types and constexprs with --signature and -D");
  for (uint32_t i = 0; i < count; i++)
    diag_note(&c->diags, error, kernels[i].loc, "kernel '%s' is declared here", kernels[i].name);
  return TILEC_ERROR_COMPILE;
}

static tilec_status elaborate_kernels(Compilation *c, const Spec *spec) {
  return c->is_tir || spec->kernel ? compile_elaborate(c, spec) : elaborate_entries(c, spec);
}

static tilec_status compile_ir(const Options *o, Compilation *c) {
  Spec spec;
  tilec_status status = tool_spec(o, c, &spec);
  if (status == TILEC_OK) status = elaborate_kernels(c, &spec);
  if (status != TILEC_OK) return status;
  PassReport report;
  PassRunOptions passes = tool_passes(o, &report);
  status = compile_passes(c, &passes);
  tool_passes_end(&report);
  return status;
}

static void report_times(const CodegenTimes *times) {
  fprintf(stderr, "%10.3f ms  codegen\n%10.3f ms  LLVM's passes\n%10.3f ms  LLVM's code generation\n",
          times->emit * 1e3, times->optimise * 1e3, times->print * 1e3);
}

static tilec_status assemble(Compilation *c, void *data) {
  Buf *out = data;
  if (cubin_assemble(buf_view(&c->code.ptx), &c->code.target, out) == TILEC_OK) return TILEC_OK;
  diag_error(&c->diags, c->module->funcs.at[0]->loc, "%s", tilec_last_error());
  return TILEC_ERROR_COMPILE;
}

static tilec_status emit_code(const Options *o, Compilation *c, Buf *out) {
  CodegenOptions options = {.emit_llvm = o->emit == EMIT_LLVM, .emit_ptx = o->emit != EMIT_LLVM};
  tilec_status status = compile_codegen(c, &options);
  if (status != TILEC_OK) return status;
  if (o->time_passes) report_times(&c->code.times);
  if (o->emit == EMIT_META) return compile_meta(c, out);
  if (o->emit == EMIT_CUBIN) return compile_guard(c, assemble, out);
  buf_str(out, buf_view(o->emit == EMIT_LLVM ? &c->code.llvm : &c->code.ptx));
  return TILEC_OK;
}

static tilec_status print_kind(const Options *o, Compilation *c, Str text, Buf *out) {
  tilec_status status = tool_parse(c, o->file, text);
  if (o->emit == EMIT_TOKENS || o->emit == EMIT_AST) {
    if (c->is_tir) {
      diag_error(&c->diags, LOC_NONE, "tile IR text has no tokens or tree to show");
      return TILEC_ERROR_COMPILE;
    }
    if (o->emit == EMIT_TOKENS) {
      Diags again = {.arena = &c->arena, .sources = &c->sources}; // the parser has reported the same errors
      syntax_dump_tokens(&c->arena, &again, &c->sources, c->file, out);
    } else if (status == TILEC_OK)
      syntax_dump_ast(c->syntax, out);
    return status;
  }
  if (status == TILEC_OK) status = compile_ir(o, c);
  if (status != TILEC_OK) return status;
  if (o->emit != EMIT_TIR) return emit_code(o, c, out);
  module_print(c->module, NULL, out);
  return TILEC_OK;
}

// As make reads file names.
static void print_file_name(const char *name, Buf *out) {
  for (; *name; name++) {
    if (*name == '$') buf_char(out, '$');
    if (*name == ' ' || *name == '#') buf_char(out, '\\');
    buf_char(out, *name);
  }
}

// OUTPUT's name, or FILE's where that is standard output, with .d as suffix. NULL: none is asked for.
static const char *dependencies_path(const Options *o, const char *output, Arena *arena) {
  if (!o->dependencies || strcmp(o->file, "-") == 0) return NULL;
  const char *base = strcmp(output, "-") == 0 ? o->file : output, *slash = strrchr(base, '/');
  const char *dot = strrchr(slash ? slash + 1 : base, '.');
  size_t stem = dot ? (size_t)(dot - base) : strlen(base);
  return arena_printf(arena, "%.*s.d", (int)stem, base);
}

// "OUTPUT: FILE IMPORTED..."
static bool write_dependencies(const Compilation *c, const char *output, const char *path) {
  Buf rule = {0};
  print_file_name(output, &rule);
  buf_char(&rule, ':');
  for (uint32_t i = 0; i < c->sources.files.n; i++) {
    if (c->sources.files.at[i].name[0] == '<') continue; // not a file: <signature>, <stdin>
    buf_char(&rule, ' ');
    print_file_name(c->sources.files.at[i].name, &rule);
  }
  buf_char(&rule, '\n');
  bool good = tool_write(path, buf_view(&rule));
  buf_free(&rule);
  return good;
}

static bool write_outputs(const Options *o, const Compilation *c, Str text, Arena *arena) {
  const char *path = o->output ? o->output : default_output(o, arena);
  const char *rule = dependencies_path(o, path, arena), *outputs[] = {path, rule};
  return files_apart(arena, o, c, outputs, rule ? 2 : 1) && tool_write(path, text) &&
         (!rule || write_dependencies(c, path, rule));
}

ExitStatus command_compile(const Options *options, Arena *arena) {
  Str text;
  if (!tool_read(arena, options->file, &text)) return EXIT_DIAGNOSED;
  Compilation c;
  compilation_init(&c);
  Buf out = {0};
  tilec_status status = print_kind(options, &c, text, &out);
  ExitStatus result = tool_report(options, &c, status);
  if (result == EXIT_DONE && !write_outputs(options, &c, buf_view(&out), arena)) result = EXIT_DIAGNOSED;
  buf_free(&out);
  compilation_free(&c);
  return result;
}
