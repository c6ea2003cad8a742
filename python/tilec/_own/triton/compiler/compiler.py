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
    """A kernel for given types and constexprs, as `compile` takes it.

    Args:
        fn: a kernel of `triton.jit`.
        signature: the types of the parameters by name, such as "*fp32", "i32" and "constexpr".
        constexprs: the values of constexprs by name, number or path.
        attrs: facts by path, such as `{(0,): [["tt.divisibility", 16]]}`.

    Example::

        import tilec.triton
        import triton

        types = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
        source = triton.compiler.ASTSource(triton.jit(add.fn), types, {"BLOCK": 256})
        print(source.name, source.signature["x"], source.constants)  # add *fp32 {(4,): 256}
    """

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
        target: a GPUTarget. None: the device of launches.
        options: a dict of options, as for a launch.
        ignored: accepted and ignored; Triton's other arguments.

    Returns an object with `asm` and `metadata`, as CompiledKernel has them.

    Errors: CompilationError; NotImplementedError for a target that is not "cuda".

    Example::

        import tilec.triton
        import triton
        from triton.backends.compiler import GPUTarget

        kernel = triton.jit(add.fn)
        types = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
        made = triton.compile(triton.compiler.ASTSource(kernel, types, {"BLOCK": 256}), GPUTarget("cuda", 90, 32))
        print(".entry add" in made.asm["ptx"])  # True
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
