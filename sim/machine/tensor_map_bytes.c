// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/machine/tensor_map_bytes.h"

#include <string.h>
#include "sim/sim.h"

enum { PADDED_BOX = 128 };

static const uint64_t tag = 0x70616d2d736e6574u;

_Static_assert(sizeof(TensorMap) == TENSOR_MAP_BYTES, "a tensor map has 128 bytes");
_Static_assert(sizeof(tilec_sim_tensor_map) == TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

PtxType tensor_type(uint32_t type) {
  static const PtxType types[TENSOR_TYPES] = {PTX_U8,  PTX_U16, PTX_U32, PTX_S32,  PTX_U64, PTX_S64,
                                              PTX_F16, PTX_F32, PTX_F64, PTX_BF16, PTX_F32, PTX_F32,
                                              PTX_F32, PTX_U8,  PTX_U8,  PTX_U8};
  return type < TENSOR_TYPES ? types[type] : PTX_NONE;
}

// unit, packed and element of a type.
static TensorBox unit_of(uint32_t type) {
  uint32_t bytes = ptx_type_bytes(tensor_type(type));
  switch (type) {
  case TENSOR_U4: return (TensorBox){.unit = 2, .packed = 1, .element = 1};
  case TENSOR_U4_PADDED: return (TensorBox){.unit = 16, .packed = 8, .element = 16};
  case TENSOR_U6_PADDED: return (TensorBox){.unit = 16, .packed = 12, .element = 16};
  default: return (TensorBox){.unit = 1, .packed = bytes, .element = bytes};
  }
}

static uint32_t swizzle_bytes(uint32_t swizzle) { return swizzle > 3 ? 128 : 16u << swizzle; }

static bool is_padded(const TensorMap *map) {
  return map->type == TENSOR_U4_PADDED || map->type == TENSOR_U6_PADDED;
}

static const char *padded_error(const TensorMap *map) {
  if (map->box[0] != PADDED_BOX) return "the box of padded elements is not 128 wide";
  if ((map->last[0] + (uint64_t)1) % PADDED_BOX)
    return "the extent of padded elements is not a multiple of 128";
  if (map->swizzle && map->swizzle < 3) return "padded elements have no such swizzle";
  if (map->address % (2 * CHIP_TENSOR_ALIGN)) return "the address of padded elements is not a multiple of 32";
  for (uint32_t i = 1; i < map->rank; i++)
    if (map->strides[i - 1] % (2 * CHIP_TENSOR_ALIGN))
      return "a global stride of padded elements is not a multiple of 32";
  return NULL;
}

static const char *extent_error(const TensorMap *map) {
  TensorBox of = unit_of(map->type);
  for (uint32_t i = 0; i < map->rank; i++) {
    if (map->box[i] < 1 || map->box[i] > CHIP_TENSOR_BOX) return "a box dimension is not from 1 to 256";
    if (i && (map->steps[i] < 1 || map->steps[i] > CHIP_TENSOR_STEP))
      return "an element stride is not from 1 to 8";
    if (i && (map->strides[i - 1] % CHIP_TENSOR_ALIGN || map->strides[i - 1] >> 40))
      return "a global stride is not a multiple of 16 below 2^40";
  }
  if (map->box[0] % of.unit || map->box[0] / of.unit * of.element % CHIP_TENSOR_ALIGN)
    return "the box's innermost dimension is not a multiple of 16 bytes";
  if (map->swizzle && map->box[0] / of.unit * of.element > swizzle_bytes(map->swizzle))
    return "the box's innermost dimension is wider than the swizzle";
  if ((map->last[0] + (uint64_t)1) % of.unit) return "the innermost extent has no whole number of bytes";
  return is_padded(map) ? padded_error(map) : NULL;
}

const char *tensor_map_error(const TensorMap *map) {
  if (map->tag != tag) return "there is no tensor map";
  if (map->type >= TENSOR_TYPES) return "its data type is not known";
  if (map->rank < 1 || map->rank > TENSOR_RANK) return "its rank is not from 1 to 5";
  if (map->interleave) return "interleaved layouts are not supported";
  if (map->swizzle > 6 || map->swizzle == 5) return "its swizzle is not known";
  if (map->fill > 1) return "its fill mode is not known";
  if (map->fill && ptx_type_class(tensor_type(map->type)) != CLASS_FLOAT)
    return "only float elements can be filled with NaN";
  if (map->address % CHIP_TENSOR_ALIGN) return "its global address is not a multiple of 16";
  return extent_error(map);
}

bool tensor_map_tagged(const TensorMap *map) { return map->tag == tag; }

void tensor_map_reset(TensorMap *map) {
  memset(map, 0, sizeof *map);
  map->tag = tag;
}

TensorBox tensor_map_box(const TensorMap *map) {
  TensorBox box = unit_of(map->type);
  uint32_t elements = 1;
  for (uint32_t i = 0; i < TENSOR_RANK; i++) {
    uint32_t step = i ? map->steps[i] : 1;
    box.counts[i] = i < map->rank ? (map->box[i] + step - 1) / step : 1;
    if (i == 0) box.counts[0] /= box.unit;
    elements *= box.counts[i]; // may wrap: the caller rejects sizes that do not fit
    if (elements > 1u << 20) elements = 1u << 20;
  }
  box.row = box.counts[0] * box.element;
  box.bytes = elements * box.element;
  box.counted = elements * box.packed;
  box.pitch = map->swizzle ? swizzle_bytes(map->swizzle) : box.row;
  box.span = (elements / box.counts[0] - 1) * box.pitch + box.row;
  return box;
}

uint64_t tensor_swizzle(uint32_t swizzle, uint64_t address) {
  static const struct {
    uint8_t mask, shift;
  } of[] = {{0, 4}, {1, 4}, {3, 4}, {7, 4}, {3, 5}, {0, 0}, {1, 6}};
  return address ^ ((address >> 7 & of[swizzle].mask) << of[swizzle].shift);
}

static bool extents_fit(uint32_t rank, const uint64_t *dims, const uint32_t *box, const uint32_t *steps) {
  for (uint32_t i = 0; i < rank; i++)
    if (dims[i] == 0 || dims[i] > (uint64_t)1 << 32 || box[i] > CHIP_TENSOR_BOX ||
        (i && steps[i] > CHIP_TENSOR_STEP))
      return false;
  return true;
}

tilec_sim_result tilec_sim_tensor_map_encode(tilec_sim_tensor_map *map, uint32_t data_type, uint32_t rank,
                                             uint64_t global_address, const uint64_t *global_dims,
                                             const uint64_t *global_strides, const uint32_t *box_dims,
                                             const uint32_t *element_strides, uint32_t interleave,
                                             uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill) {
  if (!map || !global_dims || !box_dims || !element_strides || (rank > 1 && !global_strides))
    return TILEC_SIM_ERROR_INVALID;
  if (rank < 1 || rank > TENSOR_RANK || data_type >= TENSOR_TYPES || interleave || swizzle > 6 ||
      l2_promotion > 3 || oob_fill > 1 || !extents_fit(rank, global_dims, box_dims, element_strides))
    return TILEC_SIM_ERROR_INVALID;
  TensorMap made;
  tensor_map_reset(&made);
  made.address = global_address;
  made.type = (uint8_t)data_type;
  made.rank = (uint8_t)rank;
  made.swizzle = (uint8_t)swizzle;
  made.fill = (uint8_t)oob_fill;
  for (uint32_t i = 0; i < rank; i++) {
    made.last[i] = (uint32_t)(global_dims[i] - 1);
    made.box[i] = (uint16_t)box_dims[i];
    made.steps[i] = (uint8_t)element_strides[i];
    if (i) made.strides[i - 1] = global_strides[i - 1];
  }
  if (tensor_map_error(&made)) return TILEC_SIM_ERROR_INVALID;
  memcpy(map, &made, sizeof made);
  return TILEC_SIM_OK;
}
