// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/colors.h"
#include "base/fault.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/integer.h"
#include "base/plain.h"

enum { CALLS_SHOWN = 4 }; // shown at each end of a long chain
enum { DEFAULT_ERROR_LIMIT = 20, MAX_TYPED = 64 };

Loc loc_join(Loc a, Loc b) {
  if (a.file != b.file || a.line != b.line || b.col < a.col) return a;
  uint32_t end = (uint32_t)b.col + b.len, own = (uint32_t)a.col + a.len;
  uint32_t len = (end > own ? end : own) - a.col;
  a.len = len > UINT16_MAX ? UINT16_MAX : (uint16_t)len;
  return a;
}

uint16_t sources_add(Sources *sources, const char *name, Str text) {
  if (sources->files.n == UINT16_MAX) fault_raise(FAULT_MEMORY, "more than %u source files", UINT16_MAX);
  SourceFile file = {.name = arena_copy(sources->arena, str_from(name))};
  if (text.at) file.text = (Str){arena_copy(sources->arena, text), text.n};
  vec_push(sources->arena, &sources->files, file);
  return (uint16_t)(sources->files.n - 1);
}

void sources_show(Sources *sources, uint16_t index, const char *name, Str text) {
  SourceFile *file = &sources->files.at[index];
  if (!file->path) file->path = file->name;
  file->name = arena_copy(sources->arena, str_from(name));
  if (text.at) file->shown = (Str){arena_copy(sources->arena, text), text.n};
  file->line_starts.n = 0;
}

uint16_t sources_named(Sources *sources, const char *name) {
  for (uint32_t i = 0; i < sources->files.n; i++)
    if (strcmp(sources->files.at[i].name, name) == 0) return (uint16_t)i;
  return sources_add(sources, name, (Str){0});
}

typedef struct CallEntry {
  Loc site;
  uint16_t index;
} CallEntry;

static bool is_call_at(const void *entry, const void *key) {
  return loc_same(((const CallEntry *)entry)->site, *(const Loc *)key);
}

static uint64_t hash_loc(Loc at) {
  uint64_t hash = hash_u64((uint64_t)at.line << 32 | (uint64_t)at.col << 16 | at.len);
  return hash_u64(hash ^ ((uint64_t)at.file << 16 | at.call));
}

uint16_t sources_call(Sources *sources, Loc site) {
  if (sources->calls.n == 0) vec_push(sources->arena, &sources->calls, LOC_NONE);
  CallEntry *known = table_find(&sources->calls_by_place, hash_loc(site), &site, is_call_at);
  if (known) return known->index;
  if (sources->calls.n == UINT16_MAX) return 0; // the location stays, the chain of calls is lost
  CallEntry *entry = ARENA_NEW(sources->arena, CallEntry);
  *entry = (CallEntry){site, (uint16_t)sources->calls.n};
  vec_push(sources->arena, &sources->calls, site);
  *table_place(&sources->calls_by_place, sources->arena, hash_loc(site), &site, is_call_at) = entry;
  return entry->index;
}

static Str quoted_text(const SourceFile *file) { return file->shown.at ? file->shown : file->text; }

static void find_lines(Sources *sources, SourceFile *file) {
  Str text = quoted_text(file);
  vec_push(sources->arena, &file->line_starts, 0);
  for (size_t i = 0; i < text.n; i++)
    if (text.at[i] == '\n') vec_push(sources->arena, &file->line_starts, (uint32_t)i + 1);
}

Str sources_line(Sources *sources, uint16_t index, uint32_t line) {
  if (index >= sources->files.n) return (Str){0};
  SourceFile *file = &sources->files.at[index];
  Str text = quoted_text(file);
  if (!text.at) return (Str){0};
  if (file->line_starts.n == 0) find_lines(sources, file);
  if (line == 0 || line > file->line_starts.n) return (Str){0};
  size_t start = file->line_starts.at[line - 1], end = start;
  while (end < text.n && text.at[end] != '\n' && text.at[end] != '\r') end++;
  return (Str){text.at + start, end - start};
}

