// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rotate_loops: a loop's first product, and what is computed of it, come an iteration ahead of its second.
//
// before  for %i = %l to %u, %acc {stagger} {     after  if %l < %u {
//           wait, barrier, copies ahead                    wait, barrier, copies ahead
//           %s0 = dot %q, %k, 0 {async}                    %s0 = dot %q, %k, 0 {async}
//           %s = dot_wait %s0                              %s = dot_wait %s0
//           ... %p of %s, %f its factors ...               ... %p, %f ...
//           %a = mul %acc, %f                              for %i = %l + step to %u, %acc, %p, %f {
//           %o0 = dot %p, %v, %a {async}                     wait, barrier, copies ahead
//           %o = dot_wait %o0                                %s0 = dot %q, %k, 0 {async}
//           yield %o                                         %a = mul %acc, %f
//         }                                                  %o0 = dot %p, %v, %a {async}
//                                                            %s = dot_wait %s0 {pending = 1}
//                                                            ... %p2, %f2 ...
//                                                            %o = dot_wait %o0 {pending = 0}
//                                                            yield %o, %p2, %f2
//                                                          }
//                                                          wait, barrier
//                                                          %o = dot_wait (dot %p, %v, mul(%acc, %f))
//                                                        }
// needs   pipeline's rings, one of the second product's operand alone; before place_barriers
// keeps   every value: the same ops on the same numbers, an iteration's second part in the next one's body
// breaks  nothing
// pays    the second product runs while exponentials, maxima and sums of the next iteration are computed
//
// The second product's wait has what was computed under it as operands, or ptxas would put it above that: sums of the row
// (`pinned`), and the operand that is packed for the next product, which passes through. Conversions of that stand behind the wait:
// to write registers while a product is under way has ptxas wait after each one.
#include "ir/build.h"
#include "ir/clone.h"
#include "ir/ring.h"
#include "ir/scratch.h"
#include "passes/rotate_parts.h"

typedef struct Rotator {
  Rotation r;
  Arena *arena;
  CloneMap early, late;
  int64_t step;
  uint8_t *done; // by op id: the early op stands in the region that is being filled
} Rotator;

typedef struct RotatedValues {
  VEC(Value *) list;
} RotatedValues;

static void push(Rotator *t, RotatedValues *to, Value *value) { vec_push(t->arena, &to->list, value); }

// --- ops of one part

static void emit_early(Rotator *t, Builder *b, const Op *op) {
  if (t->done[op->id]) return;
  t->done[op->id] = 1;
  op_clone(b, op, &t->early);
}

static void take_operands(Rotator *t, Builder *b, const Op *op);

// What a late op takes of the early ones is carried, or made anew.
static void take_value(Rotator *t, Builder *b, Value *value) {
  const Op *def = rotated_def(&t->r, value);
  if (!def || t->late.at[value->id]) return;
  take_operands(t, b, def);
  op_clone(b, def, &t->late);
}

static void take_operands(Rotator *t, Builder *b, const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) take_value(t, b, op_operand(op, i));
  for (uint32_t k = 0; k < op->region_count; k++)
    for (const Op *inner = op->regions[k]->first; inner; inner = inner->next) take_operands(t, b, inner);
}

static void emit_late(Rotator *t, Builder *b, const Op *op) {
  if (op->result_count && t->late.at[op_result(op)->id]) return; // taken already
  take_operands(t, b, op);
  op_clone(b, op, &t->late);
}

enum { FOR_EARLY = 1, FOR_LATE = 2 };

// What everyone does before slots are used: waits for copies of the parts that follow, fences and barriers.
static void emit_for_both(Rotator *t, Builder *b, int parts) {
  const Region *body = t->r.loop->regions[0];
  bool waits = false;
  for (const Op *op = body->first; op != body->last; op = op->next) {
    if (rotated_part(&t->r, op) != PART_BOTH) continue;
    if (op->kind != OP_ASYNC_WAIT) {
      if (parts & FOR_EARLY || waits) op_clone(b, op, &t->early);
      continue;
    }
    RotatedValues tokens = {0};
    int64_t pending = op_int(op, ATTR_PENDING, 0);
    for (uint32_t i = 0; i < op->operand_count; i++) {
      Value *token = op_operand(op, i);
      bool late = token->index > 0 && t->r.late_args[token->index - 1];
      if (parts & (late ? FOR_LATE : FOR_EARLY))
        push(t, &tokens, clone_get(late ? &t->late : &t->early, token));
      else if (late)
        pending++; // the late ones' group was closed behind
    }
    if (!tokens.list.n) continue;
    waits = true;
    b->loc = op->loc;
    op_set_attr(build_op(b, OP_ASYNC_WAIT, tokens.list.n, tokens.list.at, 0, NULL),
                (Attr){.key = ATTR_PENDING, .i = pending});
  }
}

