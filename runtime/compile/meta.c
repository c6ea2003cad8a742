// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --emit=meta: JSON with everything that a program needs to launch a kernel itself.
#include "base/json.h"
#include "ir/text/print.h"
#include "ir/memory/tensor_map.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/assemble.h"

enum { ABI_VERSION = 1 };

static void json_type(Json *json, const char *name, const Type *type) {
  json_written(json, name);
  type_print(type, json->out);
  json_written_end(json);
}

static void json_const(Json *json, const char *name, const ConstValue *value) {
  switch (value->kind) {
  case CONST_NONE: json_null(json, name); break;
  case CONST_BOOL: json_bool(json, name, value->i != 0); break;
  case CONST_INT:
    if (value->is_u64)
      json_uint(json, name, (uint64_t)value->i);
    else
      json_int(json, name, value->i);
    break;
  case CONST_FLOAT: json_double(json, name, value->f); break;
  case CONST_STR:
  case CONST_NAME: json_text(json, name, value->str); break;
  case CONST_DTYPE: json_type(json, name, value->type); break;
  case CONST_TUPLE:
    json_tight_array(json, name);
    for (uint32_t i = 0; i < value->items.n; i++) json_const(json, NULL, &value->items.at[i]);
    json_array_end(json);
    break;
  }
}

static void json_facts(Json *json, const ParamFacts *facts) {
  json_array(json, "facts");
  if (facts->divisible16) json_text(json, NULL, "16");
  if (facts->equal1) json_text(json, NULL, "1");
  if (facts->none) json_text(json, NULL, "None");
  json_array_end(json);
}

static void json_params(Json *json, const Func *func) {
  uint32_t offset = 0;
  json_array(json, "params");
  for (uint32_t i = 0; i < func->param_count; i++) {
    const FuncParam *param = &func->params[i];
    uint32_t bytes = type_param_bytes(param->type), align = type_param_align(param->type);
    offset = (offset + align - 1) / align * align; // the driver's layout of parameters
    json_object(json, NULL);
    json_text(json, "name", param->name);
    json_type(json, "type", param->type);
    json_uint(json, "offset", offset);
    json_uint(json, "bytes", bytes);
    json_facts(json, &param->facts);
    if (param->hidden)
      json_text(json, "hidden", hidden_name(param->hidden));
    else
      json_null(json, "hidden");
    json_object_end(json);
    offset += bytes;
  }
  json_array_end(json);
}

static void print_expression(const Value *value, Buf *out) {
  static const char *const signs[OP_COUNT] = {
      [OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_ADDPTR] = "+"};
  const Op *op = value->def;
  int64_t constant;
  if (!op) {
    buf_text(out, value->region->func->params[value->index].name);
    return;
  }
  if (value_int_constant(value, &constant)) {
    buf_printf(out, "%lld", (long long)constant);
    return;
  }
  if (op->kind == OP_CAST)
    type_print(value->type, out);
  else if (!signs[op->kind])
    buf_text(out, op_info(op->kind)->name);
  buf_char(out, '(');
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (i && signs[op->kind])
      buf_printf(out, " %s ", signs[op->kind]);
    else if (i)
      buf_text(out, ", ");
    print_expression(op_operand(op, i), out);
  }
  buf_char(out, ')');
}

static void json_expressions(Json *json, const char *name, const Op *yield, uint32_t first, uint32_t count) {
  json_tight_array(json, name);
  for (uint32_t i = 0; i < count; i++) {
    json_written(json, NULL);
    print_expression(op_operand(yield, first + i), json->out);
    json_written_end(json);
  }
  json_array_end(json);
}

static void json_map(Json *json, const Func *func, uint32_t i) {
  const FuncParam *param = &func->params[i];
  const Type *type = param->type;
  const Op *yield = func_host(func, HOST_MAP, param->name)->region->last;
  json_object(json, NULL);
  json_text(json, "name", param->name);
  json_uint(json, "param", i);
  json_text(json, "element", elem_info(type->elem)->name);
  json_tight_array(json, "box");
  for (uint32_t d = 0; d < type->rank; d++) json_uint(json, NULL, type->shape[d]);
  json_array_end(json);
  json_uint(json, "swizzle", type->swizzle);
  json_text(json, "fill", type->pads_nan ? "nan" : "zero");
  json_written(json, "base");
  print_expression(op_operand(yield, 0), json->out);
  json_written_end(json);
  json_expressions(json, "sizes", yield, 1, type->rank);
  json_expressions(json, "strides", yield, 1 + type->rank, type->rank - 1u);
  json_object_end(json);
}

// The tensor maps, each with the parameters that it is made from. Nothing if the kernel has none.
static void json_maps(Json *json, const Func *func) {
  uint32_t count = func_maps(func);
  if (!count) return;
  json_array(json, "maps");
  for (uint32_t i = func->param_count - count; i < func->param_count; i++) json_map(json, func, i);
  json_array_end(json);
}

// The guard as tile IR. It yields true if the maps describe what the kernel loads. Nothing if the kernel has
// none.
static void json_guard(Json *json, const Func *func) {
  const HostRegion *guard = func_host(func, HOST_GUARD, NULL);
  Buf text = {0};
  if (!guard) return;
  host_print((Func *)func, guard, &text);
  buf_char(&text, '\0');
  json_text(json, "guard", text.at);
  buf_free(&text);
}

