import torch
import triton, triton.language as tl
from utils import f as ff, SCALE
from . import utils as u
import circle
from sub.more import *
SCALEX = 5
@triton.jit
def k(o, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + i, ff(i) + 1000 * circle.back(i) + u.helper(0) + SCALE * 10000000 + K * 0 + triple(0) + u.SCALE)
