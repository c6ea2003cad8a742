// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A libcuda.so.1 without a GPU: what is launched runs on the simulator. Any of its calls can be made to fail, and what
// lives is counted. A program that has loaded it gets it wherever libcuda.so.1 is opened after; these functions are
// found by dlsym.
#ifndef TESTS_FAKE_DRIVER_H
#define TESTS_FAKE_DRIVER_H

enum { FAKE_MULTIPROCESSORS = 3 };

// From now on the call with that number (from 1) returns `result`, once. 0: no call does. A call
// that ends or frees something does so before it fails.
void fake_driver_fail(long call, int result);
// Calls since, and the symbol of the one that failed; "" where none has.
long fake_driver_calls(void);
const char *fake_driver_failed(void);
// Tensor maps that it was asked for.
long fake_driver_encodings(void);
// Contexts, memory, modules, streams, events, graphs and links that live.
long fake_driver_living(void);

#endif
