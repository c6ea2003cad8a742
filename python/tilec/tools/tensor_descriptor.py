# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors made on the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Sequence

from .. import _arrays


@dataclass
class TensorDescriptor:
    """A tensor in memory, and the block of it that a kernel loads or stores at once. It is an argument of kernels.

    Args:
        base: an array, aligned to 16 bytes.
        shape: the sizes, 1 to 5 ints.
        strides: in elements; the last is 1, and the others are multiples of 16 bytes.
        block_shape: powers of two; at least 16 bytes along the last dimension.
        padding: the value of elements outside the tensor: "zero" or "nan".
        round_f32_to_tf32: if True, loads of fp32 are rounded to tf32, to nearest even.

    Errors: ValueError if the lists differ in length, or for another padding. A launch refuses to round other types.

    Example::

        from tilec.tools.tensor_descriptor import TensorDescriptor

        @tilec.jit
        def twice(source, target):
            target.store([0, 16], source.load([0, 16]) * 2)

        matrix, result = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
        source = TensorDescriptor(matrix, shape=[64, 64], strides=[64, 1], block_shape=[32, 16])
        twice[(1,)](source, TensorDescriptor.from_tensor(result, [32, 16]))
        print(result[31, 31], result[32, 31])  # 2.0 0.0
    """

    base: Any
    shape: Sequence[int]
    strides: Sequence[int]
    block_shape: Sequence[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self) -> None:
        rank = len(self.shape)
        if not 1 <= rank <= 5 or len(self.strides) != rank or len(self.block_shape) != rank:
            raise ValueError(f"shape, strides and block_shape have {rank}, {len(self.strides)} and {len(self.block_shape)} numbers; they must be the same, 1 to 5")
        if self.padding not in ("zero", "nan"):
            raise ValueError(f"padding={self.padding!r}: it must be 'zero' or 'nan'")

    @staticmethod
    def from_tensor(tensor: Any, block_shape: List[int], padding: str = "zero", round_f32_to_tf32: bool = False) -> "TensorDescriptor":
        """Makes a descriptor of a whole array.

        Args:
            tensor: an array of any library that kernels take arrays of.
            block_shape: the block's sizes.
            padding: "zero" or "nan".
            round_f32_to_tf32: as of the class.

        Returns a TensorDescriptor.

        Errors: TypeError if the array has no strides.

        Example::

            from tilec.tools.tensor_descriptor import TensorDescriptor

            whole = TensorDescriptor.from_tensor(np.ones((64, 32), np.float32), [16, 16])
            print(whole.shape, whole.strides, whole.block_shape)  # [64, 32] [32, 1] [16, 16]
        """
        stride = getattr(tensor, "stride", None)
        if callable(stride):
            strides: Sequence[int] = list(stride())
        else:
            found = _arrays.classify(type(tensor), False)[1](tensor)[5]
            if found is None:
                raise TypeError(f"a {type(tensor).__name__} has no strides")
            strides = list(found)
        return TensorDescriptor(tensor, list(tensor.shape), strides, list(block_shape), padding, round_f32_to_tf32)
