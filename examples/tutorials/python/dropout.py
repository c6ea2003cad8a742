# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def dropout(x_ptr, out_ptr, n, p, seed, REPEATED: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    counter = tl.arange(0, BLOCK) if REPEATED else offsets
    keep = tl.rand(seed, counter) >= p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


def launch(x, p, seed, repeated=False, block=512):
    out = np.empty_like(x)
    dropout[(tilec.cdiv(x.size, block),)](x, out, x.size, p, seed, repeated, BLOCK=block)
    return out


x = np.random.default_rng(0).standard_normal(1000, dtype=np.float32)
kept = launch(np.ones_like(x), 0.25, seed=7) > 0
np.testing.assert_allclose(launch(x, 0.25, seed=7), np.where(kept, x / 0.75, 0), rtol=1e-6)
np.testing.assert_array_equal(launch(x, 0.25, seed=7, block=128), launch(x, 0.25, seed=7))
print(kept.sum(), "of", kept.size, "elements were kept")

for repeated in [False, True]:
    kept = launch(np.ones_like(x), 0.25, seed=7, repeated=repeated) > 0
    same = (kept[512:] == kept[:488]).sum()
    print(f"REPEATED={repeated}: {same} of 488 choices are those of the first program")
