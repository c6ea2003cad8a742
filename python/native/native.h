// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec._native: libtilec for Python, by the limited API of CPython 3.10, so that one build serves every later one.
// All that is decided once a kernel or a type is decided in Python (tilec/_jit.py, tilec/_arrays.py); all that is done
// at each launch is done here. The GIL is held but for the library's own calls that may take long.
#ifndef TILEC_PYTHON_NATIVE_H
#define TILEC_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h> // after Python.h

#include <stdbool.h>
#include "tilec/tilec.h"
#include "tilec/tune.h"

enum { MAX_ITEMS = 256, MAX_TUPLES = 64, MAX_DESCRIPTORS = 32 };
enum { MAX_GIVEN_PARAMS = 256, MAX_OPTIONS = 16, MAX_DIMS = 2048, MAX_GPUS = 16 };

// A DLTensor of dlpack.h.
typedef struct Tensor {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape;
  int64_t *strides; // in elements; NULL: compact, in row-major order
  uint64_t byte_offset;
} Tensor;

// The element's tilec_dtype; -1: it is none of them.
int tensor_dtype(const Tensor *t);
// Where its first byte is, and how many there are from there to its last.
uint64_t tensor_memory(const Tensor *t, uint64_t *bytes);
// The facts of a __dlpack__() capsule that the describing functions of tilec/_arrays.py return.
PyObject *dlpack_read(PyObject *module, PyObject *capsule);

enum { ON_CPU = 1, ON_CUDA = 2, ON_CUDA_HOST = 3, ON_CUDA_MANAGED = 13 };

// dlpack.h's table of C functions that a type of arrays has as __dlpack_c_exchange_api__.
typedef struct ExchangeApi {
  struct {
    uint32_t major, minor;
  } version;
  struct ExchangeApi *previous;
  void *allocate, *export_managed, *import_managed;
  int (*tensor_of)(void *object,
                   Tensor *tensor); // shape and strides live as long as the object; -1: an exception
  int (*current_stream)(int32_t device_type, int32_t device_id, void **stream);
} ExchangeApi;

// How values of a type become arguments (tilec/_arrays.py says which).
typedef enum ValueKind {
  VALUE_UNKNOWN,
  VALUE_EXCHANGE, // arrays, by their ExchangeApi
  VALUE_POINTER,  // by data_ptr(), dtype and device
  VALUE_ARRAY,    // by a Python function that describes them
  VALUE_INT,      // by __index__
  VALUE_FLOAT,    // by __float__
  VALUE_BOOL,     // by their truth
  VALUE_TUPLE,
  VALUE_DESCRIPTOR, // of tensors, made on the host
  VALUE_CONSTANT,   // none of these: what it is is compiled in
} ValueKind;

typedef struct ValueType {
  PyObject *type; // held
  ValueKind kind;
  const ExchangeApi *api;
  PyObject *function; // held, or NULL
} ValueType;

// The module's state: one an interpreter.
typedef struct State {
  PyTypeObject *device, *program, *kernel, *launcher, *launched, *compiled;
  PyTypeObject *handle;    // Launched or what Python made of it: what a launch returns.
  PyObject *classify;      // Tilec._arrays.classify.
  PyObject *dtypes;        // A dict: an array's dtype to a tilec_dtype as int.
  PyObject *dtype_of;      // Tilec._arrays.dtype_of, for what the dict lacks.
  PyObject *launched_with; // Tilec._arrays.launched_with: looks at an Arguments' kept after the launch.
  PyObject *constant;      // Tilec._arrays.constant_text: a constant as the language writes it.
  PyObject *freeze;        // Tilec._jit.freeze.
  PyObject *failed;        // Tilec._errors.failed.
  PyObject *warned;        // Tilec._errors.warned.
  PyObject *choose;        // Tilec._devices.choose: the Device for arrays of a DLPack device type and number.
  PyObject
      *stream_of; // tilec._devices.stream_of: the current CUstream as int, of the library that an array is of
  PyObject *enter, *leave; // hooks of every launch; NULL: none
  PyObject *str_data_ptr, *str_dtype, *str_get_device;
  ValueType *types; // open addressing by the type's address; a power of two
  uint32_t type_count, type_cap;
  PyObject *options[MAX_OPTIONS]; // names of options, interned, that no parameter of a kernel can have
  uint32_t option_count;
  bool checks;                         // each launch goes to its launcher's _elsewhere first
  struct Device *cpu, *gpus[MAX_GPUS]; // what choose gave; held
} State;

