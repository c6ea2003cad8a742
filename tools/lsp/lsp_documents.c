// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Open files: their text, edits, and positions in it. Lines end with a line feed, as for the front end.
#include <errno.h>
#include <stdio.h>

#include "runtime/compile/imports.h"
#include "tools/lsp/lsp.h"

// --- URIs ---

// The path of a file's URI. False: it is no file.
static bool document_path(Str uri, Buf *path) {
  static const char scheme[] = "file://";
  enum { SCHEME = sizeof scheme - 1 };
  if (uri.n < SCHEME || memcmp(uri.at, scheme, SCHEME) != 0) return false;
  size_t i = SCHEME;
  while (i < uri.n && uri.at[i] != '/') i++; // a host
  for (; i < uri.n; i++) {
    int high = i + 2 < uri.n && uri.at[i] == '%' ? digit_of(uri.at[i + 1]) : 99;
    int low = high < 16 ? digit_of(uri.at[i + 2]) : 99;
    bool code = high < 16 && low < 16 && high + low > 0;
    buf_char(path, code ? (char)(high * 16 + low) : uri.at[i]);
    if (code) i += 2;
  }
  return path->n > 0;
}

void document_uri(const char *path, Buf *uri) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  buf_text(uri, "file://");
  for (; *path; path++)
    if (strchr(plain, *path))
      buf_char(uri, *path);
    else
      buf_printf(uri, "%%%02X", (unsigned char)*path);
}

// --- The list ---

static void set_text(Buf *buf, Str text) {
  buf_reset(buf);
  buf_str(buf, text);
  buf_char(buf, '\0');
  buf->n--;
}

static void forget_analysis(Document *document) {
  analysis_free(&document->analysis);
  document->analysed = false;
}

// The analyses of other documents that read files may be of the old text too.
static void text_changed(Lsp *lsp, Document *document) {
  forget_analysis(document);
  document->dirty = document->open;
  for (uint32_t i = 0; i < lsp->documents.n; i++) {
    Document *other = lsp->documents.at[i];
    if (other == document || !other->analysed || !analysis_imports(&other->analysis, document->path.at))
      continue;
    forget_analysis(other);
    other->dirty = other->open;
  }
}

static Document *find_slot(Lsp *lsp, Str uri, bool open) {
  for (uint32_t i = 0; i < lsp->documents.n; i++) {
    Document *document = lsp->documents.at[i];
    if (document->open == open && str_eq(buf_view(&document->uri), uri)) return document;
  }
  return NULL;
}

Document *document_find(Lsp *lsp, Str uri) { return find_slot(lsp, uri, true); }

// A document for the URI: the one that has it, a free one, or a new one.
static Document *take_slot(Lsp *lsp, Str uri) {
  Document *document = document_find(lsp, uri);
  if (!document) document = find_slot(lsp, uri, false);
  for (uint32_t i = 0; !document && i < lsp->documents.n; i++)
    if (!lsp->documents.at[i]->open) document = lsp->documents.at[i];
  if (!document) {
    document = ARENA_NEW(lsp->arena, Document);
    vec_push(lsp->arena, &lsp->documents, document);
  }
  forget_analysis(document);
  set_text(&document->uri, uri);
  return document;
}

// A file's path. The suffix selects the syntax. Names without .tile and .py get that of their language.
static void set_path(Document *document, Str language) {
  Str uri = buf_view(&document->uri);
  buf_reset(&document->path);
  if (!document_path(uri, &document->path)) buf_str(&document->path, uri);
  Str path = buf_view(&document->path);
  if (!str_ends(path, ".py") && !str_ends(path, ".tile"))
    buf_text(&document->path, str_is(language, "python") ? ".py" : ".tile");
}

void document_open(Lsp *lsp, Str uri, Str language, Str text) {
  Document *document = take_slot(lsp, uri);
  set_path(document, language);
  set_text(&document->text, text);
  document->open = true;
  text_changed(lsp, document);
}

void document_close(Document *document) {
  forget_analysis(document);
  document->open = document->dirty = document->has_version = false;
}

Document *document_asked(Request *request) {
  Lsp *lsp = request->lsp;
  Str uri, text;
  if (!json_node_text(json_node_get(json_node_get(request->params, "textDocument"), "uri"), &uri)) {
    lsp_fail(request, LSP_INVALID_PARAMS, "textDocument.uri is missing");
    return NULL;
  }
  Document *document = document_find(lsp, uri);
  if (document) return document;
  Buf path = {0};
  Arena arena = {0};
  errno = 0;
  bool good = document_path(uri, &path) && import_read_file(NULL, &arena, path.at, &text, NULL);
  if (good) {
    document = take_slot(lsp, uri);
    set_path(document, STR(""));
    set_text(&document->text, text);
  } else
    lsp_fail(request, LSP_REQUEST_FAILED, "cannot read '%.*s': %s", STR_ARG(uri),
             errno ? strerror(errno) : "it is not a regular file");
  arena_free(&arena);
  buf_free(&path);
  return document;
}

