// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts for transpositions. Two accesses to one value may run along different dimensions. Each then gets, in addition
// to its anchor, layouts in which a thread also holds some of the other's run: a block of both runs. Then both accesses
// are vectors. The conversion between them also writes and reads vectors, of registers that both sides have. The rest
// is a transposition within threads.
#include "base/integer.h"
#include "passes/layouts/propagate.h"
#include "target/tuning.h"

// The index bits of a run, in the tile of a value.
typedef struct AccessRun {
  uint32_t basis[8], n;
} AccessRun;

// The operand of the access that belongs to the component; NULL: its result does, or none.
static Value *shown_by(Propagator *p, const GraphAccess *access, uint32_t root) {
  for (uint32_t i = 0; i < access->op->operand_count; i++) {
    Value *operand = op_operand(access->op, i);
    if (p->lazy[operand->id] || !type_is_tile(operand->type)) continue;
    if (propagate_root(p, propagate_source(p, operand)->id) == root) return operand;
  }
  return NULL;
}

static Layout of_run(const AccessRun *run, uint64_t elements) {
  Layout layout = {.bits = {[DIM_REGISTER] = (uint8_t)run->n}, .out_bits = (uint8_t)log2_of(elements)};
  for (uint32_t i = 0; i < run->n; i++) layout.basis[i] = run->basis[i];
  return layout;
}

// The run of `other` as an index of the tile that `access` moves; empty if they do not have the same elements.
static AccessRun run_of_other(Propagator *p, const GraphAccess *access, const GraphAccess *other,
                              uint32_t root) {
  Value *from = shown_by(p, other, root), *to = shown_by(p, access, root);
  const uint64_t elements = type_elements(op_operand(access->op, 0)->type);
  AccessRun run = {.n = log2_of(access_vector(other, other->anchor))};
  for (uint32_t i = 0; i < run.n; i++) run.basis[i] = UINT32_C(1) << (other->shift + i);
  Layout probe = of_run(&run, elements);
  const Layout *at = layout_intern(p->func->module->ir, &probe);
  if (from) at = propagate_back(p, from, at);
  if (at && to) at = propagate_forward(p, to, at);
  if (!at || at->bits[DIM_REGISTER] != run.n || at->out_bits != probe.out_bits) return (AccessRun){.n = 0};
  for (uint32_t i = 0; i < run.n; i++) run.basis[i] = at->basis[i];
  return run;
}

static bool run_has(const AccessRun *run, uint32_t basis) {
  for (uint32_t i = 0; i < run->n; i++)
    if (run->basis[i] == basis) return true;
  return false;
}

static bool is_full(const Layout *layout) {
  for (uint32_t i = 0; i < layout_in_bits(layout); i++)
    if (!layout->basis[i]) return false;
  return true;
}

// Takes the anchor's bases. Registers get the first `vector` of them and then the other's run. Lanes, warps and the
// other registers get the rest, in the anchor's order.
static const Layout *block_of(Propagator *p, const GraphAccess *access, uint32_t vector,
                              const AccessRun *other) {
  const Layout *anchor = access->anchor;
  const uint32_t n = layout_in_bits(anchor), registers = anchor->bits[DIM_REGISTER], threads = n - registers;
  const uint32_t own = log2_of(access_vector(access, anchor));
  uint32_t rest[LAYOUT_MAX_BITS], count = 0;
  for (uint32_t i = vector; i < n; i++) {
    uint32_t at = i < own ? i : i < own + threads ? registers + i - own : i - threads;
    if (!run_has(other, anchor->basis[at])) rest[count++] = anchor->basis[at];
  }
  if (count + vector + other->n != n) return NULL;
  Layout layout = *anchor;
  for (uint32_t i = 0; i < other->n; i++) layout.basis[vector + i] = other->basis[i];
  for (uint32_t i = 0; i < threads; i++) layout.basis[registers + i] = rest[i];
  for (uint32_t i = threads; i < count; i++) layout.basis[vector + other->n + i - threads] = rest[i];
  return layout_intern(p->func->module->ir, &layout);
}

static void add_paired(GraphAccess *access, const Layout *layout) {
  for (uint32_t i = 0; i < MAX_PAIRED; i++) {
    if (access->paired[i] == layout) return;
    if (access->paired[i]) continue;
    access->paired[i] = layout;
    return;
  }
}

static void pair_access(Propagator *p, GraphAccess *access, const GraphAccess *other, uint32_t root) {
  if (!is_full(access->anchor)) return;
  if (type_elements(op_operand(access->op, 0)->type) != type_elements(op_operand(other->op, 0)->type)) return;
  const AccessRun run = run_of_other(p, access, other, root);
  const uint32_t registers = access->anchor->bits[DIM_REGISTER];
  const uint32_t own = log2_of(access_vector(access, access->anchor));
  if (run.n == 0 ||
      (run.basis[0] >> access->shift && run.basis[0] >> access->shift < UINT32_C(1) << access->bits))
    return;
  for (uint32_t less = 0; less <= TUNE_PAIR_NARROWER && less <= own; less++) {
    AccessRun part = run;
    if (part.n > registers - (own - less)) part.n = registers - (own - less);
    const Layout *layout = part.n ? block_of(p, access, own - less, &part) : NULL;
    if (layout) add_paired(access, layout);
  }
}

// Pairs each of the component's accesses with the first one that runs along another dimension.
static void pair_in_component(Propagator *p, uint32_t root) {
  for (const GraphTouch *one = p->touches[root]; one; one = one->next)
    for (const GraphTouch *two = p->touches[root]; two; two = two->next)
      if (one->access && two->access && one->access != two->access && !one->access->paired[0])
        pair_access(p, one->access, two->access, root);
}

void propagate_pair(Propagator *p) {
  enum { MAX_ACCESSES = 64 }; // In one component: pairs are tried one by one.
  for (uint32_t i = 0; i < p->components.n; i++) {
    uint32_t root = p->components.at[i].root, count = 0;
    for (const GraphTouch *touch = p->touches[root]; touch; touch = touch->next)
      count += touch->access != NULL;
    if (count > 1 && count <= MAX_ACCESSES && !p->fixed[root]) pair_in_component(p, root);
  }
}

const Layout *propagate_spread(Propagator *p, const GraphAccess *access, const Layout *layout) {
  const uint32_t lanes = layout_first_bit(layout, DIM_LANE), end = lanes + layout->bits[DIM_LANE];
  uint32_t kept = log2_of(access_vector(access, layout)), at = kept;
  Layout spread = *layout;
  for (uint32_t lane = lanes; lane < end && at < lanes; lane++)
    if (!spread.basis[lane]) spread.basis[lane] = layout->basis[at++];
  if (at == kept) return NULL;
  for (uint32_t i = at; i < layout_in_bits(layout); i++) spread.basis[i - at + kept] = spread.basis[i];
  spread.bits[DIM_REGISTER] = (uint8_t)(lanes - (at - kept));
  for (uint32_t i = layout_in_bits(&spread); i < LAYOUT_MAX_BITS; i++) spread.basis[i] = 0;
  return layout_intern(p->func->module->ir, &spread);
}
