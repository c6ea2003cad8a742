#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random attention-like loops against NumPy: the loop is drawn as a description, from which both the kernel's text and the expected
numbers are made. Nothing of tilec's front end computes the expected numbers.

  attention.py TILEC [--seed N] [--count N] [--directed N/M] [--device LIST] [--ptxas] [--jobs N] [--keep DIR] [--show]

--directed N/M: instead of random programs, every M-th of a fixed list, from the N-th on. Its maxima grow by 0 to 8
(log2) after the first block, for each narrow type and each factor. --device: sim, eval, cuda (default sim,eval).
--ptxas: ptxas takes the kernel, without a message that wgmma is serialised. --keep: kernels and arrays of failed
programs. --show prints the kernels. The last line but one counts the programs whose sums lazy_rescale left relative to
an older maximum. Closes with 'N passed, N failed'."""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

FACTORS = (1, 2.6, 16, 448, 512, 57344)
# By type: mantissa bits, smallest exponent of a normal number, largest number, bias of its 8-bit form.
TYPES = {"fp16": (10, -14, 65504.0), "bf16": (7, -126, 3.3895313892515355e38), "fp8e4nv": (3, -6, 448.0), "fp8e5": (2, -14, 57344.0)}


def rounded(x, name):
    """To the nearest number of the type, to even; fp8 saturates, fp16 and bf16 become infinite."""
    mantissa, least, most = TYPES[name]
    x = np.asarray(x, np.float64)
    with np.errstate(divide="ignore"):
        exponent = np.maximum(np.floor(np.log2(np.abs(x), where=x != 0, out=np.full(x.shape, -1e9))), least)
    step = np.exp2(exponent - mantissa)
    y = np.rint(x / step) * step
    return np.clip(y, -most, most) if name.startswith("fp8") else np.where(np.abs(y) > most, np.copysign(np.inf, y), y)


def encoded(x, name):
    """The array as NumPy stores it: fp16 itself, the others' bits."""
    if name == "fp16":
        return x.astype(np.float16)
    if name == "bf16":
        return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    mantissa, least, _ = TYPES[name]
    size = np.abs(x)
    exponent = np.where(size >= 2.0 ** least, np.floor(np.log2(np.maximum(size, 2.0 ** least))), least - 1)
    normal = exponent >= least
    fraction = np.where(normal, size / np.exp2(exponent) - 1, size / 2.0 ** least) * 2 ** mantissa
    bits = (np.where(normal, exponent - least + 1, 0).astype(int) << mantissa) + np.rint(fraction).astype(int)
    return (bits | np.where(np.signbit(x), 128, 0)).astype(np.uint8)


@dataclass
class Loop:
    """One program. Numbers that the kernel takes at run time are fields as well."""
    narrow: str = "fp16"  # the type of P and the values
    scores: str = "fp16"  # of queries and keys
    arch: str = "sm_90a"
    warps: int = 4
    d: int = 128
    block: int = 32
    growth: tuple = (0, 3)  # of the maximum from block to block, log2
    natural: bool = False  # exp, not exp2
    maximum: str = "plain"
    scale: float = 0.25
    before: list = field(default_factory=lambda: [("const", 1.0)])  # what P is multiplied by before the cast
    after: float = 1.0  # and after it
    sum_of_cast: bool = False
    second: float = 0.0  # the factor of a second sum of P's dots; 0: there is none
    first_total: float = 0.0
    signed: bool = False  # values of both signs
    seed: int = 0

    @property
    def rows(self):
        return 16 * self.warps

    @property
    def keys(self):
        return self.block * (1 + len(self.growth))


def product(loop):
    result = 1.0
    for _, number in loop.before:
        result *= abs(number)
    return result * loop.after


# --- the kernel

