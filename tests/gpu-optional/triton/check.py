# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles kernels.py with Triton for sm_80 and sm_90a. Runs the PTX on the simulator under every schedule, without and
# with checkers. Compares with NumPy in float64. Closes with 'N passed, N failed'.
#   check.py LIBTILEC.SO [FOLDER FOR PTX] [PATTERN]
import itertools
import os
import re
import struct
import sys
import time

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import cases
import simulator

TCGEN05_FENCE = "tcgen05.fence::" # in a report: the fence that is missing
TARGETS = {"sm_80": 80, "sm_90a": 90, "sm_100a": 100}


# A call would specialise on these: pointers and numbers that are divisible by 16.
def specialise(case):
    attributes, signature, constants = {}, {}, {}
    for i, (name, value) in enumerate(case.arguments.items()):
        if isinstance(value, cases.Constant):
            signature[name], constants[(i,)] = "constexpr", value.value
        else:
            signature[name] = case.types[name]
            whole = isinstance(value, int) and value % 16 == 0
            if signature[name].startswith("*") or whole:
                attributes[(i,)] = [["tt.divisibility", 16]]
    return ASTSource(case.kernel, signature, constants, attributes)


def compile_case(case, capability):
    return triton.compile(specialise(case), target=GPUTarget("cuda", capability, 32),
                          options={"num_warps": case.warps, "num_stages": case.stages})


def number(kind, value):
    formats = {"i32": "<i", "i64": "<q", "fp32": "<f"}
    return struct.pack(formats[kind], value)


# Triton 3.6 passes a descriptor as a map, its extents and its strides if there is TMA. Otherwise it passes a pointer,
# extents, strides and a flag, then extents and strides again.
def descriptor(sim, address, array, meta):
    rows, columns = array.shape
    extents, strides = struct.pack("<ii", rows, columns), struct.pack("<qq", columns, 1)
    if meta is None:
        flat = struct.pack("<qqqq", rows, columns, columns, 1)
        parts = [struct.pack("<Q", address), *[flat[i:i + 8] for i in range(0, 32, 8)], b"\0"]
    else:
        box = list(reversed(meta["block_size"]))
        kind = {8: 10, 9: 8, 10: 9}.get(meta["elem_type"], meta["elem_type"])
        parts = [sim.tensor_map(kind, address, [columns, rows], [columns * array.itemsize], box, meta["swizzle"])]
    return parts + [extents[:4], extents[4:], strides[:8], strides[8:]]


def parameters(sim, case, compiled, arrays, sizes):
    params, bound = [], {}
    metas = list(getattr(compiled.metadata, "tensordesc_meta", None) or [])
    for name, value in case.arguments.items():
        if isinstance(value, cases.Constant):
            continue
        kind = case.types[name]
        if name in arrays:
            bound[name] = sim.bind(arrays[name])
        if kind.startswith("tensordesc"):
            params += descriptor(sim, bound[name], arrays[name], metas.pop(0) if metas else None)
        elif name in arrays:
            params.append(struct.pack("<Q", bound[name]))
        else:
            params.append(number(kind, value))
    blocks = case.grid[0] * case.grid[1]
    scratch = getattr(compiled.metadata, "global_scratch_size", 0) or 0
    hidden = [sim.alloc(scratch * blocks) if scratch else 0, 0] # scratch memory; the profiler's
    params += [struct.pack("<Q", address) for address in hidden]
    if [len(p) for p in params] != sizes:
        raise simulator.Error(f"parameters of {[len(p) for p in params]} bytes, the PTX has {sizes}")
    return params


# With the fences of tcgen05 that Triton 3.9 leaves out: after each wait::ld and wait::st, and before each ld, st and mma.
def with_fences(ptx):
    waits = re.sub(r"(tcgen05\.wait::[^;]*;)", r"\1\n\ttcgen05.fence::before_thread_sync;", ptx)
    return re.sub(r"^(\s*)((?:@!?%\w+ )?tcgen05\.(?:ld|st|mma)\.)", r"\1tcgen05.fence::after_thread_sync;\n\1\2",
                  waits, flags=re.M)


# Runs the PTX: the arrays as it leaves them, what was reported, warp instructions and seconds.
def run(library, case, compiled, ptx, schedule, checks):
    arrays = {name: value.copy() for name, value in case.arguments.items() if hasattr(value, "dtype")}
    sim = simulator.Simulator(library, schedule, checks)
    try:
        kernel, sizes = sim.load(ptx)
        threads = int(re.search(r"\.reqntid (\d+)", ptx).group(1))
        params = parameters(sim, case, compiled, arrays, sizes)
        start = time.perf_counter()
        reports = sim.launch(kernel, (*case.grid, 1), threads, compiled.metadata.shared, params)
        return arrays, reports, sim.counters().instructions, time.perf_counter() - start
    finally:
        sim.close()


# With a fence where Triton 3.6 leaves it out, between waiting for cp.async and the barrier before wgmma.
def mended(ptx):
    return re.sub(r"(cp\.async\.wait_group[^;]*;)", r"\1\n\tfence.proxy.async.shared::cta;", ptx)


# known: what reports say, each once at least; there must be no others.
def check_run(library, case, compiled, ptx, schedule, checks, known):
    arrays, reports, instructions, spent = run(library, case, compiled, ptx, schedule, checks)
    case.compare(arrays)
    others = [report for report in reports if not any(part in report for part in known)]
    assert not others, f"{len(reports)} reports" + "".join("\n    " + line for line in others[:5])
    missing = [part for part in known if not any(part in report for report in reports)]
    assert not missing, f"no report says '{missing[0]}'"
    return f"{instructions} warp instructions, {instructions / spent / 1e6:.1f} M/s"


# (words, text, checks, what reports say)
def variants(ptx, known):
    rows = [("", ptx, 0, ()), (" checked", ptx, 1, known)]
    if known == cases.UNFENCED:
        rows.append((" fenced, checked", mended(ptx), 1, ()))
    if TCGEN05_FENCE in known:
        rows.append((" fenced, checked", with_fences(ptx), 1, tuple(part for part in known if part != TCGEN05_FENCE)))
    return rows


def check(library, case, target, folder):
    try:
        compiled = compile_case(case, TARGETS[target])
    except RuntimeError as error:
        print(f"not ok {case.name} {target}: Triton does not compile it: {error}")
        return 0, 1
    ptx = compiled.asm["ptx"]
    if folder:
        with open(os.path.join(folder, f"{case.name}-{target}.ptx"), "w") as file:
            file.write(ptx)
    passed = failed = 0
    rows = variants(ptx, case.known.get(target, ()))
    for (words, text, checks, expected), schedule in itertools.product(rows, simulator.SCHEDULES):
        label = f"{case.name} {target} {schedule}{words}"
        try:
            figures = check_run(library, case, compiled, text, schedule, checks, expected)
            passed += 1
            if schedule == "late":
                print(f"ok {label}: {figures}")
        except (simulator.Error, AssertionError) as error:
            failed += 1
            print(f"not ok {label}: {str(error).strip()}")
    return passed, failed


def main(all_cases):
    library = simulator.open_library(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    pattern = sys.argv[3] if len(sys.argv) > 3 else "."
    totals = [0, 0]
    for case in all_cases:
        for target in TARGETS:
            if target in case.targets and re.search(pattern, f"{case.name} {target}"):
                for i, n in enumerate(check(library, case, target, folder)):
                    totals[i] += n
    print(f"{totals[0]} passed, {totals[1]} failed")
    sys.exit(0 if totals[0] and not totals[1] else 1)


if __name__ == "__main__":
    main(cases.all_cases())
