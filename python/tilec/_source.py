# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source text of a live function: its place in its file, its lines and its tree."""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import textwrap
import types
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple, Union
from weakref import WeakKeyDictionary


class CaptureError(Exception):
    """A function whose source cannot be had, or that cannot be a kernel."""


@dataclass(frozen=True)
class Source:
    """`tree` is the function's; its lines and columns (in bytes) are the file's."""

    file: str
    first: int  # the line of lines[0], from 1: a decorator's, or that of `def`
    lines: Tuple[bytes, ...]  # without their newlines
    tree: ast.FunctionDef
    names: FrozenSet[str]  # all that it spells
    stored: FrozenSet[str]  # those that it assigns
    parameters: FrozenSet[str]  # its own, and those of functions within it

    def text(self) -> str:
        """The lines at their places in the file."""
        return "\n" * (self.first - 1) + b"\n".join(self.lines).decode() + "\n"

    @property
    def indented(self) -> bool:
        return self.tree.col_offset > 0


def _parse(name: str, text: str, first: int) -> ast.FunctionDef:
    indented = text[:1] in (" ", "\t")
    # At its lines; an indented function keeps its columns within a block, which begins a line above it.
    head = "\n" * (first - 2) + "if 1:\n" if indented and first > 1 else "\n" * (first - 1)
    try:
        tree = ast.parse(head + text)
    except SyntaxError as error:
        raise CaptureError(f"the source of '{name}' is not a function by itself: {error.msg}") from None
    body = tree.body[0].body if tree.body and isinstance(tree.body[0], ast.If) else tree.body
    if not body or not isinstance(body[0], ast.FunctionDef):
        raise CaptureError(f"'{name}' is not made by a 'def' statement: write it as a separate function")
    return body[0]


class _Names(ast.NodeVisitor):
    """The names of a function, in one walk."""

    def __init__(self) -> None:
        self.all: Set[str] = set()
        self.stored: Set[str] = set()
        self.parameters: Set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        self.all.add(node.id)
        if not isinstance(node.ctx, ast.Load):
            self.stored.add(node.id)

    def visit_arg(self, node: ast.arg) -> None:
        self.all.add(node.arg)
        self.parameters.add(node.arg)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.stored.add(node.name)
        self.generic_visit(node)


def _make(function: types.FunctionType, file: str, first: int, text: str) -> Source:
    tree = _parse(function.__qualname__, text, first)
    lines = tuple(line.encode() for line in text.split("\n"))
    names = _Names()
    names.generic_visit(tree)
    found = (frozenset(names.all), frozenset(names.stored), frozenset(names.parameters))
    return Source(file, first, lines[: (tree.end_lineno or first) - first + 1], tree, *found)


_sources: "WeakKeyDictionary[types.FunctionType, Source]" = WeakKeyDictionary()
_texts: "WeakKeyDictionary[types.FunctionType, Tuple[str, int]]" = WeakKeyDictionary()


_files: "WeakKeyDictionary[types.FunctionType, Tuple[int, int]]" = WeakKeyDictionary()  # as they were when it was read


def _state_of(file: str) -> Optional[Tuple[int, int]]:
    try:
        state = os.stat(file)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


def file_text(function: types.FunctionType) -> Optional[Tuple[str, str]]:
    """The file that the function is from, and its text, where that says what the function is: as it was when the function was
    read, and without a closure. None: it does not."""
    file = function.__code__.co_filename
    if function.__code__.co_freevars or function not in _texts or _files.get(function) != _state_of(file):
        return None
    try:
        with open(file, encoding="utf-8", newline="") as opened:
            text = opened.read()
    except (OSError, UnicodeError):
        return None
    own, first = _texts[function]
    lines = text.splitlines()[first - 1 :]
    return (file, text) if lines[: len(own.splitlines())] == own.splitlines() else None


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _found_in(function: types.FunctionType, text: str) -> Optional[Tuple[str, int]]:
    """The function's lines in a text that has it, and its first line. Of several functions with the name it is the one
    at the function's line."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    code = function.__code__
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == code.co_name]
    here = [node for node in found if _first_line(node) == code.co_firstlineno]
    if not here and len(found) != 1:
        return None
    node = (here or found)[0]
    first = _first_line(node)
    lines = text.splitlines(keepends=True)[first - 1 : node.end_lineno]
    return "".join(lines), first


def _lines_before(text: str, file: str) -> int:
    """The lines before the text in the file that has it once, so that messages name a line of the file; else 0."""
    try:
        with open(file, encoding="utf-8") as opened:
            whole = opened.read()
    except (OSError, UnicodeError, ValueError):
        return 0
    return whole[: whole.index(text)].count("\n") if text.strip() and whole.count(text) == 1 else 0


def give(function: types.FunctionType, text: str) -> None:
    """Takes the function's text from `text`, which is the function or what has it."""
    found = _found_in(function, text) or _found_in(function, textwrap.dedent(text))
    if found is None:
        raise CaptureError(f"source= has no function '{function.__name__}', or several: it is the text with its 'def'")
    _texts[function] = found[0], found[1] + _lines_before(text, function.__code__.co_filename)
    _sources.pop(function, None)


