// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the cache's folder, checks that it may be used, and logs problems.
#include "runtime/cache/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/cache/build_id.h"
#include "runtime/cache/bundle.h"
#include "runtime/tilec.h"

enum { PATH_ROOM = 4096 };
static const uint64_t default_limit = 1u << 30;

// --- Log ---

static CacheLog log_to; // atomic
static unsigned said;   // one bit per CacheTrouble; atomic

static _Thread_local CacheHeard *listener;
static _Thread_local bool is_hushed;

void cache_set_log(CacheLog log) { __atomic_store_n(&log_to, log, __ATOMIC_RELEASE); }
void cache_hear(CacheHeard *heard) { listener = heard; }
void cache_hush(bool hushed) { is_hushed = hushed; }
void cache_say_again(void) { __atomic_store_n(&said, 0, __ATOMIC_RELEASE); }

// A message that has no listener does not count as logged.
void cache_say(CacheTrouble trouble, const char *format, ...) {
  CacheLog log = __atomic_load_n(&log_to, __ATOMIC_ACQUIRE);
  unsigned bit = 1u << trouble;
  if (is_hushed || (!log && !listener) || __atomic_fetch_or(&said, bit, __ATOMIC_ACQ_REL) & bit) return;
  char text[PATH_ROOM + 256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!listener) {
    log(text);
    return;
  }
  int n = snprintf(listener->text + listener->n, sizeof listener->text - listener->n, "%s\n", text);
  listener->n += n > 0 && (size_t)n < sizeof listener->text - listener->n ? (size_t)n : 0;
}

// --- Settings ---

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value && value[0] ? value : NULL;
}

// 1 on, 0 off, -1 neither.
static int switched(const char *value) {
  if (strcmp(value, "on") == 0 || strcmp(value, "1") == 0) return 1;
  return strcmp(value, "off") == 0 || strcmp(value, "0") == 0 ? 0 : -1;
}

bool cache_switch(const char *name, bool usual) {
  const char *value = setting(name);
  int on = value ? switched(value) : -1;
  return on < 0 ? usual : on == 1;
}

static void check_switches(void) {
  static const char *const names[] = {"TILEC_CACHE_CUBINS", "TILEC_RECORD_CUBINS"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = setting(names[i]);
    if (value && switched(value) < 0)
      cache_say(CACHE_SETTING, "%s must be on or off, not '%.64s'", names[i], value);
  }
}

static bool is_off(void) {
  const char *value = setting("TILEC_CACHE");
  check_switches();
  // A program with more rights than its caller (setuid, setgid, capabilities): the caller must not choose the
  // folder.
  if (getauxval(AT_SECURE)) return true;
  int on = value ? switched(value) : 1;
  if (on < 0)
    cache_say(CACHE_SETTING, "TILEC_CACHE must be on or off, not '%.64s': the cache is not used", value);
  return on != 1;
}

bool cache_path(char *path, size_t room) {
  const char *own = setting("TILEC_CACHE_DIR"), *xdg = setting("XDG_CACHE_HOME"), *home = setting("HOME");
  int n = -1;
  if (own)
    n = snprintf(path, room, "%s", own);
  else if (xdg && xdg[0] == '/') // "all paths must be absolute" (XDG Base Directory Specification)
    n = snprintf(path, room, "%s/tilec", xdg);
  else if (home && home[0] == '/')
    n = snprintf(path, room, "%s/.cache/tilec", home);
  return n > 0 && (size_t)n < room;
}

// "500M", "2G", "100000": bytes, with powers of 1024.
static bool parse_size(const char *text, uint64_t *bytes) {
  static const char units[] = "KMGT";
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (errno || text[0] < '0' || text[0] > '9') return false;
  const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
  int shift = unit ? 10 * (int)(unit - units + 1) : 0;
  if (*end && (!unit || end[1])) return false;
  if (shift && number >> (64 - shift)) return false;
  *bytes = (uint64_t)number << shift;
  return true;
}

uint64_t cache_size_limit(void) {
  const char *value = setting("TILEC_CACHE_SIZE");
  uint64_t bytes;
  if (!value) return default_limit;
  if (parse_size(value, &bytes)) return bytes;
  cache_say(CACHE_SETTING,
            "TILEC_CACHE_SIZE must be a number of bytes, or one with K, M, G or T, not '%.64s': 1G is used",
            value);
  return default_limit;
}

// --- The folder ---

