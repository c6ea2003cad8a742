// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of tile IR values. Interned in an IrContext: equal types have one address and compare with ==.
#ifndef IR_TYPE_H
#define IR_TYPE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/layout/layout.h"
#include "target/elem.h"

typedef struct IrContext IrContext;

// An integer constant of the type: its low bits, sign- or zero-extended (i1: 0 or 1).
int64_t elem_wrap(Elem elem, int64_t value);
// The nearest value of a floating-point type, ties to even. fp8 saturates. A NaN keeps the high bits of its
// payload.
double elem_round(Elem elem, double value);

enum { TILE_MAX_RANK = 24, TILE_MAX_ELEMENTS = 1 << 20, TYPE_MAX_STARS = 4 }; // STARS: pointers to pointers
enum { DESCRIPTOR_MAX_RANK = 5, TENSOR_MAP_MAX_RANK = 5 }; // of tensor descriptors, the hardware's limit

typedef enum TypeKind {
  TYPE_SCALAR,     // `i32`.
  TYPE_PTR,        // `*fp32`: a pointer to global memory.
  TYPE_TILE,       // `tile<16x64xfp32>`, `tile<1024x*fp32>`, `tile<1024xi1, #blocked>`.
  TYPE_SHARED,     // `shared<64x32xfp16, #swizzled>`: a buffer in shared memory.
  TYPE_TMEM,       // `tmem<128x64xfp32>`: a dot's accumulator in tensor memory.
  TYPE_TOKEN,      // `token`: an asynchronous operation's completion.
  TYPE_BYTES,      // `bytes<128>`: a parameter's by-value data, aligned to 64 bytes.
  TYPE_TENSOR_MAP, // `tensor_map<fp16, box=[64, 128], swizzle=128, fill=zero>`: the arrangement of a tensor's
                   // TMA tiles in global and shared memory; operand of TMA copies.
  TYPE_RING,       // `ring`: the current state of slots of buffers that are filled together (ring_begin).
  TYPE_BLOCK_PTR,  // `block_ptr<16x64xfp32>`: a window of a tensor in global memory, of the block's shape.
} TypeKind;

typedef struct Type Type;
struct Type {
  TypeKind kind;
  Elem elem;         // SCALAR, SHARED, TMEM, BLOCK_PTR, TENSOR_MAP; for a TILE of scalars its element.
  const Type *inner; // PTR: the pointee. TILE, BLOCK_PTR: the element type, scalar or pointer.
  uint8_t rank;      // TILE, SHARED, BLOCK_PTR: 1 .. TILE_MAX_RANK. TMEM: 2. TENSOR_MAP: ..
                     // TENSOR_MAP_MAX_RANK.
  uint32_t shape[TILE_MAX_RANK]; // Logical, outermost first; TENSOR_MAP: the TMA tile's.
  uint8_t swizzle;               // TENSOR_MAP: of the TMA tile in shared memory, bytes: 0, 32, 64, 128.
  bool pads_nan;                 // TENSOR_MAP: elements outside the tensor are NaN, not zero.
  bool is_const;        // PTR: its memory is only read. Used only between a kernel's text and its finished
                        // IR.
  const Layout *layout; // TILE: NULL before propagate_layouts. SHARED: from offset bits.
};

const Type *type_scalar(IrContext *ir, Elem elem);
const Type *type_ptr(IrContext *ir, const Type *pointee);
const Type *type_const_ptr(IrContext *ir, const Type *pointee); // is_const
// element: scalar or pointer. layout may be NULL. Rank 0 gives `element` itself.
const Type *type_tile(IrContext *ir, const Type *element, uint32_t rank, const uint32_t *shape,
                      const Layout *layout);
const Type *type_shared(IrContext *ir, Elem elem, uint32_t rank, const uint32_t *shape, const Layout *layout);
const Type *type_tmem(IrContext *ir, Elem elem, uint32_t rank, const uint32_t *shape);
enum { BY_VALUE_BYTES = 128, BY_VALUE_ALIGN = 64 };
const Type *type_bytes(IrContext *ir);
const Type *type_token(IrContext *ir);
const Type *type_ring(IrContext *ir);
// box: elements along each dimension, outermost first.
const Type *type_tensor_map(IrContext *ir, Elem elem, uint32_t rank, const uint32_t *box, uint32_t swizzle,
                            bool pads_nan);
// element: scalar or pointer, as for the tensor's base pointer. rank 1 .. TILE_MAX_RANK. It has no layout:
// the loaded tile has one.
const Type *type_block_ptr(IrContext *ir, const Type *element, uint32_t rank, const uint32_t *shape);

const Type *type_element(const Type *type); // of a tile; for a scalar or pointer itself
// Returns `element` with `like`'s shape and layout.
const Type *type_with_element(IrContext *ir, const Type *like, const Type *element);
const Type *type_with_layout(IrContext *ir, const Type *tile, const Layout *layout);
bool type_is_tile(const Type *type);
bool type_is_block_ptr(const Type *type);
bool type_is_by_value(const Type *type);        // Bytes, and tensor maps, which are passed by value too.
bool type_is_int(const Type *type);             // Scalar or tile of integers (i1 too).
bool type_is_float(const Type *type);           // Scalar or tile of floats.
bool type_is_ptr(const Type *type);             // Pointer or tile of pointers.
bool type_is_elem(const Type *type, Elem elem); // Scalar or tile of exactly that element.
uint64_t type_elements(const Type *type);       // Number of elements; 1 for scalars and pointers.
uint32_t type_element_bytes(const Type *type);  // Bytes of one element in memory; 8 for pointers.
// Bytes and alignment of a kernel's parameter: a scalar, pointer, bytes or tensor map.
uint32_t type_param_bytes(const Type *type);
uint32_t type_param_align(const Type *type);
bool type_sizes_are_powers(const Type *type);       // all sizes of the shape are powers of two; true for a
                                                    // scalar
bool type_same_shape(const Type *a, const Type *b); // compares only rank and shape

// Layouts printed as #l0, #l1, ... by their index in the list.
typedef struct LayoutNames {
  VEC(const Layout *) list;
} LayoutNames;

void type_print(const Type *type, Buf *out); // layouts in full
// Prints layouts by name if `names` (may be NULL) has them.
void type_print_named(const Type *type, const LayoutNames *names, Buf *out);

#endif
