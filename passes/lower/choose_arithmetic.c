// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose_arithmetic: chooses cheaper instructions for conversions of integers, repeated divisions and exponentials.
//
// needs   layouts; simplified IR, in which equal values are one value
// keeps   every value, except the undefined ones of a divisor of 0
// breaks  nothing
#include "base/integer.h"
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "passes/analysis/axis_info.h"
#include "passes/passes.h"
#include "target/tuning.h"
#include "ir/layout/layout.h"
#include "ir/layout/quotient_runs.h"
#include "passes/lower/divide.h"
#include "passes/analysis/mask_bounds.h"
#include "passes/analysis/word_range.h"

// --- conversions
//
// Integers of a small range become 16-bit floats by an addition of bits.
//
// ```
// before  %q = and %w, 15 : tile<64xi32, #l>
//         %f = cast %q : tile<64xfp16, #l>
// after   %q = and %w, 15 : tile<64xi32, #l>
//         %b = or %q, 0x6400 : tile<64xi32, #l>          (0x6400: the bits of 1024 in fp16)
//         %c = cast %b : tile<64xi16, #l>
//         %d = bitcast %c : tile<64xfp16, #l>            (1024 + %q)
//         %f = sub %d, 1024 : tile<64xfp16, #l>
// ```
//
// before  %d = sub %q, %z                                (both from 0 to 1023)
//         %f = cast %d
// after   %f = sub %e, %g                                (%e: 1024 + %q, %g: 1024 + %z)
//
// ```
// before  %f = cast %x : tile<64xfp16, #l>               (%x is from -2^24 to 2^24)
// after   %e = cast %x : tile<64xfp32, #l>
//         %f = cast %e : tile<64xfp16, #l>
// ```
//
// keeps   every value: the sum and the difference are exact, and so is %e
//
// pays    The machine converts integers to 16-bit floats at a fraction of its rate of additions. The `or` joins
//         the `and` of an unpacked weight in one instruction. ptxas subtracts in pairs.
//
// Between 2^p and 2^(p + 1) the numbers of a float with p bits after the point are the integers. So the bits of 2^p
// plus an integer from 0 to 2^p - 1 are those of the float's sum. For a range that starts at `low` the integer is
// x - low, and 2^p - low is subtracted.

enum { MAX_DEPTH = 8, EXACT_BITS = 24, EXTRA_BITS = 16, HALF_FRACTION = 10, BFLOAT_FRACTION = 7 };
enum { HALF_BITS = 0x6400, BFLOAT_BITS = 0x4300 }; // 2^p: 1024 and 128

typedef struct IntRange {
  bool known;
  int64_t low, high;
} IntRange;

typedef struct ConversionChooser {
  PassContext *context;
  Func *func;
  const AxisTable *axes;
  VEC(Op *) casts;
} ConversionChooser;

static const IntRange unknown_range = {false, 0, 0};

// The range, if every number of it is one of the integer type.
static IntRange range_within(Elem elem, int64_t low, int64_t high) {
  uint32_t bits = elem_info(elem)->bits;
  bool is_signed = elem_is_signed(elem);
  int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
  int64_t most = bits > 32 ? INT64_MAX : (INT64_C(1) << (bits - is_signed)) - 1;
  return least <= low && high <= most ? (IntRange){true, low, high} : unknown_range;
}

static IntRange range_of_type(Elem elem) {
  uint32_t bits = elem_info(elem)->bits;
  if (bits > EXTRA_BITS) return unknown_range;
  bool is_signed = elem_is_signed(elem);
  int64_t size = INT64_C(1) << bits;
  return (IntRange){true, is_signed ? -size / 2 : 0, is_signed ? size / 2 - 1 : size - 1};
}

// Small enough that sums and differences of ranges do not overflow.
static bool is_short(const IntRange *range) {
  const int64_t limit = INT64_C(1) << 40;
  return range->known && range->low >= -limit && range->high <= limit;
}

static IntRange range_of(const ConversionChooser *c, const Value *value, uint32_t depth);

