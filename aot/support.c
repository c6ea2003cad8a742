// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code that each file of --emit=header shares. tilec embeds it as text. The part above the images marker
// comes before the tables of images, the rest after them. C99 and C++11. libcuda.so.1 is opened at the first
// launch. No constructor runs.

// The functions of the CUDA driver. Those marked * may be missing: they are newer than the oldest driver that
// works.
typedef int tilec_result; // CUresult; 0: success

typedef struct tilec_attribute {
  int id, padding;
  union {
    int allowed;
    char bytes[64];
  } value;
} tilec_attribute;

typedef struct tilec_config {
  unsigned grid[3], block[3], shared_bytes;
  void *stream;
  const tilec_attribute *attributes;
  unsigned attribute_count;
} tilec_config;

typedef struct tilec_driver {
  tilec_result (*GetErrorName)(tilec_result, const char **);
  tilec_result (*GetErrorString)(tilec_result, const char **);
  tilec_result (*CtxGetCurrent)(void **);
  tilec_result (*CtxGetId)(void *, unsigned long long *); // *
  tilec_result (*CtxGetDevice)(int *);
  tilec_result (*DeviceGetAttribute)(int *, int, int);
  tilec_result (*ThreadExchangeStreamCaptureMode)(int *);
  tilec_result (*ModuleLoadDataEx)(void **, const void *, unsigned, int *, void **);
  tilec_result (*ModuleUnload)(void *);
  tilec_result (*ModuleGetFunction)(void **, void *, const char *);
  tilec_result (*FuncSetAttribute)(void *, int, int);
  tilec_result (*LaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               void *, void **, void **);
  tilec_result (*LaunchKernelEx)(const tilec_config *, void *, void **, void **); // *
  tilec_result (*OccupancyMaxActiveBlocks)(int *, void *, int, size_t);
  tilec_result (*TensorMapEncodeTiled)(void *, int, unsigned, void *, const uint64_t *, const uint64_t *,
                                       const unsigned *, const unsigned *, int, int, int, int); // *
} tilec_driver;

// Computes values before a launch, from the visible parameters' addresses and the grid's sizes. False: a
// division by zero.
typedef bool (*tilec_host)(void *const *params, const int64_t *programs, int64_t *values);

// A parameter that no caller gives: a tensor map, 128 bytes that the driver encodes.
typedef struct tilec_map {
  tilec_host values; // the base, the sizes, and the strides but the last; outermost first, in elements
  int type, swizzle, promotion, fill; // CUtensorMap...
  unsigned rank, element_bytes;
  unsigned box[5]; // elements, innermost first
} tilec_map;

// The hidden parameters, after an image's visible ones. If they cannot be made for a launch, it takes a later
// image.
typedef struct tilec_hidden {
  tilec_host guard; // true if the maps describe what the kernel loads; NULL: always
  int persistent;   // 1: the grid's sizes come first, as 32-bit integers; the launch has only CTAs that all
                    // fit on the GPU at once
  const tilec_map *maps;
  unsigned map_count;
} tilec_hidden;

// A kernel for one architecture. The arguments must satisfy the facts in `needs`.
typedef struct tilec_image {
  const char *ptx;
  const char *cubin; // NULL: none
  const char *entry;
  int capability; // 10 * major + minor
  int exact;      // 1: for that compute capability only; 0: for later ones too
  unsigned threads, shared_bytes;
  int overlaps;               // a launch may start while the previous one in its stream ends
  const tilec_hidden *hidden; // NULL: nothing
  uint64_t needs[TILEC_FACT_WORDS];
} tilec_image;

// A kernel's images: `count` images from `first`, best for a device first.
typedef struct tilec_kernel {
  const char *name;
  unsigned first, count;
  const unsigned char *bytes; // sizes of the visible parameters, if an image has hidden ones
  unsigned param_count;
} tilec_kernel;

// ---- images ----

