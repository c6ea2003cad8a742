// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/digest.h"

#include <llvm-c/Core.h>
#include <llvm-c/blake3.h>
#include "codegen/codegen.h"
#include "codegen/math/libclc.h"

_Static_assert(sizeof(llvm_blake3_hasher) <= sizeof(Digest), "the hasher needs more room");
_Static_assert(LLVM_BLAKE3_OUT_LEN == DIGEST_BYTES, "BLAKE3 gives 32 bytes");

void digest_start(Digest *digest) { llvm_blake3_hasher_init((llvm_blake3_hasher *)digest->state); }

void digest_bytes(Digest *digest, const void *bytes, size_t n) {
  llvm_blake3_hasher_update((llvm_blake3_hasher *)digest->state, bytes, n);
}

void digest_end(const Digest *digest, unsigned char result[DIGEST_BYTES]) {
  llvm_blake3_hasher_finalize((const llvm_blake3_hasher *)digest->state, result, DIGEST_BYTES);
}

void digest_number(Digest *digest, uint64_t number) { digest_bytes(digest, &number, sizeof number); }

void digest_str(Digest *digest, Str text) {
  digest_number(digest, text.n);
  digest_bytes(digest, text.at, text.n);
}

void digest_text(Digest *digest, const char *text) { digest_str(digest, str_from(text)); }

void digest_hex(const unsigned char digest[DIGEST_BYTES], char hex[DIGEST_HEX + 1]) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < DIGEST_BYTES; i++) {
    hex[2 * i] = digits[digest[i] >> 4];
    hex[2 * i + 1] = digits[digest[i] & 15];
  }
  hex[DIGEST_HEX] = '\0';
}

void digest_codegen(Digest *digest) {
  digest_text(digest, codegen_llvm_version());
  for (const LibclcEntry *entry = libclc_table; entry->symbol; entry++) {
    digest_text(digest, entry->symbol);
    digest_str(digest, (Str){entry->begin, (size_t)(entry->end - entry->begin)});
  }
}

const void *codegen_llvm_place(void) {
  LLVMContextRef (*function)(void) = LLVMContextCreate;
  const void *place;
  memcpy(&place, &function, sizeof place);
  return place;
}
