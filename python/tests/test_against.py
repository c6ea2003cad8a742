# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m tilec check --against triton: values that differ from those of Triton's own code."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
import numpy as np
import triton
import triton.language as tl

@triton.jit
def scale(x, out, n, alpha, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * alpha, mask=i < n)

@triton.jit
def square(a, b, c, BLOCK: tl.constexpr):
    i, k = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    tl.store(c + i * BLOCK + k, tl.dot(tl.load(a + i * BLOCK + k), tl.load(b + i * BLOCK + k)))

@triton.jit
def overlapping(a, b):
    tl.store(b, tl.load(a))

x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
scale[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, out, 100, 1e-5, BLOCK=64)
a, c = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float16), np.zeros((32, 32), np.float32)
square[(1,)](a, a, c, 32)
overlapping[(1,)](x, x[1:])
"""

# Triton's code is another kernel's: the test changes what it compiles.
WRONG = """
import tilec.triton
original = tilec.triton._compiled_by_triton

def changed(kernel, args, kwargs):
    made = original(kernel, args, kwargs)
    made.asm["ptx"] = made.asm["ptx"].replace("mul.f32", "add.f32")
    return made

tilec.triton._compiled_by_triton = changed
"""


@unittest.skipUnless(importlib.util.find_spec("triton") and importlib.util.find_spec("numpy"), "Triton or NumPy is not installed")
class Against(unittest.TestCase):
    def run_check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "program.py").write_text(text)
            environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TRITON_CACHE_DIR": folder + "/cache"}
            environment["PYTHONPATH"] = os.pathsep.join(p for p in [*sys.path, environment.get("PYTHONPATH", "")] if p)
            command = [sys.executable, "-m", "tilec", "check", "--against", "triton", "program.py"]
            return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=240 * float(os.environ.get("TILEC_TEST_SLOW", 1)))

    def test_the_same(self):
        result = self.run_check(PROGRAM)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("tilec: 2 launches compared with Triton's, none beyond the tolerance\n", result.stderr)
        self.assertIn("tilec: 'overlapping' was not compared: two arguments overlap in part\n", result.stderr)

    def test_another_result(self):
        result = self.run_check(WRONG + PROGRAM)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"program\.py:\d+: tilec and Triton differ in 'scale': \d+ of 100 elements of 'out' beyond 1\.3e-06 relative and 1e-05 absolute; the worst is element \d+: ")
        self.assertIn("2 launches compared with Triton's, 1 beyond the tolerance\n", result.stderr)


if __name__ == "__main__":
    unittest.main()
