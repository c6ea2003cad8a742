// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache's folder and entries. An entry that was put is found again. Nothing else is, whatever the folder holds.
//
// test_cache_size.c tests its size, test_cache_launch.c its use by launches.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "tests/unit/cache_fixture.h"
#include "runtime/cache/cache.h"

TEST(test_round_trip) {
  static const char blob[] = "a\0b\n\nc";
  CacheEntry entry;
  CacheKey key = key_of(1);
  uint32_t number;
  assert_false(cache_get(&key, &entry));
  cache_put(&key, STR("kind=test\nnumber=4294967295\nlong=4294967296\nword=x1"), (Str){blob, sizeof blob});
  assert_true(cache_get(&key, &entry));
  assert_true(str_eq(entry.blob, (Str){blob, sizeof blob}));
  assert_int_equal(entry.blob.at[entry.blob.n], 0);
  assert_true(str_is(cache_field(&entry, "kind"), "test"));
  assert_null(cache_field(&entry, "kin").at);
  assert_null(cache_field(&entry, "numbers").at);
  assert_true(cache_field_number(&entry, "number", &number));
  assert_int_equal(number, UINT32_MAX);
  assert_false(cache_field_number(&entry, "long", &number));
  assert_false(cache_field_number(&entry, "word", &number));
  assert_false(cache_field_number(&entry, "none", &number));
  cache_entry_free(&entry);
  key = key_of(2);
  assert_false(cache_get(&key, &entry));
  assert_string_equal(cache_said, "");
}

