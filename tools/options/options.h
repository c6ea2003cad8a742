// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of tilec, parsed. options.def lists the options.
#ifndef TOOLS_OPTIONS_OPTIONS_H
#define TOOLS_OPTIONS_OPTIONS_H

#include "base/vec.h"
#include "ir/spec.h"
#include "sim/sim.h"
#include "tools/run/expect.h"

// The commands of verbs.def come first, in its order.
typedef enum Command {
  COMMAND_COMPILE,
  COMMAND_RUN,
  COMMAND_CHECK,
  COMMAND_BENCH,
  COMMAND_EXPLAIN,
  COMMAND_TUNE,
  COMMAND_CACHE,
  COMMAND_WARM,
  COMMAND_LSP,
  COMMAND_HELP,
  COMMAND_VERSION,
  COMMAND_LIST_PASSES,
  COMMAND_LIST_TARGETS
} Command;

// A row of verbs.def.
typedef struct Verb {
  const char *name, *letter, *arguments, *summary;
} Verb;

const Verb *verb_of(Command command); // NULL: the command is an option

typedef enum ColorWhen { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ColorWhen;

// Output format of explain and tune.
typedef enum Format { FORMAT_TEXT, FORMAT_JSON, FORMAT_HTML } Format;

typedef enum Emit {
  EMIT_TOKENS,
  EMIT_AST,
  EMIT_TIR,
  EMIT_LLVM,
  EMIT_PTX,
  EMIT_META,
  EMIT_CUBIN,
  EMIT_SASS,
  EMIT_HEADER,
  EMIT_OBJECT,
  EMIT_TENSORRT
} Emit;

// Says if --emit=header has cubins with the PTX. AUTO: if ptxas is available.
typedef enum Cubins { CUBINS_AUTO, CUBINS_ON, CUBINS_OFF } Cubins;

// NAME=VALUE of the command line, split at the first '='.
typedef struct NamedText {
  const char *name, *text;
} NamedText;

// Values between bars, for tune: those of a constexpr, or of a code option.
typedef struct TuneRange {
  const char *name; // "BLOCK"; "num_warps", "num_stages" or "maxnreg"
  bool is_option;
  VEC(const char *) texts; // two or more
} TuneRange;

typedef struct Options {
  Command command;
  Command topic;        // for help: the command to explain; COMMAND_HELP: all of them
  const char *function; // for help: a function of the language, or "language"; NULL: none
  const char *option;   // for help: a long or short spelling of options.def to explain; NULL: none
  const char *
      word; // for help: of the glossary, the Python API or a SPEC; with the two above: of the API; NULL: none
  const char *code; // for help: the code of diagnostics.def to explain, or "codes"; NULL: none
  ColorWhen color;
  char **words; // all words after `tilec`, with those of argument files
  int word_count;
  const char *file;   // "-": standard input; for cache: the action
  const char *output; // NULL: the default
  Emit emit;
  const char *kernel, *signature;
  VEC(const char *) defines; // NAME=VALUE
  Target target;             // the defaults, changed by the options
  bool emit_given, arch_given, num_warps_given, num_stages_given, maxnreg_given, fp32_dot_given;
  bool dependencies; // -MD
  // --emit=header and object
  VEC(const TargetInfo *) archs; // as given
  VEC(const char *) variants;    // lists of facts
  const char *aot_prefix;        // NULL: the file's name
  Cubins cubins;
  bool arch_list; // one --arch with several architectures
  bool remarks, json_diagnostics, time_passes, verify_each, simulate, quick;
  int no_locations; // of --locations
  const char *stop_after;
  uint32_t stop_run; // 0: the first
  VEC(const char *) run_passes, disabled_passes;
  VEC(const char *) printed_passes; // each once, so at most 64
  bool run_passes_given;
  bool json;     // for cache and version
  bool stdio;    // lsp: changes nothing
  Format format; // for explain and tune
  // tilec tune
  VEC(TuneRange) ranges;
  bool predict;
  const char *lock;   // NULL: none
  double *predicted;  // explain: gets the predicted seconds, and nothing is printed; NULL: not asked for
  const char *card;   // for explain; NULL: the target's default
  uint32_t registers; // for explain, per thread; 0: from ptxas, or an estimate
  uint32_t top;       // 0: the default
  // tilec run
  const char *device;
  int64_t grid[3];
  const char *grid_text;             // for PTX files
  uint32_t threads[3], shared_bytes; // for the simulator
  tilec_sim_options sim;             // of the simulator
  bool sim_given;                    // an option that only the simulator has
  uint32_t sim_seeds;                // random schedules of a check
  uint32_t devices;                  // that the simulator has
  bool grid_given, check, stats, strict, verbose, step;
  const char *check_file;          // NULL: the same file
  double allow_uncompared;         // share of an output that --check may leave out
  const char *stats_file;          // NULL: standard error
  const char *ncu_file;            // for explain; NULL: none
  const char *timeline;            // for run: the trace's file; NULL: none
  uint64_t seed, max_instructions; // max_instructions 0: the device's default
  double timeout;                  // seconds; 0: none
  uint32_t max_programs;           // for a persistent kernel; 0: the device's default
  bool timeout_given;
  VEC(Expectation) expectations;
  VEC(NamedText) saves, args, buffers;
  VEC(const char *) prints; // NAME or NAME[A:B]
} Options;

// Parses argv. Strings are owned by argv or the arena. False if the usage is wrong: `error` gets the reason
// (one line, no newline). command and color are set as far as words were read.
bool options_parse(int argc, char **argv, Arena *arena, Options *options, Buf *error);
// Returns true if word `i` is that long option or its value.
bool options_word_is_of(const Options *options, int i, const char *option);
bool options_file_is_ptx(const Options *options);
// tilec help. `topic`: as in Options. Lines are at most HELP_COLUMNS wide.
enum { HELP_COLUMNS = 100 };
void options_print_help(Command topic, bool colors, Buf *out);
// tilec help OPTION: its text and the commands that take it. `option`: a spelling of options.def.
void options_print_option(const char *option, bool colors, Buf *out);
// tilec help CODE: the entry of diagnostics.def; tilec help codes: all codes with their titles. Returns false, without
// a text, if there is no such code.
bool options_print_code(const char *code, bool colors, Buf *out);
// tilec help WORD: a word of docs/glossary.md, one of CUDA, or one that begins a SPEC, such as `zeros`.
bool options_has_word(const char *word);
// The same for a part of the glossary's words ("race": data race), and for a parameter of the language's functions.
// True if the table of docs/how-to/coming-from-numpy.md has the word.
bool options_has_numpy(const char *word);
bool options_has_near_word(const char *word);
// The glossary's meaning of a word that is an option, too.
void options_print_meaning(const char *word, bool colors, Buf *out);
void options_print_word(const char *word, bool colors, Buf *out);
// The Python API's text under the word, or why tilec does not take the name. The other: only an option of launches, "num_warps"; nothing if it is none.
bool options_has_python(const char *word);
void options_print_python(const char *word, bool colors, Buf *out);
void options_print_compiler(const char *word, bool colors, Buf *out); // passes, and words of tile IR
void options_print_python_option(const char *word, bool colors, Buf *out);
// Adds the SPECs that begin with the word, if there are any; "SPEC": all.
void options_print_spec(const char *word, Buf *out);
// Writes words to suggest, at most `room`: of the glossary and others; `full`: also names such as "tilec.jit". Returns
// their number.
size_t options_words(Arena *arena, bool full, const char **words, size_t room);

#endif
