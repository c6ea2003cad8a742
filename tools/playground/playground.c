// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/playground/playground.h"

#include <math.h>
#include <stdlib.h>

#include "base/plain.h"
#include "base/seconds.h"
#include "ir/number.h"
#include "runtime/error.h"
#include "tools/run/run.h"

enum { SHOWN = 4096, WORDS = 1000, DEFAULT_TIMEOUT = 10 };

typedef struct Play {
  const char *name, *source, *words;
  Arena arena;
  Buf messages, printed, usage;
  Options options;
  Compilation c;
  Run run;
  BoundArgs bound;
  int64_t grid[3];
  EvalMemory *memory; // NULL: nothing ran
  bool launched;      // The grid is known.
  PassTextList texts;
  double parsed, ran, passed; // seconds
} Play;

// ---- the command line ----

static bool refuse_options(const Options *o) {
  bool evaluator = strcmp(o->device, "auto") == 0 || strcmp(o->device, "eval") == 0;
  if (o->command != COMMAND_RUN) return tool_error("[T1006] the playground only runs kernels"), false;
  if (!evaluator || o->sim_given)
    return tool_error("[T1006] the playground has the evaluator only, and not --device %s", o->device), false;
  if (o->step) return tool_error("[T1006] the playground has no --step: tilec run has it"), false;
  if (options_file_is_ptx(o)) return tool_error("[T1006] the playground takes no PTX"), false;
  if (o->saves.n || o->stats || o->expectations.n || o->check_file || o->prints.n)
    return tool_error(
               "[T1006] the playground has no files, and shows all buffers: leave out --save, --stats, "
               "--expect, --print and --check=FILE"),
           false;
  return true;
}

// "tilec run NAME", and a word for each line.
static bool take_words(Play *p) {
  char **words = ARENA_ARRAY(&p->arena, char *, WORDS);
  int count = 3;
  words[0] = arena_copy(&p->arena, STR("tilec"));
  words[1] = arena_copy(&p->arena, STR("run"));
  words[2] = arena_copy(&p->arena, str_from(p->name));
  for (const char *at = p->words; *at && count < WORDS;) {
    size_t n = strcspn(at, "\n");
    if (n) words[count++] = arena_copy(&p->arena, (Str){at, n});
    at += n + (at[n] == '\n');
  }
  p->options = (Options){.command = COMMAND_RUN};
  if (!options_parse(count, words, &p->arena, &p->options, &p->usage))
    return tool_error("[T1006] %s", p->usage.at), false;
  return refuse_options(&p->options);
}

// ---- the run ----

static bool report(Play *p, tilec_status status) {
  return tool_report(&p->options, &p->c, status) == EXIT_DONE;
}

// Parses, and binds the arguments. False after a report.
static bool prepare(Play *p) {
  Compilation *c = &p->c;
  tilec_status status = compile_parse(c, p->name, str_from(p->source));
  p->run = (Run){
      .options = &p->options, .arena = &p->arena, .c = c, .text = str_from(p->source), .has_data = true};
  if (status == TILEC_OK) status = tool_spec(&p->options, c, &p->run.spec);
  if (status != TILEC_OK) return report(p, status);
  if (!run_match_arguments(&p->run)) return false;
  run_lay_out_buffers(&p->run);
  for (uint32_t i = 0; i < p->run.holder_count; i++) run_fill_table(&p->run, &p->run.params[i]);
  if (!run_bind(&p->run, &p->bound)) return false;
  p->run.bound = &p->bound;
  p->run.bits = p->bound.bits;
  run_specialise(&p->run, &p->bound);
  const char *grid = p->options.grid_text;
  if (grid && !c->is_tir) status = compile_grid(c, grid, &p->run.spec);
  if (status == TILEC_OK) status = compile_elaborate(c, &p->run.spec);
  if (status == TILEC_OK) status = compile_launchable(c);
  if (status != TILEC_OK) return report(p, status);
  p->launched = run_grid(&p->run, c->module->funcs.at[0], p->bound.bits, p->grid);
  return p->launched;
}

