// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BLAKE3, from LLVM, which is linked anyway. Names what is kept on disk. For tables in memory, base/hash.h is
// cheaper. Does not initialise LLVM.
#ifndef CODEGEN_LLVM_DIGEST_H
#define CODEGEN_LLVM_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

enum { DIGEST_BYTES = 32, DIGEST_HEX = 2 * DIGEST_BYTES };

// The state of an unfinished hash: llvm_blake3_hasher.
typedef struct Digest {
  uint64_t state[256];
} Digest;

void digest_start(Digest *digest);
void digest_bytes(Digest *digest, const void *bytes, size_t n);
void digest_end(const Digest *digest, unsigned char result[DIGEST_BYTES]);

// Hashes the length and then the text, so that no two sequences of texts and numbers give the same bytes.
void digest_str(Digest *digest, Str text);
void digest_text(Digest *digest, const char *text);
void digest_number(Digest *digest, uint64_t number);

// DIGEST_HEX digits and a NUL.
void digest_hex(const unsigned char digest[DIGEST_BYTES], char hex[DIGEST_HEX + 1]);

// LLVM's version, and the embedded bitcode of libclc.
void digest_codegen(Digest *digest);
// An address in LLVM's code: in this program's file, or in a separate library.
const void *codegen_llvm_place(void);

#endif
