// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec_tune for Python: tilec/_tune.py makes the request, and makes objects of the reports.
#include <stdlib.h>
#include <string.h>
#include "native.h"

// The receiver of the progress, and the exception that it raised.
typedef struct Listener {
  PyObject *function; // NULL: nobody
  PyObject *type, *value, *traceback;
} Listener;

static const char *const steps[] = {"predicting", "compiling", "measuring"};

// By threads of the library.
static int tell(void *data, const tilec_tune_progress *p) {
  Listener *listener = data;
  PyGILState_STATE gil = PyGILState_Ensure();
  int stop = 1;
  if (!listener->type) {
    PyObject *result =
        PyObject_CallFunction(listener->function, "snndzd", steps[p->step], (Py_ssize_t)p->done,
                              (Py_ssize_t)p->all, p->seconds_left, p->best, p->best_seconds);
    stop = result ? PyObject_IsTrue(result) : -1;
    Py_XDECREF(result);
    if (stop < 0) PyErr_Fetch(&listener->type, &listener->value, &listener->traceback);
  }
  PyGILState_Release(gil);
  return stop != 0;
}

// The request, in arrays of C. The texts belong to the Python objects.
typedef struct Space {
  tilec_tune_listed *listed;
  tilec_tune_range *settings; // of all of them
  const char **values;        // a setting
  const char **reset, **restore;
  tilec_tune_options options;
} Space;

static void space_free(Space *space) {
  free(space->listed);
  free(space->settings);
  free(space->values);
  free(space->reset);
  free(space->restore);
}

static bool read_configuration(Space *space, PyObject *item, size_t i, size_t *at, size_t room) {
  PyObject *list;
  long long grid[3];
  tilec_tune_listed *one = &space->listed[i];
  if (!PyArg_ParseTuple(item, "O!(LLL):configuration", &PyList_Type, &list, &grid[0], &grid[1], &grid[2]))
    return false;
  Py_ssize_t count = PyList_Size(list);
  if (*at + (size_t)count > room)
    return PyErr_SetString(PyExc_RuntimeError, "the list of configurations changed"), false;
  for (Py_ssize_t k = 0; k < count; k++) {
    tilec_tune_range *setting = &space->settings[*at + (size_t)k];
    setting->values = &space->values[*at + (size_t)k];
    setting->count = 1;
    if (!PyArg_ParseTuple(PyList_GetItem(list, k), "ssp:setting", &setting->name,
                          &space->values[*at + (size_t)k], &setting->is_option))
      return false;
  }
  *one = (tilec_tune_listed){&space->settings[*at], (size_t)count, {grid[0], grid[1], grid[2]}};
  *at += (size_t)count;
  return true;
}

static bool read_configurations(Space *space, PyObject *list) {
  size_t count = (size_t)PyList_Size(list), room = 0, at = 0;
  for (size_t i = 0; i < count; i++) {
    PyObject *item = PyList_GetItem(list, (Py_ssize_t)i),
             *settings = PyTuple_Check(item) ? PyTuple_GetItem(item, 0) : NULL;
    Py_ssize_t n = settings ? PyObject_Size(settings) : -1;
    if (n < 0) return false;
    room += (size_t)n;
  }
  space->listed = calloc(count + 1, sizeof *space->listed);
  space->settings = calloc(room + 1, sizeof *space->settings);
  space->values = calloc(room + 1, sizeof *space->values);
  if (!space->listed || !space->settings || !space->values) return PyErr_NoMemory(), false;
  for (size_t i = 0; i < count; i++)
    if (!read_configuration(space, PyList_GetItem(list, (Py_ssize_t)i), i, &at, room)) return false;
  space->options.configurations = space->listed;
  space->options.configuration_count = count;
  return true;
}

static bool read_names(PyObject *list, const char ***names, size_t *count) {
  *count = (size_t)PyList_Size(list);
  *names = calloc(*count + 1, sizeof **names);
  if (!*names) return PyErr_NoMemory(), false;
  for (size_t i = 0; i < *count; i++)
    if (!((*names)[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, (Py_ssize_t)i), NULL))) return false;
  return true;
}

