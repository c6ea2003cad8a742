# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other forms of signals than examples/distributed has, as kernels of symmetric memory write them: device d passes x to
device d + 1. tests/groups/devices runs each as it is, and with faults."""
import triton
import triton.language as tl

from all_reduce import one_shot


@triton.jit
def table(at):
    return tl.load(at).to(tl.pointer_type(tl.int32))


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
        buffer = tl.load(buffers_ptr + next).to(tl.pointer_type(tl.float32))
        tl.store(buffer + offsets, x + turn, mask=offsets < n)
        tl.debug_barrier()
        put(table(pads_ptr + next), turn + 1)
        while get(table(pads_ptr + rank)) != turn + 1:
            pass
        tl.debug_barrier()
        own = tl.load(buffers_ptr + rank).to(tl.pointer_type(tl.float32))
        tl.store(out_ptr + offsets, tl.load(own + offsets, mask=offsets < n), mask=offsets < n)
        tl.debug_barrier()
        put(table(pads_ptr + (rank + world - 1) % world) + 1, turn + 1)  # the buffer may be written again
        while get(table(pads_ptr + rank) + 1) != turn + 1:
            pass
        tl.debug_barrier()


@triton.jit
def add_up(buffers_ptr, out_ptr, offsets, world, n, BLOCK: tl.constexpr):
    """Adds the buffers of all ranks."""
    total = tl.zeros((BLOCK,), tl.float32)
    for peer in range(world):
        buffer = tl.load(buffers_ptr + peer).to(tl.pointer_type(tl.float32))
        total += tl.load(buffer + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr + offsets, total, mask=offsets < n)


@triton.jit
def by_tile(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr, RANKS: tl.constexpr):
    """All peers are signalled by one tile. Slots are taken and given back by compare-and-swap in assembly."""
    offsets = tl.arange(0, BLOCK)
    own = tl.load(buffers_ptr + rank).to(tl.pointer_type(tl.float32))
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
        while tl.atomic_cas(table(pads_ptr + rank) + peer, 1, 0, sem="acquire", scope="sys") != 1:
            pass
    add_up(buffers_ptr, out_ptr, offsets, world, n, BLOCK)


@triton.jit
def by_counter(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    """A counter of arrivals on device 0, and one signal from there to each."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    own = tl.load(buffers_ptr + rank).to(tl.pointer_type(tl.float32))
    tl.store(own + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
    arrived = tl.atomic_add(table(pads_ptr), 1, sem="acq_rel", scope="sys")
    if arrived == world * tl.num_programs(0) - 1:
        for peer in range(world):
            tl.atomic_xchg(table(pads_ptr + peer) + 1, 1, sem="release", scope="sys")
    while tl.atomic_add(table(pads_ptr + rank) + 1, 0, sem="acquire", scope="sys") == 0:
        pass
    add_up(buffers_ptr, out_ptr, offsets, world, n, BLOCK)


@triton.jit
def one_shot_twice(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK: tl.constexpr):
    """Buffers and pads are used again."""
    for turn in range(2):
        one_shot(x_ptr, buffers_ptr, pads_ptr, out_ptr, rank, world, n, BLOCK)
