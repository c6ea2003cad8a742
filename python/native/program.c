// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs (source texts, parsed), kernels of them on a device, and what is compiled without one.
#include <stdlib.h>
#include <string.h>
#include "native.h"

// ---- programs ----

static bool read_sources(PyObject *list, Py_ssize_t count, tilec_source *sources) {
  for (Py_ssize_t i = 0; i < count; i++) {
    Py_ssize_t bytes;
    PyObject *item = PyList_GetItem(list, i);
    if (!item || !PyTuple_Check(item) || PyTuple_Size(item) != 2) {
      PyErr_SetString(PyExc_TypeError, "a source is a tuple (name, text)");
      return false;
    }
    sources[i].name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(item, 0), NULL);
    sources[i].text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(item, 1), &bytes);
    if (!sources[i].name || !sources[i].text) return false;
    sources[i].bytes = (size_t)bytes;
  }
  return true;
}

// The sources, and what they are shown as where that is given.
static bool parse_sources(Program *self, PyObject *list, PyObject *shown) {
  Py_ssize_t count = PyList_Size(list);
  if (shown && PyList_Size(shown) != count) {
    PyErr_SetString(PyExc_ValueError, "as many are shown as there are sources");
    return false;
  }
  tilec_source *sources = calloc(2 * (size_t)count + 1, sizeof *sources);
  if (!sources) return PyErr_NoMemory();
  tilec_status status = TILEC_OK;
  bool read = read_sources(list, count, sources) && (!shown || read_sources(shown, count, sources + count));
  if (read) {
    PyThreadState *thread = PyEval_SaveThread();
    status = shown ? tilec_program_from_shown_sources(sources, sources + count, (size_t)count, &self->program)
                   : tilec_program_from_sources(sources, (size_t)count, &self->program);
    PyEval_RestoreThread(thread);
  }
  free(sources);
  if (status) raise_status(STATE_OF(self), status, NULL);
  return read && !status;
}

static PyObject *program_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"sources", "shown", NULL};
  PyObject *list, *shown = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|O!:Program", names, &PyList_Type, &list, &PyList_Type,
                                   &shown))
    return NULL;
  Program *self = (Program *)PyType_GenericAlloc(type, 0);
  if (self && !parse_sources(self, list, shown)) Py_CLEAR(self);
  return (PyObject *)self;
}

static void program_dealloc(Program *self) {
  PyTypeObject *type = Py_TYPE(self);
  tilec_program_free(self->program);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyType_Slot program_slots[] = {{Py_tp_doc, "Source code, parsed: a list of (name, text), the "
                                                  "kernel's first; and what each is shown as in messages."},
                                      {Py_tp_new, program_new},
                                      {Py_tp_dealloc, program_dealloc},
                                      {0, NULL}};

PyType_Spec program_spec = {"tilec._native.Program", sizeof(Program), 0, Py_TPFLAGS_DEFAULT, program_slots};

// ---- options ----

static bool read_text(PyObject *dict, const char *name, const char **text) {
  PyObject *value = PyDict_GetItemString(dict, name);
  if (!value || value == Py_None) return true;
  *text = PyUnicode_AsUTF8AndSize(value, NULL);
  return *text != NULL;
}

static bool read_number(PyObject *dict, const char *name, int *number) {
  PyObject *value = PyDict_GetItemString(dict, name);
  if (!value || value == Py_None) return true;
  long read = PyLong_AsLong(value);
  if (read == -1 && PyErr_Occurred()) return false;
  if (read < INT32_MIN || read > INT32_MAX) {
    PyErr_Format(PyExc_ValueError, "%s=%ld", name, read);
    return false;
  }
  *number = (int)read;
  return true;
}

static bool read_defines(PyObject *dict, Options *out) {
  PyObject *list = PyDict_GetItemString(dict, "defines");
  if (!list) return true;
  Py_ssize_t count = PyList_Size(list);
  if (count < 0) return false;
  out->defines = calloc((size_t)count + 1, sizeof *out->defines);
  if (!out->defines) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++)
    if (!(out->defines[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL))) return false;
  out->options.defines = out->defines;
  out->options.define_count = (size_t)count;
  return true;
}

