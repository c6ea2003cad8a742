# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by scripts/python-language from frontend/builtins/builtins.def and frontend/builtins/reference.
"""CUDA's math functions, for kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core import builtin

if TYPE_CHECKING:
    from .._types import Bool, Value
    from .._classes import tensor

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add_rd",
    "add_rn",
    "add_ru",
    "add_rz",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "brev",
    "byte_perm",
    "cbrt",
    "ceil",
    "clz",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "cyl_bessel_i0",
    "cyl_bessel_i1",
    "div_rd",
    "div_rn",
    "div_ru",
    "div_rz",
    "double2float_rd",
    "double2float_rn",
    "double2float_ru",
    "double2float_rz",
    "double2hiint",
    "double2int_rd",
    "double2int_rn",
    "double2int_ru",
    "double2int_rz",
    "double2ll_rd",
    "double2ll_rn",
    "double2ll_ru",
    "double2ll_rz",
    "double2loint",
    "double2uint_rd",
    "double2uint_rn",
    "double2uint_ru",
    "double2uint_rz",
    "double2ull_rd",
    "double2ull_rn",
    "double2ull_ru",
    "double2ull_rz",
    "double_as_longlong",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fast_cosf",
    "fast_dividef",
    "fast_exp10f",
    "fast_expf",
    "fast_log10f",
    "fast_log2f",
    "fast_logf",
    "fast_powf",
    "fast_sinf",
    "fast_tanf",
    "fast_tanhf",
    "fdim",
    "fdiv",
    "ffs",
    "finitef",
    "float2int_rd",
    "float2int_rn",
    "float2int_ru",
    "float2int_rz",
    "float2ll_rd",
    "float2ll_rn",
    "float2ll_ru",
    "float2ll_rz",
    "float2uint_rd",
    "float2uint_rn",
    "float2uint_ru",
    "float2uint_rz",
    "float2ull_rd",
    "float2ull_rn",
    "float2ull_ru",
    "float2ull_rz",
    "float_as_int",
    "float_as_uint",
    "floor",
    "fma",
    "fma_rd",
    "fma_rn",
    "fma_ru",
    "fma_rz",
    "fmod",
    "hadd",
    "hiloint2double",
    "hypot",
    "ilogb",
    "int2double_rn",
    "int2float_rd",
    "int2float_rn",
    "int2float_ru",
    "int2float_rz",
    "int_as_float",
    "isfinite",
    "isfinited",
    "isinf",
    "isnan",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "ll2double_rd",
    "ll2double_rn",
    "ll2double_ru",
    "ll2double_rz",
    "ll2float_rd",
    "ll2float_rn",
    "ll2float_ru",
    "ll2float_rz",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "longlong_as_double",
    "mul24",
    "mul_rd",
    "mul_rn",
    "mul_ru",
    "mul_rz",
    "mulhi",
    "nearbyint",
    "nextafter",
    "norm3d",
    "norm4d",
    "normcdf",
    "normcdfinv",
    "popc",
    "pow",
    "rcbrt",
    "rcp64h",
    "rcp_rd",
    "rcp_rn",
    "rcp_ru",
    "rcp_rz",
    "remainder",
    "rhadd",
    "rhypot",
    "rint",
    "rnorm3d",
    "rnorm4d",
    "round",
    "rsqrt",
    "rsqrt_rn",
    "sad",
    "saturatef",
    "scalbn",
    "signbit",
    "sin",
    "sinh",
    "sinpi",
    "sqrt",
    "sqrt_rd",
    "sqrt_rn",
    "sqrt_ru",
    "sqrt_rz",
    "sub_rd",
    "sub_rn",
    "sub_ru",
    "sub_rz",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "uint2double_rn",
    "uint2float_rd",
    "uint2float_rn",
    "uint2float_ru",
    "uint2float_rz",
    "uint_as_float",
    "ull2double_rd",
    "ull2double_rn",
    "ull2double_ru",
    "ull2double_rz",
    "ull2float_rd",
    "ull2float_rn",
    "ull2float_ru",
    "ull2float_rz",
    "umulhi",
    "y0",
    "y1",
    "yn",
]


@builtin
def abs(x: Value) -> tensor:
    """The absolute value."""
    raise NotImplementedError


@builtin
def acos(arg0: Value) -> tensor:
    """The arc cosine, in radians."""
    raise NotImplementedError


@builtin
def acosh(arg0: Value) -> tensor:
    """The inverse hyperbolic cosine."""
    raise NotImplementedError


@builtin
def add_rd(arg0: Value, arg1: Value) -> tensor:
    """The sum, rounded down."""
    raise NotImplementedError


@builtin
def add_rn(arg0: Value, arg1: Value) -> tensor:
    """The sum, rounded to nearest even."""
    raise NotImplementedError


@builtin
def add_ru(arg0: Value, arg1: Value) -> tensor:
    """The sum, rounded up."""
    raise NotImplementedError


@builtin
def add_rz(arg0: Value, arg1: Value) -> tensor:
    """The sum, rounded toward zero."""
    raise NotImplementedError


@builtin
def asin(arg0: Value) -> tensor:
    """The arc sine, in radians."""
    raise NotImplementedError


@builtin
def asinh(arg0: Value) -> tensor:
    """The inverse hyperbolic sine."""
    raise NotImplementedError


@builtin
def atan(arg0: Value) -> tensor:
    """The arc tangent, in radians."""
    raise NotImplementedError


@builtin
def atan2(arg0: Value, arg1: Value) -> tensor:
    """The angle of the point (y, x) = (arg0, arg1), in radians.

    Values (lists are tiles)::

        libdevice.atan2([1.0], [-1.0]) is about [2.3562]
    """
    raise NotImplementedError


@builtin
def atanh(arg0: Value) -> tensor:
    """The inverse hyperbolic tangent."""
    raise NotImplementedError


@builtin
def brev(arg0: Value) -> tensor:
    """The bits in reverse order.

    Values (lists are tiles)::

        libdevice.brev([1]) is [-2147483648]
    """
    raise NotImplementedError


@builtin
def byte_perm(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """Selects four bytes of two 32-bit integers.

    Values (lists are tiles)::

        libdevice.byte_perm([0x04030201], [0x08070605], 0x5140) is [0x06020501]
    """
    raise NotImplementedError


@builtin
def cbrt(arg0: Value) -> tensor:
    """The cube root.

    Values (lists are tiles)::

        libdevice.cbrt([27.0]) is about [3.000]
    """
    raise NotImplementedError


@builtin
def ceil(x: Value) -> tensor:
    """Rounds up to a whole number."""
    raise NotImplementedError


@builtin
def clz(arg0: Value) -> tensor:
    """The number of leading zero bits.

    Values (lists are tiles)::

        libdevice.clz([1, 255, 0]) is [31, 24, 32]
    """
    raise NotImplementedError


@builtin
def copysign(arg0: Value, arg1: Value) -> tensor:
    """The first value with the sign of the second.

    Values (lists are tiles)::

        libdevice.copysign([3.0], [-0.5]) is [-3.0]
    """
    raise NotImplementedError


@builtin
def cos(x: Value) -> tensor:
    """The cosine of an angle in radians."""
    raise NotImplementedError


@builtin
def cosh(arg0: Value) -> tensor:
    """The hyperbolic cosine."""
    raise NotImplementedError


@builtin
def cospi(arg0: Value) -> tensor:
    """The cosine of pi * x."""
    raise NotImplementedError


@builtin
def cyl_bessel_i0() -> tensor:
    """A Bessel function: not built; a call is an error."""
    raise NotImplementedError


@builtin
def cyl_bessel_i1() -> tensor:
    """A Bessel function: not built; a call is an error."""
    raise NotImplementedError


@builtin
def div_rd(arg0: Value, arg1: Value) -> tensor:
    """The quotient, rounded down."""
    raise NotImplementedError


@builtin
def div_rn(x: Value, y: Value) -> tensor:
    """The quotient, correctly rounded."""
    raise NotImplementedError


@builtin
def div_ru(arg0: Value, arg1: Value) -> tensor:
    """The quotient, rounded up."""
    raise NotImplementedError


@builtin
def div_rz(arg0: Value, arg1: Value) -> tensor:
    """The quotient, rounded toward zero."""
    raise NotImplementedError


@builtin
def double2float_rd(arg0: Value) -> tensor:
    """Converts fp64 to fp32, rounded down."""
    raise NotImplementedError


@builtin
def double2float_rn(arg0: Value) -> tensor:
    """Converts fp64 to fp32, rounded to nearest even."""
    raise NotImplementedError


@builtin
def double2float_ru(arg0: Value) -> tensor:
    """Converts fp64 to fp32, rounded up."""
    raise NotImplementedError


@builtin
def double2float_rz(arg0: Value) -> tensor:
    """Converts fp64 to fp32, rounded toward zero."""
    raise NotImplementedError


@builtin
def double2hiint(arg0: Value) -> tensor:
    """The upper 32 bits of an fp64."""
    raise NotImplementedError


@builtin
def double2int_rd(arg0: Value) -> tensor:
    """Converts fp64 to i32, rounded down."""
    raise NotImplementedError


@builtin
def double2int_rn(arg0: Value) -> tensor:
    """Converts fp64 to i32, rounded to nearest even."""
    raise NotImplementedError


@builtin
def double2int_ru(arg0: Value) -> tensor:
    """Converts fp64 to i32, rounded up."""
    raise NotImplementedError


@builtin
def double2int_rz(arg0: Value) -> tensor:
    """Converts fp64 to i32, rounded toward zero."""
    raise NotImplementedError


@builtin
def double2ll_rd(arg0: Value) -> tensor:
    """Converts fp64 to i64, rounded down."""
    raise NotImplementedError


@builtin
def double2ll_rn(arg0: Value) -> tensor:
    """Converts fp64 to i64, rounded to nearest even."""
    raise NotImplementedError


@builtin
def double2ll_ru(arg0: Value) -> tensor:
    """Converts fp64 to i64, rounded up."""
    raise NotImplementedError


@builtin
def double2ll_rz(arg0: Value) -> tensor:
    """Converts fp64 to i64, rounded toward zero."""
    raise NotImplementedError


@builtin
def double2loint(arg0: Value) -> tensor:
    """The lower 32 bits of an fp64."""
    raise NotImplementedError


@builtin
def double2uint_rd(arg0: Value) -> tensor:
    """Converts fp64 to u32, rounded down."""
    raise NotImplementedError


@builtin
def double2uint_rn(arg0: Value) -> tensor:
    """Converts fp64 to u32, rounded to nearest even."""
    raise NotImplementedError


@builtin
def double2uint_ru(arg0: Value) -> tensor:
    """Converts fp64 to u32, rounded up."""
    raise NotImplementedError


@builtin
def double2uint_rz(arg0: Value) -> tensor:
    """Converts fp64 to u32, rounded toward zero."""
    raise NotImplementedError


@builtin
def double2ull_rd(arg0: Value) -> tensor:
    """Converts fp64 to u64, rounded down."""
    raise NotImplementedError


@builtin
def double2ull_rn(arg0: Value) -> tensor:
    """Converts fp64 to u64, rounded to nearest even."""
    raise NotImplementedError


@builtin
def double2ull_ru(arg0: Value) -> tensor:
    """Converts fp64 to u64, rounded up."""
    raise NotImplementedError


@builtin
def double2ull_rz(arg0: Value) -> tensor:
    """Converts fp64 to u64, rounded toward zero."""
    raise NotImplementedError


@builtin
def double_as_longlong(arg0: Value) -> tensor:
    """The bits of an fp64 as i64."""
    raise NotImplementedError


@builtin
def erf(x: Value) -> tensor:
    """The error function."""
    raise NotImplementedError


@builtin
def erfc(arg0: Value) -> tensor:
    """1 - erf(x)."""
    raise NotImplementedError


@builtin
def erfcinv(arg0: Value) -> tensor:
    """The inverse of erfc; fp32 and narrower."""
    raise NotImplementedError


@builtin
def erfcx(arg0: Value) -> tensor:
    """exp(x * x) * erfc(x); fp32 and narrower."""
    raise NotImplementedError


@builtin
def erfinv(arg0: Value) -> tensor:
    """The inverse of erf; fp32 and narrower."""
    raise NotImplementedError


@builtin
def exp(x: Value) -> tensor:
    """e to the power x; more accurate than `tl.exp`."""
    raise NotImplementedError


@builtin
def exp10(arg0: Value) -> tensor:
    """10 to the power x."""
    raise NotImplementedError


@builtin
def exp2(x: Value) -> tensor:
    """2 to the power x."""
    raise NotImplementedError


@builtin
def expm1(arg0: Value) -> tensor:
    """exp(x) - 1, accurate near 0."""
    raise NotImplementedError


@builtin
def fast_cosf(arg0: Value) -> tensor:
    """The cosine, by one instruction."""
    raise NotImplementedError


@builtin
def fast_dividef(arg0: Value, arg1: Value) -> tensor:
    """The quotient, by a fast reciprocal; 0 for a divisor above 2^126."""
    raise NotImplementedError


@builtin
def fast_exp10f(arg0: Value) -> tensor:
    """10 to the power x, by one power of 2."""
    raise NotImplementedError


@builtin
def fast_expf(arg0: Value) -> tensor:
    """e to the power x, by one power of 2."""
    raise NotImplementedError


@builtin
def fast_log10f(arg0: Value) -> tensor:
    """The logarithm to base 10, by a fast logarithm."""
    raise NotImplementedError


@builtin
def fast_log2f(arg0: Value) -> tensor:
    """The logarithm to base 2, by one instruction."""
    raise NotImplementedError


@builtin
def fast_logf(arg0: Value) -> tensor:
    """The logarithm to base e, by a fast logarithm."""
    raise NotImplementedError


@builtin
def fast_powf(arg0: Value, arg1: Value) -> tensor:
    """x to the power y, by a fast logarithm and power."""
    raise NotImplementedError


@builtin
def fast_sinf(arg0: Value) -> tensor:
    """The sine, by one instruction."""
    raise NotImplementedError


@builtin
def fast_tanf(arg0: Value) -> tensor:
    """The tangent, by a fast sine, cosine and quotient."""
    raise NotImplementedError


@builtin
def fast_tanhf(arg0: Value) -> tensor:
    """The hyperbolic tangent, by one instruction."""
    raise NotImplementedError


@builtin
def fdim(arg0: Value, arg1: Value) -> tensor:
    """x - y if that is positive, else 0.

    Values (lists are tiles)::

        libdevice.fdim([5.0, 2.0], 3.0) is [2.0, 0.0]
    """
    raise NotImplementedError


@builtin
def fdiv(x: Value, y: Value, ieee_rounding: Bool = False, approx: Bool = False) -> tensor:
    """The quotient, within 2 ulp in fp32."""
    raise NotImplementedError


@builtin
def ffs(arg0: Value) -> tensor:
    """The place of the lowest bit that is 1, from 1 on; 0 if there is none.

    Values (lists are tiles)::

        libdevice.ffs([8, 6, 0]) is [4, 2, 0]
    """
    raise NotImplementedError


@builtin
def finitef(arg0: Value) -> tensor:
    """True (i1) if x is finite."""
    raise NotImplementedError


@builtin
def float2int_rd(arg0: Value) -> tensor:
    """Converts fp32 to i32, rounded down.

    Values (lists are tiles)::

        libdevice.float2int_rd([2.7, -2.7]) is [2, -3]
    """
    raise NotImplementedError


@builtin
def float2int_rn(arg0: Value) -> tensor:
    """Converts fp32 to i32, rounded to nearest even.

    Values (lists are tiles)::

        libdevice.float2int_rn([2.5, 3.5]) is [2, 4]
    """
    raise NotImplementedError


@builtin
def float2int_ru(arg0: Value) -> tensor:
    """Converts fp32 to i32, rounded up."""
    raise NotImplementedError


@builtin
def float2int_rz(arg0: Value) -> tensor:
    """Converts fp32 to i32, rounded toward zero."""
    raise NotImplementedError


@builtin
def float2ll_rd(arg0: Value) -> tensor:
    """Converts fp32 to i64, rounded down."""
    raise NotImplementedError


@builtin
def float2ll_rn(arg0: Value) -> tensor:
    """Converts fp32 to i64, rounded to nearest even."""
    raise NotImplementedError


@builtin
def float2ll_ru(arg0: Value) -> tensor:
    """Converts fp32 to i64, rounded up."""
    raise NotImplementedError


@builtin
def float2ll_rz(arg0: Value) -> tensor:
    """Converts fp32 to i64, rounded toward zero."""
    raise NotImplementedError


@builtin
def float2uint_rd(arg0: Value) -> tensor:
    """Converts fp32 to u32, rounded down."""
    raise NotImplementedError


@builtin
def float2uint_rn(arg0: Value) -> tensor:
    """Converts fp32 to u32, rounded to nearest even."""
    raise NotImplementedError


@builtin
def float2uint_ru(arg0: Value) -> tensor:
    """Converts fp32 to u32, rounded up."""
    raise NotImplementedError


@builtin
def float2uint_rz(arg0: Value) -> tensor:
    """Converts fp32 to u32, rounded toward zero."""
    raise NotImplementedError


@builtin
def float2ull_rd(arg0: Value) -> tensor:
    """Converts fp32 to u64, rounded down."""
    raise NotImplementedError


@builtin
def float2ull_rn(arg0: Value) -> tensor:
    """Converts fp32 to u64, rounded to nearest even."""
    raise NotImplementedError


@builtin
def float2ull_ru(arg0: Value) -> tensor:
    """Converts fp32 to u64, rounded up."""
    raise NotImplementedError


@builtin
def float2ull_rz(arg0: Value) -> tensor:
    """Converts fp32 to u64, rounded toward zero."""
    raise NotImplementedError


@builtin
def float_as_int(arg0: Value) -> tensor:
    """The bits of an fp32 as i32.

    Values (lists are tiles)::

        libdevice.float_as_int([1.0]) is [1065353216]
    """
    raise NotImplementedError


@builtin
def float_as_uint(arg0: Value) -> tensor:
    """The bits of an fp32 as u32."""
    raise NotImplementedError


@builtin
def floor(x: Value) -> tensor:
    """Rounds down to a whole number."""
    raise NotImplementedError


@builtin
def fma(x: Value, y: Value, z: Value) -> tensor:
    """x * y + z with one rounding."""
    raise NotImplementedError


@builtin
def fma_rd(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """x * y + z, rounded down."""
    raise NotImplementedError


@builtin
def fma_rn(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """x * y + z, rounded to nearest even."""
    raise NotImplementedError


@builtin
def fma_ru(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """x * y + z, rounded up."""
    raise NotImplementedError


@builtin
def fma_rz(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """x * y + z, rounded toward zero."""
    raise NotImplementedError


@builtin
def fmod(arg0: Value, arg1: Value) -> tensor:
    """The remainder of a division truncated toward zero, exactly.

    Values (lists are tiles)::

        libdevice.fmod([7.5, -7.5], 2.0) is [1.5, -1.5]
    """
    raise NotImplementedError


@builtin
def hadd(arg0: Value, arg1: Value) -> tensor:
    """(x + y) >> 1 without overflow.

    Values (lists are tiles)::

        libdevice.hadd([2147483647], [2147483647]) is [2147483647]
    """
    raise NotImplementedError


@builtin
def hiloint2double(arg0: Value, arg1: Value) -> tensor:
    """The fp64 with these upper and lower 32 bits."""
    raise NotImplementedError


@builtin
def hypot(arg0: Value, arg1: Value) -> tensor:
    """The square root of the sum of two squares.

    Values (lists are tiles)::

        libdevice.hypot([3.0], [4.0]) is about [5.000]
    """
    raise NotImplementedError


@builtin
def ilogb(arg0: Value) -> tensor:
    """The exponent of x, as an integer.

    Values (lists are tiles)::

        libdevice.ilogb([8.0, 0.1]) is [3, -4]
    """
    raise NotImplementedError


@builtin
def int2double_rn(arg0: Value) -> tensor:
    """Converts i32 to fp64, rounded to nearest even."""
    raise NotImplementedError


@builtin
def int2float_rd(arg0: Value) -> tensor:
    """Converts i32 to fp32, rounded down."""
    raise NotImplementedError


@builtin
def int2float_rn(arg0: Value) -> tensor:
    """Converts i32 to fp32, rounded to nearest even."""
    raise NotImplementedError


@builtin
def int2float_ru(arg0: Value) -> tensor:
    """Converts i32 to fp32, rounded up."""
    raise NotImplementedError


@builtin
def int2float_rz(arg0: Value) -> tensor:
    """Converts i32 to fp32, rounded toward zero."""
    raise NotImplementedError


@builtin
def int_as_float(arg0: Value) -> tensor:
    """The bits of an i32 as fp32."""
    raise NotImplementedError


@builtin
def isfinite(arg0: Value) -> tensor:
    """True (i1) if x is finite."""
    raise NotImplementedError


@builtin
def isfinited(arg0: Value) -> tensor:
    """True (i1) if x is finite."""
    raise NotImplementedError


@builtin
def isinf(arg0: Value) -> tensor:
    """True (i1) if x is infinite.

    Values (lists are tiles)::

        libdevice.isinf([nan, -inf]) is [False, True]
    """
    raise NotImplementedError


@builtin
def isnan(arg0: Value) -> tensor:
    """True (i1) if x is NaN.

    Values (lists are tiles)::

        libdevice.isnan([nan, 1.0]) is [True, False]
    """
    raise NotImplementedError


@builtin
def j0() -> tensor:
    """A Bessel function: not built; a call is an error."""
    raise NotImplementedError


@builtin
def j1() -> tensor:
    """A Bessel function: not built; a call is an error."""
    raise NotImplementedError


@builtin
def jn() -> tensor:
    """A Bessel function: not built; a call is an error."""
    raise NotImplementedError


@builtin
def ldexp(arg0: Value, arg1: Value) -> tensor:
    """x times 2 to the power of an integer.

    Values (lists are tiles)::

        libdevice.ldexp([3.0], [4]) is [48.0]
    """
    raise NotImplementedError


@builtin
def lgamma(arg0: Value) -> tensor:
    """The logarithm of the absolute value of the gamma function."""
    raise NotImplementedError


@builtin
def ll2double_rd(arg0: Value) -> tensor:
    """Converts i64 to fp64, rounded down."""
    raise NotImplementedError


@builtin
def ll2double_rn(arg0: Value) -> tensor:
    """Converts i64 to fp64, rounded to nearest even."""
    raise NotImplementedError


@builtin
def ll2double_ru(arg0: Value) -> tensor:
    """Converts i64 to fp64, rounded up."""
    raise NotImplementedError


@builtin
def ll2double_rz(arg0: Value) -> tensor:
    """Converts i64 to fp64, rounded toward zero."""
    raise NotImplementedError


@builtin
def ll2float_rd(arg0: Value) -> tensor:
    """Converts i64 to fp32, rounded down."""
    raise NotImplementedError


@builtin
def ll2float_rn(arg0: Value) -> tensor:
    """Converts i64 to fp32, rounded to nearest even."""
    raise NotImplementedError


@builtin
def ll2float_ru(arg0: Value) -> tensor:
    """Converts i64 to fp32, rounded up."""
    raise NotImplementedError


@builtin
def ll2float_rz(arg0: Value) -> tensor:
    """Converts i64 to fp32, rounded toward zero."""
    raise NotImplementedError


@builtin
def llrint(arg0: Value) -> tensor:
    """Rounds to the nearest i64, halves to even.

    Values (lists are tiles)::

        libdevice.llrint([2.5, 3.5]) is [2, 4]
    """
    raise NotImplementedError


@builtin
def llround(arg0: Value) -> tensor:
    """Rounds to the nearest i64, halves away from zero."""
    raise NotImplementedError


@builtin
def log(x: Value) -> tensor:
    """The logarithm to base e."""
    raise NotImplementedError


@builtin
def log10(arg0: Value) -> tensor:
    """The logarithm to base 10."""
    raise NotImplementedError


@builtin
def log1p(arg0: Value) -> tensor:
    """log(1 + x), accurate near 0.

    Values (lists are tiles)::

        libdevice.log1p([1e-10]) is about [1e-10]
    """
    raise NotImplementedError


@builtin
def log2(x: Value) -> tensor:
    """The logarithm to base 2."""
    raise NotImplementedError


@builtin
def logb(arg0: Value) -> tensor:
    """The exponent of x, as a float.

    Values (lists are tiles)::

        libdevice.logb([8.0, 0.1]) is [3.0, -4.0]
    """
    raise NotImplementedError


@builtin
def longlong_as_double(arg0: Value) -> tensor:
    """The bits of an i64 as fp64."""
    raise NotImplementedError


@builtin
def mul24(arg0: Value, arg1: Value) -> tensor:
    """The product of the lower 24 bits of two integers.

    Values (lists are tiles)::

        libdevice.mul24([16777217], [3]) is [3]
    """
    raise NotImplementedError


@builtin
def mul_rd(arg0: Value, arg1: Value) -> tensor:
    """The product, rounded down."""
    raise NotImplementedError


@builtin
def mul_rn(arg0: Value, arg1: Value) -> tensor:
    """The product, rounded to nearest even."""
    raise NotImplementedError


@builtin
def mul_ru(arg0: Value, arg1: Value) -> tensor:
    """The product, rounded up."""
    raise NotImplementedError


@builtin
def mul_rz(arg0: Value, arg1: Value) -> tensor:
    """The product, rounded toward zero."""
    raise NotImplementedError


@builtin
def mulhi(arg0: Value, arg1: Value) -> tensor:
    """The upper half of a product of integers of 32 or 64 bits.

    Values (lists are tiles)::

        libdevice.mulhi([-65536], [65536]) is [-1]
    """
    raise NotImplementedError


@builtin
def nearbyint(arg0: Value) -> tensor:
    """Rounds to the nearest whole number, halves to even."""
    raise NotImplementedError


@builtin
def nextafter(arg0: Value, arg1: Value) -> tensor:
    """The next number of the type toward the second value.

    Values (lists are tiles)::

        libdevice.nextafter([1.0], [2.0]) is about [1.00000012]
    """
    raise NotImplementedError


@builtin
def norm3d(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """The length of a vector of three.

    Values (lists are tiles)::

        libdevice.norm3d([1.0], [2.0], [2.0]) is about [3.000]
    """
    raise NotImplementedError


@builtin
def norm4d(arg0: Value, arg1: Value, arg2: Value, arg3: Value) -> tensor:
    """The length of a vector of four."""
    raise NotImplementedError


@builtin
def normcdf(arg0: Value) -> tensor:
    """The distribution function of the normal distribution; fp32 and narrower."""
    raise NotImplementedError


@builtin
def normcdfinv(arg0: Value) -> tensor:
    """The inverse of normcdf; fp32 and narrower."""
    raise NotImplementedError


@builtin
def popc(arg0: Value) -> tensor:
    """The number of bits that are 1.

    Values (lists are tiles)::

        libdevice.popc([7, 8, -1]) is [3, 1, 32]
    """
    raise NotImplementedError


@builtin
def pow(x: Value, y: Value) -> tensor:
    """x to the power y."""
    raise NotImplementedError


@builtin
def rcbrt(arg0: Value) -> tensor:
    """1 divided by the cube root."""
    raise NotImplementedError


@builtin
def rcp64h() -> tensor:
    """1 / x of the upper half of an fp64: not built; a call is an error."""
    raise NotImplementedError


@builtin
def rcp_rd(arg0: Value) -> tensor:
    """1 / x, rounded down."""
    raise NotImplementedError


@builtin
def rcp_rn(arg0: Value) -> tensor:
    """1 / x, correctly rounded."""
    raise NotImplementedError


@builtin
def rcp_ru(arg0: Value) -> tensor:
    """1 / x, rounded up."""
    raise NotImplementedError


@builtin
def rcp_rz(arg0: Value) -> tensor:
    """1 / x, rounded toward zero."""
    raise NotImplementedError


@builtin
def remainder(arg0: Value, arg1: Value) -> tensor:
    """The IEEE remainder: the quotient is rounded to nearest.

    Values (lists are tiles)::

        libdevice.remainder([7.5, -7.5], 2.0) is [-0.5, 0.5]
    """
    raise NotImplementedError


@builtin
def rhadd(arg0: Value, arg1: Value) -> tensor:
    """(x + y + 1) >> 1 without overflow.

    Values (lists are tiles)::

        libdevice.rhadd([1], [2]) is [2]
    """
    raise NotImplementedError


@builtin
def rhypot(arg0: Value, arg1: Value) -> tensor:
    """1 divided by the hypotenuse."""
    raise NotImplementedError


@builtin
def rint(arg0: Value) -> tensor:
    """Rounds to the nearest whole number, halves to even.

    Values (lists are tiles)::

        libdevice.rint([2.5, -2.5, 0.4]) is [2.0, -2.0, 0.0]
    """
    raise NotImplementedError


@builtin
def rnorm3d(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """1 divided by the length of a vector of three."""
    raise NotImplementedError


@builtin
def rnorm4d(arg0: Value, arg1: Value, arg2: Value, arg3: Value) -> tensor:
    """1 divided by the length of a vector of four."""
    raise NotImplementedError


@builtin
def round(arg0: Value) -> tensor:
    """Rounds to the nearest whole number, halves away from zero.

    Values (lists are tiles)::

        libdevice.round([2.5, -2.5, 0.4]) is [3.0, -3.0, 0.0]
    """
    raise NotImplementedError


@builtin
def rsqrt(x: Value) -> tensor:
    """1 divided by the square root, by the approximate instruction."""
    raise NotImplementedError


@builtin
def rsqrt_rn(arg0: Value) -> tensor:
    """1 divided by the square root, accurate."""
    raise NotImplementedError


@builtin
def sad(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """abs(x - y) + z of integers.

    Values (lists are tiles)::

        libdevice.sad([3], [8], [100]) is [105]
    """
    raise NotImplementedError


@builtin
def saturatef(arg0: Value) -> tensor:
    """Limits x to the range from 0 to 1; NaN becomes 0.

    Values (lists are tiles)::

        libdevice.saturatef([-1.0, 0.5, 9.0, nan]) is [0.0, 0.5, 1.0, 0.0]
    """
    raise NotImplementedError


@builtin
def scalbn(arg0: Value, arg1: Value) -> tensor:
    """x times 2 to the power of an integer."""
    raise NotImplementedError


@builtin
def signbit(arg0: Value) -> tensor:
    """1 (i32) if the sign bit is set, else 0.

    Values (lists are tiles)::

        libdevice.signbit([-0.0, 1.0]) is [1, 0]
    """
    raise NotImplementedError


@builtin
def sin(x: Value) -> tensor:
    """The sine of an angle in radians."""
    raise NotImplementedError


@builtin
def sinh(arg0: Value) -> tensor:
    """The hyperbolic sine."""
    raise NotImplementedError


@builtin
def sinpi(arg0: Value) -> tensor:
    """The sine of pi * x."""
    raise NotImplementedError


@builtin
def sqrt(x: Value) -> tensor:
    """The square root, by the approximate instruction."""
    raise NotImplementedError


@builtin
def sqrt_rd(arg0: Value) -> tensor:
    """The square root, rounded down."""
    raise NotImplementedError


@builtin
def sqrt_rn(x: Value) -> tensor:
    """The square root, correctly rounded."""
    raise NotImplementedError


@builtin
def sqrt_ru(arg0: Value) -> tensor:
    """The square root, rounded up."""
    raise NotImplementedError


@builtin
def sqrt_rz(arg0: Value) -> tensor:
    """The square root, rounded toward zero."""
    raise NotImplementedError


@builtin
def sub_rd(arg0: Value, arg1: Value) -> tensor:
    """The difference, rounded down."""
    raise NotImplementedError


@builtin
def sub_rn(arg0: Value, arg1: Value) -> tensor:
    """The difference, rounded to nearest even."""
    raise NotImplementedError


@builtin
def sub_ru(arg0: Value, arg1: Value) -> tensor:
    """The difference, rounded up."""
    raise NotImplementedError


@builtin
def sub_rz(arg0: Value, arg1: Value) -> tensor:
    """The difference, rounded toward zero."""
    raise NotImplementedError


@builtin
def tan(arg0: Value) -> tensor:
    """The tangent of an angle in radians."""
    raise NotImplementedError


@builtin
def tanh(x: Value) -> tensor:
    """The hyperbolic tangent."""
    raise NotImplementedError


@builtin
def tgamma(arg0: Value) -> tensor:
    """The gamma function.

    Values (lists are tiles)::

        libdevice.tgamma([5.0]) is about [24.000]
    """
    raise NotImplementedError


@builtin
def trunc(arg0: Value) -> tensor:
    """Rounds toward zero to a whole number.

    Values (lists are tiles)::

        libdevice.trunc([2.7, -2.7]) is [2.0, -2.0]
    """
    raise NotImplementedError


@builtin
def uint2double_rn(arg0: Value) -> tensor:
    """Converts u32 to fp64, rounded to nearest even."""
    raise NotImplementedError


@builtin
def uint2float_rd(arg0: Value) -> tensor:
    """Converts u32 to fp32, rounded down."""
    raise NotImplementedError


@builtin
def uint2float_rn(arg0: Value) -> tensor:
    """Converts u32 to fp32, rounded to nearest even."""
    raise NotImplementedError


@builtin
def uint2float_ru(arg0: Value) -> tensor:
    """Converts u32 to fp32, rounded up."""
    raise NotImplementedError


@builtin
def uint2float_rz(arg0: Value) -> tensor:
    """Converts u32 to fp32, rounded toward zero."""
    raise NotImplementedError


@builtin
def uint_as_float(arg0: Value) -> tensor:
    """The bits of a u32 as fp32."""
    raise NotImplementedError


@builtin
def ull2double_rd(arg0: Value) -> tensor:
    """Converts u64 to fp64, rounded down."""
    raise NotImplementedError


@builtin
def ull2double_rn(arg0: Value) -> tensor:
    """Converts u64 to fp64, rounded to nearest even."""
    raise NotImplementedError


@builtin
def ull2double_ru(arg0: Value) -> tensor:
    """Converts u64 to fp64, rounded up."""
    raise NotImplementedError


@builtin
def ull2double_rz(arg0: Value) -> tensor:
    """Converts u64 to fp64, rounded toward zero."""
    raise NotImplementedError


@builtin
def ull2float_rd(arg0: Value) -> tensor:
    """Converts u64 to fp32, rounded down."""
    raise NotImplementedError


@builtin
def ull2float_rn(arg0: Value) -> tensor:
    """Converts u64 to fp32, rounded to nearest even."""
    raise NotImplementedError


@builtin
def ull2float_ru(arg0: Value) -> tensor:
    """Converts u64 to fp32, rounded up."""
    raise NotImplementedError


@builtin
def ull2float_rz(arg0: Value) -> tensor:
    """Converts u64 to fp32, rounded toward zero."""
    raise NotImplementedError


@builtin
def umulhi(x: Value, y: Value) -> tensor:
    """The upper half of a product of unsigned integers of 32 or 64 bits.

    Values (lists are tiles)::

        libdevice.umulhi([-65536], [65536]) is [65535]
    """
    raise NotImplementedError


@builtin
def y0() -> tensor:
    """A Bessel function: not built; a call is an error."""
    raise NotImplementedError


@builtin
def y1() -> tensor:
    """A Bessel function: not built; a call is an error."""
    raise NotImplementedError


@builtin
def yn() -> tensor:
    """A Bessel function: not built; a call is an error."""
    raise NotImplementedError
