// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module tilec._native: its state and what the Python part sets up.
#include "native.h"

static int module_exec(PyObject *module);
static int module_traverse(PyObject *module, visitproc visit, void *arg);
static int module_clear(PyObject *module);
static void module_free(void *module) { module_clear(module); }

// The objects that tilec/__init__.py gives once: one a keyword.
static PyObject *module_setup(PyObject *module, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"handle", "classify",  "dtype_of",      "freeze",   "failed", "warned",
                          "choose", "stream_of", "launched_with", "constant", NULL};
  State *state = PyModule_GetState(module);
  PyObject *given[10];
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOOOOO:setup", names, &given[0], &given[1], &given[2],
                                   &given[3], &given[4], &given[5], &given[6], &given[7], &given[8],
                                   &given[9]))
    return NULL;
  if (!PyType_Check(given[0]) || !PyType_IsSubtype((PyTypeObject *)given[0], state->launched))
    return PyErr_Format(PyExc_TypeError, "handle is not a subclass of Launched");
  PyObject **places[] = {(PyObject **)&state->handle,
                         &state->classify,
                         &state->dtype_of,
                         &state->freeze,
                         &state->failed,
                         &state->warned,
                         &state->choose,
                         &state->stream_of,
                         &state->launched_with,
                         &state->constant};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    PyObject *old = *places[i];
    *places[i] = Py_NewRef(given[i]);
    Py_XDECREF(old);
  }
  return Py_NewRef(Py_None);
}

static void set_hook(PyObject **place, PyObject *hook) {
  PyObject *old = *place;
  *place = hook == Py_None ? NULL : Py_NewRef(hook);
  Py_XDECREF(old);
}

static PyObject *module_set_hooks(PyObject *module, PyObject *args) {
  State *state = PyModule_GetState(module);
  PyObject *enter, *leave;
  if (!PyArg_ParseTuple(args, "OO:set_hooks", &enter, &leave)) return NULL;
  set_hook(&state->enter, enter);
  set_hook(&state->leave, leave);
  return Py_NewRef(Py_None);
}

static PyObject *module_set_checks(PyObject *module, PyObject *on) {
  int checks = PyObject_IsTrue(on);
  if (checks < 0) return NULL;
  ((State *)PyModule_GetState(module))->checks = checks;
  return Py_NewRef(Py_None);
}

static PyObject *module_forget_devices(PyObject *module, PyObject *unused) {
  (void)unused;
  devices_forget(PyModule_GetState(module));
  return Py_NewRef(Py_None);
}

static PyObject *module_forget_types(PyObject *module, PyObject *unused) {
  (void)unused;
  State *state = PyModule_GetState(module);
  types_clear(state);
  PyDict_Clear(state->dtypes);
  return Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"setup", (PyCFunction)(void (*)(void))module_setup, METH_VARARGS | METH_KEYWORDS,
     "What the Python part does for this one."},
    {"set_hooks", module_set_hooks, METH_VARARGS, "Functions or None, called before and after each launch."},
    {"set_checks", module_set_checks, METH_O,
     "Whether each launch is given to its launcher's _elsewhere first."},
    {"skip_launches", launches_skip, METH_O,
     "Whether launches of this thread by fn[grid] do nothing and give None from now on."},
    {"launches_skipped", launches_skipped, METH_NOARGS, "What skip_launches was given in this thread."},
    {"forget_devices", module_forget_devices, METH_NOARGS, "choose() is asked again."},
    {"read_dlpack", dlpack_read, METH_O, "What a capsule of __dlpack__() describes."},
    {"forget_types", module_forget_types, METH_NOARGS, "classify() and dtype_of() are asked again."},
    {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "tilec._native", "libtilec.",
                                        sizeof(State),         methods,         slots,
                                        module_traverse,       module_clear,    module_free};

State *state_of_type(PyTypeObject *type) {
  for (;;) { // a Python subclass of our classes has its own module, or none
    PyObject *module = PyType_GetModule(type);
    if (module && PyModule_GetDef(module) == &definition) return PyModule_GetState(module);
    PyErr_Clear();
    PyTypeObject *base = PyType_GetSlot(type, Py_tp_base);
    if (!base) return NULL;
    type = base;
  }
}

static bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **place) {
  *place = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  return *place && PyModule_AddType(module, *place) == 0;
}

static bool intern_options(State *state) {
  static const char *const names[] = {"num_warps", "num_stages", "num_ctas",  "maxnreg", "enable_fp_fusion",
                                      "debug",     "launch_pdl", "fast_math", "tma"};
  _Static_assert(sizeof names / sizeof *names <= MAX_OPTIONS, "there is no room for the options");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    PyObject *name = PyUnicode_InternFromString(names[i]);
    if (!name) return false;
    state->options[state->option_count++] = name;
  }
  return true;
}

static int module_exec(PyObject *module) {
  State *state = PyModule_GetState(module);
  state->dtypes = PyDict_New();
  state->str_data_ptr = PyUnicode_InternFromString("data_ptr");
  state->str_dtype = PyUnicode_InternFromString("dtype");
  state->str_get_device = PyUnicode_InternFromString("get_device");
  if (!state->dtypes || !state->str_data_ptr || !state->str_dtype || !state->str_get_device) return -1;
  if (!intern_options(state) || !forks_watch()) return -1;
  if (!add_type(module, &device_spec, &state->device) || !add_type(module, &program_spec, &state->program) ||
      !add_type(module, &kernel_spec, &state->kernel) ||
      !add_type(module, &compiled_spec, &state->compiled) ||
      !add_type(module, &launcher_spec, &state->launcher) ||
      !add_type(module, &launched_spec, &state->launched))
    return -1;
  return PyModule_AddStringConstant(module, "version", tilec_version());
}

// The objects that the module holds. The last ones are strings, which cannot be part of a cycle.
enum { HELD = 22, HELD_STRINGS = 3 };

static void list_held(State *s, PyObject **held[HELD]) {
  PyObject **const all[HELD] = {(PyObject **)&s->device,
                                (PyObject **)&s->program,
                                (PyObject **)&s->kernel,
                                (PyObject **)&s->compiled,
                                (PyObject **)&s->launcher,
                                (PyObject **)&s->launched,
                                (PyObject **)&s->handle,
                                &s->classify,
                                &s->dtypes,
                                &s->dtype_of,
                                &s->freeze,
                                &s->failed,
                                &s->warned,
                                &s->choose,
                                &s->stream_of,
                                &s->launched_with,
                                &s->constant,
                                &s->enter,
                                &s->leave,
                                &s->str_data_ptr,
                                &s->str_dtype,
                                &s->str_get_device};
  memcpy(held, all, sizeof all);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
  State *s = PyModule_GetState(module);
  PyObject **held[HELD];
  list_held(s, held);
  for (int i = 0; i < HELD - HELD_STRINGS; i++) Py_VISIT(*held[i]);
  for (uint32_t i = 0; i < s->type_cap; i++) {
    Py_VISIT(s->types[i].type);
    Py_VISIT(s->types[i].function);
  }
  return 0;
}

static int module_clear(PyObject *module) {
  State *s = PyModule_GetState(module);
  PyObject **held[HELD];
  list_held(s, held);
  for (int i = 0; i < HELD; i++) Py_CLEAR(*held[i]);
  while (s->option_count) Py_DECREF(s->options[--s->option_count]);
  devices_forget(s);
  types_clear(s);
  return 0;
}

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
