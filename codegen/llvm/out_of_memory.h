// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of memory in LLVM, which is C++ without exceptions and would abort: it becomes a fault of this thread
// (base/fault.h), and LLVM is left where it was.
#ifndef CODEGEN_LLVM_OUT_OF_MEMORY_H
#define CODEGEN_LLVM_OUT_OF_MEMORY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Watches the process's operator new and LLVM's own allocations, from the first call on. Outside of LLVM's work
// for us, whoever watched before is asked, else std::bad_alloc is thrown.
void llvm_watch_memory(void);
// The same before LLVM's own initialisers run, for a program that may end: where they find no memory it says so
// and exits with status 1.
void llvm_watch_from_start(void);

// Whether this thread is in LLVM's work for us.
void llvm_working(bool inside);

// codegen.c's: raises the fault.
void codegen_out_of_memory(const char *reason);

#ifdef __cplusplus
}
#endif

#endif
