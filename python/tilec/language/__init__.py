# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The language of kernels, with Triton's names: `import tilec.language as tl`.

Types and constexprs are Python objects. The functions have signatures and docstrings, and only a kernel can call them:
`help(tl.load)` prints one. Outside a kernel a call is a RuntimeError."""

import builtins

from . import _functions, extra, math
from ._classes import range, static_range, tensor, tensor_descriptor
from ._core import (
    PropagateNan, block_type, condition, const, constexpr, constexpr_type, dtype, pointer_type, str_to_ty, tensor_descriptor_type, tuple_type,
)
from ._functions import *  # noqa: F403

void = dtype("void")
int1, int8, int16, int32, int64 = dtype("int1"), dtype("int8"), dtype("int16"), dtype("int32"), dtype("int64")
uint8, uint16, uint32, uint64 = dtype("uint8"), dtype("uint16"), dtype("uint32"), dtype("uint64")
float8e5, float8e5b16 = dtype("fp8e5"), dtype("fp8e5b16")
float8e4nv, float8e4b8, float8e4b15 = dtype("fp8e4nv"), dtype("fp8e4b8"), dtype("fp8e4b15")
float16, bfloat16, float32, float64 = dtype("fp16"), dtype("bf16"), dtype("fp32"), dtype("fp64")
pi32_t = pointer_type(int32)

TRITON_MAX_TENSOR_NUMEL = 1048576
tuple, slice = builtins.tuple, builtins.slice  # Python's serve

__all__ = [
    "PropagateNan", "TRITON_MAX_TENSOR_NUMEL", "bfloat16", "block_type", "condition", "const", "constexpr", "constexpr_type",
    "dtype", "extra", "float16", "float32", "float64", "float8e4b15", "float8e4b8", "float8e4nv", "float8e5",
    "float8e5b16", "int1", "int16", "int32", "int64", "int8", "math", "pi32_t", "pointer_type", "range", "slice",
    "static_range", "str_to_ty", "tensor", "tensor_descriptor", "tensor_descriptor_type", "tuple", "tuple_type",
    "uint16", "uint32", "uint64", "uint8", "void",
]
__all__ += _functions.__all__

from . import core, random, standard  # noqa: E402

__all__ += ["core", "random", "standard"]  # which have all names above
