// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In every test program: what it compiles it compiles, whatever its user's cache has; the user's stays as it
// is.
#include <stdlib.h>

__attribute__((constructor)) static void switch_cache_off(void) { setenv("TILEC_CACHE", "off", 0); }
