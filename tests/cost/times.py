#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""times.py TILEC [--table]: compares the times that `tilec explain` predicts with those measured on GPUs.

The median error of the launches of measured.json is at most MEDIAN on each card: data ones on an H100, normal data on
an H200. Uncoalesced and fp64 kernels (tests/explain/planted, H200) are off by at most KIND. --table prints the table of bench/LOG.md."""
import json
import os
import shlex
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PLANTED = os.path.join(ROOT, "tests/explain/planted")
MEDIAN, KIND = 0.06, 0.2
KINDS = ("column copy", "double precision")


def predicted(tilec, words, file, card, folder):
    """Microseconds, and the bottleneck."""
    command = [tilec, "explain", file, *shlex.split(words), "--arch", "sm_90a", "--card", card, "--format=json", "--quick"]
    time = json.loads(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout)["time"]
    return 1e6 * time["seconds"], time["bottleneck"]


def launches():
    """Name, words, file, card, folder and measured microseconds."""
    with open(os.path.join(HERE, "measured.json"), encoding="utf-8") as file:
        for one in json.load(file)["launches"]:
            for card, us in (("H100", one["us"]), ("H200", one["h200_us"])):
                yield one["name"], f"--kernel {one['kernel']} {one['words']}", one["file"], card, ROOT, us
    with open(os.path.join(PLANTED, "launches"), encoding="utf-8") as lines:
        for row in (line.rstrip("\n").split(" | ") for line in lines):
            if row[0] in KINDS:
                yield row[0], row[3], "kernels.py", "H200", PLANTED, float(row[5].split(", ")[0])


def main():
    tilec, errors, failed = os.path.abspath(sys.argv[1]), {}, []
    for name, words, file, card, folder, measured in launches():
        us, bottleneck = predicted(tilec, words, file, card, folder)
        error = us / measured - 1
        if "--table" in sys.argv:
            print(f"| {name} | {card} | {us:.1f} | {measured:.1f} | {us / measured:.2f} | {bottleneck} |")
        if name not in KINDS:
            errors.setdefault(card, []).append(abs(error))
        elif abs(error) > KIND:
            failed.append(f"{name}: {us:.1f} us predicted, {measured} measured")
    for card, of in errors.items():
        print(f"NOTE the median error of {len(of)} launches on an {card} is {statistics.median(of):.3f}, the largest {max(of):.2f}")
        if statistics.median(of) > MEDIAN:
            failed.append(f"the median error on an {card} is {statistics.median(of):.3f}, above {MEDIAN}")
    for what in failed:
        print("FAILED", what)
    print(f"{len(errors) + len(KINDS) - len(failed)} passed, {len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
