# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints tilec's JSON diagnostics as GitHub's annotations: annotate.py <report.json"""
import json
import sys

text = sys.stdin.read()
try:
    diagnostics = json.loads(text)
except ValueError:
    sys.exit(text)
for item in diagnostics:
    at = f" file={item['file']},line={item['line']},col={item['column']}" if item.get("file") else ""
    text, buffer = item["message"], item.get("buffer")
    if buffer and f"{buffer}[" not in text:  # PTX of nvcc: the message has only the address
        text += f" (argument {buffer}[{item['index']}])"
    print(f"::{'error' if item['severity'] == 'error' else 'warning'}{at}::{text}")
