// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fn[grid](...): what a launch costs is here.
#include <stdlib.h>
#include <string.h>
#include "native.h"

// ---- grids ----

static bool read_size(PyObject *value, int64_t *size) {
  PyObject *index = PyLong_CheckExact(value) ? Py_NewRef(value) : PyNumber_Index(value);
  if (!index) return false;
  *size = PyLong_AsLongLong(index);
  Py_DECREF(index);
  if (*size == -1 && PyErr_Occurred()) return false;
  if (*size >= 0) return true;
  PyErr_Format(PyExc_ValueError, "a grid has no size of %lld", (long long)*size);
  return false;
}

static bool read_grid(PyObject *grid, int64_t sizes[3]) {
  sizes[0] = sizes[1] = sizes[2] = 1;
  if (PyLong_Check(grid)) return read_size(grid, &sizes[0]);
  if (PyTuple_Check(grid)) {
    Py_ssize_t count = PyTuple_Size(grid);
    if (count >= 1 && count <= 3) {
      for (Py_ssize_t i = 0; i < count; i++)
        if (!read_size(PyTuple_GetItem(grid, i), &sizes[i])) return false;
      return true;
    }
  } else if (PySequence_Check(grid)) {
    PyObject *tuple = PySequence_Tuple(grid);
    bool good = tuple && read_grid(tuple, sizes);
    Py_XDECREF(tuple);
    return good;
  }
  PyErr_Format(PyExc_TypeError, "a grid is an int, or one to three of them, not %R", grid);
  return false;
}

// A grid that is a function is called with all arguments by name.
static bool call_grid(const Launcher *self, const Call *call, PyObject *grid, int64_t sizes[3]) {
  if (!PyCallable_Check(grid)) return read_grid(grid, sizes);
  PyObject *named = PyDict_New();
  for (uint32_t i = 0; named && i < self->count; i++)
    if (PyDict_SetItem(named, self->names[i], call->values[i]) < 0) Py_CLEAR(named);
  for (uint32_t i = 0; named && i < call->count; i++)
    if (PyDict_SetItem(named, call->constants[i].name, call->constants[i].value) < 0) Py_CLEAR(named);
  PyObject *result = named ? PyObject_CallFunctionObjArgs(grid, named, NULL) : NULL;
  Py_XDECREF(named);
  bool good = result && read_grid(result, sizes);
  Py_XDECREF(result);
  return good;
}

// ---- streams ----

static bool current_stream(const State *state, const Arguments *a, Device *device, tilec_stream **stream) {
  void *raw = NULL;
  *stream = NULL;
  if (device->type != ON_CUDA) return true;
  if (a->api && a->api->current_stream) {
    if (a->api->current_stream(ON_CUDA, device->ordinal, &raw) < 0) return false;
    return device_stream(device, raw, stream);
  }
  PyObject *told =
      PyObject_CallFunction(state->stream_of, "Oi", a->first ? a->first : Py_None, device->ordinal);
  if (!told) return false;
  raw = PyLong_AsVoidPtr(told);
  Py_DECREF(told);
  return !PyErr_Occurred() && device_stream(device, raw, stream);
}

// ---- launches ----

static PyObject *as_tuple(PyObject *const *args, Py_ssize_t count) {
  PyObject *tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple && i < count; i++)
    if (PyTuple_SetItem(tuple, i, Py_NewRef(args[i])) < 0) Py_CLEAR(tuple);
  return tuple;
}

static PyObject *as_dict(PyObject *const *values, PyObject *names) {
  PyObject *dict = PyDict_New();
  Py_ssize_t count = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; dict && i < count; i++)
    if (PyDict_SetItem(dict, PyTuple_GetItem(names, i), values[i]) < 0) Py_CLEAR(dict);
  return dict;
}

// function(*args, **kwargs). New.
static PyObject *call_with(PyObject *function, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  PyObject *tuple = as_tuple(args, nargs), *dict = tuple ? as_dict(args + nargs, names) : NULL;
  PyObject *result = dict ? PyObject_Call(function, tuple, dict) : NULL;
  Py_XDECREF(tuple);
  Py_XDECREF(dict);
  return result;
}

