// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a host region (a kernel's @grid, a tensor map's, the guard) as a C function. The function yields the
// evaluator's values: integers wrap and division truncates. It returns false where the evaluator reports an
// error (a division by zero). Ops that the yielded values depend on become statements, in the region's order.
#include <stdio.h>
#include "ir/number.h"
#include "aot/aot.h"

typedef enum Helper {
  HELPER_DIV,
  HELPER_UDIV,
  HELPER_SHL,
  HELPER_SHR,
  HELPER_USHR,
  HELPER_TO_INT,
  HELPER_COUNT
} Helper;

static const char *const helper_names[HELPER_COUNT] = {"div", "udiv", "shl", "shr", "ushr", "to_int"};
extern const char host_arithmetic[], host_arithmetic_end[]; // ir/arithmetic.h

// Writes the text around the function's name, between empty lines.
static void put_helper(const char *name, Buf *out) {
  char call[32];
  snprintf(call, sizeof call, " tilec_%s(", name);
  const char *at = strstr(host_arithmetic, call), *end = strstr(at, "\n\n");
  while (at[-1] != '\n' || at[-2] != '\n') at--;
  buf_printf(out, "\n%.*s\n", (int)(end - at), at);
}

void aot_host_helpers(uint32_t helpers, Buf *out) {
  for (int i = 0; i < HELPER_COUNT; i++)
    if (helpers & 1u << i) put_helper(helper_names[i], out);
}

typedef struct HostWriter {
  Arena *arena;
  Func *func;
  const HostRegion *host;
  Buf out;
  int depth;
  uint32_t helpers;
  bool *needed; // by value id
  bool *uses;   // by parameter index
  bool failed;
} HostWriter;

static void need(HostWriter *w, const Value *value);

static void need_yields(HostWriter *w, const Op *op) {
  for (uint32_t r = 0; r < op->region_count; r++) {
    const Op *yield = op->regions[r]->last;
    for (uint32_t i = 0; yield && i < yield->operand_count; i++) need(w, yield->operands[i].value);
  }
}

static void need(HostWriter *w, const Value *value) {
  if (w->needed[value->id]) return;
  w->needed[value->id] = true;
  if (!value->def) {
    if (!value->region->parent) w->uses[value->index] = true;
    return;
  }
  for (uint32_t i = 0; i < value->def->result_count; i++) w->needed[value->def->results[i].id] = true;
  for (uint32_t i = 0; i < value->def->operand_count; i++) need(w, value->def->operands[i].value);
  need_yields(w, value->def);
}

static void refuse(HostWriter *w, const Op *op) {
  bool grid = w->host->kind == HOST_GRID;
  if (!w->failed)
    diag_error(w->func->module->ir->diags, op->loc,
               "[T0507] the %s of '%s' uses %s, which cannot be translated into C; leave %s",
               grid ? "@grid" : host_info(w->host->kind)->name, w->func->name, op_info(op->kind)->name,
               grid ? "@grid out, and give the grid at the launch" : "TMA copies out (--tma=off)");
  w->failed = true;
}

static const char *name_of(const HostWriter *w, const Value *value) {
  return arena_printf(w->arena, value->def ? "v%u" : "p%u", value->def ? value->id : value->index);
}

static const char *operand(const HostWriter *w, const Op *op, uint32_t i) {
  return name_of(w, op->operands[i].value);
}
static Elem elem_of(const Op *op) { return op->operands[0].value->type->elem; }
static uint32_t bits_of(Elem elem) { return elem == ELEM_I1 ? 1 : 8 * elem_bytes(elem); }

// The op's result from `expression`, which has 64 bits.
static const char *wrapped(const HostWriter *w, const Op *op, const char *expression) {
  const Type *type = op_result(op)->type;
  return type->elem == ELEM_I1 ? arena_printf(w->arena, "((%s) & 1) != 0", expression)
                               : arena_printf(w->arena, "(%s)(%s)", aot_c_type(type), expression);
}

