#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random loops of two to four accumulators (programs.py) on the simulator and compares all values with NumPy's and the evaluator's.

run.py TILEC FIRST COUNT [--ptxas N] [--check N] [--device D] [--keep FOLDER] [--show] [--wrong] prints failures and 'N passed, N failed'.
--ptxas N: every Nth program is assembled, and ptxas must not serialise a wgmma (messages C75xx); 0: none.
--check N: every Nth runs under all schedules and checkers. --device: sim (default), cuda, eval.
--keep FOLDER: where the program, its inputs and its PTX are left. --show prints the programs and their commands, and runs nothing.
--wrong: changes one of NumPy's values. The test must notice it.
"""
import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import programs


def spec(name, form, p, folder, rows, columns, kind):
    text = f"@{folder}/{name}.npy{kind}"
    return f"{name}=desc({text},block=[{rows},{columns}])" if p.form == "desc" else f"{name}={text}"


def options(p):
    chosen = ["--arch", "sm_90a", "--num-warps", str(p.warps), "--num-stages", str(p.stages), f"--tma={p.tma}",
              f"--warp-specialize={p.specialize}"]
    return chosen + [f"-D{key}={value}" for key, value in (("STEPS", p.steps), ("M", p.m), ("N", p.n), ("K", p.k))]


def arguments(p, values, folder):
    """Writes the inputs; the launch's arguments."""
    a, kind = programs.encode(p.type, values.a)
    b, _ = programs.encode(p.type, values.b)
    start, _ = programs.encode({"fp32": "tf32", "i32": "i8", "fp16": "half"}[p.sum], values.start)
    if p.sum == "i32":
        start = values.start.astype(np.int32)
    np.save(folder / "a.npy", a.reshape(-1, p.k))
    np.save(folder / "b.npy", b.reshape(-1, p.n))
    np.save(folder / "start.npy", start)
    sizes = f"{p.grid * p.tiles * p.rank},{p.m},{p.n}"
    return [spec("a", p.form, p, folder, p.m, p.k, kind), spec("b", p.form, p, folder, p.k, p.n, kind), f"start=@{folder}/start.npy",
            f"c=empty:{p.sum}[{sizes}]", f"steps={p.steps}", f"flag={values.flag}"]


def signature(p):
    elem = {"tf32": "fp32", "half": "fp16"}.get(p.type, p.type)
    ab = f"a=*{elem}:16,b=*{elem}:16"
    if p.form == "desc":
        ab = f"a=tensordesc<{elem}[{p.m}, {p.k}]>:16,b=tensordesc<{elem}[{p.k}, {p.n}]>:16"
    return f"{ab},start=*{p.sum}:16,c=*{p.sum}:16,steps={':1' if p.steps == 1 else 'i32'},flag=i32"


def last_lines(done):
    return " | ".join((done.stdout + done.stderr).strip().splitlines()[-3:])[:600]


class Runner:
    def __init__(self, given, folder):
        self.given, self.folder = given, folder
        self.env = dict(os.environ, TILEC_CACHE="off")
        self.ptxas = shutil.which("ptxas")

    def call(self, *words):
        return subprocess.run(words, capture_output=True, text=True, env=self.env)

    def command(self, p, verb):
        return [self.given.tilec, verb, str(self.folder / "k.py"), "--kernel", "sums", *options(p)]

    def values(self, p, values):
        launch = ["--grid", str(p.grid), *arguments(p, values, self.folder)]
        more = ["--device", self.given.device, "--check", "--save", f"c={self.folder}/c.npy"]
        done = self.call(*self.command(p, "run"), *more, *launch)
        if done.returncode:
            return last_lines(done)
        expected = values.all().reshape(-1)
        if self.given.wrong:
            expected[-1] += 1
        wrong = np.count_nonzero(np.load(self.folder / "c.npy").astype(np.float64).reshape(-1) != expected)
        if wrong:
            return f"{wrong} values differ from NumPy's, and the evaluator has the same"
        return None

    def checked(self, p, values):
        done = self.call(*self.command(p, "check"), "--grid", str(p.grid), *arguments(p, values, self.folder))
        return last_lines(done) if done.returncode else None

    def assembled_well(self, p):
        ptx = str(self.folder / "k.ptx")
        done = self.call(*self.command(p, "compile"), "--signature", signature(p), "-o", ptx)
        if done.returncode:
            return last_lines(done)
        done = self.call(self.ptxas, "-arch", "sm_90a", "-v", ptx, "-o", str(self.folder / "k.cubin"))
        said = [line for line in (done.stdout + done.stderr).splitlines() if "(C7" in line]
        return said[0] if said else last_lines(done) if done.returncode else None

    def run(self, number, p):
        values = programs.Values(p)
        (self.folder / "k.py").write_text(programs.source(p))
        wrong = self.values(p, values)
        if not wrong and self.given.check and number % self.given.check == 0:
            wrong = self.checked(p, values)
        if not wrong and self.ptxas and self.given.ptxas and number % self.given.ptxas == 0:
            wrong = self.assembled_well(p)
        return wrong

    def show(self, p):
        (self.folder / "k.py").write_text(programs.source(p))
        launch = ["--grid", str(p.grid), *arguments(p, programs.Values(p), self.folder)]
        print(programs.source(p))
        print(shlex.join([*self.command(p, "run"), "--device", self.given.device, "--check", *launch]))
        print(shlex.join([*self.command(p, "compile"), "--signature", signature(p)]))


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilec")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--ptxas", type=int, default=1)
    parser.add_argument("--check", type=int, default=6)
    parser.add_argument("--device", default="sim")
    parser.add_argument("--keep")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--wrong", action="store_true")
    return parser.parse_args()


def main():
    given = read_options()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(given.keep or temporary)
        folder.mkdir(exist_ok=True)
        runner = Runner(given, folder)
        for seed in range(given.first, given.first + given.count):
            p = programs.draw(seed)
            if given.show:
                runner.show(p)
                continue
            wrong = runner.run(seed, p)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print(f"FAILED seed {seed}: {wrong}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
