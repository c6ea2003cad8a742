# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles Triton's requests (an ASTSource) by tilec. The PTX takes the parameters that Triton's launchers pass, in
their order. No kernel of tilec's reads the two scratch pointers that follow them. The driver passes only the parameters
that a kernel has."""

from __future__ import annotations

import functools
import json
import os
import re
import time
import types
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Optional, Tuple
from weakref import WeakKeyDictionary

from triton import knobs
from triton.tools.tensor_descriptor import TensorDescriptor

from . import _native
from . import _values as values
from ._capture import Captured, CaptureError, capture
from ._errors import CompilationError, TilecError, printed
from ._triton_removed import with_what_is_there

FP32_DOT = {"ieee": 0, "tf32": 1, "tf32x3": 2, "bf16x3": 3, "bf16x6": 4}
LEAST_TMA = 90  # the first compute capability with TMA
ARCHITECTURES = {90: "sm_90a", 100: "sm_100a", 103: "sm_103a", 120: "sm_120a", 121: "sm_121a"}


# Options of a launch that Triton does not have, each one of a few words, as tilec numbers them. They hold for kernels
# that are compiled as tilec's own launches are, and all imply such a launch.
WORDS = {
    "tma": {"off": 2, "auto": 3, "on": 1},
    "warp_specialize": {"auto": 0, "on": 1, "off": 2},
    "epilogue": {"auto": 0, "on": 1, "off": 2},
    "persistent": {"auto": 0, "on": 1, "off": 2},
}

RESTRICT = "restrict_pointers"  # on unless a launch says otherwise: Triton too loads for products ahead of what a loop stores


class Refused(TilecError):
    """Something of Triton's that tilec has no counterpart of."""


def _type_text(kind: str) -> str:
    """Triton's name of a parameter's type as a signature of tilec's has it; `*k` is a pointer that is only read through."""
    pointer = "*k" if kind.startswith("*k") else "*" if kind.startswith("*") else ""
    name = kind[len(pointer):]
    name = {"u1": "i1", "f32": "fp32", "f64": "fp64", "f16": "fp16"}.get(name, name)
    return pointer + name


def _item(kind: Any, path: Tuple[int, ...], source: Any, name: str) -> str:
    """The type and facts of a parameter, or of a tuple's item, which is constant where Triton compiles its value in."""
    if path in source.constants:
        return f"constexpr({_constant(source.constants[path], name)})"
    if isinstance(kind, tuple):
        items = [_item(item, (*path, i), source, name) for i, item in enumerate(kind)]
        fields = getattr(kind, "_fields", None)
        if fields:
            items = [f"{field}={item}" for field, item in zip(fields, items)]
        return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
    if kind == "constexpr":
        return "constexpr(None)"
    if kind == "nvTmaDesc" or kind.startswith("tensordesc"):
        raise Refused(f"'{name}' is a tensor descriptor within a tuple")
    facts = {str(value) for key, value in source.attrs.get(path) or () if key == "tt.divisibility"}
    text = _type_text(kind)
    known = "16" in facts and (text.startswith("*") or text[0] in "iu")
    return text + (":16" if known else "")


def _constant(value: Any, name: str) -> str:
    value = values.unwrap(value)
    text = values.number_text(value)
    if text is None and values.is_dtype(value):
        text = values.dtype_text(value, "tl")
    if text is None and values.is_function(value):
        text = values.given_name(value)
    if text is None:
        raise Refused(f"'{name}' has a {type(value).__name__} in a tuple")
    return text


@dataclass(frozen=True)
class Specialisation:
    """How an ASTSource's parameters are compiled. By name: values of constexprs, types and facts of the others, and the
    blocks of tensor descriptors made on the host. Also the functions within tuples, by their names."""

    constants: Dict[str, Any]
    parameters: Dict[str, str]
    descriptors: Dict[str, Tuple[str, Tuple[int, ...]]]
    functions: Dict[str, Any]


