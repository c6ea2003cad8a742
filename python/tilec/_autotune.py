# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose configurations are measured, or worked out from their arguments: autotune, heuristics, Config."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _devices, _elsewhere, _kept, _native
from ._errors import CompilationError, DeviceError, OutOfResources, StaticAssertionError, UnknownArgument, setting, warn_outside
from ._jit import IGNORED, OPTIONS, mock

if TYPE_CHECKING:
    from ._explain import Explanation

Hook = Callable[..., Any]


# Options that Triton's configurations have not.
OWN = ("tma", "warp_specialize", "epilogue", "persistent")


class Config:
    """One configuration of a kernel: values of constexprs, and options of the compiler.

    Args:
        kwargs: values of constexpr parameters by name, and options of a launch that are not parameters here, such as `{"debug": True}`.
        num_warps: warps of a program.
        num_stages: stages of software pipelining.
        num_ctas: accepted and ignored; one CTA computes the tile.
        maxnreg: the most registers of a thread. None: the compiler chooses.
        pre_hook: called with a dict of all arguments by name before each launch.
        ir_override: accepted and ignored; Triton's IR is not read.
        tma, warp_specialize, epilogue, persistent: "auto", "on" or "off", as options of a launch. Triton has no such options.

    Example::

        config = tilec.Config({"BLOCK": 256}, num_warps=8)
        print(config)  # BLOCK: 256, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: None
    """

    def __init__(
        self,
        kwargs: Dict[str, Any],
        num_warps: int = 4,
        num_stages: int = 3,
        num_ctas: int = 1,
        maxnreg: Optional[int] = None,
        pre_hook: Optional[Hook] = None,
        ir_override: Optional[str] = None,
        tma: Optional[str] = None,
        warp_specialize: Optional[str] = None,
        epilogue: Optional[str] = None,
        persistent: Optional[str] = None,
    ):
        self.kwargs = kwargs
        self.num_warps, self.num_stages, self.num_ctas = num_warps, num_stages, num_ctas
        self.maxnreg, self.pre_hook, self.ir_override = maxnreg, pre_hook, ir_override
        self.tma, self.warp_specialize, self.epilogue, self.persistent = tma, warp_specialize, epilogue, persistent

    def all_kwargs(self) -> Dict[str, Any]:
        """Returns a dict of the constexprs and options of a launch with this configuration.

        Example::

            config = tilec.Config({"BLOCK": 256}, num_warps=8)
            print(config.all_kwargs())  # {'BLOCK': 256, 'num_warps': 8, 'num_ctas': 1, 'num_stages': 3}
        """
        names = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override", *OWN)
        options = {name: getattr(self, name) for name in names}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def _identity(self) -> Tuple[Any, ...]:
        return (*self.all_kwargs().items(), self.pre_hook)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __str__(self) -> str:
        shown = {**self.kwargs, **{name: getattr(self, name) for name in ("num_warps", "num_ctas", "num_stages", "maxnreg")}}
        own = {name: getattr(self, name) for name in OWN}
        shown.update({name: value for name, value in own.items() if value is not None})
        return ", ".join(f"{name}: {value}" for name, value in shown.items())

    def __repr__(self) -> str:
        return f"Config({self})"


def _nothing(*args: Any, **kwargs: Any) -> None:
    """A launch while launches are skipped."""


class KernelInterface:
    """Base of objects that are launched like a kernel: `k[grid](*args)`."""

    fn: Any
    arg_names: List[str]

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return _nothing if _native.launches_skipped() else functools.partial(self.run, grid=grid, warmup=False)

    @property
    def base_fn(self) -> Callable[..., Any]:
        """The Python function under all decorators."""
        function = self.fn
        while not inspect.isfunction(function):
            function = function.fn
        return function

    @property
    def base_kernel(self) -> Any:
        """The kernel under all decorators, a JITFunction."""
        kernel = self.fn
        while not inspect.isfunction(kernel) and not inspect.isfunction(kernel.fn):
            kernel = kernel.fn
        return kernel

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = self.base_fn.__name__
        raise RuntimeError(f"{name} is a kernel: launch it, {name}[grid](...), or call it within one")


