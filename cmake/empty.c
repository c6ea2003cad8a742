// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared library of archives alone still needs one source file.
typedef int tilec_empty;
