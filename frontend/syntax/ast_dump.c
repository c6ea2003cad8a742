// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the tree for --emit=ast: a node with its parts in parentheses, or with a part a line where that is too long.
// Statements of a body are indented below it. AST_MAX_DEPTH and AST_MAX_BLOCKS limit the recursion.
#include "frontend/syntax/syntax.h"

enum { MAX_INDENT = 200, WIDTH = 100 };

typedef struct Dump {
  Buf *out;
  int indent;  // The indent of this node's line. Its parts have two more.
  size_t line; // Where its line begins.
  size_t end;  // Where a text in parentheses is too long and need not go on. 0: each part has a line.
} Dump;

static void print_block(const Block *block, int indent, Buf *out);

// Limits the indentation, so that the text stays in proportion to the tree.
static Dump start_line(int indent, Buf *out) {
  Dump dump = {out, indent, out->n, 0};
  buf_spaces(out, indent < MAX_INDENT ? indent : MAX_INDENT);
  return dump;
}

static void print_head(Loc loc, const char *word, Buf *out) {
  buf_printf(out, "%u:%u %s", loc.line, loc.col, word);
}

// Starts a part: in parentheses, or on its own line. Returns false if it need not be printed.
static bool start_part(const char *word, Dump *dump) {
  if (dump->end) {
    if (dump->out->n > dump->end) return false;
    buf_text(dump->out, ", ");
  } else {
    buf_char(dump->out, '\n');
    dump->line = start_line(dump->indent, dump->out).line;
  }
  if (*word) buf_printf(dump->out, "%s: ", word);
  return true;
}

typedef void PrintParts(const void *node, Dump *dump);

// Prints the parts of the node whose head was printed last.
static void print_parts_of(const void *node, PrintParts *print, const Dump *dump) {
  Buf *out = dump->out;
  size_t mark = out->n;
  Dump inside = {out, 0, 0, dump->end ? dump->end : dump->line + WIDTH};
  print(node, &inside);
  if (out->n == mark) return;
  if (dump->end || out->n < inside.end) {
    out->at[mark] = ' '; // of the first part's ", "
    out->at[mark + 1] = '(';
    buf_char(out, ')');
    return;
  }
  out->n = mark;
  Dump below = {out, dump->indent + 2, 0, 0};
  print(node, &below);
}

static void print_expr(const Expr *expr, Dump *dump);

// Prints a part, after its name unless that is "". Nothing if it is absent.
static void print_part(const char *word, const Expr *expr, Dump *dump) {
  if (expr && start_part(word, dump)) print_expr(expr, dump);
}

static void print_list(const ExprList *list, Dump *dump) {
  for (uint32_t i = 0; i < list->n; i++) print_part("", list->at[i], dump);
}

static void print_param(const void *node, Dump *dump) {
  const Param *param = node;
  print_part("annotation", param->annotation, dump);
  print_part("default", param->default_value, dump);
}

static void print_params(const ParamList *params, Dump *dump) {
  for (uint32_t i = 0; i < params->n; i++) {
    const Param *param = &params->at[i];
    if (!start_part("", dump)) return;
    print_head(param->loc, "param ", dump->out);
    buf_printf(dump->out, "%.*s%s%s", param->stars, "**", param->name,
               param->keyword_only ? " (keyword only)" : "");
    print_parts_of(param, print_param, dump);
  }
}

static const char *const expr_words[] = {
#define X(kind, word, parts) word,
#include "frontend/syntax/exprs.def"
#undef X
};

// The rest of the node's line.
static void print_details(const Expr *expr, Buf *out) {
  switch ((int)expr->kind) {
  case EXPR_NAME: buf_printf(out, " %s", expr->name); break;
  case EXPR_INT:
    buf_printf(out, " %llu%s", (unsigned long long)expr->integer.value,
               expr->integer.overflow ? " (overflow)" : "");
    break;
  case EXPR_FLOAT:
    buf_char(out, ' ');
    buf_double(out, expr->number);
    break;
  case EXPR_STRING:
    buf_text(out, expr->string.bytes ? " b" : " ");
    buf_quoted(out, expr->string.text);
    break;
  case EXPR_BOOL: buf_text(out, expr->boolean ? " True" : " False"); break;
  case EXPR_ATTRIBUTE: buf_printf(out, " %s", expr->attribute.name); break;
  case EXPR_SUBSCRIPT: buf_text(out, expr->subscript.tuple ? " (tuple)" : ""); break;
  case EXPR_UNARY: buf_printf(out, " %s", unary_op_text(expr->unary.op)); break;
  case EXPR_BINARY: buf_printf(out, " %s", binary_op_text(expr->binary.op)); break;
  case EXPR_LOGICAL: buf_printf(out, " %s", logical_op_text(expr->logical.op)); break;
  case EXPR_BINDS: buf_printf(out, " %s", expr->binds.name); break;
  case EXPR_COMPREHENSION:
    buf_printf(out, " %s",
               expr->comprehension.of == EXPR_TUPLE ? "generator" : expr_words[expr->comprehension.of]);
    break;
  default: break;
  }
}

