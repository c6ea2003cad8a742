// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parser of a kernel's parameters and constexprs.
#include "ir/text/parse_parts.h"

// A tensor map is not listed among the parameters: its host region in the kernel's head declares it.
static HiddenKind parse_hidden(Parser *p) {
  const char *names[] = {hidden_name(HIDDEN_SCRATCH), hidden_name(HIDDEN_PROGRAMS)};
  parser_expect(p, '=');
  if (parser_take_word(p, names[0])) return HIDDEN_SCRATCH;
  if (parser_take_word(p, names[1])) return HIDDEN_PROGRAMS;
  if (p->token.kind == TOKEN_WORD)
    parser_unknown(p, "kind of hidden parameter", names, 2);
  else
    parser_expected(p, "a kind of hidden parameter");
  return HIDDEN_NONE;
}

// fact := 'divisible16' | 'equal1' | 'none' | 'hidden' '=' NAME
static void parse_fact(Parser *p, FuncParam *param) {
  static const char *const names[] = {"divisible16", "equal1", "none", "hidden"};
  if (parser_take_word(p, names[0]))
    param->facts.divisible16 = true;
  else if (parser_take_word(p, names[1]))
    param->facts.equal1 = true;
  else if (parser_take_word(p, names[2]))
    param->facts.none = true;
  else if (parser_take_word(p, names[3]))
    param->hidden = parse_hidden(p);
  else if (p->token.kind == TOKEN_WORD)
    parser_unknown(p, "fact", names, 4);
  else
    parser_expected(p, "a fact of the parameter");
}

static void parse_facts(Parser *p, FuncParam *param) {
  if (!parser_take(p, '{')) return;
  do parse_fact(p, param);
  while (parser_take(p, ',') && !p->failed);
  parser_expect(p, '}');
}

// param := VALUE ':' type ['{' fact {',' fact} '}'] [loc]
FuncParam parse_param(Parser *p) {
  FuncParam param = {.loc = p->token.loc};
  param.name = parser_name(p, TOKEN_VALUE, "a parameter (%name)");
  if (param.name && !name_is_plain(str_from(param.name)))
    parser_fail(p, param.loc, "a parameter's name does not begin with a digit");
  parser_expect(p, ':');
  param.type = parse_type(p);
  parse_facts(p, &param);
  param.loc = parse_loc(p, param.loc);
  return param;
}

// constexprs := 'constexpr' '{' NAME '=' literal {',' NAME '=' literal} '}'     literal: as Python writes it
void parse_constexprs(Parser *p) {
  VEC(Constexpr) list = {0};
  if (!parser_take_word(p, "constexpr")) return;
  parser_expect(p, '{');
  do {
    Constexpr item = {.name = parser_name(p, TOKEN_WORD, "a constexpr's name")};
    if (!parser_is(p, '=')) parser_expected(p, "'='");
    if (p->failed) return;
    Lexer *lexer = &p->lexer; // just past the '='
    size_t used = 0;
    if (!const_parse_prefix(p->ir, (Str){lexer->text.at + lexer->at, lexer->text.n - lexer->at}, &used,
                            &item.value)) {
      parser_advance(p);
      parser_expected(p, "a literal");
      return;
    }
    for (size_t end = lexer->at + used; lexer->at < end; lexer->at++)
      if (lexer->text.at[lexer->at] == '\n') {
        lexer->line++;
        lexer->line_start = lexer->at + 1;
      }
    parser_advance(p);
    vec_push(p->ir->arena, &list, item);
  } while (parser_take(p, ',') && !p->failed);
  parser_expect(p, '}');
  p->func->constexprs = list.at;
  p->func->constexpr_count = list.n;
}
