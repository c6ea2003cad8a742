// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place where frontend, passes and codegen meet. A Compilation owns everything one compiler run
// makes, and its entry points keep the fault frame: a fault becomes TILEC_ERROR_INTERNAL or
// TILEC_ERROR_OUT_OF_MEMORY, never a crash.
#ifndef RUNTIME_COMPILE_H
#define RUNTIME_COMPILE_H

#include "codegen/codegen.h"
#include "frontend/frontend.h"
#include "ir/ir.h"
#include "passes/passes.h"
#include "runtime/tilec.h"

typedef struct Compilation {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
  uint16_t file; // the main file, index into sources
  bool is_tir;   // .tir text: `module` comes from it, there is no syntax tree
  const Module *syntax;
  IrModule *module;   // after compile_elaborate
  CodegenResult code; // after compile_codegen
  char fault[1024];   // what a fault said; "" else
} Compilation;

// Ready for sources; name's suffix tells the language. compilation_free releases all, also after a fault.
void compilation_init(Compilation *c);
void compilation_free(Compilation *c);

// Each returns TILEC_OK, TILEC_ERROR_COMPILE (diags has errors), TILEC_ERROR_OUT_OF_MEMORY or
// TILEC_ERROR_INTERNAL (c->fault says what). Parses the text; located errors go to diags.
tilec_status compile_parse(Compilation *c, const char *name, Str text);
// Parses a --signature list and -D definitions into `spec` (they add to it).
tilec_status compile_signature(Compilation *c, const char *signature, Spec *spec);
tilec_status compile_define(Compilation *c, const char *define, Spec *spec);
// Elaborates the kernel that spec names into a fresh c->module (of a .tir file: takes its module, and target
// options that were given).
tilec_status compile_elaborate(Compilation *c, const Spec *spec);
tilec_status compile_passes(Compilation *c, const PipelineOptions *options);
tilec_status compile_codegen(Compilation *c, const CodegenOptions *options);
// One JSON object (docs: README, --emit=meta). After compile_codegen.
tilec_status compile_meta(Compilation *c, Buf *out);

#endif
