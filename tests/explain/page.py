#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""page.py TILEC [--pictures FOLDER]: the page that `tilec explain --format=html` writes, as text and as a browser shows it.

Each page is one file of at most 2 MB that refers to no other file. It holds what explain --format=json says about the
same launch. If headless Chromium is installed, each part of the page is opened. No script may fail. Heat is shown where
the shares are. The difference of two passes' IR matches their texts. Each layout is drawn, and each event of the
schedule has its mark. --pictures only writes those of docs/pictures: it needs playwright (tests/site/requirements.txt)."""
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_BYTES = 2 << 20
DATA = r'<script type="application/json" id="data">(.*?)</script>'
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "chrome"]
ADD = ["examples/add.tile", "x=ones:fp32[99999]", "y=ones:fp32[99999]", "out=empty:fp32[99999]", "n=99999"]
MATMUL = ["bench/kernels/matmul.py", "--kernel", "matmul", "--arch", "sm_90a", "--num-warps", "8", "--num-stages", "3", "-D", "BLOCK_M=128", "-D",
          "BLOCK_N=256", "-D", "BLOCK_K=64", "-D", "GROUP_M=8", "-D", "ACC=fp32", "-D", 'PRECISION="ieee"', "--grid", "512", "M=4096", "N=4096",
          "K=4096", "a_ptr=randn:fp16[4096,4096]", "b_ptr=randn:fp16[4096,4096]", "c_ptr=empty:fp16[4096,4096]", "stride_am=4096", "stride_ak=1",
          "stride_bk=4096", "stride_bn=1"]
FEW = ["tests/explain/planted/kernels.py", "--kernel", "matmul", "--arch", "sm_90a", "--num-warps", "4", "--num-stages", "3", "--grid", "16",
       "a_ptr=randn:fp16[16,16384]", "b_ptr=randn:fp16[16384,1024]", "c_ptr=empty:fp16[16,1024]", "M=16", "N=1024", "K=16384", "BM=16", "BN=64", "BK=64",
       "GROUP=1"]
ATTENTION = ["examples/attention.tile", "--kernel", "attention", "--num-warps", "4", "--num-stages", "2", "-D", "D=64", "-D", "BLOCK_M=64", "-D", "BLOCK_N=64",
             "-D", "WHOLE=True", "-D", "CAUSAL=True", "q_ptr=randn:fp16[256,64]", "k_ptr=randn:fp16[256,64]",
             "v_ptr=randn:fp16[256,64]", "out_ptr=empty:fp16[256,64]", "N=256", "HEADS=1", "scale=0.2", "--sim"]
LAUNCHES = {"add": ADD, "product, cp.async": [*MATMUL, "--tma=off"], "product by roles": MATMUL, "product of few programs": FEW, "attention": ATTENTION}

passed = failed = 0


def expect(good, what):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED", what)


class Page(html.parser.HTMLParser):
    """The elements of what the browser made: (tag, attributes, text before the next tag)."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append([tag, dict(attributes), ""])

    def handle_data(self, data):
        if self.elements:
            self.elements[-1][2] += data

    def of(self, tag, **wanted):
        return [x for x in self.elements if x[0] == tag and all(x[1].get(k.rstrip("_")) == v for k, v in wanted.items())]


def explained(tilec, words, *more):
    return subprocess.run([tilec, "explain", *words, *more], cwd=ROOT, capture_output=True, text=True, check=False)


def data_of(text):
    return json.loads(re.search(DATA, text, re.S)[1])


def check_text(name, text, stated):
    data = data_of(text)
    expect(len(text.encode()) <= MOST_BYTES, f"{name}: {len(text)} bytes")
    own = re.sub(DATA, "", text, flags=re.S).replace('"http://www.w3.org/2000/svg"', "")
    outside = re.findall(r"https?:|src=|href=|url\(|@import", own)
    expect(not outside, f"{name}: the page names {outside}")
    expect(data["explain"] == stated, f"{name}: not what --format=json says")
    expect([x["text"] for x in data["sources"]] and all(open(os.path.join(ROOT, x["name"]), encoding="utf-8").read() == x["text"] for x in data["sources"]),
           f"{name}: the source")
    expect(data["passes"][0]["name"] == "elaborate" and "loc(" not in "".join(x["text"] for x in data["passes"]), f"{name}: the passes' IR")
    return data


def opened(browser, path, folder):
    """{part: the page's elements once its script is done}. One start of the browser has a frame for each part."""
    frames = "".join(f'<iframe src="file://{path}#{part}"></iframe>' for part in CHECKS)
    script = ("onload = () => document.body.replaceChildren(...Array.from(frames, frame => Object.assign(document.createElement('pre'),"
              " {textContent: frame.document.documentElement.outerHTML})))")
    with open(os.path.join(folder, "frames.html"), "w", encoding="utf-8") as file:
        file.write(f"<body>{frames}<script>{script}</script></body>")
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", f"--user-data-dir={folder}/profile",
                           "--dump-dom", f"file://{folder}/frames.html"], capture_output=True, text=True, check=False, timeout=1800)
    made = re.findall("<pre>(.*?)</pre>", done.stdout, re.S)
    return dict(zip(CHECKS, (Page(html.unescape(text)) for text in made)))


