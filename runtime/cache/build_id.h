// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The build ids that linkers write: which build of a program or library some code is of.
#ifndef RUNTIME_CACHE_BUILD_ID_H
#define RUNTIME_CACHE_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

enum { BUILD_ID_MOST = 64 };

typedef struct BuildId {
  unsigned char bytes[BUILD_ID_MOST];
  size_t n;        // 0: the file has none
  char file[4096]; // the library's file, with no links on the way to it; "" for the program itself
} BuildId;

// Of the program or library that `place`, code or data, is in. False where it is in none.
bool build_id_of(const void *place, BuildId *id);

#endif
