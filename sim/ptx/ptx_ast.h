// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The syntax tree of a PTX module. Names are unresolved slices of the text, which must outlive the tree.
// Lists are linked in source order. One arena owns everything.
#ifndef SIM_PTX_PTX_AST_H
#define SIM_PTX_PTX_AST_H

#include "base/vec.h"
#include "sim/ptx/types.h"

typedef struct PtxPos {
  uint32_t line, col; // in the PTX text, from 1
} PtxPos;

typedef enum PtxSpace {
  SPACE_GENERIC,
  SPACE_REG,
  SPACE_GLOBAL,
  SPACE_SHARED,
  SPACE_LOCAL,
  SPACE_CONST,
  SPACE_PARAM
} PtxSpace;

typedef enum PtxOperandKind {
  OPERAND_NAME,    // A register, variable, label, function, special register, or `_`.
  OPERAND_INT,     // A 64-bit pattern in value.
  OPERAND_F32,     // 0fXXXXXXXX, with its bits in value.
  OPERAND_F64,     // 0dXXXXXXXXXXXXXXXX or a decimal, with its bits in value.
  OPERAND_NOT,     // !items.
  OPERAND_PAIR,    // items[0] | items[1].
  OPERAND_VECTOR,  // {items}.
  OPERAND_LIST,    // (items).
  OPERAND_ADDRESS, // [items[0] + offset, more items].
} PtxOperandKind;

typedef struct PtxOperand {
  PtxOperandKind kind;
  PtxPos pos;
  Str name;       // OPERAND_NAME
  uint64_t value; // literals
  int64_t offset; // OPERAND_NAME and OPERAND_ADDRESS: bytes added
  struct PtxOperand *items;
  struct PtxOperand *next;
} PtxOperand;

typedef struct PtxOperands { // a list under construction
  PtxOperand *first, *last;
  uint32_t n;
} PtxOperands;

// A declaration of one variable, register or parameter.
typedef struct PtxVar {
  PtxPos pos;
  PtxSpace space;
  PtxType type;
  uint32_t align;  // in bytes; at least the type's alignment
  uint64_t bytes;  // total size; 0 for .extern []
  uint32_t range;  // registers: NAME<range>; 0: a single one
  uint32_t vector; // elements of a .v2 or .v4; else 1
  bool is_extern;
  Str name;
  PtxOperand *init; // NULL: zero
  struct PtxVar *next;
} PtxVar;

typedef struct PtxVars {
  PtxVar *first, *last;
  uint32_t n;
} PtxVars;

typedef enum PtxStmtKind {
  STMT_INSN,
  STMT_LABEL,
  STMT_OPEN,
  STMT_CLOSE,
  STMT_VARS,
  STMT_TARGETS
} PtxStmtKind;

// A .loc: a source location. Fields from its comment (codegen/llvm/debug_info.c) are 0 or NULL if missing.
typedef struct PtxLoc {
  uint32_t file;    // number of a .file; of a call in a comment: 0
  const char *name; // file of such a call, if it differs from the called code's file; else NULL
  uint32_t line, column, length;
  uint32_t param, element;      // Parameter, from 1, whose pointer the access uses; bytes of an element.
  const struct PtxLoc *call;    // The call through which the code was inlined.
  bool inlined_at;              // The call is from the .loc's inlined_at, not from its comment.
  const struct PtxLoc *earlier; // The parser's: an earlier one of the function with an equal hash.
} PtxLoc;

typedef struct PtxStmt {
  PtxStmtKind kind;
  PtxPos pos;
  const PtxLoc *loc; // the last one; NULL: none
  Str name;          // opcode with its modifiers, or label; STMT_TARGETS: label of the table (the preceding
                     // statement)
  Str guard;         // predicate register; empty: none
  bool guard_not;
  PtxOperand *operands; // STMT_TARGETS: the labels
  uint32_t count;       // operands
  PtxVar *vars;         // STMT_VARS
  struct PtxStmt *next;
} PtxStmt;

typedef struct PtxFunc {
  PtxPos pos;
  bool is_entry, is_extern, has_body;
  Str name;
  PtxVar *results, *params;
  uint32_t reqntid[3], maxntid[3], cluster[3]; // zero: none; cluster: .reqnctapercluster
  uint32_t minnctapersm, maxnreg;              // zero: none
  PtxStmt *body;                               // NULL: empty
  struct PtxFunc *next;
} PtxFunc;

typedef struct PtxFile {
  uint32_t number;
  const char *name;
} PtxFile;

typedef struct PtxModule {
  PtxFunc *funcs, *last_func; // including functions without a body
  PtxVars vars;               // .global, .const, .shared at module level
  VEC(PtxFile) files;
  Str text;
} PtxModule;

#endif
