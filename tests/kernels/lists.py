import torch
import triton
import triton.language as tl

_DTYPES = {torch.float16: tl.float16, torch.float32: tl.float32}


# out_i = alpha x_i + out_i for a list of tensors, given by their addresses.
@triton.jit
def multi_tensor_axpy(x_ptrs, out_ptrs, sizes, alpha, x_dtype: tl.constexpr, BLOCK: tl.constexpr):
    which = tl.program_id(1)
    n = tl.load(sizes + which)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptrs + which).to(tl.pointer_type(x_dtype))
    out = tl.load(out_ptrs + which).to(tl.pointer_type(tl.float32))
    mask = offs < n
    y = tl.load(x + offs, mask=mask).to(tl.float32) * alpha + tl.load(out + offs, mask=mask)
    tl.store(out + offs, y, mask=mask)


@triton.jit
def sort_rows(x_ptr, out_ptr, reversed_ptr, picked_ptr, index_ptr, n_cols, DESCENDING: tl.constexpr,
              BLOCK: tl.constexpr):
    """Sorted rows; the rows backwards; what `index` picks of each row."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < n_cols
    x = tl.load(x_ptr + row * n_cols + c, mask=mask, other=-float("inf") if DESCENDING else float("inf"))
    s = tl.sort(x, descending=DESCENDING)
    tl.store(out_ptr + row * n_cols + c, s, mask=mask)
    shown = tl.where(mask, x, 0.0)
    backwards = tl.flip(shown)
    tl.store(reversed_ptr + row * BLOCK + c, backwards)
    index = tl.load(index_ptr + c)
    tl.store(picked_ptr + row * BLOCK + c, tl.gather(shown, index, axis=0))