static bool call_hooks(const Launcher *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  for (Py_ssize_t i = 0; i < PyList_Size(self->hooks); i++) {
    PyObject *hook = Py_NewRef(PyList_GetItem(self->hooks, i));
    PyObject *result = call_with(hook, args, nargs, names);
    Py_DECREF(hook);
    if (!result) return false;
    Py_DECREF(result);
  }
  return true;
}

// The task of a call.
typedef struct Run {
  Device *device; // NULL: where its arrays are
  PyObject *grid; // NULL: the kernel is compiled only
  int check;      // tilec_launch_options.check.
  bool silent;    // The kernel's prints are dropped.
  double timeout; // And its timeout.
  bool on_stream; // On `stream`: it gives no warnings and None.
  void *stream;   // CUstream; NULL: the default one.
  uint32_t ranks; // Nonzero: simulated GPUs, with the arguments `args` of all.
  const tilec_arg *args;
  size_t arg_count;
} Run;

// A traceback of an error with diagnostics ends at the program's launch, as without _elsewhere.
static void hide_frames(void) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (error && PyObject_HasAttrString(error, "diagnostics")) {
    PyException_SetTraceback(error, Py_None);
    Py_CLEAR(trace);
  }
  PyErr_Restore(type, error, trace);
}

// self._elsewhere(device, grid, args, kwargs) does what is to be done where arrays are not on the device, and for
// launches that are checked. New: what the launch gives, or NotImplemented where it is to be made as it is.
static PyObject *launch_elsewhere(Launcher *self, Device *device, PyObject *grid, PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *names) {
  PyObject *tuple = as_tuple(args, nargs), *dict = tuple ? as_dict(args + nargs, names) : NULL;
  PyObject *result =
      dict ? PyObject_CallMethod((PyObject *)self, "_elsewhere", "OOOO", device, grid, tuple, dict) : NULL;
  if (!result) hide_frames();
  Py_XDECREF(tuple);
  Py_XDECREF(dict);
  return result;
}

static bool call_hook(PyObject *hook, const Launcher *self, PyObject *grid) {
  if (!hook) return true;
  PyObject *result = PyObject_CallFunctionObjArgs(hook, self, grid, NULL);
  Py_XDECREF(result);
  return result != NULL;
}

static bool look_after(const State *state, const Arguments *a) {
  PyObject *result = PyObject_CallFunctionObjArgs(state->launched_with, a->kept, NULL);
  Py_XDECREF(result);
  return result != NULL;
}

// By the thread that launches, which does not hold the GIL.
static void print(void *data, const char *text, size_t bytes) {
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *out = PySys_GetObject("stdout"),
           *string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)bytes, "replace");
  (void)data;
  if (!string || (out && out != Py_None && PyFile_WriteObject(string, out, Py_PRINT_RAW) < 0))
    PyErr_WriteUnraisable(NULL);
  Py_XDECREF(string);
  PyGILState_Release(gil);
}

// raise_status with the arguments by name, whose shapes the messages give.
static bool raise_launch(const Launcher *self, const Call *call, tilec_status status) {
  PyObject *given = PyDict_New();
  for (uint32_t i = 0; given && i < self->count; i++)
    if (!self->is_constexpr[i] && PyDict_SetItem(given, self->names[i], call->values[i]) < 0) Py_CLEAR(given);
  if (given) raise_status(self->state, status, given);
  Py_XDECREF(given);
  return false;
}

static void print_nothing(void *data, const char *text, size_t bytes) { (void)data, (void)text, (void)bytes; }