// The state of one CUDA context. It stays until the process ends.
typedef struct tilec_context {
  struct tilec_context *next;
  void *context;
  unsigned long long id; // unique among all contexts, ever; 0: an old driver that does not report it
  int device, capability;
  void *functions[TILEC_IMAGES]; // atomic; NULL: not loaded yet
  void *modules[TILEC_IMAGES];
  int rooms[TILEC_IMAGES]; // of a persistent kernel: how many CTAs run at once
} tilec_context;

static tilec_driver tilec_cuda;
static int tilec_opened;                                       // atomic: tilec_cuda is filled
static tilec_context *tilec_contexts;                          // atomic
static pthread_mutex_t tilec_lock = PTHREAD_MUTEX_INITIALIZER; // guards opening and loading
static __thread char tilec_message[1024];

__attribute__((format(printf, 2, 3))) static tilec_aot_status tilec_fail(tilec_aot_status status,
                                                                         const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(tilec_message, sizeof tilec_message, format, args);
  va_end(args);
  return status;
}

static tilec_aot_status tilec_fail_driver(tilec_result result, const char *what, const char *more) {
  const char *name = NULL, *text = NULL;
  tilec_cuda.GetErrorName(result, &name);
  tilec_cuda.GetErrorString(result, &text);
  return tilec_fail(TILEC_AOT_DRIVER_ERROR, "%s: %s (%s, %d)%s%s", what, text ? text : "unknown error",
                    name ? name : "?", result, more[0] ? "\n" : "", more);
}

// ---- The driver ----

typedef struct tilec_symbol {
  const char *name;
  size_t offset;
  int optional;
} tilec_symbol;

// Call with the lock held. The library is never closed, because the driver keeps threads.
static tilec_aot_status tilec_open_locked(void) {
  static const tilec_symbol symbols[] = {
      {"cuGetErrorName", offsetof(tilec_driver, GetErrorName), 0},
      {"cuGetErrorString", offsetof(tilec_driver, GetErrorString), 0},
      {"cuCtxGetCurrent", offsetof(tilec_driver, CtxGetCurrent), 0},
      {"cuCtxGetId", offsetof(tilec_driver, CtxGetId), 1},
      {"cuCtxGetDevice", offsetof(tilec_driver, CtxGetDevice), 0},
      {"cuDeviceGetAttribute", offsetof(tilec_driver, DeviceGetAttribute), 0},
      {"cuThreadExchangeStreamCaptureMode", offsetof(tilec_driver, ThreadExchangeStreamCaptureMode), 0},
      {"cuModuleLoadDataEx", offsetof(tilec_driver, ModuleLoadDataEx), 0},
      {"cuModuleUnload", offsetof(tilec_driver, ModuleUnload), 0},
      {"cuModuleGetFunction", offsetof(tilec_driver, ModuleGetFunction), 0},
      {"cuFuncSetAttribute", offsetof(tilec_driver, FuncSetAttribute), 0},
      {"cuLaunchKernel", offsetof(tilec_driver, LaunchKernel), 0},
      {"cuLaunchKernelEx", offsetof(tilec_driver, LaunchKernelEx), 1},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", offsetof(tilec_driver, OccupancyMaxActiveBlocks), 0},
      {"cuTensorMapEncodeTiled", offsetof(tilec_driver, TensorMapEncodeTiled), 1},
  };
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return tilec_fail(TILEC_AOT_NO_DRIVER, "no CUDA driver: %s; install NVIDIA's driver", dlerror());
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *function = dlsym(library, symbols[i].name);
    if (!function && !symbols[i].optional)
      return tilec_fail(TILEC_AOT_NO_DRIVER, "the CUDA driver is too old: it has no %s", symbols[i].name);
    memcpy((char *)&tilec_cuda + symbols[i].offset, &function, sizeof function);
  }
  __atomic_store_n(&tilec_opened, 1, __ATOMIC_RELEASE);
  return TILEC_AOT_OK;
}

