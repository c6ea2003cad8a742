// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to global memory without ordering.
//
// Time is a stamp. Every program, barrier and releasing atomic advances it. Two accesses of one program are
// ordered if a barrier is between them: debug_barrier, or a scalar atomic whose old value is used, because all
// threads wait for it. Programs run one after another. A release covers all earlier accesses of its program,
// because a barrier is before it (place_barriers). So an earlier program's access is ordered before one of this
// program if this program acquired what an atomic with a later stamp released. Touching the place by an
// acquiring atomic acquires. This may miss a race in kernels with atomics, but it never reports a false one.
// Two writes of one value do not race. A read and a write always do.
//
// A thread is a shape and an element's index in it. All scalars are one thread.
#include "base/fault.h"
#include "eval/eval_machine.h"
#include "ir/memory/atomic.h"

enum { MAX_REPORTS = 64, ELEMENT_BITS = 20, MAX_SHAPES = 4096 };

_Static_assert(TILE_MAX_ELEMENTS <= 1 << ELEMENT_BITS, "an element's index fits in a thread's number");

typedef struct Record {
  uint32_t op, thread, stamp; // Op.id; shape << ELEMENT_BITS | element; 0: no access yet
} Record;

enum { IS_CONTENDED = 1 }; // flags of a granule, kept for the second run

typedef struct Granule {
  Record writer, atomic;
  Record reader, other;  // different threads, with no barrier between
  Record earlier_reader; // of a program before the last reader's
  uint16_t flags, kind;  // kind: of the last atomic access
} Granule;

typedef struct RacePage {
  uint32_t unit; // bytes of a granule
  Granule *at;   // PAGE_BYTES / unit of them
} RacePage;

typedef struct RaceReport {
  uint32_t op, other;
} RaceReport;

struct Race {
  Arena *arena;
  const Op **ops; // by Op.id
  EvalSnapshot *start;
  VEC(const Type *) shapes;
  VEC(uint32_t) programs; // the stamp at which each began
  VEC(RaceReport) reports;
  uint32_t stamp, program, acquired; // now; at this program's start; what this program acquired, 0: nothing
  uint32_t barrier;                  // this program's last barrier, or its start
  uint32_t op, shape;                // of the accesses that follow
  bool ordered;
};

void eval_race_begin(Machine *m) {
  if (!m->options.races) return;
  Arena *arena = m->arena;
  Race *race = m->race = ARENA_NEW(arena, Race);
  race->arena = arena;
  race->ops = ARENA_ARRAY(arena, const Op *, m->func->op_count);
  for (OpWalk w = ops_in(m->func->body); ops_next(&w);) race->ops[w.op->id] = w.op;
  race->start = eval_memory_save(m->memory, arena);
  vec_push(arena, &race->shapes, NULL); // scalars
  // A fault may have left pages of an earlier launch.
  for (uint32_t i = 0; i < m->memory->buffers.n; i++) m->memory->buffers.at[i]->race = NULL;
}

void eval_race_program(Machine *m) {
  Race *race = m->race;
  if (!race) return;
  race->program = race->barrier = ++race->stamp;
  race->acquired = 0;
  vec_push(race->arena, &race->programs, race->stamp);
}

static uint64_t page_count(const EvalBuffer *buffer) { return (buffer->bytes + 7) / PAGE_BYTES + 1; }

void eval_race_again(Machine *m) {
  Race *race = m->race;
  eval_memory_restore(m->memory, race->start);
  race->stamp = race->programs.n = 0;
  for (uint32_t i = 0; i < m->memory->buffers.n; i++) {
    const EvalBuffer *buffer = m->memory->buffers.at[i];
    for (uint64_t k = 0; buffer->race && k < page_count(buffer); k++) {
      RacePage *page = buffer->race[k];
      for (uint32_t g = 0; page && g < PAGE_BYTES / page->unit; g++)
        page->at[g] = (Granule){.flags = page->at[g].flags};
    }
  }
}

bool eval_race_ordered(const Machine *m) { return m->race && m->race->ordered; }

void eval_race_end(Machine *m) {
  for (uint32_t i = 0; m->race && i < m->memory->buffers.n; i++) m->memory->buffers.at[i]->race = NULL;
  m->race = NULL;
}

void eval_race_barrier(Machine *m) {
  if (m->race) m->race->barrier = ++m->race->stamp;
}

// There are few shapes.
static uint32_t shape_number(Race *race, const Type *type) {
  if (!type || !type_is_tile(type)) return 0;
  for (uint32_t i = 1; i < race->shapes.n; i++)
    if (type_same_shape(race->shapes.at[i], type)) return i;
  if (race->shapes.n < MAX_SHAPES) vec_push(race->arena, &race->shapes, type);
  return race->shapes.n - 1;
}

