# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by scripts/python-language from frontend/builtins/builtins.def.
"""CUDA's math functions, for kernels."""

from typing import Any

from .._core import builtin

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
def abs(x: Any) -> Any: ...


@builtin
def acos(arg0: Any) -> Any: ...


@builtin
def acosh(arg0: Any) -> Any: ...


@builtin
def add_rd(arg0: Any, arg1: Any) -> Any: ...


@builtin
def add_rn(arg0: Any, arg1: Any) -> Any: ...


@builtin
def add_ru(arg0: Any, arg1: Any) -> Any: ...


@builtin
def add_rz(arg0: Any, arg1: Any) -> Any: ...


@builtin
def asin(arg0: Any) -> Any: ...


@builtin
def asinh(arg0: Any) -> Any: ...


@builtin
def atan(arg0: Any) -> Any: ...


@builtin
def atan2(arg0: Any, arg1: Any) -> Any: ...


@builtin
def atanh(arg0: Any) -> Any: ...


@builtin
def brev(arg0: Any) -> Any: ...


@builtin
def byte_perm(arg0: Any, arg1: Any, arg2: Any) -> Any: ...


@builtin
def cbrt(arg0: Any) -> Any: ...


@builtin
def ceil(x: Any) -> Any: ...


@builtin
def clz(arg0: Any) -> Any: ...


@builtin
def copysign(arg0: Any, arg1: Any) -> Any: ...


@builtin
def cos(x: Any) -> Any: ...


@builtin
def cosh(arg0: Any) -> Any: ...


@builtin
def cospi(arg0: Any) -> Any: ...


@builtin
def cyl_bessel_i0(*args: Any) -> Any: ...


@builtin
def cyl_bessel_i1(*args: Any) -> Any: ...


@builtin
def div_rd(arg0: Any, arg1: Any) -> Any: ...


@builtin
def div_rn(x: Any, y: Any) -> Any: ...


@builtin
def div_ru(arg0: Any, arg1: Any) -> Any: ...


@builtin
def div_rz(arg0: Any, arg1: Any) -> Any: ...


@builtin
def double2float_rd(arg0: Any) -> Any: ...


@builtin
def double2float_rn(arg0: Any) -> Any: ...


@builtin
def double2float_ru(arg0: Any) -> Any: ...


@builtin
def double2float_rz(arg0: Any) -> Any: ...


@builtin
def double2hiint(arg0: Any) -> Any: ...


@builtin
def double2int_rd(arg0: Any) -> Any: ...


@builtin
def double2int_rn(arg0: Any) -> Any: ...


@builtin
def double2int_ru(arg0: Any) -> Any: ...


@builtin
def double2int_rz(arg0: Any) -> Any: ...


@builtin
def double2ll_rd(arg0: Any) -> Any: ...


@builtin
def double2ll_rn(arg0: Any) -> Any: ...


@builtin
def double2ll_ru(arg0: Any) -> Any: ...


@builtin
def double2ll_rz(arg0: Any) -> Any: ...


@builtin
def double2loint(arg0: Any) -> Any: ...


@builtin
def double2uint_rd(arg0: Any) -> Any: ...


@builtin
def double2uint_rn(arg0: Any) -> Any: ...


@builtin
def double2uint_ru(arg0: Any) -> Any: ...


@builtin
def double2uint_rz(arg0: Any) -> Any: ...


@builtin
def double2ull_rd(arg0: Any) -> Any: ...


@builtin
def double2ull_rn(arg0: Any) -> Any: ...


@builtin
def double2ull_ru(arg0: Any) -> Any: ...


@builtin
def double2ull_rz(arg0: Any) -> Any: ...


@builtin
def double_as_longlong(arg0: Any) -> Any: ...


@builtin
def erf(x: Any) -> Any: ...


@builtin
def erfc(arg0: Any) -> Any: ...


@builtin
def erfcinv(arg0: Any) -> Any: ...


@builtin
def erfcx(arg0: Any) -> Any: ...


@builtin
def erfinv(arg0: Any) -> Any: ...


@builtin
def exp(x: Any) -> Any: ...


@builtin
def exp10(arg0: Any) -> Any: ...


@builtin
def exp2(x: Any) -> Any: ...


@builtin
def expm1(arg0: Any) -> Any: ...


@builtin
def fast_cosf(arg0: Any) -> Any: ...


@builtin
def fast_dividef(arg0: Any, arg1: Any) -> Any: ...


@builtin
def fast_exp10f(arg0: Any) -> Any: ...


@builtin
def fast_expf(arg0: Any) -> Any: ...


@builtin
def fast_log10f(arg0: Any) -> Any: ...


@builtin
def fast_log2f(arg0: Any) -> Any: ...


@builtin
def fast_logf(arg0: Any) -> Any: ...


@builtin
def fast_powf(arg0: Any, arg1: Any) -> Any: ...


