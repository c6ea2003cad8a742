// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/expand.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/sized.h"
#include "ir/number.h"
#include "runtime/error.h"
#include "runtime/launch/tensor.h"

enum { PADS_NAN = 1, ROUNDS_TF32 = 2 }; // the bits of a tilec_padding

// The encoded shape: one entry after another for the source's parameters. Numbers have 16 bits, low byte
// first.
enum {
  SHAPE_PLAIN = 'p',      // One parameter.
  SHAPE_TUPLE = '(',      // Number of items, then for each item its name's length, its name and its entry.
  SHAPE_DESCRIPTOR = 'd', // Element type, dimensions, padding, and log2 of the tile's sizes.
  SHAPE_CONSTEXPR = 'c',  // A length and the text.
  SHAPE_DEFAULT = 'D',    // The parameter's default, which is a tuple.
};

// The path to an item, from the inside out.
typedef struct Path {
  const struct Path *outer; // NULL: the parameter
  const char *name;         // NULL: by its number
  size_t number;
} Path;

typedef struct Expander {
  const char *kernel;
  Expanded *out;
  uint32_t wanted; // the plain argument whose path is wanted; UINT32_MAX: none
  uint32_t depth;
} Expander;

// --- Errors ---

static size_t put_path(char *text, size_t room, const Path *path) {
  if (!path->outer) return (size_t)snprintf(text, room, "%s", path->name);
  size_t n = put_path(text, room, path->outer);
  if (n >= room) return n;
  return n + (size_t)(path->name ? snprintf(text + n, room - n, ".%s", path->name)
                                 : snprintf(text + n, room - n, "[%zu]", path->number));
}

__attribute__((format(printf, 3, 4))) static tilec_status refuse(const Expander *x, const Path *path,
                                                                 const char *format, ...) {
  char text[400], where[128];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  put_path(where, sizeof where, path);
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: parameter '%s'%s", x->kernel, where, text);
}

// --- Output ---

static tilec_status put_element(const Expander *x, const Path *path, const void *bytes, size_t n) {
  Expanded *out = x->out;
  if (n > MAX_SHAPE - out->shape_bytes)
    return refuse(
        x, path,
        ": the arguments are too long: tuples, with their names and constexprs, take more than %d bytes",
        MAX_SHAPE);
  memcpy(out->shape + out->shape_bytes, bytes, n);
  out->shape_bytes += (uint32_t)n;
  return TILEC_OK;
}

static tilec_status put_number(const Expander *x, const Path *path, size_t number) {
  const uint8_t bytes[] = {(uint8_t)(number & 0xff), (uint8_t)(number >> 8)};
  if (number > UINT16_MAX) return refuse(x, path, ": the argument is too long");
  return put_element(x, path, bytes, sizeof bytes);
}

static tilec_status put_text(const Expander *x, const Path *path, const char *text) {
  size_t n = text ? strlen(text) : 0;
  tilec_status status = put_number(x, path, n);
  return status || !n ? status : put_element(x, path, text, n);
}

static tilec_status put_kind(const Expander *x, const Path *path, uint8_t kind) {
  return put_element(x, path, &kind, 1);
}

// A plain argument for a plain parameter.
static tilec_status put_plain(const Expander *x, const Path *path, RunParam param, tilec_arg arg) {
  Expanded *out = x->out;
  if (out->count == MAX_PARAMS)
    return refuse(x, path, ": there are more than %d arguments, with those of tuples and descriptors",
                  MAX_PARAMS);
  if (out->count == x->wanted) put_path(out->path, sizeof out->path, path);
  out->params[out->count] = param;
  out->part_of[out->count] = 0;
  out->args[out->count++] = arg;
  return TILEC_OK;
}

// --- Tensor descriptors ---

static tilec_status base_type(const Expander *x, const Path *path, const tilec_arg *base, Elem *elem,
                              uint64_t *address) {
  tilec_arg plain = *base;
  if (base->kind == TILEC_ARG_DL) {
    tilec_status status = tensor_plain(x->kernel, path->name, base, &plain);
    if (status) return status;
  }
  if (plain.kind != TILEC_ARG_POINTER || (unsigned)plain.dtype >= ELEM_COUNT)
    return refuse(x, path, ": the descriptor's base must be a pointer or a DLPack tensor");
  *elem = (Elem)plain.dtype;
  *address = plain.value.address;
  if (*address % 16) return refuse(x, path, ": the descriptor's base is not aligned to 16 bytes");
  return TILEC_OK;
}

