// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what a function's text shows of its parameters: which it loads from and stores to, and which are integers (in
// addresses, as bounds, against indices). Finds which elements the programs of a grid take. This guesses the meaning of
// a parameter without a type, which buffers are outputs, and command lines. It uses names only; elaboration decides.
#include "frontend/module/elab_module.h"

enum {
  MAX_ROUNDS = 8,         // a parameter known as an integer may show another one
  MAX_FOLLOWED_CALLS = 4, // nested calls of functions
};

typedef struct Assigned {
  const char *name;
  const Expr *value;
  uint32_t seen; // the mark that saw it
  bool whole;    // the name becomes the value
} Assigned;

typedef struct Uses {
  Elab *e;
  const Function *function;
  uint32_t *uses; // one for each parameter
  VEC(Assigned) assigned;
  uint32_t marks; // used so far
  int depth;      // of nested functions
  bool changed;
  GridUse *grid; // NULL: not asked for
} Uses;

// The next value from *i on that is assigned to the name, and that the current mark has not seen. NULL: none.
static const Expr *next_unseen(Uses *u, const char *name, bool whole, uint32_t *i) {
  for (; *i < u->assigned.n; ++*i) {
    Assigned *assigned = &u->assigned.at[*i];
    if (assigned->name != name || assigned->seen == u->marks || (whole && !assigned->whole)) continue;
    assigned->seen = u->marks;
    return assigned->value;
  }
  return NULL;
}

// `whole`: false for parts, sums and elements.
static void assign(Uses *u, const Expr *target, const Expr *value, bool whole) {
  if (target->kind == EXPR_NAME && value)
    vec_push(u->e->arena, &u->assigned, ((Assigned){target->name, value, 0, whole}));
  if ((target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) || !value) return;
  bool each = (value->kind == EXPR_TUPLE || value->kind == EXPR_LIST) && value->list.n == target->list.n;
  for (uint32_t i = 0; i < target->list.n; i++)
    assign(u, target->list.at[i], each ? value->list.at[i] : value, false);
}

static bool note_assigned(const Stmt *stmt, void *data) {
  Uses *u = data;
  for (uint32_t i = 0; stmt->kind == STMT_ASSIGN && i < stmt->assign.targets.n; i++)
    assign(u, stmt->assign.targets.at[i], stmt->assign.value, true);
  if (stmt->kind == STMT_ANNOTATED) assign(u, stmt->annotated.target, stmt->annotated.value, true);
  if (stmt->kind == STMT_AUGMENTED) assign(u, stmt->augmented.target, stmt->augmented.value, false);
  if (stmt->kind == STMT_FOR) assign(u, stmt->loop.target, stmt->loop.condition, false);
  return false;
}

// --- Loads and stores ---

// Follows the pointer of an address, block pointer or descriptor: the first operand.
static void follow(Uses *u, const Expr *expr, uint32_t use) {
  const Expr *value;
  if (!expr) return;
  switch ((int)expr->kind) {
  case EXPR_NAME:
    for (uint32_t i = 0; i < u->function->params.n; i++)
      if (u->function->params.at[i].name == expr->name) u->uses[i] |= use;
    for (uint32_t i = 0; (value = next_unseen(u, expr->name, true, &i));) follow(u, value, use);
    return;
  case EXPR_BINARY: follow(u, expr->binary.left, use); return;
  case EXPR_SUBSCRIPT: follow(u, expr->subscript.object, use); return;
  case EXPR_CONDITIONAL: follow(u, expr->conditional.then, use); return;
  case EXPR_CALL:
    if (strcmp(expr_last_name(expr->call.callee), "to") == 0)
      follow(u, expr->call.callee->kind == EXPR_ATTRIBUTE ? expr->call.callee->attribute.object : NULL, use);
    else if (strcmp(expr_last_name(expr->call.callee), "load") != 0 && expr->call.args.n)
      follow(u, expr->call.args.at[0].value, use);
    return;
  default: return;
  }
}

