// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef BASE_SECONDS_H
#define BASE_SECONDS_H

double seconds_now(void); // monotonic

#endif
