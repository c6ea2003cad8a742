// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public headers are C++ too: compiled, never run.
#include <tilec/tune.h>

#include <tilec/sim.h>

// Everything inline and every initialiser, as a C++ caller writes them.
tilec_status tilec_cpp_check(tilec_kernel *kernel, const tilec_buffer *buffer);

tilec_status tilec_cpp_check(tilec_kernel *kernel, const tilec_buffer *buffer) {
  tilec_compile_options compile = TILEC_COMPILE_OPTIONS_INIT;
  tilec_launch_options launch = TILEC_LAUNCH_OPTIONS_INIT;
  tilec_sim_options sim = TILEC_SIM_OPTIONS_INIT;
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, buffer), tilec_arg_int(1), tilec_arg_float(1.5),
                      tilec_arg_none(), tilec_arg_default()};
  tilec_tune_options tune = TILEC_TUNE_OPTIONS_INIT;
  tilec_tuning_summary summary = TILEC_TUNING_SUMMARY_INIT;
  tilec_configuration configuration = TILEC_CONFIGURATION_INIT;
  tilec_tune_setting setting = TILEC_TUNE_SETTING_INIT;
  launch.timeout = tune.timeout + configuration.seconds + summary.kept + setting.is_option;
  launch.grid[0] = compile.num_warps + static_cast<int64_t>(sim.threads);
  return tilec_launch(kernel, &launch, args, sizeof args / sizeof *args);
}
