// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grammar's actions, and the loop that passes tokens to it.
#include "sim/ptx/ptx_tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/fault.h"
#include "base/integer.h"
#include "base/text.h"

#include "sim/ptx/parse_gen.h"

enum { MAX_NUMBER = 64 };
static const uint64_t max_var_bytes = (uint64_t)1 << 32;

void ptx_error(PtxError *error, PtxPos pos, const char *format, ...) {
  if (error->pos.line) return;
  va_list args;
  va_start(args, format);
  text_fit(error->text, sizeof error->text, format, args);
  va_end(args);
  error->pos = pos;
}

// ---- operands ----

static PtxOperand *operand_new(PtxParser *parser, PtxOperandKind kind, PtxPos pos) {
  PtxOperand *operand = ARENA_NEW(parser->arena, PtxOperand);
  operand->kind = kind;
  operand->pos = pos;
  return operand;
}

PtxOperand *parse_name(PtxParser *parser, PtxToken token) {
  PtxOperand *operand = operand_new(parser, OPERAND_NAME, token.pos);
  operand->name = token.text;
  return operand;
}

// A decimal with a point or exponent. PTX treats it as a double.
static uint64_t decimal_bits(PtxParser *parser, PtxToken token, const char *digits) {
  char *end;
  double value = strtod(digits, &end);
  if (*end) ptx_error(parser->error, token.pos, "malformed number '%s'", digits);
  return double_bits(value);
}

PtxOperand *parse_number(PtxParser *parser, PtxToken token, bool negative) {
  PtxOperand *operand = operand_new(parser, OPERAND_INT, token.pos);
  char digits[MAX_NUMBER];
  if (token.text.n >= sizeof digits) {
    ptx_error(parser->error, token.pos, "number too long");
    return operand;
  }
  memcpy(digits, token.text.at, token.text.n);
  digits[token.text.n] = 0;
  char kind = token.text.n > 1 && digits[0] == '0' ? digits[1] : '0';
  errno = 0;
  if (kind == 'f' || kind == 'F') {
    operand->kind = OPERAND_F32;
    operand->value = strtoull(digits + 2, NULL, 16) ^ (negative ? 0x80000000u : 0);
  } else if (kind == 'd' || kind == 'D') {
    operand->kind = OPERAND_F64;
    operand->value = strtoull(digits + 2, NULL, 16) ^ (negative ? (uint64_t)1 << 63 : 0);
  } else if (kind != 'x' && kind != 'X' && kind != 'b' && kind != 'B' && strpbrk(digits, ".eE")) {
    operand->kind = OPERAND_F64;
    operand->value = decimal_bits(parser, token, digits) ^ (negative ? (uint64_t)1 << 63 : 0);
  } else {
    bool binary = kind == 'b' || kind == 'B';
    operand->value = strtoull(digits + (binary ? 2 : 0), NULL, binary ? 2 : 0);
    if (errno == ERANGE) ptx_error(parser->error, token.pos, "%s does not fit in 64 bits", digits);
    if (negative) operand->value = 0 - operand->value;
  }
  return operand;
}

PtxOperand *parse_group(PtxParser *parser, PtxOperandKind kind, PtxToken token, PtxOperands items) {
  PtxOperand *operand = operand_new(parser, kind, token.pos);
  operand->items = items.first;
  return operand;
}

PtxOperand *parse_offset(PtxParser *parser, PtxOperand *base, PtxToken number, bool negative) {
  PtxOperand *amount = parse_number(parser, number, negative);
  if (amount->kind != OPERAND_INT) ptx_error(parser->error, number.pos, "an offset is an integer");
  if (base->kind == OPERAND_INT)
    base->value += amount->value;
  else
    base->offset = (int64_t)((uint64_t)base->offset + amount->value);
  return base;
}

PtxOperands parse_append(PtxOperands list, PtxOperand *item) {
  if (list.last)
    list.last->next = item;
  else
    list.first = item;
  list.last = item;
  list.n++;
  return list;
}

// ---- functions ----

