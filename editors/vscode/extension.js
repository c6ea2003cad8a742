// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts `tilec lsp` for .tile files, and for .py files if tilec.python is on.
"use strict";
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function languages(configuration) {
  return configuration.get("python") ? ["tile", "python"] : ["tile"];
}

async function start() {
  const configuration = vscode.workspace.getConfiguration("tilec");
  const server = { command: configuration.get("path"), args: ["lsp"], transport: TransportKind.stdio };
  const selector = languages(configuration).flatMap((language) =>
    ["file", "untitled"].map((scheme) => ({ scheme, language })));
  client = new LanguageClient("tilec", "tilec", server, { documentSelector: selector });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`tilec: cannot start '${server.command} lsp': ${error.message}. ` +
      "Set tilec.path to the command tilec.");
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old && old.isRunning()) await old.stop();
}

async function restart() {
  await stop();
  await start();
}

// Shows what `tilec help CODE` says about the mistake at the cursor.
async function explainCode() {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const here = vscode.languages.getDiagnostics(editor.document.uri).find((diagnostic) =>
    diagnostic.source === "tilec" && diagnostic.range.contains(editor.selection.active));
  const help = here && here.data && here.data.help;
  if (!help) {
    vscode.window.showInformationMessage("There is no mistake of tilec at the cursor.");
    return;
  }
  const document = await vscode.workspace.openTextDocument({ content: help });
  await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("tilec.restart", restart),
    vscode.commands.registerCommand("tilec.explainCode", explainCode),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("tilec")) return restart();
    }));
  await start();
}

module.exports = { activate, deactivate: stop };
