// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view "Result": diagnostics, what the kernel printed, and its buffers.
"use strict";

// Notes of lines are links; a proposed command line has a button that takes its words.
const note = (text, diagnostic, view) => {
  const proposed = /^for instance: tilec run \S+ ([^]*)$/.exec(text);
  const item = play.make("li", {}, proposed ? "for instance: " : text);
  if (proposed)
    item.append(play.make("code", {}, proposed[1]), " ",
      play.make("button", { type: "button", class: "link", onclick: () => view.take(proposed[1]) }, "Use these words"));
  else if (diagnostic.line) item.append(" ", place(diagnostic, view));
  return item;
};

const place = (diagnostic, view) => play.make("button", { type: "button", class: "link",
  onclick: () => view.go(diagnostic.line, diagnostic.column) }, `line ${diagnostic.line}`);

const diagnosticBox = (d, view) => {
  const line = d.line ? view.line(d.line) : "";
  const head = play.make("p", {}, play.make("span", { class: "severity" }, d.severity));
  if (d.code) head.append(" ", play.make("a", { href: `../mistakes.html#${d.code.toLowerCase()}` }, d.code));
  if (d.line) head.append(", ", place(d, view));
  const box = play.make("div", { class: "diagnostic " + d.severity, "data-line": d.line }, head, play.make("p", {}, d.message));
  if (line.trim()) {
    const start = play.characters(line, d.column - 1), cut = line.length - line.trimStart().length;
    const width = Math.max(1, play.characters(line, d.column - 1 + (d.length || 1)) - start);
    box.append(play.make("pre", {}, `${line.trimStart()}\n${" ".repeat(Math.max(0, start - cut))}^${"~".repeat(width - 1)}`));
  }
  const notes = (d.notes || []).map(n => note(n.message, n, view)).concat((d.fixits || []).map(fix =>
    note(`fix: write ${JSON.stringify(fix.text)}`, fix, view)));
  if (notes.length) box.append(play.make("ul", {}, ...notes));
  return box;
};

const FEW = 16; // elements: their values are shown at once

// A picture of the values: a row of pixels for each row, or bars for one dimension.
const picture = buffer => {
  const values = buffer.values.map(text => text === "" ? NaN : Number(text));
  const columns = buffer.shape.length > 1 ? buffer.shape[buffer.shape.length - 1] : Math.min(values.length, 256);
  const rows = Math.min(Math.floor(values.length / columns), 256);
  if (buffer.elements <= FEW || columns < 2 || columns > 1024 || rows < 1 || buffer.min === undefined) return null;
  const canvas = play.make("canvas", { width: columns, height: rows, role: "img",
    "aria-label": `Values of ${buffer.name}, from ${buffer.min} (dark) to ${buffer.max} (light); gaps were not written` });
  const image = canvas.getContext("2d").createImageData(columns, rows), span = buffer.max - buffer.min || 1;
  for (let i = 0; i < columns * rows; i++) {
    const t = (values[i] - buffer.min) / span; // from dark blue through green to yellow
    image.data.set(Number.isNaN(t) ? [128, 128, 128, 90] : [68 + 187 * t * t, 10 + 220 * t, 90 + 60 * Math.sin(Math.PI * t) - 60 * t, 255], 4 * i);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  const scale = Math.max(1, Math.min(12, Math.floor(480 / columns), Math.floor(360 / rows)));
  canvas.style.width = `${columns * scale}px`;
  canvas.style.height = `${Math.max(12, rows * scale)}px`;
  return canvas;
};

// The values in lines that begin with the index of their first element.
const listing = buffer => {
  const row = buffer.shape.length > 1 ? buffer.shape[buffer.shape.length - 1] : 8, step = Math.min(row, 8), lines = [];
  const width = Math.max(1, ...buffer.values.slice(0, 1024).map(text => text.length));
  for (let i = 0; i < buffer.values.length && i < 1024;) {
    const n = Math.min(step, row - i % row, buffer.values.length - i), index = [];
    for (let d = buffer.shape.length - 1, left = i; d >= 0; left = Math.floor(left / buffer.shape[d--])) index.unshift(left % buffer.shape[d]);
    lines.push(`[${index.join(",")}]`.padStart(10) + " " + buffer.values.slice(i, i + n).map(text => (text || "-").padStart(width)).join(" "));
    i += n;
  }
  if (buffer.elements > 1024) lines.push(`... and ${buffer.elements - 1024} more`);
  return lines.join("\n");
};

const figures = buffer => play.make("figure", {}, play.make("figcaption", {}, play.make("code", {}, buffer.name),
  ` ${buffer.type}[${buffer.shape}]` + (buffer.unwritten ? `, ${buffer.unwritten} of ${buffer.elements} elements were never written` : "")),
  picture(buffer), play.make("details", buffer.elements <= FEW ? { open: "" } : {}, play.make("summary", {}, "Values"), play.make("pre", { class: "values", tabindex: "0" }, listing(buffer))));

const rounded = x => x === undefined ? "" : typeof x === "number" ? String(Number(x.toPrecision(6))) : x;

const bufferTable = buffers => {
  const head = ["buffer", "type", "shape", "", "min", "max", "mean", "NaN"];
  const numbers = [false, false, false, false, true, true, true, true];
  const cell = (tag, text, i) => play.make(tag, { class: numbers[i] ? "n" : "" }, text);
  return play.make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Buffers" }, play.make("table", {},
    play.make("thead", {}, play.make("tr", {}, ...head.map((text, i) => cell("th", text, i)))),
    play.make("tbody", {}, ...buffers.map(b => play.make("tr", {}, ...[b.name, b.type, `[${b.shape}]`,
      b.unwritten ? `${b.unwritten} unwritten` : b.changed ? "written" : "", rounded(b.min), rounded(b.max), rounded(b.mean), b.nans ? String(b.nans) : ""]
      .map((text, i) => cell("td", text, i)))))));
};

// view: {go(line, column), take(words), line(number): its text}
play.showResult = (panel, result, view) => {
  panel.replaceChildren();
  const shown = (result.diagnostics || []).filter(d => d.severity !== "remark");
  panel.append(...shown.map(d => diagnosticBox(d, view)));
  if (result.text && !shown.some(d => d.severity === "error") && (result.status !== "done"))
    panel.append(play.make("pre", { class: "box" }, result.text.replace(/^tilec: /gm, "")));
  if (result.printed) panel.append(play.make("h2", {}, "Printed"), play.make("pre", { class: "box", tabindex: "0" }, result.printed));
  if (!result.buffers) return;
  panel.append(play.make("h2", {}, result.status === "done" ? "Buffers after the run" : "Buffers, as far as the run came"), bufferTable(result.buffers));
  const outputs = result.buffers.filter(b => b.changed || b.unwritten !== undefined);
  if (outputs.length) panel.append(play.make("h2", {}, "Outputs"), ...outputs.map(figures));
};
