// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Definition: where the name at a place gets its value. A variable has that of the last assignment above, or the first one.
#include "tools/lsp/lsp.h"

// --- Files ---

static void put_location(const Request *request, const Document *document, Analysis *analysis, Loc loc) {
  Json *json = request->json;
  Buf uri = {0};
  if (analysis_is_main(analysis, loc))
    buf_str(&uri, buf_view(&document->uri));
  else
    document_uri(sources_path(&analysis->c.sources, loc.file), &uri);
  json_object(json, "result");
  json_str(json, "uri", buf_view(&uri));
  lsp_put_range(request->lsp, json, "range", loc, sources_line(&analysis->c.sources, loc.file, loc.line));
  json_object_end(json);
  buf_free(&uri);
}

static Loc file_start(const Module *module) { return (Loc){.line = 1, .col = 1, .file = module->file}; }

// The last definition of `name` at the file's module level. False: there is none.
static bool module_definition(const Module *module, Str name, Loc *loc) {
  for (uint32_t i = module ? module->definitions.n : 0; i-- > 0;)
    if (!guard_scope(module->definitions.at[i].guard) && str_is(name, module->definitions.at[i].name))
      return *loc = module->definitions.at[i].loc, true;
  return false;
}

// The place of an imported name in its file. `rest`: the words after it, "f" of "m.f".
static bool imported_definition(const Import *import, const ImportName *item, Str rest, Loc *loc) {
  const Module *file = item->whole;
  if (rest.n && file) return module_definition(file, rest, loc);
  if (import->from && item->module && module_definition(item->module, str_from(item->name), loc)) return true;
  if (file) return *loc = file_start(file), true;
  return false;
}

// --- Names ---

// A definition of the module level that imports the name. NULL: there is none.
static const Definition *find_import(const Module *module, Str name) {
  for (uint32_t i = module ? module->definitions.n : 0; i-- > 0;)
    if (module->definitions.at[i].kind == DEFINES_IMPORT && str_is(name, module->definitions.at[i].name))
      return &module->definitions.at[i];
  return NULL;
}

static bool is_before(Loc a, Loc b) { return a.line != b.line ? a.line < b.line : a.col <= b.col; }

// The place of a name in scope. Names of the module level hold in all lines.
static bool scope_definition(const ScopeNames *names, Str name, Loc at, const Function *function, Loc *loc) {
  const ScopeName *first = NULL, *last = NULL;
  for (uint32_t i = 0; i < names->n; i++) {
    const ScopeName *found = &names->at[i];
    bool local = function && found->loc.line >= function->loc.line && found->loc.line <= function->last_line;
    if (!str_is(name, found->name)) continue;
    if (!local) {
      if (!first) return *loc = found->loc, true;
      break;
    }
    if (!first) first = found;
    // An assignment in the line itself takes its value from the names above, unless the place is the name.
    bool here =
        found->loc.line == at.line && at.col >= found->loc.col && at.col <= found->loc.col + found->loc.len;
    if (here || (found->loc.line < at.line && is_before(found->loc, at))) last = found;
  }
  if (!first) return false;
  *loc = (last ? last : first)->loc;
  return true;
}

static bool find_definition(Analysis *analysis, Str word, uint32_t under, Loc at, Loc *loc) {
  const Module *module = analysis->c.syntax;
  const char *dot = memchr(word.at, '.', word.n);
  Str name = {word.at, dot ? (size_t)(dot - word.at) : word.n}, rest = {0};
  if (dot && under > name.n) rest = (Str){dot + 1, word.n - name.n - 1};
  const Definition *import = find_import(module, name);
  ScopeNames names = {0};
  lsp_scope(&analysis->c.arena, module, at.line, &names);
  if (!rest.n && scope_definition(&names, name, at, lsp_function_at(module, at.line), loc)) {
    // An imported name leads to its file, if that is read.
    if (import && import->loc.line == loc->line && import->loc.col == loc->col)
      imported_definition(import->import, &import->import->names.at[import->item], rest, loc);
    return true;
  }
  return import && imported_definition(import->import, &import->import->names.at[import->item], rest, loc);
}

void lsp_define(Request *request) {
  Loc at, loc;
  Document *document = document_at(request, &at);
  uint32_t start;
  if (!document) return;
  Analysis *analysis = document_analysis(request->lsp, document);
  Str word = lsp_dotted(document_line(document, at.line), at.col - 1u, true, &start);
  if (word.n && find_definition(analysis, word, at.col - 1u - start, at, &loc))
    put_location(request, document, analysis, loc);
  else
    json_null(request->json, "result");
}
