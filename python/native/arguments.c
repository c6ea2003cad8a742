// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python values as arguments of a launch. tilec/_arrays.py is asked once about each type. The
// answer is kept by the type.
#include <stdlib.h>
#include <string.h>
#include "native.h"

void arguments_begin(Arguments *a) {
  a->count = a->tensor_count = a->dim_count = a->item_count = 0;
  a->tuple_count = a->descriptor_count = a->name_count = 0;
  a->device_type = -1;
  a->device_id = 0;
  a->api = NULL;
  a->first = a->kept = a->functions = NULL;
  a->on_host = a->on_gpu = a->sized = false;
}

void arguments_end(Arguments *a) {
  Py_CLEAR(a->kept);
  Py_CLEAR(a->functions);
}

// ---- types ----

static size_t hash_pointer(const void *pointer) {
  return ((uintptr_t)pointer >> 4) * 0x9E3779B97F4A7C15u >> 32;
}

static ValueType *find_type(const State *state, const PyObject *type) {
  size_t mask = state->type_cap - 1, at = hash_pointer(type) & mask;
  while (state->types[at].type && state->types[at].type != type) at = (at + 1) & mask;
  return &state->types[at];
}

static bool grow_types(State *state) {
  if (state->type_count * 2 < state->type_cap) return true;
  State old = *state;
  state->type_cap = old.type_cap ? 2 * old.type_cap : 32;
  state->types = calloc(state->type_cap, sizeof *state->types);
  if (!state->types) {
    *state = old;
    PyErr_NoMemory();
    return false;
  }
  for (uint32_t i = 0; i < old.type_cap; i++)
    if (old.types[i].type) *find_type(state, old.types[i].type) = old.types[i];
  free(old.types);
  return true;
}

void types_clear(State *state) {
  for (uint32_t i = 0; i < state->type_cap; i++) {
    Py_XDECREF(state->types[i].type);
    Py_XDECREF(state->types[i].function);
  }
  free(state->types);
  state->types = NULL;
  state->type_count = state->type_cap = 0;
}

// NULL: the capsule has none that is known here.
static const ExchangeApi *exchange_api(PyObject *capsule) {
  const ExchangeApi *api = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
  if (!api) PyErr_Clear();
  while (api && api->version.major > 1) api = api->previous;
  return api && api->version.major == 1 && api->tensor_of ? api : NULL;
}

// Reads the result of classify(type, functions): (kind, a function or the type's capsule). false:
// an exception.
static bool classify(State *state, PyObject *type, PyObject *functions, ValueType *entry) {
  int kind;
  PyObject *with;
  PyObject *told = PyObject_CallFunctionObjArgs(state->classify, type, functions, NULL);
  bool good = told && PyArg_ParseTuple(told, "iO:classify", &kind, &with);
  if (good) {
    *entry = (ValueType){.kind = (ValueKind)kind};
    if (kind == VALUE_EXCHANGE)
      entry->api = exchange_api(with);
    else
      entry->function = Py_NewRef(with);
  }
  Py_XDECREF(told);
  return good;
}

static ValueType *add_type(State *state, PyObject *type) {
  ValueType made;
  if (!classify(state, type, Py_True, &made)) return NULL;
  if (made.kind == VALUE_EXCHANGE && !made.api && !classify(state, type, Py_False, &made)) return NULL;
  if (!grow_types(state)) {
    Py_XDECREF(made.function);
    return NULL;
  }
  ValueType *entry = find_type(state, type);
  if (entry->type) { // another thread has asked too
    Py_XDECREF(made.function);
    return entry;
  }
  *entry = made;
  entry->type = Py_NewRef(type);
  state->type_count++;
  return entry;
}

static const ValueType *type_of(State *state, PyObject *value) {
  PyObject *type = (PyObject *)Py_TYPE(value);
  if (state->type_cap) {
    const ValueType *found = find_type(state, type);
    if (found->type) return found;
  }
  return add_type(state, type);
}

// ---- arrays ----

// Not counted yet; NULL: an exception.
static struct ArrayArg *new_array(Arguments *a) {
  if (a->tensor_count < MAX_GIVEN_PARAMS) return &a->tensors[a->tensor_count];
  PyErr_SetString(PyExc_ValueError, "the arguments have too many arrays");
  return NULL;
}