static void mark_access(Uses *u, const Expr *pointer, uint32_t use) {
  u->marks++;
  follow(u, pointer, use);
}

// Marks an expression that is a parameter itself, not computed from one.
static void mark_itself(Uses *u, const Expr *expr, uint32_t use) {
  for (uint32_t i = 0; expr->kind == EXPR_NAME && i < u->function->params.n; i++)
    if (u->function->params.at[i].name == expr->name) u->uses[i] |= use;
}

enum {
  DESCRIPTOR_BITS = ~(PARAM_LOADED | PARAM_STORED | PARAM_DECIDED | PARAM_POINTS_INTEGER | PARAM_POINTS_HALF)
};

// d.load([i, j]), d.store([i, j], x), d.atomic_add([i, j], x).
static void scan_descriptor(Uses *u, const Expr *call) {
  const Expr *callee = call->call.callee, *at = call->call.args.n ? call->call.args.at[0].value : NULL;
  for (uint32_t i = 0; at && at->kind == EXPR_NAME && i < u->assigned.n; i++)
    if (u->assigned.at[i].name == at->name && u->assigned.at[i].whole &&
        u->assigned.at[i].value->kind != EXPR_NAME)
      at = u->assigned.at[i].value;
  if (callee->kind != EXPR_ATTRIBUTE || !at || (at->kind != EXPR_LIST && at->kind != EXPR_TUPLE)) return;
  if (at->list.n && at->list.n <= TILE_MAX_RANK)
    mark_itself(u, callee->attribute.object, PARAM_DESCRIBES | at->list.n << PARAM_RANK_SHIFT);
}

// Applies the called function's uses of its parameters to the arguments.
static void scan_callee(Uses *u, const Expr *call) {
  const FunctionList *functions = &u->e->module->functions;
  for (uint32_t i = 0; i < functions->n && u->depth < MAX_FOLLOWED_CALLS; i++) {
    const Function *callee = functions->at[i];
    if (callee == u->function || call->call.callee->kind != EXPR_NAME ||
        callee->name != expr_last_name(call->call.callee))
      continue;
    const uint32_t *uses = elab_param_uses(u->e, callee, u->depth + 1);
    for (uint32_t k = 0; k < call->call.args.n; k++) {
      const Arg *arg = &call->call.args.at[k];
      for (uint32_t p = 0; p < callee->params.n; p++)
        if (arg->name ? callee->params.at[p].name == arg->name : p == k) {
          mark_access(u, arg->value, uses[p] & ~(uint32_t)DESCRIPTOR_BITS);
          mark_itself(u, arg->value, uses[p] & (uint32_t)DESCRIPTOR_BITS);
        }
    }
  }
}

static bool scan_access(const Expr *expr, void *data) {
  Uses *u = data;
  if (expr->kind != EXPR_CALL) return false;
  const char *name = expr_last_name(expr->call.callee);
  const Expr *callee = expr->call.callee;
  uint32_t use = strcmp(name, "load") == 0          ? PARAM_LOADED
                 : strcmp(name, "store") == 0       ? PARAM_STORED
                 : strncmp(name, "atomic_", 7) == 0 ? PARAM_LOADED | PARAM_STORED
                                                    : 0;
  if (use && expr->call.args.n) mark_access(u, expr->call.args.at[0].value, use);
  if (use && callee->kind == EXPR_ATTRIBUTE)
    mark_access(u, callee->attribute.object, use); // a descriptor's method
  if (use) scan_descriptor(u, expr);
  if (!use) scan_callee(u, expr);
  return false;
}

// --- Integers ---

// The result has the values of the first argument, or of the object of a method.
static const Expr *reshaped(const Expr *call) {
  static const char *const names[] = {"expand_dims", "broadcast_to",   "reshape",     "view", "trans",
                                      "ravel",       "max_contiguous", "multiple_of", NULL};
  if (!str_is_one_of(expr_last_name(call->call.callee), names)) return NULL;
  // tl.ravel(x) and x.ravel(): a module is not a value.
  const Expr *callee = call->call.callee;
  bool method =
      callee->kind == EXPR_ATTRIBUTE && (!call->call.args.n || callee->attribute.object->kind != EXPR_NAME);
  return method ? callee->attribute.object : call->call.args.n ? call->call.args.at[0].value : NULL;
}

