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

// One compiled variant. Not changed once it is in its kernel's list but for what its host regions yielded.
// What launches that cannot be made of a kernel fall back to.
typedef enum SpecLevel {
  SPEC_WHOLE, // as the options say
  SPEC_ALONE, // each program by its own block: launches of too few for a guard that asks how many there are
  SPEC_PLAIN  // without hidden parameters
} SpecLevel;

typedef struct Specialisation {
  struct Specialisation *next; // of the same kernel
  uint8_t *key;                // of its arguments, without values
  uint32_t key_bytes;
  Buf given;                   // what @heuristics and a tuning gave for its arguments: NAME=VALUE lines
  Compilation c;               // with the elaborated function on eval, the compiled one elsewhere
  Func *func;
  Func *host;    // whose host regions and hidden parameters are the code's: func, or of the code that the cache had
  HiddenParams hidden; // which the launch makes
  SpecLevel level;
  struct Specialisation *plain; // the same kernel of a level below; NULL: no launch has needed it yet. Atomic
  DeviceKernel loaded;
  pthread_mutex_t host_lock; // around `results` and the evaluation of host regions, which uses c
  HostResults results;
} Specialisation;

// Which specialisation arguments lead to: by their key and the values that heuristics read.
typedef struct Variant {
  uint64_t hash;
  Specialisation *specialisation;
  uint64_t *values; // one for each of the kernel's value_params; none where they are in the key
  uint32_t value_count;
  uint32_t key_bytes;
  uint8_t key[];
} Variant;

struct tilec_kernel {
  tilec_device *device;   // held
  tilec_program *program; // held
  Arena arena;            // of options and params
  tilec_compile_options options;
  const char *name;
  bool has_grid, is_tir;
  bool tuned;                  // tilec tune has found something for it
  bool is_wide;                // a parameter is declared as a tuple or tensor descriptor
  bool is_image;               // PTX or a GPU's code: program NULL, `first` its only specialisation
  uint32_t *param_bytes;       // of an image
  const uint8_t *tir_facts;    // of .tir text: what its function relies on, as keys have it
  RunParam *params;
  uint32_t param_count;
  bool heuristic;         // some are read by heuristics
  uint32_t *value_params; // those that heuristics read, and of a tuned kernel those of @autotune's key
  uint32_t value_count;
  pthread_mutex_t lock; // around the table, the list and `making`; not held while a variant is compiled
  pthread_cond_t made;  // one of `making` has ended
  struct VariantMaking *making;
  Variant **table; // open addressing by hash; a power of two
  uint32_t count, cap;
  Specialisation *first; // all that were made
  Variant *last;         // the one launched last; atomic
};

// An empty kernel that holds the device and the program, which may be NULL. NULL: no memory.
tilec_kernel *kernel_alloc(tilec_device *device, tilec_program *program);

// The variant for these arguments, compiled and loaded at the first call. It lives as long as the kernel.
tilec_status kernel_specialise(tilec_kernel *kernel, const BoundArgs *args, Specialisation **result);

// The same kernel of a level below, for such launches of `s`, whose map `name` cannot be made, or of more programs than
// can be run in turn (NULL): compiled and loaded at the first call. An error where it has hidden parameters whatever it is
// compiled for.
tilec_status kernel_plain(tilec_kernel *kernel, Specialisation *s, const BoundArgs *args, const char *name,
                          const char *why, Specialisation **plain);

// A launch with options.check: under each schedule with every checker on, each time from the memory as it was.
// args: the visible arguments; bits: of all count parameters.
tilec_status launch_checked(const DeviceKernel *loaded, const BoundArgs *args, const uint64_t *bits, uint32_t count,
                            const tilec_launch_options *options, Buf *printed);

// Frees the kernel's table and specialisations.
void kernel_free_variants(tilec_kernel *kernel);

// The same as launches do for a kernel from an image: arguments to bits, by the parameters' bytes.
tilec_status image_bind(const tilec_kernel *kernel, const tilec_arg *args, size_t arg_count,
                        BoundArgs *bound);

#endif
