// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels from the caller's PTX or GPU code, and the parameters of a kernel.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sized.h"
#include "ir/number.h"
#include "runtime/error.h"
#include "runtime/launch/image_struct.h"
#include "runtime/launch/kernel.h"
#include "runtime/launch/tensor.h"

// --- Arguments by the size of their parameters ---

static tilec_status wrong_argument(const tilec_kernel *k, uint32_t i, const char *given) {
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: parameter %u has %u bytes; it cannot take %s", k->name,
                   i, k->param_bytes[i], given);
}

static bool int_fits(uint32_t bytes, const tilec_arg *arg) {
  if (bytes >= 8) return bytes == 8;
  int64_t i = arg->value.i;
  int64_t limit = (int64_t)1 << (8 * bytes);
  return arg->kind == TILEC_ARG_UINT ? arg->value.u < (uint64_t)limit : i >= -limit / 2 && i < limit;
}

static tilec_status bind_float(const tilec_kernel *k, uint32_t i, double value, uint64_t *bits) {
  uint32_t bytes = k->param_bytes[i];
  if (bytes != 4 && bytes != 8) return wrong_argument(k, i, "a float");
  Elem elem = bytes == 8 ? ELEM_FP64 : ELEM_FP32;
  *bits = number_encode(elem, value);
  return isfinite(value) && fabs(value) >= number_overflow(elem) ? wrong_argument(k, i, "so large a number")
                                                                 : TILEC_OK;
}

static tilec_status bind_one(const tilec_kernel *k, uint32_t i, const tilec_arg *arg, BoundArgs *bound);

static tilec_status bind_tensor(const tilec_kernel *k, uint32_t i, const tilec_arg *arg, BoundArgs *bound) {
  tilec_arg plain;
  tilec_status status = tensor_plain(k->name, k->params[i].name, arg, &plain);
  bound->tensors = true;
  return status ? status : bind_one(k, i, &plain, bound);
}

// A struct of at most 8 bytes is the parameter's bits. A larger one stays in the key.
static tilec_status bind_struct(const tilec_kernel *k, uint32_t i, const tilec_arg *arg, BoundArgs *bound) {
  uint32_t used = bound->key_bytes + bound->struct_bytes, wanted = k->param_bytes[i];
  uint8_t *to = bound->key + used;
  size_t bytes, room = sizeof bound->key - used;
  const char *why = struct_pack(arg, to, room, &bytes);
  if (why) return wrong_argument(k, i, why);
  if (bytes != wanted)
    return error_set(
        TILEC_ERROR_INVALID_ARGUMENT,
        "%s: parameter %u has %u bytes, and the tuple has %zu as a struct of C: each item's dtype "
        "is its type (in C++ an int has 4 bytes, 2.0 has 8 and 2.0f has 4)",
        k->name, i, wanted, bytes);
  if (bytes > room)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "%s: parameter %u: structs of more than %d bytes in all",
                     k->name, i, MAX_SHAPE);
  bound->bits[i] = (uint64_t)(uintptr_t)to;
  if (bytes <= sizeof bound->bits[i]) {
    bound->bits[i] = 0;
    memcpy(&bound->bits[i], to, bytes);
  }
  bound->struct_bytes += (uint32_t)(bytes + 7) / 8 * 8;
  return TILEC_OK;
}

