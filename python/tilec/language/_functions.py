# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by scripts/python-language from frontend/builtins/builtins.def and frontend/builtins/reference.
"""The functions of the language; a kernel alone can call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._core import PropagateNan, builtin, constexpr, dtype

if TYPE_CHECKING:
    from ._types import Bool, DType, Function, Int, Shape, Str, Value
    from ._classes import tensor, tensor_descriptor

__all__ = [
    "abs",
    "add",
    "advance",
    "aggregate_replace",
    "arange",
    "argmax",
    "argmin",
    "associative_scan",
    "assume",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_load",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_poll",
    "atomic_store",
    "atomic_xchg",
    "atomic_xor",
    "bitonic_merge",
    "broadcast",
    "broadcast_to",
    "cast",
    "cat",
    "cdiv",
    "ceil",
    "clamp",
    "cos",
    "cumprod",
    "cumsum",
    "debug_barrier",
    "device_assert",
    "device_print",
    "div_rn",
    "dot",
    "dot_scaled",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "expect_zero",
    "fdiv",
    "flip",
    "floor",
    "fma",
    "full",
    "gather",
    "gdc_launch_dependents",
    "gdc_wait",
    "get_int_dtype",
    "globaltimer",
    "histogram",
    "inline_asm_elementwise",
    "interleave",
    "item",
    "join",
    "load",
    "load_tensor_descriptor",
    "log",
    "log2",
    "make_block_ptr",
    "make_tensor_descriptor",
    "map_elementwise",
    "max",
    "max_constancy",
    "max_contiguous",
    "maximum",
    "min",
    "minimum",
    "mul",
    "multiple_of",
    "next_power_of_2",
    "num_programs",
    "num_threads",
    "num_warps",
    "pair_uniform_to_normal",
    "permute",
    "philox",
    "pow",
    "program_id",
    "rand",
    "rand4x",
    "randint",
    "randint4x",
    "randn",
    "randn4x",
    "ravel",
    "reduce",
    "reduce_or",
    "reshape",
    "rsqrt",
    "sigmoid",
    "sin",
    "smid",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "sqrt_rn",
    "squeeze",
    "static_assert",
    "static_print",
    "store",
    "store_tensor_descriptor",
    "sub",
    "sum",
    "swizzle2d",
    "tanh",
    "tensor_descriptor_base",
    "to_tensor",
    "topk",
    "trans",
    "uint_to_uniform_float",
    "umulhi",
    "unsqueeze",
    "view",
    "where",
    "xor_sum",
    "zeros",
    "zeros_like",
]


@builtin
def _experimental_descriptor_load(desc_pointer: tensor_descriptor, offsets: Shape, shape: Shape | None = None, dtype: DType | None = None) -> tensor:
    """The former name of `tl.load_tensor_descriptor`.

    Args:
        desc_pointer: a tensor descriptor.
        offsets: the block's first element.
        shape: ignored; the descriptor has it.
        dtype: ignored; the descriptor has it.

    Errors: as for `tl.load_tensor_descriptor`.

    Example::

        desc = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [16, 64])
        tl.store(out, tl.sum(tl._experimental_descriptor_load(desc, [0, 0], [16, 64], tl.float32)))
    """
    raise NotImplementedError


@builtin
def _experimental_descriptor_store(desc_pointer: tensor_descriptor, value: Value, offsets: Shape) -> None:
    """The former form of `tl.store_tensor_descriptor`. The value comes before the offsets.

    Args:
        desc_pointer: a tensor descriptor.
        value: a tile with the block's shape.
        offsets: the block's first element.

    Errors: as for `tl.store_tensor_descriptor`.

    Example::

        desc = tl.make_tensor_descriptor(out, [n, 64], [64, 1], [16, 64])
        tl._experimental_descriptor_store(desc, tl.zeros([16, 64], tl.float32), [0, 0])
    """
    raise NotImplementedError


@builtin
def _experimental_make_tensor_descriptor(base: Value, shape: Shape, strides: Shape, block_shape: Shape, padding_option: Str = "zero") -> tensor_descriptor:
    """The former name of `tl.make_tensor_descriptor`.

    Args:
        base: as of `tl.make_tensor_descriptor`.
        shape: as of `tl.make_tensor_descriptor`.
        strides: as of `tl.make_tensor_descriptor`.
        block_shape: as of `tl.make_tensor_descriptor`.
        padding_option: as of `tl.make_tensor_descriptor`.

    Errors: those of `tl.make_tensor_descriptor`.

    Example::

        desc = tl._experimental_make_tensor_descriptor(x, [n, 64], [64, 1], [16, 64])
        tl.store(out, tl.sum(desc.load([0, 0])))
    """
    raise NotImplementedError


@builtin
def _log2(i: Int) -> constexpr:
    """Returns the logarithm to base 2 of a constexpr, rounded down. Libraries for Triton use it.

    Args:
        i: a positive integer, known at compile time.

    Errors: an error if the number is not positive, or known at run time only.

    Example::

        tl.static_assert(tl._log2(BLOCK) == 7)

    Values (lists are tiles)::

        tl._log2(100) is 6
    """
    raise NotImplementedError


@builtin
def _rounds_f32_to_tf32(desc: Value) -> Any:
    """Makes loads of the descriptor round to tf32, to nearest even. Returns it. The drop-in for Triton uses it.

    Args:
        desc: a descriptor of fp32.

    Errors: an error if the elements have another type.

    Example::

        d = tl._rounds_f32_to_tf32(tl.make_tensor_descriptor(x, [n], [1], [128]))
        tl.store(out + i, d.load([0]))
    """
    raise NotImplementedError


@builtin
def _unwrap_if_constexpr(o: Any) -> Any:
    """Returns a constexpr's value, and other values as they are. Libraries for Triton use it.

    Args:
        o: any value.

    Errors: none.

    Example::

        tl.static_assert(tl._unwrap_if_constexpr(BLOCK) == 128)
    """
    raise NotImplementedError


@builtin
def abs(x: Value) -> tensor:
    """Returns the absolute value. The type stays the same. The absolute value of the smallest integer is itself.

    Args:
        x: a tile, a scalar or a number.

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
def add(x: Value, y: Value, sanitize_overflow: Bool = True) -> tensor:
    """The operators `+`, `-` and `*` as functions. Integers wrap.

    Args:
        x: the first operand.
        y: the second operand.
        sanitize_overflow: accepted and ignored.

    Errors: as for the operators.

    Example::

        tl.store(out + i, tl.add(v, tl.sub(w, tl.mul(v, 2.0))))

    Values (lists are tiles)::

        tl.add([1, 2], 10)     is [11, 12]
        tl.sub([1, 2], 10)     is [-9, -8]
        tl.mul([65536], 65536) is [0]
    """
    raise NotImplementedError


@builtin
def advance(base: Value, offsets: Shape) -> tensor:
    """Returns a block pointer moved by some elements along each dimension. The original does not change.

    Args:
        base: a block pointer.
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
def aggregate_replace(instance: Any, **changes: Any) -> Any:
    """Returns a copy of an object with other values in some fields. The object is of a class that
    `@triton.aggregate` makes, or a named tuple.

    Args:
        instance: the object.
        changes: the new values, by the fields' names.

    Errors: an error if there is no such field.

    Triton: it calls the class, so a constructor sees the fields as arguments.

    Example::

        @triton.aggregate
        class Pair:
            first: tl.tensor
            second: tl.tensor

        @triton.jit
        def kernel(x, out, BLOCK: tl.constexpr = 128):
            i = tl.arange(0, BLOCK)
            p = Pair(tl.load(x + i), 1.0)
            p = tl.aggregate_replace(p, second=2.0)
            tl.store(out + i, p.first * p.second)
    """
    raise NotImplementedError


@builtin
def arange(start: Int, end: Int) -> tensor:
    """Returns the one-dimensional i32 tile `start, start + 1, ..., end - 1`. Its shape is `[end - start]`.

    Args:
        start: the first number, known at compile time.
        end: one more than the last number, known at compile time.

    Errors: an error if the range is empty, if a bound does not fit in i32, or if it is known at run time only.

    Triton: sizes must be powers of two. tilec takes any size and pads it.

    Example::

        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offsets, 1.0, mask=offsets < n)

    Values (lists are tiles)::

        tl.arange(0, 4)                                         is [0, 1, 2, 3]
        tl.arange(2, 5)                                         is [2, 3, 4]
        tl.arange(0, 2)[:, None] * 3 + tl.arange(0, 3)[None, :] is [[0, 1, 2], [3, 4, 5]]
    """
    raise NotImplementedError


@builtin
def argmax(input: Value, axis: Int, tie_break_left: Bool = True, keep_dims: Bool = False) -> tensor:
    """Returns the i32 index of the largest or smallest element along an axis. The index is unspecified if a NaN is
    among the elements. Replace it first: `tl.where(x == x, x, -float("inf"))` for `argmax`.

    Args:
        input: a tile of numbers.
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
def argmin(input: Value, axis: Int, tie_break_left: Bool = True, keep_dims: Bool = False) -> tensor:
    """Returns the i32 index of the largest or smallest element along an axis. The index is unspecified if a NaN is
    among the elements. Replace it first: `tl.where(x == x, x, -float("inf"))` for `argmax`.

    Args:
        input: a tile of numbers.
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
def associative_scan(input: Any, axis: Int, combine_fn: Function, reverse: Bool = False) -> Any:
    """Returns all partial results along an axis: element j combines the elements 0 to j. The shape stays the same.

    Args:
        input: a tile, or a tuple of tiles of one shape.
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
def assume(cond: Value) -> None:
    """Promises that a condition holds from here on. The compiler uses `x % 16 == 0`, `x >= 0` and these combined
    with `&`. It accepts and ignores others.

    Args:
        cond: a comparison.

    Errors: in a `.tile` file an error, else a warning, if constexprs make the condition false.

    Example::

        tl.assume(n % 16 == 0)
        tl.store(out + n + i, v)
    """
    raise NotImplementedError


