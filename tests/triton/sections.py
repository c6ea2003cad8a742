# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The questions of the table: by file, expressions and the types of their variables.
import re
from collections import namedtuple
from itertools import product

from inputs import TYPES

# ulp: how far floats may be from Triton's, in units in the last place of the result's type. values: how many
# elements of the result are kept. 0: only its type.
Section = namedtuple("Section", "expression types ulp values", defaults=[0, 256])

ALL = list(TYPES)
INTEGERS = [t for t in ALL if TYPES[t][1] != "f"]
COUNTS = [t for t in INTEGERS if t != "i1"]
FLOATS = [t for t in ALL if TYPES[t][1] == "f"]
WIDE = ["fp16", "bf16", "fp32", "fp64"]
LITERALS = ["-1", "1", "3", "300", "2147483648", "1099511627776", "True", "0.5", "1e300", 'float("inf")']
ONCE = [()]
MOST = ["i1", "i8", "i32", "u8", "u32", "fp16", "bf16", "fp32", "fp64"]
FEW = ["i1", "i8", "i32", "u64", "bf16", "fp32"]


def pairs(first=ALL, second=ALL):
    return list(product(first, second))


def each(types=ALL):
    return [(t,) for t in types]


def same(n, types=ALL):
    return [(t,) * n for t in types]


# Values that LLVM leaves undefined: floats beyond an integer type, counts of shifts that the result's type does not have.
def undefined(expression, types, result):
    number = re.search(r"(?:store\(Qb, |other=)(.*?)\)", expression + ")")
    if number and number.group(1) in ("1e300", 'float("inf"') and TYPES.get(types[0], (0, "f"))[1] != "f":
        return True
    shift = re.search(r"(?:<<|>>) (\S+)$", expression)
    if not shift or result not in TYPES:
        return False
    count = {"True": "1", "k": "7"}.get(shift.group(1), shift.group(1))
    return TYPES[result][0] == 1 or not re.fullmatch(r"\d+", count) or int(count) >= TYPES[result][0]


def operators():
    for op in "+ - *".split():
        yield Section(f"a {op} b", pairs())
    yield Section("a / d", pairs(), 3)
    for op in "// %".split():
        yield Section(f"a {op} d", pairs())
    for op in "& | ^".split():
        yield Section(f"a {op} b", pairs())
    for op in "<< >>".split():
        yield Section(f"a {op} k", pairs())
    for op in "< <= > >= == !=".split():
        yield Section(f"a {op} b", pairs())
    yield Section("w % d", pairs(WIDE, WIDE))
    for op in ["-a", "+a", "~a", "not a", "a.logical_not()", "a ** 2", "2 ** a"]:
        yield Section(op, each())
    for text in ["a and b", "a or b", "a.logical_and(b)", "a.logical_or(b)"]:
        yield Section(text, pairs())
    yield Section("a ** b", same(2))
    yield Section("a @ b", same(2))
    yield Section("a < b < c", same(3))


def scalars():
    for text in ["sa + b", "sa >> k", "sa & b", "a - sb", "augmented(a, b)"]:
        yield Section(text, pairs(MOST, MOST))
    yield Section("sw // d", pairs(MOST, MOST))
    yield Section("sw / d", pairs(MOST, MOST), 3)
    for text in ["sa + sb", "sa == sb"]:
        yield Section(text, pairs(MOST, MOST))
    yield Section("sa and sb", same(2))
    yield Section("augmented(sa, b)", pairs(FEW, FEW))
    for text in ["-sa", "not sa", "sa and True", "sa or False"]:
        yield Section(text, each())
    for argument in ["n32", "n64", "f32"]:
        for op in "+ * < & >>".split():
            if (argument, op) != ("n64", ">>"):
                yield Section(f"a {op} {argument}", each())
        for op in "// %".split():
            yield Section(f"w {op} {argument}", each())
        yield Section(f"w / {argument}", each(), 3)
        yield Section(f"{argument} / d", each(), 3)
        yield Section(f"{argument} // d", each())
        yield Section(f"tl.maximum(a, {argument})", each())
    yield Section("a + one", each(MOST))
    for text in ["n32 + n64", "n32 * f32", "n64 // 7", "n32 % 7", "n32 // -7", "-n32 // 7", "-n32 % 7", "n32 << 3", "n64 >> 3",
                 "n32 < n64", "n32 + 2147483648", "n32 + 0.5", "n32 + True", "f32 + 1", "f32 * 1e300", "~n32", "not n32", "-f32",
                 "tl.cdiv(n32, 7)", "tl.cdiv(n64, 7)", "tl.cdiv(n32, n64)", "n32 & 1099511627776", "n32 == 100", "n64 == 0.5",
                 "tl.program_id(0)", "tl.num_programs(0)", "n32 / n64", "n32 / 7", "tl.minimum(n32, 7)", "min(n32, 7)", "max(f32, 1)",
                 "tl.where(n32 > 5, n32, n64)", "n32 is None", "n32.to(tl.int8)", "float(n32)", "int(f32)"]:
        yield Section(text, ONCE, 3)


