// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec --help.
#include "tools/options.h"

typedef struct OptionHelp {
  const char *name, *short_name, *value, *commands, *help;
} OptionHelp;

static const OptionHelp options[] = {
#define X(id, name, short_name, value, commands, help) {name, short_name, value, commands, help},
#include "tools/options.def"
#undef X
};

static void print_targets(Buf *out) {
  enum { A_LINE = 10 };
  uint32_t count;
  const TargetInfo *list = target_list(&count);
  buf_printf(out, "\nlimits: --num-warps 1 to %d, --num-stages 1 to %d, --maxnreg 1 to %d\narchitectures:",
             NUM_WARPS_MAX, NUM_STAGES_MAX, MAXNREG_MAX);
  for (uint32_t i = 0; i < count; i++)
    buf_printf(out, "%s %s", i && i % A_LINE == 0 ? "\n              " : "", list[i].name);
  buf_printf(out, "\n               (%s where neither --arch nor a GPU says)\n", target_fallback()->name);
}

void options_print_help(Buf *out) {
  buf_text(
      out,
      "usage: tilec [compile] FILE [options]\n"
      "       tilec run FILE [options] NAME=SPEC...\n"
      "       tilec run FILE.ptx --kernel NAME --threads T[,Y[,Z]] --grid X[,Y[,Z]] [options] SPEC...\n"
      "       tilec bench FILE ...as run...               the median time of a launch, on the device\n"
      "       tilec check FILE ...as run...               every checker, all schedules of the simulator\n"
      "       tilec cache list|verify|clear|path          what run, bench and the library's launches keep on disk\n\n"
      "FILE: .tile, .py (its @triton.jit functions), .tir, or - for standard input\n"
      "SPEC: 128, 1.5, None, or randn:fp32[64,200]  rand: zeros: ones: empty: arange:i32[100]  "
      "@x.npy  @x.npy:bf16\n"
      "      &NAME (the same buffer); any of them may end in +BYTES: the argument then points that "
      "far into the buffer\n\n"
      "options (C: compile, R: run, bench and check, K: cache):\n");
  for (size_t id = 0; id < sizeof options / sizeof *options; id++) {
    const OptionHelp *info = &options[id];
    Buf left = {0};
    buf_printf(&left, "%s%s%s", info->short_name, info->short_name[0] && info->name[0] ? ", " : "",
               info->name);
    if (info->value[0]) buf_printf(&left, " %s", info->value);
    buf_printf(out, "  %-3s%-28s %s\n", info->commands, left.at, info->help);
    buf_free(&left);
  }
  print_targets(out);
  buf_text(
      out,
      "\nexit status: 0 done; 1 a diagnosed error or a failed check; 2 wrong usage; 70 a bug of tilec's\n");
}