static bool is_choice(const Expr *call) {
  static const char *const names[] = {"minimum", "maximum", "min", "max", "swizzle2d", "cdiv", NULL};
  return str_is_one_of(expr_last_name(call->call.callee), names) && call->call.args.n > 1;
}

static bool is_range(const Expr *call) {
  static const char *const names[] = {"range", "static_range", NULL};
  return str_is_one_of(expr_last_name(call->call.callee), names);
}

static int param_index(const Uses *u, const char *name) {
  for (uint32_t i = 0; i < u->function->params.n; i++)
    if (u->function->params.at[i].name == name) return (int)i;
  return -1;
}

static bool is_constexpr(const Param *param) {
  return strcmp(expr_last_name(param->annotation), "constexpr") == 0;
}

// --- Indices ---

typedef enum Level {
  LEVEL_OTHER,  // not known as an integer
  LEVEL_NUMBER, // a constant that may be one
  LEVEL_INDEX,  // made of arange, program_id or integers
} Level;

static Level both(Level a, Level b) { return !a || !b ? LEVEL_OTHER : a > b ? a : b; }

static Level level(Uses *u, const Expr *expr);

static Level name_level(Uses *u, const char *name) {
  int param = param_index(u, name);
  Level found = LEVEL_NUMBER;
  if (param >= 0 && !is_constexpr(&u->function->params.at[param]))
    found = u->uses[param] & PARAM_INTEGER ? LEVEL_INDEX : LEVEL_OTHER;
  const Expr *value;
  for (uint32_t i = 0; found && (value = next_unseen(u, name, false, &i));)
    found = both(found, level(u, value));
  return found;
}

static bool is_integer_type(const Expr *type) {
  const char *name = type->kind == EXPR_ATTRIBUTE ? type->attribute.name : "";
  return strncmp(name, "int", 3) == 0 || strncmp(name, "uint", 4) == 0;
}

static Level call_level(Uses *u, const Expr *call) {
  static const char *const indices[] = {"arange", "program_id",   "num_programs",
                                        "range",  "static_range", NULL};
  const char *name = expr_last_name(call->call.callee);
  const Expr *same = reshaped(call);
  const ArgList *args = &call->call.args;
  if (str_is_one_of(name, indices)) return LEVEL_INDEX;
  if (same) return level(u, same);
  if (strcmp(name, "to") == 0 && args->n)
    return is_integer_type(args->at[0].value) ? LEVEL_INDEX : LEVEL_OTHER;
  if (strcmp(name, "cdiv") == 0) return LEVEL_INDEX;
  if (!is_choice(call)) return LEVEL_OTHER;
  return both(level(u, args->at[0].value), level(u, args->at[1].value));
}

static Level level(Uses *u, const Expr *expr) {
  switch ((int)expr->kind) {
  case EXPR_INT: return LEVEL_NUMBER;
  case EXPR_NAME: return name_level(u, expr->name);
  case EXPR_UNARY: return level(u, expr->unary.operand);
  case EXPR_SUBSCRIPT: return level(u, expr->subscript.object);
  case EXPR_CONDITIONAL: return both(level(u, expr->conditional.then), level(u, expr->conditional.otherwise));
  case EXPR_CALL: return call_level(u, expr);
  case EXPR_BINARY:
    if (expr->binary.op == BINARY_DIV || expr->binary.op == BINARY_POW) return LEVEL_OTHER;
    return both(level(u, expr->binary.left), level(u, expr->binary.right));
  default: return LEVEL_OTHER;
  }
}

static bool is_index(Uses *u, const Expr *expr) {
  u->marks++;
  return level(u, expr) == LEVEL_INDEX;
}

// --- Marks ---

