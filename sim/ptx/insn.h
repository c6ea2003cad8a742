// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decoded programs. Each PTX instruction is one Insn. Its operands are byte offsets into a warp's register
// file.
//
// A register is a slot of 32 lanes, contiguous by lane. Slots have 64 bytes for 16-bit and narrower
// registers, 128 for 32-bit, 256 for 64-bit. A predicate is one 32-bit mask, with one bit per lane.
// Immediates, symbol addresses and constant special registers are slots too. They are filled when a warp
// starts, so that all operands are read in the same way.
#ifndef SIM_PTX_INSN_H
#define SIM_PTX_INSN_H

#include "base/vec.h"
#include "sim/ptx/ptx_ast.h"
#include "sim/sim.h"

enum { LANES = 32 };
static const uint32_t ALL_LANES = 0xffffffffu;
// The mask must not be 0.
static inline uint32_t lowest_lane(uint32_t mask) { return (uint32_t)__builtin_ctz(mask); }

typedef enum Operation {
  OP_NONE,
#define INSN(mnemonic, family, operation, meaning) OP_##operation,
#include "sim/ptx/insn.def"
#undef INSN
} Operation;

typedef enum Modifier {
  MOD_NONE,
#define MODIFIER(name, text) MOD_##name,
#include "sim/ptx/modifier.def"
#undef MODIFIER
} Modifier;

typedef struct Warp Warp;
typedef struct Insn Insn;
// Applies the instruction to the lanes of `mask` (not 0). Registers of other lanes keep their values.
typedef void ExecFn(Warp *warp, const Insn *insn, uint32_t mask);

typedef enum InsnKind {
  KIND_LANES,        // Runs exec, which cannot fail.
  KIND_ROUNDED,      // Runs exec under `round`.
  KIND_CHECKED,      // Runs exec, which may set the warp's fault.
  KIND_SYNC,         // Runs exec once all lanes of the member mask (src[3]) have arrived. May set the fault.
  KIND_WARP_BARRIER, // The same. Lanes of one mask may meet at several of these.
  KIND_WAIT,         // `mbarrier.try_wait`: its lanes may have to wait.
  KIND_BRANCH,       // To `target`.
  KIND_INDEXED,      // To targets[src[0]].
  KIND_EXIT,
  KIND_TRAP,
  // src[0]: barrier. src[1]: threads (0: all of the CTA). extra: the BarrierForm. FLAG_ARRIVE: only arrives.
  KIND_BARRIER,
  KIND_CLUSTER_WAIT, // Waits for the cluster barrier that the lanes have arrived at.
  KIND_REGISTERS,    // `setmaxnreg` to `count`. extra 1: .inc, which waits for the CTA's pool.
  KIND_TMEM, // tcgen05.alloc, dealloc, relinquish_alloc_permit. extra: the TmemChange. alloc waits for columns.
  KIND_END, // Running into it is a wild branch.
} InsnKind;

typedef enum BarrierForm { BARRIER_PLAIN, BARRIER_ALIGNED, BARRIER_CLUSTER } BarrierForm;

typedef enum Round { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_NONE } Round;

enum {
  FLAG_FTZ = 1,      // Subnormal inputs and results become zeros of the same sign.
  FLAG_SAT = 2,      // Results clamp to [0, 1], and NaN becomes 0. Integers clamp to their range.
  FLAG_NAN = 4,      // min, max: the result is NaN if an input is.
  FLAG_RELU = 8,     // Negative results become 0.
  FLAG_XORSIGN = 16, // min, max of magnitudes. The sign is the exclusive or of the signs.
  FLAG_ARRIVE = 32,  // Barrier: do not wait.
  FLAG_NOT = 64,     // setp, selp, votes: the predicate source is negated.
  FLAG_WIDE = 128,   // See the exec function.
  FLAG_FINITE = 32,  // cvt to f16, bf16: too large values become the largest finite one.
};

// As the instruction says. .volatile is relaxed, and atomics are relaxed by default.
typedef enum MemoryOrder {
  ORDER_WEAK,
  ORDER_RELAXED,
  ORDER_ACQUIRE,
  ORDER_RELEASE,
  ORDER_ACQ_REL
} MemoryOrder;

// The threads that an access or a fence can order with. .cluster counts as SCOPE_DEVICE.
typedef enum MemoryScope { SCOPE_CTA, SCOPE_DEVICE, SCOPE_SYSTEM } MemoryScope;

