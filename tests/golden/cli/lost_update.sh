# A load and a store with one place, as nvcc gives for `out[0] += 1;` of CUDA: the race is reported, once, and so are two places.
printf '__global__ void count(float *out) {\n  out[0] += 1;\n  if (threadIdx.x) {}\n}\n' >count.cu
ptx() { # the places of the load and of the store
  cat <<END
.version 8.0
.target sm_80
.address_size 64
.visible .entry count(.param .u64 out) {
  .reg .b64 %rd<2>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  .loc 1 $1
  ld.global.f32 %f1, [%rd1];
  add.f32 %f2, %f1, 0f3F800000;
  .loc 1 $2
  st.global.f32 [%rd1], %f2;
  ret;
}
.file 1 "count.cu"
END
}
ptx '2 3' '2 3' >same.ptx
ptx '2 3' '2 13' >other.ptx
for file in same other; do for threads in 1 32; do t "tilec check $file.ptx --grid 4 --threads $threads zeros:fp32[1] 2>&1 | sed 's/, address .*//'"; done; done
t "tilec check other.ptx --grid 4 --threads 64 zeros:fp32[1] 2>&1 | grep -c 'CTAs race here too'"
