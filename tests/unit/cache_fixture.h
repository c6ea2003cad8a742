// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cache of the test's own, and what is said of it.
#ifndef TESTS_CACHE_FIXTURE_H
#define TESTS_CACHE_FIXTURE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/cache/cache.h"

static char cache_folder[400], cache_said[8192];

static inline void cache_say_to_test(const char *text) {
  size_t n = strlen(cache_said);
  snprintf(cache_said + n, sizeof cache_said - n, "%s\n", text);
}

static inline void cache_forget(void) {
  cache_said[0] = '\0';
  cache_say_again();
}

static inline void assert_said(const char *text) {
  if (!strstr(cache_said, text)) fail_msg("'%s' is not in '%s'", text, cache_said);
}

static inline int cache_set_up(void **state) {
  const char *base = getenv("TMPDIR");
  (void)state;
  snprintf(cache_folder, sizeof cache_folder, "%s/tilec-test-XXXXXX", base && base[0] ? base : "/tmp");
  cache_forget();
  cache_set_log(cache_say_to_test);
  if (!mkdtemp(cache_folder)) return -1;
  unsetenv("TILEC_CACHE_SIZE");
  setenv("TILEC_CACHE", "on", 1);
  return setenv("TILEC_CACHE_DIR", cache_folder, 1);
}

static inline int cache_tear_down(void **state) {
  char command[500];
  (void)state;
  cache_set_log(NULL);
  snprintf(command, sizeof command, "rm -rf '%s'", cache_folder);
  return system(command);
}

// Entries that are there, and their bytes together.
static inline uint64_t cache_sum(uint64_t *entries) {
  DIR *listing = opendir(cache_folder);
  uint64_t bytes = 0;
  *entries = 0;
  assert_non_null(listing);
  for (const struct dirent *item; (item = readdir(listing)) != NULL;) {
    char path[800];
    struct stat info;
    if (strlen(item->d_name) != DIGEST_HEX) continue;
    snprintf(path, sizeof path, "%s/%s", cache_folder, item->d_name);
    assert_int_equal(stat(path, &info), 0);
    bytes += (uint64_t)info.st_size;
    ++*entries;
  }
  closedir(listing);
  return bytes;
}

static inline uint64_t cache_bytes(void) {
  uint64_t entries;
  return cache_sum(&entries);
}

static inline uint64_t cache_entries(void) {
  uint64_t entries;
  cache_sum(&entries);
  return entries;
}

static inline bool cache_left_in_tmp(void) {
  char path[500];
  bool found = false;
  snprintf(path, sizeof path, "%s/tmp", cache_folder);
  DIR *listing = opendir(path);
  for (const struct dirent *item; listing && (item = readdir(listing)) != NULL;)
    found |= item->d_name[0] != '.';
  if (listing) closedir(listing);
  return found;
}

static inline CacheKey key_of(uint64_t number) {
  Digest digest;
  assert_true(cache_key_begin(&digest, "test"));
  digest_number(&digest, number);
  return cache_key_end(&digest, (Str){NULL, 0});
}

// The file of the entry with that number.
static inline const char *file_of(uint64_t number) {
  static char path[1000];
  char hex[DIGEST_HEX + 1];
  CacheKey key = key_of(number);
  digest_hex(key.bytes, hex);
  snprintf(path, sizeof path, "%s/%s", cache_folder, hex);
  return path;
}

static inline void put(uint64_t number, const char *blob) {
  CacheKey key = key_of(number);
  cache_put(&key, STR("kind=test\nkernel=k\nnumber=7"), str_from(blob));
}

// Returns true if there is such an entry. Then it must hold the text.
static inline bool has(uint64_t number, const char *blob) {
  CacheEntry entry;
  CacheKey key = key_of(number);
  bool found = cache_get(&key, &entry);
  if (found) assert_true(str_eq(entry.blob, str_from(blob)));
  cache_entry_free(&entry);
  return found;
}

static inline void write_file(const char *path, const char *bytes, size_t n) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
}

static inline void assert_child(void (*run)(void)) {
  int status;
  pid_t child = fork();
  if (child == 0) run();
  assert_int_equal(waitpid(child, &status, 0), child);
  if (status) fail_msg("the child ended with status %x", (unsigned)status);
}

#endif
