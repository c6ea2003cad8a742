// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cost/issue.h"

#include <string.h>

#include "ir/memory/access.h"
#include "ir/memory/atomic.h"
#include "ir/memory/groups.h"
#include "ir/dot/layout_dot.h"
#include "ir/layout/ldmatrix.h"
#include "ir/memory/scratch.h"

// Instructions of one execution of an op besides its elements. From ptxas's code for the launches of
// tests/cost/measured.json.
typedef struct OpAround {
  OpKind kind;
  double alu, control;
  bool one; // executed by one warp of the CTA
} OpAround;

static const OpAround arounds[] = {
    {OP_RETURN, 10, 2, false}, // of a program: parameters, the thread's number, first addresses, exit
    {OP_YIELD, 1, 1, false},         {OP_IF, 1, 2, false},
    {OP_SHARED_INDEX, 1, 0, false},  {OP_SHARED_STORE, 4, 0, false},
    {OP_STORE, 2, 0, false},         {OP_COPY_ASYNC, 2, 0, false},
    {OP_TMA_COPY, 10, 9, true},      {OP_BULK_COPY, 10, 9, true},
    {OP_TMA_STORE, 10, 9, true},     {OP_BARRIER, 0, 0.6, false},
    {OP_MBARRIER_WAIT, 1, 1, false}, {OP_FENCE_ASYNC, 0, 3, false},
    {OP_DOT_WAIT, 0, 1, false},      {OP_COUNT, 0, 0, false},
};

// Nsight Compute counts a wgmma once per 64 columns. Each needs its own two descriptors.
enum { WGMMA_COLUMNS = 64 };
static const double WGMMA_DESCRIPTORS = 2.5;

uint32_t issue_warps(const Op *op) { return group_runs_by_thread(op) ? 1 : region_warps(op); }

static bool in_branches(const Region *region) {
  for (const Op *around = region->parent; around; around = around->region->parent)
    if (around->kind == OP_IF && around->regions[0]->first != around->regions[0]->last &&
        around->regions[1]->first != around->regions[1]->last)
      return true;
  return false;
}

double issue_runs(const Region *region, CostRange runs) {
  bool chosen = runs.least < runs.most && in_branches(region);
  return chosen ? ((double)runs.least + (double)runs.most) / 2 : (double)runs.most;
}

static uint32_t registers_of(const Value *value) {
  return value && type_is_tile(value->type) ? layout_own_elements(value->type->layout) : 1;
}

static Elem elem_of(const Value *value) {
  const Type *type = type_element(value->type);
  return type->kind == TYPE_PTR ? ELEM_U64 : type->elem;
}

// --- arithmetic

static SassPipe float_pipe(Elem elem) { return elem == ELEM_FP64 ? PIPE_FP64 : PIPE_FMA; }

// fp16 and bf16 are processed in pairs.
static double packed(Elem elem, double n) { return elem_is_float(elem) && elem_bytes(elem) == 2 ? n / 2 : n; }

static void issue_divide(const Op *op, Elem elem, double n, double *out) {
  bool is_float = elem_is_float(elem);
  int64_t by;
  if (!is_float && value_int_constant(op_operand(op, 1), &by)) {
    out[PIPE_ALU] += ((by & (by - 1)) == 0 ? 1 : 4) * n;
  } else if (!is_float) {
    out[PIPE_ALU] += (elem_bytes(elem) == 8 ? 80 : 20) * n;
    out[PIPE_MUFU] += n;
  } else {
    out[float_pipe(elem)] += (elem == ELEM_FP64 ? 8 : op_attr(op, ATTR_ROUNDED) ? 9 : 3) * n;
    out[PIPE_MUFU] += n;
    if (elem == ELEM_FP64) out[PIPE_ALU] += 8 * n, out[PIPE_CONTROL] += 4 * n;
  }
}

// Instructions of an fp64 function, by a prefix of its name: ptxas 13.0's code for sm_90a. The first row that
// fits holds.
typedef struct WideFunction {
  const char *prefix;
  double fp64, alu, mufu, control;
} WideFunction;

