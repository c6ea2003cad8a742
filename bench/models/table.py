#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `run` found: verdicts, and the tables. table.py FILE... prints the tables of files that run --json wrote: of models, and of each
kernel of at least LEAST microseconds."""

import json
import math
import sys

ROUNDING = 1e-5  # an error below it is none
LEAST = 20.0  # microseconds: a kernel below it may be one that launching decides
COMPILERS = ("tilec", "triton")


def totals(events, steps):
    """From a trace of the profiler: microseconds and launches a step of each Triton kernel, how they were launched (grid, threads, registers,
    shared memory), and microseconds of all kernels."""
    kernels, launches, everything = {}, {}, 0.0
    for event in events:
        if event.get("cat") != "kernel":
            continue
        everything += event["dur"]
        if event["name"].startswith("triton_"):
            known = kernels.setdefault(event["name"], [0.0, 0])
            known[0] += event["dur"]
            known[1] += 1
            how = [event.get("args", {}).get(key) for key in ("grid", "block", "registers per thread", "shared memory")]
            if how not in launches.setdefault(event["name"], []):
                launches[event["name"]].append(how)
    return {"all": everything / steps, "triton": sum(us for us, _ in kernels.values()) / steps,
            "kernels": {name: [us / steps, count / steps] for name, (us, count) in sorted(kernels.items())}, "launches": launches}


def of_training(ours, theirs):
    """What is wrong with a model's training under tilec: errors of more than Triton's and eager's."""
    wrong = []
    for name, factor in (("loss", 2.0), ("gradients", 1.2), ("worst", 2.0)):
        limit = factor * max(theirs["error"][name], theirs["eager"][name]) + ROUNDING
        if not ours["error"][name] <= limit:
            wrong.append(f"error of {name}: {ours['error'][name]:.1e}, more than {limit:.1e}")
    for step, (a, b) in enumerate(zip(ours["losses"], theirs["losses"])):
        if not abs(a - b) <= 1e-2 * abs(b):
            wrong.append(f"loss of step {step}: {a:.6g}, Triton {b:.6g}")
            break
    return wrong


def of_tokens(ours, theirs):
    """What is wrong with tokens. Where Triton's are not eager's either, rounding has chosen between two tokens."""
    wrong = []
    for row, (a, b, eager) in enumerate(zip(ours["tokens"], theirs["tokens"], theirs.get("eager_tokens", theirs["tokens"]))):
        if a != b and b == eager:
            wrong.append(f"row {row}: other tokens from number {next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))} on")
    if not ours["again"]:
        wrong.append("a second call gives other tokens")
    return wrong


def wrong(record):
    """What is wrong with a record of `run`: a list of texts, empty if nothing is."""
    found = [f"{compiler}: {record[compiler]['failed']}" for compiler in record["compilers"] if "failed" in record[compiler]]
    if found:
        return found
    ours = record["tilec"]
    found = [f"{compiler}: not timed: {record[compiler]['not_timed']}" for compiler in record["compilers"] if "not_timed" in record[compiler]]
    found += [f"fallback: {text}" for text in ours.get("fallbacks", [])]
    counts = ours.get("kernels_of", {})
    if counts and (counts["triton"] or not counts["tilec"]):
        found.append(f"{counts['tilec']} kernels by tilec, {counts['triton']} by Triton")
    if "triton" in record["compilers"]:
        theirs = record["triton"]
        if "tokens" in ours:
            found += of_tokens(ours, theirs)
        elif "error" in ours:
            found += of_training(ours, theirs)
        missing = set(theirs.get("time", {}).get("kernels", {})) ^ set(ours.get("time", {}).get("kernels", {}))
        if missing:
            found.append(f"kernels that only one compiler launched: {' '.join(sorted(missing)[:4])}")
    elif "tokens" in ours:
        found += of_tokens(ours, {"tokens": ours["eager_tokens"]})
    elif "error" in ours:
        found += of_training(ours, {"error": ours["eager"], "eager": ours["eager"], "losses": ours["losses"]})
    return found


def ratio(a, b):
    return f"{a / b:.3f}" if a and b else "-"


def errors(record, name):
    """As 'tilec / Triton'. Without Triton, eager's."""
    ours = record["tilec"]["error"][name]
    other = record["triton"]["error"][name] if "triton" in record["compilers"] else record["tilec"]["eager"][name]
    return f"{ours:.1e} / {other:.1e}"


def counts(record):
    shown = [record[compiler].get("kernels_of", {}).get(compiler, record[compiler].get("reported")) for compiler in record["compilers"]]
    return " / ".join("-" if count is None else str(count) for count in shown)


