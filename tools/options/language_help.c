// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec help tl.load: prints entries of the embedded reference. frontend/builtins/reference/README.md has its
// format: "== " begins a signature, "| " a row of a table, "# " a file.
#include "tools/options/language_help.h"

#include "base/colors.h"
#include "tools/options/options.h"

extern const char language_reference[], language_reference_end[]; // frontend/builtins/reference/*.txt

// ---- lines and names ----

// The line at *at without its newline. Moves *at to the next one. False at the end.
static bool next_line(const char **at, Str *line) {
  if (*at >= language_reference_end) return false;
  const char *end = memchr(*at, '\n', (size_t)(language_reference_end - *at));
  if (!end) end = language_reference_end;
  *line = (Str){*at, (size_t)(end - *at)};
  *at = end < language_reference_end ? end + 1 : end;
  return true;
}

static bool begins_signature(Str line) { return str_starts(line, "== "); }
static bool is_row(Str line) { return str_starts(line, "| "); }
static bool begins_file(Str line) { return str_starts(line, "# "); }

static Str without(Str text, size_t n) { return (Str){text.at + n, text.n - n}; }

// The name in a line that begins a signature or a row: "tl.load" of "== tl.load(...".
static Str name_in(Str line) {
  size_t start = line.at[0] == '=' ? 3 : 2;
  const char *paren = memchr(line.at, '(', line.n);
  return paren ? (Str){line.at + start, (size_t)(paren - line.at) - start} : without(line, start);
}

static Str last_part(Str name) {
  for (size_t i = name.n; i > 0; i--)
    if (name.at[i - 1] == '.') return without(name, i);
  return name;
}

// Names such as tl._log2 are explained, but neither listed nor suggested.
static bool is_private(Str name) {
  Str last = last_part(name);
  return last.n && last.at[0] == '_';
}

// "tl.load" for "triton.language.load", "tl.exp" for "tl.math.exp". The prefix of the result is *prefix.
static const char *short_name(const char *word, const char **prefix) {
  static const char *const prefixes[][2] = {
      {"triton.language.extra.libdevice.", "libdevice."},
      {"tilec.language.extra.libdevice.", "libdevice."},
      {"tl.extra.cuda.libdevice.", "libdevice."},
      {"tl.extra.libdevice.", "libdevice."},
      {"tl.extra.cuda.", "tl."},
      {"tl.math.", "tl."},
      {"triton.language.", "tl."},
      {"tl.tensor.", "tensor."},
      {"tl.tensor_descriptor.", "tensor_descriptor."},
      {"tl.dtype.", "dtype."},
      {"tensor.", "tensor."},
      {"tl.", "tl."},
      {"tilec.language.", "tl."},
  };
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (str_starts(str_from(word), prefixes[i][0]))
      return *prefix = prefixes[i][1], word + strlen(prefixes[i][0]);
  return *prefix = "", word;
}

static bool is_full(Str name, const char *prefix, const char *rest) {
  return str_starts(name, prefix) && str_is(without(name, strlen(prefix)), rest);
}

static bool has_full(const char *prefix, const char *rest) {
  Str line;
  for (const char *at = language_reference; next_line(&at, &line);)
    if ((begins_signature(line) || is_row(line)) && is_full(name_in(line), prefix, rest)) return true;
  return false;
}

// A word that entries are searched for: a full name, or the last part of one.
typedef struct Query {
  const char *prefix, *rest;
  bool full;
} Query;

static Query query_of(const char *word) {
  Query q = {0};
  q.rest = short_name(word, &q.prefix);
  q.full = *q.prefix || strchr(q.rest, '.');
  // A method of tiles is described as the function.
  if (strcmp(q.prefix, "tensor.") == 0 && !has_full("tensor.", q.rest)) q.prefix = "tl.";
  // tl.math has the functions of libdevice too.
  if (strcmp(q.prefix, "tl.") == 0 && !has_full("tl.", q.rest)) q.prefix = "libdevice.";
  return q;
}

static bool matches(const Query *q, Str line) {
  Str name = name_in(line);
  return q->full ? is_full(name, q->prefix, q->rest) : str_is(last_part(name), q->rest);
}

static const char *const elements[] = {
#define X(name, spelling, long_spelling, ...) long_spelling,
#include "target/elems.def"
#undef X
};

