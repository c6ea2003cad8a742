"""Kernels of a training library: norms, gated units, losses."""
import triton
import triton.language as tl


# check: --grid 5 -D BLOCK_SIZE=512 -D casting_mode=0 Y_ptr=empty:bf16[5,400] Y_row_stride=400 X_ptr=randn:bf16[5,400] X_row_stride=400 W_ptr=randn:bf16[400] RSTD_ptr=empty:fp32[5] n_cols=400 eps=1e-6 offset=1.0
# check: --grid 5 --num-warps 8 -D BLOCK_SIZE=512 -D casting_mode=1 Y_ptr=empty:fp16[5,512] Y_row_stride=512 X_ptr=randn:fp16[5,512] X_row_stride=512 W_ptr=randn:fp16[512] RSTD_ptr=empty:fp32[5] n_cols=512 eps=1e-6 offset=0.0
@triton.jit
def rms_norm_forward(Y_ptr, Y_row_stride, X_ptr, X_row_stride, W_ptr, RSTD_ptr, n_cols, eps, offset,
                     casting_mode: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    Y_ptr += row * Y_row_stride
    X_ptr += row * X_row_stride
    x = tl.load(X_ptr + cols, mask=mask, other=0)
    dtype = x.dtype
    w = tl.load(W_ptr + cols, mask=mask, other=0)
    if casting_mode == 0:
        x = x.to(tl.float32)
    if casting_mode == 1:
        w = w.to(tl.float32)
        x = x.to(tl.float32)
    mean_square = tl.sum(x * x, axis=0) / n_cols
    rstd = tl.rsqrt(mean_square + eps)
    tl.store(RSTD_ptr + row, rstd)
    x = x * rstd
    if casting_mode == 0:
        x = x.to(dtype)
    y = x * (offset + w)
    if casting_mode == 1:
        y = y.to(dtype)
    tl.store(Y_ptr + cols, y, mask=mask)


# check: --grid 3 -D BLOCK_SIZE=256 dY_ptr=randn:fp32[12,200] dX_ptr=zeros:fp32[12,200] X_ptr=randn:fp32[12,200] W_ptr=randn:fp32[200] RSTD_ptr=ones:fp32[12] dW_ptr=empty:fp32[3,200] n_rows=11 n_cols=200 rows_per_program=4
@triton.jit
def rms_norm_backward(dY_ptr, dX_ptr, X_ptr, W_ptr, RSTD_ptr, dW_ptr, n_rows, n_cols, rows_per_program,
                      BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    start = pid * rows_per_program
    end = min((pid + 1) * rows_per_program, n_rows)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    dw = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    w = tl.load(W_ptr + cols, mask=mask, other=0.0)
    dY_ptr += start * n_cols
    dX_ptr += start * n_cols
    X_ptr += start * n_cols
    RSTD_ptr += start
    for _ in range(start, end):
        dy = tl.load(dY_ptr + cols, mask=mask, other=0.0)
        x = tl.load(X_ptr + cols, mask=mask, other=0.0)
        rstd = tl.load(RSTD_ptr)
        m = dy * w
        dx = rstd * m
        dx += rstd * (-(1 / n_cols) * rstd * rstd * tl.sum(m * x, axis=0) * x)
        dw += dy * (x * rstd)
        tl.store(dX_ptr + cols, dx, mask=mask)
        dY_ptr += n_cols
        dX_ptr += n_cols
        X_ptr += n_cols
        RSTD_ptr += 1
    tl.store(dW_ptr + pid * n_cols + cols, dw, mask=mask)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


# check: --grid 3 -D BLOCK_SIZE=1024 dc_ptr=randn:bf16[3,1000] a_ptr=randn:bf16[3,1000] b_ptr=randn:bf16[3,1000] stride=1000 n_cols=1000
@triton.jit
def swiglu_backward(dc_ptr, a_ptr, b_ptr, stride, n_cols, BLOCK_SIZE: tl.constexpr = 1024):
    pid = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    dc = tl.load(dc_ptr + pid * stride + cols, mask=mask, other=0)
    a = tl.load(a_ptr + pid * stride + cols, mask=mask, other=0).to(tl.float32)
    b = tl.load(b_ptr + pid * stride + cols, mask=mask, other=0)
    sig = tl.sigmoid(a)
    s = a * sig
    db = dc * s
    da = dc * (s * (1 - sig) + sig) * b
    tl.store(a_ptr + pid * stride + cols, da, mask=mask)
    tl.store(b_ptr + pid * stride + cols, db, mask=mask)


# check: --grid 2 -D BLOCK_SIZE=512 a=randn:fp16[2,500] b=randn:fp16[2,500] c=empty:fp16[2,500] stride=500 n_cols=500
@triton.jit
def geglu_forward(a, b, c, stride, n_cols, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    a += pid * stride
    b += pid * stride
    c += pid * stride
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    a_row = tl.load(a + cols, mask=mask, other=0).to(tl.float32)
    b_row = tl.load(b + cols, mask=mask, other=0)
    root: tl.constexpr = 0.7978845608028654
    t = root * (a_row + 0.044715 * a_row * a_row * a_row)
    gelu_a = 0.5 * a_row * (1 + tl.extra.cuda.libdevice.tanh(t))
    tl.store(c + cols, gelu_a.to(b_row.dtype) * b_row, mask=mask)


# check: --grid 6 -D pad_n_qh=4 -D pad_n_kh=2 -D pad_hd=32 q_ptr=randn:fp32[6,4,24] q_row_stride=96 k_ptr=randn:fp32[6,2,24] k_row_stride=48 cos=randn:fp32[3,24] cos_row_stride=24 sin=randn:fp32[3,24] sin_row_stride=24 sl=3 -D n_qh=4 -D n_kh=2 -D hd=24
@triton.jit
def rope(q_ptr, q_row_stride, k_ptr, k_row_stride, cos, cos_row_stride, sin, sin_row_stride, sl,
         n_qh: tl.constexpr, n_kh: tl.constexpr, hd: tl.constexpr, pad_n_qh: tl.constexpr, pad_n_kh: tl.constexpr,
         pad_hd: tl.constexpr, BACKWARD_PASS: tl.constexpr = False):
    pid = tl.program_id(0).to(tl.int64)
    q_ptr = q_ptr + pid * q_row_stride
    k_ptr = k_ptr + pid * k_row_stride
    at = pid % sl
    cos = cos + at * cos_row_stride
    sin = sin + at * sin_row_stride
    d = tl.arange(0, pad_hd // 2)
    cos_row = tl.load(cos + d, mask=d < hd // 2, other=0)
    sin_row = tl.load(sin + d, mask=d < hd // 2, other=0)
    q_offs = tl.arange(0, pad_n_qh)[:, None] * hd + d[None, :]
    k_offs = tl.arange(0, pad_n_kh)[:, None] * hd + d[None, :]
    q_mask = (tl.arange(0, pad_n_qh)[:, None] < n_qh) & (d[None, :] < hd // 2)
    k_mask = (tl.arange(0, pad_n_kh)[:, None] < n_kh) & (d[None, :] < hd // 2)
    q1 = tl.load(q_ptr + q_offs, mask=q_mask, other=0).to(sin_row.dtype)
    k1 = tl.load(k_ptr + k_offs, mask=k_mask, other=0).to(sin_row.dtype)
    q2 = tl.load(q_ptr + q_offs + (hd // 2), mask=q_mask, other=0).to(sin_row.dtype)
    k2 = tl.load(k_ptr + k_offs + (hd // 2), mask=k_mask, other=0).to(sin_row.dtype)
    tl.store(q_ptr + q_offs, q1 * cos_row - q2 * sin_row, mask=q_mask)
    tl.store(q_ptr + q_offs + (hd // 2), q2 * cos_row + q1 * sin_row, mask=q_mask)
    tl.store(k_ptr + k_offs, k1 * cos_row - k2 * sin_row, mask=k_mask)
    tl.store(k_ptr + k_offs + (hd // 2), k2 * cos_row + k1 * sin_row, mask=k_mask)


# check: --grid 4 -D BLOCK_SIZE=256 X_ptr=randn:fp32[4,1000] X_stride=1000 Y_ptr=arange:i64[4] loss_ptr=empty:fp32[4] n_cols=1000 n_non_ignore=4 ignore_index=2 label_smoothing=0.1 softcap=30.0
# check: --grid 4 --num-warps 16 -D BLOCK_SIZE=1024 X_ptr=randn:bf16[4,1000] X_stride=1000 Y_ptr=arange:i64[4] loss_ptr=empty:fp32[4] n_cols=1000 n_non_ignore=4 ignore_index=-100 label_smoothing=0.0 softcap=None
# check: --grid 1 --num-warps 32 -D BLOCK_SIZE=32768 X_ptr=randn:bf16[1,40000] X_stride=40000 Y_ptr=arange:i64[1] loss_ptr=empty:fp32[1] n_cols=40000 n_non_ignore=1 ignore_index=-100 label_smoothing=0.1 softcap=None
@triton.jit
def cross_entropy(X_ptr, X_stride, Y_ptr, loss_ptr, n_cols, n_non_ignore, ignore_index, label_smoothing, softcap,
                  BLOCK_SIZE: tl.constexpr):
    """The loss, and the gradient in the logits' place."""
    row = tl.program_id(0).to(tl.int64)
    y = tl.load(Y_ptr + row)
    X_ptr += row * X_stride
    if y == ignore_index:
        for i in range(0, n_cols, BLOCK_SIZE):
            offs = i + tl.arange(0, BLOCK_SIZE)
            tl.store(X_ptr + offs, 0.0, mask=offs < n_cols)
        tl.store(loss_ptr + row, 0.0)
        return
    m = float("-inf")
    d = 0.0
    ori = tl.load(X_ptr + y).to(tl.float32)
    if softcap is not None:
        ori = softcap * tl.extra.cuda.libdevice.tanh(ori / softcap)
    smooth = 0.0
    eps = label_smoothing / n_cols
    for i in range(0, n_cols, BLOCK_SIZE):
        offs = i + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X_ptr + offs, mask=offs < n_cols, other=float("-inf")).to(tl.float32)
        if softcap is not None:
            x = softcap * tl.extra.cuda.libdevice.tanh(x / softcap)
        block_max = tl.max(x)
        smooth += tl.sum(tl.where(offs < n_cols, -eps * x, 0.0))
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new))
        m = m_new
    lse = m + tl.log(d)
    tl.debug_barrier()
    for i in range(0, n_cols, BLOCK_SIZE):
        offs = i + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X_ptr + offs, mask=offs < n_cols, other=float("-inf")).to(tl.float32)
        inter = x
        if softcap is not None:
            inter = tl.extra.cuda.libdevice.tanh(x / softcap)
            x = softcap * inter
        g = tl.exp(x - m) / d - eps
        g = tl.where(offs != y, g, g - (1 - label_smoothing))
        g = g / n_non_ignore
        if softcap is not None:
            g = g * (1 - inter * inter)
        tl.store(X_ptr + offs, g, mask=offs < n_cols)
    loss = lse - ori
    loss = loss * (1 - label_smoothing) + smooth + label_smoothing * lse
    tl.store(loss_ptr + row, loss / n_non_ignore)


# check: --grid 3 -D BLOCK_SIZE=256 X_ptr=randn:fp32[3,500] Y_ptr=randn:fp32[3,500] loss_ptr=empty:fp32[3,500] dX_ptr=empty:fp32[3,500] beta=0.3 n_non_ignore=3 n_cols=500
@triton.jit
def jsd(X_ptr, Y_ptr, loss_ptr, dX_ptr, beta, n_non_ignore, n_cols, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    X_ptr += pid * n_cols
    Y_ptr += pid * n_cols
    loss_ptr += pid * n_cols
    dX_ptr += pid * n_cols
    for i in range(0, n_cols, BLOCK_SIZE):
        offs = i + tl.arange(0, BLOCK_SIZE)
        mask = offs < n_cols
        X = tl.load(X_ptr + offs, mask=mask, other=float("-inf")).to(tl.float32)
        Y = tl.load(Y_ptr + offs, mask=mask, other=float("-inf")).to(tl.float32)
        X_max = tl.max(X, axis=0)
        Y_max = tl.max(Y, axis=0)
        max_val = tl.maximum(X_max, Y_max)
        Q = tl.exp(X - max_val) * tl.exp(max_val)
        P = tl.exp(Y - max_val) * tl.exp(max_val)
        beta_P = beta * P
        one_minus = (1 - beta) * Q
        M = beta_P + one_minus
        log_M = tl.log(M)
        loss = beta_P * Y + one_minus * X - M * log_M
        dX = one_minus * (X - log_M)
        scale = 1.0 / n_non_ignore
        tl.store(loss_ptr + offs, loss * scale, mask=mask)
        tl.store(dX_ptr + offs, dX * scale, mask=mask)


# check: --grid 2 -D BLOCK_SIZE=128 -D log_target=False -D reduction=2 y_ptr=randn:fp32[2,300] gt_ptr=rand:fp32[2,300] loss_ptr=empty:fp32[2] n_cols=300 eps=1e-10
@triton.jit
def kldiv(y_ptr, gt_ptr, loss_ptr, n_cols, eps, BLOCK_SIZE: tl.constexpr, log_target: tl.constexpr,
          reduction: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    y_ptr += pid * n_cols
    gt_ptr += pid * n_cols
    base = tl.arange(0, BLOCK_SIZE)
    total = 0.0
    for i in range(0, n_cols, BLOCK_SIZE):
        offs = i + base
        mask = offs < n_cols
        y = tl.load(y_ptr + offs, mask=mask, other=0.0)
        t = tl.load(gt_ptr + offs, mask=mask, other=0.0)
        if not log_target:
            loss = t * (tl.log(tl.maximum(t, eps)) - y)
        else:
            loss = tl.exp(t) * (t - y)
        if reduction == 0:
            tl.store(loss_ptr + offs, loss, mask=mask)
        else:
            total += tl.sum(loss, axis=0)
    if reduction != 0:
        tl.store(loss_ptr + pid, total)


# check: --grid 3 -D BLOCK_SIZE=256 Y=empty:fp32[3,4,50] X=randn:fp32[3,4,50] W=randn:fp32[4] B=randn:fp32[4] Mean=empty:fp32[3] RSTD=empty:fp32[3] hidden_size=200 channels_per_group=4 hidden_per_channel=50 eps=1e-5
@triton.jit
def group_norm(Y, X, W, B, Mean, RSTD, hidden_size, channels_per_group, hidden_per_channel, eps,
               BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    X += pid * hidden_size
    Y += pid * hidden_size
    offs = tl.arange(0, BLOCK_SIZE)
    s = 0.0
    sq = 0.0
    for i in tl.range(0, hidden_size, BLOCK_SIZE):
        x = tl.load(X + i + offs, mask=i + offs < hidden_size, other=0.0)
        s += tl.sum(x)
        sq += tl.sum(x * x)
    m = s / hidden_size
    rstd = tl.rsqrt(sq / hidden_size - m * m + eps)
    for c in tl.range(0, channels_per_group):
        w = tl.load(W + c)
        b = tl.load(B + c)
        for i in range(0, hidden_per_channel, BLOCK_SIZE):
            at = i + offs
            mask = at < hidden_per_channel
            x = tl.load(X + c * hidden_per_channel + at, mask=mask, other=m)
            tl.store(Y + c * hidden_per_channel + at, (x - m) * rstd * w + b, mask=mask)
    tl.store(Mean + pid, m)
    tl.store(RSTD + pid, rstd)
