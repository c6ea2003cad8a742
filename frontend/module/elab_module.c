// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selects the definition of a name in a file. Python's last one wins, as far as the conditions around them
// are decided (elab_truth.c). If two remain possible, using the name is an error; otherwise it does not
// matter. -D sets any name of the module level.
#include "frontend/module/elab_module.h"

// The result of a search for a name.
typedef struct Found {
  const Definition *definition; // NULL: none
  const Definition *other;      // another that remains possible; NULL: none
  const Definition *instead;    // one from an unread library, which `definition` replaces; NULL: none
  uint32_t at;                  // index of definition in the module's list
  bool builtin;                 // Python's own function with that name remains possible
} Found;

// The parameters of a search.
typedef struct Query {
  const Module *module;
  const char *name;   // interned
  uint32_t visible;   // only the first ones
  const Guard *scope; // the functions and classes around the use
  bool functions;     // only kernels
  bool assigned;      // the assigned value, even if it is changed later
} Query;

// --- Scopes ---

// True if `outer` is `inner` or a clause around it. It then holds if `inner` does.
static bool implied_by(const Guard *outer, const Guard *inner) {
  for (; inner && inner != outer; inner = inner->outer) continue;
  return inner == outer;
}

const char *elab_qualified_name(Elab *e, const Function *function) {
  return qualified_name(e->arena, function->guard, function->name);
}

static const Guard *frame_scope(const Frame *frame) {
  return frame && frame->function ? frame->function->guard : NULL;
}

// --- Which one ---

// True if m of `from m import *` has the name. Its object may be undecided.
static bool star_has(Elab *e, const Definition *star, const char *name) {
  Said before = elab_said(e);
  Obj obj;
  bool has = elab_star_member(e, LOC_NONE, star->import, &star->import->names.at[star->item], name, &obj);
  elab_take_back(e, &before);
  return has;
}

static bool defines(Elab *e, const Query *query, const Definition *definition) {
  if (query->functions && definition->kind != DEFINES_FUNCTION) return false;
  if (query->assigned && definition->kind == DEFINES_CHANGE) return false;
  if (definition->name == query->name) return true;
  return definition->kind == DEFINES_IMPORT && strcmp(definition->name, "*") == 0 &&
         star_has(e, definition, query->name);
}

static Obj quiet_value(Elab *e, const Query *query, uint32_t at) {
  Said before = elab_said(e);
  Func *func = e->func;
  Builder b = e->b;
  elab_scratch(e, NULL, 0);
  Obj obj = elab_definition_value(e, LOC_NONE, query->module, at, query->name);
  e->func = func;
  e->b = b;
  return elab_take_back(e, &before) ? obj_error() : obj;
}

// True if it does not matter which of the two holds. They have one value, or are libraries that a kernel
// cannot use.
static bool same_meaning(Elab *e, const Query *query, uint32_t a, uint32_t b) {
  const Definition *at = query->module->definitions.at;
  if (at[a].kind == DEFINES_FUNCTION || at[b].kind == DEFINES_FUNCTION) return false;
  if (at[a].kind == DEFINES_CHANGE || at[b].kind == DEFINES_CHANGE) return false;
  if (at[a].kind == DEFINES_OUTSIDE || at[b].kind == DEFINES_OUTSIDE)
    return at[a].kind == at[b].kind && !elab_on_host(e);
  Obj x = quiet_value(e, query, a), y = quiet_value(e, query, b);
  if (x.kind == OBJ_ERROR || y.kind == OBJ_ERROR) return false;
  return obj_equal(&x, &y) || (obj_is_unread(&x) && obj_is_unread(&y));
}

// True for a function or a module of Triton: a kernel can use it, and tilec can read it. False for names of
// unread libraries, and for values that cannot be evaluated.
static bool is_usable(Elab *e, const Query *query, uint32_t at) {
  const Definition *definition = &query->module->definitions.at[at];
  if (definition->kind == DEFINES_FUNCTION) return true;
  if (definition->kind != DEFINES_CONSTANT && definition->kind != DEFINES_IMPORT) return false;
  Obj obj = quiet_value(e, query, at);
  return obj.kind == OBJ_FUNCTION || obj.kind == OBJ_BUILTIN ||
         (obj.kind == OBJ_NAMESPACE && !obj_is_unread(&obj));
}

static bool is_unknown(Elab *e, const Query *query, uint32_t at) {
  const Definition *definition = &query->module->definitions.at[at];
  if (definition->kind != DEFINES_CONSTANT && definition->kind != DEFINES_IMPORT) return false;
  Obj obj = quiet_value(e, query, at);
  return obj.kind == OBJ_ERROR || obj_is_unread(&obj);
}

