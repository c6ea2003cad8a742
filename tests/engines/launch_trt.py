# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""launch_trt.py FOLDER: what TensorRT would launch of the functions of FOLDER's modules, as arguments of tilec check after
the file with the PTX, one line a launch."""

import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(folder), str(pathlib.Path(__file__).parent)]
import sizes_trt
import tensorrt_gelu
from tensorrt.plugin import TensorDesc, SymInt32


def launch(made, inputs, outputs):
    """TensorRT's order of arguments: inputs, integers, outputs."""
    name, ptx, params, extra = made
    assert params.shared == 0 and all(isinstance(each, SymInt32) for each in extra)
    (folder / f"{name}.ptx").write_text(ptx)
    grid = ",".join(str(size) for size in params.grid)
    print(f"{folder}/{name}.ptx --kernel {name} --threads {params.threads} --grid {grid}", *inputs,
          *(each.value for each in extra), *outputs)  # fmt: skip


launch(tensorrt_gelu.gelu_ahead(TensorDesc(5, 1000), ()), ["randn:fp32[5000]"], ["empty:fp32[5000]"])
for n, rows in ((70, 3), (5, 90)):
    launch(sizes_trt.sizes(n, rows), [], ["zeros:i32[1024]"])
