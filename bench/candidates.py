# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways to do a row's work: our kernels through libtilec.so, the same sources by Triton, torch."""
import importlib.util
import os
from concurrent.futures import ThreadPoolExecutor

import tilec
from work import config_text, step_constexprs

KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels")
THREADS = os.cpu_count() or 1


class Tilec:
    """One configuration of one of the row's kernels, on tilec, or on the build before."""

    def __init__(self, env, row, kernel, config, device=None):
        self.env, self.row, self.kernel, self.config = env, row, kernel, config
        self.device = device or env.device
        self.family = "before" if self.device is env.before else "tilec"
        self.text = config_text(config, kernel.label)
        self.launches, self.error = [], None

    def args(self, step, tensors):
        return self.device.args([(self.row.buffers[v].dtype, tensors[v]) if isinstance(v, str) else v for v in step.args.values()])

    def compile(self, tensors):
        """Launches an empty grid of every step, which compiles and loads it."""
        try:
            for step in self.kernel.steps:
                handle = self.device.kernel(os.path.join(KERNELS, self.kernel.file), step.function, defines(step, self.config),
                                                self.config["num_warps"], self.config["num_stages"], self.config["overlap"])
                self.launches.append((handle, step.grid(self.config), step))
                handle.launch((0, 1, 1), self.args(step, tensors), 0)
        except tilec.Error as error:
            self.error = first_line(error)

    def run(self, tensors):
        stream = self.env.stream()
        for handle, grid, step in self.launches:
            handle.launch(grid, self.args(step, tensors), stream)
        return {name: tensors[name] for name, buffer in self.row.buffers.items() if buffer.fill == "out"}


def defines(step, config):
    return {name: tilec.Name(value[6:]) if str(value).startswith("dtype:") else value
            for name, value in step_constexprs(step, config).items()}


def compile_tilec(candidates, tensors):
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda candidate: candidate.compile(tensors), candidates))


class Triton:
    """The same by Triton."""
    family = "triton"

    def __init__(self, env, row, kernel, config):
        self.env, self.row, self.kernel, self.config, self.error = env, row, kernel, config, None
        self.text = config_text(config, kernel.label)
        self.module = triton_module(kernel.file)

    def launch(self, step, tensors, warmup=False):
        import triton.language as tl
        dtypes = {"fp32": tl.float32, "i32": tl.int32}
        args = {name: tensors[value] if isinstance(value, str) else value for name, value in step.args.items()}
        for name, value in step_constexprs(step, self.config).items():
            args[name] = dtypes[value[6:]] if str(value).startswith("dtype:") else value
        args.update(num_warps=self.config["num_warps"], num_stages=self.config["num_stages"])
        getattr(self.module, step.function).run(grid=step.grid(self.config), warmup=warmup, **args)

    def run(self, tensors):
        for step in self.kernel.steps:
            self.launch(step, tensors)
        return {name: tensors[name] for name, buffer in self.row.buffers.items() if buffer.fill == "out"}


MODULES = {}


def triton_module(file):
    if file not in MODULES:
        spec = importlib.util.spec_from_file_location("kernels_" + file[:-3], os.path.join(KERNELS, file))
        MODULES[file] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(MODULES[file])
    return MODULES[file]


def compile_triton(candidates, tensors):
    """In parallel; what fails here fails again, with its message, when it runs."""
    from triton.runtime._async_compile import AsyncCompileMode
    with ThreadPoolExecutor(THREADS) as pool, AsyncCompileMode(pool, ignore_errors=True):
        for candidate in candidates:
            for step in candidate.kernel.steps:
                try:
                    candidate.launch(step, tensors, warmup=True)
                except Exception as error:  # noqa: BLE001 whatever the peer raises is its result
                    candidate.error = first_line(error)


class Peer:
    """A function of torch's."""

    def __init__(self, torch, row, name, function):
        self.torch, self.row, self.family, self.text, self.error, self.function = torch, row, name, "", None, function
        self.prepared = {}

    def peer_tensors(self, tensors):
        return {name: tensor.t() if self.row.buffers[name].transposed else tensor for name, tensor in tensors.items()}

    def result(self, tensors):
        key = id(tensors)
        if key not in self.prepared:
            result = self.function(self.torch, self.peer_tensors(tensors))
            if not callable(result):
                return result
            self.prepared[key] = result
        return self.prepared[key]()

    def run(self, tensors):
        result = self.result(tensors)
        outputs = [name for name, buffer in self.row.buffers.items() if buffer.fill == "out"]
        return result if isinstance(result, dict) else {outputs[0]: result}


def compiled_peer(torch, row):
    torch._dynamo.reset()
    function = torch.compile(lambda *tensors: row.compiled(torch, *tensors), dynamic=False)
    return Peer(torch, row, "torch.compile", lambda _, tensors: function(*tensors.values()))


def first_line(error):
    lines = [line for line in str(error).strip().splitlines() if line.strip()]
    useful = [line for line in lines if "error" in line.lower()] or lines or [type(error).__name__]
    return useful[0].strip()[:240]
