# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's driver for fake_gpu's GPU. tilec launches there, by the driver that is the simulator. Triton's own launches are
recorded, as its launcher needs a real driver."""

import types

import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.driver import CudaDriver

import fake_gpu

WORDS = {"float16": np.uint16, "float32": np.float32, "int32": np.int32}


class Array(fake_gpu.ByMethods):
    """NumPy's values in the GPU's memory."""

    def __init__(self, values):
        kind = str(values.dtype)
        super().__init__(values.view(WORDS[kind]).reshape(-1).tolist(), kind)
        self.shape, self.kind = values.shape, values.dtype

    def stride(self):
        return tuple(step // self.kind.itemsize for step in np.empty(self.shape, self.kind).strides)

    def numpy(self):
        return np.array(super().values(), WORDS[str(self.kind)]).view(self.kind).reshape(self.shape)


class Launcher:
    """In the place of Triton's: the launches that are left to it."""

    calls = []

    def __init__(self, source, metadata):
        self.metadata = metadata
        self.launch_pdl = metadata.launch_pdl

    def __call__(self, x, y, z, stream, function, packed, launch, enter, leave, *args):
        if enter is not None:
            enter(launch)
        self.calls.append(((x, y, z), stream, args))
        if leave is not None:
            leave(launch)


class Driver(CudaDriver):
    launcher_cls = Launcher

    def __init__(self):
        self.stream, self.device = 0, 0
        self.utils = types.SimpleNamespace(
            get_device_properties=lambda device: {"max_shared_mem": 232448, "multiprocessor_count": 132, "max_num_regs": 65536, "warpSize": 32},
            load_binary=lambda name, image, shared, device: (object(), object(), 32, 0, 1024),
            unload_module=lambda module: None,
        )

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return self.device

    def get_current_stream(self, device=None):
        return self.stream

    def get_device_capability(self, device=None):
        return 9, 0

    def get_benchmarker(self):
        def bench(call, quantiles=None, **options):
            call()
            return [1.0] * len(quantiles or [0])
        return bench


class active:
    """Makes it Triton's driver."""

    def __enter__(self):
        self.before = triton.runtime.driver._active  # not made yet, if None: Triton's own fails with such a GPU
        self.driver = Driver()
        triton.runtime.driver.set_active(self.driver)
        Launcher.calls.clear()
        return self.driver

    def __exit__(self, *error):
        triton.runtime.driver._active = self.before
