// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes untrusted text safe for a terminal. Escapes replace invalid UTF-8, and characters that move the
// cursor, change colours or change the direction of text.
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stdint.h>
#include "base/buf.h"

enum { PLAIN_MAX = 12 };

// Decodes the character at text.at[*at] and advances *at. Writes the bytes that show it and returns their
// number, and sets the columns that they take. A tab stays a tab, of one column.
size_t plain_next(Str text, size_t *at, char shown[PLAIN_MAX], uint32_t *columns);

// Appends the text. Text longer than `most` bytes is cut and ends with "...". buf_plain_lines keeps newlines.
void buf_plain(Buf *buf, Str text, size_t most);
void buf_plain_lines(Buf *buf, Str text, size_t most);

// Writes lines into `to` of `room` bytes, with a NUL. Returns the length. Allocates no memory.
size_t plain_copy(Str text, char *to, size_t room);

// The text as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD, controls \uXXXX.
void buf_json_quoted(Buf *buf, Str text);

#endif
