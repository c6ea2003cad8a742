// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel's specialisations. A launch finds its variant by the key of its arguments and the values that
// heuristics read. Variants whose heuristics give the same values share one specialisation, which is compiled
// once.
#include <stdlib.h>

#include "base/hash.h"
#include "base/integer.h"
#include "runtime/compile/compile_ptx.h"
#include "runtime/compile/assemble.h"
#include "runtime/cache/bundle.h"
#include "runtime/diagnostics.h"
#include "runtime/error.h"
#include "runtime/launch/kernel.h"
#include "runtime/compile/spills.h"
#include "runtime/launch/tuned.h"

// Variants beyond this number are looked up again at each launch. Example: a kernel whose heuristics read a
// step counter.
enum { MAX_VARIANTS = 1 << 16 };

static tilec_status no_memory(void) {
  return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a specialisation)");
}

static void specialisation_free(Specialisation *s) {
  device_unload(&s->loaded);
  compilation_free(&s->c);
  pthread_mutex_destroy(&s->host_lock);
  buf_free(&s->given);
  free(s->key);
  host_results_free(&s->results);
  free(s);
}

void kernel_free_variants(tilec_kernel *k) {
  for (uint32_t i = 0; i < k->cap; i++) free(k->table[i]);
  free(k->table);
  for (Specialisation *s = k->first, *next; s; s = next) {
    next = s->next;
    specialisation_free(s);
  }
}

// --- Compiling a specialisation ---

typedef struct SpecRequest {
  const tilec_kernel *kernel;
  const BoundArgs *args;
  Specialisation *s;
  SpecLevel level;
  Spec spec;
} SpecRequest;

static void give_constexpr(SpecRequest *r, const Constexpr *given) {
  buf_printf(&r->s->given, "%s=", given->name);
  const_print(&given->value, &r->s->given);
  buf_char(&r->s->given, '\n');
}

// Results of heuristics become part of the specialisation, as if given by -D.
static tilec_status take_heuristics(Compilation *c, SpecRequest *r) {
  Constexpr *given;
  uint32_t count, own = r->spec.constexpr_count;
  if (!frontend_heuristics(&c->ir, c->syntax, &r->spec, &given, &count)) return TILEC_ERROR_COMPILE;
  Constexpr *all = ARENA_ARRAY(&c->arena, Constexpr, own + count);
  for (uint32_t i = 0; i < own; i++) all[i] = r->spec.constexprs[i];
  for (uint32_t i = 0; i < count; i++) {
    all[own + i] = given[i];
    give_constexpr(r, &given[i]);
  }
  r->spec.constexprs = all;
  r->spec.constexpr_count = own + count;
  return TILEC_OK;
}

// Adds the settings that tilec tune has kept for these values, as if given.
static tilec_status take_tuned(Compilation *c, SpecRequest *r) {
  uint32_t own = r->spec.constexpr_count;
  tilec_status status = tuned_take(c, r->kernel->device, &r->spec);
  const Target *target = &r->spec.target;
  if (status) return status;
  for (uint32_t i = own; i < r->spec.constexpr_count; i++) give_constexpr(r, &r->spec.constexprs[i]);
  buf_printf(&r->s->given, "%u %u %u\n", r->spec.num_warps_given ? target->num_warps : 0,
             r->spec.num_stages_given ? target->num_stages : 0, r->spec.maxnreg_given ? target->maxnreg : 0);
  return TILEC_OK;
}

static tilec_status take_args(Compilation *c, void *data) {
  SpecRequest *r = data;
  if (r->kernel->is_tir) return TILEC_OK;
  bound_spec(&c->ir, r->kernel->params, r->kernel->param_count, r->args, &r->spec);
  tilec_status status = r->kernel->tuned ? take_tuned(c, r) : TILEC_OK;
  return !status && r->kernel->heuristic ? take_heuristics(c, r) : status;
}

static tilec_status read_spec(SpecRequest *r) {
  Compilation *c = &r->s->c;
  tilec_status status = program_parse(r->kernel->program, c);
  if (!status) status = options_spec(c, &r->kernel->options, r->kernel->device, &r->spec);
  if (status) return status;
  status = compile_guard(c, take_args, r); // the tuned settings were for the highest level only
  if (r->level != SPEC_WHOLE) r->spec.target.persistent = PERSIST_OFF;
  if (r->level == SPEC_PLAIN) r->spec.target.tma = TMA_OFF;
  return status ? compilation_error(c, status) : TILEC_OK;
}

