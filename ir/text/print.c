// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints tile IR as text: layouts as aliases, values by their name hints made unique, every location.
#include "ir/text/print.h"
#include "base/fault.h"

#include <math.h>

#include "base/hash.h"
#include "base/table.h"

typedef struct GivenName {
  const char *name;
  uint32_t next; // the number to try next if the name is needed again
} GivenName;

typedef struct IrPrinter {
  IrContext *ir;
  IrModule *module;
  Buf *out;
  bool locs, bodies, only_code;
  Buf *numbered; // PrintOptions.files
  Arena scratch;
  LayoutNames layouts;
  VEC(const char *) files; // by number, if numbered
  const char **names;      // of values by id; NULL: the id itself
  Table given;             // in this scope: GivenName
} IrPrinter;

static bool is_named(const void *given, const void *name) {
  return strcmp(((const GivenName *)given)->name, name) == 0;
}

// Assigns the name in this scope; *taken: it was assigned before.
static GivenName *name_give(IrPrinter *p, const char *name, bool *taken) {
  void **place = table_place(&p->given, &p->scratch, hash_bytes(name, strlen(name)), name, is_named);
  *taken = *place != NULL;
  if (!*taken) {
    GivenName *given = ARENA_NEW(&p->scratch, GivenName);
    *given = (GivenName){.name = name, .next = 1};
    *place = given;
  }
  return *place;
}

static void name_value(IrPrinter *p, const Value *value) {
  const char *hint = value->name;
  const Region *region = value->region;
  if (region && !region->parent && value->index < region->func->param_count)
    hint = region->func->params[value->index].name;
  if (!hint || !name_is_plain(str_from(hint))) return;
  bool taken;
  GivenName *hinted = name_give(p, hint, &taken);
  const char *name = hint;
  while (taken) {
    name = arena_printf(&p->scratch, "%s_%u", hint, hinted->next++);
    name_give(p, name, &taken);
  }
  p->names[value->id] = name;
}

static void name_region(IrPrinter *p, const Region *region) {
  for (uint32_t i = 0; i < region->arg_count; i++) name_value(p, region->args[i]);
  for (const Op *op = region->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->result_count; i++) name_value(p, &op->results[i]);
    for (uint32_t i = 0; i < op->region_count; i++) name_region(p, op->regions[i]);
  }
}

static void name_scope(IrPrinter *p, const Region *region) {
  p->given = (Table){0};
  name_region(p, region);
}

static void collect_layout(IrPrinter *p, const Layout *layout) {
  if (!layout) return;
  for (uint32_t i = 0; i < p->layouts.list.n; i++)
    if (p->layouts.list.at[i] == layout) return;
  vec_push(&p->scratch, &p->layouts.list, layout);
}

static void collect_layouts(IrPrinter *p, const Region *region) {
  for (uint32_t i = 0; i < region->arg_count; i++) collect_layout(p, region->args[i]->type->layout);
  for (const Op *op = region->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->attrs.n; i++)
      if (attr_info(op->attrs.at[i].key)->kind == ATTR_KIND_LAYOUT) collect_layout(p, op->attrs.at[i].layout);
    for (uint32_t i = 0; i < op->result_count; i++) collect_layout(p, op->results[i].type->layout);
    for (uint32_t i = 0; i < op->region_count; i++) collect_layouts(p, op->regions[i]);
  }
}

static void print_value(IrPrinter *p, const Value *value) {
  if (p->names[value->id])
    buf_printf(p->out, "%%%s", p->names[value->id]);
  else
    buf_printf(p->out, "%%%u", value->id);
}

static void print_file(IrPrinter *p, uint16_t file) {
  const char *name = sources_name(p->ir->sources, file);
  uint32_t number = 0;
  if (!p->numbered || name[0] == '<') {
    buf_quoted(p->out, str_from(name));
    return;
  }
  while (number < p->files.n && strcmp(p->files.at[number], name) != 0) number++;
  if (number == p->files.n) {
    vec_push(&p->scratch, &p->files, name);
    buf_printf(p->numbered, "%s\n", name);
  }
  buf_printf(p->out, "%u", number);
}

