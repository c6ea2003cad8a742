#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""registers.py TILEC [REGEX]: compares the registers a thread that `tilec explain` estimates with those of ptxas on
PATH.

  registers.py --slack TILEC [REGEX]

Compares those that passes count (register_slack) instead, for the kernels of `scripts/compile-list --quick`. Prints the
mean error, and the ten worst.

Covers the bench's kernels, in our configuration that bench/results.jsonl names for each row. Prints the table of
bench/LOG.md by kernel. The last line has the median, the minimum and the maximum of the errors."""
import importlib.machinery
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))
import rows_matmul  # noqa: E402
import rows_memory  # noqa: E402
import rows_reduce  # noqa: E402
from work import config_text, our_configs, step_constexprs  # noqa: E402

RESERVED = 24  # TUNE_BLOCKS_RESERVED_REGISTERS
sys.dont_write_bytecode = True
ptx_diff = importlib.util.module_from_spec(importlib.util.spec_from_loader("ptx_diff", importlib.machinery.SourceFileLoader("ptx_diff", f"{ROOT}/scripts/ptx-diff")))
ptx_diff.__spec__.loader.exec_module(ptx_diff)


def best_configurations():
    with open(os.path.join(ROOT, "bench/results.jsonl"), encoding="utf-8") as file:
        return {record["row"]: {x["config"] for x in record["candidates"] if x["name"] == "tilec"} for record in map(json.loads, file)}


def argument(row, name, value):
    if not isinstance(value, str):
        return f"{name}={value}"
    buffer = row.buffers[value]
    return f"{name}=ones:{buffer.dtype}[{','.join(map(str, buffer.shape))}]"


def constexpr(value):
    return value[len("dtype:"):] if str(value).startswith("dtype:") else repr(value)


def launches(wanted):
    """(row's name, function, words)"""
    best = best_configurations()
    for row in rows_memory.rows(False) + rows_reduce.rows(False) + rows_matmul.rows(False):
        for kernel in row.kernels if re.search(wanted, row.name) else ():
            for config in our_configs(row, kernel):
                if config_text(config, kernel.label) not in best.get(row.name, ()):
                    continue
                for step in kernel.steps:
                    words = [f"bench/kernels/{kernel.file}", "--kernel", step.function, "--num-warps", str(config["num_warps"]), "--num-stages",
                             str(config["num_stages"]), *(["--overlap"] if config["overlap"] else []), "--grid", ",".join(map(str, step.grid(config)))]
                    for name, value in step_constexprs(step, config).items():
                        words += ["-D", f"{name}={constexpr(value)}"]
                    yield row.name, step.function, words + [argument(row, name, value) for name, value in step.args.items()]


def told(tilec, words):
    """(estimated, by ptxas, bytes of spills), or what was said instead."""
    done = subprocess.run([tilec, "explain", *words, "--arch", "sm_90a", "--format=json", "--quick"], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "TILEC_CACHE": "off"})
    if done.returncode:
        return done.stderr.strip()
    block = json.loads(done.stdout)["block"]
    if "registers" not in block:
        sys.exit("registers.py: there is no ptxas on PATH")
    return block["registers_estimated"], block["registers"], block.get("spill_stores", 0)


def counted(tilec, words):
    """The same, of what choose_occupancy's remark counts. It is there for each kernel if tiles have no room."""
    run = lambda *command: subprocess.run([tilec, *command], cwd=ROOT, capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        try:
            ptx, tir = run(*words, "--arch", "sm_90a", "-o", "-").stdout, f"{folder}/k.tir"
            with open(tir, "w", encoding="utf-8") as file:
                file.write(re.sub(r"maxnreg = \d+", f"maxnreg = {RESERVED}", run(*words, "--arch", "sm_90a", "--emit=tir", "-o", "-").stdout))
            told = run(tir, "--run-pass=choose_occupancy", "--remarks", "--emit=tir", "-o", os.devnull).stderr
        except subprocess.CalledProcessError as error:
            return error.stderr.strip() or "?"
    code = ptx_diff.assemble(ptx, "sm_90a")
    if "refused" in code:
        return code["message"]
    tiles, threads = re.search(r"(\d+) of \d+ registers for tiles", told), re.search(r"\.(?:req|max)ntid (\d+)", ptx)
    return min((int(tiles.group(1)) if tiles else 0) + RESERVED, 65536 // int(threads.group(1)), 255), code["registers"], code["spilled"]


def slack(tilec, wanted):
    listed = subprocess.run([f"{ROOT}/scripts/compile-list", "--quick", wanted], capture_output=True, text=True, check=True).stdout
    some = [words for words in map(str.split, listed.splitlines()) if not words[0].endswith(".tir")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [(words, *told) for words, told in zip(some, pool.map(lambda words: counted(tilec, words), some)) if not isinstance(told, str)]
    errors = [estimated - real for _, estimated, real, _ in found]
    print(f"{len(found)} kernels, {len(some) - len(found)} without figures: the mean error is {statistics.mean(errors):.1f} registers, of its amount "
          f"{statistics.mean(map(abs, errors)):.1f}; the median {statistics.median(errors):.0f}")
    for side, sign in (("too many", -1), ("too few", 1)):
        print(f"\n| {side} | counted | by ptxas | bytes of spills |\n|---|---|---|---|")
        for words, estimated, real, spilled in sorted(found, key=lambda x: sign * (x[1] - x[2]))[:10]:
            print(f"| {words[0]} {words[words.index('--kernel') + 1] if '--kernel' in words else ''} | {estimated} | {real} | {spilled} |")
    return not found


def between(numbers):
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def main():
    if sys.argv[1] == "--slack":
        return slack(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")
    some = list(launches(sys.argv[2] if len(sys.argv) > 2 else ""))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda x: told(sys.argv[1], x[2]), some))
    kernels, errors, failed = {}, [], 0
    for (row, function, words), registers in zip(some, found):
        if isinstance(registers, str):
            failed += 1
            print(f"{row}: {function}: {registers.splitlines()[0]}", file=sys.stderr)
            continue
        kernels.setdefault((words[0].split("/")[-1], function), []).append(registers)
        errors.append(registers[0] / registers[1] - 1)
    print("| kernel | launches | estimated | by ptxas | error, % |\n|---|---|---|---|---|")
    for (file, function), rows in kernels.items():
        wrong = [round(100 * (x[0] / x[1] - 1)) for x in rows]
        print(f"| {function} ({file}) | {len(rows)} | {between([x[0] for x in rows])} | {between([x[1] for x in rows])} | {between(wrong)} |")
    percent = sorted(100 * x for x in errors)
    print(f"{len(errors)} launches: the error's median {statistics.median(percent):.0f} %, of its amount {statistics.median(map(abs, percent)):.0f} %; "
          f"{percent[0]:.0f} to {percent[-1]:.0f} %; {sum(abs(x) <= 25 for x in percent)} within 25 %")
    return failed > 0


sys.exit(main())
