# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that torch.compile writes, where PyTorch and Triton are installed: Inductor makes them for a CPU here, and they are
compiled for a GPU; nothing is launched."""

import contextlib
import importlib.util
import io
import logging
import os
import tempfile
import unittest
import unittest.mock

if importlib.util.find_spec("triton") is None or importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("Triton or PyTorch is not installed")

os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"

import torch
import torch.nn.functional as F

try:
    import torch._inductor.config
    import torch._inductor.runtime.triton_heuristics as heuristics
except ImportError:
    raise unittest.SkipTest("this PyTorch has no Inductor") from None

import triton
from triton.backends.compiler import GPUTarget

import tilec.triton

TARGET = GPUTarget("cuda", 90, 32)
FUNCTIONS = {
    "softmax": lambda x: F.softmax(x, -1),
    "layer norm": lambda x: F.layer_norm(x, (x.shape[-1],)),
    "gelu": lambda x: F.gelu(x) * x.tanh(),
    "argmax": lambda x: x.argmax(1),
    "sort": lambda x: x.sort(-1)[0],
    "cumsum": lambda x: x.cumsum(1),
    "dropout": lambda x: F.dropout(x, 0.5),
    "indices": lambda x: x[:, torch.arange(0, 33)],
    "cross entropy": lambda x: F.cross_entropy(x, torch.zeros(x.shape[0], dtype=torch.long)),
    "any and prod": lambda x: x.prod(1) + x.any(1),
}


class Done(Exception):
    """In the place of a launch."""


class Compiles(unittest.TestCase):
    """Nothing is found in a cache."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        scope = triton.knobs.cache.scope()
        scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)
        triton.knobs.cache.dir = folder.name
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder.name
        self.addCleanup(os.environ.pop, "TORCHINDUCTOR_CACHE_DIR")
        logging.disable(logging.ERROR)
        self.addCleanup(logging.disable, logging.NOTSET)


class Inductor(Compiles):
    def kernels(self, function, x):
        """The kernels that torch.compile has Triton compile for the call."""
        compiled, compile = [], triton.compile

        def for_a_gpu(source, target=None, options=None):
            kept = {name: options[name] for name in ("num_warps", "num_stages", "debug", "sanitize_overflow") if name in options}
            compiled.append(compile(source, target=TARGET, options=kept))
            raise Done

        torch._dynamo.reset()
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch._inductor.config.patch(cpu_backend="triton"))
            stack.enter_context(unittest.mock.patch.object(heuristics.triton, "compile", for_a_gpu))
            stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
            stack.enter_context(unittest.mock.patch.dict(os.environ, TILEC_TRITON="strict"))
            with self.assertRaisesRegex(Exception, "Done"):
                torch.compile(function)(x)
        return compiled

    def test_its_kernels_are_tilecs(self):
        before = len(tilec.triton.report())
        for name, function in FUNCTIONS.items():
            with self.subTest(name):
                for kernel in self.kernels(function, torch.randn(64, 512)):
                    self.assertIn("kernel @", kernel.asm["ttir"])
        new = tilec.triton.report()[before:]
        self.assertGreaterEqual(len(new), len(FUNCTIONS))
        self.assertEqual([item.reason for item in new if item.reason], [])


H200 = dict(type="cuda", index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048,
            max_threads_per_block=1024, warp_size=32)


def launch(tuner, *args, stream=None, **kwargs):
    """In the place of Inductor's launcher, which needs a GPU: Triton's, of the first configuration."""
    config, values = tuner.configs[0], iter(args)
    named = {**config.kwargs, **kwargs}
    named.update({name: next(values) for name in tuner.fn.arg_names if name not in named})
    grid = heuristics.GridExpr.from_meta(tuner.inductor_meta, config, "python").eval_slow(named)
    tuner.fn[tuple(grid[:3])](**named, num_warps=config.num_warps, num_stages=config.num_stages)


def softmax_and_norms(x, w):
    a = F.softmax(x * w + 1, -1) * x.sigmoid()
    b = F.layer_norm(F.gelu(x + w) * 0.5, (x.shape[-1],), w)
    c = F.gelu(F.layer_norm(a + b, (x.shape[-1],)), approximate="tanh")
    return (F.log_softmax(c, -1) * b).square().mean() + a.sum(0).abs().max()


@unittest.skipIf(torch.cuda.is_available(), "launches go to the GPU")
class Results(Compiles):
    """Kernels that Inductor makes as for an H200, on the simulator."""

    def gradients(self, function, leaves):
        for leaf in leaves:
            leaf.grad = None
        value = function(*leaves)
        value.backward()
        return [value.detach()] + [leaf.grad.clone() for leaf in leaves]

    def test_they_are_eagers(self):
        from torch._inductor import ir
        from torch._inductor.codegen.triton import TritonScheduling
        from torch._inductor.runtime.hints import DeviceProperties

        tuner, patch = heuristics.CachingAutotuner, unittest.mock.patch.object
        torch.manual_seed(0)
        leaves = [torch.randn(1000, 37, requires_grad=True), torch.randn(37, requires_grad=True)]
        eager = self.gradients(softmax_and_norms, leaves)
        before = len(tilec.triton.report())
        torch._dynamo.reset()
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch._inductor.config.patch(cpu_backend="triton"))
            stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
            stack.enter_context(unittest.mock.patch.dict(os.environ, TILEC_TRITON="strict"))
            stack.enter_context(patch(tuner, "precompile", lambda *args, **kwargs: None))
            stack.enter_context(patch(tuner, "run", launch))
            stack.enter_context(patch(ir, "is_gpu", lambda device: True))
            stack.enter_context(patch(DeviceProperties, "create", staticmethod(lambda device: DeviceProperties(**H200))))
            stack.enter_context(patch(TritonScheduling, "get_backend_features", staticmethod(lambda device: TritonScheduling.backend_features)))
            results = self.gradients(torch.compile(softmax_and_norms), leaves)
        for ours, theirs in zip(results, eager):
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
        self.assertGreaterEqual(len(tilec.triton.report()) - before, 8)


if __name__ == "__main__":
    unittest.main()
