// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the header and the source. C99 and C++11 compilers take them without a warning.
#include "aot/aot.h"

extern const char aot_support[], aot_support_end[]; // aot/support.c

static const char status_text[] =
    "#ifndef TILEC_AOT_STATUS\n"
    "#define TILEC_AOT_STATUS\n"
    "typedef enum tilec_aot_status {\n"
    "  TILEC_AOT_OK = 0,\n"
    "  TILEC_AOT_NO_DRIVER = 1,     // libcuda.so.1 is not there, or too old\n"
    "  TILEC_AOT_NO_CONTEXT = 2,    // no CUDA context is current on the calling thread\n"
    "  TILEC_AOT_NO_ARCH = 3,       // compiled for no architecture that the device runs\n"
    "  TILEC_AOT_NO_VARIANT = 4,    // no variant takes arguments of this alignment, or of these values\n"
    "  TILEC_AOT_BAD_GRID = 5,      // a size is negative or too large, or its expression divides by zero\n"
    "  TILEC_AOT_OUT_OF_MEMORY = 6, // of host memory\n"
    "  TILEC_AOT_DRIVER_ERROR = 7,  // a function of the driver failed\n"
    "} tilec_aot_status;\n"
    "#endif\n";

// "3 x, y": how a comment lists the facts.
static void print_facts(const AotKernel *k, const ParamFacts *facts, Buf *out) {
  bool any = false;
  for (uint32_t i = 0; i < k->param_count; i++) {
    if (!facts[i].divisible16 && !facts[i].equal1) continue;
    buf_printf(out, "%s%s", any ? ", " : "", k->params[i].c_name);
    buf_text(out, facts[i].equal1 ? " == 1" : " % 16 == 0");
    any = true;
  }
  if (!any) buf_text(out, "any arguments");
}

static void print_params(const AotKernel *k, Buf *out) {
  buf_text(out, "void *stream");
  if (!k->has_grid) buf_text(out, ", uint32_t grid_x, uint32_t grid_y, uint32_t grid_z");
  for (uint32_t i = 0; i < k->param_count; i++)
    if (!k->params[i].is_none && !k->params[i].is_one)
      buf_printf(out, ", %s %s", aot_c_type(k->params[i].type), k->params[i].c_name);
}

static bool is_bits(const Type *type) {
  return type->kind == TYPE_SCALAR && elem_is_float(type->elem) && type->elem != ELEM_FP32 &&
         type->elem != ELEM_FP64;
}

// One line of the comment above a launcher.
static void print_param_types(const AotKernel *k, Buf *out) {
  bool any = false;
  for (uint32_t i = 0; i < k->param_count; i++) {
    const AotParam *p = &k->params[i];
    if (p->is_none || (p->type->kind != TYPE_PTR && !is_bits(p->type))) continue;
    buf_printf(out, "%s%s is ", any ? ", " : "// ", p->c_name);
    if (is_bits(p->type)) buf_text(out, "the bits of ");
    type_print(p->type, out);
    any = true;
  }
  if (any) buf_text(out, " (pointers are device addresses)\n");
}

// Text that may have several lines, as one line of a comment.
static void print_in_line(const char *text, Buf *out) {
  for (; *text; text++) buf_char(out, (unsigned char)*text < ' ' || *text == '\\' ? ' ' : *text);
}

// One line of the comment above a launcher.
static void print_constexprs(const AotKernel *k, Buf *out) {
  for (uint32_t i = 0; i < k->constexprs.n; i++)
    buf_printf(out, "%s%s = %s", i ? ", " : "// Constexprs: ", k->constexprs.at[i].name,
               k->constexprs.at[i].text);
  if (k->constexprs.n) buf_text(out, "\n");
}

static void print_macros(const AotKernel *k, Buf *out) {
  for (uint32_t i = 0; i < k->constexprs.n; i++) {
    const AotConstexpr *c = &k->constexprs.at[i];
    if (!c->macro) continue;
    buf_printf(out, c->number < 0 ? "#define %s (%lld)\n" : "#define %s %lld\n", c->macro,
               (long long)c->number);
  }
}

