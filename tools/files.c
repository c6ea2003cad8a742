// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes the tool's files. A regular file is written next to its place and then renamed. So it
// appears whole, or the old one stays. It keeps its mode. A symbolic link still points to it.
#define _XOPEN_SOURCE 700 // realpath
#include "tools/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/read.h"

#include "runtime/compile/imports.h"
#include "tools/tool.h"

enum { MAX_LINKS = 40, MAX_NAMES = 100, MAX_SOURCE = 1 << 28 };

static bool is_standard(const char *path) { return strcmp(path, "-") == 0; }

const char *tool_source_name(const char *path) { return is_standard(path) ? "<stdin>" : path; }

// --- The standard streams ---

// A closed standard stream becomes one on which reading or writing fails. Otherwise a file opened later would
// get its number, and printed text would go there.
void files_begin(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
}

// Discards all later output, so that the failure is reported once.
static void give_up_output(int reason) {
  tool_error("[T1007] cannot write '<stdout>': %s", strerror(reason ? reason : EIO));
  if (!freopen("/dev/null", "w", stdout)) return;
}

bool files_end(void) {
  errno = 0;
  if (!ferror(stdout) && fflush(stdout) == 0) return true;
  if (!errno) fflush(stdout); // the reason of the earlier failure is not kept: try again
  give_up_output(errno);
  return false;
}

// True if a component is ".", ".." or empty.
static bool is_spelled_out(const char *path) {
  for (const char *at = path; *at;) {
    size_t n = strcspn(at, "/");
    if (n == 0 || (n == 1 && at[0] == '.') || (n == 2 && at[0] == '.' && at[1] == '.')) return true;
    at += n + (at[n] == '/');
  }
  return false;
}

const char *tool_place(Arena *arena, const char *path) {
  if (is_standard(path) || !is_spelled_out(path)) return tool_source_name(path);
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  Str folder = slash ? (Str){path, (size_t)(slash + 1 - path)} : STR(".");
  char *real = realpath(arena_copy(arena, folder), NULL), *here = realpath(".", NULL);
  const char *place = path;
  if (real && here && name[0]) {
    size_t n = strlen(here);
    bool within = strncmp(real, here, n) == 0 && (real[n] == '/' || !real[n]);
    place = arena_printf(arena, "%s/%s", real, name);
    if (within) place += n + 1;
  }
  free(real);
  free(here);
  return place;
}

// --- Reading ---

bool tool_read(Arena *arena, const char *path, Str *text) {
  bool standard = is_standard(path);
  if (!standard && import_is_irregular(path)) {
    tool_error("[T1007] cannot read '%s': it is not a regular file", path);
    return false;
  }
  FILE *file = standard ? stdin : fopen(path, "rb");
  Buf bytes = {0};
  bool ok = file && buf_read(&bytes, file, MAX_SOURCE); // fopen succeeds on a folder; the first read fails
  if (ok && bytes.n > MAX_SOURCE) ok = false, errno = EFBIG;
  if (!ok)
    tool_error("[T1007] cannot read '%s': %s", tool_source_name(path), strerror(errno));
  else
    *text = (Str){arena_copy(arena, buf_view(&bytes)), bytes.n};
  buf_free(&bytes);
  if (file && !standard) fclose(file);
  return ok;
}

// --- Writing ---

static bool write_all(FILE *file, Str text) {
  return fwrite(text.at, 1, text.n, file) == text.n && fflush(file) == 0;
}

// Appends the path's folder with its slash. Nothing for a bare name.
static void add_folder(const char *path, Buf *out) {
  const char *slash = strrchr(path, '/');
  if (slash) buf_bytes(out, path, (size_t)(slash + 1 - path));
}

// Follows the path's symbolic links. The target need not exist. False with errno. *stream: the target is an
// open file of a process (/dev/stdout), so no other file can replace it.
static bool follow_links(const char *path, Buf *real, bool *stream) {
  buf_text(real, path);
  *stream = false;
  for (int i = 0; i < MAX_LINKS && !*stream; i++) {
    char link[4096];
    ssize_t n = readlink(real->at, link, sizeof link);
    if (n < 0) return true; // no link, or nothing exists
    Buf next = {0};
    if (link[0] != '/') add_folder(real->at, &next);
    buf_bytes(&next, link, (size_t)n);
    buf_free(real);
    *real = next;
    *stream = strncmp(real->at, "/proc/", 6) == 0;
  }
  if (!*stream) errno = ELOOP;
  return *stream;
}

