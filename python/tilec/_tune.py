# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.tune: finds a kernel's fastest configuration for given arguments, like `tilec tune` (docs/tune.md). The cost
model ranks all of them. The best ranked are compiled on all cores and measured. The best is kept.

Properties of a configuration that only Python knows (heuristics, a grid that is a function) are computed here, before
anything is compiled.
"""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _devices, _kept, _native
from ._autotune import Autotuner, Config, Heuristics
from ._errors import ArgumentError, TilecError, TilecWarning
from ._jit import JITFunction, program_of
from ._values import given_name, is_function, unwrap

Settings = List[Tuple[str, str, bool]]


class Progress(NamedTuple):
    """A report of `tune`, after each step.

    Attributes:
        step: "predicting", "compiling" or "measuring".
        done: how many configurations (when measuring, rounds) are done.
        all: how many there are.
        seconds_left: of the step, an estimate.
        best: the fastest configuration so far as text, or None.
        best_seconds: of a launch with it.

    Example::

        seen = []
        tilec.tune(add, (x, y, out, 1000), grid, {"BLOCK": [256, 512]}, keep=False, progress=lambda each: seen.append(each))
        print("measuring" in {each.step for each in seen})  # True
    """

    step: str
    done: int
    all: int
    seconds_left: float
    best: Optional[str]
    best_seconds: float


@dataclass(frozen=True)
class Tried:
    """One configuration of a tuning; `Tuned.ranked` has them.

    Attributes:
        config: the Config.
        seconds: the median time of a launch, or None if it was not measured.
        rounds: how many rounds it was measured in.
        predicted: seconds that the cost model predicts, or None if the model does not know the card.
        bottleneck: of the prediction, such as "memory" or "tensor cores", or None.
        registers: of a thread, estimated.
        shared_bytes: shared memory of a program.
        blocks: how many programs a multiprocessor holds at a time, estimated.
        error: why it could not be compiled or measured, or None.

    Example::

        result = tilec.tune(add, (x, y, out, 1000), grid, ranges={"BLOCK": [256, 512]}, keep=False)
        print(all(each.error is None for each in result.ranked))  # True
    """

    config: Config
    seconds: Optional[float]
    rounds: int
    predicted: Optional[float]
    bottleneck: Optional[str]
    registers: int
    shared_bytes: int
    blocks: int
    error: Optional[str]


@dataclass(frozen=True)
class Tuned:
    """The result of a tuning; `tune` returns it. `str()` is a line with the best configuration and its time.

    Attributes:
        kernel: the kernel's name.
        device: where it was measured.
        arch: its architecture.
        config: the fastest Config; of a prediction, and where nothing was measured, the one that is ranked first.
        seconds: the time of a launch with it, or None if it was not measured.
        configurations: how many there are.
        measured: how many of them were measured.
        failed: how many of them could not be compiled or measured.
        interrupted: True if the tuning ended early, by `timeout` or by `progress`.
        kept: True if the best configuration is in the cache.
        predicted: True if the cost model knows the card; else unmeasured configurations keep their order.
        ranked: a list of all as Tried, the best first, those with an error last.

    Example::

        result = tilec.tune(add, (x, y, out, 1000), grid, ranges={"BLOCK": [256, 512]}, keep=False)
        print(result.configurations, result.failed, result.kept)  # 2 0 False
    """

    kernel: str
    device: str
    arch: str
    config: Config
    seconds: Optional[float]
    configurations: int
    measured: int
    failed: int
    interrupted: bool
    kept: bool
    predicted: bool
    ranked: List[Tried]

    def __str__(self) -> str:
        took = "as predicted" if self.seconds is None else f"{self.seconds * 1e6:.4g} us on {self.device}"
        return f"{self.kernel}: {self.config} ({took}; {self.measured} of {self.configurations} measured)"


# ---------------------------------------------------------------- the space


def _configs_of(ranges: Mapping[str, Sequence[Any]], kwargs: Mapping[str, Any]) -> List[Config]:
    """All combinations; the last range's value changes first."""
    for name, values in ranges.items():
        if isinstance(values, (str, bytes)) or not list(values):
            raise ArgumentError(f"ranges[{name!r}] must be a list of the values to try")
    found = []
    for values in itertools.product(*ranges.values()):
        chosen = dict(zip(ranges, values))
        options = {name: chosen.pop(name, kwargs.get(name)) for name in _kept.TUNED_OPTIONS}
        found.append(Config(chosen, **{name: value for name, value in options.items() if value is not None}))
    return found


