# --check fails if an output, an `empty:` buffer that the kernel stores to, has elements that no program wrote.
cat >parts.py <<'END'
import triton
import triton.language as tl

@triton.jit
def parts(x, a, b, spare, n, STORE_B: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(a + i, v, mask=i < n)
    if STORE_B:
        tl.store(b + i, v, mask=i > n + B)

@triton.jit
def increment(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n, other=0.0) + 1.0, mask=i < n)
END
parts='parts.py --kernel parts --grid 1 x=randn:fp32[64] B=64'
add='-D BLOCK=256 x=randn:fp32[1000] y=randn:fp32[1000] n=1000'
# A grid that is too small; the same with a start value, and without --check.
t "tilec run add.tile --device sim --check --grid 3 $add out=empty:fp32[1000] | grep -v '^check: [xy]'"
t "tilec run add.tile --device eval --check --grid 3 $add out=empty:fp32[1000] | grep '^check: out' -A1"
t "tilec run add.tile --device sim --check --grid 3 $add out=zeros:fp32[1000] | grep '^check: out' -A1"
t "tilec run add.tile --device sim --grid 3 $add out=empty:fp32[1000]"
t "tilec check add.tile --check --grid 3 $add out=empty:fp32[1000] | grep out"
t "tilec run add.tile --device sim --check --grid 3 $add out=empty:fp32[1000] --allow-uncompared=1 | tail -n 1"
# No program, so nothing is missing.
t "tilec run add.tile --device sim --check --grid 0 $add out=empty:fp32[1000] | tail -n 1"
# Two outputs: the mask of the second is never true. Without its store it is not an output.
t "tilec run $parts --device sim --check n=64 a=empty:fp32[64] b=empty:fp32[64] spare=empty:fp32[8] STORE_B=True"
t "tilec run $parts --device sim --check n=64 a=empty:fp32[64] b=empty:fp32[64] spare=empty:fp32[8] STORE_B=False"
# A part of an output that begins with values, and an in-out array under a mask.
t "tilec run $parts --device sim --check n=40 a=ones:fp32[64] b=ones:fp32[64] spare=ones:fp32[8] STORE_B=True"
t "tilec run parts.py --kernel increment --device sim --check --grid 1 x=ones:fp32[64] n=40 B=64"