def literals():
    for literal in LITERALS:
        for op in "+ - * & | ^ << >> < ==".split():
            yield Section(f"a {op} {literal}", each())
        for op in "// %".split():
            yield Section(f"w {op} {literal}", each())
        yield Section(f"w / {literal}", each(), 3)
        for op in "- < & +".split():
            yield Section(f"{literal} {op} a", each())
        for op in "<< >>".split():
            yield Section(f"{literal} {op} k", each())
        for op in "// %".split():
            yield Section(f"{literal} {op} d", each())
        yield Section(f"{literal} / d", each(), 3)
        yield Section(f"tl.maximum(a, {literal})", each())
        yield Section(f"tl.minimum({literal}, a)", each())
        yield Section(f"tl.where(c_i1, a, {literal})", each())
        yield Section(f"tl.where(c_i1, {literal}, a)", each())
        yield Section(f"tl.full([8], {literal}, T)", each())
        yield Section(f"tl.store(Qb, {literal}); tl.debug_barrier(); tl.load(Qb)", each())
        yield Section(f"tl.load(pb + r, mask=c_i1, other={literal})", each())
    for a, b in [("1", "2"), ("1.0", "0"), ("True", "0"), ("True", "False"), ("1099511627776", "1"), ("1e300", "1")]:
        yield Section(f"tl.where(c_i1, {a}, {b})", ONCE)
        yield Section(f"tl.maximum({a}, {b})", ONCE)
    for literal in ["0", "1.5", "-2"]:
        yield Section(f"augmented(a, {literal})", each())
        yield Section(f"branches(n32, a, {literal})", each())
    for x, lo, hi in [("a", "0", "1"), ("a", "0.0", "1.0"), ("a", "-1.0", "300"), ("a", "-1", "1e300"), ("sa", "0.0", "1.0")]:
        yield Section(f"tl.clamp({x}, {lo}, {hi})", each())


def builtins():
    for name in ["maximum", "minimum"]:
        yield Section(f"tl.{name}(a, b)", pairs())
        yield Section(f"tl.{name}(a, b, propagate_nan=tl.PropagateNan.ALL)", same(2))
    yield Section("max(a, b)", same(2))
    yield Section("min(a, 1)", each())
    yield Section("tl.clamp(a, l, h)", [(t, u, u) for t, u in pairs(MOST, MOST)])
    yield Section("tl.clamp(a, l, h, propagate_nan=tl.PropagateNan.ALL)", same(3))
    for limits in ["-1.0, 1.0", "-2.5, 2.5", "-1.0, 1.0, propagate_nan=tl.PropagateNan.ALL", "0.0, 6.0"]:
        yield Section(f"tl.clamp(a, {limits})", each(WIDE))
        yield Section(f"tl.clamp(-a, {limits})", each(WIDE))
    yield Section("tl.where(c_i1, a, b)", pairs())
    yield Section("tl.where(sc_i1, a, b)", same(2))
    yield Section("tl.where(a, b_i32, c_i32)", each())
    yield Section("tl.fma(a, b, c)", same(3) + [(t, u, t) for t, u in pairs(["i32", *WIDE], ["i32", *WIDE]) if t != u])
    yield Section("tl.abs(a)", each())
    yield Section("abs(a)", each())
    yield Section("tl.cdiv(m, d)", pairs(MOST, MOST))
    yield Section("tl.cdiv(m, 3)", each())
    yield Section("tl.cdiv(-w, 3)", each())
    yield Section("tl.umulhi(a, b)", same(2) + [(t, u) for t, u in pairs(COUNTS[2:4] + COUNTS[6:], COUNTS[2:4] + COUNTS[6:]) if t != u])
    yield Section("tl.fdiv(w, d)", pairs(MOST, MOST), 3)
    yield Section("tl.fdiv(w, 2.0)", each(), 3)
    yield Section("tl.fdiv(w, d, ieee_rounding=True)", pairs(WIDE, WIDE))
    yield Section("tl.div_rn(w, d)", pairs(MOST, MOST))
    yield Section("tl.join(a, b)", pairs(FEW, FEW))
    yield Section("tl.interleave(a, b)", same(2))
    yield Section("tl.cat(a, b, can_reorder=True)", same(2), 0, 0)
    yield Section("tl.gather(a, k, 0)", pairs(["i8", "fp16", "fp64", "i1"], ALL))
    yield Section("tl.zeros([8], T)", each())
    yield Section("tl.zeros_like(a)", each())
    yield Section("tl.full([8], sm, T)", pairs(MOST, MOST))
    yield Section("tl.arange(0, 8)", ONCE)
    yield Section("tl.rand(n32, k)", each(), 2)
    yield Section("tl.randint(n32, k)", each())
    yield Section("tl.randn(n32, k)", each(INTEGERS), 8)
    yield Section("tl.rand(7, k)", each(["i32", "i64"]), 2)
    yield Section("tl.rand(n64, k)", each(["i32", "u32"]), 2)
    yield Section("tl.randint(sk, k)", pairs(INTEGERS, ["i32"]))


