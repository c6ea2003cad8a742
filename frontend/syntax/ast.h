// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The syntax tree: the parser builds it from a source file, and elaboration reads it. Nodes and texts live in
// the arena given to syntax_parse. Names are interned, so they compare with ==. Every node has a Loc that
// covers its text on its first line. Absent parts are NULL, absent lists empty.
#ifndef FRONTEND_SYNTAX_AST_H
#define FRONTEND_SYNTAX_AST_H

#include "base/table.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"

// Expressions are not nested deeper than this, blocks not deeper than AST_MAX_BLOCKS. So a tree walk may
// recurse.
enum { AST_MAX_DEPTH = 1000, AST_MAX_BLOCKS = 100 };

typedef struct Expr Expr;
typedef struct Stmt Stmt;
typedef struct Function Function;

typedef VEC(Expr *) ExprList;
typedef VEC(Stmt *) Block;

// --- Expressions ---

typedef enum UnaryOp { UNARY_NEG, UNARY_POS, UNARY_INVERT, UNARY_NOT } UnaryOp; // - + ~ not

typedef enum BinaryOp {
  BINARY_ADD,       // +
  BINARY_SUB,       // -
  BINARY_MUL,       // *
  BINARY_DIV,       // /
  BINARY_FLOOR_DIV, // //
  BINARY_MOD,       // %
  BINARY_POW,       // **
  BINARY_MATMUL,    // @
  BINARY_AND,       // &
  BINARY_OR,        // |
  BINARY_XOR,       // ^
  BINARY_SHL,       // <<
  BINARY_SHR,       // >>
} BinaryOp;

typedef enum LogicalOp { LOGICAL_AND, LOGICAL_OR } LogicalOp;

typedef enum CompareOp {
  COMPARE_LT,
  COMPARE_LE,
  COMPARE_GT,
  COMPARE_GE,
  COMPARE_EQ,
  COMPARE_NE,
  COMPARE_IS,
  COMPARE_IS_NOT,
  COMPARE_IN,
  COMPARE_NOT_IN,
} CompareOp;

// "+", "<", "is not" ...: as written in the source.
const char *unary_op_text(UnaryOp op);
const char *binary_op_text(BinaryOp op);
const char *logical_op_text(LogicalOp op);
const char *compare_op_text(CompareOp op);

typedef enum ExprKind {
#define X(kind, word, parts) EXPR_##kind,
#include "frontend/syntax/exprs.def"
#undef X
} ExprKind;

// One piece of an f-string: text if value is NULL, else {value!conversion:format}.
typedef struct FStringPart {
  Loc loc;
  Str text;        // the literal text, escapes replaced
  Expr *value;     // or the expression
  char conversion; // 'r', 's', 'a' or 0
  Str format;      // the format spec as written, with nested braces; empty if absent
} FStringPart;

typedef struct DictItem {
  Expr *key; // NULL: **value
  Expr *value;
} DictItem;

// An argument of a call: value, name=value, *value or **value.
typedef struct Arg {
  Loc loc;
  const char *name; // NULL unless name=value
  int stars;        // 0, 1 or 2
  Expr *value;
} Arg;

// A further operand of a comparison. a < b <= c has the first operand a, and the links (<, b) and (<=, c).
typedef struct CompareLink {
  CompareOp op;
  Loc op_loc;
  Expr *right;
} CompareLink;

// for target in iterated if condition if condition ...
typedef struct CompClause {
  Expr *target, *iterated;
  ExprList conditions;
} CompClause;

// A parameter of a function or lambda.
typedef struct Param {
  Loc loc; // the name
  const char *name;
  Expr *annotation;
  Expr *default_value;
  int stars;         // 1: *args, 2: **kwargs
  bool keyword_only; // after a bare * or *args
} Param;

typedef VEC(FStringPart) FStringParts;
typedef VEC(DictItem) DictItems;
typedef VEC(Arg) ArgList;
typedef VEC(CompareLink) CompareLinks;
typedef VEC(Param) ParamList;
typedef VEC(CompClause) CompClauses;

