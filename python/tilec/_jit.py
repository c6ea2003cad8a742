# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@tilec.jit: a Python function as a kernel that is compiled at its launches."""

from __future__ import annotations

import enum
import functools
import inspect
import operator
import os
import textwrap
import types
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Tuple, TypeVar, Union, overload

from . import _elsewhere, _native
from ._capture import Captured, CaptureError, capture
from ._compiled import CompiledKernel
from ._errors import ArgumentError, CompilationError, Diagnostic, UnknownArgument
from ._source import give, remember, text_of
from ._values import GIVEN

if TYPE_CHECKING:
    from ._explain import Explanation

F = TypeVar("F", bound=Callable[..., Any])

# TMA copies, as tilec_tma numbers them.
TMA = {"auto": 0, "on": 1, "off": 2}

# Warp specialization of loops with TMA copies, into producer and consumer warps, as tilec_warp_specialize
# numbers it.
WARP_SPECIALIZE = {"auto": 0, "on": 1, "off": 2}

# TMA stores of tiles, as tilec_epilogue numbers them.
EPILOGUE = {"auto": 0, "on": 1, "off": 2}

# Persistent kernels, as tilec_persistent numbers them.
PERSISTENT = {"auto": 0, "on": 1, "off": 2}

# Options with one of a few words, by the keywords of a launch.
WORDS = {"tma": TMA, "warp_specialize": WARP_SPECIALIZE, "epilogue": EPILOGUE, "persistent": PERSISTENT}

# How fp32 dots are computed, as tilec_fp32_dot numbers it.
FP32_DOT = {"ieee": 0, "tf32": 1, "tf32x3": 2, "bf16x3": 3, "bf16x6": 4}


# ---- constexprs as keys


def freeze(value: Any) -> Tuple[Any, bool]:
    """A key of texts, numbers and tuples, equal for values that make one kernel; and whether the same object means the
    same for ever."""
    kind = type(value)
    if kind in (int, str) or value is None:
        return value, True
    if kind is bool:
        return ("bool", int(value)), True
    if kind is float:
        return ("float", value.hex()), True
    if kind in (tuple, list) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        parts = [freeze(item) for item in value]
        return (_name(kind), *(key for key, _ in parts)), kind is not list and all(fixed for _, fixed in parts)
    if isinstance(value, enum.Enum):
        return (_name(kind), value.name), True
    if kind.__name__ == "constexpr":
        return freeze(value.value)
    if kind.__name__ == "dtype" or isinstance(value, (int, str, float)):
        return (_name(kind), str(value)), True
    return (_name(kind), id(value)), True  # the object itself: whoever keeps the key keeps it


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


# ---- options


def _fp32_dot() -> int:
    name = os.environ.get("TRITON_F32_DEFAULT", "tf32")
    if name not in FP32_DOT:
        raise ArgumentError(f"TRITON_F32_DEFAULT={name}: it must be one of {', '.join(FP32_DOT)}")
    return FP32_DOT[name]


# Options of a launch and of a configuration: values, default, meaning. scripts/python-language makes a table of them.
OPTIONS: Dict[str, Tuple[str, str, str]] = {
    "num_warps": ("1 to 32, a power of two", "4", "warps of a program; a warp has 32 threads"),
    "num_stages": ("1 to 64", "3", "stages of software pipelining: with 3, loops load the tiles of two later iterations ahead"),
    "maxnreg": ("1 to 255", "no limit", "the most registers of a thread"),
    "enable_fp_fusion": ("a truth value", "True", "whether `a * b + c` may be one instruction, which rounds once"),
    "fast_math": ("a truth value", "False", "approximate fp32 functions and division"),
    "debug": ("a truth value", "False", "line tables for debuggers and profilers; with `@triton.jit`, `tl.device_assert` too"),
    "restrict_pointers": ("a truth value", "False; True with `@triton.jit`", "whether memory of one pointer argument is reached through no other, so that loops may load ahead of stores"),
    "launch_pdl": ("a truth value", "False", "whether the launch may begin before the one before it ends (programmatic dependent launch)"),
    "default_dot_input_precision": ('"tf32", "ieee", "tf32x3", "bf16x3", "bf16x6"', '"tf32"', "how `tl.dot` multiplies fp32 without `input_precision`"),
    "tma": ('"auto", "on", "off"', '"auto"', "TMA copies of tiles; auto: where they are faster"),
    "warp_specialize": ('"auto", "on", "off"', '"auto"', "producer and consumer warps; auto: attention with 8 warps, persistent kernels"),
    "epilogue": ('"auto", "on", "off"', '"auto"', "TMA stores through descriptors and block pointers; auto: never"),
    "persistent": ('"auto", "on", "off"', '"auto"', "one CTA runs many programs; auto: large dots with TMA copies"),
}  # fmt: skip

