# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that are checked (TILEC_CHECK=1), and those whose arrays are not on the device that they are to run on."""

from __future__ import annotations

import copy
import ctypes
import sys
import time
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from . import _devices, _native
from ._arrays import ARRAY, DESCRIPTOR, EXCHANGE, POINTER, TUPLE, classify
from ._errors import ArgumentError, DeviceError, LaunchError, TilecWarning, has_elements, run_warnings, with_elements

_checks = False
explains: Optional[Callable[[Any, Any, Tuple[Any, ...], Dict[str, Any]], None]] = None  # _explain.note, with `python -m tilec explain`
only: Optional[str] = None  # the kernel that is checked or explained; None: all
checked_launches: Dict[str, int] = {}  # of each kernel
first_only = False  # an autotuner took its first configuration without a measurement, so a check has not seen the others
reported_launches: Dict[str, int] = {}  # those that ended with a LaunchError, which the program may have caught

# The seconds that a kernel's evaluation may take, beyond a few times its checks on the simulator.
PATIENCE = 2.0

# For _launch_on: a check that drops the kernel's prints. The simulator has printed them.
SILENT = -1


def set_check(on: bool) -> None:
    """Checks every launch from now on. `TILEC_CHECK=1` in the environment does the same at the import.

    The simulator runs a launch under each schedule with every checker on, and then the evaluator runs it. Launches on
    a GPU are checked with copies of their arrays first.

    Args:
        on: False ends the checks.

    Errors: later launches raise LaunchError at the Python line of a race, an access out of bounds or an undefined value.
    Three kinds are warnings (TilecWarning): a stored value that a masked load without `other` did not read, an offset that wrapped in 32 bits,
    and a broken hint.

    Example::

        @tilec.jit
        def total(x, out):
            tl.store(out, tl.load(out) + tl.load(x + tl.program_id(0)))

        tilec.set_check(True)
        try:
            total[(4,)](x, out)
        except tilec.LaunchError as error:
            print("data race on out[0]" in str(error))  # True
    """
    global _checks
    _checks = bool(on)
    _native.set_checks(_checks)
    for changed in _devices.watchers:
        changed()


def get_check() -> bool:
    """Returns whether launches are checked; see `set_check`.

    Example::

        print(tilec.get_check())  # False
    """
    return _checks


