"""Floats beyond integers of 8 and 16 bits, loaded, computed and as constants."""
import triton
import triton.language as tl


# check: --grid 1 -D N=256 x=full(300.7):fp32[256] a=empty:i8[256] b=empty:u8[256] c=empty:i16[256] d=empty:u16[256]
# check: --grid 1 -D N=256 x=full(-300.7):fp16[256] a=empty:i8[256] b=empty:u8[256] c=empty:i16[256] d=empty:u16[256]
# check: --grid 1 -D N=256 x=full(70144):bf16[256] a=empty:i8[256] b=empty:u8[256] c=empty:i16[256] d=empty:u16[256]
# check: --grid 1 -D N=256 x=full(-inf):fp64[256] a=empty:i8[256] b=empty:u8[256] c=empty:i16[256] d=empty:u16[256]
# check: --grid 1 -D N=256 x=full(448):fp8e4nv[256] a=empty:i8[256] b=empty:u8[256] c=empty:i16[256] d=empty:u16[256]
# check: --grid 1 --allow-uncompared 2% -D N=256 x=randn:fp32[256] a=empty:i8[256] b=empty:u8[256] c=empty:i16[256] d=empty:u16[256]
@triton.jit
def narrow(x, a, b, c, d, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(a + i, v.to(tl.int8))
    tl.store(b + i, v.to(tl.uint8))
    tl.store(c + i, (v.to(tl.float32) * 20000).to(tl.int16))
    tl.store(d + i, (v.to(tl.float32) * 20000).to(tl.uint16))


# check: --grid 1 -D N=32 a=empty:i32[32] b=empty:i32[32]
@triton.jit
def constants(a, b, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(a + i, tl.full((N,), 300.75, tl.float32).to(tl.int8).to(tl.int32))
    tl.store(b + i, (i.to(tl.float32) * 4096).to(tl.uint8).to(tl.int32))
