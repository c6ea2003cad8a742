// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses tile IR's text form (grammar: docs/tir.md) by recursive descent with one token of lookahead. The
// EBNF of a rule is above its function.
#include "ir/text/parse.h"

#include "base/hash.h"
#include "ir/build.h"
#include "ir/text/parse_parts.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"

enum { MAX_REGION_DEPTH = 100, MAX_TEXT = 256 << 20, MAX_PARAMS = 4096, MAX_ALIASES = 10000 };

static Arena *arena_of(Parser *p) { return p->ir->arena; }

static bool has_name(const void *named, const void *name) {
  return ((const NamedValue *)named)->name == name;
}

static uint64_t hash_name(const char *name) { return hash_bytes(name, strlen(name)); }

static NamedValue *find_named(const Parser *p, const char *name) {
  return table_find(&p->bindings, hash_name(name), name, has_name);
}

// A name of only digits is a number from printing. Other names become the value's hint.
static void bind_value(Parser *p, const char *name, Loc loc, Value *value) {
  if (p->failed) return;
  void **place = table_place(&p->bindings, arena_of(p), hash_name(name), name, has_name);
  if (!*place) *place = ARENA_NEW(arena_of(p), NamedValue);
  NamedValue *named = *place;
  if (named->value) {
    parser_fail(p, loc, "%%%s is defined already", name);
    return;
  }
  *named = (NamedValue){name, value};
  if (name_is_plain(str_from(name))) value->name = name;
  vec_push(arena_of(p), &p->visible, name);
}

static void leave_scope(Parser *p, uint32_t mark) {
  while (p->visible.n > mark) find_named(p, vec_pop(&p->visible))->value = NULL;
}

static Value *use_value(Parser *p) {
  Loc loc = p->token.loc;
  const char *name = parser_name(p, TOKEN_VALUE, "a value (%name)");
  if (!name) return NULL;
  const NamedValue *named = find_named(p, name);
  if (!named || !named->value) parser_fail(p, loc, "%%%s is not defined here", name);
  return p->failed ? NULL : named->value;
}

// ints := '[' [INTEGER {',' INTEGER}] ']'
static void parse_ints(Parser *p, Attr *attr) {
  VEC(int64_t) ints = {0};
  parser_expect(p, '[');
  if (!parser_is(p, ']')) {
    do vec_push(arena_of(p), &ints, parser_i64(p));
    while (parser_take(p, ',') && !p->failed);
  }
  parser_expect(p, ']');
  attr->ints.at = ints.at;
  attr->ints.n = ints.n;
}

// Parses one of the attribute's words, in quotes.
static void parse_word(Parser *p, Attr *attr) {
  AttrWords words = attr_words(attr->key);
  Loc loc = p->token.loc;
  const char *word = parser_string(p);
  for (attr->i = 0; attr->i < words.n && strcmp(words.at[attr->i], word) != 0;) attr->i++;
  if (!p->failed && attr->i == words.n)
    parser_fail(p, loc, "'%s' is never \"%s\"", attr_info(attr->key)->name, word);
}

// attr := KEY ['=' value], as the attribute's kind asks
static void parse_attr(Parser *p, Op *op) {
  const char *names[ATTR_COUNT];
  for (int i = 0; i < ATTR_COUNT; i++) names[i] = attr_info((AttrKey)i)->name;
  Loc loc = p->token.loc;
  Attr attr = {0};
  if (p->token.kind != TOKEN_WORD)
    parser_expected(p, "an attribute");
  else if (!attr_parse_key(p->token.text, &attr.key))
    parser_unknown(p, "attribute", names, ATTR_COUNT);
  parser_advance(p);
  if (p->failed) return;
  AttrKind kind = attr_info(attr.key)->kind;
  if (kind != ATTR_KIND_FLAG) parser_expect(p, '=');
  switch (kind) {
  case ATTR_KIND_INT: attr.i = parser_i64(p); break;
  case ATTR_KIND_FLOAT: attr.f = parser_double(p); break;
  case ATTR_KIND_STR: attr.str = parser_string(p); break;
  case ATTR_KIND_FLAG: break;
  case ATTR_KIND_INTS: parse_ints(p, &attr); break;
  case ATTR_KIND_LAYOUT: attr.layout = parse_layout(p); break;
  case ATTR_KIND_ENUM: parse_word(p, &attr); break;
  }
  if (!p->failed && op_attr(op, attr.key))
    parser_fail(p, loc, "attribute '%s' is given twice", names[attr.key]);
  if (!p->failed) op_set_attr(op, attr);
}

