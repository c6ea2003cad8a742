#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first call of a new kernel: tilec's and Triton's, with empty caches on disk.

python python/bench/first_call.py [KERNELS]     KERNELS: the folder of bench/kernels

Each of twenty kernels is launched for the first time by tilec.jit, by Triton, and by Triton with tilec as its compiler
(tilec.triton). Each launch is in a separate process, after one other kernel, so that shared code is loaded. The figure
is the median of ROUNDS processes. The time ends when the kernel has run. For Triton's first call the compile up to the
cubin is also given separately. The rest is its launcher, for which it calls the C compiler once per signature. Without a
GPU only tilec launches, on the simulator.
"""

import importlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = ("tilec", "triton", "drop-in")
ROUNDS = 3


def kernels(torch, tl, device):
    """(name, module and function, grid, arguments, constexprs, num_warps) of each; every array is larger than the launch needs."""
    x, y, z, w = (torch.randn(1 << 16, device=device) for _ in range(4))
    a, b, c = (torch.randn(256 * 256, device=device).to(torch.float16) for _ in range(3))
    index = torch.zeros(4096, dtype=torch.int32, device=device)
    tile = dict(BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=8)
    return [
        ("warm-up", "memory.add", (4,), (x, y, z, 4000), dict(BLOCK=512), 2),
        ("add", "memory.add", (4,), (x, y, z, 4000), dict(BLOCK=1024), 4),
        ("elu", "memory.elu", (4,), (x, z, 4000), dict(BLOCK=1024), 4),
        ("transpose", "memory.transpose", (2, 2), (x, z, 100, 100), dict(BLOCK_M=64, BLOCK_N=64), 4),
        ("gather", "memory.gather", (4,), (x, index, z, 60), dict(D=64, ROWS=16), 4),
        ("convolution", "memory.conv1d", (4,), (x, z, 4000), dict(BLOCK=1024, TAPS=5), 4),
        ("weighted sum", "reduce.weighted_sum", (4,), (x, y, z, 60, 300), dict(TILE_ROWS=16, TILE_D=64), 4),
        ("its backward", "reduce.weighted_sum_backward", (4,), (x, y, w, z, z, 60, 300), dict(TILE_ROWS=16, TILE_D=64), 4),
        ("column sums", "reduce.column_sum", (2, 2), (x, z, 100, 200, 50), dict(RT=16, BLOCK=128), 4),
        ("softmax", "reduce.softmax", (16,), (x, z, 1000), dict(BLOCK=1024), 4),
        ("softmax in two passes", "reduce.softmax_twice", (4,), (x, z, 5000), dict(BLOCK=1024), 8),
        ("softmax of rows", "reduce.softmax_rows", (4,), (x, z, 60, 100), dict(ROWS=16, BLOCK=128), 4),
        ("layer norm", "reduce.layer_norm", (16,), (x, y, w, z, 1000, 1e-5), dict(EARLY=True, BLOCK=1024), 4),
        ("layer norm of rows", "reduce.layer_norm_rows", (4,), (x, y, w, z, 60, 100, 1e-5), dict(ROWS=16, BLOCK=128), 4),
        ("sum", "reduce.atomic_sum", (4,), (x, z, 4000), dict(BLOCK=1024), 4),
        ("cumulative sum", "reduce.cumsum", (16,), (x, z, 1000), dict(BLOCK=1024), 4),
        ("product, fp16", "matmul.matmul", (16,), (a, b, c, 256, 256, 256, 256, 1, 256, 1), dict(tile, ACC=tl.float32, PRECISION="ieee"), 4),
        ("product, tf32", "matmul.matmul", (16,), (x, y, z, 256, 256, 256, 256, 1, 256, 1), dict(tile, ACC=tl.float32, PRECISION="tf32"), 4),
        ("product of blocks", "matmul.block_matmul", (4, 4), (a, b, c, 256, 256, 256), dict(BLOCK=64, PRECISION="ieee"), 4),
        ("attention", "attention.attention", (2, 2), (a, b, c, c, 0.1, 256), dict(D=64, BLOCK_M=128, BLOCK_N=64, CAUSAL=False), 4),
        ("attention, causal", "attention.attention", (2, 2), (a, b, c, c, 0.1, 256), dict(D=64, BLOCK_M=128, BLOCK_N=64, CAUSAL=True), 4),
    ]


def measure(compiler, folder):
    """Prints [name, seconds, seconds of only the compile] of each kernel."""
    import torch
    import triton

    if compiler == "drop-in":
        import tilec.triton  # noqa: F401
    if compiler == "tilec":
        import tilec
        import tilec.language as tl
    else:
        import triton.language as tl
    gpu = torch.cuda.is_available()
    sys.path.insert(0, str(pathlib.Path(folder).resolve().parent))
    rows = []
    for name, where, grid, args, constexprs, warps in kernels(torch, tl, "cuda" if gpu else "cpu"):
        module, function = where.split(".")
        kernel = getattr(importlib.import_module(f"{pathlib.Path(folder).name}.{module}"), function)
        if compiler == "tilec":
            kernel = tilec.jit(kernel.fn)
        if gpu:
            torch.cuda.synchronize()
        began = time.perf_counter()
        if compiler != "tilec":
            kernel.warmup(*args, grid=grid, num_warps=warps, **constexprs)
        compiled = time.perf_counter()
        kernel[grid](*args, num_warps=warps, **constexprs)
        if gpu:
            torch.cuda.synchronize()
        rows.append((name, time.perf_counter() - began, compiled - began))
    print(json.dumps(rows[1:]))


def measured(compiler, folder):
    """The measurement of a separate process."""
    with tempfile.TemporaryDirectory() as caches:
        environment = {**os.environ, "TILEC_CACHE": "off", "CUDA_CACHE_DISABLE": "1", "TRITON_CACHE_DIR": caches,
                       "TILEC_TRITON": "strict" if compiler == "drop-in" else "0"}
        run = subprocess.run([sys.executable, __file__, compiler, str(folder)], env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout.splitlines()[-1])


def main():
    if len(sys.argv) > 2:
        measure(*sys.argv[1:])
        return
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "bench" / "kernels"
    import torch

    rounds, results = {}, {}
    for _ in range(ROUNDS):
        for compiler in COMPILERS if torch.cuda.is_available() else COMPILERS[:1]:
            rounds.setdefault(compiler, []).append(measured(compiler, folder))
    for compiler, times in rounds.items():
        results[compiler] = [(each[0][0], *(statistics.median(row[i] for row in each) for i in (1, 2))) for each in zip(*times)]
    print(f"{'first call, ms':24}" + "".join(f"{compiler:>10}" for compiler in results) + f"{'compile alone: triton':>24}{'drop-in':>10}{'tilec/triton':>14}{'/compile':>10}{'drop-in':>10}")
    logs = [[], [], []]
    for i, (name, own, _) in enumerate(results["tilec"]):
        line = f"{name:24}" + "".join(f"{rows[i][1] * 1e3:10.1f}" for rows in results.values())
        if len(results) > 1:
            triton, dropped = results["triton"][i], results["drop-in"][i]
            ratios = own / triton[1], own / triton[2], dropped[1] / triton[1]
            for log, ratio in zip(logs, ratios):
                log.append(math.log(ratio))
            line += f"{triton[2] * 1e3:24.1f}{dropped[2] * 1e3:10.1f}{ratios[0]:14.2f}{ratios[1]:10.2f}{ratios[2]:10.2f}"
        print(line)
    for what, log in zip(("of Triton's first call", "of Triton's compile alone", "the drop-in's, of Triton's first call"), logs):
        if log:
            print(f"{what}: geometric mean {math.exp(sum(log) / len(log)):.2f}, largest {math.exp(max(log)):.2f}")


main()
