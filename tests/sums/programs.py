# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random loops of two to four accumulators: what they are, their source text, and their values by NumPy.

A program is a list of statements over tiles s0, s1, ... (the accumulators) and `kept` copies. Inputs are small integers and factors are
powers of two, so that every order of summation gives the same value: results are compared to the bit.
"""
import dataclasses
import random

import numpy as np

# By type: the file's elements, the sums' type, the limit of exact sums, the k of one instruction.
TYPES = {
    "fp16": ("float16", "fp32", 2**22, 16),
    "bf16": ("bf16", "fp32", 2**22, 16),
    "fp8e4nv": ("fp8e4nv", "fp32", 2**12, 32),
    "fp8e5": ("fp8e5", "fp32", 2**12, 32),
    "tf32": ("float32", "fp32", 2**22, 8),
    "i8": ("int8", "i32", 2**30, 32),
    "half": ("float16", "fp16", 2**10, 16),  # fp16 that is summed in fp16
}
SUM_NAMES = {"fp32": "float32", "i32": "int32", "fp16": "float16"}


@dataclasses.dataclass
class Program:
    seed: int
    type: str
    m: int
    n: int
    k: int
    steps: int  # of the loop
    tiles: int  # that one program of the grid takes, one after another
    grid: int
    warps: int
    stages: int
    form: str  # of the loads: pointers, desc
    style: str  # of the accumulators: names, tuple
    tma: str
    specialize: str
    sums: int
    operands: int  # pairs of tiles of a and b that an iteration loads
    computed: bool  # a is computed in registers
    starts: list  # of each accumulator: 'zero', 'first' (the same tile as s0's), 'loaded'
    body: list
    after: list
    kept: int  # tiles that statements assign copies of accumulators

    @property
    def sum(self):
        return TYPES[self.type][1]

    @property
    def rank(self):
        return self.sums + self.kept


# ---- drawing

FACTORS = {"fp32": ["0.5", "-1.0", "2.0", "0.25"], "fp16": ["0.5", "-1.0"], "i32": ["2", "-1", "3"]}


def any_dot(r, p):
    return r.randrange(p.operands), r.randrange(p.operands)


def statement(r, p, depth=0):
    """One of the loop's statements. Numbers name accumulators, which are assigned; `kept` tiles are assigned copies."""
    i, j = r.randrange(p.sums), r.randrange(p.sums)
    others = [k for k in range(p.sums) if k != i]
    kind = r.choice("dot dot dot dot cross cross scale add swap swap rotate rotate keep if if where both".split())
    if kind == "dot":
        return ("dot", i, i, *any_dot(r, p))
    if kind == "cross":
        return ("dot", i, r.choice(others), *any_dot(r, p))
    if kind == "scale":
        return ("scale", i, j, r.choice(FACTORS[p.sum]))
    if kind == "add":
        return ("add", i, r.choice(others))
    if kind == "swap":
        order = list(range(p.sums))
        j = r.choice(others)
        order[i], order[j] = order[j], order[i]
        return ("order", order)
    if kind == "rotate":
        by = r.randrange(1, p.sums)
        return ("order", [(k + by) % p.sums for k in range(p.sums)])
    if kind == "keep" and p.kept:
        return ("keep", r.randrange(p.kept), i)
    if kind == "if" and depth == 0:
        then = [statement(r, p, 1) for _ in range(r.randint(1, 2))]
        other = [statement(r, p, 1) for _ in range(r.randint(0, 1))]
        return ("if", r.choice(["k % 2 == 0", "k == 1", "k < 2", "flag != 0"]), then, other)
    if kind == "where":
        return ("where", i, r.choice(others), r.choice(["k % 2 == 0", "k > 0"]))
    if kind == "both":  # two dots that start from one accumulator
        return ("both", i, r.choice(others), j, any_dot(r, p), any_dot(r, p))
    return ("dot", i, i, *any_dot(r, p))


def has_dot(body):
    return any(s[0] in ("dot", "both") or (s[0] == "if" and has_dot(s[2] + s[3])) for s in body)


def draw(seed):
    r = random.Random(seed)
    while True:
        p = draw_once(r, seed)
        if has_dot(p.body) and is_exact(p):
            return p


