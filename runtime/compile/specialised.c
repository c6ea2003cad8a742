// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compile/specialised.h"

#include "base/plain.h"
#include "ir/dot/dot.h"
#include "ir/queries.h"
#include "runtime/cache/bundle.h"

enum { FACTS, CONSTEXPRS, OPTIONS, ITEM_MOST = 400 }; // bytes of an item, for display
const char *const specialised_fields[] = {
    [FACTS] = "facts", [CONSTEXPRS] = "constexprs", [OPTIONS] = "options"};

static void end_item(Buf *part, Buf *item) {
  buf_plain(part, buf_view(item), ITEM_MOST);
  buf_char(part, '\t');
  item->n = 0;
}

// The kernel's parameters that the argument becomes.
static uint32_t part_count(const ParamSpec *argument) {
  uint32_t count = argument->form == PARAM_PLAIN        ? 1
                   : argument->form == PARAM_DESCRIPTOR ? descriptor_parts(argument->type->rank)
                                                        : 0;
  for (uint32_t i = 0; argument->form == PARAM_TUPLE && i < argument->item_count; i++)
    count += part_count(&argument->items[i]);
  return count;
}

static void list_facts(const Func *func, Buf *part, Buf *item) {
  for (uint32_t i = 0, at = 0; i < func->argument_count && func->arguments; i++) {
    const ParamSpec *argument = &func->arguments[i];
    buf_printf(item, "%s=", argument->name);
    param_print(argument, item);
    const ParamFacts facts = argument->form == PARAM_PLAIN ? func->params[at].facts : (ParamFacts){0};
    buf_text(item, facts.equal1 ? ":1" : facts.divisible16 ? ":16" : "");
    end_item(part, item);
    at += part_count(argument);
  }
}

static void list_constexprs(const Func *func, Buf *part, Buf *item) {
  for (uint32_t i = 0; i < func->constexpr_count; i++) {
    buf_printf(item, "%s=", func->constexprs[i].name);
    const_print(&func->constexprs[i].value, item);
    end_item(part, item);
  }
}

// The key has the precision of each fp32 dot, not the option.
static void list_precisions(const Func *func, Buf *part) {
  bool found[FP32_DOT_COUNT] = {false};
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_DOT) found[dot_precision(w.op)] = true;
  for (int i = FP32_DOT_IEEE + 1; i < FP32_DOT_COUNT; i++)
    if (found[i]) buf_printf(part, "--fp32-dot=%s\t", fp32_dot_names[i]);
}

// The options that are in the key. Those with their defaults are left out.
static void list_options(const Compilation *c, Buf *part, Buf *item) {
  const Target *t = &c->module->target, usual = target_default();
  target_print_arch(t, item);
  end_item(part, item);
  buf_printf(part, "%u warps\t%u stages\t", t->num_warps, t->num_stages);
  if (t->maxnreg) buf_printf(part, "--maxnreg=%u\t", t->maxnreg);
  if (t->opt_level != usual.opt_level) buf_printf(part, "-O%u\t", t->opt_level);
  if (t->debug) buf_text(part, "--debug\t");
  list_precisions(c->module->funcs.at[0], part);
  if (!t->fp_contract) buf_text(part, "--fp-contract=off\t");
  if (t->fast_math) buf_text(part, "--fast-math\t");
  if (t->overlap) buf_text(part, "--overlap\t");
  if (t->restrict_pointers) buf_text(part, "--restrict\t");
  if (t->tma != TMA_AUTO) buf_printf(part, "--tma=%s\t", tma_names[t->tma]);
  if (t->warp_roles != WARP_ROLES_AUTO)
    buf_printf(part, "--warp-specialize=%s\t", warp_roles_names[t->warp_roles]);
  if (t->epilogue != EPILOGUE_AUTO) buf_printf(part, "--epilogue=%s\t", epilogue_names[t->epilogue]);
  if (t->persistent != PERSIST_AUTO) buf_printf(part, "--persistent=%s\t", persist_names[t->persistent]);
  if (!c->launched) buf_text(part, "not launched by tilec\t");
}

