#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The texts of `tilec help`, which the command carries: commands, options, codes of mistakes, entries of the language's reference, words of the glossary, of
CUDA and NumPy, of Python, names of the C API, environment variables, and the forms of arguments. tools/options/help_words.c finds and prints them.

  help.py OUT NUMPY     writes them, and what NUMPY's functions are in a kernel (frontend/elaborate/elab_hints.c)

A text begins with the byte 1e, its kind, its words with the byte 1f between them, and a newline. Kinds:

  L  an entry of the reference, by its full names       G  a word of the glossary
  O  operators                                          S  a form of arguments, by the words that it may begin with
  E  element types                                      C  words of CUDA, N of NumPy; `*` stands for any letters, `?` for one
  A  the names of all functions                         T  a word of Python, a name of the C or C++ API, or an environment variable
  P  a parameter, by its name                           W  words to suggest, a line each
  V  a command; one without a word: the overview        Y  an option, by its spellings
  D  a code of mistakes; `codes`: all                   J  a word of the Python API; K: an option or attribute of it
  B  objects of the Python API, whose members J has     F  names of the Python API to suggest, a line each;
  X  names of Triton that are not taken, by patterns    U  those without a module
  I  a pass, or an op, attribute or trait of tile IR

The bytes 01 and 02 are around what a terminal shows in bold. Lines have at most 100 columns, apart from examples."""
import fnmatch
import posixpath
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 100
ALL = "3.6-3.9"  # the versions of Triton that docs/triton-versions.md has
OPERATORS = "operator operators + - * / // % ** ~ & | ^ << >> < <= > >= == != @ += -= *= /= //= %=".split()


def read(name):
    return (ROOT / name).read_text(encoding="latin-1")  # a character a byte: columns are bytes


def rows(name):
    """The strings of each row of a table."""
    for line in re.findall(r"^X\((.*)\)$", read(name), re.M):
        yield strings(line)


def strings(line):
    """The values of C's strings in a line."""
    return [re.sub(r"\\(.)", lambda c: {"n": "\n", "t": "\t"}.get(c[1], c[1]), text) for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line)]


def wrapped(text, column, indent):
    """The words, from that column on. Continuation lines begin at `indent`."""
    out = ""
    for i, word in enumerate(text.split()):
        if i and column + 1 + len(word) > WIDTH:
            out, column = out + "\n", 0
        elif i:
            out, column = out + " ", column + 1
        if column < indent:
            out, column = out + " " * (indent - column), indent
        out, column = out + word, column + len(word)
    return out


def bold(text):
    return f"\x01{text}\x02"


# --- the reference: "== " begins a signature, "| " a row of a table, "# " a file ---


LINES = "".join(file.read_text(encoding="latin-1") for file in sorted((ROOT / "frontend/builtins/reference").glob("*.txt"))).split("\n")[:-1]


def is_head(line):
    return line.startswith("== ")


def is_entry(line):
    return line.startswith(("== ", "| "))


def name_in(line):
    return line[3 if line[0] == "=" else 2:].split("(")[0]


def is_private(name):
    return name.split(".")[-1].startswith("_")


def is_item(line):
    """name: text, as parameters, errors and differences are"""
    return re.match(r"[A-Za-z_0-9]+: .", line) is not None


class Printer:
    def __init__(self):
        self.out, self.pending, self.indent, self.parameters, self.alike = "", [], 0, None, []

    def flush(self):
        if self.pending:
            self.out += wrapped(" ".join(self.pending), self.indent, self.indent) + "\n"
        self.pending = []

    def end_signature(self):
        """A signature is broken after commas only. Of those with the parameters of the first one, the name is noted."""
        if not self.pending:
            return
        text = " ".join(self.pending)
        name, parameters = (text.split("(", 1) + [""])[:2] if "(" in text else (text, "")
        first, self.pending = self.parameters is None, []
        if not first and parameters == self.parameters:
            self.alike.append(name.split(".")[-1])
            return
        if first:
            self.parameters = parameters or None
        whole = re.sub(r"(?<!,) ", "\0", text)
        self.out += bold(wrapped(whole, 4, 4).replace("\0", " ") + "\n")

    def end_signatures(self):
        self.end_signature()
        self.indent = 0
        if self.alike:
            self.pending = ["The same parameters: " + ", ".join(self.alike) + "."]
            self.flush()
        self.out += "\n"
        self.parameters, self.alike = None, []

    def line(self, at, example):
        """Prints a line of text. Returns whether an example goes on."""
        line = LINES[at]
        indented = line.startswith("    ")
        example = example and (indented or not line)
        if example or not line or (indented and " | " in line):
            self.flush()
            self.out += line + "\n"
        elif line in ("Example:", "Values:"):
            self.flush()
            self.out += values_head(at) if line == "Values:" else "Example:\n"
            example = True
        else:
            if is_item(line):
                self.flush()
                self.indent = 4
            self.pending.append(line.strip())
        return example

    def end(self):
        self.flush()
        return re.sub(r"\n+\Z", "\n", self.out)


def values_head(at):
    """The title of a block of values. It explains `x` if a value reads memory."""
    end = at + 1
    while end < len(LINES) and LINES[end].startswith("    "):
        end += 1
    memory = any("(x," in line or "(x +" in line for line in LINES[at + 1:end])
    return "Values (lists are tiles, and x points to 0.0, 10.0, 20.0, ..., 70.0):\n" if memory else "Values (lists are tiles):\n"


