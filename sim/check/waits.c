// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/check/waits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/integer.h"
#include "base/text.h"
#include "sim/check/facts.h"
#include "sim/exec/float_bits.h"
#include "sim/machine/mbarrier.h"
#include "sim/machine/resolve.h"
#include "sim/exec/exec.h"

enum { WAITS = 24 };

typedef struct WaitPlace {
  char *text;          // owned
  uint32_t last_block; // the last one counted
} WaitPlace;

struct WaitList {
  size_t n;
  tilec_sim_wait waits[WAITS];
  WaitPlace places[WAITS];
};

WaitList *waits_new(void) { return calloc(1, sizeof(WaitList)); }
void waits_free(WaitList *list) {
  for (size_t i = 0; list && i < list->n; i++) text_free(list->places[i].text);
  free(list);
}

const tilec_sim_wait *waits_all(const WaitList *list, size_t *n) {
  *n = list ? list->n : 0;
  return list ? list->waits : NULL;
}

// ---- position of a group of lanes ----

// The position and the reason. The line may differ from the instruction's: it may be a loop's first line.
typedef struct Stand {
  const Insn *insn;
  Site place;
  uint64_t address;    // an address in global memory that is read repeatedly; 0: none
  const char *missing; // as in Blame
  char *text;          // owned
} Stand;

