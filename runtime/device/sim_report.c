// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/sim_report.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_PTX = 100 }; // bytes shown of an instruction

// ---- locations ----

static uint16_t narrow(uint32_t number) { return number > UINT16_MAX ? UINT16_MAX : (uint16_t)number; }

static Loc loc_of(Sources *sources, const tilec_sim_place *place, const char *file) {
  Loc loc = {.line = place->line, .file = sources_with_line(sources, file, place->line)};
  Str text = sources_line(sources, loc.file, loc.line);
  uint32_t column = place->column ? place->column : 1;
  while (!place->column && column <= text.n && (text.at[column - 1] == ' ' || text.at[column - 1] == '\t'))
    column++; // skips to the statement
  loc.col = narrow(column);
  loc.len = narrow(place->length);
  if (place->call) loc.call = sources_call(sources, loc_of(sources, place->call, place->call->file));
  return loc;
}

static Loc report_loc(const ReportContext *context, const tilec_sim_place *place, uint32_t ptx_line) {
  Sources *sources = context->diags->sources;
  if (place->file) return loc_of(sources, place, place->file);
  if (!context->ptx_file || !ptx_line) return LOC_NONE;
  return loc_of(sources, &(tilec_sim_place){.line = ptx_line}, context->ptx_file);
}

// True for reports that end a whole launch, at any instruction.
static bool of_launch(tilec_sim_report_kind kind) {
  return kind == TILEC_SIM_BUDGET || kind == TILEC_SIM_TIMEOUT || kind == TILEC_SIM_CANCELLED;
}

static bool is_race(tilec_sim_report_kind kind) {
  return kind == TILEC_SIM_RACE_WRITE_WRITE || kind == TILEC_SIM_RACE_READ_WRITE ||
         kind == TILEC_SIM_RACE_WRITE_READ;
}

// True if the report's address is in this buffer, or is so near that the report counts it from the buffer. Other PTX
// has pointers that no argument gives, such as those to its variables.
static bool counts_from(const BufferName *buffer, const tilec_sim_report *report) {
  const uint64_t after = (uint64_t)1 << 30, before = (uint64_t)1 << 16; // as in sim/machine/resolve.c
  if (!buffer || report->allocation != buffer->address) return false;
  if (report->address < buffer->address) return buffer->address - report->address < before;
  return report->address - buffer->address < buffer->bytes + after;
}

// The buffer that holds the address. For an access out of bounds, the buffer that was probably meant. The
// location names a parameter, but LLVM gives some instructions the location of another op.
static const BufferName *buffer_of(const ReportContext *c, const tilec_sim_report *report) {
  const BufferName *hint = NULL;
  bool misses = report->kind == TILEC_SIM_OUT_OF_BOUNDS;
  if (!report->is_global || (!report->address && !misses)) return NULL;
  if (misses && c->args && report->place.param && report->place.param <= c->arg_count)
    hint = buffer_pointed(c->names, c->name_count, c->args[report->place.param - 1]);
  const BufferName *meant = buffer_meant(c->names, c->name_count, hint, report->address);
  return c->ptx_file && !counts_from(meant, report) ? NULL : meant;
}

SimFinding report_finding(const ReportContext *context, const tilec_sim_report *report) {
  SimFinding finding = {.report = *report, .count = report->count, .buffer = buffer_of(context, report)};
  finding.before =
      context->ptx_file && report->kind == TILEC_SIM_OUT_OF_BOUNDS && report->address < report->allocation;
  finding.loc = report_loc(context, &report->place, report->ptx_line);
  if (report->other_ptx_line)
    finding.other = report_loc(context, &report->other_place, report->other_ptx_line);
  Loc *waits = report->wait_count ? ARENA_ARRAY(context->diags->arena, Loc, report->wait_count) : NULL;
  for (size_t i = 0; i < report->wait_count; i++)
    waits[i] = report_loc(context, &report->waits[i].place, report->waits[i].ptx_line);
  finding.waits = waits;
  return finding;
}

static bool same_cause(const SimFinding *a, const SimFinding *b) {
  bool races = is_race(a->report.kind) && is_race(b->report.kind);
  if (!races && (a->report.kind != b->report.kind || a->report.access != b->report.access)) return false;
  if (a->before != b->before) return false;
  return (loc_same(a->loc, b->loc) && loc_same(a->other, b->other)) ||
         (races && loc_same(a->loc, b->other) && loc_same(a->other, b->loc));
}

