# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors, as exceptions whose diagnostics are objects, and warnings of compiles."""

from __future__ import annotations

import difflib
import math
import os
import re
import sys
import warnings
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple, Type

SEVERITIES = ("error", "warning", "remark", "note")

_TOO_LARGE = re.compile(r"needs (\d+) bytes of shared memory; \S+ has (\d+)")

# Of an error at run time: kind, buffer, index, program, element, access, other_access.
RawRun = Tuple[str, Optional[str], int, Tuple[int, ...], Tuple[int, ...], Optional[str], Optional[str]]
# As tilec.h's tilec_diagnostic: severity, file, line, column, length, text, index of what a note belongs to,
# code, and of an error at run time the rest.
RawDiagnostic = Tuple[int, Optional[str], int, int, int, str, int, Optional[str], Optional[RawRun]]


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler or of a launch.

    Attributes:
        severity: "error", "warning", "remark" or "note".
        text: the message.
        file: the name of the source file; None if the message has no location.
        line, column: where the marked range begins, from 1 on; columns count bytes.
        length: the length of the marked range, in bytes.
        notes: a list of Diagnostics that explain this one.
        code: the code of the kind of mistake, such as "T0301"; None if the kind has none. `tilec help CODE` explains it.
        kind: what an error at run time is, such as "out of bounds" or "race". Else it is None, and so are all that follow.
        buffer: the name of the argument that the memory belongs to; None if it is not known.
        index: the element's index in the buffer, counted from the argument's first element; it may be outside.
        program: `program_id` of each axis.
        element: indices in the tile that is loaded or stored, of its first element that fails. Only checks know it.
        access, other_access: the two accesses of a race: "load", "store" or "atomic", here and at the place of the first note.

    Example::

        @tilec.jit
        def wrong(x):
            tl.store(x, tl.lode(x))

        try:
            wrong[(1,)](x)
        except tilec.CompilationError as error:
            first = error.diagnostics[0]
            print(first.severity, first.code)  # error T0201
    """

    severity: str
    text: str
    file: Optional[str] = None
    line: int = 0
    column: int = 0
    length: int = 0
    notes: List["Diagnostic"] = field(default_factory=list)
    code: Optional[str] = None
    kind: Optional[str] = None
    buffer: Optional[str] = None
    index: Optional[int] = None
    program: Optional[Tuple[int, ...]] = None
    element: Optional[Tuple[int, ...]] = None
    access: Optional[str] = None
    other_access: Optional[str] = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        code = f"[{self.code}]" if self.code else ""
        return f"{place}{self.severity}{code}: {self.text}"


class TilecError(Exception):
    """The base class of tilec's exceptions. `str()` is what the command line prints.

    Attributes:
        diagnostics: a list of Diagnostics; it may be empty.

    Example::

        try:
            tilec.device("gpu")
        except tilec.TilecError as error:
            print(type(error).__name__, error.diagnostics[0].severity)  # DeviceError error
    """

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()):
        super().__init__(message)
        self.diagnostics: List[Diagnostic] = list(diagnostics)


class CompilationError(TilecError):
    """A kernel's source has an error, or something that tilec does not compile. Locations are those of the Python file.

    Example::

        @tilec.jit
        def wrong(x):
            tl.store(x, tl.lode(x))

        try:
            wrong[(1,)](x)
        except tilec.CompilationError as error:
            print("lode" in str(error))  # True
    """

    @property
    def error_message(self) -> str:
        """The message, under Triton's name."""
        return str(self)


class LaunchError(TilecError):
    """A kernel failed at run time: out of bounds, misaligned, a failed assertion, or a report of a check.

    Example::

        try:
            add[(8,)](x, y, out, 2000, BLOCK=256)  # the arrays have 1000 elements
        except tilec.LaunchError as error:
            print("out of bounds" in str(error))  # True
    """


class DriverError(TilecError):
    """A call of the CUDA driver failed.

    Example::

        try:
            tilec.synchronize()
        except tilec.DriverError as error:
            print("the GPU cannot be used any more in this process:", error)
    """


class DeviceError(TilecError):
    """There is no such device or driver, or it lacks what the kernel needs.

    Example::

        try:
            tilec.set_device("tpu")
        except tilec.DeviceError as error:
            print(error)  # no device 'tpu': there are sim, eval, cuda, cuda:0, cuda:1...
    """


