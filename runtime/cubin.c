// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cubin.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/device.h"
#include "runtime/error.h"

extern char **environ;

// A folder of our own for ptxas's files.
typedef struct PtxasFiles {
  char folder[400], ptx[420], cubin[420], log[420];
} PtxasFiles;

static bool files_make(PtxasFiles *files) {
  const char *base = getenv("TMPDIR");
  int n = snprintf(files->folder, sizeof files->folder, "%s/tilec-XXXXXX", base && base[0] ? base : "/tmp");
  if (n < 0 || (size_t)n >= sizeof files->folder || !mkdtemp(files->folder)) return false;
  snprintf(files->ptx, sizeof files->ptx, "%s/in.ptx", files->folder);
  snprintf(files->cubin, sizeof files->cubin, "%s/out.cubin", files->folder);
  snprintf(files->log, sizeof files->log, "%s/log", files->folder);
  return true;
}

static void files_remove(const PtxasFiles *files) {
  unlink(files->ptx);
  unlink(files->cubin);
  unlink(files->log);
  rmdir(files->folder);
}

static bool write_text(const char *path, Str text) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  bool good = fwrite(text.at, 1, text.n, file) == text.n;
  return fclose(file) == 0 && good;
}

static bool read_bytes(const char *path, Buf *bytes) {
  FILE *file = fopen(path, "rb");
  char part[1 << 16];
  if (!file) return false;
  for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;) buf_bytes(bytes, part, n);
  bool good = !ferror(file);
  fclose(file);
  return good;
}

// Its exit status; -1 where there is no ptxas.
static int run_ptxas(PtxasFiles *files, const char *name) {
  posix_spawn_file_actions_t actions;
  char arch[24];
  snprintf(arch, sizeof arch, "-arch=%s", name);
  char *words[] = {"ptxas", arch, files->ptx, "-o", files->cubin, NULL};
  pid_t child;
  int status = 0;
  if (posix_spawn_file_actions_init(&actions)) return -1;
  posix_spawn_file_actions_addopen(&actions, 1, files->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  int failed = posix_spawnp(&child, "ptxas", &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

// *found: whether there was a ptxas to ask.
static tilec_status by_ptxas(Str ptx, const Target *target, Buf *cubin, bool *found) {
  PtxasFiles files;
  *found = true;
  if (!files_make(&files))
    return error_set(TILEC_ERROR_IO, "no folder for temporary files: %s", strerror(errno));
  bool written = write_text(files.ptx, ptx);
  int status = written ? run_ptxas(&files, target->arch->name) : 0;
  *found = status != -1 && status != 127;
  tilec_status result = TILEC_OK;
  Buf log = {0};
  if (!written || (status == 0 && !read_bytes(files.cubin, cubin)))
    result = error_set(TILEC_ERROR_IO, "ptxas's files in %s: %s", files.folder, strerror(errno));
  else if (*found && status != 0) {
    read_bytes(files.log, &log);
    result = error_set(TILEC_ERROR_NOT_SUPPORTED, "ptxas refuses the PTX: %.2000s", log.at ? log.at : "");
  }
  buf_free(&log);
  files_remove(&files);
  return result;
}

static tilec_status by_driver(Str ptx, const Target *target, Buf *cubin) {
  tilec_device *device;
  if (device_open("cuda", &device) != TILEC_OK)
    return error_set(TILEC_ERROR_NOT_SUPPORTED,
                     "a cubin needs ptxas on PATH, or an NVIDIA GPU: there is no ptxas, and %s",
                     tilec_last_error());
  tilec_status status;
  if (!target_runs_on(target->arch, device->target.arch))
    status = error_set(TILEC_ERROR_NOT_SUPPORTED,
                       "a cubin for %s needs ptxas on PATH: the driver makes them for %s alone",
                       target->arch->name, tilec_device_arch(device));
  else
    status = device->kind->assemble(device, ptx, cubin);
  device_release(device);
  return status;
}

tilec_status cubin_assemble(Str ptx, const Target *target, Buf *cubin) {
  bool found;
  tilec_status status = by_ptxas(ptx, target, cubin, &found);
  return found || status ? status : by_driver(ptx, target, cubin);
}
