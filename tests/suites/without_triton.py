# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton's tests need of Triton's source tree and of PyTorch's GPU, for runs with tilec's own `triton` module.

suite_plugin imports it for SUITE_COMPILER=own. SUITE_SOURCE is the folder with Triton's python/triton. Modules that only
tests use come from there, and no compiler does.

An assertion about a text is evaluated, counted and passed. Texts are PTX, IR and messages of Triton's own compiler. The
test then goes on to its values, so a wrong value after such an assertion is found."""

import ast
import contextlib
import functools
import importlib.util
import os
import re
import sys
import types

import _pytest.assertion.rewrite
import pytest
import torch
import triton

SOURCE = os.path.join(os.environ["SUITE_SOURCE"], "python/triton")
TEXTS = re.compile(r"\b(h?ptx|sass|llir|ttir|ttgir|amdgcn|asm|match|error message)\b")
different = []  # the assertions about texts that the running test has failed


class _SourceFinder:
    """Finds the modules of Triton's that tests use and that compile nothing."""

    FILES = {"triton._internal_testing": "_internal_testing.py", "triton.tools.mxfp": "tools/mxfp.py"}

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        file = cls.FILES.get(name)
        return importlib.util.spec_from_file_location(name, os.path.join(SOURCE, file)) if file else None


sys.meta_path.insert(0, _SourceFinder)


def run_parser(kernel, args=(), kwargs={}, target=None):
    """Compiles the kernel, where Triton's tests make its IR."""
    return kernel.warmup(*args, grid=(1,), **kwargs).asm["ttir"]


def run_filecheck_test(kernel, args=(), kwargs={}):
    run_parser(kernel, args, kwargs)
    different.append("the text of Triton's IR")


def filecheck_test(kernel):
    def test():
        run_filecheck_test(kernel)

    return functools.update_wrapper(test, kernel.fn)


def run_filecheck(name, module, template):
    different.append("the text of Triton's IR")


def _stands_for(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)


_stands_for("triton._filecheck", run_parser=run_parser, run_filecheck_test=run_filecheck_test, filecheck_test=filecheck_test, run_filecheck=run_filecheck)
_stands_for("triton.compiler.code_generator", CodeGenerator=type("CodeGenerator", (), {}))

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"  # a GPU if there is one, else the simulator
if DEVICE == "cpu":
    torch.cuda.get_device_capability = lambda device=None: (9, 0)
    torch.cuda.synchronize = lambda device=None: None
    torch.cuda.get_device_name = lambda device=None: "tilec simulator"
triton.knobs.nvidia.ptxas = types.SimpleNamespace(version="13.0")


class _TextAssertions(ast.NodeTransformer):
    """Puts each assertion about a text into a try statement that records its failure."""

    def visit_Assert(self, node):
        if not TEXTS.search(ast.unparse(node)):
            return node
        around = ast.parse("try:\n    pass\nexcept AssertionError as _error:\n    __import__('without_triton').different.append(str(_error))").body[0]
        around.body = [node]
        return ast.fix_missing_locations(ast.copy_location(around, node))


_rewrite = _pytest.assertion.rewrite.rewrite_asserts
_raises = pytest.raises


def _rewrite_asserts(tree, *more):
    _rewrite(_TextAssertions().visit(tree), *more)


def _raises_any_text(*types_, match=None, **more):
    if match is not None:
        different.append(f"match of a message: {match}")
    return _raises(*types_, **more)


_pytest.assertion.rewrite.rewrite_asserts = _rewrite_asserts
pytest.raises = _raises_any_text


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_setup(item):
    different.clear()
    yield


@pytest.fixture
def device():
    return DEVICE


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
