// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec explain as JSON: one object. docs/cost.md describes each member.
#include "base/json.h"
#include "tools/explain/explain.h"

enum { DIGITS = 6 };

// A number, or [min, max].
static void put_range(Json *json, const char *name, CostRange range) {
  if (range.least == range.most) {
    json_uint(json, name, range.most);
    return;
  }
  json_array(json, name);
  json_uint(json, NULL, range.least);
  json_uint(json, NULL, range.most);
  json_array_end(json);
}

static void put_instructions(Json *json, const double *instructions) {
  json_object(json, "instructions");
  for (int p = 0; p < PIPE_COUNT; p++)
    if (instructions[p] > 0) json_rounded(json, cost_pipe_name((SassPipe)p), instructions[p], DIGITS);
  json_object_end(json);
}

static void put_place(const Explanation *e, Json *json, Loc loc) {
  if (!loc.line) return;
  json_text(json, "file", sources_name(&e->run->c->sources, loc.file));
  json_uint(json, "line", loc.line);
}

static void put_op(const Explanation *e, Json *json, const CostOp *op) {
  json_object(json, NULL);
  json_text(json, "op", op_info(op->op->kind)->name);
  put_place(e, json, op->op->loc);
  if (op->instruction) json_text(json, "instruction", op->instruction);
  json_rounded(json, "share", explain_share(e->report, op), DIGITS);
  put_range(json, "runs", op->runs);
  if (op->op->kind == OP_ASYNC_WAIT || op->op->kind == OP_DOT_WAIT)
    json_int(json, "pending", op_int(op->op, ATTR_PENDING, 0));
  if (op->lane_bytes) json_uint(json, "bytes", op->lane_bytes);
  if (op->requests.most) {
    put_range(json, "global_requests", op->requests);
    put_range(json, "global_sectors", op->sectors);
    put_range(json, "global_sectors_ideal", op->sectors_ideal);
  }
  if (op->wavefronts.most) {
    put_range(json, "shared_requests", op->shared_requests);
    put_range(json, "shared_wavefronts", op->wavefronts);
    put_range(json, "shared_wavefronts_ideal", op->wavefronts_ideal);
  }
  if (op->barriers.most) put_range(json, "barriers", op->barriers);
  if (op->tensor_bytes.most) put_range(json, "tensor_bytes", op->tensor_bytes);
  if (op->flops.most) put_range(json, "flops", op->flops);
  put_instructions(json, op->instructions);
  json_object_end(json);
}

// Source lines, with the totals of their ops.
static void put_lines(const Explanation *e, Json *json) {
  json_array(json, "lines");
  for (uint32_t i = 0; i < e->lines.n; i++) {
    const ExplainedLine *line = &e->lines.at[i];
    if (!line->loc.line) continue;
    json_object(json, NULL);
    put_place(e, json, line->loc);
    json_rounded(json, "share", line->share, DIGITS);
    json_uint(json, "alive", line->alive);
    json_object_end(json);
  }
  json_array_end(json);
}

static void put_totals(const CostReport *r, Json *json) {
  const CostTotals *t = &r->totals;
  json_object(json, "counts");
  json_bool(json, "exact", r->exact);
  json_bool(json, "unbounded", r->unbounded);
  json_uint(json, "programs", r->programs);
  json_uint(json, "counted", r->counted);
  put_range(json, "global_requests", t->requests);
  put_range(json, "global_sectors", t->sectors);
  put_range(json, "global_sectors_ideal", t->sectors_ideal);
  put_range(json, "shared_requests", t->shared_requests);
  put_range(json, "shared_wavefronts", t->wavefronts);
  put_range(json, "shared_wavefronts_ideal", t->wavefronts_ideal);
  put_range(json, "barriers", t->barriers);
  put_range(json, "tensor_bytes", t->tensor_bytes);
  put_range(json, "flops", t->flops);
  json_rounded(json, "tensor_cycles", t->tensor_cycles, DIGITS);
  put_instructions(json, t->instructions);
  json_text(json, "instructions_by", r->assembled ? "ptxas" : "estimate");
  json_rounded(json, "instructions_estimated", r->estimated, DIGITS);
  json_object_end(json);
}