def casts():
    yield Section("a.to(T)", pairs(INTEGERS, ALL) + pairs(FLOATS, FLOATS))
    yield Section("m.to(T)", pairs(FLOATS, INTEGERS))
    yield Section("w.to(T)", pairs(FLOATS, [t for t in COUNTS if t[0] == "i"]))
    yield Section("a.to(tl.int1)", each(FLOATS))
    yield Section("sm.to(T)", pairs(FLOATS, INTEGERS))
    yield Section("o.to(T)", pairs(FLOATS, COUNTS))
    yield Section("o.to(T) + 1", pairs(["fp32", "bf16"], COUNTS[:2] + COUNTS[4:6]))
    yield Section("o.to(T).to(tl.int32)", pairs(["fp32", "fp64"], COUNTS[:2] + COUNTS[4:6]))
    yield Section("(o * 256).to(T)", pairs(["fp32"], COUNTS))
    yield Section("tl.cast(m, T)", pairs())
    yield Section("a.to(T, bitcast=True)", pairs())
    yield Section('a.to(T, fp_downcast_rounding="rtz")', pairs(FLOATS + ["i32"], FLOATS))
    yield Section('tl.cast(a, T, fp_downcast_rounding="rtne")', pairs(["fp32", "fp64", "fp16"], FLOATS))


def functions():
    yield Section("m.sqrt_rn()", [("fp32",)])
    for name, where, ulp in [("exp", "w", 4), ("exp2", "w", 4), ("log", "m", 3), ("log2", "m", 3), ("sqrt", "m", 3), ("sqrt_rn", "m", 0),
                             ("rsqrt", "m", 3), ("sin", "w", 4), ("cos", "w", 4), ("erf", "w", 16), ("floor", "d", 0), ("ceil", "d", 0),
                             ("sigmoid", "w", 6), ("softmax", "w", 6)]:
        yield Section(f"tl.{name}({where})", each(), ulp)
    yield Section("tl.math.exp(sw)", each(), 4)
    for name, where, ulp in [("exp", "w", 4), ("tanh", "w", 6), ("log1p", "m", 4), ("expm1", "w", 4), ("rint", "d", 0), ("trunc", "d", 0),
                             ("round", "d", 0), ("abs", "a", 0), ("isnan", "a", 0), ("isinf", "a", 0), ("signbit", "a", 0), ("rsqrt", "m", 3),
                             ("popc", "a", 0), ("clz", "a", 0), ("ffs", "a", 0), ("brev", "a", 0), ("float2int_rn", "m", 0),
                             ("finitef", "a", 0), ("acos", "e", 6)]:
        yield Section(f"libdevice.{name}({where})", each(), ulp)
    for name, ulp in [("pow", 16), ("atan2", 6), ("fmod", 0), ("copysign", 0), ("hypot", 4), ("fdim", 0)]:
        yield Section(f"libdevice.{name}(w, d)", pairs(WIDE + ["i32"], WIDE + ["i32"]), ulp)
    yield Section("libdevice.pow(w, k)", pairs(WIDE, COUNTS), 16)
    yield Section("libdevice.mulhi(a, b)", same(2))
    yield Section("libdevice.ldexp(w, k)", pairs(WIDE, ["i32"]), 0)


