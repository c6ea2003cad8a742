// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the syntax tree to Programs. Names are resolved here; functions are decoded in place at
// each call, so that execution needs no call stack (recursion is an error). Anything that is
// not known is an error at its place.
#ifndef SIM_DECODE_DECODE_H
#define SIM_DECODE_DECODE_H

#include "sim/ptx/insn.h"
#include "sim/ptx/ptx_tree.h"

typedef struct GlobalVar { // of the module, placed in memory
  const PtxVar *var;
  uint64_t address;
} GlobalVar;

typedef struct DecodeInput {
  Arena *arena;
  const PtxModule *module;
  const GlobalVar *globals; // the module's .global and .const variables
  uint32_t global_count;
} DecodeInput;

// False: *error is set.
bool decode_kernel(const DecodeInput *input, const PtxFunc *kernel, Program *program, PtxError *error);

// ---- between the decoder's files ----

typedef enum SymbolKind { SYMBOL_REG, SYMBOL_REGS, SYMBOL_ADDRESS, SYMBOL_LABEL, SYMBOL_TABLE } SymbolKind;

typedef struct Symbol {
  SymbolKind kind;
  Str name;
  uint64_t hash;
  uint32_t scope;   // depth
  uint32_t shadows; // symbol index + 1 of the same bucket; 0: none
  PtxType type;     // registers
  uint32_t *slots;  // registers: slot + 1 of each, 0: not used yet
  uint32_t count;   // SYMBOL_REGS
  PtxSpace space;   // SYMBOL_ADDRESS
  uint64_t address; // or instruction index of a label
  const PtxStmt *table;
} Symbol;

typedef struct Fixup { // a branch whose label is not yet known
  Str name;
  PtxPos pos;
  uint32_t insn;
  uint32_t entry; // of its table; UINT32_MAX: Insn.target
} Fixup;

enum {
  MAX_MODIFIERS = 16,
  SYMBOL_BUCKETS = 512,
  MAX_INSNS = 1 << 20,
  MAX_REGISTERS = 1 << 20,
  MAX_SLOT_BYTES = 1 << 26,
  MAX_CALLS = 32
};

typedef struct FunctionShared { // a called function's .shared variable: one for all its calls
  const PtxVar *var;
  uint32_t address;
} FunctionShared;

typedef struct Decoder {
  const DecodeInput *in;
  Arena *arena;
  Program *program;
  PtxError *error;
  VEC(Symbol) symbols;
  uint32_t buckets[SYMBOL_BUCKETS]; // symbol index + 1
  VEC(Fixup) fixups;
  uint32_t scope, calls, register_count;
  uint32_t carry; // slot + 1 of the condition code's predicate; 0: not used yet
  // The current statement.
  const PtxStmt *stmt;
  const PtxLoc *site_loc; // of `site`, a site's number; NULL: there is none
  uint32_t site;
  const PtxStmt *caller; // the innermost call with a .loc that is being decoded in place; NULL: none
  Str base, mods[MAX_MODIFIERS];
  bool taken[MAX_MODIFIERS];
  uint32_t mod_count;
  Operation op;
  const PtxOperand *operand; // the next one
  Insn insn;                 // being made
  bool branched;             // a label, branch or exit has come: what follows may run more or less than once
  WrittenSlot made;          // the first register that the statement is the first to name; bytes 0: none
  VEC(FunctionShared) function_shared;
  const PtxFunc *calling[MAX_CALLS + 1]; // the functions that are being decoded in place
  Str return_label;                      // of the function decoded in place; empty in a kernel
} Decoder;

