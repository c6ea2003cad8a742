#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""table.py FILE.json: the Markdown tables of a run of suite.py --json FILE.json, on standard output; the second where it ran with --power."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from report import ours_and_best_peer, rate_text  # noqa: E402


def spread_text(times):
    return f"{times['us']:.1f} ({(times['high'] - times['low']) / times['us'] * 100:.1f}%)"


def cell(candidate):
    return spread_text(candidate) if candidate else "-"


def interleaved(records):
    print("| work | tilec, us (spread) | rate | of the ceiling | configuration | best peer, us | Triton, us | tilec against best peer |")
    print("|---|---|---|---|---|---|---|---|")
    for record in records:
        ours, peer = ours_and_best_peer(record)
        triton = next((c for c in record["candidates"] if c["name"] == "triton"), None)
        print("| " + " | ".join([
            record["title"], cell(ours), rate_text(record, ours) if ours else "-", f"{ours['share'] * 100:.1f}%" if ours else "-",
            ours["config"] if ours else "; ".join(record["notes"][:1]).replace("|", "/"), f"{peer['name']} {cell(peer)}" if peer else "-", cell(triton),
            f"{peer['us'] / ours['us']:.3f}" if ours and peer else "-"]) + " |")


def speed_ratio(ours, others, way):
    """The time of the fastest peer, relative to ours."""
    return f"{min(c['power'][way]['us'] for c in others) / ours['power'][way]['us']:.3f}" if ours and others else "-"


def metered(power):
    """Clock and energy of a launch, as far as they could be read."""
    clock = f"{power['mhz']:.0f} MHz" if power["mhz"] else "-"
    return clock + (f", {power['joules'] * 1e3:.1f} mJ" if power["joules"] else "")


def by_power(records):
    print("\n| work | candidate | hot, us (spread) | cool, us (spread) | hot: clock, energy of a launch | tilec against best peer, hot | cool | against the build before, hot |")
    print("|---|---|---|---|---|---|---|---|")
    for record in records:
        ours = next((c for c in record["candidates"] if c["name"] == "tilec"), None)
        peers = [c for c in record["candidates"] if c["name"] not in ("tilec", "before")]
        before = [c for c in record["candidates"] if c["name"] == "before"]
        for candidate in record["candidates"]:
            power, own = candidate["power"], candidate is ours
            print("| " + " | ".join([
                record["title"] if candidate is record["candidates"][0] else "", candidate["name"], spread_text(power["hot"]), spread_text(power["cool"]),
                metered(power), speed_ratio(ours, peers, "hot") if own else "", speed_ratio(ours, peers, "cool") if own else "",
                speed_ratio(ours, before, "hot") if own and before else ""]) + " |")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    interleaved(records)
    measured = [record for record in records if record["candidates"] and all("power" in c for c in record["candidates"])]
    if measured:
        by_power(measured)


if __name__ == "__main__":
    main()
