# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels are compiled for."""

from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True)
class GPUTarget:
    """A chip: "cuda", its compute capability as one number, and 32."""

    backend: str
    arch: Union[int, str]
    warp_size: int


class BaseBackend:
    """The base class of Triton's backends, of which there are none here."""
