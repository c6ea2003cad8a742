# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocators of scratch memory. tilec's kernels need none, so an allocator is kept and never called."""

from __future__ import annotations

from typing import Any, Optional


class NullAllocator:
    """The allocator that a program has not replaced."""

    def __call__(self, size: int, alignment: int, stream: Optional[int]) -> Any:
        raise RuntimeError("there is no allocator: call triton.set_allocator")


_allocator: Any = NullAllocator()


def set_allocator(allocator: Any) -> None:
    """Accepts an allocator of scratch memory. tilec never calls it: kernels that make tensor descriptors need no such memory.

    Args:
        allocator: accepted and ignored; kernels need no scratch memory. Triton calls it as `allocator(size, alignment, stream)`.

    Example::

        import tilec.triton
        import triton

        triton.set_allocator(lambda size, alignment, stream: np.empty(size, np.int8))
    """
    global _allocator
    _allocator = allocator
