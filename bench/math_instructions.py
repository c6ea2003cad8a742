#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machine instructions an element of the functions of fp32, of tilec and of Triton, whose functions are libdevice's.

  math_instructions.py TILEC >math_instructions.txt

Needs Triton, which brings ptxas and nvdisasm, and no GPU. Counts a kernel of four elements a thread for sm_90a, minus
the same kernel without the function, divided by four. All branches count. So if a function has a branch (for large
arguments, say), the count is more than most elements run. Lines: function, tilec's, Triton's; - if it has none.
scripts/math-table puts them into docs/language.md."""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin")
CALLS = {  # of the rows of docs/language.md that are not libdevice's name of the function
    "exp_approx": "tl.exp(x)",
    "sqrt_approx": "tl.sqrt(x)",
    "rsqrt_approx": "tl.rsqrt(x)",
    "log2_approx": "libdevice.fast_log2f(x)",
    "sin_approx": "libdevice.fast_sinf(x)",
    "cos_approx": "libdevice.fast_cosf(x)",
    "tanh_approx": "libdevice.fast_tanhf(x)",
    "div_approx": "libdevice.fast_dividef(x, y)",
    "sqrt": "tl.sqrt_rn(x)",
    "rsqrt": "libdevice.rsqrt_rn(x)",
    "div": "tl.div_rn(x, y)",
    "x/y": "x / y",
    "1/x": "1 / x",
    "sigmoid": "tl.sigmoid(x)",
    "silu": "x * tl.sigmoid(x)",
    "x/(1+exp(-x))": "x / (1 + tl.exp(-x))",
    "gelu": "0.5 * x * (1 + tl.erf(x * 0.7071067811865476))",
    "gelu-tanh": "0.5 * x * (1 + libdevice.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))",
    "pow-by-scalar": "libdevice.pow(x, tl.load(q))",
    "pow-by-2.5": "libdevice.pow(x, 2.5)",
    "pow-by-3": "libdevice.pow(x, 3.0)",
    "fast_expf": "libdevice.fast_expf(x)",
    "fast_logf": "libdevice.fast_logf(x)",
    "fast_tanf": "libdevice.fast_tanf(x)",
    "fast_powf": "libdevice.fast_powf(x, y)",
}
TWO = {"atan2", "pow", "hypot", "fmod", "remainder"}
EXACT = {"copysign", "nextafter", "ldexp", "floor", "ceil", "trunc", "round", "rint", "abs", "logb", "ilogb", "isnan", "isinf", "isfinite", "signbit"}
SPECIAL = ["erfcx", "erfinv", "erfcinv", "normcdf", "normcdfinv"]  # the front end makes them
SOURCE = """import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def k(p, q, o):
    i = tl.arange(0, 512)
    x = tl.load(p + i)
    y = tl.load(q + i)
    z = {}
    tl.store(o + i, z + y)
"""


def names():
    with open(os.path.join(HERE, "..", "ir", "math.def"), encoding="utf-8") as file:
        rows = [line[2:].split(",")[0] for line in file if line.startswith("X(")]
    return [name for name in rows if name not in EXACT] + SPECIAL + [name for name in CALLS if name not in rows]


def assemble(ptx, to):
    subprocess.run([os.path.join(BIN, "ptxas"), "-arch=sm_90a", ptx, "-o", to], check=True, capture_output=True)


def of_tilec(tilec, source, folder):
    ptx, cubin = os.path.join(folder, "t.ptx"), os.path.join(folder, "t.cubin")
    options = ["--kernel", "k", "--arch", "sm_90a", "--num-warps", "4", "--signature", "p=*fp32:16,q=*fp32:16,o=*fp32:16"]
    subprocess.run([tilec, "compile", source, *options, "-o", ptx], check=True, capture_output=True)
    assemble(ptx, cubin)
    return cubin


def of_triton(source, folder):
    spec = importlib.util.spec_from_file_location(os.path.basename(source)[:-3], source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    facts = {(i,): [["tt.divisibility", 16]] for i in range(3)}
    signature = {name: "*fp32" for name in "pqo"}
    kernel = triton.compile(ASTSource(fn=module.k, signature=signature, constexprs={}, attrs=facts), target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})
    cubin = os.path.join(folder, "triton.cubin")
    with open(cubin, "wb") as file:
        file.write(kernel.asm["cubin"])
    return cubin


def count(cubin):
    text = subprocess.run([os.path.join(BIN, "nvdisasm"), "-c", cubin], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d+\s+)?([A-Z][A-Z0-9_.]+)", text)
    return sum(not name.startswith("NOP") for name in found)


def main():
    tilec = sys.argv[1]
    print("# machine instructions an element, fp32, sm_90a: tilec, Triton " + triton.__version__)
    base = {}
    with tempfile.TemporaryDirectory() as folder:
        for n, name in enumerate(["id", *names()]):
            call = CALLS.get(name) or f"libdevice.{name}(x{', y' if name in TWO else ''})"
            source = os.path.join(folder, f"k{n}.py")
            with open(source, "w", encoding="utf-8") as file:
                file.write(SOURCE.format("x" if name == "id" else call))
            counts = []
            for make in (lambda s=source: of_tilec(tilec, s, folder), lambda s=source: of_triton(s, folder)):
                try:
                    counts.append(count(make()))
                except Exception:  # what has no such function says so in its own way
                    counts.append(None)
            base = base or counts
            if name != "id":
                print(name, *("-" if c is None else f"{(c - b) / 4:.1f}" for c, b in zip(counts, base)), flush=True)


main()
