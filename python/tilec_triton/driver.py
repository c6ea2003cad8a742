# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's driver where there is no GPU: launches run on tilec's simulator, with arrays of the host."""

from __future__ import annotations

import importlib.util
import os
import struct
import time
from types import SimpleNamespace
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from .compiler import wanted

# The properties of the simulator that kernels are compiled for, and of its chip.
CAPABILITY = int((os.environ.get("TILEC_WARM_ARCH") or "sm_90").lstrip("sm_").rstrip("a"))
PROPERTIES = {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32}


def _no_time(call: Callable[[], Any], quantiles: Optional[Sequence[float]] = None, **options: Any) -> Any:
    """The simulator measures no time: every configuration is as fast as the first."""
    importlib.import_module("tilec._elsewhere").first_only = True
    return 0.0 if quantiles is None else [0.0] * len(quantiles)


def usage(image: bytes) -> Tuple[int, int]:
    """Registers of a thread, and its local memory in words, of a cubin with one kernel: EIATTR_REGCOUNT and
    EIATTR_FRAME_SIZE in its section .nv.info."""
    table, size, count, strings = (*struct.unpack_from("<Q", image, 0x28), *struct.unpack_from("<HHH", image, 0x3A))
    headers = [struct.unpack_from("<IIQQQQ", image, table + size * i) for i in range(count)]
    found: Dict[int, int] = {}
    for name, _, _, _, at, length in headers:
        if image[headers[strings][4] + name :].startswith(b".nv.info\0"):
            end = at + length
            while at < end:
                form, attribute, more = struct.unpack_from("<BBH", image, at)
                at += 4
                if form == 4:  # `more` bytes follow: here a symbol and a number
                    found[attribute] = max(found.get(attribute, 0), struct.unpack_from("<I", image, at + more - 4)[0])
                    at += more
    return found.get(0x2F, 0), found.get(0x11, 0) // 4


class Launcher:
    """Launches what Triton has compiled: the kernel's function, on the simulator."""

    def __init__(self, source: Any, metadata: Any):
        self.source, self.metadata = source, metadata

    def __call__(self, x: int, y: int, z: int, stream: int, function: Any, packed: Any, launch: Any, enter: Any, leave: Any, *args: Any) -> None:
        given = set(self.source.fn.arg_names)  # a parameter may have an option's name
        options = {name: getattr(self.metadata, name) for name in ("num_warps", "num_stages", "maxnreg") if name not in given}
        options["tma"] = getattr(self.metadata, "tma", None)
        if hasattr(self.metadata, "restrict_pointers"):
            options["restrict_pointers"] = self.metadata.restrict_pointers
        importlib.import_module("tilec.triton").simulated(self.source.fn).run(*args, grid=(x, y, z), **options)


class _Event:
    """In the place of a CUDA event, for programs that time launches by themselves: the host's clock."""

    def __init__(self, enable_timing: bool = False, **options: Any):
        if enable_timing:
            importlib.import_module("tilec._errors").warn_outside(importlib.import_module("tilec._autotune").NO_TIME)

    def record(self, stream: Any = None) -> None:
        self.at = time.perf_counter()

    def elapsed_time(self, end: "_Event") -> float:
        return (end.at - self.at) * 1e3

    def synchronize(self) -> None:
        pass


class _Interface:
    """PyTorch's module of the CPU, which need not be installed, with events."""

    Event = _Event

    @staticmethod
    def synchronize(device: Any = None) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("torch").cpu, name)


class SimulatorDriver(DriverBase):
    launcher_cls = Launcher

    def __init__(self) -> None:
        importlib.import_module("tilec.triton")
        self.utils = SimpleNamespace(
            get_device_properties=lambda device: dict(PROPERTIES),
            load_binary=lambda name, image, shared, device: (None, None, *usage(image), 1024),
        )

    @classmethod
    def is_active(cls) -> bool:
        """Where no other driver is, whatever these look for: PyTorch's GPU, or CUDA's."""
        if not wanted():
            return False
        backends = importlib.import_module("triton.backends").backends
        return not any(each.driver.is_active() for each in backends.values() if each.driver is not cls)

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", CAPABILITY, 32)

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: Optional[int] = None) -> int:
        return 0

    def get_device_capability(self, device: Optional[int] = None) -> Any:
        return divmod(CAPABILITY, 10)

    def get_active_torch_device(self) -> Any:
        return importlib.import_module("torch").device("cpu")

    def get_device_interface(self) -> Any:
        return _Interface()

    def get_benchmarker(self) -> Callable[..., Any]:
        return _no_time

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_empty_cache_for_benchmark(self) -> Any:
        return importlib.import_module("torch").empty(0) if importlib.util.find_spec("torch") else None

    def clear_cache(self, cache: Any) -> None:
        pass


