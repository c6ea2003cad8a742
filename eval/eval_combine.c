// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduce and scan of the evaluator.
//
// A reduction combines neighbours as a balanced tree. So a comes before b, and rounding accumulates as in
// parallel implementations. A scan goes from element to element. A region that only adds two floats is a sum
// of n terms, whose bound is valid for every order. Other regions propagate bounds through their ops.
#include <math.h>
#include <string.h>
#include "base/fault.h"
#include "eval/eval_machine.h"
#include "ir/memory/exchange.h"
#include "ir/number.h"

// Lines of elements along `axis`: their positions in the operands, and a buffer for one line.
typedef struct Lines {
  Machine *m;
  Op *op;
  Region *body;
  uint32_t operands, size, count, inner; // size: of the axis
  uint32_t length;                       // elements to combine
  const uint32_t *chosen;                // their indices on the axis, ascending; NULL: all
  const Op *single;                      // The region's only op, which combines (a, b) or (b, a); else NULL.
  bool swapped, compares;                // compares: it compares two floats
  Element *room;                         // operands x length elements, one operand after another
  uint64_t room_bytes;
} Lines;

static void find_single(Lines *lines) {
  const Op *op = lines->body->first;
  if (lines->operands != 1 || !op || !op->next || op->next->kind != OP_YIELD || op->operand_count != 2)
    return;
  if (!op_has(op, ELEMENTWISE | SAME) || op->next->operands[0].value != op_result(op)) return;
  const Value *a = op->operands[0].value, *b = op->operands[1].value;
  lines->swapped = a == lines->body->args[1] && b == lines->body->args[0];
  if (lines->swapped || (a == lines->body->args[0] && b == lines->body->args[1])) lines->single = op;
}

static Lines lines_new(Machine *m, Op *op) {
  const Type *type = op_operand(op, 0)->type;
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  Lines lines = {.m = m, .op = op, .body = op->regions[0], .operands = combined_count(op)};
  lines.length = lines.size = type->shape[axis];
  lines.inner = 1;
  for (uint32_t d = axis + 1; d < type->rank; d++) lines.inner *= type->shape[d];
  lines.count = (uint32_t)type_elements(type) / lines.size;
  lines.room_bytes = (uint64_t)lines.operands * lines.length * sizeof(Element);
  lines.room = eval_block(m->memory, lines.room_bytes);
  find_single(&lines);
  for (OpWalk w = ops_in(lines.body); ops_next(&w);)
    lines.compares |= op_has(w.op, COMPARE) && type_is_float(op_operand(w.op, 0)->type);
  return lines;
}

static void lines_free(Lines *lines) { eval_block_free(lines->m->memory, lines->room, lines->room_bytes); }

// The index in an operand of combined element i of line k.
static uint32_t element_of_line(const Lines *lines, uint32_t k, uint32_t i) {
  uint32_t along = lines->chosen ? lines->chosen[i] : i;
  return (k / lines->inner * lines->size + along) * lines->inner + k % lines->inner;
}

static void load_line(const Lines *lines, uint32_t k) {
  for (uint32_t x = 0; x < lines->operands; x++) {
    const Tile *from = eval_operand(lines->m, lines->op, x);
    for (uint32_t i = 0; i < lines->length; i++)
      lines->room[x * lines->length + i] = tile_get(from, element_of_line(lines, k, i));
  }
}

static bool sums_floats(const Lines *lines) {
  return lines->single && lines->single->kind == OP_ADD && type_is_float(op_result(lines->single)->type);
}

