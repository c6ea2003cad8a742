// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a PTX file, and the one that --kernel names. Reads only their names and parameters: what the simulator
// cannot run has them too.
#include <ctype.h>
#include <stdlib.h>

#include "base/demangle.h"
#include "tools/run/run.h"

enum { MOST_LISTED = 20 };

typedef struct Entry {
  const char *name;
  Str params; // between its parentheses; empty: none
  uint32_t line;
} Entry;

typedef VEC(Entry) Entries;

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

// The word at the start of *text, which moves past it.
static Str next_name(Str *text) {
  Str name = {text->at, 0};
  while (name.n < text->n && is_name(name.at[name.n])) name.n++;
  *text = (Str){text->at + name.n, text->n - name.n};
  return name;
}

static Str params_at(Str text) {
  text = str_trimmed(text);
  const char *end = text.n && text.at[0] == '(' ? memchr(text.at, ')', text.n) : NULL;
  return end ? (Str){text.at + 1, (size_t)(end - text.at) - 1} : (Str){0};
}

// The words after .entry, but for those in comments.
static Entries entries_of(Arena *arena, Str ptx) {
  static const char directive[] = ".entry";
  Entries entries = {0};
  uint32_t line = 1;
  bool comment = false;
  for (const char *at = ptx.at, *end = ptx.at + ptx.n; at + sizeof directive < end; at++) {
    if (*at == '\n') line++, comment = false;
    if (at[0] == '/' && at[1] == '/') comment = true;
    if (comment || memcmp(at, directive, sizeof directive - 1) != 0 ||
        !char_is_blank(at[sizeof directive - 1]))
      continue;
    Str rest = str_trimmed((Str){at + sizeof directive - 1, (size_t)(end - at) - (sizeof directive - 1)});
    Str name = next_name(&rest);
    if (!name.n) continue;
    vec_push(arena, &entries, ((Entry){arena_copy(arena, name), params_at(rest), line}));
  }
  return entries;
}

// Compares names as C++ does: blanks do not count.
static bool is_equal(const char *a, const char *b) {
  for (;; a++, b++) {
    while (*a == ' ') a++;
    while (*b == ' ') b++;
    if (*a != *b) return false;
    if (!*a) return true;
  }
}

// True if the source calls the entry so: "norm", "app::norm", "norm<float>" or "app::norm<float>" for
// _ZN3app4normIfEEvPT_.
static bool is_called(const char *entry, const char *kernel) {
  Buf full = {0};
  demangle(str_from(entry), &full);
  const char *colon = strrchr(full.at, ':');
  size_t last = colon ? (size_t)(colon - full.at) + 1 : 0;
  bool called = strcmp(full.at, kernel) == 0 || strcmp(full.at + last, kernel) == 0;
  if (!called && demangle_arguments(str_from(entry), &full))
    called = is_equal(full.at, kernel) || is_equal(full.at + last, kernel);
  buf_free(&full);
  return called;
}

// The one entry that is called `kernel` in the source, or NULL.
static const Entry *entry_called(const Entries *entries, const char *kernel) {
  const Entry *found = NULL;
  for (uint32_t i = 0; i < entries->n; i++) {
    const Entry *entry = &entries->at[i];
    if (!is_called(entry->name, kernel) || (found && strcmp(found->name, entry->name) == 0)) continue;
    if (found) return NULL;
    found = entry;
  }
  return found;
}

// One parameter, such as ".param .u64 .ptr .align 1 x" or ".param .align 8 .b8 s[24]".
static void put_param(Str param, Buf *out) {
  static const char pointer[] = ".ptr";
  const char *type = "";
  size_t n = 0;
  bool is_pointer = false;
  unsigned long bytes = 0;
  for (size_t i = 0; i < param.n; i++) {
    Str rest = {param.at + i + 1, param.n - i - 1};
    if (param.at[i] == '[') bytes = strtoul(param.at + i + 1, NULL, 10);
    if (param.at[i] != '.') continue;
    is_pointer |= str_starts((Str){param.at + i, param.n - i}, pointer);
    Str word = next_name(&rest);
    if (word.n > 1 && word.n < 5 && strchr("usfb", word.at[0]) && isdigit((unsigned char)word.at[1]))
      type = word.at, n = word.n;
  }
  if (is_pointer)
    buf_text(out, "pointer");
  else if (bytes)
    buf_printf(out, "struct of %lu bytes", bytes);
  else
    buf_printf(out, "%.*s", (int)n, type);
}

static void put_params(const Entry *entry, Buf *out) {
  if (!str_trimmed(entry->params).n) buf_text(out, "no parameters");
  for (Str rest = entry->params; str_trimmed(rest).n;) {
    const char *comma = memchr(rest.at, ',', rest.n);
    size_t n = comma ? (size_t)(comma - rest.at) : rest.n;
    put_param((Str){rest.at, n}, out);
    if (comma) buf_text(out, ", ");
    rest = comma ? (Str){comma + 1, rest.n - n - 1} : (Str){0};
  }
}

