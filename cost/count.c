// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cost/count.h"

#include <string.h>

#include "base/hash.h"
#include "base/integer.h"
#include "ir/memory/access.h"
#include "ir/memory/atomic.h"
#include "ir/memory/groups.h"
#include "ir/dot/layout_dot.h"
#include "ir/layout/ldmatrix.h"
#include "ir/memory/scratch.h"
#include "ir/queries.h"
#include "sim/machine/counters.h"

enum { LANES = TARGET_WARP, SECTOR = 32, LINE = 128 };

// --- participating threads

typedef struct Holders {
  uint32_t lanes, warps, registers; // Bits that must be 0, except for `writer`'s.
  uint32_t writer;
  bool one; // only thread 0
} Holders;

static Holders everyone(const Op *op) { return (Holders){.one = group_runs_by_thread(op)}; }

static Holders first_holders(const Op *op, const Type *type, uint32_t writer) {
  uint32_t bits[DIM_COUNT] = {0};
  if (!type_is_tile(type)) return (Holders){.one = true};
  layout_free_bits(type->layout, bits);
  return (Holders){bits[DIM_LANE], bits[DIM_WARP], bits[DIM_REGISTER], writer, group_runs_by_thread(op)};
}

static bool takes_part(const Holders *h, uint32_t lane, uint32_t warp) {
  if (h->one) return lane == 0 && warp == 0;
  return ((lane & h->lanes) | (warp & h->warps) << LANE_BITS) == h->writer;
}

// --- global memory

typedef struct GlobalAccess {
  const Layout *layout; // NULL: a scalar
  uint32_t warps, registers, run, bytes;
  bool writes;
  Holders holders;
} GlobalAccess;

static GlobalAccess access_of(const Op *op) {
  const Type *pointer = op_operand(op, 0)->type, *value = type_element(pointer)->inner;
  bool tile = type_is_tile(pointer);
  GlobalAccess a = {.layout = tile ? pointer->layout : NULL, .warps = region_warps(op), .run = 1};
  a.registers = tile ? layout_registers(pointer->layout) : 1;
  a.bytes = type_element_bytes(value);
  a.holders = first_holders(op, pointer, 0);
  a.writes = op_writes_global(op);
  if (op->kind == OP_LOAD) {
    a.run = access_run(op, op_result(op)->type);
    if (!op_attr(op, ATTR_VOLATILE) && !access_is_for_holders(op_result(op)))
      a.holders = (Holders){.one = group_runs_by_thread(op), .registers = a.holders.registers};
  } else if (op->kind == OP_STORE) {
    a.run = access_run(op, op_operand(op, 1)->type);
  } else if (op->kind == OP_COPY_ASYNC) {
    a.run = copy_async_run(op);
  } else if (op->kind == OP_ATOMIC_RMW) {
    a.run = atomic_vector(op);
  }
  return a;
}

uint32_t count_lane_bytes(const Op *op) {
  GlobalAccess a = access_of(op);
  return a.run * a.bytes;
}

// Adds the request's bytes and lines, and of a store the sectors that it fills in part. An aligned access is in one
// sector.
static void add_lines(AccessCount *count, const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                      bool writes) {
  uint64_t lines[LANES];
  uint32_t filled[LANES][LINE / SECTOR] = {0}, n = 0;
  for (uint32_t lane = 0; lane < LANES; lane++) {
    if (!(mask >> lane & 1)) continue;
    uint32_t repeated = 0, i = n;
    while (repeated < lane && !(mask >> repeated & 1 && addresses[repeated] == addresses[lane])) repeated++;
    if (repeated < lane) continue;
    while (i > 0 && lines[i - 1] != addresses[lane] / LINE) i--;
    if (!i) lines[n] = addresses[lane] / LINE, i = ++n;
    filled[i - 1][addresses[lane] % LINE / SECTOR] += bytes;
    count->bytes += bytes;
  }
  count->lines += n;
  for (uint32_t i = 0; i < n && writes; i++) {
    uint32_t partial = 0;
    for (uint32_t s = 0; s < LINE / SECTOR; s++) partial += filled[i][s] > 0 && filled[i][s] < SECTOR;
    count->partial += partial;
    count->partial_lines += partial > 0;
  }
}

// Fitted to strided and column-wise loads and stores on an H200 (docs/cost.md).
double count_cache_steps(const AccessCount *count) {
  static const double sector = 0.72, line = 1.12, partial = 1.7, partial_line = 2;
  return sector * (double)count->units + line * (double)count->lines + partial * (double)count->partial +
         partial_line * (double)count->partial_lines;
}

