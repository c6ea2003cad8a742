# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduce-scatter between GPUs: rank r gets part r of the sum of all ranks' x. All ranks launch the kernel.

  torchrun --nproc-per-node 2 reduce_scatter.py
"""
import triton
import triton.language as tl

from all_reduce import sum_over_ranks
from signals import at_rank, main, meet, meetings, pads_for, shared


@triton.jit
def reduce_scatter(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, part, BLOCK: tl.constexpr):
    within = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = within < part
    own = at_rank(buffers_ptr, rank, x_ptr.dtype.element_ty)
    for peer in range(world):
        offsets = peer * part + within
        tl.store(own + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
    turn = meetings(pads_ptr, rank, world)
    meet(pads_ptr, rank, world, turn)
    total = sum_over_ranks(buffers_ptr, rank * part + within, mask, world, x_ptr, BLOCK)
    tl.store(out_ptr + within, total.to(x_ptr.dtype.element_ty), mask=mask)
    meet(pads_ptr, rank, world, turn + 1)  # nobody reads a buffer any more


def make(x, out, rank, world, BLOCK=1024, **options):
    """A function that launches the kernel on x and out, or others like them."""
    part = out.numel()
    programs = triton.cdiv(part, BLOCK)
    _, buffers = shared((world * part,), x.dtype)
    pads = pads_for(programs, world)
    return lambda x=x, out=out: reduce_scatter[(programs,)](x, buffers, pads, out, rank, world, part, BLOCK=BLOCK, **options)


def case(rank, world):
    import torch
    import torch.distributed as dist

    x, out = torch.randn(world * 50000, device="cuda"), torch.empty(50000, device="cuda")

    def results():
        expected = torch.empty(50000, dtype=torch.float64, device="cuda")
        dist.reduce_scatter_tensor(expected, x.double())
        return [(out, expected)]

    return make(x, out, rank, world), results, [x]


if __name__ == "__main__":
    main(case)
