# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows whose ceiling is a copy."""
from work import Buffer, Kernel, Row, Step, cdiv, configs, hinted

ELEMENTWISE = configs(BLOCK=(1024, 2048, 4096), warps=(4, 8)) + configs(BLOCK=(512,), warps=(2, 4))


def pointwise(function, buffers, n):
    args = {**{f"{name}_ptr": name for name in buffers}, "n": n}
    return Kernel("memory.py", [Step(function, args, lambda c: (cdiv(n, c["BLOCK"]),), takes=("BLOCK",))], ELEMENTWISE)


def add(name, title, n, dtype="fp32", tolerance=1e-6):
    buffers = {"x": Buffer(dtype, (n,)), "y": Buffer(dtype, (n,)), "out": Buffer(dtype, (n,), "out")}
    return Row(f"add_{name}", f"add, {title} {dtype}", buffers, [pointwise("add", buffers, n)],
               lambda torch, t: {"out": t["x"].double() + t["y"].double()}, tolerance, bytes=3 * buffers["x"].bytes,
               peers={"torch": lambda torch, t: torch.add(t["x"], t["y"], out=t["out"])})


def elu(name, title, n):
    buffers = {"x": Buffer("fp32", (n,)), "out": Buffer("fp32", (n,), "out")}

    def reference(torch, t):
        x = t["x"].double()
        return {"out": torch.where(x < 0, torch.expm1(x), x)}

    return Row(f"elu_{name}", f"ELU, {title} fp32", buffers, [pointwise("elu", buffers, n)], reference, 1e-6,
               bytes=2 * buffers["x"].bytes, peers={"torch": lambda torch, t: torch.ops.aten.elu.out(t["x"], out=t["out"])},
               compiled=lambda torch, x, out: out.copy_(torch.where(x < 0, torch.exp(x) - 1, x)))


def transpose(size, dtype):
    buffers = {"x": Buffer(dtype, (size, size)), "out": Buffer(dtype, (size, size), "out")}
    step = Step("transpose", {"x_ptr": "x", "out_ptr": "out", "M": size, "N": size},
                lambda c: (cdiv(size, c["BLOCK_N"]), cdiv(size, c["BLOCK_M"])), takes=("BLOCK_M", "BLOCK_N"))
    tiles = configs(BLOCK_M=(32, 64, 128), BLOCK_N=(32, 64, 128), warps=(4, 8))
    return Row(f"transpose_{dtype}", f"transpose, {size}^2 {dtype}", buffers, [Kernel("memory.py", [step], tiles)],
               lambda torch, t: {"out": t["x"].t()}, 0, bytes=2 * buffers["x"].bytes,
               peers={"torch": lambda torch, t: t["out"].copy_(t["x"].t())},
               compiled=lambda torch, x, out: out.copy_(x.t()))


def gather(rows, index):
    d = 64
    buffers = {"table": Buffer("fp16", (rows, d)), "index": Buffer(index, (rows,), "index", limit=rows),
               "out": Buffer("fp16", (rows, d), "out")}
    step = Step("gather", {"table_ptr": "table", "index_ptr": "index", "out_ptr": "out", "n": rows},
                lambda c: (cdiv(rows, c["ROWS"]),), {"D": d}, ("ROWS",))
    return Row(f"gather_{index}", f"gather of {rows} rows of 64 fp16 by {index}", buffers,
               [Kernel("memory.py", [step], configs(ROWS=(16, 32, 64, 128, 256), warps=(4, 8)))],
               lambda torch, t: {"out": t["table"][t["index"].long()]}, 0,
               bytes=2 * buffers["table"].bytes + buffers["index"].bytes,
               peers={"torch": lambda torch, t: torch.index_select(t["table"], 0, t["index"], out=t["out"])})


def conv1d(n, taps):
    buffers = {"x": Buffer("fp32", (n + taps - 1,)), "out": Buffer("fp32", (n,), "out")}
    step = Step("conv1d", {"x_ptr": "x", "out_ptr": "out", "n": n}, lambda c: (cdiv(n, c["BLOCK"]),), {"TAPS": taps},
                ("BLOCK",))
    known = Step("conv1d", {"x_ptr": "x", "out_ptr": "out"}, lambda c: (n // c["BLOCK"],), {"N": n, "TAPS": taps}, ("BLOCK", "IN", "OUT"))

    def mean(x):
        return sum(x[i:i + n] for i in range(taps)) / taps

    def reference(torch, t):
        return {"out": mean(t["x"].double())}

    return Row(f"conv1d_{taps}", f"1-D convolution, {taps} taps, {n} fp32", buffers,
               [Kernel("memory.py", [step], ELEMENTWISE), Kernel("fixed.py", [known], hinted(ELEMENTWISE), "size known")], reference, 2e-6,
               bytes=buffers["x"].bytes + buffers["out"].bytes, compiled=lambda torch, x, out: out.copy_(mean(x)),
               peers={"torch avg_pool1d": lambda torch, t: torch.nn.functional.avg_pool1d(t["x"][None, None], taps, 1)[0, 0]})


def rows(small):
    n = (lambda full, tiny: tiny) if small else (lambda full, tiny: full)
    return [
        add("2p27", "2^27", n(2**27, 4096)), add("2p27_odd", "2^27 - 3", n(2**27 - 3, 4093)),
        add("2p20", "2^20", n(2**20, 2048)),
        add("fp16", "2^28", n(2**28, 4096), "fp16", 5e-3), add("bf16", "2^28", n(2**28, 4096), "bf16", 4e-2),
        elu("1e8", "10^8", n(10**8, 4000)), elu("1e8_odd", "10^8 - 3", n(10**8 - 3, 3997)),
        transpose(n(16384, 128), "fp32"), transpose(n(16384, 128), "fp16"),
        gather(n(2**22, 256), "i32"), gather(n(2**22, 256), "i64"),
        conv1d(n(2**27, 4096), 3), conv1d(n(2**27, 4096), 7),
    ]
