// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/memory/buffer_name.h"

#include <inttypes.h>

#include "ir/queries.h"

enum { MAX_ORIGINS = 256 };
static const uint64_t far_away = (uint64_t)1 << 40, null_page = 4096, beside = 4096;

// ---- which buffer ----

// The possible sources of a pointer, each visited once.
typedef struct Origins {
  const Value *at[MAX_ORIGINS];
  uint32_t n;
  bool lost; // too many of them, or an unknown source
} Origins;

static void add_origin(Origins *origins, const Value *value) {
  for (uint32_t i = 0; i < origins->n; i++)
    if (origins->at[i] == value) return;
  if (value && origins->n < MAX_ORIGINS)
    origins->at[origins->n++] = value;
  else
    origins->lost = true;
}

// Adds what a loop or branch hands to the value.
static void add_sources(Origins *origins, const Value *value) {
  origins->lost |= !flow_source(value, 0);
  for (uint32_t n = 0; flow_source(value, n); n++) add_origin(origins, flow_source(value, n));
}

static bool holds_pointer(const Value *value) {
  return type_is_ptr(value->type) || value->type->kind == TYPE_BLOCK_PTR;
}

// An op that reads memory or is assembly may give any pointer.
static void add_operands(Origins *origins, const Op *op) {
  bool found = false;
  for (uint32_t i = 0; op_has(op, PURE) && i < op->operand_count; i++) {
    if (!holds_pointer(op_operand(op, i))) continue;
    add_origin(origins, op_operand(op, i));
    found = true;
  }
  origins->lost |= !found;
}

// A tensor map refers to its base's buffer, usually a parameter.
static int32_t map_param(const Value *map) {
  const Func *func = map->region->func;
  const HostRegion *host = func_host(func, HOST_MAP, func->params[map->index].name);
  const Value *base = host ? op_operand(host->region->last, 0) : NULL;
  return base && !base->def ? (int32_t)base->index : -1;
}

int32_t pointer_param(const Value *pointer) {
  Origins origins = {0};
  int32_t param = -1;
  if (pointer->type->kind == TYPE_TENSOR_MAP) return map_param(pointer);
  add_origin(&origins, pointer);
  for (uint32_t i = 0; i < origins.n && !origins.lost; i++) {
    const Value *value = origins.at[i];
    if (value->def && !op_has(value->def, FLOW))
      add_operands(&origins, value->def);
    else if (value->def || value->region != value->region->func->body)
      add_sources(&origins, value);
    else if (param >= 0 && param != (int32_t)value->index)
      return -1;
    else
      param = (int32_t)value->index;
  }
  return origins.lost ? -1 : param;
}

const BufferName *buffer_pointed(const BufferName *names, uint32_t count, uint64_t pointer) {
  const BufferName *found = NULL;
  for (uint32_t i = 0; i < count; i++)
    if (pointer >= names[i].address && pointer - names[i].address <= names[i].bytes &&
        (!found || names[i].address > found->address))
      found = &names[i];
  return found;
}

static uint64_t distance(const BufferName *buffer, uint64_t address) {
  if (address < buffer->address) return buffer->address - address;
  uint64_t offset = address - buffer->address;
  return offset < buffer->bytes ? 0 : offset - buffer->bytes;
}

const BufferName *buffer_near(const BufferName *names, uint32_t count, uint64_t address) {
  const BufferName *near = NULL;
  for (uint32_t i = 0; i < count; i++)
    if (!near || distance(&names[i], address) < distance(near, address)) near = &names[i];
  return near && distance(near, address) < far_away ? near : NULL;
}

const BufferName *buffer_meant(const BufferName *names, uint32_t count, const BufferName *hint,
                               uint64_t address) {
  const BufferName *near = buffer_near(names, count, address);
  bool elsewhere = near && distance(near, address) < beside;
  return hint && (!elsewhere || distance(hint, address) < beside) ? hint : near;
}

// ---- which element ----

static uint64_t element_bytes(const BufferName *buffer) { return elem_bytes(buffer->elem); }
static uint64_t elements(const BufferName *buffer) { return buffer->bytes / element_bytes(buffer); }