def check_lines(name, page, data):
    heat = [x for x in page.of("div") if (x[1].get("id") or "").startswith("line")]
    expect(len(heat) == sum(x["text"].rstrip("\n").count("\n") + 1 for x in data["sources"]), f"{name}: a row a line")
    shares, alive = {}, {(x["file"], x["line"]): x["alive"] for x in data["explain"]["lines"]}
    wanted = [alive.get((x["name"], i + 1), 0) for x in data["sources"] for i in range(x["text"].rstrip("\n").count("\n") + 1)]
    expect([int(x[2] or 0) for x in page.of("span", class_="alive")] == wanted and any(wanted), f"{name}: registers alive")
    for op in data["explain"]["ops"]:
        if "line" in op:
            shares[op["line"]] = shares.get(op["line"], 0) + op["share"]
    hot = {int(x[1]["id"][len("line"):]) for x in heat if "background" in x[1].get("style", "")}
    told = sum("simulated: " in x[2] for x in page.of("div", class_="ops"))
    expect((told > 0) == ("simulated" in data["explain"]), f"{name}: {told} lines with the simulator's counters")
    expect(hot == {line for line, share in shares.items() if share}, f"{name}: heat on lines {sorted(hot)}")
    expect({"share", "regs", "line"} <= {x[2] for x in page.of("span") + page.of("span", class_="share") + page.of("span", class_="number")}, f"{name}: heads")
    check_code(name, page, data)


def ir_lines(text):
    return [x for x in text.split("\n") if x and not re.match(r"#l\d+ = ", x)]


def check_simulated(tilec, name, words, simulated):
    """The page's simulator counts are those of a run, and each belongs to a line."""
    run = subprocess.run([tilec, "run", *(w for w in words if w != "--sim"), "--device", "sim", "--stats"], cwd=ROOT, capture_output=True, text=True, check=False)
    expect(run.returncode == 0 and json.loads(run.stderr.splitlines()[-1]) == simulated["total"], f"{name}: not the counters of a run")
    for counter, total in simulated["total"].items():
        expect(sum(line[counter] for line in simulated["lines"]) == total, f"{name}: {counter} of the lines")


def check_overview(name, page, data):
    """The answer, then a bar for each bound, then the other configurations; heads of columns."""
    told = data["explain"]
    seen = [x for x in page.elements if x[1].get("class") in ("answer", "bar", "bar most") or x[1].get("id") == "what-if"]
    expect(seen and seen[0][1].get("class") == "answer", f"{name}: the answer is not first")
    bars = [x for x in seen if x[1].get("class", "").startswith("bar")]
    expect(len(bars) == sum(x > 0 for x in told["time"]["bounds"].values()), f"{name}: {len(bars)} bars")
    expect(sum(x[1].get("class") == "bar most" for x in bars) == 1, f"{name}: the bottleneck's bar")
    rows = [x for x in page.of("td", class_="code")]
    expect(len(rows) in range(min(10, len(told["what_if"]) + 1), 12), f"{name}: {len(rows)} other configurations")
    heads = [x[2] for x in page.of("th") + page.of("th", class_="n")]
    expect(all(x in heads for x in ("configuration", "time", "limited by", "size", "pass")), f"{name}: heads {heads}")


def check_code(name, page, data):
    """Lines of tile IR know the source's line, and those of the costliest line are marked."""
    rows = [x for x in page.elements if x[0] == "div" and x[1].get("title", "").startswith("of line ")]
    last = [x for x in data["passes"][-1]["text"].split("\n") if re.search(r" @\d+$", x)]
    expect(len(rows) == len(last), f"{name}: {len(rows)} lines of tile IR with a line of the source, not {len(last)}")
    marked = {x[1].get("data-line") for x in page.elements if "of" in x[1].get("class", "").split()}
    hottest = max(data["explain"]["lines"], key=lambda x: x["share"])
    expect(hottest["share"] > 0, f"{name}: no line has a share")
    hottest = hottest["line"]
    expect(marked == {str(hottest)}, f"{name}: lines {marked} are marked, not {hottest}")
    expect([x[2] for x in page.of("button") if "aria-pressed" in x[1]] == ["Tile IR", *(x.upper() for x in ("ptx", "sass") if x in data)], f"{name}: the codes")
    for code in (data[x] for x in ("ptx", "sass") if x in data):
        lines = code["text"].rstrip("\n").split("\n")
        expect(len(lines) == len(code["lines"]) and hottest in code["lines"], f"{name}: {len(lines)} lines of code, {len(code['lines'])} numbers")
    words = {x[1]["class"] for x in page.elements if x[0] == "span" and x[1].get("class") in ("word", "nam", "num")}
    expect(words == {"word", "nam", "num"}, f"{name}: colours {words}")


