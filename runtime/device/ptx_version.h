// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX for an assembler that is older than its `.version`.
#ifndef RUNTIME_DEVICE_PTX_VERSION_H
#define RUNTIME_DEVICE_PTX_VERSION_H

#include "base/buf.h"
#include "base/str.h"

// A kernel with inline assembly says the newest version that the compiler knows, as nobody knows what the text
// needs. Where `log` is an assembler's complaint that this is too new, adds the PTX with the assembler's own
// version to `lowered`. False: the log says something else, or the PTX has no assembly.
bool ptx_lower_version(Str ptx, const char *log, Buf *lowered);

#endif