def specialisation(source: Any) -> Specialisation:
    names = source.fn.arg_names
    constants = {names[path[0]]: value for path, value in source.constants.items() if len(path) == 1}
    parameters: Dict[str, str] = {}
    descriptors: Dict[str, Tuple[str, Tuple[int, ...]]] = {}
    for i, name in enumerate(names):
        kind = source.signature.get(name, "constexpr")
        described = re.fullmatch(r"tensordesc<(\w+)\[([\d, ]+)\]>", kind) if isinstance(kind, str) else None
        if name in constants or kind == "constexpr":
            constants.setdefault(name, None)
        elif described:
            descriptors[name] = described[1], tuple(int(size) for size in described[2].split(","))
        elif kind == "nvTmaDesc":
            raise Refused(f"'{name}' is a tensor map of the host's")
        else:
            parameters[name] = _item(kind, (i,), source, name)
    within = [values.unwrap(value) for path, value in source.constants.items() if len(path) > 1]
    functions = {values.given_name(value): value for value in within if values.is_function(value)}
    return Specialisation(constants, parameters, descriptors, functions)


# Since Triton 3.7 launchers pass whether a descriptor's fp32 values are rounded to tf32.
ROUNDS = "round_f32_to_tf32" in getattr(TensorDescriptor, "__dataclass_fields__", ())


def _spread(name: str, element: str, block: Tuple[int, ...]) -> List[Tuple[str, str]]:
    """The values that Triton's launchers pass for a host descriptor. They are its base, sizes and strides in 64 bits, a
    flag for padding with NaN, a flag for rounding to tf32 (if Triton has that), and the sizes and strides again."""
    rank = range(len(block))
    wide = [(f"{name}_wide_{part}_{i}", "i64") for part in ("shape", "stride") for i in rank]
    sizes = [(f"{name}_shape_{i}", "i32") for i in rank]
    strides = [(f"{name}_stride_{i}", "i64" if i < len(block) - 1 else "i64:1") for i in rank]
    rounds = [(f"{name}_tf32", "i1")] if ROUNDS else []
    return [(f"{name}_base", f"*{_type_text(element)}:16"), *wide, (f"{name}_nan", "i1"), *rounds, *sizes, *strides]


def _unit(element: str) -> int:
    """How many elements of such a type are 16 bytes."""
    bits = re.search(r"\d+", element)
    return 128 // int(bits[0]) if bits and int(bits[0]) >= 8 else 16


def _descriptor(name: str, block: Tuple[int, ...], unit: int = 1, rounds: bool = False) -> str:
    """Makes a descriptor of what is passed for it. With `unit` its strides are known to be multiples of so many elements, which Triton
    asks of them, and its last size, which has been tested."""
    last = len(block) - 1
    known = f" // {unit} * {unit}" if unit > 1 else ""
    shape = ", ".join(f"{name}_shape_{i}{known if i == last else ''}" for i in range(last + 1))
    strides = ", ".join(f"{name}_stride_{i}{known if i < last else ''}" for i in range(last + 1))
    made = f"_tilec_tl.make_tensor_descriptor({name}_base, [{shape}], [{strides}], {list(block)})"
    return f"_tilec_tl._rounds_f32_to_tf32({made})" if rounds else made


