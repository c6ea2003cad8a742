// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each result has three entries. One is for the values it was found for. On a GPU, one is the last result of
// its architecture. The third says that the kernel has any result, so that launches of other kernels stop
// there.
#include "runtime/launch/tuned.h"

#include <stdlib.h>

#include "base/plain.h"
#include "runtime/cache/bundle.h"
#include "runtime/cache/cache.h"
#include "runtime/error.h"
#include "runtime/launch/lock.h"

enum { NAME_MOST = 200 }; // bytes of a name, for display

typedef enum TunedKind {
  TUNED_FOR_VALUES, // on this device
  TUNED_LAST,       // on a GPU of this architecture
  TUNED_AT_ALL,     // on this device
} TunedKind;

static const char *const kinds[] = {"tuned", "tuned-last", "tuned-any"};

static const char *device_card(const tilec_device *device) {
  return device->card[0] ? device->card : device->name;
}

// --- Keys ---

static void print_type(const KernelParam *declared, const ParamSpec *given, Buf *out) {
  ParamSpec param = given ? *given : (ParamSpec){.form = PARAM_PLAIN};
  if (param.form == PARAM_PLAIN && !param.type) param.type = declared->type;
  param_print(&param, out);
}

static void add_type(Digest *digest, const KernelParam *declared, const ParamSpec *given) {
  Buf text = {0};
  print_type(declared, given, &text);
  digest_str(digest, buf_view(&text));
  buf_free(&text);
}

static void add_value(Digest *digest, const KernelParam *declared, const ParamSpec *given) {
  Buf text = {0};
  if (!declared->in_key) return;
  if (given && given->value) const_print(given->value, &text);
  digest_text(digest, declared->name);
  digest_str(digest, buf_view(&text));
  buf_free(&text);
}

static int by_name(const void *x, const void *y) {
  const Constexpr *a = *(const Constexpr *const *)x, *b = *(const Constexpr *const *)y;
  return strcmp(a->name, b->name);
}

static const Constexpr **sorted_constexprs(Arena *arena, const Spec *spec) {
  const Constexpr **sorted = ARENA_ARRAY(arena, const Constexpr *, spec->constexpr_count + 1);
  for (uint32_t i = 0; i < spec->constexpr_count; i++) sorted[i] = &spec->constexprs[i];
  qsort(sorted, spec->constexpr_count, sizeof *sorted, by_name);
  return sorted;
}

static void add_constexprs(Digest *digest, Arena *arena, const Spec *spec) {
  const Constexpr **sorted = sorted_constexprs(arena, spec);
  digest_number(digest, spec->constexpr_count);
  for (uint32_t i = 0; i < spec->constexpr_count; i++) {
    Buf text = {0};
    const_print(&sorted[i]->value, &text);
    digest_text(digest, sorted[i]->name);
    digest_str(digest, buf_view(&text));
    buf_free(&text);
  }
}

static const char *const option_names[] = {
    "num_warps", "num_stages", "maxnreg",  "fp32_dot", "fp_contract",     "opt_level", "debug",
    "overlap",   "fast_math",  "restrict", "tma",      "warp_specialize", "epilogue",  "persistent"};
enum { OPTIONS = sizeof option_names / sizeof *option_names };

// The given options, as numbers; 0: not given.
static void option_numbers(const Spec *spec, uint64_t numbers[OPTIONS]) {
  const Target *t = &spec->target;
  const uint64_t all[OPTIONS] = {spec->num_warps_given ? t->num_warps : 0,
                                 spec->num_stages_given ? t->num_stages : 0,
                                 spec->maxnreg_given ? t->maxnreg : 0,
                                 t->fp32_dot,
                                 t->fp_contract,
                                 t->opt_level,
                                 t->debug,
                                 t->overlap,
                                 t->fast_math,
                                 t->restrict_pointers,
                                 t->tma,
                                 t->warp_roles,
                                 t->epilogue,
                                 t->persistent};
  memcpy(numbers, all, sizeof all);
}

static void add_options(Digest *digest, const Spec *spec) {
  uint64_t numbers[OPTIONS];
  option_numbers(spec, numbers);
  for (int i = 0; i < OPTIONS; i++) digest_number(digest, numbers[i]);
}

// A hash of the user's text, under any file name. A file of many kernels is hashed once.
static const unsigned char *text_digest(Compilation *c) {
  if (!c->has_text_digest) {
    const SourceFile *file = &c->sources.files.at[c->file];
    Digest digest;
    digest_start(&digest);
    digest_str(&digest, file->shown.at ? file->shown : file->text);
    digest_end(&digest, c->text_digest);
    c->has_text_digest = true;
  }
  return c->text_digest;
}