uint16_t sources_with_line(Sources *sources, const char *name, uint32_t line) {
  for (uint32_t i = 0; i < sources->files.n; i++)
    if (strcmp(sources->files.at[i].name, name) == 0 && sources_line(sources, (uint16_t)i, line).n)
      return (uint16_t)i;
  return sources_named(sources, name);
}

const char *sources_name(const Sources *sources, uint16_t file) {
  return file < sources->files.n ? sources->files.at[file].name : "<unknown>";
}

const char *sources_path(const Sources *sources, uint16_t file) {
  if (file >= sources->files.n || !sources->files.at[file].path) return sources_name(sources, file);
  return sources->files.at[file].path;
}

bool diag_take_code(char *message, char code[DIAG_CODE_SIZE]) {
  enum { DIGITS = 4, BYTES = DIGITS + 4 }; // "[T0301] "
  code[0] = 0;
  for (char *at = message; (at = strstr(at, "[T"));) {
    if (strspn(at + 2, "0123456789") != DIGITS || memcmp(at + 2 + DIGITS, "] ", 2) != 0) { // text of a source
      at++;
      continue;
    }
    memcpy(code, at + 1, DIAG_CODE_SIZE - 1);
    code[DIAG_CODE_SIZE - 1] = 0;
    memmove(at, at + BYTES, strlen(at + BYTES) + 1);
  }
  return code[0] && strcmp(code, "T0000") != 0;
}

static Diag *diag_new(Diags *diags, Severity severity, Loc loc, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (n < 0) BUG("vsnprintf failed on \"%s\"", format);
  char *message = arena_alloc(diags->arena, (size_t)n + 1);
  vsnprintf(message, (size_t)n + 1, format, args);
  Diag *diag = ARENA_NEW(diags->arena, Diag);
  *diag = (Diag){.severity = severity, .loc = loc, .message = message};
  char code[DIAG_CODE_SIZE];
  if (diag_take_code(message, code)) diag->code = arena_copy(diags->arena, str_from(code));
  return diag;
}

static uint16_t caller_of(const Diags *diags, Loc loc) {
  return loc.call < diags->sources->calls.n ? loc.call : 0;
}

void diag_note_calls(Diags *diags, Diag *diag, Loc loc) {
  uint32_t deep = 0, i = 0;
  const Loc *calls = diags->sources->calls.at;
  for (uint16_t call = caller_of(diags, loc); call; call = caller_of(diags, calls[call])) deep++;
  uint32_t left_out = deep > 2 * CALLS_SHOWN + 1 ? deep - 2 * CALLS_SHOWN : 0;
  for (uint16_t call = caller_of(diags, loc); call; call = caller_of(diags, calls[call]), i++) {
    if (i < CALLS_SHOWN || i >= CALLS_SHOWN + left_out)
      diag_note(diags, diag, calls[call], "called from here");
    else if (i == CALLS_SHOWN)
      diag_note(diags, diag, calls[call], "called from here, through %u calls that are not shown",
                left_out - 1);
  }
}

static bool is_same(const void *entry, const void *key) {
  const Diag *a = entry, *b = key;
  return a->severity == b->severity && loc_same(a->loc, b->loc) && strcmp(a->message, b->message) == 0;
}

static bool is_listed(const Diags *diags, const Diag *diag) {
  return diag->place < diags->list.n && diags->list.at[diag->place] == diag;
}

// The table's entry for the same diagnostic.
static void **known_place(Diags *diags, const Diag *diag) {
  uint64_t hash = hash_more(hash_loc(diag->loc) ^ diag->severity, diag->message, strlen(diag->message));
  return table_place(&diags->known, diags->arena, hash, diag, is_same);
}

// Lists the diagnostic, unless it is listed already or the error limit is reached.
Diag *diag_tell(Diags *diags, Diag *diag) {
  if (diag->severity == DIAG_ERROR) diags->raised++;
  void **known = known_place(diags, diag);
  if (*known && is_listed(diags, *known)) return diag;
  *known = diag;
  diag_note_calls(diags, diag, diag->loc);
  uint32_t limit = diags->error_limit ? diags->error_limit : DEFAULT_ERROR_LIMIT;
  diag->place = UINT32_MAX;
  if (diag->severity == DIAG_ERROR && diags->errors++ >= limit) return diag;
  if (diag->severity == DIAG_WARNING) diags->warnings++;
  diag->place = diags->list.n;
  vec_push(diags->arena, &diags->list, diag);
  return diag;
}

