// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the front end on a document. Each kernel is elaborated with the types that the file gives. Types and sizes that
// it does not give are guessed, three times in different ways. Only errors that every guess has are shown.
#include <stdio.h>
#include <stdlib.h>

#include "frontend/syntax/syntax.h"
#include "runtime/compile/imports.h"
#include "tools/lsp/lsp.h"

enum { MAX_ERRORS = 100, REASON_BYTES = 256 };

typedef struct Job {
  Lsp *lsp;
  Document *document;
} Job;

void analysis_free(Analysis *analysis) {
  compilation_free(&analysis->c);
  compilation_free(&analysis->later);
  *analysis = (Analysis){0};
}

bool analysis_is_main(const Analysis *analysis, Loc loc) { return loc.line && loc.file == analysis->c.file; }

const KernelView *analysis_kernel(const Analysis *analysis, uint32_t line) {
  for (uint32_t i = 0; i < analysis->kernels.n; i++) {
    const Function *function = analysis->kernels.at[i].function;
    if (function && line >= function->loc.line && line <= function->last_line)
      return &analysis->kernels.at[i];
  }
  return NULL;
}

// --- Imports ---

bool analysis_imports(const Analysis *analysis, const char *path) {
  const Sources *sources = &analysis->c.sources;
  for (uint32_t i = 0; i < sources->files.n; i++)
    if (i != analysis->c.file && strcmp(sources_path(sources, (uint16_t)i), path) == 0) return true;
  return false;
}

// An open document has its text of the editor.
static bool read_import(void *data, Arena *arena, const char *path, Str *text, Shown *shown) {
  const Lsp *lsp = data;
  for (uint32_t i = 0; i < lsp->documents.n; i++) {
    const Document *document = lsp->documents.at[i];
    if (!document->open || !document->path.at || strcmp(document->path.at, path) != 0) continue;
    *text = (Str){arena_copy(arena, buf_view(&document->text)), document->text.n};
    return true;
  }
  return import_read_file(NULL, arena, path, text, shown);
}

ImportReader document_reader(Lsp *lsp) { return (ImportReader){read_import, lsp, true}; }

// --- Diagnostics ---

static Diags new_diags(Compilation *c) {
  return (Diags){.arena = &c->arena, .sources = &c->sources, .error_limit = MAX_ERRORS};
}

// Moves the diagnostics that c has now to the analysis.
static void take_all(Analysis *analysis) {
  Compilation *c = &analysis->c;
  for (uint32_t i = 0; i < c->diags.list.n; i++) vec_push(&c->arena, &analysis->diags, c->diags.list.at[i]);
  c->diags = new_diags(c);
}

static bool same_place(Loc a, Loc b) {
  return a.line == b.line && a.col == b.col && a.len == b.len && a.file == b.file;
}

// Is about values that a command line would give: an editor has none.
static bool lacks_value(const Diag *diag) {
  static const char *const codes[] = {"T0402", "T1004", "T1005", NULL};
  if (!diag->code) return false;
  bool no_type = strcmp(diag->code, "T0403") == 0 && strncmp(diag->message, "parameter ", 10) == 0;
  return no_type || str_is_one_of(diag->code, codes);
}

// Kinds of errors that no other constexpr would take away.
static bool needs_no_sizes(const char *code) {
  static const char *const codes[] = {"T0201", "T0202", "T0203", "T0204", "T0205", "T0301", "T0302", "T0304",
                                      "T0305", "T0307", "T1002", "T1003", "T1006", "T0403", NULL};
  return strncmp(code, "T01", 3) == 0 || str_is_one_of(code, codes);
}

// Kinds of errors that no other arguments would take away.
static bool needs_no_arguments(const Diag *diag) {
  static const char *const codes[] = {"T0201", "T0202", "T0203", "T0204", NULL};
  bool returns = strncmp(diag->message, "a kernel cannot return a value", 30) == 0;
  return !returns && (strncmp(diag->code, "T01", 3) == 0 || str_is_one_of(diag->code, codes));
}

