# The module level as Python runs it. Questions about the machine get the target's answer. Functions of the
# file are called. Numbers come from math, numpy and torch's limits of types.
import functools
from enum import Enum, IntEnum
import math
import os

import numpy as np
import torch
import triton
import triton.language as tl
from triton.runtime import driver

LOG2E = tl.constexpr(math.log2(math.e))
SCALE = tl.constexpr(math.sqrt(2.0 / math.pi) + np.log(np.e) - math.log(8, 2))
LARGEST = tl.constexpr(torch.finfo(torch.float32).max)
SMALLEST = tl.constexpr(torch.iinfo(torch.int32).min)
UNSIGNED = tl.constexpr(torch.iinfo(torch.uint64).max)
WIDTHS = tl.constexpr((torch.finfo(torch.bfloat16).bits, np.iinfo(np.int16).bits, torch.finfo(torch.half).eps))
CEIL = tl.constexpr(math.ceil(2.1) + math.floor(-2.1) + int(np.ceil(0.5)) + int(math.pow(2, 3)))


@functools.lru_cache(maxsize=None)
def backend():
    """The GPU that runs this."""
    try:
        return driver.active.get_current_target().backend
    except Exception:
        return "cpu"


def is_hip():
    return backend() == "hip"


def arch():
    target = triton.runtime.driver.active.get_current_target()
    if target.backend != "cuda":
        raise RuntimeError("no GPU")
    assert target.warp_size == 32
    return target.arch


def capability(device=None):
    major, minor = torch.cuda.get_device_capability(device)
    props = torch.cuda.get_device_properties(0)
    return major * 10 + minor if props.major == major and props.minor == minor else None


def enabled(name, *, default="0"):
    value = os.environ.get(name, default).strip().lower()
    return value in ("1", "true", "on")


def gather_works():
    try:
        from triton.language import no_such_name
    except ImportError:
        from triton.language import gather
        return True
    else:
        return False


def copies(n):
    lines = []
    text = ""
    for i in range(n):
        text += "mov.b32 ${to}, ${from_};".format(to=i, from_=i + n) + " {{{0}}}".format(i)
    i = 0
    while i < n:
        text = text.replace("{%d}" if False else "{" + ("0" if i == 0 else "1") + "}", "")
        i += 1
    return " ".join(text.split("\n")) if text.startswith("mov") and not text.endswith("}") else ""


COPY = tl.constexpr(copies(2))
IS_HOPPER = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] >= 9
NARROW = tl.constexpr(16 if is_hip() or torch.version.hip is not None or torch.xpu.is_available() else 32)
EIGHT = tl.constexpr(8 if capability() >= 80 and arch() in (90, 100) and gather_works() else 4)

if is_hip():
    from triton.language.extra.hip.libdevice import nowhere as exp
else:
    exp = tl.exp

if IS_HOPPER and not enabled("TILEC_NO_SUCH_VARIABLE"):
    @triton.jit
    def scaled(x):
        return x * SCALE
else:
    @triton.jit
    def scaled(x):
        return x

try:
    int_of = triton.runtime.jit.constexpr_function(tl.core.get_int_dtype)
except Exception:
    int_of = tl.core.get_int_dtype


def plainly(x):
    return exp(x) * LOG2E


applied = triton.jit(plainly)


class Mode(IntEnum):
    """Of rounding."""
    DOWN = 0
    UP = DOWN + 1
    unknown = object()

    def text(self):
        return self.name


class Backend(Enum):
    CUDA = "cuda"
    HIP = "hip"


class Config:
    stages: int = 3
    block = 2 ** stages


UP = tl.constexpr(Mode.UP.value + Mode.UP)
CUDA = tl.constexpr(Backend.CUDA.value if Backend.CUDA != "cuda" and Backend.CUDA is not Backend.HIP else None)
CONFIG = tl.constexpr(sum([Config.block, round(2.5), pow(2, 3)], 1) if any([0, True]) and all((1, 2)) else 0)


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    tl.static_assert(LARGEST > 3.4e38 and SMALLEST == -2147483648 and UNSIGNED == 18446744073709551615)
    tl.static_assert(WIDTHS[0] == 16 and WIDTHS[1] == 16 and WIDTHS[2] == 0.0009765625 and CEIL == 9)
    tl.static_assert(NARROW == 32 and EIGHT == 8 and int_of(bitwidth=32, signed=True) == tl.int32)
    tl.static_assert(CUDA == "cuda" and UP == 2 and CONFIG == 19)
    i = tl.arange(0, BLOCK)
    y = tl.inline_asm_elementwise(COPY, "=r,=r,r,r", [i], dtype=tl.int32, is_pure=True, pack=2)
    tl.store(x + y, scaled(applied(tl.load(x + i))))