# ---------------------------------------------------------------- arrays


def zero(array: Any) -> None:
    if hasattr(array, "zero_"):
        array.zero_()
    else:
        array[...] = 0


def copy_of(array: Any) -> Any:
    return array.clone() if hasattr(array, "clone") else array.copy()


def restore(array: Any, copy: Any) -> None:
    if hasattr(array, "copy_"):
        array.copy_(copy)
    else:
        array[...] = copy


def _on_gpu(values: Sequence[Any]) -> bool:
    """True if a launch with these arguments runs on a GPU, where time can be measured."""
    chosen = _devices.get_device()
    if chosen is not None and not str(chosen).startswith("cuda"):
        return False
    for value in values:
        if getattr(value, "is_cuda", False):
            return True
        if not hasattr(value, "is_cuda") and hasattr(value, "__cuda_array_interface__"):
            return True
    return False


# ---------------------------------------------------------------- measuring


def _torch_events() -> Any:
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return cuda if cuda is not None and cuda.is_available() else None


def chooses_by_model() -> bool:
    """True if autotuners measure nothing and take the model's choice."""
    return setting("TILEC_AUTOTUNE", "model") == "model"


L2_BYTES = 256 << 20  # more than any GPU's L2 cache, as in Triton's do_bench


def _times(call: Callable[[], Any], count: int) -> List[float]:
    """Milliseconds of each of `count` calls.

    PyTorch's events time kernels. L2 is overwritten before each, so that no call finds its inputs there. Meanwhile the host launches
    the call, so its own time does not count.
    """
    cuda = _torch_events()
    if cuda is None:
        found = []
        for _ in range(count):
            _devices.synchronize()
            start = time.perf_counter()
            call()
            _devices.synchronize()
            found.append((time.perf_counter() - start) * 1e3)
        return found
    events = [(cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)) for _ in range(count)]
    torch = sys.modules["torch"]
    cache = torch.empty(L2_BYTES, dtype=torch.int8, device="cuda")
    for start_event, end_event in events:
        cache.zero_()
        start_event.record()
        call()
        end_event.record()
    cuda.synchronize()
    return [start_event.elapsed_time(end_event) for start_event, end_event in events]


def _quantile(values: List[float], q: float) -> float:
    """Linear between the two neighbours."""
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _summary(times: List[float], quantiles: Optional[Sequence[float]], return_mode: str) -> Any:
    if quantiles is not None:
        found = [_quantile(times, q) for q in quantiles]
        return found[0] if len(found) == 1 else found
    if return_mode == "all":
        return times
    return {"mean": sum(times) / len(times), "median": _quantile(times, 0.5), "min": min(times), "max": max(times)}[return_mode]


NO_TIME = "the simulator measures no time: this is how long it took. 'python -m tilec explain' predicts a GPU's"


def do_bench(
    fn: Callable[[], Any], warmup: float = 25, rep: float = 100, quantiles: Optional[Sequence[float]] = None, return_mode: str = "mean"
) -> Union[float, List[float]]:
    """Measures how long a call takes on the GPU, in milliseconds. With PyTorch, the L2 cache is emptied before each call.

    Args:
        fn: called without arguments.
        warmup: milliseconds of calls before the measurement.
        rep: milliseconds of calls that are measured.
        quantiles: a list of numbers from 0 to 1. The result is a list of these quantiles. For a list of one it is a number.
        return_mode: without quantiles "mean", "median", "min", "max", or "all", a list.

    Returns a number, or a list. On the simulator it is the time of the simulation, which is not a GPU's.

    Errors: KeyError for another return_mode, and what `fn` raises.

    Example::

        median = tilec.do_bench(lambda: add[grid](x, y, out, 1000, BLOCK=256), warmup=1, rep=1, return_mode="median")
        print(median > 0)  # True
    """
    fn()
    each = max(sum(_times(fn, 5)) / 5, 1e-4)
    for _ in range(max(1, int(warmup / each))):
        fn()
    return _summary(_times(fn, max(1, int(rep / each))), quantiles, return_mode)


