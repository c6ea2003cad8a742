// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PTX simulator as a device. Uses only its public header. A simulator serves one thread at a time, so
// calls take a lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/plain.h"
#include "base/text.h"
#include "ir/memory/atomic.h"
#include "runtime/device/device.h"
#include "runtime/device/ptx_place.h"
#include "runtime/device/sim_report.h"
#include "runtime/device/tensor_encode.h"
#include "runtime/error.h"

enum { MAX_REPORTS = 20 };

typedef struct Sim {
  tilec_sim *sim;
  uint64_t budget; // for a launch without its own limit; 0: the simulator's default
  tilec_sim_schedule schedule;
  int checks; // for a launch without its own schedule
  pthread_mutex_t lock;
} Sim;

// A pointer parameter, and a source file of the kernel: for reports.
typedef struct SimPointer {
  const char *name;
  uint32_t param;
  Elem elem;
} SimPointer;

typedef struct SimSource {
  const char *name;
  Str text;
} SimSource;

typedef struct SimKernel {
  tilec_sim_module *module; // owned: unloaded with the kernel
  const tilec_sim_kernel *kernel;
  uint32_t threads[3], shared_bytes;
  ByValueParams by_value;
  Arena arena; // owns the fields below
  SimPointer *pointers;
  SimSource *sources;
  uint32_t pointer_count, source_count;
  bool is_ptx;       // PTX that was not compiled here
  bool weak_atomics; // func_has_weak_atomics
} SimKernel;

static tilec_status open_simulator(tilec_device *device, const tilec_sim_options *options) {
  Sim *state = calloc(1, sizeof *state);
  if (!state) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a device)");
  tilec_sim_result result = tilec_sim_create(options, &state->sim);
  if (result != TILEC_SIM_OK) {
    free(state);
    if (result == TILEC_SIM_ERROR_INVALID)
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "wrong options of the simulator");
    return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a simulator)");
  }
  if (options) {
    state->budget = options->instruction_budget;
    state->schedule = options->schedule;
    state->checks = options->checks;
  }
  pthread_mutex_init(&state->lock, NULL);
  device->state = state;
  device->needs_ptx = true;
  snprintf(device->name, sizeof device->name, "sim");
  return TILEC_OK;
}

static tilec_status sim_open(tilec_device *device, int ordinal) {
  (void)ordinal;
  return open_simulator(device, NULL);
}

tilec_status device_open_sim(const tilec_sim_options *options, tilec_device **device) {
  tilec_device *d = calloc(1, sizeof *d);
  if (!d) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a device)");
  d->kind = &device_sim;
  d->users = 1;
  d->target = target_default();
  tilec_status status = open_simulator(d, options);
  if (status)
    free(d);
  else
    *device = d;
  return status;
}

tilec_sim *device_simulator(const tilec_device *device) {
  return device->kind == &device_sim ? ((Sim *)device->state)->sim : NULL;
}

bool device_memory_at(tilec_device *device, uint64_t address, uint64_t *base, uint64_t *bytes) {
  if (device->kind != &device_sim) return false;
  Sim *state = device->state;
  pthread_mutex_lock(&state->lock);
  tilec_sim_result result = tilec_sim_allocation(state->sim, address, base, bytes);
  pthread_mutex_unlock(&state->lock);
  return result == TILEC_SIM_OK;
}

size_t device_copies(tilec_device *device, uint64_t address, uint64_t copies[TILEC_SIM_MAX_DEVICES]) {
  if (device->kind != &device_sim) return 0;
  Sim *state = device->state;
  pthread_mutex_lock(&state->lock);
  size_t count = tilec_sim_copies(state->sim, address, copies);
  pthread_mutex_unlock(&state->lock);
  return count;
}

static void sim_close(tilec_device *device) {
  Sim *state = device->state;
  tilec_sim_destroy(state->sim);
  pthread_mutex_destroy(&state->lock);
  free(state);
}

static tilec_sim *lock_sim(tilec_device *device) {
  Sim *state = device->state;
  pthread_mutex_lock(&state->lock);
  return state->sim;
}