static bool is_block_size(uint32_t size) { return size && size <= TILE_MAX_ELEMENTS && !(size & (size - 1)); }

static tilec_status check_descriptor(const Expander *x, const Path *path, const tilec_descriptor *d,
                                     Elem elem) {
  uint32_t bytes = elem_bytes(elem), last = d->rank - 1;
  for (uint32_t i = 0; i < d->rank; i++) {
    if (!is_block_size(d->block[i]))
      return refuse(x, path, ": the descriptor's block[%u] is %u; it must be a power of two, up to %d", i,
                    d->block[i], TILE_MAX_ELEMENTS);
    if (d->shape[i] < 1 || d->shape[i] > INT32_MAX)
      return refuse(x, path, ": the descriptor's shape[%u] is %lld; it must be 1 to 2147483647", i,
                    (long long)d->shape[i]);
    if (i < last && (d->strides[i] < 0 || d->strides[i] % (16 / bytes)))
      return refuse(x, path, ": the descriptor's strides[%u] is %lld; in bytes it must be a multiple of 16",
                    i, (long long)d->strides[i]);
  }
  if (d->strides[last] != 1)
    return refuse(x, path, ": the descriptor's last stride is %lld; it must be 1",
                  (long long)d->strides[last]);
  if (d->block[last] * bytes < 16)
    return refuse(x, path,
                  ": the last dimension of the descriptor's block must have 16 bytes or more, not %u of %s",
                  d->block[last], elem_info(elem)->name);
  if ((unsigned)d->padding > TILEC_PADDING_NAN_TF32)
    return refuse(x, path, ": %d is not a tilec_padding", (int)d->padding);
  if ((d->padding & PADS_NAN) && !elem_is_float(elem))
    return refuse(x, path, ": padding NaN needs float elements, not %s", elem_info(elem)->name);
  if ((d->padding & ROUNDS_TF32) && elem != ELEM_FP32)
    return refuse(x, path, ": only fp32 is rounded to tf32, not %s", elem_info(elem)->name);
  return TILEC_OK;
}

// "tensordesc<fp16[64, 32], nan>"
static void type_text(char *text, size_t room, Elem elem, uint32_t rank, const uint32_t *block,
                      unsigned padding) {
  size_t n = (size_t)snprintf(text, room, "tensordesc<%s[", elem_info(elem)->name);
  for (uint32_t i = 0; i < rank && n < room; i++)
    n += (size_t)snprintf(text + n, room - n, "%s%u", i ? ", " : "", block[i]);
  if (n < room)
    snprintf(text + n, room - n, "]%s%s>", padding & PADS_NAN ? ", nan" : "",
             padding & ROUNDS_TF32 ? ", tf32" : "");
}

// Checks that the descriptor matches the parameter's declaration.
static tilec_status check_declared(const Expander *x, const Path *path, const tilec_descriptor *d, Elem elem,
                                   const RunWide *wide) {
  char declared[128] = "as a tuple", given[128];
  type_text(given, sizeof given, elem, d->rank, d->block, (unsigned)d->padding);
  if (wide->form == PARAM_DESCRIPTOR)
    type_text(declared, sizeof declared, wide->elem, wide->count, wide->block,
              (wide->pads_nan ? PADS_NAN : 0) | (wide->rounds_tf32 ? ROUNDS_TF32 : 0));
  if (strcmp(declared, given) == 0) return TILEC_OK;
  return refuse(x, path, " is declared %s; it cannot take a %s", declared, given);
}

static tilec_status put_descriptor_shape(const Expander *x, const Path *path, const tilec_descriptor *d,
                                         Elem elem) {
  uint8_t bytes[4 + TILEC_MAX_RANK] = {SHAPE_DESCRIPTOR, (uint8_t)elem, (uint8_t)d->rank,
                                       (uint8_t)d->padding};
  for (uint32_t i = 0; i < d->rank; i++) bytes[4 + i] = (uint8_t)__builtin_ctz(d->block[i]);
  return put_element(x, path, bytes, 4 + d->rank);
}

