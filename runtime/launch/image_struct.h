// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs by value, for kernels from the caller's PTX or GPU code.
#ifndef RUNTIME_LAUNCH_IMAGE_STRUCT_H
#define RUNTIME_LAUNCH_IMAGE_STRUCT_H

#include "runtime/launch/specialise.h"

// Writes the tuple's members to `to` of `room` bytes as C's struct of them. *bytes is the struct's size; with more than
// `room`, the rest is not written. Returns NULL, or what the tuple has that no struct can have.
const char *struct_pack(const tilec_arg *tuple, uint8_t *to, size_t room, size_t *bytes);
// The same, where each byte of a member is 255 and each byte of padding 0. For a tuple that struct_pack takes.
void struct_mark(const tilec_arg *tuple, uint8_t *to, size_t room);

#endif
