// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts of any length for code that must not unwind (base/fault.h), and texts in fixed room that show a cut.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

// On the heap, for text_free. Without memory it is a fixed text that says so.
char *text_make(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_make_list(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
void text_free(char *text); // NULL: nothing

// Writes into `room` bytes, at least 4, with a NUL. A text that is cut ends with "...".
void text_fit(char *to, size_t room, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

#endif