static void saw_array(Arguments *a, PyObject *value, const ExchangeApi *api, int type, int id) {
  bool on_gpu = type == ON_CUDA || type == ON_CUDA_MANAGED;
  *(on_gpu ? &a->on_gpu : &a->on_host) = true;
  if (a->device_type != -1 && (!on_gpu || a->device_type == ON_CUDA)) return;
  a->device_type = on_gpu ? ON_CUDA : type;
  a->device_id = id;
  a->api = api;
  a->first = value;
}

int tensor_dtype(const Tensor *t) {
  if (t->lanes != 1) return -1;
  switch (t->code << 8 | t->bits) {
  case 0x008: return TILEC_I8;
  case 0x010: return TILEC_I16;
  case 0x020: return TILEC_I32;
  case 0x040: return TILEC_I64;
  case 0x108: return TILEC_U8;
  case 0x110: return TILEC_U16;
  case 0x120: return TILEC_U32;
  case 0x140: return TILEC_U64;
  case 0x210: return TILEC_FP16;
  case 0x220: return TILEC_FP32;
  case 0x240: return TILEC_FP64;
  case 0x410: return TILEC_BF16;
  case 0x608: return TILEC_I1;
  case 0xA08: return TILEC_FP8E4NV;
  case 0xC08: return TILEC_FP8E5;
  default: return -1;
  }
}

static bool wrong_dtype(PyObject *name, PyObject *value) {
  PyObject *dtype = PyObject_GetAttrString(value, "dtype");
  if (!dtype) PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "argument '%U': kernels have no pointers to %S", name,
               dtype ? dtype : Py_None);
  Py_XDECREF(dtype);
  return false;
}

// The library's own exception is the cause.
static bool no_address(PyObject *name, PyObject *value) {
  PyObject *type, *error, *trace, *type2, *error2, *trace2;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  PyErr_Format(PyExc_TypeError, "argument '%U': this %R has no memory that a kernel can be given", name,
               (PyObject *)Py_TYPE(value));
  PyErr_Fetch(&type2, &error2, &trace2);
  PyErr_NormalizeException(&type2, &error2, &trace2);
  PyException_SetCause(error2, Py_XNewRef(error));
  PyErr_Restore(type2, error2, trace2);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
  return false;
}

static bool read_tensor(Arguments *a, PyObject *name, PyObject *value, const ExchangeApi *api,
                        tilec_arg *out) {
  struct ArrayArg *array = new_array(a);
  if (!array) return false;
  Tensor *t = &array->tensor;
  if (api->tensor_of(value, t) < 0) return no_address(name, value);
  int dtype = tensor_dtype(t);
  if (dtype < 0) return wrong_dtype(name, value);
  saw_array(a, value, api, t->device_type, t->device_id);
  array->arg = out;
  a->tensor_count++;
  *out = tilec_arg_pointer((tilec_dtype)dtype, (uint64_t)(uintptr_t)t->data + t->byte_offset);
  return true;
}

// The tilec_dtype of an array's dtype object; -1: an exception.
static int dtype_of_object(State *state, PyObject *dtype) {
  PyObject *known = PyDict_GetItemWithError(state->dtypes, dtype);
  if (known) return (int)PyLong_AsLong(known);
  if (PyErr_Occurred()) return -1;
  known = PyObject_CallFunctionObjArgs(state->dtype_of, dtype, NULL);
  if (!known) return -1;
  int result = (int)PyLong_AsLong(known);
  if (PyDict_SetItem(state->dtypes, dtype, known) < 0) result = -1;
  Py_DECREF(known);
  return result;
}

// `count` numbers of a tuple into the room for sizes and strides; NULL: an exception.
static int64_t *read_dims(Arguments *a, PyObject *tuple, Py_ssize_t count) {
  int64_t *dims = &a->dims[a->dim_count];
  if (count < 0) return NULL;
  if (a->dim_count + (size_t)count > MAX_DIMS) {
    PyErr_SetString(PyExc_ValueError, "the arguments' arrays have too many dimensions");
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PyTuple_GetItem(tuple, i);
    dims[i] = item ? PyLong_AsLongLong(item) : -1;
    if (dims[i] == -1 && PyErr_Occurred()) return NULL;
  }
  a->dim_count += (uint32_t)count;
  return dims;
}

