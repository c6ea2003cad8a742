# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that tunings keep and autotuners take: on the simulator, and measured on a GPU whose driver is the
simulator."""

import array
import importlib.util
import os
import pathlib
import tempfile
import unittest

import fake_gpu
import tilec
from tilec import _kept

SOURCE = """
import tilec
import tilec.language as tl

CONFIGS = [tilec.Config({"BLOCK": 64}), tilec.Config({"BLOCK": 128}, num_warps=8), tilec.Config({"BLOCK": 256}, maxnreg=64)]

@tilec.autotune(CONFIGS, key=["n"])
@tilec.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@tilec.jit
def add(x, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, STEP: tl.constexpr = 1):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + STEP, mask=i < n)

def made(step):
    @tilec.autotune(CONFIGS, key=["n"])
    @tilec.jit
    def inner(x, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) + step, mask=i < n)
    return inner
"""
N = 1000


def never(call, quantiles):
    raise AssertionError("it is measured")


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "kept_kernels.py"
        before = {name: os.environ.get(name) for name in ("TILEC_CACHE", "TILEC_CACHE_DIR")}
        self.addCleanup(self.restore, before)
        os.environ.update(TILEC_CACHE="on", TILEC_CACHE_DIR=str(pathlib.Path(folder.name) / "cache"))

    @staticmethod
    def restore(before):
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)

    def module(self, text=SOURCE):
        if not self.path.exists() or self.path.read_text() != text:  # what is read is as its file has it
            self.path.write_text(text)
        spec = importlib.util.spec_from_file_location("kept_kernels", self.path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def launch(self, kernel, n=N, bench=None, **kwargs):
        """The block that a launch on the simulator takes."""
        x, out = array.array("f", range(n)), array.array("f", [0] * n)
        kernel._do_bench = bench
        kernel[lambda meta: (tilec.cdiv(n, meta["BLOCK"]),)](x, out, n, **kwargs)
        self.assertEqual(out[n - 1], n)
        return kernel.best_config.kwargs["BLOCK"]

    def keep(self, kernel, config, n=N, **kwargs):
        x = array.array("f", range(n))
        _kept.keep(kernel.base_kernel, kernel.configs, (x, x, n), kwargs, config, 0.25)

    def test_it_is_taken(self):
        add = self.module().add
        self.assertEqual(self.launch(add), 64)
        self.keep(add, add.configs[1])
        self.assertEqual(self.launch(self.module().add, bench=never), 128)
        self.keep(add, add.configs[2])
        again = self.module().add
        self.assertEqual(self.launch(again, bench=never), 256)
        self.assertEqual(self.launch(again, n=N + 1), 64, "another value of the key")
        self.assertEqual(self.launch(again, STEP=1), 256, "in its cache")

    def test_what_a_launch_gives_is_part_of_the_key(self):
        add = self.module().add
        self.keep(add, add.configs[1], STEP=1)
        self.assertEqual(self.launch(self.module().add), 64)
        self.assertEqual(self.launch(self.module().add, STEP=1), 128)
        self.assertEqual(self.launch(self.module().add, STEP=1, fast_math=True), 64)

    def test_off(self):
        add = self.module().add
        os.environ["TILEC_CACHE"] = "off"
        self.keep(add, add.configs[1])
        os.environ["TILEC_CACHE"] = "on"
        self.assertEqual(self.launch(self.module().add), 64)
        self.keep(add, add.configs[1])
        os.environ["TILEC_CACHE"] = "off"
        self.assertEqual(self.launch(self.module().add), 64)

    def test_another_text(self):
        add = self.module().add
        self.keep(add, add.configs[1])
        self.assertEqual(self.launch(self.module().add), 128)
        self.assertEqual(self.launch(self.module(SOURCE + "# the end\n").add), 64)
        add = self.module().add
        self.path.write_text(SOURCE + "# changed since it was read\n")
        self.assertEqual(self.launch(add), 64)

    def test_only_its_own_configurations(self):
        add = self.module().add
        for config in (tilec.Config({"BLOCK": 512}), tilec.Config({"BLOCK": 128}, num_warps=4)):
            self.keep(add, config)
            self.assertEqual(self.launch(self.module().add), 64)
        self.keep(add, add.configs[1])
        pruned = self.module().add
        pruned.early_config_prune = lambda configs, named, **kwargs: configs[2:]
        self.assertEqual(self.launch(pruned), 256)
        twice = self.module().add
        twice.configs = [*twice.configs, tilec.Config({"BLOCK": 128}, num_warps=8, tma="on")]
        self.assertEqual(self.launch(twice), 128, "of those that differ in what is not kept, the one without")

    def test_closures_have_no_key(self):
        module = self.module()
        self.keep(module.made(1), module.CONFIGS[1])
        self.assertEqual(self.launch(module.made(1)), 64)

    def test_what_cannot_be_said_is_not_kept(self):
        self.assertIsNone(_kept.settings_of(tilec.Config({"ACT": len})))
        self.assertIsNone(_kept.settings_of(tilec.Config({"BLOCK": 64}, persistent="on")))
        self.assertIsNone(_kept.settings_of(tilec.Config({"BLOCK": 64}, num_ctas=2)))
        same = [("BLOCK", "64", False)]
        self.assertIsNotNone(_kept.choose(same, [tilec.Config({"BLOCK": 64}), tilec.Config({"BLOCK": 128})]))
        self.assertIsNone(_kept.choose(same, [tilec.Config({"BLOCK": 64}), tilec.Config({"BLOCK": 64}, num_warps=4)]), "two are")

    @unittest.skipUnless(fake_gpu.available, "the driver of tests/gpu is not there")
    def test_what_is_measured_is_kept(self):
        def tuned(bench):
            add = self.module().add
            add._do_bench = bench
            x, out = fake_gpu.ByMethods(range(N)), fake_gpu.ByMethods([0] * N)
            x.is_cuda = out.is_cuda = True
            add[lambda meta: (tilec.cdiv(N, meta["BLOCK"]),)](x, out, N)
            self.assertEqual(out.values()[-1], N)
            return add.best_config.kwargs["BLOCK"]

        calls = []

        def bench(call, quantiles):
            calls.append(call())
            return [0.5 if len(calls) == 2 else 1.0] * len(quantiles)

        self.assertEqual((tuned(bench), len(calls)), (128, 3))
        self.assertEqual(tuned(never), 128)
        self.assertEqual(self.launch(self.module().add), 64, "another device")


if __name__ == "__main__":
    unittest.main()
