# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matmul and all-reduce in one kernel: each rank has a part of K, and gets the whole product. All ranks launch the kernel.

  torchrun --nproc-per-node 2 matmul_all_reduce.py

A rank sums the tiles whose number is its own modulo the ranks, and writes them to all ranks. Meanwhile other programs multiply.
"""
import triton
import triton.language as tl

from signals import meet, shared, start


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
    own = tl.load(buffers_ptr + rank).to(tl.pointer_type(tl.float32))
    across = tl.cdiv(N, BLOCK_N)
    for tile in range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * across, tl.num_programs(0)):
        rows = tile // across * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = tile % across * BLOCK_N + tl.arange(0, BLOCK_N)
        offsets = rows[:, None] * N + columns[None, :]
        mask = (rows[:, None] < M) & (columns[None, :] < N)
        tl.store(own + offsets, partial_tile(a_ptr, b_ptr, rows, columns, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K), mask=mask)
        meet(pads_ptr, rank, world)
        if tile % world == rank:
            total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for peer in range(world):
                buffer = tl.load(buffers_ptr + peer).to(tl.pointer_type(tl.float32))
                total += tl.load(buffer + offsets, mask=mask, other=0.0)
            for peer in range(world):
                out = tl.load(outs_ptr + peer).to(tl.pointer_type(a_ptr.dtype.element_ty))
                tl.store(out + offsets, total.to(a_ptr.dtype.element_ty), mask=mask)
    meet(pads_ptr, rank, world)  # all ranks have written, and nobody reads a buffer any more


def main():
    import torch
    import torch.distributed as dist

    rank, world = start()
    M, N, K = 1024, 2048, 4096 // world
    programs = torch.cuda.get_device_properties(rank).multi_processor_count  # all are on the GPU together
    a, b = torch.randn(M, K, device="cuda", dtype=torch.bfloat16), torch.randn(K, N, device="cuda", dtype=torch.bfloat16)
    _, buffers = shared((M, N), torch.float32)
    out, outs = shared((M, N), a.dtype)
    _, pads = shared((programs * world,), torch.int32)
    matmul_all_reduce[(programs,)](a, b, buffers, outs, pads, rank, world, M, N, K, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, num_warps=8)
    expected = a.double() @ b.double()
    dist.all_reduce(expected)
    torch.testing.assert_close(out.double(), expected, rtol=1e-2, atol=1e-1)
    print(f"rank {rank}: right")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