static bool append_pair(PyObject **list, PyObject *name, PyObject *object) {
  if (!*list) *list = PyList_New(0);
  PyObject *item = *list ? PyTuple_Pack(2, name, object) : NULL;
  bool good = item && PyList_Append(*list, item) == 0;
  Py_XDECREF(item);
  return good;
}

static bool keep_object(Arguments *a, PyObject *name, PyObject *object) {
  return append_pair(&a->kept, name, object);
}

// Reads the result of describe(value): (address, dtype, device type, device number, sizes, strides
// in elements, the object that must stay alive). If sizes are None, the extent is not known, so it
// is a bare address.
static bool read_described(Arguments *a, PyObject *name, PyObject *value, PyObject *describe,
                           tilec_arg *out) {
  unsigned long long address;
  int dtype, type, id;
  PyObject *sizes, *strides, *keep;
  PyObject *told = PyObject_CallFunctionObjArgs(describe, value, NULL);
  if (!told) return false;
  bool good =
      PyArg_ParseTuple(told, "KiiiOOO:describe", &address, &dtype, &type, &id, &sizes, &strides, &keep);
  if (good && dtype < 0) good = wrong_dtype(name, value);
  if (good && sizes != Py_None) {
    struct ArrayArg *array = new_array(a);
    Py_ssize_t rank = PyTuple_Size(sizes);
    int64_t *shape = array ? read_dims(a, sizes, rank) : NULL,
            *steps = shape ? read_dims(a, strides, rank) : NULL;
    good = steps != NULL;
    if (good) {
      array->arg = out;
      array->tensor = (Tensor){(void *)(uintptr_t)address, type, id, (int32_t)rank, 0, 0, 1, shape, steps, 0};
      a->tensor_count++;
    }
  }
  if (good) {
    if (address || sizes != Py_None) saw_array(a, value, NULL, type, id);
    *out = tilec_arg_pointer((tilec_dtype)dtype, address);
    if (keep != Py_None) good = keep_object(a, name, keep);
  }
  Py_DECREF(told);
  return good;
}

// An array of a library without the C functions: by its methods, where it is on a GPU.
static bool read_pointer(State *state, Arguments *a, PyObject *name, PyObject *value, PyObject *describe,
                         tilec_arg *out) {
  PyObject *where = a->sized ? NULL : PyObject_CallMethodObjArgs(value, state->str_get_device, NULL);
  long id = where ? PyLong_AsLong(where) : -1;
  Py_XDECREF(where);
  if (id < 0) {
    PyErr_Clear();
    return read_described(a, name, value, describe, out);
  }
  PyObject *at = PyObject_CallMethodObjArgs(value, state->str_data_ptr, NULL);
  PyObject *dtype = at ? PyObject_GetAttr(value, state->str_dtype) : NULL;
  unsigned long long address = dtype ? PyLong_AsUnsignedLongLong(at) : 0;
  int code = dtype && !PyErr_Occurred() ? dtype_of_object(state, dtype) : -1;
  Py_XDECREF(at);
  Py_XDECREF(dtype);
  if (PyErr_Occurred()) return false;
  if (code < 0) return wrong_dtype(name, value);
  saw_array(a, value, NULL, ON_CUDA, (int)id);
  *out = tilec_arg_pointer((tilec_dtype)code, address);
  return true;
}

// DLPack's code and bits, so that the library finds the dtype again.
static void set_element(Tensor *t, tilec_dtype dtype) {
  static const uint8_t codes[] = {
      [TILEC_I1] = 6,       [TILEC_I8] = 0,     [TILEC_I16] = 0,  [TILEC_I32] = 0,  [TILEC_I64] = 0,
      [TILEC_U8] = 1,       [TILEC_U16] = 1,    [TILEC_U32] = 1,  [TILEC_U64] = 1,  [TILEC_FP16] = 2,
      [TILEC_FP8E4NV] = 10, [TILEC_FP8E5] = 12, [TILEC_BF16] = 4, [TILEC_FP32] = 2, [TILEC_FP64] = 2};
  t->code = codes[dtype];
  t->bits = (uint8_t)(8 * tilec_dtype_bytes(dtype));
}

void arguments_as_tensors(Arguments *a) {
  for (uint32_t i = 0; i < a->tensor_count; i++) {
    struct ArrayArg *array = &a->tensors[i];
    array->dtype = array->arg->dtype;
    set_element(&array->tensor, array->dtype);
    *array->arg = tilec_arg_dl(&array->tensor);
  }
}

