// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last error of each thread.
#ifndef RUNTIME_ERROR_H
#define RUNTIME_ERROR_H

#include "base/diag.h"
#include "base/fault.h"
#include "runtime/tilec.h"

// Keeps the message (cut where it is longer than 16 KiB) for tilec_last_error, and returns `status`.
tilec_status error_set(tilec_status status, const char *format, ...) FAULT_PRINTF(2, 3);
tilec_status error_text(tilec_status status, Str text);
// What a fault amounts to: FAULT_MEMORY is TILEC_ERROR_OUT_OF_MEMORY, FAULT_BUG TILEC_ERROR_INTERNAL.
tilec_status error_fault(const FaultFrame *frame);

#endif
