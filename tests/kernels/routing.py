from typing import NamedTuple

import torch
import triton
import triton.language as tl


class Routing(NamedTuple):
    expert: torch.Tensor
    gate: torch.Tensor
    counts: torch.Tensor


@triton.jit
def top1_routing(logits_ptr, expert_ptr, gate_ptr, counts_ptr, n_tokens, n_experts, BLOCK_T: tl.constexpr,
                 BLOCK_E: tl.constexpr):
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    e = tl.arange(0, BLOCK_E)
    live = t < n_tokens
    x = tl.load(logits_ptr + t[:, None] * n_experts + e[None, :],
                mask=live[:, None] & (e[None, :] < n_experts), other=-float("inf"))
    # rows beyond the end would be all -inf: 0 there instead
    x = tl.where(live[:, None], x, 0.0)
    best, index = tl.max(x, axis=1, return_indices=True)
    gate = 1.0 / tl.sum(tl.exp(x - best[:, None]), axis=1)
    tl.device_assert(index < n_experts, "an index beyond the experts", mask=live)
    tl.store(expert_ptr + t, index, mask=live)
    tl.store(gate_ptr + t, gate, mask=live)
    tl.atomic_add(counts_ptr + index, 1, mask=live, sem="relaxed")


@triton.jit
def grouped_topk(logits_ptr, ids_ptr, weights_ptr, n_experts, TOPK: tl.constexpr, BLOCK_E: tl.constexpr,
                 RENORMALISE: tl.constexpr = True):
    """The TOPK largest of a row, the largest first, by taking maxima away one at a time."""
    row = tl.program_id(0)
    e = tl.arange(0, BLOCK_E)
    mask = e < n_experts
    x = tl.load(logits_ptr + row * n_experts + e, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.softmax(x)
    p = tl.where(mask, p, -1.0)
    total = 0.0
    slots = tl.arange(0, triton.next_power_of_2(TOPK))
    weights = tl.zeros((triton.next_power_of_2(TOPK),), dtype=tl.float32)
    for k in tl.static_range(TOPK):
        index = tl.argmax(p, axis=0)
        value = tl.max(p, axis=0)
        total += value
        weights = tl.where(slots == k, value, weights)
        tl.store(ids_ptr + row * TOPK + k, index)
        p = tl.where(e == index, -1.0, p)
    if RENORMALISE:
        weights = weights / total
    tl.store(weights_ptr + row * TOPK + slots, weights, mask=slots < TOPK)


@triton.jit
def _larger(av, ai, bv, bi):
    take_b = (bv > av) | ((bv == av) & (bi < ai))
    return tl.where(take_b, bv, av), tl.where(take_b, bi, ai)


@triton.jit
def argmax_reduce(x_ptr, value_ptr, index_ptr, N, BLOCK: tl.constexpr):
    """The same by a reduction of pairs, over the whole row in a loop."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), float("-inf"), tl.float32)
    where = tl.full((BLOCK,), 0, tl.int32)
    for start in tl.range(0, N, BLOCK):
        x = tl.load(x_ptr + row * N + start + i, mask=start + i < N, other=float("-inf"))
        best, where = _larger(best, where, x, start + i)
    value, index = tl.reduce((best, where), axis=0, combine_fn=_larger)
    tl.store(value_ptr + row, value)
    tl.store(index_ptr + row, index)


def route(logits: torch.Tensor) -> Routing:
    n, e = logits.shape
    out = Routing(torch.empty(n, dtype=torch.int32), torch.empty(n), torch.zeros(e, dtype=torch.int32))
    top1_routing[(triton.cdiv(n, 32),)](logits, *out, n, e, BLOCK_T=32, BLOCK_E=triton.next_power_of_2(e))
    return out
