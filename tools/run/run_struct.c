// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parameter of PTX that is a struct by value: a tuple gives its members. An integer without a type is an int, or a long
// if it needs one. A number with a point is a float.
#include <stdlib.h>

#include "runtime/launch/image_struct.h"
#include "tools/run/run.h"

static Elem number_elem(const RunArg *item) {
  const Argument *value = &item->value;
  if (item->typed) return item->elem;
  if (value->kind == ARGUMENT_FLOAT) return ELEM_FP32;
  if (value->kind == ARGUMENT_BOOL) return ELEM_I1;
  return !value->is_u64 && value->i >= INT32_MIN && value->i <= UINT32_MAX ? ELEM_I32 : ELEM_I64;
}

// The number as the library's argument, whose dtype is the member's type.
static tilec_arg number_arg(const RunArg *item) {
  const Argument *value = &item->value;
  Elem elem = number_elem(item);
  bool is_float = value->kind == ARGUMENT_FLOAT;
  tilec_arg arg = elem_is_float(elem) ? tilec_arg_float(is_float ? value->f : (double)value->i)
                  : value->is_u64     ? tilec_arg_uint((uint64_t)value->i)
                                      : tilec_arg_int(value->i);
  arg.dtype = (tilec_dtype)elem;
  return arg;
}

static tilec_arg library_arg(const Run *run, const RunArg *item) {
  if (item->buffer || item->value.kind == ARGUMENT_NONE)
    return tilec_arg_pointer(TILEC_I8, item->buffer ? run_address(run, item) : 0);
  if (item->value.kind != ARGUMENT_TUPLE) return number_arg(item);
  tilec_arg *items = ARENA_ARRAY(run->arena, tilec_arg, item->item_count);
  tilec_tuple *tuple = ARENA_NEW(run->arena, tilec_tuple);
  for (uint32_t i = 0; i < item->item_count; i++) items[i] = library_arg(run, &item->items[i]);
  *tuple = (tilec_tuple)TILEC_TUPLE_INIT;
  tuple->items = items, tuple->count = item->item_count;
  return tilec_arg_tuple(tuple);
}

// Writes the struct at `to`, of `room` bytes. Returns its size. *why: what no struct can have, or NULL.
static size_t pack(const Run *run, const RunArg *param, uint8_t *to, size_t room, const char **why) {
  tilec_arg arg = library_arg(run, param);
  size_t bytes;
  *why = struct_pack(&arg, to, room, &bytes);
  return bytes;
}

uint64_t run_struct_bits(const Run *run, const RunArg *param) {
  const char *why; // run_structs_fit reports it
  size_t bytes = pack(run, param, NULL, 0, &why);
  uint8_t *to = arena_alloc(run->arena, bytes + 1);
  pack(run, param, to, bytes, &why);
  return (uint64_t)(uintptr_t)to;
}

bool run_structs_fit(Run *run, const DeviceKernel *kernel) {
  Diags *diags = &run->c->diags;
  KernelParams params;
  if (kernel->device->kind->params(kernel->device, kernel->state, &params) != TILEC_OK) return true;
  for (uint32_t i = 0; i < run->param_count && i < params.count; i++) {
    const RunArg *param = &run->params[i];
    bool tuple = param->value.kind == ARGUMENT_TUPLE;
    const char *why = NULL;
    uint64_t bytes = tuple ? pack(run, param, NULL, 0, &why) : 0;
    if (param->value.descriptor) {
      if (params.bytes[i] != BY_VALUE_BYTES)
        diag_error(diags, LOC_NONE,
                   "[T1003] argument %u is a tensor map of %d bytes, and the kernel's parameter has %u", i,
                   BY_VALUE_BYTES, params.bytes[i]);
      continue;
    }
    if (why)
      diag_error(diags, LOC_NONE, "[T1003] argument %u: a struct cannot have %s", i, why);
    else if (tuple && bytes != params.bytes[i])
      diag_error(
          diags, LOC_NONE,
          "[T1003] argument %u has %llu bytes as a struct of C, and the kernel's parameter has %u: an "
          "integer without a type is an int, and a number with a point a float; give other types as in "
          "100:i64 or 0.5:fp64",
          i, (unsigned long long)bytes, params.bytes[i]);
    uint32_t size = params.bytes[i];
    int64_t high = size < sizeof(uint64_t) ? param->value.i >> (8 * size - 1) : 0;
    if (param->value.kind == ARGUMENT_INT && !param->typed && (high > 1 || high < -1))
      diag_error(diags, LOC_NONE, "[T1003] %s has %u byte%s; it cannot hold %lld", run_arg_name(run, param),
                 size, size == 1 ? "" : "s", (long long)param->value.i);
    if (!tuple && params.bytes[i] > sizeof(uint64_t))
      diag_error(
          diags, LOC_NONE,
          "[T1003] parameter %u of the kernel is a struct of %u bytes: give its members in brackets, as in "
          "'(zeros:fp32[100],100,2.0)'%s",
          i, params.bytes[i],
          params.bytes[i] == BY_VALUE_BYTES
              ? "; or a tensor map, as in 'desc(randn:fp16[256,64],block=[128,64],swizzle=128)'"
              : "");
  }
  return !diags->errors;
}

