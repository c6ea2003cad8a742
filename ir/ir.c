// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of ops and attributes, contexts, modules, functions, and queries on ops.
#include "ir/ir.h"
#include <math.h>
#include "base/fault.h"
#include "base/integer.h"
#include "ir/build.h"
#include "ir/memory/groups.h"

static const OpInfo ops[] = {
#define X(name, spelling, operands, results, types, attrs, traits, sync, meaning)                            \
  {spelling, operands, types, attrs, sync, meaning, results},
#include "ir/ops.def"
#undef X
};

const uint32_t op_traits[OP_COUNT] = {
#define X(name, spelling, operands, results, types, attrs, traits, ...) traits,
#include "ir/ops.def"
#undef X
};

static const AttrInfo attrs[] = {
#define X(name, spelling, kind, meaning) {spelling, ATTR_KIND_##kind, meaning},
#include "ir/attrs.def"
#undef X
};

static const HostInfo hosts[] = {
#define X(name, spelling, value, least, most, elem) {spelling, value, least, most, ELEM_##elem},
#include "ir/host_regions.def"
#undef X
};

static const char *const dot_placements[] = {
#define X(name, spelling, meaning) spelling,
#include "ir/dot/dot_placements.def"
#undef X
};

static const char *const dot_instructions[] = {
#define X(name, spelling, ...) spelling,
#include "ir/dot/dot_instructions.def"
#undef X
};

const OpInfo *op_info(OpKind kind) {
  if ((unsigned)kind >= OP_COUNT) BUG("no op %u", (unsigned)kind);
  return &ops[kind];
}

bool op_parse_kind(Str name, OpKind *kind) {
  for (int i = 0; i < OP_COUNT; i++)
    if (str_is(name, ops[i].name)) {
      *kind = (OpKind)i;
      return true;
    }
  return false;
}

const AttrInfo *attr_info(AttrKey key) {
  if ((unsigned)key >= ATTR_COUNT) BUG("no attribute %u", (unsigned)key);
  return &attrs[key];
}

bool attr_parse_key(Str name, AttrKey *key) {
  for (int i = 0; i < ATTR_COUNT; i++)
    if (str_is(name, attrs[i].name)) {
      *key = (AttrKey)i;
      return true;
    }
  return false;
}

AttrWords attr_words(AttrKey key) {
  switch ((int)key) {
  case ATTR_PLACEMENT_A:
  case ATTR_PLACEMENT_B: return (AttrWords){dot_placements, sizeof dot_placements / sizeof *dot_placements};
  case ATTR_INSTRUCTION:
    return (AttrWords){dot_instructions, sizeof dot_instructions / sizeof *dot_instructions};
  default: BUG("attribute '%s' has no table of words", attr_info(key)->name);
  }
}

bool words_next(const char **words, Str *word) {
  const char *at = *words + strspn(*words, " ");
  *word = (Str){at, strcspn(at, " ")};
  *words = at + word->n;
  return word->n > 0;
}

const int64_t *op_printed_sizes(const Op *op, uint32_t operand) {
  const Attr *sizes = op_attr(op, ATTR_SIZES);
  uint32_t at = 0;
  for (uint32_t i = 0; i < operand; i++) at += op_operand(op, i)->type->rank;
  return sizes ? sizes->ints.at + at : NULL;
}

bool op_takes_scratch(OpKind kind) { return str_ends(str_from(op_info(kind)->operands), "scratch?"); }

Value *op_scratch(const Op *op) {
  Value *last = op->operand_count ? op->operands[op->operand_count - 1].value : NULL;
  if (!last || last->type->kind != TYPE_SHARED) return NULL;
  return op_takes_scratch(op->kind) ? last : NULL;
}

uint32_t op_min_operands(OpKind kind) {
  const char *words = op_info(kind)->operands;
  uint32_t n = 0;
  for (Str word; words_next(&words, &word);) n += word.at[word.n - 1] != '?' && word.at[word.n - 1] != '.';
  return n;
}

uint32_t op_max_operands(OpKind kind) {
  const char *words = op_info(kind)->operands;
  uint32_t n = 0;
  for (Str word; words_next(&words, &word); n++)
    if (word.at[word.n - 1] == '.') return UINT32_MAX;
  return n;
}

