// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds losses: the problem, how much the prediction falls without it, and the advice.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ir/dot/dot.h"
#include "ir/memory/buffer_name.h"
#include "ir/memory/scratch.h"
#include "tools/explain/explain.h"

enum { WIDEST = 16 };                   // bytes per lane of an access
enum { COMPILED = 3 };                  // losses whose advice is tried by compiling again
static const double least_share = 0.01; // of the prediction, or of a total; smaller losses are not reported

void explain_add_saving(CostSaving *sum, const CostSaving *more) {
  sum->sectors += more->sectors;
  sum->steps += more->steps;
  sum->wavefronts += more->wavefronts;
  for (int p = 0; p < PIPE_COUNT; p++) sum->instructions[p] += more->instructions[p];
  sum->rounds += more->rounds;
  sum->parts += more->parts;
  sum->memory += more->memory;
  sum->copies += more->copies;
  sum->contention += more->contention;
  sum->tail |= more->tail;
  sum->loops |= more->loops;
  sum->turns |= more->turns;
  sum->spills |= more->spills;
}

// Losses of one kind and line are merged. Their time is computed for all of them together: without them,
// another bound may be the longest.
static void add_loss(Explanation *e, Loss loss, const CostSaving *saving) {
  for (uint32_t i = 0; i < e->losses.n; i++) {
    Loss *before = &e->losses.at[i];
    if (before->kind != loss.kind || before->loc.line != loss.loc.line || before->loc.file != loss.loc.file)
      continue;
    explain_add_saving(&before->saving, saving);
    return;
  }
  loss.saving = *saving;
  vec_push(e->run->arena, &e->losses, loss);
}

// Where the time is not predicted: the largest part of a total that the loss has.
static void weigh_by_counts(const CostReport *r, Loss *loss) {
  const CostTotals *t = &r->totals;
  const CostSaving *saving = &loss->saving;
  double instructions = 0, all = 0;
  for (int p = 0; p < PIPE_COUNT; p++) instructions += saving->instructions[p], all += t->instructions[p];
  const struct {
    double part;
    const char *of;
  } parts[] = {{explain_ratio(saving->sectors, (double)t->sectors.most), "sectors"},
               {explain_ratio(saving->wavefronts, (double)t->wavefronts.most), "wavefronts"},
               {explain_ratio(instructions, all), "instructions"},
               {explain_ratio(saving->memory, r->memory), "bytes from memory"}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].part > loss->counted) loss->counted = parts[i].part, loss->counted_of = parts[i].of;
  loss->share += loss->counted;
  if (saving->tail || saving->turns) loss->share += least_share;
}

static void weigh(Explanation *e, Loss *loss) {
  const CostReport *r = e->model;
  double share = 0;
  if (r->time.known)
    loss->seconds = cost_saving(r, &loss->saving, &share) - loss->parts;
  else
    weigh_by_counts(r, loss);
  if (loss->seconds < least_share / 10 * r->time.seconds) loss->seconds = 0; // the bottleneck hides it
  loss->share += share;
}

// --- longer steps

// Executions of the op's region by one program.
static double runs_of(const CostReport *r, const CostOp *op) {
  return (double)op->runs.most / region_warps(op->op) / (double)r->programs;
}

// Steps of the source's loop that an iteration has, because a pass unrolled it: accesses to a buffer on one line.
static uint32_t copies_of(const CostReport *r, const Op *op) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->op_count && op_has(op, GLOBAL); i++) {
    const Op *other = r->ops[i].op;
    n += other->kind == op->kind && other->region == op->region && other->loc.line == op->loc.line &&
         other->loc.file == op->loc.file &&
         pointer_param(op_operand(other, 0)) == pointer_param(op_operand(op, 0));
  }
  return n ? n : 1;
}

// True if several steps can be one: the loop carries no floats but sums.
static bool adds_only(const Op *loop) {
  for (uint32_t i = 0; i < loop->result_count; i++) {
    const Value *next = op_operand(loop->regions[0]->last, i);
    if (type_is_float(next->type) && (!next->def || next->def->kind != OP_ADD)) return false;
  }
  return true;
}

// True if each lane accesses the next elements in the next iteration: the loop runs along its row.
static bool walks_along(const CostReport *r, const CostOp *op) {
  const Op *loop = op->op->region->parent;
  return loop && loop->kind == OP_FOR && adds_only(loop) && op->advance &&
         op->advance == (uint64_t)copies_of(r, op->op) * op->lane_bytes;
}