static const WideFunction wide_functions[] = {
    {"abs", 1, 0, 0, 0},     {"floor", 0, 0, 1, 0},   {"ceil", 0, 0, 1, 0},  {"sqrt", 8, 15, 1, 4},
    {"rsqrt", 13, 25, 2, 8}, {"exp", 20, 67, 2.5, 0}, {"log", 53, 66, 4, 8}, {"sin", 122, 172, 6, 0},
    {"cos", 122, 172, 6, 0}, {"", 130, 300, 7, 12},
};

static void issue_wide_math(const char *function, double n, double *out) {
  const WideFunction *row = wide_functions;
  while (strncmp(function, row->prefix, strlen(row->prefix)) != 0) row++;
  out[PIPE_FP64] += row->fp64 * n;
  out[PIPE_ALU] += row->alu * n;
  out[PIPE_MUFU] += row->mufu * n;
  out[PIPE_CONTROL] += row->control * n;
}

static void issue_math(const Op *op, Elem elem, double n, double *out) {
  static const char *const mufu[] = {"exp2", "log2", "exp", "log", "sqrt", "rsqrt", "sin", "cos", "tanh"};
  const char *function = op_attr(op, ATTR_FUNCTION)->str;
  bool fast = false, approximate = str_ends(str_from(function), "_approx");
  for (size_t i = 0; i < sizeof mufu / sizeof *mufu; i++)
    fast |= strncmp(function, mufu[i], strlen(mufu[i])) == 0 && (approximate || !function[strlen(mufu[i])]);
  if (elem == ELEM_FP64) {
    issue_wide_math(function, n, out);
  } else if (fast) {
    bool bare = strncmp(function, "exp2", 4) == 0 || strncmp(function, "log2", 4) == 0;
    double polynomials = n * (double)op_int(op, ATTR_POLYNOMIAL, 0) / POLYNOMIAL_GROUP;
    out[PIPE_MUFU] += n - polynomials;
    out[PIPE_FMA] += 5 * polynomials; // in pairs, but for the sum that is rounded
    out[PIPE_ALU] += 3 * polynomials;
    out[PIPE_FMA] += bare ? 0 : approximate ? 2 * n : 3 * n;
  } else {
    out[PIPE_FMA] += (strcmp(function, "abs") == 0 ? 1 : 12) * n;
  }
}

static void issue_elementwise(const Op *op, double n, double *out) {
  const Value *result = op_result(op);
  Elem elem = elem_of(op_operand(op, 0)), to = elem_of(result);
  switch ((int)op->kind) {
  case OP_HINT:
  case OP_BITCAST: return;
  case OP_DIV:
  case OP_REM: issue_divide(op, elem, n, out); return;
  case OP_MATH: issue_math(op, elem, n, out); return;
  case OP_CAST:
    if (elem != to && (elem == ELEM_FP64 || to == ELEM_FP64)) {
      out[PIPE_MUFU] += n;
      return;
    }
    out[PIPE_ALU] += elem == to ? 0 : elem_is_float(to) ? packed(to, n) : n;
    return;
  default:
    if (elem_is_float(elem) && op_has(op, SAME) && !op_has(op, CHOOSES))
      out[float_pipe(elem)] += packed(elem, n);
    else
      out[PIPE_ALU] += elem_bytes(elem) == 8 ? 2 * n : n;
  }
}

// --- between threads

static double region_size(const Op *op) {
  double n = 0;
  for (const Op *inner = op->regions[0]->first; inner; inner = inner->next) n += !op_has(inner, TERMINATOR);
  return n;
}

static void issue_reduce(const Op *op, double *out) {
  ReducePlan plan = reduce_plan(op);
  double left = registers_of(op_operand(op, 0)), work = region_size(op);
  uint32_t operands = op->result_count ? op->result_count : 1;
  for (uint32_t i = 0; i < plan.local; i++) {
    bool lanes = plan.steps[i].lane != 0;
    if (!lanes && left > 1) left /= 2;
    if (lanes) out[PIPE_MEMORY] += left * operands;
    out[PIPE_FMA] += left * work;
  }
}

