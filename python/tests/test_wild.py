# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/wild without a GPU or torch: what is on its list, its table, and its processes, with a worker that pretends."""

import collections
import contextlib
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from unittest import mock

WILD = pathlib.Path(__file__).resolve().parents[2] / "bench" / "wild"
FACTS = {
    "conv2d", "embedding, forward and backward", "cat", "pow", "upsample_nearest2d", "argmax", "group_norm", "gather", "silu", "flip", "SwiGLU, forward and backward",
    "addmm", "softmax", "bmm", "mm 4096^3", "mm (8192,4096) x (4096,14336)", "scaled_dot_product_attention, causal", "sum along 0",
}
# Answers like a worker. Operations with 'die' in their name end it, those with 'fail' fail. The drop-in is twice as
# fast. For 'tuned' ones an autotuner makes a bad choice in the second process. 'host' ones have no graph, and are slow
# while others compile.
PRETENDER = """
import json, os, sys
compiler = os.environ["WILD_COMPILER"]
print(json.dumps({"torch": "none"}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    id = request.get("id", "")
    if "die" in id and compiler == "tilec":
        print("last words", file=sys.stderr, flush=True)
        os._exit(3)
    if request["do"] == "prepare":
        answer = {"ok": False, "failed": "no"} if "fail" in id else {"ok": True, "first": 0.5, "errors": [[1e-3, 1e-2]], "mode": "graph", "fallbacks": []}
        quiet = not request["graph"]
        slow = 8 if "tuned" in id and os.environ["FLAGGEMS_CACHE_DIR"].endswith("2") and compiler == "tilec" else 3 if "host" in id and not quiet else 1
        answer.update(tuned="tuned" in id, **({"mode": "events", "first": 9.0 if quiet else 0.5} if "host" in id else {}))
    elif request["do"] == "profile":
        answer = {"profile": {"k": [1, 10.0 if compiler == "tilec" else 20.0]}}
    else:
        answer = {"us": [slow * (10.0 if compiler == "tilec" else 20.0)] * request["replays"]}
    print(json.dumps(answer), flush=True)
"""


def module(name, path):
    loader = SourceFileLoader(name, str(path))
    made = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = made
    loader.exec_module(made)
    return made


