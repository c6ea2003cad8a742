# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A barrier between GPUs, for kernels on PyTorch's symmetric memory, and the pads that it needs."""
import triton
import triton.language as tl


@triton.jit
def meet(pads_ptr, rank, world):
    """Waits until this program has come here on all ranks. Each then sees what the others have written.

    pads_ptr: the addresses of each rank's pad, i32[programs, world] of zeros. A slot is 1 while a signal is on its way,
    and its receiver sets it to 0 again, so a pad serves any number of meetings.
    """
    slots = tl.program_id(0) * world
    tl.debug_barrier()  # the signal releases what all threads have written (tilec needs no barrier here)
    for peer in range(world):
        pad = tl.load(pads_ptr + peer).to(tl.pointer_type(tl.int32))
        while tl.atomic_cas(pad + slots + rank, 0, 1, sem="release", scope="sys") != 0:
            pass
    own = tl.load(pads_ptr + rank).to(tl.pointer_type(tl.int32))
    for peer in range(world):
        while tl.atomic_cas(own + slots + peer, 1, 0, sem="acquire", scope="sys") != 1:
            pass


def shared(shape, dtype):
    """A tensor that all ranks can access, and a table of its addresses on each."""
    import torch
    import torch.distributed as dist
    from torch.distributed import _symmetric_memory as symmetric

    tensor = symmetric.empty(shape, dtype=dtype, device="cuda").zero_()
    handle = symmetric.rendezvous(tensor, dist.group.WORLD)
    table = torch.tensor(handle.buffer_ptrs, dtype=torch.int64, device="cuda")
    torch.cuda.synchronize()
    dist.barrier()
    return tensor, table


def start():
    """Joins the ranks that torchrun has started: torchrun --nproc-per-node 2 all_reduce.py"""
    import os

    import torch
    import torch.distributed as dist

    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return dist.get_rank(), dist.get_world_size()