static void note(Uses *u, int param, uint32_t use) {
  if (is_constexpr(&u->function->params.at[param]) || (u->uses[param] & use)) return;
  u->uses[param] |= use;
  u->changed = true;
}

// The parameter that an address begins with.
static void mark_pointee(Uses *u, const Expr *address) {
  while (address && address->kind != EXPR_NAME)
    address = address->kind == EXPR_BINARY      ? address->binary.left
              : address->kind == EXPR_SUBSCRIPT ? address->subscript.object
                                                : NULL;
  int param = address ? param_index(u, address->name) : -1;
  if (param >= 0) note(u, param, PARAM_POINTS_INTEGER);
  const Expr *value;
  for (uint32_t i = 0; address && param < 0 && (value = next_unseen(u, address->name, false, &i));)
    mark_pointee(u, value);
}

static void mark(Uses *u, const Expr *expr);

static void mark_name(Uses *u, const char *name) {
  int param = param_index(u, name);
  if (param >= 0 && !(u->uses[param] & (PARAM_LOADED | PARAM_STORED))) note(u, param, PARAM_INTEGER);
  const Expr *value;
  for (uint32_t i = 0; (value = next_unseen(u, name, false, &i));) mark(u, value);
}

static void mark_call(Uses *u, const Expr *call) {
  const ArgList *args = &call->call.args;
  const Expr *same = reshaped(call), *callee = call->call.callee;
  if (same)
    mark(u, same);
  else if (is_choice(call) || is_range(call))
    for (uint32_t i = 0; i < args->n; i++) mark(u, args->at[i].value);
  else if (strcmp(expr_last_name(call->call.callee), "load") == 0 && args->n)
    mark_pointee(u, args->at[0].value);
  else if (strcmp(expr_last_name(call->call.callee), "to") == 0 && callee->kind == EXPR_ATTRIBUTE &&
           callee->attribute.object->kind == EXPR_NAME && param_index(u, callee->attribute.object->name) >= 0)
    mark(u, callee->attribute.object);
}

// The expression is an integer, or an address. So its terms and factors are integers.
static void mark(Uses *u, const Expr *expr) {
  switch ((int)expr->kind) {
  case EXPR_NAME: mark_name(u, expr->name); return;
  case EXPR_UNARY: mark(u, expr->unary.operand); return;
  case EXPR_SUBSCRIPT: mark(u, expr->subscript.object); return;
  case EXPR_CALL: mark_call(u, expr); return;
  case EXPR_CONDITIONAL:
    mark(u, expr->conditional.then);
    mark(u, expr->conditional.otherwise);
    return;
  case EXPR_TUPLE:
  case EXPR_LIST:
    for (uint32_t i = 0; i < expr->list.n; i++) mark(u, expr->list.at[i]);
    return;
  case EXPR_BINARY:
    if (expr->binary.op == BINARY_DIV || expr->binary.op == BINARY_POW) return;
    mark(u, expr->binary.left);
    mark(u, expr->binary.right);
    return;
  default: return;
  }
}

static void begin_mark(Uses *u, const Expr *expr) {
  u->marks++;
  mark(u, expr);
}

// --- What the text shows ---

static void scan_call(Uses *u, const Expr *call) {
  static const char *const makers[] = {"make_block_ptr", "make_tensor_descriptor", "advance", NULL};
  static const char *const random[] = {"rand", "randn", "randint", "rand4x", "randn4x", "randint4x", NULL};
  const char *name = expr_last_name(call->call.callee);
  const ArgList *args = &call->call.args;
  bool access = strcmp(name, "load") == 0 || strcmp(name, "store") == 0 || strncmp(name, "atomic_", 7) == 0;
  bool all = is_range(call) || strcmp(name, "cdiv") == 0, maker = str_is_one_of(name, makers);
  for (uint32_t i = 0; i < args->n; i++) {
    const Arg *arg = &args->at[i];
    bool first = i == 0 && (access || str_is_one_of(name, random));
    bool list = maker && (arg->value->kind == EXPR_TUPLE || arg->value->kind == EXPR_LIST);
    if (first || list || (all && !arg->name)) begin_mark(u, arg->value);
  }
}

