# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that programs have called around launches and compiles: triton.knobs.runtime's hooks."""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, NamedTuple

from tilec import set_launch_hooks

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


def ask(hook: Any, kernel: Any, constexprs: Dict[str, Any], options: Dict[str, Any], device: int) -> None:
    """Calls jit_cache_hook before the kernel is compiled for other constexprs or options."""
    named = {"num_warps": 4, "num_ctas": 1, "num_stages": 3, "enable_fp_fusion": True, "launch_cooperative_grid": False}
    named.update({name: value for name, value in options.items() if name in named})
    text = f"{kernel.fn.__qualname__}[{', '.join(f'{name}={value}' for name, value in named.items())}]({', '.join(kernel.arg_names)})"
    key = f"{kernel.cache_key}{sorted(constexprs.items(), key=str)}{named}"
    given = {"key": key, "device": device, "constants": dict(constexprs), "extern_libs": (), "is_warmup": False, **named}
    info = JitFunctionInfo(kernel.fn.__module__, kernel.fn.__qualname__, kernel)
    if hook(key=key, repr=text, fn=info, compile=given, is_manual_warmup=False, already_compiled=False):
        raise NotImplementedError("jit_cache_hook returned True: tilec's own `triton` module cannot leave a compile out: pip install triton")