static void print_field(const void *node, Dump *dump) {
  print_part("", ((const FStringPart *)node)->value, dump);
}

static void print_fstring(const FStringParts *parts, Dump *dump) {
  for (uint32_t i = 0; i < parts->n; i++) {
    const FStringPart *part = &parts->at[i];
    Buf *out = dump->out;
    if (!start_part("", dump)) return;
    print_head(part->loc, part->value ? "field" : "text ", out);
    if (!part->value) buf_quoted(out, part->text);
    if (part->conversion) buf_printf(out, " !%c", part->conversion);
    if (part->format.n) {
      buf_text(out, " :");
      buf_quoted(out, part->format);
    }
    print_parts_of(part, print_field, dump);
  }
}

static void print_value(const void *node, Dump *dump) { print_part("", ((const Arg *)node)->value, dump); }

static void print_args(const ArgList *args, Dump *dump) {
  for (uint32_t i = 0; i < args->n; i++) {
    const Arg *arg = &args->at[i];
    if (!start_part("", dump)) return;
    print_head(arg->loc, "arg", dump->out);
    if (arg->name) buf_printf(dump->out, " %s=", arg->name);
    if (arg->stars) buf_printf(dump->out, " %.*s", arg->stars, "**");
    print_parts_of(arg, print_value, dump);
  }
}

static void print_links(const CompareLinks *links, Dump *dump) {
  for (uint32_t i = 0; i < links->n; i++) {
    const CompareLink *link = &links->at[i];
    if (!start_part("", dump)) return;
    print_head(link->op_loc, compare_op_text(link->op), dump->out);
    print_part("", link->right, dump);
  }
}

static void print_dict(const DictItems *items, Dump *dump) {
  for (uint32_t i = 0; i < items->n; i++) {
    print_part("key", items->at[i].key, dump);
    print_part(items->at[i].key ? "value" : "**", items->at[i].value, dump);
  }
}

static void print_clauses(const CompClauses *clauses, Dump *dump) {
  for (uint32_t i = 0; i < clauses->n; i++) {
    print_part("for", clauses->at[i].target, dump);
    print_part("in", clauses->at[i].iterated, dump);
    for (uint32_t j = 0; j < clauses->at[i].conditions.n; j++)
      print_part("if", clauses->at[i].conditions.at[j], dump);
  }
}

static void print_expr_parts(const void *node, Dump *dump) {
  const Expr *expr = node;
  switch (expr->kind) {
#define PART(word, field) print_part(word, expr->field, dump);
#define LIST(field)       print_list(&expr->field, dump);
#define DICT(field)       print_dict(&expr->field, dump);
#define ARGS(field)       print_args(&expr->field, dump);
#define LINKS(field)      print_links(&expr->field, dump);
#define FSTRING(field)    print_fstring(&expr->field, dump);
#define CLAUSES(field)    print_clauses(&expr->field, dump);
#define PARAMS(field)     print_params(&expr->field, dump);
#define X(kind, word, parts)                                                                                 \
  case EXPR_##kind:                                                                                          \
    parts break;
#include "frontend/syntax/exprs.def"
#undef X
  }
}

static void print_expr(const Expr *expr, Dump *dump) {
  print_head(expr->loc, expr_words[expr->kind], dump->out);
  print_details(expr, dump->out);
  print_parts_of(expr, print_expr_parts, dump);
}

void syntax_dump_expr(const Expr *expr, Buf *out) {
  Dump dump = start_line(0, out);
  print_expr(expr, &dump);
  buf_char(out, '\n');
}

// --- Statements ---

static void print_function_parts(const void *node, Dump *dump) {
  const Function *function = node;
  for (uint32_t i = 0; i < function->decorators.n; i++)
    print_part("decorator", function->decorators.at[i], dump);
  print_params(&function->params, dump);
  print_part("returns", function->returns, dump);
  print_part("docstring", function->docstring, dump);
}

// The parts of a statement but its body.
static void print_function(const Function *function, const Dump *dump) {
  print_head(function->loc, "function ", dump->out);
  buf_printf(dump->out, "%s to line %u", function->name, function->last_line);
  print_parts_of(function, print_function_parts, dump);
}

static void print_import_names(const void *node, Dump *dump) {
  const Import *import = node;
  for (uint32_t i = 0; i < import->names.n; i++) {
    const ImportName *name = &import->names.at[i];
    if (!start_part("", dump)) return;
    print_head(name->loc, name->name, dump->out);
    if (name->alias) buf_printf(dump->out, " as %s", name->alias);
  }
}

static void print_import(const Import *import, const Dump *dump) {
  Buf *out = dump->out;
  print_head(import->loc, "import", out);
  if (import->from) buf_text(out, " from ");
  for (uint32_t i = 0; i < import->dots; i++) buf_char(out, '.');
  buf_text(out, import->module);
  print_parts_of(import, print_import_names, dump);
}

