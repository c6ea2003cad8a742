# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tilec/sim.h for Python: loads PTX, binds NumPy arrays, launches, and returns the reports.
import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p

SCHEDULES = ("late", "early", "late-down", "early-down")


class Options(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("threads", c_uint32), ("schedule", c_int), ("instruction_budget", c_uint64),
                ("multiprocessors", c_uint32), ("checks", c_int)]


class Param(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("offset", c_uint32), ("size", c_uint32), ("align", c_uint32)]


class Report(ctypes.Structure):
    _fields_ = [("kind", c_int), ("message", c_char_p), ("file", c_char_p), ("line", c_uint32),
                ("ptx_line", c_uint32), ("block", c_uint32 * 3), ("warp", c_uint32), ("lane_mask", c_uint32),
                ("address", c_uint64), ("count", c_uint64), ("other_message", c_char_p), ("other_file", c_char_p),
                ("other_line", c_uint32), ("other_ptx_line", c_uint32), ("other_block", c_uint32 * 3),
                ("other_warp", c_uint32), ("other_lane", c_uint32), ("buffer", c_char_p), ("order", c_char_p)]


class Counters(ctypes.Structure):
    _fields_ = [(name, c_uint64) for name in (
        "instructions", "global_requests", "global_sectors", "global_sectors_ideal", "shared_requests",
        "shared_wavefronts", "shared_wavefronts_ideal", "barriers")]


class Error(Exception):
    pass


def open_library(path):
    library = ctypes.CDLL(path)
    library.tilec_sim_destroy.restype = library.tilec_sim_total.restype = None
    library.tilec_sim_message.restype = c_char_p
    library.tilec_sim_kernel_at.restype = c_void_p
    library.tilec_sim_param_at.restype = POINTER(Param)
    library.tilec_sim_report_at.restype = POINTER(Report)
    library.tilec_sim_param_count.restype = library.tilec_sim_report_count.restype = c_size_t
    return library


class Simulator:
    def __init__(self, library, schedule, checks):
        self.library, self.sim = library, c_void_p()
        options = Options(ctypes.sizeof(Options), 1, SCHEDULES.index(schedule), 0, 0, checks)
        self.must(library.tilec_sim_create(byref(options), byref(self.sim)))
        self.kept = []

    def close(self):
        self.library.tilec_sim_destroy(self.sim)

    def must(self, result):
        if result:
            raise Error((self.library.tilec_sim_message(self.sim) or b"").decode())

    # The module's only kernel.
    def load(self, ptx):
        text, module = ptx.encode(), c_void_p()
        self.must(self.library.tilec_sim_load(self.sim, text, c_size_t(len(text)), byref(module)))
        kernel = c_void_p(self.library.tilec_sim_kernel_at(module, c_size_t(0)))
        count = self.library.tilec_sim_param_count(kernel)
        sizes = [self.library.tilec_sim_param_at(kernel, c_size_t(i)).contents.size for i in range(count)]
        return kernel, sizes

    # The device address of the array's own memory.
    def bind(self, array):
        address = c_uint64()
        self.must(self.library.tilec_sim_bind(self.sim, array.ctypes.data_as(c_void_p), c_size_t(array.nbytes),
                                              byref(address)))
        self.kept.append(array)
        return address.value

    def alloc(self, size):
        address = c_uint64()
        self.must(self.library.tilec_sim_alloc(self.sim, c_size_t(size), byref(address)))
        return address.value

    # As cuTensorMapEncodeTiled; extents, strides in bytes and box innermost first.
    def tensor_map(self, data_type, address, extents, strides, box, swizzle):
        made, rank = (c_uint64 * 16)(), len(extents)
        self.must(self.library.tilec_sim_tensor_map_encode(
            byref(made), c_uint32(data_type), c_uint32(rank), c_uint64(address), (c_uint64 * rank)(*extents),
            (c_uint64 * max(rank - 1, 1))(*strides), (c_uint32 * rank)(*box), (c_uint32 * rank)(*[1] * rank),
            c_uint32(0), c_uint32(swizzle), c_uint32(0), c_uint32(0)))
        return bytes(made)

    # params: bytes, one element a parameter. cluster: the kernel's own if None. Returns the reports, one line each.
    def launch(self, kernel, grid, threads, shared, params, cluster=None):
        buffers = [ctypes.create_string_buffer(p, len(p)) for p in params]
        pointers = (c_void_p * max(len(buffers), 1))(*[ctypes.addressof(b) for b in buffers])
        cluster = cluster and (c_uint32 * 3)(*cluster)
        result = self.library.tilec_sim_launch_cluster(self.sim, kernel, (c_uint32 * 3)(*grid), cluster,
                                                       (c_uint32 * 3)(threads, 1, 1), c_uint32(shared), pointers)
        reports = list(self.reports())
        if not reports:
            self.must(result)
        return reports

    def reports(self):
        for i in range(self.library.tilec_sim_report_count(self.sim)):
            r = self.library.tilec_sim_report_at(self.sim, c_size_t(i)).contents
            say = lambda text: (text or b"").decode()
            yield (f"PTX line {r.ptx_line} (source line {r.line}): {say(r.message)}; block {r.block[0]}, warp {r.warp}, "
                   f"lanes {r.lane_mask:#x}, {r.count} times; {say(r.other_message)} PTX line {r.other_ptx_line}; "
                   f"{say(r.buffer)}; {say(r.order)}")

    def counters(self):
        total = Counters()
        self.library.tilec_sim_total(self.sim, byref(total))
        return total
