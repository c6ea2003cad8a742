# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bars of tilec's speed relative to its peers, as SVG: for bench/tables and scripts/speed-chart."""
from html import escape

SCALE, HEIGHT = 300, 46  # pixels: a ratio of 1, a row
COLOURS = {"Triton": "#6b8fb5", "peer": "#2f6b4f"}
WIDEST = 4.0  # a longer bar is cut; its label has the figure
TITLE = "Speed of tilec relative to each peer (1 = equal, longer = tilec is faster)"


def text(x, y, words, more=""):
    return f'<text x="{x}" y="{y}" {more}>{escape(words, quote=False)}</text>'


def bars(left, top, ratios):
    """The bars of one row; ratios: [(peer, ratio)], at most two."""
    out = []
    for k, (name, ratio) in enumerate(ratios):
        y, end = top + 3 + 18 * k, left + round(min(ratio, WIDEST) * SCALE)
        out.append(f'<rect x="{left}" y="{y}" width="{end - left}" height="16" fill="{COLOURS["Triton" if name == "Triton" else "peer"]}"/>')
        out.append(text(end + 6, y + 12, f"{ratio:.2f} of {name}", 'font-size="11"'))
    return out


def picture(rows, left=210):
    """rows: [(label, [(peer, ratio)])]; left: pixels of the labels."""
    most = min(WIDEST, max(ratio for _, ratios in rows for _, ratio in ratios))
    width, height = left + round(max(1.75, most + 0.35) * SCALE), HEIGHT * len(rows) + 56
    one = left + SCALE
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="white"/>', text(8, 20, TITLE, 'font-weight="bold"')]
    for i, (label, ratios) in enumerate(rows):
        y = 36 + HEIGHT * i
        out.append(text(left - 8, y + 22, label, 'text-anchor="end"'))
        out += bars(left, y, ratios)
    out.append(f'<line x1="{one}" y1="32" x2="{one}" y2="{height - 18}" stroke="black" stroke-dasharray="3 3"/>')
    out.append(text(one, height - 5, "1.0", 'text-anchor="middle" font-size="11"'))
    return "\n".join(out + ["</svg>", ""])
