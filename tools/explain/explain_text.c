// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec explain as text of 100 columns.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/colors.h"
#include "ir/memory/ring.h"
#include "tools/explain/explain.h"

// HOT: lines with at least this percentage of the time are marked.
enum { COLUMNS = 100, INDENT = 14, SOURCE = 20, HOT = 25 };

typedef struct Writer {
  const Explanation *e;
  Buf *out;
  bool colors;
  bool repeats; // A line has an instruction with a number, "x2".
  size_t column;
} Writer;

static void color(Writer *w, const char *code) {
  if (w->colors) buf_text(w->out, code);
}

static void end_line(Writer *w) {
  buf_char(w->out, '\n');
  w->column = 0;
}

static void put_words(Writer *w, const char *text, size_t indent) {
  w->column = buf_wrapped(w->out, text, w->column, indent, COLUMNS);
}

static void put_row(Writer *w, const char *name, const char *text) {
  color(w, COLOR_BOLD);
  buf_text(w->out, name);
  color(w, COLOR_RESET);
  w->column = strlen(name);
  buf_spaces(w->out, (int)(INDENT - w->column));
  w->column = INDENT;
  put_words(w, text, INDENT);
  end_line(w);
}

static void put_heading(Writer *w, const char *text) {
  end_line(w);
  color(w, COLOR_BOLD);
  buf_text(w->out, text);
  color(w, COLOR_RESET);
  end_line(w);
}

// --- numbers

static const char *count_text(const Writer *w, double n) {
  static const char *const units[] = {"", " K", " M", " G", " T"};
  int unit = 0;
  while (n >= 10000 && unit < 4) n /= 1000, unit++;
  return arena_printf(w->e->run->arena, n == (double)(uint64_t)n ? "%.0f%s" : "%.1f%s", n, units[unit]);
}

static const char *range_text(const Writer *w, CostRange range) {
  if (range.least == range.most) return count_text(w, (double)range.most);
  return arena_printf(w->e->run->arena, "%s to %s", count_text(w, (double)range.least),
                      count_text(w, (double)range.most));
}

static const char *time_text(const Writer *w, double seconds) {
  return explain_duration(w->e->run->arena, seconds);
}

// "137.4 GFLOP", "2147.5 MB".
static const char *unit_text(const Writer *w, double n, const char *unit) {
  static const char *const prefixes[] = {"", "K", "M", "G", "T"};
  int prefix = 0;
  while (n >= 10000 && prefix < 4) n /= 1000, prefix++;
  return arena_printf(w->e->run->arena, n == (double)(uint64_t)n ? "%.0f %s%s" : "%.1f %s%s", n,
                      prefixes[prefix], unit);
}

// --- lines

static void describe_op(const Writer *w, const CostOp *op, Buf *text) {
  const Op *what = op->op;
  buf_text(text, op->instruction);
  if (op_copies_in(what) || what->kind == OP_TMA_STORE) {
    buf_printf(text, ", %s of %s bytes, %s of them, %s sectors",
               what->kind == OP_BULK_COPY ? "runs" : "TMA tiles", count_text(w, op->lane_bytes),
               range_text(w, op->requests), range_text(w, op->sectors));
  } else if (op->requests.most) {
    buf_printf(text, ", %u bytes per lane, %s sectors", op->lane_bytes, range_text(w, op->sectors));
    if (op->data_dependent)
      buf_text(text, " (addresses or masks depend on data)");
    else
      buf_printf(text, ", %.2f times the ideal",
                 (double)op->sectors.most / (double)(op->sectors_ideal.most ? op->sectors_ideal.most : 1));
  }
  if (op->wavefronts.most) {
    uint64_t extra = op->wavefronts.most - op->wavefronts_ideal.most;
    buf_printf(text, ", %s wavefronts", range_text(w, op->wavefronts));
    if (!op->data_dependent || !extra)
      buf_printf(text, ", %s conflicts", extra ? count_text(w, (double)extra) : "no");
    else if (!op->requests.most)
      buf_text(text, " (indices are not followed)");
  }
  if (op->flops.most) buf_printf(text, ", %s", unit_text(w, (double)op->flops.most, "FLOP"));
  if (what->kind == OP_ASYNC_WAIT || what->kind == OP_DOT_WAIT)
    buf_printf(text, " %lld, %s times", (long long)op_int(what, ATTR_PENDING, 0), range_text(w, op->runs));
  if (op->barriers.most) buf_printf(text, ", %s arrivals of warps", range_text(w, op->barriers));
}

