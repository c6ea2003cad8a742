// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile IR: SSA over scalars, pointers and tiles, with structured
// control flow. docs/tir.md describes the ops and the text form.
//
// Everything lives in the module's arena and has a stable address; lists are intrusive. Nothing orders by
// address: ids are dense, given by func_number for printing and side tables.
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
  PURE = 1,
  READS = 2,
  WRITES = 4,
  ELEMENTWISE = 8,
  COMPARE = 16,
  SAME = 32,
  COMMUTES = 64,
  TERMINATOR = 128,
  CONTROL = 256,
};

typedef struct OpInfo {
  const char *name, *operands, *attrs, *sync, *meaning;
  int8_t results; // -1: as its regions yield
  uint32_t traits;
} OpInfo;

const OpInfo *op_info(OpKind kind);
bool op_parse_kind(Str name, OpKind *kind);
uint32_t op_min_operands(OpKind kind);
uint32_t op_max_operands(OpKind kind); // UINT32_MAX: any number
// The next of `*words`, which are parted by spaces (OpInfo.operands, .attrs); false at the end.
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
AttrWords attr_words(AttrKey key); // of kind ENUM: what it may be, by number

typedef enum AttrUse { ATTR_UNKNOWN, ATTR_OPTIONAL, ATTR_REQUIRED } AttrUse;
AttrUse op_attr_use(OpKind kind, AttrKey key); // as ops.def says

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

// One operand: a place in the use list of the value that it uses.
typedef struct Use {
  Value *value;
  Op *user;
  struct Use *prev, *next; // the value's other uses, in order of creation
} Use;

// An op's result, or a region's argument.
struct Value {
  const Type *type;
  Op *def;          // NULL for a region's argument
  Region *region;   // the region whose argument it is; NULL for a result
  uint32_t index;   // among the op's results or the region's arguments
  uint32_t id;      // dense within the function: func_number
  const char *name; // a hint for printing, interned; NULL: none
  Use *first_use, *last_use;
};