static IntRange range_of_sum(const ConversionChooser *c, const Op *op, uint32_t depth) {
  IntRange a = range_of(c, op_operand(op, 0), depth), b = range_of(c, op_operand(op, 1), depth);
  if (!is_short(&a) || !is_short(&b)) return unknown_range;
  if (op->kind == OP_ADD) return range_within(value_elem(op_result(op)), a.low + b.low, a.high + b.high);
  return range_within(value_elem(op_result(op)), a.low - b.high, a.high - b.low);
}

// A shift to the right by a constant, which keeps the sign.
static IntRange range_of_shift(const ConversionChooser *c, const Op *op) {
  const AxisInfo *by = axis_info(c->axes, op_operand(op, 1));
  Elem elem = value_elem(op_result(op));
  uint32_t bits = elem_info(elem)->bits;
  if (!elem_is_signed(elem) || !by->known || by->constant < 0 || by->constant >= bits) return unknown_range;
  int64_t size = INT64_C(1) << (bits - 1 - (uint32_t)by->constant);
  return (IntRange){true, -size, size - 1};
}

static IntRange range_of_cast(const ConversionChooser *c, const Op *op, uint32_t depth) {
  const Value *from = op_operand(op, 0);
  if (!type_is_int(from->type) || type_is_elem(from->type, ELEM_I1)) return unknown_range;
  IntRange range = range_of(c, from, depth);
  return range.known ? range_within(value_elem(op_result(op)), range.low, range.high) : unknown_range;
}

static IntRange range_of_op(const ConversionChooser *c, const Op *op, uint32_t depth) {
  if (op_rearranged(op)) return range_of(c, op_rearranged(op), depth);
  switch ((int)op->kind) {
  case OP_ADD:
  case OP_SUB: return range_of_sum(c, op, depth);
  case OP_SHR: return range_of_shift(c, op);
  case OP_CAST: return range_of_cast(c, op, depth);
  default: return unknown_range;
  }
}

static IntRange range_of(const ConversionChooser *c, const Value *value, uint32_t depth) {
  const AxisInfo *info = axis_info(c->axes, value);
  if (info->known) return (IntRange){true, info->constant, info->constant};
  if (info->nonnegative && info->most <= INT64_MAX >> 1) return (IntRange){true, 0, (int64_t)info->most};
  IntRange range = value->def && depth ? range_of_op(c, value->def, depth - 1) : unknown_range;
  return range.known ? range : range_of_type(value_elem(value));
}

// A number as a value and a constant: y + more, where y is from low to low + 2^p - 1.
typedef struct SmallNumber {
  Value *y;
  int64_t low, more;
} SmallNumber;

// Finds them, without the constant that x adds or subtracts.
static bool find_small(const ConversionChooser *c, Value *x, uint32_t fraction, SmallNumber *out) {
  int64_t size = INT64_C(1) << fraction;
  IntRange range = range_of(c, x, MAX_DEPTH);
  if (!range.known || range.high - range.low >= size || range.low < -size || range.low > size) return false;
  *out = (SmallNumber){.y = x, .low = range.low};
  const Op *op = x->def;
  if (!op || (op->kind != OP_ADD && op->kind != OP_SUB)) return true;
  const AxisInfo *by = axis_info(c->axes, op_operand(op, 1));
  if (!by->known || by->constant < -size || by->constant > size) return true;
  int64_t more = op->kind == OP_ADD ? by->constant : -by->constant;
  IntRange inner = range_of(c, op_operand(op, 0), MAX_DEPTH);
  if (inner.known && inner.low + more == range.low && inner.high + more == range.high && inner.low == 0)
    *out = (SmallNumber){.y = op_operand(op, 0), .low = 0, .more = more};
  return true;
}

// 2^p + y - low as a float: the bits of 2^p, plus an integer.
static Value *build_above(Builder *b, const SmallNumber *number, const Type *to) {
  Value *y = number->y;
  if (type_element_bytes(y->type) != 4) y = build_cast(b, y, builder_scalar(b, ELEM_I32));
  int64_t bits = type_is_elem(to, ELEM_FP16) ? HALF_BITS : BFLOAT_BITS;
  Value *sum = build_with_int(b, number->low ? OP_ADD : OP_OR, y, bits - number->low);
  Value *narrow = build_cast(b, sum, builder_scalar(b, ELEM_I16));
  return build(b, OP_BITCAST, to, narrow, NULL, NULL);
}

