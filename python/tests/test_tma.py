# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor copies: kernels whose launches make tensor maps, from descriptors made on the host and in the kernel."""

import os
import pickle
import tempfile
import unittest

import tilec
import tilec.language as tl
from tilec.tools.tensor_descriptor import TensorDescriptor

try:
    import numpy as np
except ImportError:
    np = None

COPY = "cp.async.bulk.tensor"


@tilec.jit
def by_descriptors(a, b, out, K, BLOCK: tl.constexpr, STEP: tl.constexpr):
    i, j = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, STEP):
        acc = tl.dot(a.load([i, k]), b.load([j, k]).T, acc)
    out.store([i, j], acc)


@tilec.jit
def by_pointers(a, b, out, M, N, K, sa, sb, so, BLOCK: tl.constexpr, STEP: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [sa, 1], [BLOCK, STEP])
    db = tl.make_tensor_descriptor(b, [N, K], [sb, 1], [BLOCK, STEP])
    i, j = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, STEP):
        acc = tl.dot(da.load([i, k]), db.load([j, k]).T, acc)
    rows, columns = i + tl.arange(0, BLOCK)[:, None], j + tl.arange(0, BLOCK)[None, :]
    tl.store(out + rows * so + columns, acc, mask=(rows < M) & (columns < N))


