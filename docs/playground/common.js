// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the scripts of the page, as members of `play`.
"use strict";
const play = {};

play.at = id => document.getElementById(id);

// An element. Properties that begin with "on" are listeners; children are text or elements.
play.make = (tag, properties, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {}))
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined) node.setAttribute(name, value);
  node.append(...children.filter(child => child !== null));
  return node;
};

play.svg = (tag, properties, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
};

// The words of a command line, with the quotes of a shell. A backslash at a line's end joins lines.
play.words = text => {
  const words = [];
  let word = null, quote = "";
  for (const c of text.replace(/\\\n/g, " ")) {
    if (quote) {
      if (c === quote) quote = "";
      else word += c;
    } else if (c === "'" || c === '"') {
      quote = c;
      word = word === null ? "" : word;
    } else if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word === null ? "" : word) + c;
  }
  if (word !== null) words.push(word);
  return words;
};

play.plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