// The difference of two numbers that start at the same one, both above 2^p. NULL: x is no such difference.
static Value *convert_difference(const ConversionChooser *c, Builder *b, const Op *cast, uint32_t fraction) {
  const Op *op = op_operand(cast, 0)->def;
  const Type *to = op_result(cast)->type;
  SmallNumber number[2];
  if (!op || op->kind != OP_SUB || axis_info(c->axes, op_operand(op, 1))->known) return NULL;
  for (uint32_t i = 0; i < 2; i++)
    if (!find_small(c, op_operand(op, i), fraction, &number[i])) return NULL;
  if (number[0].low != number[1].low || number[0].more != number[1].more) return NULL;
  Value *first = build_above(b, &number[0], to);
  return build_binary(b, OP_SUB, first, build_above(b, &number[1], to));
}

// NULL: the range is too large.
static Value *convert_by_bits(const ConversionChooser *c, Op *cast, uint32_t fraction) {
  Builder b = builder_before(cast);
  const Type *to = op_result(cast)->type;
  SmallNumber number;
  Value *difference = convert_difference(c, &b, cast, fraction);
  if (difference || !find_small(c, op_operand(cast, 0), fraction, &number)) return difference;
  Value *above = build_above(&b, &number, to);
  int64_t size = INT64_C(1) << fraction;
  return build_binary(&b, OP_SUB, above, build_float(&b, to, (double)(size - number.low - number.more)));
}

static Value *convert_through_fp32(Op *cast) {
  Builder b = builder_before(cast);
  Value *single = build_cast(&b, op_operand(cast, 0), builder_scalar(&b, ELEM_FP32));
  return build(&b, OP_CAST, op_result(cast)->type, single, NULL, NULL);
}

// The bits after the point of a type that the machine subtracts in; 0: none.
static uint32_t fraction_of(const ConversionChooser *c, const Type *to) {
  if (type_is_elem(to, ELEM_FP16)) return HALF_FRACTION;
  bool bfloat = type_is_elem(to, ELEM_BF16) && c->func->module->target.arch->has_bf16_of_int;
  return bfloat ? BFLOAT_FRACTION : 0;
}

static bool convert(const ConversionChooser *c, Op *cast) {
  IntRange range = range_of(c, op_operand(cast, 0), MAX_DEPTH);
  int64_t exact = INT64_C(1) << EXACT_BITS;
  if (!range.known || range.low < -exact || range.high > exact) return false;
  uint32_t fraction = fraction_of(c, op_result(cast)->type);
  Value *by_bits = fraction ? convert_by_bits(c, cast, fraction) : NULL;
  Value *made = by_bits ? by_bits : convert_through_fp32(cast);
  diag_remark(c->context->diags, cast->loc, "choose_arithmetic",
              "integers from %lld to %lld are converted %s", (long long)range.low, (long long)range.high,
              by_bits ? "by an addition of bits" : "through fp32");
  value_replace_uses(op_result(cast), made);
  op_erase(cast);
  return true;
}

// Casts of tiles of wider integers to floats of 16 or 8 bits. Casts of 8-bit and 16-bit integers are codegen's.
static void find_cast(ConversionChooser *c, Op *op) {
  if (op->kind != OP_CAST || op_attr(op, ATTR_FRESH)) return;
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  if (!type_is_tile(to) || !type_is_int(from) || !type_is_float(to)) return;
  if (elem_info(type_element(from)->elem)->bits < 32 || type_element_bytes(to) > 2) return;
  vec_push(c->context->scratch, &c->casts, op);
}

