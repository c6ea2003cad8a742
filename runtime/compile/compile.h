// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place that connects frontend, passes and codegen. A Compilation owns everything that one compile
// makes. The entry points catch faults: they return TILEC_ERROR_INTERNAL or TILEC_ERROR_OUT_OF_MEMORY and
// never crash.
//
// Call order:
//
// * compilation_init.
// * compile_parse.
// * compile_signature and compile_define, once per text.
// * compile_elaborate, once per kernel.
// * compile_passes.
// * compile_codegen.
// * compile_meta.
// * compilation_free, always.
#ifndef RUNTIME_COMPILE_COMPILE_H
#define RUNTIME_COMPILE_COMPILE_H

#include "codegen/codegen.h"
#include "codegen/llvm/digest.h"
#include "frontend/frontend.h"
#include "ir/ir.h"
#include "passes/passes.h"
#include "runtime/tilec.h"

// How a text that was made from another one is shown (sources_show). name NULL: as itself.
typedef struct Shown {
  const char *name;
  Str text;
} Shown;

// Reads imported files. False if the file does not exist. The text must be in the arena or outlive the
// compilation. The same is true of `shown`, which is empty before the call. read NULL: imports are not
// followed.
typedef struct ImportReader {
  bool (*read)(void *data, Arena *arena, const char *path, Str *text, Shown *shown);
  void *data;
  bool disk; // reads from the disk: a path that is no regular file is an error
} ImportReader;

typedef struct Compilation {
  Arena arena, scratch; // scratch: tables of one pass
  Sources sources;
  Diags diags;
  IrContext ir;
  uint16_t file;       // The main file: index into sources.
  bool is_tir;         // The input is .tir text. `module` comes from it, and there is no syntax tree.
  ImportReader reader; // Set by the caller, between compilation_init and compile_parse.
  Shown shown;         // Set in the same way, for the main file.
  unsigned char text_digest[DIGEST_BYTES]; // Digest of the main file as the user has it. Made on first use.
  bool has_text_digest;
  const Module *syntax;
  bool launched;      // libtilec launches the kernel and passes its tensor maps. Set before compile_passes.
  IrModule *module;   // After compile_elaborate. For .tir text: after compile_parse.
  CodegenResult code; // After compile_codegen.
  Func *host;         // After compile_ptx: has the parameters and host regions of the code.
  const char *step;   // The current or last step, for messages.
  char fault[1024];   // Message of a fault, with the name of the saved file. Otherwise "".
  // For the report of a fault, which compiles again up to the last good step.
  VEC(Spec) specs; // As elaborated, in order.
  PassRunOptions pass_options;
  uint32_t passes_run;   // Number of passes that succeeded.
  const char *last_step; // "elaborate", or the pass's name. NULL: none yet.
} Compilation;

// Prepares for sources. init itself may run out of memory. compilation_free releases everything, after a
// fault too, and leaves a zeroed struct.
tilec_status compilation_init(Compilation *c);
void compilation_free(Compilation *c);

// Each of these returns TILEC_OK, TILEC_ERROR_COMPILE (diags has errors), TILEC_ERROR_OUT_OF_MEMORY or
// TILEC_ERROR_INTERNAL (c->fault has the message). After an error, only compilation_free and reading diags
// are allowed.

// Parses the text. Located errors go to diags. The suffix of `name` selects the language.
tilec_status compile_parse(Compilation *c, const char *name, Str text);
// Parses a --signature list or one -D definition and adds it to `spec`. The compilation owns the memory.
// Errors are located in files named <signature> and <define>.
tilec_status compile_signature(Compilation *c, const char *signature, Spec *spec);
tilec_status compile_define(Compilation *c, const char *define, Spec *spec);
// Parses one to three grid sizes, as @grid takes them, into `spec`. They replace the kernel's @grid. Errors
// are located in <grid>. Not for .tir text.
tilec_status compile_grid(Compilation *c, const char *grid, Spec *spec);
// Adds the kernel that spec names to c->module. The first call makes the module. For .tir text: if spec names
// a kernel, keeps only that one. Target values of spec that differ from target_default() or are marked as
// given override the module's.
tilec_status compile_elaborate(Compilation *c, const Spec *spec);
// The objects that `options` points to must outlive the compilation.
tilec_status compile_passes(Compilation *c, const PassRunOptions *options);
tilec_status compile_codegen(Compilation *c, const CodegenOptions *options);
// Returns to the state before compile_elaborate. Later results are dropped.
tilec_status compile_restart(Compilation *c);
// One JSON object per kernel, each on a line with a newline. Call after compile_codegen. usage: also runs the
// assembler and includes its resource usage.
tilec_status compile_meta(Compilation *c, bool usage, Buf *out);

// Runs body inside the compilation's fault frame, for additional steps.
tilec_status compile_guard(Compilation *c, tilec_status (*body)(Compilation *c, void *data), void *data);

// Reports a located error if the kernel has a parameter that no launch can pass: a hidden one that nothing
// fills, or bytes by value.
tilec_status compile_launchable(Compilation *c);

#endif