static void parse_ops(Parser *p, Region *region);

// region := ('do' | 'then' | 'else' | 'test') ['(' arg {',' arg} ')'] '{' {op} '}'     arg := VALUE ':' type
static void parse_region(Parser *p, Op *op) {
  if (p->depth == MAX_REGION_DEPTH)
    parser_fail(p, p->token.loc, "regions nest deeper than %d", MAX_REGION_DEPTH);
  parser_expect_word(p, region_word(op->kind, op->region_count));
  if (p->failed) return;
  Region *region = region_new(p->func, op);
  uint32_t mark = p->visible.n;
  p->depth++;
  if (parser_take(p, '(')) {
    do {
      Loc loc = p->token.loc;
      const char *name = parser_name(p, TOKEN_VALUE, "an argument (%name)");
      parser_expect(p, ':');
      const Type *type = parse_type(p);
      if (!p->failed) bind_value(p, name, loc, region_add_arg(region, type, NULL));
    } while (parser_take(p, ',') && !p->failed);
    parser_expect(p, ')');
  }
  parser_expect(p, '{');
  parse_ops(p, region);
  parser_expect(p, '}');
  p->depth--;
  leave_scope(p, mark);
}

typedef struct ResultName {
  const char *name;
  Loc loc;
} ResultName;

typedef struct OpParts {
  VEC(ResultName) names;
  VEC(Value *) operands;
  VEC(const Type *) types;
} OpParts;

static void parse_result_names(Parser *p, OpParts *parts) {
  if (p->token.kind != TOKEN_VALUE) return;
  do {
    Loc loc = p->token.loc;
    const char *name = parser_name(p, TOKEN_VALUE, "a result (%name)");
    vec_push(arena_of(p), &parts->names, ((ResultName){name, loc}));
  } while (parser_take(p, ',') && !p->failed);
  parser_expect(p, '=');
}

static void parse_operands(Parser *p, OpParts *parts) {
  if (p->token.kind != TOKEN_VALUE) return;
  do vec_push(arena_of(p), &parts->operands, use_value(p));
  while (parser_take(p, ',') && !p->failed);
}

static void parse_attrs(Parser *p, Op *op) {
  if (!parser_take(p, '{')) return;
  do parse_attr(p, op);
  while (parser_take(p, ',') && !p->failed);
  parser_expect(p, '}');
}

static void parse_types(Parser *p, OpParts *parts) {
  if (!parser_take(p, ':')) return;
  do vec_push(arena_of(p), &parts->types, parse_type(p));
  while (parser_take(p, ',') && !p->failed);
}

static bool parse_kind(Parser *p, OpKind *kind) {
  const char *names[OP_COUNT];
  for (int i = 0; i < OP_COUNT; i++) names[i] = op_info((OpKind)i)->name;
  if (p->token.kind != TOKEN_WORD)
    parser_expected(p, "an op");
  else if (!op_parse_kind(p->token.text, kind))
    parser_unknown(p, "op", names, OP_COUNT);
  parser_advance(p);
  return !p->failed;
}

static bool is_region_word(const Parser *p) {
  return parser_is_word(p, "do") || parser_is_word(p, "then") || parser_is_word(p, "else") ||
         parser_is_word(p, "test");
}

// The op gets its attributes in text order, before its results' types are known.
static void finish_op(Parser *p, OpParts *parts, Op *op, Loc loc) {
  if (parts->names.n != parts->types.n)
    parser_fail(p, loc, "%s has %u results but %u result types", op_info(op->kind)->name, parts->names.n,
                parts->types.n);
  if (p->failed) return;
  op->results = ARENA_ARRAY(arena_of(p), Value, parts->types.n);
  op->result_count = parts->types.n;
  for (uint32_t i = 0; i < parts->types.n; i++)
    op->results[i] = (Value){.type = parts->types.at[i], .def = op, .index = i};
  while (is_region_word(p) && !p->failed) parse_region(p, op);
  op->loc = parse_loc(p, loc);
  for (uint32_t i = 0; i < parts->names.n; i++)
    bind_value(p, parts->names.at[i].name, parts->names.at[i].loc, &op->results[i]);
}