// "operators", or one of them, such as "%". Their file has no entries.
static bool is_operator(const char *word) {
  static const char *const operators[] = {
      "operator", "operators", "+",  "-", "*",  "/",  "//", "%", "**", "~",  "&",  "|",  "^",   "<<",
      ">>",       "<",         "<=", ">", ">=", "==", "!=", "@", "+=", "-=", "*=", "/=", "//=", "%="};
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (strcmp(operators[i], word) == 0) return true;
  return false;
}

// "tl.float32"
static bool is_element_type(const char *word) {
  const char *prefix, *rest = short_name(word, &prefix);
  bool found = false;
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) found |= strcmp(elements[i], rest) == 0;
  return found && (!*prefix || strcmp(prefix, "tl.") == 0);
}

const char *language_advice(const char *word) {
  static const char *const hints[][3] = {
#define HINT(of, name, advice) {of, name, advice},
#include "frontend/elaborate/hints.def"
#undef HINT
  };
  const char *prefix, *rest = short_name(word, &prefix);
  const char *of = strcmp(prefix, "tensor.") == 0 ? "." : "tl";
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (strcmp(hints[i][0], of) == 0 && strcmp(hints[i][1], rest) == 0) return hints[i][2];
  for (size_t i = 0; !*prefix && i < sizeof hints / sizeof *hints; i++)
    if (strcmp(hints[i][0], "word") == 0 && strcmp(hints[i][1], rest) == 0) return hints[i][2];
  return NULL;
}

bool language_has(const char *word) {
  Query q = query_of(word);
  Str line;
  for (const char *at = language_reference; next_line(&at, &line);)
    if ((begins_signature(line) || is_row(line)) && matches(&q, line)) return true;
  return strcmp(word, "language") == 0 || is_operator(word) || is_element_type(word);
}

const char *const *language_names(Arena *arena, bool full, size_t *count) {
  Str line;
  *count = 0;
  for (const char *at = language_reference; next_line(&at, &line);)
    *count += begins_signature(line) || is_row(line);
  const char **names = ARENA_ARRAY(arena, const char *, *count);
  *count = 0;
  for (const char *at = language_reference; next_line(&at, &line);) {
    if (!begins_signature(line) && !is_row(line)) continue;
    Str name = full ? name_in(line) : last_part(name_in(line));
    if (!is_private(name_in(line))) names[(*count)++] = arena_printf(arena, "%.*s", STR_ARG(name));
  }
  return names;
}

// ---- printing ----

typedef struct Printer {
  Buf *out;
  bool colors;
  Buf pending;    // a paragraph that goes on
  size_t indent;  // of its later lines
  Buf parameters; // of the entry's first signature
  Buf alike;      // names of later ones that have the same
} Printer;

static void flush(Printer *p) {
  if (p->pending.n) {
    buf_char(&p->pending, '\0');
    buf_wrapped(p->out, p->pending.at, p->indent, p->indent, HELP_COLUMNS);
    buf_char(p->out, '\n');
  }
  buf_reset(&p->pending);
}

static void begin(Printer *p, size_t indent) {
  flush(p);
  p->indent = indent;
}

static void go_on(Printer *p, Str text) {
  if (p->pending.n) buf_char(&p->pending, ' ');
  buf_str(&p->pending, text);
}

// A signature is broken after commas only. Other spaces are JOINT until it is printed.
enum { JOINT = '\x01' };

static void add_signature(Printer *p, Str text) {
  go_on(p, text);
  for (size_t i = 1; i < p->pending.n; i++)
    if (p->pending.at[i] == ' ' && p->pending.at[i - 1] != ',') p->pending.at[i] = JOINT;
}

// True if p->pending is a signature with the parameters of the entry's first one. Its name is noted then.
static bool is_alike(Printer *p) {
  Str text = {p->pending.at, p->pending.n};
  const char *paren = memchr(text.at, '(', text.n);
  Str parameters = paren ? without(text, (size_t)(paren - text.at)) : (Str){0};
  bool first = !p->parameters.n;
  if (first) buf_str(&p->parameters, parameters);
  if (first || !str_eq((Str){p->parameters.at, p->parameters.n}, parameters)) return false;
  if (p->alike.n) buf_text(&p->alike, ", ");
  buf_str(&p->alike, last_part((Str){text.at, (size_t)(paren - text.at)}));
  return true;
}

