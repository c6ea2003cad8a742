// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors that say what the command line lacks, all of it at once.
#ifndef TOOLS_RUN_ASK_H
#define TOOLS_RUN_ASK_H

#include "tools/tool.h"

// An error that names the kernels, with their parameters.
void ask_kernel(Compilation *c, const KernelInfo *kernels, uint32_t count);

// missing: one a parameter of the kernel. False where one is: an error that names them, with a command line that has them.
// given: elements of the largest buffer that was given, or else the number that was; 0: none was.
bool ask_arguments(const Options *o, Compilation *c, const KernelInfo *kernel, const bool *missing, uint64_t given);

// After the errors of a kernel that lacks types or constexprs: adds to the last one a command line that has them; nothing where
// it lacks none.
void ask_types(const Options *o, Compilation *c, const KernelInfo *kernel, const Spec *spec);

// After all arguments: the kernel says no grid, and none was given. An error, with a command line that has one.
void ask_grid(const Options *o, Compilation *c, const KernelInfo *kernel);

// An error: the kernel has no parameter of that name, but these. `kernel` may be NULL: a .tir file's.
void ask_unknown(Compilation *c, const KernelInfo *kernel, const char *name, const char *const *names, size_t n);

#endif
