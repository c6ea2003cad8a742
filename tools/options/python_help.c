// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec help triton.jit, tilec help n_regs: entries, parameters, attributes and settings of docs/reference/python.md, and
// names that docs/triton-versions.md refuses. The command carries both pages. An entry begins with "### NAME",
// "### class NAME" or "#### CLASS.METHOD". Its tables have the heads parameter, option and attribute.
#include "base/colors.h"
#include "tools/options/options.h"
#include "tools/options/options_parts.h"

extern const char python_page[], python_page_end[];     // docs/reference/python.md
extern const char versions_page[], versions_page_end[]; // docs/triton-versions.md

static bool next_line(const char **at, const char *end, Str *line) {
  if (*at >= end) return false;
  const char *close = memchr(*at, '\n', (size_t)(end - *at));
  if (!close) close = end;
  *line = (Str){*at, (size_t)(close - *at)};
  *at = close < end ? close + 1 : end;
  return true;
}

static Str without(Str text, size_t n) { return (Str){text.at + n, text.n - n}; }

static Str last_part(Str name) {
  for (size_t i = name.n; i > 0; i--)
    if (name.at[i - 1] == '.') return without(name, i);
  return name;
}

// ---- entries ----

typedef struct Entry {
  Str title; // "tilec.jit", "JITFunction.run"
  const char *body, *end;
} Entry;

static bool take_title(Str line, Str *title) {
  static const char *const marks[] = {"### class ", "### ", "#### "};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    if (!str_starts(line, marks[i])) continue;
    *title = without(line, strlen(marks[i]));
    return true;
  }
  return false;
}

// The next entry after *at. Moves *at past its heading. False at the end.
static bool next_entry(const char **at, Entry *entry) {
  for (Str line; next_line(at, python_page_end, &line);) {
    if (!take_title(line, &entry->title)) continue;
    entry->body = *at;
    for (const char *next = *at; entry->end = next, next_line(&next, python_page_end, &line);)
      if (str_starts(line, "##")) break;
    return true;
  }
  return false;
}

// True for names of the host: "triton.X", but not "triton.language.X".
static bool is_of_host(const char *word) {
  Str text = str_from(word);
  return (str_starts(text, "triton.") && !str_starts(text, "triton.language")) ||
         (str_starts(text, "tilec.") && !str_starts(text, "tilec.language"));
}

// The word is the whole name, or its last part; or has the same last part, in another module.
static bool is_entry(const Entry *entry, const char *word, bool whole) {
  if (whole) return str_is(entry->title, word);
  if (!strchr(word, '.')) return str_is(last_part(entry->title), word);
  return is_of_host(word) && str_starts(entry->title, "t") &&
         str_eq(last_part(entry->title), last_part(str_from(word)));
}

static bool has_entry(const char *word, bool whole) {
  Entry entry;
  for (const char *at = python_page; next_entry(&at, &entry);)
    if (is_entry(&entry, word, whole)) return true;
  return false;
}

// ---- printing ----

// A text of the page without marks of code, links, bold text and escapes, wrapped. `column` columns of the line are taken.
static void put_text(Buf *out, Str text, size_t column, size_t indent) {
  Buf plain = {0}, marked = {0};
  for (size_t i = 0; i < text.n; i++) {
    bool escape = text.at[i] == '\\' && i + 1 < text.n && strchr("*|", text.at[i + 1]);
    if (!escape) buf_char(&marked, text.at[i] == '\n' ? ' ' : text.at[i]);
  }
  options_put_plain(&plain, buf_view(&marked));
  buf_char(&plain, '\0');
  buf_wrapped(out, plain.at, column, indent, HELP_COLUMNS);
  buf_char(out, '\n');
  buf_free(&plain);
  buf_free(&marked);
}

static Str cell_of(const PageRow *head, const PageRow *row, const char *name) {
  for (uint32_t i = 0; i < head->n && i < row->n; i++)
    if (str_is(head->cells[i], name)) return row->cells[i];
  return (Str){0};
}

static void add_fact(Buf *text, const char *name, Str value) {
  if (!value.n || str_is(value, "`None`")) return;
  buf_printf(text, "%s%s: %.*s", str_ends(buf_view(text), ".") ? " " : ". ", name, STR_ARG(value));
}

// "  NAMES: meaning. Values: V. Default: D."; without names the rest of a line that begins at `indent`.
static void put_row(const PageRow *head, const PageRow *row, bool names, Buf *out) {
  Buf text = {0}, title = {0};
  if (names) {
    buf_text(&title, "  ");
    options_put_plain(&title, row->cells[0]);
    buf_text(&title, ": ");
  } else
    buf_text(&title, "    ");
  buf_str(&text, cell_of(head, row, "meaning"));
  add_fact(&text, "Values", cell_of(head, row, "values"));
  add_fact(&text, "Default", cell_of(head, row, "default"));
  buf_str(out, buf_view(&title));
  put_text(out, buf_view(&text), title.n, 4);
  buf_free(&text);
  buf_free(&title);
}

