// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last error of each thread, and the fault frame of library entries.
#ifndef RUNTIME_ERROR_H
#define RUNTIME_ERROR_H

#include "base/diag.h"
#include "base/fault.h"
#include "runtime/tilec.h"

// Keeps the message for tilec_last_error, cut at 16 KiB. Returns `status`.
tilec_status error_set(tilec_status status, const char *format, ...) FAULT_PRINTF(2, 3);
void error_clear(void);
// Reports that argument `name` of `function` is NULL.
tilec_status null_argument(const char *function, const char *name);
tilec_status error_options(const char *initialiser, size_t size); // of a struct of options

// Runs body(data) in a fault frame. A fault becomes TILEC_ERROR_OUT_OF_MEMORY or TILEC_ERROR_INTERNAL, with
// its message as the last error. Objects that body made before the fault must be reachable from data, so that
// the caller can free them.
tilec_status error_guard(tilec_status (*body)(void *data), void *data);

// Sets the last error from the diagnostics. Returns `status`, usually TILEC_ERROR_COMPILE. May fault.
tilec_status error_diags(tilec_status status, const Diags *diags);

#endif
