# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A live function as source texts of the language, with all that it reaches.

Each function is a separate text, at the lines and columns that it has in its file. The text has blank lines, the
function, and then the definitions of the names that it takes from its closure and its module. Expressions of objects
(`mod.fn`, `self.X`, `torch.finfo(torch.float32).max`) become names of the same length. Functions import each other.
"""

from __future__ import annotations

import builtins
import copy
import hashlib
import json
import re
import types
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _values as values
from ._resolve import LANGUAGE as TL, Constructor, Resolver
from ._source import CaptureError, Source, edited, source_of

__all__ = ["Captured", "CaptureError", "capture"]

UNIT = "_tilec_{}"
NAMED = "_tilec_namedtuple"
HIDDEN = "_tilec_plain_"  # frontend/elaborate/elab_scope.c reads it
LONGEST_HIDDEN = 40  # characters of a value that an error shows


@dataclass(frozen=True)
class Watch:
    """A name that was read: where, and what it was."""

    holder: Any  # a namespace, a cell, or an object
    name: str
    value: Any

    def now(self) -> Any:
        if isinstance(self.holder, types.CellType):
            return self.holder.cell_contents
        if isinstance(self.holder, dict):
            return self.holder[self.name]
        return getattr(self.holder, self.name)

    def changed(self) -> bool:
        try:
            now = self.now()
            return now is not self.value and not (type(now) is type(self.value) and bool(now == self.value))
        except Exception:
            return True


@dataclass(frozen=True)
class Captured:
    """`sources` and `shown`, what they are made from, are for tilec_program_from_shown_sources; the first holds the
    kernel. `defines` are the values of its constexpr parameters, as tilec_compile_options wants them."""

    sources: List[Tuple[str, str]]
    shown: List[Tuple[str, str]]
    kernel: str
    defines: List[str]
    key: str
    watched: Tuple[Watch, ...]

    def changed(self) -> Optional[str]:
        """The name of a global, closure variable or attribute that has another value than when it was captured."""
        for watch in self.watched:
            if watch.changed():
                return watch.name
        return None


class Unit:
    """One function's text."""

    def __init__(self, capture: "Capture", index: int, holder: Any, function: types.FunctionType):
        self.capture, self.index, self.holder, self.function = capture, index, holder, function
        self.name = UNIT.format(index)
        self.defined = function.__name__  # what the text defines
        self.source: Source = source_of(function, holder)
        self.bindings: Dict[str, str] = {}  # name: the line that defines it
        self.named: Dict[int, str] = {}  # a function's id: its name here
        self.taken = self.source.names

    def is_host(self) -> bool:
        """True if Python runs it: a constexpr function, which sees what any of its functions sees, and calls them."""
        return values.is_constexpr_function(self.holder)

    # ---- names

    def fresh(self, wish: str) -> str:
        """A name that nothing has, of the wish's length where there is one."""
        name, n = wish, 0
        while name in self.taken or name in self.bindings:
            n += 1
            tail = "_" * n if n < 4 else str(n)
            name = wish[: max(1, len(wish) - len(tail))] + tail if len(wish) > len(tail) else wish + tail
        return name

    def bind(self, name: str, value: Any, called: bool = False) -> bool:
        """Defines the name in this text; called: of a class that it is not only compared. False: a kernel has no use for
        such a value."""
        if name in self.bindings:
            return True
        if isinstance(value, types.ModuleType):
            module = values.library_module(value)
            if module is None:
                return False
            self.bindings[name] = f"import {module} as {name}" if module != name else f"import {module}"
            return True
        inner = values.unwrap(value)
        if values.is_aggregate(inner) and not values.has_constructor(inner):
            self.bind_aggregate(name, inner, values.aggregate_defaults(inner))
            return True
        if values.is_aggregate(inner):
            unit = self.capture.constructor(inner)
            self.bindings[name] = f"from {unit.name} import {unit.defined} as {name}"
            return True
        if values.is_named_tuple_class(inner):
            self.bindings[name] = self.class_text(name, inner)
            return True
        library = values.library_function(inner)
        if library is not None and not values.is_dtype(inner):
            self.bindings[name] = f"from {library[0]} import {library[1]} as {name}"
            return True
        if values.is_jit(inner):
            return self.bind_function(name, inner)
        if values.is_plain_function(inner) and self.is_host():
            return self.bind_function(name, values.ConstexprFunction(inner))
        if values.is_plain_function(inner) or isinstance(inner, types.BuiltinFunctionType):
            self.bindings[name] = f"def {name}(): pass"  # the front end says what is wrong with it
            return True
        if called:  # it says so of a class too, and knows NumPy's types
            of_numpy = getattr(inner, "__module__", None) == "numpy"
            self.bindings[name] = f"from numpy import {inner.__name__} as {name}" if of_numpy else f"class {name}: pass"
            return True
        self.bindings[name] = ""  # it is taken while its value is written
        self.bindings[name] = f"{name}: {TL}.constexpr = {self.literal(inner)}"
        return True

    def bind_function(self, name: str, value: Any) -> bool:
        unit = self.capture.unit(value)
        if unit is self:
            return name == self.defined
        self.bindings[name] = f"from {unit.name} import {unit.defined} as {name}"
        self.named[id(unit.function)] = name
        return True

    def function_name(self, value: Any) -> str:
        """A name here for a function that is a value: an element of a tuple, a default, a constexpr."""
        function = values.plain_or_jit(value)
        known = self.named.get(id(function))
        if known is None:
            known = self.fresh("_tilec_f%d" % len(self.named))
            if not self.bind_function(known, value):
                raise CaptureError(f"'{function.__qualname__}' is given to itself")
        return known

    def class_text(self, name: str, value: Any) -> str:
        """The definition of a named tuple's class."""
        self.named[id(value)] = name
        self.bindings.setdefault(NAMED, f"from collections import namedtuple as {NAMED}")
        defaults = [getattr(value, "_field_defaults", {})[field] for field in value._fields if field in value._field_defaults]
        after = f", defaults={self.literal(tuple(defaults))}" if defaults else ""
        return f'{name} = {NAMED}("{value.__name__}", [{", ".join(map(repr, value._fields))}]{after})'

    def bind_aggregate(self, name: str, value: Any, defaults: Mapping[str, Any] = {}) -> None:
        """The definition of the tuples that an aggregate's objects are: its fields, and its methods as elements. `defaults`: of the
        last fields."""
        fields = values.aggregate_fields(value)
        given = [field for field in fields if field in defaults]
        if given != fields[len(fields) - len(given) :]:
            raise CaptureError(f"'{value.__name__}' has a field without default after one with it: a kernel needs the defaults last")
        try:
            methods = values.aggregate_methods(value)
        except TypeError as error:
            raise CaptureError(str(error)) from None
        self.bindings[name] = ""  # it is taken meanwhile
        self.bindings.setdefault(NAMED, f"from collections import namedtuple as {NAMED}")
        functions = "".join(f"{self.literal(defaults[field])}, " for field in given)
        functions += "".join(f"{self.function_name(method)}, " for method in methods.values())
        names = json.dumps([*fields, *("." + method for method in methods)])
        self.bindings[name] = f'{name} = {NAMED}("{value.__name__}", {names}, defaults=({functions}))'

    # ---- values

    def literal(self, value: Any) -> str:
        """The value as an expression of this text."""
        value = values.unwrap(value)
        text = values.number_text(value)
        if text is not None:
            return text
        if values.is_dtype(value):
            return values.dtype_text(value, TL)
        if values.is_named_tuple_class(type(value)):
            items = ", ".join(self.literal(item) for item in value)
            return f"{self.callable_name(type(value))}({items})"
        if isinstance(value, (tuple, list)) or type(value).__name__ == "tuple":
            items = "".join(f"{self.literal(item)}, " for item in value)
            return f"({items.rstrip(' ') if len(value) == 1 else items.rstrip(', ')})"
        if values.is_jit(value) or (values.library_function(value) and callable(value)):
            return self.callable_name(value)
        return values.number_text(self.capture.opaque(value)) or ""

    def callable_name(self, value: Any) -> str:
        if values.is_jit(value) and values.library_function(value) is None:
            return self.function_name(value)
        name = self.named.get(id(value))
        if name is None:
            name = self.named[id(value)] = self.fresh("_tilec_f%d" % len(self.named))
            self.bind(name, value)
        return name

    def spells(self, text: str) -> bool:
        """True if an expression names something that is defined here."""
        return any(name in self.bindings for name in re.findall(r"[^\W\d]\w*", text))

    def constant(self, text: str) -> str:
        """A name here for the value of an expression."""
        name = self.fresh("_tilec_c0")
        self.bindings[name] = f"{name}: {TL}.constexpr = {text}"
        return name

    def hide(self, name: str, value: Any) -> None:
        """Defines a global that a kernel does not see under another name, for the error's text."""
        text = values.number_text(value)
        if text is not None and len(text) <= LONGEST_HIDDEN:
            self.bindings[HIDDEN + name] = f"{HIDDEN}{name}: {TL}.constexpr = {text}"

    # ---- the text

    def decorator(self) -> str:
        if self.is_host():
            return "@triton.constexpr_function"
        options = []
        for name in ("do_not_specialize", "do_not_specialize_on_alignment"):
            given = getattr(self.holder, name, None)
            if given:
                options.append(f"{name}={list(given)!r}")
        if getattr(self.holder, "noinline", None):
            options.append("noinline=True")
        module = "tilec" if type(self.holder).__module__ == "tilec._jit" else "triton"
        return f"@{module}.jit" + (f"({', '.join(options)})" if options else "")

    def text(self, resolver: Resolver, ends: Sequence[str]) -> str:
        source = self.source
        lines = [*edited(source, resolver.edits), *resolver.after]
        start = source.tree.lineno - source.first
        head = [b""] * (source.tree.lineno - 1) or [b"\v"]  # a vertical tab begins line 0
        indent = source.lines[start][: source.tree.col_offset]
        head[-1] += indent + self.decorator().encode()
        if source.indented:
            head = head if len(head) > 1 else [b"", *head]
            head[-2] = b"if 1:"
        bound = sorted((line for line in self.bindings.values() if line), key=_rank)
        tail = [f"import triton.language as {TL}", *bound, *ends]
        return b"\n".join([*head, *lines[start:], *(line.encode() for line in tail), b""]).decode()