bool options_read(PyObject *dict, Options *out) {
  static const tilec_compile_options none = TILEC_COMPILE_OPTIONS_INIT;
  *out = (Options){none, NULL};
  tilec_compile_options *o = &out->options;
  const struct {
    const char *name;
    int *number;
  } numbers[] = {{"num_warps", &o->num_warps},
                 {"num_stages", &o->num_stages},
                 {"maxnreg", &o->maxnreg},
                 {"no_fp_contract", &o->no_fp_contract},
                 {"no_optimize", &o->no_optimize},
                 {"debug", &o->debug},
                 {"remarks", &o->remarks},
                 {"overlap", &o->overlap},
                 {"restrict_pointers", &o->restrict_pointers},
                 {"fast_math", &o->fast_math}};
  int fp32_dot = TILEC_FP32_DOT_IEEE, tma = TILEC_TMA_AUTO, roles = TILEC_WARP_SPECIALIZE_AUTO,
      epilogue = TILEC_EPILOGUE_AUTO, persistent = TILEC_PERSISTENT_AUTO;
  bool good = read_text(dict, "kernel", &o->kernel) && read_text(dict, "signature", &o->signature) &&
              read_text(dict, "arch", &o->arch) && read_defines(dict, out) &&
              read_number(dict, "fp32_dot", &fp32_dot) && read_number(dict, "tma", &tma) &&
              read_number(dict, "warp_specialize", &roles) && read_number(dict, "epilogue", &epilogue) &&
              read_number(dict, "persistent", &persistent);
  for (size_t i = 0; good && i < sizeof numbers / sizeof *numbers; i++)
    good = read_number(dict, numbers[i].name, numbers[i].number);
  o->fp32_dot = (tilec_fp32_dot)fp32_dot;
  o->tma = (tilec_tma)tma;
  o->warp_specialize = (tilec_warp_specialize)roles;
  o->epilogue = (tilec_epilogue)epilogue;
  o->persistent = (tilec_persistent)persistent;
  if (!good) free(out->defines);
  return good;
}

// ---- kernels ----

// Called by whichever thread compiles, which may not hold the GIL.
static void keep_diagnostic(void *data, const tilec_diagnostic *diagnostic) {
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *item = diagnostic_tuple(diagnostic);
  if (!item || PyList_Append(data, item) < 0) PyErr_Clear();
  Py_XDECREF(item);
  PyGILState_Release(gil);
}

// The new object, or the error of `status`.
static PyObject *made(const State *state, const Options *options, PyObject *self, tilec_status status) {
  free(options->defines);
  if (!status) return self;
  raise_status(state, status, NULL);
  Py_DECREF(self);
  return NULL;
}

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"device", "program", "options", NULL};
  State *state = state_of_type(type);
  PyObject *device, *program, *dict;
  Options options;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!O!:Kernel", names, state->device, &device,
                                   state->program, &program, &PyDict_Type, &dict))
    return NULL;
  if (!options_read(dict, &options)) return NULL;
  Kernel *self = (Kernel *)PyType_GenericAlloc(type, 0);
  tilec_status status = TILEC_OK;
  if (self) {
    self->forks = forks_count();
    self->device = (Device *)Py_NewRef(device);
    self->program = (Program *)Py_NewRef(program);
    self->options = Py_NewRef(dict);
    self->logged = PyList_New(0);
    options.options.log = keep_diagnostic;
    options.options.log_data = self->logged;
    PyThreadState *thread = PyEval_SaveThread();
    status = tilec_kernel_new(self->device->device, self->program->program, &options.options, &self->kernel);
    PyEval_RestoreThread(thread);
  }
  return made(state, &options, (PyObject *)self, status);
}

static void kernel_dealloc(Kernel *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->forks == forks_count()) tilec_kernel_free(self->kernel);
  Py_XDECREF(self->device);
  Py_XDECREF(self->program);
  Py_XDECREF(self->options);
  Py_XDECREF(self->logged);
  PyObject_Free(self);
  Py_DECREF(type);
}

bool kernel_warn(const State *state, Kernel *kernel, bool silent) {
  if (PyList_Size(kernel->logged) == 0 || !state->warned) return true;
  PyObject *items = PyList_GetSlice(kernel->logged, 0, PyList_Size(kernel->logged));
  PyObject *result = NULL;
  if (items && PyList_SetSlice(kernel->logged, 0, PyList_Size(kernel->logged), NULL) == 0)
    result = PyObject_CallFunctionObjArgs(state->warned, items, silent ? Py_True : Py_False, NULL);
  Py_XDECREF(items);
  Py_XDECREF(result);
  return result != NULL;
}

