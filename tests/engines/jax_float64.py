# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jax_float64.py SIZE...: examples/engines/jax_gelu.py (in PYTHONPATH) against float64 in NumPy, on what JAX runs on: values and
gradients of random data, between other operations of XLA's stream, in a loop and under vmap."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax_gelu import gelu

rng, worst = np.random.default_rng(), {}
float64 = lambda x: np.asarray(x).astype(np.float64)


def reference(x, grad=False):
    inner = np.tanh(0.7978845608 * (x + 0.044715 * x**3))
    slope = 0.5 * x * (1 - inner**2) * 0.7978845608 * (1 + 3 * 0.044715 * x**2)
    return 0.5 * (1 + inner) + slope if grad else 0.5 * x * (1 + inner)


def near(what, got, want, bound=8):
    """The largest error, in units of the type's last place of the larger of 1 and the largest value."""
    error = np.abs(float64(got) - want).max() / (float(jnp.finfo(got.dtype).eps) * max(1, np.abs(want).max()))
    worst[f"{what} {got.dtype}"] = max(error, worst.get(f"{what} {got.dtype}", 0))
    assert error <= bound, (what, got.dtype, got.shape, error)


for n in map(int, sys.argv[1:]):
    for dtype in jnp.float32, jnp.float16, jnp.bfloat16:
        x, weight = (jnp.asarray(rng.standard_normal(n) * 3, dtype) for _ in range(2))
        near("value", jax.jit(gelu)(x), reference(float64(x)))
        near("gradient", jax.jit(jax.vjp(gelu, x)[1])(weight)[0], reference(float64(x), True) * float64(weight))
    x = jnp.asarray(rng.standard_normal((3, n)), jnp.float32)
    near("vmap", jax.jit(jax.vmap(gelu))(x), reference(float64(x)))
    near("between", jax.jit(lambda x: jnp.flip(gelu(jnp.sort(x * 2, axis=1)), 1) + 1)(x), reference(np.sort(float64(x) * 2, 1))[:, ::-1] + 1)
    looped, want = jax.jit(lambda x: jax.lax.fori_loop(0, 20, lambda _, y: gelu(y) + 1, x))(x), float64(x)
    for _ in range(20):
        want = reference(want) + 1
    near("loop", looped, want, 64)
print(f"gelu on {x.device}:", ", ".join(f"{what} {error:.2f}" for what, error in worst.items()), "units")
