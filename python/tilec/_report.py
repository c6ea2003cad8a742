# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tilec.triton.report() returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional


@dataclass(frozen=True)
class Compiled:
    """One compile that Triton asked for.

    Attributes:
        kernel: the kernel's name.
        file, line: where its function is.
        seconds: how long the compile took, or None if it was not measured.
        reason: None if tilec compiled it; else why Triton did.

    Example::

        import tilec.triton
        import triton

        triton.jit(add.fn)[grid](x, y, out, 1000, BLOCK=256)
        made = tilec.triton.report()[0]
        print(made.kernel, made.reason)  # add None
    """

    kernel: str
    file: str
    line: int
    seconds: Optional[float]
    reason: Optional[str] = None

    def __str__(self) -> str:
        time = "by tilec" if self.seconds is None else f"{self.seconds * 1e3:.0f} ms"
        what = time if self.reason is None else f"by Triton: {self.reason.splitlines()[0]}"
        return f"{self.kernel} ({self.file}:{self.line}): {what}"


class Report(List[Compiled]):
    """The compiles of this process, in order; those for launches on the simulator too. It is a list of Compiled. `str()` is a
    table of them.

    Example::

        import tilec.triton
        import triton

        triton.jit(add.fn)[grid](x, y, out, 1000, BLOCK=256)
        report = tilec.triton.report()
        print(len(report), report.fallbacks)  # 1 []
        print(str(report).splitlines()[0])  # 1 kernel compiled by tilec, 0 left to Triton
    """

    @property
    def fallbacks(self) -> List[Compiled]:
        """Those that Triton compiled, a list."""
        return [item for item in self if item.reason is not None]

    def __str__(self) -> str:
        done = len(self) - len(self.fallbacks)
        seconds = [item.seconds for item in self if item.seconds is not None]
        time = f" in {sum(seconds):.2f} s" if len(seconds) == len(self) else ""
        head = f"{done} {'kernel' if done == 1 else 'kernels'} compiled by tilec{time}, {len(self.fallbacks)} left to Triton"
        return "\n".join([head, *(f"  {item}" for item in self)])