// The load of the body that has its waits. NULL: it does not wait for loads.
static const CostOp *waits_of(const CostReport *r, const Region *body) {
  for (uint32_t i = 0; i < r->op_count; i++)
    if (r->ops[i].op->region == body && r->ops[i].waits > 0) return &r->ops[i];
  return NULL;
}

// A tile with one more dimension, in words.
static const char *longer_tile(const Explanation *e, const Op *access, uint32_t steps) {
  const Value *tile = access->kind == OP_LOAD ? op_result(access) : op_operand(access, 0);
  return arena_printf(e->run->arena, "a %u-D tile, which takes %u steps of the loop on line %u at once",
                      tile->type->rank + 1, steps, access->region->parent->loc.line);
}

// One iteration does the work of n.
static void lengthen(const CostOp *waits, double n, CostSaving *saving) {
  double now = waits->waits, least = waits->least_waits, then = now / n;
  saving->rounds += now - then;
  saving->parts += (now > least ? now : least) - (then > least ? then : least);
}

// --- memory

// True if lanes are scattered. Contiguous lanes that begin inside a sector touch one sector more. They do not
// count as scattered.
static bool is_scattered(const CostOp *op) {
  uint64_t ideal = op->sectors_ideal.most;
  return op->sectors.most > ideal + ideal / 4 && op->sectors.most > ideal + op->requests.most;
}

// True if lanes without a mask touch no more sectors than their bytes fill, but these are of fewer elements: several
// lanes load the same ones.
static bool is_repeated(const CostOp *op) {
  bool masked = op_input(op->op, op->op->kind == OP_COPY_ASYNC ? 2 : 1) != NULL;
  bool loads = op->op->kind == OP_LOAD || op->op->kind == OP_COPY_ASYNC;
  return loads && !masked && op->sectors.most <= op->requests.most * op->lane_bytes;
}

static void find_repeated(Explanation *e, const CostOp *op, const CostSaving *saving) {
  Loss loss = {.kind = "repeated elements", .loc = op->op->loc};
  loss.what = arena_printf(e->run->arena, "%s loads each element %.2f times within a warp", op->instruction,
                           (double)(op->requests.most * op->lane_bytes) / (double)op->sectors_ideal.most);
  loss.fix = "loading each element once, then tl.broadcast_to";
  loss.change =
      "load the smaller tile of different elements, and repeat it (tl.broadcast_to, or tl.reshape after an "
      "added dimension)";
  add_loss(e, loss, saving);
}

// Advice for scattered lanes, by the cause. The strides are the likely ones.
static const char *uncoalesced_advice(const Explanation *e, const CostOp *op, Loss *loss) {
  enum { SECTOR = 32 };
  const Value *pointer = op_operand(op->op, 0);
  const char *transpose =
      "make the tile's last dimension the one with stride 1 in memory, or load the tile that way "
      "and transpose it (tl.trans)";
  if (!type_is_ptr(pointer->type) || !type_is_tile(pointer->type)) return transpose;
  uint32_t rank = pointer->type->rank, bytes = type_element_bytes(type_element(pointer->type)->inner);
  AxisStride stride = axis_stride(e->axes, pointer, rank - 1);
  uint64_t row = (uint64_t)pointer->type->shape[rank - 1] * bytes;
  if (stride.known && stride.at == (int64_t)bytes && row < SECTOR) {
    loss->knobs = KNOB_TILE;
    loss->fix = "a longer last dimension of the tile";
    return arena_printf(
        e->run->arena,
        "a longer last dimension: its elements are neighbours in memory, but a row of the tile has "
        "%llu bytes, and a sector has 32",
        (unsigned long long)row);
  }
  if (stride.known && stride.at == (int64_t)bytes)
    return "rows of the tile that begin at multiples of 32 bytes: the last dimension has stride 1, but its "
           "rows begin "
           "within a sector or repeat one (pad the row stride, or load each element once and repeat it)";
  if (rank > 1) return transpose;
  if (!stride.known || stride.factors)
    return arena_printf(
        e->run->arena,
        "a tile of two dimensions, whose last one has stride 1 in memory: a program then works on "
        "several columns (%u fill a sector), so give it more warps, or keep the number of programs",
        SECTOR / bytes);
  return arena_printf(
      e->run->arena,
      "neighbouring elements at neighbouring addresses: these are %lld bytes apart (store the fields "
      "of records in arrays of their own, or load whole records and tl.split them)",
      (long long)stride.at);
}