// op := [VALUE {',' VALUE} '='] NAME [VALUE {',' VALUE}]
//       ['{' attr {',' attr} '}'] [':' type {',' type}] {region} [loc]
static void parse_op(Parser *p, Region *region) {
  OpParts parts = {0};
  OpKind kind;
  parse_result_names(p, &parts);
  Loc loc = p->token.loc;
  if (!parse_kind(p, &kind)) return;
  if (op_max_operands(kind) > 0) parse_operands(p, &parts); // otherwise a value begins the next op
  if (p->failed) return;
  Builder b = builder_inside(region, loc);
  Op *op = build_op(&b, kind, parts.operands.n, parts.operands.at, 0, NULL);
  parse_attrs(p, op);
  parse_types(p, &parts);
  if (!p->failed) finish_op(p, &parts, op, loc);
}

static void parse_ops(Parser *p, Region *region) {
  while (!p->failed && (p->token.kind == TOKEN_WORD || p->token.kind == TOKEN_VALUE)) parse_op(p, region);
}

static void parse_func_start(Parser *p, const char *name, Loc loc) {
  VEC(FuncParam) params = {0};
  parser_expect(p, '(');
  if (!parser_is(p, ')')) {
    do {
      if (params.n == MAX_PARAMS) parser_fail(p, p->token.loc, "more than %d parameters", MAX_PARAMS);
      vec_push(arena_of(p), &params, parse_param(p));
    } while (parser_take(p, ',') && !p->failed);
  }
  parser_expect(p, ')');
  if (!p->failed) p->func = func_new(p->module, name, loc, params.at, params.n);
}

static void bind_params(Parser *p, Region *region) {
  for (uint32_t i = 0; i < region->arg_count; i++)
    bind_value(p, p->func->params[i].name, p->func->params[i].loc, region->args[i]);
}

static bool take_host_word(Parser *p, HostKind *kind) {
  for (int i = 0; i < HOST_COUNT; i++) {
    *kind = (HostKind)i;
    if (parser_take_word(p, host_info(*kind)->name)) return true;
  }
  return false;
}

static void parse_host_ops(Parser *p, HostRegion *host) {
  parser_expect(p, '{');
  if (p->failed) return;
  uint32_t mark = p->visible.n;
  bind_params(p, host->region);
  parse_ops(p, host->region);
  parser_expect(p, '}');
  leave_scope(p, mark);
}

// map := 'map' VALUE ':' tensor_map [loc] '{' {op} '}'
static void parse_map(Parser *p) {
  Loc loc = p->token.loc;
  const char *name = parser_name(p, TOKEN_VALUE, "a map (%name)");
  if (name && !name_is_plain(str_from(name))) parser_fail(p, loc, "a map's name does not begin with a digit");
  if (name && func_host(p->func, HOST_MAP, name))
    parser_fail(p, loc, "the kernel has a map %%%s already", name);
  parser_expect(p, ':');
  Loc type_loc = p->token.loc;
  const Type *type = parse_type(p);
  if (!p->failed && type->kind != TYPE_TENSOR_MAP) parser_fail(p, type_loc, "a map is a tensor_map");
  if (p->failed) return;
  HostRegion *host;
  func_new_map(p->func, name, type, &host);
  p->func->params[p->func->param_count - 1].loc = parse_loc(p, loc);
  parse_host_ops(p, host);
}