bool report_joins(SimFinding *finding, const SimFinding *later) {
  if (!same_cause(finding, later)) return false;
  finding->report.within_block |= later->report.within_block;
  finding->report.between_blocks |= later->report.between_blocks;
  return true;
}

// ---- text ----

// A kind's name, and the code that begins its message. say_out_of_bounds and others may add a more exact code.
static const struct {
  const char *name, *code;
} kinds[] = {
    [TILEC_SIM_OUT_OF_BOUNDS] = {"out of bounds", "[T1101] "},
    [TILEC_SIM_MISALIGNED] = {"misaligned", "[T1103] "},
    [TILEC_SIM_TRAP] = {"trap", "[T1406] "},
    [TILEC_SIM_WILD_BRANCH] = {"wild branch", "[T1406] "},
    [TILEC_SIM_BUDGET] = {"budget", "[T1404] "},
    [TILEC_SIM_TIMEOUT] = {"timeout", "[T1404] "},
    [TILEC_SIM_CANCELLED] = {"cancelled", "[T1404] "},
    [TILEC_SIM_DEADLOCK] = {"deadlock", "[T1404] "},
    [TILEC_SIM_READ_ONLY] = {"read only", "[T1406] "},
    [TILEC_SIM_ASSERT] = {"assertion", "[T1401] "},
    [TILEC_SIM_MBARRIER] = {"mbarrier", "[T1406] "},
    [TILEC_SIM_ASYNC] = {"async", "[T1406] "},
    [TILEC_SIM_RACE_WRITE_WRITE] = {"race", "[T1201] "},
    [TILEC_SIM_RACE_READ_WRITE] = {"race", "[T1201] "},
    [TILEC_SIM_RACE_WRITE_READ] = {"race", "[T1201] "},
    [TILEC_SIM_UNINITIALISED] = {"uninitialised", "[T1301] "},
    [TILEC_SIM_BARRIER] = {"barrier", "[T1406] "},
    [TILEC_SIM_LANES] = {"lanes", "[T1406] "},
    [TILEC_SIM_WGMMA] = {"wgmma", "[T1406] "},
    [TILEC_SIM_REGISTERS] = {"registers", "[T1406] "},
    [TILEC_SIM_TMEM] = {"tensor memory", "[T1406] "},
    [TILEC_SIM_TMEM_FENCE] = {"tensor memory fence", "[T1406] "},
    [TILEC_SIM_CLUSTER] = {"cluster", "[T1406] "},
    [TILEC_SIM_MULTICAST] = {"multicast", "[T1406] "},
};

// An asynchronous copy is part of a load.
static const char *access_name(tilec_sim_access access, bool writes) {
  switch (access) {
  case TILEC_SIM_ACCESS_LOAD: return "load";
  case TILEC_SIM_ACCESS_STORE: return "store";
  case TILEC_SIM_ACCESS_ATOMIC: return "atomic";
  case TILEC_SIM_ACCESS_NONE: break;
  }
  return writes ? "store" : "load";
}

// True if the source of a call contains the word. The call extends from its location to the closing
// parenthesis.
static bool call_has(Sources *sources, Loc loc, const char *word) {
  size_t n = strlen(word), from = loc.col ? loc.col - 1u : 0;
  int depth = 0;
  for (uint32_t line = loc.line; loc.line && line < loc.line + 20; line++, from = 0) {
    Str text = sources_line(sources, loc.file, line);
    for (size_t i = from; i < text.n; i++) {
      if (text.n - i >= n && memcmp(text.at + i, word, n) == 0) return true;
      depth += (text.at[i] == '(') - (text.at[i] == ')');
      if (text.at[i] == ')' && depth <= 0) return false;
    }
    if (depth <= 0) return false;
  }
  return false;
}

static void print_program(const ReportContext *c, const uint32_t program[3], uint32_t device, Buf *out) {
  buf_printf(out, "%s (%u, %u, %u)", c->ptx_file ? "CTA" : "program", program[0], program[1], program[2]);
  if (c->devices > 1) buf_printf(out, " of device %u", device);
}

