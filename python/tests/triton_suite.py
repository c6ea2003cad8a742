# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest that runs Triton's own tests of its language on the simulator, with tilec's own `triton` module.

It needs a checkout of Triton, and a Python with PyTorch, NumPy and pytest, and without Triton:

    TRITON_SOURCE=CHECKOUT PYTHONPATH=python/tests python -m tilec -m pytest -p triton_suite CHECKOUT/python/test/unit/language/test_core.py

It gives what those tests take from Triton's source tree and from PyTorch's GPU."""

import importlib.util
import os
import sys
import types

import pytest
import torch
import triton

SOURCE = os.path.join(os.environ["TRITON_SOURCE"], "python/triton")


def _from_source(name, path):
    spec = importlib.util.spec_from_file_location(name, os.path.join(SOURCE, path))
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


torch.cuda.get_device_capability = lambda device=None: (9, 0)  # the simulator's
torch.cuda.synchronize = lambda device=None: None
torch.cuda.get_device_name = lambda device=None: "tilec simulator"
triton.knobs.nvidia.ptxas = types.SimpleNamespace(version="13.0")
_from_source("triton._internal_testing", "_internal_testing.py")


@pytest.fixture
def device():
    return "cpu"


def pytest_configure(config):
    for mark in ("interpreter", "enable_warmup", "disable_warmup"):
        config.addinivalue_line("markers", f"{mark}: of Triton's tests")
