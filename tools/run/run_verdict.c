// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports about the buffers after a run: elements never written, and comparisons with the user's arrays
// (--expect).
#include <stdarg.h>
#include <stdio.h>

#include "tools/run/run.h"

void run_warn(Run *run, Loc loc, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  diag_warning(&run->c->diags, loc, "%s", text);
  run->warnings++;
}

Diag *run_differs(Run *run, const Comparison *comparison, const char *text) {
  const RunArg *param = comparison->param;
  BufferName name = run_buffer_name(param);
  DiagRun *facts = ARENA_NEW(run->c->diags.arena, DiagRun);
  *facts = (DiagRun){.kind = "differs",
                     .buffer = param->name,
                     .index = (int64_t)comparison->first,
                     .count = comparison->wrong,
                     .with = comparison->with,
                     .got = comparison->got,
                     .expected = comparison->expected};
  uint64_t address = name.address + comparison->first * elem_bytes(name.elem);
  facts->rank = buffer_indices(&name, address, facts->indices);
  Diag *diag = diag_error(&run->c->diags, param->loc, "[T1405] %s", text);
  diag->run = facts;
  return diag;
}

// ---- never written ----

static bool all_zero(const uint8_t *bytes, uint32_t n) {
  while (n > 0 && !bytes[n - 1]) n--;
  return n == 0;
}

// Counts elements with no byte written. If the device cannot report that, counts those that still have the
// value of `empty:`.
static Unwritten count_unwritten(const RunArg *param, const uint8_t *written) {
  const Argument *a = &param->value;
  uint32_t size = elem_bytes(a->elem);
  Unwritten found = {0};
  for (uint64_t i = 0; i < a->elements; i++) {
    uint64_t at = i * size;
    if (written ? !all_zero(written + at, size) : memcmp(param->result + at, a->data + at, size) != 0)
      continue;
    if (!found.count++) found.first = i;
    found.last = i;
  }
  return found;
}

static const char *describe_unwritten(const Run *run, const RunArg *param, const Unwritten *found) {
  const Argument *a = &param->value;
  const char *name = run_arg_name(run, param);
  Buf index = {0};
  if (found->count == a->elements)
    return arena_printf(
        run->arena,
        run->host ? "[T1302] no element of %s was written: is it an output, and is its mask ever true?"
                  : "[T1302] no element of %s was written: is it an output?",
        name);
  expect_print_index("", a, found->first, &index);
  bool is_tail = found->last == a->elements - 1 && found->last - found->first + 1 == found->count;
  const char *text =
      arena_printf(run->arena, "[T1302] %llu of %llu elements of %s %s never written, the first at %s: %s",
                   (unsigned long long)found->count, (unsigned long long)a->elements, name,
                   found->count == 1 ? "was" : "were", index.at,
                   is_tail ? "is the grid too small?" : "is the grid too small, or a mask too narrow?");
  buf_free(&index);
  return text;
}

void run_refuse_unwritten(Run *run, RunArg *param, const Unwritten *found) {
  Diag *diag = diag_error(&run->c->diags, param->loc, "%s", describe_unwritten(run, param, found));
  diag_note(
      &run->c->diags, diag, LOC_NONE,
      "--check fails if more than %g %% at the end of an output are missing; begin with `zeros:`, or give "
      "--allow-uncompared=SHARE",
      100 * run->options->allow_uncompared);
  param->told_unwritten = true;
}

void run_warn_unwritten(Run *run) {
  for (uint32_t i = 0; i < run->holder_count; i++) {
    const RunArg *param = &run->params[i];
    if (param->buffer != param || param->value.initialised || param->told_unwritten) continue;
    Unwritten found = count_unwritten(param, device_written(run->device, param->base));
    if (found.count) run_warn(run, param->loc, "%s", describe_unwritten(run, param, &found));
  }
}

// ---- --expect ----

bool run_load_expectations(Run *run) {
  const Options *o = run->options;
  run->expected = ARENA_ARRAY(run->arena, RunExpected, o->expectations.n);
  for (uint32_t i = 0; i < o->expectations.n; i++) {
    const Expectation *e = &o->expectations.at[i];
    const RunArg *param = run_find_buffer(run, e->name);
    const char *why;
    if (!param) return run_no_buffer(run, "--expect", e->name, str_from(e->name));
    run->expected[i].param = param;
    if (!expect_load(run->arena, e, &param->value, &run->expected[i].array, &why))
      return tool_error("[T1006] --expect %s=@%s: %s", e->name, e->path, why), false;
  }
  return true;
}

