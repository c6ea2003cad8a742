// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults that are planted in right kernels of tests/golden/sim by edits of lines, and the reports about them.
#ifndef TESTS_SIM_PLANT_H
#define TESTS_SIM_PLANT_H

#include "tests/unit/sim_fixture.h"

typedef struct Plant {
  const char *kernel;
  const char *line;    // a part of the lines to change
  const char *instead; // their new text, %s: the old one; NULL: none
  tilec_sim_report_kind kind;
  const char *at;   // a part of the report's line; NULL: any line
  const char *says; // a part of its message or of its advice; NULL: anything
  int schedules;    // a bit for each; 0: all
} Plant;

static inline char *plant_read(const char *name) {
  char path[512];
  sim_path(path, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 17);
  assert_true(fread(text, 1, 1 << 16, file) > 0);
  fclose(file);
  return text;
}

static inline SimFixture plant_open(const char *text, int schedule, bool checks) {
  SimFixture f = sim_open_text(text, schedule);
  assert_int_equal(tilec_sim_check(f.sim, (tilec_sim_schedule)schedule, checks), TILEC_SIM_OK);
  return f;
}

// The next place of `part` in the kernel's text. NULL: there is none.
static inline char *plant_find(char *text, const char *kernel, const char *from, const char *part) {
  char head[64];
  snprintf(head, sizeof head, ".entry %s(", kernel);
  char *begin = strstr(text, head), *end = begin ? strstr(begin, "\n}\n") : NULL;
  assert_non_null(end);
  char *found = strstr(from && from > begin ? from : begin, part);
  return found && found < end ? found : NULL;
}

static inline void plant_edit(char *text, const Plant *p) {
  char line[512], new_line[1600];
  char *found = plant_find(text, p->kernel, NULL, p->line);
  if (!found) fail_msg("%s has no '%s'", p->kernel, p->line);
  for (; found; found = plant_find(text, p->kernel, found, p->line)) {
    char *from = found, *to = strchr(found, '\n');
    while (from[-1] != '\n') from--;
    snprintf(line, sizeof line, "%.*s", (int)(to - from), from);
    const char *instead = p->instead ? p->instead : "", *mark = strstr(instead, "%s");
    char *comment = strstr(line, "//");
    if (mark && comment) *comment = '\0';
    if (mark)
      snprintf(new_line, sizeof new_line, "%s%s", line, mark + 2);
    else
      snprintf(new_line, sizeof new_line, "%s", instead);
    size_t length = strlen(new_line);
    memmove(from + length, to, strlen(to) + 1);
    memcpy(from, new_line, length);
    found = from + length;
  }
}

static inline uint32_t plant_line(char *text, const Plant *p) {
  uint32_t line = 1;
  if (!p->at) return 0;
  const char *end = plant_find(text, p->kernel, NULL, p->at);
  if (!end) fail_msg("%s has no '%s'", p->kernel, p->at);
  for (const char *c = text; c < end; c++) line += *c == '\n';
  return line;
}

// One of the last launch's reports must be the expected one.
static inline void plant_expect(SimFixture *f, char *text, const Plant *p, int schedule) {
  uint32_t line = plant_line(text, p);
  bool found = false;
  for (size_t i = 0; i < tilec_sim_report_count(f->sim); i++) {
    const tilec_sim_report *r = tilec_sim_report_at(f->sim, i);
    found |= r->kind == p->kind && (line == 0 || r->ptx_line == line) &&
             (!p->says || strstr(r->message, p->says) || (r->order && strstr(r->order, p->says)));
  }
  for (size_t i = 0; !found && i < tilec_sim_report_count(f->sim); i++) {
    const tilec_sim_report *r = tilec_sim_report_at(f->sim, i);
    print_error("schedule %d: kind %d, line %u: %s; %s\n", schedule, (int)r->kind, r->ptx_line, r->message,
                r->order ? r->order : "");
  }
  if (!found) fail_msg("no such report at line %u", line);
}

static inline struct CMUnitTest plant_test(const Plant *p, size_t number, char name[120],
                                           CMUnitTestFunction test) {
  snprintf(name, 120, "%zu: %s: %s", number, p->kernel, p->says ? p->says : "");
  return (struct CMUnitTest){name, test, NULL, NULL, (void *)p};
}

#endif
