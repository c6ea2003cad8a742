# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Liger-Kernel: forward and backward, as training runs them."""

from operations import Case, operation

LIBRARY = "liger"


def ops():
    import liger_kernel.ops

    return liger_kernel.ops


@operation(LIBRARY, "embedding", "scatter", "LigerEmbeddingFunction, forward and backward, (32000,4096), 8192 indices", fact="embedding, forward and backward")
def _(t):
    w, index = t.randn(32000, 4096), t.randint(32000, 8192)
    return t.training(lambda w: ops().LigerEmbeddingFunction.apply(w, index), lambda w: t.torch.nn.functional.embedding(index, w), w)


@operation(LIBRARY, "swiglu", "pointwise", "LigerSiLUMulFunction, forward and backward, 2 x (8192,11008)", fact="SwiGLU, forward and backward")
def _(t):
    a, b = t.randn(8192, 11008), t.randn(8192, 11008)
    return t.training(ops().LigerSiLUMulFunction.apply, lambda a, b: t.torch.nn.functional.silu(a) * b, a, b)


@operation(LIBRARY, "geglu", "pointwise", "LigerGELUMulFunction, forward and backward, 2 x (8192,11008)")
def _(t):
    a, b = t.randn(8192, 11008), t.randn(8192, 11008)
    return t.training(ops().LigerGELUMulFunction.apply, lambda a, b: t.torch.nn.functional.gelu(a, approximate="tanh") * b, a, b)


@operation(LIBRARY, "relu_squared", "pointwise", "LigerReLUSquaredFunction, forward and backward, (8192,11008)")
def _(t):
    x = t.randn(8192, 11008)
    return t.training(ops().LigerReLUSquaredFunction.apply, lambda x: x.relu().square(), x)


@operation(LIBRARY, "dyt", "pointwise", "LigerDyTFunction (dynamic tanh), forward and backward, (8192,4096)")
def _(t):
    x, alpha, gamma, beta = t.randn(8192, 4096), t.rand(1, dtype="fp32"), t.randn(4096), t.randn(4096)
    return t.training(ops().LigerDyTFunction.apply, lambda x, alpha, gamma, beta: (alpha * x).tanh() * gamma + beta, x, alpha, gamma, beta)


