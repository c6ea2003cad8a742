// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conflicts between lanes of one instruction: two writers of one address, wrong member masks, and shuffles
// from absent lanes.
#include "sim/check/check_parts.h"
#include "sim/machine/lanes.h"

// The last lane whose store has a byte in common with that of `lost`. Lanes store in their order.
static uint32_t last_writer(const Warp *warp, const Insn *insn, const AddressOperand *operand, uint32_t lost,
                            uint32_t mask) {
  const MemoryAccess *access = insn->u.access;
  uint64_t address = address_at(warp, operand, lost), bytes = (uint64_t)access->count * access->bytes;
  uint32_t last = UINT32_MAX;
  for (uint32_t l = 0; l < LANES; l++) {
    uint64_t other = mask >> l & 1 ? address_at(warp, operand, l) : address + bytes;
    if (l != lost && other < address + bytes && address < other + bytes) last = l;
  }
  return last;
}

void hook_lost_store(void *context, Warp *warp, const Insn *insn, uint32_t lost, uint32_t mask) {
  (void)context;
  const MemoryAccess *access = insn->u.access;
  AddressOperand operand = {access->space, insn->src[0], access->address64, false, access->offset};
  uint64_t address = address_at(warp, &operand, lowest_lane(lost));
  Report *report = report_new(warp, insn, lost, TILEC_SIM_RACE_WRITE_WRITE, address, insn_index(warp, insn));
  if (!report) return;
  bool window = access->space == SPACE_GENERIC && address >= SHARED_WINDOW;
  bool shared = access->space == SPACE_SHARED || window;
  report_buffer(report, warp, shared ? SPACE_SHARED : SPACE_GLOBAL,
                window ? address - SHARED_WINDOW : address);
  report_message(report, "data race: lanes of this store write different values to %s", report->buffer);
  report_blame(report, warp, insn_index(warp, insn), warp->index, "the same instruction");
  report->api.other_lane = last_writer(warp, insn, &operand, lowest_lane(lost), mask);
}

void hook_shuffle(void *context, Warp *warp, const Insn *insn, uint32_t mask, uint32_t sources) {
  (void)context;
  if (!(sources & ~mask)) return;
  Report *report = report_new(warp, insn, mask, TILEC_SIM_LANES, 0, UINT32_MAX);
  if (report)
    report_message(report, "lane %u is read, but does not execute this instruction",
                   lowest_lane(sources & ~mask));
}

// A lane that `lane`'s mask names, and that executes the instruction with another mask. LANES: none.
static uint32_t stranger_to(const uint32_t *members, uint32_t lane, uint32_t mask) {
  for (uint32_t k = 0; k < LANES; k++)
    if ((members[lane] & mask) >> k & 1 && members[k] != members[lane]) return k;
  return LANES;
}

void hook_warp_sync(void *context, Warp *warp, const Insn *insn, uint32_t mask) {
  const uint32_t *members = lanes_at(warp, insn->src[3]);
  uint32_t first = members[lowest_lane(mask)], strangers = 0, differ = 0;
  (void)context;
  warp_synced(warp);
  for (uint32_t l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    strangers |= (members[l] >> l & 1) ? 0 : 1u << l;
    differ |= stranger_to(members, l, mask) < LANES ? 1u << l : 0;
  }
  uint32_t absent = first & warp->live & ~mask, bad = strangers ? strangers : differ ? differ : absent;
  uint32_t other = differ ? stranger_to(members, lowest_lane(differ), mask) : 0;
  Report *report = bad ? report_new(warp, insn, bad, TILEC_SIM_LANES, 0, UINT32_MAX) : NULL;
  if (!report) return;
  if (strangers)
    report_message(report, "lane %u executes this instruction, but its member mask 0x%08x leaves it out",
                   lowest_lane(strangers), members[lowest_lane(strangers)]);
  else if (differ)
    report_message(report, "lanes %u and %u have different member masks, 0x%08x and 0x%08x",
                   lowest_lane(differ), other, members[lowest_lane(differ)], members[other]);
  else
    report_message(report,
                   "the member mask 0x%08x names lane %u, but that lane does not execute this instruction",
                   first, lowest_lane(absent));
}
