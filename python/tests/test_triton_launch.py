# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's kernels launched where there is no GPU, and what TILEC_TRITON=1 does: programs of their own."""

import importlib.util
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

if importlib.util.find_spec("triton") is None or importlib.util.find_spec("numpy") is None:
    raise unittest.SkipTest("Triton or NumPy is not installed")

KERNEL = """
import sys
import numpy as np
import triton
import triton.language as tl

@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i >= 0 if EVEN else i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)

@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0), 0))

x = np.arange(1000, dtype=np.float32)
out = np.zeros_like(x)
"""
LAUNCH = """
for _ in range(2):
    add[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, x, out, 1000)
    assert (out == 2 * x).all() and add.best_config.kwargs == {"BLOCK": 64}
    out[:] = 0
    handle = total[(1,)](x, out, 1000, 1024)
    assert out[0] == x.sum()
"""


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, text, *args, **variables):
        path = self.folder / "program.py"
        path.write_text(textwrap.dedent(text))
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TRITON_CACHE_DIR": str(self.folder / "cache"), **variables}
        environment.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # without it Triton 3.9 warns
        for name in ("TILEC_TRITON", "TILEC_DEVICE", "TILEC_CHECK"):
            if name not in variables:
                environment.pop(name, None)
        places = [str(self.folder), *(p for p in sys.path if p), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(places)
        return subprocess.run([sys.executable, *args, str(path)], env=environment, capture_output=True, text=True, timeout=120 * float(os.environ.get("TILEC_TEST_SLOW", 1)))

    def good(self, result):
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def entry_point(self):
        """The package's, as an installed wheel has it."""
        info = self.folder / "tilec-0.0.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tilec\nVersion: 0.0.0\n")
        (info / "entry_points.txt").write_text("[triton.backends]\ntilec = tilec_triton\n")

    def test_launches_on_the_simulator(self):
        self.good(self.run_program("import tilec.triton\n" + KERNEL + LAUNCH + "assert 'ptx' in handle.asm\n"))

    def test_launches_are_reported(self):
        told = """
        report = tilec.triton.report()
        print([item.kernel for item in report], report.fallbacks, all(item.seconds > 0 for item in report), len(str(report).splitlines()))
        for _ in range(2):
            add[(2,)](x, x, out, 992)  # n is divisible by 16
        print([item.kernel for item in tilec.triton.report()[len(report):]])
        """
        out = self.good(self.run_program("import tilec.triton\n" + KERNEL + LAUNCH + textwrap.dedent(told)))
        self.assertEqual(out, "['add', 'total'] [] True 3\n['add']\n")

    def test_measurements(self):
        """One call, or the host's clock for a function that was taken before; PyTorch is not needed."""
        measures = """
        from triton.testing import do_bench as early
        import tilec.triton
        from triton.testing import do_bench, do_bench_cudagraph
        calls = []
        def call():
            calls.append(total[(1,)](x, out, 1000, 1024))
        found = [do_bench(call), do_bench_cudagraph(call, quantiles=[0.5]), *do_bench(call, quantiles=[0.2, 0.8])]
        print(all(time > 0 for time in found), len(calls), early(call, 1, 1) > 0)
        """
        result = self.run_program(KERNEL + textwrap.dedent(measures))
        self.assertEqual((result.returncode, result.stdout), (0, "True 3 True\n"), result.stderr)
        self.assertRegex(result.stderr, r"program\.py:\d+: TilecWarning: the simulator measures no time: this is how long it took\. 'python -m tilec explain' predicts a GPU's")

    def test_a_variable_is_enough(self):
        self.entry_point()
        self.good(self.run_program(KERNEL + LAUNCH + "assert 'tilec.triton' in sys.modules\n", TILEC_TRITON="1"))

    def test_the_first_launch(self):
        """Arrays of the host are not arguments of Triton's: the launch that loads the drop-in takes them too."""
        self.entry_point()
        first = "total[(1,)](x, out, 1000, 1024)\nassert out[0] == x.sum() and 'tilec.triton' in sys.modules\n"
        self.good(self.run_program(KERNEL + first, TILEC_TRITON="1"))
        self.good(self.run_program(KERNEL + first, TILEC_TRITON="strict"))
        first = "total.warmup(x, out, 1000, 1024, grid=(1,))\nassert 'tilec.triton' in sys.modules\n"
        self.good(self.run_program(KERNEL + first + LAUNCH, TILEC_TRITON="1"))
        wrong = "total[(1,)](x, out, 1000, 1000.5)\n"
        result = self.run_program(KERNEL + wrong, TILEC_TRITON="1")
        self.assertNotIn("failed to specialize", result.stderr)
        self.assertIn("1000.5", result.stderr)

    def test_a_compiled_kernel_has_its_figures(self):
        """Registers, spilled words and shared memory for an occupancy, and a parameter with an option's name."""
        text = """
        @triton.jit
        def softmax(x, out, n, BLOCK: tl.constexpr, num_stages: tl.constexpr):
            i = tl.arange(0, BLOCK)
            e = tl.exp(tl.load(x + i, mask=i < n, other=-float("inf")))
            tl.store(out + i, e / tl.sum(e, 0), mask=i < n)

        made = softmax.warmup(x, out, 1000, BLOCK=1024, num_stages=2, num_warps=8, grid=(1,))
        made._init_handles()
        made[(1, 1, 1)](x / 1000, out, 1000, 1024, 2)
        own = tilec.jit(softmax.fn).warmup(x, out, 1000, 1024, 2, num_warps=8)
        print(abs(out.sum() - 1) < 1e-5, made.n_regs > 8, made.n_spills, made.metadata.shared == own.shared > 0)
        tight = softmax.warmup(x, out, 1000, BLOCK=16384, num_stages=2, maxnreg=32, grid=(1,))
        tight._init_handles()
        print(tight.n_regs, tight.n_spills > 100)
        """
        out = self.good(self.run_program("import tilec.triton\n" + KERNEL + textwrap.dedent(text)))
        self.assertEqual(out, "True True 0 True\n32 True\n")

    def test_names_of_target_info(self):
        text = """
        from triton.language.target_info import cuda_capability_geq, is_cuda as on_cuda

        @triton.jit
        def capability(out):
            if cuda_capability_geq(10, 0):
                tl.store(out, 1.0)
            elif on_cuda():
                tl.store(out, 2.0)

        capability[(1,)](out)
        assert out[0] == 2
        """
        self.good(self.run_program("import tilec.triton\n" + KERNEL + textwrap.dedent(text), TILEC_TRITON="strict"))

    def test_descriptors_that_round(self):
        text = """
        import numpy as np
        from triton.tools.tensor_descriptor import TensorDescriptor

        @triton.jit
        def of(d, out):
            tl.store(out + tl.arange(0, 4), d.load([0]))

        of_words = np.array([0x3F800FFF, 0x3F801000, 0x3F803000, 0xFF800000], np.uint32).view(np.float32)
        t = TensorDescriptor.__new__(TensorDescriptor)
        t.base, t.shape, t.strides, t.block_shape, t.padding = of_words, [4], [1], [4], "zero"
        got = np.zeros(4, np.float32)
        for rounds, last in ((False, of_words), (True, np.array([0x3F800000, 0x3F800000, 0x3F804000, 0xFF800000], np.uint32).view(np.float32))):
            t.round_f32_to_tf32 = rounds
            of[(1,)](t, got)
            assert (got == last).all(), (rounds, got.view(np.uint32))
        t.base = np.zeros(4, np.int32)
        try:
            of[(1,)](t, got)
        except Exception as error:
            print(error)
        """
        out = self.good(self.run_program("import tilec.triton\n" + KERNEL + textwrap.dedent(text)))
        self.assertIn("only fp32 is rounded to tf32, not i32", out)

    def test_what_3_9_has(self):
        if not hasattr(importlib.import_module("triton.language"), "atomic_poll"):
            self.skipTest("it is an older Triton")
        text = """
        import numpy as np

        @triton.jit
        def flags(x, done, out):
            i = tl.arange(0, 8)
            pid = tl.program_id(0)
            if pid == 0:
                tl.atomic_store(x + i, i * 2)
                tl.debug_barrier()
                tl.atomic_store(done, 1)
                tl.store(out + 8 + i, tl.atomic_poll(x + i, 4, sem="relaxed", timeout_ns=1000).to(tl.int32))
            else:
                found = tl.atomic_poll(done, 1)
                tl.store(out + i, tl.atomic_load(x + i) + found.to(tl.int32))

        got = np.zeros(16, np.int32)
        flags[(2,)](np.zeros(8, np.int32), np.zeros(1, np.int32), got)
        assert list(got[:8]) == [1, 3, 5, 7, 9, 11, 13, 15], got
        assert list(got[8:]) == [0, 0, 1, 0, 0, 0, 0, 0], got

        @triton.jit
        def values(x, k, out, ints):
            i = tl.arange(0, 8)
            v = tl.load(x + i)
            w = tl.squeeze(tl.unsqueeze(v, 0), 0) + tl.to_tensor(1.0)
            tl.store(out + i, tl.fdiv(v, w, approx=True))
            tl.store(out + 8 + tl.arange(0, 2), tl.topk(v, 2, descending=False))
            tl.store(out + 10 + i, tl.expect_zero(v, v > 100.0))
            tl.store(out + 18 + tl.arange(0, 16), tl.cat(v, w, dim=0))
            tl.store(ints + i, tl.clamp(tl.load(k + i), -2, 3))
            tl.store(ints + 8 + i, tl.cumprod(tl.load(k + i), dtype=tl.int32))

        v, k = np.array([5, 3, 8, 1, 2, 9, 4, 7], np.float32), np.array([5, -3, 2, 1, -7, 2, 3, 2], np.int8)
        got, ints = np.zeros(34, np.float32), np.zeros(16, np.int32)
        values[(1,)](v, k, got, ints)
        assert np.allclose(got[:8], v / (v + 1), rtol=1e-6)
        assert list(got[8:10]) == [1, 2] and (got[10:18] == v).all() and (got[18:] == np.concatenate([v, v + 1])).all()
        assert (ints[:8] == np.clip(k, -2, 3)).all() and (ints[8:] == np.cumprod(k.astype(np.int32))).all()
        """
        self.good(self.run_program("import tilec.triton\n" + KERNEL + textwrap.dedent(text), TILEC_TRITON="strict"))

    def test_block_pointers(self):
        kernels = {
            "b = tl.make_block_ptr(x, [1000], [1], [0], [4], [0])\n    tl.store(out + tl.arange(0, 4), tl.load(tl.advance(b, [4])))": "Block pointers have been removed",
            "tl.store(out + tl.arange(0, 4), tl.load(x + 4 + tl.arange(0, 4), boundary_check=()))": "boundary_check",
        }
        for body, gone in kernels.items():
            text = f"\n@triton.jit\ndef blocks(x, out):\n    {body}\n\nblocks[(1,)](x, out)\nassert list(out[:4]) == [4, 5, 6, 7]\n"
            program = "import tilec.triton\n" + KERNEL + text
            if "boundary_check" in inspect.signature(importlib.import_module("triton.language").load).parameters:
                self.good(self.run_program(program))
                continue
            result = self.run_program(program)
            self.assertEqual(result.returncode, 1)
            self.assertIn(gone, result.stderr)

    def test_without_it_triton_is_left_alone(self):
        self.entry_point()
        self.good(self.run_program(KERNEL + "assert 'tilec' not in sys.modules\n"))
        result = self.run_program(KERNEL + LAUNCH)
        self.assertIn("0 active drivers", result.stderr)

    def test_what_a_kernel_does_wrong(self):
        wrong = "total[(1,)](x, out, 2000, 2048)  # reads beyond x\n"
        result = self.run_program("import tilec.triton\n" + KERNEL + wrong)
        self.assertEqual(result.returncode, 1)
        line = (("import tilec.triton\n" + KERNEL).split("\n")).index("    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0), 0))") + 1
        self.assertRegex(result.stderr, rf"program\.py:{line}:\d+: error\[T\d+\]: .*out of bounds")

    def test_what_both_refuse_is_reported_once(self):
        result = self.run_program("import tilec.triton\n" + KERNEL.replace("tl.sum(", "tl.som(") + "total[(1,)](x, out, 1000, 1024)\n")
        self.assertEqual(result.stderr.count("error[T"), 1)
        last = r".*\ntilec: \S*program\.py:\d+:\d+: error\[T0201\]" if sys.version_info >= (3, 11) else ""
        self.assertRegex(result.stderr, r"(?s)tl\.som.*\n(triton\.|AttributeError)" + last)


if __name__ == "__main__":
    unittest.main()