// host := WORD [SYMBOL] '[' [STRING {',' STRING}] ']' '{' {op} '}'
// WORD: of host_regions.def, but map; the region's arguments are the parameters, by their names
static void parse_host(Parser *p, HostKind kind) {
  const HostInfo *info = host_info(kind);
  Loc loc = p->token.loc;
  const char *name = p->token.kind == TOKEN_SYMBOL ? parser_name(p, TOKEN_SYMBOL, "a name") : NULL;
  if (func_host(p->func, kind, name))
    parser_fail(p, loc, "the kernel has a %s%s%s already", info->name, name ? " @" : "", name ? name : "");
  if (p->failed) return;
  HostRegion *host = func_new_host(p->func, kind, name);
  parser_expect(p, '[');
  for (uint32_t n = 0; !p->failed && !parser_is(p, ']'); n++) {
    if (n == info->most)
      parser_fail(p, p->token.loc, "a %s has at most %u %ss", info->name, info->most, info->value);
    else if (n > 0)
      parser_expect(p, ',');
    const char *text = parser_string(p);
    if (!p->failed) host->text[n] = text;
  }
  parser_expect(p, ']');
  parse_host_ops(p, host);
}

// plan := 'plan' '=' '[' WORD {',' WORD} ']'
static void parse_plan(Parser *p) {
  if (p->failed || !parser_take_word(p, "plan")) return;
  parser_expect(p, '=');
  parser_expect(p, '[');
  do {
    int flag = 0;
    while (plan_names[flag] && !parser_is_word(p, plan_names[flag])) flag++;
    if (flag == PLAN_FLAGS) parser_expected(p, "what a kernel's plan says (ir/plan.def)");
    if (p->failed) return;
    func_set_plan(p->func, (PlanFlag)flag, true);
    parser_advance(p);
  } while (parser_take(p, ','));
  parser_expect(p, ']');
}

// kernel := 'kernel' SYMBOL '(' [param {',' param}] ')' [constexprs] {host | map} [plan]
//           ['min_blocks' '=' INTEGER] [loc] '{' {op} '}'
static void parse_kernel(Parser *p) {
  parser_expect_word(p, "kernel");
  Loc loc = p->token.loc;
  const char *name = parser_name(p, TOKEN_SYMBOL, "a kernel's name (@name)");
  if (name && !name_is_plain(str_from(name)))
    parser_fail(p, loc, "a kernel's name does not begin with a digit");
  if (p->failed) return;
  parse_func_start(p, name, loc);
  if (p->failed) return;
  parse_constexprs(p);
  for (HostKind kind; !p->failed && take_host_word(p, &kind);)
    kind == HOST_MAP ? parse_map(p) : parse_host(p, kind);
  parse_plan(p);
  if (!p->failed && parser_take_word(p, "min_blocks")) {
    parser_expect(p, '=');
    p->func->min_blocks = (uint32_t)parser_u64(p, UINT16_MAX, "min_blocks");
  }
  p->func->loc = parse_loc(p, loc);
  parser_expect(p, '{');
  bind_params(p, p->func->body);
  parse_ops(p, p->func->body);
  parser_expect(p, '}');
  leave_scope(p, 0);
}

// Finds the string among the names, a list that NULL ends. Reports an error with `what` and returns the first
// one if unknown.
static int parse_choice(Parser *p, const char *const *names, const char *what) {
  Loc loc = p->token.loc;
  const char *text = parser_string(p);
  for (int i = 0; names[i]; i++)
    if (strcmp(text, names[i]) == 0) return i;
  parser_fail(p, loc, "%s", what);
  return 0;
}

static void parse_arch(Parser *p, Target *target) {
  Loc loc = p->token.loc;
  const char *text = parser_string(p);
  if (!p->failed && !target_parse_arch(str_from(text), target))
    parser_fail(p, loc, "unknown target \"%.60s\"", text);
}

