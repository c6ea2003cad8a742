// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A section of code in an ELF file, and the lines that its .debug_line (DWARF) tells of it, read by LLVM.
#ifndef CODEGEN_LLVM_OBJECT_CODE_H
#define CODEGEN_LLVM_OBJECT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The section's bytes, where they stand in the file. False: it is no such file, or has no such section.
bool object_code(const void *file, size_t n, const char *section, const void **code, size_t *code_bytes);
// Of each of `count` instructions of so many bytes its line; 0: not told. The lines are to be of one section alone, from
// address 0 to the end of its code. False: they are not, or cannot be read; then what is in `lines` is of no use.
bool object_lines(const void *file, size_t n, size_t bytes, uint32_t *lines, size_t count);

#ifdef __cplusplus
}
#endif

#endif
