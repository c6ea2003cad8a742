# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clusters of CTAs, as Triton 3.9 compiles Gluon for sm_100a. No GPU is needed. Runs the PTX on the simulator
under all schedules, without and with checks, and compares with float64.

    PYTHON-WITH-TRITON-3.9 tests/gpu-optional/triton/pairs.py LIBTILEC.SO

A report other than those of EXPECTED is a failure."""
import struct
import sys

import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, allocate_tensor_memory, tcgen05_mma
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

import simulator

FLOAT16 = 6
# Triton writes no tcgen05.fence after a wait (PTX ISA 9.7.16.6.4). tcgen05.alloc writes its result to shared
# memory, and a copy overwrites it without fence.proxy.async.
EXPECTED = ("which an earlier tcgen05.mma may not have written yet", "through the asynchronous proxy of dynamic shared")


@gluon.jit
def pair_matmul(left, right, result, DEPTH: gl.constexpr, STEP: gl.constexpr):
    rows: gl.constexpr = left.block_shape[0]
    columns: gl.constexpr = right.block_shape[1]
    a = gl.allocate_shared_memory(left.dtype, left.block_shape, left.layout)
    b = gl.allocate_shared_memory(right.dtype, right.block_shape, right.layout)
    loaded = mbarrier.allocate_mbarrier(two_ctas=True)
    multiplied = mbarrier.allocate_mbarrier()
    mbarrier.init(loaded, count=1)
    mbarrier.init(multiplied, count=1)
    in_tmem: gl.constexpr = TensorMemoryLayout(block=(rows // 2, columns), col_stride=1, cga_layout=((1, 0), ), two_ctas=True)
    sums = allocate_tensor_memory(gl.float32, [rows, columns], in_tmem)
    for i in gl.static_range(DEPTH // STEP):
        mbarrier.expect(loaded, left.nbytes_per_cta + right.nbytes_per_cta)
        tma.async_load(left, [0, i * STEP], loaded, a)
        tma.async_load(right, [i * STEP, 0], loaded, b)
        mbarrier.wait(loaded, phase=i & 1, deps=[a, b])
        tcgen05_mma(a, b, sums, use_acc=i > 0, mbarriers=[multiplied])
        mbarrier.wait(multiplied, phase=i & 1, deps=[a, b])
    mbarrier.invalidate(loaded)
    mbarrier.invalidate(multiplied)
    in_registers: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0], cga_layout=((1, 0), ))
    row = gl.arange(0, rows, gl.SliceLayout(1, in_registers))
    column = gl.arange(0, columns, gl.SliceLayout(0, in_registers))
    values = gl.convert_layout(sums.load(), in_registers)
    gl.store(result + row[:, None] * columns + column[None, :], values)


@gluon.jit
def cluster_softmax(x, result, WIDTH: gl.constexpr):
    ctas: gl.constexpr = ((1, ), (2, ), (4, ), (8, ))[:gl.num_ctas().bit_length() - 1]
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [gl.num_warps()], [0], cga_layout=ctas)
    at = gl.program_id(0) * WIDTH + gl.arange(0, WIDTH, layout)
    values = gl.load(x + at)
    powers = gl.exp(values - gl.max(values, axis=0))
    gl.store(result + at, powers / gl.sum(powers, axis=0))


def compiled(function, signature, constants, ctas):
    source = GluonASTSource(function, signature, constants)
    return triton.compile(source, target=GPUTarget("cuda", 100, 32), options={"num_warps": 4, "num_ctas": ctas})


def words(*values):
    return [struct.pack("<" + kind, value) for kind, value in values]


def described(sim, array, tensor):
    rows, columns = array.shape
    made = sim.tensor_map(FLOAT16, sim.bind(array), [columns, rows], [2 * columns], tensor["block_size"][::-1],
                          tensor["swizzle"])
    return [made, *words(("I", rows), ("I", columns), ("Q", columns), ("Q", 1))]


def matmul_case(rows, columns, depth, step=64):
    layouts = [gl.NVMMASharedLayout.get_default_for(shape, gl.float16, cga_layout=ctas)
               for shape, ctas in (([rows, step], [[1, 0]]), ([step, columns], [[0, 1]]))]
    signature = {"left": f"tensordesc<fp16[{rows}, {step}],{layouts[0]!r}>",
                 "right": f"tensordesc<fp16[{step}, {columns}],{layouts[1]!r}>",
                 "result": "*fp32", "DEPTH": "constexpr", "STEP": "constexpr"}
    kernel = compiled(pair_matmul, signature, {"DEPTH": depth, "STEP": step}, 2)
    random = np.random.default_rng(rows + columns)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((rows, depth), (depth, columns)))

    def params(sim, out):
        of_a, of_b = kernel.metadata.tensordesc_meta
        return described(sim, a, of_a) + described(sim, b, of_b) + words(("Q", sim.bind(out)))

    want = a.astype(np.float64) @ b.astype(np.float64)
    return f"matmul {rows} x {columns} x {depth}", kernel, 2, params, want


def softmax_case(ctas, width=1024, rows=3):
    kernel = compiled(cluster_softmax, {"x": "*fp32", "result": "*fp32", "WIDTH": "constexpr"}, {"WIDTH": width}, ctas)
    x = np.random.default_rng(ctas).standard_normal((rows, width)).astype(np.float32)
    powers = np.exp(x.astype(np.float64))
    params = lambda sim, out: words(("Q", sim.bind(x)), ("Q", sim.bind(out)))
    return f"softmax of {ctas} CTAs", kernel, rows * ctas, params, powers / powers.sum(1, keepdims=True)


def run(library, case, schedule, checks):
    name, kernel, ctas, params, want = case
    sim = simulator.Simulator(library, schedule, checks)
    loaded, sizes = sim.load(kernel.asm["ptx"])
    out = np.full(want.shape, np.nan, np.float32)
    given = params(sim, out)
    given += [bytes(size) for size in sizes[len(given):]]  # Triton's own, unused
    reports = sim.launch(loaded, (ctas, 1, 1), 128, kernel.metadata.shared, given)
    sim.close()
    wrong = [r for r in reports if not any(part in r for part in EXPECTED)]
    error = np.abs(out - want).max()
    good = error < 1e-3 and not wrong
    print(f"{'ok  ' if good else 'FAIL'} {name}, {schedule}{', checks' if checks else ''}: error {error:.2g}, "
          f"{len(reports)} reports", *wrong, sep="\n     " if wrong else "")
    return good


def main():
    library = simulator.open_library(sys.argv[1])
    cases = [matmul_case(256, 128, 192), matmul_case(256, 256, 128), matmul_case(128, 128, 128), matmul_case(128, 64, 64),
             softmax_case(2), softmax_case(4), softmax_case(8)]
    good = [run(library, case, schedule, checks) for case in cases for schedule in simulator.SCHEDULES for checks in (0, 1)]
    print(f"{sum(good)} of {len(good)} runs are right")
    return not all(good)


if __name__ == "__main__":
    sys.exit(main())
