// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of whole blocks of memory, which bulk copies bring without a tensor map.
#ifndef PASSES_TMA_BULK_COPIES_H
#define PASSES_TMA_BULK_COPIES_H

#include "ir/build.h"
#include "passes/passes.h"

// `tile` is what a load gives, perhaps with its elements moved. `stored` is the same tile, to be stored to a buffer of
// type `slot`. Returns `stored` with the addresses of the buffer's blocks (bulk_mark). Returns `stored` itself if a block
// is no run of bytes in memory, or an address is no scalar.
Value *bulk_mark(PassContext *context, Func *func, const Value *tile, Value *stored, const Type *slot);

#endif
