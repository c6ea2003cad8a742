#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes C matchers of the rewrite rules in a table (passes/rules.def has the format).

  rules.py rules.def ops.def FOLDER     writes FOLDER/rules_SET.h for each set
  rules.py --names rules.def            prints the rules, a line SET NAME each

A header has one static function for each rule and one for the set. A C file includes it after the functions that its rules call."""
import re
import sys
from pathlib import Path


def fail(text):
    raise SystemExit(f"rules.py: {text}")


def read_ops(path):
    """{spelling: traits}"""
    text = Path(path).read_text(encoding="utf-8")
    rows = re.findall(r'^X\((\w+), "(\w+)", "[^"]*", -?\d+, "[^"]*", "[^"]*", ([\w |]+),', text, re.M)
    return {name: (kind, set(traits.split(" | "))) for kind, name, traits in rows}


class Tree:
    """A term: op(args), or an atom. `head` is the text before the bracket, `name` the one before @."""

    def __init__(self, head, args=None, name=None):
        self.head, self.args, self.name = head, args, name


TOKEN = re.compile(r"\s*(\{[^}]*\}~?|\[|\w+@|[#$]?-?\w+(?:\.\d+)?~?|[(),])")


def parse_term(text, at):
    found = TOKEN.match(text, at)
    if not found:
        fail(f"no term at '{text[at:]}'")
    word, at, name = found.group(1), found.end(), None
    if word == "[":  # an expression of C up to its bracket
        depth, start = 1, at
        while depth:
            depth += {"[": 1, "]": -1}.get(text[at], 0)
            at += 1
        return Tree("[", [text[start:at - 1]]), at
    if word.endswith("@"):
        name, (word, at) = word[:-1], (TOKEN.match(text, at).group(1), TOKEN.match(text, at).end())
    if not text[at:at + 1] == "(":
        return Tree(word, None, name), at
    args, at = [], at + 1
    while True:
        term, at = parse_term(text, at)
        args.append(term)
        sign = TOKEN.match(text, at)
        at = sign.end()
        if sign.group(1) == ")":
            return Tree(word, args, name), at
        if sign.group(1) != ",":
            fail(f"no comma or bracket in '{text}'")


class Rule:
    def __init__(self, name, text, ops):
        found = re.fullmatch(r"(?:(int|float|index) )?(.+?) => (.+?)(?: if (.+))?", text)
        if not found:
            fail(f"{name}: not 'PATTERN => VALUE [if CONDITION]': {text}")
        self.name, self.ops, self.guard, self.condition = name, ops, found.group(1), found.group(4)
        self.pattern, self.value = parse_term(found.group(2), 0)[0], parse_term(found.group(3), 0)[0]
        self.kinds = self.kinds_of(self.pattern.head)
        self.lines, self.bound, self.depth, self.count = [], {}, 1, 0

    def kinds_of(self, head):
        """The enumerators that an op's head stands for: a spelling, a trait, or a set of these."""
        kinds = []
        for word in re.findall(r"\w+", head):
            some = [kind for spelling, (kind, traits) in self.ops.items() if word in traits or word == spelling]
            if not some:
                fail(f"{self.name}: there is no op or trait '{word}'")
            kinds += some
        return kinds

    def put(self, text):
        self.lines.append("  " * self.depth + text)

    def need(self, condition):
        self.put(f"if (!({condition})) {'continue' if self.depth > 1 else 'return NULL'};")

    def bind(self, name, text):
        if name in self.bound:
            self.need(f"{name} == {text}")
        else:
            self.bound[name] = "Value"
            self.put(f"Value *{name} = {text};")

    def match_args(self, term, op):
        swaps = term.head.endswith("~")
        if swaps:
            self.count += 1
            self.put(f"for (uint32_t i{self.count} = 0; i{self.count} < 2; i{self.count}++) {{")
            self.depth += 1
        side = self.count
        for i, arg in enumerate(term.args):
            self.match(arg, f"op_operand({op}, {f'{i} ^ i{side}' if swaps else i})")

    def match(self, term, value):
        if term.name:
            self.bind(term.name, value)
            value = term.name
        head = term.head
        if term.args is not None:
            self.count += 1
            inner = f"o{self.count}"
            self.put(f"Op *{inner} = {value}->def;")
            wanted = f"{inner}->kind == op->kind" if head == "same" else " || ".join(f"{inner}->kind == OP_{kind}" for kind in self.kinds_of(head))
            self.need(f"{inner} && ({wanted})")
            self.match_args(term, inner)
        elif head[0] == "#" and head[1:] in self.bound:
            self.need(f"is_int({value}, {head[1:]})")
        elif head[0] == "#":
            self.bound[head[1:]] = "int64_t"
            self.put(f"int64_t {head[1:]};")
            self.need(f"type_is_int({value}->type) && value_int_constant({value}, &{head[1:]})")
        elif head[0] == "$":
            self.bind(head[1:], value)
            self.need(f"is_uniform({head[1:]})")
        elif re.fullmatch(r"-?\d+", head):
            self.need(f"is_int({value}, {head})")
        elif re.fullmatch(r"-?\d+\.\d+", head):
            self.need(f"is_float({value}, {head})")
        elif head in ("ones", "zero"):
            self.need(f"{'is_ones' if head == 'ones' else 'value_is_zero'}({value})")
        elif head != "_":
            self.bind(head, value)

    def build(self, term, like):
        """The C value of a term. `like`: the value whose type a constant has; None: the result's."""
        head, type_ = term.head, f"{like}->type" if like else "type"
        if head == "[":
            return term.args[0]
        if term.args is None:
            if self.bound.get(head) == "Value":
                return head
            number = "(int64_t)number_wrap(type_element(%s)->elem, ~(uint64_t)0)" % type_ if head == "ones" else head.lstrip("#")
            return f"build_int(&b, {type_}, {number})"
        first = next((arg.head for arg in term.args if self.bound.get(arg.head) == "Value"), None)
        args = []
        for arg in term.args:
            text = self.build(arg, first)
            if text != arg.head:
                self.count += 1
                self.put(f"Value *n{self.count} = {text};")
                text = f"n{self.count}"
            args.append(text)
        kind = "op->kind" if head == "op" else f"OP_{self.ops[head][0]}" if head in self.ops else None
        if not kind:  # a function of the file
            return f"{head}(&b, {', '.join(args)})"
        if len(args) == 2:
            return f"build_binary(&b, {kind}, {', '.join(args)})"
        args += ["NULL"] * (3 - len(args))
        return f"build(&b, {kind}, type, {', '.join(args)})"

    def function(self, params, where):
        if self.guard:
            self.need(f"{'type_' if self.guard in ('int', 'float') else ''}is_{self.guard}(op_operand(op, 0)->type)")
        self.match_args(self.pattern, "op")
        for name in re.findall(r"&#(\w+)", self.condition or ""):
            self.bound[name] = "int64_t"
            self.put(f"int64_t {name};")
        if self.condition:
            self.need(self.condition.replace("#", ""))
        at = len(self.lines)
        self.put(f"return {self.build(self.value, None)};")
        if any("&b" in line for line in self.lines[at:]):
            self.lines.insert(at, "  " * self.depth + "Builder b = builder_before(op);")
        if any(re.search(r"(?<!>)\btype\b", line) for line in self.lines):
            self.lines.insert(0, "  const Type *type = op_result(op)->type;")
        closing = ["  " * depth + "}" for depth in range(self.depth - 1, 0, -1)] + ["  return NULL;"] * (self.depth > 1)
        body = "\n".join(self.lines + closing)
        return f"// {where}\nstatic Value *rule_{self.name}({params}Op *op) {{\n{body}\n}}\n"


