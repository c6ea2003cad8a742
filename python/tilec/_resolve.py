# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of names and expressions of a live function that it does not compute itself."""

from __future__ import annotations

import ast
import builtins
import re
import types
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Set

from . import _values as values
from ._source import CaptureError, Edit, blank, edit_of

if TYPE_CHECKING:
    from ._capture import Unit

LANGUAGE = "_tilec_tl"  # what the texts call the language


class Known:
    """The value of an expression that is known before the kernel runs."""

    def __init__(self, value: Any):
        self.value = value


def _root(node: ast.AST) -> Optional[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


class Resolver(ast.NodeVisitor):
    """Walks over a function, and records in its unit what to bind and what to rewrite."""

    def __init__(self, unit: "Unit", constants: Mapping[str, Any]):
        self.unit = unit
        self.edits: List[Edit] = []
        self.after: List[bytes] = []  # lines after the function's
        self.fixed = 0  # within an f-string, whose places are not known
        self.aliases: Dict[str, str] = {}  # an expression's text: the name that replaces it
        function = unit.function
        stored = unit.source.stored
        self.local = stored | unit.source.parameters
        self.is_kernel = not unit.index
        self.given = constants  # parameters that are constexprs
        self.constants = {n: v for n, v in constants.items() if n not in stored}
        self.cells: Dict[str, types.CellType] = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))

    def run(self) -> None:
        tree = self.unit.source.tree
        if self.unit.defined != tree.name:
            self.rename(tree)
        self.parameters(tree)
        if tree.returns is not None:
            self.blank_returns(tree)
        for stmt in tree.body:
            self.visit(stmt)

    def rename(self, tree: ast.FunctionDef) -> None:
        line = self.unit.source.lines[tree.lineno - self.unit.source.first]
        column = line.index(tree.name.encode(), tree.col_offset + len("def "))
        self.edits.append(Edit(tree.lineno, column, tree.lineno, column + len(tree.name.encode()), self.unit.defined.encode()))

    # ---- the values of names and expressions

    def lookup(self, name: str) -> Optional[Known]:
        """A name that is not the function's own: of its closure, its module, or Python."""
        function = self.unit.function
        cell = self.cells.get(name)
        if cell is not None:
            try:
                value = cell.cell_contents
            except ValueError:
                return None
            return self.read(cell, name, value)
        if name in function.__globals__:
            return self.read(function.__globals__, name, function.__globals__[name])
        return Known(getattr(builtins, name)) if hasattr(builtins, name) else None

    def read(self, holder: Any, name: str, value: Any) -> Optional[Known]:
        globals_of = self.unit.capture.globals_of
        if globals_of is not None and not self.unit.is_host() and not globals_of(value):
            self.unit.hide(name, value)
            return None
        self.unit.capture.watch(holder, name, value)
        return Known(values.known_value(value))

    def known(self, node: ast.AST) -> Optional[Known]:
        if isinstance(node, ast.Constant):
            return Known(node.value)
        if isinstance(node, ast.Name):
            if node.id in self.constants:
                return Known(self.constants[node.id])
            return None if node.id in self.local else self.lookup(node.id)
        if isinstance(node, ast.Attribute):
            return self.known_attribute(node)
        if isinstance(node, ast.Subscript):
            return self.known_item(node)
        if isinstance(node, ast.Call):
            return self.known_call(node)
        if isinstance(node, (ast.Tuple, ast.List)):
            items = [self.known(item) for item in node.elts]
            return None if None in items else Known(tuple(item.value for item in items if item))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.known(node.operand)
            return Known(-inner.value) if inner and isinstance(inner.value, (int, float)) else None
        return None

    def known_attribute(self, node: ast.Attribute) -> Optional[Known]:
        base = self.known(node.value)
        if base is None or not hasattr(base.value, node.attr):
            return None
        try:
            value = getattr(base.value, node.attr)
        except Exception:
            return None
        self.unit.capture.watch(base.value, node.attr, value) if _keeps(base.value, node.attr) else None
        return Known(values.known_value(value))

    def known_item(self, node: ast.Subscript) -> Optional[Known]:
        base, index = self.known(node.value), self.known(node.slice)
        if base is None or index is None:
            return None
        try:
            return Known(values.unwrap(base.value)[values.unwrap(index.value)])
        except Exception:
            return None

    def known_call(self, node: ast.Call) -> Optional[Known]:
        callee = self.known(node.func)
        if callee is None or not values.is_evaluable(callee.value):
            return None
        args = [self.known(arg) for arg in node.args]
        kwargs = {word.arg: self.known(word.value) for word in node.keywords}
        if None in args or None in kwargs or None in kwargs.values():
            return None
        given = [arg.value for arg in args if arg]
        try:
            return Known(values.call(callee.value, given, {str(k): v.value for k, v in kwargs.items() if v}))
        except Exception:
            return None

    # ---- what is written for them

    def stand_in(self, node: ast.expr, value: Any, called: bool = False) -> bool:
        """Replaces the expression by a name."""
        text = ast.unparse(node)
        name = self.aliases.get(text)
        if name is None:
            wish = "".join(c if c.isalnum() else "_" for c in self.spelled(node)) or "_"
            name = self.unit.fresh(wish if wish.isidentifier() else "_" + wish[1:])
            if not self.unit.bind(name, value, called):
                return False
            self.aliases[text] = name
        self.edits.append(edit_of(node, name))
        return True

    def spelled(self, node: ast.expr) -> str:
        """The text of a one-line expression, padded so that the text after it keeps its column."""
        line = self.unit.source.lines[node.lineno - self.unit.source.first]
        if node.end_lineno != node.lineno:
            return _root(node) or "_"
        return line[node.col_offset : node.end_col_offset].decode(errors="replace")

    def of_language(self, node: ast.AST) -> bool:
        """`tl.load`, `tl.extra.libdevice.exp`: every part of it is the language's."""
        while isinstance(node, ast.Attribute):
            node = node.value
            value = self.known(node)
            if value is None or not isinstance(value.value, types.ModuleType):
                return False
            if values.library_module(value.value) is None:
                return False
        return True

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load) or node.id in self.local or node.id in self.unit.bindings:
            return
        found = self.lookup(node.id)
        if found is None or getattr(builtins, node.id, self) is found.value:
            return
        self.unit.bind(node.id, found.value)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not self.write_known(node):
            self.visit(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        base = self.known(node.value)
        simple = base is not None and isinstance(values.unwrap(base.value), (tuple, list, str))
        if simple or not isinstance(node.ctx, ast.Load) or not self.write_known(node):
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if self.write_known(node):
            return
        self.drop_semantic(node)
        callee = self.known(node.func)
        if callee and self.is_foreign(node.func, callee.value):
            for part in [*node.args, *node.keywords]:
                self.visit(part)
            return
        if callee and isinstance(callee.value, type) and not hasattr(builtins, getattr(node.func, "id", ".")):
            if isinstance(node.func, ast.Name):
                self.unit.bind(node.func.id, callee.value, called=True)
            elif not self.of_language(node.func) and not self.fixed:
                self.stand_in(node.func, callee.value, called=True)
                for part in [*node.args, *node.keywords]:
                    self.visit(part)
                return
        self.generic_visit(node)

    def is_foreign(self, node: ast.expr, value: Any) -> bool:
        """`np.exp`, `math.sqrt`: the call stays as it is, because the compiler's message says what to write."""
        root = _root(node)
        module = self.lookup(root) if isinstance(node, ast.Attribute) and root and root not in self.local else None
        if module is None or not isinstance(module.value, types.ModuleType) or values.library_module(module.value) is not None:
            return False
        name = module.value.__name__
        own = isinstance(value, types.FunctionType) and name not in ("numpy", "torch", "math", "jax", "cupy", "scipy")
        if not callable(value) or isinstance(value, type) or own or values.is_jit(value):
            return False
        self.unit.bindings.setdefault(root, f"import {name} as {root}" if name != root else f"import {name}")
        return True

    def drop_semantic(self, node: ast.Call) -> None:
        """`_semantic=_semantic`, which Triton's own functions pass on, is none of the language's."""
        for word in node.keywords:
            if word.arg in ("_semantic", "_generator") and word.lineno == word.end_lineno:
                line = self.unit.source.lines[word.lineno - self.unit.source.first]
                start = len(line[: word.col_offset].rstrip(b", "))
                end = word.end_col_offset or 0
                self.edits.append(blank(self.unit.source, word.lineno, start, word.lineno, end))
        node.keywords = [word for word in node.keywords if word.arg not in ("_semantic", "_generator")]

    def write_known(self, node: ast.expr) -> bool:
        root = _root(node.func if isinstance(node, ast.Call) else node)
        if self.fixed or root is None or (root in self.local and root not in self.constants):
            return False
        if isinstance(node, ast.Attribute) and self.of_language(node):
            return False
        found = self.known(node)
        if found is None or isinstance(found.value, types.ModuleType):
            return False
        return self.stand_in(node, found.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value
        if isinstance(call, ast.Call) and not self.unit.capture.asserts:
            callee = self.known(call.func)
            if callee and values.library_function(callee.value) == (values.LANGUAGE, "device_assert"):
                self.edits.append(edit_of(call, "pass"))
                return
        self.visit(call)

    def visit_Assert(self, node: ast.Assert) -> None:
        if self.unit.capture.asserts:
            self.generic_visit(node)
        else:
            self.edits.append(edit_of(node, "pass"))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self.fixed += 1
        self.generic_visit(node)
        self.fixed -= 1

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for stmt in node.body:
            self.visit(stmt)
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)

    # ---- parameters

    def parameters(self, tree: ast.FunctionDef) -> None:
        function, args = self.unit.function, tree.args
        for arg in [*args.posonlyargs, *args.args, *args.kwonlyargs]:
            self.annotation(arg, function.__annotations__.get(arg.arg))
        live = function.__defaults__ or ()
        for node, value in zip(reversed(args.defaults), reversed(live)):
            self.default(node, value)
        for arg, default in zip(args.kwonlyargs, args.kw_defaults):
            if default is not None:
                self.default(default, (function.__kwdefaults__ or {}).get(arg.arg))

    def default(self, node: ast.expr, value: Any) -> None:
        if isinstance(node, ast.Constant) and type(node.value) is type(value) and node.value == value:
            return
        self.edits.append(edit_of(node, self.unit.literal(value)))

    def annotation(self, arg: ast.arg, live: Any) -> None:
        """`live` is what the function says now, also where the text has none."""
        node, at = arg.annotation, arg.col_offset + len(arg.arg.encode())
        spelled = live if isinstance(live, str) else getattr(live, "__name__", "") if isinstance(live, type) else ""
        if "constexpr" in spelled or arg.arg in self.given:
            if node and not isinstance(live, str) and re.fullmatch(r"([\w.]*\.)?constexpr", ast.unparse(node)):
                self.visit(node)
            else:
                self.write_annotation(arg, at, f": {LANGUAGE}.constexpr")
            return
        wanted = self.unit.capture.annotations or not self.is_kernel
        if wanted and re.fullmatch(r"([\w.]*\.)?const", spelled):
            self.write_annotation(arg, at, f": {LANGUAGE}.const")
            return
        text = self.type_text(live) if wanted else None
        if text is not None:
            self.write_annotation(arg, at, f": {text}")
        elif node is not None:
            self.edits.append(blank(self.unit.source, arg.lineno, at, arg.end_lineno or 0, arg.end_col_offset or 0))

    def type_text(self, live: Any) -> Optional[str]:
        """An annotation that is a type of the language, as it is written; None: it is something else."""
        if isinstance(live, str):
            if re.fullmatch(r"\*?k?(i1|[iu]\d+|fp\d+|bf16|fp8e\w+)", live):
                return f'"{live}"'
            try:
                found = self.known(ast.parse(live.strip(), mode="eval").body)
            except SyntaxError:
                return None
            live = found.value if found else None
        return self.unit.literal(live) if values.is_dtype(live) else None

    def write_annotation(self, arg: ast.arg, column: int, text: str) -> None:
        """From the column on, which is after the name."""
        end, end_column = arg.end_lineno or 0, arg.end_col_offset or 0
        rest = b"\\\n" * (end - arg.lineno)
        self.edits.append(Edit(arg.lineno, column, end, end_column, text.encode() + rest))

    def blank_returns(self, tree: ast.FunctionDef) -> None:
        node, source = tree.returns, self.unit.source
        assert node is not None
        line = node.lineno
        while line >= tree.lineno:
            text = source.lines[line - source.first]
            column = text.rfind(b"->", 0, node.col_offset if line == node.lineno else len(text))
            if column >= 0:
                self.edits.append(blank(source, line, column, node.end_lineno or 0, node.end_col_offset or 0))
                return
            line -= 1


class Constructor(Resolver):
    """Walks over an aggregate's `__init__`. It becomes a function that returns the object: `self.x` is a name."""

    def __init__(self, unit: "Unit", aggregate: Any):
        super().__init__(unit, {})
        self.aggregate, self.fields = aggregate, values.aggregate_fields(aggregate)
        arguments = unit.source.tree.args
        self.receiver = [*arguments.posonlyargs, *arguments.args][0].arg
        self.stored: Set[str] = set()

    def run(self) -> None:
        tree, source = self.unit.source.tree, self.unit.source
        if tree.body[0].lineno == tree.lineno:
            raise CaptureError(f"the constructor of '{self.aggregate.__name__}' has its body on the line of 'def': write it below")
        super().run()
        first = [*tree.args.posonlyargs, *tree.args.args][0]
        line = source.lines[first.lineno - source.first]
        rest = line[first.end_col_offset or 0 :]
        comma = len(rest) - len(rest.lstrip(b" ,"))
        self.edits.append(blank(source, first.lineno, first.col_offset, first.lineno, (first.end_col_offset or 0) + comma))
        missing = [field for field in self.fields if field not in self.stored]
        if missing:
            raise CaptureError(f"the constructor of '{self.aggregate.__name__}' does not set '{missing[0]}'")
        made = self.unit.fresh("_tilec_new")
        self.unit.bind_aggregate(made, self.aggregate)
        indent = source.lines[tree.body[0].lineno - source.first][: tree.body[0].col_offset]
        self.after.append(indent + f"return {made}({', '.join(map(self.field, self.fields))})".encode())

    def field(self, name: str) -> str:
        return f"{self.receiver}_{name}"

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.value, ast.Name) or node.value.id != self.receiver:
            super().visit_Attribute(node)
            return
        if node.attr not in self.fields:
            raise CaptureError(f"the constructor of '{self.aggregate.__name__}' uses '{node.attr}' of its object, which is not a field")
        if isinstance(node.ctx, ast.Store):
            self.stored.add(node.attr)
        self.edits.append(edit_of(node, self.field(node.attr)))


def _keeps(holder: Any, name: str) -> bool:
    """True if reading the attribute again gives the same object while nothing is changed: no property, no method."""
    try:
        if isinstance(holder, types.ModuleType):
            return values.library_module(holder) is None
        return name in vars(holder)
    except TypeError:
        return False
