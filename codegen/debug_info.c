// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debug locations: every op's place, and the calls through which it was inlined,
// become .file and .loc directives. Without -g there are no debug sections
// (emission kind DebugDirectivesOnly, which the C API has no name for).
#include <llvm-c/DebugInfo.h>

#include "codegen/emit.h"

enum { DEBUG_DIRECTIVES_ONLY = 3 };

static const char producer[] = "tilec";

static LLVMMetadataRef file_of(Emitter *e, uint16_t file) {
  DebugInfo *debug = &e->debug;
  while (debug->files.n <= file) vec_push(e->arena, &debug->files, NULL);
  if (!debug->files.at[file]) {
    const char *name = sources_name(e->module->ir->sources, file);
    debug->files.at[file] = LLVMDIBuilderCreateFile(debug->builder, name, strlen(name), "", 0);
  }
  return debug->files.at[file];
}

static void add_flag(Emitter *e, const char *name, uint32_t value) {
  LLVMAddModuleFlag(e->llvm, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                    LLVMValueAsMetadata(emit_i32(e, value)));
}

void debug_begin_module(Emitter *e) {
  DebugInfo *debug = &e->debug;
  debug->builder = LLVMCreateDIBuilder(e->llvm);
  debug->unit = NULL;
  add_flag(e, "Debug Info Version", LLVMDebugMetadataVersion());
  add_flag(e, "Dwarf Version", 2);
}

// There is one unit, in the first kernel's file.
static void begin_unit(Emitter *e, uint16_t file) {
  LLVMDWARFEmissionKind kind =
      e->target->debug ? LLVMDWARFEmissionLineTablesOnly : (LLVMDWARFEmissionKind)DEBUG_DIRECTIVES_ONLY;
  if (e->debug.unit) return;
  e->debug.unit = LLVMDIBuilderCreateCompileUnit(e->debug.builder, LLVMDWARFSourceLanguageC, file_of(e, file),
                                                 producer, sizeof producer - 1, e->target->opt_level > 0, "",
                                                 0, 0, "", 0, kind, 0, false, false, "", 0, "", 0);
}

static LLVMMetadataRef subprogram(Emitter *e, const char *name, uint16_t file, uint32_t line) {
  LLVMMetadataRef at = file_of(e, file);
  LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(e->debug.builder, at, NULL, 0, LLVMDIFlagZero);
  return LLVMDIBuilderCreateFunction(e->debug.builder, at, name, strlen(name), "", 0, at, line, type, false,
                                     true, line, LLVMDIFlagZero, e->target->opt_level > 0);
}

void debug_begin_func(Emitter *e) {
  DebugInfo *debug = &e->debug;
  Loc loc = e->func->loc;
  begin_unit(e, loc.file);
  debug->function_file = loc.file;
  debug->function = subprogram(e, e->func->name, loc.file, loc.line);
  LLVMSetSubprogram(e->function, debug->function);
}

// The scope of inlined code in that file: which function it was is not recorded, so a file's share one.
static LLVMMetadataRef inlined_scope(Emitter *e, uint16_t file) {
  DebugInfo *debug = &e->debug;
  for (uint32_t i = 0; i < debug->inlined.n; i++)
    if (debug->inlined.at[i].file == file) return debug->inlined.at[i].scope;
  DebugScope scope = {file, subprogram(e, "inlined", file, 0)};
  vec_push(e->arena, &debug->inlined, scope);
  return scope.scope;
}

static LLVMMetadataRef own_scope(Emitter *e, uint16_t file) {
  if (file == e->debug.function_file) return e->debug.function;
  return LLVMDIBuilderCreateLexicalBlockFile(e->debug.builder, e->debug.function, file_of(e, file), 0);
}

// `depth` ends a chain of calls that leads back to itself.
static LLVMMetadataRef location(Emitter *e, Loc loc, uint32_t depth) {
  const Sources *sources = e->module->ir->sources;
  if (loc.line == 0) return LLVMDIBuilderCreateDebugLocation(e->context, 0, 0, e->debug.function, NULL);
  if (loc.call == 0 || loc.call >= sources->calls.n || depth == 0)
    return LLVMDIBuilderCreateDebugLocation(e->context, loc.line, loc.col, own_scope(e, loc.file), NULL);
  LLVMMetadataRef site = location(e, sources->calls.at[loc.call], depth - 1);
  return LLVMDIBuilderCreateDebugLocation(e->context, loc.line, loc.col, inlined_scope(e, loc.file), site);
}

void debug_at(Emitter *e, Loc loc) { LLVMSetCurrentDebugLocation2(e->builder, location(e, loc, 64)); }

void debug_end_module(Emitter *e) {
  LLVMDIBuilderFinalize(e->debug.builder);
  LLVMDisposeDIBuilder(e->debug.builder);
  e->debug.builder = NULL;
}