// --- what is computed before the second product's wait

static bool is_sum(const Value *value) {
  return type_is_tile(value->type) &&
         (type_is_elem(value->type, ELEM_FP32) || type_is_elem(value->type, ELEM_I32));
}

// The early value of which the next second product's operand is packed, behind the wait; NULL: it is packed elsewhere.
static Value *packed_from(const Rotation *r) {
  Value *value = op_operand(r->dots.second, 0);
  const Op *def = rotated_def(r, value);
  while (def && rotated_part(r, def) == PART_PACKED) {
    value = op_operand(def, 0);
    def = rotated_def(r, value);
  }
  return def && value != op_operand(r->dots.second, 0) && is_sum(value) ? value : NULL;
}

// Few registers which all of `from` are needed for: what the loop carries of it.
static void push_pins(Rotator *t, RotatedValues *to, const Value *from) {
  enum { MOST_WORDS = 4 };
  const uint8_t *marks = loop_hangs_on(t->arena, t->r.func, t->r.loop, from->def);
  for (uint32_t i = 0; i < t->r.loop->result_count; i++) {
    Value *value = loop_yielded(t->r.loop, i);
    const Op *def = rotated_def(&t->r, value);
    if (def && rotated_part(&t->r, def) == PART_EARLY && marks[value->id] && is_sum(value) &&
        tile_words(value->type) <= MOST_WORDS)
      push(t, to, clone_get(&t->early, value));
  }
}

static void emit_second_wait(Rotator *t, Builder *b) {
  const Op *wait = t->r.dots.second_wait;
  Value *packed = packed_from(&t->r);
  RotatedValues operands = {0};
  const Type *types[2] = {op_result(wait)->type, packed ? packed->type : NULL};
  push(t, &operands, clone_get(&t->late, op_operand(wait, 0)));
  if (packed) {
    push(t, &operands, clone_get(&t->early, packed));
    push_pins(t, &operands, packed);
  }
  b->loc = wait->loc;
  Op *made = build_op(b, OP_DOT_WAIT, operands.list.n, operands.list.at, packed ? 2 : 1, types);
  op_copy_attrs(made, wait);
  op_set_flag(made, ATTR_PINNED, operands.list.n > 2);
  clone_set(&t->late, op_result(wait), &made->results[0]);
  if (packed) clone_set(&t->early, packed, &made->results[1]);
}

// --- the three regions of code

// The early ops up to the first product and its wait, of which the slots that it read are free then.
static void emit_wait_of_first(Rotator *t, Builder *b, uint32_t pending) {
  const Region *body = t->r.loop->regions[0];
  const Op *wait = t->r.dots.first_wait;
  emit_early(t, b, wait);
  Op *made = clone_get(&t->early, op_result(wait))->def;
  op_set_attr(made, (Attr){.key = ATTR_PENDING, .i = pending});
  for (const Op *op = body->first; op != body->last; op = op->next) {
    const Op *ring = op->kind == OP_RING_RELEASE ? rotated_def(&t->r, op_operand(op, 0)) : NULL;
    if (ring && rotated_part(&t->r, op) == PART_EARLY && t->done[ring->id]) emit_early(t, b, op);
  }
}

static void emit_parts(Rotator *t, Builder *b, const Op *from, const Op *end, uint32_t parts) {
  for (const Op *op = from; op != end; op = op->next) {
    RotatedPart part = rotated_part(&t->r, op);
    if (!(parts >> part & 1)) continue;
    if (rotated_is_late(&t->r, op))
      emit_late(t, b, op);
    else
      emit_early(t, b, op);
  }
}

enum { EARLY = 1 << PART_EARLY, PACKED = 1 << PART_PACKED, LATE = 1 << PART_LATE, FILLS = 1 << PART_FILLS };

static void begin_region(Rotator *t) {
  memset(t->done, 0, t->r.func->op_count);
  memset(t->late.at, 0, t->late.count * sizeof *t->late.at);
}

static void emit_prologue(Rotator *t, Builder *b) {
  const Op *loop = t->r.loop;
  const Region *body = loop->regions[0];
  begin_region(t);
  clone_set(&t->early, loop_index(loop), loop_lower(loop));
  for (uint32_t i = 0; i < loop->result_count; i++)
    clone_set(&t->early, loop_carried(loop, i), loop_init(loop, i));
  emit_for_both(t, b, FOR_EARLY);
  emit_parts(t, b, body->first, t->r.dots.first_wait, EARLY);
  emit_wait_of_first(t, b, 0);
  emit_parts(t, b, t->r.dots.first_wait, body->last, EARLY);
  emit_parts(t, b, body->first, body->last, PACKED);
}

