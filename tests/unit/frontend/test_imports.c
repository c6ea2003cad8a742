// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A source file imports files. Only those are read whose names are used.
#include "tests/unit/unit.h"
#include "runtime/compile/imports.h"

typedef struct File {
  const char *path, *text;
  bool read;
} File;

static bool read_file(void *data, Arena *arena, const char *path, Str *text, Shown *shown) {
  (void)arena;
  (void)shown;
  for (File *file = data; file->path; file++)
    if (strcmp(file->path, path) == 0) {
      *text = str_from(file->text);
      file->read = true;
      return true;
    }
  return false;
}

// The files after the first, which imports them, end with one that has no path.
static void follow(File *files) {
  Compilation c;
  assert_int_equal(compilation_init(&c), TILEC_OK);
  c.reader = (ImportReader){read_file, files, false};
  assert_int_equal(compile_parse(&c, files->path, str_from(files->text)), TILEC_OK);
  compilation_free(&c);
}

// A name that a package's __init__ imports belongs to that import, whatever else its code mentions.
TEST(test_a_name_that_is_only_imported) {
  File files[] = {
      {"main.py", "from pkg import tools\n@jit\ndef k(o):\n    store(o, tools.ONE)\n", false},
      {"pkg/__init__.py", "from pkg import tools\nfrom .ops import *\nALL = (tools.ONE, add)\n", false},
      {"pkg/tools.py", "ONE = 1\n", false},
      {"pkg/ops.py", "def add(): pass\n", false},
      {NULL, NULL, false}};
  follow(files);
  assert_true(files[1].read);
  assert_true(files[2].read);
  assert_false(files[3].read);
}

// A name that is also assigned, or imported under a condition, depends on the file's code.
TEST(test_a_name_that_is_assigned_too) {
  static const char *const packages[] = {
      "from .tools import ONE\nfrom .ops import *\nONE = add(ONE)\n",
      "from .ops import *\nif add:\n    from .tools import ONE\nTWO = ONE\n"};
  for (int i = 0; i < 2; i++) {
    File files[] = {{"main.py", "from pkg import ONE\n@jit\ndef k(o):\n    store(o, ONE)\n", false},
                    {"pkg/__init__.py", packages[i], false},
                    {"pkg/tools.py", "ONE = 1\n", false},
                    {"pkg/ops.py", "def add(x): pass\n", false},
                    {NULL, NULL, false}};
    follow(files);
    assert_true(files[2].read);
    assert_true(files[3].read);
  }
}

WHOLE_SUITE(imports)
