// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nsight Compute's CSV (ncu --csv), as far as explain shows it: the pages raw and details of a launch, the page source of lines
// (--print-source cuda,sass) or of instructions (sass), whose sums are the launch's.
#ifndef TOOLS_EXPLAIN_NCU_H
#define TOOLS_EXPLAIN_NCU_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

typedef enum NcuCounter {
#define X(counter, name, column, metrics, other) NCU_##counter,
#include "tools/explain/ncu.def"
#undef X
  NCU_COUNT
} NcuCounter;

const char *ncu_name(NcuCounter counter); // "global_sectors"

// SECONDS in seconds, MEMORY in bytes.
typedef struct NcuCounters {
  double value[NCU_COUNT];
  bool known[NCU_COUNT];
} NcuCounters;

typedef struct NcuLine {
  const char *file; // as Nsight Compute has it
  uint32_t line;
  NcuCounters counters;
} NcuLine;

typedef struct NcuReport {
  const char *file;   // the CSV
  const char *kernel; // that was looked for
  uint32_t launches;  // of it in the file; the last one's counters are told
  NcuCounters total;
  VEC(NcuLine) lines; // none of a launch's pages
} NcuReport;

// Reads the text of `file` for a kernel. NULL, with a located error in diags, where it is no such CSV or has not this kernel.
NcuReport *ncu_read(Arena *arena, Sources *sources, Diags *diags, const char *file, Str text,
                    const char *kernel);

// What there is of the line; NULL: nothing. Files are compared by their last part: who has profiled may have been elsewhere.
const NcuLine *ncu_line(const NcuReport *report, const char *file, uint32_t line);

#endif
