// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the parts of Nsight Compute's CSV (ncu --csv) that explain shows. They are the pages raw and details
// of a launch, and the page source. The page source is by lines (--print-source cuda,sass) or by instructions
// (sass). A launch's instructions are summed.
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

// SECONDS is in seconds, MEMORY in bytes.
typedef struct NcuCounters {
  double value[NCU_COUNT];
  bool known[NCU_COUNT];
} NcuCounters;

typedef struct NcuLine {
  const char *file; // as Nsight Compute writes it
  uint32_t line;
  NcuCounters counters;
} NcuLine;

typedef struct NcuReport {
  const char *file;   // The CSV file.
  const char *kernel; // The kernel looked for.
  uint32_t launches;  // Its launches in the file. The last one's counters are reported.
  NcuCounters total;
  VEC(NcuLine) lines; // empty for the pages of a launch
} NcuReport;

// Reads the text of `file` for one kernel. NULL, with a located error in diags, if it is no such CSV or lacks
// the kernel.
NcuReport *ncu_read(Arena *arena, Sources *sources, Diags *diags, const char *file, Str text,
                    const char *kernel);

// The line's counters. NULL: none. Files are compared by their last path part, because profiling may have run
// in another folder.
const NcuLine *ncu_line(const NcuReport *report, const char *file, uint32_t line);

#endif
