// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/read.h"

bool buf_read(Buf *buf, FILE *file, size_t most) {
  char chunk[1 << 14];
  size_t n;
  while (buf->n <= most && (n = fread(chunk, 1, sizeof chunk, file)) > 0) buf_bytes(buf, chunk, n);
  return !ferror(file);
}
