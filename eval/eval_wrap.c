// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrapping offsets: integers of 32 bits or fewer that overflowed in a sum, difference, multiplication or left
// shift, and then reached the address of an access.
//
// Besides the integer, its tile keeps the value without overflow, in 64 bits (Wrapped.truth). The truth is
// kept through + - * << min max, widening, choices, and moves of elements. A pointer that the integer is
// added to keeps it too. If both values agree again, nothing was lost. Other ops (xor, and, %, //, >>,
// comparisons, narrowing) use the wrapped bits on purpose: hashes are not reported.
//
// Only values that contribute to an address are tracked, which is known before the launch. A stepper shows
// what wrapped, so all are. Tiles in which nothing wrapped keep nothing.
#include <inttypes.h>
#include <string.h>
#include "base/fault.h"
#include "eval/eval_machine.h"

enum { MAX_WRAPS = 1 << 16, MAX_REPORTS = 16, MAX_NEWS = 3 };

// One operation that wrapped, with its operands.
struct Wrap {
  const Op *op;
  uint64_t a, b, exact, got;
};

struct WrapState {
  bool *tracked;     // by Value.id
  const Wrap **last; // by Op.id; NULL: it never wrapped
  bool *reported;    // by Op.id
  uint32_t wraps, reports;
  VEC(const Value *) todo;
  const Wrap *news[MAX_NEWS]; // of different ops of the kernel's file, since the stepper's last stop
  uint32_t news_count;
  Arena *arena;
};

// ---- values that addresses are made of ----

static void track(WrapState *s, const Value *value) {
  const Type *element = type_element(value->type);
  bool is_int = element->kind == TYPE_SCALAR && elem_is_int(element->elem) && element->elem != ELEM_I1;
  if (!is_int && element->kind != TYPE_PTR && element->kind != TYPE_BLOCK_PTR) return;
  if (s->tracked[value->id]) return;
  s->tracked[value->id] = true;
  vec_push(s->arena, &s->todo, value);
}

static void track_argument(WrapState *s, const Value *value) {
  const Op *parent = value->region->parent;
  if (!parent) return;
  if (parent->kind == OP_FOR && value->index > 0) track(s, &parent->results[value->index - 1]);
  if (parent->kind != OP_WHILE) return;
  bool before = value->region == parent->regions[0];
  if (before) track(s, op_operand(parent, value->index));
  track(s, op_operand(parent->regions[before]->last, value->index + !before));
}

static void track_result(WrapState *s, const Value *value) {
  const Op *op = value->def;
  if (op->kind == OP_FOR) {
    track(s, loop_init(op, value->index));
    track(s, loop_yielded(op, value->index));
  } else if (op->kind == OP_WHILE) {
    track(s, op_operand(op->regions[0]->last, value->index + 1));
  } else {
    for (uint32_t i = 0; i < op->region_count; i++)
      if (op->regions[i]->last && op->regions[i]->last->kind == OP_YIELD)
        track(s, op_operand(op->regions[i]->last, value->index));
  }
}

// Returns true if the operands' 64-bit values determine the result's.
static bool keeps_truth(OpKind kind) {
  if (op_traits[kind] & (ARITHMETIC | CHOOSES | CONVERTS | MOVES | SPREADS)) return true;
  switch ((int)kind) {
  case OP_SHL:
  case OP_NEG:
  case OP_COPY:
  case OP_HINT:
  case OP_CONVERT_LAYOUT:
  case OP_FLIP:
  case OP_GATHER:
  case OP_ADDPTR:
  case OP_MAKE_BLOCK_PTR:
  case OP_ADVANCE: return true;
  default: return false;
  }
}

void eval_wraps_begin(Machine *m) {
  if (!m->options.wraps) return;
  WrapState *s = m->wraps = ARENA_NEW(m->arena, WrapState);
  s->arena = m->arena;
  s->tracked = ARENA_ARRAY(m->arena, bool, m->func->value_count);
  s->reported = ARENA_ARRAY(m->arena, bool, m->func->op_count);
  s->last = ARENA_ARRAY(m->arena, const Wrap *, m->func->op_count);
  for (OpWalk w = ops_in(m->func->body); ops_next(&w);) {
    if (op_has(w.op, GLOBAL)) track(s, op_operand(w.op, 0));
    for (uint32_t i = 0; m->options.step && i < w.op->result_count; i++) track(s, &w.op->results[i]);
  }
  while (s->todo.n) {
    const Value *value = vec_pop(&s->todo);
    if (!value->def)
      track_argument(s, value);
    else if (op_has(value->def, FLOW))
      track_result(s, value);
    else
      for (uint32_t i = 0; keeps_truth(value->def->kind) && i < value->def->operand_count; i++)
        track(s, op_operand(value->def, i));
  }
}