static bool line_tells(const Writer *w, const ExplainedLine *line) {
  return line->ops.n || line->share >= 0.005 || explain_ncu_line(w->e, line->loc);
}

typedef struct OpText {
  Str text;
  uint32_t times;
} OpText;

// Writes each op that runs with these arguments. Equal texts, as of an unrolled loop, are written once with their
// number.
static void put_ops(Writer *w, const ExplainedLine *line) {
  Arena *arena = w->e->run->arena;
  OpText *texts = ARENA_ARRAY(arena, OpText, line->ops.n + 1);
  uint32_t n = 0;
  Buf text = {0};
  for (uint32_t i = 0; i < line->ops.n; i++) {
    uint32_t at = 0;
    if (!line->ops.at[i]->runs.most) continue;
    buf_reset(&text);
    describe_op(w, line->ops.at[i], &text);
    while (at < n && !str_eq(texts[at].text, buf_view(&text))) at++;
    if (at == n) texts[n++].text = (Str){arena_copy(arena, buf_view(&text)), text.n};
    texts[at].times++;
  }
  for (uint32_t i = 0; i < n; i++) {
    buf_reset(&text);
    buf_str(&text, texts[i].text);
    if (texts[i].times > 1) buf_printf(&text, ", x%u", texts[i].times);
    w->repeats |= texts[i].times > 1;
    put_words(w, text.at, SOURCE + 2);
    end_line(w);
  }
  buf_free(&text);
}

// The simulator's counters of the line.
static void put_simulated(Writer *w, const ExplainedLine *line) {
  const tilec_sim_counters *n = w->e->sim ? explain_simulated(w->e, line->loc) : NULL;
  if (!n) return;
  Buf text = {0};
  buf_printf(&text, "simulated: %s instructions", count_text(w, (double)n->instructions));
  if (n->global_requests)
    buf_printf(&text, ", %s requests, %s sectors", count_text(w, (double)n->global_requests),
               count_text(w, (double)n->global_sectors));
  if (n->shared_wavefronts)
    buf_printf(&text, ", %s wavefronts, %s conflicts", count_text(w, (double)n->shared_wavefronts),
               count_text(w, (double)(n->shared_wavefronts - n->shared_wavefronts_ideal)));
  if (n->barriers) buf_printf(&text, ", %s arrivals of warps", count_text(w, (double)n->barriers));
  put_words(w, text.at, SOURCE + 2);
  end_line(w);
  buf_free(&text);
}

// Right-aligned. 0 prints nothing.
static void put_column(Writer *w, uint32_t n) {
  if (n)
    buf_printf(w->out, "%6u", n);
  else
    buf_text(w->out, "      ");
}

static double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// Nsight Compute's counters of the line. Samples are of warps, at equal time steps.
static void put_measured_line(Writer *w, const NcuLine *line) {
  if (!line) return;
  const NcuCounters *n = &line->counters, *total = &w->e->ncu->total;
  Buf text = {0};
  buf_printf(&text, "measured: %s instructions", count_text(w, n->value[NCU_INSTRUCTIONS]));
  if (n->value[NCU_SECTORS] > 0) buf_printf(&text, ", %s sectors", count_text(w, n->value[NCU_SECTORS]));
  if (n->value[NCU_WAVEFRONTS] > 0)
    buf_printf(&text, ", %s wavefronts, %s conflicts", count_text(w, n->value[NCU_WAVEFRONTS]),
               count_text(w, n->value[NCU_WAVEFRONTS] - n->value[NCU_WAVEFRONTS_IDEAL]));
  if (n->value[NCU_SAMPLES] > 0)
    buf_printf(&text, ", %.0f %% of the samples", percent(n->value[NCU_SAMPLES], total->value[NCU_SAMPLES]));
  put_words(w, text.at, INDENT + 2);
  end_line(w);
  buf_free(&text);
}

