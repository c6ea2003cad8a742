// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache's size. Removes entries over the limit, and files of processes that have ended.
#include "runtime/cache/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> // renameat
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Processes append without waiting. A reader adds the numbers up.
enum { MAX_RECORDS = 8192 };

static bool is_entry_name(const char *name) {
  return strlen(name) == DIGEST_HEX && strspn(name, "0123456789abcdef") == DIGEST_HEX;
}

// --- Listing ---

static DIR *open_listing(int folder, const char *name) {
  int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *listing = fd < 0 ? NULL : fdopendir(fd);
  if (!listing && fd >= 0) close(fd);
  return listing;
}

typedef struct FileList {
  CacheFile *at;
  size_t n, cap;
} FileList;

static bool add_file(FileList *list, const char *name, const struct stat *info) {
  if (list->n == list->cap) {
    size_t cap = list->cap ? 2 * list->cap : 256;
    CacheFile *grown = realloc(list->at, cap * sizeof *grown);
    if (!grown) return false;
    list->at = grown;
    list->cap = cap;
  }
  CacheFile *file = &list->at[list->n++];
  *file = (CacheFile){.used = info->st_mtim, .bytes = (uint64_t)info->st_size};
  memcpy(file->name, name, DIGEST_HEX + 1);
  return true;
}

