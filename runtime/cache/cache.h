// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache on disk. It keeps compiled code under a hash of everything that the code depends on
// (docs/cache.md).
//
// Each entry is one file. It is written under another name and then renamed. So a process that ends at any
// moment leaves a whole entry or none. Entries are verified before use. Failures here are no errors for the
// caller: if the cache fails, the caller compiles. Each kind of failure is logged once per process
// (cache_set_log).
//
// Threads and processes may call these functions concurrently.
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
  unsigned char portable[DIGEST_BYTES]; // the same on every machine (runtime/cache/bundle.h)
  bool in_folder;                       // the cache is on; then `bytes` is set
} CacheKey;

// A key covers everything that an entry depends on. Call begin, then digest_* for the caller's data, then
// end. `kind` separates the keys of different callers. False: there is neither a cache nor a bundle.
bool cache_key_begin(Digest *digest, const char *kind);
// `bytes` includes tilec's build, LLVM's version, libclc and `local`: names of files, and programs of this
// machine. `portable` includes the hash of tilec's sources instead, and not `local`.
CacheKey cache_key_end(const Digest *digest, Str local);
// The same for entries that are not code: `bytes` is as `portable`. All programs and libraries that were built
// from the same sources, with the same LLVM and libclc, share these keys.
CacheKey cache_key_end_shared(const Digest *digest);
extern const char cache_source_id[]; // a hash of these sources

typedef struct CacheEntry {
  char *memory; // malloc'ed
  Str fields;   // lines NAME=VALUE
  Str blob;     // followed by a NUL
} CacheEntry;

// False: no usable entry.
bool cache_get(const CacheKey *key, CacheEntry *entry);
void cache_entry_free(CacheEntry *entry); // does nothing for a zeroed entry
// The entry's value of that name. Its `at` is NULL if the entry has none.
Str cache_field(const CacheEntry *entry, const char *name);
bool cache_field_number(const CacheEntry *entry, const char *name, uint32_t *value);

// `fields`: kind, kernel, arch and other fields of the caller. If the cache is over its size limit, the least
// recently used entries are removed.
void cache_put(const CacheKey *key, Str fields, Str blob);
// Only for $TILEC_RECORD: for entries that the cache does not keep. cache_get and cache_put do it too.
void cache_record(const CacheKey *key, Str fields, Str blob);

// Gets one line, without a newline, about a problem of the cache. Each kind is logged once per process. NULL,
// the initial state: no log.
typedef void (*CacheLog)(const char *text);
void cache_set_log(CacheLog log);
// On this thread, from now on, appends problems to `heard` instead, one per line. NULL: stops that.
typedef struct CacheHeard {
  char text[5000];
  size_t n;
} CacheHeard;
void cache_hear(CacheHeard *heard);
// True: calls on this thread log nothing. Another thread may still log the problem.
void cache_hush(bool hushed);
void cache_say_again(void); // tests only: forgets what was logged

// --- For tilec cache

// The cache's path: $TILEC_CACHE_DIR, or tilec in $XDG_CACHE_HOME, or in ~/.cache. False if none of them is
// set.
// A variable of the environment that is on or off. `usual`: if it is not set, or has another text, which is logged.
bool cache_switch(const char *name, bool usual);
bool cache_path(char *path, size_t room);
uint64_t cache_size_limit(void); // bytes; 0: none

typedef enum CacheState { CACHE_GOOD, CACHE_BAD, CACHE_FOREIGN } CacheState;

typedef struct CacheListed {
  const char *name; // the file name: the key in hex
  CacheState state;
  const char *reason; // why it is not valid
  CacheEntry entry;   // of a valid entry
  uint64_t bytes;     // of the file
  struct timespec used;
} CacheListed;

// Calls `each` for every entry, verified, the most recently used first. False, with the reason in `error`, if
// the folder cannot be used. A cache that does not exist yet is empty.
bool cache_list(void (*each)(const CacheListed *listed, void *data), void *data, Buf *error);
// Removes the entry with that file name. False on failure.
bool cache_remove(const char *name);

typedef struct CacheCleared {
  uint64_t entries, bytes;
  uint64_t left; // entries that could not be removed
  int reason;    // errno of the first of those
} CacheCleared;

// Removes every entry and the leftovers of killed processes. False as for cache_list.
bool cache_clear(CacheCleared *cleared, Buf *error);

#endif