static void print_launcher_comment(const AotFile *file, const AotKernel *k, Buf *out) {
  buf_printf(out, "\n// The kernel %s of %s, in a stream (a CUstream or cudaStream_t; NULL: the default one)",
             k->name, file->source);
  if (k->has_grid) {
    buf_text(out, " on the grid (");
    for (int i = 0; i < HOST_VALUES && k->grid_text[i]; i++) {
      if (i) buf_text(out, ", ");
      print_in_line(k->grid_text[i], out);
    }
    buf_text(out, ")");
  }
  buf_text(out, ".\n");
  for (uint32_t i = 0; i < k->wide.n; i++) buf_printf(out, "// %s\n", k->wide.at[i]);
  print_param_types(k, out);
  print_constexprs(k, out);
  buf_text(out, "// Made for:");
  for (uint32_t i = 0; i < k->images.n; i++) {
    const AotImage *image = &k->images.at[i];
    buf_printf(out, "%s\n//   %s%s  ", i ? ";" : "", image->arch->name,
               image->cubin.n ? " and its cubin" : "");
    print_facts(k, image->facts, out);
    if (image->hidden && image->hidden->map_count) buf_text(out, ", by TMA copies");
    if (image->hidden && image->hidden->persistent) buf_text(out, ", persistent");
  }
  buf_text(out, "\n");
}

// The include guard. The prefix becomes a macro name.
static void print_guard(const AotFile *file, Buf *out) {
  for (const char *at = file->prefix; *at; at++)
    buf_char(out, *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at);
  buf_text(out, "_TILEC_AOT_H");
}

static void print_generated(const AotFile *file, Buf *out) {
  buf_printf(out, "// Made of %s by tilec %s: change that, not this.\n", file->source, tilec_version());
}

