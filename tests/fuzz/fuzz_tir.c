// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as tile IR: what parses prints to text that parses to the same text.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/text/parse.h"
#include "ir/text/print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Parses and prints; the text is empty where it is not well formed.
static Buf reprint(Str text) {
  Arena arena = {0};
  Sources sources = {.arena = &arena};
  Diags diags = {.arena = &arena, .sources = &sources};
  IrContext ir;
  ir_context_init(&ir, &arena, &sources, &diags);
  IrModule *module = module_parse(&ir, sources_add(&sources, "fuzz.tir", text));
  Buf out = {0};
  if (module)
    module_print(module, NULL, &out);
  else {
    diags_print_text(&diags, true, &out);
    if (diags.errors == 0) abort();
    buf_reset(&out);
  }
  arena_free(&arena);
  return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Buf once = reprint((Str){(const char *)data, size});
  if (once.n) {
    Buf twice = reprint(buf_view(&once));
    if (!str_eq(buf_view(&once), buf_view(&twice))) {
      fprintf(stderr, "printed:\n%s\nand then:\n%s\n", once.at, twice.at ? twice.at : "");
      abort();
    }
    buf_free(&twice);
  }
  buf_free(&once);
  return 0;
}
