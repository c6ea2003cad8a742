// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sends a document's diagnostics.
#include "tools/lsp/lsp.h"

typedef struct Publisher {
  Lsp *lsp;
  const Document *document;
  Analysis *analysis;
  Json *json;
} Publisher;

// The text of the line that the place is in.
static Str line_of(const Publisher *p, Loc loc) {
  return sources_line(&p->analysis->c.sources, loc.file, loc.line);
}

static void put_uri(const Publisher *p, uint16_t file) {
  Buf uri = {0};
  if (file == p->analysis->c.file)
    buf_str(&uri, buf_view(&p->document->uri));
  else
    document_uri(sources_path(&p->analysis->c.sources, file), &uri);
  json_str(p->json, "uri", buf_view(&uri));
  buf_free(&uri);
}

static void put_related(const Publisher *p, Loc loc, const char *message) {
  json_object(p->json, NULL);
  json_object(p->json, "location");
  put_uri(p, loc.file);
  lsp_put_range(p->lsp, p->json, "range", loc, line_of(p, loc));
  json_object_end(p->json);
  json_text(p->json, "message", message);
  json_object_end(p->json);
}

// The place in the document: the diagnostic's, or a call in the document that leads to it. Else the first line.
static Loc place_of(const Publisher *p, const Diag *diag) {
  if (analysis_is_main(p->analysis, diag->loc)) return diag->loc;
  for (uint32_t i = diag->notes.n; i-- > 0;)
    if (analysis_is_main(p->analysis, diag->notes.at[i]->loc)) return diag->notes.at[i]->loc;
  return (Loc){.line = 1, .col = 1, .file = p->analysis->c.file};
}

static void put_message(const Publisher *p, const Diag *diag) {
  Buf text = {0};
  buf_text(&text, diag->message);
  for (uint32_t i = 0; i < diag->notes.n; i++)
    if (!diag->notes.at[i]->loc.line) buf_printf(&text, "\n%s", diag->notes.at[i]->message);
  json_str(p->json, "message", buf_view(&text));
  buf_free(&text);
}

// The text of `tilec help CODE`.
static void put_help(const Publisher *p, const char *code) {
  Buf text = {0};
  json_object(p->json, "data");
  if (options_print_code(code, false, &text)) json_str(p->json, "help", buf_view(&text));
  json_object_end(p->json);
  buf_free(&text);
}

static void put_diag(const Publisher *p, const Diag *diag) {
  static const int severities[] = {1, 2, 3, 3};
  Json *json = p->json;
  Loc loc = place_of(p, diag);
  bool elsewhere = diag->loc.line && !analysis_is_main(p->analysis, diag->loc);
  json_object(json, NULL);
  lsp_put_range(p->lsp, json, "range", loc, line_of(p, loc));
  json_int(json, "severity", severities[diag->severity]);
  if (diag->code) json_text(json, "code", diag->code);
  json_text(json, "source", "tilec");
  put_message(p, diag);
  if (diag->code) put_help(p, diag->code);
  json_array(json, "relatedInformation");
  if (elsewhere) put_related(p, diag->loc, diag->message);
  for (uint32_t i = 0; i < diag->notes.n; i++)
    if (diag->notes.at[i]->loc.line) put_related(p, diag->notes.at[i]->loc, diag->notes.at[i]->message);
  json_array_end(json);
  json_object_end(json);
}

static void begin(const Document *document, Json *json) {
  lsp_begin_notice(json, "textDocument/publishDiagnostics");
  json_str(json, "uri", buf_view(&document->uri));
  if (document->has_version) json_int(json, "version", document->version);
  json_array(json, "diagnostics");
}

void lsp_publish(Lsp *lsp, Document *document) {
  Buf out = {0};
  Json json = {.out = &out};
  Analysis *analysis = document_analysis(lsp, document);
  Publisher p = {lsp, document, analysis, &json};
  begin(document, &json);
  for (uint32_t i = 0; i < analysis->diags.n; i++)
    if (analysis->diags.at[i]->severity < DIAG_REMARK) put_diag(&p, analysis->diags.at[i]);
  json_array_end(&json);
  lsp_end_notice(lsp, &json);
  document->dirty = false;
}

void lsp_publish_none(Lsp *lsp, const Document *document) {
  Buf out = {0};
  Json json = {.out = &out};
  begin(document, &json);
  json_array_end(&json);
  lsp_end_notice(lsp, &json);
}
