#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""links.py SITE: checks the HTML of the built site. Links, anchors and pictures exist; nothing is loaded from other hosts.

Prints a line a mistake, then 'N pages, N links'. The exit status is 1 after a mistake, or if there are fewer than 50 pages."""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

LOADS = {("img", "src"), ("script", "src"), ("iframe", "src"), ("source", "src"), ("image", "href"), ("link", "href")}


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.targets = {""}, []  # targets: (line, URL, whether the page loads it)
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            if value and ((tag, name) in LOADS or (tag == "a" and name == "href")):
                self.targets.append((self.getpos()[0], value, tag != "a"))


def wrong(path, url, loaded, pages):
    """What is wrong with a URL on a page; None if nothing is."""
    parts = urlparse(url)
    if parts.scheme or parts.netloc:
        if loaded and parts.scheme != "data":
            return "loads from another host"
        return None if parts.scheme in ("https", "mailto", "data") else "is not a link for a reader"
    file, anchor = urldefrag(url)
    goal = (path.parent / unquote(file)).resolve() if file else path.resolve()
    goal = goal / "index.html" if goal.is_dir() else goal
    if not goal.exists():
        return "does not exist"
    return "has no such anchor" if goal in pages and unquote(anchor) not in pages[goal].anchors else None


def main():
    site = Path(sys.argv[1])
    # A 404 page is served for any path, so it cannot have relative links.
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    bad = links = 0
    for path, page in pages.items():
        for line, url, loaded in page.targets:
            links += 1
            why = wrong(path, url, loaded, pages)
            if why:
                bad += 1
                print(f"{path.relative_to(site.resolve())}:{line}: {url} {why}")
    print(f"{len(pages)} pages, {links} links")
    return bad > 0 or len(pages) < 50


sys.exit(main())
