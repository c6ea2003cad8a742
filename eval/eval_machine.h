// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Internal to eval/*.c: the state of a launch, and values as whole tiles.
#ifndef EVAL_EVAL_MACHINE_H
#define EVAL_EVAL_MACHINE_H

#include "ir/memory/buffer_name.h"
#include "eval/eval_memory.h"
#include "target/math.h"
#include "ir/memory/tensor_map.h"

// An integer or pointer whose computation in 32 bits or fewer overflowed.
typedef struct Wrap Wrap; // eval_wrap.c
typedef struct WrapState WrapState;
typedef struct Wrapped {
  const Wrap *at; // The operation that overflowed; NULL: the value is correct.
  uint64_t truth; // The value without overflow.
} Wrapped;

// A value: n elements; a scalar is a tile of one. Only floats have r and e. Tiles of i64 represent:
// * a block pointer: base, sizes, strides, offsets, in the order of make_block_ptr's operands;
// * a shared buffer: its number, first element, strides;
// * a token: the number of its group.
typedef struct Tile {
  uint32_t n;
  ElemCode code;
  uint64_t *bits;
  double *r, *e;
  Common *common; // NULL: none of them shares an error
  uint8_t *state;
  void *block; // holds the arrays: eval_block
  uint64_t block_bytes;
  uint64_t dot;       // The number of the asynchronous dot that computes it; 0: none.
  uint64_t tmem;      // For an accumulator in tensor memory: the number of its state.
  uint32_t tmem_slot; // The accumulator's number.
  // For a dot that started at zero: the sum that it is added to may become its initial accumulator
  // (accumulate). Then that sum takes part in this number of roundings, in units of u. 0 for anything
  // else.
  double sum_ulps;
  Wrapped *wrapped; // by element; NULL: none of them wrapped
} Tile;

typedef struct Race Race;                   // eval_race.c
typedef struct AtomicSums AtomicSums;       // eval_atomic.c
typedef struct SharedState SharedState;     // eval_shared.c
typedef struct DotsUnderWay DotsUnderWay;   // eval_dot_async.c
typedef struct RingState RingState;         // eval_rings.c
typedef struct MbarrierState MbarrierState; // eval_mbarrier.c
typedef struct StoreState StoreState;       // eval_stores.c
typedef struct Accumulator Accumulator;     // eval_tmem.c

typedef struct Origin {
  const Op *op;    // that made an element undefined; NULL: none is, or it is not known
  const char *why; // for a note; NULL: no advice
} Origin;

typedef struct Machine {
  Func *func;
  Diags *diags;
  EvalMemory *memory; // For a host region: one without buffers.
  Arena *arena;       // Freed at the launch's end.
  Tile *values;       // By Value.id; block NULL while not computed.
  EvalOptions options;
  const EvalArg *args;     // The launch's.
  const BufferName *names; // Names of the arguments' buffers.
  uint32_t name_count;
  int32_t *op_params;    // By Op.id: pointer_param + 2 of the op's pointer; 0: not computed yet.
  bool counts_addresses; // The kernel converts pointers to integers.
  uint32_t grid[3], program[3];
  uint32_t begun, taken; // programs of the grid that have begun; of those, how many this CTA took
  uint64_t steps;
  double deadline;          // From options.timeout, by the monotonic clock.
  uint32_t depth;           // Nesting depth of regions.
  const HostRegion *host;   // The region being evaluated; NULL: a launch.
  bool failed;              // An error was reported, and the launch continues.
  bool stopped;             // The stepper ended the launch, or knows of its end.
  Race *race;               // NULL: no race detection.
  AtomicSums *sums;         // NULL: no atomic float addition yet.
  SharedState *shared;      // NULL: no buffer in shared memory yet.
  DotsUnderWay *dots;       // NULL: no asynchronous dot yet.
  RingState *rings;         // NULL: no ring or channel yet.
  TensorMapValue *maps;     // The hidden parameters', in their order; NULL: none.
  MbarrierState *mbarriers; // NULL: no mbarrier yet.
  StoreState *stores;       // NULL: the kernel has no TMA stores.
  uint64_t tmem;            // The number of tensor memory's latest state; counted on at each change.
  Accumulator *tmem_slots;  // In tensor memory; NULL: none yet.
  uint8_t turns[16];        // By barrier of the CTA: whose turn it is (eval_turns.c).
  WrapState *wraps;         // NULL: wrapping offsets are not detected.
  bool has_common;          // The kernel's elements may share errors.
  uint32_t common_errors;   // Number so far.
  bool *hints_told;         // By Op.id: the hint is broken and was reported; NULL: none checked yet.
  bool *told;               // By Op.id: the op's warning was reported; NULL: none yet.
  uint32_t hints;           // Number of broken hints reported.
  Origin *origins;          // By Value.id, of what control flow carries; NULL: nothing undefined was.
} Machine;