void aot_print_header(const AotFile *file, Buf *out) {
  const char *p = file->prefix;
  print_generated(file, out);
  buf_text(out, "// Launchers of kernels. The CUDA driver is opened at the first launch; a kernel is loaded "
                "into the current context at its\n"
                "// first launch there. All functions may be called by several threads at once.\n#ifndef ");
  print_guard(file, out);
  buf_text(out, "\n#define ");
  print_guard(file, out);
  buf_printf(
      out,
      "\n\n#include <stdbool.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n%s",
      status_text);
  for (uint32_t i = 0; i < file->kernels.n; i++) {
    print_launcher_comment(file, &file->kernels.at[i], out);
    print_macros(&file->kernels.at[i], out);
    buf_printf(out, "tilec_aot_status %s(", file->kernels.at[i].launcher);
    print_params(&file->kernels.at[i], out);
    buf_text(out, ");\n");
  }
  buf_printf(out,
             "\n// Loads the kernels into the current context, so that no launch there has "
             "to.\ntilec_aot_status %s_aot_load(void);\n",
             p);
  buf_printf(out,
             "// Unloads what is loaded in the current context. No launch of these kernels may be under way "
             "there; a later one loads again.\n"
             "tilec_aot_status %s_aot_unload(void);\n",
             p);
  buf_printf(out,
             "// What went wrong in this thread's last call that did not return TILEC_AOT_OK, with the "
             "driver's words where it was the driver;\n"
             "// valid until the next one. \"\": nothing yet.\n"
             "const char *%s_aot_error(void);\n",
             p);
  buf_printf(out, "// \"TILEC_AOT_NO_ARCH\"\nconst char *%s_aot_status_name(tilec_aot_status status);\n", p);
  buf_text(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

// --- The source ---

static void print_escaped(char ch, Buf *out) {
  unsigned char byte = (unsigned char)ch;
  switch (ch) {
  case '\n': buf_text(out, "\\n"); break;
  case '\t': buf_text(out, "\\t"); break;
  case '"':
  case '\\':
  case '?': // no trigraphs
    buf_printf(out, "\\%c", ch);
    break;
  default:
    if (byte >= 0x20 && byte < 0x7f)
      buf_char(out, ch);
    else
      buf_printf(out, "\\%03o", byte);
  }
}

// As a string literal. Text: one source line per line. Bytes: a fixed number per line.
static void print_literal(Str text, bool is_text, Buf *out) {
  enum { A_LINE = 32 };
  buf_text(out, "    \"");
  for (size_t i = 0; i < text.n; i++) {
    print_escaped(text.at[i], out);
    bool ends = is_text ? text.at[i] == '\n' : (i + 1) % A_LINE == 0;
    if (ends && i + 1 < text.n) buf_text(out, "\"\n    \"");
  }
  buf_text(out, "\"");
}

static void print_images(const AotFile *file, Buf *out) {
  uint32_t n = 0;
  buf_text(out, "\n#if defined(__GNUC__)\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n#endif\n");
  for (uint32_t k = 0; k < file->kernels.n; k++)
    for (uint32_t i = 0; i < file->kernels.at[k].images.n; i++, n++) {
      const AotImage *image = &file->kernels.at[k].images.at[i];
      buf_printf(out, "\nstatic const char tilec_ptx_%u[] =\n", n);
      print_literal(str_from(image->ptx), true, out);
      buf_text(out, ";\n");
      if (!image->cubin.n) continue;
      buf_printf(out, "\n__attribute__((aligned(16))) static const char tilec_cubin_%u[] =\n", n);
      print_literal(image->cubin, false, out);
      buf_text(out, ";\n");
    }
}

// One row of a map's table. The box is innermost first.
static void print_map(const AotMap *map, uint32_t n, uint32_t i, Buf *out) {
  const TensorEncoding *e = &map->encoding;
  buf_printf(out, "    {tilec_map_%u_%u, %d, %d, %d, %d, %u, %u, {", n, i, e->type, e->swizzle, e->promotion,
             e->fill, e->rank, map->element_bytes);
  for (uint32_t d = 0; d < TENSOR_MAP_MAX_RANK; d++)
    buf_printf(out, "%s%u", d ? ", " : "", d < e->rank ? e->box[d] : 1);
  buf_text(out, "}},\n");
}

// The hidden parameters of image `n`: its host functions, and how their values become parameters.
static void print_hidden(const AotHidden *hidden, uint32_t n, Buf *out) {
  if (hidden->guard[0]) buf_printf(out, "\nstatic bool tilec_guard_%u%s", n, hidden->guard);
  for (uint32_t i = 0; i < hidden->map_count; i++)
    buf_printf(out, "\nstatic bool tilec_map_%u_%u%s", n, i, hidden->maps[i].function);
  if (hidden->map_count) buf_printf(out, "\nstatic const tilec_map tilec_maps_%u[] = {\n", n);
  for (uint32_t i = 0; i < hidden->map_count; i++) print_map(&hidden->maps[i], n, i, out);
  if (hidden->map_count) buf_text(out, "};\n");
  buf_printf(out, "\nstatic const tilec_hidden tilec_hidden_%u = {", n);
  if (hidden->guard[0])
    buf_printf(out, "tilec_guard_%u, %d, ", n, hidden->persistent);
  else
    buf_printf(out, "NULL, %d, ", hidden->persistent);
  if (hidden->map_count)
    buf_printf(out, "tilec_maps_%u, %u};\n", n, hidden->map_count);
  else
    buf_text(out, "NULL, 0};\n");
}

// For a kernel with hidden parameters: the size in bytes of each visible one. Launches compare arguments by
// these bytes.
static void print_param_bytes(const AotKernel *k, uint32_t number, Buf *out) {
  buf_printf(out, "\nstatic const unsigned char tilec_bytes_%u[] = {", number);
  for (uint32_t i = 0; i < k->param_count; i++) buf_printf(out, "%u, ", type_param_bytes(k->params[i].type));
  buf_text(out, "0};\n");
}

static bool has_hidden(const AotKernel *k) {
  for (uint32_t i = 0; i < k->images.n; i++)
    if (k->images.at[i].hidden) return true;
  return false;
}

static void print_all_hidden(const AotFile *file, Buf *out) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < file->kernels.n; k++) {
    const AotKernel *kernel = &file->kernels.at[k];
    if (has_hidden(kernel)) print_param_bytes(kernel, k, out);
    for (uint32_t i = 0; i < kernel->images.n; i++, n++)
      if (kernel->images.at[i].hidden) print_hidden(kernel->images.at[i].hidden, n, out);
  }
}

static uint32_t fact_words(const AotFile *file) { return file->fact_count / 64 + 1; }

static uint64_t fact_bit(int number, uint32_t word) {
  return number >= 0 && (uint32_t)number / 64 == word ? (uint64_t)1 << number % 64 : 0;
}

static void print_needs(const AotFile *file, const AotKernel *k, const AotImage *image, Buf *out) {
  for (uint32_t w = 0; w < fact_words(file); w++) {
    uint64_t needs = 0;
    for (uint32_t i = 0; i < k->param_count; i++) {
      if (image->facts[i].divisible16) needs |= fact_bit(k->params[i].divisible16, w);
      if (image->facts[i].equal1) needs |= fact_bit(k->params[i].equal1, w);
    }
    buf_printf(out, "%sUINT64_C(0x%llx)", w ? ", " : "{", (unsigned long long)needs);
  }
  buf_char(out, '}');
}

