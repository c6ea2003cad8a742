// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices and the streams of theirs that others own.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "native.h"

static uint32_t forks; // of the process, as the module's objects of every interpreter are

static void forked(void) { forks++; }

uint32_t forks_count(void) { return forks; }

bool forks_watch(void) {
  static bool watched;
  if (watched) return true;
  if (pthread_atfork(NULL, NULL, forked) != 0) return PyErr_NoMemory();
  return watched = true;
}

static PyObject *device_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"name", NULL};
  const char *name = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|z:Device", names, &name)) return NULL;
  Device *self = (Device *)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  self->forks = forks;
  PyThreadState *thread = PyEval_SaveThread();
  tilec_status status = tilec_device_open(name, &self->device);
  PyEval_RestoreThread(thread);
  if (status) {
    Py_DECREF(self);
    return raise_status(state_of_type(type), status, NULL);
  }
  const char *opened = tilec_device_name(self->device);
  bool is_gpu = strncmp(opened, "cuda:", 5) == 0;
  self->type = is_gpu ? ON_CUDA : ON_CPU;
  self->ordinal = is_gpu ? atoi(opened + 5) : 0;
  return (PyObject *)self;
}

static void device_dealloc(Device *self) {
  PyTypeObject *type = Py_TYPE(self);
  bool ours = self->forks == forks;
  for (uint32_t i = 0; i < self->stream_count && ours; i++) tilec_stream_free(self->streams[i].stream);
  free(self->streams);
  if (ours) tilec_device_close(self->device);
  PyObject_Free(self);
  Py_DECREF(type);
}

// The most recently used one comes first. None is ever released: another thread may launch on it.
static bool wrap_stream(Device *device, void *raw, struct WrappedStream *found) {
  for (uint32_t i = 0; i < device->stream_count; i++)
    if (device->streams[i].raw == raw) {
      *found = device->streams[i];
      memmove(&device->streams[1], &device->streams[0], i * sizeof *found);
      return true;
    }
  if (device->stream_count == device->stream_cap) {
    uint32_t cap = device->stream_cap ? 2 * device->stream_cap : 8;
    struct WrappedStream *grown = realloc(device->streams, cap * sizeof *grown);
    if (!grown) return PyErr_NoMemory();
    device->streams = grown;
    device->stream_cap = cap;
  }
  tilec_status status = tilec_stream_wrap(device->device, raw, &found->stream);
  if (status) return raise_status(STATE_OF(device), status, NULL);
  found->raw = raw;
  memmove(&device->streams[1], &device->streams[0], device->stream_count * sizeof *found);
  device->stream_count++;
  return true;
}

bool device_stream(Device *device, void *raw, tilec_stream **stream) {
  *stream = NULL;
  if (!raw || device->type != ON_CUDA) return true;
  struct WrappedStream found;
  if (!device->stream_count || device->streams[0].raw != raw) {
    if (!wrap_stream(device, raw, &found)) return false;
    device->streams[0] = found;
  }
  *stream = device->streams[0].stream;
  return true;
}

static Device *choose(State *state, int type, int ordinal) {
  if (!state->choose) {
    PyErr_SetString(PyExc_RuntimeError, "tilec._native was not set up: import tilec");
    return NULL;
  }
  PyObject *device = PyObject_CallFunction(state->choose, "ii", type, ordinal);
  if (!device || Py_TYPE(device) == state->device) return (Device *)device;
  PyErr_SetString(PyExc_TypeError, "choose() did not give a Device");
  Py_DECREF(device);
  return NULL;
}

Device *device_for(State *state, int type, int ordinal) {
  bool is_gpu = type == ON_CUDA || type == ON_CUDA_MANAGED || type == ON_CUDA_HOST;
  if (is_gpu && (ordinal < 0 || ordinal >= MAX_GPUS)) {
    PyErr_Format(PyExc_ValueError, "there is no GPU %d", ordinal);
    return NULL;
  }
  if (type == -1) { // what is current may change: not kept
    return choose(state, -1, 0);
  }
  Device **place = is_gpu ? &state->gpus[ordinal] : &state->cpu;
  if (!*place) {
    Device *device = choose(state, type, ordinal);
    if (!device) return NULL;
    Py_XDECREF((PyObject *)*place); // another thread may have been first
    *place = device;
  }
  return (Device *)Py_NewRef((PyObject *)*place);
}

