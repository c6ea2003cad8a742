# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MkDocs hooks: the navigation, by patterns, and pages of the repository's files that the documentation links to.

A pattern takes the pages that no pattern before it has taken, so a page that does not exist is not an error. A page that
no pattern takes is a warning, which `./dev docs` turns into an error.

A link to a file outside docs/ leads to a copy of that file in the site: source/PATH.html. Markdown is rendered, a
folder is its README or a list of its files, and anything else is one code block. Copies are not searched.
"""
import fnmatch
import logging
import os
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

import playground

ROOT = Path(__file__).resolve().parents[2]
LOG = logging.getLogger("mkdocs.hooks.site")
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".tile": "python", ".json": "json", ".sh": "bash", ".cpp": "cpp"}
NAVIGATION = [
    ("Start", ["README.md", "playground.md"]),
    ("Tutorials", ["tutorials/README.md", "tutorials/*"]),
    ("How-to", [
        "how-to/README.md",
        ("Install and use", ["install.md", "editors.md", "python.md", "how-to/in-pytorch.md", "how-to/coming-from-triton.md",
                             "how-to/coming-from-cuda.md", "how-to/*"]),
        ("Deploy", ["tune.md", "cache.md", "serving.md", "ahead-of-time.md", "how-to/ahead-of-time-cpp.md", "how-to/ci-with-check.md"]),
        ("When something fails", ["how-to/troubleshooting.md", "how-to/check-a-cuda-kernel.md", "how-to/step-through-a-kernel.md"]),
        ("Contribute", ["../CONTRIBUTING.md", "adding.md", "which-test.md", "testing.md", "documentation.md"]),
    ]),
    ("Reference", [
        "reference/README.md",
        ("Launches", ["reference/kernel-arguments.md", "reference/kernel-options.md", "reference/environment.md", "reference/python.md"]),
        ("Language", ["language.md", "triton-versions.md", "reference/language/README.md", "reference/language/*"]),
        ("Command, targets, tile IR", ["command-line.md", "mistakes.md", "targets.md", "tir.md", "support.md", "glossary.md"]),
        ("C API", ["reference/c-api/README.md", "reference/c-api/*"]),
        ("Other interfaces", ["reference/*"]),
    ]),
    ("Explanation", [
        ("The compiler", ["tour.md", "passes.md", "layouts.md", "matmul.md"]),
        ("Finding and predicting", ["simulator.md", "checks.md", "cost.md", "measurements.md"]),
        ("Ladders", ["ladders/*"]),
        ("Decisions", ["adr/README.md", "adr/*"]),
        ("Limits", ["limits.md", "roadmap.md"]),
    ]),
]
LINK = re.compile(r"(\]\(\s*<?)([^)\s>]+)")  # [text](TARGET ...)
DEFINITION = re.compile(r"^( {0,3}\[[^\]]+\]:\s+)(\S+)", re.MULTILINE)
PARTS = re.compile(r"(^ *```.*?^ *```[^\n]*$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)  # code, where nothing is a link
copies = {}  # a path of the repository: its page in the site


def exact(patterns):
    """The patterns without a star, of a part and the parts in it."""
    for pattern in patterns:
        if isinstance(pattern, tuple):
            yield from exact(pattern[1])
        elif "*" not in pattern:
            yield pattern


def part(patterns, pages, named):
    """The pages of a part; they leave `pages`. A star takes no page that is named elsewhere."""
    taken = []
    for pattern in patterns:
        if isinstance(pattern, tuple):
            inside = part(pattern[1], pages, named)
            taken += [{pattern[0]: inside}] if inside else []
            continue
        if pattern.startswith("../"):
            taken.append(copy_of(pattern[3:]))
            continue
        for page in [page for page in pages if fnmatch.fnmatch(page, pattern) and (page == pattern or page not in named)]:
            pages.remove(page)
            taken.append(page)
    return taken


def copy_of(path):
    """The page of the copy of a repository's file or folder."""
    if (ROOT / path).is_dir() and (ROOT / path / "README.md").is_file():
        path = posixpath.join(path, "README.md")
    if path not in copies:
        folder = posixpath.join(path, "folder.md") if (ROOT / path).is_dir() else path
        copies[path] = "source/" + (folder if folder.endswith(".md") else folder + ".md")
    return copies[path]


