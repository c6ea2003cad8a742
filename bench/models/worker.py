# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One model under one compiler, as `run` asks: worker.py MODEL. Each line of standard input is a command, and each answer is a line of JSON.

    prepare   compiles a training step, compares its first step with eager in float64, and trains for a few steps
    time N    device time of N training steps, by kernel
    generate  64 tokens of a language model, greedily

MODELS_DEVICE is cuda, sim (tilec's simulator, tiny models) or compile (kernels are compiled and not launched). The variables of Triton's caches and TILEC_TRITON are set by `run`."""

import contextlib
import copy
import fcntl
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile
import time
import traceback

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import zoo  # noqa: E402
from table import totals  # noqa: E402

WHERE = os.environ.get("MODELS_DEVICE", "cuda")
SIM, COMPILES = WHERE == "sim", WHERE == "compile"
DEVICE = "cuda" if WHERE == "cuda" else "cpu"
STEPS = 2 if SIM else 4  # of training
TOKENS = 3 if SIM else 64
GENERATIONS = {"generate": ("float32", None), "generate_bf16": ("bfloat16", None), "generate_flex": ("float32", "flex_attention")}


BUSY = 256 << 20  # bytes that are written before a timed call, some 80 us each time

held = False  # whether this process has the GPU for itself


@contextlib.contextmanager
def alone():
    """One process at a time has the GPU: those that share MODELS_LOCK."""
    global held
    path = os.environ.get("MODELS_LOCK")
    if not path or held:
        yield
        return
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        held = True
        try:
            yield
        finally:
            held = False


def device_time(self, call, **options):
    """In the place of Inductor's benchmark of a call: milliseconds on the device, the least of 20. What runs before keeps the device busy until the host has
    launched the call. Inductor keeps it busy for some 20 us, so that it measures how fast the host launches short kernels. Other processes can delay the host
    for longer: a median of 20 chose configurations that took twice the time and more."""
    busy = torch.empty(BUSY, dtype=torch.uint8, device="cuda")
    events = []
    call()
    for _ in range(20):
        for _ in range(4):
            busy.zero_()
        events.append([torch.cuda.Event(enable_timing=True) for _ in range(2)])
        events[-1][0].record()
        call()
        events[-1][1].record()
    torch.cuda.synchronize()
    return min(begin.elapsed_time(end) for begin, end in events)


def measure_alone():
    """Inductor measures its configurations while no other process of `run` uses the GPU, by `device_time`."""
    from torch._inductor.runtime import benchmarking
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    benchmarking.InductorBenchmarker.benchmark_gpu = device_time

    original = CachingAutotuner.benchmark_all_configs

    def benchmark(*args, **kwargs):
        with alone():
            return original(*args, **kwargs)

    CachingAutotuner.benchmark_all_configs = benchmark


def synchronize():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def norm(values):
    return torch.linalg.vector_norm(values.double()).item()


class Training:
    """A model, its float64 copy, and a compiled step with AdamW."""

    def __init__(self, name):
        model, inputs, self.loss = zoo.build(name, SIM)
        if COMPILES:
            inputs = {key: (value[:2, :64] if value.dim() == 2 else value[:2]).contiguous() for key, value in inputs.items()}
        self.model = model.train().to(DEVICE)
        self.inputs = {key: value.to(DEVICE) for key, value in inputs.items()}
        self.start = copy.deepcopy(self.model.state_dict())
        if not COMPILES:
            with alone():
                self.compute_references()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, foreach=True, capturable=DEVICE == "cuda")
        self.forward = torch.compile(self.step)
        self.update = torch.compile(self.optimizer.step)

    def compute_references(self):
        """Loss and gradients by eager, in float64 and as they are trained. FlexAttention has no eager form."""
        flex = getattr(getattr(self.model, "config", None), "_attn_implementation", None) == "flex_attention"
        if flex:
            self.model.set_attn_implementation("sdpa")
        in_double = {key: value.double() if value.is_floating_point() else value for key, value in self.inputs.items()}
        self.reference = self.gradients_of(copy.deepcopy(self.model).double(), in_double)
        with torch.autocast(DEVICE, torch.bfloat16):
            eager = self.gradients_of(self.model, self.inputs)
        self.model.load_state_dict(self.start)
        self.eager = self.errors(*eager)
        if flex:
            self.model.set_attn_implementation("flex_attention")
        synchronize()
        if DEVICE == "cuda":
            torch.cuda.empty_cache()

    def gradients_of(self, model, inputs):
        value = self.loss(model, inputs)
        value.backward()
        found = {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}
        model.zero_grad(set_to_none=True)
        return value.detach(), found

    def step(self):
        with torch.autocast(DEVICE, torch.bfloat16):
            return self.loss(self.model, self.inputs)

    def errors(self, value, gradients):
        """Relative errors: of the loss, of all gradients as one vector, and of the worst parameter."""
        true, known = self.reference
        if set(gradients) != set(known):
            raise RuntimeError(f"gradients of other parameters: {sorted(set(gradients) ^ set(known))[:3]}")
        norms = {name: norm(g) for name, g in known.items()}
        differences = {name: norm(gradients[name].double() - g.double()) for name, g in known.items()}
        typical = math.hypot(*norms.values()) / math.sqrt(sum(g.numel() for g in known.values()))
        every = {name: differences[name] / max(norms[name], 1e-2 * typical * math.sqrt(g.numel())) for name, g in known.items()}
        total = math.hypot(*differences.values()) / math.hypot(*norms.values())
        worst = max(every, key=every.get)
        finite = all(torch.isfinite(g).all().item() for g in gradients.values())
        return {"loss": abs(value.item() - true.item()) / abs(true.item()), "gradients": total if finite else math.inf, "worst": every[worst] if finite else math.inf,
                "parameter": worst}

    def compile(self):
        """Compiles the kernels of a step, whose results are of no use."""
        began = time.perf_counter()
        self.train()
        return {"parameters": sum(parameter.numel() for parameter in self.model.parameters()), "first_call": time.perf_counter() - began}

    def prepare(self):
        if COMPILES:
            return self.compile()
        began = time.perf_counter()
        value = self.forward()
        value.backward()
        synchronize()
        seconds = time.perf_counter() - began
        gradients = {name: parameter.grad for name, parameter in self.model.named_parameters() if parameter.grad is not None}
        row = {"parameters": sum(parameter.numel() for parameter in self.model.parameters()), "first_call": seconds, "loss": value.item(),
               "error": self.errors(value.detach(), gradients), "eager": self.eager}
        began = time.perf_counter()
        self.model.load_state_dict(self.start)
        row["losses"] = [self.train() for _ in range(STEPS)]
        synchronize()
        row["first_steps"] = time.perf_counter() - began
        return row

    def train(self):
        value = self.forward()
        self.optimizer.zero_grad(set_to_none=True)
        value.backward()
        self.update()
        return value.item()

    def time(self, steps):
        """Microseconds a step: of each Triton kernel of Inductor's, of all kernels, and of the step by the host's clock."""
        with alone():
            walls = []
            for _ in range(3):
                synchronize()
                began = time.perf_counter()
                self.train()
                synchronize()
                walls.append((time.perf_counter() - began) * 1e6)
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
                for _ in range(steps):
                    self.train()
                synchronize()
        with tempfile.TemporaryDirectory() as folder:
            profile.export_chrome_trace(f"{folder}/trace.json")
            events = json.loads(pathlib.Path(folder, "trace.json").read_text())["traceEvents"]
        found = totals(events, steps)
        if not found["kernels"]:
            raise RuntimeError("the profiler saw no kernel of Inductor's")
        return {"wall": statistics.median(walls), **found}


class Generation:
    """A Llama with random weights. transformers compiles the forward itself for its static cache on a GPU."""

    def __init__(self, name):
        dtype, attention = GENERATIONS[name]
        torch.manual_seed(0)  # both compilers' processes make the same weights
        torch.backends.cuda.matmul.allow_tf32 = False
        model, inputs, _ = zoo.decoder("Llama", SIM)
        self.attention = attention
        self.model = model.eval().to(DEVICE, getattr(torch, dtype))
        self.model.config.use_cache = self.model.generation_config.use_cache = True
        self.prompt = inputs["input_ids"][:2, :17].to(DEVICE)

    def tokens(self, **options):
        with torch.no_grad():
            return self.model.generate(self.prompt, attention_mask=torch.ones_like(self.prompt), max_new_tokens=TOKENS, min_new_tokens=TOKENS, do_sample=False,
                                       **options)[:, self.prompt.shape[1]:].tolist()

    def prepare(self):
        with alone():
            eager = self.tokens()
        if self.attention:
            self.model.set_attn_implementation(self.attention)
        if DEVICE != "cuda":
            self.model.forward = torch.compile(self.model.forward)
        began = time.perf_counter()
        tokens = self.tokens(cache_implementation="static")
        synchronize()
        row = {"first_call": time.perf_counter() - began, "tokens": tokens, "eager_tokens": eager}
        began = time.perf_counter()
        row["again"] = self.tokens(cache_implementation="static") == tokens
        synchronize()
        row["second_call"] = time.perf_counter() - began
        return row


def reporter():
    """tilec's report of this process, if it compiles."""
    if os.environ.get("TILEC_TRITON", "0") in ("", "0"):
        return None
    import tilec.triton

    return tilec.triton


def serve(name):
    subject = None
    for line in sys.stdin:
        command, *words = line.split()
        try:
            if command == "prepare":
                subject = Generation(name) if name in GENERATIONS else Training(name)
                answer = subject.prepare()
                ours = reporter()
                if ours is not None:
                    answer["reported"], answer["fallbacks"] = len(ours.report()), [str(item) for item in ours.report().fallbacks]
            elif command == "time":
                answer = subject.time(int(words[0]))
            else:
                raise SystemExit(f"no such command: {command}")
        except Exception as error:
            traceback.print_exc()
            answer = {"failed": f"{type(error).__name__}: {error}"[:2000]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")  # what libraries print goes to the log
    os.dup2(2, 1)
    with contextlib.ExitStack() as stack:
        reporter()  # loads the drop-in
        if DEVICE == "cuda":
            measure_alone()
        else:
            import on_sim

            stack.enter_context(on_sim.inductor(on_sim.launch if SIM else on_sim.compile))
        print(json.dumps({"torch": torch.__version__, "triton": __import__("triton").__version__, "device": torch.cuda.get_device_name() if DEVICE == "cuda" else WHERE}), file=answers, flush=True)
        serve(sys.argv[1])
