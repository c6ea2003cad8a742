# A kernel that is not in the file: its kernels are listed, the nearest first. CUDA C++ is compiled by nvcc.
cat >three.py <<'END'
import triton
import triton.language as tl

@triton.jit
def lost(x):
    tl.store(x, 1)

@triton.jit
def histogram(x):
    tl.store(x, 1)

@triton.jit
def ordered(x):
    tl.store(x, 1)
END
for kernel in rev histo histogran order; do t "tilec run three.py --kernel $kernel --grid 1 x=zeros:fp32[1]"; done
t 'tilec add.tile --kernel sub -o sub.ptx'
cat >two.ptx <<'END'
.version 7.8
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 raw[];
.visible .entry stencil(.param .u64 x) { ret; }
.visible .entry _Z3revIfEvPT_(.param .u64 x) {
  .reg .b32 %r<2>;
  mov.u32 %r1, raw;
  st.shared.u32 [%r1], 1;
  ret;
}
END
launch='--grid 1 --threads 1 empty:i32[1]'
for command in run check bench; do t "tilec $command two.ptx --device sim --kernel re $launch"; done
t "tilec run two.ptx $launch"
t 'tilec run two.ptx --kernel stencil'
# One entry needs no --kernel. Parameters are listed, as pointers where the PTX says so.
cat >one.ptx <<'END'
.version 8.8
.target sm_90
.address_size 64
// .entry of no kernel
.visible .entry _ZN3app3setEPf5Shape( .param .u64 .ptr .align 1 x, .param .align 8 .b8 shape[24],
  .param .f32 y ) {
  ret;
}
END
t 'tilec check one.ptx'
t "tilec check one.ptx --grid 1 --threads 1 empty:fp32[1] '(empty:fp32[1],1:i64,2:i64)' 0.5"
t 'tilec check two.ptx'
# Machine code, by its first bytes: a cubin or a program, and a fatbin.
printf '\177ELF\002\001' >kernel.cubin
printf '\120\355\125\272\001' >kernel.fatbin
for command in run check ''; do t "tilec $command kernel.cubin"; done
t 'tilec check kernel.fatbin'
t "tilec run two.ptx --device sim --kernel _Z3revIfEvPT_ $launch |& sed 1,2d"
t "tilec run two.ptx --device sim --kernel _Z3revIfEvPT_ --shared 16 $launch |& sed 1d"
: >kernels.cu
for command in run check ''; do t "tilec $command kernels.cu"; done
