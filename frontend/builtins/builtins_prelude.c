// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls functions of prelude.tile, which is parsed at the first call.
#include "frontend/builtins/builtins.h"
#include "frontend/module/elab_module.h"
#include "frontend/syntax/syntax.h"

extern const char language_prelude[], language_prelude_end[];

static const Module *prelude(Elab *e) {
  if (e->prelude) return e->prelude;
  Str text = {language_prelude, (size_t)(language_prelude_end - language_prelude)};
  uint16_t file = sources_add(e->ir->sources, "prelude.tile", text);
  return e->prelude = syntax_parse(e->arena, &e->ir->names, e->diags, e->ir->sources, file, SYNTAX_TILE);
}

Obj builtin_prelude(Elab *e, Loc loc, const char *name, uint32_t n, const Obj *args) {
  const Module *module = prelude(e);
  uint32_t last = module_last(module, intern(&e->ir->names, str_from(name)));
  Obj function = {.kind = OBJ_FUNCTION, .function = module->definitions.at[last - 1].function};
  Loc outer = e->site;
  if (!outer.line) e->site = elab_loc(e, loc);
  Obj result = elab_apply(e, loc, &function, n, args);
  e->site = outer;
  e->b.loc = elab_loc(e, loc);
  return result;
}

Obj builtin_prelude_value(Elab *e, Loc loc, const char *name, Value *x) {
  Obj arg = obj_value(x);
  return builtin_prelude(e, loc, name, 1, &arg);
}

Obj builtin_prelude_call(Elab *e, Call *call) {
  uint32_t n = 1;
  for (const char *at = call->builtin->params; *at; at++) n += *at == ' ';
  return builtin_prelude(e, call->loc, call->builtin->name, n, call->args);
}
