// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builders of expressions. Each makes one node, counts the depth, and joins the locations of its parts.
#include "frontend/syntax/parser.h"

#include "frontend/syntax/grammar.h"

enum { MAX_ARGS = 1000 };

Expr *tree_expr(Parse *parse, ExprKind kind, Loc loc) {
  Expr *expr = ARENA_NEW(parse->arena, Expr);
  expr->kind = kind;
  expr->loc = loc;
  expr->depth = 1;
  return expr;
}

// Counts `part` as a part of `expr`. Beyond the limit `expr` becomes an error, reported once, and the tree
// stays shallow.
static void deepen(Parse *parse, Expr *expr, const Expr *part) {
  if (!part || part->depth < expr->depth) return;
  if (part->depth < AST_MAX_DEPTH) {
    expr->depth = part->depth + 1;
    return;
  }
  if (!parse->too_deep) parse_error(parse, part->loc, "[T0506] this expression is nested too deeply");
  parse->too_deep = parse->failed = true;
  *expr = (Expr){.kind = EXPR_ERROR, .depth = 1, .loc = expr->loc};
}

static void deepen_list(Parse *parse, Expr *expr, ExprList list) {
  for (uint32_t i = 0; i < list.n; i++) deepen(parse, expr, list.at[i]);
}

Expr *tree_name(Parse *parse, Token token) {
  Expr *expr = tree_expr(parse, EXPR_NAME, token.loc);
  expr->name = intern(parse->names, token.text);
  return expr;
}

Expr *tree_bool(Parse *parse, Token token, bool value) {
  Expr *expr = tree_expr(parse, EXPR_BOOL, token.loc);
  expr->boolean = value;
  return expr;
}

Expr *tree_parenthesized(Expr *inner, Token open, Token close) {
  inner->parenthesized = true;
  inner->loc = loc_join(open.loc, close.loc);
  return inner;
}

Expr *tree_tuple(Parse *parse, ExprList items, Loc loc) {
  Expr *expr = tree_expr(parse, EXPR_TUPLE, loc);
  if (items.n) expr->loc = loc_join(loc, items.at[items.n - 1]->loc);
  expr->list = items;
  deepen_list(parse, expr, items);
  return expr;
}

Expr *tree_display(Parse *parse, ExprKind kind, Expr *inner, Token open, Token close) {
  Expr *expr = tree_expr(parse, kind, loc_join(open.loc, close.loc));
  if (inner && inner->kind == EXPR_TUPLE && !inner->parenthesized)
    expr->list = inner->list;
  else if (inner)
    expr->list = exprs_push(parse, (ExprList){0}, inner);
  deepen_list(parse, expr, expr->list);
  return expr;
}

Expr *tree_dict(Parse *parse, DictItems items, Token open, Token close) {
  Expr *expr = tree_expr(parse, EXPR_DICT, loc_join(open.loc, close.loc));
  expr->dict = items;
  for (uint32_t i = 0; i < items.n; i++) {
    deepen(parse, expr, items.at[i].key);
    deepen(parse, expr, items.at[i].value);
  }
  return expr;
}

// Python requires parentheses around `not` as an operand of a tighter operator.
static void check_operand(Parse *parse, const Expr *operand) {
  if (operand->kind == EXPR_UNARY && operand->unary.op == UNARY_NOT && !operand->parenthesized)
    parse_error(parse, operand->loc, "[T0107] 'not' needs parentheses here");
}

Expr *tree_unary(Parse *parse, UnaryOp op, Token token, Expr *operand) {
  if (op != UNARY_NOT) check_operand(parse, operand);
  Expr *expr = tree_expr(parse, EXPR_UNARY, loc_join(token.loc, operand->loc));
  expr->unary.op = op;
  expr->unary.operand = operand;
  deepen(parse, expr, operand);
  return expr;
}

static const struct {
  const char *text;
  BinaryOp op;
} binary_ops[] = {
    {"+", BINARY_ADD}, {"-", BINARY_SUB},  {"*", BINARY_MUL},    {"/", BINARY_DIV}, {"//", BINARY_FLOOR_DIV},
    {"%", BINARY_MOD}, {"**", BINARY_POW}, {"@", BINARY_MATMUL}, {"&", BINARY_AND}, {"|", BINARY_OR},
    {"^", BINARY_XOR}, {"<<", BINARY_SHL}, {">>", BINARY_SHR},
};

// The operator of a token; an augmented assignment's token ends in '='.
static BinaryOp binary_op_of(Token token) {
  Str text = token.text;
  if (token.kind == TOKEN_AUGMENT) text.n--;
  for (size_t i = 0; i < sizeof binary_ops / sizeof *binary_ops; i++)
    if (str_is(text, binary_ops[i].text)) return binary_ops[i].op;
  return BINARY_ADD;
}

