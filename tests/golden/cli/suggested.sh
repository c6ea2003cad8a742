# The command line that is proposed for a kernel without arguments passes --check when it is run literally.
# literal FILE KERNEL: proposes, and runs that.
literal() {
  local words
  words=$(tilec run "$ROOT/$1" --kernel "$2" --check 2>&1 </dev/null | sed -n 's/^tilec: note: for instance: //p' | tail -n 1)
  echo "\$ ${words//$ROOT\//}"
  if eval "$words" >log 2>&1 </dev/null; then tail -n 1 log; else
    echo "exit status $?"
    head -n 3 log
  fi
}
for name in add attention dropout histogram matmul row_sums softmax; do literal examples/tutorials/$name.py $name; done
literal examples/tutorials/average_fixed.py average
literal examples/tutorials/matmul_naive.py matmul
for name in forward backward weight_gradient; do literal examples/tutorials/layer_norm.py $name; done
for name in matmul saxpy total; do literal examples/how-to/from_cuda.py $name; done
literal examples/how-to/scale.py scale
literal examples/column_sum.py column_sum
literal examples/matmul.tile matmul
literal examples/elu.tile elu
# A grid for the arguments that are given: blocks, a tile for each of two dimensions, rows, blocks without a bound.
cat >grids.py <<'END'
import triton
import triton.language as tl

@triton.jit
def grouped(a, b, c, M, N, K, lda, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(axis=0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first = pid // (GROUP * tiles_n) * GROUP
    size = min(tiles_m - first, GROUP)
    pid_m = first + pid % (GROUP * tiles_n) % size
    pid_n = (pid % (GROUP * tiles_n)) // size
    m = (pid_m * BM + tl.arange(0, BM)) % M
    n = (pid_n * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_at = a + m[:, None] * lda + k[None, :]
    b_at = b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(a_at, mask=k[None, :] < K - step * BK, other=0), tl.load(b_at, mask=k[:, None] < K - step * BK, other=0), acc)
        a_at += BK
        b_at += BK * N
    row = pid_m * BM + tl.arange(0, BM)
    column = pid_n * BN + tl.arange(0, BN)
    tl.store(c + row[:, None] * N + column[None, :], acc, mask=(row[:, None] < M) & (column[None, :] < N))

@triton.jit
def whole(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i))

@triton.jit
def rows(x, out, stride, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * stride + i
    tl.store(out + at, tl.load(x + at, mask=i < n), mask=i < n)

@triton.jit
def flat(x, out, M, N, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < M * N) * factor, mask=i < M * N)
END
given() {
  local words
  t "tilec run grids.py --kernel $* --check"
  words=$(eval "tilec run grids.py --kernel $* --check" 2>&1 </dev/null | sed -n 's/^tilec: note: for instance: //p')
  t "$words"
}
given grouped a=randn:fp32[70,40] b=randn:fp32[40,90] c=empty:fp32[70,90] M=70 N=90 K=40 lda=40 BM=32 BN=32 BK=32 GROUP=2
given whole x=randn:fp32[1024] out=empty:fp32[1024] BLOCK=128
given rows x=randn:fp32[7,50] out=empty:fp32[7,50] stride=50 n=50 BLOCK=64
given flat x=randn:fp32[7,50] out=empty:fp32[7,50] M=7 N=50 factor=2.0 BLOCK=64
# A scalar is asked for where the text does not decide its type; a bound, a stride, a count and bits are i32.
cat >types.py <<'END'
import triton
import triton.language as tl

@triton.jit
def types(x, table, out, n, stride, steps, shift, scale, seed, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(table + i, mask=i < n, other=0)
    y = tl.load(x + at * stride, mask=i < n) * scale
    for step in range(steps):
        y = y / (tl.rand(seed, i) + eps)
    tl.store(out + i, y + ((i >> shift) & 1), mask=i < n)
END
t "tilec types.py -o types.ptx"
types='x=*fp32,table=*i32,out=*fp32,n=i32,stride=i32,steps=i32,shift=i32'
t "tilec types.py -o types.ptx --signature '$types,scale=TYPE,seed=i32,eps=TYPE' -D BLOCK=64"
t "tilec types.py -o types.ptx --signature '$types,scale=fp32,seed=i32,eps=fp32' -D BLOCK=64"
# A type of another kernel of the file is not repeated.
printf '@triton.jit\ndef one(x):\n    tl.store(x, 1.0)\n' >>types.py
t "tilec types.py -o types.ptx --signature shift=i32 |& grep 'kernel one'"