void specialised_of(const Compilation *c, Specialised *s) {
  const Func *func = c->module->funcs.at[0];
  Buf item = {0};
  list_facts(func, &s->parts[FACTS], &item);
  list_constexprs(func, &s->parts[CONSTEXPRS], &item);
  list_options(c, &s->parts[OPTIONS], &item);
  buf_free(&item);
}

void specialised_free(Specialised *s) {
  for (uint32_t i = 0; i < SPECIALISED_PARTS; i++) buf_free(&s->parts[i]);
}

void specialised_put(const Specialised *s, Buf *fields) {
  for (uint32_t i = 0; i < SPECIALISED_PARTS; i++) {
    buf_printf(fields, "\n%s=", specialised_fields[i]);
    buf_str(fields, buf_view(&s->parts[i]));
  }
}

bool specialised_next(Str *part, Str *item) {
  const char *end = part->n ? memchr(part->at, '\t', part->n) : NULL;
  if (!end) return false;
  *item = (Str){part->at, (size_t)(end - part->at)};
  *part = (Str){end + 1, part->n - item->n - 1};
  return true;
}

void specialised_show(const Specialised *s, Buf *out) {
  static const char *const between[] = {",", " ", ", "};
  Str item;
  bool any = false;
  for (uint32_t i = 0; i < SPECIALISED_PARTS; i++) {
    bool first = true;
    for (Str part = buf_view(&s->parts[i]); specialised_next(&part, &item); any = true, first = false) {
      if (any) buf_text(out, first && i == CONSTEXPRS ? " " : between[i]);
      buf_str(out, item);
    }
  }
}

// --- The nearest entry ---

static bool has_item(Str part, Str wanted) {
  for (Str item; specialised_next(&part, &item);)
    if (str_eq(item, wanted)) return true;
  return false;
}

// Counts the items of `a` that `b` lacks, and appends them.
static uint32_t missing(Str a, Str b, Buf *out) {
  uint32_t count = 0;
  for (Str item; specialised_next(&a, &item);) {
    if (has_item(b, item)) continue;
    buf_text(out, out->n ? ", " : "");
    buf_str(out, item);
    count++;
  }
  return count;
}

typedef struct Nearest {
  const Specialised *wanted;
  const char *kernel;
  uint32_t least; // differences; UINT32_MAX: no entry yet
  Buf has, lacks;
} Nearest;

static void compare(const CacheEntry *entry, void *data) {
  Nearest *n = data;
  Buf has = {0}, lacks = {0};
  uint32_t count = 0;
  if (!str_eq(cache_field(entry, "kernel"), str_from(n->kernel)) ||
      !str_eq(cache_field(entry, "kind"), str_from("ptx")))
    return;
  for (uint32_t i = 0; i < SPECIALISED_PARTS; i++) {
    Str own = cache_field(entry, specialised_fields[i]), wanted = buf_view(&n->wanted->parts[i]);
    count += missing(own, wanted, &has) + missing(wanted, own, &lacks);
  }
  bool nearer = count < n->least;
  buf_free(nearer ? &n->has : &has);
  buf_free(nearer ? &n->lacks : &lacks);
  if (nearer) *n = (Nearest){n->wanted, n->kernel, count, has, lacks};
}

void specialised_nearest(const Specialised *s, const char *kernel, Buf *out) {
  Nearest n = {.wanted = s, .kernel = kernel, .least = UINT32_MAX};
  if (!bundle_each(compare, &n))
    buf_text(out, "TILEC_BUNDLE is not set");
  else if (n.least == UINT32_MAX)
    buf_printf(out, "the bundle has no entry of '%s'", kernel);
  else if (!n.least)
    buf_printf(out, "the bundle has an entry with all of this: the code or the lines of '%s' differ", kernel);
  else
    buf_printf(out, "the nearest entry in the bundle %s%s%s%s",
               !n.has.n     ? "lacks "
               : !n.lacks.n ? "also has "
                            : "has ",
               n.has.n ? buf_view(&n.has).at : "", n.has.n && n.lacks.n ? ", and this launch " : "",
               buf_view(&n.lacks).at);
  buf_free(&n.has);
  buf_free(&n.lacks);
}
