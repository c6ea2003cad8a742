// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BLAKE3 (LLVM's, which is linked anyway): names for what is kept on disk. For tables in memory base/hash.h
// is the cheaper one. LLVM is not initialised by it.
#ifndef CODEGEN_LLVM_DIGEST_H
#define CODEGEN_LLVM_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

enum { DIGEST_BYTES = 32, DIGEST_HEX = 2 * DIGEST_BYTES };

// A hash under way: the state of llvm_blake3_hasher.
typedef struct Digest {
  uint64_t state[256];
} Digest;

void digest_start(Digest *digest);
void digest_bytes(Digest *digest, const void *bytes, size_t n);
void digest_end(const Digest *digest, unsigned char result[DIGEST_BYTES]);

// The length, and then the text: no two sequences of texts and numbers are the same bytes.
void digest_str(Digest *digest, Str text);
void digest_text(Digest *digest, const char *text);
void digest_number(Digest *digest, uint64_t number);

// DIGEST_HEX digits and a NUL.
void digest_hex(const unsigned char digest[DIGEST_BYTES], char hex[DIGEST_HEX + 1]);

// LLVM's version, and the bitcode of libclc that is embedded.
void digest_codegen(Digest *digest);
// A place in LLVM's code: of this program's file, or of a library of its own.
const void *codegen_llvm_place(void);

#endif