AttrUse op_attr_use(OpKind kind, AttrKey key) {
  const char *words = op_info(kind)->attrs;
  for (Str word; words_next(&words, &word);) {
    bool optional = word.at[word.n - 1] == '?';
    if (str_is((Str){word.at, word.n - optional}, attrs[key].name))
      return optional ? ATTR_OPTIONAL : ATTR_REQUIRED;
  }
  return ATTR_UNKNOWN;
}

void ir_context_init(IrContext *ir, Arena *arena, Sources *sources, Diags *diags) {
  *ir = (IrContext){.arena = arena, .sources = sources, .diags = diags, .names = {.arena = arena}};
}

const char *ir_name(IrContext *ir, Str text) { return intern(&ir->names, text); }

IrModule *module_new(IrContext *ir, const Target *target) {
  IrModule *module = ARENA_NEW(ir->arena, IrModule);
  module->ir = ir;
  module->target = *target;
  return module;
}

const char *const plan_names[PLAN_FLAGS + 1] = {
#define X(name, spelling, ...) spelling,
#include "ir/plan.def"
#undef X
    NULL};

bool module_takes_maps(const IrModule *module) {
  TmaUse use = module->target.tma;
  return use == TMA_ON || (use == TMA_AUTO && module->launched);
}

static Region *region_of_params(Func *func, uint32_t count) {
  Region *region = region_new(func, NULL);
  for (uint32_t i = 0; i < count; i++) region_add_arg(region, func->params[i].type, func->params[i].name);
  return region;
}

Func *func_new(IrModule *module, const char *name, Loc loc, const FuncParam *params, uint32_t param_count) {
  Func *func = ARENA_NEW(module->ir->arena, Func);
  func->name = ir_name(module->ir, str_from(name));
  func->loc = loc;
  func->module = module;
  func->params = ARENA_ARRAY(module->ir->arena, FuncParam, param_count);
  func->param_count = param_count;
  if (param_count) memcpy(func->params, params, param_count * sizeof *params);
  func->body = region_of_params(func, param_count);
  vec_push(module->ir->arena, &module->funcs, func);
  return func;
}

uint32_t func_visible_params(const Func *func) {
  uint32_t n = func->param_count;
  while (n > 0 && func->params[n - 1].hidden) n--;
  return n;
}

const HostInfo *host_info(HostKind kind) {
  if ((unsigned)kind >= HOST_COUNT) BUG("no host region %u", (unsigned)kind);
  return &hosts[kind];
}

const char *hidden_name(HiddenKind kind) {
  static const char *const names[HIDDEN_COUNT] = {NULL, "tensor_map", "scratch", "programs"};
  return names[kind];
}

HostRegion *func_host(const Func *func, HostKind kind, const char *name) {
  for (uint32_t i = 0; i < func->host.n; i++)
    if (func->host.at[i]->kind == kind && func->host.at[i]->name == name) return func->host.at[i];
  return NULL;
}

// The remainder of a number of programs.
static bool is_rest_of_programs(const Op *op) {
  const Op *divided = op->kind == OP_REM ? op_operand(op, 0)->def : NULL;
  return divided && divided->kind == OP_NUM_PROGRAMS;
}

bool func_asks_programs(const Func *func) {
  const HostRegion *guard = func_host(func, HOST_GUARD, NULL);
  for (const Op *op = guard ? guard->region->first : NULL; op; op = op->next)
    if (is_rest_of_programs(op)) return true;
  for (uint32_t i = 0; guard && i < guard->region->arg_count; i++)
    if (guard->region->args[i]->first_use) return false;
  return guard != NULL;
}

HostRegion *func_new_host(Func *func, HostKind kind, const char *name) {
  if (func_host(func, kind, name)) BUG("%s has two regions '%s'", func->name, host_info(kind)->name);
  HostRegion *host = ARENA_NEW(func->module->ir->arena, HostRegion);
  *host =
      (HostRegion){.kind = kind, .name = name, .region = region_of_params(func, func_visible_params(func))};
  vec_push(func->module->ir->arena, &func->host, host);
  return host;
}

void func_drop_host(Func *func, const HostRegion *host) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < func->host.n; i++)
    if (func->host.at[i] != host) func->host.at[kept++] = func->host.at[i];
  func->host.n = kept;
}

uint32_t func_programs_param(const Func *func) {
  uint32_t i = func_visible_params(func);
  while (i < func->param_count && func->params[i].hidden != HIDDEN_PROGRAMS) i++;
  return i;
}

