// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PASSES_ANALYSIS_PRESSURE_H
#define PASSES_ANALYSIS_PRESSURE_H

#include "ir/ir.h"

// Registers that a thread has, where one block has all.
uint32_t func_thread_registers(const Func *func);
// Whether the tiles that the loop carries fill all of them.
bool loop_fills_registers(const Func *func, const Op *loop);
// Registers a thread that tiles fill where most of them are alive; pressure.c says which count.
// Every tile has a layout.
uint32_t func_pressure(Arena *scratch, Func *func);
// Of a thread's registers what those leave, beside what a kernel holds otherwise (TUNE_BLOCKS_OTHER_REGISTERS); below
// zero: what they want more than there is. Halves that are loaded one by one count for a register each here: where
// they have no room they would be spilled, while func_pressure is about how many blocks share a multiprocessor.
int64_t register_slack(Arena *scratch, Func *func);
// By value id: the registers that it fills while it is alive; halves that are loaded one by one count for a register each. Numbers the func.
uint32_t *func_registers(Arena *scratch, Func *func);
// By op id: the registers that tiles fill as the op is done, of which func_pressure is the most. Numbers the func.
uint32_t *func_alive(Arena *scratch, Func *func);
// Whether tiles want so many times the registers there are that most of them are in local memory whatever is done.
bool registers_hopeless(Arena *scratch, Func *func);
// As func_pressure, where only those count that are alive across an op that takes elements together (reductions, scans, exchanges,
// loops): what comes in between may go register by register.
uint32_t func_pressure_across(Arena *scratch, Func *func);

// Whether elements of two bytes are loaded one by one, each into a register of its own.
bool is_unpacked_16bit(const Value *value);

// By value id: of as many registers in a row one is read (an access reads the address and mask of each vector's first
// element); 0: none is. After func_number.
uint32_t *func_shares(Arena *scratch, const Func *func);

#endif
