// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call's arguments by the kernel's parameters, and the kernel that was made for its constants.
#include <stdlib.h>
#include <string.h>
#include "native.h"

// ---- binding ----

// The parameter of that name; -1: there is none. Most often it is the one after the last that was named.
static Py_ssize_t find_param(const Launcher *self, PyObject *name, Py_ssize_t guess) {
  if (guess < (Py_ssize_t)self->count && self->names[guess] == name) return guess;
  for (uint32_t i = 0; i < self->count; i++)
    if (self->names[i] == name) return i;
  for (uint32_t i = 0; i < self->state->option_count; i++) // interned, as a call's names nearly always are
    if (self->state->options[i] == name) return -1;
  for (uint32_t i = 0; i < self->count; i++)
    if (PyUnicode_Compare(self->names[i], name) == 0) return i;
  return -1;
}

static bool add_constant(Call *call, PyObject *name, PyObject *value) {
  if (call->count == MAX_CONSTANTS) {
    PyErr_SetString(PyExc_TypeError, "too many options");
    return false;
  }
  call->constants[call->count++] = (Constant){name, value, NULL, false};
  return true;
}

// A TypeError with the kernel's name before the text, which it takes. It gives false.
static bool refuse(Launcher *self, PyObject *text) {
  PyObject *kernel = text ? PyObject_GetAttrString((PyObject *)self, "__name__") : NULL;
  if (kernel)
    PyErr_Format(PyExc_TypeError, "%S: %U", kernel, text);
  else if (text)
    PyErr_SetObject(PyExc_TypeError, text);
  Py_XDECREF(kernel);
  Py_XDECREF(text);
  return false;
}

static bool place_named(Launcher *self, Call *call, PyObject *const *args, Py_ssize_t nargs,
                        PyObject *names) {
  Py_ssize_t count = names ? PyTuple_Size(names) : 0, guess = nargs;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *name = PyTuple_GetItem(names, i), *value = args[nargs + i];
    Py_ssize_t at = find_param(self, name, guess);
    if (at < 0) {
      if (!add_constant(call, name, value)) return false;
      continue;
    }
    if (call->values[at]) {
      return refuse(self, PyUnicode_FromFormat("argument '%U' is given twice", name));
    }
    call->values[at] = value;
    guess = at + 1;
  }
  return true;
}

static bool place(Launcher *self, Call *call, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  if (nargs > (Py_ssize_t)self->count) {
    return refuse(self, PyUnicode_FromFormat("%zd arguments are given, the kernel has %u parameters", nargs,
                                             self->count));
  }
  call->count = 0;
  memcpy(call->values, args, (size_t)nargs * sizeof *args);
  memset(call->values + nargs, 0, (self->count - (size_t)nargs) * sizeof *args);
  if (!place_named(self, call, args, nargs, names)) return false;
  for (uint32_t i = (uint32_t)nargs; i < self->count; i++) {
    if (!call->values[i]) call->values[i] = self->defaults[i];
    if (call->values[i]) continue;
    return refuse(self, PyUnicode_FromFormat("argument '%U' is missing", self->names[i]));
  }
  return true;
}

// Functions among the arguments are constants that no parameter has.
static bool add_functions(Call *call, const Arguments *a) {
  Py_ssize_t count = a->functions ? PyList_Size(a->functions) : 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PyList_GetItem(a->functions, i), *name = PyTuple_GetItem(item, 0);
    bool known = false;
    for (uint32_t k = 0; k < call->count; k++)
      known |= PyUnicode_Compare(call->constants[k].name, name) == 0;
    if (!known && !add_constant(call, name, PyTuple_GetItem(item, 1))) return false;
  }
  return true;
}

bool call_bind(Launcher *self, Call *call, Arguments *a, PyObject *const *args, Py_ssize_t nargs,
               PyObject *names) {
  if (!place(self, call, args, nargs, names)) return false;
  for (uint32_t i = 0; i < self->count; i++) {
    PyObject *name = self->names[i], *value = call->values[i];
    if (self->is_constexpr[i]) {
      if (!add_constant(call, name, value)) return false;
    } else if (!argument_read(self->state, a, name, value, &a->args[a->count++])) {
      return false;
    }
  }
  return add_functions(call, a);
}

void call_end(Call *call) {
  for (uint32_t i = 0; i < call->count; i++) Py_CLEAR(call->constants[i].frozen);
}

// ---- comparing constants ----

