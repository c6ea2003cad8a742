# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MegaBlocks and ScatterMoE: tokens to experts and back, and products of what each expert got."""

import importlib

from operations import Case, operation


def megablocks():
    return importlib.import_module("megablocks.backend.kernels")


def scattermoe():
    return importlib.import_module("scattermoe.kernels.ops")


def bins(t, tokens, top, experts):
    """Tokens by experts: order, the expert of each place, ends of the experts' parts, and ends of parts of whole 128s."""
    torch = t.torch
    chosen = torch.stack([torch.randperm(experts, device=t.device)[:top] for _ in range(t.d(tokens))]).flatten()
    expert, order = chosen.sort(stable=True)
    counts = torch.bincount(chosen, minlength=experts)
    return order.int(), expert.int(), counts.cumsum(0).int(), ((counts + 127) // 128 * 128).cumsum(0).int()


def places(order, expert, ends, padded):
    """Where each token of the order lies in the padded parts."""
    starts, padded_starts = (x.long().roll(1).index_fill(0, expert.new_zeros(1).long(), 0) for x in (ends, padded))
    index = order.new_ones(order.shape).long().cumsum(0) - 1
    return index - starts[expert.long()] + padded_starts[expert.long()]


@operation("megablocks", "padded_gather", "index", "padded_gather with weights, 4096 tokens of 4096 to 2 of 64 experts")
def _(t):
    x = t.randn(4096, 4096)
    order, expert, ends, padded = bins(t, 4096, 2, 64)
    weights = t.torch.rand(len(order), device=t.device)

    def reference():
        rows = t.up(x)[order.long() // 2] * t.up(weights)[order.long(), None]
        return t.torch.zeros(int(padded[-1]), x.shape[1], dtype=t.torch.float64, device=t.device).index_copy(0, places(order, expert, ends, padded), rows)

    return Case(lambda: megablocks().padded_gather(x, order, expert, weights, ends, padded, 2), reference)


@operation("megablocks", "padded_scatter", "scatter", "padded_scatter with weights, 4096 tokens of 4096 from 2 of 64 experts")
def _(t):
    order, expert, ends, padded = bins(t, 4096, 2, 64)
    x = t.torch.randn(int(padded[-1]), t.d(4096), device=t.device).to(t.dtype("bf16"))
    weights = t.torch.rand(len(order), device=t.device)

    def reference():
        rows = t.up(x)[places(order, expert, ends, padded)] * t.up(weights)[order.long(), None]
        return t.torch.zeros(len(order) // 2, x.shape[1], dtype=t.torch.float64, device=t.device).index_add(0, order.long() // 2, rows)

    return Case(lambda: megablocks().padded_scatter(x, order, expert, weights, ends, padded, 2), reference)


@operation("megablocks", "binned_gather", "index", "binned_gather, 4096 tokens of 4096 to 1 of 64 experts with room for 96 each")
def _(t):
    x = t.randn(4096, 4096)
    order, expert, ends, _ = bins(t, 4096, 1, 64)

    def reference():
        starts = ends.long().roll(1).index_fill(0, ends.new_zeros(1).long(), 0)
        place = t.torch.arange(len(order), device=t.device) - starts[expert.long()]
        kept = place < 96
        out = t.torch.zeros(64, 96, x.shape[1], dtype=t.torch.float64, device=t.device)
        out[expert.long()[kept], place[kept]] = t.up(x)[order.long()[kept]]
        return out

    return Case(lambda: megablocks().binned_gather(x, order, None, ends, 96, 1), reference)


@operation("scattermoe", "scatter2scatter", "product", "scatter2scatter, 4096 tokens of 2048 to 2 of 16 experts of 4096, ragged")
def _(t):
    x, w = t.randn(4096, 2048), t.randn(16, 2048, 4096, scale=0.03)
    order, expert, _, _ = bins(t, 4096, 2, 16)

    def reference():
        out = t.torch.empty(len(order), w.shape[2], dtype=t.torch.float64, device=t.device)
        for i in range(16):
            rows = order.long()[expert == i]
            out[rows] = t.up(x)[rows // 2] @ t.up(w[i])
        return out

    return Case(lambda: scattermoe().scatter2scatter(x, w, expert.long(), order.long(), 2), reference)


@operation("scattermoe", "group_bwd_w", "product", "group_bwd_W, 16 experts' parts of 8192 rows, (2048) by (4096)")
def _(t):
    x, dy = t.randn(8192, 2048), t.randn(8192, 4096)
    expert = t.torch.randint(0, 16, (x.shape[0],), device=t.device).sort()[0]
    ends = t.torch.bincount(expert, minlength=16).cumsum(0)
    return Case(lambda: scattermoe().group_bwd_W(dy, x, ends, 16)[0], lambda: t.torch.stack([t.up(x)[expert == i].T @ t.up(dy)[expert == i] for i in range(16)]))


@operation("scattermoe", "group", "index", "group with coefficients, 4096 tokens of 4096, each twice")
def _(t):
    x, order = t.randn(4096, 4096), bins(t, 4096, 2, 16)[0].long()
    weights = t.torch.rand(len(order), 1, device=t.device).to(x.dtype)
    return Case(lambda: scattermoe().group(x, order, weights, 2), lambda: t.up(x)[order // 2] * t.up(weights)[order])