// The form of a memory instruction.
typedef struct MemoryAccess {
  PtxSpace space;
  uint32_t bytes;        // Size of an element.
  uint32_t count;        // Elements: 1, 2, 4, 8.
  bool is_signed;        // Loads sign-extend.
  bool cluster;          // .shared::cluster: shared memory of any CTA of the cluster.
  bool address64;        // The address register has 64 bits.
  int64_t offset;        // In bytes, added to the address.
  uint32_t slots[8];     // Registers that are loaded or stored.
  uint8_t slot_bytes[8]; // Their widths. 0: `_`.
  uint32_t results[8];   // atom: registers for the old values; UINT32_MAX: none
  // atom, red and multimem: the operation. OP_NONE: none; MOV: exch, SETP: cas, ADDC: inc, SUBC: dec
  Operation atomic;
  bool multimem; // the address is a multicast one
  bool wide_sum; // multimem.ld_reduce: .acc::f32
  PtxType type;
  MemoryOrder order;
  MemoryScope scope; // of the order
} MemoryAccess;

// One address operand.
typedef struct AddressOperand {
  PtxSpace space;
  uint32_t slot;
  bool wide;    // the register has 64 bits
  bool cluster; // may be shared memory of another CTA of the cluster
  int64_t offset;
} AddressOperand;

// cp.async, bulk and TMA copies, and reductions. Slots are UINT32_MAX if absent.
typedef struct CopyOperands {
  AddressOperand to, from, mbarrier;
  bool has_mbarrier;             // completes at the mbarrier; else in a bulk group
  uint32_t bytes;                // cp.async: bytes written
  uint32_t size;                 // slot; cp.async: bytes read; bulk: bytes
  uint32_t ignore, ignore_flip;  // cp.async: predicate slot
  uint32_t byte_mask, multicast; // slots
  uint32_t rank, coordinates[5]; // tensor: slots, innermost first
  bool tensor, prefetch;
  bool everywhere;           // `clusterlaunchcontrol`: .multicast::cluster::all
  bool pair;                 // .cta_group::2: the mbarrier may be in the other CTA of the pair.
  uint32_t values, slots[4]; // `st.async`, `red.async`: registers of `type`
  Operation reduce;          // OP_NONE: a copy.
  PtxType type;              // The type of the reduced elements.
} CopyOperands;

typedef enum MatrixType {
  MATRIX_NONE,
  MATRIX_F16,
  MATRIX_BF16,
  MATRIX_TF32,
  MATRIX_E4M3,
  MATRIX_E5M2,
  MATRIX_E2M3,
  MATRIX_E3M2,
  MATRIX_E2M1,       // in 8 bits
  MATRIX_E2M1_PAIRS, // two in 8 bits, the first in the lower half
  MATRIX_S8,
  MATRIX_U8,
  MATRIX_F32,
  MATRIX_F64,
  MATRIX_S32
} MatrixType;

// ldmatrix and stmatrix.
typedef struct MatrixMove {
  AddressOperand address;
  uint32_t count, slots[4]; // 1, 2, 4; each has 8 rows
  bool transposed;
  // ldmatrix of 8-bit elements, 8 x 16, or transposed 16 x 16 in two registers: MATRIX_U8, or MATRIX_E2M1 and
  // MATRIX_E2M3 if 4 or 6 bits become 8. MATRIX_NONE: 16 bits.
  MatrixType bytes;
} MatrixMove;

// D = A * B + C for mma and wgmma (whose C is D): registers and types.
typedef struct Matrix {
  uint32_t m, n, k; // per warp: 16 of wgmma's 64 rows
  MatrixType d, a, b, c;
  uint32_t d_count, a_count, b_count, c_count; // in registers; a_count 0: A is in shared memory
  uint32_t d_slots[128], c_slots[8], a_slots[8], b_slots[4];
  uint32_t a_descriptor, b_descriptor;  // wgmma: slots of 64 bits
  uint32_t accumulate, accumulate_flip; // wgmma: predicate slot; true: D is added to
  bool negate_a, negate_b, satfinite;
  bool transpose_a, transpose_b; // wgmma: in shared memory; m8n8k4: A by columns, B by rows
  // mma with block scaling. Slots of the scales, and of the numbers that select a byte and a thread.
  uint32_t block; // elements that have one scale; 0: no block scaling
  bool scales_e4m3;
  uint32_t scale_a, byte_a, thread_a, scale_b, byte_b, thread_b;
} Matrix;

