// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modelled GPU's figures as CHIP_* constants. sim/machine/chip.def describes each.
#ifndef SIM_MACHINE_CHIP_H
#define SIM_MACHINE_CHIP_H

enum {
#define FIGURE(name, value, meaning) CHIP_##name = value,
#include "sim/machine/chip.def"
#undef FIGURE
};

#endif
