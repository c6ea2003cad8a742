// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec run --timeline: the simulator's timeline, with the latencies of the cost model.
#include "cost/cost.h"
#include "runtime/device/device.h"
#include "sim/timeline/timeline.h"
#include "tools/run/run.h"

enum { QUARTERS = 4 };
// Clocks. Each quarter of a multiprocessor issues one instruction a clock, of one of its warps. A load from shared memory
// takes about 30 (arXiv 2402.13499).
static const double ISSUE = 2, SHARED_LOAD = 30;

bool run_timeline_begin(Run *run, Timeline **timeline) {
  const TargetInfo *arch = run->spec.target.arch;
  CostLatencies known;
  *timeline = NULL;
  if (!run->options->timeline) return true;
  if (!device_simulator(run->device))
    return tool_error("[T1006] --timeline records on the simulator, not on %s", run->device->name), false;
  if (!cost_latencies(arch, NULL, &known))
    return tool_error("[T1006] --timeline: no latencies are known for %s", arch->name),
           false;
  TimelineModel model = {.card = known.card,
                         .clock = known.clock,
                         .issue = ISSUE,
                         .load = known.load,
                         .shared = SHARED_LOAD * known.clock,
                         .arrival = known.arrival,
                         .link = known.link};
  const uint32_t rates[] = {
      [1] = arch->tensor_fp8, [2] = arch->tensor_fp16, [4] = arch->tensor_tf32, [8] = arch->tensor_fp64};
  for (int i = 1; i <= 8; i *= 2) model.tensor[i] = known.tensor * rates[i] / QUARTERS / known.clock;
  *timeline = timeline_new(&model);
  if (!*timeline) return tool_error("[T1005] out of memory (a timeline)"), false;
  timeline_record(device_simulator(run->device), *timeline);
  return true;
}

bool run_timeline_end(Run *run, Timeline *timeline) {
  if (!timeline) return true;
  Buf out = {0};
  bool good = timeline_write(timeline, &out) && tool_write(run->options->timeline, buf_view(&out));
  timeline_record(device_simulator(run->device), NULL);
  timeline_free(timeline);
  buf_free(&out);
  return good;
}