static void add_request(AccessCount *count, const GlobalAccess *a, const uint64_t *addresses, uint32_t mask) {
  tilec_sim_counters counters = {0};
  uint32_t bytes = a->run * a->bytes;
  if (!mask) return;
  counters_global(&counters, addresses, mask, bytes);
  count->requests++;
  count->units += counters.global_sectors;
  count->ideal += counters.global_sectors_ideal;
  add_lines(count, addresses, mask, bytes, a->writes);
}

// Counts one instruction of one warp. If addresses are unknown, lanes may share a sector or each have their
// own.
static void count_request(AccessCounts *counts, const GlobalAccess *a, uint32_t warp, uint32_t r,
                          const CostValue *pointer, const CostValue *mask) {
  uint64_t addresses[LANES] = {0};
  uint32_t lanes = 0, bytes = a->run * a->bytes, active = 0;
  for (uint32_t lane = 0; lane < LANES; lane++) {
    uint32_t index = a->layout ? layout_apply(a->layout, r, lane, warp, 0) : 0;
    if (!takes_part(&a->holders, lane, warp)) continue;
    if (mask && mask->known && !cost_element(mask, index)) continue;
    lanes |= 1u << lane;
    active++;
    if (pointer->known) addresses[lane] = (uint64_t)cost_element(pointer, index);
  }
  bool certain = !mask || mask->known;
  counts->updates += (uint64_t)active * a->run;
  if (pointer->known) {
    add_request(&counts->most, a, addresses, lanes);
    if (certain) add_request(&counts->least, a, addresses, lanes);
  } else if (lanes) {
    uint32_t distinct = a->layout ? active : 1, partial = a->writes && bytes < SECTOR ? distinct : 0;
    counts->most.requests++;
    counts->most.units += distinct;
    counts->most.lines += distinct;
    counts->most.partial += partial, counts->most.partial_lines += partial;
    counts->most.ideal += ((uint64_t)distinct * bytes + SECTOR - 1) / SECTOR;
    counts->most.bytes += (uint64_t)distinct * bytes;
    if (certain) counts->least.requests++, counts->least.units++, counts->least.ideal++;
  }
}

// For floats, the value's sign selects one of two instructions.
static bool is_extreme(const Op *op) {
  const Attr *rmw = op->kind == OP_ATOMIC_RMW ? op_attr(op, ATTR_RMW) : NULL;
  return rmw && type_is_float(op_operand(op, 1)->type) &&
         (strcmp(rmw->str, "max") == 0 || strcmp(rmw->str, "min") == 0);
}

static AccessCount twice(AccessCount count) {
  return (AccessCount){2 * count.requests, 2 * count.units,         2 * count.ideal, 2 * count.lines,
                       2 * count.partial,  2 * count.partial_lines, 2 * count.bytes};
}

// The number of warps that load the same elements, for a load that all threads execute.
static uint32_t requests_alike(const Op *op, const GlobalAccess *a) {
  uint32_t bits[DIM_COUNT] = {0};
  if (op->kind != OP_LOAD || op_attr(op, ATTR_VOLATILE) || a->holders.one || a->holders.warps) return 1;
  if (!a->layout) return a->warps;
  layout_free_bits(a->layout, bits);
  return 1u << bit_count(bits[DIM_WARP]);
}

AccessCounts count_global(const Op *op, const CostValue *pointer, const CostValue *mask) {
  GlobalAccess a = access_of(op);
  AccessCounts counts = {.data_dependent = !pointer->known || (mask && !mask->known)};
  for (uint32_t warp = 0; warp < a.warps; warp++)
    for (uint32_t r = 0; r < a.registers; r += a.run)
      if (!(r & a.holders.registers)) count_request(&counts, &a, warp, r, pointer, mask);
  counts.alike = requests_alike(op, &a);
  if (is_extreme(op)) counts.most = twice(counts.most), counts.data_dependent = true;
  return counts;
}

// --- shared memory

typedef struct SharedCounter {
  AccessCount count;
  uint32_t warps;
  Holders holders;
  uint32_t bytes; // of one lane's access
  bool loads;     // by ld.shared
  const Value *buffer;
  SharedVectors *read; // NULL: earlier reads do not matter
} SharedCounter;

