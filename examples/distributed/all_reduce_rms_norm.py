# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All-reduce, residual and RMS norm in one kernel, as between the layers of a transformer. All ranks launch the kernel.

  torchrun --nproc-per-node 2 all_reduce_rms_norm.py

residual += the sum of all ranks' x; out = residual / sqrt(mean(residual ** 2) + eps) * weight, for each row.
"""
import triton
import triton.language as tl

from all_reduce import sum_over_ranks
from signals import at_rank, main, meet, meetings, pads_for, shared


@triton.jit
def all_reduce_rms_norm(x_ptr, residual_ptr, weight_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, rows, n, eps, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    own = at_rank(buffers_ptr, rank, x_ptr.dtype.element_ty)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        tl.store(own + row * n + columns, tl.load(x_ptr + row * n + columns, mask=mask), mask=mask)
    turn = meetings(pads_ptr, rank, world)
    meet(pads_ptr, rank, world, turn)
    weight = tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        at = row * n + columns
        total = sum_over_ranks(buffers_ptr, at, mask, world, x_ptr, BLOCK)
        total += tl.load(residual_ptr + at, mask=mask, other=0.0).to(tl.float32)
        tl.store(residual_ptr + at, total.to(residual_ptr.dtype.element_ty), mask=mask)
        scale = tl.rsqrt(tl.sum(total * total) / n + eps)
        tl.store(out_ptr + at, (total * scale * weight).to(out_ptr.dtype.element_ty), mask=mask)
    meet(pads_ptr, rank, world, turn + 1)  # nobody reads a buffer any more


def make(x, residual, weight, out, rank, world, eps, programs=132, num_warps=8):
    """A function that launches the kernel on x, residual and out, or others like them."""
    rows, n = x.shape
    programs = min(programs, rows)
    _, buffers = shared((rows, n), x.dtype)
    pads = pads_for(programs, world)
    return lambda x=x, residual=residual, out=out: all_reduce_rms_norm[(programs,)](
        x, residual, weight, buffers, pads, out, rank, world, rows, n, eps, BLOCK=triton.next_power_of_2(n), num_warps=num_warps)


def case(rank, world):
    import torch
    import torch.distributed as dist

    rows, n, eps = 512, 4096, 1e-6
    x = torch.randn(rows, n, device="cuda")
    torch.manual_seed(0)  # the residual and the weight are the same on all ranks
    given, weight = torch.randn(rows, n, device="cuda"), torch.randn(n, device="cuda")
    residual, out = torch.empty_like(given), torch.empty_like(x)
    kernel = make(x, residual, weight, out, rank, world, eps)

    def launch():
        residual.copy_(given)
        kernel()

    def results():
        total = x.double()
        dist.all_reduce(total)
        total += given.double()
        scale = 1 / (total.square().mean(1, keepdim=True) + eps).sqrt()
        return [(residual, total), (out, total * scale * weight.double())]

    return launch, results, [x, given]


if __name__ == "__main__":
    main(case)
