// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec compile: writes source, tile IR, LLVM IR, PTX or meta data of one file.
#include "tools/tool.h"

#include <stdio.h>

#include "aot/aot.h"
#include "frontend/syntax/syntax.h"
#include "ir/text/print.h"
#include "runtime/compile/assemble.h"
#include "runtime/compile/spills.h"
#include "runtime/launch/tuned.h"

static const char *const suffixes[] = {".tokens", ".ast",  ".tir", ".ll", ".ptx",   ".json",
                                       ".cubin",  ".sass", ".h",   ".o",  "_trt.py"};

// The file's name without its folder, with the kind's suffix. Standard output if the input is standard input,
// or for the output of --run-pass and --stop-after.
const char *tool_default_output(const Options *o, Arena *arena) {
  if (strcmp(o->file, "-") == 0 || ((o->run_passes_given || o->stop_after) && o->emit == EMIT_TIR))
    return "-";
  const char *slash = strrchr(o->file, '/'), *name = slash ? slash + 1 : o->file, *dot = strrchr(name, '.');
  size_t stem = dot && dot != name ? (size_t)(dot - name) : strlen(name);
  return arena_printf(arena, "%.*s%s", (int)stem, name, suffixes[o->emit]);
}

// Elaborates all fully specified entries into one module.
static tilec_status elaborate_kernels(const Options *o, Compilation *c, const Spec *spec) {
  SpecList list = {0};
  tilec_status status = tool_entries(o, c, spec, &list);
  for (uint32_t i = 0; status == TILEC_OK && i < list.n; i++) {
    status = tuned_take(c, NULL, &list.at[i]);
    if (status == TILEC_OK) status = compile_elaborate(c, &list.at[i]);
    if (status == TILEC_ERROR_COMPILE) tool_ask_types(o, c, &list.at[i]);
  }
  return status;
}

static tilec_status compile_ir(const Options *o, Compilation *c) {
  Spec spec;
  tilec_status status = tool_spec(o, c, &spec);
  if (status == TILEC_OK) status = elaborate_kernels(o, c, &spec);
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
  if (cubin_assemble(buf_view(&c->code.ptx), &c->code.target, out) == TILEC_OK) {
    for (uint32_t i = 0; i < c->code.kernel_count; i++) {
      const char *kernel = c->code.kernels[i].name;
      spills_warn(&c->diags, c->module->funcs.at[i], kernel, cubin_local_bytes(buf_view(out), kernel));
    }
    return TILEC_OK;
  }
  diag_error(&c->diags, c->module->funcs.at[0]->loc, "[T1007] %s", tilec_last_error());
  return TILEC_ERROR_COMPILE;
}

static tilec_status assemble_to_text(Compilation *c, void *data) {
  Buf cubin = {0};
  tilec_status status = assemble(c, &cubin);
  if (status == TILEC_OK) {
    status = cubin_disassemble(buf_view(&cubin), data);
    if (status != TILEC_OK) {
      diag_error(&c->diags, LOC_NONE, "[T1007] %s", tilec_last_error());
      status = TILEC_ERROR_COMPILE;
    }
  }
  buf_free(&cubin);
  return status;
}

static tilec_status emit_code(const Options *o, Compilation *c, Buf *out) {
  CodegenOptions options = {.emit_llvm = o->emit == EMIT_LLVM, .emit_ptx = o->emit != EMIT_LLVM};
  tilec_status status = compile_codegen(c, &options);
  if (status != TILEC_OK) return status;
  if (o->time_passes) report_times(&c->code.times);
  if (o->emit == EMIT_META) return compile_meta(c, true, out);
  if (o->emit == EMIT_TENSORRT) return compile_guard(c, aot_tensorrt, out);
  if (o->emit == EMIT_CUBIN) return compile_guard(c, assemble, out);
  if (o->emit == EMIT_SASS) return compile_guard(c, assemble_to_text, out);
  buf_str(out, buf_view(o->emit == EMIT_LLVM ? &c->code.llvm : &c->code.ptx));
  return TILEC_OK;
}

static tilec_status print_kind(const Options *o, Compilation *c, Str text, Buf *out) {
  tilec_status status = tool_parse(c, o->file, text);
  if (o->emit == EMIT_TOKENS || o->emit == EMIT_AST) {
    if (c->is_tir) {
      diag_error(&c->diags, LOC_NONE, "[T1006] tile IR text has no tokens or tree to show");
      return TILEC_ERROR_COMPILE;
    }
    if (o->emit == EMIT_TOKENS) {
      Diags again = {.arena = &c->arena, .sources = &c->sources}; // the parser has reported the same errors
      syntax_dump_tokens(&c->arena, &again, &c->sources, c->file, out);
    } else {
      for (uint32_t i = 0; c->syntax && i < c->syntax->functions.n; i++)
        if (syntax_tell_errors(&c->diags, c->syntax->functions.at[i])) status = TILEC_ERROR_COMPILE;
      if (status == TILEC_OK) syntax_dump_ast(c->syntax, out);
    }
    return status;
  }
  if (status == TILEC_OK) status = compile_ir(o, c);
  if (status != TILEC_OK) return status;
  if (o->emit != EMIT_TIR) return emit_code(o, c, out);
  module_print(c->module, &(PrintOptions){.no_locs = o->no_locations}, out);
  return TILEC_OK;
}

static bool write_outputs(const Options *o, const Compilation *c, Str text, Arena *arena) {
  const char *path = o->output ? o->output : tool_default_output(o, arena);
  const char *rule = tool_dependencies_path(o, path, arena), *outputs[] = {path, rule};
  return files_apart(arena, o, c, outputs, rule ? 2 : 1) && tool_write(path, text) &&
         (!rule || tool_write_dependencies(c, &path, 1, rule));
}

ExitStatus command_compile(const Options *options, Arena *arena) {
  Str text;
  if (!tool_read(arena, options->file, &text)) return EXIT_DIAGNOSED;
  if (options->emit == EMIT_HEADER || options->emit == EMIT_OBJECT) return command_aot(options, text, arena);
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
