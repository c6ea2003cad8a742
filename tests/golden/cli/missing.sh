# Missing arguments are named all at once, with a command line that has them. That command line works when pasted.
# pasted COMMAND...: fails, and what it proposes is run.
pasted() {
  local words
  t "tilec $*"
  words=$(eval "tilec $*" 2>&1 </dev/null | sed -n 's/^tilec: note: for instance: //p' | tail -n 1)
  t "$words"
}
pasted run add.tile --device eval
pasted run add.tile --device eval y=ones:fp32[100]
pasted check two.tile --kernel scale
pasted run two.tile --device eval --kernel shift --grid 2
cat >soft.py <<'END'
import triton
import triton.language as tl

@triton.jit
def row_sum(p, cols, N: tl.constexpr, rows):
    i = tl.arange(0, N)
    return tl.sum(tl.load(p + rows * cols + i, mask=i < cols, other=0), 0)

@triton.jit
def soft(src, dst, counts: "*i32", cols, scale: tl.float32, flag: tl.int1, N: tl.constexpr, IS_SUM: tl.constexpr, DTYPE: tl.constexpr):
    row = tl.program_id(0)
    total = row_sum(src, cols, N, row) * scale
    where = dst
    where += row
    if IS_SUM:
        tl.atomic_add(counts, 1)
    if flag:
        tl.store(where, total.to(DTYPE))
END
pasted run soft.py --device eval
pasted run matmul.tile --device eval --kernel matmul
pasted run matmul.tile --device eval --kernel matmul stride_am=16 --diagnostics=text
# A command line that has quotes keeps them; a file of arguments is read.
cp add.tile 'add it.tile'
pasted run "'add it.tile'" --device eval "'x=full(1):fp32[9]'" n=9
printf 'run add.tile --device eval n=9' >words.txt
pasted @words.txt
# Types of a compile.
pasted soft.py -o soft.ptx
pasted soft.py -o soft.ptx --signature "'src=*fp16:16'" -D N=128
pasted two.tile --kernel shift -o shift.ptx
printf '@kernel\ndef a(x, n):\n    store(x, n)\n\n\n@kernel\ndef b(y, BLOCK: constexpr):\n    store(y + arange(0, BLOCK), 1)\n' >both.tile
pasted both.tile -o both.ptx
# Arguments that decorators give are not asked for.
cat >tuned.py <<'END'
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"BLOCK": size}) for size in (64, 128)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def tuned(out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 1 if EVEN else 2, mask=i < n)
END
pasted run tuned.py --device eval
