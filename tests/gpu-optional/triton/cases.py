# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The arguments of each kernel's launch, and the results that it must compute: NumPy in float64.
import math

import numpy as np

import kernels


UNFENCED, TWICE = ("through the asynchronous proxy",), ("is initialised again without mbarrier.inval",)


class Constant: # a constexpr parameter's value
    def __init__(self, value):
        self.value = value


class Case:
    # types: Triton's, of the run-time parameters. arguments: arrays, numbers, Constants in order. want: by array, the
    # expected values. Tolerances are relative to the largest. known: by target, what reports of the checkers say that
    # are right (see README.md).
    def __init__(self, name, kernel, types, arguments, want, grid, warps=4, stages=3, targets=("sm_80", "sm_90a"),
                 known=None):
        self.name, self.kernel, self.types, self.arguments, self.want = name, kernel, types, arguments, want
        self.grid, self.warps, self.stages, self.targets, self.known = grid, warps, stages, targets, known or {}

    def compare(self, arrays):
        for name, (want, tolerance) in self.want.items():
            got = arrays[name].astype(np.float64).reshape(want.shape)
            error = np.abs(got - want).max()
            assert error <= tolerance * np.abs(want).max(), f"{name} is off by {error}"


def random(shape, dtype=np.float32, seed=1):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(dtype)


def wide(array):
    return array.astype(np.float64)


def add_case():
    n = 1000
    x, y = random((n,)), random((n,), seed=2)
    return Case("add", kernels.add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"},
                {"x": x, "y": y, "out": np.zeros(n, np.float32), "n": n, "BLOCK": Constant(256)},
                {"out": (wide(x) + wide(y), 1e-6)}, (4, 1))


def softmax_case():
    rows, columns, stride = 5, 781, 784
    x = random((rows, stride), np.float16)
    e = np.exp(wide(x)[:, :columns])
    want = np.zeros((rows, stride))
    want[:, :columns] = e / e.sum(axis=1, keepdims=True)
    return Case("softmax", kernels.softmax,
                {"x": "*fp16", "out": "*fp16", "columns": "i32", "x_stride": "i32", "out_stride": "i32"},
                {"x": x, "out": np.zeros((rows, stride), np.float16), "columns": columns, "x_stride": stride,
                 "out_stride": stride, "BLOCK": Constant(1024)}, {"out": (want, 1e-3)}, (rows, 1))


def normalised(x, eps):
    mean, variance = x.mean(axis=1), x.var(axis=1)
    rstd = 1 / np.sqrt(variance + eps)
    return mean, rstd, (x - mean[:, None]) * rstd[:, None]


def layer_norm_case():
    rows, columns, eps = 6, 1151, 1e-5
    x, w, b = random((rows, columns), np.float16), random((columns,)), random((columns,), seed=3)
    mean, rstd, unit = normalised(wide(x), eps)
    types = {"x": "*fp16", "weight": "*fp32", "bias": "*fp32", "out": "*fp16", "mean": "*fp32", "rstd": "*fp32",
             "columns": "i32", "eps": "fp32"}
    return Case("layer_norm", kernels.layer_norm, types,
                {"x": x, "weight": w, "bias": b, "out": np.zeros_like(x), "mean": np.zeros(rows, np.float32),
                 "rstd": np.zeros(rows, np.float32), "columns": columns, "eps": eps, "BLOCK": Constant(512)},
                {"out": (unit * w + b, 1e-3), "mean": (mean, 1e-4), "rstd": (rstd, 1e-5)}, (rows, 1))


def layer_norm_backward_case():
    rows, columns, groups = 11, 500, 3
    x, dy, w = random((rows, columns)), random((rows, columns), seed=4), random((columns,))
    mean, rstd, unit = normalised(wide(x), 1e-5)
    gw = wide(w) * dy
    dx = (gw - unit * (unit * gw).mean(axis=1, keepdims=True) - gw.mean(axis=1, keepdims=True)) * rstd[:, None]
    of_group = [[r for r in range(rows) if r % groups == g] for g in range(groups)]
    dweight = np.array([(dy * unit)[r].sum(axis=0) for r in of_group])
    dbias = np.array([wide(dy)[r].sum(axis=0) for r in of_group])
    arguments = {"dy": dy, "x": x, "weight": w, "mean": mean.astype(np.float32), "rstd": rstd.astype(np.float32),
                 "dx": np.zeros_like(x), "dweight": np.zeros((groups, columns), np.float32),
                 "dbias": np.zeros((groups, columns), np.float32), "locks": np.zeros(groups, np.int32)}
    types = {name: "*i32" if name == "locks" else "*fp32" for name in arguments}
    return Case("layer_norm_backward", kernels.layer_norm_backward, {**types, "columns": "i32"},
                {**arguments, "columns": columns, "GROUPS": Constant(groups), "BLOCK": Constant(512)},
                {"dx": (dx, 1e-5), "dweight": (dweight, 1e-5), "dbias": (dbias, 1e-5), "locks": (np.zeros(groups), 0)},
                (rows, 1))


