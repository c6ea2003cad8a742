# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, normalisations and scans."""
from work import Buffer, Kernel, Row, Step, cdiv, configs, hinted


HINTS = ("", "evict_first")


def whole_tiles(some, rows, parts, columns):
    """Those whose tiles divide a part's rows and the columns."""
    return [c for c in some if rows // parts % c["RT"] == 0 and columns % c["BLOCK"] == 0]


def power_of_two(n):
    return 1 << (n - 1).bit_length()


def weighted_sum(rows, d, only_16x64=False):
    """only_16x64: of ours; the peers may do as they like."""
    buffers = {"x": Buffer("fp32", (rows, d)), "weight": Buffer("fp32", (d,)), "out": Buffer("fp32", (rows,), "out")}

    def kernel(label, tiles):
        step = Step("weighted_sum", {"x_ptr": "x", "weight_ptr": "weight", "out_ptr": "out", "ROWS": rows, "D": d},
                    lambda c: (cdiv(rows, c["TILE_ROWS"]),), takes=("TILE_ROWS", "TILE_D"))
        return Kernel("reduce.py", [step], tiles, label)

    fixed = configs(TILE_ROWS=(16,), TILE_D=(64,), warps=(1, 2, 4, 8))
    free = configs(TILE_ROWS=(1, 2), TILE_D=(1024,), warps=(4,)) + configs(TILE_ROWS=(4, 8, 16), TILE_D=(256, 512), warps=(4, 8))
    def known(label, tiles):
        step = Step("weighted_sum", {"x_ptr": "x", "weight_ptr": "weight", "out_ptr": "out"},
                    lambda c: (cdiv(rows, c["TILE_ROWS"]),), {"ROWS": rows, "D": d}, ("TILE_ROWS", "TILE_D", "IN"))
        return Kernel("fixed.py", [step], tiles, label)

    fixed_known = configs(TILE_ROWS=(16,), TILE_D=(64,), IN=HINTS, warps=(1, 2, 4, 8))
    free_known = configs(TILE_ROWS=(1, 2), TILE_D=(1024,), IN=HINTS, warps=(2, 4)) + configs(TILE_ROWS=(4,), TILE_D=(256, 512), IN=HINTS, warps=(8,))
    kernels = [kernel("16x64 tiles", fixed), known("16x64 tiles, sizes known", fixed_known), kernel("any tiles", free),
               known("any tiles, sizes known", free_known)]
    for other in kernels[2:]:
        other.ours = not only_16x64
    name, title = ("weighted_sum_16x64", ", our tiles 16 x 64") if only_16x64 else ("weighted_sum", "")
    return Row(name, f"weighted sum of rows, {rows} x {d}{title}", buffers, kernels,
               lambda torch, t: {"out": t["x"].double() @ t["weight"].double()}, 1e-5, bytes=buffers["x"].bytes,
               peers={"torch": lambda torch, t: torch.mv(t["x"], t["weight"], out=t["out"])},
               compiled=lambda torch, x, weight, out: out.copy_((x * weight).sum(1)))


def weighted_sum_backward(rows, d):
    smallest = 16
    buffers = {"x": Buffer("fp32", (rows, d)), "weight": Buffer("fp32", (d,)), "grad": Buffer("fp32", (rows,)),
               "grad_x": Buffer("fp32", (rows, d), "out"), "grad_w": Buffer("fp32", (d,), "out"),
               "partial": Buffer("fp32", (cdiv(rows, smallest), d), "scratch")}

    def tiles_of(c):
        return cdiv(rows, c["TILE_ROWS"])

    backward = Step("weighted_sum_backward",
                    {"x_ptr": "x", "weight_ptr": "weight", "grad_ptr": "grad", "grad_x_ptr": "grad_x",
                     "partial_ptr": "partial", "ROWS": rows, "D": d}, lambda c: (tiles_of(c),), takes=("TILE_ROWS", "TILE_D"))
    kernels = []
    for tile_rows in (32, 64, 256):
        partials = cdiv(rows, tile_rows)
        total = Step("column_sum", {"x_ptr": "partial", "out_ptr": "grad_w", "R": partials, "C": d, "SPLIT": partials},
                     lambda c: (cdiv(d, 8), 1), {"RT": 128, "BLOCK": 8})
        tiles = [c for c in configs(TILE_ROWS=(tile_rows,), TILE_D=(64, 256, 1024), warps=(8, 16))
                 if 8 <= tile_rows * c["TILE_D"] // (32 * c["num_warps"]) <= 64]
        kernels.append(Kernel("reduce.py", [backward, total], tiles, f"{tile_rows} rows"))

    outer = Step("outer", {"grad_ptr": "grad", "weight_ptr": "weight", "out_ptr": "grad_x", "clear_ptr": "grad_w"},
                 lambda c: (rows // c["TILE_ROWS"],), {"ROWS": rows, "D": d, "BLOCK": power_of_two(d)}, ("TILE_ROWS",))
    for parts in (256, 512) if rows > 4096 else (32,):
        columns = Step("columns_atomic", {"x_ptr": "x", "grad_ptr": "grad", "out_ptr": "grad_w"},
                       lambda c, parts=parts: (d // c["BLOCK"], parts), {"SPLIT": rows // parts, "C": d, "WEIGHTED": True}, ("RT", "BLOCK", "IN"))
        tiles = whole_tiles(configs(TILE_ROWS=(2, 4), RT=(8, 16), BLOCK=(128, 256), IN=("evict_first",), warps=(8,)), rows, parts, d)
        kernels.append(Kernel("fixed.py", [outer, columns], tiles, f"outer product, then columns by atomics, {parts} parts"))

    def eager(torch, t):
        torch.outer(t["grad"], t["weight"], out=t["grad_x"])
        torch.mv(t["x"].t(), t["grad"], out=t["grad_w"])
        return {"grad_x": t["grad_x"], "grad_w": t["grad_w"]}

    def compiled(torch, x, weight, grad, grad_x, grad_w, partial):
        return {"grad_x": grad_x.copy_(grad[:, None] * weight), "grad_w": grad_w.copy_((x * grad[:, None]).sum(0))}

    def reference(torch, t):
        x, w, g = (t[name].double() for name in ("x", "weight", "grad"))
        return {"grad_x": torch.outer(g, w), "grad_w": x.t() @ g}

    return Row("weighted_sum_backward", f"weighted sum's gradients, {rows} x {d}", buffers, kernels, reference, 2e-5,
               bytes=2 * buffers["x"].bytes, peers={"torch": eager}, compiled=compiled)


def exact_softmax(rows, c):
    """By tiles of the rows' own size, which Triton has none of: it takes all that softmax does."""
    row = softmax(rows, c)
    row.name, row.title = f"softmax_{c}_exact", f"{row.title}, exact tiles"
    for kernel in row.kernels:
        kernel.ours = False
    warps = [w for w in (1, 2, 4, 8, 16) if w * 64 <= c]
    one = Step("softmax", {"x_ptr": "x", "out_ptr": "out"}, lambda _: (rows,), {"BLOCK": c, "C": c}, ("IN", "OUT"))
    several = Step("softmax_rows", {"x_ptr": "x", "out_ptr": "out"}, lambda config: (cdiv(rows, config["ROWS"]),),
                   {"R": rows, "C": c, "BLOCK": c}, ("ROWS", "IN", "OUT"))
    row.kernels += [Kernel("fixed.py", [one], hinted(configs(warps=warps)), "a row a program", triton=False),
                    Kernel("fixed.py", [several], hinted(configs(ROWS=(2, 4), warps=(2, 4, 8))), "several rows", triton=False)]
    return row


def softmax(rows, c):
    buffers = {"x": Buffer("fp32", (rows, c)), "out": Buffer("fp32", (rows, c), "out")}
    block = power_of_two(c)
    one = Step("softmax", {"x_ptr": "x", "out_ptr": "out", "C": c}, lambda _: (rows,), {"BLOCK": block})
    wide = [w for w in (1, 2, 4, 8, 16, 32) if block // 128 <= 32 * w * 2 and w * 64 <= block]
    kernels = [Kernel("reduce.py", [one], configs(warps=wide), "a row a program")]
    known = Step("softmax", {"x_ptr": "x", "out_ptr": "out"}, lambda _: (rows,), {"BLOCK": block, "C": c}, ("IN", "OUT"))
    kernels.append(Kernel("fixed.py", [known], hinted(configs(warps=wide)), "known length"))
    if block <= 4096:
        several = Step("softmax_rows", {"x_ptr": "x", "out_ptr": "out", "R": rows, "C": c},
                       lambda config: (cdiv(rows, config["ROWS"]),), {"BLOCK": block}, ("ROWS",))
        kernels.append(Kernel("reduce.py", [several], configs(ROWS=(2, 4), warps=(4, 8)), "several rows"))
        several = Step("softmax_rows", {"x_ptr": "x", "out_ptr": "out"}, lambda config: (cdiv(rows, config["ROWS"]),),
                       {"R": rows, "C": c, "BLOCK": block}, ("ROWS", "IN", "OUT"))
        kernels.append(Kernel("fixed.py", [several], hinted(configs(ROWS=(2,), warps=(2, 4)) + configs(ROWS=(4,), warps=(4, 8))),
                              "several rows, sizes known"))
    if block == c and block >= 65536:
        kept = Step("softmax_kept", {"x_ptr": "x", "out_ptr": "out"}, lambda _: (rows,), {"C": c}, ("KEPT", "BLOCK", "IN", "OUT"))
        tiles = configs(KEPT=(16384, 32768), BLOCK=(4096, 8192), warps=(16,))
        kernels.append(Kernel("fixed.py", [kept], hinted(tiles), "a part kept"))
    if block >= 16384:
        twice = Step("softmax_twice", {"x_ptr": "x", "out_ptr": "out", "C": c}, lambda _: (rows,), takes=("BLOCK",))
        kernels.append(Kernel("reduce.py", [twice], configs(BLOCK=(4096, 8192), warps=(8, 16)) +
                              configs(BLOCK=(8192, 16384), warps=(32,)), "a row a program, read twice"))
    return Row(f"softmax_{c}", f"softmax, {rows} x {c} fp32", buffers, kernels,
               lambda torch, t: {"out": torch.softmax(t["x"].double(), 1)}, 1e-4, bytes=2 * buffers["x"].bytes,
               peers={"torch": lambda torch, t: torch.softmax(t["x"], 1, out=t["out"])},
               compiled=lambda torch, x, out: out.copy_(torch.softmax(x, 1)))


def layer_norm(rows, c):
    buffers = {"x": Buffer("fp16", (rows, c)), "w": Buffer("fp16", (c,)), "b": Buffer("fp16", (c,)),
               "out": Buffer("fp16", (rows, c), "out")}
    step = Step("layer_norm", {"x_ptr": "x", "w_ptr": "w", "b_ptr": "b", "out_ptr": "out", "C": c, "eps": 1e-5},
                lambda _: (rows,), {"BLOCK": power_of_two(c)}, ("EARLY",))
    kernels = [Kernel("reduce.py", [step], configs(EARLY=(1, 0), warps=(4, 2, 8)), "a row a program")]
    block = power_of_two(c)
    known = Step("layer_norm", {"x_ptr": "x", "w_ptr": "w", "b_ptr": "b", "out_ptr": "out", "eps": 1e-5}, lambda _: (rows,),
                 {"BLOCK": block, "C": c}, ("EARLY", "IN", "OUT"))
    kernels.append(Kernel("fixed.py", [known], hinted(configs(EARLY=(0, 1), warps=(2, 4, 8))), "known length"))
    if c <= 1024:
        several = Step("layer_norm_rows", {"x_ptr": "x", "w_ptr": "w", "b_ptr": "b", "out_ptr": "out", "R": rows, "C": c, "eps": 1e-5},
                       lambda config: (cdiv(rows, config["ROWS"]),), {"BLOCK": power_of_two(c)}, ("ROWS",))
        kernels.append(Kernel("reduce.py", [several], configs(ROWS=(2, 4), warps=(2, 4, 8)), "several rows"))
    if c <= 1024:
        several = Step("layer_norm_rows", {"x_ptr": "x", "w_ptr": "w", "b_ptr": "b", "out_ptr": "out", "eps": 1e-5},
                       lambda config: (cdiv(rows, config["ROWS"]),), {"R": rows, "C": c, "BLOCK": block}, ("ROWS", "IN", "OUT"))
        kernels.append(Kernel("fixed.py", [several], hinted(configs(ROWS=(2, 4), warps=(2, 4, 8))), "several rows, sizes known"))

    def norm(torch, x, w, b):
        return torch.nn.functional.layer_norm(x, (c,), w, b, 1e-5)

    def eager(torch, t):
        mean, rstd = (torch.empty((rows, 1), dtype=torch.float32, device=t["x"].device) for _ in range(2))
        return torch.ops.aten.native_layer_norm.out(t["x"], (c,), t["w"], t["b"], 1e-5, out0=t["out"], out1=mean, out2=rstd)[0]

    return Row(f"layer_norm_{c}", f"layer norm, {rows} x {c} fp16", buffers,
               kernels, lambda torch, t: {"out": norm(torch, t["x"].double(), t["w"].double(), t["b"].double())}, 2e-2,
               bytes=2 * buffers["x"].bytes, peers={"torch": eager},
               compiled=lambda torch, x, w, b, out: out.copy_(norm(torch, x, w, b)))


def column_sum(rows, c):
    buffers = {"x": Buffer("fp32", (rows, c)), "out": Buffer("fp32", (c,), "out"), "partial": Buffer("fp32", (256, c), "scratch")}
    kernels = []
    for parts in (128, 256):
        split = cdiv(rows, parts)
        first = Step("column_sum", {"x_ptr": "x", "out_ptr": "partial", "R": rows, "C": c, "SPLIT": split},
                     lambda k, parts=parts: (cdiv(c, k["BLOCK"]), parts), takes=("RT", "BLOCK"))
        second = Step("column_sum", {"x_ptr": "partial", "out_ptr": "out", "R": parts, "C": c, "SPLIT": parts},
                      lambda k: (cdiv(c, 8), 1), {"RT": 32, "BLOCK": 8})
        kernels.append(Kernel("reduce.py", [first, second], configs(RT=(16, 32), BLOCK=(128, 256), warps=(4,)), f"{parts} parts"))
    for parts in (64, 128, 256) if rows > 4096 else (32,):
        same, takes = {"SPLIT": rows // parts, "C": c, "WEIGHTED": False}, ("RT", "BLOCK", "IN")
        tiles = whole_tiles(configs(RT=(8, 16), BLOCK=(128, 256), IN=HINTS, warps=(8,)), rows, parts, c)

        def grid(k, parts=parts):
            return (c // k["BLOCK"], parts)

        clear = Step("clear_row", {"out_ptr": "out"}, lambda k: (1,), {"C": c, "BLOCK": power_of_two(c)})
        atomic = Step("columns_atomic", {"x_ptr": "x", "grad_ptr": "x", "out_ptr": "out"}, grid, same, takes)
        kernels.append(Kernel("fixed.py", [clear, atomic], tiles, f"atomics, {parts} parts"))
        first = Step("columns_partial", {"x_ptr": "x", "grad_ptr": "x", "partial_ptr": "partial"}, grid, same, takes)
        last = Step("columns_finish", {"partial_ptr": "partial", "out_ptr": "out"}, lambda k: (c // 8,), {"C": c, "PARTS": parts, "BLOCK": 8})
        kernels.append(Kernel("fixed.py", [first, last], tiles, f"two launches, {parts} parts"))
    return Row("column_sum", f"column sums, {rows} x {c} fp32", buffers, kernels,
               lambda torch, t: {"out": t["x"].double().sum(0)}, 1e-5, bytes=buffers["x"].bytes,
               peers={"torch": lambda torch, t: torch.sum(t["x"], 0, out=t["out"])},
               compiled=lambda torch, x, out, partial: out.copy_(x.sum(0)))


def total(n, small):
    """Random inputs, so that the sum is about the square root of n: the tolerance is loose for that."""
    programs = 8 if small else 132 * 8
    buffers = {"x": Buffer("fp32", (n,), "rand"), "out": Buffer("fp32", (1,), "out"), "partial": Buffer("fp32", (programs,), "scratch")}
    first = Step("partial_sum", {"x_ptr": "x", "out_ptr": "partial", "n": n}, lambda c: (programs,), takes=("BLOCK",))
    second = Step("partial_sum", {"x_ptr": "partial", "out_ptr": "out", "n": programs}, lambda c: (1,), {"BLOCK": 2048})
    clear = Step("clear", {"out_ptr": "out"}, lambda c: (1,))
    atomic = Step("atomic_sum", {"x_ptr": "x", "out_ptr": "out", "n": n}, lambda c: (cdiv(n, c["BLOCK"]),), takes=("BLOCK",))
    known = []
    if not small:
        zero = Step("clear_row", {"out_ptr": "out"}, lambda c: (1,), {"C": 1, "BLOCK": 1})
        whole = Step("atomic_sum", {"x_ptr": "x", "out_ptr": "out"}, lambda c: (n // c["BLOCK"],), {"N": n}, ("BLOCK", "IN"))
        known.append(Kernel("fixed.py", [zero, whole], configs(BLOCK=(16384, 32768), IN=HINTS, warps=(8, 16)), "atomics, size known"))
    return Row("sum", f"sum of {n} fp32", buffers,
               [Kernel("reduce.py", [first, second], configs(BLOCK=(1024, 2048, 4096), warps=(4, 8)), "two launches"),
                Kernel("reduce.py", [clear, atomic], configs(BLOCK=(4096, 8192, 16384), warps=(4, 8)), "atomics")] + known,
               lambda torch, t: {"out": t["x"].double().sum()[None]}, 1e-4, bytes=buffers["x"].bytes,
               peers={"torch": lambda torch, t: torch.sum(t["x"])[None]}, compiled=lambda torch, x, out, partial: out.copy_(x.sum()[None]))


def cumsum(rows, c):
    buffers = {"x": Buffer("fp32", (rows, c)), "out": Buffer("fp32", (rows, c), "out")}
    step = Step("cumsum", {"x_ptr": "x", "out_ptr": "out", "C": c}, lambda _: (rows,), {"BLOCK": power_of_two(c)})
    block = power_of_two(c)
    kernels = [Kernel("reduce.py", [step], configs(warps=(1, 2, 4, 8, 16)))]
    known = Step("cumsum", {"x_ptr": "x", "out_ptr": "out"}, lambda _: (rows,), {"BLOCK": block, "C": c}, ("IN", "OUT"))
    kernels.append(Kernel("fixed.py", [known], hinted(configs(warps=(1, 2, 4, 8))), "known length"))
    return Row("cumsum", f"cumulative sums of rows, {rows} x {c} fp32", buffers,
               kernels,
               lambda torch, t: {"out": t["x"].double().cumsum(1)}, 1e-4, bytes=2 * buffers["x"].bytes,
               peers={"torch": lambda torch, t: torch.cumsum(t["x"], 1, out=t["out"])},
               compiled=lambda torch, x, out: out.copy_(x.cumsum(1)))


def rows(small):
    n = (lambda full, tiny: tiny) if small else (lambda full, tiny: full)
    result = [weighted_sum(n(65536, 64), n(1024, 200), only) for only in (False, True)]
    result += [weighted_sum_backward(n(65536, 512), n(1024, 128))]
    result += [softmax(n(8192, 4), c) for c in n((781, 1024, 4096, 16384, 65536), (781, 1024, 2048))]
    result += [exact_softmax(n(8192, 4), c) for c in n((781, 1000, 3000), (781,))]
    result += [layer_norm(n(8192, 4), c) for c in n((1024, 4096, 8192), (1024, 1500))]
    return result + [column_sum(n(65536, 512), n(1024, 128)), total(n(2**28, 20000), small), cumsum(n(8192, 4), n(4096, 1024))]
