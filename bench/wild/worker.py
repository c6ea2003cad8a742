# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One process of one compiler: makes operations ready and times them, as `run` tells it by lines of JSON on its standard input.

    {"do": "prepare", "id": ID, "graph": G, "check": C}
                                             inputs, first call, reference and errors where C, and a graph where G
    {"do": "time", "replays": N}             a lead-in of LEAD seconds, then N replays: microseconds a call of each; "processors": on these
    {"do": "profile"}                        microseconds of each kernel of a call, as the profiler counts them
    {"do": "drop"}                           frees the operation's memory
    {"do": "end"}

Triton compiles while other processes have the GPU. Everything else runs while this process has it exclusively
(WILD_LOCK, a file). WILD_COMPILER: triton or tilec. WILD_CONFIGS: the number of configurations that an autotuner tries,
evenly spread; 0: all. WILD_LIMIT: seconds of an operation, without waiting. WILD_DEVICE: cuda; sim: on the simulator,
small; none: only compiles, with inputs of the real size that hold nothing.
"""

import contextlib
import fcntl
import functools
import gc
import importlib
import json
import os
import re
import signal
import sys
import threading
import time
import traceback
import zlib

import torch

import host
from operations import Tools, load

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILER = os.environ.get("WILD_COMPILER", "triton")
CONFIGS = int(os.environ.get("WILD_CONFIGS", "0"))
LIMIT = float(os.environ.get("WILD_LIMIT", "60"))
DEVICE = os.environ.get("WILD_DEVICE", "cuda")
COMPILES = host.Compiles()
CHOICES = []  # how many configurations there were, each time that an autotuner chose
CALLS = 4  # in a graph
LEAD = 0.04
HOLD = float(os.environ.get("WILD_HOLD", "30"))  # seconds


class Turn:
    """Exclusive use of the GPU, between take and give."""

    def __init__(self, path):
        self.file, self.held, self.waited, self.since = open(path, "a"), False, 0.0, 0.0

    def take(self):
        began = time.perf_counter()
        left = signal.setitimer(signal.ITIMER_REAL, 0)[0]
        fcntl.flock(self.file, fcntl.LOCK_EX)
        if left:
            signal.setitimer(signal.ITIMER_REAL, left)
        self.held, self.since = True, time.perf_counter()
        self.waited += self.since - began

    def give(self):
        if self.held:
            with contextlib.suppress(Exception):
                synchronize()
            self.held = False
            fcntl.flock(self.file, fcntl.LOCK_UN)

    def watch(self):
        """Ends the process where it keeps the GPU for longer than HOLD: a kernel that does not end holds up all others."""
        while True:
            time.sleep(1)
            if self.held and time.perf_counter() - self.since > HOLD:
                print(f"the GPU was held for more than {HOLD:.0f} s", file=sys.stderr, flush=True)
                os._exit(9)

    @contextlib.contextmanager
    def lent(self):
        """While this process only computes on the host, others may have it."""
        if not self.held or (torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()):
            yield
            return
        self.give()
        try:
            yield
        finally:
            self.take()


def synchronize():
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def release():
    """Gives back what the allocator keeps: processes share the GPU's memory."""
    synchronize()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def spread(configs, count):
    """So many of the list, the first and the last among them."""
    configs = list(configs)
    if not count or len(configs) <= count:
        return configs
    return [configs[i * (len(configs) - 1) // max(1, count - 1)] for i in range(count)]


def hook(turn):
    """Compiles lend the GPU, and autotuners try few configurations, shortly."""
    import triton
    import triton.compiler as compiler
    import triton.runtime.autotuner as autotuner
    import triton.testing as testing

    def lending(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            with turn.lent():
                return function(*args, **kwargs)

        return call

    if DEVICE == "none":
        triton.runtime.driver.set_active(host.Driver())
        compiler.compile = COMPILES.watch(compiler.compile)
    compiler.compile = triton.compile = lending(compiler.compile)
    handles = compiler.CompiledKernel._init_handles

    def init_handles(self):
        with turn.lent() if self.module is None else contextlib.nullcontext():
            return handles(self)

    compiler.CompiledKernel._init_handles = init_handles
    prune, bench = autotuner.Autotuner.prune_configs, testing.do_bench

    def prune_configs(self, kwargs):
        configs = spread(prune(self, kwargs), CONFIGS)
        CHOICES.append(len(configs))
        return configs

    autotuner.Autotuner.prune_configs = prune_configs

    @functools.wraps(bench)
    def short(fn, warmup=5, rep=20, quantiles=None, **options):
        if DEVICE != "cuda":  # no time there, but configurations that cannot be
            fn()
            return 0.0 if quantiles is None else [0.0] * len(quantiles)
        options["quantiles"] = quantiles
        return bench(fn, warmup=min(warmup, 5), rep=min(rep, 20), **options)

    testing.do_bench = short


def compare(out, expected):
    """(root mean square of the differences, the largest), both over the reference's; of whole numbers the share that differs."""
    if tuple(out.shape) != tuple(expected.shape):
        raise ValueError(f"the result's shape is {tuple(out.shape)}, the reference's {tuple(expected.shape)}")
    if not expected.is_floating_point():
        share = (out.to(torch.int64) != expected.to(torch.int64)).double().mean().item()
        return share, share
    out, expected = out.detach().to(torch.float64), expected.to(torch.float64)
    same = out == expected  # infinities too
    finite = expected.isfinite()
    difference = torch.where(same, torch.zeros_like(out), out - expected)
    size = max(torch.where(finite, expected, torch.zeros_like(expected)).square().mean().sqrt().item(), 1e-30)
    return difference.square().mean().sqrt().item() / size, (difference.abs().max().item() if difference.numel() else 0.0) / size


def errors(out, expected):
    if len(out) != len(expected):
        raise ValueError(f"{len(out)} results, {len(expected)} of the reference")
    return [compare(a, b) for a, b in zip(out, expected)]


def tensors(result, pick=None):
    result = pick(result) if pick else result
    return [x for x in (result if isinstance(result, (tuple, list)) else [result]) if x is not None]


def short_message(error):
    text = re.sub(r"\s+", " ", f"{type(error).__name__}: {error}")
    frames = traceback.extract_tb(error.__traceback__)
    where = [frame for frame in frames if not frame.filename.startswith(HERE) or "/cases/" in frame.filename]
    return text[:400] + (f" [{'/'.join(where[-1].filename.split('/')[-2:])}:{where[-1].lineno}]" if where else "")


def keep_to(processors):
    """Each thread of this process."""
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.sched_setaffinity(int(thread), processors)


class Worker:
    def __init__(self, turn):
        self.turn, self.operations, self.case, self.graph = turn, load(), None, None

    def prepare(self, id, graph=True, check=True):
        self.drop()
        CHOICES.clear()
        row = {"ok": False}
        before, waited = self.compiled(), self.turn.waited
        signal.setitimer(signal.ITIMER_REAL, LIMIT)
        try:
            self.turn.take()
            torch.manual_seed(zlib.crc32(id.encode()))
            self.case = self.operations[id].make(Tools(torch, "cuda" if DEVICE == "cuda" else "cpu", tiny=DEVICE == "sim", blank=DEVICE == "none"))
            expected = tensors(self.case.reference()) if check and DEVICE != "none" else None
            release()
            began, waited = time.perf_counter(), self.turn.waited
            result = self.case.run()
            synchronize()
            row["first"] = time.perf_counter() - began - (self.turn.waited - waited)
            if expected is not None:
                row["errors"] = errors(tensors(result, self.case.pick), expected)
            del result, expected
            release()
            row["ok"] = True
            row["tuned"] = any(count > 1 for count in CHOICES)
            if DEVICE == "cuda":
                row.update(self.capture() if graph else {"mode": "events"})
        except BaseException as error:  # whatever a library raises ends only this operation
            if os.environ.get("WILD_TRACE"):
                traceback.print_exc()
            row["ok"], row["failed"] = False, short_message(error)
            row["broken"] = self.broken()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.turn.give()
        row["compiles"] = COMPILES.take()
        reports = self.compiled()[len(before):]
        row["kernels"] = len(reports)
        row["fallbacks"] = sorted({f"{item.kernel}: {item.reason.splitlines()[0][:200]}" for item in reports if item.reason is not None})
        return row

    @staticmethod
    def compiled():
        return sys.modules["tilec.triton"].report() if COMPILER == "tilec" else []

    @staticmethod
    def broken():
        """True if an error of the device has ended this process's CUDA."""
        try:
            synchronize()
            return False
        except Exception:
            return True

    def capture(self):
        """A CUDA graph of some calls; of what cannot be captured the calls are timed with the host's part."""
        for _ in range(2):
            self.case.run()
        synchronize()
        graph, stream = torch.cuda.CUDAGraph(), torch.cuda.current_stream()
        try:
            with torch.cuda.graph(graph):
                for _ in range(CALLS):
                    self.case.run()
            graph.replay()
            synchronize()
            self.graph = graph
            return {"mode": "graph"}
        except Exception as error:
            self.graph = None
            torch.cuda.set_stream(stream)  # a capture that fails leaves its own
            synchronize()
            self.case.run()
            synchronize()
            return {"mode": "events", "why": short_message(error)[:200]}

    def calls(self):
        if self.graph:
            self.graph.replay()
        else:
            for _ in range(CALLS):
                self.case.run()

    def time(self, replays, processors=None):
        signal.setitimer(signal.ITIMER_REAL, LIMIT)
        try:
            self.turn.take()
            if processors:
                keep_to(processors)
            gc.disable()  # as timeit does
            end = time.perf_counter() + LEAD
            while time.perf_counter() < end:
                self.calls()
                synchronize()
            events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(replays)]
            self.calls()
            for first, last in events:
                first.record()
                self.calls()
                last.record()
            synchronize()
            return {"us": [first.elapsed_time(last) * 1e3 / CALLS for first, last in events]}
        except BaseException as error:
            return {"failed": short_message(error), "broken": self.broken()}
        finally:
            gc.enable()
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.turn.give()

    def profile(self):
        """Kernel -> [launches, microseconds] of a call."""
        from torch.profiler import ProfilerActivity, profile

        signal.setitimer(signal.ITIMER_REAL, LIMIT)
        try:
            self.turn.take()
            with profile(activities=[ProfilerActivity.CUDA]) as seen:
                for _ in range(CALLS):
                    self.case.run()
                synchronize()
            kernels = {}
            for event in seen.events():
                if event.device_type == torch.autograd.DeviceType.CUDA:
                    known = kernels.setdefault(event.name[:80], [0, 0.0])
                    known[0] += 1 / CALLS
                    known[1] += event.device_time_total / CALLS
            return {"profile": kernels}
        except BaseException as error:
            return {"unprofiled": short_message(error), "broken": self.broken()}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.turn.give()

    def drop(self):
        self.case = self.graph = None
        gc.collect()
        with contextlib.suppress(Exception):
            release()
        return {}


def late(*args):
    raise TimeoutError(f"more than {LIMIT:.0f} s")


def warm():
    """A kernel's first launch, so that what is loaded and built once is there; and the library."""
    import warm_up

    for name in filter(None, os.environ.get("WILD_IMPORT", "").split(",")):
        importlib.import_module(name)
    if DEVICE == "cuda":
        warm_up.nothing[(1,)](torch.zeros(1, device="cuda"))
        synchronize()


def versions():
    import triton

    found = {"torch": torch.__version__, "triton": triton.__version__, "device": torch.cuda.get_device_name() if DEVICE == "cuda" else DEVICE}
    if COMPILER == "tilec":
        import tilec

        found["tilec"] = getattr(tilec, "__version__", "")
    return found


def main():
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no reply
    signal.signal(signal.SIGALRM, late)
    if COMPILER == "tilec":
        import tilec.triton  # noqa: F401
    if DEVICE == "cuda":
        torch.zeros(1, device="cuda")
    else:
        host.pretend()
    turn = Turn(os.environ["WILD_LOCK"])
    hook(turn)
    if DEVICE == "cuda":
        threading.Thread(target=turn.watch, daemon=True).start()
    with contextlib.suppress(Exception):  # the operations report its errors
        warm()
    COMPILES.clear()
    worker = Worker(turn)
    print(json.dumps(versions()), file=replies, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        what = request.pop("do")
        if what == "end":
            break
        print(json.dumps(getattr(worker, what)(**request)), file=replies, flush=True)
    replies.flush()
    os._exit(0)  # neither the driver's nor a library's own end is waited for


if __name__ == "__main__":
    main()