FLOATS = {"fp16": np.float16, "fp32": np.float32, "fp64": np.float64, "i8": np.int8}


def matmul_case(name, kind, m, n, k, block, warps, stages, tolerance, precision="ieee", out="fp32",
                known=None):
    a, b = random((m, k), FLOATS[kind]), random((k, n), FLOATS[kind], seed=5)
    types = {"a": "*" + kind, "b": "*" + kind, "c": "*" + out, "M": "i32", "N": "i32", "K": "i32"}
    arguments = {"a": a, "b": b, "c": np.zeros((m, n), FLOATS[out]), "M": m, "N": n, "K": k,
                 "BM": Constant(block[0]), "BN": Constant(block[1]), "BK": Constant(block[2]),
                 "PRECISION": Constant(precision)}
    grid = (math.ceil(m / block[0]), math.ceil(n / block[1]))
    return Case(name, kernels.matmul, types, arguments, {"c": (wide(a) @ wide(b), tolerance)}, grid, warps, stages,
                known=known)


def scaled_case():
    m, n, k, random_bytes = 128, 64, 256, np.random.default_rng(13).integers
    a, b = random_bytes(0, 256, (m, k // 2), np.uint8), random_bytes(0, 256, (k, n), np.uint8) & 0xbf
    sa, sb = random_bytes(120, 135, (m, k // 32), np.uint8), random_bytes(120, 135, (n, k // 32), np.uint8)
    nibbles = np.stack([a & 15, a >> 4], axis=2).reshape(m, k)
    e2m1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])[nibbles & 7] * np.where(nibbles & 8, -1, 1)
    exponent, mantissa = (b >> 3 & 15).astype(int), (b & 7) / 8
    e4m3 = np.where(exponent == 0, mantissa * 2.0**-6, (1 + mantissa) * 2.0**(exponent - 7)) * np.where(b & 128, -1, 1)
    scale = lambda s: np.repeat(2.0**(s.astype(int) - 127), 32, axis=1)
    types = {"a": "*u8", "sa": "*u8", "b": "*fp8e4nv", "sb": "*u8", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
    arguments = {"a": a, "sa": sa, "b": b, "sb": sb, "c": np.zeros((m, n), np.float32), "M": m, "N": n, "K": k,
                 "BM": Constant(64), "BN": Constant(64), "BK": Constant(64)}
    return Case("matmul_scaled", kernels.matmul_scaled, types, arguments,
                {"c": (e2m1 * scale(sa) @ (e4m3 * scale(sb).T), 1e-5)}, (2, 1), targets=("sm_90a",))


# Extents that are not multiples of the tile: maps fill with zeros and leave out.
def descriptors_case(name, warps):
    m, n, k, block = 200, 136, 160, (128, 64, 64)
    a, b = random((m, k), np.float16), random((n, k), np.float16, seed=6)
    tiles = {"a": (block[0], block[2]), "b": (block[1], block[2]), "c": (block[0], block[1])}
    types = {x: f"tensordesc<fp16[{t[0]},{t[1]}]>" for x, t in tiles.items()}
    arguments = {"a": a, "b": b, "c": np.zeros((m, n), np.float16), "K": k, "BM": Constant(block[0]),
                 "BN": Constant(block[1]), "BK": Constant(block[2])}
    return Case(name, kernels.matmul_descriptors, {**types, "K": "i32"}, arguments,
                {"c": (wide(a) @ wide(b).T, 1e-3)}, (2, 3), warps)


def specialised_case():
    m, n, k, block = 200, 136, 320, (64, 64, 64)
    a, b = random((m, k), np.float16), random((n, k), np.float16, seed=12)
    types = {"a": "tensordesc<fp16[64,64]>", "b": "tensordesc<fp16[64,64]>", "c": "*fp16"}
    arguments = {"a": a, "b": b, "c": np.zeros((m, n), np.float16), "M": m, "N": n, "K": k,
                 "BM": Constant(block[0]), "BN": Constant(block[1]), "BK": Constant(block[2])}
    return Case("matmul_specialised", kernels.matmul_specialised, {**types, "M": "i32", "N": "i32", "K": "i32"},
                arguments, {"c": (wide(a) @ wide(b).T, 1e-3)}, (4, 3), known={"sm_90a": TWICE})


def persistent_case():
    m, n, k, block = 200, 144, 96, (128, 64, 32)
    a, b = random((m, k), np.float16), random((k, n), np.float16, seed=7)
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32", "N": "i32", "K": "i32"}
    arguments = {"a": a, "b": b, "c": np.zeros((m, n), np.float16), "M": m, "N": n, "K": k, "PROGRAMS": Constant(2),
                 "BM": Constant(block[0]), "BN": Constant(block[1]), "BK": Constant(block[2])}
    return Case("matmul_persistent", kernels.matmul_persistent, types, arguments,
                {"c": (wide(a) @ wide(b), 1e-3)}, (2, 1))


def attention_case(name, causal, head, stages, block=(64, 32), warps=4, known=None):
    heads, length, scale = 2, 150, 1 / math.sqrt(head)
    q, k, v = (random((heads, length, head), np.float16, seed=s) for s in (8, 9, 10))
    s = wide(q) @ wide(k).transpose(0, 2, 1) * scale
    if causal:
        s = np.where(np.tril(np.ones((length, length))) > 0, s, -np.inf)
    p = np.exp(s - s.max(axis=2, keepdims=True))
    total = p.sum(axis=2, keepdims=True)
    logsum = (s.max(axis=2) + np.log(total[:, :, 0])) / math.log(2)
    types = {x: "*fp16" for x in ("q", "k", "v", "out")}
    arguments = {"q": q, "k": k, "v": v, "out": np.zeros_like(q), "logsum": np.zeros((heads, length), np.float32),
                 "length": length, "scale": scale, "CAUSAL": Constant(causal), "BM": Constant(block[0]),
                 "BN": Constant(block[1]), "HEAD": Constant(head)}
    return Case(name, kernels.attention, {**types, "logsum": "*fp32", "length": "i32", "scale": "fp32"}, arguments,
                {"out": (p / total @ wide(v), 2e-3), "logsum": (logsum, 1e-3)}, (math.ceil(length / block[0]), heads),
                warps, stages, known=known or {"sm_90a": UNFENCED})


def rearrange_case():
    n = 256
    x = np.random.default_rng(11).integers(0, 10000, n).astype(np.int32)
    types = {name: "*i32" for name in ("x", "ordered", "running", "counts", "picked")}
    arguments = {"x": x, **{name: np.zeros(n, np.int32) for name in ("ordered", "running", "picked")},
                 "counts": np.zeros(64, np.int32), "BLOCK": Constant(n)}
    arguments = {name: arguments[name] for name in (*types, "BLOCK")}
    want = {"ordered": np.sort(x), "running": np.cumsum(x), "counts": np.bincount(x & 63, minlength=64),
            "picked": x[x & (n - 1)]}
    return Case("rearrange", kernels.rearrange, types, arguments,
                {name: (wide(value), 0) for name, value in want.items()}, (1, 1))


def functions_case():
    n = 500
    x = random((n,)) * 5
    v = wide(x)
    rows = [np.sin(v), np.vectorize(math.erf)(v), np.sqrt(np.abs(v)), np.log(np.abs(v) + 1), np.floor(v) + np.ceil(v),
            1 / (1 + np.exp(-v)), v / (v * v + 1), 1 / np.sqrt(v * v + 1)]
    return Case("functions", kernels.functions, {"x": "*fp32", "y": "*fp32", "narrow": "*fp16", "n": "i32"},
                {"x": x, "y": np.zeros((8, n), np.float32), "narrow": np.zeros(n, np.float16), "n": n,
                 "BLOCK": Constant(128)}, {"y": (np.array(rows), 1e-5), "narrow": (v, 1e-3)}, (4, 1))


def all_cases():
    return [
        add_case(), softmax_case(), layer_norm_case(), layer_norm_backward_case(), rearrange_case(), functions_case(),
        matmul_case("matmul_fp16", "fp16", 100, 72, 80, (64, 64, 32), 4, 4, 1e-5),
        matmul_case("matmul_fp16_8_warps", "fp16", 130, 136, 136, (128, 128, 32), 8, 3, 1e-3, out="fp16"),
        matmul_case("matmul_fp32", "fp32", 40, 40, 48, (32, 32, 16), 4, 3, 1e-5),
        matmul_case("matmul_tf32", "fp32", 100, 72, 80, (64, 64, 32), 4, 3, 2e-3, "tf32",
                    known={"sm_90a": UNFENCED}),
        matmul_case("matmul_tf32x3", "fp32", 100, 72, 80, (64, 64, 32), 4, 3, 1e-5, "tf32x3"),
        matmul_case("matmul_bf16x3", "fp32", 100, 72, 80, (64, 64, 32), 4, 3, 2e-5, "bf16x3"),
        matmul_case("matmul_bf16x6", "fp32", 100, 72, 80, (64, 64, 32), 4, 3, 1e-6, "bf16x6"),
        scaled_case(),
        descriptors_case("matmul_descriptors", 4), descriptors_case("matmul_descriptors_8_warps", 8),
        specialised_case(),
        persistent_case(),
        attention_case("attention", False, 64, 3),
        attention_case("attention_causal", True, 32, 2),
    ]