def entry(at):
    """The entry whose signatures begin at the line."""
    p, in_text, example = Printer(), False, False
    while at < len(LINES) and not (LINES[at].startswith(("# ", "| ")) or (in_text and is_head(LINES[at]))):
        if is_head(LINES[at]):
            p.end_signature()
            p.pending = [LINES[at][3:]]
        elif not in_text and LINES[at].startswith("    "):
            p.pending.append(LINES[at].strip())
        else:
            if not in_text:
                p.end_signatures()
            in_text, example = True, p.line(at, example)
        at += 1
    return p.end()


def row(at, intro):
    """A row: its signature, its meaning, and the introduction of its file. Values are those of the row's function."""
    p, example, name = Printer(), False, name_in(LINES[at])
    signature, meaning = LINES[at][2:].split(" | ", 1)
    p.pending = [signature]
    p.end_signatures()
    p.pending = [meaning]
    p.flush()
    p.out += "\n"
    while not is_entry(LINES[intro]):
        if LINES[intro] != "Values:":
            example = p.line(intro, example)
            intro += 1
            continue
        p.flush()
        end = intro + 1
        while LINES[end].startswith("    "):
            end += 1
        mine = [line for line in LINES[intro + 1:end] if line.strip().startswith(name + "(")]
        p.out += "".join(["Values (lists are tiles):\n"] * bool(mine) + [line[:4] + re.sub(" +", " ", line[4:]) + "\n" for line in mine])
        intro = end
    return p.end()


def in_versions():
    """By function, the versions of Triton that have it or a parameter, where these are not all."""
    told = {}
    for head, cells in table_rows(read("docs/triton-versions.md").split("\n")):
        if head[:2] == ["name", "Triton"] and cells is not head and (name := words_of(cells[0])[0]).startswith("tl."):
            parts = [f"{each} only in {found}" for each, found in [(name, cells[1])] * (cells[1] != ALL) + re.findall(r"([\w*]+) \(([\d.-]+)\)", cells[2])]
            if parts:
                told[name.removeprefix("tl.")] = f"{bold('Triton:')} {wrapped('; '.join(parts) + '.', len('Triton: '), 4)}\n"
    return told


def differences():
    """Patterns of functions, and how Triton's differ."""
    section = read("docs/triton-versions.md").split("\n## What differs\n")[1].split("\n## ")[0]
    return [(words_of(cells[0])[0].removeprefix("tl."), plain(cells[1])) for head, cells in table_rows(section.split("\n")) if cells[0].startswith("`tl.")]


def language():
    told, differ = in_versions(), differences()
    for kind, names, text in functions():
        plain_names = [name.removeprefix("tl.") for name in names]
        reasons = [] if "Triton:" in text else [why for pattern, why in differ if any(fnmatch.fnmatchcase(name, pattern) for name in plain_names)]
        text += "".join(f"{bold('Triton:')} {wrapped(why + '.', len('Triton: '), 4)}\n" for why in dict.fromkeys(reasons))
        yield kind, names, text + "".join(dict.fromkeys(told.get(name, "") for name in plain_names))


def functions():
    intro, heads, in_heads = 0, None, False
    for at, line in enumerate(LINES):
        if line.startswith("# "):
            intro = at + 1
        if is_head(line) and not in_heads:
            heads, names = at, []
        was_in, in_heads = in_heads, is_head(line) or (in_heads and line.startswith("    "))
        if is_head(line):
            names.append(name_in(line))
        if was_in and not in_heads:
            yield "L", names, entry(heads)
        if line.startswith("| "):
            yield "L", [name_in(line)], row(at, intro)


def operators():
    p, example, at = Printer(), False, LINES.index("# Operators") + 1
    while at < len(LINES) and not LINES[at].startswith("# "):
        example = p.line(at, example)
        at += 1
    return bold("Operators") + "\n\n" + p.end()


def element_types(types):
    return wrapped("Element types of tiles and pointers, as in x.to(tl.float32): " + " ".join("tl." + name for name in types), 0, 0) + "\n"


NAMES_END = """
'tilec help NAME' explains one. Types in signatures:
  Value            a tile, a run-time scalar or a number
  tensor           a tile or a run-time scalar
  Int, Bool, Str   known at compile time
  Shape            a tuple or list of integers
  DType            an element type, such as tl.float32
  Function         a jit function
  Any              one of several of these; the parameter's line says which
Examples are kernels, or statements in one: x, y and out point to fp32, p to i32, n is an i32,
BLOCK is 128, i is tl.arange(0, 128), v and w are loaded from x + i and y + i, and k from p + i.
In values a list is a tile: of i32, of fp32 if its numbers have a point, or of bools.
"""


def all_names():
    out, names = "", []
    for line in LINES + ["# "]:
        if line.startswith("# "):
            out += (wrapped(" ".join(names), 2, 2) + "\n") * bool(names)
            out += f"{chr(10) * bool(out)}{bold(line[2:] + ':')[:-1]}\x02\n  " * (line != "# ")
            names = []
        elif is_entry(line) and not is_private(name_in(line)):
            names.append(name_in(line))
    return out + NAMES_END