// C's form is "assertion 'text' failed at file:line".
static void say_assertion(const char *message, Buf *out) {
  static const char before[] = "assertion '", after[] = "' failed at ";
  const char *text = message + sizeof before - 1, *end = strstr(message, after);
  if (strncmp(message, before, sizeof before - 1) != 0 || !end || end < text)
    buf_text(out, message);
  else
    buf_printf(out, "assertion failed: %.*s", (int)(end - text), text);
}

static bool same_program(const tilec_sim_report *r) {
  return !r->other_ptx_line ||
         (r->device == r->other_device && memcmp(r->block, r->other_block, sizeof r->block) == 0);
}

static RaceSides sides_of(const SimFinding *finding) {
  const tilec_sim_report *r = &finding->report;
  bool one = !r->other_ptx_line || r->other_ptx_line == r->ptx_line;
  return one ? RACE_OF_OP : race_sides(finding->loc, finding->other);
}

static RaceKind race_between(const ReportContext *c, const SimFinding *finding) {
  const tilec_sim_report *r = &finding->report;
  if (r->access == TILEC_SIM_ACCESS_ATOMIC || r->other_access == TILEC_SIM_ACCESS_ATOMIC) return RACE_ATOMIC;
  if (c->weak_atomics) return RACE_WEAK;
  return r->kind == TILEC_SIM_RACE_WRITE_WRITE ? RACE_PROGRAMS : RACE_READER;
}

// True for a load and a store if the load is first in the source.
static bool load_first(const SimFinding *finding) {
  const tilec_sim_report *r = &finding->report;
  bool atomic = r->access == TILEC_SIM_ACCESS_ATOMIC || r->other_access == TILEC_SIM_ACCESS_ATOMIC;
  if (atomic || r->kind == TILEC_SIM_RACE_WRITE_WRITE) return false;
  bool load_is_other = r->kind == TILEC_SIM_RACE_READ_WRITE;
  Loc load = load_is_other ? finding->other : finding->loc,
      store = load_is_other ? finding->loc : finding->other;
  return race_comes_before(load, store);
}

#define PTX_ALSO_BETWEEN                                                                                     \
  "; CTAs race here too, and no barrier orders them: use a second buffer, or atomics for an update"

// The advice is for the two accesses that the message names. The other kind of race follows.
static void advise_race(const ReportContext *c, const SimFinding *finding, Buf *advice) {
  const tilec_sim_report *r = &finding->report;
  bool within = r->within_block || same_program(r);
  if (same_program(r)) {
    buf_text(advice, race_advice(race_within(sides_of(finding), load_first(finding))));
    if (r->between_blocks) buf_text(advice, RACE_ALSO_BETWEEN);
    return;
  }
  if (r->device != r->other_device)
    buf_text(advice, race_advice(RACE_DEVICES));
  else if (r->between_blocks)
    buf_text(advice, race_advice(race_between(c, finding)));
  if (r->between_blocks && within)
    buf_text(advice, RACE_ALSO_WITHIN);
  else if (within)
    buf_text(advice, race_advice(race_within(sides_of(finding), load_first(finding))));
}

static RaceFacts race_facts(const SimFinding *finding) {
  const tilec_sim_report *r = &finding->report;
  return (RaceFacts){.buffer = finding->buffer,
                     .address = r->address,
                     .what = access_name(r->access, r->kind != TILEC_SIM_RACE_WRITE_READ),
                     .other = access_name(r->other_access, r->kind != TILEC_SIM_RACE_READ_WRITE),
                     .program = r->block,
                     .other_program = r->other_ptx_line ? r->other_block : r->block,
                     .device = r->device,
                     .other_device = r->other_ptx_line ? r->other_device : r->device,
                     .sides = sides_of(finding)};
}

typedef struct Words {
  Buf message, advice;
  bool has_place; // the message says which element of which argument
} Words;

// The argument that the access's pointer comes from, if it points to no buffer. NULL: none.
static const char *stray_of(const ReportContext *c, const tilec_sim_report *r) {
  uint32_t param = r->place.param;
  if (!r->is_global || !c->pointers || !param || param > c->arg_count) return NULL;
  if (buffer_pointed(c->names, c->name_count, c->args[param - 1])) return NULL;
  return c->pointers[param - 1];
}