static const char *binary(HostWriter *w, const Op *op, const char *sign, bool floats) {
  const char *a = operand(w, op, 0), *b = operand(w, op, 1);
  if (!elem_is_float(elem_of(op)))
    return wrapped(w, op, arena_printf(w->arena, "(uint64_t)%s %s (uint64_t)%s", a, sign, b));
  if (!floats) refuse(w, op);
  return arena_printf(w->arena, "%s %s %s", a, sign, b);
}

static const char *compared(const HostWriter *w, const Op *op, const char *sign) {
  return arena_printf(w->arena, "%s %s %s", operand(w, op, 0), sign, operand(w, op, 1));
}

static const char *shifted(HostWriter *w, const Op *op, bool left) {
  Elem elem = elem_of(op);
  Helper helper = left ? HELPER_SHL : elem_is_signed(elem) ? HELPER_SHR : HELPER_USHR;
  w->helpers |= 1u << helper;
  // The count is unsigned and has the operands' width.
  const char *count = arena_printf(w->arena, "(uint64_t)%s & 0x%llxu", operand(w, op, 1),
                                   (unsigned long long)(~0ull >> (64 - bits_of(elem))));
  const char *from =
      arena_printf(w->arena, "(%s)%s", helper == HELPER_SHR ? "int64_t" : "uint64_t", operand(w, op, 0));
  return wrapped(w, op,
                 left ? arena_printf(w->arena, "tilec_shl(%s, %s, %u)", from, count, bits_of(elem))
                      : arena_printf(w->arena, "tilec_%s(%s, %s)", helper_names[helper], from, count));
}

static const char *cast_to_int(HostWriter *w, const Op *op) {
  const Type *to = op_result(op)->type;
  if (!elem_is_float(elem_of(op))) return arena_printf(w->arena, "(%s)%s", aot_c_type(to), operand(w, op, 0));
  w->helpers |= 1u << HELPER_TO_INT;
  return arena_printf(w->arena, "(%s)tilec_to_int((double)%s, %u, %s)", aot_c_type(to), operand(w, op, 0),
                      bits_of(number_saturated_type(to->elem)), elem_is_signed(to->elem) ? "true" : "false");
}

static const char *constant(HostWriter *w, const Op *op) {
  const Type *type = op_result(op)->type;
  int64_t value = op_int(op, ATTR_VALUE, 0);
  if (type->elem == ELEM_I1) return value ? "true" : "false";
  if (!elem_is_float(type->elem))
    return arena_printf(w->arena, value < 0 ? "(%s)UINT64_C(0x%llx)" : "(%s)INT64_C(%llu)", aot_c_type(type),
                        (unsigned long long)value);
  double number = 0;
  value_float_constant(op_result(op), &number);
  if (!(number - number == 0)) refuse(w, op); // an infinity, a NaN
  Buf text = {0};
  buf_double(&text, number);
  if (!strpbrk(text.at, ".e")) buf_text(&text, ".0");
  const char *result = arena_printf(w->arena, "(%s)%s", aot_c_type(type), text.at);
  buf_free(&text);
  return result;
}

static const char *minimum(HostWriter *w, const Op *op, const char *sign) {
  if (elem_is_float(elem_of(op))) refuse(w, op);
  return arena_printf(w->arena, "%s %s %s ? %s : %s", operand(w, op, 0), sign, operand(w, op, 1),
                      operand(w, op, 0), operand(w, op, 1));
}