// False: there is no cache.
static bool make_key(Compilation *c, const KernelInfo *info, const Spec *spec, TunedKind kind,
                     const char *card, CacheKey *key) {
  Digest digest;
  if (!cache_key_begin(&digest, kinds[kind])) return false;
  digest_bytes(&digest, text_digest(c), DIGEST_BYTES);
  digest_text(&digest, info->path);
  digest_text(&digest, spec->target.arch ? spec->target.arch->name : "");
  digest_text(&digest, kind == TUNED_LAST ? "" : card);
  for (uint32_t i = 0; kind != TUNED_AT_ALL && i < info->param_count; i++) {
    const KernelParam *declared = &info->params[i];
    const ParamSpec *given = spec_param(spec, declared->name);
    if (declared->is_constexpr) continue;
    add_type(&digest, declared, given);
    if (kind == TUNED_FOR_VALUES) add_value(&digest, declared, given);
  }
  if (kind != TUNED_AT_ALL) {
    add_constexprs(&digest, &c->arena, spec);
    add_options(&digest, spec);
  }
  *key = cache_key_end_shared(&digest);
  return true;
}

static void print_settings(const TuneSetting *settings, uint32_t count, Buf *out) {
  for (uint32_t i = 0; i < count; i++)
    buf_printf(out, "%s %s=%s\n", settings[i].is_option ? "option" : "define", settings[i].name,
               settings[i].text);
}

// Elaboration reports errors of the file, so they are dropped here.
static const KernelInfo *kernel_of(Compilation *c, const Spec *spec) {
  const Diags before = c->diags;
  if (c->is_tir || !c->syntax) return NULL;
  const KernelInfo *info = frontend_chosen(&c->ir, c->syntax, spec);
  c->diags.list.n = before.list.n;
  c->diags.errors = before.errors;
  c->diags.warnings = before.warnings;
  c->diags.raised = before.raised;
  return info;
}

// --- The lock ---

// The purpose of an entry of the lock, in `entry` (runtime/launch/lock.h).
typedef struct LockKey {
  Buf launch, values;
  char text[DIGEST_HEX + 1]; // the first LOCK_DIGITS count
} LockKey;

enum { LOCK_DIGITS = 16 };

static void lock_key_free(LockKey *key) {
  buf_free(&key->launch);
  buf_free(&key->values);
}

static void make_lock_key(Compilation *c, const KernelInfo *info, const Spec *spec, LockKey *key) {
  uint64_t given[OPTIONS], usual[OPTIONS];
  *key = (LockKey){.text = ""};
  buf_printf(&key->launch, "%s %s", info->path, spec->target.arch ? spec->target.arch->name : "");
  for (uint32_t i = 0; i < info->param_count; i++) {
    const KernelParam *declared = &info->params[i];
    const ParamSpec *param = spec_param(spec, declared->name);
    if (declared->is_constexpr) continue;
    buf_printf(&key->launch, " %s=", declared->name);
    print_type(declared, param, &key->launch);
    if (!declared->in_key || !param || !param->value) continue;
    buf_printf(&key->values, "%s%s=", key->values.n ? " " : "", declared->name);
    const_print(param->value, &key->values);
  }
  const Constexpr **constexprs = sorted_constexprs(&c->arena, spec);
  for (uint32_t i = 0; i < spec->constexpr_count; i++) {
    buf_printf(&key->launch, " %s=", constexprs[i]->name);
    const_print(&constexprs[i]->value, &key->launch);
  }
  option_numbers(spec, given);
  option_numbers(&(Spec){.target = target_default()}, usual);
  for (int i = 0; i < OPTIONS; i++)
    if (given[i] != usual[i])
      buf_printf(&key->launch, " %s=%llu", option_names[i], (unsigned long long)given[i]);
  digest_hex(text_digest(c), key->text);
}

// The entry of $TILEC_LOCK. NULL: none. *stale: there is one, for another text of the file.
static const LockEntry *locked(Compilation *c, const KernelInfo *info, const Spec *spec, bool any_values,
                               bool *stale) {
  LockKey key;
  *stale = false;
  if (!lock_is_used()) return NULL;
  make_lock_key(c, info, spec, &key);
  Str values = buf_view(&key.values);
  const LockEntry *entry = lock_find(buf_view(&key.launch), any_values ? NULL : &values);
  *stale = entry && !str_eq(entry->text, (Str){key.text, LOCK_DIGITS});
  lock_key_free(&key);
  return entry;
}

