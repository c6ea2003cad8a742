# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in the memory of tests/gpu/fake_driver.c's GPU, where kernels run on the simulator, by each way that
libraries have to give them. FAKE_DRIVER=1 says that it is the libcuda.so.1 which is found."""

import array
import ctypes as C
import os

available = os.environ.get("FAKE_DRIVER") == "1"
SIZES = {"float32": ("f", 4), "int32": ("i", 4), "float16": ("H", 2)}
_driver = None


def driver():
    global _driver
    if _driver is None:
        _driver = C.CDLL("libcuda.so.1")
        context = C.c_void_p()
        check(_driver.cuInit(0))
        check(_driver.cuDevicePrimaryCtxRetain(C.byref(context), 0))
        check(_driver.cuCtxPushCurrent_v2(context))
    return _driver


def check(result):
    if result:
        raise RuntimeError(f"CUDA error {result}")


class Device:
    def __init__(self, index=0):
        self.type, self.index, self.id = "cuda", index, index


class Memory:
    def __init__(self, values, dtype="float32"):
        code, size = SIZES[dtype]
        data = array.array(code, values).tobytes()
        self.dtype, self.count, self.bytes, self.device, self.shape = dtype, len(values), len(data), Device(), (len(values),)
        address = C.c_uint64()
        check(driver().cuMemAlloc_v2(C.byref(address), C.c_size_t(max(1, len(data)))))
        self.address = address.value
        check(driver().cuMemcpyHtoD_v2(C.c_uint64(self.address), data, C.c_size_t(len(data))))

    def __del__(self):
        driver().cuMemFree_v2(C.c_uint64(self.address))

    def values(self):
        data = C.create_string_buffer(self.bytes)
        check(driver().cuMemcpyDtoH_v2(data, C.c_uint64(self.address), C.c_size_t(self.bytes)))
        return list(array.array(SIZES[self.dtype][0], data.raw))


class ByMethods(Memory):
    """As torch's tensors of old: data_ptr(), get_device(), dtype."""

    def data_ptr(self):
        return self.address

    def get_device(self):
        return 0


class ByInterface(Memory):
    """CUDA Array Interface, as CuPy's and Numba's."""

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": "<f4", "data": (self.address, False), "version": 3, "strides": None}


# ---- by C functions, as torch's of today


class Tensor(C.Structure):
    _fields_ = [("data", C.c_void_p), ("device_type", C.c_int32), ("device_id", C.c_int32), ("ndim", C.c_int32), ("code", C.c_uint8),
                ("bits", C.c_uint8), ("lanes", C.c_uint16), ("shape", C.POINTER(C.c_int64)), ("strides", C.POINTER(C.c_int64)),
                ("byte_offset", C.c_uint64)]


TENSOR_OF = C.PYFUNCTYPE(C.c_int, C.py_object, C.POINTER(Tensor))
CURRENT_STREAM = C.PYFUNCTYPE(C.c_int, C.c_int32, C.c_int32, C.POINTER(C.c_void_p))


class Api(C.Structure):
    _fields_ = [("major", C.c_uint32), ("minor", C.c_uint32), ("previous", C.c_void_p), ("allocate", C.c_void_p), ("export", C.c_void_p),
                ("import_", C.c_void_p), ("tensor_of", TENSOR_OF), ("current_stream", CURRENT_STREAM)]


current = {"stream": 0}


def _tensor_of(array_, tensor):
    t = tensor.contents
    t.data, t.device_type, t.device_id, t.ndim = array_.address, 2, 0, 1
    t.code, t.bits, t.lanes, t.byte_offset = 2 if array_.dtype.startswith("float") else 0, 8 * SIZES[array_.dtype][1], 1, 0
    t.shape = C.cast(array_.sizes, C.POINTER(C.c_int64))
    t.strides = None
    return 0


def _current_stream(kind, number, out):
    out[0] = current["stream"]
    return 0


_api = Api(1, 3, None, None, None, None, TENSOR_OF(_tensor_of), CURRENT_STREAM(_current_stream))
C.pythonapi.PyCapsule_New.restype = C.py_object
C.pythonapi.PyCapsule_New.argtypes = [C.c_void_p, C.c_char_p, C.c_void_p]
_NAME = b"dlpack_exchange_api"


class ByFunctions(Memory):
    __dlpack_c_exchange_api__ = C.pythonapi.PyCapsule_New(C.addressof(_api), _NAME, None)

    def __init__(self, *args):
        super().__init__(*args)
        self.sizes = (C.c_int64 * 1)(self.count)


_newer = Api(2, 0, C.addressof(_api), None, None, None, TENSOR_OF(), CURRENT_STREAM())
_none = Api(1, 3, None, None, None, None, TENSOR_OF(), CURRENT_STREAM(_current_stream))


class ByNewerFunctions(ByFunctions):
    """A structure of a later version, in addition to the known one."""

    __dlpack_c_exchange_api__ = C.pythonapi.PyCapsule_New(C.addressof(_newer), _NAME, None)


class WithoutFunctions(ByMethods):
    """A table without the function, which it may lack."""

    __dlpack_c_exchange_api__ = C.pythonapi.PyCapsule_New(C.addressof(_none), _NAME, None)


class Managed(C.Structure):
    _fields_ = [("tensor", Tensor), ("context", C.c_void_p), ("deleter", C.c_void_p)]


class ByCapsule(ByFunctions):
    """Only DLPack's Python protocol."""

    __dlpack_c_exchange_api__ = None
    asked = []

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        self.asked.append(stream)
        self.managed = Managed()
        _tensor_of(self, C.pointer(self.managed.tensor))
        return C.pythonapi.PyCapsule_New(C.addressof(self.managed), b"dltensor", None)


# ---- streams


def stream():
    made = C.c_void_p()
    check(driver().cuStreamCreate(C.byref(made), 1))
    return made.value


class capturing:
    """Work that is put on the stream inside becomes a graph, which launch() runs."""

    def __init__(self, on):
        self.on = C.c_void_p(on)

    def __enter__(self):
        check(driver().cuStreamBeginCapture_v2(self.on, 1))
        return self

    def __exit__(self, *error):
        graph, self.exec = C.c_void_p(), C.c_void_p()
        check(driver().cuStreamEndCapture(self.on, C.byref(graph)))
        check(driver().cuGraphInstantiateWithFlags(C.byref(self.exec), graph, C.c_ulonglong(0)))
        check(driver().cuGraphDestroy(graph))

    def launch(self):
        check(driver().cuGraphLaunch(self.exec, self.on))
