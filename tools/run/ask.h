// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors that list everything the command line lacks.
#ifndef TOOLS_RUN_ASK_H
#define TOOLS_RUN_ASK_H

#include "tools/tool.h"

// An error that lists the kernels with their parameters.
void ask_kernel(Compilation *c, const KernelInfo *kernels, uint32_t count);

// The given buffers. 0: none, or not known.
typedef struct AskGiven {
  uint64_t elements; // of the largest; without buffers, the given number
  uint64_t rows;     // of the largest one with two or more dimensions, all but the last multiplied
} AskGiven;

// missing: one entry per parameter of the kernel. If one is missing, reports an error and returns false. The
// error names them, with a command line that has them.
bool ask_arguments(const Options *o, Compilation *c, const KernelInfo *kernel, const bool *missing,
                   AskGiven given);

// Call after the errors of a kernel that lacks types or constexprs. Adds a command line that has them to the
// last error. Adds nothing if none is missing.
void ask_types(const Options *o, Compilation *c, const KernelInfo *kernel, const Spec *spec);

// Call after all arguments are known, if the kernel has no grid and none was given. Reports an error with a
// command line that has one.
void ask_grid(const Options *o, Compilation *c, const KernelInfo *kernel, AskGiven given);

// Reports an error: the kernel has no parameter of that name. Lists those it has. `kernel` may be NULL for a
// .tir file.
void ask_unknown(Compilation *c, const KernelInfo *kernel, const char *name, const char *const *names,
                 size_t n);

// Guesses for what an editor is not told. `guess` 0 is the most likely one; others differ from it, so that what all of
// them say does not depend on the guess. Prints a type as for --signature; `use`: of frontend_param_uses.
void ask_guess_type(const KernelParam *param, uint32_t use, uint32_t guess, Buf *out);
// A value as for -D.
const char *ask_guess_value(const char *name, uint32_t guess);
bool ask_is_given(const Spec *spec, const KernelParam *param); // The specialisation has it.

#endif