static void print_image_row(const AotFile *file, const AotKernel *k, const AotImage *image, uint32_t n,
                            Buf *out) {
  buf_printf(out, "    {tilec_ptx_%u, ", n);
  if (image->cubin.n)
    buf_printf(out, "tilec_cubin_%u", n);
  else
    buf_text(out, "NULL");
  buf_printf(out, ", \"%s\", %u, %d, %u, %u, %d, ", image->entry, image->arch->sm, image->arch->is_specific,
             image->threads, image->shared_bytes, image->overlaps);
  if (image->hidden)
    buf_printf(out, "&tilec_hidden_%u, ", n);
  else
    buf_text(out, "NULL, ");
  print_needs(file, k, image, out);
  buf_text(out, "},\n");
}

static void print_tables(const AotFile *file, Buf *out) {
  uint32_t n = 0;
  buf_text(out, "\nstatic const tilec_image tilec_images[TILEC_IMAGES] = {\n");
  for (uint32_t k = 0; k < file->kernels.n; k++)
    for (uint32_t i = 0; i < file->kernels.at[k].images.n; i++)
      print_image_row(file, &file->kernels.at[k], &file->kernels.at[k].images.at[i], n++, out);
  buf_text(out, "};\n\nstatic const tilec_kernel tilec_kernels[TILEC_KERNELS] = {\n");
  n = 0;
  for (uint32_t k = 0; k < file->kernels.n; k++) {
    const AotKernel *kernel = &file->kernels.at[k];
    buf_printf(out, "    {\"%s\", %u, %u, ", kernel->name, n, kernel->images.n);
    if (has_hidden(kernel))
      buf_printf(out, "tilec_bytes_%u, %u},\n", k, kernel->param_count);
    else
      buf_text(out, "NULL, 0},\n");
    n += kernel->images.n;
  }
  buf_text(out, "};\n\n");
}

uint32_t aot_place(const TargetInfo *info) {
  uint32_t count;
  return (uint32_t)(info - target_list(&count));
}

static bool has_image_for(const AotFile *file, uint32_t place) {
  for (uint32_t k = 0; k < file->kernels.n; k++)
    for (uint32_t i = 0; i < file->kernels.at[k].images.n; i++) {
      uint32_t of = aot_place(file->kernels.at[k].images.at[i].arch);
      if (of == place) return true;
    }
  return false;
}

// "sm_80, sm_90a": the architectures of all kernels.
static void print_archs(const AotFile *file, Buf *out) {
  uint32_t count;
  const TargetInfo *list = target_list(&count);
  bool any = false;
  for (uint32_t i = 0; i < count; i++) {
    if (!has_image_for(file, i)) continue;
    buf_printf(out, "%s%s", any ? ", " : "", list[i].name);
    any = true;
  }
}

// The maximum numbers of visible parameters and tensor maps over launches with hidden parameters. Each is at
// least 1.
static void most_hidden(const AotFile *file, uint32_t *params, uint32_t *maps) {
  *params = *maps = 1;
  for (uint32_t k = 0; k < file->kernels.n; k++) {
    const AotKernel *kernel = &file->kernels.at[k];
    if (has_hidden(kernel) && kernel->param_count > *params) *params = kernel->param_count;
    for (uint32_t i = 0; i < kernel->images.n; i++) {
      const AotHidden *hidden = kernel->images.at[i].hidden;
      if (hidden && hidden->map_count > *maps) *maps = hidden->map_count;
    }
  }
}

static void print_sizes(const AotFile *file, Buf *out) {
  uint32_t images = 0, params, maps;
  for (uint32_t k = 0; k < file->kernels.n; k++) images += file->kernels.at[k].images.n;
  most_hidden(file, &params, &maps);
  buf_printf(out, "\n#define TILEC_ARCHS \"");
  print_archs(file, out);
  buf_printf(out,
             "\"\nenum { TILEC_KERNELS = %u, TILEC_IMAGES = %u, TILEC_FACT_WORDS = %u, TILEC_PARAMS = %u, "
             "TILEC_MAPS = %u };\n\n",
             file->kernels.n, images, fact_words(file), params, maps);
}

static void print_fact(int number, const char *name, const char *holds, Buf *out) {
  if (number >= 0)
    buf_printf(out, "  tilec_facts[%d] |= (uint64_t)(%s %s) << %d;\n", number / 64, name, holds, number % 64);
}

