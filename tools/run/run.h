// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of tilec run:
// * matching arguments with parameters: run_args.c;
// * binding them: run_bind.c;
// * the run itself: run_command.c;
// * its output: run_report.c.
#ifndef TOOLS_RUN_RUN_H
#define TOOLS_RUN_RUN_H

#include "base/json.h"
#include "eval/eval.h"
#include "runtime/device/device.h"
#include "runtime/device/sim_report.h"
#include "runtime/launch/specialise.h"
#include "tools/run/argument.h"
#include "tools/run/ask.h"
#include "tools/tool.h"

// One run-time parameter of the kernel (for PTX files: one argument), and its value.
typedef struct RunArg {
  const char *name;
  RunParam param; // not for PTX files
  Loc loc;        // where the kernel declares it; none for .tir and PTX files
  bool given;
  const char *text; // the SPEC of an argument or --buffer
  Argument value;
  struct RunArg *items; // TUPLE: the items of `value`, which are holders too: "t[0]", "t.x"
  uint32_t item_count;
  const char *field; // of a tuple's item; NULL: it has no name
  bool
      typed; // A number for a PTX file, in a tuple with its type as in 100:i64, or for a parameter of .f32 or .f64.
  Elem elem;              // The element type.
  struct RunArg *buffer;  // The owner of the buffer it points into: itself, or another for &NAME; NULL: no
                          // buffer.
  uint64_t base, address; // The buffer's; with the offset.
  uint8_t *result;        // The buffer's bytes after the run
  bool told_unwritten;    // Elements that were never written are reported.
} RunArg;

// An array of --expect, and its buffer.
typedef struct RunExpected {
  const RunArg *param;
  Expected array;
  bool reported; // check: reported once for all schedules
} RunExpected;

// The result of comparing a buffer, by --check or --expect. Used by --stats and diagnostics.
typedef struct Comparison {
  const RunArg *param;
  const char *with; // "the reference evaluator", or the array's file
  bool of_array;    // by --expect
  uint64_t elements, compared, outputs, uncertain, unread,
      wrong;                  // outputs, uncertain, unread: as in EvalCheck
  uint64_t first;             // first wrong element, if there is one
  const char *got, *expected; // its values as decimals; NULL: not a whole element
} Comparison;

struct Timeline; // sim/timeline/timeline.h

typedef struct Run {
  const Options *options;
  Arena *arena;
  Compilation *c;
  RunArg *params;
  uint32_t param_count;
  uint32_t holder_count;   // params that may have a buffer: parameters, then items of tuples and those of
                           // --buffer
  uint32_t device_holders; // of them those of one device: NAME@1 follows all of device 0
  uint32_t ordinal;        // the device whose arguments are bound
  uint32_t bit_count;      // parameters of the kernel, once the arguments are bound
  Str text;                // of the file
  Spec spec;
  const KernelInfo *lacks;   // Lacks constexprs, which a result of tilec tune may have. NULL: all are known.
  VEC(const char *) defines; // constexprs given as arguments: NAME=VALUE
  tilec_device *device;
  RunExpected *expected; // from options->expectations
  VEC(Comparison) comparisons;
  uint32_t warnings;      // Warnings of the run, as --strict counts them.
  double began;           // The seconds_now at the first launch. 0: none yet.
  const BoundArgs *bound; // The launch's arguments. NULL before they are bound, and for PTX files.
  const uint64_t *bits;   // Bits of the launch's arguments. NULL before they are bound.
  const char
      *configuration; // After run_compile: what an autotuned kernel was compiled with. NULL: it is none.
  PassTextList *pass_texts; // Filled by the compile. NULL: not asked for.
  bool has_data;            // Buffers have data. False for explain without simulation and for tune that only
                            // predicts.
  const char *
      *source_names;    // Names of a PTX file's parameters, as run_read_source finds them. NULL: not known.
  const char *ptx_hint; // Why a report of PTX may lack its place in the source. NULL: nothing.
  uint64_t records;     // On a GPU with --timeline: the address of its records. 0: none.
  Func *host;           // After run_compile: has the parameters and host regions of the code. NULL for PTX
                        // files.
} Run;

