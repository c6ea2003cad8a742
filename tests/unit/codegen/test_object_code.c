// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code and lines of an ELF file, as assemblers of GPUs make them, whole, cut short and with each of its bits turned.
#include <elf.h>
#include "tests/unit/unit.h"
#include "codegen/llvm/object_code.h"

enum { INSN = 16, INSNS = 4, ROOM = 2048, CUDA = 190 };

// Version 2, as ptxas 13.0 writes it: line 3 from 0, 22 from 32, 18 from 48, the end at 64.
static const uint8_t table[] = {56,   0,   0,   0,   2,   0,   25, 0, 0,   0, 1, 1,
                                0xfb, 14,  10,  0,   1,   1,   1,  1, 0,   0, 0, 1, // the head
                                0,    'k', '.', 't', 'i', 'r', 0,  0, 0,   0, 0,    // no folder, a file
                                0,    9,   2,   0,   0,   0,   0,  0, 0,   0, 0,    // the address
                                3,    2,   1,   3,   19,  2,   32, 1, 235,          // rows
                                2,    16,  0,   1,   1};
static const char names[] = "\0.shstrtab\0.debug_line\0.text.k";

typedef struct Image {
  uint8_t bytes[ROOM];
  size_t n;
} Image;

static void add_section(Image *image, Elf64_Shdr *header, uint32_t name, uint32_t type, const void *bytes,
                        size_t n) {
  *header =
      (Elf64_Shdr){.sh_name = name, .sh_type = type, .sh_offset = image->n, .sh_size = n, .sh_addralign = 1};
  memcpy(image->bytes + image->n, bytes, n);
  image->n += n;
}

static Image image_of(const uint8_t *lines, size_t n) {
  Image image = {.n = sizeof(Elf64_Ehdr)};
  Elf64_Shdr sections[4] = {{0}};
  uint8_t code[INSN * INSNS];
  for (size_t i = 0; i < sizeof code; i++) code[i] = (uint8_t)i;
  add_section(&image, &sections[1], 1, SHT_STRTAB, names, sizeof names);
  add_section(&image, &sections[2], 11, SHT_PROGBITS, lines, n);
  add_section(&image, &sections[3], 23, SHT_PROGBITS, code, sizeof code);
  image.n = (image.n + 7) / 8 * 8;
  Elf64_Ehdr head = {.e_ident = ELFMAG,
                     .e_type = ET_EXEC,
                     .e_machine = CUDA,
                     .e_version = EV_CURRENT,
                     .e_shoff = image.n,
                     .e_ehsize = sizeof head,
                     .e_shentsize = sizeof *sections,
                     .e_shnum = 4,
                     .e_shstrndx = 1};
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_ident[EI_VERSION] = EV_CURRENT;
  memcpy(image.bytes, &head, sizeof head);
  memcpy(image.bytes + image.n, sections, sizeof sections);
  image.n += sizeof sections;
  return image;
}

TEST(test_lines) {
  Image image = image_of(table, sizeof table);
  const void *code;
  size_t n;
  uint32_t lines[INSNS];
  assert_true(object_code(image.bytes, image.n, ".text.k", &code, &n));
  assert_int_equal(n, INSN * INSNS);
  assert_int_equal(((const uint8_t *)code)[17], 17);
  assert_false(object_code(image.bytes, image.n, ".text.other", &code, &n));
  assert_true(object_lines(image.bytes, image.n, INSN, lines, INSNS));
  const uint32_t expected[] = {3, 3, 22, 18};
  assert_memory_equal(lines, expected, sizeof lines);
  // The lines are to be the section's: they end where it does.
  assert_false(object_lines(image.bytes, image.n, INSN, lines, INSNS - 1));
  uint32_t more[INSNS + 1];
  assert_false(object_lines(image.bytes, image.n, INSN, more, INSNS + 1));
}

// Two sequences, as of two functions that both begin at 0.
TEST(test_two_functions) {
  enum { SEQUENCE = 25 };
  uint8_t twice[sizeof table + SEQUENCE];
  memcpy(twice, table, sizeof table);
  memcpy(twice + sizeof table, table + sizeof table - SEQUENCE, SEQUENCE);
  twice[0] = sizeof twice - 4;
  Image image = image_of(twice, sizeof twice);
  uint32_t lines[INSNS];
  assert_false(object_lines(image.bytes, image.n, INSN, lines, INSNS));
}

// Whatever is read stays within the file and the lines: a sanitiser looks on.
static void read_all(const Image *image, size_t n) {
  const void *code;
  size_t bytes;
  uint32_t lines[INSNS];
  uint8_t *copy = test_malloc(n + 1);
  memcpy(copy, image->bytes, n);
  if (object_code(copy, n, ".text.k", &code, &bytes)) {
    assert_true((const uint8_t *)code >= copy && (const uint8_t *)code + bytes <= copy + n);
    assert_true(bytes == 0 || ((const uint8_t *)code)[bytes - 1] < 255);
  }
  object_lines(copy, n, INSN, lines, INSNS);
  test_free(copy);
}

TEST(test_malformed) {
  Image image = image_of(table, sizeof table);
  for (size_t n = 0; n <= image.n; n++) read_all(&image, n);
  for (size_t bit = 0; bit < 8 * image.n; bit++) {
    image.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    read_all(&image, image.n);
    image.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
}

WHOLE_SUITE(object_code)