// Lanes that each walk along a row: with a tile of several steps, neighbouring lanes have neighbouring elements, and a
// program waits less often.
static void find_walk(const Explanation *e, const CostOp *op, Loss *loss, CostSaving *saving) {
  enum { LINE = 128 };
  const CostReport *r = e->model;
  double runs = runs_of(r, op), n = LINE / (double)op->advance;
  uint32_t copies = copies_of(r, op->op);
  if (n > runs) n = runs;
  uint32_t steps = (uint32_t)(n * copies);
  if (n < 2) return;
  if (op->lane_bytes < WIDEST)
    saving->instructions[PIPE_MEMORY] = (double)op->requests.most * (1 - (double)op->lane_bytes / WIDEST);
  bool first = true; // of the body's ops: the waits count once
  for (const CostOp *other = r->ops; other < op; other++)
    first &= other->op->region != op->op->region || !is_scattered(other) || !walks_along(r, other);
  const CostOp *waits = first ? waits_of(r, op->op->region) : NULL;
  if (waits) lengthen(waits, n, saving);
  loss->fix = arena_printf(e->run->arena, "%s, as its columns", longer_tile(e, op->op, steps));
  loss->change = arena_printf(e->run->arena,
                              "%s. Now each lane walks along a row of its own; then neighbouring lanes have "
                              "neighbouring elements",
                              loss->fix);
}

static void find_uncoalesced(Explanation *e, const CostOp *op) {
  uint64_t sectors = op->sectors.most, ideal = op->sectors_ideal.most;
  CostSaving saving = {.sectors = (double)(sectors - ideal), .steps = op->cache_steps - (double)ideal};
  if (op->data_dependent || !is_scattered(op)) return;
  if (is_repeated(op)) {
    find_repeated(e, op, &saving);
    return;
  }
  Loss loss = {.kind = "uncoalesced", .loc = op->op->loc};
  loss.what = arena_printf(e->run->arena,
                           "%s of %u bytes per lane touches %.2f times the sectors that its bytes fill",
                           op->instruction, op->lane_bytes, (double)sectors / (double)ideal);
  loss.fix = "tiles along the dimension with stride 1";
  loss.change = uncoalesced_advice(e, op, &loss);
  if (!loss.knobs && walks_along(e->model, op)) find_walk(e, op, &loss, &saving);
  add_loss(e, loss, &saving);
}

// Accesses narrower than the thread's neighbouring elements would allow.
static void find_narrow(Explanation *e, const CostOp *op) {
  const Type *pointer = op->op->operand_count ? op_operand(op->op, 0)->type : NULL;
  if (!op->requests.most || !pointer || !type_is_tile(pointer) || op->lane_bytes >= WIDEST ||
      op->data_dependent)
    return;
  uint32_t held = layout_own_elements(pointer->layout) * type_element_bytes(type_element(pointer)->inner);
  if (held < WIDEST || is_scattered(op)) return;
  double less = 1 - (double)op->lane_bytes / WIDEST, spared = (double)op->requests.most * less,
         ends =
             (double)(op->sectors.most - op->sectors_ideal.most) * less; // fewer requests have fewer partial
                                                                         // sectors at their ends
  Loss loss = {.kind = "missing fact", .loc = op->op->loc};
  loss.what = arena_printf(e->run->arena, "%s moves %u bytes per lane where one instruction could move 16",
                           op->instruction, op->lane_bytes);
  loss.fix = "sizes and strides that are multiples of 16 bytes";
  loss.change = "use pointers, sizes and strides that are multiples of 16 (detected for arguments), or "
                "promise it with tl.multiple_of and tl.max_contiguous";
  add_loss(e, loss, &(CostSaving){.sectors = ends, .steps = ends, .instructions = {[PIPE_MEMORY] = spared}});
}

static void find_conflicts(Explanation *e, const CostOp *op) {
  uint64_t wavefronts = op->wavefronts.most, ideal = op->wavefronts_ideal.most;
  if (op->data_dependent || wavefronts <= ideal + ideal / 8) return;
  Loss loss = {.kind = "bank conflicts", .loc = op->op->loc};
  loss.what = arena_printf(e->run->arena, "%s takes %.2f wavefronts of shared memory where one is ideal",
                           op->instruction ? op->instruction : "it", (double)wavefronts / (double)ideal);
  loss.fix = "another tile size or number of warps";
  loss.knobs = KNOB_TILE | KNOB_WARPS;
  loss.change =
      "another tile size or number of warps, so that writers and readers of the buffer have similar layouts";
  add_loss(e, loss, &(CostSaving){.wavefronts = (double)(wavefronts - ideal)});
}

