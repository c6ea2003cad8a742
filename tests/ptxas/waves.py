# SPDX-License-Identifier: Apache-2.0
# compile: -D K=64 -D T=128 --signature x=*fp64:16,o=*fp64:16,n=i32
# seconds: 5
"""Sine and cosine of fp64, of 64 elements per thread each."""
import triton
import triton.language as tl


@triton.jit
def waves(x, o, n, K: tl.constexpr, T: tl.constexpr):
    k, t = tl.arange(0, K), tl.arange(0, T)
    angle = (k[:, None] * t[None, :]).to(tl.float64) * (-6.283185307179586 / n)
    v = tl.load(x + t, mask=t < n, other=0.0)[None, :]
    tl.store(o + 2 * k, tl.sum(v * tl.cos(angle), 1))
    tl.store(o + 2 * k + 1, tl.sum(v * tl.sin(angle), 1))