// ---- numbers ----

static bool read_int(PyObject *name, PyObject *value, tilec_arg *out) {
  int overflow;
  long long i = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow > 0) {
    unsigned long long u = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred()) {
      *out = tilec_arg_uint(u);
      return true;
    }
    PyErr_Clear();
  }
  if (overflow) {
    PyErr_Format(PyExc_OverflowError, "argument '%U': %S is beyond 64 bits", name, value);
    return false;
  }
  if (i == -1 && PyErr_Occurred()) return false;
  *out = tilec_arg_int(i);
  return true;
}

static bool read_float(PyObject *value, tilec_arg *out) {
  double f = PyFloat_AsDouble(value);
  if (f == -1 && PyErr_Occurred()) return false;
  *out = tilec_arg_float(f);
  return true;
}

// ---- constants, tuples, descriptors ----

static bool no_room(const char *what) {
  PyErr_Format(PyExc_ValueError, "the arguments have too many %s", what);
  return false;
}

// The text of a compiled-in value. constant(name, value) returns (text, the function that it names
// or None).
static bool read_constant(const State *state, Arguments *a, PyObject *name, PyObject *value, tilec_arg *out) {
  PyObject *text, *function, *told = PyObject_CallFunctionObjArgs(state->constant, name, value, NULL);
  bool good = told && PyArg_ParseTuple(told, "UO:constant", &text, &function);
  const char *utf8 = good ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  good = utf8 && keep_object(a, name, text);
  if (good && function != Py_None) good = append_pair(&a->functions, text, function);
  if (good) *out = tilec_arg_constexpr(utf8);
  Py_XDECREF(told);
  return good;
}

static bool read_names(Arguments *a, PyObject *fields, Py_ssize_t count, tilec_tuple *tuple) {
  const char **names = &a->names[a->name_count];
  if (!PyTuple_Check(fields) || PyTuple_Size(fields) != count) return true;
  if (a->name_count + count > MAX_ITEMS) return no_room("names");
  for (Py_ssize_t i = 0; i < count; i++)
    if (!(names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(fields, i), NULL))) return false;
  a->name_count += (uint32_t)count;
  tuple->names = names;
  return true;
}

static bool read_tuple(State *state, Arguments *a, PyObject *name, PyObject *value, tilec_arg *out) {
  Py_ssize_t count = PyTuple_Size(value);
  if (a->tuple_count == MAX_TUPLES || a->item_count + count > MAX_ITEMS) return no_room("items of tuples");
  tilec_arg *items = &a->items[a->item_count];
  tilec_tuple *tuple = &a->tuples[a->tuple_count++];
  a->item_count += (uint32_t)count;
  *tuple = (tilec_tuple){sizeof *tuple, items, (size_t)count, NULL};
  for (Py_ssize_t i = 0; i < count; i++)
    if (!argument_read(state, a, name, PyTuple_GetItem(value, i), &items[i])) return false;
  *out = tilec_arg_tuple(tuple);
  if (PyTuple_CheckExact(value)) return true;
  PyObject *fields = PyObject_GetAttrString(value, "_fields");
  if (!fields) PyErr_Clear();
  bool good = !fields || read_names(a, fields, count, tuple); // the type keeps them
  Py_XDECREF(fields);
  return good;
}

// The numbers of an attribute that is a sequence; *rank is how many there are, or 0 before the first.
static bool read_numbers(PyObject *object, const char *attribute, uint32_t *rank, int64_t *numbers) {
  PyObject *list = PyObject_GetAttrString(object, attribute);
  PyObject *tuple = list ? PySequence_Tuple(list) : NULL;
  Py_ssize_t count = tuple ? PyTuple_Size(tuple) : 0;
  bool good = tuple != NULL;
  if (good && (count < 1 || count > TILEC_MAX_RANK || (*rank && count != (Py_ssize_t)*rank))) {
    PyErr_Format(PyExc_ValueError, "a tensor descriptor's %s has %zd numbers", attribute, count);
    good = false;
  }
  *rank = (uint32_t)count;
  for (Py_ssize_t i = 0; good && i < count; i++) {
    PyObject *index = PyNumber_Index(PyTuple_GetItem(tuple, i));
    numbers[i] = index ? PyLong_AsLongLong(index) : -1;
    Py_XDECREF(index);
    good = !PyErr_Occurred();
  }
  Py_XDECREF(list);
  Py_XDECREF(tuple);
  return good;
}

