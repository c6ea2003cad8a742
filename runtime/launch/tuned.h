// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tilec tune has found, kept in the cache on disk, for those who compile the kernel later (docs/tune.md).
//
// A result is found again for the same text of the kernel's file, kernel, types of the arguments, values of the
// parameters that @autotune's `key` names, constexprs and options that are given, device, and the sources that tilec was
// built from, with their LLVM: the tool and the library share results. Who gives a constexpr or option that was tuned asks
// for something else, and finds nothing. Where there is no cache, or the entry is broken, there is no result.
#ifndef RUNTIME_LAUNCH_TUNED_H
#define RUNTIME_LAUNCH_TUNED_H

#include "runtime/compile/compile.h"
#include "runtime/device/device.h"

// A value that a configuration gives: -D NAME=TEXT, or of an option of the code (num_warps, num_stages, maxnreg).
typedef struct TuneSetting {
  const char *name, *text;
  bool is_option;
} TuneSetting;

// `spec` as the command was given: types, values and constexprs, without the settings. seconds: of a launch. False: there is
// no cache, or a setting cannot be written down.
bool tuned_keep(Compilation *c, const Spec *spec, const tilec_device *device, const TuneSetting *settings,
                        uint32_t count, double seconds);

// Adds the kept settings to `spec`, and says so as a remark. device NULL: code for any GPU of spec's architecture, which
// takes what was found there last, for whatever values. Before compile_elaborate; of .tir text nothing.
tilec_status tuned_take(Compilation *c, const tilec_device *device, Spec *spec);

// The kept settings alone, in c's arena, and the time that they were found with: false where nothing is kept for `spec`.
bool tuned_find(Compilation *c, const tilec_device *device, const Spec *spec, TuneSetting **settings, uint32_t *count,
                double *seconds);

// Whether there is any result of the kernel for the device.
bool tuned_has(Compilation *c, const Spec *spec, const tilec_device *device);

#endif