static void put_traffic(const CostReport *r, Json *json) {
  json_array(json, "buffers");
  for (uint32_t i = 0; i < r->traffic_count; i++) {
    const CostTraffic *traffic = &r->traffic[i];
    json_object(json, NULL);
    json_text(json, "name", traffic->buffer->name);
    json_uint(json, "bytes", traffic->buffer->bytes);
    json_rounded(json, "read", traffic->read, DIGITS);
    json_rounded(json, "written", traffic->written, DIGITS);
    json_rounded(json, "memory", traffic->memory, DIGITS);
    json_rounded(json, "again", traffic->again, DIGITS);
    json_uint(json, "device", traffic->buffer->device);
    if (traffic->buffer->device) {
      json_rounded(json, "loaded", traffic->loaded, DIGITS);
      json_rounded(json, "stored", traffic->stored, DIGITS);
      json_rounded(json, "updated", traffic->updated, DIGITS);
    }
    json_object_end(json);
  }
  json_array_end(json);
}

static void put_block(const Explanation *e, Json *json) {
  const CostReport *r = e->report;
  json_object(json, "block");
  json_uint(json, "warps", func_warps(r->func));
  json_uint(json, "registers_estimated", r->registers);
  if (e->usage.registers > 0) json_int(json, "registers", e->usage.registers);
  if (e->given) json_bool(json, "registers_given", true);
  if (e->usage.local_bytes >= 0) json_int(json, "spilled", e->usage.local_bytes);
  if (e->usage.spill_stores >= 0) json_int(json, "spill_stores", e->usage.spill_stores);
  if (e->usage.spill_loads >= 0) json_int(json, "spill_loads", e->usage.spill_loads);
  json_uint(json, "shared_bytes", r->shared_bytes);
  json_array(json, "shared");
  for (uint32_t i = 0; i < r->shared_count; i++) {
    json_object(json, NULL);
    put_place(e, json, r->shared[i].alloc->loc);
    json_uint(json, "offset", r->shared[i].offset);
    json_uint(json, "bytes", r->shared[i].bytes);
    json_object_end(json);
  }
  json_array_end(json);
  json_uint(json, "blocks", r->occupancy.blocks);
  json_text(json, "limit", cost_limit_name(r->occupancy.limit));
  json_object_end(json);
}

static void put_time(const CostReport *r, Json *json) {
  if (!r->time.known) {
    json_null(json, "time");
    return;
  }
  json_object(json, "time");
  json_rounded(json, "seconds", r->time.seconds, DIGITS);
  json_bool(json, "measured", cost_card_is_measured(r->card));
  json_text(json, "bottleneck", cost_bound_name(r->time.bottleneck));
  json_object(json, "bounds");
  for (int b = 0; b < BOUND_COUNT; b++)
    json_rounded(json, cost_bound_name((CostBound)b), r->time.bounds[b], DIGITS);
  json_object_end(json);
  json_rounded(json, "launch", r->time.launch, DIGITS);
  json_rounded(json, "waves", r->time.waves, DIGITS);
  json_rounded(json, "tail", r->time.tail, DIGITS);
  json_object_end(json);
}

static void put_answer(const Explanation *e, Json *json) {
  const Answer *answer = &e->answer;
  json_object(json, "answer");
  json_text(json, "headline", explain_headline(e));
  if (e->model->time.known) json_rounded(json, "least", explain_floor(e), DIGITS);
  if (answer->flaw) {
    json_text(json, "flaw", answer->flaw);
  }
  if (answer->change) {
    json_text(json, "change", answer->change);
    json_rounded(json, e->model->time.known ? "gain" : "counted", answer->gain, DIGITS);
    json_bool(json, "configuration", answer->what_if != NULL);
  }
  json_array(json, "lines");
  for (uint32_t i = 0; i < answer->lines.n; i++) json_uint(json, NULL, answer->lines.at[i].line);
  json_array_end(json);
  json_object_end(json);
}

static void put_what_if(const Explanation *e, Json *json) {
  if (e->fixed_grid) json_text(json, "not_tried", e->fixed_grid);
  json_array(json, "what_if");
  for (uint32_t i = 0; i < e->what_if.n; i++) {
    const WhatIf *one = &e->what_if.at[i];
    json_object(json, NULL);
    json_text(json, "configuration", one->text);
    json_rounded(json, "predicted", one->seconds, DIGITS);
    json_text(json, "bottleneck", cost_bound_name(one->bottleneck));
    json_uint(json, "registers", one->registers);
    json_uint(json, "shared_bytes", one->shared_bytes);
    json_uint(json, "blocks", one->blocks);
    json_object_end(json);
  }
  json_array_end(json);
}

