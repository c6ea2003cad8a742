// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of tilec tune. The cache on disk keeps them for later compiles of the kernel (docs/tune.md).
//
// A result is found if all of these are the same:
//
// * the text of the kernel's file, and the kernel;
// * the types of the arguments;
// * the values of the parameters in the `key` of @autotune;
// * the given constexprs and options;
// * the device;
// * the sources of tilec and its LLVM. The tool and the library share results.
//
// The lock of $TILEC_LOCK comes before the cache (runtime/launch/lock.h).
//
// If you set a tuned constexpr or option yourself, no result is found. There is also none if there is no
// cache, or if the entry is broken.
#ifndef RUNTIME_LAUNCH_TUNED_H
#define RUNTIME_LAUNCH_TUNED_H

#include "runtime/compile/compile.h"
#include "runtime/device/device.h"

// One value of a configuration: -D NAME=TEXT, or a code option (num_warps, num_stages, maxnreg).
typedef struct TuneSetting {
  const char *name, *text;
  bool is_option;
} TuneSetting;

// Sets num_warps, num_stages or maxnreg. False: the name or the number is none.
bool tuned_take_option(Spec *spec, const char *name, uint64_t value);
// Keeps a result. `spec` is the command's: types, values and constexprs, without the settings. seconds: of a
// launch. False: there is no cache, or a setting cannot be written as text.
bool tuned_keep(Compilation *c, const Spec *spec, const tilec_device *device, const TuneSetting *settings,
                uint32_t count, double seconds);

// Adds the kept settings to `spec` and reports a remark. device NULL: code for any GPU of spec's
// architecture. It gets the last result found there, for any values. Call before compile_elaborate. Does
// nothing for .tir text.
tilec_status tuned_take(Compilation *c, const tilec_device *device, Spec *spec);

// Only the kept settings, in c's arena, and their launch time. seconds 0: not known. *found: false if nothing is kept for
// `spec`. A stale choice of the lock is an error.
tilec_status tuned_find(Compilation *c, const tilec_device *device, const Spec *spec, TuneSetting **settings,
                        uint32_t *count, double *seconds, bool *found);

// Writes a choice to a lock. `reason` is for people. False, with the reason in `error`.
bool tuned_lock(Compilation *c, const Spec *spec, const TuneSetting *settings, uint32_t count,
                const char *path, const char *reason, Buf *error);

// Returns true if the kernel has any result for the device.
bool tuned_has(Compilation *c, const Spec *spec, const tilec_device *device);

#endif