class Wild(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(WILD))
        cls.addClassCleanup(sys.path.remove, str(WILD))
        cls.run_module = module("wild_run", WILD / "run")
        import operations
        import table

        cls.operations, cls.table = operations, table
        cls.all = operations.load()

    def operation(self, name, kind="norm"):
        return self.operations.Operation("flag_gems", name, kind, "call | it", None)

    def test_list(self):
        kinds = collections.Counter(operation.kind for operation in self.all.values())
        for kind in ("pointwise", "reduction", "norm", "index", "convolution", "product", "attention", "scatter"):
            self.assertGreaterEqual(kinds[kind], 6, kind)
        self.assertGreaterEqual(len(self.all), 80)
        self.assertGreaterEqual(len({operation.library for operation in self.all.values()}), 5)
        self.assertEqual({operation.fact for operation in self.all.values()} - {""}, FACTS)

    def test_libraries_are_fixed(self):
        libraries = json.loads((WILD / "libraries.json").read_text())
        for name, library in libraries.items():
            with self.subTest(name):
                self.assertTrue(library["paths"])
                if "pypi" in library:
                    self.assertRegex(library["pypi"], r"^\w+==[\d.]+$")
                    self.assertRegex(library["sha256"], r"^[0-9a-f]{64}$")
                else:
                    self.assertRegex(library["commit"], r"^[0-9a-f]{40}$")
                self.assertLessEqual(set(library.get("requires", [])), set(libraries))
        self.assertLessEqual({operation.library for operation in self.all.values()}, set(libraries))

    def test_shards(self):
        shards = self.run_module.make_shards(list(self.all.values()), 9)
        self.assertEqual(sorted(operation.id for shard in shards for operation in shard[2]), sorted(self.all))
        self.assertTrue(all(len(shard[2]) <= 9 and {operation.library for operation in shard[2]} == {shard[1]} for shard in shards))
        self.assertEqual(len({shard[0] for shard in shards}), len(shards))
        self.assertTrue(any(operation.fact for operation in shards[0][2]))

    def test_table(self):
        def row(name, us, error=1e-3, **more):
            return {"id": f"flag_gems/{name}", "ok": True, "us": us, "first": 0.1, "errors": [[error, error]], "mode": "graph", **more}

        rows = {
            "flag_gems/fast": {"tilec": row("fast", 50.0), "triton": row("fast", 100.0)},
            "flag_gems/slow": {"tilec": row("slow", 100.0, 3e-3, fallbacks=["k: why"]), "triton": row("slow", 95.0)},
            "flag_gems/slowest": {"tilec": row("slowest", 200.0, mode="events", why="it waits"), "triton": row("slowest", 100.0)},
            "flag_gems/wrong": {"tilec": {"ok": False, "failed": "a|b"}, "triton": row("wrong", 1.0)},
        }
        operations = [self.operation(name, "norm" if name == "fast" else "index") for name in ("fast", "slow", "slowest", "wrong", "missing")]
        text = self.table.markdown(operations, rows)
        lines = text.splitlines()
        self.assertIn("| flag_gems/fast | norm | call \\| it | 50.0 | 100.0 | 2.000 | 0.10 / 0.10 | 1.0e-03 / 1.0e-03 |  |", lines)
        self.assertIn("| 0.950 * |", text)
        self.assertIn("| 0.500 ** |", text)
        self.assertIn("| norm | 1 of 1 | 2.000 | 0 | 0 |", lines)
        self.assertIn("| index | 2 of 4 | 0.689 | 2 | 1 |", lines)  # the root of 0.95 * 0.5
        self.assertIn("| all | 3 of 5 | 0.983 | 2 | 1 |", lines)
        for reason in ("wrong, tilec: fails: a|b", "slow: left to Triton: k: why", "slowest, tilec: no graph: it waits",
                       "slow: errors of its results 3.0e-03 beside Triton's 1.0e-03", "missing: not run"):
            self.assertIn(f"- flag_gems/{reason}", lines)
        self.assertLess(text.index("flag_gems/slowest"), text.index("flag_gems/fast"))
        self.assertIn("0.500 **", self.table.brief(operations, rows))

    def test_table_of_compiles(self):
        def row(*kernels):
            made = ({"kernel": name, "seconds": seconds, "registers": 32, "local": local, "instructions": count, "accesses": {"LDG": [count, 2.0]}, "warps": 4}
                    for name, seconds, local, count in kernels)
            return {"ok": True, "compiles": list(made)}

        rows = {"flag_gems/a": {"tilec": row(("k", 0.5, 8, 9), ("l", 0.1, 0, 8), ("m", 1.0, 0, 7)), "triton": row(("k", 1.0, 0, 9), ("l", 0.4, 4, 8), ("m", 1.0, 0, 4))},
                "flag_gems/b": {"tilec": row(), "triton": row(("m", 1.0, 0, 1))}}
        lines = self.table.compiles([self.operation("a"), self.operation("b")], rows).splitlines()
        figures = "instructions 9 / 9, registers 32 / 32, local 8 / 0, shared 0 / 0, shuffles 0 / 0, barriers 0 / 0, imad 0 / 0"
        self.assertIn(f"flag_gems/a: k, 4 warps: local: {figures}; LDG 9 of 2 bytes / LDG 9 of 2 bytes", lines)
        self.assertTrue(any(line.startswith("flag_gems/a: m, 4 warps: instructions: instructions 7 / 4") for line in lines))
        self.assertFalse([line for line in lines if ": l, 4 warps" in line])
        self.assertIn("Local memory in sum: 8 bytes, Triton's 4.", lines)
        self.assertIn("Compiles: Triton's time over tilec's, geometric mean 2.00, median 2.00, lowest 1.00 of 3.", lines)
        self.assertTrue(any(line.startswith("flag_gems/b ") and line.endswith("0 of tilec's, 1 of Triton's") for line in lines))


    def test_doubts_about_a_compile(self):
        """More shared memory, shuffles, or narrower accesses are doubts; a little more is none."""
        theirs = {"local": 0, "shared": 1024, "instructions": 100, "shuffles": 4, "barriers": 2, "imad": 10, "accesses": {"LDG": [4, 16.0], "STG": [2, 8.0]}}
        self.assertEqual(self.table.doubts({**theirs, "shared": 2048, "shuffles": 10, "imad": 35}, theirs), [])
        worse = {**theirs, "shared": 4096, "shuffles": 11, "accesses": {"LDG": [16, 4.0], "STG": [2, 8.0], "LDS": [1, 1.0]}}
        self.assertEqual(self.table.doubts(worse, theirs), ["shared", "shuffles", "narrow LDG"])
    def test_infinite_errors_are_worse(self):
        rows = {"tilec": {"errors": [[float("nan"), 0.0]]}, "triton": {"errors": [[1e-3, 0.0]]}}
        self.assertTrue(self.table.worse(rows))
        self.assertFalse(self.table.worse({**rows, "tilec": {"errors": [[2e-3, 0.0]]}}))

    def measured(self, names, *arguments):
        """The output of a run with the simulated worker: rows by id and compiler."""
        operations = {f"flag_gems/{name}": self.operation(name) for name in names}
        with tempfile.TemporaryDirectory() as folder:
            worker = pathlib.Path(folder) / "worker.py"
            worker.write_text(PRETENDER)
            patches = (mock.patch.object(self.run_module, "WORKER", worker), mock.patch.object(self.run_module, "load", lambda: operations),
                       mock.patch.object(sys, "argv", ["run", folder, "--results", folder, *arguments]), contextlib.redirect_stdout(io.StringIO()))
            with contextlib.ExitStack() as stack:
                for patch in patches:
                    stack.enter_context(patch)
                self.run_module.main()
            self.assertIn("geometric mean", (pathlib.Path(folder) / "wild.md").read_text())
            return self.table.read([pathlib.Path(folder) / "wild.jsonl"])

    def test_run(self):
        rows = self.measured(["one", "fail", "die", "two"], "--pairs", "2", "--shard-size", "4")
        self.assertEqual(len(rows), 4)
        self.assertEqual(self.table.ratio_of(rows["flag_gems/one"]), 2.0)
        self.assertEqual(self.table.ratio_of(rows["flag_gems/two"]), 2.0)  # by a process started anew, after the one that died
        self.assertEqual(rows["flag_gems/fail"]["triton"]["failed"], "no")
        self.assertIn("(3): last words", rows["flag_gems/die"]["tilec"]["failed"])
        self.assertEqual(rows["flag_gems/die"]["triton"]["us"], 20.0)

    def test_turns(self):
        """Where an autotuner chose the time is the mean of three choices; where there is no graph it is that of three processes, when all else was done."""
        rows = self.measured(["one", "tuned", "host"], "--pairs", "2")
        self.assertEqual([round(us) for us in rows["flag_gems/tuned"]["tilec"]["turns"]], [10, 80, 10])
        self.assertAlmostEqual(rows["flag_gems/tuned"]["tilec"]["us"], 20.0)  # the geometric mean
        self.assertAlmostEqual(rows["flag_gems/tuned"]["triton"]["us"], 20.0)
        self.assertIn("10.0 80.0 10.0; 20.0 20.0 20.0", self.table.notes(rows["flag_gems/tuned"]))
        host = rows["flag_gems/host"]["tilec"]
        self.assertEqual((host["turns"], host["first"]), ([10.0, 10.0, 10.0], 0.5))
        self.assertAlmostEqual(host["us"], 10.0)
        self.assertNotIn("turns", rows["flag_gems/one"]["tilec"])

    def test_profile(self):
        rows = self.measured(["one"], "--profile")
        self.assertEqual(rows["flag_gems/one"]["tilec"]["profile"], {"k": [1, 10.0]})
        self.assertEqual(self.table.kernels([self.operation("one")], rows), [])  # it is fast
        rows["flag_gems/one"]["tilec"].update(us=40.0, profile={"k": [1, 40.0], "l": [1, 1.0]})
        self.assertEqual(self.table.kernels([self.operation("one")], rows), ["- flag_gems/one: k 40.0 / 20.0 us; l of one compiler alone"])

    def test_run_that_is_cut(self):
        self.assertEqual(self.measured(["one"], "--seconds", "0"), {})

    def test_selection(self):
        options = mock.Mock(only="softmax", libraries="liger,attorch", kinds="reduction")
        self.assertEqual([operation.id for operation in self.run_module.select_operations(options)], ["attorch/softmax", "attorch/log_softmax", "liger/softmax"])


if __name__ == "__main__":
    unittest.main()
