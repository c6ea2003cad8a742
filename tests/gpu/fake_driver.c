// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/fake_driver.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/gpu/fake_record.h"

#define EXPORT __attribute__((visibility("default")))
enum { FAKE_INVALID = CUDA_INVALID_VALUE, FAKE_UNSUPPORTED_PTX = 222, FAKE_CAPTURING = 900, MAX_DEPTH = 16, MAX_PARAMS = 64 };

#define X(name, symbol, parameters) EXPORT CudaResult name parameters __asm__(symbol);
#include "runtime/device/driver_api.def"
#undef X

// --- Calls that fail ---

static long calls, failing, living;
static int failure;
static const char *failed = "";

EXPORT void fake_driver_fail(long call, int result) {
  __atomic_store_n(&calls, 0, __ATOMIC_RELAXED);
  failing = call;
  failure = result;
  failed = "";
}

EXPORT long fake_driver_calls(void) { return __atomic_load_n(&calls, __ATOMIC_RELAXED); }
EXPORT const char *fake_driver_failed(void) { return failed; }
EXPORT long fake_driver_living(void) { return __atomic_load_n(&living, __ATOMIC_RELAXED); }

CudaResult fake_begin(const char *name) {
  if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) != failing) return 0;
  failed = name;
  return failure;
}

#define BEGIN()                                                                                              \
  do {                                                                                                       \
    CudaResult begun = fake_begin(__func__);                                                                      \
    if (begun) return begun;                                                                                 \
  } while (0)

static void born(void) { __atomic_add_fetch(&living, 1, __ATOMIC_RELAXED); }
static void died(void) { __atomic_sub_fetch(&living, 1, __ATOMIC_RELAXED); }

static void *make(size_t bytes) {
  void *made = calloc(1, bytes);
  if (!made) abort();
  born();
  return made;
}

static void end(void *made) {
  free(made);
  died();
}

// --- The simulator, one thread's at a time ---

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tilec_sim *sim;

// Ends with the process's last reference to the library.
__attribute__((destructor)) static void end_sim(void) { tilec_sim_destroy(sim); }

static tilec_sim *take_sim(void) {
  pthread_mutex_lock(&lock);
  if (!sim && tilec_sim_create(NULL, &sim) != TILEC_SIM_OK) abort();
  return sim;
}

static CudaResult give_sim(tilec_sim_result result) {
  if (result != TILEC_SIM_OK && getenv("FAKE_DRIVER_SAYS")) fprintf(stderr, "%s\n", tilec_sim_message(sim));
  pthread_mutex_unlock(&lock);
  return result == TILEC_SIM_OK             ? 0
         : result == TILEC_SIM_ERROR_PTX    ? CUDA_INVALID_PTX
         : result == TILEC_SIM_ERROR_KERNEL ? CUDA_ILLEGAL_ADDRESS
                                            : FAKE_INVALID;
}

// --- Queries ---

CudaResult Init(unsigned flags) { return (void)flags, fake_begin(__func__); }

static const char *name_of(CudaResult result) {
  switch (result) {
  case FAKE_INVALID: return "CUDA_ERROR_INVALID_VALUE";
  case CUDA_OUT_OF_MEMORY: return "CUDA_ERROR_OUT_OF_MEMORY";
  case CUDA_INVALID_PTX: return "CUDA_ERROR_INVALID_PTX";
  case CUDA_ILLEGAL_ADDRESS: return "CUDA_ERROR_ILLEGAL_ADDRESS";
  case FAKE_CAPTURING: return "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
  default: return "CUDA_ERROR_UNKNOWN";
  }
}

