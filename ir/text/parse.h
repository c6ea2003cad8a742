// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads tile IR's text form.
#ifndef IR_TEXT_PARSE_H
#define IR_TEXT_PARSE_H

#include "ir/ir.h"

// Parses file `file` of ir->sources, which may contain any bytes. Also verifies the module
// (ir/verify/verify.h): a returned module is valid. Returns NULL on a syntax or verifier error, with located
// errors in ir->diags.
IrModule *module_parse(IrContext *ir, uint16_t file);

#endif
