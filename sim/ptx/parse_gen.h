// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares functions that Lemon generates from ptx_parse.y. Lemon puts them in no header.
#ifndef SIM_PTX_PARSE_GEN_H
#define SIM_PTX_PARSE_GEN_H

#include <stddef.h>
#include "sim/ptx/ptx_tree.h"

void *PtxParseAlloc(void *(*allocate)(size_t), PtxParser *parser);
void PtxParse(void *machine, int kind, PtxToken token);
void PtxParseFree(void *machine, void (*release)(void *));

#endif
