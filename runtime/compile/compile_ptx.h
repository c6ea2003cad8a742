// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From elaborated tile IR to PTX, by way of the cache on disk.
#ifndef RUNTIME_COMPILE_COMPILE_PTX_H
#define RUNTIME_COMPILE_COMPILE_PTX_H

#include "runtime/compile/compile.h"

typedef struct PtxOptions {
  bool fresh; // the cache is left alone: somebody wants to see what the compiler does
  bool told;  // somebody hears the diagnostics: what keeps the cache from serving becomes a warning of them
} PtxOptions;

// After compile_elaborate of one kernel: c->code is as compile_passes and compile_codegen make it. Where the
// cache had it, neither has run, nor anything of LLVM: the module is as elaborated. What says a warning is
// not kept, so that it is said each time.
tilec_status compile_ptx(Compilation *c, const PtxOptions *options);

#endif