static void count_lanes(SharedCounter *s, const uint64_t *addresses, uint32_t lanes) {
  tilec_sim_counters counters = {0};
  if (!lanes) return;
  counters_shared(&counters, addresses, lanes, s->bytes, s->loads);
  s->count.requests++;
  s->count.units += counters.shared_wavefronts;
  s->count.ideal += counters.shared_wavefronts_ideal;
}

// Counts the access to register r by every warp. `map` maps to elements of `element` bytes.
static void count_register(SharedCounter *s, const Layout *map, uint32_t r, uint32_t change, int64_t shift,
                           uint32_t element) {
  for (uint32_t warp = 0; warp < s->warps; warp++) {
    uint64_t addresses[LANES];
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
      addresses[lane] =
          (uint64_t)(((int64_t)(layout_apply(map, r, lane, warp, 0) ^ change) + shift) * element);
      if (takes_part(&s->holders, lane, warp)) lanes |= 1u << lane;
    }
    count_lanes(s, addresses, lanes);
  }
}

// Hashes the lanes' read addresses relative to register 0 of lane 0. Returns 0 if they are not a sum of the
// two.
static uint64_t hash_lanes(const Layout *map, uint32_t place) {
  uint64_t hash = 1;
  for (uint32_t dim = DIM_LANE; dim <= DIM_WARP; dim++)
    for (uint32_t i = 0; i < map->bits[dim]; i++) {
      uint32_t bit = 1u << i,
               base = layout_apply(map, 0, dim == DIM_LANE ? bit : 0, dim == DIM_WARP ? bit : 0, 0);
      if (base & place) return 0;
      hash = hash_u64(hash ^ (uint64_t)base << 8 ^ dim);
    }
  return hash;
}

// Returns true if this vector was read before. Records it otherwise.
static bool was_read(Arena *scratch, const SharedCounter *s, const Layout *map, uint32_t place,
                     int64_t shift) {
  SharedVector vector = {s->buffer, hash_lanes(map, place), (int64_t)place + shift, s->bytes};
  if (!s->read || !s->loads || !vector.lanes) return false;
  for (uint32_t i = 0; i < s->read->n; i++) {
    const SharedVector *other = &s->read->at[i];
    if (other->buffer == vector.buffer && other->lanes == vector.lanes && other->place == vector.place &&
        other->bytes == vector.bytes)
      return true;
  }
  vec_push(scratch, s->read, vector);
  return false;
}

// If a part begins within a run, each access reads two neighbouring runs. A run that two registers share is
// read once.
static void count_tile(Arena *scratch, SharedCounter *s, const SharedMap *map, uint32_t element, bool reads) {
  SharedRuns runs = shared_runs(&map->map, element, reads ? map->change : map->change | map->shift,
                                reads ? 0 : s->holders.registers);
  uint32_t size = 1u << runs.bits, late = reads ? map->shift & (size - 1) : 0,
           registers = layout_registers(&map->map), n = 0;
  uint32_t *seen = ARENA_ARRAY(scratch, uint32_t, 2 * registers + 1);
  s->bytes = element << runs.bits;
  s->loads = reads;
  for (uint32_t r = 0; r < registers; r++) {
    if ((!reads && r & s->holders.registers) || !shared_run_begins(&runs, r)) continue;
    for (uint32_t part = 0; part <= (late != 0); part++) {
      uint32_t place = (layout_apply(&map->map, r, 0, 0, 0) ^ map->change) + part * size, i = 0;
      while (i < n && seen[i] != place) i++;
      if (i < n) continue;
      seen[n++] = place;
      int64_t shift = (int64_t)map->shift - late + part * size;
      if (was_read(scratch, s, &map->map, place - part * size, shift)) continue;
      count_register(s, &map->map, r, map->change, shift, element);
    }
  }
}

static void count_ldmatrix(SharedCounter *s, const Op *op) {
  LdmatrixPlan plan;
  if (!ldmatrix_plan(op, &plan)) return;
  uint32_t lanes = 8u << plan.matrices_bits, element = type_element_bytes(op_result(op)->type);
  s->bytes = 16;
  for (uint32_t r = 0; r < 1u << plan.rest_bits; r++)
    for (uint32_t warp = 0; warp < s->warps; warp++) {
      uint64_t addresses[LANES];
      for (uint32_t lane = 0; lane < LANES; lane++)
        addresses[lane] = (uint64_t)layout_apply(&plan.rows, r, lane, warp, 0) * element;
      count_lanes(s, addresses, lanes == LANES ? UINT32_MAX : (1u << lanes) - 1);
    }
}