def parameters():
    """{name: [(where the entry's signatures begin, the description)]}"""
    found, heads, in_heads, at = {}, None, False, 0
    while at < len(LINES):
        line = LINES[at]
        if is_head(line) and not in_heads:
            heads = at
        in_heads = is_head(line) or (in_heads and line.startswith("    "))
        if line.startswith("# "):
            heads = None
        at += 1
        if heads is None or not is_item(line):
            continue
        name, text = line.split(": ", 1)
        while at < len(LINES) and LINES[at].startswith("    "):
            text += "\n" + LINES[at]
            at += 1
        found.setdefault(name, []).append((heads, text))
    return found


def parameter(name, described):
    """The functions with a parameter of that name. Those with one description are together."""
    out, by_text = f"{bold(name)} is a parameter of\n\n", {}
    for heads, text in described:
        by_text.setdefault(text, []).append(heads)
    for text, entries in by_text.items():
        names = []
        for at in entries:
            while is_head(LINES[at]) or LINES[at].startswith("    "):
                names += [name_in(LINES[at])] * (is_head(LINES[at]) and not is_private(name_in(LINES[at])))
                at += 1
        out += wrapped(", ".join(names) + ": " + " ".join(part.strip() for part in text.split("\n")), 4, 4) + "\n"
    return out


# --- pages of docs/: rows of their tables ---


def table_rows(lines):
    """(the head's cells, the cells) of each row of two or more cells"""
    head = None
    for line in lines:
        cells = [cell.strip() for cell in line[1:].split("|")[:-1]][:4] if line.startswith("| ") else []
        if line.startswith("|--"):
            continue
        if len(cells) < 2:
            head = None
        elif head is None:
            head = cells
            yield head, head
        else:
            yield head, cells


def words_of(cell):
    """The words between commas: what is code of them, or all."""
    found = [word.strip().lstrip("`").split("`")[0] for word in re.findall(r"(?:`[^`]*`?|[^,`])+", cell)]
    return found[:found.index("")] if "" in found else found


def plain(text):
    """Without the marks of code and of links."""
    return re.sub(r"\[((?:[^][`]|`[^`]*`)*)\]\([^)]*\)", r"\1", text).replace("`", "")


def pages_in(cell, folder):
    """"docs/serving.md has more. " for the pages that a cell links to."""
    found = list(dict.fromkeys(posixpath.normpath(f"{folder}/{link}") for link in re.findall(r"\]\(([^)#]+)", cell) if "://" not in link))
    names = ", ".join(found[:-1]) + " and " * (len(found) > 1) + found[-1] if found else ""
    return f"{names} {'has' if len(found) == 1 else 'have'} more. " if found else ""


def glossary():
    for head, cells in table_rows(read("docs/cost.md").split("\n")):
        if head[0] == "loss" and cells is not head:
            text = f"A loss that 'tilec explain' names: {cells[1]}. What helps: {cells[2]}. docs/cost.md has all losses."
            yield "G", words_of(cells[0]), f"{bold(cells[0])}\n\n{wrapped(plain(text), 0, 0)}\n"
    for _, cells in table_rows(read("docs/glossary.md").split("\n")):
        if cells[0] != "word":
            words = re.sub(r"^(<[^>]*>)+", "", cells[0])
            text = plain(cells[1]) + " " + pages_in(cells[2], "docs")
            yield "G", words_of(words), f"{bold(plain(words))}\n\n{wrapped(text, 0, 0)}\n"


def plain_words(word):
    """As help_words.c compares it: in lower case, without what is before and after a function's name. Also with all parts of the name."""
    for head in ("np.", "numpy.", "a.", "x.", "random.", "linalg.", "testing."):
        word = word.removeprefix(head)
    return [re.sub(r"[-_ ]+", " ", re.split(ends, word)[0].lstrip("-_ ")).strip().lower() for ends in (r"(?<=.)[(.<]", r"(?<=.)[(<]")]


def other_words():
    for kind, system, page in (("C", "CUDA", "docs/how-to/coming-from-cuda.md"), ("N", "NumPy", "docs/how-to/coming-from-numpy.md")):
        for head, cells in table_rows(read(page).split("\n")):
            if head[0] == system and cells is not head and len(head) == len(cells):
                texts = [(name, plain(cell)) for name, cell in zip(head, cells) if plain(cell)]
                yield kind, words_of(cells[0]), "".join(f"{bold(name + ':')} {wrapped(text, len(name) + 2, 4)}\n" for name, text in texts)


def numpy_hints():
    """The lines of messages: "add.at ADVICE". Of a row with as many names as pieces of code, each name has its own. Links
    to what differs are left out."""
    for head, cells in table_rows(read("docs/how-to/coming-from-numpy.md").split("\n")):
        if head[:2] != ["NumPy", "in a kernel"] or not cells[1].startswith("`"):
            continue
        names = [re.match(r"np\.([\w.]+)", word) for word in words_of(cells[0])]
        whole = plain(re.sub(r"[;:] \[[^]]*\]\([^)]*\)( differs(, as for `np.sum`)?)?", "", cells[1])).replace("`", "")
        each = words_of(re.match(r"`[^`]*`(, `[^`]*`)*", cells[1])[0])
        for at, name in enumerate(names):
            if name:
                yield f"{name[1]} {each[at] if len(each) == len(names) > 1 else whole}\n"


def architectures():
    found = re.findall(r'^X\((sm_\w+),.*?"([^"]*)"', read("target/target.def"), re.M)
    names = [name for name, _ in found]
    for name, card in found:
        text = "An architecture of GPUs, for --arch" + (f": for example of {card}. " if card else ". ")
        for suffix, where in (("a", "on this architecture"), ("f", "on its family")):
            text += f"{name}{suffix} has more instructions, and its code runs only {where}. " if name + suffix in names else ""
        yield "T", [name], f"{bold(name)}\n\n{wrapped(text + 'docs/targets.md has all architectures.', 0, 0)}\n"


