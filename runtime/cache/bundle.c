// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cache/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/cache/cache_folder.h"

static const char magic[] = "tilec-bundle 1 ";
enum {
  HASH_AT = sizeof magic - 1,
  SOURCES_AT = HASH_AT + DIGEST_HEX + 1, // the hash includes the blank before it
  HASHED_AT = SOURCES_AT - 1,
  COUNT_AT = SOURCES_AT + DIGEST_HEX + 1,
  NUMBER_DIGITS = 12,
  BYTES_AT = COUNT_AT + NUMBER_DIGITS + 1,
  ROWS_AT = BYTES_AT + NUMBER_DIGITS + 1,
  OFFSET_AT = DIGEST_HEX + 1, // in a row
  SIZE_AT = OFFSET_AT + NUMBER_DIGITS + 1,
  ROW_BYTES = SIZE_AT + NUMBER_DIGITS + 1,
};

// --- Reading ---

typedef struct Bundle {
  const char *at; // NULL: there is none
  size_t n, count;
} Bundle;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static Bundle bundle;
static bool forbids, records, is_named;
static char problem[4608]; // "": there is none

static size_t number_at(const char *at) { return (size_t)strtoull(at, NULL, 10); }

static const char *row_of(const Bundle *b, size_t i) { return b->at + ROWS_AT + i * ROW_BYTES; }

// Checks the whole file. Returns the problem. NULL: it is good.
static const char *check(Bundle *b) {
  char hex[DIGEST_HEX + 1];
  if (b->n < ROWS_AT || memcmp(b->at, magic, HASH_AT) != 0) return "it is not a bundle of this version";
  if (number_at(b->at + BYTES_AT) != b->n - ROWS_AT)
    return "it is truncated, or has more bytes than were written";
  cache_sources_hex(hex);
  if (memcmp(hex, b->at + SOURCES_AT, DIGEST_HEX) != 0)
    return "another version of tilec, LLVM or libclc made it: make it again";
  cache_hash_hex(b->at + HASHED_AT, b->n - HASHED_AT, hex);
  if (memcmp(hex, b->at + HASH_AT, DIGEST_HEX) != 0) return "its hash is another: it was altered";
  b->count = number_at(b->at + COUNT_AT);
  return NULL;
}

// NULL: it is mapped.
static const char *map(const char *path, Bundle *b) {
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const char *reason = NULL;
  if (fd < 0 || fstat(fd, &info) != 0) {
    reason = strerror(errno);
  } else if (!S_ISREG(info.st_mode) || info.st_size < ROWS_AT) {
    reason = "it is not a bundle";
  } else {
    void *at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    *b = (Bundle){.at = at == MAP_FAILED ? NULL : at, .n = (size_t)info.st_size};
    reason = b->at ? check(b) : strerror(errno);
    if (reason && b->at) munmap(at, b->n);
    if (reason) b->at = NULL;
  }
  if (fd >= 0) close(fd);
  return reason;
}

// A program with more rights than its caller ignores the variables.
static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value && value[0] && !getauxval(AT_SECURE) ? value : NULL;
}

static void begin(void) {
  const char *path = setting("TILEC_BUNDLE"), *jit = setting("TILEC_JIT");
  is_named = path != NULL;
  records = setting("TILEC_RECORD") != NULL;
  forbids = jit && strcmp(jit, "forbid") == 0;
  const char *reason = path ? map(path, &bundle) : NULL;
  if (reason)
    snprintf(problem, sizeof problem, "TILEC_BUNDLE: %.4000s cannot be used: %s", path, reason);
  else if (jit && !forbids && strcmp(jit, "allow") != 0)
    snprintf(problem, sizeof problem, "TILEC_JIT must be allow or forbid, not '%.64s'", jit);
}

const char *bundle_problem(void) {
  pthread_once(&once, begin);
  return problem[0] ? problem : NULL;
}

bool bundle_is_broken(void) { return bundle_problem() && is_named && !bundle.at; }

bool bundle_forbids(void) {
  pthread_once(&once, begin);
  return forbids;
}

bool bundle_records(void) {
  pthread_once(&once, begin);
  return records;
}

bool bundle_records_cubins(void) { return bundle_records() && cache_switch("TILEC_RECORD_CUBINS", true); }

bool bundle_is_used(void) {
  pthread_once(&once, begin);
  return is_named || records || forbids || problem[0];
}

// The entry of a row. False: it is broken.
static bool read_row(const Bundle *b, const char *row, const char *name, CacheEntry *entry) {
  size_t at = number_at(row + OFFSET_AT), n = number_at(row + SIZE_AT);
  if (at > b->n || n > b->n - at) return false;
  return cache_read_text((Str){b->at + at, n}, name, entry) == NULL;
}

static int by_key(const void *key, const void *row) { return memcmp(key, row, DIGEST_HEX); }