@builtin
def fast_sinf(arg0: Any) -> Any: ...


@builtin
def fast_tanf(arg0: Any) -> Any: ...


@builtin
def fast_tanhf(arg0: Any) -> Any: ...


@builtin
def fdim(arg0: Any, arg1: Any) -> Any: ...


@builtin
def fdiv(x: Any, y: Any, ieee_rounding: Any = None) -> Any: ...


@builtin
def ffs(arg0: Any) -> Any: ...


@builtin
def finitef(arg0: Any) -> Any: ...


@builtin
def float2int_rd(arg0: Any) -> Any: ...


@builtin
def float2int_rn(arg0: Any) -> Any: ...


@builtin
def float2int_ru(arg0: Any) -> Any: ...


@builtin
def float2int_rz(arg0: Any) -> Any: ...


@builtin
def float2ll_rd(arg0: Any) -> Any: ...


@builtin
def float2ll_rn(arg0: Any) -> Any: ...


@builtin
def float2ll_ru(arg0: Any) -> Any: ...


@builtin
def float2ll_rz(arg0: Any) -> Any: ...


@builtin
def float2uint_rd(arg0: Any) -> Any: ...


@builtin
def float2uint_rn(arg0: Any) -> Any: ...


@builtin
def float2uint_ru(arg0: Any) -> Any: ...


@builtin
def float2uint_rz(arg0: Any) -> Any: ...


@builtin
def float2ull_rd(arg0: Any) -> Any: ...


@builtin
def float2ull_rn(arg0: Any) -> Any: ...


@builtin
def float2ull_ru(arg0: Any) -> Any: ...


@builtin
def float2ull_rz(arg0: Any) -> Any: ...


@builtin
def float_as_int(arg0: Any) -> Any: ...


@builtin
def float_as_uint(arg0: Any) -> Any: ...


@builtin
def floor(x: Any) -> Any: ...


@builtin
def fma(x: Any, y: Any, z: Any) -> Any: ...


@builtin
def fma_rd(arg0: Any, arg1: Any, arg2: Any) -> Any: ...


@builtin
def fma_rn(arg0: Any, arg1: Any, arg2: Any) -> Any: ...


@builtin
def fma_ru(arg0: Any, arg1: Any, arg2: Any) -> Any: ...


@builtin
def fma_rz(arg0: Any, arg1: Any, arg2: Any) -> Any: ...


@builtin
def fmod(arg0: Any, arg1: Any) -> Any: ...


@builtin
def hadd(arg0: Any, arg1: Any) -> Any: ...


@builtin
def hiloint2double(arg0: Any, arg1: Any) -> Any: ...


@builtin
def hypot(arg0: Any, arg1: Any) -> Any: ...


@builtin
def ilogb(arg0: Any) -> Any: ...


@builtin
def int2double_rn(arg0: Any) -> Any: ...


@builtin
def int2float_rd(arg0: Any) -> Any: ...


@builtin
def int2float_rn(arg0: Any) -> Any: ...


@builtin
def int2float_ru(arg0: Any) -> Any: ...


@builtin
def int2float_rz(arg0: Any) -> Any: ...


@builtin
def int_as_float(arg0: Any) -> Any: ...


@builtin
def isfinite(arg0: Any) -> Any: ...


@builtin
def isfinited(arg0: Any) -> Any: ...


@builtin
def isinf(arg0: Any) -> Any: ...


@builtin
def isnan(arg0: Any) -> Any: ...


@builtin
def j0(*args: Any) -> Any: ...


@builtin
def j1(*args: Any) -> Any: ...


@builtin
def jn(*args: Any) -> Any: ...


@builtin
def ldexp(arg0: Any, arg1: Any) -> Any: ...


@builtin
def lgamma(arg0: Any) -> Any: ...


@builtin
def ll2double_rd(arg0: Any) -> Any: ...


@builtin
def ll2double_rn(arg0: Any) -> Any: ...


@builtin
def ll2double_ru(arg0: Any) -> Any: ...


@builtin
def ll2double_rz(arg0: Any) -> Any: ...


@builtin
def ll2float_rd(arg0: Any) -> Any: ...


@builtin
def ll2float_rn(arg0: Any) -> Any: ...


@builtin
def ll2float_ru(arg0: Any) -> Any: ...


@builtin
def ll2float_rz(arg0: Any) -> Any: ...


@builtin
def llrint(arg0: Any) -> Any: ...


@builtin
def llround(arg0: Any) -> Any: ...


@builtin
def log(x: Any) -> Any: ...


@builtin
def log10(arg0: Any) -> Any: ...


@builtin
def log1p(arg0: Any) -> Any: ...


@builtin
def log2(x: Any) -> Any: ...


@builtin
def logb(arg0: Any) -> Any: ...


@builtin
def longlong_as_double(arg0: Any) -> Any: ...


@builtin
def mul24(arg0: Any, arg1: Any) -> Any: ...


