# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m tilec explain, and --kernel of check and explain."""

import importlib.util
import unittest

import test_main

KINDS = """
import array
import tilec
import tilec.language as tl

SCALE = 3.0

@tilec.jit
def triple(v):
    return v * SCALE

@tilec.jit
def scale(x, y, out, n, factor, skip, pair, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = triple(tl.load(x + i, mask=i < n)) * factor
    if y is not None:
        v += tl.load(y + i, mask=i < n)
    if not skip:
        tl.store(out + i, v + pair[0], mask=i < n)

@tilec.jit
def copy(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i))

x, out = array.array("f", range(1024)), array.array("f", [0.0] * 1024)
for round in range(3):
    scale[lambda meta: (tilec.cdiv(1000, meta["BLOCK"]),)](x, None, out, 1000, 1.5, False, (2.0, 5), BLOCK=256)
scale[(8,)](x, x, out, 1000, 1.5, False, (2.0, 5), BLOCK=128, num_warps=2)
copy[4, 1](x, out, 256)
assert out[1] == 1.0
"""

TUNED = """
import array
import tilec
import tilec.language as tl

@tilec.autotune([tilec.Config({"BLOCK": 64}, num_warps=1), tilec.Config({"BLOCK": 512}, num_warps=2)], key=["n"])
@tilec.jit
def twice(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

x = array.array("f", range(1000))
twice[lambda meta: (tilec.cdiv(1000, meta["BLOCK"]),)](x, 1000)
"""

PRODUCTS = """
import numpy
import tilec
import triton
import triton.language as tl

@triton.jit
def products(a, b, out, steps, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    for k in range(steps):
        tl.store(out + k * N * N + at, tl.dot(tl.load(a + k * N * N + at), tl.load(b + k * N * N + at)))

a, out = numpy.ones((8, 64, 64), numpy.float16), numpy.zeros((8, 64, 64), numpy.float32)
made = [kernel[(1,)](a, a, out, 8, N=64, **given) for kernel in (products, tilec.jit(products.fn)) for given in ({}, {"restrict_pointers": kernel is not products})]
made.insert(1, products.warmup(a, a, out, 8, N=64, grid=(1,)))
print(*(each.asm["ptx"].count("cp.async.cg") for each in made))
"""


