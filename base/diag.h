// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source files, places in them, and what the compiler has to say about them: errors, warnings, remarks, with
// notes and fix-its, as clang's.
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/table.h"
#include "base/vec.h"

// A place: `len` bytes from line:col (0: a caret alone). A range that goes
// over several lines is cut at its first line's end. line 0: no place.
// Small enough to pass and store by value; carried by every token, node and op.
typedef struct Loc {
  uint32_t line; // from 1
  uint16_t col;  // from 1, in bytes; saturates
  uint16_t len;
  uint16_t file; // Sources.files index
  uint16_t call; // 0, or Sources.calls index: the call through which this code was inlined
} Loc;

#define LOC_NONE ((Loc){0})

// From a's start to b's end (on a's line); a alone where they are in different files or lines.
Loc loc_join(Loc a, Loc b);

typedef struct SourceFile {
  const char *name; // as the user wrote it; "<stdin>" for standard input
  const char *path; // what it is found by where that is another; NULL: its name
  // A NUL follows the last byte; text.at is NULL where only the name is known (locations read from .tir).
  Str text, shown;           // shown: what is quoted in the place of text; shown.at is NULL: text is
  VEC(uint32_t) line_starts; // offsets in what is quoted, made at the first need
} SourceFile;

// Every file of a compilation, and the call sites through which functions were inlined.
typedef struct Sources {
  Arena *arena; // set before first use; owns names, texts and tables
  VEC(SourceFile) files;
  VEC(Loc) calls;       // calls.at[0] is unused
  Table calls_by_place; // of CallEntry (diag.c): each place in `calls` once
} Sources;

// Adds a file; `text` is copied. The index is the `file` of its Locs.
uint16_t sources_add(Sources *sources, const char *name, Str text);
// From now on the file goes by another name, which others may have too, and other text is quoted (text.at NULL: its
// own). Both are copied. Lines and columns are the same.
void sources_show(Sources *sources, uint16_t file, const char *name, Str text);
// The file of that name, added without text where there is none.
uint16_t sources_named(Sources *sources, const char *name);
// Of several of that name the one whose line has text.
uint16_t sources_with_line(Sources *sources, const char *name, uint32_t line);
// A call site's index for Loc.call; the same index for the same place.
uint16_t sources_call(Sources *sources, Loc site);
// Line `line` (from 1) without its newline; empty where unknown.
Str sources_line(Sources *sources, uint16_t file, uint32_t line);
const char *sources_name(const Sources *sources, uint16_t file);
const char *sources_path(const Sources *sources, uint16_t file);

typedef enum Severity { DIAG_ERROR, DIAG_WARNING, DIAG_REMARK, DIAG_NOTE } Severity;

typedef struct FixIt {
  Loc at;           // replaces at.len bytes; inserts where len is 0
  const char *text; // the replacement
} FixIt;

// What a kernel did wrong while it ran, or where its results differ. Its text is in the message; this is for
// programs.
typedef struct DiagRun {
  const char *kind;   // "out of bounds"; "differs"
  const char *buffer; // the argument's name; NULL: none
  int64_t index;      // of the element in the buffer
  int64_t indices[8]; // by dimension
  uint32_t rank;      // of the indices; 0: not known
  uint32_t program[3]; // not of results that differ
  uint64_t count;      // how often; how many elements
  const char *with;    // results that differ: from what; else NULL
  const char *got, *expected; // the element's values as decimals; NULL: none
} DiagRun;

typedef struct Diag {
  Severity severity;
  Loc loc;
  const char *message;
  const char *pass; // remarks only: which pass speaks; else NULL
  const DiagRun *run; // NULL: it is not about a run
  uint32_t place;     // in the list; what was taken out of the list has another's
  VEC(FixIt) fixits;
  VEC(struct Diag *) notes; // of severity DIAG_NOTE
} Diag;

// Collected, never printed from here. Several errors a run;
// from `error_limit` errors on, further ones are counted only.
typedef struct Diags {
  Arena *arena;     // set before first use
  Sources *sources; // set before first use
  VEC(Diag *) list; // shorten it by setting n
  Table known;      // those that were listed, by severity, place and text
  uint32_t errors, warnings;
  uint32_t raised;      // errors given, those that stand there already included
  uint32_t error_limit; // 0: 20
  bool colors;          // diags_print_text gives what is for a terminal
} Diags;

// The result takes notes and fix-its; it is never NULL. A Loc with a call adds "called from here" notes by
// itself. An error at the same place with the same text is kept once.
Diag *diag_error(Diags *diags, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
Diag *diag_warning(Diags *diags, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
// What pass `pass` did or declined, with the reason.
Diag *diag_remark(Diags *diags, Loc loc, const char *pass, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Gives a diagnostic that was taken out of the list before: listed and counted as when it was new.
Diag *diag_tell(Diags *diags, Diag *diag);
// What the user asked to be told, whether remarks are wanted or not: of severity DIAG_NOTE.
Diag *diag_print(Diags *diags, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_note(Diags *diags, Diag *parent, Loc loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// "called from here" notes of a place that is not the diagnostic's own.
void diag_note_calls(Diags *diags, Diag *parent, Loc loc);
void diag_fixit(Diags *diags, Diag *parent, Loc at, const char *replacement);

// Adds copies of what `from` holds, whose places are of other sources: files are found by their names. Those
// that `wanted`, given the copy, does not want are left out; NULL: none are.
typedef bool (*DiagFilter)(const Diags *diags, const Diag *diag);
void diags_take(Diags *diags, const Diags *from, DiagFilter wanted);

// The nearest of `names` (n of them) to `typed` by edit distance,
// NULL where none is near enough: for "did you mean".
const char *diag_nearest(Str typed, const char *const *names, size_t n);
// The same of parameters: or else the only name that is longer or shorter by words, as x_ptr and x.
const char *diag_nearest_words(Str typed, const char *const *names, size_t n);

// As clang prints: "file:line:col: error: text", the source line,
// caret and range, fix-its, notes. Remarks only where asked for.
void diags_print_text(const Diags *diags, bool remarks, Buf *out);
// One JSON array: {severity, message, file, line, column, length, pass?, kind?, buffer?, index?, indices?,
// program?, count?, with?, got?, expected?, fixits, notes}. file, line ... are left out where there is no place.
void diags_print_json(const Diags *diags, bool remarks, Buf *out);

#endif
