// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets. Constexpr values are in const.c.
#include "ir/spec.h"

#include "ir/ir.h"

const char *const fp32_dot_names[] = {
#define X(name, spelling, meaning) spelling,
#include "ir/fp32_dot.def"
#undef X
    NULL};

const char *const tma_names[] = {"auto", "on", "off", NULL};
const char *const warp_roles_names[] = {"auto", "on", "off", NULL};
const char *const epilogue_names[] = {"auto", "on", "off", NULL};
const char *const persist_names[] = {"auto", "on", "off", NULL};

Target target_default(void) {
  return (Target){.arch = target_fallback(),
                  .num_warps = 4,
                  .num_stages = 3,
                  .fp32_dot = FP32_DOT_IEEE,
                  .fp_contract = true,
                  .opt_level = 3};
}

bool target_parse_arch(Str text, Target *target) {
  const TargetInfo *arch = target_find(text);
  if (arch) target->arch = arch;
  return arch != NULL;
}

void target_print_arch(const Target *target, Buf *out) {
  buf_text(out, target->arch ? target->arch->name : "none");
}

const ParamSpec *spec_param(const Spec *spec, const char *name) {
  for (uint32_t i = 0; i < spec->param_count; i++)
    if (spec->params[i].name && strcmp(spec->params[i].name, name) == 0) return &spec->params[i];
  return NULL;
}
