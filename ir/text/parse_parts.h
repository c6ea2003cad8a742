// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parser's state and basic functions. Only for ir/text/parse*.c. The first error ends the parse: from
// then on the token is TOKEN_END and every function returns without effect.
#ifndef IR_TEXT_PARSE_PARTS_H
#define IR_TEXT_PARSE_PARTS_H

#include "ir/ir.h"
#include "ir/text/parse_lex.h"

// The value of a %name.
typedef struct NamedValue {
  const char *name; // interned; NULL: a free slot
  Value *value;     // NULL: out of scope
} NamedValue;

typedef struct Alias {
  const char *name;
  const Layout *layout;
} Alias;

typedef struct Parser {
  IrContext *ir;
  Lexer lexer;
  IrToken token;
  bool failed;
  IrModule *module;
  Func *func;
  uint32_t depth; // of regions
  VEC(Alias) aliases;
  Table bindings;            // by name: NamedValue
  VEC(const char *) visible; // names bound and still in scope, in order
} Parser;

void parser_fail(Parser *p, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Reports "expected X, found Y" at the token.
void parser_expected(Parser *p, const char *what);
// Reports "unknown WHAT 'text'", with the nearest of the names.
void parser_unknown(Parser *p, const char *what, const char *const *names, size_t n);

void parser_advance(Parser *p);
bool parser_is(const Parser *p, char punct);
bool parser_is_word(const Parser *p, const char *word);
// Takes one of two words. Returns true for the first one. `both`: what was expected.
bool parser_either(Parser *p, const char *first, const char *second, const char *both);
bool parser_take(Parser *p, char punct); // if it is the next token
bool parser_take_word(Parser *p, const char *word);
bool parser_expect(Parser *p, char punct);
bool parser_expect_word(Parser *p, const char *word);

// Takes a name. Returns its interned text; reports an error and returns NULL if there is none.
const char *parser_name(Parser *p, TokenKind kind, const char *what);
uint64_t parser_u64(Parser *p, uint64_t max, const char *what);
int64_t parser_i64(Parser *p);
double parser_double(Parser *p);
const char *parser_string(Parser *p); // interned

const Type *parse_type(Parser *p);
FuncParam parse_param(Parser *p);
void parse_constexprs(Parser *p);      // those of p->func, if there are any
const Layout *parse_layout(Parser *p); // layout<...> or #name
// loc(...) if it is the next token, else `otherwise`.
Loc parse_loc(Parser *p, Loc otherwise);

#endif