static tilec_aot_status tilec_open(void) {
  if (__atomic_load_n(&tilec_opened, __ATOMIC_ACQUIRE)) return TILEC_AOT_OK;
  pthread_mutex_lock(&tilec_lock);
  tilec_aot_status status = tilec_opened ? TILEC_AOT_OK : tilec_open_locked();
  pthread_mutex_unlock(&tilec_lock);
  return status;
}

// ---- Contexts ----

static tilec_context *tilec_find_context(void *context, unsigned long long id) {
  tilec_context *at = __atomic_load_n(&tilec_contexts, __ATOMIC_ACQUIRE);
  while (at && (at->context != context || at->id != id)) at = at->next;
  return at;
}

static tilec_aot_status tilec_add_context(void *context, unsigned long long id, tilec_context **made) {
  enum { MAJOR = 75, MINOR = 76 }; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_
  int device = 0, major = 0, minor = 0;
  tilec_result result = tilec_cuda.CtxGetDevice(&device);
  if (result == 0) result = tilec_cuda.DeviceGetAttribute(&major, MAJOR, device);
  if (result == 0) result = tilec_cuda.DeviceGetAttribute(&minor, MINOR, device);
  if (result != 0) return tilec_fail_driver(result, "cuDeviceGetAttribute", "");
  tilec_context *node = (tilec_context *)calloc(1, sizeof *node);
  if (!node) return tilec_fail(TILEC_AOT_OUT_OF_MEMORY, "out of memory");
  node->context = context;
  node->id = id;
  node->device = device;
  node->capability = 10 * major + minor;
  node->next = tilec_contexts;
  __atomic_store_n(&tilec_contexts, node, __ATOMIC_RELEASE);
  *made = node;
  return TILEC_AOT_OK;
}

// The state of the context that is current on this thread.
static tilec_aot_status tilec_current(tilec_context **current) {
  void *context = NULL;
  unsigned long long id = 0;
  tilec_aot_status status = tilec_open();
  if (status) return status;
  if (tilec_cuda.CtxGetCurrent(&context) != 0 || !context)
    return tilec_fail(
        TILEC_AOT_NO_CONTEXT,
        "no CUDA context is current on this thread: call cudaSetDevice() or cuCtxSetCurrent() first");
  if (tilec_cuda.CtxGetId && tilec_cuda.CtxGetId(context, &id) != 0) id = 0;
  *current = tilec_find_context(context, id);
  if (*current) return TILEC_AOT_OK;
  pthread_mutex_lock(&tilec_lock);
  *current = tilec_find_context(context, id);
  if (!*current) status = tilec_add_context(context, id, current);
  pthread_mutex_unlock(&tilec_lock);
  return status;
}

// ---- Images ----

static int tilec_runs_on(const tilec_image *image, int capability) {
  return image->exact ? image->capability == capability : image->capability <= capability;
}

// A cubin runs only on its own minor version and later ones of the same major version.
static int tilec_cubin_runs_on(const tilec_image *image, int capability) {
  return image->cubin && tilec_runs_on(image, capability) && image->capability / 10 == capability / 10;
}

// Loads the cubin, or lets the driver compile the PTX.
static tilec_aot_status tilec_load_module(const tilec_image *image, int capability, void **module) {
  enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6, LOG_BYTES = 512 }; // CU_JIT_
  char log[LOG_BYTES] = "";
  int options[2] = {ERROR_LOG, ERROR_LOG_BYTES};
  void *values[2] = {log, (void *)(uintptr_t)LOG_BYTES};
  if (tilec_cubin_runs_on(image, capability) &&
      tilec_cuda.ModuleLoadDataEx(module, image->cubin, 0, NULL, NULL) == 0)
    return TILEC_AOT_OK;
  tilec_result result = tilec_cuda.ModuleLoadDataEx(module, image->ptx, 2, options, values);
  return result == 0 ? TILEC_AOT_OK : tilec_fail_driver(result, "cuModuleLoadDataEx", log);
}