TEST(test_where) {
  char path[1000], expected[1000];
  unsetenv("TILEC_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/x", 1);
  assert_true(cache_path(path, sizeof path));
  assert_string_equal(path, "/x/tilec");
  setenv("XDG_CACHE_HOME", "relative", 1); // not allowed by its specification
  setenv("HOME", cache_folder, 1);
  assert_true(cache_path(path, sizeof path));
  snprintf(expected, sizeof expected, "%s/.cache/tilec", cache_folder);
  assert_string_equal(path, expected);
  put(1, "text");
  assert_true(has(1, "text"));
  struct stat info;
  assert_int_equal(stat(expected, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  setenv("TILEC_CACHE", "off", 1);
  Digest digest;
  assert_false(cache_key_begin(&digest, "test"));
  assert_string_equal(cache_said, "");
  setenv("TILEC_CACHE", "perhaps", 1);
  assert_false(cache_key_begin(&digest, "test"));
  assert_said("TILEC_CACHE must be on or off, not 'perhaps'");
  setenv("TILEC_CACHE", "on", 1);
  cache_say_again();
  setenv("TILEC_CACHE_CUBINS", "yes", 1);
  assert_true(cache_key_begin(&digest, "test"));
  assert_false(cache_switch("TILEC_CACHE_CUBINS", false));
  assert_said("TILEC_CACHE_CUBINS must be on or off, not 'yes'");
  unsetenv("TILEC_CACHE_CUBINS");
  unsetenv("HOME");
  unsetenv("XDG_CACHE_HOME");
  assert_false(cache_path(path, sizeof path));
  put(1, "text");
  assert_false(has(1, "text"));
}

TEST(test_size_setting) {
  static const struct {
    const char *text;
    uint64_t bytes;
  } rows[] = {{"100", 100},
              {"2K", 2048},
              {"3m", 3u << 20},
              {"4G", 4ull << 30},
              {"0", 0},
              {"1T", 1ull << 40},
              {"", 1u << 30},
              {"-1", 1u << 30},
              {"1KB", 1u << 30},
              {"K", 1u << 30},
              {"1x", 1u << 30},
              {"99999999999999999999", 1u << 30},
              {"99999999999T", 1u << 30}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    setenv("TILEC_CACHE_SIZE", rows[i].text, 1);
    cache_forget();
    assert_int_equal(cache_size_limit(), rows[i].bytes);
    if (rows[i].text[0] && rows[i].bytes == 1u << 30) assert_said("TILEC_CACHE_SIZE");
  }
}

// --- What is not as it was put

static size_t read_file(const char *path, char *bytes, size_t room) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t n = fread(bytes, 1, room, file);
  fclose(file);
  return n;
}

// The entry of those bytes is not used, which is said, and is gone.
static void assert_bad(const char *bytes, size_t n) {
  write_file(file_of(1), bytes, n);
  cache_forget();
  assert_false(has(1, ""));
  assert_said("is not used and removed: ");
  assert_int_not_equal(access(file_of(1), F_OK), 0);
}

TEST(test_every_byte) {
  char bytes[1000], copy[1000];
  put(1, "some text");
  size_t n = read_file(file_of(1), bytes, sizeof bytes);
  assert_in_range(n, 150, 999);
  for (size_t i = 0; i < n; i++)
    for (int bit = 0; bit < 8; bit += 7) {
      memcpy(copy, bytes, n);
      copy[i] = (char)(copy[i] ^ 1 << bit);
      assert_bad(copy, n);
    }
  for (size_t i = 0; i < n; i++) assert_bad(bytes, i);
  memcpy(copy, bytes, n);
  copy[n] = '\n';
  assert_bad(copy, n + 1);
  write_file(file_of(1), bytes, n);
  assert_true(has(1, "some text"));
}

TEST(test_wrong_name) {
  char other[1000];
  put(1, "one");
  put(2, "two");
  snprintf(other, sizeof other, "%s", file_of(2));
  assert_int_equal(rename(file_of(1), other), 0);
  assert_false(has(2, ""));
  assert_said("it is another's under a wrong name");
  assert_int_not_equal(access(other, F_OK), 0);
}

TEST(test_no_files) {
  char elsewhere[1000];
  put(1, "one");
  snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", cache_folder);
  assert_int_equal(rename(file_of(1), elsewhere), 0);
  assert_int_equal(symlink(elsewhere, file_of(1)), 0);
  assert_false(has(1, ""));
  assert_said("it is a symbolic link");
  assert_int_equal(unlink(file_of(1)), 0);
  assert_int_equal(mkfifo(file_of(1), 0600), 0);
  cache_forget();
  assert_false(has(1, "")); // and nobody waits for a writer
  assert_said("it is not a regular file");
  assert_int_equal(unlink(file_of(1)), 0);
  assert_int_equal(mkdir(file_of(1), 0700), 0);
  cache_forget();
  assert_false(has(1, ""));
  put(1, "one");
  assert_false(has(1, ""));
}

// --- Whose it is

TEST(test_others) {
  enum { NOBODY = 65534 };
  put(1, "one");
  assert_int_equal(chmod(cache_folder, 0770), 0);
  assert_false(has(1, ""));
  assert_said("can be written by other users (mode 770");
  put(2, "two");
  assert_int_equal(chmod(cache_folder, 0755), 0);
  assert_true(has(1, "one"));
  assert_false(has(2, ""));
  if (geteuid() != 0) {
    print_message("SKIPPED: only root can give a folder to another user\n");
    skip();
  }
  cache_forget();
  assert_int_equal(chown(file_of(1), NOBODY, NOBODY), 0);
  assert_false(has(1, ""));
  assert_said("it belongs to another user");
  assert_int_equal(access(file_of(1), F_OK), 0);
  assert_int_equal(chown(file_of(1), 0, 0), 0);
  assert_true(has(1, "one"));
  cache_forget();
  assert_int_equal(chown(cache_folder, NOBODY, NOBODY), 0);
  assert_false(has(1, ""));
  assert_said("belongs to user 65534, not to user 0");
  put(3, "three");
  Buf error = {0};
  CacheCleared cleared;
  assert_false(cache_clear(&cleared, &error));
  buf_free(&error);
  assert_int_equal(chown(cache_folder, 0, 0), 0);
  assert_true(has(1, "one"));
  assert_false(has(3, ""));
}

// As an ordinary user: root may write to all folders.
static void read_only(void) {
  put(1, "one");
  if (chmod(cache_folder, 0500) != 0) _exit(2);
  if (!has(1, "one") || cache_said[0]) _exit(3);
  put(2, "two");
  if (has(2, "") || !strstr(cache_said, "cannot be written: Permission denied")) _exit(4);
  if (chmod(cache_folder, 0000) != 0) _exit(5);
  cache_forget();
  if (has(1, "") || !strstr(cache_said, "cannot be read: Permission denied")) _exit(6);
  if (chmod(cache_folder, 0700) != 0) _exit(7);
  setenv("TILEC_CACHE_DIR", "/proc/tilec", 1);
  cache_forget();
  put(1, "one");
  if (has(1, "") || !strstr(cache_said, "the cache /proc/tilec cannot be made")) _exit(8);
  _exit(0);
}

static void as_nobody(void) {
  enum { NOBODY = 65534 };
  if (geteuid() == 0 && (chown(cache_folder, NOBODY, NOBODY) || setgid(NOBODY) || setuid(NOBODY))) _exit(1);
  read_only();
}

TEST(test_read_only) {
  put(1, "one"); // before it is another user's
  assert_int_equal(unlink(file_of(1)), 0);
  char rest[1000];
  snprintf(rest, sizeof rest, "rm -rf '%s'/size '%s'/tmp", cache_folder, cache_folder);
  assert_int_equal(system(rest), 0);
  assert_child(as_nobody);
}

// A file that cannot grow is what a full disk is to us: write fails in its middle. The signal that comes with
// it does not end the process.
static void on_a_full_disk(void) {
  char text[4000];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  put(1, "small");
  if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000}) != 0) _exit(2);
  put(2, text);
  if (has(2, "") || !strstr(cache_said, "cannot be written: File too large")) _exit(3);
  if (!has(1, "small") || cache_left_in_tmp()) _exit(4);
  cache_said[0] = '\0';
  put(3, text); // said once
  if (cache_said[0]) _exit(5);
  put(4, "small");
  if (!has(4, "small")) _exit(6);
  _exit(0);
}

