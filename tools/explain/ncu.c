// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/explain/ncu.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *column, *metrics, *other;
} counters[] = {
#define X(counter, name, column, metrics, other) {name, column, metrics, other},
#include "tools/explain/ncu.def"
#undef X
};

const char *ncu_name(NcuCounter counter) { return counters[counter].name; }

typedef enum Page { PAGE_NONE, PAGE_RAW, PAGE_DETAILS, PAGE_LINES, PAGE_CODE } Page;

typedef VEC(Str) Row;

typedef struct Reader {
  Arena *arena;
  Sources *sources;
  Diags *diags;
  NcuReport *report;
  Str text;
  size_t at;
  uint32_t line, row_line; // of the next row and of the current row
  Row row, header, units;
  Page page;
  uint32_t header_line;
  bool any_header, any_counters, is_kernel, failed;
  const char *source;       // The current group's file.
  Str launch;               // Details: the ID of the current launch.
  NcuCounters sums, others; // A launch's metrics, and their substitutes.
  VEC(Str) kernels;         // Other kernels in the file.
} Reader;

static void fail(Reader *r, uint32_t line, const char *text) {
  if (r->failed) return;
  r->failed = true;
  Loc loc = {.line = line, .col = 1, .file = sources_add(r->sources, r->report->file, r->text)};
  diag_error(r->diags, loc, "[T1007] %s", text);
}

// --- Rows (RFC 4180) ---

// A doubled quote becomes one.
static Str unquoted(Reader *r, Str text) {
  char *out = arena_alloc(r->arena, text.n + 1);
  size_t n = 0;
  for (size_t i = 0; i < text.n; i++) {
    out[n++] = text.at[i];
    i += text.at[i] == '"';
  }
  return (Str){out, n};
}

static Str quoted(Reader *r) {
  size_t begin = ++r->at;
  bool any = false;
  while (r->at < r->text.n) {
    char c = r->text.at[r->at++];
    bool doubled = c == '"' && r->at < r->text.n && r->text.at[r->at] == '"';
    if (c == '"' && !doubled) {
      Str text = {r->text.at + begin, r->at - 1 - begin};
      return any ? unquoted(r, text) : text;
    }
    any |= doubled;
    r->at += doubled;
    r->line += c == '\n';
  }
  fail(r, r->row_line, "a quote is not closed");
  return (Str){"", 0};
}

static Str plain(Reader *r) {
  size_t begin = r->at;
  while (r->at < r->text.n && r->text.at[r->at] != ',' && r->text.at[r->at] != '\n') r->at++;
  size_t n = r->at - begin;
  if (n && r->text.at[begin + n - 1] == '\r') n--;
  return (Str){r->text.at + begin, n};
}

static bool next_row(Reader *r) {
  r->row.n = 0;
  if (r->at >= r->text.n) return false;
  r->row_line = r->line;
  for (;;) {
    bool is_quoted = r->at < r->text.n && r->text.at[r->at] == '"';
    vec_push(r->arena, &r->row, is_quoted ? quoted(r) : plain(r));
    if (is_quoted) plain(r); // only a carriage return may follow
    if (r->at >= r->text.n) return true;
    if (r->text.at[r->at++] == '\n') return r->line++, true;
  }
}

static void keep_row(Reader *r, Row *to) {
  to->n = 0;
  for (uint32_t i = 0; i < r->row.n; i++) vec_push(r->arena, to, r->row.at[i]);
}

static int32_t column_of(const Row *header, const char *name) {
  for (uint32_t i = 0; i < header->n; i++)
    if (str_is(header->at[i], name)) return (int32_t)i;
  return -1;
}

// --- Numbers ---

// With commas between thousands. "", "-" and "n/a" are no number. *good false: the text is invalid.
static bool number_of(Str text, double *value, bool *good) {
  char plain_text[64], *end;
  size_t n = 0;
  *good = true;
  if (!text.n || str_is(text, "-") || str_is(text, "n/a")) return false;
  for (size_t i = 0; i < text.n && n + 1 < sizeof plain_text; i++)
    if (text.at[i] != ',') plain_text[n++] = text.at[i];
  plain_text[n] = '\0';
  *value = strtod(plain_text, &end);
  *good = n && !*end;
  return *good;
}

