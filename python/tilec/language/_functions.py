# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by scripts/python-language from frontend/builtins/builtins.def.
"""The functions of the language; a kernel alone can call them."""

from typing import Any

from ._core import builtin

__all__ = [
    "abs",
    "add",
    "advance",
    "arange",
    "argmax",
    "argmin",
    "associative_scan",
    "assume",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_max",
    "atomic_min",
    "atomic_or",
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
    "view",
    "where",
    "xor_sum",
    "zeros",
    "zeros_like",
]


@builtin
def _experimental_descriptor_load(desc_pointer: Any, offsets: Any, shape: Any = None, dtype: Any = None) -> Any: ...


@builtin
def _experimental_descriptor_store(desc_pointer: Any, value: Any, offsets: Any) -> Any: ...


@builtin
def _experimental_make_tensor_descriptor(base: Any, shape: Any, strides: Any, block_shape: Any, padding_option: Any = None) -> Any: ...


@builtin
def _log2(i: Any) -> Any: ...


@builtin
def _unwrap_if_constexpr(o: Any) -> Any: ...


@builtin
def abs(x: Any) -> Any: ...


@builtin
def add(x: Any, y: Any, sanitize_overflow: Any = None) -> Any: ...


@builtin
def advance(base: Any, offsets: Any) -> Any: ...


@builtin
def arange(start: Any, end: Any) -> Any: ...


@builtin
def argmax(input: Any, axis: Any, tie_break_left: Any = None, keep_dims: Any = None) -> Any: ...


@builtin
def argmin(input: Any, axis: Any, tie_break_left: Any = None, keep_dims: Any = None) -> Any: ...


@builtin
def associative_scan(input: Any, axis: Any, combine_fn: Any, reverse: Any = None) -> Any: ...


@builtin
def assume(condition: Any) -> Any: ...


