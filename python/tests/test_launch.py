# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches: how arguments are bound, what makes another kernel, what a launch returns."""

import array
import contextlib
import copy
import enum
import io
import pickle
import threading
import unittest
from typing import NamedTuple

import tilec
import tilec.language as tl
from kernels import add, either, floats, ints, scale

# Globals that kernels see.
OFFSET = tl.constexpr(3)


@tilec.jit
def shift(x, n):
    i = tl.arange(0, 16)
    tl.store(x + i, tl.load(x + i, mask=i < n) + OFFSET, mask=i < n)


@tilec.jit
def tell(out, VALUE: tl.constexpr):
    if isinstance(VALUE, bool):
        tl.store(out, 1)
    elif isinstance(VALUE, float):
        tl.store(out, 2)
    else:
        tl.store(out, 3)


@tilec.jit
def width(out, T: tl.constexpr):
    tl.store(out, (tl.full([1], 1, T) / 1).to(tl.int32).sum() + tl.constexpr(T.primitive_bitwidth))


@tilec.jit
def quotient(x, y):
    tl.store(y, tl.load(x) / tl.load(y))


@tilec.jit
def centred(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + i, v - tl.max(v, axis=0))


@tilec.jit
def refused(x, n: tl.constexpr):
    tl.static_assert(n < 16)
    tl.static_assert(x.dtype.element_ty == tl.float32)
    tl.store(x, n)


@tilec.jit
def staged(x, num_warps: tl.constexpr, num_stages: tl.constexpr):
    tl.store(x, tl.load(x) * num_warps * num_stages)


class Closure(NamedTuple):
    fn: object
    captured: tuple


@tilec.jit
def apply(x, closure, last=None):
    v = closure.fn(tl.load(x), *closure.captured)
    if last is not None:
        v = last(v)
    tl.store(x, v)


@tilec.jit
def times(v, by):
    return v * by


@tilec.jit
def squared(v):
    return v * v


