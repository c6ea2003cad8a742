// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods of the protocol, and its errors.
#include <stdarg.h>
#include <stdio.h>

#include "tools/lsp/lsp.h"

void lsp_fail(Request *request, int error, const char *format, ...) {
  static char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  request->error = error;
  request->message = text;
}

// --- The life of the server ---

static bool has_text(const JsonNode *array, const char *text) {
  const JsonNode *item;
  Str found;
  for (size_t i = 0; (item = json_node_at(array, i)); i++)
    if (json_node_text(item, &found) && str_is(found, text)) return true;
  return false;
}

// The first encoding of the client's list that is known.
static bool wants_utf8(const JsonNode *capabilities) {
  const JsonNode *list = json_node_get(json_node_get(capabilities, "general"), "positionEncodings"), *item;
  Str text;
  for (size_t i = 0; (item = json_node_at(list, i)); i++) {
    if (json_node_text(item, &text) && str_is(text, "utf-8")) return true;
    if (json_node_text(item, &text) && str_is(text, "utf-16")) return false;
  }
  return false;
}

static void initialize(Request *request) {
  Lsp *lsp = request->lsp;
  Json *json = request->json;
  if (lsp->initialized) {
    lsp_fail(request, LSP_INVALID_REQUEST, "the server is initialized already");
    return;
  }
  const JsonNode *capabilities = json_node_get(request->params, "capabilities");
  const JsonNode *hover = json_node_get(json_node_get(capabilities, "textDocument"), "hover");
  lsp->utf8 = wants_utf8(capabilities);
  lsp->markdown = has_text(json_node_get(hover, "contentFormat"), "markdown");
  lsp->initialized = true;
  json_object(json, "result");
  json_object(json, "capabilities");
  json_text(json, "positionEncoding", lsp->utf8 ? "utf-8" : "utf-16");
  json_object(json, "textDocumentSync");
  json_bool(json, "openClose", true);
  json_int(json, "change", 2); // incremental
  json_object_end(json);
  json_bool(json, "hoverProvider", true);
  json_object(json, "completionProvider");
  json_array(json, "triggerCharacters");
  json_text(json, NULL, ".");
  json_array_end(json);
  json_bool(json, "resolveProvider", true);
  json_object_end(json);
  json_bool(json, "definitionProvider", true);
  json_bool(json, "inlayHintProvider", true);
  json_object_end(json);
  json_object(json, "serverInfo");
  json_text(json, "name", "tilec");
  json_text(json, "version", tilec_version());
  json_object_end(json);
  json_object_end(json);
}

static void shut_down(Request *request) {
  request->lsp->shut_down = true;
  json_null(request->json, "result");
}

static void leave(Request *request) { request->lsp->exits = true; }
static void ignore(Request *request) { (void)request; }

// --- Documents ---

static void did_open(Request *request) {
  const JsonNode *item = json_node_get(request->params, "textDocument");
  Str uri, text, language = STR("");
  json_node_text(json_node_get(item, "languageId"), &language);
  if (!json_node_text(json_node_get(item, "uri"), &uri) ||
      !json_node_text(json_node_get(item, "text"), &text)) {
    lsp_fail(request, LSP_INVALID_PARAMS, "textDocument needs uri and text");
    return;
  }
  document_open(request->lsp, uri, language, text);
  Document *document = document_find(request->lsp, uri);
  document->has_version = json_node_integer(json_node_get(item, "version"), &document->version);
}

static Document *open_document(Request *request) {
  Str uri = STR("");
  json_node_text(json_node_get(json_node_get(request->params, "textDocument"), "uri"), &uri);
  Document *document = document_find(request->lsp, uri);
  if (!document) lsp_fail(request, LSP_INVALID_PARAMS, "the document is not open: '%.*s'", STR_ARG(uri));
  return document;
}

static void did_change(Request *request) {
  Document *document = open_document(request);
  const JsonNode *changes = json_node_get(request->params, "contentChanges"), *change;
  if (!document) return;
  for (size_t i = 0; (change = json_node_at(changes, i)); i++)
    if (!document_change(request->lsp, document, change)) {
      lsp_fail(request, LSP_INVALID_PARAMS, "change %zu of '%s' is not valid", i, document->uri.at);
      return;
    }
  const JsonNode *version = json_node_get(json_node_get(request->params, "textDocument"), "version");
  document->has_version = json_node_integer(version, &document->version);
}

static void did_close(Request *request) {
  Document *document = open_document(request);
  if (!document) return;
  lsp_publish_none(request->lsp, document);
  document_close(document);
}

// --- Messages ---

typedef struct Method {
  const char *name;
  void (*run)(Request *request);
  bool is_request;
} Method;

