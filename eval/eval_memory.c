// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator's memory: buffers and their shadow.
#include "eval/eval_memory.h"

#include <string.h>
#include "base/fault.h"
#include "eval/eval_machine.h"
#include "ir/number.h"

_Static_assert((int)CODE_POINTER <= (int)META_CODE, "an element's code fits in its meta byte");

uint32_t eval_code_bytes(ElemCode code) { return code == CODE_POINTER ? 8 : elem_bytes((Elem)code); }

bool eval_code_is_float(ElemCode code) { return code != CODE_POINTER && elem_is_float((Elem)code); }

EvalMemory *eval_memory_new(Arena *arena) {
  EvalMemory *memory = ARENA_NEW(arena, EvalMemory);
  memory->arena = arena;
  return memory;
}

static uint32_t block_class(uint64_t bytes) {
  uint32_t size = 6;
  while (size < 31 && (uint64_t)1 << size < bytes) size++;
  if ((uint64_t)1 << size < bytes) BUG("a block of %llu bytes", (unsigned long long)bytes);
  return size;
}

void *eval_block(EvalMemory *memory, uint64_t bytes) {
  uint32_t size = block_class(bytes);
  if (!memory->blocks[size].n) return arena_alloc(memory->arena, (size_t)1 << size);
  void *block = vec_pop(&memory->blocks[size]);
  memset(block, 0, (size_t)1 << size);
  return block;
}

void eval_block_free(EvalMemory *memory, void *block, uint64_t bytes) {
  vec_push(memory->arena, &memory->blocks[block_class(bytes)], block);
}

