// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes types and values of expressions and names, for editors. The first value at a location is kept, as loops and
// calls come to one location several times.
#include "base/hash.h"
#include "frontend/elaborate/elaborate.h"

enum { MAX_FOUND = 100000, MAX_ITEMS = 8, MAX_TEXT = 200 };

// --- Texts ---

void frontend_print_type(const Type *type, Buf *out) {
  if (type->kind != TYPE_TILE) {
    type_print(type, out);
    return;
  }
  type_print(type->inner, out);
  for (uint32_t i = 0; i < type->rank; i++) buf_printf(out, "%s%u", i ? ", " : "[", type->shape[i]);
  buf_char(out, ']');
}

static void print_found(const Obj *obj, Buf *out) {
  if (obj->kind == OBJ_VALUE)
    frontend_print_type(obj->value->type, out);
  else if (obj->kind == OBJ_CONST)
    const_print(&obj->constant, out);
  else if (obj->kind == OBJ_FUNCTION)
    buf_printf(out, "function %s", obj->function->name);
  else if (obj->kind == OBJ_NAMESPACE)
    buf_printf(out, "module %s", obj->path);
  else if (obj->kind == OBJ_NAMED)
    buf_printf(out, "class %s", obj->named->name);
  else if (obj->kind == OBJ_TUPLE) {
    buf_char(out, '(');
    for (uint32_t i = 0; i < obj->items.n && i < MAX_ITEMS && out->n < MAX_TEXT; i++) {
      if (i) buf_text(out, ", ");
      print_found(&obj->items.at[i], out);
    }
    buf_text(out, obj->items.n > MAX_ITEMS ? ", ...)" : obj->items.n == 1 ? ",)" : ")");
  }
}

// "tl.load". The reference describes methods of tiles as functions of tl.
static const char *reference_name(Elab *e, const Builtin *builtin) {
  static const struct {
    uint32_t scope;
    const char *prefix;
  } prefixes[] = {{SCOPE_TL, "tl."},
                  {SCOPE_LIB, "libdevice."},
                  {SCOPE_DESCRIPTOR, "tensor_descriptor."},
                  {SCOPE_METHOD, "tensor."},
                  {SCOPE_TYPE, "dtype."}};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (builtin->scope & prefixes[i].scope)
      return arena_printf(e->arena, "%s%s", prefixes[i].prefix, builtin->name);
  return builtin->name;
}

bool frontend_next_builtin(LanguageScope scope, uint32_t *n, const char **name, const char **params) {
  static const uint32_t scopes[] = {SCOPE_TL, SCOPE_LIB, SCOPE_METHOD};
  while (*n < builtin_count) {
    const Builtin *builtin = &builtin_table[(*n)++];
    if (!(builtin->scope & scopes[scope]) || !builtin->run) continue;
    *name = builtin->name;
    *params = builtin->params;
    return true;
  }
  return false;
}

// --- Notes ---

static bool is_found(const void *entry, const void *key) {
  const FoundValue *a = entry, *b = key;
  return a->loc.line == b->loc.line && a->loc.col == b->loc.col && a->loc.len == b->loc.len &&
         a->loc.file == b->loc.file && a->name == b->name;
}

static uint64_t hash_found(const FoundValue *found) {
  uint64_t place = (uint64_t)found->loc.line << 32 | (uint64_t)found->loc.col << 16 | found->loc.len;
  return hash_u64(hash_u64(place) ^ found->loc.file ^ (uint64_t)(uintptr_t)found->name);
}

static bool is_shown(const Obj *obj) {
  return obj->kind != OBJ_ERROR && obj->kind != OBJ_ABSENT && obj->kind != OBJ_TYPE;
}

static void note(Elab *e, Loc loc, const char *name, const Obj *obj) {
  FrontendWatch *watch = e->watch;
  FoundValue key = {.loc = loc, .name = name};
  if (!loc.line || !is_shown(obj) || watch->list.n >= MAX_FOUND) return;
  key.loc.call = 0;
  void **place = table_place(&watch->known, e->arena, hash_found(&key), &key, is_found);
  const Type *type = obj->kind == OBJ_VALUE ? obj->value->type : NULL;
  FoundValue *found = *place;
  if (found) {
    bool same = found->type == type && found->is_constexpr == (obj->kind == OBJ_CONST);
    if (!same || (found->is_constexpr && !const_equal(&found->constant, &obj->constant)))
      found->varies = true;
    return;
  }
  Buf text = {0};
  found = *place = ARENA_NEW(e->arena, FoundValue);
  *found = key;
  found->type = type;
  found->is_constexpr = obj->kind == OBJ_CONST;
  if (found->is_constexpr) found->constant = obj->constant;
  if (obj->kind == OBJ_BUILTIN)
    found->builtin = found->text = reference_name(e, obj->builtin);
  else {
    print_found(obj, &text);
    found->text = elab_text(e, &text);
  }
  vec_push(e->arena, &watch->list, found);
}

void elab_watch_expr(Elab *e, Loc loc, const Obj *obj) { note(e, loc, NULL, obj); }

void elab_watch_name(Elab *e, Loc loc, const char *name, const Obj *obj) { note(e, loc, name, obj); }