# Options of Triton's launches that are accepted and do nothing, with the reason.
IGNORED: Dict[str, str] = {
    "num_ctas": "one CTA computes the tile",
    "cluster_dims": "thread block clusters are not used",
    "launch_cooperative_grid": "programs are not guaranteed to run at the same time",
    "clc": "there is no cluster launch control",
    "extern_libs": "libdevice is part of tilec",
    "arch": "the device decides it",
    "ptx_version": "the architecture decides it",
    "ptx_options": "the driver assembles PTX without options",
    "ir_override": "Triton's IR is not read",
    "instrumentation_mode": "checks are `TILEC_CHECK=1`",
    "fpsan_homomorphic_casts": "checks are `TILEC_CHECK=1`",
    "sanitize_overflow": "integers wrap, without a check",
    "enable_reflect_ftz": "each function has one treatment of denormal numbers",
    "max_num_imprecise_acc_default": "`max_num_imprecise_acc` of a `tl.dot` decides it",
    "allowed_dot_input_precisions": "the architecture decides it",
    "supported_fp8_dtypes": "the architecture decides it",
    "deprecated_fp8_dot_operand_dtypes": "the architecture decides it",
    "cuda_graph": "a CUDA graph captures every launch",
    "min_shared_mem": "a launch asks for what the kernel needs",
    "warp_size": "a warp has 32 threads",
    "backend_name": "the only backend is NVIDIA's",
    "waves_per_eu": "an option of AMD's GPUs",
    "matrix_instr_nonkdim": "an option of AMD's GPUs",
}  # fmt: skip


class UnknownOption(KeyError):
    """No option of that name."""


def options_of(given: Dict[str, Any]) -> Dict[str, Any]:
    """tilec's options from a launch's keywords that are not parameters."""
    made: Dict[str, Any] = {"fp32_dot": _fp32_dot()}
    arch = os.environ.get("TILEC_WARM_ARCH")  # _warm.begin
    if arch:
        made["arch"] = arch
    for name, value in given.items():
        if name in ("num_warps", "num_stages", "maxnreg"):
            if value is not None:
                made[name] = operator.index(value)
        elif name == "enable_fp_fusion":
            made["no_fp_contract"] = int(not value)
        elif name == "debug":
            made["debug"] = int(bool(value))
        elif name == "fast_math":
            made["fast_math"] = int(bool(value))
        elif name == "restrict_pointers":
            made["restrict_pointers"] = int(bool(value))
        elif name == "launch_pdl":
            made["overlap"] = int(bool(value))
        elif name in WORDS:
            if value is not None:
                if value not in WORDS[name]:
                    raise ArgumentError(f"{name}={value!r}: it must be one of {', '.join(WORDS[name])}")
                made[name] = WORDS[name][value]
        elif name == "default_dot_input_precision":
            if value not in FP32_DOT:
                raise ArgumentError(f"default_dot_input_precision={value!r}: it must be one of {', '.join(FP32_DOT)}")
            made["fp32_dot"] = FP32_DOT[value]
        elif name in ("stream", "device", "device_type"):
            raise ArgumentError(f"{name}={value!r}: cannot be given: a launch uses the current stream of the device of its arrays")
        elif name not in IGNORED:
            raise UnknownOption(name)
    return made


# ---- parameters