// --- arithmetic

static void find_fp64(Explanation *e, const CostOp *op) {
  if (op->instructions[PIPE_FP64] <= 0) return;
  CostSaving saving = {.instructions = {[PIPE_FP64] = op->instructions[PIPE_FP64]}};
  if (op->op->kind == OP_MATH || op->op->kind == OP_DIV)
    saving.instructions[PIPE_ALU] = op->instructions[PIPE_ALU];
  Loss loss = {.kind = "fp64", .loc = op->op->loc, .what = "it is computed in fp64"};
  loss.fix = "fp32, without fp64 constants and casts";
  loss.change = "if fp64 is not intended, find the fp64 constant or argument, and write it as fp32 "
                "(tl.float32) or cast it";
  add_loss(e, loss, &saving);
}

static void find_plain_dot(Explanation *e, const CostOp *op) {
  if (op->op->kind != OP_DOT || dot_instruction(op->op) != DOT_FMA) return;
  Loss loss = {.kind = "dot without tensor cores",
               .loc = op->op->loc,
               .what = "the dot is done by fused multiply-adds"};
  bool fp32 = type_element_bytes(op_operand(op->op, 0)->type) == 4 && type_is_float(op_result(op->op)->type);
  loss.change = fp32 ? "input_precision of tl.dot, if less precision is enough" : "sizes of 16 or more";
  loss.fix = fp32 ? "input_precision=\"tf32\" in tl.dot, or fp16 operands" : "tiles of 16 or more for tl.dot";
  loss.tf32 = fp32;
  static const double less =
      7 / 8.0; // a tensor core's instruction replaces eight, and reads operands as often less
  add_loss(e, loss,
           &(CostSaving){.instructions = {[PIPE_FMA] = op->instructions[PIPE_FMA] * less},
                         .wavefronts = (double)op->wavefronts.most * less});
}

// A program updates one element many times.
static void find_contention(Explanation *e, const CostOp *op) {
  double updates = cost_contention(op), tiles = op->atomic.tiles;
  if (tiles <= 0 || op->atomic.scattered || op->atomic.updates < 2 * tiles) return;
  Loss loss = {.kind = "contended atomics", .loc = op->op->loc};
  loss.what =
      arena_printf(e->run->arena,
                   "each program updates one element %.0f times, and updates of one element are done one "
                   "after another",
                   op->atomic.updates / tiles);
  loss.change = "reduce the tile first (tl.sum, tl.max), and update the element once in each program";
  loss.fix = "tl.sum of the tile, then one atomic a program";
  add_loss(e, loss, &(CostSaving){.contention = updates * (1 - tiles / op->atomic.updates)});
}

// --- the whole kernel

// The tile that most registers carry from one iteration of a loop to the next. NULL: no loop carries one.
static const Value *largest_carried(const Func *func, const Op **loop) {
  const Value *largest = NULL;
  uint32_t most = 0;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    for (uint32_t i = 0; op_is_loop(w.op) && i < w.op->result_count; i++) {
      const Value *result = &w.op->results[i];
      uint32_t words = type_is_tile(result->type) ? tile_words(result->type) : 0;
      if (words > most) largest = result, *loop = w.op, most = words;
    }
  }
  return largest;
}

// The line that computes the tile, or where most registers are alive.
static Loc spilled_loc(const Explanation *e, const Value *tile, const Op *loop) {
  const Op *yield = tile ? loop->regions[loop->region_count - 1]->last : NULL;
  const Op *def = yield && tile->index < yield->operand_count ? op_operand(yield, tile->index)->def : NULL;
  const ExplainedLine *full = NULL;
  if (def && def->loc.line) return def->loc;
  for (uint32_t i = 0; i < e->lines.n; i++)
    if (e->lines.at[i].loc.line && (!full || e->lines.at[i].alive > full->alive)) full = &e->lines.at[i];
  return full ? full->loc : LOC_NONE;
}

