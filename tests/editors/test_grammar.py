#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks editors/: the TextMate grammar of .tile files, by a small tokenizer, and the extension for VS Code.

The tokenizer does what editors do with the parts of TextMate that the grammar uses: match, begin and end, captures,
include. The pattern that matches first on the line wins. At the same place the first pattern of the list wins.
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EDITORS = ROOT / "editors" / "vscode"
FUNCTION = re.compile(r"^(?:BUILTIN|BUILTIN_OF|NOT_BUILT)\((\w+), ([A-Z |]+)[,)]", re.M)
# Builtins that are coloured as types.
TYPES = {"constexpr": "storage.modifier.tile", "tl.constexpr": "storage.type.element.tile"}
counts = {True: 0, False: 0}


def check(ok, what):
    counts[bool(ok)] += 1
    if not ok:
        print(f"FAILED {what}")


class Tokenizer:
    def __init__(self, grammar):
        self.grammar = grammar
        self.compiled = {}

    def regex(self, text):
        if text not in self.compiled:
            self.compiled[text] = re.compile(text)
        return self.compiled[text]

    def rules(self, patterns):
        """The patterns, with what they include."""
        for pattern in patterns:
            if "include" in pattern:
                yield from self.rules([self.grammar["repository"][pattern["include"][1:]]])
            elif "match" in pattern or "begin" in pattern:
                yield pattern
            else:
                yield from self.rules(pattern["patterns"])

    def lines(self, text):
        """For each line its scopes: a list of (start, end, scope)."""
        stack = []  # rules with begin that are open
        for line in text.splitlines():
            yield line, self.line(line, stack)

    def line(self, line, stack):
        found, at, begun = [], 0, [0] * len(stack)
        while True:
            top = stack[-1] if stack else self.grammar
            end = self.regex(top["end"]).search(line, at) if stack else None
            best = min(((m.start(), n, rule, m) for n, rule in enumerate(self.rules(top["patterns"]))
                        if (m := self.regex(rule.get("match") or rule["begin"]).search(line, at))),
                       key=lambda one: one[:2], default=None)
            if end and (not best or end.start() <= best[0]):
                found.append((begun.pop(), end.end(), stack.pop().get("name")))
                at = end.end()
            elif best:
                self.take(found, stack, begun, best[2], best[3])
                # An empty match must not be found again.
                at = best[3].end() + (best[3].end() == at and "begin" not in best[2])
            if not (best or end) or at > len(line):
                break
        found += [(start, len(line), rule.get("name")) for start, rule in zip(begun, stack)]
        return found

    @staticmethod
    def take(found, stack, begun, rule, match):
        captures = rule.get("captures", rule.get("beginCaptures", {}))
        found += [(*match.span(int(n)), capture["name"]) for n, capture in captures.items() if match[int(n)]]
        if "begin" in rule:
            stack.append(rule)
            begun.append(match.start())
        else:
            found.append((*match.span(), rule.get("name")))

    def scopes(self, text, word, number=0):
        """The scopes of the word's occurrence `number` in the text."""
        for line, found in self.lines(text):
            for start in (m.start() for m in re.finditer(re.escape(word), line)):
                if number == 0:
                    return {scope for begin, end, scope in found if scope and begin <= start and start + len(word) <= end}
                number -= 1
        return set()


def check_regexes(node, path=""):
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("match", "begin", "end"):
                try:
                    re.compile(value)
                    check(True, path)
                except re.error as error:
                    check(False, f"{path}/{key}: {error}")
            check_regexes(value, f"{path}/{key}")
    elif isinstance(node, list):
        for number, value in enumerate(node):
            check_regexes(value, f"{path}/{number}")


def check_includes(grammar):
    for name in re.findall(r'"include": "#(\w+)"', json.dumps(grammar)):
        check(name in grammar["repository"], f"include of {name}, which is missing")


