# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""flash-linear-attention: its chunked forms, forward and backward, against the same written over whole sequences."""

import importlib

from operations import Case, operation

LIBRARY = "fla"
SIZES = (2, 2048, 16, 128)  # batch, sequence, heads, width
CALL = "forward and backward, (2,2048,16,128)"


def ops(name):
    return importlib.import_module(f"fla.ops.{name}")


def over_sequence(t, q, k, v, decay=None, beta=None):
    """Linear attention of (B,T,H,D), of a whole sequence at once. `decay`: logarithms of how much of the state is kept, a head (B,T,H) or a channel (B,T,H,D);
    `beta`: the delta rule's."""
    torch = t.torch
    q, k, v = (x.transpose(1, 2) for x in (q * q.shape[-1] ** -0.5, k, v))
    keys = k
    if decay is not None and decay.dim() == 4:
        total = decay.transpose(1, 2).cumsum(2)
        q, left, keys = q * total.exp(), k * total.exp(), k * (-total).exp()
    else:
        left = k
    scores, among = (q @ keys.mT).tril(), (left @ keys.mT).tril(-1) if beta is not None else None
    if decay is not None and decay.dim() == 3:
        total = decay.transpose(1, 2).cumsum(2)
        above = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
        kept = (total[..., :, None] - total[..., None, :]).masked_fill(above, float("-inf")).exp()
        scores, among = scores * kept, among * kept if beta is not None else None
    if beta is not None:
        beta = beta.transpose(1, 2)[..., None]
        v = torch.linalg.solve_triangular(among * beta + torch.eye(among.shape[-1], dtype=v.dtype, device=v.device), v * beta, upper=False, unitriangular=True)
    return (scores @ v).transpose(1, 2)


def heads(t, count=3):
    return [t.randn(*SIZES) for _ in range(count)]


def unit(t, x):
    return t.torch.nn.functional.normalize(x.float(), dim=-1).to(x.dtype)


def gates(t, width=False):
    """Logarithms of what is kept a step."""
    shape = SIZES if width else SIZES[:3]
    return (t.torch.nn.functional.logsigmoid(t.randn(*shape, dtype="fp32") + 2) / 4).float()


@operation(LIBRARY, "linear_attn", "attention", f"chunk_linear_attn, {CALL}")
def _(t):
    q, k, v = heads(t)
    return t.training(lambda q, k, v: ops("linear_attn").chunk_linear_attn(q, k, v, normalize=False)[0], lambda q, k, v: over_sequence(t, q, k, v), q, k, v)


@operation(LIBRARY, "retention", "attention", f"chunk_retention, {CALL}")
def _(t):
    q, k, v = heads(t)
    count = SIZES[2]

    def reference(q, k, v):
        kept = (1 - 2.0 ** (-5.0 - t.torch.arange(count, dtype=q.dtype, device=q.device))).log()
        return over_sequence(t, q, k, v, kept.expand(*q.shape[:2], count))

    return t.training(lambda q, k, v: ops("retention").chunk_retention(q, k, v)[0], reference, q, k, v)


@operation(LIBRARY, "simple_gla", "attention", "chunk_simple_gla, forward (its backward is refused with this Triton), (2,2048,16,128)")
def _(t):
    q, k, v = heads(t)
    g = gates(t)
    return Case(lambda: ops("simple_gla").chunk_simple_gla(q, k, v, g=g)[0], lambda: over_sequence(t, *(t.up(x) for x in (q, k, v, g))))


@operation(LIBRARY, "gla", "attention", f"chunk_gla, {CALL}")
def _(t):
    q, k, v = heads(t)
    return t.training(lambda q, k, v, g: ops("gla").chunk_gla(q, k, v, g)[0], lambda q, k, v, g: over_sequence(t, q, k, v, g), q, k, v, gates(t, True))


@operation(LIBRARY, "delta_rule", "attention", f"chunk_delta_rule, {CALL}")
def _(t):
    q, k, v = heads(t)
    return t.training(lambda q, k, v, b: ops("delta_rule").chunk_delta_rule(q, k, v, b)[0], lambda q, k, v, b: over_sequence(t, q, k, v, None, b),
                      q, unit(t, k), v, t.rand(*SIZES[:3]))


@operation(LIBRARY, "gated_delta_rule", "attention", "chunk_gated_delta_rule, forward (its backward is refused with this Triton), (2,2048,16,128)")
def _(t):
    q, k, v = heads(t)
    k, g, b = unit(t, k), gates(t), t.rand(*SIZES[:3])
    return Case(lambda: ops("gated_delta_rule").chunk_gated_delta_rule(q, k, v, g, b)[0], lambda: over_sequence(t, *(t.up(x) for x in (q, k, v, g, b))))


@operation(LIBRARY, "kda", "attention", "chunk_kda, forward, (2,2048,16,128)")
def _(t):
    q, k, v = heads(t)
    k, g, b = unit(t, k), gates(t, True), t.rand(*SIZES[:3])
    return Case(lambda: ops("kda").chunk_kda(q, k, v, g, b)[0], lambda: over_sequence(t, *(t.up(x) for x in (q, k, v, g, b))))


