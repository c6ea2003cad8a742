# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the playground that are made: its kernels, from the tutorials, and its engine, from scripts/playground."""
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "build/playground/page/engine.js"
TILES = "M=64 N=48 K=96\nBLOCK_M=32 BLOCK_N=32 BLOCK_K=32 --grid 'cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)'"
KERNELS = [  # title, file of examples/tutorials, words of the launch
    ("Vector add", "add.py", "x_ptr=randn:fp32[1000] y_ptr=randn:fp32[1000]\nout_ptr=empty:fp32[1000] n=1000\n"
                             "BLOCK=256 --grid 'cdiv(n, BLOCK)'"),
    ("Softmax", "softmax.py", "x_ptr=randn:fp32[16,200] out_ptr=empty:fp32[16,200]\ncolumns=200 BLOCK=256 --grid 16"),
    ("Matmul", "matmul.py", f"a_ptr=randn:fp16[64,96] b_ptr=randn:fp16[96,48] c_ptr=empty:fp16[64,48]\n{TILES}"),
    ("Attention", "attention.py", "q_ptr=randn:fp16[2,64,32] k_ptr=randn:fp16[2,64,32] v_ptr=randn:fp16[2,64,32]\n"
                                  "out_ptr=empty:fp16[2,64,32] scale=0.177 N=64\nD=32 BLOCK_M=32 BLOCK_N=32 --grid 2,2"),
    ("Dropout", "dropout.py", "x_ptr=randn:fp32[1000] out_ptr=empty:fp32[1000] n=1000\np=0.25 seed=1 BLOCK=256 --grid 4"),
    ("A data race: lost updates", "histogram.py", "x_ptr=randint(0,4):i32[100] count_ptr=zeros:i32[4] n=100\n"
                                                  "BLOCK=64 --grid 'cdiv(n, BLOCK)' --kernel lost"),
    ("A read out of bounds", "average.py", "x_ptr=randn:fp32[1000] out_ptr=empty:fp32[1000] n=1000\n"
                                           "BLOCK=256 --grid 'cdiv(n, BLOCK)'"),
]


def kernels():
    """kernels.js"""
    rows = []
    for title, name, words in KERNELS:
        lines = (ROOT / "examples/tutorials" / name).read_text().split("\n")
        source = "\n".join(line for line in lines if not line.startswith("# SPDX"))
        rows.append({"title": title, "source": source, "words": words})
    return f"self.tilecKernels = {json.dumps(rows, indent=1)};\n"


def engine():
    """engine.js; without emscripten, one that says so."""
    return ENGINE.read_text() if ENGINE.exists() else "self.tilecEngine = null;\n"
