// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics in vectors, and the fence before several.
#include "ir/memory/atomic.h"

#include <string.h>
#include "base/integer.h"

static bool is_rmw(const Op *op, const char *rmw) {
  const Attr *attr = op_attr(op, ATTR_RMW);
  return op->kind == OP_ATOMIC_RMW && strcmp(attr->str, rmw) == 0;
}

bool atomic_is_load(const Op *op) { return is_rmw(op, "load"); }

bool atomic_is_store(const Op *op) { return is_rmw(op, "store"); }

static bool is_sem(const Op *op, const char *half) {
  const Attr *sem = op_attr(op, ATTR_SEM);
  return op_has(op, ATOMIC) && (!sem || strcmp(sem->str, "acq_rel") == 0 || strcmp(sem->str, half) == 0);
}

bool atomic_releases(const Op *op) { return is_sem(op, "release"); }

bool atomic_acquires(const Op *op) { return is_sem(op, "acquire"); }

bool atomic_only_reads(const Op *op) {
  bool keeps = is_rmw(op, "add") || is_rmw(op, "or") || is_rmw(op, "xor");
  bool same = keeps && type_is_int(op_result(op)->type) && value_is_zero(op_operand(op, 1));
  return atomic_is_load(op) || (same && !atomic_releases(op));
}

static bool is_weak(const Op *op) {
  bool half = atomic_is_load(op)    ? !atomic_acquires(op)
              : atomic_is_store(op) ? !atomic_releases(op)
                                    : !atomic_releases(op) || !atomic_acquires(op);
  if (!op_has(op, ATOMIC)) return false;
  if (!type_is_tile(op_result(op)->type)) return half;
  // The threads of a tile's atomic order only themselves: other threads' stores need a barrier before it.
  return atomic_releases(op) && op_result(op)->first_use;
}

bool func_has_weak_atomics(const Func *func) {
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (is_weak(w.op)) return true;
  return false;
}

// Without vector atomics, two bf16 share a 32-bit compare and swap. It orders nothing for accesses to only 16
// of its bits (PTX ISA, Memory Consistency Model: morally strong operations overlap completely).
uint32_t atomic_widest(const Op *op) {
  const Value *result = op_result(op);
  const TargetInfo *arch = op->region->func->module->target.arch;
  if (!is_rmw(op, "add") || !type_is_tile(result->type) || result->first_use) return 1;
  bool is_bf16 = type_is_elem(result->type, ELEM_BF16);
  bool is_half = is_bf16 || type_is_elem(result->type, ELEM_FP16);
  if (arch->has_vector_atomics) return is_half ? 8 : type_is_elem(result->type, ELEM_FP32) ? 4 : 1;
  return is_half && !(is_bf16 && atomic_releases(op)) ? 2 : 1;
}

uint32_t atomic_vector(const Op *op) {
  const Type *type = op_result(op)->type;
  uint32_t length = 1;
  if (op->kind != OP_ATOMIC_RMW || !type_is_tile(type)) return 1;
  uint64_t most = min_u64(atomic_widest(op), (uint64_t)op_int(op, ATTR_VECTOR, 1));
  most = min_u64(most, (uint64_t)op_int(op, ATTR_ALIGN, 1) / type_element_bytes(type));
  most = min_u64(most, 1ull << layout_run_bits(type->layout));
  while (length * 2 <= most) length *= 2;
  return length;
}

bool atomic_fences(const Op *op) {
  const Value *old = op_result(op);
  bool is_alone = op->kind != OP_ATOMIC_RMW || !type_is_tile(old->type) || !old->type->layout;
  if (is_alone || old->first_use || is_rmw(op, "xchg") || !atomic_releases(op)) return false;
  bool is_pair = type_is_float(old->type) && (is_rmw(op, "max") || is_rmw(op, "min"));
  return layout_own_elements(old->type->layout) / atomic_vector(op) * (is_pair ? 2 : 1) > 1;
}

bool atomic_only_reduces(const Op *op) {
  const Attr *sem = op_attr(op, ATTR_SEM);
  return op->kind == OP_ATOMIC_RMW && !op_result(op)->first_use && sem && strcmp(sem->str, "relaxed") == 0;
}
