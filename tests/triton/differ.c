// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows that may differ from Triton, in lists with lines
//
//   EXPRESSION | TYPES | WHAT | COUNT | reason
//
// EXPRESSION and TYPES are patterns like a shell's. The first line that matches a fault explains it. Each line explains
// exactly COUNT faults, so a list is as long as the differences.
#include "tests/triton/table.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Reason {
  const char *list;
  uint32_t line, expected, met;
  char *expression, *types, *what;
} Reason;

typedef struct Reasons {
  VEC(Reason) list;
} Reasons;

void fault_add(Faults *faults, const Row *row, const char *what, const char *text) {
  Fault fault = {row, what, arena_copy(faults->arena, str_from(text))};
  vec_push(faults->arena, &faults->list, fault);
}

static char *field(char **rest) {
  char *begin = *rest, *end = strstr(begin, " | ");
  if (!end) return NULL;
  *end = '\0';
  *rest = end + 3;
  return begin;
}

static bool read_list(Arena *arena, const char *name, Reasons *reasons) {
  FILE *file = fopen(arena_printf(arena, TESTS_DIR "/triton/%s", name), "r");
  if (!file) return false;
  char text[1000];
  bool good = true;
  for (uint32_t number = 1; fgets(text, sizeof text, file); number++) {
    if (text[0] == '#' || text[0] == '\n') continue;
    char *rest = arena_copy(arena, str_from(text));
    Reason reason = {.list = name, .line = number};
    reason.expression = field(&rest);
    reason.types = reason.expression ? field(&rest) : NULL;
    reason.what = reason.types ? field(&rest) : NULL;
    char *count = reason.what ? field(&rest) : NULL;
    if (count) {
      reason.expected = (uint32_t)strtoul(count, NULL, 10);
      vec_push(arena, &reasons->list, reason);
    } else {
      printf("%s:%u: not EXPRESSION | TYPES | WHAT | COUNT | reason\n", name, number);
      good = false;
    }
  }
  fclose(file);
  return good;
}

static bool matches(Arena *arena, const Reason *reason, const Fault *fault) {
  const char *expression = arena_copy(arena, fault->row->section->expression);
  const char *types = arena_copy(arena, fault->row->types);
  return fnmatch(reason->expression, expression, 0) == 0 && fnmatch(reason->types, types, 0) == 0 &&
         fnmatch(reason->what, fault->what, 0) == 0;
}

bool faults_explained(Faults *faults, const char *const *lists, uint32_t count, uint32_t *explained) {
  Reasons reasons = {0};
  bool good = true;
  for (uint32_t i = 0; i < count; i++) good = read_list(faults->arena, lists[i], &reasons) && good;
  for (uint32_t i = 0; i < faults->list.n; i++) {
    const Fault *fault = &faults->list.at[i];
    uint32_t k = 0;
    while (k < reasons.list.n && !matches(faults->arena, &reasons.list.at[k], fault)) k++;
    if (k < reasons.list.n) {
      reasons.list.at[k].met++;
      ++*explained;
      continue;
    }
    good = false;
    printf("FAILED %s:%u: %.*s with %.*s: %s: %s\n", fault->row->section->file, fault->row->line,
           STR_ARG(fault->row->section->expression), STR_ARG(fault->row->types), fault->what, fault->text);
  }
  for (uint32_t k = 0; k < reasons.list.n; k++) {
    const Reason *reason = &reasons.list.at[k];
    if (reason->met == reason->expected) continue;
    good = false;
    printf("FAILED %s:%u: explains %u rows, not %u: %s | %s\n", reason->list, reason->line, reason->met,
           reason->expected, reason->expression, reason->types);
  }
  return good;
}