def topics():
    for words, meaning in rows("tools/options/words.def"):
        words = words.split(" ")
        for first in range(len(words)):
            for end in range(first + 1, len(words) + 1):
                word = " ".join(words[first:end])
                yield "T", [word], f"{bold(word)}\n\n{wrapped(meaning, 0, 0)}\n"
    for _, cells in table_rows(read("docs/reference/environment.md").split("\n")):
        if len(cells) == 4 and cells[0].startswith("`"):
            text = f"An environment variable. Read by {plain(cells[1])}. Meaning: {plain(cells[2])}. "
            text += f"Default: {plain(cells[3])}. " if cells[3] else ""
            text += f"{pages_in(cells[2], 'docs/reference')}docs/reference/environment.md has all variables."
            yield "T", words_of(cells[0]), f"{bold(plain(cells[0]))}\n\n{wrapped(text, 0, 0)}\n"


def of_launchers():
    """Statuses of kernels that are compiled ahead of time."""
    for head, cells in table_rows(read("docs/ahead-of-time.md").split("\n")):
        if head[0] == "status" and cells is not head:
            text = f"A status of a launcher that is compiled ahead of time: {cells[1]}. docs/ahead-of-time.md has all statuses."
            yield "T", words_of(cells[0]), f"{bold(plain(cells[0]))}\n\n{wrapped(plain(text), 0, 0)}\n"


def of_compiler():
    """Passes and ops of tile IR, each by its name and what it does."""
    for line in re.findall(r"^(?:X|STEPS?)\(.*\)$", read("passes/passes.def"), re.M):
        name = re.match(r"(?:STEP\(\w+, |\w+\()(\w+)", line)[1]
        text = f"A pass of the compiler. {strings(line)[-1]} --print-after={name} shows its result; docs/passes.md has all passes."
        yield "I", [name], f"{bold(name)}\n\n{wrapped(text, 0, 0)}\n"
    for old, name in re.findall(r"^ALIAS\((\w+), (\w+)\)$", read("passes/passes.def"), re.M):
        yield "I", [old], f"{bold(old)}\n\n{wrapped(f'An earlier name of the pass {name}. docs/passes.md has all passes.', 0, 0)}\n"
    yield from tile_ir()


def sentence(text):
    text = plain(text).rstrip(".")
    return text[:1].upper() + text[1:] + "."


def tile_ir():
    """Ops of tile IR, their attributes and traits: the tables of docs/tir.md."""
    ops, attributes = [], {}
    for line in re.findall(r"^\| .*(?= \|$)", read("docs/tir.md").split("## Ops and attributes")[1], re.M):
        cells = [re.sub(r"<a id=[^>]*></a>", "", cell).strip() for cell in re.split(r"(?<= )\|(?= )", line[1:] + " ")]
        name = cells[0].strip("`")
        if len(cells) == 7 and name != "op":
            facts = "".join(f"  {title + ':':<13}{wrapped(cell or 'none', 15, 15)}\n" for title, cell in zip(("operands", "results", "types", "attributes", "traits"), cells[1:]))
            ops.append((name, f"{bold(name + ', an op of tile IR')}\n\n{wrapped(sentence(cells[6]), 0, 0)}\n{facts}docs/tir.md#op-{name} explains the columns.\n"))
            for each in cells[4].split(" "):
                attributes.setdefault(each.rstrip("?"), []).append(name)
        elif len(cells) == 3 and name != "attribute":
            text = f"{cells[1]}. {sentence(cells[2])} Ops: {', '.join(attributes.get(name, []))}. docs/tir.md#attr-{name} is its row."
            yield "I", [name], f"{bold(name + ', an attribute of ops of tile IR')}\n\n{wrapped('Kind: ' + text, 0, 0)}\n"
        elif len(cells) == 2 and cells[0][0] != "`" and name not in ("trait", "constraint"):
            names, meanings = name.split(", "), cells[1].split("; ")
            for at, each in enumerate(names):
                text = sentence(meanings[at] if len(meanings) == len(names) else cells[1])
                yield "I", [each], f"{bold(each + ', a trait of ops of tile IR')}\n\n{wrapped(text + ' docs/tir.md has all traits.', 0, 0)}\n"
    yield from (("I", [name], body) for name, body in ops)


# --- the Python API: docs/reference/python.md ---


def last_part(name):
    return name.rsplit(".", 1)[-1]


def unmarked(text):
    """Without marks of code, of links and escapes."""
    return plain(re.sub(r"\\([*|])", r"\1", text.replace("\n", " ")))


def row_text(head, cells, names):
    """"  NAMES: meaning. Values: V. Default: D."; without names the rest of a line."""
    title = f"  {plain(cells[0])}: " if names else "    "
    of = dict(zip(head, cells))
    text = of.get("meaning", "")
    for name in ("values", "default"):
        if of.get(name, "") not in ("", "`None`"):
            text += f"{' ' if text.endswith('.') else '. '}{name.capitalize()}: {of[name]}"
    return f"{title}{wrapped(unmarked(text), len(title), 4)}\n"


