// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile IR as text. ir/text/parse.h reads it back to the identical module: print(parse(print(m))) == print(m).
// docs/tir.md has the grammar.
#ifndef IR_TEXT_PRINT_H
#define IR_TEXT_PRINT_H

#include "ir/ir.h"

typedef struct PrintOptions {
  bool no_locs; // Leaves the locations out (golden files).
  Buf *files; // Numbers files in locations by first appearance, except <...>. Gets their names, one per line.
  bool no_bodies; // Each kernel's body is only `return`: for its parameters and host regions.
  bool only_code; // Leaves out what the code does not depend on: grids, and fp32_dot, which each dot has.
} PrintOptions;

// Numbers every function (func_number), then prints. options may be NULL.
void module_print(IrModule *module, const PrintOptions *options, Buf *out);
void host_print(Func *func, const HostRegion *host, Buf *out); // the region's ops, without locations

// The word before region `index` of an op: "do", "then", "else", "test".
const char *region_word(OpKind kind, uint32_t index);

#endif
