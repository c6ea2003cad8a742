#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our kernels, torch's and Triton's, in one run on one machine, by one clock.

Every candidate of a row is checked against float64. It is captured in a CUDA graph over sets of buffers that together
exceed the L2 cache, and timed by device events in interleaved rounds. Rows run in a separate process. It is started
again after a kernel that takes the device down. --dry-run compiles all our configurations and needs neither torch nor a
GPU. --device sim runs tiny sizes on the simulator against torch on the CPU."""
import argparse
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import report  # noqa: E402
import rows_matmul  # noqa: E402
import rows_memory  # noqa: E402
import rows_products  # noqa: E402
import rows_reduce  # noqa: E402
import tilec  # noqa: E402
from work import config_text, our_configs, signature  # noqa: E402

TRIES = 4  # of a row whose candidates crash or hang


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", metavar="REGEX", help="only rows whose name matches")
    parser.add_argument("--quick", action="store_true", help="three configurations a kernel, three rounds, no torch.compile")
    parser.add_argument("--dry-run", action="store_true", help="compile every configuration of ours for --arch")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--device", default="cuda", help="cuda or sim")
    parser.add_argument("--json", metavar="FILE", help="one JSON object a row")
    parser.add_argument("--no-overlap", action="store_true", help="our launches do not begin before the one before has ended")
    parser.add_argument("--power", type=int, default=0, metavar="ROUNDS",
                        help="rows that compute are also timed at the clock that each candidate causes itself (hot), and at the full one (cool)")
    parser.add_argument("--products", action="store_true", help="the rows of products as models have them, instead of all others")
    parser.add_argument("--before", metavar="LIBRARY", help="another build's libtilec.so, as a peer")
    parser.add_argument("--list", action="store_true", help="the rows' names")
    parser.add_argument("--budget", type=float, default=480, metavar="SECONDS", help="no row is begun later (480)")
    parser.add_argument("--row-limit", type=float, default=75, metavar="SECONDS", help="a row that takes longer is ended (75)")
    parser.add_argument("--child", metavar="JSON", help=argparse.SUPPRESS)
    return parser.parse_args()


def all_rows(options):
    small = options.device == "sim" and not options.dry_run
    rows = rows_products.rows(small) if options.products else rows_memory.rows(small) + rows_reduce.rows(small) + rows_matmul.rows(small)
    return [row for row in rows if re.search(options.rows, row.name)]


# --- Without a GPU: does everything compile?

def dry_run(rows, options):
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder  # where reports of bugs go
        return compile_all(rows, options)


def compile_all(rows, options):
    from candidates import KERNELS, defines, first_line
    library, compiled, failed, bugs = tilec.Library(), 0, 0, 0
    for row in rows:
        errors = {}
        for kernel in row.kernels:
            for config in our_configs(row, kernel, options):
                try:
                    for step in kernel.steps:
                        library.compile(os.path.join(KERNELS, kernel.file), step.function, signature(row, step), defines(step, config),
                                        config["num_warps"], config["num_stages"], options.arch, overlap=config["overlap"])
                    compiled += 1
                except tilec.Error as error:
                    bugs += error.status == tilec.STATUS_INTERNAL
                    errors.setdefault(first_line(error), []).append(config_text(config, kernel.label))
        total = sum(len(our_configs(row, kernel, options)) for kernel in row.kernels)
        bad = sum(len(texts) for texts in errors.values())
        failed += bad
        print(f"{row.name}: {total - bad} of {total} configurations compile", flush=True)
        for error, texts in errors.items():
            print(f"  {len(texts)} x {error}   [{texts[0]}]", flush=True)
    print(f"{compiled} compile, {failed} do not, {bugs} of them for a bug of tilec's")
    return 1 if failed else 0


# --- The process that measures

def child(rows, options):
    import torch

    from measure import Env, Fatal, run_row
    todo = json.loads(options.child)
    excluded = {tuple(item) for item in todo["excluded"]}
    torch.manual_seed(0)
    torch.set_grad_enabled(False)

    def say(**message):
        print(json.dumps(message), flush=True)

    env = Env(torch, tilec.Library(), options.device, options, lambda row, candidate: say(at=[row.name, candidate.family, candidate.text]))
    if env.cuda:
        import triton
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
        say(machine=f"{torch.cuda.get_device_name()}, torch {torch.__version__}, Triton {triton.__version__}, tilec {tilec.Library().version()}")
    for row in rows:
        if row.name not in todo["rows"]:
            continue
        say(begin=row.name)
        start = time.monotonic()
        try:
            record = run_row(env, row, {item[1:] for item in excluded if item[0] == row.name})
        except Fatal as error:
            say(fatal=str(error))
            os._exit(3)
        except Exception as error:  # noqa: BLE001 a row that fails says so, and the suite goes on
            from candidates import first_line
            record = {"row": row.name, "title": row.title, "candidates": [], "notes": [f"{type(error).__name__}: {first_line(error)}"]}
        say(record={**record, "seconds": round(time.monotonic() - start, 1)})
        if env.cuda:
            try:
                torch.cuda.synchronize()
                torch.cuda.empty_cache()
            except Exception:  # noqa: BLE001 the device is lost: the parent starts another process
                os._exit(3)
    say(end=True)
    sys.stdout.flush()
    os._exit(0)  # a device in disorder must not hold up the exit


# --- The process that watches it

class Parent:
    def __init__(self, rows, options):
        self.options, self.left, self.excluded, self.notes = options, [row.name for row in rows], [], {}
        self.tries, self.titles = {}, {row.name: row.title for row in rows}
        self.start, self.records = time.monotonic(), []
        self.json = open(options.json, "w", encoding="utf-8") if options.json else None

    def finish(self, record):
        record["notes"] = self.notes.pop(record["row"], []) + record["notes"]
        self.records.append(record)
        self.left.remove(record["row"])
        print(report.row_text(record), flush=True)
        if self.json:
            self.json.write(json.dumps(record) + "\n")
            self.json.flush()

    def lost(self, at, why):
        """A child ended, or was ended, while it was at a candidate (or before the first one)."""
        row = at[0] if at else self.left[0]
        if row not in self.left:
            return
        self.tries[row] = self.tries.get(row, 0) + 1
        self.notes.setdefault(row, []).append(f"{' '.join(at[1:]) if len(at or []) > 1 else 'the row'}: {why}")
        if at and len(at) > 1:
            self.excluded.append(at)
        if self.tries[row] >= TRIES or not at or len(at) == 1:
            self.finish({"row": row, "title": self.titles[row], "candidates": [], "notes": []})

    def command(self):
        words = [sys.executable, os.path.abspath(__file__), "--device", self.options.device, "--rows", self.options.rows]
        words += ["--quick"] * self.options.quick + ["--no-overlap"] * self.options.no_overlap + ["--products"] * self.options.products
        words += ["--power", str(self.options.power)] + (["--before", self.options.before] if self.options.before else [])
        return words + ["--child", json.dumps({"rows": self.left, "excluded": self.excluded})]

    def run_child(self):
        process = subprocess.Popen(self.command(), stdout=subprocess.PIPE)
        at, why, text, began = None, "the process ended", b"", False
        deadline = time.monotonic() + self.options.row_limit + 60  # the first row's import of torch
        while True:
            ready, _, _ = select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                why = f"no result within {self.options.row_limit:.0f} s"
                break
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                break
            *lines, text = (text + chunk).split(b"\n")
            for line in lines:
                message = json.loads(line) if line.startswith(b"{") else {}
                if "machine" in message and not self.records:
                    print(message["machine"], flush=True)
                if "begin" in message:
                    began = True
                    if time.monotonic() - self.start > self.options.budget:
                        process.kill()
                        process.wait()
                        return False
                    at, deadline = [message["begin"]], time.monotonic() + self.options.row_limit
                at = message.get("at", at)
                why = message.get("fatal", why)
                if "record" in message:
                    self.finish(message["record"])
                    at = None
                if "end" in message:
                    process.wait()
                    return bool(self.left)
        process.kill()
        process.wait()
        if began:
            self.lost(at, why)
        else:
            print(f"bench: the measuring process does not start: {why}")
        return began and bool(self.left)

    def run(self):
        while self.left and self.run_child():
            pass
        for row in self.left:
            print(f"{self.titles[row]}: not run")
        print(f"{len(self.records)} rows in {time.monotonic() - self.start:.0f} s")
        failures = sum(1 for record in self.records if not any(c["name"] == "tilec" for c in record["candidates"]))
        print(f"{failures} of them without a figure of tilec's")
        return 1 if failures or self.left else 0


def main():
    options = parse_options()
    rows = all_rows(options)
    if options.list:
        print("\n".join(row.name for row in rows))
        return 0
    if options.dry_run:
        return dry_run(rows, options)
    if options.child:
        return child(rows, options)
    return Parent(rows, options).run()


if __name__ == "__main__":
    sys.exit(main())
