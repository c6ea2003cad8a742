# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base class of drivers."""


class DriverBase:
    """What launches kernels."""


class GPUDriver(DriverBase):
    """A driver of GPUs."""
