#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spearman's rank correlation between the predictions of `tilec tune --predict` and the times of an H200
(measured.json) and an H100 (measured-h100.json). Dots with few rows were measured only on the latter since they are
computed transposed. Covers the measured configurations of each space of spaces.json: those whose code is still the
measured code. Also compares the best of the tenth that it would measure, and the one that --model-only takes, with the best of all.

rank.py TILEC [SPACE...]; a line a space and card, and one on what --model-only takes. Exit status 1: one is below its bars, of
spaces.json or MEAN and LOWEST.
rank.py --lock TILEC [SPACE...]: prints the lock that --model-only writes for each space, the same bytes on every machine."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
MEAN, LOWEST = 0.95, 0.90  # of the speed of the best of all, by --model-only


def load(name):
    with open(os.path.join(here, name)) as file:
        return json.load(file)


def ranks(values):
    """From 1; equal values share the mean of their places."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    found, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j < len(order) and values[order[j]] == values[order[i]]:
            j += 1
        for k in range(i, j):
            found[order[k]] = (i + j + 1) / 2
        i = j
    return found


def spearman(a, b):
    x, y = ranks(a), ranks(b)
    mx, my = sum(x) / len(x), sum(y) / len(y)
    both = sum((p - mx) * (q - my) for p, q in zip(x, y))
    return both / (sum((p - mx) ** 2 for p in x) * sum((q - my) ** 2 for q in y)) ** 0.5


def words(space):
    """Parts of the command line: arguments, grid and ranges."""
    given = ["--kernel", space["kernel"], "--grid", ", ".join(space["grid"]), *space["args"].split()]
    for name, values in space["ranges"].items():
        given += ["-D", f"{name}={'|'.join(map(str, values))}"]
    for option, values in (("--num-warps", space["warps"]), ("--num-stages", space["stages"])):
        given += [option, "|".join(map(str, values))]
    return given


def predicted(tilec, space, card):
    """Seconds by the values of constexprs, warps and stages, and the same configurations in the order in which tune takes them."""
    command = [tilec, "tune", os.path.join(here, "spaces.py"), "--predict", "--format=json", "--arch", "sm_90a", "--card", card, *words(space)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    names, found = list(space["ranges"]) + ["num_warps", "num_stages"], {}
    for one in told["ranked"]:
        settings = {**{name: values[0] for name, values in space["ranges"].items()}, **one["settings"]}
        found[tuple(int(settings[name]) for name in names)] = float(f"{one['predicted']:.3e}")  # less is no difference
    return found


def varied(ranked, count):
    """The configurations that `tilec tune` measures. Half are the best of those that differ only in their stages, the
    last value; then as ranked."""
    firsts = []
    for key in ranked:
        if len(firsts) < (count + 1) // 2 and key[:-1] not in [first[:-1] for first in firsts]:
            firsts.append(key)
    return (firsts + [key for key in ranked if key not in firsts])[:count]


def lock(tilec, space):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "choices.lock")
        command = [tilec, "tune", os.path.join(here, "spaces.py"), "--model-only", "--lock", path, "--arch", "sm_90a", *words(space)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            return file.read()


def judge(name, space, tilec, card, measured, bar):
    times = {tuple(values): us for values, us in measured if us}
    seconds = predicted(tilec, space, card)
    both = [key for key in seconds if key in times]  # as ranked
    correlation = spearman([seconds[key] for key in both], [times[key] for key in both])
    tenth = varied(both, max(4, len(times) // 10))
    best = min(times.values())
    found, alone = best / min(times[key] for key in tenth), best / times[both[0]]
    good = correlation >= bar and found >= space["found"] and len(both) == len(times)
    print(f"{name} on an {card}: {len(both)} of {len(times)} configurations, rank correlation {correlation:.3f} (at least {bar}), "
          f"the best of the first tenth is {found:.3f} of the best (at least {space['found']}), the first alone {alone:.3f}{'' if good else '  FAILED'}", flush=True)
    return good, alone


def main():
    spaces = load("spaces.json")
    if sys.argv[1] == "--lock":
        for name in sys.argv[3:] or spaces:
            print(f"# {name}\n{lock(sys.argv[2], spaces[name])}", end="", flush=True)
        return 0
    measured = {"H200": (load("measured.json"), "rank"), "H100": (load("measured-h100.json"), "rank_h100")}
    results = [judge(name, spaces[name], sys.argv[1], card, times[name], spaces[name][bar])
               for name in sys.argv[2:] or list(spaces) for card, (times, bar) in measured.items() if name in times]
    alone = [share for _, share in results]
    good = min(alone) >= LOWEST and (sys.argv[2:] or sum(alone) / len(alone) >= MEAN)  # the mean is that of all spaces
    print(f"--model-only: {sum(alone) / len(alone):.3f} of the best in the mean (at least {MEAN}), {min(alone):.3f} at least ({LOWEST}){'' if good else '  FAILED'}")
    return 0 if good and all(ranked for ranked, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