// The index of the first buffer with an address above `address`.
static uint32_t buffers_above(const EvalMemory *memory, uint64_t address) {
  uint32_t low = 0, high = memory->buffers.n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (memory->buffers.at[middle]->address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void eval_memory_add(EvalMemory *memory, uint64_t address, const void *data, uint64_t bytes,
                     bool initialised) {
  uint32_t at = buffers_above(memory, address);
  // An empty buffer may share its address with another one. It comes first, so that look-ups find the other.
  while (bytes == 0 && at > 0 && memory->buffers.at[at - 1]->address == address) at--;
  const EvalBuffer *below = at > 0 ? memory->buffers.at[at - 1] : NULL;
  const EvalBuffer *above = at < memory->buffers.n ? memory->buffers.at[at] : NULL;
  if (bytes > UINT64_MAX - address || (below && bytes && address - below->address < below->bytes) ||
      (above && above->address - address < bytes))
    BUG("a buffer of %llu bytes at 0x%llx overlaps another", (unsigned long long)bytes,
        (unsigned long long)address);
  EvalBuffer *buffer = ARENA_NEW(memory->arena, EvalBuffer);
  *buffer = (EvalBuffer){.address = address, .bytes = bytes, .origin = address & ~(uint64_t)7};
  buffer->data = arena_alloc(memory->arena, bytes);
  if (data && bytes) memcpy(buffer->data, data, bytes);
  buffer->initialised = initialised;
  buffer->has_initial = data != NULL || initialised;
  vec_push(memory->arena, &memory->buffers, buffer);
  for (uint32_t i = memory->buffers.n - 1; i > at; i--) memory->buffers.at[i] = memory->buffers.at[i - 1];
  memory->buffers.at[at] = buffer;
}

EvalBuffer *eval_buffer_at(EvalMemory *memory, uint64_t address, uint32_t bytes) {
  EvalBuffer *buffer = memory->last;
  if (!buffer || address - buffer->address >= buffer->bytes) {
    uint32_t above = buffers_above(memory, address);
    if (above == 0) return NULL;
    buffer = memory->buffers.at[above - 1];
  }
  uint64_t offset = address - buffer->address;
  if (offset > buffer->bytes || buffer->bytes - offset < bytes) return NULL;
  return memory->last = buffer;
}

const EvalBuffer *eval_buffer_start(const EvalMemory *memory, uint64_t address) {
  uint32_t above = buffers_above(memory, address);
  const EvalBuffer *buffer = above > 0 ? memory->buffers.at[above - 1] : NULL;
  return buffer && buffer->address == address ? buffer : NULL;
}

const uint8_t *eval_memory_bytes(const EvalMemory *memory, uint64_t address) {
  const EvalBuffer *buffer = eval_buffer_start(memory, address);
  return buffer ? buffer->data : NULL;
}

void eval_memory_written(const EvalMemory *memory, uint64_t address, uint8_t *written) {
  const EvalBuffer *buffer = eval_buffer_start(memory, address);
  uint32_t at;
  for (uint64_t i = 0; buffer && buffer->shadow && i < buffer->bytes; i++) {
    const ReferencePage *page = eval_shadow(buffer, i, &at);
    if (page && page->meta[at] & (META_WRITTEN | META_UNCERTAIN)) written[i] = 1;
  }
}

const ReferencePage *eval_shadow(const EvalBuffer *buffer, uint64_t offset, uint32_t *at) {
  if (!buffer->shadow) return NULL;
  uint64_t place = offset + (buffer->address - buffer->origin);
  *at = (uint32_t)(place % PAGE_BYTES);
  return buffer->shadow[place / PAGE_BYTES];
}

bool eval_shadow_element(const ReferencePage *page, uint32_t at, ElemCode *code) {
  uint16_t meta = page->meta[at];
  if (!(meta & META_START)) return false;
  *code = meta & META_CODE;
  uint32_t bytes = eval_code_bytes(*code);
  uint16_t rest = META_WRITTEN | *code, looked_at = META_WRITTEN | META_START | META_CODE;
  for (uint32_t i = 1; i < bytes; i++)
    if ((page->meta[at + i] & looked_at) != rest) return false;
  return true;
}

// Returns true for a byte of a computed float whose bits may differ between correct implementations.
static bool inexact_byte(const ReferencePage *page, uint32_t at) {
  uint16_t meta = page->meta[at];
  if (!(meta & META_COMPUTED)) return false;
  uint32_t bytes = eval_code_bytes(meta & META_CODE);
  return page->e[at / bytes * bytes / page->unit] != 0;
}

static uint64_t load_bits(ElemCode code, const uint8_t *data) {
  return number_load(code == CODE_POINTER ? ELEM_U64 : (Elem)code, data);
}

Element eval_memory_load(const EvalBuffer *buffer, uint64_t address, ElemCode code) {
  uint64_t offset = address - buffer->address;
  uint32_t at = 0, bytes = eval_code_bytes(code);
  const ReferencePage *page = eval_shadow(buffer, offset, &at);
  Element element = {.bits = load_bits(code, buffer->data + offset)};
  if (eval_code_is_float(code)) element.r = number_decode((Elem)code, element.bits);
  if (buffer->assembled) {
    element.state = UNCERTAIN | ASSEMBLED;
    return element;
  }
  if (!page) {
    element.state = buffer->initialised ? 0 : UNDEFINED;
    return element;
  }
  ElemCode stored;
  bool same = eval_shadow_element(page, at, &stored) && stored == code;
  for (uint32_t i = 0; i < bytes; i++) {
    uint16_t meta = page->meta[at + i];
    if (!(meta & META_WRITTEN) && !buffer->initialised) element.state |= UNDEFINED;
    if (meta & META_UNCERTAIN || (!same && inexact_byte(page, at + i))) element.state |= UNCERTAIN;
    element.state |= (meta & META_UNREAD ? UNREAD : 0) | (meta & META_ASSEMBLED ? ASSEMBLED : 0);
  }
  if (same && page->meta[at] & META_COMPUTED) {
    element.state |= COMPUTED;
    element.r = page->r[at / page->unit];
    element.e = page->e[at / page->unit];
  }
  return element;
}

static ReferencePage *page_for_writing(EvalMemory *memory, EvalBuffer *buffer, uint64_t offset,
                                       uint32_t *at) {
  uint64_t place = offset + (buffer->address - buffer->origin);
  if (!buffer->shadow)
    buffer->shadow = ARENA_ARRAY(memory->arena, ReferencePage *, (buffer->bytes + 7) / PAGE_BYTES + 1);
  ReferencePage **page = &buffer->shadow[place / PAGE_BYTES];
  if (!*page) *page = ARENA_NEW(memory->arena, ReferencePage);
  *at = (uint32_t)(place % PAGE_BYTES);
  return *page;
}

// Makes room for r and e of floats of `unit` bytes. Entries of larger floats move to the index of their first
// byte.
static void page_refine(EvalMemory *memory, ReferencePage *page, uint32_t unit) {
  if (page->unit && page->unit <= unit) return;
  double *r = ARENA_ARRAY(memory->arena, double, PAGE_BYTES / unit);
  double *e = ARENA_ARRAY(memory->arena, double, PAGE_BYTES / unit);
  for (uint32_t i = 0; page->unit && i < PAGE_BYTES / page->unit; i++) {
    r[i * page->unit / unit] = page->r[i];
    e[i * page->unit / unit] = page->e[i];
  }
  page->r = r;
  page->e = e;
  page->unit = unit;
}

static uint16_t meta_of_state(uint8_t state) {
  unsigned meta = state & (UNCERTAIN | UNDEFINED) ? META_UNCERTAIN : 0;
  if (state & UNREAD) meta |= META_UNREAD;
  if (state & ASSEMBLED) meta |= META_ASSEMBLED;
  return (uint16_t)meta;
}

void eval_memory_store(EvalMemory *memory, EvalBuffer *buffer, uint64_t address, ElemCode code,
                       const Element *stored) {
  const Element plain = eval_absorb(stored), *element = &plain;
  uint64_t offset = address - buffer->address;
  uint32_t at, bytes = eval_code_bytes(code);
  ReferencePage *page = page_for_writing(memory, buffer, offset, &at);
  uint64_t before = 0;
  memcpy(&before, buffer->data + offset, bytes);
  number_store(code == CODE_POINTER ? ELEM_U64 : (Elem)code, element->bits, buffer->data + offset);
  memory->changes += memcmp(&before, buffer->data + offset, bytes) != 0 || !(page->meta[at] & META_WRITTEN);
  uint16_t meta = META_WRITTEN | code | meta_of_state(element->state);
  if (element->state & COMPUTED && eval_code_is_float(code)) {
    page_refine(memory, page, bytes);
    page->r[at / page->unit] = element->r;
    page->e[at / page->unit] = element->e;
    meta |= META_COMPUTED;
  }
  for (uint32_t i = 0; i < bytes; i++) page->meta[at + i] = meta;
  page->meta[at] |= META_START;
}

void eval_memory_doubt(EvalMemory *memory, EvalBuffer *buffer, uint64_t address, ElemCode code,
                       uint8_t state) {
  uint32_t at;
  ReferencePage *page = page_for_writing(memory, buffer, address - buffer->address, &at);
  for (uint32_t i = 0; i < eval_code_bytes(code); i++)
    page->meta[at + i] |= META_UNCERTAIN | meta_of_state(state);
}

struct EvalSnapshot {
  EvalBuffer *buffers; // in the order of the memory
  bool uncertain, assembled;
};

static ReferencePage *copy_page(Arena *arena, const ReferencePage *page) {
  ReferencePage *copy = ARENA_NEW(arena, ReferencePage);
  *copy = *page;
  uint32_t entries = page->unit ? PAGE_BYTES / page->unit : 0;
  if (!entries) return copy;
  copy->r = ARENA_ARRAY(arena, double, entries);
  copy->e = ARENA_ARRAY(arena, double, entries);
  memcpy(copy->r, page->r, entries * sizeof *copy->r);
  memcpy(copy->e, page->e, entries * sizeof *copy->e);
  return copy;
}

static ReferencePage **copy_shadow(Arena *arena, const EvalBuffer *buffer) {
  if (!buffer->shadow) return NULL;
  uint64_t pages = (buffer->bytes + 7) / PAGE_BYTES + 1;
  ReferencePage **shadow = ARENA_ARRAY(arena, ReferencePage *, pages);
  for (uint64_t k = 0; k < pages; k++)
    if (buffer->shadow[k]) shadow[k] = copy_page(arena, buffer->shadow[k]);
  return shadow;
}

EvalSnapshot *eval_memory_save(const EvalMemory *memory, Arena *arena) {
  EvalSnapshot *snapshot = ARENA_NEW(arena, EvalSnapshot);
  snapshot->uncertain = memory->uncertain;
  snapshot->assembled = memory->assembled;
  snapshot->buffers = ARENA_ARRAY(arena, EvalBuffer, memory->buffers.n);
  for (uint32_t i = 0; i < memory->buffers.n; i++) {
    EvalBuffer *copy = &snapshot->buffers[i];
    *copy = *memory->buffers.at[i];
    uint8_t *data = arena_alloc(arena, copy->bytes);
    if (copy->bytes) memcpy(data, copy->data, copy->bytes);
    copy->data = data;
    copy->shadow = copy_shadow(arena, copy);
  }
  return snapshot;
}

void eval_memory_restore(EvalMemory *memory, const EvalSnapshot *snapshot) {
  memory->uncertain = snapshot->uncertain;
  memory->assembled = snapshot->assembled;
  for (uint32_t i = 0; i < memory->buffers.n; i++) {
    EvalBuffer *buffer = memory->buffers.at[i];
    if (buffer->bytes) memcpy(buffer->data, snapshot->buffers[i].data, buffer->bytes);
    buffer->shadow = copy_shadow(memory->arena, &snapshot->buffers[i]);
    buffer->assembled = snapshot->buffers[i].assembled;
  }
}
