// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache's folder. Only the files runtime/cache/cache_*.c use this header.
//
// * KEY is an entry. Its name is the 64 hex digits of its key.
// * tmp/ has entries that are being written. Each is locked (flock) while its process lives.
// * `size` has the total size of the entries.
//
// The file `size` is a list of 8-byte numbers. Their sum is the total: each process appends the bytes that it
// added. The sum is never too small, unless a process was killed before it appended. Removing old entries
// corrects it.
#ifndef RUNTIME_CACHE_CACHE_FOLDER_H
#define RUNTIME_CACHE_CACHE_FOLDER_H

#include "runtime/cache/cache.h"

#define CACHE_TMP  "tmp"
#define CACHE_SIZE "size"

// Problems that are logged once each.
typedef enum CacheTrouble {
  CACHE_NO_FOLDER, // The folder cannot be created or opened.
  CACHE_REFUSED,   // It belongs to another user, or others can write to it.
  CACHE_NO_WRITE,  // It cannot be written.
  CACHE_NO_RECORD, // The folder of TILEC_RECORD cannot be written.
  CACHE_BROKEN,    // An entry is damaged.
  CACHE_NO_BUILD,  // This build has no id.
  CACHE_SETTING,   // An environment variable is invalid.
} CacheTrouble;

void cache_say(CacheTrouble trouble, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Opens the folder and checks that it belongs to this user. -1 if it cannot be used. The reason is logged,
// unless the state is a normal one, and put into `why`, if that is not NULL. make: creates the folder if it
// is missing.
int cache_open_folder(bool make, Buf *why);
// The same for another folder of entries, which messages call `what`.
int cache_open_folder_at(const char *what, const char *path, bool make, Buf *why);

// Checks the text of an entry's file. Returns the problem. NULL: it is good, and `entry` has a copy.
const char *cache_read_text(Str text, const char *name, CacheEntry *entry);
// Writes the file under another name first: a process that ends at any moment leaves the old one or the new one.
bool cache_write_file(const char *path, Str bytes, Buf *error);
void cache_hash_hex(const char *at, size_t n, char hex[DIGEST_HEX + 1]);
void cache_sources_hex(char hex[DIGEST_HEX + 1]); // the hash of tilec's sources, LLVM and libclc

// Reads an entry and verifies it. If the result is not CACHE_GOOD, `reason` is set. `*missing` is set if the
// entry could not be read at all: it is gone, or memory is exhausted. use: sets its time of use to now.
CacheState cache_read(int folder, const char *name, bool use, CacheEntry *entry, const char **reason,
                      bool *missing);

typedef struct CacheFile {
  char name[DIGEST_HEX + 1];
  struct timespec used;
  uint64_t bytes;
} CacheFile;

// The entries' files, malloc'ed, unordered. False if memory is exhausted or the folder cannot be read.
bool cache_scan(int folder, CacheFile **files, size_t *count);

// Creates a new file in tmp/ for appending, and locks it. cache_clean does not remove locked files. -1 with
// errno on failure. `name`: its path in the folder.
enum { CACHE_TMP_ROOM = 128 };
int cache_open_temporary(int folder, char *name, size_t room);

// Call after adding `bytes` to the folder. If it is over the limit, old entries are removed. No process waits
// for another. While one removes entries, the total may exceed the limit by an eighth.
void cache_grown(int folder, int64_t bytes);
// Removes the files in tmp/ of processes that have ended.
void cache_clean(int folder);

#endif
