// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predicts a launch's cost without a GPU. Counts memory traffic, instructions and tensor core work from the
// final tile IR, its layouts and the target's row. Adds a time and its bottleneck. docs/cost.md has every
// formula with its source. Nothing is printed here, and there are no errors. An unknown property of the
// launch widens a count's range. An unknown property of the chip omits the time.
#ifndef COST_COST_H
#define COST_COST_H

#include "cubin/sass.h"
#include "ir/queries.h"

// A count for the whole launch. `least` equals `most` if nothing that affects it depends on data. For a loop
// whose trip count is data, `most` counts one trip (CostReport.unbounded).
typedef struct CostRange {
  uint64_t least, most;
} CostRange;

// Memory that the launch may access: the buffer of an argument.
typedef struct CostBuffer {
  const char *name;
  uint64_t address, bytes;
  uint32_t device;     // 0: that of the launch; another's memory is reached over a link
  const void *content; // of a table of addresses; NULL: not known
} CostBuffer;

typedef struct CostLaunch {
  uint32_t grid[3];     // programs
  const uint64_t *args; // A parameter's bits, as EvalArg's; for the first arg_count.
  uint32_t arg_count;
  const CostBuffer *buffers;
  uint32_t buffer_count;
  const char *card;        // From cost_card; NULL: the target's own.
  uint32_t registers;      // Per thread, as the assembler reported; 0: the compiler's own estimate.
  const MachineCode *code; // Instructions are counted from it; NULL: they are estimated.
  uint64_t
      max_steps; // Number of ops to follow; 0: COST_STEPS. For a larger launch, evenly spread programs are
                 // counted and scaled.
} CostLaunch;

enum { COST_STEPS = 400000 };

const char *cost_pipe_name(SassPipe pipe);

// Updates by an atomic whose addresses are known.
typedef struct CostAtomic {
  double updates, tiles; // of elements; executions of the op by programs
  int64_t first, last;   // the span of addresses
  bool scattered;        // A program updates more than one element.
} CostAtomic;

// Costs of one op, for all programs and warps. The counters are the simulator's (sim.h), with its
// definitions.
typedef struct CostOp {
  const Op *op;
  CostRange runs;                             // executions of the op, summed over warps
  CostRange requests, sectors, sectors_ideal; // global memory; sectors of 32 bytes
  CostRange shared_requests, wavefronts, wavefronts_ideal;
  double cache_sectors;            // Sectors that the L1 cache requests from L2.
  double cache_steps;              // Their time in L2, in sectors of whole lines that are read.
  CostRange barriers;              // Warps arriving.
  CostRange tensor_bytes;          // Bytes that TMA copies and stores move.
  CostRange flops;                 // Operations of dots; a multiply-add is two
  double tensor_cycles;            // Per multiprocessor; 0: unknown.
  double instructions[PIPE_COUNT]; // Warp instructions from CostLaunch.code; else an estimate.
  CostAtomic atomic;               // of an atomic_rmw
  uint64_t advance; // Bytes between the addresses of successive iterations of its loop, at most; 0: no loop.
  // The first load of a body has both: how often a program waits for the body's loads, and how often at least. Registers
  // limit the loads in flight.
  double waits, least_waits;
  bool data_dependent;     // Addresses or masks depend on data.
  const char *instruction; // Its PTX, such as "ld.global.v4.b32"; NULL: none to report.
  uint32_t lane_bytes;     // per lane, of one such instruction
} CostOp;

typedef struct CostTotals {
  CostRange requests, sectors, sectors_ideal, shared_requests, wavefronts, wavefronts_ideal, barriers,
      tensor_bytes, flops;
  double cache_sectors, cache_steps;
  double tensor_cycles;
  double instructions[PIPE_COUNT];
} CostTotals;

