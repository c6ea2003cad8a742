// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mistakes that people make, as the command line reports them. tests/golden/mistakes/compile and
// run hold one file a mistake, .py or .tile. NAME.err has tilec's standard error and its exit
// status. The file says what is run: a line "# compile: ARGUMENTS" runs tilec FILE ARGUMENTS, a
// line "# run: COMMAND ARGUMENTS" runs tilec COMMAND FILE ARGUMENTS. If there are several, each is
// shown before its output. Notes with PTX are left out: they change with the generated code.
// BLESS=1 rewrites the goldens.
#include <dirent.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"

static const char *tilec; // the tool that was built with this test

static bool read_all(FILE *file, Buf *out) {
  char part[4096];
  size_t n;
  if (!file) return false;
  while ((n = fread(part, 1, sizeof part, file)) > 0) buf_str(out, (Str){part, n});
  return true;
}

static bool read_path(const char *path, Buf *out) {
  FILE *file = fopen(path, "rb");
  bool good = read_all(file, out);
  if (file) fclose(file);
  return good;
}

typedef VEC(const char *) Commands;

// The lines "# compile: " and "# run: ", as words after `tilec`.
static void find_commands(Arena *arena, Str text, const char *name, Commands *commands) {
  static const char compile[] = "# compile: ", run[] = "# run: ";
  for (size_t at = 0; at < text.n;) {
    const char *end = memchr(text.at + at, '\n', text.n - at);
    Str line = {text.at + at, end ? (size_t)(end - text.at) - at : text.n - at};
    at += line.n + 1;
    bool compiles = str_starts(line, compile);
    if (!compiles && !str_starts(line, run)) continue;
    size_t skip = strlen(compiles ? compile : run);
    const char *rest = arena_copy(arena, (Str){line.at + skip, line.n - skip});
    size_t word = strcspn(rest, " ");
    const char *command = compiles ? arena_printf(arena, "%s %s -o /dev/null", name, rest)
                                   : arena_printf(arena, "%.*s %s%s", (int)word, rest, name, rest + word);
    vec_push(arena, commands, command);
  }
}

static void keep_line(Str line, Buf *out) {
  static const char ptx[] = ": note: PTX: ";
  for (size_t i = 0; i + sizeof ptx <= line.n; i++)
    if (memcmp(line.at + i, ptx, sizeof ptx - 1) == 0) return;
  buf_str(out, line);
}

// The tool runs in the file's folder, so that its name is all that is printed of its path.
static void run_command(Arena *arena, const char *folder, const char *command, Buf *out) {
  Buf got = {0};
  FILE *pipe = popen(
      arena_printf(arena, "cd %s && %s %s 2>&1 >/dev/null; echo \"exit status $?\"", folder, tilec, command),
      "r");
  assert_true(read_all(pipe, &got));
  pclose(pipe);
  for (size_t at = 0; at < got.n;) {
    const char *end = memchr(got.at + at, '\n', got.n - at);
    Str line = {got.at + at, end ? (size_t)(end - got.at) - at + 1 : got.n - at};
    keep_line(line, out);
    at += line.n;
  }
  buf_free(&got);
}

static bool check_file(Arena *arena, const char *folder, const char *name) {
  Buf text = {0}, got = {0}, wanted = {0};
  const char *path = arena_printf(arena, "%s/%s", folder, name);
  assert_true(read_path(path, &text));
  Commands commands = {0};
  find_commands(arena, buf_view(&text), name, &commands);
  if (!commands.n) fail_msg("%s says neither '# compile:' nor '# run:'", path);
  for (uint32_t i = 0; i < commands.n; i++) {
    if (commands.n > 1) buf_printf(&got, "%s$ tilec %s\n", i ? "\n" : "", commands.at[i]);
    run_command(arena, folder, commands.at[i], &got);
  }
  const char *golden = arena_printf(arena, "%s/%.*s.err", folder, (int)(strrchr(name, '.') - name), name);
  if (getenv("BLESS")) {
    FILE *file = fopen(golden, "wb");
    assert_non_null(file);
    fwrite(got.at, 1, got.n, file);
    fclose(file);
  }
  bool known = read_path(golden, &wanted), same = known && str_eq(buf_view(&got), buf_view(&wanted));
  if (!same)
    printf("%s:\n%.*s\nbut %s\n", path, (int)got.n, got.at, known ? "the golden differs" : "has no golden");
  buf_free(&text);
  buf_free(&got);
  buf_free(&wanted);
  return same;
}

static void check_folder(const char *folder, uint32_t least) {
  Arena arena = {0};
  const char *path = arena_printf(&arena, "%s/golden/mistakes/%s", TESTS_DIR, folder);
  DIR *dir = opendir(path);
  uint32_t count = 0, wrong = 0;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    Str name = str_from(entry->d_name);
    if (!str_ends(name, ".py") && !str_ends(name, ".tile")) continue;
    count++;
    wrong += !check_file(&arena, path, entry->d_name);
  }
  if (dir) closedir(dir);
  arena_free(&arena);
  assert_int_equal(wrong, 0);
  assert_true(count >= least);
}

TEST(test_compile) { check_folder("compile", 60); }

TEST(test_run) { check_folder("run", 30); }

int suite_mistakes(void) {
  const char *slash = strrchr(unit_program, '/');
  Arena arena = {0};
  char here[4096];
  const char *folder = slash ? arena_copy(&arena, (Str){unit_program, (size_t)(slash - unit_program)}) : ".";
  if (folder[0] != '/' && getcwd(here, sizeof here)) folder = arena_printf(&arena, "%s/%s", here, folder);
  tilec = arena_printf(&arena, "%s/../tilec", folder);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_compile), cmocka_unit_test(test_run)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  arena_free(&arena);
  return failed;
}
