// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cache entries. Reading checks for every kind of damage. Writing never leaves a partial entry.
//
// The file of an entry has a header line "tilec-cache 1 HASH KEY BYTES". HASH covers everything after it, to
// the end of the file. Then come BYTES bytes: the fields' lines, an empty line and the blob.
#include "runtime/cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/cache/bundle.h"
#include "runtime/cache/cache_folder.h"

static const char magic[] = "tilec-cache 1 ";
enum {
  HASH_AT = sizeof magic - 1,
  KEY_AT = HASH_AT + DIGEST_HEX + 1, // the hash includes the blank before it
  HASHED_AT = KEY_AT - 1,
  BYTES_AT = KEY_AT + DIGEST_HEX + 1,
  BYTES_DIGITS = 12,
  BODY_AT = BYTES_AT + BYTES_DIGITS + 1,
  MAX_BYTES = 1 << 28,
};

void cache_entry_free(CacheEntry *entry) {
  free(entry->memory);
  *entry = (CacheEntry){0};
}

// --- Fields ---

Str cache_field(const CacheEntry *entry, const char *name) {
  size_t n = strlen(name);
  const char *at = entry->fields.at, *end = at + entry->fields.n;
  while (at && at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    if ((size_t)(stop - at) > n && at[n] == '=' && memcmp(at, name, n) == 0)
      return (Str){at + n + 1, (size_t)(stop - at) - n - 1};
    at = stop + 1;
  }
  return (Str){NULL, 0};
}

bool cache_field_number(const CacheEntry *entry, const char *name, uint32_t *value) {
  Str text = cache_field(entry, name);
  uint64_t number = 0;
  for (size_t i = 0; i < text.n; i++) {
    if (text.at[i] < '0' || text.at[i] > '9' || number > UINT32_MAX / 10) return false;
    number = 10 * number + (uint64_t)(text.at[i] - '0');
  }
  *value = (uint32_t)number;
  return text.n > 0 && number <= UINT32_MAX;
}

// --- Reading ---

void cache_hash_hex(const char *at, size_t n, char hex[DIGEST_HEX + 1]) {
  Digest digest;
  unsigned char bytes[DIGEST_BYTES];
  digest_start(&digest);
  digest_bytes(&digest, at, n);
  digest_end(&digest, bytes);
  digest_hex(bytes, hex);
}

// Checks `n` bytes as the file of that name. Returns the problem. NULL: it is good, and `entry` is filled.
static const char *take_apart(char *at, size_t n, const char *name, CacheEntry *entry) {
  char hex[DIGEST_HEX + 1], *body = at + BODY_AT;
  if (n < BODY_AT) return "it is cut off";
  if (memcmp(at, magic, HASH_AT) != 0) return "it is not an entry of this version";
  cache_hash_hex(at + HASHED_AT, n - HASHED_AT, hex);
  if (memcmp(hex, at + HASH_AT, DIGEST_HEX) != 0) return "its hash is another";
  if (memcmp(at + KEY_AT, name, DIGEST_HEX) != 0) return "it is another's under a wrong name";
  if (strtoull(at + BYTES_AT, NULL, 10) != n - BODY_AT) return "its length is another";
  char *gap = strstr(body, "\n\n");
  if (!gap) return "it has no fields";
  char *blob = gap + 2;
  entry->fields = (Str){body, (size_t)(gap - body)};
  entry->blob = (Str){blob, (size_t)(at + n - blob)};
  return NULL;
}

const char *cache_read_text(Str text, const char *name, CacheEntry *entry) {
  char *memory = malloc(text.n + 1);
  *entry = (CacheEntry){0};
  if (!memory) return "there is no memory for it";
  memcpy(memory, text.at, text.n);
  memory[text.n] = '\0';
  const char *reason = take_apart(memory, text.n, name, entry);
  if (reason)
    free(memory);
  else
    entry->memory = memory;
  return reason;
}