def check_passes(name, page, data):
    cells = [x for x in page.elements if x[0] == "td"]
    gone, come = (sum(x[1].get("class") == kind for x in cells) for kind in ("del", "add"))
    chosen = [x for x in page.of("button") if x[1].get("aria-selected") == "true" and "data-pass" in x[1]]
    expect(len(chosen) == 1, f"{name}: a pass is chosen")
    number = int(chosen[0][1]["data-pass"])
    before, after = (ir_lines(data["passes"][i]["text"]) for i in (number - 1, number))
    expect(gone + come > 0 and len(before) - gone == len(after) - come, f"{name}: {gone} lines gone, {come} come, of {len(before)} and {len(after)}")
    shown = {"del": before, "add": after}
    expect(all(x[1]["title"] in shown[x[1]["class"]] for x in cells if x[1].get("class") in shown), f"{name}: lines that no text has")


def check_layouts(name, page, data):
    last = data["passes"][-1]["text"]
    names = dict(re.findall(r"^#l(\d+) = (layout<.*>)$", last, re.M))
    wanted = set()
    for kind, shape, element, number in re.findall(r"(tile|shared)<([\dx]+)x(\*?\w+), #l(\d+)>", last):
        if any(int(n) > 1 for n in shape.split("x")):
            wanted.add((kind, shape, element if kind == "shared" else "", names[number]))
    expect(len(page.of("canvas")) == len(wanted), f"{name}: {len(page.of('canvas'))} layouts drawn of {len(wanted)}")
    expect(all(re.fullmatch(r"line \d+", x[2]) for x in page.of("button", class_="link")), f"{name}: links to lines")


def check_schedule(name, page, data):
    marks = len(page.of("title")) - 1  # the document's own
    names = [x[2] for x in page.of("text") if x[1].get("x") == "4" and x[1].get("y") != "12"]
    expect(all(re.match(r"(dot operand [AB]|buffer) \d+|mbarrier at \d+", x) for x in names) and (names or not data["events"]), f"{name}: rows {names}")
    expect(len(page.of("div", class_="legend")) == (1 if data["events"] else 0), f"{name}: the legend")
    expect(marks == len(data["events"]), f"{name}: {marks} marks of {len(data['events'])} events")
    copies = sum(x["op"] in ("copy_async", "tma_copy") for x in data["events"])
    dots = sum(x["op"] == "dot" for x in data["events"])
    expect(bool(copies and dots) == name.startswith(("product", "attention")), f"{name}: {copies} copies, {dots} buffers of products")


CHECKS = {"overview": check_overview, "lines": check_lines, "passes": check_passes, "layouts": check_layouts, "schedule": check_schedule}


def check_launch(tilec, browser, name, words, folder):
    path = os.path.join(folder, name.replace(" ", "-") + ".html")
    made, stated = explained(tilec, words, "--format=html", "-o", path), explained(tilec, words, "--format=json")
    if made.returncode or stated.returncode:
        expect(False, f"{name}: {made.stderr} {stated.stderr}")
        return
    with open(path, encoding="utf-8") as file:
        data = check_text(name, file.read(), json.loads(stated.stdout))
    expect(("simulated" in data["explain"]) == ("--sim" in words), f"{name}: simulated")
    if "--sim" in words:
        check_simulated(tilec, name, words, data["explain"]["simulated"])
    pages = opened(browser, path, folder) if browser else {}
    expect(not browser or set(pages) == set(CHECKS), f"{name}: the browser shows {len(pages)} parts")
    for part, page in pages.items():
        root = page.of("html")[0][1] if page.of("html") else {}
        expect(root.get("data-ready") == "true" and "data-error" not in root, f"{name}, {part}: {root.get('data-error', 'the script did not end')}")
        CHECKS[part](f"{name}, {part}", page, data)


def draw(tilec, browser, folder):
    from playwright.sync_api import sync_playwright
    words = [x.replace("BLOCK_N=256", "BLOCK_N=128") for x in MATMUL]
    words[words.index("512")] = "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)"
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        path = os.path.join(made, "page.html")
        explained(tilec, words, "--format=html", "-o", path)
        for part in CHECKS:
            page = playwright.chromium.launch(executable_path=browser).new_page(viewport={"width": 1200, "height": 900 if part == "lines" else 760})
            page.goto(f"file://{path}#{part}")
            if part == "lines":
                page.evaluate("scrollTo(0, 500)")
            page.wait_for_timeout(500)
            page.screenshot(path=os.path.join(folder, f"explain-{part}.png"))


def main():
    tilec = os.path.abspath(sys.argv[1])
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        print("SKIPPED the page in a browser: there is no Chromium on this machine")
    if sys.argv[2:3] == ["--pictures"]:
        return draw(tilec, browser, sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        for name, words in LAUNCHES.items():
            check_launch(tilec, browser, name, words, folder)
    refused = explained(tilec, ADD, "--format=html")
    expect(refused.returncode == 2 and "-o FILE" in refused.stderr, "a page without -o is refused")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
