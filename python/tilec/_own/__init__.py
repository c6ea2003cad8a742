# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `triton` module that tilec provides where Triton is not installed.

Its files are in the folder triton. `provide` makes `import triton` find them: `python -m tilec` and `import tilec.triton`
call it. An installed Triton always wins. Without one, `tilec.triton` is the file dropin.py."""

from __future__ import annotations

import importlib.util
import multiprocessing.spawn
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Callable, Optional, Sequence

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "triton")
ADVICE = "Triton is not installed, and tilec's own `triton` module does not provide it: pip install triton"


class NotProvided(NotImplementedError):
    """Something of Triton's that tilec's own `triton` module does not do."""


class NotThere(AttributeError):
    """A name of Triton's that tilec's own `triton` module does not have."""


def is_own(module: Optional[ModuleType]) -> bool:
    """True if the module is tilec's own."""
    return str(getattr(module, "__file__", "")).startswith(FOLDER)


class _Finder(MetaPathFinder):
    """Finds `tilec.triton` and, if `provides`, `triton`, both only where no Triton is installed."""

    provides = False
    asking = False  # the others

    def installed(self) -> bool:
        """True if there is a Triton: not tilec's own, and not just a folder of that name."""
        if "triton" in sys.modules:
            module = sys.modules["triton"]
            return module is not None and not is_own(module)
        self.asking = True
        try:
            found = importlib.util.find_spec("triton")
        finally:
            self.asking = False
        return found is not None and found.origin is not None and not found.origin.startswith(FOLDER)

    def find_spec(self, name: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        if name == "tilec.triton":
            return None if self.installed() else importlib.util.spec_from_file_location(name, os.path.join(HERE, "dropin.py"))
        if name != "triton" or self.asking or not self.provides or self.installed():
            return None
        return importlib.util.spec_from_file_location(name, os.path.join(FOLDER, "__init__.py"), submodule_search_locations=[FOLDER])


class _Missing(MetaPathFinder):
    """The last finder: says of a module that tilec's own `triton` does not have what to do."""

    def find_spec(self, name: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        if name.startswith("triton.") and is_own(sys.modules.get("triton")):
            raise ModuleNotFoundError(f"No module named '{name}': {ADVICE}", name=name)
        return None


_finder = _Finder()
_missing = _Missing()


def watch() -> None:
    """Makes `import tilec.triton` work without Triton."""
    sys.meta_path.insert(0, _finder)


def provide() -> None:
    """Makes `import triton` work without Triton, from now on."""
    if not _finder.provides:
        _finder.provides = True
        sys.meta_path.append(_missing)
        _provide_in_children()


class _Provides:
    """Calls `provide` in the process that unpickles it."""

    def __reduce__(self) -> Any:
        return provide, ()


def _provide_in_children() -> None:
    """Makes `import triton` work in processes that multiprocessing starts by `spawn` or `forkserver`."""
    prepare = multiprocessing.spawn.get_preparation_data

    def with_triton(name: str) -> Any:
        return {"tilec": _Provides(), **prepare(name)}

    multiprocessing.spawn.get_preparation_data = with_triton


def getattr_of(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module of tilec's own."""

    def get(name: str) -> Any:
        raise NotThere(f"module '{module}' has no attribute '{name}': {ADVICE}", name=name, obj=sys.modules.get(module))

    return get


def is_advised(error: ImportError) -> bool:
    """True if it is about a module or name that tilec's own `triton` does not have, or `triton` itself."""
    name = error.name or ""
    return (name == "triton" or name.startswith(("triton.", "tilec.language"))) and not _finder.installed()


def advised(error: ImportError) -> str:
    """Its message in one line, which says what to do."""
    return error.msg if "pip install" in error.msg else f"{error.msg.partition(' (')[0]}: {ADVICE}"
