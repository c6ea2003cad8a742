// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view "Layouts": which thread and register holds which element of a tile, drawn from the final tile IR.
"use strict";

const TINTS = ["#bcdff1", "#f9d9a8", "#c9e7c1", "#e6c8ea", "#f5c6c0", "#d5d6f5", "#ece8a9", "#c7e8e2"];
const ROWS = 32, COLUMNS = 32, WIDTH = 19, HEIGHT = 16;

// {name, text, bases: {reg, lane, warp or offset}, bits}
play.parseLayouts = text => [...text.matchAll(/^(#l\d+) = layout<(.*); (\d+)>$/gm)].map(m => {
  const bases = {};
  for (const part of m[2].matchAll(/(\w+) = \[([\d, ]*)\]/g)) bases[part[1]] = part[2].split(",").filter(s => s.trim()).map(Number);
  return { name: m[1], text: `layout<${m[2]}; ${m[3]}>`, bases, elements: Number(m[3]) };
});

// The tiles that use the layout: [{shape, values: [{name, line}], weight}]. Loads, dots and stores weigh most.
const users = (name, text) => {
  const found = new Map();
  for (const row of text.split("\n")) {
    const type = new RegExp(`= (\\w+) .*: (?:tile|shared)<([\\dx]+)x[^,<>]*, ${name}>`).exec(row), value = /^\s*%([\w.]+)/.exec(row);
    if (!type || !value) continue;
    const shape = type[2].split("x").map(Number), key = shape.join(" x ");
    const entry = found.get(key) || { shape, key, values: [], weight: 0 };
    entry.weight += { load: 50, dot: 60, shared_load: 20, shared_alloc: 20 }[type[1]] || 1;
    if (!/^\d+$/.test(value[1])) entry.values.push({ name: value[1], line: play.irLine(row).line });
    found.set(key, entry);
  }
  return [...found.values()].sort((a, b) => b.weight - a.weight);
};

// For each element: its first holder {reg, lane, warp} and the number of holders. Layouts are linear: a position is the
// XOR of the bases of the set bits.
play.holders = layout => {
  const { reg = [], lane = [], warp = [] } = layout.bases, held = Array.from({ length: layout.elements }, () => null);
  const place = (bases, number) => bases.reduce((sum, base, bit) => number >> bit & 1 ? sum ^ base : sum, 0);
  for (let w = 0; w < 1 << warp.length; w++)
    for (let l = 0; l < 1 << lane.length; l++)
      for (let r = 0; r < 1 << reg.length; r++) {
        const i = place(warp, w) ^ place(lane, l) ^ place(reg, r);
        if (held[i]) held[i].count++;
        else held[i] = { reg: r, lane: l, warp: w, count: 1 };
      }
  return held;
};

// For each element of a buffer in shared memory: its offset.
const offsets = layout => {
  const held = Array.from({ length: layout.elements }, () => null);
  for (let o = 0; o < layout.elements; o++) {
    const i = layout.bases.offset.reduce((sum, base, bit) => o >> bit & 1 ? sum ^ base : sum, 0);
    held[i] = held[i] || { offset: o, count: 1 };
  }
  return held;
};

const describe = (cell, index) => cell.offset !== undefined ? `element ${index}: offset ${cell.offset} in the buffer, in elements` :
  `element ${index}: warp ${cell.warp}, lane ${cell.lane}, register ${cell.reg}` + (cell.count > 1 ? `, and ${play.plural(cell.count - 1, "further holder")}` : "");

// The grid of one tile. `by`: what the colour shows. One dimension is drawn in rows of COLUMNS elements.
const drawing = (layout, shape, by, tell) => {
  const held = layout.bases.offset ? offsets(layout) : play.holders(layout);
  const flat = shape.length === 1, across = flat ? Math.min(COLUMNS, layout.elements) : layout.elements / shape.slice(0, -1).reduce((a, b) => a * b, 1);
  const down = layout.elements / across, columns = Math.min(COLUMNS, across), rows = Math.min(ROWS, down), left = 32, top = 16;
  const svg = play.svg("svg", { width: left + columns * WIDTH + 1, height: top + rows * HEIGHT + 1, role: "img",
    "aria-label": `Elements of the tile ${shape.join(" by ")}, coloured by ${by}` });
  for (let c = 0; c < columns; c += 4) svg.append(play.svg("text", { x: left + c * WIDTH + WIDTH / 2, y: 11, class: "axis" }, c));
  for (let r = 0; r < rows; r++) {
    svg.append(play.svg("text", { x: 14, y: top + r * HEIGHT + 12, class: "axis" }, flat ? r * across : r));
    for (let c = 0; c < columns; c++) {
      const i = r * across + c, cell = held[i];
      if (!cell) continue;
      const number = cell[by], index = flat ? `[${i}]` : `[${Math.floor(i / across)}, ${i % across}]`;
      const box = play.svg("rect", { x: left + c * WIDTH, y: top + r * HEIGHT, width: WIDTH, height: HEIGHT, fill: TINTS[number % TINTS.length], stroke: "#8895a2", "stroke-width": .5 });
      box.addEventListener("mouseenter", () => tell(describe(cell, index)));
      svg.append(box, play.svg("text", { x: left + c * WIDTH + WIDTH / 2, y: top + r * HEIGHT + 12 }, number));
    }
  }
  const whole = rows === down && columns === across;
  return { svg, note: whole ? "" : `The first ${rows} x ${columns} of ${down} x ${across} elements.` };
};

const card = (layout, user, by, go) => {
  const shared = Boolean(layout.bases.offset), what = shared ? "offset" : by;
  const told = play.make("output", { class: "faint" }, "Point at an element to see all of its place.");
  const { svg, note } = drawing(layout, user.shape, what, text => told.textContent = text);
  const values = user.values.slice(0, 8).flatMap((value, i) => [i ? ", " : "", value.line ?
    play.make("button", { type: "button", class: "link", onclick: () => go(value.line) }, `${value.name} (line ${value.line})`) : value.name]);
  return play.make("div", { class: "layout" }, play.make("h3", {}, `${layout.name}: ${shared ? "shared memory" : "tile"} ${user.key}`),
    play.make("p", { class: "faint" }, ...(values.length ? ["Values: ", ...values, user.values.length > 8 ? " ..." : ""] : ["Values without a name."])),
    play.make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Drawing of ${layout.name}` }, svg), told,
    play.make("p", { class: "faint" }, `Each number is the ${{ lane: "lane (thread of the warp)", warp: "warp", reg: "register of the thread", offset: "offset in shared memory" }[what]}. ${note}`),
    play.make("code", { class: "faint" }, layout.text));
};

play.Layouts = class {
  constructor(panel, go) {
    this.panel = panel;
    this.go = go;
    this.by = "lane";
    this.text = "";
  }

  show(result) {
    const passes = result.passes || [];
    this.text = passes.length ? passes[passes.length - 1].text : "";
    this.draw();
  }

  draw() {
    const cards = play.parseLayouts(this.text).flatMap(layout => users(layout.name, this.text).slice(0, 1).map(user => ({ layout, user })));
    cards.sort((a, b) => b.user.weight - a.user.weight);
    this.panel.replaceChildren();
    if (!cards.length) {
      this.panel.append(play.make("p", { class: "faint" }, "There are no layouts: the kernel has errors, no tiles, or nothing was run."));
      return;
    }
    const names = { lane: "lanes", warp: "warps", reg: "registers" };
    const select = play.make("select", { onchange: event => { this.by = event.target.value; this.draw(); this.panel.querySelector("select").focus(); } },
      ...Object.entries(names).map(([value, name]) => play.make("option", value === this.by ? { value, selected: "" } : { value }, name)));
    this.panel.append(play.make("div", { class: "bar" }, play.make("label", {}, "Show ", select)),
      play.make("p", { class: "faint" }, "A layout says which thread and register holds which element. The most used come first."),
      ...cards.map(({ layout, user }) => card(layout, user, this.by, this.go)));
  }
};
