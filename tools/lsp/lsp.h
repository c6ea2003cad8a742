// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The language server's internal header.
//
// One thread handles messages in order. After each one, documents that have changed are analysed, unless more messages
// wait. An analysis is a Compilation that lives until the next change. It keeps the syntax tree, what the front end
// found, and the diagnostics.
//
// Positions of the protocol count from 0, in units of the client's encoding. Inside, a place is an offset in bytes, or
// a Loc of the front end.
#ifndef TOOLS_LSP_LSP_H
#define TOOLS_LSP_LSP_H

#include "base/json.h"
#include "codegen/json_tree.h"
#include "tools/tool.h"

// --- Types ---

// A kernel of a document, as far as it could be elaborated.
typedef struct KernelView {
  const KernelInfo *info;
  const Function *function; // NULL: not found by its name
  Spec spec;
  Func *func;                        // NULL: after errors
  bool guesses_types, guesses_sizes; // The file gives no types, or no constexprs: `spec` has guesses.
  bool may_be_helper;                // Kernels of other files may call it, with tiles as arguments.
  bool has_syntax_errors;
} KernelView;

typedef struct Analysis {
  Compilation c;
  VEC(Diag *) diags; // of the front end, in order of their places
  VEC(KernelView) kernels;
  FrontendWatch watch; // of all kernels
  Compilation later;   // The kernel `later_of` after the pass that chooses layouts
  const KernelView *later_of;
  bool failed; // The front end has crashed: only the document's text is known.
} Analysis;

typedef struct Document {
  Buf uri, path; // path: of the file, or a name with the language's suffix
  Buf text;
  int64_t version;
  bool has_version;
  bool open;     // in the editor; else the slot may be used again
  bool dirty;    // The diagnostics of this text are not yet sent.
  bool analysed; // `analysis` is of this text.
  Analysis analysis;
} Document;

typedef struct Lsp {
  Arena *arena; // of the whole session
  bool utf8;    // Positions count bytes; else units of UTF-16.
  bool markdown;
  bool initialized, shut_down, exits;
  VEC(Document *) documents;
  Buf out; // messages to write
} Lsp;

// A request: its answer is written to `json` as member "result". On failure, an error instead.
typedef struct Request {
  Lsp *lsp;
  const JsonNode *params;
  Json *json;
  int error;           // 0: none
  const char *message; // of the error
} Request;

// Codes of JSON-RPC and of the protocol.
enum {
  LSP_PARSE_ERROR = -32700,
  LSP_INVALID_REQUEST = -32600,
  LSP_METHOD_NOT_FOUND = -32601,
  LSP_INVALID_PARAMS = -32602,
  LSP_INTERNAL_ERROR = -32603,
  LSP_NOT_INITIALIZED = -32002,
  LSP_REQUEST_FAILED = -32803
};

// --- lsp_command.c ---

// Adds a message with its header to lsp->out. `body`: the JSON.
void lsp_send(Lsp *lsp, Str body);
// Begins a notification: everything up to its params. End it with lsp_end_notice.
void lsp_begin_notice(Json *json, const char *method);
void lsp_end_notice(Lsp *lsp, Json *json);
// Shows a line in the editor's log.
void lsp_log(Lsp *lsp, const char *format, ...) __attribute__((format(printf, 2, 3)));

// --- lsp_methods.c ---

void lsp_handle(Lsp *lsp, Str message);
// Answers request `id`, NULL: null, with an error.
void lsp_send_error(Lsp *lsp, const JsonNode *id, int code, const char *message);
void lsp_fail(Request *request, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

// --- lsp_documents.c ---

// The open document with the URI; NULL: none.
Document *document_find(Lsp *lsp, Str uri);
void document_open(Lsp *lsp, Str uri, Str language, Str text);
void document_close(Document *document);
// Applies one item of contentChanges. False: it is not valid.
bool document_change(Lsp *lsp, Document *document, const JsonNode *change);
// The document of params.textDocument. One that is not open is read from the disk. NULL with an error.
Document *document_asked(Request *request);
void document_uri(const char *path, Buf *uri);
// The text of line `line` (from 1) without its end; empty past the end.
Str document_line(const Document *document, uint32_t line);
// The same, and params.position as a place of the front end (len 0).
Document *document_at(Request *request, Loc *loc);
// The character of the protocol for column `column` (from 0, in bytes) of the line.
uint32_t lsp_character(const Lsp *lsp, Str line, size_t column);
// {"start": ..., "end": ...} of a place in text `line`. `line`: the text of its line.
void lsp_put_range(const Lsp *lsp, Json *json, const char *name, Loc loc, Str line);

// --- lsp_analysis.c, lsp_spec.c, lsp_guard.c ---

// The analysis of the document's current text.
Analysis *document_analysis(Lsp *lsp, Document *document);
void analysis_free(Analysis *analysis);
bool analysis_imports(const Analysis *analysis, const char *path);
// Reads imported files: as they are in the editor, else from the disk.
ImportReader document_reader(Lsp *lsp);
// The kernel whose text has the line; NULL: none.
const KernelView *analysis_kernel(const Analysis *analysis, uint32_t line);
bool analysis_is_main(const Analysis *analysis, Loc loc); // in the document itself

enum { LSP_GUESSES = 3 };
// Fills view->spec: what the file says, and guess number `guess` for the rest. Errors in comments go to c->diags.
void lsp_specify(const Document *document, Compilation *c, KernelView *view, uint32_t guess);

// Runs work(data). Returns false if it crashed: by a signal, or it took LSP_SECONDS.
enum { LSP_SECONDS = 10 };
bool lsp_guarded(void (*work)(void *data), void *data, char *reason, size_t room);

// --- What is shown ---

void lsp_publish(Lsp *lsp, Document *document);
void lsp_publish_none(Lsp *lsp, const Document *document);
void lsp_hover(Request *request);
// Adds the layout of the value at `loc`, and the cost of its line. Adds nothing if it is not known.
void lsp_print_layout(Lsp *lsp, Document *document, const KernelView *kernel, Loc loc, Buf *out);
void lsp_print_cost(const KernelView *kernel, uint32_t line, Buf *out);
void lsp_complete(Request *request);
void lsp_resolve(Request *request);
void lsp_define(Request *request);
void lsp_hints(Request *request);

// --- lsp_names.c: the text ---

// The words with dots around the place, from the start to the end of the word at the place: "tl.load". `start`: its
// column, from 0.
Str lsp_dotted(Str line, uint32_t column, bool whole, uint32_t *start);
// The function around the line, of those that the module lists; NULL: none.
const Function *lsp_function_at(const Module *module, uint32_t line);

typedef enum NameKind { NAME_VARIABLE, NAME_PARAMETER, NAME_FUNCTION, NAME_MODULE, NAME_CONSTANT } NameKind;
typedef struct ScopeName {
  const char *name;
  NameKind kind;
  Loc loc;
  const Function *function; // of NAME_FUNCTION, if it is read
} ScopeName;
typedef VEC(ScopeName) ScopeNames;
// The names that a line sees, innermost first, in the order of the text. A name may occur more than once.
void lsp_scope(Arena *arena, const Module *module, uint32_t line, ScopeNames *names);
// Prints a function of the file: "scale(x, n, BLOCK: tl.constexpr = 64)".
void lsp_print_function(const Analysis *analysis, const Function *function, Buf *out);

#endif
