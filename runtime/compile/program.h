// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs, and options of the public header as a specialisation.
#ifndef RUNTIME_COMPILE_PROGRAM_H
#define RUNTIME_COMPILE_PROGRAM_H

#include "runtime/compile/compile.h"

// A file that the program imports, as it was when the program was created.
typedef struct ProgramFile {
  struct ProgramFile *next;
  char *path, *text; // text NULL: there is no such file
  size_t bytes;
  char *shown, *shown_text; // how it is shown; shown NULL: as itself
  size_t shown_bytes;
} ProgramFile;

struct tilec_program {
  int users;  // the caller and kernels; atomic
  bool reads; // imports are read from the disk, while a program is made from a file
  ProgramFile *files;
  const ProgramFile *main; // the file with the program's own text; NULL: none
  char *name, *text;
  size_t bytes;
};

void program_hold(tilec_program *program);

// Parses the program's text into a new compilation. The caller always frees *c.
tilec_status program_parse(const tilec_program *program, Compilation *c);

// Sets the last error from the compilation's diagnostics or fault. Returns `status`, which is not TILEC_OK.
tilec_status compilation_error(Compilation *c, tilec_status status);

// Copies the caller's options (NULL: the defaults) to `out` and makes the checks that need no program.
tilec_status options_check(const tilec_compile_options *options, tilec_compile_options *out);

// Kernel, target and defines from checked options, for a device (NULL: any), and the signature if there is
// one. Sets the last error.
tilec_status options_spec(Compilation *c, const tilec_compile_options *options, const tilec_device *device,
                          Spec *spec);

// For compile_guard: from now on the compilation owns the name of the spec's kernel.
tilec_status spec_own_kernel(Compilation *c, void *spec);

// The kernel `name`, or the program's only entry (name NULL). For .tir text the information comes from its
// function. The compilation owns the memory. Sets the last error.
tilec_status program_kernel(Compilation *c, const char *name, const Spec *spec, const KernelInfo **info);

#endif
