"""An inclusive prefix sum of a long vector in one pass. Each program publishes its tile's sum with a flag in
one 64-bit word. It looks back over its predecessors' words for the sum before it."""
import torch
import triton
import triton.language as tl

FLAG_NONE = 0
FLAG_SUM = tl.constexpr(1)
FLAG_PREFIX = tl.constexpr(2)


@triton.jit
def pack_value_flag(value, flag, DTYPE_VALUE_AS_UINT: tl.constexpr, DTYPE_PACK: tl.constexpr):
    bits = value.to(DTYPE_VALUE_AS_UINT, bitcast=True).to(DTYPE_PACK)
    return (bits << 32) | tl.cast(flag, DTYPE_PACK)


@triton.jit
def unpack_value(pack, DTYPE_VALUE: tl.constexpr, DTYPE_VALUE_AS_UINT: tl.constexpr):
    return (pack >> 32).to(DTYPE_VALUE_AS_UINT).to(DTYPE_VALUE, bitcast=True)


@triton.jit
def unpack_flag(pack, DTYPE_FLAG: tl.constexpr):
    return pack.to(DTYPE_FLAG)


@triton.jit
def exclusive_look_back(scratch_base, block_value, index, combine_fn):
    """The combination of the values of all blocks before this one; publishes this one's."""
    DTYPE_VALUE = block_value.dtype
    pack = pack_value_flag(block_value, FLAG_SUM, tl.uint32, tl.uint64)
    if index > 0:
        tl.atomic_xchg(scratch_base + index, pack, sem="relaxed")
    exclusive_prefix = tl.zeros([], DTYPE_VALUE)
    prefix_valid = False
    test_target = index - 1
    while test_target >= 0:
        # until that program has published
        flag = tl.full([], 0, tl.uint32)
        word = tl.full([], 0, tl.uint64)
        while flag == 0:
            word = tl.atomic_add(scratch_base + test_target, 0, sem="relaxed")
            flag = unpack_flag(word, tl.uint32)
        value = unpack_value(word, DTYPE_VALUE, tl.uint32)
        if prefix_valid:
            exclusive_prefix = combine_fn(value, exclusive_prefix)
        else:
            exclusive_prefix = value
            prefix_valid = True
        if flag == FLAG_PREFIX:
            test_target = -1
        else:
            test_target = test_target - 1
    if prefix_valid:
        inclusive_prefix = combine_fn(exclusive_prefix, block_value)
    else:
        inclusive_prefix = block_value
    pack = pack_value_flag(inclusive_prefix, FLAG_PREFIX, tl.uint32, tl.uint64)
    tl.atomic_xchg(scratch_base + index, pack, sem="relaxed")
    return exclusive_prefix


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def prefix_sum(in_ptr0, out_ptr0, ws_ptr, xnumel, XBLOCK: tl.constexpr):
    index = tl.program_id(0)
    xindex = index * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + xindex, xmask, other=0.0)
    block_sum = tl.reduce(tmp0, 0, _add)
    exclusive = exclusive_look_back(ws_ptr, block_sum, index, _add)
    scanned = tl.associative_scan(tmp0, 0, _add)
    tl.store(out_ptr0 + xindex, exclusive + scanned, xmask)


def cumsum(x: torch.Tensor) -> torch.Tensor:
    blocks = triton.cdiv(x.numel(), 1024)
    scratch = torch.full((blocks,), FLAG_NONE, dtype=torch.int64, device=x.device)
    out = torch.empty_like(x)
    prefix_sum[(blocks,)](x, out, scratch.view(torch.uint64), x.numel(), XBLOCK=1024)
    return out