class Capture:
    """All units of one kernel."""

    def __init__(
        self, constants: Mapping[str, Any], asserts: bool, annotations: bool, globals_of: Optional[Callable[[Any], bool]]
    ):
        self.constants, self.asserts, self.annotations, self.globals_of = constants, asserts, annotations, globals_of
        self.units: List[Unit] = []
        self.resolvers: List[Resolver] = []
        self.known: Dict[int, Unit] = {}
        self.watched: Dict[Tuple[int, str], Watch] = {}
        self.opaques: List[Any] = []

    def constructor(self, aggregate: Any) -> Unit:
        """The function that makes an aggregate's objects, of its `__init__`."""
        function = values.plain_or_jit(values.aggregate_class(aggregate).__init__)
        return self.unit(function, aggregate.__name__, aggregate)

    def unit(self, value: Any, name: Optional[str] = None, aggregate: Any = None) -> Unit:
        holder, function = values.jit_parts(value) if values.is_jit(value) else (value, value)
        unit = self.known.get(id(function))
        if unit is None:
            unit = Unit(self, len(self.units), holder, function)
            self.known[id(function)] = unit
            self.units.append(unit)
            unit.defined = name or unit.defined
            constants = self.constants if len(self.units) == 1 else {}
            resolver = Constructor(unit, aggregate) if aggregate else Resolver(unit, constants)
            self.resolvers.append(resolver)
            resolver.run()
        return unit

    def watch(self, holder: Any, name: str, value: Any) -> None:
        if isinstance(value, types.ModuleType) or holder is builtins.__dict__:
            return
        if (id(holder), name) not in self.watched:
            kept = copy.copy(value) if isinstance(value, (list, dict, set)) else value
            self.watched[id(holder), name] = Watch(holder, name, kept)

    def opaque(self, value: Any) -> str:
        """The replacement of an object that the language has no values for: it can be passed and compared."""
        for i, known in enumerate(self.opaques):
            if known is value or (type(known) is type(value) and _equal(known, value)):
                return f"<{_label(value)} {i}>"
        self.opaques.append(value)
        return f"<{_label(value)} {len(self.opaques) - 1}>"