class ArgumentError(TilecError, ValueError):
    """Arguments, options or a grid with which a kernel cannot be launched. It is a ValueError too.

    Example::

        try:
            add[grid](x, y, out, 1000, BLOCK=256, num_warp=8)
        except tilec.ArgumentError as error:
            print(error)  # add: 'num_warp' is neither a parameter nor an option; did you mean 'num_warps'?
    """


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
    """A kernel needs more shared memory than the GPU has. It is a CompilationError too then, and has the attributes below.
    It is also raised, without these, when the host or the device has no memory left. It is a MemoryError too.

    Attributes:
        required, limit: bytes of shared memory, as the kernel needs and as the GPU has.
        name: "shared memory".

    Example::

        @tilec.jit
        def large(a, b, out):
            i, k = tl.arange(0, 256), tl.arange(0, 1024)
            first, second = tl.load(a + i[:, None] * 1024 + k), tl.load(b + k[:, None] * 256 + i)
            tl.store(out + i[:, None] * 256 + i, tl.dot(first, second))

        a, b, c = np.ones((256, 1024), np.float32), np.ones((1024, 256), np.float32), np.ones((256, 256), np.float32)
        try:
            large[(1,)](a, b, c)
        except tilec.OutOfResources as error:
            print(error.name, error.required > error.limit, error.limit)  # shared memory True 232448
            print(isinstance(error, tilec.CompilationError))  # True
    """


class StaticAssertionError(CompilationError):
    """A static_assert of a kernel fails. Autotuners pass over such a configuration."""


class TooLargeError(CompilationError, OutOfResources):
    """A kernel needs more shared memory than the chip has. Autotuners pass over such a configuration.

    Attributes:
        required, limit: bytes.
        name: "shared memory".
    """

    name = "shared memory"

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()):
        super().__init__(message, diagnostics)
        sizes = next(filter(None, (_TOO_LARGE.search(each.text) for each in diagnostics)), None)
        self.required, self.limit = (int(sizes[1]), int(sizes[2])) if sizes else (0, 0)


class InternalError(TilecError):
    """A bug of tilec. The message names the pass and a file that reproduces it.

    Example::

        try:
            add[grid](x, y, out, 1000, BLOCK=256)
        except tilec.InternalError as error:
            print("report this message and the file that it names:", error)
    """


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
    """A warning of the compiler or of a check, by Python's `warnings`, at the kernel's line. Its text begins with the code that
    `tilec help` explains, such as `[T1301]`.

    Example::

        import warnings

        warnings.simplefilter("error", tilec.TilecWarning)  # a warning ends the program
    """


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


def setting(name: str, *words: str) -> str:
    """The variable of the environment: "", or one of the words."""
    value = os.environ.get(name, "")
    if value and value not in words:
        raise ArgumentError(f"{name}={value}: it must be {' or '.join(words)}")
    return value


def _run_fields(run: Optional[RawRun]) -> Dict[str, Any]:
    if run is None:
        return {}
    kind, buffer, index, program, element, access, other_access = run
    fields = {"kind": kind, "buffer": buffer, "program": program, "access": access, "other_access": other_access}
    return {**fields, "index": index if buffer else None, "element": element or None}


def diagnostics(raw: Iterable[RawDiagnostic]) -> List[Diagnostic]:
    """The messages that are not notes, each with its notes."""
    made: List[Diagnostic] = []
    tops: List[Diagnostic] = []
    for index, (severity, file, line, column, length, text, parent, code, run) in enumerate(raw):
        made.append(Diagnostic(SEVERITIES[severity], text, file, line, column, length, code=code, **_run_fields(run)))
        if parent == index:
            tops.append(made[-1])
        else:
            made[parent].notes.append(made[-1])
    return tops


def _same_cause(sim: Diagnostic, evaluated: Diagnostic) -> bool:
    """As tools/run/run_join.c joins them."""
    if (sim.file, sim.line, sim.column, sim.severity) != (evaluated.file, evaluated.line, evaluated.column, evaluated.severity):
        return False
    place = evaluated.text.find(", in program ")
    return (sim.kind == evaluated.kind and sim.buffer == evaluated.buffer) or (place >= 0 and sim.text.startswith(evaluated.text[:place]))


def has_elements(error: TilecError) -> bool:
    """Whether the evaluator may know the element of a tile that a report of the simulator is about."""
    return any(each.kind in ("out of bounds", "misaligned", "assertion") for each in error.diagnostics)


def with_elements(error: TilecError, evaluated: TilecError) -> TilecError:
    """The simulator's error with the elements of tiles that the evaluator's has."""
    message, joined = str(error), []
    for each in error.diagnostics:
        same = [other for other in evaluated.diagnostics if other.element and not each.access and _same_cause(each, other)]
        if same:
            made = replace(each, text=same[0].text, element=same[0].element, index=same[0].index, program=same[0].program)
            message = message.replace(str(each), str(made), 1)
            each = made
        joined.append(each)
    return type(error)(message, joined)


# "c[16] of 4096", if no indices follow.
_PLACE = re.compile(r"(?<![\w.])(\w+)\[(\d+)\] of (\d+)(?!\d|, \1\[)")


def _shape(array: Any) -> Tuple[int, ...]:
    """The sizes of an array whose elements are in row-major order without gaps, if it has several dimensions. Else ()."""
    sizes = tuple(getattr(array, "shape", ()))
    flags = getattr(array, "flags", None)
    ordered = array.is_contiguous() if hasattr(array, "is_contiguous") else getattr(flags, "c_contiguous", getattr(array, "c_contiguous", True))
    return sizes if len(sizes) > 1 and ordered else ()


