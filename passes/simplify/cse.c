// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common subexpressions: a pure op is dropped if an equal earlier op is visible. Visible ops are the earlier ops of the
// region and of the regions around it. So the table is a stack: leaving a region removes its entries. Equality is
// exact. The hash uses dense ids and only chooses the bucket.
#include "base/hash.h"
#include "passes/simplify/simplify.h"

typedef struct SeenOp {
  Op *op;
  uint32_t bucket, next; // next: index + 1 of an earlier entry in the bucket; 0: none
} SeenOp;

typedef struct SeenOps {
  Arena *scratch;
  VEC(SeenOp) entries; // of the regions around the current op, innermost last
  uint32_t *buckets;   // index + 1 of the newest entry
  uint32_t mask;
  bool changed;
} SeenOps;

static uint64_t hash_int(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

static uint64_t hash_op(const Op *op) {
  uint64_t hash = hash_int(0, op->kind);
  for (uint32_t i = 0; i < op->operand_count; i++) hash = hash_int(hash, op_operand(op, i)->id);
  for (uint32_t i = 0; i < op->attrs.n; i++) {
    const Attr *attr = &op->attrs.at[i];
    hash = hash_int(hash, attr->key);
    AttrKind kind = attr_info(attr->key)->kind;
    if (kind == ATTR_KIND_INT) hash = hash_int(hash, (uint64_t)attr->i);
    if (kind == ATTR_KIND_FLOAT) hash = hash_more(hash, &attr->f, sizeof attr->f);
  }
  return hash;
}

static bool same_op(const Op *a, const Op *b) {
  if (a->kind != b->kind || a->operand_count != b->operand_count) return false;
  if (a->result_count != b->result_count) return false;
  for (uint32_t i = 0; i < a->result_count; i++)
    if (a->results[i].type != b->results[i].type) return false;
  for (uint32_t i = 0; i < a->operand_count; i++)
    if (op_operand(a, i) != op_operand(b, i)) return false;
  return op_same_attrs(a, b);
}

static Op *find_or_enter(SeenOps *seen, Op *op) {
  uint32_t bucket = (uint32_t)hash_op(op) & seen->mask;
  for (uint32_t i = seen->buckets[bucket]; i; i = seen->entries.at[i - 1].next)
    if (same_op(seen->entries.at[i - 1].op, op)) return seen->entries.at[i - 1].op;
  SeenOp entry = {op, bucket, seen->buckets[bucket]};
  vec_push(seen->scratch, &seen->entries, entry);
  seen->buckets[bucket] = seen->entries.n;
  return NULL;
}

static void forget_since(SeenOps *seen, uint32_t mark) {
  while (seen->entries.n > mark) {
    SeenOp entry = vec_pop(&seen->entries);
    seen->buckets[entry.bucket] = entry.next;
  }
}

static void merge_in_region(SeenOps *seen, Region *region) {
  uint32_t mark = seen->entries.n;
  for (Op *op = region->first, *next; op; op = next) {
    next = op->next;
    for (uint32_t r = 0; r < op->region_count; r++) merge_in_region(seen, op->regions[r]);
    if (!op_has(op, PURE) || op->result_count == 0) continue;
    Op *earlier = find_or_enter(seen, op);
    if (!earlier) continue;
    for (uint32_t i = 0; i < op->result_count; i++) value_replace_uses(&op->results[i], &earlier->results[i]);
    op_erase(op);
    seen->changed = true;
  }
  forget_since(seen, mark);
}

bool merge_common(Arena *scratch, Func *func, Region *region) {
  func_number(func);
  SeenOps seen = {.scratch = scratch};
  uint32_t size = 16;
  while (size < func->op_count && size < UINT32_C(1) << 30) size *= 2;
  seen.buckets = ARENA_ARRAY(scratch, uint32_t, size);
  seen.mask = size - 1;
  merge_in_region(&seen, region);
  return seen.changed;
}
