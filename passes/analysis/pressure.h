// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PASSES_ANALYSIS_PRESSURE_H
#define PASSES_ANALYSIS_PRESSURE_H

#include "ir/queries.h"

// Registers of a thread if one CTA has all registers.
uint32_t func_thread_registers(const Func *func);
// Those of them that tiles may fill: a kernel needs TUNE_BLOCKS_RESERVED_REGISTERS otherwise, or half if there are few.
uint32_t func_room(const Func *func);
// Returns true if the loop-carried tiles fill all of a thread's registers.
bool loop_fills_registers(const Func *func, const Op *loop);

// The registers of a thread that live tiles fill; pressure.c says which tiles count.
typedef struct Pressure {
  const uint32_t *registers; // By value id: those that it fills while it is alive.
  const uint32_t *alive;     // By op id: those that live tiles fill at the op.
  uint32_t most;             // The maximum of `alive`.
  const Op *fullest;         // The op with that; NULL: tiles fill none.
  // Like `most`, but of values alive across an op that takes a tile as a whole, such as reductions, scans, exchanges and
  // loops. Code between such ops may run register by register.
  uint32_t across;
} Pressure;

// Every tile must have a layout. Numbers the function.
Pressure func_pressure(Arena *scratch, Func *func);
// A thread's room minus what tiles fill. Negative: they do not fit.
int64_t register_slack(Arena *scratch, Func *func);

// Returns true if 16-bit elements are loaded one by one, each into its own register.
bool is_unpacked_16bit(const Value *value);

// By value id: one of this many consecutive registers is read; 0: none. For example, an access reads only the address
// and mask of each vector's first element. Call it after func_number.
uint32_t *func_shares(Arena *scratch, const Func *func);

#endif
