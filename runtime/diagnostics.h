// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics of the public header: a list that outlives the compilation.
#ifndef RUNTIME_DIAGNOSTICS_H
#define RUNTIME_DIAGNOSTICS_H

#include "base/diag.h"
#include "runtime/tilec.h"

// One malloc. The items' data follows them.
struct tilec_diagnostics {
  size_t count;
  tilec_diagnostic items[];
};

// Each diagnostic, followed by its notes. NULL: out of memory. Free it with free.
tilec_diagnostics *diagnostics_of(const Diags *diags, bool remarks);
// One error without a location.
tilec_diagnostics *diagnostics_of_text(const char *text);

// Passes the compilation's diagnostics to the options' log, if there is one.
void diagnostics_log(const tilec_compile_options *options, const Diags *diags);

#endif
