// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of warp_groups: the split of the CTA's warps and registers, and the values that groups share.
//
// Groups run concurrently, and only channels order them. So a buffer belongs to one group, except for channel
// slots. A group's barrier names its participating warps. All groups run the code before the op.
#include <inttypes.h>

#include "base/integer.h"
#include "ir/memory/groups.h"
#include "ir/memory/ring.h"
#include "target/target.h"
#include "ir/verify/verify_parts.h"

enum { WARPGROUP = 4 };

// --- the op by itself

static bool check_warps(Verifier *v, const Op *op) {
  const Attr *warps = op_attr(op, ATTR_GROUP_WARPS);
  uint64_t sum = 0;
  if (warps->ints.n < 2 || warps->ints.n > GROUPS_MOST)
    return verify_fail(v, op, "there are 2 to %d groups, not %u", GROUPS_MOST, warps->ints.n);
  for (uint32_t i = 0; i < warps->ints.n; i++) {
    int64_t n = warps->ints.at[i];
    if (n < 1 || n > NUM_WARPS_MAX || (i > 0 && !is_power_of_two((uint64_t)n)))
      return verify_fail(v, op, "group %u has a power of two of warps from 1 to %d, not %" PRId64, i,
                         NUM_WARPS_MAX, n);
    if (sum % (uint64_t)n)
      verify_fail(v, op,
                  "group %u of %" PRId64 " warps begins at warp %" PRIu64 ", which is not a multiple of them",
                  i, n, sum);
    sum += (uint64_t)n;
  }
  int64_t own = warps->ints.at[0],
          all = v->module->target.num_warps; // fewer: warpgroups with only padding do not run
  if (own != all && (own > all || own <= all / 2 || own % WARPGROUP))
    verify_fail(v, op,
                "group 0 has num_warps warps, %" PRId64
                ", or whole warpgroups more than half of them, not %" PRId64,
                all, own);
  if (sum > NUM_WARPS_MAX) verify_fail(v, op, "the groups have %" PRIu64 " warps, of %d", sum, NUM_WARPS_MAX);
  return v->ok;
}

// Registers move between warpgroups. Group 0 gets those that the other groups release.
static void check_registers(Verifier *v, const Op *op) {
  const Attr *registers = op_attr(op, ATTR_GROUP_REGISTERS);
  const TargetInfo *info = v->module->target.arch;
  if (!registers) return;
  if (!info->setmaxnreg_most) {
    verify_fail(v, op, "'group_registers' needs setmaxnreg, which %s has not", info->name);
    return;
  }
  uint32_t sum = 0, warps = func_warps(v->func), entry = info->registers / (32 * warps) / 8 * 8, most = 0;
  for (uint32_t i = 0; i < registers->ints.n; i++)
    if (registers->ints.at[i] > most) most = (uint32_t)registers->ints.at[i];
  if (entry > most) entry = most; // ptxas gives no more at the entry
  for (uint32_t i = 0; i < registers->ints.n; i++) {
    int64_t n = registers->ints.at[i];
    if (group_warps(op, i) % WARPGROUP)
      verify_fail(v, op, "group %u is not a whole number of warpgroups, which setmaxnreg changes", i);
    if (n < info->setmaxnreg_least || n > info->setmaxnreg_most || n % 8)
      verify_fail(v, op, "group %u has a multiple of 8 registers from %u to %u, not %" PRId64, i,
                  info->setmaxnreg_least, info->setmaxnreg_most, n);
    else if (i == 0 ? n < entry : n > entry)
      verify_fail(v, op, "group %u has %" PRId64 " registers, %s than the %u that the CTA begins with", i, n,
                  i ? "more" : "fewer", entry);
    sum += v->ok ? (uint32_t)n * 32 * group_warps(op, i) : 0;
  }
  if (v->ok && sum > entry * 32 * warps)
    verify_fail(v, op, "the groups have %u registers, and the CTA begins with %u", sum, entry * 32 * warps);
}

void verify_warp_groups(Verifier *v, const Op *op) {
  const AttrKey keys[] = {ATTR_GROUP_REGISTERS, ATTR_GROUP_THREADS};
  if (op != func_groups(v->func)) {
    verify_fail(v, op, "it is the last op before the kernel's return, or before the end of tensor memory");
    return;
  }
  if (!check_warps(v, op)) return;
  for (uint32_t k = 0; k < 2; k++) {
    const Attr *attr = op_attr(op, keys[k]);
    if (attr && attr->ints.n != groups_count(op)) {
      verify_fail(v, op, "'%s' has %u numbers for %u groups", attr_info(keys[k])->name, attr->ints.n,
                  groups_count(op));
      return;
    }
  }
  check_registers(v, op);
  const Attr *threads = op_attr(op, ATTR_GROUP_THREADS);
  for (uint32_t i = 0; threads && i < threads->ints.n; i++)
    if (threads->ints.at[i] != 32 * group_warps(op, i) && (i == 0 || threads->ints.at[i] != 1))
      verify_fail(v, op, "group %u has %u threads%s, not %" PRId64, i, 32 * group_warps(op, i),
                  i ? " or 1" : "", threads->ints.at[i]);
  for (uint32_t i = 0; i < op->region_count; i++)
    if (op->regions[i]->arg_count) verify_fail(v, op, "its regions have no arguments");
}

