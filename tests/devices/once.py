# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals of all forms. A program sends each exactly once, whatever its warps and layouts: count[i] is the number of sends of form i."""
import triton
import triton.language as tl


@triton.jit
def sent(count_ptr, x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.atomic_add(count_ptr, 1, sem="release", scope="sys")
    tl.inline_asm_elementwise("red.release.sys.global.add.u32 [$1], 1; mov.u32 $0, 0;", "=r,l", [(count_ptr + 1).to(tl.int64)], dtype=tl.int32,
                              is_pure=False, pack=1)
    tl.atomic_add(count_ptr + 2 + tl.arange(0, 4), 1, sem="release", scope="sys")
    tile = (count_ptr + 6 + tl.arange(0, 4)).to(tl.int64)
    tl.inline_asm_elementwise("red.release.sys.global.add.u32 [$1], 1; mov.u32 $0, 0;", "=r,l", [tile], dtype=tl.int32, is_pure=False, pack=1)
    for turn in range(3):
        tl.atomic_add(count_ptr + 10, 1, sem="acq_rel", scope="sys")  # no result is used, and no address changes
        tl.inline_asm_elementwise("red.release.sys.global.add.u32 [$1], 1; mov.u32 $0, 0;", "=r,l", [(count_ptr + 11).to(tl.int64)],
                                  dtype=tl.int32, is_pure=False, pack=1)
    tl.store(out_ptr + offsets, tl.flip(x) + tl.sum(x))


@triton.jit
def read(flag_ptr, out_ptr):
    """Neither of two equal loads stands for the other, and none leaves the loop."""
    for turn in range(1000):
        a = tl.inline_asm_elementwise("ld.acquire.sys.global.u32 $0, [$1];", "=r,l", [flag_ptr.to(tl.int64)], dtype=tl.int32, is_pure=False, pack=1)
        b = tl.inline_asm_elementwise("ld.acquire.sys.global.u32 $0, [$1];", "=r,l", [flag_ptr.to(tl.int64)], dtype=tl.int32, is_pure=False, pack=1)
        c = tl.atomic_add(flag_ptr, 0, sem="acquire", scope="sys")
        d = tl.atomic_cas(flag_ptr, 1, 0, sem="acquire", scope="sys")
        tl.store(out_ptr + turn, a + b + c + d)


@triton.jit
def between(flag_ptr, out_ptr):
    """1 only if program 2 runs between two steps of program 0."""
    if tl.program_id(0) == 0:
        tl.atomic_xchg(flag_ptr, 1)
        for turn in range(20):
            tl.atomic_add(flag_ptr + 1, 1)
        tl.atomic_xchg(flag_ptr, 2)
    if tl.program_id(0) == 2:
        tl.store(out_ptr, tl.atomic_add(flag_ptr, 0))