// --- divisions
//
// A thread divides several integers by one divisor.
//
// before  %q = div %x, %ds : tile<1024xi64, #l>          %ds = splat %d
// after   %fits = ...                                    (all of %x and %d are unsigned 32-bit numbers)
//         %q, %r = if %fits { yield 32-bit results } else { yield 64-bit results }
//
//         Both widths use %m = (2^width - 1) / %d, computed once, before the loops:
//
//         %h = mulhi %x, %m; %r = sub %x, (mul %h, %ds); one more where %r >= %ds
//
//
// pays    A division takes about ten instructions at 32 bits and a hundred at 64 bits. At 32 bits five remain, or nine
//         for signed numbers. At 64 bits, twenty remain if the numbers do not fit in 32 bits.
//
// One test checks whether all elements fit. They are offsets from scalars of the program, which nearly always fit. If
// nothing is known about the elements (they were loaded), the 64-bit division stays. LLVM's division tests each
// element, and most fit.
//
// Quotients by constants are already multiplications. For equal neighbours a thread computes one (coalesce). Such
// 64-bit divisions become 32-bit ones, and nothing more.

typedef struct DivideSite { // a div or a rem
  Op *op;
  const Value *divisor; // a tile
  Value *by;            // its scalar; NULL: a constant
  bool plain;           // stays a division of its kind: by a constant, or done once for equal neighbours
  Value *fits;          // from build_fits_word, also for the divisor; NULL: unknown, or 32-bit anyway
  Value *x;             // at the rewrite
  Division made;
} DivideSite;

typedef struct DivisionChooser {
  PassContext *context;
  VEC(DivideSite) sites;
} DivisionChooser;

static bool is_wide(const Value *x) { return type_element_bytes(x->type) == 8; }

static bool is_loop(const Op *op) { return op && op_is_loop(op); }

// The op before which the scalar is available, in the fewest loops.
static Op *outside_of_loops(Op *op, const Value *scalar) {
  while (is_loop(op->region->parent) && value_region(scalar) != op->region) op = op->region->parent;
  return op;
}

static void find_site(DivisionChooser *c, Op *op) {
  int64_t constant;
  if (op->kind != OP_DIV && op->kind != OP_REM) return;
  DivideSite site = {.op = op, .divisor = op_operand(op, 1)};
  const Type *type = op_result(op)->type;
  if (!type_is_tile(type) || !type->layout || !type_is_int(type) || type_element_bytes(type) < 4) return;
  if (!is_uniform(site.divisor, &site.by, &constant)) return;
  if (!site.by && (!constant_divides_words(type, constant) || is_power_of_two((uint64_t)constant))) return;
  uint32_t inside = quotient_runs(op).first, count = layout_own_elements(type->layout);
  for (uint32_t bits = inside; bits; bits &= bits - 1) count /= 2;
  site.plain = !site.by || inside;
  bool repeated = !site.plain && outside_of_loops(op, site.by) != op;
  if ((count > 1 || repeated) && (is_wide(op_result(op)) || !site.plain))
    vec_push(c->context->scratch, &c->sites, site);
}

static bool is_around(const Region *region, const Op *op) {
  for (const Op *at = op; at; at = at->region->parent)
    if (at->region == region) return true;
  return false;
}

static bool has_same_divisor(const DivideSite *a, const DivideSite *b) {
  return a->by ? a->by == b->by : a->divisor == b->divisor;
}

// An earlier test of the same dividend and divisor. NULL: there is none.
static Value *test_found(const DivisionChooser *c, const DivideSite *site) {
  const Value *x = op_operand(site->op, 0);
  for (const DivideSite *other = c->sites.at; other < site; other++)
    if (has_same_divisor(other, site) && op_operand(other->op, 0) == x && other->fits &&
        is_around(other->op->region, site->op))
      return other->fits;
  return NULL;
}

// Runs for all sites before any rewrite. Tests are found by their dividends, which may be quotients that rewrites
// replace.
static void test_site(const DivisionChooser *c, DivideSite *site) {
  Builder b = builder_before(site->op);
  if (!is_wide(op_result(site->op))) return;
  site->fits = test_found(c, site);
  if (site->fits) return;
  site->fits = build_fits_word(&b, op_operand(site->op, 0));
  if (site->fits && site->by)
    site->fits = build_binary(&b, OP_AND, site->fits, build_divides_words(&b, site->by));
}

static Divisor divisor_before_loops(Op *op, Value *by, bool narrow) {
  Builder b = builder_before(outside_of_loops(op, by));
  return divisor_make(&b, narrow ? build_cast(&b, by, builder_scalar(&b, ELEM_U32)) : by);
}

