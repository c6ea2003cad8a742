# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SageAttention: attention with int8 queries and keys."""

import importlib

import formats
from operations import Case, operation

LIBRARY = "sage"


def ops(name):
    return importlib.import_module(f"sageattention.triton.{name}")


def quantised(t, x, rows, factor=1.0):
    """(batch, heads, length, head) in int8 by so many rows, and the scales."""
    blocks = t.up(x).unflatten(2, (-1, rows)) * factor
    scales = blocks.abs().amax((-1, -2)) / 127
    return formats.quantised_int8(t, blocks, scales[..., None, None]).flatten(2, 3), scales


@operation(LIBRARY, "quant_block", "quantise", "per_block_int8, queries by 128 and keys by 64 rows, fp16 (4,32,4096,128) and (4,8,4096,128)")
def _(t):
    q, k = t.randn(4, 32, 4096, 128, dtype="fp16"), t.randn(4, 8, 4096, 128, dtype="fp16")
    return Case(lambda: ops("quant_per_block").per_block_int8(q, k), lambda: (*quantised(t, q, 128, 128 ** -0.5 * 1.44269504), *quantised(t, k, 64)),
                lambda out: [x.double() for x in out])


@operation(LIBRARY, "quant_thread", "quantise", "per_thread_int8, queries by every eighth of 32 rows, keys by pairs of 64, fp16 (4,32,4096,128)")
def _(t):
    q, k = t.randn(4, 32, 4096, 128, dtype="fp16"), t.randn(4, 32, 4096, 128, dtype="fp16")

    def by_lanes(x, split, over):
        blocks = t.up(x).unflatten(2, split)
        scales = blocks.abs().amax(over, keepdim=True) / 127 + 1e-7
        return formats.quantised_int8(t, blocks, scales).flatten(2, len(split) + 1), scales.squeeze(over).flatten(2)

    return Case(lambda: ops("quant_per_thread").per_thread_int8(q, k),
                lambda: (*by_lanes(q, (-1, 4, 8), (3, 5)), *by_lanes(k, (-1, 8, 4, 2), (3, 5, 6))), lambda out: [x.double() for x in out])


def inputs(t, batch, heads, groups, length, head):
    """Queries and keys in int8 with scales, values in fp16, and queries and keys in float64."""
    made = []
    for count, rows in ((heads, 128), (groups, 64)):
        shape = (batch, count, t.d(length), head)
        x = t.torch.randint(-127, 128, shape, device=t.device, dtype=t.torch.int8)
        scales = t.torch.rand(batch, count, shape[2] // rows, device=t.device) * 0.01 + 0.001
        made.append((x, scales, lambda x=x, scales=scales, rows=rows: x.double() * t.up(scales).repeat_interleave(rows, 2)[..., None]))
    return made, t.torch.randn(batch, groups, t.d(length), head, device=t.device).half()


def attended(t, q, k, v, mask=None):
    """Powers of two of the scores, as the scale of queries has the logarithm."""
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, t.up(v)))
    scores = q @ k.transpose(-1, -2) * 0.6931471805599453
    return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v if mask is not None else scores.softmax(-1) @ v


@operation(LIBRARY, "attention", "attention", "forward, int8 q and k, fp16 v and sums, (2,32,4096,128) on 8 heads")
def _(t):
    ((q, q_scales, whole_q), (k, k_scales, whole_k)), v = inputs(t, 2, 32, 8, 4096, 128)
    return Case(lambda: ops("attn_qk_int8_per_block").forward(q, k, v, q_scales, k_scales)[0], lambda: attended(t, whole_q(), whole_k(), v))


@operation(LIBRARY, "attention_causal", "attention", "forward, causal, int8 q and k, fp16 v and sums, (2,32,4096,64)")
def _(t):
    ((q, q_scales, whole_q), (k, k_scales, whole_k)), v = inputs(t, 2, 32, 32, 4096, 64)
    mask = t.torch.ones(q.shape[2], k.shape[2], dtype=t.torch.bool, device=t.device).tril()
    return Case(lambda: ops("attn_qk_int8_per_block_causal").forward(q, k, v, q_scales, k_scales)[0], lambda: attended(t, whole_q(), whole_k(), v, mask))


@operation(LIBRARY, "attention_mask", "attention", "forward with a mask of bools that skips whole blocks, int8 q and k, (2,16,4096,64)")
def _(t):
    ((q, q_scales, whole_q), (k, k_scales, whole_k)), v = inputs(t, 2, 16, 16, 4096, 64)
    block = t.torch.rand(2, 16, q.shape[2] // 128, k.shape[2] // 64, device=t.device) < 0.5
    block[..., 0] = True
    mask = block.repeat_interleave(128, 2).repeat_interleave(64, 3)
    return Case(lambda: ops("attn_qk_int8_per_block").forward(q, k, v, q_scales, k_scales, attn_mask=mask)[0], lambda: attended(t, whole_q(), whole_k(), v, mask))


@operation(LIBRARY, "attention_varlen", "attention", "quantising and forward of 4 sequences of 1024 to 4096, int8 q and k, 32 heads on 8 of 128")
def _(t):
    torch = t.torch
    lengths = [t.d(n) for n in (1024, 2048, 3072, 4096)]
    starts = torch.tensor([0, *lengths], device=t.device).cumsum(0).int()
    q, k, v = (torch.randn(sum(lengths), heads, 128, device=t.device).half() for heads in (32, 8, 8))

    def run():
        q8, qs, k8, ks, *places = ops("quant_per_block_varlen").per_block_int8(q, k, starts, starts, max(lengths), max(lengths))
        return ops("attn_qk_int8_block_varlen").forward(q8, k8, v, starts, starts, max(lengths), qs, ks, *places)

    def reference():
        parts = zip(*(x.split(lengths) for x in (q, k, v)))
        heads = ([x.transpose(0, 1)[None] for x in part] for part in parts)
        return torch.cat([attended(t, t.up(a) * 128 ** -0.5 / 0.6931471805599453, t.up(b), c)[0].transpose(0, 1) for a, b, c in heads])

    return Case(run, reference)