// Unlocks. Returns the result as a status, with the simulator's message.
static tilec_status unlock_sim(tilec_device *device, tilec_sim_result result) {
  static const tilec_status statuses[] = {
      [TILEC_SIM_OK] = TILEC_OK,
      [TILEC_SIM_ERROR_INVALID] = TILEC_ERROR_INVALID_ARGUMENT,
      [TILEC_SIM_ERROR_PTX] = TILEC_ERROR_NOT_SUPPORTED,
      [TILEC_SIM_ERROR_NOT_FOUND] = TILEC_ERROR_INVALID_ARGUMENT,
      [TILEC_SIM_ERROR_MEMORY] = TILEC_ERROR_OUT_OF_MEMORY,
      [TILEC_SIM_ERROR_KERNEL] = TILEC_ERROR_LAUNCH,
      [TILEC_SIM_ERROR_INTERNAL] = TILEC_ERROR_INTERNAL,
  };
  Sim *state = device->state;
  tilec_status status = statuses[result];
  if (status) error_set(status, "simulator: %s", tilec_sim_message(state->sim));
  pthread_mutex_unlock(&state->lock);
  return status;
}

static tilec_status sim_synchronize(tilec_device *device, const LaunchLimits *limits) {
  (void)device, (void)limits;
  return TILEC_OK;
}

static tilec_status sim_alloc(tilec_device *device, size_t bytes, uint64_t *address) {
  return unlock_sim(device, tilec_sim_alloc(lock_sim(device), bytes, address));
}

static void sim_release(tilec_device *device, uint64_t address) {
  unlock_sim(device, tilec_sim_free(lock_sim(device), address));
}

static tilec_status sim_map(tilec_device *device, uint64_t address, size_t bytes, uint64_t *mapped,
                            bool *is_mapped) {
  if (!address || address > UINTPTR_MAX || bytes > UINTPTR_MAX - address)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "no memory at 0x%llx", (unsigned long long)address);
  tilec_status status =
      unlock_sim(device, tilec_sim_bind(lock_sim(device), (void *)(uintptr_t)address, bytes, mapped));
  *is_mapped = status == TILEC_OK;
  return status;
}

static tilec_status sim_multicast(tilec_device *device, const uint64_t *copies, size_t count, size_t bytes,
                                  uint64_t *address) {
  return unlock_sim(device, tilec_sim_multicast(lock_sim(device), copies, count, bytes, address));
}

static tilec_status sim_write(tilec_device *device, uint64_t address, const void *from, size_t bytes) {
  return unlock_sim(device, tilec_sim_write(lock_sim(device), address, from, bytes));
}

static tilec_status sim_read(tilec_device *device, uint64_t address, void *to, size_t bytes) {
  return unlock_sim(device, tilec_sim_read(lock_sim(device), to, address, bytes));
}

static tilec_status sim_fill(tilec_device *device, uint64_t address, uint8_t byte, size_t bytes) {
  return unlock_sim(device, tilec_sim_fill(lock_sim(device), address, byte, bytes));
}

static tilec_status sim_watch(tilec_device *device, uint64_t address) {
  return unlock_sim(device, tilec_sim_watch(lock_sim(device), address));
}

static const uint8_t *sim_written(tilec_device *device, uint64_t address) {
  const uint8_t *written = tilec_sim_written(lock_sim(device), address);
  unlock_sim(device, TILEC_SIM_OK);
  return written;
}

typedef struct Loading {
  SimKernel *kernel;
  const KernelImage *image;
} Loading;

static Elem pointee(const Type *pointer) {
  return pointer->inner->kind == TYPE_SCALAR ? pointer->inner->elem : ELEM_U64;
}

// Keeps the source information about the kernel that reports use.
static tilec_status keep_words(void *data) {
  const Loading *loading = data;
  SimKernel *k = loading->kernel;
  const Func *func = loading->image->func;
  k->is_ptx = !func;
  if (!func) return TILEC_OK;
  k->weak_atomics = func_has_weak_atomics(func);
  const Sources *sources = func->module->ir->sources;
  k->pointers = ARENA_ARRAY(&k->arena, SimPointer, func->param_count);
  for (uint32_t i = 0; i < func_visible_params(func); i++) {
    const FuncParam *param = &func->params[i];
    if (param->type->kind != TYPE_PTR) continue;
    const char *name = arena_copy(&k->arena, str_from(param->name));
    k->pointers[k->pointer_count++] = (SimPointer){name, i, pointee(param->type)};
  }
  k->sources = ARENA_ARRAY(&k->arena, SimSource, sources->files.n);
  for (uint32_t i = 0; i < sources->files.n; i++) {
    const SourceFile *file = &sources->files.at[i];
    SimSource *source = &k->sources[k->source_count++];
    source->name = arena_copy(&k->arena, str_from(file->name));
    Str text = file->shown.at ? file->shown : file->text;
    if (text.at) source->text = (Str){arena_copy(&k->arena, text), text.n};
  }
  return TILEC_OK;
}