def _around(captured: Captured, names: List[str], special: Specialisation) -> Tuple[Captured, List[str]]:
    """The kernel within one that makes its descriptors of what is passed for them; and that one's signature. Triton's specialisations
    tell nothing of a descriptor's sizes: where their last ones are multiples of 16 bytes, which is tested at run time, accesses have 16 bytes."""
    heads: List[str] = []
    signature: List[str] = []
    checks: List[str] = []
    rounding = [name for name in names if ROUNDS and special.descriptors.get(name, ("",))[0] == "fp32"]
    for name in names:
        if name in special.descriptors:
            spread = _spread(name, *special.descriptors[name])
            heads += [item for item, _ in spread]
            signature += [f"{item}={kind}" for item, kind in spread]
            checks.append(f"    _tilec_tl.device_assert({name}_nan == 0, \"'{name}' is padded with NaN, which only tilec's launches do\")")
            if ROUNDS and name not in rounding[:1]:
                first = f"{rounding[0]}_tf32" if name in rounding else "0"
                checks.append(f"    _tilec_tl.device_assert({name}_tf32 == {first}, \"'{name}' and others differ in round_f32_to_tf32, which tilec does not do here\")")
        elif name in special.constants:
            heads.append(f"{name}: _tilec_tl.constexpr")
        else:
            heads.append(name)
            signature.append(f"{name}={special.parameters[name]}")
    units = {name: _unit(element) for name, (element, _) in special.descriptors.items()}
    given, wide = ([_descriptor(name, special.descriptors[name][1], by.get(name, 1)) if name in special.descriptors else name for name in names] for by in ({}, units))
    all_round = ", ".join(_descriptor(name, special.descriptors[name][1], 1, name in rounding) if name in special.descriptors else name for name in names)
    test = " & ".join(f"({name}_shape_{len(special.descriptors[name][1]) - 1} % {unit} == 0)" for name, unit in units.items())
    named = {value for value in (define.partition("=")[2] for define in captured.defines) if value.startswith(("_tilec_f", "_tilec_c"))}
    used = sorted(named | special.functions.keys())
    first = captured.sources[0][0].removesuffix(".py")
    lines = [
        "@triton.jit", f"def {captured.kernel}({', '.join(heads)}):", *checks,
        *([f"    if {rounding[0]}_tf32:", f"        _tilec_kernel({all_round})", "        return"] if rounding else []),
        f"    if {test}:", f"        _tilec_kernel({', '.join(wide)})", "    else:",
        f"        _tilec_kernel({', '.join(given)})",
        "import triton.language as _tilec_tl", f"from {first} import {captured.kernel} as _tilec_kernel",
        *(f"from {first} import {name}" for name in used), *([f"_tilec_used = ({', '.join(used)},)"] if used else []), "",
    ]  # fmt: skip
    line = captured.shown[0][1].count("\n", 0, len(captured.shown[0][1]) - len(captured.shown[0][1].lstrip("\n")))
    text = "\n" * max(0, line - 1) + "\n".join(lines)
    sources = [("_tilec_around.py", text), *captured.sources]
    shown = [captured.shown[0], *captured.shown]
    return replace(captured, sources=sources, shown=shown), signature


def options_of(options: Any, target: Any) -> Dict[str, Any]:
    """tilec's options for Triton's of a compile."""
    precision = getattr(options, "default_dot_input_precision", "tf32")
    if precision not in FP32_DOT:
        raise Refused(f"default_dot_input_precision is '{precision}'")
    if getattr(options, "instrumentation_mode", ""):
        raise Refused(f"instrumentation_mode is '{options.instrumentation_mode}'")
    made = {
        "arch": ARCHITECTURES.get(int(target.arch), f"sm_{target.arch}"),
        "num_warps": options.num_warps,
        "num_stages": max(1, options.num_stages),
        "fp32_dot": FP32_DOT[precision],
        "no_fp_contract": int(not options.enable_fp_fusion),
        "overlap": int(bool(getattr(options, "launch_pdl", False))),
        "restrict_pointers": int(bool(getattr(options, RESTRICT, True))),
    }
    if getattr(options, "maxnreg", None):
        made["maxnreg"] = options.maxnreg
    return made


class Result:
    """One kernel: the texts of its stages, and what Triton's metadata say of it. `str()` is its source."""

    def __init__(self, captured: Captured, compiled: _native.Compiled, seconds: float, mapped: Optional[Dict[str, str]]):
        self.captured, self.compiled, self.seconds, self.mapped = captured, compiled, seconds, mapped
        self.meta: Dict[str, Any] = json.loads(compiled.output("launch"))
        self.bundled = str(compiled.output("tir")).startswith("// the kernel is from a bundle")

    def __str__(self) -> str:
        return self.captured.shown[0][1].lstrip("\n")

    def text(self, stage: str) -> str:
        return str(self.compiled.output({"ttir": "tir", "ttgir": "tir", "llir": "llvm"}.get(stage, stage)))

    def metadata(self) -> Dict[str, Any]:
        """The parts of Triton's metadata that describe the kernel itself."""
        meta = self.meta
        own = {f"tilec_{name}": word for name, word in (self.mapped or {}).items()}
        own["tilec_static_shared"] = meta.get("static_shared_bytes", 0)
        return {
            **own, "name": meta["kernel"], "num_warps": meta["threads"] // 32, "num_ctas": 1, "shared": meta["shared_bytes"], "tmem_size": 0,
            "global_scratch_size": 0, "global_scratch_align": 1, "profile_scratch_size": 0, "profile_scratch_align": 1,
        }  # fmt: skip