void func_add_programs(Func *func, Value *programs[PROGRAM_AXES]) {
  static const char *const names[PROGRAM_AXES] = {"programs_x", "programs_y", "programs_z"};
  IrContext *ir = func->module->ir;
  const Type *i32 = type_scalar(ir, ELEM_I32);
  uint32_t n = func->param_count;
  FuncParam *params = ARENA_ARRAY(ir->arena, FuncParam, n + PROGRAM_AXES);
  if (n) memcpy(params, func->params, n * sizeof *params);
  for (uint32_t d = 0; d < PROGRAM_AXES; d++) {
    const char *name = names[d];
    for (uint32_t i = 0; i < n; i++)
      if (strcmp(params[i].name, name) == 0) name = arena_printf(ir->arena, "_%s", name), i = UINT32_MAX;
    name = ir_name(ir, str_from(name));
    params[n + d] = (FuncParam){.name = name, .type = i32, .hidden = HIDDEN_PROGRAMS, .loc = func->loc};
    programs[d] = region_add_arg(func->body, i32, name);
  }
  func->params = params;
  func->param_count = n + PROGRAM_AXES;
}

const char *programs_fault(const int64_t grid[3]) {
  const int64_t most = INT32_MAX - (1 << 20); // more than the CTAs of a device at once
  bool fits = grid[0] <= most && (!grid[0] || grid[1] <= most / grid[0]);
  fits = fits && (!grid[0] || !grid[1] || grid[2] <= most / grid[0] / grid[1]);
  return fits ? NULL : "the launch has more than 2^31 - 2^20 programs";
}

Value *func_new_map(Func *func, const char *name, const Type *type, HostRegion **host) {
  uint32_t n = func->param_count;
  FuncParam *params = ARENA_ARRAY(func->module->ir->arena, FuncParam, n + 1);
  if (type->kind != TYPE_TENSOR_MAP) BUG("a map that is not a tensor_map");
  if (n) memcpy(params, func->params, n * sizeof *params);
  params[n] = (FuncParam){.name = name, .type = type, .hidden = HIDDEN_TENSOR_MAP, .loc = func->loc};
  func->params = params;
  func->param_count = n + 1;
  *host = func_new_host(func, HOST_MAP, name);
  return region_add_arg(func->body, type, name);
}

RegionWarps region_warps_of(const Region *region) {
  RegionWarps warps = {0, region->func->module->target.num_warps};
  group_region_warps(region, &warps);
  return warps;
}

uint32_t region_warps(const Op *op) { return region_warps_of(op->region).count; }
uint32_t region_warp_bits_of(const Region *region) { return log2_ceil(region_warps_of(region).count); }
uint32_t region_warp_bits(const Op *op) { return region_warp_bits_of(op->region); }
uint32_t region_threads(const Op *op) { return 32 * region_warps(op); }

uint32_t func_warps(const Func *func) {
  const Op *groups = func_groups(func);
  if (!groups) return func->module->target.num_warps;
  uint32_t warps = 0;
  for (uint32_t i = 0; i < groups_count(groups); i++) warps += group_warps(groups, i);
  return warps;
}

static void number_region(Func *func, Region *region) {
  for (uint32_t i = 0; i < region->arg_count; i++) region->args[i]->id = func->value_count++;
  for (Op *op = region->first; op; op = op->next) {
    op->id = func->op_count++;
    for (uint32_t i = 0; i < op->result_count; i++) op->results[i].id = func->value_count++;
    for (uint32_t i = 0; i < op->region_count; i++) number_region(func, op->regions[i]);
  }
}

void func_number(Func *func) {
  func->value_count = func->op_count = 0;
  number_region(func, func->body);
  for (uint32_t i = 0; i < func->host.n; i++) number_region(func, func->host.at[i]->region);
}

static uint32_t attr_place(const Op *op, AttrKey key) {
  uint32_t i = 0;
  while (i < op->attrs.n && op->attrs.at[i].key < key) i++;
  return i;
}

static bool same_ints(const Attr *a, const Attr *b) {
  if (a->ints.n != b->ints.n) return false;
  for (uint32_t i = 0; i < a->ints.n; i++)
    if (a->ints.at[i] != b->ints.at[i]) return false;
  return true;
}