static void find_spills(Explanation *e) {
  const CostReport *r = e->model;
  bool known = e->usage.spill_stores >= 0;
  double words = known ? (e->usage.spill_stores + e->usage.spill_loads) / 4.0 : 0;
  if (words <= 0 && (known || !r->excess)) return;
  Arena *arena = e->run->arena;
  const Op *loop = NULL;
  const Value *tile = largest_carried(r->func, &loop);
  Loss loss = {.kind = "large tiles", .loc = spilled_loc(e, tile, loop)};
  loss.what = known ? arena_printf(arena, "each thread spills %d bytes of registers to local memory",
                                   e->usage.local_bytes)
                    : arena_printf(arena, "tiles need %u registers more than a thread has", r->excess);
  if (tile)
    loss.what = arena_printf(arena, "%s; the loop on line %u carries a tile of %u registers in each thread",
                             loss.what, loop->loc.line, tile_words(tile->type));
  loss.change = arena_printf(arena, "smaller tiles or more warps, so that each thread holds less%s",
                             r->func->module->target.maxnreg ? "; a larger maxnreg, or none" : "");
  loss.fix = "smaller tiles or more warps";
  loss.knobs = KNOB_TILE | KNOB_WARPS;
  double warps = (double)r->programs * func_warps(r->func);
  loss.share = words * warps / (1 + r->totals.instructions[PIPE_MEMORY]);
  add_loss(e, loss, &(CostSaving){.spills = true});
}

static bool carries_floats(const Op *loop) {
  bool carries = false;
  for (uint32_t k = 0; k < loop->result_count; k++)
    carries |= loop->results[k].first_use && type_is_float(loop->results[k].type);
  return carries;
}

// A loop of many steps that several programs could share: it adds up or combines a tile, or else its steps store their
// results. NULL: there is none.
static const Op *shared_loop(const CostReport *r, uint64_t *steps) {
  enum { MANY = 16 };
  for (uint32_t i = 0; i < r->op_count; i++) {
    const Op *op = r->ops[i].op, *loop = op_enclosing_loop(op);
    if (!loop || op_enclosing_loop(loop) || !r->programs) continue;
    *steps = (uint64_t)runs_of(r, &r->ops[i]) * copies_of(r, op);
    bool shared = carries_floats(loop) ? op->kind == OP_DOT || op->kind == OP_LOAD : op->kind == OP_STORE;
    if (shared && *steps >= MANY) return loop;
  }
  return NULL;
}

// Several programs could share the loop. Combining takes another launch, and each part's results in memory.
static void advise_split(const Explanation *e, Loss *loss, const Op *loop, uint64_t steps) {
  const CostReport *r = e->model;
  Arena *arena = e->run->arena;
  bool sums = carries_floats(loop), dots = sums && region_find(loop->regions[0], OP_DOT) != NULL;
  uint64_t all = r->func->module->target.arch->multiprocessors / r->programs,
           parts = all < steps ? all : steps;
  loss->loc = loop->loc;
  loss->by_code = parts > 1;
  if (sums) loss->parts = r->time.launch;
  if (sums && r->memory > 0)
    loss->parts += (double)parts * r->written * r->time.bounds[BOUND_MEMORY] / r->memory;
  const char *by = arena_printf(arena, parts > 1 ? "%llu" : "2 or more", (unsigned long long)parts);
  loss->fix =
      dots ? arena_printf(arena, "split K by %s", by) : arena_printf(arena, "%s programs for each loop", by);
  loss->change = arena_printf(arena,
                              "%sanother axis of the grid with %s programs, which each take a part "
                              "of the %llu steps of the loop on line %u%s",
                              dots ? "split K: " : "", by, (unsigned long long)steps, loop->loc.line,
                              sums ? ", and combine their results (tl.atomic_add, or a second kernel)" : "");
}

