# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for Blackwell from QuACK and FlashAttention-4, as their own host code launches them. No GPU is needed.

    PYTHON-WITH-THEM tests/gpu-optional/cute/check.py LIBTILEC.SO [PATTERN]

Each runs on the simulator under all schedules, without and with checks. Results are compared with float64. A report
that no row of KNOWN names is a failure. Closes with 'N passed, N failed'."""
import collections
import re
import sys

import host  # first: it prepares the DSL
import torch

import flash_attn.cute.interface as attention
import quack.gemm
import simulator


# Part of a report: the name that docs/simulator.md gives it.
KNOWN = {
    "tcgen05.fence::after_thread_sync": "after",
    "tcgen05.fence::before_thread_sync": "before",
    "and an earlier write are not ordered": "stores",
    "execute different setmaxnreg": "registers",
    "is initialised again without mbarrier.inval": "twice",
    "tcgen05.wait::ld by": "loads",
    "may still read shared memory when its thread has ended": "reads",
    "of the cluster is accessed, and that CTA may have ended": "ended",
    "try_cancel that failed is undefined": "cancel",
}
Case = collections.namedtuple("Case", "name run bound")  # run: the pairs of a result and what it should be


class CudaTensor(torch.Tensor):
    is_cuda = True


def random(*shape, dtype=torch.float16, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


# ---- QuACK ----

def matmul(m, n, k, tile, cluster, dtype=torch.float16, **options):
    def run():
        a, b = random(m, k, dtype=dtype), random(n, k, dtype=dtype, seed=1)
        out = torch.full((m, n), torch.nan)
        quack.gemm.gemm(a, b, out, None, None, *tile, *cluster, **options)
        return [(out, a.double() @ b.double().T)]
    return run


# Several matrices lie one after another in the rows of A. Each is multiplied by another matrix.
def grouped_matmul(rows, n, k, tile, cluster):
    def run():
        a, b = random(sum(rows), k), random(len(rows), n, k, seed=1)
        out, ends = torch.full((sum(rows), n), torch.nan), torch.tensor([0, *rows]).cumsum(0).int()
        quack.gemm.gemm(a, b, out, None, None, *tile, *cluster, cu_seqlens_m=ends)
        parts = [a[ends[i]:ends[i + 1]].double() @ b[i].double().T for i in range(len(rows))]
        return [(out, torch.cat(parts))]
    return run


FP4 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=torch.float64)


# Random codes of a format: as the kernel takes them, and their values.
def elements(rows, k, kind, seed):
    codes = torch.randint(0, 256, (rows, k), dtype=torch.uint8, generator=torch.Generator().manual_seed(seed))
    if kind == "fp8":
        codes &= 0xbf
        return codes.view(torch.float8_e4m3fn), codes.view(torch.float8_e4m3fn).double()
    codes &= 15
    values = FP4[(codes & 7).long()] * torch.where(codes & 8 > 0, -1, 1)
    return (codes[:, ::2] | codes[:, 1::2] << 4).view(torch.float4_e2m1fn_x2), values


# Scales of `group` elements each: 32 x 4 rows by 4 groups lie together (PTX ISA 9.7.16.10.7).
def scales(rows, k, group, seed):
    generator = torch.Generator().manual_seed(seed)
    if group == 32:
        codes = torch.randint(124, 131, (rows, k // 32), dtype=torch.uint8, generator=generator)
        dtype, values = torch.float8_e8m0fnu, 2.0**(codes.double() - 127)
    else:
        codes = torch.randint(0x30, 0x40, (rows, k // 16), dtype=torch.uint8, generator=generator)
        dtype, values = torch.float8_e4m3fn, codes.view(torch.float8_e4m3fn).double()
    blocks = codes.view(rows // 128, 4, 32, k // group // 4, 4).permute(0, 3, 2, 1, 4).contiguous()
    return blocks.view(dtype), values.repeat_interleave(group, 1)


FORMATS = {"mxfp8_e4m3": ("fp8", 32), "mxfp4": ("fp4", 32), "nvfp4": ("fp4", 16)}


def scaled_matmul(m, n, k, formats, tile, cluster, **options):
    def run():
        (kind_a, group), (kind_b, _) = (FORMATS[name] for name in formats)
        (a, of_a), (b, of_b) = elements(m, k, kind_a, 2), elements(n, k, kind_b, 3)
        (sa, scale_a), (sb, scale_b) = scales(m, k, group, 4), scales(n, k, group, 5)
        out = torch.full((m, n), torch.nan)
        quack.gemm.gemm(a, b, out, None, None, *tile, *cluster, SFA=sa, SFB=sb, bs_format_a=formats[0],
                        bs_format_b=formats[1], **options)
        return [(out, (of_a * scale_a) @ (of_b * scale_b).T)]
    return run


# ---- FlashAttention-4 ----

def attend(q, k, v, causal):
    repeats = q.shape[2] // k.shape[2]
    q, k, v = q.transpose(1, 2), *(x.transpose(1, 2).repeat_interleave(repeats, 1) for x in (k, v))
    logits = q @ k.transpose(-1, -2) / q.shape[-1]**0.5
    if causal:
        logits = logits.masked_fill(~torch.ones(logits.shape[-2:], dtype=torch.bool).tril(), -torch.inf)
    return (logits.softmax(-1) @ v).transpose(1, 2), logits.logsumexp(-1)


def attention_forward(length, heads, kv_heads, width, causal):
    def run():
        counts = enumerate((heads, kv_heads, kv_heads))
        q, k, v = (random(1, length, count, width, dtype=torch.bfloat16, seed=i) for i, count in counts)
        out, lse = torch.zeros_like(q), torch.zeros(1, heads, length)
        attention._flash_attn_fwd(*(x.as_subclass(CudaTensor) for x in (q, k, v)), causal=causal, return_lse=True,
                                  out=out.as_subclass(CudaTensor), lse=lse.as_subclass(CudaTensor), _arch=100)
        return list(zip((out, lse), attend(q.double(), k.double(), v.double(), causal)))
    return run


def attention_backward(length, heads, width, causal):
    def run():
        inputs = [random(1, length, heads, width, dtype=torch.bfloat16, seed=i) for i in range(3)]
        exact = [x.double().requires_grad_() for x in inputs]
        out, lse = attend(*exact, causal)
        grad = random(*out.shape, dtype=torch.bfloat16, seed=3)
        out.backward(grad.double())
        made = [torch.zeros_like(x) for x in inputs]
        given = [*inputs, out.detach().bfloat16(), grad, lse.detach().float()]
        attention._flash_attn_bwd(*(x.as_subclass(CudaTensor) for x in given), causal=causal,
                                  **{name: x.as_subclass(CudaTensor) for name, x in zip(("dq", "dk", "dv"), made)})
        return list(zip(made, (x.grad for x in exact)))
    return run


CASES = [
    Case("QuACK matmul, fp16", matmul(256, 256, 256, (128, 128), (1, 1)), 1e-3),
    Case("QuACK matmul, bf16, pairs", matmul(512, 512, 256, (256, 256), (2, 1), torch.bfloat16), 1e-3),
    Case("QuACK matmul, fp16, pairs, cluster launch control",
         matmul(512, 512, 256, (256, 128), (2, 1), is_dynamic_persistent=True), 1e-3),
    Case("QuACK matmul, fp16, cluster of 2 x 2, cluster launch control",
         matmul(512, 512, 192, (128, 128), (2, 2), is_dynamic_persistent=True), 1e-3),
    Case("QuACK matmul, fp16, groups of rows, pairs", grouped_matmul((200, 56, 256), 256, 128, (256, 128), (2, 1)), 1e-3),
    Case("QuACK matmul, mxfp8, pairs", scaled_matmul(512, 256, 256, ["mxfp8_e4m3"] * 2, (256, 128), (2, 1)), 1e-3),
    Case("QuACK matmul, nvfp4, pairs, cluster launch control",
         scaled_matmul(512, 256, 512, ["nvfp4"] * 2, (256, 128), (2, 1), is_dynamic_persistent=True), 1e-3),
    Case("QuACK matmul, mxfp8 x mxfp4", scaled_matmul(256, 256, 256, ["mxfp8_e4m3", "mxfp4"], (128, 128), (1, 1)), 1e-3),
    Case("FlashAttention-4, head 64", attention_forward(256, 2, 2, 64, False), 1e-2),
    Case("FlashAttention-4, head 128, causal, grouped", attention_forward(256, 2, 1, 128, True), 1e-2),
    Case("FlashAttention-4, head 128, odd length", attention_forward(300, 1, 1, 128, False), 1e-2),
    Case("FlashAttention-4 gradients, head 64", attention_backward(256, 1, 64, False), 1e-2),
    Case("FlashAttention-4 gradients, head 128, causal", attention_backward(256, 1, 128, True), 1e-2),
]


# The largest error, in units of the reference's largest value.
def error_of(pairs):
    return max(float((got.double() - want).abs().max() / want.abs().max()) for got, want in pairs)


def check(library, case, schedule, checks):
    host.current = host.Card(library, schedule, checks)
    error = error_of(case.run())
    reports = host.current.reports
    wrong = [report for report in reports if not any(part in report for part in KNOWN)]
    kinds = ", ".join(name for part, name in KNOWN.items() if any(part in report for report in reports))
    good = error < case.bound and not wrong
    label = f"{'ok' if good else 'not ok'} {case.name}, {schedule}{', checks' if checks else ''}"
    print(f"{label}: error {error:.2g}; {kinds}", *wrong[:5], sep="\n    ", flush=True)
    return good


def main():
    library = simulator.open_library(sys.argv[1])
    pattern = sys.argv[2] if len(sys.argv) > 2 else "."
    good = []
    for case in CASES:
        for schedule in simulator.SCHEDULES if re.search(pattern, case.name) else ():
            for checks in (0, 1):
                try:
                    good.append(check(library, case, schedule, checks))
                except simulator.Error as error:
                    good.append(False)
                    print(f"not ok {case.name}, {schedule}, {checks}: {error}", flush=True)
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return not good or not all(good)


if __name__ == "__main__":
    sys.exit(main())
