# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what the CuTe DSL compiles for sm_100a on the simulator, launched by the kernel's own host code.

The DSL's runtime library is replaced by runtime.c. A launch then arrives here with its grid, its cluster and its
parameters. Tensors are ordinary ones of the CPU. They are shown to the host code as tensors of a GPU, with the
simulator's addresses. Import this before any package that uses the DSL."""
import atexit
import ctypes
import os
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MULTIPROCESSORS = 148
CUDA = 2  # DLDeviceType
OBJECT_BYTES = 24  # of a TVMFFIObject, before its DLTensor


def built_runtime(folder):
    library = os.path.join(folder, "runtime.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, os.path.join(HERE, "runtime.c")], check=True)
    return library


FOLDER = tempfile.mkdtemp()
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
os.environ.update(CUTE_DSL_ARCH="sm_100a", CUTE_DSL_LIBS=built_runtime(FOLDER), CUTE_DSL_DUMP_DIR=FOLDER,
                  QUACK_ARCH="100", QUACK_CACHE_ENABLED="0", FLASH_ATTENTION_ARCH="sm_100",
                  FLASH_ATTENTION_NUM_SMS=str(MULTIPROCESSORS))
sys.path.insert(0, os.path.join(HERE, os.pardir, "triton"))

import cuda.bindings.runtime as cuda_runtime  # noqa: E402
import cutlass.cute as cute  # noqa: E402
import cutlass.utils  # noqa: E402
import torch  # noqa: E402
import tvm_ffi  # noqa: E402

import simulator  # noqa: E402

runtime = ctypes.CDLL(os.environ["CUTE_DSL_LIBS"])
cuda_runtime.cudaGetDeviceCount = lambda: (cuda_runtime.cudaError_t.cudaSuccess, 1)
card = cutlass.utils.HardwareInfo
card.__init__ = lambda self, *ignored: None
card.get_max_active_clusters = lambda self, cluster_size, *ignored: MULTIPROCESSORS // cluster_size
card.get_device_multiprocessor_count = lambda self: MULTIPROCESSORS


class Config(ctypes.Structure):  # cudaLaunchConfig_t
    _fields_ = [("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3), ("shared", ctypes.c_size_t),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p), ("count", ctypes.c_uint32)]

    # cudaLaunchAttributeClusterDimension of the attributes, each a number and 64 bytes.
    def cluster(self):
        for i in range(self.count):
            words = struct.unpack("<18I", ctypes.string_at(self.attributes + 72 * i, 72))
            if words[0] == 4:
                return words[2:5]
        return 1, 1, 1


# The DSL's host code writes the GPU's own form of a tensor map, which NVIDIA does not document. `tensor_map` reads the
# fields, as maps of known tensors show them.
# CUtensorMapDataType of each number there: u8 to f32, bf16, 4 bits packed and padded.
DATA_TYPES = {**{i: i for i in range(8)}, 10: 9, 11: 13, 12: 14}


def tensor_map(sim, raw):
    words, box = struct.unpack("<14I", raw[:56]), struct.unpack("<5B", raw[55:60])
    flags, rank = words[2], (words[2] >> 4 & 7) + 1
    strides = [16 * units for units in words[3:2 + rank]]
    extents, box = ([last + 1 for last in lasts[:rank]] for lasts in (words[8:13], box))
    address = (words[0] | words[1] << 32) << 7 & 2**64 - 1
    address = (address ^ 2**63) - 2**63 >> 7  # 57 bits with a sign: a kernel of QuACK begins before its array
    return sim.tensor_map(DATA_TYPES[flags >> 7 & 15], address & 2**64 - 1, extents, strides, box, flags >> 13 & 3)


class Card:
    """A simulated GPU under one schedule. `reports` has those of all launches."""

    def __init__(self, library, schedule, checks):
        self.sim, self.addresses, self.reports = simulator.Simulator(library, schedule, checks), {}, []

    def address(self, tensor):
        storage = tensor.untyped_storage()
        at = storage.data_ptr()
        if at not in self.addresses:
            flat = torch.tensor([], dtype=torch.uint8).set_(storage)
            self.addresses[at] = self.sim.bind(flat.numpy())
        return self.addresses[at] + tensor.data_ptr() - at

    def launch(self, ptx, config, arguments):
        kernel, sizes = self.sim.load(ptx)
        given = [ctypes.string_at(arguments[i], size) for i, size in enumerate(sizes)]
        given = [tensor_map(self.sim, p) if len(p) == 128 else p for p in given]
        self.reports += self.sim.launch(kernel, config.grid, config.block[0], config.shared, given, config.cluster())


current = error = None  # the Card that launches go to; what went wrong in the last launch
ptx_now = None  # of the function being called, which has one kernel


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p))
def launched(config, name, arguments):
    global error
    try:
        current.launch(ptx_now, Config.from_address(config), arguments)
    except Exception as exception:  # it must not pass through the host code, which is not Python
        error = exception
    return 0


ctypes.c_void_p.in_dll(runtime, "on_launch").value = ctypes.cast(launched, ctypes.c_void_p).value


from_dlpack_before, compile_before = tvm_ffi.from_dlpack, cute.compile


# The first fields of a DLTensor are its address and the kind of its device.
def from_dlpack(tensor, *arguments, address=None, **named):
    made = from_dlpack_before(tensor, *arguments, **named)
    place = made.__chandle__() + OBJECT_BYTES
    if address is not None:
        ctypes.c_uint64.from_address(place).value = address
    ctypes.c_int32.from_address(place + 8).value = CUDA
    return made


def on_card(value):
    if isinstance(value, torch.Tensor):
        return from_dlpack(value.detach().as_subclass(torch.Tensor), address=current.address(value))
    if isinstance(value, (tuple, list)):
        items = [on_card(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


class Compiled:
    def __init__(self, function):
        self.function = function

    def __call__(self, *arguments, **named):
        global error, ptx_now
        error, ptx_now = None, self.function.__ptx__
        try:
            self.function(*map(on_card, arguments), **{name: on_card(value) for name, value in named.items()})
        finally:
            if error:
                raise error


def compile_with_ptx(*arguments, options="", **named):
    return Compiled(compile_before(*arguments, options=options + " --keep-ptx", **named))


tvm_ffi.from_dlpack, cute.compile = from_dlpack, compile_with_ptx
