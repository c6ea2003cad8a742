# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m tilec warm: the kernels that a program launches, in a bundle. libtilec writes each one that it compiles or uses to the folder
TILEC_RECORD, in processes that the program starts too. The command `tilec warm` makes the bundle of it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import List, Optional, Tuple

import tilec_command


class Usage(Exception):
    """A wrong word after `warm`."""


def take_options(words: List[str]) -> Tuple[List[str], str, Optional[str]]:
    """The words after -o BUNDLE and --arch SM, the bundle and the architecture. -o may come after the program."""
    left: List[str] = []
    found = {"-o": "", "--arch": ""}
    while words:
        name, equals, value = words[0].partition("=")
        if name == "--output":
            name = "-o"
        if name not in found or (name != "-o" and left):
            left, words = left + words[:1], words[1:]
        elif equals:
            found[name], words = value, words[1:]
        elif len(words) == 1:
            raise Usage(f"{name} needs a value")
        else:
            found[name], words = words[1], words[2:]
    if not found["-o"]:
        raise Usage("warm writes a bundle: name its file with -o")
    return left, found["-o"], found["--arch"] or None


def _add_assembler() -> None:
    """Triton's ptxas, where there is no other: it makes the bundle's cubins."""
    triton = importlib.util.find_spec("triton") if shutil.which("ptxas") is None else None
    if triton is not None and triton.submodule_search_locations:
        folder = os.path.join(triton.submodule_search_locations[0], "backends", "nvidia", "bin")
        os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", ""), folder])


def begin(arch: Optional[str]) -> str:
    """From now on what is compiled is recorded: in a folder, which it returns. With `arch` the program runs on the simulator."""
    folder = tempfile.mkdtemp(prefix="tilec-")
    os.environ["TILEC_RECORD"] = os.path.join(folder, "record")
    for name in ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"):  # what is there would not be compiled again
        os.environ[name] = os.path.join(folder, name)
    if arch is not None:
        os.environ.update(TILEC_WARM_ARCH=arch, TILEC_DEVICE="sim", CUDA_VISIBLE_DEVICES="")
    _add_assembler()
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    return folder


def end(folder: str, output: str, good: bool) -> int:
    """Writes the bundle. The status of the command."""
    sys.stdout.flush()
    try:
        if not good:
            print("tilec: the program failed: no bundle is written", file=sys.stderr)
            return 1
        record = os.environ.pop("TILEC_RECORD")
        if not os.path.isdir(record):
            print("tilec: the program compiled no kernel: no bundle is written", file=sys.stderr)
            return 1
        command = os.path.join(os.path.dirname(os.path.abspath(tilec_command.__file__)), "tilec")
        return subprocess.run([command, "warm", record, "-o", output], check=False).returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)
