# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of Triton's that use TMA, launched by tilec on fake_gpu's GPU: what programs see of such launches is as Triton's."""

import contextlib
import copy
import inspect
import io
import json
import os
import pathlib
import pickle
import runpy
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings
from concurrent import futures

import fake_gpu

if not fake_gpu.available:
    raise unittest.SkipTest("the driver of tests/gpu is not there")
try:
    import numpy as np
    import triton
    import triton.language as tl
    from triton.compiler import ASTSource
    from triton.runtime._async_compile import AsyncCompileMode
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError:
    raise unittest.SkipTest("Triton or NumPy is not installed") from None

import tilec
import tilec.triton as drop_in
import triton_gpu
from triton_gpu import Array, Launcher

COPY = "cp.async.bulk.tensor"


@triton.jit
def product(a, b, out, M, N, K, sa, sb, so, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    nn = tl.cdiv(N, BN)
    i = tl.program_id(0) // nn * BM + tl.arange(0, BM)
    j = tl.program_id(0) % nn * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    at = a + (i % M)[:, None] * sa + k[None, :]
    bt = b + k[:, None] + (j % N)[None, :] * sb
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(at), tl.load(bt), acc)
        at += BK
        bt += BK
    tl.device_assert(M == 40, "assertions are of debug=True")
    tl.store(out + i[:, None] * so + j[None, :], acc.to(tl.float16), mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit(repr=lambda special: f"named_{special.constants['BM']}", launch_metadata=lambda grid, metadata, args: {"rows": args["M"], "grid": grid})
def named(a, b, out, M, N, K, sa, sb, so, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    product(a, b, out, M, N, K, sa, sb, so, BM, BN, BK)


@triton.jit
def annotated(a: "*fp16", b, out, M: tl.int64, N: "i32", K, sa, sb, so):
    product(a, b, out, M, N, K, sa, sb, so, 64, 64, 64)


@triton.jit
def with_constants(a, step, none, b, out, M, N, K, sa, sb, so, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    if none is None:
        product(a, b, out, M * step, N, K, sa, sb, so, BM, BN, BK)


@triton.jit
def of_descriptors(a, b, out, K, so, B: tl.constexpr):
    i, j = tl.program_id(0) * B, tl.program_id(1) * B
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        acc = tl.dot(a.load([i, k]), b.load([j, k]).T, acc)
    tl.store(out + (i + tl.arange(0, B))[:, None] * so + (j + tl.arange(0, B))[None, :], acc.to(tl.float16))


@triton.jit
def of_block(d, out, B: tl.constexpr):
    i, j = tl.program_id(0) * B, tl.program_id(1) * B
    tl.store(out + (i + tl.arange(0, B))[:, None] * 64 + (j + tl.arange(0, B))[None, :], d.load([i, j]))


@triton.jit
def scaled(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


class Case:
    """Arguments of `product`, and what it computes of them."""

    def __init__(self, M=72, N=96, K=128, seed=0):
        random = np.random.default_rng(seed)
        self.a, self.b = (random.integers(-2, 3, (rows, K)).astype(np.float16) for rows in (M, N))
        self.expected = (self.a.astype(np.float32) @ self.b.astype(np.float32).T).astype(np.float16)
        self.arrays = [Array(x) for x in (self.a, self.b, np.full((M, N), 7, np.float16))]
        self.args = (*self.arrays, M, N, K, K, K, N, 64, 64, 64)
        self.grid = (triton.cdiv(M, 64) * triton.cdiv(N, 64),)

    @property
    def out(self):
        return self.arrays[2].numpy()

    @property
    def good(self):
        return np.array_equal(self.out, self.expected)


class Launches(unittest.TestCase):
    """What the tests of launches need."""

    def setUp(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        for context in (triton.knobs.cache.scope(), triton.knobs.runtime.scope(), triton_gpu.active()):
            entered = context.__enter__()
            self.addCleanup(context.__exit__, None, None, None)
        self.driver = entered
        triton.knobs.cache.dir = folder
        os.environ["TILEC_TRITON"] = "strict"
        self.addCleanup(os.environ.__setitem__, "TILEC_TRITON", "1")
        for kernel in (product, named, annotated, with_constants, of_descriptors, scaled):
            kernel.device_caches.clear()

    def mapped(self, handle):
        """True if its launches are tilec's, with TMA copies."""
        launcher = handle.run
        if not isinstance(launcher, drop_in._MappedLauncher) or launcher._ours is None:
            return False
        [kernel] = launcher._ours._kernels.values()
        return kernel.options["tma"] != 2

    def text(self, handle, args, stage="ptx"):
        """The text of what is launched."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the driver says that kernels spill
            return handle.run._ours._prepare(*args).asm[stage]

    def source(self, fn=product):
        names = dict(zip(fn.arg_names, ["*fp16"] * 3 + ["i32"] * 6 + ["constexpr"] * 3))
        return ASTSource(fn, names, {(i,): 64 for i in (9, 10, 11)}, {(i,): [["tt.divisibility", 16]] for i in (0, 1, 2, 5, 6, 7, 8)})


class OfTriton(Launches):
    def test_without_being_asked(self):
        case = Case()
        handle = product[case.grid](*case.args)
        self.assertTrue(case.good and self.mapped(handle))
        self.assertEqual(Launcher.calls, [])
        self.assertIsInstance(handle, triton.compiler.CompiledKernel)

    def test_the_copies_are_there(self):
        case = Case()
        handle = product[case.grid](*case.args)
        text = self.text(handle, case.args)
        self.assertIn(COPY, text)
        self.assertNotIn("__assertfail", text)

    def test_off(self):
        for given, variable in (({"tma": "off"}, None), ({}, "off")):
            with unittest.mock.patch.dict(os.environ, {"TILEC_TRITON_TMA": variable} if variable else {}):
                product.device_caches.clear()
                case = Case()
                handle = product[case.grid](*case.args, **given)
                self.assertIsInstance(handle.run, Launcher)
                self.assertEqual(Launcher.calls[-1], ((*case.grid, 1, 1), 0, case.args))
        self.assertEqual(len(Launcher.calls), 2)

    def test_debug(self):
        """tilec launches the kernel with its assertions. torch.compile compiles all kernels with debug=True."""
        held = Case(M=40)
        handle = product[held.grid](*held.args, debug=True)
        self.assertTrue(held.good and self.mapped(handle))
        self.assertEqual(Launcher.calls, [])
        text = self.text(handle, held.args)
        for each in ("__assertfail", COPY):
            self.assertIn(each, text)
        failed = Case()
        self.assertIs(product[failed.grid](*failed.args, debug=True), handle)
        self.assertEqual(failed.out.min(), 7)
        self.assertEqual(len(Launcher.calls), 1)  # Triton's launcher reports the error

    def test_kernels_without_dots_are_compiled_once(self):
        x = Array(np.arange(64, dtype=np.float16))
        compiles = unittest.mock.Mock(side_effect=tilec._native.Compiled)
        with unittest.mock.patch("tilec._native.Compiled", compiles):
            handle = scaled[(1,)](x, x, 64, 64)
        self.assertEqual(compiles.call_count, 1)
        self.assertIsInstance(handle.run, Launcher)

    def test_what_others_launch_has_no_hidden_parameters(self):
        """The cubin, as exported or read from Triton's cache, takes the visible arguments, and copies by cp.async."""
        case = Case()
        handle = product[case.grid](*case.args)
        entry = handle.asm["ptx"].split(".visible .entry product(")[1].split(")")[0]
        self.assertEqual([line.split()[1] for line in entry.split(",")], [".u64"] * 3 + [".u32"] * 6)
        self.assertIn("cp.async.c", handle.asm["ptx"])
        self.assertNotIn(COPY, handle.asm["ptx"])
        [path] = pathlib.Path(triton.knobs.cache.dir).glob("*/product.cubin")
        self.assertEqual(path.read_bytes(), handle.asm["cubin"])
        self.assertEqual(handle.kernel, handle.asm["cubin"])
        self.assertEqual((handle.metadata.global_scratch_size, handle.metadata.profile_scratch_size), (0, 0))

    def test_attributes(self):
        case = Case()
        handle = product[case.grid](*case.args, num_warps=4, num_stages=3)
        self.assertEqual((handle.n_regs, handle.n_spills, handle.n_max_threads, handle.name), (32, 0, 1024, "product"))
        metadata = handle.metadata
        self.assertEqual((metadata.num_warps, metadata.num_stages, metadata.num_ctas, metadata.name), (4, 3, 1, "product"))
        self.assertFalse(handle.run.launch_pdl)  # Triton's launcher's
        self.assertIsNotNone(handle.packed_metadata)

    def test_compiled_kernels_launch(self):
        first, second = Case(), Case(seed=1)
        handle = product[first.grid](*first.args)
        handle[(*second.grid, 1, 1)](*second.args)
        self.assertTrue(second.good)
        third, stream = Case(seed=2), fake_gpu.stream()
        handle.run(*third.grid, 1, 1, stream, handle.function, handle.packed_metadata, None, None, None, *third.args)
        fourth = Case(seed=3)
        handle[(*fourth.grid, 1, 1)](*fourth.args, stream=stream)
        self.assertTrue(third.good and fourth.good)
        self.assertEqual(Launcher.calls, [])

    def test_hooks(self):
        seen = []
        enter = lambda data: seen.append(("enter", data.get()["name"], data.get().get("rows"), data.get().get("grid")))  # noqa: E731
        leave = lambda data: seen.append(("leave", data.get()["name"]))  # noqa: E731
        case = Case()
        hooks = triton.knobs.runtime
        hooks.launch_enter_hook.add(enter)
        hooks.launch_exit_hook.add(leave)
        try:
            handle = named[case.grid](*case.args)
            expected = [("enter", "named_64", 72, case.grid), ("leave", "named_64")]
            self.assertEqual((seen, case.good, self.mapped(handle)), (expected, True, True))
            self.assertIn(".entry named_64(", self.text(handle, case.args))  # as profilers see it
            del seen[:]
            with unittest.mock.patch.object(handle.run, "_launch", side_effect=tilec.ArgumentError("for a test")):
                named[case.grid](*case.args)
            self.assertEqual((seen, len(Launcher.calls)), (expected, 1))
        finally:
            hooks.launch_enter_hook.remove(enter)
            hooks.launch_exit_hook.remove(leave)

    def test_hooks_that_fail(self):
        case = Case()

        def enter(data):
            raise KeyError("the hook's")

        product[case.grid](*case.args)
        triton.knobs.runtime.launch_enter_hook.add(enter)
        try:
            with self.assertRaisesRegex(KeyError, "the hook's"):
                product[case.grid](*case.args)
        finally:
            triton.knobs.runtime.launch_enter_hook.remove(enter)
        self.assertEqual(Launcher.calls, [])

    def test_graphs(self):
        case, stream = Case(), fake_gpu.stream()
        product[case.grid](*case.args)
        self.driver.stream = stream
        case.arrays[2] = out = Array(np.zeros_like(case.expected))
        args = (*case.arrays, *case.args[3:])
        with fake_gpu.capturing(stream) as graph:
            product[case.grid](*args)
        self.driver.stream = 0
        self.assertFalse(out.numpy().any(), "what is captured does not run yet")
        graph.launch()
        self.assertTrue(case.good)

    def test_streams(self):
        for seed, stream in enumerate([fake_gpu.stream() for _ in range(3)] * 2):
            case = Case(seed=seed)
            self.driver.stream = stream
            product[case.grid](*case.args)
            self.assertTrue(case.good)
        self.assertEqual(Launcher.calls, [])

    def test_a_gpu_that_tilec_does_not_open(self):
        case = Case()
        self.driver.device = 7
        handle = product[case.grid](*case.args)
        self.assertIsInstance(handle.run, Launcher)
        self.assertEqual(len(Launcher.calls), 1)

    def test_sizes_without_elements(self):
        for sizes in ((0, 64, 64), (64, 64, 0), (72, 96, 128)):
            case = Case(*sizes)
            product[case.grid](*case.args)
            self.assertTrue(case.good, sizes)
        self.assertEqual(Launcher.calls, [])

    def test_arguments_without_maps(self):
        """Rows that begin at no multiples of 16 bytes: Triton compiles for these separately, and launches that."""
        wide = Array(np.zeros((64, 65), np.float16))
        handle = product[(1,)](wide, wide, wide, 64, 64, 64, 65, 65, 65, 64, 64, 64)
        self.assertIsInstance(handle.run, Launcher)
        self.assertFalse(hasattr(handle.metadata, "tilec_tma"))

    def test_addresses_of_more_than_32_bits(self):
        case = Case()
        product[case.grid](*case.args)
        self.assertTrue(all(x.data_ptr() > 2**32 for x in case.arrays) and case.good)

    def test_reinterpreted_arrays(self):
        case = Case()
        args = (*(triton.reinterpret(x, tl.float16) for x in self.shaped(case.arrays)), *case.args[3:])
        product[case.grid](*args)
        self.assertTrue(case.good)
        self.assertEqual(Launcher.calls, [])

    def shaped(self, arrays):
        for x in arrays:
            x.data = x
        return arrays

    def test_descriptors(self):
        case = Case(64, 64, 128)
        a, b = (TensorDescriptor.__new__(TensorDescriptor) for _ in range(2))
        for d, base in zip((a, b), case.arrays):
            d.base, d.shape, d.strides, d.block_shape, d.padding, d.round_f32_to_tf32 = base, [64, 128], [128, 1], [64, 64], "zero", False
        handle = of_descriptors[(1, 1)](a, b, case.arrays[2], 128, 64, 64)
        self.assertTrue(case.good and self.mapped(handle))
        self.assertEqual(Launcher.calls, [])

    def test_padding_with_nan(self):
        """Triton's types do not say how a descriptor pads: one kernel for both, which tilec launches only for NaN."""
        x = Array(np.arange(48 * 48, dtype=np.float32).reshape(48, 48))
        expected = np.full((64, 64), np.nan, np.float32)
        expected[:48, :48] = x.numpy()
        d = TensorDescriptor.__new__(TensorDescriptor)
        d.base, d.shape, d.strides, d.block_shape, d.padding, d.round_f32_to_tf32 = x, [48, 48], [48, 1], [32, 32], "nan", False
        out = Array(np.zeros((64, 64), np.float32))
        handle = of_block[(2, 2)](d, out, 32)
        self.assertTrue(np.array_equal(out.numpy(), expected, equal_nan=True))
        self.assertEqual(Launcher.calls, [])
        d.padding = "zero"
        self.assertIs(of_block[(2, 2)](d, out, 32), handle)
        self.assertEqual(len(Launcher.calls), 1)

    def test_autotuners(self):
        configs = [triton.Config({"BM": 64, "BN": n, "BK": 64}, num_warps=4) for n in (32, 64)]
        tuner = triton.autotune(configs, key=["M"])(product)
        case = Case()
        blocks = []
        original = drop_in._MappedLauncher.__call__
        note = lambda launcher, *args: (blocks.append(args[-2]), original(launcher, *args))[1]  # noqa: E731
        with (
            unittest.mock.patch.object(drop_in._MappedLauncher, "__call__", note),
            unittest.mock.patch("tilec._kept.find", return_value=None),
            unittest.mock.patch("tilec._kept.keep") as keep,
        ):
            handle = tuner[lambda meta: (triton.cdiv(72, meta["BM"]) * triton.cdiv(96, meta["BN"]),)](*case.args[:9])
        self.assertEqual((blocks, keep.call_count), ([32, 64, 32], 1))
        self.assertTrue(case.good and self.mapped(handle))
        self.assertEqual(Launcher.calls, [])

    def test_warmup(self):
        case = Case()
        handle = product.warmup(*case.args, grid=case.grid)
        self.assertEqual((handle.metadata.tilec_tma, handle.module), ("auto", None))
        self.assertFalse(case.good)
        self.assertIs(product[case.grid](*case.args), handle)
        self.assertTrue(case.good and self.mapped(handle))

    def test_compiles_in_parallel(self):
        cases = []
        with futures.ThreadPoolExecutor(3) as pool, AsyncCompileMode(pool):
            for columns in (32, 64, 128):
                case = Case()
                case.args = (*case.args[:9], 64, columns, 64)
                case.grid = (2 * triton.cdiv(96, columns),)
                product.warmup(*case.args, grid=case.grid)
                cases.append(case)
            for case in cases:
                product[case.grid](*case.args)
        self.assertTrue(all(case.good for case in cases))
        self.assertEqual(Launcher.calls, [])

    def test_ahead_of_time(self):
        """Triton's own tool writes the cubin, and a launcher of the visible arguments and its scratch memory."""
        text = "import triton, triton.language as tl\n" + inspect.getsource(product.fn)
        folder = pathlib.Path(triton.knobs.cache.dir)
        (folder / "kernels.py").write_text(text)
        kinds = ["*fp16:16"] * 3 + ["i32", "i32"] + ["i32:16"] * 4 + ["64", "64", "64"]
        command = ["compile", str(folder / "kernels.py"), "-n", "product", "-s", ",".join(kinds), "-g", "M,N,1", "-o", str(folder / "made")]
        with unittest.mock.patch.object(sys, "argv", command), contextlib.redirect_stdout(io.StringIO()):
            runpy.run_module("triton.tools.compile", run_name="__main__")
        [made] = folder.glob("made.*.c")
        self.assertIn("{ &a, &b, &out, &M, &N, &K, &sa, &sb, &so, &global_scratch, &profile_scratch }", made.read_text())
        self.assertEqual((drop_in.report()[-1].kernel, drop_in.report()[-1].reason), ("product", None))

    def test_pre_run_hooks(self):
        case, seen = Case(), []
        product.add_pre_run_hook(lambda *args, **kwargs: seen.append(len(args)))
        try:
            product[case.grid](*case.args)
        finally:
            product.pre_run_hooks.clear()
        self.assertEqual(seen, [12])

    def test_kernels_from_the_cache(self):
        """A process that compiles nothing launches as the first does."""
        case = Case()
        product[case.grid](*case.args)
        before = len(drop_in.report())
        product.device_caches.clear()
        again = Case(seed=1)
        handle = product[again.grid](*again.args)
        self.assertEqual(len(drop_in.report()), before)
        self.assertTrue(again.good and self.mapped(handle))

    def test_hooks_of_compiles_and_preload(self):
        case, seen, compiled = Case(), [], []
        triton.knobs.runtime.jit_cache_hook = lambda **given: seen.append(given["compile"]["specialization_data"])
        triton.knobs.runtime.jit_post_compile_hook = lambda **given: compiled.append(given["fn"].name)
        product[case.grid](*case.args, tma="auto")
        self.assertEqual((len(seen), len(compiled), compiled[0].split(".")[-1]), (1, 1, "product"))
        self.assertEqual(json.loads(seen[0])["options"]["tma"], "auto")
        product.device_caches.clear()
        shutil.rmtree(triton.knobs.cache.dir)
        before = len(drop_in.report())
        handle = product.preload(seen[0])
        self.assertEqual((handle.metadata.tilec_tma, len(drop_in.report()) - before), ("auto", 1))
        again = Case(seed=1)
        self.assertIs(product[again.grid](*again.args, tma="auto"), handle)
        self.assertTrue(again.good)
        os.makedirs(triton.knobs.cache.dir, exist_ok=True)

    def test_a_cache_hook_that_declines(self):
        triton.knobs.runtime.jit_cache_hook = lambda **given: True
        case = Case()
        self.assertIsNone(product[case.grid](*case.args))
        self.assertFalse(case.good)

    def test_triton_compile(self):
        case = Case()
        handle = triton.compile(self.source(), target=self.driver.get_current_target(), options={"num_warps": 4})
        handle[(*case.grid, 1, 1)](*case.args)
        self.assertTrue(case.good and self.mapped(handle))

    def test_kernels_that_came_from_another_process(self):
        """As PyTorch pickles them: without their function."""
        handle = triton.compile(self.source(), target=self.driver.get_current_target())
        state = {**handle.__dict__, "metadata": pickle.loads(pickle.dumps(handle.metadata._asdict())), "src": copy.copy(handle.src)}
        state["metadata"] = type(handle.metadata)(**state["metadata"])
        found = type(handle).__new__(type(handle))
        found.__dict__.update(state)
        case, function = Case(), product.fn
        product.fn = None
        try:
            found.run(*case.grid, 1, 1, 0, found.function, found.packed_metadata, None, None, None, *case.args)
        finally:
            product.fn = function
        self.assertTrue(case.good and self.mapped(found))
        self.assertEqual(Launcher.calls, [])

    def test_annotated_parameters(self):
        case = Case()
        handle = annotated[case.grid](*case.args[:9])
        self.assertTrue(case.good and self.mapped(handle))
        self.assertIn("%M: i64", self.text(handle, case.args[:9], "ttir"))

    def test_constants_that_triton_makes(self):
        """An argument of 1 and None are compiled in."""
        case = Case()
        handle = with_constants[case.grid](case.arrays[0], 1, None, *case.args[1:])
        self.assertTrue(case.good and self.mapped(handle))

    def test_allocators_are_not_needed(self):
        case = Case()
        with unittest.mock.patch("triton.runtime._allocation._allocator") as allocator:
            product[case.grid](*case.args)
        self.assertFalse(allocator.get.called)
        self.assertTrue(case.good)

    def test_a_kernel_that_tilec_does_not_launch(self):
        """From then on its launches are Triton's."""
        case = Case()
        handle = product[case.grid](*case.args)
        with unittest.mock.patch.object(handle.run, "_launch", side_effect=tilec.CompilationError("for a test", [])) as launch:
            for _ in range(2):
                product[case.grid](*case.args)
        self.assertEqual((launch.call_count, len(Launcher.calls)), (1, 2))

    def test_uninstall(self):
        case = Case()
        drop_in.uninstall()
        try:
            product.device_caches.clear()
            handle = product[case.grid](*case.args)
            self.assertIsInstance(handle.run, Launcher)
            self.assertFalse(hasattr(handle.metadata, "tilec_tma"))
        finally:
            drop_in.install()


class OfPyTorch(Launches):
    """The launchers of torch.compile, without a torch.compile."""

    def setUp(self):
        try:
            import torch._inductor.config
            import torch._inductor.runtime.triton_heuristics as heuristics
        except ImportError:
            raise unittest.SkipTest("PyTorch with Inductor is not installed") from None
        super().setUp()
        self.heuristics, self.config = heuristics, torch._inductor.config
        self.handle = triton.compile(self.source(), target=self.driver.get_current_target(), options={"num_warps": 4})

    def test_the_static_launcher(self):
        """It launches the cubin in Triton's cache, with the arguments of the signature."""
        static = self.heuristics.StaticallyLaunchedCudaKernel
        [path] = pathlib.Path(triton.knobs.cache.dir).glob("*/product.cubin")
        self.handle._cubin_path = str(path)
        with unittest.mock.patch.object(static, "C_impl", None):
            launcher = static(self.handle)
        entry = self.handle.asm["ptx"].split(".visible .entry product(")[1].split(")")[0]
        self.assertEqual(len(launcher.arg_tys), len(entry.split(",")))
        self.assertEqual((launcher.shared, launcher.num_warps), (self.handle.metadata.shared, 4))

    def test_which_launcher(self):
        """Kernels with tensor maps are launched through Triton, others by the static launcher, as are all if tilec is gone."""
        chooser = self.heuristics.StaticTritonCompileResult
        if not hasattr(self.heuristics, "statically_launched_kernel_by_device"):
            self.skipTest("this PyTorch makes its static launcher otherwise")
        x = Array(np.arange(64, dtype=np.float16))
        plain = scaled[(1,)](x, x, 64, 64)
        meta = {"device_type": "cuda", "device": 0, "signature": {}}
        with (
            unittest.mock.patch.object(self.heuristics, "triton_cache_dir", lambda device: triton.knobs.cache.dir),
            unittest.mock.patch.object(self.heuristics, "statically_launched_kernel_by_device", lambda kernel, kind: kernel),
            self.config.patch(use_static_cuda_launcher=True),
        ):
            choose = lambda kernel, **more: chooser.can_statically_launch(kernel, {}, {**meta, **more}, None)  # noqa: E731
            self.assertEqual((choose(self.handle), choose(plain)), (None, plain))
            self.assertIs(choose(self.handle, device=None), self.handle)
            drop_in.uninstall()
            try:
                self.assertIs(choose(self.handle), self.handle)
            finally:
                drop_in.install()

    def test_the_launcher_through_triton(self):
        """Also of a result that another process has pickled."""
        constants = {name: 64 for name in ("BM", "BN", "BK")}
        meta = {"signature": self.handle.src.signature, "constants": constants}
        grid = {"grid_type": "Grid2D", "extra_launcher_args": []}
        result = self.heuristics.TritonCompileResult(self.handle, triton.Config(constants), meta, grid)
        state = result.__getstate__()
        state["kernel"]["_run"] = state["kernel"]["_module_pid"] = None
        again = type(result).__new__(type(result))
        again.__setstate__(state)
        for each in (result, again):
            case = Case()
            with unittest.mock.patch.object(self.heuristics.GridExpr, "from_meta") as expressions:
                expressions.return_value.configure_mock(prefix=[], x_grid=str(case.grid[0]), y_grid="1", z_grid="1")
                launcher = each.make_launcher()
            launcher(*case.args[:9], stream=0)
            self.assertTrue(case.good and self.mapped(each.kernel))
        self.assertEqual(Launcher.calls, [])

    def test_what_a_kernel_writes(self):
        """torch.compile reads it in the module of Triton's front end, and compiles nothing for it."""
        import torch
        import torch._higher_order_ops.triton_kernel_wrap as wrap

        identify = getattr(wrap, "identify_mutated_tensors", None)
        if identify is None:
            identify = lambda *args: [each.name for each in wrap.identify_accessed_tensors(*args).read_writes.writes]  # noqa: E731
        x, before = torch.zeros(64, 64, dtype=torch.float16), len(drop_in.report())
        values = {"a": x, "b": x.clone(), "out": x.clone(), **dict.fromkeys(product.arg_names[3:], 64)}
        with self.assertNoLogs("torch._dynamo", "WARNING"):
            self.assertEqual(list(identify(product, values, {})), ["out"])
        self.assertEqual(len(drop_in.report()), before)

    def templates(self, size):
        """What PyTorch's max-autotune would time for a matmul on a GPU: (what PyTorch compiles it to, the tile)."""
        import torch
        from torch._inductor import ir, select_algorithm, utils
        from torch._inductor.codecache import PyCodeCache
        from torch._inductor.codegen.triton import TritonScheduling
        from torch._inductor.runtime.hints import DeviceProperties

        patch, found = unittest.mock.patch.object, []

        def autotune(cache, *args, **kwargs):
            for given in (*args, *kwargs.values()):
                if isinstance(given, (list, tuple)) and given and hasattr(given[0], "bmreq"):
                    found.extend(given)
            raise Done

        h200 = dict(type="cuda", index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536,
                    max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32)  # fmt: skip
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.config.patch(cpu_backend="triton", max_autotune=True, max_autotune_gemm_backends="TRITON", compile_threads=1))
            stack.enter_context(patch(select_algorithm.AlgorithmSelectorCache, "do_autotuning", autotune))
            stack.enter_context(patch(ir, "is_gpu", lambda device: True))
            stack.enter_context(patch(utils, "is_gpu", lambda device: True))
            stack.enter_context(patch(DeviceProperties, "create", staticmethod(lambda device: DeviceProperties(**h200))))
            stack.enter_context(patch(TritonScheduling, "get_backend_features", staticmethod(lambda device: TritonScheduling.backend_features)))
            stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
            stack.enter_context(self.assertRaises(Exception))
            torch._dynamo.reset()
            x = torch.zeros(size, size, dtype=torch.float16)
            torch.compile(lambda a, b: a @ b)(x, x.clone())
        if not found or not hasattr(found[0].bmreq, "module_cache_key"):
            self.skipTest("this PyTorch makes its templates otherwise")
        for choice in found:
            tuner = getattr(PyCodeCache.load_by_key_path(choice.bmreq.module_cache_key, choice.bmreq.module_path), choice.bmreq.kernel_name)
            tile = tuner.inductor_meta["config_args"]
            if tile["BLOCK_M"] >= 64 and tile["BLOCK_N"] >= 64 and tile["BLOCK_K"] >= 32:
                with patch(self.heuristics.triton_helpers, "set_driver_to_gpu", lambda: None):
                    yield tuner._precompile_config(tuner.configs[0]), tile

    def test_templates(self):
        """Those of PyTorch's max-autotune are launched with TMA, and right."""
        size, tried = 128, 0
        values = [np.random.default_rng(seed).integers(-2, 3, (size, size)).astype(np.float16) for seed in range(2)]
        expected = (values[0].astype(np.float32) @ values[1].astype(np.float32)).astype(np.float16)
        for compiled, tile in self.templates(size):
            self.assertIs(type(compiled), self.heuristics.TritonCompileResult, tile)
            handle = compiled.kernel
            self.assertTrue(handle.metadata.debug)
            arrays = [Array(x) for x in (*values, np.full((size, size), 7, np.float16))]
            handle[(size // tile["BLOCK_M"] * (size // tile["BLOCK_N"]), 1, 1)](*arrays)
            self.assertTrue(np.array_equal(arrays[2].numpy(), expected), tile)
            self.assertTrue(self.mapped(handle), tile)
            tried += 1
        self.assertGreater(tried, 0)
        self.assertEqual(Launcher.calls, [])


class Done(Exception):
    """In the place of an autotuning."""


class Gluon(unittest.TestCase):
    TEXT = """
import os, sys, warnings
import triton, tilec.triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource
from triton.backends.compiler import GPUTarget

@gluon.jit
def add(x, n: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, n, layout=layout)
    gl.store(x + i, gl.load(x + i) + 1)

def compiled():
    return triton.compile(GluonASTSource(add, {"x": "*fp32", "n": "constexpr"}, {(1,): 128}, {}), target=GPUTarget("cuda", 90, 32))

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert "st.global" in compiled().asm["ptx"] and compiled()
told = [str(item.message) for item in caught]
assert told == ["tilec does not compile 'add', Triton does: " + tilec.triton.GLUON], told
[left] = tilec.triton.report().fallbacks
assert (left.kernel, left.reason) == ("add", tilec.triton.GLUON)
os.environ["TILEC_TRITON"] = "strict"
for call in (compiled, lambda: add[(1,)](object(), 128)):
    try:
        call()
    except tilec.triton.TritonError as error:
        print(error)
"""

    def test_is_tritons(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program.py"
            program.write_text(self.TEXT)
            places = os.pathsep.join([*(p for p in sys.path if p), os.environ.get("PYTHONPATH", "")])
            environment = {**os.environ, "TRITON_CACHE_DIR": folder, "PYTHONPATH": places, "TILEC_TRITON": "1", "TILEC_DEVICE": "sim"}
            environment.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
            done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=120 * float(os.environ.get("TILEC_TEST_SLOW", 1)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), [
            f"tilec does not compile 'add': {drop_in.GLUON}", f"'add' cannot run on the simulator: {drop_in.GLUON}",
        ])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
