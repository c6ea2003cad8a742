// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch costs, told without a GPU: counts of memory, instructions and tensor cores from final tile IR, its layouts and the
// target's row, and a time with its bottleneck. docs/cost.md has every formula with its source. Nothing is printed here, and there is
// no error: what is not known of the launch widens a count's range, and what is not known of the chip leaves a time out.
#ifndef COST_COST_H
#define COST_COST_H

#include "cubin/sass.h"
#include "ir/ir.h"

// A count of the whole launch. Equal where nothing that it hangs on depends on data; `most` of what a loop does whose trip count is
// data is what one trip does (CostReport.unbounded).
typedef struct CostRange {
  uint64_t least, most;
} CostRange;

// Memory that the launch may reach: a buffer of an argument's.
typedef struct CostBuffer {
  const char *name;
  uint64_t address, bytes;
} CostBuffer;

typedef struct CostLaunch {
  uint32_t grid[3];     // programs
  const uint64_t *args; // a parameter's bits, as EvalArg's; of the first arg_count
  uint32_t arg_count;
  const CostBuffer *buffers;
  uint32_t buffer_count;
  const char *card;   // cost_card's; NULL: the target's own
  uint32_t registers; // a thread, as an assembler told; 0: the compiler's own estimate
  const MachineCode *code; // whose instructions are counted; NULL: they are estimated
  uint64_t
      max_steps; // ops that are followed; 0: COST_STEPS. Of a larger launch programs spread evenly are counted, and scaled
} CostLaunch;

enum { COST_STEPS = 400000 };

const char *cost_pipe_name(SassPipe pipe);

// Of one op, all programs and warps. The counters are the simulator's (sim.h), with its definitions.
typedef struct CostOp {
  const Op *op;
  CostRange runs;                             // of the op by its warps together
  CostRange requests, sectors, sectors_ideal; // global memory; sectors of 32 bytes
  CostRange shared_requests, wavefronts, wavefronts_ideal;
  double cache_sectors;            // of those, what the first-level cache asks the second for
  CostRange barriers;              // warps arriving
  CostRange tensor_bytes;          // that tensor copies and stores move
  CostRange flops;                 // of products; a multiply-add is two
  double tensor_cycles;            // of one multiprocessor's tensor cores; 0: not known
  double instructions[PIPE_COUNT]; // of warps, by CostLaunch.code; else an estimate
  bool data_dependent;             // addresses or masks hang on data
  const char *instruction;         // PTX that it becomes, "ld.global.v4.b32"; NULL: nothing to tell
  uint32_t lane_bytes;             // of one such instruction a lane
} CostOp;

typedef struct CostTotals {
  CostRange requests, sectors, sectors_ideal, shared_requests, wavefronts, wavefronts_ideal, barriers,
      tensor_bytes, flops;
  double cache_sectors;
  double tensor_cycles;
  double instructions[PIPE_COUNT];
} CostTotals;

typedef struct CostTraffic { // of a buffer
  const CostBuffer *buffer;
  double read, written; // bytes that requests of the L2 cache move
  double memory;        // bytes that memory moves: what is touched, once, a way, and
  double again;         // of it what is read again, as the L2 cache lost it
} CostTraffic;

typedef struct CostShared { // a buffer in shared memory
  const Op *alloc;
  uint32_t offset, bytes;
} CostShared;

// What limits how many blocks a multiprocessor holds.
typedef enum CostLimit { LIMIT_WARPS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED } CostLimit;
const char *cost_limit_name(CostLimit limit); // "registers"

typedef struct CostOccupancy {
  uint32_t registers;    // a thread: as given, or the compiler's own estimate
  bool estimated;        // registers are
  uint32_t shared_bytes; // a block
  uint32_t blocks;       // a multiprocessor; 0: one does not fit
  uint32_t warps;        // of those blocks
  CostLimit limit;
} CostOccupancy;

typedef enum CostBound {
  BOUND_MEMORY,
  BOUND_L2,
  BOUND_SHARED,
  BOUND_TENSOR,
  BOUND_ISSUE,
  BOUND_FMA,
  BOUND_MUFU,
  BOUND_LATENCY,
  BOUND_TURNS, // copies and products that wait for one another
  BOUND_COUNT
} CostBound;
const char *cost_bound_name(CostBound bound); // "memory"