void parse_open_func(PtxParser *parser, bool is_entry, PtxToken name, PtxVars results, PtxVars params) {
  PtxFunc *func = ARENA_NEW(parser->arena, PtxFunc);
  func->pos = name.pos;
  func->is_entry = is_entry;
  func->name = name.text;
  func->results = results.first;
  func->params = params.first;
  parser->func = func;
  parser->last = NULL;
  parser->loc = NULL;
  memset(parser->locs, 0, sizeof parser->locs);
}

void parse_close_func(PtxParser *parser, bool has_body) {
  PtxModule *module = parser->module;
  parser->func->has_body = has_body;
  if (module->last_func)
    module->last_func->next = parser->func;
  else
    module->funcs = parser->func;
  module->last_func = parser->func;
  parser->func = NULL;
}

static uint32_t small_number(PtxParser *parser, const PtxOperand *number) {
  if (number->kind == OPERAND_INT && number->value <= UINT32_MAX) return (uint32_t)number->value;
  ptx_error(parser->error, number->pos, "number out of range");
  return 0;
}

void parse_threads(PtxParser *parser, PtxToken directive, PtxOperands numbers) {
  bool required = str_is(directive.text, ".reqntid"), cluster = str_is(directive.text, ".reqnctapercluster");
  if (str_is(directive.text, ".minnctapersm") && numbers.first)
    parser->func->minnctapersm = small_number(parser, numbers.first);
  if (str_is(directive.text, ".maxnreg") && numbers.first)
    parser->func->maxnreg = small_number(parser, numbers.first);
  if (!required && !cluster && !str_is(directive.text, ".maxntid")) return;
  if (numbers.n > 3) {
    ptx_error(parser->error, directive.pos, "%.*s takes up to three numbers", STR_ARG(directive.text));
    return;
  }
  uint32_t *extent = cluster    ? parser->func->cluster
                     : required ? parser->func->reqntid
                                : parser->func->maxntid;
  for (int i = 0; i < 3; i++) extent[i] = 1;
  for (const PtxOperand *number = numbers.first; number; number = number->next)
    *extent++ = small_number(parser, number);
}

// ---- variables ----

void parse_begin_vars(PtxParser *parser, PtxSpace space) {
  parser->space = space;
  parser->type = PTX_NONE;
  parser->align = 0;
  parser->vector = 1;
}

void parse_var_word(PtxParser *parser, PtxToken word) {
  Str name = {word.text.at + 1, word.text.n - 1};
  PtxType type = ptx_type(name);
  if (type)
    parser->type = type;
  else if (str_is(name, "v2"))
    parser->vector = 2;
  else if (str_is(name, "v4"))
    parser->vector = 4;
  else if (!str_is(name, "ptr"))
    ptx_error(parser->error, word.pos, "'.%.*s' is not known in a declaration", STR_ARG(name));
}

void parse_var_align(PtxParser *parser, PtxToken number) {
  uint32_t align = small_number(parser, parse_number(parser, number, false));
  if (align == 0 || (align & (align - 1)) || align > 4096)
    ptx_error(parser->error, number.pos, "an alignment is a power of two up to 4096");
  else if (parser->align == 0 || parser->space != SPACE_PARAM)
    parser->align = align;
}

static PtxVar *var_new(PtxParser *parser, PtxToken name) {
  PtxVar *var = ARENA_NEW(parser->arena, PtxVar);
  var->pos = name.pos;
  var->name = name.text;
  var->space = parser->space;
  var->type = parser->type;
  var->is_extern = parser->is_extern;
  var->vector = parser->vector;
  uint32_t natural = ptx_type_bytes(var->type) * parser->vector;
  var->align = parser->align > natural ? parser->align : natural;
  if (var->align == 0) var->align = 1;
  if (var->type == PTX_NONE) ptx_error(parser->error, name.pos, "'%.*s' has no type", STR_ARG(name.text));
  return var;
}

PtxVar *parse_var(PtxParser *parser, PtxToken name, PtxOperands dims, PtxOperand *init) {
  PtxVar *var = var_new(parser, name);
  if (var->space == SPACE_REG && (dims.n || init))
    ptx_error(parser->error, name.pos, "a register is one scalar or vector, without a value");
  if (var->space != SPACE_REG && var->type == PTX_PRED)
    ptx_error(parser->error, name.pos, "a predicate is a register");
  uint64_t bytes = (uint64_t)ptx_type_bytes(var->type) * parser->vector;
  for (const PtxOperand *dim = dims.first; dim; dim = dim->next) {
    uint64_t extent = dim->kind == OPERAND_INT ? dim->value : 0;
    if (extent > max_var_bytes || bytes * extent > max_var_bytes)
      ptx_error(parser->error, name.pos, "'%.*s' is too large", STR_ARG(name.text));
    else
      bytes *= extent;
  }
  var->bytes = bytes;
  var->init = init;
  return var;
}

