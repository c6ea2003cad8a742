# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tl.random: the names that programs take from Triton's module of this name; they are tl's."""

from . import *  # noqa: F401,F403