static void print_place(IrPrinter *p, Loc loc) {
  print_file(p, loc.file);
  buf_printf(p->out, ":%u:%u", loc.line, loc.col);
  if (loc.len) buf_printf(p->out, "+%u", loc.len);
}

static void print_loc(IrPrinter *p, Loc loc) {
  if (!p->locs) return;
  buf_text(p->out, " loc(");
  if (loc.line == 0)
    buf_text(p->out, "none");
  else
    print_place(p, loc);
  const Sources *sources = p->ir->sources;
  for (uint16_t call = loc.line ? loc.call : 0; call && call < sources->calls.n;) {
    buf_text(p->out, " at ");
    print_place(p, sources->calls.at[call]);
    uint16_t outer = sources->calls.at[call].call; // an outer call is older
    call = outer < call ? outer : 0;
  }
  buf_char(p->out, ')');
}

static void print_float(double value, Buf *out) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (isnan(value) && bits != UINT64_C(0x7ff8000000000000))
    buf_printf(out, "nan(0x%llx)", (unsigned long long)bits);
  else
    buf_double(out, value);
}

static void print_layout(IrPrinter *p, const Layout *layout) {
  for (uint32_t i = 0; i < p->layouts.list.n; i++)
    if (p->layouts.list.at[i] == layout) buf_printf(p->out, "#l%u", i);
}

static void print_attr(IrPrinter *p, const Attr *attr) {
  const AttrInfo *info = attr_info(attr->key);
  buf_text(p->out, info->name);
  if (info->kind != ATTR_KIND_FLAG) buf_text(p->out, " = ");
  switch (info->kind) {
  case ATTR_KIND_INT: buf_printf(p->out, "%lld", (long long)attr->i); break;
  case ATTR_KIND_FLOAT: print_float(attr->f, p->out); break;
  case ATTR_KIND_STR: buf_quoted(p->out, str_from(attr->str)); break;
  case ATTR_KIND_FLAG: break;
  case ATTR_KIND_INTS:
    for (uint32_t i = 0; i < attr->ints.n; i++)
      buf_printf(p->out, "%s%lld", i ? ", " : "[", (long long)attr->ints.at[i]);
    buf_text(p->out, attr->ints.n ? "]" : "[]");
    break;
  case ATTR_KIND_LAYOUT: print_layout(p, attr->layout); break;
  case ATTR_KIND_ENUM: buf_quoted(p->out, str_from(attr_words(attr->key).at[attr->i])); break;
  }
}

static void print_attrs(IrPrinter *p, const Op *op) {
  for (uint32_t i = 0; i < op->attrs.n; i++) {
    buf_text(p->out, i ? ", " : " {");
    print_attr(p, &op->attrs.at[i]);
  }
  if (op->attrs.n) buf_char(p->out, '}');
}

static void print_typed(IrPrinter *p, const Value *value) {
  print_value(p, value);
  buf_text(p->out, ": ");
  type_print_named(value->type, &p->layouts, p->out);
}

static void print_ops(IrPrinter *p, const Region *region, int indent);

const char *region_word(OpKind kind, uint32_t index) {
  if (kind == OP_IF) return index == 0 ? "then" : "else";
  if (kind == OP_WHILE && index == 0) return "test";
  return "do";
}

static void print_region(IrPrinter *p, const Op *op, uint32_t index, int indent) {
  const Region *region = op->regions[index];
  buf_printf(p->out, " %s ", region_word(op->kind, index));
  for (uint32_t i = 0; i < region->arg_count; i++) {
    buf_text(p->out, i ? ", " : "(");
    print_typed(p, region->args[i]);
  }
  buf_text(p->out, region->arg_count ? ") {\n" : "{\n");
  print_ops(p, region, indent + 2);
  buf_spaces(p->out, indent);
  buf_char(p->out, '}');
}