static bool read_all(int fd, char *at, size_t n) {
  while (n) {
    ssize_t got = read(fd, at, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    n -= (size_t)got;
  }
  return true;
}

static const char *read_entry(int fd, const struct stat *info, const char *name, CacheEntry *entry,
                              bool *missing) {
  if (info->st_size > MAX_BYTES) return "it is too large";
  size_t n = (size_t)info->st_size;
  char *memory = malloc(n + 1);
  if (!memory || !read_all(fd, memory, n)) {
    free(memory);
    *missing = true;
    return "it cannot be read";
  }
  memory[n] = '\0';
  const char *reason = take_apart(memory, n, name, entry);
  if (reason)
    free(memory);
  else
    entry->memory = memory;
  return reason;
}

CacheState cache_read(int folder, const char *name, bool use, CacheEntry *entry, const char **reason,
                      bool *missing) {
  struct stat info;
  *entry = (CacheEntry){0};
  *missing = false;
  *reason = NULL;
  // O_NONBLOCK: the file may be a pipe.
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0 || fstat(fd, &info) != 0) {
    *missing = fd >= 0 || errno != ELOOP;
    *reason = *missing ? strerror(errno) : "it is a symbolic link";
    if (fd >= 0) close(fd);
    return *missing ? CACHE_BAD : CACHE_FOREIGN;
  }
  CacheState state = CACHE_FOREIGN;
  if (!S_ISREG(info.st_mode))
    *reason = "it is not a regular file";
  else if (info.st_uid != geteuid())
    *reason = "it belongs to another user";
  else {
    *reason = read_entry(fd, &info, name, entry, missing);
    state = *reason ? CACHE_BAD : CACHE_GOOD;
  }
  if (state == CACHE_GOOD && use) futimens(fd, NULL); // fails on a read-only file system, which is fine
  close(fd);
  return state;
}

static bool get_from_folder(const CacheKey *key, CacheEntry *entry) {
  char name[DIGEST_HEX + 1];
  const char *reason;
  bool missing;
  *entry = (CacheEntry){0};
  if (!key->in_folder) return false;
  int folder = cache_open_folder(false, NULL);
  if (folder < 0) return false;
  digest_hex(key->bytes, name);
  CacheState state = cache_read(folder, name, true, entry, &reason, &missing);
  if (state != CACHE_GOOD && !missing) {
    bool removed = state == CACHE_BAD && unlinkat(folder, name, 0) == 0;
    cache_say(CACHE_BROKEN, "the cache's entry %.16s... is not used%s: %s", name,
              removed ? " and removed" : "", reason);
  }
  close(folder);
  return state == CACHE_GOOD;
}

bool cache_get(const CacheKey *key, CacheEntry *entry) {
  if (!bundle_get(key->portable, entry) && !get_from_folder(key, entry)) return false;
  cache_record(key, entry->fields, entry->blob);
  return true;
}

// --- Writing ---

static bool cache_write_all(int fd, const char *at, size_t n) {
  while (n) {
    ssize_t put = write(fd, at, n);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    n -= (size_t)put;
  }
  return true;
}

// Locks the new file. Returns true if another process has locked it since its creation, to remove it as
// left over.
static bool is_taken(int fd) {
  struct stat info;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return true;
  return fstat(fd, &info) == 0 && info.st_nlink == 0;
}

int cache_open_temporary(int folder, char *name, size_t room) {
  static unsigned counter; // atomic
  enum { TRIES = 100 };
  for (int i = 0; i < TRIES; i++) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, room, CACHE_TMP "/%ld.%u.%lx%lx", (long)getpid(),
             __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED), (unsigned long)now.tv_sec,
             (unsigned long)now.tv_nsec);
    int fd = openat(folder, name, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && !is_taken(fd)) return fd;
    if (fd >= 0) {
      close(fd);
      continue;
    }
    if (errno == ENOENT && mkdirat(folder, CACHE_TMP, 0700) != 0 && errno != EEXIST) return -1;
    if (errno != ENOENT && errno != EEXIST) return -1;
  }
  return -1;
}

bool cache_write_file(const char *path, Str bytes, Buf *error) {
  char temporary[4096];
  int n = snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
  int fd = n > 0 && (size_t)n < sizeof temporary
               ? open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)
               : -1;
  bool good =
      fd >= 0 && cache_write_all(fd, bytes.at, bytes.n) && fsync(fd) == 0 && rename(temporary, path) == 0;
  if (!good) {
    buf_printf(error, "%s cannot be written: %s", path, strerror(errno));
    if (fd >= 0) unlink(temporary);
  }
  if (fd >= 0) close(fd);
  return good;
}

