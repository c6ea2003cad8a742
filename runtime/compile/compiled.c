// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that was compiled without a device, and its outputs.
#include <stdlib.h>

#include "ir/text/print.h"
#include "runtime/compile/assemble.h"
#include "runtime/compile/compile_ptx.h"
#include "runtime/diagnostics.h"
#include "runtime/error.h"
#include "runtime/compile/program.h"

struct tilec_compiled {
  Compilation c;
  Buf tir, meta, launch, log, cubin; // meta, launch and cubin: made at the first request
  tilec_diagnostics *diagnostics;
  bool bundled; // from a bundle, which has only PTX and what a launch needs
};

void tilec_compiled_free(tilec_compiled *compiled) {
  if (!compiled) return;
  compilation_free(&compiled->c);
  buf_free(&compiled->tir);
  buf_free(&compiled->meta);
  buf_free(&compiled->launch);
  buf_free(&compiled->log);
  buf_free(&compiled->cubin);
  free(compiled->diagnostics);
  free(compiled);
}

typedef struct OutputRequest {
  tilec_compiled *compiled;
  bool remarks;
} OutputRequest;

static tilec_status print_outputs(Compilation *c, void *data) {
  const OutputRequest *request = data;
  static const char none[] = "the kernel is from a bundle (TILEC_BUNDLE), which does not have this text\n";
  if (request->compiled->bundled) {
    buf_printf(&request->compiled->tir, "// %s", none);
    buf_printf(&c->code.llvm, "; %s", none);
  } else {
    module_print(c->module, NULL, &request->compiled->tir);
  }
  diags_print_text(&c->diags, request->remarks, &request->compiled->log);
  request->compiled->diagnostics = diagnostics_of(&c->diags, request->remarks);
  if (!request->compiled->diagnostics) fault_raise(FAULT_MEMORY, "out of memory (diagnostics)");
  return TILEC_OK;
}

static tilec_status compile_steps(tilec_compiled *compiled, const tilec_compile_options *options) {
  Compilation *c = &compiled->c;
  Spec spec;
  tilec_status status = options_spec(c, options, NULL, &spec);
  if (status) return status;
  c->launched = options->tma == TILEC_TMA_LAUNCHED;
  status = compile_elaborate(c, &spec);
  if (!status) status = compile_outputs(c, &compiled->bundled);
  if (!status) status = compile_guard(c, print_outputs, &(OutputRequest){compiled, options->remarks != 0});
  return status ? compilation_error(c, status) : TILEC_OK;
}

tilec_status tilec_compile(tilec_program *program, const tilec_compile_options *options,
                           tilec_compiled **compiled) {
  if (!program || !compiled)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "tilec_compile: %s is NULL",
                     program ? "compiled" : "program");
  *compiled = NULL;
  tilec_compile_options checked;
  tilec_status status = options_check(options, &checked);
  if (status) return status;
  tilec_compiled *result = calloc(1, sizeof *result);
  if (!result) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a compilation)");
  status = program_parse(program, &result->c);
  if (!status) status = compile_steps(result, &checked);
  diagnostics_log(&checked, &result->c.diags);
  if (status)
    tilec_compiled_free(result);
  else
    *compiled = result;
  return status;
}

static tilec_status make_cubin(void *data) {
  tilec_compiled *compiled = data;
  const CodegenResult *code = &compiled->c.code;
  if (compiled->cubin.n) return TILEC_OK;
  return cubin_assemble(buf_view(&code->ptx), &code->target, &compiled->cubin);
}

typedef struct MetaRequest {
  Compilation *c;
  Buf *out;
  bool usage;
} MetaRequest;

static tilec_status print_meta(void *data) {
  const MetaRequest *request = data;
  if (request->out->n) return TILEC_OK;
  tilec_status status = compile_meta(request->c, request->usage, request->out);
  return status ? compilation_error(request->c, status) : TILEC_OK;
}

// Makes an output that the compile did not make.
static tilec_status make_output(tilec_compiled *compiled, tilec_output output) {
  MetaRequest meta = {&compiled->c, &compiled->meta, true}, launch = {&compiled->c, &compiled->launch, false};
  if (output == TILEC_OUTPUT_CUBIN) return error_guard(make_cubin, compiled);
  if (output == TILEC_OUTPUT_META) return error_guard(print_meta, &meta);
  if (output == TILEC_OUTPUT_LAUNCH) return error_guard(print_meta, &launch);
  return TILEC_OK;
}

tilec_status tilec_compiled_output(tilec_compiled *compiled, tilec_output output, const char **text,
                                   size_t *bytes) {
  if (!compiled || !text)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "tilec_compiled_output: %s is NULL",
                     compiled ? "text" : "compiled");
  const Buf *buf = NULL;
  tilec_status status = make_output(compiled, output);
  if (status) return status;
  switch (output) {
  case TILEC_OUTPUT_PTX: buf = &compiled->c.code.ptx; break;
  case TILEC_OUTPUT_TIR: buf = &compiled->tir; break;
  case TILEC_OUTPUT_LLVM: buf = &compiled->c.code.llvm; break;
  case TILEC_OUTPUT_META: buf = &compiled->meta; break;
  case TILEC_OUTPUT_CUBIN: buf = &compiled->cubin; break;
  case TILEC_OUTPUT_LAUNCH: buf = &compiled->launch; break;
  }
  if (!buf) return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%d is not a tilec_output", (int)output);
  *text = buf_view(buf).at;
  if (bytes) *bytes = buf->n;
  return TILEC_OK;
}

const char *tilec_compiled_log(const tilec_compiled *compiled) {
  return compiled ? buf_view(&compiled->log).at : "";
}

const tilec_diagnostics *tilec_compiled_diagnostics(const tilec_compiled *compiled) {
  return compiled ? compiled->diagnostics : NULL;
}
