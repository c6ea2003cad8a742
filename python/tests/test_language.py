# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.language in Python: its names, constexprs and types."""

import inspect
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
import tilec
import tilec.language as tl


def faults_of_docstring(made):
    """What a public object lacks: a text of its own, in words, with the name of each parameter."""
    text = (vars(made).get("__doc__") if isinstance(made, type) else getattr(made, "__doc__", None)) or ""
    if len(text.split()) < 3:
        return ["text"]
    try:
        found = [] if isinstance(made, type) else inspect.signature(made).parameters
    except (TypeError, ValueError):  # no function
        found = []
    generic = {"self", "cls", "args", "kwargs"}
    table = getattr(made, "__module__", "").endswith("libdevice")  # one line for each function
    return [name for name in found if name not in generic and not table and not re.search(rf"\b{name}\b", text)]


class Language(unittest.TestCase):
    def test_functions_are_those_of_the_compiler(self):
        script = ROOT / "scripts" / "python-language"
        if script.exists():
            subprocess.run([sys.executable, str(script), "--check"], check=True)

    def test_every_name_of_triton(self):
        table = ROOT / "frontend" / "module" / "triton_names.def"
        if not table.exists():
            self.skipTest("not in the source tree")
        found = 0
        for line in table.read_text().splitlines():
            if line.startswith("TRITON_MEMBER("):
                module, name = line.split('"')[1], line.split('"')[3]
                if not module.startswith("triton.language") or name in NOT_OF_THE_LANGUAGE:
                    continue
                at = tl
                for part in module.split(".")[2:]:
                    at = getattr(at, part)
                self.assertTrue(hasattr(at, name), f"{module}.{name}")
                found += 1
        self.assertGreater(found, 250)

    def test_every_name_has_a_docstring(self):
        checked, faults = 0, {}
        for module in (tilec, tl, tl.extra.libdevice, tl.math):
            for name in getattr(module, "__all__", [name for name in dir(module) if not name.startswith("_")]):
                made = getattr(module, name)
                members = vars(made).items() if isinstance(made, type) and made is not tuple else ()
                for each, value in [("", made), *members]:
                    if not each.startswith("_") and (callable(value) or not each):
                        faults[f"{module.__name__}.{name} {each}"] = faults_of_docstring(value)
                        checked += 1
        self.assertEqual({name: found for name, found in faults.items() if found}, {})
        self.assertGreater(checked, 600)

    def test_poor_docstrings_are_found(self):
        def none(size):
            pass

        def blank(size):
            "  "

        def unnamed(size):
            "Returns something of interest."

        class Inherits(tl.constexpr):
            pass

        def good(size):
            "Returns as many as `size` says."

        self.assertEqual([bool(faults_of_docstring(made)) for made in (none, blank, unnamed, Inherits, good)], [True, True, True, True, False])

    def test_docstrings_say_what_the_reference_says(self):
        for text in ("Reads one element for each pointer", "Args:", "mask: elements that are read", "Errors:", "Example::", "tl.load(x + offsets"):
            self.assertIn(text, tl.load.__doc__)
        self.assertIn("`bitonic_merge` sorts a bitonic", tl.tensor.sort.__doc__)
        self.assertEqual(tl.math.exp.__doc__, tl.exp.__doc__)
        self.assertEqual(list(inspect.signature(tl.tensor.sum).parameters), ["self", "axis", "keep_dims", "dtype"])
        self.assertIs(inspect.signature(tl.load).parameters["volatile"].default, False)
        self.assertEqual(inspect.signature(tl.dot).parameters["out_dtype"].default, tl.float32)

    def test_exported_names(self):
        for module in (tilec, tl):
            public = {name for name in vars(module) if not name.startswith("_")} - {"annotations", "builtins", "triton", "tools"}
            self.assertEqual(public - set(module.__all__), set(), module.__name__)
            self.assertEqual(len(set(module.__all__)), len(module.__all__))

    def test_outside_of_kernels(self):
        for function in (tl.load, tl.sum, tl.math.exp, tl.extra.libdevice.tanh, tl.range, tl.static_range, tl.float32):
            with self.assertRaisesRegex(RuntimeError, "belongs to kernels: call it in a function that @tilec.jit decorates"):
                function(1)
        self.assertEqual(list(inspect.signature(tl.store).parameters)[:3], ["pointer", "value", "mask"])

    def test_constexprs(self):
        four = tl.constexpr(4)
        self.assertEqual((four + 1, 1 + four, four // 3, 9 % four, -four, four << 1), (5, 5, 1, 1, -4, 8))
        self.assertIsInstance(four + 1, tl.constexpr)
        self.assertIs(tl.constexpr(tl.constexpr(None)).value, None)
        self.assertTrue(four > 3 and not four == 5)
        self.assertEqual([1, 2, 3, 4, 5][four], 5)
        self.assertEqual({4: "a"}[four], "a")
        self.assertEqual(repr(four), "constexpr[4]")

    def test_types(self):
        self.assertEqual((str(tl.float32), tl.float32.primitive_bitwidth, tl.bfloat16.itemsize), ("fp32", 32, 2))
        self.assertTrue(tl.int32.is_int_signed() and tl.uint8.is_int_unsigned() and tl.float8e5.is_fp8())
        self.assertEqual(tl.dtype("int64"), tl.int64)
        self.assertNotEqual(tl.pointer_type(tl.int64), tl.int64)
        self.assertEqual(tl.pointer_type(tl.float16), tl.str_to_ty("*fp16"))
        self.assertEqual({tl.float16: 1}[tl.dtype("fp16")], 1)
        with self.assertRaises(ValueError):
            tl.dtype("fp31")


# Parts of Triton's implementation that no kernel calls.
NOT_OF_THE_LANGUAGE = {"core", "semantic", "target_info", "bitonic_merge", "pair_uniform_to_normal", "philox_impl", "List", "T", "wraps"}

if __name__ == "__main__":
    unittest.main()
