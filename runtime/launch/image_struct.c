// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tuple for a parameter of PTX that is a struct by value: its members are laid out as C does it. A member's type is
// its argument's dtype.
#include "runtime/launch/image_struct.h"

#include "base/sized.h"
#include "ir/number.h"

typedef struct Packer {
  uint8_t *to;
  size_t room, at;
  const char *why; // NULL: no error
  bool marks;      // members are bytes of 255, in place of their values
} Packer;

static bool fail(Packer *p, const char *why) {
  p->why = why;
  return false;
}

static void pad(Packer *p, size_t align) {
  while (p->at % align) {
    if (p->at < p->room) p->to[p->at] = 0;
    p->at++;
  }
}

static void put(Packer *p, uint64_t bits, size_t bytes) {
  pad(p, bytes);
  if (p->marks) bits = UINT64_MAX;
  if (p->at + bytes <= p->room) memcpy(p->to + p->at, &bits, bytes); // little-endian: the low bytes
  p->at += bytes;
}

static bool put_int(Packer *p, const tilec_arg *arg) {
  if ((unsigned)arg->dtype >= ELEM_COUNT || elem_is_float((Elem)arg->dtype))
    return fail(p, "an integer whose dtype is not an integer's");
  size_t bytes = elem_bytes((Elem)arg->dtype);
  int64_t i = arg->value.i, limit = bytes < 8 ? (int64_t)1 << (8 * bytes) : 0;
  bool fits =
      !limit || (arg->kind == TILEC_ARG_UINT ? arg->value.u < (uint64_t)limit : i >= -limit / 2 && i < limit);
  put(p, arg->value.u, bytes);
  return fits || fail(p, "an integer that its dtype cannot hold");
}

static bool put_float(Packer *p, const tilec_arg *arg) {
  if ((unsigned)arg->dtype >= ELEM_COUNT || !elem_is_float((Elem)arg->dtype))
    return fail(p, "a float whose dtype is not a float's");
  put(p, number_encode((Elem)arg->dtype, arg->value.f), elem_bytes((Elem)arg->dtype));
  return true;
}

static bool read_tuple(const tilec_arg *arg, tilec_tuple *tuple) {
  const tilec_tuple *given = (const tilec_tuple *)(uintptr_t)arg->value.address;
  *tuple = (tilec_tuple)TILEC_TUPLE_INIT;
  return given && sized_take(tuple, sizeof *tuple, given) && (!tuple->count || tuple->items);
}

// A struct's alignment is the largest of its members'. Others than members have 1.
static size_t align_of(const tilec_arg *arg, uint32_t depth) {
  size_t align = 1;
  tilec_tuple tuple;
  if (arg->kind == TILEC_ARG_POINTER || arg->kind == TILEC_ARG_NONE) return 8;
  bool number = arg->kind == TILEC_ARG_INT || arg->kind == TILEC_ARG_UINT || arg->kind == TILEC_ARG_FLOAT;
  if (number && (unsigned)arg->dtype < ELEM_COUNT) return elem_bytes((Elem)arg->dtype);
  if (arg->kind != TILEC_ARG_TUPLE || depth > PARAM_MAX_DEPTH || !read_tuple(arg, &tuple)) return align;
  for (size_t i = 0; i < tuple.count; i++) {
    size_t member = align_of(&tuple.items[i], depth + 1);
    if (member > align) align = member;
  }
  return align;
}

static bool put_tuple(Packer *p, const tilec_arg *arg, uint32_t depth);

static bool put_member(Packer *p, const tilec_arg *arg, uint32_t depth) {
  switch (arg->kind) {
  case TILEC_ARG_POINTER: return put(p, arg->value.address, 8), true;
  case TILEC_ARG_NONE: return put(p, 0, 8), true;
  case TILEC_ARG_BOOL: return put(p, arg->value.u != 0, 1), true;
  case TILEC_ARG_INT:
  case TILEC_ARG_UINT: return put_int(p, arg);
  case TILEC_ARG_FLOAT: return put_float(p, arg);
  case TILEC_ARG_TUPLE: return put_tuple(p, arg, depth + 1); // a struct within it
  case TILEC_ARG_DL:
  case TILEC_ARG_DIM:
  case TILEC_ARG_STRIDE:
  case TILEC_ARG_DESCRIPTOR:
  case TILEC_ARG_CONSTEXPR:
  case TILEC_ARG_DEFAULT: break;
  }
  return fail(p, "a member that is not a pointer, number, bool, None or tuple");
}

// A struct begins and ends at a multiple of its alignment.
static bool put_tuple(Packer *p, const tilec_arg *arg, uint32_t depth) {
  tilec_tuple tuple;
  if (depth > PARAM_MAX_DEPTH) return fail(p, "too many tuples within tuples");
  if (!read_tuple(arg, &tuple))
    return fail(p, "a tuple whose size is wrong: initialise it with TILEC_TUPLE_INIT");
  size_t align = align_of(arg, depth);
  pad(p, align);
  for (size_t i = 0; i < tuple.count; i++)
    if (!put_member(p, &tuple.items[i], depth)) return false;
  pad(p, align);
  return true;
}

const char *struct_pack(const tilec_arg *tuple, uint8_t *to, size_t room, size_t *bytes) {
  Packer p = {.to = to, .room = room};
  put_tuple(&p, tuple, 0);
  *bytes = p.at;
  return p.why;
}

void struct_mark(const tilec_arg *tuple, uint8_t *to, size_t room) {
  Packer p = {.to = to, .room = room, .marks = true};
  put_tuple(&p, tuple, 0);
}