typedef struct Locking {
  const Spec *spec;
  const TuneSetting *settings;
  uint32_t count;
  const char *path, *reason;
  Buf *error;
  bool written;
} Locking;

static tilec_status write_lock(Compilation *c, void *data) {
  Locking *l = data;
  const KernelInfo *info = kernel_of(c, l->spec);
  LockKey key;
  Buf settings = {0};
  if (!info) return TILEC_OK;
  make_lock_key(c, info, l->spec, &key);
  print_settings(l->settings, l->count, &settings);
  const LockEntry entry = {.launch = buf_view(&key.launch),
                           .values = buf_view(&key.values),
                           .text = {key.text, LOCK_DIGITS},
                           .reason = str_from(l->reason),
                           .settings = buf_view(&settings)};
  l->written = lock_write(l->path, &entry, l->error);
  buf_free(&settings);
  lock_key_free(&key);
  return TILEC_OK;
}

bool tuned_lock(Compilation *c, const Spec *spec, const TuneSetting *settings, uint32_t count,
                const char *path, const char *reason, Buf *error) {
  Locking locking = {spec, settings, count, path, reason, error, false};
  for (uint32_t i = 0; i < count; i++)
    if (strchr(settings[i].text, '\n')) return buf_text(error, "a value has several lines"), false;
  return compile_guard(c, write_lock, &locking) == TILEC_OK && locking.written;
}

// --- Keeping a result ---

typedef struct Keeping {
  const Spec *spec;
  const tilec_device *device;
  const TuneSetting *settings;
  uint32_t count;
  double seconds;
  bool kept;
} Keeping;

static void put_entry(Compilation *c, Keeping *k, const KernelInfo *info, TunedKind kind, Str fields,
                      Str blob) {
  CacheKey key;
  k->kept = make_key(c, info, k->spec, kind, device_card(k->device), &key);
  if (k->kept) cache_put(&key, fields, blob);
}

static tilec_status keep_tuning(Compilation *c, void *data) {
  Keeping *k = data;
  const KernelInfo *info = kernel_of(c, k->spec);
  Buf fields = {0}, blob = {0};
  if (!info) return TILEC_OK;
  buf_text(&fields, "kind=tuned\nkernel=");
  buf_plain(&fields, str_from(info->name), NAME_MOST);
  buf_printf(&fields, "\narch=%s\ndevice=", k->spec->target.arch->name);
  buf_plain(&fields, str_from(device_card(k->device)), NAME_MOST);
  buf_printf(&fields, "\nnanoseconds=%.0f", k->seconds * 1e9);
  print_settings(k->settings, k->count, &blob);
  put_entry(c, k, info, TUNED_FOR_VALUES, buf_view(&fields), buf_view(&blob));
  if (k->device->is_gpu) put_entry(c, k, info, TUNED_LAST, buf_view(&fields), buf_view(&blob));
  put_entry(c, k, info, TUNED_AT_ALL, buf_view(&fields), buf_view(&blob));
  buf_free(&fields);
  buf_free(&blob);
  return TILEC_OK;
}

bool tuned_keep(Compilation *c, const Spec *spec, const tilec_device *device, const TuneSetting *settings,
                uint32_t count, double seconds) {
  for (uint32_t i = 0; i < count; i++)
    if (strchr(settings[i].text, '\n')) return false;
  Keeping keeping = {spec, device, settings, count, seconds, false};
  return compile_guard(c, keep_tuning, &keeping) == TILEC_OK && keeping.kept;
}

// --- Using a result ---

bool tuned_take_option(Spec *spec, const char *name, uint64_t value) {
  Target *target = &spec->target;
  if (strcmp(name, "num_warps") == 0 && value >= 1 && value <= NUM_WARPS_MAX && !(value & (value - 1))) {
    target->num_warps = (uint16_t)value;
    return spec->num_warps_given = true;
  }
  if (strcmp(name, "num_stages") == 0 && value >= 1 && value <= NUM_STAGES_MAX) {
    target->num_stages = (uint16_t)value;
    return spec->num_stages_given = true;
  }
  if (strcmp(name, "maxnreg") == 0 && value >= 1 && value <= MAXNREG_MAX) {
    target->maxnreg = (uint16_t)value;
    return spec->maxnreg_given = true;
  }
  return false;
}

