#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs copies.tile and lines.tile on the simulator, in types of 8 to 64 bits, shapes and numbers of warps. Compares its
counters with the optimum: no useless sector, no bank conflict, and as few accesses as vectors of 16 bytes allow.

sweep.py TILEC [PART]: prints what failed and 'N passed, N failed'.
"""
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
BYTES = {"i8": 1, "fp16": 2, "fp32": 4, "i64": 8}
EVERY, SEED = int(os.environ.get("COPIES_EVERY", 1)), int(os.environ.get("COPIES_SEED", 0))  # one launch in EVERY, others by SEED
passed = failed = drawn = 0


def verdict(name, problems):
    global passed, failed
    if problems:
        failed += 1
        print("FAILED", name + ":", "; ".join(problems))
    else:
        passed += 1


def launch(source, kernel, defines, args, warps=4, grid="1"):
    """The counters, or the messages."""
    command = [sys.argv[1], "run", str(HERE / source), "--kernel", kernel, "--device", "sim", "--check", "--stats"]
    command += ["--sim-threads", "1", "--grid", grid, "--num-warps", str(warps)]
    command += [f"-D{key}={value}" for key, value in defines.items()]
    done = subprocess.run(command + args, capture_output=True, text=True)
    lines = (done.stdout + done.stderr).splitlines()
    counters = [line for line in lines if line.startswith("{")]
    return (json.loads(counters[0]), "") if done.returncode == 0 and counters else (None, " ".join(lines[-3:]))


def expect(name, launched, most=None, ideal=("global_sectors", "shared_wavefronts")):
    """Ideal sectors and wavefronts of a launch, which `launched` makes; `most`: bounds of further counters."""
    global drawn
    drawn += 1
    if drawn % EVERY != SEED % EVERY:
        return
    counters, message = launched()
    if counters is None:
        verdict(name, [message])
        return
    problems = []
    for key in ideal:
        if counters[key] != counters[key + "_ideal"]:
            problems.append(f"{key} {counters[key]}, not {counters[key + '_ideal']}")
    for key, bound in (most or {}).items():
        if counters[key] > bound:
            problems.append(f"{key} {counters[key]}, not {bound}")
    verdict(name, problems)


def buffer(name, elem, n):
    return f"{name}={'rand' if elem.startswith('i') else 'randn'}:{elem}[{n}]"


def fewest(elem, n, warps, transposed):
    """Accesses of a copy of n elements by vectors of 16 bytes, or of what a thread has.

    A transposition needs vectors of 2^v elements along both dimensions and in common registers: 2^(v + v / 2) a thread.
    One warp may move narrow types by shuffles, several elements at a time, together with narrower accesses.
    """
    share = n // (32 * warps)
    vector = min(16 // BYTES[elem], share)
    bits = vector.bit_length() - 1
    accesses = 2 * n // vector // 32
    if not transposed:
        return {"global_requests": accesses, "shared_requests": 0}
    if share < 1 << bits + (bits + 1) // 2 or (BYTES[elem] < 4 and warps == 1):
        return {}
    return {"global_requests": accesses, "shared_requests": accesses}


SHAPES = [(32, 32), (64, 64), (128, 32), (32, 128), (128, 128)]


def strides(order, rows, columns):
    return (columns, 1) if order == "row" else (1, rows)


def tiles():
    for elem, (rows, columns), warps in itertools.product(BYTES, SHAPES, (1, 4, 8)):
        n = rows * columns
        data = [buffer("x", elem, n), f"y=empty:{elem}[{n}]"]
        for source, target in itertools.product(("row", "column"), repeat=2):
            best = fewest(elem, n, warps, source != target)
            (sxm, sxn), (sym, syn) = strides(source, rows, columns), strides(target, rows, columns)
            args = data + [f"sxm={sxm}", f"sxn={sxn}", f"sym={sym}", f"syn={syn}"]
            size = dict(BM=rows, BN=columns)
            name = f"{elem} {rows}x{columns}, {warps} warps, {source} to {target}"
            expect("pointers: " + name, lambda: launch("copies.tile", "strided", size, args, warps), best)
            if warps == 4:
                blocks = dict(size, CHECK=source == "row")
                args += [f"M={rows}", f"N={columns}"]
                expect("blocks: " + name, lambda: launch("copies.tile", "blocks", blocks, args, warps), best)
        if warps == 4:
            run = lambda: launch("copies.tile", "transposed", size, data + [f"sx={columns}", f"sy={rows}"], warps)
            expect(f"trans: {elem} {rows}x{columns}", run, fewest(elem, n, warps, True))


def any_size():
    """Tiles of any size from 1 to 300: right in every order of rows and columns; no sector in vain where lines are whole sectors."""
    draw = random.Random(20261126)
    power = lambda n: 1 << (n - 1).bit_length()
    for elem, warps, _ in itertools.product(BYTES, (1, 4, 8), range(2)):
        rows = columns = 300
        while power(rows) * power(columns) > 4096 * warps:
            rows, columns = draw.randint(1, 300), draw.choice([draw.randint(1, 300), 8 * draw.randint(1, 37)])
        n = rows * columns
        data, size = [buffer("x", elem, n), f"y=empty:{elem}[{n}]"], dict(BM=rows, BN=columns)
        name = f"{elem} {rows}x{columns}, {warps} warps"
        for source, target in itertools.product(("row", "column"), repeat=2):
            lines = (columns if source == "row" else rows) * BYTES[elem]
            ideal = ("global_sectors",) if source == target and lines % 32 == 0 else ()
            (sxm, sxn), (sym, syn) = strides(source, rows, columns), strides(target, rows, columns)
            args = data + [f"sxm={sxm}", f"sxn={sxn}", f"sym={sym}", f"syn={syn}"]
            expect(f"pointers: {name}, {source} to {target}", lambda: launch("copies.tile", "strided", size, args, warps), ideal=ideal)
            blocks = dict(size, CHECK=source == "row")
            args += [f"M={rows}", f"N={columns}"]
            expect(f"blocks: {name}, {source} to {target}", lambda: launch("copies.tile", "blocks", blocks, args, warps), ideal=ideal)
        expect(f"trans: {name}", lambda: launch("copies.tile", "transposed", size, data + [f"sx={columns}", f"sy={rows}"], warps), ideal=())


def permuted():
    for elem, warps in itertools.product(BYTES, (1, 8)):
        for kernel, shape in (("cube", (16, 16, 32)), ("tesseract", (8, 8, 16, 16))):
            orders = list(itertools.permutations(range(len(shape))))
            for order in orders if len(shape) == 3 else orders[::5]:
                stride, names, n = {}, "ABCD", 1
                for d in reversed(order):
                    stride[f"t{d}"] = n
                    n *= shape[d]
                size = dict(zip(names, shape), **stride)
                data = [buffer("x", elem, n), f"y=empty:{elem}[{n}]"]
                expect(f"{kernel}: {elem}, {warps} warps, {order}", lambda: launch("copies.tile", kernel, size, data, warps))


def masks():
    """Odd bounds: what is inside moves 16 bytes per lane all the same."""
    for elem, n in itertools.product(BYTES, (4096, 4095, 10001)):
        data = [buffer("x", elem, n), f"y=empty:{elem}[{n}]", f"n={n}"]
        whole, rest = n // 1024, n % 1024
        each = 2 * max(1024 * BYTES[elem] // 512, 4)  # 128 threads have 8 elements each
        most = {"global_requests": whole * each + (2 * 32 if rest else 0)}
        expect(f"flat: {elem}, {n}", lambda: launch("copies.tile", "flat", {"BLOCK": 1024}, data, 4, str(whole + 1)), most)
    for elem, (rows, columns), kernel in itertools.product(BYTES, ((127, 129), (150, 97)), ("masked", "blocks")):
        for source, target in itertools.product(("row", "column"), repeat=2):
            (sxm, sxn), (sym, syn) = strides(source, 256, 256), strides(target, 256, 256)
            data = [buffer("x", elem, 65536), f"y=empty:{elem}[65536]", f"M={rows}", f"N={columns}"]
            data += [f"sxm={sxm}", f"sxn={sxn}", f"sym={sym}", f"syn={syn}"]
            size = {"BM": 64, "BN": 64, **({"CHECK": True} if kernel == "blocks" else {})}
            grid = f"{-(-rows // 64)},{-(-columns // 64)}"
            expect(f"{kernel}: {elem}, {rows}x{columns}, {source} to {target}", lambda: launch("copies.tile", kernel, size, data, 4, grid))


def lines():
    for elem, warps, (rows, columns) in itertools.product(BYTES, (1, 4), ((1, 2048), (64, 64), (16, 256))):
        n = rows * columns
        data, wide = buffer("x", elem, n), "i32" if elem == "i8" else elem
        name, size = f"{elem} {rows}x{columns}, {warps} warps", dict(R=rows, C=columns)
        for kernel, out in (("sums", wide), ("argmaxes", "i32")):
            # A row's result may be the only one in its sector, because rows lie in warps. A warp may store its own at
            # once.
            most = {"global_sectors": n * BYTES[elem] // 32 + rows}
            stores = max(warps, 2) if (elem, rows) == ("fp32", 64) else max(rows, warps)
            most["global_requests"] = max(n * BYTES[elem] // 512, warps) + stores
            # Positive terms: the bound of a sum near zero lets zero pass, and then nothing is compared.
            terms = data.replace("=randn:", "=rand:")
            run = lambda: launch("lines.tile", kernel, size, [terms, f"y=empty:{out}[{rows}]"], warps)
            expect(f"{kernel}: {name}", run, most, ("shared_wavefronts",))
        for kernel in ("scans", "flips"):
            expect(f"{kernel}: {name}", lambda: launch("lines.tile", kernel, size, [data, f"y=empty:{elem}[{n}]"], warps))
        table = [f"index=zeros:{'i32' if warps == 1 else 'i64'}[{rows}]"]
        expect("rows_of: " + name, lambda: launch("lines.tile", "rows_of", size, [data, f"y=empty:{elem}[{n}]"] + table, warps))


def orders():
    """Tuples that commute in effect cost about what a plain sum does for each of their parts; others keep their order."""
    data = ["x=randn:fp32[4096]"]
    size = dict(R=1, C=4096)
    count = lambda kernel, out, **more: launch("lines.tile", kernel, dict(size, **more), data + [f"y=empty:{out}[1]"])[0]["instructions"]
    plain = count("sums", "fp32")
    for name, kernel, out, more, factor in (
        ("argmax", "argmaxes", "i32", {}, 4),
        ("argmax, the larger index", "argmaxes", "i32", {"LEFT": False}, 4),
        ("Welford", "variances", "fp32", {}, 5),
    ):
        instructions = count(kernel, out, **more)
        verdict(name, [f"{instructions} instructions, a sum {plain}"] if instructions > factor * plain else [])
    expect("affine maps", lambda: launch("lines.tile", "affine", size, data + ["y=empty:fp32[1]"]))


PARTS = [tiles, any_size, permuted, masks, lines, orders]
for part in PARTS:
    if len(sys.argv) < 3 or part.__name__ in sys.argv[2:]:
        part()
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
