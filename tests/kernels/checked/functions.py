"""Functions whose code depends on the context: constant powers, quotients by sums, exponentials of sums; all sizes."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


# 1024 numbers per program: signs, exponents and some fractions of fp32, with zeros, denormal numbers, infinities and NaNs.
@triton.jit
def any_number(at):
    return ((at * 2097152) ^ ((at >> 11) * 2654435) ^ (at >> 12)).to(tl.int32).to(tl.float32, bitcast=True)


# check: --grid 8 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=1.0 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=2.0 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=3.0 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=4.0 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=-1.0 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=-2.0 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=-3.0 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=0.5 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=1.5 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=2.5 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=3.5 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=-0.5 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=5.0 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=0.3 OUT=empty:fp32[8192]
# check: --grid 8 -D Y=-7.25 OUT=empty:fp32[8192]
@triton.jit
def powers(OUT, Y: tl.constexpr = 0.0):
    at = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(OUT + at, libdevice.pow(any_number(at), Y))


# check: --grid 8 OUT=empty:fp32[8192] S=0.0
# check: --grid 8 OUT=empty:fp32[8192] S=3.0
# check: --grid 8 OUT=empty:fp32[8192] S=-2.5
@triton.jit
def powers_by_scalar(OUT, S):
    at = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(OUT + at, libdevice.pow(any_number(at), S))


# check: --grid 8 OUT=empty:fp32[7,8192]
@triton.jit
def sigmoids(OUT):
    at = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    x = any_number(at)
    y = (at % 256 - 128).to(tl.float32)
    tl.store(OUT + at, 1 / (1 + tl.exp(-y)))
    tl.store(OUT + 8192 + at, y / (1 + tl.exp(-y)))
    tl.store(OUT + 2 * 8192 + at, x / (2 + tl.exp2(y)))
    tl.store(OUT + 3 * 8192 + at, x / (tl.abs(x) + 1.5))
    tl.store(OUT + 4 * 8192 + at, 1 / (1 + x * x))
    tl.store(OUT + 5 * 8192 + at, tl.sigmoid(x))
    tl.store(OUT + 6 * 8192 + at, tl.exp(x))


# check: --grid 8 OUT=empty:fp32[10,8192]
@triton.jit
def fast_variants(OUT):
    at = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    x = any_number(at)
    y = (at % 256 - 128).to(tl.float32) * 0.25
    tl.store(OUT + at, libdevice.fast_expf(y))
    tl.store(OUT + 8192 + at, libdevice.fast_exp10f(y))
    tl.store(OUT + 2 * 8192 + at, libdevice.fast_logf(x))
    tl.store(OUT + 3 * 8192 + at, libdevice.fast_log10f(x))
    tl.store(OUT + 4 * 8192 + at, libdevice.fast_sinf(y) + libdevice.fast_cosf(y))
    tl.store(OUT + 5 * 8192 + at, libdevice.fast_tanf(y))
    tl.store(OUT + 6 * 8192 + at, libdevice.fast_tanhf(x))
    tl.store(OUT + 7 * 8192 + at, libdevice.fast_powf(tl.abs(y), 1.5))
    tl.store(OUT + 8 * 8192 + at, libdevice.fast_dividef(x, y))
    tl.store(OUT + 9 * 8192 + at, tl.sqrt(x) + tl.rsqrt(x))


# check: --grid 8 OUT=empty:fp32[11,8192]
# check: --grid 8 --fast-math OUT=empty:fp32[11,8192]
@triton.jit
def by_the_plain_names(OUT):
    at = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    x = any_number(at)
    y = (at % 256 - 128).to(tl.float32) * 0.25
    tl.store(OUT + at, tl.exp(y))
    tl.store(OUT + 8192 + at, libdevice.exp10(y))
    tl.store(OUT + 2 * 8192 + at, tl.log(x))
    tl.store(OUT + 3 * 8192 + at, libdevice.log10(x) + tl.log2(x))
    tl.store(OUT + 4 * 8192 + at, tl.sin(y) + tl.cos(y))
    tl.store(OUT + 5 * 8192 + at, libdevice.tan(y))
    tl.store(OUT + 6 * 8192 + at, libdevice.pow(tl.abs(y), 1.5))
    tl.store(OUT + 7 * 8192 + at, x / y)
    tl.store(OUT + 8 * 8192 + at, x / 3.0)
    tl.store(OUT + 9 * 8192 + at, tl.sigmoid(y))
    tl.store(OUT + 10 * 8192 + at, tl.div_rn(y, 3.0) + tl.sqrt_rn(x))