PtxVar *parse_range(PtxParser *parser, PtxToken name, PtxToken count) {
  PtxVar *var = var_new(parser, name);
  var->range = small_number(parser, parse_number(parser, count, false));
  if (var->space != SPACE_REG || var->range == 0 || var->vector > 1)
    ptx_error(parser->error, name.pos, "only scalar registers have ranges, of at least one");
  return var;
}

PtxVars parse_append_var(PtxVars list, PtxVar *var) {
  if (list.last)
    list.last->next = var;
  else
    list.first = var;
  list.last = var;
  list.n++;
  return list;
}

void parse_module_vars(PtxParser *parser, PtxVars vars) {
  PtxVar *next;
  for (PtxVar *var = vars.first; var; var = next) {
    next = var->next;
    var->next = NULL;
    if (var->space != SPACE_GLOBAL && var->space != SPACE_CONST && var->space != SPACE_SHARED)
      ptx_error(parser->error, var->pos, "a module's variables are .global, .const or .shared");
    parser->module->vars = parse_append_var(parser->module->vars, var);
  }
}

// ---- statements ----

PtxStmt *parse_stmt(PtxParser *parser, PtxStmtKind kind, PtxToken token) {
  PtxStmt *stmt = ARENA_NEW(parser->arena, PtxStmt);
  stmt->kind = kind;
  stmt->pos = token.pos;
  stmt->loc = parser->loc;
  stmt->name = token.text;
  if (parser->last)
    parser->last->next = stmt;
  else
    parser->func->body = stmt;
  parser->last = stmt;
  return stmt;
}

void parse_vars_stmt(PtxParser *parser, PtxVars vars) {
  PtxStmt *stmt = parse_stmt(parser, STMT_VARS, (PtxToken){vars.first->pos, vars.first->name});
  stmt->vars = vars.first;
}

void parse_targets(PtxParser *parser, PtxToken token, PtxOperands labels) {
  PtxStmt *stmt = parser->last;
  if (!stmt || stmt->kind != STMT_LABEL) {
    ptx_error(parser->error, token.pos, ".branchtargets needs a label");
    return;
  }
  stmt->kind = STMT_TARGETS;
  stmt->operands = labels.first;
  stmt->count = labels.n;
}

void parse_insn(PtxParser *parser, PtxToken guard, bool guard_not, PtxToken opcode, PtxOperands operands) {
  PtxStmt *stmt = parse_stmt(parser, STMT_INSN, opcode);
  stmt->guard = guard.text;
  stmt->guard_not = guard_not;
  stmt->operands = operands.first;
  stmt->count = operands.n;
}

// A number after blanks. If `before` is not 0, that character must come first. 0: no number.
static uint32_t loc_number(Str *text, char before) {
  const char *at = text->at, *end = text->at + text->n;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  if (before && at < end && *at == before) at++, before = 0;
  uint32_t number = 0;
  for (; !before && at < end && *at >= '0' && *at <= '9'; at++) number = 10 * number + (uint32_t)(*at - '0');
  *text = (Str){at, (size_t)(end - at)};
  return number;
}

// One call of a .loc's comment: @ ["FILE"] LINE:COLUMN +LENGTH. NULL: none.
static PtxLoc *loc_call(PtxParser *parser, Str *text) {
  const char *end = text->at + text->n, *at = memchr(text->at, '@', text->n);
  if (!at++) return NULL;
  while (at < end && *at == ' ') at++;
  PtxLoc *call = ARENA_NEW(parser->arena, PtxLoc);
  if (at < end && *at == '"') {
    const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
    if (!close) return NULL;
    call->name = arena_copy(parser->arena, (Str){at + 1, (size_t)(close - at - 1)});
    at = close + 1;
  }
  *text = (Str){at, (size_t)(end - at)};
  call->line = loc_number(text, 0);
  call->column = loc_number(text, ':');
  call->length = loc_number(text, '+');
  return call;
}