bool cache_scan(int folder, CacheFile **files, size_t *count) {
  FileList list = {0};
  DIR *listing = open_listing(folder, ".");
  bool good = listing != NULL;
  for (const struct dirent *item; good && (item = readdir(listing)) != NULL;) {
    struct stat info;
    if (is_entry_name(item->d_name) && fstatat(folder, item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0)
      good = add_file(&list, item->d_name, &info);
  }
  if (listing) closedir(listing);
  if (!good) free(list.at);
  *files = good ? list.at : NULL;
  *count = good ? list.n : 0;
  return good;
}

static bool cache_used_before(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static int by_use(const void *a, const void *b) {
  const CacheFile *x = a, *y = b;
  if (cache_used_before(&x->used, &y->used)) return -1;
  return cache_used_before(&y->used, &x->used) ? 1 : memcmp(x->name, y->name, DIGEST_HEX);
}

// --- The size ---

// Adds up the numbers from *at to the current end of the file, and moves *at there. False if a number is
// incomplete, or if there are so many that the file should be rewritten as one number.
static bool add_up(int fd, off_t *at, int64_t *total) {
  struct stat info;
  int64_t part[256];
  if (fstat(fd, &info) != 0 || info.st_size % (off_t)sizeof *part ||
      info.st_size > MAX_RECORDS * (off_t)sizeof *part)
    return false;
  while (*at < info.st_size) {
    ssize_t got = pread(fd, part, sizeof part, *at);
    if (got <= 0 || got % (ssize_t)sizeof *part) return false;
    for (size_t i = 0; i < (size_t)got / sizeof *part; i++) *total += part[i];
    *at += got;
  }
  return *total >= 0;
}

static bool is_current(int folder, int fd) {
  struct stat own, now;
  return fstat(fd, &own) == 0 && fstatat(folder, CACHE_SIZE, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
         own.st_ino == now.st_ino && own.st_dev == now.st_dev;
}

// Appends `bytes` to the file `size` and returns its descriptor. If another process has replaced the file
// meanwhile, it may have missed the number, so it is appended to the new file too. -1 on failure. *whole is
// false if the write failed.
static int append_size(int folder, int64_t bytes, bool *whole) {
  enum { TRIES = 100 };
  for (int i = 1;; i++) {
    int fd = openat(folder, CACHE_SIZE, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return -1;
    *whole = write(fd, &bytes, sizeof bytes) == sizeof bytes;
    if (is_current(folder, fd) || i == TRIES) return fd;
    close(fd);
  }
}

// Replaces `old` by a file with one number. `total` covers the first `at` bytes of `old`. Numbers that others
// append until the rename are included. So are later ones, if their writers do not see that the file was
// replaced.
static void replace_size(int folder, int old, off_t at, int64_t total) {
  char name[CACHE_TMP_ROOM];
  int64_t late = 0;
  int fd = cache_open_temporary(folder, name, sizeof name);
  if (fd < 0) return;
  add_up(old, &at, &total);
  if (write(fd, &total, sizeof total) != sizeof total || renameat(folder, name, folder, CACHE_SIZE) != 0)
    unlinkat(folder, name, 0);
  else if (add_up(old, &at, &late) && late && write(fd, &late, sizeof late) != sizeof late)
    unlinkat(folder, CACHE_SIZE, 0);
  close(fd);
}

// Removes the least recently used entries, down to seven eighths of the limit. A reader with an open entry
// can still read it. Returns the remaining bytes. Negative: not known.
static int64_t remove_old(int folder, uint64_t limit) {
  CacheFile *files;
  size_t count;
  uint64_t total = 0;
  if (!cache_scan(folder, &files, &count)) return -1;
  for (size_t i = 0; i < count; i++) total += files[i].bytes;
  if (limit && total > limit) {
    qsort(files, count, sizeof *files, by_use);
    for (size_t i = 0; i < count && total > limit - limit / 8; i++)
      if (unlinkat(folder, files[i].name, 0) == 0 || errno == ENOENT) total -= files[i].bytes;
  }
  free(files);
  return (int64_t)total;
}

// An entry exists before its number is appended. So the scan has seen all entries whose numbers are in the
// file now.
static void trim(int folder, int size, uint64_t limit) {
  struct stat info;
  if (fstat(size, &info) != 0) return;
  int64_t total = remove_old(folder, limit);
  if (total >= 0) replace_size(folder, size, info.st_size, total);
}

void cache_grown(int folder, int64_t bytes) {
  int64_t total = 0;
  off_t at = 0;
  bool known;
  uint64_t limit = cache_size_limit();
  int fd = append_size(folder, bytes, &known);
  if (fd < 0) return;
  known = add_up(fd, &at, &total) && known &&
          at > (off_t)sizeof bytes; // at the first number the file was lost, or is new
  bool over = !known || (limit && (uint64_t)total > limit);
  if (over && flock(fd, LOCK_EX | LOCK_NB) == 0) {
    if (is_current(folder, fd)) trim(folder, fd, limit); // else another process has just trimmed
  } else if (known && over && (uint64_t)total > limit + limit / 8) {
    remove_old(folder, limit); // another process is trimming, but is slow or stopped
  }
  close(fd);
}

// --- Leftovers of killed processes ---

void cache_clean(int folder) {
  DIR *listing = open_listing(folder, CACHE_TMP);
  if (!listing) return;
  for (const struct dirent *item; (item = readdir(listing)) != NULL;) {
    if (item->d_name[0] == '.') continue;
    int fd = openat(dirfd(listing), item->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlinkat(dirfd(listing), item->d_name, 0);
    close(fd);
  }
  closedir(listing);
}

// --- tilec cache ---

typedef struct Listing {
  int folder; // negative: no folder
  CacheFile *files;
  size_t count;
  bool good; // false: *error has the reason
} Listing;

static Listing listing_open(Buf *error) {
  Listing listing = {.folder = cache_open_folder(false, error)};
  if (listing.folder < 0) {
    listing.good = error->n == 0;
    return listing;
  }
  listing.good = cache_scan(listing.folder, &listing.files, &listing.count);
  if (!listing.good) buf_printf(error, "the cache's folder cannot be read: %s", strerror(errno));
  return listing;
}

static void listing_close(const Listing *listing) {
  free(listing->files);
  if (listing->folder >= 0) close(listing->folder);
}

bool cache_list(void (*each)(const CacheListed *listed, void *data), void *data, Buf *error) {
  Listing listing = listing_open(error);
  CacheFile *files = listing.files;
  if (listing.count) qsort(files, listing.count, sizeof *files, by_use);
  for (size_t i = listing.count; i-- > 0;) {
    CacheListed listed = {.name = files[i].name, .bytes = files[i].bytes, .used = files[i].used};
    bool missing;
    listed.state = cache_read(listing.folder, files[i].name, false, &listed.entry, &listed.reason, &missing);
    if (!missing) each(&listed, data);
    cache_entry_free(&listed.entry);
  }
  listing_close(&listing);
  return listing.good;
}

bool cache_remove(const char *name) {
  int folder = cache_open_folder(false, NULL);
  bool good = folder >= 0 && is_entry_name(name) && unlinkat(folder, name, 0) == 0;
  if (folder >= 0) close(folder);
  return good;
}

bool cache_clear(CacheCleared *cleared, Buf *error) {
  Listing listing = listing_open(error);
  *cleared = (CacheCleared){0};
  for (size_t i = 0; i < listing.count; i++) {
    bool removed = unlinkat(listing.folder, listing.files[i].name, 0) == 0;
    cleared->entries += removed;
    cleared->bytes += removed ? listing.files[i].bytes : 0;
    if (removed || errno == ENOENT) continue;
    if (!cleared->left++) cleared->reason = errno;
  }
  if (listing.folder >= 0) {
    cache_clean(listing.folder);
    unlinkat(listing.folder, CACHE_SIZE, 0);
  }
  listing_close(&listing);
  return listing.good;
}
