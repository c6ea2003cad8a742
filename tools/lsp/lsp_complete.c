// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Completion: functions of the language after `tl.`, methods after a value, names in scope, and keyword arguments of the
// call around the place. The text before the place decides, as it is rarely complete.
#include <stdio.h>

#include "base/hash.h"
#include "tools/lsp/lsp.h"
#include "tools/options/language_help.h"

// CompletionItemKind of the protocol.
enum {
  KIND_METHOD = 2,
  KIND_FUNCTION = 3,
  KIND_VARIABLE = 6,
  KIND_MODULE = 9,
  KIND_PROPERTY = 10,
  KIND_TYPE = 25,
  KIND_CONSTANT = 21
};
enum { MAX_LINES_BACK = 40 };

typedef struct Completion {
  Request *request;
  Analysis *analysis;
  Json *json;
  Table known; // labels, each once
} Completion;

static bool is_label(const void *entry, const void *key) { return strcmp(entry, key) == 0; }

// `reference`: the entry of the reference, which completionItem/resolve shows; NULL: none.
static void put_item(Completion *done, const char *label, int kind, const char *detail,
                     const char *reference) {
  Arena *arena = &done->analysis->c.arena;
  void **place = table_place(&done->known, arena, hash_bytes(label, strlen(label)), label, is_label);
  if (*place) return;
  *place = arena_copy(arena, str_from(label));
  json_object(done->json, NULL);
  json_text(done->json, "label", label);
  json_int(done->json, "kind", kind);
  if (detail) json_text(done->json, "detail", detail);
  if (reference) {
    json_object(done->json, "data");
    json_text(done->json, "reference", reference);
    json_object_end(done->json);
  }
  json_object_end(done->json);
}

// --- Members ---

static const char *const element_types[] = {
#define X(name, spelling, long_spelling, ...) long_spelling,
#include "target/elems.def"
#undef X
};

// "(pointer, mask=, other=)": parameters as in builtins.def, where "?" follows optional ones.
static const char *print_params(Arena *arena, const char *params) {
  Buf text = {0};
  buf_char(&text, '(');
  for (const char *at = params ? params : ""; *at;) {
    size_t n = strcspn(at, " ");
    bool optional = n && at[n - 1] == '?';
    buf_printf(&text, "%s%.*s%s", text.n > 1 ? ", " : "", (int)(n - optional), at, optional ? "=" : "");
    at += n + (at[n] == ' ');
  }
  buf_char(&text, ')');
  const char *copy = arena_copy(arena, buf_view(&text));
  buf_free(&text);
  return copy;
}

static void put_builtins(Completion *done, LanguageScope scope, const char *prefix, int kind) {
  Arena *arena = &done->analysis->c.arena;
  const char *name, *params;
  for (uint32_t n = 0; frontend_next_builtin(scope, &n, &name, &params);)
    if (name[0] != '_')
      put_item(done, name, kind, print_params(arena, params), arena_printf(arena, "%s%s", prefix, name));
}

static void put_language(Completion *done) {
  put_builtins(done, LANGUAGE_TL, "tl.", KIND_FUNCTION);
  for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++)
    put_item(done, element_types[i], KIND_TYPE, "element type", NULL);
  put_item(done, "constexpr", KIND_TYPE, "a value known at compile time", "tl.constexpr");
}

// The module that an import binds the name to: "triton.language". NULL: none.
static const char *module_of(const Module *module, Str name) {
  for (uint32_t i = module ? module->definitions.n : 0; i-- > 0;) {
    const Definition *at = &module->definitions.at[i];
    if (at->kind != DEFINES_IMPORT || !str_is(name, at->name)) continue;
    const ImportName *item = &at->import->names.at[at->item];
    if (!at->import->from) return item->name;
    static char path[256];
    snprintf(path, sizeof path, "%.120s.%.120s", at->import->module, item->name);
    return path;
  }
  return NULL;
}