// Applies the region to a (elements at `a` of the line) and b, and stores the result at `to`.
static bool combine_elements(const Lines *lines, uint32_t to, uint32_t a, uint32_t b) {
  Machine *m = lines->m;
  Element *room = lines->room;
  if (lines->single) {
    const Element *x = &room[lines->swapped ? b : a], *y = &room[lines->swapped ? a : b];
    room[to] = eval_binary(lines->single->kind, eval_operand(m, lines->op, 0)->code, x, y);
    return true;
  }
  for (uint32_t x = 0; x < lines->operands; x++) {
    tile_set(eval_tile(m, lines->body->args[x]), 0, &room[x * lines->length + a]);
    tile_set(eval_tile(m, lines->body->args[lines->operands + x]), 0, &room[x * lines->length + b]);
  }
  const Op *end = NULL;
  RegionEnd flow = eval_region(m, lines->body, &end);
  if (flow == REGION_FAILED) return false;
  if (flow != REGION_ENDED || end->operand_count != lines->operands)
    BUG("the region of %s does not yield %u values", op_info(lines->op->kind)->name, lines->operands);
  for (uint32_t x = 0; x < lines->operands; x++)
    room[x * lines->length + to] = tile_get(eval_operand(m, end, x), 0);
  return true;
}

static bool is_nan_at(const Lines *lines, uint32_t i) {
  for (uint32_t x = 0; x < lines->operands; x++) {
    ElemCode code = eval_operand(lines->m, lines->op, x)->code;
    if (eval_code_is_float(code) && isnan(number_decode((Elem)code, lines->room[x * lines->length + i].bits)))
      return true;
  }
  return false;
}

static bool find_nan(const Lines *lines, bool nan, uint32_t *at) {
  for (*at = 0; *at < lines->length; ++*at)
    if (is_nan_at(lines, *at) == nan) return true;
  return false;
}

// Applies the region to elements a and b of line k and stores the result in `values`. The line is unchanged.
static bool combined_bits(const Lines *lines, uint32_t k, uint32_t a, uint32_t b, uint64_t *values) {
  if (!combine_elements(lines, a, a, b)) return false;
  for (uint32_t x = 0; x < lines->operands; x++) values[x] = lines->room[x * lines->length + a].bits;
  load_line(lines, k);
  return true;
}

// *hangs: line k contains a NaN that the region treats differently as a and as b, because no comparison is
// true. Elements are combined in no fixed order, so the result may be any. The line must be loaded.
static bool hangs_on_order(const Lines *lines, uint32_t k, bool *hangs) {
  uint32_t nan, other, bytes = lines->operands * sizeof(uint64_t);
  *hangs = false;
  if (lines->single || !lines->compares || lines->length < 2 || !find_nan(lines, true, &nan)) return true;
  if (!find_nan(lines, false, &other)) other = nan + 1; // nan is 0
  uint64_t *values = eval_block(lines->m->memory, 2 * bytes);
  bool ok = combined_bits(lines, k, nan, other, values) &&
            combined_bits(lines, k, other, nan, values + lines->operands);
  *hangs = ok && memcmp(values, values + lines->operands, bytes) != 0;
  eval_block_free(lines->m->memory, values, 2 * bytes);
  return ok;
}

// The additional bound of a line's sum inside a loop (LOOP_SUM_BITS). An element that is 0 costs nothing.
static double loop_sum_bound(const Lines *lines, Elem elem) {
  uint32_t terms = 0;
  if (!op_enclosing_loop(lines->op) || elem_bytes(elem) < 2 || elem == ELEM_FP16) return 0;
  for (uint32_t i = 0; i < lines->length; i++) terms += lines->room[i].r != 0;
  Elem kept = elem == ELEM_FP64 ? ELEM_FP64 : ELEM_FP32;
  return terms * ldexp(number_u(kept) * number_min_normal(kept), LOOP_SUM_BITS);
}

// --- check if the region is associative

// Returns true if two results of the same elements differ by more than rounding can explain.
static bool differs(ElemCode code, const Element *x, const Element *y) {
  if ((x->state | y->state) & STATE_MISSING) return false;
  if (!eval_code_is_float(code)) return x->bits != y->bits;
  double apart = fabs(x->r - y->r), size = fabs(x->r) + fabs(y->r);
  return isfinite(apart) && apart > eval_reach(x) + eval_reach(y) + 1e-6 * size;
}

