#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host's time of a launch from Python: tilec and Triton, in one process, with PyTorch's tensors.

python python/bench/launch.py     (with tilec, torch and triton installed)

With a GPU both launch on it: the time until the call returns, launches of a short kernel going on. Without one tilec
launches empty grids on its simulator, and Triton has a driver whose launch does nothing.
"""

import gc
import statistics
import time

import tilec
import tilec.language as tile
import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.runtime import driver

ROUNDS, LAUNCHES = 9, 5000
GPU = torch.cuda.is_available()


class NoDriver:
    """The answers that Triton wants from a driver. Launches do nothing."""

    class utils:
        load_binary = staticmethod(lambda *args: (0, 0, 0, 0, 1024))
        unload_module = staticmethod(lambda *args: None)
        get_device_properties = staticmethod(lambda device: {"max_shared_mem": 232448, "multiprocessor_count": 132})

    get_current_device = staticmethod(lambda: 0)
    get_current_stream = staticmethod(lambda device: 0)
    get_current_target = staticmethod(lambda: GPUTarget("cuda", 90, 32))
    get_active_torch_device = staticmethod(lambda: torch.device("cuda"))
    launcher_cls = staticmethod(lambda source, metadata: lambda *args: None)


def four(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


def twenty(x0, x1, x2, x3, x4, x5, x6, x7, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, f0, f1, B: tl.constexpr, C: tl.constexpr,
           NAME: tl.constexpr, TYPE: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x0 + i, tl.load(x1 + i) + a0 + a1 + f0)


def calls(jit, types, x, grid):
    """(what, one launch) of each row."""
    k4, k20 = jit(four), jit(twenty)
    numbers = (1000, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1.0, 2.0)
    return [
        ("4 arguments (3 tensors)", lambda: k4[grid](x, x, x, 1000, BLOCK=1024)),
        ("the same, a grid that is a function", lambda: k4[lambda meta: grid](x, x, x, 1000, BLOCK=1024)),
        ("the same, with num_warps and num_stages", lambda: k4[grid](x, x, x, 1000, BLOCK=1024, num_warps=8, num_stages=2)),
        ("24 arguments (8 tensors, 4 constexprs)",
         lambda: k20[grid](x, x, x, x, x, x, x, x, *numbers, B=16, C=32, NAME="relu", TYPE=types.float32, num_warps=4)),
    ]


def seconds(launch):
    """The time of a launch: the median of rounds."""
    launch()
    rounds = []
    gc.disable()
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            launch()
        rounds.append((time.perf_counter() - start) / LAUNCHES)
        if GPU:
            torch.cuda.synchronize()
    gc.enable()
    return statistics.median(rounds)


def main():
    x = torch.zeros(1024, device="cuda" if GPU else "cpu")
    if not GPU:
        driver.set_active(NoDriver())
    ours = calls(tilec.jit, tile, x, (1,) if GPU else (0,))
    theirs = calls(triton.jit, tl, x, (1,))
    print(f"{'us per launch':42}{'tilec':>8}{'Triton ' + triton.__version__:>14}{'ratio':>8}")
    for (what, a), (_, b) in zip(ours, theirs):
        t, u = seconds(a), seconds(b)
        print(f"{what:42}{t * 1e6:8.2f}{u * 1e6:14.2f}{t / u:8.2f}")


main()
