// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large the cache gets, and what the size's file says while several processes write and remove.
#define _DEFAULT_SOURCE // syscall
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "tests/unit/cache_fixture.h"
#include "runtime/cache/cache.h"

static void set_used(uint64_t number, time_t when) {
  assert_int_equal(utimensat(AT_FDCWD, file_of(number), (struct timespec[]){{when, 0}, {when, 0}}, 0), 0);
}

TEST(test_least_recently_used) {
  enum { ENTRIES = 20, BYTES = 4000 };
  char text[BYTES];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  setenv("TILEC_CACHE_SIZE", "84000", 1); // room for 20 of 4185 bytes; seven eighths are 17 of them
  for (uint64_t i = 0; i < ENTRIES; i++) {
    put(i, text);
    set_used(i, 1000 + (time_t)i);
  }
  for (uint64_t i = 0; i < ENTRIES; i++) assert_int_equal(access(file_of(i), F_OK), 0);
  assert_true(has(0, text)); // used now
  put(ENTRIES, text);
  for (uint64_t i = 1; i <= 4; i++) assert_int_not_equal(access(file_of(i), F_OK), 0);
  assert_true(has(0, text));
  for (uint64_t i = 5; i <= ENTRIES; i++) assert_true(has(i, text));
  for (uint64_t i = 100; i < 300; i++) {
    put(i, text);
    uint64_t bytes = cache_bytes();
    if (bytes > 84000) fail_msg("the cache has %llu bytes", (unsigned long long)bytes);
  }
  assert_true(cache_bytes() > 60000);
  // In the end the contents of the size's file do not matter.
  char size[1000];
  snprintf(size, sizeof size, "%s/size", cache_folder);
  write_file(size, "abc", 3);
  put(300, text);
  assert_true(has(300, text));
  assert_true(cache_bytes() <= 84000);
  setenv("TILEC_CACHE_SIZE", "1000", 1);
  put(301, text); // larger than all of the cache: not kept, and nothing goes for it
  assert_false(has(301, text));
  assert_true(has(300, text));
}

// --- Several at work

// Events at the rename that replaces the size's file, before it and after it.
static void (*before_size)(void), (*after_size)(void);

int renameat(int from, const char *old, int to, const char *new) {
  bool is_size = strcmp(new, "size") == 0;
  void (*before)(void) = before_size, (*after)(void) = after_size;
  if (is_size) before_size = after_size = NULL; // not in what happens there
  if (is_size && before) before();
  int status = (int)syscall(SYS_renameat, from, old, to, new);
  if (is_size && after) after();
  return status;
}

static uint64_t next_entry;

static void put_of_4000(int count) {
  char text[4000];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  for (int i = 0; i < count; i++) put(next_entry++, text);
}

// The number in the size's file is never less than the real size.
static void assert_size_known(void) {
  char path[1000];
  int64_t number, told = 0;
  snprintf(path, sizeof path, "%s/size", cache_folder);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  while (fread(&number, sizeof number, 1, file) == 1) told += number;
  fclose(file);
  if (told < (int64_t)cache_bytes())
    fail_msg("%lld bytes told, %llu there", (long long)told, (unsigned long long)cache_bytes());
}

static void put_five(void) { put_of_4000(5); }
static void put_thirty(void) { put_of_4000(30); }
static void die(void) { _exit(0); }

static void die_before(void) {
  before_size = die;
  put_of_4000(30);
  _exit(1);
}

static void die_after(void) {
  after_size = die;
  put_of_4000(30);
  _exit(1);
}

// Others who write while one process removes: their entries are counted, and nothing grows beyond an eighth more.
TEST(test_written_while_removing) {
  enum { LIMIT = 84000, ENTRY = 4185 };
  void (*const happens[])(void) = {put_five, put_thirty, NULL};
  setenv("TILEC_CACHE_SIZE", "84000", 1);
  for (int i = 0; i < 8; i++) {
    before_size = happens[i % 3];
    after_size = happens[i / 3];
    while (before_size || after_size) put_of_4000(1); // up to that rename
    assert_size_known();
    put_of_4000(1);
    assert_true(cache_bytes() <= LIMIT + LIMIT / 8 + ENTRY);
    assert_size_known();
  }
  assert_child(die_before);
  put_of_4000(3);
  assert_true(cache_bytes() <= LIMIT);
  assert_size_known();
  assert_child(die_after);
  put_of_4000(3);
  assert_true(cache_bytes() <= LIMIT);
  assert_size_known();
}

TEST(test_slow_at_removing) {
  enum { LIMIT = 84000, ENTRY = 4185 };
  char path[1000];
  setenv("TILEC_CACHE_SIZE", "84000", 1);
  put_of_4000(1);
  snprintf(path, sizeof path, "%s/size", cache_folder);
  int fd = open(path, O_RDONLY);
  assert_int_equal(flock(fd, LOCK_EX), 0);
  put_of_4000(100);
  assert_true(cache_bytes() <= LIMIT + LIMIT / 8 + ENTRY);
  close(fd);
  put_of_4000(1);
  assert_true(cache_bytes() <= LIMIT);
  assert_size_known();
}

TEST(test_size_lost) {
  char path[1000];
  setenv("TILEC_CACHE_SIZE", "84000", 1);
  snprintf(path, sizeof path, "%s/size", cache_folder);
  for (int i = 0; i < 4; i++) {
    put_of_4000(18);
    assert_int_equal(unlink(path), 0);
  }
  put_of_4000(1);
  assert_true(cache_bytes() <= 84000);
  assert_size_known();
}

int suite_cache_size(void) {
#define CACHED(name) cmocka_unit_test_setup_teardown(name, cache_set_up, cache_tear_down)
  const struct CMUnitTest tests[] = {
      CACHED(test_least_recently_used),
      CACHED(test_written_while_removing),
      CACHED(test_slow_at_removing),
      CACHED(test_size_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