static void yield_division(Builder *b, const Division *d, const Type *type) {
  Value *values[] = {build_cast(b, d->quotient, type_element(type)),
                     build_cast(b, d->remainder, type_element(type))};
  build_yield(b, 2, values);
}

// An `if` with two regions: in the first the numbers fit in 32 bits.
typedef struct FitBranch {
  Op *branch;
  Builder words, wide;
} FitBranch;

static FitBranch fit_branch(const DivideSite *site, uint32_t results) {
  const Type *types[] = {site->x->type, site->x->type};
  Builder b = builder_before(site->op);
  Op *branch = build_if(&b, site->fits, results, types);
  return (FitBranch){branch, builder_inside(branch->regions[0], b.loc),
                     builder_inside(branch->regions[1], b.loc)};
}

static Value *divide_plainly(Builder *b, const DivideSite *site, Value *x, Value *by) {
  Value *result = build_binary(b, site->op->kind, x, by);
  op_copy_attrs(result->def, site->op);
  return build_cast(b, result, type_element(site->x->type));
}

static Value *plainly_by_test(const DivideSite *site) {
  FitBranch at = fit_branch(site, 1);
  Value *by = op_operand(site->op, 1);
  const Type *word = builder_scalar(&at.words, ELEM_U32);
  Value *divisor = build_cast(&at.words, by, word);
  Value *fast = divide_plainly(&at.words, site, build_cast(&at.words, site->x, word), divisor);
  build_yield(&at.words, 1, &fast);
  Value *slow = divide_plainly(&at.wide, site, site->x, by);
  build_yield(&at.wide, 1, &slow);
  return op_result(at.branch);
}

static Division divide_by_test(const DivideSite *site) {
  Divisor narrow = divisor_before_loops(site->op, site->by, true);
  FitBranch at = fit_branch(site, 2);
  Division fast =
      divide_tile(&at.words, build_cast(&at.words, site->x, builder_scalar(&at.words, ELEM_U32)), &narrow);
  yield_division(&at.words, &fast, site->x->type);
  Divisor divisor = divisor_make(&at.wide, site->by);
  Division slow = divide_tile(&at.wide, site->x, &divisor);
  yield_division(&at.wide, &slow, site->x->type);
  return (Division){&at.branch->results[0], &at.branch->results[1]};
}

static Division divide_site(const DivideSite *site) {
  if (site->fits) return divide_by_test(site);
  Divisor divisor = divisor_before_loops(site->op, site->by, false);
  Builder b = builder_before(site->op);
  return divide_tile(&b, site->x, &divisor);
}

// The result of an earlier site that divides the same numbers. NULL: there is none.
static const Division *division_made(const DivisionChooser *c, const DivideSite *site) {
  for (const DivideSite *other = c->sites.at; other < site; other++) {
    if (!has_same_divisor(other, site) || other->x != site->x || !other->made.quotient) continue;
    if (is_around(value_region(other->made.quotient), site->op)) return &other->made;
  }
  return NULL;
}

static Value *rewritten(const DivisionChooser *c, DivideSite *site) {
  if (site->plain) return plainly_by_test(site);
  const Division *made = division_made(c, site);
  site->made = made ? *made : divide_site(site);
  return site->op->kind == OP_DIV ? site->made.quotient : site->made.remainder;
}

static void rewrite_site(DivisionChooser *c, DivideSite *site) {
  if (!site->fits && (site->plain || is_wide(op_result(site->op)))) return;
  site->x = op_operand(site->op, 0);
  value_replace_uses(op_result(site->op), rewritten(c, site));
  diag_remark(c->context->diags, site->op->loc, "choose_arithmetic",
              "repeated divisions become multiplication by a reciprocal%s",
              site->fits ? ", in 32 bits where the values fit" : "");
  op_erase(site->op);
}

// --- powers of two
//
// Next to tcgen05's dots, a loop's exponentials are a bottleneck: their unit has a fraction of the rate of multiply-adds.
// A part of them have a polynomial instead.
//
// ```
// before  %p = math %x {function = "exp2"} : tile<128x128xfp32, #l>
// after   %p = math %x {function = "exp2", polynomial = 4} : tile<128x128xfp32, #l>
// ```
//
// keeps   every value, within exp2's bound
// pays    while the unit computes one exponential, a warp could issue R = fma / mufu instructions. A polynomial takes
//         POLYNOMIAL_SLOTS. A share s of n exponentials balances the unit and the instructions, as in FlashAttention-4.
//         ```
//         n (1 - s) R = others + n (1 - s) + n s POLYNOMIAL_SLOTS
//         ```

