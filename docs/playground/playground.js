// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page: chooses kernels, runs them in a worker, and shows the results.
"use strict";

// The worker has no other files: its text is engine.js's, then this function's. A worker that failed is not used again.
const workerBody = () => {
  let engine;
  const text = s => {
    const bytes = engine.lengthBytesUTF8(s) + 1, at = engine._malloc(bytes);
    if (!at) throw new Error("out of memory");
    engine.stringToUTF8(s, at, bytes);
    return at;
  };
  self.onmessage = async ({ data }) => {
    if (data.module) {
      engine = await createEngine({ instantiateWasm: (imports, done) => {
        WebAssembly.instantiate(data.module, imports).then(instance => done(instance));
        return {};
      }, print: () => {}, printErr: () => {} });
      self.postMessage({ ready: true });
      return;
    }
    try {
      const words = [data.name, data.source, data.words.join("\n")].map(text);
      const result = engine._playground_run(...words);
      const answer = engine.UTF8ToString(result);
      for (const at of [...words, result]) engine._free(at);
      self.postMessage({ answer });
    } catch (error) {
      self.postMessage({ crash: `${error.name}: ${error.message}` });
    }
  };
};

const SECONDS = 20; // The evaluator ends a launch after 10 by itself.
const state = { worker: null, ready: false, module: null, running: false, waits: false, timer: 0, began: 0, failed: null };

const status = (text, kind) => {
  play.at("status").textContent = text;
  play.at("status").className = kind || "";
};

const setState = name => document.body.dataset.state = name; // for tests, too

const startWorker = () => {
  const body = `"use strict";\n${self.tilecEngine.script}\n(${workerBody})();`;
  const url = URL.createObjectURL(new Blob([body], { type: "text/javascript" }));
  state.worker = new Worker(url);
  state.ready = false;
  state.worker.onmessage = ({ data }) => data.ready ? ready() : finish(data);
  state.worker.onerror = event => finish({ crash: event.message || "the worker did not start" });
  state.worker.postMessage({ module: state.module });
  URL.revokeObjectURL(url);
};

const ready = () => {
  state.ready = true;
  if (state.waits) run();
  else if (!state.running && document.body.dataset.state === "loading") status("Ready."), setState("ready");
};

const endWorker = () => {
  state.worker.terminate();
  startWorker();
};

const buttons = () => {
  play.at("run").disabled = state.running;
  play.at("stop").disabled = !state.running;
};

const run = () => {
  if (state.running && !state.waits) return;
  state.running = true;
  state.waits = !state.ready;
  setState("running");
  buttons();
  status(state.ready ? "Running ..." : "Loading the compiler ...");
  if (!state.ready) return;
  state.began = performance.now();
  clearTimeout(state.timer);
  state.timer = setTimeout(() => stop(`Stopped after ${SECONDS} seconds.`), SECONDS * 1000);
  state.worker.postMessage({ name: `kernel.${languageOf(editor.text)}`, source: editor.text, words: play.words(play.at("words").value) });
};

// Kernels of the tile language import nothing of Triton.
const languageOf = source => /^\s*(?:import triton|from triton|@triton|import tilec|from tilec|@tilec)/m.test(source) ? "py" : "tile";

const stop = text => {
  if (!state.running) return;
  endWorker();
  finish({ stopped: text });
};

// The messages of engines for the end of a stack or of memory.
const cause = text => /stack|recursion|out of bounds/i.test(text) ? "The compiler's stack is full: the kernel is nested too deeply." :
  /memory|allocat/i.test(text) ? "The compiler's memory is full: take smaller buffers." : "The compiler failed.";

const finish = data => {
  clearTimeout(state.timer);
  state.running = state.waits = false;
  buttons();
  const seconds = (performance.now() - state.began) / 1000;
  document.body.dataset.seconds = seconds.toFixed(3);
  let result = { status: "failed", text: "" };
  if (data.answer) result = JSON.parse(data.answer);
  else if (data.crash) result.text = `${cause(data.crash)} (${data.crash})`, endWorker();
  else result.text = data.stopped;
  if (data.answer && result.status === "failed") endWorker();
  show(result, seconds, data.stopped);
  setState("done");
};

