// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compile times in one process, source to PTX, after a first compile: medians, by stage.
//   compile_bench CASES [REGEX]
// A line of CASES:
//   BAR FILE KERNEL SIGNATURE WARPS STAGES [NAME=VALUE]...
// BAR is in ms, or - for none; the files lie relative to CASES. Exit status 1 where a kernel does not
// compile, or takes more than three times its bar on a machine as slow as this one (bench/timing.h).
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/timing.h"
#include "runtime/compile/compile.h"

enum { REPEATS = 11, MAX_WORDS = 40, STAGES = 6 };

static const char *const stage_names[STAGES] = {"all",     "front end",   "passes",
                                                "codegen", "LLVM passes", "LLVM codegen"};

typedef struct Case {
  double bar; // ms; 0: none
  const char *kernel, *signature, *path;
  uint8_t num_warps, num_stages;
  char **defines;
  int define_count;
  Str text;
} Case;

static bool read_text(const char *path, Buf *text) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char part[4096];
  size_t n;
  while ((n = fread(part, 1, sizeof part, file)) > 0) buf_str(text, (Str){part, n});
  fclose(file);
  return true;
}

static bool failed(Compilation *c, tilec_status status, const char *kernel) {
  if (status == TILEC_OK) return false;
  Buf text = {0};
  diags_print_text(&c->diags, false, &text);
  printf("%s: FAILED: %.*s%.300s\n", kernel, (int)(text.n > 300 ? 300 : text.n), text.at ? text.at : "",
         c->fault);
  buf_free(&text);
  return true;
}

static tilec_status make_spec(Compilation *c, const Case *k, Spec *spec) {
  *spec = (Spec){.target = target_default(), .num_warps_given = true, .num_stages_given = true};
  spec->target.num_warps = k->num_warps;
  spec->target.num_stages = k->num_stages;
  spec->kernel = ir_name(&c->ir, str_from(k->kernel));
  tilec_status status = compile_signature(c, k->signature, spec);
  for (int i = 0; i < k->define_count && status == TILEC_OK; i++)
    status = compile_define(c, k->defines[i], spec);
  return status;
}

// One compile; seconds by stage. False, having said why.
static bool compile_once(const Case *k, double seconds[STAGES]) {
  Compilation c;
  Spec spec;
  double start = cpu_seconds(), parsed, passed;
  tilec_status status = compilation_init(&c);
  if (status == TILEC_OK) status = compile_parse(&c, k->path, k->text);
  if (status == TILEC_OK) status = make_spec(&c, k, &spec);
  if (status == TILEC_OK) status = compile_elaborate(&c, &spec);
  parsed = cpu_seconds();
  if (status == TILEC_OK) status = compile_passes(&c, &(PassRunOptions){0});
  passed = cpu_seconds();
  if (status == TILEC_OK) status = compile_codegen(&c, &(CodegenOptions){.emit_ptx = true});
  double end = cpu_seconds();
  bool good = !failed(&c, status, k->kernel);
  const CodegenTimes *times = &c.code.times; // wall time: taken as shares of the stage's own
  double all = times->emit + times->optimise + times->print, scale = all > 0 ? (end - passed) / all : 0;
  double values[STAGES] = {end - start,         parsed - start,          passed - parsed,
                           times->emit * scale, times->optimise * scale, times->print * scale};
  memcpy(seconds, values, sizeof values);
  compilation_free(&c);
  return good;
}

// True if it compiles within three times the bar of a machine as slow as this one.
static bool measure_case(const Case *k) {
  double slow = machine_slowness();
  double seconds[STAGES], runs[STAGES][REPEATS];
  if (!compile_once(k, seconds)) return false;
  for (int i = 0; i < REPEATS; i++) {
    compile_once(k, seconds);
    for (int s = 0; s < STAGES; s++) runs[s][i] = seconds[s];
  }
  double all = 1e3 * median_of(runs[0], REPEATS);
  printf("%-24s %8.2f", k->kernel, all);
  for (int s = 1; s < STAGES; s++) printf(" %8.2f", 1e3 * median_of(runs[s], REPEATS));
  if (k->bar > 0) printf("   bar %.0f%s", k->bar, all <= k->bar ? "" : " MISSED");
  putchar('\n');
  return !(k->bar > 0 && all > 3 * k->bar * slow);
}

static int split_words(char *line, char **words) {
  int n = 0;
  for (char *word = strtok(line, " \n"); word && n < MAX_WORDS; word = strtok(NULL, " \n")) words[n++] = word;
  return n;
}

static bool run_line(char *line, const char *folder, const regex_t *wanted) {
  char *words[MAX_WORDS], path[1024];
  int n = split_words(line, words);
  if (!n || words[0][0] == '#') return true;
  if (n < 6) {
    printf("a case has too few words: %s\n", words[0]);
    return false;
  }
  if (wanted && regexec(wanted, words[2], 0, NULL, 0) != 0) return true;
  snprintf(path, sizeof path, "%s%s", folder, words[1]);
  Case k = {.bar = atof(words[0]),
            .kernel = words[2],
            .signature = words[3],
            .path = path,
            .defines = words + 6,
            .define_count = n - 6};
  k.num_warps = (uint8_t)atoi(words[4]);
  k.num_stages = (uint8_t)atoi(words[5]);
  Buf text = {0};
  bool good = read_text(path, &text);
  if (!good) printf("cannot read %s\n", path);
  k.text = buf_view(&text);
  good = good && measure_case(&k);
  buf_free(&text);
  return good;
}

int main(int argc, char **argv) {
  FILE *cases = argc > 1 ? fopen(argv[1], "r") : NULL;
  regex_t wanted;
  if (!cases || (argc > 2 && regcomp(&wanted, argv[2], REG_EXTENDED | REG_NOSUB) != 0)) {
    fputs("usage: compile_bench CASES [REGEX]\n", stderr);
    return 2;
  }
  char line[4096], folder[1024] = "";
  const char *slash = strrchr(argv[1], '/');
  if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash + 1 - argv[1]), argv[1]);
  printf("%-24s", "median of 11, ms");
  for (int s = 0; s < STAGES; s++) printf(" %8s", stage_names[s]);
  putchar('\n');
  bool good = true;
  while (fgets(line, sizeof line, cases)) good &= run_line(line, folder, argc > 2 ? &wanted : NULL);
  fclose(cases);
  if (argc > 2) regfree(&wanted);
  return good ? 0 : 1;
}