static AccessFacts access_facts(const ReportContext *c, const SimFinding *finding) {
  const tilec_sim_report *r = &finding->report;
  Sources *sources = c->diags->sources;
  Loc loc = finding->loc;
  return (AccessFacts){.what = access_name(r->access, call_has(sources, loc, "store")),
                       .stray = stray_of(c, r),
                       .buffer = finding->buffer,
                       .address = r->address,
                       .bytes = r->kind == TILEC_SIM_MISALIGNED ? r->bytes : r->place.element,
                       .masked = call_has(sources, loc, "mask") || call_has(sources, loc, "boundary_check")};
}

// For PTX from the user: "out[3] of 100". If the name is a number: "argument 1[3] of 100", or if the elements have one
// byte, or a size that is not known, "byte 3 of 100 of argument 1".
static void print_place(const SimFinding *finding, Buf *out) {
  BufferName buffer = *finding->buffer;
  char name[64];
  uint64_t address = finding->report.address, end = buffer.address + buffer.bytes;
  bool misses = finding->report.kind == TILEC_SIM_OUT_OF_BOUNDS;
  if (misses && address >= buffer.address && address < end) address = end; // the access begins inside
  bool number = *buffer.name >= '0' && *buffer.name <= '9';
  snprintf(name, sizeof name, "argument %s", buffer.name);
  if (number && elem_bytes(buffer.elem) == 1) {
    buf_printf(out, "byte %" PRId64 " of %" PRIu64 " of %s", (int64_t)(address - buffer.address),
               buffer.bytes, name);
    return;
  }
  if (number) buffer.name = name;
  buffer_place(&buffer, address, out);
}

// The simulator's text for PTX from the user. It knows allocations only, so the argument replaces them. Returns true if
// the text has the argument.
static bool say_of_ptx(const SimFinding *finding, Buf *out) {
  const tilec_sim_report *r = &finding->report;
  const char *allocation = r->buffer ? strstr(r->message, r->buffer) : NULL;
  const char *address = strstr(r->message, " at 0x");
  if (finding->buffer && allocation) {
    buf_printf(out, "%.*s", (int)(allocation - r->message), r->message);
    print_place(finding, out);
    buf_text(out, allocation + strlen(r->buffer));
  } else if (finding->buffer && r->kind == TILEC_SIM_OUT_OF_BOUNDS && address) {
    buf_printf(out, "%.*s out of bounds: ", (int)(address - r->message), r->message);
    print_place(finding, out);
  } else {
    buf_text(out, r->message);
    return false;
  }
  return true;
}

// Describes the report in the kernel's terms. If there are none, or the user gave PTX, the simulator's text
// is used.
static void describe_finding(const ReportContext *c, const SimFinding *finding, Words *words) {
  const tilec_sim_report *r = &finding->report;
  AccessFacts access = access_facts(c, finding);
  if (is_race(r->kind) && finding->buffer && !c->ptx_file) {
    RaceFacts race = race_facts(finding);
    say_race(&race, &words->message);
    advise_race(c, finding, &words->advice);
    return;
  }
  buf_text(&words->message, is_race(r->kind) && same_program(r) ? "[T1202] " : kinds[r->kind].code);
  if (r->kind == TILEC_SIM_OUT_OF_BOUNDS && r->is_global && !c->ptx_file)
    say_out_of_bounds(&access, &words->message, &words->advice);
  else if (r->kind == TILEC_SIM_MISALIGNED && r->is_global && !c->ptx_file)
    say_misaligned(&access, &words->message, &words->advice);
  else if (r->kind == TILEC_SIM_ASSERT && !c->ptx_file)
    say_assertion(r->message, &words->message);
  else
    words->has_place = say_of_ptx(finding, &words->message);
  if (c->no_shared && r->kind == TILEC_SIM_OUT_OF_BOUNDS &&
      strstr(r->message, " into dynamic shared memory of 0 bytes"))
    buf_text(&words->advice, "the launch has no dynamic shared memory: give --shared BYTES");
  if (of_launch(r->kind)) return;
  buf_text(&words->message, ", in ");
  print_program(c, r->block, r->device, &words->message);
}

// ---- the diagnostic ----