struct Expr {
  ExprKind kind;
  bool parenthesized; // has its own parentheses
  uint16_t depth;     // 1 for leaves, else 1 + that of the deepest part
  Loc loc;
  union {
    const char *name;
    struct {
      uint64_t value; // modulo 2^64
      bool overflow;  // the literal does not fit 64 bits unsigned
    } integer;
    double number;
    struct {
      Str text; // also NUL-terminated; may contain NULs
      bool bytes;
    } string;
    FStringParts fstring;
    bool boolean;
    ExprList list;
    DictItems dict;
    struct {
      Expr *callee;
      ArgList args;
    } call;
    struct {
      Expr *object;
      const char *name;
      Loc name_loc;
    } attribute;
    struct {
      Expr *object;
      ExprList indices; // x[a] and x[a,] have one; x[(a, b)] is like x[a, b]
      bool tuple;       // the index is a tuple: there was a comma
    } subscript;
    struct {
      Expr *lower, *upper, *step;
    } slice;
    Expr *operand;
    struct {
      UnaryOp op;
      Expr *operand;
    } unary;
    struct {
      BinaryOp op;
      Loc op_loc;
      Expr *left, *right;
    } binary;
    struct {
      LogicalOp op;
      Loc op_loc;
      Expr *left, *right;
    } logical;
    struct {
      Expr *first;
      CompareLinks links; // at least one
    } compare;
    struct {
      Expr *then, *condition, *otherwise; // then if condition else otherwise
    } conditional;
    struct {
      const char *name;
      Expr *value;
    } binds;
    struct {
      ParamList params;
      Expr *body;
    } lambda;
    struct {
      ExprKind of;         // EXPR_LIST, EXPR_SET, EXPR_DICT, or EXPR_TUPLE for a generator
      Expr *key;           // EXPR_DICT only
      Expr *element;       // a dict's value
      CompClauses clauses; // at least one, outermost first
    } comprehension;
  };
};

// --- Statements ---

typedef enum StmtKind {
#define X(kind, word) STMT_##kind,
#include "frontend/syntax/stmts.def"
#undef X
} StmtKind;

// `if` and each `elif` of a statement.
typedef struct IfArm {
  Loc loc; // the keyword
  Expr *condition;
  Block body;
} IfArm;

// One name of an import statement. In `import a.b.c as d` the name is "a.b.c".
typedef struct ImportName {
  Loc loc;
  const char *name;            // "*" in `from m import *`
  const char *alias;           // NULL: no `as`.
  const struct Module *module; // File of m in `from m import name`; NULL: m has none.
  const struct Module *whole;  // File of the name itself, a module or package; NULL: none.
  bool followed;               // Both files have been looked up.
} ImportName;

typedef struct Name {
  Loc loc;
  const char *name;
} Name;

typedef VEC(Block) Blocks;
typedef VEC(IfArm) IfArms;
typedef VEC(ImportName) ImportNames;
typedef VEC(Name) NameList;

typedef struct Import {
  Loc loc;
  bool from;          // from module import names
  uint32_t dots;      // leading dots of a relative module
  const char *module; // "a.b"; "" if the module is only dots, or the statement is not a `from`.
  ImportNames names;
} Import;

#define WALRUS_TEXT ":="

struct Stmt {
  StmtKind kind;
  Loc loc; // for a compound statement, its header
  union {
    Expr *expr;
    struct {
      ExprList targets; // at least one, left to right; a tuple target is an EXPR_TUPLE or EXPR_LIST
      Expr *value;
    } assign;
    struct {
      Expr *target, *annotation;
      Expr *value; // may be NULL
    } annotated;
    struct {
      BinaryOp op;
      Loc op_loc;
      Expr *target, *value;
    } augmented;
    struct {
      Expr *target;    // STMT_FOR only
      Expr *condition; // what is iterated over, or the condition of a STMT_WHILE
      Block body, orelse;
    } loop;
    struct {
      IfArms arms; // at least one
      Block orelse;
    } branch;
    struct {
      Expr *condition;
      Expr *message; // may be NULL
    } assertion;
    NameList names;
    Function *function;
    Import *import;
    struct {
      Block body, orelse, finally;
      Blocks handlers;
    } attempt;
    struct {
      ExprList items;   // at least one
      ExprList targets; // the target of each `as`; NULL: none
      Block body;
    } with;
    // A statement that tilec does not read, except for kernels inside it. Names inside it are read too,
    // unless it is a function or class.
    struct {
      const char *what; // "def", "class", "for", "with" ..., WALRUS_TEXT; NULL: it could not be parsed
      const char *name; // name of a function or class, or the target of `:=`
      Block body;
      const void *tokens; // tokens of a function or class of the module level (syntax_plain_function); else
                          // NULL
      uint32_t token_count;
    } outside;
  };
};

// --- Files ---

struct Function {
  Loc loc; // the name
  const char *name;
  ExprList decorators; // top to bottom, without the @
  ParamList params;
  Expr *returns;   // the return annotation, may be NULL
  Expr *docstring; // an EXPR_STRING, may be NULL; not in the body
  Block body;      // may be empty after a docstring
  uint32_t last_line;
  bool plain;         // a Python function that only the module level calls (syntax_plain_function)
  VEC(Diag *) errors; // syntax errors in a .py file, reported when the function is used (syntax_tell_errors).
  const struct Module *module; // The module that contains it; NULL: within another function.
  const struct Guard *guard;   // The conditions of its definition, and the functions and classes around it.
};

typedef VEC(Import *) ImportList;
typedef VEC(Function *) FunctionList;