const summary = (result, seconds, stopped) => {
  if (stopped) return [stopped, "warning"];
  if (result.status === "failed") return [`The run failed. ${result.text}`, "error"];
  const count = severity => result.diagnostics.filter(d => d.severity === severity).length;
  const errors = count("error"), warnings = count("warning"), counts = [];
  if (errors) counts.push(play.plural(errors, "error"));
  if (warnings) counts.push(play.plural(warnings, "warning"));
  const time = `${Math.round(seconds * 1000)} ms`;
  if (errors) return [counts.join(", ") + ".", "error"];
  if (result.status !== "done") return ["Not run.", "error"];
  const launch = `${result.kernel}, grid ${result.grid.join(", ")}`;
  return counts.length ? [`${launch}: ${counts.join(", ")} (${time}).`, "warning"] : [`${launch}: no races, all accesses in bounds (${time}).`, "done"];
};

const show = (result, seconds, stopped) => {
  const [text, kind] = summary(result, seconds, stopped);
  status(text, kind);
  editor.show((result.diagnostics || []));
  play.showResult(play.at("panel-result"), result, { go, take, line: number => editor.text.split("\n")[number - 1] || "" });
  tileIr.remarks = (result.diagnostics || []).filter(d => d.severity === "remark");
  tileIr.show(result);
  layouts.show(result);
};

// ---- the views ----

const tabs = [["result", "Result"], ["ir", "Tile IR"], ["layouts", "Layouts"]];

const showTab = (name, focus) => {
  for (const [id] of tabs) {
    const tab = play.at("tab-" + id), selected = id === name;
    tab.setAttribute("aria-selected", selected);
    tab.tabIndex = selected ? 0 : -1;
    if (selected && focus) tab.focus();
    play.at("panel-" + id).hidden = !selected;
  }
};

const makeTabs = () => {
  play.at("tabs").append(...tabs.map(([id, name], i) => play.make("button", { type: "button", role: "tab", id: "tab-" + id, "aria-controls": "panel-" + id,
    onclick: () => showTab(id), onkeydown: event => {
      const by = { ArrowRight: 1, ArrowLeft: tabs.length - 1 }[event.key];
      if (by) showTab(tabs[(i + by) % tabs.length][0], true);
    } }, name)));
  showTab("result");
};

const go = (line, column) => {
  if (!line) return;
  editor.mark([line]);
  editor.go(line, column);
  tileIr.mark(line);
};

const take = words => {
  play.at("words").value = words;
  run();
};

// ---- dark mode ----

const setTheme = theme => {
  document.documentElement.dataset.theme = theme;
  play.at("theme").textContent = theme === "dark" ? "Light mode" : "Dark mode";
};

const stored = (name, value) => { // A page from disk may have no storage.
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};

const theme = () => {
  const wanted = matchMedia("(prefers-color-scheme: dark)");
  const system = () => wanted.matches ? "dark" : "light";
  setTheme(stored("tilec-playground-theme") || system());
  wanted.addEventListener("change", () => stored("tilec-playground-theme") || setTheme(system()));
  play.at("theme").addEventListener("click", () => {
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    stored("tilec-playground-theme", document.documentElement.dataset.theme);
  });
};

// ---- the start ----

const editor = new play.Editor(play.at("editor"), () => tileIr.mark(0), line => tileIr.mark(line));
const tileIr = new play.TileIr(play.at("panel-ir"), line => go(line));
const layouts = new play.Layouts(play.at("panel-layouts"), line => go(line));

const choose = i => {
  editor.text = self.tilecKernels[i].source;
  play.at("words").value = self.tilecKernels[i].words;
  tileIr.forget();
  run();
};

const startEngine = async () => {
  const bytes = Uint8Array.from(atob(self.tilecEngine.wasm), c => c.charCodeAt(0));
  self.tilecEngine.wasm = "";
  state.module = await WebAssembly.compile(bytes);
  startWorker();
};

const start = () => {
  setState("loading");
  theme();
  makeTabs();
  const kernels = play.at("kernels");
  kernels.append(...self.tilecKernels.map(kernel => play.make("option", {}, kernel.title)));
  kernels.addEventListener("change", () => choose(kernels.selectedIndex));
  play.at("run").addEventListener("click", run);
  play.at("stop").addEventListener("click", () => stop("Stopped."));
  document.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.preventDefault(), run();
  });
  if (!self.tilecEngine) {
    editor.text = self.tilecKernels[0].source;
    play.at("words").value = self.tilecKernels[0].words;
    status("This copy of the site was built without emscripten, so the playground has no compiler.", "error");
    setState("missing");
    return;
  }
  choose(0);
  startEngine().catch(error => {
    status(`The compiler cannot be started: ${error.message}`, "error");
    setState("missing");
  });
};

start();
