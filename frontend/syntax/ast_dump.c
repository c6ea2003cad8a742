// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the tree for --emit=ast: one node a line, its parts indented below it. AST_MAX_DEPTH and
// AST_MAX_BLOCKS limit the recursion.
#include "frontend/syntax/syntax.h"

enum { MAX_INDENT = 200 };

static void print_block(const Block *block, int indent, Buf *out);

// Limits the indentation, so that the text stays in proportion to the tree.
static void print_indent(int indent, Buf *out) { buf_spaces(out, indent < MAX_INDENT ? indent : MAX_INDENT); }

// Starts a node's line.
static void print_head(Loc loc, int indent, const char *word, Buf *out) {
  print_indent(indent, out);
  buf_printf(out, "%u:%u %s", loc.line, loc.col, word);
}

static void print_word(int indent, const char *word, Buf *out) {
  print_indent(indent, out);
  buf_text(out, word);
  buf_char(out, '\n');
}

// Prints a part, under its name unless that is "". Nothing if it is absent.
static void print_part(const char *word, const Expr *expr, int indent, Buf *out) {
  if (!expr) return;
  if (!*word) {
    syntax_dump_expr(expr, indent, out);
    return;
  }
  print_word(indent, word, out);
  syntax_dump_expr(expr, indent + 2, out);
}

static void print_list(const ExprList *list, int indent, Buf *out) {
  for (uint32_t i = 0; i < list->n; i++) syntax_dump_expr(list->at[i], indent, out);
}

