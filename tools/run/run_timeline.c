// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec run --timeline: the simulator's timeline, with the latencies of the cost model, or a GPU's, with the records of
// the code.
#include "codegen/timeline_record.h"
#include "cost/cost.h"
#include "runtime/device/device.h"
#include "sim/timeline/timeline.h"
#include "tools/run/run.h"

enum { QUARTERS = 4 };
// Clocks. Each quarter of a multiprocessor issues one instruction a clock, of one of its warps. A load from shared memory
// takes about 30 (arXiv 2402.13499).
static const double ISSUE = 2, SHARED_LOAD = 30;

// --- on a GPU

bool run_records(const Run *run) { return run->options->timeline && run->device->kind == &device_cuda; }

static size_t record_bytes(const KernelImage *image) {
  return image->threads[0] / 32 * TIMELINE_RECORDS * sizeof(TimelineRecord);
}

static bool begin_records(Run *run, const KernelImage *image) {
  const DeviceKind *kind = run->device->kind;
  size_t bytes = record_bytes(image);
  tilec_status status = kind->alloc(run->device, bytes, &run->records);
  if (!status) status = kind->fill(run->device, run->records, 0, bytes);
  return status ? run_device_failed(status) == EXIT_DONE : true;
}

// The two clocks at the first record. tick: the nanoseconds of a tick of the faster one, which changes with the load.
// It is 0 if the launch was too short to know it, or so long that this clock may have wrapped.
typedef struct Clocks {
  uint64_t ns;
  uint32_t clock;
  double tick;
} Clocks;

static Clocks clocks_of(const TimelineRecord *records, uint32_t warps) {
  const double MOST = 1e9;
  const TimelineRecord *first = records + 1, *last = first;
  for (uint32_t warp = 1; warp < warps; warp++) {
    const TimelineRecord *own = records + warp * TIMELINE_RECORDS + 1;
    if ((int32_t)(own->clock - first->clock) < 0) first = own;
  }
  for (uint32_t i = 0; i < warps * TIMELINE_RECORDS; i++)
    if (records[i].mark && records[i].ns > last->ns) last = &records[i];
  double ns = (double)(last->ns - first->ns), ticks = (double)(uint32_t)(last->clock - first->clock);
  return (Clocks){first->ns, first->clock, ns > 0 && ns < MOST && ticks > 0 ? ns / ticks : 0};
}

static double time_of(const Clocks *from, const TimelineRecord *record) {
  if (from->tick > 0) return (double)(int32_t)(record->clock - from->clock) * from->tick;
  return (double)(int64_t)(record->ns - from->ns);
}

static Slice slice_of(const TimelineRecord *record, uint32_t warp, const Clocks *clocks) {
  static const char *const names[] = {
      [MARK_DOT] = "dot",
      [MARK_WAIT_COPIES] = "wait: cp.async",
      [MARK_WAIT_STORES] = "wait: TMA stores",
      [MARK_WAIT_DOT] = "wait: dot",
      [MARK_WAIT_MBARRIER] = "wait: mbarrier",
      [MARK_WAIT_BARRIER] = "wait: barrier",
      [MARK_WAIT_GRID] = "wait: grid",
      [MARK_END] = NULL,
  };
  TimelineMark mark = record->mark >> TIMELINE_LINE_BITS;
  return (Slice){.kind = mark == MARK_RUN   ? SLICE_RUN
                         : mark == MARK_DOT ? SLICE_MMA
                                            : SLICE_WAIT,
                 .name = names[mark],
                 .line = record->mark & ((1u << TIMELINE_LINE_BITS) - 1),
                 .warp = warp,
                 .begin = time_of(clocks, record),
                 .end = time_of(clocks, record + 1)};
}

static Timeline *measured(Run *run, const KernelImage *image, const TimelineRecord *records, bool *whole) {
  uint32_t warps = image->threads[0] / 32, sm = 0;
  Clocks clocks = clocks_of(records, warps);
  for (uint32_t i = 0; i < warps * TIMELINE_RECORDS; i++)
    if (records[i].mark >> TIMELINE_LINE_BITS == MARK_END)
      sm = records[i].mark & ((1u << TIMELINE_LINE_BITS) - 1);
  Timeline *t =
      timeline_measured(image->name, warps,
                        arena_printf(run->arena,
                                     "measured on %s, multiprocessor %u, by %%globaltimer and %%clock; the "
                                     "records take time themselves",
                                     run->device->card[0] ? run->device->card : run->device->name, sm));
  for (uint32_t warp = 0; t && warp < warps; warp++) {
    const TimelineRecord *at = records + (size_t)warp * TIMELINE_RECORDS, *end = at + TIMELINE_RECORDS;
    for (at++; at + 1 < end && at[1].mark; at++) timeline_add(t, slice_of(at, warp, &clocks));
    *whole &= at->mark >> TIMELINE_LINE_BITS == MARK_END;
  }
  return t;
}

static Timeline *read_records(Run *run, const KernelImage *image, bool *whole) {
  TimelineRecord *records = arena_alloc(run->arena, record_bytes(image));
  tilec_status status = run->device->kind->read(run->device, run->records, records, record_bytes(image));
  if (status) return (void)run_device_failed(status), NULL;
  return measured(run, image, records, whole);
}

// --- on the simulator

static bool begin_model(Run *run, Timeline **timeline) {
  const TargetInfo *arch = run->spec.target.arch;
  CostLatencies known;
  if (!device_simulator(run->device))
    return tool_error("[T1006] --timeline records on the simulator or a GPU, not on %s", run->device->name),
           false;
  if (!cost_latencies(arch, NULL, &known))
    return tool_error("[T1006] --timeline: no latencies are known for %s", arch->name), false;
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

bool run_timeline_begin(Run *run, const KernelImage *image, Timeline **timeline) {
  *timeline = NULL;
  if (!run->options->timeline) return true;
  return run_records(run) ? begin_records(run, image) : begin_model(run, timeline);
}

ExitStatus run_timeline_end(Run *run, Timeline *timeline, const KernelImage *image, ExitStatus result) {
  Buf out = {0};
  bool whole = true, asked = timeline || run->records;
  if (run->records && result == EXIT_DONE) timeline = read_records(run, image, &whole);
  if (run->records && !run->device->gave_up) run->device->kind->release(run->device, run->records);
  run->records = 0;
  bool good =
      timeline && timeline_write(timeline, whole, &out) && tool_write(run->options->timeline, buf_view(&out));
  if (device_simulator(run->device)) timeline_record(device_simulator(run->device), NULL);
  timeline_free(timeline);
  buf_free(&out);
  return asked && !good && result == EXIT_DONE ? EXIT_DIAGNOSED : result;
}