// A condition of a definition at the module level: one clause of a compound statement, within `outer`.
typedef enum GuardKind {
  GUARD_ARM,     // arm `index` of an `if`; the `else` is the one after the last.
  GUARD_TRY,     // The body of a `try`, after its first `index` statements.
  GUARD_HANDLER, // An `except`.
  GUARD_ORELSE,  // The `else` of a `try`.
  GUARD_SCOPE,   // A function or class: names inside are not the module's.
  GUARD_OUTSIDE, // Any other statement that is not read.
} GuardKind;

typedef struct Guard {
  GuardKind kind;
  const struct Guard *outer; // NULL: the module level itself
  const Stmt *stmt;
  uint32_t index;
  uint32_t visible; // the number of the module's definitions before the statement
} Guard;

// The kinds of definition that a name of the module level may have.
typedef enum DefinitionKind {
  DEFINES_CONSTANT,
  DEFINES_FUNCTION,
  DEFINES_IMPORT,
  DEFINES_OUTSIDE,
  DEFINES_PATCH,  // a statement that may set members of modules: `setattr(m, "f", g)`, `m.f = g`
  DEFINES_CHANGE, // a change of a constant's value that is not tracked: `L.append(7)`, `global L` in a
                  // function
} DefinitionKind;

typedef struct Definition {
  DefinitionKind kind;
  const char *name; // interned; "*": all names of a file
  Loc loc;
  const Guard *guard;       // NULL: unconditional
  uint32_t before;          // 1 + index of the previous definition of that name; 0: none.
  uint32_t before_in_scope; // The same, within the same function or class.
  bool target; // DEFINES_CHANGE: the target of a module-level loop; it counts if the loop can be run
  union {
    const Stmt *stmt; // the constant's assignment or change; for an unread statement, STMT_OUTSIDE
    const Function *function;
    struct {
      const Import *import;
      uint32_t item; // index in import->names
    };
  };
} Definition;

// `object.name` in the code, where `object` is a name. Both are interned. Lists of members keep the order of
// the file.
typedef struct Member {
  const char *object, *name;
} Member;

typedef struct LastOfName {
  const char *name;   // interned
  const Guard *scope; // NULL: the module level itself, or any
  uint32_t at;
} LastOfName;

// A name, or the last one of a.b.c; "" for other expressions and for NULL.
static inline const char *expr_last_name(const Expr *expr) {
  if (expr && expr->kind == EXPR_ATTRIBUTE) return expr->attribute.name;
  return expr && expr->kind == EXPR_NAME ? expr->name : "";
}

// The name that an import binds: `import a.b` binds a.
static inline const char *import_bound_name(Interner *names, const ImportName *item) {
  const char *name = item->alias ? item->alias : item->name;
  return intern(names, (Str){name, strcspn(name, ".")});
}

// --- Definitions of a module (definitions.c) ---

// The innermost function or class around; NULL: the module level itself.
const Guard *guard_scope(const Guard *guard);
// The qualified name: "Model.forward.kernel" for "kernel" within these.
const char *qualified_name(Arena *arena, const Guard *guard, const char *name);
// 1 + index of the module's last definition of an interned name; 0: none.
uint32_t module_last(const struct Module *module, const char *name);
// The same for definitions directly within `scope`, a GUARD_SCOPE or NULL.
uint32_t module_last_in_scope(const struct Module *module, const char *name, const Guard *scope);
// The first nested function, or function in a class, with the qualified name. NULL: none.
const Function *module_inner_function(const struct Module *module, const char *path);

typedef struct Module {
  uint16_t file;
  bool python;     // a .py file
  bool patches;    // it has definitions of DEFINES_PATCH
  Expr *docstring; // may be NULL
  ImportList imports;
  Block constants; // assignments at the module level
  FunctionList functions;
  VEC(Definition) definitions; // one for each name that a statement binds.
  Table last;                  // The last one of each name, a LastOfName.
  Table last_in_scope;         // The same within one function, one class or the module level.
  Table paths;                 // The first nested function, or function in a class, by qualified name.
  VEC(uint32_t) stars;         // The indices of `import *`.
  VEC(const char *) mentioned; // Names in the code except in imports, each once, in strcmp order.
  VEC(Member) members;         // Each once.
} Module;

// --- Walking a tree (ast_walk.c) ---

// Callbacks for each statement and expression, outer ones first. One that returns true ends the walk.
typedef struct AstWalk {
  bool (*stmt)(const Stmt *stmt, void *data); // NULL: not called for statements
  bool (*expr)(const Expr *expr, void *data); // NULL: not called for expressions
  void *data;
} AstWalk;

// Walks the expressions that statements evaluate, but not their targets and annotations. True if a callback
// ended the walk.
bool block_walk(const Block *block, const AstWalk *walk);
bool expr_walk(const Expr *expr, const AstWalk *walk); // NULL is empty

#endif
