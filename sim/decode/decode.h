// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes the syntax tree to Programs. Names are resolved here. Functions are decoded in place at each call,
// so execution needs no call stack (recursion is an error). Unknown syntax is an error with its location.
#ifndef SIM_DECODE_DECODE_H
#define SIM_DECODE_DECODE_H

#include "sim/ptx/insn.h"
#include "sim/ptx/ptx_tree.h"

typedef struct GlobalVar { // a variable of the module, placed in memory
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

// ---- shared by the decoder's files ----

typedef enum SymbolKind { SYMBOL_REG, SYMBOL_REGS, SYMBOL_VECTOR, SYMBOL_ADDRESS, SYMBOL_LABEL, SYMBOL_TABLE } SymbolKind;

typedef struct Symbol {
  SymbolKind kind;
  Str name;
  uint64_t hash;
  uint32_t scope;   // Depth.
  uint32_t shadows; // Index + 1 of the symbol that it hides in the bucket. 0: none.
  PtxType type;     // For registers.
  uint32_t *slots;  // Registers: slot + 1 of each; 0: not used yet.
  uint32_t count;   // SYMBOL_REGS and SYMBOL_VECTOR.
  PtxSpace space;   // SYMBOL_ADDRESS
  uint64_t address; // or instruction index of a label
  const PtxStmt *table;
} Symbol;

typedef struct Fixup { // a branch with a label that is not yet known
  Str name;
  PtxPos pos;
  uint32_t insn;
  uint32_t entry; // index in its table; UINT32_MAX: Insn.target
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
  bool has_vectors; // a register vector is declared
  uint32_t carry; // slot + 1 of the condition code's predicate; 0: not used yet
  // The current statement.
  const PtxStmt *stmt;
  const PtxLoc *site_loc; // the .loc of `site`, which is a site's number; NULL: none
  uint32_t site;
  const PtxStmt *caller; // the innermost call with a .loc that is being decoded in place; NULL: none
  Str base, mods[MAX_MODIFIERS];
  bool taken[MAX_MODIFIERS];
  bool cluster; // mod_space or next_space has taken .shared::cluster
  uint32_t mod_count;
  Operation op;
  const PtxOperand *operand; // The next one.
  Insn insn;                 // The instruction being built.
  bool branched;             // A label, branch or exit has occurred. Later code may run more or less than
                             // once.
  WrittenSlot made;          // The first register that this statement is the first to name. bytes 0: none.
  VEC(FunctionShared) function_shared;
  const PtxFunc *calling[MAX_CALLS + 1]; // the functions being decoded in place
  Str return_label;                      // of the function being decoded in place; empty in a kernel
} Decoder;

bool decode_failed(const Decoder *d);
// Reports an error at the statement.
void decode_error(Decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Modifiers. Those that the family's decoder does not take are an error.
bool mod_take(Decoder *d, const char *name);
// The first of `any_of` that is present. MOD_NONE or OP_NONE if none is. Operations are matched by mnemonic.
Modifier mod_one_of(Decoder *d, const Modifier *any_of, size_t n);
Operation mod_operation(Decoder *d, const Operation *any_of, size_t n);
MemoryScope mod_scope(Decoder *d); // SCOPE_DEVICE if there is none
PtxType mod_type(Decoder *d);      // the next type; PTX_NONE: none
PtxType mod_need_type(Decoder *d); // an error if there is none
Round mod_round(Decoder *d);       // rn rz rm rp; ROUND_NONE
PtxSpace mod_space(Decoder *d);    // SPACE_GENERIC if there is none
Str mod_any(Decoder *d);           // the next one, of any kind; empty: none

// Slots.
uint32_t slot_new(Decoder *d, uint32_t bytes); // bytes per lane; 0: a predicate
uint32_t slot_constant(Decoder *d, uint64_t bits, uint32_t bytes);
// The address of a variable. One of shared memory is in the CTA that runs the code.
uint32_t slot_address(Decoder *d, const Symbol *symbol, int64_t offset, uint32_t bytes);
// A slot with the kernel parameter's bytes at `offset`, extended to slot_bytes by the type's sign.
uint32_t slot_param(Decoder *d, uint32_t offset, PtxType type, uint32_t slot_bytes);
uint32_t slot_bytes_of(PtxType type); // bytes per lane of a register of the type: 0, 2, 4, 8

// Operands, taken in order. An operand of the wrong width is an error.
const PtxOperand *operand_next(Decoder *d); // an error if there is none; never NULL
bool operand_more(const Decoder *d);
uint32_t operand_source(Decoder *d, PtxType type);
uint32_t operand_dest(Decoder *d, PtxType type);
uint32_t operand_predicate(Decoder *d, bool *negated);
// A register of any width: its slot, and *bytes per lane (0 for a predicate). `_` gives UINT32_MAX.
uint32_t register_of(Decoder *d, const PtxOperand *operand, uint32_t *bytes);
uint32_t source_of(Decoder *d, const PtxOperand *operand, PtxType type);
// [address] in brackets: a register and offset, a variable, or a constant. If a variable is named,
// SPACE_PARAM and SPACE_GENERIC become its space.
void operand_address(Decoder *d, PtxSpace space, AddressOperand *address);
// The text inside of the brackets, or its first item.
void address_of_operand(Decoder *d, const PtxOperand *base, PtxSpace space, AddressOperand *address);
uint64_t operand_constant(Decoder *d, uint64_t most); // a constant up to `most`
// {registers} or one register of `bytes`, up to `most`. Returns the number.
uint32_t operand_registers(Decoder *d, uint32_t *slots, uint32_t most, uint32_t bytes, bool written);
uint32_t slot_all_lanes(Decoder *d); // the member mask of .aligned instructions
Symbol *symbol_find(Decoder *d, Str name);
Symbol *symbol_add(Decoder *d, SymbolKind kind, Str name);
Special special_find(Str name);

void scope_open(Decoder *d);
void scope_close(Decoder *d);
void decode_body(Decoder *d, const PtxFunc *func);
// The function with a body of that name. NULL: none.
const PtxFunc *function_named(const Decoder *d, const PtxOperand *operand);
// cvt for types that PtxType lacks. False: it is another cvt.
bool decode_convert_narrow(Decoder *d);
// Decodes a call of vprintf, __assertfail or a similar function. False: it is another function.
bool decode_system_call(Decoder *d, Str name, const PtxOperand *results, const PtxOperand *args);
void decode_emit(Decoder *d);                                   // appends d->insn with the statement's guard
void decode_emit_exec(Decoder *d, ExecFn *exec, InsnKind kind); // the same with this function and kind

// Families, as named in insn.def.
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
void decode_multimem(Decoder *d);
void decode_control(Decoder *d);
void decode_barrier(Decoder *d);
void decode_bar(Decoder *d); // decode_barrier, and .red
void decode_ordering(Decoder *d);
void decode_entry_registers(Decoder *d, const PtxFunc *kernel); // Program.registers; call after the body
void decode_warp(Decoder *d);
void decode_fence(Decoder *d);
void decode_copy(Decoder *d);
void decode_mbarrier(Decoder *d);
void decode_tensormap(Decoder *d);
void decode_cluster(Decoder *d);
void decode_launch_control(Decoder *d);
void decode_store_async(Decoder *d); // st.async and red.async
void decode_policy(Decoder *d);
void decode_matrix_move(Decoder *d);
void decode_mma(Decoder *d);
void decode_wgmma(Decoder *d);
void decode_tcgen05(Decoder *d);

#endif
