# libdevice's functions with directed rounding. Down and up enclose the exact result, and are equal or
# neighbours. Toward zero is the one of them that is nearer to zero.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def around(z, d, u, near):
    tl.device_assert((d <= near) & (near <= u), "not around the nearest")
    tl.device_assert((d == u) | (libdevice.nextafter(d, float("inf")) == u), "not neighbours")
    tl.device_assert(z == tl.where(d >= 0, d, u), "not toward zero")


# check: --grid 1 x=randn:fp32[256] y=randn:fp32[256] out=empty:fp32[256] -D BLOCK=256 -D WIDE=False
# check: --grid 1 x=randn:fp64[256] y=randn:fp64[256] out=empty:fp64[256] -D BLOCK=256 -D WIDE=True
@triton.jit
def arithmetic(x, y, out, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    around(libdevice.add_rz(a, b), libdevice.add_rd(a, b), libdevice.add_ru(a, b), libdevice.add_rn(a, b))
    around(libdevice.sub_rz(a, b), libdevice.sub_rd(a, b), libdevice.sub_ru(a, b), libdevice.sub_rn(a, b))
    around(libdevice.mul_rz(a, b), libdevice.mul_rd(a, b), libdevice.mul_ru(a, b), libdevice.mul_rn(a, b))
    around(libdevice.div_rz(a, b), libdevice.div_rd(a, b), libdevice.div_ru(a, b), libdevice.div_rn(a, b))
    around(libdevice.rcp_rz(b), libdevice.rcp_rd(b), libdevice.rcp_ru(b), libdevice.rcp_rn(b))
    s = tl.abs(a)
    around(libdevice.sqrt_rz(s), libdevice.sqrt_rd(s), libdevice.sqrt_ru(s), libdevice.sqrt_rn(s))
    around(libdevice.fma_rz(a, b, s), libdevice.fma_rd(a, b, s), libdevice.fma_ru(a, b, s), libdevice.fma_rn(a, b, s))
    zero = a - a
    tl.device_assert(1 / libdevice.mul_rd(zero, s) == float("inf"), "a product's zero has its own sign")
    tl.device_assert(1 / libdevice.mul_rd(-zero, s) == float("-inf"), "a product's zero has its own sign")
    tl.device_assert(1 / libdevice.mul_ru(-zero, s) == float("-inf"), "a product's zero has its own sign")
    tl.device_assert(1 / libdevice.add_rd(a, -a) == float("-inf"), "a sum's zero is negative, rounded down")
    tl.device_assert(1 / libdevice.add_rz(a, -a) == float("inf"), "a sum's zero is positive")
    big = zero + (1e308 if WIDE else 3e38)
    tl.device_assert(libdevice.mul_rd(big, big) < float("inf"), "overflow leads back to the greatest number")
    tl.device_assert(libdevice.mul_rz(-big, big) > float("-inf"), "overflow leads back to the greatest number")
    tl.device_assert(libdevice.add_ru(big, big) == float("inf"), "overflow")
    tl.store(out + i, libdevice.div_rz(a, b) + libdevice.fma_ru(a, b, s))


# check: --grid 1 x=randn:fp64[256] k=rand:i64[256] out=empty:fp32[256] -D BLOCK=256
@triton.jit
def conversions(x, k, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    d, u, z = libdevice.double2float_rd(a), libdevice.double2float_ru(a), libdevice.double2float_rz(a)
    around(z, d, u, a.to(tl.float32))
    tl.device_assert((d.to(tl.float64) <= a) & (a <= u.to(tl.float64)), "not around")
    huge = a * 0 + 1e300
    tl.device_assert(libdevice.double2float_rz(huge) < float("inf"), "beyond the greatest number")
    tl.device_assert(libdevice.double2float_ru(huge) == float("inf"), "beyond the greatest number")
    n = tl.load(k + i)
    n = tl.where(i == 0, 9223372036854775807, tl.where(i == 1, -9223372036854775807 - 1, n))
    around(libdevice.ll2float_rz(n), libdevice.ll2float_rd(n), libdevice.ll2float_ru(n), n.to(tl.float32))
    around(libdevice.ll2double_rz(n), libdevice.ll2double_rd(n), libdevice.ll2double_ru(n), n.to(tl.float64))
    tl.device_assert((i != 0) | (libdevice.ll2float_rd(n) < 9.223372e18), "the greatest integer is below 2^63")
    m = tl.where(i == 2, -1, n).to(tl.uint64, bitcast=True)
    around(libdevice.ull2float_rz(m), libdevice.ull2float_rd(m), libdevice.ull2float_ru(m), m.to(tl.float32))
    around(libdevice.ull2double_rz(m), libdevice.ull2double_rd(m), libdevice.ull2double_ru(m), m.to(tl.float64))
    j = n.to(tl.int32)
    j = tl.where(i == 0, 2147483647, j)
    around(libdevice.int2float_rz(j), libdevice.int2float_rd(j), libdevice.int2float_ru(j), j.to(tl.float32))
    j = j.to(tl.uint32, bitcast=True)
    around(libdevice.uint2float_rz(j), libdevice.uint2float_rd(j), libdevice.uint2float_ru(j), j.to(tl.float32))
    high, low = libdevice.double2hiint(a), libdevice.double2loint(a)
    tl.device_assert(libdevice.hiloint2double(high, low) == a, "halves")
    tl.device_assert((high < 0) == (a < 0), "the upper half has the sign")
    tl.store(out + i, d)
