# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""autotune, heuristics and Config, which Python evaluates; the kernels are Python's too, and record their launch's arguments."""

import sys
import unittest
from unittest import mock

import tilec
from tilec._autotune import Autotuner, do_bench
from tilec._errors import OutOfResources


class Array(list):
    """The parts of torch's tensors that an autotuner uses."""

    dtype = "float32"

    def zero_(self):
        self[:] = [0] * len(self)

    def clone(self):
        return Array(self)

    def copy_(self, other):
        self[:] = other


class Kernel:
    arg_names = ["x", "n", "BLOCK", "EVEN"]

    def __init__(self, act=None):
        self.launches, self.act = [], act
        self.fn = lambda x, n, BLOCK, EVEN: None

    def run(self, *args, grid, warmup, **kwargs):
        named = {**dict(zip(self.arg_names, args)), **kwargs}
        self.launches.append(named)
        return self.act(named) if self.act else None

    def warmup(self, *args, **kwargs):
        return kwargs["BLOCK"]


CONFIGS = [tilec.Config({"BLOCK": 64}), tilec.Config({"BLOCK": 128}, num_warps=8), tilec.Config({"BLOCK": 256}, num_stages=5)]


def fastest(block):
    """A do_bench for which the kernel's last launch with this block is quick."""

    def bench(call, quantiles):
        call()
        used = bench.kernel.launches[-1]["BLOCK"]
        return [0.0 if used == block else 1.0] * len(quantiles)

    return bench


