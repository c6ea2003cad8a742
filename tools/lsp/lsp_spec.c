// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The specialisation of a kernel in an editor. Types and constexprs come from comments, annotations, defaults and
// decorators. A comment line belongs to the kernel around it or below it:
//
//   # tilec: x=*fp32:16, n=i32, BLOCK=128 --num-warps 8
//
// The rest is guessed, as for the command lines that errors of `tilec run` propose.
#include <stdlib.h>

#include "tools/lsp/lsp.h"
#include "tools/run/ask.h"

static const char mark[] = "# tilec:";

// A word of a comment, with its place.
typedef struct Word {
  Loc loc;
  Str text;
} Word;

typedef struct Words {
  Compilation *c;
  KernelView *view;
  Loc loc; // the line
  Str line;
  size_t at;
} Words;

// The next word: separated by blanks and commas outside of brackets and quotes.
static bool next_word(Words *words, Word *word) {
  Str line = words->line;
  size_t at = words->at, depth = 0;
  char quote = 0;
  while (at < line.n && strchr(" ,\t", line.at[at])) at++;
  size_t start = at;
  for (; at < line.n; at++) {
    char c = line.at[at];
    if (quote) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (strchr("([<", c)) depth++;
    if (strchr(")]>", c) && depth) depth--;
    if (!depth && strchr(" ,\t", c)) break;
  }
  words->at = at;
  word->text = (Str){line.at + start, at - start};
  word->loc = words->loc;
  word->loc.col = (uint16_t)(start + 1 > UINT16_MAX ? UINT16_MAX : start + 1);
  word->loc.len = (uint16_t)(at - start > UINT16_MAX ? UINT16_MAX : at - start);
  return at > start;
}

static const KernelParam *find_param(const KernelInfo *info, Str name) {
  for (uint32_t i = 0; i < info->param_count; i++)
    if (str_is(name, info->params[i].name)) return &info->params[i];
  return NULL;
}

// Errors of the text get the place of the word in the file.
static void place_errors(Compilation *c, uint32_t from, Loc loc) {
  for (uint32_t i = from; i < c->diags.list.n; i++) c->diags.list.at[i]->loc = loc;
}

// NAME=TYPE or NAME=VALUE.
static void take_pair(Words *words, const Word *word) {
  Compilation *c = words->c;
  uint32_t said = c->diags.list.n;
  const char *equals = memchr(word->text.at, '=', word->text.n);
  Str name = {word->text.at, equals ? (size_t)(equals - word->text.at) : word->text.n};
  const KernelParam *param = find_param(words->view->info, name);
  const char *text = arena_copy(&c->arena, word->text);
  if (!equals)
    diag_error(&c->diags, word->loc, "[T1006] '%s' is not a NAME=TYPE, NAME=VALUE or option", text);
  else if (param && !param->is_constexpr)
    compile_signature(c, text, &words->view->spec);
  else if (param || frontend_has_name(&c->ir, c->syntax, arena_copy(&c->arena, name)))
    compile_define(c, text, &words->view->spec);
  else
    diag_error(&c->diags, word->loc, "[T1002] kernel '%s' has no parameter '%.*s'", words->view->info->name,
               STR_ARG(name));
  place_errors(c, said, word->loc);
}

// --num-warps N, --num-stages=N. False: it is another word.
static bool take_option(Words *words, const Word *word) {
  Spec *spec = &words->view->spec;
  const struct {
    const char *name;
    uint16_t *value;
    bool *given;
    uint32_t max;
  } options[] = {{"--num-warps", &spec->target.num_warps, &spec->num_warps_given, NUM_WARPS_MAX},
                 {"--num-stages", &spec->target.num_stages, &spec->num_stages_given, NUM_STAGES_MAX}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    size_t n = strlen(options[i].name);
    Word value = {word->loc, {word->text.at + n, word->text.n - n}};
    uint64_t number;
    if (!str_starts(word->text, options[i].name)) continue;
    if (value.text.n && value.text.at[0] == '=')
      value.text.at++, value.text.n--;
    else if (!next_word(words, &value))
      value.text = STR("");
    bool good = u64_parse(value.text, &number) && number > 0 && number <= options[i].max;
    if (good && i == 0) good = (number & (number - 1)) == 0;
    if (good)
      *options[i].value = (uint16_t)number, *options[i].given = true;
    else
      diag_error(&words->c->diags, value.loc, "[T1006] %s takes a number from 1 to %u%s", options[i].name,
                 options[i].max, i == 0 ? ", a power of two" : "");
    return true;
  }
  return false;
}

// The kernel that a comment in this line belongs to: the first that ends below it.
static bool is_kernels_line(const Compilation *c, const KernelView *view, uint32_t line) {
  uint32_t end = view->function->last_line;
  if (line > end) return false;
  for (uint32_t i = 0; i < c->syntax->functions.n; i++) {
    const Function *other = c->syntax->functions.at[i];
    if (other->last_line >= line && other->last_line < end) return false;
  }
  return true;
}

static void read_comments(const Document *document, Compilation *c, KernelView *view) {
  uint32_t number = 0;
  Str rest = buf_view(&document->text);
  while (rest.n) {
    Str line = str_take_until(&rest, '\n');
    number++;
    size_t start = 0;
    while (start < line.n && line.at[start] == ' ') start++;
    if (line.n && line.at[line.n - 1] == '\r') line.n--;
    if (line.n < start || !str_starts((Str){line.at + start, line.n - start}, mark)) continue;
    if (!is_kernels_line(c, view, number)) continue;
    Words words = {c, view, {.line = number, .file = c->file}, line, start + sizeof mark - 1};
    for (Word word; next_word(&words, &word);)
      if (!str_is(word.text, "-D") && !take_option(&words, &word)) take_pair(&words, &word);
  }
}

// --- Guesses ---

static void guess_param(Compilation *c, KernelView *view, uint32_t at, uint32_t use, uint32_t guess) {
  const KernelParam *param = &view->info->params[at];
  Buf text = {0};
  buf_printf(&text, "%s=", param->name);
  if (param->is_constexpr)
    buf_text(&text, ask_guess_value(param->name, guess));
  else
    ask_guess_type(param, use, guess, &text);
  if (param->is_constexpr)
    compile_define(c, text.at, &view->spec);
  else
    compile_signature(c, text.at, &view->spec);
  buf_free(&text);
  *(param->is_constexpr ? &view->guesses_sizes : &view->guesses_types) = true;
}

void lsp_specify(const Document *document, Compilation *c, KernelView *view, uint32_t guess) {
  view->guesses_types = view->guesses_sizes = false;
  if (!view->function) return;
  read_comments(document, c, view);
  const uint32_t *uses = frontend_param_uses(&c->ir, c->syntax, view->info);
  for (uint32_t i = 0; i < view->info->param_count; i++) {
    const KernelParam *param = &view->info->params[i];
    bool known = param->has_default || param->type || param->wide || ask_is_given(&view->spec, param);
    if (!known && !(param->is_constexpr && (uses[i] & PARAM_DECIDED)))
      guess_param(c, view, i, uses[i], guess);
  }
}
