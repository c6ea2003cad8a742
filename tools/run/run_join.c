// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the evaluator's reports with the simulator's. Reports with one cause become one report. It has the
// evaluator's text, which names the tile's first failing element. The simulator's note in PTX terms is kept.
#include "tools/run/run.h"

static bool same_line(Loc a, Loc b) { return a.line == b.line && a.file == b.file; }

static bool same_kind(const Diag *a, const Diag *b) {
  if (a->severity != b->severity) return false;
  if (a->run && b->run && strcmp(a->run->kind, b->run->kind) == 0) return true;
  const char *place = strstr(a->message, ", in program "); // the evaluator knows the element, too
  return place && strncmp(a->message, b->message, (size_t)(place - a->message)) == 0;
}

static bool is_race(const Diag *diag) { return diag->run && diag->run->access; }

// True if both are one mistake, to the column. A race is a pair of accesses in any order.
static bool same_cause(const Diag *a, const Diag *b) {
  if (!same_kind(a, b)) return false;
  if (!is_race(a) || !is_race(b)) return loc_same(a->loc, b->loc);
  Loc other = a->run->other, others = b->run->other;
  return (loc_same(a->loc, b->loc) && loc_same(other, others)) ||
         (loc_same(a->loc, others) && loc_same(other, b->loc));
}

static bool is_with_itself(const Diag *race) { return loc_same(race->loc, race->run->other); }

// PTX may give an instruction the location of another one on the line. Either access of a race may be the
// report's location.
static bool maybe_same_cause(const Diag *a, const Diag *b) {
  if (is_race(a) && is_race(b) && is_with_itself(a) != is_with_itself(b)) return false;
  if (same_line(a->loc, b->loc)) return same_kind(a, b);
  if (!is_race(a) || !is_race(b)) return false;
  for (uint32_t i = 0; i < b->notes.n; i++)
    if (same_line(a->loc, b->notes.at[i]->loc)) return true;
  return false;
}

// Adds the notes about wrapped offsets, which only the evaluator knows.
static void join_wraps(const Diags *diags, Diag *told, const Diag *diag) {
  for (uint32_t i = 0; i < diag->notes.n; i++)
    if (strstr(diag->notes.at[i]->message, "wrapped in 32 bits"))
      vec_push(diags->arena, &told->notes, diag->notes.at[i]);
}

// The note's text, or a longer one of `told` that begins with it. Advice for a race that is both between programs and
// within one begins with what the joined message is about. Each of the two reports may be of one kind.
static const char *longer_text(const Diags *diags, const Diag *told, const Diag *note) {
  bool within, advice = race_is_advice(note->message, &within);
  for (uint32_t i = 0; advice && i < told->notes.n; i++) {
    const char *text = told->notes.at[i]->message;
    bool told_within, one_kind = race_is_advice(text, &told_within);
    bool between_first = one_kind ? !told_within : strstr(text, RACE_ALSO_WITHIN) != NULL;
    if (one_kind ? told_within == within : !between_first && !strstr(text, RACE_ALSO_BETWEEN)) continue;
    if (within != between_first) return text;
    return arena_printf(diags->arena, "%s%s", note->message, within ? RACE_ALSO_BETWEEN : RACE_ALSO_WITHIN);
  }
  for (uint32_t i = 0; i < told->notes.n; i++)
    if (str_starts(str_from(told->notes.at[i]->message), note->message)) return told->notes.at[i]->message;
  return note->message;
}

static void adopt(const Diags *diags, Diag *told, const Diag *diag) {
  Diag joined = *diag;
  joined.notes.n = joined.notes.cap = 0;
  joined.notes.at = NULL;
  for (uint32_t i = 0; i < diag->notes.n; i++) {
    Diag *note = diag->notes.at[i];
    note->message = longer_text(diags, told, note);
    vec_push(diags->arena, &joined.notes, note);
  }
  for (uint32_t i = 0; i < told->notes.n; i++) {
    Diag *note = told->notes.at[i];
    if (!str_starts(str_from(note->message), "PTX: ")) continue;
    note->loc = diag->loc;
    vec_push(diags->arena, &joined.notes, note);
  }
  if (diag->run && told->run) {
    DiagRun *run = ARENA_NEW(diags->arena, DiagRun);
    *run = *diag->run;
    run->count = told->run->count;
    joined.run = run;
  }
  *told = joined;
}

static bool same_buffer(const Diag *a, const Diag *b) {
  return a->run && b->run && a->run->buffer && b->run->buffer && strcmp(a->run->buffer, b->run->buffer) == 0;
}

// Joins the evaluator's report with the report of the same cause. False: there is none.
static bool join(const Diags *diags, const Diag *diag) {
  if (diag->severity != DIAG_ERROR) return false;
  for (uint32_t i = 0; i < diags->list.n; i++)
    if (same_cause(diag, diags->list.at[i])) return adopt(diags, diags->list.at[i], diag), true;
  for (uint32_t i = 0; i < diags->list.n; i++) {
    Diag *told = diags->list.at[i];
    if (!maybe_same_cause(diag, told)) continue;
    if (!is_race(diag) && same_buffer(diag, told))
      adopt(diags, told, diag);
    else
      join_wraps(diags, told, diag);
    return true;
  }
  return false;
}

static bool is_news(const Diags *diags, const Diag *diag) { return !join(diags, diag); }

static bool only_join(const Diags *diags, const Diag *diag) { return join(diags, diag), false; }

void run_join_reports(Diags *diags, const Diags *from, bool news) {
  diags_take(diags, from, news ? is_news : only_join);
  report_join_updates(diags);
}