CudaResult GetErrorName(CudaResult result, const char **name) { return *name = name_of(result), 0; }
CudaResult GetErrorString(CudaResult result, const char **text) {
  return *text = result == CUDA_OUT_OF_MEMORY ? "out of memory" : "an error", 0;
}
CudaResult DriverGetVersion(int *version) {
  BEGIN();
  return *version = 13000, 0;
}
CudaResult DeviceGetCount(int *count) {
  BEGIN();
  return *count = 1, 0;
}
CudaResult DeviceGet(CudaDevice *device, int ordinal) {
  BEGIN();
  return *device = ordinal, ordinal == 0 ? 0 : CUDA_INVALID_DEVICE;
}
CudaResult DeviceGetName(char *name, int bytes, CudaDevice device) {
  (void)device;
  BEGIN();
  snprintf(name, (size_t)bytes, "fake");
  return 0;
}
CudaResult DeviceGetAttribute(int *value, int attribute, CudaDevice device) {
  (void)device;
  BEGIN();
  int cc = fake_capability();
  *value = attribute == CUDA_ATTRIBUTE_CC_MAJOR         ? cc / 10
           : attribute == CUDA_ATTRIBUTE_CC_MINOR       ? cc % 10
           : attribute == CUDA_ATTRIBUTE_MULTIPROCESSORS ? FAKE_MULTIPROCESSORS : 227 * 1024;
  return 0;
}

// --- Contexts ---

static char primary;
static _Thread_local CudaContext stack[MAX_DEPTH];
static _Thread_local int depth;

EXPORT CudaResult CtxCreate(CudaContext *context, unsigned flags,
                            CudaDevice device) __asm__("cuCtxCreate_v2");
CudaResult CtxCreate(CudaContext *context, unsigned flags, CudaDevice device) {
  (void)flags, (void)device;
  if (depth == MAX_DEPTH) return FAKE_INVALID;
  return stack[depth++] = *context = make(1), 0;
}
EXPORT CudaResult CtxDestroy(CudaContext context) __asm__("cuCtxDestroy_v2");
CudaResult CtxDestroy(CudaContext context) {
  if (depth && stack[depth - 1] == context) depth--;
  return end(context), 0;
}
CudaResult DevicePrimaryCtxRetain(CudaContext *context, CudaDevice device) {
  (void)device;
  BEGIN();
  return born(), *context = &primary, 0;
}
CudaResult DevicePrimaryCtxRelease(CudaDevice device) {
  (void)device;
  return died(), fake_begin(__func__);
}
CudaResult CtxGetCurrent(CudaContext *context) {
  BEGIN();
  return *context = depth ? stack[depth - 1] : NULL, 0;
}
CudaResult CtxGetDevice(CudaDevice *device) {
  BEGIN();
  return *device = 0, depth ? 0 : FAKE_INVALID;
}
CudaResult CtxPushCurrent(CudaContext context) {
  BEGIN();
  if (depth == MAX_DEPTH) return FAKE_INVALID;
  return stack[depth++] = context, 0;
}
CudaResult CtxPopCurrent(CudaContext *context) {
  if (!depth) return FAKE_INVALID;
  *context = stack[--depth];
  return fake_begin(__func__);
}

// --- Memory: done at once, as all work is ---

CudaResult fake_needs_context(void) { return depth ? 0 : CUDA_INVALID_CONTEXT; }

static int capturing; // how many streams are

CudaResult CtxSynchronize(void) {
  BEGIN();
  return __atomic_load_n(&capturing, __ATOMIC_RELAXED) ? FAKE_CAPTURING : fake_needs_context();
}
CudaResult MemAlloc(uint64_t *address, size_t bytes) {
  BEGIN();
  if (fake_needs_context() || !bytes) return FAKE_INVALID;
  CudaResult result = give_sim(tilec_sim_alloc(take_sim(), bytes, address));
  if (!result) born();
  return result;
}
CudaResult MemFree(uint64_t address) {
  CudaResult result = give_sim(tilec_sim_free(take_sim(), address));
  if (!result) died();
  CudaResult begun = fake_begin(__func__);
  return begun ? begun : result;
}
CudaResult MemcpyHtoD(uint64_t to, const void *from, size_t bytes) {
  BEGIN();
  return give_sim(tilec_sim_write(take_sim(), to, from, bytes));
}
CudaResult MemcpyDtoH(void *to, uint64_t from, size_t bytes) {
  BEGIN();
  return give_sim(tilec_sim_read(take_sim(), to, from, bytes));
}
CudaResult MemsetD8(uint64_t at, unsigned char byte, size_t bytes) {
  BEGIN();
  return give_sim(tilec_sim_fill(take_sim(), at, byte, bytes));
}

