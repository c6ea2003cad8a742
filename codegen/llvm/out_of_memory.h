// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles running out of memory in LLVM. LLVM is C++ without exceptions and would abort. Instead, this thread
// gets a fault (base/fault.h), and LLVM is left as it is.
#ifndef CODEGEN_LLVM_OUT_OF_MEMORY_H
#define CODEGEN_LLVM_OUT_OF_MEMORY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Installs handlers for the process's operator new and LLVM's own allocations, from the first call on.
// Outside LLVM's work for us, calls the previous handler, or throws std::bad_alloc.
void llvm_watch_memory(void);
// The same before LLVM's own initialisers run, for a program that may end. If they run out of memory, it
// prints a message and exits with status 1.
void llvm_watch_from_start(void);

// Sets that this thread is, or is not, in LLVM's work for us.
void llvm_working(bool inside);

// Defined in codegen.c: raises the fault.
void codegen_out_of_memory(const char *reason);

#ifdef __cplusplus
}
#endif

#endif
