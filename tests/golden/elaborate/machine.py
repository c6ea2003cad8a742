# A file may ask about the machine through a library that is not read. The question's name decides the answer.
# The machine is an NVIDIA GPU, and Triton is there, whatever later code says about its drivers.
import importlib.util
from importlib.util import find_spec

import torch
import triton
import triton.language as tl
from triton.language.target_info import cuda_capability_geq, is_hip_cdna3
from nowhere.platforms import current_platform
from nowhere.utils import is_hip, report, version_of

HAS_TRITON = find_spec("triton") is not None or find_spec("pytorch-triton-xpu") is not None
if HAS_TRITON:
    try:
        if version_of("driver") == "cpu":
            HAS_TRITON = True
        elif report("no driver"):
            HAS_TRITON = False
    except ImportError:
        HAS_TRITON = False

HAS_GLUON = importlib.util.find_spec("triton.experimental.gluon") is not None
NEW = HAS_TRITON and torch.version.cuda is not None and not importlib.util.find_spec("triton.no_such")
PAGE = tl.constexpr(128)
SHIFT = tl.constexpr(PAGE.value.bit_length() - 1)

if NEW:

    @triton.jit
    def softplus(x):
        return tl.math.log(tl.math.exp(x) + 1)
else:

    @triton.jit
    def softplus(x):
        return tl.math.log1p(tl.exp(x))


if current_platform.is_rocm():

    @triton.jit
    def rounded(x):
        return tl.extra.hip.libdevice.round(x)
elif current_platform.is_xpu() or is_hip():

    @triton.jit
    def rounded(x):
        return tl.extra.intel.libdevice.round(x)
else:

    @triton.jit
    def rounded(x):
        return tl.extra.cuda.libdevice.round(x)


if current_platform.is_rocm():

    @triton.jit
    def one():
        return 1

    @triton.jit
    def of_another_machine(x):
        tl.store(x, tl.extra.hip.libdevice.pow(tl.load(x), 2) + one())


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    y = tl.load(x + i)
    tl.device_assert(y == y, BLOCK)
    tl.static_assert(cuda_capability_geq(8, 9) and not tl.target_info.cuda_capability_geq(10) and not is_hip_cdna3())
    tl.store(x + (i >> SHIFT), rounded(softplus(y)))
