// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/run/npy.h"

#include <errno.h>
#include <stdlib.h>

static const char magic[] = "\x93NUMPY";

// The text after 'key': in the header's dictionary. NULL if the key is missing.
static const char *header_value(const char *header, const char *key) {
  const char *at = strstr(header, key);
  if (!at) return NULL;
  at += strlen(key);
  while (*at == ' ' || *at == ':') at++;
  return at;
}

static bool parse_shape(const char *at, NpyArray *array) {
  if (!at || *at++ != '(') return false;
  array->elements = 1;
  for (array->rank = 0;; array->rank++) {
    while (*at == ' ' || *at == ',') at++;
    if (*at == ')') return true;
    char *end;
    errno = 0;
    unsigned long long size = strtoull(at, &end, 10);
    if (end == at || errno || *at == '-' || array->rank == NPY_MAX_RANK) return false;
    if (size && array->elements > UINT64_MAX / size) return false;
    array->shape[array->rank] = size;
    array->elements *= size;
    at = end;
  }
}

static const char *parse_header(const char *header, NpyArray *array) {
  const char *descr = header_value(header, "'descr'"), *order = header_value(header, "'fortran_order'");
  if (!descr || *descr++ != '\'' || !order) return "its header is not a NumPy array's";
  if (*descr == '>') return "it is big-endian";
  if (*descr == '<' || *descr == '|' || *descr == '=') descr++;
  array->kind = *descr++;
  array->item_size = (uint32_t)strtoul(descr, NULL, 10);
  if (!strchr("fiubV", array->kind) || array->item_size == 0 || array->item_size > 8)
    return "its element type is not supported";
  if (!parse_shape(header_value(header, "'shape'"), array)) return "its shape cannot be read";
  if (strncmp(order, "True", 4) == 0 && array->rank > 1) return "it is in Fortran order";
  return NULL;
}

static const char *read_array(Arena *arena, FILE *file, NpyArray *array) {
  unsigned char start[12] = {0};
  if (fread(start, 1, 10, file) != 10 || memcmp(start, magic, 6) != 0) return "it is not a .npy file";
  uint32_t length = start[8] | (uint32_t)start[9] << 8;
  if (start[6] >= 2) {
    if (fread(start + 10, 1, 2, file) != 2) return "it is cut off";
    length |= (uint32_t)start[10] << 16 | (uint32_t)start[11] << 24;
  }
  if (length > 1 << 20) return "its header is too long";
  char *header = arena_alloc(arena, length + 1);
  if (fread(header, 1, length, file) != length) return "it is cut off";
  const char *why = parse_header(header, array);
  if (why) return why;
  if (array->elements > SIZE_MAX / 16) return "it is too large";
  size_t bytes = (size_t)array->elements * array->item_size;
  long at = ftell(file);
  if (at < 0 || fseek(file, 0, SEEK_END) != 0) return "it cannot be read";
  if ((uint64_t)(ftell(file) - at) < bytes) return "it is cut off";
  fseek(file, at, SEEK_SET);
  array->data = arena_alloc(arena, bytes);
  return fread(array->data, 1, bytes, file) == bytes ? NULL : "it is cut off";
}

bool npy_read(Arena *arena, const char *path, NpyArray *array, const char **why) {
  *array = (NpyArray){0};
  FILE *file = fopen(path, "rb");
  if (!file) {
    *why = arena_printf(arena, "[T1007] %s", strerror(errno));
    return false;
  }
  *why = read_array(arena, file, array);
  fclose(file);
  return !*why;
}

bool npy_elem(const NpyArray *array, Elem *elem) {
  char name[16];
  snprintf(name, sizeof name, "%c%u", array->kind, array->item_size);
  for (*elem = 0; *elem < ELEM_COUNT; ++*elem) {
    const char *descr = elem_info(*elem)->numpy;
    if (descr[0] && strcmp(descr + 1, name) == 0) return true;
  }
  return false;
}

void npy_write_header(Elem elem, uint32_t rank, const uint64_t *shape, Buf *out) {
  const char *descr = elem_info(elem)->numpy;
  if (!descr[0]) descr = elem_bytes(elem) == 2 ? "<u2" : "|u1";
  Buf header = {0};
  buf_printf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (uint32_t i = 0; i < rank; i++)
    buf_printf(&header, "%s%llu", i ? ", " : "", (unsigned long long)shape[i]);
  buf_text(&header, rank == 1 ? ",), }" : "), }");
  while ((10 + header.n + 1) % 64) buf_char(&header, ' ');
  buf_char(&header, '\n');
  buf_bytes(out, magic, 6);
  const unsigned char version_length[4] = {1, 0, (unsigned char)(header.n & 255),
                                           (unsigned char)(header.n >> 8)};
  buf_bytes(out, version_length, 4);
  buf_str(out, buf_view(&header));
  buf_free(&header);
}
