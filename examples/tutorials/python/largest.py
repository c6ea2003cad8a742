# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def largest_racy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    top = tl.load(out_ptr)
    tl.store(out_ptr, tl.maximum(top, tl.max(x, axis=0)))


@tilec.jit
def largest(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.atomic_max(out_ptr, tl.max(x, axis=0))


x = np.random.default_rng(0).integers(0, 1000, 1000, dtype=np.int32)
tilec.set_check(True)
for kernel in (largest_racy, largest):
    out = np.zeros(1, np.int32)
    try:
        kernel[(tilec.cdiv(1000, 256),)](x, out, 1000, BLOCK=256)
        print(f"{kernel.__name__}: no reports, {out[0]} of {x.max()}")
    except tilec.LaunchError as error:
        race = error.diagnostics[0]
        accesses = f"a {race.access} and a {race.other_access} of {race.buffer}"
        print(f"{kernel.__name__}: line {race.line}, {race.kind}: {accesses}")
