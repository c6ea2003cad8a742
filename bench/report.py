# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A row's record as a line of text."""


def ours_and_best_peer(record):
    ours = next((c for c in record["candidates"] if c["name"] == "tilec"), None)
    peers = sorted((c for c in record["candidates"] if c["name"] not in ("tilec", "before")), key=lambda c: c["us"])
    return ours, peers[0] if peers else None


def rate_text(record, candidate):
    if record["unit"] == "FLOP/s":
        return f"{candidate['rate'] * 1e-12:.1f} TFLOP/s"
    return f"{candidate['rate'] * 1e-9:.0f} GB/s"


def candidate_text(record, candidate):
    spread = (candidate["high"] - candidate["low"]) / candidate["us"] * 100
    text = f"{candidate['name']} {candidate['us']:.1f} us ({spread:.1f}%) {rate_text(record, candidate)}"
    return text + (f" [{candidate['config']}]" if candidate["config"] else "")


def row_text(record):
    ours, peer = ours_and_best_peer(record)
    parts = [candidate_text(record, candidate) for candidate in record["candidates"]]
    if ours:
        parts.append(f"{ours['share'] * 100:.1f}% of the ceiling")
    if ours and peer:
        parts.append(f"{peer['us'] / ours['us']:.3f} x {peer['name']}")
    lines = [f"{record['title']}: " + ("; ".join(parts) if parts else "nothing was measured")]
    return "\n".join(lines + [f"    {note}" for note in record["notes"]])
