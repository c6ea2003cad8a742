// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec lsp: reads messages from standard input and writes answers to standard output. A message is a header with
// Content-Length, an empty line, and JSON of that many bytes.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/lsp/lsp.h"

enum { MAX_MESSAGE = 64 << 20, MAX_HEADER = 8192, CHUNK = 1 << 16 };

// --- Writing ---

void lsp_send(Lsp *lsp, Str body) {
  buf_printf(&lsp->out, "Content-Length: %zu\r\n\r\n", body.n);
  buf_str(&lsp->out, body);
}

void lsp_begin_notice(Json *json, const char *method) {
  json_object(json, NULL);
  json_text(json, "jsonrpc", "2.0");
  json_text(json, "method", method);
  json_object(json, "params");
}

void lsp_end_notice(Lsp *lsp, Json *json) {
  json_object_end(json);
  json_object_end(json);
  lsp_send(lsp, buf_view(json->out));
  buf_free(json->out);
}

void lsp_log(Lsp *lsp, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  enum { LOG_ERROR = 1 };
  Buf out = {0};
  Json json = {.out = &out};
  lsp_begin_notice(&json, "window/logMessage");
  json_int(&json, "type", LOG_ERROR);
  json_text(&json, "message", text);
  lsp_end_notice(lsp, &json);
}

static bool write_out(Lsp *lsp) {
  for (size_t at = 0; at < lsp->out.n;) {
    ssize_t n = write(STDOUT_FILENO, lsp->out.at + at, lsp->out.n - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += (size_t)n;
  }
  buf_reset(&lsp->out);
  return true;
}

// --- Reading ---

// Bytes that were read, and not yet handled.
typedef struct Input {
  Buf bytes;
  size_t at;      // of the first byte that is not handled
  size_t skipped; // bytes of a message that is too long, still to come
} Input;

// Reads more. False at the end.
static bool read_more(Input *in) {
  char chunk[CHUNK];
  ssize_t n;
  do n = read(STDIN_FILENO, chunk, sizeof chunk);
  while (n < 0 && errno == EINTR);
  if (n <= 0) return false;
  size_t skipped = in->skipped < (size_t)n ? in->skipped : (size_t)n;
  in->skipped -= skipped;
  if (in->at) { // the handled part makes room
    in->bytes.n -= in->at;
    memmove(in->bytes.at, in->bytes.at + in->at, in->bytes.n);
    in->at = 0;
  }
  buf_bytes(&in->bytes, chunk + skipped, (size_t)n - skipped);
  return true;
}

static Str rest_of(const Input *in) {
  return (Str){in->bytes.at ? in->bytes.at + in->at : "", in->bytes.n - in->at};
}

// The length of the header with its empty line; 0: it is not complete. Bare newlines are accepted.
static size_t header_size(Str text) {
  for (size_t i = 0; i < text.n; i++) {
    if (text.at[i] != '\n') continue;
    if (i + 1 < text.n && text.at[i + 1] == '\n') return i + 2;
    if (i + 2 < text.n && text.at[i + 1] == '\r' && text.at[i + 2] == '\n') return i + 3;
  }
  return 0;
}

static bool same_letters(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if ((a[i] | 0x20) != (b[i] | 0x20)) return false;
  return true;
}

// The value of Content-Length. False: there is none, or it is no number.
static bool content_length(Str header, size_t *length) {
  static const char name[] = "content-length:";
  enum { NAME = sizeof name - 1 };
  for (size_t i = 0; i + NAME < header.n; i++) {
    bool begins = i == 0 || header.at[i - 1] == '\n';
    if (!begins || !same_letters(header.at + i, name, NAME)) continue;
    i += NAME;
    while (i < header.n && header.at[i] == ' ') i++;
    size_t first = i;
    for (*length = 0; i < header.n && header.at[i] >= '0' && header.at[i] <= '9' && *length <= MAX_MESSAGE;
         i++)
      *length = *length * 10 + (size_t)(header.at[i] - '0');
    return i > first && (header.at[i] == '\r' || header.at[i] == '\n');
  }
  return false;
}

// Skips a header without a length. The next message may be complete.
static void skip_header(Lsp *lsp, Input *in, size_t size) {
  in->at += size;
  lsp_send_error(lsp, NULL, LSP_PARSE_ERROR, "the header has no Content-Length");
}

// The next complete message, or empty. `more`: bytes must be read first.
static Str next_message(Lsp *lsp, Input *in, bool *more) {
  size_t length = 0;
  *more = false;
  for (;;) {
    Str text = rest_of(in);
    size_t header = header_size(text);
    if (!header && text.n > MAX_HEADER) header = text.n;
    if (!header) return *more = true, (Str){0};
    if (!content_length((Str){text.at, header}, &length)) {
      skip_header(lsp, in, header);
      continue;
    }
    if (length > MAX_MESSAGE) { // its bytes are dropped as they come
      size_t here = text.n - header < length ? text.n - header : length;
      in->skipped = length - here;
      in->at += header + here;
      lsp_send_error(lsp, NULL, LSP_PARSE_ERROR, "the message is too long");
      continue;
    }
    if (text.n - header < length) return *more = true, (Str){0};
    in->at += header + length;
    return (Str){text.at + header, length};
  }
}

// True if input waits.
static bool input_waits(void) {
  struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
  return poll(&fd, 1, 0) > 0;
}

// --- The command ---

static void publish_changed(Lsp *lsp) {
  for (uint32_t i = 0; i < lsp->documents.n; i++)
    if (lsp->documents.at[i]->open && lsp->documents.at[i]->dirty) lsp_publish(lsp, lsp->documents.at[i]);
}

// Handles messages until `exit` or the end of the input. False: the output is closed.
static bool serve(Lsp *lsp, Input *in) {
  while (!lsp->exits) {
    bool more;
    Str message = next_message(lsp, in, &more);
    if (!more) {
      lsp_handle(lsp, message);
      if (!write_out(lsp)) return false;
      continue;
    }
    if (!input_waits()) publish_changed(lsp);
    if (!write_out(lsp)) return false;
    if (read_more(in)) continue;
    publish_changed(lsp); // a script may have closed the input
    return write_out(lsp);
  }
  return true;
}

ExitStatus command_lsp(const Options *options, Arena *arena) {
  (void)options;
  Lsp lsp = {.arena = arena};
  Input in = {0};
  signal(SIGPIPE, SIG_IGN);
  bool good = serve(&lsp, &in);
  for (uint32_t i = 0; i < lsp.documents.n; i++) {
    Document *document = lsp.documents.at[i];
    document_close(document);
    buf_free(&document->uri);
    buf_free(&document->path);
    buf_free(&document->text);
  }
  buf_free(&in.bytes);
  buf_free(&lsp.out);
  bool ended = lsp.shut_down || !lsp.initialized;
  return good && ended ? EXIT_DONE : EXIT_DIAGNOSED;
}
