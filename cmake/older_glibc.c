// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the newest glibc that LLVM's and libstdc++'s archives call, if built on one: with it libtilec.so runs
// with older ones. The names stay within the library.
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void); // since 2.36; by LLVM for the names of temporary files

uint32_t arc4random(void) {
  uint32_t number;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) abort(); // so few bytes never fail
  return number;
}
