// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache's folder, for the runtime/cache/cache_*.c alone.
//
//   KEY       an entry, by the 64 hex digits of its key
//   tmp/      entries under way: each is locked (flock) while its process lives
//   size      how much the entries are together: numbers of 8 bytes to be added up, as each process appends
//             what it added. Never less than there is, but for what a process was killed before it told; made
//             true again when old entries are removed
#ifndef RUNTIME_CACHE_CACHE_FOLDER_H
#define RUNTIME_CACHE_CACHE_FOLDER_H

#include "runtime/cache/cache.h"

#define CACHE_TMP  "tmp"
#define CACHE_SIZE "size"

// What is said once each.
typedef enum CacheTrouble {
  CACHE_NO_FOLDER, // it cannot be made or opened
  CACHE_REFUSED,   // it is another user's, or open to others
  CACHE_NO_WRITE,  // nothing can be written to it
  CACHE_BROKEN,    // an entry that cannot be used
  CACHE_NO_BUILD,  // this build has no id
  CACHE_SETTING,   // a variable of the environment that is wrong
} CacheTrouble;

void cache_say(CacheTrouble trouble, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The folder, opened and found to be this user's own; -1 where there is none that can be used, said where it
// is no normal state of things, and with the reason in `why` where that is not NULL. make: where it is not
// there, make it.
int cache_open_folder(bool make, Buf *why);

// Reads an entry and verifies it. `reason` is set where it is not CACHE_GOOD, and `*missing` where it could
// not be read at all: it is gone, or memory has ended. use: its time of use is set to now.
CacheState cache_read(int folder, const char *name, bool use, CacheEntry *entry, const char **reason,
                      bool *missing);

typedef struct CacheFile {
  char name[DIGEST_HEX + 1];
  struct timespec used;
  uint64_t bytes;
} CacheFile;

// The entries' files, malloc'ed, in no order. False where memory ends or the folder cannot be read.
bool cache_scan(int folder, CacheFile **files, size_t *count);
bool cache_used_before(const struct timespec *a, const struct timespec *b);

// A new file in tmp/, for appending, locked: while the lock is held cache_clean leaves it alone. -1 with errno where
// there is none. `name`: its path in the folder.
enum { CACHE_TMP_ROOM = 128 };
int cache_open_temporary(int folder, char *name, size_t room);

// So many bytes more are in the folder: beyond the limit old entries go. No process waits for another; while one is at it the
// entries may be an eighth more.
void cache_grown(int folder, int64_t bytes);
// Removes what processes that are no more have left in tmp/.
void cache_clean(int folder);

#endif
