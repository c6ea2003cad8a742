# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that `mypy --strict` and pyright accept: tests/groups/python runs them on it."""

import numpy as np

import tilec.language as tl
from tilec import Config, autotune, cdiv, constexpr, jit


@jit
def relu(x: tl.tensor) -> tl.tensor:
    return tl.maximum(x, 0.0)


@autotune([Config({"BLOCK": 64}), Config({"BLOCK": 128}, num_warps=8)], key=["n"])
@jit
def add(x: tl.tensor, y: tl.tensor, out: tl.tensor, n: tl.tensor, BLOCK: constexpr) -> None:
    HALF: tl.constexpr = BLOCK // 2
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = (i < n) & (i >= 0)
    value = tl.load(x + i, mask=inside, other=0.0) + tl.load(y + i, mask=inside).to(tl.float32)
    for step in tl.static_range(HALF // 16):
        value += -value.sum(axis=0) * (step * 0)
    largest, where = tl.max(value, axis=0, return_indices=True)
    if largest > 0 and where < 0:
        value = tl.ravel(value[:, None])
    tl.store(out + i, value, mask=inside)


@jit
def square(x: tl.tensor, out: tl.tensor, SIZE: constexpr) -> None:
    i = tl.arange(0, SIZE)
    tile = tl.load(x + i[:, None] * SIZE + i[None, :])
    acc = tl.zeros([SIZE, SIZE], dtype=tl.float32)
    for _ in range(0, tl.cdiv(SIZE, SIZE)):
        acc = tl.dot(tile, tile.T, acc, input_precision="ieee")
    tl.store(out + i[:, None] * SIZE + i[None, :], relu(acc).to(out.dtype.element_ty))


x = np.arange(1000, dtype=np.float32)
out = np.empty_like(x)
add[lambda meta: (cdiv(1000, meta["BLOCK"]),)](x, x, out, 1000)
assert (out == x + x).all()
tile = np.eye(16, dtype=np.float32)
square[1](tile, tile, 16)
assert (tile == np.eye(16)).all()
