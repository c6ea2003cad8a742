// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modelled GPU's figures as CHIP_* constants: sim/chip.def says what each is.
#ifndef SIM_CHIP_H
#define SIM_CHIP_H

enum {
#define FIGURE(name, value, meaning) CHIP_##name = value,
#include "sim/chip.def"
#undef FIGURE
};

#endif
