// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cache of the test's own, and what is said of it.
#ifndef TESTS_CACHE_FIXTURE_H
#define TESTS_CACHE_FIXTURE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "runtime/cache.h"

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

#endif