static void emit_body(Rotator *t, Builder *b) {
  const Region *body = t->r.loop->regions[0];
  const StaggeredDots *dots = &t->r.dots;
  emit_for_both(t, b, FOR_EARLY | FOR_LATE);
  emit_parts(t, b, body->first, dots->first->next, EARLY | FILLS);
  emit_parts(t, b, body->first, dots->second->next, LATE);
  emit_wait_of_first(t, b, 1);
  emit_parts(t, b, dots->first_wait, body->last, EARLY);
  emit_second_wait(t, b);
  emit_parts(t, b, body->first, body->last, PACKED);
  emit_parts(t, b, dots->second_wait->next, body->last, LATE | FILLS);
}

// Nothing is filled any more.
static void emit_epilogue(Rotator *t, Builder *b) {
  const Region *body = t->r.loop->regions[0];
  emit_for_both(t, b, FOR_LATE);
  for (const Op *op = body->first; op != body->last; op = op->next) {
    if (rotated_part(&t->r, op) == PART_LATE) emit_late(t, b, op);
    if (rotated_part(&t->r, op) == PART_FILLS && op->kind == OP_RING_FILL)
      clone_set(&t->late, ring_result(op), clone_get(&t->late, op_operand(op, 0)));
  }
}

// --- the loop

// The second iteration's index; the bound where there is none.
static Value *second_index(const Rotator *t, Builder *b) {
  IrContext *ir = t->r.func->module->ir;
  Value *lower = loop_lower(t->r.loop), *upper = loop_upper(t->r.loop);
  const Type *type = lower->type,
             *distance = type_scalar(ir, elem_bytes(type->elem) == 8 ? ELEM_U64 : ELEM_U32);
  bool down = t->step < 0;
  Value *left = build_cast(b, build_binary(b, OP_SUB, down ? lower : upper, down ? upper : lower), distance);
  Value *another = build_binary(b, OP_GT, left, build_int(b, distance, down ? -t->step : t->step));
  Value *next = build_binary(b, OP_ADD, lower, build_int(b, type, t->step));
  return build(b, OP_SELECT, type, another, next, upper);
}

// What is late enters as it was before the loop, what is early as the prologue leaves it.
static Op *make_loop(Rotator *t, Builder *b) {
  const Op *loop = t->r.loop;
  RotatedValues init = {0};
  for (uint32_t i = 0; i < loop->result_count; i++)
    push(t, &init, t->r.late_args[i] ? loop_init(loop, i) : clone_get(&t->early, loop_yielded(loop, i)));
  for (uint32_t i = 0; i < t->r.crossing.n; i++) push(t, &init, clone_get(&t->early, t->r.crossing.at[i]));
  b->loc = loop->loc;
  Op *made = build_for(b, second_index(t, b), loop_upper(loop), loop_step(loop), init.list.n, init.list.at);
  op_copy_attrs(made, loop);
  op_remove_attr(made, ATTR_STAGGER);
  return made;
}

static void fill_loop(Rotator *t, Op *made) {
  const Op *loop = t->r.loop;
  Region *region = made->regions[0];
  Builder b = builder_at_end(t->r.func, region);
  uint32_t carried = loop->result_count;
  begin_region(t);
  b.loc = loop->loc;
  clone_set(&t->early, loop_index(loop), region->args[0]);
  region->args[0]->name = loop_index(loop)->name;
  for (uint32_t i = 0; i < carried; i++) {
    clone_set(t->r.late_args[i] ? &t->late : &t->early, loop_carried(loop, i), region->args[i + 1]);
    region->args[i + 1]->name = loop_carried(loop, i)->name;
  }
  for (uint32_t i = 0; i < t->r.crossing.n; i++)
    clone_set(&t->late, t->r.crossing.at[i], region->args[carried + 1 + i]);
  emit_body(t, &b);
  RotatedValues yielded = {0};
  for (uint32_t i = 0; i < carried; i++)
    push(t, &yielded, clone_get(t->r.late_args[i] ? &t->late : &t->early, loop_yielded(loop, i)));
  for (uint32_t i = 0; i < t->r.crossing.n; i++) push(t, &yielded, clone_get(&t->early, t->r.crossing.at[i]));
  b.loc = loop->regions[0]->last->loc;
  build_yield(&b, yielded.list.n, yielded.list.at);
}

