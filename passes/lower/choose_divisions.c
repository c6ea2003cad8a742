// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose_divisions: chooses how a thread divides several integers by one divisor.
//
// before  %q = div %x, %ds : tile<1024xi64, #l>          %ds = splat %d
// after   %fits = ...                                    (all of %x and %d are unsigned 32-bit numbers)
//         %q, %r = if %fits { yield 32-bit results } else { yield 64-bit results }
//
//         Both widths use %m = (2^width - 1) / %d, computed once, before the loops:
//
//         %h = mulhi %x, %m; %r = sub %x, (mul %h, %ds); one more where %r >= %ds
//
// needs   layouts; simplified IR, in which equal values are one value
// keeps   every value, except the undefined ones of a divisor of 0
// breaks  nothing
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
#include "ir/build.h"
#include "ir/layout/layout.h"
#include "ir/layout/quotient_runs.h"
#include "passes/lower/divide.h"
#include "passes/analysis/mask_bounds.h"
#include "passes/passes.h"
#include "passes/analysis/word_range.h"

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

static bool is_power(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

static void find_site(DivisionChooser *c, Op *op) {
  int64_t constant;
  if (op->kind != OP_DIV && op->kind != OP_REM) return;
  DivideSite site = {.op = op, .divisor = op_operand(op, 1)};
  const Type *type = op_result(op)->type;
  if (!type_is_tile(type) || !type->layout || !type_is_int(type) || type_element_bytes(type) < 4) return;
  if (!is_uniform(site.divisor, &site.by, &constant)) return;
  if (!site.by && (is_power(constant) || !constant_divides_words(type, constant))) return;
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

static Value *narrowed(Builder *b, Value *x) {
  return build_cast(b, x, type_scalar(b->func->module->ir, ELEM_U32));
}

static Divisor divisor_before_loops(Op *op, Value *by, bool narrow) {
  Builder b = builder_before(outside_of_loops(op, by));
  return divisor_make(&b, narrow ? narrowed(&b, by) : by);
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
  FitBranch made = {branch, builder_at_end(b.func, branch->regions[0]),
                    builder_at_end(b.func, branch->regions[1])};
  made.words.loc = made.wide.loc = site->op->loc;
  return made;
}

static Value *divide_plainly(Builder *b, const DivideSite *site, Value *x, Value *by) {
  Value *result = build_binary(b, site->op->kind, x, by);
  op_copy_attrs(result->def, site->op);
  return build_cast(b, result, type_element(site->x->type));
}

static Value *plainly_by_test(const DivideSite *site) {
  FitBranch at = fit_branch(site, 1);
  Value *by = op_operand(site->op, 1);
  Value *fast = divide_plainly(&at.words, site, narrowed(&at.words, site->x), narrowed(&at.words, by));
  build_yield(&at.words, 1, &fast);
  Value *slow = divide_plainly(&at.wide, site, site->x, by);
  build_yield(&at.wide, 1, &slow);
  return op_result(at.branch);
}

static Division divide_by_test(const DivideSite *site) {
  Divisor narrow = divisor_before_loops(site->op, site->by, true);
  FitBranch at = fit_branch(site, 2);
  Division fast = divide_tile(&at.words, narrowed(&at.words, site->x), &narrow);
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
  diag_remark(c->context->diags, site->op->loc, "choose_divisions",
              "repeated divisions become multiplication by a reciprocal%s",
              site->fits ? ", in 32 bits where the values fit" : "");
  op_erase(site->op);
}

bool pass_choose_divisions(PassContext *context, Func *func) {
  DivisionChooser c = {.context = context};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) find_site(&c, w.op);
  for (uint32_t i = 0; i < c.sites.n; i++) test_site(&c, &c.sites.at[i]);
  for (uint32_t i = 0; i < c.sites.n; i++) rewrite_site(&c, &c.sites.at[i]);
  return c.sites.n > 0; // at least tests were added
}
