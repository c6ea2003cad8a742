#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""counts.py TILEC [--list] [REGEX]: compares the counts of `tilec explain` with the simulator's counters.

The launches are those above kernels of tests/kernels/checked ("# check: ...") and of tests/cost/launches. If explain
says that its counts are exact, each must be the simulator's. Otherwise the simulator's must lie within the range.
--list prints explain's answer, one line a launch. For each kernel of tests/cost/flaws, which has one flaw, explain must
name that flaw first. tests/cost/differs lists the launches that differ, with the reason. A listed launch that no longer
differs is a failure too."""
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys

EVERY, SEED = int(os.environ.get("COST_EVERY", 1)), int(os.environ.get("COST_SEED", 0))  # one launch in EVERY, others by SEED
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COUNTERS = ["global_requests", "global_sectors", "global_sectors_ideal", "shared_requests", "shared_wavefronts", "shared_wavefronts_ideal",
            "barriers"]


def limited():
    """In the child: two minutes of the processor, however busy the machine is."""
    resource.setrlimit(resource.RLIMIT_CPU, (120, 125))


def checked():
    """(file, kernel, words) of the launches in tests/kernels/checked."""
    folder = os.path.join(ROOT, "tests/kernels/checked")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py"):
            continue
        held = []
        with open(os.path.join(folder, name), encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("# check: "):
                    held.append(shlex.split(line[len("# check: "):]))
                elif match := re.match(r"def (\w+)", line):
                    yield from ((f"tests/kernels/checked/{name}", match[1], words) for words in held)
                    held = []


def written():
    """Those of tests/cost/launches: FILE KERNEL WORD..., as the shell splits them."""
    with open(os.path.join(ROOT, "tests/cost/launches"), encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                file, kernel, *words = shlex.split(line)
                yield file, kernel, words


def run(command, **options):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, preexec_fn=limited, **options)


def of_launch(words):
    """The words without the options of checks, which explain does not have."""
    kept, left = [], list(words)
    while left:
        word = left.pop(0)
        if word == "--allow-uncompared":
            left.pop(0)
        elif word not in ("--check", "--strict", "--verify-each") and not word.startswith("--allow-uncompared="):
            kept.append(word)
    return kept


def measure(tilec, file, kernel, words):
    """The simulator's counters, explain's counts; either None where the command failed, with what it said."""
    launch = [file, "--kernel", kernel, "--arch", "sm_90a", *of_launch(words)]
    sim = run([tilec, "run", *launch, "--device", "sim", "--stats"])
    line = next((line for line in sim.stderr.splitlines() if line.startswith("{")), None)
    told = run([tilec, "explain", *launch, "--format=json", "--quick"], env=dict(os.environ, PATH="/nowhere"))  # ptxas counts nothing of these
    return (json.loads(line) if line and sim.returncode == 0 else None, json.loads(told.stdout)["counts"] if told.returncode == 0 else None,
            sim.stderr + told.stderr)


def bounds(count):
    return count if isinstance(count, list) else [count, count]


def differences(real, told):
    """Exact counts that differ, and ranges that do not contain the simulator's count."""
    wrong = []
    for name in COUNTERS:
        least, most = bounds(told[name])
        if not least <= real[name] <= most and not (told["unbounded"] and real[name] >= least):
            wrong.append(f"{name} {told[name]}, simulator {real[name]}")
    return wrong


def known():
    """launch -> reason"""
    reasons = {}
    with open(os.path.join(ROOT, "tests/cost/differs"), encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                launch, reason = line.rstrip("\n").split(" # ")
                reasons[launch] = reason
    return reasons


def flaws(tilec):
    """Checks that explain names first the text in tests/cost/flaws/expected. The text is empty for a kernel without a
    flaw."""
    folder = os.path.join(ROOT, "tests/cost/flaws")
    with open(os.path.join(folder, "expected"), encoding="utf-8") as lines:
        rows = [line.split(" | ") for line in lines if line.strip() and not line.startswith("#")]
    for flaw, kind, words in rows:
        if flaw == "spill" and not shutil.which("ptxas"):
            print("SKIPPED the kernel that spills: ptxas is not on this machine")
            continue
        told = subprocess.run([tilec, "explain", *shlex.split(words), "--format=json"], cwd=folder, capture_output=True, text=True, preexec_fn=limited)
        losses = json.loads(told.stdout)["losses"] if told.returncode == 0 else []
        named = losses[0]["kind"] if losses else "nothing"
        yield "" if named == kind else f"FAILED {flaw}: explain names {named} first, and is to name {kind}"


def main():
    words = [word for word in sys.argv[2:] if word != "--list"]
    reasons = known()
    passed = failed = exact = drawn = 0
    kernels = set()
    for file, kernel, launch in [*checked(), *written()]:
        name = f"{file} {kernel} {shlex.join(launch)}"
        if words and not re.search(words[0], name):
            continue
        drawn += 1
        if not words and drawn % EVERY != SEED % EVERY and name not in reasons:
            continue
        if set(re.findall(r"--[a-z-]+", name)) & {"--persistent", "--max-programs"}:
            continue  # explain has no such options
        real, told, said = measure(sys.argv[1], file, kernel, launch)
        if real is None:
            continue  # a kernel that is there to fail
        wrong = ["explain failed: " + said[-300:]] if told is None else differences(real, told)
        expected = name in reasons
        if bool(wrong) == expected:
            passed += 1
        else:
            failed += 1
            print(f"FAILED {name}: {'; '.join(wrong) if wrong else 'it is in tests/cost/differs and does not differ'}")
        if not wrong and told["exact"]:
            exact += 1
            kernels.add((file, kernel))
        if "--list" in sys.argv:
            print(f"{'differs' if wrong else 'exact' if told['exact'] else 'range'} {name}")
    for text in flaws(os.path.abspath(sys.argv[1])) if not words else []:
        passed += not text
        failed += bool(text)
        print(text) if text else None
    print(f"NOTE counted exactly: {exact} launches of {len(kernels)} kernels")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
