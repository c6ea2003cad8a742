// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuning constants, TUNE_*: target/tuning.def says of each its unit, what it decides and what was measured.
#ifndef TARGET_TUNING_H
#define TARGET_TUNING_H

enum {
#define X(name, value, unit, what, measured) TUNE_##name = (value),
#include "target/tuning.def"
#undef X
};

#endif
