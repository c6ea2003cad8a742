// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs, and the options of the public header as a specialisation.
#ifndef RUNTIME_COMPILE_PROGRAM_H
#define RUNTIME_COMPILE_PROGRAM_H

#include "runtime/compile/compile.h"

// A file that the program imports, as it was when the program was made.
typedef struct ProgramFile {
  struct ProgramFile *next;
  char *path, *text; // text NULL: there is no such file
  size_t bytes;
  char *shown, *shown_text; // what it is shown as; shown NULL: as itself
  size_t shown_bytes;
} ProgramFile;

struct tilec_program {
  int users;  // the caller and kernels; atomic
  bool reads; // imports are read from the disk: while a program from a file is made
  ProgramFile *files;
  const ProgramFile *main; // that of them which has the program's own text; NULL: none
  char *name, *text;
  size_t bytes;
};

void program_hold(tilec_program *program);

// A fresh compilation of the program's text, parsed. *c is to be freed in every case.
tilec_status program_parse(const tilec_program *program, Compilation *c);

// The compilation's diagnostics or fault as the last error; returns `status`, which is not TILEC_OK.
tilec_status compilation_error(Compilation *c, tilec_status status);

// The caller's options (NULL: the defaults) in `out`, checked, as far as no program is needed.
tilec_status options_check(const tilec_compile_options *options, tilec_compile_options *out);

// Kernel, target and defines of checked options for a device (NULL: any); signature where there is one. Sets
// the last error.
tilec_status options_spec(Compilation *c, const tilec_compile_options *options, const tilec_device *device,
                          Spec *spec);

// The kernel that is meant: `name`, or the only entry of the program (name NULL). Of .tir text the
// information comes from its function. Memory: the compilation's. Sets the last error.
tilec_status program_kernel(Compilation *c, const char *name, const Spec *spec, const KernelInfo **info);

#endif
