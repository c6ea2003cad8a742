# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton asks to be compiled (an ASTSource), compiled by tilec: its PTX takes the parameters that Triton's launchers
pass, in their order. The two scratch pointers that they pass behind them are read by no kernel of tilec's, and the driver
passes as many parameters as a kernel has."""

from __future__ import annotations

import json
import os
import time
from typing import Any, Dict, List, Tuple

from . import _native
from ._capture import Captured, CaptureError, capture
from ._errors import CompilationError, TilecError

FP32_DOT = {"ieee": 0, "tf32": 1, "tf32x3": 2, "bf16x3": 3, "bf16x6": 4}
ARCHITECTURES = {90: "sm_90a", 100: "sm_100a", 103: "sm_103a", 120: "sm_120a", 121: "sm_121a"}


class Refused(TilecError):
    """Something of Triton's that tilec has no counterpart of."""


def _type_text(kind: str) -> str:
    """Triton's name of a parameter's type as a signature of tilec's has it."""
    if kind.startswith("*k"):
        kind = "*" + kind[2:]
    pointer, name = ("*", kind[1:]) if kind.startswith("*") else ("", kind)
    name = {"u1": "i1", "f32": "fp32", "f64": "fp64", "f16": "fp16"}.get(name, name)
    return pointer + name


def _parameter(name: str, kind: Any, attributes: Any) -> str:
    if not isinstance(kind, str):
        raise Refused(f"'{name}' is a tuple: such an argument is Triton's for now")
    if kind.startswith("tensordesc") or kind == "nvTmaDesc":
        raise Refused(f"'{name}' is a tensor descriptor of the host: such an argument is Triton's for now")
    facts = {str(value) for key, value in attributes or () if key == "tt.divisibility"}
    text = _type_text(kind)
    known = "16" in facts and (text.startswith("*") or text[0] in "iu")
    return f"{name}={text}" + (":16" if known else "")


def specialisation(source: Any) -> Tuple[Dict[str, Any], str]:
    """The constexprs of an ASTSource, and the types and facts of its other parameters."""
    names = source.fn.arg_names
    constants: Dict[str, Any] = {}
    for path, value in source.constants.items():
        if len(path) != 1:
            raise Refused(f"'{names[path[0]]}' is a tuple with constants: such an argument is Triton's for now")
        constants[names[path[0]]] = value
    parts: List[str] = []
    for i, name in enumerate(names):
        kind = source.signature.get(name, "constexpr")
        if name in constants or kind == "constexpr":
            constants.setdefault(name, None)
        else:
            parts.append(_parameter(name, kind, source.attrs.get((i,))))
    return constants, ",".join(parts)


def options_of(options: Any, target: Any) -> Dict[str, Any]:
    """tilec's options for Triton's of a compile."""
    precision = getattr(options, "default_dot_input_precision", "tf32")
    if precision not in FP32_DOT:
        raise Refused(f"default_dot_input_precision is '{precision}'")
    if getattr(options, "instrumentation_mode", ""):
        raise Refused(f"instrumentation_mode is '{options.instrumentation_mode}'")
    made = {
        "arch": ARCHITECTURES.get(target.arch, f"sm_{target.arch}"),
        "num_warps": options.num_warps,
        "num_stages": max(1, options.num_stages),
        "fp32_dot": FP32_DOT[precision],
        "no_fp_contract": int(not options.enable_fp_fusion),
        "overlap": int(bool(getattr(options, "launch_pdl", False))),
    }
    if getattr(options, "maxnreg", None):
        made["maxnreg"] = options.maxnreg
    return made


class Result:
    """One kernel: the texts of its stages, and what Triton's metadata say of it. `str()` is its source."""

    def __init__(self, captured: Captured, compiled: _native.Compiled, seconds: float):
        self.captured, self.compiled, self.seconds = captured, compiled, seconds
        self.meta: Dict[str, Any] = json.loads(compiled.output("launch"))

    def __str__(self) -> str:
        return self.captured.shown[0][1].lstrip("\n")

    def text(self, stage: str) -> str:
        return str(self.compiled.output({"ttir": "tir", "ttgir": "tir", "llir": "llvm"}.get(stage, stage)))

    def metadata(self) -> Dict[str, Any]:
        """What of Triton's metadata is the kernel's own."""
        meta = self.meta
        return {
            "name": meta["kernel"], "num_warps": meta["threads"] // 32, "num_ctas": 1, "shared": meta["shared_bytes"], "tmem_size": 0,
            "global_scratch_size": 0, "global_scratch_align": 1, "profile_scratch_size": 0, "profile_scratch_align": 1,
        }  # fmt: skip


def captured_of(source: Any, asserts: bool) -> Tuple[Captured, str]:
    """Its sources and signature; kept with it, as its hash is asked for first."""
    known = source.__dict__.get("_tilec")
    if known is None or asserts:
        constants, signature = specialisation(source)
        known = capture(source.fn, constants, asserts=asserts, annotations=False), signature
        if not asserts:
            source.__dict__["_tilec"] = known
    return known


def compile_source(source: Any, options: Any, target: Any) -> Result:
    """tilec's result for an ASTSource. TilecError, CaptureError: why there is none."""
    start = time.perf_counter()
    made = options_of(options, target)
    captured, signature = captured_of(source, bool(getattr(options, "debug", False)))
    made.update(kernel=captured.kernel, defines=list(captured.defines), signature=signature)
    compiled = _native.Compiled(_native.Program(list(captured.sources), list(captured.shown)), made)
    result = Result(captured, compiled, time.perf_counter() - start)
    hidden = [param["name"] for param in result.meta["params"] if param["hidden"]]
    if hidden or result.meta["cluster"] != 1:
        raise Refused("the kernel has parameters that Triton's launcher does not fill" if hidden else "the kernel runs in clusters")
    return result


def identity() -> str:
    """What of tilec decides what it compiles: part of the names in Triton's cache."""
    return f"tilec-{_native.version}-{getattr(_native, 'build', '')}-{os.environ.get('TILEC_TRITON', '')}"


FAILURES = (TilecError, CaptureError)
__all__ = ["FAILURES", "CompilationError", "Refused", "Result", "captured_of", "compile_source", "identity", "specialisation"]