struct Op {
  OpKind kind;
  Loc loc;
  Region *region; // NULL while not inserted
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

// Parameters that no caller gives: the runtime fills them. They stand after the others.
typedef enum HiddenKind {
  HIDDEN_NONE,
  HIDDEN_TENSOR_MAP, // a tensor map, made of other arguments as the host region of its name says
  HIDDEN_SCRATCH,    // a pointer to memory that the launch has for itself
  HIDDEN_PROGRAMS,   // how many programs a launch is of in a dimension, i32: of a persistent kernel, three of them
  HIDDEN_COUNT
} HiddenKind;

const char *hidden_name(HiddenKind kind); // "tensor_map"; NULL of HIDDEN_NONE

typedef struct FuncParam {
  const char *name; // interned
  const Type *type; // scalar or pointer, bytes by value or a tensor map; of a parameter given as None *i8
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

enum { HOST_VALUES = 2 * TENSOR_MAP_MAX_RANK }; // that a region yields, at most

typedef struct HostInfo {
  const char *name, *value; // "grid", "size"
  uint32_t least, most;
  Elem elem;
} HostInfo;

const HostInfo *host_info(HostKind kind);

// A region that the host runs before a launch. Its arguments are the kernel's visible
// parameters; it yields values of host_info(kind)->elem, a map a pointer before them.
typedef struct HostRegion {
  HostKind kind;
  const char *name; // interned; NULL: the kind's own, that the runtime asks for
  Region *region;
  const char *text[HOST_VALUES]; // what a grid yields, as written; NULL past the last
} HostRegion;

// plan.def: what is decided of a kernel as a whole.
typedef enum PlanFlag {
#define X(name, ...) PLAN_##name,
#include "ir/plan.def"
#undef X
  PLAN_FLAGS
} PlanFlag;

extern const char *const plan_names[PLAN_FLAGS + 1]; // "boxes"; NULL ends them

// A kernel: what it calls has been inlined. Its body's arguments are the parameters, in order: also the ones
// whose value is known, so that all specialisations share one ABI. The body ends with `return`.
typedef struct Func {
  const char *name;
  Loc loc;
  struct IrModule *module;
  FuncParam *params;
  uint32_t param_count;
  Region *body;
  VEC(HostRegion *) host; // at most one of a kind and name
  uint32_t plan;          // bits by PlanFlag: for the passes to come; nothing is left of it behind them
  uint32_t min_blocks;    // of it a multiprocessor is to hold, for ptxas' registers; 0: not said
  Constexpr *constexprs;  // what was specialised, in the source's order: for --emit=meta
  uint32_t constexpr_count;
  // The source's run-time parameters, each of which is some of `params`, in order. NULL: of a .tir, each is one
  ParamSpec *arguments;
  uint32_t argument_count;
  uint32_t value_count, op_count; // as of func_number
} Func;

typedef struct IrModule {
  IrContext *ir;
  Target target;
  bool
      launched, // libtilec launches its kernels, and makes what hidden parameters ask for; no text says so
      final; // all passes have run: what it is compiled to hangs on this text alone, and on the level of LLVM's passes
  VEC(Func *) funcs;
} IrModule;

// What every module of one compilation shares: memory, names, types, layouts, sources.
struct IrContext {
  Arena *arena; // set before first use, with the next two
  Sources *sources;
  Diags *diags;
  Interner names;       // names.arena == arena
  Table types, layouts; // type.c's and layout.c's own
};

// arena, sources and diags outlive the context.
void ir_context_init(IrContext *ir, Arena *arena, Sources *sources, Diags *diags);
const char *ir_name(IrContext *ir, Str text); // interned

// Building: ir/build.h. Text: ir/text/print.h, ir/text/parse.h. Rules: ir/verify/verify.h. Meaning: eval/eval.h.

// Why a launch of so many programs cannot be run in turn: their numbers have 32 bits. NULL: it can.
const char *programs_fault(const int64_t grid[3]);
// Whether that is planned.
static inline bool func_plans(const Func *func, PlanFlag flag) { return func->plan >> flag & 1; }
static inline void func_set_plan(Func *func, PlanFlag flag, bool planned) {
  func->plan = (func->plan & ~(1u << flag)) | (uint32_t)planned << flag;
}
// Whether kernels may have tensor maps.
bool module_takes_maps(const IrModule *module);
IrModule *module_new(IrContext *ir, const Target *target);
// Appends a function with its body (one argument a parameter, no ops yet).
Func *func_new(IrModule *module, const char *name, Loc loc, const FuncParam *params, uint32_t param_count);
// How many parameters a caller gives: the first ones, that are not hidden.
uint32_t func_visible_params(const Func *func);
// A host region of a kind and name (interned; NULL: none) that the function has none of, with the visible parameters
// as arguments.
HostRegion *func_new_host(Func *func, HostKind kind, const char *name);
void func_drop_host(Func *func, const HostRegion *host); // from the function's
// A tensor map that is made before a launch: a hidden parameter of the type tensor_map, behind all others, with a name
// (interned) that none of them has, and the empty host region *host, which is to yield it. The body's argument for it.
Value *func_new_map(Func *func, const char *name, const Type *type, HostRegion **host);
HostRegion *func_host(const Func *func, HostKind kind, const char *name); // NULL: there is none
// Whether the kernel has a guard, and that asks how many programs a launch is of and nothing of its arguments.
bool func_asks_programs(const Func *func);
// A persistent kernel has three hidden parameters that say how many programs a launch is of, and runs them in turn in
// fewer blocks, whose numbers program_id and num_programs are along dimension 0. The first one's place; param_count: it is none.
enum { PROGRAM_AXES = 3 };
uint32_t func_programs_param(const Func *func);
static inline bool func_is_persistent(const Func *func) { return func_programs_param(func) < func->param_count; }
// Makes it one: the body's arguments are behind those of the others. It has no tensor maps yet.
void func_add_programs(Func *func, Value *programs[PROGRAM_AXES]);
// The warps of a block that run a region: `count`, from warp `first` on. The region numbers its threads from 0, and its tiles'
// layouts have log2(count) warp bits, rounded up: of a number that is no power of two the warps that are missing have padding
// alone (unpadded_warps).
typedef struct RegionWarps {
  uint32_t first, count;
} RegionWarps;
RegionWarps region_warps_of(const Region *region);
uint32_t region_warp_bits_of(const Region *region); // the layouts'
// How many warps run the region that the op is in, its layouts' warp bits, and the warps' threads.
uint32_t region_warps(const Op *op);
uint32_t region_warp_bits(const Op *op);
uint32_t region_threads(const Op *op);
// The warps of a whole block: of all regions that are run at once.
uint32_t func_warps(const Func *func);
static inline const Region *value_region(const Value *value) { // where it is defined
  return value->def ? value->def->region : value->region;
}
static inline bool op_is_loop(const Op *op) { return op->kind == OP_FOR || op->kind == OP_WHILE; }
// Whether the value is made in the op's regions, or in regions of theirs.
static inline bool value_is_within(const Value *value, const Op *op) {
  for (const Op *around = value_region(value)->parent; around; around = around->region->parent)
    if (around == op) return true;
  return false;
}
// Whether the op stands in the region, or in a region of an op of its.
static inline bool region_holds(const Region *region, const Op *op) {
  const Region *at = op->region;
  while (at && at != region) at = at->parent ? at->parent->region : NULL;
  return at != NULL;
}
// Gives every value and op of the function its dense id, in program order:
// the body's (the parameters first), then the host regions'.
void func_number(Func *func);

bool attr_same(const Attr *a, const Attr *b);           // the same key and value; the zeros are two
bool op_same_attrs(const Op *a, const Op *b);
const Attr *op_attr(const Op *op, AttrKey key); // NULL: not there
// The function of an op of kind `math`; false where its attribute is missing or names none.
bool math_of(const Op *op, MathFunction *function);
int64_t op_int(const Op *op, AttrKey key, int64_t otherwise);
void op_set_attr(Op *op, Attr attr); // adds or replaces; the op must be inserted
void op_remove_attr(Op *op, AttrKey key);
static inline bool op_has(const Op *op, uint32_t traits) {
  return (op_info(op->kind)->traits & traits) == traits;
}
static inline Value *op_operand(const Op *op, uint32_t i) {
  return i < op->operand_count ? op->operands[i].value : NULL;
}
static inline Value *op_result(const Op *op) { return op->result_count ? &op->results[0] : NULL; }
// Of a print: how many elements of each dimension of the operand are meant; NULL: all.
const int64_t *op_printed_sizes(const Op *op, uint32_t operand);
// The op's scratch buffer in shared memory, its last operand (ops.def); NULL: it has none.
Value *op_scratch(const Op *op);
// How many operands there are beside the scratch buffer.
static inline uint32_t op_input_count(const Op *op) { return op->operand_count - (op_scratch(op) != NULL); }
// Operand i beside the scratch buffer; NULL: the op has no such operand.
static inline Value *op_input(const Op *op, uint32_t i) {
  return i < op_input_count(op) ? op->operands[i].value : NULL;
}
// A for loop by its parts: bounds, and what it carries, by index: what enters, the body's argument, what an
// iteration passes on, the result. The body must end with its yield where that is asked for.
static inline Value *loop_lower(const Op *loop) { return op_operand(loop, 0); }
static inline Value *loop_upper(const Op *loop) { return op_operand(loop, 1); }
static inline Value *loop_step(const Op *loop) { return op_operand(loop, 2); }
enum { LOOP_FIRST_INIT = 3 }; // the operand
// A loop may keep a sum of fp32, bf16 or fp64 as 2^-LOOP_SUM_BITS of itself (defer_reductions). An addition may then be off by
// half a denormal's spacing times 2^LOOP_SUM_BITS. The evaluator's bounds allow that.
enum { LOOP_SUM_BITS = 12 };
static inline Value *loop_init(const Op *loop, uint32_t i) { return op_operand(loop, LOOP_FIRST_INIT + i); }
static inline Value *loop_index(const Op *loop) { return loop->regions[0]->args[0]; }
static inline Value *loop_carried(const Op *loop, uint32_t i) { return loop->regions[0]->args[i + 1]; }
static inline Value *loop_yielded(const Op *loop, uint32_t i) {
  return op_operand(loop->regions[0]->last, i);
}
// Whether removing the op, its results unused, changes nothing:
// pure, a load that is not volatile, or control flow of such.
bool op_is_dead(const Op *op);
// The constant's value where `value` is a constant (scalar or splat); constants through `splat` too.
bool value_int_constant(const Value *value, int64_t *constant);
bool value_float_constant(const Value *value, double *constant);
bool value_is_zero(const Value *value); // such a constant, and 0; not -0.0

#endif
