// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The editor: a text area, with line numbers, colours, and marks of lines and of diagnostics.
"use strict";

play.Editor = class {
  // changed: called after each change of the text by the user. moved: called with the caret's line.
  constructor(root, changed, moved) {
    this.gutter = root.querySelector(".gutter");
    this.colours = root.querySelector(".colours");
    this.area = root.querySelector("textarea");
    this.diagnostics = []; // {severity, line, column, length}
    this.marked = new Set(); // lines
    this.leaves = false; // Escape was pressed: Tab leaves
    this.area.addEventListener("input", () => {
      this.diagnostics = [];
      this.draw();
      changed();
    });
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("keydown", event => this.key(event));
    const caret = () => moved(this.line());
    for (const name of ["keyup", "click"]) this.area.addEventListener(name, caret);
  }

  get text() { return this.area.value; }

  set text(text) {
    this.area.value = text;
    this.area.scrollTop = this.area.scrollLeft = 0;
    this.diagnostics = [];
    this.marked.clear();
    this.draw();
  }

  // The line of the caret, from 1.
  line() { return this.area.value.slice(0, this.area.selectionStart).split("\n").length; }

  key(event) {
    if (event.key === "Escape") this.leaves = true;
    if (event.key === "Tab" && !this.leaves && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      this.indent(event.shiftKey);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      const line = this.area.value.slice(0, this.area.selectionStart).split("\n").pop();
      event.preventDefault();
      this.insert("\n" + /^\s*/.exec(line)[0] + (/:\s*$/.test(line) ? "    " : ""));
    }
    if (event.key !== "Escape" && event.key !== "Shift") this.leaves = false;
  }

  // execCommand keeps the browser's undo.
  insert(text) {
    if (!document.execCommand("insertText", false, text)) this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
  }

  indent(back) {
    const area = this.area, start = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
    if (area.selectionStart === area.selectionEnd && !back) {
      this.insert(" ".repeat(4 - (area.selectionStart - start) % 4));
      return;
    }
    const end = area.selectionEnd, lines = area.value.slice(start, end).split("\n");
    const text = lines.map(line => back ? line.replace(/^ {1,4}/, "") : "    " + line).join("\n");
    area.setSelectionRange(start, end);
    this.insert(text);
    area.setSelectionRange(start, start + text.length);
  }

  show(diagnostics) {
    this.diagnostics = diagnostics.filter(d => d.line && (d.severity === "error" || d.severity === "warning"));
    this.draw();
  }

  mark(lines) {
    this.marked = new Set(lines);
    this.draw();
  }

  // Shows the line and puts the caret there.
  go(line, column) {
    const lines = this.area.value.split("\n"), before = lines.slice(0, line - 1).join("\n").length + (line > 1);
    this.area.focus();
    this.area.setSelectionRange(before + (column || 1) - 1, before + (column || 1) - 1);
    this.area.scrollTop = Math.max(0, (line - 6) * 20);
    this.follow();
  }

  follow() {
    this.colours.scrollTop = this.gutter.scrollTop = this.area.scrollTop;
    this.colours.scrollLeft = this.area.scrollLeft;
  }

  draw() {
    const lines = this.area.value.split("\n"), worst = new Map(), quote = { open: "" };
    for (const d of this.diagnostics) if (worst.get(d.line) !== "error") worst.set(d.line, d.severity);
    this.gutter.replaceChildren(...lines.map((_, i) => play.make("div", { class: worst.get(i + 1) || "" }, String(i + 1))));
    this.colours.replaceChildren(...lines.map((line, i) => {
      const row = play.make("span", { class: this.marked.has(i + 1) ? "marked" : "" });
      row.append(...this.pieces(line, this.diagnostics.filter(d => d.line === i + 1), quote), "\n");
      return row;
    }), "\n".repeat(3)); // room below, where the text area has a scroll bar
    this.follow();
  }

  // The line in coloured pieces, cut where diagnostics begin and end. Columns count bytes.
  pieces(line, diagnostics, quote) {
    const ranges = diagnostics.map(d => {
      const start = play.characters(line, d.column - 1);
      return { start, end: Math.max(start + 1, play.characters(line, d.column - 1 + (d.length || 1))), severity: d.severity };
    });
    const cuts = ranges.flatMap(r => [r.start, r.end]), made = [];
    let at = 0;
    for (const token of play.tokens(line, quote)) {
      const end = at + token.text.length, inside = [...new Set([at, ...cuts.filter(c => c > at && c < end), end])].sort((a, b) => a - b);
      for (let i = 0; i + 1 < inside.length; i++) {
        const over = ranges.filter(r => r.start <= inside[i] && inside[i] < r.end).map(r => r.severity);
        const severity = over.includes("error") ? "error" : over[0] || "";
        made.push(play.make("span", { class: `${token.kind} ${severity}`.trim() }, line.slice(inside[i], inside[i + 1])));
      }
      at = end;
    }
    return made;
  }
};

// The number of characters that take the first `bytes` bytes of a line.
play.characters = (line, bytes) => {
  let n = 0;
  for (const c of line) {
    if (bytes <= 0) break;
    const code = c.codePointAt(0);
    bytes -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    n += c.length;
  }
  return n;
};

const KEYWORDS = new Set(("and as assert break class continue def elif else for from if import in is lambda not or pass return while with " +
  "True False None").split(" "));
const TOKEN = /(#.*)|([rbf]?"""|[rbf]?''')|([rbf]?"(?:[^"\\]|\\.)*"?|[rbf]?'(?:[^'\\]|\\.)*'?)|(@[\w.]+)|((?:tl|triton(?:\.language)?)\.\w+)|(\b\d[\w.]*)|([A-Za-z_]\w*)|([\s\S])/gy;

// The tokens of a line. quote.open: the quotes of a text over several lines that is open, or "".
play.tokens = (line, quote) => {
  const tokens = [];
  let at = 0;
  if (quote.open) {
    const end = line.indexOf(quote.open);
    if (end < 0) return [{ kind: "string", text: line }];
    at = end + 3;
    tokens.push({ kind: "string", text: line.slice(0, at) });
    quote.open = "";
  }
  TOKEN.lastIndex = at;
  for (let m; TOKEN.lastIndex < line.length && (m = TOKEN.exec(line));) {
    const text = m[0];
    if (m[2]) {
      const quotes = text.slice(-3), end = line.indexOf(quotes, TOKEN.lastIndex);
      if (end < 0) quote.open = quotes;
      tokens.push({ kind: "string", text: line.slice(m.index, end < 0 ? line.length : end + 3) });
      TOKEN.lastIndex = end < 0 ? line.length : end + 3;
    } else tokens.push({ kind: m[1] ? "comment" : m[3] ? "string" : m[4] ? "keyword" : m[5] ? "name" : m[6] ? "number" :
      m[7] && KEYWORDS.has(text) ? "keyword" : "", text });
  }
  return tokens;
};