static void free_kernel(SimKernel *k) {
  arena_free(&k->arena);
  free(k);
}

typedef struct Refusal {
  SimKernel *kernel;
  Str ptx;
  char *message;         // the simulator's, for text_free
  uint32_t line, column; // of the PTX; 0: it refused nothing
} Refusal;

static void add_sources(Sources *sources, const SimKernel *kernel) {
  for (uint32_t i = 0; i < kernel->source_count; i++)
    sources_add(sources, kernel->sources[i].name, kernel->sources[i].text);
}

// The refused instruction's place in the kernel's source, as the last error. Else that stays.
static tilec_status keep_refusal(void *data) {
  Refusal *refusal = data;
  Arena *arena = &refusal->kernel->arena;
  Sources sources = {.arena = arena};
  Diags diags = {.arena = arena, .sources = &sources, .error_limit = MAX_REPORTS};
  add_sources(&sources, refusal->kernel);
  if (!ptx_refuse(&diags, refusal->ptx, refusal->message, refusal->line, refusal->column))
    return TILEC_ERROR_NOT_SUPPORTED;
  return error_diags(TILEC_ERROR_NOT_SUPPORTED, &diags);
}

static tilec_status sim_load(tilec_device *device, const KernelImage *image, void **kernel) {
  if (image->is_binary)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "the simulator runs PTX, not a GPU's code");
  SimKernel *k = calloc(1, sizeof *k);
  if (!k) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a kernel)");
  memcpy(k->threads, image->threads, sizeof k->threads);
  k->shared_bytes = image->shared_bytes;
  k->by_value = image->by_value;
  tilec_status status = error_guard(keep_words, &(Loading){k, image});
  if (status) {
    free_kernel(k);
    return status;
  }
  tilec_sim *sim = lock_sim(device);
  tilec_sim_result result = tilec_sim_load(sim, image->ptx.at, image->ptx.n, &k->module);
  if (result == TILEC_SIM_OK) result = tilec_sim_find(sim, k->module, image->name, &k->kernel);
  Refusal refusal = {.kernel = k, .ptx = image->ptx};
  if (result != TILEC_SIM_OK) tilec_sim_unload(sim, k->module); // keeps the message
  if (result == TILEC_SIM_ERROR_PTX && !k->is_ptx) {
    tilec_sim_load_place(sim, &refusal.line, &refusal.column);
    refusal.message = text_make("%s", tilec_sim_message(sim));
  }
  status = unlock_sim(device, result);
  if (refusal.line) status = error_guard(keep_refusal, &refusal);
  text_free(refusal.message);
  if (status)
    free_kernel(k);
  else
    *kernel = k;
  return status;
}

static void sim_unload(tilec_device *device, void *kernel) {
  SimKernel *k = kernel;
  unlock_sim(device, tilec_sim_unload(lock_sim(device), k->module));
  free_kernel(k);
}

static tilec_status sim_attributes(tilec_device *device, void *kernel, KernelAttributes *out) {
  const SimKernel *k = kernel;
  (void)device;
  out->threads = (int)(k->threads[0] * k->threads[1] * k->threads[2]);
  out->shared_static = (int)tilec_sim_shared_bytes(k->kernel);
  out->shared_dynamic = (int)k->shared_bytes;
  return TILEC_OK;
}

static tilec_status sim_room(tilec_device *device, void *kernel, uint32_t *blocks) {
  (void)kernel;
  *blocks = tilec_sim_multiprocessors(((const Sim *)device->state)->sim);
  return TILEC_OK;
}

