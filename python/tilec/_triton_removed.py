# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the installed Triton no longer has. tilec keeps it, but not for programs of that Triton."""

from __future__ import annotations

import ast
import inspect
from typing import Iterator, Sequence, Tuple

import triton
import triton.language as language

from ._capture import Captured
from ._errors import CompilationError

# Block pointers: their functions, and parameters of others that are for them alone. Triton 3.9 has none.
FUNCTIONS = ("make_block_ptr", "advance")
PARAMETERS = {"load": ("boundary_check", "padding_option"), "store": ("boundary_check",)}


def _signature(name: str) -> Sequence[str]:
    function = getattr(language, name)
    return list(inspect.signature(getattr(function, "fn", function)).parameters)


HAS_BLOCKS = set(PARAMETERS["load"]) <= set(_signature("load"))


def _names(tree: ast.Module) -> Iterator[Tuple[str, ast.Call]]:
    """The calls of functions of triton.language, with the functions' names."""
    modules, functions = set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {item.asname for item in node.names if item.name == "triton.language"}
        elif isinstance(node, ast.ImportFrom) and node.module == "triton.language":
            functions.update({item.asname or item.name: item.name for item in node.names})
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        callee = node.func
        if isinstance(callee, ast.Name) and callee.id in functions:
            yield functions[callee.id], node
        elif isinstance(callee, ast.Attribute) and ast.unparse(callee.value) in modules | {"triton.language"}:
            yield callee.attr, node


def with_what_is_there(captured: Captured) -> Captured:
    """CompilationError: a text uses what this Triton no longer has."""
    words = ("block_ptr", "boundary_check", "padding_option", "advance")
    if HAS_BLOCKS or not any(word in text for _, text in captured.sources for word in words):
        return captured
    for _, text in captured.sources:
        for name, call in _names(ast.parse(text)):
            word = next((each.arg for each in call.keywords if each.arg in PARAMETERS.get(name, ())), None)
            if name in FUNCTIONS or word:
                what = f"'tl.{name}'" if name in FUNCTIONS else f"'{word}' of 'tl.{name}'"
                raise CompilationError(f"line {call.lineno}: Triton {triton.__version__} has no block pointers, and so not {what}: use a tensor descriptor")
    return captured
