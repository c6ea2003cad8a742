# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backends: only NVIDIA's, whose driver is the simulator where there is no GPU."""

from __future__ import annotations

import importlib
from typing import Any, Dict


class Backend:
    """A backend's driver."""

    @property
    def driver(self) -> Any:
        return importlib.import_module("triton.runtime").driver.default


backends: Dict[str, Backend] = {"nvidia": Backend()}
