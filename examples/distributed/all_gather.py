# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All-gather between GPUs: each rank gets all ranks' x, one after another. All ranks launch the kernel.

  torchrun --nproc-per-node 2 all_gather.py
"""
import triton
import triton.language as tl

from signals import meet, shared, start


@triton.jit
def all_gather(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    own = tl.load(buffers_ptr + rank).to(tl.pointer_type(x_ptr.dtype.element_ty))
    tl.store(own + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
    meet(pads_ptr, rank, world)
    for step in range(world):
        peer = (rank + step) % world  # ranks read from different ranks at a time
        buffer = tl.load(buffers_ptr + peer).to(tl.pointer_type(x_ptr.dtype.element_ty))
        tl.store(out_ptr + peer * n + offsets, tl.load(buffer + offsets, mask=mask), mask=mask)
    meet(pads_ptr, rank, world)  # nobody reads a buffer any more


def main():
    import torch
    import torch.distributed as dist

    rank, world = start()
    n, BLOCK = 50000, 1024
    programs = triton.cdiv(n, BLOCK)
    x = torch.randn(n, device="cuda")
    _, buffers = shared((n,), x.dtype)
    _, pads = shared((programs * world,), torch.int32)
    out = torch.empty(world * n, device="cuda")
    all_gather[(programs,)](x, buffers, pads, out, rank, world, n, BLOCK=BLOCK)
    expected = torch.empty_like(out)
    dist.all_gather_into_tensor(expected, x)
    torch.testing.assert_close(out, expected, rtol=0, atol=0)
    print(f"rank {rank}: right")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
