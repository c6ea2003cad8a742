#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""table.py FILE.json: the Markdown table of a run of suite.py --json FILE.json, on standard output."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from report import ours_and_best_peer, rate_text  # noqa: E402


def cell(candidate):
    if not candidate:
        return "-"
    spread = (candidate["high"] - candidate["low"]) / candidate["us"] * 100
    return f"{candidate['us']:.1f} ({spread:.1f}%)"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    print("| work | tilec, us (spread) | rate | of the ceiling | configuration | best peer, us | Triton, us | tilec against best peer |")
    print("|---|---|---|---|---|---|---|---|")
    for record in records:
        ours, peer = ours_and_best_peer(record)
        triton = next((c for c in record["candidates"] if c["name"] == "triton"), None)
        print("| " + " | ".join([
            record["title"], cell(ours), rate_text(record, ours) if ours else "-", f"{ours['share'] * 100:.1f}%" if ours else "-",
            ours["config"] if ours else "; ".join(record["notes"][:1]).replace("|", "/"), f"{peer['name']} {cell(peer)}" if peer else "-", cell(triton),
            f"{peer['us'] / ours['us']:.3f}" if ours and peer else "-"]) + " |")


if __name__ == "__main__":
    main()