static bool launch_kernel(const Launcher *self, Kernel *kernel, const Call *call, Arguments *a,
                          const Run *run) {
  const State *state = self->state;
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.check = run->check;
  options.timeout = run->timeout;
  if (!call_grid(self, call, run->grid, options.grid)) return false;
  bool found = run->on_stream ? device_stream(kernel->device, run->stream, &options.stream)
                              : current_stream(state, a, kernel->device, &options.stream);
  if (!found) return false;
  if (!call_hook(state->enter, self, run->grid)) return false;
  bool on_cpu = kernel->device->type == ON_CPU;
  if (on_cpu) options.print = run->silent ? print_nothing : print;
  if (on_cpu && options.grid[0] && options.grid[1] && options.grid[2]) options.cancel = interrupt_begin();
  PyThreadState *thread = PyEval_SaveThread();
  options.ranks = run->ranks;
  tilec_status status = run->ranks ? tilec_launch(kernel->kernel, &options, run->args, run->arg_count)
                                   : tilec_launch(kernel->kernel, &options, a->args, a->count);
  PyEval_RestoreThread(thread);
  if (on_cpu && !interrupt_end(options.cancel)) return false;
  kernel->refused = status == TILEC_ERROR_COMPILE;
  if (!run->on_stream && !kernel_warn(state, kernel, run->silent)) return false;
  if (status) return raise_launch(self, call, status);
  if (a->kept && !look_after(state, a)) return false;
  return call_hook(state->leave, self, run->grid);
}

static bool prepare_kernel(const Launcher *self, Kernel *kernel, const Arguments *a) {
  PyThreadState *thread = PyEval_SaveThread();
  tilec_status status = tilec_kernel_prepare(kernel->kernel, a->args, a->count);
  PyEval_RestoreThread(thread);
  kernel->refused = status == TILEC_ERROR_COMPILE;
  if (!kernel_warn(self->state, kernel, false)) return false;
  return status ? raise_status(self->state, status, NULL) != NULL : true;
}

static bool is_elsewhere(const Arguments *a, const Device *device) {
  if (!device) return false;
  return device->type == ON_CUDA ? a->on_host : a->on_gpu;
}

// With the arguments bound. New.
static PyObject *run_bound(Launcher *self, const Run *run, Call *call, Arguments *a, Device *device) {
  Kernel *kernel = call_kernel(self, call, device);
  if (!kernel) return NULL;
  if (device->type == ON_CPU) arguments_as_tensors(a);
  bool good = run->grid ? launch_kernel(self, kernel, call, a, run) : prepare_kernel(self, kernel, a);
  if (good) kernel->made = true;
  if (!good && !kernel->made && kernel->refused) call_forget(self, kernel);
  PyObject *result = NULL;
  if (good) result = run->on_stream ? Py_NewRef(Py_None) : launched_of(self->state, kernel, a);
  Py_DECREF((PyObject *)kernel);
  return result;
}

static PyObject *run_call(Launcher *self, const Run *run, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *names) {
  Call call;
  Arguments a;
  PyObject *result = NULL;
  call.count = 0;
  arguments_begin(&a);
  if (call_bind(self, &call, &a, args, nargs, names)) {
    Device *device = run->device ? (Device *)Py_NewRef((PyObject *)run->device)
                                 : device_for(self->state, a.device_type, a.device_id);
    bool direct = run->device || !run->grid || !(is_elsewhere(&a, device) || self->state->checks);
    if (device && !direct) result = launch_elsewhere(self, device, run->grid, args, nargs, names);
    direct |= result == Py_NotImplemented;
    if (result == Py_NotImplemented) Py_CLEAR(result);
    if (device && direct) result = run_bound(self, run, &call, &a, device);
    Py_XDECREF((PyObject *)device);
  }
  call_end(&call);
  arguments_end(&a);
  return result;
}

// ---- fn[grid] ----

static _Thread_local bool skips; // this thread's launches by fn[grid] do nothing

PyObject *launches_skip(PyObject *module, PyObject *on) {
  int given = PyObject_IsTrue(on);
  (void)module;
  if (given < 0) return NULL;
  skips = given;
  return Py_NewRef(Py_None);
}

PyObject *launches_skipped(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  return PyBool_FromLong(skips);
}

// Its own object is the tuple (launcher, grid).
static PyObject *launch(PyObject *bound, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  Launcher *self = (Launcher *)PyTuple_GetItem(bound, 0);
  const Run run = {.grid = PyTuple_GetItem(bound, 1)};
  if (skips) return Py_NewRef(Py_None);
  if (PyList_Size(self->hooks) > 0 && !call_hooks(self, args, nargs, names)) return NULL;
  return run_call(self, &run, args, nargs, names);
}

static PyMethodDef launch_method = {"launch", (PyCFunction)(void (*)(void))launch,
                                    METH_FASTCALL | METH_KEYWORDS, "Launches the kernel over the grid."};

