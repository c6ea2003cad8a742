# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Selects the device and the stream of a launch."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _native
from ._errors import DeviceError

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13  # DLPack's

_opened: Dict[str, _native.Device] = {}
_before_fork: Dict[str, _native.Device] = {}  # never closed: their resources are the parent's
_chosen: Optional[str] = None
watchers: List[Callable[[], None]] = []  # called when it is chosen anew where launches run, or whether they are checked


def set_device(name: Optional[str]) -> None:
    """Chooses the device of all launches from now on. `TILEC_DEVICE` in the environment does the same at the import.

    Args:
        name: "sim" (the simulator), "eval" (the reference evaluator), "cuda" or "cuda:1". None: the device of a
            launch's arrays.

    Errors: DeviceError if there is no device of that name.

    Example::

        tilec.set_device("sim")
        print(tilec.get_device())  # sim
        tilec.set_device(None)
    """
    global _chosen
    if name is not None:
        kind, _, number = name.partition(":")
        if kind not in ("sim", "eval", "cuda") or (number and not number.isdigit()) or (number and kind != "cuda"):
            raise DeviceError(f"no device {name!r}: there are sim, eval, cuda, cuda:0, cuda:1...")
    _chosen = name
    _native.forget_devices()
    for changed in watchers:
        changed()


def get_device() -> Optional[str]:
    """Returns the name that `set_device` or `TILEC_DEVICE` has chosen. None: a launch runs where its arrays are.

    Example::

        print(tilec.get_device())  # None
    """
    return _chosen


def device(name: Optional[str] = None) -> _native.Device:
    """Returns a device. It is opened once in a process.

    Args:
        name: as for `set_device`. None: the device of a launch without arrays.

    Returns a Device.

    Errors: DeviceError if there is no such device or no driver.

    Example::

        print(tilec.device("sim").name)  # sim
    """
    return opened(name) if name is not None else choose(-1, 0)


def synchronize() -> None:
    """Waits until all launches are done, on every device.

    Errors: LaunchError if a kernel failed on a GPU, and DriverError if the driver reports something else.

    Example::

        add[grid](x, y, out, 1000, BLOCK=256)
        tilec.synchronize()
    """
    for each in list(_opened.values()):
        each.synchronize()


def opened(name: str) -> _native.Device:
    if name == "cuda":
        name = f"cuda:{_current_gpu()}"
    known = _opened.get(name)
    if known is None:
        if name.startswith("cuda") and any(old.startswith("cuda") for old in _before_fork):
            raise DeviceError(
                f"{name}: this process was forked after its parent opened a GPU, so CUDA does not work in it; "
                'start it by multiprocessing.get_context("spawn"), or launch on the simulator (TILEC_DEVICE=sim)'
            )
        known = _opened[name] = _native.Device(name)
    return known


def choose(kind: int, number: int) -> _native.Device:
    """The device for arrays of a DLPack device type and number; -1: the launch has none."""
    if _chosen is not None:
        if _chosen == "cuda" and kind in (CUDA, CUDA_MANAGED):
            return opened(f"cuda:{number}")
        return opened(_chosen)
    if kind in (CUDA, CUDA_MANAGED):
        return opened(f"cuda:{number}")
    if kind != -1:
        return opened("sim")
    return opened(_default())


def _default() -> str:
    """For a launch without arrays: a GPU where there is one."""
    for name in _opened:
        if name.startswith("cuda"):
            return "cuda"
    if _before_fork:
        return "sim"
    try:
        return opened("cuda").name
    except DeviceError:
        return "sim"


def _torch() -> Any:
    """PyTorch where the program has imported it and it has a GPU in use."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return torch if cuda is not None and cuda.is_available() else None


def _current_gpu() -> int:
    torch = _torch()
    if torch is not None:
        return int(torch.cuda.current_device())
    cupy = sys.modules.get("cupy")
    return int(cupy.cuda.Device().id) if cupy is not None else 0


def stream_of(array: Any, number: int) -> int:
    """The current CUstream of the library that an array is of; torch's, where there is no array. 0: the default one."""
    module = type(array).__module__.partition(".")[0]
    if module == "cupy":
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    torch = _torch()
    if torch is not None:
        return int(torch.cuda.current_stream(number).cuda_stream)
    if "cupy" in sys.modules:
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    return 0


def _forked() -> None:
    """In a child process: its simulators are its own, and it has no GPU that the parent had opened."""
    _before_fork.update(_opened)
    _opened.clear()
    _native.forget_devices()


os.register_at_fork(after_in_child=_forked)
