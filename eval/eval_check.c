// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares another implementation's memory with the evaluator's, by the elements as stored.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "ir/memory/atomic.h"
#include "eval/eval_machine.h"
#include "base/fault.h"
#include "ir/number.h"
#include "ir/queries.h"

// ---- buffers that a launch stores to ----

static void mark_stored(Machine *m, Op *op) {
  bool tensor = op->kind == OP_TMA_STORE;
  if (!op_writes_global(op) || atomic_is_load(op)) return;
  int32_t param = tensor ? -1 : pointer_param(op->operands[0].value);
  for (uint32_t i = 0; i < m->memory->buffers.n; i++) {
    EvalBuffer *buffer = m->memory->buffers.at[i];
    uint64_t bits = param < 0 ? buffer->address : m->args[param].bits; // unknown buffer: any
    if (tensor) bits = eval_map(m, op_operand(op, 0))->base;
    buffer->stored_to |= bits >= buffer->address && bits - buffer->address <= buffer->bytes;
  }
}

void eval_mark_stored(Machine *m) {
  for (OpWalk w = ops_in(m->func->body); ops_next(&w);) mark_stored(m, w.op);
}

// ---- comparing ----

typedef struct BufferChecker {
  const EvalMemory *memory;
  const EvalBuffer *buffer;
  const uint8_t *got;
  Elem elem;
  EvalCheck *check;
  uint64_t bounded, telling; // `bounded`: nonzero floats with a bound; `telling`: those that a result of 0
                             // would fail.
  double along, square;      // Over the bounded ones: the sums of got r and of r r.
  Buf message;               // For the first wrong element.
} BufferChecker;

// Counts the element at byte `offset` as wrong. Returns true for the first one, whose message the caller
// writes.
static bool first_wrong(BufferChecker *c, uint64_t offset) {
  if (c->check->wrong++) return false;
  c->check->first_wrong = offset / elem_bytes(c->elem);
  buf_printf(&c->message, "element %llu: ", (unsigned long long)c->check->first_wrong);
  return true;
}

void eval_print_value(Buf *out, ElemCode code, uint64_t bits) {
  if (code == CODE_POINTER)
    buf_printf(out, "0x%llx", (unsigned long long)bits);
  else if (eval_code_is_float(code))
    buf_double(out, number_decode((Elem)code, bits));
  else if (elem_is_signed((Elem)code))
    buf_printf(out, "%lld", (long long)bits);
  else
    buf_printf(out, "%llu", (unsigned long long)bits);
}

// Appends the value to the message. Returns the memory's copy of it.
static const char *tell_value(BufferChecker *c, const char *before, ElemCode code, uint64_t bits) {
  buf_text(&c->message, before);
  size_t from = c->message.n;
  eval_print_value(&c->message, code, bits);
  return arena_copy(c->memory->arena, (Str){c->message.at + from, c->message.n - from});
}

static void wrong_value(BufferChecker *c, uint64_t offset, ElemCode code, uint64_t got, uint64_t expected) {
  if (!first_wrong(c, offset)) return;
  c->check->got = tell_value(c, "got ", code, got);
  c->check->expected = tell_value(c, ", expected ", code, expected);
}

static void wrong_float(BufferChecker *c, uint64_t offset, Elem elem, uint64_t got, uint64_t bits, double r,
                        double allowed) {
  if (c->check->wrong) {
    c->check->wrong++;
    return;
  }
  wrong_value(c, offset, (ElemCode)elem, got, bits);
  buf_text(&c->message, " (reference ");
  buf_double(&c->message, r);
  buf_printf(&c->message, ", allowed %.3g)", allowed);
}

// Returns true if `got` is within the bound of r. An infinity represents all numbers that round to it.
static bool is_within(Elem elem, double got, double r, double allowed) {
  if (isnan(got)) return false;
  if (isinf(got)) return signbit(got) == signbit(r) && fabs(r) + allowed >= number_overflow(elem);
  return fabs(got - r) <= allowed;
}

static void check_float(BufferChecker *c, uint64_t offset, Elem elem, const Element *x) {
  uint64_t bits = number_load(elem, c->got + offset);
  double got = number_decode(elem, bits), v = number_decode(elem, x->bits);
  if (isnan(v) && isnan(got)) return;
  if (!(x->state & COMPUTED) || !isfinite(v)) { // moved, or an infinity or NaN
    if (bits != x->bits) wrong_value(c, offset, (ElemCode)elem, bits, x->bits);
    return;
  }
  c->bounded += x->e > 0 && x->r != 0;
  double allowed = eval_reach(x) + number_ulp(elem, x->r), off = fabs(got - x->r) / allowed;
  if (isfinite(off) && off > c->check->worst) c->check->worst = off;
  if (x->e > 0 && isfinite(got)) c->along += got * x->r, c->square += x->r * x->r;
  c->telling += x->e > 0 && fabs(x->r) > allowed;
  if (!is_within(elem, got, x->r, allowed)) wrong_float(c, offset, elem, bits, x->bits, x->r, allowed);
}

