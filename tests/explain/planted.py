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


def main():
    with open(os.path.join(FOLDER, "launches"), encoding="utf-8") as lines:
        rows = [(line.rstrip("\n").split(" | ") + [""])[:6] for line in lines if not line.startswith("#")]
    every, seed = int(os.environ.get("PLANTED_EVERY", 1)), int(os.environ.get("PLANTED_SEED", 0))  # one row in `every`, others by seed
    for row in rows[seed % every :: every]:
        check(os.path.abspath(sys.argv[1]), *row)
    measured = sum(bool(row[5]) for row in rows)
    expect(len(rows) == 10 and measured >= MEASURED, f"{len(rows)} flaws, {measured} with times of a GPU")
    print(f"{passed} passed, {failed} failed")


main()
