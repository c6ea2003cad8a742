// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string.h>

#include "base/integer.h"
#include "cost/executed.h"
#include "cost/issue.h"
#include "cost/time.h"
#include "cost/walk.h"
#include "ir/memory/groups.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/analysis/pressure.h"

// SPARE: registers that an assembler keeps for a dot's operands when tiles take all others (docs/cost.md).
// PASSING: registers for elements that are taken one by one, between ops that take a tile as a whole.
// FLIGHT: registers that a loop's loads fill before an assembler waits for the first of them. It uses more if
// that does not reduce the CTAs that fit. ADDRESS: registers of such a loop besides its tiles.
enum {
  MIN_REGISTERS = 16,
  REGISTERS_STEP = 8,
  SPARE_REGISTERS = 23,
  PASSING_REGISTERS = 16,
  FLIGHT_REGISTERS = 24,
  ADDRESS_REGISTERS = 12,
  CACHE_STEPS = 30000,
  CACHE_PROGRAMS = 16
};

const char *cost_pipe_name(SassPipe pipe) {
  static const char *const names[] = {"fma", "alu", "mufu", "fp64", "memory", "tensor", "control"};
  return names[pipe];
}

typedef struct Reporter {
  CostWalk walk;
  CostReport *report;
  const uint32_t *share;
  double scale;       // programs of the grid per followed program
  uint32_t across;    // Pressure's `across`
  SharedVectors read; // since the region's start
} Reporter;

// --- costs of one execution

static CostRange scaled(const Reporter *r, CostRange range) {
  return (CostRange){(uint64_t)((double)range.least * r->scale + 0.5),
                     (uint64_t)((double)range.most * r->scale + 0.5)};
}

static CostRange times(CostRange runs, uint64_t least, uint64_t most) {
  return (CostRange){runs.least * least, runs.most * most};
}

// The region directly inside `home` that contains the use, or `home` itself.
static const Region *region_under(const Op *user, const Region *home) {
  const Region *region = user->region;
  while (region != home && region->parent && region->parent->region != home) region = region->parent->region;
  return region;
}

// If all uses are in one branch, LLVM computes the value there. `runs`: of the op's region.
static CostRange runs_where_used(const Reporter *r, const Op *op, CostRange runs) {
  if (!op_has(op, PURE | ELEMENTWISE) || op->result_count != 1 || !op_result(op)->first_use) return runs;
  const Region *branch = region_under(op_result(op)->first_use->user, op->region);
  if (branch == op->region || !branch->parent || branch->parent->kind != OP_IF) return runs;
  for (const Use *use = op_result(op)->first_use; use; use = use->next)
    if (region_under(use->user, op->region) != branch) return runs;
  return scaled(r, r->walk.runs[branch->first->id]);
}

// Warps counted at a barrier. An op of only the first or last warpgroup counts that warpgroup. Outside of
// warp groups, all groups' warps count.
static uint32_t warps_arriving(const Op *op) {
  enum { WARPGROUP = 4 };
  switch ((int)op->kind) {
  case OP_BARRIER:
    return op->region->parent || op_attr(op, ATTR_WARPS) ? region_warps(op) : func_warps(op->region->func);
  case OP_ARRIVE: return region_warps(op);
  case OP_PINGPONG_WAIT: return op_attr(op, ATTR_FIRST) ? WARPGROUP : region_warps(op);
  case OP_PINGPONG_PASS: return op_attr(op, ATTR_LAST) ? WARPGROUP : region_warps(op);
  default: return 0;
  }
}

