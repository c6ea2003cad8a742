#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two builds of tilec: the kernels whose PTX differs, in one run on one machine.

versus.py OLD [--rows REGEX]: OLD is the other build's libtilec.so. Both builds compile each row of the suite in the
configuration that results.jsonl names best (--configs N: the others too, up to N whose PTX differs). If the PTX is the
same, nothing is timed. Otherwise both are checked against float64 and timed like the suite's candidates. Rounds take a
new random order, and every candidate has its own lead-in. Ends with status 1 if the new build falls below the bar: 0.99
of the old one's speed for rows that move memory, 0.98 for rows that compute."""
import argparse
import json
import os
import random
import re
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import candidates as c  # noqa: E402
import rows_matmul  # noqa: E402
import rows_memory  # noqa: E402
import rows_reduce  # noqa: E402
import tilec  # noqa: E402
from work import config_text, our_configs, signature  # noqa: E402

BARS = {False: 0.99, True: 0.98}  # by whether the row computes
LEAD = {False: 4e-3, True: 60e-3}  # seconds of a candidate's own replays before one is timed: the clock follows the power
HERE = os.path.dirname(os.path.abspath(__file__))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="the old build's libtilec.so")
    parser.add_argument("--rows", default="", metavar="REGEX")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--configs", type=int, default=1, metavar="N", help="of each row the best configuration and as many as make N that differ")
    parser.add_argument("--list", action="store_true", help="which rows' PTX differs; needs no GPU")
    parser.add_argument("--results", default=os.path.join(HERE, "results.jsonl"))
    return parser.parse_args()


def best_configs(path):
    """row -> the text of tilec's configuration."""
    best = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            best.update({record["row"]: x["config"] for x in record["candidates"] if x["name"] == "tilec"})
    return best


def find_configs(row, text):
    """[(kernel, configuration)], that of the text first."""
    pairs = [(kernel, config) for kernel in row.kernels if kernel.ours for config in our_configs(row, kernel)]
    return sorted(pairs, key=lambda pair: config_text(pair[1], pair[0].label) != text)


def ptx_of(library, row, kernel, config):
    """The PTX of each step, without its line numbers."""
    texts = [library.compile(os.path.join(c.KERNELS, kernel.file), step.function, signature(row, step), c.defines(step, config),
                             config["num_warps"], config["num_stages"], "sm_90a", overlap=config["overlap"]) for step in kernel.steps]
    return [[line for line in text.splitlines() if not line.lstrip().startswith((".loc", "//"))] for text in texts]


def timed(clock, runs, sets, target, lead, rounds):
    """For each of `runs` a list of seconds of one launch."""
    graphs = [clock.capture(run, sets, target) for run in runs]
    times = [[] for _ in runs]
    for _ in range(rounds):
        for i in random.sample(range(len(runs)), len(runs)):
            graph, launches, replays = graphs[i]
            times[i].append(clock.seconds(graph, max(1, round(replays * lead / 4e-3))) / launches)
    return times


def measure(envs, row, kernel, config, options):
    """Prints the row's line; whether the bar is met."""
    from measure import buffer_sets, try_candidate
    sets = buffer_sets(envs[0], row)
    views = {name: tensor.t() if row.buffers[name].transposed else tensor for name, tensor in sets[0].items()}
    reference = row.reference(envs[0].torch, views)
    both = [c.Tilec(env, row, kernel, config) for env in envs]
    for env, candidate in zip(envs, both):
        c.compile_tilec([candidate], sets[0])
        if not try_candidate(env, row, candidate, sets[0], reference):
            print(f"{row.name}: {'old' if env is envs[0] else 'new'} FAILED: {candidate.error}", flush=True)
            return False
    computes = row.flops > 0
    old, new = map(statistics.median, timed(envs[0].clock, [x.run for x in both], sets, 3e-3, LEAD[computes], options.rounds))
    fine = old / new >= BARS[computes] - 1e-9
    print(f"{row.name}: old {old * 1e6:.1f} us, new {new * 1e6:.1f} us, new/old speed {old / new:.3f}{'' if fine else ' BELOW THE BAR'} "
          f"[{config_text(config, kernel.label)}]", flush=True)
    return fine


def main():
    options = parse_options()
    libraries, best = [tilec.Library(options.old), tilec.Library()], best_configs(options.results)
    differ, same, fine = [], 0, True
    for row in rows_memory.rows(False) + rows_reduce.rows(False) + rows_matmul.rows(False):
        if not re.search(options.rows, row.name):
            continue
        found = []
        for kernel, config in find_configs(row, best.get(row.name))[:None if options.configs > 1 else 1]:
            old, new = (ptx_of(library, row, kernel, config) for library in libraries)
            if old != new and len(found) < options.configs:
                found.append((row, kernel, config))
        same += not found
        differ += found
    print(f"{same} rows have the same PTX, {len({row.name for row, _, _ in differ})} differ: "
          f"{' '.join(dict.fromkeys(row.name for row, _, _ in differ))}", flush=True)
    if options.list or not differ:
        return 0
    import torch

    from measure import Env
    torch.manual_seed(0)
    torch.set_grad_enabled(False)
    envs = [Env(torch, library, "cuda", options, lambda *_: None) for library in libraries]
    envs[1].clock = envs[0].clock
    for row, kernel, config in differ:
        fine &= measure(envs, row, kernel, config, options)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
