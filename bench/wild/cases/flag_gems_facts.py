# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FlagGems: the operations that were measured first."""

from operations import Case, operation

LIBRARY = "flag_gems"


def gems():
    import flag_gems

    return flag_gems


@operation(LIBRARY, "conv2d", "convolution", "conv2d, fp16 x (16,128,56,56), w (128,128,3,3), stride 1, pad 1", fact="conv2d")
def _(t):
    x, w = t.randn(16, 128, 56, 56, dtype="fp16"), t.randn(128, 128, 3, 3, dtype="fp16", scale=0.03)
    return Case(lambda: gems().ops.conv2d(x, w, None, stride=1, padding=1), lambda: t.torch.nn.functional.conv2d(t.up(x), t.up(w), padding=1))


@operation(LIBRARY, "cat", "index", "cat of two (8192,4096) along 1", fact="cat")
def _(t):
    a, b = t.randn(8192, 4096), t.randn(8192, 4096)
    return Case(lambda: gems().ops.cat([a, b], 1), lambda: t.torch.cat([t.up(a), t.up(b)], 1))


@operation(LIBRARY, "pow", "pointwise", "pow_tensor_scalar(x, 2.5), (8192,8192)", fact="pow")
def _(t):
    x = t.rand(8192, 8192)
    return Case(lambda: gems().ops.pow_tensor_scalar(x, 2.5), lambda: t.up(x) ** 2.5)


@operation(LIBRARY, "upsample_nearest2d", "index", "(16,64,128,128) to 256x256", fact="upsample_nearest2d")
def _(t):
    x = t.randn(16, 64, 128, 128)
    return Case(lambda: gems().ops.upsample_nearest2d(x, (256, 256)), lambda: t.torch.nn.functional.interpolate(t.up(x), (256, 256)))


@operation(LIBRARY, "argmax", "reduction", "(8192,8192) along 1", fact="argmax")
def _(t):
    x = t.randn(8192, 8192)
    return Case(lambda: gems().ops.argmax(x, 1), lambda: t.up(x).amax(1), lambda out: t.up(x).gather(1, out[:, None])[:, 0])


@operation(LIBRARY, "group_norm", "norm", "(32,256,64,64), 32 groups", fact="group_norm")
def _(t):
    x, w, b = t.randn(32, 256, 64, 64), t.randn(256), t.randn(256)
    return Case(lambda: gems().ops.group_norm(x, w, b, 32, 256, 64 * 64, 32, 1e-5)[0],
                lambda: t.torch.nn.functional.group_norm(t.up(x), 32, t.up(w), t.up(b), 1e-5))


@operation(LIBRARY, "gather", "index", "(4096,4096) along 1, int64 indices", fact="gather")
def _(t):
    x, index = t.randn(4096, 4096), t.randint(4096, 4096, 4096)
    return Case(lambda: gems().ops.gather(x, 1, index), lambda: t.up(x).gather(1, index))


@operation(LIBRARY, "silu", "pointwise", "(8192,11008)", fact="silu")
def _(t):
    x = t.randn(8192, 11008)
    return Case(lambda: gems().ops.silu(x), lambda: t.torch.nn.functional.silu(t.up(x)))


@operation(LIBRARY, "flip", "index", "(8192,8192) along 1", fact="flip")
def _(t):
    x = t.randn(8192, 8192)
    return Case(lambda: gems().ops.flip(x, [1]), lambda: t.up(x).flip(1))


@operation(LIBRARY, "addmm", "product", "bias (4096), 4096^3", fact="addmm")
def _(t):
    bias, a, b = t.randn(4096), t.randn(4096, 4096), t.randn(4096, 4096)
    return Case(lambda: gems().ops.addmm(bias, a, b), lambda: t.up(bias) + t.up(a) @ t.up(b))


@operation(LIBRARY, "softmax", "reduction", "(8192,4096)", fact="softmax")
def _(t):
    x = t.randn(8192, 4096)
    return Case(lambda: gems().ops.softmax(x, -1), lambda: t.up(x).softmax(-1))


@operation(LIBRARY, "bmm", "product", "64 x 1024^3", fact="bmm")
def _(t):
    a, b = t.randn(64, 1024, 1024), t.randn(64, 1024, 1024)
    return Case(lambda: gems().ops.bmm(a, b), lambda: t.up(a) @ t.up(b))


@operation(LIBRARY, "mm", "product", "4096^3", fact="mm 4096^3")
def _(t):
    a, b = t.randn(4096, 4096), t.randn(4096, 4096)
    return Case(lambda: gems().ops.mm(a, b), lambda: t.up(a) @ t.up(b))


@operation(LIBRARY, "mm_mlp", "product", "(8192,4096) x (4096,14336)", fact="mm (8192,4096) x (4096,14336)")
def _(t):
    a, b = t.randn(8192, 4096), t.randn(4096, 14336)
    return Case(lambda: gems().ops.mm(a, b), lambda: t.up(a) @ t.up(b))


@operation(LIBRARY, "sdpa_causal", "attention", "scaled_dot_product_attention, causal, fp16 (4,32,2048,128)", fact="scaled_dot_product_attention, causal")
def _(t):
    q, k, v = (t.randn(4, 32, 2048, 128, dtype="fp16") for _ in range(3))
    return Case(lambda: gems().ops.scaled_dot_product_attention_forward(q, k, v, None, 0.0, True)[0], lambda: attention(t, q, k, v, True))


@operation(LIBRARY, "sum_columns", "reduction", "sum along 0, (8192,8192)", fact="sum along 0")
def _(t):
    x = t.randn(8192, 8192)
    return Case(lambda: gems().ops.sum_dim(x, [0]), lambda: t.up(x).sum(0))


def attention(t, q, k, v, causal):
    """torch's, in float64, a batch at a time."""
    torch, out = t.torch, []
    groups = q.shape[1] // k.shape[1]
    for i in range(q.shape[0]):
        k1, v1 = (t.up(x[i]).repeat_interleave(groups, 0) for x in (k, v))
        scores = t.up(q[i]) @ k1.mT / q.shape[-1] ** 0.5
        if causal:
            scores.masked_fill_(torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1), float("-inf"))
        out.append(scores.softmax(-1) @ v1)
    return torch.stack(out)