// run_devices.c. Appends copies of all holders for devices from 1 on. Call once all are linked. False after reporting
// an error.
bool run_copy_devices(Run *run);
// The holder's copy on a device.
const RunArg *run_device_copy(const Run *run, const RunArg *holder, uint32_t device);
// Where an argument points on the device whose arguments are bound.
uint64_t run_address(const Run *run, const RunArg *arg);
// Makes the multicast address of an argument that is one. Call once the buffers exist.
tilec_status run_place_multicast(Run *run, RunArg *param, tilec_buffer **buffers);
// Launches a loaded kernel on each device, with `bits` on device 0.
tilec_status run_launch_devices(Run *run, const DeviceKernel *kernel, const int64_t grid[3],
                                const uint64_t *bits);

// Reports that --save NAME or the like names no buffer, with those that there are. Returns false.
bool run_no_buffer(const Run *run, const char *option, const char *text, Str name);
// The argument of that name that owns its buffer. NULL: none.
const RunArg *run_find_buffer(const Run *run, const char *name);
// The argument or --buffer of that name. NULL: none.
const RunArg *run_find_holder(const Run *run, const char *name);
// "out"; for a PTX file "argument 2", or "argument 2 (out)" if the name is known.
const char *run_arg_name(const Run *run, const RunArg *param);

// The remaining --timeout and the other limits, for the next launch or wait. Ctrl-C ends it.
LaunchLimits run_limits(Run *run);
// Returns true if --timeout has expired or Ctrl-C was pressed.
bool run_is_over(Run *run);

// Reports a wrong argument at the kernel's declaration of the parameter. Returns false.
bool run_refuse(Run *run, const RunArg *param, const char *text);
// Splits the command line's NAME=SPEC into constexprs (of run->spec) and parameters with data. False after
// reporting an error.
bool run_match_arguments(Run *run);
bool run_takes_tuned(const Run *run); // Launches use results of tilec tune.
// Call once these are taken. An error if the kernel still lacks constexprs.
tilec_status run_ask(Run *run);
AskGiven run_given(const Run *run);
// The same for a PTX file. Its arguments have no names: they are called "0", "1", ...
bool run_match_ptx(Run *run);
ExitStatus run_ptx(Run *run, tilec_buffer **buffers);
// The entry of the PTX file that --kernel names, or its only one. Appends a list of its parameters. NULL after reporting
// an error, which lists the entries.
const char *run_chosen_entry(const Run *run, Buf *params);
// The name of a parameter of an entry. *body: the PTX after its parameters, up to the next entry. Empty: not found.
Str run_entry_param(const Run *run, const char *entry, uint32_t index, Str *body);
// Adds the sources that the PTX names, as far as they are there, and finds the names of the entry's parameters.
void run_read_source(Run *run, const char *entry);
// The source's name of an argument of a PTX file: "out" for "1", "view[0]" for "2[0]". Else the given name.
const char *run_source_name(const Run *run, const char *name);
// Fills the image for launching the PTX file with the given options. False after reporting an error.
bool run_ptx_image(Run *run, KernelImage *image);
// device_load. TILEC_ERROR_COMPILE, with the error in run->c, if the simulator rejects the user's PTX.
tilec_status run_load(Run *run, const KernelImage *image, DeviceKernel *kernel);
// The bits of its arguments. Call once the buffers have addresses. False after reporting an error.
bool run_ptx_bits(const Run *run, uint64_t *bits);
// The address of the tensor map that desc() gives to a parameter of PTX. *why: why it cannot be made.
uint64_t run_map_bits(const Run *run, const RunArg *param, const char **why);
// Binds the arguments: their bits and the facts about them. Call once the buffers have addresses. False after
// reporting an error, if they do not fit.
bool run_bind(Run *run, BoundArgs *bound);
// The arguments as the library takes them, with buffer addresses.
tilec_arg *run_launch_args(const Run *run);
// Adds the types and facts of `bound` to run->spec. A .tir file is already specialised and gets nothing.
void run_specialise(Run *run, const BoundArgs *bound);

// Allocates device memory for every buffer and writes the initial bytes. Sets bases and addresses.
tilec_status run_place_buffers(Run *run, tilec_buffer **buffers);
// Assigns bases and addresses as a device would. No memory is allocated.
void run_lay_out_buffers(Run *run);
// Writes the addresses of a ptrs() into its data. Other arguments have none.
void run_fill_table(const Run *run, const RunArg *table);
// Reads every buffer into the results of the arguments.
tilec_status run_read_buffers(Run *run, tilec_buffer **buffers);
// Compiles run->c for run->spec: to PTX, or for the evaluator to tile IR before the first pass. Compiles
// without TMA copies if their tensor maps cannot be made for the arguments.
tilec_status run_compile(Run *run, const BoundArgs *bound, KernelImage *image);

