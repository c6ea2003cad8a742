// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that makes the records of timeline_record.h. Nothing is emitted without CodegenOptions.timeline.
#ifndef CODEGEN_TIMELINE_CODE_H
#define CODEGEN_TIMELINE_CODE_H

#include "codegen/emitter.h"
#include "codegen/timeline_record.h"

// Call at the end of the entry block, once the function has its parameters.
void timeline_begin(Emitter *e);
// Call before the op's code, and after it.
void timeline_before(Emitter *e, const Op *op);
void timeline_after(Emitter *e, const Op *op);

#endif
