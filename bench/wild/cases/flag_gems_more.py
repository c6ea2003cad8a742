# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FlagGems: further operations."""

from operations import Case, operation

from .flag_gems_facts import LIBRARY, attention, gems


def elementwise(name, call, function, reference, shape=(8192, 8192), inputs=1, positive=False):
    """A row of an operation by elements, of one input or more of one shape."""

    @operation(LIBRARY, name, "pointwise", f"{call}, ({','.join(map(str, shape))})")
    def _(t):
        made = [t.rand(*shape, low=0.5, high=2.0) if positive else t.randn(*shape) for _ in range(inputs)]
        return Case(lambda: function(gems(), *made), lambda: reference(t.torch, *(t.up(x) for x in made)))


elementwise("gelu", "gelu(x)", lambda gems, x: gems.gelu(x), lambda torch, x: torch.nn.functional.gelu(x), (8192, 11008))
elementwise("gelu_tanh", "gelu(x, tanh)", lambda gems, x: gems.gelu(x, approximate="tanh"),
            lambda torch, x: torch.nn.functional.gelu(x, approximate="tanh"), (8192, 11008))
elementwise("tanh", "tanh(x)", lambda gems, x: gems.tanh(x), lambda torch, x: x.tanh())
elementwise("sigmoid", "sigmoid(x)", lambda gems, x: gems.sigmoid(x), lambda torch, x: x.sigmoid())
elementwise("erf", "erf(x)", lambda gems, x: gems.erf(x), lambda torch, x: x.erf())
elementwise("add", "x + y", lambda gems, x, y: gems.add(x, y), lambda torch, x, y: x + y, inputs=2)
elementwise("true_divide", "x / y", lambda gems, x, y: gems.true_divide(x, y), lambda torch, x, y: x / y, inputs=2, positive=True)
elementwise("pow_tensors", "x ** y", lambda gems, x, y: gems.pow_tensor_tensor(x, y), lambda torch, x, y: x ** y, inputs=2, positive=True)
elementwise("log", "log(x)", lambda gems, x: gems.log(x), lambda torch, x: x.log(), positive=True)
elementwise("sin", "sin(x)", lambda gems, x: gems.sin(x), lambda torch, x: x.sin())
elementwise("softplus", "softplus(x)", lambda gems, x: gems.softplus(x), lambda torch, x: torch.nn.functional.softplus(x))
elementwise("silu_and_mul", "silu(x) * y", lambda gems, x, y: gems.silu_and_mul(x, y), lambda torch, x, y: torch.nn.functional.silu(x) * y, (8192, 11008), 2)
elementwise("where", "where(x > y, x, y), the comparison in it", lambda gems, x, y: gems.where_self(gems.gt(x, y), x, y), lambda torch, x, y: torch.maximum(x, y), inputs=2)


def rows(name, call, function, reference, shape=(8192, 8192), kind="reduction", pick=None, dtype="bf16"):
    """A row of an operation on one random matrix."""

    @operation(LIBRARY, name, kind, f"{call}, ({','.join(map(str, shape))})")
    def _(t):
        x = t.randn(*shape, dtype=dtype)
        return Case(lambda: function(gems(), x), lambda: reference(t.torch, t.up(x)), pick)


rows("log_softmax", "log_softmax(x, -1)", lambda gems, x: gems.log_softmax(x, -1), lambda torch, x: x.log_softmax(-1), (4096, 32000))
rows("softmax_wide", "softmax(x, -1)", lambda gems, x: gems.softmax(x, -1), lambda torch, x: x.softmax(-1), (1024, 65536))
rows("mean", "mean along 1", lambda gems, x: gems.mean_dim(x, [1]), lambda torch, x: x.mean(1))
rows("amax", "amax along 1", lambda gems, x: gems.amax(x, [1]), lambda torch, x: x.amax(1))
rows("max_dim", "max along 1: values", lambda gems, x: gems.max_dim(x, 1), lambda torch, x: x.amax(1), pick=lambda out: out[0])
rows("var_mean", "var_mean along 1", lambda gems, x: gems.var_mean(x, [1]), lambda torch, x: torch.var_mean(x, 1), dtype="fp32")
rows("vector_norm", "vector_norm(x) along 1", lambda gems, x: gems.vector_norm(x, 2, [1]), lambda torch, x: x.square().sum(1).sqrt(), dtype="fp32")
rows("sum_all", "sum of all", lambda gems, x: gems.sum(x), lambda torch, x: x.sum(), dtype="fp32")
rows("cumsum", "cumsum along 1", lambda gems, x: gems.cumsum(x, 1), lambda torch, x: x.cumsum(1), (4096, 4096), dtype="fp32")
rows("topk", "topk(x, 64): values", lambda gems, x: gems.topk(x, 64), lambda torch, x: x.topk(64)[0], (128, 32000), pick=lambda out: out[0], dtype="fp32")
rows("sort", "sort along 1: values", lambda gems, x: gems.sort(x, 1), lambda torch, x: x.sort(1)[0], (256, 8192), pick=lambda out: out[0], dtype="fp32")


