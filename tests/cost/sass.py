#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many instructions a GPU executes, counted without one: ptxas's code, disassembled, each basic block times its executions.

sass.py TILEC [REGEX]: of the launches of measured.json a line each: what Nsight Compute counted, what is counted of the code, and what
`tilec explain` estimates from tile IR, both as shares of it. Needs ptxas and nvdisasm (NVDISASM names it) on PATH.

Final tile IR is compiled as text, so that each instruction's line (ptxas -lineinfo) names its op; what `explain` says of the op's runs are
the instruction's. A block has the runs of the region that most of its memory instructions, products and floating-point arithmetic are from:
ptxas moves addresses and constants between loops, and these hardly. Where a block has a loop's body several times (ptxas makes four copies
of small ones, and what is left over is run by others), its runs are divided by that. Nsight Compute counts a wgmma once for each 64 columns:
its share of 128 x 256 x 64, 128 x 128 x 64 and 64 x 64 x 64 says so. What one thread of a block does alone one of its warps executes."""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TENSOR_COPIES = ("UTMALDG", "UTMASTG")
MEMORY = ("LDG", "STG", "LDS", "STS", "LDGSTS", "LDSM", "STSM", "ATOM", "RED", "SHFL", "BAR", "UTMALDG", "UTMASTG")
ANCHORS = MEMORY + ("HGMMA", "HMMA", "IMMA", "QGMMA", "MUFU", "FADD", "FFMA", "FMUL", "HFMA2", "HADD2", "F2FP", "SYNCS", "WARPGROUP")
OPTIONS = ("--grid", "-D", "--num-warps", "--num-stages", "--tma")
ENDS = ("BRA", "EXIT", "BRX", "RET")


def run(*words):
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def signature(words):
    """Of a launch's arguments, as `run` derives it; the rest of the words."""
    named, rest = [], []
    for before, word in zip(["", *words], words):
        match = None if before in OPTIONS else re.fullmatch(r"(\w+)=(?:\w+:(\w+)\[.*\]|(-?\d+)|(-?\d*\.\d+))", word)
        if not match:
            rest.append(word)
        elif match[2]:
            named.append(f"{match[1]}=*{match[2]}:16")
        elif match[3]:
            n = int(match[3])
            named.append(f"{match[1]}=i32" + (":1" if n == 1 else ":16" if n % 16 == 0 else ""))
        else:
            named.append(f"{match[1]}=fp32")
    return ",".join(named), rest


def without(words, *options):
    return [word for i, word in enumerate(words) if word not in options and (i == 0 or words[i - 1] not in options)]


class Op:
    def __init__(self, told):
        self.runs = told["runs"] if not isinstance(told["runs"], list) else told["runs"][1]
        self.memory = told["instructions"].get("memory", 0) / self.runs if self.runs else 0


def regions_of(text):
    """Of each line of tile IR the number of its innermost region; the regions' parents, and those that are loops'."""
    found, stack, count, parents, loops = {}, [0], 0, {}, set()
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r'"[^"]*"|<[^<>]*>|constexpr \{[^}]*\}|\{[a-z_0-9]+( =[^{}]*)?\}', "", line)
        if line.strip().startswith("}"):
            stack.pop()
        found[number] = stack[-1]
        if line.rstrip().endswith("{") or line.rstrip().endswith("do {") or re.search(r"\{\s*(\(.*\))?\s*$", line):
            count += 1
            parents[count] = stack[-1]
            loops |= {count} if re.search(r"(= |^ *)(for|while) ", line) else set()
            stack.append(count)
    return found, parents, loops


