# run says which configuration it took: the first of @autotune, or what tilec tune kept.
cat >twice.py <<'END'
import triton
import triton.language as tl

@triton.autotune([triton.Config({"BLOCK": b, "MODE": m}, num_warps=w) for b in (64, 128, 256) for m in ("up", "down") for w in (1, 2)], key=["n"])
@triton.jit
def twice(x, out, n, K: tl.constexpr, MODE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * K, mask=i < n)
END
words='twice.py --grid "cdiv(n, BLOCK)" x=arange:fp32[40] out=empty:fp32[40] n=40 -D K=2'
t "tilec run --device sim $words"
t "tilec run --device eval $words"
t "tilec run --device sim $words -D BLOCK=128 --num-warps 4"
t "tilec run --device sim $words -D BLOCK=128 -D MODE=\"'up'\" --num-warps 4"
kept() { TILEC_CACHE=on TILEC_CACHE_DIR=$PWD/kept "$@"; }
t "kept tilec tune --device sim $words | tail -n 1"
t "kept tilec run --device sim $words | sed -E '1s/: K?.*/: .../'"
# The list says what it leaves out, and the last line is a command line's words.
t "tilec tune --predict $words | sed -E 's/^ .*//' | uniq"
best=$(eval "tilec tune --predict $words" | sed -n 's/^best.*://p')
t "tilec run --device sim ${words/-D K=2/} $best"
one="-D \"MODE='up'\""
t "tilec tune --predict $words $one --num-warps 2 | tail -n 1"
# A range is an option, not an argument.
t "tilec tune --predict ${words/-D K=2/} K='2|4'"
t "tilec run --device sim ${words/-D K=2/} K='2|4'"
# Why configurations are not possible, with their number.
t "tilec tune --predict $words -D 'BLOCK=64|96|100|2097152' | sed -E 's/^ .*//' | uniq"
