// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the element type that an unknown spelling means.
#include "base/diag.h"
#include "target/elem.h"

enum { MAX_BYTES = 64 };

// For "torch.Float32", "np.float32", "<f4", "uint32_t", "__nv_bfloat16": lower case, without parts that do
// not name the type.
static Str plain_spelling(Str name, char text[MAX_BYTES]) {
  size_t n = 0;
  for (size_t i = name.n; i-- > 0;)
    if (name.at[i] == '.') {
      name = (Str){name.at + i + 1, name.n - i - 1};
      break;
    }
  if (str_starts(name, "__")) name = (Str){name.at + 2, name.n - 2};
  if (str_starts(name, "nv_")) name = (Str){name.at + 3, name.n - 3};
  for (size_t i = 0; i < name.n && n < MAX_BYTES; i++) {
    char ch = name.at[i];
    bool upper = ch >= 'A' && ch <= 'Z';
    if (!memchr("_ -<>=|\"'", ch, 9)) text[n++] = (char)(upper ? ch | 0x20 : ch);
  }
  return (Str){text, n};
}

static bool nearest_elem(Str name, Elem *elem) {
  const char *names[2 * ELEM_COUNT];
  for (int i = 0; i < ELEM_COUNT; i++) {
    names[2 * i] = elem_info((Elem)i)->name;
    names[2 * i + 1] = elem_info((Elem)i)->long_name;
  }
  const char *nearest = diag_nearest(name, names, sizeof names / sizeof *names);
  return nearest && elem_parse(str_from(nearest), elem);
}

// Looks the spelling up among the table's other names.
static bool named_elsewhere(Str name, Elem *elem) {
  static const struct {
    const char *spelling;
    Elem elem;
  } rows[] = {
#define X(name, spelling) {spelling, ELEM_##name},
#include "target/elem_spellings.def"
#undef X
  };
  char text[MAX_BYTES];
  Str plain = plain_spelling(name, text);
  if (elem_parse(plain, elem)) return true;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (str_is(plain, rows[i].spelling)) return *elem = rows[i].elem, true;
  return false;
}

bool elem_spelt(Str name, Elem *elem) {
  if (named_elsewhere(name, elem)) return true;
  return str_ends(name, "_t") && named_elsewhere((Str){name.at, name.n - 2}, elem); // uint8_t
}

bool elem_meant(Str name, Elem *elem) {
  char text[MAX_BYTES];
  if (elem_spelt(name, elem)) return true;
  Str plain = plain_spelling(name, text);
  return plain.n > 0 && nearest_elem(plain, elem);
}

const char *elem_names(void) {
  return
#define X(name, spelling, ...) " " spelling
#include "target/elems.def"
#undef X
      +1;
}