// `runs`: executions of the op's region.
static void finish_op(Reporter *r, const Op *op, CostRange runs) {
  CostOp *cost = &r->walk.ops[op->id];
  uint32_t warps = issue_warps(op);
  bool index = op->result_count && (type_is_ptr(op_result(op)->type) || r->walk.followed[op->id]);
  AccessCounts shared = count_shared(r->walk.arena, op, &r->read);
  cost->op = op;
  cost->requests = scaled(r, cost->requests);
  cost->sectors = scaled(r, cost->sectors);
  cost->sectors_ideal = scaled(r, cost->sectors_ideal);
  cost->cache_sectors *= r->scale, cost->cache_steps *= r->scale;
  cost->atomic.updates *= r->scale, cost->atomic.tiles *= r->scale;
  cost->runs = times(runs, warps, warps);
  cost->shared_requests = times(runs, shared.least.requests, shared.most.requests);
  cost->wavefronts = times(runs, shared.least.units, shared.most.units);
  cost->wavefronts_ideal = times(runs, shared.least.ideal, shared.most.ideal);
  cost->data_dependent |= shared.data_dependent;
  uint32_t arriving = warps_arriving(op);
  if (arriving > 1) cost->barriers = times(runs, arriving, arriving);
  if (op_copies_in(op) || op->kind == OP_TMA_STORE) {
    uint64_t bytes = tensor_box_bytes(op) * (op->kind == OP_BULK_COPY ? op->operand_count - 2 : 1);
    cost->tensor_bytes = times(runs, bytes, bytes);
  }
  if (op->kind == OP_DOT) {
    uint64_t flops = issue_flops(op);
    cost->flops = times(runs, flops, flops);
    cost->tensor_cycles = issue_tensor_cycles(op) * (double)runs.most;
  }
  issue_of(op, r->share, index, shared.most.requests ? &shared : NULL, cost->instructions);
  for (int p = 0; p < PIPE_COUNT; p++)
    cost->instructions[p] *= issue_runs(op->region, runs_where_used(r, op, runs)) * warps;
  cost->instruction = issue_name(r->walk.arena, op);
  cost->lane_bytes = cost->tensor_bytes.most ? (uint32_t)tensor_box_bytes(op)
                     : cost->requests.most   ? count_lane_bytes(op)
                                             : 0;
}

static bool has_loads(const Region *region) {
  for (const Op *op = region->first; op; op = op->next)
    if (op->kind == OP_LOAD || op->kind == OP_ATOMIC_CAS || (op_has(op, ATOMIC) && op_result(op)->first_use))
      return true;
  return false;
}

// A program waits once for copies outside of loops. A loop prefetches its copies.
static bool has_copies(const Region *region) {
  if (op_enclosing_loop(region->first)) return false;
  for (const Op *op = region->first; op; op = op->next)
    if (op_has(op, ASYNC)) return true;
  return false;
}

// Returns true if an iteration leaves a dot in flight. The dot still reads its slot while the next copies are
// issued.
static bool leaves_product(const Region *body) {
  for (const Op *op = body->first; op; op = op->next)
    if (op->kind == OP_DOT_WAIT && op_int(op, ATTR_PENDING, 0) > 0) return true;
  return false;
}

// The slots among which a wait's mbarrier is one: its buffer has an mbarrier for each.
static uint32_t waited_slots(const Op *wait) {
  const Op *index = op_operand(wait, 0)->def;
  return index && index->kind == OP_SHARED_INDEX ? op_operand(index, 0)->type->shape[0] : 1;
}

// The prefetch distance of a loop's copies, in iterations. 0: it waits for none, or the waiting warps belong
// to a group that does not copy.
static uint32_t copies_ahead(const Region *region) {
  if (!region->parent || !op_is_loop(region->parent)) return 0;
  for (const Op *op = region->first; op; op = op->next)
    if (op->kind == OP_ASYNC_WAIT) {
      return (uint32_t)op_int(op, ATTR_PENDING, 0) + 1;
    } else if (op->kind == OP_MBARRIER_WAIT && group_of(op) == UINT32_MAX) {
      uint32_t slots = waited_slots(op), held = 1 + leaves_product(region);
      return slots > held ? slots - held : 1;
    }
  return 0;
}

// A dot of a loop body without overlap between copies and dots. The body waits for all copies, then for all
// dots, and only then issues the next copies. NULL: there is none.
static const Op *product_in_turn(const Region *body) {
  const Op *product = NULL;
  bool copied = false, waited = false, done = false;
  for (Op *op = body->first; op; op = op->next) {
    bool copies = false;
    for (OpWalk w = ops_of(op); ops_next(&w);) copies |= op_has(w.op, ASYNC);
    if (copies && !done) return NULL;
    copied |= copies;
    if (op->kind == OP_ASYNC_WAIT) waited = op_int(op, ATTR_PENDING, 0) == 0;
    if (op->kind == OP_DOT && waited) product = op;
    if (op->kind == OP_DOT && !op_attr(op, ATTR_ASYNC)) done = product != NULL;
    if (op->kind == OP_DOT_WAIT) done = product && op_int(op, ATTR_PENDING, 0) == 0;
  }
  return copied && done ? product : NULL;
}

