// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Build ids, which linkers write. They identify the build of a program or library.
#ifndef RUNTIME_CACHE_BUILD_ID_H
#define RUNTIME_CACHE_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

enum { BUILD_ID_MOST = 64 };

typedef struct BuildId {
  unsigned char bytes[BUILD_ID_MOST];
  size_t n;        // 0: the file has none
  char file[4096]; // the library's file, with all links resolved; "" for the program itself
} BuildId;

// The build id of the program or library that contains `place` (code or data). False if none does.
bool build_id_of(const void *place, BuildId *id);

#endif
