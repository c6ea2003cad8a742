# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors, as exceptions whose diagnostics are objects, and warnings of compiles."""

from __future__ import annotations

import difflib
import sys
import warnings
from dataclasses import dataclass, field
from types import TracebackType
from typing import Iterable, List, Optional, Sequence, Tuple, Type

SEVERITIES = ("error", "warning", "remark", "note")

# As tilec.h's tilec_diagnostic: severity, file, line, column, length, text, index of what a note belongs to.
RawDiagnostic = Tuple[int, Optional[str], int, int, int, str, int]


@dataclass(frozen=True)
class Diagnostic:
    """One message. `file` is None where it has no place; `line` and `column` count from 1, columns in bytes."""

    severity: str
    text: str
    file: Optional[str] = None
    line: int = 0
    column: int = 0
    length: int = 0
    notes: List["Diagnostic"] = field(default_factory=list)

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"{place}{self.severity}: {self.text}"


class TilecError(Exception):
    """All that tilec raises itself. `str()` is what the command line prints; `diagnostics` are its messages."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()):
        super().__init__(message)
        self.diagnostics: List[Diagnostic] = list(diagnostics)


class CompilationError(TilecError):
    """The kernel's source is wrong, or not something that tilec compiles."""


class LaunchError(TilecError):
    """The kernel did wrong: out of bounds, misaligned, undefined values, a race that a check found."""


class DriverError(TilecError):
    """A call of the CUDA driver failed."""


class DeviceError(TilecError):
    """There is no such device or driver, or it cannot do what the kernel needs."""


class ArgumentError(TilecError, ValueError):
    """Arguments, options or a grid that a kernel cannot be launched with."""


class UnknownArgument(ArgumentError, KeyError):
    """A launch or a configuration names what is neither a parameter of the kernel nor an option."""

    def __str__(self) -> str:
        return str(self.args[0])

    @classmethod
    def of(cls, where: str, name: str, known: Iterable[str]) -> "UnknownArgument":
        near = difflib.get_close_matches(name, list(known), 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        return cls(f"{where}: '{name}' is neither a parameter nor an option{hint}")


class OutOfResources(TilecError, MemoryError):
    """No memory is left, on the host or the device."""


class InternalError(TilecError):
    """A bug of tilec's: the message names the pass and a file to replay it with."""


class TritonImportError(ImportError):
    """Triton is missing, or is one that the drop-in cannot be put into."""


def report_in_one_line() -> None:
    """From now on a TritonImportError that nothing catches is one line, without a traceback."""
    before = sys.excepthook
    if getattr(before, "tilec", False):
        return

    def hook(kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]) -> None:
        if isinstance(error, TritonImportError):
            print(f"tilec: {error}", file=sys.stderr)
        else:
            before(kind, error, trace)

    setattr(hook, "tilec", True)
    sys.excepthook = hook


class TilecWarning(UserWarning):
    """A warning of a compile."""


_STATUSES = {
    1: ArgumentError,
    2: OutOfResources,
    3: TilecError,
    4: CompilationError,
    5: DeviceError,
    6: DriverError,
    7: LaunchError,
    8: DeviceError,
    70: InternalError,
}


def diagnostics(raw: Iterable[RawDiagnostic]) -> List[Diagnostic]:
    """The messages that are not notes, each with its notes."""
    made: List[Diagnostic] = []
    tops: List[Diagnostic] = []
    for index, (severity, file, line, column, length, text, parent) in enumerate(raw):
        made.append(Diagnostic(SEVERITIES[severity], text, file, line, column, length))
        if parent == index:
            tops.append(made[-1])
        else:
            made[parent].notes.append(made[-1])
    return tops


def failed(status: int, message: str, raw: List[RawDiagnostic]) -> TilecError:
    """The exception for a status that is not TILEC_OK."""
    return _STATUSES.get(status, TilecError)(message, diagnostics(raw))


def warned(raw: List[RawDiagnostic]) -> None:
    """Warns of what compiles have logged, at the line that a message is about. Errors come as exceptions."""
    for diagnostic in diagnostics(_reindexed(raw)):
        if diagnostic.severity != "warning":
            continue
        text = "\n".join([diagnostic.text, *(str(note) for note in diagnostic.notes)])
        if diagnostic.file:
            warnings.warn_explicit(text, TilecWarning, diagnostic.file, diagnostic.line)
        else:
            warnings.warn(text, TilecWarning, stacklevel=2)


def _reindexed(raw: List[RawDiagnostic]) -> List[RawDiagnostic]:
    """The diagnostics of several compiles in one list: a note belongs to the last message before it."""
    result: List[RawDiagnostic] = []
    top = 0
    for index, item in enumerate(raw):
        is_note = SEVERITIES[item[0]] == "note"
        if not is_note:
            top = index
        result.append(item[:6] + (top if is_note else index,))
    return result
