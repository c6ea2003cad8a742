// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec run, in parts: matching the arguments with the parameters (run_args.c) and binding them (run_bind.c), the run
// itself (run_command.c), what it tells (run_report.c).
#ifndef TOOLS_RUN_RUN_H
#define TOOLS_RUN_RUN_H

#include "base/json.h"
#include "eval/eval.h"
#include "runtime/device/device.h"
#include "runtime/device/sim_report.h"
#include "runtime/launch/specialise.h"
#include "tools/run/argument.h"
#include "tools/tool.h"

// One run-time parameter of the kernel (of PTX files: one argument), and what it was given.
typedef struct RunArg {
  const char *name;
  RunParam param; // not of PTX files
  Loc loc;        // where the kernel declares it; of .tir and PTX files none
  bool given;
  Argument value;
  struct RunArg *items; // TUPLE: value's, which are among the holders of buffers: "t[0]", "t.x"
  uint32_t item_count;
  const char *field;      // of a tuple's item; NULL: it has no name
  struct RunArg *buffer;  // whose buffer it points into: itself, or another for &NAME; NULL: no buffer
  uint64_t base, address; // of the buffer, and with the offset
  uint8_t *result;        // the buffer's bytes after the run
} RunArg;

// An array of --expect, and the buffer that it is compared with.
typedef struct RunExpected {
  const RunArg *param;
  Expected array;
  bool reported; // check: one report for all schedules
} RunExpected;

// How a buffer compared with what it should hold: --check's and --expect's, for --stats and diagnostics.
typedef struct Comparison {
  const RunArg *param;
  const char *with; // "the reference evaluator"; the array's file
  bool of_array;    // --expect's
  uint64_t elements, compared, outputs, uncertain, unread, wrong; // outputs, uncertain, unread: as in EvalCheck
  uint64_t first;              // wrong element, where there is one
  const char *got, *expected; // of it, as decimals; NULL: it is no whole element
} Comparison;

typedef struct Run {
  const Options *options;
  Arena *arena;
  Compilation *c;
  RunArg *params;
  uint32_t param_count;
  uint32_t holder_count; // with items of tuples and those of --buffer, which follow: what may have a buffer
  uint32_t bit_count;    // parameters of the kernel, once the arguments are bound
  Str text; // the file's
  Spec spec;
  VEC(const char *) defines; // constexprs given as arguments: NAME=VALUE
  tilec_device *device;
  RunExpected *expected; // of options->expectations
  VEC(Comparison) comparisons;
  uint32_t warnings;     // of the run, as --strict counts them
  double began;          // device_clock at its first launch; 0: none yet
  const BoundArgs *bound; // the launch's arguments; NULL before they are bound, and of PTX files
  const uint64_t *bits; // of the launch's arguments; NULL before they are bound
  PassTextList *pass_texts; // that compiling fills; NULL: not asked for
  bool has_data;        // buffers are filled: all commands' are but what explain does not simulate and tune only predicts
  Func *host;           // after run_compile: has the parameters and host regions of the code; NULL of PTX files
} Run;

// The argument whose buffer is its own, of that name; NULL: none.
const RunArg *run_find_buffer(const Run *run, const char *name);
// The argument or --buffer of that name; NULL: there is none.
const RunArg *run_find_holder(const Run *run, const char *name);
// "out"; of a PTX file's "argument 2".
const char *run_arg_name(const Run *run, const RunArg *param);

// The device's architecture, where no option says one.
void run_take_arch(Run *run);
// What may be left of --timeout and the other limits, for the next launch or wait; Ctrl-C ends it.
LaunchLimits run_limits(Run *run);
// Whether nothing is left of --timeout, or Ctrl-C was pressed.
bool run_is_over(Run *run);

