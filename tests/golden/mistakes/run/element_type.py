# run: run x_ptr=randn:f32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn:half[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn:double[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn:int[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn:bool[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn:torch.float16[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn:float8_e4m3fn[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn:uint8_t[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn:complex64[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=@x.npy:float y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=f16[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=normal:fp32[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=true y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn:fp32 y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run x_ptr=randn:[100] y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# run: run 'x_ptr=ptrs(y_ptr):*float' y_ptr=randn:fp32[100] out_ptr=empty:fp32[100] n_elements=100 BLOCK=64 --grid 2 --device sim
# mistake: an element type as NumPy, PyTorch or C call it
# instead: `fp32`, `fp16`, `i32` ...
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n_elements
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=m) + tl.load(y_ptr + i, mask=m), mask=m)
