# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles that programs watch: while jit_cache_hook or jit_post_compile_hook is set, launches come here. And
`kernel.preload`, which compiles for what such a hook got."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, Dict, List, NamedTuple, Tuple

import tilec
from tilec import MockTensor
from tilec._arrays import BOOL, FLOAT, INT, classify
from tilec._jit import IGNORED, OPTIONS
from tilec._own import NotProvided
from tilec._values import is_constexpr, is_dtype, is_function, unwrap

from .. import _hooks, knobs

Path = Tuple[int, ...]
_INTEGERS = {"i1": True, "u1": True, "i64": 2**40, "u64": 2**63}  # values of such a type, which 16 divides
_BUFFERS = {"f": "fp32", "d": "fp64", "e": "fp16", "?": "i1", "b": "i8", "B": "u8", "h": "i16", "H": "u16", "i": "i32", "I": "u32", "l": "i64", "L": "u64",
            "q": "i64", "Q": "u64"}  # fmt: skip


class Specialisation(NamedTuple):
    """The arguments as Triton's hooks get them: types by name; constants and facts by the path of a parameter."""

    signature: Dict[str, Any]
    constants: Dict[Path, Any]
    attrs: Dict[Path, List[List[Any]]]


def _element(array: Any) -> str:
    from .jit import type_canonicalisation_dict

    if not hasattr(array, "dtype"):
        return _BUFFERS[memoryview(array).format.lstrip("@=<")]
    name = str(array.dtype).rpartition(".")[2]
    return type_canonicalisation_dict.get(name, name)


def _aligned(array: Any) -> bool:
    if hasattr(array, "data_ptr"):
        return bool(array.data_ptr() % 16 == 0)
    interface = getattr(array, "__array_interface__", None) or getattr(array, "__cuda_array_interface__", None)
    return interface is None or interface["data"][0] % 16 == 0


def _type_of(value: Any, path: Path, made: Specialisation) -> Any:
    """The type of an argument. Adds what is constant, and what 16 divides."""
    if isinstance(value, tuple):
        return tuple(_type_of(item, (*path, i), made) for i, item in enumerate(value))
    if hasattr(value, "block_shape"):
        return f"tensordesc<{_element(value.base)}{list(value.block_shape)}>"
    kind = classify(type(value), False)[0]
    if kind == BOOL:
        return "i1"
    if value is None or is_function(value) or is_dtype(value) or is_constexpr(value) or isinstance(value, str) or (type(value) is int and value == 1):
        made.constants[path] = value
        return "constexpr"
    if kind == FLOAT:
        return "fp32"
    if kind == INT:
        number = value.__index__()
        if number % 16 == 0:
            made.attrs[path] = [["tt.divisibility", 16]]
        return "i32" if -(2**31) <= number < 2**31 else "i64" if number < 2**63 else "u64"
    if _aligned(value):
        made.attrs[path] = [["tt.divisibility", 16]]
    return "*" + _element(value)


def specialisation(kernel: Any, values: Dict[str, Any]) -> Specialisation:
    """The kernel's for arguments by name."""
    made = Specialisation({}, {}, {})
    for param in kernel.params:
        value = values.get(param.name)
        if param.is_constexpr:
            made.constants[(param.num,)] = value
            made.signature[param.name] = "constexpr"
        else:
            made.signature[param.name] = _type_of(value, (param.num,), made)
    return made


def _written(value: Any) -> Any:
    return str(value) if is_dtype(value) else {"constexpr": value.value} if is_constexpr(value) else value


def _data(kernel: Any, special: Specialisation, options: Dict[str, Any], key: str) -> Any:
    """A text for `preload`. None: a constant has no text."""
    data = {
        "name": kernel.full_name, "signature": special.signature, "constant_keys": [list(path) for path in special.constants],
        "constant_vals": [_written(value) for value in special.constants.values()], "attrs_keys": [list(path) for path in special.attrs],
        "attrs_vals": list(special.attrs.values()), "options": options, "key": key,
    }  # fmt: skip
    try:
        return json.dumps(data)
    except TypeError:
        return None