// ---- tcgen05 ----

// An address of tensor memory: a 32-bit register plus an offset. Bits 16 to 31 are the lane, bits 0 to 15 the
// column.
typedef struct TmemAddress {
  uint32_t slot, offset;
} TmemAddress;

typedef enum TmemChange { TMEM_ALLOC, TMEM_DEALLOC, TMEM_RELINQUISH } TmemChange;

typedef enum TmemShape { TMEM_32X32B, TMEM_16X64B, TMEM_16X128B, TMEM_16X256B, TMEM_16X32BX2 } TmemShape;

// tcgen05.ld and st.
typedef struct TmemMove {
  TmemAddress address;
  TmemShape shape;
  uint32_t repeat; // .xN
  uint32_t split;  // 16x32bx2: columns from the first half to the second
  bool packed;     // .pack::16b, .unpack::16b: a register has two columns.
  bool may_wait;   // Ld: no instruction names its registers before the next tcgen05.wait::ld.
  uint32_t count, slots[128];
} TmemMove;

typedef enum MmaKind {
  MMA_KIND_F16,
  MMA_KIND_TF32,
  MMA_KIND_F8F6F4,
  MMA_KIND_I8,
  MMA_KIND_MXF8F6F4, // from here on: block scaling
  MMA_KIND_MXF4,
  MMA_KIND_MXF4NVF4
} MmaKind;

typedef enum Collector { COLLECTOR_DISCARD, COLLECTOR_FILL, COLLECTOR_USE, COLLECTOR_LASTUSE } Collector;

// tcgen05.mma. D and, if a_in_tmem, A are in tensor memory.
typedef struct TensorMma {
  MmaKind kind;
  TmemAddress d, a, scale_a, scale_b;
  bool a_in_tmem, shifts;               // shifts: .ashift.
  uint32_t a_descriptor, b_descriptor;  // Slots of 64 bits.
  uint32_t descriptor;                  // Slot of the instruction descriptor.
  uint32_t masks, lanes_off[8];         // Slots of disable-output-lane; masks: their number, 0, 4 or 8.
  uint32_t accumulate, accumulate_flip; // Predicate slot of enable-input-d
  uint32_t scale_d;                     // D is multiplied by 2^-scale_d.
  uint32_t block;                       // Elements that have one scale: 16 or 32.
  Collector collector;
} TensorMma;

typedef enum TmemCopyShape {
  TMEM_COPY_128X256B,
  TMEM_COPY_4X256B,
  TMEM_COPY_128X128B,
  TMEM_COPY_64X128B_02_13,
  TMEM_COPY_64X128B_01_23,
  TMEM_COPY_32X128B
} TmemCopyShape;

// tcgen05.cp and shift.
typedef struct TmemCopy {
  TmemAddress to;
  TmemCopyShape shape;
  uint32_t descriptor; // slot of 64 bits
  MatrixType unpacks;  // MATRIX_E2M1 or MATRIX_E2M3: 4 or 6 bits become 8; MATRIX_NONE: bytes are copied
} TmemCopy;

struct Insn {
  ExecFn *exec;
  uint32_t guard, guard_flip; // lanes run if regs[guard] ^ guard_flip
  uint32_t dst, dst2;
  uint32_t src[4];
  uint8_t kind, round, flags; // InsnKind, Round, FLAG_*.
  uint8_t extra;              // The form: a Modifier, an Operation, or as the exec function's comment says.
  uint16_t from, to; // PtxTypes, or as the exec function's comment says. Barriers: `to` is the Operation.
  uint32_t target;   // Branches: instruction index.
  uint32_t site;     // Index into Program.sites.
  union {
    const MemoryAccess *access;
    uint32_t *targets;     // KIND_INDEXED: `count` of them
    const uint32_t *slots; // mov of vectors: `count` of them
    const AddressOperand *address;
    const CopyOperands *copy;
    const MatrixMove *move;
    const Matrix *matrix;
    const TmemMove *tmem;
    const TensorMma *mma;
    const TmemCopy *tmem_copy;
  } u;
  uint32_t count; // number of targets or slots, or as the exec function's comment says
  uint32_t ptx_line;
};

// A source location. Without a file, it is a line of the PTX text.
typedef tilec_sim_place Site;

typedef struct Constant {
  uint32_t slot, bytes; // bytes per lane; 0: a predicate
  uint64_t bits;
  bool is_shared; // an address of shared memory, in the CTA that runs it
} Constant;