Diag *diag_error(Diags *diags, Loc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  Diag *diag = diag_new(diags, DIAG_ERROR, loc, format, args);
  va_end(args);
  return diag_tell(diags, diag);
}

Diag *diag_warning(Diags *diags, Loc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  Diag *diag = diag_new(diags, DIAG_WARNING, loc, format, args);
  va_end(args);
  return diag_tell(diags, diag);
}

Diag *diag_print(Diags *diags, Loc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  Diag *diag = diag_new(diags, DIAG_NOTE, loc, format, args);
  va_end(args);
  return diag_tell(diags, diag);
}

Diag *diag_remark(Diags *diags, Loc loc, const char *pass, const char *format, ...) {
  va_list args;
  va_start(args, format);
  Diag *diag = diag_new(diags, DIAG_REMARK, loc, format, args);
  va_end(args);
  diag->pass = pass;
  return diag_tell(diags, diag);
}

void diag_note(Diags *diags, Diag *parent, Loc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  Diag *note = diag_new(diags, DIAG_NOTE, loc, format, args);
  va_end(args);
  vec_push(diags->arena, &parent->notes, note);
}

void diag_fixit(Diags *diags, Diag *parent, Loc at, const char *replacement) {
  FixIt fixit = {at, arena_copy(diags->arena, str_from(replacement))};
  vec_push(diags->arena, &parent->fixits, fixit);
}

static Loc take_loc(Sources *to, const Sources *from, Loc loc) {
  if (!loc.line) return loc;
  const SourceFile *file = &from->files.at[loc.file];
  uint32_t known = to->files.n;
  loc.file = sources_with_line(to, file->name, loc.line);
  Str text = quoted_text(file);
  if (text.at && (to->files.n > known || !sources_line(to, loc.file, loc.line).n)) { // with its text
    to->files.n = known;
    loc.file = sources_add(to, file->name, text);
  }
  if (loc.call) loc.call = sources_call(to, take_loc(to, from, from->calls.at[loc.call]));
  return loc;
}

static Diag *take_diag(Diags *to, const Diags *from, const Diag *diag) {
  Diag *copy = ARENA_NEW(to->arena, Diag);
  *copy = (Diag){.severity = diag->severity, .pass = diag->pass};
  if (diag->code) copy->code = arena_copy(to->arena, str_from(diag->code));
  copy->loc = take_loc(to->sources, from->sources, diag->loc);
  copy->message = arena_copy(to->arena, str_from(diag->message));
  if (diag->run) {
    DiagRun *run = ARENA_NEW(to->arena, DiagRun);
    *run = *diag->run;
    if (run->buffer) run->buffer = arena_copy(to->arena, str_from(run->buffer));
    if (run->with) run->with = arena_copy(to->arena, str_from(run->with));
    if (run->got) run->got = arena_copy(to->arena, str_from(run->got));
    if (run->expected) run->expected = arena_copy(to->arena, str_from(run->expected));
    run->other = take_loc(to->sources, from->sources, run->other);
    copy->run = run;
  }
  for (uint32_t i = 0; i < diag->notes.n; i++)
    vec_push(to->arena, &copy->notes, take_diag(to, from, diag->notes.at[i]));
  for (uint32_t i = 0; i < diag->fixits.n; i++) {
    FixIt fixit = diag->fixits.at[i];
    fixit.at = take_loc(to->sources, from->sources, fixit.at);
    vec_push(to->arena, &copy->fixits, fixit);
  }
  return copy;
}

void diags_take(Diags *diags, const Diags *from, DiagFilter wanted) {
  for (uint32_t i = 0; i < from->list.n; i++) {
    Diag *copy = take_diag(diags, from, from->list.at[i]);
    if (wanted && !wanted(diags, copy)) continue;
    diags->errors += copy->severity == DIAG_ERROR;
    diags->warnings += copy->severity == DIAG_WARNING;
    diags->raised += copy->severity == DIAG_ERROR;
    vec_push(diags->arena, &diags->list, copy);
  }
}

// Counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment). Returns more
// than `limit` for long names.
static uint32_t edit_distance(Str a, Str b, uint32_t limit) {
  uint32_t rows[3][MAX_TYPED + 1], *before = rows[0], *last = rows[1], *row = rows[2];
  if (a.n > MAX_TYPED || b.n > MAX_TYPED) return limit + 1;
  for (uint32_t j = 0; j <= b.n; j++) last[j] = j;
  for (uint32_t i = 1; i <= a.n; i++) {
    row[0] = i;
    for (uint32_t j = 1; j <= b.n; j++) {
      bool same = a.at[i - 1] == b.at[j - 1];
      row[j] = min_u32(last[j - 1] + !same, min_u32(last[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1])
        row[j] = min_u32(row[j], before[j - 2] + 1);
    }
    uint32_t *oldest = before;
    before = last;
    last = row;
    row = oldest;
  }
  return last[b.n];
}

const char *diag_nearest(Str typed, const char *const *names, size_t n) {
  uint32_t limit = (uint32_t)(typed.n + 2) / 3, best = limit + 1;
  const char *nearest = NULL;
  for (size_t i = 0; i < n; i++) {
    uint32_t distance = edit_distance(typed, str_from(names[i]), limit);
    if (distance < best && distance > 0 && distance < typed.n) {
      best = distance;
      nearest = names[i];
    }
  }
  return nearest;
}

// "x" and "x_ptr"
static bool begins_words(Str text, Str head) {
  return head.n > 0 && text.n > head.n && memcmp(text.at, head.at, head.n) == 0 && text.at[head.n] == '_';
}

const char *diag_nearest_words(Str typed, const char *const *names, size_t n) {
  const char *nearest = diag_nearest(typed, names, n);
  uint32_t found = 0;
  if (nearest) return nearest;
  for (size_t i = 0; i < n; i++) {
    Str name = str_from(names[i]);
    if (begins_words(name, typed) || begins_words(typed, name)) nearest = names[i], found++;
  }
  return found == 1 ? nearest : NULL;
}

// 0 for the nearest names.
static int list_rank(Str typed, const char *name) {
  const char *one[] = {name};
  if (diag_nearest(typed, one, 1)) return 0;
  for (const char *at = name; typed.n && *at; at++)
    if (strncmp(at, typed.at, typed.n) == 0) return 1;
  return 2;
}

void diag_list_names(Str typed, const char *const *names, size_t n, Buf *out) {
  enum { MAX_LISTED = 8 };
  size_t listed = 0, most = n <= MAX_LISTED + 1 ? n : MAX_LISTED;
  for (int rank = 0; rank <= 2; rank++)
    for (size_t i = 0; i < n && listed < most; i++) {
      if (list_rank(typed, names[i]) != rank) continue;
      listed++;
      buf_printf(out, "%s'%s'", listed == 1 ? "" : listed == n ? " and " : ", ", names[i]);
    }
  if (n > most) buf_printf(out, " and %zu more", n - most);
}

static const char *const severity_name[] = {"error", "warning", "remark", "note"};
static const char *const severity_color[] = {COLOR_ERROR, COLOR_WARNING, COLOR_REMARK, COLOR_NOTE};

static void print_color(const Diags *diags, const char *color, Buf *out) {
  if (diags->colors) buf_text(out, color);
}

enum { EXCERPT_BEFORE = 120, EXCERPT_BYTES = 240, MESSAGE_BYTES = 4096 };

// The part of a source line that is shown: all of it, or the part around the caret.
typedef struct Excerpt {
  Str line;
  size_t from, to;
} Excerpt;

static bool inside_character(Str line, size_t at) {
  return at > 0 && at < line.n && ((unsigned char)line.at[at] & 0xc0) == 0x80;
}

static Excerpt excerpt_of(Str line, size_t caret) {
  Excerpt e = {line, 0, line.n};
  if (line.n <= EXCERPT_BYTES) return e;
  if (caret > EXCERPT_BEFORE) e.from = caret - EXCERPT_BEFORE;
  if (line.n - e.from > EXCERPT_BYTES) e.to = e.from + EXCERPT_BYTES;
  for (int i = 0; i < 3 && inside_character(line, e.from); i++) e.from--;
  for (int i = 0; i < 3 && inside_character(line, e.to); i++) e.to++;
  return e;
}

static void print_excerpt(const Excerpt *e, Buf *out) {
  char shown[PLAIN_MAX];
  uint32_t columns;
  if (e->from) buf_text(out, "...");
  for (size_t at = e->from; at < e->to;) {
    size_t n = plain_next(e->line, &at, shown, &columns);
    buf_bytes(out, shown, n);
  }
  if (e->to < e->line.n) buf_text(out, "...");
  buf_char(out, '\n');
}

// Prints `fill` once per column of the line's bytes `from` to `to`. A tab stays a tab.
static void print_columns(const Excerpt *e, size_t from, size_t to, char fill, Buf *out) {
  char shown[PLAIN_MAX];
  uint32_t columns;
  for (size_t at = from; at < to;) {
    plain_next(e->line, &at, shown, &columns);
    if (shown[0] == '\t' && fill == ' ')
      buf_char(out, '\t');
    else
      for (uint32_t i = 0; i < columns; i++) buf_char(out, fill);
  }
}

static void print_margin(const Excerpt *e, size_t to, Buf *out) {
  if (e->from) buf_text(out, "   ");
  print_columns(e, e->from, to, ' ', out);
}

// The source line with the caret and range below it, then the
// fix-its below those. Tabs are kept, so that columns agree.
static void print_snippet(const Diags *diags, const Diag *diag, Buf *out) {
  Str line = sources_line(diags->sources, diag->loc.file, diag->loc.line);
  if (!line.at || diag->loc.col == 0 || diag->loc.col > line.n + 1) return;
  size_t start = diag->loc.col - 1u, end = start + diag->loc.len;
  Excerpt e = excerpt_of(line, start);
  print_excerpt(&e, out);
  print_margin(&e, start, out);
  print_color(diags, COLOR_CARET, out);
  size_t first = out->n;
  print_columns(&e, start, end > e.to ? e.to : end, '~', out);
  if (out->n == first) buf_char(out, '^');
  out->at[first] = '^';
  print_color(diags, COLOR_RESET, out);
  buf_char(out, '\n');
  for (uint32_t k = 0; k < diag->fixits.n; k++) {
    const FixIt *fixit = &diag->fixits.at[k];
    size_t at = fixit->at.col - (fixit->at.col > 0);
    if (fixit->at.file != diag->loc.file || fixit->at.line != diag->loc.line || at < e.from || at > e.to)
      continue;
    print_margin(&e, at, out);
    print_color(diags, COLOR_CARET, out);
    buf_plain(out, str_from(fixit->text), MESSAGE_BYTES);
    print_color(diags, COLOR_RESET, out);
    buf_char(out, '\n');
  }
}

// True if the snippet of `loc` is printed above: by the diagnostic of a run, or by its note before.
static bool is_shown(const Diag *parent, uint32_t note, Loc loc) {
  if (!parent || !parent->run) return false;
  return loc_same(loc, parent->loc) || (note && loc_same(loc, parent->notes.at[note - 1]->loc));
}

// parent: NULL, or the diagnostic that this note number `note` belongs to.
static void print_text(const Diags *diags, const Diag *diag, const Diag *parent, uint32_t note, Buf *out) {
  print_color(diags, COLOR_BOLD, out);
  if (diag->loc.line) {
    buf_plain(out, str_from(sources_name(diags->sources, diag->loc.file)), MESSAGE_BYTES);
    buf_printf(out, ":%u:%u: ", diag->loc.line, diag->loc.col);
  } else
    buf_text(out, "tilec: ");
  print_color(diags, severity_color[diag->severity], out);
  buf_text(out, severity_name[diag->severity]);
  if (diag->code) buf_printf(out, "[%s]", diag->code);
  buf_text(out, ": ");
  print_color(diags, COLOR_RESET, out);
  if (diag->severity != DIAG_NOTE) print_color(diags, COLOR_BOLD, out);
  buf_plain_lines(out, str_from(diag->message), MESSAGE_BYTES);
  if (diag->severity != DIAG_NOTE) print_color(diags, COLOR_RESET, out);
  if (diag->pass) buf_printf(out, " [%s]", diag->pass);
  buf_char(out, '\n');
  if (!is_shown(parent, note, diag->loc) || diag->fixits.n) print_snippet(diags, diag, out);
  for (uint32_t i = 0; i < diag->notes.n; i++) print_text(diags, diag->notes.at[i], diag, i, out);
}

void diags_print_text(const Diags *diags, bool remarks, Buf *out) {
  for (uint32_t i = 0; i < diags->list.n; i++)
    if (remarks || diags->list.at[i]->severity != DIAG_REMARK)
      print_text(diags, diags->list.at[i], NULL, 0, out);
  uint32_t limit = diags->error_limit ? diags->error_limit : DEFAULT_ERROR_LIMIT;
  if (diags->errors > limit)
    buf_printf(out, "tilec: error: too many errors: %u more not shown\n", diags->errors - limit);
}

static void print_json_place(const Diags *diags, Loc loc, Json *json) {
  if (!loc.line) return;
  json_text(json, "file", sources_name(diags->sources, loc.file));
  json_uint(json, "line", loc.line);
  json_uint(json, "column", loc.col);
  json_uint(json, "length", loc.len);
}

static void print_json_run(const DiagRun *run, Json *json) {
  json_text(json, "kind", run->kind);
  if (run->buffer) {
    json_text(json, "buffer", run->buffer);
    json_int(json, "index", run->index);
    if (run->rank > 1) json_array(json, "indices");
    for (uint32_t d = 0; run->rank > 1 && d < run->rank; d++) json_int(json, NULL, run->indices[d]);
    if (run->rank > 1) json_array_end(json);
  }
  if (!run->with) json_array(json, "program");
  for (int i = 0; !run->with && i < 3; i++) json_uint(json, NULL, run->program[i]);
  if (!run->with) json_array_end(json);
  if (run->element_rank) {
    json_array(json, "element");
    for (uint32_t d = 0; d < run->element_rank; d++) json_uint(json, NULL, run->element[d]);
    json_array_end(json);
  }
  if (run->access) json_text(json, "access", run->access);
  if (run->other_access) json_text(json, "other_access", run->other_access);
  json_uint(json, "count", run->count);
  if (run->with) json_text(json, "with", run->with);
  if (run->got) json_decimal(json, "got", run->got);
  if (run->expected) json_decimal(json, "expected", run->expected);
}

static void print_json(const Diags *diags, const Diag *diag, Json *json) {
  json_object(json, NULL);
  json_text(json, "severity", severity_name[diag->severity]);
  if (diag->code) json_text(json, "code", diag->code);
  json_text(json, "message", diag->message);
  print_json_place(diags, diag->loc, json);
  if (diag->pass) json_text(json, "pass", diag->pass);
  if (diag->run) print_json_run(diag->run, json);
  json_array(json, "fixits");
  for (uint32_t i = 0; i < diag->fixits.n; i++) {
    json_object(json, NULL);
    json_text(json, "text", diag->fixits.at[i].text);
    print_json_place(diags, diag->fixits.at[i].at, json);
    json_object_end(json);
  }
  json_array_end(json);
  json_array(json, "notes");
  for (uint32_t i = 0; i < diag->notes.n; i++) print_json(diags, diag->notes.at[i], json);
  json_array_end(json);
  json_object_end(json);
}

void diags_print_json(const Diags *diags, bool remarks, Buf *out) {
  Json json = {.out = out, .rows = true};
  json_array(&json, NULL);
  for (uint32_t i = 0; i < diags->list.n; i++)
    if (remarks || diags->list.at[i]->severity != DIAG_REMARK) print_json(diags, diags->list.at[i], &json);
  json_array_end(&json);
  buf_char(out, '\n');
}
