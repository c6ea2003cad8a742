# Kernels of CUDA C++ in PTX: two instantiations of a template, and limits of the CTA's size.
cat >names.ptx <<'END'
.version 7.8
.target sm_80
.address_size 64
.visible .entry _ZN3app4fillIfLi1EEEvPT_(.param .u64 y) { ret; }
.visible .entry _ZN3app4fillIiLi2EEEvPT_(.param .u64 y) { ret; }
.visible .entry few(.param .u64 y) .maxntid 64, 1, 1 { ret; }
.visible .entry exact(.param .u64 y) .reqntid 64, 1, 1 { ret; }
END
t "tilec check names.ptx --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel fill --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel app::fill --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel 'app::fill<int,2>' --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel 'fill<float, 1>' --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel 'fill<int, 1>' --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel few --threads 128 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel exact --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel exact --threads 64 --grid 1 zeros:i32[1]"
# Numbers by the parameter's type, and arguments with names.
cat >numbers.ptx <<'END'
.version 7.8
.target sm_80
.address_size 64
.visible .entry numbers(.param .u64 y, .param .u32 n, .param .f32 a, .param .f64 b) {
  .reg .b64 %rd<2>;
  .reg .f32 %f<2>;
  .reg .f64 %d<3>;
  ld.param.u64 %rd1, [y];
  ld.param.f32 %f1, [a];
  ld.param.f64 %d1, [b];
  cvt.f64.f32 %d2, %f1;
  st.global.f64 [%rd1], %d2;
  st.global.f64 [%rd1+8], %d1;
  ret;
}
END
run='tilec run numbers.ptx --device sim --threads 1 --grid 1'
t "$run zeros:fp64[2] 7 0.5 0.25"
t "$run zeros:fp64[2] 7 2 3"
t "$run zeros:fp64[2] 7.0 2 3"
t "$run y=zeros:fp64[2] 7 2 3"
t "$run zeros:fp64[2] 7 a=2 3"
