# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m tilec: programs that are run and checked."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

PROGRAM = """
import array, sys
import tilec
import tilec.language as tl

@tilec.jit
def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

@tilec.jit
def racing(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i % 4, i)  # a race

@tilec.jit
def unread(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.max(tl.load(x + i, mask=i < n), axis=0))  # a warning

@tilec.jit
def show(x):
    tl.device_print("x", tl.load(x))

def main():
    x = array.array("i", range(10))
    double[(3,)](x, 10, 4)
    assert list(x) == [2 * i for i in range(10)], x
    if "race" in sys.argv:
        racing[(2,)](x, 10, 8)
    if "unread" in sys.argv:
        for repeat in range(2):
            unread[(1,)](x, array.array("i", [0]), 10, 16)
    if "caught" in sys.argv:
        try:
            racing[(2,)](x, 10, 8)
        except tilec.LaunchError:
            pass
    if "show" in sys.argv:
        show[(1,)](x)
    print(__name__, *sys.argv[1:])

main()
"""

TRITON = """
import sys
import numpy
import importlib.util
assert importlib.util.find_spec("triton") and "triton" not in sys.modules
import triton
import triton.language as tl

@triton.jit
def copy(x, y, n):
    i = tl.arange(0, 16)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)

x, y = numpy.arange(10, dtype=numpy.int32), numpy.zeros(10, dtype=numpy.int32)
copy[(1,)](x, y, 10)
assert (x == y).all()
"""

LOCK = """
import sys
import numpy
import triton
import triton.language as tl

@triton.jit
def total(x, out, lock, BARRIER: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    part = tl.load(x + tl.program_id(0) * BLOCK + i)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out + i, tl.load(out + i) + part)
    if BARRIER:
        tl.debug_barrier()
    tl.atomic_xchg(lock, 0)

x, out, lock = numpy.ones(1024, numpy.float32), numpy.zeros(256, numpy.float32), numpy.zeros(1, numpy.int32)
total[(4,)](x, out, lock, BARRIER="barrier" in sys.argv, BLOCK=256)
print(out[0])
"""


