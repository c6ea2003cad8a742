// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernel.h"

#include <stdlib.h>

#include "base/hash.h"
#include "runtime/error.h"

// --- Making a kernel ---

// Copies the options' strings into the kernel's arena: they are read again at every compilation.
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
    *p = run_param(&info->params[i]);
    p->name = arena_copy(&k->arena, str_from(p->name));
  }
}

static void keep_tir_facts(tilec_kernel *k, const Compilation *c) {
  const Func *func = c->module->funcs.at[0];
  for (uint32_t i = 1; i < c->module->funcs.n && strcmp(func->name, k->name) != 0; i++)
    func = c->module->funcs.at[i];
  ParamFacts *facts = ARENA_ARRAY(&k->arena, ParamFacts, func->param_count);
  for (uint32_t i = 0; i < func->param_count; i++) facts[i] = func->params[i].facts;
  k->is_tir = true;
  k->tir_facts = facts;
}

static tilec_status check_defines(const Spec *spec, const KernelInfo *info) {
  for (uint32_t i = 0; i < spec->constexpr_count; i++) {
    const char *name = spec->constexprs[i].name;
    bool found = false;
    for (uint32_t k = 0; k < info->param_count && !found; k++)
      found = info->params[k].is_constexpr && strcmp(info->params[k].name, name) == 0;
    if (!found)
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s has no constexpr parameter '%s'", info->name, name);
  }
  return TILEC_OK;
}

typedef struct KernelRequest {
  tilec_kernel *kernel;
  const tilec_compile_options *options;
  Compilation c; // for what the program says of the kernel; given up after
} KernelRequest;

static tilec_status make_kernel(void *data) {
  KernelRequest *r = data;
  tilec_kernel *k = r->kernel;
  const KernelInfo *info;
  Spec spec;
  keep_options(k, r->options);
  tilec_status status = program_parse(k->program, &r->c);
  if (!status) status = program_kernel(&r->c, k->options.kernel, &info);
  if (!status) status = options_spec(&r->c, &k->options, &k->device->target, &spec);
  if (!status) status = check_defines(&spec, info);
  if (status) return status;
  keep_params(k, info);
  if (k->param_count > MAX_PARAMS)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "%s has %u parameters; at most %d are possible", k->name,
                     k->param_count, MAX_PARAMS);
  if (r->c.is_tir) keep_tir_facts(k, &r->c);
  return TILEC_OK;
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
  if (checked.arch && device->kind == &device_cuda)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "options.arch must be NULL: %s is %s", device->name,
                     device->arch);
  tilec_kernel *k = calloc(1, sizeof *k);
  if (!k) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a kernel)");
  k->device = device;
  k->program = program;
  device_hold(device);
  program_hold(program);
  pthread_mutex_init(&k->lock, NULL);
  KernelRequest request = {.kernel = k, .options = &checked};
  status = error_guard(make_kernel, &request);
  compilation_free(&request.c);
  if (status)
    tilec_kernel_free(k);
  else
    *kernel = k;
  return status;
}

static void specialisation_free(Specialisation *s) {
  device_unload(&s->loaded);
  compilation_free(&s->c);
  pthread_mutex_destroy(&s->grid_lock);
  free(s->key);
  free(s->grid_args);
  free(s);
}

void tilec_kernel_free(tilec_kernel *kernel) {
  if (!kernel) return;
  for (uint32_t i = 0; i < kernel->cap; i++)
    if (kernel->table[i]) specialisation_free(kernel->table[i]);
  free(kernel->table);
  pthread_mutex_destroy(&kernel->lock);
  arena_free(&kernel->arena);
  device_release(kernel->device);
  tilec_program_free(kernel->program);
  free(kernel);
}

// --- Specialising ---

typedef struct KeyRequest {
  const tilec_kernel *kernel;
  const uint8_t *key;
  Spec *spec;
} KeyRequest;

static tilec_status take_key(Compilation *c, void *data) {
  const KeyRequest *r = data;
  key_spec(&c->ir, r->kernel->params, r->kernel->param_count, r->key, r->spec);
  return TILEC_OK;
}

// Up to what the device runs: the elaborated function on eval, PTX elsewhere.
static tilec_status compile_steps(const tilec_kernel *k, Specialisation *s, Spec *spec) {
  Compilation *c = &s->c;
  tilec_status status = k->is_tir ? TILEC_OK : compile_guard(c, take_key, &(KeyRequest){k, s->key, spec});
  if (!status) status = compile_elaborate(c, spec);
  if (!status && k->device->needs_ptx) status = compile_passes(c, &(PipelineOptions){0});
  if (!status && k->device->needs_ptx) status = compile_codegen(c, &(CodegenOptions){.emit_ptx = true});
  return status ? compilation_error(c, status) : TILEC_OK;
}