def check_words(tokenizer):
    """Every builtin and every keyword has its scope, in the form in which kernels write it."""
    for name, scope in FUNCTION.findall((ROOT / "frontend/builtins/builtins.def").read_text()):
        letters = set(scope.split(" | "))
        if letters & set("TP"):
            got = tokenizer.scopes(f"    {name}(x)", name)
            check(got & {"support.function.builtin.tile", TYPES.get(name)}, f"{name}(x): {got}")
        if letters & set("THLYRG"):
            got = tokenizer.scopes(f"y = tl.{name}(x)", name)
            check(got & {"support.function.builtin.tile", TYPES.get("tl." + name)}, f"tl.{name}(x): {got}")
        if letters & set("MDY"):
            got = tokenizer.scopes(f"y = (x).{name}(x)", name)
            check("support.function.method.tile" in got, f"(x).{name}(x): {got}")
    lexer = (ROOT / "frontend/syntax/lexer.re").read_text()
    rows = re.findall(r'^  "[A-Za-z]+"(?: \| "[A-Za-z]+")* +\{', lexer, re.M)
    words = [word for row in rows for word in re.findall(r'"(\w+)"', row)]
    check(len(words) > 30, "the lexer's keywords are not found")
    for word in words:
        got = tokenizer.scopes(f"{word} x", word)
        check(any(s.startswith(("keyword.", "constant.language", "storage.type")) for s in got), f"{word}: {got}")


# (line, word, its occurrence, a scope that it has, a scope that it has not)
CASES = [
    ("@grid(cdiv(n, BLOCK))", "grid", 0, "entity.name.function.decorator.tile", ""),
    ("@triton.jit", "triton.jit", 0, "entity.name.function.decorator.tile", ""),
    ("def scale(x: *fp32, n: i32, BLOCK: constexpr = 1024):", "scale", 0, "entity.name.function.tile", ""),
    ("def scale(x: *fp32, n: i32, BLOCK: constexpr = 1024):", "fp32", 0, "storage.type.element.tile", ""),
    ("def scale(x: *fp32, n: i32, BLOCK: constexpr = 1024):", "constexpr", 0, "storage.modifier.tile", ""),
    ("def scale(x: *fp32, n: i32, BLOCK: constexpr = 1024):", "1024", 0, "constant.numeric.integer.tile", ""),
    ("load = 1", "load", 0, "", "support.function.builtin.tile"),
    ("y = mine.load_all(x)", "load", 0, "", "support.function.builtin.tile"),
    ("preload(x)", "load", 0, "", "support.function.builtin.tile"),
    ("# load(x) for", "for", 0, "comment.line.number-sign.tile", "keyword.control.tile"),
    ('s = "for # x" # y', "for", 0, "string.quoted.double.tile", "keyword.control.tile"),
    ('s = "for # x" # y', "x", 0, "string.quoted.double.tile", "comment.line.number-sign.tile"),
    ('s = "for # x" # y', "y", 0, "comment.line.number-sign.tile", "string.quoted.double.tile"),
    ("s = '\\'' + max(a, b)", "max", 0, "support.function.builtin.tile", "string.quoted.single.tile"),
    ("s = r'\\'' + max(a, b)", "max", 0, "support.function.builtin.tile", "string.quoted.single.tile"),
    ("s = '\\n'", "\\n", 0, "constant.character.escape.tile", ""),
    ("s = r'\\n'", "\\n", 0, "string.quoted.single.tile", "constant.character.escape.tile"),
    ("s = f'{max(a, 1)} {{b}}'", "max", 0, "support.function.builtin.tile", ""),
    ("s = f'{max(a, 1)} {{b}}'", "b", 0, "string.quoted.single.tile", "meta.embedded.expression.tile"),
    ('"""load(x)\nfor\n""" if y', "for", 0, "string.quoted.triple.tile", "keyword.control.tile"),
    ('"""load(x)\nfor\n""" if y', "if", 0, "keyword.control.tile", "string.quoted.triple.tile"),
    ("s = 'open\nif x:", "if", 0, "keyword.control.tile", "string.quoted.single.tile"),
    ("x = 0x1F + 0b01 + 1_000 + 1.5e-3 + a1", "0x1F", 0, "constant.numeric.hex.tile", ""),
    ("x = 0x1F + 0b01 + 1_000 + 1.5e-3 + a1", "0b01", 0, "constant.numeric.binary.tile", ""),
    ("x = 0x1F + 0b01 + 1_000 + 1.5e-3 + a1", "1_000", 0, "constant.numeric.integer.tile", ""),
    ("x = 0x1F + 0b01 + 1_000 + 1.5e-3 + a1", "1.5e-3", 0, "constant.numeric.float.tile", ""),
    ("x = 0x1F + 0b01 + 1_000 + 1.5e-3 + a1", "a1", 0, "", "constant.numeric.integer.tile"),
    ("y = x.to(tl.float32).sum(0)", "float32", 0, "storage.type.element.tile", ""),
    ("y = x.to(tl.float32).sum(0)", "sum", 0, "support.function.method.tile", ""),
    ("y = triton.language.dot(a, b)", "dot", 0, "support.function.builtin.tile", ""),
    ("y = x.if_ and not None", "not", 0, "keyword.operator.word.tile", ""),
    ("y = x.if_ and not None", "None", 0, "constant.language.tile", ""),
    ("y = x.if_ and not None", "if", 0, "", "keyword.control.tile"),
]


