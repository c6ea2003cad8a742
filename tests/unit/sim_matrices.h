// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the tests of matrix instructions: PTX text made from shapes, and elements of every
// type. The elements are small integers, whose sums are exact on any machine.
#ifndef TESTS_SIM_MATRICES_H
#define TESTS_SIM_MATRICES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define HEAD ".version 8.7\n.target sm_90a\n.address_size 64\n"

typedef struct Text {
  char at[40000];
  size_t n;
} Text;

static inline void put(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void put(Text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text->at + text->n, sizeof text->at - text->n, format, args);
  va_end(args);
  assert_true(n >= 0 && text->n + (size_t)n < sizeof text->at);
  text->n += (size_t)n;
}

// "{%d0, %d1, ...}"
static inline void put_registers(Text *text, const char *name, int n) {
  for (int i = 0; i < n; i++) put(text, "%s%%%s%d", i ? ", " : "{", name, i);
  put(text, "}");
}

// ---- elements ----

typedef struct Kind {
  const char *name;
  int bytes;
  bool is_signed;
} Kind;

static const Kind f16 = {"f16", 2, true}, bf16 = {"bf16", 2, true}, tf32 = {"tf32", 4, true},
                  e4m3 = {"e4m3", 1, true}, e5m2 = {"e5m2", 1, true}, s8 = {"s8", 1, true},
                  u8 = {"u8", 1, false}, f64 = {"f64", 8, true};

// Integers from -3 to 3 are exact in every type.
static inline int element(uint32_t i, const Kind *kind) {
  int value = (int)((i * 2654435761u >> 11) % 7) - 3;
  return kind->is_signed || value >= 0 ? value : 253 + value;
}

static inline uint64_t bits_of(int value, const Kind *kind) {
  static const uint8_t narrow[2][4] = {{0x00, 0x38, 0x40, 0x44}, {0x00, 0x3c, 0x40, 0x42}}; // e4m3, e5m2
  float f = (float)value;
  double d = value;
  uint32_t w;
  uint64_t x;
  memcpy(&w, &f, 4);
  memcpy(&x, &d, 8);
  int magnitude = value < 0 ? -value : value;
  uint64_t sign = value < 0;
  if (kind == &f16) return sign << 15 | (uint64_t)narrow[1][magnitude & 3] << 8;
  if (kind == &bf16) return w >> 16;
  if (kind == &tf32) return w | 0xfff; // the low bits are ignored
  if (kind == &e4m3) return sign << 7 | narrow[0][magnitude & 3];
  if (kind == &e5m2) return sign << 7 | narrow[1][magnitude & 3];
  return kind == &f64 ? x : (uint64_t)(uint8_t)value;
}

static inline float float_of_half(uint16_t half) { // finite and normal, or zero
  uint32_t bits = (half & 0x7fffu) == 0 ? 0 : ((uint32_t)(half & 0x7fffu) << 13) + (112u << 23);
  bits |= (uint32_t)(half & 0x8000u) << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static inline double result_of(const unsigned char *at, const char *type) {
  float f;
  int32_t i;
  double d;
  uint16_t h;
  memcpy(&f, at, 4);
  memcpy(&i, at, 4);
  memcpy(&h, at, 2);
  if (strcmp(type, "f16") == 0) return (double)float_of_half(h);
  if (strcmp(type, "f32") == 0) return (double)f;
  if (strcmp(type, "s32") == 0) return i;
  memcpy(&d, at, 8);
  return d;
}

static inline int result_bytes(const char *type) {
  return strcmp(type, "f16") == 0 ? 2 : strcmp(type, "f64") == 0 ? 8 : 4;
}

static inline void put_loads(Text *text, const char *name, int n, int bytes) {
  put(text, "mul.wide.u32 %%t, %%id, %d;\nadd.s64 %%at, %%p%s, %%t;\n", n * bytes, name);
  for (int i = 0; i < n; i++) put(text, "ld.global.b%d %%%s%d, [%%at+%d];\n", 8 * bytes, name, i, i * bytes);
}

#endif