@operation(LIBRARY, "layer_norm", "norm", "layer_norm, (8192,4096)")
def _(t):
    x, w, b = t.randn(8192, 4096), t.randn(4096), t.randn(4096)
    n = x.shape[1]
    return Case(lambda: gems().layer_norm(x, (n,), w, b, 1e-5)[0], lambda: t.torch.nn.functional.layer_norm(t.up(x), (n,), t.up(w), t.up(b), 1e-5))


@operation(LIBRARY, "rms_norm", "norm", "rms_norm_forward, (8192,4096)")
def _(t):
    x, w = t.randn(8192, 4096), t.randn(4096)
    n = x.shape[1]
    return Case(lambda: gems().rms_norm_forward(x, (n,), w, 1e-5)[0], lambda: t.torch.nn.functional.rms_norm(t.up(x), (n,), t.up(w), 1e-5))


@operation(LIBRARY, "batch_norm", "norm", "batch_norm in training, (32,256,28,28)")
def _(t):
    x, w, b = t.randn(32, 256, 28, 28), t.randn(256), t.randn(256)
    return Case(lambda: gems().batch_norm(x, w, b, None, None, True, 0.1, 1e-5)[0],
                lambda: t.torch.nn.functional.batch_norm(t.up(x), None, None, t.up(w), t.up(b), True, 0.1, 1e-5))


@operation(LIBRARY, "weight_norm", "norm", "weight_norm_interface, (4096,4096)")
def _(t):
    v, g = t.randn(4096, 4096), t.randn(4096, 1)
    return Case(lambda: gems().weight_norm_interface(v, g, 0)[0], lambda: t.up(v) * t.up(g) / t.up(v).square().sum(1, keepdim=True).sqrt())


@operation(LIBRARY, "skip_layer_norm", "norm", "skip_layer_norm(x, residual), (8192,4096)")
def _(t):
    x, r, w, b = t.randn(8192, 4096), t.randn(8192, 4096), t.randn(4096), t.randn(4096)
    n = x.shape[1]
    return Case(lambda: gems().skip_layer_norm(x, r, [n], w, b, 1e-5), lambda: t.torch.nn.functional.layer_norm(t.up(x) + t.up(r), (n,), t.up(w), t.up(b), 1e-5))


@operation(LIBRARY, "embedding", "index", "embedding, (32000,4096), 8192 indices")
def _(t):
    w, index = t.randn(32000, 4096), t.randint(32000, 8192)
    return Case(lambda: gems().embedding(w, index), lambda: t.up(w)[index])


@operation(LIBRARY, "index_select", "index", "index_select(x, 0, 8192 indices), (16384,4096)")
def _(t):
    x, index = t.randn(16384, 4096), t.randint(16384, 8192)
    return Case(lambda: gems().index_select(x, 0, index), lambda: t.up(x)[index])


@operation(LIBRARY, "stack", "index", "stack of two (8192,4096) along 1")
def _(t):
    a, b = t.randn(8192, 4096), t.randn(8192, 4096)
    return Case(lambda: gems().stack([a, b], 1), lambda: t.torch.stack([t.up(a), t.up(b)], 1))


@operation(LIBRARY, "repeat_interleave", "index", "repeat_interleave(x, 4, 1), (4,8,2048,128)")
def _(t):
    x = t.randn(4, 8, 2048, 128)
    return Case(lambda: gems().repeat_interleave_self_int(x, 4, 1), lambda: t.up(x).repeat_interleave(4, 1))


