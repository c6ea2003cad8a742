# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matmul and all-reduce in one kernel: each rank has a part of K, and gets the whole product. All ranks launch the kernel.

  torchrun --nproc-per-node 2 matmul_all_reduce.py

Each rank owns a band of rows of the product. It multiplies the tiles of the other ranks first, and sends its partial
sums to them. Then it multiplies its own tiles. It adds what the others have sent meanwhile, and writes the sums to all.
"""
import triton
import triton.language as tl

from signals import at_rank, main, meet, meetings, pads_for, shared, signal, wait


@triton.jit
def partial_tile(a_ptr, b_ptr, rows, columns, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        inner = k + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :], mask=(rows[:, None] < M) & (inner[None, :] < K), other=0.0)
        b = tl.load(b_ptr + inner[:, None] * N + columns[None, :], mask=(inner[:, None] < K) & (columns[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
    return total


@triton.jit
def matmul_all_reduce(a_ptr, b_ptr, buffers_ptr, outs_ptr, pads_ptr, rank, world, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """buffers: of each rank, its tiles' partial sums by each sender. pads: of the programs' meetings, then of the tiles."""
    dtype = a_ptr.dtype.element_ty
    across = tl.cdiv(N, BLOCK_N)
    band = tl.cdiv(tl.cdiv(M, BLOCK_M), world)
    inside = tl.arange(0, BLOCK_M)[:, None] * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    turn = meetings(pads_ptr, rank, world)
    pad = at_rank(pads_ptr, rank, tl.int32)
    for i in range(tl.program_id(0), world * band * across, tl.num_programs(0)):
        tile = i % (band * across)
        owner = (rank + 1 + i // (band * across)) % world
        rows = (owner * band + tile % band) * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = tile // band * BLOCK_N + tl.arange(0, BLOCK_N)
        total = partial_tile(a_ptr, b_ptr, rows, columns, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K)
        slots = (tl.num_programs(0) + tile) * world
        if owner != rank:
            buffer = at_rank(buffers_ptr, owner, dtype) + (rank * band * across + tile) * BLOCK_M * BLOCK_N
            tl.store(buffer + inside, total.to(dtype))
            signal(at_rank(pads_ptr, owner, tl.int32) + slots + rank)
        else:
            for step in range(1, world):
                sender = (rank + step) % world
                wait(pad + slots + sender, turn)
                buffer = at_rank(buffers_ptr, rank, dtype) + (sender * band * across + tile) * BLOCK_M * BLOCK_N
                total += tl.load(buffer + inside).to(tl.float32)
            offsets = rows[:, None] * N + columns[None, :]
            mask = (rows[:, None] < M) & (columns[None, :] < N)
            for peer in range(world):
                tl.store(at_rank(outs_ptr, peer, dtype) + offsets, total.to(dtype), mask=mask)
    meet(pads_ptr, rank, world, turn)  # all ranks have written, and nobody reads a buffer any more


def make(a, b, out_table, rank, world, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, per_sm=2, num_warps=4, **options):
    """A function that launches the kernel. per_sm: programs that fit on a multiprocessor together."""
    import torch

    (M, K), N = a.shape, b.shape[1]
    programs = per_sm * torch.cuda.get_device_properties(a.device).multi_processor_count
    tiles = triton.cdiv(triton.cdiv(M, BLOCK_M), world) * triton.cdiv(N, BLOCK_N)  # of a rank
    _, buffers = shared((world * tiles * BLOCK_M * BLOCK_N,), a.dtype)
    pads = pads_for(programs, world, tiles)
    return lambda a=a, b=b, outs=out_table: matmul_all_reduce[(programs,)](
        a, b, buffers, outs, pads, rank, world, M, N, K, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, num_warps=num_warps, **options)


def case(rank, world):
    import torch
    import torch.distributed as dist

    M, N, K = 1024, 2048, 4096 // world
    a, b = torch.randn(M, K, device="cuda", dtype=torch.bfloat16), torch.randn(K, N, device="cuda", dtype=torch.bfloat16)
    out, outs = shared((M, N), a.dtype)

    def results():
        expected = a.double() @ b.double()
        dist.all_reduce(expected)
        return [(out, expected)]

    return make(a, b, outs, rank, world), results, [a]


if __name__ == "__main__":
    main(case)