TEST(test_full_disk) { assert_child(on_a_full_disk); }

// --- Others at work

TEST(test_left_behind) {
  char dead[1000], live[1000];
  put(1, "one");
  snprintf(dead, sizeof dead, "%s/tmp/dead", cache_folder);
  snprintf(live, sizeof live, "%s/tmp/live", cache_folder);
  write_file(dead, "half of", 7);
  write_file(live, "half of", 7);
  int fd = open(live, O_RDONLY);
  assert_int_equal(flock(fd, LOCK_EX), 0);
  CacheCleared cleared;
  Buf error = {0};
  assert_true(cache_clear(&cleared, &error));
  assert_int_equal(cleared.entries, 1);
  assert_int_not_equal(access(dead, F_OK), 0);
  assert_int_equal(access(live, F_OK), 0);
  close(fd);
}

TEST(test_clear_keeps_others) {
  char other[1000];
  put(1, "one");
  put(2, "two");
  snprintf(other, sizeof other, "%s/notes.txt", cache_folder);
  write_file(other, "mine", 4);
  CacheCleared cleared;
  Buf error = {0};
  assert_true(cache_clear(&cleared, &error));
  assert_int_equal(cleared.entries, 2);
  assert_int_equal(cleared.left, 0);
  assert_int_equal(access(other, F_OK), 0);
  assert_false(has(1, ""));
}

enum { WORKERS = 8, ROUNDS = 400, NUMBERS = 40 };

typedef struct Worker {
  pthread_t thread;
  unsigned seed;
  uint32_t wrong, hits;
} Worker;

static void text_of(uint64_t number, char *text, size_t room) {
  size_t n = 0;
  while (n + 30 < room)
    n += (size_t)snprintf(text + n, room - n, "%llu ", (unsigned long long)(number * 7919 + n));
}

// Entries come and go under the readers' hands.
static void *work(void *data) {
  Worker *w = data;
  char text[2000];
  for (int i = 0; i < ROUNDS; i++) {
    w->seed = w->seed * 1103515245 + 12345;
    uint64_t number = w->seed >> 16 & 0x7fff;
    number %= NUMBERS;
    text_of(number, text, sizeof text);
    CacheKey key = key_of(number);
    CacheEntry entry;
    if (cache_get(&key, &entry)) {
      w->hits++;
      w->wrong += !str_eq(entry.blob, str_from(text));
    } else {
      cache_put(&key, STR("kind=test"), str_from(text));
    }
    cache_entry_free(&entry);
  }
  return NULL;
}

TEST(test_threads) {
  Worker workers[WORKERS] = {0};
  uint32_t hits = 0;
  setenv("TILEC_CACHE_SIZE", "65000", 1); // of 40 entries of 2 kB
  for (int i = 0; i < WORKERS; i++) {
    workers[i].seed = (unsigned)i + 1;
    assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < WORKERS; i++) {
    pthread_join(workers[i].thread, NULL);
    assert_int_equal(workers[i].wrong, 0);
    hits += workers[i].hits;
  }
  assert_true(hits > 100);
  assert_string_equal(cache_said, "");
  assert_false(cache_left_in_tmp());
}

int suite_cache(void) {
#define CACHED(name) cmocka_unit_test_setup_teardown(name, cache_set_up, cache_tear_down)
  const struct CMUnitTest tests[] = {
      CACHED(test_round_trip),
      CACHED(test_where),
      CACHED(test_size_setting),
      CACHED(test_every_byte),
      CACHED(test_wrong_name),
      CACHED(test_no_files),
      CACHED(test_others),
      CACHED(test_read_only),
      CACHED(test_full_disk),
      CACHED(test_left_behind),
      CACHED(test_clear_keeps_others),
      CACHED(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