State *state_of_type(PyTypeObject *type);
#define STATE_OF(object) state_of_type(Py_TYPE(object))

// ---- errors ----

// The library's last error as an exception. `given`: a dict of a launch's arguments, or NULL. NULL.
PyObject *raise_status(const State *state, tilec_status status, PyObject *given);
// As a list of tuples (severity, file, line, column, length, text, parent).
PyObject *diagnostics_list(const tilec_diagnostics *list);
PyObject *diagnostic_tuple(const tilec_diagnostic *diagnostic);

// ---- devices ----

typedef struct Device {
  PyObject ob_base;
  tilec_device *device;
  uint32_t forks;    // when it was opened
  int type, ordinal; // ON_CPU or ON_CUDA, and its number
  struct WrappedStream {
    void *raw;
    tilec_stream *stream;
  } * streams; // what was used last is first
  uint32_t stream_count, stream_cap;
} Device;

extern PyType_Spec device_spec;

// The number of forks that led to this process since the module was loaded. Objects from before
// belong to the parent. They are not touched, because their locks may be held and their driver does
// not work here.
uint32_t forks_count(void);
bool forks_watch(void); // false: an exception

// The caller's CUstream as a stream of the device; NULL for the default one. false: an exception.
bool device_stream(Device *device, void *raw, tilec_stream **stream);
// New: the device for arrays of a DLPack device type and number (type -1: there are no arrays). NULL: an exception.
Device *device_for(State *state, int type, int ordinal);
// The chosen devices are requested again.
void devices_forget(State *state);

// ---- programs, kernels ----

// The library's options, as a dict gives them; the texts are the dict's, the array of defines is to be freed.
typedef struct Options {
  tilec_compile_options options;
  const char **defines;
} Options;

bool options_read(PyObject *dict, Options *out); // false: an exception, and nothing is to be freed

typedef struct Program {
  PyObject ob_base;
  tilec_program *program;
} Program;

typedef struct Kernel {
  PyObject ob_base;
  tilec_kernel *kernel;
  uint32_t forks;     // when it was made
  Device *device;     // held
  Program *program;   // held
  PyObject *options;  // the dict that it was made with
  PyObject *logged;   // a list of diagnostics, filled by compiles
  bool made, refused; // something of it was compiled; its last compile failed
} Kernel;

extern PyType_Spec program_spec, kernel_spec, compiled_spec;

// Warns of what compiles logged since, and prints what static_print says, unless it is silent. false: a warning became
// an exception.
bool kernel_warn(const State *state, Kernel *kernel, bool silent);

// ---- arguments ----

// One launch's arguments. Only the parts that the counts cover are set.
typedef struct Arguments {
  uint32_t count, tensor_count, dim_count, item_count, tuple_count, descriptor_count, name_count;
  int device_type, device_id; // The first array's on a GPU, else the first array's; -1: there is none.
  const ExchangeApi *api;     // The first array's on a GPU; NULL: it has none.
  PyObject *first;            // The first array; borrowed.
  bool on_host, on_gpu;       // There are arrays there.
  bool sized;                 // Arrays' sizes are requested, even if they are expensive.
  PyObject *kept; // A list of (parameter, the object that must live until the launch is done); NULL: nothing.
  PyObject *functions; // A list of (name, function): the names that constants have for functions; NULL: none.
  tilec_arg args[MAX_GIVEN_PARAMS];
  struct ArrayArg {
    tilec_arg *arg; // of `args`, `items` or a descriptor
    tilec_dtype dtype;
    Tensor tensor;
  } tensors[MAX_GIVEN_PARAMS]; // of the arrays, in order
  int64_t dims[MAX_DIMS];      // sizes and strides of those that have none in memory
  tilec_arg items[MAX_ITEMS];
  tilec_tuple tuples[MAX_TUPLES];
  tilec_descriptor descriptors[MAX_DESCRIPTORS];
  const char *names[MAX_ITEMS];
} Arguments;

void arguments_begin(Arguments *a);
void arguments_end(Arguments *a);
// The value that the parameter `name` is given, or an item of it. false: an exception.
bool argument_read(State *state, Arguments *a, PyObject *name, PyObject *value, tilec_arg *out);
// The arrays as DLPack tensors, which is what a device on this CPU takes.
void arguments_as_tensors(Arguments *a);
// The table of types is emptied.
void types_clear(State *state);

