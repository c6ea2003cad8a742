// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tuning lock: choices of configurations in a text file, to review and to check in (docs/tune.md).
//
// $TILEC_LOCK names the file that a process reads, once. Its first line is "tilec-lock 1". Lines that begin with #
// are comments. An entry has these lines, and an empty one ends it:
//
// ```
//   launch KERNEL ARCH NAME=TYPE [...] GIVEN=VALUE [...]
//   values NAME=VALUE...     of the parameters in the key of @autotune
//   text HASH                of the kernel's file, 16 digits
//   reason TEXT              for people
//   define NAME=VALUE        the choice: constexprs,
//   option NAME=VALUE        and code options
// ```
#ifndef RUNTIME_LAUNCH_LOCK_H
#define RUNTIME_LAUNCH_LOCK_H

#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"

typedef struct LockEntry {
  Str launch, values, text, reason;
  Str settings; // the lines of the choice
  uint32_t line;
} LockEntry;

// The problem of the file, with its line. NULL: none, or no file. Then nothing is found.
const char *lock_problem(void);
bool lock_is_used(void);
const char *lock_path(void);

// The entry for this launch, in the file of $TILEC_LOCK. values NULL: the first one for any values. NULL: none.
const LockEntry *lock_find(Str launch, const Str *values);
// True if an entry begins with `launch KERNEL ARCH `.
bool lock_has(Str kernel, Str arch);

// Adds the entry to the file, or replaces the one for the same launch and values. Entries are sorted. Comments at
// the head stay. False, with the reason in `error`.
bool lock_write(const char *path, const LockEntry *entry, Buf *error);

#endif
