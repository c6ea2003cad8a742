// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cubin is a 64-bit ELF file with sections and symbols. Kernel attributes are in .nv.info.
#include "cubin/cubin.h"

#include <stdint.h>
#include <string.h>

enum {
  HEADER = 64,
  SECTION = 64,
  SYMBOL = 24,
  SECTIONS_AT = 0x28,
  SECTION_COUNT = 0x3c,
  NAMES_INDEX = 0x3e,
  SYMBOLS = 2
};
enum { ATTRIBUTE = 4, SIZED_VALUE = 4, FRAME_SIZE = 0x11 };

static uint64_t number_at(Str file, uint64_t at, uint32_t bytes) {
  uint64_t value = 0;
  if (at > file.n || bytes > file.n - at) return 0;
  memcpy(&value, file.at + at, bytes);
  return value;
}

static Str part_of(Str file, uint64_t at, uint64_t n) {
  if (at > file.n || n > file.n - at) return (Str){file.at, 0};
  return (Str){file.at + at, n};
}

typedef struct Section {
  uint32_t type, link;
  Str name, body;
} Section;

static Str text_at(Str table, uint64_t at) {
  Str text = part_of(table, at, at < table.n ? table.n - at : 0);
  return (Str){text.at, strnlen(text.at, text.n)};
}

static Section raw_section(Str file, uint64_t index) {
  uint64_t at = number_at(file, SECTIONS_AT, 8) + index * SECTION;
  return (Section){.type = (uint32_t)number_at(file, at + 4, 4),
                   .link = (uint32_t)number_at(file, at + 0x28, 4),
                   .body = part_of(file, number_at(file, at + 0x18, 8), number_at(file, at + 0x20, 8))};
}

static Section section_at(Str file, uint64_t index) {
  Section section = raw_section(file, index);
  Str names = raw_section(file, number_at(file, NAMES_INDEX, 2)).body;
  uint64_t at = number_at(file, SECTIONS_AT, 8) + index * SECTION;
  section.name = text_at(names, number_at(file, at, 4));
  return section;
}

// The index of the symbol with this name; UINT32_MAX if there is none.
static uint32_t find_symbol(Str file, const char *name) {
  for (uint64_t i = 0; i < number_at(file, SECTION_COUNT, 2); i++) {
    Section section = section_at(file, i);
    if (section.type != SYMBOLS) continue;
    Str names = raw_section(file, section.link).body;
    for (uint32_t k = 0; (uint64_t)k * SYMBOL < section.body.n; k++)
      if (str_is(text_at(names, number_at(section.body, (uint64_t)k * SYMBOL, 4)), name)) return k;
  }
  return UINT32_MAX;
}

int cubin_local_bytes(Str cubin, const char *kernel) {
  if (cubin.n < HEADER || memcmp(cubin.at, "\177ELF", 4) != 0) return -1;
  uint32_t symbol = find_symbol(cubin, kernel);
  for (uint64_t i = 0; i < number_at(cubin, SECTION_COUNT, 2); i++) {
    Section section = section_at(cubin, i);
    if (!str_is(section.name, ".nv.info")) continue;
    for (uint64_t at = 0; at + ATTRIBUTE <= section.body.n;) {
      uint64_t format = number_at(section.body, at, 1), what = number_at(section.body, at + 1, 1);
      bool found = format == SIZED_VALUE && what == FRAME_SIZE;
      if (found && number_at(section.body, at + 4, 4) == symbol)
        return (int)number_at(section.body, at + 8, 4);
      at += ATTRIBUTE + (format == SIZED_VALUE ? number_at(section.body, at + 2, 2) : 0);
    }
  }
  return -1;
}
