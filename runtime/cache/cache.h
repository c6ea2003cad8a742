// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache on disk: what compiling made, under a hash of all that it was made from (docs/cache.md).
//
// A file an entry, written under another name and then renamed, so that a process that ends at any moment
// leaves an entry that is whole or none. What is read is verified before use. Nothing here is an error to the
// caller: where the cache cannot serve, the caller compiles, and why is said once a process (cache_set_log).
//
// Calls from several threads and processes at once are safe.
#ifndef RUNTIME_CACHE_CACHE_H
#define RUNTIME_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "base/buf.h"
#include "base/str.h"
#include "codegen/llvm/digest.h"

typedef struct CacheKey {
  unsigned char bytes[DIGEST_BYTES];
} CacheKey;

// A key is made of everything that an entry hangs on: begin, digest_* what is the caller's, end. `kind` sets
// the callers' keys apart; tilec's own build, LLVM's version and libclc are in every key. False: the cache is
// off.
bool cache_key_begin(Digest *digest, const char *kind);
// The same of all programs and libraries that were built from the same sources, with the same LLVM and libclc: for what is no
// code, and good of any of them.
bool cache_key_begin_shared(Digest *digest, const char *kind);
extern const char cache_source_id[]; // a hash of these sources
CacheKey cache_key_end(const Digest *digest);

typedef struct CacheEntry {
  char *memory; // malloc'ed
  Str fields;   // lines NAME=VALUE
  Str blob;     // a NUL follows
} CacheEntry;

// False: there is none that can be used.
bool cache_get(const CacheKey *key, CacheEntry *entry);
void cache_entry_free(CacheEntry *entry); // a zeroed one does nothing
// The entry's value of that name; its `at` is NULL where it has none.
Str cache_field(const CacheEntry *entry, const char *name);
bool cache_field_number(const CacheEntry *entry, const char *name, uint32_t *value);

// `fields`: kind, kernel, arch and what else the caller asks for. Entries that have not been used for the
// longest time go where the cache is past its size.
void cache_put(const CacheKey *key, Str fields, Str blob);

// One line, without a newline, of what keeps the cache from serving; each kind of it once a process. NULL: to
// nobody, as at first.
typedef void (*CacheLog)(const char *text);
void cache_set_log(CacheLog log);
// On this thread, from now on, into `heard` instead, a line each; NULL: no more.
typedef struct CacheHeard {
  char text[5000];
  size_t n;
} CacheHeard;
void cache_hear(CacheHeard *heard);
// Whether this thread's calls say nothing: another one may say it then.
void cache_hush(bool hushed);
void cache_say_again(void); // tests only: as if nothing had been said

// --- For tilec cache

// Where the cache is: $TILEC_CACHE_DIR, or tilec in $XDG_CACHE_HOME, or in ~/.cache. False where none of them
// is set.
bool cache_path(char *path, size_t room);
uint64_t cache_size_limit(void); // bytes; 0: none

typedef enum CacheState { CACHE_GOOD, CACHE_BAD, CACHE_FOREIGN } CacheState;

typedef struct CacheListed {
  const char *name; // the file's: the key in hex
  CacheState state;
  const char *reason; // why it is not good
  CacheEntry entry;   // of a good one
  uint64_t bytes;     // the file's
  struct timespec used;
} CacheListed;

// Calls `each` with every entry, the one used last first, verified. False, with the reason in `error`, where
// the folder cannot be used; a cache that is not there yet is empty.
bool cache_list(void (*each)(const CacheListed *listed, void *data), void *data, Buf *error);
// Removes an entry by its file's name. False where it could not.
bool cache_remove(const char *name);

typedef struct CacheCleared {
  uint64_t entries, bytes;
  uint64_t left; // entries that could not be removed
  int reason;    // errno of the first of those
} CacheCleared;

// Removes every entry and what killed processes left. False as for cache_list.
bool cache_clear(CacheCleared *cleared, Buf *error);

#endif
