# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pytest plugin that runs a part of somebody's tests under one compiler of Triton kernels and keeps how each ended.

SUITE_COMPILER   triton; tilec: the drop-in, strict; or own: tilec's own `triton` module, where no Triton is installed
SUITE_SOURCE     own: the folder that the suite's files are in
SUITE_PART       RESIDUE/MODULO: the tests whose id's crc32 has that residue; 0/1: all
SUITE_SHARE      I/N: the I-th, I+N-th, ... block of SUITE_BLOCK of these tests: the share of one of N processes. Neighbours launch the
                 same kernels, which are compiled once
SUITE_CONFIGS    how many of its configurations an autotuner tries; 0: all
SUITE_RESULTS    a folder: a file of JSON lines for each process: id, outcome, seconds, message
"""

import json
import os
import re
import sys
import types
import zlib

import pytest
import torch

COMPILER = os.environ.get("SUITE_COMPILER", "triton")
RESIDUE, MODULO = (int(word) for word in os.environ.get("SUITE_PART", "0/1").split("/"))
SHARE, SHARES = (int(word) for word in os.environ.get("SUITE_SHARE", "0/1").split("/"))
CONFIGS = int(os.environ.get("SUITE_CONFIGS", "0"))
BLOCK = int(os.environ.get("SUITE_BLOCK", "8"))
RESULTS = os.environ.get("SUITE_RESULTS")

if COMPILER == "tilec":
    os.environ["TILEC_TRITON"] = "strict"
    import tilec.triton  # noqa: F401
elif COMPILER == "own":
    import tilec.triton  # noqa: F401
    import triton

    if "tilec" not in triton.__version__:
        raise SystemExit(f"SUITE_COMPILER=own: {sys.executable} has Triton {triton.__version__}")
    import without_triton
elif COMPILER != "triton":
    raise SystemExit(f"SUITE_COMPILER={COMPILER}: triton, tilec or own")

if not torch.cuda.is_available():  # tilec's simulator, with tensors of the CPU: what tests ask of the GPU
    properties = types.SimpleNamespace(name="NVIDIA H200", major=9, minor=0, multi_processor_count=132, shared_memory_per_block_optin=232448)
    torch.cuda.get_device_capability = lambda *args: (9, 0)
    torch.cuda.get_device_properties = lambda *args: properties
    torch.cuda.get_device_name = lambda *args: properties.name
    torch.cuda.synchronize = lambda *args: None


if CONFIGS:  # compiling dozens of configurations for each shape is most of some suites' time
    import triton.runtime.autotuner as autotuner

    made = autotuner.Autotuner.__init__

    def with_few(self, fn, arg_names, configs, *args, **kwargs):
        made(self, fn, arg_names, configs[:CONFIGS], *args, **kwargs)

    autotuner.Autotuner.__init__ = with_few


def pytest_configure(config):
    if COMPILER == "own":
        config.pluginmanager.register(without_triton)


def pytest_collection_modifyitems(config, items):
    wanted = [item for item in items if zlib.crc32(item.nodeid.encode()) % MODULO == RESIDUE]
    wanted = [item for i, item in enumerate(wanted) if i // BLOCK % SHARES == SHARE]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(wanted)])
    items[:] = wanted


def message_of(report):
    """The exception's own words: what tilec or an assertion says."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr or "")
    return re.sub(r"\s+", " ", text)[:600]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if RESULTS and (report.when == "call" or report.outcome != "passed"):
        row = {"id": item.nodeid, "outcome": report.outcome, "seconds": round(report.duration, 3), "message": message_of(report)}
        if COMPILER == "own":
            row["texts"] = len(without_triton.different)
        with open(os.path.join(RESULTS, f"{COMPILER}.{os.getpid()}.jsonl"), "a") as file:
            file.write(json.dumps(row) + "\n")


def pytest_collectreport(report):
    if RESULTS and SHARE == 0 and report.failed:  # a file that cannot be imported is one failure
        row = {"id": report.nodeid, "outcome": "failed", "seconds": 0, "message": str(report.longrepr)[-600:]}
        with open(os.path.join(RESULTS, f"{COMPILER}.{os.getpid()}.jsonl"), "a") as file:
            file.write(json.dumps(row) + "\n")
