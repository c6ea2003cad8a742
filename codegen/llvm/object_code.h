// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A code section in an ELF file, and the line table in its .debug_line (DWARF). LLVM reads it.
#ifndef CODEGEN_LLVM_OBJECT_CODE_H
#define CODEGEN_LLVM_OBJECT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The section's bytes, at their place in the file. False: not such a file, or it has no such section.
bool object_code(const void *file, size_t n, const char *section, const void **code, size_t *code_bytes);
// Sets the line of each of `count` instructions with `bytes` bytes; 0: unknown. The lines must cover one
// section only, from address 0 to the end of its code. False: they do not, or cannot be read. `lines` is then
// undefined.
bool object_lines(const void *file, size_t n, size_t bytes, uint32_t *lines, size_t count);

#ifdef __cplusplus
}
#endif

#endif