static bool is_among(const Diags *diags, const Diag *diag) {
  for (uint32_t i = 0; i < diags->list.n; i++) {
    const Diag *other = diags->list.at[i];
    if (other->severity == diag->severity && same_place(other->loc, diag->loc) && other->code && diag->code &&
        strcmp(other->code, diag->code) == 0)
      return true;
  }
  return false;
}

// True if the diagnostic of the first guess is shown.
static bool is_certain(const KernelView *view, const Diags *others, uint32_t count, const Diag *diag) {
  if (lacks_value(diag)) return false;
  if (!view->guesses_types && !view->guesses_sizes) return true;
  if (diag->severity != DIAG_ERROR || !diag->code) return false;
  if (view->guesses_sizes && !needs_no_sizes(diag->code)) return false;
  if (view->may_be_helper && !needs_no_arguments(diag)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!is_among(&others[i], diag)) return false;
  return true;
}

// --- Kernels ---

// Elaborates with what the file says and one guess. False after a fault.
static bool elaborate(const Document *document, Compilation *c, KernelView *view, uint32_t guess,
                      FrontendWatch *watch) {
  view->spec = (Spec){.kernel = view->info->path, .target = target_default(), .watch = watch};
  lsp_specify(document, c, view, guess);
  c->module = NULL;
  tilec_status status = compile_elaborate(c, &view->spec);
  if (guess == 0) view->func = status == TILEC_OK && c->module->funcs.n ? c->module->funcs.at[0] : NULL;
  return status == TILEC_OK || status == TILEC_ERROR_COMPILE;
}

static bool has_errors(const Diags *diags) {
  for (uint32_t i = 0; i < diags->list.n; i++)
    if (diags->list.at[i]->severity == DIAG_ERROR) return true;
  return false;
}

// False after a fault.
static bool look_at_kernel(const Document *document, Analysis *analysis, KernelView *view) {
  Compilation *c = &analysis->c;
  Diags first, others[LSP_GUESSES - 1];
  uint32_t count = 0;
  bool good = elaborate(document, c, view, 0, &analysis->watch);
  first = c->diags;
  c->diags = new_diags(c);
  bool guesses = view->guesses_types || view->guesses_sizes;
  for (uint32_t i = 1; good && guesses && has_errors(&first) && i < LSP_GUESSES; i++) {
    KernelView again = *view;
    good = elaborate(document, c, &again, i, NULL);
    others[count++] = c->diags;
    c->diags = new_diags(c);
  }
  for (uint32_t i = 0; i < first.list.n && !view->has_syntax_errors; i++)
    if (is_certain(view, others, count, first.list.at[i]))
      vec_push(&c->arena, &analysis->diags, first.list.at[i]);
  return good;
}

static const Function *function_of(const Module *module, const KernelInfo *info) {
  for (uint32_t i = 0; i < module->functions.n; i++)
    if (same_place(module->functions.at[i]->loc, info->loc)) return module->functions.at[i];
  return NULL;
}

static bool returns_value(const Stmt *stmt, void *data) {
  (void)data;
  return stmt->kind == STMT_RETURN && stmt->expr && stmt->expr->kind != EXPR_NONE;
}

// Kernels use program_id and return nothing.
static bool may_be_helper(Compilation *c, const KernelInfo *info, const Function *function) {
  AstWalk walk = {.stmt = returns_value};
  if (!function || info->has_grid) return false;
  GridUse grid = frontend_grid_use(&c->ir, c->syntax, info);
  bool uses = grid.axes[0].used || grid.axes[1].used || grid.axes[2].used;
  return !uses || block_walk(&function->body, &walk);
}

// True if an error of the parser is within the function. Errors of elaboration may follow from it.
static bool has_syntax_errors(const Analysis *analysis, const Function *function) {
  for (uint32_t i = 0; function && i < analysis->diags.n; i++) {
    const Diag *diag = analysis->diags.at[i];
    if (diag->severity == DIAG_ERROR && analysis_is_main(analysis, diag->loc) &&
        diag->loc.line >= function->loc.line && diag->loc.line <= function->last_line)
      return true;
  }
  return false;
}

