// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Internal to eval/*.c: the state of a launch, and values as whole tiles.
#ifndef EVAL_EVAL_MACHINE_H
#define EVAL_EVAL_MACHINE_H

#include "ir/memory/buffer_name.h"
#include "eval/eval_memory.h"
#include "target/math.h"
#include "ir/memory/tensor_map.h"

// An integer, or a pointer made of it, that an operation of 32 bits or fewer made other than 64 bits would have.
typedef struct Wrap Wrap;           // eval_wrap.c
typedef struct WrapState WrapState;
typedef struct Wrapped {
  const Wrap *at; // the operation; NULL: the value is right
  uint64_t truth; // what it would be
} Wrapped;

// A value: n elements, a scalar being a tile of one. r and e only where the elements are floats.
// A block pointer is a tile of i64: base, sizes, strides, offsets, as make_block_ptr's operands.
// So is a shared buffer: which buffer, first element, strides; and a token: the number of its group.
typedef struct Tile {
  uint32_t n;
  ElemCode code;
  uint64_t *bits;
  double *r, *e;
  Common *common; // NULL: none of them shares an error
  uint8_t *state;
  void *block; // where the arrays are: eval_block
  uint64_t block_bytes;
  uint64_t dot; // the number of the asynchronous dot that gives it; 0: none does
  // Of a product that began at zero: what it is added to may become what it begins with (accumulate_dots), and
  // then takes part in as many roundings, in units of u. 0: of anything else.
  double sum_ulps;
  Wrapped *wrapped; // by element; NULL: none of them is
} Tile;

typedef struct Race Race;                 // eval_race.c
typedef struct AtomicSums AtomicSums;     // eval_atomic.c
typedef struct SharedState SharedState;   // eval_shared.c
typedef struct DotsUnderWay DotsUnderWay; // eval_dot_async.c
typedef struct RingState RingState;       // eval_rings.c
typedef struct MbarrierState MbarrierState; // eval_mbarrier.c
typedef struct StoreState StoreState;       // eval_stores.c
typedef struct ChannelState ChannelState; // eval_channels.c

typedef struct Machine {
  Func *func;
  Diags *diags;
  EvalMemory *memory; // of a host region: one without buffers
  Arena *arena;       // freed at the launch's end
  Tile *values;       // by Value.id; block NULL while not computed
  EvalOptions options;
  const EvalArg *args;     // the launch's
  const BufferName *names; // of the arguments' buffers
  uint32_t name_count;
  int32_t *op_params; // by Op.id: pointer_param + 2 of the op's pointer; 0: not asked for yet
  bool counts_addresses; // the kernel makes integers of pointers
  uint32_t grid[3], program[3];
  uint64_t steps;
  double deadline;        // of options.timeout, by the monotonic clock
  uint32_t depth;         // regions within regions
  const HostRegion *host; // that is evaluated; NULL: a launch
  bool failed;            // an error was reported after which the launch goes on
  Race *race;             // NULL: races are not looked for
  AtomicSums *sums;       // NULL: no float was added to atomically yet
  SharedState *shared;    // NULL: no buffer in shared memory yet
  DotsUnderWay *dots;     // NULL: no asynchronous dot yet
  RingState *rings;       // NULL: no ring yet
  ChannelState *channels; // NULL: no channel yet
  TensorMapValue *maps;   // of the hidden parameters, in their order; NULL: none are
  MbarrierState *mbarriers; // NULL: no mbarrier yet
  StoreState *stores;       // NULL: the kernel has no tensor stores
  uint8_t turns[16];        // by a barrier of the block: whose turn it is (eval_turns.c)
  WrapState *wraps;       // NULL: offsets that wrap are not looked for
  bool has_common;        // the kernel is one whose elements may share errors
  uint32_t common_errors; // so far
  bool *hints_told;       // by Op.id: does not hold, and that was said; NULL: none was looked at yet
  bool *told;             // by Op.id: a warning of the op was given; NULL: none was yet
  uint32_t hints;         // that were said not to hold
} Machine;

typedef enum RegionEnd {
  REGION_FAILED,   // an error was reported
  REGION_ENDED,    // the region ended, with the operands of its yield where it has one
  REGION_RETURNED, // the program ended
} RegionEnd;