static void warn_associative(const Lines *lines, ElemCode code, uint32_t i, const Element *x,
                             const Element *y) {
  Machine *m = lines->m;
  if (!eval_first_time(m, lines->op)) return;
  Buf text[2] = {{0}, {0}};
  eval_print_value(&text[0], code, x->bits);
  eval_print_value(&text[1], code, y->bits);
  diag_warning(m->diags, lines->op->loc,
               "[T1402] the function of this %s is not associative: for elements %u to %u, (a b) c "
               "is %s and a (b c) "
               "is %s, so results depend on how the %s is split",
               op_info(lines->op->kind)->name, i, i + 2, text[0].at, text[1].at,
               op_info(lines->op->kind)->name);
  buf_free(&text[0]);
  buf_free(&text[1]);
}

// Combines elements i to i + 2 of line k from the left and from the right. The line is unchanged. *same: they
// agree.
static bool compare_ways(const Lines *lines, uint32_t k, uint32_t i, Element *left, bool *same) {
  if (!combine_elements(lines, i, i, i + 1) || !combine_elements(lines, i, i, i + 2)) return false;
  for (uint32_t x = 0; x < lines->operands; x++) left[x] = lines->room[x * lines->length + i];
  load_line(lines, k);
  if (!combine_elements(lines, i + 1, i + 1, i + 2) || !combine_elements(lines, i, i, i + 1)) return false;
  for (uint32_t x = 0; x < lines->operands && *same; x++) {
    ElemCode code = eval_operand(lines->m, lines->op, x)->code;
    const Element *right = &lines->room[x * lines->length + i];
    if (!differs(code, &left[x], right)) continue;
    warn_associative(lines, code, i, &left[x], right);
    *same = false;
  }
  load_line(lines, k);
  return true;
}

// Tries a few elements of line k, which must be loaded. *hangs: the region's result depends on the order.
static bool try_associative(const Lines *lines, uint32_t k, bool *hangs) {
  enum { TRIED = 4, LINES = 4 };
  if (k >= LINES || (lines->single && op_has(lines->single, ASSOCIATES))) return true;
  Element *left = eval_block(lines->m->memory, lines->operands * sizeof *left);
  bool ok = true, same = true;
  for (uint32_t i = 0; i + 2 < lines->length && i < TRIED && ok && same; i++)
    ok = compare_ways(lines, k, i, left, &same);
  eval_block_free(lines->m->memory, left, lines->operands * sizeof *left);
  if (!same) *hangs = true;
  return ok;
}

static bool reduce_line(const Lines *lines) {
  if (sums_floats(lines)) {
    Elem elem = (Elem)eval_operand(lines->m, lines->op, 0)->code;
    double bound = loop_sum_bound(lines, elem);
    lines->room[0] = eval_float_sum(elem, lines->room, lines->length);
    if (isfinite(lines->room[0].r)) lines->room[0].e += bound;
    return true;
  }
  for (uint32_t n = lines->length; n > 1; n = (n + 1) / 2) {
    for (uint32_t i = 0; i < n / 2; i++)
      if (!combine_elements(lines, i, 2 * i, 2 * i + 1)) return false;
    for (uint32_t x = 0; n % 2 && x < lines->operands; x++)
      lines->room[x * lines->length + n / 2] = lines->room[x * lines->length + n - 1];
  }
  return true;
}

static bool run_reduce(Machine *m, Op *op) {
  Lines lines = lines_new(m, op);
  bool ok = true, hangs, splits = false;
  for (uint32_t k = 0; k < lines.count && ok; k++) {
    load_line(&lines, k);
    ok = hangs_on_order(&lines, k, &hangs) && try_associative(&lines, k, &splits) && reduce_line(&lines);
    hangs |= splits;
    for (uint32_t x = 0; x < lines.operands && ok; x++) {
      if (hangs) lines.room[x * lines.length].state |= UNCERTAIN;
      tile_set(eval_tile(m, &op->results[x]), k, &lines.room[x * lines.length]);
    }
  }
  if (ok && lines.single && lines.single->kind == OP_MAX) eval_common_begin(m, eval_tile(m, op_result(op)));
  lines_free(&lines);
  return ok;
}