typedef struct CostTime {
  double bounds[BOUND_COUNT]; // seconds that each alone would take; 0: nothing, or not known of the chip
  CostBound bottleneck;
  double waves; // rounds of blocks, a last one that is not full counted in part
  double tail; // by how much what a multiprocessor does alone takes longer than if all had as much: 1 or more
  double launch;  // seconds before and after
  double seconds; // in all
  double spills;  // seconds of the excess registers' way through local memory
  double copies;  // seconds of waiting for copies that loops issue ahead
  double
      together; // as `seconds`, where bounds, spills and copies hinder one another: what configurations are ranked by
  bool known; // the card and its clock are
} CostTime;

typedef struct CostReport {
  const Func *func;
  const char *card;           // that the time is of
  uint64_t programs, counted; // of the grid; those that were followed
  bool exact;                 // all counts but instructions: no range, nothing scaled
  bool unbounded;             // a trip count hangs on data: one trip was counted
  CostOp *ops;                // that cost something, in the order of the text
  uint32_t op_count;
  CostTotals totals;
  double estimated; // instructions, by the compiler's own estimate
  bool assembled;   // those of ops and totals are of an assembler's code
  CostTraffic *traffic;
  uint32_t traffic_count;
  double memory, again; // of all buffers
  double lost;          // of `again`, what programs read again themselves
  CostShared *shared;
  uint32_t shared_count;
  uint32_t shared_bytes;
  uint32_t registers; // a thread, the compiler's own estimate
  const uint32_t *alive; // by op id: of them those that tiles fill as the op is done
  CostOccupancy occupancy;
  CostTime time;
  double rounds; // of loads that a program waits for one after the other
  double
      turns; // a program: iterations that wait for copies, then for products, before they issue the next copies
  const Op *turn;     // a product of them
  uint32_t excess;    // registers that tiles want beyond a thread's: they will be spilled
  double copy_rounds; // as `rounds`, of copies that loops issue ahead
  double copied; // of the totals' cache_sectors those of these copies by threads, each by how many iterations it is issued ahead
  uint64_t most_runs; // of the region that is run most often, by all programs
} CostReport;

// The card of that architecture whose name, or its first word, is `name`; NULL: no times are known of such a one.
const char *cost_card(const TargetInfo *arch, const char *name);
// That of a device by its name, "NVIDIA H100 80GB HBM3": the first word of the card's is one of it. NULL: none is.
const char *cost_card_of(const TargetInfo *arch, const char *device);
// Those that there are, "H200 SXM, H100 SXM".
const char *cost_cards(Arena *arena, const TargetInfo *arch);

// The func has been through all passes. What the report holds is the arena's.
CostReport *cost_report(Arena *arena, Func *func, const CostLaunch *launch);
// Occupancy and time again, for registers that an assembler told.
void cost_set_registers(CostReport *report, uint32_t registers);

// What happens to shared memory in one program: the schedule of what runs asynchronously, as it came out.
typedef struct CostEvent {
  const Op *op;    // a copy, product, load or store with a buffer there, a wait, a barrier
  const Op *alloc; // the buffer that it fills or reads; NULL: it has none
  bool follows;    // a product's second buffer: of the op of the event before
  int64_t slot;    // of the buffer's slots; -1: it is no ring of them, or not known which
  uint32_t group;  // of warp_groups; 0 without
  uint32_t trip;   // of the innermost loop around it, from 0
} CostEvent;

typedef VEC(CostEvent) CostEventList;

// The first `most` events of program 0, the groups' one group after the other. The func is numbered, as cost_report leaves it.
CostEventList cost_events(Arena *arena, Func *func, const CostLaunch *launch, uint32_t most);

// What could be spared.
typedef struct CostSaving {
  double sectors, wavefronts, instructions[PIPE_COUNT], rounds; // of the totals
  double memory;                                                // bytes
  bool tail;                                                    // all multiprocessors have as much to do
  bool turns;                                                   // copies run beside products
} CostSaving;

// Seconds by which the prediction is lower without it; *share: of the predicted time what is spared of bounds that are not the
// bottleneck too.
double cost_saving(const CostReport *report, const CostSaving *saving, double *share);

// Blocks of so many threads with so many registers a thread and bytes of shared memory that a multiprocessor holds. CUDA programming
// guide, "multiprocessor level": registers are given to warps in units of 256, shared memory with the system's own a block.
CostOccupancy cost_occupancy(const TargetInfo *arch, uint32_t threads, uint32_t registers,
                             uint32_t shared_bytes);

#endif