static void keep_printed(const char *text, void *data) {
  buf_plain_lines(data, str_from(text), SIZE_MAX);
  buf_char(data, '\n');
}

static tilec_status evaluate(Compilation *c, void *data) {
  Play *p = data;
  Run *run = &p->run;
  EvalArg *args = ARENA_ARRAY(&p->arena, EvalArg, p->bound.count);
  for (uint32_t i = 0; i < p->bound.count; i++) args[i].bits = p->bound.bits[i];
  p->memory = eval_memory_new(&p->arena);
  for (uint32_t i = 0; i < run->holder_count; i++) {
    const RunArg *arg = &run->params[i];
    if (arg->buffer == arg && arg->value.bytes)
      eval_memory_add(p->memory, arg->base, arg->value.data, arg->value.bytes, arg->value.initialised);
  }
  const ReportContext context = run_report_context(run);
  const uint32_t sizes[3] = {(uint32_t)p->grid[0], (uint32_t)p->grid[1], (uint32_t)p->grid[2]};
  const EvalOptions options = {.max_steps = p->options.max_instructions,
                               .timeout = p->options.timeout_given ? p->options.timeout : DEFAULT_TIMEOUT,
                               .programs = p->options.max_programs,
                               .names = context.names,
                               .name_count = context.name_count,
                               .races = true,
                               .wraps = true,
                               .hints = true,
                               .print = keep_printed,
                               .print_data = &p->printed};
  return eval_launch(c->module->funcs.at[0], sizes, args, p->memory, &options) ? TILEC_OK
                                                                               : TILEC_ERROR_COMPILE;
}

// The passes run after the evaluator, also where that found errors: they change the kernel.
static tilec_status run_passes(Play *p) {
  PassReport collected;
  PassRunOptions passes = tool_passes(&p->options, &collected);
  collected.texts = &p->texts;
  collected.arena = &p->arena;
  const uint32_t errors = p->c.diags.errors;
  p->c.diags.errors = 0; // else they would be taken for the passes' own
  p->c.launched = true;
  tilec_status status = compile_passes(&p->c, &passes);
  p->c.diags.errors += errors;
  buf_free(&collected.text);
  return status;
}

// ---- the result ----

static void json_shape(Json *json, const Argument *value) {
  json_array(json, "shape");
  for (uint32_t d = 0; d < value->rank; d++) json_uint(json, NULL, value->shape[d]);
  json_array_end(json);
}

static void json_range(Json *json, const Argument *value, const uint8_t *bytes) {
  double min = INFINITY, max = -INFINITY, sum = 0;
  uint64_t nans = 0;
  for (uint64_t i = 0; i < value->elements; i++) {
    double x = number_element(value->elem, bytes, i);
    if (isnan(x)) nans++;
    min = fmin(min, x);
    max = fmax(max, x);
    sum += isnan(x) ? 0 : x;
  }
  json_uint(json, "nans", nans);
  if (value->elements == nans) return;
  json_double(json, "min", min);
  json_double(json, "max", max);
  json_double(json, "mean", sum / (double)(value->elements - nans));
}

static void json_buffer(Play *p, const RunArg *param, Json *json) {
  const Argument *value = &param->value;
  const uint8_t *bytes = value->bytes ? eval_memory_bytes(p->memory, param->base) : value->data;
  uint32_t size = elem_bytes(value->elem);
  uint8_t *written = arena_alloc(&p->arena, value->bytes);
  uint64_t unwritten = 0;
  json_object(json, NULL);
  json_text(json, "name", param->name);
  json_text(json, "type", elem_info(value->elem)->name);
  json_shape(json, value);
  json_uint(json, "elements", value->elements);
  json_bool(json, "changed", value->bytes && memcmp(value->data, bytes, value->bytes) != 0);
  if (!value->initialised) {
    eval_memory_written(p->memory, param->base, written);
    for (uint64_t i = 0; i < value->elements; i++) unwritten += !written[i * size];
    json_uint(json, "unwritten", unwritten);
  }
  json_range(json, value, bytes);
  json_tight_array(json, "values");
  Buf text = {0};
  for (uint64_t i = 0; i < value->elements && i < SHOWN; i++) {
    buf_reset(&text);
    run_print_element(value, bytes, i, &text);
    json_text(json, NULL, !value->initialised && !written[i * size] ? "" : text.at); // "": never written
  }
  buf_free(&text);
  json_array_end(json);
  json_object_end(json);
}