// The text of the whole file, malloc'ed. NULL if memory is exhausted.
static char *make_text(const char *name, Str fields, Str blob, size_t *bytes) {
  char hex[DIGEST_HEX + 1];
  size_t body = fields.n + 2 + blob.n;
  char *text = malloc(BODY_AT + body + 1);
  if (!text) return NULL;
  snprintf(text, BODY_AT + 1, "%s%.*s %s %0*llu\n", magic, DIGEST_HEX, name, name, BYTES_DIGITS,
           (unsigned long long)body);
  char *at = text + BODY_AT;
  memcpy(at, fields.at, fields.n);
  memcpy(at + fields.n, "\n\n", 2);
  memcpy(at + fields.n + 2, blob.at, blob.n);
  cache_hash_hex(text + HASHED_AT, BODY_AT + body - HASHED_AT, hex);
  memcpy(text + HASH_AT, hex, DIGEST_HEX);
  *bytes = BODY_AT + body;
  return text;
}

// The descriptor, and with it the lock, stays open until the rename.
static bool write_entry(int folder, const char *name, const char *text, size_t bytes) {
  char temporary[CACHE_TMP_ROOM];
  int fd = cache_open_temporary(folder, temporary, sizeof temporary);
  if (fd < 0) return false;
  bool good = cache_write_all(fd, text, bytes) && renameat(folder, temporary, folder, name) == 0;
  int reason = errno;
  if (!good) unlinkat(folder, temporary, 0);
  close(fd);
  errno = reason;
  return good;
}

// A write past the process's file size limit raises a signal that would end the process. The signal is
// blocked on this thread. If it was raised here, it is removed.
typedef struct HeldSignal {
  sigset_t set, before;
  bool waited; // one was already pending before
} HeldSignal;

static void hold_signal(HeldSignal *held) {
  sigset_t waiting;
  sigemptyset(&held->set);
  sigaddset(&held->set, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &held->set, &held->before);
  held->waited = sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1;
}

static void release_signal(const HeldSignal *held) {
  if (!held->waited) sigtimedwait(&held->set, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}

// Returns the bytes that were written. 0, with errno: it failed.
static size_t put_in_folder(int folder, const unsigned char key[DIGEST_BYTES], Str fields, Str blob) {
  HeldSignal held;
  char name[DIGEST_HEX + 1];
  size_t bytes = 0;
  digest_hex(key, name);
  errno = ENOMEM;
  char *text = make_text(name, fields, blob, &bytes);
  hold_signal(&held);
  bool good = text && write_entry(folder, name, text, bytes);
  int reason = errno;
  release_signal(&held);
  free(text);
  errno = reason;
  return good ? bytes : 0;
}

static void put_in_cache(const CacheKey *key, Str fields, Str blob) {
  static bool cleaned; // atomic: once per process
  uint64_t limit = cache_size_limit();
  if (limit && BODY_AT + fields.n + blob.n > limit) return;
  int folder = cache_open_folder(true, NULL);
  if (folder < 0) return;
  if (!__atomic_exchange_n(&cleaned, true, __ATOMIC_RELAXED)) cache_clean(folder);
  size_t bytes = put_in_folder(folder, key->bytes, fields, blob);
  char path[1024];
  if (bytes)
    cache_grown(folder, (int64_t)bytes); // also counts an entry that it replaced; trimming corrects that
  else if (errno != ENOMEM)
    cache_say(CACHE_NO_WRITE, "the cache %s cannot be written: %s: compiled kernels are not kept",
              cache_path(path, sizeof path) ? path : "", strerror(errno));
  close(folder);
}

void cache_record(const CacheKey *key, Str fields, Str blob) {
  const char *path = bundle_records() ? getenv("TILEC_RECORD") : NULL;
  Buf why = {0};
  int folder = path ? cache_open_folder_at("the folder", path, true, &why) : -1;
  if (why.n) cache_say(CACHE_NO_RECORD, "TILEC_RECORD: %.4000s: kernels are not recorded", buf_view(&why).at);
  buf_free(&why);
  if (folder < 0) return;
  if (!put_in_folder(folder, key->portable, fields, blob))
    cache_say(CACHE_NO_RECORD, "TILEC_RECORD: %.4000s cannot be written: %s", path, strerror(errno));
  close(folder);
}

void cache_put(const CacheKey *key, Str fields, Str blob) {
  if (blob.n > MAX_BYTES / 2 || fields.n > MAX_BYTES / 4) return;
  if (key->in_folder) put_in_cache(key, fields, blob);
  cache_record(key, fields, blob);
}
