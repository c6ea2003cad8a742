# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile without a GPU: Inductor makes Triton kernels as for an H200. tilec's simulator runs them on host tensors, or they
are only compiled."""

import contextlib
import unittest.mock

import torch
import torch._inductor.config
import torch._inductor.runtime.triton_heuristics as heuristics

H200 = dict(type="cuda", index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048,
            max_threads_per_block=1024, warp_size=32)


class Chip:
    """Triton's driver without a GPU, for kernels that are not launched."""

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 90, 32)


def launch(tuner, *args, stream=None, **kwargs):
    """Replaces Inductor's launcher, which needs a GPU, by Triton's, with the first configuration."""
    config, values = tuner.configs[0], iter(args)
    named = {**config.kwargs, **kwargs}
    named.update({name: next(values) for name in tuner.fn.arg_names if name not in named})
    grid = heuristics.GridExpr.from_meta(tuner.inductor_meta, config, "python").eval_slow(named)
    tuner.fn[tuple(grid[:3])](**named, num_warps=config.num_warps, num_stages=config.num_stages)


def compile(tuner, *args, stream=None, **kwargs):
    """Compiles all configurations of the kernel as for an H200, and launches nothing."""
    if not tuner.compile_results:
        tuner._precompile_worker()


@contextlib.contextmanager
def inductor(run=launch):
    """While it is open, `run(tuner, *args, stream=None, **kwargs)` replaces the launch of each of Inductor's kernels."""
    from torch._inductor import ir
    from torch._inductor.codegen.triton import TritonScheduling
    from torch._inductor.runtime.hints import DeviceProperties

    import triton

    if run is compile:
        triton.runtime.driver.set_active(Chip())
    patch = unittest.mock.patch.object
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch._inductor.config.patch(cpu_backend="triton"))
        stack.enter_context(patch(heuristics.CachingAutotuner, "precompile", lambda *args, **kwargs: None))
        stack.enter_context(patch(heuristics.CachingAutotuner, "run", run))
        stack.enter_context(patch(heuristics.triton_helpers, "set_driver_to_gpu", lambda: None))
        stack.enter_context(patch(ir, "is_gpu", lambda device: True))
        stack.enter_context(patch(DeviceProperties, "create", staticmethod(lambda device: DeviceProperties(**H200))))
        stack.enter_context(patch(TritonScheduling, "get_backend_features", staticmethod(lambda device: TritonScheduling.backend_features)))
        yield