static PyObject *launcher_subscript(Launcher *self, PyObject *grid) {
  PyObject *bound = PyTuple_Pack(2, (PyObject *)self, grid);
  PyObject *function = bound ? PyCFunction_NewEx(&launch_method, bound, NULL) : NULL;
  Py_XDECREF(bound);
  return function;
}

static PyObject *launcher_prepare(Launcher *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  return run_call(self, &(const Run){0}, args, nargs, names);
}

// _launch_on(device, check, timeout, grid, *args, **kwargs). check: 1 checks; -1 too, and drops what the kernel prints.
static PyObject *launcher_launch_on(Launcher *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *names) {
  if (nargs < 4 || Py_TYPE(args[0]) != self->state->device)
    return PyErr_Format(PyExc_TypeError, "_launch_on(device, check, timeout, grid, *args, **kwargs)");
  int check = (int)PyLong_AsLong(args[1]);
  const Run run = {.device = (Device *)args[0],
                   .grid = args[3],
                   .check = check != 0,
                   .silent = check < 0,
                   .timeout = PyFloat_AsDouble(args[2])};
  return PyErr_Occurred() ? NULL : run_call(self, &run, args + 4, nargs - 4, names);
}

// _launch_on_stream(device, stream, grid, *args)
static PyObject *launcher_launch_on_stream(Launcher *self, PyObject *const *args, Py_ssize_t nargs,
                                           PyObject *names) {
  if (nargs < 3 || Py_TYPE(args[0]) != self->state->device)
    return PyErr_Format(PyExc_TypeError, "_launch_on_stream(device, stream, grid, *args)");
  const Run run = {
      .device = (Device *)args[0], .grid = args[2], .on_stream = true, .stream = PyLong_AsVoidPtr(args[1])};
  return PyErr_Occurred() ? NULL : run_call(self, &run, args + 3, nargs - 3, names);
}

// ---- ranks ----

typedef struct RankCall {
  Call call;
  Arguments a;
} RankCall;

// Binds the rank's arguments and those by name, which are the same for all.
static bool bind_rank(Launcher *self, RankCall *rank, PyObject *given, PyObject *const *named,
                      PyObject *names) {
  PyObject *values[MAX_GIVEN_PARAMS + MAX_CONSTANTS];
  Py_ssize_t count = PyTuple_Check(given) ? PyTuple_Size(given) : -1, more = names ? PyTuple_Size(names) : 0;
  if (count < 0 || count + more > MAX_GIVEN_PARAMS + MAX_CONSTANTS) {
    PyErr_SetString(PyExc_TypeError, "the arguments of a rank are a tuple");
    return false;
  }
  for (Py_ssize_t i = 0; i < count; i++) values[i] = PyTuple_GetItem(given, i);
  for (Py_ssize_t i = 0; i < more; i++) values[count + i] = named[i];
  if (!call_bind(self, &rank->call, &rank->a, values, count, names)) return false;
  if (rank->a.on_gpu) {
    PyErr_SetString(PyExc_TypeError, "ranks are simulated: their arrays are in the host's memory");
    return false;
  }
  return true;
}

// All ranks run the kernel of rank 0.
static PyObject *run_ranks(Launcher *self, Run *run, RankCall *ranks) {
  Kernel *kernel = call_kernel(self, &ranks[0].call, run->device);
  for (uint32_t i = 1; kernel && i < run->ranks; i++) {
    Kernel *other = call_kernel(self, &ranks[i].call, run->device);
    bool differs = other && other != kernel;
    Py_XDECREF((PyObject *)other);
    if (differs) PyErr_SetString(PyExc_ValueError, "all ranks run one code: constexprs must be equal on all");
    if (!other || differs) Py_CLEAR(kernel);
  }
  if (!kernel) return NULL;
  run->arg_count = (size_t)run->ranks * ranks[0].a.count;
  tilec_arg *args = calloc(run->arg_count + 1, sizeof *args);
  if (!args) PyErr_NoMemory();
  for (uint32_t i = 0; args && i < run->ranks; i++) {
    arguments_as_tensors(&ranks[i].a);
    memcpy(args + i * ranks[0].a.count, ranks[i].a.args, ranks[0].a.count * sizeof *args);
  }
  run->args = args;
  bool good = args && launch_kernel(self, kernel, &ranks[0].call, &ranks[0].a, run);
  for (uint32_t i = 1; good && i < run->ranks; i++)
    if (ranks[i].a.kept) good = look_after(self->state, &ranks[i].a);
  if (good) kernel->made = true;
  if (!good && !kernel->made && kernel->refused) call_forget(self, kernel);
  PyObject *result = good ? launched_of(self->state, kernel, &ranks[0].a) : NULL;
  free(args);
  Py_DECREF((PyObject *)kernel);
  return result;
}

