// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of the ops on shared memory and of the asynchronous ones.
#include "ir/verify_parts.h"

void verify_shared_op(Verifier *v, const Op *op) {
  if (op->kind == OP_SHARED_ALLOC && op_result(op)->type->kind != TYPE_SHARED)
    verify_fail(v, op, "the result is a shared buffer");
}
