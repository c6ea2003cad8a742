# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of `tilec lsp`: starts the server, sends messages, and keeps what it sends."""
import json
import os
import select
import subprocess
import time

SECONDS = 60  # of waiting for one message: a busy machine is slow


class Closed(Exception):
    """The server has closed its output."""


class Client:
    def __init__(self, tilec, encodings=("utf-16",), start=True, environment=None, limit=None):
        command = [tilec, "lsp", "--stdio"]
        if limit:
            command = ["bash", "-c", limit + '; exec "$@"', "limited", *command]
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env={**os.environ, **(environment or {})})
        self.bytes = b""
        self.last = 0
        self.notices = []  # notifications that nobody has taken
        self.logs = []  # texts of window/logMessage
        if start:
            self.capabilities = self.ask("initialize", {
                "processId": None, "rootUri": None,
                "capabilities": {"general": {"positionEncodings": list(encodings)},
                                 "textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}}})["result"]["capabilities"]
            self.tell("initialized", {})

    # --- messages ---

    def send_bytes(self, data):
        self.server.stdin.write(data)
        self.server.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def read(self):
        """The next message."""
        end = time.monotonic() + SECONDS
        while True:
            head, mark, rest = self.bytes.partition(b"\r\n\r\n")
            if mark:
                length = int(head.split(b":")[1])
                if len(rest) >= length:
                    self.bytes = rest[length:]
                    return json.loads(rest[:length].decode())
            if not select.select([self.server.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the server sends nothing")
            data = os.read(self.server.stdout.fileno(), 1 << 16)
            if not data:
                raise Closed()
            self.bytes += data

    def tell(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def keep(self, message):
        if message["method"] == "window/logMessage":
            self.logs.append(message["params"]["message"])
        self.notices.append(message)

    def ask(self, method, params):
        """The whole answer to a request."""
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.last:
                return message
            self.keep(message)

    def answer(self):
        """The next message that is not a notification."""
        while True:
            message = self.read()
            if "id" in message:
                return message
            self.keep(message)

    # --- documents ---

    def open(self, uri, text, language=None, version=1):
        language = language or ("python" if uri.endswith(".py") else "tile")
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": version, "text": text}})

    def change(self, uri, changes, version=2):
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})

    def diagnostics(self, uri, version=None):
        """The next diagnostics of the document, of that version."""
        while True:
            for i, notice in enumerate(self.notices):
                params = notice["params"]
                if notice["method"] == "textDocument/publishDiagnostics" and params["uri"] == uri:
                    del self.notices[i]
                    if version is None or params.get("version") == version:
                        return params["diagnostics"]
                    break
            else:
                self.keep(self.read())

    def at(self, method, uri, line, character):
        """The result of a request at a position, from 0."""
        message = self.ask("textDocument/" + method, {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
        return message["result"]

    # --- the end ---

    def close(self):
        """Shuts the server down, and returns its exit status."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.end()

    def end(self):
        self.server.stdin.close()
        status = self.server.wait(SECONDS)
        self.errors = self.server.stderr.read().decode(errors="replace")
        self.server.stdout.close()
        self.server.stderr.close()
        return status
