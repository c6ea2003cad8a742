// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/diagnostics.h"

#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "runtime/error.h"

// A first walk counts and a second one fills. `list` is NULL in the first walk.
typedef struct Filling {
  const Diags *diags;
  tilec_diagnostics *list;
  char *text;
  size_t count, bytes;
} Filling;

static const char *keep_text(Filling *f, const char *text) {
  size_t n = strlen(text) + 1;
  char *at = f->list ? f->text + f->bytes : NULL;
  if (at) memcpy(at, text, n);
  f->bytes += n;
  return at;
}

static void add_run(Filling *f, const DiagRun *run, tilec_diagnostic *item) {
  _Static_assert(sizeof item->element == sizeof run->element, "the copies below");
  item->kind = keep_text(f, run->kind);
  if (run->buffer) item->buffer = keep_text(f, run->buffer);
  item->index = run->index;
  memcpy(item->program, run->program, sizeof item->program);
  memcpy(item->element, run->element, sizeof item->element);
  item->element_rank = run->element_rank;
  if (run->access) item->access = keep_text(f, run->access);
  if (run->other_access) item->other_access = keep_text(f, run->other_access);
}

static void add(Filling *f, const Diag *diag, size_t parent) {
  _Static_assert((int)TILEC_SEVERITY_NOTE == (int)DIAG_NOTE && (int)TILEC_SEVERITY_REMARK == (int)DIAG_REMARK,
                 "a Severity is a tilec_severity");
  size_t index = f->count++;
  if (parent == SIZE_MAX) parent = index;
  tilec_diagnostic item = {.size = sizeof item, .severity = (tilec_severity)diag->severity, .parent = parent};
  item.text = keep_text(f, diag->message);
  if (diag->code) item.code = keep_text(f, diag->code);
  if (diag->run) add_run(f, diag->run, &item);
  if (diag->loc.line) {
    item.file = keep_text(f, sources_name(f->diags->sources, diag->loc.file));
    item.line = diag->loc.line;
    item.column = diag->loc.col;
    item.length = diag->loc.len;
  }
  if (f->list) f->list->items[index] = item;
  for (uint32_t i = 0; i < diag->notes.n; i++) add(f, diag->notes.at[i], index);
}

static void walk(Filling *f, bool remarks) {
  f->count = f->bytes = 0;
  for (uint32_t i = 0; i < f->diags->list.n; i++)
    if (remarks || f->diags->list.at[i]->severity != DIAG_REMARK) add(f, f->diags->list.at[i], SIZE_MAX);
}

tilec_diagnostics *diagnostics_of(const Diags *diags, bool remarks) {
  Filling f = {.diags = diags};
  walk(&f, remarks);
  size_t head = sizeof *f.list + f.count * sizeof f.list->items[0];
  f.list = malloc(head + f.bytes);
  if (!f.list) return NULL;
  f.text = (char *)f.list + head;
  walk(&f, remarks);
  f.list->count = f.count;
  return f.list;
}

tilec_diagnostics *diagnostics_of_text(const char *text) {
  size_t n = strlen(text) + 1;
  tilec_diagnostics *list = malloc(sizeof *list + sizeof list->items[0] + n);
  if (!list) return NULL;
  char *copy = memcpy(&list->items[1], text, n);
  list->count = 1;
  list->items[0] =
      (tilec_diagnostic){.size = sizeof list->items[0], .severity = TILEC_SEVERITY_ERROR, .text = copy};
  return list;
}

void diagnostics_log(const tilec_compile_options *options, const Diags *diags) {
  if (!options->log || !diags->list.n) return;
  tilec_diagnostics *list = diagnostics_of(diags, options->remarks != 0);
  for (size_t i = 0; list && i < list->count; i++) options->log(options->log_data, &list->items[i]);
  free(list);
}

size_t tilec_diagnostics_count(const tilec_diagnostics *list) { return list ? list->count : 0; }

tilec_status tilec_diagnostics_get(const tilec_diagnostics *list, size_t index,
                                   tilec_diagnostic *diagnostic) {
  if (!diagnostic) return null_argument("tilec_diagnostics_get", "diagnostic");
  if (index >= tilec_diagnostics_count(list))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "tilec_diagnostics_get: there are %zu diagnostics, and %zu is not one of them",
                     tilec_diagnostics_count(list), index);
  if (sized_give(diagnostic, &list->items[index], sizeof list->items[index])) return TILEC_OK;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                   "diagnostic.size is %zu: initialise diagnostic with TILEC_DIAGNOSTIC_INIT",
                   diagnostic->size);
}