// --- Modules ---

typedef struct Function {
  const tilec_sim_kernel *kernel;
  int dynamic_shared; // what it may have
  int number;         // of the module, as recorded
} Function;

typedef struct Module {
  tilec_sim_module *loaded;
  Function function; // one is asked of each
} Module;

CudaResult ModuleLoadDataEx(CudaModule *module, const void *image, unsigned count, int *options,
                            void **values) {
  BEGIN();
  tilec_sim_module *loaded;
  if (memcmp(image, "\x7f" "ELF", 4) == 0) return fake_record_cubin();
  if (fake_ptx_too_new(image, count, options, values)) return FAKE_UNSUPPORTED_PTX;
  CudaResult result = give_sim(tilec_sim_load(take_sim(), image, strlen(image), &loaded));
  for (unsigned i = 0; result && i < count; i++)
    if (options[i] == CUDA_JIT_ERROR_LOG) strcpy(values[i], "what the driver's assembler says");
  if (result) return result;
  Module *made = make(sizeof *made);
  made->loaded = loaded;
  made->function = (Function){.dynamic_shared = 48 * 1024, .number = fake_record_module(image)};
  return *module = made, 0;
}
CudaResult ModuleUnload(CudaModule module) {
  Module *made = module;
  CudaResult result = give_sim(tilec_sim_unload(take_sim(), made->loaded));
  end(made);
  CudaResult begun = fake_begin(__func__);
  return begun ? begun : result;
}
CudaResult ModuleGetFunction(CudaFunction *function, CudaModule module, const char *name) {
  BEGIN();
  Module *made = module;
  *function = &made->function;
  return give_sim(tilec_sim_find(take_sim(), made->loaded, name, &made->function.kernel));
}
CudaResult FuncSetAttribute(CudaFunction function, int attribute, int value) {
  BEGIN();
  if (attribute != CUDA_FUNC_MAX_DYNAMIC_SHARED) return FAKE_INVALID;
  return ((Function *)function)->dynamic_shared = value, 0;
}

CudaResult FuncGetAttribute(int *value, int attribute, CudaFunction function) {
  BEGIN();
  const Function *of = function;
  *value = attribute == CUDA_FUNC_REGISTERS      ? 40
           : attribute == CUDA_FUNC_LOCAL_BYTES  ? 8
           : attribute == CUDA_FUNC_SHARED_BYTES ? (int)tilec_sim_shared_bytes(of->kernel)
                                                 : -1;
  return 0;
}
CudaResult OccupancyMaxActiveBlocks(int *blocks, CudaFunction function, int threads, size_t shared_bytes) {
  (void)function, (void)shared_bytes;
  BEGIN();
  return *blocks = 2048 / threads, 0;
}
EXPORT CudaResult FuncGetParamInfo(CudaFunction function, size_t index, size_t *offset,
                                   size_t *bytes) __asm__("cuFuncGetParamInfo");
CudaResult FuncGetParamInfo(CudaFunction function, size_t index, size_t *offset, size_t *bytes) {
  BEGIN();
  const tilec_sim_param *param = tilec_sim_param_at(((Function *)function)->kernel, index);
  return param ? (*offset = param->offset, *bytes = param->size, 0) : CUDA_INVALID_VALUE;
}

// The cubin is the PTX.
typedef struct Link {
  size_t bytes;
  char *text;
} Link;

CudaResult LinkCreate(unsigned count, int *options, void **values, CudaLink *state) {
  (void)count, (void)options, (void)values;
  BEGIN();
  return *state = make(sizeof(Link)), 0;
}
CudaResult LinkAddData(CudaLink state, int kind, const void *data, size_t bytes, const char *name,
                       unsigned count, int *options, void **values) {
  (void)kind, (void)name, (void)count, (void)options, (void)values;
  BEGIN();
  Link *link = state;
  link->text = malloc(bytes);
  if (!link->text) abort();
  memcpy(link->text, data, link->bytes = bytes);
  return 0;
}
CudaResult LinkComplete(CudaLink state, void **cubin, size_t *bytes) {
  BEGIN();
  Link *link = state;
  return *cubin = link->text, *bytes = link->bytes, 0;
}
CudaResult LinkDestroy(CudaLink state) {
  Link *link = state;
  free(link->text);
  end(link);
  return fake_begin(__func__);
}