void devices_forget(State *state) {
  Py_CLEAR(state->cpu);
  for (int i = 0; i < MAX_GPUS; i++) Py_CLEAR(state->gpus[i]);
}

static PyObject *device_synchronize(Device *self, PyObject *unused) {
  (void)unused;
  PyThreadState *thread = PyEval_SaveThread();
  tilec_status status = tilec_device_synchronize(self->device);
  PyEval_RestoreThread(thread);
  return status ? raise_status(STATE_OF(self), status, NULL) : Py_NewRef(Py_None);
}

static void mapping_free(PyObject *mapping) {
  Device *device = PyCapsule_GetContext(mapping);
  tilec_buffer *buffer = PyCapsule_GetPointer(mapping, NULL);
  if (device->forks == forks) tilec_buffer_free(buffer);
  Py_DECREF((PyObject *)device);
}

// The buffer's address and an object that keeps it. `status`: of the call that made it.
static PyObject *mapped(Device *self, tilec_status status, tilec_buffer *const *made) {
  if (status) return raise_status(STATE_OF(self), status, NULL);
  PyObject *mapping = PyCapsule_New(*made, NULL, mapping_free);
  if (!mapping) {
    tilec_buffer_free(*made);
    return NULL;
  }
  PyCapsule_SetContext(mapping, Py_NewRef((PyObject *)self));
  return Py_BuildValue("(KN)", (unsigned long long)tilec_buffer_address(*made), mapping);
}

// _map(address, bytes): (the device's address of that memory, an object that keeps the mapping).
static PyObject *device_map(Device *self, PyObject *args) {
  unsigned long long address, bytes;
  tilec_buffer *buffer;
  if (!PyArg_ParseTuple(args, "KK:_map", &address, &bytes)) return NULL;
  return mapped(self, tilec_buffer_wrap(self->device, address, (size_t)bytes, &buffer), &buffer);
}

// _multicast(mappings): the same for the multicast address of mappings of _map.
static PyObject *device_multicast(Device *self, PyObject *mappings) {
  enum { MAX_RANKS = 16 }; // as tilec_launch_options.ranks
  tilec_buffer *copies[MAX_RANKS], *buffer;
  Py_ssize_t count = PyTuple_Size(mappings);
  if (count < 0) return NULL;
  for (Py_ssize_t i = 0; i < count && i < MAX_RANKS; i++)
    if (!(copies[i] = PyCapsule_GetPointer(PyTuple_GetItem(mappings, i), NULL))) return NULL;
  return mapped(self, tilec_buffer_multicast(copies, (size_t)count, &buffer), &buffer);
}

static PyObject *device_name(Device *self, void *unused) {
  (void)unused;
  return PyUnicode_FromString(tilec_device_name(self->device));
}

static PyObject *device_arch(Device *self, void *unused) {
  (void)unused;
  return PyUnicode_FromString(tilec_device_arch(self->device));
}

static PyObject *device_repr(Device *self) {
  return PyUnicode_FromFormat("tilec.Device('%s')", tilec_device_name(self->device));
}

static PyMethodDef methods[] = {
    {"synchronize", (PyCFunction)(void (*)(void))device_synchronize, METH_NOARGS,
     "Waits until everything launched on the device is done."},
    {"_map", (PyCFunction)device_map, METH_VARARGS,
     "_map(address, bytes): (the device's address, an object that keeps the mapping)."},
    {"_multicast", (PyCFunction)device_multicast, METH_O,
     "_multicast(mappings): the same for the multicast address of mappings of _map."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getset[] = {
    {"name", (getter)(void (*)(void))device_name, NULL, "\"cuda:0\", \"sim\" or \"eval\".", NULL},
    {"arch", (getter)(void (*)(void))device_arch, NULL, "What kernels are compiled for: \"sm_90a\".", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {{Py_tp_doc,
                               "A device, by its name: \"cuda\", \"cuda:1\", \"sim\", \"eval\"; None: a "
                               "GPU if there is one, else the simulator."},
                              {Py_tp_new, device_new},
                              {Py_tp_dealloc, device_dealloc},
                              {Py_tp_repr, device_repr},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, getset},
                              {0, NULL}};

PyType_Spec device_spec = {"tilec._native.Device", sizeof(Device), 0, Py_TPFLAGS_DEFAULT, slots};
