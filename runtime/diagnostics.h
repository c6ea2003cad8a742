// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics as the public header has them: a list that outlives the compilation.
#ifndef RUNTIME_DIAGNOSTICS_H
#define RUNTIME_DIAGNOSTICS_H

#include "base/diag.h"
#include "runtime/tilec.h"

// One malloc: what the items point to follows them.
struct tilec_diagnostics {
  size_t count;
  tilec_diagnostic items[];
};

// Each with its notes after it. NULL: no memory. To be freed with free.
tilec_diagnostics *diagnostics_of(const Diags *diags, bool remarks);
// One error without a place.
tilec_diagnostics *diagnostics_of_text(const char *text);

// Gives the options' log, where they have one, what a compilation has to say.
void diagnostics_log(const tilec_compile_options *options, const Diags *diags);

#endif
