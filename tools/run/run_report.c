// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/run/run.h"

#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "ir/memory/atomic.h"
#include "ir/number.h"
#include "ir/queries.h"
#include "sim/sim.h"

enum { SHOWN = 6 };

void run_print_element(const Argument *a, const uint8_t *bytes, uint64_t i, Buf *out) {
  uint64_t bits = number_load(a->elem, bytes + i * elem_bytes(a->elem));
  if (elem_is_float(a->elem))
    buf_printf(out, "%.6g", number_decode(a->elem, bits));
  else if (elem_is_signed(a->elem))
    buf_printf(out, "%lld", (long long)bits);
  else
    buf_printf(out, "%llu", (unsigned long long)bits);
}

static void report_type(const Run *run, const RunArg *param, Buf *out) {
  const Argument *a = &param->value;
  buf_printf(out, "%s: %s[", run_source_name(run, param->name), elem_info(a->elem)->name);
  for (uint32_t i = 0; i < a->rank; i++)
    buf_printf(out, "%s%llu", i ? "," : "", (unsigned long long)a->shape[i]);
  buf_text(out, "]");
}

static void report_buffer(const Run *run, const RunArg *param, Buf *out) {
  const Argument *a = &param->value;
  report_type(run, param, out);
  double min = INFINITY, max = -INFINITY, sum = 0;
  uint64_t nans = 0;
  for (uint64_t i = 0; i < a->elements; i++) {
    double x = number_element(a->elem, param->result, i);
    if (isnan(x)) nans++;
    min = fmin(min, x);
    max = fmax(max, x);
    sum += isnan(x) ? 0 : x;
  }
  if (a->elements > nans)
    buf_printf(out, " min %.6g max %.6g mean %.6g", min, max, sum / (double)(a->elements - nans));
  if (nans) buf_printf(out, " NaN %llu", (unsigned long long)nans);
  buf_text(out, " [");
  for (uint64_t i = 0; i < a->elements && i < SHOWN; i++) {
    if (i) buf_text(out, ", ");
    run_print_element(a, param->result, i, out);
  }
  buf_text(out, a->elements > SHOWN ? ", ...]\n" : "]\n");
}

// True if the op may store to the buffer. A pointer that depends on a choice, or was loaded, is of no buffer.
static bool stores_to(const Run *run, const Op *op, const RunArg *buffer) {
  if (!op_writes_global(op) || atomic_is_load(op)) return false;
  int32_t param = pointer_param(op->operands[0].value);
  if (param < 0 || (uint32_t)param >= run->bit_count) return false;
  uint64_t address = run->bits[param];
  return address >= buffer->base && address - buffer->base < buffer->value.bytes;
}

static bool is_output(const Run *run, const Func *func, const RunArg *buffer) {
  if (!func || !run->bits) return false; // PTX of the user
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (stores_to(run, w.op, buffer)) return true;
  return false;
}

void run_report_buffers(const Run *run, const Func *func) {
  Buf out = {0};
  for (uint32_t i = 0; i < run->holder_count; i++) {
    const RunArg *param = &run->params[i];
    if (param->buffer != param) continue;
    bool changed = param->value.bytes && memcmp(param->value.data, param->result, param->value.bytes) != 0;
    if (changed || !param->value.initialised)
      report_buffer(run, param, &out);
    else if (is_output(run, func, param)) {
      report_type(run, param, &out);
      buf_text(&out, " unchanged\n");
    }
  }
  fwrite(out.at ? out.at : "", 1, out.n, stdout);
  buf_free(&out);
}

// The parameter that --save names. NULL if it has no buffer.
static const RunArg *saved_param(const Run *run, const NamedText *save) {
  const RunArg *param = run_find_holder(run, save->name);
  return param && param->buffer ? param : NULL;
}

bool run_check_outputs(const Run *run) {
  const Options *o = run->options;
  const char **outputs = ARENA_ARRAY(run->arena, const char *, o->saves.n + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < o->saves.n; i++) {
    const NamedText *save = &o->saves.at[i];
    if (!saved_param(run, save)) return run_no_buffer(run, "--save", save->name, str_from(save->name));
    outputs[count++] = save->text;
  }
  if (o->stats_file) outputs[count++] = o->stats_file;
  return run_check_prints(run) && files_apart(run->arena, o, run->c, outputs, count);
}

static bool save_one(const Run *run, const NamedText *save) {
  const RunArg *param = saved_param(run, save);
  const Argument *a = &param->buffer->value;
  Buf file = {0};
  npy_write_header(a->elem, a->rank, a->shape, &file);
  buf_bytes(&file, param->buffer->result, a->bytes);
  bool ok = tool_write(save->text, buf_view(&file));
  buf_free(&file);
  return ok;
}

bool run_save(const Run *run) {
  for (uint32_t i = 0; i < run->options->saves.n; i++)
    if (!save_one(run, &run->options->saves.at[i])) return false;
  return true;
}

bool run_write_stats(const Run *run, Str line) {
  if (run->options->stats_file) return tool_write(run->options->stats_file, line);
  return fwrite(line.at, 1, line.n, stderr) == line.n;
}

void run_json_counters(const tilec_sim_counters *counters, Json *json) {
  json_uint(json, "instructions", counters->instructions);
  json_uint(json, "global_requests", counters->global_requests);
  json_uint(json, "global_sectors", counters->global_sectors);
  json_uint(json, "global_sectors_ideal", counters->global_sectors_ideal);
  json_uint(json, "shared_requests", counters->shared_requests);
  json_uint(json, "shared_wavefronts", counters->shared_wavefronts);
  json_uint(json, "shared_wavefronts_ideal", counters->shared_wavefronts_ideal);
  json_uint(json, "barriers", counters->barriers);
}

static const char *result_name(const Comparison *c) {
  if (c->wrong) return "differs";
  if (c->uncertain && !c->compared) return "uncertain";
  return c->elements ? "equal" : "empty";
}

static void json_comparison(const Comparison *c, Json *json) {
  json_object(json, NULL);
  json_text(json, "buffer", c->param->name);
  json_text(json, "option", c->of_array ? "expect" : "check");
  json_text(json, "with", c->with);
  json_text(json, "result", result_name(c));
  json_uint(json, "elements", c->elements);
  json_uint(json, "compared", c->compared);
  if (!c->of_array) json_uint(json, "outputs", c->outputs);
  json_uint(json, "uncertain", c->uncertain);
  if (c->unread) json_uint(json, "unread", c->unread);
  json_uint(json, "count", c->wrong);
  if (c->wrong) json_uint(json, "index", c->first);
  if (c->got) json_decimal(json, "got", c->got);
  if (c->expected) json_decimal(json, "expected", c->expected);
  json_object_end(json);
}

bool run_report_stats(const Run *run) {
  const tilec_sim *sim = device_simulator(run->device);
  if (!sim && !run->comparisons.n)
    return tool_error("[T1006] --stats needs the simulator (--device sim), not %s, or a comparison (--check, "
                      "--expect)",
                      run->device->name),
           false;
  Buf out = {0};
  Json json = {.out = &out};
  json_object(&json, NULL);
  if (sim) {
    tilec_sim_counters total;
    tilec_sim_total(sim, &total);
    run_json_counters(&total, &json);
  }
  if (run->comparisons.n) json_array(&json, "comparisons");
  for (uint32_t i = 0; i < run->comparisons.n; i++) json_comparison(&run->comparisons.at[i], &json);
  if (run->comparisons.n) json_array_end(&json);
  json_object_end(&json);
  buf_char(&out, '\n');
  bool ok = run_write_stats(run, buf_view(&out));
  buf_free(&out);
  return ok;
}