static void put_losses(const Explanation *e, Json *json) {
  json_array(json, "losses");
  for (uint32_t i = 0; i < e->losses.n; i++) {
    const Loss *loss = &e->losses.at[i];
    json_object(json, NULL);
    json_text(json, "kind", loss->kind);
    put_place(e, json, loss->loc);
    json_rounded(json, "seconds", loss->seconds, DIGITS);
    if (loss->counted_of) {
      json_rounded(json, "counted", loss->counted, DIGITS);
      json_text(json, "counted_of", loss->counted_of);
    }
    json_text(json, "what", loss->what);
    json_text(json, "change", loss->change);
    json_object_end(json);
  }
  json_array_end(json);
}

static void put_remarks(const Explanation *e, Json *json) {
  const Diags *diags = &e->run->c->diags;
  json_array(json, "remarks");
  for (uint32_t i = 0; i < diags->list.n; i++) {
    const Diag *diag = diags->list.at[i];
    if (diag->severity != DIAG_REMARK) continue;
    json_object(json, NULL);
    json_text(json, "pass", diag->pass);
    put_place(e, json, diag->loc);
    json_text(json, "message", diag->message);
    json_object_end(json);
  }
  json_array_end(json);
}

static void put_simulated(const tilec_sim *sim, Json *json) {
  tilec_sim_counters total;
  tilec_sim_total(sim, &total);
  json_object(json, "simulated");
  json_object(json, "total");
  run_json_counters(&total, json);
  json_object_end(json);
  json_array(json, "lines");
  for (size_t i = 0; i < tilec_sim_line_count(sim); i++) {
    const tilec_sim_line *line = tilec_sim_line_at(sim, i);
    json_object(json, NULL);
    if (line->file) json_text(json, "file", line->file);
    json_uint(json, "line", line->line);
    run_json_counters(&line->counters, json);
    json_object_end(json);
  }
  json_array_end(json);
  json_object_end(json);
}

static void put_ncu_counters(Json *json, const NcuCounters *n) {
  for (int i = 0; i < NCU_COUNT; i++)
    if (n->known[i]) json_rounded(json, ncu_name((NcuCounter)i), n->value[i], 12);
}

static void put_ncu(const Explanation *e, Json *json) {
  const NcuReport *ncu = e->ncu;
  json_object(json, "measured");
  json_text(json, "file", ncu->file);
  json_uint(json, "launches", ncu->launches);
  json_object(json, "total");
  put_ncu_counters(json, &ncu->total);
  json_object_end(json);
  json_object(json, "predicted");
  for (int i = 0; i < NCU_COUNT; i++) {
    Measured m;
    if (explain_measured(e, (NcuCounter)i, &m))
      json_rounded(json, ncu_name((NcuCounter)i), m.predicted, DIGITS);
  }
  json_object_end(json);
  json_array(json, "lines");
  for (uint32_t i = 0; i < ncu->lines.n; i++) {
    json_object(json, NULL);
    json_text(json, "file", ncu->lines.at[i].file);
    json_uint(json, "line", ncu->lines.at[i].line);
    put_ncu_counters(json, &ncu->lines.at[i].counters);
    json_object_end(json);
  }
  json_array_end(json);
  json_object_end(json);
}

void explain_json_object(const Explanation *e, Json *json, const char *name) {
  const CostReport *r = e->report;
  json_object(json, name);
  json_text(json, "kernel", r->func->name);
  json_text(json, "arch", r->func->module->target.arch->name);
  json_text(json, "card", r->card);
  put_answer(e, json);
  put_totals(r, json);
  json_array(json, "ops");
  for (uint32_t i = 0; i < r->op_count; i++) put_op(e, json, &r->ops[i]);
  json_array_end(json);
  put_lines(e, json);
  put_traffic(e->model, json);
  put_block(e, json);
  put_time(e->model, json);
  put_losses(e, json);
  put_what_if(e, json);
  put_remarks(e, json);
  if (e->sim) put_simulated(e->sim, json);
  if (e->ncu) put_ncu(e, json);
  json_object_end(json);
}

void explain_json(const Explanation *e, Buf *out) {
  Json json = {.out = out};
  explain_json_object(e, &json, NULL);
  buf_char(out, '\n');
}
