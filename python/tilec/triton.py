# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's kernels, compiled by tilec: `import tilec.triton` before the first launch, or TILEC_TRITON=1 with the package installed.

tilec then compiles every @triton.jit kernel of the process, however it is compiled: by a launch, an autotuner,
`triton.compile`, or torch.compile. If tilec does not compile a kernel, Triton does, with a warning that says why. With
TILEC_TRITON=strict it is an error. `report()` lists what was compiled.
Without a GPU launches run on tilec's simulator. docs/adr/0010-triton-by-its-stages.md explains how.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import io
import os
import re
import sys
import threading
import time
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple
from weakref import WeakSet

import triton as _triton

from ._errors import TritonImportError, report_in_one_line

try:
    from tilec_triton import first as _first
    from tilec_triton.driver import SimulatorDriver
    from triton import testing as _testing
    from triton.backends.nvidia.compiler import CUDABackend
    from triton.backends.nvidia.driver import CudaDriver
    from triton.compiler import compiler as _compiler
    from triton.compiler import errors as _errors
    from triton.runtime import autotuner as _autotuner
    from triton.runtime import jit as _jit

    from . import _triton_source as _source
except (ImportError, AttributeError) as error:
    report_in_one_line()
    found = getattr(_triton, "__version__", "of no known version")
    raise TritonImportError(f"tilec compiles the kernels of Triton 3.6 to 3.9; this one is {found}: {error}", name="triton") from error

from . import _against, _autotune, _devices, _elsewhere, _kept
from ._capture import Captured, capture
from ._errors import CompilationError, Diagnostic, InternalError, TilecError, TilecWarning, setting
from ._jit import JITFunction, mock
from ._report import Compiled, Report
from ._tune import by_model

__all__ = ["Compiled", "Report", "TritonError", "install", "report", "uninstall"]


class TritonError(TilecError, _errors.CompilationError):
    """A kernel that tilec does not compile, where that is an error (TILEC_TRITON=strict, the simulator). It is one of
    Triton's CompilationErrors too.

    Example::

        import tilec.triton
        import triton

        @triton.jit
        def wrong(x):
            tl.store(x, tl.lode(x))

        try:
            wrong[(1,)](x)
        except triton.CompilationError as error:  # with Triton installed a TritonError, else tilec.CompilationError
            print("unknown name" in str(error))  # True
    """

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()):
        Exception.__init__(self, message)
        self.diagnostics = list(diagnostics)
        self.src = self.node = None
        self.message = self.error_message = message

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.diagnostics)


class AssertionFailure(TritonError, _errors.CompileTimeAssertionFailure):
    """A static_assert that fails: autotuners pass over such a configuration."""


def _tritons(error: Exception) -> Exception:
    """tilec's error as Triton's programs expect it: those that autotuners pass over are of Triton's classes."""
    diagnostics = getattr(error, "diagnostics", [])
    for diagnostic in diagnostics:
        if diagnostic.text.startswith("static assertion"):
            return AssertionFailure(str(error), diagnostics)
        sizes = re.search(r"needs (\d+) bytes of shared memory; \S+ has (\d+)", diagnostic.text)
        if sizes:
            return _triton.runtime.errors.OutOfResources(int(sizes[1]), int(sizes[2]), "shared memory")  # type: ignore[no-any-return]
    return TritonError(str(error), diagnostics)


VERSIONS = ("3.6.", "3.7.", "3.8.", "3.9.")  # the tests run with each of them

_report = Report()
_warned: Dict[Any, bool] = {}
_untested: Set[str] = set()  # versions of Triton that were warned about
_lock = threading.Lock()
_originals: Dict[Any, Any] = {}
_hashed: "WeakSet[Any]" = WeakSet()  # the sources that are compiled


def _original(holder: Any, name: str) -> Any:
    """Triton's, also where it is back in its place (uninstall)."""
    return _originals.get((holder, name)) or getattr(holder, name)


def report() -> Report:
    """Lists the kernels that were compiled since the process began, by tilec and by Triton.

    Returns a Report.

    Example::

        import tilec.triton

        print(str(tilec.triton.report()).splitlines()[0])  # 0 kernels compiled by tilec in 0.00 s, 0 left to Triton
    """
    with _lock:
        return Report(_report)