class Main(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_tilec(self, *words, text=PROGRAM):
        (self.folder / "program.py").write_text(textwrap.dedent(text))
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TILEC_DEVICE": "sim", "TRITON_CACHE_DIR": str(self.folder / "cache")}
        environment["PYTHONPATH"] = os.pathsep.join(p for p in [*sys.path, environment.get("PYTHONPATH", "")] if p)
        command = [sys.executable, "-m", "tilec", *words]
        return subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True, timeout=120 * float(os.environ.get("TILEC_TEST_SLOW", 1)))

    def test_a_program_runs_as_it_is(self):
        result = self.run_tilec("program.py", "a", "b")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "__main__ a b\n", ""))
        result = self.run_tilec("-m", "program", "c")
        self.assertEqual((result.returncode, result.stdout), (0, "__main__ c\n"))

    def test_a_program_that_hides_triton(self):
        """One line that says what to install."""
        hidden = "import sys\nsys.modules['triton'] = None\n"
        for text in ("import triton", "import triton.language as tl", "import tilec.triton"):
            result = self.run_tilec("program.py", text=hidden + text)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertRegex(result.stderr, r"\Atilec: program\.py: .*: pip install triton\n\Z")
        result = self.run_tilec("program.py", text=hidden + "try:\n    import tilec.triton\nexcept ImportError as error:\n    print(error)\n")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_triton_that_is_too_old(self):
        (self.folder / "triton").mkdir()
        (self.folder / "triton/__init__.py").write_text("__version__ = '2.0.0'\n")
        result = self.run_tilec("program.py", text="import triton")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Atilec: tilec compiles the kernels of Triton 3\.6 to 3\.9; this one is 2\.0\.0: .*\n\Z")

    def test_check(self):
        result = self.run_tilec("check", "program.py")
        self.assertEqual((result.returncode, result.stdout), (0, "__main__\n"))
        self.assertEqual(result.stderr, "tilec: 1 launch of 1 kernel checked, nothing wrong was found\n")

    def test_check_finds_what_a_run_does_not(self):
        self.assertEqual(self.run_tilec("program.py", "race").returncode, 0)
        result = self.run_tilec("check", "program.py", "race")
        self.assertEqual(result.returncode, 1)
        line = PROGRAM.split("\n").index("    tl.store(x + i % 4, i)  # a race") + 1
        self.assertRegex(result.stderr, rf"program\.py:{line}:\d+: error\[T\d+\]: .*")
        frames = [text for text in result.stderr.split("\n") if text.startswith("  File ")]
        self.assertTrue(frames and all("program.py" in frame for frame in frames), result.stderr)

    def test_check_counts_errors_that_the_program_catches(self):
        result = self.run_tilec("check", "program.py", "caught")
        self.assertEqual((result.returncode, result.stdout), (1, "__main__ caught\n"))
        self.assertEqual(result.stderr, "tilec: 1 of 2 launches has reports (caught by the program)\n")
        self.assertEqual(self.run_tilec("check", "--kernel", "double", "program.py", "caught").returncode, 0)

    def test_check_prints_once(self):
        run, check = (self.run_tilec(*words, "program.py", "show") for words in ((), ("check",)))
        self.assertEqual(run.stdout, check.stdout)
        self.assertEqual(check.stdout.count("x: "), 1)

    def test_check_warns(self):
        """Of undefined values that are stored, once each; --strict fails on them."""
        line = PROGRAM.split("\n").index("    tl.store(out, tl.max(tl.load(x + i, mask=i < n), axis=0))  # a warning") + 1
        result = self.run_tilec("check", "program.py", "unread")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, rf"program\.py:{line}: TilecWarning: \[T1301\] the value to store in out\[0\] of 1 is undefined")
        self.assertEqual(result.stderr.count("TilecWarning"), 1)
        self.assertTrue(result.stderr.endswith("tilec: 3 launches of 2 kernels checked, 1 warning\n"), result.stderr)
        result = self.run_tilec("check", "--strict", "program.py", "unread")
        self.assertEqual(result.returncode, 1)
        self.assertTrue(result.stderr.endswith("tilec: error[T1405]: --strict: 1 warning at run time\n"), result.stderr)
        self.assertEqual(self.run_tilec("check", "--kernel", "double", "--strict", "program.py", "unread").returncode, 0)

    def test_status(self):
        self.assertEqual(self.run_tilec("program.py", text="raise SystemExit(3)").returncode, 3)
        self.assertEqual(self.run_tilec("program.py", text="raise ValueError('no')").returncode, 1)
        result = self.run_tilec("no_such.py")
        self.assertEqual((result.returncode, result.stderr), (2, "tilec: there is no file no_such.py\n"))
        result = self.run_tilec("--stricter", "program.py")
        self.assertEqual((result.returncode, result.stderr), (2, "tilec: there is no option --stricter: see python -m tilec --help\n"))
        self.assertIn("usage: python -m tilec", self.run_tilec("--help").stdout)
        self.assertEqual(self.run_tilec().returncode, 2)
        self.assertIn("no launch was checked", self.run_tilec("check", "program.py", text="pass").stderr)

    @unittest.skipUnless(importlib.util.find_spec("triton") and importlib.util.find_spec("numpy"), "Triton or NumPy is not installed")
    def test_a_release_that_older_tritons_compile_without_a_barrier(self):
        """tilec's code is right. An installed Triton before 3.9 makes code that races."""
        import triton

        line = LOCK.split("\n").index("    tl.atomic_xchg(lock, 0)") + 1
        older = triton.__version__.startswith(("3.6.", "3.7.", "3.8."))
        result = self.run_tilec("check", "program.py", text=LOCK)
        warned = f"program.py:{line}: TilecWarning: Triton {triton.__version__}, which is installed, puts no barrier" in result.stderr
        self.assertEqual((result.returncode, result.stdout, warned), (0, "4.0\n", older), result.stderr)
        self.assertEqual(self.run_tilec("check", "--strict", "program.py", text=LOCK).returncode, int(older))
        self.assertEqual(self.run_tilec("check", "--strict", "program.py", "barrier", text=LOCK).returncode, 0)
        self.assertNotIn("TilecWarning", self.run_tilec("program.py", text=LOCK).stderr)

    @unittest.skipUnless(importlib.util.find_spec("triton") and importlib.util.find_spec("numpy"), "Triton or NumPy is not installed")
    def test_tritons_kernels(self):
        result = self.run_tilec("check", "program.py", text=TRITON)
        self.assertEqual((result.returncode, result.stderr), (0, "tilec: 1 launch of 1 kernel checked, nothing wrong was found\n"))


if __name__ == "__main__":
    unittest.main()
