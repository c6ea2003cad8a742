# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""xFormers: rows by index, norms, products of matrices in pieces, and rope into a padded cache."""

import importlib

from operations import Case, operation

LIBRARY = "xformers"


def ops(name):
    return importlib.import_module(f"xformers.ops._triton.{name}")


@operation(LIBRARY, "rms_norm", "norm", "_rms_norm_forward, (8192,5120)")
def _(t):
    x, w = t.randn(8192, 5120), t.randn(5120)
    return Case(lambda: ops("rmsnorm_kernels")._rms_norm_forward(x, w, 1e-6), lambda: t.torch.nn.functional.rms_norm(t.up(x), w.shape, t.up(w), 1e-6))


@operation(LIBRARY, "rms_norm_add", "norm", "_rms_norm_add_forward in place, (8192,5120)")
def _(t):
    x, y, w = t.randn(8192, 5120), t.randn(8192, 5120), t.randn(5120)
    return Case(lambda: (ops("rmsnorm_kernels")._rms_norm_add_forward(x, y, w, 1e-6), x),
                lambda: (t.torch.nn.functional.rms_norm(t.up(x) + t.up(y), w.shape, t.up(w), 1e-6), t.up(x) + t.up(y)))


@operation(LIBRARY, "index_select_cat", "index", "index_select_cat, 8192 of 16384 rows of 4096, forward and backward")
def _(t):
    x, gradient = t.randn(16384, 4096), t.randn(8192, 4096)
    index = t.randperm(16384)[: gradient.shape[0]]
    out, back = t.torch.empty_like(gradient), t.torch.zeros_like(x)

    def run():
        module = ops("k_index_select_cat")
        module.index_select_cat_bwd(back, index, gradient)
        return module.index_select_cat_fwd(out, x, index), back

    return Case(run, lambda: (t.up(x)[index], t.torch.zeros_like(t.up(x)).index_copy(0, index, t.up(gradient))))


@operation(LIBRARY, "scaled_index_add", "scatter", "scaled_index_add in place, 32 of 64 x (256,1408) with a scale of columns")
def _(t):
    x, source, scale = t.randn(64, 256, 1408), t.randn(32, 256, 1408), t.randn(1408)
    index = t.torch.randperm(64, device=t.device)[:32]

    def run():
        ops("k_scaled_index_add").scaled_index_add_fwd(x, index, source, scale, 0.5)
        return x

    return Case(run, lambda: t.up(x).index_add(0, index, t.up(source) * t.up(scale), alpha=0.5))


@operation(LIBRARY, "tiled_matmul", "product", "tiled matmul by its first configuration, 2 x 3 by 3 x 2 pieces of bf16 2048 x 1024")
def _(t):
    a = [[t.randn(2048, 1024) for _ in range(3)] for _ in range(2)]
    b = [[t.randn(1024, 2048) for _ in range(2)] for _ in range(3)]
    c = [[t.empty(2048, 2048) for _ in range(2)] for _ in range(2)]
    sizes = [[t.d(n)] * count for n, count in ((2048, 2), (2048, 2), (1024, 3))]

    def run():
        module = ops("tiled_matmul_kernels")
        module._xformers_tiled_matmul_kernel.configs = module.BASIC_MATMUL_CONFIGS[:1]
        module._launch_triton_matmul(a, b, c, *sizes)
        return [piece for row in c for piece in row]

    return Case(run, lambda: [sum(t.up(a[i][k]) @ t.up(b[k][j]) for k in range(3)) for i in range(2) for j in range(2)])


@operation(LIBRARY, "rope_padded", "index", "rope_padded, 16 prompts of 512 into caches of 2048, 32 and 8 heads of 128")
def _(t):
    torch, length, room, heads, groups = t.torch, t.d(512), t.d(2048), 32, 8
    q, k, v = (torch.randn(16 * length, count, 128, device=t.device).to(t.dtype("bf16")) for count in (heads, groups, groups))
    out, caches = torch.empty_like(q), [torch.zeros(16 * room, groups, 128, device=t.device, dtype=q.dtype) for _ in range(2)]
    starts, places = (torch.arange(0, 17 * n, n, device=t.device, dtype=torch.int32) for n in (length, room))
    lengths = torch.full((16,), room - 3, device=t.device, dtype=torch.int32)

    def run():
        strides = [n for x in (q, k, v, *caches) for n in (x.stride(0), 0, x.stride(1))]
        ops("rope_padded_kernels")._rope_padded_kernel[(length, 16, heads + 2 * groups)](
            q, k, v, out, *caches, starts, places, lengths, 10000.0, 1.0, False, 0, 0, 0, 0, None, None, heads, heads + groups, 1, 128, *strides, 1, 1, 1,
            out.stride(0), 0, out.stride(1), 0, "f32", const_batch_strides=False, cache_padding_length=0, seqlenk_shift=0, BLOCK_SIZE=128, adjacents=True, num_warps=1)
        return [out] + [cache.view(16, room, groups, 128)[:, room - 3 - length: room - 3] for cache in caches]

    def reference():
        position = torch.arange(room - 3 - length, room - 3, device=t.device).double().repeat(16)
        angle = position[:, None] * 10000.0 ** (-torch.arange(0, 128, 2, device=t.device).double() / 128)
        turned = [torch.view_as_real(torch.view_as_complex(t.up(x).unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(angle), angle)[:, None]).flatten(-2) for x in (q, k)]
        return [turned[0]] + [x.view(16, length, groups, 128) for x in (turned[1], t.up(v))]

    return Case(run, reference)
