# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads the folder hub by the package kernels of Hugging Face, on the simulator, after the steps of kernel-builder for PyTorch on
the CPU."""

import json
import pathlib
import shutil
import tempfile

import kernels
import tilec.triton
import torch

METADATA = {"id": "_tilec_gelu_0", "name": "tilec-gelu", "version": 1, "license": "apache-2.0", "python-depends": []}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        variant = pathlib.Path(folder, "build/torch-cpu")
        shutil.copytree(pathlib.Path(__file__).with_name("hub") / "torch-ext/tilec_gelu", variant)
        (variant / "_ops.py").write_text('def add_op_namespace_prefix(name):\n    return f"_tilec_gelu_0::{name}"\n')
        (variant / "metadata.json").write_text(json.dumps({**METADATA, "backend": {"type": "cpu"}}))
        gelu, x = kernels.get_local_kernel(pathlib.Path(folder), backend="cpu").gelu, torch.randn(3000)
        wanted = torch.nn.functional.gelu(x, approximate="tanh")
        torch.testing.assert_close(gelu(x), wanted)
        torch.testing.assert_close(torch.compile(gelu, fullgraph=True, backend="aot_eager")(x), wanted)
        assert "gelu_kernel" in str(tilec.triton.report())
    print("hub: gelu is torch's, eager and compiled")