// ---- contents of tiles ----

static Wrapped wrapped_at(const Tile *t, uint32_t i) {
  if (t->wrapped && t->wrapped[i].at) return t->wrapped[i];
  return (Wrapped){NULL, t->bits[i]};
}

void eval_wrapped_free(Machine *m, Tile *t) {
  if (t->wrapped) eval_block_free(m->memory, t->wrapped, (uint64_t)t->n * sizeof *t->wrapped);
  t->wrapped = NULL;
}

static void set_wrapped(Machine *m, Tile *t, uint32_t i, Wrapped x) {
  if (!t->wrapped && (!x.at || x.truth == t->bits[i])) return;
  if (!t->wrapped) t->wrapped = eval_block(m->memory, (uint64_t)t->n * sizeof *t->wrapped);
  t->wrapped[i] = x.at && x.truth != t->bits[i] ? x : (Wrapped){0};
}

void eval_wrapped_copy(Machine *m, Tile *to, const Tile *from) {
  eval_wrapped_free(m, to);
  for (uint32_t i = 0; from->wrapped && i < to->n; i++) set_wrapped(m, to, i, wrapped_at(from, i));
}

// ---- arithmetic ----

static void add_news(WrapState *s, const Wrap *wrap) {
  const Op *op = wrap->op;
  if (s->news_count == MAX_NEWS || op->loc.file != op->region->func->loc.file) return;
  for (uint32_t i = 0; i < s->news_count; i++)
    if (s->news[i]->op == op) return;
  s->news[s->news_count++] = wrap;
}

static const Wrap *new_wrap(WrapState *s, const Op *op, uint64_t a, uint64_t b, uint64_t exact,
                            uint64_t got) {
  if (s->wraps >= MAX_WRAPS && s->last[op->id]) return s->last[op->id];
  Wrap *wrap = ARENA_NEW(s->arena, Wrap);
  *wrap = (Wrap){op, a, b, exact, got};
  s->wraps++;
  add_news(s, wrap);
  return s->last[op->id] = wrap;
}

static uint64_t exact_result(OpKind kind, uint64_t a, uint64_t b, uint64_t got, uint32_t width) {
  switch ((int)kind) {
  case OP_ADD: return a + b;
  case OP_SUB: return a - b;
  case OP_MUL: return a * b;
  case OP_SHL: return b < width ? a << b : got;
  case OP_MIN: return (int64_t)a < (int64_t)b ? a : b;
  case OP_MAX: return (int64_t)a > (int64_t)b ? a : b;
  default: BUG("%s has no exact result", op_info(kind)->name);
  }
}

static void wrap_binary(Machine *m, const Op *op, const Tile *a, const Tile *b, Tile *to) {
  uint32_t width = elem_info((Elem)to->code)->bits;
  bool before = a->wrapped || b->wrapped, choice = op->kind == OP_MIN || op->kind == OP_MAX;
  if (!before && (width == 64 || choice || m->wraps->reported[op->id])) return;
  for (uint32_t i = 0; i < to->n; i++) {
    Wrapped x = wrapped_at(a, i), y = wrapped_at(b, i);
    uint64_t exact = exact_result(op->kind, x.truth, y.truth, to->bits[i], width);
    const Wrap *at = x.at ? x.at : y.at;
    bool wraps = !at && exact != to->bits[i] && width < 64 && !choice && !m->wraps->reported[op->id];
    if (wraps && !((a->state[i] | b->state[i]) & UNDEFINED))
      at = new_wrap(m->wraps, op, a->bits[i], b->bits[i], exact, to->bits[i]);
    set_wrapped(m, to, i, (Wrapped){at, exact});
  }
}

// A cast to a narrower type keeps its bits on purpose.
static void wrap_unary(Machine *m, const Op *op, const Tile *a, Tile *to) {
  bool narrows = eval_code_bytes(to->code) < eval_code_bytes(a->code);
  if (!a->wrapped || narrows) return;
  for (uint32_t i = 0; i < to->n; i++) {
    Wrapped x = wrapped_at(a, i);
    if (op->kind == OP_NEG) x.truth = 0 - x.truth;
    set_wrapped(m, to, i, x);
  }
}

