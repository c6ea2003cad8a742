# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All-reduce between GPUs: each rank gets the sum of all ranks' x, the same to the bit. All ranks launch the kernel.

  torchrun --nproc-per-node 2 all_reduce.py

one_shot: each rank sends x to every rank's buffer, and sums what it got. It has one meeting, so it suits small arrays.
two_shot: each rank sums a part and writes it to all ranks. With more than two ranks it moves less.
"""
import triton
import triton.language as tl

from signals import at_rank, main, meet, meetings, pads_for, shared, sums_case


@triton.jit
def sum_over_ranks(buffers_ptr, offsets, mask, world, like, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for peer in range(world):
        total += tl.load(at_rank(buffers_ptr, peer, like.dtype.element_ty) + offsets, mask=mask, other=0.0).to(tl.float32)
    return total


@triton.jit
def one_shot(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    dtype = x_ptr.dtype.element_ty
    x = tl.load(x_ptr + offsets, mask=mask)
    turn = meetings(pads_ptr, rank, world)
    half = turn % 2 * world  # others may still read what the meeting before was for
    own = at_rank(buffers_ptr, rank, dtype)
    for step in range(1, world):
        tl.store(at_rank(buffers_ptr, (rank + step) % world, dtype) + (half + rank) * n + offsets, x, mask=mask)
    meet(pads_ptr, rank, world, turn)
    total = tl.zeros((BLOCK,), tl.float32)
    for sender in range(world):
        part = tl.load(own + (half + sender) * n + offsets, mask=mask & (sender != rank))
        total += tl.where(sender != rank, part, x).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(dtype), mask=mask)


@triton.jit
def two_shot(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    part = tl.cdiv(n, world * 16) * 16  # so that addresses stay multiples of 16
    within = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    own = at_rank(buffers_ptr, rank, x_ptr.dtype.element_ty)
    for peer in range(world):
        offsets = peer * part + within
        mask = (within < part) & (offsets < n)
        tl.store(own + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
    turn = meetings(pads_ptr, rank, world)
    meet(pads_ptr, rank, world, turn)
    offsets = rank * part + within
    mask = (within < part) & (offsets < n)
    total = sum_over_ranks(buffers_ptr, offsets, mask, world, x_ptr, BLOCK).to(x_ptr.dtype.element_ty)
    for peer in range(world):
        tl.store(at_rank(buffers_ptr, peer, x_ptr.dtype.element_ty) + offsets, total, mask=mask)  # only this rank has read this part
    meet(pads_ptr, rank, world, turn + 1)
    for peer in range(world):
        offsets = peer * part + within
        mask = (within < part) & (offsets < n)
        tl.store(out_ptr + offsets, tl.load(own + offsets, mask=mask), mask=mask)


def make(kernel, x, out, world, BLOCK=1024, **options):
    """A function that launches one of the kernels on x and out. Buffers and pads serve launches of one size and BLOCK."""
    import torch.distributed as dist

    n = x.numel()
    programs = triton.cdiv(n if kernel is one_shot else triton.cdiv(n, world * 16) * 16, BLOCK)
    _, buffers = shared((2 * world * n if kernel is one_shot else n,), x.dtype)
    pads, rank = pads_for(programs, world), dist.get_rank()
    return lambda x=x, out=out: kernel[(programs,)](x, buffers, pads, out, rank, world, n, BLOCK=BLOCK, **options)


case = sums_case(make, one_shot, two_shot)


if __name__ == "__main__":
    main(case)