static tilec_status sim_params(tilec_device *device, void *kernel, KernelParams *out) {
  const SimKernel *k = kernel;
  size_t count = tilec_sim_param_count(k->kernel);
  (void)device;
  if (count > MAX_IMAGE_PARAMS)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "more than %d parameters", MAX_IMAGE_PARAMS);
  out->count = (uint32_t)count;
  for (size_t i = 0; i < count; i++) out->bytes[i] = tilec_sim_param_at(k->kernel, i)->size;
  return TILEC_OK;
}

// ---- errors of a kernel ----

typedef struct Told {
  const tilec_sim *sim;
  const SimKernel *kernel;
  const KernelLaunch *launch;
  SimPointer *pointers; // the kernel's, or for PTX those of take_numbers
  uint32_t pointer_count;
  Arena arena;
} Told;

// The parameters of PTX that may be pointers, by number. The type of their elements is not known: bytes.
static void take_numbers(Told *t) {
  t->pointers = ARENA_ARRAY(&t->arena, SimPointer, t->launch->arg_count);
  t->pointer_count = 0;
  for (uint32_t i = 0; i < t->launch->arg_count; i++)
    if (tilec_sim_param_at(t->kernel->kernel, i)->size == sizeof(uint64_t))
      t->pointers[t->pointer_count++] = (SimPointer){arena_printf(&t->arena, "%u", i), i, ELEM_U8};
}

typedef struct Names {
  BufferName *at;
  uint32_t n;
} Names;

// Adds the allocation at the address, once. False: there is none.
static bool add_name(const Told *t, Names *names, uint64_t address, BufferName name) {
  if (tilec_sim_allocation(t->sim, address, &name.address, &name.bytes) != TILEC_SIM_OK) return false;
  for (uint32_t i = 0; i < names->n; i++)
    if (names->at[i].address == name.address) return true;
  names->at[names->n++] = name;
  return true;
}

// What a table of addresses points to. Its elements' type is not known.
static void add_table(Told *t, Names *names, uint64_t table, const char *name) {
  uint64_t words[TILEC_SIM_MAX_DEVICES], base, bytes;
  if (tilec_sim_allocation(t->sim, table, &base, &bytes) != TILEC_SIM_OK || bytes > sizeof words) return;
  if (tilec_sim_read((tilec_sim *)t->sim, words, base, bytes) != TILEC_SIM_OK) return;
  for (uint32_t i = 0; i < bytes / sizeof *words; i++)
    add_name(t, names, words[i],
             (BufferName){.name = arena_printf(&t->arena, "(bytes of %s[%u])", name, i), .elem = ELEM_U8});
}

static uint32_t struct_words(const Told *t, uint32_t i) {
  return tilec_sim_param_at(t->kernel->kernel, t->kernel->by_value.at[i])->size / (uint32_t)sizeof(uint64_t);
}

// What the pointers in structs of C by value point to.
static void add_structs(Told *t, Names *names) {
  for (uint32_t i = 0; i < t->kernel->by_value.n; i++) {
    uint32_t param = t->kernel->by_value.at[i];
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)t->launch->args[param];
    for (uint32_t at = 0; at < struct_words(t, i); at++) {
      uint64_t word;
      memcpy(&word, bytes + at * sizeof word, sizeof word);
      const char *name =
          arena_printf(&t->arena, "%u (its pointer at byte %u)", param, at * (uint32_t)sizeof word);
      add_name(t, names, word, (BufferName){.name = name, .elem = ELEM_U8});
    }
  }
}

