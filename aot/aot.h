// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ahead-of-time compilation: --emit=header and --emit=object. Each kernel is compiled for every architecture and
// variant. The result is a C header and a C source, or a header and that source compiled. The command is in
// tools/aot_command.c, which compiles the images. The C compiler is run by tools/aot_object.c.
//
// * aot_images.c keeps the images.
// * aot_names.c makes C names from Python names.
// * aot_host.c writes a kernel's @grid, tensor maps and guard as C functions.
// * aot_text.c writes the header and the source, with aot/support.c in it.
// * aot_tensorrt.c writes a Python module for TensorRT (--emit=tensorrt).
#ifndef AOT_AOT_H
#define AOT_AOT_H

#include "ir/memory/tensor_map.h"
#include "runtime/launch/kernel.h"
#include "runtime/device/tensor_encode.h"

// A parameter as the launcher takes it.
typedef struct AotParam {
  const char *name;   // In the kernel.
  const char *c_name; // In the launcher.
  const Type *type;   // Owned by a Compilation that is kept.
  bool is_none;       // Given as None: the launcher has no such parameter.
  bool is_one;        // A descriptor's last stride: the launcher has no such parameter.
  // Bit number of each fact. -1: no image needs the fact.
  int divisible16, equal1;
} AotParam;

// A parameter that no caller gives: a tensor map. It is encoded from the values that its function yields.
typedef struct AotMap {
  const char *function; // C text after the function's name
  TensorEncoding encoding;
  uint32_t element_bytes;
} AotMap;

// The hidden parameters, after the visible ones, and the condition for using them.
typedef struct AotHidden {
  const char *guard; // C text after the function's name; "": always holds
  bool persistent;   // the grid's size comes first
  AotMap maps[MAX_TENSOR_MAPS];
  uint32_t map_count;
} AotHidden;

// One kernel for one architecture. Its code relies on some facts.
typedef struct AotImage {
  const TargetInfo *arch; // as emitted
  const char *entry, *ptx;
  Str cubin; // n 0: none
  uint32_t threads, shared_bytes;
  const AotHidden *hidden; // NULL: nothing
  bool in_levels; // the next images with the same facts serve launches that the hidden parameters do not fit
  bool overlaps;
  const ParamFacts *facts; // one per visible parameter
  uint32_t fact_count;     // number of facts that hold, over all parameters
} AotImage;

// A constexpr that the kernel was compiled with. The launcher has no such parameter.
typedef struct AotConstexpr {
  const char *name, *text; // in the kernel; the value in Python syntax
  const char *macro;       // of the header; NULL: not a value for C, or the name is not free
  int64_t number;          // the macro's value
} AotConstexpr;

typedef struct AotKernel {
  const char *name, *launcher; // the source's name; the C name
  AotParam *params;
  uint32_t param_count;
  VEC(AotConstexpr) constexprs; // in source order
  bool has_grid;
  const char *grid_text[HOST_VALUES]; // as written; NULL past the last
  const char *grid_function;          // C text after the function's name; "" without @grid
  uint32_t helpers;                   // what the host functions call: a bit set
  VEC(AotImage) images;               // best for a device first
  VEC(const char *) wide;             // "t is (*fp32, i32)", one per source parameter that becomes several
} AotKernel;

typedef struct AotFile {
  const char *source;      // the source file
  const char *prefix;      // of the C names
  const char *header_name; // as the source includes it
  VEC(AotKernel) kernels;
  uint32_t fact_count; // facts that images need, over all kernels
} AotFile;

// --- aot_images.c ---

// Call after the first compile that succeeds.
void aot_keep_params(Arena *arena, AotKernel *k, const Func *func);
// Fills k->constexprs. `file` has the kernels whose macros are taken.
void aot_keep_constexprs(Arena *arena, const AotFile *file, AotKernel *k, const Func *func);
// An error if this compile has other constexprs than the first, from a result of tilec tune for its
// architecture. All images share the launcher, its grid and the macros.
tilec_status aot_check_constexprs(Compilation *c, const AotKernel *k);
// The hidden parameters of the compiled code. NULL: none. An error if C cannot express how they are made.
tilec_status aot_keep_hidden(Arena *arena, Compilation *c, AotKernel *k, const AotHidden **hidden);
AotImage aot_keep_image(Arena *arena, const AotKernel *k, const Compilation *c);
// Inserts the image where a launch tries it. Does nothing if the image equals another.
void aot_add_image(Arena *arena, AotKernel *k, AotImage image);

// --- aot_names.c ---

// A C identifier for `name`. It is no keyword of C or C++.
const char *aot_identifier(Arena *arena, Str name);
// The launcher's name: the prefix and the kernel's name. The prefix is left out if the name begins with it.
const char *aot_launcher_name(Arena *arena, const char *prefix, const char *kernel);
// Fills c_name. The names differ from each other and from the names in a launcher's body.
void aot_name_params(Arena *arena, AotParam *params, uint32_t count);
// The C type's name: "int32_t". For a float that C lacks: the integer type of its bits.
const char *aot_c_type(const Type *type);

// --- aot_host.c ---

// The region as a C function, starting at its parameter list. It reads the addresses of the visible
// parameters and the launch's grid sizes (@grid's own function does not read the sizes). It writes the
// yielded values. NULL, with an error in the function's context, if C cannot express it.
const char *aot_host(Arena *arena, Func *func, const HostRegion *host, AotKernel *kernel);
// Fills the kernel's grid_* fields in the same way.
bool aot_grid(Arena *arena, Func *func, AotKernel *kernel);
// The helper functions of the set, as C.
void aot_host_helpers(uint32_t helpers, Buf *out);

// --- aot_text.c ---

// The architecture's index in the list of targets. A later one is newer.
uint32_t aot_place(const TargetInfo *info);
void aot_print_header(const AotFile *file, Buf *out);
void aot_print_source(const AotFile *file, Buf *out);

// --- aot_tensorrt.c ---

// For compile_guard, after compile_codegen. data: the Buf that gets the Python module.
tilec_status aot_tensorrt(Compilation *c, void *data);

#endif