static bool take_line(Compilation *c, Spec *spec, const char *line) {
  static const char define[] = "define ", option[] = "option ";
  if (strncmp(line, define, sizeof define - 1) == 0)
    return compile_define(c, line + sizeof define - 1, spec) == TILEC_OK;
  if (strncmp(line, option, sizeof option - 1) != 0) return false;
  const char *name = line + sizeof option - 1, *value = strchr(name, '=');
  uint64_t number;
  return value && u64_parse(str_from(value + 1), &number) &&
         tuned_take_option(spec, arena_copy(&c->arena, (Str){name, (size_t)(value - name)}), number);
}

// Applies each line. `told` gets all of them, for display.
static bool take_lines(Compilation *c, Spec *spec, Str blob, Buf *told) {
  const char *at = blob.at, *end = blob.at + blob.n;
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) return false;
    const char *line = arena_copy(&c->arena, (Str){at, (size_t)(stop - at)}), *blank = strchr(line, ' ');
    if (!blank || !take_line(c, spec, line)) return false;
    buf_printf(told, "%s%s", told->n ? ", " : "", blank + 1);
    at = stop + 1;
  }
  return true;
}

typedef struct Taking {
  const tilec_device *device;
  Spec *spec;
} Taking;

// Applies the lock's entry. *done: there is one, or the file has a problem.
static tilec_status take_locked(Compilation *c, const Taking *t, const KernelInfo *info, bool *done) {
  bool stale;
  Spec spec = *t->spec;
  Buf told = {0};
  if (lock_problem()) {
    // Autotuners give both: they have chosen. They warn.
    bool given = t->spec->num_warps_given && t->spec->num_stages_given && !bundle_forbids();
    (given ? diag_warning : diag_error)(&c->diags, LOC_NONE, "[T1007] %s", lock_problem());
    return given ? TILEC_OK : TILEC_ERROR_IO;
  }
  const LockEntry *entry = locked(c, info, t->spec, !t->device, &stale);
  *done = entry && !stale;
  if (stale)
    diag_warning(&c->diags, info->loc,
                 "[T1007] %s:%u: the choice is stale, and not used: the kernel's file has changed since; "
                 "tune it again",
                 lock_path(), entry->line);
  if (!*done) return TILEC_OK;
  bool good = take_lines(c, &spec, entry->settings, &told);
  if (good) {
    spec.tuned = true;
    *t->spec = spec;
    diag_remark(&c->diags, info->loc, CONFIGURATION_REMARK, "uses the choice of %s:%u: %s", lock_path(),
                entry->line, told.n ? told.at : "nothing to set");
  } else if (!c->diags.errors) {
    diag_error(&c->diags, info->loc, "[T1007] %s:%u: the choice cannot be used", lock_path(), entry->line);
  }
  buf_free(&told);
  return c->diags.errors ? TILEC_ERROR_COMPILE : TILEC_OK;
}

static tilec_status take_tuning(Compilation *c, void *data) {
  const Taking *t = data;
  const KernelInfo *info = kernel_of(c, t->spec);
  bool done = false;
  if (info && lock_is_used()) {
    tilec_status status = take_locked(c, t, info, &done);
    if (status || done) return status;
  }
  const Diags before = c->diags;
  CacheKey key;
  CacheEntry entry;
  Spec spec = *t->spec;
  Buf told = {0};
  TunedKind kind = t->device ? TUNED_FOR_VALUES : TUNED_LAST;
  if (!info || !make_key(c, info, t->spec, kind, t->device ? device_card(t->device) : "", &key))
    return TILEC_OK;
  if (!cache_get(&key, &entry)) return TILEC_OK;
  Str device = cache_field(&entry, "device");
  if (take_lines(c, &spec, entry.blob, &told)) {
    spec.tuned = true;
    *t->spec = spec;
    diag_remark(&c->diags, info->loc, CONFIGURATION_REMARK, "uses what tilec tune found on %.*s%s: %s",
                (int)device.n, device.at, t->device ? "" : ", last", told.n ? told.at : "nothing to set");
  } else {
    c->diags.list.n = before.list.n;
    c->diags.errors = before.errors;
    c->diags.raised = before.raised;
  }
  buf_free(&told);
  cache_entry_free(&entry);
  return TILEC_OK;
}

// Logs no problems of the cache. Looking up kernels in it logs them.
static tilec_status without_a_word(Compilation *c, tilec_status (*step)(Compilation *c, void *data),
                                   void *data) {
  cache_hush(true);
  tilec_status status = compile_guard(c, step, data);
  cache_hush(false);
  return status;
}

