# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m tilec check --against triton: each launch of a Triton kernel also runs as Triton compiles it, from the same memory. Triton's PTX
runs on the simulator too, by the command `tilec run`. Elements that differ by more than the tolerance are reported."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from typing import Any, Callable, Dict, List, Sequence, Tuple

import tilec_command

from . import _elsewhere

on = False
compared: Dict[str, int] = {}  # launches of each kernel
differing: Dict[str, int] = {}
left_out: Dict[str, str] = {}  # why launches of a kernel were not compared

# (relative, absolute) tolerance, as torch.testing.assert_close has them.
TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


class NotCompared(Exception):
    """Why a launch cannot run as Triton's."""


def _address(array: Any) -> int:
    return int(array.data_ptr() if hasattr(array, "data_ptr") else array.__array_interface__["data"][0])


def _number(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return f"{value!r}" if "." in repr(value) else f"{value:.60f}"
    if isinstance(value, int):
        return str(value)
    raise NotCompared(f"an argument is a {type(value).__name__}")


def _is_array(value: Any) -> bool:
    return hasattr(value, "data_ptr") or (hasattr(value, "__array_interface__") and hasattr(value, "dtype") and hasattr(value, "shape"))


def _run(made: Any, grid: Sequence[int], words: List[str], buffers: List[bytes], folder: str) -> List[bytes]:
    """The buffers after Triton's PTX has run. words: its arguments, {i} is buffer i's file."""
    import numpy as np

    metadata = made.metadata
    if metadata.num_ctas != 1 or metadata.global_scratch_size or getattr(metadata, "profile_scratch_size", 0):
        raise NotCompared("Triton's code needs clusters or scratch memory")
    path = os.path.join(folder, "kernel.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(made.asm["ptx"])
    head = re.search(r"\.entry[^{]*", made.asm["ptx"])
    words = words + ["0"] * (len(re.findall(r"\.param", head[0] if head else "")) - len(words))  # scratch that it does not use
    command = [os.path.join(os.path.dirname(os.path.abspath(tilec_command.__file__)), "tilec"), "run", path, "--device", "sim"]
    command += ["--kernel", metadata.name, "--grid", ",".join(map(str, grid)), "--threads", str(32 * metadata.num_warps)]
    command += ["--shared", str(metadata.shared)] if metadata.shared else []
    for i, content in enumerate(buffers):
        np.save(os.path.join(folder, f"{i}.npy"), np.frombuffer(content, np.uint8))
    for at, word in enumerate(words):
        found = re.match(r"\{(\d+)\}", word)
        if found:
            words[at] = "@" + os.path.join(folder, f"{found[1]}.npy") + word[found.end():]
            command += ["--save", f"{at}={os.path.join(folder, found[1])}.after.npy"]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotCompared("Triton's code fails on the simulator: " + (done.stderr.strip().splitlines() or ["?"])[0])
    paths = [os.path.join(folder, f"{i}.after.npy") for i in range(len(buffers))]
    return [np.load(path).tobytes() if os.path.exists(path) else b"" for path in paths]


def _values(content: bytes, dtype: str) -> Any:
    import numpy as np

    if dtype == "bfloat16":
        return (np.frombuffer(content, np.uint16).astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(content, dtype if hasattr(np, dtype) else np.uint8)


def _difference(name: str, array: Any, ours: bytes, theirs: bytes) -> str:
    """What differs in an array; "": nothing beyond the tolerance."""
    import numpy as np

    dtype = str(array.dtype).rpartition(".")[2]
    a, b = _values(ours, dtype), _values(theirs, dtype)
    relative, absolute = TOLERANCES.get(dtype, (0.0, 0.0))
    with np.errstate(all="ignore"):
        if dtype in TOLERANCES:
            x, y = a.astype(np.float64), b.astype(np.float64)
            bad = ~((x == y) | (np.isnan(x) & np.isnan(y)) | (np.abs(x - y) <= absolute + relative * np.abs(y)))
            worst = int(np.argmax(np.where(bad, np.nan_to_num(np.abs(x - y), nan=np.inf), -1.0)))
        else:
            bad = a != b
            worst = int(np.argmax(bad))
    count = int(bad.sum())
    if not count:
        return ""
    bound = f" beyond {relative:g} relative and {absolute:g} absolute" if dtype in TOLERANCES else ""
    return f"{count} of {len(a)} elements of '{name}'{bound}; the worst is element {worst}: {a[worst]}, and Triton's {b[worst]}"


def _theirs(kernel: Any, made: Any, named: Dict[str, Any], grid: Sequence[int], memory: List[Tuple[int, int]], before: List[bytes]) -> List[bytes]:
    for i, (address, size) in enumerate(memory):
        for other, others in memory[:i]:
            if address < other + others and other < address + size and (address, size) != (other, others):
                raise NotCompared("two arguments overlap in part")
    words: List[str] = []
    at, places = 0, {}  # type: int, Dict[int, int]
    for name in kernel.arg_names:
        value = named[name]
        if _is_array(value):
            if made.src.signature.get(name, "constexpr") != "constexpr":
                start = memory[at][0]
                first = places.setdefault(start, len(words))
                words.append((f"&{first}" if first < len(words) else f"{{{at}}}") + (f"+{_address(value) - start}" if _address(value) != start else ""))
            at += 1
        elif made.src.signature.get(name, "constexpr") != "constexpr":
            words.append(_number(value))
    with tempfile.TemporaryDirectory(prefix="tilec-") as folder:
        results = _run(made, grid, words, before, folder)
    found = {address: content for (address, _), content in zip(memory, results) if content}
    return [found.get(address, content) for (address, _), content in zip(memory, before)]


def launch(kernel: Any, ours: Any, compiled: Callable[[], Any], args: Sequence[Any], kwargs: Dict[str, Any], grid: Any, run: Callable[[], Any]) -> Any:
    """Launches by `run`, and compares what it leaves with Triton's. `compiled` is Triton's CompiledKernel. Returns run's result."""
    name, code = kernel.__name__, kernel.fn.__code__
    memory = ours._memory(*args, **kwargs)
    before = _elsewhere._read(memory)
    result = run()
    after = _elsewhere._read(memory)
    defaults = {param.name: param.default for param in kernel.params if param.has_default}
    named = {**defaults, **dict(zip(kernel.arg_names, args)), **kwargs}
    sizes = grid(named) if callable(grid) else grid
    sizes = list(sizes) if isinstance(sizes, (tuple, list)) else [sizes]
    try:
        theirs = _theirs(kernel, compiled(), named, sizes, memory, before)
    except NotCompared as reason:
        left_out[name] = str(reason)
        return result
    compared[name] = compared.get(name, 0) + 1
    arrays = [(param, named[param]) for param in kernel.arg_names if _is_array(named[param])]
    found = [_difference(param, array, *both) for (param, array), *both in zip(arrays, after, theirs)]
    for text in filter(None, found):
        print(f"{code.co_filename}:{code.co_firstlineno}: tilec and Triton differ in '{name}': {text}", file=sys.stderr)
    differing[name] = differing.get(name, 0) + any(found)
    return result


def summary() -> Tuple[str, bool]:
    """The last line, and whether nothing differs."""
    launches, bad = sum(compared.values()), sum(differing.values())
    text = f"tilec: {launches} launch{'' if launches == 1 else 'es'} compared with Triton's, {bad or 'none'} beyond the tolerance"
    for name, reason in left_out.items():
        text += f"\ntilec: '{name}' was not compared: {reason}"
    return text, not bad
