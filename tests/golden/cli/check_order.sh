# Programs that atomics order, and relaxed ones that do not. PTX that stores to shared memory that the launch lacks, or
# beyond a shared variable.
arguments='part=zeros:fp32[1536] out=zeros:fp32[512] count=zeros:i32[1]'
t "tilec check order.py --grid 4 -D SEM=\"'acq_rel'\" $arguments"
t "tilec check order.py --grid 4 -D SEM=\"'relaxed'\" $arguments"
t 'tilec check shared.ptx --kernel keep --threads 1 --grid 1'
t 'tilec check shared.ptx --kernel keep --threads 1 --grid 1 --shared 16'
cat >beyond.ptx <<'END'
.version 7.8
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 of_another[];
.visible .entry k(.param .u64 x, .param .u32 n) {
  .reg .b32 %r<4>;
  .shared .align 4 .b8 _ZZ1kE1s[128];
  mov.u32 %r1, %tid.x;
  shl.b32 %r1, %r1, 2;
  mov.u32 %r2, _ZZ1kE1s;
  add.s32 %r3, %r1, %r2;
  st.shared.u32 [%r3], 1;
  ret;
}
END
t 'tilec check beyond.ptx --threads 32 --grid 1 zeros:i32[1] 1'
t 'tilec check beyond.ptx --threads 33 --grid 1 zeros:i32[1] 1'