tilec_status tuned_take(Compilation *c, const tilec_device *device, Spec *spec) {
  return without_a_word(c, take_tuning, &(Taking){device, spec});
}

typedef struct Finding {
  const tilec_device *device;
  const Spec *spec;
  VEC(TuneSetting) settings;
  double seconds;
  bool found;
  bool stale;  // the lock has a choice for another text, at this line
  bool broken; // its choice at this line cannot be applied
  uint32_t line;
} Finding;

// "define NAME=TEXT" or "option NAME=TEXT".
static bool find_line(Compilation *c, Finding *f, const char *line) {
  const char *name = strchr(line, ' '), *value = name ? strchr(name, '=') : NULL;
  if (!value) return false;
  TuneSetting setting = {.name = arena_copy(&c->arena, (Str){name + 1, (size_t)(value - name - 1)}),
                         .text = value + 1,
                         .is_option = strncmp(line, "option ", sizeof "option " - 1) == 0};
  vec_push(&c->arena, &f->settings, setting);
  return true;
}

static tilec_status find(Compilation *c, void *data) {
  Finding *f = data;
  const KernelInfo *info = kernel_of(c, f->spec);
  Spec spec = *f->spec;
  Buf told = {0};
  CacheKey key;
  CacheEntry entry = {0};
  const LockEntry *of_lock = info && !lock_problem() ? locked(c, info, f->spec, false, &f->stale) : NULL;
  if (of_lock) f->line = of_lock->line;
  if (of_lock && !f->stale)
    entry.blob = of_lock->settings;
  else if (!info || !make_key(c, info, f->spec, TUNED_FOR_VALUES, device_card(f->device), &key) ||
           !cache_get(&key, &entry))
    return TILEC_OK;
  const Diags before = c->diags;
  f->found = take_lines(c, &spec, entry.blob, &told); // a result that launches would not use does not count
  f->broken = of_lock && !f->stale && !f->found;
  c->diags.list.n = before.list.n;
  c->diags.errors = before.errors;
  for (const char *at = entry.blob.at, *end = at + entry.blob.n; f->found && at < end;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    f->found = stop && find_line(c, f, arena_copy(&c->arena, (Str){at, (size_t)(stop - at)}));
    at = stop ? stop + 1 : end;
  }
  uint64_t nanoseconds;
  if (u64_parse(cache_field(&entry, "nanoseconds"), &nanoseconds)) f->seconds = (double)nanoseconds * 1e-9;
  buf_free(&told);
  cache_entry_free(&entry);
  return TILEC_OK;
}

tilec_status tuned_find(Compilation *c, const tilec_device *device, const Spec *spec, TuneSetting **settings,
                        uint32_t *count, double *seconds, bool *found) {
  Finding finding = {.device = device, .spec = spec};
  *found = false;
  if (lock_problem()) return error_set(TILEC_ERROR_IO, "%s", lock_problem());
  if (without_a_word(c, find, &finding) != TILEC_OK) return TILEC_OK;
  if (finding.stale)
    return error_set(TILEC_ERROR_IO,
                     "TILEC_LOCK: %s:%u: the choice is stale, and not used: the kernel's file has changed "
                     "since; tune it again",
                     lock_path(), finding.line);
  if (finding.broken)
    return error_set(TILEC_ERROR_IO, "TILEC_LOCK: %s:%u: the choice cannot be used", lock_path(),
                     finding.line);
  *found = finding.found;
  *settings = finding.settings.at;
  *count = finding.settings.n;
  *seconds = finding.seconds;
  return TILEC_OK;
}

typedef struct Asking {
  const Spec *spec;
  const tilec_device *device;
  bool found;
} Asking;

static tilec_status ask_tuning(Compilation *c, void *data) {
  Asking *a = data;
  const KernelInfo *info = kernel_of(c, a->spec);
  CacheKey key;
  CacheEntry entry;
  const char *arch = a->spec->target.arch->name;
  bool of_lock = info && lock_is_used() && (lock_problem() || lock_has(str_from(info->path), str_from(arch)));
  if (of_lock) {
    a->found = true;
    return TILEC_OK;
  }
  if (!info || !make_key(c, info, a->spec, TUNED_AT_ALL, device_card(a->device), &key)) return TILEC_OK;
  a->found = cache_get(&key, &entry);
  cache_entry_free(&entry);
  return TILEC_OK;
}

bool tuned_has(Compilation *c, const Spec *spec, const tilec_device *device) {
  Asking asking = {spec, device, false};
  return without_a_word(c, ask_tuning, &asking) == TILEC_OK && asking.found;
}
