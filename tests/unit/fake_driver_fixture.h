// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading the driver that is the simulator (tests/gpu/fake_driver.h): from then on libcuda.so.1 is it.
#ifndef TESTS_UNIT_FAKE_DRIVER_FIXTURE_H
#define TESTS_UNIT_FAKE_DRIVER_FIXTURE_H

#include <dlfcn.h>
#include <string.h>

static inline void *fake_driver_load(void) {
  void *library = dlopen(FAKE_DRIVER, RTLD_NOW);
  if (!library) fail_msg("%s", dlerror());
  return library;
}

// function: where the pointer to the symbol is put.
static inline void fake_driver_find(void *library, const char *symbol, void *function) {
  void *found = dlsym(library, symbol);
  assert_non_null(found);
  memcpy(function, &found, sizeof found);
}

#endif
