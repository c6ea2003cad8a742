// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PASSES_ANALYSIS_PRESSURE_H
#define PASSES_ANALYSIS_PRESSURE_H

#include "ir/queries.h"

// Registers of a thread if one CTA has all registers.
uint32_t func_thread_registers(const Func *func);
// Returns true if the loop-carried tiles fill all of a thread's registers.
bool loop_fills_registers(const Func *func, const Op *loop);
// The most registers per thread that live tiles fill at one point; pressure.c says which tiles count. Every tile must
// have a layout.
uint32_t func_pressure(Arena *scratch, Func *func);
// A thread's registers minus those that tiles fill, minus what a kernel needs otherwise
// (TUNE_BLOCKS_RESERVED_REGISTERS). Negative: tiles need more registers than there are. Here each 16-bit value that
// is loaded alone counts as one register: without room it would be spilled. func_pressure is different. It asks how
// many CTAs share a multiprocessor.
int64_t register_slack(Arena *scratch, Func *func);
// The op at which tiles fill most registers, as register_slack counts them. NULL: they fill none. Numbers the function.
const Op *func_fullest(Arena *scratch, Func *func, uint32_t *registers);
// By value id: the registers that it fills while alive. A 16-bit value that is loaded alone counts as one register.
// Numbers the function.
uint32_t *func_registers(Arena *scratch, Func *func);
// By op id: the registers that live tiles fill at the op. func_pressure is their maximum. Numbers the function.
uint32_t *func_alive(Arena *scratch, Func *func);
// Returns true if tiles need so many registers that most must be in local memory in any case.
bool registers_hopeless(Arena *scratch, Func *func);
// Like func_pressure, but counts only values alive across an op that takes a tile as a whole. Examples are reductions,
// scans, exchanges and loops. Code between such ops may run register by register.
uint32_t func_pressure_across(Arena *scratch, Func *func);

// Returns true if 16-bit elements are loaded one by one, each into its own register.
bool is_unpacked_16bit(const Value *value);

// By value id: one of this many consecutive registers is read; 0: none. For example, an access reads only the address
// and mask of each vector's first element. Call it after func_number.
uint32_t *func_shares(Arena *scratch, const Func *func);

#endif
