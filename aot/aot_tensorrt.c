// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --emit=tensorrt: a Python module with a function for each kernel. It returns what a function under TensorRT's
// @tensorrt.plugin.aot_impl returns: the kernel's name, the PTX, the launch parameters and the extra arguments.
// TensorRT passes the inputs' addresses, then the extra arguments, then the outputs' addresses.
#include <stdio.h>
#include "ir/text/print.h"
#include "aot/aot.h"
#include "runtime/tilec.h"

static const char *signs[OP_COUNT] = {[OP_ADD] = " + ",  [OP_SUB] = " - ", [OP_MUL] = " * ",
                                      [OP_DIV] = " // ", [OP_MIN] = ", ",  [OP_MAX] = ", "};

static bool refuse(Diags *diags, Loc loc, const Func *func, const char *name, const char *why) {
  diag_error(diags, loc, "[T0507] TensorRT cannot launch '%s': %s %s", func->name, name, why);
  return false;
}

// A size of the grid, as TensorRT's shape expressions. They have no operators with a number on the left, so each
// number is an expression too.
static bool print_size(Diags *diags, const Func *func, const Value *value, Buf *out) {
  const Op *op = value->def;
  int64_t constant;
  if (!op) {
    buf_text(out, value->region->func->params[value->index].name);
    return true;
  }
  if (value_int_constant(value, &constant)) {
    buf_printf(out, "_int(%lld)", (long long)constant);
    return true;
  }
  if (op->kind == OP_CAST || op->kind == OP_HINT) return print_size(diags, func, op_operand(op, 0), out);
  if (!signs[op->kind]) return refuse(diags, op->loc, func, "its @grid uses", op_info(op->kind)->name);
  if (op->kind == OP_MIN || op->kind == OP_MAX) buf_printf(out, "_trt.%s", op_info(op->kind)->name);
  buf_char(out, '(');
  if (!print_size(diags, func, op_operand(op, 0), out)) return false;
  buf_text(out, signs[op->kind]);
  bool good = print_size(diags, func, op_operand(op, 1), out);
  buf_char(out, ')');
  return good;
}

static bool is_pointer(const FuncParam *param) { return param->type->kind == TYPE_PTR; }

// The integers are the parameters from *first to *end.
static bool find_integers(Diags *diags, const Func *func, uint32_t *first, uint32_t *end) {
  uint32_t i = 0, count = func->param_count;
  while (i < count && is_pointer(&func->params[i])) i++;
  *first = i;
  while (i < count && !is_pointer(&func->params[i])) i++;
  *end = i;
  while (i < count && is_pointer(&func->params[i])) i++;
  for (uint32_t j = 0; j < count; j++) {
    const FuncParam *param = &func->params[j];
    const Type *type = param->type;
    bool is_int = type->kind == TYPE_SCALAR && (type->elem == ELEM_I32 || type->elem == ELEM_U32);
    if (param->hidden || param->facts.none || !(is_pointer(param) || is_int))
      return refuse(diags, func->loc, func, param->name,
                    "is no pointer and no integer of 32 bits; make it a constexpr");
  }
  if (i == count && (*first == *end || *end < count)) return true;
  return refuse(diags, func->loc, func, func->params[i == count ? *first : i].name,
                "is not where TensorRT passes it: first the inputs, then the integers, then the outputs");
}

static void print_pointers(const Func *func, uint32_t first, uint32_t end, Buf *out) {
  if (first == end) buf_text(out, "none");
  for (uint32_t i = first; i < end; i++) {
    buf_printf(out, "%s%s (", i > first ? ", " : "", func->params[i].name);
    type_print(func->params[i].type, out);
    buf_char(out, ')');
  }
}

// "n, m": the integers; without `ones` only those that a caller gives. Returns their number.
static uint32_t print_names(const Func *func, uint32_t first, uint32_t end, bool ones, Buf *out) {
  uint32_t count = 0;
  for (uint32_t i = first; i < end; i++)
    if (ones || !func->params[i].facts.equal1)
      buf_printf(out, "%s%s", count++ ? ", " : "", func->params[i].name);
  return count;
}

static bool print_grid(Diags *diags, const Func *func, const HostRegion *grid, Buf *out) {
  const Op *yield = grid ? grid->region->last : NULL;
  for (uint32_t i = 0; i < 3; i++) {
    buf_printf(out, "grid_%c=", "xyz"[i]);
    if (!yield)
      buf_printf(out, "grid[%u]", i);
    else if (i >= yield->operand_count)
      buf_char(out, '1');
    else if (!print_size(diags, func, op_operand(yield, i), out))
      return false;
    buf_text(out, ", ");
  }
  return true;
}

static bool print_kernel(Diags *diags, const KernelMeta *kernel, const Func *func, Buf *out) {
  const HostRegion *grid = func_host(func, HOST_GRID, NULL);
  uint32_t first, end;
  if (!find_integers(diags, func, &first, &end)) return false;
  buf_printf(out, "\n\ndef %s(", kernel->name);
  uint32_t given = print_names(func, first, end, false, out);
  buf_printf(out, "%s):\n    \"\"\"Inputs: ", grid ? "" : given ? ", *, grid" : "*, grid");
  print_pointers(func, 0, first == end ? 0 : first, out);
  buf_text(out, first == end ? ". Inputs, then outputs: " : ". Outputs: ");
  print_pointers(func, first == end ? 0 : end, func->param_count, out);
  buf_printf(out, ". Integers: ints or TensorRT's shape expressions%s.\"\"\"\n",
             grid ? "" : "; grid: three of them, the numbers of programs");
  for (uint32_t i = first; i < end; i++) {
    const FuncParam *param = &func->params[i];
    buf_printf(out, "    %s = _int(%s)\n", param->name, param->facts.equal1 ? "1" : param->name);
  }
  buf_text(out, "    launch = _trt.KernelLaunchParams(");
  if (!print_grid(diags, func, grid, out)) return false;
  buf_printf(out,
             "block_x=%u, shared_mem=%u)\n    return \"%s\", _PTX, launch, _trt.SymIntExprs.from_tuple([",
             kernel->threads, kernel->shared_bytes, kernel->name);
  print_names(func, first, end, true, out);
  buf_text(out, "])\n");
  return true;
}

tilec_status aot_tensorrt(Compilation *c, void *data) {
  Buf *out = data;
  buf_printf(out, "# Made by tilec %s for ", tilec_version());
  target_print_arch(&c->code.target, out);
  buf_text(out, ": each function returns what one under TensorRT's @tensorrt.plugin.aot_impl returns.\n"
                "import tensorrt.plugin as _trt\n\n_int = _trt.SymInt32\n");
  for (uint32_t i = 0; i < c->code.kernel_count; i++)
    if (!print_kernel(&c->diags, &c->code.kernels[i], c->module->funcs.at[i], out))
      return TILEC_ERROR_COMPILE;
  buf_text(out, "\n\n_PTX = r\"\"\"");
  buf_str(out, buf_view(&c->code.ptx));
  buf_text(out, "\"\"\"\n");
  return TILEC_OK;
}
