# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by scripts/python-language from frontend/builtins/builtins.def and frontend/builtins/reference.
"""Classes whose objects only kernels have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

from ._core import PropagateNan, _kernels_own, _outside, builtin, dtype

if TYPE_CHECKING:
    from ._types import Bool, DType, Function, Int, Shape, Str, Value

__all__ = [
    "range",
    "static_range",
    "tensor",
    "tensor_descriptor",
]


class range(_kernels_own):
    """The numbers of a `for` loop, as Python's `range` has them, with options for the compiler.

    Args:
        arg1: the first number; with one argument it is the end, and the first number is 0.
        arg2: the loop stops before it.
        step: the distance between two numbers; None is 1.
        num_stages: how many iterations of loads to shared memory are in flight, such as the operands of `tl.dot`.
            1 prefetches nothing. None takes the kernel's: `--num-stages`, or `num_stages` of a launch. Without
            these it is 3.
        loop_unroll_factor: the most copies of the body, for loops that load: loads of several iterations are then
            in flight. 1: one copy. None leaves the number to the compiler. A long body gets fewer copies. A body
            that stores, or has a `tl.dot`, stays single. Values do not change.
        disallow_acc_multi_buffer: Triton then keeps one buffer for a dot's accumulator. No effect here:
            accumulators are in registers.
        flatten: Triton then joins this loop with the one in it, for its pipeline. No effect here.
        warp_specialize: asks for producer and consumer warps. False leaves it to the compiler.
        disable_licm: Triton then moves no code out of the loop. No effect here.

    Errors: an error outside the head of a `for` loop.

    Example::

        for j in tl.range(0, n, BLOCK, num_stages=2):
            tl.store(out + j + i, tl.load(x + j + i, mask=j + i < n), mask=j + i < n)
    """

    def __init__(self, arg1: Value, arg2: Value = None, step: Value = None, num_stages: Int | None = None, loop_unroll_factor: Int | None = None, disallow_acc_multi_buffer: Bool = False, flatten: Bool = False, warp_specialize: Bool = False, disable_licm: Bool = False) -> None:
        super().__init__()

    def __iter__(self) -> Iterator[Any]:
        raise _outside(type(self).__name__)


class static_range(_kernels_own):
    """The numbers of a `for` loop that is unrolled when the kernel is compiled. The counter is a constexpr.

    Args:
        arg1: the first number; with one argument it is the end.
        arg2: the loop stops before it.
        step: the distance between two numbers; None is 1.

    Errors: an error if a bound is known at run time only, or outside the head of a `for` loop.

    Example::

        for j in tl.static_range(4):
            tl.store(out + j * 128 + i, v)
    """

    def __init__(self, arg1: Int, arg2: Int | None = None, step: Int | None = None) -> None:
        super().__init__()

    def __iter__(self) -> Iterator[Any]:
        raise _outside(type(self).__name__)


class tensor(_kernels_own):
    """A tile or a run-time scalar of a kernel, for annotations and `isinstance`. A kernel alone has objects of it.

    dtype: the element type. type: the type with its shape. shape: the sizes, constexprs.
    numel: the number of elements. T: the last two dimensions swapped.
    """

    dtype: Any
    type: Any
    shape: Any
    numel: Any
    T: tensor

    if TYPE_CHECKING:

        def __add__(self, other: Any) -> tensor: ...
        def __radd__(self, other: Any) -> tensor: ...
        def __sub__(self, other: Any) -> tensor: ...
        def __rsub__(self, other: Any) -> tensor: ...
        def __mul__(self, other: Any) -> tensor: ...
        def __rmul__(self, other: Any) -> tensor: ...
        def __truediv__(self, other: Any) -> tensor: ...
        def __rtruediv__(self, other: Any) -> tensor: ...
        def __floordiv__(self, other: Any) -> tensor: ...
        def __rfloordiv__(self, other: Any) -> tensor: ...
        def __mod__(self, other: Any) -> tensor: ...
        def __rmod__(self, other: Any) -> tensor: ...
        def __and__(self, other: Any) -> tensor: ...
        def __rand__(self, other: Any) -> tensor: ...
        def __or__(self, other: Any) -> tensor: ...
        def __ror__(self, other: Any) -> tensor: ...
        def __xor__(self, other: Any) -> tensor: ...
        def __rxor__(self, other: Any) -> tensor: ...
        def __lshift__(self, other: Any) -> tensor: ...
        def __rlshift__(self, other: Any) -> tensor: ...
        def __rshift__(self, other: Any) -> tensor: ...
        def __rrshift__(self, other: Any) -> tensor: ...
        def __lt__(self, other: Any) -> tensor: ...
        def __le__(self, other: Any) -> tensor: ...
        def __gt__(self, other: Any) -> tensor: ...
        def __ge__(self, other: Any) -> tensor: ...
        def __eq__(self, other: object) -> tensor: ...  # type: ignore[override]
        def __ne__(self, other: object) -> tensor: ...  # type: ignore[override]
        def __neg__(self) -> tensor: ...
        def __pos__(self) -> tensor: ...
        def __invert__(self) -> tensor: ...
        def __abs__(self) -> tensor: ...
        def __pow__(self, other: Any) -> tensor: ...
        def __getitem__(self, index: Any) -> tensor: ...
        def __index__(self) -> int: ...
        def __float__(self) -> float: ...

    @builtin
    def abs(self) -> tensor:
        """Returns the absolute value. The type stays the same. The absolute value of the smallest integer is itself.

        Errors: an error if the argument is a pointer.

        Triton: Python's `abs` is this function too in tilec.

        Example::

            tl.store(out + i, tl.abs(v))

        Values (lists are tiles)::

            tl.abs([-2, 3])     is [2, 3]
            tl.abs([-0.5, nan]) is [0.5, nan]
        """
        raise NotImplementedError

    @builtin
    def advance(self, offsets: Shape) -> tensor:
        """Returns a block pointer moved by some elements along each dimension. The original does not change.

        Args:
            offsets: how far to move, one integer for each dimension.

        Errors: an error if `base` is not a block pointer, or if the number of offsets differs.

        Example::

            block = tl.make_block_ptr(x, (n,), (1,), (0,), (128,), (0,))
            block = tl.advance(block, (128,))
            tl.store(out + i, tl.load(block, boundary_check=(0,)))

        Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

            tl.load(tl.advance(tl.make_block_ptr(x, (8,), (1,), (0,), (4,)), (2,))) is [20.0, 30.0, 40.0, 50.0]
        """
        raise NotImplementedError

    @builtin
    def argmax(self, axis: Int, tie_break_left: Bool = True, keep_dims: Bool = False) -> tensor:
        """Returns the i32 index of the largest or smallest element along an axis. The index is unspecified if a NaN is
        among the elements. Replace it first: `tl.where(x == x, x, -float("inf"))` for `argmax`.

        Args:
            axis: the dimension.
            tie_break_left: of equal elements, True returns the first index, and False the last.
            keep_dims: True keeps the dimension with size 1.

        Errors: an error if the input is not a tile, or if the axis is out of range.

        Triton: with `tie_break_left=False` it returns any of the equal elements' indices.

        Example::

            tl.store(p, tl.argmax(v, axis=0) - tl.argmin(v, axis=0))

        Values (lists are tiles)::

            tl.argmax([3, 9, 9], axis=0)                       is 1
            tl.argmin([[3, 9], [5, 4]], axis=1)                is [0, 1]
            tl.argmax([3, 9, 9], axis=0, tie_break_left=False) is 2
        """
        raise NotImplementedError

    @builtin
    def argmin(self, axis: Int, tie_break_left: Bool = True, keep_dims: Bool = False) -> tensor:
        """Returns the i32 index of the largest or smallest element along an axis. The index is unspecified if a NaN is
        among the elements. Replace it first: `tl.where(x == x, x, -float("inf"))` for `argmax`.

        Args:
            axis: the dimension.
            tie_break_left: of equal elements, True returns the first index, and False the last.
            keep_dims: True keeps the dimension with size 1.

        Errors: an error if the input is not a tile, or if the axis is out of range.

        Triton: with `tie_break_left=False` it returns any of the equal elements' indices.

        Example::

            tl.store(p, tl.argmax(v, axis=0) - tl.argmin(v, axis=0))

        Values (lists are tiles)::

            tl.argmax([3, 9, 9], axis=0)                       is 1
            tl.argmin([[3, 9], [5, 4]], axis=1)                is [0, 1]
            tl.argmax([3, 9, 9], axis=0, tie_break_left=False) is 2
        """
        raise NotImplementedError

    @builtin
    def associative_scan(self, axis: Int, combine_fn: Function, reverse: Bool = False) -> Any:
        """Returns all partial results along an axis: element j combines the elements 0 to j. The shape stays the same.

        Args:
            axis: the dimension.
            combine_fn: a jit function of two values, or of two groups of values.
            reverse: True begins with the last element.

        Errors: an error if `combine_fn` is not a function, or if it returns another number or type of values.

        Example::

            @triton.jit
            def larger(a, b):
                return tl.maximum(a, b)

            @triton.jit
            def kernel(x, out):
                i = tl.arange(0, 128)
                tl.store(out + i, tl.associative_scan(tl.load(x + i), 0, larger))

        Values (lists are tiles)::

            tl.associative_scan([3, 1, 4, 1, 5], 0, larger) is [3, 3, 4, 4, 5]
            tl.associative_scan([3, 1, 4, 1, 5], 0, larger, reverse=True) is [5, 5, 5, 5, 5]
        """
        raise NotImplementedError

    @builtin
    def atomic_add(self, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
        """Combines each element in memory with `val` in one step and returns the values from before. If several elements
        have one address, each of them takes part. `max` and `min` of floats order a NaN by its bits.

            function       memory becomes                     elements
            `atomic_add`   `old + val`                        32 or 64 bits, fp16, bf16
            `atomic_max`   `max(old, val)`                    32 or 64 bits
            `atomic_min`   `min(old, val)`                    32 or 64 bits
            `atomic_and`   `old & val`, of floats their bits  32 or 64 bits
            `atomic_or`    the bits of both, of floats too    32 or 64 bits
            `atomic_xor`   `old ^ val`, of floats their bits  32 or 64 bits
            `atomic_xchg`  `val`                              32 or 64 bits

        Args:
            val: the operand; it is converted to the pointed-to type.
            mask: elements that take part, as i1. The old values of others are undefined.
            sem: the memory order. `"release"`: others that acquire see all earlier writes of this program.
                `"acquire"`: this program then sees what was released. `"acq_rel"` (default) is both. `"relaxed"` is
                neither, and the fastest: use it for counters. Call `tl.debug_barrier` before a release only if the
                pointer is a tile. Each element of a tile releases the writes of one thread only. Before a scalar
                atomic that releases, tilec puts a barrier itself.
            scope: which threads see the order: those of the program (`"cta"`), of the GPU (`"gpu"`, default), or of
                the GPU, other GPUs and the host (`"sys"`).

        Errors: an error if the function does not take the element type, if the mask is not i1, or if `pointer` is
            `tl.const`.

        Triton: before 3.9 it puts no barrier before a scalar atomic that releases. Call `tl.debug_barrier` for those
            versions. From 3.9 on it has one before an atomic of a tile too, and tilec has none.

        Example::

            old = tl.atomic_add(out + i, v, mask=i < n, sem="relaxed")
            tl.atomic_max(out + i, old)
            tl.atomic_min(p + i, k)
            tl.atomic_and(p + i, k)
            tl.atomic_or(p + i, k)
            tl.atomic_xor(p + i, k)
            tl.atomic_xchg(p, 1, sem="release")

        Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

            tl.atomic_add(x + [1, 2], 5.0)  is [10.0, 20.0]
            tl.atomic_max(x + [1, 2], 15.0) is [10.0, 20.0]
        """
        raise NotImplementedError

    @builtin
    def atomic_and(self, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
        """Combines each element in memory with `val` in one step and returns the values from before. If several elements
        have one address, each of them takes part. `max` and `min` of floats order a NaN by its bits.

            function       memory becomes                     elements
            `atomic_add`   `old + val`                        32 or 64 bits, fp16, bf16
            `atomic_max`   `max(old, val)`                    32 or 64 bits
            `atomic_min`   `min(old, val)`                    32 or 64 bits
            `atomic_and`   `old & val`, of floats their bits  32 or 64 bits
            `atomic_or`    the bits of both, of floats too    32 or 64 bits
            `atomic_xor`   `old ^ val`, of floats their bits  32 or 64 bits
            `atomic_xchg`  `val`                              32 or 64 bits

        Args:
            val: the operand; it is converted to the pointed-to type.
            mask: elements that take part, as i1. The old values of others are undefined.
            sem: the memory order. `"release"`: others that acquire see all earlier writes of this program.
                `"acquire"`: this program then sees what was released. `"acq_rel"` (default) is both. `"relaxed"` is
                neither, and the fastest: use it for counters. Call `tl.debug_barrier` before a release only if the
                pointer is a tile. Each element of a tile releases the writes of one thread only. Before a scalar
                atomic that releases, tilec puts a barrier itself.
            scope: which threads see the order: those of the program (`"cta"`), of the GPU (`"gpu"`, default), or of
                the GPU, other GPUs and the host (`"sys"`).

        Errors: an error if the function does not take the element type, if the mask is not i1, or if `pointer` is
            `tl.const`.

        Triton: before 3.9 it puts no barrier before a scalar atomic that releases. Call `tl.debug_barrier` for those
            versions. From 3.9 on it has one before an atomic of a tile too, and tilec has none.

        Example::

            old = tl.atomic_add(out + i, v, mask=i < n, sem="relaxed")
            tl.atomic_max(out + i, old)
            tl.atomic_min(p + i, k)
            tl.atomic_and(p + i, k)
            tl.atomic_or(p + i, k)
            tl.atomic_xor(p + i, k)
            tl.atomic_xchg(p, 1, sem="release")

        Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

            tl.atomic_add(x + [1, 2], 5.0)  is [10.0, 20.0]
            tl.atomic_max(x + [1, 2], 15.0) is [10.0, 20.0]
        """
        raise NotImplementedError

    @builtin
    def atomic_cas(self, cmp: Value, val: Value, sem: Str | None = None, scope: Str | None = None) -> tensor:
        """Compares memory with `cmp` and, if both are equal, replaces it by `val`. Returns the old value. Locks are made
        of it.

        Args:
            cmp: the expected value.
            val: the new value.
            sem: the memory order, as for `atomic_add`.
            scope: which threads see the order, as for `atomic_add`.

        Errors: an error if the elements have another size.

        Triton: operands must have the memory's type. tilec converts them. In 3.6 to 3.8 the release of a lock needs
            the `tl.debug_barrier` of the example. tilec and Triton 3.9 do not need it.

        Example::

            while tl.atomic_cas(p, 0, 1) == 1:
                pass
            tl.store(out + i, v)
            tl.debug_barrier()
            tl.atomic_xchg(p, 0)

        Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

            tl.atomic_cas(x + 1, 10.0, 99.0) is 10.0
        """
        raise NotImplementedError

    @builtin
    def atomic_load(self, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
        """Reads memory in one step. With `"acquire"` the thread sees what was written before the store that it reads
        from.

        Args:
            mask: elements that are read, as i1. The values of others are undefined.
            sem: the memory order: `"acquire"` (default) or `"relaxed"`.
            scope: which threads see the order: `"gpu"` (default), `"cta"` or `"sys"`.

        Errors: an error if `sem` is another order, or if pointers are stored at the pointer.

        Example::

            seen = tl.atomic_load(p + i, mask=i < n)
            tl.store(out + i, seen)

        Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

            tl.atomic_load(x + [1, 2]) is [10.0, 20.0]
        """
        raise NotImplementedError

    @builtin
    def atomic_max(self, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
        """Combines each element in memory with `val` in one step and returns the values from before. If several elements
        have one address, each of them takes part. `max` and `min` of floats order a NaN by its bits.

            function       memory becomes                     elements
            `atomic_add`   `old + val`                        32 or 64 bits, fp16, bf16
            `atomic_max`   `max(old, val)`                    32 or 64 bits
            `atomic_min`   `min(old, val)`                    32 or 64 bits
            `atomic_and`   `old & val`, of floats their bits  32 or 64 bits
            `atomic_or`    the bits of both, of floats too    32 or 64 bits
            `atomic_xor`   `old ^ val`, of floats their bits  32 or 64 bits
            `atomic_xchg`  `val`                              32 or 64 bits

        Args:
            val: the operand; it is converted to the pointed-to type.
            mask: elements that take part, as i1. The old values of others are undefined.
            sem: the memory order. `"release"`: others that acquire see all earlier writes of this program.
                `"acquire"`: this program then sees what was released. `"acq_rel"` (default) is both. `"relaxed"` is
                neither, and the fastest: use it for counters. Call `tl.debug_barrier` before a release only if the
                pointer is a tile. Each element of a tile releases the writes of one thread only. Before a scalar
                atomic that releases, tilec puts a barrier itself.
            scope: which threads see the order: those of the program (`"cta"`), of the GPU (`"gpu"`, default), or of
                the GPU, other GPUs and the host (`"sys"`).

        Errors: an error if the function does not take the element type, if the mask is not i1, or if `pointer` is
            `tl.const`.

        Triton: before 3.9 it puts no barrier before a scalar atomic that releases. Call `tl.debug_barrier` for those
            versions. From 3.9 on it has one before an atomic of a tile too, and tilec has none.

        Example::

            old = tl.atomic_add(out + i, v, mask=i < n, sem="relaxed")
            tl.atomic_max(out + i, old)
            tl.atomic_min(p + i, k)
            tl.atomic_and(p + i, k)
            tl.atomic_or(p + i, k)
            tl.atomic_xor(p + i, k)
            tl.atomic_xchg(p, 1, sem="release")

        Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

            tl.atomic_add(x + [1, 2], 5.0)  is [10.0, 20.0]
            tl.atomic_max(x + [1, 2], 15.0) is [10.0, 20.0]
        """
        raise NotImplementedError

    @builtin
    def atomic_min(self, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
        """Combines each element in memory with `val` in one step and returns the values from before. If several elements
        have one address, each of them takes part. `max` and `min` of floats order a NaN by its bits.

            function       memory becomes                     elements
            `atomic_add`   `old + val`                        32 or 64 bits, fp16, bf16
            `atomic_max`   `max(old, val)`                    32 or 64 bits
            `atomic_min`   `min(old, val)`                    32 or 64 bits
            `atomic_and`   `old & val`, of floats their bits  32 or 64 bits
            `atomic_or`    the bits of both, of floats too    32 or 64 bits
            `atomic_xor`   `old ^ val`, of floats their bits  32 or 64 bits
            `atomic_xchg`  `val`                              32 or 64 bits

        Args:
            val: the operand; it is converted to the pointed-to type.
            mask: elements that take part, as i1. The old values of others are undefined.
            sem: the memory order. `"release"`: others that acquire see all earlier writes of this program.
                `"acquire"`: this program then sees what was released. `"acq_rel"` (default) is both. `"relaxed"` is
                neither, and the fastest: use it for counters. Call `tl.debug_barrier` before a release only if the
                pointer is a tile. Each element of a tile releases the writes of one thread only. Before a scalar
                atomic that releases, tilec puts a barrier itself.
            scope: which threads see the order: those of the program (`"cta"`), of the GPU (`"gpu"`, default), or of
                the GPU, other GPUs and the host (`"sys"`).

        Errors: an error if the function does not take the element type, if the mask is not i1, or if `pointer` is
            `tl.const`.

        Triton: before 3.9 it puts no barrier before a scalar atomic that releases. Call `tl.debug_barrier` for those
            versions. From 3.9 on it has one before an atomic of a tile too, and tilec has none.

        Example::

            old = tl.atomic_add(out + i, v, mask=i < n, sem="relaxed")
            tl.atomic_max(out + i, old)
            tl.atomic_min(p + i, k)
            tl.atomic_and(p + i, k)
            tl.atomic_or(p + i, k)
            tl.atomic_xor(p + i, k)
            tl.atomic_xchg(p, 1, sem="release")

        Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

            tl.atomic_add(x + [1, 2], 5.0)  is [10.0, 20.0]
            tl.atomic_max(x + [1, 2], 15.0) is [10.0, 20.0]
        """
        raise NotImplementedError

    @builtin
    def atomic_or(self, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
        """Combines each element in memory with `val` in one step and returns the values from before. If several elements
        have one address, each of them takes part. `max` and `min` of floats order a NaN by its bits.

            function       memory becomes                     elements
            `atomic_add`   `old + val`                        32 or 64 bits, fp16, bf16
            `atomic_max`   `max(old, val)`                    32 or 64 bits
            `atomic_min`   `min(old, val)`                    32 or 64 bits
            `atomic_and`   `old & val`, of floats their bits  32 or 64 bits
            `atomic_or`    the bits of both, of floats too    32 or 64 bits
            `atomic_xor`   `old ^ val`, of floats their bits  32 or 64 bits
            `atomic_xchg`  `val`                              32 or 64 bits

        Args:
            val: the operand; it is converted to the pointed-to type.
            mask: elements that take part, as i1. The old values of others are undefined.
            sem: the memory order. `"release"`: others that acquire see all earlier writes of this program.
                `"acquire"`: this program then sees what was released. `"acq_rel"` (default) is both. `"relaxed"` is
                neither, and the fastest: use it for counters. Call `tl.debug_barrier` before a release only if the
                pointer is a tile. Each element of a tile releases the writes of one thread only. Before a scalar
                atomic that releases, tilec puts a barrier itself.
            scope: which threads see the order: those of the program (`"cta"`), of the GPU (`"gpu"`, default), or of
                the GPU, other GPUs and the host (`"sys"`).

        Errors: an error if the function does not take the element type, if the mask is not i1, or if `pointer` is
            `tl.const`.

        Triton: before 3.9 it puts no barrier before a scalar atomic that releases. Call `tl.debug_barrier` for those
            versions. From 3.9 on it has one before an atomic of a tile too, and tilec has none.

        Example::

            old = tl.atomic_add(out + i, v, mask=i < n, sem="relaxed")
            tl.atomic_max(out + i, old)
            tl.atomic_min(p + i, k)
            tl.atomic_and(p + i, k)
            tl.atomic_or(p + i, k)
            tl.atomic_xor(p + i, k)
            tl.atomic_xchg(p, 1, sem="release")

        Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

            tl.atomic_add(x + [1, 2], 5.0)  is [10.0, 20.0]
            tl.atomic_max(x + [1, 2], 15.0) is [10.0, 20.0]
        """
        raise NotImplementedError

    @builtin
    def atomic_poll(self, expected_value: Value, sem: Str | None = None, scope: Str | None = None, timeout_ns: Any = None) -> tensor:
        """Waits until each element in memory has had `expected_value` at some time, not all at once. Returns True for
        each element that had it before the timeout. All threads wait for all elements.

        Args:
            expected_value: what ends the wait; it is converted to the pointed-to type.
            sem: the memory order, as for `atomic_load`.
            scope: which threads see the order, as for `atomic_load`.
            timeout_ns: nanoseconds after which elements that were not found are False; None waits for ever. Each
                element is read once at least.

        Errors: an error if the elements have another type, or if the timeout is a tile or negative.

        Triton: elements are polled one after another there, and each has acquired what it found.

        Example::

            ready = tl.atomic_poll(p, 1, timeout_ns=1000)
            tl.store(out + i, tl.where(ready, v, 0.0))
        """
        raise NotImplementedError

    @builtin
    def atomic_store(self, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> None:
        """Writes memory in one step. With `"release"` those that acquire the value see the program's earlier writes. A
        barrier is needed before it in the same cases as before `atomic_add`.

        Args:
            val: the values; they are converted to the pointed-to type.
            mask: elements that are written, as i1.
            sem: the memory order: `"release"` (default) or `"relaxed"`.
            scope: which threads see the order, as for `atomic_load`.

        Errors: an error if `sem` is another order, or if the memory is const.

        Example::

            tl.store(out + i, v)
            tl.atomic_store(p, 1)
        """
        raise NotImplementedError

    @builtin
    def atomic_xchg(self, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
        """Combines each element in memory with `val` in one step and returns the values from before. If several elements
        have one address, each of them takes part. `max` and `min` of floats order a NaN by its bits.

            function       memory becomes                     elements
            `atomic_add`   `old + val`                        32 or 64 bits, fp16, bf16
            `atomic_max`   `max(old, val)`                    32 or 64 bits
            `atomic_min`   `min(old, val)`                    32 or 64 bits
            `atomic_and`   `old & val`, of floats their bits  32 or 64 bits
            `atomic_or`    the bits of both, of floats too    32 or 64 bits
            `atomic_xor`   `old ^ val`, of floats their bits  32 or 64 bits
            `atomic_xchg`  `val`                              32 or 64 bits

        Args:
            val: the operand; it is converted to the pointed-to type.
            mask: elements that take part, as i1. The old values of others are undefined.
            sem: the memory order. `"release"`: others that acquire see all earlier writes of this program.
                `"acquire"`: this program then sees what was released. `"acq_rel"` (default) is both. `"relaxed"` is
                neither, and the fastest: use it for counters. Call `tl.debug_barrier` before a release only if the
                pointer is a tile. Each element of a tile releases the writes of one thread only. Before a scalar
                atomic that releases, tilec puts a barrier itself.
            scope: which threads see the order: those of the program (`"cta"`), of the GPU (`"gpu"`, default), or of
                the GPU, other GPUs and the host (`"sys"`).

        Errors: an error if the function does not take the element type, if the mask is not i1, or if `pointer` is
            `tl.const`.

        Triton: before 3.9 it puts no barrier before a scalar atomic that releases. Call `tl.debug_barrier` for those
            versions. From 3.9 on it has one before an atomic of a tile too, and tilec has none.

        Example::

            old = tl.atomic_add(out + i, v, mask=i < n, sem="relaxed")
            tl.atomic_max(out + i, old)
            tl.atomic_min(p + i, k)
            tl.atomic_and(p + i, k)
            tl.atomic_or(p + i, k)
            tl.atomic_xor(p + i, k)
            tl.atomic_xchg(p, 1, sem="release")

        Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

            tl.atomic_add(x + [1, 2], 5.0)  is [10.0, 20.0]
            tl.atomic_max(x + [1, 2], 15.0) is [10.0, 20.0]
        """
        raise NotImplementedError

    @builtin
    def atomic_xor(self, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
        """Combines each element in memory with `val` in one step and returns the values from before. If several elements
        have one address, each of them takes part. `max` and `min` of floats order a NaN by its bits.

            function       memory becomes                     elements
            `atomic_add`   `old + val`                        32 or 64 bits, fp16, bf16
            `atomic_max`   `max(old, val)`                    32 or 64 bits
            `atomic_min`   `min(old, val)`                    32 or 64 bits
            `atomic_and`   `old & val`, of floats their bits  32 or 64 bits
            `atomic_or`    the bits of both, of floats too    32 or 64 bits
            `atomic_xor`   `old ^ val`, of floats their bits  32 or 64 bits
            `atomic_xchg`  `val`                              32 or 64 bits

        Args:
            val: the operand; it is converted to the pointed-to type.
            mask: elements that take part, as i1. The old values of others are undefined.
            sem: the memory order. `"release"`: others that acquire see all earlier writes of this program.
                `"acquire"`: this program then sees what was released. `"acq_rel"` (default) is both. `"relaxed"` is
                neither, and the fastest: use it for counters. Call `tl.debug_barrier` before a release only if the
                pointer is a tile. Each element of a tile releases the writes of one thread only. Before a scalar
                atomic that releases, tilec puts a barrier itself.
            scope: which threads see the order: those of the program (`"cta"`), of the GPU (`"gpu"`, default), or of
                the GPU, other GPUs and the host (`"sys"`).

        Errors: an error if the function does not take the element type, if the mask is not i1, or if `pointer` is
            `tl.const`.

        Triton: before 3.9 it puts no barrier before a scalar atomic that releases. Call `tl.debug_barrier` for those
            versions. From 3.9 on it has one before an atomic of a tile too, and tilec has none.

        Example::

            old = tl.atomic_add(out + i, v, mask=i < n, sem="relaxed")
            tl.atomic_max(out + i, old)
            tl.atomic_min(p + i, k)
            tl.atomic_and(p + i, k)
            tl.atomic_or(p + i, k)
            tl.atomic_xor(p + i, k)
            tl.atomic_xchg(p, 1, sem="release")

        Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

            tl.atomic_add(x + [1, 2], 5.0)  is [10.0, 20.0]
            tl.atomic_max(x + [1, 2], 15.0) is [10.0, 20.0]
        """
        raise NotImplementedError

    @builtin
    def broadcast_to(self, *shape: Any) -> tensor:
        """Repeats a tile along its dimensions of size 1, so that it has the new shape.

        Args:
            shape: the new sizes.

        Errors: an error if a size is neither 1 nor the new one.

        Example::

            rows = tl.broadcast_to(v[None, :], 4, 128)
            tl.store(out, tl.sum(rows))

        Values (lists are tiles)::

            tl.broadcast_to([[1], [2]], 2, 3)    is [[1, 1, 1], [2, 2, 2]]
            tl.broadcast_to([[1, 2, 3]], (2, 3)) is [[1, 2, 3], [1, 2, 3]]
            tl.broadcast_to(7, (3,))             is [7, 7, 7]
        """
        raise NotImplementedError

    @builtin
    def cast(self, dtype: DType, fp_downcast_rounding: Str | None = None, bitcast: Bool = False) -> tensor:
        """Converts to another element type. The shape stays the same. Narrower floats are rounded to nearest even.
        Floats become integers by truncation, and saturate at the type's limits. NaN gives any value. To integers of 8
        bits they saturate at 16 bits, and the low byte is kept: 300.7 is 44. So clamp first. To fp8, floats saturate:
        1e6 and infinity become 448 as fp8e4nv, or 57344 as fp8e5. NaN stays.

        Args:
            dtype: the new element type.
            fp_downcast_rounding: `"rtne"` (nearest even) or `"rtz"` (toward zero), for floats that become narrower.
            bitcast: True keeps the bits and changes the type; both types have one size.

        Errors: an error if `fp_downcast_rounding` is given for another conversion, or if a bitcast changes the size.

        Triton: integers and fp8 do not convert to each other there.

        Example::

            half = v.to(tl.float16)
            bits = v.to(tl.int32, bitcast=True)
            tl.store(p + i, tl.cast(half, tl.int32) + bits)

        Values (lists are tiles)::

            tl.cast([2.7, -2.7, 1e10], tl.int32) is [2, -2, 2147483647]
            tl.cast([300.7, 40000.0], tl.int8)   is [44, -1]
            [300, -1].to(tl.int8)                is [44, -1]
            [300, -1].to(tl.uint8)               is [44, 255]
            [2049.0, 0.1].to(tl.float16)         is [2048.0, 0.0999755859375]
            [0.1].to(tl.bfloat16)                is about [0.10010]
            [1e6, 0.3].to(tl.float8e4nv)         is [448.0, 0.3125]
            [1.0].to(tl.int32, bitcast=True)     is [1065353216]
            [1, 0, -3].to(tl.int1)               is [True, False, True]
        """
        raise NotImplementedError

    @builtin
    def cdiv(self, div: Value) -> tensor:
        """Returns the quotient of two integers, rounded up: `(x + div - 1) // div`. If both are constexprs, the result
        is one too.

        Args:
            div: the divisor.

        Errors: an error if an operand is not an integer.

        Example::

            for block in range(0, tl.cdiv(n, BLOCK)):
                tl.store(out + block * BLOCK + i, v)

        Values (lists are tiles)::

            tl.cdiv(10, 4)         is 3
            tl.cdiv([8, 9, 10], 4) is [2, 3, 3]
        """
        raise NotImplementedError

    @builtin
    def ceil(self) -> tensor:
        """Rounds down or up to a whole number. The result is a float.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: fp16 and bf16 are refused there.

        Example::

            tl.store(out + i, tl.ceil(v) - tl.floor(v))

        Values (lists are tiles)::

            tl.floor([1.5, -1.5]) is [1.0, -2.0]
            tl.ceil([1.5, -1.5])  is [2.0, -1.0]
        """
        raise NotImplementedError

    @builtin
    def cos(self) -> tensor:
        """Returns the sine or the cosine of an angle in radians.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: fp16 and bf16 are refused there.

        Example::

            tl.store(out + i, tl.sin(v) + tl.cos(w))

        Values (lists are tiles)::

            tl.sin([0.0, 1.5708]) is about [0.0, 1.000]
            tl.cos([0.0, 3.1416]) is about [1.0, -1.000]
        """
        raise NotImplementedError

    @builtin
    def cumprod(self, axis: Int = 0, reverse: Bool = False, dtype: DType | None = None) -> tensor:
        """Multiplies and keeps all partial results along an axis. The shape stays the same.

        Args:
            axis: the dimension.
            reverse: True begins with the last element.
            dtype: the type in which it multiplies. None is the input's type, and fp32 for bf16.

        Errors: an error if the input is not a tile of numbers, or if the axis is out of range.

        Example::

            tl.store(out + i, tl.cumprod(v, axis=0))

        Values (lists are tiles)::

            tl.cumprod([1, 2, 3, 4], axis=0) is [1, 2, 6, 24]
        """
        raise NotImplementedError

    @builtin
    def cumsum(self, axis: Int = 0, reverse: Bool = False, dtype: DType | None = None) -> tensor:
        """Returns running sums along an axis. The shape stays the same. Narrow integers are added in 32 bits.

        Args:
            axis: the dimension.
            reverse: True begins with the last element.
            dtype: the type of the sums. None is the input's type, fp32 for bf16, and 32 bits for narrow integers.

        Errors: an error if the input is not a tile of numbers, or if the axis is out of range.

        Example::

            tl.store(out + i, tl.cumsum(v, axis=0))

        Values (lists are tiles)::

            tl.cumsum([1, 2, 3, 4], axis=0)               is [1, 3, 6, 10]
            tl.cumsum([1, 2, 3, 4], axis=0, reverse=True) is [10, 9, 7, 4]
            tl.cumsum([[1, 2], [3, 4]], axis=1)           is [[1, 3], [3, 7]]
        """
        raise NotImplementedError

    @builtin
    def erf(self) -> tensor:
        """Returns the error function.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: fp16 and bf16 are refused there.

        Example::

            tl.store(out + i, 0.5 * v * (1.0 + tl.erf(v * 0.70710678)))

        Values (lists are tiles)::

            tl.erf([0.0, 1.0, -9.0]) is about [0.0, 0.8427, -1.0]
        """
        raise NotImplementedError

    @builtin
    def exp(self) -> tensor:
        """Returns e to the power x, or 2 to the power x. `exp` of fp32 uses the approximate instruction. `libdevice.exp`
        is more accurate.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: fp16 and bf16 are refused there.

        Example::

            tl.store(out + i, tl.exp(v) + tl.exp2(w))

        Values (lists are tiles)::

            tl.exp([0.0, 1.0, -inf])  is about [1.0000, 2.7183, 0.0]
            tl.exp2([0.0, 3.0, -1.0]) is [1.0, 8.0, 0.5]
        """
        raise NotImplementedError

    @builtin
    def exp2(self) -> tensor:
        """Returns e to the power x, or 2 to the power x. `exp` of fp32 uses the approximate instruction. `libdevice.exp`
        is more accurate.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: fp16 and bf16 are refused there.

        Example::

            tl.store(out + i, tl.exp(v) + tl.exp2(w))

        Values (lists are tiles)::

            tl.exp([0.0, 1.0, -inf])  is about [1.0000, 2.7183, 0.0]
            tl.exp2([0.0, 3.0, -1.0]) is [1.0, 8.0, 0.5]
        """
        raise NotImplementedError

    @builtin
    def expand_dims(self, axis: Any) -> tensor:
        """Inserts dimensions of size 1. `x[:, None]` does the same.

        Args:
            axis: the place of the new dimension in the result, or a tuple of places.

        Errors: an error if an axis is out of range or given twice.

        Example::

            column = tl.expand_dims(v, 1)
            tl.store(out + tl.expand_dims(i, 1), column)

        Values (lists are tiles)::

            tl.expand_dims([1, 2, 3], 0) is [[1, 2, 3]]
            tl.expand_dims([1, 2, 3], 1) is [[1], [2], [3]]
            [1, 2, 3][:, None]           is [[1], [2], [3]]
        """
        raise NotImplementedError

    @builtin
    def flip(self, dim: Int | None = None) -> tensor:
        """Reverses the elements along a dimension.

        Args:
            dim: the dimension; None is the last one.

        Errors: an error if the dimension is out of range.

        Triton: a dimension is required there.

        Example::

            tl.store(out + i, tl.flip(v, 0))

        Values (lists are tiles)::

            tl.flip([1, 2, 3, 4])        is [4, 3, 2, 1]
            tl.flip([[1, 2], [3, 4]], 0) is [[3, 4], [1, 2]]
        """
        raise NotImplementedError

    @builtin
    def floor(self) -> tensor:
        """Rounds down or up to a whole number. The result is a float.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: fp16 and bf16 are refused there.

        Example::

            tl.store(out + i, tl.ceil(v) - tl.floor(v))

        Values (lists are tiles)::

            tl.floor([1.5, -1.5]) is [1.0, -2.0]
            tl.ceil([1.5, -1.5])  is [2.0, -1.0]
        """
        raise NotImplementedError

    @builtin
    def gather(self, index: Value, axis: Int) -> tensor:
        """Returns elements of a tile by index along an axis. The result has the shape of the indices. An index out of
        range gives an undefined element, which `tilec check` reports (T1301). Negative indices do not count from the
        end.

        Args:
            index: a tile of integers, of the source's shape but for the axis.
            axis: the dimension that the indices select in.

        Errors: an error if the indices are not integers, or if another dimension differs.

        Example::

            tl.store(out + i, tl.gather(v, 127 - i, axis=0))

        Values (lists are tiles)::

            tl.gather([10, 20, 30, 40], [3, 0, 0, 1], axis=0)         is [40, 10, 10, 20]
            tl.gather([[10, 20], [30, 40]], [[1, 0], [0, 0]], axis=1) is [[20, 10], [30, 30]]
        """
        raise NotImplementedError

    @builtin
    def histogram(self, num_bins: Int, mask: Value = None) -> tensor:
        """Counts how often each integer from 0 to `num_bins - 1` occurs. The result is an i32 tile of `num_bins`
        elements.

        Args:
            num_bins: the number of bins, known at compile time.
            mask: elements that are counted, as i1. None counts all.

        Errors: an error if the input is not a one-dimensional tile of integers, or if the mask is not i1.

        Triton: a number outside the bins is counted in the bin of its low bits. tilec does not count it.

        Example::

            tl.store(p + tl.arange(0, 16), tl.histogram(k, 16, mask=i < n))

        Values (lists are tiles)::

            tl.histogram([0, 1, 1, 3], 4) is [1, 2, 0, 1]
            tl.histogram([0, 1, 1, 9], 4) is [1, 2, 0, 0]
            tl.histogram([0, 1, 1, 3], 4, mask=[True, True, False, True]) is [1, 1, 0, 1]
        """
        raise NotImplementedError

    @builtin
    def item(self) -> tensor:
        """Returns the only element of a tile as a scalar.

        Errors: an error if the tile has more elements.

        Example::

            one = tl.load(x + tl.arange(0, 1))
            tl.store(out, tl.item(one))

        Values (lists are tiles)::

            tl.item([[7]]) is 7
        """
        raise NotImplementedError

    @builtin
    def log(self) -> tensor:
        """Returns the logarithm to base e or 2. It is NaN for negative numbers and -infinity for 0.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: fp16 and bf16 are refused there.

        Example::

            tl.store(out + i, tl.log(v) + tl.log2(w))

        Values (lists are tiles)::

            tl.log([1.0, 10.0])       is about [0.0, 2.3026]
            tl.log2([8.0, 0.0, -1.0]) is [3.0, -inf, nan]
        """
        raise NotImplementedError

    @builtin
    def log2(self) -> tensor:
        """Returns the logarithm to base e or 2. It is NaN for negative numbers and -infinity for 0.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: fp16 and bf16 are refused there.

        Example::

            tl.store(out + i, tl.log(v) + tl.log2(w))

        Values (lists are tiles)::

            tl.log([1.0, 10.0])       is about [0.0, 2.3026]
            tl.log2([8.0, 0.0, -1.0]) is [3.0, -inf, nan]
        """
        raise NotImplementedError

    @builtin
    def logical_and(self, other: Value) -> tensor:
        """Combines truth values element by element. Every number but 0 is true. The result is i1.

        Args:
            other: a tile or a scalar; shapes broadcast.

        Errors: an error if shapes do not broadcast.

        Triton: operands must be i1. tilec takes every type of number.

        Example::

            both = (v > 0).logical_and(w > 0)
            either = (v > 0).logical_or(w > 0)
            tl.store(out + i, v, mask=both.logical_not().logical_and(either))

        Values (lists are tiles)::

            [1, 0, 2].logical_and([1, 1, 0]) is [True, False, False]
            [1, 0, 2].logical_or([0, 0, 0])  is [True, False, True]
            [1, 0, 2].logical_not()          is [False, True, False]
        """
        raise NotImplementedError

    @builtin
    def logical_not(self) -> tensor:
        """Combines truth values element by element. Every number but 0 is true. The result is i1.

        Args:
            other: a tile or a scalar; shapes broadcast.

        Errors: an error if shapes do not broadcast.

        Triton: operands must be i1. tilec takes every type of number.

        Example::

            both = (v > 0).logical_and(w > 0)
            either = (v > 0).logical_or(w > 0)
            tl.store(out + i, v, mask=both.logical_not().logical_and(either))

        Values (lists are tiles)::

            [1, 0, 2].logical_and([1, 1, 0]) is [True, False, False]
            [1, 0, 2].logical_or([0, 0, 0])  is [True, False, True]
            [1, 0, 2].logical_not()          is [False, True, False]
        """
        raise NotImplementedError

    @builtin
    def logical_or(self, other: Value) -> tensor:
        """Combines truth values element by element. Every number but 0 is true. The result is i1.

        Args:
            other: a tile or a scalar; shapes broadcast.

        Errors: an error if shapes do not broadcast.

        Triton: operands must be i1. tilec takes every type of number.

        Example::

            both = (v > 0).logical_and(w > 0)
            either = (v > 0).logical_or(w > 0)
            tl.store(out + i, v, mask=both.logical_not().logical_and(either))

        Values (lists are tiles)::

            [1, 0, 2].logical_and([1, 1, 0]) is [True, False, False]
            [1, 0, 2].logical_or([0, 0, 0])  is [True, False, True]
            [1, 0, 2].logical_not()          is [False, True, False]
        """
        raise NotImplementedError

    @builtin
    def max(self, axis: Int | None = None, return_indices: Bool = False, return_indices_tie_break_left: Bool = True, keep_dims: Bool = False) -> Any:
        """Returns the largest or smallest element along an axis. fp8, fp16, bf16 and narrow integers give 32-bit
        results. NaN is ignored, unlike in NumPy. With `return_indices` the result is unspecified if the tile has a
        NaN. Types other than bf16 then keep their width.

        Args:
            axis: the dimension, or None for all elements.
            return_indices: True returns a tuple of the values and their i32 indices; it needs an axis.
            return_indices_tie_break_left: of equal elements, True returns the first index, and False the last.
            keep_dims: True keeps the dimension with size 1.

        Errors: an error if the input is not a tile, if the axis is out of range, or if indices have no axis. Also for
            fp8 with indices.

        Example::

            largest, where = tl.max(v, axis=0, return_indices=True)
            tl.store(out + where, largest - tl.min(v, axis=0))

        Values (lists are tiles)::

            tl.max([3.0, nan, 7.0])                        is 7.0
            tl.min([[3, 9], [5, 4]], axis=0)               is [3, 4]
            tl.max([3, 7, 7], axis=0, return_indices=True) is (7, 1)
            tl.max([3, 7, 7], 0, return_indices=True, return_indices_tie_break_left=False) is (7, 2)
        """
        raise NotImplementedError

    @builtin
    def min(self, axis: Int | None = None, return_indices: Bool = False, return_indices_tie_break_left: Bool = True, keep_dims: Bool = False) -> Any:
        """Returns the largest or smallest element along an axis. fp8, fp16, bf16 and narrow integers give 32-bit
        results. NaN is ignored, unlike in NumPy. With `return_indices` the result is unspecified if the tile has a
        NaN. Types other than bf16 then keep their width.

        Args:
            axis: the dimension, or None for all elements.
            return_indices: True returns a tuple of the values and their i32 indices; it needs an axis.
            return_indices_tie_break_left: of equal elements, True returns the first index, and False the last.
            keep_dims: True keeps the dimension with size 1.

        Errors: an error if the input is not a tile, if the axis is out of range, or if indices have no axis. Also for
            fp8 with indices.

        Example::

            largest, where = tl.max(v, axis=0, return_indices=True)
            tl.store(out + where, largest - tl.min(v, axis=0))

        Values (lists are tiles)::

            tl.max([3.0, nan, 7.0])                        is 7.0
            tl.min([[3, 9], [5, 4]], axis=0)               is [3, 4]
            tl.max([3, 7, 7], axis=0, return_indices=True) is (7, 1)
            tl.max([3, 7, 7], 0, return_indices=True, return_indices_tie_break_left=False) is (7, 2)
        """
        raise NotImplementedError

    @builtin
    def permute(self, *dims: Any) -> tensor:
        """Reorders the dimensions. `trans` without dimensions swaps the last two; `permute` needs all of them.

        Args:
            dims: the old dimension at each place of the result.

        Errors: an error if a dimension is missing, given twice or out of range.

        Example::

            t = tl.reshape(v, 8, 16)
            u = tl.trans(t) + tl.permute(t, (1, 0))
            tl.store(out + i, tl.reshape(u, 128))

        Values (lists are tiles)::

            tl.trans([[1, 2, 3], [4, 5, 6]])           is [[1, 4], [2, 5], [3, 6]]
            tl.permute([[1, 2, 3], [4, 5, 6]], (1, 0)) is [[1, 4], [2, 5], [3, 6]]
        """
        raise NotImplementedError

    @builtin
    def ravel(self, can_reorder: Bool = False) -> tensor:
        """Returns the elements as a one-dimensional tile, in row-major order.

        Args:
            can_reorder: True allows any order; tilec keeps the order.

        Errors: an error if the argument is not a tile.

        Example::

            tl.store(out + i, tl.ravel(tl.reshape(v, 8, 16)))

        Values (lists are tiles)::

            tl.ravel([[1, 2], [3, 4]]) is [1, 2, 3, 4]
        """
        raise NotImplementedError

    @builtin
    def reduce(self, axis: Int, combine_fn: Function, keep_dims: Bool = False) -> Any:
        """Combines the elements along an axis with a function of the program. The function must be associative. It takes
        and returns scalars, one for each tile in `input`.

        Args:
            axis: the dimension, or None for all elements.
            combine_fn: a jit function of two values, or of two groups of values.
            keep_dims: True keeps the dimension with size 1.

        Errors: an error if `combine_fn` is not a function, if it returns another number or type of values, or if it
            stores.

        Example::

            @triton.jit
            def product(a, b):
                return a * b

            @triton.jit
            def kernel(x, out):
                v = tl.load(x + tl.arange(0, 128))
                tl.store(out, tl.reduce(v, 0, product))

        Values (lists are tiles)::

            tl.reduce([1.0, 2.0, 3.0, 4.0], 0, product) is 24.0
            tl.reduce([[1, 2], [3, 4]], 1, product)     is [2, 12]
        """
        raise NotImplementedError

    @builtin
    def reduce_or(self, axis: Int | None = None, keep_dims: Bool = False) -> tensor:
        """Combines integers along an axis by exclusive or, or by or.

        Args:
            axis: the dimension, or None for all elements.
            keep_dims: True keeps the dimension with size 1.

        Errors: an error if the elements are not integers, or if the axis is out of range.

        Example::

            tl.store(p, tl.xor_sum(k, axis=0) | tl.reduce_or(k, axis=0))

        Values (lists are tiles)::

            tl.xor_sum([1, 2, 7])   is 4
            tl.reduce_or([1, 2, 4]) is 7
        """
        raise NotImplementedError

    @builtin
    def reshape(self, *shape: Any, can_reorder: Bool = False) -> tensor:
        """Returns the same elements, in row-major order, with another shape.

        Args:
            shape: the new sizes; the number of elements stays the same.
            can_reorder: True allows any order of the elements; tilec keeps the order.

        Errors: an error if the number of elements differs.

        Triton: `view` may reorder elements there.

        Example::

            t = tl.reshape(v, (8, 16))
            tl.store(out + i, tl.view(t, 128))

        Values (lists are tiles)::

            tl.reshape([1, 2, 3, 4, 5, 6], 2, 3) is [[1, 2, 3], [4, 5, 6]]
            tl.view([[1, 2], [3, 4]], (4,))      is [1, 2, 3, 4]
        """
        raise NotImplementedError

    @builtin
    def rsqrt(self) -> tensor:
        """Returns the square root, or one divided by it. Both use approximate instructions for fp32.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: fp16 and bf16 are refused there.

        Example::

            tl.store(out + i, tl.sqrt(v) + tl.rsqrt(w))

        Values (lists are tiles)::

            tl.sqrt([9.0, 2.0, -1.0]) is about [3.0, 1.4142, nan]
            tl.rsqrt([4.0, 0.0])      is [0.5, inf]
        """
        raise NotImplementedError

    @builtin
    def sigmoid(self) -> tensor:
        """Returns `1 / (1 + exp(-x))`.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Example::

            tl.store(out + i, v * tl.sigmoid(v))

        Values (lists are tiles)::

            tl.sigmoid([0.0, 2.0, -2.0]) is about [0.5, 0.8808, 0.1192]
        """
        raise NotImplementedError

    @builtin
    def sin(self) -> tensor:
        """Returns the sine or the cosine of an angle in radians.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: fp16 and bf16 are refused there.

        Example::

            tl.store(out + i, tl.sin(v) + tl.cos(w))

        Values (lists are tiles)::

            tl.sin([0.0, 1.5708]) is about [0.0, 1.000]
            tl.cos([0.0, 3.1416]) is about [1.0, -1.000]
        """
        raise NotImplementedError

    @builtin
    def softmax(self, dim: Int | None = None, keep_dims: Bool = False, ieee_rounding: Bool = False) -> tensor:
        """Returns `exp(x - max(x)) / sum(exp(x - max(x)))` along one dimension. The shape stays the same.

        Args:
            dim: the dimension; None is the first one.
            keep_dims: accepted for Triton's sake; the shape always stays the same.
            ieee_rounding: True divides with correct rounding.

        Errors: an error if the argument is not a tile of floats, or if the dimension is out of range.

        Example::

            tl.store(out + i, tl.softmax(v, dim=0))

        Values (lists are tiles)::

            tl.softmax([1.0, 2.0, 3.0])                 is about [0.0900, 0.2447, 0.6652]
            tl.softmax([[1.0, 1.0], [0.0, 9.0]], dim=1) is about [[0.5, 0.5], [0.0001, 0.9999]]
        """
        raise NotImplementedError

    @builtin
    def sort(self, dim: Int | None = None, descending: Bool = False) -> tensor:
        """Sorts along a dimension, NaNs last. `bitonic_merge` sorts a bitonic sequence: one that rises and then falls.

        Args:
            dim: the dimension; None is the last one.
            descending: True puts the largest first.

        Errors: an error if the dimension is out of range. `bitonic_merge` needs a power of two of elements.

        Triton: only the last dimension is sorted there, and NaNs lose or repeat other numbers.

        Example::

            tl.store(out + i, tl.sort(v, descending=True))
            tl.store(out + i, tl.bitonic_merge(v))

        Values (lists are tiles)::

            tl.sort([3, 1, 4, 2])                          is [1, 2, 3, 4]
            tl.sort([3.0, nan, 4.0, 2.0], descending=True) is [4.0, 3.0, 2.0, nan]
            tl.sort([[4, 1], [2, 3]], dim=0)               is [[2, 1], [4, 3]]
            tl.bitonic_merge([1, 4, 3, 2])                 is [1, 2, 3, 4]
        """
        raise NotImplementedError

    @builtin
    def split(self) -> tuple[Any, ...]:
        """Returns the two halves along the last dimension, which has size 2. It undoes `join`: `[M, N, 2]` gives two
        tiles `[M, N]`.

        Errors: an error if the last dimension is not 2.

        Example::

            even, odd = tl.split(tl.reshape(v, 64, 2))
            tl.store(out + tl.arange(0, 64), even + odd)

        Values (lists are tiles)::

            tl.split([[1, 4], [2, 5], [3, 6]]) is ([1, 2, 3], [4, 5, 6])
        """
        raise NotImplementedError

    @builtin
    def sqrt(self) -> tensor:
        """Returns the square root, or one divided by it. Both use approximate instructions for fp32.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: fp16 and bf16 are refused there.

        Example::

            tl.store(out + i, tl.sqrt(v) + tl.rsqrt(w))

        Values (lists are tiles)::

            tl.sqrt([9.0, 2.0, -1.0]) is about [3.0, 1.4142, nan]
            tl.rsqrt([4.0, 0.0])      is [0.5, inf]
        """
        raise NotImplementedError

    @builtin
    def sqrt_rn(self) -> tensor:
        """Returns the square root, correctly rounded.

        Errors: an error if the argument is an integer or fp8; cast it first.

        Triton: only fp32 is accepted there.

        Example::

            tl.store(out + i, tl.sqrt_rn(v))

        Values (lists are tiles)::

            tl.sqrt_rn([9.0, 2.0]) is about [3.0, 1.4142]
        """
        raise NotImplementedError

    @builtin
    def sum(self, axis: Int | None = None, keep_dims: Bool = False, dtype: DType | None = None) -> tensor:
        """Adds the elements along an axis. The result keeps the element type, but narrow integers are added in 32 bits
        and bools in u32. Sums of fp16 and bf16 are rounded at each step: `dtype=tl.float32` avoids this. Threads add
        in an order of their own, so floats may differ in the last bits from a sum in order.

        Args:
            axis: the dimension; None adds all elements to one scalar.
            keep_dims: True keeps the dimension with size 1.
            dtype: the type of the sum; None is the rule above.

        Errors: an error if the input is not a tile of numbers, or if the axis is out of range.

        Example::

            tl.store(out, tl.sum(v, axis=0))

        Values (lists are tiles)::

            tl.sum([1, 2, 3])                                is 6
            tl.sum([[1, 2], [3, 4]])                         is 10
            tl.sum([[1, 2], [3, 4]], axis=0)                 is [4, 6]
            tl.sum([[1, 2], [3, 4]], axis=1)                 is [3, 7]
            tl.sum([[1, 2], [3, 4]], axis=1, keep_dims=True) is [[3], [7]]
            tl.sum(([1, 5, 9] > 4).to(tl.int32))             is 2
        """
        raise NotImplementedError

    @builtin
    def to(self, dtype: DType, fp_downcast_rounding: Str | None = None, bitcast: Bool = False) -> tensor:
        """Converts to another element type. The shape stays the same. Narrower floats are rounded to nearest even.
        Floats become integers by truncation, and saturate at the type's limits. NaN gives any value. To integers of 8
        bits they saturate at 16 bits, and the low byte is kept: 300.7 is 44. So clamp first. To fp8, floats saturate:
        1e6 and infinity become 448 as fp8e4nv, or 57344 as fp8e5. NaN stays.

        Args:
            input: a tile, a scalar or a number.
            dtype: the new element type.
            fp_downcast_rounding: `"rtne"` (nearest even) or `"rtz"` (toward zero), for floats that become narrower.
            bitcast: True keeps the bits and changes the type; both types have one size.

        Errors: an error if `fp_downcast_rounding` is given for another conversion, or if a bitcast changes the size.

        Triton: integers and fp8 do not convert to each other there.

        Example::

            half = v.to(tl.float16)
            bits = v.to(tl.int32, bitcast=True)
            tl.store(p + i, tl.cast(half, tl.int32) + bits)

        Values (lists are tiles)::

            tl.cast([2.7, -2.7, 1e10], tl.int32) is [2, -2, 2147483647]
            tl.cast([300.7, 40000.0], tl.int8)   is [44, -1]
            [300, -1].to(tl.int8)                is [44, -1]
            [300, -1].to(tl.uint8)               is [44, 255]
            [2049.0, 0.1].to(tl.float16)         is [2048.0, 0.0999755859375]
            [0.1].to(tl.bfloat16)                is about [0.10010]
            [1e6, 0.3].to(tl.float8e4nv)         is [448.0, 0.3125]
            [1.0].to(tl.int32, bitcast=True)     is [1065353216]
            [1, 0, -3].to(tl.int1)               is [True, False, True]
        """
        raise NotImplementedError

    @builtin
    def topk(self, k: Int, dim: Int | None = None, descending: Bool = True) -> tensor:
        """Returns the `k` largest elements along a dimension, largest first, or the smallest, smallest first. NaNs are
        selected last.

        Args:
            k: how many, known at compile time.
            dim: the dimension; None is the last one.
            descending: False selects the smallest.

        Errors: an error if `k` is not from 1 to the dimension's size.

        Example::

            tl.store(out + tl.arange(0, 8), tl.topk(v, 8))
            tl.store(out + 8 + tl.arange(0, 8), tl.topk(v, 8, descending=False))

        Values (lists are tiles)::

            tl.topk([3, 1, 4, 2], 2)                   is [4, 3]
            tl.topk([3, 1, 4, 2], 2, descending=False) is [1, 2]
        """
        raise NotImplementedError

    @builtin
    def trans(self, *dims: Any) -> tensor:
        """Reorders the dimensions. `trans` without dimensions swaps the last two; `permute` needs all of them.

        Args:
            dims: the old dimension at each place of the result.

        Errors: an error if a dimension is missing, given twice or out of range.

        Example::

            t = tl.reshape(v, 8, 16)
            u = tl.trans(t) + tl.permute(t, (1, 0))
            tl.store(out + i, tl.reshape(u, 128))

        Values (lists are tiles)::

            tl.trans([[1, 2, 3], [4, 5, 6]])           is [[1, 4], [2, 5], [3, 6]]
            tl.permute([[1, 2, 3], [4, 5, 6]], (1, 0)) is [[1, 4], [2, 5], [3, 6]]
        """
        raise NotImplementedError

    @builtin
    def view(self, *shape: Any, can_reorder: Bool = False) -> tensor:
        """Returns the same elements, in row-major order, with another shape.

        Args:
            shape: the new sizes; the number of elements stays the same.
            can_reorder: True allows any order of the elements; tilec keeps the order.

        Errors: an error if the number of elements differs.

        Triton: `view` may reorder elements there.

        Example::

            t = tl.reshape(v, (8, 16))
            tl.store(out + i, tl.view(t, 128))

        Values (lists are tiles)::

            tl.reshape([1, 2, 3, 4, 5, 6], 2, 3) is [[1, 2, 3], [4, 5, 6]]
            tl.view([[1, 2], [3, 4]], (4,))      is [1, 2, 3, 4]
        """
        raise NotImplementedError

    @builtin
    def xor_sum(self, axis: Int | None = None, keep_dims: Bool = False) -> tensor:
        """Combines integers along an axis by exclusive or, or by or.

        Args:
            axis: the dimension, or None for all elements.
            keep_dims: True keeps the dimension with size 1.

        Errors: an error if the elements are not integers, or if the axis is out of range.

        Example::

            tl.store(p, tl.xor_sum(k, axis=0) | tl.reduce_or(k, axis=0))

        Values (lists are tiles)::

            tl.xor_sum([1, 2, 7])   is 4
            tl.reduce_or([1, 2, 4]) is 7
        """
        raise NotImplementedError


class tensor_descriptor(_kernels_own):
    """A tensor descriptor in a kernel, for annotations and `isinstance`. `tl.make_tensor_descriptor` makes one.

    dtype: the element type. shape, strides: the tensor's. block_shape, block_type: the block's.
    """

    dtype: Any
    shape: Any
    strides: Any
    block_shape: Any
    block_type: Any

    @builtin
    def atomic_add(self, offsets: Shape, value: Value) -> None:
        """Combines each element of a block with the tensor's element in memory, atomically. Old values are not returned.
        Elements outside the tensor are skipped.

        Args:
            offsets: the block's first element, one integer for each dimension.
            value: a tile with the block's shape; it is converted to the tensor's type.

        Errors: an error if the type has no such operation. `atomic_add` takes i32, u32, u64, fp16, bf16 and fp32.
            `atomic_max` and `atomic_min` take i32, u32, i64, u64, fp16 and bf16. The others take i32, u32, i64 and
            u64.

        Example::

            desc = tl.make_tensor_descriptor(p, [n, 64], [64, 1], [16, 64])
            ones = tl.full([16, 64], 1, tl.int32)
            desc.atomic_add([0, 0], ones)
            desc.atomic_max([0, 0], ones)
            desc.atomic_min([0, 0], ones)
            desc.atomic_and([0, 0], ones)
            desc.atomic_or([0, 0], ones)
            desc.atomic_xor([0, 0], ones)
        """
        raise NotImplementedError

    @builtin
    def atomic_and(self, offsets: Shape, value: Value) -> None:
        """Combines each element of a block with the tensor's element in memory, atomically. Old values are not returned.
        Elements outside the tensor are skipped.

        Args:
            offsets: the block's first element, one integer for each dimension.
            value: a tile with the block's shape; it is converted to the tensor's type.

        Errors: an error if the type has no such operation. `atomic_add` takes i32, u32, u64, fp16, bf16 and fp32.
            `atomic_max` and `atomic_min` take i32, u32, i64, u64, fp16 and bf16. The others take i32, u32, i64 and
            u64.

        Example::

            desc = tl.make_tensor_descriptor(p, [n, 64], [64, 1], [16, 64])
            ones = tl.full([16, 64], 1, tl.int32)
            desc.atomic_add([0, 0], ones)
            desc.atomic_max([0, 0], ones)
            desc.atomic_min([0, 0], ones)
            desc.atomic_and([0, 0], ones)
            desc.atomic_or([0, 0], ones)
            desc.atomic_xor([0, 0], ones)
        """
        raise NotImplementedError

    @builtin
    def atomic_max(self, offsets: Shape, value: Value) -> None:
        """Combines each element of a block with the tensor's element in memory, atomically. Old values are not returned.
        Elements outside the tensor are skipped.

        Args:
            offsets: the block's first element, one integer for each dimension.
            value: a tile with the block's shape; it is converted to the tensor's type.

        Errors: an error if the type has no such operation. `atomic_add` takes i32, u32, u64, fp16, bf16 and fp32.
            `atomic_max` and `atomic_min` take i32, u32, i64, u64, fp16 and bf16. The others take i32, u32, i64 and
            u64.

        Example::

            desc = tl.make_tensor_descriptor(p, [n, 64], [64, 1], [16, 64])
            ones = tl.full([16, 64], 1, tl.int32)
            desc.atomic_add([0, 0], ones)
            desc.atomic_max([0, 0], ones)
            desc.atomic_min([0, 0], ones)
            desc.atomic_and([0, 0], ones)
            desc.atomic_or([0, 0], ones)
            desc.atomic_xor([0, 0], ones)
        """
        raise NotImplementedError

    @builtin
    def atomic_min(self, offsets: Shape, value: Value) -> None:
        """Combines each element of a block with the tensor's element in memory, atomically. Old values are not returned.
        Elements outside the tensor are skipped.

        Args:
            offsets: the block's first element, one integer for each dimension.
            value: a tile with the block's shape; it is converted to the tensor's type.

        Errors: an error if the type has no such operation. `atomic_add` takes i32, u32, u64, fp16, bf16 and fp32.
            `atomic_max` and `atomic_min` take i32, u32, i64, u64, fp16 and bf16. The others take i32, u32, i64 and
            u64.

        Example::

            desc = tl.make_tensor_descriptor(p, [n, 64], [64, 1], [16, 64])
            ones = tl.full([16, 64], 1, tl.int32)
            desc.atomic_add([0, 0], ones)
            desc.atomic_max([0, 0], ones)
            desc.atomic_min([0, 0], ones)
            desc.atomic_and([0, 0], ones)
            desc.atomic_or([0, 0], ones)
            desc.atomic_xor([0, 0], ones)
        """
        raise NotImplementedError

    @builtin
    def atomic_or(self, offsets: Shape, value: Value) -> None:
        """Combines each element of a block with the tensor's element in memory, atomically. Old values are not returned.
        Elements outside the tensor are skipped.

        Args:
            offsets: the block's first element, one integer for each dimension.
            value: a tile with the block's shape; it is converted to the tensor's type.

        Errors: an error if the type has no such operation. `atomic_add` takes i32, u32, u64, fp16, bf16 and fp32.
            `atomic_max` and `atomic_min` take i32, u32, i64, u64, fp16 and bf16. The others take i32, u32, i64 and
            u64.

        Example::

            desc = tl.make_tensor_descriptor(p, [n, 64], [64, 1], [16, 64])
            ones = tl.full([16, 64], 1, tl.int32)
            desc.atomic_add([0, 0], ones)
            desc.atomic_max([0, 0], ones)
            desc.atomic_min([0, 0], ones)
            desc.atomic_and([0, 0], ones)
            desc.atomic_or([0, 0], ones)
            desc.atomic_xor([0, 0], ones)
        """
        raise NotImplementedError

    @builtin
    def atomic_xor(self, offsets: Shape, value: Value) -> None:
        """Combines each element of a block with the tensor's element in memory, atomically. Old values are not returned.
        Elements outside the tensor are skipped.

        Args:
            offsets: the block's first element, one integer for each dimension.
            value: a tile with the block's shape; it is converted to the tensor's type.

        Errors: an error if the type has no such operation. `atomic_add` takes i32, u32, u64, fp16, bf16 and fp32.
            `atomic_max` and `atomic_min` take i32, u32, i64, u64, fp16 and bf16. The others take i32, u32, i64 and
            u64.

        Example::

            desc = tl.make_tensor_descriptor(p, [n, 64], [64, 1], [16, 64])
            ones = tl.full([16, 64], 1, tl.int32)
            desc.atomic_add([0, 0], ones)
            desc.atomic_max([0, 0], ones)
            desc.atomic_min([0, 0], ones)
            desc.atomic_and([0, 0], ones)
            desc.atomic_or([0, 0], ones)
            desc.atomic_xor([0, 0], ones)
        """
        raise NotImplementedError

    @builtin
    def gather(self, x_offsets: Value, y_offset: Value) -> tensor:
        """Reads rows of a two-dimensional tensor, which need not be neighbours. Row r of the result begins at row
        `x_offsets[r]` and column `y_offset`.

        Args:
            x_offsets: a one-dimensional tile of integers with 8 rows or more.
            y_offset: the first column, an integer.

        Errors: an error if the descriptor's block is not `[1, N]`, or if there are fewer than 8 rows. An error if N
            is below 8 elements of 4 bytes, 16 of 2 bytes or 32 of 1 byte.

        Triton: 64-bit elements and targets without TMA gather are refused there.

        Example::

            desc = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [1, 64])
            rows = desc.gather(tl.load(p + tl.arange(0, 16)), 0)
            tl.store(out, tl.sum(rows))
        """
        raise NotImplementedError

    @builtin
    def load(self, offsets: Shape) -> tensor:
        """Reads one block of the tensor. The result has the descriptor's block shape and element type.

        Args:
            offsets: the block's first element, one integer for each dimension.

        Errors: an error if the number of offsets differs, or if a branch or loop selects the descriptor at run time.

        Example::

            desc = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [16, 64])
            tile = desc.load([16 * tl.program_id(0), 0])
            tile += tl.load_tensor_descriptor(desc, [0, 0])
            desc.store([0, 0], tile)
        """
        raise NotImplementedError

    @builtin
    def scatter(self, value: Value, x_offsets: Value, y_offset: Value) -> None:
        """Writes rows of a two-dimensional tensor, which need not be neighbours. Row r of the value goes to row
        `x_offsets[r]`.

        Args:
            value: a tile with one row for each offset.
            x_offsets: a one-dimensional tile of integers with 8 rows or more.
            y_offset: the first column, an integer.

        Errors: as for `gather`.

        Triton: the value must have the tensor's type. tilec converts it.

        Example::

            desc = tl.make_tensor_descriptor(out, [n, 64], [64, 1], [1, 64])
            desc.scatter(tl.zeros([16, 64], tl.float32), tl.load(p + tl.arange(0, 16)), 0)
        """
        raise NotImplementedError

    @builtin
    def store(self, offsets: Shape, value: Value) -> None:
        """Writes one block of the tensor. The value is converted to the tensor's element type. Elements outside are
        skipped.

        Args:
            offsets: the block's first element, one integer for each dimension.
            value: a tile with the block's shape, or what broadcasts to it.

        Errors: an error if the number of offsets differs, or if the value's shape does not fit the block.

        Example::

            desc = tl.make_tensor_descriptor(out, [n, 64], [64, 1], [16, 64])
            desc.store([0, 0], tl.zeros([16, 64], tl.float32))
            tl.store_tensor_descriptor(desc, [16, 0], tl.zeros([16, 64], tl.float32))
        """
        raise NotImplementedError
