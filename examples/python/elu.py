# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ELU and its gradient, as a torch.autograd.Function and as an operator of PyTorch, which torch.compile and
torch.export take: python elu.py [N]"""

import sys

import torch

import tilec
import tilec.language as tl
import tilec.torch


@tilec.jit
def elu_forward(x, out, n, alpha, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where(value > 0, value, alpha * (tl.exp(value) - 1)), mask=i < n)


@tilec.jit
def elu_backward(out, grad_out, grad_x, n, alpha, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(out + i, mask=i < n)
    slope = tl.where(value > 0, 1.0, value + alpha)  # alpha * exp(x) is what the output lacks to -alpha
    tl.store(grad_x + i, tl.load(grad_out + i, mask=i < n) * slope, mask=i < n)


def forward(x: torch.Tensor, alpha: float) -> torch.Tensor:
    x = x.contiguous()
    out = torch.empty_like(x)
    elu_forward[lambda meta: (tilec.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel(), alpha, BLOCK=1024)
    return out


def backward(out: torch.Tensor, grad_out: torch.Tensor, alpha: float) -> torch.Tensor:
    grad_out = grad_out.contiguous()
    grad_x = torch.empty_like(out)
    elu_backward[lambda meta: (tilec.cdiv(out.numel(), meta["BLOCK"]),)](
        out, grad_out, grad_x, out.numel(), alpha, BLOCK=1024
    )
    return grad_x


class ELU(torch.autograd.Function):
    """x where it is positive, else alpha * (exp(x) - 1)."""

    @staticmethod
    def forward(ctx, x: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
        out = forward(x, alpha)
        ctx.save_for_backward(out)
        ctx.alpha = alpha
        return out

    @staticmethod
    def backward(ctx, grad_out: torch.Tensor):
        return backward(*ctx.saved_tensors, grad_out, ctx.alpha), None


elu = ELU.apply

# The same as operators: the compiler sees shapes and gradients, and not what they do.
elu_op = tilec.torch.op("tilec_examples::elu")(forward)
tilec.torch.gradient(elu_op, "x")(backward)


class Activation(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return elu_op(x, 0.75)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10007
    x = torch.randn(n, device=device, requires_grad=True)
    weight = torch.randn(n, device=device)
    compiled = torch.compile(elu_op, fullgraph=True, backend="inductor" if device == "cuda" else "aot_eager")
    want = torch.nn.functional.elu(x.double(), 0.75)
    for function in (elu, elu_op, compiled):
        got = function(x, 0.75)
        torch.testing.assert_close(got, want, check_dtype=False)
        grads = (torch.autograd.grad((y * weight).sum(), x, retain_graph=True) for y in (got, want))
        torch.testing.assert_close(next(grads), next(grads))
    exported = torch.export.export(torch.nn.Sequential(Activation()), (x,)).module()
    torch.testing.assert_close(exported(x), want, check_dtype=False)
    exact = torch.tensor([-2.0, -0.5, 0.25, 3.0], dtype=torch.float64, device=device, requires_grad=True)
    assert torch.autograd.gradcheck(elu, (exact, 0.75)) and torch.autograd.gradcheck(elu_op, (exact, 0.75))
    print(f"elu: {n} elements on {x.device}: values and gradients are torch's, eager, compiled and exported; gradcheck passes")