// Instructions of one warp in one iteration.
static double body_instructions(const Reporter *r, const Region *body) {
  double n = 0;
  for (const Op *op = body->first; op; op = op->next) {
    const CostOp *cost = &r->walk.ops[op->id];
    for (int p = 0; p < PIPE_COUNT && cost->runs.most; p++)
      n += cost->instructions[p] / (double)cost->runs.most;
  }
  return n;
}

// Iterations whose loads an assembler issues before it waits for the first. ptxas 13.0 makes four copies of a
// small innermost loop body. Loads do not pass stores.
static double assembler_unrolls(const Reporter *r, const Region *body, CostRange runs) {
  enum { COPIES = 4, LARGEST = 43 };
  const Op *loop = body->parent;
  if (!loop || loop->kind != OP_FOR || !has_loads(body)) return 1;
  for (const Op *op = body->first; op; op = op->next)
    if (op_has(op, WRITES) || (op->region_count && op->kind != OP_MAP && op->kind != OP_REDUCE)) return 1;
  double trips = (double)runs.most / (double)scaled(r, r->walk.runs[loop->region->first->id]).most;
  if (body_instructions(r, body) > LARGEST) return 1;
  return trips < COPIES ? trips < 1 ? 1 : trips : COPIES;
}

// Registers that the region's loads fill in one execution.
static double words_loaded(const Region *region) {
  double words = 0;
  for (const Op *op = region->first; op; op = op->next)
    if (op->kind == OP_LOAD && type_is_tile(op_result(op)->type)) words += tile_words(op_result(op)->type);
  return words;
}

// Registers for loads that are in flight.
static double flight_registers(const Reporter *r) {
  const Func *func = r->report->func;
  const TargetInfo *arch = func->module->target.arch;
  double most = arch->blocks * func_warps(func) * TARGET_WARP,
         spare = arch->registers / most - r->across - ADDRESS_REGISTERS;
  return spare > FLIGHT_REGISTERS ? spare : FLIGHT_REGISTERS;
}

// `least`: waits because flight_registers limits the loads that are issued at once.
static void note_waits(Reporter *r, const Region *body, double waits, double least) {
  const Op *op = body->first;
  while (op && op->kind != OP_LOAD) op = op->next;
  if (op && r->report->programs)
    r->walk.ops[op->id].waits = waits / (double)r->report->programs,
    r->walk.ops[op->id].least_waits = least / (double)r->report->programs;
}

static void finish_region(Reporter *r, Region *region) {
  if (!region->first) return;
  CostRange runs = scaled(r, r->walk.runs[region->first->id]);
  if (runs.most > r->report->most_runs) r->report->most_runs = runs.most;
  uint32_t ahead = copies_ahead(region);
  bool body = region->parent && op_is_loop(region->parent);
  const Op *in_turn = body ? product_in_turn(region) : NULL;
  if (in_turn) r->report->turns += (double)runs.most, r->report->turn = in_turn;
  if (ahead) r->report->copy_rounds += (double)runs.most / ahead;
  for (const Op *op = region->first; op; op = op->next) {
    bool descends = op_has(op, FLOW) || op->kind == OP_WARP_GROUPS;
    if (descends || op_has(op, WRITES)) r->read.n = 0;
    finish_op(r, op, runs);
    for (uint32_t i = 0; i < op->region_count && descends; i++) finish_region(r, op->regions[i]);
  }
  r->read.n = 0;
  double copied = 0;
  for (OpWalk w = ops_in(region); ahead && ops_next(&w);)
    if (w.op->kind == OP_COPY_ASYNC) copied += r->walk.ops[w.op->id].cache_sectors;
  if (ahead) r->report->copied += copied / ahead;
  bool loads = has_loads(region);
  if (!loads && !has_copies(region)) return;
  double waits = 1 / assembler_unrolls(r, region, runs);
  r->report->rounds += (double)runs.most * waits;
  if (!loads) return;
  r->report->load_rounds += (double)runs.most * waits;
  double least = body ? words_loaded(region) / flight_registers(r) : 0;
  r->report->load_parts += (double)runs.most * (least > waits ? least : waits);
  if (body) note_waits(r, region, (double)runs.most * waits, (double)runs.most * least);
}

