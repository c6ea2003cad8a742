# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of device work: launches captured in a CUDA graph over sets of buffers that rotate, replayed between two
events."""
import gc
import time

BEYOND_CACHE = 192 << 20  # bytes that the sets fill together: three times the L2 cache
MAX_SETS = 32
LEAD = 4e-3  # seconds that the device is busy with replays before the one that is timed: longer than a slow host takes to launch that


def set_count(row_bytes):
    return max(1, min(MAX_SETS, -(-BEYOND_CACHE // max(1, row_bytes))))


class CudaClock:
    def __init__(self, torch):
        self.torch, self.stream = torch, torch.cuda.Stream()
        self.others = torch.zeros(BEYOND_CACHE // 4, device="cuda")

    def synchronize(self):
        self.torch.cuda.synchronize()

    def seconds(self, record, earlier):
        """Milliseconds of the graph `record`, replayed between two events while the stream is busy with earlier
        replays. The L2 cache is full of others' data, because it drops loads with evict_first before those. Otherwise
        what ran before would matter."""
        torch = self.torch
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with torch.cuda.stream(self.stream):
            for _ in range(earlier):
                record.replay()
            self.others.sum()
            start.record()
            record.replay()
            end.record()
        self.stream.synchronize()
        return start.elapsed_time(end) * 1e-3

    def capture(self, run, sets, target):
        """(graph, launches, replays of LEAD): launches of run(set) that take about `target` seconds, and use all sets alike."""
        torch = self.torch
        with torch.cuda.stream(self.stream):
            run(sets[0])  # whatever is done at a first launch
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            for i in range(2):
                run(sets[i % len(sets)])
            end.record()
        self.stream.synchronize()
        one = max(start.elapsed_time(end) * 0.5e-3, 2e-6)
        count = max(1, min(400, round(target / one)) // len(sets)) * len(sets)
        graph = self.record(run, sets, count)
        with torch.cuda.stream(self.stream):
            graph.replay()  # what the first replay prepares is prepared then
        return graph, count, 1 + int(LEAD / (one * count))

    def record(self, run, sets, count):
        """As torch.cuda.graph, but without its garbage collection, which would take most of the suite's time."""
        graph = self.torch.cuda.CUDAGraph()
        gc.disable()
        with self.torch.cuda.stream(self.stream):
            graph.capture_begin(capture_error_mode="relaxed")
            try:
                for i in range(count):
                    run(sets[i % len(sets)])
            finally:
                graph.capture_end()
                gc.enable()
        return graph

    def begin(self, graph, count):
        """Replays, not waited for."""
        with self.torch.cuda.stream(self.stream):
            for _ in range(count):
                graph.replay()

    def replays(self, graph, earlier, count):
        """Seconds of `count` replays that follow `earlier` ones without a gap."""
        torch = self.torch
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self.begin(graph, earlier)
        start.record(self.stream)
        self.begin(graph, count)
        end.record(self.stream)
        self.stream.synchronize()
        return start.elapsed_time(end) * 1e-3

    def rounds(self, runs, sets, target, count):
        """Seconds of one launch: for each of `runs` a list of `count`. Runs alternate."""
        graphs = [self.capture(run, sets, target) for run in runs]
        times = [[] for _ in runs]
        for _ in range(count):
            for (graph, launches, earlier), into in zip(graphs, times):
                into.append(self.seconds(graph, earlier) / launches)
        return times


class HostClock:
    """Where there is no GPU: one call, by the host's clock. The figures mean nothing; the rest of the suite is tried."""

    def synchronize(self):
        pass

    def rounds(self, runs, sets, target, count):
        times = [[] for _ in runs]
        for _ in range(count):
            for run, into in zip(runs, times):
                start = time.perf_counter()
                run(sets[0])
                into.append(time.perf_counter() - start)
        return times
