#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures all configurations of spaces of spaces.json on this machine's GPU: what measured.json keeps. Needs PyTorch and the package tilec.

measure.py ROUNDS FILE SPACE...: one JSON object into FILE. A configuration's microseconds are the median of ROUNDS
rounds, each in another order. A round is a graph of launches on three sets of buffers that alternate. It has 12
launches, or more up to 1.5 ms. The difference between the medians of odd and even rounds shows how stable they are.
16 processes compile the code first, into the cache."""
import json
import math
import multiprocessing
import os
import random
import statistics
import sys
from itertools import product

here = os.path.dirname(os.path.abspath(__file__))
SETS, LAUNCHES, LEAST_US = 3, 12, 1500


def cdiv(a, b):
    return -(-a // b)


def arguments(words):
    import torch
    types, found = {"fp16": torch.float16, "fp32": torch.float32}, {}
    for word in words.split():
        name, spec = word.split("=")
        kind, _, rest = spec.partition(":")
        if not rest:
            found[name] = float(spec) if "." in spec else int(spec)
            continue
        shape = [int(n) for n in rest[rest.index("[") + 1:-1].split(",")]
        found[name] = (torch.randn if kind == "randn" else torch.empty)(shape, dtype=types[rest[:rest.index("[")]], device="cuda")
    return found


class Space:
    def __init__(self, name):
        import tilec
        self.tilec = tilec
        with open(os.path.join(here, "spaces.json"), encoding="utf-8") as file:
            self.of = json.load(file)[name]
        sys.path.insert(0, here)
        sys.modules.setdefault("triton", tilec)
        sys.modules.setdefault("triton.language", tilec.language)
        self.kernel = getattr(__import__("spaces"), self.of["kernel"])
        self.names = list(self.of["ranges"])
        self.configurations = list(product(*self.of["ranges"].values(), self.of["warps"], self.of["stages"]))
        self.sets = [arguments(self.of["args"]) for _ in range(SETS)]

    def launch(self, values, which):
        constants = dict(zip(self.names, values))
        grid = tuple(eval(g, {"cdiv": cdiv, **self.sets[0], **constants}) for g in self.of["grid"])
        self.kernel[grid](*self.sets[which].values(), **constants, num_warps=values[-2], num_stages=values[-1])


def compile_part(name, part, parts):
    space = Space(name)
    for values in space.configurations[part::parts]:
        try:
            space.launch(values, 0)
        except Exception:  # a configuration that does not fit is reported when it is measured
            pass


class Graph:
    """Launches of a configuration, put on the GPU at once."""

    def __init__(self, space, values):
        import torch
        space.launch(values, 0)
        torch.cuda.synchronize()
        self.capture(space, values, LAUNCHES)
        self.sample()
        each = self.sample()
        if each * LAUNCHES < LEAST_US:
            self.capture(space, values, SETS * math.ceil(LEAST_US / each / SETS))

    def capture(self, space, values, launches):
        import torch
        self.graph, self.launches = torch.cuda.CUDAGraph(), launches
        with torch.cuda.graph(self.graph):
            for i in range(launches):
                space.launch(values, i % SETS)

    def sample(self):
        """Microseconds of a launch."""
        import torch
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        self.graph.replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1000 / self.launches


def graphs_of(space, configurations):
    graphs = {}
    for values in configurations:
        try:
            graphs[values] = Graph(space, values)
        except Exception as error:
            print(space.kernel.__name__, values, error, file=sys.stderr)
    return graphs


def in_rounds(graphs, rounds):
    """Microseconds of each configuration's rounds, which take all of them in another order each."""
    times = {values: [] for values in graphs}
    for graph in graphs.values():
        graph.sample()
    for _ in range(rounds):
        for values in random.sample(list(graphs), len(graphs)):
            times[values].append(graphs[values].sample())
    return times


def measure(name, rounds):
    space = Space(name)
    times = in_rounds(graphs_of(space, space.configurations), rounds)
    if rounds > 1:
        apart = sorted(abs(statistics.median(taken[::2]) / statistics.median(taken[1::2]) - 1) for taken in times.values())
        print(f"{name}: medians of odd and even rounds are {apart[len(apart) // 2]:.2%} apart in the median of {len(apart)} configurations, "
              f"{apart[len(apart) * 95 // 100]:.2%} in the worst twentieth, {apart[-1]:.2%} at most", flush=True)
    return [[values, round(statistics.median(times[values]), 2) if values in times else None] for values in space.configurations]


def compile_all(spaces):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=compile_part, args=(name, part, 16)) for name in spaces for part in range(16)]
    for i in range(0, len(workers), 16):
        for worker in workers[i:i + 16]:
            worker.start()
        for worker in workers[i:i + 16]:
            worker.join()


def main():
    rounds, file, spaces = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    compile_all(spaces)
    found = {}
    for name in spaces:
        found[name] = measure(name, rounds)
        with open(file, "w", encoding="utf-8") as out:  # after each: what was measured is not lost
            json.dump(found, out)


if __name__ == "__main__":
    main()