static void issue_scan(const Op *op, double *out) {
  double n = registers_of(op_operand(op, 0)), work = region_size(op);
  out[PIPE_FMA] += n * work * 2 + LANE_BITS * work;
  out[PIPE_MEMORY] += LANE_BITS * op->operand_count;
}

static void issue_convert(const Op *op, double *out) {
  LanePlan plan;
  if (!convert_by_lanes(op, &plan)) return;
  double bytes = type_element_bytes(op_result(op)->type);
  double words = plan.shuffles * (bytes > 4 ? bytes / 4 : 1);
  out[PIPE_MEMORY] += words;
  out[PIPE_ALU] += words + (plan.send_count + plan.receive_count) * registers_of(op_result(op)) / 2.0;
}

// --- dots

uint64_t issue_flops(const Op *dot) { return 2 * dot_sums(dot) * dot_depth(dot); }

// fp32 takes several dots of parts.
static uint32_t products_of(const Op *dot) {
  switch (dot_precision(dot)) {
  case FP32_DOT_TF32X3:
  case FP32_DOT_BF16X3: return 3;
  case FP32_DOT_BF16X6: return 6;
  case FP32_DOT_IEEE:
  case FP32_DOT_TF32:
  case FP32_DOT_COUNT: break;
  }
  return 1;
}

static uint32_t tensor_rate(const TargetInfo *arch, Elem elem) {
  if (!elem_is_float(elem)) return arch->tensor_int8;
  if (elem_bytes(elem) == 1) return arch->tensor_fp8;
  return elem_bytes(elem) == 2 ? arch->tensor_fp16
         : elem == ELEM_FP64   ? arch->tensor_fp64
                               : arch->tensor_tf32;
}

// Columns of one instruction's result; for wgmma, the first instruction's.
static uint32_t columns_of(const Op *dot) {
  DotShape shape = dot_op_shape(dot);
  uint32_t n = 1u << (dot_takes_b_first(dot) ? shape.m : shape.n),
           most = dot_instruction_info(dot_instruction(dot))->columns;
  if (op_attr(dot, ATTR_EXTENTS) && is_dot_of(dot, DOT_WGMMA)) return dot_columns_at(dot, 0);
  return n < most ? n : most;
}

// A wgmma reads its first operand from shared memory in the time of 64 columns: 32 clocks.
static double narrow_wgmma(const Op *dot) {
  bool reads = op_operand(dot, dot_takes_b_first(dot) ? 1 : 0)->type->kind == TYPE_SHARED;
  return reads && columns_of(dot) < WGMMA_COLUMNS ? (double)WGMMA_COLUMNS / columns_of(dot) : 1;
}

double issue_tensor_cycles(const Op *dot) {
  const TargetInfo *arch = dot->region->func->module->target.arch;
  if (dot_instruction(dot) == DOT_FMA) return 0;
  Elem elem = type_element(op_operand(dot, 0)->type)->elem;
  uint32_t rate = tensor_rate(arch, elem);
  double cycles = rate ? (double)issue_flops(dot) * products_of(dot) / rate : 0;
  // mma.sync attains about 62 % of wgmma's rate on Hopper (arXiv 2402.13499, table 9: fp16 with fp32 sums).
  if (dot_instruction(dot) == DOT_WGMMA) return cycles * narrow_wgmma(dot);
  return arch->has_wgmma ? cycles / 0.62 : cycles;
}

double issue_dot_chain(const Op *dot) {
  const DotInstructionInfo *info = dot_instruction_info(dot_instruction(dot));
  if (dot_instruction(dot) != DOT_MMA && dot_instruction(dot) != DOT_MMA_K8) return 0;
  uint32_t bytes = type_element_bytes(op_operand(dot, 0)->type);
  return (double)(1u << dot_op_shape(dot).k) * bytes / info->k * products_of(dot);
}