static tilec_status expand_descriptor(const Expander *x, const Path *path, const RunParam *param,
                                      const tilec_arg *arg) {
  tilec_descriptor d = TILEC_DESCRIPTOR_INIT;
  const void *given = (const void *)(uintptr_t)arg->value.address;
  Elem elem = ELEM_I8;
  uint64_t address = 0;
  if (!given) return refuse(x, path, ": the descriptor is NULL");
  if (!sized_take(&d, sizeof d, given))
    return refuse(x, path,
                  ": the descriptor does not begin with its size: initialise it with TILEC_DESCRIPTOR_INIT");
  if (d.rank < 1 || d.rank > TILEC_MAX_RANK)
    return refuse(x, path, ": the descriptor has %u dimensions; it must have 1 to %d", d.rank,
                  TILEC_MAX_RANK);
  tilec_status status = base_type(x, path, &d.base, &elem, &address);
  if (!status) status = check_descriptor(x, path, &d, elem);
  if (!status && param->wide) status = check_declared(x, path, &d, elem, param->wide);
  if (!status) status = put_descriptor_shape(x, path, &d, elem);
  RunParam part = {.name = param->name, .annotated = true, .in_heuristic = param->in_heuristic};
  part.pointer = true;
  part.elem = elem;
  if (!status) status = put_plain(x, path, part, d.base);
  part.pointer = false;
  for (uint32_t i = 0; i < 2 * d.rank && !status; i++) {
    bool size = i < d.rank;
    part.elem = size ? ELEM_I32 : ELEM_I64;
    status = put_plain(x, path, part, tilec_arg_int(size ? d.shape[i] : d.strides[i - d.rank]));
    if (!status) x->out->part_of[x->out->count - 1] = (uint8_t)elem_bytes(elem);
  }
  return status;
}

// --- Tuples ---

static tilec_status expand(Expander *x, const Path *path, const RunParam *param, const tilec_arg *arg);

static tilec_status expand_item(Expander *x, const Path *path, const RunParam *param,
                                const tilec_tuple *tuple, size_t i) {
  const char *name = tuple->names ? tuple->names[i] : NULL;
  const RunWide *wide = param->wide;
  RunParam item = {.name = param->name};
  if (wide) item = wide->items[i];
  item.name = param->name;
  item.in_heuristic = param->in_heuristic;
  item.no_facts = param->no_facts;
  if (tuple->names && (!name || !name[0]))
    return refuse(x, path, ": the tuple's names[%zu] is not a name", i);
  if (!name && wide) name = wide->items[i].name;
  tilec_status status = put_text(x, path, name);
  return status ? status : expand(x, &(Path){path, name, i}, &item, &tuple->items[i]);
}

static tilec_status expand_tuple(Expander *x, const Path *path, const RunParam *param, const tilec_arg *arg) {
  tilec_tuple tuple = TILEC_TUPLE_INIT;
  const void *given = (const void *)(uintptr_t)arg->value.address;
  const RunWide *wide = param->wide;
  if (!given) return refuse(x, path, ": the tuple is NULL");
  if (!sized_take(&tuple, sizeof tuple, given))
    return refuse(x, path, ": the tuple does not begin with its size: initialise it with TILEC_TUPLE_INIT");
  if (tuple.count && !tuple.items) return refuse(x, path, ": the tuple's items are NULL");
  if (wide && wide->form != PARAM_TUPLE)
    return refuse(x, path, " is declared as a tensor descriptor; it cannot take a tuple");
  if (wide && wide->count != tuple.count)
    return refuse(x, path, " is declared as a tuple of %u; it cannot take one of %zu", wide->count,
                  tuple.count);
  if (++x->depth > PARAM_MAX_DEPTH) return refuse(x, path, ": there are too many tuples within tuples");
  tilec_status status = put_kind(x, path, SHAPE_TUPLE);
  if (!status) status = put_number(x, path, tuple.count);
  for (size_t i = 0; i < tuple.count && !status; i++) status = expand_item(x, path, param, &tuple, i);
  x->depth--;
  return status;
}

// --- All arguments ---

static tilec_status expand_constexpr(const Expander *x, const Path *path, const tilec_arg *arg) {
  const char *text = (const char *)(uintptr_t)arg->value.address;
  if (!text) return refuse(x, path, ": the constexpr's text is NULL");
  tilec_status status = put_kind(x, path, SHAPE_CONSTEXPR);
  return status ? status : put_text(x, path, text);
}

