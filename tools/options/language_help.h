// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of the language (frontend/builtins/reference), which the command carries.
#ifndef TOOLS_OPTIONS_LANGUAGE_HELP_H
#define TOOLS_OPTIONS_LANGUAGE_HELP_H

#include "base/arena.h"
#include "base/buf.h"

// True if `word` names an entry: "tl.load", "load", "tensor.sum", "libdevice.acos", "tl.math.exp"; or if it is
// "language", or an operator, such as "%".
bool language_has(const char *word);
// The replacement for a name that the language lacks: "tl.sum(x, axis=...) / n" for "tl.mean". NULL: none.
const char *language_advice(const char *word);

// The names of all entries. With `full` as "tl.load", else as "load".
const char *const *language_names(Arena *arena, bool full, size_t *count);

// Prints all entries that `word` names; for "language" the names of all functions. Lines are at most
// HELP_COLUMNS wide, apart from examples.
void language_print_help(const char *word, bool colors, Buf *out);

#endif
