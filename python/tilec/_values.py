# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A live Python object as kernels see it: a number, a type, a function of the language, a jit function..."""

from __future__ import annotations

import builtins
import enum
import functools
import inspect
import json
import math
import types
from typing import Any, Callable, Dict, List, Optional, Tuple
from weakref import WeakKeyDictionary

LIBRARIES = ("triton", "tilec")
LANGUAGE = "triton.language"

# Python's functions that the language has itself.
LANGUAGE_BUILTINS = frozenset(
    ("abs", "bool", "float", "getattr", "hasattr", "int", "isinstance", "len", "list", "max", "min", "print", "range", "str", "tuple")
)

# Those whose calls are worked out here where their arguments are known: what they look at is an object of Python's.
EVALUATED_BUILTINS = frozenset(
    ("all", "any", "callable", "dict", "divmod", "format", "frozenset", "getattr", "hasattr", "id", "isinstance", "issubclass", "pow", "repr",
     "reversed", "round", "set", "sorted", "str", "sum", "type", "bin", "hex", "ord", "chr", "list", "tuple")
)

_DTYPES = {
    "fp8e4nv": "float8e4nv", "fp8e5": "float8e5", "fp8e4b15": "float8e4b15", "fp8e4b8": "float8e4b8", "fp8e5b16": "float8e5b16",
    "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
}


def _root(module: Any) -> str:
    return module.partition(".")[0] if isinstance(module, str) else ""


def _class_of_library(value: Any, name: str) -> bool:
    cls = type(value)
    return any(c.__name__ == name and _root(c.__module__) in LIBRARIES for c in cls.__mro__)


def is_constexpr(value: Any) -> bool:
    return _class_of_library(value, "constexpr")


def unwrap(value: Any) -> Any:
    """A constexpr's value."""
    while is_constexpr(value):
        value = value.value
    return value


def is_dtype(value: Any) -> bool:
    return _class_of_library(value, "dtype")


def library_module(module: types.ModuleType) -> Optional[str]:
    """Triton's name of a module of the language; None: it is another's."""
    parts = module.__name__.split(".")
    if parts[0] not in LIBRARIES:
        return None
    parts[0] = "triton"
    name = ".".join(parts)
    if name.endswith(".libdevice"):
        return LANGUAGE + ".extra.libdevice"
    if name in (LANGUAGE + ".core", LANGUAGE + ".standard", LANGUAGE + ".random"):
        return LANGUAGE
    return name


def library_function(value: Any) -> Optional[Tuple[str, str]]:
    """Module and name, as Triton has them, of a function or class of the language; None: it is none."""
    function = getattr(value, "fn", value) if is_jit(value) else value
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", None)
    if not isinstance(name, str) or _root(module) not in LIBRARIES or isinstance(value, (types.ModuleType, enum.Enum)):
        return None
    parts = str(module).split(".")
    if parts[-1] == "libdevice":
        return LANGUAGE + ".extra.libdevice", name
    if parts[-1] in ("math", "target_info") and "language" in parts:
        return f"{LANGUAGE}.{parts[-1]}", name
    return (LANGUAGE if len(parts) > 1 and parts[1] == "language" else "triton"), name


def is_jit(value: Any) -> bool:
    """A function that was decorated, whatever is stacked on it."""
    if isinstance(value, type) or _root(type(value).__module__) not in LIBRARIES:
        return False
    return callable(getattr(value, "fn", None))


def jit_parts(value: Any) -> Tuple[Any, types.FunctionType]:
    """The innermost jit object and its function."""
    while is_jit(value.fn):
        value = value.fn
    return value, value.fn


class ConstexprFunction:
    """A Python function that kernels call with constexprs; `constexpr_function` makes it. In Python it is called as usual.

    Attributes:
        fn: the Python function.

    Example::

        print(tilec.cdiv)  # ConstexprFunction(tilec._constexpr:cdiv)
    """

    def __init__(self, fn: Callable[..., Any]):
        self.fn = fn
        functools.update_wrapper(self, fn)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return call(self, args, kwargs)

    def __repr__(self) -> str:
        return f"ConstexprFunction({self.fn.__module__}:{self.fn.__qualname__})"


def known_value(value: Any) -> Any:
    """The value; a plain function that is made a constexpr (`@tl.constexpr` before its def) is a constexpr function."""
    function = unwrap(value)
    return ConstexprFunction(function) if is_constexpr(value) and is_plain_function(function) else value


def is_constexpr_function(value: Any) -> bool:
    return any(c.__name__ == "ConstexprFunction" for c in type(value).__mro__) and is_jit(value)


def is_function(value: Any) -> bool:
    """True if kernels can call it: a jit function, or one of the language's."""
    return is_jit(value) or (callable(value) and library_function(value) is not None)


GIVEN = "_tilec_given_"
_given: "WeakKeyDictionary[Any, str]" = WeakKeyDictionary()
_given_count: Dict[str, int] = {}