static tilec_status bind_one(const tilec_kernel *k, uint32_t i, const tilec_arg *arg, BoundArgs *bound) {
  uint32_t bytes = k->param_bytes[i];
  bound->key[KEY_BYTES * i] = bound->key[KEY_BYTES * i + 1] = 0;
  bound->bits[i] = arg->value.u;
  switch (arg->kind) {
  case TILEC_ARG_POINTER:
    bound->key[KEY_BYTES * i] = KEY_POINTER;
    return bytes == 8 ? TILEC_OK : wrong_argument(k, i, "a pointer");
  case TILEC_ARG_NONE: bound->bits[i] = 0; return bytes <= 8 ? TILEC_OK : wrong_argument(k, i, "None");
  case TILEC_ARG_INT:
  case TILEC_ARG_UINT:
  case TILEC_ARG_BOOL: return int_fits(bytes, arg) ? TILEC_OK : wrong_argument(k, i, "that integer");
  case TILEC_ARG_FLOAT: return bind_float(k, i, arg->value.f, &bound->bits[i]);
  case TILEC_ARG_DL:
  case TILEC_ARG_DIM:
  case TILEC_ARG_STRIDE: return bind_tensor(k, i, arg, bound);
  case TILEC_ARG_TUPLE: return bind_struct(k, i, arg, bound);
  case TILEC_ARG_DESCRIPTOR:
  case TILEC_ARG_CONSTEXPR: return wrong_argument(k, i, "what is not one parameter");
  case TILEC_ARG_DEFAULT: return wrong_argument(k, i, "a default: PTX has none");
  }
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: parameter %u: %d is not a tilec_arg_kind", k->name, i,
                   (int)arg->kind);
}

tilec_status image_bind(const tilec_kernel *k, const tilec_arg *args, size_t arg_count, BoundArgs *bound) {
  bound->tensors = bound->wide = false;
  if (arg_count != k->param_count)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s takes %u arguments, not %zu", k->name, k->param_count,
                     arg_count);
  bound->count = k->param_count;
  bound->key_bytes = (KEY_BYTES * k->param_count + 7) / 8 * 8;
  for (uint32_t i = 0; i < k->param_count; i++) {
    tilec_status status = bind_one(k, i, &args[i], bound);
    if (status) return status;
  }
  return TILEC_OK;
}

// --- Loading ---

typedef struct ImageRequest {
  tilec_kernel *kernel;
  const char *name;
  Str image;
  const tilec_image_options *options;
} ImageRequest;

static tilec_status name_params(tilec_kernel *k, const KernelParams *params) {
  k->param_count = params->count;
  k->params = ARENA_ARRAY(&k->arena, RunParam, params->count);
  k->param_bytes = ARENA_ARRAY(&k->arena, uint32_t, params->count);
  for (uint32_t i = 0; i < params->count; i++) {
    k->params[i] = (RunParam){.name = arena_printf(&k->arena, "%u", i)};
    k->param_bytes[i] = params->bytes[i];
  }
  return TILEC_OK;
}

// Parameters of more than 8 bytes are structs, which a launch passes by value.
static tilec_status find_structs(const tilec_kernel *k, const KernelParams *params, ByValueParams *structs) {
  for (uint32_t i = 0; i < params->count; i++) {
    if (params->bytes[i] <= sizeof(uint64_t)) continue;
    if (structs->n == MAX_BY_VALUE)
      return error_set(TILEC_ERROR_NOT_SUPPORTED, "%s: more than %d parameters are structs", k->name,
                       MAX_BY_VALUE);
    structs->at[structs->n++] = (uint16_t)i;
  }
  return TILEC_OK;
}

static tilec_status load_image(void *data) {
  const ImageRequest *r = data;
  tilec_kernel *k = r->kernel;
  const tilec_image_options *o = r->options;
  k->is_image = true;
  k->name = arena_copy(&k->arena, str_from(r->name));
  Specialisation *s = calloc(1, sizeof *s);
  if (!s) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a kernel)");
  pthread_mutex_init(&s->host_lock, NULL);
  k->first = s;
  KernelImage image = {.name = k->name,
                       .threads = {o->threads[0], o->threads[1], o->threads[2]},
                       .shared_bytes = o->shared_bytes,
                       .is_binary = r->image.n > 0 && !memchr("./\n\t\r ", r->image.at[0], 6)};
  image.ptx = (Str){arena_copy(&k->arena, r->image), r->image.n}; // the driver needs a NUL after PTX
  KernelParams params;
  tilec_status status = device_load(k->device, &image, &s->loaded);
  if (!status) status = k->device->kind->params(k->device, s->loaded.state, &params);
  if (!status) status = find_structs(k, &params, &image.by_value);
  if (!status && image.by_value.n) { // only the loaded kernel knows its parameters
    device_unload(&s->loaded);
    status = device_load(k->device, &image, &s->loaded);
  }
  return status ? status : name_params(k, &params);
}

