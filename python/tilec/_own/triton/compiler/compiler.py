# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.compile: the texts of a kernel for a signature, without a launch."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Dict, Mapping, Optional

from tilec import CompiledKernel, _triton_source
from tilec._capture import CaptureError
from tilec._compiled import Asm
from tilec._own import NotProvided

from ..backends.compiler import GPUTarget
from .errors import CompilationError

__all__ = ["ASTSource", "Compiled", "CompiledKernel", "compile"]

OPTIONS = {"num_warps": 4, "num_stages": 3, "num_ctas": 1, "maxnreg": None, "enable_fp_fusion": True, "launch_pdl": False, "debug": False}


class ASTSource:
    """A kernel, the types of its parameters by name, and the values of its constexprs by name, number or path."""

    def __init__(self, fn: Any, signature: Mapping[str, Any], constexprs: Optional[Mapping[Any, Any]] = None, attrs: Optional[Mapping[Any, Any]] = None):
        self.fn, self.name, self.signature, self.attrs = fn, fn.__name__, dict(signature), dict(attrs or {})
        self.constants = {self._path(key): value for key, value in (constexprs or {}).items()}

    def _path(self, key: Any) -> Any:
        return (self.fn.arg_names.index(key),) if isinstance(key, str) else key if isinstance(key, tuple) else (key,)


class Compiled:
    """A kernel that was compiled and not launched: `asm` and `metadata`."""

    def __init__(self, src: ASTSource, result: _triton_source.Result, target: GPUTarget):
        self.src, self.name = src, result.metadata()["name"]
        self.asm = Asm(result.compiled)
        self.metadata = SimpleNamespace(**result.metadata(), target=target)


def compile(src: Any, target: Optional[GPUTarget] = None, options: Optional[Dict[str, Any]] = None, **ignored: Any) -> Compiled:
    """Compiles an ASTSource.

    Args:
        src: an ASTSource; a file of Triton's IR is a NotImplementedError.
        target: None: the device of launches.
        options: as for a launch.
    """
    if not isinstance(src, ASTSource):
        raise NotProvided(f"triton.compile of {type(src).__name__}: tilec compiles an ASTSource; Triton's IR needs Triton: pip install triton")
    from ..runtime import driver

    target = target or driver.active.get_current_target()
    if target.backend != "cuda":
        raise NotProvided(f"triton.compile for {target.backend}: tilec compiles for CUDA; Triton has other targets: pip install triton")
    try:
        return Compiled(src, _triton_source.compile_source(src, SimpleNamespace(**{**OPTIONS, **(options or {})}), target), target)
    except CaptureError as error:
        raise CompilationError(str(error)) from None