// The op's result as a C expression. NULL: it needs more than an expression, or C lacks it.
static const char *expression(HostWriter *w, const Op *op) {
  Elem to = op_result(op)->type->elem;
  switch ((int)op->kind) {
  case OP_CONSTANT: return constant(w, op);
  case OP_HINT: return operand(w, op, 0);
  case OP_NUM_PROGRAMS: return arena_printf(w->arena, "(int32_t)programs[%d]", (int)op_int(op, ATTR_AXIS, 0));
  case OP_ADD: return binary(w, op, "+", true);
  case OP_SUB: return binary(w, op, "-", true);
  case OP_MUL: return binary(w, op, "*", true);
  case OP_AND: return binary(w, op, "&", false);
  case OP_OR: return binary(w, op, "|", false);
  case OP_XOR: return binary(w, op, "^", false);
  case OP_NEG:
    return elem_is_float(to) ? arena_printf(w->arena, "-%s", operand(w, op, 0))
                             : wrapped(w, op, arena_printf(w->arena, "0 - (uint64_t)%s", operand(w, op, 0)));
  case OP_DIV: return elem_is_float(to) ? compared(w, op, "/") : NULL;
  case OP_SHL: return shifted(w, op, true);
  case OP_SHR: return shifted(w, op, false);
  case OP_MIN: return minimum(w, op, "<");
  case OP_MAX: return minimum(w, op, ">");
  case OP_EQ: return compared(w, op, "==");
  case OP_NE: return compared(w, op, "!=");
  case OP_LT: return compared(w, op, "<");
  case OP_LE: return compared(w, op, "<=");
  case OP_GT: return compared(w, op, ">");
  case OP_GE: return compared(w, op, ">=");
  case OP_SELECT:
    return arena_printf(w->arena, "%s ? %s : %s", operand(w, op, 0), operand(w, op, 1), operand(w, op, 2));
  case OP_CAST:
    if (to == ELEM_I1) return arena_printf(w->arena, "%s != 0", operand(w, op, 0));
    return elem_is_float(to)
               ? arena_printf(w->arena, "(%s)%s", aot_c_type(op_result(op)->type), operand(w, op, 0))
               : cast_to_int(w, op);
  default: return NULL;
  }
}

// True for values that C computes with: integers, bools, fp32 and fp64.
static bool in_c(const Value *value) {
  const Type *type = value->type;
  return type->kind == TYPE_SCALAR &&
         (!elem_is_float(type->elem) || type->elem == ELEM_FP32 || type->elem == ELEM_FP64);
}

static bool all_in_c(const Op *op) {
  bool good = true;
  for (uint32_t i = 0; i < op->operand_count; i++) good = good && in_c(op->operands[i].value);
  for (uint32_t i = 0; i < op->result_count; i++) good = good && in_c(&op->results[i]);
  return good;
}

static void indent(HostWriter *w) { buf_spaces(&w->out, 2 * w->depth); }

static void write_division(HostWriter *w, const Op *op) {
  bool is_signed = elem_is_signed(elem_of(op)) && elem_of(op) != ELEM_I1;
  const char *wide = is_signed ? "int64_t" : "uint64_t", *name = name_of(w, op_result(op));
  w->helpers |= 1u << (is_signed ? HELPER_DIV : HELPER_UDIV);
  buf_printf(&w->out, "%s w%s = 0;\n", wide, name);
  indent(w);
  buf_printf(&w->out, "if (!tilec_%s((%s)%s, (%s)%s, %s, &w%s)) return false;\n", is_signed ? "div" : "udiv",
             wide, operand(w, op, 0), wide, operand(w, op, 1), op->kind == OP_REM ? "true" : "false", name);
  indent(w);
  buf_printf(&w->out, "const %s %s = %s;\n", aot_c_type(op_result(op)->type), name,
             wrapped(w, op, arena_printf(w->arena, "w%s", name)));
}

static void write_region(HostWriter *w, const Region *region);

// Writes the region's ops, then assigns what it yields to the op's results.
static void write_branch(HostWriter *w, const Op *op, const Region *region) {
  w->depth++;
  write_region(w, region);
  for (uint32_t i = 0; i < op->result_count; i++) {
    indent(w);
    buf_printf(&w->out, "%s = %s;\n", name_of(w, &op->results[i]), operand(w, region->last, i));
  }
  w->depth--;
}

