// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches only add.tile's artefact, without libtilec; C99 and C++11. Each call's status is a line.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "add.h"

static void *driver;

static void find(const char *name, void *function) {
  void *found = dlsym(driver, name);
  if (!found) abort();
  memcpy(function, &found, sizeof found);
}

static void enter_context(void) {
  int (*retain)(void **, int);
  int (*push)(void *);
  void *context = NULL;
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return;
  find("cuDevicePrimaryCtxRetain", &retain);
  find("cuCtxPushCurrent_v2", &push);
  if (retain(&context, 0) != 0 || push(context) != 0) abort();
}

static uint64_t memory(size_t bytes) {
  int (*allocate)(uint64_t *, size_t);
  uint64_t address = 0;
  if (!driver) return 0;
  find("cuMemAlloc_v2", &allocate);
  if (allocate(&address, bytes) != 0) abort();
  return address;
}

static void say(const char *what, tilec_aot_status status) {
  printf("%s: %s%s%s\n", what, add_aot_status_name(status), status != TILEC_AOT_OK ? ": " : "",
         status != TILEC_AOT_OK ? add_aot_error() : "");
}

int main(void) {
  enter_context();
  const uint64_t x = memory(8192), y = memory(8192), out = memory(8192);
  say("aligned", add(NULL, x, y, out, 1024));
  say("aligned again", add(NULL, x, y, out, 512));
  say("misaligned", add(NULL, x + 4, y, out, 1024));
  say("not by 16", add(NULL, x, y, out, 1025));
  say("nothing", add(NULL, x, y, out, 0));
  say("negative", add(NULL, x, y, out, -5000));
  say("nowhere", add(NULL, 16, y, out, 1024));
  return 0;
}