def _strict() -> bool:
    return setting("TILEC_TRITON", "0", "1", "strict") == "strict"


def _note(name: str, kernel: Any, seconds: float, reason: Optional[str] = None) -> None:
    code = kernel.fn.__code__
    with _lock:
        _report.append(Compiled(name, code.co_filename, code.co_firstlineno, seconds, reason))


GLUON = "a Gluon kernel has Triton's layouts, and tilec chooses its own"


def _warn_once(kernel: Any, text: str) -> bool:
    """True if the kernel was not warned about before."""
    code = kernel.fn.__code__
    with _lock:
        known = _warned.setdefault(code, False)
        _warned[code] = True
    if not known:
        warnings.warn_explicit(text, TilecWarning, code.co_filename, code.co_firstlineno)
    return not known


def _leave_gluon(kernel: Any) -> None:
    """Reports once that Triton compiles it."""
    name = kernel.__name__
    if _strict():
        raise TritonError(f"tilec does not compile '{name}': {GLUON}")
    if _warn_once(kernel, f"tilec does not compile '{name}', Triton does: {GLUON}"):
        _note(name, kernel, 0.0, GLUON)


def _forbids() -> bool:
    """True if a compile is an error (TILEC_JIT), so that Triton compiles nothing in tilec's place either."""
    return os.environ.get("TILEC_JIT", "") == "forbid"


def _fall_back(source: Any, error: Exception) -> None:
    """Tells once a kernel what it is that tilec does not compile."""
    if not isinstance(error, _source.FAILURES):
        error = InternalError(f"{type(error).__name__}: {error}")
    _note(source.name, source.fn, 0.0, str(error))
    known_as = _tritons(error)
    if _strict() or isinstance(known_as, AssertionFailure):
        raise known_as from error
    _warn_once(source.fn, f"tilec does not compile '{source.name}', Triton does: {error}")


# ---------------------------------------------------------------- Triton's stages


def _without_context(raised: Optional[BaseException], error: Exception) -> None:
    """Removes the error from the exceptions that a traceback shows before `raised`."""
    while raised is not None:
        if raised.__context__ is error:
            raised.__context__ = None
        raised = raised.__cause__ or raised.__context__


def _make_ir(original: Callable[..., Any], source: Any, target: Any, options: Any, *rest: Any) -> Any:
    """Replaces ASTSource.make_ir: tilec's result where Triton's front end makes a module. Every compile asks for the source's
    hash first. Other callers read the module, as torch.compile does to find what a kernel writes: it is Triton's."""
    if type(source) is _compiler.ASTSource and target.backend == "cuda" and source in _hashed:
        try:
            result = _source.compile_source(source, options, target)
            _note(source.name, source.fn, result.seconds)
            return result
        except Exception as error:  # one of tilec's own mistakes is no reason to end a program that Triton compiles
            if _forbids():
                raise _tritons(error) from error
            try:
                module = original(source, target, options, *rest)  # what Triton refuses too is Triton's error
            except Exception as tritons:
                if hasattr(tritons, "add_note"):  # from Python 3.11 on tilec's text, which names a place, is the last one
                    _without_context(tritons, error)
                    tritons.add_note(f"tilec: {error}")
                raise
            _fall_back(source, error)
            return module
    return original(source, target, options, *rest)


