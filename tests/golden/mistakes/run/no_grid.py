# run: run x_ptr=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --device sim
# run: check x_ptr=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --arch sm_90a
# run: explain x_ptr=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --arch sm_90a
# run: bench x_ptr=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --device sim
# run: tune x_ptr=randn:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --predict --arch sm_90a
# mistake: a launch without a grid
# instead: `--grid 'cdiv(n_elements, BLOCK)'`
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n_elements
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=m) + tl.load(y_ptr + i, mask=m), mask=m)