bool decode_failed(const Decoder *d);
// At the statement.
void decode_error(Decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Modifiers. What is left over when the family's decoder returns is an error.
bool mod_take(Decoder *d, const char *name);
// The first of `any_of` that is there: MOD_NONE, OP_NONE where none is. Operations go by their mnemonics.
Modifier mod_one_of(Decoder *d, const Modifier *any_of, size_t n);
Operation mod_operation(Decoder *d, const Operation *any_of, size_t n);
PtxType mod_type(Decoder *d);      // the next type; PTX_NONE: none
PtxType mod_need_type(Decoder *d); // an error where there is none
Round mod_round(Decoder *d);       // rn rz rm rp; ROUND_NONE
PtxSpace mod_space(Decoder *d);    // SPACE_GENERIC where there is none
Str mod_any(Decoder *d);           // the next one, whatever it is; empty: none

// Slots.
uint32_t slot_new(Decoder *d, uint32_t bytes); // a lane's; 0: a predicate
uint32_t slot_constant(Decoder *d, uint64_t bits, uint32_t bytes);
// A slot that holds the kernel parameter's bytes at `offset`, extended to slot_bytes by the type's sign.
uint32_t slot_param(Decoder *d, uint32_t offset, PtxType type, uint32_t slot_bytes);
uint32_t slot_bytes_of(PtxType type); // what a register of the type takes a lane: 0, 2, 4, 8

// Operands, taken in order. An operand of another width is an error.
const PtxOperand *operand_next(Decoder *d); // an error where there is none; never NULL
bool operand_more(const Decoder *d);
uint32_t operand_source(Decoder *d, PtxType type);
uint32_t operand_dest(Decoder *d, PtxType type);
uint32_t operand_predicate(Decoder *d, bool *negated);
// A register of any width: its slot, and *bytes a lane (0 for a predicate). `_` gives UINT32_MAX.
uint32_t register_of(Decoder *d, const PtxOperand *operand, uint32_t *bytes);
uint32_t source_of(Decoder *d, const PtxOperand *operand, PtxType type);
// [address] in brackets: a register and offset, a variable, a constant. SPACE_PARAM and SPACE_GENERIC become
// the variable's own space where one is named.
void operand_address(Decoder *d, PtxSpace space, AddressOperand *address);
// The inside of the brackets, or the first item of them.
void address_of_operand(Decoder *d, const PtxOperand *base, PtxSpace space, AddressOperand *address);
uint64_t operand_constant(Decoder *d, uint64_t most); // a constant up to `most`
uint32_t slot_all_lanes(Decoder *d);                  // the member mask of .aligned instructions
Symbol *symbol_find(Decoder *d, Str name);
Symbol *symbol_add(Decoder *d, SymbolKind kind, Str name);
Special special_find(Str name);
// The declared register `symbol` (number `index` of a range); allocates its slot.
uint32_t symbol_slot(Decoder *d, Symbol *symbol, uint32_t index);

void scope_open(Decoder *d);
void scope_close(Decoder *d);
void decode_declare(Decoder *d, const PtxVar *var);
void decode_body(Decoder *d, const PtxFunc *func);
// The function with a body of that name; NULL: there is none.
const PtxFunc *function_named(const Decoder *d, const PtxOperand *operand);
// cvt of types that PtxType has not; false: it is another cvt.
bool decode_convert_narrow(Decoder *d);
// A call of vprintf, __assertfail or the like, decoded; false: it is another function's.
bool decode_system_call(Decoder *d, Str name, const PtxOperand *results, const PtxOperand *args);
void decode_emit(Decoder *d); // appends d->insn, guarded as the statement is
void decode_emit_exec(Decoder *d, ExecFn *exec, InsnKind kind); // with this function and kind

// Families, named in insn.def.
void decode_arith(Decoder *d);
void decode_special(Decoder *d);
void decode_logic(Decoder *d);
void decode_product(Decoder *d);
void decode_field(Decoder *d);
void decode_bits(Decoder *d);
void decode_video(Decoder *d);
void decode_compare(Decoder *d);
void decode_select(Decoder *d);
void decode_move(Decoder *d);
void decode_convert(Decoder *d);
void decode_address(Decoder *d);
void decode_memory(Decoder *d);
void decode_atomic(Decoder *d);
void decode_control(Decoder *d);
void decode_barrier(Decoder *d);
void decode_bar(Decoder *d); // decode_barrier, and .red
void decode_ordering(Decoder *d);
void decode_entry_registers(Decoder *d, const PtxFunc *kernel); // Program.registers; after the body
void decode_warp(Decoder *d);
void decode_fence(Decoder *d);
void decode_copy(Decoder *d);
void decode_mbarrier(Decoder *d);
void decode_tensormap(Decoder *d);
void decode_cluster(Decoder *d);
void decode_policy(Decoder *d);
void decode_matrix_move(Decoder *d);
void decode_mma(Decoder *d);
void decode_wgmma(Decoder *d);

#endif
