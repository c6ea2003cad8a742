# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products as models have them: x (M, K) by a weight (N, K) transposed for few to many rows, and a list of problems."""
from work import Buffer, Kernel, Row, Step, cdiv

ROWS = (16, 64, 512, 4096, 16384)
WEIGHTS = ((4096, 4096), (14336, 4096), (4096, 14336), (128256, 4096))  # N, K
# The grouped matmul's problems, in no order. Most are no multiple of a tile.
PROBLEMS = (1024, 128, 3072, 200, 640, 4096, 333, 256, 1792, 512, 2048, 768, 1500, 384, 2560, 896)
SUM_BLOCK = 1024
# By the rows there are at most: (BLOCK_M, BLOCK_N, BLOCK_K, SPLIT, num_warps, num_stages)
TILES = {
    16: [(16, 32, 256, 1, 4, 4), (16, 64, 128, 1, 4, 4), (16, 64, 128, 2, 4, 4), (16, 64, 128, 4, 4, 4), (16, 32, 256, 2, 4, 4), (16, 128, 64, 4, 4, 5),
         (16, 64, 256, 1, 4, 3), (16, 16, 256, 1, 4, 4)],
    64: [(64, 32, 128, 1, 4, 4), (64, 64, 128, 1, 4, 4), (64, 64, 128, 2, 4, 4), (64, 64, 64, 4, 4, 5), (64, 32, 128, 2, 4, 4), (64, 128, 64, 2, 4, 4),
         (64, 128, 64, 1, 4, 4), (64, 128, 64, 4, 4, 4)],
    512: [(128, 128, 64, 1, 4, 4), (128, 64, 64, 1, 4, 4), (64, 128, 64, 1, 4, 4), (128, 128, 64, 2, 8, 4), (128, 256, 64, 1, 8, 4), (64, 64, 128, 1, 4, 3),
          (256, 128, 64, 1, 8, 4)],
    1 << 30: [(128, 256, 64, 1, 8, 4), (256, 128, 64, 1, 8, 4), (128, 128, 64, 1, 4, 4), (128, 256, 64, 1, 8, 3), (128, 128, 64, 1, 8, 3)],
}
GROUPED_TILES = [(128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (256, 128, 64, 8, 4), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3)]


def linear(m, n, k):
    """One kernel for what k is not split in, one of two launches for what it is."""
    tiles = next(tiles for most, tiles in TILES.items() if m <= most)
    splits = sorted({split for _, _, _, split, _, _ in tiles})
    kernels = []
    for split in splits:
        shape = {"M": m, "N": n, "K": k}
        steps = [Step("linear", {"x_ptr": "x", "w_ptr": "w", "y_ptr": "y", "parts_ptr": "parts", **shape},
                      lambda c, split=split: (cdiv(m, c["BLOCK_M"]) * cdiv(n, c["BLOCK_N"]), split), {"SPLIT": split, "GROUP_M": 8},
                      ("BLOCK_M", "BLOCK_N", "BLOCK_K"))]
        if split > 1:
            steps.append(Step("sum_parts", {"parts_ptr": "parts", "y_ptr": "y", "n": m * n}, lambda c: (cdiv(m * n, SUM_BLOCK),),
                              {"SPLIT": split, "BLOCK": SUM_BLOCK}))
        some = [{"BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk, "num_warps": w, "num_stages": s} for bm, bn, bk, sp, w, s in tiles if sp == split]
        kernels.append(Kernel("products.py", steps, some, f"k in {split}" if split > 1 else ""))
    buffers = {"x": Buffer("bf16", (m, k)), "w": Buffer("bf16", (n, k), transposed=True), "y": Buffer("bf16", (m, n), "out"),
               "parts": Buffer("fp32", (splits[-1] if splits[-1] > 1 else 1, m, n) if splits[-1] > 1 else (1,), "scratch")}
    return Row(f"linear_{m}_{n}_{k}", f"linear bf16, {m} rows by {n} x {k}", buffers, kernels, lambda torch, t: {"y": by_columns(torch, t["x"], t["w"])},
               4e-2, flops=2 * m * n * k, ceiling="fp16", peers={"cuBLAS": lambda torch, t: torch.mm(t["x"], t["w"], out=t["y"])})


def by_columns(torch, x, w, part=8192):
    """x @ w in float64, some columns at a time: whole it would take much memory."""
    result = torch.empty(x.shape[0], w.shape[1], dtype=torch.float32 if x.shape[0] * w.shape[1] > 1 << 28 else torch.float64, device=x.device)
    x = x.double()
    for at in range(0, w.shape[1], part):
        result[:, at:at + part] = x @ w[:, at:at + part].double()
    return result


def grouped(problems, n, k):
    begin = [sum(problems[:i]) for i in range(len(problems) + 1)]
    buffers = {"x": Buffer("bf16", (begin[-1], k)), "w": Buffer("bf16", (len(problems), n, k)), "y": Buffer("bf16", (begin[-1], n), "out"),
               "begin": Buffer("i32", (len(problems) + 1,), "given", values=tuple(begin))}
    given = {"x_ptr": "x", "w_ptr": "w", "y_ptr": "y", "begin_ptr": "begin"}

    def step(name, **sizes):
        return Step(name, {**given, **sizes, "N": n, "K": k}, lambda c: (sum(cdiv(rows, c["BLOCK_M"]) for rows in problems) * cdiv(n, c["BLOCK_N"]),),
                    {"GROUPS": len(problems)}, ("BLOCK_M", "BLOCK_N", "BLOCK_K"))

    some = [{"BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk, "num_warps": w, "num_stages": s} for bm, bn, bk, w, s in GROUPED_TILES]

    def each(torch, t, product):
        for g, (first, last) in enumerate(zip(begin, begin[1:])):
            product(t["x"][first:last], t["w"][g].t(), t["y"][first:last])
        return {"y": t["y"]}

    def reference(torch, t):
        return each(torch, {**t, "y": torch.empty(begin[-1], n, dtype=torch.float64, device=t["x"].device)},
                    lambda x, w, y: y.copy_(x.double() @ w.double()))

    return Row(f"grouped_{len(problems)}_{n}_{k}", f"grouped product bf16, {len(problems)} problems of {min(problems)} to {max(problems)} rows by {n} x {k}",
               buffers, [Kernel("products.py", [step("grouped")], some), Kernel("products.py", [step("grouped_descriptors", R=begin[-1])], some, "descriptors")],
               reference, 4e-2, flops=2 * begin[-1] * n * k, ceiling="fp16",
               peers={"cuBLAS": lambda torch, t: each(torch, t, lambda x, w, y: torch.mm(x, w, out=y))})


def rows(small):
    if small:
        return [linear(16, 96, 544), linear(64, 96, 544), linear(160, 96, 544), grouped((40, 8, 33, 16), 64, 96)]
    return [linear(m, n, k) for m in ROWS for n, k in WEIGHTS] + [grouped(PROBLEMS, 4096, 4096)]