static bool is_bitwise(BinaryOp op) {
  return op == BINARY_AND || op == BINARY_OR || op == BINARY_XOR || op == BINARY_SHL || op == BINARY_SHR;
}

static void scan_pair(Uses *u, const Expr *left, const Expr *right) {
  if (is_index(u, left)) begin_mark(u, right);
  if (is_index(u, right)) begin_mark(u, left);
}

static bool scan_expr(const Expr *expr, void *data) {
  Uses *u = data;
  if (expr->kind == EXPR_CALL) scan_call(u, expr);
  if (expr->kind == EXPR_BINARY && is_bitwise(expr->binary.op)) {
    begin_mark(u, expr->binary.left);
    begin_mark(u, expr->binary.right);
  } else if (expr->kind == EXPR_BINARY &&
             (expr->binary.op == BINARY_MOD || expr->binary.op == BINARY_FLOOR_DIV))
    scan_pair(u, expr->binary.left, expr->binary.right);
  const Expr *left = expr->kind == EXPR_COMPARE ? expr->compare.first : NULL;
  for (uint32_t i = 0; left && i < expr->compare.links.n; i++) {
    scan_pair(u, left, expr->compare.links.at[i].right);
    left = expr->compare.links.at[i].right;
  }
  return false;
}

// A kernel that casts to 16 bits and multiplies usually loads 16 bits.
typedef struct Halves {
  bool dots, casts;
} Halves;

static bool scan_halves(const Expr *expr, void *data) {
  Halves *halves = data;
  if (expr->kind == EXPR_CALL && strcmp(expr_last_name(expr->call.callee), "dot") == 0) halves->dots = true;
  if (expr->kind == EXPR_ATTRIBUTE && strcmp(expr->attribute.name, "float16") == 0) halves->casts = true;
  return false;
}

static void mark_halves(const Function *function, uint32_t *uses) {
  Halves halves = {0};
  block_walk(&function->body, &(AstWalk){.expr = scan_halves, .data = &halves});
  for (uint32_t i = 0; i < function->params.n && halves.dots && halves.casts; i++)
    if (uses[i] & (PARAM_LOADED | PARAM_STORED)) uses[i] |= PARAM_POINTS_HALF;
}

// Collects assignments first: a loop's second iteration sees what its end assigns.
uint32_t *elab_param_uses(Elab *e, const Function *function, int depth) {
  Uses u = {.e = e, .function = function, .depth = depth, .changed = true};
  u.uses = ARENA_ARRAY(e->arena, uint32_t, function->params.n);
  block_walk(&function->body, &(AstWalk){.stmt = note_assigned, .data = &u});
  block_walk(&function->body, &(AstWalk){.expr = scan_access, .data = &u});
  for (int round = 0; u.changed && round < MAX_ROUNDS; round++) {
    u.changed = false;
    block_walk(&function->body, &(AstWalk){.expr = scan_expr, .data = &u});
  }
  mark_halves(function, u.uses);
  return u.uses;
}

// --- The grid ---

// The dimension whose program_id the expression is computed from, without a factor. -1: none.
static int program_axis(Uses *u, const Expr *expr);

static int assigned_axis(Uses *u, const char *name) {
  int axis = -1;
  const Expr *value;
  for (uint32_t i = 0; axis < 0 && (value = next_unseen(u, name, false, &i));) axis = program_axis(u, value);
  return axis;
}