// --- totals

double cost_contention(const CostOp *op) {
  if (op->atomic.updates <= 0) return 0;
  const Type *type = op_result(op->op)->type;
  double bytes = type_element_bytes(type), updates = op->atomic.updates;
  // ptxas adds the integers of a warp first.
  if (type_is_int(type) && !op->atomic.scattered && (double)op->requests.most < updates)
    updates = (double)op->requests.most;
  return updates / ((double)(op->atomic.last - op->atomic.first) / bytes + 1);
}

static void sum_range(CostRange *sum, CostRange more) {
  sum->least += more.least;
  sum->most += more.most;
}

static bool costs(const CostOp *cost) {
  double instructions = 0;
  for (int p = 0; p < PIPE_COUNT; p++) instructions += cost->instructions[p];
  return cost->op && (instructions > 0 || cost->requests.most || cost->barriers.most ||
                      cost->tensor_bytes.most || cost->instruction);
}

static void count_code(Reporter *r, const MachineCode *code) {
  CostReport *report = r->report;
  for (uint32_t i = 0; i < report->func->op_count; i++)
    for (int p = 0; p < PIPE_COUNT; p++) report->estimated += r->walk.ops[i].instructions[p];
  report->assembled = code != NULL;
  if (code) executed_count(r->walk.arena, report->func, code, r->walk.ops);
}

static void sum_ops(Reporter *r) {
  CostReport *report = r->report;
  CostTotals *t = &report->totals;
  report->ops = ARENA_ARRAY(r->walk.arena, CostOp, report->func->op_count + 1);
  for (uint32_t i = 0; i < report->func->op_count; i++) {
    const CostOp *cost = &r->walk.ops[i];
    if (!costs(cost)) continue;
    report->ops[report->op_count++] = *cost;
    sum_range(&t->requests, cost->requests);
    sum_range(&t->sectors, cost->sectors);
    sum_range(&t->sectors_ideal, cost->sectors_ideal);
    t->cache_sectors += cost->cache_sectors, t->cache_steps += cost->cache_steps;
    sum_range(&t->shared_requests, cost->shared_requests);
    sum_range(&t->wavefronts, cost->wavefronts);
    sum_range(&t->wavefronts_ideal, cost->wavefronts_ideal);
    sum_range(&t->barriers, cost->barriers);
    sum_range(&t->tensor_bytes, cost->tensor_bytes);
    sum_range(&t->flops, cost->flops);
    t->tensor_cycles += cost->tensor_cycles;
    report->contention += cost_contention(cost);
    if (cost->op->kind == OP_DOT && report->programs)
      report->dots += issue_dot_chain(cost->op) * (double)cost->runs.most / issue_warps(cost->op) /
                      (double)report->programs;
    for (int p = 0; p < PIPE_COUNT; p++) t->instructions[p] += cost->instructions[p];
    report->exact &= !cost->data_dependent;
  }
  report->exact &= t->requests.least == t->requests.most && t->barriers.least == t->barriers.most;
}

static double least_of(double a, double b) { return a < b ? a : b; }

static double most_again(const CostTraffic *traffic) {
  return traffic->read - least_of(traffic->read, (double)traffic->buffer->bytes);
}

// Follows `rounds` rounds of programs from the middle of the grid. Returns false if that took too long.
static bool follow_rounds(Reporter *r, CostCache *cache, uint64_t round, uint64_t rounds) {
  uint64_t all = r->report->programs / cache->beside, first = all > rounds ? (all - rounds) / 2 : 0;
  CostWalk walk;
  walk_init(&walk, r->walk.arena, r->walk.func, cache->launch, r->report->traffic);
  walk.tensors = r->walk.tensors;
  walk.space = r->walk.space;
  walk.cache = cache;
  return walk_rounds(&walk, first * cache->beside, round, rounds, CACHE_STEPS / (rounds * round) + 1);
}