def _stage(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def run(module: Any, metadata: Dict[str, Any]) -> Any:
        result = module if isinstance(module, _source.Result) else module.result if isinstance(module, _Text) else None
        if result is None:
            return original(module, metadata)
        if name == "cubin" and (result.bundled or _forbids()):
            try:
                return result.compiled.output("cubin")
            except TilecError as error:
                if _forbids():
                    raise TritonError(str(error)) from error
        if name == "cubin":
            return _assemble(original, str(module), metadata)
        metadata.update(result.metadata())
        return _Text(result, name)

    return run


def _assemble(original: Callable[..., Any], text: str, metadata: Dict[str, Any]) -> Any:
    """Inline assembly raises a text's version to the newest. An assembler that is older gets the text as one of its own version."""
    if "begin inline asm" not in text:
        return original(text, metadata)
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # Triton prints the error
            return original(text, metadata)
    except Exception as error:
        known = re.search(r"Unsupported \.version [\d.]+; current version is '([\d.]+)'", str(error))
        if known is None:
            raise
    return original(re.sub(r"(?m)^\.version [\d.]+", f".version {known[1]}", text, count=1), metadata)


class _Text(str):
    """A stage's text, which remembers whose it is."""

    result: _source.Result

    def __new__(cls, result: _source.Result, stage: str) -> "_Text":
        made = super().__new__(cls, result.text(stage))
        made.result = result
        return made


def _add_stages(original: Callable[..., None], backend: Any, stages: Dict[str, Any], *rest: Any) -> None:
    """In the place of the backend's: the stages of a result of tilec's are texts that are there already, up to ptxas."""
    original(backend, stages, *rest)
    for name in list(stages):
        stages[name] = _stage(name, stages[name])


def _parse_options(original: Callable[..., Any], backend: Any, given: Dict[str, Any]) -> Any:
    """Adds the options that Triton does not have (`tma`, `persistent`), like tilec's launches. Options are read by attributes."""
    options = original(backend, given)
    for name in (*_source.WORDS, _source.RESTRICT):
        if given.get(name) is not None:
            object.__setattr__(options, name, given[name])
    return options


def _hash(original: Callable[..., str], source: Any) -> str:
    """Names in Triton's cache are other than Triton's own, and change with what the kernel captures."""
    own = original(source)
    _hashed.add(source)
    _watch_inductor()
    if type(source) is not _compiler.ASTSource:
        if type(source).__name__ == "GluonASTSource":
            _leave_gluon(source.fn)
        return own
    try:
        key = _source.captured_of(source, False)[0].key
    except Exception as error:
        key = str(error)
    return hashlib.sha256(f"{own}-{_source.identity()}-{os.environ.get('TILEC_TRITON_TMA', '')}-{key}".encode()).hexdigest()


# ---------------------------------------------------------------- launches on the simulator


class _Simulated(JITFunction):
    """A kernel of Triton's as one of tilec's."""

    def __init__(self, kernel: Any):
        options = {name: getattr(kernel, name, None) for name in ("do_not_specialize", "do_not_specialize_on_alignment", "noinline")}
        super().__init__(kernel.fn, **options)
        self._triton = kernel
        self._reported: Set[Tuple[Any, str]] = set()

    def _options(self, given: Dict[str, Any]) -> Dict[str, Any]:
        """A check asks for the remark of a release that this Triton compiles without a barrier (_errors.warned)."""
        made = super()._options({_source.RESTRICT: True, **given})
        if _elsewhere.get_check() and _triton.__version__.startswith(("3.6.", "3.7.", "3.8.")):
            made["remarks"] = 1
        return made

    def report(self, args: Sequence[Any], kwargs: Dict[str, Any]) -> None:
        """Compiles for such arguments, and notes it where that is new."""
        start = time.perf_counter()
        made = self._prepare(*args, **kwargs)
        seconds = time.perf_counter() - start
        variant = made._kernel, made._signature()
        if variant not in self._reported:
            self._reported.add(variant)
            _note(self.__name__, self._triton, seconds)

    def captured(self, constexprs: Dict[str, Any], functions: Dict[str, Any]) -> Captured:
        return _source.with_what_is_there(capture(self._triton, constexprs, globals_of=_source.globals_of(), functions=functions))


_simulated: Dict[int, _Simulated] = {}  # each keeps its kernel, and so its number


def simulated(kernel: Any) -> _Simulated:
    """The kernel as one of tilec's, which is launched where tilec says."""
    known = _simulated.get(id(kernel))
    if known is None:
        known = _simulated[id(kernel)] = _Simulated(kernel)
    return known


def _on_simulator() -> bool:
    chosen = _devices.get_device()
    return (chosen is not None and not chosen.startswith("cuda")) or isinstance(_triton.runtime.driver.active, SimulatorDriver)


def _simulates() -> bool:
    """True if launches are tilec's own: on the simulator, or checked there first."""
    return _elsewhere.get_check() or _elsewhere.explains is not None or _on_simulator()


def _watch_launches() -> None:
    """Puts _run in the place of JITFunction.run, until the first launch that is Triton's: from then on launches on a GPU take
    no longer than Triton's own. Called again whenever it may be otherwise."""
    if _jit.JITFunction.run is _originals.get((_jit.JITFunction, "run")):
        _jit.JITFunction.run = _run


def _as_types(args: Sequence[Any]) -> List[Any]:
    """The arguments that Triton compiles for. It does not take arrays of the host, so these are types."""
    return [_jit.MockTensor(a.dtype) if hasattr(a, "__array_interface__") and hasattr(a, "shape") and not hasattr(a, "data_ptr") else a for a in args]


def _record(kernel: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> None:
    """Compiles as a launch on a GPU does, where `python -m tilec warm` runs on the simulator."""
    types = dict(zip(kwargs, _as_types(list(kwargs.values()))))
    made = _original(_jit.JITFunction, "run")(kernel, *_as_types(args), grid=(1,), warmup=True, **types)
    launch = getattr(made.metadata, "tilec_launch", None)
    if launch is None:
        return
    named = {**dict(zip(kernel.arg_names, args)), **kwargs}
    defaults = {param.name: param.default for param in kernel.params if param.has_default}
    mapped = _source.Mapped(launch)
    mapped._prepare(*(mock({**defaults, **named}[name]) for name in kernel.arg_names))


def _compiled_by_triton(kernel: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
    """Triton's own result for such a launch."""
    types = dict(zip(kwargs, _as_types(list(kwargs.values()))))
    uninstall()
    try:
        return kernel.warmup(*_as_types(args), grid=(1,), **types)
    except Exception as error:
        raise _against.NotCompared(f"Triton does not compile it: {error}") from error
    finally:
        install()


def _run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
    """In the place of JITFunction.run. Kernels that are only compiled are Triton's to keep."""
    original = _original(_jit.JITFunction, "run")
    simulates = _simulates()
    if not simulates and _jit.JITFunction.run is _run:
        _jit.JITFunction.run = original
    if warmup and simulates:
        if os.environ.get("TILEC_RECORD") and type(kernel) is _jit.JITFunction and isinstance(_triton.runtime.driver.active, SimulatorDriver):
            with contextlib.suppress(CompilationError):  # what follows says it
                _record(kernel, args, kwargs)
                simulated(kernel).warmup(*args, **kwargs)  # as launches on the simulator do
        args = tuple(_as_types(args))
        kwargs = dict(zip(kwargs, _as_types(list(kwargs.values()))))
    if simulates and not warmup and kernel.is_gluon():
        raise TritonError(f"'{kernel.__name__}' cannot run on the simulator: {GLUON}")
    if warmup or type(kernel) is not _jit.JITFunction or not simulates:
        return original(kernel, *args, grid=grid, warmup=warmup, **kwargs)
    for hook in kernel.pre_run_hooks:
        hook(*args, **kwargs)
    try:
        if os.environ.get("TILEC_RECORD") and isinstance(_triton.runtime.driver.active, SimulatorDriver):
            _record(kernel, args, kwargs)
        ours = simulated(kernel)
        if isinstance(_triton.runtime.driver.active, SimulatorDriver):
            ours.report(args, kwargs)
        if _against.on and _elsewhere.only in (None, kernel.__name__):
            compiled = functools.partial(_compiled_by_triton, kernel, args, kwargs)
            return _against.launch(kernel, ours, compiled, args, kwargs, grid, functools.partial(ours.run, *args, grid=grid, **kwargs))
        return ours.run(*args, grid=grid, **kwargs)
    except CompilationError as error:
        types = dict(zip(kwargs, _as_types(list(kwargs.values()))))
        try:
            original(kernel, *_as_types(args), grid=grid, warmup=True, **types)
        except Exception as theirs:  # what Triton refuses too is Triton's error, after one report of tilec's
            raise theirs from None if hasattr(theirs, "__notes__") else error
        raise _tritons(error) from error


# ---------------------------------------------------------------- autotuners


def _key_of(tuner: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Tuple[Any, ...]:
    """As Autotuner.run makes it."""
    known = {name: value for name, value in {**dict(zip(tuner.arg_names, args)), **kwargs}.items() if name in tuner.arg_names}
    return (*(known[name] for name in tuner.keys if name in known), *(str(value.dtype) for value in known.values() if hasattr(value, "dtype")))


UNSEEN = "tilec_args"  # an autotuner's attribute while it runs: the arguments, unless prune_configs() was asked


class _Known(Exception):
    """The configuration that a tuning has kept for the arguments of a launch."""

    def __init__(self, tuner: Any, config: Any):
        super().__init__()
        self.tuner, self.config = tuner, config


def _kernel_of(tuner: Any) -> Any:
    """The kernel that it launches, if that is an unchanged kernel of Triton's; else None."""
    kernel = tuner.fn
    while hasattr(kernel, "fn") and not isinstance(kernel, _jit.JITFunction):
        kernel = kernel.fn
    return kernel if type(kernel) is _jit.JITFunction else None


def _with_heuristics(tuner: Any, kernel: Any) -> Any:
    """What the autotuner launches, as tilec's."""
    made: Any = simulated(kernel)
    layers = []
    layer = tuner.fn
    while layer is not kernel:
        layers.append(getattr(layer, "values", {}))
        layer = layer.fn
    for values in reversed(layers):
        made = _autotune.Heuristics(made, list(kernel.arg_names), values)
    return made


def _prune_configs(original: Callable[..., Any], tuner: Any, kwargs: Dict[str, Any]) -> Any:
    """In the place of Autotuner.prune_configs, which its run() asks for arguments that it has not seen."""
    pruned = original(tuner, kwargs)
    args = tuner.__dict__.pop(UNSEEN, None)
    kernel = _kernel_of(tuner)
    if args is None or kernel is None:
        return pruned
    taken = _kept.find(simulated(kernel), tuner.configs, pruned, args, kwargs)
    if taken is None and _autotune.chooses_by_model():
        taken = by_model(_with_heuristics(tuner, kernel), pruned, args, kwargs)
    if taken is not None:
        raise _Known(tuner, taken)
    return pruned


def _take_any_array(tuner: Any) -> None:
    """Triton's own hooks reset and restore PyTorch's tensors. These take NumPy's arrays too, and what else a launch takes."""

    def before(kwargs: Dict[str, Any], reset_only: bool = False) -> None:
        for name in tuner.reset_to_zero:
            if kwargs[name] is not None:
                _autotune.zero(kwargs[name])
        if not reset_only:
            tuner.restore_copies = {name: _autotune.copy_of(kwargs[name]) for name in tuner.restore_value if kwargs[name] is not None}

    def after(kwargs: Dict[str, Any], exception: Optional[BaseException]) -> None:
        for name, value in tuner.restore_copies.items():
            _autotune.restore(kwargs[name], value)
        tuner.restore_copies = {}

    if not tuner.user_defined_pre_hook:
        tuner.pre_hook = before
    if not tuner.user_defined_post_hook and tuner.restore_value:
        tuner.post_hook = after
    tuner.tilec_takes_any_array = True


def _tune(tuner: Any, *args: Any, **kwargs: Any) -> Any:
    """In the place of Autotuner.run: what a tuning has kept is not measured again, and what is measured is kept. Arguments that
    were seen before cost no more than an attribute."""
    original = _original(_autotuner.Autotuner, "run")
    if (tuner.reset_to_zero or tuner.restore_value) and not hasattr(tuner, "tilec_takes_any_array"):
        _take_any_array(tuner)
    setattr(tuner, UNSEEN, args)
    try:
        result = original(tuner, *args, **kwargs)
    except _Known as known:
        if known.tuner is not tuner:
            raise
        tuner.cache[_key_of(tuner, args, kwargs)] = known.config
        return original(tuner, *args, **kwargs)
    finally:
        unseen = tuner.__dict__.pop(UNSEEN, None) is None
    kernel = _kernel_of(tuner) if unseen else None
    if kernel is None or _simulates() or _warned.get(kernel.fn.__code__):
        return result
    chosen = tuner.cache.get(_key_of(tuner, args, kwargs))
    measured = (getattr(tuner, "configs_timings", None) or {}).get(chosen)
    if measured:
        _kept.keep(simulated(kernel), tuner.configs, args, kwargs, chosen, measured[0] if isinstance(measured, list) else measured)
    return result


def _bench(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """In the place of the measurements of triton.testing."""
    if not _on_simulator():
        return original(*args, **kwargs)
    given = inspect.signature(original).bind(*args, **kwargs).arguments
    return _autotune.bench_once(given["fn"], given.get("grad_to_none"), given.get("quantiles"), given.get("return_mode", "mean"))


# ---------------------------------------------------------------- launches with tensor maps


class _MappedLauncher:
    """Replaces Triton's launcher of a kernel on one device. Triton's does the launches that tilec does not: for ever if
    tilec does not compile the kernel, else those whose arguments it does not take."""

    def __init__(self, made: str, other: Callable[..., Any], device: Any):
        self._ours: Optional[_source.Mapped] = _source.Mapped(made)
        self._other, self._device = other, device
        self._launch = self._ours._launch_on_stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._other, name)

    def __call__(self, x: int, y: int, z: int, stream: int, function: Any, packed: Any, launch: Any, enter: Any, leave: Any, *args: Any) -> None:
        if self._ours is None:
            self._other(x, y, z, stream, function, packed, launch, enter, leave, *args)
            return
        if enter is not None:
            enter(launch)
        try:
            self._launch(self._device, stream, (x, y, z), *args)
        except Exception as error:  # what Triton's launcher refuses too is its error
            if isinstance(error, CompilationError):
                self._ours = None
            self._other(x, y, z, stream, function, packed, launch, None, leave, *args)
            return
        if leave is not None:
            leave(launch)


class _PaddingLauncher(_MappedLauncher):
    """Triton's launcher, except for launches with a descriptor that pads with NaN: Triton's types do not say so, so tilec compiles
    another kernel for them."""

    def __call__(self, x: int, y: int, z: int, stream: int, function: Any, packed: Any, launch: Any, enter: Any, leave: Any, *args: Any) -> None:
        if any(getattr(arg, "padding", None) == "nan" for arg in args):
            super().__call__(x, y, z, stream, function, packed, launch, enter, leave, *args)
        else:
            self._other(x, y, z, stream, function, packed, launch, enter, leave, *args)


def _init_handles(original: Callable[[Any], None], compiled: Any) -> None:
    """In the place of CompiledKernel._init_handles: kernels with tensor maps get a launcher that makes them. Where nothing
    launches with `metadata.shared`, it is all of the kernel's shared memory."""
    fresh = compiled.module is None
    original(compiled)
    active = _triton.runtime.driver.active
    static = getattr(compiled.metadata, "tilec_static_shared", 0)
    if static and isinstance(active, SimulatorDriver):
        compiled.metadata = compiled.metadata._replace(shared=compiled.metadata.shared + static, tilec_static_shared=0)
    if not fresh or not isinstance(active, CudaDriver):
        return
    made = getattr(compiled.metadata, "tilec_launch", None)
    padded = getattr(compiled.metadata, "tilec_padded", None)
    if made is None and padded is None:
        return
    try:
        device = _devices.opened(f"cuda:{active.get_current_device()}")
        compiled._run = _MappedLauncher(made, compiled._run, device) if made else _PaddingLauncher(padded, compiled._run, device)
    except TilecError:  # no GPU of tilec's: Triton's launcher has its own kernel
        pass


def _watch_inductor() -> None:
    """Replaces what chooses PyTorch's static launcher, which passes no tensor maps, once torch.compile is there."""
    heuristics = sys.modules.get("torch._inductor.runtime.triton_heuristics")
    chooser = getattr(heuristics, "StaticTritonCompileResult", None)
    name = "can_statically_launch"
    if chooser is None or (chooser, name) in _originals or name not in vars(chooser):
        return
    original = getattr(chooser, name)

    def chosen(kernel: Any, inductor_meta: Any, triton_meta: Any, *rest: Any, **more: Any) -> Any:
        """None: the launcher through Triton. A kernel without a device index may be launched on several, which only the static one does."""
        if hasattr(kernel.metadata, "tilec_launch") and triton_meta.get("device") is not None:
            return None
        return original(kernel, inductor_meta, triton_meta, *rest, **more)

    _originals[chooser, name] = vars(chooser)[name]
    setattr(chooser, name, staticmethod(chosen))


def _create_driver(original: Callable[[], Any]) -> Any:
    """Triton's driver; where it has none, the simulator's."""
    try:
        return original()
    except RuntimeError:
        return SimulatorDriver()


# ---------------------------------------------------------------- putting it in place


def _put(holder: Any, name: str, replacement: Callable[..., Any]) -> None:
    _originals[holder, name] = getattr(holder, name)
    setattr(holder, name, replacement)


def _replace(holder: Any, name: str, make: Callable[..., Any]) -> None:
    original = getattr(holder, name)

    @functools.wraps(original)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        return make(original, *args, **kwargs)

    _put(holder, name, replaced)


def _then_watch(original: Callable[..., Any], *args: Any) -> Any:
    """In the place of what chooses another driver."""
    result = original(*args)
    _watch_launches()
    return result


def install() -> None:
    """Makes tilec the compiler of Triton's kernels. Importing this module does so; call it after `uninstall`.
    A Triton that was not tested is a warning. Without Triton it does nothing.

    Errors: ImportError for a Triton without the stages and launchers that tilec replaces.

    Example::

        import tilec.triton

        tilec.triton.uninstall()
        tilec.triton.install()
    """
    if _originals:
        return
    _first.take_back()
    if not _triton.__version__.startswith(VERSIONS) and _triton.__version__ not in _untested:
        _untested.add(_triton.__version__)
        text = f"tilec was tested with Triton 3.6 to 3.9, not with {_triton.__version__}: it may fail, or differ from this Triton"
        warnings.warn(text, TilecWarning, stacklevel=2)
    try:
        _put_all()
    except (AttributeError, KeyError) as error:
        uninstall()
        report_in_one_line()
        raise TritonImportError(f"tilec does not fit Triton {_triton.__version__}: {error}", name="triton") from error
    if _watch_launches not in _devices.watchers:
        _devices.watchers.append(_watch_launches)
    _strict()  # a wrong word is an error
    os.environ.setdefault("TILEC_TRITON", "1")  # processes that this one starts to compile (torch.compile's) do as it does


def _put_all() -> None:
    _replace(CUDABackend, "add_stages", _add_stages)
    _replace(CUDABackend, "parse_options", _parse_options)
    _replace(_compiler.ASTSource, "make_ir", _make_ir)
    _replace(_compiler.ASTSource, "hash", _hash)
    _put(_jit.JITFunction, "run", _run)
    _put(_autotuner.Autotuner, "run", _tune)
    _replace(_autotuner.Autotuner, "prune_configs", _prune_configs)
    _replace(_compiler.CompiledKernel, "_init_handles", _init_handles)
    for name in ("do_bench", "do_bench_cudagraph", "do_bench_proton"):
        if hasattr(_testing, name):
            _replace(_testing, name, _bench)
    module = sys.modules["triton.runtime.driver"]
    _replace(module, "_create_driver", _create_driver)
    _replace(module.DriverConfig, "set_active", _then_watch)
    _replace(module.DriverConfig, "reset_active", _then_watch)


def uninstall() -> None:
    """Triton compiles what is compiled from now on. Without Triton it does nothing.

    Example::

        import tilec.triton

        tilec.triton.uninstall()
    """
    if not _originals:
        return
    for (holder, name), original in _originals.items():
        setattr(holder, name, original)
    _originals.clear()
    os.environ.pop("TILEC_TRITON", None)


install()