static int program_axis(Uses *u, const Expr *expr) {
  int axis = -1;
  if (expr->kind == EXPR_NAME) return assigned_axis(u, expr->name);
  if (expr->kind == EXPR_BINARY && expr->binary.op != BINARY_MUL && expr->binary.op != BINARY_DIV) {
    axis = program_axis(u, expr->binary.left);
    return axis >= 0 ? axis : program_axis(u, expr->binary.right);
  }
  if (expr->kind != EXPR_CALL) return -1;
  const ArgList *args = &expr->call.args;
  if (strcmp(expr_last_name(expr->call.callee), "program_id") == 0) {
    const Expr *dimension = args->n ? args->at[0].value : NULL;
    return dimension && dimension->kind == EXPR_INT && dimension->integer.value < 3
               ? (int)dimension->integer.value
               : -1;
  }
  if (strcmp(expr_last_name(expr->call.callee), "to") == 0 && expr->call.callee->kind == EXPR_ATTRIBUTE)
    return program_axis(u, expr->call.callee->attribute.object);
  for (uint32_t i = 0; i < args->n && axis < 0 && (is_choice(expr) || is_range(expr)); i++)
    axis = program_axis(u, args->at[i].value);
  return axis;
}

// Prints an expression of parameters and numbers. False: it has other parts.
static bool print_size(const Uses *u, const Expr *expr, bool constant, Buf *out) {
  if (expr->kind == EXPR_INT) {
    buf_printf(out, "%llu", (unsigned long long)expr->integer.value);
    return true;
  }
  int param = expr->kind == EXPR_NAME ? param_index(u, expr->name) : -1;
  if (param >= 0) {
    buf_text(out, expr->name);
    return (!constant || is_constexpr(&u->function->params.at[param])) &&
           !(u->uses[param] & (PARAM_LOADED | PARAM_STORED));
  }
  const Expr *value = NULL;
  for (uint32_t i = 0, n = 0; expr->kind == EXPR_NAME && i < u->assigned.n; i++)
    if (u->assigned.at[i].name == expr->name) value = n++ ? NULL : u->assigned.at[i].value;
  if (value && value->depth < AST_MAX_BLOCKS && value->kind != EXPR_NAME)
    return print_size(u, value, constant, out);
  if (expr->kind != EXPR_BINARY || expr->binary.op != BINARY_MUL) return false;
  if (!print_size(u, expr->binary.left, constant, out)) return false;
  buf_text(out, " * ");
  return print_size(u, expr->binary.right, constant, out);
}

static const char *size_text(const Uses *u, const Expr *expr, bool constant) {
  Buf text = {0};
  bool good = print_size(u, expr, constant, &text);
  const char *kept = good ? arena_printf(u->e->arena, "%s", text.at) : NULL;
  buf_free(&text);
  return kept;
}

// The first element of a program: its number times a block. *block: the block's text. -1: it is none.
static int block_axis(Uses *u, const Expr *expr, const char **block);

static int factor_axis(Uses *u, const Expr *number, const Expr *size, const char **block) {
  u->marks++;
  int axis = program_axis(u, number);
  *block = axis >= 0 ? size_text(u, size, true) : NULL;
  return *block ? axis : -1;
}

static int block_axis(Uses *u, const Expr *expr, const char **block) {
  int axis = -1;
  const Expr *same = expr->kind == EXPR_SUBSCRIPT ? expr->subscript.object
                     : expr->kind == EXPR_CALL    ? reshaped(expr)
                                                  : NULL;
  if (same) return block_axis(u, same, block);
  for (uint32_t i = 0; expr->kind == EXPR_NAME && i < u->assigned.n && axis < 0; i++)
    if (u->assigned.at[i].name == expr->name && u->assigned.at[i].value->kind != EXPR_NAME &&
        u->assigned.at[i].seen != UINT32_MAX) {
      u->assigned.at[i].seen = UINT32_MAX; // on the way
      axis = block_axis(u, u->assigned.at[i].value, block);
      u->assigned.at[i].seen = 0;
    }
  if (expr->kind != EXPR_BINARY) return axis;
  const Expr *left = expr->binary.left, *right = expr->binary.right;
  if (expr->binary.op == BINARY_MUL) {
    axis = factor_axis(u, left, right, block);
    return axis >= 0 ? axis : factor_axis(u, right, left, block);
  }
  if (expr->binary.op != BINARY_ADD) return -1;
  axis = block_axis(u, left, block);
  return axis >= 0 ? axis : block_axis(u, right, block);
}

