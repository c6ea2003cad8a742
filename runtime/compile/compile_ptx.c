// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compile/compile_ptx.h"

#include "base/plain.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "runtime/cache/bundle.h"
#include "runtime/cache/cache.h"
#include "runtime/compile/assemble.h"
#include "runtime/compile/specialised.h"
#include "runtime/error.h"

// The key: passes and codegen read only the elaborated IR. The names of its files are apart, because bundles serve
// other folders. The code does not depend on the grid.
static CacheKey key_of(Compilation *c, Digest *digest) {
  Buf ir = {0}, names = {0};
  module_print(c->module, &(PrintOptions){.files = &names, .only_code = true}, &ir);
  digest_str(digest, buf_view(&ir));
  CacheKey key = cache_key_end(digest, buf_view(&names));
  buf_free(&ir);
  buf_free(&names);
  return key;
}

enum { NAME_MOST = 200 }; // bytes of a kernel's name, for display

typedef struct PtxRequest {
  bool outputs; // all of tilec_compile, which uses bundles and not the cache
  bool cached;  // true if there is a cache or a bundle; then `key` is set
  bool found;
  CacheKey key;
  CacheEntry entry;
  uint32_t warnings; // before the compile: one with warnings is not cached
  Specialised made;  // as before the passes
} PtxRequest;

// For a kernel with hidden parameters: its parameters and host regions except the grid, as tile IR on one line.
// No other field has the passes' changes to them.
static void put_head(IrModule *module, Buf *fields) {
  Buf text = {0};
  module_print(module, &(PrintOptions){.no_locs = true, .no_bodies = true, .only_code = true}, &text);
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
      !cache_field_number(entry, "static_bytes", &meta.static_bytes) ||
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
  request->cached = cache_key_begin(&digest, c->launched ? "ptx" : "ptx-unlaunched");
  if (!request->cached) return TILEC_OK;
  request->key = key_of(c, &digest);
  request->key.in_folder &= !request->outputs;
  request->found = cache_get(&request->key, &request->entry) && take_entry(c, &request->entry);
  return TILEC_OK;
}

// Is this compile allowed?
static tilec_status permit(Compilation *c, void *data) {
  const PtxRequest *request = data;
  const Func *func = c->module->funcs.at[0];
  if (bundle_problem()) {
    diag_error(&c->diags, LOC_NONE, "[T1007] %s", bundle_problem());
    return bundle_is_broken() ? TILEC_ERROR_IO : TILEC_ERROR_COMPILE;
  }
  if (request->found || !bundle_forbids()) return TILEC_OK;
  Specialised made = {0};
  Buf text = {0}, nearest = {0};
  specialised_of(c, &made);
  specialised_show(&made, &text);
  specialised_nearest(&made, func->name, &nearest);
  Diag *diag = diag_error(&c->diags, func->loc,
                          "[T1007] TILEC_JIT=forbid: '%s' is not in the bundle for this specialisation: %s",
                          func->name, buf_view(&text).at);
  diag_note(&c->diags, diag, LOC_NONE, "%s", buf_view(&nearest).at);
  buf_free(&text);
  buf_free(&nearest);
  specialised_free(&made);
  return TILEC_ERROR_COMPILE;
}

// A recorded run has machine code too. Without ptxas the driver makes it.
static void record_cubin(Compilation *c) {
  Buf cubin = {0};
  if (cubin_assemble(buf_view(&c->code.ptx), &c->code.target, &cubin)) error_clear();
  buf_free(&cubin);
}

static tilec_status note_specialised(Compilation *c, void *data) {
  specialised_of(c, &((PtxRequest *)data)->made);
  return TILEC_OK;
}

static tilec_status keep_ptx(Compilation *c, void *data) {
  PtxRequest *request = data;
  const KernelMeta *meta = &c->code.kernels[0];
  Buf fields = {0};
  buf_text(&fields, "kind=ptx\nkernel=");
  buf_plain(&fields, str_from(meta->name), NAME_MOST);
  buf_text(&fields, "\narch=");
  target_print_arch(&c->code.target, &fields);
  buf_printf(&fields, "\nthreads=%u\nshared_bytes=%u\nstatic_bytes=%u\nptx_version=%u", meta->threads,
             meta->shared_bytes, meta->static_bytes, meta->ptx_version);
  const Func *func = c->module->funcs.at[0];
  specialised_put(&request->made, &fields);
  if (func_visible_params(func) < func->param_count) put_head(c->module, &fields);
  if (request->key.in_folder && c->diags.warnings == request->warnings)
    cache_put(&request->key, buf_view(&fields), buf_view(&c->code.ptx));
  else
    cache_record(&request->key, buf_view(&fields), buf_view(&c->code.ptx));
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

// Fills c->code and c->host.
static tilec_status get_or_compile(Compilation *c, PtxRequest *request, bool fresh, bool told) {
  tilec_status status = fresh && !bundle_is_used() ? TILEC_OK : with_cache(c, look_up, request, told);
  cache_entry_free(&request->entry);
  if (!status && bundle_is_used()) status = compile_guard(c, permit, request);
  if (status || request->found) {
    if (!status && bundle_records_cubins()) record_cubin(c);
    return status;
  }
  request->warnings = c->diags.warnings;
  if (!status && request->cached) status = compile_guard(c, note_specialised, request);
  if (!status) status = compile_passes(c, &(PassRunOptions){0});
  if (!status)
    status = compile_codegen(c, &(CodegenOptions){.emit_ptx = true, .emit_llvm = request->outputs});
  if (!status) c->host = c->module->funcs.at[0];
  if (!status && request->cached) status = with_cache(c, keep_ptx, request, told);
  specialised_free(&request->made);
  if (!status && bundle_records_cubins()) record_cubin(c);
  return status;
}

tilec_status compile_ptx(Compilation *c, const PtxOptions *options) {
  c->launched = true;
  return get_or_compile(c, &(PtxRequest){0}, options->fresh, options->told);
}

tilec_status compile_outputs(Compilation *c, bool *bundled) {
  PtxRequest request = {.outputs = true};
  tilec_status status = get_or_compile(c, &request, true, false);
  *bundled = request.found;
  return status;
}
