// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that execute instructions. decode chooses them, warps call them.
#ifndef SIM_EXEC_EXEC_H
#define SIM_EXEC_EXEC_H

#include "sim/ptx/insn.h"

// The function that applies `op` to operands of `type`. NULL: no such instruction. `form`: MOD_LO, HI,
// HI_SAT, WIDE, SAT, RELU or NONE.
ExecFn *exec_int_find(Operation op, PtxType type, Modifier form);
ExecFn *exec_bits_find(Operation op, PtxType type, bool named_mode); // prmt's mode is insn->extra
ExecFn *exec_field_find(Operation op);
ExecFn *exec_product_find(Operation op);
ExecFn *exec_f32_find(Operation op);
ExecFn exec_f32_pair; // add, sub, mul, fma of pairs of f32
ExecFn exec_f32_min3, exec_f32_max3;
ExecFn exec_f32_mixed; // add, sub, fma of f32 with halves
ExecFn *exec_f64_find(Operation op);
ExecFn *exec_half_find(Operation op, PtxType type);
// Comparisons. `compare` is "eq", "ltu" and so on. They write the predicates dst and dst2 (slot UINT32_MAX:
// none), combined with src[2] by insn->extra.
ExecFn *exec_compare_find(Str compare, PtxType type);
// setp of f16x2 and bf16x2. *where is the value for insn->round.
ExecFn *exec_compare_pair_find(Str compare, uint8_t *where);
ExecFn *exec_select_find(uint32_t bytes);

ExecFn *exec_mov_find(uint32_t bytes); // bytes per lane

// The conversion function for a complete instruction.
ExecFn *exec_convert_find(const Insn *insn);
typedef enum Fp8Form { FP8_FROM_F32, FP8_FROM_F16X2, FP8_TO_F16X2 } Fp8Form; // exec_convert_fp8's insn->extra
typedef enum NarrowFloat {
  NARROW_E4M3,
  NARROW_E5M2,
  NARROW_E2M1,
  NARROW_E2M3,
  NARROW_E3M2,
  NARROW_COUNT, // f16 and bf16: only results of cvt.rs
  NARROW_F16 = NARROW_COUNT,
  NARROW_BF16
} NarrowFloat;
// The number with the format's bits. Bits above the sign are ignored.
float float_of_narrow(uint32_t bits, NarrowFloat format);
float float_of_scale(uint32_t bits, bool e4m3); // of 8 bits: ue4m3, or ue8m0
// exec_convert_ue8m0's insn->extra.
typedef enum Ue8m0Form { UE8M0_FROM_F32, UE8M0_FROM_BF16X2, UE8M0_TO_BF16X2 } Ue8m0Form;
ExecFn exec_convert_fp8, exec_convert_random, exec_convert_ue8m0, exec_convert_tf32,
    exec_convert_pack;                  // see exec_narrow.c
ExecFn exec_convert, exec_convert_pair; // insn->from, to, round, flags
ExecFn exec_set_pair, exec_slct, exec_testp, exec_predicate_logic;
ExecFn exec_mov_wide, exec_pack_wide, exec_unpack_wide; // 128 bits
ExecFn exec_mov_predicate, exec_pack, exec_unpack, exec_clock, exec_window, exec_isspacep;
// exec_carry's insn->extra: a + b, a - b, or the low or high half of a * b, plus c.
typedef enum CarryForm { CARRY_SUM, CARRY_DIFFERENCE, CARRY_PRODUCT_LOW, CARRY_PRODUCT_HIGH } CarryForm;
ExecFn exec_f64_gross, exec_carry, exec_lop3_predicate, exec_match;
ExecFn exec_vprintf, exec_assertfail; // src: local memory addresses of the arguments and of vprintf's result
ExecFn exec_load, exec_store, exec_atomic;
ExecFn exec_multimem_load, exec_multimem_store, exec_multimem_red;
ExecFn exec_copy, exec_copy_arrive, exec_async_commit, exec_async_wait, exec_bulk, exec_tensor,
    exec_store_async;
// exec_mbarrier's insn->extra.
typedef enum MbarrierChange {
  MBARRIER_INIT,
  MBARRIER_INVAL,
  MBARRIER_ARRIVE,
  MBARRIER_ARRIVE_EXPECT_TX,
  MBARRIER_EXPECT_TX,
  MBARRIER_COMPLETE_TX
} MbarrierChange;
ExecFn exec_mbarrier, exec_mbarrier_test, exec_mbarrier_pending, exec_fence, exec_mapa, exec_cta_rank;
// clusterlaunchcontrol. exec_cancel_query's insn->extra: its form.
typedef enum CancelQuery { CANCEL_IS_CANCELED, CANCEL_X, CANCEL_Y, CANCEL_Z, CANCEL_ALL } CancelQuery;
ExecFn exec_cancel, exec_cancel_query;
// exec_map_replace's insn->extra: the field of a tensor map.
typedef enum MapField {
  MAP_ADDRESS,
  MAP_RANK,
  MAP_BOX_DIM,
  MAP_GLOBAL_DIM,
  MAP_GLOBAL_STRIDE,
  MAP_ELEMENT_STRIDE,
  MAP_ELEMENT_TYPE,
  MAP_INTERLEAVE,
  MAP_SWIZZLE,
  MAP_FILL
} MapField;
ExecFn exec_map_replace, exec_map_copy;
ExecFn exec_ldmatrix, exec_stmatrix, exec_movmatrix, exec_mma, exec_mma_scaled, exec_wgmma, exec_wgmma_fence;
ExecFn exec_tmem_load, exec_tmem_store, exec_tcgen05_mma, exec_tcgen05_cp, exec_tcgen05_shift,
    exec_tcgen05_commit;
ExecFn exec_video; // see exec_video.c
ExecFn exec_shfl, exec_vote, exec_activemask, exec_redux, exec_elect, exec_nothing;

#endif
