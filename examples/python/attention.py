# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""softmax(q k^T / sqrt(d)) v in one pass over the keys (Dao et al., FlashAttention), with its gradients, as an
operator of torch.library. python attention.py [HEADS] [T] [D]"""

import math
import sys

import torch

import tilec
import tilec.language as tl
import tilec.torch


@tilec.jit
def load_rows(base, row, rows, D: tl.constexpr):
    return tl.load(base + row[:, None] * D + tl.arange(0, D)[None, :], mask=(row < rows)[:, None], other=0.0)


@tilec.jit
def store_rows(base, row, rows, value, D: tl.constexpr):
    tl.store(base + row[:, None] * D + tl.arange(0, D)[None, :], value, mask=(row < rows)[:, None])


@tilec.jit
def scores(q, k, row, col, cols, scale, CAUSAL: tl.constexpr, PRECISION: tl.constexpr):
    s = tl.dot(q, tl.trans(k), input_precision=PRECISION) * scale
    seen = (col < cols)[None, :]
    if CAUSAL:
        seen = seen & (col[None, :] <= row[:, None])
    return tl.where(seen, s, float("-inf"))


@tilec.jit
def forward_kernel(
    q,
    k,
    v,
    out,
    lse,
    n,
    scale,
    D: tl.constexpr,
    CAUSAL: tl.constexpr,
    PRECISION: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
):
    # A block of M queries of one head; `lse` keeps the logarithm of each row's sum of exponentials, for the gradients.
    head = tl.program_id(1).to(tl.int64) * n
    row = tl.program_id(0) * M + tl.arange(0, M)
    queries = load_rows(q + head * D, row, n, D)
    most = tl.full((M,), float("-inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    last = tl.minimum((tl.program_id(0) + 1) * M, n) if CAUSAL else n
    for first in range(0, last, N):
        col = first + tl.arange(0, N)
        s = scores(queries, load_rows(k + head * D, col, n, D), row, col, n, scale, CAUSAL, PRECISION)
        larger = tl.maximum(most, tl.max(s, 1))
        p = tl.exp(s - larger[:, None])
        shrink = tl.exp(most - larger)
        total = total * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None]
        values = load_rows(v + head * D, col, n, D)
        acc = tl.dot(p.to(values.dtype), values, acc, input_precision=PRECISION)
        most = larger
    store_rows(out + head * D, row, n, acc / total[:, None], D)
    tl.store(lse + head + row, most + tl.log(total), mask=row < n)


@tilec.jit
def backward_kernel(
    q,
    k,
    v,
    grad_out,
    lse,
    delta,
    grad_k,
    grad_v,
    n,
    scale,
    D: tl.constexpr,
    CAUSAL: tl.constexpr,
    PRECISION: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
):
    # The gradients of a block of N keys and values: a loop over the queries that see them.
    head = tl.program_id(1).to(tl.int64) * n
    col = tl.program_id(0) * N + tl.arange(0, N)
    keys = load_rows(k + head * D, col, n, D)
    values = load_rows(v + head * D, col, n, D)
    to_keys = tl.zeros((N, D), tl.float32)
    to_values = tl.zeros((N, D), tl.float32)
    begin = (tl.program_id(0) * N) // M * M if CAUSAL else 0
    for first in range(begin, n, M):
        row = first + tl.arange(0, M)
        queries = load_rows(q + head * D, row, n, D)
        grads = load_rows(grad_out + head * D, row, n, D)
        s = scores(queries, keys, row, col, n, scale, CAUSAL, PRECISION)
        p = tl.exp(s - tl.load(lse + head + row, mask=row < n, other=float("inf"))[:, None])
        to_values = tl.dot(tl.trans(p.to(grads.dtype)), grads, to_values, input_precision=PRECISION)
        dp = tl.dot(grads, tl.trans(values), input_precision=PRECISION)
        ds = p * (dp - tl.load(delta + head + row, mask=row < n, other=0.0)[:, None]) * scale
        to_keys = tl.dot(tl.trans(ds.to(queries.dtype)), queries, to_keys, input_precision=PRECISION)
    store_rows(grad_k + head * D, col, n, to_keys, D)
    store_rows(grad_v + head * D, col, n, to_values, D)


@tilec.jit
def backward_queries_kernel(
    q,
    k,
    v,
    grad_out,
    lse,
    delta,
    grad_q,
    n,
    scale,
    D: tl.constexpr,
    CAUSAL: tl.constexpr,
    PRECISION: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
):
    # The gradients of a block of M queries: a loop over the keys that they see.
    head = tl.program_id(1).to(tl.int64) * n
    row = tl.program_id(0) * M + tl.arange(0, M)
    queries = load_rows(q + head * D, row, n, D)
    grads = load_rows(grad_out + head * D, row, n, D)
    logs = tl.load(lse + head + row, mask=row < n, other=float("inf"))
    deltas = tl.load(delta + head + row, mask=row < n, other=0.0)
    acc = tl.zeros((M, D), tl.float32)
    last = tl.minimum((tl.program_id(0) + 1) * M, n) if CAUSAL else n
    for first in range(0, last, N):
        col = first + tl.arange(0, N)
        keys = load_rows(k + head * D, col, n, D)
        p = tl.exp(scores(queries, keys, row, col, n, scale, CAUSAL, PRECISION) - logs[:, None])
        dp = tl.dot(grads, tl.trans(load_rows(v + head * D, col, n, D)), input_precision=PRECISION)
        ds = p * (dp - deltas[:, None]) * scale
        acc = tl.dot(ds.to(keys.dtype), keys, acc, input_precision=PRECISION)
    store_rows(grad_q + head * D, row, n, acc, D)


def _options(q: torch.Tensor, causal: bool) -> dict:
    d = q.shape[-1]
    if d not in (16, 32, 64, 128):
        raise ValueError(f"heads of 16, 32, 64 or 128, not {d}")
    block = 64 if q.is_cuda else 32
    return dict(D=d, CAUSAL=causal, PRECISION="ieee" if q.dtype == torch.float32 else "tf32", M=block, N=block)


@tilec.torch.op("tilec_examples::attention")
def attention_forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """The output, and the logarithms of the rows' sums, for the gradients. q, k, v: [..., n, d], contiguous."""
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    n, d = q.shape[-2:]
    out, lse = torch.empty_like(q), q.new_empty(q.shape[:-1], dtype=torch.float32)
    options = _options(q, causal)
    forward_kernel[(tilec.cdiv(n, options["M"]), q.numel() // (n * d))](
        q, k, v, out, lse, n, 1 / math.sqrt(d), **options
    )
    return out, lse


@tilec.torch.gradient(attention_forward, "q", "k", "v")
def attention_backward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out_0: torch.Tensor,
    out_1: torch.Tensor,
    grad_out_0: torch.Tensor,
    causal: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The gradients of q, k and v."""
    q, k, v, grad_out, lse = q.contiguous(), k.contiguous(), v.contiguous(), grad_out_0.contiguous(), out_1
    n, d = q.shape[-2:]
    delta = (grad_out.float() * out_0.float()).sum(-1)
    grad_q, grad_k, grad_v = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    options = _options(q, causal)
    heads, scale = q.numel() // (n * d), 1 / math.sqrt(d)
    backward_kernel[(tilec.cdiv(n, options["N"]), heads)](
        q, k, v, grad_out, lse, delta, grad_k, grad_v, n, scale, **options
    )
    backward_queries_kernel[(tilec.cdiv(n, options["M"]), heads)](
        q, k, v, grad_out, lse, delta, grad_q, n, scale, **options
    )
    return grad_q, grad_k, grad_v


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> torch.Tensor:
    """As torch.nn.functional.scaled_dot_product_attention: q, k, v [..., n, d] of one shape, d 16, 32, 64 or 128."""
    return attention_forward(q, k, v, causal)[0]


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    heads, n, d = (int(word) for word in sys.argv[1:4]) if len(sys.argv) > 3 else (3, 77, 32)
    reference = torch.nn.functional.scaled_dot_product_attention
    for dtype in (torch.float32, torch.float16):
        for causal in (False, True):
            q, k, v = (torch.randn(1, heads, n, d, device=device, dtype=dtype, requires_grad=True) for _ in range(3))
            weight = torch.randn(1, heads, n, d, device=device, dtype=dtype)
            grads = lambda f: torch.autograd.grad((f * weight).sum(), (q, k, v))
            tolerance = dict(rtol=1e-4, atol=1e-4) if dtype == torch.float32 else dict(rtol=2e-2, atol=2e-2)
            got, want = attention(q, k, v, causal), reference(q.double(), k.double(), v.double(), is_causal=causal)
            torch.testing.assert_close(got, want, check_dtype=False, **tolerance)
            torch.testing.assert_close(grads(got), grads(want), **tolerance)
    print(
        f"attention: {heads} heads x {n} x {d} on {q.device}, fp32 and fp16, causal and not: values and gradients are torch's"
    )
