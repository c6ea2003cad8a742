// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last error of each thread, and the frame in which library entries run.
#ifndef RUNTIME_ERROR_H
#define RUNTIME_ERROR_H

#include "base/diag.h"
#include "base/fault.h"
#include "runtime/tilec.h"

// Keeps the message (cut where it is longer than 16 KiB) for tilec_last_error, and returns `status`.
tilec_status error_set(tilec_status status, const char *format, ...) FAULT_PRINTF(2, 3);
tilec_status error_text(tilec_status status, Str text);
void error_clear(void);
// What `function` was given NULL for.
tilec_status null_argument(const char *function, const char *name);

// Runs body(data) in a fault frame: a fault becomes TILEC_ERROR_OUT_OF_MEMORY or
// TILEC_ERROR_INTERNAL, its message the last error. What body made before the fault must be reachable
// from data, for the caller to free.
tilec_status error_guard(tilec_status (*body)(void *data), void *data);

// The diagnostics as the last error, with TILEC_ERROR_COMPILE or whatever status is given. May fault.
tilec_status error_diags(tilec_status status, const Diags *diags);

#endif