// The lines up to the end of the block of code that *at is in.
static void put_code(const char **at, const char *end, int indent, Buf *out) {
  for (Str line; next_line(at, end, &line) && !str_starts(line, "```");) {
    if (line.n) buf_spaces(out, indent);
    buf_printf(out, "%.*s\n", STR_ARG(line));
  }
}

// The lines from `line` to an empty one, without the stars of "**Returns** a number".
static void put_paragraph(const char **at, const char *end, Str line, Buf *out) {
  Str all = line;
  for (const char *next = *at; next_line(&next, end, &line) && line.n; *at = next)
    all.n = (size_t)(line.at + line.n - all.at);
  if (str_starts(all, "**Returns**")) {
    buf_text(out, "Returns");
    put_text(out, without(all, strlen("**Returns**")), strlen("Returns "), 0);
  } else if (str_starts(all, "**Errors:**")) {
    buf_text(out, "Errors: ");
    put_text(out, without(all, strlen("**Errors:** ")), strlen("Errors: "), 0);
  } else
    put_text(out, all, 0, 0);
}

static void put_methods(Str title, bool colors, Buf *out) {
  Buf names = {0};
  Entry entry;
  Str last = str_starts(title, "tilec.") ? last_part(title) : title; // as their headings begin
  for (const char *at = python_page; next_entry(&at, &entry);) {
    if (entry.title.n <= last.n || entry.title.at[last.n] != '.' ||
        !str_eq((Str){entry.title.at, last.n}, last))
      continue;
    buf_printf(&names, "%s%.*s", names.n ? ", " : "", STR_ARG(last_part(entry.title)));
  }
  if (names.n) {
    buf_printf(out, "\n%sMethods:%s ", colors ? COLOR_BOLD : "", colors ? COLOR_RESET : "");
    put_text(out, buf_view(&names), strlen("Methods: "), 4);
  }
  buf_free(&names);
}

// `example`: with the entry's example.
static void put_entry(const Entry *entry, bool example, bool colors, Buf *out) {
  PageRow head = {0}, row = {0};
  const char *at = entry->body;
  bool blank = out->n > 0, signature = true;
  for (Str line; next_line(&at, entry->end, &line);) {
    const char *rows = line.at;
    bool is_code = str_starts(line, "```"), is_row = str_starts(line, "| ");
    if (!line.n || str_starts(line, "|--") || (is_code && !signature && !example)) {
      blank |= !line.n && !signature;
      if (is_code) put_code(&at, entry->end, 0, &(Buf){0});
      continue;
    }
    bool is_head = is_row && !row.n;
    if (blank) buf_char(out, '\n');
    blank = false;
    if (is_code && signature) {
      if (colors) buf_text(out, COLOR_BOLD);
      put_code(&at, entry->end, 0, out);
      if (colors) buf_text(out, COLOR_RESET);
      signature = false;
    } else if (is_code) {
      buf_text(out, "Example:\n");
      put_code(&at, entry->end, 4, out);
    } else if (is_head) {
      page_next_row(&rows, entry->end, &head);
      row = head;
      if (str_is(head.cells[0], "attribute")) buf_text(out, "Attributes:\n");
    } else if (is_row) {
      page_next_row(&rows, entry->end, &row);
      put_row(&head, &row, true, out);
    } else
      put_paragraph(&at, entry->end, line, out);
    if (!is_row) row.n = 0;
  }
  put_methods(entry->title, colors, out);
}

// ---- rows ----

static bool has_name(Str cell, Str name) {
  for (Str word; page_next_word(&cell, &word);)
    if (str_eq(word, name)) return true;
  return false;
}

static void put_entry_row(Str name, const Entry *entry, const PageRow *head, const PageRow *row, bool colors,
                          Buf *out) {
  Str kind = head->cells[0];
  bool option = str_is(kind, "option");
  buf_printf(out, "%s%s", out->n ? "\n" : "", colors ? COLOR_BOLD : "");
  options_put_plain(out, name);
  buf_printf(out, "%s is ", colors ? COLOR_RESET : "");
  if (option)
    buf_text(out, "an option of launches, kernel[grid](...), and of tilec.Config:\n");
  else
    buf_printf(out, "%s %.*s of %.*s:\n", kind.at[0] == 'a' ? "an" : "a", STR_ARG(kind),
               STR_ARG(entry->title));
  put_row(head, row, false, out);
}