@tilec.jit
def of_tiles(a, b, out, M, N, K, sa, sb, so, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr):
    i, j = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    k = tl.arange(0, STEP)
    acc = tl.zeros((ROWS, COLUMNS), tl.float32)
    for step in range(0, K, STEP):
        x = tl.load(a + i[:, None] * sa + (step + k)[None, :], mask=(i[:, None] < M) & (k[None, :] < K - step), other=0.0)
        y = tl.load(b + j[None, :] * sb + (step + k)[:, None], mask=(j[None, :] < N) & (k[:, None] < K - step), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(out + i[:, None] * so + j[None, :], acc.to(tl.float16), mask=(i[:, None] < M) & (j[None, :] < N))


def matrix(rows, columns, seed):
    """An array of small numbers, so that dots are exact. Its rows begin at multiples of 32 bytes."""
    wide = np.random.default_rng(seed).integers(-3, 4, (max(rows, 1), (columns + 15) // 16 * 16 + 16)).astype(np.float16)
    return wide[:rows, :columns]


def stride(x):
    return x.strides[0] // x.itemsize


def pointers(a, b, out, **options):
    (M, K), N = a.shape, b.shape[0]
    grid = (max(1, -(-M // 64)), max(1, -(-N // 64)))
    return by_pointers[grid](a, b, out, M, N, K, stride(a), stride(b), stride(out), 64, 64, **options)


def descriptors(a, b, out, padding="zero", **options):
    def of(x, block):
        return TensorDescriptor(x, list(x.shape), [stride(x), 1], block, padding)
    grid = (-(-a.shape[0] // 64), -(-b.shape[0] // 64))
    return by_descriptors[grid](of(a, [64, 64]), of(b, [64, 64]), of(out, [64, 64]), a.shape[1], 64, 64, **options)


@unittest.skipIf(np is None, "no NumPy")
class TensorCopies(unittest.TestCase):
    def check(self, launch, sizes, **options):
        M, N, K = sizes
        a, b, out = matrix(M, K, 1), matrix(N, K, 2), np.full((max(M, 1), (N + 3) // 4 * 4), 7, np.float32)[:, :N]
        handle = launch(a, b, out, **options)
        expected = a.astype(np.float32) @ b.astype(np.float32).T
        self.assertTrue(np.array_equal(out[:M], expected), f"{launch.__name__} {sizes} {options}")
        return handle

    def test_sizes(self):
        for launch in (pointers, descriptors):
            for sizes in ((64, 64, 64), (100, 70, 90), (1, 1, 1), (130, 64, 200), (63, 65, 127)):
                self.check(launch, sizes)

    def test_sizes_without_elements(self):
        for sizes in ((0, 64, 64), (64, 64, 0), (64, 64, 64)):
            self.check(pointers, sizes)

    def test_the_option(self):
        for launch in (pointers, descriptors):
            for tma, copies in ((None, True), ("auto", True), ("on", True), ("off", False)):
                options = {} if tma is None else {"tma": tma}
                handle = self.check(launch, (80, 64, 64), **options)
                self.assertEqual(COPY in handle.asm["ptx"], copies, f"{launch.__name__} {tma}")
        with self.assertRaisesRegex(tilec.TilecError, "tma='yes': it must be one of auto, on, off"):
            self.check(pointers, (64, 64, 64), tma="yes")

    def test_roles(self):
        for launch in (pointers, descriptors):
            for roles, threads in ((None, 128), ("auto", 128), ("on", 256), ("off", 128)):
                options = {} if roles is None else {"warp_specialize": roles}
                handle = self.check(launch, (100, 70, 264), tma="on", **options)
                self.assertIn(f".reqntid {threads}", handle.asm["ptx"], f"{launch.__name__} {roles}")
        with self.assertRaisesRegex(tilec.TilecError, "warp_specialize='yes': it must be one of auto, on, off"):
            self.check(pointers, (64, 64, 64), warp_specialize="yes")
        config = tilec.Config({"BLOCK": 64}, warp_specialize="on")
        self.assertEqual(config.all_kwargs()["warp_specialize"], "on")
        self.assertNotEqual(config, tilec.Config({"BLOCK": 64}))
        self.assertIn("warp_specialize: on", str(config))

    def test_persistence(self):
        for launch in (pointers, descriptors):
            for persistent, hidden in ((None, False), ("auto", False), ("on", True), ("off", False)):
                for roles in ("on", "off"):
                    options = {} if persistent is None else {"persistent": persistent}
                    handle = self.check(launch, (200, 150, 136), tma="on", warp_specialize=roles, **options)
                    self.assertEqual("programs_x" in handle.asm["ttir"], hidden, f"{launch.__name__} {options}")
        with self.assertRaisesRegex(tilec.TilecError, "persistent='yes': it must be one of auto, on, off"):
            self.check(pointers, (64, 64, 64), persistent="yes")
        a, b, out = matrix(300, 136, 1), matrix(304, 136, 2), np.zeros((300, 304), np.float16)
        for warps, rows, columns, options, expected in (
            (8, 128, 256, {}, True), (4, 128, 256, {}, False), (8, 64, 256, {}, False), (8, 128, 256, {"persistent": "off"}, False),
            (8, 128, 256, {"warp_specialize": "off"}, False), (8, 128, 256, {"tma": "off"}, False),
        ):  # fmt: skip
            grid = (-(-300 // rows), -(-304 // columns))
            sizes = (300, 304, 136, stride(a), stride(b), stride(out), rows, columns, 64)
            text = of_tiles[grid](a, b, out, *sizes, num_warps=warps, **options).asm["ttir"]
            self.assertEqual("programs_x" in text, expected, (warps, rows, columns, options))
            self.assertEqual("warp_groups" in text, expected)
            self.assertTrue(np.array_equal(out, (a.astype(np.float32) @ b.astype(np.float32).T).astype(np.float16)))
        config = tilec.Config({"BLOCK": 64}, persistent="on")
        self.assertEqual(config.all_kwargs()["persistent"], "on")
        self.assertNotEqual(config, tilec.Config({"BLOCK": 64}))
        self.assertIn("persistent: on", str(config))

    def test_configurations(self):
        config = tilec.Config({"BLOCK": 64}, tma="off")
        self.assertEqual(config.all_kwargs()["tma"], "off")
        self.assertNotEqual(config, tilec.Config({"BLOCK": 64}))
        self.assertNotIn("tma", tilec.Config({"BLOCK": 64}).all_kwargs())
        self.assertEqual(pickle.loads(pickle.dumps(config)), config)
        self.assertIn("tma: off", str(config))

    def test_argument_sets_in_turn(self):
        layers = [(matrix(40 + i, 64 + 16 * (i % 3), i), matrix(64, 64 + 16 * (i % 3), i + 100)) for i in range(36)]
        for _ in range(2):
            for a, b in layers:
                out = np.zeros((a.shape[0], 64), np.float32)
                pointers(a, b, out)
                self.assertTrue(np.array_equal(out, a.astype(np.float32) @ b.astype(np.float32).T))

    def test_outside_of_a_descriptor_are_nans(self):
        a, b, out = matrix(64, 64, 1), matrix(50, 64, 2), np.zeros((64, 64), np.float32)
        descriptors(a, b, out, padding="nan")
        self.assertTrue(np.array_equal(out[:, :50], a.astype(np.float32) @ b.astype(np.float32).T))
        self.assertTrue(np.isnan(out[:, 50:]).all())

    def test_the_cache_keeps_what_makes_them(self):
        """As another process finds them: the kernels are made again."""
        before = {name: os.environ.get(name) for name in ("TILEC_CACHE", "TILEC_CACHE_DIR")}
        with tempfile.TemporaryDirectory() as folder:
            os.environ.pop("TILEC_CACHE", None)
            os.environ["TILEC_CACHE_DIR"] = folder
            try:
                for _ in range(2):
                    by_pointers._forget()
                    by_pointers._kernels.clear()
                    self.check(pointers, (80, 64, 100))
                    self.check(pointers, (0, 64, 100))
                    self.assertEqual(len([name for name in os.listdir(folder) if len(name) == 64]), 2)
            finally:
                for name, value in before.items():
                    if value is None:
                        os.environ.pop(name, None)
                    else:
                        os.environ[name] = value


if __name__ == "__main__":
    unittest.main()
