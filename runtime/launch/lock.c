// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/read.h"
#include "runtime/cache/cache_folder.h"

static const char first_line[] = "tilec-lock 1";

typedef struct Lock {
  Buf text;
  Str head; // the comments before the first entry
  LockEntry *entries;
  size_t count, cap;
} Lock;

// --- Reading ---

static LockEntry *add_entry(Lock *lock) {
  if (lock->count == lock->cap) {
    size_t cap = lock->cap ? 2 * lock->cap : 16;
    LockEntry *grown = realloc(lock->entries, cap * sizeof *grown);
    if (!grown) return NULL;
    lock->entries = grown;
    lock->cap = cap;
  }
  lock->entries[lock->count] = (LockEntry){0};
  return &lock->entries[lock->count++];
}

static Str after(Str line, size_t n) { return (Str){line.at + n, line.n - n}; }

// A line of the entry. Returns the problem, or NULL.
static const char *take_line(LockEntry *entry, Str line) {
  static const char *const names[] = {"values ", "text ", "reason "};
  Str *const fields[] = {&entry->values, &entry->text, &entry->reason};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (str_starts(line, names[i])) {
      if (fields[i]->at || entry->settings.at) return "this line is out of place";
      *fields[i] = after(line, strlen(names[i]));
      return NULL;
    }
  if (!str_starts(line, "define ") && !str_starts(line, "option ")) return "this line is of no known kind";
  if (!entry->settings.at) entry->settings.at = line.at;
  entry->settings.n = (size_t)(line.at + line.n - entry->settings.at) + 1; // with the line feed
  return NULL;
}

// Reads all entries of lock->text. Returns the problem, with its line in *number.
static const char *parse(Lock *lock, uint32_t *number) {
  Str text = buf_view(&lock->text);
  LockEntry *entry = NULL;
  const char *problem = NULL;
  for (*number = 1; text.n && !problem; ++*number) {
    const char *end = memchr(text.at, '\n', text.n);
    if (!end) return "the last line has no end";
    Str line = {text.at, (size_t)(end - text.at)};
    if (*number == 1 && !str_is(line, first_line)) return "it does not begin with 'tilec-lock 1'";
    if (line.n == 0) {
      entry = NULL;
    } else if (str_starts(line, "launch ")) {
      if (entry) return "an empty line must be between entries";
      if (!(entry = add_entry(lock))) return "there is no memory for it";
      *entry = (LockEntry){.launch = after(line, sizeof "launch " - 1), .line = *number};
    } else if (entry) {
      problem = take_line(entry, line);
    } else if (*number > 1 && line.at[0] != '#') {
      problem = "this line is of no entry";
    }
    if (!lock->count) lock->head = (Str){lock->text.at, (size_t)(end + 1 - lock->text.at)};
    text = after(text, line.n + 1);
    if (problem) break;
  }
  return problem;
}

static void lock_free(Lock *lock) {
  buf_free(&lock->text);
  free(lock->entries);
}

// False, with "FILE: problem" in `error`. A file that does not exist is empty.
static bool read_lock(const char *path, bool must_exist, Lock *lock, Buf *error) {
  uint32_t number = 0;
  FILE *file = fopen(path, "rb");
  if (!file && errno == ENOENT && !must_exist) return true;
  bool read = file && buf_read(&lock->text, file, SIZE_MAX);
  const char *problem = read ? parse(lock, &number) : strerror(errno);
  if (file) fclose(file);
  if (problem && number) buf_printf(error, "%s:%u: %s", path, number, problem);
  if (problem && !number) buf_printf(error, "%s: %s", path, problem);
  return !problem;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static Lock used;
static const char *path_used;
static char problem_text[4608]; // "": none

static void begin(void) {
  const char *path = getenv("TILEC_LOCK");
  Buf error = {0};
  if (!path || !path[0] || getauxval(AT_SECURE)) return;
  path_used = path;
  if (!read_lock(path, true, &used, &error))
    snprintf(problem_text, sizeof problem_text, "TILEC_LOCK: %s", buf_view(&error).at);
  buf_free(&error);
}

const char *lock_problem(void) {
  pthread_once(&once, begin);
  return problem_text[0] ? problem_text : NULL;
}

const char *lock_path(void) {
  pthread_once(&once, begin);
  return path_used ? path_used : "";
}

bool lock_is_used(void) { return lock_path()[0] != '\0'; }

static const LockEntry *find(const Lock *lock, Str launch, const Str *values) {
  for (size_t i = 0; i < lock->count; i++) {
    const LockEntry *entry = &lock->entries[i];
    if (str_eq(entry->launch, launch) && (!values || str_eq(entry->values, *values))) return entry;
  }
  return NULL;
}

const LockEntry *lock_find(Str launch, const Str *values) {
  return lock_problem() ? NULL : find(&used, launch, values);
}

bool lock_has(Str kernel, Str arch) {
  if (lock_problem()) return false;
  for (size_t i = 0; i < used.count; i++) {
    Str launch = used.entries[i].launch;
    bool same = launch.n > kernel.n + arch.n + 1 && memcmp(launch.at, kernel.at, kernel.n) == 0 &&
                launch.at[kernel.n] == ' ' && memcmp(launch.at + kernel.n + 1, arch.at, arch.n) == 0;
    if (same) return true;
  }
  return false;
}

// --- Writing ---

static int str_order(Str a, Str b) {
  int order = memcmp(a.at ? a.at : "", b.at ? b.at : "", a.n < b.n ? a.n : b.n);
  return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int by_launch(const void *a, const void *b) {
  const LockEntry *x = a, *y = b;
  int order = str_order(x->launch, y->launch);
  return order ? order : str_order(x->values, y->values);
}

static void print_field(const char *name, Str value, Buf *out) {
  if (value.n) buf_printf(out, "%s %.*s\n", name, STR_ARG(value));
}

static void print_lock(const Lock *lock, Buf *out) {
  if (lock->head.n)
    buf_str(out, lock->head);
  else
    buf_printf(out, "%s\n# Choices of tilec tune. TILEC_LOCK names this file for programs.\n\n", first_line);
  for (size_t i = 0; i < lock->count; i++) {
    const LockEntry *entry = &lock->entries[i];
    print_field("launch", entry->launch, out);
    print_field("values", entry->values, out);
    print_field("text", entry->text, out);
    print_field("reason", entry->reason, out);
    buf_str(out, entry->settings);
    buf_char(out, '\n');
  }
}

bool lock_write(const char *path, const LockEntry *entry, Buf *error) {
  Lock lock = {0};
  Buf out = {0};
  if (!read_lock(path, false, &lock, error)) return lock_free(&lock), false;
  LockEntry *place = (LockEntry *)(uintptr_t)find(&lock, entry->launch, &entry->values);
  if (!place) place = add_entry(&lock);
  if (place) {
    *place = *entry;
    qsort(lock.entries, lock.count, sizeof *lock.entries, by_launch);
    print_lock(&lock, &out);
  } else {
    buf_printf(error, "%s: out of memory", path);
  }
  bool good = place && cache_write_file(path, buf_view(&out), error);
  buf_free(&out);
  lock_free(&lock);
  return good;
}
