// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads tile IR's text form.
#ifndef IR_TEXT_PARSE_H
#define IR_TEXT_PARSE_H

#include "ir/ir.h"

// Parses file `file` of ir->sources. NULL where it is not well formed, with located errors in ir->diags; any
// bytes may come. The module is verified (ir/verify/verify.h) too: what is returned is valid.
IrModule *module_parse(IrContext *ir, uint16_t file);

#endif