static tilec_aot_status tilec_load_function(const tilec_image *image, void *module, void **function) {
  enum { MAX_DYNAMIC_SHARED = 8, SHARED_WITHOUT_ASKING = 48 * 1024 };
  tilec_result result = tilec_cuda.ModuleGetFunction(function, module, image->entry);
  if (result != 0) return tilec_fail_driver(result, "cuModuleGetFunction", image->entry);
  if (image->shared_bytes <= SHARED_WITHOUT_ASKING) return TILEC_AOT_OK;
  result = tilec_cuda.FuncSetAttribute(*function, MAX_DYNAMIC_SHARED, (int)image->shared_bytes);
  return result == 0 ? TILEC_AOT_OK : tilec_fail_driver(result, "cuFuncSetAttribute", image->entry);
}

static tilec_aot_status tilec_find_room(const tilec_context *c, const tilec_image *image, void *function,
                                        int *room) {
  enum { MULTIPROCESSORS = 16 }; // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
  int count = 0, each = 0;
  if (!image->hidden || !image->hidden->persistent) return TILEC_AOT_OK;
  tilec_result result = tilec_cuda.DeviceGetAttribute(&count, MULTIPROCESSORS, c->device);
  if (result == 0)
    result = tilec_cuda.OccupancyMaxActiveBlocks(&each, function, (int)image->threads, image->shared_bytes);
  if (result != 0)
    return tilec_fail_driver(result, "cuOccupancyMaxActiveBlocksPerMultiprocessor", image->entry);
  *room = count * each;
  return TILEC_AOT_OK;
}

// Call with the lock held. Relaxed capture mode: loading is legal while this or another thread captures a
// graph.
static tilec_aot_status tilec_load_locked(tilec_context *c, unsigned n) {
  void *module = NULL, *function = NULL;
  int mode = 2;
  tilec_cuda.ThreadExchangeStreamCaptureMode(&mode);
  tilec_aot_status status = tilec_load_module(&tilec_images[n], c->capability, &module);
  if (!status) {
    status = tilec_load_function(&tilec_images[n], module, &function);
    if (!status) status = tilec_find_room(c, &tilec_images[n], function, &c->rooms[n]);
    if (status) tilec_cuda.ModuleUnload(module);
  }
  tilec_cuda.ThreadExchangeStreamCaptureMode(&mode);
  if (status) return status;
  c->modules[n] = module;
  __atomic_store_n(&c->functions[n], function, __ATOMIC_RELEASE);
  return TILEC_AOT_OK;
}

static tilec_aot_status tilec_function(tilec_context *c, unsigned n, void **function) {
  tilec_aot_status status = TILEC_AOT_OK;
  *function = __atomic_load_n(&c->functions[n], __ATOMIC_ACQUIRE);
  if (*function) return TILEC_AOT_OK;
  pthread_mutex_lock(&tilec_lock);
  if (!c->functions[n]) status = tilec_load_locked(c, n);
  *function = c->functions[n];
  pthread_mutex_unlock(&tilec_lock);
  return status;
}

// ---- Hidden parameters ----

enum {
  TILEC_SETS = 32,
  TILEC_KEY = TILEC_PARAMS + 3,
  TILEC_ALL_PARAMS = TILEC_PARAMS + 3 + TILEC_MAPS,
  TILEC_MAP_BYTES = 128
};

// The hidden parameters of one launch.
typedef struct tilec_own {
  __attribute__((aligned(64))) unsigned char maps[TILEC_MAPS][TILEC_MAP_BYTES];
  int programs[3];
  void *params[TILEC_ALL_PARAMS];
} tilec_own;

// Tensor maps made for these arguments and this grid.
typedef struct tilec_set {
  uint64_t key[TILEC_KEY];
  int made;
  unsigned char maps[TILEC_MAPS][TILEC_MAP_BYTES];
} tilec_set;

