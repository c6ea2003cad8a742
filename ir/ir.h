// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile IR: SSA over scalars, pointers and tiles, with structured
// control flow. docs/tir.md describes the ops and the text form.
//
// The module's arena owns everything, at stable addresses. Lists are intrusive. Nothing is ordered by
// address. func_number assigns dense ids for printing and side tables.
#ifndef IR_IR_H
#define IR_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/vec.h"
#include "ir/spec.h"
#include "ir/type.h"
#include "target/math.h"

typedef enum OpKind {
#define X(name, ...) OP_##name,
#include "ir/ops.def"
#undef X
  OP_COUNT
} OpKind;

// Traits: see ops.def.
enum {
  PURE = 1 << 0,
  READS = 1 << 1,
  WRITES = 1 << 2,
  ELEMENTWISE = 1 << 3,
  COMPARE = 1 << 4,
  SAME = 1 << 5,
  COMMUTES = 1 << 6,
  TERMINATOR = 1 << 7,
  CONTROL = 1 << 8,
  FLOW = 1 << 9,
  VIEW = 1 << 10,
  SPREADS = 1 << 11,
  LEAF = 1 << 12,
  GLOBAL = 1 << 13,
  ATOMIC = 1 << 14,
  SHARED = 1 << 15,
  ASYNC = 1 << 16,
  SYNC = 1 << 17,
  RING = 1 << 18,
  COMBINES = 1 << 19,
  MOVES = 1 << 20,
  ARITHMETIC = 1 << 21,
  ASSOCIATES = 1 << 22,
  SLOW = 1 << 23,
  SINGLE = 1 << 24,
  CHOOSES = 1 << 25,
  CONVERTS = 1 << 26,
  PIECES = 1 << 27,
  OUTSIDE = 1 << 28,
  GROUPED = 1 << 29,
  SETUP = 1 << 30,
};

typedef struct OpInfo {
  const char *name, *operands, *types, *attrs, *sync, *meaning;
  int8_t results; // -1: the number that its regions yield
} OpInfo;

const OpInfo *op_info(OpKind kind);
extern const uint32_t op_traits[OP_COUNT];
bool op_parse_kind(Str name, OpKind *kind);
uint32_t op_min_operands(OpKind kind);
uint32_t op_max_operands(OpKind kind); // UINT32_MAX: any number
// The next of `*words`, which are separated by spaces (OpInfo.operands, .attrs). Returns false at the end.
bool words_next(const char **words, Str *word);

typedef enum AttrKey {
#define X(name, ...) ATTR_##name,
#include "ir/attrs.def"
#undef X
  ATTR_COUNT
} AttrKey;

typedef enum AttrKind {
  ATTR_KIND_INT,
  ATTR_KIND_FLOAT,
  ATTR_KIND_STR,
  ATTR_KIND_FLAG,
  ATTR_KIND_INTS,
  ATTR_KIND_LAYOUT,
  ATTR_KIND_ENUM
} AttrKind;

typedef struct AttrInfo {
  const char *name;
  AttrKind kind;
  const char *meaning;
} AttrInfo;

const AttrInfo *attr_info(AttrKey key);
bool attr_parse_key(Str name, AttrKey *key);

typedef struct AttrWords {
  const char *const *at;
  uint32_t n;
} AttrWords;
AttrWords attr_words(AttrKey key); // for kind ENUM: its allowed words, by number

typedef enum AttrUse { ATTR_UNKNOWN, ATTR_OPTIONAL, ATTR_REQUIRED } AttrUse;
AttrUse op_attr_use(OpKind kind, AttrKey key); // as in ops.def

typedef struct Attr {
  AttrKey key;
  union {
    int64_t i;       // INT; ENUM: the word's number
    double f;        // FLOAT
    const char *str; // STR, interned
    struct {
      const int64_t *at;
      uint32_t n;
    } ints;               // INTS
    const Layout *layout; // LAYOUT
  };
} Attr;

typedef struct Op Op;
typedef struct Region Region;
typedef struct Value Value;

// One operand: an entry in the use list of its value.
typedef struct Use {
  Value *value;
  Op *user;
  struct Use *prev, *next; // the value's other uses, in order of creation
} Use;

