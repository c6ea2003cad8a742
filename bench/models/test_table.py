#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""table.py finds what is wrong with a record, and nothing in a sound one. Needs neither torch nor a GPU."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import table  # noqa: E402

EVENTS = [{"cat": "kernel", "name": "triton_poi_0", "dur": 4.0, "args": {"grid": [2, 1, 1], "block": [128, 1, 1]}}, {"cat": "kernel", "name": "triton_poi_0", "dur": 6.0}, {"cat": "kernel", "name": "gemm", "dur": 10.0},
          {"cat": "gpu_user_annotation", "name": "triton_poi_0", "dur": 50.0}, {"name": "no category"}]
ERROR = {"loss": 1e-5, "gradients": 4e-3, "worst": 1e-2, "parameter": "w"}


def training():
    time = {"wall": 30.0, **table.totals(EVENTS, 2)}
    theirs = {"error": ERROR, "eager": ERROR, "losses": [2.0, 1.9], "first_call": 3.0, "time": time, "kernels_of": {"tilec": 0, "triton": 7}}
    ours = {**theirs, "kernels_of": {"tilec": 7, "triton": 0}, "fallbacks": [], "time": {**time, "triton": 4.0, "kernels": {"triton_poi_0": [6.0, 1.0]}}}
    return json.loads(json.dumps({"model": "m", "compilers": ["tilec", "triton"], "triton": theirs, "tilec": ours}))  # nothing is shared


def generation():
    side = {"tokens": [[1, 2, 3]], "again": True, "first_call": 1.0}
    return json.loads(json.dumps({"model": "g", "compilers": ["tilec", "triton"], "triton": side, "tilec": side}))  # nothing is shared


def changed(record, path, value):
    *inner, last = path.split()
    at = record
    for name in inner:
        at = at[name]
    at[last] = value
    return record


class Table(unittest.TestCase):
    def test_a_trace(self):
        self.assertEqual(table.totals(EVENTS, 2), {"all": 10.0, "triton": 5.0, "kernels": {"triton_poi_0": [5.0, 1.0]},
                                                    "launches": {"triton_poi_0": [[[2, 1, 1], [128, 1, 1], None, None], [None] * 4]}})

    def test_sound_records(self):
        self.assertEqual((table.wrong(training()), table.wrong(generation())), ([], []))
        lines = table.table([training(), generation()])
        self.assertEqual(lines[2:], [
            "| m | 7 / 7 | 1.0e-05 / 1.0e-05 | 4.0e-03 / 4.0e-03 | 1.0e-02 / 1.0e-02 | 3.0 / 3.0 | 4 / 5 = 0.800 | 1.000 | ok |",
            "| g | - / - | 3 tokens | - | - | 1.0 / 1.0 | - | - | ok |",
            "geometric mean of Inductor's kernels, tilec / Triton: 0.800 of 1 models",
        ])  # fmt: skip
        long = training()
        for compiler, us in (("tilec", 50.0), ("triton", 45.0)):
            changed(long, f"{compiler} time kernels", {"triton_red_1": [us, 2.0], "triton_poi_0": [19.0, 1.0]})
        self.assertEqual(table.of_kernels([training()]), [])
        self.assertEqual(table.of_kernels([long])[2:], ["| m | 1 | 0.900 | 1 | 0 | 0.900 |", "| all | 1 | 0.900 | 1 | 0 | 0.900 |"])
        self.assertEqual(table.every_kernel([long])[2:], ["| m | triton_red_1 | 25.0 | 22.5 | 0.900 |"])
        self.assertEqual(table.slowest(training()), ["  triton_poi_0: 6.0 / 5.0 us = 1.200"])

    def test_what_is_wrong(self):
        for path, value, text in (
            ("tilec error gradients", 5e-3, "error of gradients: 5.0e-03, more than 4.8e-03"), ("tilec error worst", float("inf"), "error of worst: inf"),
            ("tilec error loss", float("nan"), "error of loss: nan"), ("tilec losses", [2.0, 2.0], "loss of step 1: 2, Triton 1.9"),
            ("tilec kernels_of", {"tilec": 6, "triton": 1}, "6 kernels by tilec, 1 by Triton"), ("tilec kernels_of", {"tilec": 0, "triton": 0}, "0 kernels by tilec"),
            ("tilec fallbacks", ["k"], "fallback: k"), ("triton failed", "no memory", "triton: no memory"), ("tilec time kernels", {}, "kernels that only one compiler"),
            ("tilec not_timed", "no answer", "tilec: not timed: no answer"),
        ):  # fmt: skip
            with self.subTest(path):
                found = table.wrong(changed(training(), path, value))
                self.assertEqual(len(found), 1, found)
                self.assertIn(text, found[0])

    def test_tokens(self):
        self.assertEqual(table.wrong(changed(generation(), "tilec tokens", [[1, 2, 4]])), ["row 0: other tokens from number 2 on"])
        both = changed(generation(), "tilec tokens", [[1, 2, 4]])
        self.assertEqual(table.wrong(changed(both, "triton eager_tokens", [[1, 2, 5]])), [])  # rounding chooses
        self.assertEqual(table.wrong(changed(generation(), "tilec again", False)), ["a second call gives other tokens"])

    def test_a_failure_is_a_row(self):
        self.assertTrue(table.line({"model": "f", "compilers": ["tilec"], "tilec": {"failed": "a | b\nc"}}).endswith("| tilec: a / b c |"))


if __name__ == "__main__":
    unittest.main()