def _seen(value: Any) -> bool:
    return (
        isinstance(value, types.ModuleType)
        or values.is_constexpr(value)
        or values.is_dtype(value)
        or values.is_jit(value)
        or values.is_named_tuple_class(value)
        or hasattr(value, "__triton_builtin__")
        or hasattr(value, "__triton_aggregate__")
        or str(getattr(value, "__module__", "")).startswith(("triton.language", "tilec.", "triton.experimental.gluon.language"))
    )


def globals_of() -> Optional[Callable[[Any], bool]]:
    """The globals that a kernel of Triton's sees: only constexprs among plain values, unless the user allows all."""
    return None if knobs.compilation.allow_non_constexpr_globals else _seen


def _name_of(source: Any, special: Specialisation) -> Optional[str]:
    """The kernel's own name for itself (`repr=`)."""
    if getattr(source.fn, "_repr", None) is None:
        return None
    made = str(source.fn.repr(SimpleNamespace(constants=dict(special.constants), signature=source.signature)))
    return made if made.isidentifier() else None


_captured: "WeakKeyDictionary[Any, Tuple[Captured, str]]" = WeakKeyDictionary()


def captured_of(source: Any, asserts: bool) -> Tuple[Captured, str]:
    """Its sources and signature. They are kept separately, because its hash is requested first (in it they would be
    pickled with it)."""
    known = _captured.get(source)
    if known is not None and not asserts:
        return known
    special = specialisation(source)
    name = _name_of(source, special)
    captured = with_what_is_there(capture(source.fn, special.constants, asserts, False, name, globals_of(), special.functions))
    signature = [f"{name}={kind}" for name, kind in special.parameters.items()]
    if special.descriptors:
        captured, signature = _around(captured, source.fn.arg_names, special)
    made = captured, ",".join(signature)
    if not asserts:
        _captured[source] = made
    return made


def _words(options: Any) -> Dict[str, str]:
    """The words that launches of the kernel may be compiled with: the launch's `tma=` or TILEC_TRITON_TMA, else "auto", and the other
    options that Triton does not have. {}: none, as launches are not to pass hidden parameters."""
    words = {name: getattr(options, name) for name in WORDS if getattr(options, name, None)}
    words.setdefault("tma", os.environ.get("TILEC_TRITON_TMA") or "auto")
    for name, word in words.items():
        if word not in WORDS[name]:
            raise Refused(f"{name}={word!r}: it must be one of {', '.join(WORDS[name])}")
    if getattr(options, "launch_cooperative_grid", False):
        return {}
    return words if words["tma"] != "off" or words.get("persistent") == "on" else {}


def _mapped(source: Any, options: Any, target: Any, made: Dict[str, Any]) -> Optional[Dict[str, str]]:
    """For metadata, if the kernel has hidden parameters when tilec launches it: the words that it is compiled with then, and as
    `launch` all that makes it. If only descriptors that pad with NaN need tilec's launches: that as `padded`. None: Triton's
    launcher serves."""
    words = _words(options)
    unasked = words == {"tma": "auto"}
    special = specialisation(source)
    padded = any(element.startswith(("fp", "bf")) for element, _ in special.descriptors.values())
    if (not words or (unasked and int(target.arch) < LEAST_TMA)) and not padded:
        return None
    try:
        name, asserts = _name_of(source, special), bool(getattr(options, "debug", False))
        captured = capture(source.fn, special.constants, asserts, name=name, globals_of=globals_of(), functions=special.functions)
        made = {**made, **{name: WORDS[name][word] for name, word in words.items()}, "kernel": captured.kernel, "defines": list(captured.defines)}
        plain = not words or (unasked and not any("dot" in text for _, text in captured.sources))  # such kernels have no hidden parameters
        hidden = not plain and _has_hidden(captured, special, made)
        if not hidden and not padded:
            return None
    except (TilecError, CaptureError):  # the kernel as Triton launches it is there
        return None
    made.pop("arch")
    params = [(name, name in special.constants) for name in source.fn.arg_names]
    launch = json.dumps({"sources": captured.sources, "shown": captured.shown, "options": made, "params": params})
    return {**words, "launch": launch} if hidden else {"padded": launch}