static void wrap_address(Machine *m, const Op *op, const Tile *pointer, const Tile *offset, Tile *to) {
  uint64_t bytes = eval_code_bytes(eval_pointee(op_operand(op, 0)));
  if (!pointer->wrapped && !offset->wrapped) return;
  for (uint32_t i = 0; i < to->n; i++) {
    Wrapped p = wrapped_at(pointer, i), o = wrapped_at(offset, i);
    set_wrapped(m, to, i, (Wrapped){p.at ? p.at : o.at, p.truth + o.truth * bytes});
  }
}

static void wrap_select(Machine *m, const Op *op, Tile *to) {
  const Tile *condition = eval_operand(m, op, 0), *a = eval_operand(m, op, 1), *b = eval_operand(m, op, 2);
  for (uint32_t i = 0; i < to->n; i++)
    set_wrapped(m, to, i, wrapped_at(condition->bits[condition->n == 1 ? 0 : i] ? a : b, i));
}

// ---- moves of elements ----

static bool any_wrapped(const Machine *m, const Op *op) {
  for (uint32_t k = 0; k < op->operand_count; k++)
    if (eval_operand(m, op, k)->wrapped) return true;
  return false;
}

// Runs the op on tiles of element positions to find each element's source.
static void wrap_moved(Machine *m, Op *op) {
  uint32_t count = op->kind == OP_JOIN || op->kind == OP_CAT ? 2 : 1, results = op->result_count;
  Tile from[2] = {{0}}, to[2] = {{0}};
  for (uint32_t k = 0; k < count; k++) {
    Tile *operand = &m->values[op_operand(op, k)->id];
    from[k] = *operand;
    operand->bits = eval_block(m->memory, (uint64_t)operand->n * sizeof *operand->bits);
    for (uint32_t i = 0; i < operand->n; i++) operand->bits[i] = (uint64_t)k << 32 | i;
  }
  for (uint32_t k = 0; k < results; k++) {
    Tile *result = &m->values[op->results[k].id];
    to[k] = *result;
    result->block = NULL;
    eval_tile_alloc(m, result);
  }
  eval_shape_op(m, op);
  for (uint32_t k = count; k-- > 0;) {
    Tile *operand = &m->values[op_operand(op, k)->id];
    eval_block_free(m->memory, operand->bits, (uint64_t)operand->n * sizeof *operand->bits);
    *operand = from[k];
  }
  for (uint32_t k = 0; k < results; k++) {
    Tile *result = &m->values[op->results[k].id], places = *result;
    *result = to[k];
    for (uint32_t i = 0; i < result->n; i++)
      if (!(places.state[i] & UNDEFINED))
        set_wrapped(m, result, i, wrapped_at(&from[places.bits[i] >> 32], (uint32_t)places.bits[i]));
    eval_block_free(m->memory, places.block, places.block_bytes);
  }
}

// ---- block pointers ----

static void wrap_block_pointer(Machine *m, const Op *op, Tile *to) {
  uint32_t rank = op->operand_count - 1;
  if (op->kind == OP_MAKE_BLOCK_PTR) {
    for (uint32_t i = 0; i < to->n; i++) set_wrapped(m, to, i, wrapped_at(eval_operand(m, op, i), 0));
    return;
  }
  const Tile *from = eval_operand(m, op, 0);
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t at = 1 + 2 * rank + d;
    Wrapped x = wrapped_at(from, at), by = wrapped_at(eval_operand(m, op, 1 + d), 0);
    set_wrapped(m, to, at, (Wrapped){x.at ? x.at : by.at, x.truth + by.truth});
  }
}

