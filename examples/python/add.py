# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = x + y, as an operator of PyTorch. On a GPU, or on the simulator where there is none: python add.py [N]"""

import sys

import torch

import tilec
import tilec.language as tl
import tilec.torch


@tilec.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@tilec.torch.op("tilec_examples::add")
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x + y, of two tensors of one shape and type."""
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    add_kernel[lambda meta: (tilec.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel(), BLOCK=1024)
    return out


@tilec.torch.gradient(add, "x", "y")
def add_backward(grad_out: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return grad_out.clone(), grad_out.clone()  # an operator returns new tensors


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 98432
    x, y = torch.randn(n, device=device), torch.randn(n, device=device)
    assert torch.equal(add(x, y), x + y)
    x.requires_grad = True
    compiled = torch.compile(
        lambda x, y: add(x * 2, y).square().sum(),
        fullgraph=True,
        backend="inductor" if device == "cuda" else "aot_eager",
    )
    want = 4 * (2 * x.double() + y)
    torch.testing.assert_close(torch.autograd.grad(compiled(x, y), x)[0], want, check_dtype=False)
    print(f"add: {n} elements on {x.device}: equal to torch's, eager and compiled")