def score_lines(loop):
    """Sets s, new_top and x, what the power is taken of."""
    plain = ["new_top = tl.maximum(top, tl.max(s, 1))", "x = s - new_top[:, None]"]
    return {
        "plain": [f"s = s * {loop.scale}", *plain],
        "run": ["s = s * scale", *plain],
        "fused": ["new_top = tl.maximum(top, tl.max(s, 1) * scale)", "x = s * scale - new_top[:, None]"],
        "fused_const": [f"new_top = tl.maximum(top, tl.max(s, 1) * {loop.scale})", f"x = s * {loop.scale} - new_top[:, None]"],
        "floor": [f"s = s * {loop.scale}", "new_top = tl.maximum(top, tl.maximum(tl.max(s, 1), -2.0))", "x = s - new_top[:, None]"],
        "masked": [f"s = s * {loop.scale}", "s = tl.where((rows[:, None] + cols[None, :]) % 5 != 1, s, -1.0e6)", *plain],
        "masked_late": [f"s = s * {loop.scale}", "new_top = tl.maximum(top, tl.max(s, 1))",
                        "s = tl.where((rows[:, None] + cols[None, :]) % 5 != 1, s, float('-inf'))", "x = s - new_top[:, None]"],
        "biased": [f"s = s * {loop.scale}", "new_top = tl.maximum(top, tl.max(s, 1))", "x = (s + 3.0) - new_top[:, None]"],
        "capped": [f"s = 30.0 * libdevice.tanh(s * {loop.scale / 30})", *plain],
    }[loop.maximum]


def power_lines(loop):
    """Sets f, the tile that is cast."""
    lines, value = [], "p"
    for i, (kind, number) in enumerate(loop.before):
        text = {
            "const": f"{value} * {number}",
            "run": f"{value} * factor{i}",
            "keys": f"{value} * tl.load(weight + cols)[None, :] * {number}",
            "where": f"tl.where(cols[None, :] % 3 != 0, {value} * {number}, 0.0)",
            "neg": f"-({value} * {abs(number)})",
            "quotient": f"{value} / {1 / number}",
            "difference": f"{value} * {2 * number} - {value} * {number}",
            "max": f"tl.maximum({value} * {number}, 0.0)",
            "bits": f"({value} * {number}).to(tl.int32, bitcast=True).to(tl.float32, bitcast=True)",
        }[kind]
        lines.append(f"f{i} = {text}")
        value = f"f{i}"
    return [*lines, f"f = {value}"]


def kernel(loop):
    power = "tl.exp" if loop.natural else "tl.exp2"
    turned = loop.narrow.startswith("fp8")
    run = "".join(f", factor{i}" for i, (kind, _) in enumerate(loop.before) if kind == "run")
    values = "v + cols[:, None] + d[None, :] * T" if turned else "v + cols[:, None] * D + d[None, :]"
    cast = "P = f.to(V.dtype)" + (f" * {loop.after}" if loop.after != 1 else "")
    body = [
        "cols = start + tl.arange(0, BLOCK)",
        "s = tl.dot(Q, tl.load(k + cols[None, :] * D + d[:, None]))",
        *score_lines(loop),
        f"p = {power}(x)",
        f"shrink = {power}(top - new_top)",
        f"V = tl.load({values})",
        *power_lines(loop),
        cast,
        f"total = total * shrink + tl.sum({'P.to(tl.float32)' if loop.sum_of_cast else 'p'}, 1)",
        "acc = tl.dot(P, V, acc * shrink[:, None])",
    ]
    if loop.second:
        body += [f"acc2 = acc2 * shrink[:, None] + tl.dot((p * {loop.second}).to(V.dtype), V)"]
    body += ["top = new_top"]
    stores = ["tl.store(out + rows[:, None] * D + d[None, :], acc / total[:, None])", "tl.store(totals + rows, total)",
              "tl.store(tops + rows, top)"]
    if loop.second:
        stores += ["tl.store(out2 + rows[:, None] * D + d[None, :], acc2 / total[:, None])"]
    start = ["rows = tl.arange(0, ROWS)", "d = tl.arange(0, D)", "Q = tl.load(q + rows[:, None] * D + d[None, :])",
             "acc = tl.zeros((ROWS, D), tl.float32)", "acc2 = tl.zeros((ROWS, D), tl.float32)",
             f"total = tl.zeros((ROWS,), tl.float32) + {loop.first_total}", "top = tl.zeros((ROWS,), tl.float32) - float('inf')"]
    head = ["import triton", "import triton.language as tl", "from triton.language.extra import libdevice", "", "", "@triton.jit",
            f"def attend(q, k, v, weight, out, out2, totals, tops, T, scale{run}, D: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr):"]
    lines = [*("    " + line for line in start), "    for start in range(0, T, BLOCK):", *("        " + line for line in body),
             *("    " + line for line in stores)]
    return "\n".join([*head, *lines, ""])


# --- what it is to give

