// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of tensor maps by kernels, fences, and addresses within a cluster.
#include "sim/machine/hooks.h"
#include "sim/machine/resolve.h"
#include "sim/machine/tensor_map_bytes.h"
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

// insn->extra: the HookFence. Accesses take effect in order, so only a checker uses fences.
void exec_fence(Warp *warp, const Insn *insn, uint32_t mask) {
  sim_hook_fence(warp, insn, mask, (HookFence)insn->extra);
}

// FLAG_WIDE: the operand is a shared variable, and the result a generic address.
// Compilers move mapa out of branches, so the rank may name no CTA. An access by such an address is a fault.
void exec_mapa(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint32_t *ranks = lanes_at(warp, insn->src[1]);
  uint64_t wide[LANES];
  uint32_t narrow[LANES];
  for (uint32_t l = 0; l < LANES; l++) {
    wide[l] = address_at(warp, insn->u.address, l) + (insn->flags & FLAG_WIDE ? SHARED_WINDOW : 0);
    uint64_t rank = ranks[l] < MAX_RANKS ? ranks[l] : MAX_RANKS - 1;
    if (warp->block->peers || rank)
      wide[l] = (wide[l] & ~((uint64_t)UINT32_MAX - CLUSTER_OFFSET)) | rank << CLUSTER_SHIFT;
    narrow[l] = (uint32_t)wide[l];
  }
  if (insn->count == 8)
    lanes_write64(warp, insn->dst, wide, mask);
  else
    lanes_write32(warp, insn->dst, narrow, mask);
}

// getctarank.
void exec_cta_rank(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t ranks[LANES];
  for (uint32_t l = 0; l < LANES; l++)
    ranks[l] = (uint32_t)address_at(warp, insn->u.address, l) >> CLUSTER_SHIFT;
  lanes_write32(warp, insn->dst, ranks, mask);
}

// ---- tensor maps ----

// The element type numbers of tensormap.replace differ from CUtensorMapDataType.
static uint8_t element_type(uint64_t value) {
  static const uint8_t types[] = {TENSOR_U8,       TENSOR_U16, TENSOR_U32,       TENSOR_S32,
                                  TENSOR_U64,      TENSOR_S64, TENSOR_F16,       TENSOR_F32,
                                  TENSOR_F32_FTZ,  TENSOR_F64, TENSOR_BF16,      TENSOR_TF32,
                                  TENSOR_TF32_FTZ, TENSOR_U4,  TENSOR_U4_PADDED, TENSOR_U6_PADDED};
  return value < sizeof types ? types[value] : (uint8_t)TENSOR_TYPES;
}

static uint8_t small(uint64_t value) { return value < 255 ? (uint8_t)value : 255; }

// insn->extra: the MapField. count: the dimension.
static void map_replace(TensorMap *map, const Insn *insn, uint64_t value) {
  uint32_t at = insn->count;
  switch ((MapField)insn->extra) {
  case MAP_ADDRESS: map->address = value; break;
  case MAP_RANK: map->rank = small(value + 1); break;
  case MAP_BOX_DIM: map->box[at] = value > CHIP_TENSOR_BOX ? 0 : (uint16_t)value; break;
  case MAP_GLOBAL_DIM: map->last[at] = (uint32_t)value - 1; break;
  case MAP_GLOBAL_STRIDE: map->strides[at < 4 ? at : 3] = value; break;
  case MAP_ELEMENT_STRIDE: map->steps[at] = small(value); break;
  case MAP_ELEMENT_TYPE: map->type = element_type(value); break;
  case MAP_INTERLEAVE: map->interleave = small(value); break;
  case MAP_SWIZZLE: map->swizzle = small(value); break;
  case MAP_FILL: map->fill = small(value); break;
  }
}

void exec_map_replace(Warp *warp, const Insn *insn, uint32_t mask) {
  for (uint32_t l = 0; l < LANES && !warp->block->worker->fault.set; l++) {
    Place place;
    TensorMap map;
    if (!(mask >> l & 1) ||
        !resolve_operand(warp, insn, l, insn->u.address, TENSOR_MAP_BYTES, 64, true, &place))
      continue;
    memcpy(&map, place.host, sizeof map);
    uint64_t value = insn->flags & FLAG_WIDE ? ((const uint64_t *)lanes_at(warp, insn->src[1]))[l]
                                             : ((const uint32_t *)lanes_at(warp, insn->src[1]))[l];
    if (!tensor_map_tagged(&map)) tensor_map_reset(&map);
    map_replace(&map, insn, value);
    memcpy(place.host, &map, sizeof map);
    HookRange range = {.warp = warp, .insn = insn, .lanes = 1u << l, .space = place.space};
    range.access = HOOK_WRITE;
    range.address = place.address;
    range.bytes = TENSOR_MAP_BYTES;
    sim_hook_range(&range);
  }
}

void exec_map_copy(Warp *warp, const Insn *insn, uint32_t mask) {
  Place to, from;
  uint32_t lane = lowest_lane(mask);
  const CopyOperands *copy = insn->u.copy;
  if (!resolve_operand(warp, insn, lane, &copy->to, TENSOR_MAP_BYTES, 128, true, &to) ||
      !resolve_operand(warp, insn, lane, &copy->from, TENSOR_MAP_BYTES, 128, false, &from))
    return;
  memmove(to.host, from.host, TENSOR_MAP_BYTES);
  sim_hook_fence(warp, insn, mask, HOOK_FENCE_TENSORMAP);
}
