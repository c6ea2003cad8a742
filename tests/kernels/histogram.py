import torch
import triton
import triton.language as tl

from . import _config as config  # noqa: F401

NUM_BINS_MAX = 256


# Counts by atomics, one per element, of values clipped to the bins.
@triton.jit
def histogram_atomic(x_ptr, counts_ptr, sums_ptr, n, low, inv_width, NUM_BINS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    bin_ = tl.floor((x - low) * inv_width).to(tl.int32)
    bin_ = tl.minimum(tl.maximum(bin_, 0), NUM_BINS - 1)
    tl.atomic_add(counts_ptr + bin_, 1, mask=mask)
    tl.atomic_add(sums_ptr + bin_, x, mask=mask, sem="relaxed", scope="gpu")


# Counts a block at a time: a histogram of the block in registers, then one atomic a bin.
@triton.jit
def histogram_block(x_ptr, counts_ptr, lowest_ptr, highest_ptr, n, NUM_BINS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    # elements beyond the end count for bin 0, and are subtracted again
    x = tl.load(x_ptr + offs, mask=mask, other=0)
    h = tl.histogram(x, NUM_BINS)
    bins = tl.arange(0, NUM_BINS)
    beyond = BLOCK - tl.sum(mask.to(tl.int32), axis=0)
    h = tl.where(bins == 0, h - beyond, h)
    tl.atomic_add(counts_ptr + bins, h, mask=h > 0)
    tl.atomic_min(lowest_ptr, tl.min(tl.where(mask, x, 2147483647), axis=0))
    tl.atomic_max(highest_ptr, tl.max(tl.where(mask, x, -2147483648), axis=0))


def histogram(x: torch.Tensor, bins: int = NUM_BINS_MAX) -> torch.Tensor:
    counts = torch.zeros(bins, dtype=torch.int32, device=x.device)
    low, high = (float(v) for v in torch.aminmax(x))
    histogram_atomic[(triton.cdiv(x.numel(), 1024),)](x, counts, torch.zeros(bins), x.numel(), low,
                                                      bins / (high - low), NUM_BINS=bins, BLOCK=1024)
    return counts
