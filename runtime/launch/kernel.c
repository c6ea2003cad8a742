// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/kernel.h"

#include <stdlib.h>

#include "runtime/error.h"
#include "runtime/launch/tuned.h"

// --- Making a kernel ---

// Copies the options' strings into the kernel's arena. Every compilation reads them again.
static void keep_options(tilec_kernel *k, const tilec_compile_options *options) {
  tilec_compile_options *o = &k->options;
  *o = *options;
  if (o->kernel) o->kernel = arena_copy(&k->arena, str_from(o->kernel));
  if (o->arch) o->arch = arena_copy(&k->arena, str_from(o->arch));
  const char **defines = ARENA_ARRAY(&k->arena, const char *, o->define_count);
  for (size_t i = 0; i < o->define_count; i++)
    defines[i] = arena_copy(&k->arena, str_from(options->defines[i]));
  o->defines = defines;
}

static void keep_params(tilec_kernel *k, const KernelInfo *info) {
  k->name = arena_copy(&k->arena, str_from(info->name));
  k->options.kernel = k->name;
  k->has_grid = info->has_grid;
  k->params = ARENA_ARRAY(&k->arena, RunParam, info->param_count);
  for (uint32_t i = 0; i < info->param_count; i++) {
    if (info->params[i].is_constexpr) continue;
    RunParam *p = &k->params[k->param_count++];
    *p = run_param(&k->arena, &info->params[i]);
    k->heuristic |= p->in_heuristic;
    p->in_heuristic |= k->tuned && info->params[i].in_key;
    k->is_wide |= p->wide != NULL;
    p->name = arena_copy(&k->arena, str_from(p->name));
  }
  k->value_params = ARENA_ARRAY(&k->arena, uint32_t, k->param_count);
  for (uint32_t i = 0; i < k->param_count; i++)
    if (k->params[i].in_heuristic) k->value_params[k->value_count++] = i;
}

static void keep_tir_facts(tilec_kernel *k, const Compilation *c) {
  const Func *func = c->module->funcs.at[0];
  for (uint32_t i = 1; i < c->module->funcs.n && strcmp(func->name, k->name) != 0; i++)
    func = c->module->funcs.at[i];
  uint8_t *facts = ARENA_ARRAY(&k->arena, uint8_t, func->param_count);
  for (uint32_t i = 0; i < func->param_count; i++) facts[i] = key_facts(&func->params[i].facts);
  k->is_tir = true;
  k->tir_facts = facts;
}

static tilec_status check_defines(Compilation *c, const Spec *spec, const KernelInfo *info) {
  for (uint32_t i = 0; i < spec->constexpr_count; i++) {
    const char *name = spec->constexprs[i].name;
    bool found = false;
    for (uint32_t k = 0; k < info->param_count && !found; k++)
      found = info->params[k].is_constexpr && strcmp(info->params[k].name, name) == 0;
    if (!found && (c->is_tir || !frontend_has_name(&c->ir, c->syntax, name)))
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s has no constexpr parameter '%s'", info->name, name);
  }
  return TILEC_OK;
}

typedef struct KernelRequest {
  tilec_kernel *kernel;
  const tilec_compile_options *options;
  Compilation c; // for reading the kernel's information; freed afterwards
} KernelRequest;

static tilec_status make_kernel(void *data) {
  KernelRequest *r = data;
  tilec_kernel *k = r->kernel;
  const KernelInfo *info;
  Spec spec;
  keep_options(k, r->options);
  tilec_status status = program_parse(k->program, &r->c);
  if (!status) status = options_spec(&r->c, &k->options, k->device, &spec);
  if (!status) status = program_kernel(&r->c, k->options.kernel, &spec, &info);
  if (!status) status = check_defines(&r->c, &spec, info);
  if (status) return status;
  k->tuned = k->device->needs_ptx && tuned_has(&r->c, &spec, k->device);
  keep_params(k, info);
  if (k->param_count > MAX_PARAMS)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "%s has %u parameters; at most %d are possible", k->name,
                     k->param_count, MAX_PARAMS);
  if (r->c.is_tir) keep_tir_facts(k, &r->c);
  return TILEC_OK;
}

tilec_kernel *kernel_alloc(tilec_device *device, tilec_program *program) {
  tilec_kernel *k = calloc(1, sizeof *k);
  if (!k) return NULL;
  k->device = device;
  k->program = program;
  device_hold(device);
  if (program) program_hold(program);
  pthread_mutex_init(&k->lock, NULL);
  pthread_cond_init(&k->made, NULL);
  return k;
}

tilec_status tilec_kernel_new(tilec_device *device, tilec_program *program,
                              const tilec_compile_options *options, tilec_kernel **kernel) {
  if (!device || !program || !kernel)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "tilec_kernel_new: %s is NULL",
                     !device    ? "device"
                     : !program ? "program"
                                : "kernel");
  *kernel = NULL;
  tilec_compile_options checked;
  tilec_status status = options_check(options, &checked);
  if (status) return status;
  if (checked.signature)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "options.signature must be NULL: types come from the arguments");
  if (checked.arch && device->is_gpu)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "options.arch must be NULL: %s is %s", device->name,
                     tilec_device_arch(device));
  tilec_kernel *k = kernel_alloc(device, program);
  if (!k) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a kernel)");
  KernelRequest request = {.kernel = k, .options = &checked};
  status = error_guard(make_kernel, &request);
  compilation_free(&request.c);
  if (status)
    tilec_kernel_free(k);
  else
    *kernel = k;
  return status;
}

void tilec_kernel_free(tilec_kernel *kernel) {
  if (!kernel) return;
  kernel_free_variants(kernel);
  pthread_cond_destroy(&kernel->made);
  pthread_mutex_destroy(&kernel->lock);
  arena_free(&kernel->arena);
  device_release(kernel->device);
  tilec_program_free(kernel->program);
  free(kernel);
}
