# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from typing import Any, Callable, Dict, List, Optional, Tuple, Type

from ._compiled import CompiledKernel

version: str

class Device:
    """A GPU, the simulator or the evaluator; `device` returns it.

    Example::

        simulator = tilec.device("sim")
        print(simulator.name, simulator.arch)  # sim sm_90a
    """

    def __init__(self, name: Optional[str] = None) -> None: ...
    @property
    def name(self) -> str:
        """Such as "sim", "eval" or "cuda:0"."""

    @property
    def arch(self) -> str:
        """The architecture that kernels are compiled for, such as "sm_90a"."""

    def _map(self, address: int, bytes: int) -> Tuple[int, object]: ...
    def _multicast(self, mappings: Tuple[object, ...]) -> Tuple[int, object]: ...
    def synchronize(self) -> None:
        """Waits until the launches on this device are done.

        Errors: as for `tilec.synchronize`.

        Example::

            add[grid](x, y, out, 1000, BLOCK=256)
            tilec.device().synchronize()
        """

class Program:
    def __init__(self, sources: List[Tuple[str, str]], shown: List[Tuple[str, str]] = ...) -> None: ...

class Kernel:
    def __init__(self, device: Device, program: Program, options: Dict[str, Any]) -> None: ...
    @property
    def params(self) -> List[Tuple[str, int, int, int]]: ...
    @property
    def options(self) -> Dict[str, Any]: ...
    @property
    def device(self) -> Device: ...
    @property
    def program(self) -> Program: ...

class Compiled:
    def __init__(self, program: Program, options: Dict[str, Any]) -> None: ...
    def output(self, name: str) -> Any: ...
    def diagnostics(self) -> List[Tuple[int, Optional[str], int, int, int, str, int]]: ...

class Launched:
    _details: Any
    @property
    def _args(self) -> List[Tuple[Any, ...]]: ...
    @property
    def _kernel(self) -> Kernel: ...

class Launcher:
    def __init__(self, params: Tuple[Tuple[Any, ...], ...]) -> None: ...
    @property
    def pre_run_hooks(self) -> List[Callable[..., Any]]: ...
    def __getitem__(self, grid: Any) -> Callable[..., CompiledKernel]: ...
    def _prepare(self, *args: Any, **kwargs: Any) -> CompiledKernel: ...
    def _launch_on(self, device: Device, check: int, timeout: float, grid: Any, *args: Any, **kwargs: Any) -> CompiledKernel: ...
    def _launch_ranks(self, device: Device, check: int, grid: Any, ranks: Tuple[Tuple[Any, ...], ...], **kwargs: Any) -> CompiledKernel: ...
    def _launch_on_stream(self, device: Device, stream: int, grid: Any, *args: Any, **kwargs: Any) -> None: ...
    def _memory(self, *args: Any, **kwargs: Any) -> List[Tuple[int, int]]: ...
    def _tune(
        self,
        device: Optional[Device],
        program: Program,
        options: Dict[str, Any],
        # configurations (of each its settings and grid), reset_to_zero, restore_value, top, predict, timeout
        asked: Tuple[List[Tuple[List[Tuple[str, str, bool]], Tuple[int, int, int]]], List[str], List[str], int, bool, float],
        progress: Optional[Callable[[str, int, int, float, Optional[str], float], Any]],
        *args: Any,
        **kwargs: Any,
    ) -> Tuple[str, str, str, int, int, bool, bool, List[Tuple[Any, ...]]]: ...  # kernel, device, arch, failed, measured, interrupted, predicted
    def _tuned(
        self, device: Optional[Device], program: Program, options: Dict[str, Any], *args: Any, **kwargs: Any
    ) -> Optional[Tuple[List[Tuple[str, str, bool]], float]]: ...
    def _keep_tuned(
        self,
        device: Optional[Device],
        program: Program,
        options: Dict[str, Any],
        settings: List[Tuple[str, str, bool]],
        seconds: float,
        *args: Any,
        **kwargs: Any,
    ) -> bool: ...
    def _forget(self) -> None: ...

def setup(
    handle: Type[Launched],
    classify: Callable[[type, bool], Tuple[int, Any]],
    dtype_of: Callable[[Any], int],
    freeze: Callable[[Any], Tuple[Any, bool]],
    failed: Callable[..., BaseException],
    warned: Callable[..., None],
    choose: Callable[[int, int], Device],
    stream_of: Callable[[Any, int], int],
    launched_with: Callable[[List[Tuple[str, Any]]], None],
    constant: Callable[[str, Any], Tuple[str, Any]],
) -> None: ...
def set_hooks(enter: Optional[Callable[..., Any]], leave: Optional[Callable[..., Any]]) -> None: ...
def set_checks(on: bool) -> None: ...
def skip_launches(on: bool) -> None: ...
def launches_skipped() -> bool: ...
def forget_devices() -> None: ...
def forget_types() -> None: ...
def read_dlpack(capsule: Any) -> Tuple[int, int, int, int, Tuple[int, ...], Tuple[int, ...], Any]: ...
