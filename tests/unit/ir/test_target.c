// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of architectures: its rows agree with themselves and with one another, a device gets the right
// one, and the simulator's chip is the default row's.

#include "tests/unit/unit.h"
#include "ir/spec.h"
#include "target/tuning.h"
#include "sim/machine/chip.h"

static const TargetInfo *row(const char *name) {
  const TargetInfo *info = target_find(str_from(name));
  if (!info) fail_msg("no row %s", name);
  return info;
}

TEST(test_names) {
  uint32_t count;
  const TargetInfo *list = target_list(&count);
  for (uint32_t i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "sm_%u", list[i].sm);
    const char *suffix = list[i].name + strlen(name);
    assert_memory_equal(list[i].name, name, strlen(name));
    assert_true(list[i].is_specific ? strcmp(suffix, "a") == 0 || strcmp(suffix, "f") == 0 : suffix[0] == 0);
    snprintf(name, sizeof name, "%s", list[i].name);
    assert_ptr_equal(target_find(str_from(name)), &list[i]);
    if (i) assert_true(list[i].sm > list[i - 1].sm || strcmp(list[i].name, list[i - 1].name) != 0);
    if (i && list[i].sm == list[i - 1].sm) assert_true(list[i].is_specific);
    Target target = target_default();
    Buf out = {0};
    assert_true(target_parse_arch(str_from(name), &target));
    target_print_arch(&target, &out);
    assert_string_equal(out.at, name);
    buf_free(&out);
  }
}

// A suffix adds instructions; the chip and the card are the same.
TEST(test_suffixed_rows_are_their_bases) {
  uint32_t count;
  const TargetInfo *list = target_list(&count);
  for (uint32_t i = 0; i < count; i++) {
    if (!list[i].is_specific) continue;
    TargetInfo row = list[i];
    const TargetInfo *base = target_base(&list[i]);
    assert_true(base->sm == row.sm && !base->is_specific);
    assert_true(row.setmaxnreg_most && !base->setmaxnreg_most && !base->has_wgmma);
    assert_true(row.ptx >= base->ptx && row.mma == base->mma && row.tensor_rank == base->tensor_rank);
    assert_true(target_has(&row, base->more) && (row.more != base->more) == (base->more != 0));
    assert_true(row.shared_limit == base->shared_limit && row.warps == base->warps &&
                row.blocks == base->blocks);
    assert_true(row.tensor_fp16 == base->tensor_fp16 && row.multiprocessors == base->multiprocessors);
    assert_string_equal(row.card, base->card);
  }
}

TEST(test_limits) {
  uint32_t count;
  const TargetInfo *list = target_list(&count);
  for (uint32_t i = 0; i < count; i++) {
    const TargetInfo *info = &list[i];
    assert_true(info->warps >= BLOCK_MAX_WARPS && info->blocks <= info->warps);
    assert_true(info->shared_static <= info->shared_limit);
    assert_true(info->thread_registers == MAXNREG_MAX);
    assert_true((info->tensor_rank == 0) == (info->tensor_box == 0));
    assert_true(info->setmaxnreg_least <= info->setmaxnreg_most && info->setmaxnreg_most % 8 == 0);
    assert_true((info->mma & MMA_FP8) ? info->fp8_ptx > 0 : info->fp8_ptx == 0);
    assert_true((info->card[0] != 0) == (info->bandwidth > 0));
  }
  assert_string_equal(target_since(offsetof(TargetInfo, has_cp_async)), "sm_80");
  assert_string_equal(target_since(offsetof(TargetInfo, has_wgmma)), "sm_90a");
}

TEST(test_devices) {
  static const struct {
    int major, minor;
    const char *name;
  } devices[] = {{7, 5, "sm_75"},    {8, 0, "sm_80"},    {8, 1, "sm_80"},    {8, 6, "sm_86"},
                 {8, 7, "sm_87"},    {8, 9, "sm_89"},    {9, 0, "sm_90a"},   {9, 9, "sm_90"},
                 {10, 0, "sm_100a"}, {10, 2, "sm_101"},  {10, 3, "sm_103a"}, {11, 0, "sm_110a"},
                 {12, 0, "sm_120a"}, {12, 1, "sm_121a"}, {12, 5, "sm_121"},  {13, 0, "sm_121"}};
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    const TargetInfo *info = target_of_device(devices[i].major, devices[i].minor);
    assert_non_null(info);
    assert_string_equal(info->name, devices[i].name);
  }
  assert_null(target_of_device(7, 0));
  assert_null(target_of_device(6, 1));
  assert_true(target_runs_on(row("sm_90"), row("sm_90a")) && !target_runs_on(row("sm_90"), row("sm_100")));
}

// sim/ knows nothing of ir/.
TEST(test_the_simulators_chip) {
  const TargetInfo *info = target_fallback();
  assert_int_equal(CHIP_MULTIPROCESSORS, info->multiprocessors);
  assert_int_equal(CHIP_BLOCK_THREADS, BLOCK_MAX_THREADS);
  assert_int_equal(CHIP_BLOCK_THREADS_Z, BLOCK_MAX_Z);
  assert_int_equal(CHIP_SM_THREADS, TARGET_WARP * info->warps);
  assert_int_equal(CHIP_SM_BLOCKS, info->blocks);
  assert_int_equal(CHIP_BLOCK_SHARED, info->shared_limit);
  assert_int_equal(CHIP_SM_SHARED, info->shared_limit + info->shared_reserved);
  assert_int_equal(CHIP_SM_SHARED_OF_BLOCK, info->shared_reserved);
  assert_int_equal(CHIP_GRID_BLOCKS_X, GRID_MAX_X);
  assert_int_equal(CHIP_GRID_BLOCKS_YZ, GRID_MAX_YZ);
  assert_int_equal(CHIP_BLOCK_BARRIERS, info->named_barriers);
  assert_int_equal(CHIP_SM_REGISTERS, info->registers);
  assert_int_equal(CHIP_REGISTERS_LEAST, info->setmaxnreg_least);
  assert_int_equal(CHIP_REGISTERS_MOST, info->setmaxnreg_most);
  assert_int_equal(CHIP_TENSOR_RANK, info->tensor_rank);
  assert_int_equal(CHIP_TENSOR_BOX, info->tensor_box);
}

TEST(test_tuning_constants_are_positive) {
#define X(name, value, unit, what, measured)                                                                 \
  assert_true(TUNE_##name > 0 && (unit)[0] && (what)[0] && (measured)[0]);
#include "target/tuning.def"
#undef X
}

WHOLE_SUITE(target)
