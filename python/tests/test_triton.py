# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The drop-in for Triton, where Triton (3.6 to 3.9) is installed: what it compiles without a GPU."""

import collections
import contextlib
import os
import pickle
import shutil
import sys
import tempfile
import unittest
import unittest.mock
import warnings

try:
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.compiler.errors import CompilationError as TritonsError
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError:
    raise unittest.SkipTest("Triton is not installed") from None

try:
    import numpy as np
except ImportError:
    np = None

import tilec
import tilec.triton as drop_in
from tilec import _triton_source

TARGET = GPUTarget("cuda", 90, 32)
POINTER = [["tt.divisibility", 16]]
SCALE = tl.constexpr(2.5)


@triton.jit
def helper(v, by: tl.constexpr = 3):
    return v * by


@triton.jit
def kernel(x, y, n, stride, BLOCK: tl.constexpr, FN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_assert(n > 0, "n")
    v = FN(tl.load(x + i * stride, mask=i < n)) + SCALE
    if y is not None:
        tl.store(y + i, v, mask=i < n)


@triton.jit
def product(a, b, out, M, K, sa, B: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [sa, 1], [B, B])
    db = tl.make_tensor_descriptor(b, [B, K], [sa, 1], [B, B])
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        acc = tl.dot(da.load([0, k]), db.load([0, k]).T, acc)
    tl.store(out + tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :], acc)


@triton.jit
def assembly(x, y):
    i = tl.arange(0, 128)
    tl.store(y + i, tl.inline_asm_elementwise("shr.b32 $0, $1, 1;", "=r,r", [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=1))


@triton.jit
def refused(x, n: tl.constexpr):
    tl.store(x, tl.extra.cuda.libdevice.j0(tl.load(x)))  # Bessel functions are not built


@triton.jit
def wrong(x, n: tl.constexpr):
    tl.store(x, tl.load(x) << n)


@triton.jit(repr=lambda special: f"named_{special.constants['n']}_of_{special.signature['x'][1:]}")
def named(x, n: tl.constexpr):
    tl.store(x, n)


PLAIN = 6.5


@triton.jit
def of_a_global(x):
    tl.store(x, PLAIN)


@triton.jit
def asserted(x, n: tl.constexpr):
    tl.static_assert(n > 5, "too small")
    tl.store(x, n)


@triton.jit
def too_large(x, n: tl.constexpr):
    i = tl.arange(0, n)
    a = tl.load(x + i[:, None] * n + i[None, :])
    tl.store(x + i[:, None] * n + i[None, :], tl.dot(a, tl.trans(a)).to(tl.float16))


Pair = collections.namedtuple("Pair", "first second")


@triton.jit
def of_tuple(x, t, unused):
    tl.store(x, tl.load(t[1][0] + t.first) + t.second[1])


@triton.jit
def of_plain_tuple(x, t):
    tl.store(x, tl.load(t[1] + t[0]))


@triton.jit
def of_constant_pointer(x, y, into: tl.constexpr):
    if into:
        out = y
    else:
        out = x
    tl.store(out, tl.load(y + 1))


@triton.jit
def running_products(x, y, out, n):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    sum = tl.zeros([32, 32], tl.float32)
    for k in range(n):
        sum = tl.dot(tl.load(x + k * 1024 + at), tl.load(y + k * 1024 + at), sum)
        tl.store(out + k * 1024 + at, sum)


@triton.jit
def of_functions(x, d, t):
    v = tl.load(x) if d is None else tl.sum(d.load([0]))
    tl.store(x, t[1](tl.load(x)) + t[0](v))


@triton.jit
def of_descriptor(x, d, n, FN: tl.constexpr, BY: tl.constexpr = 4):
    v = FN(d.load([n, 0]).to(tl.float32), BY)
    tl.store(x, tl.sum(tl.sum(v, 1), 0))


@triton.jit
def returns_early(x, d, n):
    if n > 3:
        return
    tl.store(x, tl.sum(d.load([n]), 0))


@triton.jit
def summed(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0))