// The arguments' buffers, if known: the allocations that they point into, and with several devices also what
// tables point to.
static void buffer_names(Told *t, Names *names) {
  const KernelLaunch *launch = t->launch;
  uint32_t devices = launch->limits.devices ? launch->limits.devices : 1;
  uint32_t room = devices * t->pointer_count * (TILEC_SIM_MAX_DEVICES + 1);
  for (uint32_t i = 0; i < t->kernel->by_value.n; i++) room += struct_words(t, i);
  names->at = ARENA_ARRAY(&t->arena, BufferName, room);
  for (uint32_t i = 0; i < devices * t->pointer_count; i++) {
    const SimPointer *pointer = &t->pointers[i % t->pointer_count];
    uint32_t device = i / t->pointer_count;
    const char *name = device ? arena_printf(&t->arena, "%s@%u", pointer->name, device) : pointer->name;
    if (pointer->param < launch->arg_count)
      add_name(t, names, launch->args[device * launch->arg_count + pointer->param],
               (BufferName){.name = name, .elem = pointer->elem});
  }
  for (uint32_t i = 0; devices > 1 && i < t->pointer_count; i++)
    if (t->pointers[i].param < launch->arg_count && elem_bytes(t->pointers[i].elem) == sizeof(uint64_t))
      add_table(t, names, launch->args[t->pointers[i].param], t->pointers[i].name);
  if (t->kernel->is_ptx) add_structs(t, names);
}

static const char *const *pointer_names(Told *t) {
  const char **names = ARENA_ARRAY(&t->arena, const char *, t->launch->arg_count);
  for (uint32_t i = 0; i < t->pointer_count; i++) {
    const SimPointer *pointer = &t->pointers[i];
    if (pointer->param < t->launch->arg_count) names[pointer->param] = pointer->name;
  }
  return names;
}

static tilec_status print_findings(void *data) {
  Told *t = data;
  Sources sources = {.arena = &t->arena};
  Diags diags = {.arena = &t->arena, .sources = &sources, .error_limit = MAX_REPORTS};
  add_sources(&sources, t->kernel);
  if (t->kernel->is_ptx) take_numbers(t);
  Names names = {0};
  buffer_names(t, &names);
  ReportContext context = {.diags = &diags,
                           .pointers = pointer_names(t),
                           .names = names.at,
                           .name_count = names.n,
                           .args = t->launch->args,
                           .arg_count = t->launch->arg_count,
                           .devices = t->launch->limits.devices,
                           .ptx_file = t->kernel->is_ptx ? "PTX" : NULL,
                           .weak_atomics = t->kernel->weak_atomics};
  size_t count = tilec_sim_report_count(t->sim), causes = 0;
  SimFinding *findings = ARENA_ARRAY(&t->arena, SimFinding, count);
  for (size_t i = 0; i < count; i++) {
    findings[causes] = report_finding(&context, tilec_sim_report_at(t->sim, i));
    size_t same = 0;
    while (same < causes && !report_joins(&findings[same], &findings[causes])) same++;
    if (same < causes)
      findings[same].count += findings[causes].count;
    else
      causes++;
  }
  for (size_t i = 0; i < causes; i++) report_diagnose(&context, &findings[i]);
  report_join_updates(&diags);
  return error_diags(TILEC_ERROR_LAUNCH, &diags);
}

// Sets the last error from the launch's reports.
static tilec_status kernel_errors(const tilec_sim *sim, const SimKernel *kernel, const KernelLaunch *launch) {
  Told told = {.sim = sim,
               .kernel = kernel,
               .launch = launch,
               .pointers = kernel->pointers,
               .pointer_count = kernel->pointer_count};
  if (tilec_sim_report_count(sim) == 0)
    return error_set(TILEC_ERROR_LAUNCH, "simulator: %s", tilec_sim_message(sim));
  tilec_status status = error_guard(print_findings, &told);
  arena_free(&told.arena);
  return status;
}

// True if the bits are a number of `size` bytes, zero-extended or sign-extended.
static bool fits(uint64_t bits, uint32_t size) {
  uint64_t above = size < sizeof bits ? bits >> (8 * size - 1) : 0;
  return above <= 1 || above == UINT64_MAX >> (8 * size - 1);
}

static tilec_status check_widths(const SimKernel *k, const KernelLaunch *launch, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t size = tilec_sim_param_at(k->kernel, i % launch->arg_count)->size;
    if (fits(launch->args[i], size)) continue;
    Buf name = {0};
    demangle(str_from(tilec_sim_kernel_name(k->kernel)), &name);
    error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: parameter %u has %u byte%s; it cannot hold %lld",
              buf_view(&name).at, i % launch->arg_count, size, size == 1 ? "" : "s",
              (long long)launch->args[i]);
    buf_free(&name);
    return TILEC_ERROR_INVALID_ARGUMENT;
  }
  return TILEC_OK;
}