class Autotune(unittest.TestCase):
    def tuned(self, kernel, bench=None, **options):
        if bench:
            bench.kernel = kernel
        return tilec.autotune(options.pop("configs", CONFIGS), key=["n"], do_bench=bench, **options)(kernel)

    def test_a_configuration_of_another_name(self):
        def kernel(x, n, BLOCK: tilec.language.constexpr):
            pass

        tuned = tilec.autotune([tilec.Config({"BLOK": 64})], key=["n"])
        with self.assertRaisesRegex(ValueError, r"^a Config of kernel: 'BLOK' is neither a parameter nor an option; did you mean 'BLOCK'\?$"):
            tuned(tilec.jit(kernel))
        tilec.autotune([tilec.Config({"BLOCK": 64, "num_warps": 8, "waves_per_eu": 2})], key=["n"])(tilec.jit(kernel))

    def test_decorators_in_the_wrong_order(self):
        def kernel(x, n, BLOCK: tilec.language.constexpr):
            pass

        tuned = tilec.autotune([tilec.Config({"BLOCK": 64})], key=["n"])(tilec.jit(kernel))
        with self.assertRaisesRegex(TypeError, r"^@tilec\.jit is above @tilec\.autotune of kernel: it must be the one directly above 'def kernel'$"):
            tilec.jit(tuned)
        with self.assertRaisesRegex(TypeError, r"^@tilec\.jit is above @tilec\.heuristics of kernel"):
            tilec.jit(tilec.heuristics({})(tilec.jit(kernel)))
        with self.assertRaisesRegex(TypeError, "is twice above kernel"):
            tilec.jit(tilec.jit(kernel))
        with self.assertRaisesRegex(TypeError, "takes a function written with 'def', not int 3"):
            tilec.jit(3)

    def test_the_fastest(self):
        kernel = Kernel()
        tuned = self.tuned(kernel, fastest(128))
        tuned[(1,)](Array([1]), 5)
        self.assertEqual([launch["BLOCK"] for launch in kernel.launches], [64, 128, 256, 128])
        self.assertEqual((kernel.launches[-1]["num_warps"], tuned.best_config), (8, CONFIGS[1]))
        tuned[(1,)](Array([1]), 5)
        self.assertEqual(len(kernel.launches), 5)
        tuned[(1,)](Array([1]), 6)
        self.assertEqual(len(kernel.launches), 9)

    def test_one_configuration_is_not_measured(self):
        kernel = Kernel()
        self.tuned(kernel, fastest(0), configs=CONFIGS[:1])[(1,)](Array([1]), 5)
        self.assertEqual(len(kernel.launches), 1)

    def test_the_simulator_takes_the_first(self):
        kernel = Kernel()
        tuned = self.tuned(kernel, prune_configs_by={"early_config_prune": lambda configs, named, **kwargs: configs[1:]})
        tuned[(1,)](Array([1]), 5)
        self.assertEqual([launch["BLOCK"] for launch in kernel.launches], [128])

    def test_pruning(self):
        seen = []

        def model(x, n, BLOCK, **rest):
            seen.append((n, BLOCK, rest["num_warps"]))
            return -BLOCK

        kernel = Kernel()
        self.tuned(kernel, fastest(64), prune_configs_by={"perf_model": model, "top_k": 2})[(1,)](Array([1]), 5)
        self.assertEqual(sorted(seen), [(5, 64, 4), (5, 128, 8), (5, 256, 4)])
        self.assertEqual([launch["BLOCK"] for launch in kernel.launches], [256, 128, 256])
        with self.assertRaisesRegex(ValueError, "must leave at least one configuration"):
            self.tuned(Kernel(), prune_configs_by={"early_config_prune": lambda configs, named, **kwargs: []})[(1,)](Array([1]), 5)

    def test_arrays_are_put_back(self):
        def act(named):
            named["x"][0] += 1

        x = Array([7])
        self.tuned(Kernel(act), fastest(64), restore_value=["x"])[(1,)](x, 5)
        self.assertEqual(x, [8])
        self.tuned(Kernel(act), fastest(64), reset_to_zero=["x"])[(1,)](x, 5)
        self.assertEqual(x, [1])

    def test_hooks(self):
        told = []
        configs = [tilec.Config({"BLOCK": 64}, pre_hook=lambda named: told.append(("config", named["BLOCK"]))), tilec.Config({"BLOCK": 128})]
        tuned = self.tuned(
            Kernel(),
            fastest(64),
            configs=configs,
            pre_hook=lambda named, reset_only=False: told.append(("pre", named["BLOCK"], reset_only)),
            post_hook=lambda named, exception: told.append(("post", exception)),
        )
        tuned[(1,)](Array([1]), 5)
        want = [("config", 64), ("pre", 64, False), ("post", None), ("pre", 128, False), ("post", None), ("pre", 64, True), ("config", 64)]
        self.assertEqual(told, want)

    def test_what_does_not_fit_is_slow(self):
        def act(named):
            if named["BLOCK"] != 256:
                raise OutOfResources("no")

        tuned = self.tuned(Kernel(act), fastest(256))
        tuned[(1,)](Array([1]), 5)
        self.assertEqual(tuned.best_config, CONFIGS[2])

        def never(named):
            raise OutOfResources("nothing fits")

        with self.assertRaisesRegex(OutOfResources, "nothing fits"):
            self.tuned(Kernel(never), fastest(256))[(1,)](Array([1]), 5)

    def test_conflicts(self):
        with self.assertRaisesRegex(ValueError, "BLOCK is given by the launch and by a configuration"):
            self.tuned(Kernel(), fastest(64))[(1,)](Array([1]), 5, BLOCK=3)

    def test_heuristics_see_configurations(self):
        kernel = Kernel()
        below = tilec.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})(kernel)
        self.tuned(below, fastest(128), configs=CONFIGS)
        bench = fastest(128)
        bench.kernel = kernel
        tilec.autotune(CONFIGS, key=["n"], do_bench=bench)(below)[(1,)](Array([1]), 128)
        self.assertEqual([(launch["BLOCK"], launch["EVEN"]) for launch in kernel.launches], [(64, True), (128, True), (256, False), (128, True)])

    def test_warmup(self):
        self.assertEqual(self.tuned(Kernel()).warmup(Array([1]), 5, grid=(1,)), [64, 128, 256])

    def test_bench(self):
        calls = []
        found = do_bench(lambda: calls.append(1), warmup=1, rep=1, quantiles=(0.5, 0.2, 0.8))
        self.assertEqual(len(found), 3)
        self.assertTrue(found[1] <= found[0] <= found[2] and len(calls) > 5)

    def test_bench_empties_l2(self):
        """On a GPU by PyTorch's events: an array of more than L2 is written before each, outside of what is measured."""
        done = []
        event = mock.Mock(**{"record.side_effect": lambda: done.append("event"), "elapsed_time.return_value": 0.5})
        torch = mock.Mock()
        torch.cuda.Event.return_value = event
        torch.empty.return_value.zero_.side_effect = lambda: done.append("zero")
        with mock.patch.dict(sys.modules, {"torch": torch}):
            found = do_bench(lambda: done.append("call"), warmup=1, rep=1)
        self.assertEqual(found, 0.5)
        self.assertEqual(done, ["call"] + 5 * ["zero", "event", "call", "event"] + 2 * ["call"] + 2 * ["zero", "event", "call", "event"])
        self.assertGreaterEqual(torch.empty.call_args[0][0], 200 << 20)

    def test_configs_are_values(self):
        self.assertEqual(tilec.Config({"A": 1}), tilec.Config({"A": 1}))
        self.assertNotEqual(tilec.Config({"A": 1}), tilec.Config({"A": 1}, num_warps=8))
        self.assertEqual(str(CONFIGS[1]), "BLOCK: 128, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: None")
        self.assertIsInstance(tilec.autotune([], key=[])(Kernel()), Autotuner)

    def test_functions_for_both(self):
        self.assertEqual((tilec.cdiv(7, 2), tilec.next_power_of_2(33)), (4, 64))
        self.assertEqual(tilec.constexpr_function(lambda a, b=2: a * b)(tilec.language.constexpr(3)), 6)


if __name__ == "__main__":
    unittest.main()
