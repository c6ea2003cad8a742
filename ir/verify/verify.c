// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structural rules: modules, functions, regions, arity, attributes, scopes, use lists. The rules of types are
// in verify_types.c.
#include "ir/verify/verify.h"
#include "base/fault.h"

#include <stdarg.h>
#include <stdio.h>

#include "ir/memory/groups.h"
#include "ir/memory/tensor_map.h"
#include "ir/verify/verify_parts.h"

enum { MAX_DEPTH = 200 };

bool verify_fail(Verifier *v, const Op *op, const char *format, ...) {
  char message[600];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  Loc loc = op->loc.line || !v->func ? op->loc : v->func->loc;
  diag_error(v->diags, loc, "[T0000] %s: %s", op_info(op->kind)->name, message);
  return v->ok = false;
}

static void func_fail(Verifier *v, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void func_fail(Verifier *v, Loc loc, const char *format, ...) {
  char message[600];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  diag_error(v->diags, loc, "[T0000] kernel %s: %s", v->func ? v->func->name : "?", message);
  v->ok = false;
}

static void make_visible(Verifier *v, const Value *value) { v->visible[value->id] = value; }

static bool check_arity(Verifier *v, const Op *op) {
  uint32_t min = op_min_operands(op->kind), max = op_max_operands(op->kind);
  if (op->operand_count < min || op->operand_count > max) {
    if (min == max)
      verify_fail(v, op, "takes %u operands, not %u", min, op->operand_count);
    else if (max == UINT32_MAX)
      verify_fail(v, op, "takes %u operands or more, not %u", min, op->operand_count);
    else
      verify_fail(v, op, "takes %u to %u operands, not %u", min, max, op->operand_count);
    return false;
  }
  int8_t results = op_info(op->kind)->results;
  if (results >= 0 && op->result_count != (uint32_t)results)
    return verify_fail(v, op, "gives %d results, not %u", results, op->result_count);
  uint32_t regions = op->kind == OP_IF || op->kind == OP_WHILE ? 2 : op_has(op, CONTROL) ? 1 : 0;
  if (op->kind == OP_WARP_GROUPS) regions = groups_count(op);
  if (op->region_count != regions)
    return verify_fail(v, op, "has %u regions, not %u", regions, op->region_count);
  return true;
}

static bool has_attr_called(const Op *op, Str name) {
  for (uint32_t i = 0; i < op->attrs.n; i++)
    if (str_is(name, attr_info(op->attrs.at[i].key)->name)) return true;
  return false;
}

static bool check_attrs(Verifier *v, const Op *op) {
  bool ok = true;
  for (uint32_t i = 0; i < op->attrs.n; i++) {
    AttrKey key = op->attrs.at[i].key;
    if (i > 0 && op->attrs.at[i - 1].key >= key) verify_fail(v, op, "its attributes are sorted by key");
    if (op_attr_use(op->kind, key) == ATTR_UNKNOWN) {
      verify_fail(v, op, "takes no attribute '%s'", attr_info(key)->name);
      ok = false;
    }
  }
  const char *words = op_info(op->kind)->attrs;
  for (Str word; words_next(&words, &word);)
    if (word.at[word.n - 1] != '?' && !has_attr_called(op, word)) {
      verify_fail(v, op, "needs the attribute '%.*s'", (int)word.n, word.at);
      ok = false;
    }
  return ok;
}

// No op takes bytes by value. Only an operand called `map` takes a tensor map.
static bool takes_type(const Op *op, uint32_t i, const Type *type) {
  if (!type_is_by_value(type)) return true;
  const char *words = op_info(op->kind)->operands;
  Str word = {0};
  for (uint32_t k = 0; k <= i && words_next(&words, &word);) k++;
  return type->kind == TYPE_TENSOR_MAP && str_is(word, "map");
}

static bool check_operands(Verifier *v, const Op *op) {
  bool good = true;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Use *use = &op->operands[i];
    if (!use->value || use->user != op) return verify_fail(v, op, "operand %u is not in a use list", i);
    uint32_t id = use->value->id;
    if (id >= v->func->value_count || v->visible[id] != use->value)
      return verify_fail(v, op, "operand %u is not defined before it, in its region or one around", i);
    if (!takes_type(op, i, use->value->type))
      return verify_fail(v, op, "operand %u is %s, which it does not take", i,
                         use->value->type->kind == TYPE_BYTES ? "bytes by value" : "a tensor map");
    v->uses[id]++;
    good = good && !v->bad[id];
  }
  return good;
}