@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n)


def source(fn=kernel, **changes):
    signature = {"x": "*fp32", "y": "*fp32", "n": "i32", "stride": "constexpr", "BLOCK": "constexpr", "FN": "constexpr"}
    constants = {"stride": 1, "BLOCK": 128, "FN": helper}
    attributes = {(0,): POINTER, (1,): POINTER, (2,): POINTER}
    signature.update(changes.pop("signature", {}))
    constants.update(changes.pop("constants", {}))
    return ASTSource(fn, signature, constants, attributes)


class Compiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.enterContext_(triton.knobs.cache.scope())
        triton.knobs.cache.dir = self.folder
        self.enterContext_(environment("TILEC_TRITON", "1"))

    def enterContext_(self, context):  # unittest's own is of 3.11
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def compile(self, what, **options):
        return triton.compile(what, target=TARGET, options=options)

    def test_inline_assembly_for_an_older_assembler(self):
        """Triton's ptxas may know only versions before that of the text."""
        compiled = self.compile(ASTSource(assembly, {"x": "*i32", "y": "*i32"}, {}, {}))
        self.assertTrue(compiled.asm["cubin"].startswith(b"\x7fELF"))
        seen = []

        def assembler(text, metadata):
            seen.append(text.split("\n")[1])
            if "9.0" in seen[-1]:
                raise RuntimeError("fatal   : Unsupported .version 9.0; current version is '8.7'")
            return b"made"

        self.assertEqual(drop_in._assemble(assembler, "//\n.version 9.0\n// begin inline asm\n", {}), b"made")
        self.assertEqual(seen, [".version 9.0", ".version 8.7"])
        self.assertRaises(RuntimeError, drop_in._assemble, assembler, "//\n.version 9.0\n", {})

    def test_parameters_are_tritons(self):
        compiled = self.compile(source())
        entry = compiled.asm["ptx"].split(".visible .entry kernel(")[1].split(")")[0]
        self.assertEqual([line.split()[1] for line in entry.split(",")], [".u64", ".u64", ".u32"])
        self.assertIn(".align 16", entry)
        self.assertTrue(compiled.asm["cubin"].startswith(b"\x7fELF"))
        self.assertIn("kernel @kernel", compiled.asm["ttir"])
        metadata = compiled.metadata
        self.assertEqual((metadata.name, metadata.num_warps, metadata.num_ctas, metadata.shared), ("kernel", 4, 1, 0))
        self.assertEqual((metadata.global_scratch_size, metadata.profile_scratch_size), (0, 0))

    def test_none_is_no_parameter(self):
        compiled = self.compile(source(signature={"y": "constexpr"}, constants={"y": None}))
        entry = compiled.asm["ptx"].split(".visible .entry kernel(")[1].split(")")[0]
        self.assertEqual(len(entry.split(",")), 2)
        self.assertNotIn("st.global", compiled.asm["ptx"])

    def test_options(self):
        compiled = self.compile(source(), num_warps=8, num_ctas=2)
        self.assertIn(".reqntid 256", compiled.asm["ptx"])
        self.assertEqual((compiled.metadata.num_warps, compiled.metadata.num_ctas), (8, 1))

    def test_loads_ahead_of_stores(self):
        signature = {"x": "*fp16", "y": "*fp16", "out": "*fp32", "n": "i32"}
        compiled = self.compile(ASTSource(running_products, signature, {}, {(i,): POINTER for i in range(3)}))
        self.assertIn("cp.async", compiled.asm["ptx"])

    def test_asserts_are_of_debug(self):
        self.assertNotIn("__assertfail", self.compile(source()).asm["ptx"])
        self.assertIn("__assertfail", self.compile(source(), debug=True).asm["ptx"])

    def test_our_own_mistakes(self):
        wrong = unittest.mock.patch("tilec._triton_source.capture", side_effect=ZeroDivisionError("ours"))
        with wrong, self.assertWarnsRegex(tilec.TilecWarning, "'of_plain_tuple', Triton does: ZeroDivisionError: ours"):
            compiled = self.compile(ASTSource(of_plain_tuple, {"x": "*fp32", "t": ("i32", "*fp32")}, {}))
        self.assertNotIn("kernel @", compiled.asm["ttir"])

    def test_programs_that_reset_tritons_knobs(self):
        seen = []
        with triton.knobs.runtime.scope():
            # Without arguments it gives, from Triton 3.7 on, a key and its hash.
            triton.knobs.runtime.add_stages_inspection_hook = lambda *given: seen.append(list(given[1])) if given else ("key", "hash")
            self.assertIn("kernel @", self.compile(source()).asm["ttir"])
        self.assertEqual(seen, [["ttir", "ttgir", "llir", "ptx", "cubin"]])

    def test_another_triton(self):
        """One that was not tested is a warning, once, and is used."""
        drop_in.uninstall()
        try:
            with unittest.mock.patch.object(triton, "__version__", "9.1.0"):
                with self.assertWarnsRegex(tilec.TilecWarning, r"with Triton 3\.6 to 3\.9, not with 9\.1\.0"):
                    drop_in.install()
                self.assertIn("kernel @", self.compile(source()).asm["ttir"])
                drop_in.uninstall()
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    drop_in.install()
        finally:
            drop_in.install()

    def test_a_triton_that_does_not_fit(self):
        """It is one line, and Triton is left as it was."""
        from tilec_triton import compiler

        drop_in.uninstall()
        run = triton.JITFunction.run
        try:
            with unittest.mock.patch.object(drop_in, "_compiler", object()):
                with self.assertRaisesRegex(ImportError, rf"^tilec does not fit Triton {triton.__version__}: .*ASTSource"):
                    drop_in.install()
                self.assertIs(triton.JITFunction.run, run)
            with unittest.mock.patch.dict("sys.modules", {"triton.backends.nvidia.compiler": None}), environment("TILEC_TRITON", "1"):
                del sys.modules["tilec.triton"]
                with self.assertWarnsRegex(UserWarning, "Triton compiles for itself: tilec compiles the kernels of Triton 3.6 to 3.9; this one is"):
                    self.assertFalse(compiler.TilecBackend.supports_target(TARGET))
                self.assertFalse(compiler.wanted())
        finally:
            tilec.triton = drop_in
            drop_in.install()
        self.assertIn("kernel @", self.compile(source()).asm["ttir"])

    def test_launches_that_are_tritons_are_as_tritons(self):
        """After the first launch nothing precedes them. A setting that may make launches tilec's own adds it again."""
        run, launches = triton.JITFunction.run, []
        tritons = unittest.mock.Mock(side_effect=lambda *args, **kwargs: launches.append(kwargs["grid"]))
        active = triton.runtime.driver.active
        changes = [
            lambda: tilec.set_device("sim"),
            lambda: tilec.set_device("cuda"),
            lambda: tilec.set_check(False),
            lambda: triton.runtime.driver.set_active(object()),
        ]
        self.addCleanup(tilec.set_device, tilec.get_device())
        self.addCleanup(triton.runtime.driver.set_active, active)
        triton.runtime.driver.set_active(object())
        with unittest.mock.patch.dict(drop_in._originals, {(triton.JITFunction, "run"): tritons}):
            for n, change in enumerate(changes):
                change()
                self.assertIs(triton.JITFunction.run, run)
                tilec.set_device(None)
                kernel[(n,)](1, 2)
                self.assertIs(triton.JITFunction.run, tritons)
            triton.JITFunction.run(kernel, grid=(9,), warmup=False)
        self.assertEqual(launches, [(0,), (1,), (2,), (3,), (9,)])

    def test_autotuners_on_a_gpu(self):
        """A stored result is taken without measuring. A measured result is stored. Earlier ones are not looked for."""
        tuner = triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])(tuned)
        self.addCleanup(triton.runtime.driver.set_active, triton.runtime.driver.active)
        triton.runtime.driver.set_active(object())
        blocks, times = [], {64: [2e-3], 128: [1e-3]}
        run = lambda *args, **kwargs: blocks.append(kwargs["BLOCK"])  # noqa: E731
        with (
            unittest.mock.patch.object(tuner, "_bench", side_effect=lambda *args, config, **kwargs: times[config.kwargs["BLOCK"]]) as bench,
            unittest.mock.patch.object(triton.JITFunction, "run", run),
            unittest.mock.patch("tilec._kept.find", return_value=None) as find,
            unittest.mock.patch("tilec._kept.keep") as keep,
        ):
            for n in (5, 5, 6):
                tuner[(1,)](1, n)
            self.assertEqual((blocks, bench.call_count, find.call_count, keep.call_count), ([128, 128, 128], 4, 2, 2))
            self.assertEqual(keep.call_args.args[4:], (tuner.configs[1], 1e-3))
            find.return_value = tuner.configs[0]
            for n in (7, 7):
                tuner[(1,)](1, n)
            self.assertEqual(len(tuner.prune_configs({})), 2)  # as warmup() does
            self.assertEqual((blocks[3:], bench.call_count, find.call_count, keep.call_count), ([64, 64], 4, 3, 2))
            self.assertEqual(find.call_args.args[3:], ((1, 7), {"grid": (1,), "warmup": False}))

    def test_autotuners_with_numpy(self):
        """Resets and restores arrays of NumPy: Triton's hooks call methods of PyTorch's tensors."""
        configs = [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})]
        tuner = triton.autotune(configs, key=[], reset_to_zero=["out"], restore_value=["x"])(summed)
        x, out = np.ones(100, np.float32), np.full(1, 7, np.float32)
        tuner[(2,)](x, out, 100)
        self.assertEqual(out[0], 100)
        tuner.pre_hook({"x": x, "out": out})
        x[:] = 5
        tuner.post_hook({"x": x, "out": out}, exception=None)
        self.assertEqual((x.max(), out[0]), (1, 0))

    def test_nothing_is_left_in_a_source(self):
        what = source()
        before = dict(vars(what))
        compiled = self.compile(what)
        self.assertEqual(vars(compiled.src), before)  # torch.compile's workers pickle it

    def test_reports(self):
        before = len(drop_in.report())
        self.compile(source())
        new = drop_in.report()[before:]
        self.assertEqual([(item.kernel, item.reason) for item in new], [("kernel", None)])
        self.assertTrue(new[0].seconds > 0 and new[0].file == os.path.abspath(__file__))
        self.assertRegex(str(drop_in.report()), "kernels? compiled by tilec")

    def test_the_cache_knows_who_compiled(self):
        first = self.compile(source())
        before = len(drop_in.report())
        again = self.compile(source())
        self.assertEqual((again.hash, len(drop_in.report())), (first.hash, before))
        drop_in.uninstall()
        try:
            own = self.compile(source())
        finally:
            drop_in.install()
        self.assertNotEqual(own.hash, first.hash)
        self.assertNotIn("kernel @kernel", own.asm["ttir"])

    def test_captured_values_count(self):
        first = self.compile(source())
        other = self.compile(source(constants={"FN": triton.jit(lambda_like)}))
        self.assertNotEqual(first.hash, other.hash)

    def test_what_tilec_refuses_is_tritons(self):
        what = ASTSource(refused, {"x": "*fp32", "n": "constexpr"}, {"n": 3})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(2):
                self.assertIn("tt.func public @refused", self.compile(what).asm["ttir"])
        told = [item for item in caught if issubclass(item.category, tilec.TilecWarning)]
        self.assertEqual(len(told), 1)
        self.assertIn("tilec does not compile 'refused', Triton does", str(told[0].message))
        self.assertIn("j0", str(told[0].message))
        self.assertEqual(told[0].filename, os.path.abspath(__file__))
        self.assertIn("j0", drop_in.report().fallbacks[-1].reason)

    def test_what_both_refuse_is_tritons_error(self):
        what = ASTSource(wrong, {"x": "*fp32", "n": "constexpr"}, {"n": 3})
        fallbacks = len(drop_in.report().fallbacks)
        for mode in ("1", "strict"):
            with environment("TILEC_TRITON", mode), warnings.catch_warnings():
                warnings.simplefilter("error")
                with self.assertRaisesRegex(TritonsError, "invalid operands of type"):
                    self.compile(what)
        self.assertEqual(len(drop_in.report().fallbacks), fallbacks)

    def test_a_fallback_is_tritons(self):
        refuses = unittest.mock.patch("tilec._triton_source.compile_source", side_effect=_triton_source.Refused("for a test"))
        with refuses, self.assertWarnsRegex(tilec.TilecWarning, "'kernel', Triton does: for a test"):
            compiled = self.compile(source())
        self.assertIn("tt.func public @kernel", compiled.asm["ttir"])
        self.assertEqual(drop_in.report().fallbacks[-1].reason, "for a test")

    def test_memory_that_is_only_read(self):
        compiled = self.compile(ASTSource(of_constant_pointer, {"x": "*fp32", "y": "*kfp32", "into": "constexpr"}, {"into": False}))
        self.assertEqual(self.types(compiled), [".u64", ".u64"])
        with self.assertRaisesRegex(TritonsError, "Cannot store to a constant pointer"):
            self.compile(ASTSource(of_constant_pointer, {"x": "*fp32", "y": "*kfp32", "into": "constexpr"}, {"into": True}))

    def test_tuples(self):
        what = ASTSource(
            of_tuple,
            {"x": "*fp32", "t": Pair("i32", ("*fp32", "constexpr")), "unused": "constexpr"},
            {(1, 1, 1): 2.5, "unused": None},
            {(1, 0): POINTER},
        )
        compiled = self.compile(what)
        self.assertEqual(self.types(compiled), [".u64", ".u32", ".u64"])
        self.assertIn("fvalue = 2.5", compiled.asm["ttir"])
        self.assertIn("%t_first: i32 {divisible16}", compiled.asm["ttir"])

    def test_tuples_of_functions(self):
        functions = {(2, 0): helper, (2, 1): tl.exp}
        for kind, constants in (("tensordesc<fp32[32]>", functions), ("constexpr", {"d": None, **functions})):
            compiled = self.compile(ASTSource(of_functions, {"x": "*fp32", "d": kind, "t": ("constexpr", "constexpr")}, constants))
            self.assertIn('"exp_approx"', compiled.asm["ttir"])
            self.assertIn("fvalue = 3", compiled.asm["ttir"])

    def test_descriptors_of_the_host(self):
        what = ASTSource(
            of_descriptor,
            {"x": "*fp32", "d": "tensordesc<fp16[32, 64]>", "n": "i32", "FN": "constexpr", "BY": "constexpr"},
            {"FN": helper, "BY": 1},
        )
        compiled = self.compile(what)
        wide, again = [".u64"] * 4, [".u32"] * 2 + [".u64"] * 2
        flags = [".u8"] * (1 + ("round_f32_to_tf32" in TensorDescriptor.__dataclass_fields__))
        self.assertEqual(self.types(compiled), [".u64", ".u64", *wide, *flags, *again, ".u32"])
        self.assertEqual(compiled.metadata.name, "of_descriptor")
        self.assertEqual(compiled.asm["ttir"].count(" load "), 2)  # where the last size is a multiple of 16 bytes, and where not
        self.assertRegex(compiled.asm["ptx"], r"ld\.global\.v4\.b32")
        self.assertRegex(compiled.asm["ptx"], r"ld\.global\.b16")

    def test_tensor_copies(self):
        """Launches that make tensor maps are tilec's, by `tma=`; what Triton keeps and launches otherwise has none."""
        types = {"a": "*fp16", "b": "*fp16", "out": "*fp32", "M": "i32", "K": "i32", "sa": "i32", "B": "constexpr"}
        known = {(i,): POINTER for i in (0, 1, 2, 5)}
        for tma, expected in ((None, "auto"), ("off", None), ("on", "on"), ("auto", "auto")):
            compiled = self.compile(ASTSource(product, types, {(6,): 64}, known), **({"tma": tma} if tma else {}))
            self.assertNotIn("cp.async.bulk.tensor", compiled.asm["ptx"])
            self.assertIn("cp.async.c", compiled.asm["ptx"])  # others may launch it
            self.assertEqual(getattr(compiled.metadata, "tilec_tma", None), expected)
            if expected and np is not None:
                self.launch_mapped(compiled)
        with environment("TILEC_TRITON_TMA", "off"):
            compiled = self.compile(ASTSource(product, types, {(6,): 64}, known))
            self.assertFalse(hasattr(compiled.metadata, "tilec_tma"))
        older = triton.compile(ASTSource(product, types, {(6,): 64}, known), target=GPUTarget("cuda", 80, 32))
        self.assertFalse(hasattr(older.metadata, "tilec_tma"))
        whole = self.compile(ASTSource(product, types, {(6,): 64}, known), launch_cooperative_grid=True)
        self.assertFalse(hasattr(whole.metadata, "tilec_tma"))
        with self.assertRaisesRegex(drop_in.TritonError, "tma='yes'"), environment("TILEC_TRITON", "strict"):
            self.compile(ASTSource(product, types, {(6,): 64}, known), tma="yes")
        taking = {"x": "*fp32", "d": "tensordesc<fp16[32, 64]>", "n": "i32", "FN": "constexpr", "BY": "constexpr"}
        compiled = self.compile(ASTSource(of_descriptor, taking, {"FN": helper, "BY": 1}))
        self.assertFalse(hasattr(compiled.metadata, "tilec_tma"))  # no product

    def test_options_that_triton_has_not(self):
        """Each is part of what Triton keeps a kernel by, and of what tilec launches it as."""
        types = {"a": "*fp16", "b": "*fp16", "out": "*fp32", "M": "i32", "K": "i32", "sa": "i32", "B": "constexpr"}
        known = {(i,): POINTER for i in (0, 1, 2, 5)}
        hashes = set()
        for given in ({}, {"warp_specialize": "on"}, {"epilogue": "on"}, {"persistent": "on"}, {"persistent": "on", "tma": "off"},
                      {"persistent": "off"}, {"warp_specialize": "on", "persistent": "on"}):  # fmt: skip
            compiled = self.compile(ASTSource(product, types, {(6,): 64}, known), **given)
            mapped = given.get("persistent") == "on" or given.get("tma") != "off"
            words = {"tma": "auto", **given} if mapped else {}
            for name in ("tma", "warp_specialize", "epilogue", "persistent"):
                self.assertEqual(getattr(compiled.metadata, f"tilec_{name}", None), words.get(name), given)
            hashes.add(compiled.hash)
            if mapped and np is not None:
                launcher = self.launch_mapped(compiled)
                text = launcher._ours._prepare(*self.small()).asm["ttir"]
                self.assertEqual("programs_x" in text, given.get("persistent") == "on")
                self.assertEqual("warp_groups" in text, given.get("warp_specialize") == "on")
                self.assertEqual("tensor_map" in text, given.get("tma") != "off")
        self.assertEqual(len(hashes), 7)
        with self.assertRaisesRegex(drop_in.TritonError, "persistent='yes'"), environment("TILEC_TRITON", "strict"):
            self.compile(ASTSource(product, types, {(6,): 64}, known), persistent="yes")

    def small(self):
        return np.ones((64, 96), np.float16), np.ones((64, 96), np.float16), np.ones((64, 64), np.float32), 64, 90, 96, 64

    def launch_mapped(self, compiled):
        other = []
        launcher = drop_in._MappedLauncher(compiled.metadata.tilec_launch, lambda *args: other.append(args), tilec.device("sim"))
        for size in (50, 0):
            wide = np.random.default_rng(size).integers(-3, 4, (2, 64, 96)).astype(np.float16)
            out = np.full((64, 64), 7, np.float32)
            launcher(1, 1, 1, 0, None, None, None, None, None, wide[0], wide[1], out, size, 90, 96, 64)
            expected = np.zeros((64, 64), np.float32)
            expected[:size] = wide[0, :size, :90].astype(np.float32) @ wide[1, :, :90].astype(np.float32).T
            self.assertTrue(np.array_equal(out, expected))
        self.assertEqual(other, [])
        launcher(1, 1, 1, 0, None, None, None, None, None, 1)  # tilec does not take such arguments
        self.assertEqual(len(other), 1)
        return launcher

    def test_descriptors_of_kernels_that_return(self):
        compiled = self.compile(ASTSource(returns_early, {"x": "*fp32", "d": "tensordesc<fp32[32]>", "n": "i32"}, {}))
        rounds = "round_f32_to_tf32" in TensorDescriptor.__dataclass_fields__
        self.assertEqual(compiled.asm["ttir"].count(" load "), 3 if rounds else 2)

    def types(self, compiled):
        """The types of its PTX's parameters."""
        name = compiled.metadata.name
        return [line.split()[1] for line in compiled.asm["ptx"].split(f".visible .entry {name}(")[1].split(")")[0].split(",")]

    def test_globals_are_constexprs(self):
        what = ASTSource(of_a_global, {"x": "*fp32"}, {})
        with self.assertRaisesRegex(TritonsError, "Cannot access global variable PLAIN"):
            self.compile(what)
        with triton.knobs.compilation.scope():
            triton.knobs.compilation.allow_non_constexpr_globals = True
            self.assertIn("fvalue = 6.5", self.compile(ASTSource(of_a_global, {"x": "*fp32"}, {})).asm["ttir"])

    def test_kernels_that_name_themselves(self):
        compiled = self.compile(ASTSource(named, {"x": "*fp32", "n": "constexpr"}, {"n": 7}))
        self.assertEqual((compiled.metadata.name, compiled.name), ("named_7_of_fp32", "named_7_of_fp32"))
        self.assertIn(".visible .entry named_7_of_fp32(", compiled.asm["ptx"])

    def test_what_autotuners_pass_over(self):
        what = ASTSource(asserted, {"x": "*fp32", "n": "constexpr"}, {"n": 3})
        with self.assertRaises(triton.compiler.errors.CompileTimeAssertionFailure) as caught:
            self.compile(what)
        self.assertIn("too small", str(caught.exception))
        large = ASTSource(too_large, {"x": "*fp16", "n": "constexpr"}, {"n": 512}, {(0,): POINTER})
        with environment("TILEC_TRITON", "strict"), self.assertRaises(triton.runtime.errors.OutOfResources) as caught:
            self.compile(large)
        self.assertEqual((caught.exception.limit, caught.exception.name), (232448, "shared memory"))

    def test_strict(self):
        what = ASTSource(refused, {"x": "*fp32", "n": "constexpr"}, {"n": 3})
        with environment("TILEC_TRITON", "strict"), self.assertRaises(drop_in.TritonError) as caught:
            self.compile(what)
        self.assertIsInstance(caught.exception, TritonsError)
        copied = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(copied), copied.diagnostics), (str(caught.exception), caught.exception.diagnostics))
        self.assertIn(f"{os.path.abspath(__file__)}:", str(caught.exception))
        self.assertTrue(caught.exception.diagnostics[0].line > 0)


def lambda_like(v):
    return v * 5


@contextlib.contextmanager
def environment(name, value):
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


if __name__ == "__main__":
    unittest.main()
