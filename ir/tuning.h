// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuning constants, TUNE_*: ir/tuning.def says of each its unit, what it decides and what was measured.
#ifndef IR_TUNING_H
#define IR_TUNING_H

enum {
#define X(name, value, unit, what, measured) TUNE_##name = (value),
#include "ir/tuning.def"
#undef X
};

#endif
