# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All-reduce of fp32 by multimem instructions: an access at a multicast address reaches the buffers of all ranks.

  torchrun --nproc-per-node 2 multimem.py

It needs GPUs with NVLink multicast. It ran on the simulator only, never on a GPU. n is a multiple of 4.
one_shot_multimem: each rank loads the sum of all buffers.
two_shot_multimem: each rank loads the sum of a part, and stores it to all buffers.
"""
import triton
import triton.language as tl

from signals import at_rank, main, meet, meetings, pads_for, shared, sums_case


@triton.jit
def alias_fence():
    """Orders accesses at multicast addresses and others of the same memory (PTX ISA 9.7.13.4)."""
    tl.inline_asm_elementwise("fence.proxy.alias; mov.u32 $0, 0;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)


@triton.jit
def load_sums(addresses, mask):
    """Four sums over all ranks at each address."""
    return tl.inline_asm_elementwise(
        "{ .reg .pred %p; setp.ne.s32 %p, $5, 0; mov.f32 $0, 0f00000000; mov.f32 $1, $0; mov.f32 $2, $0; mov.f32 $3, $0;"
        " @%p multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {$0, $1, $2, $3}, [$4]; }", "=&f,=&f,=&f,=&f,l,r",
        [addresses, mask.to(tl.int32)], dtype=(tl.float32, tl.float32, tl.float32, tl.float32), is_pure=False, pack=1)


@triton.jit
def store_all(addresses, a, b, c, d, mask):
    """Stores four values to the buffers of all ranks at each address."""
    tl.inline_asm_elementwise(
        "{ .reg .pred %p; setp.ne.s32 %p, $6, 0;"
        " @%p multimem.st.relaxed.sys.global.v4.f32 [$1], {$2, $3, $4, $5}; mov.u32 $0, 0; }", "=r,l,f,f,f,f,r",
        [addresses, a, b, c, d, mask.to(tl.int32)], dtype=tl.int32, is_pure=False, pack=1)


@triton.jit
def one_shot_multimem(x_ptr, buffers_ptr, multicast_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    vectors = tl.program_id(0) * (BLOCK // 4) + tl.arange(0, BLOCK // 4)
    tl.store(at_rank(buffers_ptr, rank, tl.float32) + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
    alias_fence()
    turn = meetings(pads_ptr, rank, world)
    meet(pads_ptr, rank, world, turn)
    a, b, c, d = load_sums(multicast_ptr + 16 * vectors.to(tl.int64), 4 * vectors < n)
    total = tl.join(tl.join(a, c), tl.join(b, d)).reshape(BLOCK)
    tl.store(out_ptr + offsets, total, mask=offsets < n)
    alias_fence()
    meet(pads_ptr, rank, world, turn + 1)  # then nobody reads a buffer any more


@triton.jit
def two_shot_multimem(x_ptr, buffers_ptr, multicast_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    part = tl.cdiv(n, world * 4) * 4
    within = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    own = at_rank(buffers_ptr, rank, tl.float32)
    for peer in range(world):
        offsets = peer * part + within
        mask = (within < part) & (offsets < n)
        tl.store(own + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
    alias_fence()
    turn = meetings(pads_ptr, rank, world)
    meet(pads_ptr, rank, world, turn)
    inside = tl.program_id(0) * BLOCK + 4 * tl.arange(0, BLOCK // 4)
    whole = (inside < part) & (rank * part + inside < n)
    addresses = multicast_ptr + 4 * (rank * part + inside).to(tl.int64)
    a, b, c, d = load_sums(addresses, whole)
    store_all(addresses, a, b, c, d, whole)
    alias_fence()
    meet(pads_ptr, rank, world, turn + 1)
    for peer in range(world):
        offsets = peer * part + within
        mask = (within < part) & (offsets < n)
        tl.store(out_ptr + offsets, tl.load(own + offsets, mask=mask), mask=mask)


def make(kernel, x, out, world, BLOCK=1024, **options):
    """A function that launches one of the kernels on x and out. Buffers and pads serve launches of one size and BLOCK."""
    import torch.distributed as dist

    n = x.numel()
    programs = triton.cdiv(n if kernel is one_shot_multimem else triton.cdiv(n, world * 4) * 4, BLOCK)
    _, buffers = shared((n,), x.dtype)
    multicast, pads, rank = buffers.memory[1].multicast_ptr, pads_for(programs, world), dist.get_rank()
    assert multicast and n % 4 == 0, "NVLink multicast, and a multiple of 4 elements"
    return lambda x=x, out=out: kernel[(programs,)](x, buffers, multicast, pads, out, rank, world, n, BLOCK=BLOCK, **options)


case = sums_case(make, one_shot_multimem, two_shot_multimem)


if __name__ == "__main__":
    main(case)
