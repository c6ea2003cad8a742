# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec's own `triton` module: programs of Triton's where Triton is not installed."""

import importlib.util
import tempfile
import unittest

import own_triton

KERNELS = """
import array
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice

STEP = tl.constexpr(2)
PLAIN = 3

@triton.jit
def add(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + STEP, mask=i < n)

@triton.jit
def reads_a_global(x):
    tl.store(x, PLAIN)

@triton.jit
def functions(x):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    v = libdevice.rsqrt(cuda_libdevice.pow(v, 2.0)) + tl.extra.libdevice.floor(v) + tl.math.abs(v)
    tl.store(x + i, v)

"""


class OwnTriton(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_program(self, text, *words, **given):
        return own_triton.run(self.folder, *(words or ("-m", "tilec", "program.py")), text=KERNELS + text, **given)

    def check(self, text, *words, **given):
        result = self.run_program(text, *words, **given)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def refused(self, text, pattern, status=1):
        result = own_triton.run(self.folder, "-m", "tilec", "program.py", text=text)
        self.assertEqual((result.returncode, result.stdout), (status, ""))
        self.assertRegex(result.stderr, rf"\A{pattern}: Triton is not installed, and tilec's own `triton` module does not provide it: pip install triton\n\Z")

    def test_launches(self):
        says = self.check("""
x = array.array("f", range(10))
add[lambda meta: (triton.cdiv(10, meta["BLOCK"]),)](x, 10, BLOCK=4)
print(list(x) == [i + 2 for i in range(10)])
add.run(x, 10, BLOCK=4, grid=(3, 1, 1), warmup=False)
made = add.warmup(x, 10, BLOCK=8, grid=(1,))
print(x[9], "add" in made.asm["ptx"], triton.next_power_of_2(5))
x = array.array("f", [1, 2, 4, 8])
functions[(1,)](x)
print(list(x))
""")
        self.assertEqual(says, "True\n13.0 True 8\n[3.0, 4.5, 8.25, 16.125]\n")

    def test_check(self):
        result = self.run_program("x = array.array('f', range(10))\nadd[(3,)](x, 10, BLOCK=4)", "-m", "tilec", "check", "program.py")
        self.assertEqual((result.returncode, result.stderr), (0, "tilec: 1 launch of 1 kernel checked, nothing wrong was found\n"))
        result = self.run_program("x = array.array('f', range(10))\nadd[(3,)](x, 12, BLOCK=4)", "-m", "tilec", "check", "program.py")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"program\.py:14:\d+: error\[T\d+\]: load out of bounds: x\[10\] of 10")

    def test_autotuners(self):
        says = self.check("""
tuned = triton.autotune([triton.Config({"BLOCK": 4}, num_warps=2), triton.Config({"BLOCK": 8})], key=["n"])(add)
even = triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})(add)
x = array.array("f", range(10))
tuned[lambda meta: (triton.cdiv(10, meta["BLOCK"]),)](x, 10)
even[(1,)](x, 10)
print(x[9], tuned.best_config.num_warps, isinstance(tuned, triton.runtime.Autotuner), isinstance(add, triton.JITFunction))
""")
        self.assertEqual(says, "13.0 2 True True\n")

    def test_a_global_is_a_constexpr(self):
        """As in Triton: others are not seen."""
        result = self.run_program("reads_a_global[(1,)](array.array('f', [0]))")
        self.assertEqual(result.returncode, 1)
        self.assertIn("error[T0201]: 'PLAIN' is a global that is not a constexpr: write `PLAIN = tl.constexpr(3)`, or set TRITON_ALLOW_NON_CONSTEXPR_GLOBALS=1", result.stderr)
        says = self.check("triton.knobs.compilation.allow_non_constexpr_globals = True\nx = array.array('f', [0])\nreads_a_global[(1,)](x)\nprint(x[0])")
        self.assertEqual(says, "3.0\n")

    def test_errors_are_tritons(self):
        says = self.check("""
@triton.jit
def fails(N: tl.constexpr):
    tl.static_assert(N > 4, "too small")
@triton.jit
def large(x, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + i)
    tl.store(x + i[:, None] * N + i, tl.dot(a, a))
for kernel, args in ((fails, (1,)), (large, (array.array("f", [0] * 512 * 512), 512)), (fails, ("a",))):
    try:
        kernel[(1,)](*args)
    except triton.compiler.errors.CompileTimeAssertionFailure as error:
        print("assertion")
    except triton.runtime.errors.OutOfResources as error:
        print(error.required > error.limit == 232448, error.name)
    except triton.TritonError as error:
        print(type(error) is triton.CompilationError, "error[T" in error.error_message)
""")
        self.assertEqual(says, "assertion\nTrue shared memory\nTrue True\n")

    def test_compile_without_a_launch(self):
        says = self.check("""
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
source = ASTSource(fn=add, signature={"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}, constexprs={"BLOCK": 64})
made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 2})
print(".entry add" in made.asm["ptx"], made.metadata.num_warps, made.metadata.shared)
""")
        self.assertEqual(says, "True 2 0\n")

    def test_what_it_says_of_itself(self):
        says = self.check("""
import re, sys, tilec.triton
print(re.fullmatch(r"\\d+(\\.\\d+)*\\+tilec", triton.__version__) is not None, repr(tl.float16), sys.modules["triton.language"] is tl)
target = triton.runtime.driver.active.get_current_target()
print(target.backend, target.arch, triton.runtime.driver.active.utils.get_device_properties(0)["multiprocessor_count"])
add[(1,)](array.array("f", range(4)), 4, BLOCK=4)
print(str(tilec.triton.report()).replace(__file__, "FILE"))
triton.set_allocator(lambda size, alignment, stream: None)
""")
        self.assertEqual(says, "True triton.language.float16 True\ncuda 90 132\n1 kernel compiled by tilec, 0 left to Triton\n  add (FILE:11): by tilec\n")

    def test_knobs(self):
        says = self.check("""
import os
from triton import knobs
print(knobs.language.fp32_default, knobs.autotuning.print, knobs.runtime.interpret)
made = [add.warmup(array.array("f", [0]), 1, BLOCK=4)._kernel.options["no_fp_contract"]]
with knobs.language.scope():
    knobs.language.fp32_default = "ieee"
    knobs.language.default_fp_fusion = False
    made.append(add.warmup(array.array("f", [0]), 1, BLOCK=8)._kernel.options["no_fp_contract"])
    print(os.environ["TRITON_F32_DEFAULT"])
print("TRITON_F32_DEFAULT" in os.environ, *made)
try:
    knobs.runtime.add_stages_inspection_hook = print
except NotImplementedError as error:
    print(error)
""")
        self.assertEqual(says, "None False False\nieee\nFalse 0 1\ntriton.knobs.runtime.add_stages_inspection_hook is not provided by tilec's own `triton` module: pip install triton\n")

    def test_hooks(self):
        says = self.check("""
@triton.jit(launch_metadata=lambda grid, kernel, args: {"grid": grid, "n": args["n"], "warps": kernel.num_warps})
def told(x, n, B: tl.constexpr = 4):
    tl.store(x + tl.arange(0, B), 1.0, mask=tl.arange(0, B) < n)
runtime = triton.knobs.runtime
enter = lambda metadata: print("enter", metadata.get())
x = array.array("f", [0] * 8)
with runtime.scope():
    runtime.launch_enter_hook.add(enter)
    runtime.launch_exit_hook = lambda metadata: print("exit", metadata.get()["name"])
    told[lambda meta: (meta["n"],)](x, 3, num_warps=2)
    told[(1,)](x, n=2, num_warps=2)
    runtime.launch_enter_hook.remove(enter)
told[(1,)](x, 5, B=8)
print(list(x))
""")
        self.assertEqual(says.splitlines(), [
            "enter {'name': 'told', 'function': None, 'stream': 0, 'grid': (3,), 'n': 3, 'warps': 2}", "exit told",
            "enter {'name': 'told', 'function': None, 'stream': 0, 'grid': (1,), 'n': 2, 'warps': 2}", "exit told",
            "[1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]",
        ])  # fmt: skip

    def test_hooks_of_compiles(self):
        """They are called once for each compile, before and after it. True leaves a compile and its launch out."""
        says = self.check("""
def show(given):
    made = given["compile"]
    return given["fn"].name, made["constants"], made["signature"]["n"], made["num_warps"], given["is_manual_warmup"]
runtime = triton.knobs.runtime
x = array.array("f", [0] * 8)
with runtime.scope():
    runtime.jit_cache_hook = lambda **given: print("ask", *show(given))
    runtime.jit_post_compile_hook = lambda **given: print("done", *show(given))
    add[(1,)](x, 3, BLOCK=4, num_warps=2)
    add[(1,)](x, 3, BLOCK=4, num_warps=2)
    add[(1,)](x, 2**40, BLOCK=4, num_warps=2)
    add.warmup(x, 3, BLOCK=4)
    tuned = triton.autotune([triton.Config({"BLOCK": 2})], key=[])(add)
    tuned[(1,)](x, 3)
    runtime.jit_cache_hook = lambda **given: True
    print(add[(2,)](x, 8, BLOCK=8), add.warmup(x, 8, BLOCK=8), add.run(x, 8, BLOCK=8, grid=(1,), warmup=False), list(x))
print("__getitem__" in vars(type(add)), add[(1,)](x, 8, BLOCK=8) is not None, x[7])
""")
        calls = ["{(2,): 4} i32 2 False", "{(2,): 4} i64 2 False", "{(2,): 4} i32 4 True", "{(2,): 2} i32 4 False"]
        self.assertEqual(says.splitlines(), [f"{when} add {call}" for call in calls for when in ("ask", "done")] + [
            "None None None [8.0, 8.0, 6.0, 2.0, 0.0, 0.0, 0.0, 0.0]", "False True 2.0"])  # fmt: skip

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "needs NumPy")
    def test_hooks_get_numpy_arguments(self):
        """NumPy's arrays have `__index__`, as integers do."""
        says = self.check("""
import numpy as np
def show(**given):
    made = given["compile"]
    print(made["signature"]["x"], made["signature"]["n"])
runtime = triton.knobs.runtime
with runtime.scope():
    runtime.jit_cache_hook = runtime.jit_post_compile_hook = show
    add[(1,)](np.zeros(8, np.float32), np.int32(8), BLOCK=8)
    add[(1,)](np.zeros(8, np.int32), np.int64(2**40), BLOCK=8)
    add[(1,)](np.zeros(1, np.float16)[0:1], 2, BLOCK=1)
""")
        types = ["*fp32 i32", "*i32 i64", "*fp16 i32"]
        self.assertEqual(says.splitlines(), [line for line in types for _ in range(2)])

    def test_preload(self):
        says = self.check("""
@triton.jit
def filled(x, n, pair, T: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, pair[0].to(T) + pair[1], mask=i < n)
runtime, kept = triton.knobs.runtime, []
x = array.array("f", [0] * 8)
with runtime.scope():
    runtime.jit_cache_hook = lambda **given: kept.append(given["compile"]["specialization_data"])
    made = [filled[(1,)](x, 16, (2, 0.5), tl.float32, B=4, num_warps=2)]
    made.append(filled[(1,)](x, 2**40 + 1, (3, 0.5), tl.float32, B=4))
print(len(kept), list(x), made[0].asm["ptx"] != made[1].asm["ptx"])
for data, launched in zip(kept, made):
    again = filled.preload(data)
    print(again.name, again.metadata.num_warps, again.asm["ptx"] == launched.asm["ptx"])
try:
    add.preload(kept[0])
except RuntimeError as error:
    print(error)
""")
        self.assertEqual(says.splitlines(), [
            "2 [3.5, 3.5, 3.5, 3.5, 0.0, 0.0, 0.0, 0.0] True", "filled 2 True", "filled 4 True",
            "Specialization data is for __main__.filled but trying to preload for __main__.add"])  # fmt: skip

    def test_what_is_not_provided_is_one_line(self):
        knobs = "triton.knobs.runtime"
        for text, name in (
            (f"{knobs}.kernel_load_start_hook.add(print)", f"{knobs}.kernel_load_start_hook"), (f"{knobs}.kernel_load_end_hook = print", f"{knobs}.kernel_load_end_hook"),
            (f"{knobs}.add_stages_inspection_hook = print", f"{knobs}.add_stages_inspection_hook"), ("add.device_caches[0]", "'device_caches' of a kernel"),
            ("triton.knobs.cache.manager_class = int", "triton.knobs.cache.manager_class"), ("triton.knobs.compilation.listener = print", "triton.knobs.compilation.listener"),
        ):  # fmt: skip
            with self.subTest(name):
                result = self.run_program(text)
                line = KERNELS.count("\n") + 1
                self.assertEqual((result.returncode, result.stderr.partition("program.py")[2]),
                                 (1, f":{line}: {name} is not provided by tilec's own `triton` module: pip install triton\n"))

    def test_names(self):
        says = self.check("""
def named(s):
    return f"fill_{s.constants['B']}"
@triton.jit(repr=named)
def fill(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)
@triton.jit(repr=lambda s: s.signature["x"])
def by_type(x):
    tl.store(x, 1.0)
x = array.array("f", [0] * 8)
made = fill[(1,)](x, B=4, enable_reflect_ftz=False)
print(made.name, ".entry fill_4(" in made.asm["ptx"], fill[(1,)](x, B=8).name, by_type[(1,)](x).name)
source = triton.compiler.ASTSource(fill, {"x": "*fp32", "B": "constexpr"}, {"B": 4})
print(triton.compile(source, target=triton.backends.compiler.GPUTarget("cuda", 90, 32)).name)
""")
        self.assertEqual(says, "fill_4 True fill_8 by_type\nfill_4\n")

    def test_children(self):
        says = self.check("""
import multiprocessing
def child(queue):
    x = array.array("f", [0] * 4)
    add[(1,)](x, 4, BLOCK=4)
    queue.put(list(x))
if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=child, args=(queue,))
        process.start()
        process.join(60)
        print(method, process.exitcode, queue.get(timeout=1) if process.exitcode == 0 else None)
""")
        self.assertEqual(says, "spawn 0 [2.0, 2.0, 2.0, 2.0]\nforkserver 0 [2.0, 2.0, 2.0, 2.0]\n")

    def test_reports(self):
        result = self.run_program("""
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[4, 8], line_arg="kind", line_vals=["a", "b"], line_names=["A", "B"], plot_name="times", args={"k": 10}))
def bench(n, kind, k):
    return n * k + (kind == "b") * 0.5, 0.0, 1.0
bench.run(print_data=True, save_path="kept")
print(open("kept/times.csv").read())
x = array.array("f", range(4))
print(triton.testing.do_bench(lambda: add[(1,)](x, 4, BLOCK=4), quantiles=[0.5]) > 0, x[0])
""")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "times:\n   n          A          B\n0  4  40.000000  40.500000\n1  8  80.000000  80.500000\nn,A,B\n4,40.0,40.5\n8,80.0,80.5\n\nTrue 2.0\n")
        self.assertIn("TilecWarning: the simulator measures no time", result.stderr)

    def test_what_is_not_provided(self):
        self.refused("import triton.experimental.gluon", r"tilec: program\.py: No module named 'triton\.experimental'")
        self.refused("from triton.runtime.cache import get_cache_manager", r"tilec: program\.py: No module named 'triton\.runtime\.cache'")
        self.refused("from triton import nothing", r"tilec: program\.py: cannot import name 'nothing' from 'triton'")
        says = self.check("""
try:
    import triton.experimental.gluon as gluon
except ImportError:
    gluon = None
try:
    from triton.language import gather_from_nowhere
except ImportError:
    print("none")
print(gluon, hasattr(tl, "nowhere"), hasattr(triton, "nowhere"), getattr(triton.testing, "nowhere", 1))
try:
    triton.nowhere
except AttributeError as error:
    print(error)
""")
        self.assertEqual(says, "none\nNone False False 1\nmodule 'triton' has no attribute 'nowhere': Triton is not installed, and tilec's own `triton` module does not provide it: pip install triton\n")

    def test_it_is_only_where_it_was_asked_for(self):
        for text in ("import triton", "import tilec, triton"):
            result = own_triton.run(self.folder, "program.py", text=text, environment={"TILEC_TRITON": "1"})
            self.assertIn("ModuleNotFoundError: No module named 'triton'", result.stderr)
        says = self.check("x = array.array('f', [0])\nadd[(1,)](x, 1, BLOCK=4)\nprint(x[0])", "-c", "import tilec.triton, runpy; runpy.run_path('program.py')")
        self.assertEqual(says, "2.0\n")

    @unittest.skipUnless(importlib.util.find_spec("triton"), "Triton is not installed")
    def test_an_installed_triton_wins(self):
        says = own_triton.run(self.folder, "-S", "-c", "pass")  # makes the folder
        self.assertEqual(says.returncode, 0)
        (own_triton.pathlib.Path(self.folder) / "hides/sitecustomize.py").write_text("")
        program = "import tilec._own, triton; tilec._own.provide(); print(tilec._own.is_own(triton), tilec._own._finder.installed())"
        result = own_triton.subprocess.run([own_triton.sys.executable, "-c", program], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(result.stdout, "False True\n", result.stderr)

    def test_a_folder_of_that_name_is_not_triton(self):
        (own_triton.pathlib.Path(self.folder) / "triton").mkdir()
        self.assertEqual(self.check("print(triton.__version__.endswith('+tilec'))"), "True\n")

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_pytorch(self):
        says = self.check("""
import torch
from triton.tools.tensor_descriptor import TensorDescriptor
x = torch.arange(4, dtype=torch.int16)
wrapped = triton.reinterpret(x, tl.uint16)
add[(1,)](wrapped, 4, BLOCK=4)
print(x.tolist(), type(wrapped).__name__, triton.runtime.driver.active.get_active_torch_device())
@triton.jit
def twice(x):
    x.store([0, 0], x.load([0, 0]) * 2)
x = torch.ones(4, 16)
twice[(1,)](TensorDescriptor.from_tensor(x, [4, 16]))
triton.testing.assert_close(x, torch.full((4, 16), 2.0))
""")
        self.assertEqual(says, "[2, 3, 4, 5] TensorWrapper cpu\n")


if __name__ == "__main__":
    unittest.main()
