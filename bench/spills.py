#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Local memory and serialised wgmmas, by `ptxas -v`, of the configurations that results.jsonl names as ours (--all: of every one).

Needs no GPU. Prints what has any, and closes with 'N kernels, N of them use local memory or are serialised'."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import rows_matmul  # noqa: E402
import rows_memory  # noqa: E402
import rows_reduce  # noqa: E402
import tilec  # noqa: E402
from candidates import KERNELS, defines  # noqa: E402
from work import config_text, our_configs, signature  # noqa: E402


def best_configurations():
    best = {}
    with open(os.path.join(HERE, "results.jsonl"), encoding="utf-8") as file:
        for record in map(json.loads, file):
            best[record["row"]] = {candidate["config"] for candidate in record["candidates"] if candidate["name"] == "tilec"}
    return best


def chosen(row, best):
    for kernel in row.kernels:
        for config in our_configs(row, kernel):
            if best is None or config_text(config, kernel.label) in best.get(row.name, ()):
                yield kernel, config


def assemble(ptxas, arch, ptx):
    """(registers, complaint) of a kernel."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        result = subprocess.run([ptxas, "-v", "-arch", arch, "-o", os.devnull, file.name], capture_output=True, text=True, check=False)
    log = result.stdout + result.stderr
    if result.returncode:
        return 0, log.strip().splitlines()[0]
    local = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", log)
    complaint = "; ".join([f"local memory: {local.group(0)}"] * (local.groups() != ("0", "0", "0")) + re.findall(r"\(C7\d+\).*", log))
    return int(re.search(r"Used (\d+) registers", log).group(1)), complaint


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every configuration of ours")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--rows", default="", metavar="REGEX", help="only rows whose name matches")
    parser.add_argument("--registers", action="store_true", help="every kernel's")
    options = parser.parse_args()
    library, count, bad = tilec.Library(), 0, 0
    best = None if options.all else best_configurations()
    for row in rows_memory.rows(False) + rows_reduce.rows(False) + rows_matmul.rows(False):
        if not re.search(options.rows, row.name):
            continue
        configurations = list(chosen(row, best))
        if not configurations:
            print(f"{row.name}: no configuration of the suite's is named in results.jsonl")
            bad += 1
        for kernel, config in configurations:
            for step in kernel.steps:
                ptx = library.compile(os.path.join(KERNELS, kernel.file), step.function, signature(row, step), defines(step, config),
                                      config["num_warps"], config["num_stages"], options.arch, overlap=config["overlap"],
                                      tma=tilec.TMA_ON if kernel.copies else tilec.TMA_AUTO)
                registers, complaint = assemble(options.ptxas, options.arch, ptx)
                count, bad = count + 1, bad + bool(complaint)
                if complaint or options.registers:
                    print(f"{row.name}: {step.function} [{config_text(config, kernel.label)}]: {registers} registers. {complaint}", flush=True)
    print(f"{count} kernels, {bad} of them use local memory or are serialised")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