// Creates the folder and its parents, accessible to the user only.
static bool make_folders(char *path) {
  for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = '\0';
    int failed = mkdir(path, 0700) != 0 && errno != EEXIST && errno != EISDIR && errno != EROFS;
    *slash = '/';
    if (failed) return false;
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static int give_up(CacheTrouble trouble, bool tell, Buf *why, const char *text) {
  if (why)
    buf_text(why, text);
  else if (tell)
    cache_say(trouble, "%s: kernels are compiled without it", text);
  return -1;
}

// If others could write here, they could make this user's programs run their code.
static bool is_own(const char *what, const char *path, int folder, char *text, size_t room) {
  struct stat info;
  if (fstat(folder, &info) != 0) {
    snprintf(text, room, "%s %s: %s", what, path, strerror(errno));
    return false;
  }
  if (info.st_uid != geteuid())
    snprintf(text, room, "%s %s belongs to user %u, not to user %u", what, path, (unsigned)info.st_uid,
             (unsigned)geteuid());
  else if (info.st_mode & (S_IWGRP | S_IWOTH))
    snprintf(text, room, "%s %s can be written by other users (mode %o): run chmod 700 on it", what, path,
             (unsigned)info.st_mode & 0777);
  else
    return true;
  return false;
}

int cache_open_folder(bool make, Buf *why) {
  char path[PATH_ROOM];
  if (!cache_path(path, sizeof path))
    return give_up(CACHE_NO_FOLDER, false, why,
                   "no folder for the cache: TILEC_CACHE_DIR, XDG_CACHE_HOME and HOME are not set");
  return cache_open_folder_at("the cache", path, make, why);
}

int cache_open_folder_at(const char *what, const char *own, bool make, Buf *why) {
  char path[PATH_ROOM], text[PATH_ROOM + 128];
  snprintf(path, sizeof path, "%s", own);
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 && errno == ENOENT && !make) return -1;
  if (folder < 0 && errno == ENOENT && make_folders(path))
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    snprintf(text, sizeof text, "%s %s cannot be %s: %s", what, path, make ? "made" : "read",
             strerror(errno));
    return give_up(CACHE_NO_FOLDER, true, why, text);
  }
  if (is_own(what, path, folder, text, sizeof text)) return folder;
  close(folder);
  return give_up(CACHE_REFUSED, true, why, text);
}

// --- Keys ---

static pthread_once_t build_once = PTHREAD_ONCE_INIT;
static CacheKey build_key;
static bool build_known;

// The build of this code and of LLVM, which may be a separate library.
static void find_build(void) {
  BuildId own, llvm;
  Digest digest;
  build_known =
      build_id_of(&build_known, &own) && own.n && build_id_of(codegen_llvm_place(), &llvm) && llvm.n;
  if (!build_known) return;
  digest_start(&digest);
  digest_text(&digest, tilec_version());
  digest_str(&digest, (Str){(const char *)own.bytes, own.n});
  digest_str(&digest, (Str){(const char *)llvm.bytes, llvm.n});
  digest_codegen(&digest);
  digest_end(&digest, build_key.bytes);
}

static bool folder_is_used(void) {
  if (is_off()) return false;
  pthread_once(&build_once, find_build);
  if (!build_known)
    cache_say(CACHE_NO_BUILD, "this build of tilec has no build id (ld --build-id): the cache is not used");
  return build_known;
}

static pthread_once_t sources_once = PTHREAD_ONCE_INIT;
static CacheKey sources_key;

static void find_sources(void) {
  Digest digest;
  digest_start(&digest);
  digest_text(&digest, tilec_version());
  digest_text(&digest, cache_source_id);
  digest_codegen(&digest);
  digest_end(&digest, sources_key.bytes);
}

void cache_sources_hex(char hex[DIGEST_HEX + 1]) {
  pthread_once(&sources_once, find_sources);
  digest_hex(sources_key.bytes, hex);
}

bool cache_key_begin(Digest *digest, const char *kind) {
  if (is_off() && !bundle_is_used()) return false;
  digest_start(digest);
  digest_text(digest, kind);
  return true;
}

// Of the code that makes the entry, the entry's inputs, and what is of this machine.
static void join(const CacheKey *code, const unsigned char inputs[DIGEST_BYTES], Str local,
                 unsigned char bytes[DIGEST_BYTES]) {
  Digest digest;
  digest_start(&digest);
  digest_bytes(&digest, code->bytes, sizeof code->bytes);
  digest_bytes(&digest, inputs, DIGEST_BYTES);
  digest_str(&digest, local);
  digest_end(&digest, bytes);
}

CacheKey cache_key_end_shared(const Digest *digest) {
  CacheKey key = {.in_folder = !is_off()};
  unsigned char inputs[DIGEST_BYTES];
  pthread_once(&sources_once, find_sources);
  digest_end(digest, inputs);
  join(&sources_key, inputs, (Str){NULL, 0}, key.portable);
  memcpy(key.bytes, key.portable, sizeof key.bytes);
  return key;
}

CacheKey cache_key_end(const Digest *digest, Str local) {
  CacheKey key = cache_key_end_shared(digest);
  unsigned char inputs[DIGEST_BYTES];
  key.in_folder = folder_is_used();
  digest_end(digest, inputs);
  if (key.in_folder) join(&build_key, inputs, local, key.bytes);
  return key;
}