@operation(LIBRARY, "pad", "index", "pad(x, (1,1,1,1)), (16,64,128,128)")
def _(t):
    x = t.randn(16, 64, 128, 128)
    return Case(lambda: gems().pad(x, (1, 1, 1, 1)), lambda: t.torch.nn.functional.pad(t.up(x), (1, 1, 1, 1)))


@operation(LIBRARY, "transpose_copy", "index", "contiguous(x.T), (8192,8192)")
def _(t):
    x = t.randn(8192, 8192)
    return Case(lambda: gems().contiguous(x.mT), lambda: t.up(x).mT)


@operation(LIBRARY, "triu", "index", "triu(x), (8192,8192)")
def _(t):
    x = t.randn(8192, 8192)
    return Case(lambda: gems().triu(x), lambda: t.up(x).triu())


def convolution(name, call, dims, weight, dtype="fp16", function="conv2d", reference="conv2d", **options):
    @operation(LIBRARY, name, "convolution", f"{call}, {dtype} x ({','.join(map(str, dims))}), w ({','.join(map(str, weight))})")
    def _(t):
        fan = weight[1] * weight[2] * (weight[3] if len(weight) > 3 else 1)
        x, w = t.randn(*dims, dtype=dtype), t.randn(*weight, dtype=dtype, scale=fan ** -0.5)
        return Case(lambda: getattr(gems(), function)(x, w, None, **options), lambda: getattr(t.torch.nn.functional, reference)(t.up(x), t.up(w), **options))


convolution("conv2d_1x1", "conv2d", (16, 256, 28, 28), (256, 256, 1, 1))
convolution("conv2d_stride", "conv2d, stride 2", (16, 128, 56, 56), (256, 128, 3, 3), stride=2, padding=1)
convolution("conv2d_stem", "conv2d, 7x7, stride 2", (16, 3, 224, 224), (64, 3, 7, 7), stride=2, padding=3)
convolution("conv2d_groups", "conv2d, 8 groups", (16, 128, 28, 28), (128, 16, 3, 3), padding=1, groups=8)
convolution("conv1d", "conv1d", (8, 256, 3000), (256, 256, 3), function="conv1d", reference="conv1d", padding=1)


@operation(LIBRARY, "max_pool2d", "convolution", "max_pool2d 3x3, stride 2: values, (16,64,112,112)")
def _(t):
    x = t.randn(16, 64, 112, 112)
    return Case(lambda: gems().max_pool2d_with_indices(x, 3, 2, 1), lambda: t.torch.nn.functional.max_pool2d(t.up(x), 3, 2, 1), lambda out: out[0])


@operation(LIBRARY, "avg_pool2d", "convolution", "avg_pool2d 2x2, (16,256,56,56)")
def _(t):
    x = t.randn(16, 256, 56, 56)
    return Case(lambda: gems().avg_pool2d(x, [2, 2], [2, 2], [0, 0]), lambda: t.torch.nn.functional.avg_pool2d(t.up(x), 2))


@operation(LIBRARY, "mm_hopper", "product", "mm as it is chosen on Hopper, 4096^3")
def _(t):
    a, b = t.randn(4096, 4096), t.randn(4096, 4096)
    return Case(lambda: gems().mm(a, b), lambda: t.up(a) @ t.up(b))


@operation(LIBRARY, "mm_decode", "product", "mm, (16,4096) x (4096,14336)")
def _(t):
    a, b = t.randn(16, 4096), t.randn(4096, 14336)
    return Case(lambda: gems().ops.mm(a, b), lambda: t.up(a) @ t.up(b))


@operation(LIBRARY, "mv", "product", "mv, (8192,8192)")
def _(t):
    a, b = t.randn(8192, 8192), t.randn(8192)
    return Case(lambda: gems().mv(a, b), lambda: t.up(a) @ t.up(b))


@operation(LIBRARY, "baddbmm", "product", "baddbmm, 32 x 1024^3")
def _(t):
    c, a, b = t.randn(32, 1024, 1024), t.randn(32, 1024, 1024), t.randn(32, 1024, 1024)
    return Case(lambda: gems().baddbmm(c, a, b), lambda: t.torch.baddbmm(t.up(c), t.up(a), t.up(b)))