Expr *tree_binary(Parse *parse, Expr *left, Token op, Expr *right) {
  check_operand(parse, right);
  Expr *expr = tree_expr(parse, EXPR_BINARY, loc_join(left->loc, right->loc));
  expr->binary.op = binary_op_of(op);
  expr->binary.op_loc = op.loc;
  expr->binary.left = left;
  expr->binary.right = right;
  deepen(parse, expr, left);
  deepen(parse, expr, right);
  return expr;
}

Expr *tree_logical(Parse *parse, LogicalOp op, Token token, Expr *left, Expr *right) {
  Expr *expr = tree_expr(parse, EXPR_LOGICAL, loc_join(left->loc, right->loc));
  expr->logical.op = op;
  expr->logical.op_loc = token.loc;
  expr->logical.left = left;
  expr->logical.right = right;
  deepen(parse, expr, left);
  deepen(parse, expr, right);
  return expr;
}

CompareOp compare_op_of(Token token) {
  static const char *const texts[] = {"<", "<=", ">", ">=", "==", "!="};
  for (int i = 0; i < 6; i++)
    if (str_is(token.text, texts[i])) return (CompareOp)i;
  return COMPARE_LT;
}

Expr *tree_compare(Parse *parse, Expr *left, CompareOp op, Loc op_loc, Expr *right) {
  check_operand(parse, right);
  Expr *expr = left;
  if (left->kind != EXPR_COMPARE || left->parenthesized) {
    expr = tree_expr(parse, EXPR_COMPARE, left->loc);
    expr->compare.first = left;
    deepen(parse, expr, left);
  }
  expr->loc = loc_join(expr->loc, right->loc);
  if (expr->kind == EXPR_COMPARE) {
    CompareLink link = {op, op_loc, right};
    vec_push(parse->arena, &expr->compare.links, link);
    deepen(parse, expr, right);
  }
  return expr;
}

Expr *tree_binds(Parse *parse, Token name, Expr *value) {
  Expr *expr = tree_expr(parse, EXPR_BINDS, loc_join(name.loc, value->loc));
  expr->binds.name = intern(parse->names, name.text);
  expr->binds.value = value;
  deepen(parse, expr, value);
  return expr;
}

Expr *tree_conditional(Parse *parse, Expr *then, Expr *condition, Expr *otherwise) {
  Expr *expr = tree_expr(parse, EXPR_CONDITIONAL, loc_join(then->loc, otherwise->loc));
  expr->conditional.then = then;
  expr->conditional.condition = condition;
  expr->conditional.otherwise = otherwise;
  deepen(parse, expr, then);
  deepen(parse, expr, condition);
  deepen(parse, expr, otherwise);
  return expr;
}

Expr *tree_lambda(Parse *parse, Token token, ParamList params, Expr *body) {
  Expr *expr = tree_expr(parse, EXPR_LAMBDA, loc_join(token.loc, body->loc));
  expr->lambda.params = params;
  expr->lambda.body = body;
  for (uint32_t i = 0; i < params.n; i++) deepen(parse, expr, params.at[i].default_value);
  deepen(parse, expr, body);
  return expr;
}

Expr *tree_comprehension(Parse *parse, ExprKind of, Expr *key, Expr *element, CompClauses clauses, Loc loc) {
  Expr *expr = tree_expr(parse, EXPR_COMPREHENSION, loc);
  expr->comprehension.of = of;
  expr->comprehension.key = key;
  expr->comprehension.element = element;
  expr->comprehension.clauses = clauses;
  deepen(parse, expr, key);
  deepen(parse, expr, element);
  for (uint32_t i = 0; i < clauses.n; i++) {
    deepen(parse, expr, clauses.at[i].target);
    deepen(parse, expr, clauses.at[i].iterated);
    deepen_list(parse, expr, clauses.at[i].conditions);
  }
  return expr;
}

CompClauses clauses_push(Parse *parse, CompClauses list, Expr *target, Expr *iterated, ExprList conditions) {
  check_target(parse, target);
  CompClause clause = {target, iterated, conditions};
  vec_push(parse->arena, &list, clause);
  return list;
}

Expr *tree_starred(Parse *parse, ExprKind kind, Token star, Expr *operand) {
  Expr *expr = tree_expr(parse, kind, loc_join(star.loc, operand->loc));
  expr->operand = operand;
  deepen(parse, expr, operand);
  return expr;
}