static void print_params(const ParamList *params, int indent, Buf *out) {
  for (uint32_t i = 0; i < params->n; i++) {
    const Param *param = &params->at[i];
    print_head(param->loc, indent, "param ", out);
    buf_printf(out, "%.*s%s%s\n", param->stars, "**", param->name,
               param->keyword_only ? " (keyword only)" : "");
    print_part("annotation", param->annotation, indent + 2, out);
    print_part("default", param->default_value, indent + 2, out);
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

static void print_fstring(const FStringParts *parts, int indent, Buf *out) {
  for (uint32_t i = 0; i < parts->n; i++) {
    const FStringPart *part = &parts->at[i];
    print_head(part->loc, indent, part->value ? "field" : "text ", out);
    if (!part->value) buf_quoted(out, part->text);
    if (part->conversion) buf_printf(out, " !%c", part->conversion);
    if (part->format.n) {
      buf_text(out, " :");
      buf_quoted(out, part->format);
    }
    buf_char(out, '\n');
    if (part->value) syntax_dump_expr(part->value, indent + 2, out);
  }
}

static void print_args(const ArgList *args, int indent, Buf *out) {
  for (uint32_t i = 0; i < args->n; i++) {
    const Arg *arg = &args->at[i];
    print_head(arg->loc, indent, "arg", out);
    if (arg->name) buf_printf(out, " %s=", arg->name);
    if (arg->stars) buf_printf(out, " %.*s", arg->stars, "**");
    buf_char(out, '\n');
    syntax_dump_expr(arg->value, indent + 2, out);
  }
}

static void print_links(const CompareLinks *links, int indent, Buf *out) {
  for (uint32_t i = 0; i < links->n; i++) {
    const CompareLink *link = &links->at[i];
    print_head(link->op_loc, indent, compare_op_text(link->op), out);
    buf_char(out, '\n');
    syntax_dump_expr(link->right, indent, out);
  }
}

static void print_dict(const DictItems *items, int indent, Buf *out) {
  for (uint32_t i = 0; i < items->n; i++) {
    print_part("key", items->at[i].key, indent, out);
    print_part(items->at[i].key ? "value" : "**", items->at[i].value, indent, out);
  }
}

static void print_clauses(const CompClauses *clauses, int indent, Buf *out) {
  for (uint32_t i = 0; i < clauses->n; i++) {
    print_part("for", clauses->at[i].target, indent, out);
    print_part("in", clauses->at[i].iterated, indent, out);
    for (uint32_t j = 0; j < clauses->at[i].conditions.n; j++)
      print_part("if", clauses->at[i].conditions.at[j], indent, out);
  }
}

static void print_parts(const Expr *expr, int indent, Buf *out) {
  switch (expr->kind) {
#define PART(word, field) print_part(word, expr->field, indent, out);
#define LIST(field)       print_list(&expr->field, indent, out);
#define DICT(field)       print_dict(&expr->field, indent, out);
#define ARGS(field)       print_args(&expr->field, indent, out);
#define LINKS(field)      print_links(&expr->field, indent, out);
#define FSTRING(field)    print_fstring(&expr->field, indent, out);
#define CLAUSES(field)    print_clauses(&expr->field, indent, out);
#define PARAMS(field)     print_params(&expr->field, indent, out);
#define X(kind, word, parts)                                                                                 \
  case EXPR_##kind:                                                                                          \
    parts break;
#include "frontend/syntax/exprs.def"
#undef X
  }
}

void syntax_dump_expr(const Expr *expr, int indent, Buf *out) {
  print_head(expr->loc, indent, expr_words[expr->kind], out);
  print_details(expr, out);
  buf_char(out, '\n');
  print_parts(expr, indent + 2, out);
}

// --- Statements ---

static void print_function(const Function *function, int indent, Buf *out) {
  print_head(function->loc, indent, "function ", out);
  buf_printf(out, "%s to line %u\n", function->name, function->last_line);
  for (uint32_t i = 0; i < function->decorators.n; i++)
    print_part("decorator", function->decorators.at[i], indent + 2, out);
  print_params(&function->params, indent + 2, out);
  print_part("returns", function->returns, indent + 2, out);
  print_part("docstring", function->docstring, indent + 2, out);
  print_word(indent + 2, "body", out);
  print_block(&function->body, indent + 4, out);
}

static void print_import(const Import *import, int indent, Buf *out) {
  print_head(import->loc, indent, "import", out);
  if (import->from) buf_text(out, " from ");
  for (uint32_t i = 0; i < import->dots; i++) buf_char(out, '.');
  buf_printf(out, "%s\n", import->module);
  for (uint32_t i = 0; i < import->names.n; i++) {
    const ImportName *name = &import->names.at[i];
    print_head(name->loc, indent + 2, name->name, out);
    if (name->alias) buf_printf(out, " as %s", name->alias);
    buf_char(out, '\n');
  }
}

static void print_orelse(const Block *block, int indent, Buf *out) {
  if (block->n == 0) return;
  print_word(indent, "else", out);
  print_block(block, indent + 2, out);
}

static void print_loop(const Stmt *stmt, int indent, Buf *out) {
  print_part("target", stmt->loop.target, indent, out);
  print_part(stmt->kind == STMT_FOR ? "in" : "condition", stmt->loop.condition, indent, out);
  print_word(indent, "body", out);
  print_block(&stmt->loop.body, indent + 2, out);
  print_orelse(&stmt->loop.orelse, indent, out);
}

static void print_branch(const Stmt *stmt, int indent, Buf *out) {
  for (uint32_t i = 0; i < stmt->branch.arms.n; i++) {
    const IfArm *arm = &stmt->branch.arms.at[i];
    print_head(arm->loc, indent, "arm\n", out);
    syntax_dump_expr(arm->condition, indent + 2, out);
    print_word(indent + 2, "body", out);
    print_block(&arm->body, indent + 4, out);
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

static void print_stmt_parts(const Stmt *stmt, int indent, Buf *out) {
  switch ((int)stmt->kind) {
  case STMT_EXPR:
  case STMT_RETURN: print_part("", stmt->expr, indent, out); break;
  case STMT_ASSIGN:
    for (uint32_t i = 0; i < stmt->assign.targets.n; i++)
      print_part("target", stmt->assign.targets.at[i], indent, out);
    print_part("value", stmt->assign.value, indent, out);
    break;
  case STMT_ANNOTATED:
    print_part("target", stmt->annotated.target, indent, out);
    print_part("annotation", stmt->annotated.annotation, indent, out);
    print_part("value", stmt->annotated.value, indent, out);
    break;
  case STMT_AUGMENTED:
    print_part("target", stmt->augmented.target, indent, out);
    print_part("value", stmt->augmented.value, indent, out);
    break;
  case STMT_FOR:
  case STMT_WHILE: print_loop(stmt, indent, out); break;
  case STMT_IF: print_branch(stmt, indent, out); break;
  case STMT_WITH:
    for (uint32_t i = 0; i < stmt->with.items.n; i++) syntax_dump_expr(stmt->with.items.at[i], indent, out);
    print_word(indent, "body", out);
    print_block(&stmt->with.body, indent + 2, out);
    break;
  case STMT_ASSERT:
    print_part("condition", stmt->assertion.condition, indent, out);
    print_part("message", stmt->assertion.message, indent, out);
    break;
  case STMT_DEF: print_function(stmt->function, indent, out); break;
  case STMT_IMPORT: print_import(stmt->import, indent, out); break;
  default: break;
  }
}

static void print_stmt(const Stmt *stmt, int indent, Buf *out) {
  print_head(stmt->loc, indent, stmt_words[stmt->kind], out);
  if (stmt->kind == STMT_AUGMENTED) buf_printf(out, " %s=", binary_op_text(stmt->augmented.op));
  if (stmt->kind == STMT_GLOBAL || stmt->kind == STMT_NONLOCAL) print_names(stmt, out);
  buf_char(out, '\n');
  print_stmt_parts(stmt, indent + 2, out);
}

static void print_block(const Block *block, int indent, Buf *out) {
  for (uint32_t i = 0; i < block->n; i++) print_stmt(block->at[i], indent, out);
}

void syntax_dump_ast(const Module *module, Buf *out) {
  print_part("docstring", module->docstring, 0, out);
  for (uint32_t i = 0; i < module->imports.n; i++) print_import(module->imports.at[i], 0, out);
  print_block(&module->constants, 0, out);
  for (uint32_t i = 0; i < module->functions.n; i++) print_function(module->functions.at[i], 0, out);
}