// --- Places ---

// The offset of line `line` (from 0); the text's end if there is none.
static size_t line_start(Str text, uint64_t line) {
  size_t at = 0;
  for (; line > 0; line--) {
    const char *end = memchr(text.at + at, '\n', text.n - at);
    if (!end) return text.n;
    at = (size_t)(end + 1 - text.at);
  }
  return at;
}

static Str line_at(Str text, size_t start) {
  const char *end = start < text.n ? memchr(text.at + start, '\n', text.n - start) : NULL;
  Str line = {text.at + start, end ? (size_t)(end - text.at) - start : text.n - start};
  if (line.n && line.at[line.n - 1] == '\r') line.n--;
  return line;
}

Str document_line(const Document *document, uint32_t line) {
  Str text = buf_view(&document->text);
  return line ? line_at(text, line_start(text, line - 1)) : STR("");
}

// The bytes of the character that begins at `at`, and its units of UTF-16. Each byte of invalid UTF-8 is one character.
static size_t character_bytes(Str line, size_t at, uint32_t *units) {
  unsigned char c = (unsigned char)line.at[at];
  size_t n = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf8 ? 4 : 1;
  if (at + n > line.n) n = 1;
  for (size_t i = 1; i < n; i++)
    if (((unsigned char)line.at[at + i] & 0xc0) != 0x80) n = 1;
  *units = n == 4 ? 2 : 1;
  return n;
}

// The column in bytes of a character of the protocol. Past the end: the line's end.
static size_t byte_column(const Lsp *lsp, Str line, int64_t character) {
  size_t at = 0;
  for (int64_t left = character; at < line.n && left > 0;) {
    uint32_t units;
    size_t n = character_bytes(line, at, &units);
    left -= lsp->utf8 ? (int64_t)n : (int64_t)units;
    if (left < 0) break; // within a character: its start
    at += n;
  }
  return at;
}

uint32_t lsp_character(const Lsp *lsp, Str line, size_t column) {
  uint32_t character = 0, units;
  if (column > line.n) column = line.n;
  if (lsp->utf8) return (uint32_t)column;
  for (size_t at = 0; at < column; character += units) at += character_bytes(line, at, &units);
  return character;
}

// The offset of a position. False: it is none.
static bool offset_of(const Lsp *lsp, Str text, const JsonNode *position, size_t *offset) {
  int64_t line, character;
  if (!json_node_integer(json_node_get(position, "line"), &line) ||
      !json_node_integer(json_node_get(position, "character"), &character) || line < 0 || character < 0)
    return false;
  size_t start = line_start(text, (uint64_t)line);
  *offset = start + byte_column(lsp, line_at(text, start), character);
  return true;
}

Document *document_at(Request *request, Loc *loc) {
  Document *document = document_asked(request);
  if (!document) return NULL;
  Str text = buf_view(&document->text);
  size_t offset, start = 0;
  if (!offset_of(request->lsp, text, json_node_get(request->params, "position"), &offset)) {
    lsp_fail(request, LSP_INVALID_PARAMS, "the position is not valid");
    return NULL;
  }
  uint32_t line = 1;
  for (size_t i = 0; i < offset; i++)
    if (text.at[i] == '\n') line++, start = i + 1;
  size_t column = offset - start + 1;
  *loc = (Loc){.line = line, .col = column > UINT16_MAX ? UINT16_MAX : (uint16_t)column};
  return document;
}

static void put_position(Json *json, const char *name, uint32_t line, uint32_t character) {
  json_object(json, name);
  json_uint(json, "line", line);
  json_uint(json, "character", character);
  json_object_end(json);
}

void lsp_put_range(const Lsp *lsp, Json *json, const char *name, Loc loc, Str line) {
  uint32_t number = loc.line ? loc.line - 1 : 0;
  size_t from = loc.col ? loc.col - 1u : 0;
  json_object(json, name);
  put_position(json, "start", number, lsp_character(lsp, line, from));
  put_position(json, "end", number, lsp_character(lsp, line, from + loc.len));
  json_object_end(json);
}

// --- Edits ---

bool document_change(Lsp *lsp, Document *document, const JsonNode *change) {
  const JsonNode *range = json_node_get(change, "range");
  Str text, old = buf_view(&document->text);
  size_t from = 0, to = old.n;
  if (!json_node_text(json_node_get(change, "text"), &text)) return false;
  if (range && !json_node_is_null(range) &&
      !(offset_of(lsp, old, json_node_get(range, "start"), &from) &&
        offset_of(lsp, old, json_node_get(range, "end"), &to) && from <= to))
    return false;
  Buf edited = {0};
  buf_str(&edited, (Str){old.at, from});
  buf_str(&edited, text);
  buf_str(&edited, (Str){old.at + to, old.n - to});
  set_text(&document->text, buf_view(&edited));
  buf_free(&edited);
  text_changed(lsp, document);
  return true;
}
