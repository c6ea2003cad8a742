// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inlay hints: the shape of each tile after the name that takes it.
#include "tools/lsp/lsp.h"

enum { TYPE_HINT = 1 };

typedef struct Lines {
  int64_t first, last; // from 1
} Lines;

static bool read_lines(const Request *request, Lines *lines) {
  const JsonNode *range = json_node_get(request->params, "range");
  bool good = json_node_integer(json_node_get(json_node_get(range, "start"), "line"), &lines->first) &&
              json_node_integer(json_node_get(json_node_get(range, "end"), "line"), &lines->last);
  lines->first++;
  lines->last++;
  return good;
}

// "fp32[64, 32]"; "[64, 32]" if the element type is a guess; "[64, 32]?" if the shape is.
static void print_hint(const KernelView *kernel, const Type *type, Buf *out) {
  size_t start = out->n;
  frontend_print_type(type, out);
  if (kernel->guesses_types || kernel->guesses_sizes) {
    const char *bracket = memchr(out->at + start, '[', out->n - start);
    size_t skipped = bracket ? (size_t)(bracket - out->at) - start : 0;
    memmove(out->at + start, out->at + start + skipped, out->n - start - skipped);
    out->n -= skipped;
  }
  if (kernel->guesses_sizes) buf_char(out, '?');
}

static bool is_parameter(const KernelView *kernel, const FoundValue *found) {
  for (uint32_t i = 0; i < kernel->info->param_count; i++)
    if (kernel->info->params[i].loc.line == found->loc.line &&
        kernel->info->params[i].loc.col == found->loc.col)
      return true;
  return false;
}

static void put_hint(const Request *request, const Document *document, const KernelView *kernel,
                     const FoundValue *found) {
  Json *json = request->json;
  Buf text = {0};
  Str line = document_line(document, found->loc.line);
  buf_text(&text, ": ");
  print_hint(kernel, found->type, &text);
  json_object(json, NULL);
  json_object(json, "position");
  json_uint(json, "line", found->loc.line - 1);
  json_uint(json, "character", lsp_character(request->lsp, line, found->loc.col - 1u + found->loc.len));
  json_object_end(json);
  json_str(json, "label", buf_view(&text));
  json_int(json, "kind", TYPE_HINT);
  json_object_end(json);
  buf_free(&text);
}

// The kernel that elaborated the place: the one around it. A function that kernels call has the first one's types.
static const KernelView *kernel_of(const Analysis *analysis, const FoundValue *found) {
  const KernelView *kernel = analysis_kernel(analysis, found->loc.line);
  if (kernel || !analysis->kernels.n) return kernel;
  for (uint32_t i = 0; i < analysis->kernels.n; i++) // a guess in any kernel may be in its types
    if (analysis->kernels.at[i].guesses_types || analysis->kernels.at[i].guesses_sizes)
      return &analysis->kernels.at[i];
  return &analysis->kernels.at[0];
}

void lsp_hints(Request *request) {
  Document *document = document_asked(request);
  Lines lines;
  if (!document) return;
  if (!read_lines(request, &lines)) {
    lsp_fail(request, LSP_INVALID_PARAMS, "the range is not valid");
    return;
  }
  const Analysis *analysis = document_analysis(request->lsp, document);
  json_array(request->json, "result");
  for (uint32_t i = 0; i < analysis->watch.list.n; i++) {
    const FoundValue *found = analysis->watch.list.at[i];
    const KernelView *kernel = kernel_of(analysis, found);
    if (!found->name || found->varies || !found->type || found->type->kind != TYPE_TILE || !kernel) continue;
    if (!analysis_is_main(analysis, found->loc) || is_parameter(kernel, found)) continue;
    if (found->loc.line >= lines.first && found->loc.line <= lines.last)
      put_hint(request, document, kernel, found);
  }
  json_array_end(request->json);
}
