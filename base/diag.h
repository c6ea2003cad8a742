// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source files, locations in them, and diagnostics: errors, warnings and remarks, with notes and fix-its like
// clang's.
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/table.h"
#include "base/vec.h"

// A location: `len` bytes from line:col (0: only a caret). A range over several lines ends at its first
// line's end. line 0: no location. Small enough to pass and store by value: every token, node and op has one.
typedef struct Loc {
  uint32_t line; // from 1
  uint16_t col;  // from 1, in bytes; saturates
  uint16_t len;
  uint16_t file; // Sources.files index
  uint16_t call; // 0, or Sources.calls index: the call through which this code was inlined
} Loc;

#define LOC_NONE ((Loc){0})

static inline bool loc_same(Loc a, Loc b) {
  return a.line == b.line && a.col == b.col && a.len == b.len && a.file == b.file && a.call == b.call;
}

// From a's start to b's end (on a's line). Returns a if they are in different files or lines.
Loc loc_join(Loc a, Loc b);

typedef struct SourceFile {
  const char *name; // as the user wrote it; "<stdin>" for standard input
  const char *path; // the path of the file if it differs; NULL: the name.
  // A NUL follows the last byte. text.at is NULL if only the name is known (locations read from .tir).
  Str text, shown;           // Quoted is `shown`; shown.at is NULL: `text`.
  VEC(uint32_t) line_starts; // Offsets in the quoted text, computed at first use
} SourceFile;

// Every file of a compilation, and the call sites through which functions were inlined.
typedef struct Sources {
  Arena *arena; // set before first use; owns names, texts and tables
  VEC(SourceFile) files;
  VEC(Loc) calls;       // calls.at[0] is unused
  Table calls_by_place; // of CallEntry (diag.c): each location in `calls` once
} Sources;

// Adds a file and copies `text`. Returns the index for Loc.file.
uint16_t sources_add(Sources *sources, const char *name, Str text);
// Renames the file. Other files may have the same name. Also replaces the quoted text (text.at NULL: keeps
// the file's text). Both are copied. Lines and columns stay the same.
void sources_show(Sources *sources, uint16_t file, const char *name, Str text);
// The file with this name. Adds one without text if there is none.
uint16_t sources_named(Sources *sources, const char *name);
// If several files have the name, returns the one whose line has text.
uint16_t sources_with_line(Sources *sources, const char *name, uint32_t line);
// The index of a call site for Loc.call. The same location always gets the same index.
uint16_t sources_call(Sources *sources, Loc site);
// Line `line` (from 1) without its newline; empty if unknown.
Str sources_line(Sources *sources, uint16_t file, uint32_t line);
const char *sources_name(const Sources *sources, uint16_t file);
const char *sources_path(const Sources *sources, uint16_t file);

typedef enum Severity { DIAG_ERROR, DIAG_WARNING, DIAG_REMARK, DIAG_NOTE } Severity;

typedef struct FixIt {
  Loc at;           // replaces at.len bytes; inserts where len is 0
  const char *text; // the replacement
} FixIt;

// An error of a kernel while it ran, or a difference in its results. The message has the text; this is for
// programs.
typedef struct DiagRun {
  const char *kind;           // "out of bounds"; "differs".
  const char *buffer;         // The argument's name; NULL: none.
  int64_t index;              // The element's number in the buffer.
  int64_t indices[8];         // By dimension.
  uint32_t rank;              // Number of indices; 0: not known
  uint32_t program[3];        // Unused for results that differ.
  uint32_t element[8];        // The first one of the op's tile that fails, by dimension
  uint32_t element_rank;      // 0: not known, or no tile
  uint64_t count;             // Number of occurrences, or of elements.
  const char *with;           // For results that differ: the other result; else NULL.
  const char *got, *expected; // The element's values as decimals; NULL: none
  // For races: "load", "store" or "atomic", of the access at the message's place and of the other one, and the other's
  // place, which is the same if one op makes both. Else NULL. Literals.
  const char *access, *other_access;
  Loc other;
} DiagRun;

