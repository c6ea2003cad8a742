// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of a line, and how a tile is distributed over the threads. The cost comes from the elaborated kernel. A
// layout needs the passes up to the one that chooses layouts, which run once for a text, when first asked for.
#include <stdio.h>

#include "passes/passes.h"
#include "tools/lsp/lsp.h"

enum { REASON_BYTES = 256, MAX_LAYOUT = 400 };

// --- Ops of a place ---

typedef struct Visitor {
  void (*visit)(const Op *op, void *data);
  void *data;
} Visitor;

static void walk_region(const Region *region, const Visitor *walk) {
  for (const Op *op = region->first; op; op = op->next) {
    walk->visit(op, walk->data);
    for (uint32_t i = 0; i < op->region_count; i++) walk_region(op->regions[i], walk);
  }
}

// --- Cost ---

typedef struct LineCost {
  Loc loc; // line and file
  uint64_t loaded, stored, flops, elements;
} LineCost;

static uint64_t bytes_of(const Type *type) { return type_elements(type) * type_element_bytes(type); }

static void add_cost(const Op *op, void *data) {
  LineCost *cost = data;
  if (op->loc.line != cost->loc.line || op->loc.file != cost->loc.file) return;
  const Type *type = op->result_count ? op->results[0].type : NULL;
  uint32_t traits = op_traits[op->kind];
  if (op->kind == OP_LOAD)
    cost->loaded += bytes_of(type);
  else if (op->kind == OP_STORE && op->operand_count > 1)
    cost->stored += bytes_of(op->operands[1].value->type);
  else if (op->kind == OP_DOT && type->rank >= 2) {
    const Type *a = op->operands[0].value->type;
    cost->flops += 2 * type_elements(type) * a->shape[a->rank - 1];
  } else if ((traits & ARITHMETIC) && type)
    cost->elements += type_elements(type);
}

static void put_part(Buf *out, size_t start, const char *text) {
  buf_printf(out, "%s%s", out->n > start ? ", " : "", text);
}

static void put_bytes(Buf *out, size_t start, const char *what, uint64_t bytes) {
  char text[64];
  if (bytes < 10000)
    snprintf(text, sizeof text, "%s %llu bytes", what, (unsigned long long)bytes);
  else
    snprintf(text, sizeof text, "%s %.4g KB", what, (double)bytes / 1e3);
  if (bytes) put_part(out, start, text);
}

void lsp_print_cost(const KernelView *kernel, uint32_t line, Buf *out) {
  if (!kernel->func || kernel->guesses_sizes) return;
  LineCost cost = {.loc = {.line = line, .file = kernel->func->loc.file}};
  char text[64];
  Buf parts = {0};
  walk_region(kernel->func->body, &(Visitor){add_cost, &cost});
  if (!kernel->guesses_types) {
    put_bytes(&parts, 0, "loads", cost.loaded);
    put_bytes(&parts, 0, "stores", cost.stored);
  }
  snprintf(text, sizeof text, "%.4g MFLOP of dots", (double)cost.flops / 1e6);
  if (cost.flops) put_part(&parts, 0, text);
  snprintf(text, sizeof text, "computes %llu elements", (unsigned long long)cost.elements);
  if (cost.elements) put_part(&parts, 0, text);
  if (parts.n) buf_printf(out, "line %u, each time a program runs it: %s\n", line, parts.at);
  buf_free(&parts);
}

// --- Layouts ---

typedef struct LayoutJob {
  Lsp *lsp;
  Document *document;
  const KernelView *kernel;
  bool good;
} LayoutJob;

static void choose_layouts(void *data) {
  LayoutJob *job = data;
  Analysis *analysis = &job->document->analysis;
  Compilation *c = &analysis->later;
  KernelView view = *job->kernel;
  PassRunOptions passes = {.stop_after = "propagate_layouts"};
  if (compilation_init(c) != TILEC_OK) return;
  c->reader = document_reader(job->lsp);
  if (compile_parse(c, job->document->path.at, buf_view(&job->document->text)) != TILEC_OK) return;
  view.info = frontend_kernel(&c->ir, c->syntax, NULL, job->kernel->info->path);
  if (!view.info) return;
  view.spec = (Spec){.kernel = view.info->path, .target = target_default()};
  lsp_specify(job->document, c, &view, 0);
  if (c->diags.errors || compile_elaborate(c, &view.spec) != TILEC_OK) return;
  job->good = compile_passes(c, &passes) == TILEC_OK;
}

// The kernel after the pass, or NULL.
static const Func *later_func(Lsp *lsp, Document *document, const KernelView *kernel) {
  Analysis *analysis = &document->analysis;
  char reason[REASON_BYTES];
  LayoutJob job = {lsp, document, kernel, false};
  if (analysis->later_of != kernel) {
    compilation_free(&analysis->later);
    analysis->later_of = kernel;
    if (!lsp_guarded(choose_layouts, &job, reason, sizeof reason)) {
      analysis->later = (Compilation){0}; // its memory is given up
      lsp_log(lsp, "%s, in passes on %s", reason, document->path.at);
    } else if (!job.good)
      compilation_free(&analysis->later);
  }
  const IrModule *module = analysis->later.module;
  return module && module->funcs.n ? module->funcs.at[0] : NULL;
}

typedef struct LayoutSearch {
  Loc loc;
  const Layout *found;
} LayoutSearch;

static void find_layout(const Op *op, void *data) {
  LayoutSearch *search = data;
  Loc at = op->loc, loc = search->loc;
  if (at.line != loc.line || at.col != loc.col || at.len != loc.len || at.file != loc.file) return;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (op->results[i].type->kind == TYPE_TILE && op->results[i].type->layout)
      search->found = op->results[i].type->layout; // the last op makes the value
}

void lsp_print_layout(Lsp *lsp, Document *document, const KernelView *kernel, Loc loc, Buf *out) {
  if (!kernel->func || kernel->guesses_types || kernel->guesses_sizes) return;
  const Func *func = later_func(lsp, document, kernel);
  LayoutSearch search = {.loc = loc};
  Buf text = {0};
  if (func) walk_region(func->body, &(Visitor){find_layout, &search});
  if (search.found) layout_print(search.found, &text);
  if (text.n && text.n <= MAX_LAYOUT) buf_printf(out, "%.*s\n", (int)text.n, text.at);
  buf_free(&text);
}