static const Method *find_method(Str name) {
  static const Method methods[] = {
      {"initialize", initialize, true},
      {"initialized", ignore, false},
      {"shutdown", shut_down, true},
      {"exit", leave, false},
      {"textDocument/didOpen", did_open, false},
      {"textDocument/didChange", did_change, false},
      {"textDocument/didSave", ignore, false},
      {"textDocument/didClose", did_close, false},
      {"textDocument/hover", lsp_hover, true},
      {"textDocument/completion", lsp_complete, true},
      {"completionItem/resolve", lsp_resolve, true},
      {"textDocument/definition", lsp_define, true},
      {"textDocument/inlayHint", lsp_hints, true},
  };
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (str_is(name, methods[i].name)) return &methods[i];
  return NULL;
}

static void put_id(Json *json, const JsonNode *id) {
  int64_t number;
  Str text;
  if (json_node_integer(id, &number))
    json_int(json, "id", number);
  else if (json_node_text(id, &text))
    json_str(json, "id", text);
  else
    json_null(json, "id");
}

void lsp_send_error(Lsp *lsp, const JsonNode *id, int code, const char *message) {
  Buf out = {0};
  Json json = {.out = &out};
  json_object(&json, NULL);
  json_text(&json, "jsonrpc", "2.0");
  put_id(&json, id);
  json_object(&json, "error");
  json_int(&json, "code", code);
  json_text(&json, "message", message);
  json_object_end(&json);
  json_object_end(&json);
  lsp_send(lsp, buf_view(&out));
  buf_free(&out);
}

// The reason why the method cannot run now. 0: it can.
static int refusal(const Lsp *lsp, const Method *method, bool asked, const char **why) {
  if (!method) return *why = "the method is not known", LSP_METHOD_NOT_FOUND;
  bool exits = method->run == leave;
  if (!lsp->initialized && method->run != initialize && !exits)
    return *why = "the first request must be 'initialize'", LSP_NOT_INITIALIZED;
  if (lsp->shut_down && !exits) return *why = "the server is shut down", LSP_INVALID_REQUEST;
  if (method->is_request && !asked) return *why = "a request needs an id", LSP_INVALID_REQUEST;
  return 0;
}

typedef struct Call {
  const Method *method;
  Request *request;
} Call;

static void run_method(void *data) {
  Call *call = data;
  call->method->run(call->request);
}

// Runs the method. A fault of the tool itself becomes an error of the request.
static void run_safely(const Method *method, Request *request) {
  static char reason[256];
  FaultFrame frame;
  Call call = {method, request};
  fault_enter(&frame);
  if (setjmp(frame.env) != 0)
    lsp_fail(request, LSP_INTERNAL_ERROR, "%.400s", frame.message);
  else if (!lsp_guarded(run_method, &call, reason, sizeof reason))
    lsp_fail(request, LSP_INTERNAL_ERROR, "%s", reason);
  fault_leave(&frame);
}

// Answers a request, or runs a notification. Those with an error are logged, as they have no answer.
static void call_method(Lsp *lsp, const Method *method, const JsonNode *id, const JsonNode *params) {
  Buf out = {0};
  Json json = {.out = &out};
  Request request = {.lsp = lsp, .params = params, .json = &json};
  json_object(&json, NULL);
  json_text(&json, "jsonrpc", "2.0");
  if (id) put_id(&json, id);
  run_safely(method, &request);
  json_object_end(&json);
  if (request.error && id)
    lsp_send_error(lsp, id, request.error, request.message);
  else if (request.error)
    lsp_log(lsp, "%s: %s", method->name, request.message);
  else if (id && method->is_request)
    lsp_send(lsp, buf_view(&out));
  buf_free(&out);
}

static void handle(Lsp *lsp, const JsonNode *root) {
  const JsonNode *id = json_node_get(root, "id"), *name = json_node_get(root, "method");
  const char *why = NULL;
  Str text;
  int64_t number;
  bool is_answer = !name && id && (json_node_get(root, "result") || json_node_get(root, "error"));
  if (is_answer) return; // the server asks nothing
  bool good_id = !id || json_node_integer(id, &number) || json_node_text(id, &text);
  if (!json_node_text(name, &text) || !good_id) {
    lsp_send_error(lsp, NULL, LSP_INVALID_REQUEST,
                   "the message is not a request: it needs 'method', and 'id' as a number or text");
    return;
  }
  const Method *method = find_method(text);
  int error = refusal(lsp, method, id != NULL, &why);
  if (error && id)
    lsp_send_error(lsp, id, error, why);
  else if (!error)
    call_method(lsp, method, id, json_node_get(root, "params"));
}

void lsp_handle(Lsp *lsp, Str message) {
  Buf error = {0};
  JsonTree *tree = json_tree_parse(message, &error);
  if (!tree)
    lsp_send_error(lsp, NULL, LSP_PARSE_ERROR, error.n ? error.at : "the message is not JSON");
  else
    handle(lsp, json_tree_root(tree));
  json_tree_free(tree);
  buf_free(&error);
}