def given_name(function: Any) -> str:
    """The name, in texts, of a function that is an argument, or a part of one. No other function of the process has
    it."""
    name = _given.get(function)
    if name is None:
        own = str(getattr(jit_parts(function)[1] if is_jit(function) else function, "__name__", "function"))
        count = _given_count[own] = _given_count.get(own, 0) + 1
        name = _given[function] = f"{GIVEN}{own}_{count}"
    return name


def is_plain_function(value: Any) -> bool:
    return isinstance(value, (types.FunctionType, types.MethodType))


def _changes(function: Any) -> bool:
    """True for functions of random numbers and of the time. A kernel would have the value of its compilation for ever."""
    owner = getattr(function, "__self__", None)
    module = owner.__name__ if isinstance(owner, types.ModuleType) else type(owner).__module__
    return module in ("random", "time") or module.startswith("numpy.random")


def is_evaluable(value: Any) -> bool:
    """True if Python computes calls with known arguments: classes, constexpr functions, and functions that are not
    written in Python."""
    if is_aggregate(value) or _changes(value):
        return False
    if is_constexpr_function(value):
        return library_function(value) is None
    if is_jit(value) or library_function(value) is not None:
        return False
    name = getattr(value, "__name__", "")
    if getattr(builtins, name if isinstance(name, str) else "", None) is value:
        return name in EVALUATED_BUILTINS
    return isinstance(value, (type, types.BuiltinFunctionType, types.MethodType))


def call(function: Any, args: Any, kwargs: Any) -> Any:
    if is_constexpr_function(function):
        function = jit_parts(function)[1]
    return function(*[unwrap(a) for a in args], **{k: unwrap(v) for k, v in kwargs.items()})


def dtype_text(value: Any, prefix: str) -> str:
    if _class_of_library(value, "pointer_type"):
        return f"{prefix}.pointer_type({dtype_text(value.element_ty, prefix)})"
    return f"{prefix}.{_DTYPES.get(value.name, value.name)}"


def is_named_tuple_class(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, tuple) and isinstance(getattr(value, "_fields", None), tuple)


# ---- aggregates: classes that Triton's `_aggregate` has made


def is_aggregate(value: Any) -> bool:
    return isinstance(value, type) and bool(getattr(value, "__triton_aggregate__", False))


def aggregate_class(value: Any) -> type:
    """The user's class. An aggregate is made from it."""
    new = value.__new__
    cells = dict(zip(new.__code__.co_freevars, new.__closure__ or ()))
    found = cells["cls"].cell_contents
    assert isinstance(found, type)
    return found


def aggregate_fields(value: Any) -> List[str]:
    """The annotated fields, those of its bases first (Triton has bases from 3.8 on)."""
    return list(getattr(value, "__aggregate_fields__", None) or aggregate_class(value).__annotations__)


def aggregate_defaults(value: Any) -> Dict[str, Any]:
    return dict(getattr(value, "__aggregate_defaults__", {}))


def has_constructor(value: Any) -> bool:
    """True if its class has its own. Else Triton, from 3.8 on, makes one of the fields."""
    return "__init__" in vars(aggregate_class(value))


def plain_or_jit(value: Any) -> types.FunctionType:
    """The Python function that is, or is within, what a class has as a method."""
    function = jit_parts(value)[1] if is_jit(value) else value
    assert isinstance(function, types.FunctionType)
    return function


def aggregate_methods(value: Any) -> Dict[str, Any]:
    """The methods of its objects: functions that take the object first. TypeError: an operator is among them."""
    found = {}
    for name, member in inspect.getmembers(aggregate_class(value)):
        static = isinstance(inspect.getattr_static(aggregate_class(value), name), staticmethod)
        if static or name in _UNUSED or not (is_jit(member) or isinstance(member, types.FunctionType)):
            continue
        if not is_jit(member) and str(getattr(member, "__module__", "")).startswith("triton."):
            continue  # of a base, which Triton has made
        if name.startswith("__") and name != "__getitem__":
            raise TypeError(f"'{value.__name__}' has '{name}', which a kernel cannot call: give the method another name")
        found[name] = member
    return found


# Methods that a kernel does not ask for: what makes objects, and what only Python calls. Items are not assigned.
_UNUSED = frozenset(("__init__", "__setitem__", "__repr__", "__str__", "__hash__"))


def number_text(value: Any) -> Optional[str]:
    """A number, string, None or truth value as the language writes it; None: it is none of them."""
    if hasattr(value, "dtype") and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()  # NumPy's scalars
    if value is None or isinstance(value, bool):
        return repr(value)
    if type(value).__name__ in ("PROPAGATE_NAN", "PropagateNan"):
        return json.dumps(value.name)
    if isinstance(value, enum.Enum) and not isinstance(value, (int, str)):
        return None
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else f'float("{float(value)}")'
    if isinstance(value, str):
        return json.dumps(str.__str__(value), ensure_ascii=False)
    return None