// --- Streams and graphs ---

typedef struct Node {
  struct Node *next;
  CudaLaunchConfig config;
  const Function *function;
  uint32_t count;
  uint64_t at[MAX_PARAMS][16];
} Node;

typedef struct Graph {
  Node *first, **last;
} Graph;

typedef struct Stream {
  Graph *graph; // being captured; NULL: it is not
} Stream;

static CudaResult run(const CudaLaunchConfig *c, const Function *function, void **params) {
  const uint32_t grid[3] = {c->grid_x, c->grid_y, c->grid_z}, block[3] = {c->block_x, c->block_y, c->block_z};
  const void *given[MAX_PARAMS];
  size_t count = tilec_sim_param_count(function->kernel);
  if (count > MAX_PARAMS || (int)c->shared_bytes > function->dynamic_shared) return FAKE_INVALID;
  for (size_t i = 0; i < count; i++) given[i] = params[i];
  return give_sim(tilec_sim_launch(take_sim(), function->kernel, grid, block, c->shared_bytes, given));
}

static CudaResult capture(Graph *graph, const CudaLaunchConfig *config, const Function *function,
                          void **params) {
  Node *node = calloc(1, sizeof *node);
  if (!node) abort();
  node->config = *config;
  node->function = function;
  node->count = (uint32_t)tilec_sim_param_count(function->kernel);
  for (uint32_t i = 0; i < node->count; i++)
    memcpy(node->at[i], params[i], tilec_sim_param_at(function->kernel, i)->size);
  *graph->last = node;
  graph->last = &node->next;
  return 0;
}

CudaResult LaunchKernelEx(const CudaLaunchConfig *config, CudaFunction function, void **params,
                          void **extra) {
  (void)extra;
  BEGIN();
  if (fake_needs_context()) return FAKE_INVALID;
  fake_record_launch(config, ((Function *)function)->number, ((Function *)function)->kernel, params);
  Stream *stream = config->stream;
  return stream && stream->graph ? capture(stream->graph, config, function, params)
                                 : run(config, function, params);
}
CudaResult StreamCreate(CudaStream *stream, unsigned flags) {
  (void)flags;
  BEGIN();
  return *stream = make(sizeof(Stream)), 0;
}
CudaResult StreamDestroy(CudaStream stream) { return end(stream), fake_begin(__func__); }
CudaResult StreamSynchronize(CudaStream stream) {
  BEGIN();
  return stream && ((Stream *)stream)->graph ? FAKE_CAPTURING : 0;
}
CudaResult StreamIsCapturing(CudaStream stream, int *is_capturing) {
  BEGIN();
  return *is_capturing = stream && ((Stream *)stream)->graph, 0;
}
CudaResult ThreadExchangeStreamCaptureMode(int *mode) {
  static _Thread_local int current;
  int before = current;
  current = *mode;
  *mode = before;
  return fake_begin(__func__);
}
CudaResult StreamBeginCapture(CudaStream stream, int mode) {
  (void)mode;
  BEGIN();
  Graph *graph = make(sizeof *graph);
  graph->last = &graph->first;
  __atomic_add_fetch(&capturing, 1, __ATOMIC_RELAXED);
  return ((Stream *)stream)->graph = graph, 0;
}
static void graph_free(Graph *graph) {
  for (Node *node = graph->first, *next; node; node = next) {
    next = node->next;
    free(node);
  }
  end(graph);
}
CudaResult StreamEndCapture(CudaStream stream, CudaGraph *graph) {
  Stream *made = stream;
  if (!made->graph) return FAKE_INVALID;
  __atomic_sub_fetch(&capturing, 1, __ATOMIC_RELAXED);
  *graph = made->graph;
  made->graph = NULL;
  CudaResult begun = fake_begin(__func__);
  if (begun) graph_free(*graph), *graph = NULL;
  return begun;
}
CudaResult GraphInstantiateWithFlags(CudaGraphExec *exec, CudaGraph graph, unsigned long long flags) {
  (void)flags;
  BEGIN();
  if (fake_needs_context()) return fake_needs_context();
  Graph *made = make(sizeof *made);
  made->last = &made->first;
  for (const Node *node = ((Graph *)graph)->first; node; node = node->next) {
    Node *copy = malloc(sizeof *copy);
    if (!copy) abort();
    *copy = *node;
    copy->next = NULL;
    *made->last = copy;
    made->last = &copy->next;
  }
  return *exec = made, 0;
}
CudaResult GraphLaunch(CudaGraphExec exec, CudaStream stream) {
  (void)stream;
  BEGIN();
  CudaResult result = 0;
  for (Node *node = ((Graph *)exec)->first; node && !result; node = node->next) {
    void *params[MAX_PARAMS];
    for (uint32_t i = 0; i < node->count; i++) params[i] = node->at[i];
    result = run(&node->config, node->function, params);
  }
  return result;
}
CudaResult GraphExecDestroy(CudaGraphExec exec) { return graph_free(exec), fake_begin(__func__); }
CudaResult GraphDestroy(CudaGraph graph) { return graph_free(graph), fake_begin(__func__); }

