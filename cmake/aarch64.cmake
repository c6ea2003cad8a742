# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A toolchain file: builds for Linux on aarch64 with Debian's cross compiler. TILEC_AARCH64 in the environment is a folder with
# arm64 packages of Debian unpacked, LLVM's among them (scripts/python-wheel --aarch64 makes it).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH $ENV{TILEC_AARCH64})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(TILEC_LLVM_ROOT $ENV{TILEC_AARCH64})