// *can: true if the code's tensor maps can be made for the arguments and a launch of `grid` programs.
tilec_status run_can_map(const Run *run, const uint64_t *bits, const int64_t grid[3], bool *can);
// The kernel's parameters: the arguments, and tensor maps on run->device. In the run's arena.
typedef struct CodeArgs {
  const uint64_t *bits;
  uint32_t count;
} CodeArgs;
tilec_status run_code_args(const Run *run, const uint64_t *bits, const int64_t grid[3], CodeArgs *code);
// Reports that kernel `name` has no grid, with a command line that has one. Returns false.
bool run_ask_grid(Run *run, const char *name);
// The grid as given, or as the kernel computes it. False after reporting an error.
bool run_grid(Run *run, Func *func, const uint64_t *bits, int64_t grid[3]);
// Loads, launches and waits. The caller unloads the kernel, after a failure too.
tilec_status run_load_and_launch(Run *run, const KernelImage *image, const int64_t grid[3],
                                 const uint64_t *bits, DeviceKernel *kernel);
// Loads, launches, waits, reads the buffers and reports them.
ExitStatus run_launch(Run *run, const KernelImage *image, const int64_t grid[3], const uint64_t *bits,
                      tilec_buffer **buffers);
// True if the code records its timeline: --timeline on a GPU.
bool run_records(const Run *run);
// --timeline: begins and ends the record of a launch. *timeline: NULL if there is none. False after reporting an error.
bool run_timeline_begin(Run *run, const KernelImage *image, struct Timeline **timeline);
// result: the launch's. Returns it, or EXIT_DIAGNOSED after reporting an error.
ExitStatus run_timeline_end(Run *run, struct Timeline *timeline, const KernelImage *image, ExitStatus result);
// The simulator's counters as JSON members.
void run_json_counters(const tilec_sim_counters *counters, Json *json);
// --stats: writes the line where the options say. False after reporting an error.
bool run_write_stats(const Run *run, Str line);
// --save and --stats. Returns `result`, or EXIT_DIAGNOSED if one of them failed.
ExitStatus run_outputs(const Run *run, ExitStatus result);
// How reports name the run's buffers, and where reports go.
BufferName run_buffer_name(const RunArg *param);
ReportContext run_report_context(const Run *run);
void run_note_hint(Run *run); // adds ptx_hint to the last report
// Reports the errors of a launch on the simulator or the evaluator as diagnostics, and other runtime errors
// as messages.
ExitStatus run_launch_failed(Run *run, const int64_t grid[3], tilec_status status);
// Prints the runtime's message. Returns the exit status for `status`.
ExitStatus run_device_failed(tilec_status status);

// The same, if run->c may have errors in the user's PTX (run_load).
ExitStatus run_failed(Run *run, tilec_status status);

// tilec bench: the median time of a launch, and the bandwidth over all buffers.
ExitStatus run_bench(Run *run, tilec_buffer **buffers);
// Bytes per second of a copy on a GPU, counting reads and writes. Uses 1 GiB of its memory meanwhile.
tilec_status bench_copy_ceiling(tilec_device *device, Arena *arena, double *bytes_per_second);

// tilec explain: compiles the kernel for the arguments. Nothing runs. Buffers have only addresses.
ExitStatus explain_source(Run *run, tilec_buffer **buffers);
// The predicted seconds with one more option. 0: it does not compile, or no time is known.
double explain_predict(const Run *run, const char *option, const char *value);

// tilec tune. `buffers` exist unless it only predicts.
ExitStatus tune_source(Run *run, tilec_buffer **buffers);
// The options with the first value of each range.
Options tune_first(const Options *options, Arena *arena);

// tilec check, for a source and for a PTX file.
ExitStatus check_source(Run *run, tilec_buffer **buffers);
ExitStatus check_ptx(Run *run, tilec_buffer **buffers);

// --check after a run: reports for each buffer the reference and the result, and the error of the first wrong
// element. The check fails if nothing could be compared.
ExitStatus run_check(Run *run, const int64_t grid[3], const BoundArgs *bound);
// The same in two steps, for several runs from the same data. The caller always frees *reference. `prefix`
// begins each line on standard output.
typedef struct Reference Reference;
// The reference keeps its reports until run_take_reports moves them to run->c. Errors already in run->c are
// not moved. `status`: the status of the evaluation, for the exit status. An evaluation that did not finish
// (run_gave_up) is a warning. Only for --check it is an error, because there is nothing to compare with.
tilec_status run_evaluate(Run *run, const int64_t grid[3], const BoundArgs *bound, const LaunchLimits *limits,
                          Reference **reference);