static bool in_operands(const Use *use) {
  uintptr_t first = (uintptr_t)use->user->operands, at = (uintptr_t)use;
  return at >= first && at < first + use->user->operand_count * sizeof *use;
}

// Called after all possible uses of the value.
static void check_uses(Verifier *v, const Value *value, Loc loc) {
  uint32_t n = 0;
  const Use *last = NULL;
  for (const Use *use = value->first_use; use; last = use, use = use->next, n++)
    if (use->value != value || use->prev != last || !use->user || !in_operands(use) ||
        n >= v->uses[value->id]) {
      func_fail(v, loc, "the use list of value %u is broken", value->id);
      return;
    }
  if (n != v->uses[value->id] || value->last_use != last)
    func_fail(v, loc, "value %u has %u uses, its use list %u", value->id, v->uses[value->id], n);
}

static bool has_good_type(Verifier *v, const Op *op, const Value *value, const char *what) {
  bool before = v->ok;
  v->ok = true;
  verify_type(v, op, value->type, what);
  bool good = v->ok;
  v->ok = before && good;
  v->bad[value->id] = !good;
  return good;
}

static bool check_own_types(Verifier *v, const Op *op) {
  bool good = true;
  v->warps = region_warps(op);
  char what[40];
  for (uint32_t i = 0; i < op->result_count; i++) {
    snprintf(what, sizeof what, "result %u", i);
    good = has_good_type(v, op, &op->results[i], what) && good;
  }
  for (uint32_t r = 0; r < op->region_count; r++) {
    v->warps = region_warps_of(op->regions[r]).count;
    for (uint32_t i = 0; i < op->regions[r]->arg_count; i++) {
      snprintf(what, sizeof what, "argument %u", i);
      good = has_good_type(v, op, op->regions[r]->args[i], what) && good;
    }
  }
  v->warps = region_warps(op);
  return good;
}

// Checks that a host region contains only allowed ops: it runs before the launch.
static void check_on_host(Verifier *v, const Op *op) {
  const char *name = host_info(v->host->kind)->name;
  bool allowed = op_has(op, PURE) || op_has(op, CONTROL) || op->kind == OP_YIELD;
  bool grid = op->kind == OP_NUM_PROGRAMS && v->host->kind != HOST_GUARD;
  if (!allowed || op->kind == OP_PROGRAM_ID || grid) verify_fail(v, op, "a %s cannot use it", name);
  for (uint32_t i = 0; i < op->result_count; i++)
    if (op->results[i].type->kind == TYPE_TILE) verify_fail(v, op, "a %s computes with scalars only", name);
}

static const Type *map_type(const Func *func, const char *name) {
  for (uint32_t i = func_visible_params(func); i < func->param_count; i++)
    if (func->params[i].name == name && func->params[i].hidden == HIDDEN_TENSOR_MAP)
      return func->params[i].type;
  return NULL;
}

// Checks the yielded values of a map: base, sizes, all strides except the innermost.
static void check_map_yields(Verifier *v, const Op *yield) {
  const Type *map = map_type(v->func, v->host->name);
  if (!map) {
    func_fail(v, v->func->loc, "no tensor map is the map %s's",
              v->host->name ? v->host->name : "without a name");
    return;
  }
  if (yield->operand_count != 2u * map->rank) {
    verify_fail(v, yield, "a map of %u dimensions has %u values, not %u", map->rank, 2u * map->rank,
                yield->operand_count);
    return;
  }
  const Type *base = yield->operands[0].value->type;
  if (base->kind != TYPE_PTR || type_element_bytes(base->inner) != elem_bytes(map->elem))
    verify_fail(v, yield, "a map's base points to %s, it is not %s", elem_info(map->elem)->name,
                verify_type_text(v, base));
  for (uint32_t i = 1; i < yield->operand_count; i++) {
    const Type *type = yield->operands[i].value->type;
    if (type->kind != TYPE_SCALAR || type->elem != ELEM_I64)
      verify_fail(v, yield, "a map's sizes and strides are i64, not %s", verify_type_text(v, type));
  }
}