// Finds data that programs read again themselves. A sample of programs represents all.
static void find_lost(Reporter *r, const CostLaunch *launch, double capacity, uint64_t beside) {
  CostReport *report = r->report;
  CostCache cache = cache_init(r->walk.arena, launch, capacity, beside);
  if (!follow_rounds(r, &cache, beside < CACHE_PROGRAMS ? beside : CACHE_PROGRAMS, 1)) return;
  for (uint32_t i = 0; i < report->traffic_count; i++) {
    CostTraffic *traffic = &report->traffic[i];
    traffic->again =
        least_of(cache.lost[i] * (double)report->programs / (double)cache.programs, most_again(traffic));
    report->lost += traffic->again;
  }
}

// Finds data that a round of programs reads after an earlier round did. A round fills the multiprocessors.
// With two rounds the second may be partial. `asked`: bytes that all touch.
static void find_missed(Reporter *r, const CostLaunch *launch, double capacity, uint64_t beside,
                        double asked) {
  CostReport *report = r->report;
  uint64_t full = report->programs / beside, rounds = full < 2              ? 2
                                                      : full < CACHE_ROUNDS ? full
                                                                            : CACHE_ROUNDS;
  double times = (double)report->programs / (double)beside;
  CostCache cache = cache_init(r->walk.arena, launch, capacity, beside);
  if (report->programs <= beside || !follow_rounds(r, &cache, beside, rounds)) return;
  for (uint32_t i = 0; i < report->traffic_count; i++) {
    CostTraffic *traffic = &report->traffic[i];
    double once = least_of(traffic->read, (double)traffic->buffer->bytes),
           missed = full < 2 ? 0 : cache_missed(&cache, i, asked / times) * times;
    traffic->again += full < 2 ? cache_lost(&cache, i, asked) : missed > once ? missed - once : 0;
  }
}

static void find_again(Reporter *r, const CostLaunch *launch) {
  CostReport *report = r->report;
  const TargetInfo *arch = report->func->module->target.arch;
  uint64_t beside = (uint64_t)arch->multiprocessors * report->occupancy.blocks;
  double capacity = time_cache_bytes(report), touched = 0, read = 0, asked = 0;
  for (uint32_t i = 0; i < report->traffic_count; i++) {
    const CostTraffic *traffic = &report->traffic[i];
    touched += least_of(traffic->read, (double)traffic->buffer->bytes);
    read += traffic->read;
    asked += traffic->read + traffic->written;
  }
  if (beside > report->programs) beside = report->programs;
  if (!beside || capacity <= 0 || touched <= capacity || read <= touched) return;
  find_lost(r, launch, capacity, beside);
  find_missed(r, launch, capacity, beside, asked);
  for (uint32_t i = 0; i < report->traffic_count; i++)
    report->traffic[i].again = least_of(report->traffic[i].again, most_again(&report->traffic[i]));
}

static void find_traffic(Reporter *r, const CostLaunch *launch) {
  CostReport *report = r->report;
  find_again(r, launch);
  for (uint32_t i = 0; i < report->traffic_count; i++) {
    CostTraffic *traffic = &report->traffic[i];
    double bytes = (double)traffic->buffer->bytes;
    double written = least_of(traffic->written, bytes);
    if (traffic->buffer->device) {
      report->linked += traffic->loaded + traffic->stored + traffic->updated;
      continue;
    }
    traffic->memory = least_of(traffic->read, bytes) + traffic->again + written;
    report->memory += traffic->memory;
    report->written += written;
    report->again += traffic->again;
  }
}

static void find_shared(CostReport *report, const Func *func) {
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_SHARED_ALLOC)
      report->shared[report->shared_count++] =
          (CostShared){w.op, (uint32_t)op_int(w.op, ATTR_OFFSET, 0), alloc_bytes(w.op)};
}

typedef struct Stepwise {
  const Region *region;
  uint32_t words, most;
} Stepwise;

static void find_stepwise(Stepwise *s, Op *op) {
  if (op->kind != OP_SHARED_LOAD || !type_is_tile(op_result(op)->type)) return;
  for (const Use *use = op_result(op)->first_use; use; use = use->next)
    if (use->user->kind != OP_DOT) return;
  if (s->region != op->region) s->region = op->region, s->words = 0;
  s->words += tile_words(op_result(op)->type);
  s->most = max_u32(s->most, s->words);
}