class Api:
    """The page's entries, "### NAME", "### class NAME" or "#### CLASS.METHOD", and its rows."""

    def __init__(self):
        self.lines, self.entries = read("docs/reference/python.md").split("\n"), []
        for at, line in enumerate(self.lines):
            title = re.match(r"####? (?:class )?(.+)", line)
            if title:
                end = next((i for i in range(at + 1, len(self.lines)) if self.lines[i].startswith("##")), len(self.lines))
                self.entries.append((title[1], self.lines[at + 1:end]))
        self.rows = [(title, head, cells) for title, body in self.entries for head, cells in table_rows(body) if cells is not head]
        self.titles = [title for title, _ in self.entries]

    def entry(self, title, body, example):
        out, blank, signature, in_table, head, at = "", False, True, False, None, 0
        while at < len(body):
            line = body[at]
            at += 1
            code, row, block = line.startswith("```"), line.startswith("| "), []
            if code:
                end = body.index("```", at)
                block, at = body[at:end], end + 1
            if not line or line.startswith("|--") or (code and not signature and not example):
                blank |= not line and not signature
                continue
            out, blank = out + "\n" * blank, False
            if code and signature:
                out, signature = out + bold("".join(each + "\n" for each in block)), False
            elif code:
                out += "Example:\n" + "".join(("    " + each if each else "") + "\n" for each in block)
            elif row:
                cells = next(table_rows([line]))[1]
                head = head if in_table else cells
                out += row_text(head, cells, True) if in_table else "Attributes:\n" * (head[0] == "attribute")
            else:
                while at < len(body) and body[at]:
                    line, at = line + "\n" + body[at], at + 1
                begin, text = re.match(r"(?:\*\*(Returns|Errors:)\*\* )?(.*)", line, re.S).groups()
                begin = begin + " " if begin else ""
                out += begin + wrapped(unmarked(text), len(begin), 0) + "\n"
            in_table = row
        of = last_part(title) if title.startswith("tilec.") else title
        methods = ", ".join(last_part(each) for each in self.titles if each.startswith(of + "."))
        return out + (f"\n{bold('Methods:')} {wrapped(methods, len('Methods: '), 4)}\n" if methods else "")

    def others(self, word):
        """Rows of tables at the page's end: names of Triton, settings, what a launch accepts and ignores."""
        for head, cells in table_rows(self.lines):
            named, name = head[0] == "name", (words_of(cells[0]) or [""])[0]
            ignored, of_knobs = named and len(head) == 3, name.startswith("triton.knobs.")
            if cells is head or not (named or head[0] == "setting") or (ignored and cells[1] != "a launch"):
                continue
            if word == name or (of_knobs and (word == name.removeprefix("triton.") or ("_" in word and word == last_part(name)))):
                text = f", an option of Triton's launches, is accepted and ignored: {cells[2]}." if ignored else f"{' is' if cells[1].startswith('[tilec.') else ':'} {cells[1]}."
                mark, text = text.split(" ", 1)
                yield f"{bold(name)}{mark} {wrapped(unmarked(text), len(name) + len(mark) + 1, 0)}\n"

    def within(self, word, options):
        """Rows of entries that name the word, or explain it as a key. `options`: of options and attributes only."""
        for title, head, cells in self.rows:
            kind, names, meaning = head[0], words_of(cells[0]), dict(zip(head, cells)).get("meaning", "")
            key = f"`{word}`:" in meaning or ("asm" in names and f'"{word}"' in meaning)
            if (options and kind not in ("option", "attribute")) or not (word in names or key):
                continue
            what = "an option of launches, kernel[grid](...), and of tilec.Config" if kind == "option" else f"{'an' if kind[0] == 'a' else 'a'} {kind} of {title}"
            yield f"{bold(plain(word if word in names else cells[0]))} is {what}:\n{row_text(head, cells, False)}"

    def answer(self, word):
        of_word = [(title, body) for title, body in self.entries if title == word]
        if not of_word and "." not in word:
            of_word = [(title, body) for title, body in self.entries if last_part(title) == word]
        elif not of_word and re.match(r"(triton|tilec)\.(?!language)", word):
            of_word = [(title, body) for title, body in self.entries if title[0] == "t" and last_part(title) == last_part(word)]
        parts = [*self.others(word), *(self.entry(*each, len(of_word) == 1) for each in of_word), *self.within(word, False)]
        if any(title.startswith("triton.") for title, _ in of_word):
            parts.append("This describes tilec's own module. With Triton installed, names of 'triton' are Triton's own.\n")
        return "\n".join(parts + ["docs/reference/python.md has the whole Python API.\n"]) if parts else ""

    def words(self):
        """All words that have an answer, apart from names in other modules."""
        names = [word for head, cells in table_rows(self.lines) if cells is not head for word in words_of(cells[0])]
        keys = [key for _, head, cells in self.rows for key in re.findall(r"`(\w+)`:|\"(\w+)\"", dict(zip(head, cells)).get("meaning", ""))]
        found = self.titles + [last_part(title) for title in self.titles] + names + [a or b for a, b in keys]
        for name in names:
            found += [name.removeprefix("triton."), last_part(name)] if name.startswith("triton.knobs.") else []
        return dict.fromkeys(word for word in found if word and " " not in word)


