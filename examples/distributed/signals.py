# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals and a barrier between GPUs, for kernels on PyTorch's symmetric memory, and the pads that they need."""
import triton
import triton.language as tl


@triton.jit
def at_rank(table_ptr, rank, dtype: tl.constexpr):
    """A rank's address in a table of addresses, which are multiples of 16."""
    return tl.multiple_of(tl.load(table_ptr + rank).to(tl.pointer_type(dtype)), 16)


@triton.jit
def signal(slot_ptr):
    """Counts up a slot of a pad. Who waits for it then sees what this program has written."""
    tl.debug_barrier()  # the signal releases what all threads have written (tilec needs no barrier here)
    tl.atomic_add(slot_ptr, 1, sem="release", scope="sys")


@triton.jit
def wait(slot_ptr, turn):
    """Waits until a slot of this rank's pad has more than `turn` signals."""
    while tl.atomic_add(slot_ptr, 0, sem="acquire", scope="sys") - turn <= 0:
        pass


@triton.jit
def meetings(pads_ptr, rank, world):
    """How often this program has met, in this launch and those before."""
    return tl.load(at_rank(pads_ptr, rank, tl.int32) + tl.program_id(0) * world + rank)


@triton.jit
def meet(pads_ptr, rank, world, turn):
    """Waits until this program has come here on all ranks. Each then sees what the others have written.

    pads_ptr: the addresses of each rank's pad, i32[programs, world] of zeros. Slots count signals, so that a pad serves
    any number of meetings, in any number of launches. turn: how often this program has met.
    """
    slots = tl.program_id(0) * world
    own = at_rank(pads_ptr, rank, tl.int32) + slots
    for step in range(1, world):
        signal(at_rank(pads_ptr, (rank + step) % world, tl.int32) + slots + rank)
    tl.store(own + rank, turn + 1)
    for step in range(1, world):
        wait(own + (rank + step) % world, turn)


def pads_for(programs, world, more=0):
    """Pads for so many programs, and `more` slots for each rank."""
    import torch

    return shared(((programs + more) * world,), torch.int32)[1]


def shared(shape, dtype):
    """A tensor that all ranks can access, and a table of its addresses on each."""
    import torch
    import torch.distributed as dist
    from torch.distributed import _symmetric_memory as symmetric

    tensor = symmetric.empty(shape, dtype=dtype, device="cuda").zero_()
    handle = symmetric.rendezvous(tensor, dist.group.WORLD)
    table = torch.tensor(handle.buffer_ptrs, dtype=torch.int64, device="cuda")
    table.memory = tensor, handle  # live as long as the table
    torch.cuda.synchronize()
    dist.barrier()
    return tensor, table


def sums_case(make, *all_reduces):
    """A case of main: each kernel of all_reduces adds 100,000 numbers of every rank. make(kernel, x, out, world) returns a
    function that launches it.
    """

    def case(rank, world):
        import torch
        import torch.distributed as dist

        x = torch.randn(100000, device="cuda")
        outs = [torch.empty_like(x) for _ in all_reduces]
        launches = [make(kernel, x, out, world) for kernel, out in zip(all_reduces, outs)]

        def results():
            expected = x.double()
            dist.all_reduce(expected)
            return [(out, expected) for out in outs]

        return lambda: [launch() for launch in launches], results, [x]

    return case


def main(case):
    """Runs a case of an example on the ranks that torchrun has started: torchrun --nproc-per-node 2 all_reduce.py

    case(rank, world) returns a function that launches, one that returns pairs of results and what they should be, and
    the inputs whose negation negates all results.
    """
    import os

    import torch
    import torch.distributed as dist

    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    launch, results, _ = case(dist.get_rank(), dist.get_world_size())
    launch()
    for found, expected in results():
        tolerance = 0.03 if found.dtype == torch.bfloat16 else 1e-5
        torch.testing.assert_close(found.double(), expected, rtol=tolerance, atol=tolerance * float(expected.square().mean().sqrt()))
    print(f"rank {dist.get_rank()}: right")
    dist.destroy_process_group()