void eval_wraps_op(Machine *m, Op *op) {
  if (!op->result_count || !m->wraps->tracked[op->results[0].id] || !keeps_truth(op->kind)) return;
  Tile *to = &m->values[op->results[0].id];
  bool copied = op->kind == OP_EXPAND_DIMS || op->kind == OP_RESHAPE || op->kind == OP_CONVERT_LAYOUT ||
                op->kind == OP_ADVANCE; // by eval_copy
  for (uint32_t k = 0; !copied && k < op->result_count; k++)
    eval_wrapped_free(m, &m->values[op->results[k].id]);
  const Tile *a = eval_operand(m, op, 0), *b = eval_operand(m, op, 1);
  switch ((int)op->kind) {
  case OP_ADD:
  case OP_SUB:
  case OP_MUL:
  case OP_SHL:
  case OP_MIN:
  case OP_MAX: wrap_binary(m, op, a, b, to); break;
  case OP_NEG:
  case OP_CAST:
  case OP_BITCAST:
  case OP_HINT:
  case OP_COPY: wrap_unary(m, op, a, to); break;
  case OP_ADDPTR: wrap_address(m, op, a, b, to); break;
  case OP_SELECT: wrap_select(m, op, to); break;
  case OP_SPLAT:
    for (uint32_t i = 0; a->wrapped && i < to->n; i++) set_wrapped(m, to, i, wrapped_at(a, 0));
    break;
  case OP_MAKE_BLOCK_PTR:
  case OP_ADVANCE: wrap_block_pointer(m, op, to); break;
  default:
    if (!copied && any_wrapped(m, op)) wrap_moved(m, op);
  }
}

const Wrap *eval_wrap_of_block(const Tile *pointer) {
  for (uint32_t i = 0; pointer->wrapped && i < pointer->n; i++)
    if (pointer->wrapped[i].at) return pointer->wrapped[i].at;
  return NULL;
}

// ---- words ----

static const char *symbol_of(OpKind kind) {
  switch ((int)kind) {
  case OP_ADD: return "+";
  case OP_SUB: return "-";
  case OP_MUL: return "*";
  default: return "<<";
  }
}

// "'pid * stride' wrapped in 32 bits (70000 * 40000 = 2800000000, which becomes -1494967296)"
static void describe(const Machine *m, const Wrap *wrap, Buf *out) {
  const Op *op = wrap->op;
  Loc loc = op->loc;
  Str line = sources_line(m->diags->sources, loc.file, loc.line);
  if (loc.len && loc.col && (size_t)loc.col - 1 + loc.len <= line.n)
    buf_printf(out, "'%.*s'", (int)loc.len, line.at + loc.col - 1);
  else
    buf_printf(out, "this `%s`", op_info(op->kind)->name);
  Elem elem = (Elem)eval_code(type_element(op_result(op)->type));
  const char *format = elem_is_signed(elem) ? " wrapped in %u bits (%" PRId64 " %s %" PRId64 " = %" PRId64
                                              ", which becomes %" PRId64 ")"
                                            : " wrapped in %u bits (%" PRIu64 " %s %" PRIu64 " = %" PRId64
                                              ", which becomes %" PRIu64 ")";
  buf_printf(out, format, elem_info(elem)->bits, wrap->a, symbol_of(op->kind), wrap->b, wrap->exact,
             wrap->got);
}

void eval_stop_wraps(const EvalStop *stop, Buf *out) {
  WrapState *s = stop->machine->wraps;
  for (uint32_t i = 0; s && i < s->news_count; i++) {
    buf_text(out, "  ");
    describe(stop->machine, s->news[i], out);
    buf_char(out, '\n');
  }
  if (s) s->news_count = 0;
}

static const char ADVICE[] = "convert an operand to 64 bits first: x.to(tl.int64)";

static const char *access_name(const Op *op) {
  switch ((int)op->kind) {
  case OP_STORE:
  case OP_BLOCK_STORE: return "store";
  case OP_ATOMIC_RMW:
  case OP_ATOMIC_CAS: return "atomic";
  default: return "load";
  }
}

void eval_wrap_warn(Machine *m, const Access *access) {
  WrapState *s = m->wraps;
  const Op *op = access->wrap->op;
  if (s->reported[op->id] || s->reports >= MAX_REPORTS) return;
  s->reported[op->id] = true;
  s->reports++;
  Buf text = {0};
  char where[EVAL_PLACE];
  describe(m, access->wrap, &text);
  eval_place(m, access->op, access->element, where);
  Diag *diag =
      diag_warning(m->diags, op->loc, "[T1102] %s, and an address is computed from it; %s", text.at, ADVICE);
  diag_note(m->diags, diag, access->op->loc, "the address of this %s, %s", access_name(access->op), where);
  buf_free(&text);
}

void eval_wrap_note(Machine *m, const Access *access) {
  Buf text = {0};
  describe(m, access->wrap, &text);
  if (m->diags->list.n)
    diag_note(m->diags, vec_last(&m->diags->list), access->wrap->op->loc,
              "%s, and the address is computed from it; %s", text.at, ADVICE);
  buf_free(&text);
}