int64_t buffer_index(const BufferName *buffer, uint64_t address) {
  int64_t offset = (int64_t)(address - buffer->address), bytes = (int64_t)element_bytes(buffer);
  return offset < 0 ? -((-offset + bytes - 1) / bytes) : offset / bytes;
}

uint32_t buffer_indices(const BufferName *buffer, uint64_t address, int64_t *indices) {
  int64_t index = buffer_index(buffer, address);
  if (index < 0 || buffer->rank == 0) return 0;
  for (uint32_t d = buffer->rank; d-- > 0; index /= d > 0 ? (int64_t)buffer->shape[d] : 1) {
    if (buffer->shape[d] == 0) return 0;
    indices[d] = d > 0 ? index % (int64_t)buffer->shape[d] : index;
  }
  return buffer->rank;
}

void buffer_place(const BufferName *buffer, uint64_t address, Buf *out) {
  int64_t index = buffer_index(buffer, address), indices[BUFFER_MAX_RANK];
  uint64_t within = (address - buffer->address) % element_bytes(buffer);
  if (within) buf_printf(out, "byte %" PRIu64 " of ", within);
  buf_printf(out, "%s[%" PRId64 "] of %" PRIu64, buffer->name, index, elements(buffer));
  uint32_t rank = buffer_indices(buffer, address, indices);
  if (rank < 2) return;
  buf_printf(out, ", %s[", buffer->name);
  for (uint32_t d = 0; d < rank; d++) buf_printf(out, "%s%" PRId64, d ? "," : "", indices[d]);
  buf_text(out, "] of [");
  for (uint32_t d = 0; d < rank; d++) buf_printf(out, "%s%" PRIu64, d ? "," : "", buffer->shape[d]);
  buf_text(out, "]");
}

// ---- advice ----

// Returns true if the access's element size differs from the buffer's.
static bool advise_type(const AccessFacts *access, Buf *advice) {
  const BufferName *buffer = access->buffer;
  if (!access->bytes || access->bytes == element_bytes(buffer)) return false;
  buf_printf(advice,
             "an element of '%s' (%s) has %" PRIu64
             " bytes, and the pointer counts in %u: is its type right?",
             buffer->name, elem_info(buffer->elem)->name, element_bytes(buffer), access->bytes);
  return true;
}

static void advise_bounds(const AccessFacts *access, int64_t index, Buf *advice) {
  const BufferName *buffer = access->buffer;
  int64_t wrapped = (int64_t)1 << 31;
  uint64_t bytes = element_bytes(buffer);
  if (index <= -wrapped / 2)
    buf_text(advice, "a 32-bit offset has wrapped: compute it in 64 bits, as in `pid.to(tl.int64) * stride`");
  else if (index < 0)
    buf_printf(advice,
               "the offset is negative%s. Did a `%%` make it? `%%` of a negative number is negative, unlike "
               "in Python: write `(i - shift + n) %% n`. If not, %s; or did a 32-bit multiplication wrap?",
               access->masked ? ", and the mask allows it" : "",
               access->masked ? "add `& (offsets >= 0)` to the mask"
                              : "mask the access, as in `mask=offsets >= 0`");
  else if (bytes > 1 && (uint64_t)index >= 2 * elements(buffer) && (uint64_t)index / bytes < elements(buffer))
    buf_printf(advice,
               "offsets count elements, not bytes: is one of them, or a stride, %" PRIu64
               " times too large? If not, mask the access, as in `mask=offsets < n`",
               bytes);
  else if (access->masked)
    buf_text(advice, "the mask allows it: does it compare these offsets with the size of every dimension? "
                     "Are the strides those of this buffer, in elements?");
  else
    buf_text(advice, "no mask keeps it in bounds: add one, as in `mask=offsets < n` (for a block pointer "
                     "`boundary_check=(0,)`), or launch fewer programs");
  if (index > 0 && (uint64_t)index >= 2 * elements(buffer))
    buf_printf(advice,
               ". It is far beyond the buffer: is a size or stride argument wrong, or '%s' too small?",
               buffer->name);
}