enum { NO_ELEMENT = UINT32_MAX };

// Reports the user's mistake at `op`, with program and element (row-major; NO_ELEMENT: of a scalar) appended.
// Returns false, so that a failure can be passed on in one line.
bool eval_error(Machine *m, const Op *op, uint32_t element, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same, for what is to be added to it.
Diag *eval_diag(Machine *m, const Op *op, uint32_t element, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same for what a host region (m->host) cannot do: "access memory".
bool eval_on_host(Machine *m, const Op *op, const char *what);
// The same for an undefined operand: `what` names it ("the mask"),
// a note says where the element became undefined.
bool eval_undefined(Machine *m, const Op *op, const Value *operand, uint32_t element, const char *what);
void eval_print_value(Buf *out, ElemCode code, uint64_t bits); // an element's, as a decimal
// Whether no warning of the op was given yet, for which this was not asked before.
bool eval_first_time(Machine *m, const Op *op);
// Whether the operand's element has a value: with an error, as above, where it has none. One that only depends on what a masked
// load did not read (UNREAD) has one, after a warning that says so, one an op.
bool eval_defined(Machine *m, const Op *op, uint32_t operand, uint32_t element, const char *what);
// The same for an element that was read from the shared buffer which the operand is.
bool eval_state_defined(Machine *m, const Op *op, uint32_t operand, uint32_t element, uint8_t state, const char *what);
// "in program (0, 0, 0), element 3": `text` has room for EVAL_PLACE bytes.
enum { EVAL_PLACE = 160 };
void eval_place(const Machine *m, const Op *op, uint32_t element, char *text);
void eval_place_element(const Type *type, uint32_t element, char *text, size_t room); // ", element 3"
// The type whose shape the op's elements have, a store's being its pointer's; NULL: none.
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

// An operand's tile, computed before; NULL where the op has no such operand.
const Tile *eval_operand(const Machine *m, const Op *op, uint32_t index);
// Room for the tile's n elements of its code; eval_block_free gives the block back.
void eval_tile_alloc(Machine *m, Tile *tile);
// The tile of a value, with room for its elements.
Tile *eval_tile(Machine *m, const Value *value);
void eval_copy(Machine *m, Tile *to, const Tile *from); // of one number of elements and one type
void eval_fill(Tile *tile, const Element *x);
// An element without error, from bits that need not be canonical: r = v.
Element eval_exact(ElemCode code, uint64_t bits);
void eval_set_int(Machine *m, const Value *value, uint64_t bits); // in every element
ElemCode eval_code(const Type *element);                          // of a scalar or pointer type

// Control flow, in eval_control.c. *end: the region's last op that ran.
RegionEnd eval_region(Machine *m, const Region *region, const Op **end);
RegionEnd eval_op(Machine *m, Op *op);
void eval_limit_begin(Machine *m); // the time limit's seconds begin
bool eval_step(Machine *m,
               const Op *op); // an op is about to run: false with an error where a limit is reached
// The parts of control flow, for those who run regions op by op. The operand that it hangs on, where other ways
// through the kernel would leave other memory; what a region yielded becomes the op's results; the arguments of a
// region, operands of `from` from `first` on.
bool eval_flow_operand(Machine *m, const Op *op, uint32_t index, const char *what, uint64_t *bits);
void eval_take_yielded(Machine *m, const Op *op, const Op *end);
void eval_take_args(Machine *m, const Region *region, const Op *from, uint32_t first);
typedef struct ForRounds {
  uint64_t i, upper, step;
  bool down;
} ForRounds;
// The loop's results hold what it carries. *more: there is a round.
bool eval_for_begin(Machine *m, const Op *op, ForRounds *rounds, bool *more);
void eval_for_round(Machine *m, const Op *op, const ForRounds *rounds); // the body's arguments
bool eval_for_advance(ForRounds *rounds);                               // false: that was the last
// The tensor map that a value of type tensor_map is.
const TensorMapValue *eval_map(const Machine *m, const Value *map);
// The scalar operand that control flow depends on; false with an error where it is undefined. *doubt: its state, where
// that is_doubtful.
bool eval_control_operand(Machine *m, const Op *op, uint32_t index, const char *what, uint64_t *bits,
                          uint8_t *doubt);

// A while loop that goes round for ever, in eval_watch.c.
typedef struct LoopWatch {
  uint64_t rounds, next; // so far; when the state is kept anew
  uint8_t *kept;         // what the loop carried then; NULL: nothing yet
  uint64_t bytes, changes;
} LoopWatch;
// A round begins. False, with an error reported: it and all to come do what an earlier one did.
bool eval_watch(Machine *m, const Op *loop, LoopWatch *watch);
void eval_watch_end(Machine *m, LoopWatch *watch);
// Whether all that the op does is a function of its operands and memory, but for bytes that it changes.
bool eval_is_function(const Op *op);

// A while loop that only waits: it ends in every order
// of programs, with nothing to show for how long it took.
bool eval_only_waits(const Op *op);

// Ops by kind of work. False with an error reported.
bool eval_plain(Machine *m, Op *op);       // all without regions: eval.c
bool eval_elementwise(Machine *m, Op *op); // arithmetic, comparisons, select, conversions: eval_ops.c
bool eval_math(Machine *m, Op *op);        // op `math`: eval_math.c
bool eval_shape_op(Machine *m, Op *op);    // elements change places: eval_shape.c
// gather: `from`, of `source`'s shape, by index.
void eval_gather(const Op *op, const Type *source, const Tile *from, const Tile *index, Tile *to);
bool eval_sort(Machine *m, Op *op); // sort and histogram: eval_sort.c
// histogram: adds to the bins what is counted; mask may be NULL.
void eval_count(const Tile *from, const Tile *mask, Tile *bins);
bool eval_dot(Machine *m, Op *op);      // eval_dot.c
bool eval_access(Machine *m, Op *op);   // addptr, load, store: eval_access.c
bool eval_block_op(Machine *m, Op *op); // block pointers: eval_block.c
bool eval_atomic(Machine *m, Op *op);   // eval_atomic.c
bool eval_debug(Machine *m, Op *op);    // print and assert: eval_debug.c
bool eval_combine(Machine *m, Op *op);  // reduce, scan, map and their parts: eval_combine.c
bool eval_run_map(Machine *m, Op *op);  // map: eval_control.c
bool eval_shared(Machine *m, Op *op);   // shared memory, asynchronous copies: eval_shared.c
// The op's scratch buffer, where it has one, has no value any more.
// False with an error where it is still read.
bool eval_scratch(Machine *m, const Op *op);
// The elements of the buffer that a value of shared type stands for, in row-major order: to, of as many.
void eval_shared_read(Machine *m, const Value *buffer, Tile *to);
void eval_shared_program(Machine *m); // the next program begins
void eval_shared_group(Machine *m,
                       uint32_t group); // whose copies and groups of them follow; 0 where there is one
uint32_t eval_shared_by(const Machine *m); // that group
// Of a buffer, by its number: how many elements it has; elements `first` to `first + n` are undefined from now
// on; whether copies into these are under way.
uint64_t eval_shared_elements(const Machine *m, uint32_t buffer);
void eval_shared_clear(Machine *m, uint32_t buffer, uint64_t first, uint64_t n);
bool eval_shared_copying(const Machine *m, uint32_t buffer, uint64_t first, uint64_t n);
// Whether copies that count their bytes at an mbarrier, by its number, are under way; what they bring is there.
bool eval_shared_copying_to(const Machine *m, uint64_t mbarrier);
void eval_shared_land(Machine *m, uint64_t mbarrier);
// Such a copy into the buffer that is an operand of the op: its elements in row-major order. False with an error.
bool eval_shared_copy(Machine *m, const Op *op, uint32_t operand, const Element *elements, uint64_t mbarrier);

// Tensor stores, in eval_stores.c; also fence_async, which they need.
bool eval_stores(Machine *m, Op *op);
void eval_stores_begin(Machine *m);   // a launch
void eval_stores_program(Machine *m); // the next program begins
void eval_stores_barrier(Machine *m); // the threads of the group that runs have met
bool eval_stores_end(Machine *m, const Op *end); // the program has ended, with `end`
// Of elements `first` to `last` of a buffer: whether a store under way reads any; threads have written them.
bool eval_stores_read(const Machine *m, uint32_t buffer, uint64_t first, uint64_t last);
void eval_stores_written(Machine *m, uint32_t buffer, uint64_t first, uint64_t last);

// mbarriers and tensor copies, in eval_mbarrier.c.
bool eval_mbarrier(Machine *m, Op *op);
// Whether an mbarrier_wait would have to wait, and what its phases lack then.
bool eval_mbarrier_waits(const Machine *m, const Op *op, char *text, size_t room);
void eval_mbarriers_program(Machine *m);               // the next program begins
void eval_mbarriers_gone(Machine *m, uint32_t buffer); // the buffer is made anew
// What operand has are mbarriers from now on; `again`: they may have been such before.
bool eval_mbarriers_begin(Machine *m, const Op *op, uint32_t operand, bool again);
// The wait of a ring for a slot, element `slot` of the operand.
bool eval_mbarrier_wait_slot(Machine *m, const Op *op, uint32_t operand, uint32_t slot, uint64_t parity);

// Rings, in eval_rings.c. A ring value: which ring, then how many slots were filled, waited for and released.
enum { EVAL_RING_WORDS = 4 };
bool eval_ring(Machine *m, Op *op);
// Whether the op reads and writes only what it may of slots.
bool eval_ring_access(Machine *m, const Op *op);
// The program has ended, with `end`: no copies are under way into slots.
bool eval_rings_end(Machine *m, const Op *end);
// The view of a slot of `buffers` becomes the value's; returns the buffer's number.
uint32_t eval_slot_view(Machine *m, const Tile *buffers, uint32_t slot, const Value *view);
// The buffers that a ring's or channel's slots are in, by the evaluator's numbers.
typedef struct SlotBuffers {
  VEC(uint32_t) all;
} SlotBuffers;
bool eval_has_buffer(const SlotBuffers *buffers, uint32_t buffer);
// The op's results are the slot in each of its buffers, which join the others.
void eval_give_views(Machine *m, const Op *op, SlotBuffers *buffers, uint32_t slot);
// Whether no asynchronous dot may still read the slot, one of `slots`; else after an error.
bool eval_slot_was_read(Machine *m, const Op *op, const SlotBuffers *buffers, uint32_t slot, uint32_t slots);
// Waits at the slot's mbarrier, the op's last operand, for turn `turn` of the ring; its first fill is its first phase.
bool eval_wait_turn(Machine *m, const Op *op, uint64_t turn, uint32_t slots);

// Channels, in eval_channels.c. Their rings' first word has this bit.
static const uint64_t EVAL_CHANNEL_RING = (uint64_t)1 << 32;
bool eval_channel_begin(Machine *m, Op *op);
bool eval_is_channel(const Machine *m, const Op *op); // an op on a channel's ring
bool eval_channel(Machine *m, Op *op);                // that need not wait
// What the op would wait for: "a free slot"; NULL: nothing. And what its channel has.
const char *eval_channel_wait(const Machine *m, const Op *op);
void eval_channel_counts(const Machine *m, const Op *op, char *text, size_t room);
// Whether the buffer's slot that the view is may be read or written, where it is a channel's.
bool eval_channel_access(Machine *m, const Op *op, uint32_t buffer, const Value *view, bool writes);
bool eval_channels_end(Machine *m, const Op *end); // the program has ended, with `end`
bool eval_groups(Machine *m, const Op *op);        // warp_groups: eval_groups.c

// Asynchronous dots, in eval_dot_async.c.
void eval_dot_begun(Machine *m, const Op *dot, Tile *result);
void eval_dots_wait(Machine *m, uint64_t pending);
void eval_dots_program(Machine *m); // the next program begins
// False with an error where the op reads what a dot under way gives, or computes anew what one reads.
bool eval_dots_allow(Machine *m, const Op *op);
// Whether a dot under way reads those elements of the buffer.
bool eval_dots_read(const Machine *m, uint32_t buffer, uint64_t first, uint64_t last);

// Two elements of one type; integers too.
Element eval_binary(OpKind kind, ElemCode code, const Element *a, const Element *b);

// Floats, in eval_float.c. Each gives the op's result in `elem`, with its bound.
Element eval_float_binary(OpKind kind, Elem elem, const Element *a, const Element *b);
Element eval_float_negate(Elem elem, const Element *a);
Element eval_float_fma(Elem elem, const Element *a, const Element *b, const Element *c);
Element eval_float_cast(Elem from, const Element *a, Elem to); // float to float
Element eval_float_from_int(Elem from, const Element *a, Elem to);
Element eval_float_to_int(Elem from, const Element *a, Elem to);
// a OP b as i1; uncertain where closer than the bounds.
Element eval_float_compare(OpKind kind, Elem elem, const Element *a, const Element *b);
bool eval_holds(OpKind kind, int order); // order: -1 less, 0 equal, 1 greater, 2 unordered
// a where the condition, which is uncertain, held, else b:
// a float that is near both has a bound that covers both.
Element eval_float_either(const Element *chosen, const Element *other);

// Errors that elements have in common, in eval_common.c.
bool eval_has_common(const Func *func); // a kernel of exponentials and maxima
Element eval_absorb(const Element *x);  // the same with a bound of its own for what it has in common with others
Element eval_without_common(const Element *x);
bool eval_common_same(const Common *a, const Common *b);
double eval_common_growth(const Common *c);        // how much larger a factor may make a value
double eval_common_size(const Common *c, double r); // how large a value may be, with what it has in common
// What one rounding may add more than eval_rounding says of r, in the frame of r.
double eval_common_rounding(const Common *c, Elem elem, double r);
// times a + b_times b, of one kind. False where it has more errors than there is room for.
bool eval_common_merge(const Common *a, double times, const Common *b, double b_times, Common *to);
bool eval_is_exact_zero(const Element *x);
// From now on what uses an element of the tile has the element's error in common.
void eval_common_begin(Machine *m, Tile *tile);
double eval_exponential_base(MathFunction f); // the logarithm of exp's base: ln 2 for exp2; 0: no exponential

// Terms of a sum in any order: 2 sqrt(n) u sum|x| + sum e, and what it would be off by if each addition were
// rounded, one after the other: roundings of terms that are alike go one way and do not make up for one another.
typedef struct FloatSum {
  double v, r, e, size; // size: sum of |r|
  double lost, chain;   // what r's own roundings have dropped; the sum with each addition rounded
  double total;         // of v, not rounded
  double terms, step;   // all terms are multiples of step; 0: there are none but zeros yet
  unsigned state;
} FloatSum;
void eval_sum_add(FloatSum *sum, Elem elem, const Element *x); // v one after the other
Element eval_sum_end(const FloatSum *sum, Elem elem);
Element eval_float_sum(Elem elem, const Element *x, uint32_t n); // v as a balanced tree

// The result of arithmetic: `exact` is v before rounding, r its reference, e its bound, state the operands'.
// Of a function of math.def that rounds in a direction; x: its operands.
Element eval_directed(MathFunction f, Elem elem, const Element *x);
Element eval_computed(Elem elem, double exact, double r, double e, unsigned state);
double eval_rounding(Elem elem, double x, double ulps); // what one rounding to `elem` may add at x
// In bounds, 0 times infinity is 0.
double eval_bound_product(double x, double bound);

// A result passes that is off by up to EVAL_SLACK e (e being what is likely rather than the worst), so that an operand may
// be too: what is not linear in its operands - a product of two errors, a function, a jump, a comparison - takes them
// as that far off, and gives an e of which EVAL_SLACK covers what becomes of them.
enum { EVAL_SLACK = 4 };
double eval_reach(const Element *x); // EVAL_SLACK e
bool eval_may_be_zero(const Element *x);

// Reports of accesses, in eval_report.c.
void eval_names_begin(Machine *m, const EvalArg *args); // a launch
// Notes which buffers the launch may store to (EvalBuffer.stored_to), once it has names and arguments.
void eval_mark_stored(Machine *m);
// The buffer at the address; where the access may miss it, the one that the op's pointer was made of. NULL: none.
const BufferName *eval_buffer_named(const Machine *m, const Op *op, uint64_t address, bool may_miss);
// Whether the op's pointer was made of an argument that points into another buffer than this. Nothing is said of
// kernels that make integers of pointers.
bool eval_strays(Machine *m, const Op *op, const EvalBuffer *buffer);
const char *eval_access_name(const Op *op); // "load"
void eval_diag_run(Machine *m, Diag *diag, const char *kind, const BufferName *buffer, uint64_t address);

// One element's access, in eval_access.c: bounds, alignment, races. False with an error reported.
typedef struct Access {
  const Op *op;
  uint32_t element;
  uint64_t address;
  ElemCode code;
  uint8_t doubt; // the address's state, where that is doubtful: other implementations may access other memory
  const Wrap *wrap; // what made the address other than it was meant; NULL: nothing
} Access;
// What may be in memory depends on something of this state: where that is doubtful all that the launch stores to is.
void eval_doubt_memory(Machine *m, uint8_t state);
EvalBuffer *eval_access_buffer(Machine *m, const Access *access);
// False, having reported the access: eval_report.c.
bool eval_out_of_bounds(Machine *m, const Access *access);
void eval_stray_note(Machine *m, const Access *access); // adds to the last report what lies there
bool eval_misaligned(Machine *m, const Access *access);
void eval_unwritten(Machine *m, const Access *access); // an error: an atomic finds what nobody wrote
bool eval_access_load(Machine *m, const Access *access, Element *x);
bool eval_access_store(Machine *m, const Access *access, const Element *x);
ElemCode eval_pointee(const Value *pointer);
// The mask's bit for element i, operand `index` of the op; an undefined one is an error: false in *ok.
bool eval_mask(Machine *m, const Op *op, uint32_t index, uint32_t i, bool *ok);

// Offsets that wrap, in eval_wrap.c; where m->wraps is NULL no tile has any.
void eval_wraps_begin(Machine *m);          // a launch
void eval_wraps_op(Machine *m, Op *op);     // it has run
void eval_wrapped_free(Machine *m, Tile *t); // it has none any more
void eval_wrapped_copy(Machine *m, Tile *to, const Tile *from);
static inline const Wrap *eval_wrap_of(const Tile *pointer, uint32_t i) {
  return pointer->wrapped ? pointer->wrapped[i].at : NULL;
}
const Wrap *eval_wrap_of_block(const Tile *pointer); // of a block pointer
// Where it is asked for, warns of a hint's promise that its operand does not keep, once a hint.
void eval_hint(Machine *m, const Op *op, const Tile *tile);
void eval_descriptor(Machine *m, const Op *op, const Tile *block);

// An access at an address that has wrapped takes place: a warning, one an operation.
void eval_wrap_warn(Machine *m, const Access *access);
void eval_wrap_note(Machine *m, const Access *access); // or was an error: a note to it

// Turns of warpgroups, in eval_turns.c: that they are waited for and passed on one after the other, and over at the end.
bool eval_turn(Machine *m, Op *op);
bool eval_turns_end(Machine *m, const Op *end);

// Races, in eval_race.c. All do nothing where m->race is NULL.
void eval_race_begin(Machine *m);   // a launch
void eval_race_program(Machine *m); // the next program begins
void eval_race_again(Machine *m);   // the launch begins once more, knowing what the first run found
// Whether the first run found reads that hang on the order of programs.
bool eval_race_ordered(const Machine *m);
void eval_race_end(Machine *m);
void eval_race_barrier(Machine *m);
void eval_race_op(Machine *m, const Op *op); // the accesses of this op follow
// Whether the value read, or what is in memory after the write, hangs on the order of programs.
bool eval_race_read(Machine *m, const Access *access);
bool eval_race_write(Machine *m, const Access *access, bool same_value);
// What other threads, unordered with this one, did atomically to the same place.
typedef enum Contention {
  CONTENDED = 1,  // some did, before or (where the first run saw it) after: the old value hangs on the order
  OTHER_LAST = 2, // the last atomic access before this one was another's
  OTHER_KIND = 4, // and of another kind: the two do not commute
  UNORDERED = 8,  // and there are plain accesses by other programs
} Contention;
unsigned eval_race_atomic(Machine *m, const Access *access, unsigned kind);
void eval_race_acquire(Machine *m, const Access *access); // a volatile load
void eval_race_old_used(Machine *m, const Op *op);        // the old value of a contended atomic is used

#endif