void eval_race_op(Machine *m, const Op *op) {
  Race *race = m->race;
  if (!race) return;
  if (atomic_releases(op)) race->stamp++;
  race->op = op->id;
  race->shape = shape_number(race, eval_shape(op)) << ELEMENT_BITS;
}

static void page_refine(Arena *arena, RacePage *page, uint32_t unit) {
  if (page->unit && page->unit <= unit) return;
  RacePage fine = {unit, ARENA_ARRAY(arena, Granule, PAGE_BYTES / unit)};
  for (uint32_t i = 0; page->unit && i < PAGE_BYTES / unit; i++) fine.at[i] = page->at[i * unit / page->unit];
  *page = fine;
}

// The granules of an access within a buffer, *n of them.
static Granule *find_granules(Machine *m, const Access *access, uint32_t *n) {
  uint32_t bytes = eval_code_bytes(access->code);
  EvalBuffer *buffer = eval_buffer_at(m->memory, access->address, bytes);
  if (!buffer) BUG("an access that is in no buffer");
  Arena *arena = m->race->arena;
  if (!buffer->race) buffer->race = ARENA_ARRAY(arena, RacePage *, page_count(buffer));
  uint64_t place = access->address - buffer->origin;
  RacePage **page = &buffer->race[place / PAGE_BYTES];
  if (!*page) *page = ARENA_NEW(arena, RacePage);
  page_refine(arena, *page, bytes);
  *n = bytes / (*page)->unit;
  return (*page)->at + place % PAGE_BYTES / (*page)->unit;
}

static Record record_of(const Race *race, const Access *access) {
  uint32_t element = access->element == NO_ELEMENT ? 0 : access->element;
  return (Record){race->op, race->shape | element, race->stamp};
}

// Returns true for an access by an earlier program that nothing orders before the current one.
static bool is_unordered(const Race *race, const Record *record, bool atomic) {
  if (record->stamp == 0 || record->stamp >= race->program) return false;
  return atomic ? record->stamp > race->acquired : record->stamp >= race->acquired;
}

// Returns true for an access by another thread of this program since the last barrier.
static bool is_beside(const Race *race, const Record *record, const Record *now) {
  return record->stamp >= race->barrier && record->thread != now->thread;
}

static bool same_place(const Race *race, uint32_t op, uint32_t other) {
  Loc a = race->ops[op]->loc, b = race->ops[other]->loc;
  return op == other || (a.line && loc_same(a, b));
}

// A pair of places is reported once, in either order.
static bool was_reported(Race *race, uint32_t op, uint32_t other) {
  for (uint32_t i = 0; i < race->reports.n; i++) {
    const RaceReport *report = &race->reports.at[i];
    bool same = (same_place(race, report->op, op) && same_place(race, report->other, other)) ||
                (same_place(race, report->op, other) && same_place(race, report->other, op));
    if (same) return true;
  }
  if (race->reports.n >= MAX_REPORTS) return true;
  vec_push(race->arena, &race->reports, ((RaceReport){op, other}));
  return false;
}

