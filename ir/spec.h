// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A specialisation: which kernel, for which target, with which constexpr values, and what is known of each
// run-time parameter. One descriptor from the command line and the JIT to elaboration and --emit=meta.
#ifndef IR_SPEC_H
#define IR_SPEC_H

#include <stdbool.h>
#include <stdint.h>
#include "target/target.h"
#include "ir/type.h"

// A Python literal: the value of a constexpr.
typedef enum ConstKind {
  CONST_NONE,
  CONST_BOOL,  // i: 0 or 1
  CONST_INT,   // i; where is_u64 the unsigned value of its bits (2^63 .. 2^64 - 1)
  CONST_FLOAT, // f
  CONST_STR,   // str
  CONST_DTYPE, // type: scalar or pointer
  CONST_TUPLE, // items
  CONST_NAME,  // str: a function of the file, or one that it imports and uses
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
// As Python writes it: 128, 1.5, True, None, "relu", fp16, (1, 2); a function's name as @relu.
void const_print(const ConstValue *value, Buf *out);
// Parses a Python literal or a type's name (either spelling, `tl.` allowed). False where the text is none.
// Memory and names from `ir`.
bool const_parse(IrContext *ir, Str text, ConstValue *value);

// The literal that `text` begins with; `*used` gets its length, leading white space too.
bool const_parse_prefix(IrContext *ir, Str text, size_t *used, ConstValue *value);

// Whole numbers as text, in any locale, as Python writes them: decimal without leading zeros, or 0x, 0o, 0b,
// with single underscores between digits. u64_parse: false past 2^64 - 1.
bool u64_parse(Str text, uint64_t *value);
typedef enum NumberText {
  TEXT_NO_NUMBER,
  TEXT_INT,
  TEXT_FLOAT,
  TEXT_TOO_LARGE // an integer of more than 64 bits, or a float beyond fp64's
} NumberText;
// The text is a Python number, with a sign or without.
NumberText number_text(Str text, ConstValue *value);
bool double_parse(Str text, double *value); // decimal; out of range gives infinity or zero
// Appends the string literal that `text` begins with (either quote; \n \t \r \\ \" \' \xHH \uXXXX); false
// where it is none or has a NUL.
bool string_parse(Str text, size_t *used, Buf *out);

// What is known of a run-time parameter. Text: [TYPE][:16][:1], or None.
typedef struct ParamFacts {
  bool divisible16; // the integer, or the address in bytes, is a multiple of 16
  bool equal1;      // the integer is 1
  bool none;        // given as None
} ParamFacts;

// What a run-time parameter of the source is in the kernel.
typedef enum ParamForm {
  PARAM_PLAIN,      // one parameter
  PARAM_TUPLE,      // what its elements are, in order
  PARAM_DESCRIPTOR, // a tensor descriptor: its base, sizes (i32) and strides (i64), in this order
  PARAM_CONSTEXPR,  // none: a constexpr, as an element of a tuple may be
} ParamForm;

// Text: [TYPE][:16][:1], None, (ELEMENT, NAME=ELEMENT, ...), tensordesc<fp16[64,32]>[:16], constexpr(LITERAL).
typedef struct ParamSpec ParamSpec;
struct ParamSpec {
  const char *name; // interned; of a tuple's element its field, NULL where it has none
  ParamForm form;
  const Type *type; // PLAIN; NULL: as annotated. DESCRIPTOR: a block pointer's
  ParamFacts facts; // PLAIN
  // PLAIN: a scalar's at this launch; NULL: not known. Heuristics alone may see it. CONSTEXPR: the value
  const ConstValue *value;
  bool pads_nan;        // DESCRIPTOR: loads outside of the tensor give NaN
  bool aligned;         // of a descriptor's parts a size or stride: as many elements are a multiple of 16 bytes
  ParamSpec *items;     // TUPLE: its elements; DESCRIPTOR: what is known of its parts, in their order, or none
  uint32_t item_count;
};

enum { PARAM_MAX_DEPTH = 64 }; // tuples within tuples

// The parts of a descriptor of `rank` dimensions: base, sizes, strides.
static inline uint32_t descriptor_parts(uint32_t rank) { return 1 + 2 * rank; }

typedef struct ParamTextError {
  size_t at, n; // where in the text
  const char *message;
} ParamTextError;

// Parses one parameter's text into *param, but for its name; `name` is for messages. False with the error.
// Memory and names from `ir`.
bool param_parse(IrContext *ir, Str text, const char *name, ParamSpec *param, ParamTextError *error);
// The bytes of `text` before the first `stop` outside of brackets and quotes; all of it where there is none.
size_t param_text_until(Str text, char stop);
// Whether it is a name of Python's: letters, digits, underscores, and what is beyond ASCII.
bool param_name_is_good(Str text);
// The type alone, as param_parse reads it: "(*fp32, i32)", "tensordesc<fp16[64, 32]>"; nothing of a type that is
// not said.
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

extern const char *const fp32_dot_names[FP32_DOT_COUNT + 1]; // as they are spelled; NULL ends them

// Whether loads may become tensor copies (TMA), whose maps a launch has to make.
typedef enum TmaUse {
  TMA_AUTO, // where they pay and libtilec launches the kernel (IrModule.launched)
  TMA_ON,   // wherever they can be; who launches makes the maps
  TMA_OFF,
  TMA_USES
} TmaUse;

extern const char *const tma_names[TMA_USES + 1]; // "auto"; NULL ends them

// Whether loops that tensor copies feed are parted into groups of warps (specialise_warps).
typedef enum WarpRoles {
  // those that overlap_dots marks, loops that ask for it (tl.range's warp_specialize), products whose programs are run in turn
  WARP_ROLES_AUTO,
  WARP_ROLES_ON,   // wherever they can be
  WARP_ROLES_OFF,
  WARP_ROLES_COUNT
} WarpRoles;

extern const char *const warp_roles_names[WARP_ROLES_COUNT + 1]; // "auto"; NULL ends them

// Whether tiles are stored by tensor stores (store_tiles).
typedef enum EpilogueUse {
  EPILOGUE_AUTO, // nowhere: their gain is not measured
  EPILOGUE_ON,   // wherever kernels may have tensor maps
  EPILOGUE_OFF,
  EPILOGUE_USES
} EpilogueUse;

extern const char *const epilogue_names[EPILOGUE_USES + 1]; // "auto"; NULL ends them

// Whether a kernel's programs are run in turn, by as many blocks as a device has room for (persist).
typedef enum PersistUse {
  PERSIST_AUTO, // products that are parted into groups of warps then, where that was measured to pay
  PERSIST_ON,   // wherever they can be
  PERSIST_OFF,
  PERSIST_USES
} PersistUse;

extern const char *const persist_names[PERSIST_USES + 1]; // "auto"; NULL ends them

// Where the code is to run, and how it is to be compiled.
typedef struct Target {
  const TargetInfo *arch; // what the GPU has; NULL: none given, which the verifier refuses
  uint16_t num_warps;     // a power of two, 1 .. NUM_WARPS_MAX
  uint16_t num_stages;    // 1 .. NUM_STAGES_MAX
  uint16_t maxnreg;       // 1 .. MAXNREG_MAX; 0: no limit
  Fp32Dot fp32_dot;
  bool fp_contract;  // a*b+c may become one fused multiply-add
  uint8_t opt_level; // 0 .. 3
  bool debug;        // -g
  bool overlap;      // with the end of the launch before
  bool fast_math;    // quotients and functions of fp32 are the approximate instructions
  // What a pointer argument leads to is reached through no other argument: CUDA's __restrict__ on all of them.
  bool restrict_pointers;
  TmaUse tma;
  WarpRoles warp_roles;
  EpilogueUse epilogue;
  PersistUse persistent;
} Target;

// sm_90a, 4 warps, 3 stages, IEEE dot, contraction, -O3.
Target target_default(void);
// "sm_90a"; false where the text names no row of target/target.def.
bool target_parse_arch(Str text, Target *target);
void target_print_arch(const Target *target, Buf *out);

typedef struct Spec {
  const char *kernel; // NULL: the file's only entry
  ParamSpec *params;
  uint32_t param_count;
  Constexpr *constexprs;
  uint32_t constexpr_count;
  Target target;
  // Options given on the command line win over those of @autotune's configuration and of a .tir file.
  bool arch_given, num_warps_given, num_stages_given, maxnreg_given;
  bool tuned;          // what tilec tune found is among what is given
  bool fp32_dot_given; // what the target says is meant, and no default
  struct Expr *grid;   // the frontend's: instead of the kernel's @grid; NULL: as the kernel says
} Spec;

#endif