// Formats of errors and warnings begin with the code of their kind (tools/options/diagnostics.def): "[T0301] the
// shapes ...". It may come through "%s": the last one in the message counts. A diagnostic takes them out of its message.
// "[T0000] ": no code, for errors of internal checks.
enum { DIAG_CODE_SIZE = sizeof "T0301" };
// Takes the codes out of a message. False: it has none.
bool diag_take_code(char *message, char code[DIAG_CODE_SIZE]);
typedef struct Diag {
  Severity severity;
  Loc loc;
  const char *code; // "T0301"; NULL: none
  const char *message;
  const char *pass;   // only for remarks: the pass; else NULL
  const DiagRun *run; // NULL: not about a run
  uint32_t place;     // index in the list; a diagnostic removed from the list has another's
  VEC(FixIt) fixits;
  VEC(struct Diag *) notes; // of severity DIAG_NOTE
} Diag;

// Diagnostics are collected here, never printed. One run can report several errors. After `error_limit`
// errors, further ones are only counted.
typedef struct Diags {
  Arena *arena;     // set before first use
  Sources *sources; // set before first use
  VEC(Diag *) list; // shorten it by setting n
  Table known;      // those listed so far, by severity, location and text
  uint32_t errors, warnings;
  uint32_t raised;      // errors raised, duplicates included
  uint32_t error_limit; // 0: 20
  bool colors;          // diags_print_text writes colours for a terminal
} Diags;

// The result takes notes and fix-its; it is never NULL. A Loc with a call adds "called from here" notes
// automatically. An error at the same location with the same text is kept once.
Diag *diag_error(Diags *diags, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
Diag *diag_warning(Diags *diags, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Reports what pass `pass` did or declined, with the reason.
Diag *diag_remark(Diags *diags, Loc loc, const char *pass, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Adds a diagnostic that was removed from the list. It is listed and counted like a new one.
Diag *diag_tell(Diags *diags, Diag *diag);
// Output that the user asked for, printed with or without remarks. Severity DIAG_NOTE.
Diag *diag_print(Diags *diags, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_note(Diags *diags, Diag *parent, Loc loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Adds "called from here" notes for a location that is not the diagnostic's own location.
void diag_note_calls(Diags *diags, Diag *parent, Loc loc);
void diag_fixit(Diags *diags, Diag *parent, Loc at, const char *replacement);

// Adds copies of the diagnostics in `from`. Their locations belong to other sources: files are matched by
// name. `wanted` gets each copy and returns false to drop it; NULL keeps all.
typedef bool (*DiagFilter)(const Diags *diags, const Diag *diag);
void diags_take(Diags *diags, const Diags *from, DiagFilter wanted);

// The nearest of the n `names` to `typed` by edit distance, for "did you mean". NULL if none is near enough.
const char *diag_nearest(Str typed, const char *const *names, size_t n);
// The same for parameters. Falls back to the only name that has more or fewer words, such as x_ptr and x.
const char *diag_nearest_words(Str typed, const char *const *names, size_t n);
// Lists names: "'a', 'b' and 12 more". The nearest to `typed` are first, then names that contain it.
void diag_list_names(Str typed, const char *const *names, size_t n, Buf *out);

// Prints like clang: "file:line:col: error[T0301]: text", the source line, caret and range, fix-its, notes. Remarks
// only with `remarks`.
void diags_print_text(const Diags *diags, bool remarks, Buf *out);
// One JSON array of {severity, code?, message, file, line, column, length, pass?, kind?, buffer?, index?, indices?,
// element?, program?, access?, other_access?, count?, with?, got?, expected?, fixits, notes}. Omits file, line and so on if there is no
// location.
void diags_print_json(const Diags *diags, bool remarks, Buf *out);

#endif
