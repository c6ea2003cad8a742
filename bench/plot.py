#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot.py FILE.json > FILE.svg: share of the measured ceiling, a bar a candidate, of a run of suite.py --json FILE.json."""
import json
import sys
from html import escape

COLOURS = {"tilec": "#0b6e4f", "triton": "#8d5a97", "torch.compile": "#c98a2b"}
OTHER = "#7a869a"
LEFT, WIDTH, BAR, GAP, FULL = 330, 560, 9, 8, 1.2  # pixels; the axis ends at FULL times the ceiling


def bars(records):
    """(elements, height)"""
    elements, y = [], 40
    for record in records:
        if not record["candidates"]:
            continue
        middle = y + BAR * len(record["candidates"]) / 2
        elements.append(f'<text x="{LEFT - 8}" y="{middle + 4:.0f}" text-anchor="end">{escape(record["title"])}</text>')
        for candidate in record["candidates"]:
            length = min(candidate["share"], FULL) / FULL * WIDTH
            label = f'{candidate["name"]} {candidate["share"] * 100:.0f}%'
            elements.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 1}" fill="{COLOURS.get(candidate["name"], OTHER)}"/>')
            elements.append(f'<text x="{LEFT + length + 4:.1f}" y="{y + BAR - 2}" font-size="8">{escape(label)}</text>')
            y += BAR
        y += GAP
    return elements, y


def axis(height):
    elements = []
    for percent in range(0, int(FULL * 100) + 1, 20):
        x = LEFT + percent / 100 / FULL * WIDTH
        colour = "#444" if percent == 100 else "#ddd"
        elements.append(f'<line x1="{x:.1f}" y1="30" x2="{x:.1f}" y2="{height}" stroke="{colour}"/>')
        elements.append(f'<text x="{x:.1f}" y="24" text-anchor="middle">{percent}%</text>')
    return elements


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    elements, height = bars(records)
    width = LEFT + WIDTH + 110
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 10}" font-family="sans-serif" font-size="11">')
    print(f'<rect width="{width}" height="{height + 10}" fill="white"/>')
    print(f'<text x="8" y="16" font-weight="bold">Share of the ceiling measured in the same run</text>')
    print("\n".join(axis(height) + elements))
    print("</svg>")


if __name__ == "__main__":
    main()