// Compiles to the form that the device runs: the elaborated function on eval, PTX elsewhere.
static tilec_status compile_steps(const SpecRequest *r) {
  Compilation *c = &r->s->c;
  bool needs_ptx = r->kernel->device->needs_ptx;
  tilec_status status = compile_elaborate(c, &r->spec);
  if (!status) status = compile_launchable(c);
  const tilec_compile_options *o = &r->kernel->options;
  if (!status && needs_ptx)
    status = compile_ptx(c, &(PtxOptions){.fresh = o->remarks != 0, .told = o->log != NULL});
  if (status) diagnostics_log(o, &c->diags);
  return status ? compilation_error(c, status) : TILEC_OK;
}

static tilec_status warn_of_spills(Compilation *c, void *data) {
  const Specialisation *s = data;
  spills_warn_loaded(&c->diags, s->func, s->func->name, &s->loaded);
  return TILEC_OK;
}

// Spills are reported only if there is a log. Errors while asking for them are not errors of the launch.
static tilec_status load_code(const SpecRequest *r, const KernelImage *image) {
  Specialisation *s = r->s;
  tilec_status status = cubin_load(r->kernel->device, image, &s->loaded);
  if (!status && r->kernel->options.log) compile_guard(&s->c, warn_of_spills, s);
  diagnostics_log(&r->kernel->options, &s->c.diags);
  return status;
}

void image_take_code(KernelImage *image, const Compilation *c) {
  const KernelMeta *meta = &c->code.kernels[0];
  image->ptx = buf_view(&c->code.ptx);
  image->threads[0] = meta->threads;
  image->shared_bytes = meta->shared_bytes;
  image->debug = c->code.target.debug;
  image->overlaps = c->code.target.overlap && c->code.target.arch->has_grid_control;
}

bool level_falls_back(const Compilation *c, const Func *host, Target *asked) {
  const Target *target = &c->module->target;
  bool alone = host && func_asks_programs(host) && asked->persistent != PERSIST_OFF;
  bool least = (asked->tma == TMA_OFF && asked->persistent == PERSIST_OFF) ||
               (target->tma == TMA_OFF && target->persistent != PERSIST_ON);
  if (!alone && least) return false;
  asked->persistent = PERSIST_OFF;
  if (!alone) asked->tma = TMA_OFF;
  return true;
}

static tilec_status build_specialisation(const SpecRequest *r) {
  Specialisation *s = r->s;
  bool needs_ptx = r->kernel->device->needs_ptx;
  tilec_status status = compile_steps(r);
  if (status) return status;
  s->func = s->c.module->funcs.at[0];
  s->host = needs_ptx ? s->c.host : s->func;
  if (needs_ptx) s->hidden = hidden_params(s->host);
  KernelImage image = {.name = s->func->name, .func = s->func, .threads = {1, 1, 1}};
  image.by_value = by_value_params(s->host);
  image.persistent = func_is_persistent(s->host);
  if (needs_ptx) {
    image.name = s->c.code.kernels[0].name;
    image_take_code(&image, &s->c);
  }
  return load_code(r, &image);
}

static Specialisation *find_same(const tilec_kernel *k, const Specialisation *like) {
  for (Specialisation *s = k->first; s; s = s->next)
    if (s->level == like->level && s->key_bytes == like->key_bytes &&
        memcmp(s->key, like->key, s->key_bytes) == 0 && str_eq(buf_view(&s->given), buf_view(&like->given)))
      return s;
  return NULL;
}

static Specialisation *specialisation_new(const BoundArgs *args) {
  Specialisation *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  pthread_mutex_init(&s->host_lock, NULL);
  s->key_bytes = args->wide ? args->spec_bytes : args->key_bytes;
  s->key = malloc(s->key_bytes + 1);
  if (!s->key) {
    specialisation_free(s);
    return NULL;
  }
  memcpy(s->key, args->key, s->key_bytes);
  return s;
}

static Specialisation *keep_specialisation(tilec_kernel *k, Specialisation *s) {
  s->next = k->first;
  return k->first = s;
}