static void json_launch(Play *p, Json *json) {
  json_text(json, "kernel", p->c.module->funcs.at[0]->name);
  json_array(json, "grid");
  for (int i = 0; i < 3; i++) json_int(json, NULL, p->grid[i]);
  json_array_end(json);
  json_str(json, "printed", buf_view(&p->printed));
  if (!p->memory) return;
  json_array(json, "buffers");
  for (uint32_t i = 0; i < p->run.holder_count; i++)
    if (p->run.params[i].buffer == &p->run.params[i]) json_buffer(p, &p->run.params[i], json);
  json_array_end(json);
}

static void describe(Play *p, Buf *out) {
  Json json = {.out = out};
  Buf diagnostics = {0};
  json_object(&json, NULL);
  json_text(&json, "status", p->c.diags.errors || !p->memory ? "diagnosed" : "done");
  json_str(&json, "text", buf_view(&p->messages));
  diags_print_json(&p->c.diags, true, &diagnostics);
  diagnostics.n--; // the newline
  json_value(&json, "diagnostics", buf_view(&diagnostics));
  buf_free(&diagnostics);
  if (p->launched) json_launch(p, &json);
  json_array(&json, "passes");
  for (uint32_t i = 0; i < p->texts.n; i++) {
    json_object(&json, NULL);
    json_text(&json, "name", p->texts.at[i].pass);
    json_str(&json, "text", p->texts.at[i].text);
    json_object_end(&json);
  }
  json_array_end(&json);
  json_object(&json, "seconds");
  json_rounded(&json, "parse", p->parsed, 4);
  json_rounded(&json, "run", p->ran, 4);
  json_rounded(&json, "passes", p->passed, 4);
  json_object_end(&json);
  json_object_end(&json);
}

typedef struct Request {
  Play *play;
  Buf *out;
} Request;

static tilec_status play(void *data) {
  Play *p = ((Request *)data)->play;
  if (take_words(p)) {
    double began = seconds_now();
    tilec_status status = compilation_init(&p->c);
    bool ready = status == TILEC_OK && prepare(p);
    p->parsed = seconds_now() - began;
    if (ready) {
      status = compile_guard(&p->c, evaluate, p);
      p->ran = seconds_now() - began - p->parsed;
      if (status == TILEC_OK || status == TILEC_ERROR_COMPILE) run_passes(p);
      p->passed = seconds_now() - began - p->parsed - p->ran;
      report(p, status);
    }
  }
  if (p->c.fault[0]) return error_set(TILEC_ERROR_INTERNAL, "%s", p->c.fault);
  describe(p, ((Request *)data)->out);
  return TILEC_OK;
}

static void release(Play *p) {
  compilation_free(&p->c);
  arena_free(&p->arena);
  buf_free(&p->printed);
  buf_free(&p->usage);
  buf_free(&p->messages);
}

char *playground_run(const char *name, const char *source, const char *words) {
  Play p = {.name = name, .source = source, .words = words};
  Buf out = {0};
  tool_collect(&p.messages);
  tilec_status status = error_guard(play, &(Request){&p, &out});
  tool_collect(NULL);
  release(&p);
  if (status == TILEC_OK) return out.at;
  buf_free(&out); // its memory is of use now
  Json json = {.out = &out};
  json_object(&json, NULL);
  json_text(&json, "status", "failed");
  json_text(&json, "text", tilec_last_error());
  json_object_end(&json);
  return out.at;
}
