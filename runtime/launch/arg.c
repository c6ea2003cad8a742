// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The header's inline argument functions, for callers in other languages.
#include "runtime/tilec.h"

_Static_assert(sizeof(tilec_arg) == 16, "programs that are compiled have arrays of them");

void tilec_arg_set_pointer(tilec_arg *arg, tilec_dtype pointee, uint64_t address) {
  *arg = tilec_arg_pointer(pointee, address);
}

void tilec_arg_set_buffer(tilec_arg *arg, tilec_dtype pointee, const tilec_buffer *buffer) {
  *arg = tilec_arg_buffer(pointee, buffer);
}

void tilec_arg_set_int(tilec_arg *arg, int64_t i) { *arg = tilec_arg_int(i); }
void tilec_arg_set_uint(tilec_arg *arg, uint64_t u) { *arg = tilec_arg_uint(u); }
void tilec_arg_set_bool(tilec_arg *arg, int b) { *arg = tilec_arg_bool(b); }
void tilec_arg_set_float(tilec_arg *arg, double f) { *arg = tilec_arg_float(f); }
void tilec_arg_set_none(tilec_arg *arg) { *arg = tilec_arg_none(); }
void tilec_arg_set_default(tilec_arg *arg) { *arg = tilec_arg_default(); }
void tilec_arg_set_dl(tilec_arg *arg, const void *dl_tensor) { *arg = tilec_arg_dl(dl_tensor); }
void tilec_arg_set_dim(tilec_arg *arg, const void *dl_tensor, int i) { *arg = tilec_arg_dim(dl_tensor, i); }
void tilec_arg_set_stride(tilec_arg *arg, const void *dl_tensor, int i) {
  *arg = tilec_arg_stride(dl_tensor, i);
}

void tilec_arg_set_tuple(tilec_arg *arg, const tilec_tuple *tuple) { *arg = tilec_arg_tuple(tuple); }
void tilec_arg_set_descriptor(tilec_arg *arg, const tilec_descriptor *descriptor) {
  *arg = tilec_arg_descriptor(descriptor);
}
void tilec_arg_set_constexpr(tilec_arg *arg, const char *text) { *arg = tilec_arg_constexpr(text); }
