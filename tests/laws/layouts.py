#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels of tile IR with layouts: conversions, reductions, scans, gathers, flips and histograms whose elements pass
between registers, lanes and warps in every way.

layouts.py SEED FILE [KIND...] writes the kernel @k(%x, %w: *i32, %y, %z: *i32) and prints its kind, element type and elements.
"""
import random
import sys

KINDS = ["convert", "reduce", "scan", "argmax", "first", "flip", "gather", "histogram"]


def text_of(layout, bits):
    parts = [f"{name} = {list(bases)}" for name, bases in zip(("reg", "lane", "warp"), layout) if bases]
    return f"layout<{', '.join(parts)}; {1 << bits}>"


def natural(rng, bits, warps):
    """Registers, lanes, warps in order, then registers again."""
    units = [1 << i for i in range(bits)]
    few = rng.randint(0, min(3, bits))
    reg, rest = units[:few], units[few:]
    lane, warp = (rest[:5] + [0] * 5)[:5], (rest[5 : 5 + warps] + [0] * warps)[:warps]
    return reg + rest[5 + warps :], lane, warp


def shuffled(rng, bits, warps, simple):
    """Any bits anywhere; where not simple some bases are sums."""
    units, threads = [1 << i for i in range(bits)], 5 + warps
    rng.shuffle(units)
    for _ in range(0 if simple or bits < 2 or rng.random() < 0.7 else 3):
        a, b = rng.sample(range(bits), 2)
        units[a] ^= units[b]
    few = rng.randint(0, min(2, bits)) if rng.random() < 0.3 else max(0, bits - threads)
    held, places = [0] * threads, rng.sample(range(threads), threads)
    for place, unit in zip(places, units[few:]):
        held[place] = unit
    return units[:few] + units[few + threads :], held[:5], held[5:]


def random_layout(rng, bits, warps, simple=False):
    return natural(rng, bits, warps) if rng.random() < 0.5 else shuffled(rng, bits, warps, simple)


def without_axis(layout, shape, axis):
    size = [n.bit_length() - 1 for n in shape]
    first, width = sum(size[axis + 1 :]), size[axis]
    cut = lambda x: x >> (first + width) << first | x & ((1 << first) - 1)
    reg, lane, warp = ([cut(x) for x in bases] for bases in layout)
    kept, span = [], []
    for basis in reg:
        rest = basis
        for row in span:
            rest = min(rest, rest ^ row)
        if rest:
            span = sorted(span + [rest], reverse=True)
            kept.append(basis)
    return (kept, lane, warp), sum(size) - width


class Kernel:
    def __init__(self, seed, kinds):
        rng = self.rng = random.Random(seed)
        self.kind, self.elem = rng.choice(kinds), rng.choice(["i32", "fp32", "fp16", "i64", "i8"])
        self.warps, rank = rng.choice([0, 0, 1, 2, 2, 3]), rng.choice([1, 1, 2, 3])
        self.shape = [1 << (rng.randint(3, 10) if rank == 1 else rng.randint(1, 4)) for _ in range(rank)]
        self.bits = sum(n.bit_length() - 1 for n in self.shape)
        self.axis, self.ops = rng.randrange(rank), []
        self.combiner = {"argmax": "reduce", "first": "reduce"}.get(self.kind, self.kind)
        if self.kind in ("argmax", "first") and rng.random() < 0.5:
            self.combiner = "scan"
        self.layout = random_layout(rng, self.bits, self.warps, self.combiner == "scan")
        self.reverse = ", reverse" if self.combiner == "scan" and rng.random() < 0.5 else ""
        self.write()

    def add(self, *lines):
        self.ops += ["  " + line for line in lines]

    def tile(self, elem, layout=None, shape=None):
        shape = self.shape if shape is None else shape
        bits = sum(n.bit_length() - 1 for n in shape)
        if not shape:
            return elem
        return f"tile<{'x'.join(map(str, shape))}x{elem}, {text_of(layout or self.layout, bits)}>"

    def pointers(self, name, base, elem, layout, count):
        flat = lambda e: self.tile(e, layout, [count])
        self.add(f"%{name}r = arange {{start = 0, end = {count}}} : {flat('i32')}", f"%{name}s = splat {base} : {flat('*' + elem)}")
        self.add(f"%{name}p = addptr %{name}s, %{name}r : {flat('*' + elem)}")

    def load(self, name, base, elem):
        self.pointers(name, base, elem, self.layout, 1 << self.bits)
        self.add(f"%{name}f = load %{name}p : {self.tile(elem, None, [1 << self.bits])}", f"%{name} = reshape %{name}f : {self.tile(elem)}")

    def store(self, value, base, elem, layout, shape):
        count, name = 1, value[1:] + "o"
        for n in shape:
            count *= n
        if not shape:
            self.add(f"store {base}, {value}")
            return
        self.pointers(name, base, elem, layout, count)
        self.add(f"%{name}v = reshape {value} : {self.tile(elem, layout, [count])}", f"store %{name}p, %{name}v")

    def write(self):
        self.load("v", "%x", self.elem)
        if self.kind != "convert" and self.kind != "flip":
            self.load("i", "%w", "i32")
        {"reduce": self.combine, "scan": self.combine, "argmax": self.choose, "first": self.choose}.get(
            self.kind, getattr(self, self.kind, None)
        )()

    def result(self):
        if self.combiner == "scan":
            return self.layout, self.shape
        return without_axis(self.layout, self.shape, self.axis)[0], self.shape[: self.axis] + self.shape[self.axis + 1 :]

    def combine(self):
        op = self.rng.choice(["add", "min", "max"] + (["and", "or", "xor"] if self.elem[0] == "i" else []))
        layout, shape = self.result()
        self.add(f"%q = {self.kind} %v {{axis = {self.axis}{self.reverse}}} : {self.tile(self.elem, layout, shape)} do (%a: {self.elem}, %b: {self.elem}) {{")
        self.add(f"  %c = {op} %a, %b : {self.elem}", "  yield %c", "}")
        self.store("%q", "%y", self.elem, layout, shape)

    def choose(self):
        """One of two pairs: the larger, or (where order matters) the first that is more than 1."""
        elem, (layout, shape) = self.elem, self.result()
        types = f"{self.tile(elem, layout, shape)}, {self.tile('i32', layout, shape)}"
        self.add(f"%q, %n = {self.combiner} %v, %i {{axis = {self.axis}{self.reverse}}} : {types} do (%a: {elem}, %b: i32, %c: {elem}, %d: i32) {{")
        if self.kind == "argmax":
            self.add(f"  %g = gt %a, %c : i1", "  %e = eq %a, %c : i1", "  %l = lt %b, %d : i1", "  %el = and %e, %l : i1", "  %t = or %g, %el : i1")
        else:
            self.add(f"  %one = constant {{{'value' if elem[0] == 'i' else 'fvalue'} = 1}} : {elem}", "  %t = lt %one, %a : i1")
        self.add(f"  %va = select %t, %a, %c : {elem}", "  %ia = select %t, %b, %d : i32", "  yield %va, %ia", "}")
        self.store("%q", "%y", elem, layout, shape)
        self.store("%n", "%z", "i32", layout, shape)

    def flip(self):
        self.add(f"%q = flip %v {{axis = {self.axis}}} : {self.tile(self.elem)}")
        self.store("%q", "%y", self.elem, self.layout, self.shape)

    def convert(self):
        other = random_layout(self.rng, self.bits, self.warps)
        for name, source, layout in (("b", "v", other), ("c", "b", self.layout), ("q", "c", other)):
            self.add(f"%{name} = convert_layout %{source} : {self.tile(self.elem, layout)}")
        self.store("%q", "%y", self.elem, other, self.shape)

    def gather(self):
        self.add(f"%m = constant {{value = {self.shape[self.axis] - 1}}} : {self.tile('i32')}", f"%at = and %i, %m : {self.tile('i32')}")
        self.add(f"%q = gather %v, %at {{axis = {self.axis}}} : {self.tile(self.elem)}")
        self.store("%q", "%y", self.elem, self.layout, self.shape)

    def histogram(self):
        bits = self.rng.randint(0, 8)
        layout, flat = random_layout(self.rng, bits, self.warps), self.tile("i32", None, [1 << self.bits])
        self.add(f"%m = constant {{value = 511}} : {flat}", f"%at = and %if, %m : {flat}")
        self.add(f"%q = histogram %at : {self.tile('i32', layout, [1 << bits])}")
        self.store("%q", "%z", "i32", layout, [1 << bits])

    def text(self):
        arch, level = self.rng.choice([75, 80, 90]), self.rng.choice([0, 1, 3])
        head = f'module target = "sm_{arch}", num_warps = {1 << self.warps}, opt_level = {level} {{'
        params = f"%x: *{self.elem}, %w: *i32, %y: *{self.elem}, %z: *i32"
        return "\n".join([head, f"kernel @k({params}) {{", *self.ops, "  return", "}", "}", ""])


if __name__ == "__main__":
    kernel = Kernel(int(sys.argv[1]), sys.argv[3:] or KINDS)
    with open(sys.argv[2], "w") as file:
        file.write(kernel.text())
    print(kernel.kind, kernel.elem, 1 << kernel.bits)
