// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels with hidden parameters: tensor maps, guards, the number of programs. Each has arguments
// for which the code with hidden parameters is right, and some for which it is not.
#include "copies.h"

#include <dlfcn.h>

#include "tests/gpu/aot.h"
#include "turns.h"

static tilec_aot_status launch_product(const Run *run) {
  return copies_product(NULL, P(0), P(1), P(2), I(0), I(1), I(2));
}
static tilec_aot_status launch_boxes(const Run *run) {
  return copies_boxes(NULL, P(0), P(1), P(2), I(0), I(1), I(2));
}
static tilec_aot_status launch_turns(const Run *run) {
  return turns(NULL, P(0), P(1), P(2), I(0), I(1), I(2));
}

#define OF_COPIES(kernel, skew, ...)                                                                         \
  { "copies.tile", #kernel, launch_##kernel, copies_aot_error, TILEC_FP16, 3, 3, skew, {__VA_ARGS__}, 1, 0 }
#define OF_TURNS(skew, ...)                                                                                  \
  { "turns.tile", "turns", launch_turns, turns_aot_error, TILEC_FP16, 3, 3, skew, {__VA_ARGS__}, 0, 1 }

static const Case cases[] = {
    OF_COPIES(product, 0, 128, 64, 96), // the guard holds
    OF_COPIES(product, 0, 96, 64, 96),  // it does not
    OF_COPIES(product, 0, 64, 64, 0),   // no map has a size of 0
    OF_COPIES(product, 1, 64, 64, 64),  // another variant, which has no maps
    OF_COPIES(product, 0, 64, 64, 104), // the same
    OF_COPIES(product, 0, 0, 64, 64),   // no program
    OF_COPIES(boxes, 0, 128, 112, 80),
    OF_COPIES(boxes, 0, 48, 128, 128),
    OF_COPIES(boxes, 0, 64, 64, 0),
    OF_TURNS(0, 256, 128, 96), // more programs than the fake device has room for
    OF_TURNS(0, 64, 16, 64),
    OF_TURNS(0, 112, 96, 32),
    OF_TURNS(0, 112, 96, 0),
};

// The number of maps that the driver has made; -1: unknown, or the device has none.
static long encodings(void) {
  if (getenv("FAKE_DRIVER_CC")) return -1;
  long (*function)(void);
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL),
       *found = dlsym(library, "fake_driver_encodings");
  if (!found) return -1;
  memcpy(&function, &found, sizeof function);
  return function();
}

// Two maps of each set of arguments, once, as long as there are no more than 32.
static void count_encodings(Test *test) {
  enum { SETS = 32, ROUNDS = 3 };
  const Case c = {.dtype = TILEC_FP16, .buffer_count = 3};
  Data d = data_new(test, &c);
  data_reset(&d);
  const long before = encodings();
  tilec_aot_status status = TILEC_AOT_OK;
  for (int i = 0; i < SETS * ROUNDS && !status; i++)
    status = copies_boxes(NULL, address_of(&d, &c, 0), address_of(&d, &c, 1), address_of(&d, &c, 2),
                          16 + 16 * (i % SETS), 16, 16);
  const long after = encodings();
  count(test, !status && (before < 0 || after - before == 2 * SETS),
        "maps of 32 sets of arguments are made once", copies_aot_error());
  for (int i = 0; i < 2 && !status; i++)
    status = copies_boxes(NULL, address_of(&d, &c, 0), address_of(&d, &c, 1), address_of(&d, &c, 2),
                          i ? 16 : 16 + 16 * SETS, 16, 16);
  count(test, !status && (before < 0 || encodings() - after == 4), "one more takes the oldest one's place",
        copies_aot_error());
  CHECK(tilec_device_synchronize(test->device) == TILEC_OK);
  data_free(&d);
}

void compare_copies(Test *test) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) compare(test, &cases[i]);
  count_encodings(test);
}
