# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/rows without a GPU: the kernels that its plan names, its table, and where torch and Triton are its kernels on the simulator."""

import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

ROWS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "rows"
OPERATIONS = ("sum", "max", "argmax", "softmax", "rms_norm", "layer_norm", "cumsum", "sort", "topk")


def load():
    loader = SourceFileLoader("rows_run", str(ROWS / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("rows_run", loader))
    loader.exec_module(module)
    return module


class Rows(unittest.TestCase):
    def test_plan(self):
        """Each operation and size has a kernel of the file, whose tiles hold the row, and which takes what the plan gives."""
        run, text = load(), (ROWS / "kernels.py").read_text()
        for operation in OPERATIONS:
            for n in (*run.SIZES, 100, 5000):
                kernel, rows, constexprs, warps = run.plan(operation, n)
                parameters = re.search(rf"^def {kernel}\((.*)\):$", text, re.M)[1]
                self.assertEqual(set(re.findall(r"(\w+): tl.constexpr", parameters)), set(constexprs))
                self.assertTrue(n <= constexprs["B"] < 2 * n and rows * constexprs["B"] >= min(run.SHORT, constexprs["B"]))
                self.assertIn(warps, (4, 8, 16, 32))

    def test_table(self):
        run = load()
        row = {"operation": "sum", "columns": 64, "rows": 128, "errors": {"tilec": 1e-3}, "failed": {}}
        rows = [{**row, "us": {"tilec": 10.0, "triton": 20.0, "torch": 9.5}}, {**row, "us": {"tilec": 10.0, "triton": 8.0}},
                {**row, "us": {"torch": 8.0}, "failed": {"tilec": "why"}}]
        text = run.markdown(rows, "here")
        self.assertIn("| sum | 64 | 128 | 10.0 | 20.0 | 9.5 | 0.950 * | 1.0e-03 / - |", text)
        self.assertIn("| 10.0 | 8.0 | - | 0.800 ** |", text)
        self.assertIn("| - | - | 8.0 | - |", text)
        self.assertIn("2 of 3: geometric mean 0.872, below 0.97 2, below 0.90 1, lowest 0.800", text)
        self.assertIn("- sum 64, tilec: why", text)

    @unittest.skipUnless(importlib.util.find_spec("torch") and importlib.util.find_spec("triton"), "torch and Triton")
    def test_simulator(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(ROWS / "run"), "--device", "sim", "--sizes", "64,100,2500", "--results", folder]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        errors = [float(error) for error in re.findall(r"\| (\S+) / - \|$", done.stdout, re.M)]
        self.assertEqual(len(errors), 3 * len(OPERATIONS))
        self.assertLess(max(errors), 0.04, done.stdout)  # bf16's rounding of the largest elements


if __name__ == "__main__":
    unittest.main()
