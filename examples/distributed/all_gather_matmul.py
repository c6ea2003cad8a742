# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All-gather and matmul in one kernel: each rank has some rows of a, and gets all ranks' rows times its own b.

  torchrun --nproc-per-node 2 all_gather_matmul.py

All programs send pieces of the rank's rows. Then they multiply, first the rank's own rows. A band of rows is multiplied
when all of its pieces have come.
"""
import triton
import triton.language as tl

from matmul_all_reduce import partial_tile
from signals import at_rank, main, meet, meetings, pads_for, shared, signal, wait


@triton.jit
def all_gather_matmul(a_ptr, b_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PIECE: tl.constexpr):
    """M: rows of each rank. buffers: all ranks' rows. pads: of the programs' meetings, then of each rank's bands of rows."""
    dtype = a_ptr.dtype.element_ty
    bands, across, pieces = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), tl.cdiv(BLOCK_M * K, PIECE)
    turn = meetings(pads_ptr, rank, world)
    pad = at_rank(pads_ptr, rank, tl.int32)
    slots = tl.num_programs(0) * world
    for i in range(tl.program_id(0), bands * pieces, tl.num_programs(0)):
        band = i // pieces
        within = i % pieces * PIECE + tl.arange(0, PIECE)
        mask = (within < BLOCK_M * K) & (band * BLOCK_M * K + within < M * K)
        x = tl.load(a_ptr + band * BLOCK_M * K + within, mask=mask)
        for step in range(world):
            tl.store(at_rank(buffers_ptr, (rank + step) % world, dtype) + (rank * M + band * BLOCK_M) * K + within, x, mask=mask)
        for step in range(world):
            signal(at_rank(pads_ptr, (rank + step) % world, tl.int32) + slots + rank * bands + band)
    own = at_rank(buffers_ptr, rank, dtype)
    for i in range(tl.program_id(0), world * bands * across, tl.num_programs(0)):
        source, band, column = (rank + i // (bands * across)) % world, i % bands, i // bands % across
        wait(pad + slots + source * bands + band, (turn + 1) * pieces - 1)
        rows = band * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = column * BLOCK_N + tl.arange(0, BLOCK_N)
        total = partial_tile(own + source * M * K, b_ptr, rows, columns, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K)
        offsets = (source * M + rows)[:, None] * N + columns[None, :]
        tl.store(out_ptr + offsets, total.to(dtype), mask=(rows[:, None] < M) & (columns[None, :] < N))
    meet(pads_ptr, rank, world, turn)  # nobody reads a buffer any more


def make(a, b, out, rank, world, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, PIECE=8192, per_sm=1, num_warps=8, **options):
    """A function that launches the kernel. per_sm: programs that fit on a multiprocessor together."""
    import torch

    (M, K), N = a.shape, b.shape[1]
    programs = per_sm * torch.cuda.get_device_properties(a.device).multi_processor_count
    _, buffers = shared((world * M, K), a.dtype)
    pads = pads_for(programs, world, triton.cdiv(M, BLOCK_M))
    return lambda a=a, b=b, out=out: all_gather_matmul[(programs,)](
        a, b, buffers, pads, out, rank, world, M, N, K, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, PIECE=PIECE, num_warps=num_warps, **options)


def case(rank, world):
    import torch
    import torch.distributed as dist

    M, N, K = 1024, 2048, 2048
    a, b = torch.randn(M, K, device="cuda", dtype=torch.bfloat16), torch.randn(K, N, device="cuda", dtype=torch.bfloat16)
    out = torch.empty(world * M, N, device="cuda", dtype=a.dtype)

    def results():
        rows = torch.empty(world * M, K, device="cuda", dtype=a.dtype)
        dist.all_gather_into_tensor(rows, a)
        return [(out, rows.double() @ b.double())]

    return make(a, b, out, rank, world), results, [a]


if __name__ == "__main__":
    main(case)