// True if a meaning explains the name, as prune_configs_by's does its keys: "`top_k`: how many".
static bool explains(Str text, Str name) {
  for (size_t i = 0; i + name.n + 3 <= text.n; i++)
    if (text.at[i] == '`' && memcmp(text.at + i + 1, name.at, name.n) == 0 &&
        memcmp(text.at + i + 1 + name.n, "`:", 2) == 0)
      return true;
  return false;
}

// True if the meaning of `asm` has the name as a key: "ttgir".
static bool quotes(Str text, Str name) {
  for (size_t i = 0; i + name.n + 2 <= text.n; i++)
    if (text.at[i] == '"' && memcmp(text.at + i + 1, name.at, name.n) == 0 && text.at[i + 1 + name.n] == '"')
      return true;
  return false;
}

// The rows of entries that the word names: "do_not_specialize", a parameter of tilec.jit. `print` NULL: only looks.
// `options`: only options of launches, and attributes. Returns true if there is one.
static bool entry_rows(const char *word, bool options, bool colors, Buf *print) {
  Entry entry;
  Str name = str_from(word);
  bool found = false;
  for (const char *at = python_page; next_entry(&at, &entry);) {
    PageRow row = {0}, head = {0};
    for (const char *rows = entry.body; page_next_row(&rows, entry.end, &row);) {
      if (row.is_head) head = row;
      bool attribute = str_is(head.cells[0], "attribute");
      bool wanted = !options || attribute || str_is(head.cells[0], "option");
      if (row.is_head || !wanted) continue;
      Str meaning = cell_of(&head, &row, "meaning");
      bool texts = has_name(row.cells[0], str_from("asm"));
      bool within = explains(meaning, name) || (texts && quotes(meaning, name));
      Str shown = has_name(row.cells[0], name) ? name : within ? row.cells[0] : (Str){0};
      found |= shown.n > 0;
      if (print && shown.n) put_entry_row(shown, &entry, &head, &row, colors, print);
    }
  }
  return found;
}

// Begins a paragraph with the word. The rest of it follows as text.
static size_t put_word(Str word, bool colors, Buf *out) {
  buf_printf(out, "%s%s%.*s%s", out->n ? "\n" : "", colors ? COLOR_BOLD : "", STR_ARG(word),
             colors ? COLOR_RESET : "");
  return word.n;
}

static void put_other_row(Str name, const PageRow *row, bool ignored, bool colors, Buf *out) {
  Buf text = {0};
  if (ignored)
    buf_printf(&text, ", an option of Triton's launches, is accepted and ignored: %.*s.",
               STR_ARG(row->cells[2]));
  else
    buf_printf(&text, "%s %.*s.", str_starts(row->cells[1], "[tilec.") ? " is" : ":", STR_ARG(row->cells[1]));
  // A ':' or ',' follows the name directly.
  size_t taken = put_word(name, colors, out), n = strcspn(text.at, " ");
  buf_printf(out, "%.*s ", (int)n, text.at);
  put_text(out, str_trimmed((Str){text.at + n, text.n - n}), taken + n + 1, 0);
  buf_free(&text);
}

// A row of a table at the page's end: names of Triton, settings, what a launch accepts and ignores.
static bool other_rows(const char *word, bool colors, Buf *print) {
  PageRow row = {0}, head = {0};
  bool found = false;
  for (const char *at = python_page; page_next_row(&at, python_page_end, &row);) {
    if (row.is_head) head = row;
    bool named = str_is(head.cells[0], "name"), ignored = named && head.n == 3;
    if (row.is_head || (!named && !str_is(head.cells[0], "setting"))) continue;
    Str cell = row.cells[0], name;
    if (!page_next_word(&cell, &name)) continue;
    bool same = str_is(name, word);
    if (str_starts(name, "triton.knobs.")) // "launch_enter_hook" too, but not "dir"
      same |= str_is(without(name, strlen("triton.")), word) ||
              (strchr(word, '_') && str_is(last_part(name), word));
    if (!same || (ignored && !str_is(row.cells[1], "a launch"))) continue;
    found = true;
    if (print) put_other_row(name, &row, ignored, colors, print);
  }
  return found;
}

// ---- names that tilec does not take ----

// `*` stands for any letters, `?` for one; what follows a '(' is a parameter.
static bool fits(Str pattern, const char *word) {
  for (; pattern.n && pattern.at[0] != '*' && pattern.at[0] != '('; pattern = without(pattern, 1), word++)
    if (!*word || (pattern.at[0] != *word && pattern.at[0] != '?')) return false;
  if (!pattern.n || pattern.at[0] == '(') return !*word && !pattern.n;
  for (; *word; word++)
    if (fits(without(pattern, 1), word)) return true;
  return fits(without(pattern, 1), word);
}

