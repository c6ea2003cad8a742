# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The groups of tests/groups as tests of LLVM's lit (lit.cfg.py).

A group is a program that prints what failed, and closes with 'N passed, N failed'. Its lines of comment say how it runs:
  # dev               needs build/dev. If that still compiles, its exit status will be in the file that DEV_BUILD names
  # clock             depends on time. It runs at the end, with no other test next to it
  # dev: PART...      (and '# clock: PART...') the same of these parts only
  # parts: COMMAND    prints the names of its parts. Each is a test, GROUP/PART, for which the group runs with PART=NAME
A test that ends without the closing line fails. So does one that counts nothing and does not say why (SKIPPED, NOTE)."""
import contextlib
import fcntl
import fnmatch
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

import lit.formats
import lit.Test

SUITE = "tilec"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GROUPS = os.path.join(ROOT, "tests/groups")
STATE = os.path.join(ROOT, "build/test")
FAILED = os.path.join(STATE, "failures")  # a file a failed test, with its seed, until it passes
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed$", re.M)
CPU_SECONDS, SECONDS = 1500, 7200  # a process that spins, and one that waits


def comments(group):
    """The lines of comment that say how a group runs."""
    with open(os.path.join(GROUPS, group), encoding="utf-8") as file:
        return dict(re.findall(r"^# (dev|clock|parts)(?:: (.*))?$", file.read(), re.M))


def names(group):
    """The names of a group's tests."""
    parts = comments(group).get("parts")
    if not parts:
        return [group]
    out = subprocess.run(["bash", "-c", parts], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [f"{group}/{part}" for part in out.split()]


def is_of(word, name):
    """Whether a test has the line '# WORD', or is one of the parts that the line names."""
    group, _, part = name.partition("/")
    how = comments(group)
    return word in how and (not how[word] or any(fnmatch.fnmatchcase(part, pattern) for pattern in how[word].split()))


def read(path):
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
    return ""


def failure(name):
    return os.path.join(FAILED, name.replace("/", "+"))


def limit():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # lit's workers ignore it
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


class Group(lit.formats.TestFormat):
    def __init__(self, params):
        """run: a folder for this run; seed; keep: goes on after a failure; all: nothing is left out."""
        self.run, self.seed, self.all = params.get("run") or tempfile.mkdtemp(), params.get("seed", "1"), "all" in params
        self.stop = None if "keep" in params else os.path.join(self.run, "stop")
        self.dev = os.environ.get("DEV_BUILD")

    def getTestsInDirectory(self, suite, path, lit_config, config):
        chosen, longest = read(os.path.join(self.run, "chosen")).split(), read(os.path.join(ROOT, "tests/longest")).split()
        for name in chosen or [name for group in sorted(os.listdir(GROUPS)) for name in names(group)]:
            test = lit.Test.Test(suite, tuple(name.split("/")), config)
            test.clock, test.dev = is_of("clock", name), is_of("dev", name) and self.dev
            test.previous_failure = os.path.exists(failure(name))
            if not test.previous_elapsed and name in longest:  # this checkout has not run it
                test.previous_elapsed = len(longest) - longest.index(name)
            # The order is: what failed, the longest, what waits for build/dev, what depends on time.
            late = 1 if test.clock else 1e-3 if test.dev and not read(self.dev) else 0
            if late:
                test.previous_failure = False
                test.previous_elapsed = -late / (1 + test.previous_elapsed)
            yield test

    def execute(self, test, lit_config):
        name = "/".join(test.path_in_suite)
        with open(os.path.join(self.run, "turn"), "w", encoding="utf-8") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX if test.clock else fcntl.LOCK_SH)
            if test.dev:
                self.await_dev(name)
                if read(self.dev).strip() not in ("", "0"):
                    return self.result(name, "needs build/dev, which could not be built (build/dev.log)\n", 1)
            if self.stopped():
                time.sleep(10)  # lit ends its workers once it sees the failure
                return lit.Test.Result(lit.Test.SKIPPED)
            return self.start(name, *test.path_in_suite)

    def stopped(self):
        return self.stop and os.path.exists(self.stop)

    def await_dev(self, name):
        since = time.time()
        while not read(self.dev) and not self.stopped():
            time.sleep(0.5)
            if time.time() - since > 15:
                since = time.time()
                print(f"{name} waits for build/dev: {read('build/dev.log')[-300:].splitlines()[-1:]}", file=sys.stderr)

    def seed_of(self, name):
        """A test that failed has the seed of then. SEED=N is above both."""
        return os.environ.get("SEED") or read(failure(name)) or self.seed

    def start(self, name, group, part=""):
        log = os.path.join(self.run, name.replace("/", "+") + ".log")
        running = os.path.join(self.run, "running", name.replace("/", "+"))  # for progress.py
        os.makedirs(os.path.dirname(running), exist_ok=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(log, "wb") as out, open(running, "wb"):
            env = dict(os.environ, SEED=self.seed_of(name), PART=part, **({"TEST_NAMED": "yes"} if read(failure(name)) else {}))
            child = subprocess.Popen([os.path.join(GROUPS, group)], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                     start_new_session=True, preexec_fn=limit)
        signal.signal(signal.SIGTERM, lambda *_: (self.end(child), os._exit(1)))  # lit ends its workers
        status = self.wait(child, log)
        with contextlib.suppress(OSError):
            os.remove(running)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if status == "stopped":
            return lit.Test.Result(lit.Test.SKIPPED)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return self.result(name, read(log), status, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def end(self, child):
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGTERM)
        child.wait()

    def wait(self, child, log):
        """The exit status; 'stopped' after another test's failure. A test ends 3 seconds after its first failure, which it may still explain."""
        began, failed = time.time(), None
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return child.wait(0.2)
            now = time.time()
            if self.stop and not failed and "\nFAILED" in "\n" + read(log):
                failed = now
            if self.stopped() or now - began > SECONDS or failed and now - failed > 3:
                self.end(child)
                return "first failure" if failed else "stopped" if self.stopped() else "out of time"

    def result(self, name, text, status, cpu=0.0):
        closings = CLOSING.findall(text)
        passed, failed = map(int, closings[-1] if closings else (0, 0))
        why = ""
        if status == "first failure":
            why = "ended at its first failure (-k goes on)"
        elif not closings or status != 0 and failed == 0:
            why = f"no closing line without a failure before it, status {status}"
        soak = os.environ.get("PIECE") and not self.all  # a piece may have nothing for a part
        if not why and passed + failed == 0 and not soak and not re.search("^(SKIPPED|NOTE)", text, re.M):
            why = "it counts nothing"
        failed = max(failed, 1) if why else failed
        closing = f"CPU {cpu:.1f} s\n{passed} passed, {failed} failed"
        if not failed:
            if not soak:
                with contextlib.suppress(OSError):
                    os.remove(failure(name))
            said = re.findall(r"^(?:SKIPPED|NOTE).*$", text, re.M)
            return lit.Test.Result(lit.Test.PASS if passed else lit.Test.UNSUPPORTED, "\n".join([*said, closing]))
        if not soak:
            with open(failure(name), "w", encoding="utf-8") as file:
                file.write(self.seed_of(name))
        if self.stop:
            open(self.stop, "w", encoding="utf-8").close()
        lines = [line for line in text.splitlines() if not CLOSING.match(line)][-60:]
        return lit.Test.Result(lit.Test.FAIL, "\n".join([*lines, *([f"{name}: {why}"] if why else []), self.again(name), closing]))

    def again(self, name):
        """The command that repeats the test as it ran here."""
        piece = os.environ.get("PIECE")
        if self.all:
            return f"again: ./dev test --all {name}"
        return f"again: PIECE={piece} scripts/test {name}" if piece else f"again: SEED={self.seed_of(name)} ./dev test {name}"
