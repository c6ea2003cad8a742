# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Live functions as sources: what they mean is looked up in the tile IR that libtilec makes of them."""

import enum
import math
import os
import pathlib
import re
import sys
import unittest
from collections import namedtuple
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import libtilec
import other_module
import other_module as om
from other_module import relu as positive

import tilec.language as tl
from tilec import jit
from tilec._capture import CaptureError, capture
from tilec.language import exp as e_to_the
from tilec.language.extra import libdevice

FACTOR = tl.constexpr(4)
PLAIN = 7.25
PAIR = (3, 5.5)
THING = object()


class Config:
    LIMIT = 9.5
    PARTS = (1, 6.5)

    def __init__(self, width):
        self.width = width

    @staticmethod
    @jit
    def kernel(x):
        tl.store(x, tl.load(x) + Config.LIMIT)


Point = namedtuple("Point", "x y")
POINT = Point(11.5, 12)


class Triple(NamedTuple):
    x: float
    y: float
    z: float = 4.5


TRIPLE = tl.constexpr(Triple(1.5, 2.5))


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


class Whole(enum.IntEnum):
    TWO = 2


class Word(str, enum.Enum):
    LEFT = "left"


def line_of(text):
    lines = pathlib.Path(__file__).read_text().split("\n")
    return next(i for i, line in enumerate(lines, 1) if text in line)