static void print_mnemonic(const tilec_sim_report *r, Buf *out) {
  bool blank = false;
  for (size_t i = 0; r->ptx && i < r->ptx_bytes && i < MAX_PTX && r->ptx[i] != ';'; i++) {
    char c = r->ptx[i];
    bool now = c == ' ' || c == '\t' || c == '\r';
    if (!now || !blank) buf_char(out, now ? ' ' : c);
    blank = now;
  }
}

// Describes the access in PTX terms: the instruction, the thread and the address.
static void print_ptx(const SimFinding *finding, Buf *out) {
  const tilec_sim_report *r = &finding->report;
  buf_text(out, "PTX: ");
  print_mnemonic(r, out);
  buf_printf(out, " (line %u), warp %u", r->ptx_line, r->warp);
  if (r->lane_mask) buf_printf(out, ", lanes 0x%08x", r->lane_mask);
  if (r->address) buf_printf(out, ", address 0x%" PRIx64, r->address);
  if (r->other_ptx_line) buf_printf(out, "; the other at line %u, warp %u", r->other_ptx_line, r->other_warp);
  if (r->other_ptx_line && r->other_lane != UINT32_MAX) buf_printf(out, ", lane %u", r->other_lane);
  if (finding->count > 1) buf_printf(out, "; %" PRIu64 " times", finding->count);
  if (finding->schedules) buf_printf(out, "; schedule %s", finding->schedules);
}

static const DiagRun *run_facts(const ReportContext *c, const SimFinding *finding) {
  const tilec_sim_report *r = &finding->report;
  const BufferName *buffer = finding->buffer;
  DiagRun *run = ARENA_NEW(c->diags->arena, DiagRun);
  run->kind = kinds[r->kind].name;
  run->count = finding->count;
  memcpy(run->program, r->block, sizeof run->program);
  if (is_race(r->kind)) {
    run->access = access_name(r->access, r->kind != TILEC_SIM_RACE_WRITE_READ);
    run->other_access = access_name(r->other_access, r->kind != TILEC_SIM_RACE_READ_WRITE);
    run->other = finding->other.line ? finding->other : finding->loc;
  }
  if (!buffer) return run;
  uint64_t end = buffer->address + buffer->bytes;
  bool last_bytes = r->kind == TILEC_SIM_OUT_OF_BOUNDS && r->address >= buffer->address && r->address < end;
  uint64_t address = last_bytes ? end : r->address;
  run->buffer = buffer->name;
  run->index = buffer_index(buffer, address);
  run->rank = buffer_indices(buffer, address, run->indices);
  return run;
}

// Code of a header, such as those of the CUDA toolkit, has the location of the line that calls it.
static void note_header(const ReportContext *c, Diag *diag, Loc loc, const tilec_sim_place *place) {
  const tilec_sim_place *header = place->header;
  if (header) diag_note(c->diags, diag, loc, "inlined here from %s:%u", header->file, header->line);
}

static void note_other(const ReportContext *c, const SimFinding *finding, Diag *diag) {
  const tilec_sim_report *r = &finding->report;
  if (!finding->other.line) return;
  Buf text = {0};
  if (c->ptx_file || !is_race(r->kind))
    buf_text(&text, r->other_message ? r->other_message : "here");
  else
    buf_printf(&text, "the earlier %s", access_name(r->other_access, r->kind != TILEC_SIM_RACE_READ_WRITE));
  buf_text(&text, ", in ");
  print_program(c, r->other_block, r->other_device, &text);
  diag_note(c->diags, diag, finding->other, "%s", text.at);
  note_header(c, diag, finding->other, &r->other_place);
  diag_note_calls(c->diags, diag, finding->other);
  buf_free(&text);
}