static void write_if(HostWriter *w, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    buf_printf(&w->out, "%s %s;\n", aot_c_type(op->results[i].type), name_of(w, &op->results[i]));
    indent(w);
  }
  buf_printf(&w->out, "if (%s) {\n", operand(w, op, 0));
  write_branch(w, op, op->regions[0]);
  indent(w);
  buf_text(&w->out, "} else {\n");
  write_branch(w, op, op->regions[1]);
  indent(w);
  buf_text(&w->out, "}\n");
}

static void write_simple(HostWriter *w, const Op *op, bool is_float) {
  const char *text = expression(w, op);
  // volatile: a C compiler may fuse a multiply and an add. The evaluator does not.
  if (text)
    buf_printf(&w->out, "%s %s %s = %s;\n", is_float ? "volatile" : "const", aot_c_type(op_result(op)->type),
               name_of(w, op_result(op)), text);
  else
    refuse(w, op);
}

static void write_op(HostWriter *w, const Op *op) {
  bool is_float = op->kind != OP_IF && elem_is_float(op_result(op)->type->elem);
  indent(w);
  if (!all_in_c(op))
    refuse(w, op);
  else if (op->kind == OP_IF)
    write_if(w, op);
  else if ((op->kind == OP_DIV || op->kind == OP_REM) && !is_float)
    write_division(w, op);
  else
    write_simple(w, op, is_float);
}

static void write_region(HostWriter *w, const Region *region) {
  for (const Op *op = region->first; op && op != region->last && !w->failed; op = op->next)
    if (op->result_count && w->needed[op->results[0].id]) write_op(w, op);
}

// The parameters that are read, by index.
static void write_params(HostWriter *w, const AotKernel *kernel) {
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    const char *type = aot_c_type(kernel->params[i].type);
    if (w->uses[i]) buf_printf(&w->out, "  const %s p%u = *(const %s *)params[%u];\n", type, i, type, i);
  }
}

static void write_function(HostWriter *w, const AotKernel *kernel) {
  const Op *yield = w->host->region->last;
  buf_text(&w->out, "(void *const *params, const int64_t *programs, int64_t *values) {\n"
                    "  (void)params, (void)programs;\n");
  w->depth = 1;
  write_params(w, kernel);
  write_region(w, w->host->region);
  for (uint32_t i = 0; i < yield->operand_count; i++)
    buf_printf(&w->out, "  values[%u] = (int64_t)%s;\n", i, operand(w, yield, i));
  buf_text(&w->out, "  return true;\n}\n");
}

const char *aot_host(Arena *arena, Func *func, const HostRegion *host, AotKernel *kernel) {
  func_number(func);
  HostWriter w = {.arena = arena, .func = func, .host = host};
  w.needed = ARENA_ARRAY(arena, bool, func->value_count + 1);
  w.uses = ARENA_ARRAY(arena, bool, func->param_count + 1);
  memset(w.needed, 0, func->value_count + 1);
  memset(w.uses, 0, func->param_count + 1);
  const Op *yield = host->region->last;
  for (uint32_t i = 0; i < yield->operand_count; i++) need(&w, yield->operands[i].value);
  write_function(&w, kernel);
  const char *function = arena_copy(arena, buf_view(&w.out));
  kernel->helpers |= w.helpers;
  buf_free(&w.out);
  return w.failed ? NULL : function;
}

bool aot_grid(Arena *arena, Func *func, AotKernel *kernel) {
  const HostRegion *grid = func_host(func, HOST_GRID, NULL);
  kernel->has_grid = grid != NULL;
  kernel->grid_function = grid ? aot_host(arena, func, grid, kernel) : "";
  for (int i = 0; grid && i < HOST_VALUES && grid->text[i]; i++)
    kernel->grid_text[i] = arena_copy(arena, str_from(grid->text[i]));
  return kernel->grid_function != NULL;
}