class Compile:
    """One compile for the arguments of a launch."""

    def __init__(self, kernel: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], is_warmup: bool):
        names = kernel.arg_names
        defaults = {param.name: param.default for param in kernel.params if param.has_default}
        values = {**defaults, **dict(zip(names, args)), **{name: value for name, value in kwargs.items() if name in names}}
        given = {name: value for name, value in kwargs.items() if name not in names and name != "grid"}
        named = {"num_warps": 4, "num_ctas": 1, "num_stages": 3, "enable_fp_fusion": True, "launch_cooperative_grid": False, **given}
        self.kernel, self.special = kernel, specialisation(kernel, values)
        constants = {path: kernel_key(value) for path, value in self.special.constants.items()}
        self.key = f"{kernel.captured({}, {}).key}{self.special.signature}{constants}{self.special.attrs}{named}"
        shown = ", ".join(f"{name}={named[name]}" for name in ("num_warps", "num_ctas", "num_stages", "enable_fp_fusion", "launch_cooperative_grid"))
        types = ", ".join(f"{name}: {kind}" for name, kind in self.special.signature.items())
        device = int(tilec.device().name.partition(":")[2] or 0)
        compile = {
            "key": self.key, "signature": self.special.signature, "device": device, "constants": self.special.constants, "extern_libs": (),
            "configs": [self.special.attrs], "specialization_data": _data(kernel, self.special, named, self.key), "is_warmup": is_warmup, **named,
        }  # fmt: skip
        info = _hooks.JitFunctionInfo(kernel.fn.__module__, kernel.fn.__qualname__, kernel)
        self._given = dict(key=self.key, repr=f"{kernel.fn.__qualname__}[{shown}]({types})", fn=info, compile=compile, is_manual_warmup=is_warmup, already_compiled=False)

    def tell(self, hook: Any) -> Any:
        """What the hook returns. None: there is no hook."""
        return hook(**self._given) if hook is not None else None


def kernel_key(value: Any) -> str:
    """A text that differs where constants do."""
    return str(value.cache_key) if hasattr(value, "cache_key") else repr(unwrap(value))


def compiled(kernel: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], is_warmup: bool) -> Any:
    """Compiles for such arguments, and calls the hooks if that is new. None: jit_cache_hook has returned True."""
    asked = Compile(kernel, args, kwargs, is_warmup)
    new = asked.key not in kernel.compiled_keys
    if new and asked.tell(knobs.runtime.jit_cache_hook):
        return None
    made = tilec.JITFunction.warmup(kernel, *args, **kwargs)
    if new:
        kernel.compiled_keys.add(asked.key)
        asked.tell(knobs.runtime.jit_post_compile_hook)
    return made


def subscript(kernel: Any, grid: Any) -> Any:
    """Replaces `kernel[grid]` while a hook is set."""

    def launch(*args: Any, **kwargs: Any) -> Any:
        if compiled(kernel, args, kwargs, False) is None:
            return None
        return tilec.JITFunction.__getitem__(kernel, grid)(*args, **kwargs)

    return launch


# ---------------------------------------------------------------- preload


class _Odd(MockTensor):
    """An array whose address 16 does not divide."""

    @staticmethod
    def data_ptr() -> int:
        return 8


def _argument(kind: Any, path: Path, data: SimpleNamespace) -> Any:
    """An argument of that type, with the facts that `data` has for it."""
    if path in data.constants:
        return data.constants[path]
    if isinstance(kind, list):
        return tuple(_argument(item, (*path, i), data) for i, item in enumerate(kind))
    if kind == "constexpr":
        return None
    divisible = any(list(fact) == ["tt.divisibility", 16] for fact in data.attrs.get(path, ()))
    if kind.startswith("tensordesc"):
        raise NotProvided(f"kernel.preload with a tensor descriptor ({kind}) is not provided by tilec's own `triton` module: pip install triton")
    if kind.startswith("*"):
        return (MockTensor if divisible else _Odd)(kind.lstrip("*").removeprefix("k") if kind.startswith("*k") else kind[1:])
    if kind.startswith(("fp", "bf")):
        return 0.5
    number = _INTEGERS.get(kind, 16)
    return number if divisible or number is True else number + 3


def _read(value: Any) -> Any:
    """A constant, from what `_written` made of it."""
    if isinstance(value, dict):
        return tilec.language.constexpr(value["constexpr"])
    types = {str(found): found for found in vars(tilec.language).values() if is_dtype(found)}
    return types.get(value, value) if isinstance(value, str) else value


def preload(kernel: Any, specialization_data: str) -> Any:
    """Compiles for what a hook got as `specialization_data`."""
    read = json.loads(specialization_data)
    if read["name"] != kernel.full_name:
        raise RuntimeError(f"Specialization data is for {read['name']} but trying to preload for {kernel.full_name}")
    values = [_read(value) for value in read["constant_vals"]]
    data = SimpleNamespace(constants=dict(zip(map(tuple, read["constant_keys"]), values)), attrs=dict(zip(map(tuple, read["attrs_keys"]), read["attrs_vals"])))
    given = {param.name: _argument(read["signature"][param.name], (param.num,), data) for param in kernel.params}
    return kernel.warmup(**given, **{name: value for name, value in read["options"].items() if name in OPTIONS or name in IGNORED})
