#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random loops that add up, or find an extreme of, tiles against NumPy: terms that cancel within an iteration, large, small and tiny ones.
Each program is finite as written. Nothing of tilec's front end computes the expected numbers.

  sums.py TILEC [--seed N] [--count N] [--device LIST] [--ptxas] [--jobs N] [--keep DIR] [--show]

--device: sim, eval, cuda (default sim,eval). --ptxas: ptxas takes the kernel. --keep: kernels and arrays of failed programs. --show prints
the kernels. The last line but one counts the programs with a sum that accumulate combined after the loop. Closes with 'N passed, N failed'."""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FLOATS = {"fp16": (11, 65504.0), "bf16": (8, 3.3e38), "fp32": (24, 3.3e38), "fp64": (53, 1.7e308)}
LARGE = {"fp16": 20000.0, "bf16": 1.2e38, "fp32": 1.2e38, "fp64": 6e307}
INTS = {"i32": np.int32, "i16": np.int16, "i64": np.int64}
TERMS = {  # text, and what it computes; large: it may have large operands
    "x": ("x", lambda x, y, w: x),
    "neg": ("-x", lambda x, y, w: -x),
    "difference": ("x - y", lambda x, y, w: x - y),
    "product": ("x * y", lambda x, y, w: x * y),
    "weighted": ("x * w{spread}", lambda x, y, w: x * w),
    "square": ("x * x", lambda x, y, w: x * x),
    "deviation": ("(x - 0.5) * (x - 0.5)", lambda x, y, w: (x - 0.5) * (x - 0.5)),
    "where": ("tl.where(y > 0, x, 0.0)", lambda x, y, w: np.where(y > 0, x, 0)),
    "abs": ("tl.abs(x)", lambda x, y, w: np.abs(x)),
}


@dataclass
class Sums:
    """One program: its loop has one or two results."""
    elem: str = "fp32"
    rows: int = 0  # 0: a scalar is added up
    block: int = 128
    trips: int = 8
    tail: int = 0  # elements of a last iteration under a mask
    axis: int = 1
    warps: int = 4
    arch: str = "sm_90a"
    kinds: tuple = (("sum", "x"),)
    data: str = "cancel"
    first: float = 0.0
    seed: int = 0

    @property
    def n(self):
        return self.block * self.trips + self.tail


def as_type(x, elem):
    if elem == "bf16":
        bits = np.asarray(x, np.float32).view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32).astype(np.float64)
    return np.asarray(x).astype({"fp16": np.float16, "fp32": np.float32, "fp64": np.float64}.get(elem, INTS.get(elem)))


def inputs(sums):
    """x and y, a row a result, and w, along what is added up."""
    r = np.random.default_rng(sums.seed)
    shape = (max(sums.rows, 1), sums.n)
    if sums.elem in INTS:
        least, most = np.iinfo(INTS[sums.elem]).min, np.iinfo(INTS[sums.elem]).max
        return tuple(r.integers(least, most, s, INTS[sums.elem], endpoint=True) for s in (shape, shape, shape[1:]))
    sizes = {"cancel": LARGE[sums.elem], "cancel_less": LARGE[sums.elem] / 4, "small": 1.0, "tiny": 2.0**-20 if sums.elem == "fp16" else 1e-37}
    x = r.uniform(0.9, 1, shape) * sizes[sums.data] if sums.data != "small" else r.normal(size=shape)
    if sums.data.startswith("cancel"):
        x[:, 1::2] = -x[:, 0:sums.n - 1:2]
        if sums.n % 2:
            x[:, -1] = 1
    y, w = r.normal(size=shape), r.uniform(0.5, 1, sums.n)
    w[1::2] = w[0:sums.n - 1:2]  # terms that cancel keep doing so
    y[:, 1::2] = np.abs(y[:, 0:sums.n - 1:2])
    y[:, 0:sums.n - 1:2] = y[:, 1::2]
    return tuple(as_type(a, sums.elem).astype(np.float64) for a in (x, np.clip(y, 0.01, 1), w))


def kernel(sums):
    zero = "0" if sums.elem in INTS else "0.0"
    masked, two = sums.tail > 0, sums.rows > 0
    place = "s + i"
    if two:  # rows along the first dimension where axis is 1, else along the second
        place = "r[:, None] * n + s + i[None, :]" if sums.axis == 1 else "r[None, :] * n + s + i[:, None]"
    mask = "s + i" + ("" if not two else "[None, :]" if sums.axis == 1 else "[:, None]") + " < n"
    other = f", mask={mask}, other={zero}" if masked else ""
    spread = "" if not two else "[None, :]" if sums.axis == 1 else "[:, None]"
    lines = ["import triton", "import triton.language as tl", "", "", "@triton.jit",
             "def add(x_ptr, y_ptr, w_ptr, out, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):", "    i = tl.arange(0, BLOCK)"]
    lines += ["    r = tl.arange(0, ROWS)"] if two else []
    at = "out + r" if two else "out"
    lines += [f"    t{k} = tl.load({at} + {k * max(sums.rows, 1)})" for k in range(len(sums.kinds))]
    lines += ["    for s in range(0, n, BLOCK):", f"        x = tl.load(x_ptr + {place}{other})"]
    used = " ".join(TERMS[term][0] for _, term in sums.kinds)
    if "y" in used:
        lines += [f"        y = tl.load(y_ptr + {place}{other})"]
    if "w{" in used:
        lines += [f"        w = tl.load(w_ptr + s + i{', mask=s + i < n, other=' + zero if masked else ''})"]
    axis = sums.axis if two else 0
    for k, (kind, term) in enumerate(sums.kinds):
        text = TERMS[term][0].replace("{spread}", spread)
        if kind in ("max", "min"):
            lines += [f"        t{k} = tl.{kind}imum(t{k}, tl.{kind}({text}, {axis})).to(out.dtype.element_ty)"]
        else:
            lines += [f"        t{k} {'^' if kind == 'xor' else '+'}= tl.{'xor_sum' if kind == 'xor' else 'sum'}({text}, {axis}).to(out.dtype.element_ty)"]
    lines += [f"    tl.store({at} + {k * max(sums.rows, 1)}, t{k})" for k in range(len(sums.kinds))]
    return "\n".join([*lines, ""])


def expected(sums, x, y, w):
    """The numbers, and how far off each may be."""
    rows = max(sums.rows, 1)
    numbers, bounds = [], []
    missing = -sums.n % sums.block  # masked elements are 0
    x, y, w = (np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, missing)]) for a in (x, y, w))
    for kind, term in sums.kinds:
        terms = TERMS[term][1](x, y, w)
        if sums.elem in INTS:
            first = INTS[sums.elem](sums.first)
            by = {"sum": np.add, "max": np.maximum, "min": np.minimum, "xor": np.bitwise_xor}[kind]
            numbers.append(by(by.reduce(terms, 1, dtype=INTS[sums.elem]), first))
            bounds.append(np.zeros(rows))
            continue
        mantissa, _ = FLOATS[sums.elem]
        if kind in ("max", "min"):
            by = np.maximum if kind == "max" else np.minimum
            numbers.append(by(by.reduce(terms, 1), sums.first))
            bounds.append(np.abs(numbers[-1]) * 2.0 ** (1 - mantissa))
            continue
        numbers.append((terms / 16).sum(1) * 16 + sums.first)
        with np.errstate(over="ignore"):
            size = np.abs(terms).sum(1)
        least = {"fp16": 2.0**-24, "fp64": 0.0}.get(sums.elem, 2.0**-138)
        bounds.append((size + abs(sums.first)) * 2.0 ** (1 - mantissa) * (12 if sums.elem in ("fp16", "bf16") else 4) + least * sums.n)
    return np.concatenate(numbers), np.concatenate(bounds)


def drawn(seed):
    r = random.Random(seed)
    sums = Sums(seed=seed, elem=r.choice(("fp16", "bf16", "fp32", "fp32", "fp32", "fp64", "i32", "i64", "i16")), arch=r.choice(("sm_90a", "sm_90a", "sm_80")))
    sums.rows = r.choice((0, 0, 4, 16))
    sums.block = r.choice((32, 64, 128, 256, 512) if not sums.rows else (16, 32, 64, 128))
    sums.trips, sums.warps, sums.axis = r.choice((0, 1, 2, 3, 7, 8, 13, 16)), r.choice((1, 2, 4, 8)), r.choice((0, 1))
    sums.tail = r.choice((0, 0, 2 * r.randrange(1, sums.block // 2)))
    sums.trips += not sums.trips + sums.tail
    sums.data = r.choice(("cancel", "cancel", "cancel_less", "small", "tiny"))
    size = 8 if sums.elem == "fp64" else 4
    if max(sums.rows, 1) * sums.block * size > 16 * 32 * sums.warps and sums.data.startswith("cancel"):
        sums.data = "small"  # such tiles may be reduced in each iteration, in any order
    sums.first = r.choice((0.0, 1.0, -3.0))
    if sums.elem in INTS:
        sums.kinds = tuple((r.choice(("sum", "max", "min", "xor")), "x") for _ in range(r.choice((1, 2))))
        return sums
    terms = ["x", "x", "neg", "weighted", "difference", "where"]
    if sums.data == "small":
        terms += ["product", "square", "deviation", "abs"]
    kinds = [(r.choice(("sum", "sum", "sum", "max", "min")), r.choice(terms)) for _ in range(r.choice((1, 1, 2)))]
    sums.kinds = tuple((kind, "x" if kind in ("max", "min") else term) for kind, term in kinds)
    if sums.data.startswith("cancel") and sums.elem == "fp32" and r.random() < 0.3:
        sums.first = r.choice((3e38, -3e38))
    return sums


def encoded(x, elem):
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) if elem == "bf16" else as_type(x, elem)


def common(sums):
    return ["kernel.py", "--kernel", "add", "--num-warps", str(sums.warps), "-D", f"BLOCK={sums.block}", "-D", f"ROWS={max(sums.rows, 1)}"]


def run(tilec, sums, device, folder):
    kind = ":bf16" if sums.elem == "bf16" else ""
    words = [tilec, "run", *common(sums), "--device", device, "--remarks", "--grid", "1", *(f"{a}_ptr=@{a}.npy{kind}" for a in "xyw"),
             f"out=@first.npy{kind}", f"n={sums.n}", "--save", f"out={device}.npy"]
    words += [] if device == "cuda" else ["--arch", sums.arch]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{device}: exit status {done.returncode}: {done.stderr.strip()[-600:]}")
    got = np.load(folder / f"{device}.npy")
    if sums.elem == "bf16":
        got = (got.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return got, "reduced across threads once" in done.stdout + done.stderr


def assemble(tilec, sums, folder):
    words = [tilec, *common(sums), "--arch", sums.arch, "--signature", f"x_ptr=*{sums.elem}:16,y_ptr=*{sums.elem}:16,w_ptr=*{sums.elem}:16,out=*{sums.elem}:16,n=i32:16",
             "-o", "kernel.ptx"]
    for command in (words, ["ptxas", f"-arch={sums.arch}", "kernel.ptx", "-o", "kernel.cubin"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {(done.stdout + done.stderr).strip()[-600:]}")


def attempt(options, sums):
    """The fault, or None; and true if a sum was combined after the loop."""
    folder, sunk = Path(tempfile.mkdtemp(dir=options.work)), False
    try:
        (folder / "kernel.py").write_text(kernel(sums), encoding="utf-8")
        x, y, w = inputs(sums)
        numbers, bounds = expected(sums, x, y, w)
        for name, array in (("x", x), ("y", y), ("w", w), ("first", np.full(numbers.shape, sums.first))):
            np.save(folder / f"{name}.npy", np.ascontiguousarray(encoded(array, sums.elem)))
        for device in options.device.split(","):
            got, sinks = run(options.tilec, sums, device, folder)
            sunk |= sinks
            wrong = ~(np.abs(got - numbers) <= bounds) if sums.elem not in INTS else got != numbers
            if wrong.any():
                at = int(np.nonzero(wrong)[0][0])
                raise RuntimeError(f"{device}: element {at} is {got[at]}, wanted {numbers[at]} within {bounds[at]:.3g}")
        if options.ptxas:
            assemble(options.tilec, sums, folder)
    except RuntimeError as problem:
        if options.keep:
            shutil.copytree(folder, Path(options.keep) / f"program-{sums.seed}", dirs_exist_ok=True)
        return str(problem), sunk
    finally:
        shutil.rmtree(folder)
    return None, sunk


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilec", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--device", default="sim,eval")
    parser.add_argument("--ptxas", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    programs = [drawn(seed) for seed in range(options.seed, options.seed + options.count)]
    if options.show:
        for sums in programs:
            print(f"# {sums}\n{kernel(sums)}")
        return 0
    failed = sunk = 0
    with tempfile.TemporaryDirectory() as options.work, ThreadPoolExecutor(options.jobs) as pool:
        for sums, (problem, sinks) in zip(programs, pool.map(lambda sums: attempt(options, sums), programs)):
            sunk += sinks
            if problem:
                failed += 1
                print(f"{sums}\n  {problem}", flush=True)
    print(f"{sunk} of {len(programs)} combined after the loop")
    print(f"{len(programs) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