// True if both are in one `try`: one branch with the library, the other without it.
static bool of_one_try(const Guard *a, const Guard *b) {
  for (; a; a = a->outer)
    for (const Guard *at = b; at && a->stmt->kind == STMT_TRY; at = at->outer)
      if (at->stmt == a->stmt) return true;
  return false;
}

// Chooses between a function of an unread library and its replacement where the library is missing. A kernel
// that compiles uses the replacement. This is reported, as it may differ from the library's function. True:
// *found is chosen.
static bool take_readable(Elab *e, const Query *query, uint32_t at, Found *found) {
  const Definition *definition = &query->module->definitions.at[at];
  if (!of_one_try(definition->guard, found->definition->guard)) return false;
  bool this = is_unknown(e, query, found->at) && is_usable(e, query, at);
  if (!this && !(is_usable(e, query, found->at) && is_unknown(e, query, at))) return false;
  found->instead = this ? found->definition : definition;
  if (this) found->definition = definition, found->at = at;
  return true;
}

static bool is_triton(Elab *e, const Query *query, uint32_t at) {
  const Definition *definition = &query->module->definitions.at[at];
  if (definition->kind != DEFINES_CONSTANT && definition->kind != DEFINES_IMPORT) return false;
  Obj obj = quiet_value(e, query, at);
  return obj.kind == OBJ_NAMESPACE && !obj.file && elab_is_triton(obj.path);
}

// True for a replacement where Triton is missing: a Python object or class, None, or an unknown object.
static bool is_placeholder(Elab *e, const Query *query, uint32_t at) {
  const Definition *definition = &query->module->definitions.at[at];
  if (definition->kind == DEFINES_OUTSIDE) return true;
  if (is_unknown(e, query, at)) return true;
  Obj obj = quiet_value(e, query, at);
  return obj_is(&obj, CONST_NONE);
}

// Chooses between a module of Triton and its replacement. A kernel that compiles uses the module. True:
// *found is chosen.
static bool take_triton(Elab *e, const Query *query, uint32_t at, Found *found) {
  bool this = is_placeholder(e, query, found->at) && is_triton(e, query, at);
  if (!this && !(is_triton(e, query, found->at) && is_placeholder(e, query, at))) return false;
  if (this) found->definition = &query->module->definitions.at[at], found->at = at;
  return true;
}

// Adds a possible definition before the one that was found. A kernel that compiles calls no Python function,
// so if one of the two is such a function, the other is chosen.
static void take_possible(Elab *e, const Query *query, uint32_t at, Found *found) {
  const Definition *definition = &query->module->definitions.at[at];
  bool replaces = !found->definition ||
                  (found->definition->kind == DEFINES_OUTSIDE && definition->kind == DEFINES_FUNCTION);
  if (replaces) {
    found->definition = definition;
    found->at = at;
  } else if (!implied_by(found->definition->guard, definition->guard) &&
             !(found->definition->kind == DEFINES_FUNCTION && definition->kind == DEFINES_OUTSIDE) &&
             !same_meaning(e, query, found->at, at) && !take_readable(e, query, at, found) &&
             !take_triton(e, query, at, found))
    found->other = definition;
}

// A name that records if Triton was found keeps that value, whatever later code says about its drivers. A
// kernel is being compiled, so Triton was found.
static void take_found_triton(Elab *e, const Query *query, const Guard *scope, Found *found) {
  const Definition *definition;
  for (uint32_t i = module_last_in_scope(query->module, query->name, scope); i && found->other;
       i = definition->before_in_scope) {
    definition = &query->module->definitions.at[i - 1];
    if (i > query->visible || !machine_asks_for_triton(definition)) continue;
    if (elab_guard_truth(e, query->module, definition->guard) == TRUTH_YES)
      *found = (Found){.definition = definition, .at = i - 1};
  }
}

// Iterates over definitions of a name in a scope, backwards from the last visible one: its own definitions,
// and stars.
typedef struct Backwards {
  uint32_t named, stars; // 1 + index in definitions; 1 + index in Module.stars
} Backwards;

static bool next_before(const Query *query, Backwards *at, uint32_t *found) {
  const Module *module = query->module;
  while (at->named > query->visible) at->named = module->definitions.at[at->named - 1].before_in_scope;
  while (at->stars && module->stars.at[at->stars - 1] >= query->visible) at->stars--;
  uint32_t star = at->stars ? module->stars.at[at->stars - 1] + 1 : 0;
  if (!at->named && !star) return false;
  if (star > at->named) {
    *found = star - 1;
    at->stars--;
  } else {
    *found = at->named - 1;
    at->named = module->definitions.at[at->named - 1].before_in_scope;
  }
  return true;
}

