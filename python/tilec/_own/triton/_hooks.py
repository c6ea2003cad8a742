# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that programs have called around launches and compiles: triton.knobs.runtime's hooks."""

from __future__ import annotations

import sys
import threading
from typing import Any, Callable, Dict, List, NamedTuple

from tilec import set_launch_hooks
from tilec._own import NotProvided

launching = threading.local()  # `arguments`: those of the launch, by name, for kernels with launch_metadata


class HookChain:
    """Functions that are called one after another. `changed` is called when there are others."""

    def __init__(self, reversed: bool = False, changed: Callable[[], None] = lambda: None):
        self.calls: List[Callable[..., Any]] = []
        self.reversed, self._changed = reversed, changed

    def add(self, func: Callable[..., Any]) -> None:
        """Adds a function, unless it is there."""
        if func not in self.calls:
            self.calls.append(func)
            self._changed()

    def remove(self, func: Callable[..., Any]) -> None:
        """Removes a function, if it is there."""
        if func in self.calls:
            self.calls.remove(func)
            self._changed()

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        for call in self.calls[::-1] if self.reversed else list(self.calls):
            call(*args, **kwargs)


class NoChain(HookChain):
    """In the place of a chain that nothing would call."""

    def __init__(self, name: str):
        super().__init__()
        self._name = name

    def add(self, func: Callable[..., Any]) -> None:
        raise NotProvided(f"{self._name} is not provided by tilec's own `triton` module: pip install triton")


class LazyDict:
    """What a hook of launches gets: `get()` returns a dict, with what the kernel's launch_metadata adds."""

    def __init__(self, data: Dict[str, Any]):
        self.data = data
        self.extras: List[Any] = []

    def get(self) -> Dict[str, Any]:
        """Returns the dict."""
        for func, args in self.extras:
            self.data = {**self.data, **func(*args)}
        self.extras.clear()
        return self.data

    def add(self, func: Callable[..., Dict[str, Any]], args: Any) -> None:
        """Adds the items of `func(*args)`, which is called when `get` is."""
        self.extras.append((func, args))


class JitFunctionInfo(NamedTuple):
    """What jit_cache_hook gets for a kernel."""

    module: str
    name: str
    jit_function: Any


def install(enter: Any, leave: Any) -> None:
    """Has the two called around each launch. Empty chains cost nothing."""

    def called(hook: Any) -> Any:
        if hook is None or (isinstance(hook, HookChain) and not hook.calls):
            return None
        return lambda kernel, grid: hook(_metadata(kernel, grid))

    set_launch_hooks(called(enter), called(leave))


def _metadata(kernel: Any, grid: Any) -> LazyDict:
    from .runtime.driver import driver

    made = LazyDict({"name": kernel.__name__, "function": None, "stream": driver.active.get_current_stream(driver.active.get_current_device())})
    if kernel.launch_metadata is not None:
        arguments = getattr(launching, "arguments", {})
        named = {name: arguments.get(name) for name in kernel.arg_names}
        if callable(grid):
            grid = grid(arguments)
        made.add(kernel.launch_metadata, (grid, kernel.metadata_of(arguments), named))
    return made


is_watched = False  # whether launches tell of compiles


def watch(on: bool) -> None:
    """Has launches tell of compiles while a hook is set. Without one they take no longer."""
    global is_watched
    is_watched = on
    jit, hooked = sys.modules.get("triton.runtime.jit"), sys.modules.get("triton.runtime._hooked")
    kernels = getattr(jit, "JITFunction", None)
    if on and kernels is not None and hooked is not None:
        kernels.__getitem__ = hooked.subscript
    elif "__getitem__" in vars(kernels or object):
        del kernels.__getitem__