def moved(target, origin, page):
    """A link's target in `origin`, a path of the repository, as a link of a page of the site."""
    path, hash_sign, anchor = target.partition("#")
    if not path or ":" in path.split("/")[0] or path.startswith("/"):
        return target
    path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
    if path.startswith("../") or not (ROOT / path).exists():
        return target  # MkDocs warns
    if path == "docs" or path.startswith("docs/"):
        goal = posixpath.relpath(path, "docs")
        if (ROOT / path).is_dir():
            goal = posixpath.join(goal, "README.md") if (ROOT / path / "README.md").is_file() else "README.md"
    else:
        goal = copy_of(path)
    return posixpath.relpath(goal, posixpath.dirname(page) or ".") + hash_sign + anchor


def rewritten(text, origin, page):
    """Markdown with its links moved."""
    change = lambda match: match[1] + moved(match[2], origin, page)  # noqa: E731
    # A link's text may hold code: a piece of code is only set aside.
    code = []
    text = PARTS.sub(lambda match: code.append(match[0]) or f"\0{len(code) - 1}\0", text)
    text = DEFINITION.sub(change, LINK.sub(change, text))
    return re.sub("\0(\\d+)\0", lambda match: code[int(match[1])], text)


def fenced(text, language):
    fence = "`" * max(4, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def source_page(path, page):
    """The Markdown of the copy of a file or folder."""
    file = ROOT / path
    head = "---\nsearch:\n  exclude: true\n---\n"
    if file.is_dir():
        names = sorted(name for name in os.listdir(file) if not name.startswith((".", "__")))
        names = [name + "/" * (file / name).is_dir() for name in names]
        rows = [f"- `{name}`" for name in names]
        return f"{head}# {path}/\n\n" + "\n".join(rows) + "\n"
    text = file.read_text(errors="replace")
    if path.endswith(".md"):
        return head + rewritten(text, path, page)
    return f"{head}# {path}\n\n{fenced(text, LANGUAGES.get(file.suffix, 'text'))}"


def on_files(files, config):
    copies.clear()
    pages = sorted(file.src_uri for file in files.documentation_pages())
    for page in pages:  # first which files are linked to, then what those link to, until there are no more
        rewritten((ROOT / "docs" / page).read_text(), "docs/" + page, page)
    left = list(pages)
    config.nav = part(NAVIGATION, left, set(exact(NAVIGATION)))
    for page in left:
        LOG.warning("docs/%s is in no part of the navigation: see NAVIGATION in scripts/site/hooks.py", page)
    done = set()
    while set(copies) - done:
        for path in sorted(set(copies) - done):
            done.add(path)
            files.append(File.generated(config, copies[path], content=source_page(path, copies[path])))
    css = (ROOT / "scripts/site/site.css").read_text()
    files.append(File.generated(config, "site.css", content=css))
    files.append(File.generated(config, "playground/kernels.js", content=playground.kernels()))
    files.append(File.generated(config, "playground/engine.js", content=playground.engine()))
    return files


def on_page_markdown(markdown, page, config, files):
    markdown = re.sub(r"\A(?:<!--.*?-->\s*)+", "", markdown, flags=re.DOTALL)  # a page that begins with its heading has its title
    # In code of a table's row MkDocs shows the backslash of \|, which GitHub needs.
    markdown = re.sub(r"^\|.*", lambda row: re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), row[0]), markdown, flags=re.MULTILINE)
    if page.file.src_uri.startswith("source/"):
        return markdown
    return rewritten(markdown, "docs/" + page.file.src_uri, page.file.src_uri)
