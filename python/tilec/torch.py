# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of PyTorch made of functions that launch kernels, by torch.library.

    import tilec.torch

    @tilec.torch.op("mine::twice")
    def twice(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        double[(tilec.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return out

    @tilec.torch.gradient(twice, "x")
    def twice_backward(grad_out: torch.Tensor) -> torch.Tensor:
        return twice(grad_out.contiguous())
"""

from __future__ import annotations

import functools
import inspect
import weakref
from typing import Any, Callable, Dict, Iterable, Tuple, Union

import torch
from torch.library import custom_op

from . import _native

_made: weakref.WeakKeyDictionary[Any, Tuple[str, inspect.Signature]] = weakref.WeakKeyDictionary()


def op(name: str, *, mutates_args: Union[str, Iterable[str]] = ()) -> Callable[[Callable[..., Any]], Any]:
    """Makes a function that launches kernels an operator of PyTorch: `torch.compile` and `torch.export` take it as one node.

    They call the function on tensors without data too. Its launches do nothing then, so only the shapes, types and strides of
    its results count. So it must not read a tensor's values in Python. This is for kernels of `tilec.jit`: for those of an
    installed Triton use `torch.library.triton_op`.

    Args:
        name: "namespace::name" of the operator; it is torch.ops.namespace.name too.
        mutates_args: names of the parameters that the function writes to. Without them the compiler may drop or reorder the call.

    Returns the decorator. It returns a CustomOpDef of torch.library, which is called as the function is. The function has
    annotations for each parameter and the result, and returns new tensors.

    Errors: ValueError of torch.library, for annotations that it does not take.

    Example::

        import tilec.torch
        import torch

        @tilec.torch.op("mine::sum_of")
        def sum_of(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            out = torch.empty_like(x)
            add[(tilec.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
            return out

        print(sum_of(torch.ones(3), torch.ones(3)).tolist())  # [2.0, 2.0, 2.0]
    """

    def decorate(function: Callable[..., Any]) -> Any:
        made = custom_op(name, function, mutates_args=mutates_args)
        made.register_fake(functools.wraps(function)(lambda *args, **kwargs: _without_launches(function, args, kwargs)))
        _made[made] = (name, inspect.signature(function))
        return made

    return decorate


def gradient(of: Any, *inputs: str) -> Callable[[Callable[..., Any]], Any]:
    """Makes a function the gradient of an operator of `tilec.torch.op`. It becomes an operator too, so it is compiled as well,
    and may have its own gradient.

    Its parameters name what it gets: inputs of the operator by their names, the result as `out`, and the gradient of the
    result as `grad_out`. If the operator returns a tuple, they are `out_0`, `grad_out_0`, `out_1` and so on. Only what is
    named is kept until then.

    Args:
        of: the operator.
        inputs: names of the operator's parameters. The function returns their gradients in this order: a tensor, or a tuple.
            The other inputs have no gradient. A result whose gradient the function does not name has none either.

    Returns the decorator.

    Errors: ValueError if the operator has no such inputs or results.

    Example::

        import torch

        @tilec.torch.gradient(sum_of, "x", "y")
        def sum_of_backward(grad_out: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return grad_out.clone(), grad_out.clone()

        x = torch.ones(3, requires_grad=True)
        sum_of(x, x).sum().backward()
        print(x.grad.tolist())  # [2.0, 2.0, 2.0]
    """
    name, signature = _made[of]
    names = list(signature.parameters)
    unknown = [each for each in inputs if each not in names]
    if unknown or not inputs:
        raise ValueError(f"{name} has no input {unknown[0]!r}" if unknown else "gradient() needs the names of inputs")

    def decorate(function: Callable[..., Any]) -> Any:
        wanted = list(inspect.signature(function).parameters)
        known = {"out", "grad_out"} if _is_one(signature) else None
        for each in wanted:
            if each not in names and not (each in known if known else each.startswith(("out_", "grad_out_"))):
                raise ValueError(f"{name} has no input or result {each!r}: its gradient can have {', '.join([*names, *sorted(known or ())])}")
        backward = op(f"{name}_backward")(function)
        of.register_autograd(
            lambda ctx, *grads: _gradients(ctx, grads, backward, wanted, names, inputs),
            setup_context=lambda ctx, inputs, output: _keep(ctx, dict(zip(names, inputs)), output, wanted),
        )
        return backward

    return decorate


def _is_one(signature: inspect.Signature) -> bool:
    """Whether the result is one tensor, not a tuple."""
    result = signature.return_annotation
    return result in (torch.Tensor, "torch.Tensor", "Tensor")


def _without_launches(function: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    before = _native.launches_skipped()
    _native.skip_launches(True)
    try:
        return function(*args, **kwargs)
    finally:
        _native.skip_launches(before)


def _numbered(prefix: str, values: Any) -> Dict[str, Any]:
    """The operator's results, or their gradients, by the names that a gradient's parameters have for them."""
    if isinstance(values, torch.Tensor):
        return {prefix: values}
    return {prefix: values[0], **{f"{prefix}_{i}": value for i, value in enumerate(values)}}


def _keep(ctx: Any, inputs: Dict[str, Any], output: Any, wanted: Iterable[str]) -> None:
    values = {**_numbered("out", output), **inputs}
    kept = {name: values[name] for name in wanted if name in values}
    ctx.tensors = [name for name, value in kept.items() if isinstance(value, torch.Tensor)]
    ctx.save_for_backward(*(kept[name] for name in ctx.tensors))
    outputs = [output] if isinstance(output, torch.Tensor) else output
    used = [f"grad_out_{i}" in wanted or ("grad_out" in wanted and i == 0) for i in range(len(outputs))]
    ctx.mark_non_differentiable(*(output for output, is_used in zip(outputs, used) if not is_used))
    ctx.others = {name: value for name, value in kept.items() if name not in ctx.tensors}


def _gradients(ctx: Any, grads: Tuple[Any, ...], backward: Any, wanted: Iterable[str], names: Iterable[str], inputs: Tuple[str, ...]) -> Any:
    values = {**ctx.others, **dict(zip(ctx.tensors, ctx.saved_tensors)), **_numbered("grad_out", grads)}
    made = backward(*(values[name] for name in wanted))
    by_input = dict(zip(inputs, [made] if isinstance(made, torch.Tensor) else made))
    return tuple(by_input.get(name) for name in names)