class Launches(unittest.TestCase):
    def test_a_tile_of_any_size(self):
        for n in (1, 3, 100, 781):
            x, out = floats(range(n)), floats([7] * (n + 1))
            centred[(1,)](out, x, N=n)
            self.assertEqual(list(out), [i - (n - 1.0) for i in range(n)] + [7])

    def test_functions_as_arguments(self):
        @tilec.jit
        def minus(v, by):
            return v - by

        x = floats([3])
        apply[(1,)](x, Closure(times, (2,)))
        self.assertEqual(x[0], 6)
        handle = apply[lambda meta: (len(meta) // 3,)](x, Closure(minus, (2,)), last=squared)
        self.assertEqual(x[0], 16)
        self.assertIn("ptx", handle.asm)
        apply[(1,)](x, Closure(tl.maximum, (17,)), squared)
        self.assertEqual(x[0], 289)
        with self.assertRaisesRegex(tilec.CompilationError, "'apply' is given to itself"):
            apply[(1,)](x, Closure(apply, (2,)))
        with self.assertRaisesRegex(TypeError, "argument 'closure': a function cannot be passed"):
            apply[(1,)](x, Closure(lambda v, by: v, (2,)))

    def test_fast_math(self):
        for fast in (False, True):
            y = floats([1e38])  # whose reciprocal is a denormal number
            quotient[(1,)](floats([1]), y, fast_math=fast)
            self.assertEqual(y[0] == 0, fast)

    def test_positions_names_defaults(self):
        x, y, out = floats(range(20)), floats([1] * 20), floats([0] * 20)
        add[(2,)](x, y, out, 20, 16)
        self.assertEqual(list(out), [i + 1 for i in range(20)])
        add[2](x, BLOCK=16, n=20, out=out, y=x)
        self.assertEqual(list(out), [2 * i for i in range(20)])
        scale[[1, 1, 1]](x, 2.0, n=16)
        self.assertEqual(list(x[:17]), [2.0 * i for i in range(16)] + [16])

    def test_grids(self):
        seen = []

        def grid(meta):
            seen.append(dict(meta))
            return (tilec.cdiv(meta["n"], meta["BLOCK"]),)

        x = floats(range(40))
        scale[grid](x, 2, 40, num_warps=2)
        self.assertEqual(list(x), [2 * i for i in range(40)])
        self.assertEqual(seen[0]["BLOCK"], 16)
        self.assertEqual(seen[0]["num_warps"], 2)
        self.assertIs(seen[0]["x"], x)
        scale[(0,)](x, 2, 40)
        self.assertEqual(x[1], 2)
        for bad in (-1, (1, 2, 3, 4), (), "1", 1.5, lambda meta: None):
            with self.assertRaises((TypeError, ValueError)):
                scale[bad](x, 2, 40)

    def test_what_is_bound_wrongly(self):
        x = floats([1])
        for call, said in (
            (lambda: add[1](x, x), "^[a-z_]+: argument 'out' is missing$"),
            (lambda: add[1](x, x, x, 1, 16, 5), "6 arguments"),
            (lambda: add[1](x, x, x, 1, 16, n=1), "'n' is given twice"),
            (lambda: add[1](x, x, x, {}, 16), "'n'"),
        ):
            with self.assertRaisesRegex(TypeError, said):
                call()
        with self.assertRaisesRegex(KeyError, r"^\w+: 'num_wraps' is neither a parameter nor an option; did you mean 'num_warps'\?$"):
            add[1](x, x, x, 1, 16, num_wraps=4)
        with self.assertRaises(OverflowError):
            add[1](x, x, x, 2**70, 16)
        with self.assertRaisesRegex(RuntimeError, r"add\[grid\]"):
            add(x, x, x, 1, 16)

    def test_none_bool_and_constexprs_of_every_kind(self):
        x, out = ints(range(16)), ints([0] * 16)
        for y in (None, x):
            for swap in (False, True):
                for negate in (False, True):
                    either[1](x, y, out, swap, 16, negate)
                    sign = (-1 if swap else 1) * (-1 if negate else 1)
                    self.assertEqual(list(out), [sign * i * (1 if y is None else 2) for i in range(16)])
        for value, said in ((1, 3), (True, 1), (1.0, 2), (1, 3), (1.0, 2), (True, 1)):
            tell[1](out, value)
            self.assertEqual(out[0], said, repr(value))
        for dtype, bits in ((tl.float32, 32), (tl.float16, 16), (tl.float32, 32)):
            width[1](out, dtype)
            self.assertEqual(out[0], bits + 1)

    def test_options_make_kernels(self):
        x = floats([1] * 16)
        by_warps = {warps: scale[1](x, 1.0, 16, num_warps=warps) for warps in (1, 2, 4)}
        for warps, handle in by_warps.items():
            self.assertEqual(handle.metadata.num_warps, warps)
            self.assertIn(f".reqntid {32 * warps}", handle.asm["ptx"])
        with self.assertRaises(tilec.TilecError):
            scale[1](x, 1.0, 16, num_warps=3)

    def test_what_it_is_made_from_may_change(self):
        global OFFSET
        x = floats([0] * 16)
        shift[1](x, 16)
        shift[1](x, 16)
        self.assertEqual(x[0], 6)
        OFFSET = tl.constexpr(10)
        try:
            shift[1](x, 16)
            self.assertEqual(x[0], 16)
        finally:
            OFFSET = tl.constexpr(3)
        shift[1](x, 16)
        self.assertEqual(x[0], 19)

    def test_what_changes_in_place(self):
        factors = [2.0, 3.0]

        @tilec.jit
        def scale_by_list(x):
            i = tl.arange(0, 16)
            tl.store(x + i, tl.load(x + i) * factors[1])

        x = floats([1] * 16)
        made = []
        specialise = scale_by_list._specialise
        scale_by_list._specialise = lambda *given: made.append(1) or specialise(*given)
        for _ in range(3):
            scale_by_list[1](x)
        self.assertEqual((x[0], len(made)), (27, 1))
        factors[1] = 2.0
        scale_by_list[1](x)
        self.assertEqual((x[0], len(made)), (54, 2))

    def test_hooks(self):
        seen = []
        x = floats([1] * 16)

        @tilec.jit
        def double(x):
            i = tl.arange(0, 16)
            tl.store(x + i, tl.load(x + i) * 2)

        double.add_pre_run_hook(lambda *args, **kwargs: seen.append((args, kwargs)))
        double[1](x, num_warps=1)
        self.assertEqual(seen, [((x,), {"num_warps": 1})])

    def test_hooks_of_every_launch(self):
        seen = []
        tilec.set_launch_hooks(lambda kernel, grid: seen.append(("enter", kernel, grid)), lambda kernel, grid: seen.append(("leave", kernel, grid)))
        try:
            scale[(1,)](floats([1] * 16), 2, 16)
        finally:
            tilec.set_launch_hooks()
        scale[1](floats([1] * 16), 2, 16)
        self.assertEqual(seen, [("enter", scale, (1,)), ("leave", scale, (1,))])

    def test_what_kernels_print(self):
        @tilec.jit
        def speak(n):
            tl.device_print("n is", n)

        tilec.set_device("sim")
        self.addCleanup(tilec.set_device, None)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            speak[2](42)
        self.assertEqual(said.getvalue().count("n is: 42"), 2)

    def test_how_tiles_are_printed(self):
        @tilec.jit
        def speak(n):
            i = tl.arange(0, 2)[:, None] * 16 + tl.arange(0, 16)[None, :]
            tl.device_print("i", i)
            print("", n, i)

        self.addCleanup(tilec.set_device, None)
        rows = [(x, y) for x in range(2) for y in range(16)]
        want = [f"pid (0, 0, 0) idx ({x}, {y:2}) i: {16 * x + y}" for x, y in rows]
        want += ["pid (0, 0, 0) idx (): (operand 0) 42"]
        want += [f"pid (0, 0, 0) idx ({x}, {y:2}): (operand 1) {16 * x + y}" for x, y in rows]
        for device in ("sim", "eval"):
            tilec.set_device(device)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                speak[1](42)
            self.assertEqual(sorted(said.getvalue().splitlines()), sorted(want))

    def test_threads(self):
        failures = []

        def work(seed):
            try:
                for _ in range(20):
                    x = floats([seed] * 64)
                    scale[4](x, 3, 64, BLOCK=16, num_warps=1 + seed % 2)
                    if list(x) != [3 * seed] * 64:
                        failures.append(seed)
            except Exception as error:  # reported by the assertion below
                failures.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class WhatALaunchReturns(unittest.TestCase):
    def test_texts_and_facts(self):
        handle = scale[1](floats([1] * 16), 2.0, 16)
        self.assertIn(".entry scale", handle.asm["ptx"])
        self.assertIn("kernel @scale", handle.asm["ttir"])
        self.assertIn("define", handle.asm["llir"])
        self.assertEqual(handle.name, "scale")
        self.assertEqual(handle.shared, 0)
        self.assertEqual(handle.n_spills, 0)
        self.assertGreaterEqual(handle.n_regs, 0)
        self.assertEqual(handle.metadata.num_stages, 3)
        for stage, words in (("sass", "--emit=sass"), ("no such stage", "only ptx, cubin, llir")):
            with self.assertRaisesRegex(KeyError, words):
                handle.asm[stage]

    def test_what_does_not_compile_is_not_kept(self):
        x = floats([1] * 16)
        for bad in range(5):
            with self.assertRaises(tilec.CompilationError):
                refused[1](x, 16 + bad)
            with self.assertRaises(tilec.CompilationError):
                refused.warmup(x, 16 + bad, grid=(1,))
        self.assertEqual(len(refused._kernels), 0)
        refused[1](x, 3)
        with self.assertRaises(tilec.CompilationError):
            refused[1](array.array("i", [1] * 16), 3)  # the other stays
        self.assertEqual((x[0], len(refused._kernels)), (3, 1))

    def test_warmup_launches_nothing(self):
        x = floats([1] * 16)
        handle = scale.warmup(x, 2.0, 16, grid=(1,))
        self.assertEqual(x[0], 1)
        self.assertIn(".entry scale", handle.asm["ptx"])
        by_type = scale.warmup(tilec.MockTensor("float16"), 2.0, 16)
        self.assertIn(".b16", by_type.asm["ptx"])

    def test_warmup_for_dtypes(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("there is no NumPy")
        for dtype in (numpy.dtype("float16"), numpy.float16):
            self.assertIn(".b16", scale.warmup(dtype, 2.0, 16, grid=(1,)).asm["ptx"])

    def test_it_launches_too(self):
        x = floats([1] * 32)
        handle = scale.warmup(x, 2.0, 32, BLOCK=32, num_warps=1, grid=(1,))
        handle._init_handles()
        again = handle[(1, 1, 1)](x, 2.0, 32, 32)
        self.assertEqual(list(x), [2] * 32)
        self.assertEqual(again.metadata.num_warps, 1)

    def test_parameters_with_options_names(self):
        x = floats([1])
        handle = staged.warmup(x, num_warps=2, num_stages=4, grid=(1,))
        for again in (handle[(1, 1, 1)](x, 2, 4), handle[(1, 1, 1)](x, num_warps=2, num_stages=4)):
            self.assertEqual((again.metadata.num_warps, again.metadata.num_stages), (2, 4))
        self.assertEqual(x[0], 64)

    def test_signatures(self):
        from tilec._compiled import signature_of

        params = [("x", 0, 0, 0), ("p", 1, 13, 0), ("n", 0, 0, 0), ("m", 2, 4, 0), ("f", 0, 0, 0), ("g", 0, 0, 0), ("b", 0, 0, 0)]
        args = [("pointer", 11, 24), ("pointer", 13, 32), ("int", 48), ("int", 1), ("float", 2.0), ("none",), ("bool", 1)]
        self.assertEqual(signature_of(params, args), "x=*fp16,p=*fp32:16,n=i32:16,m=i64:1,f=fp32,g=None,b=i1")
        without = {"p": (":1", ":16"), "n": (":16",), "m": (":16",)}
        self.assertEqual(signature_of(params, args, without), "x=*fp16,p=*fp32,n=i32,m=i64:1,f=fp32,g=None,b=i1")

    def test_asm_says_what_it_has(self):
        asm = scale[1](floats([1] * 16), 2.0, 16).asm
        self.assertEqual(repr(asm), "<tilec.Asm of 'ptx', 'cubin', 'llir', 'ttir', 'ttgir', 'tir', 'llvm'>")
        text = asm["ptx"]
        self.assertIn(f"; made: 'ptx': {len(text)} characters>", repr(asm))


def _shifted(x, out, n):
    i = tl.arange(0, 128)
    tl.store(out + i, tl.load(x + n + i))


class ParametersNotSpecialised(unittest.TestCase):
    def codes(self, **options):
        """How many PTX texts there are for four values of n; then also for two addresses."""
        kernel = tilec.jit(**options)(_shifted)
        x, out, texts = ints(range(256)), ints([0] * 128), set()
        for n in (1, 2, 16, 48):
            texts.add(kernel[1](x, out, n, num_warps=1).asm["ptx"])
            self.assertEqual(list(out), list(range(n, n + 128)))
        of_n = len(texts)
        texts.add(kernel[1](memoryview(x)[1:], out, 16, num_warps=1).asm["ptx"])
        self.assertEqual(out[0], 17)
        return of_n, len(texts)

    def test_counts(self):
        self.assertEqual(self.codes(), (3, 4))
        self.assertEqual(self.codes(do_not_specialize=["n"]), (1, 2))
        self.assertEqual(self.codes(do_not_specialize=[2, "x", "out"]), (1, 1))
        self.assertEqual(self.codes(do_not_specialize_on_alignment=["n"]), (2, 3))
        self.assertEqual(self.codes(do_not_specialize_on_alignment=["x", "n"]), (2, 2))


class Kernels(unittest.TestCase):
    def test_what_tools_ask(self):
        self.assertEqual(add.arg_names, ["x", "y", "out", "n", "BLOCK"])
        self.assertEqual(add.constexprs, [4])
        self.assertTrue(add.src.startswith("def add(x, y, out, n, BLOCK"))
        self.assertEqual(add.__name__, "add")
        self.assertIn("kernels:add", repr(add))

    def test_copies_and_pickles(self):
        self.assertIs(copy.deepcopy([add])[0], add)
        self.assertIs(pickle.loads(pickle.dumps(add)), add)

    def test_frozen_constexprs(self):
        from tilec._jit import freeze

        class Color(enum.Enum):
            RED = 1

        same = [1, True, 1.0, "1", None, (1,), (True,), [1], tl.float32, Color.RED, 0.0, -0.0]
        keys = [freeze(value)[0] for value in same]
        self.assertEqual(len(set(keys)), len(keys))
        for value in same:
            self.assertEqual(freeze(value)[0], freeze(value)[0])
        self.assertFalse(freeze([1])[1])


if __name__ == "__main__":
    unittest.main()