bool bundle_get(const unsigned char key[DIGEST_BYTES], CacheEntry *entry) {
  char name[DIGEST_HEX + 1];
  *entry = (CacheEntry){0};
  if (bundle_problem() || !bundle.at) return false;
  digest_hex(key, name);
  if (bundle.count > (bundle.n - ROWS_AT) / ROW_BYTES) return false;
  const char *row = bsearch(name, row_of(&bundle, 0), bundle.count, ROW_BYTES, by_key);
  return row && read_row(&bundle, row, name, entry);
}

bool bundle_is(const char *path) {
  char begin[HASH_AT] = {0};
  FILE *file = fopen(path, "rb");
  bool is = file && fread(begin, 1, HASH_AT, file) == HASH_AT && memcmp(begin, magic, HASH_AT) == 0;
  if (file) fclose(file);
  return is;
}

// False: an entry is broken.
static bool each_row(const Bundle *b, void (*each)(const CacheEntry *entry, void *data), void *data) {
  bool good = true;
  for (size_t i = 0; good && i < b->count; i++) {
    char name[DIGEST_HEX + 1] = {0};
    CacheEntry entry = {0};
    memcpy(name, row_of(b, i), DIGEST_HEX);
    good = read_row(b, row_of(b, i), name, &entry);
    if (good) each(&entry, data);
    cache_entry_free(&entry);
  }
  return good;
}

bool bundle_each(void (*each)(const CacheEntry *entry, void *data), void *data) {
  if (bundle_problem() || !bundle.at) return false;
  each_row(&bundle, each, data);
  return true;
}

bool bundle_list(const char *path, void (*each)(const CacheEntry *entry, void *data), void *data,
                 Buf *error) {
  Bundle b = {0};
  const char *reason = map(path, &b);
  if (!reason && !each_row(&b, each, data)) reason = "an entry is broken";
  if (b.at) munmap((void *)(uintptr_t)b.at, b.n);
  if (reason) buf_printf(error, "%s cannot be used: %s", path, reason);
  return !reason;
}

// --- Writing ---

static int by_name(const void *a, const void *b) {
  return strcmp(((const CacheFile *)a)->name, ((const CacheFile *)b)->name);
}

typedef struct Writing {
  int folder;
  CacheFile *files;
  size_t count;
  void (*each)(const CacheEntry *entry, void *data);
  void *data;
  Buf *error;
} Writing;

// Adds the entries' files, and their rows.
static bool add_entries(const Writing *w, Buf *rows, Buf *entries) {
  for (size_t i = 0; i < w->count; i++) {
    CacheEntry entry;
    const char *reason;
    bool missing;
    if (cache_read(w->folder, w->files[i].name, false, &entry, &reason, &missing) != CACHE_GOOD)
      return buf_fail(w->error, "the entry %s cannot be used: %s", w->files[i].name, reason);
    size_t n = (size_t)(entry.blob.at + entry.blob.n - entry.memory);
    buf_printf(rows, "%s %0*zu %0*zu\n", w->files[i].name, NUMBER_DIGITS,
               ROWS_AT + w->count * ROW_BYTES + entries->n, NUMBER_DIGITS, n);
    buf_bytes(entries, entry.memory, n);
    if (w->each) w->each(&entry, w->data);
    cache_entry_free(&entry);
  }
  return true;
}

// The file's bytes.
static bool make_bytes(const Writing *w, Buf *out) {
  Buf entries = {0};
  char hex[DIGEST_HEX + 1];
  cache_sources_hex(hex);
  buf_printf(out, "%s%0*d %s %0*zu %0*d\n", magic, DIGEST_HEX, 0, hex, NUMBER_DIGITS, w->count, NUMBER_DIGITS,
             0);
  bool good = add_entries(w, out, &entries);
  buf_str(out, buf_view(&entries));
  buf_free(&entries);
  if (!good) return false;
  char bytes[NUMBER_DIGITS + 1];
  snprintf(bytes, sizeof bytes, "%0*zu", NUMBER_DIGITS, out->n - ROWS_AT);
  memcpy(out->at + BYTES_AT, bytes, NUMBER_DIGITS);
  cache_hash_hex(out->at + HASHED_AT, out->n - HASHED_AT, hex);
  memcpy(out->at + HASH_AT, hex, DIGEST_HEX);
  return true;
}

bool bundle_write(const char *folder, const char *path, void (*each)(const CacheEntry *entry, void *data),
                  void *data, Buf *error) {
  Writing w = {.folder = cache_open_folder_at("the folder", folder, false, error),
               .each = each,
               .data = data,
               .error = error};
  Buf bytes = {0};
  if (w.folder < 0) {
    if (!error->n) buf_printf(error, "%s: %s", folder, strerror(ENOENT));
    return false;
  }
  bool good = cache_scan(w.folder, &w.files, &w.count);
  if (!good) buf_printf(error, "%s cannot be read: %s", folder, strerror(errno));
  if (good) qsort(w.files, w.count, sizeof *w.files, by_name);
  good = good && make_bytes(&w, &bytes) && cache_write_file(path, buf_view(&bytes), error);
  free(w.files);
  buf_free(&bytes);
  close(w.folder);
  return good;
}
