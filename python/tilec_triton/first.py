# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first launch of a process with TILEC_TRITON. Triton asks for a driver within it, which loads the drop-in: too late for this launch.
So what launches is replaced while Triton is imported, by what loads the drop-in and launches again."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import Any, Dict, Optional, Tuple

LAUNCHERS = (("triton.runtime.jit", "JITFunction"), ("triton.runtime.autotuner", "Autotuner"))

_originals: Dict[Any, Any] = {}


class _WaitsForJit(MetaPathFinder):
    """Finds nothing; whenever Triton imports one more module, it looks whether what launches is there."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        launchers = _launchers() if name.startswith("triton.") else None
        if launchers is None:
            return
        sys.meta_path.remove(self)
        for each in launchers:
            _originals[each] = each.run
            each.run = _launch


def _launchers() -> Optional[Tuple[Any, ...]]:
    found = tuple(getattr(sys.modules.get(module), name, None) for module, name in LAUNCHERS)
    return None if None in found else found


def _launch(kernel: Any, *args: Any, **kwargs: Any) -> Any:
    from .compiler import load, wanted

    take_back()
    if wanted():
        load()
    return kernel.run(*args, **kwargs)


def wait() -> None:
    """From now on, until the first launch or until the drop-in is there."""
    sys.meta_path.insert(0, _WaitsForJit())


def take_back() -> None:
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _WaitsForJit)]
    for launcher, run in _originals.items():
        launcher.run = run
    _originals.clear()