def _with_ranges(config: Config, ranges: Mapping[str, Sequence[Any]], kwargs: Mapping[str, Any]) -> List[Config]:
    """The configuration with each combination of the ranges, which replace its own values."""
    own = {name: value for name, value in config.all_kwargs().items() if value is not None}
    made = []
    for each in _configs_of(ranges, {**kwargs, **own}):
        made.append(Config({**config.kwargs, **each.kwargs}, each.num_warps, each.num_stages, config.num_ctas, each.maxnreg, config.pre_hook))
    return made


class Launch:
    """A kernel with all that decorators put around it, and a launch's arguments."""

    def __init__(self, kernel: Any, args: Sequence[Any], kwargs: Mapping[str, Any]):
        self.layers: List[Any] = []
        self.autotuner: Optional[Autotuner] = None
        while isinstance(kernel, (Autotuner, Heuristics)):
            self.layers.append(kernel)
            if self.autotuner is None and isinstance(kernel, Autotuner):
                self.autotuner = kernel
            kernel = kernel.fn
        if not isinstance(kernel, JITFunction):
            raise TypeError(f"tune takes a kernel of tilec.jit, not a {type(kernel).__name__}")
        self.kernel: JITFunction = kernel
        self.args, self.kwargs = tuple(args), dict(kwargs)
        if len(self.args) > len(kernel.params):
            raise TypeError(f"{kernel.__name__}: {len(self.args)} arguments for {len(kernel.params)} parameters")
        self.given = {**dict(zip(kernel.arg_names, self.args)), **self.kwargs}
        self.constexprs = {param.name for param in kernel.params if param.is_constexpr}

    def configs(self, ranges: Optional[Mapping[str, Sequence[Any]]], configs: Optional[Sequence[Config]]) -> List[Config]:
        if configs is None and self.autotuner is not None:
            configs = self.autotuner.prune_configs(dict(self.given), dict(self.kwargs))
        if configs is None:
            made = _configs_of(ranges or {}, self.kwargs)
        else:
            made = [each for config in configs for each in (_with_ranges(config, ranges, self.kwargs) if ranges else [config])]
        for config in made:
            clash = self.given.keys() & config.kwargs.keys()
            if clash:
                raise ArgumentError(f"{', '.join(sorted(clash))} is given by the launch and by a configuration")
            if config.pre_hook is not None or (self.autotuner is not None and self.autotuner.pre_hook is not None):
                raise ArgumentError(f"{config}: tune calls no pre_hook")
            if _kept.settings_of(config) is None:
                raise ArgumentError(f"{config}: only numbers, strings and None can be tuned, for constexprs, num_warps, num_stages and maxnreg")
        if not made:
            raise ArgumentError("there is no configuration to tune")
        return made

    def named(self, config: Config) -> Dict[str, Any]:
        """All arguments by name, as a launch with the configuration has them."""
        tuned = config.all_kwargs()
        named = {**self.given} if self.autotuner is not None else {**self.given, **tuned}
        for layer in self.layers:
            if isinstance(layer, Heuristics):
                for name, function in layer.values.items():
                    named[name] = function(dict(named))
            elif layer is self.autotuner:
                named.update(tuned)
        defaults = {param.name: param.default for param in self.kernel.params if param.has_default}
        return {**defaults, **named}

    def settings(self, named: Mapping[str, Any], varied: Sequence[str]) -> Settings:
        """The values of the named arguments for the varied names; for an option that is also a constexpr, both."""
        found: Settings = []
        for name in varied:
            value = named.get(name)
            is_option = name in _kept.TUNED_OPTIONS
            text = _kept._text_of(value)
            if text is None:
                raise ArgumentError(f"{name}={value!r}: only numbers, strings and None can be tuned")
            if name in self.constexprs:
                found.append((name, text, False))
            elif not is_option:
                raise ArgumentError(f"{self.kernel.__name__} has no constexpr {name}")
            if is_option and value is not None:
                found.append((name, text, True))
        return found


