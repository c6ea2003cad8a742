@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr = 64, BN: tl.constexpr = 64, BK: tl.constexpr = 64):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(da.load([0, k]), db.load([k, 0]), acc)
    tl.store(c + tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :], acc)
