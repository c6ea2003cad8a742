# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def dropout_groups(x_ptr, out_ptr, n, p, seed, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets // GROUP) >= p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


x = np.ones(1000, np.float32)
out = np.empty_like(x)
dropout_groups[(2,)](x, out, 1000, 0.25, 7, GROUP=4, BLOCK=512)
groups = out.reshape(250, 4)
np.testing.assert_array_equal(groups, np.repeat(groups[:, :1], 4, axis=1))
print(np.count_nonzero(groups[:, 0]), "of 250 groups were kept")