static void find_tail(Explanation *e) {
  const CostReport *r = e->model;
  const TargetInfo *arch = r->func->module->target.arch;
  if (r->time.tail < 1.1 || !arch->multiprocessors) return;
  bool few = r->programs < arch->multiprocessors;
  Loss loss = {.kind = few ? "too few programs" : "tail", .assumes = "if all multiprocessors get equal work"};
  unsigned long long programs = r->programs;
  loss.what =
      few ? arena_printf(e->run->arena, "%llu program%s on %u multiprocessors: the others are idle", programs,
                         programs == 1 ? "" : "s", arch->multiprocessors)
          : arena_printf(e->run->arena,
                         "%llu programs on %u multiprocessors: some are idle while others run their last "
                         "program, %.0f %% of the time",
                         programs, arch->multiprocessors, 100 * (1 - 1 / r->time.tail));
  loss.change =
      few ? "more, smaller programs: smaller tiles"
          : "tile sizes for which the number of programs is a multiple of the multiprocessors, or many "
            "more, smaller programs";
  loss.fix = few ? "more, smaller programs"
                 : arena_printf(e->run->arena, "a number of programs that %u divides, or many small ones",
                                arch->multiprocessors);
  uint64_t steps;
  const Op *loop = few ? shared_loop(r, &steps) : NULL;
  if (loop) advise_split(e, &loss, loop, steps);
  loss.knobs = KNOB_TILE | KNOB_WARPS;
  loss.programs = few ? PROGRAMS_MORE : PROGRAMS_OTHER;
  add_loss(e, loss, &(CostSaving){.tail = true, .loops = loop != NULL});
}

// The last load that a loop waits for in each iteration. NULL: loops only copy ahead.
static const Op *waiting_load(const CostReport *r) {
  const Op *load = NULL;
  for (uint32_t i = 0; i < r->op_count; i++) {
    const Op *op = r->ops[i].op, *around = op->region->parent;
    if (op->kind == OP_LOAD && around && op_is_loop(around)) load = op;
  }
  return load;
}

// The reason in a remark of a pass that could have issued the load earlier; NULL: it is another remark.
static const char *reason_of(const Diag *diag) {
  static const struct {
    const char *pass, *head, *before;
  } remarks[] = {{"pipeline", "not pipelined: ", ": "},
                 {"pipeline", "loads that are not dot operands are not prefetched: ", ": "},
                 {"unroll_loads", "not unrolled, with ", "in flight: "}};
  for (size_t i = 0; diag->severity == DIAG_REMARK && diag->pass && i < sizeof remarks / sizeof *remarks; i++)
    if (strcmp(diag->pass, remarks[i].pass) == 0 &&
        strncmp(diag->message, remarks[i].head, strlen(remarks[i].head)) == 0)
      return strstr(diag->message, remarks[i].before) + strlen(remarks[i].before);
  return NULL;
}

// The remark on the load or its loop that says why it is not prefetched; NULL: none.
static const char *why_not_prefetched(const Explanation *e, const Op *load) {
  const Diags *diags = &e->run->c->diags;
  const char *of_loop = NULL;
  for (uint32_t i = 0; i < diags->list.n; i++) {
    const Diag *diag = diags->list.at[i];
    const char *reason = reason_of(diag);
    if (!reason || diag->loc.file != load->loc.file) continue;
    if (diag->loc.line == load->loc.line) return reason;
    if (diag->loc.line == load->region->parent->loc.line) of_loop = reason;
  }
  return of_loop;
}

// The loop that prefetches its copies, if waiting for them limits the kernel. NULL: none.
static const Op *waiting_loop(const CostReport *r) {
  if (r->time.bottleneck != BOUND_LATENCY || r->copy_rounds < r->rounds) return NULL;
  for (uint32_t i = 0; i < r->op_count; i++) {
    const Op *op = r->ops[i].op, *loop = op_enclosing_loop(op);
    if (op_has(op, ASYNC) && op->kind != OP_DOT && loop) return loop;
  }
  return NULL;
}

// Warps that a multiprocessor has, also in a launch of few programs.
static uint32_t warps_at_once(const CostReport *r) {
  const TargetInfo *arch = r->func->module->target.arch;
  uint64_t each = arch->multiprocessors ? (r->programs + arch->multiprocessors - 1) / arch->multiprocessors
                                        : UINT32_MAX,
           warps = each * func_warps(r->func);
  return warps < r->occupancy.warps ? (uint32_t)warps : r->occupancy.warps;
}

// True if a configuration has longer steps, so that the model knows what they gain.
static bool has_longer_steps(const Explanation *e) {
  static const double less = 0.9;
  for (uint32_t i = 0; i < e->what_if.n; i++)
    if (e->what_if.at[i].latency < less * e->model->time.bounds[BOUND_LATENCY]) return true;
  return false;
}