static void parse_option(Parser *p, Target *target, bool *final) {
  enum { OPTIONS = 16 };
  static const char *const names[OPTIONS] = {"target",          "num_warps",   "num_stages",        "maxnreg",
                                             "fp32_dot",        "fp_contract", "opt_level",         "debug",
                                             "fast_math",       "overlap",     "restrict_pointers", "tma",
                                             "warp_specialize", "epilogue",    "persistent",        "final"};
  int option = 0;
  while (option < OPTIONS && !parser_is_word(p, names[option])) option++;
  if (option == OPTIONS && p->token.kind == TOKEN_WORD)
    parser_unknown(p, "option", names, OPTIONS);
  else if (option == OPTIONS)
    parser_expected(p, "an option of the module");
  parser_advance(p);
  parser_expect(p, '=');
  if (p->failed) return;
  if (option == 0)
    parse_arch(p, target);
  else if (option == 1)
    target->num_warps = (uint16_t)parser_u64(p, UINT16_MAX, "num_warps");
  else if (option == 2)
    target->num_stages = (uint16_t)parser_u64(p, UINT16_MAX, "num_stages");
  else if (option == 3)
    target->maxnreg = (uint16_t)parser_u64(p, UINT16_MAX, "maxnreg");
  else if (option == 4)
    target->fp32_dot = (Fp32Dot)parse_choice(
        p, fp32_dot_names, "fp32_dot is \"ieee\", \"tf32\", \"tf32x3\", \"bf16x3\" or \"bf16x6\"");
  else if (option == 5)
    target->fp_contract = parser_either(p, "true", "false", "true or false");
  else if (option == 6)
    target->opt_level = (uint8_t)parser_u64(p, UINT8_MAX, "opt_level");
  else if (option == 7)
    target->debug = parser_either(p, "true", "false", "true or false");
  else if (option == 8)
    target->fast_math = parser_either(p, "true", "false", "true or false");
  else if (option == 9)
    target->overlap = parser_either(p, "true", "false", "true or false");
  else if (option == 10)
    target->restrict_pointers = parser_either(p, "true", "false", "true or false");
  else if (option == 11)
    target->tma = (TmaUse)parse_choice(p, tma_names, "tma is \"auto\", \"on\" or \"off\"");
  else if (option == 12)
    target->warp_roles =
        (WarpRoles)parse_choice(p, warp_roles_names, "warp_specialize is \"auto\", \"on\" or \"off\"");
  else if (option == 13)
    target->epilogue =
        (EpilogueUse)parse_choice(p, epilogue_names, "epilogue is \"auto\", \"on\" or \"off\"");
  else if (option == 14)
    target->persistent =
        (PersistUse)parse_choice(p, persist_names, "persistent is \"auto\", \"on\" or \"off\"");
  else
    *final = parser_either(p, "true", "false", "true or false");
}

// alias := ALIAS '=' layout
static void parse_alias(Parser *p) {
  Loc loc = p->token.loc;
  Alias alias = {.name = parser_name(p, TOKEN_ALIAS, "a layout's name (#name)")};
  if (p->aliases.n == MAX_ALIASES) parser_fail(p, loc, "more than %d layouts", MAX_ALIASES);
  for (uint32_t i = 0; i < p->aliases.n && !p->failed; i++)
    if (p->aliases.at[i].name == alias.name) parser_fail(p, loc, "#%s is defined already", alias.name);
  parser_expect(p, '=');
  alias.layout = parse_layout(p);
  vec_push(arena_of(p), &p->aliases, alias);
}

// module := {alias} 'module' [option {',' option}] '{' {kernel} '}'     option := NAME '=' value
static void parse_module(Parser *p) {
  while (p->token.kind == TOKEN_ALIAS && !p->failed) parse_alias(p);
  parser_expect_word(p, "module");
  Target target = target_default();
  bool final = false;
  if (!parser_is(p, '{')) {
    do parse_option(p, &target, &final);
    while (parser_take(p, ',') && !p->failed);
  }
  parser_expect(p, '{');
  if (p->failed) return;
  p->module = module_new(p->ir, &target);
  p->module->final = final;
  while (!p->failed && !parser_is(p, '}')) parse_kernel(p);
  parser_expect(p, '}');
  if (!p->failed && p->token.kind != TOKEN_END) parser_expected(p, "the end of the file");
}

IrModule *module_parse(IrContext *ir, uint16_t file) {
  if (file >= ir->sources->files.n) return NULL;
  Str text = ir->sources->files.at[file].text;
  Parser p = {.ir = ir, .lexer = {.text = {text.at ? text.at : "", text.n}, .file = file, .line = 1}};
  if (text.n > MAX_TEXT) parser_fail(&p, LOC_NONE, "the text is larger than %d bytes", MAX_TEXT);
  parser_advance(&p);
  parse_module(&p);
  if (p.failed || !module_verify(p.module, ir->diags)) return NULL;
  return p.module;
}
