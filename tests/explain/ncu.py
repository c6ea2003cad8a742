#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilec explain --ncu`: Nsight Compute's CSV (tests/explain/ncu/README.md) next to the prediction, as text, JSON and
HTML. Also files that are no such CSV.
    ncu.py TILEC"""
import json
import os
import re
import subprocess
import sys
import tempfile

FOLDER = "tests/explain/ncu"
LAUNCH = ["examples/reduce.tile", "--kernel", "softmax", "--arch", "sm_90a", "x_ptr=randn:fp32[64,1000]", "out_ptr=empty:fp32[64,1000]", "stride=1000", "R=64", "C=1000"]
passed = failed = 0


def expect(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED {what}")


def explain(tilec, csv, *words, launch=LAUNCH):
    return subprocess.run([tilec, "explain", *launch, "--ncu", csv, *words], capture_output=True, text=True, timeout=1800, env={**os.environ, "PATH": "/nowhere"})


def measured(tilec, name):
    run = explain(tilec, f"{FOLDER}/softmax.{name}.csv", "--format=json")
    expect(run.returncode == 0, f"{name}: {run.stderr}")
    return json.loads(run.stdout) if run.returncode == 0 else None


def check_json(tilec):
    raw = measured(tilec, "raw")["measured"]
    expect(raw["launches"] == 1 and raw["lines"] == [], "raw: one launch, no lines")
    expect(raw["total"] == {"instructions": 45568, "global_requests": 4096, "global_sectors": 16000, "global_sectors_ideal": 16000, "shared_wavefronts": 1536,
                            "shared_wavefronts_ideal": 1536, "memory_bytes": 261376, "seconds": 3.456e-06, "registers": 26}, f"raw: {raw['total']}")
    same = ("global_requests", "global_sectors", "global_sectors_ideal", "shared_wavefronts", "shared_wavefronts_ideal")
    expect(all(raw["predicted"][name] == raw["total"][name] for name in same), f"raw: predicted {raw['predicted']}")
    expect(0.3 < raw["predicted"]["seconds"] / raw["total"]["seconds"] < 3, "raw: the time")
    details = measured(tilec, "details")["measured"]
    expect(details["launches"] == 2, f"details: {details['launches']} launches")
    expect(details["total"] == {"global_requests": 4096, "global_sectors": 16000, "memory_bytes": 261380, "seconds": 3.46e-06}, f"details: {details['total']}")
    everything = measured(tilec, "lines")
    lines = everything["measured"]
    by_line = {line["line"]: line for line in lines["lines"]}
    expect(list(by_line) == [22, 23, 24, 25, 26, 27] and lines["launches"] == 1, f"lines: {list(by_line)}")
    expect(by_line[25]["global_sectors"] == 8000 and by_line[26]["shared_wavefronts"] == 768 and by_line[22]["instructions"] == 512, "lines: values")
    expect(lines["total"]["instructions"] == 45568 and lines["total"]["global_sectors"] == 16000, f"lines: {lines['total']}")
    for counter in ("global_sectors", "shared_wavefronts"):
        for number, line in by_line.items():
            predicted = sum(op.get(counter, 0) for op in everything["ops"] if op.get("line") == number)
            expect(predicted == line[counter], f"lines: {counter} of line {number}: {predicted} predicted, {line[counter]} measured")
    code = measured(tilec, "sass")["measured"]
    expect(code["lines"] == [] and code["total"]["global_sectors"] == 16000 and code["total"]["shared_wavefronts"] == 1536, f"sass: {code}")


def check_text(tilec):
    out = explain(tilec, f"{FOLDER}/softmax.lines.csv").stdout
    expect(re.search(r"\n +\d+ % +\d+ +25  v = tl\.load.*\n.*8000 sectors.*\n {16}measured: 9216 instructions, 8000 sectors, 23 % of the samples\n", out), f"text of a line: {out[:1500]}")
    expect(re.search(r"\n +22  def softmax.*\n {16}measured: 512 instructions, 20 % of the samples\n", out), "text of a line of which nothing is predicted")
    expect("measured: 20.5 K instructions, 768 wavefronts, 0 conflicts, 33 % of the samples" in out, "text of wavefronts")
    out = explain(tilec, f"{FOLDER}/softmax.raw.csv").stdout
    expect(re.search(r"\nmeasured by Nsight Compute, tests/explain/ncu/softmax\.raw\.csv\ntime          3\.5 us; predicted [\d.]+ us, [\d.]+ of it\n", out), "text of a launch")
    expect("\nsectors       16 K; predicted 16 K, 1.00 of it\n" in out, "text of sectors")
    expect("(the last of 2 launches)" in explain(tilec, f"{FOLDER}/softmax.details.csv").stdout, "text of launches")
    expect("measured" not in subprocess.run([tilec, "explain", *LAUNCH], capture_output=True, text=True).stdout, "without --ncu")
    expect(max(map(len, out.splitlines())) <= 100, "100 columns")


def check_page(tilec, folder):
    path = os.path.join(folder, "page.html")
    run = explain(tilec, f"{FOLDER}/softmax.lines.csv", "--format=html", "-o", path)
    page = open(path, encoding="utf-8").read() if run.returncode == 0 else ""
    expect('"measured":' in page and "tellMeasured" in page and '"global_sectors":8000' in page.replace(" ", ""), f"the page: {run.stderr}")
    run = explain(tilec, path, "--format=html", "-o", path)
    expect(run.returncode == 1 and open(path, encoding="utf-8").read() == page, f"the page is not written over what is read: {run.returncode} {run.stderr}")


def refuses(tilec, folder, name, text, message):
    path = os.path.join(folder, "x.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    run = explain(tilec, path)
    expect(run.returncode == 1 and run.stdout == "" and f"{path}:{message}" in run.stderr, f"{name}: {run.returncode} {run.stderr}")


def check_errors(tilec, folder):
    raw = open(f"{FOLDER}/softmax.raw.csv", encoding="utf-8").read()
    lines = open(f"{FOLDER}/softmax.lines.csv", encoding="utf-8").read()
    none = "1:1: error[T1007]: this is not a CSV of Nsight Compute"
    refuses(tilec, folder, "another CSV", "a,b\n1,2\n", none)
    refuses(tilec, folder, "an empty file", "", none)
    refuses(tilec, folder, "a program", "int main(void) {\n}\n", none)
    refuses(tilec, folder, "another kernel", raw.replace('"softmax"', '"gemm(int)"'), "1:1: error[T1007]: it has no data of the kernel 'softmax', only of 'gemm(int)'")
    refuses(tilec, folder, "another kernel's lines", lines.replace('"softmax"', '"softmax2"'), "1:1: error[T1007]: it has no data of the kernel 'softmax', only of 'softmax2'")
    refuses(tilec, folder, "no number", raw.replace('"8000.000000"', '"many"'), "3:1: error[T1007]: 'many' of 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum' is not a number")
    refuses(tilec, folder, "a row cut off", raw[: raw.rindex(',"')] + "\n", "3:1: error[T1007]: 27 values, where line 1 names 28 columns")
    refuses(tilec, folder, "a quote", raw.rstrip()[:-1], "3:1: error[T1007]: a quote is not closed")
    refuses(tilec, folder, "lines without counters", open(f"{FOLDER}/softmax.source.csv", encoding="utf-8").read(), "2:1: error[T1007]: it has none of the counters")
    run = explain(tilec, os.path.join(folder, "absent.csv"))
    expect(run.returncode == 1 and "absent.csv" in run.stderr and run.stdout == "", f"no file: {run.stderr}")
    # As programs on other systems write it, and with demangled names.
    with open(os.path.join(folder, "x.csv"), "w", encoding="utf-8", newline="") as file:
        file.write(raw.replace('"softmax"', '"softmax(float *, float *)"').replace("\n", "\r\n"))
    run = explain(tilec, os.path.join(folder, "x.csv"), "--format=json")
    expect(run.returncode == 0 and json.loads(run.stdout)["measured"]["total"]["registers"] == 26, f"CRLF: {run.stderr}")


def main():
    tilec = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        check_json(tilec)
        check_text(tilec)
        check_page(tilec, folder)
        check_errors(tilec, folder)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
