// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole files.
#ifndef BASE_READ_H
#define BASE_READ_H

#include <stdio.h>
#include "base/buf.h"

// Appends what is left of the file, but stops after more than `most` bytes. Returns false, with errno, if reading fails.
bool buf_read(Buf *buf, FILE *file, size_t most);

#endif