// Mirroring a lane or warp gives another offset.
static void count_load(Arena *scratch, SharedCounter *s, const Op *op) {
  const Type *tile = op_result(op)->type;
  const Attr *mirror = op_attr(op, ATTR_MIRROR);
  if (ldmatrix_fits(op)) {
    count_ldmatrix(s, op);
    return;
  }
  SharedMap map = shared_map(op_operand(op, 0)->type, tile, op_attr(op, ATTR_STARTS));
  if (mirror) {
    uint32_t rest = mirror_delta(tile, (uint32_t)mirror->i) >> tile->layout->bits[DIM_REGISTER];
    map.change ^= layout_apply(&map.map, 0, rest & 31, rest >> LANE_BITS, 0);
  }
  count_tile(scratch, s, &map, type_element_bytes(tile), true);
}

// Counts an operand that threads read for multiply-adds: each vector once. Padding of k is not read.
static void count_operand(Arena *scratch, SharedCounter *s, const Op *dot, DotOperand which) {
  const Type *buffer = op_operand(dot, which)->type;
  DotShape shape = dot_op_shape(dot);
  Layout inverse, elements = layout_fma_operand(op_result(dot)->type->layout, &shape, which);
  if (!layout_invert(buffer->layout, &inverse)) return;
  Layout offsets = layout_compose(&elements, &inverse);
  uint32_t depth = dot_depth(dot), k_mask = (1u << shape.k) - 1, k_shift = which == DOT_A ? 0 : shape.n;
  uint32_t at[4], bytes = elem_bytes(buffer->elem), within = (1u << shared_vector(&offsets, bytes, at)) - 1;
  bool *seen = ARENA_ARRAY(scratch, bool, (size_t)1 << offsets.out_bits);
  s->bytes = bytes * (within + 1);
  s->loads = true;
  for (uint32_t r = 0; r < layout_registers(&offsets); r++) {
    uint32_t place = layout_apply(&offsets, r, 0, 0, 0);
    if (seen[place & ~within] || (layout_apply(&elements, r, 0, 0, 0) >> k_shift & k_mask) >= depth) continue;
    seen[place & ~within] = true;
    count_register(s, &offsets, r, place & within, 0, bytes);
  }
}

static AccessCounts exactly(const AccessCount *count) {
  return (AccessCounts){.least = *count, .most = *count};
}

// Places depend on data: all lanes may share one word, or all hit one bank.
static AccessCounts count_chosen(const Op *op, const Type *tile) {
  uint64_t n = (uint64_t)layout_registers(tile->layout) * region_warps(op);
  return (AccessCounts){.least = {n, n, n}, .most = {n, n * LANES, n}, .data_dependent = true};
}

AccessCounts count_shared(Arena *scratch, const Op *op, SharedVectors *read) {
  SharedCounter s = {.warps = region_warps(op), .holders = everyone(op), .read = read};
  if (op->kind == OP_SHARED_LOAD) s.buffer = op_operand(op, 0);
  const Type *tile = op->operand_count ? op_operand(op, 0)->type : NULL;
  switch ((int)op->kind) {
  case OP_SHARED_LOAD: count_load(scratch, &s, op); break;
  case OP_SHARED_STORE: {
    SharedMap map = shared_map(op_operand(op, 1)->type, tile, op_attr(op, ATTR_STARTS));
    s.holders = first_holders(op, tile, (uint32_t)op_int(op, ATTR_WRITER, 0));
    count_tile(scratch, &s, &map, type_element_bytes(tile), false);
    break;
  }
  case OP_COPY_ASYNC: {
    const Type *buffer = op_operand(op, 1)->type;
    SharedMap map = shared_map(buffer, tile, NULL);
    uint32_t run = copy_async_run(op);
    s.holders = first_holders(op, tile, 0);
    s.bytes = run * elem_bytes(buffer->elem);
    for (uint32_t r = 0; r < layout_registers(tile->layout); r += run)
      if (!(r & s.holders.registers))
        count_register(&s, &map.map, r, map.change, 0, elem_bytes(buffer->elem));
    break;
  }
  case OP_DOT:
    if (dot_instruction(op) != DOT_FMA) break;
    for (DotOperand which = DOT_A; which <= DOT_B; which++)
      if (op_operand(op, which)->type->kind == TYPE_SHARED) count_operand(scratch, &s, op, which);
    break;
  case OP_SHARED_GATHER: return count_chosen(op, op_result(op)->type);
  case OP_SHARED_COUNT: return count_chosen(op, tile);
  default: break;
  }
  return exactly(&s.count);
}