class Explain(test_main.Main):
    """Its helper only: the tests of Main run in its own file."""

    def heads(self, result):
        self.assertEqual(result.stderr, "")
        return [line for line in result.stdout.split("\n") if "the first at" in line]

    def test_launches_of_each_configuration(self):
        result = self.run_tilec("explain", "program.py", text=KINDS)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = KINDS.split("\n")
        first, second, third = (next(i + 1 for i, line in enumerate(lines) if text in line) for text in ("scale[lambda", "scale[(8,)]", "copy[4"))
        self.assertEqual(
            self.heads(result),
            [f"scale, 3 launches, the first at program.py:{first}", f"scale, 1 launch, the first at program.py:{second}", f"copy, 1 launch, the first at program.py:{third}"],
        )
        for text in ("scale (program.py) for", "4 programs of 128 threads", "8 programs of 64 threads", "triple(tl.load(x + i, mask=i < n)) * factor"):
            self.assertIn(text, result.stdout)
        self.assertEqual(result.stdout.count("registers     "), 3)
        self.assertNotIn("_tilec_", result.stdout)
        self.assertIn("8192 B from and to memory", " ".join(result.stdout.split()))  # of copy: 1024 elements each way

    def test_a_launch_that_is_not_made(self):
        """kernel.explain: the report as text, and the page as a notebook shows it, of the kernel too."""
        asked = "made = copy.explain(x, out, grid=(4, 1), BLOCK=256, num_warps=2)\nout[0] = 7.0\nprint(made.headline)\n"
        asked += "print(repr(made) == made.text, out[0], copy._repr_html_() == made._repr_html_(), scale._repr_html_())\nprint(made._repr_html_())\n"
        result = self.run_tilec("program.py", text=KINDS + asked)
        self.assertEqual(result.returncode, 0, result.stderr)
        headline, same, page = result.stdout.split("\n", 2)
        self.assertRegex(headline, r"^\d+\.\d us, limited by |^no time is predicted for ")
        self.assertEqual(same, "True 7.0 True None")
        self.assertRegex(page, r'^<iframe srcdoc="&lt;!DOCTYPE html&gt;')
        for text in (headline.replace(">", "&gt;"), "tl.store(out + i, tl.load(x + i))"):
            self.assertIn(text, page)
        self.assertEqual(page.count('"'), 4)  # all of the page's own are escaped
        result = self.run_tilec("program.py", text=KINDS + "copy.explain(x, out, BLOCK=256)\n")
        self.assertEqual(result.returncode, 1)

    def test_one_kernel(self):
        for word in (["--kernel", "copy"], ["--kernel=copy"]):
            result = self.run_tilec("explain", *word, "program.py", text=KINDS)
            self.assertEqual((result.returncode, len(self.heads(result))), (0, 1))
        result = self.run_tilec("explain", "--kernel", "no", "program.py", text=KINDS)
        self.assertEqual((result.returncode, result.stderr), (1, "tilec: no launch was explained: the program launched no kernel 'no'\n"))
        result = self.run_tilec("explain", "program.py", text="pass")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("no kernel of tilec's", result.stderr)

    def test_check_of_one_kernel(self):
        result = self.run_tilec("check", "--kernel", "double", "program.py", "race")
        self.assertEqual((result.returncode, result.stderr), (0, "tilec: 1 launch of 1 kernel checked, nothing wrong was found\n"))
        self.assertEqual(self.run_tilec("check", "--kernel=racing", "program.py", "race").returncode, 1)
        result = self.run_tilec("check", "--kernel", "other", "program.py")
        self.assertEqual(result.stderr, "tilec: no launch was checked: the program launched no kernel 'other'\n")

    def test_a_tuned_kernel_names_its_configuration(self):
        result = self.run_tilec("explain", "program.py", text=TUNED)
        heads = self.heads(result)
        self.assertEqual((result.returncode, len(heads)), (0, 1), result.stdout)
        self.assertRegex(heads[0], r"^twice, 1 launch, the first at program\.py:\d+; configuration BLOCK: 64, num_warps: 1")
        self.assertIn("16 programs of 32 threads", result.stdout)

    def test_a_program_that_fails(self):
        result = self.run_tilec("explain", "program.py", text=KINDS + "raise SystemExit(3)\n")
        self.assertEqual((result.returncode, result.stdout), (3, ""))

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
    def test_pointers_that_do_not_overlap(self):
        """Launches, warmup and explain compile alike, by tilec's own module and with Triton installed."""
        result = self.run_tilec("explain", "program.py", text=PRODUCTS)
        self.assertEqual(result.returncode, 0, result.stderr)
        triton, warm, off, own, on = (int(count) for count in result.stdout.split("\n")[0].split())
        self.assertTrue(triton == warm == on > 0 == off == own, result.stdout)
        times = [float(line.split(" us, ")[0]) for line in result.stdout.split("\n") if " us, limited by" in line]
        self.assertTrue(times[0] == times[3] < times[1] == times[2], times)

    def test_a_reader_that_has_ended(self):
        result = self.run_tilec("explain", "program.py", text=KINDS + "import os\nr, w = os.pipe()\nos.dup2(w, 1)\nos.close(w)\nos.close(r)\n")
        self.assertEqual((result.returncode, result.stderr), (1, ""))

    @unittest.skipUnless(importlib.util.find_spec("triton") and importlib.util.find_spec("numpy"), "Triton or NumPy is not installed")
    def test_tritons_kernels(self):
        result = self.run_tilec("explain", "program.py", text=test_main.TRITON)
        self.assertEqual((result.returncode, len(self.heads(result))), (0, 1), result.stderr)
        self.assertIn("tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)", result.stdout)
        tuned = TUNED.replace("import tilec\n", "import numpy\nimport triton\n").replace("tilec", "triton")
        tuned = tuned.replace('array.array("f", range(1000))', "numpy.ones(1000, numpy.float32)")
        result = self.run_tilec("explain", "program.py", text=tuned)
        self.assertEqual((result.returncode, len(self.heads(result))), (0, 1), result.stdout)
        self.assertIn("; configuration BLOCK: 64, num_warps: 1", result.stdout)


for name in list(vars(test_main.Main)):
    if name.startswith("test_") and name not in vars(Explain):
        setattr(Explain, name, None)