// Creates a new file in the folder of `path`. `name` gets its name. -1 with errno.
static int create_beside(const char *path, Buf *name) {
  for (int i = 0; i < MAX_NAMES; i++) {
    buf_reset(name);
    add_folder(path, name);
    buf_printf(name, ".tilec-%ld-%d.tmp", (long)getpid(), i);
    int fd = open(name->at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// Writes into the open file `fd` and closes it.
static bool write_open(int fd, Str text) {
  FILE *file = fdopen(fd, "wb");
  if (!file) {
    close(fd);
    return false;
  }
  bool ok = write_all(file, text);
  int reason = errno;
  if (fclose(file) != 0 && ok) return false;
  errno = reason;
  return ok;
}

// old: the existing file. NULL: none.
static bool replace_file(const char *path, const struct stat *old, Str text) {
  if (old && access(path, W_OK) != 0) return false;
  Buf name = {0};
  int fd = create_beside(path, &name);
  bool ok = fd >= 0, in_place = !ok && old && (errno == EACCES || errno == EPERM || errno == EROFS);
  if (in_place) // the folder takes no new file, but this one is writable
    ok = (fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)) >= 0 && write_open(fd, text);
  else if (ok) {
    if (old && fchown(fd, old->st_uid, old->st_gid) != 0) errno = 0; // only root can, and only root needs to
    if (old && fchmod(fd, old->st_mode & 07777) != 0) errno = 0;
    ok = write_open(fd, text) && rename(name.at, path) == 0;
    int reason = errno;
    if (!ok) unlink(name.at);
    errno = reason;
  }
  int reason = errno;
  buf_free(&name);
  errno = reason;
  return ok;
}

static bool write_path(const char *path, Str text) {
  struct stat about;
  Buf real = {0};
  bool stream, ok = follow_links(path, &real, &stream);
  if (ok) {
    bool there = stat(path, &about) == 0;
    if (!stream && (!there || S_ISREG(about.st_mode)))
      ok = replace_file(real.at, there ? &about : NULL, text);
    else { // a device or a pipe
      int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
      ok = fd >= 0 && write_open(fd, text);
    }
  }
  int reason = errno;
  buf_free(&real);
  errno = reason;
  return ok;
}

bool tool_write(const char *path, Str text) {
  if (is_standard(path)) {
    if (write_all(stdout, text)) return true;
    give_up_output(errno);
    return false;
  }
  if (write_path(path, text)) return true;
  tool_error("[T1007] cannot write '%s': %s", path, strerror(errno));
  return false;
}

// --- Outputs and inputs ---

static bool stat_path(const char *path, struct stat *about) {
  return (is_standard(path) ? fstat(STDIN_FILENO, about) : stat(path, about)) == 0;
}

static bool same_inode(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// The folder of a file with this path. The file need not exist.
static bool stat_folder(const char *path, struct stat *about) {
  Buf folder = {0};
  add_folder(path, &folder);
  bool found = stat(folder.n ? folder.at : ".", about) == 0;
  buf_free(&folder);
  return found;
}

// True if both are one regular file, or will be.
static bool same_file(const char *a, const char *b) {
  struct stat one, other;
  bool one_there = stat_path(a, &one), other_there = stat_path(b, &other);
  if (one_there || other_there)
    return one_there && other_there && S_ISREG(one.st_mode) && same_inode(&one, &other);
  return strcmp(path_name(a), path_name(b)) == 0 && stat_folder(a, &one) && stat_folder(b, &other) &&
         same_inode(&one, &other);
}

static bool overwrites(const char *output, const char *input) {
  if (!input || !same_file(output, input)) return false;
  tool_error("[T1006] the output '%s' would overwrite the input '%s'; name another", output,
             tool_source_name(input));
  return true;
}

// The file name in an argument "@x.npy" or "@x.npy:bf16". NULL: it names no file.
static const char *argument_file(Arena *arena, const char *text) {
  if (text[0] != '@') return NULL;
  struct stat about;
  const char *colon = strrchr(text, ':');
  if (stat(text + 1, &about) == 0 || !colon) return text + 1;
  return arena_copy(arena, (Str){text + 1, (size_t)(colon - text - 1)});
}

bool files_apart(Arena *arena, const Options *o, const Compilation *c, const char *const *outputs,
                 uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (is_standard(outputs[i])) continue;
    if (overwrites(outputs[i], o->file) || overwrites(outputs[i], o->check_file) ||
        overwrites(outputs[i], o->ncu_file))
      return false;
    for (uint32_t k = 0; k < c->sources.files.n; k++)
      if (c->sources.files.at[k].name[0] != '<' && overwrites(outputs[i], c->sources.files.at[k].name))
        return false;
    for (uint32_t k = 0; k < o->args.n; k++)
      if (overwrites(outputs[i], argument_file(arena, o->args.at[k].text))) return false;
    for (uint32_t k = 0; k < i; k++)
      if (!is_standard(outputs[k]) && same_file(outputs[i], outputs[k]))
        return tool_error("[T1006] '%s' and '%s' are one file, and would be written twice", outputs[k],
                          outputs[i]),
               false;
  }
  return true;
}
