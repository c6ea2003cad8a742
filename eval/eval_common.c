// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors that several elements share. A softmax subtracts each row's maximum. Implementations may differ in
// that maximum, but its factor cancels in the final division. Bounds that ignore this grow with each block.
//
// An element of kind COMMON_TERM is (r +- e) + by[0] g[0] + by[1] g[1].
// An element of kind COMMON_FACTOR is (r +- e) exp(by[0] g[0] + by[1] g[1]).
// Here g[i] is the error with number id[i], between -most[i] and most[i]. It differs between implementations. Sums
// of terms keep it. Exponentials turn terms into factors, and logarithms turn factors into terms.
// Multiplication and division of factors keep it. All other ops first move it into e (eval_absorb).
#include <math.h>
#include "eval/eval_machine.h"
#include "ir/number.h"

bool eval_common_same(const Common *a, const Common *b) {
  if (a->kind != b->kind) return false;
  for (int i = 0; i < COMMON_ERRORS; i++)
    if (a->id[i] != b->id[i] || a->by[i] != b->by[i]) return false;
  return true;
}

static double common_reach(const Common *c) {
  double reach = 0;
  for (int i = 0; i < COMMON_ERRORS; i++) reach += fabs((double)c->by[i]) * c->most[i];
  return reach;
}

double eval_common_growth(const Common *c) { return c->kind == COMMON_FACTOR ? exp(common_reach(c)) : 1; }

double eval_common_size(const Common *c, double r) {
  return c->kind == COMMON_TERM ? fabs(r) + common_reach(c) : fabs(r) * eval_common_growth(c);
}

// A factor scales r, its bound and its roundings equally, except for roundings below the smallest normal
// number.
double eval_common_rounding(const Common *c, Elem elem, double r) {
  double smallest = number_u(elem) * number_min_normal(elem);
  return c->kind == COMMON_TERM ? eval_rounding(elem, eval_common_size(c, r) - fabs(r), 1)
                                : smallest * eval_common_growth(c);
}

Element eval_absorb(const Element *x) {
  Element y = *x;
  if (x->common.kind == COMMON_NONE) return y;
  y.common = (Common){0};
  if (x->common.kind == COMMON_TERM) {
    y.e += common_reach(&x->common) / EVAL_SLACK;
  } else {
    double growth = eval_common_growth(&x->common);
    y.e = x->e * growth + fabs(x->r) * (growth - 1) / EVAL_SLACK;
  }
  if (!isfinite(y.e)) y.state |= UNCERTAIN;
  return y;
}

Element eval_without_common(const Element *x) {
  Element y = *x;
  y.common = (Common){0};
  return y;
}

static bool add_error(Common *to, uint32_t id, double by, float most) {
  int room = -1;
  for (int i = 0; i < COMMON_ERRORS; i++) {
    if (to->by[i] == 0) room = room < 0 ? i : room;
    if (to->by[i] == 0 || to->id[i] != id) continue;
    double sum = (double)to->by[i] + by;
    to->by[i] = fabs(sum) < 1e-6 * fabs(by) ? 0 : (float)sum;
    return true;
  }
  if (room < 0) return false;
  to->id[room] = id, to->by[room] = (float)by, to->most[room] = most;
  return true;
}

bool eval_common_merge(const Common *a, double times, const Common *b, double b_times, Common *to) {
  *to = (Common){.kind = a->kind ? a->kind : b->kind};
  for (int i = 0; i < COMMON_ERRORS; i++)
    if (a->by[i] != 0 && !add_error(to, a->id[i], times * (double)a->by[i], a->most[i])) return false;
  for (int i = 0; i < COMMON_ERRORS; i++)
    if (b->by[i] != 0 && !add_error(to, b->id[i], b_times * (double)b->by[i], b->most[i])) return false;
  bool none = true;
  for (int i = 0; i < COMMON_ERRORS; i++) {
    if (to->by[i] == 0) to->id[i] = 0, to->most[i] = 0;
    none &= to->by[i] == 0;
  }
  if (none) *to = (Common){0};
  return true;
}

bool eval_is_exact_zero(const Element *x) { return x->r == 0 && x->e == 0 && !(x->state & STATE_MISSING); }

void eval_common_begin(Machine *m, Tile *tile) {
  if (!tile->common) return;
  for (uint32_t i = 0; i < tile->n; i++) {
    Element x = tile_get(tile, i);
    if (!(x.e > 0) || !isfinite(x.e) || x.common.kind || m->common_errors == UINT32_MAX) continue;
    x.common = (Common){.kind = COMMON_TERM, .id = {++m->common_errors}, .by = {1}};
    x.common.most[0] = nextafterf((float)eval_reach(&x), INFINITY);
    x.e = 0;
    tile_set(tile, i, &x);
  }
}

bool eval_has_common(const Func *func) {
  bool exponential = false, maximum = false;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    MathFunction f;
    exponential |= w.op->kind == OP_MATH && math_of(w.op, &f) && eval_exponential_base(f) > 0;
    maximum |= w.op->kind == OP_MAX && type_is_float(op_result(w.op)->type);
  }
  return exponential && maximum;
}