// "warps 0-2, 5 of block 0,0,0 and of 3 more blocks: wait ..."
static void print_wait(const ReportContext *c, const tilec_sim_wait *wait, Buf *text) {
  uint32_t warps = wait->warps;
  buf_text(text, warps & (warps - 1) ? "warps" : "warp");
  for (uint32_t w = 0, n = 0; w < 32; w++) {
    uint32_t last = w;
    if (!(warps >> w & 1)) continue;
    while (last + 1 < 32 && warps >> (last + 1) & 1) last++;
    buf_printf(text, "%s %u", n++ ? "," : "", w);
    if (last > w) buf_printf(text, "-%u", last);
    w = last;
  }
  buf_printf(text, " of CTA %u,%u,%u", wait->block[0], wait->block[1], wait->block[2]);
  if (c->devices > 1) buf_printf(text, " of device %u", wait->device);
  unsigned long long more = wait->blocks - 1;
  if (more) buf_printf(text, " and of %llu more CTA%s", more, more > 1 ? "s" : "");
  bool many = more || (warps & (warps - 1));
  static const char waits[] = "waits";
  bool plural = many && strncmp(wait->message, waits, sizeof waits - 1) == 0;
  buf_printf(text, ": %s%s", plural ? "wait" : "", wait->message + (plural ? sizeof waits - 1 : 0));
}

// Where warps of the launch waited: one note per location.
static void note_waits(const ReportContext *c, const SimFinding *finding, Diag *diag) {
  for (size_t i = 0; i < finding->report.wait_count; i++) {
    Buf text = {0};
    print_wait(c, &finding->report.waits[i], &text);
    diag_note(c->diags, diag, finding->waits[i], "%s", text.at);
    diag_note_calls(c->diags, diag, finding->waits[i]);
    buf_free(&text);
  }
}

void report_diagnose(const ReportContext *c, const SimFinding *finding) {
  const tilec_sim_report *r = &finding->report;
  Words words = {0};
  describe_finding(c, finding, &words);
  Diag *diag = diag_error(c->diags, finding->loc, "%s", words.message.at);
  diag->run = run_facts(c, finding);
  note_header(c, diag, finding->loc, &r->place);
  note_other(c, finding, diag);
  note_waits(c, finding, diag);
  if (words.advice.n) diag_note(c->diags, diag, finding->loc, "%s", words.advice.at);
  if (c->ptx_file && finding->buffer && !words.has_place) {
    buf_reset(&words.advice);
    print_place(finding, &words.advice);
    diag_note(c->diags, diag, finding->loc, "at %s", words.advice.at);
  }
  if (r->order && (c->ptx_file || !words.advice.n))
    diag_note(c->diags, diag, finding->loc, "%s%s%s", is_race(r->kind) ? "what would order them: " : "",
              r->order, is_race(r->kind) && same_program(r) && r->between_blocks ? PTX_ALSO_BETWEEN : "");
  buf_reset(&words.message);
  print_ptx(finding, &words.message);
  bool shown = c->verbose || c->ptx_file || !finding->loc.line;
  if (shown && !of_launch(r->kind)) diag_note(c->diags, diag, finding->loc, "%s", words.message.at);
  buf_free(&words.message);
  buf_free(&words.advice);
}

// ---- lost updates ----

// True if `race` is between a load and the store that `itself` is about.
static bool loses_update(const DiagRun *race, Loc loc, const DiagRun *itself) {
  if (!race || !race->access || !race->buffer || !itself->buffer || strcmp(race->buffer, itself->buffer) != 0)
    return false;
  bool loads = strcmp(race->access, "load") == 0, other_loads = strcmp(race->other_access, "load") == 0;
  return loads != other_loads && loc_same(loads ? race->other : loc, itself->other);
}

// A load and a store may have one place too: `out[0] += x` of CUDA. That race is no store's with itself.
static bool is_store_with_itself(const Diag *diag) {
  const DiagRun *run = diag->run;
  return run && run->access && strcmp(run->access, "store") == 0 && strcmp(run->other_access, "store") == 0 &&
         loc_same(diag->loc, run->other);
}

static bool join_update(Diags *diags, const Diag *diag) {
  const DiagRun *itself = diag->run;
  if (!is_store_with_itself(diag)) return false;
  for (uint32_t i = 0; i < diags->list.n; i++) {
    if (!loses_update(diags->list.at[i]->run, diags->list.at[i]->loc, itself)) continue;
    diag_note(diags, diags->list.at[i], diag->loc, "this store races with itself, too");
    return true;
  }
  return false;
}

void report_join_updates(Diags *diags) {
  uint32_t kept = 0, n = diags->list.n;
  for (uint32_t i = 0; i < n; i++) {
    Diag *diag = diags->list.at[i];
    if (join_update(diags, diag))
      diags->errors--;
    else
      diags->list.at[kept++] = diag;
  }
  diags->list.n = kept;
}
