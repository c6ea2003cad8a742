# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stored tunings on disk for kernels of files (docs/tune.md), for autotuners. A result of `tilec tune`, the C library
or another Python process is one of the configurations here. A result that is measured here is available to them.

The key is the file's, as in the command. It has the file's text, the kernel in it, types, the values that `key` names, and
what the launch gives in addition to a configuration. A function that differs from its file, or that has closure variables,
has no key. Only one of the autotuner's own configurations is ever taken. So a key that is too coarse costs time at most.
"""

from __future__ import annotations

import ast
import os
import types
import warnings
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _native
from ._errors import TilecError, TilecWarning, told
from ._jit import FP32_DOT, JITFunction, options_of
from ._source import file_text

Settings = List[Tuple[str, str, bool]]

TUNED_OPTIONS = ("num_warps", "num_stages", "maxnreg")
DEFAULTS = {"num_warps": 4, "num_stages": 3, "maxnreg": None}
NOT_KEPT = ("tma", "warp_specialize", "epilogue", "persistent", "ir_override")

_programs: Dict[str, Tuple[str, Optional[_native.Program]]] = {}


def _program(file: str, text: str) -> Optional[_native.Program]:
    known = _programs.get(file)
    if known is None or known[0] != text:
        try:
            known = text, _native.Program([(file, text)])
        except (TilecError, UnicodeError):
            known = text, None
        _programs[file] = known
    return known[1]


def _text_of(value: Any) -> Optional[str]:
    """A constexpr's value as -D takes it; None: what is kept cannot say it."""
    value = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
    return repr(value) if value is None or type(value) in (bool, int, float, str) else None


class Launch:
    """A launch's place among what is kept. `kernels`: what `--kernel` may name it with, the first that is one counts."""

    def __init__(self, kernel: JITFunction, program: _native.Program, arguments: Dict[str, Any], variants: List[Dict[str, Any]]):
        self.kernel, self.program, self.arguments, self.variants = kernel, program, arguments, variants

    def find(self) -> Optional[Tuple[Settings, float]]:
        for options in self.variants:
            found = self.kernel._tuned(None, self.program, options, **self.arguments)
            if found is not None:
                return found
        return None

    def keep(self, settings: Settings, seconds: float) -> bool:
        kept = [self.kernel._keep_tuned(None, self.program, options, settings, seconds, **self.arguments) for options in self.variants]
        return all(kept)


def _names(function: types.FunctionType) -> List[str]:
    return list(dict.fromkeys((function.__name__, function.__qualname__.replace(".<locals>", ""))))


def _launch(kernel: JITFunction, tuned: Sequence[str], args: Sequence[Any], kwargs: Dict[str, Any], name: str) -> Optional[Launch]:
    function = kernel.fn
    found = file_text(function)
    program = _program(*found) if found is not None else None
    if found is None or program is None:
        return None
    named = {**dict(zip(kernel.arg_names, args)), **kwargs}
    constexprs = {param.name for param in kernel.params if param.is_constexpr}
    texts = {key: _text_of(value) for key, value in named.items() if key in constexprs and key not in tuned}
    if None in texts.values():
        return None
    given = {key: value for key, value in named.items() if key not in kernel.arg_names and key not in (*TUNED_OPTIONS, "grid", "warmup")}
    given = {"debug": True, **given} if kernel.debug else given
    options = options_of(given)
    options.update(kernel=name, defines=[f"{key}={text}" for key, text in texts.items()])
    variants = [options]
    if "dot" not in found[1] and options["fp32_dot"] != FP32_DOT["ieee"]:
        variants.append({**options, "fp32_dot": FP32_DOT["ieee"]})  # the command's default: without a product they are one
    if kernel._options(given).get("restrict_pointers", 0) != options.get("restrict_pointers", 0):  # of @triton.jit
        variants = [{**each, "restrict_pointers": 1} for each in variants] + variants  # by --restrict, and without
    arguments = {**{key: None for key in constexprs}, **{key: value for key, value in named.items() if key in kernel.arg_names}}
    return Launch(kernel, program, arguments, variants)


def _is_on() -> bool:
    return os.environ.get("TILEC_CACHE") != "off" or bool(os.environ.get("TILEC_LOCK") or os.environ.get("TILEC_BUNDLE"))