static void check_element(BufferChecker *c, uint64_t offset, ElemCode code) {
  Element x = eval_memory_load(c->buffer, c->buffer->address + offset, code);
  c->check->outputs++;
  if (x.state & UNCERTAIN) {
    c->check->uncertain++;
    c->check->unread += (x.state & UNREAD) != 0;
    c->check->assembled += (x.state & (UNREAD | ASSEMBLED)) == ASSEMBLED;
    return;
  }
  c->check->compared++;
  if (eval_code_is_float(code)) {
    check_float(c, offset, (Elem)code, &x);
    return;
  }
  Elem as = code == CODE_POINTER ? ELEM_U64
            : code == ELEM_I1    ? ELEM_U8
                                 : (Elem)code; // i1: its byte is 0 or 1
  uint64_t got = number_load(as, c->got + offset);
  if (got != x.bits) wrong_value(c, offset, as == ELEM_U8 ? (ElemCode)ELEM_U8 : code, got, x.bits);
}

// The number of bytes from `offset` to compare as bits: at most one element of c->elem, and none of the next
// stored element. *written: a program wrote one of them. *doubt: why they cannot be compared; 0: they can.
static uint32_t raw_extent(const BufferChecker *c, uint64_t offset, bool *written, uint16_t *doubt) {
  uint64_t left = c->buffer->bytes - offset;
  uint32_t n = elem_bytes(c->elem), i = 0, at;
  for (; i < n && i < left; i++) {
    ElemCode code;
    const ReferencePage *page = eval_shadow(c->buffer, offset + i, &at);
    if (!page) continue;
    if (i > 0 && eval_shadow_element(page, at, &code)) break;
    *written |= (page->meta[at] & META_WRITTEN) != 0;
    // A remainder of a stored float: its bits are not exact.
    *doubt |= page->meta[at] & (META_UNCERTAIN | META_COMPUTED | META_UNREAD | META_ASSEMBLED);
  }
  return i;
}

static uint32_t check_raw(BufferChecker *c, uint64_t offset) {
  bool written = false;
  uint16_t doubt = 0;
  uint32_t n = raw_extent(c, offset, &written, &doubt);
  c->check->outputs += written || doubt;
  if (doubt) {
    c->check->uncertain++;
    c->check->unread += (doubt & META_UNREAD) != 0;
    c->check->assembled += (doubt & (META_UNREAD | META_ASSEMBLED)) == META_ASSEMBLED;
    return n;
  }
  if (!written && !c->buffer->initialised) {
    if (!c->check->unwritten++) c->check->first_unwritten = c->check->elements;
    c->check->last_unwritten = c->check->elements;
    if (!c->buffer->has_initial) return n;
  } else {
    c->check->compared++;
  }
  const uint8_t *expected = c->buffer->data + offset;
  if (memcmp(c->got + offset, expected, n) == 0) return n;
  if (n == elem_bytes(c->elem)) {
    wrong_value(c, offset, (ElemCode)c->elem, number_load(c->elem, c->got + offset),
                number_load(c->elem, expected));
  } else if (first_wrong(c, offset)) {
    buf_printf(&c->message, "%u of its bytes differ", n);
  }
  if (c->check->wrong == 1 && !written) buf_text(&c->message, " as before: no program wrote it");
  return n;
}

enum { MANY = 32 };

// Returns true if many elements together follow the reference, though each may differ by its bound. Wrong
// results do not follow it: zeros have slope 0, and results twice too large have slope 2.
static bool follows_reference(const BufferChecker *c) {
  double slope = c->along / c->square;
  return c->bounded >= MANY && slope > 0.7 && slope < 1.4;
}

static void check_all(void *data) {
  BufferChecker *c = data;
  for (uint64_t offset = 0; offset < c->buffer->bytes; c->check->elements++) {
    uint32_t at;
    ElemCode code;
    const ReferencePage *page = eval_shadow(c->buffer, offset, &at);
    if (page && eval_shadow_element(page, at, &code)) {
      check_element(c, offset, code);
      offset += eval_code_bytes(code);
    } else {
      offset += check_raw(c, offset);
    }
  }
  c->check->vague =
      !c->check->wrong && c->bounded && (!c->telling || c->bounded >= MANY) && !follows_reference(c);
  if (c->check->vague) {
    c->check->uncertain += c->bounded;
    c->check->compared -= c->bounded;
  }
  if (c->check->wrong) c->check->first_message = arena_copy(c->memory->arena, buf_view(&c->message));
}

static void free_message(void *data) { buf_free(&((BufferChecker *)data)->message); }

bool eval_check(const EvalMemory *memory, uint64_t address, const void *got, Elem elem, EvalCheck *check) {
  const EvalBuffer *buffer = eval_buffer_start(memory, address);
  if (!buffer) BUG("no buffer was added at 0x%llx", (unsigned long long)address);
  *check = (EvalCheck){.stored_to = buffer->stored_to};
  if ((memory->uncertain && buffer->stored_to) || buffer->assembled) {
    check->elements = check->outputs = check->uncertain = buffer->bytes / elem_bytes(elem);
    if (memory->assembled || buffer->assembled) check->assembled = check->uncertain;
    return true;
  }
  BufferChecker c = {.memory = memory, .buffer = buffer, .got = got, .elem = elem, .check = check};
  fault_guard(check_all, free_message, &c);
  return check->wrong == 0;
}
