#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures all configurations of spaces of spaces.json on this machine's GPU: what measured.json keeps. Needs PyTorch and the package tilec.

measure.py ROUNDS FILE SPACE...: one JSON object into FILE; microseconds of a configuration are the median of ROUNDS rounds, each in another
order, of a graph of 12 launches on three sets of buffers in turn. Code is compiled by 16 processes first, into the cache."""
import json
import multiprocessing
import os
import random
import statistics
import sys
from itertools import product

here = os.path.dirname(os.path.abspath(__file__))
SETS, LAUNCHES = 3, 12


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
        except Exception:  # what does not fit is told when it is measured
            pass


def graph_of(space, values):
    import torch
    space.launch(values, 0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(LAUNCHES):
            space.launch(values, i % SETS)
    return graph


def sample(graph):
    import torch
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000 / LAUNCHES


def measure(name, rounds):
    space = Space(name)
    graphs, times = {}, {}
    for values in space.configurations:
        try:
            graphs[values] = graph_of(space, values)
        except Exception as error:
            print(name, values, error, file=sys.stderr)
        times[values] = []
    for graph in graphs.values():
        sample(graph)
    for _ in range(rounds):
        for values in random.sample(list(graphs), len(graphs)):
            times[values].append(sample(graphs[values]))
    return [[values, round(statistics.median(taken), 2) if taken else None] for values, taken in times.items()]


def main():
    rounds, file, spaces = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=compile_part, args=(name, part, 16)) for name in spaces for part in range(16)]
    for i in range(0, len(workers), 16):
        for worker in workers[i:i + 16]:
            worker.start()
        for worker in workers[i:i + 16]:
            worker.join()
    with open(file, "w", encoding="utf-8") as out:
        json.dump({name: measure(name, rounds) for name in spaces}, out)


if __name__ == "__main__":
    main()