def reductions():
    for name in ["sum", "xor_sum"]:
        yield Section(f"tl.{name}(w)", each())
        yield Section(f"tl.{name}(w, axis=0)", each())
        yield Section(f"tl.{name}(Mw, axis=1)", each())
    yield Section("tl.sum(w, axis=0, keep_dims=True)", each())
    yield Section("w.sum(0)", each())
    yield Section("tl.sum(w, dtype=T)", pairs(INTEGERS, ALL) + pairs(FLOATS, FLOATS))
    yield Section("tl.sum(m, dtype=T)", pairs(FLOATS, INTEGERS))
    yield Section("tl.cumsum(w)", each())
    yield Section("tl.cumsum(w, reverse=True)", each())
    yield Section("tl.cumsum(w, dtype=T)", pairs(INTEGERS, ALL))
    yield Section("tl.cumprod(e)", each())
    for name in ["max", "min"]:
        yield Section(f"tl.{name}(a)", each())
        yield Section(f"tl.{name}(w, axis=0, return_indices=True)[0]", each())
        yield Section(f"tl.{name}(w, axis=0, return_indices=True)[1]", each())
        yield Section(f"tl.arg{name}(w, axis=0)", each())
        yield Section(f"tl.arg{name}(w, axis=0, tie_break_left=False)", each(), 0, 0)
        yield Section(f"tl.{name}(Mw, axis=0)", each())
    yield Section("tl.reduce_or(w, axis=0)", each())
    yield Section("tl.reduce(w, 0, plus)", each())
    yield Section("tl.reduce(w, 0, larger)", each())
    yield Section("tl.associative_scan(w, 0, plus)", each())
    yield Section("tl.sort(w)", each())
    yield Section("tl.sort(w, descending=True)", each())
    yield Section("tl.topk(w, 4)", each())
    for name in ["w", "m", "a"]:
        yield Section(f"tl.bitonic_merge({name})", each())
        yield Section(f"tl.bitonic_merge({name}, descending=True)", each())
    yield Section("tl.sort(a)", each())
    yield Section("tl.sort(a, descending=True)", each())
    yield Section("tl.topk(a, 4)", each())
    yield Section("tl.flip(a)", each())
    yield Section("tl.flip(a, 0)", each())
    yield Section("tl.histogram(k, 8)", each())
    yield Section("tl.histogram(k, 8, mask=c_i1)", each())
    yield Section("tl.histogram(o, 8)", each(COUNTS))
    yield Section("tl.histogram(o, 64)", each(COUNTS))
    yield Section("tl.histogram(o, 64, mask=c_i1)", each(["i32"]))
    yield Section("tl.histogram(k, 8, mask=c)", [("i32", t) for t in ALL])