static void put_source(Writer *w, Str text) {
  uint32_t room = COLUMNS - SOURCE;
  bool cut = text.n > room;
  buf_bytes(w->out, text.at, cut ? room - 3 : text.n);
  if (cut) buf_text(w->out, "...");
}

static void put_line(Writer *w, const ExplainedLine *line, uint16_t file) {
  Sources *sources = &w->e->run->c->sources;
  Str text = sources_line(sources, line->loc.file, line->loc.line);
  while (text.n && (text.at[0] == ' ' || text.at[0] == '\t')) text.at++, text.n--;
  int percent = (int)(100 * line->share + 0.5);
  if (line->loc.file != file) buf_printf(w->out, "%s:\n", sources_name(sources, line->loc.file));
  color(w, percent >= HOT ? COLOR_ERROR : "");
  if (percent)
    buf_printf(w->out, "%4d %%", percent);
  else
    buf_text(w->out, "      ");
  color(w, COLOR_RESET);
  put_column(w, line->alive);
  put_column(w, line->loc.line);
  buf_text(w->out, "  ");
  color(w, COLOR_BOLD);
  put_source(w, text);
  color(w, COLOR_RESET);
  end_line(w);
  put_ops(w, line);
  put_simulated(w, line);
  put_measured_line(w, explain_ncu_line(w->e, line->loc));
}

// --- the footer

// The line where tiles fill most registers. NULL: they fill none.
static const ExplainedLine *fullest(const Explanation *e) {
  const ExplainedLine *found = NULL;
  for (uint32_t i = 0; i < e->lines.n; i++) {
    const ExplainedLine *line = &e->lines.at[i];
    if (line->loc.line && line->alive > (found ? found->alive : 0)) found = line;
  }
  return found;
}

static void put_registers(Writer *w) {
  const Explanation *e = w->e;
  Arena *arena = e->run->arena;
  const ExplainedLine *full = fullest(e);
  const char *spills = e->given                    ? "spills not counted"
                       : e->usage.spill_stores < 0 ? "spills unknown: there is no ptxas on PATH"
                       : e->usage.spill_stores == 0
                           ? "no spills"
                           : arena_printf(arena, "%d bytes per thread are spilled", e->usage.local_bytes);
  const char *by = arena_printf(arena, "%u per thread by the compiler's own estimate", e->report->registers);
  if (e->usage.registers > 0)
    by = arena_printf(arena, "%d per thread %s (%u by the compiler's own estimate)", e->usage.registers,
                      e->given ? "as given" : "by ptxas", e->report->registers);
  const char *tiles =
      full ? arena_printf(arena, "; tiles need most at line %u: %u", full->loc.line, full->alive) : "";
  put_row(w, "registers", arena_printf(arena, "%s, %s%s", by, spills, tiles));
}

static void put_shared(Writer *w) {
  const CostReport *r = w->e->report;
  Buf text = {0};
  buf_printf(&text, "%u bytes per CTA", r->shared_bytes);
  for (uint32_t i = 0; i < r->shared_count; i++) {
    buf_printf(&text, "%s %u at %u", i ? "," : ":", r->shared[i].bytes, r->shared[i].offset);
    if (r->shared[i].alloc->loc.line) buf_printf(&text, " (line %u)", r->shared[i].alloc->loc.line);
  }
  put_row(w, "shared memory", text.at);
  buf_free(&text);
}

static void put_occupancy(Writer *w) {
  const CostReport *r = w->e->report;
  const TargetInfo *arch = r->func->module->target.arch;
  const CostOccupancy *o = &r->occupancy;
  put_row(w, "occupancy",
          arena_printf(w->e->run->arena,
                       "%u CTA%s of %u warps per multiprocessor, %u of %u warps, limited by %s", o->blocks,
                       o->blocks == 1 ? "" : "s", func_warps(r->func), o->warps, arch->warps,
                       cost_limit_name(o->limit)));
}

