// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the contents of a capsule of __dlpack__(). Its maker owns it, and the capsule ends it.
#include "native.h"

typedef struct VersionedTensor {
  struct {
    uint32_t major, minor;
  } version;
  void *context;
  void (*deleter)(struct VersionedTensor *self);
  uint64_t flags;
  Tensor tensor;
} VersionedTensor;

static const Tensor *tensor_in(PyObject *capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor"))
    return PyCapsule_GetPointer(capsule, "dltensor"); // its first member
  VersionedTensor *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
  if (!managed) return NULL;
  if (managed->version.major == 1) return &managed->tensor;
  PyErr_Format(PyExc_BufferError, "DLPack %u is not known", managed->version.major);
  return NULL;
}

static PyObject *tuple_of(const int64_t *numbers, int32_t count) {
  PyObject *tuple = PyTuple_New(count);
  for (int32_t i = 0; tuple && i < count; i++) {
    PyObject *number = PyLong_FromLongLong(numbers[i]);
    if (!number || PyTuple_SetItem(tuple, i, number) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *compact_strides(const Tensor *t) {
  PyObject *tuple = PyTuple_New(t->ndim);
  int64_t step = 1;
  for (int32_t i = t->ndim; tuple && i-- > 0; step *= t->shape[i]) {
    PyObject *number = PyLong_FromLongLong(step);
    if (!number || PyTuple_SetItem(tuple, i, number) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

uint64_t tensor_memory(const Tensor *t, uint64_t *bytes) {
  uint64_t size = (t->bits + 7u) / 8, below = 0, above = size, step = 1;
  for (int32_t i = t->ndim; i-- > 0; step *= (uint64_t)t->shape[i]) {
    int64_t stride = t->strides ? t->strides[i] : (int64_t)step;
    int64_t last = (t->shape[i] - 1) * stride * (int64_t)size;
    if (t->shape[i] <= 0) return *bytes = 0;
    if (last < 0) below += (uint64_t)-last;
    if (last > 0) above += (uint64_t)last;
  }
  *bytes = below + above;
  return (uint64_t)(uintptr_t)t->data + t->byte_offset - below;
}

PyObject *dlpack_read(PyObject *module, PyObject *capsule) {
  const Tensor *t = tensor_in(capsule);
  (void)module;
  if (!t) return NULL;
  PyObject *sizes = tuple_of(t->shape, t->ndim);
  PyObject *strides = t->strides ? tuple_of(t->strides, t->ndim) : compact_strides(t);
  PyObject *result = NULL;
  if (sizes && strides)
    result = Py_BuildValue("(KiiiOOO)", (unsigned long long)(uintptr_t)t->data + t->byte_offset,
                           tensor_dtype(t), (int)t->device_type, (int)t->device_id, sizes, strides, capsule);
  Py_XDECREF(sizes);
  Py_XDECREF(strides);
  return result;
}
