# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors made on the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Sequence

from .. import _arrays


@dataclass
class TensorDescriptor:
    """A tensor of the device's memory, and the block of it that a kernel loads or stores at once; an argument of kernels.

    `strides` are in elements. The last one is 1, and the others are multiples of 16 bytes. `base` is aligned to 16
    bytes. The sizes of a block are powers of two. Elements outside the tensor are loaded as `padding`: "zero", or
    "nan".
    """

    base: Any
    shape: Sequence[int]
    strides: Sequence[int]
    block_shape: Sequence[int]
    padding: str = "zero"

    def __post_init__(self) -> None:
        rank = len(self.shape)
        if not 1 <= rank <= 5 or len(self.strides) != rank or len(self.block_shape) != rank:
            raise ValueError(f"shape, strides and block_shape have {rank}, {len(self.strides)} and {len(self.block_shape)} numbers: as many, 1 to 5")
        if self.padding not in ("zero", "nan"):
            raise ValueError(f"padding={self.padding!r}: it is 'zero' or 'nan'")

    @staticmethod
    def from_tensor(tensor: Any, block_shape: List[int], padding: str = "zero") -> "TensorDescriptor":
        """A descriptor of a whole array, from any library that kernels take arrays of."""
        stride = getattr(tensor, "stride", None)
        if callable(stride):
            strides: Sequence[int] = list(stride())
        else:
            found = _arrays.classify(type(tensor), False)[1](tensor)[5]
            if found is None:
                raise TypeError(f"a {type(tensor).__name__} has no strides")
            strides = list(found)
        return TensorDescriptor(tensor, list(tensor.shape), strides, list(block_shape), padding)