// An op's result, or a region's argument.
struct Value {
  const Type *type;
  Op *def;          // NULL for a region's argument
  Region *region;   // for an argument; NULL for a result
  uint32_t index;   // among the op's results or the region's arguments
  uint32_t id;      // dense within the function: func_number
  const char *name; // a hint for printing, interned; NULL: none
  Use *first_use, *last_use;
};

struct Op {
  OpKind kind;
  Loc loc;
  Region *region; // NULL before insertion
  Op *prev, *next;
  uint32_t operand_count, result_count, region_count;
  Use *operands;
  Value *results;
  Region **regions; // one region each: control flow is structured
  VEC(Attr) attrs;  // sorted by key
  uint32_t id;      // dense within the function: func_number
};

struct Region {
  Op *parent; // NULL: a function's body
  struct Func *func;
  Value **args;
  uint32_t arg_count;
  Op *first, *last;
};

// Parameters that the runtime fills, not the caller. They come after the others.
typedef enum HiddenKind {
  HIDDEN_NONE,
  HIDDEN_TENSOR_MAP, // A tensor map, made from other arguments by the host region of its name.
  HIDDEN_SCRATCH,    // A pointer to memory private to the launch.
  HIDDEN_PROGRAMS,   // The launch's programs along a dimension, i32; a persistent kernel has three of these.
  HIDDEN_COUNT
} HiddenKind;

const char *hidden_name(HiddenKind kind); // "tensor_map"; NULL for HIDDEN_NONE

typedef struct FuncParam {
  const char *name; // interned
  const Type *type; // scalar or pointer, bytes by value or a tensor map; *i8 for a parameter given as None
  ParamFacts facts;
  HiddenKind hidden;
  Loc loc;
} FuncParam;

// host_regions.def
typedef enum HostKind {
#define X(name, ...) HOST_##name,
#include "ir/host_regions.def"
#undef X
  HOST_COUNT
} HostKind;

enum { HOST_VALUES = 2 * TENSOR_MAP_MAX_RANK }; // maximum values that a region yields

typedef struct HostInfo {
  const char *name, *value; // "grid", "size"
  uint32_t least, most;
  Elem elem;
} HostInfo;

const HostInfo *host_info(HostKind kind);

// A region that the host runs before a launch. Its arguments are the kernel's visible parameters. It yields
// values of host_info(kind)->elem; a map yields a pointer before them.
typedef struct HostRegion {
  HostKind kind;
  const char *name; // interned; NULL: the kind's unnamed region, which the runtime requests
  Region *region;
  const char *text[HOST_VALUES]; // a grid's yielded expressions, as written; NULL after the last
} HostRegion;

// plan.def: decisions about a kernel as a whole.
typedef enum PlanFlag {
#define X(name, ...) PLAN_##name,
#include "ir/plan.def"
#undef X
  PLAN_FLAGS
} PlanFlag;

extern const char *const plan_names[PLAN_FLAGS + 1]; // "tma_loads"; NULL ends them

// A kernel; all calls are inlined. The body's arguments are the parameters in order, including those with
// known values, so that all specialisations share one ABI. The body ends with `return`.
typedef struct Func {
  const char *name;
  Loc loc;
  struct IrModule *module;
  FuncParam *params;
  uint32_t param_count;
  Region *body;
  VEC(HostRegion *) host; // At most one per kind and name.
  uint32_t plan;          // Bits by PlanFlag, for later passes; they clear them.
  uint32_t min_blocks;    // Minimum CTAs per multiprocessor, for ptxas' register allocation; 0: not given.
  Constexpr *constexprs;  // Specialised values, in source order: for --emit=meta.
  uint32_t constexpr_count;
  // The source's run-time parameters, each made of some `params`, in order. NULL: each is one, for a .tir
  // file.
  ParamSpec *arguments;
  uint32_t argument_count;
  uint32_t value_count, op_count; // As of func_number.
} Func;

typedef struct IrModule {
  IrContext *ir;
  Target target;
  bool launched, // `libtilec` launches its kernels, and fills hidden parameters. Not part of the text form.
      final;     // All passes have run: the compiled code depends only on this text and the level of LLVM's
                 // passes.
  VEC(Func *) funcs;
} IrModule;