static PyObject *kernel_params(Kernel *self, void *unused) {
  (void)unused;
  size_t count = tilec_kernel_param_count(self->kernel);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++) {
    tilec_param_info info = TILEC_PARAM_INFO_INIT;
    tilec_kernel_param(self->kernel, i, &info);
    PyObject *item = Py_BuildValue("(siii)", info.name, (int)info.kind, (int)info.dtype, info.has_default);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *kernel_options(Kernel *self, void *unused) {
  (void)unused;
  return Py_NewRef(self->options);
}

static PyObject *kernel_device(Kernel *self, void *unused) {
  (void)unused;
  return Py_NewRef((PyObject *)self->device);
}

static PyObject *kernel_program(Kernel *self, void *unused) {
  (void)unused;
  return Py_NewRef((PyObject *)self->program);
}

static PyGetSetDef kernel_getset[] = {
    {"params", (getter)(void (*)(void))kernel_params, NULL,
     "(name, kind, dtype, has a default) of each parameter.", NULL},
    {"options", (getter)(void (*)(void))kernel_options, NULL, "What it was made with.", NULL},
    {"device", (getter)(void (*)(void))kernel_device, NULL, "Where it runs.", NULL},
    {"program", (getter)(void (*)(void))kernel_program, NULL, "What it is a kernel of.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot kernel_slots[] = {
    {Py_tp_doc, "A kernel of a program on a device, with the constexprs and options of a dict."},
    {Py_tp_new, kernel_new},
    {Py_tp_dealloc, kernel_dealloc},
    {Py_tp_getset, kernel_getset},
    {0, NULL}};

PyType_Spec kernel_spec = {"tilec._native.Kernel", sizeof(Kernel), 0, Py_TPFLAGS_DEFAULT, kernel_slots};

// ---- compiling without a device ----

typedef struct Compiled {
  PyObject ob_base;
  tilec_compiled *compiled;
} Compiled;

static PyObject *compiled_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"program", "options", NULL};
  State *state = state_of_type(type);
  PyObject *program, *dict;
  Options options;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!:Compiled", names, state->program, &program,
                                   &PyDict_Type, &dict))
    return NULL;
  if (!options_read(dict, &options)) return NULL;
  Compiled *self = (Compiled *)PyType_GenericAlloc(type, 0);
  tilec_status status = TILEC_OK;
  if (self) {
    PyThreadState *thread = PyEval_SaveThread();
    status = tilec_compile(((Program *)program)->program, &options.options, &self->compiled);
    PyEval_RestoreThread(thread);
  }
  return made(state, &options, (PyObject *)self, status);
}

static void compiled_dealloc(Compiled *self) {
  PyTypeObject *type = Py_TYPE(self);
  tilec_compiled_free(self->compiled);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *compiled_output(Compiled *self, PyObject *name) {
  static const char *const names[] = {"ptx", "tir", "llvm", "meta", "cubin", "launch"};
  const char *asked = PyUnicode_AsUTF8AndSize(name, NULL), *text;
  size_t bytes, i = 0, count = sizeof names / sizeof *names;
  if (!asked) return NULL;
  while (i < count && strcmp(asked, names[i]) != 0) i++;
  if (i == count) return PyErr_Format(PyExc_KeyError, "%s", asked);
  PyThreadState *thread = PyEval_SaveThread();
  tilec_status status = tilec_compiled_output(self->compiled, (tilec_output)i, &text, &bytes);
  PyEval_RestoreThread(thread);
  if (status) return raise_status(STATE_OF(self), status, NULL);
  if (i == TILEC_OUTPUT_CUBIN) return PyBytes_FromStringAndSize(text, (Py_ssize_t)bytes);
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)bytes, "replace");
}

static PyObject *compiled_diagnostics(Compiled *self, PyObject *unused) {
  (void)unused;
  return diagnostics_list(tilec_compiled_diagnostics(self->compiled));
}

static PyMethodDef compiled_methods[] = {{"output", (PyCFunction)(void (*)(void))compiled_output, METH_O,
                                          "\"ptx\", \"tir\", \"llvm\", \"meta\" or \"cubin\"."},
                                         {"diagnostics", (PyCFunction)(void (*)(void))compiled_diagnostics,
                                          METH_NOARGS, "Warnings, and remarks where asked for."},
                                         {NULL, NULL, 0, NULL}};

static PyType_Slot compiled_slots[] = {{Py_tp_doc, "One kernel, compiled for the signature of its options."},
                                       {Py_tp_new, compiled_new},
                                       {Py_tp_dealloc, compiled_dealloc},
                                       {Py_tp_methods, compiled_methods},
                                       {0, NULL}};

PyType_Spec compiled_spec = {"tilec._native.Compiled", sizeof(Compiled), 0, Py_TPFLAGS_DEFAULT,
                             compiled_slots};