def _has_hidden(captured: Captured, special: Specialisation, made: Dict[str, Any]) -> bool:
    """True if the kernel has parameters that only tilec's launches pass, and is compiled for these."""
    blocks = {name: ", ".join(map(str, block)) for name, (_, block) in special.descriptors.items()}
    types = {name: f"tensordesc<{_type_text(element)}[{blocks[name]}]>:16" for name, (element, _) in special.descriptors.items()}
    signature = ",".join(f"{name}={kind}" for name, kind in {**special.parameters, **types}.items())
    compiled = _native.Compiled(_native.Program(list(captured.sources), list(captured.shown)), {**made, "signature": signature})
    return any(param["hidden"] for param in json.loads(compiled.output("launch"))["params"])


class Mapped(_native.Launcher):
    """A kernel of Triton's whose launches are tilec's, which pass hidden parameters. It is made from metadata, so that neither
    Triton's caches nor PyTorch's worker processes need its function."""

    def __init__(self, launch: str):
        self._made = json.loads(launch)
        self._kernels: Dict[_native.Device, _native.Kernel] = {}
        super().__init__(tuple((name, constant) for name, constant in self._made["params"]))

    def _specialise(self, constexprs: Dict[str, Any], options: Dict[str, Any], device: _native.Device) -> Any:
        """For _native, as JITFunction's. Triton compiles for each set of constexprs."""
        kernel = self._kernels.get(device)
        if kernel is None:
            program = _native.Program(*([(name, text) for name, text in self._made[key]] for key in ("sources", "shown")))
            arch = os.environ.get("TILEC_WARM_ARCH")
            made = {**self._made["options"], **({"arch": arch} if arch else {})}
            kernel = self._kernels[device] = _native.Kernel(device, program, made)
        return kernel, ()

    def _drop(self, kernel: _native.Kernel) -> None:
        """For _native: nothing of the kernel could be compiled."""
        self._kernels.clear()


def compile_source(source: Any, options: Any, target: Any) -> Result:
    """tilec's result for an ASTSource. TilecError, CaptureError: why there is none."""
    start = time.perf_counter()
    made = options_of(options, target)
    mapped = _mapped(source, options, target, made)
    captured, signature = captured_of(source, bool(getattr(options, "debug", False)))
    made.update(kernel=captured.kernel, defines=list(captured.defines), signature=signature)
    compiled = _native.Compiled(_native.Program(list(captured.sources), list(captured.shown)), made)
    printed(compiled.diagnostics())
    result = Result(captured, compiled, time.perf_counter() - start, mapped)
    hidden = [param["name"] for param in result.meta["params"] if param["hidden"]]
    if hidden or result.meta["cluster"] != 1:
        raise Refused("the kernel has parameters that Triton's launcher does not fill" if hidden else "the kernel runs in clusters")
    return result


@functools.lru_cache(maxsize=None)
def identity() -> str:
    """Identifies this tilec: part of the names in Triton's cache, so that another build finds nothing of this one's."""
    folder = os.path.dirname(_native.__file__)
    found = [os.stat(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if ".so" in name]
    return f"tilec-{_native.version}-" + "-".join(f"{item.st_size:x}.{item.st_mtime_ns:x}" for item in found)


FAILURES = (TilecError, CaptureError)
__all__ = ["FAILURES", "CompilationError", "Refused", "Result", "captured_of", "compile_source", "identity", "specialisation"]