// A tile with one more dimension does several steps of the loop in one, as many as registers can be in flight.
// False: there is no such tile.
static bool advise_longer_steps(const Explanation *e, const Op *load, Loss *loss, CostSaving *saving) {
  const CostReport *r = e->model;
  const Op *loop = load->region->parent;
  const CostOp *waits = waits_of(r, load->region);
  if (!waits || waits->data_dependent || waits->least_waits <= 0 || region_find(load->region, OP_DOT) ||
      loop->kind != OP_FOR || !adds_only(loop))
    return false;
  double runs = runs_of(r, waits), n = 1;
  while (2 * n <= waits->waits && n < waits->waits / waits->least_waits) n *= 2;
  if (n < 2 || has_longer_steps(e)) return false;
  lengthen(waits, n, saving);
  uint32_t steps = (uint32_t)(n * runs / waits->waits * copies_of(r, waits->op) + 0.5);
  loss->by_code = true;
  loss->fix = longer_tile(e, load, steps);
  loss->change = arena_printf(e->run->arena, "%s: then one wait is for the bytes of all of them", loss->fix);
  return true;
}

// Stages help only loads that they prefetch: with one stage, nothing is. Other loads are waited for with any number.
static void find_latency(Explanation *e) {
  const CostReport *r = e->model;
  const Op *load = waiting_load(r), *loop = load ? NULL : waiting_loop(r);
  double rounds = loop ? r->rounds + r->copy_rounds : r->rounds;
  if (rounds < 4) return;
  bool staged = r->func->module->target.num_stages > 1;
  bool few = !staged && (!load || region_find(load->region, OP_DOT));
  const char *why = load && staged ? why_not_prefetched(e, load) : NULL;
  Loss loss = {.kind = few    ? "too few stages"
                       : load ? "not prefetched"
                              : "waits for memory",
               .loc = load   ? load->loc
                      : loop ? loop->loc
                             : LOC_NONE,
               .only_bound = !load};
  loss.what = arena_printf(e->run->arena,
                           "a program waits for memory %llu times in sequence, with %u warps per "
                           "multiprocessor to hide it%s%s",
                           (unsigned long long)(rounds + 0.5), warps_at_once(r),
                           why ? "; this load is not prefetched: " : "", why ? why : "");
  loss.change = "larger tiles in the loop, or more warps, so that more bytes are in flight at once";
  loss.fix = few ? "--num-stages 3" : loop ? "larger tiles or more stages" : "larger tiles, or more warps";
  loss.knobs = few ? KNOB_STAGES : KNOB_TILE | KNOB_WARPS | (load ? 0 : KNOB_STAGES);
  CostSaving saving = {0};
  if (!load || few || !advise_longer_steps(e, load, &loss, &saving))
    saving = (CostSaving){.rounds = r->rounds > 1 ? r->rounds - 1 : 0,
                          .parts = r->load_parts > 1 ? r->load_parts - 1 : 0,
                          .copies = loop ? r->copy_rounds : 0};
  add_loss(e, loss, &saving);
}

static Loc reader_loc(const CostTraffic *traffic) {
  return traffic->reader ? traffic->reader->loc : LOC_NONE;
}

static void add_read_again(Explanation *e, const CostTraffic *traffic) {
  const CostReport *r = e->model;
  Loss loss = {.kind = "read again", .loc = reader_loc(traffic)};
  loss.what = arena_printf(e->run->arena,
                           "%.0f MB of %s are read from memory again: the L2 cache does not keep them "
                           "between a program's two reads, with %u other programs on its multiprocessor",
                           traffic->again * 1e-6, traffic->buffer->name, r->occupancy.blocks - 1);
  loss.change =
      "fewer and larger programs at once (num_warps), or keep each row in registers and read it once";
  loss.fix = "one tile that holds the row, read once";
  uint32_t now = func_warps(r->func), warps = explain_warps_for_row(now, traffic, r->programs);
  if (!warps)
    loss.fix = "larger --num-warps, so that fewer programs run at once";
  else if (warps != now)
    loss.fix = arena_printf(e->run->arena, "%s, with --num-warps %u", loss.fix, warps);
  loss.assumes = "with the same number of programs, and no spills";
  loss.knobs = KNOB_TILE | KNOB_WARPS;
  double sectors = (traffic->read - explain_once(traffic)) / 32;
  add_loss(e, loss, &(CostSaving){.memory = r->again, .sectors = sectors, .steps = sectors});
}