static void put_instructions(Writer *w) {
  const Explanation *e = w->e;
  const CostReport *r = e->report;
  Arena *arena = e->run->arena;
  double sum = 0;
  for (int p = 0; p < PIPE_COUNT; p++) sum += r->totals.instructions[p];
  const char *why = e->given                 ? "--registers was given"
                    : e->usage.registers > 0 ? "the code that ptxas made has no lines that could be read"
                                             : "there is no ptxas on PATH";
  const char *by = r->assembled
                       ? arena_printf(arena, "counted in ptxas's code (%s by the compiler's own estimate)",
                                      count_text(w, r->estimated))
                       : arena_printf(arena, "by the compiler's own estimate: %s", why);
  put_row(w, "instructions", arena_printf(arena, "%s of warps, %s", count_text(w, sum), by));
}

static void put_work(Writer *w) {
  const CostReport *r = w->e->model;
  Arena *arena = w->e->run->arena;
  double bytes = r->memory, moved = 32.0 * (double)r->totals.sectors.most;
  const char *work = arena_printf(
      arena, "%s of dots; %s from and to the L2 cache, %s from and to memory%s",
      unit_text(w, (double)r->totals.flops.most, "FLOP"), unit_text(w, moved, "B"), unit_text(w, bytes, "B"),
      r->again > 0 ? arena_printf(arena, ", %s of it read again", unit_text(w, r->again, "B")) : " at least");
  put_row(w, "work", work);
  if (!r->time.known || bytes <= 0 || !r->totals.flops.most) return;
  double clock =
      r->time.bounds[BOUND_TENSOR] > 0 ? r->totals.tensor_cycles / r->time.bounds[BOUND_TENSOR] : 0;
  double rate = clock > 0 ? (double)r->totals.flops.most / r->time.bounds[BOUND_TENSOR] * r->time.tail : 0;
  double memory = bytes / r->time.bounds[BOUND_MEMORY], intensity = (double)r->totals.flops.most / bytes;
  if (rate > 0)
    put_row(w, "roofline",
            arena_printf(arena, "%.1f FLOP per byte of memory, %s %.1f: dots alone take %s than memory alone",
                         intensity, intensity < rate / memory ? "below" : "above", rate / memory,
                         intensity < rate / memory ? "less time" : "more time"));
}

// Bytes in the memory of other devices, by buffer.
static void put_devices(Writer *w) {
  const CostReport *r = w->e->model;
  Buf text = {0};
  if (r->linked <= 0) return;
  for (uint32_t i = 0; i < r->traffic_count; i++) {
    const CostTraffic *traffic = &r->traffic[i];
    const double bytes[] = {traffic->loaded, traffic->stored, traffic->updated};
    static const char *const verbs[] = {"loaded", "stored", "updated"};
    for (int k = 0; traffic->buffer->device && k < 3; k++)
      if (bytes[k] > 0)
        buf_printf(&text, "%s of %s %s, ", unit_text(w, bytes[k], "B"), traffic->buffer->name, verbs[k]);
  }
  buf_printf(&text, "%s over NVLink", unit_text(w, r->linked, "B"));
  put_row(w, "devices", text.at);
  buf_free(&text);
}

static void put_time(Writer *w) {
  const CostReport *r = w->e->model;
  if (!r->time.known) {
    const TargetInfo *arch = r->func->module->target.arch;
    put_row(w, "time",
            arena_printf(w->e->run->arena,
                         "not predicted: no clock and bandwidth of an %s card are known (cost/chips.def); "
                         "the counts hold",
                         arch->name));
    return;
  }
  Buf text = {0};
  buf_printf(&text, "%s predicted on %s%s%s%s, limited by %s:", time_text(w, r->time.seconds),
             r->card[0] == 'H' ? "an " : "a ", r->card,
             cost_card_is_measured(r->card) ? "" : ", where nothing was ever measured",
             r->unbounded ? ", loops that depend on data counted once" : "",
             cost_bound_name(r->time.bottleneck));
  for (int b = 0; b < BOUND_COUNT; b++)
    if (r->time.bounds[b] > 0)
      buf_printf(&text, " %s %s,", cost_bound_name((CostBound)b), time_text(w, r->time.bounds[b]));
  buf_printf(&text, " launch %s; %.2f waves, the multiprocessor that ends last has %.2f times the mean load",
             time_text(w, r->time.launch), r->time.waves, r->time.tail);
  put_row(w, "time", text.at);
  buf_free(&text);
}