static const char *full_name(const char *word, Buf *buf) {
  static const char *const prefixes[][2] = {
      {"triton.language.extra.libdevice.", "libdevice."},
      {"triton.language.", "tl."},
      {"tilec.language.", "tl."},
      {"tl.extra.libdevice.", "libdevice."},
      {"tl.dtype.", "dtype."},
  };
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (str_starts(str_from(word), prefixes[i][0])) {
      buf_printf(buf, "%s%s", prefixes[i][1], word + strlen(prefixes[i][0]));
      return buf->at;
    }
  return word;
}

// The page's section after a heading.
static Str section_of(const char *heading) {
  const char *at = versions_page;
  Str line, text = {0};
  while (next_line(&at, versions_page_end, &line) && !str_is(line, heading)) {
  }
  for (text.at = at; next_line(&at, versions_page_end, &line) && !str_starts(line, "## ");)
    text.n = (size_t)(line.at + line.n - text.at);
  return text;
}

// A name of Triton that is refused, or only there for its compiler: with the reason.
static bool versions_row(const char *word, bool colors, Buf *print) {
  static const char *const parts[][2] = {
      {"## What tilec does not take", "is not taken"},
      {"## What belongs to the host", "is Triton's own, outside of kernels"}};
  Buf name = {0};
  const char *full = full_name(word, &name);
  bool found = false;
  for (size_t i = 0; i < 2 && !found; i++) {
    Str text = section_of(parts[i][0]);
    PageRow row = {0};
    for (const char *at = text.at; !found && page_next_row(&at, text.at + text.n, &row);) {
      Str pattern = row.cells[0];
      if (row.is_head || !page_next_word(&pattern, &row.cells[0])) continue;
      Str last = last_part(row.cells[0]);
      found = fits(row.cells[0], full) || (i == 0 && !strchr(full, '.') && last.n > 3 && fits(last, full));
    }
    if (!found || !print) continue;
    Buf says = {0};
    buf_printf(&says, "%s: %.*s. docs/triton-versions.md has all names of Triton.", parts[i][1],
               STR_ARG(row.cells[1]));
    size_t taken = put_word(str_from(word), colors, print);
    buf_char(print, ' ');
    put_text(print, buf_view(&says), taken + 1, 0);
    buf_free(&says);
  }
  buf_free(&name);
  return found;
}

// ---- all ----

// "asm" of "CompiledKernel.asm" and "kernel.asm", "warmup" of "fn.warmup"; else the word.
static const char *member(const char *word) {
  static const char *const objects[] = {"kernel", "fn", "compiled", NULL};
  const char *dot = strchr(word, '.');
  Buf object = {0};
  if (!dot || strchr(dot + 1, '.') || dot == word || has_entry(word, true)) return word;
  buf_bytes(&object, word, (size_t)(dot - word));
  buf_char(&object, '\0');
  bool known = str_is_one_of(object.at, objects) || has_entry(object.at, false);
  buf_free(&object);
  return known ? dot + 1 : word;
}

bool options_has_python(const char *word) {
  word = member(word);
  return has_entry(word, true) || has_entry(word, false) || entry_rows(word, false, false, NULL) ||
         other_rows(word, false, NULL) || versions_row(word, false, NULL);
}

void options_print_python(const char *word, bool colors, Buf *out) {
  word = member(word);
  bool whole = has_entry(word, true);
  uint32_t count = 0;
  size_t before = out->n;
  Entry entry;
  other_rows(word, colors, out);
  for (const char *at = python_page; next_entry(&at, &entry);) count += is_entry(&entry, word, whole);
  for (const char *at = python_page; next_entry(&at, &entry);)
    if (is_entry(&entry, word, whole)) put_entry(&entry, count == 1, colors, out);
  entry_rows(word, false, colors, out);
  if (out->n > before)
    buf_text(out, "\ndocs/reference/python.md has the whole Python API.\n");
  else
    versions_row(word, colors, out);
}

void options_print_python_option(const char *word, bool colors, Buf *out) {
  entry_rows(word, true, colors, out);
}

size_t options_python_words(Arena *arena, bool full, const char **words, size_t room) {
  Entry entry;
  size_t n = 0;
  for (const char *at = python_page; n < room && next_entry(&at, &entry);)
    words[n++] = arena_printf(arena, "%.*s", STR_ARG(full ? entry.title : last_part(entry.title)));
  PageRow row = {0};
  for (const char *at = python_page; page_next_row(&at, python_page_end, &row);)
    for (Str cell = row.cells[0], word; !full && n < room && page_next_word(&cell, &word);)
      if (!memchr(word.at, '.', word.n) && !memchr(word.at, ' ', word.n))
        words[n++] = arena_printf(arena, "%.*s", STR_ARG(word));
  return n;
}
