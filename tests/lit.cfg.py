# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The suite for LLVM's lit. scripts/test calls lit with what it is to run; runner.py has the tests.
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import runner

config.name = runner.SUITE
config.test_source_root = runner.GROUPS
config.test_exec_root = os.path.join(runner.STATE, "all" if "all" in lit_config.params else "commit")  # where lit keeps times
os.makedirs(config.test_exec_root, exist_ok=True)
config.test_format = runner.Group(lit_config.params)
