// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows each diagnostic of a kernel that is wrong, as an editor would.
#include <stdio.h>
#include <string.h>
#include <tilec/tilec.h>

static const char source[] = "@kernel\n"
                             "def f(x: *fp32):\n"
                             "    store(x, lod(x))\n";

int main(void) {
  tilec_program *program = NULL;
  tilec_compiled *compiled = NULL;
  tilec_status s = tilec_program_from_source("f.tile", source, strlen(source), &program);
  if (!s) s = tilec_compile(program, NULL, &compiled);
  const tilec_diagnostics *list = tilec_last_diagnostics();
  for (size_t i = 0; s && i < tilec_diagnostics_count(list); i++) {
    tilec_diagnostic d = TILEC_DIAGNOSTIC_INIT;
    if (!tilec_diagnostics_get(list, i, &d) && d.severity == TILEC_SEVERITY_ERROR)
      printf("%s:%u: %s\n", d.file ? d.file : "", (unsigned)d.line, d.text); // prints: f.tile:3: unknown name 'lod'
  }
  tilec_compiled_free(compiled);
  tilec_program_free(program);
  return s != TILEC_ERROR_COMPILE;
}