static void print_orelse(const Block *block, int indent, Buf *out) {
  if (block->n == 0) return;
  start_line(indent, out);
  buf_text(out, "else\n");
  print_block(block, indent + 2, out);
}

static void print_condition(const void *node, Dump *dump) {
  print_part("", ((const IfArm *)node)->condition, dump);
}

static void print_branch(const Stmt *stmt, int indent, Buf *out) {
  for (uint32_t i = 0; i < stmt->branch.arms.n; i++) {
    const IfArm *arm = &stmt->branch.arms.at[i];
    Dump dump = start_line(indent, out);
    print_head(arm->loc, "arm", out);
    print_parts_of(arm, print_condition, &dump);
    buf_char(out, '\n');
    print_block(&arm->body, indent + 2, out);
  }
  print_orelse(&stmt->branch.orelse, indent, out);
}

static void print_names(const Stmt *stmt, Buf *out) {
  for (uint32_t i = 0; i < stmt->names.n; i++) buf_printf(out, " %s", stmt->names.at[i].name);
}

static const char *const stmt_words[] = {
#define X(kind, word) word,
#include "frontend/syntax/stmts.def"
#undef X
};

static void print_stmt_parts(const void *node, Dump *dump) {
  const Stmt *stmt = node;
  switch ((int)stmt->kind) {
  case STMT_EXPR:
  case STMT_RETURN: print_part("", stmt->expr, dump); break;
  case STMT_ASSIGN:
    for (uint32_t i = 0; i < stmt->assign.targets.n; i++)
      print_part("target", stmt->assign.targets.at[i], dump);
    print_part("value", stmt->assign.value, dump);
    break;
  case STMT_ANNOTATED:
    print_part("target", stmt->annotated.target, dump);
    print_part("annotation", stmt->annotated.annotation, dump);
    print_part("value", stmt->annotated.value, dump);
    break;
  case STMT_AUGMENTED:
    print_part("target", stmt->augmented.target, dump);
    print_part("value", stmt->augmented.value, dump);
    break;
  case STMT_FOR:
  case STMT_WHILE:
    print_part("target", stmt->loop.target, dump);
    print_part(stmt->kind == STMT_FOR ? "in" : "condition", stmt->loop.condition, dump);
    break;
  case STMT_WITH: print_list(&stmt->with.items, dump); break;
  case STMT_ASSERT:
    print_part("condition", stmt->assertion.condition, dump);
    print_part("message", stmt->assertion.message, dump);
    break;
  default: break;
  }
}

static void print_line(const Stmt *stmt, const Dump *dump) {
  Buf *out = dump->out;
  print_head(stmt->loc, stmt_words[stmt->kind], out);
  if (stmt->kind == STMT_AUGMENTED) buf_printf(out, " %s=", binary_op_text(stmt->augmented.op));
  if (stmt->kind == STMT_GLOBAL || stmt->kind == STMT_NONLOCAL) print_names(stmt, out);
  print_parts_of(stmt, print_stmt_parts, dump);
}

static void print_bodies(const Stmt *stmt, int indent, Buf *out) {
  switch ((int)stmt->kind) {
  case STMT_FOR:
  case STMT_WHILE:
    print_block(&stmt->loop.body, indent, out);
    print_orelse(&stmt->loop.orelse, indent - 2, out);
    break;
  case STMT_IF: print_branch(stmt, indent, out); break;
  case STMT_WITH: print_block(&stmt->with.body, indent, out); break;
  case STMT_DEF: print_block(&stmt->function->body, indent, out); break;
  default: break;
  }
}

static void print_stmt(const Stmt *stmt, int indent, Buf *out) {
  Dump dump = start_line(indent, out);
  switch ((int)stmt->kind) {
  case STMT_DEF: print_function(stmt->function, &dump); break;
  case STMT_IMPORT: print_import(stmt->import, &dump); break;
  default: print_line(stmt, &dump); break;
  }
  buf_char(out, '\n');
  print_bodies(stmt, indent + 2, out);
}

static void print_block(const Block *block, int indent, Buf *out) {
  for (uint32_t i = 0; i < block->n; i++) print_stmt(block->at[i], indent, out);
}

void syntax_dump_ast(const Module *module, Buf *out) {
  if (module->docstring) {
    buf_text(out, "docstring: ");
    syntax_dump_expr(module->docstring, out);
  }
  for (uint32_t i = 0; i < module->imports.n; i++) {
    Dump dump = start_line(0, out);
    print_import(module->imports.at[i], &dump);
    buf_char(out, '\n');
  }
  print_block(&module->constants, 0, out);
  for (uint32_t i = 0; i < module->functions.n; i++) {
    Dump dump = start_line(0, out);
    print_function(module->functions.at[i], &dump);
    buf_char(out, '\n');
    print_block(&module->functions.at[i]->body, 2, out);
  }
}