def launch(kernel: Any, device: _native.Device, grid: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """As _native asks a kernel's _elsewhere."""
    if explains is not None and _is_wanted(kernel):
        explains(kernel, grid, args, kwargs)
    on_gpu = any(_is_on_gpu(array) for value in [*args, *kwargs.values()] for array in _arrays_in(value))
    if device.name.startswith("cuda"):
        _refuse_host_arrays(kernel, device, args, kwargs)
        if _checks and _is_wanted(kernel):
            _on_copies(kernel, grid, args, kwargs, copy_back=False)
        return NotImplemented
    if on_gpu:
        return _on_copies(kernel, grid, args, kwargs, copy_back=True)
    return checked(kernel, grid, args, kwargs) if _checks and _is_wanted(kernel) else NotImplemented


def _is_wanted(kernel: Any) -> bool:
    return only is None or kernel.__name__ == only


def set_explain(noting: Callable[[Any, Any, Tuple[Any, ...], Dict[str, Any]], None]) -> None:
    """Every launch is noted from now on."""
    global explains
    explains = noting
    _native.set_checks(True)
    for changed in _devices.watchers:
        changed()


def set_only(name: Optional[str]) -> None:
    """Only launches of that kernel are checked or explained."""
    global only
    only = name


# ---- checks


def checked(kernel: Any, grid: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """On the simulator with every checker, then on the evaluator, from the same memory; what is left is the
    simulator's."""
    name = kernel.__name__
    checked_launches[name] = checked_launches.get(name, 0) + 1
    try:
        return _checked(kernel, grid, args, kwargs)
    except LaunchError:
        reported_launches[name] = reported_launches.get(name, 0) + 1
        raise


def _checked(kernel: Any, grid: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    memory = kernel._memory(*args, **kwargs)
    before = _read(memory)
    began = time.monotonic()
    try:
        handle = kernel._launch_on(_devices.opened("sim"), 1, 0.0, grid, *args, **kwargs)
    except LaunchError as error:
        if not has_elements(error):
            raise
        evaluated = _evaluated(kernel, grid, args, kwargs, memory, before, time.monotonic() - began)
        raise with_elements(error, evaluated) if evaluated else error from None
    spent = time.monotonic() - began
    after = _read(memory)
    _write(memory, before)
    try:
        kernel._launch_on(_devices.opened("eval"), SILENT, PATIENCE + 4 * spent, grid, *args, **kwargs)
    except LaunchError as error:
        if not _is_timeout(error):
            raise
        _warn(f"{kernel.__name__}: not evaluated, so undefined values are not detected: it takes more than {PATIENCE + 4 * spent:.0f} s")
    except DeviceError as error:
        _warn(f"{kernel.__name__}: not evaluated, so undefined values are not detected: {error}")
    finally:
        _write(memory, after)
    return handle


def _evaluated(
    kernel: Any, grid: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], memory: List[Tuple[int, int]], before: List[bytes], spent: float
) -> Optional[LaunchError]:
    """The evaluator's error for a launch that the simulator reports. Its warnings are dropped."""
    after, known = _read(memory), set(run_warnings)
    _write(memory, before)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kernel._launch_on(_devices.opened("eval"), SILENT, PATIENCE + 4 * spent, grid, *args, **kwargs)
    except LaunchError as error:
        return error
    except DeviceError:
        pass
    finally:
        run_warnings.intersection_update(known)
        _write(memory, after)
    return None


def _is_timeout(error: LaunchError) -> bool:
    return "has not ended within" in str(error)


def _warn(text: str) -> None:
    run_warnings.add((None, 0, text))
    warnings.warn(text, TilecWarning, stacklevel=5)


def _read(memory: List[Tuple[int, int]]) -> List[bytes]:
    return [ctypes.string_at(address, size) if size else b"" for address, size in memory]


def _write(memory: List[Tuple[int, int]], contents: List[bytes]) -> None:
    for (address, size), content in zip(memory, contents):
        if size:
            ctypes.memmove(address, content, size)


# ---- copies


def _arrays_in(value: Any) -> Iterator[Any]:
    """The arrays that an argument is or consists of."""
    kind = classify(type(value))[0]
    if kind in (EXCHANGE, POINTER, ARRAY):
        yield value
    elif kind == DESCRIPTOR:
        yield from _arrays_in(value.base)
    elif kind == TUPLE:
        for item in value:
            yield from _arrays_in(item)


def _is_on_gpu(value: Any) -> bool:
    """The facts of an array."""
    where = getattr(getattr(value, "device", None), "type", None)
    if where is not None:
        return bool(where == "cuda")
    return getattr(value, "__cuda_array_interface__", None) is not None


def _refuse_host_arrays(kernel: Any, device: _native.Device, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
    for name, value in [*zip(kernel.arg_names, args), *kwargs.items()]:
        for array in _arrays_in(value):
            pinned = getattr(array, "is_pinned", None)
            if not _is_on_gpu(array) and (pinned is None or not pinned()):
                raise ArgumentError(f"{kernel.__name__}: argument '{name}' is in the host's memory, and the launch is on {device.name}")


class _Copies:
    """Arrays of a GPU in the host's memory; those that share memory there do so here."""

    def __init__(self) -> None:
        self.storages: Dict[int, Tuple[Any, Any]] = {}
        self.others: List[Tuple[Any, Any]] = []

    def of(self, value: Any) -> Any:
        """The argument with copies instead of its arrays."""
        kind = classify(type(value))[0]
        if kind == DESCRIPTOR:
            changed = copy.copy(value)
            changed.base = self.of(value.base)
            return changed
        if kind == TUPLE:
            items = [self.of(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        return self._of_array(value) if kind in (EXCHANGE, POINTER, ARRAY) and _is_on_gpu(value) else value

    def _of_array(self, value: Any) -> Any:
        if type(value).__module__.partition(".")[0] == "torch" or hasattr(value, "untyped_storage"):
            return self._of_torch(value)
        cupy = sys.modules.get("cupy")
        if cupy is None or not isinstance(value, cupy.ndarray) or not value.flags.c_contiguous:
            raise ArgumentError(f"a {type(value).__name__} of a GPU cannot be copied to the simulator: give a contiguous one of PyTorch or CuPy")
        on_host = cupy.asnumpy(value)
        self.others.append((value, on_host))
        return on_host

    def _of_torch(self, tensor: Any) -> Any:
        torch = sys.modules["torch"]
        storage = tensor.untyped_storage()
        known = self.storages.get(storage.data_ptr())
        if known is None:
            known = self.storages[storage.data_ptr()] = (storage, storage.cpu())
        return torch.empty(0, dtype=tensor.dtype).set_(known[1], tensor.storage_offset(), tensor.size(), tensor.stride())

    def put_back(self) -> None:
        for storage, on_host in self.storages.values():
            storage.copy_(on_host)
        for array, on_host in self.others:
            array.set(on_host)


def _on_copies(kernel: Any, grid: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], copy_back: bool) -> Any:
    copies = _Copies()
    host_args = tuple(copies.of(value) for value in args)
    host_kwargs = {name: copies.of(value) for name, value in kwargs.items()}
    if _checks and _is_wanted(kernel):
        handle = checked(kernel, grid, host_args, host_kwargs)
    else:
        handle = kernel._launch_on(_devices.opened(_devices.get_device() or "sim"), 0, 0.0, grid, *host_args, **host_kwargs)
    if copy_back:
        copies.put_back()
    return handle
