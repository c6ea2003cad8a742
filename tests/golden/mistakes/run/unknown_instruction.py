# Inline assembly with an instruction that the simulator does not have.
# run: run --device sim --grid 1 --num-warps 1 -D N=128 x=randn:fp32[128] out=empty:i32[128]
# mistake: vadd.s32.s32.s32.sat $0, $1, $1;
# instead: --device cuda, or add.sat.s32, which the simulator runs
import triton
import triton.language as tl


@triton.jit
def saturated(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i).to(tl.int32)
    y = tl.inline_asm_elementwise("vadd.s32.s32.s32.sat $0, $1, $1;", "=r,r", [v], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, y)