def _grid_of(grid: Any, named: Dict[str, Any]) -> Tuple[int, int, int]:
    found = grid(named) if callable(grid) else grid
    sizes = [int(size) for size in found] if isinstance(found, (tuple, list)) else [int(found)]
    if not 1 <= len(sizes) <= 3:
        raise ArgumentError(f"a grid must be an int, or one to three of them, not {found!r}")
    if min(sizes) < 1:
        raise ArgumentError(f"the grid {found!r} launches nothing, so there is nothing to time")
    sizes += [1] * (3 - len(sizes))
    return sizes[0], sizes[1], sizes[2]


class Space:
    """The configurations as the library takes them: of each all that is different in it, and its grid."""

    def __init__(self, launch: Launch, configs: List[Config], grid: Any):
        self.launch, self.configs = launch, configs
        heuristic = [name for layer in launch.layers if isinstance(layer, Heuristics) for name in layer.values]
        tuned = [name for config in configs for name in config.kwargs]
        self.varied = list(dict.fromkeys([*tuned, *heuristic, *_kept.TUNED_OPTIONS]))
        self.listed: List[Tuple[Settings, Tuple[int, int, int]]] = []
        self.meant: Dict[Tuple[Any, ...], Config] = {}
        for config in configs:
            named = launch.named(config)
            settings = launch.settings(named, [name for name in self.varied if name in named])
            self.listed.append((settings, _grid_of(grid, named)))
            self.meant.setdefault(tuple(settings), config)
        self.first = launch.named(configs[0])

    def compiled(self) -> Tuple[_native.Program, Dict[str, Any]]:
        """The kernel's program, and what of constexprs and options all configurations share."""
        launch, jit = self.launch, self.launch.kernel
        values = {name: unwrap(value) for name, value in self.first.items() if name in jit.arg_names}
        fixed = {name: value for name, value in values.items() if name in launch.constexprs and name not in self.varied}
        functions = {given_name(value): value for name, value in values.items() if name not in launch.constexprs and is_function(value)}
        given = {name: value for name, value in launch.kwargs.items() if name not in (*jit.arg_names, *_kept.TUNED_OPTIONS)}
        options = jit._options({"debug": True, **given} if jit.debug else given)
        captured = jit.captured(fixed, functions)
        options.update(kernel=captured.kernel, defines=list(captured.defines))
        return program_of(captured), options

    def arguments(self) -> Dict[str, Any]:
        """The arguments of a launch, for binding, which reads no constexpr."""
        constexprs = self.launch.constexprs
        passed = {name: value for name, value in self.first.items() if name in self.launch.kernel.arg_names}
        return {**passed, **{name: None for name in constexprs}}

    def tried(self, told: Tuple[Any, ...]) -> Tried:
        settings, error, seconds, rounds, predicted, bottleneck, registers, shared_bytes, blocks = told
        config = self.meant[tuple(settings)]
        return Tried(config, seconds or None, rounds, predicted or None, bottleneck, registers, shared_bytes, blocks, error)


# ---------------------------------------------------------------- tuning


def _keep(launch: Launch, configs: List[Config], best: Tried) -> bool:
    """In the cache, and by the kernel's own autotuner."""
    assert best.seconds is not None
    autotuner = launch.autotuner
    if autotuner is not None and best.config in autotuner.configs:
        autotuner.cache[autotuner._key(launch.given)] = best.config
    return _kept.keep(launch.kernel, configs, launch.args, launch.kwargs, best.config, best.seconds * 1e3)


