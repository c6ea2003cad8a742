// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults: neither the user's mistake (a diagnostic, base/diag.h) nor a library status.
//
// A fault is our own bug or the end of memory. It unwinds by longjmp to the innermost FaultFrame of this
// thread. compile's entry (runtime/compile/compile.c) keeps one. It owns everything that must be
// released. Code that longjmp skips must own nothing. With no frame open, a fault prints its message and
// aborts: only for tests.
//
//   FaultFrame frame;
//   fault_enter(&frame);
//   if (setjmp(frame.env) == 0) { ...work...; }
//   else { ...frame.kind, frame.message... }
//   fault_leave(&frame);          // on both paths
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <setjmp.h>

typedef enum FaultKind {
  FAULT_BUG,    // a broken invariant of ours
  FAULT_MEMORY, // an allocation failed
} FaultKind;

typedef struct FaultFrame {
  jmp_buf env;
  struct FaultFrame *outer;
  FaultKind kind;
  char message[1024]; // NUL-terminated, truncated if longer
} FaultFrame;

void fault_enter(FaultFrame *frame);
void fault_leave(FaultFrame *frame);
// Raises the fault that `frame` caught, after leaving `frame`: for code that only cleans up.
_Noreturn void fault_pass_on(const FaultFrame *frame);

// Runs work(data), then release(data), even if a fault passes through. For resources outside the entry's
// arena.
void fault_guard(void (*work)(void *data), void (*release)(void *data), void *data);

#if defined(__GNUC__)
#define FAULT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define FAULT_PRINTF(fmt, args)
#endif

_Noreturn void fault_raise(FaultKind kind, const char *format, ...) FAULT_PRINTF(2, 3);

// A broken invariant in our code, with the place that detected it.
#define BUG(...) fault_bug(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void fault_bug(const char *file, int line, const char *format, ...) FAULT_PRINTF(3, 4);

#endif