// The shortest name that --kernel takes.
static void put_name(const Entries *entries, const Entry *entry, Buf *out) {
  Buf full = {0};
  demangle(str_from(entry->name), &full);
  if (entry_called(entries, full.at) == entry)
    buf_text(out, full.at);
  else if (demangle_arguments(str_from(entry->name), &full) && entry_called(entries, full.at) == entry)
    buf_text(out, full.at);
  else
    buf_text(out, entry->name);
  buf_free(&full);
}

// Adds those that are called `kernel` to an error, with their parameters; NULL: all.
static void list_entries(const Run *run, const Entries *entries, const char *kernel, Diag *error) {
  Diags *diags = &run->c->diags;
  uint16_t file = sources_named(&run->c->sources, tool_source_name(run->options->file));
  uint32_t listed = 0;
  for (uint32_t i = 0; i < entries->n; i++) {
    const Entry *entry = &entries->at[i];
    if (kernel && !is_called(entry->name, kernel)) continue;
    if (listed++ >= MOST_LISTED) continue;
    Buf name = {0}, text = {0};
    put_name(entries, entry, &name);
    put_params(entry, &text);
    const char *quote = strchr(name.at, '<') ? "'" : ""; // for the shell
    diag_note(diags, error, (Loc){.line = entry->line, .col = 1, .file = file}, "--kernel %s%s%s: %s", quote,
              name.at, quote, text.at);
    buf_free(&name);
    buf_free(&text);
  }
  if (listed > MOST_LISTED) diag_note(diags, error, LOC_NONE, "and %u more", listed - MOST_LISTED);
  tool_report(run->options, run->c, TILEC_ERROR_COMPILE);
}

static void no_entry(const Run *run, const Entries *entries, const char *kernel) {
  uint32_t called = 0;
  for (uint32_t i = 0; i < entries->n; i++) called += is_called(entries->at[i].name, kernel);
  if (called) {
    Diag *error =
        diag_error(&run->c->diags, LOC_NONE,
                   "[T1004] the PTX has %u kernels called '%s', such as instantiations of a template: "
                   "give --kernel one of the names below",
                   called, kernel);
    list_entries(run, entries, kernel, error);
    return;
  }
  const char **names = ARENA_ARRAY(run->arena, const char *, entries->n);
  for (uint32_t i = 0; i < entries->n; i++) {
    Buf name = {0};
    put_name(entries, &entries->at[i], &name);
    names[i] = arena_copy(run->arena, buf_view(&name));
    buf_free(&name);
  }
  Buf list = {0};
  diag_list_names(str_from(kernel), names, entries->n, &list);
  tool_error("[T1004] the PTX has no kernel '%s'; its %s %s", kernel,
             entries->n == 1 ? "entry is" : "entries are", list.at);
  buf_free(&list);
}

Str run_entry_param(const Run *run, const char *entry, uint32_t index, Str *body) {
  Entries entries = entries_of(run->arena, run->text);
  Str none = {0};
  for (uint32_t i = 0; i < entries.n; i++) {
    if (strcmp(entries.at[i].name, entry) != 0) continue;
    Str rest = entries.at[i].params, name = none;
    const char *begin = rest.at + rest.n;
    const char *end = i + 1 < entries.n ? entries.at[i + 1].params.at : NULL;
    *body = (Str){begin, (size_t)((end ? end : run->text.at + run->text.n) - begin)};
    for (uint32_t k = 0; k < index; k++) {
      const char *comma = memchr(rest.at, ',', rest.n);
      if (!comma) return none;
      rest = (Str){comma + 1, rest.n - (size_t)(comma + 1 - rest.at)};
    }
    while (rest.n && *rest.at != ',' && *rest.at != '[') { // the last name before the size
      Str word = next_name(&rest);
      if (word.n)
        name = word;
      else
        rest = (Str){rest.at + 1, rest.n - 1};
    }
    return name;
  }
  return none;
}

const char *run_chosen_entry(const Run *run, Buf *params) {
  const char *kernel = run->options->kernel;
  Entries entries = entries_of(run->arena, run->text);
  const Entry *chosen = !kernel && entries.n == 1 ? &entries.at[0] : NULL;
  for (uint32_t i = 0; kernel && !chosen && i < entries.n; i++)
    if (strcmp(entries.at[i].name, kernel) == 0) chosen = &entries.at[i];
  if (!chosen && kernel) chosen = entry_called(&entries, kernel);
  if (chosen) return put_params(chosen, params), chosen->name;
  if (!entries.n) tool_error("[T1004] the PTX has no kernel: it needs an .entry");
  if (entries.n && kernel) no_entry(run, &entries, kernel);
  if (entries.n && !kernel)
    list_entries(run, &entries, NULL,
                 diag_error(&run->c->diags, LOC_NONE,
                            "[T1004] the PTX has %u kernels; choose one with --kernel", entries.n));
  return NULL;
}
