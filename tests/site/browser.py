#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""browser.py SITE CHROMIUM [--screenshots FOLDER]: loads each page of the site in headless Chromium.

At 1400 pixels in light colours, and at 400 in dark ones, a page loads without console errors and failed requests, asks
no other host, shows its pictures, has the background of its colours, and is no wider than the window. On the start page
the dark mode toggles and stays, and search finds a word.
--screenshots also writes pictures of some pages. Prints a line a mistake, and closes with 'N passed, N failed'."""
import argparse
import functools
import http.server
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

SCREENS = ((1400, "light"), (400, "dark"))  # width, colour scheme
SHOWN = ("index", "tutorials/03-matmul", "language", "layouts", "matmul", "simulator", "cost", "adr/README",
         "source/passes/simplify/hoist.c")


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(site):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


class Checks:
    def __init__(self, base):
        self.base, self.passed, self.failed, self.seen = base, 0, 0, []

    def expect(self, name, wrong):
        self.passed, self.failed = self.passed + (not wrong), self.failed + bool(wrong)
        if wrong:
            print(f"FAILED {name}: {wrong}", flush=True)

    def watch(self, page):
        """Notes what goes wrong while the page loads."""
        page.on("console", lambda message: message.type == "error" and self.seen.append("console: " + message.text))
        page.on("pageerror", lambda error: self.seen.append(f"script: {error}"))
        page.on("requestfailed", lambda request: "ERR_ABORTED" in (request.failure or "") or  # by going to the next page
                self.seen.append(f"no answer: {request.url}"))
        page.on("response", lambda answer: answer.status >= 400 and self.seen.append(f"{answer.status}: {answer.url}"))
        page.on("request", lambda request: request.url.startswith((self.base, "data:", "blob:" + self.base)) or
                self.seen.append("another host: " + request.url))

    def load(self, page, name, width, scheme):
        self.seen.clear()
        page.goto(self.base + name + ".html", wait_until="load")
        self.expect(f"{name} at {width}", "; ".join(self.seen))
        wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        self.expect(f"{name} at {width}", wide[0] > wide[1] and f"it is {wide[0]} pixels wide")
        red, green, blue = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)")
        self.expect(f"{name} in {scheme} colours", (red + green + blue < 3 * 128) != (scheme == "dark") and f"its background is {red}, {green}, {blue}")
        broken = page.evaluate("[...document.images].filter(i => i.loading != 'lazy' && !i.naturalWidth).map(i => i.src)")
        self.expect(f"{name} at {width}", broken and f"pictures are not shown: {broken}")


def dark_mode(checks, page):
    page.goto(checks.base + "index.html")
    scheme = "document.body.dataset.mdColorScheme"
    colour = "getComputedStyle(document.body).backgroundColor"
    before, light = page.evaluate(scheme), page.evaluate(colour)
    page.locator("label[for^=__palette]:visible").first.click()
    after, dark = page.evaluate(scheme), page.evaluate(colour)
    checks.expect("dark mode", (before == after or light == dark) and f"it stays {after}, {dark}")
    page.goto(checks.base + "tour.html")
    checks.expect("dark mode on the next page", page.evaluate(scheme) != after and "it is forgotten")
    page.goto(checks.base + "index.html")
    page.locator("label[for^=__palette]:visible").first.click()
    checks.expect("back to light mode", page.evaluate(scheme) != before and "it stays dark")


def search(checks, page):
    page.goto(checks.base + "index.html")
    page.locator("input[name=query]").fill("swizzle")
    try:
        page.wait_for_selector(".md-search-result__item a[href*='layouts']", timeout=20000)
        checks.expect("search", "")
    except Exception as error:  # of playwright: no such result
        checks.expect("search", f"'swizzle' does not find the page of layouts: {error}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("site", type=Path)
    parser.add_argument("chromium")
    parser.add_argument("--screenshots", type=Path)
    options = parser.parse_args()
    names = [str(page.relative_to(options.site))[:-5] for page in sorted(options.site.rglob("*.html"))]
    names = [name for name in names if name != "404" and (not name.startswith("source/") or name in SHOWN)]
    checks = Checks(serve(options.site))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        for width, scheme in SCREENS:
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            checks.watch(page)
            for name in names:
                checks.load(page, name, width, scheme)
                if options.screenshots and name in SHOWN:
                    page.screenshot(path=options.screenshots / f"{name.replace('/', '-')}-{width}.png")
            page.close()
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        dark_mode(checks, page)
        search(checks, page)
        browser.close()
    checks.expect("pages", len(names) < 50 and f"there are only {len(names)}")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return checks.failed > 0


if __name__ == "__main__":
    sys.exit(main())
