#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The manual page of tilec and its completions for shells, from the tables that the command reads.

  pages.py man|bash|zsh|fish     prints it"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STRING = r'"((?:[^"\\]|\\.)*)"'


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def plain(text):
    return re.sub(r"\\(.)", r"\1", text)


def rows(name):
    """The fields of each row of a table that are strings or words, in their order."""
    for line in re.findall(r"^X\((.*)\)$", read(name), re.M):
        yield [plain(text) if text or not word else word for text, word in re.findall(STRING + r"|(\b\w+)(?=,)", line)]


class Verb:
    def __init__(self, name, letter, arguments, summary):
        self.name, self.letter, self.arguments, self.summary = name, letter, arguments, summary
        choices = arguments.split(" ")[0].strip("[]")
        self.words = choices.replace("|", " ").replace("[", "").replace("]", "") if "|" in choices else ""


class Option:
    def __init__(self, line):
        head, rest = re.match(rf"X\(\w+, ((?:{STRING}, ){{4}})(.*)\)$", line).group(1, 3)
        self.name, self.short, self.value, self.commands = re.findall(STRING, head)
        self.effect, self.help = re.match(rf"(.*), {STRING}$", rest).groups()
        self.help = plain(self.help)
        self.takes_value = self.value[:1] not in ("", "[")
        self.choices = self.find_choices()

    def find_choices(self):
        if not self.value:
            return ""
        fixed = {"SM": lambda: re.findall(r"^X\((\w+)", read("target/target.def"), re.M),
                 "PASS": lambda: re.findall(r"^(?:X\(|STEP\(\w+, )(\w+)", read("passes/passes.def"), re.M) + [""],
                 "DEVICE": lambda: ["auto", "cuda", "sim", "eval"]}
        if self.value.split("[")[0] in fixed:
            return " ".join(fixed[self.value.split("[")[0]]())
        if (found := re.match(r"CHOICE\([\w.]+, (.*?)\)", self.effect)) and self.name:
            return " ".join(re.findall(STRING, found.group(1)))
        if found := re.match(r"NAMES\([\w.]+, (\w+)\)", self.effect):
            body = re.search(rf"{found.group(1)}\[\] = {{(.*?)}};", read("ir/spec.c"), re.S).group(1)
            table = re.search(r'#include "(.*)"', body)
            return " ".join(re.findall(r'^X\(\w+, "(\w+)"', read(table.group(1)), re.M) if table else re.findall(STRING, body))
        return ""

    def takes(self, verb):
        return verb.letter in self.commands


VERBS = [Verb(*fields) for fields in rows("tools/options/verbs.def")]
OPTIONS = [Option(line) for line in read("tools/options/options.def").splitlines() if line.startswith("X(")]


def summary(text):
    """The text up to a ';' or ':'. An unclosed parenthesis and shell syntax are left out."""
    text = re.split("[;:]", text)[0]
    if text.count("(") > text.count(")"):
        text = text[:text.rindex("(")]
    return re.sub(r"['\"\[\]\\`$]", "", text).rstrip(" ")


# --- the manual page ---


def man_text(text):
    escaped = "".join({"\\": "\\e", "-": "\\-", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti"}.get(c, c) for c in text)
    return "\\&" * text.startswith((".", "'")) + re.sub(r"\n(?=\.|\\\(aq)", r"\n\\&", escaped)


def tagged(bold, text):
    return f".TP\n.B {man_text(bold)}\n{man_text(text)}\n"


def value_name(name):
    """Letters in italics, other characters as typed."""
    return re.sub(r"[A-Za-z]+", lambda word: f"\\fI{word.group(0)}\\fR", man_piecewise(name))


def man_piecewise(name):
    """Each character by itself, as man_text escapes it; no letters are in the escapes of what value names have."""
    return "".join(man_text(c) for c in name)


def man_option(option):
    both = ", ".join(f"{man_text(name)}" for name in (option.short, option.name) if name).replace(", ", "\\fR, \\fB")
    equals = "[=" if option.value.startswith("[") else ("=" if option.name else " ") if option.value else ""
    choices = f" ({man_text(option.choices)})" if option.value == "SM" else ""
    return f".TP\n\\fB{both}\\fR{equals}{value_name(option.value.removeprefix('['))}\n{man_text(option.help)}{choices}\n"


def man_options():
    """Grouped by the commands that take them. Options of most commands come first."""
    out, sets = ".SH OPTIONS\n", list(dict.fromkeys(option.commands for option in OPTIONS))
    for commands in sorted(sets, key=len, reverse=True):
        names = [verb.name for verb in VERBS if verb.letter in commands]
        listed = "every command" if len(names) == len(VERBS) else ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]
        out += f".SS Of {listed}\n" + "".join(map(man_option, [option for option in OPTIONS if option.commands == commands]))
    return out


def man_examples():
    out = ".SH EXAMPLES\n"
    for command, words, meaning in rows("tools/options/examples.def"):
        out += tagged(words if command == "compile" else f"{command} {words}", meaning).replace(".B ", ".B tilec ", 1)
    return out


def man():
    version = ".".join(re.findall(r"#define TILEC_VERSION_\w+ (\d+)", read("runtime/tilec.h")))
    out = f'.TH TILEC 1 "" "tilec {version}" "User Commands"\n'
    out += ".SH NAME\ntilec \\- compiles Triton-like tile kernels to PTX, and runs and checks them\n.SH SYNOPSIS\n"
    out += ".br\n".join(f".B tilec {verb.name}\n{value_name(verb.arguments)}\n" for verb in VERBS)
    out += ".SH DESCRIPTION\n" + man_text(
        "tilec compiles kernels that are written as in Triton to PTX for NVIDIA GPUs. FILE is a .tile file, a "
        ".py file with functions under @triton.jit, tile IR (.tir), or - for standard input. Without a GPU, "
        "kernels run on its simulator, which runs the same PTX and checks every access.\n")
    out += ".SH COMMANDS\n" + "".join(tagged(verb.name, verb.summary) for verb in VERBS) + man_options()
    out += ".SH ARGUMENTS\n.PP\n" + man_text(
        "run, check and bench take a value for each parameter of the kernel, NAME=SPEC; SPEC is one of\n")
    out += "".join(tagged(form, meaning) for form, meaning in rows("tools/options/specs.def"))
    out += ".PP\n" + man_text("A buffer may end in +BYTES: the argument then points that many bytes into it.\n")
    out += ".SH EXIT STATUS\n" + tagged("0", "done") + tagged("1", "a diagnosed error, or a check that failed")
    out += tagged("2", "wrong usage") + tagged("70", "a bug in tilec; the message names a file that reproduces it")
    out += ".SH ENVIRONMENT\n" + tagged("TILEC_CACHE", "off: compiled kernels are not kept on disk")
    out += tagged("TILEC_CACHE_DIR", "the folder of compiled kernels (default: $XDG_CACHE_HOME/tilec, or ~/.cache/tilec)")
    out += tagged("TILEC_CACHE_SIZE", "largest size of that folder: bytes, or with K, M, G or T (1G); 0: no limit")
    out += tagged("TILEC_BUNDLE", "a bundle of compiled kernels, which tilec warm wrote")
    out += tagged("TILEC_JIT", "forbid: a compile is an error, which names the kernel")
    out += tagged("TILEC_LOCK", "a file of configurations that tilec tune --lock wrote")
    out += tagged("TILEC_RECORD", "a folder that gets every kernel that is compiled or used, for tilec warm")
    out += tagged("NO_COLOR", "if not empty, only --color=always colours messages")
    out += tagged("TMPDIR", "folder of temporary files, and of the file that reproduces a bug (/tmp)") + man_examples()
    return out + ".SH SEE ALSO\n" + man_text("The library: tilec/tilec.h, pkg-config tilec, find_package(tilec).\n")


# --- bash ---


BASH = """# bash completion of tilec; generated from its options
_tilec() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local option value words='' subs=''
  COMPREPLY=()
  # '=' breaks words: --emit = p
  if [ "$current" = = ]; then option=$before value=''
  elif [ "$before" = = ]; then option=${COMP_WORDS[COMP_CWORD-2]} value=$current
  else option=$before value=$current
  fi
  case $option in
@VALUES@  esac
  case ${COMP_WORDS[1]} in
@WORDS@  esac
  if [[ $current == -* ]]; then words=$words
  elif [ "$COMP_CWORD" -eq 1 ]; then words='@VERBS@'
  elif [ "$COMP_CWORD" -eq 2 ]; then words=$subs
  else words=''
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
  [[ $current != -* && -z $subs ]] || return
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -d -- "$current"))
  COMPREPLY+=($(compgen -f -X '!*.@(tile|py|tir|ptx)' -- "$current"))
}
shopt -s extglob 2>/dev/null
complete -F _tilec tilec
"""


def bash_words(verb):
    taken = [option.name + "=" * option.takes_value if option.name else option.short for option in OPTIONS if option.takes(verb)]
    pattern = verb.name + "|-*|*.*|*/*" * (verb.letter == "C")
    return f"  {pattern}) words='" + "".join(word + " " for word in taken) + f"' subs='{verb.words}' ;;\n"


def bash_values(option):
    if not option.takes_value or not (option.choices or option.value == "FILE"):
        return ""
    found = f"COMPREPLY=($(compgen -W '{option.choices}' -- \"$value\")); return ;;\n" if option.choices else \
        'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$value")); return ;;\n'
    return f"  {'|'.join(filter(None, (option.name, option.short)))}) {found}"


def bash():
    parts = {"VALUES": "".join(map(bash_values, OPTIONS)), "WORDS": "".join(map(bash_words, VERBS)), "VERBS": " ".join(verb.name for verb in VERBS)}
    return re.sub(r"@(VALUES|WORDS|VERBS)@", lambda name: parts[name.group(1)], BASH)


# --- zsh ---


def zsh_option(option, spelling):
    value = ("=" if spelling[1] == "-" else "+") if option.value else ""
    after = ":value:" + (f"({option.choices})" if option.choices else "_files" * (option.value == "FILE")) if option.takes_value else ""
    return f"    '*{spelling}{value}[{summary(option.help)}]{after}'\n"


def zsh():
    out = "#compdef tilec\n# zsh completion of tilec; generated from its options\n_tilec() {\n  local -a options verbs subs\n  verbs=(\n"
    out += "".join(f"    '{verb.name}:{summary(verb.summary)}'\n" for verb in VERBS)
    out += ("  )\n  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n    _describe command verbs\n"
            "    _files -g '*.(tile|py|tir)'\n    return\n  fi\n  case $words[2] in\n")
    for verb in VERBS:
        out += f"  {'*.*|*/*|-*|' * (verb.letter == 'C')}{verb.name}) subs=({verb.words}) options=(\n"
        out += "".join(zsh_option(option, name) for option in OPTIONS if option.takes(verb) for name in (option.name, option.short) if name)
        out += "    ) ;;\n"
    return out + ("  esac\n  if (( $#subs )); then _arguments -S $options \"*:what:($subs)\"\n"
                  "  else _arguments -S $options '*:file:_files'\n  fi\n}\n_tilec \"$@\"\n")


# --- fish ---


def fish_option(option):
    """If compile has the option, the commands without it are excluded: the word compile is optional."""
    compiles = "C" in option.commands
    names = [verb.name for verb in VERBS if option.takes(verb) != compiles]
    out = "complete -c tilec"
    if names:
        out += f" -n '{'not ' * compiles}__fish_seen_subcommand_from {' '.join(names)}'"
    out += f" -l {option.name[2:]}" * option.name.startswith("--")
    out += f" -{'o' if option.short[2:] else 's'} {option.short[1:]}" if option.short else ""
    out += (" -r -F" if not option.choices and option.value == "FILE" else " -x") * option.takes_value
    out += f" -a '{option.choices}'" * bool(option.takes_value and option.choices)
    return f"{out} -d '{summary(option.help)}'\n"


def fish():
    out = "# fish completion of tilec; generated from its options\n"
    for verb in VERBS:
        out += f"complete -c tilec -n __fish_use_subcommand -a {verb.name} -d '{summary(verb.summary)}'\n"
        out += f"complete -c tilec -n '__fish_seen_subcommand_from {verb.name}' -a '{verb.words}'\n"
    return out + "".join(map(fish_option, OPTIONS))


if __name__ == "__main__":
    kinds = {"man": man, "bash": bash, "zsh": zsh, "fish": fish}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    sys.stdout.write(kinds[sys.argv[1]]())
