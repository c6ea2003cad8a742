// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds inline assembly that computes an element from another element of its pack. The text is followed
// instruction by instruction: each name has the set of the inputs that it was computed from. Branches are not
// followed. An unknown text counts as one that mixes nothing.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "codegen/inline_asm.h"

enum { MAX_INPUTS = 64, MAX_NAMES = 128, MAX_TOKENS = 64 };

typedef struct Word {
  const char *at;
  size_t n;
  bool is_register; // `$4` or `${4}`: the word is its number
} Word;

typedef struct Name {
  Word word;
  uint64_t inputs;
} Name;

typedef struct Flow {
  Name names[MAX_NAMES];
  uint32_t count;
  bool full;
} Flow;

static bool is_same(Word a, Word b) {
  return a.n == b.n && a.is_register == b.is_register && strncmp(a.at, b.at, a.n) == 0;
}

static Name *name_of(Flow *flow, Word word) {
  for (uint32_t i = 0; i < flow->count; i++)
    if (is_same(flow->names[i].word, word)) return &flow->names[i];
  flow->full |= flow->count == MAX_NAMES;
  if (flow->full) return &flow->names[0];
  flow->names[flow->count] = (Name){.word = word};
  return &flow->names[flow->count++];
}

static bool is_name_char(char c) { return isalnum((unsigned char)c) || (c && strchr("_%.", c)); }

// Reads the next word or sign; n is 0 at the text's end. A register's word is its number.
static Word next_token(const char **text) {
  const char *at = *text;
  while (*at && (isspace((unsigned char)*at) || strncmp(at, "//", 2) == 0 || strncmp(at, "/*", 2) == 0)) {
    const char *end = isspace((unsigned char)*at) ? at + 1
                      : at[1] == '/'              ? strchr(at, '\n')
                                                  : strstr(at, "*/");
    at = !end ? at + strlen(at) : *end == '*' ? end + 2 : end;
  }
  Word word = {at, 0, false};
  if (*at == '$' && (isdigit((unsigned char)at[1]) || at[1] == '{')) {
    bool braces = at[1] == '{';
    word = (Word){at + 1 + braces, 0, true};
    word.n = strspn(word.at, "0123456789");
    *text = word.at + word.n + (braces && word.at[word.n] == '}');
    return word;
  }
  while (is_name_char(at[word.n])) word.n++;
  if (!word.n && *at) word.n = 1;
  *text = at + word.n;
  return word;
}

static bool is_sign(Word word, char sign) { return word.n == 1 && word.at[0] == sign; }

// The inputs of `tokens[from .. to - 1]`.
static uint64_t inputs_of(Flow *flow, const Word *tokens, uint32_t from, uint32_t to) {
  uint64_t inputs = 0;
  for (uint32_t i = from; i < to; i++)
    for (uint32_t k = 0; k < flow->count; k++)
      if (is_same(flow->names[k].word, tokens[i])) inputs |= flow->names[k].inputs;
  return inputs;
}

// One instruction: its first operand, or the first in braces, is what it writes.
static void follow(Flow *flow, const Word *tokens, uint32_t n) {
  uint32_t at = 0;
  uint64_t guard = 0;
  bool is_guarded = false;
  while (at < n && is_sign(tokens[at], '{')) at++;
  if (at + 1 < n && is_sign(tokens[at + 1], ':')) at += 2;
  if (at < n && is_sign(tokens[at], '@')) {
    at += 1 + (at + 1 < n && is_sign(tokens[at + 1], '!'));
    is_guarded = true;
    guard = inputs_of(flow, tokens, at, at + 1 < n ? at + 1 : n);
    at++;
  }
  if (at + 1 >= n || tokens[at].at[0] == '.' || is_sign(tokens[at + 1], '[')) return;
  uint32_t first = at + 1, end = first + 1;
  if (is_sign(tokens[first], '{'))
    while (end < n && !is_sign(tokens[end - 1], '}')) end++;
  else
    while (end < n && !is_sign(tokens[end], ',')) end++;
  uint64_t inputs = guard | inputs_of(flow, tokens, end, n);
  for (uint32_t i = first; i < end; i++) {
    if (!is_name_char(tokens[i].at[0])) continue;
    Name *name = name_of(flow, tokens[i]);
    name->inputs = is_guarded ? name->inputs | inputs : inputs;
  }
}

static void follow_text(Flow *flow, const char *text) {
  Word tokens[MAX_TOKENS];
  uint32_t n = 0;
  for (Word word = next_token(&text); word.n; word = next_token(&text)) {
    bool ends = is_sign(word, ';') || (n == 0 && is_sign(word, '}'));
    if (!ends && n < MAX_TOKENS) tokens[n++] = word;
    flow->full |= !ends && n == MAX_TOKENS;
    if (ends) follow(flow, tokens, n), n = 0;
  }
  follow(flow, tokens, n);
}

typedef struct Span {
  uint32_t first, n; // elements of the pack
} Span;

// The elements that each register of the text holds, outputs first.
static uint32_t spans_of(const Op *op, uint32_t pack, Span *spans) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < op->result_count + op->operand_count; i++) {
    const Type *type =
        i < op->result_count ? op->results[i].type : op_operand(op, i - op->result_count)->type;
    uint32_t n = asm_elements(type, pack);
    for (uint32_t at = 0; at < pack; at += n) spans[count++] = (Span){at, n};
  }
  return count;
}

bool asm_mixes_elements(const Op *op, const AsmShape *shape) {
  Span spans[ASM_MAX_REGISTERS];
  char numbers[MAX_NAMES][16];
  Flow flow = {.count = 0};
  uint32_t outputs = shape->outputs, count = spans_of(op, (uint32_t)op_int(op, ATTR_PACK, 1), spans);
  if (shape->inputs > MAX_INPUTS || count > MAX_NAMES) return false;
  for (uint32_t i = 0; i < count; i++) {
    Word word = {numbers[i], (size_t)snprintf(numbers[i], sizeof numbers[i], "%u", i), true};
    bool is_input =
        i >= outputs && shape->letter[i] != ASM_IMMEDIATE && shape->letter[i] != ASM_WIDE_IMMEDIATE;
    name_of(&flow, word)->inputs = is_input ? UINT64_C(1) << (i - outputs) : 0;
  }
  follow_text(&flow, op_attr(op, ATTR_ASM)->str);
  for (uint32_t o = 0; o < outputs && !flow.full; o++)
    for (uint32_t i = 0; i < shape->inputs; i++) {
      Span to = spans[o], from = spans[outputs + i];
      bool apart = to.first + to.n <= from.first || from.first + from.n <= to.first;
      if (apart && flow.names[o].inputs >> i & 1) return true;
    }
  return false;
}
