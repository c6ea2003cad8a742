# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of measured operations. Reading the list needs neither torch nor the libraries; making an operation's inputs
does.

A module of `cases` names its library and lists operations:

    @operation(LIBRARY, "flip", "index", "flip(x, [1]), (8192,8192)")
    def _(t):
        x = t.randn(8192, 8192)
        return Case(lambda: flag_gems.flip(x, [1]), lambda: t.up(x).flip(1))

The function imports the library and makes inputs (bf16 unless said); `run` is the library's call, which may be repeated, and `reference` is torch's
own in float64, computed before the first `run`.
"""

import dataclasses
import importlib
import pathlib
import typing

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ("pointwise", "reduction", "norm", "index", "convolution", "product", "attention", "scatter", "loss",
         "packed", "dequantise", "quantise", "scaled", "routing")
REGISTRY = {}


@dataclasses.dataclass(frozen=True)
class Operation:
    library: str
    name: str
    kind: str
    call: str
    make: typing.Callable
    fact: str = ""  # the row of the first table of measurements that it repeats

    @property
    def id(self):
        return f"{self.library}/{self.name}"


@dataclasses.dataclass
class Case:
    """`run` returns a tensor or several, `reference` the same number; `pick` takes from the results what is
    compared."""

    run: typing.Callable
    reference: typing.Callable
    pick: typing.Callable = None


def operation(library, name, kind, call, fact=""):
    def keep(make):
        made = Operation(library, name, kind, call, make, fact)
        if made.id in REGISTRY or kind not in KINDS:
            raise ValueError(f"{made.id}, {kind}: a name of two, or no kind")
        REGISTRY[made.id] = made
        return make

    return keep


def load():
    """All operations, in the order of the files: id -> Operation."""
    for path in sorted((HERE / "cases").glob("*.py")):
        importlib.import_module(f"cases.{path.stem}")
    return REGISTRY


class Tools:
    """Makes a case's inputs. On the simulator (`tiny`) every dimension of 512 and more is divided by 32. If nothing is
    computed (`blank`),
    they are zeros."""

    def __init__(self, torch, device, tiny=False, blank=False):
        self.torch, self.device, self.tiny, self.blank = torch, device, tiny, blank

    def d(self, n):
        return n // 32 if self.tiny and n >= 512 else n

    def shape(self, dims):
        return [self.d(n) for n in dims]

    def dtype(self, name):
        return getattr(self.torch, {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64"}.get(name, name))

    def randn(self, *dims, dtype="bf16", scale=1.0):
        if self.blank:
            return self.zeros(*dims, dtype=dtype)
        return (self.torch.randn(self.shape(dims), device=self.device, dtype=self.torch.float32) * scale).to(self.dtype(dtype))

    def rand(self, *dims, dtype="bf16", low=0.0, high=1.0):
        if self.blank:
            return self.zeros(*dims, dtype=dtype)
        made = self.torch.rand(self.shape(dims), device=self.device, dtype=self.torch.float32)
        return (made * (high - low) + low).to(self.dtype(dtype))

    def randint(self, high, *dims, dtype="int64"):
        """Below `high`, which is scaled as a dimension."""
        if self.blank:
            return self.zeros(*dims, dtype=dtype)
        return self.torch.randint(0, self.d(high), self.shape(dims), device=self.device, dtype=self.dtype(dtype))

    def randperm(self, n):
        return self.torch.randperm(self.d(n), device=self.device)

    def empty(self, *dims, dtype="bf16"):
        return self.torch.empty(self.shape(dims), device=self.device, dtype=self.dtype(dtype))

    def zeros(self, *dims, dtype="bf16"):
        return self.torch.zeros(self.shape(dims), device=self.device, dtype=self.dtype(dtype))

    def up(self, x):
        """A copy in float64."""
        return x.detach().to(self.torch.float64)

    def training(self, function, reference, *inputs, wanted=None):
        """A case of forward and backward: the result and the gradients of `inputs` (or of those whose numbers `wanted` has) for a random
        gradient of the result. `reference` gets copies in float64."""
        torch = self.torch
        wanted = range(len(inputs)) if wanted is None else wanted
        gradient = []

        def both(of, arguments):
            for i in wanted:
                arguments[i].requires_grad_()
            out = of(*arguments)
            if not gradient:  # of a loss: 1. Below 1, as some libraries write gradients over their inputs: then repeated calls go to 0
                random = torch.rand_like(out, dtype=torch.float32) * 2 - 1 if out.dim() else torch.ones_like(out)
                gradient.append(random.to(inputs[0].dtype))
            return (out, *torch.autograd.grad(out, [arguments[i] for i in wanted], gradient[0].to(out.dtype)))

        def compared():
            out = both(reference, [self.up(x) if x.is_floating_point() else x for x in inputs])
            return tuple(x.detach() for x in out)

        return Case(lambda: both(function, list(inputs)), compared)
