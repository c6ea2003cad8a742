# Variables of PTX: reports name them as the source does, and no argument that is not meant. A shared variable too.
cat >variables.ptx <<'END'
.version 7.8
.target sm_80
.address_size 64
.global .align 4 .u32 counter;
.const .align 4 .b8 factor[16];
.global .align 4 .b8 _ZN3app5tableE[32];
.visible .entry count(.param .u64 x) {
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [counter];
  add.s32 %r2, %r1, 1;
  st.global.u32 [counter], %r2;
  ret;
}
.visible .entry beyond(.param .u64 x) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  .shared .align 4 .b8 _ZZ6beyondPfE5parts[16];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  mov.u64 %rd2, _ZN3app5tableE;
  add.s64 %rd3, %rd2, %rd1;
  ld.global.u32 %r2, [%rd3];
  mov.u64 %rd4, factor;
  add.s64 %rd5, %rd4, %rd1;
  ld.const.u32 %r2, [%rd5+-8];
  ld.shared.u32 %r3, [_ZZ6beyondPfE5parts+4];
  st.global.u32 [_ZN3app5tableE], %r1;
  ret;
}
.visible .entry past(.param .u64 x) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [x];
  ld.global.u32 %r1, [%rd1+128];
  st.global.u32 [%rd1+1073741952], %r1;
  st.global.u32 [%rd1+-8], %r1;
  ret;
}
END
for kernel in count beyond past; do t "tilec check variables.ptx --kernel $kernel --grid 1 --threads 9 zeros:i32[32]"; done
