// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs before LLVM's initialisers, which have no priority. They may run out of memory.
#include "codegen/llvm/out_of_memory.h"

__attribute__((constructor(101))) static void watch_memory(void) { llvm_watch_from_start(); }
