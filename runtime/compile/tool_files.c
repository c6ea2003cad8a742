// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compile/tool_files.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <stdint.h>

#include "base/read.h"

extern char **environ;

bool tool_files_make(ToolFiles *files) {
  const char *base = getenv("TMPDIR");
  int n = snprintf(files->folder, sizeof files->folder, "%s/tilec-XXXXXX", base && base[0] ? base : "/tmp");
  if (n < 0 || (size_t)n >= sizeof files->folder || !mkdtemp(files->folder)) return false;
  snprintf(files->in, sizeof files->in, "%s/in", files->folder);
  snprintf(files->out, sizeof files->out, "%s/out", files->folder);
  snprintf(files->log, sizeof files->log, "%s/log", files->folder);
  return true;
}

void tool_files_remove(const ToolFiles *files) {
  unlink(files->in);
  unlink(files->out);
  unlink(files->log);
  rmdir(files->folder);
}

bool tool_files_write(const char *path, Str text) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  bool good = fwrite(text.at, 1, text.n, file) == text.n;
  return fclose(file) == 0 && good;
}

bool tool_files_read(const char *path, Buf *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  bool good = buf_read(bytes, file, SIZE_MAX);
  fclose(file);
  return good;
}

int tool_files_run(const ToolFiles *files, char *const words[]) {
  enum { FLAGS = O_WRONLY | O_CREAT | O_TRUNC };
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status = 0;
  bool ptxas = strcmp(words[0], "ptxas") == 0;
  if (posix_spawn_file_actions_init(&actions)) return -1;
  posix_spawn_file_actions_addopen(&actions, 1, ptxas ? files->log : files->out, FLAGS, 0600);
  if (ptxas)
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
  else
    posix_spawn_file_actions_addopen(&actions, 2, files->log, FLAGS, 0600);
  int failed = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}
