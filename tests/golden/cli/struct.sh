# A parameter of PTX that is a struct by value: a tuple gives its members, laid out as C does it.
cat >scale.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
// struct { const float *x; float *y; int n; struct { char c; double d; } in; float a; }
.visible .entry scale(.param .align 8 .b8 args[48]) {
  .reg .pred %p<3>;
  .reg .b16 %h<2>;
  .reg .b32 %r<5>;
  .reg .f32 %f<6>;
  .reg .f64 %g<2>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [args];
  ld.param.u64 %d2, [args+8];
  ld.param.u32 %r1, [args+16];
  ld.param.s8 %h1, [args+24];
  ld.param.f64 %g1, [args+32];
  ld.param.f32 %f1, [args+40];
  mov.u32 %r2, %tid.x;
  setp.ge.s32 %p1, %r2, %r1;
  @%p1 bra END;
  mul.wide.u32 %d3, %r2, 4;
  add.u64 %d4, %d1, %d3;
  add.u64 %d5, %d2, %d3;
  ld.global.f32 %f2, [%d4];
  cvt.rn.f32.f64 %f3, %g1;
  fma.rn.f32 %f4, %f1, %f2, %f3;
  cvt.rn.f32.s16 %f5, %h1;
  add.f32 %f5, %f4, %f5;
  st.global.f32 [%d5], %f5;
END:
  ret;
}
END
scale='scale.ptx --kernel scale --threads 32 --grid 1'
t "tilec run $scale --device sim '(arange:fp32[9],zeros:fp32[9],9,(-1:i8,0.5:fp64),2.0)'"
t "tilec run $scale --device sim '(x=arange:fp32[9],y=empty:fp32[9],n=8,in=(c=-1:i8,d=0.5:fp64),a=2:fp32)' --save '0.y=y.npy'"
t "tilec check $scale '(arange:fp32[8],zeros:fp32[9],9,(-1:i8,0.5:fp64),2.0)' | grep -v PTX"
# A member that is missing where the struct has padding, and one that the kernel does not load.
cat >pair.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry other(.param .align 8 .b8 args[24]) {
  .reg .b32 %r<3>;
  ld.param.v2.u32 {%r1, %r2}, [args+16];
  ret;
}
.visible .entry last(.param .u32 n, .param .align 8 .b8 args[16]) {
  .reg .f32 %f<2>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [args];
  ld.param.f32 %f1, [args+12];
  st.global.f32 [%d1], %f1;
  ret;
}
.visible .entry none(.param .align 8 .b8 args[16]) { ret; }
END
t "tilec run pair.ptx --kernel last --threads 1 --grid 1 --device sim 0 '(zeros:fp32[1],9,2.0)'"
t "tilec run pair.ptx --kernel last --threads 1 --grid 1 --device sim --strict 0 '(zeros:fp32[1],9)'"
t "tilec run pair.ptx --kernel last --threads 1 --grid 1 --device sim 0 '(zeros:fp32[1],9,2)' | head -n 1"
t "tilec check pair.ptx --kernel other --threads 1 --grid 1 '(zeros:fp32[1],zeros:fp32[1],9)'"
t "tilec check pair.ptx --kernel none --threads 1 --grid 1 '(zeros:fp32[1],9)'"
# The wrong size, a member an argument, and no type.
t "tilec run $scale --device sim '(arange:fp32[9],zeros:fp32[9],9,2.0)'"
t "tilec run $scale --device sim arange:fp32[9] zeros:fp32[9] 9 2.0"
t "tilec run $scale --device sim '(arange:fp32[9],zeros:fp32[9],9:i99,2.0)'"