static void scan_sum(const Lines *lines, bool reverse) {
  Elem elem = (Elem)eval_operand(lines->m, lines->op, 0)->code;
  FloatSum sum = {0};
  for (uint32_t k = 0; k < lines->length; k++) {
    Element *x = &lines->room[reverse ? lines->length - 1 - k : k];
    eval_sum_add(&sum, elem, x);
    if (k > 0) *x = eval_sum_end(&sum, elem);
  }
}

static bool scan_line(const Lines *lines, bool reverse) {
  uint32_t last = lines->length - 1;
  if (sums_floats(lines)) return scan_sum(lines, reverse), true;
  for (uint32_t k = 1; k <= last; k++)
    if (!combine_elements(lines, reverse ? last - k : k, reverse ? last - k + 1 : k - 1,
                          reverse ? last - k : k))
      return false;
  return true;
}

static bool run_scan(Machine *m, Op *op) {
  Lines lines = lines_new(m, op);
  bool ok = true, hangs, splits = false;
  for (uint32_t k = 0; k < lines.count && ok; k++) {
    load_line(&lines, k);
    ok = hangs_on_order(&lines, k, &hangs) && try_associative(&lines, k, &splits);
    hangs |= splits;
    ok = ok && scan_line(&lines, op_attr(op, ATTR_REVERSE) != NULL);
    for (uint32_t x = 0; x < lines.operands && ok; x++)
      for (uint32_t i = 0; i < lines.length; i++) {
        Element *y = &lines.room[x * lines.length + i];
        if (hangs) y->state |= UNCERTAIN;
        tile_set(eval_tile(m, &op->results[x]), element_of_line(&lines, k, i), y);
      }
  }
  lines_free(&lines);
  return ok;
}

// --- the two halves of an exchange

// *hangs: the region's result for the whole line k depends on the order of its elements.
static bool line_hangs(Lines *lines, uint32_t k, bool *hangs) {
  const uint32_t length = lines->length, *chosen = lines->chosen;
  lines->length = lines->size;
  lines->chosen = NULL;
  load_line(lines, k);
  bool ok = hangs_on_order(lines, k, hangs);
  lines->length = length;
  lines->chosen = chosen;
  return ok;
}

static void set_doubtful(const Lines *lines, uint32_t i, bool doubtful) {
  for (uint32_t x = 0; x < lines->operands && doubtful; x++)
    lines->room[x * lines->length + i].state |= UNCERTAIN;
}

// Row `row` of the parts: combines the elements of the axis that belong to it.
static bool reduce_row(Lines *lines, uint32_t row) {
  bool ok = true, hangs;
  for (uint32_t k = 0; k < lines->count && ok; k++) {
    ok = line_hangs(lines, k, &hangs);
    load_line(lines, k);
    ok = ok && reduce_line(lines);
    set_doubtful(lines, 0, ok && hangs);
    for (uint32_t x = 0; x < lines->operands && ok; x++)
      tile_set(eval_tile(lines->m, &lines->op->results[x]), row * lines->count + k,
               &lines->room[x * lines->length]);
  }
  return ok;
}

static bool run_reduce_parts(Machine *m, Op *op) {
  Lines lines = lines_new(m, op);
  ReducePlan plan = reduce_plan(op);
  uint32_t parts = 1u << plan.part_bits;
  uint32_t *chosen = eval_block(m->memory, lines.size * sizeof *chosen);
  bool ok = true;
  for (uint32_t x = 0; x < lines.operands; x++) eval_tile(m, &op->results[x]);
  for (uint32_t part = 0; part < parts && ok; part++) {
    lines.length = 0;
    for (uint32_t i = 0; i < lines.size; i++)
      if (reduce_part(&plan, i) == part) chosen[lines.length++] = i;
    lines.chosen = chosen;
    ok = reduce_row(&lines, part);
  }
  eval_block_free(m->memory, chosen, lines.size * sizeof *chosen);
  lines_free(&lines);
  return ok;
}

// The element of the starts' tile for the run that contains element `along` of line k.
static uint32_t element_of_run(const Lines *lines, uint32_t run, uint32_t k, uint32_t along) {
  return (k / lines->inner * (lines->size / run) + along / run) * lines->inner + k % lines->inner;
}

