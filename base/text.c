// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char no_memory[] = "(no memory for this text)";

char *text_make_list(const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  char *text = n < 0 ? NULL : malloc((size_t)n + 1);
  if (text) vsnprintf(text, (size_t)n + 1, format, again);
  va_end(again);
  return text ? text : no_memory;
}

char *text_make(const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = text_make_list(format, args);
  va_end(args);
  return text;
}

void text_free(char *text) {
  if (text != no_memory) free(text);
}

void text_fit(char *to, size_t room, const char *format, va_list args) {
  int n = vsnprintf(to, room, format, args);
  if (n < 0 || (size_t)n >= room) memcpy(to + room - sizeof "...", "...", sizeof "...");
}
