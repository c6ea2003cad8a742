// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the commands of tilec share: exit statuses, files, messages.
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include "base/fault.h"
#include "runtime/compile/compile.h"
#include "tools/files.h"
#include "tools/options/options.h"

typedef enum ExitStatus { EXIT_DONE = 0, EXIT_DIAGNOSED = 1, EXIT_USAGE = 2, EXIT_OUR_BUG = 70 } ExitStatus;

// The whole tool; the library has it too, so that a tilec without a copy of
// LLVM can be linked to libtilec.so.
__attribute__((visibility("default"))) int tilec_tool_main(int argc, char **argv);

void tool_list_targets(Buf *out); // list_targets.c

ExitStatus command_compile(const Options *options, Arena *arena);
// --emit=header and --emit=object (aot_command.c); text: the file's.
ExitStatus command_aot(const Options *options, Str text, Arena *arena);
// Compiles the source, which includes the header by `header_name`, with $CC, or cc. False, having said why.
bool aot_compile_object(const char *header_name, Str header, Str source, Buf *object);
ExitStatus command_run(const Options *options, Arena *arena);
ExitStatus command_bench(const Options *options, Arena *arena);
ExitStatus command_check(const Options *options, Arena *arena);
ExitStatus command_explain(const Options *options, Arena *arena);
ExitStatus command_tune(const Options *options, Arena *arena);
ExitStatus command_cache(const Options *options, Arena *arena);

// Whether what is written to the stream of that number is coloured: always, never, or where it is a terminal that takes
// colours and the user's NO_COLOR does not say otherwise.
bool tool_colors(ColorWhen when, int fd);
// For all that is told on standard error from now on.
void tool_set_colors(ColorWhen when);
// "tilec: warning: " on standard error; `color`: of base/colors.h.
void tool_print_severity(const char *severity, const char *color);

// "tilec: error: ..." on standard error; returns EXIT_DIAGNOSED.
ExitStatus tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Prints the compilation's diagnostics, and what a fault said, to standard error; the
// exit status that `status` means.
ExitStatus tool_report(const Options *options, Compilation *c, tilec_status status);

// compile_parse of a file of the command line, with the files that it imports; standard input imports none.
tilec_status tool_parse(Compilation *c, const char *path, Str text);

// Fills `spec` from the options alone: kernel, target, signature, definitions.
tilec_status tool_spec(const Options *options, Compilation *c, Spec *spec);

// The kernels that a compile is of, as `spec` for each: the file's only one or the one that is named, else all that are
// fully specified. Those left out are remarks; none is an error.
typedef VEC(Spec) SpecList;
tilec_status tool_entries(const Options *o, Compilation *c, const Spec *spec, SpecList *list);
// After the errors of a kernel that may lack types or values: proposes a command line that has them.
void tool_ask_types(const Options *o, Compilation *c, const Spec *spec);

// Where the output goes without -o: "-" is standard output.
const char *tool_default_output(const Options *options, Arena *arena);

// OUTPUT's name, or FILE's where that is standard output, with .d as suffix. NULL: none is asked for.
const char *tool_dependencies_path(const Options *options, const char *output, Arena *arena);
// Writes "OUTPUT...: FILE IMPORTED..."; false, having said why.
bool tool_write_dependencies(const Compilation *c, const char *const *outputs, uint32_t count, const char *path);

// The tile IR as a pass left it.
typedef struct PassText {
  const char *pass; // "elaborate": before the first
  Str text;
} PassText;

typedef VEC(PassText) PassTextList;

// The passes' options, with --print-after and --time-passes going to standard
// error. `state` outlives the result.
typedef struct PassReport {
  const Options *options;
  Buf text;
  PassTextList *texts; // all passes' are added, each if it differs from the one before; NULL: nobody asks for them
  Arena *arena;        // theirs
} PassReport;
PassRunOptions tool_passes(const Options *options, PassReport *state);
void tool_passes_end(PassReport *state); // prints what was gathered, releases it

#endif