def inputs(loop):
    random_numbers = np.random.default_rng(loop.seed)
    q = random_numbers.normal(size=(loop.rows, loop.d)) * 0.5
    k = random_numbers.normal(size=(loop.keys, loop.d)) * 0.5
    q[:, 0], k[:, 0] = 1, 0
    q[:, loop.d // 2:] = 0  # keeps scores small
    at = 0.0
    for i, more in enumerate(loop.growth):
        at += more * (np.log(2) if loop.natural else 1)
        k[(i + 1) * loop.block:(i + 2) * loop.block, 0] = at / abs(loop.scale)
    v = random_numbers.uniform(0.5, 1.5, (loop.keys, loop.d))
    if loop.signed:
        v *= random_numbers.choice((-1, 1), v.shape)
    weight = random_numbers.uniform(0.5, 1, loop.keys).astype(np.float32)
    return rounded(q, loop.scores), rounded(k, loop.scores), rounded(v, loop.narrow), weight


def scored(loop, s, top, rows, cols):
    """The new maximum, and what the power is taken of."""
    mask = (rows[:, None] + cols[None, :]) % 5 != 1
    if loop.maximum in ("fused", "fused_const"):
        new = np.maximum(top, s.max(1) * loop.scale)
        return new, s * loop.scale - new[:, None]
    s = s * loop.scale
    if loop.maximum == "capped":
        s = 30 * np.tanh(s / 30)
    if loop.maximum == "masked":
        s = np.where(mask, s, -1e6)
    new = np.maximum(top, s.max(1))
    if loop.maximum == "floor":
        new = np.maximum(new, -2.0)
    if loop.maximum == "masked_late":
        s = np.where(mask, s, -np.inf)
    return new, s + (3 if loop.maximum == "biased" else 0) - new[:, None]


def multiplied(loop, p, cols, weight):
    for kind, number in loop.before:
        p = p * (-abs(number) if kind == "neg" else number)
        if kind == "keys":
            p = p * weight[cols][None, :]
        if kind == "where":
            p = np.where(cols[None, :] % 3 != 0, p, 0)
        if kind == "max":
            p = np.maximum(p, 0)
    return p


def cut_off(loop, q, k):
    """How far a GPU's score may be off, by row. A tensor core aligns an instruction's fp8 terms with the largest and cuts them off after 12
    bits, the number that eval/eval_dot.c takes. Here terms have both signs: most of what they lose cancels, but for one unit in 8 terms."""
    most = (np.abs(q) @ np.abs(k).T + np.abs(q @ k.T)) / 2
    step = 2.0 ** (np.floor(np.log2(np.maximum(most, 1e-30))) - 12)
    return step.max(1) * np.ceil(loop.d / 8) * abs(loop.scale)


def expected(loop, q, k, v, weight, device):
    """By name: the numbers, and how far off each may be."""
    power = np.exp if loop.natural else np.exp2
    rows = np.arange(loop.rows)
    total, top = np.full(loop.rows, loop.first_total), np.full(loop.rows, -np.inf)
    sums = {name: np.zeros((loop.rows, loop.d)) for name in ("out", "out2", "size", "size2", "least")}
    for start in range(0, loop.keys, loop.block):
        cols = np.arange(start, start + loop.block)
        new, x = scored(loop, q @ k[cols].T, top, rows, cols)
        p, shrink = power(x), power(top - new)
        cast = rounded(rounded(multiplied(loop, p, cols, weight), loop.narrow) * rounded(loop.after, loop.narrow), loop.narrow)
        total = total * shrink + (cast if loop.sum_of_cast else p).sum(1)
        other = rounded(p * loop.second, loop.narrow)
        new_sums = {"out": cast @ v[cols], "out2": other @ v[cols], "size": np.abs(cast) @ np.abs(v[cols]),
                    "size2": np.abs(other) @ np.abs(v[cols]), "least": np.ones_like(p) @ np.abs(v[cols])}
        for name, value in new_sums.items():
            sums[name] = sums[name] * shrink[:, None] + value
        top = new
    mantissa, least, _ = TYPES[loop.narrow]
    fp8 = loop.narrow.startswith("fp8")
    # P is rounded relative to an older maximum where types have room; in fp8 a tie may fall to the other side.
    relative, smallest = (0.15, 0.0) if fp8 else (3 * 2.0 ** -mantissa, 2.0 ** (least - mantissa))
    smallest *= max(1.0, loop.after)
    by = np.abs(total)[:, None]
    # A score and the maximum may both be off. A quotient of two sums has the maximum in both.
    score = cut_off(loop, q, k) if device == "cuda" and loop.scores.startswith("fp8") else np.zeros(loop.rows)
    off = np.expm1(2 * score * (1 if loop.natural else np.log(2)))
    of_sums = (relative + off)[:, None]
    result = {
        "out": (sums["out"] / total[:, None], of_sums * sums["size"] / by + smallest * sums["least"] / by + 1e-6),
        "tops": (top, 1e-3 + score),
        "totals": (total, ((2 * relative if loop.sum_of_cast else 1e-4) + off) * np.abs(total) + 1e-4 + smallest * loop.keys),
    }
    if loop.second:
        result["out2"] = (sums["out2"] / total[:, None], of_sums * sums["size2"] / by + smallest * sums["least"] / by + 1e-6)
    return result


# --- which ones

def drawn(seed):
    """A random program. Its numbers as written stay within their types."""
    r = random.Random(seed)
    loop = Loop(seed=seed, narrow=r.choice(("fp16", "fp16", "bf16", "fp8e4nv", "fp8e5")))
    loop.scores = r.choice(("fp16", "bf16", loop.narrow))
    fp8 = "fp8" in loop.narrow + loop.scores
    loop.arch = "sm_90a" if fp8 or r.random() < 0.85 else r.choice(("sm_80", "sm_90"))
    loop.warps = r.choice((4, 4, 8))
    loop.d = 128 if loop.warps == 4 else r.choice((64, 128))
    loop.block = r.choice((32, 64) if fp8 else (16, 32, 64))
    loop.growth = tuple(r.choice((0, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, -4)) for _ in range(r.choice((1, 2, 2, 3))))
    loop.natural = r.random() < 0.25
    loop.maximum = r.choice(("plain", "plain", "run", "fused", "fused_const", "floor", "masked", "masked_late", "biased", "capped"))
    loop.signed = r.random() < 0.3
    loop.sum_of_cast = r.random() < 0.15
    loop.first_total = r.choice((0.0, 0.0, 1.0))
    above = 1.0  # what P may be before its factors
    if loop.maximum == "biased":
        above = 8.0 if not loop.natural else 21.0
    if loop.maximum.startswith("fused") and r.random() < 0.4:  # the maximum is the least score's: P is more than 1
        loop.scale = -0.0625
        loop.growth = tuple(r.choice((0, 0.5, 1, 1.5)) for _ in loop.growth)
        above = 2.0 ** 12
    room = TYPES[loop.narrow][2] / above
    kinds = ("const", "const", "run", "keys", "where", "neg", "quotient", "difference", "max", "bits")
    loop.before = [(r.choice(kinds), 1.0) for _ in range(r.choice((1, 1, 1, 2, 3)))]
    if loop.sum_of_cast:
        loop.before = [(kind if kind != "neg" else "const", number) for kind, number in loop.before]
    factor = r.choice([f for f in (*FACTORS, 0.25, 1000) if f * 1.01 <= room] or [0.25])
    at = r.randrange(len(loop.before))
    loop.before[at] = (loop.before[at][0], factor)
    if not loop.narrow.startswith("fp8") and r.random() < 0.2 and factor * 8 < room:
        loop.after = r.choice((2.0, 4.0, 8.0))
    if r.random() < 0.2:
        loop.second = r.choice([f for f in FACTORS if f * 1.01 <= room] or [0.25])
    return loop


def directed():
    """Every narrow type, factor, and growth of the maximum after the first block."""
    for narrow in ("fp8e4nv", "fp8e5", "fp16", "bf16"):
        for factor in FACTORS:
            for growth in range(9):
                yield Loop(narrow=narrow, scores="fp16", block=32, growth=(growth,), before=[("const", float(factor))], seed=growth)


# --- a run

def signature(loop):
    types = {"q": loop.scores, "k": loop.scores, "v": loop.narrow, "weight": "fp32", "out": "fp32", "out2": "fp32", "totals": "fp32", "tops": "fp32"}
    words = [f"{name}=*{kind}:16" for name, kind in types.items()] + ["T=i32:16", "scale=fp32"]
    return ",".join(words + [f"factor{i}=fp32" for i, (kind, _) in enumerate(loop.before) if kind == "run"])


def common(loop):
    return ["kernel.py", "--kernel", "attend", "--arch", loop.arch, "--num-warps", str(loop.warps), "-D", f"D={loop.d}", "-D", f"BLOCK={loop.block}",
            "-D", f"ROWS={loop.rows}"]


def run(tilec, loop, device, folder):
    """The arrays that the launch leaves, by name; "deferred": what the remarks say."""
    shape = f"{loop.rows},{loop.d}"
    kinds = {name: "" if kind == "fp16" else ":" + kind for name, kind in (("s", loop.scores), ("n", loop.narrow))}
    words = [tilec, "run", *common(loop), "--device", device, "--remarks", "--grid", "1", f"q=@q.npy{kinds['s']}", f"k=@k.npy{kinds['s']}", f"v=@v.npy{kinds['n']}",
             "weight=@weight.npy", f"out=empty:fp32[{shape}]", f"out2=zeros:fp32[{shape}]", f"totals=empty:fp32[{loop.rows}]",
             f"tops=empty:fp32[{loop.rows}]", f"T={loop.keys}", f"scale={loop.scale}"]
    words += [f"factor{i}={number}" for i, (kind, number) in enumerate(loop.before) if kind == "run"]
    for name in ("out", "out2", "totals", "tops"):
        words += ["--save", f"{name}={device}_{name}.npy"]
    if device == "cuda":
        words = [word for word in words if word not in ("--arch", loop.arch)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{device}: exit status {done.returncode}: {done.stderr.strip()[-600:]}")
    got = {name: np.load(folder / f"{device}_{name}.npy") for name in ("out", "out2", "totals", "tops")}
    return {**got, "deferred": "grown by a factor of more than" in done.stdout + done.stderr}


def assemble(tilec, loop, folder):
    words = [tilec, *common(loop), "--tma", "on", "--signature", signature(loop), "-o", "kernel.ptx"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"compile: {done.stderr.strip()[-600:]}")
    words = ["ptxas", f"-arch={loop.arch}", "kernel.ptx", "-o", "kernel.cubin"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if done.returncode or "C75" in said:
        raise RuntimeError(f"ptxas: {said.strip()[-600:]}")


def compare(device, got, want):
    for name, (numbers, bound) in want.items():
        if not np.isfinite(numbers).all():
            raise RuntimeError(f"{name}: the program as written is not finite")
        wrong = ~(np.abs(got[name] - numbers) <= bound)
        if wrong.any():
            at = tuple(int(i[0]) for i in np.nonzero(wrong))
            raise RuntimeError(f"{device}: {name}{list(at)} is {got[name][at]:.6g}, wanted {numbers[at]:.6g} within {bound[at]:.2g}; {int(wrong.sum())} of {wrong.size} are wrong")


def attempt(options, loop):
    """The fault, or None; and true if sums were deferred."""
    folder, deferred = Path(tempfile.mkdtemp(dir=options.work)), False
    try:
        (folder / "kernel.py").write_text(kernel(loop), encoding="utf-8")
        q, k, v, weight = inputs(loop)
        stored = {"q": encoded(q, loop.scores), "k": encoded(k, loop.scores), "v": encoded(v.T if loop.narrow.startswith("fp8") else v, loop.narrow), "weight": weight}
        for name, array in stored.items():
            np.save(folder / f"{name}.npy", np.ascontiguousarray(array))
        for device in options.device.split(","):
            got = run(options.tilec, loop, device, folder)
            deferred |= got["deferred"]
            compare(device, got, expected(loop, q, k, v, weight, device))
        if options.ptxas:
            assemble(options.tilec, loop, folder)
    except RuntimeError as problem:
        if options.keep:
            shutil.copytree(folder, Path(options.keep) / f"program-{loop.seed}", dirs_exist_ok=True)
        return str(problem), deferred
    finally:
        shutil.rmtree(folder)
    return None, deferred


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilec", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--directed")
    parser.add_argument("--device", default="sim,eval")
    parser.add_argument("--ptxas", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    loops = [drawn(seed) for seed in range(options.seed, options.seed + options.count)]
    if options.directed:
        first, step = map(int, options.directed.split("/"))
        loops = list(directed())[first::step]
    if options.show:
        for loop in loops:
            print(f"# {loop}\n{kernel(loop)}")
        return 0
    failed = deferred = 0
    with tempfile.TemporaryDirectory() as options.work, ThreadPoolExecutor(options.jobs) as pool:
        for loop, (problem, defers) in zip(loops, pool.map(lambda loop: attempt(options, loop), loops)):
            deferred += defers
            if problem:
                failed += 1
                print(f"{loop}\n  {problem}", flush=True)
    print(f"{deferred} of {len(loops)} deferred")
    print(f"{len(loops) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
