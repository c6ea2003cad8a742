#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""timeline.py TILEC: the trace that `tilec run --timeline` writes, on the simulator and on a GPU. Its form is Chrome's: slices with a track, a beginning
and a duration, and names of tracks. Slices of a track follow one another. Waits end when what they wait for does."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOTS, STAGES = 1000, 2000  # tracks
ADD = ["examples/add.tile", "x=randn:fp32[9999]", "y=randn:fp32[9999]", "out=empty:fp32[9999]", "n=9999"]
MATMUL = ["tests/explain/planted/kernels.py", "--kernel", "matmul", "--grid", "cdiv(M, BM) * cdiv(N, BN)", "a_ptr=randn:fp16[256,512]",
          "b_ptr=randn:fp16[512,256]", "c_ptr=empty:fp16[256,256]", "M=256", "N=256", "K=512", "GROUP=8"]
TMA = [*MATMUL, "BM=128", "BN=256", "BK=64", "--num-warps", "8", "--num-stages", "3"]
CP_ASYNC = [*MATMUL, "BM=64", "BN=64", "BK=32", "--num-warps", "4", "--num-stages", "3", "--tma=off"]

passed = failed = 0


def expect(good, what):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED", what)


def run(tilec, words, trace, *more):
    fake = {"LD_LIBRARY_PATH": os.path.join(os.path.dirname(tilec), "tests/fake_driver"), "FAKE_DRIVER": "1"}  # a GPU's driver that is the simulator
    return subprocess.run([tilec, "run", *words, "--device", "sim", "--arch", "sm_90a", "--timeline", trace, *more], cwd=ROOT, capture_output=True, text=True,
                          check=False, env=os.environ | (fake if "cuda" in more else {}))


def traced(tilec, words, folder, *more):
    path = os.path.join(folder, "trace.json")
    done = run(tilec, words, path, *more)
    expect(done.returncode == 0, f"{words}: {done.stderr}")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def check_form(name, trace, warps, times="modelled"):
    """The slices, without their track's names."""
    events = trace["traceEvents"]
    slices, names = [x for x in events if x["ph"] == "X"], [x for x in events if x["ph"] == "M"]
    expect(len(slices) + len(names) == len(events) and trace["otherData"]["times"].startswith(times) and trace["otherData"]["whole"], f"{name}: the form")
    expect(all({"name", "cat", "pid", "tid", "ts", "dur", "args"} <= set(x) and x["dur"] > 0 and x["ts"] >= 0 for x in slices), f"{name}: members of slices")
    expect([x["ts"] for x in slices] == sorted(x["ts"] for x in slices), f"{name}: slices are not sorted")
    named = {x["tid"]: x["args"]["name"] for x in names if x["name"] == "thread_name"}
    expect({x["tid"] for x in slices} <= set(named), f"{name}: tracks without a name")
    expect([named.get(i) for i in range(warps + 1)] == [f"warp {i}" for i in range(warps)] + [None], f"{name}: {named}")
    expect(all((x["cat"] in ("run", "wait")) == (x["tid"] < DOTS) and (x["cat"] == "copy") == (x["tid"] >= STAGES) for x in slices), f"{name}: kinds of tracks")
    ends = {}
    for x in slices:
        expect(x["ts"] >= ends.get(x["tid"], 0) - 1e-6, f"{name}: {x} begins before {ends.get(x['tid'])}")
        ends[x["tid"]] = x["ts"] + x["dur"]
    return slices


def ends_of(slices, *names):
    return [x["ts"] + x["dur"] for x in slices if x["name"] in names]


def check_waits(name, slices, wait, reasons):
    """Every wait ends when one of the reasons does. cp.async are one slice for all warps: some do."""
    waits, ends = ends_of(slices, wait), ends_of(slices, *reasons)
    hits = sum(any(abs(x - y) < 1e-5 for y in ends) for x in waits)
    expect(waits and hits >= len(waits) * 0.2, f"{name}: {hits} of {len(waits)} slices '{wait}' end with {reasons}")


def check_records(tilec, folder):
    """On a GPU the code records what its warps do: each slice but a warp's last ends where the next begins."""
    for name, words, warps, dots, waits in (("add", ADD, 4, 0, set()), ("TMA", TMA, 12, 8 * 512 // 64, {"wait: mbarrier", "wait: dot", "wait: barrier"}),
                                            ("cp.async", CP_ASYNC, 4, 4 * 512 // 32, {"wait: cp.async", "wait: barrier"})):
        name = f"{name} on a GPU"
        slices = check_form(name, traced(tilec, words, folder, "--device", "cuda"), warps, "measured")
        expect({x["name"] for x in slices if x["cat"] == "wait"} >= waits, f"{name}: {[x['name'] for x in slices]}")
        expect(sum(x["cat"] == "mma" for x in slices) == dots, f"{name}: {sum(x['cat'] == 'mma' for x in slices)} dots")
        own = sorted((x["ts"], x["ts"] + x["dur"]) for x in slices if x["tid"] in (0, DOTS))
        expect(own and all(abs(x[1] - y[0]) < 1e-5 for x, y in zip(own, own[1:])), f"{name}: gaps in {own}")
        expect({x["args"]["line"] for x in slices} <= set(range(8, 70)), f"{name}: lines")


def main():
    tilec = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        slices = check_form("add", traced(tilec, ADD, folder), 4)
        loads = [x for x in slices if x["name"] == "wait: load"]
        expect({x["tid"] for x in loads} == {0, 1, 2, 3} and all(x["dur"] < 0.7 and x["args"]["line"] in (11, 12) for x in loads), f"add: {loads}")

        slices = check_form("TMA", traced(tilec, TMA, folder), 12)
        copies = [x for x in slices if x["name"] == "TMA"]
        expect(sum(x["args"]["bytes"] for x in copies) >= (128 + 256) * 512 * 2, "TMA: bytes")
        dots = [x for x in slices if x["cat"] == "mma"]
        expect({x["name"] for x in dots} == {"wgmma m64n256k16"} and len(dots) == 8 * 512 // 16, f"TMA: {len(dots)} dots")
        check_waits("TMA", slices, "wait: dot", {"wgmma m64n256k16"})
        check_waits("TMA", slices, "wait: mbarrier", {"TMA"})
        expect(min(x["ts"] for x in dots) > min(ends_of(slices, "TMA")) - 1e-6, "TMA: a dot before its operands")

        slices = check_form("cp.async", traced(tilec, CP_ASYNC, folder), 4)
        copies = [x for x in slices if x["name"] == "cp.async"]
        expect(sum(x["args"]["bytes"] for x in copies) == (64 + 64) * 512 * 2, "cp.async: bytes")
        check_waits("cp.async", slices, "wait: cp.async", {"cp.async"})

        check_records(tilec, folder)
        for words, said in (([*ADD, "--arch", "sm_80"], "no latencies are known for sm_80"), ([*ADD, "--device", "eval"], "not on eval")):
            done = run(tilec, words, os.path.join(folder, "none.json"), *words[len(ADD):])
            expect(done.returncode != 0 and said in done.stderr and not os.path.exists(os.path.join(folder, "none.json")), f"{words[len(ADD):]}: {done.stderr}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
