# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matmuls and attention."""
import math

from work import Buffer, Kernel, Row, Step, cdiv, configs

# Candidates for 8- and 16-bit operands: (BLOCK_M, BLOCK_N, BLOCK_K, num_warps, num_stages).
TILES = [(128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (256, 128, 64, 8, 4), (128, 128, 64, 4, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3),
         (256, 128, 64, 8, 3), (64, 256, 64, 4, 3), (128, 64, 64, 4, 4), (64, 128, 64, 4, 4), (64, 64, 64, 4, 5),
         (64, 64, 128, 4, 3), (128, 128, 32, 4, 4)]
FP32_TILES = [(128, 128, 32, 8, 3), (128, 128, 32, 4, 3), (128, 64, 32, 4, 3), (64, 128, 32, 4, 3), (64, 64, 32, 4, 3),
              (128, 128, 16, 8, 3), (128, 128, 16, 4, 3), (128, 256, 16, 8, 3), (256, 128, 16, 8, 3), (128, 128, 8, 8, 4),
              (128, 256, 32, 8, 3), (128, 256, 32, 8, 4), (256, 128, 32, 8, 3), (256, 128, 32, 8, 4)]


def tile_configs(tiles, scale_k=1, group=8):
    return [{"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k * scale_k, "GROUP_M": group, "num_warps": w, "num_stages": s}
            for m, n, k, w, s in tiles]


def pointer_kernel(m, n, k, transposed, tiles, acc="fp32", precision="ieee"):
    step = Step("matmul", {"a_ptr": "a", "b_ptr": "b", "c_ptr": "c", "M": m, "N": n, "K": k, "stride_am": k, "stride_ak": 1,
                           "stride_bk": 1 if transposed else n, "stride_bn": k if transposed else 1},
                lambda c: (cdiv(m, c["BLOCK_M"]) * cdiv(n, c["BLOCK_N"]),), {"ACC": f"dtype:{acc}", "PRECISION": precision},
                ("BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M"))
    return Kernel("matmul.py", [step], tiles, "pointers")


def descriptor_kernel(m, n, k, transposed, tiles):
    step = Step("matmul_descriptor", {"a_ptr": "a", "b_ptr": "b", "c_ptr": "c", "M": m, "N": n, "K": k},
                lambda c: (cdiv(m, c["BLOCK_M"]) * cdiv(n, c["BLOCK_N"]),), {"TRANSPOSED": transposed},
                ("BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M"))
    return Kernel("matmul.py", [step], tiles, "descriptors")


def operands(m, n, k, dtype, out, transposed, fill="randn"):
    b = Buffer(dtype, (n, k) if transposed else (k, n), fill, transposed=transposed)
    return {"a": Buffer(dtype, (m, k), fill), "b": b, "c": Buffer(out, (m, n), "out")}


def product(torch, t):
    return {"c": t["a"].double() @ t["b"].double()}


def half(dtype, m, n, k, transposed, tag=""):
    letters = "NT" if transposed else "NN"
    size = f"{m}^3" if m == n == k else f"{m} x {n} x {k}"
    kernels = [pointer_kernel(m, n, k, transposed, tile_configs(TILES))]
    if k % 8 == 0 and n % 8 == 0:
        kernels.append(descriptor_kernel(m, n, k, transposed, tile_configs(TILES)))
    return Row(f"matmul_{dtype}_{m}{tag}_{letters}", f"matmul {dtype}, {size} {letters}", operands(m, n, k, dtype, dtype, transposed),
               kernels, product, 6e-3 if dtype == "fp16" else 4e-2, flops=2 * m * n * k, ceiling="fp16",
               peers={"cuBLAS": lambda torch, t: torch.mm(t["a"], t["b"], out=t["c"])})


def fp32(precision, m, n, k):
    def cublas(torch, t):
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        try:
            return torch.mm(t["a"], t["b"], out=t["c"])
        finally:
            torch.backends.cuda.matmul.allow_tf32 = False

    tolerance = {"ieee": 1e-4, "tf32": 1e-2, "tf32x3": 1e-4}[precision]
    return Row(f"matmul_{precision}", f"matmul fp32 as {precision}, {m} x {n} x {k}", operands(m, n, k, "fp32", "fp32", False),
               [pointer_kernel(m, n, k, False, tile_configs(FP32_TILES), precision=precision)], product, tolerance,
               flops=2 * m * n * k, ceiling=precision, peers={"cuBLAS": cublas} if precision != "tf32x3" else {})


def fp8(size):
    def scaled(torch, t):
        one = torch.ones((), device=t["a"].device)
        return lambda: torch._scaled_mm(t["a"], t["b"], one, one, out_dtype=torch.bfloat16)

    return Row("matmul_e4m3", f"matmul e4m3, {size}^3 NT, bf16 out", operands(size, size, size, "fp8e4nv", "bf16", True),
               [pointer_kernel(size, size, size, True, tile_configs(TILES, 2)),
                descriptor_kernel(size, size, size, True, tile_configs(TILES, 2))], product, 6e-2,
               flops=2 * size**3, ceiling="fp8", peers={"cuBLAS": scaled})


def int8(size):
    return Row("matmul_int8", f"matmul int8, {size}^3 NT, int32 out", operands(size, size, size, "i8", "i32", True, "rand"),
               [pointer_kernel(size, size, size, True, tile_configs(TILES, 2), "i32")], product, 0,
               flops=2 * size**3, ceiling="int8", peers={"cuBLAS": lambda torch, t: torch._int_mm(t["a"], t["b"])})


def block_matmul(function, dtype, size):
    """The work of two textbook kernels; coalesced_ reads its second operand transposed."""
    transposed = function.startswith("coalesced")
    buffers = {"a": Buffer(dtype, (size, size)), "b": Buffer(dtype, (size, size), transposed=transposed), "c": Buffer(dtype, (size, size), "out")}
    step = Step(function, {"x_ptr": "a", "y_ptr": "b", "z_ptr": "c", "M": size, "N": size, "K": size},
                lambda c: (cdiv(size, c["BLOCK"]), cdiv(size, c["BLOCK"])), {"PRECISION": "ieee"}, ("BLOCK",))
    return Row(f"{function}_{dtype}", f"{function}, {size}^3 {dtype}", buffers,
               [Kernel("matmul.py", [step], configs(BLOCK=(32, 64, 128), warps=(4, 8), stages=(2, 3, 4)))], product,
               1e-4 if dtype == "fp32" else 6e-3, flops=2 * size**3, ceiling="ieee" if dtype == "fp32" else "fp16",
               peers={"cuBLAS": lambda torch, t: torch.mm(t["a"], t["b"], out=t["c"])})


def attention(heads, n, d, causal, tag=""):
    shape = (heads, n, d)
    buffers = {name: Buffer("fp16", shape) for name in ("q", "k", "v")}
    buffers["out"] = Buffer("fp16", shape, "out")
    scale = d**-0.5

    def step(ragged):
        return Step("attention", {"q_ptr": "q", "k_ptr": "k", "v_ptr": "v", "out_ptr": "out", "scale": scale * math.log2(math.e), "N": n},
                    lambda c: (cdiv(n, c["BLOCK_M"]), heads), {"D": d, "CAUSAL": causal, "RAGGED": ragged}, ("BLOCK_M", "BLOCK_N"))

    tiles = configs(BLOCK_M=(64, 128), BLOCK_N=(32, 64), warps=(4, 8), stages=(2, 3)) + \
        configs(BLOCK_M=(128,), BLOCK_N=(128,), warps=(8,), stages=(2, 3))
    kernels = [Kernel("attention.py", [step(False)], tiles)]
    if d == 64 and not causal:  # by three warpgroups; Triton has no such tiles
        kernels.append(Kernel("attention.py", [step(True)], configs(BLOCK_M=(192,), BLOCK_N=(128,), warps=(16,), stages=(2, 3)),
                              "192 rows", triton=False, copies=True))

    def reference(torch, t):
        out = torch.empty(shape, dtype=torch.float64, device=t["q"].device)
        mask = torch.ones(n, n, dtype=torch.bool, device=out.device).triu(1) if causal else None
        for head in range(heads):
            q, k, v = (t[name][head].double() for name in ("q", "k", "v"))
            s = q @ k.t() * scale
            out[head] = torch.softmax(s.masked_fill(mask, -float("inf")) if causal else s, 1) @ v
        return {"out": out}

    def sdpa(backend):
        def peer(torch, t):
            from torch.nn.attention import SDPBackend, sdpa_kernel
            q, k, v = (t[name][None] for name in ("q", "k", "v"))

            def run():
                with sdpa_kernel(getattr(SDPBackend, backend)):
                    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)[0]
            return run
        return peer

    flops = 4 * heads * n * n * d / (2 if causal else 1)
    return Row(("attention_causal" if causal else "attention") + tag, f"attention forward fp16, {heads} heads x {n} x {d}{', causal' if causal else ''}",
               buffers, kernels, reference, 2e-2, flops=flops, ceiling="fp16",
               peers={"cuDNN": sdpa("CUDNN_ATTENTION"), "flash": sdpa("FLASH_ATTENTION")})


def rows(small):
    n = (lambda full, tiny: tiny) if small else (lambda full, tiny: full)
    result = []
    for dtype in ("fp16", "bf16"):
        for size in n((8192, 4096), (128,)):
            result += [half(dtype, size, size, size, transposed) for transposed in (False, True)]
    result += [half("fp16", n(1024, 256), n(1024, 256), n(1024, 128), False, "_small"),
               half("fp16", *n((4095, 4097, 4099), (95, 97, 99)), False, "_ragged")]
    result += [fp32(precision, *n((8192, 4096, 6144), (128, 128, 64))) for precision in ("ieee", "tf32", "tf32x3")]
    result += [fp8(n(8192, 256)), int8(n(8192, 256))]
    for dtype in ("fp32", "fp16"):
        result += [block_matmul(function, dtype, n(4096, 128)) for function in ("block_matmul", "coalesced_block_matmul")]
    result += [attention(n(128, 2), n(4096, 256), n(128, 64), causal) for causal in (False, True)]
    return result + [attention(n(128, 2), n(4096, 256), 64, False, "_64")]