def by_model(kernel: Any, configs: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The configuration that the model ranks first, which is the same on every machine (TILEC_AUTOTUNE=model). `kernel` is what
    an autotuner launches. Where the model cannot rank them it is the first, with a warning."""
    if len(configs) == 1:
        return configs[0]
    bare = [Config(dict(one.kwargs), one.num_warps, one.num_stages, one.num_ctas, getattr(one, "maxnreg", None)) for one in configs]
    given = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup")}
    try:
        ranked = tune(kernel, args, kwargs.get("grid"), configs=bare, kwargs=given, predict=True, keep=False).ranked
        best = next(tried.config for tried in ranked if tried.error is None)
        return configs[next(i for i, config in enumerate(bare) if config is best)]
    except (TilecError, TypeError, ValueError, StopIteration) as error:
        code = Launch(kernel, args, given).kernel.fn.__code__
        text = f"TILEC_AUTOTUNE=model: the first configuration is taken, as the model cannot rank them: {error}"
        warnings.warn_explicit(text, TilecWarning, code.co_filename, code.co_firstlineno)
        return configs[0]


def _listener(progress: Optional[Callable[[Progress], Any]]) -> Any:
    return None if progress is None else lambda *told: progress(Progress(*told))


def tune(
    kernel: Any,
    args: Union[Sequence[Any], Mapping[str, Any]],
    grid: Any,
    ranges: Optional[Mapping[str, Sequence[Any]]] = None,
    configs: Optional[Sequence[Config]] = None,
    *,
    kwargs: Optional[Mapping[str, Any]] = None,
    predict: bool = False,
    top: int = 0,
    timeout: float = 0,
    keep: bool = True,
    progress: Optional[Callable[[Progress], Any]] = None,
) -> Tuned:
    """Finds the fastest configuration of a kernel for given arguments, and keeps it in the cache on disk.

    Args:
        kernel: a function of `jit`, with or without `autotune` and `heuristics` above.
        args: the arguments as a launch takes them, or a dict by name.
        grid: as in `kernel[grid]`.
        ranges: lists of values by name, for constexprs, "num_warps", "num_stages" and "maxnreg". All combinations are tried.
        configs: a list of Configs, each combined with the ranges. None: those of the kernel's autotune, or the ranges alone.
        kwargs: constexprs and options that the launch gives besides.
        predict: True only ranks the configurations by the model. Nothing is launched, and arrays of the host suffice.
        top: how many configurations are measured. 0: a tenth, at least 4.
        timeout: the limit of the whole tuning, in seconds. 0: none.
        keep: False leaves the cache unchanged.
        progress: called with a Progress after each step, by other threads, one at a time. If it returns True, the tuning ends
            with what is known then.

    Returns a Tuned.

    Errors: TypeError if the kernel was not made by `jit`, ArgumentError for impossible ranges or configurations.

    Example::

        blocks = lambda meta: (tilec.cdiv(1000, meta["BLOCK"]),)
        result = tilec.tune(add, (x, y, out, 1000), blocks, ranges={"BLOCK": [256, 512]}, keep=False)
        print(result.config.kwargs["BLOCK"] in (256, 512))  # True
    """
    named = dict(kwargs or {})
    if isinstance(args, Mapping):
        named, args = {**args, **named}, ()
    launch = Launch(kernel, args, named)
    space = Space(launch, launch.configs(ranges, configs), grid)
    program, options = space.compiled()
    if not predict:
        _devices.synchronize()
    autotuner = launch.autotuner
    reset, restore = (autotuner.reset_to_zero, autotuner.restore_value) if autotuner is not None else ([], [])
    asked = (space.listed, list(reset), list(restore), top, predict, float(timeout))
    told = launch.kernel._tune(None, program, options, asked, _listener(progress), **space.arguments())
    name, device, arch, failed, measured, interrupted, predicted, found = told
    ranked = [space.tried(one) for one in found]
    best = ranked[0]
    whole = not interrupted and best.seconds is not None and best.error is None
    kept = whole and keep and _keep(launch, space.configs, best)
    return Tuned(name, device, arch, best.config, best.seconds, len(found), measured, failed, interrupted, kept, predicted, ranked)
