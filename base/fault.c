// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/fault.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local FaultFrame *innermost;

void fault_enter(FaultFrame *frame) {
  frame->outer = innermost;
  frame->kind = FAULT_BUG;
  frame->message[0] = '\0';
  innermost = frame;
}

void fault_leave(FaultFrame *frame) { innermost = frame->outer; }

static _Noreturn void fault_jump(FaultKind kind, const char *message) {
  FaultFrame *frame = innermost;
  if (!frame) {
    fprintf(stderr, "fault outside any frame: %s\n", message);
    abort();
  }
  frame->kind = kind;
  strncpy(frame->message, message, sizeof frame->message - 1);
  frame->message[sizeof frame->message - 1] = '\0';
  longjmp(frame->env, 1);
}

void fault_pass_on(const FaultFrame *frame) { fault_jump(frame->kind, frame->message); }

void fault_guard(void (*work)(void *data), void (*release)(void *data), void *data) {
  FaultFrame frame;
  fault_enter(&frame);
  bool failed = setjmp(frame.env) != 0;
  if (!failed) work(data);
  fault_leave(&frame);
  release(data);
  if (failed) fault_pass_on(&frame);
}

void fault_raise(FaultKind kind, const char *format, ...) {
  char message[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  fault_jump(kind, message);
}

void fault_bug(const char *file, int line, const char *format, ...) {
  char message[1024];
  int used = snprintf(message, sizeof message, "%s:%d: ", file, line);
  va_list args;
  va_start(args, format);
  if (used >= 0 && (size_t)used < sizeof message)
    vsnprintf(message + used, sizeof message - (size_t)used, format, args);
  va_end(args);
  fault_jump(FAULT_BUG, message);
}