static bool read_padding(PyObject *object, tilec_padding *padding) {
  PyObject *value = PyObject_GetAttrString(object, "padding");
  if (!value) {
    PyErr_Clear(); // of a Triton that has none
    return true;
  }
  if (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "nan") == 0)
    *padding = TILEC_PADDING_NAN;
  Py_DECREF(value);
  return true;
}

// True if loads round fp32 to tf32. Triton has such descriptors from 3.7 on.
static bool read_rounding(PyObject *object, tilec_padding *padding) {
  PyObject *value = PyObject_GetAttrString(object, "round_f32_to_tf32");
  int rounds = value ? PyObject_IsTrue(value) : 0;
  if (!value) PyErr_Clear();
  Py_XDECREF(value);
  if (rounds > 0) *padding = (tilec_padding)(*padding | TILEC_PADDING_ZERO_TF32);
  return rounds >= 0;
}

// Objects with base, shape, strides and block_shape, like Triton's TensorDescriptor.
static bool read_descriptor(State *state, Arguments *a, PyObject *name, PyObject *value, tilec_arg *out) {
  static const tilec_descriptor none = TILEC_DESCRIPTOR_INIT;
  if (a->descriptor_count == MAX_DESCRIPTORS) return no_room("tensor descriptors");
  tilec_descriptor *d = &a->descriptors[a->descriptor_count++];
  int64_t block[TILEC_MAX_RANK] = {0};
  *d = none;
  PyObject *base = PyObject_GetAttrString(value, "base");
  bool good = base && argument_read(state, a, name, base, &d->base) && keep_object(a, name, base) &&
              read_numbers(value, "shape", &d->rank, d->shape) &&
              read_numbers(value, "strides", &d->rank, d->strides) &&
              read_numbers(value, "block_shape", &d->rank, block) && read_padding(value, &d->padding) &&
              read_rounding(value, &d->padding);
  Py_XDECREF(base);
  if (!good) return false;
  for (uint32_t i = 0; i < d->rank; i++)
    d->block[i] = block[i] < 0 || block[i] > UINT32_MAX ? 0 : (uint32_t)block[i];
  *out = tilec_arg_descriptor(d);
  return true;
}

static bool read_by_type(State *state, Arguments *a, PyObject *name, PyObject *value, tilec_arg *out) {
  const ValueType *type = type_of(state, value);
  if (!type) return false;
  switch (type->kind) {
  case VALUE_EXCHANGE: return read_tensor(a, name, value, type->api, out);
  case VALUE_POINTER: return read_pointer(state, a, name, value, type->function, out);
  case VALUE_ARRAY: return read_described(a, name, value, type->function, out);
  case VALUE_FLOAT: return read_float(value, out);
  case VALUE_TUPLE: return read_tuple(state, a, name, value, out);
  case VALUE_DESCRIPTOR: return read_descriptor(state, a, name, value, out);
  case VALUE_CONSTANT: return read_constant(state, a, name, value, out);
  case VALUE_INT: {
    PyObject *index = PyNumber_Index(value);
    bool good = index && read_int(name, index, out);
    Py_XDECREF(index);
    return good;
  }
  case VALUE_BOOL: {
    int truth = PyObject_IsTrue(value);
    if (truth >= 0) *out = tilec_arg_bool(truth);
    return truth >= 0;
  }
  case VALUE_UNKNOWN: break;
  }
  PyErr_Format(
      PyExc_TypeError,
      "argument '%U': a kernel takes no %R; it takes arrays, int, float, bool, None, tuples of them and "
      "tensor descriptors",
      name, (PyObject *)Py_TYPE(value));
  return false;
}

bool argument_read(State *state, Arguments *a, PyObject *name, PyObject *value, tilec_arg *out) {
  if (PyLong_CheckExact(value)) return read_int(name, value, out);
  if (value == Py_None) {
    *out = tilec_arg_none();
    return true;
  }
  if (PyFloat_CheckExact(value)) return read_float(value, out);
  if (value == Py_True || value == Py_False) {
    *out = tilec_arg_bool(value == Py_True);
    return true;
  }
  return read_by_type(state, a, name, value, out);
}