static double unit_of(Str unit) {
  static const struct {
    const char *name;
    double value;
  } units[] = {{"Kbyte", 1e3}, {"Mbyte", 1e6}, {"Gbyte", 1e9},    {"Tbyte", 1e12},   {"ns", 1e-9},
               {"us", 1e-6},   {"ms", 1e-3},   {"nsecond", 1e-9}, {"usecond", 1e-6}, {"msecond", 1e-3}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (str_is(unit, units[i].name)) return units[i].value;
  return 1;
}

static void add(NcuCounters *to, int counter, double value) {
  to->value[counter] += value;
  to->known[counter] = true;
}

static bool is_word_of(Str word, const char *words) {
  for (const char *at = words; *at; at += strspn(at, " ")) {
    size_t n = strcspn(at, " ");
    if (str_eq(word, (Str){at, n})) return true;
    at += n;
  }
  return false;
}

static void wrong_number(Reader *r, Str name, Str text) {
  fail(r, r->row_line,
       arena_printf(r->arena, "'%.*s' of '%.*s' is not a number", STR_ARG(text), STR_ARG(name)));
}

// --- A launch: pages raw and details ---

static void take_metric(Reader *r, Str name, Str unit, Str text) {
  for (int i = 0; i < NCU_COUNT; i++) {
    bool own = is_word_of(name, counters[i].metrics), other = is_word_of(name, counters[i].other), good;
    double value;
    if (!own && !other) continue;
    if (number_of(text, &value, &good)) {
      add(own ? &r->sums : &r->others, i, value * unit_of(unit));
      r->any_counters = true;
    } else if (!good) {
      wrong_number(r, name, text);
    }
  }
}

static void end_launch(Reader *r) {
  NcuCounters *total = &r->report->total;
  if (r->page != PAGE_RAW && r->page != PAGE_DETAILS) return;
  for (int i = 0; i < NCU_COUNT; i++) {
    const NcuCounters *from = r->sums.known[i] ? &r->sums : &r->others;
    if (!from->known[i]) continue;
    total->value[i] = from->value[i];
    total->known[i] = true;
  }
}

static void begin_launch(Reader *r) {
  end_launch(r);
  r->sums = r->others = r->report->total = (NcuCounters){0};
  r->report->launches++;
}

// The name is exact, or demangled with parameters.
static bool is_wanted(Reader *r, Str name) {
  Str kernel = str_from(r->report->kernel);
  if (str_starts(name, kernel.at) && (name.n == kernel.n || name.at[kernel.n] == '(')) return true;
  for (uint32_t i = 0; i < r->kernels.n; i++)
    if (str_eq(r->kernels.at[i], name)) return false;
  vec_push(r->arena, &r->kernels, name);
  return false;
}

static Str cell(const Row *row, int32_t at) {
  return at >= 0 && (uint32_t)at < row->n ? row->at[at] : (Str){"", 0};
}

static void take_launch_row(Reader *r) {
  Str id = r->row.at[0];
  if (r->page == PAGE_RAW && !id.n && !r->units.n && r->row.n == r->header.n) {
    keep_row(r, &r->units);
    return;
  }
  bool good;
  double number;
  if (!number_of(id, &number, &good)) return; // output of the program
  if (r->row.n < r->header.n && r->page == PAGE_RAW) {
    fail(r, r->row_line,
         arena_printf(r->arena, "%u values, where line %u names %u columns", r->row.n, r->header_line,
                      r->header.n));
    return;
  }
  if (!is_wanted(r, cell(&r->row, column_of(&r->header, "Kernel Name")))) return;
  if (r->page == PAGE_DETAILS) {
    if (!r->report->launches || !str_eq(id, r->launch)) begin_launch(r);
    r->launch = id;
    take_metric(r, cell(&r->row, column_of(&r->header, "Metric Name")),
                cell(&r->row, column_of(&r->header, "Metric Unit")),
                cell(&r->row, column_of(&r->header, "Metric Value")));
    return;
  }
  begin_launch(r);
  for (uint32_t i = 0; i < r->header.n; i++)
    take_metric(r, r->header.at[i], cell(&r->units, (int32_t)i), r->row.at[i]);
}

// --- Lines and instructions: page source ---

static void take_columns(Reader *r, NcuCounters *to) {
  for (int i = 0; i < NCU_COUNT; i++) {
    int32_t at = counters[i].column[0] ? column_of(&r->header, counters[i].column) : -1;
    double value;
    bool good;
    if (at < 0) continue;
    if (number_of(cell(&r->row, at), &value, &good)) {
      add(to, i, value);
      add(&r->report->total, i, value);
      r->any_counters = true;
    } else if (!good) {
      wrong_number(r, r->header.at[at], cell(&r->row, at));
    }
  }
}

static bool has_any(const NcuCounters *c) {
  for (int i = 0; i < NCU_COUNT; i++)
    if (c->known[i] && c->value[i] != 0) return true;
  return false;
}

static void take_source_row(Reader *r) {
  NcuLine line = {.file = r->source ? r->source : ""};
  double number;
  bool good;
  if (!r->is_kernel) return;
  if (r->page == PAGE_CODE) {
    take_columns(r, &line.counters);
    return;
  }
  if (!number_of(r->row.at[0], &number, &good))
    return; // an instruction of the previous line, whose values are part of that line's
  line.line = (uint32_t)number;
  take_columns(r, &line.counters);
  if (has_any(&line.counters)) vec_push(r->arena, &r->report->lines, line);
}

// Begins a group of lines, for a file of a launch or for the kernel. If the file already has lines, a new
// launch begins.
static void begin_block(Reader *r, Str kernel) {
  r->is_kernel = is_wanted(r, kernel);
  r->any_header = true;
  if (!r->is_kernel) return;
  bool again = !r->source;
  for (uint32_t i = 0; r->source && i < r->report->lines.n; i++)
    again |= strcmp(r->report->lines.at[i].file, r->source) == 0;
  if (!again && r->report->launches) return; // another file of the same launch
  r->report->launches++;
  r->report->lines.n = 0;
  r->report->total = (NcuCounters){0};
}

// --- All of it ---

// Rows that announce a page. False: this is no such row.
static bool take_heading(Reader *r) {
  Str first = r->row.at[0], second = cell(&r->row, 1);
  if (str_is(first, "ID") && column_of(&r->row, "Kernel Name") > 0) {
    end_launch(r);
    r->page = column_of(&r->row, "Metric Name") > 0 ? PAGE_DETAILS : PAGE_RAW;
    r->units.n = 0;
  } else if (str_is(first, "Line No") && str_is(second, "Source")) {
    r->page = PAGE_LINES;
  } else if (str_is(first, "Address") && str_is(second, "Source")) {
    r->page = PAGE_CODE;
  } else if ((str_is(first, "File Path") || str_is(first, "File Name")) && r->row.n >= 2) {
    r->source = arena_copy(r->arena, second);
    r->any_header = true;
    r->page = PAGE_NONE;
    return true;
  } else if ((str_is(first, "Function Name") || str_is(first, "Kernel Name")) && r->row.n >= 2) {
    begin_block(r, second);
    r->page = PAGE_NONE;
    return true;
  } else {
    return false;
  }
  keep_row(r, &r->header);
  r->header_line = r->row_line;
  r->any_header = true;
  return true;
}

static const char *other_kernels(Reader *r) {
  const char *list = "";
  for (uint32_t i = 0; i < r->kernels.n && i < 5; i++)
    list = arena_printf(r->arena, "%s%s'%.*s'", list, i ? ", " : "", STR_ARG(r->kernels.at[i]));
  return list;
}

// Reports problems of the file as a whole.
static void look_at_end(Reader *r) {
  const char *kernel = r->report->kernel;
  if (!r->any_header)
    fail(r, 1,
         "this is not a CSV of Nsight Compute: no line begins with \"ID\", \"Kernel Name\" or \"File Path\"; "
         "use ncu --csv --page raw, or --page source --print-source cuda,sass");
  else if (!r->report->launches && r->kernels.n)
    fail(r, 1,
         arena_printf(r->arena, "it has no data of the kernel '%s', only of %s", kernel, other_kernels(r)));
  else if (!r->report->launches || !r->any_counters)
    fail(r, r->header_line ? r->header_line : 1,
         "it has none of the counters that explain shows: for lines use --print-source cuda,sass --section "
         "SourceCounters, for launches --metrics (docs/cost.md)");
}

NcuReport *ncu_read(Arena *arena, Sources *sources, Diags *diags, const char *file, Str text,
                    const char *kernel) {
  NcuReport *report = ARENA_NEW(arena, NcuReport);
  *report = (NcuReport){.file = file, .kernel = kernel};
  Reader r = {.arena = arena, .sources = sources, .diags = diags, .report = report, .text = text, .line = 1};
  while (!r.failed && next_row(&r)) {
    if (r.failed || take_heading(&r)) continue;
    if (r.page == PAGE_RAW || r.page == PAGE_DETAILS)
      take_launch_row(&r);
    else if (r.page != PAGE_NONE)
      take_source_row(&r);
  }
  end_launch(&r);
  if (!r.failed) look_at_end(&r);
  return r.failed ? NULL : report;
}

const NcuLine *ncu_line(const NcuReport *report, const char *file, uint32_t line) {
  for (uint32_t i = 0; i < report->lines.n; i++) {
    const NcuLine *one = &report->lines.at[i];
    if (one->line == line && strcmp(path_name(one->file), path_name(file)) == 0) return one;
  }
  return NULL;
}
