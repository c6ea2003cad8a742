#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of what `run` measured: table.py WILD.jsonl... (a later file's rows replace an earlier one's).

If an operation was timed in several turns, the time is their geometric mean. Everything else is the first turn's. A row
of the same turn replaces the one before, except for the first call."""

import json
import math
import pathlib
import sys

SLOW, SLOWEST = 0.97, 0.90
WORSE = 2.0  # times Triton's error
MANY = 1.5  # times Triton's instructions
WIDE, NARROW = ("LDG", "STG", "LDGSTS", "LDS", "STS"), 0.8  # accesses whose mean size is compared, and the share that is narrow
NOISE = 1e-7  # errors below are equal


def read(paths):
    """id -> compiler -> row."""
    rows = {}
    for path in paths:
        own = {}
        for line in pathlib.Path(path).read_text().splitlines():
            row = json.loads(line)
            turns, turn = own.setdefault((row["id"], row["compiler"]), {}), row.get("turn", 1)
            turns[turn] = {**turns[turn], **row, "first": turns[turn].get("first")} if turn in turns else row
        for (id, compiler), turns in own.items():
            rows.setdefault(id, {})[compiler] = merged(turns)
    return rows


def merged(turns):
    """One row of those of an operation's turns."""
    row = turns.get(1) or turns[min(turns)]
    times = [turn["us"] for turn in turns.values() if "us" in turn]
    return {**row, "us": mean(times), "turns": times} if len(times) > 1 and "us" in row else row


def ratio_of(pair):
    """Triton's time over tilec's, where both have one."""
    times = [pair.get(compiler, {}).get("us") for compiler in ("tilec", "triton")]
    return times[1] / times[0] if all(times) else None


def mean(ratios):
    return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))


def error_of(row):
    """The largest root mean square error of a row's results; None without one."""
    return max((error[0] for error in row.get("errors", [])), default=None)


def worse(pair):
    """True if one of tilec's results is further from the reference than WORSE times Triton's."""
    ours, theirs = (pair.get(compiler, {}).get("errors", []) for compiler in ("tilec", "triton"))
    return any(not a[0] <= max(WORSE * b[0], NOISE) for a, b in zip(ours, theirs))


def mark(ratio):
    return "" if ratio >= SLOW else "*" if ratio >= SLOWEST else "**"


def number(value, form):
    return "" if value is None else format(value, form)


def notes(pair):
    """Other remarks about an operation."""
    ours, theirs = pair.get("tilec", {}), pair.get("triton", {})
    words = [f"{name} fails" for name, row in (("tilec", ours), ("Triton", theirs)) if row and not row["ok"]]
    if ours.get("fallbacks"):
        words.append(f"{len(ours['fallbacks'])} left to Triton")
    if "events" in (ours.get("mode"), theirs.get("mode")):
        words.append("no graph")
    if "turns" in ours:
        words.append("; ".join(" ".join(f"{us:.1f}" for us in row.get("turns", [])) for row in (ours, theirs)))
    if worse(pair):
        words.append("error")
    return ", ".join(words)


def line(operation, pair):
    ours, theirs, ratio = pair.get("tilec", {}), pair.get("triton", {}), ratio_of(pair)
    cells = [operation.id, operation.kind, operation.call, number(ours.get("us"), ".1f"), number(theirs.get("us"), ".1f"),
             "" if ratio is None else f"{ratio:.3f} {mark(ratio)}".strip(), f"{number(ours.get('first'), '.2f')} / {number(theirs.get('first'), '.2f')}",
             f"{number(error_of(ours), '.1e')} / {number(error_of(theirs), '.1e')}", notes(pair)]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def summary(operations, rows):
    """Geometric means, of each kind and of all, and how many are slow."""
    lines = ["| kind | operations | geometric mean | below 0.97 | below 0.90 |", "|---|---|---|---|---|"]
    groups = {kind: [operation for operation in operations if operation.kind == kind] for kind in dict.fromkeys(operation.kind for operation in operations)}
    for name, group in [*groups.items(), ("all", operations)]:
        ratios = [ratio for ratio in (ratio_of(rows.get(operation.id, {})) for operation in group) if ratio]
        figures = [f"{mean(ratios):.3f}", *(str(sum(ratio < bound for ratio in ratios)) for bound in (SLOW, SLOWEST))] if ratios else ["", "", ""]
        lines.append(f"| {name} | {len(ratios)} of {len(group)} | {' | '.join(figures)} |")
    return lines


def reasons(operations, rows):
    """Operations that fail, are left to Triton, have no graph, or have a larger error."""
    lines = []
    for operation in operations:
        pair = rows.get(operation.id, {})
        for compiler, row in sorted(pair.items()):
            if not row["ok"]:
                lines.append(f"- {operation.id}, {compiler}: fails: {row.get('failed')}")
            lines += [f"- {operation.id}: left to Triton: {text}" for text in row.get("fallbacks", [])]
            if row.get("mode") == "events":
                lines.append(f"- {operation.id}, {compiler}: no graph: {row.get('why')}")
        if worse(pair):
            errors = ["/".join(f"{error[0]:.1e}" for error in pair[compiler]["errors"]) for compiler in ("tilec", "triton")]
            lines.append(f"- {operation.id}: errors of its results {errors[0]} beside Triton's {errors[1]}")
        if not pair:
            lines.append(f"- {operation.id}: not run")
    return lines


