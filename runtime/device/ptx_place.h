// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locations of compiled PTX in the kernel's source, for what the simulator does not load.
#ifndef RUNTIME_DEVICE_PTX_PLACE_H
#define RUNTIME_DEVICE_PTX_PLACE_H

#include "base/diag.h"

// Reports an instruction of compiled PTX that the simulator does not know, at its source. Only the user's inline
// assembly can be the cause. `message` is the simulator's. Returns false, without a report, if there is no location.
bool ptx_refuse(Diags *diags, Str ptx, const char *message, uint32_t line, uint32_t column);

#endif