// Stores the start of each run of the chunk: the scanned element before the run, in the scan's direction.
static void set_starts(Lines *lines, uint32_t run, uint32_t k, bool reverse) {
  for (uint32_t i = 0; i < lines->length; i += run) {
    uint32_t element = element_of_run(lines, run, k, lines->chosen[i]);
    bool first = reverse ? i + run == lines->length : i == 0;
    for (uint32_t x = 0; x < lines->operands; x++) {
      Element none = {.state = UNDEFINED}, *scanned = &lines->room[x * lines->length];
      tile_set(eval_tile(lines->m, &lines->op->results[x]), element,
               first ? &none : &scanned[reverse ? i + run : i - 1]);
    }
  }
}

// Scans chunk `row` of each line. Stores its total, and the elements or the starts of its runs (`run`
// elements; 0: no runs).
static bool scan_row(Lines *lines, uint32_t row, uint32_t run, bool reverse) {
  Op *op = lines->op;
  bool ok = true, hangs;
  for (uint32_t k = 0; k < lines->count && ok; k++) {
    ok = line_hangs(lines, k, &hangs);
    load_line(lines, k);
    ok = ok && scan_line(lines, reverse);
    for (uint32_t i = 0; i < lines->length && ok; i++) {
      set_doubtful(lines, i, hangs);
      for (uint32_t x = 0; x < lines->operands && !run; x++)
        tile_set(eval_tile(lines->m, &op->results[x]), element_of_line(lines, k, i),
                 &lines->room[x * lines->length + i]);
    }
    if (ok && run) set_starts(lines, run, k, reverse);
    for (uint32_t x = 0; x < lines->operands && ok; x++)
      tile_set(eval_tile(lines->m, &op->results[lines->operands + x]), row * lines->count + k,
               &lines->room[x * lines->length + (reverse ? 0 : lines->length - 1)]);
  }
  return ok;
}

static bool run_scan_chunks(Machine *m, Op *op) {
  ScanPlan plan;
  if (!scan_plan(op, &plan)) BUG("a scan in chunks that its layout has not");
  Lines lines = lines_new(m, op);
  uint32_t chunk = 1u << plan.low, run = op_attr(op, ATTR_RUNS) ? 1u << scan_run_bits(&plan) : 0;
  uint32_t *chosen = eval_block(m->memory, chunk * sizeof *chosen);
  bool ok = true;
  lines.length = chunk;
  lines.chosen = chosen;
  for (uint32_t row = 0; row < lines.size / chunk && ok; row++) {
    for (uint32_t i = 0; i < chunk; i++) chosen[i] = row * chunk + i;
    ok = scan_row(&lines, row, run, op_attr(op, ATTR_REVERSE) != NULL);
  }
  eval_block_free(m->memory, chosen, chunk * sizeof *chosen);
  lines_free(&lines);
  return ok;
}

// Loads the line's totals in the scan's direction to the start of the room, each combined with those before
// it.
static bool load_totals(Lines *lines, uint32_t k, uint32_t chunks, bool reverse) {
  for (uint32_t x = 0; x < lines->operands; x++)
    for (uint32_t i = 0; i < chunks; i++) {
      uint32_t row = reverse ? chunks - 1 - i : i;
      const Tile *totals = eval_operand(lines->m, lines->op, lines->operands + x);
      lines->room[x * lines->length + i] = tile_get(totals, row * lines->count + k);
    }
  for (uint32_t i = 1; i < chunks; i++)
    if (!combine_elements(lines, i, i - 1, i)) return false;
  return true;
}

// Combines each element of line k with what comes before it, except in the first chunk. `own`: a place in the
// room.
static bool carry_line(Lines *lines, uint32_t k, uint32_t chunk, uint32_t own, bool reverse) {
  Machine *m = lines->m;
  for (uint32_t i = 0; i < lines->size; i++) {
    uint32_t at = (reverse ? lines->size - 1 - i : i) / chunk, element = element_of_line(lines, k, i);
    for (uint32_t x = 0; x < lines->operands; x++)
      lines->room[x * lines->length + own] = tile_get(eval_operand(m, lines->op, x), element);
    if (at > 0 && !combine_elements(lines, own, at - 1, own)) return false;
    for (uint32_t x = 0; x < lines->operands; x++)
      tile_set(eval_tile(m, &lines->op->results[x]), element, &lines->room[x * lines->length + own]);
  }
  return true;
}

