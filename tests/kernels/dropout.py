"""Dropout that keeps no mask: the backward pass draws the same numbers from the same seed."""
import tabulate
import torch
import triton
import triton.language as tl


@triton.jit
def seeded_dropout(x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    random = tl.rand(seed, offsets)
    x_keep = random > p
    output = tl.where(x_keep, x / (1 - p), 0.0)
    tl.store(output_ptr + offsets, output, mask=mask)


# Four numbers of one philox call, each for a quarter of the block.
@triton.jit
def dropout_4x(x_ptr, out_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    start = tl.program_id(0) * BLOCK_SIZE * 4
    lanes = tl.arange(0, BLOCK_SIZE)
    counter = tl.program_id(0) * BLOCK_SIZE + lanes
    r0, r1, r2, r3 = tl.rand4x(seed, counter)
    scale = 1.0 / (1.0 - p)
    off0 = start + lanes
    off1 = off0 + BLOCK_SIZE
    off2 = off1 + BLOCK_SIZE
    off3 = off2 + BLOCK_SIZE
    tl.store(out_ptr + off0, tl.where(r0 > p, tl.load(x_ptr + off0, off0 < n_elements) * scale, 0.0), off0 < n_elements)
    tl.store(out_ptr + off1, tl.where(r1 > p, tl.load(x_ptr + off1, off1 < n_elements) * scale, 0.0), off1 < n_elements)
    tl.store(out_ptr + off2, tl.where(r2 > p, tl.load(x_ptr + off2, off2 < n_elements) * scale, 0.0), off2 < n_elements)
    tl.store(out_ptr + off3, tl.where(r3 > p, tl.load(x_ptr + off3, off3 < n_elements) * scale, 0.0), off3 < n_elements)


@triton.jit
def random_words(out_ptr, n, seed, BLOCK_SIZE: tl.constexpr):
    offs = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    tl.store(out_ptr + offs, tl.randint(seed, offs), mask=offs < n)


def dropout(x, p, seed):
    output = torch.empty_like(x)
    assert x.is_contiguous()
    n_elements = x.numel()
    grid = lambda meta: (triton.cdiv(n_elements, meta['BLOCK_SIZE']), )
    seeded_dropout[grid](x, output, n_elements, p, seed, BLOCK_SIZE=1024)
    return output


if __name__ == "__main__":
    x = torch.randn(size=(8, ), device="cuda")
    print(tabulate.tabulate([["input"] + x.tolist(), ["seed = 123"] + dropout(x, p=0.5, seed=123).tolist()]))
