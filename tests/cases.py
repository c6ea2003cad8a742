# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For groups that are written in Python, as lib.sh is for those in the shell: counts, samples, and launches by their lists."""
import importlib.machinery
import importlib.util
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.chdir(ROOT)
sys.dont_write_bytecode = True
TILEC, TILEC_DEV = os.path.abspath(os.environ.get("TILEC", "build/release/tilec")), os.path.abspath("build/dev/tilec")
WORK = tempfile.TemporaryDirectory()
os.environ["TILEC_CACHE"] = "off"
PTXAS = os.path.join(ROOT, "tests/bin/ptxas") if shutil.which("ptxas") else None  # its answers are kept
if PTXAS:
    os.environ["PATH"] = os.path.dirname(PTXAS) + os.pathsep + os.environ["PATH"]
SCHEDULES = "late", "early", "late-down", "early-down"
PIECE, PART = os.environ.get("PIECE"), os.environ.get("PART")
NUMBER = int(PIECE) if PIECE and PIECE != "all" else 0
passed = failed = 0
met = {}


def head():
    done = subprocess.run(["git", "rev-parse", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return int(done.stdout[:8], 16) if done.returncode == 0 else 1


SEED = int(os.environ.get("SEED") or head())


def work(name):
    return os.path.join(WORK.name, name)


def drawn(n, of, series):
    met[series] = met.get(series, -1) + 1
    return met[series] % n == of % n


def sampled(n, series="calls"):
    """True for one call in n, for another one in each piece; with PIECE=all for every one."""
    return drawn(n, NUMBER, series) or PIECE == "all"


def by_commit(n, series="calls"):
    """True for one call in n, for another one with each commit; with PIECE for every one."""
    return drawn(n, SEED, "commit " + series) or bool(PIECE)


def changed(*paths):
    """Whether a file of these differs from the commit before HEAD, or git does not know."""
    return subprocess.run(["git", "diff", "--quiet", "HEAD~1", "--", *paths], stderr=subprocess.DEVNULL, check=False).returncode != 0


def part(name):
    return not PART or PART == name


def limited(seconds):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

    return limit


def run(*words, cpu=600, **options):
    """What a command printed, and its status. It has `cpu` seconds of the processor, however busy the machine is."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options}
    return subprocess.run(words, stdin=subprocess.DEVNULL, text=True, errors="replace", preexec_fn=limited(cpu), check=False, **options)


def check(name, good, said=""):
    """Counts a check. If it is not good, prints its name and the end of what was said."""
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED {name}", *said.splitlines()[-15:], sep="\n", flush=True)
    return good


def expect(name, *words, **options):
    """The command must succeed."""
    done = run(*words, **options)
    return check(name, done.returncode == 0, done.stdout)


def counted(*words, **options):
    """A program that closes with 'N passed, N failed': its counts are added."""
    global passed, failed
    done = run(*words, **options)
    found = re.findall(r"^(\d+) passed, (\d+) failed$", done.stdout, re.M)
    good, bad = map(int, found[-1] if found else (0, 0))
    if good + bad == 0 or done.returncode != 0 and bad == 0:
        return check(shlex.join(words), False, done.stdout)
    print(re.sub(r"^(\d+ passed, \d+ failed|\[.*)\n", "", done.stdout, flags=re.M), end="", flush=True)
    passed, failed = passed + good, failed + bad
    return bad == 0


def skipped(what, why):
    print(f"SKIPPED {what}: {why}")


def finish():
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


def lines_of(path):
    """The lines of a list, without comments."""
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines if line.strip() and not line.startswith("#")]


def launches(path):
    """(kernel, words) of the launches in a file of tests/kernels/checked: '# check: WORDS' above the kernel."""
    held = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("# check: "):
                held.append(line.split()[2:])
            elif found := re.match(r"def (\w+)", line):
                yield from ((found[1], words) for words in held)
                held = []


def compile_list():
    """scripts/compile-list as a module: compiled(FILE, WORDS, KERNEL) are a launch's words as a compile's."""
    loader = importlib.machinery.SourceFileLoader("compile_list", "scripts/compile-list")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compile_list", loader))
    loader.exec_module(module)
    return module


def targets():
    return re.findall(r"^sm_[0-9a-z]*", run(TILEC, "--list-targets").stdout, re.M)


def target_of(ptx):
    with open(ptx, encoding="utf-8") as file:
        return re.search(r"^\.target ([a-z0-9_]+)", file.read(), re.M)[1]