enum { POLYNOMIAL_SLOTS = 8 };

static bool is_power(const Op *op) {
  MathFunction function;
  return math_of(op, &function) && function == MATH_exp2 && type_is_elem(op_result(op)->type, ELEM_FP32) &&
         type_is_tile(op_result(op)->type) &&
         layout_registers(op_result(op)->type->layout) >= POLYNOMIAL_GROUP;
}

// Instructions of a thread, about: one for each register, and one for two of 16 bits.
static uint32_t slots_of(const Op *op) {
  bool reduces = op->kind == OP_REDUCE;
  if (!reduces && (!op_has(op, ELEMENTWISE) || !type_is_tile(op_result(op)->type))) return 0;
  const Type *tile = reduces ? op_operand(op, 0)->type : op_result(op)->type;
  if (op->kind == OP_RESCALE || type_element(tile)->kind == TYPE_PTR)
    return 0; // mostly skipped; few addresses
  return layout_registers(tile->layout) >> (op->kind == OP_CAST && type_element_bytes(tile) == 2);
}

// The same of a region. The longer branch of an if counts.
static uint32_t slots_in(const Region *region) {
  uint32_t slots = 0;
  for (const Op *op = region->first; op; op = op->next) {
    uint32_t branch = 0;
    for (uint32_t i = 0; op->kind == OP_IF && i < op->region_count; i++)
      branch = max_u32(branch, slots_in(op->regions[i]));
    slots += slots_of(op) + branch;
  }
  return slots;
}

// How many of POLYNOMIAL_GROUP registers have a polynomial, in pairs.
static uint32_t polynomial_share(const Region *loop, const TargetInfo *arch) {
  const uint32_t pairs = POLYNOMIAL_GROUP / 2;
  uint32_t powers = 0;
  bool dots = false;
  for (const Op *op = loop->first; op; op = op->next) {
    dots |= is_dot_of(op, DOT_TCGEN05);
    if (is_power(op)) powers += slots_of(op);
  }
  if (!dots || !powers || !arch->mufu) return 0;
  uint32_t busy = powers * (arch->fma / arch->mufu), slots = TUNE_LOOP_SLOTS + slots_in(loop);
  if (busy <= slots) return 0;
  uint32_t gain = busy + powers * (POLYNOMIAL_SLOTS - 1); // by all of them
  return 2 * ((2 * pairs * (busy - slots) + gain) / (2 * gain));
}

static bool divide_powers(PassContext *context, Func *func, const Op *loop) {
  uint32_t share = polynomial_share(loop->regions[0], func->module->target.arch);
  for (Op *op = loop->regions[0]->first; share && op; op = op->next) {
    if (!is_power(op)) continue;
    op_set_int(op, ATTR_POLYNOMIAL, share);
    diag_remark(context->diags, op->loc, "choose_arithmetic",
                "%u of %u exponentials are computed by multiply-adds", share, (uint32_t)POLYNOMIAL_GROUP);
  }
  return share > 0;
}

bool pass_choose_arithmetic(PassContext *context, Func *func) {
  ConversionChooser c = {.context = context, .func = func};
  DivisionChooser d = {.context = context};
  bool changed = false;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    find_cast(&c, w.op);
    find_site(&d, w.op);
    if (w.op->kind == OP_FOR) changed |= divide_powers(context, func, w.op);
  }
  changed |= d.sites.n > 0; // at least tests are added
  if (c.casts.n) c.axes = axis_analyse(context->scratch, func);
  for (uint32_t i = 0; i < c.casts.n; i++) changed |= convert(&c, c.casts.at[i]);
  for (uint32_t i = 0; i < d.sites.n; i++) test_site(&d, &d.sites.at[i]);
  for (uint32_t i = 0; i < d.sites.n; i++) rewrite_site(&d, &d.sites.at[i]);
  return changed;
}
