# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How types of Python values map to arguments of kernels."""

from __future__ import annotations

import enum
import numbers
from typing import Any, Dict, List, Optional, Tuple

from . import _values as values
from ._devices import CPU, CUDA
from ._errors import ArgumentError

# _native's ValueKind.
UNKNOWN, EXCHANGE, POINTER, ARRAY, INT, FLOAT, BOOL, TUPLE, DESCRIPTOR, CONSTANT = range(10)

# tilec_dtype's numbers, by the names that libraries have for them.
DTYPES: Dict[str, int] = {
    "bool": 0, "int1": 0, "i1": 0,
    "int8": 1, "i8": 1, "int16": 2, "i16": 2, "int32": 3, "i32": 3, "int64": 4, "i64": 4,
    "uint8": 5, "u8": 5, "uint16": 6, "u16": 6, "uint32": 7, "u32": 7, "uint64": 8, "u64": 8,
    "float8_e4m3fn": 9, "float8e4nv": 9, "fp8e4nv": 9, "float8_e5m2": 10, "float8e5": 10, "fp8e5": 10,
    "float16": 11, "fp16": 11, "half": 11, "bfloat16": 12, "bf16": 12,
    "float32": 13, "fp32": 13, "float": 13, "float64": 14, "fp64": 14, "double": 14,
}  # fmt: skip
BYTES = (1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8)

# The signature's names of tilec_dtype.
NAMES = ("i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp8e4nv", "fp8e5", "fp16", "bf16", "fp32", "fp64")

LEGACY_STREAM = 1  # DLPack's number of CUDA's default stream

# (address, dtype, DLPack device type, its number, sizes, strides in elements, what has to live during the launch)
Described = Tuple[int, int, int, int, Optional[Tuple[int, ...]], Optional[Tuple[int, ...]], Any]


def dtype_of(dtype: Any) -> int:
    """The tilec_dtype of a dtype of torch, NumPy, CuPy, JAX, or Triton's language; -1: it has none."""
    name = getattr(dtype, "name", None)
    if not isinstance(name, str):
        name = str(dtype)
    return DTYPES.get(name.rpartition(".")[2], -1)


def classify(kind: type, functions: bool = True) -> Tuple[int, Any]:
    """How values of the type are passed: (kind, a function or the type's capsule). False: its C functions cannot be
    used."""
    api = getattr(kind, "__dlpack_c_exchange_api__", None)
    if api is not None and functions:
        return EXCHANGE, api
    if issubclass(kind, bool) or (kind.__module__ == "numpy" and kind.__name__ in ("bool_", "bool")):
        return BOOL, None
    if hasattr(kind, "data_ptr"):
        return (POINTER if hasattr(kind, "get_device") else ARRAY), by_data_ptr
    if issubclass(kind, numbers.Integral):
        return INT, None
    if issubclass(kind, numbers.Real):
        return FLOAT, None
    if hasattr(kind, "__cuda_array_interface__"):
        return ARRAY, by_cuda_interface
    if hasattr(kind, "__array_interface__"):
        return ARRAY, by_array_interface
    if hasattr(kind, "__dlpack__"):
        return ARRAY, by_dlpack
    if issubclass(kind, (memoryview, bytearray)) or kind.__module__ in ("array", "mmap"):
        return ARRAY, by_buffer
    if issubclass(kind, tuple):
        return TUPLE, None
    if _DESCRIPTOR <= set(getattr(kind, "__annotations__", ())):
        return DESCRIPTOR, None
    if issubclass(kind, (str, type, enum.Enum)) or kind.__name__ in ("constexpr", "dtype"):
        return CONSTANT, None
    if any("__call__" in base.__dict__ for base in kind.__mro__):
        return CONSTANT, None
    if hasattr(kind, "__index__"):
        return INT, None
    return UNKNOWN, None


# Attributes of a tensor descriptor made on the host, tilec's and Triton's.
_DESCRIPTOR = {"base", "shape", "strides", "block_shape"}


def constant_text(name: str, value: Any) -> Tuple[str, Any]:
    """The text, in the language, of a value that is compiled in although its parameter is not declared constexpr. For a
    function it is its name (values.given_name), and the function."""
    value = values.unwrap(value)
    text = values.number_text(value)
    if text is not None:
        return text, None
    if values.is_dtype(value):
        return values.dtype_text(value, "tl"), None
    if values.is_function(value):
        return values.given_name(value), value
    raise TypeError(f"argument '{name}': a {type(value).__name__} cannot be passed at run time: declare the parameter tl.constexpr")


