// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles tile IR to LLVM IR and PTX. Every tile must have its layout. Codegen makes no choices: layouts,
// vector widths and shared memory are in the IR. LLVM is used through its C API only, with one context for
// each compilation.
#ifndef CODEGEN_CODEGEN_H
#define CODEGEN_CODEGEN_H

#include "ir/ir.h"

typedef struct CodegenOptions {
  bool emit_llvm; // llvm gets the optimised LLVM IR
  bool emit_ptx;
  bool timeline; // the code records when warps do what (timeline_record.h)
} CodegenOptions;

typedef struct KernelMeta {
  const char *name;
  uint32_t threads;      // in a CTA: 32 * num_warps
  uint32_t shared_bytes; // dynamic shared memory
  uint32_t static_bytes; // the other shared memory
  uint16_t ptx_version;  // 10 * major + minor, as emitted
} KernelMeta;

// Seconds of wall time.
typedef struct CodegenTimes {
  double emit;     // LLVM IR from tile IR, libclc linked
  double optimise; // LLVM's passes over the IR
  double print;    // instruction selection up to PTX text
} CodegenTimes;

typedef struct CodegenResult {
  Buf llvm, ptx;       // the caller frees them with buf_free
  KernelMeta *kernels; // one for each function, in the module's arena
  uint32_t kernel_count;
  Target target; // as emitted: it keeps the `a` suffix only if an arch-specific instruction was emitted
  CodegenTimes times;
} CodegenResult;

// Returns false with located errors in diags if an op cannot be compiled. An error that LLVM reports is a
// fault (BUG), and the LLVM context is abandoned.
bool codegen_module(IrModule *module, Diags *diags, const CodegenOptions *options, CodegenResult *result);

// "22.1.8"
const char *codegen_llvm_version(void);

#endif
