// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The points at which functions are measured. Special numbers. Neighbours of the places where implementations switch
// methods: powers of two, multiples of parts of pi and ln 2, poles, zeros. Random numbers of several distributions.
#include <math.h>
#include "tests/accuracy/accuracy.h"

static uint64_t mixed(uint64_t x) { // splitmix64 (S. Vigna)
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

typedef struct Random {
  uint64_t state;
} Random;

static uint64_t next(Random *r) {
  r->state += 0x632be59bd9b4e019;
  return mixed(r->state);
}

static uint64_t below(Random *r, uint64_t n) { return (next(r) >> 11) % n; }
static double real(Random *r) { return (double)(next(r) >> 11) * 0x1p-53; } // in [0, 1)

// Zeros, denormals, extremes, infinities, NaN; then numbers that the functions treat apart, with both signs.
static const double special[] = {0x1p-149,
                                 0x1p-1074,
                                 0x1p-126,
                                 0x1p-1022,
                                 0x1.fffffcp-127,
                                 0x1p-24,
                                 0x1p-14,
                                 0x1p-60,
                                 0x1p-30,
                                 0x1p-12,
                                 0.25,
                                 0.5,
                                 0.75,
                                 1,
                                 1.5,
                                 2,
                                 2.5,
                                 3,
                                 4,
                                 5,
                                 8,
                                 10,
                                 16,
                                 17,
                                 20,
                                 23,
                                 24,
                                 27,
                                 28,
                                 32,
                                 34,
                                 35,
                                 38,
                                 40,
                                 64,
                                 85,
                                 88,
                                 89,
                                 90,
                                 100,
                                 104,
                                 126,
                                 127,
                                 128,
                                 129,
                                 149,
                                 150,
                                 151,
                                 152,
                                 170,
                                 171,
                                 172,
                                 180,
                                 190,
                                 255,
                                 256,
                                 307,
                                 308,
                                 323,
                                 324,
                                 325,
                                 1000,
                                 1022,
                                 1023,
                                 1024,
                                 1074,
                                 1075,
                                 1100,
                                 2047,
                                 2048,
                                 2200,
                                 32768,
                                 65504,
                                 65535,
                                 65536,
                                 0x1p22,
                                 0x1p23,
                                 0x1p24,
                                 0x1.8p23,
                                 0x1p31,
                                 0x1p32,
                                 0x1p51,
                                 0x1p52,
                                 0x1p53,
                                 0x1p62,
                                 0x1p63,
                                 0x1p64,
                                 0x1p100,
                                 0x1p127,
                                 0x1.fffffep127,
                                 0x1p1000,
                                 0x1.fffffffffffffp1023,
                                 88.72283,
                                 88.722839,
                                 103.97208,
                                 87.33655,
                                 709.782712893384,
                                 745.1332191019411,
                                 708.3964185322641,
                                 38.53184,
                                 38.2308,
                                 44.853,
                                 35.040096,
                                 171.62437695630272,
                                 184.5,
                                 0.84375,
                                 10.05,
                                 26.543258,
                                 9.010913,
                                 0.7071067811865476,
                                 1.4142135623730951,
                                 0.34657359,
                                 1.0397208,
                                 0.35355339,
                                 2.40482556,
                                 0x1.921fb6p-1,
                                 0x1.921fb6p0,
                                 0x1.921fb6p1,
                                 0x1.921fb54442d18p1,
                                 0x1.62e430p-1,
                                 0.1,
                                 3.5,
                                 2.7182818,
                                 9.0,
                                 2.4570247382208006,
                                 2.7476826467274127,
                                 3.143580888349980,
                                 3.955294284858598,
                                 4.039361839740537,
                                 4.991544640560048,
                                 5.008218168322593,
                                 5.998607480080876,
                                 6.001385294453154};

enum { PLAIN = sizeof special / sizeof *special, SPECIALS = 2 * (PLAIN + 3), NEIGHBOURS = 5 };

static uint64_t sign_of(Type type) { return (uint64_t)1 << (8 * types[type].bytes - 1); }

// Special number k of SPECIALS.
static uint64_t special_bits(Type type, uint64_t k) {
  uint64_t bits, half = k / 2;
  if (half == 0)
    bits = 0;
  else if (half == 1)
    bits = encode(type, (double)INFINITY);
  else if (half == 2)
    bits = encode(type, (double)NAN);
  else
    bits = encode(type, special[half - 3]);
  return k & 1 ? bits ^ sign_of(type) : bits;
}

// A number a few places from `bits`; at zero the least denormal ones of both signs.
static uint64_t neighbour(Type type, uint64_t bits, int64_t by) {
  uint64_t sign = sign_of(type), size = bits & ~sign;
  if (by < 0 && size < (uint64_t)-by) return (bits ^ sign) & sign ? (uint64_t)-by | sign : (uint64_t)-by;
  return (bits & sign) | ((size + (uint64_t)by) & ~sign);
}

static uint64_t any_bits(Type type, Random *r) { return next(r) & (2 * sign_of(type) - 1); }

// Near k times a constant whose multiples are breaks, poles or zeros of some function.
static uint64_t near_multiple(Type type, Random *r) {
  static const double steps[] = {0.25,
                                 0.5,
                                 1,
                                 0x1.921fb54442d18p-1,
                                 0x1.921fb54442d18p0,
                                 0.34657359027997264,
                                 0.6931471805599453,
                                 0.30102999566398120,
                                 0.0625};
  uint64_t limit = below(r, 4) ? 200 : 100000;
  double k = (double)below(r, 2 * limit) - (double)limit;
  double at = k * steps[below(r, sizeof steps / sizeof *steps)];
  int64_t by = below(r, 2) ? (int64_t)below(r, 9) - 4 : (int64_t)below(r, 2000001) - 1000000;
  return neighbour(type, encode(type, at), types[type].bytes == 2 ? by % 5 : by);
}

static uint64_t near_power(Type type, Random *r) {
  int exponent = (int)below(r, 120) - 80;
  double at = ldexp(below(r, 2) ? 1 : -1, exponent);
  return neighbour(type, encode(type, at), (int64_t)below(r, 65) - 32);
}

static uint64_t in_range(Type type, Random *r) {
  static const double ranges[] = {1, 2, 4, 10, 40, 110, 200, 800, 10000};
  double range = ranges[below(r, sizeof ranges / sizeof *ranges)];
  return encode(type, (2 * real(r) - 1) * range);
}

static uint64_t log_uniform(Type type, Random *r) {
  double size = exp2(real(r) * 45 - 35);
  return encode(type, below(r, 2) ? size : -size);
}

static uint64_t random_argument(Type type, Random *r) {
  switch (below(r, 16)) {
  case 0:
  case 1:
  case 2:
  case 3: return any_bits(type, r);
  case 4:
  case 5:
  case 6: return near_multiple(type, r);
  case 7: return near_power(type, r);
  case 8:
    return neighbour(type, special_bits(type, below(r, SPECIALS)),
                     (int64_t)below(r, 2 * NEIGHBOURS + 1) - NEIGHBOURS);
  case 9:
  case 10:
  case 11: return log_uniform(type, r);
  default: return in_range(type, r);
  }
}

// Second arguments that make the result of pow finite, ldexp's a number, those of quotients of a size with a.
static uint64_t second_argument(Function f, Type type, uint64_t a, Random *r) {
  double x = (double)decode(type, a);
  if (f == FUNCTION_pow && below(r, 4)) {
    double limit = 1.01 * types[type].greatest_exponent / fabs(log2(fabs(x)));
    double y = (2 * real(r) - 1) * limit;
    return encode(type, x < 0 || !below(r, 8) ? rint(y) : y);
  }
  if (f == FUNCTION_ldexp && below(r, 8)) return encode(type, (double)below(r, 5000) / 2 - 1250);
  if (below(r, 2)) return random_argument(type, r);
  if (below(r, 4) == 0) return neighbour(type, a, (int64_t)below(r, 9) - 4);
  return encode(type, x * ldexp(2 * real(r) - 1, (int)below(r, 100) - 50));
}

static bool is_every(Function f, Type type, uint64_t count) {
  int bits = 8 * types[type].bytes;
  return functions[f].operands == 1 && bits < 64 && count >= (uint64_t)1 << bits;
}

uint64_t point_count(Function f, Type type, uint64_t wanted) {
  bool pairs = functions[f].operands > 1;
  if (types[type].bytes == 2 && !pairs) return 65536;
  if (type == FP32 && !pairs && wanted >= (uint64_t)1 << 32) return (uint64_t)1 << 32;
  uint64_t least = pairs ? (uint64_t)SPECIALS * SPECIALS : SPECIALS * (2 * NEIGHBOURS + 1);
  return wanted > least ? wanted : least;
}

Point point_at(Function f, Type type, uint64_t seed, uint64_t index, uint64_t count) {
  Point p = {{index, 0}};
  if (is_every(f, type, count)) return p;
  Random r = {mixed(seed + index) ^ mixed(((uint64_t)f << 8) + type)};
  if (functions[f].operands == 1) {
    uint64_t k = index / (2 * NEIGHBOURS + 1);
    int64_t by = (int64_t)(index % (2 * NEIGHBOURS + 1)) - NEIGHBOURS;
    p.bits[0] = k < SPECIALS ? neighbour(type, special_bits(type, k), by) : random_argument(type, &r);
    return p;
  }
  if (index < (uint64_t)SPECIALS * SPECIALS)
    return (Point){{special_bits(type, index / SPECIALS), special_bits(type, index % SPECIALS)}};
  p.bits[0] = f == FUNCTION_pow && below(&r, 4) == 0 ? encode(type, exp2(real(&r) * 8 - 4))
                                                     : random_argument(type, &r);
  p.bits[1] = second_argument(f, type, p.bits[0], &r);
  return p;
}
