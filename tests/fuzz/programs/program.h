// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random well-typed block programs as text. Everything here is a function of only the seed and the classes.
#ifndef TESTS_FUZZ_PROGRAMS_PROGRAM_H
#define TESTS_FUZZ_PROGRAMS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

typedef enum Class {
#define X(name, ...) CLASS_##name,
#include "tests/fuzz/programs/classes.def"
#undef X
  CLASS_COUNT
} Class;

typedef struct ClassInfo {
  const char *name, *params, *args, *body; // of the probe
} ClassInfo;

extern const ClassInfo class_infos[CLASS_COUNT];

// A kernel with what it is run with. Its memory is released with program_free.
typedef struct Program {
  Buf text;    // the file
  Buf args;    // NAME=SPEC words with spaces between
  Buf options; // words with spaces between: the grid, warps, architecture
  const char *arch;
} Program;

void program_free(Program *program);

// classes: a bit a class that may be used.
void program_generate(uint64_t seed, uint64_t classes, Program *program);
// The kernel that shows if a class is built.
void program_probe(Class class, Program *program);

// The arguments of `tilec COMMAND FILE` as one line of words.
void program_command(const Program *program, const char *command, const char *file, Buf *line);

#endif
