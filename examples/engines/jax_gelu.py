# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GELU and its gradient in a function of JAX: python jax_gelu.py [N]"""

import pathlib
import sys

import jax
import jax.numpy as jnp
from jax_tilec import OUT, call

FILE = pathlib.Path(__file__).with_name("gelu.py")


@jax.custom_vjp
def gelu(x):
    like = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return call(FILE, "gelu", (-(-x.size // 1024),), like, x, x.size, OUT, BLOCK=1024)


def gelu_backward(x, grad):
    like = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return (call(FILE, "gelu_backward", (-(-x.size // 256),), like, x, grad, x.size, OUT, BLOCK=256),)


gelu.defvjp(lambda x: (gelu(x), x), gelu_backward)

if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    x, weight = jax.random.normal(jax.random.key(0), (2, n))
    loss = lambda function: jax.jit(jax.value_and_grad(lambda x: (function(x * 2) * weight).sum()))
    for got, want in zip(loss(gelu)(x), loss(jax.nn.gelu)(x)):
        assert jnp.allclose(got, want, rtol=1e-4, atol=1e-4), (got, want)
    assert jnp.allclose(jax.vmap(gelu)(jnp.stack([x, weight])), jax.nn.gelu(jnp.stack([x, weight])), atol=1e-5)
    for dtype in (jnp.float16, jnp.bfloat16):
        assert jnp.allclose(gelu(x.astype(dtype)), jax.nn.gelu(x.astype(dtype)), rtol=2e-2, atol=2e-2)
    print(f"gelu: {n} elements on {x.device.platform}: values and gradients are JAX's")
