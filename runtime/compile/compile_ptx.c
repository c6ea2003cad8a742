// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compile/compile_ptx.h"

#include "base/plain.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "runtime/cache/cache.h"

// Adds the sources with their imports, and the elaborated IR for this specialisation and target. The IR's
// text includes locations and outside values (os.environ).
static void add_inputs(Compilation *c, Digest *digest) {
  const Target *target = &c->module->target;
  Buf ir = {0};
  digest_number(digest, c->sources.files.n);
  for (uint32_t i = 0; i < c->sources.files.n; i++) {
    digest_text(digest, c->sources.files.at[i].name);
    digest_str(digest, c->sources.files.at[i].text);
  }
  const uint64_t numbers[] = {
      target->num_warps, target->num_stages, target->maxnreg,  target->fp32_dot,  target->fp_contract,
      target->opt_level, target->debug,      target->overlap,  target->fast_math, target->restrict_pointers,
      target->tma,       target->warp_roles, target->epilogue, target->persistent};
  digest_text(digest, target->arch->name);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) digest_number(digest, numbers[i]);
  module_print(c->module, NULL, &ir);
  digest_str(digest, buf_view(&ir));
  buf_free(&ir);
}

enum { NAME_MOST = 200 }; // bytes of a kernel's name, for display

typedef struct PtxRequest {
  bool cached; // true if there is a cache; then `key` is set
  bool found;
  CacheKey key;
  CacheEntry entry;
} PtxRequest;

// For a kernel with hidden parameters: its parameters and host regions, as tile IR on one line. No other
// field has the passes' changes to them.
static void put_head(IrModule *module, Buf *fields) {
  Buf text = {0};
  module_print(module, &(PrintOptions){.no_locs = true, .no_bodies = true}, &text);
  for (size_t i = 0; i < text.n; i++)
    if (text.at[i] == '\n') text.at[i] = ' ';
  buf_text(fields, "\nhead=");
  buf_str(fields, buf_view(&text));
  buf_free(&text);
}

static bool take_head(Compilation *c, Str text) {
  c->host = c->module->funcs.at[0];
  if (!text.n) return true;
  const Diags before = c->diags;
  uint16_t file = sources_add(&c->sources, "cache", (Str){arena_copy(&c->arena, text), text.n});
  IrModule *module = module_parse(&c->ir, file);
  c->diags.list.n = before.list.n;
  c->diags.errors = before.errors;
  if (!module || module->funcs.n != 1) return false;
  c->host = module->funcs.at[0];
  return true;
}

// Fills c->code from the entry. False if a field is missing.
static bool take_entry(Compilation *c, const CacheEntry *entry) {
  KernelMeta meta = {.name = c->module->funcs.at[0]->name};
  uint32_t version;
  char arch[32];
  Str name = cache_field(entry, "arch");
  if (!cache_field_number(entry, "threads", &meta.threads) ||
      !cache_field_number(entry, "shared_bytes", &meta.shared_bytes) ||
      !cache_field_number(entry, "ptx_version", &version) || !name.at || name.n >= sizeof arch)
    return false;
  Target target = c->module->target;
  if (!target_parse_arch(name, &target)) return false;
  meta.ptx_version = (uint16_t)version;
  c->code.target = target;
  c->code.kernels = ARENA_NEW(&c->arena, KernelMeta);
  c->code.kernels[0] = meta;
  c->code.kernel_count = 1;
  if (!take_head(c, cache_field(entry, "head"))) return false;
  buf_str(&c->code.ptx, entry->blob);
  return true;
}

static tilec_status look_up(Compilation *c, void *data) {
  PtxRequest *request = data;
  Digest digest;
  if (c->module->funcs.n != 1) return TILEC_OK;
  request->cached = cache_key_begin(&digest, "ptx");
  if (!request->cached) return TILEC_OK;
  add_inputs(c, &digest);
  request->key = cache_key_end(&digest);
  request->found = cache_get(&request->key, &request->entry) && take_entry(c, &request->entry);
  return TILEC_OK;
}

static tilec_status keep_ptx(Compilation *c, void *data) {
  const PtxRequest *request = data;
  const KernelMeta *meta = &c->code.kernels[0];
  Buf fields = {0};
  buf_text(&fields, "kind=ptx\nkernel=");
  buf_plain(&fields, str_from(meta->name), NAME_MOST);
  buf_text(&fields, "\narch=");
  target_print_arch(&c->code.target, &fields);
  buf_printf(&fields, "\nthreads=%u\nshared_bytes=%u\nptx_version=%u", meta->threads, meta->shared_bytes,
             meta->ptx_version);
  const Func *func = c->module->funcs.at[0];
  if (func_visible_params(func) < func->param_count) put_head(c->module, &fields);
  cache_put(&request->key, buf_view(&fields), buf_view(&c->code.ptx));
  buf_free(&fields);
  return TILEC_OK;
}

// Turns the recorded cache problems into warnings.
static tilec_status take_heard(Compilation *c, void *data) {
  CacheHeard *heard = data;
  for (const char *at = heard->text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1)
    diag_warning(&c->diags, LOC_NONE, "[T1007] %.*s", (int)(end - at), at);
  *heard = (CacheHeard){0};
  return TILEC_OK;
}

static tilec_status with_cache(Compilation *c, tilec_status (*step)(Compilation *c, void *data),
                               PtxRequest *request, bool told) {
  CacheHeard heard = {0};
  if (told) cache_hear(&heard);
  tilec_status status = compile_guard(c, step, request);
  cache_hear(NULL);
  return !status && heard.n ? compile_guard(c, take_heard, &heard) : status;
}

tilec_status compile_ptx(Compilation *c, const PtxOptions *options) {
  PtxRequest request = {0};
  c->launched = true;
  tilec_status status = options->fresh ? TILEC_OK : with_cache(c, look_up, &request, options->told);
  cache_entry_free(&request.entry);
  if (status || request.found) return status;
  uint32_t warnings = c->diags.warnings;
  status = compile_passes(c, &(PassRunOptions){0});
  if (!status) status = compile_codegen(c, &(CodegenOptions){.emit_ptx = true});
  if (!status) c->host = c->module->funcs.at[0];
  if (!status && request.cached && c->diags.warnings == warnings)
    status = with_cache(c, keep_ptx, &request, options->told);
  return status;
}