def python_api():
    api, by_text = Api(), {}
    for word in (known := api.words()):
        by_text.setdefault(("J", api.answer(word)), []).append(word)
        by_text.setdefault(("K", "\n".join(api.within(word, True))), []).append(word)
    for title, head, cells in api.rows:  # tilec.Config.pre_hook
        for name in words_of(cells[0]) if head[0] == "parameter" else []:
            text = f"{bold(name)} is a parameter of {title}:\n{row_text(head, cells, False)}\ndocs/reference/python.md has the whole Python API.\n"
            by_text.setdefault(("J", text), []).extend(dict.fromkeys((f"{title}.{name}", f"{last_part(title)}.{name}", f"triton.{last_part(title)}.{name}")))
    for name in dict.fromkeys(last_part(title) for title in api.titles if title[0] == "t"):
        others = [f"{module}.{part}{name}" for module in ("triton", "tilec") for part in ("", "*.")]
        by_text.setdefault(("J", api.answer(f"triton.*.{name}")), []).extend(word for word in others if word not in known)
    yield from ((kind, words, text) for (kind, text), words in by_text.items() if text)
    yield "B", ["kernel", "fn", "compiled", *dict.fromkeys(api.titles + [last_part(title) for title in api.titles])], ""
    yield "F", [], "".join(title + "\n" for title in api.titles)
    yield "U", [], "".join(word + "\n" for word in known if re.fullmatch(r"\w+", word))


def refused():
    """Names of Triton that are not taken, or are only there for its compiler. What follows a "(" is a parameter."""
    lines = read("docs/triton-versions.md").split("\n")
    for heading_line, what in (("## What tilec does not take", "is not taken"), ("## What belongs to the host", "is Triton's own, outside of kernels")):
        at = lines.index(heading_line) + 1
        end = next((i for i in range(at, len(lines)) if lines[i].startswith("## ")), len(lines))
        for head, cells in table_rows(lines[at:end]):
            pattern = (words_of(cells[0]) or [""])[0]
            if cells is not head and pattern and "(" not in pattern:
                shorter = [last_part(pattern)] if what == "is not taken" and len(last_part(pattern)) > 3 else []
                yield "X", [pattern, *shorter], unmarked(f"{what}: {cells[1]}. docs/triton-versions.md has all names of Triton.")


def comment_lines(text):
    """A comment of a header: prose, then its items, which are further in."""
    out, pending, indent = "", [], 0
    for line in [re.sub(r"^ ?\*? ?", "", line).rstrip() for line in text.split("\n")] + [""]:
        if line == "```":  # an example is indented
            continue
        item = re.match(r"  (?=\S)", line)
        if pending and (item or not line):
            out, pending = out + wrapped(" ".join(pending), indent, indent + (2 if indent else 0)) + "\n", []
        indent = indent if pending else 2 if item else 0
        pending += [line.strip()] * bool(line)
    return out


def header_text(path):
    """A header with comments of one form: /* text */, after a member or an enumerator and before anything else."""
    text = re.sub(r"^(?://.*\n)+", lambda lines: "/* " + re.sub(r"^// ?", " * ", lines[0], flags=re.M)[3:].rstrip() + " */\n", read(path), flags=re.M)
    text = re.sub(r"^(?:  //.*\n)+", lambda lines: "  /* " + re.sub(r"^  //", "", lines[0], flags=re.M).strip() + " */\n", text, flags=re.M)
    text = re.sub(r"^(  \S.*?)// (.*(?:\n {3,}//.*)*)", lambda c: c[1] + "/* " + re.sub(r"\n +//", "\n", c[2]) + " */", text, flags=re.M)
    return re.sub(r"^  (/\*(?:[^*]|\*(?!/))*\*/)\n  (\w.*;|\w+,)$", r"  \2 \1", text, flags=re.M)


def c_names():
    """Functions, types, enumerators and macros of the C headers. A comment is of the declarations up to the next one, or to an empty line."""
    for path, header in (("runtime/tilec.h", "tilec/tilec.h"), ("runtime/tune.h", "tilec/tune.h"), ("sim/sim.h", "tilec/sim.h")):
        text = header_text(path)
        last = f"\nFrom <{header}>. docs/reference/c-api has all names.\n"
        for macro, comment in re.findall(r"^#define (TILEC_\w+) .*/\* (.*) \*/$", text, re.M):
            yield [macro], f"{bold(macro)}\n\n{comment_lines(comment)}{last}"
        for comment, code in re.findall(r"^/\*\s((?:[^*]|\*(?!/))*?)\s*\*/\n(typedef \w+ \w+ {.*?\n} \w+;|(?:(?!\n\n|\n/\*).)*)", text, re.M | re.S):
            for declared in re.findall(r"^(?:TILEC_API|TILEC_SIM_API|static inline) ([^;{]*\b(tilec_\w+)\([^;{]*\))", code, re.M):
                whole = wrapped(re.sub(r"(?<!,) ", "\0", " ".join(declared[0].split())), 4, 4).replace("\0", " ")
                yield [declared[1]], f"{bold(whole)}\n\n{comment_lines(comment)}{last}"
            for macro in re.findall(r"^#define (TILEC_\w+)", code, re.M):
                yield [macro], f"{bold(macro)}\n\n{comment_lines(comment)}{last}"
            found = re.match(r"typedef (?:struct|enum|union)\b.*\b(tilec_\w+);$", code, re.S)
            if found:
                members = [(" ".join(name.split()), " ".join(text.split())) for name, text in re.findall(r"^  (\w[^/;{}]*?)[,;]? +/\*(.*?)\*/", code, re.M | re.S)]
                listed = "".join(two_columns(*member) for member in members)
                yield [found[1]], f"{bold(found[1])}\n\n{comment_lines(comment)}{chr(10) * bool(listed)}{listed}{last}"
                for name, text in members if code.startswith("typedef enum") else []:
                    yield [name.split(" ")[0]], f"{bold(name)}, of {found[1]}\n\n{wrapped(text, 0, 0)}\n{last}"