static void issue_dot(const Op *op, double *out) {
  const DotInstructionInfo *info = dot_instruction_info(dot_instruction(op));
  double products = (double)issue_flops(op) / 2, bytes = type_element_bytes(op_operand(op, 0)->type),
         warps = issue_warps(op);
  if (dot_instruction(op) == DOT_FMA) {
    Elem elem = elem_of(op_result(op));
    out[elem_is_float(elem) ? float_pipe(elem) : PIPE_ALU] += products / (TARGET_WARP * warps);
    return;
  }
  double columns = columns_of(op);
  double each = info->rows * columns * (info->k / bytes);
  double instructions = products * products_of(op) / each / warps * info->warps;
  bool wgmma = dot_instruction(op) == DOT_WGMMA;
  out[PIPE_TENSOR] +=
      wgmma && columns > WGMMA_COLUMNS ? instructions * columns / WGMMA_COLUMNS : instructions;
  if (wgmma) out[PIPE_ALU] += WGMMA_DESCRIPTORS * instructions;
}

// --- memory

static void issue_memory(const Op *op, const AccessCounts *shared, double *out) {
  const Type *pointer = op->operand_count ? op_operand(op, 0)->type : NULL;
  double n = shared ? (double)shared->most.requests / issue_warps(op) : 0;
  if (pointer && type_is_ptr(pointer) && op->kind != OP_COPY_ASYNC) {
    uint32_t bytes = type_element_bytes(type_element(pointer)->inner),
             run = bytes ? count_lane_bytes(op) / bytes : 1;
    n += (double)registers_of(op_operand(op, 0)) / (run ? run : 1);
  }
  out[PIPE_MEMORY] += n;
  const Op *mask = op->kind == OP_LOAD && op_input_count(op) > 1 ? op_operand(op, 1)->def : NULL;
  if (mask && mask->kind != OP_CONSTANT &&
      type_is_tile(op_result(op)->type)) // values of lanes that load nothing, in pairs
    out[PIPE_ALU] += tile_words(op_result(op)->type) / 2.0;
}

// One execution by a warp, without the op's elements: addresses, predicates, branches.
static void issue_around(const Op *op, double *out) {
  const OpAround *around = &arounds[0];
  while (around->kind != op->kind && around->kind != OP_COUNT) around++;
  double part = around->one ? 1.0 / issue_warps(op) : 1;
  out[PIPE_ALU] += around->alu * part;
  out[PIPE_CONTROL] += around->control * part;
}

// An offset common to all lanes is usually a constant of the access, or one addition.
static bool adds_alike(const Op *op) { return op->kind == OP_ADDPTR && value_uniform(op_operand(op, 1)); }

void issue_of(const Op *op, const uint32_t *share, bool index, const AccessCounts *shared,
              double out[PIPE_COUNT]) {
  const Value *result = op_result(op);
  memset(out, 0, PIPE_COUNT * sizeof *out);
  issue_around(op, out);
  if (op_has(op, PURE | ELEMENTWISE)) {
    double n = registers_of(result), part = share[result->id];
    if (!part && type_is_tile(result->type)) return;
    if (part > 1) n /= part;
    if (index && !op_has(op, COMPARE)) n = adds_alike(op) ? 0.5 : 1;
    issue_elementwise(op, n, out);
    return;
  }
  switch ((int)op->kind) {
  case OP_REDUCE:
  case OP_REDUCE_PARTS: issue_reduce(op, out); break;
  case OP_CONVERT_LAYOUT: issue_convert(op, out); break;
  case OP_MAP: out[PIPE_ALU] += region_size(op) * registers_of(result); break;
  case OP_DOT: issue_dot(op, out), issue_memory(op, shared, out); break;
  default:
    if (op_has(op, COMBINES))
      issue_scan(op, out);
    else if (op_has_any(op, GLOBAL | SHARED | ASYNC) || op->kind == OP_TMA_STORE)
      issue_memory(op, shared, out);
    else if (op_info(op->kind)->sync[0])
      out[PIPE_CONTROL]++;
  }
}