def read_sets(path, ops):
    """[(set, parameters, [rule])]"""
    sets, lines = [], Path(path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        line = line.split("//")[0].rstrip()
        if found := re.fullmatch(r"SET (\w+)(?:\((.*)\))?", line):
            sets.append((found.group(1), found.group(2), []))
        elif found := re.fullmatch(r"(\w+): (.+)", line):
            sets[-1][2].append([found.group(1), found.group(2), number])
        elif line.startswith(" ") and sets and sets[-1][2]:
            sets[-1][2][-1][1] += " " + line.strip()
        elif line:
            fail(f"{path}:{number}: neither SET NAME nor NAME: RULE")
    names = [name for _, _, rules in sets for name, _, _ in rules]
    if twice := {name for name in names if names.count(name) > 1}:
        fail(f"{path}: two rules are named {', '.join(twice)}")
    return [(name, params, [either for rule, text, _ in rules for either in rules_of(rule, text, ops)]) for name, params, rules in sets]


def rules_of(name, text, ops):
    """A rule for each of the patterns, which `|` separates."""
    patterns, rest = text.split(" => ", 1)
    guard = re.match(r"(?:(?:int|float|index) )?", patterns).group(0)
    patterns = patterns[len(guard):].split(" | ")
    for i, pattern in enumerate(patterns):
        yield Rule(f"{name}_{i + 1}" if len(patterns) > 1 else name, f"{guard}{pattern} => {rest}", ops), f"{name}: {text}"


def header(name, params, rules, ops):
    params = f"{params}, " if params else ""
    given = "".join(f"{name}, " for name in re.findall(r"(\w+),", params))
    out = ["// Made by cmake/rules.py from rules.def.", ""]
    for rule, where in rules:
        out.append(rule.function(params, where))
    out.append(f"// The value that the first rule of the set `{name}` gives for the op's result. NULL: no rule matches.")
    out.append(f"static Value *rules_{name}({params}Op *op) {{\n  const Type *type = op_result(op)->type;\n  Value *made;\n  switch ((int)op->kind) {{")
    for kind, _ in ops.values():
        mine = [rule.name for rule, _ in rules if kind in rule.kinds]
        if mine:
            out.append(f"  case OP_{kind}:")
            out += [f"    if ((made = rule_{rule}({given}op)) && made->type == type) return made;" for rule in mine]
            out.append("    return NULL;")
    out.append("  default: return NULL;\n  }\n}")
    text = "\n".join(out) + "\n"
    return text.replace("\n", '\n#include "base/mutant.h"\n', 1) if "mutant_is(" in text else text  # scripts/mutants


def main(arguments):
    if arguments[0] == "--names":
        text = Path(arguments[1]).read_text(encoding="utf-8")
        current = None
        for line in text.splitlines():
            if line.startswith("SET "):
                current = re.match(r"SET (\w+)", line).group(1)
            elif found := re.match(r"(\w+): ", line):
                print(current, found.group(1))
        return
    table, ops_file, folder = arguments
    ops = read_ops(ops_file)
    for name, params, rules in read_sets(table, ops):
        Path(folder, f"rules_{name}.h").write_text(header(name, params, rules, ops), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