def cpp_names():
    """Classes of tilec.hpp and their members, by qualified names, and by plain ones such as from_image: from docs/reference/c++-api.md."""
    last = "\nFrom <tilec/tilec.hpp>. docs/reference/c++-api.md has the whole API.\n"
    for section in read("docs/reference/c++-api.md").split("\n### ")[1:]:
        lines = section.split("\n")
        of, intro, members = f"tilec::{lines[0]}", "", {}
        for paragraph in section.split("\n\n")[1:]:
            if paragraph[0] not in "`|#":
                intro += wrapped(unmarked(paragraph), 0, 0) + "\n"
        for head, cells in table_rows(lines):
            code, meaning = cells[0].strip("`").replace("\\|", "|"), unmarked(cells[1])
            if head is not cells:
                name = re.search(r"(~?\w+|operator\W+)(?=\()", re.sub(r"enable_if<.*>::type", "", code))[1]
                members.setdefault(name, []).append(f"  {bold(wrapped(code, 4, 4))}\n      {wrapped(meaning, 6, 6)}\n")
        yield [of], f"{bold(of)}\n\n{intro}{chr(10) * bool(members)}{''.join(part for parts in members.values() for part in parts)}{last}"
        for name, parts in members.items():
            if name != lines[0]:
                yield [f"{of}::{name}", f"{lines[0]}::{name}", *[name] * ("_" in name)], f"{bold(f'{of}::{name}')}\n\n{''.join(parts)}{last}"


def specs():
    for form, meaning in rows("tools/options/specs.def"):
        starts = [0] + [i + 1 for i, c in enumerate(form) if c == " "]
        words = [form[start:end] for start in starts for end in range(start + 1, len(form)) if form[end] in ":("]
        yield "S", words, f"  {form}\n      {wrapped(meaning, 6, 6)}\n"


# --- commands, options, codes ---


class Command:
    def __init__(self, line):
        self.name = re.match(r"X\((\w+)", line)[1]
        self.letter, self.arguments, self.summary = strings(line)


class Option:
    def __init__(self, line, group):
        self.group = group
        self.name, self.short, self.value, self.commands = strings(line)[:4]
        optional = self.value.startswith("[")
        left = ", ".join(filter(None, (self.short, self.name))) + ("" if not self.value else f"[={self.value[1:]}" if optional else f" {self.value}")
        self.row = two_columns(left, strings(line)[-1])


def table(name):
    return [line for line in read(name).split("\n") if re.match(r"(X|GROUP)\(", line)]


def two_columns(left, meaning):
    """A name, and its meaning from column 30 on."""
    head = "  " + left
    start = f"{head}\n" + " " * 30 if len(head) >= 30 else head.ljust(30)
    return start + wrapped(meaning, 30, 30) + "\n"


def heading(title):
    return bold(title + ":") + "\n"


def options():
    group = ""
    for line in table("tools/options/options.def"):
        if line.startswith("GROUP"):
            group = strings(line)[0]
        else:
            yield Option(line, group)


def examples(command):
    """Those of one command. None: one example of each."""
    out, last = heading("examples"), ""
    for line in table("tools/options/examples.def"):
        of, (words, meaning) = re.match(r"X\((\w+)", line)[1], strings(line)
        if of == command if command else of != last:
            out += f"  tilec {'' if of == 'compile' else of + ' '}{words}\n      {wrapped(meaning, 6, 6)}\n"
        last = of
    return out


def usage(command):
    out = f"  tilec {'[compile]' if command.name == 'compile' else command.name} {command.arguments}\n"
    ptx = f"  tilec {command.name} FILE.ptx --kernel NAME --threads T[,Y[,Z]] --grid X[,Y[,Z]] [options] SPEC...\n"
    return out + ptx * (command.letter == "R")


def all_specs():
    return heading("SPEC") + "".join(two_columns(form, meaning) for form, meaning in rows("tools/options/specs.def")) + "  " + wrapped(
        "The SPEC of a buffer may end in +BYTES: the argument then points that many bytes into it. A constexpr takes a literal. "
        "A FILE.ptx has no names: give SPECs in the order of its parameters.", 2, 2) + "\n"


def files(command):
    ptx = {"R": ".ptx, "}.get(command.letter, "") if command else ".ptx (run, check, bench), "
    return heading("FILE") + f"  .tile, .py (@triton.jit and @tilec.jit), {ptx}.tir, or - for standard input\n"



STATUS = heading("exit status") + "  0 done; 1 a diagnosed error or a failed check; 2 wrong usage; 70 a bug in tilec\n"


def limits():
    targets, spec = read("target/target.def"), read("target/target.h")
    most = {name: re.search(rf"{name} = (\w+)", spec)[1] for name in ("NUM_WARPS_MAX", "NUM_STAGES_MAX", "MAXNREG_MAX")}
    while not most["NUM_WARPS_MAX"].isdigit():
        most["NUM_WARPS_MAX"] = re.search(rf"{most['NUM_WARPS_MAX']} = (\w+)", spec)[1]
    fallback = re.search(r'target_fallback\(void\).*STR\("(\w+)"\)', read("target/target.c"))[1]
    names = " ".join(re.findall(r"^X\((\w+)", targets, re.M)) + f" ({fallback} without --arch and without a GPU)"
    numbers = "1 to {NUM_WARPS_MAX}, --num-stages 1 to {NUM_STAGES_MAX}, --maxnreg 1 to {MAXNREG_MAX}".format(**most)
    return heading("architectures and limits") + two_columns("--arch", names) + two_columns("--num-warps", numbers)


