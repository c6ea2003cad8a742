# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m tilec explain: the launches of a program as `tilec explain` reports them, each kernel once per configuration.
kernel.explain: one launch, as text or as a page of a notebook.

libtilec.so contains the command. It runs in a process of its own, on the captured text of the kernel and with the
launch's arguments as SPECs."""

from __future__ import annotations

import html
import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Optional, Tuple

from . import _elsewhere
from ._arrays import NAMES
from ._errors import own_folders
from ._jit import FP32_DOT, WORDS

# The command, as main() of the executable starts it.
_COMMAND = """
import ctypes, sys
words = [word.encode(errors="surrogateescape") for word in ["tilec", *sys.argv[2:]]]
sys.exit(ctypes.CDLL(sys.argv[1]).tilec_tool_main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None)))
"""

_BYTES = {"i1": 1, "i8": 1, "u8": 1, "fp8e4nv": 1, "fp8e5": 1, "i16": 2, "u16": 2, "fp16": 2, "bf16": 2, "i64": 8, "u64": 8, "fp64": 8}


class Launch:
    """A launch that is explained at the program's end."""

    def __init__(self, name: str, place: str, grid: Tuple[int, ...], config: Optional[str]):
        self.name, self.place, self.grid, self.config = name, place, grid, config
        self.count = 0
        self.sources: List[Tuple[str, str]] = []
        self.shown: List[str] = []
        self.words: List[str] = []


_launches: Dict[Any, Launch] = {}


# ---- a launch as words of the command


def _memory_at(memory: List[Tuple[int, int]], address: int) -> Tuple[int, int]:
    """The (address, bytes) that the pointer points into."""
    for start, size in memory:
        if start <= address < start + size or (start == address and not size):
            return start, size
    return address, 0


def _spec(arg: Tuple[Any, ...], name: str, memory: List[Tuple[int, int]], owners: Dict[int, str], dtype: Optional[int]) -> str:
    """One argument as the command writes it. `owners`: the names of the buffers by address; `dtype`: of the annotation."""
    what, value = arg[0], arg[-1]
    if what == "none":
        return "None"
    if what == "constant":
        return f"constexpr({value})"
    if what == "bool":
        return "True" if value else "False"
    if what == "tuple":
        names = value or [None] * len(arg[1])
        items = [_spec(item, "", memory, owners, None) for item in arg[1]]
        return "(" + ",".join(f"{field}={item}" if field else item for field, item in zip(names, items)) + ("," if len(items) == 1 else "") + ")"
    if what != "pointer":
        return repr(value)
    start, size = _memory_at(memory, value)
    offset = f"+{value - start}" if value > start else ""
    if name and start in owners:
        return f"&{owners[start]}{offset}"
    if name:
        owners[start] = name
    element = NAMES[arg[1] if dtype is None else dtype]
    step = _BYTES.get(element, 4)
    return f"empty:{element}[{max(1, -(-size // step))}]{offset}"


def _descriptor(value: Any, arg: Tuple[Any, ...], memory: List[Tuple[int, int]]) -> str:
    """A tensor descriptor made on the host."""
    shape, strides, block = (list(map(int, getattr(value, field))) for field in ("shape", "strides", "block_shape"))
    count = max(1, max(size * stride for size, stride in zip(shape, strides)))
    marks = (",padding=nan" if arg[4] & 1 else "") + (",round=tf32" if arg[4] & 2 else "")
    numbers = (",".join(map(str, part)) for part in (block, shape, strides))
    return "desc(empty:{}[{}],block=[{}],shape=[{}],strides=[{}]{})".format(NAMES[arg[1]], count, *numbers, marks)


def _options(options: Dict[str, Any]) -> List[str]:
    """tilec's options of a launch as words."""
    words = []
    for name in ("num_warps", "num_stages", "maxnreg"):
        if options.get(name):
            words += ["--" + name.replace("_", "-"), str(options[name])]
    for name, values in {**WORDS, "fp32_dot": FP32_DOT}.items():
        if options.get(name):
            words += ["--" + name.replace("_", "-"), next(word for word, number in values.items() if number == options[name])]
    if options.get("no_fp_contract"):
        words += ["--fp-contract", "off"]
    flags = {"fast_math": "--fast-math", "overlap": "--overlap", "restrict_pointers": "--restrict"}
    return words + [option for name, option in flags.items() if options.get(name)]


