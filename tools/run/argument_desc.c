// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// desc(BUFFER,block=[64,64],shape=[..],strides=[..],padding=nan,round=tf32): a tensor descriptor over a buffer. For PTX,
// desc(BUFFER,block=[128,64],swizzle=128) is a tensor map.
#include <errno.h>
#include <stdlib.h>

#include "base/diag.h"
#include "ir/spec.h"
#include "tools/run/argument.h"

typedef struct DescReader {
  Arena *arena;
  const char **why;
} DescReader;

static bool refuse(const DescReader *r, const char *why) {
  *r->why = why;
  return false;
}

// The text up to the next comma outside of brackets. *rest is the remaining text, with `at` NULL at the end.
static Str next_piece(Str *rest) {
  size_t n = param_text_until(*rest, ',');
  Str part = {rest->at, n};
  *rest = n < rest->n ? (Str){rest->at + n + 1, rest->n - n - 1} : (Str){0};
  return str_trimmed(part);
}

// "[64,64]": exactly *rank numbers. If *rank is 0, any count is accepted and *rank is set to it.
static bool parse_numbers(const DescReader *r, const char *name, Str text, uint32_t *rank, int64_t *numbers) {
  uint32_t n = 0;
  if (text.n < 2 || text.at[0] != '[' || text.at[text.n - 1] != ']')
    return refuse(r, arena_printf(r->arena, "%s of desc() must be a list, as in %s=[64,64]", name, name));
  for (Str rest = {text.at + 1, text.n - 2}; rest.at; n++) {
    Str part = next_piece(&rest);
    ConstValue value;
    if (n == DESCRIPTOR_MAX_RANK)
      return refuse(r, arena_printf(r->arena, "a descriptor has %d dimensions at most", DESCRIPTOR_MAX_RANK));
    if (number_text(part, &value) != TEXT_INT || value.is_u64)
      return refuse(r,
                    arena_printf(r->arena, "'%.*s' in %s of desc() is not an integer", STR_ARG(part), name));
    numbers[n] = value.i;
  }
  if (*rank && *rank != n)
    return refuse(r, arena_printf(r->arena, "%s of desc() has %u numbers, and block has %u", name, n, *rank));
  *rank = n;
  return true;
}

static bool parse_block(const DescReader *r, Str text, TensorBlock *to) {
  int64_t block[DESCRIPTOR_MAX_RANK];
  if (!parse_numbers(r, "block", text, &to->rank, block)) return false;
  for (uint32_t i = 0; i < to->rank; i++) {
    if (block[i] < 1 || block[i] > TILE_MAX_ELEMENTS)
      return refuse(r, "the sizes in block of desc() must be powers of two");
    to->block[i] = (uint32_t)block[i];
  }
  return true;
}

static bool parse_swizzle(const DescReader *r, Str text, TensorBlock *to) {
  ConstValue value;
  bool good = number_text(text, &value) == TEXT_INT && !value.is_u64 &&
              (value.i == 0 || value.i == 32 || value.i == 64 || value.i == 128);
  to->swizzle = good ? (uint32_t)value.i : 0;
  return good || refuse(r, "swizzle of desc() must be 0, 32, 64 or 128");
}

static bool parse_option(const DescReader *r, Str part, TensorBlock *to) {
  static const char *const names[] = {"block", "shape", "strides", "padding", "round", "swizzle"};
  size_t n = param_text_until(part, '=');
  Str name = str_trimmed((Str){part.at, n}), value = {0};
  if (n < part.n) value = str_trimmed((Str){part.at + n + 1, part.n - n - 1});
  if (str_is(name, "block")) return parse_block(r, value, to);
  if (str_is(name, "shape")) return to->shaped = parse_numbers(r, "shape", value, &to->rank, to->shape);
  if (str_is(name, "strides"))
    return to->strided = parse_numbers(r, "strides", value, &to->rank, to->strides);
  if (str_is(name, "padding") && (str_is(value, "nan") || str_is(value, "zero"))) {
    to->pads_nan = str_is(value, "nan");
    return true;
  }
  if (str_is(name, "padding")) return refuse(r, "padding of desc() must be zero or nan");
  if (str_is(name, "round"))
    return (to->rounds_tf32 = str_is(value, "tf32")) || refuse(r, "round of desc() must be tf32");
  if (str_is(name, "swizzle")) return parse_swizzle(r, value, to);
  const char *near = diag_nearest(name, names, sizeof names / sizeof *names);
  return refuse(
      r, near ? arena_printf(r->arena, "desc() has no '%.*s'; did you mean '%s'?", STR_ARG(name), near)
              : arena_printf(r->arena,
                             "desc() has no '%.*s', only block, shape, strides, padding, round and swizzle",
                             STR_ARG(name)));
}

bool argument_descriptor(Arena *arena, Str text, const uint64_t *seed, uint32_t number, Argument *argument,
                         const char **why) {
  const DescReader r = {arena, why};
  TensorBlock *block = ARENA_NEW(arena, TensorBlock);
  *block = (TensorBlock){0};
  if (text.at[text.n - 1] != ')') return refuse(&r, "the bracket of desc( is not closed");
  Str rest = {text.at, text.n - 1};
  const char *buffer = arena_copy(arena, next_piece(&rest));
  if (!argument_parse(arena, buffer, seed, number, argument, why)) return false;
  if ((argument->kind != ARGUMENT_BUFFER && argument->kind != ARGUMENT_SAME) || argument->pointees ||
      argument->descriptor)
    return refuse(&r, "desc() must begin with a buffer, as in desc(randn:fp16[256,256],block=[64,64])");
  // The first pass finds the block's rank. The other lists must have that rank.
  for (int pass = 0; pass < 2; pass++)
    for (Str left = rest; left.at;) {
      Str part = next_piece(&left);
      if (str_starts(part, "block") == (pass == 0) && !parse_option(&r, part, block)) return false;
    }
  if (!block->block[0]) return refuse(&r, "desc() needs block=[...], the shape of each load and store");
  argument->descriptor = block;
  return true;
}

const char *descriptor_unfit(const TensorBlock *block, bool is_map) {
  if (is_map && block->rounds_tf32) return "round=tf32 is for a kernel's source, not for PTX";
  if (!is_map && block->swizzle) return "swizzle is for PTX: the compiler chooses that of a kernel's source";
  for (uint32_t i = 0; i < block->rank && !is_map; i++)
    if (block->block[i] & (block->block[i] - 1)) return "the sizes in block of desc() must be powers of two";
  return NULL;
}

bool descriptor_complete(Arena *arena, const Argument *buffer, TensorBlock *block, const char **why) {
  const DescReader r = {arena, why};
  bool like_buffer = buffer->rank == block->rank;
  if (!block->shaped && !like_buffer)
    return refuse(&r, arena_printf(arena, "the buffer has %u dimensions and the block %u: give shape=[...]",
                                   buffer->rank, block->rank));
  uint64_t stride = 1;
  for (uint32_t i = block->rank; i-- > 0;) {
    if (!block->shaped) block->shape[i] = (int64_t)buffer->shape[i];
    if (!block->strided) block->strides[i] = (int64_t)stride;
    stride *= like_buffer ? buffer->shape[i] : (uint64_t)block->shape[i];
  }
  return true;
}