def dots():
    yield Section("tl.dot(Rw, Ce)", pairs(), 0, 0)
    yield Section("tl.dot(Mw, Me)", same(2), 0, 0)
    yield Section("tl.sum(tl.dot(Rw, Ce), axis=1)", same(2))
    yield Section("tl.dot(Rw, Ce, out_dtype=T)", [(t, t, u) for t, u in pairs()], 0, 0)
    yield Section("tl.sum(tl.dot(Rw, Ce, out_dtype=T), axis=1)", [(t, t, u) for t, u in product(ALL, ["fp16", "fp32", "fp64", "i32"])])
    yield Section("tl.dot(Rw, Ce, acc=Md)", [(t, t, u) for t, u in pairs()], 0, 0)
    yield Section("tl.dot(Rw, Ce, Md, out_dtype=T)", [(t, t, u, u) for t, u in pairs(FLOATS + ["i8"], FLOATS + ["i32"])] +
                  [(t, t, u, v) for t, u, v in product(["i8", "u8", "fp8e5", "fp16", "bf16", "fp32", "fp64"], ["i8", "i16", "i32", "fp16", "bf16", "fp32"],
                                                      ["i8", "i16", "i32", "fp16", "bf16", "fp32"]) if u != v or u in ("i8", "i16")], 0, 0)
    yield Section("tl.sum(tl.dot(Rw, Ce, out_dtype=T).to(T), axis=1)", [("i8", "i8", t) for t in ["i8", "i16", "i32", "i64", "u8", "fp16", "fp32"]])
    yield Section("tl.sum(tl.dot(Rw, Ce, acc=Md), axis=1)", [(t, t, u) for t, u in product(ALL, ["fp16", "fp32", "fp64", "i32"])])
    yield Section("tl.sum(tl.dot(Rw, Ce, Md, out_dtype=T), axis=1)", [("fp64", "fp64", "fp64", "fp64"), ("i8", "i8", "i32", "i32"),
                                                                      ("fp16", "fp16", "fp16", "fp16")])
    for word in ["ieee", "tf32", "tf32x3", "bf16x3", "bf16x6", "tf33"]:
        yield Section(f'tl.dot(Rw, Ce, input_precision="{word}")', same(2, ["fp16", "fp32", "fp64", "i8", "bf16"]), 0, 0)
    # A factor with a bit more than tf32 has.
    for precision in ["", ', input_precision="ieee"', ', input_precision="tf32"', ', input_precision="tf32x3"', ", allow_tf32=False"]:
        yield Section(f"tl.sum(tl.dot(Rw * 1.00048828125, Ce{precision}), axis=1)", [("fp32", "fp32")],
                      16384 if precision.endswith('"tf32"') else 4) # tf32 has 13 bits less
    # Sums of split numbers, and only one special number in each row.
    for word in ["bf16x3", "bf16x6"]:
        yield Section(f'tl.sum(tl.dot(Rw * 1.00048828125, Ce, input_precision="{word}"), axis=1)', [("fp32", "fp32")], 4)
        yield Section(f'tl.sum(tl.dot(Rw, Ce, Md, input_precision="{word}"), axis=1)', [("fp32", "fp32", "fp32")], 4)
    for word in ["ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"]:
        off = {"tf32": 32768, "tf32x3": 16, "bf16x3": 512}.get(word, 4)
        yield Section(f'tl.dot(alone(Ra), Ce, input_precision="{word}")', [("fp32", "fp32")], off)
        yield Section(f'tl.dot(alone(Ra), Ce * 1.00048828125, input_precision="{word}")', [("fp32", "fp32")], off)
    yield Section("tl.dot(Rw, Ce, allow_tf32=True)", same(2, WIDE), 0, 0)
    for n in ["0", "16", "32", "64"]:
        yield Section(f"tl.dot(Rw, Ce, max_num_imprecise_acc={n})", same(2), 0, 0)
        yield Section(f"tl.sum(tl.dot(Rw, Ce, max_num_imprecise_acc={n}), axis=1)", same(2, ["fp8e4nv", "fp8e5", "fp16"]))


# Matrices whose dots are 32 deep, or 64 if both are e2m1. For e2m1 that is not packed along k, one has twice
# the rows or columns.
SCALED = {"e2m1": "u8", "e4m3": "fp8e4nv", "e5m2": "fp8e5", "bf16": "bf16", "fp16": "fp16"}