// Notes the entries of the file.
static void list_kernels(Analysis *analysis, KernelInfo *kernels, uint32_t count) {
  Compilation *c = &analysis->c;
  for (uint32_t i = 0; i < count; i++) {
    KernelView view = {.info = &kernels[i], .function = function_of(c->syntax, &kernels[i])};
    view.may_be_helper = may_be_helper(c, view.info, view.function);
    view.has_syntax_errors = has_syntax_errors(analysis, view.function);
    vec_push(&c->arena, &analysis->kernels, view);
  }
}

typedef struct Entries {
  KernelInfo *kernels;
  uint32_t count;
} Entries;

static tilec_status find_entries(Compilation *c, void *data) {
  Entries *entries = data;
  Spec spec = {.target = target_default()};
  for (uint32_t i = 0; i < c->syntax->functions.n; i++)
    syntax_tell_errors(&c->diags, c->syntax->functions.at[i]);
  entries->count = frontend_entries(&c->ir, c->syntax, &spec, &entries->kernels);
  return TILEC_OK;
}

// --- The analysis ---

// By place. Several kernels may give one diagnostic: all but one are removed.
static int compare_diags(const void *a, const void *b) {
  const Diag *x = *(Diag *const *)a, *y = *(Diag *const *)b;
  if (x->loc.file != y->loc.file) return x->loc.file < y->loc.file ? -1 : 1;
  if (x->loc.line != y->loc.line) return x->loc.line < y->loc.line ? -1 : 1;
  if (x->loc.col != y->loc.col) return x->loc.col < y->loc.col ? -1 : 1;
  if (x->severity != y->severity) return x->severity < y->severity ? -1 : 1;
  return strcmp(x->message, y->message);
}

static void sort_diags(Analysis *analysis) {
  uint32_t n = 0;
  if (analysis->diags.n > 1)
    qsort(analysis->diags.at, analysis->diags.n, sizeof *analysis->diags.at, compare_diags);
  for (uint32_t i = 0; i < analysis->diags.n; i++)
    if (n == 0 || compare_diags(&analysis->diags.at[i], &analysis->diags.at[n - 1]) != 0)
      analysis->diags.at[n++] = analysis->diags.at[i];
  analysis->diags.n = n;
}

static void analyse(void *data) {
  Job *job = data;
  Analysis *analysis = &job->document->analysis;
  Compilation *c = &analysis->c;
  Entries entries = {0};
  if (compilation_init(c) != TILEC_OK) return;
  c->diags.error_limit = MAX_ERRORS;
  c->reader = document_reader(job->lsp);
  tilec_status status = compile_parse(c, job->document->path.at, buf_view(&job->document->text));
  bool good = (status == TILEC_OK || status == TILEC_ERROR_COMPILE) && c->syntax;
  if (good) good = compile_guard(c, find_entries, &entries) == TILEC_OK;
  take_all(analysis);
  list_kernels(analysis, entries.kernels, entries.count);
  for (uint32_t i = 0; good && i < analysis->kernels.n; i++)
    good = look_at_kernel(job->document, analysis, &analysis->kernels.at[i]);
  sort_diags(analysis);
  analysis->failed = !good;
  if (c->fault[0]) lsp_log(job->lsp, "%s", c->fault);
}

Analysis *document_analysis(Lsp *lsp, Document *document) {
  char reason[REASON_BYTES];
  Job job = {lsp, document};
  FaultFrame frame;
  if (document->analysed) return &document->analysis;
  document->analysed = true;
  fault_enter(&frame);
  bool fault = setjmp(frame.env) != 0;
  if (fault) snprintf(reason, sizeof reason, "%.200s", frame.message);
  bool good = !fault && lsp_guarded(analyse, &job, reason, sizeof reason);
  fault_leave(&frame);
  if (good) return &document->analysis;
  document->analysis = (Analysis){.failed = true}; // its memory is given up
  lsp_log(lsp, "%s, in %s", reason, document->path.at);
  return &document->analysis;
}
