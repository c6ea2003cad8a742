// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what "ptxas -v" reports about a kernel.
#include <stdio.h>
#include <string.h>

#include "cubin/cubin.h"

// The kernel's first line after `at` that contains the text; NULL if there is none before the next kernel.
static const char *find_in_kernel(const char *at, const char *text) {
  const char *next = strstr(at, "Compiling entry function"), *found = strstr(at, text);
  return found && (!next || found < next) ? found : NULL;
}

void cubin_usage_of_log(const char *log, const char *kernel, CubinUsage *usage) {
  char head[400];
  snprintf(head, sizeof head, "Compiling entry function '%.300s' for", kernel);
  const char *at = strstr(log, head);
  if (!at) return;
  at += strlen(head);
  snprintf(head, sizeof head, "Function properties for %.300s\n", kernel);
  const char *properties = find_in_kernel(at, head), *used = find_in_kernel(at, "Used ");
  if (properties)
    sscanf(properties + strlen(head), " %d bytes stack frame, %d bytes spill stores, %d bytes spill loads",
           &usage->local_bytes, &usage->spill_stores, &usage->spill_loads);
  if (used) sscanf(used, "Used %d registers", &usage->registers);
}
