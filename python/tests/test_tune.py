# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.tune: on the simulator, whose own time it measures, and on a GPU whose driver is the simulator."""

import array
import importlib.util
import os
import pathlib
import tempfile
import threading
import unittest

import fake_gpu
import tilec

SOURCE = """
import tilec
import tilec.language as tl

CONFIGS = [tilec.Config({"BLOCK": 64}, num_warps=1), tilec.Config({"BLOCK": 1024}, num_warps=2)]
TABLE = {"shift": 1}

@tilec.jit
def plus(value, by):
    return value + by

@tilec.jit
def add(x, out, n, BLOCK: tl.constexpr, STEP: tl.constexpr = 1):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, plus(tl.load(x + i, mask=i < n), STEP * TABLE["shift"]), mask=i < n)

@tilec.autotune(CONFIGS, key=["n"])
@tilec.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@tilec.jit
def even(x, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.static_assert(BLOCK == 64)
    tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

@tilec.autotune(CONFIGS, key=[], reset_to_zero=["seen"], restore_value=["x"])
@tilec.jit
def once(x, seen, BLOCK: tl.constexpr):
    tl.device_assert(tl.load(seen) == 0)
    tl.device_assert(tl.load(x) == 1)
    tl.store(seen, 1)
    tl.store(x, 2)

@tilec.jit
def warps(out, BLOCK: tl.constexpr, num_warps: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), num_warps)

@tilec.jit
def applied(x, out, n, act, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, act(tl.load(x + i, mask=i < n), 2), mask=i < n)
"""
N = 50000
RANGES = {"BLOCK": [64, 1024], "num_warps": [1, 2]}


def grid(meta):
    return (tilec.cdiv(meta["n"], meta["BLOCK"]),)


