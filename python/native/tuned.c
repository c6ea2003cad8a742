// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stored tunings on disk, for a launch's arguments (tilec/tune.h).
#include <stdlib.h>
#include "native.h"

enum { MAX_SETTINGS = MAX_GIVEN_PARAMS + 3 };

void asked_end(Asked *q) {
  free(q->options.defines);
  Py_XDECREF((PyObject *)q->device);
  call_end(&q->call);
  arguments_end(&q->a);
}

bool asked_begin(Launcher *self, Asked *q, bool sized, PyObject *const *head, PyObject *const *args,
                 Py_ssize_t nargs, PyObject *names) {
  State *state = self->state;
  bool chosen = head[0] != Py_None;
  q->call.count = 0;
  q->device = NULL;
  q->options.defines = NULL;
  arguments_begin(&q->a);
  q->a.sized = sized;
  if ((chosen && Py_TYPE(head[0]) != state->device) || Py_TYPE(head[1]) != state->program ||
      !PyDict_Check(head[2])) {
    PyErr_SetString(PyExc_TypeError, "a device or None, a program and a dict come first");
    return false;
  }
  q->program = (Program *)head[1];
  if (!options_read(head[2], &q->options)) return q->options.defines = NULL, false;
  if (!call_bind(self, &q->call, &q->a, args, nargs, names)) return false;
  q->device = chosen ? (Device *)Py_NewRef(head[0]) : device_for(state, q->a.device_type, q->a.device_id);
  return q->device != NULL;
}

PyObject *tuned_settings(const tilec_tuning *tuning, size_t configuration) {
  tilec_configuration found = TILEC_CONFIGURATION_INIT;
  if (tilec_tuning_configuration(tuning, configuration, &found)) return Py_NewRef(Py_None);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < found.settings; i++) {
    tilec_tune_setting one = TILEC_TUNE_SETTING_INIT;
    tilec_tuning_setting(tuning, configuration, i, &one);
    PyObject *item = Py_BuildValue("(ssO)", one.name, one.value, one.is_option ? Py_True : Py_False);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

PyObject *launcher_tuned(Launcher *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  enum { HEAD = 3 };
  Asked q;
  PyObject *result = NULL;
  if (nargs < HEAD) return PyErr_Format(PyExc_TypeError, "_tuned(device, program, options, *args, **kwargs)");
  if (asked_begin(self, &q, false, args, args + HEAD, nargs - HEAD, names)) {
    tilec_tuning *tuning = NULL;
    PyThreadState *thread = PyEval_SaveThread();
    tilec_status status = tilec_tune_find(q.device->device, q.program->program, &q.options.options, q.a.args,
                                          q.a.count, &tuning);
    PyEval_RestoreThread(thread);
    tilec_configuration first = TILEC_CONFIGURATION_INIT;
    if (tuning) tilec_tuning_configuration(tuning, 0, &first);
    result = status   ? raise_status(self->state, status, NULL)
             : tuning ? Py_BuildValue("(Nd)", tuned_settings(tuning, 0), first.seconds)
                      : Py_NewRef(Py_None);
    tilec_tuning_free(tuning);
  }
  asked_end(&q);
  return result;
}

// The texts are the list's. -1: an exception.
static Py_ssize_t read_settings(PyObject *list, tilec_tune_range *settings, const char **values) {
  Py_ssize_t count = PyList_Size(list);
  if (count < 0 || count > MAX_SETTINGS) {
    if (count > 0) PyErr_SetString(PyExc_ValueError, "too many settings");
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    int is_option;
    settings[i].values = &values[i];
    settings[i].count = 1;
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "ssp:setting", &settings[i].name, &values[i], &is_option))
      return -1;
    settings[i].is_option = is_option;
  }
  return count;
}

PyObject *launcher_keep_tuned(Launcher *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  enum { HEAD = 5 };
  Asked q;
  tilec_tune_range settings[MAX_SETTINGS];
  const char *values[MAX_SETTINGS];
  PyObject *result = NULL;
  if (nargs < HEAD)
    return PyErr_Format(PyExc_TypeError,
                        "_keep_tuned(device, program, options, settings, seconds, *args, **kwargs)");
  Py_ssize_t count = read_settings(args[3], settings, values);
  double seconds = PyFloat_AsDouble(args[4]);
  if (count < 0 || PyErr_Occurred()) return NULL;
  if (asked_begin(self, &q, false, args, args + HEAD, nargs - HEAD, names)) {
    int kept = 0;
    PyThreadState *thread = PyEval_SaveThread();
    tilec_status status = tilec_tune_keep(q.device->device, q.program->program, &q.options.options, settings,
                                          (size_t)count, seconds, q.a.args, q.a.count, &kept);
    PyEval_RestoreThread(thread);
    result = status ? raise_status(self->state, status, NULL) : PyBool_FromLong(kept);
  }
  asked_end(&q);
  return result;
}
