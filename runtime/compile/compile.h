// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place where frontend, passes and codegen meet. A Compilation owns everything one compiler run
// makes, and its entry points keep the fault frame: a fault becomes TILEC_ERROR_INTERNAL or
// TILEC_ERROR_OUT_OF_MEMORY, never a crash.
//
// In this order:
//   compilation_init
//   compile_parse
//   compile_signature, compile_define   as often as there are such texts
//   compile_elaborate                   once a kernel
//   compile_passes
//   compile_codegen
//   compile_meta
//   compilation_free                    in every case
#ifndef RUNTIME_COMPILE_COMPILE_H
#define RUNTIME_COMPILE_COMPILE_H

#include "codegen/codegen.h"
#include "codegen/llvm/digest.h"
#include "frontend/frontend.h"
#include "ir/ir.h"
#include "passes/passes.h"
#include "runtime/tilec.h"

// What a text that was made from another is shown as (sources_show). name NULL: as itself.
typedef struct Shown {
  const char *name;
  Str text;
} Shown;

// Where the text of imported files comes from. False where there is no such file; the text's memory, and that of
// what it is shown as, which is nothing before the call, is the arena's or outlives the compilation. read NULL: imports
// are not followed.
typedef struct ImportReader {
  bool (*read)(void *data, Arena *arena, const char *path, Str *text, Shown *shown);
  void *data;
  bool disk; // it reads the disk: a path that is no regular file is an error
} ImportReader;

typedef struct Compilation {
  Arena arena, scratch; // scratch: a pass's own tables
  Sources sources;
  Diags diags;
  IrContext ir;
  uint16_t file;       // the main file, index into sources
  bool is_tir;         // .tir text: `module` comes from it, there is no syntax tree
  ImportReader reader; // set by the caller between compilation_init and compile_parse
  Shown shown;         // of the main file; so too
  unsigned char text_digest[DIGEST_BYTES]; // of the main file's text, as the user has it; made when it is first asked for
  bool has_text_digest;
  const Module *syntax;
  bool launched;      // libtilec launches the kernel, with its tensor maps: set before compile_passes
  IrModule *module;   // after compile_elaborate (of .tir text after compile_parse)
  CodegenResult code; // after compile_codegen
  Func *host;         // after compile_ptx: has the parameters and host regions of the code
  const char *step;   // what is done, or was done last: for messages
  char fault[1024];   // what a fault said, with the file that was saved; "" else
  // What a report of a fault needs to compile again up to the last step that went well.
  VEC(Spec) specs; // as elaborated, in order
  PassRunOptions pass_options;
  uint32_t passes_run;   // how many passes have gone well
  const char *last_step; // "elaborate", or the pass's name; NULL: none yet
} Compilation;

// Ready for sources. compilation_free releases all, also after a fault, and leaves a zeroed struct. init
// itself may run out of memory.
tilec_status compilation_init(Compilation *c);
void compilation_free(Compilation *c);

// Each of these returns TILEC_OK, TILEC_ERROR_COMPILE (diags has errors),
// TILEC_ERROR_OUT_OF_MEMORY or TILEC_ERROR_INTERNAL (c->fault says what). After an error nothing
// but compilation_free and reading diags is of use.

// Parses the text; located errors go to diags. name's suffix tells the language.
tilec_status compile_parse(Compilation *c, const char *name, Str text);
// Parses a --signature list or one -D definition into `spec` (they add to it; its memory is the
// compilation's). Errors are located in files named <signature> and <define>.
tilec_status compile_signature(Compilation *c, const char *signature, Spec *spec);
tilec_status compile_define(Compilation *c, const char *define, Spec *spec);
// Parses one to three sizes, as @grid takes them, into `spec`: instead of the kernel's own. Errors are located in
// <grid>. Not of .tir text.
tilec_status compile_grid(Compilation *c, const char *grid, Spec *spec);
// Adds the kernel that spec names to c->module, which the first call makes. Of .tir text: keeps that kernel
// only where one is named, and overrides the module's target where spec's differs from target_default() or
// says that it was given.
tilec_status compile_elaborate(Compilation *c, const Spec *spec);
// What `options` point to stays until the compilation is freed.
tilec_status compile_passes(Compilation *c, const PassRunOptions *options);
tilec_status compile_codegen(Compilation *c, const CodegenOptions *options);
// Back to before compile_elaborate: what came of it and later is gone.
tilec_status compile_restart(Compilation *c);
// One JSON object a kernel, each on a line, with a newline. After compile_codegen. usage: with what the assembler tells,
// which is asked now.
tilec_status compile_meta(Compilation *c, bool usage, Buf *out);

// Runs body in the compilation's fault frame: for further steps.
tilec_status compile_guard(Compilation *c, tilec_status (*body)(Compilation *c, void *data), void *data);

// A located error where the kernel has a parameter that no launch can give: hidden ones that
// nothing fills, and bytes by value.
tilec_status compile_launchable(Compilation *c);

#endif