def _grid_of(grid: Any, kernel: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Tuple[int, ...]:
    if callable(grid):
        named = {param.name: param.default for param in kernel.params if param.has_default}
        grid = grid({**named, **dict(zip(kernel.arg_names, args)), **kwargs})
    return (int(grid),) if not isinstance(grid, (tuple, list)) else tuple(int(size) for size in grid)


# ---- noting launches


def _callers() -> Tuple[bool, Optional[Any], str]:
    """Whether an autotuner measures; the autotuner that launches; the line of the program."""
    frame, tuner, measures, place = sys._getframe(2), None, False, ""
    own = own_folders()
    while frame is not None:
        this = frame.f_locals.get("self")
        file = frame.f_code.co_filename
        if hasattr(this, "configs") and hasattr(this, "arg_names"):
            tuner = tuner or this
            measures |= frame.f_code.co_name in ("_bench", "_measure")
        if not place and not file.startswith(own):
            place = f"{os.path.relpath(file) if file.startswith(os.getcwd() + os.sep) else file}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return measures, tuner, place


def note(kernel: Any, grid: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
    """Keeps the launch, unless an autotuner measures it or the kernel was launched with its configuration before."""
    measures, tuner, place = _callers()
    if measures:
        return
    made = kernel._prepare(*args, **kwargs)
    native = made._kernel
    signature = made._signature()
    key = (kernel.fn, native, signature)
    known = _launches.get(key)
    if known is None:
        config = None if tuner is None or len(tuner.configs) < 2 else str(tuner.best_config)
        known = _launches[key] = Launch(kernel.__name__, place, _grid_of(grid, kernel, args, kwargs), config)
        _describe(known, kernel, made, args, kwargs)
    known.count += 1


def _describe(launch: Launch, kernel: Any, made: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
    options = made._kernel.options
    captured = options["captured"]
    launch.sources = list(captured.sources)
    launch.shown = [name for name, _ in captured.shown]
    memory, owners = kernel._memory(*args, **kwargs), {}  # type: Tuple[List[Tuple[int, int]], Dict[int, str]]
    values = {**dict(zip(kernel.arg_names, args)), **kwargs}
    words = ["--kernel", captured.kernel, "--grid", ",".join(map(str, launch.grid)), *_options(options)]
    arch = made._kernel.device.arch
    if arch and made._kernel.device.name.startswith("cuda"):
        words += ["--arch", arch]
    for define in captured.defines:
        words += ["-D", define]
    for (name, kind, dtype, *_), arg in zip(made._kernel.params, made._args):
        if arg[0] == "descriptor":
            words.append(f"{name}={_descriptor(values[name], arg, memory)}")
        else:
            words.append(f"{name}={_spec(arg, name, memory, owners, dtype if kind == 1 else None)}")
    launch.words = words


# ---- the reports


def library() -> str:
    """The library next to this file."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "libtilec.so.0")


def _run(launch: Launch, *words: str) -> Tuple[int, str, str]:
    """The command's status, output and messages, with the names of the program's files. -o writes to a file that is
    returned in place of the output."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name, _ in launch.sources]
        for path, (_, text) in zip(paths, launch.sources):
            with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
        command = [sys.executable, "-c", _COMMAND, library(), "explain", paths[0], *launch.words, *words]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
        texts = [text.decode(errors="replace") for text in (run.stdout, run.stderr)]
        if "-o" in words and not run.returncode:
            with open(os.path.join(folder, words[-1]), encoding="utf-8", errors="replace") as file:
                texts[0] = file.read()
    for path, shown in zip(paths, launch.shown):
        texts = [text.replace(path, shown).replace(os.path.basename(path), shown) for text in texts]
    return run.returncode, texts[0], texts[1]


def _report(launch: Launch) -> int:
    """Prints one. The status of the command."""
    times = "1 launch" if launch.count == 1 else f"{launch.count} launches"
    print(f"{launch.name}, {times}, the first at {launch.place}" + (f"; configuration {launch.config}" if launch.config else ""))
    status, *texts = _run(launch)
    for stream, text in zip((sys.stdout, sys.stderr), texts):
        stream.write(text)
        stream.flush()
    return status


# ---- one launch


class Explanation:
    """The predicted cost of a launch, as `tilec explain` prints it; JITFunction.explain returns it. `str()` is the report,
    and a notebook shows the page.

    Attributes:
        text: the report, as `tilec explain` prints it.

    Example::

        told = add.explain(x, y, out, 1000, grid=grid, BLOCK=256)
        print(told.headline in told.text, "<html" in told.page)  # True True
    """

    def __init__(self, launch: Launch):
        self._launch = launch
        self._page: Optional[str] = None
        status, self.text, messages = _run(launch)
        if status:
            raise RuntimeError(f"{launch.name} was not explained: {messages.strip()}")

    @property
    def headline(self) -> str:
        """Time, bottleneck, and the change to try with its gain: the report's first line."""
        return self.text.split("\n", 1)[0]

    @property
    def page(self) -> str:
        """The page for a browser, as HTML."""
        if self._page is None:
            status, self._page, messages = _run(self._launch, "--format=html", "-o", "page.html")
            if status:
                raise RuntimeError(f"{self._launch.name} was not explained: {messages.strip()}")
        return self._page

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.page)}" style="width: 100%; height: 680px; border: 1px solid #8884"></iframe>'


def explain(kernel: Any, grid: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Explanation:
    """Of a launch that is not made."""
    launch = Launch(kernel.__name__, "", _grid_of(grid, kernel, args, kwargs), None)
    _describe(launch, kernel, kernel._prepare(*args, **kwargs), args, kwargs)
    return Explanation(launch)


def report() -> int:
    """Prints a report of each noted launch. Returns 1 if one could not be made, or nothing was launched."""
    if not _launches:
        wanted = "no kernel of tilec's or Triton's" if _elsewhere.only is None else f"no kernel '{_elsewhere.only}'"
        print(f"tilec: no launch was explained: the program launched {wanted}", file=sys.stderr)
        return 1
    failed = False
    for number, launch in enumerate(_launches.values()):
        if number:
            print()
        failed |= _report(launch) != 0
    return int(failed)