class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "tuned_kernels.py"
        self.path.write_text(SOURCE)
        before = {name: os.environ.get(name) for name in ("TILEC_CACHE", "TILEC_CACHE_DIR")}
        self.addCleanup(self.restore, before)
        os.environ.update(TILEC_CACHE="on", TILEC_CACHE_DIR=str(pathlib.Path(folder.name) / "cache"))
        self.module = self.load()

    @staticmethod
    def restore(before):
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)

    def load(self):
        spec = importlib.util.spec_from_file_location("tuned_kernels", self.path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    @staticmethod
    def arrays(n=N):
        return array.array("f", range(n)), array.array("f", [0] * n), n

    def test_ranges(self):
        x, out, n = self.arrays()
        found = tilec.tune(self.module.add, (x, out, n), grid, {**RANGES, "BLOCK": [64, 1024, 2**21]})
        self.assertEqual((found.kernel, found.device), ("add", "sim"))
        self.assertEqual((found.configurations, found.failed, found.measured), (6, 2, 4))
        self.assertEqual((found.kept, found.interrupted), (True, False))
        self.assertEqual(found.config.kwargs, {"BLOCK": 1024}, "the larger block by far: a program costs the simulator more than an element")
        self.assertEqual(found.seconds, min(one.seconds for one in found.ranked[:4]))
        self.assertEqual([one.rounds for one in found.ranked], [7, 7, 7, 7, 0, 0])
        self.assertEqual({(one.config.kwargs["BLOCK"], one.config.num_warps) for one in found.ranked[:4]}, {(64, 1), (64, 2), (1024, 1), (1024, 2)})
        self.assertIn("tuned_kernels.py:14", found.ranked[4].error)
        self.assertRegex(str(found), r"^add: BLOCK: 1024, num_warps: \d, .* \(.* us on sim; 4 of 6 measured\)$")
        self.assertEqual(list(out), [0] * n, "the caller's memory stays")
        self.module.add[grid](x, out, n, **found.config.all_kwargs())
        self.assertEqual(out[n - 1], n)

    def test_predict(self):
        x, out, n = self.arrays(5)
        found = tilec.tune(self.module.add, {"out": out, "x": x, "n": 5}, (1000, 1, 1), RANGES, predict=True)
        self.assertEqual((found.configurations, found.measured, found.kept, found.seconds), (4, 0, False, None))
        times = [one.predicted for one in found.ranked]
        self.assertEqual(times, sorted(times))
        self.assertLess(times[0], times[-1])
        self.assertTrue(found.predicted and found.ranked[0].bottleneck and found.ranked[0].registers)
        self.assertRegex(str(found), "as predicted; 0 of 4 measured")

    def test_configs(self):
        configs = [tilec.Config({"BLOCK": 64, "STEP": 1}), tilec.Config({"BLOCK": 1024, "STEP": 3}, num_warps=2)]
        found = tilec.tune(self.module.add, self.arrays(), grid, configs=configs)
        self.assertIs(found.config, configs[1])
        self.assertEqual({one.config for one in found.ranked}, set(configs))
        found = tilec.tune(self.module.add, self.arrays(), grid, {"num_warps": [1, 8]}, configs, predict=True)
        self.assertEqual({(one.config.kwargs["BLOCK"], one.config.num_warps) for one in found.ranked}, {(64, 1), (64, 8), (1024, 1), (1024, 8)})

    def test_an_autotuned_kernel(self):
        found = tilec.tune(self.module.even, self.arrays(64 * 1024), grid)
        self.assertEqual((found.configurations, found.failed), (2, 1), "heuristics are asked of each configuration")
        self.assertIn("static", found.ranked[1].error)
        found = tilec.tune(self.module.even, self.arrays(), grid)
        self.assertEqual((found.configurations, found.failed, found.config.kwargs["BLOCK"]), (2, 0, 1024))
        for kernel in (self.module.even, self.load().even):  # its own, and another process's
            x, out, n = self.arrays()
            kernel[grid](x, out, n)
            self.assertEqual((kernel.best_config.kwargs["BLOCK"], out[-1]), (1024, n))
        x, out, n = self.arrays(5000)
        self.module.even[grid](x, out, n)
        self.assertEqual(self.module.even.best_config.kwargs["BLOCK"], 64, "another value of the key")

    def test_put_back_before_each_round(self):
        x, seen = array.array("f", [1]), array.array("i", [0])
        found = tilec.tune(self.module.once, (x, seen), 1, kwargs={"debug": True})
        self.assertEqual((found.failed, found.measured, x[0], seen[0]), (0, 2, 1, 0), [one.error for one in found.ranked])

    def test_an_option_that_is_a_constexpr(self):
        out = array.array("i", [0] * 256)
        found = tilec.tune(self.module.warps, (out,), 1, {"BLOCK": [128, 256], "num_warps": [1, 4]})
        self.assertEqual((found.configurations, found.failed), (4, 0))

    def test_a_function_as_argument(self):
        found = tilec.tune(self.module.applied, (*self.arrays(), self.module.plus), grid, RANGES)
        self.assertEqual((found.configurations, found.failed, found.config.kwargs["BLOCK"]), (4, 0, 1024))

    def test_progress(self):
        told = []
        found = tilec.tune(self.module.add, self.arrays(), grid, RANGES, progress=told.append)
        self.assertEqual([(p.step, p.done, p.all) for p in told if p.step != "measuring"][-1][1:], (4, 4))
        self.assertEqual({p.step for p in told}, {"predicting", "compiling", "measuring"})
        self.assertEqual((told[-1].step, told[-1].done), ("measuring", told[-1].all))
        self.assertIn(f"BLOCK={found.config.kwargs['BLOCK']}", told[-1].best)
        self.assertEqual(sum(p.step == "predicting" for p in told), 4)

    def test_progress_ends_it(self):
        found = tilec.tune(self.module.add, self.arrays(), grid, RANGES, progress=lambda p: p.step == "measuring" and p.done == 2)
        self.assertEqual((found.interrupted, found.kept, found.measured), (True, False, 2))
        self.assertTrue(tilec.tune(self.module.add, self.arrays(), grid, RANGES, timeout=1e-9).interrupted)

        def fails(progress):
            raise ZeroDivisionError(progress.step, threading.get_ident())

        with self.assertRaisesRegex(ZeroDivisionError, "predicting"):
            tilec.tune(self.module.add, self.arrays(), grid, RANGES, progress=fails)

    def test_not_kept(self):
        self.assertFalse(tilec.tune(self.module.even, self.arrays(), grid, keep=False).kept)
        os.environ["TILEC_CACHE"] = "off"
        self.assertFalse(tilec.tune(self.module.even, self.arrays(), grid).kept)
        os.environ["TILEC_CACHE"] = "on"
        fresh = self.load().even
        fresh[grid](*self.arrays())
        self.assertEqual(fresh.best_config.kwargs["BLOCK"], 64)

    def test_errors(self):
        add = self.module.add
        hooked = [tilec.Config({"BLOCK": 64}, pre_hook=lambda named: None)]
        for error, text, kwargs in (
            (tilec.ArgumentError, "BLOCK is given by the launch and by a configuration", {"kwargs": {"BLOCK": 64}, "ranges": RANGES}),
            (tilec.ArgumentError, "list of the values", {"ranges": {"BLOCK": "64"}}),
            (tilec.ArgumentError, "has no constexpr BLOK", {"ranges": {"BLOK": [64]}, "kwargs": {"BLOCK": 64}}),
            (tilec.ArgumentError, "calls no pre_hook", {"configs": hooked}),
            (tilec.ArgumentError, "numbers, strings and None", {"configs": [tilec.Config({"BLOCK": 64}, tma="on")]}),
            (tilec.ArgumentError, "no configuration", {"configs": []}),
            (tilec.ArgumentError, "power of two", {"ranges": {"BLOCK": [64], "num_warps": [3]}}),
            (KeyError, "blok", {"ranges": RANGES, "kwargs": {"blok": 1}}),
            (tilec.CompilationError, "none of the 1 configurations can be used", {"ranges": {"BLOCK": [2**21]}}),
        ):
            with self.assertRaisesRegex(error, text):
                tilec.tune(add, self.arrays(), grid, **kwargs)
        for error, text, args, where in (
            (tilec.ArgumentError, "launches nothing", self.arrays(), 0),
            (TypeError, "missing", self.arrays()[:2], 1),
            (TypeError, "3 parameters|5 parameters", (*self.arrays(), 1, 2, 3), 1),
        ):
            with self.assertRaisesRegex(error, text):
                tilec.tune(add, args, where, RANGES)
        with self.assertRaisesRegex(TypeError, "a kernel of tilec.jit, not a function"):
            tilec.tune(grid, (), 1)

    @unittest.skipUnless(fake_gpu.available, "the driver of tests/gpu is not there")
    def test_on_a_gpu(self):
        class Strided(fake_gpu.ByMethods):
            def stride(self):
                return (1,)

        self.addCleanup(os.environ.__setitem__, "PATH", os.environ["PATH"])
        os.environ["PATH"] = "/nowhere"  # the driver takes no cubin of ptxas's
        for kind in (Strided, fake_gpu.ByFunctions, fake_gpu.ByInterface, fake_gpu.ByCapsule):
            x, out = kind(range(N)), kind([0] * N)
            found = tilec.tune(self.module.even, (x, out, N), grid)
            self.assertEqual((found.device, found.measured, found.kept), ("cuda:0", 2, True), [one.error for one in found.ranked])
            self.assertEqual((out.values()[0], found.config.kwargs["BLOCK"]), (0, 1024))
            fresh = self.load().even
            fresh[grid](x, out, N)
            self.assertEqual((fresh.best_config.kwargs["BLOCK"], out.values()[-1]), (1024, N))
        bare = fake_gpu.ByMethods([0] * N)
        with self.assertRaisesRegex(tilec.ArgumentError, "its memory cannot be copied"):
            tilec.tune(self.module.even, (x, bare, N), grid)
        with self.assertRaisesRegex(ValueError, "arrays of it: some are in the host's memory"):
            tilec.tune(self.module.even, (x, array.array("f", [0] * N), N), grid)


if __name__ == "__main__":
    unittest.main()
