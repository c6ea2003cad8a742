# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of the language that Python can hold: constexprs, types, and functions that only a kernel can call."""

from __future__ import annotations

import builtins
import functools
import operator
from typing import Any, Callable, Iterator, List, Optional, Sequence, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def _outside(name: str) -> RuntimeError:
    return RuntimeError(f"'{name}' belongs to kernels: call it in a function that @tilec.jit decorates")


def builtin(function: F) -> F:
    """A function of the language: it has a name and parameters here, and no body."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        raise _outside(function.__name__)

    called.__tilec_builtin__ = True  # type: ignore[attr-defined]
    parts = function.__module__.split(".")
    called.__module__ = ".".join(part for part in parts if not part.startswith("_"))
    return called  # type: ignore[return-value]


# ---------------------------------------------------------------- constexprs


def _unwrap(value: Any) -> Any:
    while isinstance(value, constexpr):
        value = value.value
    return value


class constexpr:
    """A value that is known when a kernel is compiled. As an annotation it marks such a parameter; in Python it computes
    as its value does, and gives constexprs."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = _unwrap(value)

    def __repr__(self) -> str:
        return f"constexpr[{self.value}]"

    def __hash__(self) -> int:
        return hash(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __getitem__(self, index: Any) -> Any:
        return constexpr(self.value[_unwrap(index)])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.value(*args, **kwargs)

    def __contains__(self, item: Any) -> bool:
        return _unwrap(item) in self.value

    def __eq__(self, other: Any) -> Any:
        return constexpr(self.value == _unwrap(other))

    def __ne__(self, other: Any) -> Any:
        return constexpr(self.value != _unwrap(other))

    def logical_and(self, other: Any) -> "constexpr":
        return constexpr(self.value and _unwrap(other))

    def logical_or(self, other: Any) -> "constexpr":
        return constexpr(self.value or _unwrap(other))

    def __not__(self) -> "constexpr":
        return constexpr(not self.value)


def _both_ways(name: str) -> None:
    compute = getattr(operator, name)

    def forward(self: constexpr, other: Any) -> constexpr:
        return constexpr(compute(self.value, _unwrap(other)))

    def backward(self: constexpr, other: Any) -> constexpr:
        return constexpr(compute(_unwrap(other), self.value))

    plain = name.strip("_")
    setattr(constexpr, f"__{plain}__", forward)
    if plain not in ("lt", "le", "gt", "ge"):
        setattr(constexpr, f"__r{plain}__", backward)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor", "lt", "le", "gt", "ge"):
    _both_ways(_name)


def _one_way(name: str) -> None:
    compute = getattr(operator, name)
    setattr(constexpr, f"__{name}__", lambda self: constexpr(compute(self.value)))


for _name in ("neg", "pos", "invert", "abs"):
    _one_way(_name)


# ---------------------------------------------------------------- types

_MANTISSA = {"fp8e4nv": 3, "fp8e4b8": 3, "fp8e4b15": 3, "fp8e5": 2, "fp8e5b16": 2, "fp16": 10, "bf16": 7, "fp32": 23, "fp64": 52}
_BIAS = {"fp8e4nv": 7, "fp8e4b8": 8, "fp8e4b15": 15, "fp8e5": 15, "fp8e5b16": 16, "fp16": 15, "bf16": 127, "fp32": 127, "fp64": 1023}
_BITS = {**{name: 8 for name in _MANTISSA if name.startswith("fp8")}, "fp16": 16, "bf16": 16, "fp32": 32, "fp64": 64, "void": 0}
_LONG = {"fp8e4nv": "float8e4nv", "fp8e5": "float8e5", "fp8e4b15": "float8e4b15", "fp8e4b8": "float8e4b8", "fp8e5b16": "float8e5b16",
         "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}


class dtype:
    """An element type, by Triton's short name ("fp32", "int8")."""

    SINT_TYPES: List[str] = ["int8", "int16", "int32", "int64"]
    UINT_TYPES: List[str] = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES: List[str] = list(_MANTISSA)
    STANDARD_FP_TYPES: List[str] = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES: List[str] = ["void"]

    def __init__(self, name: Any):
        name = _unwrap(name)
        if name not in self.SINT_TYPES + self.UINT_TYPES + self.FP_TYPES + self.OTHER_TYPES:
            raise ValueError(f"there is no type '{name}'")
        self.name: str = name
        digits = name.lstrip("uint")
        self.primitive_bitwidth: int = _BITS[name] if name in _BITS else int(digits)
        if name in _MANTISSA:
            self.fp_mantissa_width: int = _MANTISSA[name]
            self.exponent_bias: int = _BIAS[name]
        elif name != "void":
            self.int_bitwidth: int = self.primitive_bitwidth
            self.int_signedness: str = "signed" if name in self.SINT_TYPES else "unsigned"

    @property
    def itemsize(self) -> int:
        return (self.primitive_bitwidth + 7) // 8

    @property
    def scalar(self) -> "dtype":
        return self

    @property
    def cache_key_part(self) -> str:
        return self.name

    def is_fp8(self) -> bool:
        return self.name.startswith("fp8")

    def is_fp16(self) -> bool:
        return self.name == "fp16"

    def is_bf16(self) -> bool:
        return self.name == "bf16"

    def is_fp32(self) -> bool:
        return self.name == "fp32"

    def is_fp64(self) -> bool:
        return self.name == "fp64"

    def is_int1(self) -> bool:
        return self.name == "int1"

    def is_int8(self) -> bool:
        return self.name == "int8"

    def is_int16(self) -> bool:
        return self.name == "int16"

    def is_int32(self) -> bool:
        return self.name == "int32"

    def is_int64(self) -> bool:
        return self.name == "int64"

    def is_uint8(self) -> bool:
        return self.name == "uint8"

    def is_uint16(self) -> bool:
        return self.name == "uint16"

    def is_uint32(self) -> bool:
        return self.name == "uint32"

    def is_uint64(self) -> bool:
        return self.name == "uint64"

    def is_floating(self) -> bool:
        return self.name in self.FP_TYPES

    def is_standard_floating(self) -> bool:
        return self.name in self.STANDARD_FP_TYPES

    def is_int_signed(self) -> bool:
        return self.name in self.SINT_TYPES

    def is_int_unsigned(self) -> bool:
        return self.name in self.UINT_TYPES

    def is_int(self) -> bool:
        return self.is_int_signed() or self.is_int_unsigned()

    def is_bool(self) -> bool:
        return self.is_int1()

    def is_void(self) -> bool:
        return self.name == "void"

    def is_dtype(self) -> bool:
        return True

    def is_ptr(self) -> bool:
        return False

    def is_block(self) -> bool:
        return False

    def is_const(self) -> bool:
        return False

    def __eq__(self, other: Any) -> bool:
        other = _unwrap(other)
        return type(other) is type(self) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"tilec.language.{_LONG.get(self.name, self.name)}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise _outside(self.name)

    def to(self, *args: Any, **kwargs: Any) -> Any:
        raise _outside("to")


class pointer_type(dtype):
    """A pointer to elements of a type; `const`: that a kernel only reads."""

    def __init__(self, element_ty: Any, address_space: int = 1, const: bool = False):
        self.element_ty: dtype = _unwrap(element_ty)
        self.address_space, self.const = address_space, const
        self.name = f"pointer<{self.element_ty}>" if not const else f"const_pointer<{self.element_ty}>"
        self.primitive_bitwidth = 64

    def is_ptr(self) -> bool:
        return True

    def is_const(self) -> bool:
        return self.const

    def is_floating(self) -> bool:
        return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: Any) -> bool:
        other = _unwrap(other)
        return isinstance(other, pointer_type) and (other.element_ty, other.const) == (self.element_ty, self.const)


class block_type(dtype):
    """A tile's type."""

    def __init__(self, element_ty: Any, shape: Sequence[int]):
        self.element_ty: dtype = _unwrap(element_ty)
        self.shape = builtins.tuple(_unwrap(size) for size in shape)
        self.name = f"<{list(self.shape)}, {self.element_ty}>"
        self.primitive_bitwidth = self.element_ty.primitive_bitwidth

    @property
    def scalar(self) -> dtype:
        return self.element_ty

    def is_block(self) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(self.name)


class _kernels_own:
    """A class of the language whose objects only kernels have."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise _outside(type(self).__name__)


class tensor(_kernels_own):
    """A tile or scalar of a kernel: for annotations."""


class tensor_descriptor(_kernels_own):
    """A tensor descriptor within a kernel: for annotations."""


class tensor_descriptor_type(_kernels_own): ...


class tuple_type(_kernels_own): ...


class constexpr_type(_kernels_own): ...


class const:
    """As an annotation: a pointer through which nothing is stored."""


class range(_kernels_own):
    """`for i in tl.range(...)`: Python's range, with hints for the compiler."""


class static_range(_kernels_own):
    """`for i in tl.static_range(...)`: a loop that is unrolled when the kernel is compiled."""


class condition(_kernels_own):
    """`while tl.condition(...)`: a condition, with hints for the compiler."""


class PropagateNan:
    """How `maximum`, `minimum` and `clamp` treat NaNs."""

    NONE: "PropagateNan"
    ALL: "PropagateNan"

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"PropagateNan.{self.name}"


PropagateNan.NONE = PropagateNan("NONE")
PropagateNan.ALL = PropagateNan("ALL")


def str_to_ty(name: str, c: Optional[Any] = None) -> dtype:
    """The type of an argument as a signature spells it ("*fp32", "i32")."""
    if name.startswith("*"):
        constant = name[1:2] == "k"
        return pointer_type(str_to_ty(name[2 if constant else 1 :]), const=constant)
    short = {"i": "int", "u": "uint"}.get(name[:1])
    return dtype(short + name[1:] if short and name[1:].isdigit() else name)