static void print_op(IrPrinter *p, const Op *op, int indent) {
  buf_spaces(p->out, indent);
  for (uint32_t i = 0; i < op->result_count; i++) {
    if (i) buf_text(p->out, ", ");
    print_value(p, &op->results[i]);
  }
  if (op->result_count) buf_text(p->out, " = ");
  buf_text(p->out, op_info(op->kind)->name);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    buf_text(p->out, i ? ", " : " ");
    print_value(p, op->operands[i].value);
  }
  print_attrs(p, op);
  for (uint32_t i = 0; i < op->result_count; i++) {
    buf_text(p->out, i ? ", " : " : ");
    type_print_named(op->results[i].type, &p->layouts, p->out);
  }
  for (uint32_t i = 0; i < op->region_count; i++) print_region(p, op, i, indent);
  print_loc(p, op->loc);
  buf_char(p->out, '\n');
}

static void print_ops(IrPrinter *p, const Region *region, int indent) {
  for (const Op *op = region->first; op; op = op->next) print_op(p, op, indent);
}

static void print_params(IrPrinter *p, const Func *func) {
  buf_char(p->out, '(');
  for (uint32_t i = 0; i < func->param_count; i++) {
    const FuncParam *param = &func->params[i];
    if (param->hidden == HIDDEN_TENSOR_MAP) continue; // print_map prints it
    const bool facts[] = {param->facts.divisible16, param->facts.equal1, param->facts.none};
    const char *const names[] = {"divisible16", "equal1", "none"};
    buf_printf(p->out, "%s%%%s: ", i ? ", " : "", param->name);
    type_print_named(param->type, &p->layouts, p->out);
    bool any = false;
    for (int k = 0; k < 3; k++) {
      if (facts[k]) buf_printf(p->out, "%s%s", any ? ", " : " {", names[k]);
      any = any || facts[k];
    }
    if (param->hidden) buf_printf(p->out, "%shidden = %s", any ? ", " : " {", hidden_name(param->hidden));
    if (any || param->hidden) buf_char(p->out, '}');
    print_loc(p, param->loc);
  }
  buf_char(p->out, ')');
}

static void print_constexprs(const Func *func, Buf *out) {
  if (!func->constexpr_count) return;
  buf_text(out, " constexpr {");
  for (uint32_t i = 0; i < func->constexpr_count; i++) {
    buf_printf(out, "%s%s = ", i ? ", " : "", func->constexprs[i].name);
    const_print(&func->constexprs[i].value, out);
  }
  buf_char(out, '}');
}

static void print_map(IrPrinter *p, const Func *func, const HostRegion *host) {
  uint32_t i = func_visible_params(func);
  while (i < func->param_count && func->params[i].name != host->name) i++;
  buf_printf(p->out, " map %%%s: ", host->name);
  if (i < func->param_count) {
    type_print(func->params[i].type, p->out);
    print_loc(p, func->params[i].loc);
  }
}

static void print_grid(IrPrinter *p, const HostRegion *host) {
  buf_printf(p->out, " %s ", host_info(host->kind)->name);
  if (host->name) buf_printf(p->out, "@%s ", host->name);
  buf_char(p->out, '[');
  for (uint32_t i = 0; i < HOST_VALUES && host->text[i]; i++) {
    if (i) buf_text(p->out, ", ");
    buf_quoted(p->out, str_from(host->text[i]));
  }
  buf_char(p->out, ']');
}

static void print_host(IrPrinter *p, const Func *func, const HostRegion *host) {
  if (host->kind == HOST_MAP)
    print_map(p, func, host);
  else
    print_grid(p, host);
  buf_text(p->out, " {\n");
  name_scope(p, host->region);
  print_ops(p, host->region, 2);
  buf_char(p->out, '}');
}

static void print_plan(const Func *func, Buf *out) {
  if (!func->plan) return;
  const char *before = " plan = [";
  for (int i = 0; i < PLAN_FLAGS; i++) {
    if (!func_plans(func, (PlanFlag)i)) continue;
    buf_printf(out, "%s%s", before, plan_names[i]);
    before = ", ";
  }
  buf_char(out, ']');
}