def draw_once(r, seed):
    kind = r.choice("fp16 fp16 fp16 fp16 bf16 bf16 fp8e4nv fp8e4nv fp8e5 tf32 tf32 i8 i8 half".split())
    few = kind in ("fp16", "bf16") and r.random() < 0.15
    warps = r.choice([4, 4, 4, 8])
    m = r.choice([16, 32]) if few else r.choice([64, 64, 128]) if warps == 4 else 128
    n = r.choice([64, 128]) if few else r.choice([8, 16, 32, 32, 64, 64, 128])
    if m * n > 64 * 128:
        n = 64
    k = TYPES[kind][3] * r.choice([1, 2, 2, 4])
    sums = r.choice([2, 2, 2, 3, 3, 4])
    form = r.choice(["pointers", "pointers", "desc"])
    if form == "desc" and min(k, n) * (4 if kind == "tf32" else 1 if kind[:3] in ("fp8", "i8") else 2) < 16:
        form = "pointers"
    if sums * m * n > 4 * 64 * 64 * (warps // 4):
        sums = 2
    p = Program(seed=seed, type=kind, m=m, n=n, k=k, steps=r.choice([1, 2, 3, 4, 5]), tiles=r.choice([1, 1, 1, 2, 3]),
                grid=r.choice([1, 1, 2]), warps=warps, stages=r.randint(1, 4), form=form, style=r.choice(["names", "names", "tuple"]),
                tma=r.choice(["on", "off"]) if form == "pointers" else "on",
                specialize=r.choice(["auto", "on", "off"]) if form == "desc" else "auto", sums=sums, operands=r.choice([1, 1, 2]),
                computed=r.random() < 0.2 and kind != "i8" and not few, starts=[], body=[], after=[], kept=r.choice([0, 0, 1]))
    p.starts = [r.choice(["zero", "zero", "loaded", "first"]) for _ in range(sums)]
    p.body = [statement(r, p) for _ in range(r.randint(2, 5))]
    if r.random() < 0.3:
        p.after = [("dot", r.randrange(sums), r.randrange(sums), 0, 0)]
    return p


# ---- source

def name(p, i):
    return f"s[{i}]" if p.style == "tuple" else f"s{i}"


def assign(p, changes):
    """Assignments at once, {accumulator: expression}."""
    if p.style == "tuple":
        all_of = [changes.get(i, name(p, i)) for i in range(p.sums)]
        return [f"s = ({', '.join(all_of)})"]
    return [f"{', '.join(f's{i}' for i in changes)} = {', '.join(changes.values())}"]


def dot_text(p, source, a, b):
    options = ', input_precision="tf32"' if p.type == "tf32" else ""
    if p.sum == "fp16":
        options += ", out_dtype=tl.float16"
    return f"tl.dot(u{a}, v{b}, {source}{options})"


def text_of(p, s):
    if s[0] == "dot":
        return assign(p, {s[1]: dot_text(p, name(p, s[2]), s[3], s[4])})
    if s[0] == "both":
        _, i, j, source, x, y = s
        return [f"both = {name(p, source)}",
                *assign(p, {i: dot_text(p, "both", *x), j: dot_text(p, "both", *y)})]
    if s[0] == "scale":
        return assign(p, {s[1]: f"{name(p, s[2])} * {s[3]}"})
    if s[0] == "add":
        return assign(p, {s[1]: f"{name(p, s[1])} + {name(p, s[2])}"})
    if s[0] == "order":
        return assign(p, {i: name(p, j) for i, j in enumerate(s[1]) if i != j})
    if s[0] == "keep":
        return [f"kept{s[1]} = {name(p, s[2])}"]
    if s[0] == "where":
        return assign(p, {s[1]: f"tl.where({s[3]}, {name(p, s[2])}, {name(p, s[1])})"})
    lines = [f"if {s[1]}:"] + ["    " + line for t in s[2] for line in text_of(p, t)]
    if s[3]:
        lines += ["else:"] + ["    " + line for t in s[3] for line in text_of(p, t)]
    return lines


def load_text(p, step):
    lines = []
    for o in range(p.operands):
        at = f"((t * STEPS + {step}) * {p.operands} + {o})" if p.operands > 1 else f"(t * STEPS + {step})"
        if p.form == "desc":
            lines += [f"u{o} = a.load([{at} * M, 0])", f"v{o} = b.load([{at} * K, 0])"]
        else:
            lines += [f"u{o} = tl.load(x + {at} * (M * K))", f"v{o} = tl.load(y + {at} * (K * N))"]
        if p.computed:
            lines += [f"u{o} = (u{o}.to(tl.float32) * 2).to(u{o}.dtype)"]
    return lines


def source(p):
    elem = SUM_NAMES[p.sum]
    lines = ["import triton", "import triton.language as tl", "", "", "@triton.jit",
             "def sums(a, b, start, c, steps, flag, STEPS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):",
             "    rm = tl.arange(0, M)", "    rn = tl.arange(0, N)", "    rk = tl.arange(0, K)"]
    if p.form == "pointers":
        lines += ["    x = a + rm[:, None] * K + rk[None, :]", "    y = b + rk[:, None] * N + rn[None, :]"]
    lines += ["    q = rm[:, None] * N + rn[None, :]",
              f"    for t in range(tl.program_id(0) * {p.tiles}, tl.program_id(0) * {p.tiles} + {p.tiles}):"]
    inner = []
    first = []
    for i, start in enumerate(p.starts):
        value = f"tl.zeros((M, N), tl.{elem})"
        if start == "loaded":
            value = f"tl.load(start + {i} * (M * N) + q)"
        if start == "first" and i:
            value = first[0] if p.style == "tuple" else "s0"
        first.append(value)
    if p.style == "tuple":
        inner += [f"z = {first[0]}", f"s = (z, {', '.join('z' if p.starts[i] == 'first' else first[i] for i in range(1, p.sums))})"]
    else:
        inner += [f"s{i} = {value}" for i, value in enumerate(first)]
    inner += [f"kept{i} = tl.zeros((M, N), tl.{elem})" for i in range(p.kept)]
    inner += ["for k in range(steps):"]
    body = load_text(p, "k")
    for s in p.body:
        body += text_of(p, s)
    inner += ["    " + line for line in body]
    if p.after:
        inner += load_text(p, "0")
        for s in p.after:
            inner += text_of(p, s)
    for i in range(p.sums):
        inner.append(f"tl.store(c + (t * {p.rank} + {i}) * (M * N) + q, {name(p, i)})")
    for i in range(p.kept):
        inner.append(f"tl.store(c + (t * {p.rank} + {p.sums + i}) * (M * N) + q, kept{i})")
    return "\n".join(lines + ["        " + line for line in inner]) + "\n"


# ---- values

class Values:
    """Runs a program by NumPy. float64 holds all values; where one would need more bits than the sums have, it is not exact."""

    def __init__(self, p):
        r = np.random.default_rng(p.seed)
        count = p.grid * p.tiles * p.steps * p.operands
        low, high = (-1, 2) if p.type in ("half", "fp8e4nv", "fp8e5") else (-2, 3)
        self.p, self.exact = p, True
        self.a = r.integers(low, high, (count, p.m, p.k)).astype(np.float64)
        self.b = r.integers(low, high, (count, p.k, p.n)).astype(np.float64)
        self.start = r.integers(-4, 5, (p.sums, p.m, p.n)).astype(np.float64)
        self.flag = int(r.integers(0, 2))

    def see(self, tile):
        limit, scaled = TYPES[self.p.type][2], tile
        for _ in range(12):
            if np.all(scaled == np.rint(scaled)):
                break
            scaled = scaled * 2
        if np.abs(scaled).max() >= limit:
            self.exact = False
        return tile

    def condition(self, text, k):
        return eval(text, {}, {"k": k, "flag": self.flag})

    def dot(self, start, a, b):
        return self.see(start + self.u[a] @ self.v[b])

    def load(self, t, step):
        p = self.p
        at = (t * p.steps + step) * p.operands
        self.u = [self.a[at + o] * (2 if p.computed else 1) for o in range(p.operands)]
        self.v = [self.b[at + o] for o in range(p.operands)]

    def run(self, s, k):
        sums = self.sums
        if s[0] == "dot":
            sums[s[1]] = self.dot(sums[s[2]], s[3], s[4])
        elif s[0] == "both":
            start = sums[s[3]]
            first, second = self.dot(start, *s[4]), self.dot(start, *s[5])
            sums[s[1]], sums[s[2]] = first, second
        elif s[0] == "scale":
            sums[s[1]] = self.see(sums[s[2]] * float(s[3]))
        elif s[0] == "add":
            sums[s[1]] = self.see(sums[s[1]] + sums[s[2]])
        elif s[0] == "order":
            self.sums = [sums[j] for j in s[1]]
        elif s[0] == "keep":
            self.kept[s[1]] = sums[s[2]]
        elif s[0] == "where":
            if self.condition(s[3], k):
                sums[s[1]] = sums[s[2]]
        else:
            for t in s[2] if self.condition(s[1], k) else s[3]:
                self.run(t, k)

    def tile(self, t):
        p = self.p
        zero = np.zeros((p.m, p.n))
        self.sums = []
        for i, start in enumerate(p.starts):
            first = start == "first" and i
            self.sums.append(self.start[i] if start == "loaded" else self.sums[0] if first else zero)
        self.kept = [zero] * p.kept
        for k in range(p.steps):
            self.load(t, k)
            for s in p.body:
                self.run(s, k)
        if p.after:
            self.load(t, 0)
            for s in p.after:
                self.run(s, 0)
        return self.sums + self.kept

    def all(self):
        p = self.p
        return np.array([self.tile(t) for t in range(p.grid * p.tiles)]).reshape(p.grid * p.tiles, p.rank, p.m, p.n)


def is_exact(p):
    values = Values(p)
    values.all()
    return values.exact


def encode(kind, values):
    """Small integers as NumPy holds them in a file, and the type that tilec is to read them as."""
    form = TYPES[kind][0]
    if form == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16), ":bf16"
    if form == "fp8e5":
        return (values.astype(np.float16).view(np.uint16) >> 8).astype(np.uint8), ":fp8e5"
    if form == "fp8e4nv":  # exponents of fp16 are 8 higher; 7 bits of its fraction are more
        bits = values.astype(np.float16).view(np.uint16).astype(np.int32)
        number = ((bits & 0x7FFF) >> 7) - (8 << 3)
        return np.where(values == 0, 0, (bits >> 8 & 0x80) | number).astype(np.uint8), ":fp8e4nv"
    return values.astype(form), ""
