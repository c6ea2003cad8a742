// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles a kernel to PTX, for a given GPU, types and block size.
#include <stdio.h>
#include <string.h>
#include <tilec/tilec.h>

static const char source[] = "@kernel\n"
                             "def twice(x, n, BLOCK: constexpr):\n"
                             "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
                             "    store(x + i, 2 * load(x + i, mask=i < n), mask=i < n)\n";

int main(void) {
  const char *const defines[] = {"BLOCK=1024"};
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.arch = "sm_80";
  options.signature = "x=*fp32:16,n=i32"; // :16: the address is a multiple of 16 bytes
  options.defines = defines;
  options.define_count = 1;
  tilec_program *program = NULL;
  tilec_compiled *compiled = NULL;
  const char *ptx = NULL; // belongs to compiled
  tilec_status s = tilec_program_from_source("twice.tile", source, strlen(source), &program);
  if (!s) s = tilec_compile(program, &options, &compiled);
  if (!s) s = tilec_compiled_output(compiled, TILEC_OUTPUT_PTX, &ptx, NULL);
  if (s)
    fprintf(stderr, "%s\n", tilec_last_error());
  else
    printf("%.13s\n", strstr(ptx, ".target")); // prints: .target sm_80
  tilec_compiled_free(compiled);
  tilec_program_free(program);
  return s != TILEC_OK;
}
