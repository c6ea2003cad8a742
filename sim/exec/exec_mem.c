// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores and atomics. Each lane's address is checked and converted to a host pointer. Then the bytes
// are copied.
#include "sim/exec/contiguous.h"
#include "sim/machine/hooks.h"
#include "sim/machine/resolve.h"
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

// 128-bit elements.
static void move_wide(unsigned char *const *host, uint32_t element, unsigned char *lanes, uint32_t mask,
                      bool writes) {
  for (size_t l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    unsigned char *memory = host[l] + 16 * (size_t)element;
    memcpy(writes ? memory : lanes + 16 * l, writes ? lanes + 16 * l : memory, 16);
  }
}

static void load_element(const Insn *insn, unsigned char *const *host, uint32_t element, void *to,
                         uint32_t mask) {
  const MemoryAccess *access = insn->u.access;
  uint32_t bytes = access->bytes, offset = element * bytes;
  for (int l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    const unsigned char *from = host[l] + offset;
    uint64_t value = 0;
    if (bytes == 4)
      memcpy(&value, from, 4);
    else if (bytes == 8)
      memcpy(&value, from, 8);
    else if (bytes == 2)
      memcpy(&value, from, 2);
    else
      value = *from;
    if (access->is_signed && bytes < 8 && value >> (8 * bytes - 1)) value |= UINT64_MAX << (8 * bytes);
    if (access->slot_bytes[element] == 4)
      ((uint32_t *)to)[l] = (uint32_t)value;
    else if (access->slot_bytes[element] == 8)
      ((uint64_t *)to)[l] = value;
    else
      ((uint16_t *)to)[l] = (uint16_t)value;
  }
}

// Elements of 32 or 64 bits, with registers of that width: the most common case, without switches on the
// width.
#define DEFINE_SAME_WIDTH(bits)                                                                              \
  static void load_same##bits(unsigned char *const *host, size_t offset, uint##bits##_t *to,                 \
                              uint32_t mask) {                                                               \
    for (int l = 0; l < LANES; l++)                                                                          \
      if (mask >> l & 1) memcpy(&to[l], host[l] + offset, sizeof *to);                                       \
  }                                                                                                          \
  static void store_same##bits(unsigned char *const *host, size_t offset, const uint##bits##_t *from,        \
                               uint32_t mask) {                                                              \
    for (int l = 0; l < LANES; l++)                                                                          \
      if (mask >> l & 1) memcpy(host[l] + offset, &from[l], sizeof *from);                                   \
  }

DEFINE_SAME_WIDTH(32)
DEFINE_SAME_WIDTH(64)

// Lane l's element i of `count` is at from + (l * count + i) elements. Registers have the element's width.
// Unrolled: a short loop's speed depends on where the linker puts it.
#if defined(__GNUC__) && !defined(__clang__)
#define UNROLLED _Pragma("GCC unroll 8")
#else
#define UNROLLED
#endif
#define DEFINE_STRIDED(bits)                                                                                 \
  static inline void load_strided##bits(const unsigned char *from, uint32_t count, uint##bits##_t *to) {     \
    UNROLLED                                                                                                 \
    for (size_t l = 0; l < LANES; l++) memcpy(&to[l], from + l * count * sizeof *to, sizeof *to);            \
  }                                                                                                          \
  static inline void store_strided##bits(unsigned char *to, uint32_t count, const uint##bits##_t *from) {    \
    UNROLLED                                                                                                 \
    for (size_t l = 0; l < LANES; l++) memcpy(to + l * count * sizeof *from, &from[l], sizeof *from);        \
  }

DEFINE_STRIDED(32)
DEFINE_STRIDED(64)

static inline void copy_lanes(void *to, const void *from, uint32_t bytes) {
  if (bytes == 4)
    memcpy(to, from, LANES * 4);
  else if (bytes == 8)
    memcpy(to, from, LANES * 8);
  else
    memcpy(to, from, LANES * 2);
}

// Handles lanes with contiguous bytes and registers of the element's width. False: another case.
SIM_LANES static bool move_contiguous(Warp *warp, const Insn *insn, unsigned char *host, bool writes) {
  const MemoryAccess *access = insn->u.access;
  uint32_t bytes = access->bytes, count = access->count;
  if (bytes < 2 || bytes > 8) return false;
  for (uint32_t i = 0; i < count; i++)
    if (access->slot_bytes[i] != bytes) return false;
  if (count > 1 && bytes == 2) return false;
  for (uint32_t i = 0; i < count; i++, host += bytes) {
    void *lanes = lanes_at(warp, access->slots[i]);
    if (count == 1)
      copy_lanes(writes ? host : lanes, writes ? lanes : host, bytes);
    else if (bytes == 4)
      writes ? store_strided32(host, count, lanes) : load_strided32(host, count, lanes);
    else
      writes ? store_strided64(host, count, lanes) : load_strided64(host, count, lanes);
  }
  return true;
}

// False: there is nothing to do. Lanes with a fault that does not end the launch leave *mask.
static bool find_lanes(Warp *warp, const Insn *insn, uint32_t *mask, bool writes, unsigned char **host,
                       bool *done) {
  const MemoryAccess *access = insn->u.access;
  unsigned char *first = resolve_contiguous(warp, insn, *mask, writes);
  *done = first && move_contiguous(warp, insn, first, writes);
  if (!first) return resolve_lanes(warp, insn, mask, writes, host);
  for (size_t l = 0; l < LANES && !*done; l++) host[l] = first + l * access->bytes * access->count;
  return true;
}