def blocks_of(disassembly):
    """[(label, [(opcode, line)], targets, falls)]; lines 0 where none is told."""
    blocks, line, current = [], 0, ("", [], [], [True])
    for text in disassembly.splitlines():
        if match := re.search(r'//## File "[^"]*", line (\d+)', text):
            line = int(match[1])
        elif match := re.match(r"(\.L\w+):", text):
            blocks.append(current)
            current = (match[1], [], [], [True])
        elif match := re.match(r"\s+/\*[0-9a-f]+\*/\s+(@!?U?P\w+\s+)?([A-Z0-9_]+)([^;]*);", text):
            columns = re.match(r"\.64x(\d+)x", match[3]) if match[2] == "HGMMA" else None
            current[1].extend([(match[2], line)] * max(1, int(columns[1]) // 64 if columns else 1))
            if match[2] in ENDS:
                if target := re.search(r"`\((\.L\w+)\)", match[3]):
                    current[2].append(target[1])
                current[3][0] = bool(match[1]) or match[2] == "BRA" and bool(re.match(r"[A-Z.]*\s+!?U?P\d", match[3]))
                blocks.append(current)
                current = ("", [], [], [True])
    return blocks + [current]


def reachable(blocks):
    at = {block[0]: i for i, block in enumerate(blocks) if block[0]}
    seen, todo = set(), [0]
    while todo:
        i = todo.pop()
        if i in seen or i >= len(blocks):
            continue
        seen.add(i)
        todo += [at[target] for target in blocks[i][2] if target in at] + ([i + 1] if blocks[i][3][0] else [])
    return [blocks[i] for i in sorted(seen) if blocks[i][1]]


def loop_depths(blocks):
    """Of each block how many loops it is in: strongly connected parts, and theirs without their first block."""
    at = {block[0]: i for i, block in enumerate(blocks) if block[0]}
    follow = [[at[t] for t in block[2] if t in at] + ([i + 1] if block[3][0] and i + 1 < len(blocks) else []) for i, block in enumerate(blocks)]
    depths = [0] * len(blocks)

    def reach(start, inside, step):
        seen, todo = set(), [start]
        while todo:
            for j in step[todo.pop()]:
                if j in inside and j not in seen:
                    seen.add(j)
                    todo.append(j)
        return seen

    back = [[i for i in range(len(blocks)) if j in follow[i]] for j in range(len(blocks))]

    def search(inside):
        inside = set(inside)
        while inside:
            first = min(inside)
            part = reach(first, inside, follow) & reach(first, inside, back)
            if first in part:
                for i in part:
                    depths[i] += 1
                search(part - {first})
            inside -= part | {first}

    search(range(len(blocks)))
    return depths


def executed(blocks, ops, region, parents, loops, warps):
    """By line of tile IR."""
    runs, usual = defaultdict(Counter), {}
    for line, op in ops.items():
        runs[region.get(line, 0)][op.runs] += 1
    for r, counts in runs.items():
        usual[r] = counts.most_common(1)[0][0]
    least = min(usual.values())
    told = []
    for (_, code, _, _), depth in zip(blocks, loop_depths(blocks)):
        weight = Counter(region.get(line, 0) for name, line in code if name in ANCHORS and region.get(line, 0) in usual)
        weight = weight or Counter(region.get(line, 0) for _, line in code if region.get(line, 0) in usual)
        own = weight.most_common(1)[0][0] if weight else None
        lines = Counter(line for name, line in code if name in MEMORY and region.get(line, 0) == own)
        expected = sum(ops[line].memory for line in lines if line in ops)
        copies = sum(n for line, n in lines.items() if line in ops) / expected if expected and own in loops else 0
        outside = own
        while outside is not None and sum(r in loops for r in path(outside, parents)) > depth:
            outside = parents[outside]
        told.append((own, outside, copies, code, any(name in TENSOR_COPIES for name, _ in code)))
    most = defaultdict(float)
    for own, outside, copies, _, _ in told:
        if own == outside:
            most[own] = max(most[own], copies)
    total = Counter()
    for own, outside, copies, code, one in told:
        times = usual.get(outside, least)
        if most[own] > 1.6 and usual[own]:  # what is left over of copies by fours is run by twos and ones
            around = usual.get(parents[own], least)
            trips, by = round(usual[own] / around), round(most[own])
            if own == outside:
                times = around * (trips // by)
            elif copies > 0.9:
                times = around if trips % by & round(copies) else 0
        for _, line in code:
            total[line] += times / (warps if one else 1)
    return total


def path(region, parents):
    while region is not None:
        yield region
        region = parents.get(region)


def count(tilec, file, kernel, words, folder):
    """(executed by line of tile IR, explain's ops, estimated)"""
    told = json.loads(run(tilec, "explain", file, "--kernel", kernel, "--arch", "sm_90a", "--format=json", *words))
    named, rest = signature(words)
    tir, ptx, cubin = (os.path.join(folder, name) for name in ("k.tir", "k.ptx", "k.cubin"))
    text = run(tilec, "compile", file, "--kernel", kernel, "--arch", "sm_90a", "--signature", named, *without(rest, "--grid"), "--emit=tir", "-o", "-")
    text = re.sub(r' loc\((?:"[^"]*"|\w)[^()]*\)', "", text)
    with open(tir, "w", encoding="utf-8") as out:
        out.write(text)
    run(tilec, "compile", tir, "-S", "-o", ptx)
    run("ptxas", "-lineinfo", "-arch", "sm_90a", ptx, "-o", cubin)
    grid = words[words.index("--grid") + 1] if "--grid" in words else str(told["counts"]["programs"])
    arguments = [word for word in without(words, *OPTIONS) if "=" in word]
    again = json.loads(run(tilec, "explain", tir, "--grid", grid, "--format=json", *arguments))
    ops = {op["line"]: Op(op) for op in again["ops"] if "line" in op}
    code = run(os.environ.get("NVDISASM", "nvdisasm"), "-c", "-g", cubin)
    warps = int(re.search(r"num_warps = (\d+)", text)[1])
    return executed(reachable(blocks_of(code)), ops, *regions_of(text), warps), again["ops"], sum(told["counts"]["instructions"].values())


def main():
    with open(os.path.join(HERE, "measured.json"), encoding="utf-8") as file:
        measured = json.load(file)["launches"]
    near = told = 0
    with tempfile.TemporaryDirectory() as folder:
        for launch in measured:
            if len(sys.argv) > 2 and not re.search(sys.argv[2], launch["name"]):
                continue
            real = launch["instructions"]
            try:
                code, _, estimate = count(sys.argv[1], launch["file"], launch["kernel"], shlex.split(launch["words"]), folder)
            except subprocess.CalledProcessError as error:
                print(launch["name"], error.stderr[-300:])
                continue
            code = sum(code.values())
            told += 1
            near += abs(code / real - 1) <= 0.1
            print(f"{launch['name']}: {real} executed, {code / real:.2f} by the code, {estimate / real:.2f} by the estimate")
    print(f"{near} of {told} within 10 % by the code")


if __name__ == "__main__":
    main()