// The specialisation for these arguments, compiled if necessary. Called without the kernel's lock, so that
// launches of compiled variants go on.
static tilec_status make_specialisation(tilec_kernel *k, const BoundArgs *args, SpecLevel level,
                                        Specialisation **result) {
  SpecRequest request = {.kernel = k, .args = args, .s = specialisation_new(args), .level = level};
  Specialisation *s = request.s, *same = NULL;
  if (!s) return no_memory();
  s->level = level;
  tilec_status status = read_spec(&request);
  if (!status) {
    pthread_mutex_lock(&k->lock);
    same = find_same(k, s);
    pthread_mutex_unlock(&k->lock);
  }
  if (!status && !same) status = build_specialisation(&request);
  if (!status && !same) {
    pthread_mutex_lock(&k->lock);
    same = find_same(k, s); // other arguments may have made the same one meanwhile
    *result = same ? same : keep_specialisation(k, s);
    pthread_mutex_unlock(&k->lock);
  } else {
    *result = same;
  }
  if (status || same) specialisation_free(s);
  return status;
}

// --- The table of variants ---

// For arguments with a shape, the key contains the values.
static uint32_t value_count(const tilec_kernel *k, const BoundArgs *args) {
  return args->wide ? 0 : k->value_count;
}

static bool variant_is(const tilec_kernel *k, const Variant *v, const BoundArgs *args) {
  if (v->key_bytes != args->key_bytes || memcmp(v->key, args->key, v->key_bytes) != 0) return false;
  for (uint32_t i = 0; i < v->value_count; i++)
    if (v->values[i] != args->bits[k->value_params[i]]) return false;
  return true;
}

static uint64_t hash_of(const tilec_kernel *k, const BoundArgs *args) {
  uint64_t hash = hash_bytes(args->key, args->key_bytes);
  for (uint32_t i = 0; i < value_count(k, args); i++)
    hash = hash_more(hash, &args->bits[k->value_params[i]], sizeof args->bits[0]);
  return hash;
}

// The slot of the arguments, or the empty slot where they belong. The table has room.
static Variant **find_slot(const tilec_kernel *k, const BoundArgs *args, uint64_t hash) {
  for (uint32_t i = (uint32_t)hash & (k->cap - 1);; i = (i + 1) & (k->cap - 1)) {
    Variant *v = k->table[i];
    if (!v || (v->hash == hash && variant_is(k, v, args))) return &k->table[i];
  }
}

static tilec_status make_room(tilec_kernel *k) {
  if (2 * (k->count + 1) <= k->cap) return TILEC_OK;
  uint32_t old_cap = k->cap, cap = old_cap ? 2 * old_cap : 8;
  Variant **old = k->table, **grown = calloc(cap, sizeof *grown);
  if (!grown) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a table of specialisations)");
  k->table = grown;
  k->cap = cap;
  for (uint32_t i = 0; i < old_cap; i++) {
    if (!old[i]) continue;
    uint32_t at = (uint32_t)old[i]->hash & (cap - 1);
    while (grown[at]) at = (at + 1) & (cap - 1);
    grown[at] = old[i];
  }
  free(old);
  return TILEC_OK;
}

static Variant *variant_new(const tilec_kernel *k, const BoundArgs *args, uint64_t hash, Specialisation *s) {
  uint32_t values = value_count(k, args);
  size_t at = round_up(sizeof(Variant) + args->key_bytes, sizeof(uint64_t));
  char *memory = malloc(at + sizeof(uint64_t) * values);
  if (!memory) return NULL;
  Variant *v = (Variant *)memory;
  *v = (Variant){.hash = hash,
                 .specialisation = s,
                 .values = (uint64_t *)(memory + at),
                 .value_count = values,
                 .key_bytes = args->key_bytes};
  memcpy(v->key, args->key, args->key_bytes);
  for (uint32_t i = 0; i < values; i++) v->values[i] = args->bits[k->value_params[i]];
  return v;
}

// Arguments that a thread is compiling. Threads that need the same variant wait. Others do not.
struct VariantMaking {
  const BoundArgs *args;
  struct VariantMaking *next; // list of the kernel's
};

static bool is_made_now(const tilec_kernel *k, const BoundArgs *args) {
  for (const struct VariantMaking *m = k->making; m; m = m->next) {
    bool same =
        m->args->key_bytes == args->key_bytes && memcmp(m->args->key, args->key, args->key_bytes) == 0;
    for (uint32_t i = 0; i < value_count(k, args) && same; i++)
      same = m->args->bits[k->value_params[i]] == args->bits[k->value_params[i]];
    if (same) return true;
  }
  return false;
}

static void end_making(tilec_kernel *k, const struct VariantMaking *making) {
  struct VariantMaking **at = &k->making;
  while (*at != making) at = &(*at)->next;
  *at = making->next;
  pthread_cond_broadcast(&k->made);
}