static bool find_in(Elab *e, const Query *query, const Guard *scope, Found *found) {
  Truth truth = TRUTH_MAYBE;
  Backwards at = {module_last_in_scope(query->module, query->name, scope), query->module->stars.n};
  for (uint32_t i; truth != TRUTH_YES && !found->other && next_before(query, &at, &i);) {
    const Definition *definition = &query->module->definitions.at[i];
    if (guard_scope(definition->guard) != scope || !defines(e, query, definition)) continue;
    if (definition->target && !elab_loop_around(e, query->module, definition->guard)) continue;
    truth = elab_guard_truth(e, query->module, definition->guard);
    if (truth == TRUTH_NO) continue;
    take_possible(e, query, i, found);
  }
  if (found->other) take_found_triton(e, query, scope, found);
  found->builtin = found->definition && truth != TRUTH_YES && !found->other && !query->functions &&
                   builtin_find(query->name, SCOPE_PY);
  return found->definition != NULL;
}

// Finds functions within other functions. In Python only the outer function sees them. If there is exactly
// one, it is chosen.
static void find_anywhere(Elab *e, const Query *query, Found *found) {
  for (uint32_t next = module_last(query->module, query->name); next && !found->other;) {
    uint32_t i = next - 1;
    const Definition *definition = &query->module->definitions.at[i];
    next = definition->before;
    if (definition->kind != DEFINES_FUNCTION) continue;
    if (elab_guard_truth(e, query->module, definition->guard) == TRUTH_NO) continue;
    if (!found->definition)
      found->definition = definition, found->at = i;
    else if (guard_scope(found->definition->guard) != guard_scope(definition->guard))
      found->other = definition;
  }
}

// Searches from the innermost scope outwards.
static Found find(Elab *e, const Query *query) {
  Found found = {0};
  for (const Guard *scope = guard_scope(query->scope);; scope = guard_scope(scope->outer)) {
    if (find_in(e, query, scope, &found) || !scope) break;
  }
  if (!found.definition) find_anywhere(e, query, &found);
  return found;
}

// --- Messages ---

static const char *condition_text(Elab *e, const Expr *expr) {
  Str line = sources_line(e->ir->sources, expr->loc.file, expr->loc.line);
  size_t start = expr->loc.col ? expr->loc.col - 1u : 0, n = expr->loc.len;
  if (start >= line.n || n > line.n - start || n > 100) return "the condition";
  return arena_printf(e->arena, "'%.*s'", (int)n, line.at + start);
}

// The condition of the definition: "where 'HAS_X' holds".
static const char *describe_condition(Elab *e, const Module *module, const Definition *definition) {
  const Guard *guard = elab_undecided(e, module, definition->guard);
  if (!guard && !guard_scope(definition->guard)) return "without a condition";
  if (!guard) return arena_printf(e->arena, "in '%s'", guard_scope(definition->guard)->stmt->outside.name);
  const Stmt *stmt = guard->stmt;
  unsigned line = stmt->loc.line;
  switch (guard->kind) {
  case GUARD_ARM:
    if (guard->index < stmt->branch.arms.n)
      return arena_printf(e->arena, "where %s holds (line %u)",
                          condition_text(e, stmt->branch.arms.at[guard->index].condition),
                          stmt->branch.arms.at[guard->index].loc.line);
    return arena_printf(e->arena, "where %s does not hold (line %u)",
                        condition_text(e, stmt->branch.arms.at[0].condition), line);
  case GUARD_TRY:
  case GUARD_ORELSE: return arena_printf(e->arena, "where the 'try' of line %u does not fail", line);
  case GUARD_HANDLER: return arena_printf(e->arena, "where the 'try' of line %u fails", line);
  case GUARD_OUTSIDE:
  case GUARD_SCOPE: break;
  }
  return stmt->outside.what ? arena_printf(e->arena, "in the '%s' of line %u", stmt->outside.what, line)
                            : "in a block whose header is not supported";
}

