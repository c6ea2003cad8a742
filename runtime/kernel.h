// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel on a device, and its specialisations.
#ifndef RUNTIME_KERNEL_H
#define RUNTIME_KERNEL_H

#include <pthread.h>
#include "runtime/device.h"
#include "runtime/program.h"
#include "runtime/specialise.h"

// One compiled variant. Made under its kernel's lock, and not changed after but for the grid's memory.
typedef struct Specialisation {
  uint64_t hash; // of the key
  uint8_t *key;  // KEY_BYTES a parameter
  Compilation c; // with the elaborated function on eval, the compiled one elsewhere
  Func *func;
  DeviceKernel loaded;
  pthread_mutex_t grid_lock; // around the three below and the evaluation of @grid, which uses c
  bool grid_known;
  uint64_t *grid_args;
  int64_t grid[3];
} Specialisation;

struct tilec_kernel {
  tilec_device *device;   // held
  tilec_program *program; // held
  Arena arena;            // of options and params
  tilec_compile_options options;
  const char *name;
  bool has_grid, is_tir;
  const ParamFacts *tir_facts; // of .tir text: what its function relies on
  RunParam *params;
  uint32_t param_count;
  pthread_mutex_t lock;   // around the table
  Specialisation **table; // open addressing by hash; a power of two
  uint32_t count, cap;
  Specialisation *last; // the one launched last; atomic
};

// The variant for these arguments, compiled and loaded at the first call. It lives as long as the kernel.
tilec_status kernel_specialise(tilec_kernel *kernel, const BoundArgs *args, Specialisation **result);

// The kernel's @grid for these arguments.
tilec_status specialisation_grid(Specialisation *s, const BoundArgs *args, int64_t grid[3]);

#endif
