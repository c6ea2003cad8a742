// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of architectures. Only this file and target/target.def use architecture numbers.
#include "target/target.h"

#include "base/fault.h"

enum {
  MMA_TURING = MMA_FP16,
  MMA_AMPERE = MMA_FP16 | MMA_FP16_K16 | MMA_BF16 | MMA_TF32 | MMA_INT8 | MMA_FP64,
  MMA_ADA = MMA_AMPERE | MMA_FP8,
  KB = 1024,
};

// Sets of FEATURE_*, for the rows' column `more`.
enum {
  MORE_100 = FEATURE_CLUSTER_CONTROL | FEATURE_F32X2 | FEATURE_WIDE_ACCESS,
  MORE_SUFFIXED = MORE_100 | FEATURE_CLUSTER_CONTROL_MULTICAST | FEATURE_FP4,
  MORE_TCGEN05 = MORE_SUFFIXED | FEATURE_TCGEN05 | FEATURE_PAIR_COPIES,
  MORE_100F = MORE_TCGEN05 | FEATURE_TCGEN05_SCALE_D,
  MORE_100A =
      MORE_100F | FEATURE_TCGEN05_I8 | FEATURE_TCGEN05_SHIFT | FEATURE_TCGEN05_SCALE_VEC | FEATURE_STOCHASTIC,
  MORE_103A = MORE_100F | FEATURE_TCGEN05_SHIFT | FEATURE_TCGEN05_SCALE_VEC | FEATURE_TCGEN05_LD_RED |
              FEATURE_STOCHASTIC,
  MORE_110A = MORE_TCGEN05 | FEATURE_TCGEN05_I8 | FEATURE_TCGEN05_SHIFT | FEATURE_TCGEN05_SCALE_VEC |
              FEATURE_TCGEN05_LD_RED,
  MORE_120A = MORE_SUFFIXED | FEATURE_MMA_SCALED,
};

static const TargetInfo rows[] = {
#define X(name, sm, a, ptx, fp8, cpa, hint, redux, bf16, vred, gdc, proxy, wg, more, mma, rank, box, cl,     \
          bar, least, most, fixed, opted, reserved, regs, thread, warps, blocks, fp16, tf32, fp8_rate, int8, \
          fp64, fma, mufu, card, sms, l2, gb)                                                                \
  {#name,      sm,         a != 0,        ptx,  fp8,    cpa,   hint,   redux, redux, bf16,     bf16,  bf16,  \
   vred,       gdc,        proxy,         wg,   more,   mma,   rank,   box,   cl,    bar,      least, most,  \
   fixed * KB, opted * KB, reserved * KB, regs, thread, warps, blocks, fp16,  tf32,  fp8_rate, int8,  fp64,  \
   fma,        mufu,       card,          sms,  l2,     gb},
#include "target/target.def"
#undef X
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

const TargetInfo *target_list(uint32_t *count) {
  *count = ROW_COUNT;
  return rows;
}

const TargetInfo *target_find(Str name) {
  for (uint32_t i = 0; i < ROW_COUNT; i++)
    if (str_is(name, rows[i].name)) return &rows[i];
  return NULL;
}

const TargetInfo *target_fallback(void) { return target_find(STR("sm_90a")); }

const TargetInfo *target_base(const TargetInfo *info) {
  const TargetInfo *base = info;
  while (base->is_specific) base--;
  if (base->sm != info->sm) BUG("%s has no base", info->name);
  return base;
}

const TargetInfo *target_of_device(int major, int minor) {
  const TargetInfo *best = NULL;
  for (uint32_t i = 0; i < ROW_COUNT; i++) {
    int row_major = rows[i].sm / 10, row_minor = rows[i].sm % 10;
    bool exact = row_major == major && row_minor == minor;
    bool older = row_major < major || (row_major == major && row_minor <= minor);
    if (older && (exact || !rows[i].is_specific)) best = &rows[i];
  }
  return best;
}

void target_capability(const TargetInfo *info, uint32_t *major, uint32_t *minor) {
  *major = info->sm / 10u;
  *minor = info->sm % 10u;
}

bool target_runs_on(const TargetInfo *code, const TargetInfo *device) { return code->sm == device->sm; }

const char *target_since(size_t offset) {
  for (uint32_t i = 0; i < ROW_COUNT; i++)
    if (*(const bool *)((const char *)&rows[i] + offset)) return rows[i].name;
  BUG("no architecture has the feature");
}
