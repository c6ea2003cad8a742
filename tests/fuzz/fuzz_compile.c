// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzzes elaboration and the passes. The input is a source file. Each of its kernels is elaborated,
// with types and values for parameters without annotation. It is run through the pipeline and
// verified. A fault (our own bug) aborts.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/compile/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail_on_fault(const Compilation *c, tilec_status status) {
  if (status != TILEC_ERROR_INTERNAL) return;
  fprintf(stderr, "%s\n", c->fault);
  abort();
}

// Parameters without a type are pointers and integers alternately. Constexprs without a value are
// 16.
static Spec make_spec(Compilation *c, const KernelInfo *kernel) {
  Spec spec = {.kernel = kernel->name, .target = target_default()};
  spec.params = ARENA_ARRAY(&c->arena, ParamSpec, kernel->param_count);
  spec.constexprs = ARENA_ARRAY(&c->arena, Constexpr, kernel->param_count);
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    const KernelParam *p = &kernel->params[i];
    if (p->is_constexpr && !p->has_default)
      spec.constexprs[spec.constexpr_count++] = (Constexpr){p->name, {.kind = CONST_INT, .i = 16}};
    if (p->is_constexpr || p->type) continue;
    const Type *type =
        i % 2 ? type_scalar(&c->ir, ELEM_I32) : type_ptr(&c->ir, type_scalar(&c->ir, ELEM_FP32));
    ParamSpec param = {.name = p->name, .type = type};
    if (i % 4 == 1) { // half of the integers have a value, for heuristics
      ConstValue *value = ARENA_NEW(&c->arena, ConstValue);
      *value = (ConstValue){.kind = CONST_INT, .i = 24};
      param.value = value;
    }
    spec.params[spec.param_count++] = param;
  }
  return spec;
}

static void compile_all(Compilation *c) {
  KernelInfo *kernels;
  uint32_t count = frontend_entries(&c->ir, c->syntax, NULL, &kernels);
  for (uint32_t i = 0; i < count && i < 4; i++) {
    Spec spec = make_spec(c, &kernels[i]);
    c->module = NULL;
    tilec_status status = compile_elaborate(c, &spec);
    fail_on_fault(c, status);
    if (status != TILEC_OK) continue;
    PassRunOptions options = {.verify_each = true};
    fail_on_fault(c, compile_passes(c, &options));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Compilation c;
  if (compilation_init(&c) != TILEC_OK) return 0;
  tilec_status status = compile_parse(&c, "fuzz.tile", (Str){(const char *)data, size});
  fail_on_fault(&c, status);
  if (status == TILEC_OK) compile_all(&c);
  compilation_free(&c);
  return 0;
}
