// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The embedded bitcode of libclc's functions: one small module for each function of libclc.def (made by
// cmake/libclc.cmake).
#ifndef CODEGEN_MATH_LIBCLC_H
#define CODEGEN_MATH_LIBCLC_H

typedef struct LibclcEntry {
  const char *symbol;      // mangled; NULL ends the table
  const char *begin, *end; // LLVM bitcode
} LibclcEntry;

extern const LibclcEntry libclc_table[];

#endif