def scaled():
    for (lhs, a), (rhs, b) in product(SCALED.items(), SCALED.items()):
        both = lhs == rhs == "e2m1"
        left = "Ma" if lhs == "e2m1" and not both else "Ra" if both else "Rw"
        right = "Mb" if rhs == "e2m1" and not both else "Cb" if both else "Ce"
        k = 64 if both else 32
        yield Section(f'tl.dot_scaled({left}, scales(16, {k}), "{lhs}", {right}, scales(16, {k}), "{rhs}")', [(a, b)], 2)
        yield Section(f'tl.dot_scaled({left}, None, "{lhs}", {right}, scales(16, {k}), "{rhs}", fast_math=True)', [(a, b)])
        yield Section(f'tl.dot_scaled({left}, None, "{lhs}", {right}, None, "{rhs}", Md)', [(a, b, "fp32")])
    for rhs, b in SCALED.items():
        right, deep = ("Cb", ", rhs_k_pack=False") if rhs == "e2m1" else ("Ce", "")
        n = 32 if deep else 16
        yield Section(f'tl.dot_scaled(Ra, scales(32, 32), "e2m1", {right}, scales({n}, 32), "{rhs}", lhs_k_pack=False{deep})', [("u8", b)])
        yield Section(f'tl.dot_scaled(Ra, scales(32, 32), "e2m1", {right}, None, "{rhs}", lhs_k_pack=False{deep}, fast_math=True)', [("u8", b)])
    yield Section('tl.dot_scaled(Rw, scales(16, 32), "bf16", Cb, scales(32, 32), "e2m1", rhs_k_pack=False)', [("bf16", "u8")])
    yield Section('tl.dot_scaled(Ra, scales(16, 32), "e4m3", Cb, scales(16, 32), "e5m2")', [("u8", "u8"), ("fp8e4nv", "fp8e5")])
    yield Section('tl.dot_scaled(Ra, scales(16, 32), "bf16", Cb, None, "fp16", lhs_k_pack=False)', [("bf16", "fp16")], 0, 0)
    yield Section('tl.dot_scaled(Rw.reshape(2, 8, 32), None, "e4m3", Ce.reshape(2, 32, 8), None, "e5m2")', [("u8", "u8")])
    yield Section('tl.dot_scaled(Rw.reshape(2, 8, 32), scales(16, 32).reshape(2, 8, 1), "e4m3", Ce.reshape(2, 32, 8), None, "e5m2")', [("u8", "u8")])
    for word in [*SCALED, "E2M1", "e8m0"]:
        left, right = ("Ma", "Cb") if word == "e2m1" else ("Rw", "Ce")
        yield Section(f'tl.dot_scaled({left}, None, "{word}", {right}, None, "bf16")', [(t, "bf16") for t in ALL], 0, 0)
    yield Section('tl.dot_scaled(Rw, None, "bf16", Ce, None, "e5m2")', [("bf16", t) for t in ALL], 0, 0)
    for k in [32, 16]:
        yield Section(f'tl.dot_scaled(Rw, scales(16, 32, {k}).to(T), "bf16", Ce, None, "bf16")', [("bf16", t, "bf16") for t in ALL], 0, 0)
    yield Section('tl.dot_scaled(Rw, None, "bf16", Ce, None, "bf16", acc=Md)', [("bf16", "bf16", t) for t in ALL], 0, 0)
    yield Section('tl.dot_scaled(Rw, None, "bf16", Ce, None, "bf16", out_dtype=T)', [("bf16", "bf16", t) for t in ALL], 0, 0)


