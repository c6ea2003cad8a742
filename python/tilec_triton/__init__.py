# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of this package that `import triton` loads, by the entry point `tilec` of the group `triton.backends`.

It is a separate package, so that importing Triton does not load tilec. It compiles for no target by itself. With
TILEC_TRITON in the environment it replaces Triton's compiler by tilec, and gives Triton a driver if there is no GPU."""