class Param:
    """A parameter of a kernel."""

    def __init__(self, num: int, param: inspect.Parameter, do_not_specialize: bool, do_not_specialize_on_alignment: bool):
        self.num, self._param, self.do_not_specialize = num, param, do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment
        self.name = param.name

    @property
    def without_facts(self) -> Tuple[str, ...]:
        """The facts about an argument that launches do not derive from its value, as --signature writes them."""
        return (":1", ":16") if self.do_not_specialize else (":16",) if self.do_not_specialize_on_alignment else ()

    @property
    def annotation(self) -> str:
        found = self._param.annotation
        if found is inspect.Parameter.empty:
            return ""
        return found if isinstance(found, str) else getattr(found, "__name__", type(found).__name__)

    @property
    def is_constexpr(self) -> bool:
        return "constexpr" in self.annotation

    @property
    def has_default(self) -> bool:
        return self._param.default is not inspect.Parameter.empty

    @property
    def default(self) -> Any:
        return self._param.default

    def for_launcher(self) -> Tuple[Any, ...]:
        head = (self.name, self.is_constexpr)
        return (*head, self.default) if self.has_default else head


# ---- kernels


_REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class JITFunction(_native.Launcher):
    """A kernel, as `jit` makes it. `kernel[grid](*args, **kwargs)` launches it. The first launch for certain types, facts,
    constexprs and options compiles it. The result is a CompiledKernel.

    A launch runs on the device of its arrays, on the current stream of PyTorch or CuPy. `stream=` and `device=` are errors.

    Args of a launch:
        grid: the number of programs: an int, a tuple of one to three ints, or a function of a dict of all arguments by name.
        args: arrays, numbers, tuples, descriptors and constexprs, in the order of the parameters.
        kwargs: arguments by name, and options.

    Errors: TypeError for a missing argument, and for a value that no kernel takes, such as a list. ArgumentError for an
    impossible option, such as `num_warps=3`, and for an unknown name, such as `num_wraps`: this one is a KeyError too.
    CompilationError, LaunchError, DeviceError.

    Example::

        add[grid](x, y, out, 1000, BLOCK=256, num_warps=8)
        add[lambda meta: (tilec.cdiv(meta["n"], meta["BLOCK"]),)](x, y, out, n=1000, BLOCK=128)
        print(out[999])  # 2.0
    """

    __name__: str

    def __init__(
        self,
        fn: types.FunctionType,
        version: Optional[str] = None,
        do_not_specialize: Optional[Iterable[Union[int, str]]] = None,
        do_not_specialize_on_alignment: Optional[Iterable[Union[int, str]]] = None,
        debug: Optional[bool] = None,
        noinline: Optional[bool] = None,
        repr: Optional[Callable[..., str]] = None,
        launch_metadata: Optional[Callable[..., Any]] = None,
        source: Optional[str] = None,
    ):
        if not inspect.isfunction(fn):
            raise TypeError(_no_function(fn))
        self.fn = fn
        if source is not None:
            _give(fn, source)
        remember(fn)
        self.signature = inspect.signature(fn)
        self.version, self.debug, self.noinline = version, debug, noinline
        self.do_not_specialize = list(do_not_specialize or ())
        self.do_not_specialize_on_alignment = list(do_not_specialize_on_alignment or ())
        self.launch_metadata = launch_metadata
        self._repr = repr
        self._kernels: Dict[Any, _native.Kernel] = {}
        self._explained: Optional[Explanation] = None
        functools.update_wrapper(self, fn)
        self.params = [
            Param(i, param, *(i in given or param.name in given for given in (self.do_not_specialize, self.do_not_specialize_on_alignment)))
            for i, param in enumerate(self.signature.parameters.values())
            if param.kind not in _REST  # which functions that kernels call may have
        ]
        self._rest = [param.name for param in self.signature.parameters.values() if param.kind in _REST]
        super().__init__(tuple(param.for_launcher() for param in self.params))

    @property
    def arg_names(self) -> List[str]:
        """The names of the parameters, in order."""
        return [param.name for param in self.params]

    @property
    def constexprs(self) -> List[int]:
        """The numbers of the parameters that are constexprs, from 0 on."""
        return [param.num for param in self.params if param.is_constexpr]

    @property
    def src(self) -> str:
        """The function's text, from its `def` on."""
        text = textwrap.dedent(text_of(self.fn))
        return text[text.index("def ") :]

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> CompiledKernel:
        """Launches as `kernel[grid](*args, **kwargs)` does.

        Args:
            grid: the number of programs, as for a launch.
            warmup: True compiles only.
            args, kwargs: as for a launch.

        Returns a CompiledKernel.

        Example::

            compiled = add.run(x, y, out, 1000, grid=grid, BLOCK=256)
            print(compiled.name, out[999])  # add 2.0
        """
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        return self[grid](*args, **kwargs)

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> CompiledKernel:
        """Compiles for such arguments, and launches nothing.

        Args:
            args: as for a launch. A dtype of PyTorch or NumPy, or a MockTensor, may replace an array.
            grid: accepted and ignored; nothing is launched.
            kwargs: as for a launch, with its options.

        Returns a CompiledKernel.

        Example::

            made = add.warmup(np.dtype("float16"), y, out, 1000, BLOCK=256, grid=(4,))
            print("ld.global" in made.asm["ptx"], out[0])  # True 0.0
        """
        args = tuple(mock(arg) for arg in args)
        return self._prepare(*args, **{name: mock(value) for name, value in kwargs.items()})

    def explain(self, *args: Any, grid: Any, **kwargs: Any) -> Explanation:
        """Predicts what such a launch costs, line by line, and launches nothing. A notebook shows the result as a page, and
        shows the same page for the kernel from then on.

        Args:
            args: as for a launch.
            grid: the number of programs, as for a launch.
            kwargs: as for a launch.

        Returns an Explanation. `str()` and `text` are the report of `tilec explain`, `headline` is its first line, and
        `page` is a page of HTML.

        Errors: RuntimeError if it cannot be explained.

        Example::

            told = add.explain(x, y, out, 1000, grid=grid, BLOCK=256)
            print("limited by" in told.headline, "tl.store" in told.text, out[999])  # True True 0.0
        """
        from ._explain import explain

        self._explained = explain(self, grid, args, kwargs)
        return self._explained

    def _repr_html_(self) -> Optional[str]:
        return None if self._explained is None else self._explained._repr_html_()

    def add_pre_run_hook(self, hook: Callable[..., Any]) -> None:
        """Adds a function that is called with the launch's arguments before each launch.

        Args:
            hook: called as `hook(*args, **kwargs)`.

        Errors: TypeError if it cannot be called.

        Example::

            add.add_pre_run_hook(lambda *args, **kwargs: print(kwargs))
            add[grid](x, y, out, 1000, BLOCK=256)
            # {'BLOCK': 256}
        """
        if not callable(hook):
            raise TypeError("a hook is a function")
        self.pre_run_hooks.append(hook)

    def captured(self, constexprs: Dict[str, Any], functions: Dict[str, Any]) -> Captured:
        """Returns the source of the kernel for these values, from the live function.

        Args:
            constexprs: values by name.
            functions: functions by the names that arguments have for them.

        Errors: CompilationError if the source cannot be read.
        """
        try:
            return capture(self, constexprs, functions=functions)
        except CaptureError as error:
            raise CompilationError(str(error), [Diagnostic("error", str(error))]) from None

    def _options(self, given: Dict[str, Any]) -> Dict[str, Any]:
        return options_of(given)

    def _specialise(self, constexprs: Dict[str, Any], options: Dict[str, Any], device: _native.Device) -> Any:
        """For _native: the kernel for constexprs and options on a device, and what its source was made from."""
        if self._rest:
            raise CompilationError(f"{self.__name__}: a kernel that is launched has no parameter like *{self._rest[0]}")
        if self.debug and "debug" not in options:
            options["debug"] = True
        for name in ("num_warps", "num_stages", "maxnreg"):  # a constexpr of that name chooses both
            if isinstance(constexprs.get(name), int):
                options.setdefault(name, constexprs[name])
        functions = {name: options.pop(name) for name in list(options) if name.startswith(GIVEN)}
        try:
            made = self._options(options)
        except UnknownOption as error:
            raise UnknownArgument.of(self.__name__, str(error.args[0]), [*self.arg_names, *OPTIONS, *IGNORED]) from None
        captured = self.captured(constexprs, functions)
        key = (captured.key, device, tuple(sorted(made.items())))
        kernel = self._kernels.get(key)
        if kernel is None:
            made.update(kernel=captured.kernel, defines=list(captured.defines))
            given = {name: value for name, value in options.items() if name not in self.arg_names}  # a launch gives the others
            made.update(launcher=weakref.ref(self), given=given)  # for CompiledKernel
            made.update(without_facts={param.name: param.without_facts for param in self.params if param.without_facts})
            made.update(captured=captured)  # for explain
            kernel = self._kernels[key] = _native.Kernel(device, program_of(captured), made)
        return kernel, watched_of(captured)

    def _drop(self, kernel: _native.Kernel) -> None:
        """For _native: nothing of the kernel could be compiled."""
        for key in [key for key, known in self._kernels.items() if known is kernel]:
            del self._kernels[key]

    def _elsewhere(self, device: _native.Device, grid: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """For _native: a launch that is checked, or whose arrays are not where the device is. NotImplemented: it is to
        be made as it is."""
        return _elsewhere.launch(self, device, grid, args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"{self.__name__} is a kernel: launch it, {self.__name__}[grid](...), or call it within one")

    def __reduce__(self) -> str:
        """As functions are copied and pickled: by name."""
        return self.fn.__qualname__

    def __repr__(self) -> str:
        return f"JITFunction({self.__module__}:{self.fn.__qualname__})"


def _give(fn: types.FunctionType, source: str) -> None:
    if not isinstance(source, str):
        raise TypeError(f"source= is a string, not {type(source).__name__}")
    try:
        give(fn, source)
    except CaptureError as error:
        raise ValueError(str(error)) from None


def _no_function(what: Any) -> str:
    """The reason why @tilec.jit cannot be above it."""
    if not hasattr(what, "fn"):
        return f"@tilec.jit takes a function written with 'def', not {type(what).__name__} {what!r}"
    kind, inner = type(what).__name__, what
    while hasattr(inner, "fn"):
        inner = inner.fn
    name = getattr(inner, "__name__", "the function")
    if isinstance(what, JITFunction):
        return f"@tilec.jit is twice above {name}: once is enough"
    decorator = {"Autotuner": "@tilec.autotune", "Heuristics": "@tilec.heuristics"}.get(kind, f"the decorator that makes {kind}")
    return f"@tilec.jit is above {decorator} of {name}: it must be the one directly above 'def {name}'"


class MockTensor:
    """Stands for an array where nothing is launched: `kernel.warmup(MockTensor("float32"), ...)` compiles only.

    Args:
        dtype: the element type, such as "float16". It has no shape and no memory; the address counts as a multiple of 16.

    Example::

        half = tilec.MockTensor("float16")
        made = add.warmup(half, half, half, 1000, BLOCK=256)
        print(made.name)  # add
    """

    def __init__(self, dtype: Any):
        self.dtype = dtype

    @staticmethod
    def data_ptr() -> int:
        """Returns 0: there is no memory."""
        return 0


def mock(value: Any) -> Any:
    """For a dtype what stands for an array of it."""
    kinds = type(value).__mro__  # NumPy has a class of its own for each dtype
    if isinstance(value, type) and any(kind.__name__ == "generic" and kind.__module__ == "numpy" for kind in value.__mro__):
        return MockTensor(value.__name__.rstrip("_"))  # np.float16 itself; np.bool_ is of "bool"
    return MockTensor(value) if any(kind.__name__ == "dtype" and kind.__module__ in ("torch", "numpy") for kind in kinds) else value


def set_launch_hooks(enter: Optional[Callable[..., Any]] = None, leave: Optional[Callable[..., Any]] = None) -> None:
    """Sets functions that are called at every launch of the process.

    Args:
        enter: called as `enter(kernel, grid)` before a launch. None: nothing is called.
        leave: called as `leave(kernel, grid)` after it.

    Example::

        tilec.set_launch_hooks(lambda kernel, grid: print(kernel.__name__, grid))
        add[grid](x, y, out, 1000, BLOCK=256)
        # add (4,)
        tilec.set_launch_hooks()
    """
    _native.set_hooks(enter, leave)


def program_of(captured: Captured) -> _native.Program:
    """The captured sources, parsed."""
    return _native.Program(list(captured.sources), list(captured.shown))


def watched_of(captured: Captured) -> Tuple[Tuple[Any, Any, Any], ...]:
    """The values that _native checks before each launch: (a namespace, cell or object, the name in it, its value)."""
    found = []
    for watch in captured.watched:
        is_cell = isinstance(watch.holder, types.CellType)
        found.append((watch.holder, None if is_cell else watch.name, watch.value))
    return tuple(found)


@overload
def jit(fn: F, *, source: Optional[str] = None) -> JITFunction: ...
@overload
def jit(
    *,
    version: Optional[str] = None,
    repr: Optional[Callable[..., str]] = None,
    launch_metadata: Optional[Callable[..., Any]] = None,
    do_not_specialize: Optional[Iterable[Union[int, str]]] = None,
    do_not_specialize_on_alignment: Optional[Iterable[Union[int, str]]] = None,
    debug: Optional[bool] = None,
    noinline: Optional[bool] = None,
    source: Optional[str] = None,
) -> Callable[[F], JITFunction]: ...
def jit(
    fn: Any = None,
    *,
    version: Optional[str] = None,
    repr: Optional[Callable[..., str]] = None,
    launch_metadata: Optional[Callable[..., Any]] = None,
    do_not_specialize: Optional[Iterable[Union[int, str]]] = None,
    do_not_specialize_on_alignment: Optional[Iterable[Union[int, str]]] = None,
    debug: Optional[bool] = None,
    noinline: Optional[bool] = None,
    source: Optional[str] = None,
) -> Any:
    """Makes a Python function a kernel: `@tilec.jit` or `@tilec.jit(...)`. The function's text is compiled at a launch,
    with the values that its names have then. The function never runs in Python.

    Args:
        fn: a function with source code: in a file, a notebook or `python -c`. Parameters annotated `tl.constexpr` are compiled in.
        version: accepted and ignored; the attribute `version` has it.
        repr: a function that makes the kernel's name in PTX. `triton.jit` calls it; `tilec.jit` accepts and ignores it.
        launch_metadata: a function `(grid, kernel, args)`, whose dict launch hooks of `triton.knobs` get. `triton.jit` calls it
            while such a hook is set; `tilec.jit` accepts and ignores it.
        do_not_specialize: names or indices of parameters whose values never cause another compilation. Without it the code
            depends on whether an integer is 1, and whether an integer or address is divisible by 16.
        do_not_specialize_on_alignment: names or indices of parameters. Only "divisible by 16" is not used.
        debug: True adds line tables for debuggers, as the option `debug` of a launch does.
        noinline: accepted and ignored; called functions are inlined.
        source: the source code with the function's `def`, if Python keeps none, for example after `exec`.

    Returns a JITFunction.

    Errors: TypeError if `fn` is not a function written with `def`. Errors of the kernel are raised by its launches.

    Example::

        @tilec.jit(do_not_specialize=["n"])
        def fill(x, n, value, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(x + i, value, mask=i < n)

        first, second = (fill[grid](out, n, 7.0, BLOCK=256).asm["ptx"] for n in (1, 16))
        print(out[0], first == second)  # 7.0 True
    """
    options: Dict[str, Any] = {"version": version, "repr": repr, "launch_metadata": launch_metadata, "debug": debug, "noinline": noinline}
    options.update(do_not_specialize=do_not_specialize, do_not_specialize_on_alignment=do_not_specialize_on_alignment, source=source)
    if fn is None:
        return lambda function: JITFunction(function, **options)
    return JITFunction(fn, **options)