// asked: (configurations, reset_to_zero, restore_value, top, predict, timeout); of a configuration its settings and grid.
static bool read_space(Space *space, PyObject *asked) {
  static const tilec_tune_options none = TILEC_TUNE_OPTIONS_INIT;
  PyObject *configurations, *reset, *restore;
  Py_ssize_t top;
  tilec_tune_options *o = &space->options;
  *space = (Space){.options = none};
  if (!PyArg_ParseTuple(asked, "O!O!O!npd:asked", &PyList_Type, &configurations, &PyList_Type, &reset,
                        &PyList_Type, &restore, &top, &o->predict, &o->timeout))
    return false;
  o->top = top > 0 ? (size_t)top : 0;
  o->no_keep = 1; // tilec/_kept.py keeps, by the file's own key
  if (!read_configurations(space, configurations) || !read_names(reset, &space->reset, &o->reset_count) ||
      !read_names(restore, &space->restore, &o->restore_count))
    return false;
  o->reset_to_zero = space->reset;
  o->restore_value = space->restore;
  return true;
}

// ---- what was found ----

static PyObject *configuration_tuple(const tilec_tuning *tuning, size_t i) {
  tilec_configuration c = TILEC_CONFIGURATION_INIT;
  tilec_tuning_configuration(tuning, i, &c);
  PyObject *settings = tuned_settings(tuning, i);
  if (!settings) return NULL;
  return Py_BuildValue("(NzdIdzIII)", settings, c.error, c.seconds, c.rounds, c.predicted, c.bottleneck,
                       c.registers, c.shared_bytes, c.blocks);
}

static PyObject *found_tuple(const tilec_tuning *tuning) {
  tilec_tuning_summary s = TILEC_TUNING_SUMMARY_INIT;
  tilec_tuning_get_summary(tuning, &s);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < s.configurations; i++) {
    PyObject *item = configuration_tuple(tuning, i);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  if (!list) return NULL;
  return Py_BuildValue("(sssnnOON)", s.kernel, s.device, s.arch, (Py_ssize_t)s.failed, (Py_ssize_t)s.measured,
                       s.interrupted ? Py_True : Py_False, s.predicted ? Py_True : Py_False, list);
}

// ---- _tune ----

static bool is_where(const Asked *q) {
  bool on_gpu = q->device->type == ON_CUDA;
  if (!(on_gpu ? q->a.on_host : q->a.on_gpu)) return true;
  PyErr_SetString(PyExc_ValueError,
                  on_gpu ? "tune measures on a GPU with arrays of it: some are in the host's memory"
                         : "tune measures on the simulator with arrays of the host: some are a GPU's");
  return false;
}

static PyObject *tune(Launcher *self, Asked *q, Space *space, PyObject *progress) {
  Listener listener = {.function = progress};
  tilec_tuning *tuning = NULL;
  if (progress != Py_None) {
    space->options.progress = tell;
    space->options.progress_data = &listener;
  }
  arguments_as_tensors(&q->a);
  space->options.cancel = interrupt_begin();
  PyThreadState *thread = PyEval_SaveThread();
  tilec_status status = tilec_tune(q->device->device, q->program->program, &q->options.options,
                                   &space->options, q->a.args, q->a.count, &tuning);
  PyEval_RestoreThread(thread);
  PyObject *result = NULL;
  if (!interrupt_end(space->options.cancel)) {
    Py_XDECREF(listener.type);
    Py_XDECREF(listener.value);
    Py_XDECREF(listener.traceback);
  } else if (listener.type) {
    PyErr_Restore(listener.type, listener.value, listener.traceback);
  } else {
    result = status ? raise_status(self->state, status, NULL) : found_tuple(tuning);
  }
  tilec_tuning_free(tuning);
  return result;
}

PyObject *launcher_tune(Launcher *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  enum { HEAD = 5 };
  Asked q;
  Space space;
  PyObject *result = NULL;
  if (nargs < HEAD)
    return PyErr_Format(PyExc_TypeError, "_tune(device, program, options, asked, progress, *args, **kwargs)");
  if (read_space(&space, args[3])) {
    if (asked_begin(self, &q, true, args, args + HEAD, nargs - HEAD, names) && is_where(&q))
      result = tune(self, &q, &space, args[4]);
    asked_end(&q);
  }
  space_free(&space);
  return result;
}
