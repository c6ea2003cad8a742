// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of tile IR.
#ifndef IR_VERIFY_VERIFY_H
#define IR_VERIFY_VERIFY_H

#include "ir/ir.h"

// True where the module keeps every rule; else one error a broken rule
// in diags, each naming the rule and the op, at the op's location.
bool module_verify(IrModule *module, Diags *diags);

#endif
