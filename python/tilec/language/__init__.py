# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The language of kernels, with Triton's names: `import tilec.language as tl`.

Types and constexprs are Python objects. The functions are there for names and parameters: a kernel alone can call them."""

import builtins

from . import extra, math  # noqa: F401
from ._core import (  # noqa: F401
    PropagateNan, block_type, condition, const, constexpr, constexpr_type, dtype, pointer_type, range, static_range, str_to_ty, tensor,
    tensor_descriptor, tensor_descriptor_type, tuple_type,
)
from ._functions import *  # noqa: F401,F403

void = dtype("void")
int1, int8, int16, int32, int64 = dtype("int1"), dtype("int8"), dtype("int16"), dtype("int32"), dtype("int64")
uint8, uint16, uint32, uint64 = dtype("uint8"), dtype("uint16"), dtype("uint32"), dtype("uint64")
float8e5, float8e5b16 = dtype("fp8e5"), dtype("fp8e5b16")
float8e4nv, float8e4b8, float8e4b15 = dtype("fp8e4nv"), dtype("fp8e4b8"), dtype("fp8e4b15")
float16, bfloat16, float32, float64 = dtype("fp16"), dtype("bf16"), dtype("fp32"), dtype("fp64")
pi32_t = pointer_type(int32)

TRITON_MAX_TENSOR_NUMEL = 1048576
tuple, slice = builtins.tuple, builtins.slice  # Python's serve

from . import core, random, standard  # noqa: E402,F401
