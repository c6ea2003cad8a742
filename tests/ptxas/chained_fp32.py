# SPDX-License-Identifier: Apache-2.0
# compile: --signature a=*fp32:16,b=*fp32:16,c=*fp32:16,n=i32
# seconds: 5
"""Chained dots of fp32 in IEEE precision: 16,384 multiply-adds per thread, by loops over k."""
import triton
import triton.language as tl


@triton.jit
def chained_fp32(a, b, c, n):
    i, j = tl.arange(0, 128), tl.arange(0, 64)
    q = tl.load(a + i[:, None] * 64 + j[None, :])
    acc = tl.zeros((128, 64), tl.float32)
    for t in range(n):
        k = tl.load(b + t * 8192 + i[:, None] * 64 + j[None, :])
        acc = tl.dot(tl.exp(tl.dot(q, tl.trans(k), input_precision="ieee")), k, acc, input_precision="ieee")
    tl.store(c + i[:, None] * 64 + j[None, :], acc)
