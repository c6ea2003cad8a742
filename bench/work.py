# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A row of the benchmark: buffers, the kernels that do its work, the peers, the reference."""
from dataclasses import dataclass, field

BYTES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "fp8e4nv": 1, "fp16": 2, "bf16": 2, "fp32": 4, "fp64": 8}


@dataclass
class Buffer:
    dtype: str
    shape: tuple
    fill: str = "randn"  # randn, rand (integers: full range), index (below `limit`), given (`values`), out (poisoned), scratch
    limit: int = 0
    transposed: bool = False  # peers see .t() of it
    values: tuple = ()

    @property
    def elements(self):
        n = 1
        for size in self.shape:
            n *= size
        return n

    @property
    def bytes(self):
        return self.elements * BYTES[self.dtype]


@dataclass
class Step:
    """One launch. args: parameter -> a buffer's name or a number, in the kernel's order; grid: of a configuration."""
    function: str
    args: dict
    grid: object
    constexprs: dict = field(default_factory=dict)  # only of this step; a configuration's are used if named here
    takes: tuple = ()  # the configuration's constexprs that this step has


@dataclass
class Kernel:
    """A way to do the row's work: one or more launches of functions of one file, and configurations to try."""
    file: str
    steps: list
    configs: list
    label: str = ""
    triton: bool = True
    ours: bool = True
    copies: bool = False  # meant for tensor copies, which launches take by themselves and offline compiles where they are asked to


@dataclass
class Row:
    name: str
    title: str
    buffers: dict
    kernels: list
    reference: object  # tensors by name -> {name: float64 result}, given as exact integers where they are integers
    tolerance: float  # of the largest |got - reference| over the reference's root mean square; 0: equal to the bit
    bytes: float = 0  # moved at least
    flops: float = 0
    ceiling: str = "copy"
    peers: dict = field(default_factory=dict)  # name -> (torch, tensors) -> the result, or a function that gives it
    compiled: object = None  # (torch, *tensors in the buffers' order) -> the result, for torch.compile


def configs(warps=(4,), stages=(3,), **constexprs):
    """All combinations, as {"num_warps", "num_stages", NAME: value}."""
    result = [{}]
    for name, values in {**constexprs, "num_warps": warps, "num_stages": stages}.items():
        result = [{**config, name: value} for config in result for value in values]
    return result


BOTH = ({"IN": "", "OUT": ""}, {"IN": "evict_first", "OUT": "evict_first"})


def hinted(some):
    """The configurations with and without eviction policies."""
    return [{**hints, **config} for hints in BOTH for config in some]


def chosen(kernel, options):
    return kernel.configs[:3] if options.quick else kernel.configs


def our_configs(row, kernel, options=None):
    """The configurations that tilec tries: with launches that overlap the one before, and without."""
    some = chosen(kernel, options) if options else kernel.configs
    ways = (0,) if options and options.no_overlap else (1, 0)
    return [{**config, "overlap": way} for way in ways for config in some]


def cdiv(a, b):
    return -(-a // b)


def step_constexprs(step, config):
    return {**{name: config[name] for name in step.takes}, **step.constexprs}


def config_text(config, label=""):
    short = {"num_warps": "warps", "num_stages": "stages"}
    text = " ".join(f"{short.get(name, name)}={value}" for name, value in config.items())
    return f"{label}: {text}" if label else text


def signature(row, step):
    """The step's run-time parameters as an offline compile takes them, with the facts that a launch derives."""
    items = []
    for name, value in step.args.items():
        if isinstance(value, str):
            items.append(f"{name}=*{row.buffers[value].dtype}:16")
        elif isinstance(value, float):
            items.append(f"{name}=fp32")
        else:
            kind = "i32" if -2**31 <= value < 2**31 else "i64"
            items.append(f"{name}={kind}" + (":1" if value == 1 else ":16" if value % 16 == 0 else ""))
    return ",".join(items)
