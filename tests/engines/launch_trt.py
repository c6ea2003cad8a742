# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""launch_trt.py FOLDER: what TensorRT would launch of the functions of FOLDER's modules, as arguments of tilec check, one line
a launch. By its own classes (real_trt.py), or where it is missing by this file's tensorrt.plugin, with numbers in place of shape
expressions. As there, an expression has no operators with a number on the left, and cdiv, min and max take no two numbers."""

import importlib.util
import pathlib
import sys
import types


class SymInt32:
    def __init__(self, value):
        self.value = getattr(value, "value", value)


def made(compute, symbolic=False):
    def function(first, second):
        assert isinstance(first, SymInt32) or (symbolic and isinstance(second, SymInt32))
        return SymInt32(compute(SymInt32(first).value, SymInt32(second).value))

    return function


if importlib.util.find_spec("tensorrt"):
    from real_trt import built, number
else:
    for name, compute in ("add", int.__add__), ("sub", int.__sub__), ("mul", int.__mul__), ("floordiv", int.__floordiv__):
        setattr(SymInt32, f"__{name}__", made(compute))
    decorator = lambda name: lambda function: function
    plugin = types.SimpleNamespace(
        SymInt32=SymInt32, SymExprs=list, SymIntExprs=types.SimpleNamespace(from_tuple=list), TensorDesc=object, register=decorator,
        aot_impl=decorator, KernelLaunchParams=types.SimpleNamespace, cdiv=made(lambda a, b: -(-a // b), True), min=made(min, True), max=made(max, True),
    )  # fmt: skip
    sys.modules.update({"tensorrt": types.SimpleNamespace(plugin=plugin), "tensorrt.plugin": plugin})

    def number(expression):
        return SymInt32(expression).value

    def built(name, count):
        shape = types.SimpleNamespace(numel=lambda: SymInt32(count))
        return tensorrt_gelu.gelu_ahead(types.SimpleNamespace(shape_expr=shape), (), 0)


folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder))
import sizes_trt
import tensorrt_gelu


def launch(result, inputs, outputs):
    name, ptx, params, extra = result
    (folder / f"{name}.ptx").write_text(ptx)
    assert number(params.shared_mem) == 0
    grid = ",".join(str(number(size)) for size in (params.grid_x, params.grid_y, params.grid_z))
    print(f"{folder}/{name}.ptx --kernel {name} --threads {number(params.block_x)} --grid {grid}", *inputs, *map(number, extra), *outputs)


launch(built("gelu", 5000), ["randn:fp32[5000]"], ["empty:fp32[5000]"])
for n, rows in ((70, 3), (5, 90)):
    launch(sizes_trt.sizes(n, rows), [], ["zeros:i32[1024]"])
