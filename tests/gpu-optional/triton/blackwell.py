# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matmuls and attention as Triton 3.9 compiles them to tcgen05 for sm_100a, on the simulator. No GPU is needed.

    PYTHON-WITH-TRITON-3.9 tests/gpu-optional/triton/blackwell.py LIBTILEC.SO [FOLDER FOR PTX] [PATTERN]

Each runs under all schedules, without and with checks, and with the fences of tcgen05 that Triton leaves out. Reports
other than those of `known` are failures. Closes with 'N passed, N failed'."""
import math

import numpy as np
import triton
import triton.language as tl

import cases
import check
import kernels
from cases import Case, Constant

FENCE = check.TCGEN05_FENCE
INIT = "no fence has made its initialisation visible to copies"
PROXY = "a write through the asynchronous proxy of dynamic shared memory"
REGISTERS = "warps of one warpgroup execute different setmaxnreg"


@triton.jit
def matmul_scaled(a, sa, b, sb, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    group = tl.arange(0, BK // 32)
    sums = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        va = tl.load(a + i[:, None] * K + (start + k)[None, :])
        vb = tl.load(b + (start + k)[:, None] * N + j[None, :])
        xa = tl.load(sa + i[:, None] * (K // 32) + (start // 32 + group)[None, :])
        xb = tl.load(sb + j[:, None] * (K // 32) + (start // 32 + group)[None, :])
        sums = tl.dot_scaled(va, xa, "e4m3", vb, xb, "e4m3", sums)
    tl.store(c + i[:, None] * N + j[None, :], sums)


# Codes and their numbers.
def bf16(shape, seed):
    codes = (cases.random(shape, seed=seed).view(np.uint32) >> 16).astype(np.uint16)
    return codes, (codes.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def e4m3(shape, seed):
    codes = np.random.default_rng(seed).integers(0, 256, shape, np.uint8) & 0xbf
    exponent, fraction = (codes >> 3 & 15).astype(int), (codes & 7) / 8
    sizes = np.where(exponent == 0, fraction * 2.0**-6, (1 + fraction) * 2.0**(exponent - 7))
    return codes, sizes * np.where(codes & 128, -1, 1)


def scales(shape, seed):
    codes = np.random.default_rng(seed).integers(124, 131, shape, np.uint8)
    return codes, np.repeat(2.0**(codes.astype(int) - 127), 32, axis=1)


def known(*parts):
    return {"sm_100a": (FENCE, *parts)}


def narrow_case(name, kind, codes, m, n, k, block, stages):
    (a, wide_a), (b, wide_b) = codes((m, k), 1), codes((k, n), 2)
    types = {"a": "*" + kind, "b": "*" + kind, "c": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
    arguments = {"a": a, "b": b, "c": np.zeros((m, n), np.float32), "M": m, "N": n, "K": k, "BM": Constant(block[0]),
                 "BN": Constant(block[1]), "BK": Constant(block[2]), "PRECISION": Constant("ieee")}
    grid = (math.ceil(m / block[0]), math.ceil(n / block[1]))
    return Case(name, kernels.matmul, types, arguments, {"c": (wide_a @ wide_b, 1e-5)}, grid, 4, stages, known=known())


def scaled_case(m, n, k, block):
    (a, wide_a), (b, wide_b) = e4m3((m, k), 3), e4m3((k, n), 4)
    (sa, wide_sa), (sb, wide_sb) = scales((m, k // 32), 5), scales((n, k // 32), 6)
    types = {"a": "*fp8e4nv", "sa": "*u8", "b": "*fp8e4nv", "sb": "*u8", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
    arguments = {"a": a, "sa": sa, "b": b, "sb": sb, "c": np.zeros((m, n), np.float32), "M": m, "N": n, "K": k,
                 "BM": Constant(block[0]), "BN": Constant(block[1]), "BK": Constant(block[2])}
    return Case("matmul_mxfp8", matmul_scaled, types, arguments, {"c": (wide_a * wide_sa @ (wide_b * wide_sb.T), 1e-5)},
                (m // block[0], n // block[1]), 4, 2, known=known())


def with_known(case, *parts):
    case.known = known(*parts)
    return case


def all_cases():
    made = [
        cases.matmul_case("matmul_fp16", "fp16", 200, 136, 192, (128, 128, 64), 4, 3, 1e-5, known=known()),
        narrow_case("matmul_bf16", "bf16", bf16, 100, 136, 192, (64, 128, 64), 2),
        cases.matmul_case("matmul_tf32", "fp32", 200, 72, 96, (128, 64, 32), 4, 2, 2e-3, "tf32", known=known()),
        narrow_case("matmul_fp8", "fp8e4nv", e4m3, 144, 256, 384, (128, 256, 128), 3),
        scaled_case(128, 128, 256, (128, 128, 128)),
        cases.attention_case("attention_64", False, 64, 3, (128, 64), known=known()),
        cases.attention_case("attention_128", True, 128, 2, (128, 128), 8, known()),
        with_known(cases.persistent_case()),
        with_known(cases.descriptors_case("matmul_descriptors", 4), INIT, PROXY),
        with_known(cases.specialised_case(), INIT, PROXY, REGISTERS),
    ]
    for case in made:
        case.targets = ("sm_100a",)
    return made


if __name__ == "__main__":
    check.main(all_cases())