// The same for errors that only the evaluator sees. Limited to a few times the `seconds` of a launch.
tilec_status run_evaluate_shortly(Run *run, const int64_t grid[3], const BoundArgs *bound, double seconds,
                                  Reference **reference);
// The size of the buffers if an evaluation that the user did not ask for must not use that much. Otherwise 0.
uint64_t run_too_large(const Run *run);
// Call after the simulator ended a launch with reports in run->c. The evaluator's reports of the same causes
// are joined with them, because they name a tile's first element. With --check its other reports are added
// too.
void run_explain_fault(Run *run, const int64_t grid[3]);
ExitStatus run_take_reports(Run *run, Reference *reference, tilec_status status);
ExitStatus run_compare(Run *run, Reference *reference, const char *prefix);
void run_reference_free(Reference *reference); // NULL: nothing

// Adds the evaluator's reports. A report whose cause is already reported is joined with that report. news:
// adds the others too.
void run_join_reports(Diags *diags, const Diags *from, bool news);

// Reports a failed comparison as an error at the buffer's parameter.
Diag *run_differs(Run *run, const Comparison *comparison, const char *text);
// A warning of the run. It is added to run->c's diagnostics and counted for --strict.
void run_warn(Run *run, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Prints run->c's diagnostics and marks them as printed. Returns the exit status for `status`.
ExitStatus run_tell(Run *run, tilec_status status);
// After a launch: elements never written, --expect, --strict. `result`: the result of --check.
ExitStatus run_judge(Run *run, ExitStatus result);
// Reports about results after a run. Diagnostics go to run->c.
void run_warn_unwritten(Run *run); // elements of `empty:` buffers that no kernel wrote

// A tuple for a struct by value of a PTX file: the address of its bytes, in the arena.
uint64_t run_struct_bits(const Run *run, const RunArg *param);
// False after reporting that tuples and the kernel's structs have different sizes.
bool run_structs_fit(Run *run, const DeviceKernel *kernel);
// Warns of loads of a struct's bytes that no member of the tuple has, as the padding at its end: a member is missing.
void run_warn_padding(Run *run, const KernelImage *image);

// Elements of a buffer that were not written.
typedef struct Unwritten {
  uint64_t count, first, last;
} Unwritten;

// Reports them as an error.
void run_refuse_unwritten(Run *run, RunArg *param, const Unwritten *found);
// Call before the launch: reads the arrays of --expect. False after reporting an error.
bool run_load_expectations(Run *run);
// Compares with the arrays, one line each on standard output after `prefix`. EXIT_DIAGNOSED if one differs.
ExitStatus run_expect(Run *run, const char *prefix);
// --strict: returns EXIT_DIAGNOSED, after reporting it, if `result` was good and there were warnings.
// Otherwise `result`.
ExitStatus run_strict(const Run *run, ExitStatus result);

// Prints shape, type, minimum, maximum, mean and first elements of every buffer that changed or was empty. Also names
// those that `func` stores to and that did not change. func: NULL for PTX
void run_report_buffers(const Run *run, const Func *func);
// One element as text, of a buffer with these bytes.
void run_print_element(const Argument *a, const uint8_t *bytes, uint64_t i, Buf *out);
// --print. Call run_check_prints before the launch: false after reporting that a buffer or range does not exist.
bool run_check_prints(const Run *run);
void run_print_elements(const Run *run);
// The bounds of "A:B", "A:", ":B", ":" or "A", of `n` elements. False: none of these.
bool run_parse_range(Str text, uint64_t n, uint64_t *begin, uint64_t *end);
// Elements in lines that begin with the index of their first one.
typedef struct Rows {
  const void *of;
  void (*index)(const void *of, uint64_t i, Buf *out);
  void (*element)(const void *of, uint64_t i, Buf *out);
  uint64_t begin, end, row; // row: elements of a row
  uint32_t most;            // elements of a line; 0: any number
} Rows;
void run_print_rows(const Rows *rows, Buf *out);
// Call before the launch. Checks that --save and --stats name buffers, and files that nothing else reads or
// writes. False after reporting an error.
bool run_check_outputs(const Run *run);
// --save. False after reporting an error.
bool run_save(const Run *run);
// --stats. False after reporting an error.
bool run_report_stats(const Run *run);

#endif
