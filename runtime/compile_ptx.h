// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From elaborated tile IR to PTX, by way of the cache on disk.
#ifndef RUNTIME_COMPILE_PTX_H
#define RUNTIME_COMPILE_PTX_H

#include "runtime/compile.h"

// After compile_elaborate of one kernel: c->code is as compile_passes and compile_codegen make it. Where the cache
// had it, neither has run, nor anything of LLVM: the module is as elaborated. What says a warning is not kept, so
// that it is said each time. fresh: the cache is left
// alone, for who wants to see what the compiler did.
tilec_status compile_ptx(Compilation *c, bool fresh);

#endif
