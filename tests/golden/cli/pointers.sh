# Tables of addresses: ptrs(NAME,...), and buffers that are not an argument.
cat >gather.py <<'END'
import triton
import triton.language as tl


@triton.jit
def gather(table, out, COUNT: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N,), dtype=tl.float32)
    for k in range(COUNT):
        p = tl.load(table + k).to(tl.pointer_type(tl.float32))
        total += tl.load(p + i)
    tl.store(out + i, total)
END
buffers="--buffer a=arange:fp32[16] --buffer 'b=full(100):fp32[32]'"
for device in sim eval; do
  t "tilec run gather.py --device $device --grid 1 --check $buffers 'table=ptrs(a,b+64,a+32):*fp32' out=empty:fp32[8] COUNT=3 N=8"
done
t "tilec check gather.py --grid 1 --check --strict $buffers 'table=ptrs(a,b)' out=empty:fp32[8] COUNT=2 N=8"
t "tilec bench gather.py --device sim --grid 1 $buffers 'table=ptrs(a,b)' out=empty:fp32[8] COUNT=2 N=8 | sed -n 2p"
# A table may point to the run's own arguments, and what is pointed to is checked as every buffer is.
cat >store.py <<'END'
import triton
import triton.language as tl


@triton.jit
def store(table, x, N: tl.constexpr):
    i = tl.arange(0, N)
    p = tl.load(table + 1).to(tl.pointer_type(tl.float32))
    tl.store(p + i, tl.load(x + i) + 1)
END
t "tilec run store.py --device sim --grid 1 --check --buffer y=empty:fp32[8] x=arange:fp32[8] 'table=ptrs(None,y):*fp32' N=8 --save y=y.npy"
t "tilec run store.py --device sim --grid 1 --check x=arange:fp32[8] 'table=ptrs(x,x):*fp32' N=8 --expect x=@y.npy"
t "tilec run store.py --device sim --grid 1 --buffer y=empty:fp32[4] x=arange:fp32[8] 'table=ptrs(x,y):*fp32' N=8 |& sed '/note: PTX/d'"
t "tilec run store.py --device eval --grid 1 --buffer y=empty:fp32[4] x=arange:fp32[8] 'table=ptrs(x,None):*fp32' N=8"
# Errors.
for table in 'ptrs(x,z)' 'ptrs(x,y):*i32' 'ptrs(x,y):fp32' 'ptrs(x,y+33)' 'ptrs(x,y+)' 'ptrs(x,)' 'ptrs(x,y' 'ptrs()' 'ptrs(x,N)'; do
  t "tilec run store.py --device eval --grid 1 --buffer y=empty:fp32[8] x=arange:fp32[8] 'table=$table' N=8 |& sed -n 1p"
done
for buffer in 'x=ones:fp32[1]' 'y' 'y=7' 'y=&x' 'y=onse:fp32[1]'; do t "tilec run store.py --device eval --grid 1 --buffer '$buffer' x=arange:fp32[8] 'table=ptrs(x,x)' N=8 |& sed -n 1p"; done
t "tilec run store.py --device eval --grid 1 --buffer y=ones:fp32[1] x=arange:fp32[8] 'table=ptrs(x,x)' y=ones:fp32[8] N=8"
