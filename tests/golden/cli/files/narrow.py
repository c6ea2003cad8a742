# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed and narrow instructions by inline assembly, and what differs from the same in fp32: nothing."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def nearest(v, first: tl.constexpr, step: tl.constexpr, most: tl.constexpr):
    """Steps that double from `first` on."""
    size = tl.abs(v)
    s = step * tl.maximum(1.0, tl.exp2(tl.floor(tl.log2(size / first)) + 1))
    return tl.where(v < 0, -1.0, 1.0) * tl.minimum(libdevice.rint(size / s) * s, most)


@triton.jit
def pairs(x, out, N: tl.constexpr):
    v = libdevice.rint(tl.load(x + tl.arange(0, N)) * 4)
    y = tl.inline_asm_elementwise("""{ .reg .b64 a, b;
        mov.b64 a, {$2, $3};
        fma.rn.f32x2 b, a, a, a;
        sub.rn.f32x2 b, b, a;
        mul.rn.f32x2 b, b, a;
        add.rn.f32x2 b, b, a;
        mov.b64 {$0, $1}, b; }""", "=f,=f,f,f", [v], dtype=tl.float32, is_pure=True, pack=2)
    tl.store(out + tl.arange(0, N), y - ((libdevice.fma(v, v, v) - v) * v + v))


@triton.jit
def e2m1(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N)) * 2
    y = tl.inline_asm_elementwise("""{ .reg .b8 p; .reg .b32 h; .reg .f16 lo, hi;
        cvt.rn.satfinite.e2m1x2.f32 p, $3, $2;
        cvt.rn.f16x2.e2m1x2 h, p;
        mov.b32 {lo, hi}, h;
        cvt.f32.f16 $0, lo; cvt.f32.f16 $1, hi; }""", "=f,=f,f,f", [v], dtype=tl.float32, is_pure=True, pack=2)
    tl.store(out + tl.arange(0, N), y - nearest(v, 2.0, 0.5, 6.0))


@triton.jit
def e2m3(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N)) * 3
    y = tl.inline_asm_elementwise("""{ .reg .b16 p; .reg .b32 h; .reg .f16 lo, hi;
        cvt.rn.satfinite.e2m3x2.f32 p, $3, $2;
        cvt.rn.f16x2.e2m3x2 h, p;
        mov.b32 {lo, hi}, h;
        cvt.f32.f16 $0, lo; cvt.f32.f16 $1, hi; }""", "=f,=f,f,f", [v], dtype=tl.float32, is_pure=True, pack=2)
    tl.store(out + tl.arange(0, N), y - nearest(v, 2.0, 0.125, 7.5))


@triton.jit
def e3m2(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N)) * 10
    y = tl.inline_asm_elementwise("""{ .reg .b16 p; .reg .b32 h; .reg .f16 lo, hi;
        cvt.rn.satfinite.e3m2x2.f32 p, $3, $2;
        cvt.rn.f16x2.e3m2x2 h, p;
        mov.b32 {lo, hi}, h;
        cvt.f32.f16 $0, lo; cvt.f32.f16 $1, hi; }""", "=f,=f,f,f", [v], dtype=tl.float32, is_pure=True, pack=2)
    tl.store(out + tl.arange(0, N), y - nearest(v, 0.5, 0.0625, 28.0))


@triton.jit
def ue8m0(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N)) * 1000
    up, down = tl.inline_asm_elementwise("""{ .reg .b16 p, q, r; .reg .b32 h;
        cvt.rp.satfinite.ue8m0x2.f32 p, $5, $4;
        cvt.rn.bf16x2.ue8m0x2 h, p;
        mov.b32 {q, r}, h;
        cvt.f32.bf16 $0, q; cvt.f32.bf16 $1, r;
        cvt.rz.ue8m0x2.f32 p, $5, $4;
        cvt.rn.bf16x2.ue8m0x2 h, p;
        mov.b32 {q, r}, h;
        cvt.f32.bf16 $2, q; cvt.f32.bf16 $3, r; }""", "=f,=f,=f,=f,f,f", [v], dtype=(tl.float32, tl.float32), is_pure=True, pack=2)
    e = tl.log2(tl.abs(v))
    tl.store(out + tl.arange(0, N), tl.abs(up - tl.exp2(tl.ceil(e))) + tl.abs(down - tl.exp2(tl.floor(e))))
