# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All-reduce between GPUs: each rank gets the sum of all ranks' x, the same to the bit. All ranks launch the kernel.

  torchrun --nproc-per-node 2 all_reduce.py

one_shot: each rank reads all of every rank's buffer. It has one meeting before the sum, so it suits small arrays.
two_shot: each rank sums a part and writes it to all ranks. It moves less, and suits larger arrays.
"""
import triton
import triton.language as tl

from signals import meet, shared, start


@triton.jit
def sum_over_ranks(buffers_ptr, offsets, mask, world, like, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for peer in range(world):
        buffer = tl.load(buffers_ptr + peer).to(tl.pointer_type(like.dtype.element_ty))
        total += tl.load(buffer + offsets, mask=mask, other=0.0).to(tl.float32)
    return total


@triton.jit
def one_shot(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    own = tl.load(buffers_ptr + rank).to(tl.pointer_type(x_ptr.dtype.element_ty))
    tl.store(own + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
    meet(pads_ptr, rank, world)
    total = sum_over_ranks(buffers_ptr, offsets, mask, world, x_ptr, BLOCK)
    tl.store(out_ptr + offsets, total.to(x_ptr.dtype.element_ty), mask=mask)
    meet(pads_ptr, rank, world)  # nobody reads a buffer any more


@triton.jit
def two_shot(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    part = tl.cdiv(n, world)
    within = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    own = tl.load(buffers_ptr + rank).to(tl.pointer_type(x_ptr.dtype.element_ty))
    for peer in range(world):
        offsets = peer * part + within
        mask = (within < part) & (offsets < n)
        tl.store(own + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
    meet(pads_ptr, rank, world)
    offsets = rank * part + within
    mask = (within < part) & (offsets < n)
    total = sum_over_ranks(buffers_ptr, offsets, mask, world, x_ptr, BLOCK).to(x_ptr.dtype.element_ty)
    for peer in range(world):
        buffer = tl.load(buffers_ptr + peer).to(tl.pointer_type(x_ptr.dtype.element_ty))
        tl.store(buffer + offsets, total, mask=mask)  # only this rank has read this part
    meet(pads_ptr, rank, world)
    for peer in range(world):
        offsets = peer * part + within
        mask = (within < part) & (offsets < n)
        tl.store(out_ptr + offsets, tl.load(own + offsets, mask=mask), mask=mask)


def all_reduce(x, kernel, BLOCK=1024):
    import torch
    import torch.distributed as dist

    rank, world, n = dist.get_rank(), dist.get_world_size(), x.numel()
    programs = triton.cdiv(n if kernel is one_shot else triton.cdiv(n, world), BLOCK)
    _, buffers = shared((n,), x.dtype)
    _, pads = shared((programs * world,), torch.int32)
    out = torch.empty_like(x)
    kernel[(programs,)](x, buffers, pads, out, rank, world, n, BLOCK=BLOCK)
    return out


def main():
    import torch
    import torch.distributed as dist

    rank, _ = start()
    x = torch.randn(100000, device="cuda")
    expected = x.double()
    dist.all_reduce(expected)
    for kernel in one_shot, two_shot:
        torch.testing.assert_close(all_reduce(x, kernel).double(), expected, rtol=1e-5, atol=1e-5)
    print(f"rank {rank}: right")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