def line(record):
    """A row of the table."""
    verdict = "; ".join(wrong(record)).replace("|", "/").replace("\n", " ")[:300] or "ok"
    cells = [record["model"]]
    if any("failed" in record[compiler] for compiler in record["compilers"]):
        return "| " + " | ".join(cells + ["-"] * 7 + [verdict]) + " |"
    ours, theirs = record["tilec"], record.get("triton")
    cells.append(counts(record))
    if "tokens" in ours:
        number = sum(len(row) for row in ours["tokens"])
        cells += [f"{number} tokens", "-", "-"]
    elif "error" in ours:
        cells += [errors(record, name) for name in ("loss", "gradients", "worst")]
    else:
        cells += ["-"] * 3
    cells.append(" / ".join(f"{record[compiler]['first_call']:.1f}" for compiler in record["compilers"]))
    if theirs and "time" in ours and "time" in theirs:
        a, b = ours["time"], theirs["time"]
        cells += [f"{a['triton']:.0f} / {b['triton']:.0f} = {ratio(a['triton'], b['triton'])}", ratio(a["all"], b["all"])]
    else:
        cells += ["-"] * 2
    return "| " + " | ".join(cells + [verdict]) + " |"


def slowest(record, number=5):
    """Lines on the kernels that lose most under tilec: microseconds a step of both."""
    if not all("time" in record[compiler] for compiler in record["compilers"]) or len(record["compilers"]) < 2:
        return []
    a, b = (record[compiler]["time"]["kernels"] for compiler in COMPILERS)
    lost = sorted(((a[name][0] - b[name][0], name) for name in a if name in b), reverse=True)
    return [f"  {name}: {a[name][0]:.1f} / {b[name][0]:.1f} us = {ratio(a[name][0], b[name][0])}" for more, name in lost[:number] if more > 0]


def timed(records):
    """The records with times of both compilers."""
    return [record for record in records if len(record["compilers"]) == 2 and all("time" in record[compiler] for compiler in COMPILERS)]


def long_kernels(record):
    """Model, kernel, and microseconds a launch of both compilers, of each kernel that takes at least LEAST by one of them."""
    a, b = (record[compiler]["time"]["kernels"] for compiler in COMPILERS)
    each = [(record["model"], name, a[name][0] / a[name][1], b[name][0] / b[name][1]) for name in a if name in b and a[name][1] and b[name][1]]
    return [kernel for kernel in each if max(kernel[2:]) >= LEAST]


def speed(kernel):
    """Triton's time over tilec's."""
    return kernel[3] / kernel[2]


def mean(kernels):
    return math.exp(sum(math.log(speed(kernel)) for kernel in kernels) / len(kernels))


def of_kernels(records):
    """The table of the kernels of at least LEAST microseconds, by models."""
    lines = [f"| model | kernels of {LEAST:.0f} us and more | Triton / tilec, mean | below 0.97 | below 0.90 | lowest |", "|---|---|---|---|---|---|"]
    rows = [(record["model"], long_kernels(record)) for record in timed(records)]
    rows.append(("all", [kernel for _, kernels in rows for kernel in kernels]))
    for model, kernels in rows:
        if kernels:
            slow = [sum(1 for kernel in kernels if speed(kernel) < bar) for bar in (0.97, 0.90)]
            lines.append(f"| {model} | {len(kernels)} | {mean(kernels):.3f} | {slow[0]} | {slow[1]} | {min(map(speed, kernels)):.3f} |")
    return lines if len(lines) > 2 else []


def every_kernel(records):
    """A row for each of these kernels, the slowest beside Triton's first."""
    kernels = sorted((kernel for record in timed(records) for kernel in long_kernels(record)), key=speed)
    return ["| model | kernel | tilec, us | Triton | Triton / tilec |", "|---|---|---|---|---|"] + \
        [f"| {model} | {name} | {ours:.1f} | {theirs:.1f} | {theirs / ours:.3f} |" for model, name, ours, theirs in kernels]


def table(records):
    """The whole table: a list of lines."""
    lines = ["| model | kernels | error of loss | of gradients | of the worst | first call, s | Inductor's kernels, us a step | all kernels | verdict |",
             "|---|---|---|---|---|---|---|---|---|"]
    lines += [line(record) for record in records]
    ratios = [math.log(a / b) for a, b in ((r["tilec"]["time"]["triton"], r["triton"]["time"]["triton"]) for r in timed(records)) if a and b]
    if ratios:
        lines.append(f"geometric mean of Inductor's kernels, tilec / Triton: {math.exp(sum(ratios) / len(ratios)):.3f} of {len(ratios)} models")
    kernels = of_kernels(records)
    return lines + ([""] + kernels if kernels else [])


if __name__ == "__main__":
    read = [json.loads(text) for name in sys.argv[1:] for text in open(name)]
    print("\n".join([*table(read), "", *every_kernel(read)]))