// A parameter of the source, or an item of one. *at: the next parameter of the kernel.
static void json_argument(Json *json, const ParamSpec *argument, uint32_t *at) {
  static const char *const kinds[] = {[PARAM_PLAIN] = "plain",
                                      [PARAM_TUPLE] = "tuple",
                                      [PARAM_DESCRIPTOR] = "descriptor",
                                      [PARAM_CONSTEXPR] = "constexpr"};
  json_object(json, NULL);
  if (argument->name)
    json_text(json, "name", argument->name);
  else
    json_null(json, "name");
  json_text(json, "kind", kinds[argument->form]);
  if (argument->form == PARAM_PLAIN) json_uint(json, "param", (*at)++);
  if (argument->form == PARAM_CONSTEXPR) json_const(json, "value", argument->value);
  if (argument->form == PARAM_DESCRIPTOR) {
    json_written(json, "type");
    param_print(argument, json->out);
    json_written_end(json);
    json_tight_array(json, "params");
    for (uint32_t i = descriptor_parts(argument->type->rank); i > 0; i--) json_uint(json, NULL, (*at)++);
    json_array_end(json);
  }
  if (argument->form == PARAM_TUPLE) {
    json_array(json, "items");
    for (uint32_t i = 0; i < argument->item_count; i++) json_argument(json, &argument->items[i], at);
    json_array_end(json);
  }
  json_object_end(json);
}

// The source's parameters, mapped to the kernel's parameters. Nothing for tile IR, where they are the same.
static void json_arguments(Json *json, const Func *func) {
  uint32_t at = 0;
  if (!func->arguments) return;
  json_array(json, "arguments");
  for (uint32_t i = 0; i < func->argument_count; i++) json_argument(json, &func->arguments[i], &at);
  json_array_end(json);
}

static void json_grid(Json *json, const Func *func) {
  const HostRegion *grid = func_host(func, HOST_GRID, NULL);
  if (!grid) {
    json_null(json, "grid");
    return;
  }
  json_array(json, "grid");
  for (int i = 0; i < HOST_VALUES && grid->text[i]; i++) json_text(json, NULL, grid->text[i]);
  json_array_end(json);
}

static void json_constexprs(Json *json, const Func *func) {
  json_object(json, "constexprs");
  for (uint32_t i = 0; i < func->constexpr_count; i++)
    json_const(json, func->constexprs[i].name, &func->constexprs[i].value);
  json_object_end(json);
}

static void json_versions(Json *json, const Target *target, uint32_t ptx_version) {
  json_written(json, "arch");
  target_print_arch(target, json->out);
  json_written_end(json);
  json_written(json, "ptx_version");
  buf_printf(json->out, "%u.%u", ptx_version / 10, ptx_version % 10);
  json_written_end(json);
}

static void json_known(Json *json, const char *name, int value) {
  if (value < 0)
    json_null(json, name);
  else
    json_int(json, name, value);
}

// The resource usage from the assembler, if there is one.
static void json_usage(Json *json, const CodegenResult *code, const char *kernel) {
  CubinUsage usage;
  cubin_usage(buf_view(&code->ptx), &code->target, kernel, &usage);
  json_known(json, "registers", usage.registers);
  json_known(json, "local_bytes", usage.local_bytes);
  json_known(json, "spill_store_bytes", usage.spill_stores);
  json_known(json, "spill_load_bytes", usage.spill_loads);
}

// source: as elaborated. func: has the code's parameters and host regions.
static void json_kernel(Json *json, const CodegenResult *code, const KernelMeta *kernel, const Func *source,
                        const Func *func, bool usage) {
  const Target *target = &code->target;
  json_object(json, NULL);
  json_int(json, "abi_version", ABI_VERSION);
  json_text(json, "kernel", kernel->name);
  json_versions(json, target, (uint32_t)kernel->ptx_version);
  json_uint(json, "threads", kernel->threads);
  json_uint(json, "cluster", 1);
  json_uint(json, "shared_bytes", kernel->shared_bytes); // what a launch asks for
  json_uint(json, "static_shared_bytes", kernel->static_bytes);
  if (usage) json_usage(json, code, kernel->name);
  json_uint(json, "num_warps", target->num_warps);
  json_uint(json, "num_stages", target->num_stages);
  if (target->maxnreg)
    json_uint(json, "maxnreg", target->maxnreg);
  else
    json_null(json, "maxnreg");
  json_grid(json, source);
  json_constexprs(json, source);
  json_params(json, func);
  json_maps(json, func);
  json_guard(json, func);
  json_arguments(json, source);
  json_object_end(json);
}

typedef struct Printing {
  Buf *out;
  bool usage;
} Printing;

static tilec_status print_kernels(Compilation *c, void *data) {
  const Printing *printing = data;
  for (uint32_t i = 0; i < c->code.kernel_count && i < c->module->funcs.n; i++) {
    Json json = {.out = printing->out};
    const Func *source = c->module->funcs.at[i];
    json_kernel(&json, &c->code, &c->code.kernels[i], source, c->host ? c->host : source, printing->usage);
    buf_char(printing->out, '\n');
  }
  return TILEC_OK;
}

tilec_status compile_meta(Compilation *c, bool usage, Buf *out) {
  return compile_guard(c, print_kernels, &(Printing){out, usage});
}