static const PtxLoc **loc_bucket(PtxParser *parser, const PtxLoc *loc) {
  return &parser->locs[(loc->file * 31 + loc->line * 7 + loc->column) % LOC_BUCKETS];
}

// The call of `inlined_at FILE LINE COLUMN` (PTX ISA, debugging directives). The function's last .loc at that
// place says through which call the caller was inlined in turn. NULL: none.
static const PtxLoc *loc_caller(PtxParser *parser, Str text) {
  static const char word[] = "inlined_at";
  const char *at = text.at, *end = text.at + text.n;
  while (at < end && *at != '/' && ((size_t)(end - at) < sizeof word || memcmp(at, word, sizeof word - 1)))
    at++;
  if (at == end || *at == '/') return NULL;
  text = (Str){at + sizeof word - 1, (size_t)(end - at) - sizeof word + 1};
  PtxLoc *call = ARENA_NEW(parser->arena, PtxLoc);
  call->file = loc_number(&text, 0);
  call->line = loc_number(&text, 0);
  call->column = loc_number(&text, 0);
  for (const PtxLoc *l = *loc_bucket(parser, call); l; l = l->earlier)
    if (l->file == call->file && l->line == call->line && l->column == call->column) return l;
  return call->line ? call : NULL;
}

// .loc FILE LINE COLUMN[, function_name ..., inlined_at ...] [// +LENGTH [$PARAM:BYTES] [@ ...]...]
void ptx_parse_loc(PtxParser *parser, PtxToken token) {
  Str text = {token.text.at + 4, token.text.n - 4};
  PtxLoc *loc = ARENA_NEW(parser->arena, PtxLoc);
  loc->file = loc_number(&text, 0);
  loc->line = loc_number(&text, 0);
  loc->column = loc_number(&text, 0);
  loc->call = loc_caller(parser, text);
  loc->inlined_at = loc->call != NULL;
  loc->earlier = *loc_bucket(parser, loc);
  *loc_bucket(parser, loc) = loc;
  parser->loc = loc->line ? loc : NULL;
  const char *slashes = memchr(text.at, '/', text.n);
  if (!slashes || slashes + 1 >= text.at + text.n || slashes[1] != '/') return;
  text = (Str){slashes + 2, (size_t)(text.at + text.n - slashes - 2)};
  loc->length = loc_number(&text, '+');
  loc->param = loc_number(&text, '$');
  loc->element = loc_number(&text, ':');
  if (loc->inlined_at) return;
  for (PtxLoc *last = loc; last; last = (PtxLoc *)last->call) last->call = loc_call(parser, &text);
}

// .file NUMBER "name"[, ...]
void parse_file(PtxParser *parser, PtxToken token) {
  Str text = token.text;
  const char *open = memchr(text.at, '"', text.n);
  const char *close = open ? memchr(open + 1, '"', (size_t)(text.at + text.n - open - 1)) : NULL;
  char *end;
  unsigned long number = strtoul(text.at + 5, &end, 10);
  if (!close || end > open) {
    ptx_error(parser->error, token.pos, ".file needs a number and a name");
    return;
  }
  PtxFile file = {(uint32_t)number, arena_copy(parser->arena, (Str){open + 1, (size_t)(close - open - 1)})};
  vec_push(parser->arena, &parser->module->files, file);
}

bool ptx_parse(Arena *arena, Str text, PtxModule *module, PtxError *error) {
  module->text = text;
  PtxLexer lexer = {text.at, text.at + text.n, text.at, 1};
  PtxParser parser = {.arena = arena, .module = module, .error = error};
  void *machine = PtxParseAlloc(malloc, &parser);
  if (!machine) fault_raise(FAULT_MEMORY, "no memory for the PTX parser");
  int kind = 1;
  while (kind > 0 && !error->pos.line) {
    PtxToken token;
    kind = ptx_lex(&lexer, &token);
    if (kind < 0)
      ptx_error(error, token.pos, "unexpected character or unterminated text");
    else
      PtxParse(machine, kind, token);
  }
  PtxParseFree(machine, free);
  return error->pos.line == 0;
}
