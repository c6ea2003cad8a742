# Inline assembly with an instruction that the simulator does not have.
# run: run --device sim --arch sm_100a --grid 1 --num-warps 1 -D N=128 x=randn:fp32[128] out=empty:i8[128]
# mistake: cvt.rs.satfinite.e4m3x4.f32 $0, {$1, $2, $3, $4}, 77;
# instead: --device cuda, or cvt.rn.satfinite.e4m3x2.f32, which the simulator runs
import triton
import triton.language as tl


@triton.jit
def stochastic(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    y = tl.inline_asm_elementwise("cvt.rs.satfinite.e4m3x4.f32 $0, {$1, $2, $3, $4}, 77;", "=r,f,f,f,f", [tl.load(x + i)],
                                  dtype=tl.int8, is_pure=True, pack=4)
    tl.store(out + i, y)
