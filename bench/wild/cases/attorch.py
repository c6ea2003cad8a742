# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""attorch: layers as torch.nn's, forward and backward."""

from operations import operation

LIBRARY = "attorch"


def layer(t, name, *args, **options):
    """A layer of attorch's of the first input's type, with random parameters, and its parameters."""
    import attorch

    try:
        made = getattr(attorch, name)(*args, device=t.device, dtype=t.dtype(options.pop("dtype")), **options)
    except TypeError:  # layers without parameters
        made = getattr(attorch, name)(*args, **options)
    for i, parameter in enumerate(made.parameters()):
        parameter.data.copy_(t.torch.randn(parameter.shape, device=t.device) * (parameter.shape[-1] * parameter.shape[-2]) ** -0.25 if parameter.dim() > 1 else 1 + i * 0.1)
        parameter.requires_grad_(False)
    return made.train()


def activation(name, reference):
    @operation(LIBRARY, name.lower(), "pointwise", f"{name}, forward and backward, (8192,8192)")
    def _(t):
        import attorch

        made, x = getattr(attorch, name)(), t.randn(8192, 8192)
        return t.training(made, lambda x: reference(t.torch.nn.functional, x), x)


activation("GELU", lambda functional, x: functional.gelu(x))
activation("Mish", lambda functional, x: functional.mish(x))
activation("SELU", lambda functional, x: functional.selu(x))
activation("Softplus", lambda functional, x: functional.softplus(x))


@operation(LIBRARY, "glu", "pointwise", "GLU, forward and backward, (8192,16384)")
def _(t):
    import attorch

    made, x = attorch.GLU(), t.randn(8192, 16384)
    return t.training(made, lambda x: t.torch.nn.functional.glu(x), x)


@operation(LIBRARY, "layer_norm", "norm", "LayerNorm, forward and backward, fp16 (8192,1024)")
def _(t):
    x = t.randn(8192, 1024, dtype="fp16")
    made = layer(t, "LayerNorm", x.shape[-1], dtype="fp16")
    return t.training(made, lambda x: t.torch.nn.functional.layer_norm(x, x.shape[-1:], t.up(made.weight), t.up(made.bias), made.eps), x)


@operation(LIBRARY, "batch_norm2d", "norm", "BatchNorm2d, forward and backward, fp32 (32,256,28,28)")
def _(t):
    x = t.randn(32, 256, 28, 28, dtype="fp32")
    made = layer(t, "BatchNorm2d", 256, dtype="fp32")
    return t.training(made, lambda x: t.torch.nn.functional.batch_norm(x, None, None, t.up(made.weight), t.up(made.bias), True, 0.1, made.eps), x)


@operation(LIBRARY, "softmax", "reduction", "Softmax, forward and backward, fp16 (8192,2048)")
def _(t):
    import attorch

    made, x = attorch.Softmax(-1), t.randn(8192, 2048, dtype="fp16")
    return t.training(made, lambda x: x.softmax(-1), x)


@operation(LIBRARY, "log_softmax", "reduction", "LogSoftmax, forward and backward, fp16 (8192,2048)")
def _(t):
    import attorch

    made, x = attorch.LogSoftmax(-1), t.randn(8192, 2048, dtype="fp16")
    return t.training(made, lambda x: x.log_softmax(-1), x)


@operation(LIBRARY, "conv2d", "convolution", "Conv2d 3x3, forward, fp16 x (16,64,56,56), 64 features")
def _(t):
    from operations import Case

    x = t.randn(16, 64, 56, 56, dtype="fp16")
    made = layer(t, "Conv2d", 64, 64, 3, padding=1, dtype="fp16")
    return Case(lambda: made(x), lambda: t.torch.nn.functional.conv2d(t.up(x), t.up(made.weight), t.up(made.bias), padding=1))


@operation(LIBRARY, "linear_gelu", "product", "Linear with GELU, forward, fp16 (8192,1024) to 4096")
def _(t):
    from operations import Case

    x = t.randn(8192, 1024, dtype="fp16")
    made = layer(t, "Linear", x.shape[-1], t.d(4096), act_func="gelu", dtype="fp16")
    return Case(lambda: made(x), lambda: t.torch.nn.functional.gelu(t.up(x) @ t.up(made.weight) + t.up(made.bias)))


@operation(LIBRARY, "cross_entropy", "loss", "CrossEntropyLoss, forward and backward, fp32 (8192,1000)")
def _(t):
    import attorch

    made, x, target = attorch.CrossEntropyLoss(), t.randn(8192, 1000, dtype="fp32"), t.randint(1000, 8192)
    return t.training(lambda x: made(x, target), lambda x: t.torch.nn.functional.cross_entropy(x, target), x)


@operation(LIBRARY, "smooth_l1", "loss", "SmoothL1Loss, forward and backward, fp32 (8192,8192)")
def _(t):
    import attorch

    made, x, y = attorch.SmoothL1Loss(), t.randn(8192, 8192, dtype="fp32"), t.randn(8192, 8192, dtype="fp32")
    return t.training(lambda x: made(x, y), lambda x: t.torch.nn.functional.smooth_l1_loss(x, t.up(y)), x)
