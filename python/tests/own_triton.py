# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs where no Triton is installed: an installed one is not found by them."""

import os
import pathlib
import subprocess
import sys
import textwrap

# Python runs a module of this name at its start.
HIDES = """
import importlib.machinery
find = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = classmethod(lambda cls, name, path=None, target=None: None if name == "triton" else find(name, path, target))
"""


def run(folder, *words, text=None, environment=None):
    """`python WORDS` in the folder, where program.py has the text."""
    folder = pathlib.Path(folder)
    (folder / "hides").mkdir(exist_ok=True)
    (folder / "hides/sitecustomize.py").write_text(HIDES)
    if text is not None:
        (folder / "program.py").write_text(textwrap.dedent(text))
    paths = [str(folder / "hides"), *sys.path, os.environ.get("PYTHONPATH", "")]
    given = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TILEC_DEVICE": "sim", "PYTHONPATH": os.pathsep.join(filter(None, paths)), **(environment or {})}
    return subprocess.run([sys.executable, *words], env=given, cwd=folder, capture_output=True, text=True, timeout=120 * float(os.environ.get("TILEC_TEST_SLOW", 1)))
