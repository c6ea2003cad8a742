// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "runtime/diagnostics.h"

enum { MESSAGE_BYTES = 16384 };

// The only state outside of objects: tilec_last_error is defined per thread.
static _Thread_local char last_error[MESSAGE_BYTES];

// The same as a list. Its memory ends with the thread.
static pthread_key_t list_key;
static bool has_list_key;

static void make_list_key(void) { has_list_key = pthread_key_create(&list_key, free) == 0; }

// Makes `list` the thread's list. Returns true if the thread owns it now.
static bool keep_list(tilec_diagnostics *list) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_list_key);
  if (!has_list_key) return false;
  tilec_diagnostics *old = pthread_getspecific(list_key);
  if (!old && !list) return true;
  if (pthread_setspecific(list_key, list) != 0) return false;
  free(old);
  return true;
}

const char *tilec_last_error(void) { return last_error; }

const tilec_diagnostics *tilec_last_diagnostics(void) {
  static const tilec_diagnostics none;
  if (!last_error[0]) return &none;
  const tilec_diagnostics *kept = has_list_key ? pthread_getspecific(list_key) : NULL;
  if (kept) return kept;
  tilec_diagnostics *list = diagnostics_of_text(last_error);
  if (list && keep_list(list)) return list;
  free(list);
  return &none;
}

void error_clear(void) {
  last_error[0] = '\0';
  keep_list(NULL);
}

static tilec_status error_text(tilec_status status, Str text) {
  while (text.n > 0 && text.at[text.n - 1] == '\n') text.n--;
  plain_copy(text, last_error, MESSAGE_BYTES);
  keep_list(NULL);
  return status;
}

tilec_status error_set(tilec_status status, const char *format, ...) {
  char message[2048]; // a separate buffer, because last_error may be an argument
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return error_text(status, str_from(message));
}

tilec_status null_argument(const char *function, const char *name) {
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function, name);
}

tilec_status error_options(const char *initialiser, size_t size) {
  return error_set(
      TILEC_ERROR_INVALID_ARGUMENT,
      "options.size is %zu: initialise options with %s, and leave options that this libtilec does "
      "not know at 0",
      size, initialiser);
}

static tilec_status error_fault(const FaultFrame *frame) {
  if (frame->kind == FAULT_MEMORY) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "%s", frame->message);
  return error_set(TILEC_ERROR_INTERNAL, "internal error: %s", frame->message);
}

tilec_status error_guard(tilec_status (*body)(void *data), void *data) {
  FaultFrame frame;
  tilec_status status;
  fault_enter(&frame);
  if (setjmp(frame.env) == 0)
    status = body(data);
  else
    status = error_fault(&frame);
  fault_leave(&frame);
  return status;
}

tilec_status error_diags(tilec_status status, const Diags *diags) {
  Buf text = {0};
  diags_print_text(diags, false, &text);
  error_text(status, buf_view(&text));
  buf_free(&text);
  tilec_diagnostics *list = diagnostics_of(diags, false);
  if (list && !keep_list(list)) free(list);
  return status;
}

const char *tilec_version(void) { return "0.2.0"; }

const char *tilec_status_name(tilec_status status) {
  switch (status) {
  case TILEC_OK: return "TILEC_OK";
  case TILEC_ERROR_INVALID_ARGUMENT: return "TILEC_ERROR_INVALID_ARGUMENT";
  case TILEC_ERROR_OUT_OF_MEMORY: return "TILEC_ERROR_OUT_OF_MEMORY";
  case TILEC_ERROR_IO: return "TILEC_ERROR_IO";
  case TILEC_ERROR_COMPILE: return "TILEC_ERROR_COMPILE";
  case TILEC_ERROR_NO_DEVICE: return "TILEC_ERROR_NO_DEVICE";
  case TILEC_ERROR_DRIVER: return "TILEC_ERROR_DRIVER";
  case TILEC_ERROR_LAUNCH: return "TILEC_ERROR_LAUNCH";
  case TILEC_ERROR_NOT_SUPPORTED: return "TILEC_ERROR_NOT_SUPPORTED";
  case TILEC_ERROR_INTERNAL: return "TILEC_ERROR_INTERNAL";
  }
  return "unknown tilec_status";
}

size_t tilec_dtype_bytes(tilec_dtype dtype) {
  static const unsigned char bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8};
  return (size_t)dtype < sizeof bytes ? bytes[dtype] : 0;
}