def memory():
    for name in ["add", "max", "min", "and", "or", "xor", "xchg"]:
        yield Section(f"tl.atomic_{name}(Qb, m)", pairs(ALL, FEW) if name in ["add", "max"] else pairs(MOST, ["i1", "i32", "fp32"]))
        yield Section(f"tl.atomic_{name}(Qb, w); tl.debug_barrier(); tl.load(Qb)", same(2))
        yield Section(f"tl.atomic_{name}(Zb, sm)", same(2))
        for literal in ["1", "1.5", "True"]:
            yield Section(f"tl.atomic_{name}(Qb, {literal})", each())
    yield Section("tl.atomic_add(Qb, m, mask=c_i1); tl.debug_barrier(); tl.load(Qb)", same(2))
    yield Section("tl.atomic_add(Qb, m, mask=c)", [("i32", "i32", t) for t in ALL], 0, 0)
    yield Section("tl.atomic_cas(Qb, b, a)", [(t, t, u) for t, u in pairs(["i32", "i64", "fp32"], FEW)] + [(t, u, t) for t, u in pairs(["i32", "i64", "fp32"], FEW) if t != u])
    yield Section("tl.atomic_cas(Qb, b, a); tl.debug_barrier(); tl.load(Qb)", same(3))
    yield Section("tl.atomic_cas(Zb, 0, 1)", each())
    yield Section("tl.store(Qb, m); tl.debug_barrier(); tl.load(Qb)", pairs(MOST, MOST))
    yield Section("tl.store(Zb, sm); tl.debug_barrier(); tl.load(Zb)", pairs(FEW, FEW))
    yield Section("tl.store(Qb, sm); tl.debug_barrier(); tl.load(Qb)", same(2))
    yield Section("tl.store(Qb, m, mask=c_i1); tl.debug_barrier(); tl.load(Qb)", same(2))
    yield Section("tl.store(Qb, m, mask=c); tl.load(Qb)", [("i32", "i32", t) for t in ALL], 0, 0)
    yield Section("tl.load(pb + r, mask=c_i1, other=m)", pairs(MOST, MOST))
    yield Section("tl.load(pb_i32 + r, mask=c, other=0)", each(), 0, 0)
    yield Section("tl.load(pb_i32 + r, other=0)", ONCE)
    yield Section("tl.load(pb + k)", [("i32", t) for t in ALL])
    yield Section("tl.load(k + pb)", [(t, "i32") for t in ALL])
    yield Section("tl.load(pb + 7 - k)", [("i32", t) for t in COUNTS if t[0] == "i"])
    yield Section("tl.load(pb + (7 - k))", [("i32", t) for t in COUNTS])
    yield Section("(pb_i32 + a).to(tl.int64) - pb_i32.to(tl.int64)", each())
    yield Section("(pb_i32 - a).to(tl.int64) - pb_i32.to(tl.int64)", each())
    for literal in ["2147483648", "-1", "True", "0.5", "1099511627776"]:
        yield Section(f"(pb_i32 + {literal}).to(tl.int64) - pb_i32.to(tl.int64)", ONCE)
    for text in ["pb + 1", "pb * 2", "pb - pb", "pb + pb", "-pb", "~pb", "not pb", "pb & 1", "pb // 2", "1 - pb", "tl.abs(pb)", "tl.maximum(pb, pb)",
                 "tl.where(c_i1, pb, pb)", "tl.load(pb)", "pb.to(tl.int64) - pb.to(tl.int64)", "(pb.to(tl.int1))", "pb == pb", "pb < pb + 1",
                 "pb != 0", "pb.to(tl.int32)", "pb.to(tl.pointer_type(tl.int8))", "pb is None"]:
        yield Section(text, each(["i32", "fp16"]))
    for text in ["tl.load(const + r)", "tl.store(const + r, 1); tl.load(const + r)", "tl.atomic_add(const, 1)", "const == pb_i32",
                 "tl.load(tl.where(c_i1, const, const + 1))", "tl.where(c_i1, const, pb_i32)",
                 "tl.load(const.to(tl.pointer_type(tl.int32)))"]:
        yield Section(text, ONCE)
    yield Section("pb == pa", pairs(["i32", "fp32"], ["i32", "fp32"]), 0, 0)


def statements():
    yield Section("branches(n32, a, b)", pairs())
    yield Section("early(n32, a, b)", pairs())
    yield Section("chosen(n32, a, b)", pairs())
    yield Section("chosen(n32, sa, 1)", each())
    yield Section("chosen(n32, 1, 0.5)", ONCE)
    yield Section("carried(a, b)", pairs())
    yield Section("carried(a, 1)", each())
    yield Section("carried(sa, 0.5)", each())
    yield Section("static_sum(a)", each())
    yield Section("while_below(sk, sm)", pairs(COUNTS, COUNTS))
    yield Section("range_sum(sk, sm)", pairs())
    for t in ["i32", "i64", "u32", "u64", "i8", "i16"]:
        yield Section("range_counts_in(sk, sm, T)", [(a, b, t) for a, b in pairs(COUNTS, COUNTS)])
    yield Section("range_counts_in(0, sm, T)", pairs(COUNTS, ["i32", "i64", "u8", "u32"]))
    yield Section("range_counts_in(0, 4, T)", each(["i32", "i64"]))
    yield Section("range_counts_in(0, 4294967296 * 2, T)", each(["i32", "i64"]), 0, 0)
    yield Section("range_steps(sk, sm, 2)", pairs(COUNTS, COUNTS))
    yield Section("range_steps(sm, sk, -1)", pairs(COUNTS, COUNTS))
    yield Section("range_steps(0, n32, 7)", ONCE)
    yield Section("sized(T)", each(["i32", "fp16"]))
    yield Section("annotated(a)", each(MOST))
    yield Section("tl.full([8], -0.0, T)", each(WIDE))


FILES = {"operators": operators, "scalars": scalars, "literals": literals, "builtins": builtins, "casts": casts, "functions": functions,
         "reductions": reductions, "dots": dots, "scaled": scaled, "memory": memory, "statements": statements}