// --- contents of the regions

typedef struct GroupChecker {
  Verifier *v;
  const Op *groups;
  uint32_t *buffer; // By the alloc op's id: the group that uses it, plus 1; 0: none.
  uint32_t *end;    // By value id, for a channel's rings: the same.
  bool lowered;     // Channels have become mbarriers, which order the groups' accesses to buffers.
} GroupChecker;

static bool hands_slots_on(const Op *op) { return op->kind == OP_RING_FILL || op->kind == OP_RING_WAIT; }

static const Op *alloc_of(const Value *buffer) {
  const Op *def = value_viewed(buffer)->def;
  return def && def->kind == OP_SHARED_ALLOC ? def : NULL;
}

// Checks that only one group uses it.
static void take_barrier(GroupChecker *c, const Op *op, uint32_t *taken, uint32_t group, const char *what) {
  if (*taken && *taken != group + 1)
    verify_fail(c->v, op, "group %u uses %s that group %u does", group, what, *taken - 1);
  *taken = group + 1;
}

static void check_operand(GroupChecker *c, const Op *op, const Value *value, uint32_t group) {
  if (value_is_within(value, c->groups)) return;
  if (value->type->kind == TYPE_SHARED && !c->lowered && !hands_slots_on(op) && alloc_of(value))
    take_barrier(c, op, &c->buffer[alloc_of(value)->id], group, "a buffer");
  if (value->type->kind == TYPE_RING) take_barrier(c, op, &c->end[value->id], group, "a ring");
}

// A group of one thread has no tiles and no barriers.
static void check_thread(GroupChecker *c, const Op *op, uint32_t group) {
  bool tiles = op_has(op, SYNC);
  for (uint32_t i = 0; i < op->operand_count; i++) tiles |= type_is_tile(op_operand(op, i)->type);
  for (uint32_t i = 0; i < op->result_count; i++) tiles |= type_is_tile(op->results[i].type);
  if (tiles) verify_fail(c->v, op, "group %u is one thread: it has no tiles and no barriers", group);
}

static void check_region(GroupChecker *c, const Region *region, uint32_t group) {
  for (OpWalk w = ops_in(region); c->v->ok && ops_next(&w);) {
    const Op *op = w.op;
    for (uint32_t i = 0; i < op->operand_count; i++) check_operand(c, op, op_operand(op, i), group);
    if (group_is_thread(c->groups, group)) check_thread(c, op, group);
    if (op->kind == OP_BARRIER && !(op_int(op, ATTR_ID, 0) && op_attr(op, ATTR_WARPS)))
      verify_fail(c->v, op, "of a group it has an 'id' that is not 0, and its 'warps'");
  }
}

// All the CTA's warps run this code, and the layouts are group 0's.
static void check_before(GroupChecker *c) {
  for (const Op *op = c->v->func->body->first; op != c->groups; op = op->next) {
    bool tiles = op->region_count > 0;
    c->lowered |= op->kind == OP_MBARRIER_INIT;
    for (uint32_t i = 0; i < op->result_count; i++) tiles |= type_is_tile(op->results[i].type);
    if (tiles || (op_has(op, WRITES) && !op_has(op, SETUP)))
      verify_fail(c->v, op, "ops before warp_groups have no tiles and no regions, and write nothing");
  }
}

static void check_channels(GroupChecker *c) {
  for (const Op *op = c->v->func->body->first; op && c->v->ok; op = op->next) {
    if (op->kind != OP_CHANNEL) continue;
    uint32_t fills = c->end[op->results[0].id], reads = c->end[op->results[1].id];
    if (!fills || !reads || fills == reads) verify_fail(c->v, op, "two groups use its rings, one each");
  }
}

static void check_no_channels(Verifier *v) {
  for (OpWalk w = ops_in(v->func->body); ops_next(&w);)
    if (w.op->kind == OP_CHANNEL && (w.op->region->parent || !func_groups(v->func)))
      verify_fail(v, w.op, "it is in the body of a kernel with warp_groups");
}

void verify_groups(Verifier *v) {
  GroupChecker c = {.v = v, .groups = func_groups(v->func)};
  check_no_channels(v);
  if (!c.groups || !v->ok) return;
  c.buffer = ARENA_ARRAY(&v->scratch, uint32_t, v->func->op_count);
  c.end = ARENA_ARRAY(&v->scratch, uint32_t, v->func->value_count);
  check_before(&c);
  for (uint32_t i = 0; i < c.groups->region_count; i++) check_region(&c, c.groups->regions[i], i);
  check_channels(&c);
}