@builtin
def atomic_add(pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> Any: ...


@builtin
def atomic_and(pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> Any: ...


@builtin
def atomic_cas(pointer: Any, cmp: Any, val: Any, sem: Any = None, scope: Any = None) -> Any: ...


@builtin
def atomic_max(pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> Any: ...


@builtin
def atomic_min(pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> Any: ...


@builtin
def atomic_or(pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> Any: ...


@builtin
def atomic_xchg(pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> Any: ...


@builtin
def atomic_xor(pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> Any: ...


@builtin
def bitonic_merge(x: Any, dim: Any = None, descending: Any = None) -> Any: ...


@builtin
def broadcast(input: Any, other: Any) -> Any: ...


@builtin
def broadcast_to(input: Any, *shape: Any) -> Any: ...


@builtin
def cast(input: Any, dtype: Any, fp_downcast_rounding: Any = None, bitcast: Any = None) -> Any: ...


@builtin
def cat(input: Any, other: Any, can_reorder: Any = None, dim: Any = None) -> Any: ...


@builtin
def cdiv(x: Any, div: Any) -> Any: ...


@builtin
def ceil(x: Any) -> Any: ...


@builtin
def clamp(x: Any, min: Any, max: Any, propagate_nan: Any = None) -> Any: ...


@builtin
def cos(x: Any) -> Any: ...


@builtin
def cumprod(input: Any, axis: Any = None, reverse: Any = None) -> Any: ...


@builtin
def cumsum(input: Any, axis: Any = None, reverse: Any = None, dtype: Any = None) -> Any: ...


@builtin
def debug_barrier() -> Any: ...


@builtin
def device_assert(cond: Any, msg: Any = None, mask: Any = None) -> Any: ...


@builtin
def device_print(prefix: Any, *args: Any, hex: Any = None) -> Any: ...


@builtin
def div_rn(x: Any, y: Any) -> Any: ...


@builtin
def dot(input: Any, other: Any, acc: Any = None, input_precision: Any = None, allow_tf32: Any = None, max_num_imprecise_acc: Any = None, out_dtype: Any = None) -> Any: ...


@builtin
def dot_scaled(lhs: Any, lhs_scale: Any, lhs_format: Any, rhs: Any, rhs_scale: Any, rhs_format: Any, acc: Any = None, fast_math: Any = None, lhs_k_pack: Any = None, rhs_k_pack: Any = None, out_dtype: Any = None) -> Any: ...


@builtin
def erf(x: Any) -> Any: ...


@builtin
def exp(x: Any) -> Any: ...


@builtin
def exp2(x: Any) -> Any: ...


@builtin
def expand_dims(input: Any, axis: Any) -> Any: ...


@builtin
def fdiv(x: Any, y: Any, ieee_rounding: Any = None) -> Any: ...


@builtin
def flip(x: Any, dim: Any = None) -> Any: ...


@builtin
def floor(x: Any) -> Any: ...


@builtin
def fma(x: Any, y: Any, z: Any) -> Any: ...


@builtin
def full(shape: Any, value: Any, dtype: Any) -> Any: ...


@builtin
def gather(src: Any, index: Any, axis: Any) -> Any: ...


@builtin
def gdc_launch_dependents() -> Any: ...


@builtin
def gdc_wait() -> Any: ...


@builtin
def get_int_dtype(bitwidth: Any, signed: Any) -> Any: ...


@builtin
def globaltimer() -> Any: ...


@builtin
def histogram(input: Any, num_bins: Any, mask: Any = None) -> Any: ...


@builtin
def inline_asm_elementwise(asm: Any, constraints: Any, args: Any, dtype: Any, is_pure: Any, pack: Any) -> Any: ...


@builtin
def interleave(a: Any, b: Any) -> Any: ...


@builtin
def item(input: Any) -> Any: ...


@builtin
def join(a: Any, b: Any) -> Any: ...


@builtin
def load(pointer: Any, mask: Any = None, other: Any = None, boundary_check: Any = None, padding_option: Any = None, cache_modifier: Any = None, eviction_policy: Any = None, volatile: Any = None) -> Any: ...


@builtin
def load_tensor_descriptor(desc: Any, offsets: Any) -> Any: ...


@builtin
def log(x: Any) -> Any: ...


@builtin
def log2(x: Any) -> Any: ...


@builtin
def make_block_ptr(base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any = None) -> Any: ...


@builtin
def make_tensor_descriptor(base: Any, shape: Any, strides: Any, block_shape: Any, padding_option: Any = None) -> Any: ...


@builtin
def map_elementwise(scalar_fn: Any, *args: Any, pack: Any = None) -> Any: ...


@builtin
def max(input: Any, axis: Any = None, return_indices: Any = None, return_indices_tie_break_left: Any = None, keep_dims: Any = None) -> Any: ...


@builtin
def max_constancy(input: Any, values: Any) -> Any: ...


@builtin
def max_contiguous(input: Any, values: Any) -> Any: ...


@builtin
def maximum(x: Any, y: Any, propagate_nan: Any = None) -> Any: ...


@builtin
def min(input: Any, axis: Any = None, return_indices: Any = None, return_indices_tie_break_left: Any = None, keep_dims: Any = None) -> Any: ...


@builtin
def minimum(x: Any, y: Any, propagate_nan: Any = None) -> Any: ...


@builtin
def mul(x: Any, y: Any, sanitize_overflow: Any = None) -> Any: ...


@builtin
def multiple_of(input: Any, values: Any) -> Any: ...


@builtin
def next_power_of_2(n: Any) -> Any: ...


@builtin
def num_programs(axis: Any) -> Any: ...


@builtin
def num_threads() -> Any: ...


@builtin
def num_warps() -> Any: ...


@builtin
def pair_uniform_to_normal(u1: Any, u2: Any) -> Any: ...


@builtin
def permute(input: Any, *dims: Any) -> Any: ...


@builtin
def philox(seed: Any, c0: Any, c1: Any, c2: Any, c3: Any, n_rounds: Any = None) -> Any: ...


@builtin
def pow(x: Any, y: Any) -> Any: ...


@builtin
def program_id(axis: Any) -> Any: ...


@builtin
def rand(seed: Any, offset: Any, n_rounds: Any = None) -> Any: ...


@builtin
def rand4x(seed: Any, offsets: Any, n_rounds: Any = None) -> Any: ...


@builtin
def randint(seed: Any, offset: Any, n_rounds: Any = None) -> Any: ...


@builtin
def randint4x(seed: Any, offset: Any, n_rounds: Any = None) -> Any: ...


@builtin
def randn(seed: Any, offset: Any, n_rounds: Any = None) -> Any: ...


@builtin
def randn4x(seed: Any, offset: Any, n_rounds: Any = None) -> Any: ...


@builtin
def ravel(x: Any, can_reorder: Any = None) -> Any: ...


@builtin
def reduce(input: Any, axis: Any, combine_fn: Any, keep_dims: Any = None) -> Any: ...


@builtin
def reduce_or(input: Any, axis: Any = None, keep_dims: Any = None) -> Any: ...


@builtin
def reshape(input: Any, *shape: Any, can_reorder: Any = None) -> Any: ...


@builtin
def rsqrt(x: Any) -> Any: ...


@builtin
def sigmoid(x: Any) -> Any: ...


@builtin
def sin(x: Any) -> Any: ...


@builtin
def smid() -> Any: ...


@builtin
def softmax(x: Any, dim: Any = None, keep_dims: Any = None, ieee_rounding: Any = None) -> Any: ...


@builtin
def sort(x: Any, dim: Any = None, descending: Any = None) -> Any: ...


@builtin
def split(a: Any) -> Any: ...


@builtin
def sqrt(x: Any) -> Any: ...


@builtin
def sqrt_rn(x: Any) -> Any: ...


@builtin
def static_assert(condition: Any, message: Any = None) -> Any: ...


@builtin
def static_print(*values: Any, sep: Any = None, end: Any = None) -> Any: ...


@builtin
def store(pointer: Any, value: Any, mask: Any = None, boundary_check: Any = None, cache_modifier: Any = None, eviction_policy: Any = None) -> Any: ...


@builtin
def store_tensor_descriptor(desc: Any, offsets: Any, value: Any) -> Any: ...


@builtin
def sub(x: Any, y: Any, sanitize_overflow: Any = None) -> Any: ...


@builtin
def sum(input: Any, axis: Any = None, keep_dims: Any = None, dtype: Any = None) -> Any: ...


@builtin
def swizzle2d(i: Any, j: Any, size_i: Any, size_j: Any, size_g: Any) -> Any: ...


@builtin
def tanh(x: Any) -> Any: ...


@builtin
def tensor_descriptor_base(*args: Any) -> Any: ...


@builtin
def to_tensor(x: Any) -> Any: ...


@builtin
def topk(x: Any, k: Any, dim: Any = None) -> Any: ...


@builtin
def trans(input: Any, *dims: Any) -> Any: ...


@builtin
def uint_to_uniform_float(x: Any) -> Any: ...


@builtin
def umulhi(x: Any, y: Any) -> Any: ...


@builtin
def view(input: Any, *shape: Any, can_reorder: Any = None) -> Any: ...


@builtin
def where(condition: Any, x: Any, y: Any) -> Any: ...


@builtin
def xor_sum(input: Any, axis: Any = None, keep_dims: Any = None) -> Any: ...


@builtin
def zeros(shape: Any, dtype: Any) -> Any: ...


@builtin
def zeros_like(input: Any) -> Any: ...