// Says what is wrong with an argument where the kernel declares its parameter; false.
bool run_refuse(Run *run, const RunArg *param, const char *text);
// Splits the command line's NAME=SPEC into constexprs (of run->spec) and parameters, with their data. False,
// having said why.
bool run_match_arguments(Run *run);
// The same for a PTX file, whose arguments have no names: they are called "0", "1", ...
bool run_match_ptx(Run *run);
ExitStatus run_ptx(Run *run, tilec_buffer **buffers);
// The PTX file as the options say to launch it. False, having said why.
bool run_ptx_image(const Run *run, KernelImage *image);
// device_load; TILEC_ERROR_COMPILE, with the error in run->c, where the simulator does not take the user's PTX.
tilec_status run_load(Run *run, const KernelImage *image, DeviceKernel *kernel);
// Its arguments' bits, once the buffers have addresses.
void run_ptx_bits(const Run *run, uint64_t *bits);
// After the buffers have addresses: the arguments' bits and what is known of them. False, having said why,
// where they do not fit.
bool run_bind(Run *run, BoundArgs *bound);
// The arguments as the library takes them, with the buffers' addresses.
tilec_arg *run_launch_args(const Run *run);
// Adds to run->spec the types and facts of `bound`; of a .tir file, which is specialised already, nothing.
void run_specialise(Run *run, const BoundArgs *bound);

// Device memory for every buffer of the run, with its initial bytes; sets bases and addresses.
tilec_status run_place_buffers(Run *run, tilec_buffer **buffers);
// Every buffer's bytes, in the arguments' results.
tilec_status run_read_buffers(Run *run, tilec_buffer **buffers);
// Compiles run->c for run->spec: to PTX, or for the evaluator to tile IR before the first pass. Without tensor copies
// where their maps cannot be made of the arguments.
tilec_status run_compile(Run *run, const BoundArgs *bound, KernelImage *image);

// Whether the tensor maps that the code takes can be made of the arguments, for a launch of `grid` programs.
tilec_status run_can_map(const Run *run, const uint64_t *bits, const int64_t grid[3], bool *can);
// What the code takes: the arguments, and its tensor maps on run->device. In the run's arena.
typedef struct CodeArgs {
  const uint64_t *bits;
  uint32_t count;
} CodeArgs;
tilec_status run_code_args(const Run *run, const uint64_t *bits, const int64_t grid[3], CodeArgs *code);
// Says that kernel `name` has no grid, with a command line that has one; false.
bool run_ask_grid(Run *run, const char *name);
// The grid as given, or as the kernel says. False, having said why.
bool run_grid(Run *run, Func *func, const uint64_t *bits, int64_t grid[3]);
// Loads, launches and waits; the caller unloads the kernel, also where this fails.
tilec_status run_load_and_launch(Run *run, const KernelImage *image, const int64_t grid[3], const uint64_t *bits,
                                 DeviceKernel *kernel);
// Loads, launches, waits, reads the buffers back and reports them.
ExitStatus run_launch(Run *run, const KernelImage *image, const int64_t grid[3], const uint64_t *bits,
                      tilec_buffer **buffers);
// The simulator's counters as members.
void run_json_counters(const tilec_sim_counters *counters, Json *json);
// --stats: the line to where the options say. False, having said why.
bool run_write_stats(const Run *run, Str line);
// --save and --stats; `result`, or EXIT_DIAGNOSED where one of them failed.
ExitStatus run_outputs(const Run *run, ExitStatus result);
// How reports of the run name its buffers, and where they go.
BufferName run_buffer_name(const RunArg *param);
ReportContext run_report_context(const Run *run);
// What a launch on the simulator or the evaluator did wrong, as diagnostics; what the runtime said otherwise.
ExitStatus run_launch_failed(Run *run, const int64_t grid[3], tilec_status status);
// Says what the runtime said; the exit status that `status` means.
ExitStatus run_device_failed(tilec_status status);

// The same, where errors in the user's PTX may stand in run->c (run_load).
ExitStatus run_failed(Run *run, tilec_status status);

// tilec bench: the median time of a launch, and the bytes of the buffers over it.
ExitStatus run_bench(Run *run, tilec_buffer **buffers);
double bench_median(double *values, int count); // sorts them
// Bytes a second of a copy, read and written, on a GPU; takes 1 GiB of its memory for the time.
tilec_status bench_copy_ceiling(tilec_device *device, Arena *arena, double *bytes_per_second);

