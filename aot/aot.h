// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ahead of time: --emit=header and --emit=object. Each kernel is compiled for every architecture and variant; what comes of it is
// written as a C header and a C source, or as a header and that source compiled. tools/aot_command.c compiles the images,
// tools/aot_object.c runs the C compiler.
//   aot_images.c   keeps them
//   aot_names.c    C's names for Python's
//   aot_host.c     a kernel's @grid, tensor maps and guard as C functions
//   aot_text.c     the header and the source, with aot/support.c in it
#ifndef AOT_AOT_H
#define AOT_AOT_H

#include "ir/memory/tensor_map.h"
#include "runtime/launch/kernel.h"
#include "runtime/device/tensor_encode.h"

// A parameter as the launcher takes it.
typedef struct AotParam {
  const char *name;   // the kernel's
  const char *c_name; // the launcher's
  const Type *type;   // of a Compilation that is kept
  bool is_none;       // given as None: the launcher has no such parameter
  bool is_one;        // a descriptor's last stride: neither
  // The number of the bit that tells whether the fact holds; -1: no image needs it.
  int divisible16, equal1;
} AotParam;

// A parameter that no caller gives: a tensor map, as what its function yields is encoded.
typedef struct AotMap {
  const char *function; // C, behind the name
  TensorEncoding encoding;
  uint32_t element_bytes;
} AotMap;

// What code takes behind the visible parameters, and for which launches it may.
typedef struct AotHidden {
  const char *guard; // C, behind the name; "": it holds
  bool persistent;   // how many programs there are comes first
  AotMap maps[MAX_TENSOR_MAPS];
  uint32_t map_count;
} AotHidden;

// One kernel for one architecture, relying on some facts.
typedef struct AotImage {
  const TargetInfo *arch; // as emitted
  const char *entry, *ptx;
  Str cubin; // n 0: none
  uint32_t threads, shared_bytes;
  const AotHidden *hidden; // NULL: nothing
  bool in_levels; // the next ones of the same facts are for launches that the hidden parameters are not for
  bool overlaps;
  const ParamFacts *facts; // one a visible parameter
  uint32_t fact_count;     // how many of them hold, all parameters together
} AotImage;

typedef struct AotKernel {
  const char *name, *launcher; // the source's; C's
  AotParam *params;
  uint32_t param_count;
  bool has_grid;
  const char *grid_text[HOST_VALUES]; // as written; NULL past the last
  const char *grid_function;          // C, behind the name; "" without @grid
  uint32_t helpers;                   // what the host's functions call: a set of bits
  VEC(AotImage) images;               // the best for a device first
  VEC(const char *) wide;             // "t is (*fp32, i32)", of the source's parameters that are several
} AotKernel;

typedef struct AotFile {
  const char *source;      // the file that it is made of
  const char *prefix;      // of C's names
  const char *header_name; // as the source includes it
  VEC(AotKernel) kernels;
  uint32_t fact_count; // that images need, of all kernels
} AotFile;

// --- aot_images.c ---

// Of the first compile that goes well.
void aot_keep_params(Arena *arena, AotKernel *k, const Func *func);
// What the compiled code takes beside its visible parameters; NULL: nothing. An error where C cannot say how it is made.
tilec_status aot_keep_hidden(Arena *arena, Compilation *c, AotKernel *k, const AotHidden **hidden);
AotImage aot_keep_image(Arena *arena, const AotKernel *k, const Compilation *c);
// Where a launch is to try it; not where it is the same as another.
void aot_add_image(Arena *arena, AotKernel *k, AotImage image);

// --- aot_names.c ---

// A C identifier for `name`, which is none of C's and C++'s own words.
const char *aot_identifier(Arena *arena, Str name);
// The launcher's name: the kernel's behind the prefix, where it does not begin with it already.
const char *aot_launcher_name(Arena *arena, const char *prefix, const char *kernel);
// Fills c_name: unlike one another and what a launcher's body names.
void aot_name_params(Arena *arena, AotParam *params, uint32_t count);
// Names of C's types: "int32_t"; of a float that C has not, of its bits.
const char *aot_c_type(const Type *type);

// --- aot_host.c ---

// The region as a C function, from its parameters on: of the addresses of the kernel's visible parameters, the sizes of the launch's grid
// (which the grid's own does not read) and what it yields. NULL with an error in the function's context where C cannot say it.
const char *aot_host(Arena *arena, Func *func, const HostRegion *host, AotKernel *kernel);
// Fills the kernel's grid_*, so.
bool aot_grid(Arena *arena, Func *func, AotKernel *kernel);
// The helper functions of the set, as C.
void aot_host_helpers(uint32_t helpers, Buf *out);

// --- aot_text.c ---

// The architecture's place among all, of which later ones are newer.
uint32_t aot_place(const TargetInfo *info);
void aot_print_header(const AotFile *file, Buf *out);
void aot_print_source(const AotFile *file, Buf *out);

#endif