def sdpa(name, call, q, k, causal, dtype):
    @operation(LIBRARY, name, "attention", f"scaled_dot_product_attention, {call}")
    def _(t):
        query, key, value = t.randn(*q, dtype=dtype), t.randn(*k, dtype=dtype), t.randn(*k, dtype=dtype)
        gqa = q[1] != k[1]
        return Case(lambda: gems().ops.scaled_dot_product_attention_forward(query, key, value, None, 0.0, causal, None, gqa)[0],
                    lambda: attention(t, query, key, value, causal))


sdpa("sdpa_64", "bf16 (8,16,2048,64)", (8, 16, 2048, 64), (8, 16, 2048, 64), False, "bf16")
sdpa("sdpa_gqa", "causal, bf16 (4,32,2048,128) on 8 heads", (4, 32, 2048, 128), (4, 8, 2048, 128), True, "bf16")


@operation(LIBRARY, "sdpa_training", "attention", "scaled_dot_product_attention, causal, forward and backward, bf16 (2,16,2048,64)")
def _(t):
    q, k, v = (t.randn(2, 16, 2048, 64) for _ in range(3))
    return t.training(lambda q, k, v: gems().ops.scaled_dot_product_attention(q, k, v, None, 0.0, True),
                      lambda q, k, v: t.torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True), q, k, v)


@operation(LIBRARY, "scatter", "scatter", "scatter(x, 1, index, src), (4096,4096), a permutation a row")
def _(t):
    x, src, index = t.randn(4096, 4096), t.randn(4096, 4096), t.randn(4096, 4096, dtype="fp32").argsort(1)
    return Case(lambda: gems().scatter(x, 1, index, src), lambda: t.up(x).scatter(1, index, t.up(src)))


@operation(LIBRARY, "scatter_add", "scatter", "scatter(x, 0, index, src, add), fp32 (4096,4096)")
def _(t):
    x, src, index = t.randn(4096, 4096, dtype="fp32"), t.randn(4096, 4096, dtype="fp32"), t.randint(4096, 4096, 4096)
    return Case(lambda: gems().scatter(x, 0, index, src, "add"), lambda: t.up(x).scatter_add(0, index, t.up(src)))


@operation(LIBRARY, "index_add", "scatter", "index_add(x, 0, index, src), (8192,4096), 8192 indices")
def _(t):
    x, src, index = t.randn(8192, 4096), t.randn(8192, 4096), t.randperm(8192)
    return Case(lambda: gems().index_add(x, 0, index, src), lambda: t.up(x).index_add(0, index, t.up(src)))


@operation(LIBRARY, "index_put", "scatter", "index_put(x, (index,), values), (16384,4096), 8192 indices")
def _(t):
    x, values, index = t.randn(16384, 4096), t.randn(8192, 4096), t.randperm(16384)[: t.d(8192)]
    return Case(lambda: gems().index_put(x, (index,), values), lambda: t.up(x).index_put((index,), t.up(values)))


@operation(LIBRARY, "select_scatter", "scatter", "select_scatter(x, src, 1, 3), (64,16,256,256)")
def _(t):
    x, src = t.randn(64, 16, 256, 256), t.randn(64, 256, 256)
    return Case(lambda: gems().select_scatter(x, src, 1, 3), lambda: t.up(x).select_scatter(t.up(src), 1, 3))


@operation(LIBRARY, "slice_scatter", "scatter", "slice_scatter(x, src, 1, 0, None, 2), (8192,8192)")
def _(t):
    x, src = t.randn(8192, 8192), t.randn(8192, 4096)
    return Case(lambda: gems().slice_scatter(x, src, 1, 0, None, 2), lambda: t.up(x).slice_scatter(t.up(src), 1, 0, None, 2))


@operation(LIBRARY, "masked_fill", "scatter", "masked_fill(x, mask, 0.5), (8192,8192)")
def _(t):
    x, mask = t.randn(8192, 8192), t.randn(8192, 8192) > 0
    return Case(lambda: gems().masked_fill(x, mask, 0.5), lambda: t.up(x).masked_fill(mask, 0.5))


@operation(LIBRARY, "embedding_backward", "scatter", "embedding_backward, (32000,4096), 8192 indices, fp32")
def _(t):
    g, index, n = t.randn(8192, 4096, dtype="fp32"), t.randint(32000, 8192), t.d(32000)
    return Case(lambda: gems().embedding_backward(g, index, n), lambda: t.torch.zeros(n, g.shape[1], dtype=t.torch.float64, device=g.device).index_add(0, index, t.up(g)))
