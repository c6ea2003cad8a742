import triton.language as tl
from pkg.ops import unwanted
SIZE: tl.constexpr = 3