def _label(value: Any) -> str:
    """The object's name in its replacement: `np.float32` for that class and its dtype, else its own class, such as `np.ndarray`."""
    kind = value if isinstance(value, type) else type(value)
    if any((base.__module__, base.__name__) == ("numpy", "dtype") for base in type(value).__mro__):
        return f"np.{value.name}"
    if kind.__module__ == "numpy":
        return f"np.{kind.__name__}"
    return type(value).__name__


def _rank(line: str) -> int:
    """The place of a definition: a constant sees the definitions before it."""
    return 0 if line.startswith(("from ", "import ", "def ", "class ")) else 1 if f" = {NAMED}(" in line else 2


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:
        return False


def _key(parts: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def capture(
    fn: Any,
    constexprs: Mapping[str, Any],
    asserts: bool = True,
    annotations: bool = True,
    name: Optional[str] = None,
    globals_of: Optional[Callable[[Any], bool]] = None,
    functions: Optional[Mapping[str, Any]] = None,
) -> Captured:
    """The sources of `fn`, which is a function or a jit decorator's result, with these values of its constexpr parameters.
    A parameter that has a value here is a constexpr, whatever its annotation says.

    asserts: False leaves out device_assert and `assert`.
    annotations: False leaves out those of the kernel's other parameters.
    name: the kernel's name, instead of the function's.
    globals_of: the values of globals and closures that kernels see; None: all.
    functions: functions that arguments name.
    CaptureError: the source is not available."""
    state = Capture({name: values.unwrap(value) for name, value in constexprs.items()}, asserts, annotations, globals_of)
    main = state.unit(fn, name)
    defines, names = [], list(functions or ())
    for given, function in (functions or {}).items():
        if not main.bind(given, function):
            raise CaptureError(f"'{main.function.__qualname__}' is given to itself")
    for name, value in state.constants.items():
        text = main.literal(value)
        if values.is_dtype(value):
            text = values.dtype_text(value, "tl")
        if text in main.bindings:
            names.append(text)
        if values.is_named_tuple_class(type(value)):
            text = main.literal(tuple(value))  # its fields are known in the kernel itself
        if text.startswith("(") and main.spells(text):
            text = main.constant(text)  # a tuple that holds functions
        defines.append(f"{name}={text}")
    # A function that only a define names has to be used in the text.
    ends = [f"_tilec_used = ({', '.join(names)},)"] if names else []
    sources, shown = [], []
    for unit, resolver in zip(state.units, state.resolvers):
        sources.append((unit.name + ".py", unit.text(resolver, ends if unit is main else ())))
        shown.append((unit.source.file, unit.source.text()))
    key = _key([part for pair in [*sources, *shown] for part in pair] + defines)
    return Captured(sources, shown, main.defined, defines, key, tuple(state.watched.values()))
