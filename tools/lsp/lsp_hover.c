// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hover: the value of the expression at a place, its layout, the cost of its line, the reference of a function, and the
// cause and fix of a diagnostic.
#include "tools/lsp/lsp.h"
#include "tools/options/language_help.h"

typedef struct Hover {
  Request *request;
  Document *document;
  Analysis *analysis;
  Loc at;
  const FoundValue *value;    // the smallest expression or name around the place; NULL: none
  const FoundValue *function; // a function of the language at the place
  Loc range;
} Hover;

// --- What is at the place ---

static bool covers(Loc range, Loc at) {
  return range.line == at.line && range.file == at.file && at.col >= range.col &&
         at.col <= range.col + range.len;
}

// A module's name says less than what is around it.
static bool is_better(const FoundValue *found, const FoundValue *other) {
  if (!other) return true;
  bool module = strncmp(found->text, "module ", 7) == 0,
       other_module = strncmp(other->text, "module ", 7) == 0;
  if (module != other_module) return other_module;
  if (found->loc.len != other->loc.len) return found->loc.len < other->loc.len;
  return !found->name && other->name;
}

static void find_values(Hover *h) {
  const FrontendWatch *watch = &h->analysis->watch;
  for (uint32_t i = 0; i < watch->list.n; i++) {
    const FoundValue *found = watch->list.at[i];
    if (!covers(found->loc, h->at)) continue;
    if (found->builtin) {
      if (!h->function || found->loc.len < h->function->loc.len) h->function = found;
    } else if (is_better(found, h->value))
      h->value = found;
  }
  // `tl.load(...)` is around `tl.load`: the function's result, if nothing smaller is at the place.
  if (h->function && h->value && h->value->loc.len < h->function->loc.len) {
    bool module = strncmp(h->value->text, "module ", 7) == 0;
    if (module) h->value = NULL;
    if (!module) h->function = NULL;
  }
}

// --- Texts ---

static void put_block(const Hover *h, const char *language, Str text, Buf *out) {
  if (h->request->lsp->markdown)
    buf_printf(out, "```%s\n%.*s\n```\n", language, STR_ARG(text));
  else
    buf_printf(out, "%.*s\n", STR_ARG(text));
}

static void put_value(const Hover *h, const KernelView *kernel, Buf *out) {
  const FoundValue *found = h->value;
  bool types = kernel && kernel->guesses_types, sizes = kernel && kernel->guesses_sizes;
  Str line = document_line(h->document, h->at.line);
  Buf text = {0};
  size_t from = found->loc.col - 1u;
  if (from < line.n)
    buf_printf(&text, "%.*s: ", (int)(found->loc.len < line.n - from ? found->loc.len : line.n - from),
               line.at + from);
  buf_printf(&text, "%s%s", found->is_constexpr ? "constexpr = " : "", found->text);
  put_block(h, "python", buf_view(&text), out);
  if (found->varies) buf_text(out, "the first of several: other calls or iterations differ\n");
  if (types || sizes)
    buf_printf(out, "%s guessed: a line `# tilec: NAME=VALUE ...` above the kernel gives them\n",
               types && sizes ? "types and sizes are"
               : types        ? "types are"
                              : "sizes are");
  if (kernel && found->type && found->type->kind == TYPE_TILE)
    lsp_print_layout(h->request->lsp, h->document, kernel, found->loc, out);
  buf_free(&text);
}

// A function of the file whose name is at the place.
static void put_function(const Hover *h, Buf *out) {
  uint32_t start;
  Str word = lsp_dotted(document_line(h->document, h->at.line), h->at.col - 1u, true, &start);
  ScopeNames names = {0};
  const Function *function = NULL;
  lsp_scope(&h->analysis->c.arena, h->analysis->c.syntax, h->at.line, &names);
  for (uint32_t i = 0; i < names.n && !function; i++)
    if (str_is(word, names.at[i].name)) function = names.at[i].function;
  if (!function) return;
  Buf text = {0};
  buf_text(&text, "def ");
  lsp_print_function(h->analysis, function, &text);
  put_block(h, "python", buf_view(&text), out);
  if (function->docstring) buf_printf(out, "%.*s\n", STR_ARG(function->docstring->string.text));
  buf_free(&text);
}

static void put_reference(const Hover *h, const char *name, Buf *out) {
  Buf text = {0};
  language_print_help(name, false, &text);
  if (text.n && text.at[text.n - 1] == '\n') text.n--;
  put_block(h, "text", buf_view(&text), out);
  buf_free(&text);
}

// The reference of the function at the place. Code that was not elaborated has only its text.
static void put_builtin(Hover *h, Buf *out) {
  uint32_t start;
  if (h->function) {
    put_reference(h, h->function->builtin, out);
    h->range = h->function->loc;
    return;
  }
  Str word = lsp_dotted(document_line(h->document, h->at.line), h->at.col - 1u, true, &start);
  const char *name = arena_copy(&h->analysis->c.arena, word);
  if (h->value || !(str_starts(word, "tl.") || str_starts(word, "triton.language.")) || !language_has(name))
    return;
  put_reference(h, name, out);
  h->range = (Loc){h->at.line, (uint16_t)(start + 1), (uint16_t)word.n, h->at.file, 0};
}

static void put_diagnostics(const Hover *h, Buf *out) {
  for (uint32_t i = 0; i < h->analysis->diags.n; i++) {
    const Diag *diag = h->analysis->diags.at[i];
    Buf text = {0};
    if (diag->code && covers(diag->loc, h->at) && options_print_code(diag->code, false, &text)) {
      if (text.at[text.n - 1] == '\n') text.n--;
      put_block(h, "text", buf_view(&text), out);
    }
    buf_free(&text);
  }
}

static void put_all(Hover *h, Buf *out) {
  const KernelView *kernel = analysis_kernel(h->analysis, h->at.line);
  bool result = h->function && h->value && h->value->loc.col == h->function->loc.col;
  if (h->value && (!h->function || result)) {
    put_value(h, kernel, out);
    h->range = h->value->loc;
  }
  if (!h->function) put_function(h, out);
  put_builtin(h, out);
  if (kernel && out->n) lsp_print_cost(kernel, h->at.line, out);
  put_diagnostics(h, out);
}

void lsp_hover(Request *request) {
  Loc at;
  Document *document = document_at(request, &at);
  Json *json = request->json;
  if (!document) return;
  Hover h = {.request = request, .document = document, .analysis = document_analysis(request->lsp, document)};
  h.at = at;
  h.at.file = h.analysis->c.file;
  h.range = at;
  Buf out = {0};
  find_values(&h);
  put_all(&h, &out);
  if (!out.n) {
    json_null(json, "result");
    return;
  }
  json_object(json, "result");
  json_object(json, "contents");
  json_text(json, "kind", request->lsp->markdown ? "markdown" : "plaintext");
  json_str(json, "value", buf_view(&out));
  json_object_end(json);
  lsp_put_range(request->lsp, json, "range", h.range, document_line(document, at.line));
  json_object_end(json);
  buf_free(&out);
}