void say_out_of_bounds(const AccessFacts *access, Buf *message, Buf *advice) {
  const BufferName *buffer = access->buffer;
  uint64_t address = access->address;
  bool begins_inside = buffer && address >= buffer->address && address - buffer->address < buffer->bytes;
  if (begins_inside) address = buffer->address + buffer->bytes; // its last bytes are wrong
  int64_t index = buffer ? buffer_index(buffer, address) : 0;
  buf_text(message, index < 0 && !access->stray ? "[T1102] " : "[T1101] ");
  buf_printf(message, "%s out of bounds: ", access->what);
  if (address < null_page) {
    buf_printf(message, "the pointer is null (address 0x%" PRIx64 ")", address);
    buf_text(advice, "the argument is None or 0: test it first with `if ptr is not None:`");
    return;
  }
  if (access->stray) {
    buf_printf(message, "argument '%s' points to no buffer of the device, at address 0x%" PRIx64,
               access->stray, address);
    buf_text(advice, "pass a buffer of the device: tilec_buffer_wrap (C++: tilec::buffer::wrap) makes one of "
                     "host memory");
    return;
  }
  if (!buffer) {
    buf_printf(message, "no argument's buffer is near address 0x%" PRIx64, address);
    buf_text(advice, "is the pointer an argument, and are the offsets in elements?");
    return;
  }
  buffer_place(buffer, address, message);
  if (!advise_type(access, advice)) advise_bounds(access, index, advice);
}

void say_misaligned(const AccessFacts *access, Buf *message, Buf *advice) {
  buf_printf(message, "[T1103] misaligned %s of %u bytes: ", access->what, access->bytes);
  const BufferName *buffer = access->buffer;
  if (buffer)
    buffer_place(buffer, access->address, message);
  else
    buf_printf(message, "address 0x%" PRIx64, access->address);
  buf_printf(advice, "its address is not a multiple of %u bytes: ", access->bytes);
  if (buffer && element_bytes(buffer) < access->bytes)
    buf_printf(advice, "should the pointer to %s have another element type, or is a `tl.multiple_of` wrong?",
               elem_info(buffer->elem)->name);
  else
    buf_text(advice,
             "does the argument point into the middle of an element, or is a `tl.multiple_of` wrong?");
}

static void print_program(const uint32_t program[3], Buf *out) {
  buf_printf(out, "program (%u, %u, %u)", program[0], program[1], program[2]);
}

RaceSides race_sides(Loc loc, Loc other) {
  if (!loc.line || loc.file != other.file || loc.line != other.line) return RACE_OF_OPS;
  if (loc.col != other.col || loc.len != other.len) return RACE_OF_LINE;
  return loc.call != other.call ? RACE_OF_CALLS : RACE_OF_OP;
}

bool race_comes_before(Loc a, Loc b) {
  if (a.file != b.file || !a.line) return false;
  if (a.line != b.line) return a.line < b.line;
  bool within = b.col <= a.col && a.col < b.col + b.len && a.len < b.len; // an argument is evaluated first
  return within || (a.col < b.col && b.col >= a.col + a.len);
}

RaceKind race_within(RaceSides sides, bool load_first) {
  switch (sides) {
  case RACE_OF_OPS:
  case RACE_OF_LINE: return load_first ? RACE_UPDATE : RACE_THREADS;
  case RACE_OF_CALLS: return RACE_THREADS;
  case RACE_OF_OP: return RACE_OP;
  case RACE_OF_ELEMENTS: return RACE_LANES;
  case RACE_OF_RUNS: return RACE_RUNS;
  }
  return RACE_THREADS;
}

// "and the load", "and another store of this line"
static void print_other(const RaceFacts *race, Buf *out) {
  bool alike = strcmp(race->what, race->other) == 0;
  buf_printf(out, " and %s %s", alike ? "another" : "the", race->other);
  if (alike && race->sides == RACE_OF_LINE) buf_text(out, " of this line");
}

