# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[r] = sum over d of x[r, d] * w[d], with its gradients, as an operator of PyTorch, which torch.compile and
gradcheck take as they take torch's own, and as a torch.autograd.Function. python weighted_sum.py [ROWS] [D]"""

import sys

import torch

import tilec
import tilec.language as tl
import tilec.torch


@tilec.jit
def forward_kernel(x, w, out, rows, d, stride, ACC: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros((ROWS,), dtype=ACC)
    for first in range(0, d, BLOCK):
        i = first + tl.arange(0, BLOCK)
        tile = tl.load(x + r[:, None] * stride + i[None, :], mask=(r < rows)[:, None] & (i < d)[None, :], other=0.0)
        acc += tl.sum(tile.to(ACC) * tl.load(w + i, mask=i < d, other=0.0).to(ACC)[None, :], axis=1)
    tl.store(out + r, acc, mask=r < rows)


@tilec.jit
def backward_kernel(
    x, w, grad_out, grad_x, parts, rows, d, stride, ACC: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    # A row of `parts` for each program: w's gradient as far as its rows give it.
    pid = tl.program_id(0)
    r = pid * ROWS + tl.arange(0, ROWS)
    g = tl.load(grad_out + r, mask=r < rows, other=0.0).to(ACC)
    for first in range(0, d, BLOCK):
        i = first + tl.arange(0, BLOCK)
        mask = (r < rows)[:, None] & (i < d)[None, :]
        weight = tl.load(w + i, mask=i < d, other=0.0).to(ACC)
        tl.store(grad_x + r[:, None] * d + i[None, :], g[:, None] * weight[None, :], mask=mask)
        tile = tl.load(x + r[:, None] * stride + i[None, :], mask=mask, other=0.0).to(ACC)
        tl.store(parts + pid * d + i, tl.sum(tile * g[:, None], axis=0), mask=i < d)


ROWS, BLOCK = 16, 64


def acc_type(x: torch.Tensor) -> tl.dtype:
    return tl.float64 if x.dtype == torch.float64 else tl.float32


@tilec.torch.op("tilec_examples::weighted_sum")
def weighted_sum(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """The rows of x [rows, d], weighted by w [d], added up: [rows]."""
    x, w = x.contiguous(), w.contiguous()
    rows, d = x.shape
    out = x.new_empty(rows)
    grid = (tilec.cdiv(rows, ROWS),)
    forward_kernel[grid](x, w, out, rows, d, x.stride(0), ACC=acc_type(x), ROWS=ROWS, BLOCK=BLOCK)
    return out


@tilec.torch.gradient(weighted_sum, "x", "w")
def weighted_sum_backward(
    x: torch.Tensor, w: torch.Tensor, grad_out: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of x and w."""
    x, w, grad_out = x.contiguous(), w.contiguous(), grad_out.contiguous()
    rows, d = x.shape
    programs = tilec.cdiv(rows, ROWS)
    grad_x, parts = torch.empty_like(x), x.new_empty(programs, d)
    backward_kernel[(programs,)](
        x, w, grad_out, grad_x, parts, rows, d, x.stride(0), ACC=acc_type(x), ROWS=ROWS, BLOCK=BLOCK
    )
    return grad_x, parts.sum(0)


class WeightedSum(torch.autograd.Function):
    """The same without operators."""

    @staticmethod
    def forward(ctx, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, w)
        return weighted_sum(x, w)

    @staticmethod
    def backward(ctx, grad_out: torch.Tensor):
        return weighted_sum_backward(*ctx.saved_tensors, grad_out)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rows, d = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (98, 131)
    x = torch.randn(rows, d, device=device, requires_grad=True)
    w = torch.randn(d, device=device, requires_grad=True)
    loss = lambda f: f(x, w).square().sum()
    want = torch.autograd.grad(loss(lambda x, w: x.double() @ w.double()), (x, w))
    compiled = torch.compile(weighted_sum, fullgraph=True, backend="inductor" if device == "cuda" else "aot_eager")
    for function in (weighted_sum, WeightedSum.apply, compiled):
        torch.testing.assert_close(torch.autograd.grad(loss(function), (x, w)), want, rtol=1e-4, atol=1e-4)
    exact = [
        torch.randn(5, 7, dtype=torch.float64, device=device, requires_grad=True),
        torch.randn(7, dtype=torch.float64, device=device, requires_grad=True),
    ]
    assert torch.autograd.gradcheck(weighted_sum, exact) and torch.autograd.gradcheck(WeightedSum.apply, exact)
    torch.library.opcheck(weighted_sum, (x, w))
    print(
        f"weighted_sum: {rows} x {d} on {x.device}: values and gradients are torch's, eager and compiled; gradcheck and opcheck pass"
    )
