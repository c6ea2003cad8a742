// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuning constants, TUNE_*. target/tuning.def gives each one's unit, purpose and measurement.
#ifndef TARGET_TUNING_H
#define TARGET_TUNING_H

enum {
#define X(name, value, unit, what, measured) TUNE_##name = (value),
#include "target/tuning.def"
#undef X
};

#endif