static void print_func(IrPrinter *p, Func *func) {
  p->names = ARENA_ARRAY(&p->scratch, const char *, func->value_count);
  buf_printf(p->out, "kernel @%s", func->name);
  print_params(p, func);
  print_constexprs(func, p->out);
  for (uint32_t i = 0; i < func->host.n; i++)
    if (!p->only_code || func->host.at[i]->kind != HOST_GRID) print_host(p, func, func->host.at[i]);
  print_plan(func, p->out);
  if (func->min_blocks) buf_printf(p->out, " min_blocks = %u", func->min_blocks);
  print_loc(p, func->loc);
  buf_text(p->out, " {\n");
  if (p->bodies) {
    name_scope(p, func->body);
    print_ops(p, func->body, 2);
  } else {
    buf_text(p->out, "  return\n");
  }
  buf_text(p->out, "}\n");
}

static void print_options(const IrPrinter *p) {
  const IrModule *module = p->module;
  const Target *target = &module->target;
  Buf *out = p->out;
  buf_text(out, "module target = \"");
  target_print_arch(target, out);
  buf_printf(out, "\", num_warps = %u, num_stages = %u, maxnreg = %u", target->num_warps, target->num_stages,
             target->maxnreg);
  if (!p->only_code) buf_printf(out, ", fp32_dot = \"%s\"", fp32_dot_names[target->fp32_dot]);
  buf_printf(out, ", fp_contract = %s, opt_level = %u, debug = %s", target->fp_contract ? "true" : "false",
             target->opt_level, target->debug ? "true" : "false");
  if (target->fast_math) buf_text(out, ", fast_math = true");
  if (target->overlap) buf_text(out, ", overlap = true");
  if (target->restrict_pointers) buf_text(out, ", restrict_pointers = true");
  if (target->tma != TMA_AUTO) buf_printf(out, ", tma = \"%s\"", tma_names[target->tma]);
  if (target->warp_roles != WARP_ROLES_AUTO)
    buf_printf(out, ", warp_specialize = \"%s\"", warp_roles_names[target->warp_roles]);
  if (target->epilogue != EPILOGUE_AUTO)
    buf_printf(out, ", epilogue = \"%s\"", epilogue_names[target->epilogue]);
  if (target->persistent != PERSIST_AUTO)
    buf_printf(out, ", persistent = \"%s\"", persist_names[target->persistent]);
  if (module->final) buf_text(out, ", final = true");
}

static void print_module(void *data) {
  IrPrinter *p = data;
  IrModule *module = p->module;
  for (uint32_t i = 0; i < module->funcs.n; i++) {
    Func *func = module->funcs.at[i];
    func_number(func);
    for (uint32_t k = 0; k < func->host.n; k++) collect_layouts(p, func->host.at[k]->region);
    if (p->bodies) collect_layouts(p, func->body);
  }
  for (uint32_t i = 0; i < p->layouts.list.n; i++) {
    buf_printf(p->out, "#l%u = ", i);
    layout_print(p->layouts.list.at[i], p->out);
    buf_char(p->out, '\n');
  }
  print_options(p);
  buf_text(p->out, " {\n");
  for (uint32_t i = 0; i < module->funcs.n; i++) print_func(p, module->funcs.at[i]);
  buf_text(p->out, "}\n");
}

typedef struct HostPrint {
  IrPrinter p; // first: free_scratch
  Func *func;
  const HostRegion *host;
} HostPrint;

static void print_host_ops(void *data) {
  HostPrint *print = data;
  func_number(print->func);
  print->p.names = ARENA_ARRAY(&print->p.scratch, const char *, print->func->value_count);
  name_scope(&print->p, print->host->region);
  print_ops(&print->p, print->host->region, 0);
}

static void free_scratch(void *data) { arena_free(&((IrPrinter *)data)->scratch); }

void host_print(Func *func, const HostRegion *host, Buf *out) {
  HostPrint print = {
      .p = {.ir = func->module->ir, .module = func->module, .out = out}, .func = func, .host = host};
  fault_guard(print_host_ops, free_scratch, &print);
}

void module_print(IrModule *module, const PrintOptions *options, Buf *out) {
  IrPrinter p = {.ir = module->ir, .module = module, .out = out, .locs = !options || !options->no_locs};
  p.bodies = !options || !options->no_bodies;
  p.numbered = options ? options->files : NULL;
  p.only_code = options && options->only_code;
  fault_guard(print_module, free_scratch, &p);
}
