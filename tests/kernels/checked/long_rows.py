# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that do not fit a thread's registers in fp32, as norms and softmax have them: what is used after a reduction is made again."""

import triton
import triton.language as tl


# check: --grid 2 --num-warps 2 --maxnreg 64 -D B=4096 x=randn:bf16[2,4096] w=randn:bf16[4096] y=empty:bf16[2,4096] n=4096
# check: --grid 2 --num-warps 2 --maxnreg 64 -D B=4096 x=randn:bf16[2,3001] w=randn:bf16[3001] y=empty:bf16[2,3001] n=3001
# check: --grid 1 --num-warps 1 --maxnreg 64 -D B=2048 x=randn:fp16[1,1] w=randn:fp16[1] y=empty:fp16[1,1] n=1
@triton.jit
def layer_norm(x, w, y, n, B: tl.constexpr):
    row, c = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0).to(tl.float32)
    d = tl.where(c < n, v - tl.sum(v, 0) / n, 0)
    scale = tl.rsqrt(tl.sum(d * d, 0) / n + 1e-5)
    tl.store(y + row * n + c, d * scale * tl.load(w + c, mask=c < n).to(tl.float32), mask=c < n)


# check: --grid 2 --num-warps 4 --maxnreg 48 -D B=4096 x=randn:fp16[2,4096] y=empty:fp16[2,4096] n=4096
# check: --grid 2 --num-warps 2 --maxnreg 64 -D B=4096 x=randn:bf16[2,2049] y=empty:bf16[2,2049] n=2049
@triton.jit
def softmax(x, y, n, B: tl.constexpr):
    row, c = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * n + c, e / tl.sum(e, 0), mask=c < n)


# check: --grid 1 --num-warps 2 --maxnreg 64 -D B=2048 x=randn:bf16[3,2048] y=empty:fp32[3,2048] rows=3
# check: --grid 1 --num-warps 2 --maxnreg 64 -D B=4096 x=randn:bf16[1,4096] y=empty:fp32[1,4096] rows=0
# check: --grid 1 --num-warps 2 --maxnreg 64 -D B=4096 x=randn:bf16[2,4096] y=&x rows=2
@triton.jit
def centred(x, y, rows, B: tl.constexpr):
    """In a loop; y may be x."""
    c = tl.arange(0, B)
    for row in range(rows):
        v = tl.load(x + row * B + c).to(tl.float32)
        d = v - tl.sum(v, 0) / B
        tl.store(y + row * B + c, d / tl.max(tl.abs(d), 0))
        tl.debug_barrier()