@operation(LIBRARY, "attn", "attention", "parallel_attn, causal, forward and backward, (2,2048,16,128)")
def _(t):
    q, k, v = heads(t)
    torch = t.torch

    def reference(q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(*(x.transpose(1, 2) for x in (q, k, v)), is_causal=True).transpose(1, 2)

    return t.training(lambda q, k, v: ops("attn").parallel_attn(q, k, v), reference, q, k, v)


@operation(LIBRARY, "hgrn", "reduction", "chunk_hgrn, forward, fp32 (4,2048,2048)")
def _(t):
    x, g = t.randn(4, 2048, 2048, dtype="fp32"), t.torch.nn.functional.logsigmoid(t.randn(4, 2048, 2048, dtype="fp32"))

    def reference():
        state, states = t.torch.zeros_like(t.up(x)[:, 0]), []
        for i in range(x.shape[1]):
            state = t.up(g[:, i]).exp() * state + t.up(x[:, i])
            states.append(state)
        return t.torch.stack(states, 1)

    return Case(lambda: ops("hgrn").chunk_hgrn(x, g)[0], reference)


@operation(LIBRARY, "cumsum", "reduction", "chunk_global_cumsum, fp32 (8,16384,32)")
def _(t):
    x = t.randn(8, 16384, 32, dtype="fp32")
    return Case(lambda: ops("utils").chunk_global_cumsum(x), lambda: t.up(x).cumsum(1))


def modules(name):
    return importlib.import_module(f"fla.modules.{name}")


@operation(LIBRARY, "causal_conv1d", "convolution", "causal_conv1d, width 4, silu, forward and backward, (4,2048,4096)")
def _(t):
    x, w = t.randn(4, 2048, 4096), t.randn(4096, 4)

    def reference(x, w):
        functional = t.torch.nn.functional
        return functional.silu(functional.conv1d(functional.pad(x.mT, (3, 0)), w[:, None], groups=x.shape[-1]).mT)

    return t.training(lambda x, w: modules("causal_conv1d").causal_conv1d(x, w, activation="silu")[0], reference, x, w)


@operation(LIBRARY, "token_shift", "index", "token_shift, forward and backward, (8,2048,2048)")
def _(t):
    x = t.randn(8, 2048, 2048)
    return t.training(modules("token_shift").token_shift, lambda x: t.torch.nn.functional.pad(x[:, :-1], (0, 0, 1, 0)) - x, x)


@operation(LIBRARY, "rotary", "index", "rotary_embedding, (4,2048,32,128)")
def _(t):
    x, angle = t.randn(4, 2048, 32, 128), t.rand(2048, 64, dtype="fp32", high=6.0)
    cosine, sine = angle.cos().to(x.dtype), angle.sin().to(x.dtype)

    def reference():
        a, b = t.up(x).chunk(2, -1)
        cos, sin = t.up(cosine)[:, None], t.up(sine)[:, None]
        return t.torch.cat([a * cos - b * sin, a * sin + b * cos], -1)

    return Case(lambda: modules("rotary.ops").rotary_embedding(x, cosine, sine), reference)


@operation(LIBRARY, "l2norm", "norm", "l2norm, forward and backward, (8192,16,128)")
def _(t):
    x = t.randn(8192, 16, 128)
    return t.training(lambda x: modules("norm.l2norm").l2norm(x), lambda x: x / (x.square().sum(-1, keepdim=True) + 1e-6).sqrt(), x)


@operation(LIBRARY, "rms_norm_gated", "norm", "rms_norm_gated, swish, forward and backward, (8192,16,128)")
def _(t):
    x, g, w = t.randn(8192, 16, 128), t.randn(8192, 16, 128), t.randn(128)
    functional = t.torch.nn.functional
    return t.training(lambda x, g, w: modules("norm.fused_norm_gate").rms_norm_gated(x, g, w, None, eps=1e-5),
                      lambda x, g, w: functional.rms_norm(x, w.shape, w, 1e-5) * functional.silu(g), x, g, w)


@operation(LIBRARY, "swiglu", "pointwise", "swiglu, forward and backward, 2 x (8192,8192)")
def _(t):
    x, y = t.randn(8192, 8192), t.randn(8192, 8192)
    return t.training(modules("activations").swiglu, lambda x, y: t.torch.nn.functional.silu(x) * y, x, y)


@operation(LIBRARY, "cross_entropy", "loss", "FusedCrossEntropyLoss, forward and backward, (4096,32000)")
def _(t):
    x, target = t.randn(4096, 32000), t.randint(32000, 4096)
    return t.training(lambda x: modules("fused_cross_entropy").FusedCrossEntropyLoss()(x, target), lambda x: t.torch.nn.functional.cross_entropy(x, target), x)