typedef struct CostTraffic { // per buffer
  const CostBuffer *buffer;
  double read, written; // Bytes of L2 cache requests.
  double memory;        // Bytes that memory moves: each touched byte once per direction, plus `again`.
  double again;         // Bytes that are read again because the L2 cache lost them.
  // Bytes that programs ask for, whatever sectors hold them: loaded; stored; updated by atomics. Each byte of
  // a request counts once.
  double loaded, stored, updated;
  const Op *reader; // the last op that reads it; NULL: none
} CostTraffic;

typedef struct CostShared { // a buffer in shared memory
  const Op *alloc;
  uint32_t offset, bytes;
} CostShared;

// The resource that limits the CTAs per multiprocessor.
typedef enum CostLimit { LIMIT_WARPS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED } CostLimit;
const char *cost_limit_name(CostLimit limit); // "registers"

typedef struct CostOccupancy {
  uint32_t registers;    // per thread: as given, or the compiler's own estimate
  bool estimated;        // the registers are an estimate
  uint32_t shared_bytes; // per CTA
  uint32_t blocks;       // per multiprocessor; 0: one CTA does not fit
  uint32_t warps;        // of those CTAs
  CostLimit limit;
} CostOccupancy;

typedef enum CostBound {
  BOUND_MEMORY,
  BOUND_L2,
  BOUND_SHARED,
  BOUND_TENSOR,
  BOUND_ISSUE,
  BOUND_FMA,
  BOUND_FP64,
  BOUND_MUFU,
  BOUND_LATENCY,
  BOUND_TURNS,   // copies and dots that wait for each other
  BOUND_SPILLS,  // of registers to local memory
  BOUND_ATOMICS, // updates of one element, one after another
  BOUND_LINK,    // bytes from and to other devices' memory
  BOUND_COUNT
} CostBound;
const char *cost_bound_name(CostBound bound); // "memory"

typedef struct CostTime {
  double bounds[BOUND_COUNT]; // Seconds of each bound by itself; 0: nothing, or unknown for the chip.
  CostBound bottleneck;       // The longest of them.
  double waves;               // Rounds of CTAs; a partial last round counts in part.
  double tail;    // Imbalance between multiprocessors: their longest time over the time with equal work; at
                  // least 1.
  double launch;  // Seconds before and after.
  double seconds; // Seconds in total. Bounds that are nearly equal hinder each other.
  double copies;  // Seconds of waiting for copies that loops prefetch; part of the latency.
  double ends;    // Only for a CostPlan: seconds at the begin and end of programs in which no dot runs.
  bool known;     // The card and its clock are known.
} CostTime;

typedef struct CostReport {
  const Func *func;
  const char *card;           // The card of the time.
  uint64_t programs, counted; // Programs of the grid, and the number that were followed.
  bool exact;                 // All counts except instructions are exact: no range, nothing scaled.
  bool unbounded;             // A trip count depends on data: one trip was counted.
  CostOp *ops;                // Ops with a cost, in text order.
  uint32_t op_count;
  CostTotals totals;
  double estimated; // Instructions, by the compiler's own estimate.
  bool assembled;   // Instructions in ops and totals come from an assembler's code.
  CostTraffic *traffic;
  uint32_t traffic_count;
  double memory, again; // Summed over all buffers.
  double written;       // The part of `memory` that is written.
  double lost;          // The part of `again` that programs read again themselves.
  double unplaced;      // Bytes stored at addresses that depend on data.
  double outside;       // Bytes asked for at addresses of no buffer.
  double linked;        // Bytes asked for in other devices' memory.
  CostShared *shared;
  uint32_t shared_count;
  uint32_t shared_bytes;
  uint32_t registers;    // Per thread, the compiler's own estimate.
  const uint32_t *alive; // By op id: the registers that tiles fill at this op.
  CostOccupancy occupancy;
  CostTime time;
  double rounds;      // Loads, and copies outside of loops, that a program waits for one after another.
  double load_rounds; // The loads among these.
  double
      load_parts; // Like load_rounds, if loads in flight have only the registers that an assembler gives them.
  double
      turns; // Per program: iterations that wait for copies, then for dots, and then issue the next copies.
  const Op *turn;     // A dot of such an iteration.
  uint32_t excess;    // Registers that tiles need beyond a thread's limit: they will be spilled.
  double copy_rounds; // Like `rounds`, for copies that loops prefetch.
  double dots;        // Per program: mma.sync of one sum, which wait for one another.
  double contention;  // Atomic updates of the element with most of them.
  double copied;      // Part of the totals' cache_sectors: copies by threads, each divided by its prefetch
                      // distance in iterations.
  uint64_t most_runs; // Executions of the most frequently executed region, over all programs.
} CostReport;