static tilec_status expand(Expander *x, const Path *path, const RunParam *param, const tilec_arg *arg) {
  RunParam plain = *param;
  if (arg->kind == TILEC_ARG_DEFAULT && param->default_is_tuple) return put_kind(x, path, SHAPE_DEFAULT);
  if (arg->kind == TILEC_ARG_DEFAULT && param->has_default) arg = &param->default_value;
  if (arg->kind == TILEC_ARG_TUPLE || arg->kind == TILEC_ARG_DESCRIPTOR)
    if (param->annotated && !param->wide)
      return refuse(x, path, " is declared %s%s; it cannot take a %s", param->pointer ? "*" : "",
                    elem_info(param->elem)->name,
                    arg->kind == TILEC_ARG_TUPLE ? "tuple" : "tensor descriptor");
  if (arg->kind == TILEC_ARG_TUPLE) return expand_tuple(x, path, param, arg);
  if (arg->kind == TILEC_ARG_DESCRIPTOR) return expand_descriptor(x, path, param, arg);
  if (arg->kind == TILEC_ARG_CONSTEXPR) return expand_constexpr(x, path, arg);
  if (param->wide && arg->kind != TILEC_ARG_NONE)
    return refuse(x, path, " is declared as a %s; it cannot take a number or pointer",
                  param->wide->form == PARAM_TUPLE ? "tuple" : "tensor descriptor");
  plain.wide = NULL;
  tilec_status status = put_kind(x, path, SHAPE_PLAIN);
  return status ? status : put_plain(x, path, plain, *arg);
}

// Expands all parameters. *at: the index of the current one.
static tilec_status expand_all(Expander *x, const RunParam *params, uint32_t param_count,
                               const tilec_arg *args, size_t arg_count, uint32_t *at) {
  static const tilec_arg omitted = {.kind = TILEC_ARG_DEFAULT};
  tilec_status status = TILEC_OK;
  x->out->count = x->out->shape_bytes = 0;
  for (uint32_t i = 0; i < param_count && !status; i++) {
    *at = i;
    if (i >= arg_count && !params[i].has_default)
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s takes %u arguments, not %zu: '%s' has no value",
                       x->kernel, param_count, arg_count, params[i].name);
    status = expand(x, &(Path){NULL, params[i].name, 0}, &params[i], i < arg_count ? &args[i] : &omitted);
  }
  return status;
}

// Adds the facts about descriptors' sizes and strides that other integers do not have.
static void know_parts(const Expanded *expanded, BoundArgs *bound) {
  for (uint32_t i = 0; i < bound->count; i++)
    if (expanded->part_of[i] && bound->bits[i] * expanded->part_of[i] % 16 == 0)
      bound->key[KEY_BYTES * i + 1] |= KEY_ALIGNED;
}

// The values that heuristics read, and their number. The shape says where they are among the arguments.
static tilec_status put_values(const Expander *x, const BoundArgs *bound) {
  const Path none = {NULL, "", 0};
  tilec_status status = TILEC_OK;
  uint32_t n = 0;
  for (uint32_t i = 0; i < bound->count && !status; i++) {
    if (!x->out->params[i].in_heuristic) continue;
    status = put_element(x, &none, &bound->bits[i], sizeof bound->bits[i]);
    n++;
  }
  const uint8_t end[] = {(uint8_t)(n & 0xff), (uint8_t)(n >> 8), 0xfe};
  return status || !n ? status : put_element(x, &none, end, sizeof end);
}

// Appends the shape to the plain arguments' key, with their number at its end. So keys with a shape are
// unique, and differ from keys without one, which end in facts.
static tilec_status take_key(const Expander *x, BoundArgs *bound) {
  const Path none = {NULL, "", 0};
  Expanded *out = x->out;
  const uint8_t end[] = {(uint8_t)(bound->count & 0xff), (uint8_t)(bound->count >> 8), 0xff};
  tilec_status status = put_element(x, &none, end, sizeof end);
  bound->spec_bytes = bound->key_bytes + out->shape_bytes;
  if (!status) status = put_values(x, bound);
  if (status) return status;
  memcpy(bound->key + bound->key_bytes, out->shape, out->shape_bytes);
  bound->key_bytes += out->shape_bytes;
  bound->wide = true;
  return TILEC_OK;
}

// The index of the source's parameter that the plain argument belongs to.
static uint32_t source_param(const RunParam *params, uint32_t param_count, const char *name) {
  uint32_t i = 0;
  while (i < param_count && strcmp(params[i].name, name) != 0) i++;
  return i;
}