static uint32_t spare_registers(const Func *func) {
  return ops_find(func->body, OP_DOT) ? SPARE_REGISTERS : 0;
}

// Returns true if the live data fits; held: Pressure's `across`. A value between two elementwise ops takes one register at a time. An
// operand used only by dots is read step by step.
static bool fits(const Func *func, uint32_t held, uint32_t most) {
  Stepwise stepwise = {0};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) find_stepwise(&stepwise, w.op);
  uint32_t freed = stepwise.most < held ? stepwise.most : held;
  return held - freed + TUNE_BLOCKS_RESERVED_REGISTERS + spare_registers(func) <= most;
}

// `tiles`: the registers that tiles fill.
static uint32_t thread_registers(uint32_t tiles) {
  uint32_t n = tiles + TUNE_BLOCKS_RESERVED_REGISTERS;
  return max_u32(MIN_REGISTERS, (n + REGISTERS_STEP - 1) / REGISTERS_STEP * REGISTERS_STEP);
}

void cost_set_registers(CostReport *report, uint32_t registers) {
  const Func *func = report->func;
  report->occupancy = cost_occupancy(func->module->target.arch, TARGET_WARP * func_warps(func), registers,
                                     report->shared_bytes);
  report->time = time_of(report);
}

static void scale_traffic(CostTraffic *traffic, double scale) {
  traffic->read *= scale, traffic->written *= scale;
  traffic->loaded *= scale, traffic->stored *= scale, traffic->updated *= scale;
}

CostReport *cost_report(Arena *arena, Func *func, const CostLaunch *launch) {
  CostReport *report = ARENA_NEW(arena, CostReport);
  Reporter r = {.report = report};
  report->func = func;
  report->card = launch->card ? launch->card : func->module->target.arch->card;
  report->programs = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  Pressure pressure = func_pressure(arena, func);
  uint32_t tiles = pressure.most, wanted = thread_registers(tiles), most = func_thread_registers(func);
  r.across = pressure.across;
  report->registers = min_u32(most, thread_registers(min_u32(tiles, r.across + PASSING_REGISTERS)));
  if (ops_find(func->body, OP_WARP_GROUPS))
    most = func->module->target.arch->thread_registers; // producer warps give their registers to consumer
                                                        // warps
  wanted += spare_registers(func);
  report->excess = !fits(func, r.across, most) && wanted > most ? wanted - most : 0;
  const CostTensor *tensors = tensors_of(arena, func, launch);
  report->alive = pressure.alive;
  report->traffic = ARENA_ARRAY(arena, CostTraffic, launch->buffer_count + 1);
  report->traffic_count = launch->buffer_count;
  report->shared_bytes = func_shared_bytes(func);
  report->shared = ARENA_ARRAY(arena, CostShared, func->op_count + 1);
  find_shared(report, func);
  walk_init(&r.walk, arena, func, launch, report->traffic);
  r.walk.tensors = tensors;
  r.share = func_shares(arena, func);
  if (report->programs) cost_walk(&r.walk, &report->counted);
  r.scale = report->counted ? (double)report->programs / (double)report->counted : 0;
  for (uint32_t i = 0; i < report->traffic_count; i++) scale_traffic(&report->traffic[i], r.scale);
  report->unplaced = r.walk.unplaced * r.scale, report->outside = r.walk.outside * r.scale;
  report->exact = report->counted == report->programs && !r.walk.estimated && !r.walk.unbounded;
  report->unbounded = r.walk.unbounded;
  finish_region(&r, func->body);
  if (report->programs) report->rounds /= (double)report->programs;
  if (report->programs) report->load_rounds /= (double)report->programs;
  if (report->programs) report->load_parts /= (double)report->programs;
  if (report->programs) report->copy_rounds /= (double)report->programs;
  if (report->programs) report->turns /= (double)report->programs;
  count_code(&r, launch->code);
  sum_ops(&r);
  uint32_t held = launch->registers ? launch->registers : report->registers;
  cost_set_registers(report, held);
  find_traffic(&r, launch); // L2 hits depend on the CTAs that run at a time
  cost_set_registers(report, held);
  report->occupancy.estimated = !launch->registers;
  return report;
}
