#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares `tilec tune` with Triton's autotuner, on the spaces of spaces.json and this machine's GPU. Needs PyTorch, Triton and tilec.

beside_triton.py TILEC FILE MEASURED [SPACE...]: a line a space, and all figures as one JSON object into FILE.
- `tilec tune`: a separate process with an empty cache. All of its time counts, also that of making the arguments' data.
- `tilec.tune`: the time of that call in a process that has the data on the GPU, like Triton's, also with an empty cache.
- Triton's autotuner over the same configurations of the same source, with empty caches. Each is benched as by default (do_bench, 25 and
  100 ms). The time is that of the first launch, without Python, PyTorch and CUDA, which are there. The very first
  configuration does not count, since it includes Triton's own start. If a space would take too long, a random sample is
  measured, and its mean time is used for the others.
- The results of both, and the three best of MEASURED (measure.py's file of this card). They are timed interleaved in 25 rounds, all as
  tilec compiles them.

beside_triton.py --triton SPACE COUNT SECONDS and --tilec SPACE are the parts in processes of their own, which print what they found as JSON."""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import measure
import rank

here = os.path.dirname(os.path.abspath(__file__))
ROUNDS, MOST, SECONDS = 25, 110, 40  # MOST: configurations of a space that Triton takes, for about SECONDS


def configurations(space):
    return list(measure.product(*space["ranges"].values(), space["warps"], space["stages"]))


# ---------------------------------------------------------------- Triton


class Enough(Exception):
    pass


def triton_part(name, count, seconds):
    import torch
    import triton
    import spaces
    space = rank.load("spaces.json")[name]
    names, everything = list(space["ranges"]), configurations(space)
    random.Random(name).shuffle(everything)
    kernel, given = getattr(spaces, space["kernel"]), measure.arguments(space["args"])
    benched, bench, began = [], triton.runtime.driver.active.get_benchmarker(), 0.0

    def tell(took, best):
        print(json.dumps({"seconds": took, "of": len(benched), "best": best}), flush=True)

    def do_bench(call, quantiles):
        try:
            found = bench(call, quantiles=quantiles)
        finally:
            benched.append(time.time() - began)
            tell(benched[-1], None)
            if benched[-1] > seconds:
                raise Enough
        return found

    def launch(chosen):
        configs = [triton.Config(dict(zip(names, values)), num_warps=values[-2], num_stages=values[-1]) for values in chosen]
        tuner = triton.autotune(configs, key=[], do_bench=do_bench)(kernel)
        grid = lambda meta: tuple(eval(g, {"cdiv": measure.cdiv, **given, **meta}) for g in space["grid"])
        try:
            tuner[grid](*given.values())
            torch.cuda.synchronize()
        except Enough:
            return None
        best = tuner.best_config
        return [*(best.kwargs[n] for n in names), best.num_warps, best.num_stages]

    began = time.time()
    launch(everything[-2:])  # Triton's launcher is compiled, and what else is done once
    benched.clear()
    began = time.time()
    chosen = everything[:count]
    best = launch(chosen)
    tell(time.time() - began if best else benched[-1], best)


def triton_tunes(name, folder):
    environment = {**os.environ, "TRITON_CACHE_DIR": os.path.join(folder, "triton-" + name)}
    command = [sys.executable, __file__, "--triton", name, str(MOST), str(SECONDS)]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=2 * SECONDS + 30)
        told = done.stdout
        if done.returncode:
            raise RuntimeError(done.stderr.decode()[-2000:])
    except subprocess.TimeoutExpired as late:  # one configuration took very long: it counts as none
        told = late.stdout or b""
    return json.loads(told.splitlines()[-1])


# ---------------------------------------------------------------- tilec


def tilec_tunes(tilec, name, folder):
    space = rank.load("spaces.json")[name]
    environment = {**os.environ, "TILEC_CACHE": "on", "TILEC_CACHE_DIR": os.path.join(folder, "tilec-" + name)}
    command = [tilec, "tune", os.path.join(here, "spaces.py"), "--format=json", *rank.words(space)]
    began = time.time()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    took = time.time() - began
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    told = json.loads(done.stdout)
    first = {**space["ranges"], "num_warps": space["warps"], "num_stages": space["stages"]}  # of one value it is not a range
    settings = {**{n: values[0] for n, values in first.items()}, **told["best"]["settings"]}
    best = [int(settings[n]) for n in [*space["ranges"], "num_warps", "num_stages"]]
    return {"seconds": took, "of": told["measured"], "configurations": told["configurations"], "best": best}


def library_part(name):
    import torch
    space = measure.Space(name)
    ranges = {**space.of["ranges"], "num_warps": space.of["warps"], "num_stages": space.of["stages"]}
    times, since = {}, 0.0

    def progress(p):
        times[p.step] = time.time() - since

    grid = lambda meta: tuple(eval(g, {"cdiv": measure.cdiv, **meta}) for g in space.of["grid"])
    torch.cuda.synchronize()
    since = time.time()
    found = space.tilec.tune(space.kernel, list(space.sets[0].values()), grid, ranges, progress=progress)
    took = time.time() - since
    best = [*(found.config.kwargs[n] for n in space.names), found.config.num_warps, found.config.num_stages]
    print(json.dumps({"seconds": took, "of": found.measured, "configurations": found.configurations, "best": best, "until": times}))


def library_tunes(name, folder):
    environment = {**os.environ, "TILEC_CACHE": "on", "TILEC_CACHE_DIR": os.path.join(folder, "library-" + name)}
    done = subprocess.run([sys.executable, __file__, "--tilec", name], env=environment, capture_output=True, text=True, timeout=100)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def interleaved(name, chosen):
    space = measure.Space(name)
    times = measure.in_rounds(measure.graphs_of(space, chosen), ROUNDS)
    return {values: statistics.median(taken) for values, taken in times.items()}


def compare(tilec, name, measured, folder):
    ours, library, theirs = tilec_tunes(tilec, name, folder), library_tunes(name, folder), triton_tunes(name, folder)
    known = [tuple(values) for values, us in sorted((m for m in measured if m[1]), key=lambda m: m[1])[:3]]
    found, other = tuple(ours["best"]), tuple(theirs["best"]) if theirs["best"] else None
    times = interleaved(name, list(dict.fromkeys([found, *([other] if other else []), *known])))
    whole = theirs["seconds"] / theirs["of"] * ours["configurations"]
    result = {"tilec": ours, "library": library, "triton": theirs, "triton_whole": whole, "share": ours["seconds"] / whole,
              "library_share": library["seconds"] / whole, "times": [[values, us] for values, us in times.items()], "found": min(times.values()) / times[found]}
    print(f"{name}: tilec tune {ours['seconds']:.1f} s ({ours['of']} of {ours['configurations']} measured), "
          f"tilec.tune {library['seconds']:.1f} s, Triton {whole:.0f} s ({theirs['seconds']:.1f} s for {theirs['of']}): "
          f"{result['share']:.3f}, {result['library_share']:.3f}; found {found} {times[found]:.2f} us, {result['found']:.3f} of the best known, "
          f"{min(times, key=times.get)} {min(times.values()):.2f} us; Triton's {other} {times.get(other, 0):.2f} us", flush=True)
    return result


def main():
    if sys.argv[1] == "--tilec":
        return library_part(sys.argv[2])
    if sys.argv[1] == "--triton":
        return triton_part(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
    tilec, file, measured = sys.argv[1:4]
    with open(measured, encoding="utf-8") as text:
        known = json.load(text)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[4:] or list(rank.load("spaces.json")):
            try:
                found[name] = compare(tilec, name, known.get(name) or rank.load("measured.json")[name], folder)
            except Exception as error:  # the others go on
                print(f"{name}: {error}", flush=True)
            with open(file, "w", encoding="utf-8") as out:
                json.dump(found, out)


if __name__ == "__main__":
    sys.exit(main())