static void add_part(Uses *u, int axis, const char *bound, const char *block) {
  GridAxis *to = &u->grid->axes[axis];
  for (uint32_t i = 0; i < to->count; i++) {
    const GridPart *part = &to->parts[i];
    if ((bound && part->bound && strcmp(part->bound, bound) == 0) ||
        (!bound && block && part->block && strcmp(part->block, block) == 0))
      return;
  }
  if (to->count < GRID_PARTS) to->parts[to->count++] = (GridPart){bound, block};
}

// `below`: less than `bound`, or modulo it.
static void scan_bound(Uses *u, const Expr *below, const Expr *bound) {
  const char *block = NULL, *text = size_text(u, bound, false);
  int axis = text ? block_axis(u, below, &block) : -1;
  if (text && axis < 0) {
    u->marks++;
    block = NULL;
    axis = program_axis(u, below);
  }
  if (axis >= 0) add_part(u, axis, text, block);
}

// make_block_ptr(base, shape, strides, offsets, ...).
static void scan_block_pointer(Uses *u, const Expr *call) {
  const ArgList *args = &call->call.args;
  const Expr *shape = NULL, *offsets = NULL;
  for (uint32_t i = 0; i < args->n; i++) {
    const Arg *arg = &args->at[i];
    if (arg->name ? strcmp(arg->name, "shape") == 0 : i == 1) shape = arg->value;
    if (arg->name ? strcmp(arg->name, "offsets") == 0 : i == 3) offsets = arg->value;
  }
  bool lists = shape && offsets && (shape->kind == EXPR_TUPLE || shape->kind == EXPR_LIST) &&
               shape->kind == offsets->kind && shape->list.n == offsets->list.n;
  for (uint32_t i = 0; lists && i < shape->list.n; i++)
    if (offsets->list.at[i]->kind != EXPR_INT) scan_bound(u, offsets->list.at[i], shape->list.at[i]);
}

static bool scan_grid(const Expr *expr, void *data) {
  Uses *u = data;
  if (expr->kind == EXPR_CALL && strcmp(expr_last_name(expr->call.callee), "program_id") == 0) {
    u->marks++;
    int axis = program_axis(u, expr);
    if (axis >= 0) u->grid->axes[axis].used = true;
  } else if (expr->kind == EXPR_CALL && strcmp(expr_last_name(expr->call.callee), "make_block_ptr") == 0)
    scan_block_pointer(u, expr);
  else if (expr->kind == EXPR_BINARY && expr->binary.op == BINARY_MOD && expr->binary.left->kind != EXPR_NAME)
    scan_bound(u, expr->binary.left, expr->binary.right);
  for (uint32_t i = 0; expr->kind == EXPR_COMPARE && i < expr->compare.links.n; i++) {
    const CompareLink *link = &expr->compare.links.at[i];
    const Expr *left = i ? expr->compare.links.at[i - 1].right : expr->compare.first;
    if (link->op == COMPARE_LT || link->op == COMPARE_GE) scan_bound(u, left, link->right);
    if (link->op == COMPARE_GT || link->op == COMPARE_LE) scan_bound(u, link->right, left);
  }
  return false;
}

// Blocks without a bound: the address has every element of the program's block.
static bool scan_unbounded(const Expr *expr, void *data) {
  Uses *u = data;
  const char *block = NULL;
  int axis = expr->kind == EXPR_BINARY && expr->binary.op == BINARY_MUL ? block_axis(u, expr, &block) : -1;
  if (axis >= 0 && !u->grid->axes[axis].count) add_part(u, axis, NULL, block);
  return false;
}

void elab_grid_use(Elab *e, const Function *function, uint32_t *uses, GridUse *grid) {
  Uses u = {.e = e, .function = function, .uses = uses, .grid = grid};
  block_walk(&function->body, &(AstWalk){.stmt = note_assigned, .data = &u});
  block_walk(&function->body, &(AstWalk){.expr = scan_grid, .data = &u});
  block_walk(&function->body, &(AstWalk){.expr = scan_unbounded, .data = &u});
}