// _launch_ranks(device, check, grid, (the arguments of a rank, ...), **kwargs)
static PyObject *launcher_launch_ranks(Launcher *self, PyObject *const *args, Py_ssize_t nargs,
                                       PyObject *names) {
  Py_ssize_t count = nargs == 4 && PyTuple_Check(args[3]) ? PyTuple_Size(args[3]) : 0;
  if (count < 1 || Py_TYPE(args[0]) != self->state->device)
    return PyErr_Format(PyExc_TypeError, "_launch_ranks(device, check, grid, ranks, **kwargs)");
  Run run = {.device = (Device *)args[0],
             .grid = args[2],
             .check = (int)PyLong_AsLong(args[1]),
             .ranks = (uint32_t)count};
  RankCall *ranks = calloc((size_t)count, sizeof *ranks);
  if (!ranks) return PyErr_NoMemory();
  bool good = !PyErr_Occurred();
  for (Py_ssize_t i = 0; i < count; i++) arguments_begin(&ranks[i].a);
  for (Py_ssize_t i = 0; good && i < count; i++)
    good = bind_rank(self, &ranks[i], PyTuple_GetItem(args[3], i), args + nargs, names);
  PyObject *result = good ? run_ranks(self, &run, ranks) : NULL;
  for (Py_ssize_t i = 0; i < count; i++) {
    call_end(&ranks[i].call);
    arguments_end(&ranks[i].a);
  }
  free(ranks);
  return result;
}

// The memory of the arrays among the arguments: a list of (address, bytes).
static PyObject *launcher_memory(Launcher *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  Call call;
  Arguments a;
  call.count = 0;
  arguments_begin(&a);
  PyObject *list = call_bind(self, &call, &a, args, nargs, names) ? PyList_New(0) : NULL;
  if (list) arguments_as_tensors(&a);
  for (uint32_t i = 0; list && i < a.tensor_count; i++) {
    uint64_t bytes, address = tensor_memory(&a.tensors[i].tensor, &bytes);
    PyObject *item = Py_BuildValue("(KK)", (unsigned long long)address, (unsigned long long)bytes);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  call_end(&call);
  arguments_end(&a);
  return list;
}

static PyObject *launcher_forget(Launcher *self, PyObject *unused) {
  (void)unused;
  Entry *entries = self->entries;
  self->entries = NULL;
  self->drops++;
  entries_free(entries);
  return Py_NewRef(Py_None);
}

// ---- the type ----

// Reads the tuples (name, is a constexpr, default...): a default may be missing.
static bool read_param(Launcher *self, PyObject *item) {
  PyObject *name, *fallback = NULL;
  int constexpr;
  if (!PyArg_ParseTuple(item, "Up|O:param", &name, &constexpr, &fallback)) return false;
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  self->names[self->count] = name;
  self->is_constexpr[self->count] = constexpr;
  self->defaults[self->count] = fallback ? Py_NewRef(fallback) : NULL;
  self->count++;
  return true;
}

static int launcher_init(Launcher *self, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"params", NULL};
  PyObject *params;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!:Launcher", names, &PyTuple_Type, &params)) return -1;
  if (self->names) {
    PyErr_SetString(PyExc_RuntimeError, "a Launcher is made once");
    return -1;
  }
  size_t count = (size_t)PyTuple_Size(params);
  if (count > MAX_GIVEN_PARAMS) {
    PyErr_Format(PyExc_ValueError, "a kernel has at most %d parameters", MAX_GIVEN_PARAMS);
    return -1;
  }
  self->names = calloc(count + 1, sizeof *self->names);
  self->defaults = calloc(count + 1, sizeof *self->defaults);
  self->is_constexpr = calloc(count + 1, sizeof *self->is_constexpr);
  if (!self->names || !self->defaults || !self->is_constexpr) {
    PyErr_NoMemory();
    return -1;
  }
  for (size_t i = 0; i < count; i++)
    if (!read_param(self, PyTuple_GetItem(params, (Py_ssize_t)i))) return -1;
  return 0;
}

