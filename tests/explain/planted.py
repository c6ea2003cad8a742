#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""planted.py TILEC: kernels with one planted flaw each (tests/explain/planted). The first line of `tilec explain` must
name the flaw and a change. The fixed form must gain at least half of what the line promises, by the model, and where
`launches` has times of a GPU, by these too. `tilec tune --predict` must have explain's number for each launch."""
import json
import os
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "tests/explain/planted")
MEASURED = 5  # flaws that have times of a GPU, at least

passed = failed = 0


def expect(good, what):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED", what)


def command(tilec, verb, words, *more):
    done = subprocess.run([tilec, verb, "kernels.py", *shlex.split(words), "--arch", "sm_90a", "--card", "H200", *more],
                          cwd=FOLDER, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{verb} {words}: {done.stderr[-400:]}")
    return done.stdout


def explained(tilec, words):
    """What JSON says; checked: text has the same first line, and tune the same time."""
    told = json.loads(command(tilec, "explain", words, "--format=json"))
    first = command(tilec, "explain", words, "--quick").splitlines()[0]
    expect(first.split(":")[0].split(";")[0] == told["answer"]["headline"].split(":")[0].split(";")[0], f"the first line is {first}")
    predicted = json.loads(command(tilec, "tune", words, "--predict", "--format=json"))["best"]["predicted"]
    seconds = told["time"]["seconds"]
    expect(abs(predicted - seconds) <= 1e-4 * seconds, f"{words}: explain says {seconds}, tune {predicted}")
    return told


def check(tilec, flaw, kind, change, slow, fixed, times):
    before, after = explained(tilec, slow), explained(tilec, fixed)
    answer = before["answer"]
    headline = answer["headline"]
    gain, promised = before["time"]["seconds"] - after["time"]["seconds"], answer.get("gain", 0)
    expect(f": {kind}" in headline, f"{flaw}: {kind} is not in: {headline}")
    expect(any(word in headline for word in change.split(" or ")), f"{flaw}: {change} is not in: {headline}")
    expect(promised > 0 and gain >= promised / 2, f"{flaw}: {1e6 * promised:.1f} us promised, {1e6 * gain:.1f} us gained")
    expect(f": {kind}" not in after["answer"]["headline"], f"{flaw}: the fixed form has it: {after['answer']['headline']}")
    if times:
        was, *now = map(float, times.split(", "))
        expect(all(was - us >= 1e6 * promised / 2 for us in now), f"{flaw}: {1e6 * promised:.1f} us promised, {was} us become {now} on a GPU")


MEANS = "--kernel column_means --num-warps 4 x_ptr=randn:fp32[16384,1024] mean_ptr=empty:fp32[1024] N=16384 C=1024 B=256 BC=8"
FEW = "--kernel matmul --num-warps 4 --num-stages 3 --grid 'cdiv(M, BM) * cdiv(N, BN)' a_ptr=randn:fp16[16,16384] b_ptr=randn:fp16[16384,1024] " \
      "c_ptr=empty:fp16[16,1024] M=16 N=1024 K=16384 BM=16 BN=64 BK=64 GROUP=1"


def check_grids(tilec):
    """A grid of numbers does not follow BC: no configuration may change it. An expression follows it."""
    fixed, follows = (json.loads(command(tilec, "explain", MEANS, "--grid", grid, "--format=json")) for grid in ("128", "cdiv(C, BC)"))
    changes = [[x["configuration"] for x in told["what_if"] if "BC=" in x["configuration"]] for told in (fixed, follows)]
    expect(fixed["what_if"] and not changes[0], f"a grid of numbers with {changes[0]}")
    expect(changes[1], "a grid of an expression: BC is not tried")
    expect("BC" in fixed["not_tried"] and "--grid 'cdiv(C, BC)'" in fixed["not_tried"], f"what to write: {fixed.get('not_tried')}")
    expect("not_tried" not in follows, "BC follows an expression")


def check_causes(tilec):
    """Split K goes before configurations that gain less. Waits are on the loop's lines."""
    told = json.loads(command(tilec, "explain", FEW, "--format=json"))
    headline, left = told["answer"]["headline"], told["time"]["seconds"] - told["answer"]["gain"]
    expect("too few programs (line" in headline and "Try split K by 8: " in headline and left < told["what_if"][0]["predicted"], f"{headline}; {told['what_if'][0]}")
    few = [x["change"] for x in told["losses"] if x["kind"] == "too few programs"]
    expect(len(few) == 1 and "split K" in few[0] and "256 steps" in few[0], f"too few programs: {few}")
    shares = {x["line"]: x["share"] for x in told["lines"]}
    loads = [i for i, text in enumerate(open(os.path.join(FOLDER, "kernels.py"), encoding="utf-8"), 1) if shares.get(i) and "tl.load(" in text]
    expect(abs(sum(shares[i] for i in loads) - 1) < 0.01, f"waits are on lines {shares}")
    quick = command(tilec, "explain", MEANS, "--grid", "cdiv(C, BC)", "--quick").splitlines()[0]
    expect("no change was found" not in quick, f"--quick: {quick}")


def check_stages(tilec):
    """Stages beyond the slots that fit in shared memory are predicted to change nothing. Fewer are slower."""
    words = FEW.replace(" BK=64", " BK=256")
    seconds = [json.loads(command(tilec, "explain", words.replace("--num-stages 3", f"--num-stages {n}"), "--quick", "--format=json"))["time"]["seconds"]
               for n in (3, 6, 10)]
    expect(seconds[0] > seconds[1] == seconds[2], f"3, 6 and 10 stages: {seconds}")


def check_walk(tilec):
    """The reason is in the loss. --restrict lets loads pass the store. All outputs have the same losses. A grid of numbers leaves smaller tiles out."""
    words = next(line.split(" | ")[3] for line in open(os.path.join(FOLDER, "launches"), encoding="utf-8") if line.startswith("rows of threads"))
    told, free = (json.loads(command(tilec, "explain", words, "--format=json", *more)) for more in ((), ("--restrict",)))
    text = " ".join(command(tilec, "explain", words).split())
    expect(len(told["losses"]) > 3 and all(f"{x['kind']} (" in text and x["change"] in text for x in told["losses"]), f"{told['losses']} in {text}")
    reasons = [" moved past its stores" in x["what"] for which in (told, free) for x in which["losses"] if x["kind"] == "not prefetched"]
    expect(reasons == [True, False], f"why not prefetched, without and with --restrict: {reasons}")
    expect(free["time"]["seconds"] < told["time"]["seconds"] / 2, f"--restrict: {free['time']}")
    expect("smaller values of B," in told["not_tried"], told.get("not_tried"))
    few = [x["change"] for x in told["losses"] if x["kind"] == "too few programs"]
    expect(len(few) == 1 and "part of the 4096 steps" in few[0] and "tiles" not in few[0], f"too few programs: {few}")


def main():
    with open(os.path.join(FOLDER, "launches"), encoding="utf-8") as lines:
        rows = [(line.rstrip("\n").split(" | ") + [""])[:6] for line in lines if not line.startswith("#")]
    every, seed = int(os.environ.get("PLANTED_EVERY", 1)), int(os.environ.get("PLANTED_SEED", 0))  # one row in `every`, others by seed
    for row in rows[seed % every :: every]:
        check(os.path.abspath(sys.argv[1]), *row)
    check_grids(os.path.abspath(sys.argv[1]))
    check_causes(os.path.abspath(sys.argv[1]))
    check_walk(os.path.abspath(sys.argv[1]))
    check_stages(os.path.abspath(sys.argv[1]))
    measured = sum(bool(row[5]) for row in rows)
    expect(len(rows) == 12 and measured >= MEASURED, f"{len(rows)} flaws, {measured} with times of a GPU")
    print(f"{passed} passed, {failed} failed")


main()
