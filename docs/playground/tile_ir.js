// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view "Tile IR": the kernel after each pass, linked to its source by lines.
"use strict";

// A line of tile IR: its text without locations, and the source line it comes from (0: none).
play.irLine = text => {
  let line = 0;
  const shown = text.replace(/ loc\("(?:[^"\\]|\\.)*":(\d+)[^)]*\)/g, (_, number) => {
    line = Number(number);
    return "";
  });
  return { text: shown, line };
};

// Names of values differ from pass to pass, so lines are compared without them.
const bare = text => text.replace(/%[\w.]+/g, "%").replace(/#l\d+/g, "#l");

// The lines of `after` that `before` lacks, by counting equal lines.
const changedLines = (before, after) => {
  const left = new Map();
  for (const line of before) left.set(bare(line.text), (left.get(bare(line.text)) || 0) + 1);
  return after.map(line => {
    const n = left.get(bare(line.text)) || 0;
    left.set(bare(line.text), n - 1);
    return n <= 0;
  });
};

play.TileIr = class {
  // chosen: called with the source line of a line of tile IR
  constructor(panel, chosen) {
    this.panel = panel;
    this.chosen = chosen;
    this.passes = [];
    this.at = 0;
    this.line = 0;
  }

  show(result) {
    const name = this.passes.length ? this.passes[this.at].name : null;
    this.passes = result.passes || [];
    this.at = this.passes.findIndex(pass => pass.name === name); // the same pass as before the run, if it is there
    if (this.at < 0) this.at = this.passes.length - 1;
    this.draw();
  }

  forget() { this.passes = []; } // the next result shows its last pass

  // Marks what comes from a source line.
  mark(line) {
    this.line = line;
    for (const row of this.panel.querySelectorAll(".ir > div")) row.classList.toggle("marked", line > 0 && Number(row.dataset.line) === line);
  }

  choose(at) {
    this.at = at;
    this.draw();
    this.panel.querySelector("select").focus();
  }

  draw() {
    this.panel.replaceChildren();
    if (!this.passes.length) {
      this.panel.append(play.make("p", { class: "faint" }, "There is no tile IR: the kernel has errors, or nothing was run."));
      return;
    }
    const remarks = (this.remarks || []).filter(d => d.pass === this.passes[this.at].name);
    const select = play.make("select", { id: "pass", onchange: event => this.choose(event.target.selectedIndex) },
      ...this.passes.map((pass, i) => play.make("option", i === this.at ? { selected: "" } : {}, `${i}. ${pass.name}`)));
    const step = (name, by) => {
      const button = play.make("button", { type: "button", onclick: () => this.choose(this.at + by) }, name);
      button.disabled = !this.passes[this.at + by];
      return button;
    };
    const lines = text => text.trimEnd().split("\n").map(play.irLine);
    const now = lines(this.passes[this.at].text), changed = this.at ? changedLines(lines(this.passes[this.at - 1].text), now) : [];
    const text = play.make("div", { class: "ir", tabindex: "0", role: "group", "aria-label": "Tile IR" }, ...now.map((line, i) =>
      play.make("div", { class: changed[i] ? "changed" : "", "data-line": line.line, onclick: () => this.chosen(line.line) },
        play.make("span", { class: "at" }, line.line ? String(line.line) : ""), play.make("span", { class: "text" }, line.text))));
    this.panel.append(play.make("div", { class: "bar" }, play.make("label", {}, "After pass ", select), step("Previous", -1), step("Next", 1)),
      play.make("p", { class: "faint" }, (this.at ? `The pass changed ${play.plural(changed.filter(Boolean).length, "line")}. ` : "Before the first pass. ") +
        "Passes that change nothing are left out. The first column is the line of the source; click it to go there."),
      remarks.length ? play.make("details", { class: "faint" }, play.make("summary", {}, play.plural(remarks.length, "remark") + " of this pass"),
        play.make("ul", {}, ...remarks.map(d => play.make("li", {}, (d.line ? `line ${d.line}: ` : "") + d.message)))) : "", text);
    this.mark(this.line);
  }
};