static void end_signature(Printer *p) {
  size_t start = p->out->n;
  if (!p->pending.n) return;
  if (is_alike(p)) {
    buf_reset(&p->pending);
    return;
  }
  if (p->colors) buf_text(p->out, COLOR_BOLD);
  flush(p);
  if (p->colors) buf_text(p->out, COLOR_RESET);
  for (size_t i = start; i < p->out->n; i++)
    if (p->out->at[i] == JOINT) p->out->at[i] = ' ';
}

static void print_signature(Printer *p, Str text) {
  end_signature(p);
  p->indent = 4;
  add_signature(p, text);
}

// True for "name: text", as parameters, errors and differences are.
static bool is_item(Str line) {
  size_t n = 0;
  while (n < line.n && (line.at[n] == '_' || (line.at[n] >= '0' && line.at[n] <= '9') ||
                        ((line.at[n] | 32) >= 'a' && (line.at[n] | 32) <= 'z')))
    n++;
  return n > 0 && n + 1 < line.n && line.at[n] == ':' && line.at[n + 1] == ' ';
}

// True for a line "    cell | cell | cell".
static bool is_table_row(Str line) {
  for (size_t i = 0; i + 2 < line.n; i++)
    if (memcmp(line.at + i, " | ", 3) == 0) return true;
  return false;
}

static bool has_text(Str line, Str text) {
  for (size_t i = 0; i + text.n <= line.n; i++)
    if (memcmp(line.at + i, text.at, text.n) == 0) return true;
  return false;
}

// The title of the block of values that begins with the line `values`. It explains `x` if a value reads memory.
static const char *values_head(Str values) {
  Str line;
  for (const char *at = values.at + values.n + 1; next_line(&at, &line) && str_starts(line, "    ");)
    if (has_text(line, str_from("(x,")) || has_text(line, str_from("(x +")))
      return "Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0):\n";
  return "Values (lists are tiles):\n";
}

static void print_line(Printer *p, Str line, bool *example) {
  bool indented = str_starts(line, "    ");
  *example = *example && (indented || !line.n);
  if (*example || !line.n || (indented && is_table_row(line))) {
    flush(p);
    buf_str(p->out, line);
    buf_char(p->out, '\n');
    return;
  }
  if (str_is(line, "Example:") || str_is(line, "Values:")) {
    flush(p);
    buf_text(p->out, line.at[0] == 'E' ? "Example:\n" : values_head(line));
    *example = true;
    return;
  }
  if (is_item(line)) begin(p, 4);
  go_on(p, str_trimmed(line));
}

// Ends the output with one newline.
static void trim_end(Buf *out) {
  while (out->n > 1 && out->at[out->n - 1] == '\n' && out->at[out->n - 2] == '\n') out->n--;
}

static bool ends_entry(Str line, bool in_text) {
  return begins_file(line) || is_row(line) || (in_text && begins_signature(line));
}

// Ends the signatures of an entry.
static void end_signatures(Printer *p) {
  end_signature(p);
  p->indent = 0;
  if (p->alike.n) {
    buf_printf(&p->pending, "The same parameters: %.*s.", (int)p->alike.n, p->alike.at);
    flush(p);
  }
  buf_char(p->out, '\n');
  buf_reset(&p->parameters);
  buf_reset(&p->alike);
}

// The entry whose signatures begin at `at`.
static void print_entry(Printer *p, const char *at) {
  Str line;
  bool in_text = false, example = false;
  while (next_line(&at, &line) && !ends_entry(line, in_text)) {
    if (begins_signature(line))
      print_signature(p, without(line, 3));
    else if (!in_text && str_starts(line, "    "))
      add_signature(p, str_trimmed(line));
    else {
      if (!in_text) end_signatures(p);
      in_text = true;
      print_line(p, line, &example);
    }
  }
  flush(p);
  trim_end(p->out);
}