static tilec_status check_options(const tilec_image_options *options, tilec_image_options *out) {
  *out = (tilec_image_options)TILEC_IMAGE_OPTIONS_INIT;
  if (options && !sized_take(out, sizeof *out, options))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "options.size is %zu: initialise options with TILEC_IMAGE_OPTIONS_INIT", options->size);
  const uint64_t threads = (uint64_t)out->threads[0] * out->threads[1];
  const uint64_t most = BLOCK_MAX_THREADS;
  if (threads && threads <= most && out->threads[2] && threads * out->threads[2] <= most) return TILEC_OK;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%u x %u x %u threads in a CTA; it must have 1 .. %d",
                   out->threads[0], out->threads[1], out->threads[2], BLOCK_MAX_THREADS);
}

tilec_status tilec_kernel_from_image(tilec_device *device, const char *name, const void *image, size_t bytes,
                                     const tilec_image_options *options, tilec_kernel **kernel) {
  if (!device || !name || !image || !kernel)
    return null_argument("tilec_kernel_from_image", !device  ? "device"
                                                    : !name  ? "name"
                                                    : !image ? "image"
                                                             : "kernel");
  *kernel = NULL;
  tilec_image_options checked;
  tilec_status status = check_options(options, &checked);
  if (status) return status;
  if (!device->kind->params)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "device %s runs tile IR, not PTX", device->name);
  tilec_kernel *k = kernel_alloc(device, NULL);
  if (!k) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a kernel)");
  status = error_guard(load_image, &(ImageRequest){k, name, {image, bytes}, &checked});
  if (status)
    tilec_kernel_free(k);
  else
    *kernel = k;
  return status;
}

// --- The parameters of a kernel ---

size_t tilec_kernel_param_count(const tilec_kernel *kernel) { return kernel ? kernel->param_count : 0; }

static void describe_wide(const RunWide *wide, tilec_param_info *out) {
  bool tuple = wide->form == PARAM_TUPLE;
  out->kind = tuple ? TILEC_PARAM_TUPLE : TILEC_PARAM_DESCRIPTOR;
  out->count = wide->count;
  if (tuple) return;
  out->dtype = (tilec_dtype)wide->elem;
  out->padding = (tilec_padding)((wide->pads_nan ? TILEC_PADDING_NAN : TILEC_PADDING_ZERO) |
                                 (wide->rounds_tf32 ? TILEC_PADDING_ZERO_TF32 : 0));
  for (uint32_t i = 0; i < wide->count; i++) out->block[i] = wide->block[i];
}

tilec_status tilec_kernel_param(const tilec_kernel *kernel, size_t index, tilec_param_info *info) {
  if (!kernel || !info) return null_argument("tilec_kernel_param", kernel ? "info" : "kernel");
  if (index >= kernel->param_count)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s has %u run-time parameters, no parameter %zu",
                     kernel->name, kernel->param_count, index);
  const RunParam *p = &kernel->params[index];
  tilec_param_info out = {.size = sizeof out, .name = p->name, .has_default = p->has_default};
  if (p->annotated) {
    out.kind = p->pointer ? TILEC_PARAM_POINTER : TILEC_PARAM_SCALAR;
    out.dtype = (tilec_dtype)p->elem;
    out.bytes = p->pointer ? 8 : tilec_dtype_bytes(out.dtype);
  }
  if (p->wide) describe_wide(p->wide, &out);
  if (kernel->is_image) out.bytes = kernel->param_bytes[index];
  if (sized_give(info, &out, sizeof out)) return TILEC_OK;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                   "info.size is %zu: initialise info with TILEC_PARAM_INFO_INIT", info->size);
}