void exec_load(Warp *warp, const Insn *insn, uint32_t mask) {
  const MemoryAccess *access = insn->u.access;
  unsigned char *host[LANES];
  bool done;
  if (!find_lanes(warp, insn, &mask, false, host, &done) || done) return;
  for (uint32_t i = 0; i < access->count; i++) {
    if (access->slot_bytes[i] == 0) continue;
    void *to = lanes_at(warp, access->slots[i]);
    if (access->bytes == 4 && access->slot_bytes[i] == 4)
      load_same32(host, 4 * (size_t)i, to, mask);
    else if (access->bytes == 8 && access->slot_bytes[i] == 8)
      load_same64(host, 8 * (size_t)i, to, mask);
    else if (access->bytes == 16)
      move_wide(host, i, to, mask, false);
    else
      load_element(insn, host, i, to, mask);
  }
}

static void store_element(const Insn *insn, unsigned char *const *host, uint32_t element, const void *from,
                          uint32_t mask) {
  const MemoryAccess *access = insn->u.access;
  uint32_t bytes = access->bytes;
  for (int l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    uint64_t value = access->slot_bytes[element] == 4   ? ((const uint32_t *)from)[l]
                     : access->slot_bytes[element] == 8 ? ((const uint64_t *)from)[l]
                                                        : ((const uint16_t *)from)[l];
    unsigned char *to = host[l] + (size_t)element * bytes;
    if (bytes == 4)
      memcpy(to, &value, 4);
    else if (bytes == 8)
      memcpy(to, &value, 8);
    else if (bytes == 2)
      memcpy(to, &value, 2);
    else
      *to = (unsigned char)value;
  }
}

// With checks: finds lanes whose bytes another lane of the same store has overwritten with other values.
static void find_lost(Warp *warp, const Insn *insn, unsigned char *const *host, uint32_t mask) {
  const MemoryAccess *access = insn->u.access;
  uint32_t lost = 0;
  for (uint32_t i = 0; i < access->count; i++)
    for (uint32_t l = 0; l < LANES; l++) {
      const unsigned char *value =
          (const unsigned char *)lanes_at(warp, access->slots[i]) + (size_t)l * access->slot_bytes[i];
      if ((mask >> l & 1) && memcmp(host[l] + (size_t)i * access->bytes, value, access->bytes) != 0)
        lost |= 1u << l;
    }
  if (lost) sim_hook_lost_store(warp, insn, lost, mask);
}

static void store_lanes(Warp *warp, const Insn *insn, unsigned char *const *host, uint32_t mask) {
  const MemoryAccess *access = insn->u.access;
  for (uint32_t i = 0; i < access->count; i++) {
    void *from = lanes_at(warp, access->slots[i]);
    if (access->bytes == 4 && access->slot_bytes[i] == 4)
      store_same32(host, 4 * (size_t)i, from, mask);
    else if (access->bytes == 8 && access->slot_bytes[i] == 8)
      store_same64(host, 8 * (size_t)i, from, mask);
    else if (access->bytes == 16)
      move_wide(host, i, from, mask, true);
    else
      store_element(insn, host, i, from, mask);
  }
}

// During a watch: finds out if the store of all lanes together changes any byte.
static void store_watched(Warp *warp, const Insn *insn, unsigned char *const *host, uint32_t mask) {
  enum { MAX_BYTES = 64 };
  unsigned char before[LANES][MAX_BYTES];
  uint32_t bytes = insn->u.access->bytes * insn->u.access->count;
  bool changed = bytes > MAX_BYTES;
  for (uint32_t l = 0; l < LANES && !changed; l++)
    if (mask >> l & 1) memcpy(before[l], host[l], bytes);
  store_lanes(warp, insn, host, mask);
  for (uint32_t l = 0; l < LANES && !changed; l++)
    if (mask >> l & 1) changed = memcmp(before[l], host[l], bytes) != 0;
  warp->block->worker->changed |= changed;
}

static void store_all(Warp *warp, const Insn *insn, unsigned char *const *host, uint32_t mask) {
  if (warp->block->worker->watching)
    store_watched(warp, insn, host, mask);
  else
    store_lanes(warp, insn, host, mask);
  if (hooks_of(warp)) find_lost(warp, insn, host, mask);
}

void exec_store(Warp *warp, const Insn *insn, uint32_t mask) {
  unsigned char *host[LANES];
  bool watching = warp->block->worker->watching, done;
  if (watching ? !resolve_lanes(warp, insn, &mask, true, host)
               : !find_lanes(warp, insn, &mask, true, host, &done) || done)
    return;
  store_all(warp, insn, host, mask);
}

void exec_multimem_store(Warp *warp, const Insn *insn, uint32_t mask) {
  MultimemLanes lanes;
  unsigned char *host[LANES];
  if (!resolve_multimem(warp, insn, &mask, &lanes)) return;
  for (uint32_t copy = 0; copy < lanes.copies; copy++)
    store_all(warp, insn, host, resolve_copy(warp, insn, mask, &lanes, copy, HOOK_WRITE, host));
}
