// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE // dl_iterate_phdr, realpath
#include "runtime/cache/build_id.h"

#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Search {
  uintptr_t place;
  BuildId *id;
} Search;

static bool holds(const struct dl_phdr_info *object, uintptr_t place) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    uintptr_t begin = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && place >= begin && place - begin < part->p_memsz) return true;
  }
  return false;
}

static size_t padded(size_t n, size_t align) { return (n + align - 1) / align * align; }

// A segment of notes. Each note has a header, its owner's name and its contents. Names and contents are
// padded to 4 bytes, or to 8 by the letter of the ELF specification.
static void take_note(const char *at, size_t bytes, size_t align, BuildId *id) {
  ElfW(Nhdr) note;
  while (bytes >= sizeof note) {
    memcpy(&note, at, sizeof note);
    size_t name = padded(note.n_namesz, align), text = padded(note.n_descsz, align);
    if (name > bytes - sizeof note || note.n_descsz > bytes - sizeof note - name) return;
    const char *owner = at + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(owner, "GNU", 4) == 0) {
      id->n = note.n_descsz < BUILD_ID_MOST ? note.n_descsz : BUILD_ID_MOST;
      memcpy(id->bytes, owner + name, id->n);
      return;
    }
    if (text > bytes - sizeof note - name) return;
    at += sizeof note + name + text;
    bytes -= sizeof note + name + text;
  }
}

static int look_at(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  const Search *search = data;
  if (!holds(object, search->place)) return 0;
  if (!object->dlpi_name || !object->dlpi_name[0] || !realpath(object->dlpi_name, search->id->file))
    search->id->file[0] = '\0';
  for (int i = 0; i < object->dlpi_phnum && !search->id->n; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    const char *notes = (const char *)(object->dlpi_addr + part->p_vaddr);
    if (part->p_type != PT_NOTE) continue;
    take_note(notes, part->p_memsz, 4, search->id);
    if (!search->id->n) take_note(notes, part->p_memsz, 8, search->id);
  }
  return 1;
}

bool build_id_of(const void *place, BuildId *id) {
  *id = (BuildId){0};
  return dl_iterate_phdr(look_at, &(Search){(uintptr_t)place, id}) == 1;
}