static bool is_language(const Module *module, Str name) {
  const char *path = module_of(module, name);
  if (!path) return str_is(name, "tl");
  return strcmp(path, "triton.language") == 0 || strcmp(path, "tilec.language") == 0;
}

// The definitions of an imported file.
static bool put_file_members(Completion *done, const Module *module, Str name) {
  const Module *file = NULL;
  for (uint32_t i = module ? module->definitions.n : 0; i-- > 0 && !file;) {
    const Definition *at = &module->definitions.at[i];
    if (at->kind == DEFINES_IMPORT && str_is(name, at->name)) file = at->import->names.at[at->item].whole;
  }
  for (uint32_t i = 0; file && i < file->definitions.n; i++)
    if (!guard_scope(file->definitions.at[i].guard) && file->definitions.at[i].name[0] != '*')
      put_item(done, file->definitions.at[i].name, KIND_VARIABLE, NULL, NULL);
  return file != NULL;
}

// After a dot. `object`: the words before it, "tl" or "x"; empty for the result of a call.
static void put_members(Completion *done, Str object) {
  const Module *module = done->analysis->c.syntax;
  if (is_language(module, object) || str_is(object, "triton.language"))
    put_language(done);
  else if (str_ends(object, "libdevice"))
    put_builtins(done, LANGUAGE_LIBDEVICE, "libdevice.", KIND_FUNCTION);
  else if (str_ends(object, ".math"))
    put_builtins(done, LANGUAGE_TL, "tl.", KIND_FUNCTION);
  else if (!put_file_members(done, module, object)) {
    put_builtins(done, LANGUAGE_METHOD, "tensor.", KIND_METHOD);
    put_item(done, "dtype", KIND_PROPERTY, "element type", "tensor.dtype");
    put_item(done, "shape", KIND_PROPERTY, "sizes", "tensor.shape");
    put_item(done, "T", KIND_PROPERTY, "transposed", "tensor.T");
  }
}

// --- Names and keywords ---

static int kind_of(NameKind kind) {
  static const int kinds[] = {KIND_VARIABLE, KIND_VARIABLE, KIND_FUNCTION, KIND_MODULE, KIND_CONSTANT};
  return kinds[kind];
}

// The type of a name, if a kernel's elaboration has found it.
static const char *type_of(const Completion *done, const ScopeName *name) {
  const FrontendWatch *watch = &done->analysis->watch;
  for (uint32_t i = 0; i < watch->list.n; i++) {
    const FoundValue *found = watch->list.at[i];
    if (found->name && found->loc.line == name->loc.line && found->loc.col == name->loc.col &&
        found->loc.file == name->loc.file)
      return found->text;
  }
  return NULL;
}

static void put_names(Completion *done, uint32_t line) {
  ScopeNames names = {0};
  Arena *arena = &done->analysis->c.arena;
  lsp_scope(arena, done->analysis->c.syntax, line, &names);
  for (uint32_t i = 0; i < names.n; i++) {
    const ScopeName *name = &names.at[i];
    const char *detail = type_of(done, name);
    if (name->function) {
      Buf text = {0};
      lsp_print_function(done->analysis, name->function, &text);
      detail = arena_copy(arena, buf_view(&text));
      buf_free(&text);
    }
    put_item(done, name->name, kind_of(name->kind), detail, NULL);
  }
}

// The callee of the innermost bracket that is open at the place: "tl.load". Empty: there is none.
static Str open_call(const Document *document, Loc at, uint32_t *line) {
  int depth = 0;
  for (uint32_t back = 0; back < MAX_LINES_BACK && at.line > back; back++) {
    *line = at.line - back;
    Str text = document_line(document, *line);
    size_t n = back == 0 && at.col - 1u < text.n ? at.col - 1u : text.n;
    while (n-- > 0) {
      if (strchr(")]}", text.at[n])) depth++;
      if (strchr("([{", text.at[n]) && depth-- == 0) {
        uint32_t start;
        return text.at[n] == '(' ? lsp_dotted(text, (uint32_t)n, false, &start) : STR("");
      }
    }
  }
  return STR("");
}