@builtin
def mul_rd(arg0: Any, arg1: Any) -> Any: ...


@builtin
def mul_rn(arg0: Any, arg1: Any) -> Any: ...


@builtin
def mul_ru(arg0: Any, arg1: Any) -> Any: ...


@builtin
def mul_rz(arg0: Any, arg1: Any) -> Any: ...


@builtin
def mulhi(arg0: Any, arg1: Any) -> Any: ...


@builtin
def nearbyint(arg0: Any) -> Any: ...


@builtin
def nextafter(arg0: Any, arg1: Any) -> Any: ...


@builtin
def norm3d(arg0: Any, arg1: Any, arg2: Any) -> Any: ...


@builtin
def norm4d(arg0: Any, arg1: Any, arg2: Any, arg3: Any) -> Any: ...


@builtin
def normcdf(arg0: Any) -> Any: ...


@builtin
def normcdfinv(arg0: Any) -> Any: ...


@builtin
def popc(arg0: Any) -> Any: ...


@builtin
def pow(x: Any, y: Any) -> Any: ...


@builtin
def rcbrt(arg0: Any) -> Any: ...


@builtin
def rcp64h(*args: Any) -> Any: ...


@builtin
def rcp_rd(arg0: Any) -> Any: ...


@builtin
def rcp_rn(arg0: Any) -> Any: ...


@builtin
def rcp_ru(arg0: Any) -> Any: ...


@builtin
def rcp_rz(arg0: Any) -> Any: ...


@builtin
def remainder(arg0: Any, arg1: Any) -> Any: ...


@builtin
def rhadd(arg0: Any, arg1: Any) -> Any: ...


@builtin
def rhypot(arg0: Any, arg1: Any) -> Any: ...


@builtin
def rint(arg0: Any) -> Any: ...


@builtin
def rnorm3d(arg0: Any, arg1: Any, arg2: Any) -> Any: ...


@builtin
def rnorm4d(arg0: Any, arg1: Any, arg2: Any, arg3: Any) -> Any: ...


@builtin
def round(arg0: Any) -> Any: ...


@builtin
def rsqrt(x: Any) -> Any: ...


@builtin
def rsqrt_rn(arg0: Any) -> Any: ...


@builtin
def sad(arg0: Any, arg1: Any, arg2: Any) -> Any: ...


@builtin
def saturatef(arg0: Any) -> Any: ...


@builtin
def scalbn(arg0: Any, arg1: Any) -> Any: ...


@builtin
def signbit(arg0: Any) -> Any: ...


@builtin
def sin(x: Any) -> Any: ...


@builtin
def sinh(arg0: Any) -> Any: ...


@builtin
def sinpi(arg0: Any) -> Any: ...


@builtin
def sqrt(x: Any) -> Any: ...


@builtin
def sqrt_rd(arg0: Any) -> Any: ...


@builtin
def sqrt_rn(x: Any) -> Any: ...


@builtin
def sqrt_ru(arg0: Any) -> Any: ...


@builtin
def sqrt_rz(arg0: Any) -> Any: ...


@builtin
def sub_rd(arg0: Any, arg1: Any) -> Any: ...


@builtin
def sub_rn(arg0: Any, arg1: Any) -> Any: ...


@builtin
def sub_ru(arg0: Any, arg1: Any) -> Any: ...


@builtin
def sub_rz(arg0: Any, arg1: Any) -> Any: ...


@builtin
def tan(arg0: Any) -> Any: ...


@builtin
def tanh(x: Any) -> Any: ...


@builtin
def tgamma(arg0: Any) -> Any: ...


@builtin
def trunc(arg0: Any) -> Any: ...


@builtin
def uint2double_rn(arg0: Any) -> Any: ...


@builtin
def uint2float_rd(arg0: Any) -> Any: ...


@builtin
def uint2float_rn(arg0: Any) -> Any: ...


@builtin
def uint2float_ru(arg0: Any) -> Any: ...


@builtin
def uint2float_rz(arg0: Any) -> Any: ...


@builtin
def uint_as_float(arg0: Any) -> Any: ...


@builtin
def ull2double_rd(arg0: Any) -> Any: ...


@builtin
def ull2double_rn(arg0: Any) -> Any: ...


@builtin
def ull2double_ru(arg0: Any) -> Any: ...


@builtin
def ull2double_rz(arg0: Any) -> Any: ...


@builtin
def ull2float_rd(arg0: Any) -> Any: ...


@builtin
def ull2float_rn(arg0: Any) -> Any: ...


@builtin
def ull2float_ru(arg0: Any) -> Any: ...


@builtin
def ull2float_rz(arg0: Any) -> Any: ...


@builtin
def umulhi(x: Any, y: Any) -> Any: ...


@builtin
def y0(*args: Any) -> Any: ...


@builtin
def y1(*args: Any) -> Any: ...


@builtin
def yn(*args: Any) -> Any: ...
