# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a run of lit is. A terminal has a line that is rewritten each second: tests that have ended, those that run, the time left. Elsewhere
each test has lit's line when it ends. If none came for 15 seconds, a line says what runs."""
import os
import re
import select
import shutil
import sys
import time

QUIET = 15  # seconds
ENDED = re.compile(r"^([A-Z]+): \S+ :: (\S+) \(\d+ of \d+\)")


def kept_times(path):
    """Seconds of each test, as lit keeps them."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {name: float(seconds) for seconds, name in (line.split() for line in file)}


class Progress:
    def __init__(self, run, tests, times, jobs):
        """run: the folder of the run; runner.py has a file for each test that runs in its folder 'running'."""
        self.folder, self.left, self.total, self.times, self.jobs = run + "/running", set(tests), len(tests), times, jobs
        self.terminal, self.printed, self.shown = sys.stdout.isatty(), time.time(), ""
        os.makedirs(self.folder, exist_ok=True)

    def running(self):
        """(seconds, name) of the tests that run, the longest first."""
        found = []
        for name in os.listdir(self.folder):
            try:
                found.append((time.time() - os.stat(os.path.join(self.folder, name)).st_mtime, name.replace("+", "/")))
            except FileNotFoundError:  # it has just ended
                continue
        return sorted(found, reverse=True)

    def time_left(self, running):
        """By the last times; nothing if most tests have none."""
        known = [self.times[name] for name in self.left if name in self.times]
        if not known or len(known) < 0.8 * len(self.left):
            return ""
        ran = sum(min(seconds, self.times.get(name, 0)) for seconds, name in running)
        seconds = max(max(known) - max((seconds for seconds, _ in running), default=0), (sum(known) - ran) / self.jobs, 1)
        return f"; about {seconds / 60:.0f} min left" if seconds >= 90 else f"; about {seconds:.0f} s left"

    def state(self):
        running = self.running()
        names = ", ".join(f"{name} ({seconds:.0f} s)" for seconds, name in running)
        return f"{self.total - len(self.left)} of {self.total} tests{self.time_left(running)}" + (f"; running: {names}" if names else "")

    def clear(self):
        if self.shown:
            sys.stdout.write("\r\033[K")
            self.shown = ""

    def show(self):
        if self.terminal:
            self.clear()
            self.shown = self.state()[: shutil.get_terminal_size().columns - 1]
            sys.stdout.write(self.shown)
        elif time.time() - self.printed > QUIET:
            self.printed = time.time()
            print(self.state())
        sys.stdout.flush()

    def line(self, text):
        ended = ENDED.match(text)
        if ended:
            self.left.discard(ended[2])
            if self.terminal and ended[1] in ("PASS", "UNSUPPORTED"):
                return
        self.clear()
        self.printed = time.time()
        print(text, flush=True)

    def follow(self, lit):
        """Passes on what lit prints until it ends; its exit status."""
        rest = b""
        while True:
            self.show()
            if not select.select([lit.stdout], [], [], 1)[0]:
                continue
            data = os.read(lit.stdout.fileno(), 1 << 16)
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for text in lines:
                self.line(text.decode(errors="replace"))
        self.clear()
        return lit.wait()
