# Tuples and tensor descriptors as arguments. The kernels declare their types, so that a compile knows them too.
import triton
import triton.language as tl


# A dot through descriptors whose last blocks reach beyond the tensors.
# check: --grid 3,2 a=desc(randn:fp16[80,56],block=[32,16]) b=desc(randn:fp16[56,48],block=[16,32]) c=desc(empty:fp32[80,48],block=[32,32])
# check: --grid 3,2 a=desc(randn:fp16[80,64],block=[32,16],shape=[77,50]) b=desc(randn:fp16[56,48],block=[16,32],shape=[50,40]) c=desc(zeros:fp32[80,48],block=[32,32],shape=[77,40])
@triton.jit
def product(a: "tensordesc<fp16[32, 16]>", b: "tensordesc<fp16[16, 32]>", c: "tensordesc<fp32[32, 32]>"):
    row, column = tl.program_id(0) * 32, tl.program_id(1) * 32
    total = tl.zeros([32, 32], tl.float32)
    for k in range(0, a.shape[1], a.block_shape[1]):
        total = tl.dot(a.load([row, k]), b.load([k, column]), total)
    c.store([row, column], total)


@triton.jit
def weighted(x, weight, bias=None):
    y = x * weight
    return y if bias is None else y + bias


# check: --grid 4 xs=(randn:fp32[500],randn:fp32[500],randn:fp32[500]) out=(ptr=empty:fp32[500],n=500) scale=(2.0,(3,4))
# check: --grid 2 xs=(randn:fp32[256],&xs[0],&xs[0]) out=(ptr=empty:fp32[256],n=256) scale=(0.5,(1,16))
@triton.jit
def sums(xs: "(*fp32, *fp32, *fp32)", out: "(ptr=*fp32, n=i32)", scale: "(fp32, (i32, i32))"):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    mask = i < out.n
    factor, (times, plus) = scale
    total = tl.zeros([128], tl.float32)
    for k in tl.static_range(len(xs)):
        total += weighted(tl.load(xs[k] + i, mask=mask, other=0), factor, times if k == 1 else None)
    tl.store(out.ptr + i, total + plus, mask=mask)


# What is outside is NaN, and is counted; a tuple of descriptors, chosen by a loop.
# check: --grid 1 ds=(desc(ones:fp32[6,20],block=[8,32],padding=nan),desc(full(2):fp32[8,16],block=[8,32],padding=nan)) out=empty:i32[2]
@triton.jit
def outside(ds: "(tensordesc<fp32[8, 32], nan>, tensordesc<fp32[8, 32], nan>)", out):
    for k in tl.static_range(2):
        x = ds[k].load([0, 0])
        tl.store(out + k, tl.sum((x != x).to(tl.int32)))