// Shared by all modules of one compilation: memory, names, types, layouts, sources.
struct IrContext {
  Arena *arena; // set before first use, like the next two
  Sources *sources;
  Diags *diags;
  Interner names;       // names.arena == arena
  Table types, layouts; // owned by type.c and layout.c
};

// arena, sources and diags must outlive the context.
void ir_context_init(IrContext *ir, Arena *arena, Sources *sources, Diags *diags);
const char *ir_name(IrContext *ir, Str text); // interned

// Building: ir/build.h. Text: ir/text/print.h, ir/text/parse.h. Rules: ir/verify/verify.h. Meaning: eval/eval.h.

// Why a grid of this size cannot run as a persistent kernel: program numbers have 32 bits. NULL: it can.
const char *programs_fault(const int64_t grid[3]);
// Returns true if the flag is planned.
static inline bool func_plans(const Func *func, PlanFlag flag) { return func->plan >> flag & 1; }
static inline void func_set_plan(Func *func, PlanFlag flag, bool planned) {
  func->plan = (func->plan & ~(1u << flag)) | (uint32_t)planned << flag;
}
// Returns true if kernels may have tensor maps.
bool module_takes_maps(const IrModule *module);
IrModule *module_new(IrContext *ir, const Target *target);
// Appends a function with its body (one argument per parameter, no ops yet).
Func *func_new(IrModule *module, const char *name, Loc loc, const FuncParam *params, uint32_t param_count);
// The number of parameters that a caller gives: the leading ones, not hidden.
uint32_t func_visible_params(const Func *func);
// Adds a host region with the visible parameters as arguments. The function must have none of this kind and
// name (interned; NULL: none).
HostRegion *func_new_host(Func *func, HostKind kind, const char *name);
void func_drop_host(Func *func, const HostRegion *host); // removes it from the function
// Adds a tensor map that is made before a launch: a hidden parameter of type tensor_map, after all others.
// Its name (interned) must be new. Also adds the empty host region *host that must yield it. Returns the
// body's argument.
Value *func_new_map(Func *func, const char *name, const Type *type, HostRegion **host);
HostRegion *func_host(const Func *func, HostKind kind, const char *name); // NULL: there is none
// Returns true if the kernel has a guard that uses the launch's grid but no arguments, or that asks for an even grid
// (pairs of CTAs).
bool func_asks_programs(const Func *func);
// A persistent kernel has three hidden parameters with the launch's numbers of programs, and runs the
// programs in fewer CTAs. Then `program_id` and num_programs along dimension 0 are the CTA's. Returns the index
// of the first one; param_count: the kernel is not persistent.
enum { PROGRAM_AXES = 3 };
uint32_t func_programs_param(const Func *func);
static inline bool func_is_persistent(const Func *func) {
  return func_programs_param(func) < func->param_count;
}
// Makes the kernel persistent: the new arguments come after the others. It must have no tensor maps yet.
void func_add_programs(Func *func, Value *programs[PROGRAM_AXES]);
// The warps of a CTA that run a region: `count`, from warp `first` on. The region numbers its threads from 0.
// Its tiles' layouts have log2(count) warp bits, rounded up. If count is no power of two, the missing warps
// have only padding (unpadded_warps).
typedef struct RegionWarps {
  uint32_t first, count;
} RegionWarps;
RegionWarps region_warps_of(const Region *region);
uint32_t region_warp_bits_of(const Region *region); // the layouts'
// For the op's region: the number of warps, the warp bits of its layouts, and the number of threads.
uint32_t region_warps(const Op *op);
uint32_t region_warp_bits(const Op *op);
uint32_t region_threads(const Op *op);
// The warps of a whole CTA, over all regions that run concurrently.
uint32_t func_warps(const Func *func);
static inline const Region *value_region(const Value *value) { // the region that defines it
  return value->def ? value->def->region : value->region;
}
static inline bool op_is_loop(const Op *op) { return op->kind == OP_FOR || op->kind == OP_WHILE; }
// Returns true if the value is defined in the op's regions, nested ones included.
static inline bool value_is_within(const Value *value, const Op *op) {
  for (const Op *around = value_region(value)->parent; around; around = around->region->parent)
    if (around == op) return true;
  return false;
}
// Returns true if the region contains the op, nested regions included.
static inline bool region_holds(const Region *region, const Op *op) {
  const Region *at = op->region;
  while (at && at != region) at = at->parent ? at->parent->region : NULL;
  return at != NULL;
}
// Gives every value and op of the function its dense id, in program order: first the body's (starting with
// the parameters), then the host regions'.
void func_number(Func *func);

