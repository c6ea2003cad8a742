// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec help: finds and prints the texts that cmake/help.py makes, with the words of each. That script describes the
// form and the kinds.
#include <ctype.h>

#include "base/colors.h"
#include "tools/options/language_help.h"
#include "tools/options/options.h"
#include "tools/options/options_parts.h"

extern const char help_texts[], help_texts_end[];

enum { BEGINS = '\x1e', BETWEEN = '\x1f', BOLD = '\x01', PLAIN = '\x02' };

typedef struct HelpText {
  char kind;
  Str words, text;
} HelpText;

// The next text of one of the kinds after *at. Moves *at past it. False: none.
static bool next_text(const char **at, const char *kinds, HelpText *found) {
  while (*at < help_texts_end) {
    const char *begin = *at + 1, *words_end = memchr(begin, '\n', (size_t)(help_texts_end - begin));
    const char *end = memchr(words_end, BEGINS, (size_t)(help_texts_end - words_end));
    *at = end ? end : help_texts_end;
    *found = (HelpText){*begin, {begin + 1, (size_t)(words_end - begin - 1)}, {words_end + 1, 0}};
    found->text.n = (size_t)(*at - found->text.at);
    if (strchr(kinds, found->kind)) return true;
  }
  return false;
}

// The word before the first `between`. Moves *words past it. False: none.
static bool next_word(Str *words, char between, Str *word) {
  if (!words->n) return false;
  *word = str_take_until(words, between);
  return true;
}

static void put_text(Buf *out, Str text, bool colors) {
  for (size_t i = 0; i < text.n; i++)
    if (text.at[i] != BOLD && text.at[i] != PLAIN)
      buf_char(out, text.at[i]);
    else if (colors)
      buf_text(out, text.at[i] == BOLD ? COLOR_BOLD : COLOR_RESET);
}

static void put_apart(Buf *out, Str text, bool colors) {
  if (out->n) buf_char(out, '\n');
  put_text(out, text, colors);
}

typedef bool WordTest(Str word, const char *asked);

static bool is_word(Str word, const char *asked) { return str_is(word, asked); }

static bool has_word(Str words, const char *asked, WordTest *test) {
  for (Str word; next_word(&words, BETWEEN, &word);)
    if (test(word, asked)) return true;
  return false;
}

// The next text of the kinds with such a word.
static bool find_text(const char **at, const char *kinds, const char *asked, WordTest *test,
                      HelpText *found) {
  while (next_text(at, kinds, found))
    if (has_word(found->words, asked, test)) return true;
  return false;
}

static bool has_text(const char *kinds, const char *asked, WordTest *test) {
  const char *at = help_texts;
  HelpText found;
  return find_text(&at, kinds, asked, test, &found);
}

// Prints the texts of the kinds with such a word, or the first one only.
static void put_texts(Buf *out, const char *kinds, const char *asked, WordTest *test, bool all, bool colors) {
  HelpText found;
  for (const char *at = help_texts; find_text(&at, kinds, asked, test, &found);) {
    put_apart(out, found.text, colors);
    if (!all) return;
  }
}

// --- commands, options, codes ---

void options_print_help(Command topic, bool colors, Buf *out) {
  const char *at = help_texts;
  HelpText overview;
  if (topic != COMMAND_HELP && verb_of(topic))
    put_texts(out, "V", verb_of(topic)->name, is_word, true, colors);
  else if (next_text(&at, "V", &overview))
    put_text(out, overview.text, colors);
}

void options_print_option(const char *option, bool colors, Buf *out) {
  put_texts(out, "Y", option, is_word, false, colors);
}

bool options_print_code(const char *code, bool colors, Buf *out) {
  put_texts(out, "D", code, is_word, true, colors);
  return has_text("D", code, is_word);
}

// --- the language ---