#define BEGIN_ON(stream)                                                                                     \
  BEGIN();                                                                                                   \
  if ((stream) && ((Stream *)(stream))->graph) return FAKE_CAPTURING

CudaResult MemcpyHtoDAsync(uint64_t to, const void *from, size_t bytes, CudaStream stream) {
  BEGIN_ON(stream);
  return give_sim(tilec_sim_write(take_sim(), to, from, bytes));
}
CudaResult MemcpyDtoHAsync(void *to, uint64_t from, size_t bytes, CudaStream stream) {
  BEGIN_ON(stream);
  return give_sim(tilec_sim_read(take_sim(), to, from, bytes));
}
CudaResult MemcpyDtoDAsync(uint64_t to, uint64_t from, size_t bytes, CudaStream stream) {
  BEGIN_ON(stream);
  char *between = malloc(bytes);
  if (!between) abort();
  CudaResult result = give_sim(tilec_sim_read(take_sim(), between, from, bytes));
  if (!result) result = give_sim(tilec_sim_write(take_sim(), to, between, bytes));
  free(between);
  return result;
}
CudaResult MemsetD8Async(uint64_t at, unsigned char byte, size_t bytes, CudaStream stream) {
  BEGIN_ON(stream);
  return give_sim(tilec_sim_fill(take_sim(), at, byte, bytes));
}

// --- Events ---

typedef struct Event {
  double time; // milliseconds
} Event;

CudaResult EventCreate(CudaEvent *event, unsigned flags) {
  (void)flags;
  BEGIN();
  return *event = make(sizeof(Event)), 0;
}
CudaResult EventRecord(CudaEvent event, CudaStream stream) {
  BEGIN();
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  ((Event *)event)->time = 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
  return stream && ((Stream *)stream)->graph ? FAKE_CAPTURING : 0;
}
CudaResult EventSynchronize(CudaEvent event) { return (void)event, fake_begin(__func__); }
CudaResult EventQuery(CudaEvent event) { return (void)event, fake_begin(__func__); }
CudaResult StreamWaitEvent(CudaStream stream, CudaEvent event, unsigned flags) {
  (void)event, (void)flags;
  BEGIN_ON(stream);
  return 0;
}
CudaResult EventElapsedTime(float *milliseconds, CudaEvent start, CudaEvent event) {
  BEGIN();
  return *milliseconds = (float)(((Event *)event)->time - ((Event *)start)->time), 0;
}
CudaResult EventDestroy(CudaEvent event) { return end(event), fake_begin(__func__); }
