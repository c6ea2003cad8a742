# Named tuples that are made in kernels, given to functions, carried round loops and returned.
from typing import Any, NamedTuple

import triton
import triton.language as tl


class View(NamedTuple):
    ptr: Any
    shape: tuple
    strides: tuple
    scale: tl.constexpr = 2.0


class State(NamedTuple):
    best: Any
    where: Any


@triton.jit
def view(ptr, m, n):
    return View(ptr, shape=(m, n), strides=(n, 1))


@triton.jit
def row(v: View, i, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    return tl.load(v.ptr + i * v.strides[0] + at * v.strides[1], mask=at < v.shape[1], other=0) * v.scale


@triton.jit
def better(a: State, b: State):
    return State(tl.maximum(a.best, b.best), where=tl.where(b.best > a.best, b.where, a.where))


# check: --grid 1 x=randn:fp32[7,13] out=empty:fp32[13] rows=empty:i32[13] m=7 n=13 -D BLOCK=16
# check: --grid 1 x=randn:fp16[40,16] out=empty:fp32[16] rows=empty:i32[16] m=40 n=16 -D BLOCK=16
@triton.jit
def greatest_of_columns(x, out, rows, m, n, BLOCK: tl.constexpr):
    v = view(x, m, n)
    state = State(row(v, 0, BLOCK).to(tl.float32), tl.zeros((BLOCK,), tl.int32))
    for i in range(1, m):
        state = better(state, State(row(v, i, BLOCK).to(tl.float32), i))
    best, where = state
    at = tl.arange(0, BLOCK)
    tl.store(out + at, best, mask=at < n)
    tl.store(rows + at, state.where, mask=at < v.shape[1])
