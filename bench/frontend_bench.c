// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast the front end runs on one core:
// lexing and parsing of a megabyte of kernels, and elaborating one kernel.
//   frontend_bench FILE KERNEL SIGNATURE [NAME=VALUE]...
// The text is FILE's, repeated up to the size.
// SIGNATURE and the constexprs are as tilec's --signature and -D.
#include <stdio.h>
#include <stdlib.h>

#include "bench/timing.h"
#include "runtime/compile/compile.h"

enum { TEXT_BYTES = 1000000, REPEATS = 11 };

static void must_compile(Compilation *c, tilec_status status) {
  if (status == TILEC_OK) return;
  Buf text = {0};
  diags_print_text(&c->diags, false, &text);
  fprintf(stderr, "%s%s\n", text.at ? text.at : "", c->fault);
  exit(1);
}

static Buf read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "frontend_bench: cannot read %s\n", path);
    exit(1);
  }
  Buf text = {0};
  char part[4096];
  size_t n;
  while ((n = fread(part, 1, sizeof part, file)) > 0) buf_str(&text, (Str){part, n});
  fclose(file);
  return text;
}

static double parse_seconds(Str text) {
  Compilation c;
  must_compile(&c, compilation_init(&c));
  double begin = cpu_seconds();
  must_compile(&c, compile_parse(&c, "kernels.py", text));
  double seconds = cpu_seconds() - begin;
  compilation_free(&c);
  return seconds;
}

static double elaborate_seconds(Str text, char **argv) {
  Compilation c;
  Spec spec = {.target = target_default()};
  must_compile(&c, compilation_init(&c));
  must_compile(&c, compile_parse(&c, "kernel.py", text));
  spec.kernel = ir_name(&c.ir, str_from(argv[2]));
  must_compile(&c, compile_signature(&c, argv[3], &spec));
  for (char **define = argv + 4; *define; define++) must_compile(&c, compile_define(&c, *define, &spec));
  double begin = cpu_seconds();
  must_compile(&c, compile_elaborate(&c, &spec));
  double seconds = cpu_seconds() - begin;
  compilation_free(&c);
  return seconds;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: frontend_bench FILE KERNEL SIGNATURE [NAME=VALUE]...\n");
    return 2;
  }
  Buf text = read_text(argv[1]), all = {0};
  while (all.n < TEXT_BYTES) buf_str(&all, buf_view(&text));
  double parsing[REPEATS], elaborating[REPEATS];
  for (int i = 0; i < REPEATS; i++) {
    parsing[i] = parse_seconds(buf_view(&all));
    elaborating[i] = elaborate_seconds(buf_view(&text), argv);
  }
  printf("parse: %.1f ms for %zu bytes\n", 1e3 * median_of(parsing, REPEATS), all.n);
  printf("elaborate %s: %.2f ms\n", argv[2], 1e3 * median_of(elaborating, REPEATS));
  buf_free(&text);
  buf_free(&all);
  return 0;
}
