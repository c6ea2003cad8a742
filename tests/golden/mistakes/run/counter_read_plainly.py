# A counter that others change by atomics is read by a plain load.
# run: check --grid 4 count=zeros:i32[1] out=empty:i32[4]
import triton
import triton.language as tl


@triton.jit
def ticket(count, out):
    tl.atomic_add(count, 1)
    tl.store(out + tl.program_id(0), tl.load(count))