static void check_host_yields(Verifier *v, const Op *yield) {
  if (v->host->kind == HOST_MAP) {
    check_map_yields(v, yield);
    return;
  }
  const HostInfo *info = host_info(v->host->kind);
  uint32_t texts = 0;
  while (texts < HOST_VALUES && v->host->text[texts]) texts++;
  if (yield->operand_count < info->least || yield->operand_count > info->most)
    verify_fail(v, yield, "a %s has %u to %u %ss, not %u", info->name, info->least, info->most, info->value,
                yield->operand_count);
  else if (texts && texts != yield->operand_count)
    verify_fail(v, yield, "%u %ss for the %u expressions of the %s", yield->operand_count, info->value, texts,
                info->name);
  for (uint32_t i = 0; i < yield->operand_count; i++) {
    const Type *type = yield->operands[i].value->type;
    if (type->kind != TYPE_SCALAR || type->elem != info->elem)
      verify_fail(v, yield, "a %s's %ss are %s, not %s", info->name, info->value, elem_info(info->elem)->name,
                  verify_type_text(v, type));
  }
}

// The name of the function's outermost region.
static const char *outer_name(const Verifier *v) { return v->host ? host_info(v->host->kind)->name : "body"; }

// The region must end with its terminator, and contain no other one.
static void check_end(Verifier *v, const Region *region, Loc loc) {
  OpKind wanted = region == v->func->body ? OP_RETURN : OP_YIELD;
  if (!region->last || region->last->kind != wanted) {
    if (region->parent)
      verify_fail(v, region->parent, "its region does not end with %s", op_info(wanted)->name);
    else
      func_fail(v, loc, "the %s does not end with %s", outer_name(v), op_info(wanted)->name);
  }
  for (const Op *op = region->first; op && op->next; op = op->next)
    if (op_has(op, TERMINATOR)) verify_fail(v, op, "is before the end of its region");
}

static void check_region(Verifier *v, const Region *region, Loc loc, int depth);

// An operand that can only be a scratch buffer must be a buffer.
static void check_last_operand(Verifier *v, const Op *op) {
  uint32_t most = op_max_operands(op->kind);
  if (op->operand_count != most || !op_takes_scratch(op->kind) || op_scratch(op)) return;
  verify_fail(v, op, "the last operand, its scratch, is a shared buffer, not %s",
              verify_type_text(v, op->operands[most - 1].value->type));
}

// Checks an op. The later checks need its plan and its scratch, so they run only if those are correct.
static void check_op(Verifier *v, const Op *op, int depth) {
  bool before = v->ok;
  v->ok = true;
  bool good = check_arity(v, op) && check_attrs(v, op) && check_operands(v, op);
  good = check_own_types(v, op) && good;
  if (good) check_last_operand(v, op);
  if (good) verify_op_types(v, op);
  if (v->host) check_on_host(v, op);
  for (uint32_t i = 0; i < op->region_count; i++) {
    if (op->regions[i]->parent != op || op->regions[i]->func != v->func)
      verify_fail(v, op, "region %u belongs to another op", i);
    else
      check_region(v, op->regions[i], op->loc, depth + 1);
  }
  if (good && v->ok) verify_plan(v, op);
  if (good && v->ok && op_scratch(op)) verify_scratch(v, op);
  v->ok = v->ok && before;
  for (uint32_t i = 0; i < op->result_count; i++) {
    if (op->results[i].def != op || op->results[i].index != i)
      verify_fail(v, op, "result %u does not know its op", i);
    make_visible(v, &op->results[i]);
  }
}

static void leave_region(Verifier *v, const Region *region, Loc loc) {
  for (uint32_t i = 0; i < region->arg_count; i++) {
    check_uses(v, region->args[i], loc);
    v->visible[region->args[i]->id] = NULL;
  }
  for (const Op *op = region->first; op; op = op->next)
    for (uint32_t i = 0; i < op->result_count; i++) {
      check_uses(v, &op->results[i], op->loc);
      v->visible[op->results[i].id] = NULL;
    }
}