// One line per counter: measured and predicted.
static void put_measured(Writer *w) {
  static const char *const names[NCU_COUNT] = {
      [NCU_SECONDS] = "time",       [NCU_INSTRUCTIONS] = "instructions", [NCU_REQUESTS] = "requests",
      [NCU_SECTORS] = "sectors",    [NCU_WAVEFRONTS] = "wavefronts",     [NCU_MEMORY] = "memory bytes",
      [NCU_REGISTERS] = "registers"};
  static const NcuCounter order[] = {NCU_SECONDS,    NCU_MEMORY,       NCU_REQUESTS, NCU_SECTORS,
                                     NCU_WAVEFRONTS, NCU_INSTRUCTIONS, NCU_REGISTERS};
  const NcuReport *ncu = w->e->ncu;
  Arena *arena = w->e->run->arena;
  if (!ncu) return;
  const char *which =
      ncu->launches > 1 ? arena_printf(arena, " (the last of %u launches)", ncu->launches) : "";
  put_heading(w, arena_printf(arena, "measured by Nsight Compute, %s%s", ncu->file, which));
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    Measured m;
    bool time = order[i] == NCU_SECONDS, both = explain_measured(w->e, order[i], &m);
    if (!ncu->total.known[order[i]]) continue;
    const char *measured = time ? time_text(w, m.measured) : count_text(w, m.measured);
    const char *predicted = time ? time_text(w, m.predicted) : count_text(w, m.predicted);
    const char *ratio =
        both && m.measured > 0 ? arena_printf(arena, ", %.2f of it", m.predicted / m.measured) : "";
    put_row(w, names[order[i]],
            both ? arena_printf(arena, "%s; predicted %s%s", measured, predicted, ratio) : measured);
  }
}

static const char *gain_text(const Writer *w, const Loss *loss) {
  Arena *arena = w->e->run->arena;
  if (loss->seconds > 0) return arena_printf(arena, "%s of the predicted time", time_text(w, loss->seconds));
  if (w->e->report->time.known) return "hidden by the bottleneck";
  if (!loss->counted_of) return "time not predicted";
  return arena_printf(arena, "%.0f %% of all %s", 100 * loss->counted, loss->counted_of);
}

// The fastest other configurations.
static void put_what_if(Writer *w) {
  enum { MOST = 5 };
  const Explanation *e = w->e;
  Arena *arena = e->run->arena;
  double now = e->model->time.seconds, least = 0.99;
  if (!e->what_if.n && !e->fixed_grid) return;
  put_heading(w, "other configurations, as tilec tune predicts them");
  buf_printf(w->out, "%11s  less  limited by         configuration\n", "time");
  buf_printf(w->out, "%11s        %-17s  as given\n", time_text(w, now),
             cost_bound_name(e->model->time.bottleneck));
  for (uint32_t i = 0; i < e->what_if.n; i++) {
    const WhatIf *one = &e->what_if.at[i];
    if (one->seconds > least * now) break;
    if (i >= MOST && one != e->answer.what_if) continue;
    buf_printf(w->out, "%11s  %2.0f %%  %-17s  %s\n", time_text(w, one->seconds),
               percent(now - one->seconds, now), cost_bound_name(one->bottleneck), one->text);
  }
  if (e->what_if.n && e->what_if.at[0].seconds > least * now)
    buf_printf(w->out, "%11s        none of %s is 1 %% faster\n", "",
               arena_printf(arena, "%u others", e->what_if.n));
  if (e->fixed_grid) put_words(w, e->fixed_grid, 0), end_line(w);
}

static void put_losses(Writer *w) {
  const Explanation *e = w->e;
  bool known = e->report->time.known;
  put_heading(w, e->losses.n ? known ? "largest losses" : "largest losses, by counts"
                 : known     ? "no loss of 1 % of the predicted time was found"
                             : "no waste of 1 % of the sectors, wavefronts or instructions was found");
  for (uint32_t i = 0; i < e->losses.n; i++) {
    const Loss *loss = &e->losses.at[i];
    const char *line = loss->loc.line ? arena_printf(e->run->arena, "line %u, ", loss->loc.line) : "";
    const char *head = arena_printf(e->run->arena, "%u. %s%s (%s): %s", i + 1, line, loss->kind,
                                    gain_text(w, loss), loss->what);
    put_words(w, head, 0);
    end_line(w);
    put_words(w, arena_printf(e->run->arena, "try: %s", loss->change), 3);
    end_line(w);
  }
}

