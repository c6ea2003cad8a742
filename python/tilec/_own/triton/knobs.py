# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.knobs: settings by groups. Those in the list below do what Triton's do. Others can be set and do nothing."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Callable, Dict, Iterator, Tuple

from tilec._own import NotProvided, getattr_of

from . import _hooks

_GROUPS: Dict[str, Dict[str, Any]] = {
    "autotuning": {"cache": False, "listener": None, "warmup": None, "rep": None},
    "build": {"impl": None},
    "cache": {"home_dir": os.path.expanduser("~"), "dir": os.path.expanduser("~/.triton/cache"), "manager_class": None},
    "compilation": {
        "always_compile": False, "dump_ir": False, "override": False, "listener": None, "use_ir_loc": None,
        "enable_asan": False, "disable_line_info": False, "front_end_debugging": False, "instrumentation_mode": "", "enable_experimental_consan": False,
    },
    "language": {},
    "nvidia": {"mock_ptx_version": None, "dump_nvptx": False, "disable_ptxas_opt": False, "libdevice_path": None},
    "proton": {"disable": True},
    "runtime": {
        "sanitize_overflow": True, "override_arch": None, "launch_enter_hook": None, "launch_exit_hook": None,
        "kernel_load_start_hook": None, "kernel_load_end_hook": None, "jit_cache_hook": None, "jit_post_compile_hook": None,
        "add_stages_inspection_hook": None,
    },
}  # fmt: skip
HookChain = _hooks.HookChain


def _is_on(text: str) -> bool:
    return text.lower() in ("1", "true", "yes", "on", "y")


def _switch(name: str) -> Tuple[str, Callable[[str], Any], Callable[[Any], str]]:
    return name, _is_on, lambda on: str(int(on))


# Settings that are variables of the environment: the name, the value of it, and the text for a value.
_VARIABLES: Dict[Tuple[str, str], Tuple[str, Callable[[str], Any], Callable[[Any], str]]] = {
    ("autotuning", "print"): _switch("TRITON_PRINT_AUTOTUNING"),
    ("compilation", "allow_non_constexpr_globals"): _switch("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS"),
    ("language", "default_fp_fusion"): ("TRITON_DEFAULT_FP_FUSION", lambda text: not text or _is_on(text), lambda on: str(int(on))),
    ("language", "fp32_default"): ("TRITON_F32_DEFAULT", lambda text: text or None, lambda word: word or ""),
    ("runtime", "debug"): _switch("TRITON_DEBUG"),
    ("runtime", "interpret"): _switch("TRITON_INTERPRET"),
}

# Settings without an effect where a program that sets them would not get what it asks for.
_MISSING = (
    ("runtime", "kernel_load_start_hook"), ("runtime", "kernel_load_end_hook"),
    ("runtime", "add_stages_inspection_hook"), ("compilation", "listener"), ("cache", "manager_class"), ("build", "impl"), ("autotuning", "listener"),
)  # fmt: skip


class Knobs:
    """One group of settings."""

    def __init__(self, group: str):
        self.__dict__["_group"] = group
        self.reset()

    def __getattr__(self, name: str) -> Any:
        found = _VARIABLES.get((self._group, name))
        if found is None:
            raise AttributeError(f"triton.knobs.{self._group} has no '{name}' where Triton is not installed: pip install triton")
        return found[1](os.environ.get(found[0], ""))

    def __setattr__(self, name: str, value: Any) -> None:
        found = _VARIABLES.get((self._group, name))
        if (self._group, name) in _MISSING and value is not None:
            raise NotProvided(f"triton.knobs.{self._group}.{name} is not provided by tilec's own `triton` module: pip install triton")
        if found is None:
            self.__dict__[name] = value
            self._installs()
        else:
            os.environ[found[0]] = found[2](value)

    def __delattr__(self, name: str) -> None:
        if (self._group, name) in _VARIABLES:
            os.environ.pop(_VARIABLES[self._group, name][0], None)
        else:
            self.__dict__[name] = _GROUPS[self._group].get(name)
            self._installs()

    def _installs(self) -> None:
        if self._group == "runtime":
            _hooks.install(self.launch_enter_hook, self.launch_exit_hook)
            _hooks.watch(self.jit_cache_hook is not None or self.jit_post_compile_hook is not None)

    def reset(self) -> "Knobs":
        """Sets the defaults."""
        group = self._group
        self.__dict__.clear()
        self.__dict__.update(_GROUPS[group], _group=group)
        if group == "runtime":
            self.__dict__["launch_enter_hook"] = HookChain(changed=self._installs)
            self.__dict__["launch_exit_hook"] = HookChain(reversed=True, changed=self._installs)
            for name in ("kernel_load_start_hook", "kernel_load_end_hook"):
                self.__dict__[name] = _hooks.NoChain(f"triton.knobs.runtime.{name}")
            self._installs()
        return self

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Restores all settings at its end."""
        kept, environment = dict(self.__dict__), {name: os.environ.get(name) for name, _, _ in _VARIABLES.values()}
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(kept)
            self._installs()
            for name, text in environment.items():
                os.environ.pop(name, None) if text is None else os.environ.__setitem__(name, text)


for _group in _GROUPS:
    globals()[_group] = Knobs(_group)
__getattr__ = getattr_of(__name__)