// Same key and value; distinguishes the zeros.
static bool attr_same(const Attr *a, const Attr *b) {
  if (a->key != b->key) return false;
  switch (attr_info(a->key)->kind) {
  case ATTR_KIND_INT:
  case ATTR_KIND_ENUM: return a->i == b->i;
  case ATTR_KIND_FLOAT: return memcmp(&a->f, &b->f, sizeof a->f) == 0; // distinguishes the zeros
  case ATTR_KIND_STR: return a->str == b->str;
  case ATTR_KIND_FLAG: return true;
  case ATTR_KIND_INTS: return same_ints(a, b);
  case ATTR_KIND_LAYOUT: return a->layout == b->layout;
  }
  return false;
}

bool op_same_attrs(const Op *a, const Op *b) {
  if (a->attrs.n != b->attrs.n) return false;
  for (uint32_t i = 0; i < a->attrs.n; i++)
    if (!attr_same(&a->attrs.at[i], &b->attrs.at[i])) return false;
  return true;
}

const Attr *op_attr(const Op *op, AttrKey key) {
  uint32_t i = attr_place(op, key);
  return i < op->attrs.n && op->attrs.at[i].key == key ? &op->attrs.at[i] : NULL;
}

bool math_of(const Op *op, MathFunction *function) {
  const Attr *attr = op->kind == OP_MATH ? op_attr(op, ATTR_FUNCTION) : NULL;
  return attr && math_parse(str_from(attr->str), function);
}

// The pairs are spread evenly over the group.
bool math_has_polynomial(const Op *op, uint32_t r) {
  const uint32_t pairs = POLYNOMIAL_GROUP / 2;
  uint32_t share = (uint32_t)op_int(op, ATTR_POLYNOMIAL, 0) / 2, pair = r / 2 % pairs;
  return (pair + 1) * share / pairs > pair * share / pairs;
}

int64_t op_int(const Op *op, AttrKey key, int64_t otherwise) {
  const Attr *attr = op_attr(op, key);
  return attr ? attr->i : otherwise;
}

void op_set_attr(Op *op, Attr attr) {
  if (!op->region) BUG("an attribute for an op (%s) that is not inserted", op_info(op->kind)->name);
  uint32_t i = attr_place(op, attr.key);
  if (i == op->attrs.n || op->attrs.at[i].key != attr.key) {
    vec_push(op->region->func->module->ir->arena, &op->attrs, attr);
    memmove(op->attrs.at + i + 1, op->attrs.at + i, (op->attrs.n - 1 - i) * sizeof attr);
  }
  op->attrs.at[i] = attr;
}

void op_remove_attr(Op *op, AttrKey key) {
  uint32_t i = attr_place(op, key);
  if (i == op->attrs.n || op->attrs.at[i].key != key) return;
  op->attrs.n--;
  memmove(op->attrs.at + i, op->attrs.at + i + 1, (op->attrs.n - i) * sizeof *op->attrs.at);
}

bool op_is_dead(const Op *op) {
  if (op->kind == OP_INLINE_ASM) return op_attr(op, ATTR_PURE) != NULL;
  if (op_has_any(op, WRITES | TERMINATOR) || op_attr(op, ATTR_VOLATILE)) return false;
  for (OpWalk w = ops_inside(op); ops_next(&w);)
    if (!op_has_any(w.op, TERMINATOR | CONTROL) && !op_is_dead(w.op)) return false;
  return true;
}

static const Attr *constant_attr(const Value *value, AttrKey key) {
  const Op *op = value->def;
  while (op && op->kind == OP_SPLAT) op = op->operands[0].value->def;
  return op && op->kind == OP_CONSTANT ? op_attr(op, key) : NULL;
}

bool value_int_constant(const Value *value, int64_t *constant) {
  const Attr *attr = constant_attr(value, ATTR_VALUE);
  if (attr) *constant = attr->i;
  return attr != NULL;
}

bool value_float_constant(const Value *value, double *constant) {
  const Attr *attr = constant_attr(value, ATTR_FVALUE);
  if (attr) memcpy(constant, &attr->f, sizeof *constant);
  return attr != NULL;
}

bool value_is_zero(const Value *value) {
  double d;
  if (value_float_constant(value, &d)) return d == 0 && !signbit(d);
  return value_is_int(value, 0);
}
