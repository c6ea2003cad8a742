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
// The nearest value of a floating-point type, to even at ties;
// fp8 saturates. A NaN keeps the high bits of its payload.
double elem_round(Elem elem, double value);

enum { TILE_MAX_RANK = 24, TILE_MAX_ELEMENTS = 1 << 20, TYPE_MAX_STARS = 4 }; // STARS: pointers to pointers
enum { DESCRIPTOR_MAX_RANK = 5, TENSOR_MAP_MAX_RANK = 5 }; // of tensor descriptors, as of the hardware's

typedef enum TypeKind {
  TYPE_SCALAR,    // i32
  TYPE_PTR,       // *fp32: a pointer to global memory
  TYPE_TILE,      // tile<16x64xfp32>, tile<1024x*fp32>, tile<1024xi1, #blocked>
  TYPE_SHARED,    // shared<64x32xfp16, #swizzled>: a buffer in shared memory
  TYPE_TOKEN,     // token: an asynchronous operation's completion
  TYPE_BYTES,     // bytes<128>: what a parameter carries by value, aligned to 64 bytes
  TYPE_TENSOR_MAP, // tensor_map<fp16, box=[64, 128], swizzle=128, fill=zero>: how boxes of a tensor lie in global
                   // and in shared memory; what tensor copies take
  TYPE_RING,      // ring: the slots of buffers that are filled together, as they are now (ring_begin)
  TYPE_BLOCK_PTR, // block_ptr<16x64xfp32>: a window of a tensor in global memory, of the block's shape
} TypeKind;

typedef struct Type Type;
struct Type {
  TypeKind kind;
  Elem elem;                     // SCALAR, SHARED, BLOCK_PTR, TENSOR_MAP; of a TILE of scalars its element
  const Type *inner;             // PTR: the pointee; TILE, BLOCK_PTR: the element type, scalar or pointer
  uint8_t rank;                  // TILE, SHARED, BLOCK_PTR: 1 .. TILE_MAX_RANK; TENSOR_MAP: .. TENSOR_MAP_MAX_RANK
  uint32_t shape[TILE_MAX_RANK]; // logical, outermost first; TENSOR_MAP: the box's
  uint8_t swizzle;               // TENSOR_MAP: of the box in shared memory, bytes: 0, 32, 64, 128
  bool pads_nan;                 // TENSOR_MAP: outside of the tensor are NaNs, not zeros
  bool is_const;        // PTR: its memory is only read; between a kernel's text and its finished IR alone
  const Layout *layout; // TILE: NULL until propagate_layouts has chosen one; SHARED: from offset bits
};

const Type *type_scalar(IrContext *ir, Elem elem);
const Type *type_ptr(IrContext *ir, const Type *pointee);
const Type *type_const_ptr(IrContext *ir, const Type *pointee); // is_const
// element: scalar or pointer. layout may be NULL. rank 0 gives `element` itself.
const Type *type_tile(IrContext *ir, const Type *element, uint32_t rank, const uint32_t *shape,
                      const Layout *layout);
const Type *type_shared(IrContext *ir, Elem elem, uint32_t rank, const uint32_t *shape, const Layout *layout);
enum { BY_VALUE_BYTES = 128, BY_VALUE_ALIGN = 64 };
const Type *type_bytes(IrContext *ir);
const Type *type_token(IrContext *ir);
const Type *type_ring(IrContext *ir);
// box: elements along each dimension, outermost first.
const Type *type_tensor_map(IrContext *ir, Elem elem, uint32_t rank, const uint32_t *box, uint32_t swizzle,
                            bool pads_nan);
// element: scalar or pointer, as of the tensor's base pointer;
// rank 1 .. TILE_MAX_RANK. It has no layout: what is loaded has.
const Type *type_block_ptr(IrContext *ir, const Type *element, uint32_t rank, const uint32_t *shape);

const Type *type_element(const Type *type); // of a tile; a scalar or pointer itself
// `like`'s shape and layout.
const Type *type_with_element(IrContext *ir, const Type *like, const Type *element);
const Type *type_with_layout(IrContext *ir, const Type *tile, const Layout *layout);
bool type_is_tile(const Type *type);
bool type_is_block_ptr(const Type *type);
bool type_is_by_value(const Type *type); // bytes, and tensor maps, which are carried so
bool type_is_int(const Type *type);             // scalar or tile of integers (i1 too)
bool type_is_float(const Type *type);           // scalar or tile of floats
bool type_is_ptr(const Type *type);             // pointer or tile of pointers
bool type_is_elem(const Type *type, Elem elem); // scalar or tile of exactly that element
uint64_t type_elements(const Type *type);       // product of the shape; 1 for scalars and pointers
uint32_t type_element_bytes(const Type *type);  // bytes of one element in memory; 8 for pointers
// Bytes and alignment of a kernel's parameter: a scalar, pointer, bytes or tensor map.
uint32_t type_param_bytes(const Type *type);
uint32_t type_param_align(const Type *type);
bool type_sizes_are_powers(const Type *type);       // of two: all of the shape; of a scalar too
bool type_same_shape(const Type *a, const Type *b); // rank and shape alone

// Layouts that print as #l0, #l1, ... by their place in the list.
typedef struct LayoutNames {
  VEC(const Layout *) list;
} LayoutNames;

void type_print(const Type *type, Buf *out); // layouts in full
// Layouts by name where `names` (may be NULL) has them.
void type_print_named(const Type *type, const LayoutNames *names, Buf *out);

#endif
