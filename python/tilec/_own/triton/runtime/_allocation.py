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
    """Accepts an allocator.

    Args:
        allocator: called as `allocator(size, alignment, stream)` by Triton's launches.
    """
    global _allocator
    _allocator = allocator
