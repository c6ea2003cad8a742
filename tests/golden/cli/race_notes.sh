# Advice for races: of one program, of two, at an atomic on a tile of pointers, and at a relaxed one.
cat >races.py <<'END'
import triton
import triton.language as tl

@triton.jit
def tile_release(part, out, flag, SPLIT: tl.constexpr, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(part + p * BLOCK + i, i.to(tl.float32))
    t = tl.sum(tl.atomic_add(flag + tl.arange(0, 1), 1, sem="acq_rel"), 0)
    if t == SPLIT - 1:
        acc = tl.zeros((BLOCK,), tl.float32)
        for k in range(SPLIT):
            acc += tl.load(part + k * BLOCK + i)
        tl.store(out + i, acc)

@triton.jit
def relaxed(part, out, flag, SPLIT: tl.constexpr, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(part + p * BLOCK + i, i.to(tl.float32))
    t = tl.atomic_add(flag, 1, sem="relaxed")
    if t == SPLIT - 1:
        acc = tl.zeros((BLOCK,), tl.float32)
        for k in range(SPLIT):
            acc += tl.load(part + k * BLOCK + i)
        tl.store(out + i, acc)

@triton.jit
def count(x, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    b = tl.load(x + i, mask=i < n, other=0)
    c = tl.load(bins + b, mask=i < n, other=0)
    tl.store(bins + b, c + 1, mask=i < n)
END
notes() { t "tilec check $1 --kernel $2 $3 |& grep -E 'error: data race|note: (programs|threads)|no reports'"; }
sums='part=zeros:fp32[8,256] out=zeros:fp32[256] flag=zeros:i32[8] SPLIT=8 BLOCK=256 --grid 8'
notes races.py tile_release "$sums"
notes races.py relaxed "$sums"
sed 's/    t = tl.sum(/    tl.debug_barrier()\n    t = tl.sum(/' races.py >fixed.py
t "tilec check fixed.py --kernel tile_release $sums |& grep -c 'data race'"
for grid in 1 4; do notes races.py count "'x=randint(0,100):i32[1000]' bins=zeros:i32[100] n=1000 BLOCK=256 --grid $grid"; done