// Types that == compares within one type without calling Python code.
static bool is_plain(PyObject *value) {
  return PyLong_CheckExact(value) || PyUnicode_CheckExact(value) || value == Py_None || PyBool_Check(value);
}

// freeze(value) returns (a key of only numbers, texts and tuples; true if the object never changes its meaning).
static bool freeze(const State *state, Constant *c) {
  int fixed;
  PyObject *key, *told = PyObject_CallFunctionObjArgs(state->freeze, c->value, NULL);
  if (!told) return false;
  bool good = PyArg_ParseTuple(told, "Op:freeze", &key, &fixed);
  if (good) {
    c->frozen = Py_NewRef(key);
    c->is_fixed = fixed;
  }
  Py_DECREF(told);
  return good;
}

// All that comparing needs, so that no Python code runs while entries are compared. Most often the constants are
// those of the last launch.
static bool freeze_all(const Launcher *self, Call *call) {
  for (uint32_t i = 0; i < call->count; i++) {
    Constant *c = &call->constants[i];
    if (is_plain(c->value)) continue;
    const Constant *last = self->entries && i < self->entries->count ? &self->entries->constants[i] : NULL;
    if (last && last->value == c->value && last->is_fixed) {
      c->frozen = Py_NewRef(last->frozen);
      c->is_fixed = true;
    } else if (!freeze(self->state, c)) {
      return false;
    }
  }
  return true;
}

// 1, 0, or -1 for an exception.
static int same_constant(const Constant *old, const Constant *given) {
  if (old->name != given->name && PyUnicode_Compare(old->name, given->name) != 0) return 0;
  if (old->value == given->value && (!given->frozen || given->is_fixed)) return 1;
  if (Py_TYPE(old->value) != Py_TYPE(given->value)) return 0;
  return given->frozen ? PyObject_RichCompareBool(old->frozen, given->frozen, Py_EQ)
                       : PyObject_RichCompareBool(old->value, given->value, Py_EQ);
}

static int same_call(const Entry *entry, const Call *call, const Device *device) {
  if (entry->device != device || entry->count != call->count) return 0;
  for (uint32_t i = 0; i < entry->count; i++) {
    int same = same_constant(&entry->constants[i], &call->constants[i]);
    if (same != 1) return same;
  }
  return 1;
}

// The current value of (owner, name): a dict's item, a cell's contents, an attribute. New; NULL
// without an exception: nothing.
static PyObject *watched_value(PyObject *owner, PyObject *name) {
  if (PyDict_CheckExact(owner)) {
    PyObject *value = PyDict_GetItemWithError(owner, name);
    return value ? Py_NewRef(value) : NULL;
  }
  PyObject *value =
      name == Py_None ? PyObject_GetAttrString(owner, "cell_contents") : PyObject_GetAttr(owner, name);
  if (!value) PyErr_Clear();
  return value;
}

// True if everything that the source was made from is unchanged.
static bool unchanged(PyObject *watched) {
  Py_ssize_t count = PyTuple_Size(watched);
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PyTuple_GetItem(watched, i), *old = PyTuple_GetItem(item, 2);
    PyObject *value = watched_value(PyTuple_GetItem(item, 0), PyTuple_GetItem(item, 1));
    int same = value == old;
    if (!same && value && Py_TYPE(value) == Py_TYPE(old)) same = PyObject_RichCompareBool(value, old, Py_EQ);
    if (same < 0) PyErr_Clear(); // what cannot be compared is taken for another
    Py_XDECREF(value);
    if (same != 1) return false;
  }
  return true;
}

// ---- entries ----

static void entry_free(Entry *entry) {
  for (uint32_t i = 0; i < entry->count; i++) {
    Py_DECREF(entry->constants[i].name);
    Py_DECREF(entry->constants[i].value);
    Py_XDECREF(entry->constants[i].frozen);
  }
  Py_XDECREF(entry->device);
  Py_XDECREF(entry->kernel);
  Py_XDECREF(entry->watched);
  free(entry);
}

void entries_free(Entry *entries) {
  while (entries) {
    Entry *next = entries->next;
    entry_free(entries);
    entries = next;
  }
}

int entries_visit(const Entry *entries, visitproc visit, void *arg) {
  for (; entries; entries = entries->next) {
    Py_VISIT(entries->watched);
    for (uint32_t i = 0; i < entries->count; i++) {
      Py_VISIT(entries->constants[i].value);
      Py_VISIT(entries->constants[i].frozen);
    }
  }
  return 0;
}

