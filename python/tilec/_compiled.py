# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The result of a launch: the kernel as it was compiled for the launch's arguments."""

from __future__ import annotations

import functools
import json
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from . import _native
from ._arrays import NAMES

# Triton's names of the stages, and tilec's own: _native's outputs.
STAGES = {"ptx": "ptx", "cubin": "cubin", "llir": "llvm", "ttir": "tir", "ttgir": "tir", "tir": "tir", "llvm": "llvm"}


LAUNCHED = 3  # tilec_tma: as launches are compiled


class Asm(Mapping[str, Any]):
    """The texts of a compiled kernel, made when they are asked for: "ptx", "tir" (Triton's "ttir" and "ttgir" too),
    "llir", and the bytes of "cubin", which ptxas or a GPU's driver makes. `CompiledKernel.asm` is one."""

    def __init__(self, compiled: _native.Compiled):
        self._compiled = compiled
        self._texts: Dict[str, Any] = {}

    def __getitem__(self, stage: str) -> Any:
        if stage not in STAGES:
            disassemble = "; disassemble asm['cubin'] for it, or use 'tilec --emit=sass'" if stage == "sass" else ""
            raise KeyError(f"there is no {stage!r}, only {', '.join(STAGES)}{disassemble}")
        name = STAGES[stage]
        if name not in self._texts:
            self._texts[name] = self._compiled.output(name)
        return self._texts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(STAGES)

    def __len__(self) -> int:
        return len(STAGES)

    def __repr__(self) -> str:
        made = [f"{stage!r}: {len(self._texts[name])} {'bytes' if name == 'cubin' else 'characters'}" for stage, name in STAGES.items() if name in self._texts]
        return f"<tilec.Asm of {', '.join(map(repr, STAGES))}{'; made: ' if made else ''}{', '.join(made)}>"


class Details:
    """Compiled once more, for its texts and facts."""

    def __init__(self, kernel: _native.Kernel, signature: str):
        options = dict(kernel.options, signature=signature)
        arch = kernel.device.arch
        if arch and "arch" not in options and kernel.device.name.startswith("cuda"):
            options["arch"] = arch
        options["tma"] = options.get("tma") or LAUNCHED
        self.asm = Asm(_native.Compiled(kernel.program, options))
        self._meta: Optional[Dict[str, Any]] = None
        self.num_warps: int = int(options.get("num_warps") or 4)
        self.num_stages: int = int(options.get("num_stages") or 3)

    @property
    def meta(self) -> Dict[str, Any]:
        if self._meta is None:
            self._meta = json.loads(self.asm._compiled.output("meta"))
        return self._meta


def signature_of(params: List[Any], args: List[Any], without: Optional[Mapping[str, Tuple[str, ...]]] = None) -> str:
    """The types and facts of a launch's arguments, as --signature writes them. `without`: by parameter, facts that its
    launches do not derive (do_not_specialize)."""
    dropped = without or {}
    return ",".join(f"{name}={_spec(arg, kind, dtype, dropped.get(name, ()))}" for (name, kind, dtype, _), arg in zip(params, args))


def _spec(arg: Any, kind: int = 0, dtype: int = 0, without: Tuple[str, ...] = ()) -> str:
    """The type of one argument. `kind` and `dtype` come from the parameter's annotation."""
    what, value = arg[0], arg[-1]
    if what == "none":
        return "None"
    if what == "constant":
        return f"constexpr({value})"
    if what == "tuple":
        items = [_spec(item, without=without) for item in arg[1]]
        if value:
            items = [f"{name}={item}" for name, item in zip(value, items)]
        return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
    if what == "descriptor":
        padding = (", nan" if value & 1 else "") + (", tf32" if value & 2 else "")
        return f"tensordesc<{NAMES[arg[1]]}[{', '.join(map(str, arg[2]))}]{padding}>" + (":16" if arg[3] else "")
    if what == "pointer":
        return f"*{NAMES[dtype] if kind == 1 else NAMES[arg[1]]}" + (":16" if value % 16 == 0 and ":16" not in without else "")
    if kind == 2:
        return NAMES[dtype] + _facts(what, value, without)
    if what == "float":
        return "fp32"
    return "i1" if what == "bool" else _int_type(value) + _facts(what, value, without)


def _int_type(value: int) -> str:
    return "i32" if -(2**31) <= value < 2**31 else "i64" if value < 2**63 else "u64"


def _facts(what: str, value: Any, without: Tuple[str, ...]) -> str:
    if what != "int":
        return ""
    fact = ":1" if value == 1 else ":16" if value % 16 == 0 else ""
    return "" if fact in without else fact


class CompiledKernel(_native.Launched):
    """The kernel as it was compiled for the arguments of a launch, which returns it.

    The attributes are computed when they are read. `compiled[grid](*args)` launches it again.

    Example::

        compiled = add[grid](x, y, out, 1000, BLOCK=256)
        print(compiled.name, compiled.shared, compiled.metadata.num_warps)  # add 0 4
        print(".visible .entry add" in compiled.asm["ptx"])  # True
    """

    __slots__ = ()

    def _look(self) -> Details:
        found: Optional[Details] = self._details
        if found is None:
            found = self._details = Details(self._kernel, self._signature())
        return found

    def _signature(self) -> str:
        """The types and facts that it was compiled for."""
        kernel = self._kernel
        return signature_of(kernel.params, self._args, kernel.options.get("without_facts"))

    def __getitem__(self, grid: Any) -> Callable[..., "CompiledKernel"]:
        """Launches the kernel over the grid, with all its arguments, as `fn[grid]` with the options that this one was
        compiled with does."""
        options = self._kernel.options
        launcher = options["launcher"]()
        if launcher is None:
            raise RuntimeError("the function that this was compiled from is gone")
        return functools.partial(launcher[grid], **options["given"])

    def _init_handles(self) -> None:
        """Does nothing: for programs that call Triton's."""

    @property
    def asm(self) -> Asm:
        """A mapping from a form to its code: "ptx", "ttir" (tile IR; "ttgir" and "tir" are the same), "llir" (LLVM's IR), and the bytes of
        "cubin", for which ptxas or a GPU's driver is needed. There is no "sass": the command has `--emit=sass`."""
        return self._look().asm

    @property
    def name(self) -> str:
        """The kernel's name in its PTX."""
        return str(self._look().meta["kernel"])

    @property
    def n_regs(self) -> int:
        """Registers of a thread, as ptxas or the driver reports; 0 if there is neither."""
        return int(self._look().meta.get("registers") or 0)

    @property
    def n_spills(self) -> int:
        """Spilled registers of a thread, in words of 4 bytes."""
        meta = self._look().meta
        return (int(meta.get("spill_store_bytes") or 0) + 3) // 4

    @property
    def shared(self) -> int:
        """Shared memory of a program, in bytes."""
        meta = self._look().meta
        return int(meta["shared_bytes"]) + int(meta.get("static_shared_bytes") or 0)

    @property
    def metadata(self) -> SimpleNamespace:
        """name, num_warps, num_stages, num_ctas, shared (bytes) and target, with Triton's names."""
        look = self._look()
        return SimpleNamespace(
            name=self.name, num_warps=look.num_warps, num_stages=look.num_stages, num_ctas=1, shared=self.shared, target=look.meta["arch"]
        )

    def __repr__(self) -> str:
        return f"<tilec.CompiledKernel {self.name} on {self._kernel.device.name}>"
