// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the commands of tilec: exit statuses, files, messages.
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include "base/fault.h"
#include "runtime/compile/compile.h"
#include "runtime/launch/kernel.h"
#include "tools/files.h"
#include "tools/options/options.h"

typedef enum ExitStatus { EXIT_DONE = 0, EXIT_DIAGNOSED = 1, EXIT_USAGE = 2, EXIT_OUR_BUG = 70 } ExitStatus;

// The whole tool. The library contains it too, so a small tilec can link to libtilec.so without its own copy
// of LLVM.
__attribute__((visibility("default"))) int tilec_tool_main(int argc, char **argv);

void tool_list_targets(Buf *out); // list_targets.c

ExitStatus command_compile(const Options *options, Arena *arena);
// --emit=header and --emit=object (aot_command.c). text: the file's contents.
ExitStatus command_aot(const Options *options, Str text, Arena *arena);
// Compiles the source with $CC, or cc. The source includes the header by `header_name`. False after reporting
// an error.
bool aot_compile_object(const char *header_name, Str header, Str source, Buf *object);
ExitStatus command_run(const Options *options, Arena *arena);
ExitStatus command_bench(const Options *options, Arena *arena);
ExitStatus command_check(const Options *options, Arena *arena);
ExitStatus command_explain(const Options *options, Arena *arena);
ExitStatus command_tune(const Options *options, Arena *arena);
ExitStatus command_cache(const Options *options, Arena *arena);
ExitStatus command_warm(const Options *options, Arena *arena);
ExitStatus command_lsp(const Options *options, Arena *arena);

// Returns true if output to file descriptor `fd` is coloured: always, never, or on a terminal. On a terminal,
// it must support colours and NO_COLOR must not be set.
bool tool_colors(ColorWhen when, int fd);
// Applies to all later messages on standard error.
void tool_set_colors(ColorWhen when);
// "tilec: warning: " on standard error. `color`: from base/colors.h.
void tool_print_severity(const char *severity, const char *color);

// Later messages and diagnostics go to the buffer instead of standard error. NULL: to standard error again.
void tool_collect(Buf *messages);
// "tilec: error[T1006]: ..." on standard error; returns EXIT_DIAGNOSED. A format begins with a code as in base/diag.h.
ExitStatus tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Prints the compilation's diagnostics and the message of a fault to standard error. Returns the exit status
// for `status`.
ExitStatus tool_report(const Options *options, Compilation *c, tilec_status status);

// compile_parse for a file of the command line and the files it imports. Standard input imports none.
tilec_status tool_parse(Compilation *c, const char *path, Str text);

// Fills `spec` from the options only: kernel, target, signature, definitions.
tilec_status tool_spec(const Options *options, Compilation *c, Spec *spec);

// The kernels to compile, each with its version of `spec`. The file's only kernel, or the named one, or else
// all that are fully specified. Kernels left out are remarks. It is an error if none is left.
typedef VEC(Spec) SpecList;
tilec_status tool_entries(const Options *o, Compilation *c, const Spec *spec, SpecList *list);
// The facts that a compile may rely on.
typedef struct ImageFacts {
  const char *text; // of a --variant; NULL: of --signature
  bool none;        // no facts
} ImageFacts;

typedef struct ImageRequest {
  const Options *o;
  uint32_t number;        // of the kernel, among tool_entries'
  const TargetInfo *arch; // NULL: of the options
  ImageFacts facts;
} ImageRequest;

// The specialisation of one kernel for one architecture and these facts. Call after tool_parse.
tilec_status tool_image_spec(const ImageRequest *r, Compilation *c, Spec *spec);
// Reports a --variant that has more than facts, or one of no parameter.
tilec_status tool_check_variants(Compilation *c, const Options *o, const SpecList *list);
// Lowers the specialisation to the level: the options as given, or fewer of them.
void tool_lower_spec(Spec *spec, SpecLevel level);
// After the errors of a kernel that may lack types or values: proposes a command line that has them.
void tool_ask_types(const Options *o, Compilation *c, const Spec *spec);

// The output without -o. "-" is standard output.
const char *tool_default_output(const Options *options, Arena *arena);

// The name of OUTPUT with the suffix .d. If OUTPUT is standard output, the name of FILE. NULL: not asked for.
const char *tool_dependencies_path(const Options *options, const char *output, Arena *arena);
// Writes "OUTPUT...: FILE IMPORTED...". False after reporting an error.
bool tool_write_dependencies(const Compilation *c, const char *const *outputs, uint32_t count,
                             const char *path);

// The tile IR after a pass.
typedef struct PassText {
  const char *pass; // "elaborate": before the first pass
  Str text;
} PassText;

typedef VEC(PassText) PassTextList;

// The options for running passes. --print-after and --time-passes go to standard error. `state` must outlive
// the result.
typedef struct PassReport {
  const Options *options;
  Buf text;
  bool began;
  uint64_t printed; // a bit for each of printed_passes that ran
  PassTextList *texts; // Receives the IR after each pass that changed it. NULL: not wanted.
  Arena *arena;        // Owns the texts.
} PassReport;
PassRunOptions tool_passes(const Options *options, PassReport *state);
void tool_passes_end(PassReport *state); // prints the collected text and releases it

#endif