typedef struct Printed {
  tilec_device *device;
  Buf *also; // a second receiver; NULL: none
} Printed;

// Keeps the launch's output for the device's caller, in a form that is safe for a terminal.
static tilec_status keep_printed(void *data) {
  const Printed *p = data;
  size_t bytes;
  const char *printed = tilec_sim_printed(((Sim *)p->device->state)->sim, &bytes);
  buf_reset(&p->device->printed);
  buf_plain_lines(&p->device->printed, (Str){printed, bytes}, SIZE_MAX);
  if (p->also) buf_str(p->also, buf_view(&p->device->printed));
  return TILEC_OK;
}

static bool sim_encode(tilec_device *device, const TensorMapValue *map, void *out) {
  const TensorEncoding e = tensor_encoding(map);
  tilec_sim_tensor_map made;
  (void)device;
  if (tilec_sim_tensor_map_encode(&made, (uint32_t)e.type, e.rank, map->base, e.sizes, e.strides, e.box,
                                  e.steps, 0, (uint32_t)e.swizzle, (uint32_t)e.promotion,
                                  (uint32_t)e.fill) != TILEC_SIM_OK)
    return false;
  memcpy(out, &made, sizeof made);
  return true;
}

static tilec_status sim_launch(tilec_device *device, void *kernel, const KernelLaunch *launch) {
  const SimKernel *k = kernel;
  const void *params[LAUNCH_MAX_ARGS];
  size_t count = tilec_sim_param_count(k->kernel);
  uint32_t devices = launch->limits.devices ? launch->limits.devices : 1;
  if (launch->arg_count != count || devices * count > LAUNCH_MAX_ARGS)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s takes %zu arguments, not %u",
                     tilec_sim_kernel_name(k->kernel), count, launch->arg_count);
  for (uint32_t i = 0; i < devices * count; i++) params[i] = &launch->args[i];
  for (uint32_t i = 0; i < devices * k->by_value.n; i++) {
    size_t at = i / k->by_value.n * count + k->by_value.at[i % k->by_value.n];
    params[at] = (const void *)(uintptr_t)launch->args[at];
  }
  for (uint32_t i = 0; i < count; i++)
    if (tilec_sim_param_at(k->kernel, i)->size > sizeof launch->args[i] && params[i] == &launch->args[i])
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: parameter %u takes %u bytes, an argument has 8",
                       tilec_sim_kernel_name(k->kernel), i, tilec_sim_param_at(k->kernel, i)->size);
  tilec_status status = check_widths(k, launch, devices * (uint32_t)count);
  if (status) return status;
  const LaunchLimits *limits = &launch->limits;
  Sim *state = device->state;
  tilec_sim *sim = lock_sim(device);
  tilec_sim_limit(sim, limits->max_instructions ? limits->max_instructions : state->budget, limits->timeout,
                  limits->spent, limits->cancel);
  if (limits->checked_schedule)
    tilec_sim_check(sim, (tilec_sim_schedule)(limits->checked_schedule - 1), 1);
  else
    tilec_sim_check(sim, state->schedule, state->checks);
  tilec_sim_result result =
      tilec_sim_launch_devices(sim, k->kernel, devices, launch->grid, k->threads, k->shared_bytes, params);
  status = error_guard(keep_printed, &(Printed){device, limits->printed});
  if (result != TILEC_SIM_ERROR_KERNEL) {
    tilec_status launched = unlock_sim(device, result);
    return launched ? launched : status;
  }
  status = kernel_errors(sim, k, launch);
  unlock_sim(device, TILEC_SIM_OK);
  return status;
}

const DeviceKind device_sim = {
    .name = "sim",
    .open = sim_open,
    .close = sim_close,
    .synchronize = sim_synchronize,
    .alloc = sim_alloc,
    .release = sim_release,
    .map = sim_map,
    .unmap = sim_release,
    .multicast = sim_multicast,
    .write = sim_write,
    .read = sim_read,
    .fill = sim_fill,
    .watch = sim_watch,
    .written = sim_written,
    .load = sim_load,
    .unload = sim_unload,
    .attributes = sim_attributes,
    .room = sim_room,
    .params = sim_params,
    .encode = sim_encode,
    .launch = sim_launch,
};
