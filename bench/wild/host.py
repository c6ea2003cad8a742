# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations where there is no GPU: what libraries ask of one, a driver whose launches do nothing, and what each compile made."""

import contextlib
import os
import pathlib
import re
import subprocess
import time
import types

import torch
import torch.overrides

NAME = "NVIDIA H200"


class OnHost(torch.overrides.TorchFunctionMode):
    """Libraries name the device "cuda" and ask if a tensor is there: here the CPU's memory stands for it."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function == torch.Tensor.is_cuda.__get__:
            return True
        kwargs = kwargs or {}
        if kwargs.get("device") is not None and torch.device(kwargs["device"]).type == "cuda":
            kwargs = {**kwargs, "device": "cpu"}
        return function(*args, **kwargs)


def pretend():
    """Answers to libraries' questions to torch about the device, as an H200 gives them."""
    properties = types.SimpleNamespace(name=NAME, major=9, minor=0, multi_processor_count=132, shared_memory_per_block_optin=232448, warp_size=32,
                                       total_memory=141 << 30, L2_cache_size=60 << 20, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048)
    torch.cuda.get_device_capability = lambda *args: (9, 0)
    torch.cuda.get_device_properties = lambda *args: properties
    torch.cuda.get_device_name = lambda *args: properties.name
    torch.cuda.current_device = lambda *args: 0
    torch.cuda.device_count = lambda *args: 1
    torch.cuda.synchronize = lambda *args: None
    torch.cuda.device = lambda *args: contextlib.nullcontext()
    torch.cuda.set_device = lambda *args: None
    os.environ["ARCH"] = "sm_90"  # FlagGems asks here
    OnHost().__enter__()


class Driver:
    """Answers to Triton's questions to the driver of an H200."""

    def __init__(self):
        from triton.backends.compiler import GPUTarget

        self.target = GPUTarget("cuda", 90, 32)
        self.launcher_cls = lambda source, metadata: lambda *args: None
        self.utils = types.SimpleNamespace(load_binary=lambda *args: (0, 0, 0, 0, 1024), unload_module=lambda *args: None,
                                           get_device_properties=lambda device: {"max_shared_mem": 232448, "multiprocessor_count": 132, "warpSize": 32, "max_num_regs": 65536})

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=None):
        return (9, 0)

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_device_interface(self):
        return torch.cuda

    def get_benchmarker(self):
        import triton.testing

        return triton.testing.do_bench


ACCESSES = ("LDG", "STG", "LDGSTS", "LDS", "STS", "RED", "REDG", "ATOMG", "LDL", "STL")
COUNTED = {"SHFL": "shuffles", "BAR": "barriers", "IMAD": "imad"}
WIDTHS = {"128": 16, "64": 8, "U16": 2, "S16": 2, "U8": 1, "S8": 1}


def tool(name, *arguments):
    import triton

    path = pathlib.Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / name
    return subprocess.run([str(path), *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=True).stdout


def assembled(cubin):
    """Facts of a kernel: registers, bytes of local and shared memory, instructions, and for each kind of access the
    number and the mean size."""
    path = pathlib.Path(os.environ["TRITON_CACHE_DIR"]) / f"{os.getpid()}.cubin"
    path.write_bytes(cubin)
    found = re.search(r"REG:(\d+) STACK:(\d+) SHARED:(\d+)", tool("cuobjdump", "-res-usage", path))
    names = re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]+)", tool("nvdisasm", "-c", path), re.M)
    bytes_of, counts = {}, dict.fromkeys(COUNTED.values(), 0)
    for name in names:
        first, *parts = name.split(".")
        if first in COUNTED and parts[:1] not in (["MOV"], ["SHL"], ["IADD"]):
            counts[COUNTED[first]] += 1
        if first in ACCESSES:
            bytes_of.setdefault(first, []).append(next((WIDTHS[part] for part in parts if part in WIDTHS), 4))
    accesses = {name: [len(each), sum(each) / len(each)] for name, each in sorted(bytes_of.items())}
    return {"registers": int(found[1]), "local": int(found[2]), "shared": int(found[3]), "instructions": len(names), "accesses": accesses, **counts}


class Compiles(list):
    """A row for each compile: the kernel, seconds, and what was assembled."""

    def watch(self, compile):
        def watched(*args, **kwargs):
            began = time.perf_counter()
            kernel = compile(*args, **kwargs)
            row = {"kernel": kernel.metadata.name, "seconds": time.perf_counter() - began}
            facts = assembled(kernel.asm["cubin"])
            facts["shared"] += kernel.metadata.shared  # what the launch asks for
            self.append({**row, **facts, "warps": kernel.metadata.num_warps, "hash": kernel.hash})
            return kernel

        return watched

    def take(self):
        rows = list(self)
        self.clear()
        return rows
