// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets. Constexpr values are in const.c.
#include "ir/spec.h"

#include "ir/ir.h"

// The architectures of sm_75 and newer that LLVM 22 knows.
static const uint16_t architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};

Target target_default(void) {
  return (Target){.sm = 90,
                  .arch_specific = true,
                  .num_warps = 4,
                  .num_stages = 3,
                  .fp32_dot = FP32_DOT_IEEE,
                  .fp_contract = true,
                  .opt_level = 3};
}

bool target_parse_arch(Str text, Target *target) {
  if (!str_starts(text, "sm_") || text.n > 7) return false;
  bool specific = text.at[text.n - 1] == 'a';
  uint32_t sm = 0;
  for (size_t i = 3; i < text.n - specific; i++) {
    if (text.at[i] < '0' || text.at[i] > '9' || (i == 3 && text.at[i] == '0')) return false;
    sm = sm * 10 + (uint32_t)(text.at[i] - '0');
  }
  if (specific && sm < 90) return false;
  for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
    if (architectures[i] == sm) {
      target->sm = (uint16_t)sm;
      target->arch_specific = specific;
      return true;
    }
  return false;
}

void target_print_arch(const Target *target, Buf *out) {
  buf_printf(out, "sm_%u%s", target->sm, target->arch_specific ? "a" : "");
}