static void check_region(Verifier *v, const Region *region, Loc loc, int depth) {
  if (depth > MAX_DEPTH) {
    func_fail(v, loc, "regions nest deeper than %d", MAX_DEPTH);
    return;
  }
  bool before = v->ok;
  v->ok = true;
  for (uint32_t i = 0; i < region->arg_count; i++) make_visible(v, region->args[i]);
  const Op *last = NULL;
  for (const Op *op = region->first; op; last = op, op = op->next) {
    if (op->region != region || op->prev != last)
      verify_fail(v, op, "the list of its region's ops is broken");
    check_op(v, op, depth);
  }
  check_end(v, region, loc);
  const Op *end = region->last;
  if (end && end->kind == OP_YIELD && v->ok) {
    if (region->parent)
      verify_yields(v, end, region->parent);
    else
      check_host_yields(v, end);
  }
  if (v->ok) leave_region(v, region, loc);
  v->ok = v->ok && before;
}

// The body's arguments are the parameters. The host regions' are the visible ones.
static void check_args(Verifier *v, const Region *region) {
  const Func *func = v->func;
  uint32_t count = v->host ? func_visible_params(func) : func->param_count;
  bool same = region->arg_count == count;
  for (uint32_t i = 0; same && i < count; i++) same = region->args[i]->type == func->params[i].type;
  if (!same) func_fail(v, func->loc, "the arguments of the %s are not the parameters", outer_name(v));
}

// A tensor map must be hidden, with a region of its name, and have a type that the hardware supports.
static void check_map_param(Verifier *v, const FuncParam *param) {
  bool hidden = param->hidden == HIDDEN_TENSOR_MAP, is_map = param->type->kind == TYPE_TENSOR_MAP;
  const char *fault = is_map ? tensor_map_type_fault(&v->scratch, param->type) : NULL;
  if (is_map != hidden)
    func_fail(v, param->loc, "the parameter %s is %s", param->name,
              hidden ? "hidden as a tensor map, but is none"
                     : "a tensor map: it is made by a map in the kernel's head");
  else if (is_map && !func_host(v->func, HOST_MAP, param->name))
    func_fail(v, param->loc, "the tensor map %s has no region that makes it", param->name);
  else if (fault)
    func_fail(v, param->loc, "the tensor map %s: %s", param->name, fault);
}

static void check_param(Verifier *v, const FuncParam *param) {
  const Type *type = param->type;
  if (type->kind == TYPE_TENSOR_MAP || param->hidden == HIDDEN_TENSOR_MAP) check_map_param(v, param);
  if (!name_is_plain(str_from(param->name)))
    func_fail(v, param->loc, "'%.40s' is not a parameter name", param->name);
  if (type->kind != TYPE_SCALAR && type->kind != TYPE_PTR && !type_is_by_value(type))
    func_fail(v, param->loc, "the parameter %s is a scalar or a pointer, not %s", param->name,
              verify_type_text(v, type));
  else if (param->hidden == HIDDEN_SCRATCH && type->kind != TYPE_PTR)
    func_fail(v, param->loc, "the parameter %s, scratch memory, is a pointer", param->name);
  else if (param->hidden == HIDDEN_PROGRAMS && !type_is_elem(type, ELEM_I32))
    func_fail(v, param->loc, "the parameter %s, a number of programs, is i32", param->name);
  else if (param->facts.equal1 && (!type_is_int(type)))
    func_fail(v, param->loc, "the parameter %s, known to be 1, is an integer", param->name);
  else if (param->facts.divisible16 && (type_is_float(type) || type_is_by_value(type)))
    func_fail(v, param->loc, "the parameter %s, known to be divisible by 16, is an integer or a pointer",
              param->name);
  else if (param->facts.divisible16 && param->facts.equal1)
    func_fail(v, param->loc, "the parameter %s is not both 1 and divisible by 16", param->name);
  else if (param->facts.none &&
           (type->kind != TYPE_PTR || type->inner->kind != TYPE_SCALAR || type->inner->elem != ELEM_I8))
    func_fail(v, param->loc, "the parameter %s, given as None, is *i8", param->name);
}

// The parameters with the numbers of programs: none, or three consecutive ones.
static void check_programs(Verifier *v) {
  const Func *func = v->func;
  uint32_t first = func_programs_param(func), count = 0;
  for (uint32_t i = first; i < func->param_count; i++) {
    const FuncParam *param = &func->params[i];
    if (param->hidden != HIDDEN_PROGRAMS) continue;
    if (i != first + count++)
      func_fail(v, param->loc, "the parameter %s, a number of programs, is not next to the others",
                param->name);
  }
  if (count && count != PROGRAM_AXES)
    func_fail(v, func->params[first].loc, "%u parameters are numbers of programs; a persistent kernel has %d",
              count, PROGRAM_AXES);
}

