# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of the language that Python can hold: constexprs, types, and functions that only a kernel can call."""

from __future__ import annotations

import builtins
import functools
import operator
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Sequence, TypeVar

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
    """A value that is known when a kernel is compiled. As an annotation it marks such a parameter: each value makes a
    variant of the kernel. In Python it computes as its value does, and its operators return constexprs.

    Args:
        value: a number, a string, a type, a function, a tuple or None; the attribute `value` has it.

    Example::

        SIZE = tl.constexpr(256)
        print(SIZE.value, SIZE * 2)  # 256 constexpr[512]
    """

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
        """Returns `value and other` as a constexpr.

        Args:
            other: a value or a constexpr.

        Example::

            EVEN, REST = tl.constexpr(True), tl.constexpr(0)
            print(EVEN.logical_and(REST))  # constexpr[0]
        """
        return constexpr(self.value and _unwrap(other))

    def logical_or(self, other: Any) -> "constexpr":
        """Returns `value or other` as a constexpr.

        Args:
            other: a value or a constexpr.

        Example::

            EVEN, REST = tl.constexpr(True), tl.constexpr(0)
            print(EVEN.logical_or(REST))  # constexpr[True]
        """
        return constexpr(self.value or _unwrap(other))

    def __not__(self) -> "constexpr":
        return constexpr(not self.value)

    if TYPE_CHECKING:  # the others, which _both_ways and _one_way make

        def __add__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __rtruediv__(self, other: Any) -> Any: ...
        def __floordiv__(self, other: Any) -> Any: ...
        def __rfloordiv__(self, other: Any) -> Any: ...
        def __mod__(self, other: Any) -> Any: ...
        def __rmod__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def __rpow__(self, other: Any) -> Any: ...
        def __lshift__(self, other: Any) -> Any: ...
        def __rlshift__(self, other: Any) -> Any: ...
        def __rshift__(self, other: Any) -> Any: ...
        def __rrshift__(self, other: Any) -> Any: ...
        def __and__(self, other: Any) -> Any: ...
        def __rand__(self, other: Any) -> Any: ...
        def __or__(self, other: Any) -> Any: ...
        def __ror__(self, other: Any) -> Any: ...
        def __xor__(self, other: Any) -> Any: ...
        def __rxor__(self, other: Any) -> Any: ...
        def __lt__(self, other: Any) -> Any: ...
        def __le__(self, other: Any) -> Any: ...
        def __gt__(self, other: Any) -> Any: ...
        def __ge__(self, other: Any) -> Any: ...
        def __neg__(self) -> Any: ...
        def __pos__(self) -> Any: ...
        def __invert__(self) -> Any: ...
        def __abs__(self) -> Any: ...

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
    """An element type, such as `tl.float32`.

    Args:
        name: Triton's short name: "fp32", "bf16", "int8", "uint64", "int1", "fp8e5" and so on.

    Attributes:
        name: the short name.
        primitive_bitwidth: bits of an element.
        itemsize: bytes of an element.

    Errors: ValueError if there is no type of that name.
    """

    SINT_TYPES: List[str] = ["int8", "int16", "int32", "int64"]
    UINT_TYPES: List[str] = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES: List[str] = list(_MANTISSA)
    STANDARD_FP_TYPES: List[str] = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES: List[str] = ["void"]
    _module = "tilec.language"  # which `repr` names

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
        """Bytes of an element."""
        return (self.primitive_bitwidth + 7) // 8

    @property
    def scalar(self) -> "dtype":
        """The element type: this one."""
        return self

    @property
    def cache_key_part(self) -> str:
        """The name, for Triton's caches."""
        return self.name

    def is_fp8(self) -> bool:
        """True if the type is one of the 8-bit floats."""
        return self.name.startswith("fp8")

    def is_fp16(self) -> bool:
        """True if the type is fp16."""
        return self.name == "fp16"

    def is_bf16(self) -> bool:
        """True if the type is bf16."""
        return self.name == "bf16"

    def is_fp32(self) -> bool:
        """True if the type is fp32."""
        return self.name == "fp32"

    def is_fp64(self) -> bool:
        """True if the type is fp64."""
        return self.name == "fp64"

    def is_int1(self) -> bool:
        """True if the type is i1."""
        return self.name == "int1"

    def is_int8(self) -> bool:
        """True if the type is int8."""
        return self.name == "int8"

    def is_int16(self) -> bool:
        """True if the type is int16."""
        return self.name == "int16"

    def is_int32(self) -> bool:
        """True if the type is int32."""
        return self.name == "int32"

    def is_int64(self) -> bool:
        """True if the type is int64."""
        return self.name == "int64"

    def is_uint8(self) -> bool:
        """True if the type is uint8."""
        return self.name == "uint8"

    def is_uint16(self) -> bool:
        """True if the type is uint16."""
        return self.name == "uint16"

    def is_uint32(self) -> bool:
        """True if the type is uint32."""
        return self.name == "uint32"

    def is_uint64(self) -> bool:
        """True if the type is uint64."""
        return self.name == "uint64"

    def is_floating(self) -> bool:
        """True if the type is a float type."""
        return self.name in self.FP_TYPES

    def is_standard_floating(self) -> bool:
        """True if the type is fp16, bf16, fp32 or fp64."""
        return self.name in self.STANDARD_FP_TYPES

    def is_int_signed(self) -> bool:
        """True if the type is a signed integer type."""
        return self.name in self.SINT_TYPES

    def is_int_unsigned(self) -> bool:
        """True if the type is an unsigned integer type, i1 included."""
        return self.name in self.UINT_TYPES

    def is_int(self) -> bool:
        """True if the type is an integer type, i1 included."""
        return self.is_int_signed() or self.is_int_unsigned()

    def is_bool(self) -> bool:
        """True if the type is i1."""
        return self.is_int1()

    def is_void(self) -> bool:
        """True if the type is void."""
        return self.name == "void"

    def is_dtype(self) -> bool:
        """True: this is an element type."""
        return True

    def is_ptr(self) -> bool:
        """True if the type is a pointer."""
        return False

    def is_block(self) -> bool:
        """True if the type is a tile's type."""
        return False

    def is_const(self) -> bool:
        """True if the type is a pointer that forbids stores."""
        return False

    def __eq__(self, other: Any) -> bool:
        other = _unwrap(other)
        return type(other) is type(self) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"{self._module}.{_LONG.get(self.name, self.name)}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise _outside(self.name)

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Belongs to kernels: `x.to(dtype)`."""
        raise _outside("to")


class pointer_type(dtype):
    """The type of a pointer.

    Args:
        element_ty: the type of the elements.
        address_space: 1, global memory.
        const: True forbids stores.
    """

    def __init__(self, element_ty: Any, address_space: int = 1, const: bool = False):
        self.element_ty: dtype = _unwrap(element_ty)
        self.address_space, self.const = address_space, const
        self.name = f"pointer<{self.element_ty}>" if not const else f"const_pointer<{self.element_ty}>"
        self.primitive_bitwidth = 64

    def is_ptr(self) -> bool:
        """True: it is a pointer."""
        return True

    def is_const(self) -> bool:
        """True if kernels may not store through it."""
        return self.const

    def is_floating(self) -> bool:
        """False: an address is not a float."""
        return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: Any) -> bool:
        other = _unwrap(other)
        return isinstance(other, pointer_type) and (other.element_ty, other.const) == (self.element_ty, self.const)


class block_type(dtype):
    """The type of a tile.

    Args:
        element_ty: the type of the elements.
        shape: the sizes, ints.
    """

    def __init__(self, element_ty: Any, shape: Sequence[int]):
        self.element_ty: dtype = _unwrap(element_ty)
        self.shape = builtins.tuple(_unwrap(size) for size in shape)
        self.name = f"<{list(self.shape)}, {self.element_ty}>"
        self.primitive_bitwidth = self.element_ty.primitive_bitwidth

    @property
    def scalar(self) -> dtype:
        return self.element_ty

    def is_block(self) -> bool:
        """True: it is a tile's type."""
        return True

    def __hash__(self) -> int:
        return hash(self.name)