// Call with the lock held.
static tilec_status add_variant(tilec_kernel *k, const BoundArgs *args, uint64_t hash, Specialisation *s) {
  if (k->count >= MAX_VARIANTS) return TILEC_OK;
  tilec_status status = make_room(k);
  if (status) return status;
  Variant *v = variant_new(k, args, hash, s);
  if (!v) return no_memory();
  *find_slot(k, args, hash) = v;
  k->count++;
  __atomic_store_n(&k->last, v, __ATOMIC_RELEASE);
  return TILEC_OK;
}

// A recorded run has what other launches with such arguments need: fewer programs, or no tensor maps.
static tilec_status record_others(tilec_kernel *k, Specialisation *s, const BoundArgs *args) {
  tilec_status status = TILEC_OK;
  for (; !status && s && !k->is_tir && s->level != SPEC_PLAIN && hidden_any(s->hidden);)
    status = kernel_plain(k, s, args, "", "", &s);
  return status;
}

// Call with the lock held. Releases it during a compile, and while it waits for another thread that compiles
// the same variant.
static tilec_status look_up_variant(tilec_kernel *k, const BoundArgs *args, Specialisation **result) {
  uint64_t hash = hash_of(k, args);
  for (;;) {
    Variant *v = k->cap ? *find_slot(k, args, hash) : NULL;
    if (v) {
      *result = v->specialisation;
      __atomic_store_n(&k->last, v, __ATOMIC_RELEASE);
      return TILEC_OK;
    }
    if (!is_made_now(k, args)) break;
    pthread_cond_wait(&k->made, &k->lock);
  }
  struct VariantMaking making = {args, k->making};
  k->making = &making;
  pthread_mutex_unlock(&k->lock);
  tilec_status status = make_specialisation(k, args, SPEC_WHOLE, result);
  if (!status && bundle_records()) status = record_others(k, *result, args);
  pthread_mutex_lock(&k->lock);
  end_making(k, &making);
  return status ? status : add_variant(k, args, hash, *result);
}

// A .tir function relies on the facts that it was specialised for. It is the only variant.
static tilec_status check_tir_facts(const tilec_kernel *k, const BoundArgs *args) {
  const uint8_t *needs = k->tir_facts;
  for (uint32_t i = 0; i < args->count; i++) {
    uint8_t need = needs[i];
    if (need & ~args->key[KEY_BYTES * i + 1])
      return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                       "%s: the tile IR was made for a parameter '%s' that is %s", k->name, k->params[i].name,
                       need & KEY_NONE  ? "None"
                       : need & KEY_ONE ? "1"
                                        : "divisible by 16");
  }
  return TILEC_OK;
}

// The key of .tir text: all zero.
static const BoundArgs *tir_key(const BoundArgs *args, BoundArgs *key) {
  key->count = args->count;
  key->key_bytes = KEY_BYTES * args->count;
  key->wide = false;
  memset(key->key, 0, key->key_bytes);
  return key;
}

tilec_status kernel_specialise(tilec_kernel *k, const BoundArgs *args, Specialisation **result) {
  const Variant *last = __atomic_load_n(&k->last, __ATOMIC_ACQUIRE);
  BoundArgs tir_args;
  if (k->is_tir) {
    tilec_status status = check_tir_facts(k, args);
    if (status) return status;
    if (!last) args = tir_key(args, &tir_args);
  }
  if (last && (k->is_tir || variant_is(k, last, args))) {
    *result = last->specialisation;
    return TILEC_OK;
  }
  pthread_mutex_lock(&k->lock);
  tilec_status status = look_up_variant(k, args, result);
  pthread_mutex_unlock(&k->lock);
  return status;
}

tilec_status kernel_plain(tilec_kernel *k, Specialisation *s, const BoundArgs *args, const char *name,
                          const char *why, Specialisation **plain) {
  BoundArgs tir_args;
  *plain = __atomic_load_n(&s->plain, __ATOMIC_ACQUIRE);
  if (*plain) return TILEC_OK;
  bool alone = s->level == SPEC_WHOLE && func_asks_programs(s->host);
  tilec_status status = make_specialisation(k, k->is_tir ? tir_key(args, &tir_args) : args,
                                            alone ? SPEC_ALONE : SPEC_PLAIN, plain);
  if (status) return status;
  if (hidden_any((*plain)->hidden) && !alone && !name)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: its tile IR is of a persistent kernel, but %s",
                     k->name, why);
  if (hidden_any((*plain)->hidden) && !alone)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "%s: the tensor map '%s' of its tile IR cannot be made: %s", k->name, name, why);
  __atomic_store_n(&s->plain, *plain, __ATOMIC_RELEASE);
  return TILEC_OK;
}
