// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX for an assembler that is older than the PTX's `.version`.
#ifndef RUNTIME_DEVICE_PTX_VERSION_H
#define RUNTIME_DEVICE_PTX_VERSION_H

#include "base/buf.h"
#include "base/str.h"

// A kernel with inline assembly states the newest version that the compiler knows, because the needs of the
// assembly are unknown. If `log` says that this version is too new, adds the PTX with the assembler's own
// version to `lowered`. False: the log has another error, or the PTX has no inline assembly.
bool ptx_lower_version(Str ptx, const char *log, Buf *lowered);

#endif