class _kernels_own:
    """A class of the language whose objects only kernels have."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise _outside(type(self).__name__)


class tensor_descriptor_type(_kernels_own):
    """The type of a tensor descriptor: for annotations."""


class tuple_type(_kernels_own):
    """The type of a tuple, for `isinstance` in a kernel."""


class constexpr_type(_kernels_own):
    """The type of a constexpr, for `isinstance` in a kernel."""


class const:
    """As an annotation of a parameter: a pointer through which the kernel stores nothing."""


class condition(_kernels_own):
    """`while tl.condition(...)`: a condition, with hints for the compiler."""


class PropagateNan:
    """How `maximum`, `minimum` and `clamp` treat NaNs. `NONE` returns the number if one side is NaN. `ALL` returns NaN."""

    NONE: "PropagateNan"
    ALL: "PropagateNan"

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"PropagateNan.{self.name}"


PropagateNan.NONE = PropagateNan("NONE")
PropagateNan.ALL = PropagateNan("ALL")


def str_to_ty(name: str, c: Optional[Any] = None) -> dtype:
    """Returns the type that a signature names.

    Args:
        name: such as "*fp32", "*kfp32" (only read) or "i32".
        c: ignored; Triton has it.

    Errors: ValueError if there is no such type.
    """
    if name.startswith("*"):
        constant = name[1:2] == "k"
        return pointer_type(str_to_ty(name[2 if constant else 1 :]), const=constant)
    short = {"i": "int", "u": "uint"}.get(name[:1])
    return dtype(short + name[1:] if short and name[1:].isdigit() else name)