def _contiguous(shape: Tuple[int, ...]) -> Tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _in_elements(what: str, strides: Tuple[int, ...], size: int) -> Tuple[int, ...]:
    if any(stride % size for stride in strides):
        raise ValueError(f"{what}: strides of {strides} bytes are not multiples of the element size, {size}")
    return tuple(stride // size for stride in strides)


def by_data_ptr(array: Any) -> Described:
    """Torch tensors of a release without C functions for it, and objects that look like them: wrappers with another
    dtype, mocks of a type."""
    dtype, address = dtype_of(array.dtype), int(array.data_ptr())
    where = getattr(array, "device", None)
    on_gpu = getattr(where, "type", "cuda" if address else "cpu") == "cuda"
    kind, number = (CUDA, getattr(where, "index", None) or 0) if on_gpu else (CPU, 0)
    stride = getattr(array, "stride", None)
    if not address or dtype < 0 or stride is None:
        return address, dtype, kind, number, None, None, None
    return address, dtype, kind, number, tuple(array.shape), tuple(stride()), None


def _interface(array: Any, interface: Dict[str, Any], kind: int, number: int) -> Described:
    address = interface["data"][0] if interface.get("data") else 0
    shape = tuple(int(size) for size in interface["shape"])
    dtype = getattr(array, "dtype", None)
    code = dtype_of(dtype) if dtype is not None else _code_of_typestr(interface["typestr"])
    if code < 0:
        return address, code, kind, number, None, None, None
    strides = interface.get("strides")
    steps = _contiguous(shape) if strides is None else _in_elements(type(array).__name__, tuple(strides), BYTES[code])
    return address, code, kind, number, shape, steps, None


def _code_of_typestr(typestr: str) -> int:
    names = {"b": "bool", "i": "int", "u": "uint", "f": "float"}
    if typestr[0] == ">" or typestr[1] not in names:
        return -1
    return DTYPES.get(names[typestr[1]] + ("" if typestr[1] == "b" else str(8 * int(typestr[2:]))), -1)


class ReadOnly:
    """An array that may not be written, and the copy that a kernel got."""

    def __init__(self, array: Any):
        self.array, self.copy = array, array.copy()


def launched_with(kept: List[Tuple[str, Any]]) -> None:
    """After a launch, with what it has kept alive: (parameter, object)."""
    for name, each in kept:
        if isinstance(each, ReadOnly) and each.array.tobytes() != each.copy.tobytes():
            raise ArgumentError(f"argument '{name}' is a read-only array, but the kernel stored to it; the array is unchanged")


def by_array_interface(array: Any) -> Described:
    """NumPy, and others with its interface. If an array is read-only, the launch gets a copy."""
    interface = array.__array_interface__
    if interface["typestr"][0] == ">":
        raise TypeError(f"an array of {array.dtype}: its byte order is not supported; use .astype(array.dtype.newbyteorder())")
    if interface["data"][1]:
        kept = ReadOnly(array)
        return _interface(kept.copy, kept.copy.__array_interface__, CPU, 0)[:6] + (kept,)
    return _interface(array, interface, CPU, 0)


def by_cuda_interface(array: Any) -> Described:
    """CuPy, Numba, JAX on a GPU: "CUDA Array Interface", version 3."""
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is None:
        return by_dlpack(array)  # from a library with the interface only for its arrays on a GPU
    where = getattr(array, "device", None)
    number = getattr(where, "id", None)
    return _interface(array, interface, CUDA, int(number) if isinstance(number, int) else 0)


def by_dlpack(array: Any) -> Described:
    """JAX and others that give a DLPack capsule, which is read by _native. On a GPU it is for the stream that the launch
    is put on."""
    from . import _devices, _native

    kind, number = array.__dlpack_device__()
    if kind not in (_devices.CUDA, _devices.CUDA_MANAGED):
        return _native.read_dlpack(array.__dlpack__())
    return _native.read_dlpack(array.__dlpack__(stream=_devices.stream_of(array, int(number)) or LEGACY_STREAM))


def by_buffer(array: Any) -> Described:
    """Objects with Python's buffer protocol: array.array, bytearray, memoryview."""
    import ctypes

    view = memoryview(array)
    kinds = {"?": "bool", "b": "int", "h": "int", "i": "int", "l": "int", "q": "int", "f": "float", "d": "float", "e": "float",
             "B": "uint", "H": "uint", "I": "uint", "L": "uint", "Q": "uint", "c": "uint"}  # fmt: skip
    name = kinds.get(view.format.lstrip("@=<"), "")
    code = DTYPES.get(name if name == "bool" else f"{name}{8 * view.itemsize}", -1)
    if code < 0:
        raise TypeError(f"a buffer of format {view.format!r}: kernels have no such type")
    if view.readonly or not view.contiguous:
        raise TypeError("a buffer that is read-only or not contiguous: give a NumPy array")
    base = (ctypes.c_char * view.nbytes).from_buffer(view) if view.nbytes else None
    address = ctypes.addressof(base) if base is not None else 0
    shape = tuple(view.shape or ())
    return address, code, CPU, 0, shape, _contiguous(shape), base
