# The names of `from triton.language import *` hide Python's own functions: max and min are reductions,
# whichever file has the star.
printf 'from triton.language import *\nHIDDEN = 3\n' >names.py
printf 'HALF = 0.5\n_own = 7\n__all__ = ["HALF", "_listed"]\n_listed = 2.0\nnot_listed = 9\n' >listed.py
cat >star.py <<'END'
import triton
from triton.language import *


@triton.jit
def extremes(x, out):
    v = load(x + arange(0, 4)) - 2
    store(out, max(v, 0))
    store(out + 1, min(v, axis=0))
END
cat >through.py <<'END'
import triton
from names import *
from listed import *


@triton.jit
def extremes(x, out):
    v = load(x + arange(0, 4)) - 2
    store(out, max(v, 0) * HIDDEN)
    store(out + 1, sum(v, 0) * HALF * _listed)
END
cat >elementwise.py <<'END'
import triton
import triton.language as T


@triton.jit
def at_least(x, out):
    i = T.arange(0, 4)
    T.store(out + i, max(T.load(x + i) - 2, 0))
END
t 'tilec run star.py --device eval --grid 1 x=arange:fp32[4] out=empty:fp32[2]'
t 'tilec run star.py --device sim --grid 1 x=arange:fp32[4] out=empty:fp32[2]'
t 'tilec run through.py --device eval --grid 1 x=arange:fp32[4] out=empty:fp32[2]'
t 'tilec run elementwise.py --device eval --grid 1 x=arange:fp32[4] out=empty:fp32[4]'
# A .py file has the names that it imports.
cat >names_missing.py <<'END'
import triton
import triton.language as T
from listed import *


@triton.jit
def missing(x, out):
    i = arange(0, 4)
    v = T.load(x + i).to(float16)
    T.store(out + i, rsqrt(v) + not_listed)
    T.store(out, popc(v))
END
t 'tilec names_missing.py --signature "x=*fp32,out=*fp32" -o -'
