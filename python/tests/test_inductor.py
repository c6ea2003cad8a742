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


class Inductor(unittest.TestCase):
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

    def kernels(self, function, x):
        """What torch.compile has Triton compile for the call."""
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


if __name__ == "__main__":
    unittest.main()