Expr *tree_call(Parse *parse, Expr *callee, ArgList args, Token close) {
  Expr *expr = tree_expr(parse, EXPR_CALL, loc_join(callee->loc, close.loc));
  expr->call.callee = callee;
  expr->call.args = args;
  deepen(parse, expr, callee);
  for (uint32_t i = 0; i < args.n; i++) deepen(parse, expr, args.at[i].value);
  return expr;
}

Expr *tree_attribute(Parse *parse, Expr *object, Token name) {
  Expr *expr = tree_expr(parse, EXPR_ATTRIBUTE, loc_join(object->loc, name.loc));
  expr->attribute.object = object;
  expr->attribute.name = intern(parse->names, name.text);
  expr->attribute.name_loc = name.loc;
  deepen(parse, expr, object);
  return expr;
}

Expr *tree_subscript(Parse *parse, Expr *object, ExprList indices, bool tuple, Token close) {
  Expr *expr = tree_expr(parse, EXPR_SUBSCRIPT, loc_join(object->loc, close.loc));
  if (!tuple && indices.at[0]->kind == EXPR_TUPLE) {
    indices = indices.at[0]->list;
    tuple = true;
  }
  expr->subscript.object = object;
  expr->subscript.indices = indices;
  expr->subscript.tuple = tuple;
  deepen(parse, expr, object);
  deepen_list(parse, expr, indices);
  return expr;
}

Expr *tree_slice(Parse *parse, Loc loc, Expr *lower, Expr *upper, Expr *step) {
  Expr *expr = tree_expr(parse, EXPR_SLICE, lower ? loc_join(lower->loc, loc) : loc);
  Expr *parts[] = {lower, upper, step};
  expr->slice.lower = lower;
  expr->slice.upper = upper;
  expr->slice.step = step;
  for (int i = 0; i < 3; i++) {
    if (parts[i]) expr->loc = loc_join(expr->loc, parts[i]->loc);
    deepen(parse, expr, parts[i]);
  }
  return expr;
}

Arg tree_arg(Parse *parse, const Token *name, int stars, Loc loc, Expr *value) {
  return (Arg){.loc = loc_join(loc, value->loc),
               .name = name ? intern(parse->names, name->text) : NULL,
               .stars = stars,
               .value = value};
}

ExprList exprs_push(Parse *parse, ExprList list, Expr *item) {
  vec_push(parse->arena, &list, item);
  return list;
}

DictItems dict_push(Parse *parse, DictItems list, Expr *key, Expr *value) {
  DictItem item = {key, value};
  vec_push(parse->arena, &list, item);
  return list;
}

ArgList args_push(Parse *parse, ArgList list, Arg arg) {
  if (list.n == MAX_ARGS) {
    if (!parse->failed) parse_error(parse, arg.loc, "[T0506] more than %d arguments", MAX_ARGS);
    return list;
  }
  const Arg *last = list.n ? &list.at[list.n - 1] : NULL;
  if (!arg.name && arg.stars == 0 && last && (last->name || last->stars == 2))
    parse_error(parse, arg.loc, "[T0204] a positional argument follows %s",
                last->name ? "a keyword argument" : "keyword arguments");
  for (uint32_t i = 0; arg.name && i < list.n; i++)
    if (list.at[i].name == arg.name) {
      Diag *diag = parse_error(parse, arg.loc, "[T0204] argument '%s' is given twice", arg.name);
      if (diag) diag_note(parse->diags, diag, list.at[i].loc, "first given here");
      break;
    }
  vec_push(parse->arena, &list, arg);
  return list;
}

const char *unary_op_text(UnaryOp op) {
  static const char *const texts[] = {"-", "+", "~", "not"};
  return texts[op];
}

const char *binary_op_text(BinaryOp op) {
  for (size_t i = 0; i < sizeof binary_ops / sizeof *binary_ops; i++)
    if (binary_ops[i].op == op) return binary_ops[i].text;
  return "?";
}

const char *logical_op_text(LogicalOp op) { return op == LOGICAL_AND ? "and" : "or"; }

const char *compare_op_text(CompareOp op) {
  static const char *const texts[] = {"<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in"};
  return texts[op];
}

// Declared with the statements, but defined here for binary_op_of.
Stmt *tree_augmented(Parse *parse, Expr *target, Token op, Expr *value) {
  if (target->kind != EXPR_NAME && target->kind != EXPR_SUBSCRIPT && target->kind != EXPR_ATTRIBUTE)
    parse_error(parse, target->loc, "[T0107] '%.*s' needs a single name or element on its left",
                STR_ARG(op.text));
  Stmt *stmt = tree_stmt(parse, STMT_AUGMENTED, loc_join(target->loc, value->loc));
  stmt->augmented.op = binary_op_of(op);
  stmt->augmented.op_loc = op.loc;
  stmt->augmented.target = target;
  stmt->augmented.value = value;
  return stmt;
}
