#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""instructions.py TILEC [--table] [REGEX]: compares the instructions that `tilec explain` and Nsight Compute count.

Prints a line for each launch of measured.json: executed instructions, by ptxas's code, and by the estimate from tile
IR, both as shares of the executed ones. At least NEAR of them must be within 10 % by the code. Each launch that is not
has its reason in EXCEPTIONS. An exception that is within 10 % is a failure too. --table prints the table of
bench/LOG.md."""
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NEAR = 20
EXCEPTIONS = {
    "product of 4096, 128x256x64, 8 warps, tensor copies": "what was measured has, by its count, not the roles and programs in turn that it is compiled with",
    "product of 4096, 128x256x64, 8 warps, cp.async": "the last steps of what was measured branched around copies; now each copy has a predicate",
    "sums of blocks of 4096": "what was measured had a copy without the mask of its one load",
    "sums of blocks of 16384": "what was measured had a copy without the mask of its one load",
    "weighted sum of 4096 rows of 4096": "what was measured did not scale its loop's terms; the code does since, by a multiplication for every two multiply-adds",
}


def limited():
    """In the child: two minutes of the processor, however busy the machine is."""
    resource.setrlimit(resource.RLIMIT_CPU, (120, 125))


def explain(tilec, launch):
    command = [tilec, "explain", launch["file"], "--kernel", launch["kernel"], "--arch", "sm_90a", "--format=json", "--quick", *shlex.split(launch["words"])]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, preexec_fn=limited).stdout)


def main():
    words = [word for word in sys.argv[2:] if word != "--table"]
    if not shutil.which("ptxas"):
        print("SKIPPED instructions by ptxas's code beside Nsight Compute's: ptxas is not on this machine")
        print("0 passed, 0 failed")
        return 0
    with open(os.path.join(HERE, "measured.json"), encoding="utf-8") as file:
        launches = [launch for launch in json.load(file)["launches"] if not words or re.search(words[0], launch["name"])]
    near = failed = 0
    for launch in launches:
        counts = explain(sys.argv[1], launch)["counts"]
        real = launch["instructions"]
        code, estimate = sum(counts["instructions"].values()) / real, counts["instructions_estimated"] / real
        good = abs(code - 1) <= 0.1
        near += good
        if "--table" in sys.argv:
            print(f"| {launch['name']} | {real} | {code:.2f} | {estimate:.2f} |")
        elif words:
            print(f"{launch['name']}: {real} executed, {code:.2f} by the code, {estimate:.2f} by the estimate")
        if counts["instructions_by"] != "ptxas":
            print(f"FAILED {launch['name']}: ptxas's code was not counted")
            failed += 1
        elif good == (launch["name"] in EXCEPTIONS):
            print(f"FAILED {launch['name']}: {code:.3f} of {real} instructions" + (", and it is an exception" if good else ""))
            failed += 1
    print(f"NOTE instructions within 10 % of Nsight Compute's: {near} of {len(launches)}; exceptions:", "; ".join(f"{a}: {b}" for a, b in EXCEPTIONS.items()))
    failed += not words and near < NEAR
    print(f"{len(launches) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