static void print_launcher_facts(const AotKernel *k, Buf *out) {
  for (uint32_t i = 0; i < k->param_count; i++) {
    print_fact(k->params[i].divisible16, k->params[i].c_name, "% 16 == 0", out);
    print_fact(k->params[i].equal1, k->params[i].c_name, "== 1", out);
  }
}

static void print_launcher_grid(const AotKernel *k, Buf *out) {
  if (!k->has_grid) {
    buf_text(out, "  const int64_t tilec_sizes[3] = {(int64_t)grid_x, (int64_t)grid_y, (int64_t)grid_z};\n");
    return;
  }
  buf_printf(
      out,
      "  int64_t tilec_sizes[3] = {1, 1, 1};\n"
      "  if (!tilec_grid_%s(tilec_params, NULL, tilec_sizes))\n"
      "    return tilec_fail(TILEC_AOT_BAD_GRID, \"%%s\", \"%s: the grid's expression divides by zero\");\n",
      k->launcher, k->name);
}

static void print_launcher(const AotKernel *k, uint32_t number, Buf *out) {
  bool any_none = false, any_one = false;
  for (uint32_t i = 0; i < k->param_count; i++) {
    any_none = any_none || k->params[i].is_none;
    any_one = any_one || k->params[i].is_one;
  }
  if (k->has_grid) buf_printf(out, "\nstatic bool tilec_grid_%s%s", k->launcher, k->grid_function);
  buf_printf(out, "\ntilec_aot_status %s(", k->launcher);
  print_params(k, out);
  buf_text(out, ") {\n");
  if (any_none) buf_text(out, "  uint64_t tilec_none = 0;\n");
  if (any_one) buf_text(out, "  int64_t tilec_one = 1; // last strides\n");
  buf_text(out, "  void *tilec_params[] = {");
  for (uint32_t i = 0; i < k->param_count; i++) {
    const AotParam *p = &k->params[i];
    buf_printf(out, "%s&%s", i ? ", " : "", p->is_none ? "tilec_none" : p->is_one ? "tilec_one" : p->c_name);
  }
  buf_text(out, k->param_count ? "};\n" : "NULL};\n");
  buf_text(out, "  uint64_t tilec_facts[TILEC_FACT_WORDS] = {0};\n");
  print_launcher_facts(k, out);
  print_launcher_grid(k, out);
  buf_printf(
      out, "  return tilec_launch(&tilec_kernels[%u], stream, tilec_sizes, tilec_facts, tilec_params);\n}\n",
      number);
}

static void print_common(const AotFile *file, Buf *out) {
  const char *p = file->prefix;
  buf_printf(out, "\ntilec_aot_status %s_aot_load(void) { return tilec_load_all(); }\n", p);
  buf_printf(out, "\ntilec_aot_status %s_aot_unload(void) { return tilec_unload_all(); }\n", p);
  buf_printf(out, "\nconst char *%s_aot_error(void) { return tilec_message; }\n", p);
  buf_printf(
      out,
      "\nconst char *%s_aot_status_name(tilec_aot_status status) { return tilec_status_text(status); }\n", p);
}

void aot_print_source(const AotFile *file, Buf *out) {
  static const char marker[] = "// ---- images ----\n";
  const char *types = strchr(aot_support, '\n') + 1; // after its licence line
  const char *functions = strstr(aot_support, marker);
  uint32_t helpers = 0;
  print_generated(file, out);
  buf_printf(out,
             "#include \"%s\"\n\n#include <dlfcn.h>\n#include <pthread.h>\n#include <stdarg.h>\n#include "
             "<stddef.h>\n#include <stdio.h>\n"
             "#include <stdlib.h>\n#include <string.h>\n",
             file->header_name);
  print_sizes(file, out);
  buf_bytes(out, types, (size_t)(functions - types));
  for (uint32_t k = 0; k < file->kernels.n; k++) helpers |= file->kernels.at[k].helpers;
  aot_host_helpers(helpers, out);
  print_images(file, out);
  print_all_hidden(file, out);
  print_tables(file, out);
  functions += sizeof marker - 1;
  buf_bytes(out, functions + strspn(functions, "\n"),
            (size_t)(aot_support_end - functions) - strspn(functions, "\n"));
  for (uint32_t k = 0; k < file->kernels.n; k++) print_launcher(&file->kernels.at[k], k, out);
  print_common(file, out);
}