// Describes the other access, of the same program.
static void print_side(const RaceFacts *race, Buf *out) {
  switch (race->sides) {
  case RACE_OF_OPS:
  case RACE_OF_LINE: print_other(race, out); break;
  case RACE_OF_CALLS: buf_text(out, " and the same in another call"); break;
  case RACE_OF_OP: buf_text(out, " and the same by another thread"); break;
  case RACE_OF_ELEMENTS: buf_text(out, " of two elements"); break;
  case RACE_OF_RUNS: buf_text(out, " and the same in another iteration"); break;
  }
}

void say_race(const RaceFacts *race, Buf *message) {
  bool devices = race->device != race->other_device;
  bool same_program = !devices && memcmp(race->program, race->other_program, 3 * sizeof *race->program) == 0;
  buf_text(message, same_program ? "[T1202] " : "[T1201] ");
  buf_text(message, "data race on ");
  if (race->buffer)
    buffer_place(race->buffer, race->address, message);
  else
    buf_printf(message, "address 0x%" PRIx64, race->address);
  if (devices) {
    buf_printf(message,
               ": no release and acquire of system scope order the %s by device %u and this %s by device %u",
               race->other, race->other_device, race->what, race->device);
    return;
  }
  buf_printf(message, ": nothing orders this %s", race->what);
  if (!same_program) {
    buf_text(message, " in ");
    print_program(race->program, message);
    if (race->element && *race->element) buf_printf(message, "%s,", race->element);
  }
  if (same_program)
    print_side(race, message);
  else if (race->sides >= RACE_OF_CALLS)
    buf_printf(message, " and the same %s", race->what);
  else
    print_other(race, message);
  buf_text(message, same_program ? ", in " : " in ");
  print_program(race->other_program, message);
  if (same_program && race->element) buf_text(message, race->element);
}

const char *race_advice(RaceKind kind) {
  switch (kind) {
  case RACE_LANES:
    return "two elements of the tile are stored at one place: make the offsets differ, mask all but one, or "
           "use "
           "tl.atomic_add";
  case RACE_RUNS:
    return "threads run in any order, and an iteration stores where another thread did in an earlier one: "
           "make "
           "the offsets differ, use tl.atomic_add, or put tl.debug_barrier() at the end of the loop's body";
  case RACE_OP:
    return "two elements of the tile, of one iteration or of two, are stored at one place: make the offsets "
           "differ, mask all but one, or use tl.atomic_add; if they are of two iterations, "
           "tl.debug_barrier() "
           "at the end of the loop's body orders them";
  case RACE_THREADS:
    return "threads of a program run in any order: tl.debug_barrier() between the two accesses orders them";
  case RACE_UPDATE:
    return "threads of a program run in any order. If several update the element, use tl.atomic_add: a "
           "barrier only hides a lost update. If not, write to another buffer, or put tl.debug_barrier() "
           "between the two accesses";
  case RACE_PROGRAMS:
    return "programs run in any order: let each write elements of its own (offsets from tl.program_id), or "
           "use "
           "tl.atomic_add";
  case RACE_READER:
    return "programs run in any order: add to an element with tl.atomic_add (tl.atomic_max for a maximum). "
           "Otherwise write to another buffer, or read in a second kernel";
  case RACE_ATOMIC:
    return "programs run in any order: access the element by atomics alone (one returns the value before "
           "it), "
           "or read in a second kernel";
  case RACE_WEAK:
    return "programs run in any order. An atomic orders them if the writer's releases and the reader's "
           "acquires, as the default sem=\"acq_rel\" does: a relaxed one does not. An atomic on a tile of "
           "pointers orders only its own threads: put tl.debug_barrier() before it. To add to an element, "
           "use "
           "tl.atomic_add";
  case RACE_DEVICES:
    return "devices are ordered only by atomics with scope=\"sys\": after its accesses, one device signals "
           "with "
           "sem=\"release\", and the other waits for the signal with sem=\"acquire\" before its own. Each "
           "buffer "
           "that is used again, and each signal, needs the same the other way";
  }
  return "";
}

bool race_is_advice(const char *text, bool *within) {
  for (int kind = RACE_LANES; kind <= RACE_DEVICES; kind++) {
    *within = kind < RACE_PROGRAMS;
    if (strcmp(text, race_advice((RaceKind)kind)) == 0) return true;
  }
  return false;
}
