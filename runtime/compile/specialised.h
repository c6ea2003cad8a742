// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an entry of a bundle was compiled for, as text: for lists, and for the message about a missing entry.
#ifndef RUNTIME_COMPILE_SPECIALISED_H
#define RUNTIME_COMPILE_SPECIALISED_H

#include "runtime/cache/cache.h"
#include "runtime/compile/compile.h"

enum { SPECIALISED_PARTS = 3 };
// The fields of an entry that have it. In each a tab follows every item:
// facts "x=*fp32:16", constexprs "BLOCK=64", options "sm_90a".
extern const char *const specialised_fields[SPECIALISED_PARTS];

typedef struct Specialised {
  Buf parts[SPECIALISED_PARTS];
} Specialised;

// Call before the passes: they change parameters and options.
void specialised_of(const Compilation *c, Specialised *s);
void specialised_free(Specialised *s);
// Appends the fields, each after a newline.
void specialised_put(const Specialised *s, Buf *fields);
// "x=*fp32:16,n=i32 BLOCK=64, sm_90a, 4 warps, 3 stages", as --signature and -D take the first two.
void specialised_show(const Specialised *s, Buf *out);
// Takes the next item of a part. False: there is none.
bool specialised_next(Str *part, Str *item);
// For a kernel without an entry for `s` in the process's bundle: how the most similar one differs.
void specialised_nearest(const Specialised *s, const char *kernel, Buf *out);

#endif