bool op_same_attrs(const Op *a, const Op *b);
const Attr *op_attr(const Op *op, AttrKey key); // NULL: absent
// The function of an op of kind `math`. Returns false if its attribute is missing or unknown.
bool math_of(const Op *op, MathFunction *function);
// `polynomial` counts of so many registers. math_has_polynomial: register r of the op is one of them. Pairs are.
enum { POLYNOMIAL_GROUP = 32 };
bool math_has_polynomial(const Op *op, uint32_t r);
int64_t op_int(const Op *op, AttrKey key, int64_t otherwise);
void op_set_attr(Op *op, Attr attr); // adds or replaces; the op must be inserted
static inline void op_set_int(Op *op, AttrKey key, int64_t number) {
  op_set_attr(op, (Attr){.key = key, .i = number});
}
void op_remove_attr(Op *op, AttrKey key);
static inline bool op_has(const Op *op, uint32_t traits) { return (op_traits[op->kind] & traits) == traits; }
static inline bool op_has_any(const Op *op, uint32_t traits) { return op_traits[op->kind] & traits; }
static inline Value *op_operand(const Op *op, uint32_t i) {
  return i < op->operand_count ? op->operands[i].value : NULL;
}
static inline Value *op_result(const Op *op) { return op->result_count ? &op->results[0] : NULL; }
// For a print: the unpadded size of each dimension of the operand; NULL: all.
const int64_t *op_printed_sizes(const Op *op, uint32_t operand);
// The op's scratch buffer in shared memory, its last operand (ops.def). NULL: none.
Value *op_scratch(const Op *op);
bool op_takes_scratch(OpKind kind); // Returns true if it may have one.
// The number of operands without the scratch buffer.
static inline uint32_t op_input_count(const Op *op) { return op->operand_count - (op_scratch(op) != NULL); }
// Operand i, not counting the scratch buffer. NULL: the op has no such operand.
static inline Value *op_input(const Op *op, uint32_t i) {
  return i < op_input_count(op) ? op->operands[i].value : NULL;
}
// Parts of a for loop: the bounds, and for loop-carried value i: the initial value, the body's argument, the
// yielded value, the result. The yielded value requires that the body ends with its yield.
static inline Value *loop_lower(const Op *loop) { return op_operand(loop, 0); }
static inline Value *loop_upper(const Op *loop) { return op_operand(loop, 1); }
static inline Value *loop_step(const Op *loop) { return op_operand(loop, 2); }
enum { LOOP_FIRST_INIT = 3 }; // operand index
// A loop may keep a sum of fp32, bf16 or fp64 scaled by 2^-LOOP_SUM_BITS (accumulate). An addition may
// then differ by half a denormal's spacing times 2^LOOP_SUM_BITS. The evaluator's bounds allow it.
enum { LOOP_SUM_BITS = 12 };
static inline Value *loop_init(const Op *loop, uint32_t i) { return op_operand(loop, LOOP_FIRST_INIT + i); }
static inline Value *loop_index(const Op *loop) { return loop->regions[0]->args[0]; }
static inline Value *loop_carried(const Op *loop, uint32_t i) { return loop->regions[0]->args[i + 1]; }
static inline Value *loop_yielded(const Op *loop, uint32_t i) {
  return op_operand(loop->regions[0]->last, i);
}
// Returns true if removing the op changes nothing, if its results are unused: pure ops, non-volatile loads,
// or control flow with only those.
bool op_is_dead(const Op *op);
// The value of a constant (scalar or splat), also through `splat` ops.
bool value_int_constant(const Value *value, int64_t *constant);
bool value_float_constant(const Value *value, double *constant);
bool value_is_zero(const Value *value); // a constant 0; not -0.0

#endif
