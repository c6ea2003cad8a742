# Placeholders for missing Triton modules are not something that a kernel has, whatever decides.
import importlib.util

from somewhere import report

HAS_TRITON = importlib.util.find_spec("triton") is not None
if HAS_TRITON:
    try:
        from triton.backends import backends

        if len([b for b in backends.values() if b.driver.is_active()]) != 1:
            HAS_TRITON = False
    except ImportError:
        report("no driver")
        HAS_TRITON = False


class Placeholder:
    pass


class Missing:
    pass


if HAS_TRITON:
    import triton
    import triton.language as tl
    from triton.language import math as tlmath
    from triton.language.extra import libdevice as device
else:
    triton = Placeholder()
    tl = Placeholder()
    tlmath = None
    device = Missing


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, device.tanh(tlmath.exp(tl.load(x + i))) + triton.cdiv(BLOCK, 2))