// The bytes that ld.param loads, whose words up to its operands are `text`: "ld.param.v2.u32 {%r1, %r2}, ". 0: no
// such instruction. *kind: u, s, f or b.
static uint32_t loaded_bytes(Str text, char *kind) {
  static const char load[] = "ld.param";
  uint32_t vector = 1, bits = 0;
  size_t at = 0;
  while (at + sizeof load < text.n && memcmp(text.at + at, load, sizeof load - 1) != 0) at++;
  if (at + sizeof load >= text.n) return 0;
  for (at += sizeof load - 1; at + 2 < text.n && text.at[at] == '.'; at++) {
    const char *word = text.at + at + 1;
    uint32_t number = (uint32_t)strtoul(word + 1, NULL, 10);
    if (*word == 'v') vector = number;
    if (number && strchr("usfb", *word)) bits = number, *kind = *word;
    while (at + 1 < text.n && text.at[at + 1] != '.' && text.at[at + 1] != ' ' && text.at[at + 1] != '\t')
      at++;
  }
  return vector * bits / 8;
}

// The first load of bytes of the parameter that are all zero in `given`; or of floats that are not. Returns its place in
// the text, or NULL.
static const char *wrong_load(Str body, Str name, const uint8_t *given, uint32_t bytes, bool floats,
                              uint32_t *offset, uint32_t *count) {
  const char *line = body.at;
  for (const char *at = body.at, *end = body.at + body.n; at + name.n + 2 < end; at++) {
    if (*at == '\n' || *at == ';') line = at + 1;
    if (*at != '[' || memcmp(at + 1, name.at, name.n) != 0) continue;
    const char *after = at + 1 + name.n;
    if (*after != '+' && *after != ']') continue;
    *offset = *after == '+' ? (uint32_t)strtoul(after + 1, NULL, 10) : 0;
    char kind = 'b';
    *count = loaded_bytes((Str){line, (size_t)(at - line)}, &kind);
    if (!*count || *count > bytes || *offset > bytes - *count) continue;
    bool any = false;
    for (uint32_t i = 0; i < *count; i++) any |= given[*offset + i] != 0;
    if (floats ? any && kind == 'f' : !any) return at;
  }
  return NULL;
}

// The struct with all bits of its integers without a type, which are not 0, and none of the rest.
static tilec_arg integers_of(const Run *run, const RunArg *item) {
  tilec_arg arg = library_arg(run, item);
  if (arg.kind == TILEC_ARG_TUPLE) {
    const tilec_tuple *tuple = (const tilec_tuple *)(uintptr_t)arg.value.address;
    tilec_arg *items = ARENA_ARRAY(run->arena, tilec_arg, item->item_count);
    for (uint32_t i = 0; i < item->item_count; i++) items[i] = integers_of(run, &item->items[i]);
    tilec_tuple *made = ARENA_NEW(run->arena, tilec_tuple);
    *made = *tuple, made->items = items;
    return tilec_arg_tuple(made);
  }
  bool marked = item->value.kind == ARGUMENT_INT && !item->typed && item->value.i != 0;
  tilec_dtype dtype = arg.dtype;
  if (arg.kind == TILEC_ARG_FLOAT) return arg.value.f = 0, arg;
  arg = arg.kind == TILEC_ARG_POINTER ? tilec_arg_pointer(TILEC_I8, 0) : tilec_arg_int(marked ? -1 : 0);
  arg.dtype = dtype;
  return arg;
}

// Warns of the first wrong_load() of a struct's bytes. `floats`: where an integer is given.
static void warn_load(Run *run, const KernelImage *image, uint32_t i, bool floats) {
  const RunArg *param = &run->params[i];
  const char *why = NULL;
  size_t bytes = pack(run, param, NULL, 0, &why), size;
  uint8_t *given = arena_alloc(run->arena, bytes + 1);
  tilec_arg arg = floats ? integers_of(run, param) : library_arg(run, param);
  if (floats)
    struct_pack(&arg, given, bytes, &size);
  else
    struct_mark(&arg, given, bytes);
  Str body = {0}, name = run_entry_param(run, image->name, i, &body);
  uint32_t offset, count;
  const char *at = name.n ? wrong_load(body, name, given, (uint32_t)bytes, floats, &offset, &count) : NULL;
  if (!at) return;
  uint16_t file = sources_named(&run->c->sources, tool_source_name(run->options->file));
  Loc loc = {.line = 1, .col = 1, .file = file};
  for (const char *c = run->text.at; c < at; c++) loc.line += *c == '\n';
  diag_warning(
      &run->c->diags, loc, "[T1003] the kernel loads bytes %u to %u of the struct that is argument %u%s",
      offset, offset + count - 1, i,
      floats ? " as a float, and the brackets have an integer there: write it with a point, as in 2.0"
             : ", and no member in the brackets is there: is one missing?");
  run->warnings++;
}

void run_warn_padding(Run *run, const KernelImage *image) {
  for (uint32_t i = 0; i < run->param_count; i++)
    for (int floats = 0; run->params[i].value.kind == ARGUMENT_TUPLE && floats < 2; floats++)
      warn_load(run, image, i, floats);
}