static Entry *entry_new(const Call *call, Device *device, Kernel *kernel, PyObject *watched) {
  Entry *entry = calloc(1, sizeof *entry + call->count * sizeof *entry->constants);
  if (!entry) {
    PyErr_NoMemory();
    return NULL;
  }
  entry->device = (Device *)Py_NewRef((PyObject *)device);
  entry->kernel = (Kernel *)Py_NewRef((PyObject *)kernel);
  entry->watched = Py_NewRef(watched);
  for (uint32_t i = 0; i < call->count; i++) {
    Constant *c = &entry->constants[i];
    *c = call->constants[i];
    Py_INCREF(c->name);
    Py_INCREF(c->value);
    Py_XINCREF(c->frozen);
    entry->count++;
  }
  return entry;
}

static PyObject *constants_dict(const Launcher *self, const Call *call, bool options) {
  PyObject *dict = PyDict_New();
  for (uint32_t i = 0; dict && i < call->count; i++) {
    bool is_option = find_param(self, call->constants[i].name, 0) < 0;
    if (is_option != options) continue;
    if (PyDict_SetItem(dict, call->constants[i].name, call->constants[i].value) < 0) Py_CLEAR(dict);
  }
  return dict;
}

// self._specialise(constexprs, options, device) gives (kernel, watched).
static Entry *make_entry(Launcher *self, const Call *call, Device *device) {
  PyObject *kernel, *watched;
  PyObject *constexprs = constants_dict(self, call, false);
  PyObject *options = constexprs ? constants_dict(self, call, true) : NULL;
  PyObject *told =
      options ? PyObject_CallMethod((PyObject *)self, "_specialise", "OOO", constexprs, options, device)
              : NULL;
  Entry *entry = NULL;
  if (told &&
      PyArg_ParseTuple(told, "O!O!:_specialise", self->state->kernel, &kernel, &PyTuple_Type, &watched))
    entry = entry_new(call, device, (Kernel *)kernel, watched);
  Py_XDECREF(constexprs);
  Py_XDECREF(options);
  Py_XDECREF(told);
  return entry;
}

// Links to the entry of the call; to NULL: there is none.
static Entry **find_entry(Launcher *self, const Call *call, const Device *device) {
  Entry **at = &self->entries;
  while (*at) {
    int same = same_call(*at, call, device);
    if (same < 0) return NULL;
    if (same) break;
    at = &(*at)->next;
  }
  return at;
}

static void move_to_front(Launcher *self, Entry **at) {
  Entry *entry = *at;
  *at = entry->next;
  entry->next = self->entries;
  self->entries = entry;
}

// The call's kernel as it was made. New; NULL without an exception: there is none, or what it was made from is no
// longer so. Other threads may use the launcher while Python code looks at that.
static Kernel *known_kernel(Launcher *self, const Call *call, const Device *device) {
  for (;;) {
    Entry **at = find_entry(self, call, device);
    if (!at || !*at) return NULL;
    if (at != &self->entries) move_to_front(self, at);
    Entry *entry = self->entries;
    Kernel *kernel = (Kernel *)Py_NewRef((PyObject *)entry->kernel);
    if (PyTuple_Size(entry->watched) == 0) return kernel;
    uint64_t drops = self->drops;
    PyObject *watched = Py_NewRef(entry->watched);
    bool current = unchanged(watched);
    Py_DECREF(watched);
    if (current) return kernel;
    Py_DECREF(kernel);
    if (drops != self->drops || self->entries != entry) continue;
    self->entries = entry->next;
    self->drops++;
    entry_free(entry);
    return NULL;
  }
}

void call_forget(Launcher *self, const Kernel *kernel) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  for (Entry **at = &self->entries; *at;) {
    Entry *entry = *at;
    if (entry->kernel != kernel) {
      at = &entry->next;
      continue;
    }
    *at = entry->next;
    self->drops++;
    entry_free(entry);
  }
  PyObject *done = PyObject_CallMethod((PyObject *)self, "_drop", "O", kernel);
  if (!done) PyErr_WriteUnraisable((PyObject *)self);
  Py_XDECREF(done);
  PyErr_Restore(type, value, trace);
}

Kernel *call_kernel(Launcher *self, Call *call, Device *device) {
  if (!freeze_all(self, call)) return NULL;
  Kernel *kernel = known_kernel(self, call, device);
  if (kernel || PyErr_Occurred()) return kernel;
  Entry *made = make_entry(self, call, device);
  if (!made) return NULL;
  made->next = self->entries;
  self->entries = made;
  return (Kernel *)Py_NewRef((PyObject *)made->kernel);
}