def _with_indices(text: str, shapes: Dict[str, Tuple[int, ...]]) -> str:
    """Adds the indices to the elements that a text names: "c[16] of 4096, c[0,16] of [64,64]", as the command does."""

    def place(match: "re.Match[str]") -> str:
        shape, index, indices = shapes.get(match[1], ()), int(match[2]), []
        if not shape or math.prod(shape) != int(match[3]):
            return match[0]
        for size in reversed(shape[1:]):
            indices.append(index % size)
            index //= size
        numbers = ",".join(map(str, [index, *reversed(indices)]))
        return f"{match[0]}, {match[1]}[{numbers}] of [{','.join(map(str, shape))}]"

    return _PLACE.sub(place, text)


def failed(status: int, message: str, raw: List[RawDiagnostic], given: Optional[Dict[str, Any]] = None) -> TilecError:
    """The exception for a status that is not TILEC_OK. `given`: the arguments of a launch, by name."""
    shapes = {name: sizes for name, array in (given or {}).items() for sizes in [_shape(array)] if sizes}
    if shapes:
        message = _with_indices(message, shapes)
        raw = [(*item[:5], _with_indices(item[5], shapes), *item[6:]) for item in raw]
    found = diagnostics(raw)
    kind = _STATUSES.get(status, TilecError)
    if kind is CompilationError and any(each.text.startswith("static assertion") for each in found):
        kind = StaticAssertionError
    elif kind is CompilationError and any(_TOO_LARGE.search(each.text) for each in found):
        kind = TooLargeError
    return kind(message, found)


# Warnings of checked launches, each once: its place and text. Compiles have other codes.
run_warnings: Set[Tuple[Optional[str], int, str]] = set()
_RUN_CODES = ("T11", "T12", "T13", "T14")
_warned: Dict[str, Dict[Any, Any]] = {}  # of each file what `warnings` has shown
told: Set[str] = set()  # what was warned of without a place, such as a lock that cannot be read


# The remark of passes/shared/place_barriers.c that is a warning for an installed Triton before 3.9.
_RELEASE_REMARK = "a barrier is put before this release"


def _release_warning() -> str:
    version = getattr(sys.modules.get("triton"), "__version__", "before 3.9")
    return (
        f"Triton {version}, which is installed, puts no barrier before this release, so its code may race here (tilec's does not): "
        "call tl.debug_barrier() before it"
    )


# For callers whose --fp32-dot has a default. Python's launches choose always: an option, the environment or tf32.
_IEEE_WARNING = "fp32 is multiplied in IEEE fp32"

_PRINTED = "static_print: "


def printed(raw: Iterable[RawDiagnostic]) -> None:
    """Prints what static_print calls of a compile say, as Triton does: the values alone."""
    for item in raw:
        if SEVERITIES[item[0]] == "note" and item[5].startswith(_PRINTED):
            print(item[5].removeprefix(_PRINTED))


def own_folders() -> Tuple[str, ...]:
    """The folders of tilec and of Triton: code in them is not the program's."""
    here = os.path.dirname(os.path.abspath(__file__))
    triton = getattr(sys.modules.get("triton"), "__file__", None)
    return (here + os.sep, here + "_triton" + os.sep, *([os.path.dirname(triton) + os.sep] if triton else []))


def warn_outside(text: str) -> None:
    """Warns at the program's line: the innermost one outside of tilec and Triton."""
    own, level, frame = own_folders(), 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(own):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, TilecWarning, stacklevel=level)


def warned(raw: List[RawDiagnostic], silent: bool = False) -> None:
    """Warns of what compiles and checked launches have logged, at the line that a message is about. Prints what static_print
    says, unless it is silent. Errors come as exceptions."""
    if not silent:
        printed(raw)
    for diagnostic in diagnostics(_reindexed(raw)):
        releases = diagnostic.severity == "remark" and diagnostic.text.startswith(_RELEASE_REMARK)
        if diagnostic.severity != "warning" and not releases or diagnostic.text.startswith(_IEEE_WARNING):
            continue
        code = f"[{diagnostic.code}] " if diagnostic.code else ""
        text = _release_warning() if releases else "\n".join([code + diagnostic.text, *(str(note) for note in diagnostic.notes)])
        if releases or (diagnostic.code or "").startswith(_RUN_CODES):
            run_warnings.add((diagnostic.file, diagnostic.line, text))
        if diagnostic.file:
            warnings.warn_explicit(text, TilecWarning, diagnostic.file, diagnostic.line, registry=_warned.setdefault(diagnostic.file, {}))
        elif diagnostic.text not in told:
            told.add(diagnostic.text)
            warn_outside(text)


def _reindexed(raw: List[RawDiagnostic]) -> List[RawDiagnostic]:
    """The diagnostics of several compiles in one list: a note belongs to the last message before it."""
    result: List[RawDiagnostic] = []
    top = 0
    for index, item in enumerate(raw):
        is_note = SEVERITIES[item[0]] == "note"
        if not is_note:
            top = index
        result.append((*item[:6], top if is_note else index, *item[7:]))
    return result