// The maps of an image's last launches. A model's layers repeat their launches in a cycle.
typedef struct tilec_sets {
  tilec_set *at[TILEC_SETS];
  unsigned count, last, oldest;
} tilec_sets;

static tilec_sets tilec_tables[TILEC_IMAGES];
static pthread_mutex_t tilec_tables_lock = PTHREAD_MUTEX_INITIALIZER;

// False: the hardware does not support such a map.
static int tilec_encode(const tilec_map *map, const int64_t *values, void *out) {
  static const unsigned steps[5] = {1, 1, 1, 1, 1};
  const int64_t bytes = (int64_t)map->element_bytes, most_size = 0x7fffff00, end = (int64_t)1 << 40;
  uint64_t sizes[5] = {0}, strides[5] = {0};
  if (!tilec_cuda.TensorMapEncodeTiled || values[0] % 16 != 0) return 0;
  for (unsigned i = 0; i < map->rank; i++) {
    const int64_t size = values[map->rank - i], stride = i ? values[2 * map->rank - i] : 0;
    if (size < 1 || size > most_size || stride < 0 || stride >= end / bytes || stride * bytes % 16 != 0)
      return 0;
    sizes[i] = (uint64_t)size;
    if (i) strides[i - 1] = (uint64_t)(stride * bytes);
  }
  return tilec_cuda.TensorMapEncodeTiled(out, map->type, map->rank, (void *)(uintptr_t)values[0], sizes,
                                         strides, map->box, steps, 0, map->swizzle, map->promotion,
                                         map->fill) == 0;
}

static int tilec_encode_all(const tilec_hidden *hidden, void *const *params, const int64_t grid[3],
                            tilec_own *own) {
  const int64_t most = 2147483647 - (1 << 20); // limit for persistent kernels
  int64_t values[10] = {0};
  if (hidden->persistent && (grid[1] > most / grid[0] || grid[2] > most / grid[0] / grid[1])) return 0;
  if (hidden->guard && (!hidden->guard(params, grid, values) || !(values[0] & 1))) return 0;
  for (unsigned i = 0; i < hidden->map_count; i++)
    if (!hidden->maps[i].values(params, grid, values) ||
        !tilec_encode(&hidden->maps[i], values, own->maps[i]))
      return 0;
  return 1;
}

// The key's set, or NULL. The search starts after the last one used.
static tilec_set *tilec_find_set(tilec_sets *sets, const uint64_t *key) {
  for (unsigned n = 0, i = sets->last; n < sets->count; n++) {
    i = i + 1 < sets->count ? i + 1 : 0;
    if (memcmp(sets->at[i]->key, key, sizeof sets->at[i]->key) != 0) continue;
    sets->last = i;
    return sets->at[i];
  }
  return NULL;
}

// If the table is full, the oldest set is replaced. Without memory nothing is kept.
static void tilec_keep_set(tilec_sets *sets, const uint64_t *key, int made, const tilec_own *own) {
  const unsigned place = sets->count < TILEC_SETS ? sets->count : sets->oldest;
  tilec_set *set = sets->at[place] ? sets->at[place] : (tilec_set *)malloc(sizeof *set);
  if (!set) return;
  if (sets->count < TILEC_SETS)
    sets->count++;
  else
    sets->oldest = (place + 1) % TILEC_SETS;
  memcpy(set->key, key, sizeof set->key);
  set->made = made;
  if (made) memcpy(set->maps, own->maps, sizeof set->maps);
  sets->at[sets->last = place] = set;
}

