// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of a launch: the kernel, and the arguments' types and facts, from which Python makes
// the rest on request.
#include <stdlib.h>
#include <string.h>
#include "native.h"

static PyObject *describe_all(const Arguments *a, const tilec_arg *args, size_t count);

static PyObject *describe_tuple(const Arguments *a, const tilec_tuple *tuple) {
  PyObject *items = describe_all(a, tuple->items, tuple->count), *names = PyList_New(0);
  for (size_t i = 0; names && tuple->names && i < tuple->count; i++) {
    PyObject *name = PyUnicode_FromString(tuple->names[i]);
    if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
    Py_XDECREF(name);
  }
  PyObject *result = items && names ? Py_BuildValue("(sOO)", "tuple", items, names) : NULL;
  Py_XDECREF(items);
  Py_XDECREF(names);
  return result;
}

static PyObject *describe_descriptor(const Arguments *a, const tilec_descriptor *d) {
  tilec_dtype dtype = d->base.dtype;
  for (uint32_t i = 0; i < a->tensor_count; i++)
    if (a->tensors[i].arg == &d->base && d->base.kind == TILEC_ARG_DL) dtype = a->tensors[i].dtype;
  PyObject *block = PyList_New(d->rank);
  for (uint32_t i = 0; block && i < d->rank; i++)
    if (PyList_SetItem(block, i, PyLong_FromUnsignedLong(d->block[i])) < 0) Py_CLEAR(block);
  bool known = true; // its sizes and strides to be multiples of 16
  for (uint32_t i = 0; i < d->rank; i++)
    known &= d->shape[i] % 16 == 0 && (i + 1 == d->rank || d->strides[i] % 16 == 0);
  return block ? Py_BuildValue("(siNii)", "descriptor", (int)dtype, block, (int)known, (int)d->padding) : NULL;
}

static PyObject *describe_tensor(const Arguments *a, const tilec_arg *arg) {
  for (uint32_t i = 0; i < a->tensor_count; i++) {
    const Tensor *t = &a->tensors[i].tensor;
    if (a->tensors[i].arg == arg)
      return Py_BuildValue("(siK)", "pointer", (int)a->tensors[i].dtype,
                           (unsigned long long)(uintptr_t)t->data + t->byte_offset);
  }
  return Py_BuildValue("(s)", "none");
}

// ("pointer", dtype, address), ("int", value), ("float", value), ("bool", value), ("none",), ("tuple", items, names),
// ("descriptor", dtype, block, known16, padding) or ("constant", text). `a` is read only for tensors.
static PyObject *describe(const Arguments *a, const tilec_arg *arg) {
  const void *at = (const void *)(uintptr_t)arg->value.address;
  switch (arg->kind) {
  case TILEC_ARG_POINTER:
    return Py_BuildValue("(siK)", "pointer", (int)arg->dtype, (unsigned long long)arg->value.address);
  case TILEC_ARG_INT: return Py_BuildValue("(sL)", "int", (long long)arg->value.i);
  case TILEC_ARG_UINT: return Py_BuildValue("(sK)", "int", (unsigned long long)arg->value.u);
  case TILEC_ARG_FLOAT: return Py_BuildValue("(sd)", "float", arg->value.f);
  case TILEC_ARG_BOOL: return Py_BuildValue("(si)", "bool", (int)arg->value.i);
  case TILEC_ARG_TUPLE: return describe_tuple(a, at);
  case TILEC_ARG_DESCRIPTOR: return describe_descriptor(a, at);
  case TILEC_ARG_CONSTEXPR: return Py_BuildValue("(ss)", "constant", (const char *)at);
  case TILEC_ARG_DL: return describe_tensor(a, arg);
  default: return Py_BuildValue("(s)", "none");
  }
}

static PyObject *describe_all(const Arguments *a, const tilec_arg *args, size_t count) {
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *item = describe(a, &args[i]);
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

// The arguments without what is only there during the launch.
static bool keep_args(Launched *self, const Arguments *a) {
  self->args = malloc((a->count + 1) * sizeof *a->args);
  if (!self->args) return PyErr_NoMemory();
  memcpy(self->args, a->args, a->count * sizeof *a->args);
  self->count = a->count;
  for (uint32_t i = 0; i < a->tensor_count; i++) {
    const Tensor *t = &a->tensors[i].tensor;
    tilec_arg *arg = &self->args[a->tensors[i].arg - a->args];
    if (arg->kind == TILEC_ARG_DL)
      *arg = tilec_arg_pointer(a->tensors[i].dtype, (uint64_t)(uintptr_t)t->data + t->byte_offset);
  }
  return true;
}

PyObject *launched_of(const State *state, Kernel *kernel, const Arguments *a) {
  Launched *self = (Launched *)PyType_GenericAlloc(state->handle, 0);
  if (!self) return NULL;
  self->kernel = (Kernel *)Py_NewRef((PyObject *)kernel);
  bool good;
  if (a->tuple_count || a->descriptor_count || a->kept)
    good = (self->described = describe_all(a, a->args, a->count)) != NULL;
  else
    good = keep_args(self, a);
  if (!good) Py_CLEAR(self);
  return (PyObject *)self;
}

static PyObject *launched_args(Launched *self, void *unused) {
  (void)unused;
  return self->described ? Py_NewRef(self->described) : describe_all(NULL, self->args, self->count);
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
  Py_XDECREF(self->described);
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
