// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of tile IR.
#ifndef IR_VERIFY_VERIFY_H
#define IR_VERIFY_VERIFY_H

#include "ir/ir.h"

// Returns true if the module obeys every rule. Otherwise reports one error per broken rule, with the rule and
// the op, at the op's location.
bool module_verify(IrModule *module, Diags *diags);

#endif
