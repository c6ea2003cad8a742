# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers of programs with kernels, with Triton's names."""
