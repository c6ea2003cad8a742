# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors and warnings: what is raised, and where it points."""

import contextlib
import io
import math
import os
import unittest
import unittest.mock
import warnings

import kernels
import tilec
import tilec.language as tl
from kernels import beyond, floats, wrong

HERE = kernels.__file__


def line_of(text):
    with open(HERE) as file:
        return next(i for i, line in enumerate(file, 1) if text in line)


class Errors(unittest.TestCase):
    def test_compiling(self):
        with self.assertRaises(tilec.CompilationError) as caught:
            wrong[1](floats([1]))
        first = caught.exception.diagnostics[0]
        self.assertEqual(first.severity, "error")
        self.assertIn("no_such_function", first.text)
        self.assertEqual((first.file, first.line, first.column), (HERE, line_of("no_such_function"), 17))
        self.assertIn(f"{HERE}:{first.line}:{first.column}: error[{first.code}]: ", str(caught.exception))

    def test_names_in_messages(self):
        @tilec.jit
        def root(x):
            tl.store(x, math.sqrt(tl.load(x)))

        @tilec.jit
        def indexed(x):
            tl.store(x, x[0])

        for kernel, says in ((root, r"'math\.sqrt' cannot be used in a kernel; write tl\.sqrt"), (indexed, r"indexed: tl\.load\(")):
            with self.assertRaisesRegex(tilec.CompilationError, says) as caught:
                kernel[1](floats([1]))
            self.assertRegex(caught.exception.diagnostics[0].code, r"^T\d{4}$")

    def test_a_plain_function(self):
        def plain(x):
            return x

        @tilec.jit
        def kernel(x):
            tl.store(x, plain(1.0))

        with self.assertRaisesRegex(tilec.CompilationError, r"'plain' is a plain Python function; .* decorated with @tilec\.jit"):
            kernel[1](floats([1]))

    def test_indices(self):
        """An element of an array of several dimensions is named by its indices too, as the command does."""
        text = r"store out of bounds: x\[8\] of 8, x\[2,0\] of \[2,4\], in program"
        table = memoryview(floats([0] * 8)).cast("B").cast("f", (2, 4))
        with self.assertRaisesRegex(tilec.LaunchError, text) as caught:
            beyond[1](table, 8, 16)
        self.assertRegex(caught.exception.diagnostics[0].text, text)
        with self.assertRaisesRegex(tilec.LaunchError, r"x\[8\] of 8, in program"):
            beyond[1](floats([0] * 8), 8, 16)

    def test_views(self):
        """A view that does not begin at a multiple of 16 bytes begins and ends where it says."""

        @tilec.jit
        def at(x, i):
            tl.store(x + i, 1.0)

        numbers = floats([0] * 20)
        at[1](memoryview(numbers)[5:10], 4)
        self.assertEqual(list(numbers), [0.0] * 9 + [1.0] + [0.0] * 10)
        for i in (-1, 5):
            with self.assertRaisesRegex(tilec.LaunchError, rf"x\[{i}\] of 5, in program"):
                at[1](memoryview(numbers)[5:10], i)
        self.assertEqual(sum(numbers), 1.0)

    def test_no_source(self):
        names = {"tilec": tilec, "tl": tl}
        exec("@tilec.jit\ndef kernel(x):\n    tl.store(x, 1.0)\n", names)
        advice = r"'kernel' cannot be read: Python keeps no source code of <string>\. Put .* in a file, or .* @tilec\.jit\(source=TEXT\)"
        with self.assertRaisesRegex(tilec.CompilationError, advice):
            names["kernel"][1](floats([1]))

    def test_parameters_that_no_launch_has(self):
        @tilec.jit
        def rest(x, *others):
            tl.store(x, 1.0)

        with self.assertRaisesRegex(tilec.CompilationError, r"\*others"):
            rest[1](floats([1]))

    def test_options(self):
        for name, value in (("num_warps", 3), ("num_warps", 64), ("num_stages", -1), ("maxnreg", 1000)):
            with self.assertRaisesRegex(tilec.ArgumentError, f"{name} is {value}"):
                beyond[1](floats([0] * 8), 7, 16, **{name: value})
        with self.assertRaises(TypeError):
            beyond[1](floats([0] * 8), 7, 16, num_warps=4.0)

    def test_launching(self):
        with self.assertRaises(tilec.LaunchError) as caught:
            beyond[1](floats([0] * 8), 8, 16)
        first = caught.exception.diagnostics[0]
        self.assertIn("x[8] of 8", first.text)
        self.assertEqual((first.file, first.line, first.column), (HERE, line_of("mask=i <= n"), 5))
        self.assertTrue(first.notes)
        self.assertTrue(all(note.severity == "note" for note in first.notes))

    def test_arguments(self):
        with self.assertRaises(tilec.ArgumentError):
            beyond[(2**40,)](floats([0] * 8), 8, 16)
        with self.assertRaises(ValueError):  # as Python's own
            beyond[(2**40,)](floats([0] * 8), 8, 16)

    def test_devices(self):
        with self.assertRaises(tilec.DeviceError):
            tilec.Device("no such device")
        with self.assertRaises(tilec.DeviceError):
            tilec.set_device("gpu")
        self.assertIsNone(tilec.get_device())

    def test_diagnostics_from_raw(self):
        run = ("out of bounds", None, 0, (1, 0, 0), (), None, None)
        raw = [(1, "f.py", 3, 5, 2, "w", 0, None, None), (3, None, 0, 0, 0, "n", 0, None, None), (0, None, 0, 0, 0, "e", 2, "T0301", run)]
        found = tilec._errors.diagnostics(raw)
        self.assertEqual([str(d) for d in found], ["f.py:3:5: warning: w", "error[T0301]: e"])
        self.assertEqual([str(d) for d in found[0].notes], ["note: n"])
        self.assertEqual((found[0].kind, found[0].program), (None, None))
        self.assertEqual((found[1].kind, found[1].buffer, found[1].index, found[1].program, found[1].element), ("out of bounds", None, None, (1, 0, 0), None))

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tilec._errors.warned(
                [(1, HERE, 3, 5, 2, "w", 0, "T1301", None), (3, None, 0, 0, 0, "n", 0, None, None), (0, None, 0, 0, 0, "e", 2, "T0301", None)]
            )
        self.assertEqual([(w.category, w.filename, w.lineno, str(w.message)) for w in caught], [(tilec.TilecWarning, HERE, 3, "[T1301] w\nnote: n")])

    def test_chosen_precision_is_no_warning(self):
        """IEEE by the launch's option, by the environment, and in the kernel."""

        @tilec.jit
        def squared(x):
            i = tl.arange(0, 16)
            at = x + i[:, None] * 16 + i[None, :]
            tl.store(at, tl.dot(tl.load(at), tl.load(at)))

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            squared[(1,)](floats([1] * 256), default_dot_input_precision="ieee")
            with unittest.mock.patch.dict(os.environ, TRITON_F32_DEFAULT="ieee"):
                squared[(1,)](floats([1] * 256), num_warps=2)
            squared[(1,)](floats([1] * 256))

    def test_unknown_assembly_has_the_kernels_line(self):
        @tilec.jit
        def assembled(x):
            v = tl.inline_asm_elementwise("ex3.approx.f32 $0, $1;", "=f,f", [tl.load(x)], dtype=tl.float32, is_pure=True, pack=1)
            tl.store(x, v)

        with self.assertRaises(tilec.DeviceError) as caught:
            assembled[(1,)](floats([1]))
        first = caught.exception.diagnostics[0]
        self.assertEqual((first.code, first.file, first.line), ("T1403", __file__, assembled.fn.__code__.co_firstlineno + 2))
        self.assertIn("'ex3.approx.f32'", first.text)

    def test_static_print(self):
        """It prints once for each compile, to stdout; a checked launch compiles twice."""

        @tilec.jit
        def prints(x, B: tl.constexpr):
            tl.static_print("B is", B, x.dtype)
            tl.static_print("second")
            tl.store(x + tl.arange(0, B), 1.0)

        says = io.StringIO()
        with contextlib.redirect_stdout(says):
            prints[(1,)](floats([0] * 4), B=4)
            prints[(1,)](floats([0] * 4), B=4)
            prints[(1,)](floats([0] * 4), B=2)
            tilec.set_check(True)
            self.addCleanup(tilec.set_check, False)
            prints[(1,)](floats([0] * 4), B=1)
        self.assertEqual(says.getvalue(), "".join(f"B is {b} *fp32\nsecond\n" for b in (4, 2, 1)))


if __name__ == "__main__":
    unittest.main()
