// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles elaborated tile IR to PTX, with the cache on disk.
#ifndef RUNTIME_COMPILE_COMPILE_PTX_H
#define RUNTIME_COMPILE_COMPILE_PTX_H

#include "runtime/compile/compile.h"

typedef struct PtxOptions {
  bool fresh; // do not use the cache: the user wants to see the compiler at work
  bool told;  // the diagnostics are reported: problems of the cache become warnings
} PtxOptions;

// Call after compile_elaborate of one kernel. Sets c->code as compile_passes and compile_codegen do. On a
// cache hit neither runs, and no code of LLVM: the module stays as elaborated. A compile with warnings is not
// cached, so that they appear each time.
//
// With TILEC_JIT=forbid a compile is an error, which names the kernel and its specialisation.
tilec_status compile_ptx(Compilation *c, const PtxOptions *options);

// The same for tilec_compile, with LLVM IR, and with a bundle instead of the cache. *bundled: from a bundle. Then
// there is neither LLVM IR nor the tile IR after the passes.
tilec_status compile_outputs(Compilation *c, bool *bundled);

#endif