// Makes the hidden parameters of image n for the launch. 0: the image does not fit these arguments.
static int tilec_make_hidden(const tilec_kernel *kernel, unsigned n, void *const *params,
                             const int64_t grid[3], tilec_own *own) {
  uint64_t key[TILEC_KEY] = {0};
  for (unsigned i = 0; i < kernel->param_count; i++) memcpy(&key[i], params[i], kernel->bytes[i]);
  for (int d = 0; d < 3; d++) key[TILEC_PARAMS + d] = (uint64_t)grid[d];
  pthread_mutex_lock(&tilec_tables_lock);
  const tilec_set *set = tilec_find_set(&tilec_tables[n], key);
  const int made = set ? set->made : tilec_encode_all(tilec_images[n].hidden, params, grid, own);
  if (set && made) memcpy(own->maps, set->maps, sizeof own->maps);
  if (!set) tilec_keep_set(&tilec_tables[n], key, made, own);
  pthread_mutex_unlock(&tilec_tables_lock);
  return made;
}

// All parameters of an image with hidden ones. For a persistent kernel the grid becomes the number of CTAs.
static void **tilec_all_params(const tilec_kernel *kernel, const tilec_hidden *hidden, int room,
                               void *const *params, int64_t grid[3], tilec_own *own) {
  unsigned n = kernel->param_count;
  for (unsigned i = 0; i < n; i++) own->params[i] = params[i];
  for (int d = 0; d < 3 && hidden->persistent; d++) {
    own->programs[d] = (int)grid[d];
    own->params[n++] = &own->programs[d];
  }
  for (unsigned i = 0; i < hidden->map_count; i++) own->params[n++] = own->maps[i];
  if (!hidden->persistent) return own->params;
  const int64_t programs = grid[0] * grid[1] * grid[2];
  grid[0] = programs < room ? programs : room;
  grid[1] = grid[2] = 1;
  return own->params;
}

// ---- Launches ----

static int tilec_holds(const tilec_image *image, const uint64_t *facts) {
  for (unsigned i = 0; i < TILEC_FACT_WORDS; i++)
    if (image->needs[i] & ~facts[i]) return 0;
  return 1;
}

// Chooses the first image that runs on the device, whose facts hold and whose hidden parameters can be made.
// Makes those.
static tilec_aot_status tilec_choose(const tilec_kernel *kernel, int capability, const uint64_t *facts,
                                     void *const *params, const int64_t grid[3], tilec_own *own,
                                     unsigned *chosen) {
  int runs = 0;
  for (unsigned n = kernel->first; n < kernel->first + kernel->count; n++) {
    if (!tilec_runs_on(&tilec_images[n], capability)) continue;
    runs = 1;
    *chosen = n;
    if (!tilec_holds(&tilec_images[n], facts)) continue;
    if (!tilec_images[n].hidden || tilec_make_hidden(kernel, n, params, grid, own)) return TILEC_AOT_OK;
  }
  if (runs)
    return tilec_fail(TILEC_AOT_NO_VARIANT, "%s: no variant was compiled for these arguments", kernel->name);
  return tilec_fail(TILEC_AOT_NO_ARCH,
                    "%s was not compiled for compute capability %d.%d: only for " TILEC_ARCHS, kernel->name,
                    capability / 10, capability % 10);
}

static tilec_result tilec_start(const tilec_image *image, void *function, void *stream, const int64_t grid[3],
                                void **params) {
  unsigned x = (unsigned)grid[0], y = (unsigned)grid[1], z = (unsigned)grid[2];
  if (!image->overlaps || !tilec_cuda.LaunchKernelEx)
    return tilec_cuda.LaunchKernel(function, x, y, z, image->threads, 1, 1, image->shared_bytes, stream,
                                   params, NULL);
  tilec_attribute overlap;
  memset(&overlap, 0, sizeof overlap);
  overlap.id = 6; // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
  overlap.value.allowed = 1;
  tilec_config config = {{x, y, z}, {image->threads, 1, 1}, image->shared_bytes, stream, &overlap, 1};
  return tilec_cuda.LaunchKernelEx(&config, function, params, NULL);
}