static uint32_t program_at(const Race *race, uint32_t stamp) {
  uint32_t low = 0, high = race->programs.n;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (race->programs.at[middle] <= stamp)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void program_of(const Machine *m, const Record *record, uint32_t program[3]) {
  uint32_t index = program_at(m->race, record->stamp), yz = index / m->grid[0];
  program[0] = index % m->grid[0];
  program[1] = yz % m->grid[1];
  program[2] = yz / m->grid[1];
}

// Adds a note at the other access: its kind, and its program and element.
static void note_other(Machine *m, Diag *diag, const Record *record) {
  const Race *race = m->race;
  const Op *op = race->ops[record->op];
  const Type *shape = race->shapes.at[record->thread >> ELEMENT_BITS];
  uint32_t program[3];
  program_of(m, record, program);
  char element[EVAL_PLACE] = "";
  if (shape) eval_place_element(shape, record->thread & ((1u << ELEMENT_BITS) - 1), element, sizeof element);
  diag_note(m->diags, diag, op->loc, "the earlier %s, in program (%u, %u, %u)%s", eval_access_name(op),
            program[0], program[1], program[2], element);
  diag_note_calls(m->diags, diag, op->loc);
}

// Returns true if the record's element accesses the same place now: two elements of one tile. Otherwise it
// accessed the place in an earlier iteration.
static bool is_of_this_run(const Machine *m, const Access *access, const Record *record) {
  const Op *op = access->op;
  uint32_t element = record->thread & ((1u << ELEMENT_BITS) - 1);
  if (op->kind != OP_STORE) return false;
  if (op_operand(op, 2) && !eval_operand(m, op, 2)->bits[element]) return false;
  uint64_t at = eval_operand(m, op, 0)->bits[element], bytes = eval_code_bytes(access->code);
  return at - access->address < bytes || access->address - at < bytes;
}

static RaceSides sides_of(const Machine *m, const Access *access, const Record *record) {
  const Op *other = m->race->ops[record->op];
  RaceSides sides = race_sides(access->op->loc, other->loc);
  if (access->op != other) return sides == RACE_OF_OP ? RACE_OF_RUNS : sides; // copies of a loop's body
  return is_of_this_run(m, access, record) ? RACE_OF_ELEMENTS : RACE_OF_RUNS;
}

static void report_race(Machine *m, const Access *access, const Record *record, RaceKind kind) {
  char element[EVAL_PLACE] = "";
  const Type *shape = eval_shape(access->op);
  const Op *other = m->race->ops[record->op];
  uint32_t program[3];
  program_of(m, record, program);
  if (access->element != NO_ELEMENT && shape && type_is_tile(shape))
    eval_place_element(shape, access->element, element, sizeof element);
  RaceFacts facts = {.element = element,
                     .buffer = eval_buffer_named(m, access->op, access->address, false),
                     .address = access->address,
                     .what = eval_access_name(access->op),
                     .other = eval_access_name(other),
                     .program = m->program,
                     .other_program = program,
                     .sides = sides_of(m, access, record)};
  Buf text = {0};
  say_race(&facts, &text);
  Diag *diag = diag_error(m->diags, access->op->loc, "%s", text.at);
  buf_free(&text);
  DiagRun *run = eval_diag_run(m, diag, "race", facts.buffer, access->address);
  run->access = facts.what, run->other_access = facts.other, run->other = other->loc;
  note_other(m, diag, record);
  diag_note(m->diags, diag, access->op->loc, "%s", race_advice(kind));
  m->failed = true;
}

static bool reads(const Op *op) { return op->kind == OP_LOAD || op->kind == OP_BLOCK_LOAD; }

static void report_beside(Machine *m, const Access *access, const Record *record) {
  if (was_reported(m->race, access->op->id, record->op)) return;
  const Op *op = access->op, *other = m->race->ops[record->op];
  bool first = reads(op) != reads(other) && !op_has(op, ATOMIC) && !op_has(other, ATOMIC) &&
               (reads(op) ? race_comes_before(op->loc, other->loc) : race_comes_before(other->loc, op->loc));
  report_race(m, access, record, race_within(sides_of(m, access, record), first));
}

static RaceKind kind_between(const Machine *m, const Op *op, const Op *other) {
  return op_has(op, ATOMIC) || op_has(other, ATOMIC) ? RACE_ATOMIC
         : func_has_weak_atomics(m->func)            ? RACE_WEAK
         : reads(op) || reads(other)                 ? RACE_READER
                                                     : RACE_PROGRAMS;
}

static void report_unordered(Machine *m, const Access *access, const Record *record) {
  if (was_reported(m->race, access->op->id, record->op)) return;
  report_race(m, access, record, kind_between(m, access->op, m->race->ops[record->op]));
}

static void record_read(const Race *race, Granule *g, const Record *now) {
  if (g->reader.stamp && g->reader.stamp < race->program) g->earlier_reader = g->reader;
  if (g->reader.stamp < race->barrier) {
    g->reader = *now;
    g->other = (Record){0};
  } else if (g->reader.thread != now->thread) {
    g->other = *now;
  } else {
    g->reader = *now;
  }
}

bool eval_race_read(Machine *m, const Access *access) {
  Race *race = m->race;
  if (!race) return false;
  uint32_t n;
  Granule *at = find_granules(m, access, &n);
  Record now = record_of(race, access);
  bool hangs = false;
  for (Granule *g = at; g < at + n; g++) {
    if (is_beside(race, &g->writer, &now)) report_beside(m, access, &g->writer);
    if (is_beside(race, &g->atomic, &now)) report_beside(m, access, &g->atomic);
    bool plain = is_unordered(race, &g->writer, false), atomic = is_unordered(race, &g->atomic, true);
    if (plain || atomic) report_unordered(m, access, plain ? &g->writer : &g->atomic);
    hangs |= plain || atomic;
    record_read(race, g, &now);
  }
  return hangs;
}

// Returns true for a read that does not race with atomics.
static bool is_atomic_read(const Race *race, const Record *record) {
  return record->stamp && atomic_is_load(race->ops[record->op]);
}

// A write changes a value that an earlier program read. The other program might have read the new value.
static void check_earlier_readers(Machine *m, const Access *access, const Granule *g) {
  const Record *const readers[] = {&g->reader, &g->other, &g->earlier_reader};
  for (int i = 0; i < 3; i++) {
    if (!is_unordered(m->race, readers[i], false)) continue;
    if (op_has(access->op, ATOMIC) && is_atomic_read(m->race, readers[i])) continue;
    report_unordered(m, access, readers[i]);
  }
}

bool eval_race_write(Machine *m, const Access *access, bool same_value) {
  Race *race = m->race;
  if (!race) return false;
  uint32_t n;
  Granule *at = find_granules(m, access, &n);
  Record now = record_of(race, access);
  bool hangs = false;
  for (Granule *g = at; g < at + n; g++) {
    const Record *const own[] = {&g->reader, &g->other, &g->writer};
    for (int i = 0; i < (same_value ? 2 : 3); i++)
      if (is_beside(race, own[i], &now)) report_beside(m, access, own[i]);
    if (is_beside(race, &g->atomic, &now)) report_beside(m, access, &g->atomic);
    bool plain = !same_value && is_unordered(race, &g->writer, false);
    bool atomic = is_unordered(race, &g->atomic, true);
    if (plain || atomic) report_unordered(m, access, plain ? &g->writer : &g->atomic);
    hangs |= plain || atomic;
    check_earlier_readers(m, access, g);
    g->writer = now;
  }
  return hangs;
}

// Handles one granule: see eval_race_atomic.
static unsigned atomic_granule(Machine *m, const Access *access, Granule *g, const Record *now,
                               unsigned kind) {
  Race *race = m->race;
  unsigned found = 0;
  bool other = g->atomic.stamp && (g->atomic.stamp < race->program || is_beside(race, &g->atomic, now));
  if (other) {
    g->flags |= IS_CONTENDED;
    found |= OTHER_LAST | (g->kind != kind ? (unsigned)OTHER_KIND : 0u);
  }
  const Record *const own[] = {&g->reader, &g->other, &g->writer};
  for (int i = 0; i < 3; i++) {
    bool reads_atomically = is_atomic_read(race, own[i]);
    if (reads_atomically && own[i]->stamp < race->program) g->flags |= IS_CONTENDED;
    if (is_beside(race, own[i], now) && !reads_atomically) report_beside(m, access, own[i]);
  }
  if (g->flags & IS_CONTENDED) found |= CONTENDED;
  if (is_unordered(race, &g->writer, false)) {
    report_unordered(m, access, &g->writer);
    found |= UNORDERED;
  }
  check_earlier_readers(m, access, g);
  return found;
}

static void race_acquire(Race *race, const Granule *g) {
  if (g->atomic.stamp < race->program && g->atomic.stamp > race->acquired) race->acquired = g->atomic.stamp;
}

unsigned eval_race_atomic(Machine *m, const Access *access, unsigned kind) {
  Race *race = m->race;
  if (!race) return 0;
  uint32_t n;
  Granule *at = find_granules(m, access, &n);
  Record now = record_of(race, access);
  unsigned found = 0;
  bool acquires = atomic_acquires(access->op);
  for (Granule *g = at; g < at + n; g++) {
    if (acquires) race_acquire(race, g);
    found |= atomic_granule(m, access, g, &now, kind);
    g->atomic = now;
    g->kind = (uint16_t)kind;
  }
  return found;
}

// It is recorded as a read, so that a plain write after it is found.
unsigned eval_race_atomic_load(Machine *m, const Access *access) {
  Race *race = m->race;
  if (!race) return 0;
  uint32_t n;
  Granule *at = find_granules(m, access, &n);
  Record now = record_of(race, access);
  unsigned found = 0;
  for (Granule *g = at; g < at + n; g++) {
    if (atomic_acquires(access->op)) race_acquire(race, g);
    if (g->atomic.stamp && (g->atomic.stamp < race->program || is_beside(race, &g->atomic, &now)))
      g->flags |= IS_CONTENDED;
    if (g->flags & IS_CONTENDED) found |= CONTENDED;
    if (is_beside(race, &g->writer, &now)) report_beside(m, access, &g->writer);
    if (is_unordered(race, &g->writer, false)) {
      report_unordered(m, access, &g->writer);
      found |= UNORDERED;
    }
    record_read(race, g, &now);
  }
  return found;
}

void eval_race_acquire(Machine *m, const Access *access) {
  if (!m->race) return;
  uint32_t n;
  Granule *at = find_granules(m, access, &n);
  for (Granule *g = at; g < at + n; g++) race_acquire(m->race, g);
}

void eval_race_old_used(Machine *m, const Op *op) {
  m->race->ordered = true;
  if (!m->options.compared || was_reported(m->race, op->id, op->id)) return;
  diag_warning(
      m->diags, op->loc,
      "[T1405] the old value of a contended atomic depends on the order of programs and threads: values "
      "computed from it are not compared");
}
