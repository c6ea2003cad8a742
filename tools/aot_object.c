// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/tool.h"

extern char **environ;

// The words of $CC, which may be several ("ccache gcc"), and the arguments after them.
typedef VEC(char *) Words;

static void add_compiler(Arena *arena, Words *words) {
  const char *compiler = getenv("CC");
  if (!compiler || !compiler[strspn(compiler, " ")]) compiler = "cc";
  for (const char *at = compiler + strspn(compiler, " "); *at; at += strspn(at, " ")) {
    size_t n = strcspn(at, " ");
    vec_push(arena, words, arena_copy(arena, (Str){at, n}));
    at += n;
  }
}

// The exit status. -1, with errno, if it could not be started.
static int run_compiler(char **words) {
  pid_t child;
  int status = 0;
  fflush(stderr);
  if ((errno = posix_spawnp(&child, words[0], NULL, NULL, words, environ)) != 0) return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static bool compile_in(Arena *arena, const char *source, const char *object) {
  static const char *const options[] = {"-O2", "-fPIC", "-c", "-o"};
  Words words = {0};
  add_compiler(arena, &words);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    vec_push(arena, &words, arena_copy(arena, str_from(options[i])));
  vec_push(arena, &words, arena_copy(arena, str_from(object)));
  vec_push(arena, &words, arena_copy(arena, str_from(source)));
  vec_push(arena, &words, NULL);
  int status = run_compiler(words.at);
  if (status < 0 || status == 127)
    tool_error(
        "[T1007] --emit=object needs a C compiler: '%s' cannot be run%s%s; name another with $CC, or use "
        "--emit=header, which needs none",
        words.at[0], status < 0 ? ": " : "", status < 0 ? strerror(errno) : "");
  else if (status)
    tool_error("[T1007] the C compiler '%s' ended with status %d", words.at[0], status);
  return status == 0;
}

// The source in the object is named like the header, so that the object depends on no other name.
bool aot_compile_object(const char *header_name, Str header, Str source, Buf *object) {
  Arena arena = {0};
  const char *base = getenv("TMPDIR");
  char *folder = arena_printf(&arena, "%s/tilec-XXXXXX", base && base[0] ? base : "/tmp");
  if (!mkdtemp(folder)) {
    tool_error("[T1007] no folder for temporary files '%s': %s", folder, strerror(errno));
    arena_free(&arena);
    return false;
  }
  const char *h = arena_printf(&arena, "%s/%s", folder, header_name);
  const char *c = arena_printf(&arena, "%.*sc", (int)strlen(h) - 1, h),
             *o = arena_printf(&arena, "%.*so", (int)strlen(h) - 1, h);
  Str bytes;
  bool good = tool_write(h, header) && tool_write(c, source) && compile_in(&arena, c, o) &&
              tool_read(&arena, o, &bytes);
  if (good) buf_str(object, bytes);
  unlink(h);
  unlink(c);
  unlink(o);
  rmdir(folder);
  arena_free(&arena);
  return good;
}