static const char *how_to_decide(Elab *e, const Query *query, const Found *found) {
  const Module *module = query->module;
  bool constant = found->definition->kind == DEFINES_CONSTANT || found->other->kind == DEFINES_CONSTANT;
  const Guard *guard = elab_undecided(e, module, found->definition->guard);
  bool import;
  const char *name = elab_deciding_name(e, module, guard, &import);
  if (!name) name = elab_deciding_name(e, module, elab_undecided(e, module, found->other->guard), &import);
  if (name == query->name && constant) name = NULL;
  const char *or_give = constant ? arena_printf(e->arena, "; or give -D %s=VALUE", query->name) : "";
  if (name && import)
    return arena_printf(e->arena,
                        "decide with -D %s=True where that import works, -D %s=None where it fails%s", name,
                        name, or_give);
  if (name) return arena_printf(e->arena, "decide with -D %s=VALUE", name);
  if (constant) return arena_printf(e->arena, "give it with -D %s=VALUE", query->name);
  if (guard && guard->kind != GUARD_ARM)
    return "let a name of the module level decide, as in 'if HAS_X:', and give that with -D HAS_X=VALUE";
  return "let the condition be a name of the module level, and give that with -D";
}

// True if an error has its first note at this place.
static bool was_said(const Elab *e, Loc loc) {
  for (uint32_t i = 0; i < e->diags->list.n; i++) {
    const Diag *diag = e->diags->list.at[i];
    const Loc at = diag->notes.n ? diag->notes.at[0]->loc : diag->loc;
    if (diag->severity == DIAG_ERROR && at.file == loc.file && at.line == loc.line && at.col == loc.col)
      return true;
  }
  return false;
}

// Reports once, however often the name is used.
static void report_possible(Elab *e, Loc loc, const Query *query, const Found *found) {
  const Definition *a = found->definition, *b = found->other;
  Diag *diag;
  if (was_said(e, b->loc)) return;
  if (guard_scope(a->guard) != guard_scope(b->guard))
    diag = diag_error(e->diags, elab_loc(e, loc),
                      "[T1004] '%s' is defined in several functions: write '%s' or '%s'", query->name,
                      qualified_name(e->arena, b->guard, query->name),
                      qualified_name(e->arena, a->guard, query->name));
  else
    diag =
        diag_error(e->diags, elab_loc(e, loc),
                   "[T0404] '%s' has two definitions, and which of them holds is unknown at compile time: %s",
                   query->name, how_to_decide(e, query, found));
  diag_note(e->diags, diag, b->loc, "one is here, %s", describe_condition(e, query->module, b));
  diag_note(e->diags, diag, a->loc, "the other is here, %s", describe_condition(e, query->module, a));
}

static void report_builtin(Elab *e, Loc loc, const Query *query, const Found *found) {
  Diag *diag = diag_error(e->diags, elab_loc(e, loc),
                          "[T0404] '%s' is either Python's function or the file's definition, which "
                          "is unknown at compile time",
                          query->name);
  diag_note(e->diags, diag, found->definition->loc, "it is defined here, %s",
            describe_condition(e, query->module, found->definition));
}

// Warns about a function that is defined twice on one path. Python's last one wins, but the user may have
// meant the other.
static void warn_redefined(Elab *e, const Query *query, const Found *found) {
  const Definition *now = found->definition;
  if (now->kind != DEFINES_FUNCTION) return;
  for (const Definition *before = now; before->before_in_scope;) {
    before = &query->module->definitions.at[before->before_in_scope - 1];
    if (before->kind != DEFINES_FUNCTION || !implied_by(before->guard, now->guard)) continue;
    Diag *diag = diag_warning(e->diags, now->loc,
                              "[T0404] '%s' is defined twice; this one, the last, is used", now->name);
    diag_note(e->diags, diag, before->loc, "the one before it is here");
    return;
  }
}

static void warn_unread(Elab *e, const Query *query, const Found *found) {
  if (!found->instead) return;
  Diag *diag =
      diag_warning(e->diags, found->definition->loc,
                   "[T0404] '%s' may come from a library that is not read; the definition for a missing "
                   "library, this one, is used",
                   query->name);
  diag_note(e->diags, diag, found->instead->loc, "it comes from the library here");
}

// --- For the rest of elaboration ---

const ConstValue *elab_given_value(const Elab *e, const char *name) {
  const Function *kernel = e->kernel;
  for (uint32_t i = 0; kernel && i < kernel->params.n; i++)
    if (kernel->params.at[i].name == name) return NULL;
  for (uint32_t i = e->spec ? e->spec->constexpr_count : 0; i-- > 0;)
    if (strcmp(e->spec->constexprs[i].name, name) == 0) return &e->spec->constexprs[i].value;
  return NULL;
}

static bool module_has(const Module *module, const char *name) {
  return module_last_in_scope(module, name, NULL) != 0;
}