def _launches(kernel: Any, configs: Sequence[Any], args: Sequence[Any], kwargs: Dict[str, Any]) -> List[Launch]:
    if not isinstance(kernel, JITFunction) or not _is_on():
        return []
    tuned = {name for config in configs for name in config.kwargs}
    try:
        made = [_launch(kernel, list(tuned), args, kwargs, name) for name in _names(kernel.fn)]
    except (KeyError, TypeError, ValueError, TilecError):  # what is wrong with the launch it says itself
        return []
    return [launch for launch in made if launch is not None]


def _warn(kernel: JITFunction, text: str) -> None:
    """Of the lock. Where no compile is allowed, no other choice is."""
    if os.environ.get("TILEC_JIT") == "forbid":
        raise TilecError(text) from None
    code = kernel.fn.__code__
    told.add(text)
    warnings.warn_explicit(text, TilecWarning, code.co_filename, code.co_firstlineno)


def _find(kernel: Any, configs: Sequence[Any], args: Sequence[Any], kwargs: Dict[str, Any]) -> Optional[Tuple[Settings, float]]:
    """The stored result for such a launch and its seconds, 0 for a lock's. None: there is none, or the launch has no key."""
    for launch in _launches(kernel, configs, args, kwargs):
        try:
            return launch.find()
        except (TypeError, ValueError, TilecError) as error:  # no such kernel in the file, or not by this name
            if "TILEC_LOCK" in str(error):
                _warn(kernel, str(error))
                return None
            continue
    return None


def find(
    kernel: Any, configs: Sequence[Any], pruned: Sequence[Any], args: Sequence[Any], kwargs: Dict[str, Any], locked: bool = False
) -> Optional[Any]:
    """The configuration of `pruned` that is stored for such a launch. None: there is none; if a lock asks for another, with a
    warning. `locked`: only a lock's counts."""
    found = _find(kernel, configs, args, kwargs)
    if found is None or locked and found[1] > 0:
        return None
    settings, seconds = found
    taken = choose(settings, pruned)
    if taken is None and seconds == 0:
        choice = ", ".join(f"{name}={text}" for name, text, _ in settings)
        why = "no configuration of" if choose(settings, configs) is None else "a configuration that is pruned from"
        _warn(kernel, f"TILEC_LOCK: {os.environ.get('TILEC_LOCK')}: the choice {choice} is not used: it is {why} '{kernel.__name__}'")
    return taken


def keep(kernel: Any, configs: Sequence[Any], args: Sequence[Any], kwargs: Dict[str, Any], best: Any, milliseconds: float) -> bool:
    """Keeps what was measured, where others can say it; whether it is kept."""
    settings = settings_of(best)
    if settings is None or not 0 < milliseconds < float("inf"):
        return False
    for launch in _launches(kernel, configs, args, kwargs):
        try:
            return launch.keep(settings, milliseconds * 1e-3)
        except (TypeError, ValueError, TilecError):
            continue
    return False


def settings_of(config: Any) -> Optional[Settings]:
    """The configuration as it is kept; None: it says what is not."""
    if any(getattr(config, name, None) is not None for name in NOT_KEPT) or getattr(config, "num_ctas", 1) != 1:
        return None
    settings: Settings = []
    for name, value in config.kwargs.items():
        text = _text_of(value)
        if text is None:
            return None
        settings.append((name, text, False))
    options = ((name, getattr(config, name, None)) for name in TUNED_OPTIONS)
    return settings + [(name, str(value), True) for name, value in options if value is not None]


def _meaning(settings: Settings) -> Dict[Any, Any]:
    """Equal for settings that mean the same."""
    found: Dict[Any, Any] = {(name, True): value for name, value in DEFAULTS.items()}
    for name, text, is_option in settings:
        try:
            value = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            value = text
        found[name, is_option] = value if is_option else (type(value).__name__, value)
    return found


def choose(settings: Settings, configs: Sequence[Any]) -> Optional[Any]:
    """The configuration that says this. None: it is none of them, or several."""
    wanted = _meaning(settings)
    same = []
    for config in configs:
        own = settings_of(config)
        if own is not None and _meaning(own) == wanted:
            same.append(config)
    return same[0] if len(same) == 1 else None