def bench_once(fn: Callable[[], Any], grad_to_none: Optional[Sequence[Any]], quantiles: Optional[Sequence[float]], return_mode: str) -> Any:
    """A measurement of Triton's on the simulator: one call, and a warning that its time is not a GPU's."""
    warn_outside(NO_TIME)
    for each in grad_to_none or ():
        each.grad = None
    start = time.perf_counter()
    fn()
    return _summary([(time.perf_counter() - start) * 1e3], quantiles, return_mode)


# ---------------------------------------------------------------- autotuning

FAILURES = (OutOfResources, DeviceError, StaticAssertionError)


class Autotuner(KernelInterface):
    """A kernel that is launched with the fastest of its configurations; `autotune` makes it.

    The first launch for each value of the key measures them. On the simulator, which cannot measure time, the first
    configuration that is not pruned is used. A lock (`TILEC_LOCK`) or `TILEC_AUTOTUNE=model` chooses without a
    measurement. `TRITON_PRINT_AUTOTUNING=1` prints what was chosen on a GPU.

    Attributes:
        best_config: the Config of the last launch; None before it.
        configs: all Configs, a list.
        cache: Configs by key.
        configs_timings: milliseconds by Config, as a list of the median and the 20 % and 80 % quantiles.
        bench_time: seconds of the last measurement.

    Example::

        tuned = tilec.autotune([tilec.Config({"BLOCK": 128}), tilec.Config({"BLOCK": 256})], key=["n"])(add)
        tuned[lambda meta: (tilec.cdiv(1000, meta["BLOCK"]),)](x, y, out, 1000)
        print(tuned.best_config.kwargs)  # {'BLOCK': 128}
    """

    def __init__(
        self,
        fn: Any,
        arg_names: List[str],
        configs: Sequence[Config],
        key: Sequence[str],
        reset_to_zero: Optional[Sequence[str]] = None,
        restore_value: Optional[Sequence[str]] = None,
        pre_hook: Optional[Hook] = None,
        post_hook: Optional[Hook] = None,
        prune_configs_by: Optional[Mapping[str, Any]] = None,
        warmup: Optional[float] = None,
        rep: Optional[float] = None,
        use_cuda_graph: bool = False,
        do_bench: Optional[Callable[..., Any]] = None,
        cache_results: bool = False,
    ):
        self.fn, self.arg_names = fn, arg_names
        self.configs = list(configs) or [Config({})]
        for config in self.configs:
            for name in config.kwargs:
                if name not in arg_names and name not in OPTIONS and name not in IGNORED:
                    raise UnknownArgument.of(f"a Config of {self.base_fn.__name__}", name, [*arg_names, *OPTIONS, *IGNORED])
        self.keys = list(key)
        self.reset_to_zero, self.restore_value = list(reset_to_zero or ()), list(restore_value or ())
        self.pre_hook, self.post_hook = pre_hook, post_hook
        pruning = prune_configs_by or {}
        self.perf_model: Optional[Callable[..., float]] = pruning.get("perf_model")
        self.configs_top_k: Union[int, float] = pruning.get("top_k", 1.0)
        self.early_config_prune: Optional[Callable[..., List[Config]]] = pruning.get("early_config_prune")
        self.cache: Dict[Tuple[Any, ...], Config] = {}
        self.best_config: Optional[Config] = None
        self.configs_timings: Dict[Config, Any] = {}
        self.bench_time = 0.0
        self._do_bench = do_bench
        self._periods = {name: value for name, value in (("warmup", warmup), ("rep", rep)) if value is not None}
        functools.update_wrapper(self, self.base_fn)

    # ---- one configuration

    def _before(self, named: Dict[str, Any], reset_only: bool = False) -> Dict[str, Any]:
        """Arguments as each measurement is to find them; copies of those that it changes."""
        if self.pre_hook is not None:
            self.pre_hook(named, reset_only=True) if reset_only else self.pre_hook(named)
            return {}
        for name in self.reset_to_zero:
            zero(named[name])
        return {} if reset_only else {name: copy_of(named[name]) for name in self.restore_value}

    def _after(self, named: Dict[str, Any], copies: Dict[str, Any], error: Optional[BaseException]) -> None:
        if self.post_hook is not None:
            self.post_hook(named, exception=error)
            return
        for name, copy in copies.items():
            restore(named[name], copy)

    def _measure(self, config: Config, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> List[float]:
        """Its times by quantiles; infinite where it needs more than there is."""
        clash = kwargs.keys() & config.kwargs.keys()
        if clash:
            raise ValueError(f"{', '.join(sorted(clash))} is given by the launch and by a configuration")
        current = {**kwargs, **config.all_kwargs()}
        named = {**dict(zip(self.arg_names, args)), **current}

        def call() -> None:
            if config.pre_hook is not None:
                config.pre_hook(named)
            copies = self._before(named)
            try:
                self.fn.run(*args, **current)
            except BaseException as error:
                self._after(named, copies, error)
                raise
            self._after(named, copies, None)

        bench: Callable[..., Any] = self._do_bench or functools.partial(do_bench, **self._periods)  # type: ignore[arg-type]
        try:
            return _times_of(bench(call, quantiles=(0.5, 0.2, 0.8)))
        except FAILURES:
            return [float("inf")] * 3
        except CompilationError as error:
            if not _too_large(error):
                raise
            return [float("inf")] * 3

    # ---- choosing

    def prune_configs(self, named: Dict[str, Any], kwargs: Dict[str, Any]) -> List[Config]:
        """Returns the configurations that are tried, as `prune_configs_by` selects them.

        Args:
            named: the arguments by name.
            kwargs: the launch's keywords.

        Errors: ValueError if none is left.

        Example::

            sizes = [tilec.Config({"BLOCK": size}) for size in (128, 256)]
            fewer = {"early_config_prune": lambda configs, named_args, **kwargs: configs[1:]}
            tuned = tilec.autotune(sizes, key=["n"], prune_configs_by=fewer)(add)
            print([config.kwargs for config in tuned.prune_configs({"n": 1000}, {})])  # [{'BLOCK': 256}]
        """
        configs = list(self.configs)
        if self.early_config_prune is not None:
            configs = list(self.early_config_prune(configs, named, **kwargs))
            if not configs:
                raise ValueError(f"{self.base_fn.__name__}: early_config_prune must leave at least one configuration")
        if self.perf_model is None:
            return configs
        count = self.configs_top_k
        if isinstance(count, float) and count <= 1.0:
            count = int(len(self.configs) * count)
        elif not isinstance(count, int):
            raise TypeError("top_k must be a number of configurations, or a share of them up to 1.0")
        if len(configs) <= count:
            return configs
        model = self.perf_model
        return sorted(configs, key=lambda config: model(**{**named, **kwargs, **config.all_kwargs()}))[:count]

    def _key(self, named: Dict[str, Any]) -> Tuple[Any, ...]:
        known = {name: value for name, value in named.items() if name in self.arg_names}
        key = [known[name] for name in self.keys if name in known]
        return (*key, *(str(value.dtype) for value in known.values() if hasattr(value, "dtype")))

    def _choose(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Config:
        if len(self.configs) == 1:
            return self.configs[0]
        named = dict(zip(self.arg_names, args))
        key = self._key({**named, **kwargs})
        if key not in self.cache:
            self._tune(key, named, args, kwargs)
        return self.cache[key]

    def _tune(self, key: Tuple[Any, ...], named: Dict[str, Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        configs = self.prune_configs(named, kwargs)
        taken = _kept.find(self.base_kernel, self.configs, configs, args, kwargs) or self._by_model(configs, args, kwargs)
        if taken is not None:
            self.cache[key] = taken
            return
        on_gpu = _on_gpu([*args, *kwargs.values()])
        if self._do_bench is None and not on_gpu:
            self.cache[key] = configs[0]
            _elsewhere.first_only |= len(configs) > 1
            return
        start = time.time()
        timings = {config: self._measure(config, args, kwargs) for config in configs}
        self.bench_time = time.time() - start
        best = min(timings, key=lambda config: timings[config])
        if timings[best][0] == float("inf"):
            self.fn.run(*args, **{**kwargs, **best.all_kwargs()})  # its error is the answer
        self.cache[key], self.configs_timings = best, timings
        if on_gpu:
            _kept.keep(self.base_kernel, self.configs, args, kwargs, best, timings[best][0])
        self._before({**named, **kwargs, **best.all_kwargs()}, reset_only=True)
        if os.environ.get("TRITON_PRINT_AUTOTUNING", "0") not in ("", "0"):
            print(f"tilec: {self.base_fn.__name__}, {key}: {best} ({self.bench_time:.2f} s)")

    def _by_model(self, configs: Sequence[Config], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Optional[Config]:
        """What TILEC_AUTOTUNE=model takes; None: it is not set."""
        if not chooses_by_model():
            return None
        from ._tune import by_model

        return by_model(self.fn, configs, args, kwargs)  # type: ignore[no-any-return]

    def run(self, *args: Any, grid: Any = None, warmup: bool = False, **kwargs: Any) -> Any:
        """Launches with the fastest configuration, as `kernel[grid](*args, **kwargs)` does.

        Args:
            args, kwargs: the arguments of a launch.
            grid: the number of programs, as in a launch.
            warmup: True compiles only.

        Returns a CompiledKernel.

        Example::

            tuned = tilec.autotune([tilec.Config({"BLOCK": 256})], key=["n"])(add)
            tuned.run(x, y, out, 1000, grid=grid)
            print(out[999])  # 2.0
        """
        kwargs.update(grid=grid, warmup=warmup)
        config = self.best_config = self._choose(args, kwargs)
        current = {**kwargs, **config.all_kwargs()}
        if config.pre_hook is not None:
            config.pre_hook({**dict(zip(self.arg_names, args)), **current})
        return self.fn.run(*args, **current)

    def warmup(self, *args: Any, **kwargs: Any) -> List[Any]:
        """Compiles for such arguments, and launches nothing. If `TILEC_LOCK` or `TILEC_AUTOTUNE=model` chooses the
        configuration of such a launch, only that one is compiled. Else it is every one that is not pruned.

        Args:
            args, kwargs: as for a launch, without what the configurations give. `TILEC_AUTOTUNE=model` needs the grid.

        Returns a list of CompiledKernels.

        Example::

            tuned = tilec.autotune([tilec.Config({"BLOCK": size}) for size in (128, 256)], key=["n"])(add)
            print(len(tuned.warmup(x, y, out, 1000)), out[999])  # 2 0.0
        """
        configs = self.prune_configs(dict(zip(self.arg_names, args)), kwargs)
        if len(self.configs) > 1:
            typed = tuple(mock(arg) for arg in args), {name: mock(value) for name, value in kwargs.items()}
            chosen = _kept.find(self.base_kernel, self.configs, configs, *typed, locked=True)
            if chosen is None and kwargs.get("grid") is not None:
                chosen = self._by_model(configs, *typed)
            configs = configs if chosen is None else [chosen]
        return [self.fn.warmup(*args, **{**kwargs, **config.all_kwargs()}) for config in configs]

    def explain(self, *args: Any, grid: Any, **kwargs: Any) -> Explanation:
        """Predicts what such a launch costs, as JITFunction.explain does; launches and measures nothing. The configuration is
        the one that such launches use, or the first if there was none.

        Args:
            args: as for a launch.
            grid: the number of programs, as for a launch.
            kwargs: as for a launch.

        Returns an Explanation.

        Example::

            tuned = tilec.autotune([tilec.Config({"BLOCK": size}) for size in (256, 512)], key=["n"])(add)
            told = tuned.explain(x, y, out, 1000, grid=lambda meta: (tilec.cdiv(1000, meta["BLOCK"]),))
            print("limited by" in told.headline, out[999])  # True 0.0
        """
        named = dict(zip(self.arg_names, args))
        known = self.cache.get(self._key({**named, **kwargs}))
        config = known or self.prune_configs(named, {**kwargs, "grid": grid, "warmup": True})[0]
        return self.fn.explain(*args, grid=grid, **{**kwargs, **config.all_kwargs()})  # type: ignore[no-any-return]


def _times_of(found: Any) -> List[float]:
    return [float(value) for value in found] if isinstance(found, (list, tuple)) else [float(found)]


def _too_large(error: CompilationError) -> bool:
    return any("shared memory" in diagnostic.text for diagnostic in error.diagnostics)


def autotune(
    configs: Sequence[Config],
    key: Sequence[str],
    prune_configs_by: Optional[Mapping[str, Any]] = None,
    reset_to_zero: Optional[Sequence[str]] = None,
    restore_value: Optional[Sequence[str]] = None,
    pre_hook: Optional[Hook] = None,
    post_hook: Optional[Hook] = None,
    warmup: Optional[float] = None,
    rep: Optional[float] = None,
    use_cuda_graph: bool = False,
    do_bench: Optional[Callable[..., Any]] = None,
    cache_results: bool = False,
) -> Callable[[Any], Autotuner]:
    """Decorates a kernel so that its launches measure the configurations and use the fastest one. A measurement is made
    for each value of the arguments in `key`, and for the arrays' types. It is kept in the cache on disk.
    Without a GPU nothing is measured: the first configuration is used, or the one that `tilec tune` has kept.
    If the lock of `TILEC_LOCK` has an entry for the launch, its choice is used. With `TILEC_AUTOTUNE=model` it is the
    model's choice.

    Args:
        configs: a list of Configs.
        key: names of parameters.
        prune_configs_by: a dict. `early_config_prune`: a function that returns the Configs to try. It is called as
            `f(configs, named_args, **kwargs)`: `named_args` is a dict of the positional arguments, `kwargs` has the launch's
            keywords, with `grid` and `warmup`. `perf_model`: a function of arguments by keyword, which returns a time. `top_k`: how
            many Configs with the lowest such times are tried; a float up to 1.0 is a share.
        reset_to_zero: names of arrays that are set to zero before each measurement.
        restore_value: names of arrays that are restored after each measurement.
        pre_hook: called before each measurement as `pre_hook(args)` with a dict of the arguments, and once after all as
            `pre_hook(args, reset_only=True)`. It replaces `reset_to_zero` and `restore_value`.
        post_hook: called after each measurement as `post_hook(args, exception=error)`; `error` is None if it succeeded.
        warmup, rep: milliseconds, as for `do_bench`.
        use_cuda_graph: accepted and ignored; times are those of launches, by events.
        do_bench: a function that measures, instead of `tilec.do_bench`. It is called as `do_bench(call, quantiles=(0.5, 0.2, 0.8))`.
        cache_results: accepted and ignored; results are always kept.

    Returns a decorator; the kernel becomes an Autotuner.

    Errors: ArgumentError if a Config names no parameter and no option.

    Example::

        @tilec.autotune([tilec.Config({"BLOCK": size}) for size in (128, 256, 512)], key=["n"])
        @tilec.jit
        def double(x, out, n, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

        double[lambda meta: (tilec.cdiv(1000, meta["BLOCK"]),)](x, out, 1000)
        print(out[999])  # 2.0

        def only_small(configs, named_args, **kwargs):
            return [config for config in configs if config.kwargs["BLOCK"] <= named_args["n"]]

        sizes = [tilec.Config({"BLOCK": size}) for size in (1024, 256)]
        tuned = tilec.autotune(sizes, key=["n"], prune_configs_by={"early_config_prune": only_small})(add)
        tuned[lambda meta: (tilec.cdiv(1000, meta["BLOCK"]),)](x, y, out, 1000)
        print(tuned.best_config.kwargs)  # {'BLOCK': 256}
    """
    options: Dict[str, Any] = {"prune_configs_by": prune_configs_by, "reset_to_zero": reset_to_zero, "restore_value": restore_value}
    options.update(pre_hook=pre_hook, post_hook=post_hook, warmup=warmup, rep=rep, use_cuda_graph=use_cuda_graph)
    options.update(do_bench=do_bench, cache_results=cache_results)

    def decorate(fn: Any) -> Autotuner:
        return Autotuner(fn, fn.arg_names, configs, key, **options)

    return decorate


# ---------------------------------------------------------------- heuristics


class Heuristics(KernelInterface):
    """A kernel that computes some constexprs from the other arguments; `heuristics` makes it.

    Attributes:
        values: the functions by the name of a constexpr.

    Example::

        chosen = tilec.heuristics({"BLOCK": lambda args: tilec.next_power_of_2(args["n"])})(add)
        chosen[(1,)](x, y, out, 1000)
        print(out[999])  # 2.0
    """

    def __init__(self, fn: Any, arg_names: List[str], values: Mapping[str, Callable[[Dict[str, Any]], Any]]):
        self.fn, self.arg_names, self.values = fn, arg_names, dict(values)
        functools.update_wrapper(self, self.base_fn)

    def _with_values(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
        for name, function in self.values.items():
            kwargs[name] = function({**dict(zip(self.arg_names, args)), **kwargs})
        return kwargs

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the values and launches, as `kernel[grid](*args, **kwargs)` does.

        Example::

            chosen = tilec.heuristics({"BLOCK": lambda args: tilec.next_power_of_2(args["n"])})(add)
            chosen.run(x, y, out, 1000, grid=(1,))
            print(out[999])  # 2.0
        """
        return self.fn.run(*args, **self._with_values(args, kwargs))

    def warmup(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the values and compiles; launches nothing.

        Example::

            chosen = tilec.heuristics({"BLOCK": lambda args: tilec.next_power_of_2(args["n"])})(add)
            print(chosen.warmup(x, y, out, 1000).name, out[999])  # add 0.0
        """
        return self.fn.warmup(*args, **self._with_values(args, kwargs))

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """Computes the values and predicts what the launch costs, as JITFunction.explain does.

        Returns an Explanation.

        Example::

            chosen = tilec.heuristics({"BLOCK": lambda args: tilec.next_power_of_2(args["n"])})(add)
            print("limited by" in chosen.explain(x, y, out, 1000, grid=(1,)).headline, out[999])  # True 0.0
        """
        return self.fn.explain(*args, **self._with_values(args, kwargs))  # type: ignore[no-any-return]


def heuristics(values: Mapping[str, Callable[[Dict[str, Any]], Any]]) -> Callable[[Any], Heuristics]:
    """Decorates a kernel so that a launch computes some of its constexprs.

    Args:
        values: functions by the name of a constexpr, or of an option such as "num_warps". Each gets a dict of all arguments
            by name, with the values before it.

    Returns a decorator; the kernel becomes a Heuristics.

    Errors: a launch raises what the functions raise.

    Example::

        @tilec.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
        @tilec.jit
        def copy(x, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(out + i, tl.load(x + i, mask=None if EVEN else i < n), mask=None if EVEN else i < n)

        copy[(10,)](x, out, 1000, BLOCK=100)
        print(out[999])  # 1.0
    """

    def decorate(fn: Any) -> Heuristics:
        return Heuristics(fn, fn.arg_names, values)

    return decorate
