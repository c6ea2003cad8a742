# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choices without a measurement: the tuning lock (TILEC_LOCK) and the model's (TILEC_AUTOTUNE=model), for autotuners."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import tilec_command

PROGRAM = """
import numpy as np
import triton
import triton.language as tl

@triton.autotune([triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((4096, 8), (256, 2), (1024, 4), (64, 1))], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def twice(x, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = None if EVEN else i < n
    tl.store(out + i, tl.load(x + i, mask=mask) * 2, mask=mask)

if __name__ == "__main__":
    n = 4000
    x, out = np.ones(n, np.float32), np.zeros(n, np.float32)
    twice[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
    assert (out == 2).all()
    print(twice.best_config.kwargs["BLOCK"], twice.best_config.num_warps)
"""
TEXTS = [PROGRAM, PROGRAM.replace("triton.language", "tilec.language").replace("import triton\n", "import tilec\n").replace("triton.", "tilec.")]
LOCK = """tilec-lock 1

launch twice sm_90a x=*fp32 out=*fp32 n=i32
values n=4000
text %s
define BLOCK=256
option num_warps=2
option num_stages=3

"""


@unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
class Choices(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, text, **given):
        (self.folder / "program.py").write_text(text)
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TILEC_CACHE": "off", "TRITON_CACHE_DIR": str(self.folder / "cache")}
        environment.update(TRITON_DEFAULT_FP_FUSION="1", **given)  # unset, Triton 3.9 warns
        environment["PYTHONPATH"] = os.pathsep.join(p for p in [*sys.path, environment.get("PYTHONPATH", "")] if p)
        return subprocess.run([sys.executable, "-m", "tilec", "program.py"], env=environment, cwd=self.folder, capture_output=True, text=True, timeout=240 * float(os.environ.get("TILEC_TEST_SLOW", 1)))

    def lock(self):
        """By the command, whose choice is then changed to one that the model does not make."""
        command = os.path.join(os.path.dirname(tilec_command.__file__), "tilec")
        words = ["tune", "program.py", "--model-only", "--lock", "lock", "--grid", "cdiv(n, BLOCK)", "x=ones:fp32[4000]", "out=empty:fp32[4000]", "n=4000"]
        done = subprocess.run([command, *words], cwd=self.folder, env={**os.environ, "TILEC_CACHE": "off"}, capture_output=True, text=True, timeout=240 * float(os.environ.get("TILEC_TEST_SLOW", 1)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        path = self.folder / "lock"
        found = path.read_text()
        digits = found.split("\ntext ")[1][:16]
        path.write_text(LOCK % digits)
        return found

    def test_both_autotuners(self):
        for text in TEXTS:
            with self.subTest(text.split()[3]):
                by_model = self.run_program(text, TILEC_AUTOTUNE="model")
                self.assertEqual(by_model.stderr, "")
                self.assertNotEqual(by_model.stdout, "4096 8\n")
                chosen = dict(line.split()[1].split("=") for line in self.lock().splitlines() if line.startswith(("define ", "option ")))
                self.assertEqual(by_model.stdout, f"{chosen['BLOCK']} {chosen['num_warps']}\n")
                self.assertIn("TILEC_AUTOTUNE=modle: it must be model", self.run_program(text, TILEC_AUTOTUNE="modle").stderr)
                result = self.run_program(text, TILEC_LOCK="lock", TILEC_AUTOTUNE="model")
                self.assertEqual((result.stderr, result.stdout), ("", "256 2\n"))
                result = self.run_program(text + "# changed\n", TILEC_LOCK="lock")
                self.assertRegex(result.stderr, r"program\.py:\d+: TilecWarning: TILEC_LOCK: lock:3: the choice is stale")
                self.assertEqual(result.stdout, "4096 8\n")  # without a GPU the first
                self.refused(text, "BLOCK=256", "BLOCK=2048", r"the choice BLOCK=2048, num_warps=2, num_stages=3 is not used: it is no configuration of")
                self.refused(text, "BLOCK=256", "BLOK=256", r"the choice BLOK=256, num_warps=2, num_stages=3 is not used: it is no configuration of")
                self.refused(text, "num_warps=2", "num_warps=3", r":3: the choice cannot be used")
                pruned = text.replace('key=["n"]', 'key=["n"], prune_configs_by={"early_config_prune": lambda configs, named_args, **kwargs: configs[2:]}')
                (self.folder / "program.py").write_text(pruned)
                self.lock()
                result = self.run_program(pruned, TILEC_LOCK="lock")
                self.assertIn("is not used: it is a configuration that is pruned from 'twice'", result.stderr)

    def refused(self, text, old, new, expected):
        """A choice that is changed by hand to one that cannot be applied."""
        (self.folder / "broken").write_text((self.folder / "lock").read_text().replace(old, new))
        result = self.run_program(text, TILEC_LOCK="broken")
        self.assertRegex(result.stderr, r"program\.py:\d+: TilecWarning: TILEC_LOCK: broken.*" + expected)
        self.assertEqual(result.stdout, "4096 8\n")

    def test_a_lock_that_cannot_be_read(self):
        for text in TEXTS:
            result = self.run_program(text, TILEC_LOCK="none")
            self.assertRegex(result.stderr, r"^\S*program\.py:\d+: TilecWarning: TILEC_LOCK: none: No such file or directory")
            self.assertEqual(result.stderr.count("Warning"), 1)  # also of the launch with its choice
            self.assertEqual((result.returncode, result.stdout), (0, "4096 8\n"))
            result = self.run_program(text, TILEC_LOCK="none", TILEC_JIT="forbid")  # no other choice is allowed
            self.assertRegex(result.stderr, r"(?m)^tilec\S*TilecError: TILEC_LOCK: none: No such file or directory$")

    def test_warmup(self):
        """A choice without a measurement is all that a launch needs."""
        arrays = '[lambda meta: (tilec.cdiv(n, meta["BLOCK"]),)](x, out, n)'
        warm = '.warmup(np.dtype("float32"), out, n, grid=lambda meta: (tilec.cdiv(n, meta["BLOCK"]),))'
        text = TEXTS[1].split("    assert")[0].replace(f"twice{arrays}", f"print(*(made.metadata.num_warps for made in twice{warm}))")
        (self.folder / "program.py").write_text(text)
        self.lock()
        for given, expected in (({}, "8 2 4 1\n"), ({"TILEC_LOCK": "lock"}, "2\n"), ({"TILEC_AUTOTUNE": "model"}, "1\n")):
            result = self.run_program(text, **given)
            self.assertEqual((result.stderr, result.stdout), ("", expected))

    def test_all_ranks_choose_the_same(self):
        """A rank is an argument like others: no entry is of one rank."""
        for text in TEXTS:
            text = text.replace("out, n, BLOCK", "out, rank, n, BLOCK").replace("(x, out, n)", '(x, out, int(os.environ["RANK"]), n)').replace("\nimport", "\nimport os\nimport", 1)
            (self.folder / "program.py").write_text(text)
            command = os.path.join(os.path.dirname(tilec_command.__file__), "tilec")
            words = ["tune", "program.py", "--model-only", "--lock", "lock", "--grid", "cdiv(n, BLOCK)", "x=ones:fp32[4000]", "out=empty:fp32[4000]", "rank=0", "n=4000"]
            subprocess.run([command, *words], cwd=self.folder, env={**os.environ, "TILEC_CACHE": "off"}, check=True, stdout=subprocess.DEVNULL, timeout=240 * float(os.environ.get("TILEC_TEST_SLOW", 1)))
            lock = (self.folder / "lock").read_text()
            (self.folder / "lock").write_text(re.sub(r"(?s)define BLOCK.*", "define BLOCK=1024\noption num_warps=4\noption num_stages=3\n", lock))
            for rank in range(3):
                result = self.run_program(text, TILEC_LOCK="lock", RANK=str(rank))
                self.assertEqual((result.stderr, result.stdout), ("", "1024 4\n"))


if __name__ == "__main__":
    unittest.main()