static tilec_aot_status tilec_launch(const tilec_kernel *kernel, void *stream, const int64_t grid[3],
                                     const uint64_t *facts, void **params) {
  static const int64_t most[3] = {2147483647, 65535, 65535};
  tilec_context *context;
  unsigned n = 0;
  void *function;
  tilec_own own;
  int64_t blocks[3] = {grid[0], grid[1], grid[2]};
  for (int i = 0; i < 3; i++)
    if (grid[i] < 0 || grid[i] > most[i])
      return tilec_fail(TILEC_AOT_BAD_GRID, "%s: the grid's size %d is %lld; it must be from 0 to %lld",
                        kernel->name, i, (long long)grid[i], (long long)most[i]);
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return TILEC_AOT_OK;
  tilec_aot_status status = tilec_current(&context);
  if (!status) status = tilec_choose(kernel, context->capability, facts, params, grid, &own, &n);
  if (!status) status = tilec_function(context, n, &function);
  if (status) return status;
  const tilec_hidden *hidden = tilec_images[n].hidden;
  if (hidden) params = tilec_all_params(kernel, hidden, context->rooms[n], params, blocks, &own);
  tilec_result result = tilec_start(&tilec_images[n], function, stream, blocks, params);
  return result == 0 ? TILEC_AOT_OK : tilec_fail_driver(result, "cuLaunchKernel", kernel->name);
}

// ---- The header's other functions ----

// Loads each kernel's images for the best architecture that the device runs.
static tilec_aot_status tilec_load_all(void) {
  tilec_context *context;
  void *function;
  tilec_aot_status status = tilec_current(&context);
  for (unsigned k = 0; k < TILEC_KERNELS && !status; k++) {
    const tilec_kernel *kernel = &tilec_kernels[k];
    unsigned n = kernel->first, end = kernel->first + kernel->count;
    while (n < end && !tilec_runs_on(&tilec_images[n], context->capability)) n++;
    if (n == end)
      return tilec_fail(TILEC_AOT_NO_ARCH,
                        "%s was not compiled for compute capability %d.%d: only for " TILEC_ARCHS,
                        kernel->name, context->capability / 10, context->capability % 10);
    const int capability = tilec_images[n].capability, exact = tilec_images[n].exact;
    for (; n < end && tilec_images[n].capability == capability && tilec_images[n].exact == exact && !status;
         n++)
      status = tilec_function(context, n, &function);
  }
  return status;
}

static tilec_aot_status tilec_unload_all(void) {
  tilec_context *context;
  tilec_aot_status status = tilec_current(&context);
  if (status) return status;
  pthread_mutex_lock(&tilec_lock);
  for (unsigned n = 0; n < TILEC_IMAGES; n++) {
    tilec_result result = context->modules[n] ? tilec_cuda.ModuleUnload(context->modules[n]) : 0;
    context->modules[n] = NULL;
    __atomic_store_n(&context->functions[n], (void *)NULL, __ATOMIC_RELEASE);
    if (result != 0) status = tilec_fail_driver(result, "cuModuleUnload", "");
  }
  pthread_mutex_unlock(&tilec_lock);
  return status;
}

static const char *tilec_status_text(tilec_aot_status status) {
  switch (status) {
  case TILEC_AOT_OK: return "TILEC_AOT_OK";
  case TILEC_AOT_NO_DRIVER: return "TILEC_AOT_NO_DRIVER";
  case TILEC_AOT_NO_CONTEXT: return "TILEC_AOT_NO_CONTEXT";
  case TILEC_AOT_NO_ARCH: return "TILEC_AOT_NO_ARCH";
  case TILEC_AOT_NO_VARIANT: return "TILEC_AOT_NO_VARIANT";
  case TILEC_AOT_BAD_GRID: return "TILEC_AOT_BAD_GRID";
  case TILEC_AOT_OUT_OF_MEMORY: return "TILEC_AOT_OUT_OF_MEMORY";
  case TILEC_AOT_DRIVER_ERROR: return "TILEC_AOT_DRIVER_ERROR";
  }
  return "?";
}