// The values of an introduction that call `name`. Moves *at to the line after them.
static void print_values_of(Printer *p, Str name, const char **at) {
  Str line;
  bool any = false;
  flush(p);
  for (const char *next = *at; next_line(&next, &line) && str_starts(line, "    "); *at = next) {
    Str made = str_trimmed(line);
    if (made.n <= name.n || made.at[name.n] != '(' || !str_eq((Str){made.at, name.n}, name)) continue;
    if (!any) buf_text(p->out, "Values (lists are tiles):\n");
    any = true;
    for (size_t i = 0; i < line.n; i++) // one value needs no column
      if (i < 4 || line.at[i] != ' ' || line.at[i - 1] != ' ') buf_char(p->out, line.at[i]);
    buf_char(p->out, '\n');
  }
}

// A row: its signature, its meaning, and the introduction of its file, whose first line is `intro`. Values are those
// of the row's function.
static void print_row(Printer *p, Str row, const char *intro) {
  const char *bar = row.at + 2;
  while (bar + 3 < row.at + row.n && memcmp(bar, " | ", 3) != 0) bar++;
  print_signature(p, (Str){row.at + 2, (size_t)(bar - row.at) - 2});
  end_signatures(p);
  go_on(p, (Str){bar + 3, (size_t)(row.at + row.n - bar) - 3});
  flush(p);
  buf_char(p->out, '\n');
  Str line;
  bool example = false;
  while (next_line(&intro, &line) && !begins_signature(line) && !is_row(line))
    if (str_is(line, "Values:"))
      print_values_of(p, name_in(row), &intro);
    else
      print_line(p, line, &example);
  flush(p);
  trim_end(p->out);
}

// The names in each file.
static void print_names(Printer *p) {
  Str line;
  for (const char *at = language_reference; next_line(&at, &line);) {
    if (begins_file(line)) {
      flush(p);
      if (p->out->n) buf_char(p->out, '\n');
      buf_printf(p->out, "%s%.*s:%s\n", p->colors ? COLOR_BOLD : "", STR_ARG(without(line, 2)),
                 p->colors ? COLOR_RESET : "");
      buf_text(p->out, "  ");
      p->indent = 2;
    } else if ((begins_signature(line) || is_row(line)) && !is_private(name_in(line)))
      go_on(p, name_in(line));
  }
  flush(p);
  buf_text(
      p->out,
      "\n'tilec help NAME' explains one. Types in signatures:\n"
      "  Value            a tile, a run-time scalar or a number\n"
      "  tensor           a tile or a run-time scalar\n"
      "  Int, Bool, Str   known at compile time\n"
      "  Shape            a tuple or list of integers\n"
      "  DType            an element type, such as tl.float32\n"
      "  Function         a jit function\n"
      "Examples are kernels, or statements in one: x, y and out point to fp32, p to i32, n is an i32,\n"
      "BLOCK is 128, i is tl.arange(0, 128), v and w are loaded from x + i and y + i, and k from p + i.\n"
      "In values a list is a tile: of i32, of fp32 if its numbers have a point, or of bools.\n");
}

// The entries that match. `functions`: those of tl; else the others.
static void print_matches(Printer *p, const Query *q, bool functions) {
  Str line;
  const char *intro = language_reference, *entry = NULL; // entry: where the signatures of this one begin
  bool in_heads = false, printed = false;
  for (const char *at = language_reference, *here = at; next_line(&at, &line); here = at) {
    if (begins_file(line)) intro = at;
    if (begins_signature(line) && !in_heads) entry = here, printed = false;
    in_heads = begins_signature(line) || (in_heads && str_starts(line, "    "));
    if ((!begins_signature(line) && !is_row(line)) || !matches(q, line)) continue;
    if (str_starts(name_in(line), "tl.") != functions || (begins_signature(line) && printed)) continue;
    if (p->out->n) buf_char(p->out, '\n');
    if (is_row(line))
      print_row(p, line, intro);
    else
      print_entry(p, entry), printed = true;
  }
}

static void print_operators(Printer *p) {
  Str line;
  const char *at = language_reference;
  while (next_line(&at, &line) && !str_is(line, "# Operators")) {
  }
  bool example = false;
  buf_printf(p->out, "%sOperators%s\n\n", p->colors ? COLOR_BOLD : "", p->colors ? COLOR_RESET : "");
  while (next_line(&at, &line) && !begins_file(line)) print_line(p, line, &example);
  flush(p);
  trim_end(p->out);
}