def kernels(operations, rows):
    """The kernels of slow operations that take longer than Triton's, if both were profiled, by the loss."""
    lines = []
    for operation in operations:
        pair = rows.get(operation.id, {})
        ours, theirs = (pair.get(compiler, {}).get("profile") for compiler in ("tilec", "triton"))
        if not ours or not theirs or (ratio_of(pair) or 1) >= SLOW:
            continue
        lost = sorted(((ours[name][1] - theirs[name][1], name) for name in ours.keys() & theirs.keys() if ours[name][1] > 1.02 * theirs[name][1]), reverse=True)
        lost = [f"{name} {ours[name][1]:.1f} / {theirs[name][1]:.1f} us" for _, name in lost[:5]]
        other = sorted(ours.keys() ^ theirs.keys())[:4]
        lines.append(f"- {operation.id}: " + "; ".join(lost + [f"{name} of one compiler alone" for name in other]))
    return lines


def markdown(operations, rows):
    pairs = [(operation, rows.get(operation.id, {})) for operation in operations]
    ordered = sorted((item for item in pairs if item[1]), key=lambda item: ratio_of(item[1]) or 0)
    text = ["| operation | kind | call | tilec us | Triton us | ratio | first call s, tilec / Triton | error, tilec / Triton | |", "|---|---|---|---|---|---|---|---|---|"]
    text += [line(operation, pair) for operation, pair in ordered]
    text += ["", "Ratio: Triton's time over tilec's; *: below 0.97, **: below 0.90. Error: root mean square to float64's result over its own, of the worst result.", ""]
    text += summary(operations, rows)
    first = [pair["triton"]["first"] / pair["tilec"]["first"] for _, pair in pairs if all(pair.get(c, {}).get("first") for c in ("tilec", "triton"))]
    if first:
        text += ["", f"First calls: Triton's time over tilec's, geometric mean {mean(first):.2f} of {len(first)}."]
    return "\n".join([*text, "", *reasons(operations, rows), "", *kernels(operations, rows)]) + "\n"


def brief(operations, rows):
    """The same as plain text, the slowest last but for the means."""
    lines = [*reasons(operations, rows), "", *kernels(operations, rows), ""]
    pairs = [(operation, rows.get(operation.id, {})) for operation in operations]
    for operation, pair in sorted(pairs, key=lambda item: -(ratio_of(item[1]) or 0)):
        ratio = ratio_of(pair)
        if ratio:
            lines.append(f"{operation.id:40}{pair['tilec']['us']:10.1f}{pair['triton']['us']:10.1f}{ratio:8.3f} {mark(ratio):3}{notes(pair)}")
    return "\n".join([*lines, "", *summary(operations, rows)])


def doubts(ours, theirs):
    """What looks worse of our compile: local or shared memory, instructions of some kind, or narrower accesses."""
    found = [what for what in ("local", "shared") if ours.get(what, 0) > theirs.get(what, 0) + (1024 if what == "shared" else 0)]
    found += [what for what, few in (("instructions", 0), ("shuffles", 4), ("barriers", 2), ("imad", 20)) if ours.get(what, 0) > MANY * theirs.get(what, 0) + few]
    both = [name for name in WIDE if name in ours["accesses"] and name in theirs["accesses"]]
    return found + [f"narrow {name}" for name in both if ours["accesses"][name][1] < NARROW * theirs["accesses"][name][1]]


def kernel_line(operation, ours, theirs):
    """Two compiles of one kernel, if ours looks worse; else nothing."""
    why = doubts(ours, theirs)
    if not why:
        return []
    accesses = [", ".join(f"{name} {count} of {size:.0f} bytes" for name, (count, size) in side["accesses"].items()) for side in (ours, theirs)]
    figures = ", ".join(f"{what} {ours.get(what, 0)} / {theirs.get(what, 0)}" for what in ("instructions", "registers", "local", "shared", "shuffles", "barriers", "imad"))
    return [f"{operation.id}: {ours['kernel']}, {ours['warps']} warps: {', '.join(why)}: {figures}; {accesses[0]} / {accesses[1]}"]


def compiles(operations, rows):
    """The table of a run without a GPU: the kernels of each operation, the seconds of the compiles, and the kernels
    that look worse than Triton's. Both try the same configurations in the same order."""
    lines, ratios, worst = ["operation                               kernels   tilec s  Triton s   ratio"], [], []
    for operation in operations:
        ours, theirs = (rows.get(operation.id, {}).get(compiler, {}).get("compiles", []) for compiler in ("tilec", "triton"))
        if not ours or len(ours) != len(theirs):
            lines.append(f"{operation.id:40}{len(ours)} of tilec's, {len(theirs)} of Triton's")
            continue
        seconds = [sum(kernel["seconds"] for kernel in side) for side in (ours, theirs)]
        ratios += [b["seconds"] / a["seconds"] for a, b in zip(ours, theirs)]
        lines.append(f"{operation.id:40}{len(ours):7}{seconds[0]:10.2f}{seconds[1]:10.2f}{seconds[1] / seconds[0]:8.2f}")
        for a, b in zip(ours, theirs):
            worst += kernel_line(operation, a, b)
    total = [sum(kernel["local"] for pair in rows.values() for kernel in pair.get(compiler, {}).get("compiles", [])) for compiler in ("tilec", "triton")]
    tail = [f"Local memory in sum: {total[0]} bytes, Triton's {total[1]}."]
    if ratios:
        tail.append(f"Compiles: Triton's time over tilec's, geometric mean {mean(ratios):.2f}, median {sorted(ratios)[len(ratios) // 2]:.2f}, lowest {min(ratios):.2f} of {len(ratios)}.")
    return "\n".join([*reasons(operations, rows), "", *lines, "", *worst, "", *tail])


def main():
    from operations import load

    operations, rows = list(load().values()), read(sys.argv[1:])
    print((compiles if any(row.get("compiles") for pair in rows.values() for row in pair.values()) else markdown)(operations, rows))


if __name__ == "__main__":
    main()
