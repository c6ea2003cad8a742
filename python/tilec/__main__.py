# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m tilec [check|explain|warm] SCRIPT [ARGUMENTS]: runs a program with tilec as Triton's compiler."""

from __future__ import annotations

import importlib.util
import os
import runpy
import sys
import traceback
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, List, Optional, Sequence, Tuple

from . import _against, _elsewhere, _errors, _explain, _own, _warm
from ._errors import TritonImportError

USAGE = """\
usage: python -m tilec [check|explain] [--kernel NAME] [--strict] SCRIPT [ARGUMENTS...]
       python -m tilec [check|explain] [--kernel NAME] [--strict] -m MODULE [ARGUMENTS...]
       python -m tilec check --against triton [--kernel NAME] SCRIPT|-m MODULE [ARGUMENTS...]
       python -m tilec warm [--arch SM] -o BUNDLE SCRIPT|-m MODULE [ARGUMENTS...]

Runs a Python program. tilec compiles its @triton.jit kernels (as with TILEC_TRITON=1). Kernels that tilec does not support
are compiled by Triton, with a warning. Where Triton is not installed, tilec's own `triton` module replaces it.

  check    checks every launch of tilec's and Triton's kernels: on the simulator under each schedule with every checker,
           then by the evaluator. An error in a kernel ends the program with status 1 and names the Python line:
           races, accesses out of bounds, undefined values, failed assertions. The status is 1, too, if the program
           catches the error.
  explain  runs the program, and then predicts what its launches cost, line by line, as the command `tilec explain` does:
           each kernel once per configuration.
  warm     runs the program, and writes the kernels that it compiled to a bundle. With TILEC_BUNDLE=BUNDLE later runs compile
           none of them; TILEC_JIT=forbid makes a compile an error. A program that does not end may be stopped by Ctrl-C or
           SIGTERM.
  --arch   warm: compiles for this architecture, such as sm_90a, and runs the program on the simulator.
  --kernel checks or explains only launches of the kernel with that name.
  --against triton: Triton compiles each of its kernels too. Its code runs on the simulator from the same memory. Elements that
           differ by more than torch.testing.assert_close allows are reported, and the status is 1.
  --strict makes warnings of checked launches errors, as `tilec check --strict` does: the status is 1.
"""


class _Loader(Loader):
    """Loads Triton, and then the drop-in."""

    def __init__(self, loader: Loader):
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> Optional[ModuleType]:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        import tilec.triton  # noqa: F401 - importing it is what does it


class _WithTriton(MetaPathFinder):
    """Waits for `import triton`, so that a program without it does not load the drop-in."""

    asking = False

    def find_spec(self, name: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        if name != "triton" or self.asking:
            return None
        self.asking = True  # the others; a program may ask as well, and not import it
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.asking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


def _print_error(error: BaseException) -> None:
    """As Python does, without the frames of what runs the program."""
    here = (os.path.dirname(os.path.abspath(__file__)), runpy.__file__, "<frozen runpy>")
    told = traceback.TracebackException.from_exception(error)
    chained: Optional[traceback.TracebackException] = told
    while chained is not None:
        frames = [frame for frame in chained.stack if not frame.filename.startswith(here)]
        chained.stack = traceback.StackSummary.from_list(frames)
        chained = chained.__cause__ or chained.__context__
    print("".join(told.format()), end="", file=sys.stderr)


def _place_of(error: BaseException, program: str) -> str:
    """The program's line that the error comes from: the last one outside tilec and what runs the program."""
    here = os.path.dirname(os.path.abspath(__file__))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith((here, runpy.__file__, "<frozen"))]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else program


