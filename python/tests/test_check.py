# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that are checked."""

import os
import subprocess
import sys
import traceback
import unittest
import warnings

import tilec
import tilec.language as tl
from kernels import add, beyond, floats, ints, racy, scale


@tilec.jit
def undefined(x, out, n):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < 16)


@tilec.jit
def undefined_index(x, out, n):
    i = tl.arange(0, 16)
    tl.store(out + tl.load(x + i, mask=i < n), i)


@tilec.jit
def lost_update(bins, count, BLOCK: tl.constexpr):
    i = tl.load(bins + tl.arange(0, BLOCK))
    tl.store(count + i, tl.load(count + i) + 1)


@tilec.jit
def taken_places(bins, count, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.atomic_add(count + tl.load(bins + i), 1), i)


@tilec.jit
def doubled_by_assembly(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.inline_asm_elementwise("add.f32 $0, $1, $1;", "=f,f", [tl.load(x + i)], dtype=tl.float32, is_pure=True, pack=1))


@tilec.jit
def column(x, out, n, BLOCK: tl.constexpr):
    i, j = tl.arange(0, 4), tl.arange(0, BLOCK)
    tl.store(out + i[:, None] * BLOCK + j[None, :], tl.load(x + i[:, None] * n + j[None, :]))


@tilec.jit
def wrapped_row(x, out, row, step):
    tl.store(out, tl.load(x + row * step))


class Checks(unittest.TestCase):
    def setUp(self):
        tilec.set_check(True)

    def tearDown(self):
        tilec.set_check(False)

    def test_races(self):
        x = ints([0])
        tilec.set_check(False)
        racy[2](x)
        tilec.set_check(True)
        with self.assertRaisesRegex(tilec.LaunchError, "race") as caught:
            racy[2](x)
        self.assertEqual(caught.exception.diagnostics[0].line, 43)
        racy[1](x)
        try:
            racy[2](x)
        except tilec.LaunchError as error:
            self.assertEqual({frame.filename for frame in traceback.extract_tb(error.__traceback__)}, {__file__})

    def test_facts_of_reports(self):
        x, out = floats([0.0] * 28), floats([0.0] * 64)
        with self.assertRaisesRegex(tilec.LaunchError, r"element \[1, 12\]") as caught:
            column[1](x, out, 16, BLOCK=16)
        self.assertEqual(list(out), [0.0] * 64)
        first = caught.exception.diagnostics[0]
        self.assertEqual((first.kind, first.buffer, first.index, first.program, first.element), ("out of bounds", "x", 28, (0, 0, 0), (1, 12)))
        self.assertIn(str(first) + "\n", str(caught.exception))
        self.assertIn("x[28] of 28, in program (0, 0, 0), element [1, 12]", first.text)
        self.assertIsNone(first.access)
        self.assertEqual(first.notes[0].kind, None)
        with self.assertRaises(tilec.LaunchError) as caught:
            racy[2](ints([0]))
        race = caught.exception.diagnostics[0]
        self.assertEqual((race.kind, race.buffer, race.index), ("race", "x", 0))
        self.assertEqual((race.access, race.other_access), ("store", "store"))
        with self.assertRaises(tilec.LaunchError) as caught:
            lost_update[1](ints([0] * 64), ints([0]), BLOCK=64)
        race = caught.exception.diagnostics[0]
        self.assertEqual((race.kind, race.buffer, {race.access, race.other_access}), ("race", "count", {"load", "store"}))
        self.assertEqual(len(race.program), 3)
        with self.assertRaises(tilec.LaunchError) as caught:  # without a check, nothing knows the element
            tilec.set_check(False)
            column[1](x, out, 16, BLOCK=16)
        self.assertEqual((caught.exception.diagnostics[0].index, caught.exception.diagnostics[0].element), (28, None))

    def test_races_of_fewer_elements_than_threads(self):
        # Several threads have each element, so only the evaluator sees what is lost.
        for size in (16, 64):
            with self.assertRaisesRegex(tilec.LaunchError, "nothing orders this store and the load") as caught:
                lost_update[1](ints([0] * size), ints([0]), BLOCK=size)
            self.assertEqual(len(caught.exception.diagnostics), 1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            taken_places[1](ints([0] * 16), ints([0]), ints([0] * 16), BLOCK=16)

    def test_inline_assembly_is_no_warning(self):
        """The evaluator does not run it, but a launch has nothing that its results are compared with."""
        x, out = floats(range(16)), floats([0] * 16)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            doubled_by_assembly[1](x, out)
        self.assertEqual(list(out), [2 * i for i in range(16)])

    def test_launches_on_the_evaluator(self):
        with self.assertRaisesRegex(tilec.LaunchError, "race"):
            racy._launch_on(tilec._devices.opened("eval"), 1, 0.0, (2,), ints([0] * 2))

    def test_bounds(self):
        with self.assertRaisesRegex(tilec.LaunchError, r"out of bounds: x\[8\] of 8"):
            beyond[1](floats([0] * 8), 8, 16)

    def test_undefined_values(self):
        x, out = floats(range(16)), floats([0] * 16)
        # what a load did not read may be stored, as in Triton, with a warning; addresses may not depend on it
        with self.assertWarnsRegex(tilec.TilecWarning, r"to store in out\[10\] of 16 is undefined.*\n.*no `other` value") as caught:
            undefined[1](x, out, 10)
        self.assertEqual((os.path.basename(caught.filename), caught.lineno), ("test_check.py", undefined.fn.__code__.co_firstlineno + 3))
        self.assertEqual(list(out)[:10], list(range(10)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            undefined[1](x, out, 16)
        with self.assertRaises(tilec.LaunchError):
            undefined_index[1](ints(range(16)), ints([0] * 16), 10)
        undefined_index[1](ints(range(16)), ints([0] * 16), 16)

    def test_wrapped_offsets(self):
        """3 * 1431655766 is 2 in 32 bits: in bounds, and another element."""
        x, out = floats(range(16)), floats([0])
        with self.assertWarnsRegex(tilec.TilecWarning, r"^\[T1102\] 'row \* step' wrapped in 32 bits") as caught:
            wrapped_row[(1,)](x, out, 3, 1431655766)
        self.assertTrue(caught.filename.endswith("test_check.py"))

    def test_results_are_as_of_one_launch(self):
        x = floats(range(32))
        handle = scale[2](x, 2, 32)
        self.assertEqual(list(x), [2 * i for i in range(32)])
        self.assertIn("on sim", repr(handle))
        add[2](x, x, x, 32, BLOCK=16)
        self.assertEqual(list(x), [4 * i for i in range(32)])

    def test_by_the_environment(self):
        script = "import sys; sys.path.insert(0, sys.argv[1]); from kernels import racy, ints; racy[2](ints([0]))"
        env = dict(os.environ, TILEC_CHECK="1")
        out = subprocess.run([sys.executable, "-c", script, os.path.dirname(__file__)], env=env, capture_output=True, text=True)
        self.assertEqual(out.returncode, 1)
        self.assertIn("LaunchError", out.stderr)
        out = subprocess.run([sys.executable, "-c", "import tilec"], env={**env, "TILEC_CHECK": "ture"}, capture_output=True, text=True)
        self.assertIn("TILEC_CHECK=ture: it must be 0 or 1", out.stderr)


if __name__ == "__main__":
    unittest.main()
