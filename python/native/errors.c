// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's errors and warnings, given to tilec/_errors.py, which makes exceptions of them.
#include "native.h"

static PyObject *numbers_tuple(const uint32_t *numbers, uint32_t n) {
  PyObject *result = PyTuple_New((Py_ssize_t)n);
  for (uint32_t i = 0; result && i < n; i++) {
    PyObject *number = PyLong_FromUnsignedLong(numbers[i]);
    if (!number || PyTuple_SetItem(result, (Py_ssize_t)i, number) < 0) Py_CLEAR(result);
  }
  return result;
}

// None for a diagnostic that is not about a run.
static PyObject *run_tuple(const tilec_diagnostic *d) {
  if (!d->kind) Py_RETURN_NONE;
  return Py_BuildValue("(szLNNzz)", d->kind, d->buffer, (long long)d->index, numbers_tuple(d->program, 3),
                       numbers_tuple(d->element, d->element_rank), d->access, d->other_access);
}

PyObject *diagnostic_tuple(const tilec_diagnostic *d) {
  return Py_BuildValue("(izIIIznzN)", (int)d->severity, d->file, d->line, d->column, d->length, d->text,
                       (Py_ssize_t)d->parent, d->code, run_tuple(d));
}

PyObject *diagnostics_list(const tilec_diagnostics *list) {
  size_t count = tilec_diagnostics_count(list);
  PyObject *result = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; result && i < count; i++) {
    tilec_diagnostic d = TILEC_DIAGNOSTIC_INIT;
    tilec_diagnostics_get(list, i, &d);
    PyObject *item = diagnostic_tuple(&d);
    if (!item || PyList_SetItem(result, (Py_ssize_t)i, item) < 0) Py_CLEAR(result);
  }
  return result;
}

PyObject *raise_status(const State *state, tilec_status status, PyObject *given) {
  if (!state->failed) return PyErr_Format(PyExc_RuntimeError, "%s", tilec_last_error());
  PyObject *list = diagnostics_list(tilec_last_diagnostics());
  PyObject *error = list ? PyObject_CallFunction(state->failed, "isOO", (int)status, tilec_last_error(), list,
                                                 given ? given : Py_None)
                         : NULL;
  if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
  Py_XDECREF(list);
  Py_XDECREF(error);
  return NULL;
}
