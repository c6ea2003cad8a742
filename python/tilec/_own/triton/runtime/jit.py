# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.jit: kernels of tilec's that behave as Triton's do."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any, Dict, List, Optional, Set

import tilec
from tilec import MockTensor, _triton_source, constexpr_function
from tilec._autotune import KernelInterface
from tilec._own import NotThere
from tilec._capture import Captured, CaptureError, capture
from tilec._report import Compiled
from tilec._source import give
from tilec._values import ConstexprFunction

from .. import _hooks, knobs
from . import _hooked

__all__ = ["ConstexprFunction", "JITCallable", "JITFunction", "KernelInterface", "MockTensor", "TensorWrapper", "constexpr_function", "jit", "reinterpret"]

compiled: List[Compiled] = []  # for tilec.triton.report()
_compiling = threading.local()  # `asserts`: whether the kernel has its assertions, as in Triton only if it is debugged

# The names that programs have for element types, and the short ones of a signature.
_TYPES = {"float8e4nv": "fp8e4nv", "float8e5": "fp8e5", "float8e4b15": "fp8e4b15", "float8e4b8": "fp8e4b8", "float8e5b16": "fp8e5b16",
          "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5", "float8_e4m3fnuz": "fp8e4b8", "float8_e5m2fnuz": "fp8e5b16",
          "bool": "i1", "int1": "i1", "float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64", "half": "fp16"}  # fmt: skip
_TYPES.update({f"{name}{bits}": f"{name[0]}{bits}" for name in ("int", "uint") for bits in (8, 16, 32, 64)})
type_canonicalisation_dict = {**_TYPES, **{short: short for short in _TYPES.values()}}


class JITFunction(tilec.JITFunction):
    """A kernel of `triton.jit`: a `tilec.JITFunction`, with more methods of Triton's. Its globals have to be constexprs, and
    pointer arguments are assumed not to overlap.

    `device_caches`, `create_binder` and `used_global_vals` raise AttributeError.

    Example::

        import tilec.triton
        import triton

        kernel = triton.jit(add.fn)
        print(isinstance(kernel, triton.JITFunction), kernel.full_name, len(kernel.cache_key))  # True __main__.add 64
        print(kernel.raw_src[0].strip())  # def add(x, y, out, n, BLOCK: tl.constexpr):
    """

    def __init__(self, fn: Any, **options: Any):
        super().__init__(fn, **options)
        self.compiled_keys: Set[str] = set()  # what was compiled while hooks were set
        if self.launch_metadata is not None:
            self.add_pre_run_hook(self._remember)

    def _remember(self, *args: Any, **kwargs: Any) -> None:
        """Keeps the arguments of the launch for launch_metadata."""
        defaults = {param.name: param.default for param in self.params if param.has_default}
        _hooks.launching.arguments = {**defaults, **dict(zip(self.arg_names, args)), **kwargs}

    def metadata_of(self, arguments: Dict[str, Any]) -> SimpleNamespace:
        """What launch_metadata gets for the compiled kernel."""
        options = {"num_warps": 4, "num_stages": 3, "num_ctas": 1}
        return SimpleNamespace(name=self.__name__, **{name: arguments.get(name, value) for name, value in options.items()})

    def repr(self, specialization: Any) -> str:
        """Returns the kernel's name for the specialization: what `@triton.jit(repr=...)` makes, or the function's name.

        Args:
            specialization: an object with `constants` and `signature`, both dicts by name.

        Example::

            import types
            import tilec.triton
            import triton

            named = triton.jit(add.fn, repr=lambda made: f"add_{made.constants['BLOCK']}")
            print(named.repr(types.SimpleNamespace(constants={"BLOCK": 256}, signature={})))  # add_256
        """
        return self.fn.__name__ if self._repr is None else str(self._repr(specialization))

    def _name_for(self, constexprs: Dict[str, Any]) -> Optional[str]:
        """The kernel's name in its PTX. None: the function's, also if `repr` asks for the types of arguments, which are not known
        when the source is read."""
        if self._repr is None:
            return None
        signature = {name: "constexpr" for name in constexprs}
        try:
            made = self.repr(SimpleNamespace(constants=dict(constexprs), signature=signature))
        except (KeyError, AttributeError):
            return None
        return made if made.isidentifier() else None

    def captured(self, constexprs: Dict[str, Any], functions: Dict[str, Any]) -> Captured:
        try:
            asserts = getattr(_compiling, "asserts", True)
            return capture(self, constexprs, asserts, name=self._name_for(constexprs), globals_of=_triton_source.globals_of(), functions=functions)
        except CaptureError as error:
            raise tilec.CompilationError(str(error)) from None

    def _options(self, given: Dict[str, Any]) -> Dict[str, Any]:
        return super()._options({"enable_fp_fusion": knobs.language.default_fp_fusion, "restrict_pointers": True, **given})

    def _specialise(self, constexprs: Dict[str, Any], options: Dict[str, Any], device: Any) -> Any:
        before = len(self._kernels)
        _compiling.asserts = bool(options.get("debug") or self.debug or knobs.runtime.debug or not device.name.startswith("cuda"))
        made = super()._specialise(constexprs, options, device)
        if len(self._kernels) > before:
            code = self.fn.__code__
            compiled.append(Compiled(self.__name__, code.co_filename, code.co_firstlineno, None))
        return made

    def _unsafe_update_src(self, new_src: str) -> None:
        """Replaces the function's text."""
        give(self.fn, new_src)
        self._kernels.clear()
        self.compiled_keys.clear()
        self._forget()

    @property
    def raw_src(self) -> List[str]:
        """The lines of the function's text."""
        return self.src.splitlines(True)

    @property
    def cache_key(self) -> str:
        """A hash of the function and all that it reaches."""
        return self.captured({}, {}).key

    @property
    def full_name(self) -> str:
        """The function's name with its module's."""
        return f"{self.fn.__module__}.{self.fn.__qualname__}"

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> Any:
        """Compiles for such arguments, and launches nothing.

        Args:
            args, grid, kwargs: as for `tilec.JITFunction`.

        Returns a CompiledKernel; None if a hook has left the compile out.

        Example::

            import tilec.triton
            import triton

            kernel = triton.jit(add.fn)
            print(kernel.warmup(x, y, out, 1000, BLOCK=256, grid=grid).name, out[999])  # add 0.0
        """
        return _hooked.compiled(self, args, kwargs, True) if _hooks.is_watched else super().warmup(*args, **kwargs)

    def preload(self, specialization_data: str) -> Any:
        """Compiles for the types, constants and options of an earlier compile. Other processes may have made it.

        Args:
            specialization_data: what jit_cache_hook or jit_post_compile_hook got as `compile["specialization_data"]`.

        Returns a CompiledKernel.

        Errors: RuntimeError if that was another kernel.

        Example::

            import tilec.triton
            import triton

            kernel, kept = triton.jit(add.fn), []
            hook = lambda **told: kept.append(told["compile"]["specialization_data"])
            triton.knobs.runtime.jit_post_compile_hook = hook
            kernel.warmup(x, y, out, 1000, BLOCK=256, grid=grid)
            triton.knobs.runtime.jit_post_compile_hook = None
            print(kernel.preload(kept[0]).name)  # add
        """
        return _hooked.preload(self, specialization_data)

    def is_gluon(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        if name in ("device_caches", "create_binder", "used_global_vals", "cache"):
            raise NotThere(f"'{name}' of a kernel is not provided by tilec's own `triton` module: pip install triton", name=name, obj=self)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)


