# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hub.py FOLDER: examples/engines/hub as kernel-builder would build it, loaded by the package kernels of Hugging Face."""

import json
import pathlib
import shutil
import sys

import kernels
import tilec.triton
import torch
from kernels._rust import Build

source, folder = pathlib.Path(__file__).parents[2] / "examples/engines/hub", pathlib.Path(sys.argv[1])
assert len(Build.open(source).general.backends) == 2
variant = folder / "build/torch-cpu"
shutil.copytree(source / "torch-ext/tilec_gelu", variant)
(variant / "_ops.py").write_text('def add_op_namespace_prefix(name):\n    return f"_tilec_gelu_0::{name}"\n')
made = {"id": "_tilec_gelu_0", "name": "tilec-gelu", "version": 1, "license": "apache-2.0"}
made.update({"python-depends": [], "backend": {"type": "cpu"}})
(variant / "metadata.json").write_text(json.dumps(made))
gelu, x = kernels.get_local_kernel(folder, backend="cpu").gelu, torch.randn(3000)
wanted = torch.nn.functional.gelu(x, approximate="tanh")
torch.testing.assert_close(gelu(x), wanted)
torch.testing.assert_close(torch.compile(gelu, fullgraph=True, backend="aot_eager")(x), wanted)
assert "gelu_kernel" in str(tilec.triton.report())
