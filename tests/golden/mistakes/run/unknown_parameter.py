# run: run x_ptr=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 z=randn:fp32[8] --grid 2 --device sim
# run: check x_ptr=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 z=randn:fp32[8] --grid 2 --arch sm_90a
# run: explain x_ptr=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 z=randn:fp32[8] --grid 2 --arch sm_90a
# run: tune x_ptr=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 z=randn:fp32[8] --grid 2 --predict --arch sm_90a
# run: run x=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK_SIZE=64 --grid 2 --device sim
# run: run x_ptr=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 -D BLOK=64 --grid 2 --device sim
# mistake: an argument that the kernel has no parameter for
# instead: the parameters' own names, which the message lists
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n_elements
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=m) + tl.load(y_ptr + i, mask=m), mask=m)
