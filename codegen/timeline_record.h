// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records that a kernel makes that is compiled with CodegenOptions.timeline: when the warps of a launch's first CTA
// do what. The kernel's last parameter is the address of these records: TIMELINE_RECORDS for each warp, zeroed. A warp does
// not use its first one.
#ifndef CODEGEN_TIMELINE_RECORD_H
#define CODEGEN_TIMELINE_RECORD_H

#include <stdint.h>

// The work that a warp begins. MARK_NONE: there is no record.
typedef enum TimelineMark {
  MARK_NONE,
  MARK_RUN,
  MARK_DOT,
  MARK_WAIT_COPIES,
  MARK_WAIT_STORES,
  MARK_WAIT_DOT,
  MARK_WAIT_MBARRIER,
  MARK_WAIT_BARRIER,
  MARK_WAIT_GRID,
  MARK_END // the kernel's
} TimelineMark;

enum { TIMELINE_RECORDS = 1 << 14, TIMELINE_LINE_BITS = 24 };

typedef struct TimelineRecord {
  uint64_t ns;    // %globaltimer
  uint32_t clock; // of the multiprocessor, which all records share
  uint32_t
      mark; // mark << TIMELINE_LINE_BITS | line; for MARK_END the number of the multiprocessor, not a line
} TimelineRecord;

#endif
