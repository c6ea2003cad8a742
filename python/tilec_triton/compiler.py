# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend that Triton finds: asked for the first time, at the first compile, it loads the drop-in."""

from __future__ import annotations

import os
import sys
import warnings
from types import ModuleType
from typing import Any, Dict

from triton.backends.compiler import BaseBackend, GPUTarget

from . import first


def wanted() -> bool:
    return os.environ.get("TILEC_TRITON", "0") not in ("", "0")


def load() -> None:
    """Loads the drop-in. If that fails, Triton is not changed, and a message says so once."""
    try:
        import tilec.triton  # noqa: F401 - importing it is what does it
    except ImportError as error:
        if os.environ.get("TILEC_TRITON") == "strict":
            raise
        os.environ["TILEC_TRITON"] = "0"
        warnings.warn(f"TILEC_TRITON is set, and Triton compiles for itself: {error}", stacklevel=2)


class TilecBackend(BaseBackend):
    """Supports no target: NVIDIA's backend is left in its place, and its stages are tilec's."""

    binary_ext = "cubin"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        if wanted():
            load()
        return False

    def hash(self) -> str:
        return "tilec"

    def parse_options(self, options: Dict[str, Any]) -> object:
        raise NotImplementedError

    def add_stages(self, stages: Dict[str, Any], options: object, language: Any = None) -> None:
        raise NotImplementedError

    def load_dialects(self, context: Any) -> None:
        raise NotImplementedError

    def get_module_map(self) -> Dict[str, ModuleType]:
        return {}


if wanted() and "tilec.triton" not in sys.modules:
    first.wait()