static void emit_rotated(Rotator *t, Builder *b, RotatedValues *results) {
  const Op *loop = t->r.loop;
  uint32_t carried = loop->result_count;
  b->loc = loop->loc;
  emit_prologue(t, b);
  Op *made = make_loop(t, b);
  fill_loop(t, made);
  begin_region(t);
  for (uint32_t i = 0; i < carried; i++)
    if (t->r.late_args[i]) clone_set(&t->late, loop_carried(loop, i), &made->results[i]);
  for (uint32_t i = 0; i < t->r.crossing.n; i++)
    clone_set(&t->late, t->r.crossing.at[i], &made->results[carried + i]);
  b->loc = loop->loc;
  emit_epilogue(t, b);
  for (uint32_t i = 0; i < carried; i++)
    if (!value_unused(&loop->results[i]))
      push(t, results, t->r.late_args[i] ? clone_get(&t->late, loop_yielded(loop, i)) : &made->results[i]);
}

// In a branch: the products before and after the loop are an iteration's.
static void replace_loop(Rotator *t) {
  Op *loop = t->r.loop;
  Builder b = builder_before(loop);
  const Type **types = ARENA_ARRAY(t->arena, const Type *, loop->result_count + 1);
  RotatedValues some = {0}, none = {0};
  for (uint32_t i = 0; i < loop->result_count; i++) {
    if (value_unused(&loop->results[i])) continue;
    types[none.list.n] = loop->results[i].type;
    push(t, &none, loop_init(loop, i));
  }
  Value *any = build_binary(&b, t->step < 0 ? OP_GT : OP_LT, loop_lower(loop), loop_upper(loop));
  Op *branch = build_if(&b, any, none.list.n, types);
  Builder inner = builder_at_end(t->r.func, branch->regions[0]),
          otherwise = builder_at_end(t->r.func, branch->regions[1]);
  emit_rotated(t, &inner, &some);
  inner.loc = otherwise.loc = loop->loc;
  build_yield(&inner, some.list.n, some.list.at);
  build_yield(&otherwise, none.list.n, none.list.at);
  for (uint32_t i = 0, at = 0; i < loop->result_count; i++)
    if (!value_unused(&loop->results[i])) value_replace_uses(&loop->results[i], &branch->results[at++]);
  op_erase(loop);
}

// --- which loops

// What pipeline has made anew an iteration ahead.
static void erase_dead(Op *loop) {
  for (Op *op = loop->regions[0]->last, *before; op; op = before) {
    before = op->prev;
    bool used = op_has(op, TERMINATOR) || !op_is_dead(op);
    for (uint32_t i = 0; i < op->result_count; i++) used |= !value_unused(&op->results[i]);
    if (!used) op_erase(op);
  }
}

static bool fills_slots(const Op *loop) {
  const Op *op = loop->regions[0]->first;
  while (op && op->kind != OP_RING_FILL) op = op->next;
  return op != NULL;
}

// Of what is filled ahead; a channel that others fill is taken behind the loop as the last iteration leaves it.
static bool carries_slots_out(const Op *loop) {
  bool fills = fills_slots(loop);
  for (uint32_t i = 0; i < loop->result_count; i++) {
    int kind = loop->results[i].type->kind;
    if (((kind == TYPE_RING && fills) || kind == TYPE_TOKEN) && !value_unused(&loop->results[i])) return true;
  }
  return false;
}

static void rotate_loop(PassContext *context, Func *func, Op *loop) {
  Rotator t = {.r = {.context = context, .func = func, .loop = loop}, .arena = context->scratch};
  op_remove_attr(loop, ATTR_STAGGER);
  erase_dead(loop);
  func_number(func);
  bool found =
      staggered_dots_find(loop, &t.r.dots) && value_int_constant(loop_step(loop), &t.step) && t.step != 0;
  if (!found || carries_slots_out(loop)) t.r.why = "the loop is another one than was marked";
  if (t.r.why || !rotation_find(&t.r)) {
    diag_remark(context->diags, loop->loc, "rotate_loops", "not rotated: %s", t.r.why);
    return;
  }
  t.early = clone_map_new(t.arena, func);
  t.late = clone_map_new(t.arena, func);
  t.done = ARENA_ARRAY(t.arena, uint8_t, func->op_count);
  diag_remark(context->diags, t.r.dots.second->loc, "rotate_loops",
              "the product is under way while the next iteration's operand of it is computed");
  replace_loop(&t);
}

bool pass_rotate_loops(PassContext *context, Func *func) {
  const StaggeredLoops marked = staggered_loops(context->scratch, func);
  for (uint32_t i = 0; i < marked.list.n; i++) rotate_loop(context, func, marked.list.at[i]);
  return marked.list.n != 0;
}