typedef enum Special {
  SPECIAL_NONE,
  SPECIAL_TID_X,
  SPECIAL_TID_Y,
  SPECIAL_TID_Z,
  SPECIAL_NTID_X,
  SPECIAL_NTID_Y,
  SPECIAL_NTID_Z,
  SPECIAL_CTAID_X,
  SPECIAL_CTAID_Y,
  SPECIAL_CTAID_Z,
  SPECIAL_CLUSTERID_X,
  SPECIAL_CLUSTERID_Y,
  SPECIAL_CLUSTERID_Z,
  SPECIAL_NCLUSTERID_X,
  SPECIAL_NCLUSTERID_Y,
  SPECIAL_NCLUSTERID_Z,
  SPECIAL_CLUSTER_CTAID_X,
  SPECIAL_CLUSTER_CTAID_Y,
  SPECIAL_CLUSTER_CTAID_Z,
  SPECIAL_CLUSTER_NCTAID_X,
  SPECIAL_CLUSTER_NCTAID_Y,
  SPECIAL_CLUSTER_NCTAID_Z,
  SPECIAL_CLUSTER_CTARANK,
  SPECIAL_CLUSTER_NCTARANK,
  SPECIAL_NCTAID_X,
  SPECIAL_NCTAID_Y,
  SPECIAL_NCTAID_Z,
  SPECIAL_LANEID,
  SPECIAL_WARPID,
  SPECIAL_NWARPID,
  SPECIAL_SMID,
  SPECIAL_NSMID,
  SPECIAL_WARPSIZE,
  SPECIAL_LANEMASK_EQ,
  SPECIAL_LANEMASK_LE,
  SPECIAL_LANEMASK_LT,
  SPECIAL_LANEMASK_GE,
  SPECIAL_LANEMASK_GT,
  SPECIAL_DYNAMIC_SMEM,
  SPECIAL_TOTAL_SMEM,
  SPECIAL_ONE,
  SPECIAL_CLOCK,
  SPECIAL_CLOCK64, // from here on: read again each time
} Special;

typedef struct SpecialSlot {
  Special special;
  uint32_t slot;
} SpecialSlot;

typedef struct ParamSlot { // a kernel parameter's bytes in every lane, as ld.param loads them
  uint32_t slot, slot_bytes;
  uint32_t offset;
  PtxType type;
} ParamSlot;

typedef struct WrittenSlot { // a register that is written before it is read
  uint32_t slot, bytes;      // of all lanes
} WrittenSlot;

typedef struct SharedVar { // a static shared variable
  const char *name;
  uint64_t offset, bytes;
} SharedVar;

typedef struct PtxParam {
  const char *name;
  uint32_t offset, size, align;
} PtxParam;

// The order of a diverged warp's groups. The group with the lowest place runs first (reconvergence.h).
typedef struct CodeOrder {
  uint32_t place, end; // end: the first later instruction whose place is not the next
} CodeOrder;

// A kernel, ready to run. Slot 0 is a predicate that is true in every lane.
typedef struct Program {
  const char *name;
  Str text; // of the module
  VEC(PtxParam) params;
  uint32_t param_bytes;
  VEC(Insn) code;   // ends with KIND_END
  CodeOrder *order; // by instruction
  VEC(Site) sites;
  VEC(Constant) constants;
  VEC(SpecialSlot) specials;
  VEC(SharedVar) shared_vars;
  VEC(ParamSlot) param_slots;
  VEC(WrittenSlot) written; // they need no zeros when a warp starts
  uint32_t register_bytes;
  uint32_t shared_bytes, dynamic_shared;       // Static size; offset of the dynamic part.
  uint32_t local_bytes;                        // Per thread.
  uint32_t reqntid[3], maxntid[3], cluster[3]; // Zero: none
  // Registers per thread at kernel entry, if setmaxnreg has an effect. 0: there is no setmaxnreg, or ptxas
  // ignores it.
  uint32_t registers;
  bool has_tcgen05;  // uses tensor memory
  bool uses_dynamic; // of shared memory, by the address of an .extern variable
} Program;

// The start of the windows of other state spaces in the generic address space. Global addresses are below
// them.
static const uint64_t PARAM_WINDOW = 0x7c0000000000u, LOCAL_WINDOW = 0x7d0000000000u,
                      SHARED_WINDOW = 0x7e0000000000u, WINDOW_BYTES = 0x10000000000u;

#endif
