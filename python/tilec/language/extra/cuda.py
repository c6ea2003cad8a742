# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tl.extra.cuda: what only CUDA has."""

from . import libdevice  # noqa: F401
from .._functions import gdc_launch_dependents, gdc_wait, globaltimer, num_threads, num_warps, smid  # noqa: F401