@unittest.skipUnless(libtilec.find(), "no libtilec")
class Captured(unittest.TestCase):
    def tir(self, kernel, signature="x=*fp32", **constexprs):
        return libtilec.compile(capture(kernel, constexprs), signature)

    def constants(self, kernel, signature="x=*fp32", **constexprs):
        """The float constants of its tile IR."""
        found = re.findall(r"fvalue = ([-\w.+]+)", self.tir(kernel, signature, **constexprs))
        return sorted(float(text) for text in found)

    def test_closures_and_globals(self):
        inner = 1.5

        @jit
        def kernel(x):
            tl.store(x, tl.load(x) * inner + FACTOR + PLAIN)

        self.assertEqual(self.constants(kernel), [1.5, 4, 7.25])

    def test_dotted_references(self):
        config = Config(10.5)
        names = {"deep": {"er": 13.5}}

        @jit
        def kernel(x):
            v = tl.load(x) + other_module.SCALE + om.TABLE["tile"] + Config.LIMIT + Config.PARTS[1]
            tl.store(x, v + config.width + names["deep"]["er"] + math.pi + POINT.x + PAIR[1] + sys.float_info.max)

        want = [2.5, 32, 9.5, 6.5, 10.5, 13.5, math.pi, 11.5, 5.5, math.inf]
        found = self.constants(kernel)
        self.assertEqual(len(found), len(want))
        for a, b in zip(found, sorted(want)):
            self.assertTrue(a == b or math.isclose(a, b, rel_tol=1e-6) or b == math.inf, (found, sorted(want)))

    def test_constexprs_of_every_kind(self):
        @jit
        def kernel(x, c: tl.constexpr, y: tl.constexpr, T: tl.constexpr, S: tl.constexpr, N: tl.constexpr, F: tl.constexpr):
            v = F(tl.load(x).to(T), c)
            if S == "a\"b\n":
                v += y[0]
            if N is None:
                v += y[1][1]
            tl.store(x, v)

        @jit
        def add(v, c):
            return v + c

        text = self.tir(kernel, c=math.inf, y=(1.5, (2, 3.5)), T=tl.float64, S='a"b\n', N=None, F=add)
        self.assertEqual(sorted(re.findall(r"fvalue = ([-\w.]+)", text)), ["1.5", "3.5", "inf"])
        self.assertIn("fp64", text)
        self.assertIn("nan", self.tir(kernel, c=math.nan, y=(1, (2, 3)), T=tl.float32, S="", N=None, F=add))
        self.assertIn("-inf", self.tir(kernel, c=-math.inf, y=(1, (2, 3)), T=tl.float32, S="", N=0, F=add))
        self.assertIn("fvalue = 2", self.tir(kernel, c=True, y=(2, 0), T=tl.float32, S='a"b\n', N=Whole.TWO, F=om.scaled))

    def test_objects_are_compared(self):
        @jit
        def kernel(x, mode: tl.constexpr, thing: tl.constexpr):
            if mode == Mode.FAST:
                tl.store(x, 1.5)
            else:
                tl.store(x, 2.5)
            if thing == THING:
                tl.store(x + 1, 3.5)

        self.assertEqual(self.constants(kernel, mode=Mode.FAST, thing=THING), [1.5, 3.5])
        self.assertEqual(self.constants(kernel, mode=Mode.SLOW, thing=object()), [2.5])

        @jit
        def words(x, word: tl.constexpr):
            tl.store(x, 1.5 if word == "left" else 2.5)

        self.assertEqual(self.constants(words, word=Word.LEFT), [1.5])

    def test_what_a_constexpr_object_has(self):
        @jit
        def kernel(x, config: tl.constexpr, ways: tl.constexpr):
            tl.store(x, tl.load(x) + config.width + ways["a"])

        self.assertEqual(self.constants(kernel, config=Config(8.5), ways={"a": 9.5}), [8.5, 9.5])

    def test_functions_of_other_modules(self):
        @jit
        def kernel(x):
            v = positive(om.scaled(tl.load(x))) + other_module.scaled(tl.load(x), width=2)
            tl.store(x, e_to_the(libdevice.tanh(v)))

        text = self.tir(kernel)
        self.assertIn('"exp_approx"', text)
        self.assertIn('"tanh"', text)
        self.assertEqual(self.constants(kernel), [0, 2, 3])

    def test_functions_in_tuples_and_defaults(self):
        functions = (om.relu, om.scaled)

        @jit
        def helper(v, f: tl.constexpr = om.scaled):
            return f(v)

        @jit
        def kernel(x):
            tl.store(x, functions[0](helper(tl.load(x))))

        self.assertEqual(self.constants(kernel), [0, 3])

    def test_functions_of_the_language_as_constexprs(self):
        @jit
        def kernel(x, clock: tl.constexpr, pick: tl.constexpr, ops: tl.constexpr):
            start = clock()
            tl.store(x, pick(tl.load(x), 2.5) + (clock() - start))
            tl.store(x + 1, ops[1](tl.load(x + 1)))

        text = self.tir(kernel, clock=tl.extra.cuda.globaltimer, pick=tl.maximum, ops=(om.relu, tl.exp))
        self.assertEqual(text.count("globaltimer"), 2)
        self.assertEqual(re.findall(r"fvalue = ([-\w.+]+)", text), ["2.5"])
        self.assertIn('"exp_approx"', text)

    def test_constexpr_functions_are_python(self):
        @jit
        def kernel(x, n: tl.constexpr):
            i = tl.arange(0, other_module.half(n))
            tl.store(x + i, 1.0)

        self.assertIn("end = 32", self.tir(kernel, n=64))

    def test_constexprs_of_functions(self):
        @tl.constexpr
        def wider(dtype):
            return tl.float32 if dtype.is_fp16() else dtype

        @tl.constexpr
        def twice(n):
            return {16: 32}[n]  # which is not an expression of the language

        @jit
        def kernel(x, n: tl.constexpr):
            t: tl.constexpr = wider(x.type.element_ty)
            tl.store(x + tl.arange(0, twice(n)), tl.load(x).to(t).to(tl.float16))

        self.assertIn("end = 32", self.tir(kernel, n=16))

    def test_constexpr_functions_call_plain_functions(self):
        def number(o):
            return o.value if isinstance(o, tl.constexpr) else o

        @tl.constexpr
        def integers(bits, signed):
            return tl.core.get_int_dtype(number(bits), number(signed))

        @jit
        def kernel(x):
            t: tl.constexpr = integers(x.dtype.element_ty.primitive_bitwidth, False)
            tl.store(x, (tl.load(x).to(t, bitcast=True) >> 1).to(tl.float32, bitcast=True))

        self.assertIn(": u32", self.tir(kernel))
        hidden = capture(kernel, {}, globals_of=lambda value: isinstance(value, (tl.constexpr, type(tl))))
        self.assertIn("def number(o)", "".join(text for _, text in hidden.sources))

    def test_class_attributes_and_methods(self):
        self.assertEqual(self.constants(Config.kernel), [9.5])
        self.assertEqual(self.constants(Config(1).kernel), [9.5])

    def test_defaults_are_those_of_the_definition(self):
        scale = 2.5

        @jit
        def helper(v, s=scale, *, t: float = 4.5):
            return v * s + t

        scale = 3.5

        @jit
        def kernel(x: "*fp32", n: int = 5) -> None:
            tl.store(x, helper(tl.load(x)))

        self.assertEqual(self.constants(kernel, "x=*fp32,n=i32"), [2.5, 4.5])

    def test_annotations(self):
        @jit
        def kernel(x: tl.tensor, c: "tl.constexpr", n: tl.int64, m: "i32", f: float):
            tl.store(x, c + n + m)

        text = self.tir(kernel, "x=*i64,n=i64,m=i32,f=fp32", c=3)
        self.assertIn("%n: i64", text)

    def test_memory_that_is_only_read(self):
        @jit
        def from_live(x: tl.const):
            tl.store(x, 1.0)

        @jit
        def from_text(x: "tl.const"):
            tl.store(x, 1.0)

        for kernel in (from_live, from_text):
            with self.assertRaisesRegex(libtilec.CompileError, "cannot write through"):
                self.tir(kernel, "x=*fp32")

    def test_annotations_that_the_text_has_not(self):
        def kernel(x, n, c): tl.store(x, n + c)  # fmt: skip

        kernel.__annotations__ = {"n": tl.float64, "c": tl.constexpr}
        self.assertIn("%n: fp64", self.tir(jit(kernel), "x=*fp32,n=fp64", c=3))

        def spelled(x, n: "tl.int64", c: "int"):
            tl.store(x, n + c)

        self.assertIn("%n: i64", self.tir(jit(spelled), "x=*i64,n=:16,c=i32"))

    def test_named_tuples(self):
        @jit
        def sum_of(p, q):
            return p.x + p.y + q.x + q.y + q.z

        @jit
        def kernel(x):
            p = Point(tl.load(x), 3.5)
            tl.store(x, sum_of(p, TRIPLE) + PAIR[0])

        self.assertEqual(self.constants(kernel), [1.5, 2.5, 3, 3.5, 4.5])

    def test_named_tuples_as_constexprs(self):
        @jit
        def kernel(x, p: tl.constexpr):
            tl.store(x, tl.load(x) + p.x + p[1])

        self.assertEqual(self.constants(kernel, p=Point(1.5, 2.5)), [1.5, 2.5])

    def test_places_are_the_users(self):
        helper = om.broken

        @jit
        def kernel(x):
            v = other_module.scaled(tl.load(x)) + helper(tl.load(x))  # a place
            tl.store(x, v)

        with self.assertRaises(libtilec.CompileError) as caught:
            self.tir(kernel)
        text, here = str(caught.exception), os.path.abspath(__file__)
        self.assertRegex(text, re.escape(om.__file__) + r":\d+:16: error\[T0201\]: .*'no_such_name'")
        self.assertIn(f"{here}:{line_of('# a place')}:51: note:", text)
        self.assertIn("v = other_module.scaled(tl.load(x)) + helper(tl.load(x))  # a place", text)

    def test_places_in_the_code(self):
        @jit
        def kernel(x):
            tl.store(x, other_module.scaled(1.5))  # the store

        ptx = libtilec.compile(capture(kernel, {}), "x=*fp32", output=0)
        files = dict(re.findall(r'\.file\s+(\d+) "([^"]+)"', ptx))
        places = {(files[f], int(line)) for f, line in re.findall(r"\.loc\s+(\d+) (\d+) ", ptx)}
        self.assertIn((os.path.abspath(__file__), line_of("# the store")), places)

    def test_the_place_of_the_end(self):
        @jit
        def kernel(x, n):
            if n > 2:
                return
            for i in range(n):  # the last statement
                tl.store(x + i, 1.5)

        ends = re.findall(r'\breturn loc\("[^"]*":(\d+):', self.tir(kernel, "x=*fp32,n=i32"))
        self.assertEqual(ends, [str(line_of("# the last statement"))])

    def test_the_key_tells_what_changed(self):
        value = 1.5

        @jit
        def kernel(x):
            tl.store(x, value + other_module.SCALE + om.TABLE["tile"])

        first = capture(kernel, {})
        self.assertIsNone(first.changed())
        self.assertEqual(capture(kernel, {}).key, first.key)
        value = 2.5
        self.assertEqual(first.changed(), "value")
        second = capture(kernel, {})
        self.assertNotEqual(second.key, first.key)
        try:
            om.SCALE = 5.0
            self.assertEqual(second.changed(), "SCALE")
            om.SCALE = 2.5
            self.assertIsNone(second.changed())
            om.TABLE["tile"] = 64
            self.assertEqual(second.changed(), "TABLE")
        finally:
            om.SCALE, om.TABLE["tile"] = 2.5, 32

    def test_names_that_nothing_has_yet(self):
        @jit
        def kernel(x, c: tl.constexpr):
            if c:
                tl.store(x, no_such_module.value)
            tl.store(x, 1.0)

        self.tir(kernel, c=False)
        with self.assertRaisesRegex(libtilec.CompileError, "no_such_module"):
            self.tir(kernel, c=True)

    def test_locals_hide_globals(self):
        @jit
        def kernel(x, FACTOR):
            PLAIN = FACTOR + 1
            tl.store(x, PLAIN)

        self.assertNotIn("7.25", self.tir(kernel, "x=*fp32,FACTOR=fp32"))

    def test_python_functions_are_refused(self):
        @jit
        def kernel(x):
            tl.store(x, line_of(1))

        with self.assertRaisesRegex(libtilec.CompileError, "'line_of' is a plain Python function"):
            self.tir(kernel)

    def test_classes_are_refused(self):
        @jit
        def kernel(x):
            tl.store(x, Config(tl.load(x)).width)

        with self.assertRaisesRegex(libtilec.CompileError, "'Config' is a Python class"):
            self.tir(kernel)

    def test_types_of_numpy_are_casts(self):
        float32 = type("float32", (), {"__module__": "numpy"})

        @jit
        def kernel(x):
            tl.store(x, float32(tl.load(x)))

        with self.assertRaisesRegex(libtilec.CompileError, r"write x\.to\(tl\.float32\)"):
            self.tir(kernel)

    def test_types_are_compared(self):
        @jit
        def kernel(x, T: tl.constexpr):
            if T == Config:
                tl.store(x, 1.5)
            if T is not om.Elsewhere:
                tl.store(x, 2.5)

        self.assertEqual(self.constants(kernel, T=Config), [1.5, 2.5])
        self.assertEqual(self.constants(kernel, T=om.Elsewhere), [])

    def test_expressions_of_several_lines(self):
        @jit
        def kernel(x):
            v = tl.load(x) + max(
                other_module
                .SCALE, 1.5)
            tl.store(x, v + missing)  # after lines

        with self.assertRaisesRegex(libtilec.CompileError, f":{line_of('# after lines')}:29: error"):
            self.tir(kernel)

    def test_text_that_is_no_function(self):
        with self.assertRaises(CaptureError):
            capture(eval("lambda x: x"), {})
        with self.assertRaises(CaptureError):
            capture(jit(lambda x: x), {})

    def test_recursion_is_located(self):
        with self.assertRaises(libtilec.CompileError):
            self.tir(recursive)


@jit
def recursive(x):
    recursive(x)


if __name__ == "__main__":
    unittest.main()