JITCallable = JITFunction


def jit(fn: Any = None, **options: Any) -> Any:
    """Makes a function a kernel: `@triton.jit` or `@triton.jit(...)`, as `tilec.jit`."""
    if fn is None:
        return lambda function: JITFunction(function, **options)
    return JITFunction(fn, **options)


class TensorWrapper:
    """A tensor whose elements kernels take for another type of the same size."""

    def __init__(self, base: Any, dtype: Any):
        self.base, self.dtype = base, dtype
        self.data, self.device, self.shape = base.data, base.device, base.shape

    def data_ptr(self) -> int:
        return int(self.base.data_ptr())

    def stride(self, *dims: int) -> Any:
        return self.base.stride(*dims)

    def element_size(self) -> int:
        return int(self.base.element_size())

    def cpu(self) -> "TensorWrapper":
        return TensorWrapper(self.base.cpu(), self.dtype)

    def to(self, device: Any) -> "TensorWrapper":
        return TensorWrapper(self.base.to(device), self.dtype)

    def clone(self) -> "TensorWrapper":
        return TensorWrapper(self.base.clone(), self.dtype)

    def copy_(self, other: "TensorWrapper") -> None:
        self.base.copy_(other.base)

    def new_empty(self, sizes: Any) -> "TensorWrapper":
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __repr__(self) -> str:
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor: Any, dtype: Any) -> Any:
    """Returns the tensor as one of another element type, of the same memory.

    Args:
        tensor: a tensor or a TensorWrapper.
        dtype: a type of `tl`, or the tensor's own.

    Returns a TensorWrapper, or the tensor if it has that type.

    Errors: TypeError if it is not a tensor.

    Example::

        import tilec.triton
        import triton

        try:
            triton.reinterpret(x, tl.int8)  # of PyTorch: triton.reinterpret(torch.zeros(4, dtype=torch.uint8), tl.float8e5)
        except TypeError as error:
            print(error)  # reinterpret takes a tensor, not ndarray
    """
    base: Optional[Any] = tensor.base if isinstance(tensor, TensorWrapper) else tensor if hasattr(tensor, "data_ptr") else None
    if base is None:
        raise TypeError(f"reinterpret takes a tensor, not {type(tensor).__name__}")
    return base if dtype == base.dtype else TensorWrapper(base, dtype)
