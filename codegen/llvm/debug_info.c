// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debug locations: .file and .loc directives for each op's place, and for the calls through which it was
// inlined. Without -g there are no debug sections (emission kind DebugDirectivesOnly, which has no name in
// the C API).
//
// A directive's comment holds what PTX cannot express. First is the length of the text. An access also has
// the number of the parameter that its pointer comes from (0: unknown), and the bytes of an element. The
// inlined calls follow, the innermost first, with the file if it differs. The simulator reads it:
//   .loc 1 6 12 // +21 $1:4 @ 10:12 +20 @ "kernel.py" 15:67 +15
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

#include "base/hash.h"
#include "codegen/emitter.h"
#include "ir/memory/buffer_name.h"

enum { DEBUG_DIRECTIVES_ONLY = 3, MAX_CALLS = 64 };

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

void debug_begin_module(Emitter *e, bool plain) {
  DebugInfo *debug = &e->debug;
  debug->plain = plain;
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
  debug->by_loc = (Table){0}; // locations have the function as their scope
  begin_unit(e, loc.file);
  debug->function_file = loc.file;
  debug->function = subprogram(e, e->func->name, loc.file, loc.line);
  LLVMSetSubprogram(e->function, debug->function);
}

// The scope of inlined code in that file. Functions are not recorded, so each file has one scope.
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

// The column that LLVM gets. It is the place's number, because LLVM's directives have no room for the length
// and the calls. debug_print_places turns it into the place. Without such text it is the real column.
static uint32_t column_of(const Emitter *e, const DebugPlace *place) {
  return e->debug.plain ? place->loc.col : place->number <= UINT16_MAX ? place->number : 0;
}

// `depth` ends a cyclic chain of calls.
static LLVMMetadataRef call_location(Emitter *e, uint16_t call, uint32_t depth) {
  const Sources *sources = e->module->ir->sources;
  if (call == 0 || call >= sources->calls.n || depth == 0) return NULL;
  Loc site = sources->calls.at[call];
  LLVMMetadataRef outer = call_location(e, site.call, depth - 1);
  LLVMMetadataRef scope = outer ? inlined_scope(e, site.file) : own_scope(e, site.file);
  return LLVMDIBuilderCreateDebugLocation(e->context, site.line, site.col, scope, outer);
}

static LLVMMetadataRef location(Emitter *e, const DebugPlace *place) {
  Loc loc = place->loc;
  if (loc.line == 0) return LLVMDIBuilderCreateDebugLocation(e->context, 0, 0, e->debug.function, NULL);
  LLVMMetadataRef call = call_location(e, loc.call, MAX_CALLS);
  LLVMMetadataRef scope = call ? inlined_scope(e, loc.file) : own_scope(e, loc.file);
  return LLVMDIBuilderCreateDebugLocation(e->context, loc.line, column_of(e, place), scope, call);
}

static uint64_t hash_place(const DebugPlace *place) {
  Loc loc = place->loc;
  return hash_u64((uint64_t)loc.line << 32 | (uint64_t)loc.col << 16 | loc.len) ^
         hash_u64((uint64_t)place->param << 40 | (uint64_t)place->element << 32 | (uint64_t)loc.file << 16 |
                  loc.call);
}

static bool is_place(const void *entry, const void *key) {
  const DebugPlace *x = entry, *y = key;
  const Loc *a = &x->loc, *b = &y->loc;
  return a->line == b->line && a->col == b->col && a->len == b->len && a->file == b->file &&
         a->call == b->call && x->param == y->param && x->element == y->element;
}

static void set_place(Emitter *e, DebugPlace wanted) {
  DebugInfo *debug = &e->debug;
  void **entry = table_place(&debug->by_loc, e->arena, hash_place(&wanted), &wanted, is_place);
  if (!*entry) {
    DebugPlace *place = ARENA_NEW(e->arena, DebugPlace);
    *place = wanted;
    place->number = debug->places.n + 1;
    *entry = place;
    vec_push(e->arena, &debug->places, place);
    place->location = location(e, place);
  }
  LLVMSetCurrentDebugLocation2(e->builder, ((DebugPlace *)*entry)->location);
}

void debug_at(Emitter *e, Loc loc) { set_place(e, (DebugPlace){.loc = loc}); }

void debug_at_op(Emitter *e, const Op *op) {
  DebugPlace place = {.loc = op->loc};
  if (!e->debug.plain && op_has(op, GLOBAL)) {
    const Value *pointer = op->operands[0].value;
    place.param = (uint32_t)(pointer_param(pointer) + 1);
    place.element = type_element_bytes(type_element(pointer->type)->inner);
  }
  set_place(e, place);
}

// ---- the directives ----

// True if a quoted string in a comment can hold the name.
static bool is_quotable(const char *name) {
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < ' ' || *c == '"') return false;
  return true;
}

static void print_place(const Emitter *e, const DebugPlace *place, Buf *out) {
  Loc loc = place->loc;
  const Sources *sources = e->module->ir->sources;
  buf_printf(out, "%u\t// +%u", loc.col, loc.len);
  if (place->element) buf_printf(out, " $%u:%u", place->param, place->element);
  uint16_t file = loc.file, call = loc.call;
  for (uint32_t depth = 0; call && call < sources->calls.n && depth < MAX_CALLS; depth++) {
    Loc site = sources->calls.at[call];
    const char *name = sources_name(sources, site.file);
    if (site.file != file && !is_quotable(name)) return;
    buf_text(out, " @ ");
    if (site.file != file) buf_printf(out, "\"%s\" ", name);
    buf_printf(out, "%u:%u +%u", site.line, site.col, site.len);
    file = site.file;
    call = site.call;
  }
}

void debug_print_places(const Emitter *e, const char *text, size_t n, Buf *out) {
  static const char directive[] = "\t.loc\t";
  const char *end = text + n, *at = text;
  if (e->debug.plain) {
    buf_bytes(out, text, n);
    return;
  }
  for (const char *found; (found = strstr(at, directive)) && found < end;) {
    const char *column = found + sizeof directive - 1;
    for (int fields = 0; fields < 2 && *column && *column != '\n';) fields += *column++ == ' ';
    char *rest;
    unsigned long number = strtoul(column, &rest, 10);
    buf_bytes(out, at, (size_t)(column - at));
    if (number > 0 && number <= e->debug.places.n)
      print_place(e, e->debug.places.at[number - 1], out);
    else
      buf_bytes(out, column, (size_t)(rest - column));
    at = rest;
  }
  buf_bytes(out, at, (size_t)(end - at));
}

void debug_end_module(Emitter *e) {
  LLVMDIBuilderFinalize(e->debug.builder);
  LLVMDisposeDIBuilder(e->debug.builder);
  e->debug.builder = NULL;
}