static void check_params(Verifier *v) {
  const Func *func = v->func;
  Interner names = {.arena = &v->scratch};
  for (uint32_t i = 0; i < func->param_count; i++) {
    intern(&names, str_from(func->params[i].name));
    if (names.table.n != i + 1) {
      func_fail(v, func->params[i].loc, "two parameters are named %s", func->params[i].name);
      return;
    }
    check_param(v, &func->params[i]);
    if (i > 0 && func->params[i - 1].hidden && !func->params[i].hidden)
      func_fail(v, func->params[i].loc, "the parameter %s comes after a hidden one", func->params[i].name);
    if (i > 0 && func->params[i - 1].hidden == HIDDEN_TENSOR_MAP && func->params[i].hidden &&
        func->params[i].hidden != HIDDEN_TENSOR_MAP)
      func_fail(v, func->params[i].loc, "the parameter %s comes after a tensor map", func->params[i].name);
  }
  check_programs(v);
  if (func_maps(func) > MAX_TENSOR_MAPS)
    func_fail(v, func->loc, "%u tensor maps, more than %d", func_maps(func), MAX_TENSOR_MAPS);
  for (uint32_t i = 0; i < func->constexpr_count; i++)
    if (!name_is_plain(str_from(func->constexprs[i].name)))
      func_fail(v, func->loc, "'%.40s' is not a constexpr name", func->constexprs[i].name);
}

static void check_func(Verifier *v, Func *func) {
  v->func = func;
  func_number(func);
  v->visible = ARENA_ARRAY(&v->scratch, const Value *, func->value_count);
  v->uses = ARENA_ARRAY(&v->scratch, uint32_t, func->value_count);
  v->bad = ARENA_ARRAY(&v->scratch, bool, func->value_count);
  if (!name_is_plain(str_from(func->name))) func_fail(v, func->loc, "that is not a kernel name");
  check_params(v);
  v->host = NULL;
  check_args(v, func->body);
  check_region(v, func->body, func->loc, 0);
  if (v->ok) verify_groups(v);
  if (v->ok) verify_rings(v);
  for (uint32_t i = 0; i < func->host.n; i++) {
    v->host = func->host.at[i];
    check_args(v, v->host->region);
    check_region(v, v->host->region, func->loc, 0);
  }
}

static bool check_target(const Target *target, Diags *diags) {
  uint32_t warps = target->num_warps, before = diags->errors;
  if (!target->arch) diag_error(diags, LOC_NONE, "[T0000] module: no target");
  if (warps < 1 || warps > NUM_WARPS_MAX || (warps & (warps - 1)) != 0)
    diag_error(diags, LOC_NONE, "[T0000] module: num_warps is a power of two from 1 to %d, not %u",
               NUM_WARPS_MAX, warps);
  if (target->num_stages < 1 || target->num_stages > NUM_STAGES_MAX)
    diag_error(diags, LOC_NONE, "[T0000] module: num_stages is 1 to %d, not %u", NUM_STAGES_MAX,
               target->num_stages);
  if (target->maxnreg > MAXNREG_MAX)
    diag_error(diags, LOC_NONE, "[T0000] module: maxnreg is at most %d, not %u", MAXNREG_MAX,
               target->maxnreg);
  if (target->opt_level > 3)
    diag_error(diags, LOC_NONE, "[T0000] module: opt_level is 0 to 3, not %u", target->opt_level);
  return diags->errors == before;
}

static void check_funcs(void *data) {
  Verifier *v = data;
  Interner names = {.arena = &v->scratch};
  for (uint32_t i = 0; i < v->module->funcs.n; i++) {
    Func *func = v->module->funcs.at[i];
    check_func(v, func);
    intern(&names, str_from(func->name));
    if (names.table.n == i + 1) continue;
    func_fail(v, func->loc, "two kernels have that name");
    break;
  }
}

static void free_scratch(void *data) { arena_free(&((Verifier *)data)->scratch); }

bool module_verify(IrModule *module, Diags *diags) {
  if (!check_target(&module->target, diags)) return false; // the layouts' rules depend on num_warps
  Verifier v = {.diags = diags, .module = module, .ok = true};
  fault_guard(check_funcs, free_scratch, &v);
  return v.ok;
}