def check_cases(tokenizer):
    for text, word, number, has, lacks in CASES:
        got = tokenizer.scopes(text, word, number)
        check((not has or has in got) and lacks not in got, f"{word!r} in {text!r}: {got}")


def check_files(tokenizer):
    """Kernels of the examples: no string is open at the end of a line, and each def and decorator is found."""
    files = sorted((ROOT / "examples").glob("*.tile"))
    check(len(files) >= 5, "the examples are not found")
    for file in files:
        text = file.read_text()
        found = [scope for _, line in tokenizer.lines(text) for *_, scope in line]
        check("invalid.illegal.newline.tile" not in found, f"{file.name}: a string is open at the end of a line")
        check(found.count("entity.name.function.tile") == len(re.findall(r"^def ", text, re.M)), f"{file.name}: functions")
        check(found.count("entity.name.function.decorator.tile") == len(re.findall(r"^@", text, re.M)),
              f"{file.name}: decorators")


def check_extension(grammar):
    """The files that package.json names are there, and its language is the grammar's."""
    package = json.loads((EDITORS / "package.json").read_text())
    (language,), (entry,) = package["contributes"]["languages"], package["contributes"]["grammars"]
    check(entry["scopeName"] == grammar["scopeName"], "package.json: scopeName")
    check(entry["language"] == language["id"], "package.json: language")
    check((EDITORS / entry["path"]).samefile(EDITORS / "tile.tmLanguage.json"), "package.json: path")
    rules = json.loads((EDITORS / language["configuration"]).read_text())["indentationRules"]
    for line, more in (("if x:", True), ("for i in range(4):  # four", True), ("x = a if b else c", False)):
        check(bool(re.search(rules["increaseIndentPattern"], line)) == more, f"indentation after {line!r}")
    header = (ROOT / "runtime/tilec.h").read_text()
    version = ".".join(re.search(rf"TILEC_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    check(package["version"] == version, f"package.json: version {package['version']}, not {version}")
    check(f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(), f"CITATION.cff: the version is not {version}")


def main():
    grammar = json.loads((EDITORS / "tile.tmLanguage.json").read_text())
    tokenizer = Tokenizer(grammar)
    check_regexes(grammar)
    check_includes(grammar)
    check_words(tokenizer)
    check_cases(tokenizer)
    check_files(tokenizer)
    check_extension(grammar)
    print(f"{counts[True]} passed, {counts[False]} failed")
    return counts[False] > 0


sys.exit(main())