static void print_element_types(Printer *p) {
  go_on(p, str_from("Element types of tiles and pointers, as in x.to(tl.float32):"));
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    buf_text(&p->pending, " tl.");
    buf_text(&p->pending, elements[i]);
  }
  flush(p);
}

void language_print_help(const char *word, bool colors, Buf *out) {
  Printer p = {.out = out, .colors = colors};
  Query q = query_of(word);
  print_matches(&p, &q, true);
  print_matches(&p, &q, false);
  if (!out->n && is_operator(word)) print_operators(&p);
  if (!out->n && is_element_type(word)) {
    print_element_types(&p);
    q = query_of("tl.dtype");
    print_matches(&p, &q, true);
  }
  if (!out->n) print_names(&p);
  buf_free(&p.pending);
  buf_free(&p.parameters);
  buf_free(&p.alike);
}

// ---- parameters ----

// A parameter's description in an entry: "mask: which elements are read". Later lines begin with four spaces.
typedef struct Parameter {
  const char *heads; // where the entry's signatures begin
  Str text;          // its lines, without the name
} Parameter;

// The next description of the parameter after *at. `heads` is kept from call to call. False: none.
static bool next_parameter(const char **at, const char **heads, bool *in_heads, const char *name,
                           Parameter *found) {
  Str line;
  size_t n = strlen(name);
  for (const char *here = *at; next_line(at, &line); here = *at) {
    if (begins_signature(line) && !*in_heads) *heads = here;
    *in_heads = begins_signature(line) || (*in_heads && str_starts(line, "    "));
    if (begins_file(line)) *heads = NULL;
    if (!*heads || !is_item(line) || line.n <= n + 2 || line.at[n] != ':' || !str_starts(line, name))
      continue;
    *found = (Parameter){*heads, without(line, n + 2)};
    for (const char *next = *at; next_line(&next, &line) && str_starts(line, "    "); *at = next)
      found->text.n = (size_t)(line.at + line.n - found->text.at);
    return true;
  }
  return false;
}

bool language_has_parameter(const char *name) {
  const char *at = language_reference, *heads = NULL;
  bool in_heads = false;
  Parameter parameter;
  bool is_name = name[0] && name[1] && strcmp(name, "Errors") != 0 && strcmp(name, "Triton") != 0;
  return is_name && next_parameter(&at, &heads, &in_heads, name, &parameter);
}

// The names of the entry's functions, as "tl.load, tl.store".
static void go_on_names(Printer *p, const char *heads, bool first) {
  Str line;
  while (next_line(&heads, &line) && (begins_signature(line) || str_starts(line, "    "))) {
    if (!begins_signature(line) || is_private(name_in(line))) continue;
    if (!first) buf_char(&p->pending, ',');
    go_on(p, name_in(line));
    first = false;
  }
}

// One description, with the names of all functions that have the same. Nothing if an earlier entry has it.
static void print_description(Printer *p, const char *name, const Parameter *one) {
  const char *at = language_reference, *heads = NULL;
  bool in_heads = false, first = true;
  for (Parameter other; next_parameter(&at, &heads, &in_heads, name, &other);) {
    if (!str_eq(other.text, one->text)) continue;
    if (first && other.heads != one->heads) return;
    go_on_names(p, other.heads, first);
    first = false;
  }
  buf_char(&p->pending, ':');
  for (const char *line = one->text.at, *end = line + one->text.n; line < end;) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    if (!newline) newline = end;
    go_on(p, str_trimmed((Str){line, (size_t)(newline - line)}));
    line = newline + (newline < end);
  }
  begin(p, 4);
}

void language_print_parameter(const char *name, bool colors, Buf *out) {
  Printer p = {.out = out, .colors = colors, .indent = 4};
  const char *at = language_reference, *heads = NULL;
  bool in_heads = false;
  if (!language_has_parameter(name)) return;
  buf_printf(out, "%s%s%s%s is a parameter of\n\n", out->n ? "\n" : "", colors ? COLOR_BOLD : "", name,
             colors ? COLOR_RESET : "");
  for (Parameter one; next_parameter(&at, &heads, &in_heads, name, &one);) print_description(&p, name, &one);
  flush(&p);
  buf_free(&p.pending);
}
