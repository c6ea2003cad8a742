# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuners: tilec's."""

from tilec import Autotuner, Config, Heuristics, OutOfResources, autotune, heuristics
from tilec._autotune import KernelInterface

__all__ = ["Autotuner", "Config", "Heuristics", "KernelInterface", "OutOfResources", "autotune", "heuristics"]
