// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of others as a terminal may show it: what would move the cursor, change colours or the order of
// characters, and what is no UTF-8, becomes an escape that stands for it.
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stdint.h>
#include "base/buf.h"

enum { PLAIN_MAX = 12 };

// The character at text.at[*at], and *at moves past it: the bytes that show it (returned: how many), and the
// columns that they take. A tab is itself, of one column.
size_t plain_next(Str text, size_t *at, char shown[PLAIN_MAX], uint32_t *columns);

// Appends the text; what is longer than `most` bytes is cut, with "..." for the rest. In buf_plain_lines
// newlines stay too.
void buf_plain(Buf *buf, Str text, size_t most);
void buf_plain_lines(Buf *buf, Str text, size_t most);

// Lines into `to` of `room` bytes, with a NUL; returns the length. No memory is needed.
size_t plain_copy(Str text, char *to, size_t room);

// The text as a JSON string with its quotes: what is no UTF-8 becomes U+FFFD, controls \uXXXX.
void buf_json_quoted(Buf *buf, Str text);

#endif