static void put_keyword(Completion *done, Str name) {
  Arena *arena = &done->analysis->c.arena;
  if (name.n && name.at[0] != '*')
    put_item(done, arena_printf(arena, "%.*s=", STR_ARG(name)), KIND_PROPERTY, "argument", NULL);
}

static void put_builtin_keywords(Completion *done, Str name) {
  const char *found, *params;
  for (uint32_t n = 0; frontend_next_builtin(LANGUAGE_TL, &n, &found, &params);) {
    if (!str_is(name, found)) continue;
    for (const char *at = params ? params : ""; *at;) {
      size_t length = strcspn(at, " ");
      put_keyword(done, (Str){at, length - (length && at[length - 1] == '?')});
      at += length + (at[length] == ' ');
    }
    return;
  }
}

static void put_keywords(Completion *done, const Document *document, Loc at) {
  uint32_t line;
  Str callee = open_call(document, at, &line);
  ScopeNames names = {0};
  const Module *module = done->analysis->c.syntax;
  if (!callee.n) return;
  size_t dot = callee.n;
  while (dot > 0 && callee.at[dot - 1] != '.') dot--;
  if (dot > 0 && is_language(module, (Str){callee.at, dot - 1}))
    put_builtin_keywords(done, (Str){callee.at + dot, callee.n - dot});
  lsp_scope(&done->analysis->c.arena, module, at.line, &names);
  for (uint32_t i = 0; i < names.n; i++) {
    const Function *function = names.at[i].function;
    if (!function || !str_is(callee, function->name)) continue;
    for (uint32_t k = 0; k < function->params.n; k++)
      put_keyword(done, str_from(function->params.at[k].name));
    return;
  }
}

// --- The request ---

static bool in_comment_or_text(Str before) {
  char quote = 0;
  for (size_t i = 0; i < before.n; i++) {
    char c = before.at[i];
    if (quote && c == '\\')
      i++;
    else if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '#')
      return true;
  }
  return quote != 0;
}

void lsp_complete(Request *request) {
  Loc at;
  Document *document = document_at(request, &at);
  uint32_t start;
  if (!document) return;
  Completion done = {request, document_analysis(request->lsp, document), request->json, {0}};
  Str line = document_line(document, at.line), word = lsp_dotted(line, at.col - 1u, false, &start);
  json_array(request->json, "result");
  size_t dot = word.n;
  while (dot > 0 && word.at[dot - 1] != '.') dot--;
  if (!in_comment_or_text((Str){line.at, at.col - 1u})) {
    if (dot > 0)
      put_members(&done, (Str){word.at, dot - 1});
    else {
      put_keywords(&done, document, at);
      put_names(&done, at.line);
    }
    if (dot == 0 && str_ends(buf_view(&document->path), ".tile")) put_language(&done);
  }
  json_array_end(request->json);
}

// Adds the text of `tilec help` to an item.
void lsp_resolve(Request *request) {
  static const char *const kept[] = {"label", "detail"};
  const JsonNode *item = request->params;
  Json *json = request->json;
  Str text;
  int64_t kind;
  if (!json_node_is_object(item)) {
    lsp_fail(request, LSP_INVALID_PARAMS, "the item is missing");
    return;
  }
  json_object(json, "result");
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (json_node_text(json_node_get(item, kept[i]), &text)) json_str(json, kept[i], text);
  if (json_node_integer(json_node_get(item, "kind"), &kind)) json_int(json, "kind", kind);
  if (json_node_text(json_node_get(json_node_get(item, "data"), "reference"), &text)) {
    Arena arena = {0};
    Buf help = {0};
    const char *name = arena_copy(&arena, text);
    if (language_has(name)) language_print_help(name, false, &help);
    if (help.n) json_str(json, "documentation", buf_view(&help));
    buf_free(&help);
    arena_free(&arena);
  }
  json_object_end(json);
}
