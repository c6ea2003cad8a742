# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on several simulated GPUs."""

import array
import re
import unittest

import tilec
import tilec.language as tl


@tilec.jit
def meet(pads, rank, world, SCOPE: tl.constexpr):
    slots = tl.program_id(0) * world
    for peer in range(world):
        pad = tl.load(pads + peer).to(tl.pointer_type(tl.int32))
        while tl.atomic_cas(pad + slots + rank, 0, 1, sem="release", scope=SCOPE) != 0:
            pass
    own = tl.load(pads + rank).to(tl.pointer_type(tl.int32))
    for peer in range(world):
        while tl.atomic_cas(own + slots + peer, 1, 0, sem="acquire", scope=SCOPE) != 1:
            pass


@tilec.jit
def all_reduce(x, buffers, pads, out, rank, world, n, BLOCK: tl.constexpr, SCOPE: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    own = tl.load(buffers + rank).to(tl.pointer_type(tl.float32))
    tl.store(own + i, tl.load(x + i, mask=i < n), mask=i < n)
    meet(pads, rank, world, SCOPE)
    total = tl.zeros((BLOCK,), tl.float32)
    for peer in range(world):
        total += tl.load(tl.load(buffers + peer).to(tl.pointer_type(tl.float32)) + i, mask=i < n, other=0.0)
    tl.store(out + i, total, mask=i < n)
    meet(pads, rank, world, SCOPE)


@tilec.jit
def multicast(x, address, n):
    """Adds x to all ranks' buffers, through their multicast address."""
    i = tl.arange(0, 64)
    tl.inline_asm_elementwise("{ .reg .pred %p; setp.ne.s32 %p, $3, 0; @%p multimem.red.relaxed.sys.global.add.f32 [$1], $2; mov.u32 $0, 0; }", "=r,l,f,r",
                              [address + 4 * i, tl.load(x + i, mask=i < n), (i < n).to(tl.int32)], dtype=tl.int32, is_pure=False, pack=1)


@tilec.jit
def number(out, rank):
    tl.store(out + rank, rank)


def floats(n, rank=0):
    return array.array("f", [(rank + 1) * i for i in range(n)])


class Ranks(unittest.TestCase):
    def setUp(self):
        self.addCleanup(tilec.set_check, tilec.get_check())

    def reduce(self, world, n=100, scope="sys"):
        outs = [floats(n) for _ in range(world)]
        buffers = tilec.symmetric([floats(n) for _ in range(world)])
        pads = tilec.symmetric([array.array("i", [0] * 2 * world) for _ in range(world)])
        args = [(floats(n, rank), buffers, pads, outs[rank], rank, world, n) for rank in range(world)]
        handle = tilec.launch_ranks(all_reduce, (2,), args, BLOCK=64, SCOPE=scope)
        self.assertEqual((handle.name, len(pads), list(pads[0])), ("all_reduce", world, [0] * 2 * world))
        for rank, out in enumerate(outs):
            self.assertEqual(list(out), [i * world * (world + 1) / 2 for i in range(n)])
            self.assertEqual(buffers[rank], floats(n, rank))

    def test_a_sum(self):
        for checked in False, True:
            tilec.set_check(checked)
            for world in 1, 2, 3, 4:
                self.reduce(world)

    def test_a_race_between_ranks(self):
        tilec.set_check(True)
        with self.assertRaises(tilec.LaunchError) as caught:
            self.reduce(2, scope="gpu")
        self.assertRegex(str(caught.exception), r"data race on \(bytes of buffers\[[01]\]\)\[\d+\] of 400: no release and acquire of system scope order")
        self.assertRegex(str(caught.exception), re.compile("by device 0 .* by device 1|by device 1 .* by device 0"))

    def test_a_multicast_address(self):
        for checked in False, True:
            tilec.set_check(checked)
            for world in 1, 3:
                buffers = tilec.symmetric([floats(60) for _ in range(world)])
                tilec.launch_ranks(multicast, (1,), [(floats(60, rank), buffers.multicast_ptr, 60) for rank in range(world)])
                self.assertEqual([list(each) for each in buffers.arrays], [[i * (1 + world * (world + 1) / 2) for i in range(60)]] * world)
        with self.assertRaisesRegex(tilec.LaunchError, "which is no multicast address"):
            tilec.launch_ranks(multicast, (1,), [(floats(60), 4096, 60)])
        with self.assertRaisesRegex(tilec.ArgumentError, "multiple of 16"):
            tilec.symmetric([memoryview(floats(60))[1:]]).multicast_ptr

    def test_another_rank_is_named(self):
        outs = [array.array("i", [5] * 2), array.array("i", [5])]
        with self.assertRaisesRegex(tilec.LaunchError, r"store out of bounds: out@1\[1\] of 1, in program \(0, 0, 0\) of device 1"):
            tilec.launch_ranks(number, (1,), [(out, rank) for rank, out in enumerate(outs)])
        self.assertEqual([list(out) for out in outs], [[0, 5], [5]])

    def test_wrong_use(self):
        out = [array.array("i", [0]) for _ in range(17)]
        for ranks, error, text in (
            ([(out[0], 1), (floats(1), 2)], tilec.ArgumentError, "'out' has another type on rank 1 than on rank 0: all ranks run one code"),
            ([(each, 1) for each in out], tilec.ArgumentError, "at most 16"),
            ([(out[0], (1, 2)), (out[1], (1, 2))], tilec.DeviceError, "no tuples"),
            ([], TypeError, "_launch_ranks"),
            ([(out[0], 1), (out[1],)], TypeError, "argument 'rank' is missing"),
        ):
            with self.assertRaisesRegex(error, text):
                tilec.launch_ranks(number, (1,), ranks)
        with self.assertRaisesRegex(ValueError, "all ranks run one code"):
            args = floats(1), out[0], out[0], floats(1), 0, 1, 1
            tilec.launch_ranks(all_reduce, (1,), [(*args, 64), (*args, 32)], SCOPE="sys")
        for wrong in ([1], [b"bytes"], [memoryview(floats(8))[::2]]):
            with self.assertRaises((tilec.ArgumentError, TypeError)):
                tilec.symmetric(wrong)


if __name__ == "__main__":
    unittest.main()
