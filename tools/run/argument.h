// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SPEC of an argument of `tilec run`: its kind and its data.
#ifndef TOOLS_RUN_ARGUMENT_H
#define TOOLS_RUN_ARGUMENT_H

#include "base/arena.h"
#include "ir/type.h"
#include "tools/run/npy.h"

typedef enum ArgumentKind {
  ARGUMENT_NONE,
  ARGUMENT_BOOL,
  ARGUMENT_INT,
  ARGUMENT_FLOAT,
  ARGUMENT_BUFFER,
  ARGUMENT_SAME,
  ARGUMENT_CONSTEXPR,
  ARGUMENT_TUPLE // made by run_args.c; argument_parse never returns it
} ArgumentKind;

// A tensor descriptor over a buffer.
typedef struct TensorBlock {
  uint32_t rank, block[TILE_MAX_RANK];
  bool shaped, strided; // true: given by shape and strides; else taken from the buffer (descriptor_complete)
  int64_t shape[TILE_MAX_RANK], strides[TILE_MAX_RANK];
  bool pads_nan, rounds_tf32;
  uint32_t swizzle; // bytes; only of a tensor map for PTX
} TensorBlock;

// An entry in a table of addresses.
typedef struct Pointee {
  const char *name; // of the argument or --buffer; NULL: None, with address 0
  uint64_t offset;  // bytes
  uint32_t device;  // whose copy of the buffer it is
} Pointee;

typedef struct Argument {
  ArgumentKind kind;
  int64_t i;      // BOOL, INT
  bool is_u64;    // INT: beyond INT64_MAX; `i` has its bits
  bool is_device; // INT: the number of the device, not `i`
  const char
      *multicast; // INT: not `i` but the multicast address of this buffer on all devices, plus `offset`
  double f;       // FLOAT
  // BUFFER, SAME: the argument points `offset` bytes into the buffer
  uint64_t offset;
  const char *same;        // SAME: the name of the argument that owns the buffer
  TensorBlock *descriptor; // BUFFER, SAME: from desc(); NULL: a pointer
  const char *text;        // CONSTEXPR: its literal
  // BUFFER
  Elem elem;
  uint32_t rank;
  uint64_t shape[NPY_MAX_RANK];
  uint64_t elements, bytes;
  uint8_t *data;    // the initial bytes, in the arena; poison if not initialised; NULL: not made
  bool initialised; // false: empty:
  // BUFFER, ptrs(): the elements are the addresses of these. `data` is filled once the buffers have
  // addresses. NULL: no table.
  Pointee *pointees;
  bool peers;         // the one pointee stands for its buffer on all devices (run_args.c)
  bool pointee_typed; // true: `pointee` is the type that is pointed to
  Elem pointee;
} Argument;

// "3,0" for `between` ",": the indices of an element in the buffer's shape.
void argument_index(const Argument *buffer, uint64_t element, const char *between, Buf *out);
// Parses `text` and makes the data. With seed NULL, only the data of files and tables is made. number: the
// argument's index in the signature, for random data. False with the reason in *why.
bool argument_parse(Arena *arena, const char *text, const uint64_t *seed, uint32_t number, Argument *argument,
                    const char **why);
// The same for the text after "desc(".
bool argument_descriptor(Arena *arena, Str text, const uint64_t *seed, uint32_t number, Argument *argument,
                         const char **why);
// What the block has that a tensor map for PTX (is_map), or else a kernel's tensor descriptor, cannot have. NULL: nothing.
const char *descriptor_unfit(const TensorBlock *block, bool is_map);
// Fills the block's missing shape and strides with those of the buffer. False with the reason in *why.
bool descriptor_complete(Arena *arena, const Argument *buffer, TensorBlock *block, const char **why);

#endif
