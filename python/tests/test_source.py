# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are in no file: from exec, `python -c`, standard input and a prompt."""

import linecache
import os
import subprocess
import sys
import tempfile
import unittest

import tilec
import tilec.language as tl
from kernels import floats

TEXT = """
def other(x):
    pass


def kernel(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 7.0)
"""

PROGRAM = """
import array
import tilec
import tilec.language as tl

@tilec.jit
def kernel(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 7.0)

from kernels import floats
x = floats([0, 0])
kernel[1](x, N=2)
print(list(x))
"""


def made(text, **options):
    names = {"tilec": tilec, "tl": tl}
    exec(text, names)
    return tilec.jit(names["kernel"], **options)


def python(*words, given=None):
    here = os.path.dirname(os.path.abspath(__file__))
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([here, *sys.path]))
    return subprocess.run([sys.executable, *words], input=given, capture_output=True, text=True, env=env)


class Sources(unittest.TestCase):
    def test_given(self):
        kernel, x = made(TEXT, source=TEXT), floats([0, 0])
        kernel[1](x, N=2)
        self.assertEqual(list(x), [7.0, 7.0])
        self.assertTrue(kernel.src.startswith("def kernel(x"))

    def test_only_the_function(self):
        x = floats([0, 0])
        made(TEXT, source=TEXT[TEXT.index("def kernel") :])[1](x, N=2)
        self.assertEqual(list(x), [7.0, 7.0])

    def test_indented(self):
        indented = "\n".join("    " + line for line in TEXT.split("\n"))
        x = floats([0, 0])
        made(TEXT, source=indented)[1](x, N=2)
        self.assertEqual(list(x), [7.0, 7.0])

    def test_the_one_at_the_line(self):
        text = TEXT.replace("def other(x)", "def kernel(x)")
        x = floats([0, 0])
        made(text, source=text)[1](x, N=2)
        self.assertEqual(list(x), [7.0, 7.0])

    def test_an_error_of_a_text_is_at_the_line_of_its_file(self):
        text = "def kernel(x, N: tl.constexpr):\n    tl.store(x, nothing)\n"
        whole = f'def kernel(x, N): ...\n\nTEXT = """{text}"""\n'
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "made.py")
            with open(path, "w") as file:
                file.write(whole)
            names = {}
            exec(compile(whole, path, "exec"), names)
            with self.assertRaises(tilec.CompilationError) as caught:
                tilec.jit(names["kernel"], source=names["TEXT"])[1](floats([0, 0]), N=2)
        self.assertEqual(caught.exception.diagnostics[0].line, 4)

    def test_an_error_is_at_its_line(self):
        text = TEXT.replace("7.0", "nothing")
        for source, line in ((text, 7), (text[text.index("def kernel") :], 2)):
            with self.subTest(line=line), self.assertRaises(tilec.CompilationError) as caught:
                made(text, source=source)[1](floats([0, 0]), N=2)
            self.assertEqual(caught.exception.diagnostics[0].line, line)
            self.assertIn("tl.store(x + tl.arange(0, N), nothing)", str(caught.exception))

    def test_wrong(self):
        for text in ("def other(x): pass", "x = 1", "def kernel(", ""):
            with self.subTest(text=text), self.assertRaisesRegex(ValueError, "source= has no function 'kernel'"):
                made(TEXT, source=text)
        with self.assertRaisesRegex(TypeError, "source= is a string, not int"):
            made(TEXT, source=3)

    def test_linecache(self):
        name = "<cell 1>"
        linecache.cache[name] = (len(TEXT), None, TEXT.splitlines(True), name)
        self.addCleanup(linecache.cache.pop, name)
        names = {"tl": tl}
        exec(compile(TEXT, name, "exec"), names)
        x = floats([0, 0])
        tilec.jit(names["kernel"])[1](x, N=2)
        self.assertEqual(list(x), [7.0, 7.0])

    def test_other_text_of_the_name(self):
        linecache.cache["<string>"] = (len(TEXT), None, TEXT.replace("kernel", "another").splitlines(True), "<string>")
        self.addCleanup(linecache.cache.pop, "<string>")
        with self.assertRaisesRegex(tilec.CompilationError, "cannot be read"):
            made(TEXT)[1](floats([0, 0]), N=2)

    def test_command(self):
        ran = python("-c", PROGRAM)
        self.assertEqual((ran.stdout, ran.stderr), ("[7.0, 7.0]\n", ""))
        ran = python("-Bc", "text = '''" + TEXT + "'''\n" + "import tilec, tilec.language as tl\nexec(text)\ntilec.jit(kernel)[1](None, N=2)")
        self.assertIn("cannot be read: Python keeps no source code of <string>", ran.stderr)

    def test_standard_input(self):
        ran = python("-", given=PROGRAM)
        if not ran.stdout:
            self.assertIn("Put the kernel in a file, or give its text: @tilec.jit(source=TEXT)", ran.stderr)
        else:
            self.assertEqual(ran.stdout, "[7.0, 7.0]\n")


if __name__ == "__main__":
    unittest.main()