static tilec_status build(const tilec_kernel *k, Specialisation *s) {
  Spec spec;
  tilec_status status = program_parse(k->program, &s->c);
  if (!status) status = options_spec(&s->c, &k->options, &k->device->target, &spec);
  if (!status) status = compile_steps(k, s, &spec);
  if (status) return status;
  s->func = s->c.module->funcs.at[0];
  KernelImage image = {.name = s->func->name, .func = s->func, .threads = {1, 1, 1}};
  if (k->device->needs_ptx) {
    const KernelMeta *meta = &s->c.code.kernels[0];
    image.name = meta->name;
    image.ptx = buf_view(&s->c.code.ptx);
    image.threads[0] = meta->threads;
    image.shared_bytes = meta->shared_bytes;
  }
  return device_load(k->device, &image, &s->loaded);
}

static tilec_status make(const tilec_kernel *k, const BoundArgs *args, uint64_t hash,
                         Specialisation **result) {
  Specialisation *s = calloc(1, sizeof *s);
  if (!s) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a specialisation)");
  pthread_mutex_init(&s->grid_lock, NULL);
  size_t bytes = (size_t)KEY_BYTES * args->count;
  s->hash = hash;
  s->key = malloc(bytes + 1);
  s->grid_args = malloc(sizeof *s->grid_args * (args->count + 1));
  tilec_status status = TILEC_OK;
  if (!s->key || !s->grid_args)
    status = error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a specialisation)");
  else
    memcpy(s->key, args->key, bytes);
  if (!status) status = build(k, s);
  if (status)
    specialisation_free(s);
  else
    *result = s;
  return status;
}

// The slot of the key, or the empty one where it belongs. The table has room.
static Specialisation **find_slot(const tilec_kernel *k, const uint8_t *key, uint64_t hash) {
  size_t bytes = (size_t)KEY_BYTES * k->param_count;
  for (uint32_t i = (uint32_t)hash & (k->cap - 1);; i = (i + 1) & (k->cap - 1)) {
    Specialisation *s = k->table[i];
    if (!s || (s->hash == hash && memcmp(s->key, key, bytes) == 0)) return &k->table[i];
  }
}

static tilec_status make_room(tilec_kernel *k) {
  if (2 * (k->count + 1) <= k->cap) return TILEC_OK;
  uint32_t old_cap = k->cap;
  Specialisation **old = k->table, **grown = calloc(old_cap ? 2 * (size_t)old_cap : 8, sizeof *grown);
  if (!grown) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a table of specialisations)");
  k->table = grown;
  k->cap = old_cap ? 2 * old_cap : 8;
  for (uint32_t i = 0; i < old_cap; i++)
    if (old[i]) *find_slot(k, old[i]->key, old[i]->hash) = old[i];
  free(old);
  return TILEC_OK;
}

static tilec_status look_up(tilec_kernel *k, const BoundArgs *args, Specialisation **result) {
  uint64_t hash = hash_bytes(args->key, (size_t)KEY_BYTES * args->count);
  tilec_status status = make_room(k);
  if (status) return status;
  Specialisation **slot = find_slot(k, args->key, hash);
  if (!*slot) {
    status = make(k, args, hash, slot);
    if (status) return status;
    k->count++;
  }
  *result = *slot;
  return TILEC_OK;
}

// A .tir function relies on the facts that it was specialised for, and is the only variant.
static tilec_status check_tir_facts(const tilec_kernel *k, const BoundArgs *args) {
  for (uint32_t i = 0; i < args->count; i++) {
    const ParamFacts *need = &k->tir_facts[i];
    uint8_t facts = args->key[KEY_BYTES * i + 1];
    if ((need->divisible16 && !(facts & KEY_DIVISIBLE)) || (need->equal1 && !(facts & KEY_ONE)) ||
        (need->none && !(facts & KEY_NONE)))
      return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                       "%s: the tile IR was made for a parameter '%s' that is %s", k->name, k->params[i].name,
                       need->none     ? "None"
                       : need->equal1 ? "1"
                                      : "divisible by 16");
  }
  return TILEC_OK;
}

tilec_status kernel_specialise(tilec_kernel *k, const BoundArgs *args, Specialisation **result) {
  static const BoundArgs any_args; // the key of .tir text: all zero
  Specialisation *last = __atomic_load_n(&k->last, __ATOMIC_ACQUIRE);
  BoundArgs tir_args;
  if (k->is_tir) {
    tilec_status status = check_tir_facts(k, args);
    if (status) return status;
    tir_args = any_args;
    tir_args.count = args->count;
    args = &tir_args;
  }
  if (last && memcmp(last->key, args->key, (size_t)KEY_BYTES * args->count) == 0) {
    *result = last;
    return TILEC_OK;
  }
  pthread_mutex_lock(&k->lock);
  tilec_status status = look_up(k, args, result);
  pthread_mutex_unlock(&k->lock);
  if (!status) __atomic_store_n(&k->last, *result, __ATOMIC_RELEASE);
  return status;
}
