# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One row: buffers, candidates checked against float64, the best configuration of each family, interleaved rounds."""
import statistics

import candidates as c
import power
from clock import CudaClock, HostClock, set_count
from work import Buffer, Row, chosen, our_configs


SHORTLIST = 4  # configurations of a family that are timed a second time
ROUNDS = {False: (3, 5), True: (9, 25)}  # of the shortlist, of the families; more where a row computes, as the clock follows the power
PLACES = 8  # sets of large buffers where moving memory is the work: how far apart they lie moves a copy's time by more than a percent
PLACE = 2 << 20  # bytes


class Fatal(Exception):
    """The device is lost: the process must end."""


class Piece:
    """A part of a tensor's memory in separate torch storage, so that no peer sees tensors that might overlap."""

    def __init__(self, room, offset, size):
        self.room = room  # lives as long
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (room.data_ptr() + offset, False), "version": 3}


class Env:
    """torch, and where our kernels run: "cuda" for all, or "sim" for ours and the CPU for torch's."""

    def __init__(self, torch, library, device_name, options, announce):
        self.torch, self.options, self.announce = torch, options, announce
        self.cuda = device_name.startswith("cuda")
        self.where = "cuda" if self.cuda else "cpu"
        if self.cuda:
            torch.cuda.init()
            torch.zeros(1, device="cuda")  # makes the context that tilec takes over
        self.device = c.tilec.Device(library, device_name)
        self.before = c.tilec.Device(c.tilec.Library(options.before), device_name) if getattr(options, "before", None) else None
        self.clock = CudaClock(torch) if self.cuda else HostClock()
        self.ceilings = {}
        self.dtypes = {"i8": torch.int8, "i32": torch.int32, "i64": torch.int64, "fp16": torch.float16, "bf16": torch.bfloat16,
                       "fp32": torch.float32, "fp8e4nv": torch.float8_e4m3fn}

    def stream(self):
        return self.torch.cuda.current_stream().cuda_stream if self.cuda else 0

    def tensor(self, buffer):
        torch, dtype, shape = self.torch, self.dtypes[buffer.dtype], buffer.shape
        if buffer.fill == "given":
            return torch.tensor(buffer.values, dtype=dtype, device=self.where)
        if buffer.fill == "index":
            return torch.randint(0, buffer.limit, shape, dtype=dtype, device=self.where)
        if buffer.fill in ("out", "scratch"):
            return torch.empty(shape, dtype=dtype, device=self.where)
        if not dtype.is_floating_point:
            info = torch.iinfo(dtype)
            return torch.randint(info.min, info.max + 1, shape, dtype=dtype, device=self.where)
        make = torch.rand if buffer.fill == "rand" else torch.randn
        return make(shape, dtype=torch.float32 if buffer.dtype == "fp8e4nv" else dtype, device=self.where).to(dtype)

    def tensors_apart(self, row, distance):
        """The row's tensors in one piece of memory, each `distance` bytes further from the one before than its size asks for."""
        torch, at, places = self.torch, 0, {}
        for name, buffer in row.buffers.items():
            places[name] = at
            at += -(-buffer.bytes // PLACE) * PLACE + distance
        room, tensors = torch.empty(at, dtype=torch.uint8, device=self.where), {}
        for name, buffer in row.buffers.items():
            values = self.tensor(buffer)
            piece = torch.as_tensor(Piece(room, places[name], buffer.bytes), device=self.where).untyped_storage()
            tensors[name] = torch.empty(0, dtype=values.dtype, device=self.where).set_(piece, 0, values.shape, values.stride())
            tensors[name].copy_(values)
        return tensors

    def poison(self, row, tensors):
        for name, buffer in row.buffers.items():
            if buffer.fill in ("out", "scratch"):
                tensor = tensors[name]
                tensor.fill_(float("nan") if tensor.dtype.is_floating_point else -0x5a5a5a5b)

    def ceiling(self, kind):
        """Bytes or operations a second, measured here: a copy, torch's matmul of the type. tf32x3: a third of
        tf32's."""
        if kind not in self.ceilings:
            self.ceilings[kind] = self.ceiling("tf32") / 3 if kind == "tf32x3" else measure_ceiling(self, kind)
        return self.ceilings[kind]


def measure_ceiling(env, kind):
    torch = env.torch
    small = 64 if not env.cuda else 0
    if kind == "copy":
        n = small or 2**28
        sets = buffer_sets(env, Row("copy", "", {"x": Buffer("fp32", (n,)), "y": Buffer("fp32", (n,), "out")}, [], None, 0))
        # In a graph a copy is a memcpy node, which on an H200 moved 2770 GB/s; a kernel that copies shows what the memory can do.
        copies = [lambda t: t["y"].copy_(t["x"]), lambda t: torch.neg(t["x"], out=t["y"])]
        return 8 * n / min(statistics.median(times) for times in env.clock.rounds(copies, sets, 4e-3, 3))
    import rows_matmul
    make = {"fp16": lambda: rows_matmul.half("fp16", *[small or 8192] * 3, False), "fp8": lambda: rows_matmul.fp8(small or 8192),
            "int8": lambda: rows_matmul.int8(small or 8192), "ieee": lambda: rows_matmul.fp32("ieee", *[small or 4096] * 3),
            "tf32": lambda: rows_matmul.fp32("tf32", *[small or 8192] * 3)}
    row = make[kind]()
    sets = [{name: env.tensor(buffer) for name, buffer in row.buffers.items()}]
    peer = c.Peer(torch, row, "cuBLAS", row.peers["cuBLAS"])
    return row.flops / statistics.median(env.clock.rounds([peer.run], sets, 4e-3, 3)[0])


def largest_error(torch, got, reference):
    """The error of all results, in units of the reference's root mean square. Infinite if one is missing or no
    number."""
    worst = 0.0
    for name, want in reference.items():
        have = got[name].to(torch.float64).reshape(want.shape)
        want = want.to(torch.float64)
        size = want.square().mean().sqrt().clamp_min(1e-30)
        error = ((have - want).abs().max() / size).item()
        worst = max(worst, error if error == error else float("inf"))
    return worst


def try_candidate(env, row, candidate, tensors, reference):
    """True if it runs and is right; else its error is set."""
    if candidate.error:
        return False
    env.announce(row, candidate)
    try:
        env.poison(row, tensors)
        result = candidate.run(tensors)
        env.clock.synchronize()
        error = largest_error(env.torch, result, reference)
    except Exception as exception:  # noqa: BLE001 whatever a peer raises is its result
        candidate.error = c.first_line(exception)
        check_device(env, candidate)
        return False
    candidate.off = error
    if not error <= row.tolerance:
        candidate.error = f"WRONG RESULT: off by {error:.3g} of the root mean square, {row.tolerance:.3g} allowed"
    return candidate.error is None


def check_device(env, candidate):
    try:
        env.clock.synchronize()
    except Exception as exception:  # noqa: BLE001
        raise Fatal(f"{candidate.family} {candidate.text}: {c.first_line(exception)}") from exception


def quick_times(env, good, sets, target, count, notes):
    """[(candidate, seconds)] of those that can be timed."""
    result = []
    for candidate in good:
        try:
            result.append((candidate, min(env.clock.rounds([candidate.run], sets, target, count)[0])))
        except Exception as exception:  # noqa: BLE001
            notes.append(f"{candidate.family} {candidate.text}: could not be timed: {c.first_line(exception)}")
            check_device(env, candidate)
    return result


def best_of(env, row, family, sets, reference, excluded):
    """The fastest right candidate of a family, and notes on those that failed."""
    good, notes, failed = [], [], {}
    for candidate in family:
        if (candidate.family, candidate.text) in excluded:
            candidate.error = "it crashed or hung in an earlier try"
        if try_candidate(env, row, candidate, sets[0], reference):
            good.append(candidate)
        else:
            failed.setdefault(candidate.error, []).append(candidate.text)
    for error, texts in failed.items():
        notes.append(f"{family[0].family}: {len(texts)} of {len(family)} configurations ({texts[0] or 'the only one'}, ...): {error}")
    quick = quick_times(env, good, sets, 1e-3, 2, notes)
    timed = [candidate for candidate, _ in sorted(quick, key=lambda pair: pair[1])[:SHORTLIST]]
    if len(timed) > 1:  # those that come close are timed again, in turn
        again = env.clock.rounds([candidate.run for candidate in timed], sets, 2e-3, ROUNDS[row.flops > 0][0])
        timed = [candidate for _, candidate in sorted(zip(map(statistics.median, again), timed), key=lambda pair: pair[0])]
    return timed[0] if timed else None, notes


def families(env, row, tensors):
    """Lists of candidates: the first right and fastest of each list is measured."""
    pairs = [(kernel, config) for kernel in row.kernels for config in chosen(kernel, env.options)]
    result = [[c.Tilec(env, row, kernel, config, device) for kernel in row.kernels if kernel.ours for config in our_configs(row, kernel, env.options)]
              for device in (env.device, env.before) if device]
    c.compile_tilec(sum(result, []), tensors)
    if env.cuda:
        theirs = [c.Triton(env, row, kernel, config) for kernel, config in pairs if kernel.triton]
        c.compile_triton(theirs, tensors)
        result.append(theirs)
        if row.compiled and not env.options.quick:
            result.append([c.compiled_peer(env.torch, row)])
    return result + [[c.Peer(env.torch, row, name, function)] for name, function in row.peers.items()]


def describe(row, candidate, times, ceiling):
    middle = statistics.median(times)
    rate = (row.flops or row.bytes) / middle
    return {"name": candidate.family, "config": candidate.text, "us": middle * 1e6, "low": min(times) * 1e6, "high": max(times) * 1e6,
            "rate": rate, "share": rate / ceiling, "error": candidate.off}


def buffer_sets(env, row):
    """Enough buffers to exceed the L2 cache. For large arrays that are only moved eight, each 2 MiB further from the
    one before."""
    count = set_count(sum(buffer.bytes for buffer in row.buffers.values())) if env.cuda else 1
    if env.cuda and not row.flops and count < PLACES:
        return [env.tensors_apart(row, place * PLACE) for place in range(PLACES)]
    return [{name: env.tensor(buffer) for name, buffer in row.buffers.items()} for _ in range(count)]


def run_row(env, row, excluded):
    """The row's record, ready for JSON."""
    record = {"row": row.name, "title": row.title, "unit": "FLOP/s" if row.flops else "B/s", "ceiling_kind": row.ceiling,
              "tolerance": row.tolerance, "candidates": [], "notes": []}
    sets = buffer_sets(env, row)
    views = {name: tensor.t() if row.buffers[name].transposed else tensor for name, tensor in sets[0].items()}
    reference = row.reference(env.torch, views)
    best_ones = []
    for family in families(env, row, sets[0]):
        best, notes = best_of(env, row, family, sets, reference, excluded)
        record["notes"] += notes
        best_ones += [best] if best else []
    del reference, views
    record["ceiling"] = env.ceiling(row.ceiling)
    timed = env.clock.rounds([candidate.run for candidate in best_ones], sets, 1e-3 if env.options.quick else 3e-3,
                             3 if env.options.quick else ROUNDS[row.flops > 0][1])
    record["candidates"] = [describe(row, candidate, times, record["ceiling"]) for candidate, times in zip(best_ones, timed)]
    if row.flops and env.cuda and env.options.power:
        measured = power.hot_and_cool(env.clock, [candidate.run for candidate in best_ones], sets, env.options.power)
        for described, of_one in zip(record["candidates"], measured):
            described["power"] = power.summary(of_one)
    for device in (env.device, env.before):
        if device:
            device.forget_buffers()
    return record