def _run(words: List[str]) -> None:
    if words[0] == "-m":
        sys.argv = words[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        sys.path.insert(0, os.path.dirname(os.path.abspath(words[0])))
        runpy.run_path(words[0], run_name="__main__")


def _summary() -> str:
    checked = _elsewhere.checked_launches
    launches = sum(checked.values())
    if not launches and _elsewhere.only is not None:
        return f"tilec: no launch was checked: the program launched no kernel '{_elsewhere.only}'"
    if not launches:
        return "tilec: no launch was checked: the program launched no kernel of tilec's or Triton's"
    reported = sum(_elsewhere.reported_launches.values())
    if reported:
        what = "has reports" if reported == 1 else "have reports"
        return f"tilec: {reported} of {_number(launches, 'launch', 'launches')} {what} (caught by the program)"
    found = _number(len(_errors.run_warnings), "warning") if _errors.run_warnings else "nothing wrong was found"
    first = " (of an autotuned kernel the first configuration)" if _elsewhere.first_only else ""
    return f"tilec: {_number(launches, 'launch', 'launches')} of {_number(len(checked), 'kernel')} checked, {found}{first}"


def _number(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _take_options(words: List[str]) -> Tuple[List[str], Optional[str], bool]:
    """The words after --kernel NAME and --strict, the name, and whether --strict is there."""
    kernel, strict = None, False
    while words:
        if words[0].startswith("--kernel="):
            words, kernel = words[1:], words[0][len("--kernel=") :]
        elif words[0] == "--kernel":
            words, kernel = words[2:], words[1] if len(words) > 1 else None
        elif words[0] in ("--against", "--against=triton") and (words[0] != "--against" or words[1:2] == ["triton"]):
            words, _against.on = words[2 if words[0] == "--against" else 1 :], True
        elif words[0] == "--strict":
            words, strict = words[1:], True
        else:
            break
    return words, kernel, strict


def _warm_up(words: List[str]) -> Any:
    """Runs the program with these words, and writes the bundle."""
    try:
        words, output, arch = _warm.take_options(words)
    except _warm.Usage as error:
        print(f"tilec: {error}: see python -m tilec --help", file=sys.stderr)
        return 2
    folder = _warm.begin(arch)
    good = False
    try:
        good = not main(words)
    except KeyboardInterrupt:  # as a server ends
        print("tilec: the program was stopped: the bundle has what it compiled until then", file=sys.stderr)
        good = True
    finally:
        status = _warm.end(folder, output, good)
    return status


def main(words: List[str]) -> Any:
    if words[:1] == ["warm"]:
        return _warm_up(words[1:])
    checks, explains, strict = words[:1] == ["check"], words[:1] == ["explain"], False
    if checks or explains:
        words, kernel, strict = _take_options(words[1:])
        _elsewhere.set_only(kernel)
    if not words or words[0] in ("-h", "--help") or (words[0] == "-m" and len(words) == 1):
        print(USAGE, end="", file=sys.stdout if words and words[0] in ("-h", "--help") else sys.stderr)
        return 0 if words and words[0] in ("-h", "--help") else 2
    if words[0] != "-m" and words[0].startswith("-"):
        print(f"tilec: there is no option {words[0]}: see python -m tilec --help", file=sys.stderr)
        return 2
    if words[0] != "-m" and not os.path.exists(words[0]):
        print(f"tilec: there is no file {words[0]}", file=sys.stderr)
        return 2
    if _against.on and importlib.util.find_spec("triton") is None:
        print("tilec: --against triton needs Triton: pip install triton", file=sys.stderr)
        return 2
    os.environ.setdefault("TILEC_TRITON", "1")
    sys.meta_path.insert(0, _WithTriton())
    _own.provide()
    if checks:
        os.environ["TILEC_CHECK"] = "1"  # for processes that the program starts
        _elsewhere.set_check(True)
    if explains:
        _elsewhere.set_explain(_explain.note)
    if sys.path and sys.path[0] in ("", os.getcwd()):
        del sys.path[0]
    status: Any = 0
    try:
        _run(words)
    except SystemExit as end:
        status = end.code
    except TritonImportError as error:
        print(f"tilec: {error}", file=sys.stderr)
        return 1
    except (_own.NotProvided, _own.NotThere) as error:
        print(f"tilec: {_place_of(error, words[0])}: {error}", file=sys.stderr)
        return 1
    except ImportError as error:
        if _own.is_advised(error):
            print(f"tilec: {words[0]}: {_own.advised(error)}", file=sys.stderr)
        else:
            _print_error(error)
        return 1
    except Exception as error:
        _print_error(error)
        return 1
    if checks and not status:
        print(_summary(), file=sys.stderr)
        if _elsewhere.reported_launches:
            return 1
        if _against.on:
            text, good = _against.summary()
            print(text, file=sys.stderr)
            if not good:
                return 1
        if strict and _errors.run_warnings:
            print(f"tilec: error[T1405]: --strict: {_number(len(_errors.run_warnings), 'warning')} at run time", file=sys.stderr)
            return 1
    if explains and not status:
        try:
            sys.stdout.flush()
            status = _explain.report()
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has ended, such as head: nothing is left to say
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