// Places in the room after the totals, which fill less than a quarter of the axis.
enum { START_PLACE = 3, RUNNING_PLACE = 2, OWN_PLACE = 1 };

// Stores what comes before element i of line k, the first of a run, at RUNNING_PLACE. *any: there is
// something.
static bool start_run(Lines *lines, uint32_t k, uint32_t i, uint32_t at, uint32_t run, bool *any) {
  uint32_t running = lines->length - RUNNING_PLACE, start = lines->length - START_PLACE;
  uint32_t count = lines->operands;
  bool inner = *any; // elements of the chunk come before it
  for (uint32_t x = 0; x < count; x++) {
    const Tile *starts = eval_operand(lines->m, lines->op, 2 * count + x);
    Element *room = &lines->room[x * lines->length];
    room[start] = tile_get(starts, element_of_run(lines, run, k, i));
    if (inner || at > 0) room[running] = inner ? room[start] : room[at - 1];
  }
  *any = inner || at > 0;
  return !inner || at == 0 || combine_elements(lines, running, at - 1, start);
}

// Scans line k run by run, starting from what comes before each run.
static bool carry_runs(Lines *lines, uint32_t k, uint32_t chunk, uint32_t run, bool reverse) {
  Machine *m = lines->m;
  uint32_t running = lines->length - RUNNING_PLACE, own = lines->length - OWN_PLACE;
  bool any = false, hangs;
  if (!line_hangs(lines, k, &hangs) || !load_totals(lines, k, lines->size / chunk, reverse)) return false;
  for (uint32_t n = 0; n < lines->size; n++) {
    uint32_t i = reverse ? lines->size - 1 - n : n, element = element_of_line(lines, k, i);
    if (n % run == 0) {
      any = n % chunk != 0;
      if (!start_run(lines, k, i, n / chunk, run, &any)) return false;
    }
    for (uint32_t x = 0; x < lines->operands; x++)
      lines->room[x * lines->length + own] = tile_get(eval_operand(m, lines->op, x), element);
    if (any && !combine_elements(lines, own, running, own)) return false;
    any = true;
    set_doubtful(lines, own, hangs);
    for (uint32_t x = 0; x < lines->operands; x++) {
      Element *room = &lines->room[x * lines->length];
      room[running] = room[own];
      tile_set(eval_tile(m, &lines->op->results[x]), element, &room[own]);
    }
  }
  return true;
}

static bool run_scan_carry(Machine *m, Op *op) {
  ScanPlan plan;
  if (!scan_plan(op, &plan)) BUG("a scan in chunks that its layout has not");
  Lines lines = lines_new(m, op);
  uint32_t chunks = op_operand(op, lines.operands)->type->shape[0], chunk = lines.size / chunks;
  bool ok = true, reverse = op_attr(op, ATTR_REVERSE) != NULL, runs = op_attr(op, ATTR_RUNS) != NULL;
  for (uint32_t k = 0; k < lines.count && ok; k++)
    ok = runs ? carry_runs(&lines, k, chunk, 1u << scan_run_bits(&plan), reverse)
              : load_totals(&lines, k, chunks, reverse) &&
                    carry_line(&lines, k, chunk, lines.length - OWN_PLACE, reverse);
  lines_free(&lines);
  return ok;
}

bool eval_combine(Machine *m, Op *op) {
  if (!eval_scratch(m, op)) return false;
  switch ((int)op->kind) {
  case OP_MAP: return eval_run_map(m, op);
  case OP_REDUCE: return run_reduce(m, op);
  case OP_REDUCE_PARTS: return run_reduce_parts(m, op);
  case OP_SCAN_CHUNKS: return run_scan_chunks(m, op);
  case OP_SCAN_CARRY: return run_scan_carry(m, op);
  default: return run_scan(m, op);
  }
}
