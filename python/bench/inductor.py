#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile with tilec as the compiler of its kernels, against Triton: python python/bench/inductor.py
[CASE[:MODE]...]

Each case runs in a separate process for each compiler, with empty caches on disk. Prints the time of the first call
(forward and backward), and the largest error of the loss and its gradients against eager's (root mean squares). Also
prints the compiler of the kernels in the cache. Needs a GPU, PyTorch and Triton. tilec is strict: a refusal is a failure.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

WIDTH, HEADS, TOKENS, BATCH = 256, 4, 128, 4


def transformer(torch):
    """Two layers, forward and backward, in bf16: (function, inputs)."""
    nn = torch.nn
    layer = lambda: nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
    model = nn.Sequential(layer(), layer(), nn.LayerNorm(WIDTH)).cuda().to(torch.bfloat16)
    x = torch.randn(BATCH, TOKENS, WIDTH, device="cuda", dtype=torch.bfloat16, requires_grad=True)

    def step(x):
        return model(x).float().square().mean()

    return step, [x], list(model.parameters()) + [x]


def chains(torch):
    """Softmax, layer norm and GELU among element-wise operations, forward and backward."""
    F = torch.nn.functional
    x = torch.randn(1000, 781, device="cuda", requires_grad=True)
    w = torch.randn(781, device="cuda", requires_grad=True)

    def step(x, w):
        a = F.softmax(x * w + 1, -1) * x.sigmoid()
        b = F.layer_norm(F.gelu(x + w) * 0.5, (781,), w)
        c = F.gelu(F.layer_norm(a + b, (781,)), approximate="tanh")
        return (F.log_softmax(c, -1) * b).square().mean() + a.sum(0).abs().max()

    return step, [x, w], [x, w]


CASES = {"transformer": transformer, "chains": chains}
MODES = ("default", "max-autotune")


def measure(name, mode, compiler):
    """Prints {seconds, error, reported, fallbacks}."""
    import torch

    reporter = None
    if compiler == "tilec":
        import tilec.triton as reporter
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    step, inputs, leaves = CASES[name](torch)

    def gradients(function):
        for leaf in leaves:
            leaf.grad = None
        value = function(*inputs)
        value.backward()
        return [value.detach().clone()] + [leaf.grad.detach().clone() for leaf in leaves]

    eager = gradients(step)
    compiled = torch.compile(step, mode=mode)
    torch.cuda.synchronize()
    began = time.perf_counter()
    results = gradients(compiled)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - began
    for _ in range(3):  # CUDA graphs of max-autotune are recorded by later calls
        torch.compiler.cudagraph_mark_step_begin()
        results = gradients(compiled)
    rms = lambda t: t.double().square().mean().sqrt().item()
    floor = 1e-2 * max(rms(b) for b in eager)  # gradients that are zero but for rounding (of the keys' bias) do not count
    error = max(rms(a.double() - b.double()) / max(rms(b), floor) for a, b in zip(results, eager))
    row = {"seconds": seconds, "error": error}
    if reporter:
        row.update(reported=len(reporter.report()), fallbacks=[str(item) for item in reporter.report().fallbacks])
    print(json.dumps(row))


def whose(cache):
    """Kernels in Triton's cache: tilec's, and Triton's."""
    count = {"tilec": 0, "triton": 0}
    for path in pathlib.Path(cache).rglob("*.ttgir"):
        count["triton" if "ttg." in path.read_text() else "tilec"] += 1
    return count


def main():
    if len(sys.argv) == 4 and sys.argv[3] in ("triton", "tilec"):
        measure(*sys.argv[1:])
        return 0
    status = 0
    print(f"{'':26}{'triton s':>10}{'tilec s':>10}{'ratio':>8}{'error':>11}{'error':>11}  kernels of tilec, of Triton")
    for name, wanted in [(word.partition(":")[0], word.partition(":")[2]) for word in sys.argv[1:] or CASES]:
        for mode in [wanted] if wanted else MODES:
            rows, counts = {}, {}
            for compiler in ("triton", "tilec"):
                with tempfile.TemporaryDirectory() as caches:
                    environment = {**os.environ, "TRITON_CACHE_DIR": f"{caches}/triton", "TORCHINDUCTOR_CACHE_DIR": f"{caches}/inductor", "TILEC_CACHE": "off",
                                   "TILEC_TRITON": "strict" if compiler == "tilec" else "0"}
                    run = subprocess.run([sys.executable, __file__, name, mode, compiler], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    if run.returncode:
                        print(f"{name}, {mode}, {compiler}: failed\n{run.stderr[-3000:]}")
                        status = 1
                        continue
                    rows[compiler], counts[compiler] = json.loads(run.stdout.splitlines()[-1]), whose(caches)
            if len(rows) == 2:
                a, b = rows["triton"], rows["tilec"]
                print(f"{name + ', ' + mode:26}{a['seconds']:10.1f}{b['seconds']:10.1f}{b['seconds'] / a['seconds']:8.2f}{a['error']:11.1e}{b['error']:11.1e}"
                      f"  {counts['tilec']['tilec']}, {counts['tilec']['triton']} (Triton alone: {counts['triton']['triton']})", *b["fallbacks"])
                if b["error"] > max(2 * a["error"], 1e-5) or counts["tilec"]["triton"] or not counts["tilec"]["tilec"]:
                    status = 1
    return status


sys.exit(main())
