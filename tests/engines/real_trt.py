# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For launch_trt.py: what an engine's build asks of plugins, by TensorRT's own Python classes. Only what its closed libraries make is
here: dimensions with their builder, and the registry."""

import collections
import types

import tensorrt as trt
from tensorrt.plugin import _tensor


class Dimension(trt.IDimensionExpr):  # by __new__ alone, as only the library constructs one
    value = 0


def dimension(value):
    made = Dimension.__new__(Dimension)
    made.value = int(value)
    return made


def number(expression):
    return expression if isinstance(expression, int) else expression._expr.value


OPERATIONS = {"SUM": int.__add__, "SUB": int.__sub__, "PROD": int.__mul__, "FLOOR_DIV": int.__floordiv__, "MAX": max, "MIN": min, "CEIL_DIV": lambda a, b: -(-a // b)}
builder = types.SimpleNamespace(constant=dimension, operation=lambda op, a, b: dimension(OPERATIONS[op.name](a.value, b.value)))
creators = {}
registry = types.SimpleNamespace(register_creator=lambda creator, space: creators.update({creator.name: creator}), get_creator=lambda name, *_: creators[name])
trt.get_plugin_registry = lambda: registry
_tensor.SymExprImpl = number  # takes no dimension but the library's
_tensor.SymIntExpr._exprBuilder = builder


def built(name, count):
    """The plugin of one input and output of `count` floats: kernel, PTX, launch parameters, extra arguments."""
    plugin = creators[name].create_plugin(name, "tilec_examples", trt.PluginFieldCollection([]), trt.TensorRTPhase.BUILD, trt.QuickPluginCreationRequest.STRICT_AOT)
    plugin.get_output_data_types([trt.float32], [1])
    plugin.get_output_shapes([[dimension(count)]], [], builder)
    tensor = trt.DynamicPluginTensorDesc()
    tensor.desc.type, tensor.desc.format = trt.float32, trt.TensorFormat.LINEAR
    plugin.set_tactic(0)
    params, extra = types.SimpleNamespace(), collections.UserDict()  # gets nbSymExprs too
    plugin.get_launch_params([], [tensor, tensor], 1, params, extra, builder)
    _tensor.SymIntExpr._exprBuilder = builder
    kernel, ptx = plugin.get_kernel([tensor.desc], [tensor.desc])
    return kernel, ptx.decode(), params, [extra[i] for i in range(extra.nbSymExprs)]
