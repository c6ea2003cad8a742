# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's tensors in host memory, on the simulator."""

import contextlib
import io
import re
import textwrap
import unittest
import unittest.mock
from typing import Tuple

import tilec
import tilec.language as tl
from kernels import add, scale

try:
    import torch
except ImportError:
    torch = None


@tilec.jit
def strided(x, out, n, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i * stride, mask=i < n), mask=i < n)


@tilec.jit
def add_blocks(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


tuned_scale = tilec.autotune([tilec.Config({"BLOCK": 16})], key=["n"])(scale)


@unittest.skipIf(torch is None, "PyTorch is not installed")
class Torch(unittest.TestCase):
    def test_types(self):
        names = "int8 int16 int32 int64 uint8 float16 bfloat16 float32 float64".split()
        for dtype in [getattr(torch, name) for name in names]:
            x = torch.arange(50).to(dtype)
            out = torch.zeros_like(x)
            add[4](x, x, out, 50, 16)
            self.assertTrue(torch.equal(out, x + x), dtype)
        for dtype in (torch.float8_e4m3fn, torch.float8_e5m2, torch.bool):
            x = torch.ones(16).to(dtype)
            out = torch.zeros(16).to(dtype)
            strided[1](x, out, 16, 1, 16)
            self.assertTrue(torch.equal(out.float(), x.float()), dtype)
        with self.assertRaisesRegex(TypeError, "complex64"):
            scale[1](torch.zeros(16, dtype=torch.complex64), 2, 16)

    def test_tensors_without_memory(self):
        for tensor in (torch.zeros(16, device="meta"), torch.eye(4).to_sparse()):
            with self.assertRaisesRegex(TypeError, "argument 'x': this .*Tensor.* has no memory") as caught:
                scale[1](tensor, 2, 16)
            self.assertIsInstance(caught.exception.__cause__, Exception)

    def test_views_and_parameters(self):
        x = torch.arange(48, dtype=torch.float32).reshape(6, 8)
        out = torch.zeros(6)
        strided[1](x[:, 3], out, 6, x.stride(0), 8)
        self.assertTrue(torch.equal(out, x[:, 3]))
        parameter = torch.nn.Parameter(torch.ones(16))
        scale[1](parameter, 2, 16)
        self.assertTrue(torch.equal(parameter.detach(), torch.full((16,), 2.0)))

    def test_launch_by_methods_alone(self):
        """As a release without C functions has it."""

        class Wrapped:
            def __init__(self, base, dtype):
                self.base, self.dtype, self.device, self.shape = base, dtype, base.device, base.shape

            def data_ptr(self):
                return self.base.data_ptr()

            def stride(self):
                return self.base.stride()

        x = torch.full((16,), 3, dtype=torch.uint8)
        scale[1](Wrapped(x, torch.int8), 2, 16)
        self.assertTrue(torch.equal(x, torch.full((16,), 6, dtype=torch.uint8)))

    def test_copies_of_a_gpus_tensors(self):
        """The effect of TILEC_DEVICE=sim on them. Here the GPU's arrays are those in host memory."""
        whole = torch.arange(32, dtype=torch.float32)
        views = (whole[:16], whole[8:24])
        copies = tilec._elsewhere._Copies()
        copies.storages[whole.untyped_storage().data_ptr()] = (whole.untyped_storage(), whole.untyped_storage().clone())
        with unittest.mock.patch.object(tilec._elsewhere, "_is_on_gpu", lambda array: isinstance(array, torch.Tensor)):
            first, second = copies.of(views)
            self.assertEqual(copies.of((1, None, "x")), (1, None, "x"))
        self.assertEqual((first.stride(), second.storage_offset()), ((1,), 8))
        add[1](first, first, first, 16, 16)
        self.assertTrue(torch.equal(second[:8], 2 * torch.arange(8, 16.0)), "they share memory as the others do")
        self.assertEqual(whole[9], 9)
        copies.put_back()
        self.assertEqual(whole[9], 18)

    def test_warmup_by_type(self):
        handle = scale.warmup(torch.bfloat16, 2.0, 16, grid=(1,))
        self.assertIn(".b16", handle.asm["ptx"])

    def test_autograd_function(self):
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x.clone()
                scale[(tilec.cdiv(x.numel(), 16),)](y, 2.0, x.numel())
                return y

            @staticmethod
            def backward(ctx, g):
                g = g.clone().contiguous()
                scale[(tilec.cdiv(g.numel(), 16),)](g, 2.0, g.numel())
                return g

        x = torch.randn(37, requires_grad=True)
        Double.apply(x).sum().backward()
        self.assertTrue(torch.equal(x.grad, torch.full((37,), 2.0)))

    def test_operators(self):
        """The examples of tilec.torch's docstrings; then what they say of fake tensors, gradients and wrong names."""
        import tilec.torch

        names = {"tilec": tilec, "tl": tl, "add": add_blocks}
        for made in (tilec.torch.op, tilec.torch.gradient):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(example := textwrap.dedent(made.__doc__.split("Example::")[1]), names)
            self.assertEqual(printed.getvalue().splitlines(), re.findall(r"# (\[.*)", example))
        sum_of = names["sum_of"]
        torch.library.opcheck(sum_of, (torch.randn(40), torch.randn(40)))

        class Twice(torch.nn.Module):
            def forward(self, x):
                return sum_of(x, x) + 1

        n = torch.export.Dim("n")
        exported = torch.export.export(Twice(), (torch.randn(40),), dynamic_shapes={"x": {0: n}}).module()
        self.assertTrue(torch.equal(exported(torch.ones(300)), torch.full((300,), 3.0)))
        for inputs, function, words in (
            (("z",), None, "has no input 'z'"),
            ((), None, "the names of inputs"),
            (("x",), lambda grad_out, z: None, "'z': its gradient can have x, y, grad_out, out"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                tilec.torch.gradient(sum_of, *inputs)(function)

    def test_operators_with_two_results(self):
        import tilec.torch

        @tilec.torch.op("tilec_tests::two")
        def two(x: torch.Tensor, factor: float) -> Tuple[torch.Tensor, torch.Tensor]:
            kept, out = x.clone(), x.clone()
            tuned_scale[(tilec.cdiv(x.numel(), 16),)](out, factor, x.numel())
            return out, kept

        @tilec.torch.gradient(two, "x")
        def two_backward(out_1: torch.Tensor, grad_out_0: torch.Tensor, factor: float) -> torch.Tensor:
            return grad_out_0 * factor + 0 * out_1

        x = torch.randn(37, requires_grad=True)
        for function in (two, torch.compile(two, fullgraph=True, backend="aot_eager")):
            out, kept = function(x, 3.0)
            self.assertFalse(kept.requires_grad)  # its gradient is not named
            self.assertTrue(torch.equal(torch.autograd.grad(out.sum(), x)[0], torch.full((37,), 3.0)))


if __name__ == "__main__":
    unittest.main()
