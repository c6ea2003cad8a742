// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of glibc since 2.35 that tilec and LLVM's, libstdc++'s and libgcc's archives call, if built with one: with
// them libtilec.so runs with glibc 2.34. The names stay within the library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void); // since 2.36; by LLVM for the names of temporary files

uint32_t arc4random(void) {
  uint32_t number;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) abort(); // so few bytes never fail
  return number;
}

#if defined(__x86_64__)
#define FIRST_VERSION "2.2.5"
#elif defined(__aarch64__)
#define FIRST_VERSION "2.17"
#endif

#ifdef FIRST_VERSION // since 2.35 under a second version, which differs in errno alone
double hypot(double x, double y);
double older_hypot(double x, double y);
__asm__(".symver older_hypot, hypot@GLIBC_" FIRST_VERSION);

double hypot(double x, double y) { return older_hypot(x, y); }
#endif

#ifdef DLFO_STRUCT_HAS_EH_DBASE // a header of 2.35 or newer

typedef struct Search {
  uintptr_t pc;
  struct dl_find_object *found;
} Search;

static int look(struct dl_phdr_info *info, size_t size, void *data) {
  const Search *search = data;
  const ElfW(Phdr) *code = NULL, *frames = NULL;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type == PT_GNU_EH_FRAME) frames = part;
    if (part->p_type == PT_LOAD && search->pc - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
      code = part;
  }
  if (!code || !frames) return 0;
  search->found->dlfo_map_start = (void *)(info->dlpi_addr + code->p_vaddr);
  search->found->dlfo_map_end = (char *)search->found->dlfo_map_start + code->p_memsz;
  search->found->dlfo_eh_frame = (void *)(info->dlpi_addr + frames->p_vaddr);
  return 1;
}

// Since 2.35; by libgcc when it unwinds the stack of an exception.
int _dl_find_object(void *pc, struct dl_find_object *found) {
  return dl_iterate_phdr(look, &(Search){(uintptr_t)pc, found}) ? 0 : -1;
}
#endif
