#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fuzz.py TILEC SEED EDITS: random edits of kernels in `tilec lsp`, with requests between them.

The server must answer each request, log no crash, print nothing on standard error, and end with status 0. Built with
sanitizers, it also reports wrong accesses. After the edits, its diagnostics must be those of the same text opened at
once."""
import glob
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Client  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TILEC, SEED, EDITS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
PIECES = ["(", ")", "[", "]", ":", ",", "\n", "    ", "\t", "\r", "\0", "'", '"""', "#", "\\", "=", "*", "\U0001f600", "é", "0x", "1e999",
          "tl.", "tl.load(", "tl.dot(", "for i in range(n):\n", "if ", "else:\n", "def f(", "@triton.jit\n", "# tilec: x=*fp32, BLOCK=64\n", "lambda x: ",
          "return ", "import x\n", "f'{x}'", "tl.static_range(4)", "x[:, None]", "999999999999999999999", "-" * 50]
rng = random.Random(SEED)
names = sorted(glob.glob(f"{ROOT}/examples/*.tile") + glob.glob(f"{ROOT}/examples/*/*.py") + glob.glob(f"{ROOT}/tests/golden/mistakes/compile/*.py"))


def positions(text):
    lines = text.split("\n")
    line = rng.randrange(len(lines))
    return {"line": line, "character": rng.randrange(len(lines[line]) + 1)}


def offset(text, position):
    """The offset of a position, in characters. Characters of the protocol are units of UTF-16."""
    lines = text.split("\n")
    before, left = 0, position["character"]
    row = lines[position["line"]].rstrip("\r") if lines[position["line"]].endswith("\r") else lines[position["line"]]
    while before < len(row) and left > 0:
        left -= 2 if ord(row[before]) > 0xffff else 1
        before += left >= 0
    return sum(len(line) + 1 for line in lines[:position["line"]]) + before


def edited(client, uri, text, version):
    start = positions(text)
    end = start if rng.random() < 0.6 else {"line": start["line"], "character": start["character"] + rng.randrange(12)}
    new = rng.choice(PIECES) if rng.random() < 0.7 else "" if rng.random() < 0.7 else text[:rng.randrange(200)]
    client.change(uri, [{"range": {"start": start, "end": end}, "text": new}], version)
    return text[:offset(text, start)] + new + text[offset(text, end):]


def ask(client, uri, text):
    method = rng.choice(["hover", "completion", "definition", "inlayHint"])
    params = {"textDocument": {"uri": uri}, "position": positions(text)}
    if method == "inlayHint":
        params["range"] = {"start": {"line": 0, "character": 0}, "end": {"line": 10000, "character": 0}}
    answer = client.ask("textDocument/" + method, params)
    assert "result" in answer, answer


def shown(diagnostics):
    return [(d.get("code"), d["range"], d["message"]) for d in diagnostics]


client, failed, passed = Client(TILEC), 0, 0
for number in range(max(1, EDITS // 20)):
    name = rng.choice(names)
    text = open(name, encoding="utf-8", errors="replace", newline="").read()
    uri, version = f"file://{ROOT}/fuzz/{number}{os.path.splitext(name)[1]}", 1
    client.open(uri, text)
    for _ in range(20):
        version += 1
        text = edited(client, uri, text, version)
        if rng.random() < 0.5:
            ask(client, uri, text)
    found, fresh = client.diagnostics(uri, version), f"file://{ROOT}/fuzz/fresh{number}{os.path.splitext(name)[1]}"
    client.open(fresh, text)
    if shown(found) == shown(client.diagnostics(fresh)):
        passed += 1
    else:
        failed += 1
        print(f"FAILED seed {SEED}, {name}: diagnostics after edits differ from those of the text")
    for closed in (uri, fresh):
        client.tell("textDocument/didClose", {"textDocument": {"uri": closed}})
    client.notices.clear()
status = client.close()
if status or client.errors or client.logs:
    failed += 1
    print(f"FAILED seed {SEED}: status {status}, log {client.logs[:3]}, standard error {client.errors[:2000]}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
