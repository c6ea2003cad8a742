// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A specialisation: the kernel, the target, the constexpr values, and the known facts of each run-time
// parameter. One descriptor from the command line and the JIT to elaboration and --emit=meta.
#ifndef IR_SPEC_H
#define IR_SPEC_H

#include <stdbool.h>
#include <stdint.h>
#include "target/target.h"
#include "ir/type.h"

// A Python literal: the value of a constexpr.
typedef enum ConstKind {
  CONST_NONE,
  CONST_BOOL,  // `i`: 0 or 1.
  CONST_INT,   // `i`; with is_u64 the unsigned value of its bits (2^63 .. 2^64 - 1).
  CONST_FLOAT, // `f`.
  CONST_STR,   // `str`.
  CONST_DTYPE, // `type`: scalar or pointer.
  CONST_TUPLE, // `items`.
  CONST_NAME,  // `str`: a function of the file, or an imported one that it uses.
} ConstKind;

typedef struct ConstValue ConstValue;
struct ConstValue {
  ConstKind kind;
  bool is_u64;
  union {
    int64_t i;
    double f;
    const char *str; // interned
    const Type *type;
    struct {
      const ConstValue *at;
      uint32_t n;
    } items;
  };
};

bool const_equal(const ConstValue *a, const ConstValue *b);
// In Python syntax: 128, 1.5, True, None, "relu", fp16, (1, 2); a function's name as @relu.
void const_print(const ConstValue *value, Buf *out);
// Parses a Python literal or a type's name (either spelling, `tl.` allowed). Returns false for other text.
// Memory and names come from `ir`.
bool const_parse(IrContext *ir, Str text, ConstValue *value);

// Parses the literal at the start of `text`. *used: its length, leading white space included.
bool const_parse_prefix(IrContext *ir, Str text, size_t *used, ConstValue *value);

// Parse integers in Python syntax, in any locale: decimal without leading zeros, or 0x, 0o, 0b, with single
// underscores between digits. `u64_parse` returns false past 2^64 - 1.
bool u64_parse(Str text, uint64_t *value);
typedef enum NumberText {
  TEXT_NO_NUMBER,
  TEXT_INT,
  TEXT_FLOAT,
  TEXT_TOO_LARGE // an integer of more than 64 bits, or a float beyond fp64's
} NumberText;
// Parses a Python number, with or without a sign.
NumberText number_text(Str text, ConstValue *value);
bool double_parse(Str text, double *value); // decimal; out of range gives infinity or zero
// Appends the string literal at the start of `text` (either quote; \n \t \r \\ \" \' \xHH \uXXXX). Returns
// false if there is none or it has a NUL.
bool string_parse(Str text, size_t *used, Buf *out);

// Known facts of a run-time parameter. Text: [TYPE][:16][:1], or None.
typedef struct ParamFacts {
  bool divisible16; // the integer, or the address in bytes, is a multiple of 16
  bool equal1;      // the integer is 1
  bool none;        // given as None
} ParamFacts;

// The form that a run-time parameter of the source takes in the kernel.
typedef enum ParamForm {
  PARAM_PLAIN,      // One parameter.
  PARAM_TUPLE,      // One parameter per element, in order.
  PARAM_DESCRIPTOR, // A tensor descriptor: its base, sizes (i32) and strides (i64), in this order.
  PARAM_CONSTEXPR,  // No parameter: a constexpr, possible as an element of a tuple.
} ParamForm;

// Text: [TYPE][:16][:1], None, (ELEMENT, NAME=ELEMENT, ...), tensordesc<fp16[64,32]>[:16], constexpr(LITERAL).
typedef struct ParamSpec ParamSpec;
struct ParamSpec {
  const char *name; // Interned; for a tuple's element its field, NULL if it has none.
  ParamForm form;
  const Type *type; // PLAIN; NULL: as annotated. DESCRIPTOR: a block pointer's type.
  ParamFacts facts; // PLAIN
  // PLAIN: a scalar's value at this launch, only for heuristics; NULL: unknown. CONSTEXPR: the value.
  const ConstValue *value;
  bool pads_nan;    // DESCRIPTOR: loads outside the tensor give NaN.
  bool rounds_tf32; // DESCRIPTOR: loads of fp32 are rounded to tf32.
  bool aligned;     // A size or stride of a descriptor: this number of elements is a multiple of 16
                    // bytes.
  ParamSpec *items; // TUPLE: its elements. DESCRIPTOR: known facts of its parts, in order, or none.
  uint32_t item_count;
};

enum { PARAM_MAX_DEPTH = 64 }; // tuples within tuples

// The parts of a descriptor of `rank` dimensions: base, sizes, strides.
static inline uint32_t descriptor_parts(uint32_t rank) { return 1 + 2 * rank; }

typedef struct ParamTextError {
  size_t at, n; // position in the text
  const char *message;
} ParamTextError;