bool elab_own_name(Elab *e, Loc loc, const char *name, Obj *obj) {
  const Module *module = e->frame->module;
  Query query = {
      .module = module, .name = name, .visible = e->frame->visible, .scope = frame_scope(e->frame)};
  const ConstValue *given = e->only_written ? NULL : elab_given_value(e, name);
  if (given && module_has(module, name)) {
    *obj = obj_from_const(e, given);
    return true;
  }
  Found found = find(e, &query);
  if (!found.definition) return false;
  *obj = obj_error();
  if (found.other)
    report_possible(e, loc, &query, &found);
  else if (found.builtin)
    report_builtin(e, loc, &query, &found);
  else {
    warn_redefined(e, &query, &found);
    warn_unread(e, &query, &found);
    *obj = elab_definition_value(e, loc, module, found.at, name);
  }
  return true;
}

const Expr *elab_assigned_expr(Elab *e, const char *name) {
  Query query = {
      .module = e->frame->module, .name = name, .visible = e->frame->module->definitions.n, .assigned = true};
  Found found = find(e, &query);
  if (!found.definition || found.other || found.definition->kind != DEFINES_CONSTANT) return NULL;
  const Stmt *stmt = found.definition->stmt;
  return stmt->kind == STMT_ASSIGN ? stmt->assign.value : NULL;
}

// The scope "Model.forward" of "Model.forward.kernel". *name becomes the text after it.
static bool find_scope(const Module *module, const char **name, const Guard **scope) {
  if (!strchr(*name, '.')) return true;
  const Function *function = module_inner_function(module, *name);
  if (!function) return false;
  *scope = function->guard;
  *name = function->name;
  return true;
}

// `k = make_kernel(relu)`: the jit function assigned to the name. It sees the names of its factory.
static const Function *made_function(Elab *e, const Module *module, const char *name) {
  Obj obj;
  if (!module_has(module, name) || !elab_file_member(e, LOC_NONE, module, name, &obj)) return NULL;
  if (obj.kind != OBJ_FUNCTION || obj.function->plain) return NULL;
  e->kernel_closure = obj.closure;
  return obj.function;
}

// A kernel that is requested by name although the conditions around it exclude it. Gives a warning and uses
// it.
static const Function *excluded_function(Elab *e, const Query *query) {
  const Definition *definition;
  for (uint32_t i = module_last_in_scope(query->module, query->name, guard_scope(query->scope)); i;
       i = definition->before_in_scope) {
    definition = &query->module->definitions.at[i - 1];
    if (definition->kind != DEFINES_FUNCTION) continue;
    diag_warning(e->diags, definition->loc,
                 "[T0404] the conditions around '%s' do not hold here; it is compiled as if they did",
                 query->name);
    e->assumed = definition->guard;
    return definition->function;
  }
  return NULL;
}

const Function *elab_function(Elab *e, const Module *module, const char *name) {
  Query query = {.module = module, .visible = module->definitions.n, .functions = true};
  if (!find_scope(module, &name, &query.scope)) return NULL;
  query.name = intern(&e->ir->names, str_from(name));
  Found found = find(e, &query);
  e->kernel_closure = NULL;
  if (!found.definition) {
    const Function *made = query.scope ? NULL : made_function(e, module, query.name);
    return made ? made : excluded_function(e, &query);
  }
  if (found.other) {
    report_possible(e, found.definition->loc, &query, &found);
    return NULL;
  }
  warn_redefined(e, &query, &found);
  return found.definition->function;
}

bool elab_is_current(Elab *e, const Module *module, const Function *function) {
  Query query = {.module = module,
                 .name = function->name,
                 .visible = module->definitions.n,
                 .scope = function->guard,
                 .functions = true};
  if (elab_guard_truth(e, module, function->guard) == TRUTH_NO) return false;
  Found found = find(e, &query);
  return found.definition && found.definition->function == function;
}

typedef VEC(const Module *) ModuleList;

static bool files_have(Elab *e, const Module *module, const char *name, ModuleList *seen) {
  for (uint32_t i = 0; module && i < seen->n; i++)
    if (seen->at[i] == module) return false;
  if (!module) return false;
  vec_push(e->arena, seen, module);
  if (module_has(module, name)) return true;
  for (uint32_t i = 0; i < module->imports.n; i++)
    for (uint32_t k = 0; k < module->imports.at[i]->names.n; k++) {
      const ImportName *item = &module->imports.at[i]->names.at[k];
      if (files_have(e, item->module, name, seen) || files_have(e, item->whole, name, seen)) return true;
    }
  return false;
}

bool elab_is_module_name(Elab *e, const char *name) {
  ModuleList seen = {0};
  return files_have(e, e->module, intern(&e->ir->names, str_from(name)), &seen);
}