// The architecture's card whose name, or its first word, is `name`. NULL: no times are known for such a card.
const char *cost_card(const TargetInfo *arch, const char *name);
// Finds a device's card by its name, "NVIDIA H100 80GB HBM3". The first word of the card's name must be a
// word of it. NULL: none matches.
const char *cost_card_of(const TargetInfo *arch, const char *device);
// The known cards, "H200 SXM, H100 SXM".
const char *cost_cards(Arena *arena, const TargetInfo *arch);

// False: the card's times rest on numbers that others published.
bool cost_card_is_measured(const char *card);

// Updates of an element by the atomic, if all elements in its span get the same number.
double cost_contention(const CostOp *op);

// Latencies and rates of a card, for a timeline.
typedef struct CostLatencies {
  const char *card;
  double clock, load, arrival; // ns
  double link;                 // bytes per ns from the L2 cache to a multiprocessor
  double tensor;               // share of the tensor cores' peak that matmuls attain
} CostLatencies;
// `card`: from cost_card; NULL: the architecture's own. False: no times are known.
bool cost_latencies(const TargetInfo *arch, const char *card, CostLatencies *out);

// The func must have been through all passes. The arena owns the report's contents.
CostReport *cost_report(Arena *arena, Func *func, const CostLaunch *launch);
// Recomputes occupancy and time for the registers that an assembler reported.
void cost_set_registers(CostReport *report, uint32_t registers);

// An event in shared memory of one program. Events show the final schedule of asynchronous work.
typedef struct CostEvent {
  const Op *op;    // A copy, dot, load or store with a shared buffer, a wait, or a barrier.
  const Op *alloc; // The buffer that it fills or reads; NULL: none.
  bool follows;    // The second buffer of a dot: same op as the previous event.
  int64_t slot;    // The slot in the buffer; -1: the buffer is no ring, or the slot is unknown.
  uint32_t group;  // Index in warp_groups; 0 without them.
  uint32_t trip;   // Iteration of the innermost loop around it, from 0.
} CostEvent;

typedef VEC(CostEvent) CostEventList;

// The first `most` events of program 0, one warp group after another. The func must be numbered, as
// cost_report leaves it.
CostEventList cost_events(Arena *arena, Func *func, const CostLaunch *launch, uint32_t most);

// A possible saving.
typedef struct CostSaving {
  double sectors, wavefronts, instructions[PIPE_COUNT], rounds; // Reductions of the totals.
  double parts;                                                 // CostReport.load_parts
  double steps;                                                 // CostOp.cache_steps
  double memory;                                                // bytes
  double copies;                                                // CostReport.copy_rounds
  double contention;                                            // updates of one element
  bool tail;                                                    // All multiprocessors get equal work.
  bool loops;                                                   // Then programs share the work of loops.
  bool spills;                                                  // Nothing is spilled.
  bool turns;                                                   // Copies overlap with dots.
} CostSaving;

// Seconds that the prediction would save. *share: saved part of the predicted time, including bounds that are
// not the bottleneck.
double cost_saving(const CostReport *report, const CostSaving *saving, double *share);

// CTAs that fit on a multiprocessor, for the given threads, registers per thread and shared memory. CUDA
// programming guide, "multiprocessor level": warps get registers in units of 256. Each CTA also takes the
// system's shared memory.
CostOccupancy cost_occupancy(const TargetInfo *arch, uint32_t threads, uint32_t registers,
                             uint32_t shared_bytes);

#endif