static void stand_say(Stand *stand, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void stand_say(Stand *stand, const char *format, ...) {
  va_list args;
  va_start(args, format);
  stand->text = text_make_list(format, args);
  va_end(args);
}

// The branch that closes the innermost loop around the instruction. NULL: none.
static const Insn *loop_branch(const Program *program, uint32_t pc) {
  const Insn *found = NULL, *code = program->code.at;
  uint32_t length = UINT32_MAX;
  for (uint32_t i = pc; i < program->code.n && i - pc < length; i++) {
    if (code[i].kind != KIND_BRANCH || code[i].target > pc || i - code[i].target >= length) continue;
    found = &code[i];
    length = i - code[i].target;
  }
  return found;
}

static void stand_in_loop(Stand *stand, const Program *program, uint32_t pc) {
  const Insn *end = loop_branch(program, pc);
  if (!end) {
    stand_say(stand, "runs");
    return;
  }
  const Site *site = &program->sites.at[end->site];
  uint32_t first = site->file ? site->line : end->ptx_line, last = first;
  for (const Insn *insn = &program->code.at[end->target]; insn < end; insn++) {
    const Site *at = &program->sites.at[insn->site];
    uint32_t line = site->file ? at->line : insn->ptx_line;
    bool same = at->file == site->file || (at->file && site->file && strcmp(at->file, site->file) == 0);
    if (!same || line == 0) continue;
    if (line < first) first = line;
    if (line > last) last = line;
  }
  stand->insn = end;
  stand->place = (Site){.file = site->file, .line = first}; // the columns are not those of the branch
  if (first == last)
    stand_say(stand, "repeats the loop of this line");
  else
    stand_say(stand, "repeats the loop of lines %u to %u", first, last);
}

// "shared address 16 ('flag' + 0)", for text_free. The compiler's own buffer has no name in the source: "kernel$shared".
static char *shared_place(const Program *program, uint64_t address) {
  for (uint32_t i = 0; i < program->shared_vars.n; i++) {
    const SharedVar *var = &program->shared_vars.at[i];
    if (address >= var->offset && address - var->offset < var->bytes && !strchr(var->name, '$'))
      return text_make("shared address %llu ('%s' + %llu)", (unsigned long long)address, var->name,
                       (unsigned long long)(address - var->offset));
  }
  return text_make("shared address %llu", (unsigned long long)address);
}

static void stand_at_mbarrier(Stand *stand, const Block *block, uint64_t address, const char *verb) {
  Mbarrier m;
  if (address >= SHARED_WINDOW) address -= SHARED_WINDOW;
  if (block->peers) address &= CLUSTER_OFFSET;
  char *place = shared_place(block->program, address);
  stand->missing = ", and no thread is left to arrive";
  if (mbarrier_peek(block, address, &m))
    stand_say(stand, "%s the mbarrier at %s, whose phase %u has %u arrivals and %d bytes pending", verb,
              place, m.phase, m.pending, m.tx);
  else
    stand_say(stand, "%s the mbarrier at %s", verb, place);
  text_free(place);
}

static void value_text(const Spin *spin, char *text, size_t room) {
  const MemoryAccess *access = spin->insn->u.access;
  PtxType type = access->type;
  if (!spin->has_value)
    snprintf(text, room, "the same");
  else if (type == PTX_F32)
    snprintf(text, room, "%g", (double)float_of((uint32_t)spin->value));
  else if (type == PTX_F64)
    snprintf(text, room, "%g", double_of(spin->value));
  else if (access->bytes == 4)
    snprintf(text, room, "%d", (int32_t)spin->value);
  else
    snprintf(text, room, "%lld", (long long)spin->value);
}

// Lanes that read one address repeatedly.
static void stand_spinning(Stand *stand, const Warp *warp, const Spin *spin) {
  char value[32], *place = NULL;
  stand->insn = spin->insn;
  stand->place = warp->block->program->sites.at[spin->insn->site];
  if (spin->insn->exec == exec_mbarrier_test) {
    stand_at_mbarrier(stand, warp->block, spin->address, "the loop tests again and again");
    return;
  }
  bool atomic = access_of(spin->insn) == TILEC_SIM_ACCESS_ATOMIC;
  value_text(spin, value, sizeof value);
  if (spin->space == SPACE_SHARED) {
    place = shared_place(warp->block->program, spin->address);
  } else if (spin->space == SPACE_GLOBAL) {
    stand->address = spin->address;
  }
  stand->missing = atomic ? ", and no thread is left to change it (a lock that is never released?)"
                          : ", and no thread is left to change it (a flag that is never set?)";
  stand_say(stand, "%s %s%s%s again and again", atomic ? "the atomic finds" : "the load reads", value,
            place ? " at " : "", place ? place : "");
  text_free(place);
}

static void stand_of(const Warp *warp, const LaneGroup *group, Stand *stand) {
  const Block *block = warp->block;
  const Program *program = block->program;
  const Barrier *barrier = &block->barriers[group->state == GROUP_AT_BARRIER ? group->barrier : 0];
  bool past = group->state == GROUP_AT_BARRIER && group->pc;
  *stand = (Stand){.insn = &program->code.at[group->pc - past]};
  stand->place = program->sites.at[stand->insn->site];
  switch (group->state) {
  case GROUP_READY:
    if (cluster_leader(block)->spins && warp->spins[lowest_lane(group->mask)].insn)
      stand_spinning(stand, warp, &warp->spins[lowest_lane(group->mask)]);
    else
      stand_in_loop(stand, program, group->pc);
    break;
  case GROUP_AT_BARRIER:
    stand->missing = ", for threads that never arrive";
    stand_say(stand, "waits at barrier %u, where %u of %u threads are", group->barrier, barrier->arrived,
              barrier->expected ? barrier->expected : block->live_threads);
    break;
  case GROUP_AT_CLUSTER:
    stand->missing = ", for threads that never arrive";
    stand_say(stand, "waits at the cluster's barrier");
    break;
  case GROUP_AT_MBARRIER:
    stand_at_mbarrier(stand, block, address_at(warp, stand->insn->u.address, lowest_lane(group->mask)),
                      "waits at");
    break;
  case GROUP_AT_REGISTERS:
    stand->missing = ", and no warp is left to release any";
    stand_say(stand, "waits to have %u registers per thread: it needs %u more, and the CTA's pool has %u",
              stand->insn->count, stand->insn->count - warp->registers, block->pool);
    break;
  case GROUP_AT_TMEM:
    stand->missing = ", and no warp is left to free any";
    stand_say(stand, "waits for columns of tensor memory");
    break;
  case GROUP_AT_SYNC:
    stand->missing = ", for lanes that never arrive";
    if (stand->insn->kind == KIND_REGISTERS)
      stand_say(stand, "waits at setmaxnreg for the other threads of its warp");
    else if (stand->insn->kind == KIND_BARRIER)
      stand_say(stand, "waits at a barrier for the other threads of its warp");
    else
      stand_say(stand, "waits for the other lanes of its member mask");
    break;
  }
}

// ---- the list ----

// False: the list has it already, or is full. Else the list owns the stand's text.
static bool add_stand(WaitList *list, const Warp *warp, const Stand *stand) {
  const Block *block = warp->block;
  const Site *site = &stand->place;
  for (size_t i = 0; i < list->n; i++) {
    tilec_sim_wait *old = &list->waits[i];
    WaitPlace *place = &list->places[i];
    if (old->place.line != site->line || old->place.file != site->file ||
        strcmp(place->text, stand->text) != 0)
      continue;
    if (!site->file && old->ptx_line != stand->insn->ptx_line) continue;
    bool first = old->device == block->device && memcmp(old->block, block->id, sizeof old->block) == 0;
    if (first) old->warps |= 1u << warp->index;
    old->blocks += place->last_block != block->index;
    place->last_block = block->index;
    return false;
  }
  if (list->n == WAITS) return false;
  WaitPlace *place = &list->places[list->n];
  place->text = stand->text;
  place->last_block = block->index;
  tilec_sim_wait *wait = &list->waits[list->n++];
  *wait = (tilec_sim_wait){.message = place->text,
                           .place = *site,
                           .ptx_line = stand->insn->ptx_line,
                           .address = stand->address,
                           .warps = 1u << warp->index,
                           .blocks = 1,
                           .device = block->device};
  memcpy(wait->block, block->id, sizeof wait->block);
  return true;
}

static void add_block(WaitList *list, const Block *block) {
  for (uint32_t w = 0; list && w < block->warp_count; w++)
    for (uint32_t g = 0; g < block->warps[w].n; g++) {
      Stand stand;
      stand_of(&block->warps[w], &block->warps[w].groups[g], &stand);
      if (!add_stand(list, &block->warps[w], &stand)) text_free(stand.text);
    }
}

void waits_add(WaitList *list, const Block *block) {
  for (uint32_t i = 0; i < cluster_size(block); i++) add_block(list, cluster_block(block, i));
}

// A higher rank is nearer to the cause. From low to high: waiting lanes, looping lanes, lanes that read
// shared memory in the loop, those that read global memory, and lanes that wait for registers.
static int blame_rank(const Warp *warp, const LaneGroup *group) {
  if (group->state == GROUP_AT_REGISTERS || group->state == GROUP_AT_TMEM) return 5;
  if (group->state != GROUP_READY) return 1;
  const Spin *spin = &warp->spins[lowest_lane(group->mask)];
  if (!cluster_leader(warp->block)->spins || !spin->insn) return 2;
  return spin->space == SPACE_GLOBAL ? 4 : 3;
}

static void blame_in(const Block *block, Blame *blame, const LaneGroup **found, int *rank) {
  for (uint32_t w = 0; w < block->warp_count; w++)
    for (uint32_t g = 0; g < block->warps[w].n; g++) {
      const LaneGroup *group = &block->warps[w].groups[g];
      int of_group = blame_rank(&block->warps[w], group);
      if (of_group <= *rank) continue;
      *rank = of_group;
      *found = group;
      blame->warp = &block->warps[w];
    }
}

void waits_blame(const Block *block, Blame *blame) {
  const LaneGroup *found = NULL;
  int rank = 0;
  *blame = (Blame){0};
  for (uint32_t i = 0; i < cluster_size(block); i++) blame_in(cluster_block(block, i), blame, &found, &rank);
  if (!found) return;
  Stand stand;
  stand_of(blame->warp, found, &stand);
  blame->insn = stand.insn;
  blame->lanes = found->mask;
  blame->address = stand.address;
  blame->missing = stand.missing;
  blame->text = stand.text;
}
