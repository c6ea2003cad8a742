// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --emit=meta: what a program needs to launch a kernel by itself, as JSON.
#include <math.h>

#include "runtime/compile.h"

enum { ABI_VERSION = 1 };

static void json_const(const ConstValue *value, Buf *out) {
  switch (value->kind) {
  case CONST_NONE: buf_text(out, "null"); break;
  case CONST_BOOL: buf_text(out, value->i ? "true" : "false"); break;
  case CONST_INT:
    if (value->is_u64)
      buf_printf(out, "%llu", (unsigned long long)value->i);
    else
      buf_printf(out, "%lld", (long long)value->i);
    break;
  case CONST_FLOAT:
    if (!isfinite(value->f)) buf_char(out, '"'); // JSON has no such numbers
    buf_double(out, value->f);
    if (!isfinite(value->f)) buf_char(out, '"');
    break;
  case CONST_STR: buf_quoted(out, str_from(value->str)); break;
  case CONST_DTYPE:
    buf_char(out, '"');
    type_print(value->type, out);
    buf_char(out, '"');
    break;
  case CONST_TUPLE:
    for (uint32_t i = 0; i < value->items.n; i++) {
      buf_char(out, i ? ',' : '[');
      json_const(&value->items.at[i], out);
    }
    buf_text(out, value->items.n ? "]" : "[]");
    break;
  }
}

static void json_facts(const ParamFacts *facts, Buf *out) {
  const char *names[3];
  int n = 0;
  if (facts->divisible16) names[n++] = "\"16\"";
  if (facts->equal1) names[n++] = "\"1\"";
  if (facts->none) names[n++] = "\"None\"";
  buf_char(out, '[');
  for (int i = 0; i < n; i++) buf_printf(out, "%s%s", i ? ", " : "", names[i]);
  buf_char(out, ']');
}

static void json_params(const Func *func, Buf *out) {
  uint32_t offset = 0;
  buf_text(out, "\"params\": [");
  for (uint32_t i = 0; i < func->param_count; i++) {
    const FuncParam *param = &func->params[i];
    uint32_t bytes = compile_param_bytes(param->type);
    offset = (offset + bytes - 1) / bytes * bytes; // natural alignment, as the driver lays parameters out
    buf_text(out, i ? ", {\"name\": " : "{\"name\": ");
    buf_quoted(out, str_from(param->name));
    buf_text(out, ", \"type\": \"");
    type_print(param->type, out);
    buf_printf(out, "\", \"offset\": %u, \"bytes\": %u, \"facts\": ", offset, bytes);
    json_facts(&param->facts, out);
    buf_text(out, ", \"hidden\": null}");
    offset += bytes;
  }
  buf_char(out, ']');
}

static void json_grid(const Func *func, Buf *out) {
  buf_text(out, "\"grid\": ");
  if (!func->grid) {
    buf_text(out, "null, ");
    return;
  }
  buf_char(out, '[');
  for (int i = 0; i < 3 && func->grid_text[i]; i++) {
    if (i) buf_text(out, ", ");
    buf_quoted(out, str_from(func->grid_text[i]));
  }
  buf_text(out, "], ");
}

static void json_constexprs(const Func *func, Buf *out) {
  buf_text(out, "\"constexprs\": {");
  for (uint32_t i = 0; i < func->constexpr_count; i++) {
    if (i) buf_text(out, ", ");
    buf_quoted(out, str_from(func->constexprs[i].name));
    buf_text(out, ": ");
    json_const(&func->constexprs[i].value, out);
  }
  buf_text(out, "}, ");
}

static void json_kernel(const CodegenResult *code, const KernelMeta *kernel, const Func *func, Buf *out) {
  const Target *target = &code->target;
  buf_printf(out, "{\"abi_version\": %d, \"kernel\": ", ABI_VERSION);
  buf_quoted(out, str_from(kernel->name));
  buf_text(out, ", \"arch\": \"");
  target_print_arch(target, out);
  buf_printf(out, "\", \"ptx_version\": \"%d.%d\", \"threads\": %u, \"cluster\": 1, \"shared_bytes\": %u, ",
             kernel->ptx_version / 10, kernel->ptx_version % 10, kernel->threads, kernel->shared_bytes);
  buf_printf(out, "\"num_warps\": %u, \"num_stages\": %u, \"maxnreg\": ", target->num_warps,
             target->num_stages);
  if (target->maxnreg)
    buf_printf(out, "%u, ", target->maxnreg);
  else
    buf_text(out, "null, ");
  json_grid(func, out);
  json_constexprs(func, out);
  json_params(func, out);
  buf_text(out, "}\n");
}

static tilec_status meta(Compilation *c, void *data) {
  for (uint32_t i = 0; i < c->code.kernel_count && i < c->module->funcs.n; i++)
    json_kernel(&c->code, &c->code.kernels[i], c->module->funcs.at[i], data);
  return TILEC_OK;
}

tilec_status compile_meta(Compilation *c, Buf *out) { return compile_guard(c, meta, out); }