static Str last_part(Str name) {
  for (size_t i = name.n; i > 0; i--)
    if (name.at[i - 1] == '.') return (Str){name.at + i, name.n - i};
  return name;
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

static bool is_last_part(Str word, const char *asked) { return str_is(last_part(word), asked); }

// A word that entries are searched for: a full name, or the last part of one.
typedef struct Query {
  const char *word;
  WordTest *test;
  char name[128];
} Query;

static bool has_full(Query *q, const char *prefix, const char *rest) {
  snprintf(q->name, sizeof q->name, "%s%s", prefix, rest);
  return has_text("L", q->name, is_word);
}

static void query(Query *q, const char *word) {
  const char *prefix, *rest = short_name(word, &prefix);
  *q = (Query){.word = rest, .test = is_last_part};
  if (!*prefix && !strchr(rest, '.')) return;
  q->word = q->name, q->test = is_word;
  // A method of tiles is described as the function. tl.math has the functions of libdevice too.
  if (has_full(q, prefix, rest)) return;
  if (strcmp(prefix, "tensor.") == 0 || strcmp(prefix, "tl.") == 0)
    if (!has_full(q, "tl.", rest)) has_full(q, "libdevice.", rest);
}

// "tl.float32"
static bool is_element_type(const char *word) {
  const char *prefix, *rest = short_name(word, &prefix);
  return has_text("E", rest, is_word) && (!*prefix || strcmp(prefix, "tl.") == 0);
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
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (!*hints[i][0] && strcmp(hints[i][1], rest) == 0) return hints[i][2];
  for (size_t i = 0; !*prefix && i < sizeof hints / sizeof *hints; i++)
    if (strcmp(hints[i][0], "word") == 0 && strcmp(hints[i][1], rest) == 0) return hints[i][2];
  return NULL;
}

bool language_has(const char *word) {
  Query q;
  query(&q, word);
  return has_text("L", q.word, q.test) || strcmp(word, "language") == 0 || has_text("O", word, is_word) ||
         is_element_type(word);
}

// Names such as tl._log2 are explained, but neither listed nor suggested.
const char *const *language_names(Arena *arena, bool full, size_t *count) {
  VEC(const char *) names = {0};
  HelpText text;
  for (const char *at = help_texts; next_text(&at, "L", &text);)
    for (Str name; next_word(&text.words, BETWEEN, &name);)
      if (last_part(name).at[0] != '_')
        vec_push(arena, &names, arena_copy(arena, full ? name : last_part(name)));
  *count = names.n;
  return names.at;
}

// True if a word of the entry matches that is of tl, or one that is not.
static bool has_name(Str words, const Query *q, bool of_tl) {
  for (Str word; next_word(&words, BETWEEN, &word);)
    if (q->test(word, q->word) && str_starts(word, "tl.") == of_tl) return true;
  return false;
}

// The entries that match, those of tl first.
static void put_entries(Buf *out, const char *word, bool colors) {
  Query q;
  HelpText found;
  query(&q, word);
  for (int of_tl = 1; of_tl >= 0; of_tl--)
    for (const char *at = help_texts; next_text(&at, "L", &found);)
      if (has_name(found.words, &q, of_tl)) put_apart(out, found.text, colors);
}

void language_print_help(const char *word, bool colors, Buf *out) {
  put_entries(out, word, colors);
  if (!out->n) put_texts(out, "O", word, is_word, true, colors);
  if (!out->n && is_element_type(word)) {
    const char *prefix;
    put_texts(out, "E", short_name(word, &prefix), is_word, true, colors);
    put_entries(out, "tl.dtype", colors);
  }
  const char *at = help_texts;
  HelpText names;
  if (!out->n && next_text(&at, "A", &names)) put_text(out, names.text, colors);
}

// --- other words ---

// Compares without case. A space, '-' and '_' are the same; the word may have a plural s.
static bool is_same(Str word, const char *asked) {
  for (size_t i = 0; i < word.n; i++, asked++) {
    int a = tolower((unsigned char)word.at[i]), b = tolower((unsigned char)*asked);
    if ((a == '-' || a == '_' ? ' ' : a) != (b == '-' || b == '_' ? ' ' : b)) return false;
  }
  return !*asked || (asked[0] == 's' && !asked[1]);
}

// The phrase ends in the word: "data race" for "race".
static bool ends_in(Str phrase, const char *asked) {
  for (size_t i = 1; i < phrase.n; i++)
    if (phrase.at[i - 1] == ' ' && is_same((Str){phrase.at + i, phrase.n - i}, asked)) return true;
  return false;
}

// `*` matches any letters, `?` one.
static bool matches(Str pattern, const char *word) {
  for (; pattern.n && pattern.at[0] != '*'; pattern.at++, pattern.n--, word++)
    if (!*word || (pattern.at[0] != *word && pattern.at[0] != '?')) return false;
  if (!pattern.n) return !*word;
  Str rest = {pattern.at + 1, pattern.n - 1};
  while (*word && !matches(rest, word)) word++;
  return *word || matches(rest, word);
}

// A word of CUDA or NumPy. "np.", "np.random." and an array's name before a '.' are left out, and so is what
// follows one of `ends`. Each row of blanks, '-' and '_' is one blank inside the word.
static bool is_about_until(Str pattern, const char *asked, const char *ends) {
  static const char *const heads[] = {"np.", "numpy.", "ndarray.", "a.", "x.", "random.", "linalg."};
  char word[80];
  size_t n = 0;
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    if (str_starts(str_from(asked), heads[i])) asked += strlen(heads[i]);
  for (; *asked && n + 2 < sizeof word && !(n && strchr(ends, *asked)); asked++)
    if (!strchr("-_ ", *asked))
      word[n++] = (char)tolower((unsigned char)*asked);
    else if (n && word[n - 1] != ' ')
      word[n++] = ' ';
  while (n && word[n - 1] == ' ') n--;
  word[n] = '\0';
  return n && matches(pattern, word);
}

static bool is_of_numpy(const char *word) {
  return str_starts(str_from(word), "np.") || str_starts(str_from(word), "numpy.");
}

// "np.add.at" is not np.add; "np.sum axis=" is np.sum.
static bool is_about(Str pattern, const char *asked) {
  return is_about_until(pattern, asked, is_of_numpy(asked) ? "(<, " : "(.<");
}

// With all parts of a name such as cp.async.bulk.
static bool is_about_all(Str pattern, const char *asked) { return is_about_until(pattern, asked, "(<"); }

// The kinds of other systems' words that may be asked for: "np.device" is no word of CUDA.
static const char *other_kinds(const char *word) { return is_of_numpy(word) ? "N" : "CN"; }

static bool is_any(Str word, const char *unused) {
  (void)word, (void)unused;
  return true;
}

void options_print_spec(const char *word, Buf *out) {
  HelpText spec;
  bool found = false;
  WordTest *test = strcmp(word, "SPEC") == 0 ? is_any : is_word;
  for (const char *at = help_texts; next_text(&at, "S", &spec);) {
    if (test == is_word && !has_word(spec.words, word, test)) continue;
    if (!found)
      buf_printf(out, "%sIn arguments of run, check, bench, explain and tune, NAME=SPEC:\n",
                 out->n ? "\n" : "");
    put_text(out, spec.text, false);
    found = true;
  }
}

// "tl.abs" for "np.abs": a function with the same name, of tl or libdevice, that the table of NumPy's words lacks.
static bool numpy_function(const char *word, char name[80]) {
  const char *name_at = strchr(word, '.');
  if (!is_of_numpy(word)) return false;
  snprintf(name, 80, "tl%.*s", (int)strcspn(name_at, "(, "), name_at);
  return language_has(name) && !has_text("N", word, is_about);
}

// A text of CUDA's or NumPy's words has, on their side, this one as it was asked for: "sinf" is not "__sinf".
static bool spells(Str text, const char *asked) {
  size_t n = strlen(asked);
  for (size_t i = 1; i + n < text.n && !(text.at[i] == BOLD && text.at[i - 1] == '\n'); i++) {
    char before = text.at[i - 1], after = text.at[i + n];
    if (memcmp(text.at + i, asked, n) != 0 || char_is_word(before) || before == '.') continue;
    if (!char_is_word(after) && after != '.' && after != '*') return true;
  }
  return false;
}

static void put_other_word(Buf *out, const char *word, bool colors) {
  const char *system = NULL, *page = NULL;
  HelpText found;
  char name[80];
  if (numpy_function(word, name)) {
    language_print_help(name, colors, out);
    system = "NumPy", page = "docs/how-to/coming-from-numpy.md";
  }
  const char *kinds = other_kinds(word);
  WordTest *test = has_text(kinds, word, is_about_all) ? is_about_all : is_about;
  bool spelled = false;
  for (const char *at = help_texts; !spelled && find_text(&at, kinds, word, test, &found);)
    spelled = spells(found.text, word);
  for (const char *at = help_texts; find_text(&at, kinds, word, test, &found);) {
    if (spelled && !spells(found.text, word)) continue;
    put_apart(out, found.text, colors);
    system = found.kind == 'C' ? "CUDA" : "NumPy";
    page = found.kind == 'C' ? "docs/how-to/coming-from-cuda.md" : "docs/how-to/coming-from-numpy.md";
  }
  if (page) buf_printf(out, "\nThe page 'Coming from %s' (%s) compares whole kernels.\n", system, page);
}

// --- the Python API ---

// "asm" of "kernel.asm" and "CompiledKernel.asm"; else the word.
static const char *member(const char *word) {
  const char *dot = strchr(word, '.');
  char object[80];
  if (!dot || strchr(dot + 1, '.') || has_text("J", word, is_word)) return word;
  snprintf(object, sizeof object, "%.*s", (int)(dot - word), word);
  return has_text("B", object, is_word) ? dot + 1 : word;
}

// A name in another module than its own: "triton.runtime.jit".
static bool is_of_host(Str pattern, const char *asked) {
  Str text = str_from(asked);
  return !str_starts(text, "triton.language") && !str_starts(text, "tilec.language") &&
         matches(pattern, asked);
}

static bool is_refused(Str pattern, const char *asked) {
  return matches(pattern, asked) && (!strchr(asked, '.') || memchr(pattern.at, '.', pattern.n));
}

static bool find_refused(const char *word, HelpText *found) {
  const char *prefix, *rest = short_name(word, &prefix), *at = help_texts, *again = help_texts;
  char full[128];
  snprintf(full, sizeof full, "%s%s", prefix, rest);
  return find_text(&at, "X", word, is_refused, found) || find_text(&again, "X", full, is_refused, found);
}

bool options_has_python(const char *word) {
  HelpText found;
  word = member(word);
  return has_text("J", word, is_word) || has_text("J", word, is_of_host) || find_refused(word, &found);
}

void options_print_python(const char *word, bool colors, Buf *out) {
  HelpText found;
  word = member(word);
  size_t before = out->n;
  put_texts(out, "J", word, is_word, false, colors);
  if (out->n == before) put_texts(out, "J", word, is_of_host, false, colors);
  if (out->n > before || !find_refused(word, &found)) return;
  Buf text = {0};
  buf_str(&text, found.text);
  buf_printf(out, "%s%s%s%s ", before ? "\n" : "", colors ? COLOR_BOLD : "", word, colors ? COLOR_RESET : "");
  buf_wrapped(out, text.at, strlen(word) + 1, 0, HELP_COLUMNS);
  buf_char(out, '\n');
  buf_free(&text);
}

void options_print_python_option(const char *word, bool colors, Buf *out) {
  put_texts(out, "K", word, is_word, false, colors);
}

// --- all words ---

bool options_has_word(const char *word) {
  char name[80];
  return numpy_function(word, name) || strcmp(word, "SPEC") == 0 || has_text("STI", word, is_word) ||
         has_text("G", word, is_same) || has_text(other_kinds(word), word, is_about) ||
         options_has_python(word);
}

void options_print_compiler(const char *word, bool colors, Buf *out) {
  put_texts(out, "I", word, is_word, true, colors);
}

bool options_has_numpy(const char *word) { return has_text("N", word, is_about); }

bool options_has_near_word(const char *word) {
  return has_text("G", word, ends_in) || has_text("P", word, is_word);
}

void options_print_meaning(const char *word, bool colors, Buf *out) {
  put_texts(out, "G", word, is_same, false, colors);
}

void options_print_word(const char *word, bool colors, Buf *out) {
  options_print_meaning(word, colors, out);
  options_print_spec(word, out);
  put_other_word(out, word, colors);
  put_texts(out, "T", word, is_word, true, colors);
  options_print_python(word, colors, out);
  if (!out->n) {
    put_texts(out, "G", word, ends_in, true, colors);
    put_texts(out, "P", word, is_word, true, colors);
  }
  options_print_compiler(word, colors, out);
}

size_t options_words(Arena *arena, bool full, const char **words, size_t room) {
  HelpText list;
  size_t n = 0;
  for (const char *at = help_texts; next_text(&at, full ? "WF" : "WU", &list);)
    for (Str word; n < room && next_word(&list.text, '\n', &word);) words[n++] = arena_copy(arena, word);
  return n;
}
