// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX to the GPU's own code.
#ifndef RUNTIME_CUBIN_H
#define RUNTIME_CUBIN_H

#include "base/buf.h"
#include "base/str.h"
#include "ir/ir.h"
#include "runtime/tilec.h"

// Adds the cubin of `ptx` (NUL-terminated) to `cubin`: by ptxas where it is on PATH, else by the driver of a
// GPU of that architecture. TILEC_ERROR_NOT_SUPPORTED where there is neither, or the assembler refuses; the
// last error says why.
tilec_status cubin_assemble(Str ptx, const Target *target, Buf *cubin);

#endif