typedef enum RegionEnd {
  REGION_FAILED,   // an error was reported
  REGION_ENDED,    // the region ended, with the operands of its yield if it has one
  REGION_RETURNED, // the program ended
} RegionEnd;

enum { NO_ELEMENT = UINT32_MAX };

// Reports the user's error at `op`. Appends program and element (row-major; NO_ELEMENT: a scalar). Returns
// false, so that callers can return it directly.
bool eval_error(Machine *m, const Op *op, uint32_t element, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same, but returns the diagnostic for additions.
Diag *eval_diag(Machine *m, const Op *op, uint32_t element, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same for an action that a host region (m->host) cannot do: "access memory".
bool eval_on_host(Machine *m, const Op *op, const char *what);
// The same for an undefined operand. `what` names it ("the mask"). A note says where the element became
// undefined.
bool eval_undefined(Machine *m, const Op *op, const Value *operand, uint32_t element, const char *what);
// Keeps where `from` became undefined, for its copy `to`: operands of a former iteration are gone.
void eval_carry_origin(Machine *m, const Value *to, const Value *from);
void eval_print_value(Buf *out, ElemCode code, uint64_t bits); // of one element, as a decimal
// Returns true on the first call for the op, if the op has no warning yet.
bool eval_first_time(Machine *m, const Op *op);
// Returns true if the operand's element has a value. Reports an error if not. An element that only depends on
// what a masked load did not read (UNREAD) has a value. A warning reports it, once per op.
bool eval_defined(Machine *m, const Op *op, uint32_t operand, uint32_t element, const char *what);
// The same for an element read from the shared buffer operand.
bool eval_state_defined(Machine *m, const Op *op, uint32_t operand, uint32_t element, uint8_t state,
                        const char *what);
// "in program (0, 0, 0), element 3": `text` has room for EVAL_PLACE bytes.
enum { EVAL_PLACE = 160 };
void eval_place(const Machine *m, const Op *op, uint32_t element, char *text);
void eval_place_element(const Type *type, uint32_t element, char *text, size_t room); // ", element 3"
// The type whose shape the op's elements have; for a store, the pointer's. NULL: none.
const Type *eval_shape(const Op *op);

static inline Element tile_get(const Tile *t, uint32_t i) {
  Element x = {.bits = t->bits[i], .state = t->state[i]};
  if (t->r) x.r = t->r[i], x.e = t->e[i];
  if (t->common) x.common = t->common[i];
  return x;
}

static inline void tile_set(Tile *t, uint32_t i, const Element *x) {
  t->bits[i] = x->bits;
  t->state[i] = x->state;
  if (t->r) t->r[i] = x->r, t->e[i] = x->e;
  if (t->common) t->common[i] = x->common;
}

// An operand's tile, computed before. NULL if the op has no such operand.
const Tile *eval_operand(const Machine *m, const Op *op, uint32_t index);
// Allocates the tile's n elements of its code; eval_block_free releases the block.
void eval_tile_alloc(Machine *m, Tile *tile);
// The tile of a value, with memory for its elements.
Tile *eval_tile(Machine *m, const Value *value);
void eval_copy(Machine *m, Tile *to, const Tile *from); // same number of elements and same type
void eval_fill(Tile *tile, const Element *x);
// An element without error, from bits that may be non-canonical: r = v.
Element eval_exact(ElemCode code, uint64_t bits);
void eval_set_int(Machine *m, const Value *value, uint64_t bits); // in every element
ElemCode eval_code(const Type *element);                          // of a scalar or pointer type

// Control flow, in eval_control.c. *end: the last op of the region that ran.
RegionEnd eval_region(Machine *m, const Region *region, const Op **end);
RegionEnd eval_op(Machine *m, Op *op);
void eval_limit_begin(Machine *m); // starts the time limit
bool eval_step(Machine *m,
               const Op *op); // before an op runs: false with an error if a limit is reached

// The stepper, in eval_stop.c. Called before an op runs: false ends the launch. Called after an op failed.
bool eval_stop(Machine *m, const Op *op);
void eval_stop_failed(Machine *m, const Op *op);
// Parts of control flow, for code that runs regions op by op:
// * eval_flow_operand: reads an operand that controls the flow. If it is doubtful, memory that the kernel may
//   write becomes doubtful;
// * copies a region's yielded values to the op's results;
// * copies a region's arguments from the operands of `from`, starting at `first`.
bool eval_flow_operand(Machine *m, const Op *op, uint32_t index, const char *what, uint64_t *bits);
void eval_take_yielded(Machine *m, const Op *op, const Op *end);
void eval_take_args(Machine *m, const Region *region, const Op *from, uint32_t first);
typedef struct ForRounds {
  uint64_t i, upper, step;
  bool down;
} ForRounds;
// Copies the initial values to the loop's results. *more: there is an iteration.
bool eval_for_begin(Machine *m, const Op *op, ForRounds *rounds, bool *more);
void eval_for_round(Machine *m, const Op *op, const ForRounds *rounds); // sets the body's arguments
bool eval_for_advance(ForRounds *rounds);                               // false: it was the last iteration
// The tensor map of a value of type tensor_map.
const TensorMapValue *eval_map(const Machine *m, const Value *map);
// The scalar operand that controls the flow. Returns false with an error if it is undefined. *doubt: its
// state if it is doubtful.
bool eval_control_operand(Machine *m, const Op *op, uint32_t index, const char *what, uint64_t *bits,
                          uint8_t *doubt);

// Detects endless while loops, in eval_watch.c.
typedef struct LoopWatch {
  uint64_t rounds, next; // so far; the next round that saves the state
  uint8_t *kept;         // loop-carried values at that time; NULL: none saved
  uint64_t bytes, changes;
} LoopWatch;
// Called at the start of a round. Returns false, with an error, if this round repeats an earlier one and so
// will all others.
bool eval_watch(Machine *m, const Op *loop, LoopWatch *watch);
void eval_watch_end(Machine *m, LoopWatch *watch);
// Returns true if the op depends only on its operands and memory, except for the bytes it changes.
bool eval_is_function(const Op *op);

// Returns true for a while loop that only waits. It ends in every order of programs, and nothing shows how
// long it took.
bool eval_only_waits(const Op *op);

// Ops by kind of work. They return false with a reported error.
bool eval_plain(Machine *m, Op *op);       // All without regions: eval.c.
bool eval_elementwise(Machine *m, Op *op); // Arithmetic, comparisons, select, conversions: eval_ops.c.
bool eval_math(Machine *m, Op *op);        // Op `math`: eval_math.c.
bool eval_shape_op(Machine *m, Op *op);    // Moves elements: eval_shape.c.
// gather: reads `from`, of `source`'s shape, by index.
void eval_gather(const Op *op, const Type *source, const Tile *from, const Tile *index, Tile *to);
bool eval_sort(Machine *m, Op *op); // sort and histogram: eval_sort.c
// histogram: adds the counts to the bins; mask may be NULL.
void eval_count(const Tile *from, const Tile *mask, Tile *bins);
bool eval_dot(Machine *m, Op *op);      // eval_dot.c.
bool eval_access(Machine *m, Op *op);   // Addptr, load, store: eval_access.c.
bool eval_block_op(Machine *m, Op *op); // Block pointers: eval_block.c.
bool eval_atomic(Machine *m, Op *op);   // eval_atomic.c.
bool eval_debug(Machine *m, Op *op);    // Print and assert: eval_debug.c.
bool eval_combine(Machine *m, Op *op);  // Reduce, scan, map and their parts: eval_combine.c.
bool eval_run_map(Machine *m, Op *op);  // Map: eval_control.c.
bool eval_shared(Machine *m, Op *op);   // Shared memory, asynchronous copies: eval_shared.c.
// Invalidates the op's scratch buffer, if it has one. Returns false with an error if it is still being read.
bool eval_scratch(Machine *m, const Op *op);
// Reads the elements of a shared buffer in row-major order. `to` has the same number of elements.
void eval_shared_read(Machine *m, const Value *buffer, Tile *to);
void eval_shared_program(Machine *m); // the next program begins
void eval_shared_group(Machine *m,
                       uint32_t group); // The group whose copies and copy groups follow; 0 if there is only
                                        // one.
uint32_t eval_shared_by(const Machine *m); // The current group.
// For a buffer, by its number: the number of elements; makes elements `first` to `first + n` undefined;
// returns true if copies into these are in flight.
uint64_t eval_shared_elements(const Machine *m, uint32_t buffer);
void eval_shared_clear(Machine *m, uint32_t buffer, uint64_t first, uint64_t n);
bool eval_shared_copying(const Machine *m, uint32_t buffer, uint64_t first, uint64_t n);
// For an mbarrier, by its number: returns true if copies that count bytes there are in flight; completes
// them.
bool eval_shared_copying_to(const Machine *m, uint64_t mbarrier);
void eval_shared_land(Machine *m, uint64_t mbarrier);
// Such a copy into the buffer operand of the op, with its elements in row-major order. Returns false with an
// error.
bool eval_shared_copy(Machine *m, const Op *op, uint32_t operand, const Element *elements, uint64_t mbarrier);

// TMA stores, in eval_stores.c; also fence_async, which they need.
bool eval_stores(Machine *m, Op *op);
void eval_stores_begin(Machine *m);              // A launch.
void eval_stores_program(Machine *m);            // The next program begins.
void eval_stores_barrier(Machine *m);            // The threads of the running group synchronised.
bool eval_stores_end(Machine *m, const Op *end); // The program ended, with `end`.
// For elements `first` to `last` of a buffer: true if a store in flight reads any; records a write by
// threads.
bool eval_stores_read(const Machine *m, uint32_t buffer, uint64_t first, uint64_t last);
void eval_stores_written(Machine *m, uint32_t buffer, uint64_t first, uint64_t last);

// mbarriers and TMA copies, in eval_mbarrier.c.
bool eval_mbarrier(Machine *m, Op *op);
// Returns true if an mbarrier_wait must wait, and describes what its phase lacks.
bool eval_mbarrier_waits(const Machine *m, const Op *op, char *text, size_t room);
// The same for a CTA that takes it, which may take no more (take_program).
bool eval_take_program(Machine *m, uint32_t place[PROGRAM_AXES]);
void eval_mbarriers_program(Machine *m);               // the next program begins
void eval_mbarriers_gone(Machine *m, uint32_t buffer); // the buffer is reallocated
// Makes the operand's elements mbarriers. `again`: they may have been mbarriers before.
bool eval_mbarriers_begin(Machine *m, const Op *op, uint32_t operand, bool again);
// Waits for a ring's slot at the mbarrier in element `slot` of the operand.
bool eval_mbarrier_wait_slot(Machine *m, const Op *op, uint32_t operand, uint32_t slot, uint64_t parity);

// Rings and channels, in eval_rings.c. A ring's value: its number and end, then the end's counts.
enum { EVAL_RING_WORDS = 4 };
bool eval_ring_begin(Machine *m, Op *op); // or a channel's
bool eval_ring(Machine *m, Op *op);       // another op, which need not wait
// Returns true if the op accesses only allowed parts of slots.
bool eval_ring_access(Machine *m, const Op *op);
// Describes what the op would wait for at a channel: "a free slot"; NULL: nothing. Also describes the channel's counts.
const char *eval_channel_wait(const Machine *m, const Op *op);
void eval_channel_counts(const Machine *m, const Op *op, char *text, size_t room);
// The program ended, with `end`: checks that no copies are in flight, and that channels are empty.
bool eval_rings_end(Machine *m, const Op *end);
bool eval_groups(Machine *m, const Op *op); // warp_groups: eval_groups.c

// Asynchronous dots, in eval_dot_async.c.
void eval_dot_begun(Machine *m, const Op *dot, Tile *result);
void eval_dots_wait(Machine *m, uint64_t pending);
void eval_dots_program(Machine *m); // the next program begins
// Returns false with an error if the op reads a result in flight, or recomputes a tile that a dot in flight
// reads.
bool eval_dots_allow(Machine *m, const Op *op);
// Returns true if a dot in flight reads these elements of the buffer.
bool eval_dots_read(const Machine *m, uint32_t buffer, uint64_t first, uint64_t last);

// Returns true if dot `number` of those was waited for. 0: no dot.
bool eval_dots_done(const DotsUnderWay *dots, uint64_t number);
// Returns true if a dot has not been waited for.
bool eval_dots_in_flight(const Machine *m);

// Tensor memory, in eval_tmem.c.
bool eval_tmem(Machine *m, Op *op);
// Returns true if the operand is its accumulator's current state. Reports an error otherwise.
bool eval_tmem_current(Machine *m, const Op *op, uint32_t operand);
// Makes `state` the next state of accumulator `slot`.
void eval_tmem_change(Machine *m, Tile *state, uint32_t slot);
// The accumulator as other groups of warps left it, for the op that takes it.
bool eval_tmem_take(Machine *m, const Op *op, const Value *result, uint32_t slot);

// Combines two elements of one type; also for integers.
Element eval_binary(OpKind kind, ElemCode code, const Element *a, const Element *b);

// Floats, in eval_float.c. Each returns the op's result in `elem`, with its bound.
Element eval_float_binary(OpKind kind, Elem elem, const Element *a, const Element *b);
Element eval_float_negate(Elem elem, const Element *a);
Element eval_float_fma(Elem elem, const Element *a, const Element *b, const Element *c);
Element eval_float_cast(Elem from, const Element *a, Elem to); // float to float
Element eval_float_from_int(Elem from, const Element *a, Elem to);
Element eval_float_to_int(Elem from, const Element *a, Elem to);
// a OP b as i1; uncertain if the difference is below the bounds.
Element eval_float_compare(OpKind kind, Elem elem, const Element *a, const Element *b);
// `chosen` if the uncertain condition is true, else `other`. A float close to both gets a bound that covers
// both.
Element eval_float_either(const Element *chosen, const Element *other);

// Shared errors of elements, in eval_common.c.
bool eval_has_common(const Func *func); // a kernel with exponentials and maxima
Element eval_absorb(const Element *x);  // moves its shared errors into its own bound
Element eval_without_common(const Element *x);
bool eval_common_same(const Common *a, const Common *b);
double eval_common_growth(const Common *c); // The largest ratio by which a factor may enlarge a value.
double eval_common_size(const Common *c, double r); // The largest size of a value, shared errors included.
// The absolute error that one rounding may add beyond eval_rounding of r. It is in the units of r, before the
// shared factor.
double eval_common_rounding(const Common *c, Elem elem, double r);
// Computes times a + b_times b, for one kind. Returns false if there are more errors than fit.
bool eval_common_merge(const Common *a, double times, const Common *b, double b_times, Common *to);
bool eval_is_exact_zero(const Element *x);
// From now on, users of an element of the tile share the element's error.
void eval_common_begin(Machine *m, Tile *tile);
double eval_exponential_base(MathFunction f); // the logarithm of the base: ln 2 for exp2; 0: not an
                                              // exponential

// Terms of a sum in any order. Their bound is 2 sqrt(n) u sum|x| + sum e. Also bounds rounding after each
// addition: roundings of similar terms go in one direction and do not cancel.
typedef struct FloatSum {
  double v, r, e, size; // size: sum of |r|.
  double lost, chain;   // Dropped by r's own roundings; the sum with each addition rounded.
  double total;         // The sum of v, not rounded.
  double terms, step;   // All terms are multiples of step; 0: only zeros so far.
  unsigned state;
} FloatSum;
void eval_sum_add(FloatSum *sum, Elem elem, const Element *x); // v one term after another
Element eval_sum_end(const FloatSum *sum, Elem elem);
Element eval_float_sum(Elem elem, const Element *x, uint32_t n); // v as a balanced tree

// The result of arithmetic: `exact` is v before rounding, r its reference, e its bound, state the operands'.
// A function of math.def with directed rounding; x: its operands.
Element eval_directed(MathFunction f, Elem elem, const Element *x);
Element eval_computed(Elem elem, double exact, double r, double e, unsigned state);
double eval_rounding(Elem elem, double x, double ulps); // maximum error of one rounding to `elem` at x
// In bounds, 0 times infinity is 0.
double eval_bound_product(double x, double bound);

// A result may differ by up to EVAL_SLACK e, because e is a likely error, not the worst one. So an operand
// may too. Some operations are not linear in the operands' errors: two errors multiplied, a function, a jump,
// a comparison. They assume an operand error of EVAL_SLACK e, and return an e such that EVAL_SLACK e covers
// the result's error.
enum { EVAL_SLACK = 4 };
double eval_reach(const Element *x); // EVAL_SLACK e
bool eval_may_be_zero(const Element *x);

// Reports about accesses, in eval_report.c.
void eval_names_begin(Machine *m, const EvalArg *args); // a launch
// Marks buffers that the launch may store to (EvalBuffer.stored_to). Needs names and arguments.
void eval_mark_stored(Machine *m);
// The buffer at the address. If the access may miss it, the buffer that the op's pointer comes from. NULL:
// none.
const BufferName *eval_buffer_named(const Machine *m, const Op *op, uint64_t address, bool may_miss);
// Returns true if the op's pointer comes from an argument that points into another buffer. False for kernels
// that convert pointers to integers.
bool eval_strays(Machine *m, const Op *op, const EvalBuffer *buffer);
const char *eval_access_name(const Op *op); // "load"
DiagRun *eval_diag_run(Machine *m, Diag *diag, const char *kind, const BufferName *buffer, uint64_t address);

// One element's access, in eval_access.c: bounds, alignment, races. Returns false with a reported error.
typedef struct Access {
  const Op *op;
  uint32_t element;
  uint64_t address;
  ElemCode code;
  uint8_t doubt;    // The address's state if it is doubtful: other implementations may access other memory.
  const Wrap *wrap; // The overflow that changed the address; NULL: none.
} Access;

// The elements of a tensor that a TMA copy or store moves, in eval_mbarrier.c.
typedef struct TensorTile {
  const Op *op;
  const TensorMapValue *map;
  const Type *shape;         // of the buffer: one TMA tile, or several next to each other
  int64_t at[TILE_MAX_RANK]; // coordinates
  uint32_t rows;             // of a TMA tile; 0: the buffer's
} TensorTile;
// Takes the coordinates, from that operand on. Returns false with an error if they are wrong.
bool eval_tensor_tile(Machine *m, const Op *op, uint32_t coordinates, TensorTile *tile);
// The access to the tensor for element i of the buffer. Returns false if it is outside.
bool eval_tensor_access(const TensorTile *tile, uint32_t i, Access *access);
// Memory contents depend on something with this state. If it is doubtful, everything that the launch stores
// to is.
void eval_doubt_memory(Machine *m, uint8_t state);
EvalBuffer *eval_access_buffer(Machine *m, const Access *access);
// Reports the access and returns false: eval_report.c.
bool eval_out_of_bounds(Machine *m, const Access *access);
void eval_stray_note(Machine *m, const Access *access); // adds to the last report what is at that address
bool eval_misaligned(Machine *m, const Access *access);
void eval_unwritten(Machine *m, const Access *access); // an error: an atomic reads unwritten memory
bool eval_access_load(Machine *m, const Access *access, Element *x);
bool eval_access_store(Machine *m, const Access *access, const Element *x);
ElemCode eval_pointee(const Value *pointer);
// The mask's bit for element i, operand `index` of the op. An undefined bit is an error and clears *ok.
bool eval_mask(Machine *m, const Op *op, uint32_t index, uint32_t i, bool *ok);

// Wrapping offsets, in eval_wrap.c. If m->wraps is NULL, no tile has any.
void eval_wraps_begin(Machine *m);           // a launch
void eval_wraps_op(Machine *m, Op *op);      // after the op has run
void eval_wrapped_free(Machine *m, Tile *t); // it has none any more
void eval_wrapped_copy(Machine *m, Tile *to, const Tile *from);
static inline const Wrap *eval_wrap_of(const Tile *pointer, uint32_t i) {
  return pointer->wrapped ? pointer->wrapped[i].at : NULL;
}
const Wrap *eval_wrap_of_block(const Tile *pointer); // for a block pointer
// If requested, warns once per hint if the operand breaks its promise.
void eval_hint(Machine *m, const Op *op, const Tile *tile);
void eval_descriptor(Machine *m, const Op *op, const Tile *block);

// An access at a wrapped address takes place: warns once per operation.
void eval_wrap_warn(Machine *m, const Access *access);
void eval_wrap_note(Machine *m, const Access *access); // or it was an error: adds a note

// Ping-pong turns of warpgroups, in eval_turns.c: they must be waited for, passed on in order, and complete
// at the end.
bool eval_turn(Machine *m, Op *op);
bool eval_turns_end(Machine *m, const Op *end);

// Race detection, in eval_race.c. All functions do nothing if m->race is NULL.
void eval_race_begin(Machine *m);   // A launch.
void eval_race_program(Machine *m); // The next program begins.
void eval_race_again(Machine *m);   // The launch restarts, with the results of the first run.
// Returns true if the first run found reads that depend on the order of programs.
bool eval_race_ordered(const Machine *m);
void eval_race_end(Machine *m);
void eval_race_barrier(Machine *m);
void eval_race_op(Machine *m, const Op *op); // the accesses of this op follow
// Returns true if the value read, or the memory after the write, depends on the order of programs.
bool eval_race_read(Machine *m, const Access *access);
bool eval_race_write(Machine *m, const Access *access, bool same_value);
// Atomic accesses to the same place by other threads, unordered with this one.
typedef enum Contention {
  CONTENDED = 1,  // There are some, before or (if the first run saw it) after: the old value depends on the
                  // order.
  OTHER_LAST = 2, // Another thread made the last atomic access before this one.
  OTHER_KIND = 4, // And it was of another kind: the two do not commute.
  UNORDERED = 8,  // And other programs have plain accesses there.
} Contention;
unsigned eval_race_atomic(Machine *m, const Access *access, unsigned kind);
// An atomic that only reads. Returns CONTENDED and UNORDERED alone.
unsigned eval_race_atomic_load(Machine *m, const Access *access);
void eval_race_acquire(Machine *m, const Access *access); // a volatile load
void eval_race_old_used(Machine *m, const Op *op);        // the old value of a contended atomic is used

#endif