// --- names

static const char *vector_name(Arena *arena, const char *what, uint32_t bytes, uint32_t element) {
  uint32_t word = element == 8 ? 8 : bytes >= 4 ? 4 : bytes, words = bytes / word;
  return words > 1 ? arena_printf(arena, "%s.v%u.b%u", what, words, 8 * word)
                   : arena_printf(arena, "%s.b%u", what, 8 * word);
}

static const char *dot_name(Arena *arena, const Op *op) {
  const DotInstructionInfo *info = dot_instruction_info(dot_instruction(op));
  uint32_t k = info->k / type_element_bytes(op_operand(op, 0)->type);
  if (dot_instruction(op) == DOT_FMA) return "fma.rn";
  if (dot_instruction(op) != DOT_WGMMA)
    return arena_printf(arena, "mma.sync.m%un%uk%u", info->rows, info->columns, k);
  return arena_printf(arena, "wgmma.m%un%uk%u", info->rows, columns_of(op), k);
}

static const char *shared_name(Arena *arena, const Op *op) {
  bool load = op->kind == OP_SHARED_LOAD;
  LdmatrixPlan plan;
  if (op_attr(op, ATTR_LDMATRIX) && ldmatrix_plan(op, &plan))
    return arena_printf(arena, "ldmatrix.x%u%s", 1u << plan.matrices_bits, plan.transposed ? ".trans" : "");
  const Type *tile = load ? op_result(op)->type : op_operand(op, 0)->type;
  SharedMap map = shared_map(op_operand(op, load ? 0 : 1)->type, tile, op_attr(op, ATTR_STARTS));
  uint32_t bytes = type_element_bytes(tile), free_bits[DIM_COUNT] = {0};
  if (!load && type_is_tile(tile)) layout_free_bits(tile->layout, free_bits);
  SharedRuns runs =
      shared_runs(&map.map, bytes, load ? map.change : map.change | map.shift, free_bits[DIM_REGISTER]);
  return vector_name(arena, load ? "ld.shared" : "st.shared", bytes << runs.bits, bytes);
}

const char *issue_name(Arena *arena, const Op *op) {
  switch ((int)op->kind) {
  case OP_LOAD:
    return vector_name(arena, "ld.global", count_lane_bytes(op), type_element_bytes(op_result(op)->type));
  case OP_STORE:
    return vector_name(arena, "st.global", count_lane_bytes(op), type_element_bytes(op_operand(op, 1)->type));
  case OP_ATOMIC_RMW:
    return vector_name(arena,
                       atomic_is_load(op)         ? "ld.global"
                       : atomic_is_store(op)      ? "st.global"
                       : op_result(op)->first_use ? "atom"
                                                  : "red",
                       count_lane_bytes(op), type_element_bytes(op_result(op)->type));
  case OP_ATOMIC_CAS: return "atom.cas";
  case OP_COPY_ASYNC: return arena_printf(arena, "cp.async %u", count_lane_bytes(op));
  case OP_TMA_COPY: return "cp.async.bulk.tensor";
  case OP_BULK_COPY: return "cp.async.bulk";
  case OP_TMA_STORE: return "cp.async.bulk.tensor (store)";
  case OP_SHARED_LOAD:
  case OP_SHARED_STORE: return shared_name(arena, op);
  case OP_SHARED_GATHER: return "ld.shared";
  case OP_SHARED_COUNT: return "atom.shared";
  case OP_DOT: return dot_name(arena, op);
  case OP_BARRIER: return "bar.sync";
  case OP_ASYNC_WAIT: return "cp.async.wait_group";
  case OP_DOT_WAIT: return "wgmma.wait_group";
  case OP_MBARRIER_WAIT: return "mbarrier.try_wait";
  default: return NULL;
  }
}