static PyObject *launcher_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  (void)args, (void)kwargs;
  Launcher *self = (Launcher *)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  self->state = state_of_type(type);
  self->hooks = PyList_New(0);
  if (!self->hooks) Py_CLEAR(self);
  return (PyObject *)self;
}

static int launcher_traverse(Launcher *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(self->hooks);
  for (uint32_t i = 0; i < self->count; i++) Py_VISIT(self->defaults[i]);
  return entries_visit(self->entries, visit, arg);
}

static int launcher_clear(Launcher *self) {
  Entry *entries = self->entries;
  self->entries = NULL;
  self->drops++;
  entries_free(entries);
  for (uint32_t i = 0; i < self->count; i++) Py_CLEAR(self->defaults[i]);
  return 0;
}

static void launcher_dealloc(Launcher *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  launcher_clear(self);
  for (uint32_t i = 0; i < self->count; i++) Py_DECREF(self->names[i]);
  free(self->names);
  free(self->defaults);
  free(self->is_constexpr);
  Py_XDECREF(self->hooks);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"_prepare", (PyCFunction)(void (*)(void))launcher_prepare, METH_FASTCALL | METH_KEYWORDS,
     "Compiles for these arguments; launches nothing."},
    {"_launch_on", (PyCFunction)(void (*)(void))launcher_launch_on, METH_FASTCALL | METH_KEYWORDS,
     "_launch_on(device, check, timeout, grid, *args, **kwargs): launches there."},
    {"_launch_on_stream", (PyCFunction)(void (*)(void))launcher_launch_on_stream,
     METH_FASTCALL | METH_KEYWORDS,
     "_launch_on_stream(device, stream, grid, *args): launches there, and gives None."},
    {"_launch_ranks", (PyCFunction)(void (*)(void))launcher_launch_ranks, METH_FASTCALL | METH_KEYWORDS,
     "_launch_ranks(device, check, grid, ranks, **kwargs): launches on a simulated GPU for each tuple of "
     "arguments."},
    {"_memory", (PyCFunction)(void (*)(void))launcher_memory, METH_FASTCALL | METH_KEYWORDS,
     "(address, bytes) of each array among the arguments."},
    {"_tune", (PyCFunction)(void (*)(void))launcher_tune, METH_FASTCALL | METH_KEYWORDS,
     "_tune(device, program, options, asked, progress, *args, **kwargs): tunes for such arguments."},
    {"_tuned", (PyCFunction)(void (*)(void))launcher_tuned, METH_FASTCALL | METH_KEYWORDS,
     "_tuned(device, program, options, *args, **kwargs): the settings that are kept for such arguments and "
     "their "
     "seconds, 0 for those of a lock; or None."},
    {"_keep_tuned", (PyCFunction)(void (*)(void))launcher_keep_tuned, METH_FASTCALL | METH_KEYWORDS,
     "_keep_tuned(device, program, options, settings, seconds, *args, **kwargs): whether they are kept from "
     "now on."},
    {"_forget", (PyCFunction)(void (*)(void))launcher_forget, METH_NOARGS, "Kernels are made anew."},
    {NULL, NULL, 0, NULL}};

static PyMemberDef members[] = {{"pre_run_hooks", T_OBJECT, offsetof(Launcher, hooks), READONLY,
                                 "Called before each launch with its arguments."},
                                {NULL, 0, 0, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A kernel by its parameters: ((name, is a constexpr[, default]), ...)."},
    {Py_tp_new, launcher_new},
    {Py_tp_init, launcher_init},
    {Py_tp_dealloc, launcher_dealloc},
    {Py_tp_traverse, launcher_traverse},
    {Py_tp_clear, launcher_clear},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_mp_subscript, launcher_subscript},
    {0, NULL}};

PyType_Spec launcher_spec = {"tilec._native.Launcher", sizeof(Launcher), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