def rotated(t, x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + t.torch.cat([-x[..., half:], x[..., :half]], -1) * sin


@operation(LIBRARY, "rope", "pointwise", "LigerRopeFunction, (4,32,2048,128) and 8 heads of keys")
def _(t):
    q, k = t.randn(4, 2048, 32, 128).transpose(1, 2), t.randn(4, 2048, 8, 128).transpose(1, 2)
    angle = t.rand(1, 2048, 64, dtype="fp32", high=6.0).repeat(1, 1, 2)
    cos, sin = angle.cos().to(q.dtype), angle.sin().to(q.dtype)
    return Case(lambda: ops().LigerRopeFunction.apply(q, k, cos, sin), lambda: [rotated(t, t.up(x), t.up(cos)[:, None], t.up(sin)[:, None]) for x in (q, k)])


@operation(LIBRARY, "rms_norm", "norm", "LigerRMSNormFunction, forward and backward, (8192,4096)")
def _(t):
    x, w = t.randn(8192, 4096), t.randn(4096)
    return t.training(lambda x, w: ops().LigerRMSNormFunction.apply(x, w, 1e-6), lambda x, w: t.torch.nn.functional.rms_norm(x, w.shape, w, 1e-6), x, w)


@operation(LIBRARY, "layer_norm", "norm", "LigerLayerNormFunction, forward and backward, (8192,4096)")
def _(t):
    x, w, b = t.randn(8192, 4096), t.randn(4096), t.randn(4096)
    return t.training(lambda x, w, b: ops().LigerLayerNormFunction.apply(x, w, b, 1e-5), lambda x, w, b: t.torch.nn.functional.layer_norm(x, w.shape, w, b, 1e-5), x, w, b)


@operation(LIBRARY, "group_norm", "norm", "LigerGroupNormFunction, forward and backward, (16,256,64,64), 32 groups")
def _(t):
    x, w, b = t.randn(16, 256, 64, 64), t.randn(256), t.randn(256)
    return t.training(lambda x, w, b: ops().LigerGroupNormFunction.apply(x, w, b, 256, 32, 1e-5), lambda x, w, b: t.torch.nn.functional.group_norm(x, 32, w, b, 1e-5), x, w, b)


@operation(LIBRARY, "fused_add_rms_norm", "norm", "LigerFusedAddRMSNormFunction, forward and backward, (8192,4096)")
def _(t):
    x, r, w = t.randn(8192, 4096), t.randn(8192, 4096), t.randn(4096)
    return t.training(lambda x, r, w: ops().LigerFusedAddRMSNormFunction.apply(x, r, w, 1e-6)[0],
                      lambda x, r, w: t.torch.nn.functional.rms_norm(x + r, w.shape, w, 1e-6), x, r, w)


@operation(LIBRARY, "poly_norm", "norm", "LigerPolyNormFunction, forward and backward, (8192,4096)")
def _(t):
    x, w, b = t.randn(8192, 4096), t.randn(3), t.randn()

    def reference(x, w, b):
        return sum(w[i] * x ** p / ((x ** p).square().mean(-1, keepdim=True) + 1e-6).sqrt() for i, p in enumerate((3, 2, 1))) + b

    return t.training(ops().LigerPolyNormFunction.apply, reference, x, w, b)


@operation(LIBRARY, "softmax", "reduction", "LigerSoftmaxFunction, forward and backward, (8192,4096)")
def _(t):
    x = t.randn(8192, 4096)
    return t.training(ops().LigerSoftmaxFunction.apply, lambda x: x.softmax(-1), x)


@operation(LIBRARY, "sparsemax", "reduction", "LigerSparsemaxFunction, forward and backward, fp32 (4096,4096)")
def _(t):
    x = t.randn(4096, 4096, dtype="fp32")

    def reference(x):
        ordered = x.sort(-1, descending=True)[0]
        count = t.torch.arange(1, x.shape[-1] + 1, device=x.device, dtype=x.dtype)
        sums = ordered.cumsum(-1) - 1
        size = (ordered * count > sums).sum(-1, keepdim=True)
        return (x - sums.gather(-1, size - 1) / size).clamp(min=0)

    return t.training(lambda x: ops().LigerSparsemaxFunction.apply(x, -1), reference, x)


@operation(LIBRARY, "cross_entropy", "loss", "LigerCrossEntropyFunction, forward and backward, (4096,32000)")
def _(t):
    x, target = t.randn(4096, 32000), t.randint(32000, 4096)
    return t.training(lambda x: ops().LigerCrossEntropyFunction.apply(x, target, None)[0], lambda x: t.torch.nn.functional.cross_entropy(x, target), x)


@operation(LIBRARY, "fused_linear_cross_entropy", "loss", "LigerFusedLinearCrossEntropyFunction, forward and backward, (4096,2048) x (32000,2048)")
def _(t):
    x, w, target = t.randn(4096, 2048), t.randn(32000, 2048, scale=0.02), t.randint(32000, 4096)
    return t.training(lambda x, w: ops().LigerFusedLinearCrossEntropyFunction.apply(x, w, target)[0],
                      lambda x, w: t.torch.nn.functional.cross_entropy(x @ w.T, target), x, w)


@operation(LIBRARY, "kl_div", "loss", "LigerKLDivLossFunction, forward and backward, fp32 (4096,32000)")
def _(t):
    x, y = (t.randn(4096, 32000, dtype="fp32").log_softmax(-1) for _ in range(2))
    y = y.exp()
    return t.training(lambda x: ops().LigerKLDivLossFunction.apply(x, y, "batchmean", False, 1e-10),
                      lambda x: t.torch.nn.functional.kl_div(x, t.up(y), reduction="batchmean"), x)


def mixed(t, p, q):
    """Jensen and Shannon's divergence of logarithms of probabilities."""
    middle = ((p.exp() + q.exp()) / 2).log()
    divergence = t.torch.nn.functional.kl_div
    return (divergence(middle, p, reduction="sum", log_target=True) + divergence(middle, q, reduction="sum", log_target=True)) / 2


@operation(LIBRARY, "jsd", "loss", "LigerJSDFunction, forward and backward, fp32 (4096,32000)")
def _(t):
    x, y = (t.randn(4096, 32000, dtype="fp32").log_softmax(-1) for _ in range(2))
    return t.training(lambda x: ops().LigerJSDFunction.apply(x, y), lambda x: mixed(t, x, t.up(y)) / x.shape[0], x)


@operation(LIBRARY, "tvd", "loss", "LigerTVDLossFunction, forward and backward, fp32 (4096,32000)")
def _(t):
    x, y = (t.randn(4096, 32000, dtype="fp32").softmax(-1) for _ in range(2))
    return t.training(lambda x: ops().LigerTVDLossFunction.apply(x, y), lambda x: (x - t.up(y)).abs().sum() / 2 / x.shape[0], x)


@operation(LIBRARY, "fused_moe", "product", "LigerFusedMoEFunction, forward, 2048 tokens of 2048, 16 experts of 1024, 4 a token")
def _(t):
    x, up, down = t.randn(2048, 2048), t.randn(16, 2048, 2048, scale=0.02), t.randn(16, 2048, 1024, scale=0.02)
    weights, index = t.randn(2048, 16, dtype="fp32").softmax(-1).topk(4)
    return Case(lambda: ops().LigerFusedMoEFunction.apply(x, up, down, index.int(), weights), lambda: experts(t, x, up, down, index, weights))


def experts(t, x, up, down, index, weights):
    out = t.torch.zeros(x.shape, dtype=t.torch.float64, device=x.device)
    for e in range(up.shape[0]):
        token, place = (index == e).nonzero(as_tuple=True)
        gate, value = (t.up(x)[token] @ t.up(up[e]).T).chunk(2, -1)
        out.index_add_(0, token, (t.torch.nn.functional.silu(gate) * value) @ t.up(down[e]).T * t.up(weights)[token, place][:, None])
    return out
