# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other forms of signals than examples/distributed has, as kernels of symmetric memory write them: device d passes x to
device d + 1. tests/groups/devices runs each as it is, and with faults."""
import triton
import triton.language as tl

from all_reduce import one_shot, sum_over_ranks
from signals import at_rank


@triton.jit
def put(pad, value):
    tl.inline_asm_elementwise("st.release.sys.global.u32 [$1], $2; mov.u32 $0, 0;", "=r,l,r", [pad.to(tl.int64), value], dtype=tl.int32, is_pure=False, pack=1)


@triton.jit
def get(pad):
    return tl.inline_asm_elementwise("ld.acquire.sys.global.u32 $0, [$1];", "=r,l", [pad.to(tl.int64)], dtype=tl.int32, is_pure=False, pack=1)


@triton.jit
def by_assembly(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    """Rounds are counted, so a pad is never reset."""
    offsets = tl.arange(0, BLOCK)
    for turn in range(3):
        x = tl.load(x_ptr + offsets, mask=offsets < n)
        next = (rank + 1) % world
        buffer = at_rank(buffers_ptr, next, tl.float32)
        tl.store(buffer + offsets, x + turn, mask=offsets < n)
        tl.debug_barrier()
        put(at_rank(pads_ptr, next, tl.int32), turn + 1)
        while get(at_rank(pads_ptr, rank, tl.int32)) != turn + 1:
            pass
        tl.debug_barrier()
        own = at_rank(buffers_ptr, rank, tl.float32)
        tl.store(out_ptr + offsets, tl.load(own + offsets, mask=offsets < n), mask=offsets < n)
        tl.debug_barrier()
        put(at_rank(pads_ptr, (rank + world - 1) % world, tl.int32) + 1, turn + 1)  # the buffer may be written again
        while get(at_rank(pads_ptr, rank, tl.int32) + 1) != turn + 1:
            pass
        tl.debug_barrier()


@triton.jit
def by_tile(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr, RANKS: tl.constexpr):
    """All peers are signalled by one tile. Slots are taken and given back by compare-and-swap in assembly."""
    offsets = tl.arange(0, BLOCK)
    own = at_rank(buffers_ptr, rank, tl.float32)
    tl.store(own + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
    tl.debug_barrier()
    peers = tl.arange(0, RANKS) % world
    first = tl.arange(0, RANKS) < world
    pads = tl.load(pads_ptr + peers) + 4 * rank
    tl.inline_asm_elementwise("""
        { .reg .pred %put<2>; .reg .b32 %old;
          setp.eq.b32 %put1, $2, 0;
          @%put1 bra done;
          again: atom.release.sys.global.cas.b32 %old, [$1], 0, 1;
          setp.ne.b32 %put0, %old, 0;
          @%put0 bra again;
          done: mov.b32 $0, 0; }""", "=r,l,r", [pads, first.to(tl.int32)], dtype=tl.int32, is_pure=False, pack=1)
    for peer in range(world):
        while tl.atomic_cas(at_rank(pads_ptr, rank, tl.int32) + peer, 1, 0, sem="acquire", scope="sys") != 1:
            pass
    tl.store(out_ptr + offsets, sum_over_ranks(buffers_ptr, offsets, offsets < n, world, x_ptr, BLOCK), mask=offsets < n)


@triton.jit
def by_counter(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    """A counter of arrivals on device 0, and one signal from there to each."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    own = at_rank(buffers_ptr, rank, tl.float32)
    tl.store(own + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
    arrived = tl.atomic_add(at_rank(pads_ptr, 0, tl.int32), 1, sem="acq_rel", scope="sys")
    if arrived == world * tl.num_programs(0) - 1:
        for peer in range(world):
            tl.atomic_xchg(at_rank(pads_ptr, peer, tl.int32) + 1, 1, sem="release", scope="sys")
    while tl.atomic_add(at_rank(pads_ptr, rank, tl.int32) + 1, 0, sem="acquire", scope="sys") == 0:
        pass
    tl.store(out_ptr + offsets, sum_over_ranks(buffers_ptr, offsets, offsets < n, world, x_ptr, BLOCK), mask=offsets < n)


@triton.jit
def one_shot_twice(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    """Buffers and pads are used again."""
    for turn in range(2):
        one_shot(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK)