// The constexpr for groups of tiles that share rows or columns, by its name, as in GROUP and GROUP_SIZE_M. NULL: none.
static const Constexpr *group_of(const Func *func) {
  static const char group[] = "group";
  for (uint32_t i = 0; i < func->constexpr_count; i++) {
    const Constexpr *one = &func->constexprs[i];
    if (strncasecmp(one->name, group, sizeof group - 1) != 0 || one->value.kind != CONST_INT) continue;
    if (!one->name[sizeof group - 1] || strchr("mMnN", one->name[strlen(one->name) - 1])) return one;
  }
  return NULL;
}

// Reports the buffer that is read again most.
static void find_order(Explanation *e) {
  const CostReport *r = e->model;
  if (r->again < r->memory / 10) return;
  const CostTraffic *most = &r->traffic[0];
  for (uint32_t i = 1; i < r->traffic_count; i++)
    if (r->traffic[i].again > most->again) most = &r->traffic[i];
  Loss loss = {.kind = "tile order", .loc = reader_loc(most)};
  if (r->lost > r->again / 2) {
    add_read_again(e, most);
    return;
  }
  loss.what = arena_printf(e->run->arena,
                           "%.0f MB of %s are read from memory again: programs that run at the same time "
                           "share too little, and the L2 cache evicts the rest",
                           most->again * 1e-6, most->buffer->name);
  const Constexpr *group = group_of(r->func);
  const char *name = group ? group->name : "GROUP_M";
  loss.knobs = KNOB_TILE;
  loss.only_knobs = group && group->value.i > 1;
  loss.fix =
      arena_printf(e->run->arena,
                   loss.only_knobs ? "another %s, or larger tiles" : "groups of 8 rows of tiles (%s)", name);
  loss.change =
      loss.only_knobs
          ? arena_printf(e->run->arena,
                         "another %s, or larger tiles, which read each row and column fewer times", name)
          : arena_printf(
                e->run->arena,
                "order programs so that those that run at the same time share rows and columns of tiles "
                "(groups of 8 rows, %s)",
                name);
  add_loss(e, loss, &(CostSaving){.memory = r->again});
}

static void find_turns(Explanation *e) {
  const CostReport *r = e->model;
  if (!r->turn) return;
  Loss loss = {.kind = "serialised dot", .loc = r->turn->loc};
  loss.what = arena_printf(e->run->arena,
                           "in %.0f iterations a program waits for its copies, then its dots, then issues "
                           "the next copies: tensor cores and memory do not overlap",
                           r->turns);
  loss.change = "keep a dot in flight while waiting for the next copies (dot_wait {pending = 1}), and more "
                "copies during the dot (async_wait {pending = 1} or more)";
  loss.fix = "a dot in flight while waiting for copies (dot_wait {pending = 1})";
  loss.knobs = KNOB_STAGES;
  add_loss(e, loss, &(CostSaving){.turns = true});
}

static int larger_first(const void *a, const void *b) {
  const Loss *x = a, *y = b;
  if (x->seconds != y->seconds) return x->seconds > y->seconds ? -1 : 1;
  if (x->share != y->share) return x->share > y->share ? -1 : 1;
  return x->loc.line < y->loc.line ? -1 : x->loc.line > y->loc.line;
}

// Waits that the bottleneck hides are no loss if there is no load to name.
static bool is_hidden_wait(const Explanation *e, const Loss *loss) {
  return loss->only_bound && e->model->time.known && loss->seconds < least_share * e->model->time.seconds;
}

void explain_losses(Explanation *e) {
  e->axes = axis_analyse(e->run->arena, e->run->c->module->funcs.at[0]);
  for (uint32_t i = 0; i < e->model->op_count; i++) {
    const CostOp *op = &e->model->ops[i];
    find_uncoalesced(e, op);
    find_narrow(e, op);
    find_conflicts(e, op);
    find_fp64(e, op);
    find_plain_dot(e, op);
    find_contention(e, op);
  }
  find_spills(e);
  find_tail(e);
  find_latency(e);
  find_order(e);
  find_turns(e);
  uint32_t told = 0;
  for (uint32_t i = 0; i < e->losses.n; i++) weigh(e, &e->losses.at[i]);
  for (uint32_t i = 0; i < e->losses.n; i++)
    if (e->losses.at[i].share >= least_share && !is_hidden_wait(e, &e->losses.at[i]))
      e->losses.at[told++] = e->losses.at[i];
  e->losses.n = told;
  if (told) qsort(e->losses.at, told, sizeof *e->losses.at, larger_first);
  for (uint32_t i = 0; i < told; i++) explain_try(e, &e->losses.at[i], i < COMPILED);
}
