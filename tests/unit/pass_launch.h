// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of a .tir file, launched on the reference evaluator. A comment in the file has the launch:
//   // launch: 3 n=37 stride=40
// This is 3 programs ("2,3": a grid), and scalars by name (0 if none is given). Each pointer gets its own buffer of
// small numbers.
#ifndef TESTS_UNIT_PASS_LAUNCH_H
#define TESTS_UNIT_PASS_LAUNCH_H

#include <stdlib.h>
#include <string.h>

#include "eval/eval.h"
#include "ir/number.h"

enum { LAUNCH_BYTES = 1 << 16, LAUNCH_PARAMS = 24 };

typedef struct PassLaunch {
  bool given, ran;
  uint32_t programs[3], buffers;
  uint8_t *bytes[LAUNCH_PARAMS]; // as the kernel left them
  Elem elem[LAUNCH_PARAMS];
} PassLaunch;

static inline uint64_t launch_address(uint32_t i) { return UINT64_C(0x1000000) * (i + 1); }

static inline void launch_fill(Elem elem, uint8_t *bytes) {
  uint32_t size = elem_bytes(elem);
  for (uint32_t i = 0; i < LAUNCH_BYTES / size; i++) {
    uint32_t number = (i * 2654435761u >> 20) % 61;
    uint64_t bits =
        elem_is_float(elem) ? number_encode(elem, (double)number - 30) : number_wrap(elem, number);
    number_store(elem, bits, bytes + (size_t)i * size);
  }
}

static inline bool launch_line(Str text, Str *line) {
  const char *at = strstr(text.at, "// launch:");
  if (!at) return false;
  at += strlen("// launch:");
  *line = (Str){at, strcspn(at, "\n")};
  return true;
}

static inline int64_t launch_scalar(Arena *arena, Str line, const char *name) {
  char *text = arena_copy(arena, line);
  const char *key = arena_printf(arena, " %s=", name), *at = strstr(text, key);
  return at ? strtoll(at + strlen(key), NULL, 10) : 0;
}

static inline void launch_grid(Arena *arena, Str line, uint32_t programs[3]) {
  char *at = arena_copy(arena, line);
  for (int d = 0; d < 3; d++) {
    bool given = d == 0 || *at == ',';
    programs[d] = given ? (uint32_t)strtoul(at + (d > 0), &at, 10) : 1;
  }
}

static inline PassLaunch launch_pass(Arena *arena, Func *func, Str text) {
  PassLaunch launch = {0};
  EvalArg args[LAUNCH_PARAMS] = {{0}};
  EvalMemory *memory = eval_memory_new(arena);
  Str line;
  launch.given = launch_line(text, &line);
  if (!launch.given || func->param_count > LAUNCH_PARAMS) return launch;
  launch_grid(arena, line, launch.programs);
  for (uint32_t i = 0; i < func->param_count; i++) {
    const Type *type = func->params[i].type;
    args[i].bits = (uint64_t)launch_scalar(arena, line, func->params[i].name);
    if (type->kind != TYPE_PTR) continue;
    uint8_t *start = arena_alloc(arena, LAUNCH_BYTES);
    launch_fill(type->inner->elem, start);
    eval_memory_add(memory, launch_address(i), start, LAUNCH_BYTES, true);
    args[i].bits = launch_address(i);
  }
  EvalOptions options = {0};
  launch.ran = eval_launch(func, launch.programs, args, memory, &options);
  for (uint32_t i = 0; i < func->param_count; i++) {
    if (func->params[i].type->kind != TYPE_PTR) continue;
    launch.elem[launch.buffers] = func->params[i].type->inner->elem;
    launch.bytes[launch.buffers] = arena_alloc(arena, LAUNCH_BYTES);
    memcpy(launch.bytes[launch.buffers++], eval_memory_bytes(memory, launch_address(i)), LAUNCH_BYTES);
  }
  return launch;
}

// NaN equals NaN: which bits it has is not the language's.
static inline bool launch_same(const PassLaunch *a, const PassLaunch *b) {
  for (uint32_t k = 0; k < a->buffers; k++)
    for (uint32_t i = 0, size = elem_bytes(a->elem[k]); i < LAUNCH_BYTES; i += size) {
      if (memcmp(a->bytes[k] + i, b->bytes[k] + i, size) == 0) continue;
      if (!elem_is_float(a->elem[k])) return false;
      double x = number_decode(a->elem[k], number_load(a->elem[k], a->bytes[k] + i));
      double y = number_decode(a->elem[k], number_load(a->elem[k], b->bytes[k] + i));
      if (x == x || y == y) return false;
    }
  return true;
}

#endif
