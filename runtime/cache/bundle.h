// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bundles (docs/serving.md): entries of the cache in one file. Programs map it and only read it.
//
// The file has a header line "tilec-bundle 1 HASH SOURCES COUNT BYTES". HASH covers everything after it. SOURCES
// is the hash of tilec's sources. Then come COUNT lines "KEY OFFSET BYTES" in the order of the keys, and then the
// entries' files, as the cache has them. KEY is an entry's portable key.
//
// $TILEC_BUNDLE is the bundle of the process. It is read once. $TILEC_RECORD is a folder that gets all entries
// that the process uses or makes. $TILEC_JIT=forbid makes each compile an error.
#ifndef RUNTIME_CACHE_BUNDLE_H
#define RUNTIME_CACHE_BUNDLE_H

#include "runtime/cache/cache.h"

// The problem of these variables, or of the bundle. NULL: none. Then no entry of the bundle is found.
const char *bundle_problem(void);
bool bundle_is_broken(void);      // the problem is the file of TILEC_BUNDLE
bool bundle_forbids(void);        // TILEC_JIT=forbid
bool bundle_records(void);        // TILEC_RECORD is set
bool bundle_records_cubins(void); // not without TILEC_RECORD, nor with TILEC_RECORD_CUBINS=off
bool bundle_is_used(void);        // one of the three is set

// False: no bundle has it.
bool bundle_get(const unsigned char key[DIGEST_BYTES], CacheEntry *entry);

// Gives each good entry of the process's bundle to `each`. False: there is no bundle.
bool bundle_each(void (*each)(const CacheEntry *entry, void *data), void *data);

bool bundle_is(const char *path); // by how the file begins

// Gives each entry of the file to `each`. False, with the reason in `error`.
bool bundle_list(const char *path, void (*each)(const CacheEntry *entry, void *data), void *data, Buf *error);

// Writes all entries of a folder of TILEC_RECORD to the file, under another name first. `each` gets every entry.
// False, with the reason in `error`.
bool bundle_write(const char *folder, const char *path, void (*each)(const CacheEntry *entry, void *data),
                  void *data, Buf *error);

#endif
