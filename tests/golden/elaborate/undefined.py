# Undefined at run time, or failing there: reported and compiled, as in Triton. A division by a constant zero,
# an assumption and an assertion that constexprs make false.
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, HEADS: tl.constexpr, GROUPS: tl.constexpr):
    tl.assume(HEADS >= GROUPS)
    assert HEADS % GROUPS == 0, "groups divide heads"
    i = tl.arange(0, 16)
    one = tl.program_id(0) // (HEADS // GROUPS)
    seven = 7
    two = (seven % (HEADS // GROUPS)) + n % (HEADS // GROUPS)
    tl.store(x + i, i // (HEADS // GROUPS) + one + two)
