// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel on a device, and its specialisations.
#ifndef RUNTIME_LAUNCH_KERNEL_H
#define RUNTIME_LAUNCH_KERNEL_H

#include <pthread.h>
#include "runtime/device/device.h"
#include "runtime/launch/host_results.h"
#include "runtime/launch/launch_maps.h"
#include "runtime/compile/program.h"
#include "runtime/launch/specialise.h"

// Levels of compiling a kernel. A launch whose hidden parameters cannot be made falls back to the next level.
typedef enum SpecLevel {
  SPEC_WHOLE, // as the options say
  SPEC_ALONE, // one CTA per program: for launches with too few programs for a guard that needs their number
  SPEC_PLAIN  // without hidden parameters
} SpecLevel;

// One compiled variant. Once in its kernel's list it is immutable, except the results of its host regions.
typedef struct Specialisation {
  struct Specialisation *next; // list of the kernel's specialisations
  uint8_t *key;                // of its arguments, without values
  uint32_t key_bytes;
  Buf given;     // values from @heuristics and from tuning: NAME=VALUE lines
  Compilation c; // with the elaborated function on eval, the compiled one on other devices
  Func *func;
  Func *host; // has the code's host regions and hidden parameters: func, or a function from the cache
  HiddenParams hidden; // made by the launch
  SpecLevel level;
  struct Specialisation *plain; // the same kernel one level lower; NULL: no launch has needed it yet; atomic
  DeviceKernel loaded;
  pthread_mutex_t host_lock; // guards `results` and the evaluation of host regions, which uses c
  HostResults results;
} Specialisation;

// Maps arguments to a specialisation, by their key and the values that heuristics read.
typedef struct Variant {
  uint64_t hash;
  Specialisation *specialisation;
  uint64_t *values; // one per value_params entry; none if the key contains the values
  uint32_t value_count;
  uint32_t key_bytes;
  uint8_t key[];
} Variant;

struct tilec_kernel {
  tilec_device *device;   // a reference
  tilec_program *program; // a reference
  Arena arena;            // of options and params
  tilec_compile_options options;
  const char *name;
  bool has_grid, is_tir;
  bool tuned;               // tilec tune has kept a result for it
  bool is_wide;             // A parameter is declared as a tuple or tensor descriptor.
  bool is_image;            // PTX or GPU code. program is NULL, and `first` is the only specialisation.
  uint32_t *param_bytes;    // For an image.
  const uint8_t *tir_facts; // For .tir text: the facts that its function relies on, encoded as in keys.
  RunParam *params;
  uint32_t param_count;
  bool heuristic;         // some parameters are read by heuristics
  uint32_t *value_params; // parameters that heuristics read; for a tuned kernel also those in @autotune's key
  uint32_t value_count;
  pthread_mutex_t lock; // guards the table, the list and `making`; not held during a compile
  pthread_cond_t made;  // one of `making` has ended
  struct VariantMaking *making;
  Variant **table; // open addressing by hash; the size is a power of two
  uint32_t count, cap;
  Specialisation *first; // list of all
  Variant *last;         // the last one launched; atomic
};

// A new kernel that holds the device and the program (may be NULL). NULL: out of memory.
tilec_kernel *kernel_alloc(tilec_device *device, tilec_program *program);

// Takes the code of a compiled kernel, and what its launches need.
void image_take_code(KernelImage *image, const Compilation *c);
// Lowers the level of the last compile (SpecLevel) in `asked`, the target for the next one. `host`: has the code's
// host regions; NULL: there are none. False: there is no lower level.
bool level_falls_back(const Compilation *c, const Func *host, Target *asked);

// The variant for these arguments. It is compiled and loaded at the first call. It lives as long as the
// kernel.
tilec_status kernel_specialise(tilec_kernel *kernel, const BoundArgs *args, Specialisation **result);

// The same kernel one level lower than `s`. Used for launches whose map `name` cannot be made, or whose
// number of programs is too large for a persistent kernel (name NULL). It is compiled and loaded at the first
// call. An error if it has hidden parameters at every level.
tilec_status kernel_plain(tilec_kernel *kernel, Specialisation *s, const BoundArgs *args, const char *name,
                          const char *why, Specialisation **plain);

// A launch with options.check: under each schedule with every checker on, each time from the same initial
// memory. args: the visible arguments. bits: of all `count` parameters.
tilec_status launch_checked(const DeviceKernel *loaded, const BoundArgs *args, const uint64_t *bits,
                            uint32_t count, const tilec_launch_options *options, Buf *printed);

// Frees the kernel's table and specialisations.
void kernel_free_variants(tilec_kernel *kernel);

// Binds arguments as launches of a kernel from an image do: to bits, by the sizes of the parameters.
tilec_status image_bind(const tilec_kernel *kernel, const tilec_arg *args, size_t arg_count,
                        BoundArgs *bound);

#endif
