# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m tilec warm: bundles, TILEC_BUNDLE and TILEC_JIT=forbid."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
import array, sys
import tilec
import tilec.language as tl

@tilec.jit
def twice(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

@tilec.jit(do_not_specialize=["n"])
def any_number(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, n, mask=i < n)

def main():
    block = int(sys.argv[1])
    n = int(sys.argv[2])
    x = array.array("i", range(n))
    twice[(tilec.cdiv(n, block),)](x, n, block)
    assert list(x) == [2 * i for i in range(n)], x
    made = any_number[(1,)](x, n, 64)
    print("ok", len(made.asm["ptx"]) > 100)

main()
"""

TRITON = """
import sys
import triton
import triton.language as tl

@triton.jit
def product(a, b, c, n, BLOCK: tl.constexpr):
    i, k = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    tl.store(c + i * n + k, tl.dot(tl.load(a + i * n + k), tl.load(b + i * n + k)))
"""

# Without a GPU: what a launch on one compiles.
COMPILES = TRITON + """
import tilec.triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

spec = {(i,): [["tt.divisibility", 16]] for i in range(4)}
source = ASTSource(product, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {(4,): int(sys.argv[1])}, spec)
made = triton.compile(source, target=GPUTarget("cuda", 90, 32))
print("ok", len(made.asm["cubin"]) > 1000, "bundle" in made.asm["ttir"])
"""

LAUNCHES = TRITON + """
import numpy as np

a, c = np.eye(64, dtype=np.float16), np.zeros((64, 64), np.float32)
product[(1,)](a, a, c, 64, int(sys.argv[1]))
assert (c[:32, :32] == np.eye(32)).all()
"""


class Warm(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_python(self, *words, text=PROGRAM, name="program.py", **given):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TILEC_DEVICE": "sim", "TILEC_CACHE": "off", "TRITON_CACHE_DIR": str(self.folder / "cache")}
        environment.update(TRITON_DEFAULT_FP_FUSION="1", **given)  # unset, Triton 3.9 warns
        environment["PYTHONPATH"] = os.pathsep.join(p for p in [*sys.path, environment.get("PYTHONPATH", "")] if p)
        return subprocess.run([sys.executable, *words], env=environment, cwd=self.folder, capture_output=True, text=True, timeout=240 * float(os.environ.get("TILEC_TEST_SLOW", 1)))

    def serve(self, *words, **given):
        return self.run_python(*words, TILEC_BUNDLE=str(self.folder / "b"), TILEC_JIT="forbid", **given)

    def test_kernels_of_tilec(self):
        made = self.run_python("-m", "tilec", "warm", "-o", "b", "program.py", "32", "40", TILEC_RECORD_CUBINS="off")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertRegex(made.stdout, r"(?s)\Aok True\n.*\tany_number\t.*\ttwice\t.* entries in b\n\Z")
        # A file of that text in another folder, and other values of what is not specialised.
        for words, name in ((("32", "40"), "program.py"), (("32", "40"), "other/moved.py")):
            result = self.serve(name, *words, name=name)
            self.assertEqual((result.stderr, result.stdout), ("", "ok True\n"))
        again = self.run_python("-m", "tilec", "warm", "program.py", "32", "40", "-o", "c", TILEC_RECORD_CUBINS="off")
        self.assertEqual(again.returncode, 0)
        self.assertEqual((self.folder / "b").read_bytes(), (self.folder / "c").read_bytes())

    def test_signatures(self):
        """A bundle of the command: neither the grid nor the text around the kernel is part of it."""
        self.run_python("program.py", "32", "40")
        command = pathlib.Path(importlib.util.find_spec("tilec_command").origin).with_name("tilec")
        kernels = (("twice", "x=*i32:16,n=i32", "BLOCK=32"), ("any_number", "x=*i32:16,n=i32", "BLOCK=64"))
        lines = [f"program.py --kernel {name} --signature {facts} -D {define}\n" for name, facts, define in kernels]
        (self.folder / "k.list").write_text("".join(lines))
        subprocess.run([command, "warm", "k.list", "--cubins", "off", "-o", "b"], cwd=self.folder, check=True, capture_output=True)
        result = self.serve("program.py", "32", "41")
        self.assertEqual((result.stderr, result.stdout), ("", "ok True\n"))

    def test_what_is_forbidden(self):
        self.run_python("-m", "tilec", "warm", "-o", "b", "program.py", "32", "40", TILEC_RECORD_CUBINS="off")
        for words, specialisation in ((("64", "40"), r"n=i32 BLOCK=64"), (("32", "48"), r"n=i32:16 BLOCK=32")):
            result = self.serve("program.py", *words)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, rf"program\.py:7:5: error\[T1007\]: TILEC_JIT=forbid: 'twice' is not in the bundle for this specialisation: x=\*i32:16,{specialisation}, sm_90a?, 4 warps")
        (self.folder / "b").write_bytes((self.folder / "b").read_bytes()[:-1])
        self.assertRegex(self.serve("program.py", "32", "40").stderr, r"TilecError: .*it is truncated")

    def test_an_architecture(self):
        made = self.run_python("-m", "tilec", "warm", "--arch", "sm_80", "-o", "b", "program.py", "32", "40", TILEC_RECORD_CUBINS="off")
        self.assertIn("\ttwice\tsm_80\tptx\t", made.stdout)
        self.assertNotIn("sm_90", made.stdout)

    def test_wrong_use(self):
        for words, text in (((), "name its file with -o"), (("-o", "b", "--arch"), "--arch needs a value")):
            result = self.run_python("-m", "tilec", "warm", *words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(text, result.stderr)
        result = self.run_python("-m", "tilec", "warm", "-o", "b", "program.py", text="raise SystemExit(3)")
        self.assertEqual((result.returncode, result.stderr), (1, "tilec: the program failed: no bundle is written\n"))
        self.assertFalse((self.folder / "b").exists())

    def test_a_server_that_is_stopped(self):
        text = PROGRAM + "import os, signal\nos.kill(os.getpid(), getattr(signal, sys.argv[3]))\n"
        for name in ("SIGTERM", "SIGINT"):
            made = self.run_python("-m", "tilec", "warm", "-o", "b", "program.py", "32", "40", name, text=text, TILEC_RECORD_CUBINS="off")
            self.assertEqual((made.returncode, made.stderr), (0, "tilec: the program was stopped: the bundle has what it compiled until then\n"))
            self.assertIn("ok True\n", self.serve("program.py", "32", "40").stdout)

    @unittest.skipUnless(importlib.util.find_spec("triton") and importlib.util.find_spec("numpy"), "Triton or NumPy is not installed")
    def test_tritons_kernels(self):
        made = self.run_python("-m", "tilec", "warm", "--arch", "sm_90a", "-o", "b", "program.py", "32", text=LAUNCHES)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertIn("\tproduct\tsm_90", made.stdout)
        self.assertIn("\tcubin\n", made.stdout)
        result = self.serve("program.py", "32", text=COMPILES)
        self.assertEqual((result.stderr, result.stdout), ("", "ok True True\n"))
        result = self.serve("program.py", "64", text=COMPILES)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("TritonError", result.stderr)
        self.assertRegex(result.stderr, r"TILEC_JIT=forbid: 'product' is not in the bundle for this specialisation: .*BLOCK=64")
        warms = LAUNCHES.split("product[(1,)]")[0] + "product.warmup(a, a, c, 64, 32, grid=(1,))\n"
        made = self.run_python("-m", "tilec", "warm", "--arch", "sm_90a", "-o", "b", "program.py", "32", text=warms)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        result = self.serve("-m", "tilec", "program.py", "32", text=LAUNCHES)
        self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