static void report_expected(Run *run, const RunExpected *e, const ExpectResult *result,
                            const Comparison *comparison) {
  const Argument *a = &e->param->value;
  Buf text = {0};
  buf_printf(&text, "%llu of %llu elements of %s differ from %s by more than %g + %g |expected|",
             (unsigned long long)result->wrong, (unsigned long long)a->elements, run_arg_name(run, e->param),
             e->array.path, e->array.atol, e->array.rtol);
  if (result->nans < result->wrong) {
    buf_printf(&text, ": by up to %g at ", result->largest);
    expect_print_index("", a, result->largest_at, &text);
    buf_printf(&text, ", relatively by up to %g at ", result->relative);
    expect_print_index("", a, result->relative_at, &text);
  }
  if (result->nans)
    buf_printf(&text, "; %llu of them NaN on only one side", (unsigned long long)result->nans);
  Diag *diag = run_differs(run, comparison, text.at);
  for (uint32_t k = 0; k < EXPECT_SHOWN && k < result->wrong; k++) {
    buf_reset(&text);
    expect_print_pair(e->param->name, &e->array, e->param->result, result->first[k], &text);
    diag_note(&run->c->diags, diag, LOC_NONE, "%s", text.at);
  }
  if (e->array.usual)
    diag_note(&run->c->diags, diag, LOC_NONE, "another tolerance: --expect %s=@%s:RTOL,ATOL", e->param->name,
              e->array.path);
  buf_free(&text);
}

static const char *value_text(Run *run, Elem elem, const uint8_t *data, uint64_t i) {
  Buf text = {0};
  expect_print_value(elem, data, i, &text);
  const char *copy = arena_copy(run->arena, buf_view(&text));
  buf_free(&text);
  return copy;
}

static Comparison keep_comparison(Run *run, const RunExpected *e, const ExpectResult *result) {
  const Argument *a = &e->param->value;
  Comparison comparison = {.param = e->param,
                           .with = e->array.path,
                           .of_array = true,
                           .elements = a->elements,
                           .compared = a->elements,
                           .wrong = result->wrong};
  if (result->wrong) {
    comparison.first = result->first[0];
    comparison.got = value_text(run, a->elem, e->param->result, comparison.first);
    comparison.expected = value_text(run, e->array.elem, e->array.data, comparison.first);
  }
  vec_push(run->arena, &run->comparisons, comparison);
  return comparison;
}

ExitStatus run_expect(Run *run, const char *prefix) {
  ExitStatus status = EXIT_DONE;
  for (uint32_t i = 0; i < run->options->expectations.n; i++) {
    RunExpected *e = &run->expected[i];
    ExpectResult result;
    expect_compare(&e->array, e->param->result, NULL, &result);
    const Comparison comparison = keep_comparison(run, e, &result);
    printf("%sexpect: %s: ", prefix, e->param->name);
    if (result.wrong)
      printf("differs from %s in %llu of %llu elements\n", e->array.path, (unsigned long long)result.wrong,
             (unsigned long long)e->param->value.elements);
    else
      printf("equal to %s (%llu elements, rtol %g, atol %g)\n", e->array.path,
             (unsigned long long)e->param->value.elements, e->array.rtol, e->array.atol);
    if (!result.wrong) continue;
    status = EXIT_DIAGNOSED;
    if (!e->reported) report_expected(run, e, &result, &comparison);
    e->reported = true;
  }
  return status;
}

ExitStatus run_tell(Run *run, tilec_status status) {
  ExitStatus result = tool_report(run->options, run->c, status);
  run->c->diags.list.n = 0;
  return result;
}

ExitStatus run_judge(Run *run, ExitStatus result) {
  run_warn_unwritten(run);
  ExitStatus expected = run_expect(run, "");
  if (run->c->diags.list.n || run->options->json_diagnostics) run_tell(run, TILEC_OK);
  return run_strict(run, result == EXIT_DONE ? expected : result);
}

ExitStatus run_strict(const Run *run, ExitStatus result) {
  if (result != EXIT_DONE || !run->options->strict || !run->warnings) return result;
  return tool_error("[T1405] --strict: %u warning%s at run time", run->warnings,
                    run->warnings == 1 ? "" : "s");
}
