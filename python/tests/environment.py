# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One part of a row of scripts/environments: python -m tilec environment.py tutorial|flashinfer|Liger-Kernel|operators.

Each launches kernels on the simulator and compares with NumPy or PyTorch. LIBRARIES is the folder with the libraries' checkouts."""

import importlib.util
import os
import pathlib
import sys

import numpy as np
import triton

ROOT = pathlib.Path(__file__).resolve().parents[2]
rng = np.random.default_rng(0)


def load(path):
    """A file as a module, without the package that it is in."""
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def library(*parts):
    return load(os.path.join(os.environ["LIBRARIES"], *parts))


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def tutorial():
    module = load(ROOT / "examples/tutorials/softmax.py")
    x, out = normal(5, 100), np.zeros((5, 100), np.float32)
    module.softmax[(5,)](x, out, 100, BLOCK=128)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=1e-5)
    a, b, c = normal(64, 48).astype(np.float16), normal(48, 80).astype(np.float16), np.zeros((64, 80), np.float16)
    matmul = load(ROOT / "examples/tutorials/matmul.py").matmul
    matmul[(triton.cdiv(64, 32), triton.cdiv(80, 32))](a, b, c, 64, 80, 48, BLOCK_M=32, BLOCK_N=32, BLOCK_K=16)
    np.testing.assert_allclose(c.astype(np.float32), a.astype(np.float32) @ b.astype(np.float32), rtol=2e-3, atol=2e-3)


def flashinfer():
    module = library("flashinfer/flashinfer/triton/kernels/cascade.py")
    v_a, v_b, s_a, s_b = normal(3, 2, 8), normal(3, 2, 8), normal(3, 2), normal(3, 2)
    v, s = np.zeros_like(v_a), np.zeros_like(s_a)
    module.merge_state_kernel[(3,)](v_a, s_a, v_b, s_b, v, s, 2, 8, bdx=8, bdy=2)
    wa, wb = np.exp2(s_a)[..., None], np.exp2(s_b)[..., None]
    np.testing.assert_allclose(v, (v_a * wa + v_b * wb) / (wa + wb), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(s, np.log2(np.exp2(s_a) + np.exp2(s_b)), rtol=1e-5, atol=1e-6)


def liger():
    os.environ["LIGER_FUSED_MOE_AUTOTUNE"] = "0"
    module = library("Liger-Kernel/src/liger_kernel/ops/fused_moe_kernels.py")
    tokens, k, experts, tile = 20, 3, 6, 8
    tiles = triton.cdiv(tokens, tile)
    chosen = rng.integers(0, experts, (tokens, k)).astype(np.int32)
    counts = np.full((experts, tiles), -1, np.int32)
    module._moe_router_histogram_kernel[(tiles,)](chosen, counts, tokens, experts, tiles, TOKENS_PER_TILE=tile, K_POW2=4, K=k, E_POW2=8)
    wanted = [[(chosen[t * tile : (t + 1) * tile] == e).sum() for t in range(tiles)] for e in range(experts)]
    np.testing.assert_array_equal(counts, wanted)
    y, weights, order, out = normal(tokens * k, 64), normal(tokens, k), rng.permutation(tokens * k).astype(np.int32), np.zeros((tokens, 64), np.float32)
    module._token_gather_weighted_sum_kernel[(tokens,)](y, weights, order, out, 64, k, 64, 1, 64, 1, w_is_None=False)
    np.testing.assert_allclose(out, (y[order].reshape(tokens, k, 64) * weights[..., None]).sum(1), rtol=1e-4, atol=1e-5)


def operators():
    """Of Liger-Kernel, with their gradients, as a program with PyTorch uses them."""
    import torch

    sys.path.insert(0, os.path.join(os.environ["LIBRARIES"], "Liger-Kernel/src"))
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction
    from liger_kernel.ops.softmax import LigerSoftmaxFunction
    from liger_kernel.ops.swiglu import LigerSiLUMulFunction

    torch.manual_seed(0)
    x, y, w, g = (torch.randn(*shape, requires_grad=True) for shape in ((8, 64), (8, 64), (64,), (8, 64)))
    f = torch.nn.functional
    for ours, theirs, args in (
        (lambda x, w: LigerRMSNormFunction.apply(x, w, 1e-6), lambda x, w: f.rms_norm(x, (64,), w, 1e-6), (x, w)),
        (LigerSiLUMulFunction.apply, lambda x, y: f.silu(x) * y, (x, y)),
        (LigerSoftmaxFunction.apply, lambda x: x.softmax(-1), (x,)),
    ):
        wanted, found = theirs(*args), ours(*args)
        torch.testing.assert_close(found, wanted)
        gradients = torch.autograd.grad(wanted, args, g.detach().clone())  # first: the library's overwrite their arguments
        for a, b in zip(torch.autograd.grad(found, args, g.detach().clone()), gradients):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)


PARTS = {"tutorial": tutorial, "flashinfer": flashinfer, "Liger-Kernel": liger, "operators": operators}

if __name__ == "__main__":
    PARTS[sys.argv[1]]()
    print("right")
