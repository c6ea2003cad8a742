# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs use beside kernels, with Triton's names."""
