// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Before LLVM's initialisers, which have no priority: they may find no memory.
#include "codegen/llvm/out_of_memory.h"

__attribute__((constructor(101))) static void watch_memory(void) { llvm_watch_from_start(); }
