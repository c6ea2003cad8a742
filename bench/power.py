# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that compute are limited by power: each candidate at the clock that it causes itself, and at the full one.

Hot: rounds in a new random order each. A candidate replays for HOT seconds, and then, with no gap, the timed replays
follow. So it runs against its own power limit. Cool: after REST seconds without work a burst of BURST seconds, which
ends before the clock follows the power. Clock and joules are read through NVML during one more stretch of METER
seconds."""
import ctypes
import random
import statistics
import time

HOT, TIMED = 150e-3, 8e-3
REST, BURST = 250e-3, 2e-3
METER = 0.6
NVML_CLOCK_SM = 1


class Meter:
    """NVML's counters of the first device; `present` is False where there is no NVML."""

    def __init__(self):
        self.device, self.present = ctypes.c_void_p(), False
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            return
        self.present = not self.nvml.nvmlInit_v2() and not self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device))

    def joules(self):
        """Since the driver was loaded; None where the device does not count them."""
        value = ctypes.c_ulonglong()
        failed = not self.present or self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.device, ctypes.byref(value))
        return None if failed else value.value * 1e-3

    def megahertz(self):
        value = ctypes.c_uint()
        failed = not self.present or self.nvml.nvmlDeviceGetClockInfo(self.device, NVML_CLOCK_SM, ctypes.byref(value))
        return None if failed else value.value


class Timed:
    """A candidate's graph and how long its replay takes, about."""

    def __init__(self, clock, run, sets):
        self.clock = clock
        self.graph, self.launches, _ = clock.capture(run, sets, 1e-3)
        self.replay = clock.replays(self.graph, 0, 2) / 2

    def count(self, seconds):
        return max(1, round(seconds / self.replay))

    def hot(self):
        """Seconds of one launch."""
        count = self.count(TIMED)
        return self.clock.replays(self.graph, self.count(HOT), count) / count / self.launches

    def cool(self):
        self.clock.synchronize()
        time.sleep(REST)
        count = self.count(BURST)
        return self.clock.replays(self.graph, 0, count) / count / self.launches

    def metered(self, meter):
        """(megahertz, joules a launch), each None where it cannot be read."""
        self.clock.replays(self.graph, self.count(HOT), 1)
        clocks, count, before = [], self.count(METER), meter.joules()
        self.clock.begin(self.graph, count)
        for _ in range(8):
            time.sleep(METER / 10)
            clocks.append(meter.megahertz())
        self.clock.synchronize()
        after = meter.joules()
        joules = None if before is None else (after - before) / (count * self.launches)
        return (None if None in clocks else statistics.median(clocks)), joules


def hot_and_cool(clock, runs, sets, rounds):
    """For each of `runs` {"hot", "cool": seconds of each round, "mhz", "joules"}."""
    all_timed, meter = [Timed(clock, run, sets) for run in runs], Meter()
    result = [{"hot": [], "cool": []} for _ in runs]
    for way in ("hot", "cool"):
        for _ in range(rounds):
            for i in random.sample(range(len(runs)), len(runs)):
                result[i][way].append(getattr(all_timed[i], way)())
    for timed, into in zip(all_timed, result):
        into["mhz"], into["joules"] = timed.metered(meter)
    return result


def summary(measured):
    """As a candidate's record keeps it: microseconds, medians with the lowest and highest."""
    record = {way: {"us": statistics.median(measured[way]) * 1e6, "low": min(measured[way]) * 1e6, "high": max(measured[way]) * 1e6}
              for way in ("hot", "cool")}
    return {**record, "mhz": measured["mhz"], "joules": measured["joules"]}
