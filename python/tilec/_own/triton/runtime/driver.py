# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.runtime.driver.active`: facts of the GPU that launches run on, or of the simulator."""

from __future__ import annotations

import functools
import importlib
from types import SimpleNamespace
from typing import Any, Callable, Optional

import tilec
from tilec import _devices

from ..backends.compiler import GPUTarget
from ..backends.driver import GPUDriver

# Of the simulator, and of the chip that its kernels are compiled for.
SIMULATED = {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32}


class Driver(GPUDriver):
    """tilec's driver: a GPU's where there is one and no other device is chosen, else the simulator's."""

    @property
    def on_gpu(self) -> bool:
        """True if launches run on a GPU."""
        return tilec.device().name.startswith("cuda")

    @staticmethod
    def is_active() -> bool:
        return True

    def get_current_target(self) -> GPUTarget:
        digits = "".join(c for c in tilec.device().arch if c.isdigit()) if self.on_gpu else "90"
        return GPUTarget("cuda", int(digits), 32)

    def get_device_capability(self, device: Optional[int] = None) -> Any:
        return divmod(int(self.get_current_target().arch), 10)

    def get_current_device(self) -> int:
        return int(tilec.device().name.partition(":")[2] or 0) if self.on_gpu else 0

    def set_current_device(self, device: int) -> None:
        if self.on_gpu:
            importlib.import_module("torch").cuda.set_device(device)

    def get_current_stream(self, device: Optional[int] = None) -> int:
        return _devices.stream_of(None, device or 0) if self.on_gpu else 0

    def get_active_torch_device(self) -> Any:
        return importlib.import_module("torch").device(*(("cuda", self.get_current_device()) if self.on_gpu else ("cpu",)))

    def get_device_interface(self) -> Any:
        torch = importlib.import_module("torch")
        return torch.cuda if self.on_gpu else torch.cpu

    def get_benchmarker(self) -> Callable[..., Any]:
        return importlib.import_module("triton.testing").do_bench  # type: ignore[no-any-return]

    def get_empty_cache_for_benchmark(self) -> Any:
        """A tensor that fills the L2 cache; on the simulator an empty one."""
        torch = importlib.import_module("torch")
        return torch.empty(2**28 // 4 if self.on_gpu else 0, dtype=torch.int, device=self.get_active_torch_device())

    def clear_cache(self, cache: Any) -> None:
        cache.zero_()

    @property
    def utils(self) -> Any:
        return SimpleNamespace(get_device_properties=self._properties)

    def _properties(self, device: int) -> Any:
        if not self.on_gpu:
            return dict(SIMULATED)
        found = importlib.import_module("torch").cuda.get_device_properties(device)
        shared = getattr(found, "shared_memory_per_block_optin", SIMULATED["max_shared_mem"])
        return {**SIMULATED, "max_shared_mem": shared, "multiprocessor_count": found.multi_processor_count}


class DriverConfig:
    """The driver of the process."""

    def __init__(self) -> None:
        self._active: Any = None

    @functools.cached_property
    def default(self) -> Driver:
        return Driver()

    @property
    def active(self) -> Any:
        return self._active or self.default

    def set_active(self, driver: Any) -> None:
        """Makes another driver answer. Launches stay tilec's."""
        self._active = driver

    def reset_active(self) -> None:
        self._active = None


driver = DriverConfig()