// ---- interrupts ----

// For tilec_launch_options.cancel, until interrupt_end: what Ctrl-C makes other than 0. NULL: nothing to watch.
const int *interrupt_begin(void);
// false: it was pressed, and Python's handler raised an exception.
bool interrupt_end(const int *cancelled);

// ---- launching ----

// A constexpr or an option as given to a launch, and its value in comparisons.
typedef struct Constant {
  PyObject *name, *value; // held in an entry, borrowed in a call
  PyObject
      *frozen;   // of what is no plain number or text: a key of equal meaning; held; NULL: not asked for yet
  bool is_fixed; // of `frozen`: the same object means the same for ever
} Constant;

// A kernel that was made for a device and constants.
typedef struct Entry {
  struct Entry *next; // what was used last is first
  Device *device;     // held
  Kernel *kernel;     // held
  PyObject *watched;  // a tuple of (owner, name, value) that the source was made from; held
  uint32_t count;
  Constant constants[];
} Entry;

enum { MAX_CONSTANTS = MAX_GIVEN_PARAMS + MAX_OPTIONS };

// A call's: what was given for each parameter and option.
typedef struct Call {
  PyObject *values[MAX_GIVEN_PARAMS]; // borrowed
  Constant constants[MAX_CONSTANTS];
  uint32_t count;
} Call;

typedef struct Launcher {
  PyObject ob_base;
  State *state;
  uint32_t count;
  PyObject **names;    // interned
  PyObject **defaults; // NULL: none
  bool *is_constexpr;
  PyObject *hooks; // a list, called before each launch with its arguments
  Entry *entries;
  uint64_t drops; // entries that were freed
} Launcher;

// The call's value for each parameter. Constexprs and options are among its constants, and run-time
// arguments in *a. false: an exception.
bool call_bind(Launcher *self, Call *call, Arguments *a, PyObject *const *args, Py_ssize_t nargs,
               PyObject *names);
void call_end(Call *call);
// The kernel for the call's constants on the device, made if there is none; new. NULL: an exception.
// Drops a kernel if nothing of it could be compiled. An exception that is set stays.
void call_forget(Launcher *self, const Kernel *kernel);
Kernel *call_kernel(Launcher *self, Call *call, Device *device);
void entries_free(Entry *entries);
int entries_visit(const Entry *entries, visitproc visit, void *arg);

typedef struct Launched {
  PyObject ob_base;
  Kernel *kernel;      // held
  PyObject *details;   // what Python keeps of it
  PyObject *described; // of arguments that consist of others; NULL: they are in `args`
  tilec_arg *args;
  uint32_t count;
} Launched;

// ---- tuning (tune.c), and what is kept of it (tuned.c) ----

// A launch's arguments, the device that it would be made on, and whose kernel they are for.
typedef struct Asked {
  Call call;
  Arguments a;
  Device *device; // held
  Program *program;
  Options options;
} Asked;

// head: device or None, program, options; args: the launch's; sized: Arguments.sized. false: an exception; asked_end is called in
// both cases.
bool asked_begin(Launcher *self, Asked *q, bool sized, PyObject *const *head, PyObject *const *args,
                 Py_ssize_t nargs, PyObject *names);
void asked_end(Asked *q);
// A configuration's: a list of (name, value, true for an option); None: there is no such configuration.
PyObject *tuned_settings(const tilec_tuning *tuning, size_t configuration);

// _tune(device, program, options, asked, progress, *args, **kwargs): what was found, in tuples (_native.pyi).
PyObject *launcher_tune(Launcher *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names);

// _tuned(device, program, options, *args, **kwargs): a list of (name, value, true for an option), or None.
PyObject *launcher_tuned(Launcher *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names);
// _keep_tuned(device, program, options, settings, seconds, *args, **kwargs): whether it is kept.
PyObject *launcher_keep_tuned(Launcher *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names);

PyObject *launched_of(const State *state, Kernel *kernel, const Arguments *a);

PyObject *launches_skip(PyObject *module, PyObject *on);
PyObject *launches_skipped(PyObject *module, PyObject *unused);

extern PyType_Spec launcher_spec, launched_spec;

#endif
