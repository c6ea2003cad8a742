# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All-gather between GPUs: each rank gets all ranks' x, one after another. All ranks launch the kernel.

  torchrun --nproc-per-node 2 all_gather.py
"""
import triton
import triton.language as tl

from signals import at_rank, main, meet, meetings, pads_for, shared


@triton.jit
def all_gather(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(at_rank(buffers_ptr, rank, x_ptr.dtype.element_ty) + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
    turn = meetings(pads_ptr, rank, world)
    meet(pads_ptr, rank, world, turn)
    for step in range(world):
        peer = (rank + step) % world  # ranks read from different ranks at a time
        buffer = at_rank(buffers_ptr, peer, x_ptr.dtype.element_ty)
        tl.store(out_ptr + peer * n + offsets, tl.load(buffer + offsets, mask=mask), mask=mask)
    meet(pads_ptr, rank, world, turn + 1)  # nobody reads a buffer any more


def make(x, out, rank, world, BLOCK=1024, **options):
    """A function that launches the kernel on x and out, or others like them."""
    n = x.numel()
    programs = triton.cdiv(n, BLOCK)
    _, buffers = shared((n,), x.dtype)
    pads = pads_for(programs, world)
    return lambda x=x, out=out: all_gather[(programs,)](x, buffers, pads, out, rank, world, n, BLOCK=BLOCK, **options)


def case(rank, world):
    import torch
    import torch.distributed as dist

    x, out = torch.randn(50000, device="cuda"), torch.empty(world * 50000, device="cuda")

    def results():
        expected = torch.empty(world * 50000, device="cuda", dtype=torch.float64)
        dist.all_gather_into_tensor(expected, x.double())
        return [(out, expected)]

    return make(x, out, rank, world), results, [x]


if __name__ == "__main__":
    main(case)
