# run: run --device sim --grid 1 -D N=32 c=zeros:u32[32] out=zeros:u32[1]
# mistake: `tl.inline_asm_elementwise` with effects on a tile that several threads hold, whose result other threads need
# instead: `tl.atomic_add`, which is done once for each element
import triton
import triton.language as tl


@triton.jit
def kernel(c, out, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.inline_asm_elementwise("atom.global.add.u32 $0, [$1], 1;", "=r,l", [c + i], dtype=tl.uint32,
                                    is_pure=False, pack=1)
    tl.store(out, tl.sum(old))
