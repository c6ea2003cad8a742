// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of C++ that PTX has in mangled form, as the source writes them.
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

// Adds a variable's or function's name: "app::table", "total::parts" for a function's variable, "norm". Types of
// parameters, template arguments and names of anonymous namespaces are left out. Operators, and names that are not
// mangled, are added as they are.
void demangle(Str name, Buf *out);
const char *demangled(Arena *arena, Str name); // a copy
// Adds the template arguments of a mangled name: "<float, 128>". False, and nothing is added, if it has none.
bool demangle_arguments(Str name, Buf *out);

#endif
