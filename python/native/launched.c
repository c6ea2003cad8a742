// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch returns: the kernel, and the arguments' types and facts, from which Python makes the rest when asked.
#include <stdlib.h>
#include <string.h>
#include "native.h"

PyObject *launched_of(const State *state, Kernel *kernel, const Arguments *a) {
  Launched *self = (Launched *)PyType_GenericAlloc(state->handle, 0);
  if (!self) return NULL;
  self->args = malloc((a->count + 1) * sizeof *a->args);
  if (!self->args) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  memcpy(self->args, a->args, a->count * sizeof *a->args);
  for (uint32_t i = 0; i < a->tensor_count; i++) { // the tensors themselves are gone
    const Tensor *t = &a->tensors[i].tensor;
    tilec_arg *arg = &self->args[a->tensors[i].arg];
    if (arg->kind != TILEC_ARG_DL) continue;
    *arg = tilec_arg_pointer(a->tensors[i].dtype, (uint64_t)(uintptr_t)t->data + t->byte_offset);
  }
  self->count = a->count;
  self->kernel = (Kernel *)Py_NewRef((PyObject *)kernel);
  return (PyObject *)self;
}

// ("pointer", dtype, address), ("int", value), ("float", value), ("bool", value) or ("none",) of each.
static PyObject *describe(const tilec_arg *arg) {
  switch (arg->kind) {
  case TILEC_ARG_POINTER:
    return Py_BuildValue("(siK)", "pointer", (int)arg->dtype, (unsigned long long)arg->value.address);
  case TILEC_ARG_INT: return Py_BuildValue("(sL)", "int", (long long)arg->value.i);
  case TILEC_ARG_UINT: return Py_BuildValue("(sK)", "int", (unsigned long long)arg->value.u);
  case TILEC_ARG_FLOAT: return Py_BuildValue("(sd)", "float", arg->value.f);
  case TILEC_ARG_BOOL: return Py_BuildValue("(si)", "bool", (int)arg->value.i);
  default: return Py_BuildValue("(s)", "none");
  }
}

static PyObject *launched_args(Launched *self, void *unused) {
  (void)unused;
  PyObject *list = PyList_New(self->count);
  for (uint32_t i = 0; list && i < self->count; i++) {
    PyObject *item = describe(&self->args[i]);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *launched_kernel(Launched *self, void *unused) {
  (void)unused;
  return Py_NewRef((PyObject *)self->kernel);
}

static void launched_dealloc(Launched *self) {
  PyTypeObject *type = Py_TYPE(self);
  free(self->args);
  Py_XDECREF((PyObject *)self->kernel);
  Py_XDECREF(self->details);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyGetSetDef getset[] = {
    {"_args", (getter)(void (*)(void))launched_args, NULL, "What each parameter was given.", NULL},
    {"_kernel", (getter)(void (*)(void))launched_kernel, NULL, "The Kernel.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMemberDef members[] = {
    {"_details", T_OBJECT, offsetof(Launched, details), 0, "What Python keeps of it, or None."},
    {NULL, 0, 0, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A launch's kernel, as it was compiled for the launch's arguments."},
    {Py_tp_dealloc, launched_dealloc},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {0, NULL}};

PyType_Spec launched_spec = {"tilec._native.Launched", sizeof(Launched), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
