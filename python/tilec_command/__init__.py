# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `tilec` of the wheel. The executable next to this file uses the package's libtilec.so.0.

It is a separate package: `import tilec` takes 60 ms, which a command need not wait for."""

import os
import signal
import sys


def main() -> None:
    # Python ignores these signals, and a program inherits that: `tilec help run | head` would print an error.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    os.execv(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tilec"), ["tilec", *sys.argv[1:]])