tilec_status bind_wide(const char *kernel, const RunParam *params, uint32_t param_count,
                       const tilec_arg *args, size_t arg_count, BoundArgs *bound, Expanded *expanded) {
  Expander x = {.kernel = kernel, .out = expanded, .wanted = UINT32_MAX};
  if (arg_count > param_count)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s takes %u arguments, not %zu", kernel, param_count,
                     arg_count);
  tilec_status status = expand_all(&x, params, param_count, args, arg_count, &bound->count);
  if (status) return status;
  status = bind_args(kernel, expanded->params, expanded->count, expanded->args, expanded->count, bound);
  if (!status) {
    know_parts(expanded, bound);
    return take_key(&x, bound);
  }
  // Runs again to find the item's path.
  uint32_t failed = x.wanted = bound->count, ignored;
  expand_all(&x, params, param_count, args, arg_count, &ignored);
  const char *name = expanded->params[failed].name;
  expanded->params[failed].name = expanded->path;
  bind_args(kernel, expanded->params, expanded->count, expanded->args, expanded->count, bound);
  bound->count = source_param(params, param_count, name);
  return status;
}

// --- Decoding ---

typedef struct ShapeReader {
  IrContext *ir;
  const BoundArgs *bound;
  const uint8_t *at; // the rest of the shape
  uint32_t leaf;     // the next plain argument
} ShapeReader;

static uint32_t take_number(ShapeReader *r) {
  uint32_t number = r->at[0] | (uint32_t)r->at[1] << 8;
  r->at += 2;
  return number;
}

static Str take_text(ShapeReader *r) {
  uint32_t n = take_number(r);
  Str text = {(const char *)r->at, n};
  r->at += n;
  return text;
}

static ParamSpec take_plain(ShapeReader *r, bool annotated) {
  return bound_param(r->ir, r->bound, r->leaf++, annotated);
}

static void read_descriptor(ShapeReader *r, ParamSpec *spec) {
  uint32_t shape[TILE_MAX_RANK], rank = r->at[1];
  const Type *element = type_scalar(r->ir, (Elem)r->at[0]);
  spec->form = PARAM_DESCRIPTOR;
  spec->pads_nan = r->at[2] & PADS_NAN;
  spec->rounds_tf32 = (r->at[2] & ROUNDS_TF32) != 0;
  for (uint32_t i = 0; i < rank; i++) shape[i] = 1u << r->at[3 + i];
  r->at += 3 + rank;
  spec->type = type_block_ptr(r->ir, element, rank, shape);
  spec->item_count = descriptor_parts(rank);
  spec->items = ARENA_ARRAY(r->ir->arena, ParamSpec, spec->item_count);
  for (uint32_t i = 0; i < spec->item_count; i++) spec->items[i] = take_plain(r, false);
}

static void read_constexpr(ShapeReader *r, ParamSpec *spec) {
  Str text = take_text(r);
  ConstValue *value = ARENA_NEW(r->ir->arena, ConstValue);
  spec->form = PARAM_CONSTEXPR;
  spec->value = value;
  if (!const_parse(r->ir, text, value))
    *value = (ConstValue){.kind = CONST_NAME, .str = ir_name(r->ir, text)};
}

static const RunParam *item_param(const RunParam *param, uint32_t i) {
  return param && param->wide && param->wide->form == PARAM_TUPLE ? &param->wide->items[i] : NULL;
}

// False: the parameter has its default, and needs no spec.
static bool read_shape(ShapeReader *r, const RunParam *param, ParamSpec *spec) {
  uint8_t kind = *r->at++;
  const char *name = spec->name;
  if (kind == SHAPE_PLAIN) {
    *spec = take_plain(r, param && param->annotated);
    spec->name = name;
  } else if (kind == SHAPE_DESCRIPTOR) {
    read_descriptor(r, spec);
  } else if (kind == SHAPE_CONSTEXPR) {
    read_constexpr(r, spec);
  } else if (kind == SHAPE_TUPLE) {
    spec->form = PARAM_TUPLE;
    spec->item_count = take_number(r);
    spec->items = ARENA_ARRAY(r->ir->arena, ParamSpec, spec->item_count);
    for (uint32_t i = 0; i < spec->item_count; i++) {
      Str field = take_text(r);
      if (field.n) spec->items[i].name = ir_name(r->ir, field);
      read_shape(r, item_param(param, i), &spec->items[i]);
    }
  }
  return kind != SHAPE_DEFAULT;
}

uint32_t expanded_spec(IrContext *ir, const RunParam *params, uint32_t param_count, const BoundArgs *bound,
                       ParamSpec *specs) {
  ShapeReader r = {.ir = ir, .bound = bound, .at = bound->key + (size_t)KEY_BYTES * bound->count};
  uint32_t n = 0;
  for (uint32_t i = 0; i < param_count; i++) {
    specs[n] = (ParamSpec){.name = ir_name(ir, str_from(params[i].name))};
    n += read_shape(&r, &params[i], &specs[n]);
  }
  return n;
}
