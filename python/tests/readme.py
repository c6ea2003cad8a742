# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the Python examples of Markdown files, as files of their own: what they print is what their comments say.

python readme.py FILE...
"""

import contextlib
import io
import re
import runpy
import sys
import tempfile
from pathlib import Path


def examples(text):
    return re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)


def run(name, code):
    wanted = re.findall(r"^ *print\(.*\)  # (.*)$", code, re.M)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "example.py"
        path.write_text(code)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            runpy.run_path(str(path), run_name="__main__")
    got = printed.getvalue().splitlines()
    if got != wanted:
        sys.exit(f"{name}: printed {got}, the comments say {wanted}")


def main(files):
    count = 0
    for file in files:
        for number, code in enumerate(examples(Path(file).read_text()), 1):
            if "import tilec" in code and "import torch" not in code:
                run(f"{file}, example {number}", code)
                count += 1
    print(f"{count} examples")
    if count == 0:
        sys.exit("there is no example")


main(sys.argv[1:])
