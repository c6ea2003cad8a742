# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mamba: state space models."""

import importlib

from operations import Case, operation

from .fla import over_sequence

LIBRARY = "mamba"


def ops(name):
    return importlib.import_module(f"mamba_ssm.ops.triton.{name}")


def scan(t, x, dt, a, b, c):
    """The scan of whole sequences as linear attention whose decay is a * dt. Its own scale of queries is taken out."""
    heads, width = x.shape[2], c.shape[-1]
    queries, keys = (y.repeat_interleave(heads // y.shape[2], 2) for y in (c * width ** 0.5, b))
    return over_sequence(t, queries, keys, x * dt[..., None], dt * a)


def scanned(t):
    """Inputs of 24 heads of 64 and states of 128."""
    x, b, c = t.randn(2, 2048, 24, 64), t.randn(2, 2048, 1, 128), t.randn(2, 2048, 1, 128)
    return x, t.rand(2, 2048, 24, dtype="fp32", low=0.001, high=0.1), -t.rand(24, dtype="fp32", low=1.0, high=16.0), b, c


@operation(LIBRARY, "chunk_scan", "attention", "mamba_chunk_scan_combined, forward, x (2,2048,24,64), states of 128, chunks of 256")
def _(t):
    inputs = scanned(t)
    return Case(lambda: ops("ssd_combined").mamba_chunk_scan_combined(*inputs, 256), lambda: scan(t, *(t.up(x) for x in inputs)))


@operation(LIBRARY, "chunk_scan_training", "attention", "mamba_chunk_scan_combined, forward and backward, x (2,2048,24,64), states of 128, chunks of 256")
def _(t):
    return t.training(lambda *inputs: ops("ssd_combined").mamba_chunk_scan_combined(*inputs, 256), lambda *inputs: scan(t, *inputs), *scanned(t))


@operation(LIBRARY, "selective_state_update", "reduction", "selective_state_update, 256 sequences, 64 heads of 64, states of 128")
def _(t):
    state, x, dt = t.randn(256, 64, 64, 128), t.randn(256, 64, 64), t.rand(256, 64, 64, high=0.1)
    a, b, c = -t.rand(64, 64, 128, dtype="fp32"), t.randn(256, 1, 128), t.randn(256, 1, 128)
    d, bias = t.randn(64, 64), t.rand(64, 64, high=0.1)

    def reference():
        step = (t.up(dt) + t.up(bias))[..., None]
        after = t.up(state) * (step * t.up(a)).exp() + step * t.up(b)[:, :, None] * t.up(x)[..., None]
        return (after * t.up(c)[:, :, None]).sum(-1) + t.up(x) * t.up(d)

    return Case(lambda: ops("selective_state_update").selective_state_update(state, x, dt, a, b, c, d, dt_bias=bias), reference)


@operation(LIBRARY, "rmsnorm_gated", "norm", "rmsnorm_fn with a gate, forward and backward, (8192,4096)")
def _(t):
    x, w, z = t.randn(8192, 4096), t.randn(4096), t.randn(8192, 4096)
    functional = t.torch.nn.functional
    return t.training(lambda x, w, z: ops("layernorm_gated").rmsnorm_fn(x, w, None, z=z, norm_before_gate=False),
                      lambda x, w, z: functional.rms_norm(x * functional.silu(z), w.shape, w, 1e-6), x, w, z)


@operation(LIBRARY, "layer_norm_residual", "norm", "layer_norm_fn with a residual, forward and backward, (8192,4096)")
def _(t):
    x, w, b, r = t.randn(8192, 4096), t.randn(4096), t.randn(4096), t.randn(8192, 4096)
    return t.training(lambda x, w, b, r: ops("layer_norm").layer_norm_fn(x, w, b, residual=r),
                      lambda x, w, b, r: t.torch.nn.functional.layer_norm(x + r, w.shape, w, b, 1e-6), x, w, b, r)


@operation(LIBRARY, "chunk_bmm", "product", "_bmm_chunk_fwd, (8,4096,8,128), chunks of 256")
def _(t):
    a, b = t.randn(8, 4096, 8, 128), t.randn(8, 4096, 8, 128)

    def reference():
        left, right = (t.up(x).unflatten(1, (-1, min(256, x.shape[1]))).transpose(2, 3) for x in (a, b))
        return left @ right.mT

    return Case(lambda: ops("ssd_bmm")._bmm_chunk_fwd(a, b, min(256, a.shape[1])), reference)


@operation(LIBRARY, "swiglu", "pointwise", "swiglu, forward, (8192, 2 x 11008)")
def _(t):
    x = t.randn(8192, 22016)

    def reference():
        gate, value = t.up(x).chunk(2, -1)
        return t.torch.nn.functional.silu(gate) * value

    return Case(lambda: ops("k_activations")._swiglu_fwd(x), reference)