def _of_command(function: types.FunctionType) -> Optional[Tuple[str, int]]:
    """The function's text in the command of `python -c`."""
    if function.__code__.co_filename != "<string>" or sys.argv[:1] != ["-c"]:
        return None
    words = sys.orig_argv
    at = next((i for i, word in enumerate(words) if i and re.fullmatch("-[a-zA-Z]*c", word)), len(words))
    found = _found_in(function, words[at + 1]) if at + 1 < len(words) else None
    return found if found and found[1] == function.__code__.co_firstlineno else None


def _inspected(function: types.FunctionType) -> Optional[Tuple[str, int]]:
    """What inspect says. Where there is no file it may be the text of other code with the same name, as "<string>"."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return None
    text = "".join(lines)
    code = function.__code__
    named = re.search(rf"^\s*def\s+{re.escape(code.co_name)}\b", text, re.MULTILINE)
    return None if code.co_filename.startswith("<") and not named else (text, first or 1)


def remember(function: types.FunctionType) -> None:
    """Reads the function's text now, as its file may be another by the time that it is compiled. Where there is no
    text, the error comes when it is asked for."""
    if isinstance(function, types.FunctionType) and function not in _texts:
        found = _inspected(function) or _of_command(function)
        if found is None:
            return
        _texts[function] = found
        state = _state_of(function.__code__.co_filename)
        if state is not None:
            _files[function] = state


def text_of(function: types.FunctionType) -> str:
    """The function's text; OSError: it cannot be read."""
    return _texts[function][0] if function in _texts else inspect.getsource(function)


def _changed_text(holder: Any) -> Optional[str]:
    """The replacement of a Triton function's text (its `src`). None: it is the file's own."""
    raw = getattr(holder, "raw_src", None)
    src = getattr(holder, "src", None) if raw is not None else None
    if not isinstance(src, str):
        return None
    own = inspect.cleandoc("\n" + "".join(raw)) if isinstance(raw, list) else str(raw)
    start = re.search(r"^(async )?def\s", own, re.MULTILINE)
    same = start and own[start.start():].split() == src.split()
    return None if same else src


def source_of(function: types.FunctionType, holder: Any = None) -> Source:
    """The function's source; `holder` is the jit object around it, whose text is taken where it has its own."""
    changed = _changed_text(holder)
    known = _sources.get(function)
    if known is not None and changed is None:
        return known
    file = function.__code__.co_filename
    if changed is not None:
        return _make(function, file, function.__code__.co_firstlineno, changed)
    raw = getattr(holder, "raw_src", None)
    if raw and function not in _texts:  # Triton has read it
        _texts[function] = ("".join(raw), getattr(holder, "starting_line_number", 1) or 1)
    remember(function)
    if function not in _texts:
        raise CaptureError(
            f"the source of '{function.__qualname__}' cannot be read: Python keeps no source code of {file}. "
            "Put the kernel in a file, or give its text: @tilec.jit(source=TEXT)"
        )
    text, first = _texts[function]
    source = _sources[function] = _make(function, file, first, text)
    return source


# ---------------------------------------------------------------- edits


@dataclass(frozen=True)
class Edit:
    """Bytes of the source that give way to others; places as in trees: lines from 1, columns from 0, in bytes."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: bytes


def edit_of(node: Union[ast.expr, ast.stmt], text: str) -> Edit:
    """Replaces the node by `text`; the text after it keeps its line."""
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    rest = b"\\\n" * (end_line - node.lineno)
    return Edit(node.lineno, node.col_offset, end_line, end_column, text.encode() + rest)


def blank(source: Source, line: int, column: int, end_line: int, end_column: int) -> Edit:
    parts: List[bytes] = []
    for at in range(line, end_line + 1):
        start = column if at == line else 0
        end = end_column if at == end_line else len(source.lines[at - source.first])
        parts.append(b" " * (end - start))
    return Edit(line, column, end_line, end_column, b"\n".join(parts))


def edited(source: Source, edits: Iterable[Edit]) -> List[bytes]:
    """The source's lines with the edits made, which do not overlap."""
    lines: Dict[int, bytes] = {source.first + i: line for i, line in enumerate(source.lines)}
    for edit in sorted(edits, key=lambda e: (e.line, e.column), reverse=True):
        head, tail = lines[edit.line][: edit.column], lines[edit.end_line][edit.end_column:]
        parts = (head + edit.text + tail).split(b"\n")
        for i in range(edit.end_line - edit.line + 1):
            lines[edit.line + i] = parts[i] if i < len(parts) else b""
    return [lines[source.first + i] for i in range(len(source.lines))]
