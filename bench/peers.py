# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch on the work of bench/run: appends microseconds to WORK/NAME, one measurement each."""
import sys

import torch

work = sys.argv[1]


def measure(name, run, repeats=20):
    for _ in range(3):
        run()
    times = []
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    with open(f"{work}/{name}", "a", encoding="ascii") as file:
        file.write(f"{sorted(times)[len(times) // 2]:.2f}\n")


n, m = 134217728, 100000000
x, y, out = (torch.rand(n, device="cuda") for _ in range(3))
measure("torch_add", lambda: torch.add(x, y, out=out))
big, copy = torch.rand(3 * n // 2, device="cuda"), torch.empty(3 * n // 2, device="cuda")
measure("copy_add", lambda: copy.copy_(big))
a = torch.rand(m, device="cuda") - 0.5
measure("torch_elu", lambda: torch.nn.functional.elu(a))
half = torch.empty(m, device="cuda")
measure("copy_elu", lambda: half.copy_(a))