def overview(commands):
    parts = [heading("usage") + "".join(map(usage, commands)), heading("commands") + "".join(two_columns(c.name, c.summary) for c in commands)]
    parts += [files(None), all_specs(), examples(None), STATUS]
    return "\n".join(parts + [wrapped("'tilec help COMMAND' and 'tilec COMMAND --help' list a command's options. A word @FILE is "
                                      "replaced by the words in that file.", 0, 0) + "\n"])


def command(c):
    compiles, runs = c.name == "compile", c.letter in ("R", "E")
    head = f"tilec {c.name}: "
    parts = [head + wrapped(c.summary, len(head), 2) + "\n", heading("usage") + usage(c)] + [files(c)] * (compiles or runs) + [all_specs()] * runs
    groups = {}
    for option in options():
        if c.letter in option.commands:
            groups.setdefault(option.group, []).append(option.row)
    parts += [heading(group) + "".join(listed) for group, listed in groups.items()]
    return "\n".join(parts + [limits()] * (compiles or runs) + [examples(c.name), STATUS])


def changed_lines(case, written, instead):
    """The lines of a case that its fix changes, before and after it; or its command, if that differs."""
    path = next(path for path in (ROOT / f"tests/golden/mistakes/{case}{suffix}" for suffix in (".py", ".tile")) if path.exists())
    text = path.read_text(encoding="latin-1")
    commands = [re.search(r"^# (compile|run): ?(.*)$", each, re.M).groups() for each in (text, text.replace(written, instead))]
    if commands[0] != commands[1]:
        return [f"tilec {path.name} {words}" if kind == "compile" else f"tilec {words.replace(' ', f' {path.name} ', 1)}" for kind, words in commands]
    at = text.index(written)
    begin, end = text.rindex("\n", 0, at) + 1, text.index("\n", at + len(written.removesuffix("\n")))
    return [text[begin:end], (text[begin:at] + instead + text[at + len(written):end]).removesuffix("\n")]


def code(name, title, text, written, instead, cases):
    block = lambda title, lines: f"\n{heading(title)}" + "".join(f"  {line}\n" for line in (lines if "\t" in lines else textwrap.dedent(lines)).split("\n"))
    old, new = changed_lines(cases.split()[0], written, instead)
    return f"{bold(f'{name}: {title}')}\n\n{wrapped(text, 0, 0)}\n{block('written', old)}{block('instead', new) if new else chr(10) + 'Delete this line.' + chr(10)}"


def usages():
    commands = [Command(line) for line in table("tools/options/verbs.def")]
    yield "V", [], overview(commands)
    yield from (("V", [c.name], command(c)) for c in commands)
    for option in options():
        takers = ", ".join(c.name for c in commands if c.letter in option.commands)
        yield "Y", [name for name in (option.name, option.short) if name], option.row + wrapped(f"taken by: tilec {takers}", 0, 2) + "\n"
    codes = [(re.match(r"X\((\w+)", line)[1], *strings(line)) for line in table("tools/options/diagnostics.def")]
    yield "D", ["codes"], heading("codes of mistakes; tilec help CODE explains one") + "".join(two_columns(c[0], c[1]) for c in codes)
    yield from (("D", [c[0]], code(*c)) for c in codes)


def texts():
    types = re.findall(r'^X\(\w+, "\w+", "(\w+)"', read("target/elems.def"), re.M)
    yield from usages()
    yield from language()
    yield "O", OPERATORS, operators()
    yield "E", types, element_types(types)
    yield "A", [], all_names()
    for name, described in parameters().items():
        if len(name) > 1 and name not in ("Errors", "Triton"):
            yield "P", [name], parameter(name, described)
    words, others = list(glossary()), list(other_words())
    yield from words
    yield from specs()
    # NumPy's np.add is not np.add.at: all parts of a name count.
    yield from ((kind, list(dict.fromkeys(word for key in keys for word in plain_words(key)[kind == "N":])), body) for kind, keys, body in others)
    yield from topics()
    yield from of_launchers()
    compiler = list(of_compiler())
    yield from compiler
    yield from architectures()
    of_c = list(c_names())
    yield from (("T", words, body) for words, body in [*of_c, *cpp_names()])
    suggested = [word for _, keys, _ in words for word in keys]
    suggested += [word for _, keys, _ in others for word in keys if "*" not in word and " " not in word]
    suggested += [words[0] for words, _ in of_c if words[0].startswith("tilec_")]
    yield from python_api()
    yield from refused()
    suggested += [words[0] for _, words, _ in compiler]
    yield "W", [], "".join(word + "\n" for word in dict.fromkeys(suggested))


if __name__ == "__main__":
    text = "".join("\x1e" + kind + "\x1f".join(keys) + "\n" + body for kind, keys, body in texts())
    Path(sys.argv[1]).write_text(text, encoding="latin-1", newline="")
    Path(sys.argv[2]).write_text("".join(numpy_hints()), encoding="latin-1", newline="")