// tilec explain: the kernel is compiled for the arguments, and nothing runs. There are no buffers, only addresses.
ExitStatus explain_source(Run *run, tilec_buffer **buffers);

// tilec tune: `buffers` are there unless it only predicts.
ExitStatus tune_source(Run *run, tilec_buffer **buffers);
// The options with the first value of each range.
Options tune_first(const Options *options, Arena *arena);

// tilec check, of a source and of a PTX file.
ExitStatus check_source(Run *run, tilec_buffer **buffers);
ExitStatus check_ptx(Run *run, tilec_buffer **buffers);

// --check, for what the run left in the buffers: says of each what it was compared with and how that went,
// and how wrong the first wrong element is. Where nothing could be compared the check has failed.
ExitStatus run_check(Run *run, const int64_t grid[3], const BoundArgs *bound);
// The same in two steps, for several runs from the same data. *reference is to be freed in every case.
// `prefix` stands before each line on standard output.
typedef struct Reference Reference;
// The reference's reports stay with it until run_take_reports adds them to run->c's, but for errors that stand
// there already. `status`: of the evaluation, as an exit status then. That it did not get to its end
// (run_gave_up) is a warning of the run, and an error only of --check, which has nothing to compare with.
tilec_status run_evaluate(Run *run, const int64_t grid[3], const BoundArgs *bound, const LaunchLimits *limits,
                          Reference **reference);
// The same for what only the evaluator sees, within a few times the `seconds` that a launch took.
tilec_status run_evaluate_shortly(Run *run, const int64_t grid[3], const BoundArgs *bound, double seconds,
                                  Reference **reference);
// The buffers' bytes where they are more than an evaluation that nobody asked for may take; else 0.
uint64_t run_too_large(const Run *run);
// After a launch that the simulator ended with reports, which stand in run->c: the evaluator's of the same causes
// join them, which name a tile's first element; with --check those of other causes are told too.
void run_explain_fault(Run *run, const int64_t grid[3]);
bool run_gave_up(const Reference *reference, const char **why);
ExitStatus run_take_reports(Run *run, Reference *reference, tilec_status status);
ExitStatus run_compare(Run *run, Reference *reference, const char *prefix);
void run_reference_free(Reference *reference); // NULL: nothing

// Adds the evaluator's reports; those of a cause that is told already are joined with that report. news: the
// others too.
void run_join_reports(Diags *diags, const Diags *from, bool news);

// That a comparison went wrong, as an error at the buffer's parameter.
Diag *run_differs(Run *run, const Comparison *comparison, const char *text);
// A warning of the run: into run->c's diagnostics, and counted for --strict.
void run_warn(Run *run, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Prints run->c's diagnostics, which are said then; the exit status that `status` means.
ExitStatus run_tell(Run *run, tilec_status status);
// After a launch: elements never written, --expect, --strict. `result`: what --check found.
ExitStatus run_judge(Run *run, ExitStatus result);
// What is told once a run's results are there; diagnostics go to run->c.
void run_warn_unwritten(Run *run); // elements of `empty:` buffers that no kernel wrote
// Before the launch: reads --expect's arrays. False, having said why.
bool run_load_expectations(Run *run);
// Compares with them, a line each on standard output after `prefix`; EXIT_DIAGNOSED where one differs.
ExitStatus run_expect(Run *run, const char *prefix);
// --strict: `result`, or EXIT_DIAGNOSED, having said so, where it was good and there were warnings.
ExitStatus run_strict(const Run *run, ExitStatus result);

// Shape, type, minimum, maximum, mean and first elements of every buffer that changed,
// or was empty, on standard output.
void run_report_buffers(const Run *run);
// Before the launch: whether --save and --stats name buffers, and files that are not read or written else.
// False, having said why.
bool run_check_outputs(const Run *run);
// --save. False, having said why.
bool run_save(const Run *run);
// --stats. False, having said why.
bool run_report_stats(const Run *run);

#endif