// Parses one parameter's text into *param, except for its name; `name` is only for messages. Returns false
// and sets *error. Memory and names come from `ir`.
bool param_parse(IrContext *ir, Str text, const char *name, ParamSpec *param, ParamTextError *error);
// The bytes of `text` before the first `stop` outside brackets and quotes; all of it if there is none.
size_t param_text_until(Str text, char stop);
// Returns true for a Python identifier: letters, digits, underscores, and non-ASCII characters. So are the names after
// % and @ in the text form.
bool name_is_plain(Str text);
// Prints only the type, in param_parse's syntax: "(*fp32, i32)", "tensordesc<fp16[64, 32]>". Prints nothing
// for an unknown type.
void param_print(const ParamSpec *param, Buf *out);

typedef struct Constexpr {
  const char *name; // interned
  ConstValue value;
} Constexpr;

typedef enum Fp32Dot {
#define X(name, ...) FP32_DOT_##name,
#include "ir/fp32_dot.def"
#undef X
  FP32_DOT_COUNT
} Fp32Dot;

extern const char *const fp32_dot_names[FP32_DOT_COUNT + 1]; // their spellings; NULL ends them

// Use of TMA for loads. A launch must create the tensor maps.
typedef enum TmaUse {
  TMA_AUTO, // if it saves time and libtilec launches the kernel (IrModule.launched)
  TMA_ON,   // wherever possible; the launching code creates the maps
  TMA_OFF,
  TMA_USES
} TmaUse;

extern const char *const tma_names[TMA_USES + 1]; // "auto"; NULL ends them

// Warp specialization of loops fed by TMA copies (specialise_warps).
typedef enum WarpRoles {
  // Loops marked by overlap_dots, loops that request it (tl.range's warp_specialize), and matmuls in
  // persistent kernels.
  WARP_ROLES_AUTO,
  WARP_ROLES_ON, // wherever possible
  WARP_ROLES_OFF,
  WARP_ROLES_COUNT
} WarpRoles;

extern const char *const warp_roles_names[WARP_ROLES_COUNT + 1]; // "auto"; NULL ends them

// Tile stores by TMA (store_tiles).
typedef enum EpilogueUse {
  EPILOGUE_AUTO, // never: the gain is not measured
  EPILOGUE_ON,   // wherever kernels may have tensor maps
  EPILOGUE_OFF,
  EPILOGUE_USES
} EpilogueUse;

extern const char *const epilogue_names[EPILOGUE_USES + 1]; // "auto"; NULL ends them

// Persistent kernels: programs run on the CTAs that fit on the device (plan_pipeline).
typedef enum PersistUse {
  PERSIST_AUTO, // warp-specialized matmuls, where measurements show that it is faster
  PERSIST_ON,   // wherever possible
  PERSIST_OFF,
  PERSIST_USES
} PersistUse;

extern const char *const persist_names[PERSIST_USES + 1]; // "auto"; NULL ends them

// The target of the code, and compile options.
typedef struct Target {
  const TargetInfo *arch; // the GPU's features; NULL: none given, which the verifier rejects
  uint16_t num_warps;     // a power of two, 1 .. NUM_WARPS_MAX
  uint16_t num_stages;    // 1 .. NUM_STAGES_MAX
  uint16_t maxnreg;       // 1 .. MAXNREG_MAX; 0: no limit
  Fp32Dot fp32_dot;
  bool fp_contract;  // a*b+c may become one fused multiply-add.
  uint8_t opt_level; // 0 .. 3.
  bool debug;        // -g.
  bool overlap;      // With the end of the previous launch.
  bool fast_math;    // fp32 quotients and functions use the approximate instructions.
  // Memory reached through a pointer argument is reached through no other argument: CUDA's __restrict__ on
  // all of them.
  bool restrict_pointers;
  TmaUse tma;
  WarpRoles warp_roles;
  EpilogueUse epilogue;
  PersistUse persistent;
} Target;

// sm_90a, 4 warps, 3 stages, IEEE dot, contraction, -O3.
Target target_default(void);
// Parses "sm_90a". Returns false if target/target.def has no such row.
bool target_parse_arch(Str text, Target *target);
void target_print_arch(const Target *target, Buf *out);

// The pass that is named by remarks on the configuration of an autotuned kernel.
#define CONFIGURATION_REMARK "configuration"

typedef struct Spec {
  const char *kernel; // NULL: the file's only entry
  ParamSpec *params;
  uint32_t param_count;
  Constexpr *constexprs;
  uint32_t constexpr_count;
  Target target;
  // Options on the command line override those of @autotune's configuration and of a .tir file.
  bool arch_given, num_warps_given, num_stages_given, maxnreg_given;
  bool tuned;                  // the given options include results of tilec tune
  bool fp32_dot_given;         // the target's value is explicit, not a default
  struct Expr *grid;           // from the frontend: replaces the kernel's @grid; NULL: the kernel's
  struct FrontendWatch *watch; // gets what elaboration finds (frontend/frontend.h); NULL: not wanted
} Spec;

// The parameter of that name. NULL: none.
const ParamSpec *spec_param(const Spec *spec, const char *name);

#endif