@builtin
def atomic_add(pointer: Value, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
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
        pointer: a pointer or a tile of pointers.
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
def atomic_and(pointer: Value, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
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
        pointer: a pointer or a tile of pointers.
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
def atomic_cas(pointer: Value, cmp: Value, val: Value, sem: Str | None = None, scope: Str | None = None) -> tensor:
    """Compares memory with `cmp` and, if both are equal, replaces it by `val`. Returns the old value. Locks are made
    of it.

    Args:
        pointer: a pointer or a tile of pointers to elements of 16, 32 or 64 bits.
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
def atomic_load(pointer: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
    """Reads memory in one step. With `"acquire"` the thread sees what was written before the store that it reads
    from.

    Args:
        pointer: a pointer or a tile of pointers to numbers.
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
def atomic_max(pointer: Value, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
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
        pointer: a pointer or a tile of pointers.
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
def atomic_min(pointer: Value, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
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
        pointer: a pointer or a tile of pointers.
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
def atomic_or(pointer: Value, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
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
        pointer: a pointer or a tile of pointers.
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
def atomic_poll(pointer: Value, expected_value: Value, sem: Str | None = None, scope: Str | None = None, timeout_ns: Any = None) -> tensor:
    """Waits until each element in memory has had `expected_value` at some time, not all at once. Returns True for
    each element that had it before the timeout. All threads wait for all elements.

    Args:
        pointer: a pointer or a tile of pointers to integers of 16, 32 or 64 bits.
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
def atomic_store(pointer: Value, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> None:
    """Writes memory in one step. With `"release"` those that acquire the value see the program's earlier writes. A
    barrier is needed before it in the same cases as before `atomic_add`.

    Args:
        pointer: a pointer or a tile of pointers to numbers.
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
def atomic_xchg(pointer: Value, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
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
        pointer: a pointer or a tile of pointers.
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
def atomic_xor(pointer: Value, val: Value, mask: Value = None, sem: Str | None = None, scope: Str | None = None) -> tensor:
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
        pointer: a pointer or a tile of pointers.
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
def bitonic_merge(x: Value, dim: Int | None = None, descending: Bool = False) -> tensor:
    """Sorts along a dimension, NaNs last. `bitonic_merge` sorts a bitonic sequence: one that rises and then falls.

    Args:
        x: a tile of numbers.
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
def broadcast(input: Value, other: Value) -> tuple[Any, ...]:
    """Broadcasts two tiles to one shape and returns both.

    Args:
        input: the first tile.
        other: the second tile.

    Errors: an error if shapes do not broadcast.

    Example::

        a, b = tl.broadcast(v[:, None], w[None, :])
        tl.store(out, tl.sum(a * b))

    Values (lists are tiles)::

        tl.broadcast([[1], [2]], [[5, 6]]) is ([[1, 1], [2, 2]], [[5, 6], [5, 6]])
    """
    raise NotImplementedError


@builtin
def broadcast_to(input: Value, *shape: Any) -> tensor:
    """Repeats a tile along its dimensions of size 1, so that it has the new shape.

    Args:
        input: a tile or a scalar.
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
def cast(input: Value, dtype: DType, fp_downcast_rounding: Str | None = None, bitcast: Bool = False) -> tensor:
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
def cat(input: Value, other: Value, can_reorder: Bool = False, dim: Int = 0) -> tensor:
    """Puts one tile after another along a dimension.

    Args:
        input: the first tile.
        other: the second tile.
        can_reorder: True allows any order of the elements; tilec keeps the order.
        dim: the dimension.

    Errors: an error if the tiles differ in another dimension.

    Triton: before 3.7 `can_reorder` must be True there, and the order is not defined. Tiles of different sizes
        are an error there.

    Example::

        tl.store(out + tl.arange(0, 256), tl.cat(v, w, dim=0))

    Values (lists are tiles)::

        tl.cat([1, 2], [3, 4])                is [1, 2, 3, 4]
        tl.cat([[1], [2]], [[3], [4]], dim=1) is [[1, 3], [2, 4]]
    """
    raise NotImplementedError


@builtin
def cdiv(x: Value, div: Value) -> tensor:
    """Returns the quotient of two integers, rounded up: `(x + div - 1) // div`. If both are constexprs, the result
    is one too.

    Args:
        x: the dividend.
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
def ceil(x: Value) -> tensor:
    """Rounds down or up to a whole number. The result is a float.

    Args:
        x: floats of any shape.

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
def clamp(x: Value, min: Value, max: Value, propagate_nan: Any = PropagateNan.NONE) -> tensor:
    """Limits numbers to the range from `min` to `max`. A NaN becomes the lower limit unless NaNs are propagated.
    Integer constants have the type that the other integers have.

    Args:
        x: numbers.
        min: the lower limit.
        max: the upper limit.
        propagate_nan: `tl.PropagateNan.NONE` or `tl.PropagateNan.ALL`.

    Errors: an error if an integer constant does not fit the integers' type.

    Triton: a NaN becomes the upper limit if the limits are constants -c and c.

    Example::

        tl.store(out + i, tl.clamp(v, -1.0, 1.0))
        tl.store(p + i, tl.clamp(k, 0, 100))

    Values (lists are tiles)::

        tl.clamp([-3.0, 0.5, 9.0], -1.0, 1.0) is [-1.0, 0.5, 1.0]
        tl.clamp([nan, inf], -1.0, 1.0)       is [-1.0, 1.0]
        tl.clamp([-5, 50, 500], 0, 100)       is [0, 50, 100]
    """
    raise NotImplementedError


@builtin
def cos(x: Value) -> tensor:
    """Returns the sine or the cosine of an angle in radians.

    Args:
        x: floats of any shape.

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
def cumprod(input: Value, axis: Int = 0, reverse: Bool = False, dtype: DType | None = None) -> tensor:
    """Multiplies and keeps all partial results along an axis. The shape stays the same.

    Args:
        input: a tile of numbers.
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
def cumsum(input: Value, axis: Int = 0, reverse: Bool = False, dtype: DType | None = None) -> tensor:
    """Returns running sums along an axis. The shape stays the same. Narrow integers are added in 32 bits.

    Args:
        input: a tile of numbers.
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
def debug_barrier() -> None:
    """Waits until all threads of the program arrive. Memory that they wrote before is visible after it.

    Errors: an error in `@grid(...)`, a `.tile` file's default grid.

    Example::

        tl.store(out + i, v)
        tl.debug_barrier()
        tl.store(out + 128 + i, tl.load(out + 127 - i))
    """
    raise NotImplementedError


@builtin
def device_assert(cond: Value, msg: Str = "", mask: Value = None) -> None:
    """Stops the launch with an error if a condition is false at run time. With `@triton.jit` on a GPU it is compiled
    only for `debug=True` or `TRITON_DEBUG=1`. Elsewhere it always is: with `@tilec.jit`, by the command, and on
    the simulator.

    Args:
        cond: i1 or integers; all elements must be true.
        msg: the message.
        mask: elements that are checked. None checks all.

    Errors: an error if the message is known at run time only.

    Triton: assertions work only with `debug` or `TRITON_DEBUG=1` there.

    Example::

        tl.device_assert(k >= 0, "an index is negative", mask=i < n)
    """
    raise NotImplementedError


@builtin
def device_print(prefix: Str, *args: Any, hex: Bool = False) -> None:
    """Prints values at run time. Each element is printed once for each program. Python's `print` is the same
    function. A large grid prints much: print in one program, as below. On the simulator a line is `pid (1, 0, 0)
    idx (3) v is: 7.000000`, with the program and the element.

    Args:
        prefix: a string, known at compile time.
        args: tiles, scalars and numbers.
        hex: True prints hexadecimal numbers.

    Errors: an error if the first argument is not a string.

    Triton: a value is printed once for each thread.

    Example::

        if tl.program_id(0) == 1:
            tl.device_print("v is", v)
    """
    raise NotImplementedError


@builtin
def div_rn(x: Value, y: Value) -> tensor:
    """Returns the quotient of floats, correctly rounded. The result is fp32 or fp64.

    Args:
        x: the dividend.
        y: the divisor.

    Errors: an error if both operands are integers, or if one is a pointer.

    Triton: operands must be fp32. tilec promotes as operators do.

    Example::

        tl.store(out + i, tl.div_rn(v, w))

    Values (lists are tiles)::

        tl.div_rn([1.0, 2.0], 4.0) is [0.25, 0.5]
    """
    raise NotImplementedError


@builtin
def dot(input: Value, other: Value, acc: Value = None, input_precision: Str | None = None, allow_tf32: Bool | None = None, max_num_imprecise_acc: Int | None = None, out_dtype: DType = dtype("fp32")) -> tensor:
    """Multiplies the matrices `[M, K]` and `[K, N]` and adds the accumulator. With three dimensions the first one is
    a batch. Sizes may be any from 1. M is rounded up to 16 or 64 rows, N to 8 columns and K to 32 bytes.

        operands                        result                  tensor cores
        fp8e4nv, fp8e5, or one of each  fp32 (default) or fp16  from sm_89 on (sm_90a: only for fp32); before, as fp16
        fp16                            fp32 (default) or fp16  all GPUs
        bf16                            fp32 (default) or fp16  from sm_80 on
        fp32                            fp32                    from sm_80 on, but not for `"ieee"`
        fp64                            fp64                    none
        i8, u8                          i32                     from sm_80 on

    Args:
        input: a tile `[M, K]` of an element type of the table.
        other: a tile `[K, N]` of the same type; of fp8, either type.
        acc: a tile `[M, N]` of the result's type that is added. None adds nothing.
        input_precision: how fp32 is multiplied: `"ieee"`, `"tf32"`, `"tf32x3"`, `"bf16x3"` or `"bf16x6"`. None
            takes the kernel's: `default_dot_input_precision` of a Python launch, `TRITON_F32_DEFAULT` in its
            environment, or `--fp32-dot` of the command.
        allow_tf32: the former way to say `"tf32"` (True) or `"ieee"` (False).
        max_num_imprecise_acc: for fp8 on sm_90a, how many terms of K are added before the sum moves to fp32
            registers. None adds all K of the dot. A number is rounded down to a power of two, and is at least 32.
            More than K is an error.
        out_dtype: the result's type, as in the table; it must be the accumulator's.

    Errors: an error if shapes do not fit, if element types differ, if the accumulator has another type, or if
        both `input_precision` and `allow_tf32` are given.

    Triton: fp32 is multiplied as tf32 by default, which the Python package does too. The command, C and C++
        multiply fp32 as IEEE. Sizes must be powers of two there, with a minimum.

    Example::

        a = tl.load(x + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]).to(tl.float16)
        b = tl.load(y + tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :]).to(tl.float16)
        acc = tl.zeros([16, 16], tl.float32)
        acc = tl.dot(a, b, acc)
        tl.store(out + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], acc)

    Values (lists are tiles)::

        tl.dot([[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 10.0]]) is [[1.0, 20.0], [3.0, 40.0]]
        tl.dot([[1.0, 2.0]], [[3.0], [4.0]])                        is [[11.0]]
        tl.dot([[1.0, 2.0]], [[3.0], [4.0]], acc=[[100.0]])         is [[111.0]]
    """
    raise NotImplementedError


@builtin
def dot_scaled(lhs: Value, lhs_scale: Value, lhs_format: Str, rhs: Value, rhs_scale: Value, rhs_format: Str, acc: Value = None, fast_math: Bool = False, lhs_k_pack: Bool = True, rhs_k_pack: Bool = True, out_dtype: DType = dtype("fp32")) -> tensor:
    """Multiplies two matrices of narrow floats, where groups of numbers along K share a scale. A scale is an e8m0
    byte for 32 numbers, or an fp8e4nv for 16. The result is fp32.

    Args:
        lhs: a tile `[M, K]`; with `"e2m1"` bytes `[M, K / 2]` of two numbers each.
        lhs_scale: scales `[M, K / 32]` or `[M, K / 16]`; None is 1.
        lhs_format: `"e2m1"`, `"e4m3"`, `"e5m2"`, `"bf16"` or `"fp16"`.
        rhs: a tile `[K, N]`; with `"e2m1"` bytes `[K / 2, N]`.
        rhs_scale: scales `[N, K / 32]` or `[N, K / 16]`; None is 1.
        rhs_format: as `lhs_format`.
        acc: a tile `[M, N]` of fp32 that is added.
        fast_math: True skips the rule that a scale byte of 255 makes NaN.
        lhs_k_pack: False packs two numbers of `"e2m1"` along M instead of K.
        rhs_k_pack: False packs two numbers of `"e2m1"` along N instead of K.
        out_dtype: fp32.

    Errors: an error if a format is unknown, or if a scale's shape does not fit. Also if the type does not fit its
        format: `"e2m1"` takes u8, `"e4m3"` fp8e4nv or u8, and `"e5m2"` fp8e5 or u8.

    Triton: batches with scales, bf16 with fp16, and sizes that are not powers of two are refused there.

    Example::

        a = tl.zeros([16, 64], tl.float8e4nv)
        b = tl.zeros([64, 16], tl.float8e5)
        ones = tl.full([16, 2], 127, tl.uint8)
        c = tl.dot_scaled(a, ones, "e4m3", b, ones, "e5m2")
        tl.store(out, tl.sum(c))
    """
    raise NotImplementedError


@builtin
def erf(x: Value) -> tensor:
    """Returns the error function.

    Args:
        x: floats of any shape.

    Errors: an error if the argument is an integer or fp8; cast it first.

    Triton: fp16 and bf16 are refused there.

    Example::

        tl.store(out + i, 0.5 * v * (1.0 + tl.erf(v * 0.70710678)))

    Values (lists are tiles)::

        tl.erf([0.0, 1.0, -9.0]) is about [0.0, 0.8427, -1.0]
    """
    raise NotImplementedError


@builtin
def exp(x: Value) -> tensor:
    """Returns e to the power x, or 2 to the power x. `exp` of fp32 uses the approximate instruction. `libdevice.exp`
    is more accurate.

    Args:
        x: floats of any shape.

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
def exp2(x: Value) -> tensor:
    """Returns e to the power x, or 2 to the power x. `exp` of fp32 uses the approximate instruction. `libdevice.exp`
    is more accurate.

    Args:
        x: floats of any shape.

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
def expand_dims(input: Value, axis: Any) -> tensor:
    """Inserts dimensions of size 1. `x[:, None]` does the same.

    Args:
        input: a tile or a scalar.
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
def expect_zero(x: Value, mask: Value) -> tensor:
    """Asserts that `x` is 0 where the mask is true, and returns it. With assertions on, the kernel stops if it is
    not.

    Args:
        x: numbers.
        mask: where they are expected to be 0.

    Errors: an error if the operands cannot be broadcast to one shape.

    Example::

        tl.store(out + i, tl.expect_zero(v, v < -100.0))
    """
    raise NotImplementedError


@builtin
def fdiv(x: Value, y: Value, ieee_rounding: Bool = False, approx: Bool = False) -> tensor:
    """Returns the quotient of floats. In fp32 it is within 2 ulp. fp16 and bf16 keep their type.

    Args:
        x: the dividend.
        y: the divisor.
        ieee_rounding: True rounds correctly.
        approx: True allows `div.approx` of fp32. It is within 2 ulp if the divisor is from 2^-126 to 2^126.

    Errors: an error if both operands are integers, if one is a pointer, or if `approx` is combined with another
        type or with `ieee_rounding`.

    Triton: operands must be floats of one type. tilec promotes as operators do.

    Example::

        tl.store(out + i, tl.fdiv(v, w, ieee_rounding=True))
        tl.store(out + i, tl.fdiv(v, w, approx=True))

    Values (lists are tiles)::

        tl.fdiv([1.0, 7.0], [4.0, 2.0]) is [0.25, 3.5]
        tl.fdiv([1.0, 0.0], 0.0)        is [inf, nan]
    """
    raise NotImplementedError


@builtin
def flip(x: Value, dim: Int | None = None) -> tensor:
    """Reverses the elements along a dimension.

    Args:
        x: a tile.
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
def floor(x: Value) -> tensor:
    """Rounds down or up to a whole number. The result is a float.

    Args:
        x: floats of any shape.

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
def fma(x: Value, y: Value, z: Value) -> tensor:
    """Returns `x * y + z` of floats with one rounding.

    Args:
        x: the first factor.
        y: the second factor.
        z: the summand.

    Errors: an error if a value is not a float.

    Example::

        tl.store(out + i, tl.fma(v, w, 1.0))

    Values (lists are tiles)::

        tl.fma([2.0, 3.0], 10.0, 1.0) is [21.0, 31.0]
    """
    raise NotImplementedError


@builtin
def full(shape: Shape, value: Value, dtype: DType) -> tensor:
    """Returns a tile whose elements all have the same value. The value is converted to the element type.

    Args:
        shape: the tile's sizes, known at compile time.
        value: a number or a run-time scalar.
        dtype: the element type, such as `tl.float32`.

    Errors: an error if the value is a tile, a float for an integer type, or a negative number for an unsigned
        one.

    Example::

        low = tl.full([128], float("-inf"), tl.float32)
        tl.store(out + i, tl.maximum(low, v))

    Values (lists are tiles)::

        tl.full((2, 2), 7, tl.int32) is [[7, 7], [7, 7]]
        tl.full((2,), 7, tl.float32) is [7.0, 7.0]
    """
    raise NotImplementedError


@builtin
def gather(src: Value, index: Value, axis: Int) -> tensor:
    """Returns elements of a tile by index along an axis. The result has the shape of the indices. An index out of
    range gives an undefined element, which `tilec check` reports (T1301). Negative indices do not count from the
    end.

    Args:
        src: a tile.
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
def gdc_launch_dependents() -> None:
    """Order kernels whose launches overlap (`launch_pdl`). `gdc_wait` waits for the kernel before this one.
    `gdc_launch_dependents` lets the next kernel start.

    Errors: an error in `@grid(...)`, a `.tile` file's default grid.

    Triton: they are in `tl.extra.cuda`, where tilec has them too.

    Example::

        tl.gdc_wait()
        tl.store(out + i, v)
        tl.gdc_launch_dependents()
    """
    raise NotImplementedError


@builtin
def gdc_wait() -> None:
    """Order kernels whose launches overlap (`launch_pdl`). `gdc_wait` waits for the kernel before this one.
    `gdc_launch_dependents` lets the next kernel start.

    Errors: an error in `@grid(...)`, a `.tile` file's default grid.

    Triton: they are in `tl.extra.cuda`, where tilec has them too.

    Example::

        tl.gdc_wait()
        tl.store(out + i, v)
        tl.gdc_launch_dependents()
    """
    raise NotImplementedError


@builtin
def get_int_dtype(bitwidth: Int, signed: Bool) -> dtype:
    """Returns the integer type of a width.

    Args:
        bitwidth: 1, 8, 16, 32 or 64.
        signed: True for signed integers.

    Errors: an error if there is no such type.

    Example::

        bits = v.to(tl.get_int_dtype(32, True), bitcast=True)
        tl.store(p + i, bits)
    """
    raise NotImplementedError


@builtin
def globaltimer() -> tensor:
    """Returns the GPU's timer in nanoseconds, as an i64 scalar.

    Errors: an error in `@grid(...)`, a `.tile` file's default grid.

    Triton: it is in `tl.extra.cuda`, where tilec has it too.

    Example::

        start = tl.globaltimer()
        tl.store(p, (tl.globaltimer() - start).to(tl.int32))
    """
    raise NotImplementedError


@builtin
def histogram(input: Value, num_bins: Int, mask: Value = None) -> tensor:
    """Counts how often each integer from 0 to `num_bins - 1` occurs. The result is an i32 tile of `num_bins`
    elements.

    Args:
        input: a one-dimensional tile of integers.
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
def inline_asm_elementwise(asm: Str, constraints: Str, args: Any, dtype: Any, is_pure: Bool, pack: Int) -> Any:
    """Runs PTX for each element. `$0`, `$1`, ... are the outputs and then the inputs.

    One run of the text computes `pack` elements. Elements of 32 or 64 bits have a register each. Narrower ones
    share registers of 32 bits, the first element in the lowest bits. The constraints name every register: all of
    the first result, of the next result, then of each argument.

    An output is written `=r`. `=&r` is an output that is written before all inputs are read. An input `0` is the
    register of output 0. `h` holds at most 16 bits. Unused bits of inputs are 0, and those of outputs are
    ignored.

    A pack is elements that one thread holds. The assembly must compute each element from the elements at the same
    place in its pack. If a thread holds fewer elements than `pack`, the missing ones read as 0, and their results
    are dropped.

        elements           constraint        registers with `pack=1`  with `pack=2`         with `pack=4`
        i1                 `b`               one predicate            -                     -
        8 bits             `r`, or `h`       one, the low 8 bits      one, the low 16 bits  one `r`
        16 bits            `r`, or `h`       one, the low 16 bits     one `r`               two `r`
        32 bits            `r`, of fp32 `f`  one                      two                   four
        64 bits, pointers  `l`, of fp64 `d`  one                      two                   four
        constexpr integer  `n`               its number               two times its number  four times its number

    Args:
        asm: the PTX text. `$$` is a dollar sign. Put names that it declares in braces: the text may be repeated.
        constraints: one for each register, separated by commas: outputs first, then inputs.
        args: a list of tiles, which broadcast to one shape.
        dtype: the result's type, or a tuple of types for several results. There is always at least one.
        is_pure: False says that the code has effects. True lets the compiler remove it where no one uses its
            results.
        pack: how many elements one run of the code computes: 1, 2, 4, ..., 64. It must divide the size of the
            tile.

    Errors: an error if the constraints do not fit types and `pack`, or if code that writes memory has a pack
        larger than what a thread holds. A warning if missing elements change the results of others. The check's
        reference does not run PTX.

    Triton: missing elements of a pack are undefined. Code with effects runs once in each thread that holds the
        element. tilec runs it once for each element.

    Example::

        twice = tl.inline_asm_elementwise("add.f32 $0, $1, $1;", "=f,f", [v], dtype=tl.float32, is_pure=True, pack=1)
        tl.store(out + i, twice)

        # Two elements in one run: $0 has both bf16 results, $1 and $2 are the two fp32 inputs.
        pairs = tl.inline_asm_elementwise("cvt.rn.bf16x2.f32 $0, $2, $1;", "=r,f,f", [v], dtype=tl.bfloat16,
                                          is_pure=True, pack=2)
        # Four in one run: bytes in $4, widened to $0 ... $3. The braces keep the names b0 ... b3 inside.
        widened = tl.inline_asm_elementwise('''
            { .reg .b8 b<4>;
              mov.b32 {b0, b1, b2, b3}, $4;
              cvt.u32.u8 $0, b0;  cvt.u32.u8 $1, b1;  cvt.u32.u8 $2, b2;  cvt.u32.u8 $3, b3; }
            ''', "=r,=r,=r,=r,r", [k.to(tl.uint8)], dtype=tl.int32, is_pure=True, pack=4)
        # Two results of each element: first both quotients $0 and $1, then both remainders $2 and $3.
        quotient, remainder = tl.inline_asm_elementwise('''
            div.u32 $0, $4, 10;  rem.u32 $2, $4, 10;
            div.u32 $1, $5, 10;  rem.u32 $3, $5, 10;
            ''', "=&r,=&r,=&r,=&r,r,r", [k], dtype=(tl.int32, tl.int32), is_pure=True, pack=2)
        tl.store(p + i, widened + quotient + remainder)
        tl.store(out + i, pairs.to(tl.float32))
    """
    raise NotImplementedError


@builtin
def interleave(a: Value, b: Value) -> tensor:
    """Returns the elements of two tiles alternately along the last dimension, which becomes twice as long.

    Args:
        a: elements 0, 2, 4, ... of the result; a tile `[M, N]` gives `[M, 2 * N]`.
        b: elements 1, 3, 5, ...; a tile of the same shape or one that broadcasts to it.

    Errors: an error if shapes do not broadcast.

    Example::

        tl.store(out + tl.arange(0, 256), tl.interleave(v, w))

    Values (lists are tiles)::

        tl.interleave([1, 2], [3, 4])         is [1, 3, 2, 4]
        tl.interleave([[1], [2]], [[8], [9]]) is [[1, 8], [2, 9]]
    """
    raise NotImplementedError


@builtin
def item(input: Value) -> tensor:
    """Returns the only element of a tile as a scalar.

    Args:
        input: a tile of one element.

    Errors: an error if the tile has more elements.

    Example::

        one = tl.load(x + tl.arange(0, 1))
        tl.store(out, tl.item(one))

    Values (lists are tiles)::

        tl.item([[7]]) is 7
    """
    raise NotImplementedError


@builtin
def join(a: Value, b: Value) -> tensor:
    """Puts two tiles next to each other along a new last dimension of size 2. Shapes `[M, N]` give `[M, N, 2]`.

    Args:
        a: the elements at index 0, a tile of any shape.
        b: the elements at index 1, a tile of the same shape or one that broadcasts to it.

    Errors: an error if shapes do not broadcast.

    Triton: both must have one type there. tilec promotes as operators do.

    Example::

        pairs = tl.join(v, w)
        tl.store(out + tl.arange(0, 256), tl.reshape(pairs, 256))

    Values (lists are tiles)::

        tl.join([1, 2, 3], [4, 5, 6]) is [[1, 4], [2, 5], [3, 6]]
    """
    raise NotImplementedError


@builtin
def load(pointer: Value, mask: Value = None, other: Value = None, boundary_check: Shape = (), padding_option: Str = "", cache_modifier: Str = "", eviction_policy: Str = "", volatile: Bool = False) -> tensor:
    """Reads one element for each pointer. The result has the pointer's shape and the pointed-to type. A pointer to
    i1 reads one byte for each element. With a block pointer the result is the whole block: elements beyond the
    bounds of the dimensions in `boundary_check` are not read, and get the value of `padding_option`.

    Args:
        pointer: a pointer, a tile of pointers, or a block pointer.
        mask: elements that are read, as i1; it broadcasts to the pointer's shape. None reads all elements.
        other: the value of elements that the mask excludes; it needs a mask. Without it compiled code gives 0.
            `tilec check` reports uses of these elements, because Triton does not define them.
        boundary_check: for block pointers, the dimensions whose bounds are checked, such as `(0, 1)`. In other
            dimensions an access beyond the bounds is a mistake, which `tilec check` reports.
        padding_option: for block pointers, the value outside the bounds: `"zero"` or `"nan"`. Without it these
            elements are as those without `other`.
        cache_modifier: `".ca"`: L1 and L2 keep the data; `".cg"`: only L2; `".cs"`: they are read once; `".cv"`:
            they are read again from memory. `""` lets the GPU choose.
        eviction_policy: what leaves the cache when it is full: `"evict_first"` leaves first, `"evict_last"` last.
            `""` and `"evict_normal"` are the GPU's default.
        volatile: True reads memory each time.

    Errors: an error if `pointer` is not a pointer, if the mask is not i1, if shapes do not broadcast, or if
        `other` has no mask. A mask is refused for block pointers, and `boundary_check` for others.

    Example::

        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(x + offsets, mask=offsets < n, other=0.0)
        tl.store(out + offsets, value, mask=offsets < n)
        block = tl.make_block_ptr(x, (n, 30), (30, 1), (0, 0), (16, 32), (1, 0))
        padded = tl.load(block, boundary_check=(0, 1), padding_option="zero")
        tl.store(out, tl.sum(padded))

    Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

        tl.load(x + 3)                                               is 30.0
        tl.load(x + [0, 1, 2, 2])                                    is [0.0, 10.0, 20.0, 20.0]
        tl.load(x + [5, 6, 9], mask=[True, True, False], other=-1.0) is [50.0, 60.0, -1.0]
        tl.load(x + [[0, 1], [4, 5]])                                is [[0.0, 10.0], [40.0, 50.0]]
    """
    raise NotImplementedError


@builtin
def load_tensor_descriptor(desc: tensor_descriptor, offsets: Shape) -> tensor:
    """Reads one block of the tensor. The result has the descriptor's block shape and element type.

    Args:
        desc: a tensor descriptor.
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
def log(x: Value) -> tensor:
    """Returns the logarithm to base e or 2. It is NaN for negative numbers and -infinity for 0.

    Args:
        x: floats of any shape.

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
def log2(x: Value) -> tensor:
    """Returns the logarithm to base e or 2. It is NaN for negative numbers and -infinity for 0.

    Args:
        x: floats of any shape.

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
def make_block_ptr(base: Value, shape: Shape, strides: Shape, offsets: Shape, block_shape: Shape, order: Shape | None = None) -> tensor:
    """Returns a block pointer: a window of fixed size into a tensor in memory. `load`, `store` and `advance` take
    it.

    Args:
        base: a pointer to the tensor's first element.
        shape: the tensor's sizes, integers.
        strides: elements between neighbours along each dimension, integers.
        offsets: where the window begins, one index for each dimension.
        block_shape: the window's sizes, known at compile time.
        order: the dimensions, fastest first. None lets the strides decide.

    Errors: an error if the tuples differ in length, if `base` is not a pointer to numbers, or if `order` does not
        name each dimension once.

    Triton: `order` is required. 3.9 has removed block pointers: use `tl.make_tensor_descriptor`.

    Example::

        block = tl.make_block_ptr(x, (n, 64), (64, 1), (0, 0), (16, 64), (1, 0))
        tile = tl.load(block, boundary_check=(0,), padding_option="zero")
        tl.store(out, tl.sum(tile))

    Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

        tl.load(tl.make_block_ptr(x, (2, 4), (4, 1), (0, 1), (2, 2))) is [[10.0, 20.0], [50.0, 60.0]]
    """
    raise NotImplementedError


@builtin
def make_tensor_descriptor(base: Value, shape: Shape, strides: Shape, block_shape: Shape, padding_option: Str = "zero") -> tensor_descriptor:
    """Returns a descriptor of the tensor at `base`. It has the attributes `shape`, `strides`, `block_shape` and
    `dtype`.

    Args:
        base: a pointer to the first element, aligned to 16 bytes.
        shape: the tensor's sizes, 1 to 5 integers.
        strides: elements between neighbours; all but the last are multiples of 16 bytes, and the last is 1.
        block_shape: the block's sizes, known at compile time; at least 16 bytes along the last dimension.
        padding_option: the value of elements outside: `"zero"` or, for floats, `"nan"`.

    Errors: an error if the last stride is not a constant 1, if the block's last dimension has fewer than 16
        bytes, or if the tuples differ in length. `tilec check` warns (T1104) of a computed base or stride that is
        not a multiple of 16 bytes.

    Triton: sizes of blocks must be powers of two. The padding is part of the type in tilec, so each padding makes
        a variant.

    Example::

        desc = tl.make_tensor_descriptor(x, shape=[n, 64], strides=[64, 1], block_shape=[16, 64])
        tl.store(out, tl.sum(desc.load([0, 0])))

    Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0)::

        tl.make_tensor_descriptor(x, (2, 4), (4, 1), (1, 4)).load((1, 0)) is [[40.0, 50.0, 60.0, 70.0]]
        tl.make_tensor_descriptor(x, (2, 4), (4, 1), (1, 4)).load((0, 2)) is [[20.0, 30.0, 0.0, 0.0]]
    """
    raise NotImplementedError


@builtin
def map_elementwise(scalar_fn: Function, *args: Any, pack: Int = 1) -> Any:
    """Calls a function with the elements of the tiles, one after another. The function may branch and loop for each
    element.

    Args:
        scalar_fn: a jit function of scalars that returns one value or a tuple.
        args: tiles, which broadcast to one shape.
        pack: how many consecutive elements, in row-major order, one call gets; a power of two.

    Errors: an error if the function has effects, if there are no tiles, or if `pack` is not valid.

    Example::

        @triton.jit
        def order(a, b):
            if a < b:
                return -1
            return 1

        @triton.jit
        def kernel(x, out):
            i = tl.arange(0, 128)
            tl.store(out + i, tl.map_elementwise(order, tl.load(x + i), 0.5).to(tl.float32))

    Values (lists are tiles)::

        tl.map_elementwise(order, [1, 5], [3, 3]) is [-1, 1]
    """
    raise NotImplementedError


@builtin
def max(input: Value, axis: Int | None = None, return_indices: Bool = False, return_indices_tie_break_left: Bool = True, keep_dims: Bool = False) -> Any:
    """Returns the largest or smallest element along an axis. fp8, fp16, bf16 and narrow integers give 32-bit
    results. NaN is ignored, unlike in NumPy. With `return_indices` the result is unspecified if the tile has a
    NaN. Types other than bf16 then keep their width.

    Args:
        input: a tile of numbers.
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
def max_constancy(input: Value, values: Any) -> tensor:
    """Promises that the elements of each aligned run are equal. Returns the input.

    Args:
        input: a tile.
        values: the length of the runs, a number for each dimension.

    Errors: an error if a number is missing, is not a constexpr integer, or is below 1.

    Example::

        group = tl.max_constancy(k, 8)
        tl.store(out + i, tl.load(x + group))
    """
    raise NotImplementedError


@builtin
def max_contiguous(input: Value, values: Any) -> tensor:
    """Promises that neighbours count upwards by 1: `max_contiguous(x, 8)` says so of `x[0]` to `x[7]`, of `x[8]` to
    `x[15]` and so on. Returns the input.

    Args:
        input: a tile of integers or pointers.
        values: the length of the runs, a number for each dimension.

    Errors: an error if a number is missing, is not a constexpr integer, or is below 1.

    Example::

        offsets = tl.max_contiguous(tl.multiple_of(k, 128), 128)
        tl.store(out + offsets, v)
    """
    raise NotImplementedError


@builtin
def maximum(x: Value, y: Value, propagate_nan: Any = PropagateNan.NONE) -> tensor:
    """Returns the larger or the smaller element of two values. They broadcast as operands do. The result of bf16 is
    fp32. A literal makes fp16 an fp32, and i8 or i16 an i32. Convert the result before a `tl.dot`: `tl.maximum(a,
    0.0).to(a.dtype)`.

    Args:
        x: the first value.
        y: the second value.
        propagate_nan: `tl.PropagateNan.NONE` returns the number if one side is NaN. `tl.PropagateNan.ALL` returns
            NaN.

    Errors: an error if shapes do not broadcast, or if an operand is fp8.

    Example::

        tl.store(out + i, tl.maximum(v, 0.0))
        tl.store(out + i, tl.minimum(v, w, propagate_nan=tl.PropagateNan.ALL))

    Values (lists are tiles)::

        tl.maximum([1, 5], [3, 2])  is [3, 5]
        tl.minimum([1.0, 5.0], 2.0) is [1.0, 2.0]
        tl.maximum([1.0, nan], 2.0) is [2.0, 2.0]
        tl.maximum([1.0, nan], 2.0, propagate_nan=tl.PropagateNan.ALL) is [2.0, nan]
    """
    raise NotImplementedError


@builtin
def min(input: Value, axis: Int | None = None, return_indices: Bool = False, return_indices_tie_break_left: Bool = True, keep_dims: Bool = False) -> Any:
    """Returns the largest or smallest element along an axis. fp8, fp16, bf16 and narrow integers give 32-bit
    results. NaN is ignored, unlike in NumPy. With `return_indices` the result is unspecified if the tile has a
    NaN. Types other than bf16 then keep their width.

    Args:
        input: a tile of numbers.
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
def minimum(x: Value, y: Value, propagate_nan: Any = PropagateNan.NONE) -> tensor:
    """Returns the larger or the smaller element of two values. They broadcast as operands do. The result of bf16 is
    fp32. A literal makes fp16 an fp32, and i8 or i16 an i32. Convert the result before a `tl.dot`: `tl.maximum(a,
    0.0).to(a.dtype)`.

    Args:
        x: the first value.
        y: the second value.
        propagate_nan: `tl.PropagateNan.NONE` returns the number if one side is NaN. `tl.PropagateNan.ALL` returns
            NaN.

    Errors: an error if shapes do not broadcast, or if an operand is fp8.

    Example::

        tl.store(out + i, tl.maximum(v, 0.0))
        tl.store(out + i, tl.minimum(v, w, propagate_nan=tl.PropagateNan.ALL))

    Values (lists are tiles)::

        tl.maximum([1, 5], [3, 2])  is [3, 5]
        tl.minimum([1.0, 5.0], 2.0) is [1.0, 2.0]
        tl.maximum([1.0, nan], 2.0) is [2.0, 2.0]
        tl.maximum([1.0, nan], 2.0, propagate_nan=tl.PropagateNan.ALL) is [2.0, nan]
    """
    raise NotImplementedError


@builtin
def mul(x: Value, y: Value, sanitize_overflow: Bool = True) -> tensor:
    """The operators `+`, `-` and `*` as functions. Integers wrap.

    Args:
        x: the first operand.
        y: the second operand.
        sanitize_overflow: accepted and ignored.

    Errors: as for the operators.

    Example::

        tl.store(out + i, tl.add(v, tl.sub(w, tl.mul(v, 2.0))))

    Values (lists are tiles)::

        tl.add([1, 2], 10)     is [11, 12]
        tl.sub([1, 2], 10)     is [-9, -8]
        tl.mul([65536], 65536) is [0]
    """
    raise NotImplementedError


@builtin
def multiple_of(input: Value, values: Any) -> tensor:
    """Promises that a scalar is a multiple of a number. In a tile `multiple_of(x, 8)` promises it of `x[0]`, `x[8]`,
    `x[16]` and so on. Returns the input. For pointers the multiple is in bytes.

    Args:
        input: a tile or a scalar of integers or pointers.
        values: a number for each dimension; one number for one dimension.

    Errors: an error if a number is missing, is not a constexpr integer, or is below 1.

    Example::

        first = tl.multiple_of(n, 16)
        tl.store(out + first + i, v)
    """
    raise NotImplementedError


@builtin
def next_power_of_2(n: Int) -> constexpr:
    """Returns the smallest power of two that is at least `n`.

    Args:
        n: an integer, known at compile time.

    Errors: an error if the number is known at run time only, or if the result does not fit in 64 bits.

    Triton: it is `triton.next_power_of_2`, which tilec takes too.

    Example::

        j = tl.arange(0, tl.next_power_of_2(BLOCK - 1))
        tl.store(out + j, 0.0)

    Values (lists are tiles)::

        tl.next_power_of_2(100) is 128
        tl.next_power_of_2(128) is 128
    """
    raise NotImplementedError


@builtin
def num_programs(axis: Int) -> tensor:
    """Returns the size of the grid along one axis, as an i32 scalar. Axes that the launch does not name have size 1.

    Args:
        axis: 0, 1 or 2, known at compile time.

    Errors: an error if the axis is another number, or if the call is in `@grid(...)`, a `.tile` file's default
        grid.

    Example::

        for block in range(tl.program_id(0), n, tl.num_programs(0)):
            tl.store(out + block * BLOCK + i, v)
    """
    raise NotImplementedError


@builtin
def num_threads() -> constexpr:
    """Returns the number of threads of a program, as a constexpr: 32 for each warp.

    Errors: none.

    Example::

        tl.static_assert(tl.num_threads() == 32 * tl.num_warps())
    """
    raise NotImplementedError


@builtin
def num_warps() -> constexpr:
    """Returns the number of warps of a program, as a constexpr. `tl.extra.cuda.num_warps` is the same function.

    Errors: none.

    Example::

        tl.static_assert(tl.num_warps() <= 32)
    """
    raise NotImplementedError


@builtin
def pair_uniform_to_normal(u1: Value, u2: Value) -> tuple[Any, ...]:
    """Maps two uniform numbers to two normal ones, by the Box-Muller transform.

    Args:
        u1: uniform floats.
        u2: uniform floats.

    Errors: an error if an argument is not a float.

    Example::

        a, b = tl.pair_uniform_to_normal(tl.rand(42, i), tl.rand(43, i))
        tl.store(out + i, a + b)
    """
    raise NotImplementedError


@builtin
def permute(input: Value, *dims: Any) -> tensor:
    """Reorders the dimensions. `trans` without dimensions swaps the last two; `permute` needs all of them.

    Args:
        input: a tile.
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
def philox(seed: Value, c0: Value, c1: Value, c2: Value, c3: Value, n_rounds: Int = 10) -> tuple[Any, ...]:
    """Returns the four numbers that Philox makes of a key and four counters.

    Args:
        seed: the key, an integer.
        c0: the first counter, of 32 or 64 bits.
        c1: the second counter.
        c2: the third counter.
        c3: the fourth counter.
        n_rounds: rounds of Philox.

    Errors: an error if an argument is not an integer, or if `c0` has fewer than 32 bits.

    Example::

        a, b, c, d = tl.philox(42, i, 0, 0, 0)
        tl.store(p + i, a)
    """
    raise NotImplementedError


@builtin
def pow(x: Value, y: Value) -> tensor:
    """Returns `x` to the power `y`. A small constant power becomes multiplications, a square root or a quotient.

    Args:
        x: the base.
        y: the exponent.

    Errors: an error if both operands are integers.

    Triton: it is `libdevice.pow` there.

    Example::

        tl.store(out + i, tl.pow(tl.abs(v), 1.5))

    Values (lists are tiles)::

        tl.pow([2.0, 9.0], 0.5) is about [1.4142, 3.0]
    """
    raise NotImplementedError


@builtin
def program_id(axis: Int) -> tensor:
    """Returns this program's index along one axis of the grid. The result is an i32 scalar from 0 to
    `num_programs(axis) - 1`.

    Args:
        axis: 0, 1 or 2, known at compile time.

    Errors: an error if the axis is another number, or if the call is in `@grid(...)`, a `.tile` file's default
        grid.

    Example::

        first = tl.program_id(0) * BLOCK
        tl.store(out + first + i, v)
    """
    raise NotImplementedError


@builtin
def rand(seed: Value, offset: Value, n_rounds: Int = 10) -> tensor:
    """Returns fp32 numbers from 0 up to, but not including, 1. The shape is that of the offsets.

    Args:
        seed: an integer.
        offset: integers, one for each number.
        n_rounds: rounds of Philox.

    Errors: an error if the seed or an offset is not an integer.

    Example::

        tl.store(out + i, tl.where(tl.rand(42, i) > 0.1, v / 0.9, 0.0))

    Values (lists are tiles)::

        tl.rand(42, [0, 1, 2]) is about [0.7741, 0.0246, 0.3483]
    """
    raise NotImplementedError


@builtin
def rand4x(seed: Value, offsets: Value, n_rounds: Int = 10) -> tuple[Any, ...]:
    """Returns four tiles of numbers as `rand` does, for the cost of one.

    Args:
        seed: an integer.
        offsets: integers, one for each group of four numbers.
        n_rounds: rounds of Philox.

    Errors: an error if the seed or an offset is not an integer.

    Example::

        a, b, c, d = tl.rand4x(42, i)
        tl.store(out + i, a + b + c + d)
    """
    raise NotImplementedError


@builtin
def randint(seed: Value, offset: Value, n_rounds: Int = 10) -> tensor:
    """Returns random u32 integers from 0 to 4294967295. The shape is that of the offsets. Integers from `low` up to,
    but not including, `high` are `(tl.randint(seed, i) % (high - low)).to(tl.int32) + low`, as NumPy's
    `randint(low, high)`. Here `low` and `high` are constexprs. If they are known at run time only, take `(high -
    low).to(tl.uint32)`.

    Args:
        seed: an integer.
        offset: integers, one for each number.
        n_rounds: rounds of Philox.

    Errors: an error if the seed or an offset is not an integer.

    Example::

        tl.store(p + i, (tl.randint(42, i) % 7).to(tl.int32) - 3)

    Values (lists are tiles)::

        tl.randint(42, [0, 1, 2]) is [2632642643, 4242219303, 3547071013]
    """
    raise NotImplementedError


@builtin
def randint4x(seed: Value, offset: Value, n_rounds: Int = 10) -> tuple[Any, ...]:
    """Returns four tiles of integers as `randint` does, for the cost of one.

    Args:
        seed: an integer.
        offset: integers, one for each group of four numbers.
        n_rounds: rounds of Philox.

    Errors: an error if the seed or an offset is not an integer.

    Example::

        a, b, c, d = tl.randint4x(42, i)
        tl.store(p + i, a ^ b ^ c ^ d)
    """
    raise NotImplementedError


@builtin
def randn(seed: Value, offset: Value, n_rounds: Int = 10) -> tensor:
    """Returns fp32 numbers of the normal distribution with mean 0 and deviation 1.

    Args:
        seed: an integer.
        offset: integers, one for each number.
        n_rounds: rounds of Philox.

    Errors: an error if the seed or an offset is not an integer.

    Example::

        tl.store(out + i, tl.randn(42, i))

    Values (lists are tiles)::

        tl.randn(42, [0, 1, 2]) is about [0.6606, -1.5427, -0.5905]
    """
    raise NotImplementedError


@builtin
def randn4x(seed: Value, offset: Value, n_rounds: Int = 10) -> tuple[Any, ...]:
    """Returns four tiles of numbers as `randn` does, for the cost of one.

    Args:
        seed: an integer.
        offset: integers, one for each group of four numbers.
        n_rounds: rounds of Philox.

    Errors: an error if the seed or an offset is not an integer.

    Example::

        a, b, c, d = tl.randn4x(42, i)
        tl.store(out + i, a + b + c + d)
    """
    raise NotImplementedError


@builtin
def ravel(x: Value, can_reorder: Bool = False) -> tensor:
    """Returns the elements as a one-dimensional tile, in row-major order.

    Args:
        x: a tile.
        can_reorder: True allows any order; tilec keeps the order.

    Errors: an error if the argument is not a tile.

    Example::

        tl.store(out + i, tl.ravel(tl.reshape(v, 8, 16)))

    Values (lists are tiles)::

        tl.ravel([[1, 2], [3, 4]]) is [1, 2, 3, 4]
    """
    raise NotImplementedError


@builtin
def reduce(input: Any, axis: Int, combine_fn: Function, keep_dims: Bool = False) -> Any:
    """Combines the elements along an axis with a function of the program. The function must be associative. It takes
    and returns scalars, one for each tile in `input`.

    Args:
        input: a tile, or a tuple of tiles of one shape.
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
def reduce_or(input: Value, axis: Int | None = None, keep_dims: Bool = False) -> tensor:
    """Combines integers along an axis by exclusive or, or by or.

    Args:
        input: a tile of integers.
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
def reshape(input: Value, *shape: Any, can_reorder: Bool = False) -> tensor:
    """Returns the same elements, in row-major order, with another shape.

    Args:
        input: a tile.
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
def rsqrt(x: Value) -> tensor:
    """Returns the square root, or one divided by it. Both use approximate instructions for fp32.

    Args:
        x: floats of any shape.

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
def sigmoid(x: Value) -> tensor:
    """Returns `1 / (1 + exp(-x))`.

    Args:
        x: floats of any shape.

    Errors: an error if the argument is an integer or fp8; cast it first.

    Example::

        tl.store(out + i, v * tl.sigmoid(v))

    Values (lists are tiles)::

        tl.sigmoid([0.0, 2.0, -2.0]) is about [0.5, 0.8808, 0.1192]
    """
    raise NotImplementedError


@builtin
def sin(x: Value) -> tensor:
    """Returns the sine or the cosine of an angle in radians.

    Args:
        x: floats of any shape.

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
def smid() -> tensor:
    """Returns the number of the multiprocessor that runs the program, as an i32 scalar.

    Errors: an error in `@grid(...)`, a `.tile` file's default grid.

    Triton: it is in `tl.extra.cuda`, where tilec has it too.

    Example::

        tl.store(p + tl.program_id(0), tl.smid())
    """
    raise NotImplementedError


@builtin
def softmax(x: Value, dim: Int | None = None, keep_dims: Bool = False, ieee_rounding: Bool = False) -> tensor:
    """Returns `exp(x - max(x)) / sum(exp(x - max(x)))` along one dimension. The shape stays the same.

    Args:
        x: a tile of floats.
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
def sort(x: Value, dim: Int | None = None, descending: Bool = False) -> tensor:
    """Sorts along a dimension, NaNs last. `bitonic_merge` sorts a bitonic sequence: one that rises and then falls.

    Args:
        x: a tile of numbers.
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
def split(a: Value) -> tuple[Any, ...]:
    """Returns the two halves along the last dimension, which has size 2. It undoes `join`: `[M, N, 2]` gives two
    tiles `[M, N]`.

    Args:
        a: a tile whose last dimension is 2.

    Errors: an error if the last dimension is not 2.

    Example::

        even, odd = tl.split(tl.reshape(v, 64, 2))
        tl.store(out + tl.arange(0, 64), even + odd)

    Values (lists are tiles)::

        tl.split([[1, 4], [2, 5], [3, 6]]) is ([1, 2, 3], [4, 5, 6])
    """
    raise NotImplementedError


@builtin
def sqrt(x: Value) -> tensor:
    """Returns the square root, or one divided by it. Both use approximate instructions for fp32.

    Args:
        x: floats of any shape.

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
def sqrt_rn(x: Value) -> tensor:
    """Returns the square root, correctly rounded.

    Args:
        x: floats of any shape.

    Errors: an error if the argument is an integer or fp8; cast it first.

    Triton: only fp32 is accepted there.

    Example::

        tl.store(out + i, tl.sqrt_rn(v))

    Values (lists are tiles)::

        tl.sqrt_rn([9.0, 2.0]) is about [3.0, 1.4142]
    """
    raise NotImplementedError


@builtin
def squeeze(x: Value, dim: Int) -> tensor:
    """`squeeze` removes a dimension of size 1. `unsqueeze` inserts one, as `expand_dims` does.

    Args:
        x: a tile.
        dim: the dimension's place, in the result for `unsqueeze`. Negative ones count from the end.

    Errors: an error if the place is out of range, or if the removed dimension has another size.

    Example::

        column = tl.unsqueeze(v, 1)
        tl.store(out + i, tl.squeeze(column, 1))

    Values (lists are tiles)::

        tl.squeeze([[1, 2, 3]], 0) is [1, 2, 3]
        tl.unsqueeze([1, 2, 3], 1) is [[1], [2], [3]]
    """
    raise NotImplementedError


@builtin
def static_assert(cond: Any, msg: Str = "") -> None:
    """Stops the compilation with an error if a condition is false.

    Args:
        cond: known at compile time.
        msg: the error's text.

    Errors: an error if the condition is false, or known at run time only.

    Example::

        tl.static_assert(BLOCK % 16 == 0, "BLOCK must be a multiple of 16")
    """
    raise NotImplementedError


@builtin
def static_print(*values: Any, sep: Str = " ", end: Str = "\n") -> None:
    """Prints values while the kernel is compiled, as a note with the location. Launches from Python print the values
    alone, to `sys.stdout`.

    Args:
        values: any values; a run-time value is printed as its type.
        sep: the text between two values.
        end: accepted; each call is one note.

    Errors: an error if `sep` is not a string.

    Example::

        tl.static_print("BLOCK is", BLOCK)
    """
    raise NotImplementedError


@builtin
def store(pointer: Value, value: Value, mask: Value = None, boundary_check: Shape = (), cache_modifier: Str = "", eviction_policy: Str = "") -> None:
    """Writes one element for each pointer. The value is converted to the pointed-to type and broadcasts to the
    pointer's shape. If two elements, of one program or of two, write different values to one address, that is a
    race. Equal values are not a race.

    Args:
        pointer: a pointer, a tile of pointers, or a block pointer.
        value: what is written: a number, a scalar or a tile.
        mask: elements that are written, as i1. None writes all elements.
        boundary_check: for block pointers, the dimensions whose bounds are checked.
        cache_modifier: `".wb"`: written to memory when it leaves the cache; `".cg"`: kept in L2 only; `".cs"`:
            not used again soon; `".wt"`: written to memory at once. `""` lets the GPU choose.
        eviction_policy: as for `tl.load`.

    Errors: an error if `pointer` is not a pointer or is declared `tl.const`. An error if the mask is not i1. An
        error if `value` is a tile and `pointer` is one pointer: pass a tile of pointers, as in `out + i`.

    Triton: block pointers there refuse a value of another type. tilec converts it.

    Example::

        tl.store(out + i, v * 2, mask=i < n)
    """
    raise NotImplementedError


@builtin
def store_tensor_descriptor(desc: tensor_descriptor, offsets: Shape, value: Value) -> None:
    """Writes one block of the tensor. The value is converted to the tensor's element type. Elements outside are
    skipped.

    Args:
        desc: a tensor descriptor.
        offsets: the block's first element, one integer for each dimension.
        value: a tile with the block's shape, or what broadcasts to it.

    Errors: an error if the number of offsets differs, or if the value's shape does not fit the block.

    Example::

        desc = tl.make_tensor_descriptor(out, [n, 64], [64, 1], [16, 64])
        desc.store([0, 0], tl.zeros([16, 64], tl.float32))
        tl.store_tensor_descriptor(desc, [16, 0], tl.zeros([16, 64], tl.float32))
    """
    raise NotImplementedError


@builtin
def sub(x: Value, y: Value, sanitize_overflow: Bool = True) -> tensor:
    """The operators `+`, `-` and `*` as functions. Integers wrap.

    Args:
        x: the first operand.
        y: the second operand.
        sanitize_overflow: accepted and ignored.

    Errors: as for the operators.

    Example::

        tl.store(out + i, tl.add(v, tl.sub(w, tl.mul(v, 2.0))))

    Values (lists are tiles)::

        tl.add([1, 2], 10)     is [11, 12]
        tl.sub([1, 2], 10)     is [-9, -8]
        tl.mul([65536], 65536) is [0]
    """
    raise NotImplementedError


@builtin
def sum(input: Value, axis: Int | None = None, keep_dims: Bool = False, dtype: DType | None = None) -> tensor:
    """Adds the elements along an axis. The result keeps the element type, but narrow integers are added in 32 bits
    and bools in u32. Sums of fp16 and bf16 are rounded at each step: `dtype=tl.float32` avoids this. Threads add
    in an order of their own, so floats may differ in the last bits from a sum in order.

    Args:
        input: a tile of numbers, not of fp8.
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
def swizzle2d(i: Value, j: Value, size_i: Value, size_j: Value, size_g: Value) -> tuple[Any, ...]:
    """Renumbers a grid so that groups of `size_g` rows are walked column by column. Programs that run at the same
    time then share rows and columns, which helps the L2 cache. Returns the new indices `(i, j)`.

    Args:
        i: the row index in the original grid.
        j: the column index in the original grid.
        size_i: the number of rows.
        size_j: the number of columns.
        size_g: the number of rows in a group.

    Errors: an error if an argument is not an integer.

    Example::

        row, column = tl.swizzle2d(tl.program_id(0), tl.program_id(1), tl.num_programs(0), tl.num_programs(1), 8)
        tl.store(p + row * tl.num_programs(1) + column, 1)

    Values (lists are tiles)::

        tl.swizzle2d(0, 0, 4, 4, 2)                       is (0, 0)
        tl.swizzle2d(0, 1, 4, 4, 2)                       is (1, 0)
        tl.swizzle2d(0, 2, 4, 4, 2)                       is (0, 1)
        tl.swizzle2d([0, 0, 0, 0], [0, 1, 2, 3], 4, 4, 2) is ([0, 1, 0, 1], [0, 0, 1, 1])
        tl.swizzle2d([1, 1, 1, 1], [0, 1, 2, 3], 4, 4, 2) is ([0, 1, 0, 1], [2, 2, 3, 3])
    """
    raise NotImplementedError


@builtin
def tanh(x: Value) -> tensor:
    """Returns the hyperbolic tangent.

    Args:
        x: floats of any shape.

    Errors: an error if the argument is an integer or fp8; cast it first.

    Triton: it is `libdevice.tanh` there.

    Example::

        tl.store(out + i, tl.tanh(v))

    Values (lists are tiles)::

        tl.tanh([0.0, 1.0, -9.0]) is about [0.0, 0.7616, -1.0]
    """
    raise NotImplementedError


@builtin
def tensor_descriptor_base(*args: Any) -> Any:
    """Classes for `isinstance` and annotations. A kernel cannot call them.

    Args:
        args: none; a call is an error.

    Errors: an error if a kernel calls one.

    Example::

        tl.static_assert(isinstance(v, tl.tensor))
        tl.static_assert(not isinstance(v, tl.tensor_descriptor))
        tl.static_assert(not isinstance(v, tl.tensor_descriptor_base))
        tl.static_assert(isinstance(v.type, tl.block_type))
        tl.static_assert(not isinstance(v.type, tl.tuple_type))
    """
    raise NotImplementedError


@builtin
def to_tensor(x: Value) -> tensor:
    """Returns the value as a run-time value. A number becomes a scalar: an integer i32 if it fits, a float fp32. A
    tile or a scalar is returned as it is.

    Args:
        x: a number, a scalar or a tile.

    Errors: an error if the argument is a string, a type or a function.

    Example::

        half = tl.to_tensor(0.5)
        tl.store(out + i, v * half)

    Values (lists are tiles)::

        tl.to_tensor(3)   is 3
        tl.to_tensor(0.5) is 0.5
    """
    raise NotImplementedError


@builtin
def topk(x: Value, k: Int, dim: Int | None = None, descending: Bool = True) -> tensor:
    """Returns the `k` largest elements along a dimension, largest first, or the smallest, smallest first. NaNs are
    selected last.

    Args:
        x: a tile of numbers.
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
def trans(input: Value, *dims: Any) -> tensor:
    """Reorders the dimensions. `trans` without dimensions swaps the last two; `permute` needs all of them.

    Args:
        input: a tile.
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
def uint_to_uniform_float(x: Value) -> tensor:
    """Maps random integers to fp32 numbers from 0 up to, but not including, 1.

    Args:
        x: integers of 32 or 64 bits.

    Errors: an error if the argument is not an integer of 32 or 64 bits.

    Example::

        tl.store(out + i, tl.uint_to_uniform_float(tl.randint(42, i)))

    Values (lists are tiles)::

        tl.uint_to_uniform_float([0, 1073741824]) is about [0.0, 0.5]
    """
    raise NotImplementedError


@builtin
def umulhi(x: Value, y: Value) -> tensor:
    """Multiplies two integers as unsigned ones and returns the upper half of the result: 32 bits of 64, or 64 of
    128.

    Args:
        x: integers of 32 or 64 bits.
        y: integers of 32 or 64 bits.

    Errors: an error if an operand is not an integer of 32 or 64 bits.

    Example::

        tl.store(p + i, tl.umulhi(k.to(tl.uint32), i.to(tl.uint32)))

    Values (lists are tiles)::

        tl.umulhi([2147483647, 65536], 65536) is [32767, 1]
        tl.umulhi([-1], [2])                  is [1]
    """
    raise NotImplementedError


@builtin
def unsqueeze(x: Value, dim: Int) -> tensor:
    """`squeeze` removes a dimension of size 1. `unsqueeze` inserts one, as `expand_dims` does.

    Args:
        x: a tile.
        dim: the dimension's place, in the result for `unsqueeze`. Negative ones count from the end.

    Errors: an error if the place is out of range, or if the removed dimension has another size.

    Example::

        column = tl.unsqueeze(v, 1)
        tl.store(out + i, tl.squeeze(column, 1))

    Values (lists are tiles)::

        tl.squeeze([[1, 2, 3]], 0) is [1, 2, 3]
        tl.unsqueeze([1, 2, 3], 1) is [[1], [2], [3]]
    """
    raise NotImplementedError


@builtin
def view(input: Value, *shape: Any, can_reorder: Bool = False) -> tensor:
    """Returns the same elements, in row-major order, with another shape.

    Args:
        input: a tile.
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
def where(condition: Value, x: Value, y: Value) -> tensor:
    """Returns `x` where the condition holds, else `y`. All three broadcast to one shape. Both sides are always
    computed, so use a mask to guard a load.

    Args:
        condition: i1, or numbers, where every number but 0 is true.
        x: the value where the condition holds.
        y: the value elsewhere.

    Errors: an error if shapes do not broadcast, or if the condition is a pointer.

    Example::

        tl.store(out + i, tl.where(v > 0, v, 0.0))

    Values (lists are tiles)::

        tl.where([True, False], [1, 2], [10, 20])             is [1, 20]
        tl.where([1.0, -2.0, 3.0] > 0, [1.0, -2.0, 3.0], 0.0) is [1.0, 0.0, 3.0]
        tl.where([True, False][:, None], [1, 2][None, :], 0)  is [[1, 2], [0, 0]]
    """
    raise NotImplementedError


@builtin
def xor_sum(input: Value, axis: Int | None = None, keep_dims: Bool = False) -> tensor:
    """Combines integers along an axis by exclusive or, or by or.

    Args:
        input: a tile of integers.
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
def zeros(shape: Shape, dtype: DType) -> tensor:
    """Returns a tile of zeros.

    Args:
        shape: the tile's sizes, known at compile time.
        dtype: the element type, such as `tl.float32`.

    Errors: an error if a size is not a positive constexpr integer, or if the tile has over 1,048,576 elements.

    Example::

        acc = tl.zeros([128], dtype=tl.float32)
        tl.store(out + i, acc + v)

    Values (lists are tiles)::

        tl.zeros((2, 3), tl.float32) is [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    raise NotImplementedError


@builtin
def zeros_like(input: Value) -> tensor:
    """Returns zeros with the shape and the element type of another value.

    Args:
        input: a tile or a scalar of numbers.

    Errors: an error if the input is a pointer or a tile of pointers.

    Example::

        tl.store(out + i, tl.zeros_like(v))

    Values (lists are tiles)::

        tl.zeros_like([1, 2, 3]) is [0, 0, 0]
    """
    raise NotImplementedError