static void put_remarks(Writer *w) {
  const Diags *diags = &w->e->run->c->diags;
  bool any = false;
  for (uint32_t i = 0; i < diags->list.n; i++) {
    const Diag *diag = diags->list.at[i];
    bool places = diag->pass && strcmp(diag->pass, "allocate_shared") == 0; // the footer has them
    if (diag->severity != DIAG_REMARK || places) continue;
    if (!any) put_heading(w, "what passes did and did not do");
    any = true;
    buf_printf(w->out, "%6u  ", diag->loc.line);
    w->column = 8;
    put_words(w, arena_printf(w->e->run->arena, "%s: %s", diag->pass, diag->message), w->column);
    end_line(w);
  }
}

// The line with the answer is not wrapped: scripts read it, and terminals wrap it.
static void put_head(Writer *w) {
  const CostReport *r = w->e->report;
  color(w, COLOR_BOLD);
  buf_text(w->out, explain_headline(w->e));
  color(w, COLOR_RESET);
  end_line(w);
  const TargetInfo *arch = r->func->module->target.arch;
  uint32_t warps = func_warps(r->func), asked = r->func->module->target.num_warps;
  uint32_t producers = warps > asked ? warps - asked : 0;
  buf_printf(w->out, "%s (%s) for %s, %llu program%s of %u threads", r->func->name, w->e->run->options->file,
             arch->name, (unsigned long long)r->programs, r->programs == 1 ? "" : "s", TARGET_WARP * warps);
  if (producers)
    buf_printf(w->out, ": %u warps that compute, and %u that copy", warps - producers, producers);
  end_line(w);
  if (r->counted < r->programs)
    buf_printf(w->out, "counted: %llu programs, spread evenly; the others are assumed to be like them\n",
               (unsigned long long)r->counted);
  if (r->unbounded) buf_text(w->out, "trip counts that depend on data: one iteration was counted\n");
  buf_text(w->out, " share  regs  line\n");
}

// The total for explain_share().
static const char *shared_total(const CostReport *r) {
  switch (r->time.bottleneck) {
  case BOUND_SHARED: return "wavefronts of shared memory";
  case BOUND_TURNS:
  case BOUND_TENSOR: return "cycles of the tensor cores";
  case BOUND_SPILLS:
  case BOUND_ISSUE: return "instructions";
  case BOUND_FMA: return "multiply-adds";
  case BOUND_FP64: return "fp64 instructions";
  case BOUND_MUFU: return "special functions";
  case BOUND_LATENCY: return "waits for loads and copies";
  case BOUND_ATOMICS: return "atomic updates";
  case BOUND_MEMORY:
  case BOUND_LINK:
  case BOUND_L2:
  case BOUND_COUNT: break;
  }
  return "sectors of 32 bytes";
}

static void put_legend(Writer *w) {
  put_words(
      w,
      arena_printf(
          w->e->run->arena,
          "share: the line's part of all %s; regs: registers that tiles need at the line, in each thread%s",
          shared_total(w->e->report), w->repeats ? "; xN: N such instructions, the numbers are of one" : ""),
      0);
  end_line(w);
}

void explain_text(const Explanation *e, bool colors, Buf *out) {
  Writer w = {.e = e, .out = out, .colors = colors};
  put_head(&w);
  uint16_t file = e->report->func->loc.file;
  for (uint32_t i = 0; i < e->lines.n; i++) {
    if (!line_tells(&w, &e->lines.at[i])) continue;
    put_line(&w, &e->lines.at[i], file);
    file = e->lines.at[i].loc.file;
  }
  put_legend(&w);
  end_line(&w);
  put_registers(&w);
  put_shared(&w);
  put_occupancy(&w);
  put_instructions(&w);
  put_work(&w);
  put_devices(&w);
  put_time(&w);
  put_measured(&w);
  put_losses(&w);
  put_what_if(&w);
  put_remarks(&w);
}
